//! Reads the common form of manifests from text to tree in one pass: indented mappings and sequences, flow collections on one
//! line, plain keys, and plain, quoted and block scalars as values.
//!
//! If a text has anything else, including mistakes, the full reader reads it from the start. Both readers give exactly the same
//! tree.

use super::chars::{self, StopClass};
use super::compose::{self, Bounds, ComposeNotes};
use super::parser::Reader;
use super::resolve::{self, ScalarValue};
use super::scanner::Scanner;
use super::token::YamlToken;
use crate::source::Span;
use crate::tree::{Entry, Kind, Node, NodeId, Str, Style, Tree};

/// The maximum key length here, in bytes. YAML allows implicit keys of 1024 characters.
const LONGEST_KEY: usize = 128;
/// The maximum nesting here.
const DEEPEST: usize = 64;

/// An open collection of block style.
struct Open {
    node: NodeId,
    /// Its column. A sequence may have the same column as the mapping around it.
    column: usize,
    /// For mappings: the key whose value is being read.
    key: Option<(Str, Span)>,
    map: bool,
    /// Its first item or entry.
    first: usize,
}

struct Quick<'q, 's> {
    scanner: &'q mut Scanner<'s>,
    tree: &'q mut Tree<'s>,
    bytes: &'s [u8],
    pos: usize,
    /// The start of the line.
    line: usize,
    /// True if only spaces are before `pos` on its line.
    fresh: bool,
    open: Vec<Open>,
    items: Vec<NodeId>,
    entries: Vec<Entry>,
    bounds: Bounds,
}

/// Reads the reader's part up to byte `end`, if it has the common form. Otherwise returns `None` and leaves partial results in
/// the tree and the reader's buffers.
pub(super) fn read<'s>(
    reader: &mut Reader<'s>,
    tree: &mut Tree<'s>,
    end: usize,
    bounds: Bounds,
) -> Option<ComposeNotes> {
    let scanner = &mut reader.scanner;
    if scanner.refused {
        return None;
    }
    let (bytes, pos, line) = (scanner.bytes, scanner.pos, scanner.line_start);
    tree.reserve(end.saturating_sub(pos));
    let (open, items, entries) = (Vec::with_capacity(8), Vec::new(), Vec::with_capacity(16));
    let mut quick = Quick {
        scanner,
        tree,
        bytes,
        pos,
        line,
        fresh: true,
        open,
        items,
        entries,
        bounds,
    };
    let root = quick.document()?;
    Some(ComposeNotes {
        root: Some(root),
        end: Some((u32::try_from(end).ok()?, false)),
        ..ComposeNotes::default()
    })
}

impl Quick<'_, '_> {
    /// Returns the byte `ahead` of here; a line break at the end.
    #[inline]
    fn at(&self, ahead: usize) -> u8 {
        self.bytes
            .get(self.pos.wrapping_add(ahead))
            .copied()
            .unwrap_or(b'\n')
    }

    #[inline]
    fn skip(&mut self, count: usize) {
        self.pos = self.pos.wrapping_add(count);
    }

    #[inline]
    fn column(&self) -> usize {
        self.pos.wrapping_sub(self.line)
    }

    #[inline]
    fn is_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    #[inline]
    fn rest(&self) -> &[u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        while self.at(0) == b' ' {
            self.skip(1);
        }
    }

    /// Returns true at a blank or the end of the line `ahead` of here.
    fn is_gap(&self, ahead: usize) -> bool {
        matches!(self.at(ahead), b' ' | b'\n')
    }

    /// Steps over blanks, comments and line breaks.
    fn next(&mut self) -> Option<()> {
        loop {
            self.blanks();
            match self.at(0) {
                b'\n' if self.is_end() => return Some(()),
                b'\n' => {
                    self.skip(1);
                    self.line = self.pos;
                    self.fresh = true;
                }
                b'#' => {
                    let start = self.pos;
                    self.with_scanner(|scanner| scanner.skip_line_text());
                    self.scanner.comments.push((start as u32, self.pos as u32));
                    if self.at(0) != b'\n' {
                        return None;
                    }
                }
                _ => return Some(()),
            }
        }
    }

