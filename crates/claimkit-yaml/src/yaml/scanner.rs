//! Splits text into tokens, with libyaml's design and go-yaml v2's deviations (scannerc.go).
//!
//! Iterative, one pass, no allocation per token: scalars are byte ranges of the source, or of one buffer if they have escapes or
//! folded lines.

use super::chars::piece_start;
use super::chars::{self, StopClass};
use super::error::Refusal;
use super::problem::{Construct, Problem};
use super::token::{Mark, YamlToken, YamlTokenKind};
use std::collections::VecDeque;

/// go-yaml's limit on open brackets and on open indentations.
pub(super) const MAX_DEPTH: usize = 10_000;
/// The maximum length of an implicit key up to its `:`, in characters.
const MAX_KEY_LENGTH: u32 = 1024;

/// The possible start of an implicit key.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    required: bool,
    token_number: usize,
    mark: Mark,
}

pub(super) struct Scanner<'a> {
    pub(super) text: &'a str,
    /// The readable bytes: all up to the end of the chunk, or up to the piece with a forbidden character.
    pub(super) bytes: &'a [u8],
    /// The error for reading past `bytes`; `None` if `bytes` ends with the chunk.
    pub(super) refused: bool,
    /// True if the text has only printable ASCII and line feeds.
    pub(super) plain: bool,
    /// The chunk is read as if it ended with a line break, because kubectl adds one.
    pub(super) add_break: bool,
    /// The chunk comes from kubectl's line reader, which removes one CR before every LF.
    pub(super) read_by_lines: bool,
    pub(super) pos: usize,
    pub(super) line: u32,
    pub(super) line_start: usize,
    /// The number of continuation bytes (UTF-8) on this line so far.
    pub(super) wide: usize,

    tokens: VecDeque<YamlToken>,
    tokens_parsed: usize,
    token_available: bool,
    stream_start_produced: bool,
    pub(super) stream_end_produced: bool,

    pub(super) flow_level: usize,
    pub(super) indent: i32,
    indents: Vec<i32>,
    pub(super) simple_key_allowed: bool,
    simple_keys: Vec<SimpleKey>,
    /// Token number → index in `simple_keys`, ascending; go-yaml uses a map.
    keys_by_token: VecDeque<(usize, usize)>,

    /// Unescaped and folded text.
    pub(super) buffer: String,
    /// Line breaks waiting to be folded.
    pub(super) breaks: String,
    /// Byte ranges of comments, `#` included, line break excluded.
    pub(super) comments: Vec<(u32, u32)>,
}

impl<'a> Scanner<'a> {
    /// Makes a scanner over `text[start..end]`; with `add_break` it reads the text as if it ended with a line break.
    pub fn new(text: &'a str, start: usize, end: usize, add_break: bool) -> Self {
        let mut scanner = Self {
            text,
            bytes: &[],
            refused: false,
            plain: false,
            add_break: false,
            read_by_lines: false,
            pos: 0,
            line: 0,
            line_start: 0,
            wide: 0,
            tokens: VecDeque::new(),
            tokens_parsed: 0,
            token_available: false,
            stream_start_produced: false,
            stream_end_produced: false,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
            simple_key_allowed: true,
            simple_keys: Vec::new(),
            keys_by_token: VecDeque::new(),
            buffer: String::new(),
            breaks: String::new(),
            comments: Vec::new(),
        };
        scanner.restart(start, end, add_break);
        scanner
    }

