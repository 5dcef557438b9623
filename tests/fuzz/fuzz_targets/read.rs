//! Any text is read without a panic, in bounded time, and everything found lies inside it.
#![no_main]

use claimkit::limits::Limits;
use claimkit::text::tree::{Kind, Tree};
use claimkit::text::{self, Span, yaml};
use libfuzzer_sys::fuzz_target;

fn inside(text: &str, span: Span) {
    assert!(text.get(span.from()..span.to()).is_some(), "{span:?}");
}

fn check(text: &str, tree: &Tree<'_>) {
    for id in tree.ids() {
        let node = tree.node(id);
        inside(text, node.span);
        inside(text, node.properties);
        if let Kind::Map { .. } = node.kind {
            for entry in tree.entries(id) {
                inside(text, entry.key_span);
                // Looks the key up wherever it lies.
                let _ = tree.text(entry.key);
            }
        }
        if let Kind::Str(string) = node.kind {
            let _ = tree.text(string);
        }
    }
    for &comment in &tree.comments {
        inside(text, comment);
        assert!(text[comment.from()..].starts_with('#'));
    }
}

fuzz_target!(|text: &str| {
    let file = text::read(text, &Limits::default());
    for finding in &file.findings {
        if let Some(span) = finding.span {
            inside(text, span);
        }
        for edit in finding.fixes.iter().flat_map(|fix| &fix.edits) {
            inside(text, edit.span);
        }
    }
    for document in &file.documents {
        check(text, &document.tree);
    }
    // The whole text as one YAML document, and what strict mode says.
    let mut document = yaml::read(text, yaml::Bounds::default());
    check(text, &document.tree);
    let _ = document.strict_errors();
    if let Some(error) = &document.error {
        assert!(error.to_string().starts_with("yaml: ") || error.stage == yaml::Stage::Json);
    }
});
