//! Maps the bytes of a string to their offsets in the source text, which may have escapes, doubled quotes, folded lines and
//! indentation.

use crate::span::Span;
use crate::tree::{Kind, NodeId, Str, Style, Tree};

/// The source offsets of a string's bytes.
///
/// ```
/// use claimkit_yaml::Span;
/// use claimkit_yaml::scalar::Places;
/// use claimkit_yaml::yaml::{Bounds, read};
///
/// let document = read(r#"a: "x\ty z""#, Bounds::default());
/// let value = document.tree.get(document.root.unwrap(), "a").unwrap();
/// assert_eq!(document.tree.str(value), Some("x\ty z"));
/// // The tab is an escape of two characters in the text.
/// let places = Places::of(&document.tree, value).unwrap();
/// assert_eq!(places.at(2), 7);
/// assert_eq!(places.span(1, 2), Span::new(5, 7));
/// assert_eq!(places.byte_at(7), 2);
/// ```
#[derive(Debug, Default)]
pub struct Places {
    /// For each byte of the string: the text offset where its character begins. The last entry is the end of the string.
    starts: Vec<u32>,
    /// For each byte of the string: the text offset after its character.
    ends: Vec<u32>,
}

impl Places {
    /// Returns the offsets of a string node; `None` for other nodes and for aliases.
    pub fn of(tree: &Tree<'_>, node: NodeId) -> Option<Places> {
        let Kind::Str(value) = tree.node(node).kind else {
            return None;
        };
        Some(match value {
            Str::Source(span) => {
                let starts: Vec<u32> = (span.from()..=span.to()).map(saturated).collect();
                let ends = starts.get(1..).unwrap_or_default().to_vec();
                Places { starts, ends }
            }
            Str::Decoded(_) => decoded(
                tree.source(),
                tree.span(node),
                tree.node(node).style,
                tree.text(value),
            ),
        })
    }

    /// Returns the text offset of a byte of the string.
    pub fn at(&self, byte: usize) -> usize {
        self.starts
            .get(byte)
            .or(self.starts.last())
            .map_or(0, |place| *place as usize)
    }

    /// Returns the text span of a part of the string.
    pub fn span(&self, from: usize, to: usize) -> Span {
        let end = to
            .checked_sub(1)
            .filter(|last| *last >= from)
            .and_then(|last| self.ends.get(last));
        Span::new(
            self.at(from),
            end.map_or(self.at(from), |end| *end as usize),
        )
    }

    /// Returns the byte of the string at a text offset, or the next one after it.
    pub fn byte_at(&self, place: usize) -> usize {
        self.starts
            .partition_point(|start| (*start as usize) < place)
            .min(self.starts.len().saturating_sub(1))
    }
}

fn saturated(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// Walks the string and its source side by side.
fn decoded(source: &str, span: Span, style: Style, text: &str) -> Places {
    let (at, end) = content_of(source, span, style);
    let written = source.get(at..end).unwrap_or_default();
    let mut walk = Walk {
        source,
        style,
        at,
        end,
        indent: indentation_of(written).saturating_sub(indentation_of(text)),
    };
    let mut places = Places::default();
    let is_block = matches!(style, Style::Literal | Style::Folded);
    let mut begins_line = is_block;
    for c in text.chars() {
        if begins_line && is_block {
            walk.skip_indentation();
        }
        walk.skip_what_is_folded(c);
        let start = saturated(walk.at.min(end));
        places
            .starts
            .extend(std::iter::repeat_n(start, c.len_utf8()));
        begins_line = walk.byte(walk.at) == b'\n';
        walk.skip_character();
        let end_of_character = saturated(walk.at);
        places
            .ends
            .extend(std::iter::repeat_n(end_of_character, c.len_utf8()));
    }
    places.starts.push(saturated(walk.at));
    places
}

/// Returns where the content of a scalar begins and ends: behind the header of a block scalar, inside of quotes.
fn content_of(source: &str, span: Span, style: Style) -> (usize, usize) {
    let (from, to) = (span.from(), span.to());
    match style {
        Style::Literal | Style::Folded => {
            let header = source.get(from..to).and_then(|text| text.find('\n'));
            let start = header.map_or(to, |header| from.saturating_add(header).saturating_add(1));
            (start, to)
        }
        Style::SingleQuoted | Style::DoubleQuoted => (from.saturating_add(1), to.saturating_sub(1)),
        _ => (from, to),
    }
}

/// Returns the spaces before the first line that is not empty. A line has as many more in the source than in the string as the scalar is
/// indented.
fn indentation_of(text: &str) -> usize {
    let mut lines = text.lines();
    let first = lines.find(|line| !line.trim().is_empty());
    let line = first.unwrap_or_default();
    let indented = line.trim_start_matches(' ');
    line.len().saturating_sub(indented.len())
}

/// A place in the source of a scalar.
struct Walk<'s> {
    source: &'s str,
    style: Style,
    at: usize,
    end: usize,
    /// The spaces before each line of a block scalar.
    indent: usize,
}

