//! Laws of the places in files.

use super::reading::{check_span, leaves};
use claimkit_model::text::File;

/// Findings and documents have spans in the text, and documents are in order.
pub fn check_file(file: &File<'_>, text: &str) {
    for finding in &file.findings {
        let span = finding
            .span
            .unwrap_or_else(|| panic!("{finding:?} in {text:?}"));
        check_span(text, span);
        for edit in finding.fixes.iter().flat_map(|fix| &fix.edits) {
            check_span(text, edit.span);
        }
        assert!(finding.help.is_some(), "{finding:?} in {text:?}");
    }
    let mut before = 0;
    for document in &file.documents {
        check_span(text, document.span);
        assert!(before <= document.span.from());
        before = document.span.to();
        let Some(root) = document.root else { continue };
        leaves(text, &document.tree, root);
    }
}
