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
        frames: Vec::new(),
        items: Vec::new(),
        entries: Vec::new(),
    };
    reader.value(max_depth)
}

struct Reader<'t, 's> {
    bytes: &'s [u8],
    at: usize,
    tree: &'t mut Tree<'s>,
    /// The lists and objects that are open.
    frames: Vec<Frame>,
    /// The items and entries of all that is open; each frame knows where its own begin.
    items: Vec<NodeId>,
    entries: Vec<Entry>,
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
        self.walk(max_depth).map_err(|mut error| {
            if error.opened.is_none() {
                error.opened = self.frames.last().map(|frame| match *frame {
                    Frame::Seq { start, .. } | Frame::Map { start, .. } => start,
                });
            }
            error
        })
    }

    fn walk(&mut self, max_depth: usize) -> Result<(NodeId, usize), JsonError> {
        loop {
            let Some(mut done) = self.begin_value(max_depth)? else {
                continue;
            };
            // After a value: closes the lists and objects that end here.
            loop {
                let closed = match self.frames.last_mut() {
                    None => return Ok((done, self.at)),
                    Some(Frame::Seq { start, items }) => {
                        let (start, first) = (*start, *items);
                        self.items.push(done);
                        self.after_item(start, first)?
                    }
                    Some(Frame::Map {
                        start,
                        entries,
                        key,
                    }) => {
                        let (start, first) = (*start, *entries);
                        self.entries.push(Entry {
                            key: key.0,
                            key_span: key.1,
                            value: done,
                            shadowed: false,
                            merged: false,
                        });
                        self.after_entry(start, first)?
                    }
                };
                match closed {
                    Some(closed) => done = closed,
                    None => break,
                }
            }
        }
    }

    /// Reads a scalar or an empty list or object; `None` if a list or object has begun that has something in it.
    fn begin_value(&mut self, max_depth: usize) -> Result<Option<NodeId>, JsonError> {
        self.space();
        let start = self.at;
        let opening = match self.peek() {
            Some(byte @ (b'{' | b'[')) => byte,
            _ => return self.scalar().map(Some),
        };
        if self.frames.len() >= max_depth {
            return self.fail("exceeded max depth");
        }
        self.step();
        self.space();
        let (is_map, next) = (opening == b'{', self.peek());
        if is_map && next == Some(b'}') {
            self.step();
            let kind = self.tree.store_entries([]);
            Ok(Some(self.add_collection(kind, start)))
        } else if is_map {
            self.frames.push(Frame::Map {
                start,
                entries: self.entries.len(),
                key: (Str::Source(Span::at(start)), Span::at(start)),
            });
            self.key()?;
            Ok(None)
        } else if next == Some(b']') {
            self.step();
            let kind = self.tree.store_items([]);
            Ok(Some(self.add_collection(kind, start)))
        } else {
            self.frames.push(Frame::Seq {
                start,
                items: self.items.len(),
            });
            Ok(None)
        }
    }

    /// Reads the comma behind an item, or the end of its list: then returns the list.
    fn after_item(&mut self, start: usize, first: usize) -> Result<Option<NodeId>, JsonError> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.step();
                Ok(None)
            }
            Some(b']') => {
                self.step();
                self.frames.pop();
                let kind = self.tree.store_items(self.items.drain(first..));
                Ok(Some(self.add_collection(kind, start)))
            }
            _ => self.fail("after array element"),
        }
    }

    /// Reads the comma behind an entry and the next key, or the end of its object: then returns the object.
    fn after_entry(&mut self, start: usize, first: usize) -> Result<Option<NodeId>, JsonError> {
        self.space();
        match self.peek() {
            Some(b',') => {
                self.step();
                self.space();
                self.key()?;
                Ok(None)
            }
            Some(b'}') => {
                self.step();
                self.frames.pop();
                let kind = self.tree.store_entries(self.entries.drain(first..));
                Ok(Some(self.add_collection(kind, start)))
            }
            _ => self.fail("after object key:value pair"),
        }
    }

    fn add_collection(&mut self, kind: Kind, start: usize) -> NodeId {
        self.tree.add(kind, Span::new(start, self.at), Style::Flow)
    }

    fn key(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b'"') {
            return self.fail("looking for beginning of object key string");
        }
        let start = self.at;
        let text = self.string()?;
        let span = Span::new(start, self.at);
        if let Some(Frame::Map { key, .. }) = self.frames.last_mut() {
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
        self.step();
        self.rest_of_string().map_err(|mut error| {
            error.opened = Some(opened);
            error
        })
    }

    /// Reads a string behind its opening quote, with the closing one.
    fn rest_of_string(&mut self) -> Result<Str, JsonError> {
        let start = self.at;
        let mut decoded: Option<String> = None;
        let mut from = start;
        loop {
            match self.peek() {
                None | Some(0..=0x1f) => return self.fail("in string literal"),
                Some(b'"') => break,
                Some(b'\\') => {
                    let text = decoded.get_or_insert_with(String::new);
                    text.push_str(self.tree.slice(Span::new(from, self.at)));
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
                            let c = self.escape()?;
                            if let Some(text) = decoded.as_mut() {
                                text.push(c);
                            }
                            from = self.at;
                            continue;
                        }
                        _ => return self.fail("in string escape code"),
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
                text.push_str(self.tree.slice(Span::new(from, end)));
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
        let end_of_pair = self.at.saturating_add(6);
        match self.low_surrogate(end_of_pair) {
            None => Ok('\u{fffd}'),
            Some(low) => {
                self.at = end_of_pair;
                let code = 0x10000u32
                    .wrapping_add((high & 0x3ff).wrapping_shl(10))
                    .wrapping_add(low & 0x3ff);
                Ok(char::from_u32(code).unwrap_or('\u{fffd}'))
            }
        }
    }

    /// Returns the second half of a surrogate pair if its escape comes next.
    fn low_surrogate(&self, end: usize) -> Option<u32> {
        let digits = self.bytes.get(self.at..end)?.strip_prefix(br"\u")?;
        if !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let hex = std::str::from_utf8(digits).ok()?;
        let low = u32::from_str_radix(hex, 16).ok()?;
        (0xdc00..0xe000).contains(&low).then_some(low)
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