impl Walk<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.source.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn skip_indentation(&mut self) {
        let end = self.end.min(self.at.saturating_add(self.indent));
        while self.at < end && self.byte(self.at) == b' ' {
            self.at = self.at.saturating_add(1);
        }
    }

    /// Skips the blanks and line ends of the source that are not in the string before its next character.
    fn skip_what_is_folded(&mut self, next: char) {
        let is_blank = matches!(next, ' ' | '\t' | '\n' | '\r');
        while self.at < self.end {
            let is_skipped = match self.byte(self.at) {
                // An escaped line break.
                b'\\' if self.style == Style::DoubleQuoted => {
                    matches!(self.byte(self.at.saturating_add(1)), b'\n' | b'\r')
                }
                b' ' | b'\t' | b'\r' => !is_blank || next == '\n',
                b'\n' => !is_blank,
                _ => false,
            };
            if !is_skipped {
                break;
            }
            self.at = self.at.saturating_add(1);
        }
    }

    /// Skips what the source has for one character of the string.
    fn skip_character(&mut self) {
        let rest = self.source.get(self.at..).unwrap_or_default();
        let width = match self.byte(self.at) {
            b'\\' if self.style == Style::DoubleQuoted => {
                escape(self.source.get(self.at..self.end).unwrap_or_default())
            }
            b'\'' if self.style == Style::SingleQuoted => 2,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        self.at = self.at.saturating_add(width).min(self.end);
    }
}

/// Returns the length of an escape in bytes; a surrogate pair counts as one escape.
fn escape(text: &str) -> usize {
    match text.as_bytes().get(1) {
        Some(b'x') => 4,
        Some(b'u') => {
            let digits = text.get(2..6).unwrap_or_default();
            let is_high = matches!(u32::from_str_radix(digits, 16), Ok(0xd800..=0xdbff));
            let is_pair = is_high && text.get(6..8) == Some("\\u");
            if is_pair { 12 } else { 6 }
        }
        Some(b'U') => 10,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Mode, json, mode, yaml};

    fn read(text: &str) -> (Tree<'_>, NodeId) {
        if mode(text) == Mode::Yaml {
            let document = yaml::read(text, yaml::Bounds::default());
            return (document.tree, document.root.unwrap());
        }
        let mut tree = Tree::new(text);
        let (root, _) = json::value(&mut tree, 0, json::MAX_DEPTH).unwrap();
        (tree, root)
    }

    /// Checks that each non-blank character of the string is in the text at its offset.
    #[track_caller]
    fn check(text: &str, wanted: &str) {
        let (tree, root) = read(text);
        let node = tree.get(root, "a").unwrap();
        let places = Places::of(&tree, node).unwrap();
        let value = tree.str(node).unwrap();
        assert_eq!(value, wanted);
        for (byte, c) in value.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            let found = text[places.at(byte)..].chars().next().unwrap();
            assert!(
                found == c || found == '\\',
                "{text:?}: byte {byte} {c:?} at {found:?}"
            );
            assert_eq!(places.byte_at(places.at(byte)), byte);
        }
    }

    #[test]
    fn all_styles() {
        check("a: x == y\n", "x == y");
        check("a: x\n  == y\n", "x == y");
        check("a: 'x == ''y'''\n", "x == 'y'");
        check(
            "a: \"x\\t== \\\"é\\u00e9\\\" &&\n    z\\\n    w\"\n",
            "x\t== \"éé\" && zw",
        );
        check("a: |\n  x &&\n    y\n\n  z\n", "x &&\n  y\n\nz\n");
        check("a: >-\n  x &&\n  y &&\n\n  z\n", "x && y &&\nz");
        check("a: |2\n   x\n  y\n", " x\ny\n");
        check(
            "{\"a\": \"x == \\\"\\ud83d\\ude00\\\" && y\"}",
            "x == \"😀\" && y",
        );
    }

    #[test]
    fn pieces() {
        let text = "a: \"x == \\\"é\\\"\"\n";
        let (tree, root) = read(text);
        let places = Places::of(&tree, tree.get(root, "a").unwrap()).unwrap();
        let span = places.span(5, 9);
        assert_eq!(&text[span.from()..span.to()], "\\\"é\\\"");
    }
}
