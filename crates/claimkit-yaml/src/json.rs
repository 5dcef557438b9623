//! Reads JSON as Go does (encoding/json, scanner.go and decode.go): strict grammar, Go's error phrases, one pass, no recursion.

use std::fmt;

use super::source::Span;
use super::tree::{Entry, Kind, NodeId, Str, Style, Tree};

/// The maximum nesting that Go's decoder accepts.
pub const MAX_DEPTH: usize = 10_000;

/// Why a text is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JsonError {
    /// The byte offset in the file where reading stopped.
    pub offset: usize,
    /// The start of the innermost open list, object or string.
    pub opened: Option<usize>,
    /// Go's phrase, e.g. `invalid character 'x' looking for beginning of value`.
    pub message: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JsonError {}

enum Frame {
    Seq {
        start: usize,
        items: usize,
    },
    Map {
        start: usize,
        entries: usize,
        key: (Str, Span),
    },
}

/// Reads one JSON value that begins at or after byte `at`; returns its node and the byte after it.
///
/// ```
/// use claimkit_yaml::{Tree, json};
///
/// let mut tree = Tree::new("{\"a\": 1}");
/// let (node, end) = json::value(&mut tree, 0, 10).unwrap();
/// assert!(tree.is_map(node));
/// assert_eq!(end, 8);
/// ```
pub fn value(
    tree: &mut Tree<'_>,
    at: usize,
    max_depth: usize,
) -> Result<(NodeId, usize), JsonError> {
    let mut reader = Reader {
        bytes: tree.source().as_bytes(),
        at,
        tree,
    };
    reader.value(max_depth)
}