    /// Lets the scanner read from here.
    fn with_scanner<T>(&mut self, read: impl FnOnce(&mut Scanner<'_>) -> T) -> T {
        self.scanner.pos = self.pos;
        self.scanner.line_start = self.line;
        self.scanner.wide = 0;
        self.scanner.indent = self
            .open
            .last()
            .map_or(-1, |open| i32::try_from(open.column).unwrap_or(i32::MAX));
        let outcome = read(self.scanner);
        (self.pos, self.line) = (self.scanner.pos, self.scanner.line_start);
        outcome
    }

    fn document(&mut self) -> Option<NodeId> {
        self.next()?;
        if self.column() == 0 && self.rest().starts_with(b"---") {
            self.skip(3);
            self.fresh = false;
            if !self.is_gap(0) {
                return None;
            }
            self.next()?;
        }
        if self.is_end() || !self.fresh || !self.begin()? {
            return None;
        }
        loop {
            self.value()?;
            if self.tree.len() > self.bounds.nodes {
                return None;
            }
            // After a value: finds the innermost collection that continues with an entry.
            loop {
                self.next()?;
                if !self.is_end() && !self.fresh {
                    return None;
                }
                let here = if self.is_end() {
                    None
                } else {
                    Some(self.column())
                };
                let dash = self.at(0) == b'-' && self.is_gap(1);
                let open = self.open.last()?;
                let goes_on = here == Some(open.column) && (open.map || dash);
                if goes_on {
                    break;
                }
                // A sequence in the same column as its mapping ends at the next key.
                let ends = here
                    .is_none_or(|here| here < open.column || (here == open.column && !open.map));
                if !ends {
                    return None;
                }
                let node = self.close()?;
                match self.open.last() {
                    Some(around) if here.is_some_and(|here| here > around.column) => return None,
                    Some(_) => self.put(node),
                    None if here.is_none() => return Some(node),
                    None => return None,
                }
            }
            if self.open.last()?.map {
                let key = self.key(StopClass::PLAIN)?;
                self.open.last_mut()?.key = Some(key);
            } else {
                self.skip(1);
            }
        }
    }

    /// Opens the block collection that begins here and reads past its first `-` or `:`; false if none begins here.
    fn begin(&mut self) -> Option<bool> {
        let (start, column) = (self.pos, self.column());
        let dash = self.at(0) == b'-' && self.is_gap(1);
        let (key, first) = if dash {
            self.skip(1);
            (None, self.items.len())
        } else {
            let key = self.key(StopClass::PLAIN);
            if key.is_none() {
                self.pos = start;
                return Some(false);
            }
            self.fresh = false;
            (key, self.entries.len())
        };
        if self.open.len() >= DEEPEST.min(self.bounds.depth) {
            return None;
        }
        // The span of a sequence in its mapping's column begins after the first `-`; the span of any other collection at its
        // first item.
        let indentless = dash
            && self
                .open
                .last()
                .is_some_and(|around| around.map && around.column == column);
        let span = Span::new(start, if indentless { self.pos } else { start });
        let node = self.tree.add(Kind::Null, span, Style::Block);
        self.open.push(Open {
            node,
            column,
            key,
            map: !dash,
            first,
        });
        Some(true)
    }

    /// Reads the value after a `-` or `:`. Opens block collections until it has read a scalar or a flow collection.
    fn value(&mut self) -> Option<()> {
        loop {
            let mark = self.pos;
            let sequence = !self.open.last()?.map;
            self.fresh = false;
            // Most values follow a single space.
            if self.at(0) == b' ' && !matches!(self.at(1), b' ' | b'\n' | b'#') {
                self.skip(1);
            } else {
                self.next()?;
            }
            let around = self.open.last()?;
            let column = self.column();
            let dash = self.at(0) == b'-' && self.is_gap(1);
            let deeper = column > around.column || (column == around.column && around.map && dash);
            if self.is_end() || (self.fresh && !deeper) {
                let node = self.tree.add(Kind::Null, Span::at(mark), Style::Plain);
                self.put(node);
                return Some(());
            }
            // A key or a `-` begins a line or follows a `-`.
            if (self.fresh || sequence) && self.begin()? {
                continue;
            }
            let node = match self.at(0) {
                b'[' | b'{' => self.flow(0)?,
                b'|' | b'>' => {
                    let literal = self.at(0) == b'|';
                    let token = self
                        .with_scanner(|scanner| scanner.scan_block_scalar(literal))
                        .ok()?;
                    self.fresh = true;
                    self.scalar(&token)
                }
                b'"' | b'\'' => self.quoted()?,
                byte if chars::is_indicator(byte) && (byte != b'-' || self.is_gap(1)) => {
                    return None;
                }
                _ => self.plain()?,
            };
            self.put(node);
            return Some(());
        }
    }

    /// Reads a plain key on one line, and its `:`.
    fn key(&mut self, stop: StopClass) -> Option<(Str, Span)> {
        let start = self.pos;
        if chars::is_indicator(self.at(0)) {
            return None;
        }
        let line = self.rest();
        let head = line.get(..LONGEST_KEY).unwrap_or(line);
        let mut length = stop.run(head);
        while line.get(length) == Some(&b':') && !self.is_gap(length.wrapping_add(1)) {
            length = length.wrapping_add(1);
            length = length.wrapping_add(stop.run(head.get(length..)?));
        }
        self.skip(length);
        if self.at(0) != b':' {
            return None;
        }
        let span = Span::new(start, self.pos);
        let text = self.scanner.source(start, self.pos);
        if text == "<<" || resolve::plain(text) != ScalarValue::Text {
            return None;
        }
        self.skip(1);
        Some((Str::Source(span), span))
    }

    /// Reads a plain scalar in block context.
    fn plain(&mut self) -> Option<NodeId> {
        let start = self.pos;
        let end = self.plain_line(StopClass::PLAIN)?;
        if self.at(0) == b'\n' && self.goes_on() {
            self.pos = start;
            let token = self
                .with_scanner(|scanner| scanner.scan_plain_scalar())
                .ok()?;
            // If only a line break of another kind follows, the scalar may be a word or a number.
            if !token.value.buffered {
                return None;
            }
            self.fresh = self.line > token.end.offset as usize;
            return Some(self.scalar(&token));
        }
        self.plain_node(start, end)
    }

    /// Steps over plain text on one line and the blanks after it; returns the end of the text.
    fn plain_line(&mut self, stop: StopClass) -> Option<usize> {
        loop {
            self.skip(stop.run(self.rest()));
            match self.at(0) {
                b':' if !self.is_gap(1) => {
                    self.skip(1);
                    continue;
                }
                b'\t' | b'\r' => return None,
                0x80.. => {
                    if self.with_scanner(|scanner| scanner.is_break(0)) {
                        return None;
                    }
                    self.skip(chars::width(self.at(0)));
                    continue;
                }
                _ => {}
            }
            let end = self.pos;
            self.blanks();
            if self.pos == end
                || matches!(self.at(0), b'\n' | b'#')
                || stop.at(self.at(0)) && self.at(0) < 0x80
            {
                return Some(end);
            }
        }
    }

    /// Returns true if a plain scalar on this line may continue on the next non-empty line.
    fn goes_on(&self) -> bool {
        let Some(open) = self.open.last() else {
            return true;
        };
        let mut line = self.pos.wrapping_add(1);
        let mut at = line;
        loop {
            match self.bytes.get(at) {
                None => return false,
                Some(b' ') => at = at.wrapping_add(1),
                Some(b'\n') => {
                    at = at.wrapping_add(1);
                    line = at;
                }
                Some(b'#') => return false,
                Some(_) => return at.wrapping_sub(line) > open.column,
            }
        }
    }

    fn plain_node(&mut self, start: usize, end: usize) -> Option<NodeId> {
        let text = self.scanner.source(start, end);
        let span = Span::new(start, end);
        let kind = match resolve::plain(text) {
            ScalarValue::Null => Kind::Null,
            ScalarValue::Bool(value) => Kind::Bool(value),
            ScalarValue::Int(value) => Kind::Int(value),
            ScalarValue::Uint(value) => Kind::Uint(value),
            ScalarValue::Float(value) if value.is_finite() => Kind::Float(value),
            ScalarValue::Float(_) => return None,
            ScalarValue::Text => Kind::Str(Str::Source(span)),
        };
        Some(self.tree.add(kind, span, Style::Plain))
    }

    /// Reads a scalar in quotes.
    fn quoted(&mut self) -> Option<NodeId> {
        let start = self.pos;
        let quote = self.at(0);
        let text = self.bytes.get(start.wrapping_add(1)..)?;
        let length = text
            .iter()
            .position(|&b| b == quote || b == b'\\' || !(b' '..0x80).contains(&b))?;
        let close = start.wrapping_add(1).wrapping_add(length);
        if text.get(length) == Some(&quote)
            && (quote == b'"' || text.get(length.wrapping_add(1)) != Some(&quote))
        {
            self.pos = close.wrapping_add(1);
            let value = Str::Source(Span::new(start.wrapping_add(1), close));
            return Some(self.tree.add(
                Kind::Str(value),
                Span::new(start, self.pos),
                quoted_style(quote),
            ));
        }
        let token = self
            .with_scanner(|scanner| scanner.scan_quoted_scalar(quote == b'\''))
            .ok()?;
        Some(self.scalar(&token))
    }

    /// Makes the node of a scalar that the scanner read. It is a string, because other plain values have one line.
    fn scalar(&mut self, token: &YamlToken) -> NodeId {
        let span = Span {
            start: token.start.offset,
            end: token.end.offset,
        };
        let text = compose::str_of(token.value);
        self.tree
            .add(Kind::Str(text), span, compose::style(token.style))
    }

    /// Reads a flow collection on one line.
    fn flow(&mut self, depth: usize) -> Option<NodeId> {
        if depth.wrapping_add(self.open.len()) >= DEEPEST.min(self.bounds.depth) {
            return None;
        }
        let start = self.pos;
        let map = self.at(0) == b'{';
        let close = if map { b'}' } else { b']' };
        let node = self
            .tree
            .add(Kind::Null, Span::new(start, start), Style::Flow);
        let first = if map {
            self.entries.len()
        } else {
            self.items.len()
        };
        self.skip(1);
        self.blanks();
        while self.at(0) != close {
            let key = if map {
                Some(self.key(StopClass::PLAIN_IN_FLOW)?)
            } else {
                None
            };
            if map && self.at(0) != b' ' {
                return None;
            }
            self.blanks();
            let value = match self.at(0) {
                b'[' | b'{' => self.flow(depth.wrapping_add(1))?,
                b'"' | b'\'' => self.quoted()?,
                byte if chars::is_indicator(byte) => return None,
                _ => {
                    let start = self.pos;
                    let end = self.plain_line(StopClass::PLAIN_IN_FLOW)?;
                    self.plain_node(start, end)?
                }
            };
            match key {
                Some((key, key_span)) => {
                    self.entries.push(Entry {
                        key,
                        key_span,
                        value,
                        shadowed: false,
                        merged: false,
                    });
                }
                None => self.items.push(value),
            }
            self.blanks();
            if self.at(0) == b',' {
                self.skip(1);
                self.blanks();
            } else if self.at(0) != close {
                return None;
            }
        }
        self.skip(1);
        let kind = if map {
            self.tree.store_entries(self.entries.drain(first..))
        } else {
            self.tree.store_items(self.items.drain(first..))
        };
        let span = Span::new(start, self.pos);
        self.tree.set(
            node,
            Node {
                span,
                kind,
                style: Style::Flow,
                properties: Span::default(),
            },
        );
        Some(node)
    }

    /// Puts a finished node in its place: an item, or the value of the pending key.
    #[inline(always)]
    fn put(&mut self, value: NodeId) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        match open.key.take() {
            Some((key, key_span)) => self.entries.push(Entry {
                key,
                key_span,
                value,
                shadowed: false,
                merged: false,
            }),
            None => self.items.push(value),
        }
    }

