//! Reads one chunk of text into the tree of its first document.

use super::compose::{self, Bounds, ComposeNotes};
use super::decode;
use super::error::YamlError;
use super::parser::Reader;
use super::quick;
use crate::source::Span;
use crate::tree::{Kind, NodeId, Tree};

/// kubectl's result for a chunk: its first document, or the error.
///
/// ```
/// use claimkit_yaml::yaml::{Bounds, read};
///
/// let mut document = read("1.10: a\nb: 1\nb: 2\n", Bounds::default());
/// // The first key is a number to YAML, and becomes a string without its zero.
/// assert!(!document.keeps_keys());
/// let (map, at) = document.converted_keys()[0];
/// assert_eq!(document.tree.text(document.tree.entries(map)[at].key), "1.1");
/// assert_eq!(document.strict_errors()[0].message, r#"line 3: key "b" already set in map"#);
/// ```
#[derive(Debug)]
pub struct Composed<'s> {
    /// The tree; after an error it has no usable root.
    pub tree: Tree<'s>,
    /// The root node; none for an empty document and after an error.
    pub root: Option<NodeId>,
    /// The error that kubectl reports.
    pub error: Option<Box<YamlError>>,
    /// The start of the token that ended the document, and whether it is `...`. kubectl ignores the text from there on. `None`
    /// after an error.
    pub end: Option<(u32, bool)>,
    start: u32,
    found: ComposeNotes,
}

/// A duplicate key, which go-yaml's strict mode refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StrictError {
    /// `line 2: key "a" already set in map`; the line is that of the value, within the chunk.
    pub message: String,
    /// The place of the value's text.
    pub value: Span,
}

/// Reads `text[start..end]`, as if it ended with a line break if `add_break`. Reuses the reader's buffers.
///
/// ```
/// use claimkit_yaml::yaml::{Bounds, Reader, read_part};
///
/// let text = "a: 1\n---\nb: 2\n";
/// let mut reader = Reader::new(text);
/// let second = read_part(&mut reader, text, 9, text.len(), false, Bounds::default());
/// assert!(second.tree.get(second.root.unwrap(), "b").is_some());
/// ```
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
    tree.comments = comments
        .into_iter()
        .map(|(start, end)| Span { start, end })
        .collect();
    let mut document = Composed {
        tree,
        root: None,
        error: None,
        end: None,
        start: start as u32,
        found: ComposeNotes::default(),
    };
    match composed {
        Err(error) => document.error = Some(error),
        Ok(found) => {
            document.end = found.end;
            let decoded = if found.is_plain() {
                Ok(())
            } else {
                decode::decode(&mut document.tree, &found)
            };
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
///
/// ```
/// use claimkit_yaml::yaml::{Bounds, read};
///
/// let document = read("a: 1\n", Bounds::default());
/// assert!(document.tree.get(document.root.unwrap(), "a").is_some());
/// assert!(read("a: b: c\n", Bounds::default()).error.is_some());
/// ```
pub fn read(text: &str, bounds: Bounds) -> Composed<'_> {
    let mut reader = Reader::new(text);
    read_part(&mut reader, text, 0, text.len(), false, bounds)
}

impl Composed<'_> {
    /// Returns true if no key was converted to a string.
    pub fn keeps_keys(&self) -> bool {
        self.found.converted_keys.is_empty()
    }

    /// Returns the non-string keys whose converted string differs from the source: the mapping and the index of the entry.
    pub fn converted_keys(&self) -> Vec<(NodeId, usize)> {
        let mut found = Vec::new();
        if self.keeps_keys() {
            return found;
        }
        for id in self
            .tree
            .ids()
            .filter(|&id| matches!(self.tree.node(id).kind, Kind::Map { .. }))
        {
            for (at, entry) in self.tree.entries(id).iter().enumerate() {
                let span = entry.key_span;
                let written = self.tree.slice(span);
                if !entry.merged
                    && self.found.converted(span.start).is_some()
                    && self.tree.text(entry.key) != written
                {
                    found.push((id, at));
                }
            }
        }
        found
    }

    /// Returns the errors of go-yaml's strict mode, in its order; empty if the document has an error.
    pub fn strict_errors(&mut self) -> Vec<StrictError> {
        let Composed { tree, found, .. } = self;
        if self.root.is_none() || (!tree.has_shadowed() && found.special.is_empty()) {
            return Vec::new();
        }
        let duplicates = decode::duplicates(tree, found);
        let mut lines = Lines {
            text: tree.source(),
            at: self.start as usize,
            line: 1,
        };
        duplicates
            .into_iter()
            .map(|(key, value)| {
                let node = tree.node(value);
                let begins = if node.properties.is_empty() {
                    node.span.start
                } else {
                    node.properties.start
                };
                let line = lines.of(begins as usize, self.start as usize);
                StrictError {
                    message: format!("line {line}: key {key} already set in map"),
                    value: node.span,
                }
            })
            .collect()
    }
}

/// Line numbers as libyaml counts them (NEL, U+2028 and U+2029 end lines too). Fast for mostly ascending offsets.
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
        let breaks = part
            .chars()
            .filter(|c| matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}'))
            .count();
        let bytes = part.as_bytes();
        let pairs = bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        let lone = bytes
            .iter()
            .filter(|byte| **byte == b'\r')
            .count()
            .saturating_sub(pairs);
        // A CR at the very end may have its LF after `offset`; nothing begins between the two.
        self.line = self.line.saturating_add(breaks).saturating_add(lone);
        self.at = offset;
        self.line
    }
}