struct Reader<'t, 's> {
    bytes: &'s [u8],
    at: usize,
    tree: &'t mut Tree<'s>,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn step(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.step();
        }
    }

    fn fail<T>(&self, context: &str) -> Result<T, JsonError> {
        let message = match self
            .tree
            .source()
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        {
            None => "unexpected end of JSON input".to_owned(),
            // Go's scanner works on bytes: a character beyond ASCII is shown by its first byte.
            Some(_) => format!(
                "invalid character {} {context}",
                quote_byte(self.peek().unwrap_or(0))
            ),
        };
        Err(JsonError {
            offset: self.at,
            opened: None,
            message,
        })
    }

    fn value(&mut self, max_depth: usize) -> Result<(NodeId, usize), JsonError> {
        let mut frames: Vec<Frame> = Vec::new();
        let mut items: Vec<NodeId> = Vec::new();
        let mut entries: Vec<Entry> = Vec::new();
        let result = self.walk(max_depth, &mut frames, &mut items, &mut entries);
        result.map_err(|mut error| {
            if error.opened.is_none() {
                error.opened = frames.last().map(|frame| match *frame {
                    Frame::Seq { start, .. } | Frame::Map { start, .. } => start,
                });
            }
            error
        })
    }

    fn walk(
        &mut self,
        max_depth: usize,
        frames: &mut Vec<Frame>,
        items: &mut Vec<NodeId>,
        entries: &mut Vec<Entry>,
    ) -> Result<(NodeId, usize), JsonError> {
        loop {
            // A value begins here.
            self.space();
            let start = self.at;
            let mut done = match self.peek() {
                Some(b'{') | Some(b'[') => {
                    if frames.len() >= max_depth {
                        return self.fail("exceeded max depth");
                    }
                    let map = self.peek() == Some(b'{');
                    self.step();
                    self.space();
                    if map {
                        if self.peek() == Some(b'}') {
                            self.step();
                            let kind = self.tree.store_entries([]);
                            self.tree.add(kind, Span::new(start, self.at), Style::Flow)
                        } else {
                            frames.push(Frame::Map {
                                start,
                                entries: entries.len(),
                                key: (Str::Source(Span::at(start)), Span::at(start)),
                            });
                            self.key(frames, "looking for beginning of object key string")?;
                            continue;
                        }
                    } else if self.peek() == Some(b']') {
                        self.step();
                        let kind = self.tree.store_items([]);
                        self.tree.add(kind, Span::new(start, self.at), Style::Flow)
                    } else {
                        frames.push(Frame::Seq {
                            start,
                            items: items.len(),
                        });
                        continue;
                    }
                }
                _ => self.scalar()?,
            };
            // After a value: closes the lists and objects that end here.
            loop {
                match frames.last_mut() {
                    None => return Ok((done, self.at)),
                    Some(Frame::Seq {
                        start,
                        items: first,
                    }) => {
                        items.push(done);
                        let (start, first) = (*start, *first);
                        self.space();
                        match self.peek() {
                            Some(b',') => {
                                self.step();
                                break;
                            }
                            Some(b']') => {
                                self.step();
                                frames.pop();
                                let kind = self.tree.store_items(items.drain(first..));
                                done = self.tree.add(kind, Span::new(start, self.at), Style::Flow);
                            }
                            _ => return self.fail("after array element"),
                        }
                    }
                    Some(Frame::Map {
                        start,
                        entries: first,
                        key,
                    }) => {
                        entries.push(Entry {
                            key: key.0,
                            key_span: key.1,
                            value: done,
                            shadowed: false,
                            merged: false,
                        });
                        let (start, first) = (*start, *first);
                        self.space();
                        match self.peek() {
                            Some(b',') => {
                                self.step();
                                self.space();
                                self.key(frames, "looking for beginning of object key string")?;
                                break;
                            }
                            Some(b'}') => {
                                self.step();
                                frames.pop();
                                let kind = self.tree.store_entries(entries.drain(first..));
                                done = self.tree.add(kind, Span::new(start, self.at), Style::Flow);
                            }
                            _ => return self.fail("after object key:value pair"),
                        }
                    }
                }
            }
        }
    }

    fn key(&mut self, frames: &mut [Frame], context: &str) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return self.fail(context);
        }
        let start = self.at;
        let text = self.string()?;
        let span = Span::new(start, self.at);
        if let Some(Frame::Map { key, .. }) = frames.last_mut() {
            *key = (text, span);
        }
        self.space();
        if self.peek() != Some(b':') {
            return self.fail("after object key");
        }
        self.step();
        Ok(())
    }

    fn scalar(&mut self) -> Result<NodeId, JsonError> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                Ok(self.tree.add(
                    Kind::Str(text),
                    Span::new(start, self.at),
                    Style::DoubleQuoted,
                ))
            }
            Some(b't') => self.word("true", Kind::Bool(true)),
            Some(b'f') => self.word("false", Kind::Bool(false)),
            Some(b'n') => self.word("null", Kind::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.fail("looking for beginning of value"),
        }
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<NodeId, JsonError> {
        let start = self.at;
        self.step();
        for expected in word.bytes().skip(1) {
            if self.peek() != Some(expected) {
                return self.fail(&format!(
                    "in literal {word} (expecting {})",
                    quote_byte(expected)
                ));
            }
            self.step();
        }
        Ok(self.tree.add(kind, Span::new(start, self.at), Style::Plain))
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.step();
        }
    }

    fn number(&mut self) -> Result<NodeId, JsonError> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.step();
        }
        match self.peek() {
            Some(b'0') => self.step(),
            Some(b'1'..=b'9') => self.digits(),
            _ => return self.fail("in numeric literal"),
        }
        if self.peek() == Some(b'.') {
            self.step();
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.fail("after decimal point in numeric literal");
            }
            self.digits();
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.step();
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.step();
            }
            if !matches!(self.peek(), Some(b'0'..=b'9')) {
                return self.fail("in exponent of numeric literal");
            }
            self.digits();
        }
        let span = Span::new(start, self.at);
        Ok(self.tree.add(Kind::Number(span), span, Style::Plain))
    }

    /// Reads a string; the next byte is its opening quote.
    fn string(&mut self) -> Result<Str, JsonError> {
        let opened = self.at;
        let close = |mut error: JsonError| {
            error.opened = Some(opened);
            error
        };
        self.step();
        let start = self.at;
        let mut decoded: Option<String> = None;
        let mut from = start;
        loop {
            match self.peek() {
                None | Some(0..=0x1f) => return self.fail("in string literal").map_err(close),
                Some(b'"') => break,
                Some(b'\\') => {
                    let text = decoded.get_or_insert_with(String::new);
                    text.push_str(self.tree.source().get(from..self.at).unwrap_or(""));
                    self.step();
                    let c = match self.peek() {
                        Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
                        Some(b'b') => '\u{8}',
                        Some(b'f') => '\u{c}',
                        Some(b'n') => '\n',
                        Some(b'r') => '\r',
                        Some(b't') => '\t',
                        Some(b'u') => {
                            self.step();
                            let c = self.escape().map_err(close)?;
                            if let Some(text) = decoded.as_mut() {
                                text.push(c);
                            }
                            from = self.at;
                            continue;
                        }
                        _ => return self.fail("in string escape code").map_err(close),
                    };
                    text.push(c);
                    self.step();
                    from = self.at;
                }
                Some(_) => self.step(),
            }
        }
        let end = self.at;
        self.step();
        Ok(match decoded {
            None => Str::Source(Span::new(start, end)),
            Some(mut text) => {
                text.push_str(self.tree.source().get(from..end).unwrap_or(""));
                self.tree.store(&text)
            }
        })
    }

    fn hex(&mut self) -> Result<u32, JsonError> {
        let mut code = 0u32;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|b| char::from(b).to_digit(16)) else {
                return self.fail(r"in \u hexadecimal character escape");
            };
            code = code.wrapping_shl(4) | digit;
            self.step();
        }
        Ok(code)
    }

    /// Reads the rest of a `\u` escape. An unpaired surrogate becomes U+FFFD, as in Go.
    fn escape(&mut self) -> Result<char, JsonError> {
        let high = self.hex()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(char::from_u32(high).unwrap_or('\u{fffd}'));
        }
        let pair = self.at..self.at.saturating_add(6);
        let low = self
            .bytes
            .get(pair.clone())
            .and_then(|b| b.strip_prefix(br"\u"))
            .and_then(|b| std::str::from_utf8(b).ok())
            .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .filter(|low| (0xdc00..0xe000).contains(low));
        match low {
            None => Ok('\u{fffd}'),
            Some(low) => {
                self.at = pair.end;
                let code = 0x10000u32
                    .wrapping_add((high & 0x3ff).wrapping_shl(10))
                    .wrapping_add(low & 0x3ff);
                Ok(char::from_u32(code).unwrap_or('\u{fffd}'))
            }
        }
    }
}

