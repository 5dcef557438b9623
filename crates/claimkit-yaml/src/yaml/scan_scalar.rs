//! Plain and quoted scalars.

use super::chars::StopClass;
use super::error::Refusal;
use super::problem::{Construct, Problem};
use super::scanner::Scanner;
use super::token::{Mark, ScalarStyle, TokenText, YamlToken, YamlTokenKind};

/// Joins the lines of a flow scalar: a single line break becomes a space, further breaks stay. U+2028 and U+2029 stay.
fn fold(buffer: &mut String, first: &str, further: &str) {
    if first != "\n" {
        buffer.push_str(first);
        buffer.push_str(further);
    } else if further.is_empty() {
        buffer.push(' ');
    } else {
        buffer.push_str(further);
    }
}

/// The text read so far: a range of the source until the first change.
struct Collected {
    start: usize,
    end: usize,
    /// Its start in the buffer, once it is copied.
    copied: Option<usize>,
}

impl Collected {
    /// Adds the source up to `to`, including everything in between.
    fn extend(&mut self, scanner: &mut Scanner<'_>, from: usize, to: usize) {
        if self.copied.is_some() {
            let text = scanner.source(from, to);
            scanner.buffer.push_str(text);
        }
        self.end = to;
    }

    /// Copies the text into the buffer, unless it is there.
    fn copy(&mut self, scanner: &mut Scanner<'_>) {
        if self.copied.is_none() {
            self.copied = Some(scanner.buffer.len());
            let text = scanner.source(self.start, self.end);
            scanner.buffer.push_str(text);
        }
    }

    /// Adds a line break, the first one, and those that `breaks` of the scanner keeps, folded.
    fn fold_breaks(&mut self, scanner: &mut Scanner<'_>, first: &str) {
        self.copy(scanner);
        fold(&mut scanner.buffer, first, &scanner.breaks);
        scanner.breaks.clear();
    }

    fn text(&self, scanner: &Scanner<'_>) -> TokenText {
        match self.copied {
            Some(start) => scanner.buffered_text(start),
            None => scanner.source_text(self.start, self.end),
        }
    }
}

