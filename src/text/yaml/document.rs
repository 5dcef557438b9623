//! One chunk of text to the tree of its first document.

use super::compose::{self, Bounds, Found};
use super::decode;
use super::error::YamlError;
use super::parser::Reader;
use super::quick;
use crate::text::source::Span;
use crate::text::tree::{Kind, NodeId, Tree};

/// What kubectl makes of a chunk: the first document in it, or why there is none.
#[derive(Debug)]
pub struct Composed<'s> {
    /// The tree; without a usable root when there is an error.
    pub tree: Tree<'s>,
    /// The root node; none for an empty document and after an error.
    pub root: Option<NodeId>,
    /// What kubectl refuses.
    pub error: Option<Box<YamlError>>,
    /// Where the text begins that stopped the document (kubectl reads nothing from there on), and
    /// whether it is `...`. None when reading failed.
    pub end: Option<(u32, bool)>,
    start: u32,
    found: Found,
}

/// A key go-yaml's strict mode refuses because the mapping has it already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrictError {
    /// `line 2: key "a" already set in map`; the line is that of the value, within the chunk.
    pub message: String,
    /// The value's text.
    pub value: Span,
}

/// Reads `text[start..end]`, as if a line break followed when `add_break`; the reader's memory is
/// used again.
pub fn read_part<'s>(
    reader: &mut Reader<'s>,
    text: &'s str,
    start: usize,
    end: usize,
    add_break: bool,
    bounds: Bounds,
) -> Composed<'s> {
    reader.restart(start, end, add_break);
    let mut tree = Tree::new(text);
    let composed = match quick::read(reader, &mut tree, end, bounds) {
        Some(found) => Ok(found),
        None => {
            reader.take_parts();
            reader.restart(start, end, add_break);
            tree = Tree::new(text);
            compose::compose(reader, &mut tree, end, bounds)
        }
    };
    let (mut decoded, comments) = reader.take_parts();
    tree.swap_decoded(&mut decoded);
    tree.comments = comments.into_iter().map(|(start, end)| Span { start, end }).collect();
    let mut document = Composed { tree, root: None, error: None, end: None, start: start as u32, found: Found::default() };
    match composed {
        Err(error) => document.error = Some(error),
        Ok(found) => {
            document.end = found.end;
            let decoded = if found.is_plain() { Ok(()) } else { decode::decode(&mut document.tree, &found) };
            match decoded {
                Err(error) => document.error = Some(error),
                Ok(()) => {
                    document.root = found.root;
                    document.found = found;
                }
            }
        }
    }
    document
}

/// Reads the whole of `text` as kubectl's step from YAML to JSON does.
pub fn read(text: &str, bounds: Bounds) -> Composed<'_> {
    let mut reader = Reader::new(text);
    read_part(&mut reader, text, 0, text.len(), false, bounds)
}

impl Composed<'_> {
    /// Whether [`Composed::converted_keys`] has nothing to look at.
    pub fn keeps_keys(&self) -> bool {
        self.found.converted_keys.is_empty()
    }

    /// Keys that were no text and became another text than was written: the mapping and the
    /// index of the entry.
    pub fn converted_keys(&self) -> Vec<(NodeId, usize)> {
        let mut found = Vec::new();
        if self.keeps_keys() {
            return found;
        }
        for id in self.tree.ids().filter(|&id| matches!(self.tree.node(id).kind, Kind::Map { .. })) {
            for (at, entry) in self.tree.entries(id).iter().enumerate() {
                let span = entry.key_span;
                let written = self.tree.source().get(span.from()..span.to()).unwrap_or("");
                if !entry.merged && self.found.converted(span.start).is_some() && self.tree.text(entry.key) != written {
                    found.push((id, at));
                }
            }
        }
        found
    }

    /// What go-yaml's strict mode refuses, in its order; nothing when the document is in error.
    pub fn strict_errors(&mut self) -> Vec<StrictError> {
        let Composed { tree, found, .. } = self;
        if self.root.is_none() || (!tree.has_shadowed() && found.special.is_empty()) {
            return Vec::new();
        }
        let duplicates = decode::duplicates(tree, found);
        let mut lines = Lines { text: tree.source(), at: self.start as usize, line: 1 };
        duplicates
            .into_iter()
            .map(|(key, value)| {
                let node = tree.node(value);
                let begins = if node.properties.is_empty() { node.span.start } else { node.properties.start };
                let line = lines.of(begins as usize, self.start as usize);
                StrictError { message: format!("line {line}: key {key} already set in map"), value: node.span }
            })
            .collect()
    }
}

/// Line numbers as libyaml counts them (NEL, U+2028 and U+2029 end lines too), cheap for offsets
/// that mostly ascend.
struct Lines<'s> {
    text: &'s str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn of(&mut self, offset: usize, start: usize) -> usize {
        if offset < self.at {
            self.at = start;
            self.line = 1;
        }
        let part = self.text.get(self.at..offset).unwrap_or("");
        let breaks = part.chars().filter(|c| matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')).count();
        let bytes = part.as_bytes();
        let pairs = bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        let lone = bytes.iter().filter(|byte| **byte == b'\r').count().saturating_sub(pairs);
        // A CR at the very end may have its LF behind `offset`; nothing begins between the two.
        self.line = self.line.saturating_add(breaks).saturating_add(lone);
        self.at = offset;
        self.line
    }
}