/// Writes a byte as Go's JSON scanner shows it: `'x'`, with `'\''`, `'"'` and escapes of its own.
///
/// ```
/// assert_eq!(claimkit_yaml::json::quote_byte(b'x'), "'x'");
/// ```
pub fn quote_byte(byte: u8) -> String {
    match byte {
        b'\'' => r"'\''".to_owned(),
        b'"' => r#"'"'"#.to_owned(),
        b'\\' => r"'\\'".to_owned(),
        b'\n' => r"'\n'".to_owned(),
        b'\r' => r"'\r'".to_owned(),
        b'\t' => r"'\t'".to_owned(),
        0x07 => r"'\a'".to_owned(),
        0x08 => r"'\b'".to_owned(),
        0x0b => r"'\v'".to_owned(),
        0x0c => r"'\f'".to_owned(),
        0x20..=0x7e => format!("'{}'", char::from(byte)),
        0x00..=0x1f | 0x7f => format!(r"'\x{byte:02x}'"),
        // A byte >= 0x80 is shown as the Latin-1 character, escaped where Go finds it unprintable.
        0x80..=0xa0 | 0xad => format!(r"'\u{:04x}'", u32::from(byte)),
        _ => format!("'{}'", char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail(text: &str) -> String {
        let mut tree = Tree::new(text);
        value(&mut tree, 0, MAX_DEPTH).unwrap_err().message
    }

    #[test]
    fn speaks_like_go() {
        assert_eq!(
            fail("{,}"),
            "invalid character ',' looking for beginning of object key string"
        );
        assert_eq!(fail("[1 2]"), "invalid character '2' after array element");
        assert_eq!(fail("{\"a\":1"), "unexpected end of JSON input");
        assert_eq!(
            fail("tru}"),
            "invalid character '}' in literal true (expecting 'e')"
        );
        assert_eq!(
            fail(&"[".repeat(10_001)),
            "invalid character '[' exceeded max depth"
        );
    }

    #[test]
    fn reads_escapes_and_duplicates() {
        let mut tree = Tree::new(r#"{"a":"\ud83d\ude00\ud800x","a":[1,2.50,{}]}"#);
        let (root, end) = value(&mut tree, 0, MAX_DEPTH).unwrap();
        assert_eq!(end, tree.source().len());
        let entries = tree.entries(root).to_vec();
        assert!(entries[0].shadowed && !entries[1].shadowed);
        assert_eq!(tree.str(entries[0].value), Some("😀\u{fffd}x"));
        assert_eq!(tree.items(tree.get(root, "a").unwrap()).len(), 3);
    }
}