impl Scanner<'_> {
    pub(super) fn scan_plain_scalar(&mut self) -> Result<YamlToken, Refusal> {
        let start = self.mark();
        let mut end = start;
        let indent = self.indent.saturating_add(1);
        let mut value = Collected {
            start: self.pos,
            end: self.pos,
            copied: None,
        };
        // Blanks (a range) or line breaks seen since the last text, not yet part of the value.
        let mut blanks_from = self.pos;
        let mut first_break: Option<&'static str> = None;
        self.breaks.clear();
        loop {
            self.need(4)?;
            if self.column() == 0 && self.document_indicator().is_some() {
                break;
            }
            if self.at(0) == b'#' {
                break;
            }
            let run = self.pos;
            self.skip_plain_run();
            if self.pos > run {
                if let Some(first) = first_break.take() {
                    value.fold_breaks(self, first);
                    value.extend(self, run, self.pos);
                } else {
                    value.extend(self, blanks_from, self.pos);
                }
                end = self.mark();
            }
            self.need(2)?;
            blanks_from = self.pos;
            if !self.is_blank(0) && !self.is_break(0) {
                break;
            }
            loop {
                if self.is_blank(0) {
                    let is_indented = (self.column() as i32) >= indent;
                    if first_break.is_some() && !is_indented && self.at(0) == b'\t' {
                        return self.error(
                            Some(Construct::PlainScalar),
                            start,
                            Problem::TabInScalar,
                        );
                    }
                    self.skip(1);
                } else if self.is_break(0) {
                    self.collect_break(&mut first_break)?;
                } else {
                    break;
                }
                self.need(1)?;
            }
            if self.flow_level == 0 && (self.column() as i32) < indent {
                break;
            }
        }
        if first_break.is_some() {
            self.simple_key_allowed = true;
        }
        Ok(YamlToken {
            kind: YamlTokenKind::Scalar,
            style: ScalarStyle::Plain,
            start,
            end,
            value: value.text(self),
            ..YamlToken::default()
        })
    }

    /// Steps over a line break: the first one since the last text, or one that `breaks` keeps.
    fn collect_break(&mut self, first: &mut Option<&'static str>) -> Result<(), Refusal> {
        self.need(2)?;
        let meaning = self.skip_break();
        if first.is_some() {
            self.breaks.push_str(meaning);
        } else {
            *first = Some(meaning);
        }
        Ok(())
    }

    /// Steps over plain text up to a blank, a break, the end, or an indicator that ends it.
    #[inline]
    fn skip_plain_run(&mut self) {
        let stop = if self.flow_level > 0 {
            StopClass::PLAIN_IN_FLOW
        } else {
            StopClass::PLAIN
        };
        loop {
            self.skip(stop.run(self.rest()));
            match self.at(0) {
                b':' if !self.is_gap(1) => self.skip(1),
                0x80.. if !self.is_break(0) => self.skip_char(),
                _ => return,
            }
        }
    }

    pub(super) fn scan_quoted_scalar(&mut self, single: bool) -> Result<YamlToken, Refusal> {
        let start = self.mark();
        self.skip(1);
        let mut value = Collected {
            start: self.pos,
            end: self.pos,
            copied: None,
        };
        self.breaks.clear();
        let quote = if single { b'\'' } else { b'"' };
        loop {
            self.need(4)?;
            if self.column() == 0 && self.document_indicator().is_some() {
                return self.error(
                    Some(Construct::QuotedScalar),
                    start,
                    Problem::UnexpectedDocumentIndicator,
                );
            }
            if self.is_end() {
                return self.error(Some(Construct::QuotedScalar), start, Problem::UnexpectedEnd);
            }
            let is_escaped_break = self.scan_quoted_text(&mut value, single, start)?;
            self.need(1)?;
            if self.at(0) == quote {
                break;
            }
            // Blanks and breaks.
            let blanks = self.pos;
            // An escaped line break means nothing, and is the first one.
            let mut first_break = is_escaped_break.then_some("");
            loop {
                if self.is_blank(0) {
                    self.skip(1);
                } else if self.is_break(0) {
                    self.collect_break(&mut first_break)?;
                } else {
                    break;
                }
                self.need(1)?;
            }
            if let Some(first) = first_break {
                value.fold_breaks(self, first);
                value.end = self.pos;
            } else {
                value.extend(self, blanks, self.pos);
            }
        }
        let text = value.text(self);
        self.skip(1);
        let end = self.mark();
        let style = if single {
            ScalarStyle::SingleQuoted
        } else {
            ScalarStyle::DoubleQuoted
        };
        Ok(YamlToken {
            kind: YamlTokenKind::Scalar,
            style,
            start,
            end,
            value: text,
            ..YamlToken::default()
        })
    }

    /// Reads the text up to a blank, a break or the closing quote; true if it ends with an escaped line break, which is skipped.
    fn scan_quoted_text(
        &mut self,
        value: &mut Collected,
        single: bool,
        start: Mark,
    ) -> Result<bool, Refusal> {
        loop {
            let run = self.pos;
            self.skip_quoted_run(single);
            if self.pos > run {
                value.extend(self, run, self.pos);
                self.need(2)?;
            }
            match self.at(0) {
                b'\'' if single && self.at(1) == b'\'' => {
                    value.copy(self);
                    self.buffer.push('\'');
                    self.skip(2);
                }
                b'\\' if !single && self.is_break(1) => {
                    value.copy(self);
                    self.need(3)?;
                    self.skip(1);
                    self.skip_break();
                    return Ok(true);
                }
                b'\\' if !single => {
                    value.copy(self);
                    self.scan_escape(start)?;
                }
                _ => return Ok(false),
            }
            self.need(2)?;
        }
    }

    #[inline]
    fn skip_quoted_run(&mut self, single: bool) {
        let stop = if single {
            StopClass::SINGLE_QUOTED
        } else {
            StopClass::DOUBLE_QUOTED
        };
        loop {
            self.skip(stop.run(self.rest()));
            if self.at(0) < 0x80 || self.is_break(0) {
                return;
            }
            self.skip_char();
        }
    }

    /// Reads one escape sequence of a double-quoted scalar, appended to the buffer.
    fn scan_escape(&mut self, start: Mark) -> Result<(), Refusal> {
        const CONTEXT: Construct = Construct::Escape;
        let mut digits = 0usize;
        match self.at(1) {
            b'0' => self.buffer.push('\0'),
            b'a' => self.buffer.push('\u{7}'),
            b'b' => self.buffer.push('\u{8}'),
            b't' | b'\t' => self.buffer.push('\t'),
            b'n' => self.buffer.push('\n'),
            b'v' => self.buffer.push('\u{b}'),
            b'f' => self.buffer.push('\u{c}'),
            b'r' => self.buffer.push('\r'),
            b'e' => self.buffer.push('\u{1b}'),
            b' ' => self.buffer.push(' '),
            b'"' => self.buffer.push('"'),
            b'\'' => self.buffer.push('\''),
            b'\\' => self.buffer.push('\\'),
            b'N' => self.buffer.push('\u{85}'),
            b'_' => self.buffer.push('\u{a0}'),
            b'L' => self.buffer.push('\u{2028}'),
            b'P' => self.buffer.push('\u{2029}'),
            b'x' => digits = 2,
            b'u' => digits = 4,
            b'U' => digits = 8,
            _ => return self.error(Some(CONTEXT), start, Problem::UnknownEscape),
        }
        self.skip(2);
        if digits == 0 {
            return Ok(());
        }
        self.need(digits)?;
        let mut code = 0u32;
        for ahead in 0..digits {
            let Some(digit) = char::from(self.at(ahead)).to_digit(16) else {
                return self.error(Some(CONTEXT), start, Problem::ExpectedHexadecimal);
            };
            code = code.wrapping_mul(16).wrapping_add(digit);
        }
        let Some(character) = char::from_u32(code) else {
            return self.error(Some(CONTEXT), start, Problem::InvalidEscapeCode);
        };
        self.buffer.push(character);
        self.skip(digits);
        Ok(())
    }
}
