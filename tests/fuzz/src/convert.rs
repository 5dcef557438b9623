//! A conversion up and down gives the same text, or the same value if a document was printed; a second conversion changes
//! nothing; comments are kept.
//!
//! Input: `g` or `h` and bytes that decide on an object and its style (tests/convert_laws), or any other letter and a text.

use crate::answers::{agrees_with_itself, ask};
use crate::laws;
use claimkit::convert::{Conversion, ConvertOptions, convert};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Version;
use claimkit_model::schema::classic::{v1alpha1, v1alpha2};
use claimkit_model::text;
use claimkit_model::text::print::{self, Order};
use libfuzzer_sys::Corpus;
use serde_json::json;

/// Versions and releases to convert to.
const TARGETS: [&str; 8] = [
    "v1alpha1", "v1alpha2", "v1alpha3", "v1beta1", "v1beta2", "v1", "1.31", "1.38",
];

pub fn run(data: &[u8]) -> Corpus {
    let Some((&first, rest)) = data.split_first() else {
        return Corpus::Reject;
    };
    match first {
        b'g' => {
            let _ = laws::check_up(rest);
        }
        b'h' => {
            let _ = laws::check_down(rest);
        }
        _ => {
            let Ok(text) = std::str::from_utf8(rest) else {
                return Corpus::Reject;
            };
            let lossy = first % 2 == 1;
            let (to, back) = if first / 2 % 2 == 0 {
                (&v1alpha2::VERSION, &v1alpha1::VERSION)
            } else {
                (&v1alpha1::VERSION, &v1alpha2::VERSION)
            };
            any(text, to, back, lossy);
            let lossy = if lossy { "allow" } else { "refuse" };
            let to = TARGETS[usize::from(first / 8) % TARGETS.len()];
            let request = json!({"verb": "convert", "text": text, "to": to, "lossy": lossy, "dropServerFields": first / 4 % 2 == 1});
            agrees_with_itself(&request, &ask(&request));
        }
    }
    Corpus::Keep
}

fn run_one<'s>(text: &'s str, to: &'static Version, lossy: bool) -> Conversion<'s> {
    convert(text, to, &ConvertOptions::default().lossy(lossy))
}

fn is_printed(conversion: &Conversion<'_>) -> bool {
    conversion
        .findings
        .iter()
        .any(|finding| finding.code == Code::ConversionPrinted)
}

/// The comments of a text, sorted, because comments move with their fields.
fn comments(text: &str) -> Vec<String> {
    let file = text::read(text, &Limits::default());
    let spans = file
        .documents
        .iter()
        .flat_map(|document| &document.tree.comments);
    let mut comments: Vec<String> = spans
        .map(|span| text[span.from()..span.to()].trim_end().to_owned())
        .collect();
    comments.sort();
    comments
}

fn any(text: &str, to: &'static Version, back: &'static Version, lossy: bool) {
    let there = run_one(text, to, lossy);
    assert!(
        there
            .findings
            .iter()
            .all(|f| f.code != Code::ConversionDisagrees),
        "{:?}\n{text:?}",
        there.findings
    );
    let refused = there
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    assert_eq!(
        there.text.is_none(),
        refused,
        "{:?}\n{text:?}",
        there.findings
    );
    let lost = there
        .outcomes
        .iter()
        .any(|outcome| !outcome.losses.is_empty());
    assert!(lossy || !lost || refused, "lost without leave: {text:?}");
    let Some(new) = &there.text else { return };
    if there.outcomes.iter().all(|outcome| !outcome.changed) && !new.contains("List") {
        assert_eq!(new, text, "nothing to convert");
    }
    let twice = run_one(new, to, lossy);
    assert_eq!(
        twice.text.as_ref(),
        Some(new),
        "converting twice changes {text:?}"
    );
    // The first of two duplicate keys is dead text: removing it is not a loss.
    let dead = there
        .findings
        .iter()
        .any(|f| matches!(f.code, Code::YamlDuplicateKey | Code::JsonDuplicateKey));
    if lost || dead || is_printed(&there) {
        return;
    }
    assert_eq!(
        comments(new),
        comments(text),
        "comments of {text:?} in {new:?}"
    );
    // Both directions again: a conversion that was an edit one way is an edit the other way.
    let home = run_one(new, back, false);
    let Some(old) = &home.text else { return };
    if is_printed(&home) {
        return;
    }
    assert_eq!(
        comments(old),
        comments(text),
        "comments of {text:?} in {old:?}"
    );
    let again = run_one(old, to, false);
    if let Some(again_new) = again.text.as_ref().filter(|_| !is_printed(&again)) {
        assert_eq!(
            (values(again_new), left_aligned(again_new)),
            (values(new), left_aligned(new)),
            "{text:?} converted, back as {old:?}, and converted again"
        );
    }
}

/// The objects of a text, each as JSON.
fn values(text: &str) -> Vec<String> {
    let file = text::read(text, &Limits::default());
    let printed = |document: &text::Document<'_>| {
        let mut json = String::new();
        let root = document.root?;
        print::json(&document.tree, root, Order::Source, 1 << 16, &mut json).then_some(json)
    };
    file.documents.iter().filter_map(printed).collect()
}

/// The lines without their indentation: a line of a quoted text that begins left of its field cannot move as far to the left as
/// the field does, and moves to the right with it on the way back.
fn left_aligned(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_start).collect()
}