    /// Reads another part of the same text; keeps the buffers and their contents.
    pub fn restart(&mut self, start: usize, end: usize, add_break: bool) {
        let chunk = self.text.get(start..end).unwrap_or("");
        let end = start.saturating_add(chunk.len());
        self.refused = false;
        self.read_by_lines = add_break;
        self.add_break = add_break && !chunk.is_empty() && !chunk.ends_with('\n');
        let mut readable = end;
        let refused = if self.plain {
            None
        } else {
            chars::first_refused(chunk)
        };
        if let Some(at) = refused {
            self.refused = true;
            self.add_break = false;
            readable = start.saturating_add(piece_start(chunk, at, add_break));
        }
        self.bytes = self.text.as_bytes().get(..readable).unwrap_or_default();
        // A byte order mark is not part of the text.
        self.pos = if chunk.starts_with('\u{feff}') {
            start.saturating_add(3).min(readable)
        } else {
            start
        };
        self.line = 0;
        self.line_start = self.pos;
        self.wide = 0;
        self.tokens.clear();
        self.tokens_parsed = 0;
        self.token_available = false;
        self.stream_start_produced = false;
        self.stream_end_produced = false;
        self.flow_level = 0;
        self.indent = -1;
        self.indents.clear();
        self.simple_key_allowed = true;
        self.simple_keys.clear();
        self.keys_by_token.clear();
    }

    // ---- the token queue --------------------------------------------------------------------

    /// Returns the next token, without taking it.
    #[inline]
    pub fn peek(&mut self) -> Result<YamlToken, Refusal> {
        if !self.token_available {
            self.fetch_more_tokens()?;
        }
        Ok(self.tokens.front().copied().unwrap_or_default())
    }

    /// Drops the next token.
    #[inline]
    pub fn take(&mut self) {
        self.token_available = false;
        self.tokens_parsed = self.tokens_parsed.wrapping_add(1);
        if let Some(token) = self.tokens.pop_front() {
            self.stream_end_produced = token.kind == YamlTokenKind::StreamEnd;
        }
    }

    fn next_token_number(&self) -> usize {
        self.tokens_parsed.wrapping_add(self.tokens.len())
    }

    /// Reads until the first token is certain: a later `:` may insert a key token before it.
    fn fetch_more_tokens(&mut self) -> Result<(), Refusal> {
        loop {
            if !self.tokens.is_empty() {
                while self
                    .keys_by_token
                    .front()
                    .is_some_and(|(token, _)| *token < self.tokens_parsed)
                {
                    self.keys_by_token.pop_front();
                }
                match self.keys_by_token.front() {
                    Some(&(token, index)) if token == self.tokens_parsed => {
                        if !self.simple_key_is_valid(index)? {
                            break;
                        }
                    }
                    _ => break,
                }
            }
            self.fetch_next_token()?;
        }
        self.token_available = true;
        Ok(())
    }

    fn append(&mut self, kind: YamlTokenKind, start: Mark, end: Mark) {
        self.tokens.push_back(YamlToken {
            kind,
            start,
            end,
            ..YamlToken::default()
        });
    }

    /// Steps over an indicator of `width` bytes and queues its token.
    fn indicator(&mut self, kind: YamlTokenKind, width: usize) {
        let start = self.mark();
        self.skip(width);
        let end = self.mark();
        self.append(kind, start, end);
    }

    fn insert(&mut self, token_number: usize, kind: YamlTokenKind, mark: Mark) {
        let token = YamlToken {
            kind,
            start: mark,
            end: mark,
            ..YamlToken::default()
        };
        match token_number.checked_sub(self.tokens_parsed) {
            Some(index) if index <= self.tokens.len() => self.tokens.insert(index, token),
            // The key's token is gone already: go-yaml appends.
            _ => self.tokens.push_back(token),
        }
    }

