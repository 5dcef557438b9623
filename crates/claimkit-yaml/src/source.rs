//! Converts byte offsets to lines and editor positions, and back.

use super::word;
pub use crate::span::Span;
use std::borrow::Cow;
use std::cell::{Cell, OnceCell};

/// A place in the file as editors count: zero-based line, UTF-16 code units in the line, bytes from the start of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Zero-based line; LF, CRLF and CR end a line.
    pub line: u32,
    /// UTF-16 code units from the start of the line.
    pub character: u32,
    /// UTF-8 bytes from the start of the file.
    pub offset: u32,
}

/// Texts with names, to be read one after another: the files of a folder, the tabs of an editor.
///
/// ```
/// use claimkit_yaml::{Source, Sources, Span};
///
/// let mut sources = Sources::default();
/// sources.add("nodes.yaml", "kind: Node\n");
/// sources.add("pod.json", "{\"kind\": \"Pod\"}");
/// let source = Source::new(&sources);
/// let kind = source.text().find("Pod").unwrap();
/// assert_eq!(source.name_of(kind), Some("pod.json"));
/// assert_eq!((source.position(kind).line, source.position(kind).offset), (0, 10));
/// assert_eq!(sources.parts().len(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sources {
    text: String,
    parts: Vec<SourcePart>,
}

/// One text of [`Sources`].
///
/// ```
/// let mut sources = claimkit_yaml::Sources::default();
/// sources.add("a.yaml", "a: 1");
/// let part = &sources.parts()[0];
/// assert_eq!((part.name(), part.span().to()), ("a.yaml", 4));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePart {
    name: String,
    span: Span,
}

impl SourcePart {
    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its bytes in the texts together.
    pub fn span(&self) -> Span {
        self.span
    }
}

impl Sources {
    /// Adds a text. A line end separates it from the one before, so that no line is in two texts.
    pub fn add(&mut self, name: impl Into<String>, text: &str) {
        if !self.parts.is_empty() {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.parts.push(SourcePart {
            name: name.into(),
            span: Span::new(start, self.text.len()),
        });
    }

    /// Returns the texts in order.
    pub fn parts(&self) -> &[SourcePart] {
        &self.parts
    }
}

/// One text without a name, or several with names.
///
/// ```
/// let text = claimkit_yaml::SourceText::from("a: 1");
/// assert_eq!((text.text(), text.parts().len()), ("a: 1", 0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'s> {
    text: &'s str,
    parts: &'s [SourcePart],
}

impl<'s> SourceText<'s> {
    /// Returns all bytes; positions count in them.
    pub fn text(self) -> &'s str {
        self.text
    }

    /// Returns the texts that have names; empty for one text without a name.
    pub fn parts(self) -> &'s [SourcePart] {
        self.parts
    }
}

impl<'s> From<&'s str> for SourceText<'s> {
    fn from(text: &'s str) -> Self {
        SourceText { text, parts: &[] }
    }
}

impl<'s> From<&'s String> for SourceText<'s> {
    fn from(text: &'s String) -> Self {
        SourceText { text, parts: &[] }
    }
}

impl<'s> From<&'s Cow<'_, str>> for SourceText<'s> {
    fn from(text: &'s Cow<'_, str>) -> Self {
        SourceText { text, parts: &[] }
    }
}

impl<'s> From<&'s Sources> for SourceText<'s> {
    fn from(sources: &'s Sources) -> Self {
        SourceText {
            text: &sources.text,
            parts: &sources.parts,
        }
    }
}

/// The text of a file, or of several, and its line starts, computed on first use.
///
/// ```
/// use claimkit_yaml::{Position, Source};
///
/// let source = Source::new("kind: Pod\nname: 😀a\n");
/// let at = source.text().rfind('a').unwrap();
/// assert_eq!(source.position(at), Position { line: 1, character: 8, offset: 20 });
/// assert_eq!(source.offset(1, 8), at);
/// // Editors count UTF-16 code units: the emoji has two, and four bytes.
/// assert_eq!(source.utf16_offset(at), 18);
/// assert_eq!(source.byte_offset(18), at);
/// assert_eq!(source.lines(), [0, 10, 22]);
/// assert_eq!(source.line_of(at), 1);
/// assert_eq!(source.slice(source.line_span(0)), "kind: Pod");
/// assert!(!source.is_plain());
/// assert_eq!((source.parts().len(), source.name_of(at)), (0, None));
/// assert_eq!((source.line_in_file(at), source.utf16_offset_in_file(at)), (1, 18));
/// ```
#[derive(Debug, Clone)]
pub struct Source<'s> {
    text: &'s str,
    parts: &'s [SourcePart],
    lines: OnceCell<Lines>,
    /// The line of the last lookup; the next lookup is usually nearby.
    near: Cell<usize>,
    /// UTF-16 code units before the first character at or after every `BLOCK`th byte; empty if the text is ASCII.
    units: OnceCell<Vec<u32>>,
}

