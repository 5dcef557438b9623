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
            Str::Source(span) => Places {
                starts: (span.from()..=span.to()).map(saturated).collect(),
                ends: (span.from()..span.to())
                    .map(|at| saturated(at.saturating_add(1)))
                    .collect(),
            },
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
    let block = matches!(style, Style::Literal | Style::Folded);
    let (mut at, mut end) = (span.from(), span.to());
    let byte = |at: usize| source.as_bytes().get(at).copied().unwrap_or(0);
    if block {
        at = source
            .get(at..end)
            .and_then(|text| text.find('\n'))
            .map_or(end, |line| at.saturating_add(line).saturating_add(1));
    } else if matches!(style, Style::SingleQuoted | Style::DoubleQuoted) {
        at = at.saturating_add(1);
        end = end.saturating_sub(1);
    }
    // The indentation: the extra spaces of a line in the text compared with the same line of the string. The first non-empty line
    // decides.
    let blanks = |text: &str| {
        let line = text
            .lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default();
        line.len()
            .saturating_sub(line.trim_start_matches(' ').len())
    };
    let indent = blanks(source.get(at..end).unwrap_or_default()).saturating_sub(blanks(text));
    let escapes = style == Style::DoubleQuoted;
    let mut places = Places::default();
    let mut at_line = block;
    for c in text.chars() {
        if at_line && block {
            let blanks = (at..end.min(at.saturating_add(indent)))
                .take_while(|at| byte(*at) == b' ')
                .count();
            at = at.saturating_add(blanks);
        }
        let blank = matches!(c, ' ' | '\t' | '\n' | '\r');
        while at < end {
            let skipped = match byte(at) {
                // An escaped line break.
                b'\\' if escapes && matches!(byte(at.saturating_add(1)), b'\n' | b'\r') => 1,
                b' ' | b'\t' | b'\n' | b'\r' if !blank => 1,
                b' ' | b'\t' | b'\r' if c == '\n' => 1,
                _ => 0,
            };
            if skipped == 0 {
                break;
            }
            at = at.saturating_add(skipped);
        }
        places
            .starts
            .extend(std::iter::repeat_n(saturated(at.min(end)), c.len_utf8()));
        at_line = byte(at) == b'\n';
        let width = match byte(at) {
            b'\\' if escapes => escape(source.get(at..end).unwrap_or_default()),
            b'\'' if style == Style::SingleQuoted => 2,
            _ => source
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8),
        };
        at = at.saturating_add(width).min(end);
        places
            .ends
            .extend(std::iter::repeat_n(saturated(at), c.len_utf8()));
    }
    places.starts.push(saturated(at));
    places
}

/// Returns the length of an escape in bytes; a surrogate pair counts as one escape.
fn escape(text: &str) -> usize {
    match text.as_bytes().get(1) {
        Some(b'x') => 4,
        Some(b'u') => {
            let unit = |from: usize| {
                text.get(from..from.saturating_add(4))
                    .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            };
            let pair = matches!(unit(2), Some(0xd800..=0xdbff)) && text.get(6..8) == Some("\\u");
            if pair { 12 } else { 6 }
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
