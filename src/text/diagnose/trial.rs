//! Whether a fix helps: the text is edited and read again.

use crate::finding::Edit;
use crate::text::source::Span;
use crate::text::yaml;

/// A chunk above this size is not read again to see whether a fix helps.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// The chunk with edits made.
pub(super) fn edited(source: &str, chunk: Span, edits: &[Edit]) -> String {
    let slice = |from: usize, to: usize| source.get(from..to).unwrap_or("");
    let mut text = String::with_capacity(chunk.len());
    let mut from = chunk.from();
    for edit in edits {
        text.push_str(slice(from, edit.span.from()));
        text.push_str(&edit.new_text);
        from = edit.span.to();
    }
    text.push_str(slice(from, chunk.to()));
    text.push('\n');
    text
}

/// Whether kubectl reads a text; a separator that was none before splits it.
pub(super) fn reads(text: &str) -> bool {
    text.split("\n---").all(|part| yaml::read(part, yaml::Bounds::default()).error.is_none())
}

/// How often a chunk may be read again: a long one only a few times, a very long one never.
pub(super) fn tries(chunk: Span) -> usize {
    if chunk.len() > MOST_BYTES { 0 } else { MOST_BYTES.checked_div(chunk.len()).unwrap_or(0).clamp(2, 100) }
}

/// The documents of a text: what stands before, between and behind its separators.
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