#[derive(Debug, Clone)]
struct Lines {
    /// The start of each line, after LF, CR LF or a single CR.
    starts: Vec<u32>,
    /// True if the text has only printable ASCII and line feeds.
    plain: bool,
}

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let mut lines = Lines {
            starts: Vec::with_capacity((bytes.len() / 32).saturating_add(8)),
            plain: true,
        };
        lines.starts.push(0);
        let (words, tail) = bytes.as_chunks::<8>();
        let mut last = [b' '; 8];
        for (place, byte) in last.iter_mut().zip(tail) {
            *place = *byte;
        }
        let mut base = 0usize;
        for eight in words {
            if word::odd(u64::from_le_bytes(*eight)) != 0 {
                lines.add_lines(bytes, base, *eight);
            }
            base = base.wrapping_add(eight.len());
        }
        lines.add_lines(bytes, base, last);
        lines
    }

    /// Adds the starts of lines that follow a line break in these eight bytes.
    #[inline(always)]
    fn add_lines(&mut self, bytes: &[u8], base: usize, eight: [u8; 8]) {
        let word = u64::from_le_bytes(eight);
        let mut ends = word::equal(word, b'\n');
        if word::control(word) | word::beyond(word) != ends {
            self.plain = false;
            ends |= word::equal(word, b'\r');
        }
        while ends != 0 {
            let within = word::first(ends);
            let next = base.wrapping_add(within).wrapping_add(1);
            if eight.get(within) == Some(&b'\n') || bytes.get(next) != Some(&b'\n') {
                self.starts.push(u32::try_from(next).unwrap_or(u32::MAX));
            }
            ends &= ends.wrapping_sub(1);
        }
    }
}

/// A longer line is counted once in blocks of this size, not from its start for each position.
const BLOCK: usize = 4096;

impl<'s> Source<'s> {
    /// Wraps the whole text of a file, or several texts with names.
    pub fn new(text: impl Into<SourceText<'s>>) -> Self {
        let SourceText { text, parts } = text.into();
        Source {
            text,
            parts,
            lines: OnceCell::new(),
            near: Cell::new(0),
            units: OnceCell::new(),
        }
    }

