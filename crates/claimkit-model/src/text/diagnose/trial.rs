//! Tests whether a fix helps: edits the text and reads it again.

use crate::finding::Edit;
use crate::text::source::Span;
use crate::text::yaml;

/// Chunks above this size are not read again to test a fix.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// Applies the edits to the chunk.
pub(super) fn edited(source: &str, chunk: Span, edits: &[Edit]) -> String {
    let mut text = String::with_capacity(chunk.len());
    let mut from = chunk.from();
    for edit in edits {
        text.push_str(source.get(from..edit.span.from()).unwrap_or(""));
        text.push_str(&edit.new_text);
        from = edit.span.to();
    }
    text.push_str(source.get(from..chunk.to()).unwrap_or(""));
    text.push('\n');
    text
}

/// Returns true if kubectl reads a text; a new separator splits it.
pub(super) fn reads(text: &str) -> bool {
    text.split("\n---")
        .all(|part| yaml::read(part, yaml::Bounds::default()).error.is_none())
}

/// Returns how often a chunk may be read again: a long chunk only a few times, a very long one never.
pub(super) fn tries(chunk: Span) -> usize {
    if chunk.len() > MOST_BYTES {
        0
    } else {
        MOST_BYTES
            .checked_div(chunk.len())
            .unwrap_or(0)
            .clamp(2, 100)
    }
}

/// Splits a text into documents: the parts before, between and after its separators.
pub(super) fn documents(text: &str) -> Vec<&str> {
    const SEPARATOR: &str = "\n---";
    let mut documents = Vec::new();
    let mut rest = text;
    while let Some((document, behind)) = rest.split_once(SEPARATOR) {
        documents.push(document);
        rest = behind;
    }
    documents.push(rest);
    documents
}