    fn fetch_next_token(&mut self) -> Result<(), Refusal> {
        self.need(1)?;
        if !self.stream_start_produced {
            self.stream_start_produced = true;
            self.simple_keys.push(SimpleKey::default());
            let mark = self.mark();
            self.append(YamlTokenKind::StreamStart, mark, mark);
            return Ok(());
        }
        self.skip_to_next_token()?;
        let column = self.column();
        self.unroll_indent(column as i32);
        self.need(4)?;

        let byte = self.at(0);
        if column == 0 {
            if byte == b'%' {
                return self.fetch_directive();
            }
            if let Some(kind) = self.document_indicator() {
                return self.fetch_document_indicator(kind);
            }
        }
        match byte {
            0 => self.fetch_stream_end(),
            b'[' => self.fetch_flow_start(YamlTokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(YamlTokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(YamlTokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(YamlTokenKind::FlowMappingEnd),
            b',' => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                self.indicator(YamlTokenKind::FlowEntry, 1);
                Ok(())
            }
            b'-' if self.is_gap(1) => self.fetch_block_entry(),
            b'?' if self.flow_level > 0 || self.is_gap(1) => self.fetch_key(),
            b':' if self.flow_level > 0 || self.is_gap(1) => self.fetch_value(),
            b'*' => self.fetch_named(YamlTokenKind::Alias),
            b'&' => self.fetch_named(YamlTokenKind::Anchor),
            b'!' => self.fetch_on_line(Scanner::scan_tag),
            b'|' | b'>' if self.flow_level == 0 => {
                self.remove_simple_key()?;
                self.simple_key_allowed = true;
                let token = self.scan_block_scalar(byte == b'|')?;
                self.tokens.push_back(token);
                Ok(())
            }
            b'\'' => self.fetch_on_line(|scanner| scanner.scan_quoted_scalar(true)),
            b'"' => self.fetch_on_line(|scanner| scanner.scan_quoted_scalar(false)),
            _ if self.begins_plain_scalar(byte) => {
                if self.simple_key_allowed
                    && self.flow_level == 0
                    && !self.refused
                    && self.fetch_plain_key(column)?
                {
                    return Ok(());
                }
                self.fetch_on_line(Scanner::scan_plain_scalar)
            }
            _ => {
                let mark = self.mark();
                self.error(Some(Construct::NextToken), mark, Problem::CannotStartToken)
            }
        }
    }

    /// Queues a token that may begin an implicit key; no other may begin behind it on its line.
    #[inline]
    fn fetch_on_line(
        &mut self,
        scan: impl FnOnce(&mut Self) -> Result<YamlToken, Refusal>,
    ) -> Result<(), Refusal> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let token = scan(self)?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// Takes a shortcut for the most common case: a plain key with its `:` directly after it. The tokens are the same as on the
    /// usual path, where the `:` is found later. Anything else takes the usual path.
    fn fetch_plain_key(&mut self, column: u32) -> Result<bool, Refusal> {
        const LONGEST: usize = 128;
        let rest = self.rest();
        let head = rest.get(..LONGEST).unwrap_or(rest);
        let length = StopClass::PLAIN.run(head);
        if length == 0
            || head.get(length) != Some(&b':')
            || !matches!(rest.get(length.wrapping_add(1)), Some(b' ' | b'\n'))
        {
            return Ok(false);
        }
        self.remove_simple_key()?;
        let start = self.mark();
        if let Some(key) = self.simple_keys.last_mut() {
            key.mark = start;
        }
        self.roll_indent(column, None, YamlTokenKind::BlockMappingStart, start)?;
        self.append(YamlTokenKind::Key, start, start);
        self.skip(length);
        let end = self.mark();
        let value = self.source_text(start.offset as usize, end.offset as usize);
        self.tokens.push_back(YamlToken {
            kind: YamlTokenKind::Scalar,
            start,
            end,
            value,
            ..YamlToken::default()
        });
        self.indicator(YamlTokenKind::Value, 1);
        self.simple_key_allowed = false;
        Ok(true)
    }

    fn begins_plain_scalar(&self, byte: u8) -> bool {
        match byte {
            b'-' => !self.is_blank(1),
            b'?' | b':' => self.flow_level == 0 && !self.is_gap(1),
            _ => !chars::is_indicator(byte) && !self.is_break(0),
        }
    }

    /// Recognizes `---` or `...`, followed by a blank, a line break or the end. Call at column 0 only.
    pub(super) fn document_indicator(&self) -> Option<YamlTokenKind> {
        let kind = match self.at(0) {
            b'-' => YamlTokenKind::DocumentStart,
            b'.' => YamlTokenKind::DocumentEnd,
            _ => return None,
        };
        let first = self.at(0);
        let is_repeated = self.at(1) == first && self.at(2) == first;
        (is_repeated && self.is_gap(3)).then_some(kind)
    }

    /// Steps over blanks, comments and line breaks.
    fn skip_to_next_token(&mut self) -> Result<(), Refusal> {
        loop {
            let tabs = self.flow_level > 0 || !self.simple_key_allowed;
            let blanks = self
                .rest()
                .iter()
                .take_while(|&&b| b == b' ' || (tabs && b == b'\t'))
                .count();
            self.skip(blanks);
            self.need(1)?;
            if self.at(0) == b'#' {
                let start = self.pos;
                self.skip_line_text();
                self.comments.push((start as u32, self.pos as u32));
                self.need(1)?;
            }
            if !self.is_break(0) {
                return Ok(());
            }
            self.need(2)?;
            self.skip_break();
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
            self.need(1)?;
        }
    }

    // ---- implicit keys ----------------------------------------------------------------------

    /// Returns true if the possible key may still become a key; otherwise forgets it.
    fn simple_key_is_valid(&mut self, index: usize) -> Result<bool, Refusal> {
        let here = self.mark();
        let Some(key) = self.simple_keys.get_mut(index) else {
            return Ok(false);
        };
        if !key.possible {
            return Ok(false);
        }
        let same_line = key.mark.line >= here.line;
        if same_line && here.column.saturating_sub(key.mark.column) <= MAX_KEY_LENGTH {
            return Ok(true);
        }
        if key.required {
            let mark = key.mark;
            return self.error(Some(Construct::SimpleKey), mark, Problem::ExpectedColon);
        }
        key.possible = false;
        Ok(false)
    }

    fn save_simple_key(&mut self) -> Result<(), Refusal> {
        if !self.simple_key_allowed {
            return Ok(());
        }
        let mark = self.mark();
        let required = self.flow_level == 0 && self.indent == mark.column as i32;
        self.remove_simple_key()?;
        let token_number = self.next_token_number();
        let index = self.simple_keys.len().wrapping_sub(1);
        if let Some(last) = self.simple_keys.last_mut() {
            *last = SimpleKey {
                possible: true,
                required,
                token_number,
                mark,
            };
            self.keys_by_token.push_back((token_number, index));
        }
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Result<(), Refusal> {
        let Some(last) = self.simple_keys.last_mut() else {
            return Ok(());
        };
        if !last.possible {
            return Ok(());
        }
        let key = *last;
        if key.required {
            return self.error(Some(Construct::SimpleKey), key.mark, Problem::ExpectedColon);
        }
        last.possible = false;
        self.forget_token(key.token_number);
        Ok(())
    }

    fn forget_token(&mut self, token_number: usize) {
        let mut index = self.keys_by_token.len();
        while let Some(at) = index.checked_sub(1) {
            match self.keys_by_token.get(at) {
                Some((token, _)) if *token == token_number => {
                    self.keys_by_token.remove(at);
                    return;
                }
                Some((token, _)) if *token > token_number => index = at,
                _ => return,
            }
        }
    }

    // ---- indentation ------------------------------------------------------------------------

    /// Opens an indentation level if `column` is deeper than the current one. Inserts the token before the key's token
    /// (`token_number`), or appends it.
    fn roll_indent(
        &mut self,
        column: u32,
        token_number: Option<usize>,
        kind: YamlTokenKind,
        mark: Mark,
    ) -> Result<(), Refusal> {
        if self.flow_level > 0 || self.indent >= column as i32 {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column as i32;
        if self.indents.len() > MAX_DEPTH {
            let context_mark = self.simple_keys.last().map_or(mark, |key| key.mark);
            return self.error(Some(Construct::Indentation), context_mark, Problem::TooDeep);
        }
        match token_number {
            Some(number) => self.insert(number, kind, mark),
            None => self.append(kind, mark, mark),
        }
        Ok(())
    }

    /// Closes the levels deeper than `column`.
    fn unroll_indent(&mut self, column: i32) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            let mark = self.mark();
            self.append(YamlTokenKind::BlockEnd, mark, mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    // ---- one function per indicator ---------------------------------------------------------

    fn fetch_stream_end(&mut self) -> Result<(), Refusal> {
        if self.column() != 0 {
            self.line = self.line.wrapping_add(1);
            self.line_start = self.pos;
            self.wide = 0;
        }
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let mark = self.mark();
        self.append(YamlTokenKind::StreamEnd, mark, mark);
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), Refusal> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_document_indicator(&mut self, kind: YamlTokenKind) -> Result<(), Refusal> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.indicator(kind, 3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: YamlTokenKind) -> Result<(), Refusal> {
        self.save_simple_key()?;
        let mark = self.mark();
        let token_number = self.next_token_number();
        self.simple_keys.push(SimpleKey {
            possible: false,
            required: false,
            token_number,
            mark,
        });
        self.flow_level = self.flow_level.wrapping_add(1);
        if self.flow_level > MAX_DEPTH {
            return self.error(Some(Construct::FlowLevel), mark, Problem::TooDeep);
        }
        self.simple_key_allowed = true;
        self.indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: YamlTokenKind) -> Result<(), Refusal> {
        self.remove_simple_key()?;
        if let Some(level) = self.flow_level.checked_sub(1) {
            self.flow_level = level;
            if let Some(key) = self.simple_keys.pop() {
                // The entry of an empty collection has the token number of the collection's own bracket. go-yaml then forgets
                // that the bracket itself may begin a key.
                self.forget_token(key.token_number);
            }
        }
        self.simple_key_allowed = false;
        self.indicator(kind, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Refusal> {
        if self.flow_level == 0 {
            let mark = self.mark();
            if !self.simple_key_allowed {
                return self.error(None, mark, Problem::EntryNotAllowed);
            }
            self.roll_indent(mark.column, None, YamlTokenKind::BlockSequenceStart, mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.indicator(YamlTokenKind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Refusal> {
        if self.flow_level == 0 {
            let mark = self.mark();
            if !self.simple_key_allowed {
                return self.error(None, mark, Problem::KeyNotAllowed);
            }
            self.roll_indent(mark.column, None, YamlTokenKind::BlockMappingStart, mark)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.indicator(YamlTokenKind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Refusal> {
        let index = self.simple_keys.len().wrapping_sub(1);
        if self.simple_key_is_valid(index)? {
            if let Some(key) = self.simple_keys.get(index).copied() {
                self.insert(key.token_number, YamlTokenKind::Key, key.mark);
                self.roll_indent(
                    key.mark.column,
                    Some(key.token_number),
                    YamlTokenKind::BlockMappingStart,
                    key.mark,
                )?;
                self.forget_token(key.token_number);
            }
            if let Some(key) = self.simple_keys.get_mut(index) {
                key.possible = false;
            }
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                let mark = self.mark();
                if !self.simple_key_allowed {
                    return self.error(None, mark, Problem::ValueNotAllowed);
                }
                self.roll_indent(mark.column, None, YamlTokenKind::BlockMappingStart, mark)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.indicator(YamlTokenKind::Value, 1);
        Ok(())
    }

    fn fetch_named(&mut self, kind: YamlTokenKind) -> Result<(), Refusal> {
        self.save_simple_key()?;
        self.simple_key_allowed = false;
        let token = self.scan_named(kind)?;
        self.tokens.push_back(token);
        Ok(())
    }
}
