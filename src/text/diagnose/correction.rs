//! What is meant by a plain scalar that is not what the field takes: words without quotes that YAML 1.1 takes for something else
//! than text (`n`, `on`, `010`, `1.10`), and `name:a`, which is one word.

use crate::finding::Edit;
use crate::text::print;
use crate::text::source::Span;
use crate::text::tree::{Kind, NodeId, Style, Tree};

/// What to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// In one line.
    pub help: String,
    /// What the edits do.
    pub title: String,
    /// Make it what is meant.
    pub edits: Vec<Edit>,
}

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A string.
    Text,
    /// A struct or a map.
    Map,
}

/// What is meant by the plain scalar of a YAML text at `node`, where something else is expected. JSON and quoted text give nothing, an
/// empty value neither.
pub fn correction(tree: &Tree<'_>, node: NodeId, expected: Expected) -> Option<Correction> {
    let place = tree.node(node);
    if place.style != Style::Plain || !place.properties.is_empty() {
        return None;
    }
    let written = tree.source().get(place.span.from()..place.span.to()).filter(|text| !text.is_empty())?;
    match expected {
        Expected::Text => text(place.kind, place.span, written),
        Expected::Map => map(tree, place.span, written),
    }
}

/// Quotes.
fn text(kind: Kind, span: Span, written: &str) -> Option<Correction> {
    let read_as = match kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Int(value) => value.to_string(),
        Kind::Uint(value) => value.to_string(),
        Kind::Float(value) => {
            let mut text = String::new();
            print::float(value, &mut text);
            text
        }
        _ => return None,
    };
    let help = if read_as == written {
        format!("`{written}` is not a string here: write `\"{written}\"`")
    } else {
        format!("without quotes YAML reads `{written}` as `{read_as}`: write `\"{written}\"`")
    };
    let edits = vec![Edit { span, new_text: format!("\"{written}\"") }];
    Some(Correction { help, title: format!("quote `{written}`"), edits })
}

/// Blanks, where each line would be a key and a value that begins in the same column.
fn map(tree: &Tree<'_>, span: Span, written: &str) -> Option<Correction> {
    let before = tree.source().get(..span.from())?.rsplit(['\n', '\r']).next()?;
    if before.starts_with("---") || !before.bytes().all(|byte| matches!(byte, b' ' | b'-')) {
        return None;
    }
    let mut edits = Vec::new();
    let mut at = span.from();
    for (number, line) in written.split_inclusive('\n').enumerate() {
        let word = line.trim_start_matches(' ');
        let indent = line.len().saturating_sub(word.len());
        if number > 0 && indent != before.len() {
            return None;
        }
        let behind = behind_colon(word.trim_end())?;
        edits.push(Edit { span: Span::at(at.saturating_add(indent).saturating_add(behind)), new_text: " ".to_owned() });
        at = at.saturating_add(line.len());
    }
    let first = written.lines().next().unwrap_or_default().trim_end();
    Some(Correction { help: blank(first), title: PUT.to_owned(), edits })
}

/// What the edit does that puts a blank behind a colon.
pub(super) const PUT: &str = "put a blank behind the colon";

/// Help for a word that is meant as a key and its value.
pub(super) fn blank(word: &str) -> String {
    format!("`{word}` is one word: {PUT}")
}

/// Where the blank is missing in a key and a value, both of plain characters.
pub(super) fn behind_colon(word: &str) -> Option<usize> {
    let (key, value) = word.split_once(':')?;
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/' | b'-'));
    let begins = |text: &str| text.starts_with(|c: char| c.is_ascii_alphanumeric());
    (begins(key) && begins(value) && plain(key) && plain(value)).then(|| key.len().saturating_add(1))
}