    /// Closes the innermost collection: it ends where its last value ends.
    fn close(&mut self) -> Option<NodeId> {
        let Open {
            node, map, first, ..
        } = self.open.pop()?;
        let (kind, last) = if map {
            let last = self.entries.last()?.value;
            (self.tree.store_entries(self.entries.drain(first..)), last)
        } else {
            let last = *self.items.last()?;
            (self.tree.store_items(self.items.drain(first..)), last)
        };
        let mut whole = self.tree.node(node);
        whole.kind = kind;
        whole.span.end = whole.span.end.max(self.tree.span(last).end);
        self.tree.set(node, whole);
        Some(node)
    }
}

fn quoted_style(quote: u8) -> Style {
    if quote == b'"' {
        Style::DoubleQuoted
    } else {
        Style::SingleQuoted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if this reader reads the text; the full reader must then give the same tree.
    #[track_caller]
    fn agrees(text: &str) -> bool {
        let mut reader = Reader::part(text, 0, text.len(), true);
        let mut tree = Tree::new(text);
        let Some(found) = read(&mut reader, &mut tree, text.len(), Bounds::default()) else {
            return false;
        };
        let quick = (format!("{tree:?} {found:?}"), reader.take_parts());
        let mut reader = Reader::part(text, 0, text.len(), true);
        let mut tree = Tree::new(text);
        let found = compose::compose(&mut reader, &mut tree, text.len(), Bounds::default());
        let found = found.unwrap_or_else(|error| panic!("{text:?} is refused: {error}"));
        assert_eq!(
            quick,
            (format!("{tree:?} {found:?}"), reader.take_parts()),
            "{text:?}"
        );
        true
    }

    const SEEDS: &[&str] = &[
        "# c\napiVersion: v1 # d\nkind: Claim\nmetadata:\n  name: a-b\n  labels:\n    a.b/c: x\n    d: 'e'\nspec:\n  e: >-\n    f g\n    h\n",
        "---\na:\n- b: c\n  d: [1, b c, \"e\", 'f', [], {g: h, i: [j]}]\n-\n  k: 1.5\n- - l\n  - m\no: true\n",
        "a:\n  - b\n  - c: |\n      d\n\n      e\n    f:\n  - \ng: {}\nh: ~\n\ni: j k\n  l\n  m # n\n",
        "- a: b:c\n  d: 'e'\n- \"f\\tg\"\n- h#i #j\n- k: 0x1f\n  l: \"m\n    n\"\n- - - o\n",
        "  a: b\n  c: é d\n  e:\n    f: g\n  h: 'i''j'\n  j: off\n  k2: 3\n",
        "a: {b: c}\nd:\n  on: e\n  2: 3\n  <<: {a: b}\n",
        "a: &x b\nc: *x\nd: !!str 1\n? e\n: f\n...\ng: h\n",
    ];

    #[test]
    fn reads_the_common_shape() {
        for text in SEEDS.iter().take(5) {
            assert!(agrees(text), "{text}");
        }
        for text in SEEDS.iter().skip(5) {
            assert!(!agrees(text), "{text}");
        }
    }

    /// Checks that unusual texts are left to the full reader.
    #[test]
    fn leaves_the_rest_alone() {
        for text in [
            "",
            "a",
            "- ",
            "a: b: c",
            "a: - b",
            "a:\tb",
            "a: b\r\n",
            "a: 1\n b: 2",
            "a:\n  b: 1\n c: 2",
            "a: [b\n]",
            "a: .inf",
            "y: 1",
            "{a: b}",
            "a: b\n--- c",
            "a: b\n...",
            "a: @",
            "a: 'b' c",
            "a: [b]c",
            "a: {b}",
            "a: b\n\tc: d",
            "a: |\n    b\n  c: d",
            "a: b\u{85}",
        ] {
            assert!(!agrees(text) || text == "- ", "{text:?}");
        }
    }

    /// Checks with realistic texts that have many mistakes: the full reader gives the same tree for each text that is read here.
    #[test]
    fn the_full_reader_gives_the_same_tree() {
        const PIECES: &[&str] = &[
            " ", "  ", "\n", "\n  ", "\n    ", "\n- ", "- ", "-", ":", ": ", "a", "b: ", "c:",
            "\n  d: e", "'", "\"", "#", " #f", "[", "]", "{", "}", ",", ", ", "|", ">-", "|2",
            "\n\n", "\t", "\r", "é", "\u{85}", "\u{2028}", "1", "-1", "0.5", "~", "null", "y", "?",
            "&g ", "*g", "!", "%", "@", "`", "<<", "...", "---", "\\", "\\n", "''", "\u{feff}",
        ];
        const ROUNDS: usize = 40_000;
        let mut state = 1u64;
        let mut below = |count: usize| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) as usize % count.max(1)
        };
        let mut read = 0;
        for _ in 0..ROUNDS {
            let mut text: Vec<char> = SEEDS[below(SEEDS.len())].chars().collect();
            for _ in 0..=below(3) {
                let at = below(text.len() + 1);
                let to = text.len().min(at + below(9));
                match below(4) {
                    0 => drop(text.drain(at..to)),
                    1 => {
                        let copied: Vec<char> = text[at..to].to_vec();
                        let to = below(text.len() + 1);
                        drop(text.splice(to..to, copied));
                    }
                    _ => drop(text.splice(at..at, PIECES[below(PIECES.len())].chars())),
                }
            }
            let text: String = text.into_iter().collect();
            read += usize::from(agrees(&text));
        }
        assert!(read > ROUNDS / 10, "{read}");
    }
}
