//! Mends a manifest: applies the fixes that delete nothing, keeps comments and layout, and prints the text.
//!
//! ```sh
//! cargo run --example mend_text < manifest.yaml
//! ```

use claimkit::{Edit, Finding, TextField, ValidateOptions};
use std::io::Read;

/// A fix can bring a finding to light that was hidden before.
const ROUNDS: usize = 8;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    print!("{}", mend(text));
    Ok(())
}

fn mend(mut text: String) -> String {
    for _ in 0..ROUNDS {
        let findings = claimkit::validate(&text, &ValidateOptions::default()).findings;
        let edits = edits(&text, &findings);
        if edits.is_empty() {
            break;
        }
        for edit in edits.iter().rev() {
            text.replace_range(edit.span.from()..edit.span.to(), &edit.new_text);
        }
    }
    text
}

/// Returns the edits of each finding's first fix, in the order of the text, without fixes that delete or that touch another fix.
fn edits(text: &str, findings: &[Finding]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for finding in findings
        .iter()
        .filter(|finding| finding.within == TextField::Text)
    {
        let Some(fix) = finding.fixes.first().filter(|fix| !fix.deletes(text)) else {
            continue;
        };
        let touches = |edit: &Edit| {
            edits.iter().any(|other| {
                edit.span.from() <= other.span.to() && other.span.from() <= edit.span.to()
            })
        };
        if !fix.edits.iter().any(touches) {
            edits.extend(fix.edits.iter().cloned());
        }
    }
    edits.sort_by_key(|edit| edit.span.from());
    edits
}

#[test]
fn mends_a_misspelled_field_and_keeps_the_comment() {
    let text = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: gpu}\nspec:\n  resourceClasName: a # the class\n";
    let mended = mend(text.to_owned());
    assert!(
        mended.contains("  resourceClassName: a # the class\n"),
        "{mended}"
    );
}