    /// Returns the whole text.
    pub fn text(&self) -> &'s str {
        self.text
    }

    /// Returns the texts that have names; empty for one text without a name.
    pub fn parts(&self) -> &'s [SourcePart] {
        self.parts
    }

    /// Returns the text that contains a byte offset; `None` for one text without a name.
    fn part_of(&self, offset: usize) -> Option<&'s SourcePart> {
        let after = self
            .parts
            .partition_point(|part| part.span.from() <= offset);
        self.parts.get(after.saturating_sub(1))
    }

    /// Returns the name of the text that contains a byte offset; `None` for one text without a name.
    pub fn name_of(&self, offset: usize) -> Option<&'s str> {
        self.part_of(offset).map(SourcePart::name)
    }

    /// Returns where the file of a byte offset starts.
    fn start_of_file(&self, offset: usize) -> usize {
        self.part_of(offset).map_or(0, |part| part.span.from())
    }

    /// Returns the zero-based line of a byte offset in its file.
    pub fn line_in_file(&self, offset: usize) -> usize {
        let before = match self.start_of_file(offset) {
            0 => 0,
            start => self.line_of(start),
        };
        self.line_of(offset).saturating_sub(before)
    }

    /// Returns the number of UTF-16 code units before a byte offset in its file.
    pub fn utf16_offset_in_file(&self, offset: usize) -> usize {
        let before = match self.start_of_file(offset) {
            0 => 0,
            start => self.utf16_offset(start),
        };
        self.utf16_offset(offset).saturating_sub(before)
    }

    /// Returns the text under a span; empty if the span does not fit.
    pub fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.from()..span.to()).unwrap_or("")
    }

    fn index_of_lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::of(self.text.as_bytes()))
    }

    /// Returns the start of each line, after LF, CR LF or a single CR; the first starts at 0.
    pub fn lines(&self) -> &[u32] {
        &self.index_of_lines().starts
    }

    /// Returns true if the text has only printable ASCII and line feeds.
    pub fn is_plain(&self) -> bool {
        self.index_of_lines().plain
    }

    /// Returns the zero-based line of a byte offset.
    pub fn line_of(&self, offset: usize) -> usize {
        let offset = u32::try_from(offset).unwrap_or(u32::MAX);
        let lines = self.lines();
        let begins = |line: usize| lines.get(line).is_some_and(|&start| start <= offset);
        // Searches forward from the last line found with doubling steps, or in all lines before it.
        let mut from = self.near.get();
        let mut to = lines.len();
        if begins(from) {
            let mut step = 1usize;
            while begins(from.saturating_add(step)) {
                from = from.saturating_add(step);
                step = step.saturating_mul(2);
            }
            to = to.min(from.saturating_add(step));
        } else {
            to = to.min(from);
            from = 0;
        }
        let within = lines.get(from..to).unwrap_or_default();
        let line = from
            .saturating_add(within.partition_point(|&start| start <= offset))
            .saturating_sub(1);
        self.near.set(line);
        line
    }

    /// Returns the byte span of a zero-based line without its line end.
    pub fn line_span(&self, line: usize) -> Span {
        let starts = self.lines();
        let start = starts.get(line).map_or(self.text.len(), |&s| s as usize);
        let end = starts
            .get(line.saturating_add(1))
            .map_or(self.text.len(), |&s| s as usize);
        let trimmed = self
            .text
            .get(start..end)
            .unwrap_or("")
            .trim_end_matches(['\n', '\r']);
        Span::new(start, start.saturating_add(trimmed.len()))
    }

    /// Returns the position of a byte offset in its file; an offset beyond the end is the end.
    pub fn position(&self, offset: usize) -> Position {
        let mut at = offset.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at = at.saturating_sub(1);
        }
        let line = self.line_of(at);
        let start = self.lines().get(line).map_or(0, |&s| s as usize);
        let is_long = at.saturating_sub(start) > BLOCK;
        let units = if is_long {
            self.units_before(at)
                .saturating_sub(self.units_before(start))
        } else {
            self.units(start, at)
        };
        let file = self.start_of_file(at);
        let lines_before = if file == 0 { 0 } else { self.line_of(file) };
        let line_in_file = line.saturating_sub(lines_before);
        Position {
            line: u32::try_from(line_in_file).unwrap_or(u32::MAX),
            character: u32::try_from(units).unwrap_or(u32::MAX),
            offset: u32::try_from(at.saturating_sub(file)).unwrap_or(u32::MAX),
        }
    }

    /// Returns the number of UTF-16 code units between two byte offsets.
    fn units(&self, start: usize, end: usize) -> usize {
        if self.is_plain() {
            return end.saturating_sub(start);
        }
        self.text.get(start..end).map_or(0, |s| {
            if s.is_ascii() {
                s.len()
            } else {
                s.chars().map(char::len_utf16).sum()
            }
        })
    }

    /// Returns the number of UTF-16 code units before a byte offset, counted from its block.
    fn units_before(&self, offset: usize) -> usize {
        let blocks = self.units.get_or_init(|| self.count_blocks());
        let block = offset / BLOCK;
        let Some(&before) = blocks.get(block) else {
            return offset;
        };
        let mut start = block.saturating_mul(BLOCK);
        while !self.text.is_char_boundary(start) {
            start = start.saturating_add(1);
        }
        (before as usize).saturating_add(self.units(start, offset))
    }

    /// Returns the number of UTF-16 code units of the text before a byte offset; an offset beyond the end is the end.
    pub fn utf16_offset(&self, offset: usize) -> usize {
        let at = offset.min(self.text.len());
        if self.is_plain() {
            at
        } else {
            self.units_before(at)
        }
    }

    /// Returns the byte offset of the character at or around a UTF-16 offset; an offset beyond the end is the end.
    pub fn byte_offset(&self, units: usize) -> usize {
        if self.is_plain() {
            return units.min(self.text.len());
        }
        let blocks = self.units.get_or_init(|| self.count_blocks());
        let block = blocks
            .partition_point(|&before| before as usize <= units)
            .saturating_sub(1);
        let mut at = block.saturating_mul(BLOCK);
        while !self.text.is_char_boundary(at) {
            at = at.saturating_add(1);
        }
        let mut counted = blocks.get(block).map_or(0, |&before| before as usize);
        for c in self.text.get(at..).unwrap_or_default().chars() {
            counted = counted.saturating_add(c.len_utf16());
            if counted > units {
                return at;
            }
            at = at.saturating_add(c.len_utf8());
        }
        at
    }

    fn count_blocks(&self) -> Vec<u32> {
        let mut blocks = Vec::new();
        if self.text.is_ascii() {
            return blocks;
        }
        let mut units = 0u32;
        for (at, c) in self.text.char_indices() {
            if at >= blocks.len().saturating_mul(BLOCK) {
                blocks.push(units);
            }
            units = units.saturating_add(if c.len_utf16() == 2 { 2 } else { 1 });
        }
        if self.text.len() >= blocks.len().saturating_mul(BLOCK) {
            blocks.push(units);
        }
        blocks
    }

    /// Returns the byte offset of a zero-based line and UTF-16 column; a column beyond the line gives the end of the line.
    pub fn offset(&self, line: u32, character: u32) -> usize {
        let span = self.line_span(line as usize);
        let mut units = 0u32;
        for (at, c) in self.slice(span).char_indices() {
            if units >= character {
                return span.from().saturating_add(at);
            }
            units = units.saturating_add(u32::try_from(c.len_utf16()).unwrap_or(1));
        }
        span.to()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_in_a_long_line_as_in_a_short_one() {
        for text in [
            "a".repeat(3 * BLOCK),
            "é😀x".repeat(BLOCK),
            format!("{}é", "a".repeat(2 * BLOCK - 1)),
            format!("a\n{}", "😀".repeat(2 * BLOCK)),
        ] {
            let source = Source::new(&text);
            for at in (0..=text.len())
                .filter(|&at| text.is_char_boundary(at))
                .step_by(41)
            {
                let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
                assert_eq!(
                    source.position(at).character as usize,
                    text[start..at].encode_utf16().count(),
                    "at {at}"
                );
            }
        }
    }

    #[test]
    fn converts_utf16_offsets_there_and_back() {
        for text in [
            String::new(),
            "a\r\nb".repeat(BLOCK),
            "é😀x\n".repeat(BLOCK),
            format!("{}é😀", "a".repeat(2 * BLOCK - 1)),
        ] {
            let source = Source::new(&text);
            for at in (0..=text.len())
                .filter(|&at| text.is_char_boundary(at))
                .step_by(37)
                .chain([text.len()])
            {
                let units = text[..at].encode_utf16().count();
                assert_eq!(
                    (source.utf16_offset(at), source.byte_offset(units)),
                    (units, at),
                    "at {at}"
                );
            }
            assert_eq!(source.byte_offset(usize::MAX), text.len());
        }
        // The second half of a surrogate pair is its character.
        assert_eq!(Source::new("é😀x").byte_offset(2), 2);
    }

    #[test]
    fn finds_lines_in_any_order() {
        let text = (0..3000)
            .map(|n| format!("{}\n", "x".repeat(n % 7)))
            .collect::<String>();
        let source = Source::new(&text);
        let mut at = 0usize;
        for _ in 0..1_000 {
            // Far and near, forwards and backwards, beyond the end.
            at = (at * 48_271 + 11) % (text.len() + 50);
            for offset in [at, at + 1, at.saturating_sub(9), at + 40] {
                let expected = text
                    .bytes()
                    .take(offset)
                    .filter(|byte| *byte == b'\n')
                    .count();
                assert_eq!(source.line_of(offset), expected, "at {offset}");
            }
        }
        assert_eq!(Source::new("").line_of(5), 0);
    }

    #[test]
    fn counts_utf16_and_bytes_on_the_same_line() {
        let source = Source::new("a: é😀x\r\nb: 1\rc: 2\n");
        let x = source.text().find('x').unwrap();
        assert_eq!(
            source.position(x),
            Position {
                line: 0,
                character: 6,
                offset: 9
            }
        );
        assert_eq!(source.offset(0, 6), 9);
        assert_eq!(source.position(12).line, 1);
        assert_eq!(source.line_of(source.text().find('c').unwrap()), 2);
        assert_eq!(source.slice(source.line_span(0)), "a: é😀x");
        assert_eq!(source.position(999).line, 3);
    }
}
