//! Literal and folded block scalars.

use super::error::Refusal;
use super::problem::{Construct, Problem};
use super::scanner::Scanner;
use super::token::{Mark, ScalarStyle, YamlToken, YamlTokenKind};

const CONTEXT: Construct = Construct::BlockScalar;

/// The treatment of line breaks at the end of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Clip,
    Strip,
    Keep,
}

impl Scanner<'_> {
    /// Reads a block scalar. The token ends with its last line of text, without that line's break.
    pub(super) fn scan_block_scalar(&mut self, literal: bool) -> Result<YamlToken, Refusal> {
        let start = self.mark();
        self.skip(1);
        self.need(1)?;
        let (chomping, increment) = self.scan_block_header(start)?;
        if !self.is_break_or_end() {
            return self.error(Some(CONTEXT), start, Problem::ExpectedCommentOrLineBreak);
        }
        let mut end = self.mark();
        self.skip_break();

        let mut indent = match increment {
            0 => 0,
            n => self.indent.max(0).saturating_add(n),
        };
        if self.buffer.capacity() == 0 {
            // Room for a few lines at once.
            self.buffer.reserve(256);
        }
        let value_start = self.buffer.len();
        self.breaks.clear();
        self.scan_block_breaks(&mut indent, start)?;
        let mut first_break = "";
        let mut leading_blank = false;
        self.need(1)?;
        while self.column() as i32 == indent && !self.is_end() {
            let blank = self.is_blank(0);
            // A line break between two lines of text folds into a space.
            if !literal && !leading_blank && !blank && first_break == "\n" {
                if self.breaks.is_empty() {
                    self.buffer.push(' ');
                }
            } else {
                self.buffer.push_str(first_break);
            }
            let breaks = std::mem::take(&mut self.breaks);
            self.buffer.push_str(&breaks);
            self.breaks = breaks;
            self.breaks.clear();
            leading_blank = blank;

            let line = self.pos;
            self.skip_line_text();
            let text = self.source(line, self.pos);
            self.buffer.push_str(text);
            end = self.mark();
            self.need(2)?;
            first_break = self.skip_break();
            self.scan_block_breaks(&mut indent, start)?;
        }
        if chomping != Chomping::Strip {
            self.buffer.push_str(first_break);
        }
        if chomping == Chomping::Keep {
            let breaks = std::mem::take(&mut self.breaks);
            self.buffer.push_str(&breaks);
            self.breaks = breaks;
        }
        let style = if literal {
            ScalarStyle::Literal
        } else {
            ScalarStyle::Folded
        };
        let value = self.buffered_text(value_start);
        Ok(YamlToken {
            kind: YamlTokenKind::Scalar,
            style,
            start,
            end,
            value,
            ..YamlToken::default()
        })
    }

    /// Reads `+`, `-` and a digit, in either order, then blanks and a comment.
    fn scan_block_header(&mut self, start: Mark) -> Result<(Chomping, i32), Refusal> {
        let mut chomping = Chomping::Clip;
        let mut increment = 0i32;
        if let Some(found) = self.take_chomping() {
            chomping = found;
            self.need(1)?;
            increment = self.take_increment(start)?;
        } else if self.at(0).is_ascii_digit() {
            increment = self.take_increment(start)?;
            self.need(1)?;
            chomping = self.take_chomping().unwrap_or(Chomping::Clip);
        }
        self.need(1)?;
        while self.is_blank(0) {
            self.skip(1);
            self.need(1)?;
        }
        if self.at(0) == b'#' {
            let comment = self.pos;
            self.skip_line_text();
            self.comments.push((comment as u32, self.pos as u32));
            self.need(1)?;
        }
        Ok((chomping, increment))
    }

    fn take_chomping(&mut self) -> Option<Chomping> {
        let chomping = match self.at(0) {
            b'+' => Chomping::Keep,
            b'-' => Chomping::Strip,
            _ => return None,
        };
        self.skip(1);
        Some(chomping)
    }

    fn take_increment(&mut self, start: Mark) -> Result<i32, Refusal> {
        let byte = self.at(0);
        if byte == b'0' {
            return self.error(Some(CONTEXT), start, Problem::ZeroIndentation);
        }
        if !byte.is_ascii_digit() {
            return Ok(0);
        }
        self.skip(1);
        Ok(i32::from(byte.wrapping_sub(b'0')))
    }

    /// Steps over indentation and empty lines, which `breaks` keeps. Determines the indentation if it is not known yet.
    fn scan_block_breaks(&mut self, indent: &mut i32, start: Mark) -> Result<(), Refusal> {
        let mut deepest = 0i32;
        loop {
            self.need(1)?;
            while (*indent == 0 || (self.column() as i32) < *indent) && self.at(0) == b' ' {
                self.skip(1);
                self.need(1)?;
            }
            let column = self.column() as i32;
            deepest = deepest.max(column);
            if (*indent == 0 || column < *indent) && self.at(0) == b'\t' {
                return self.error(Some(CONTEXT), start, Problem::TabForIndentationSpace);
            }
            if !self.is_break(0) {
                break;
            }
            self.need(2)?;
            let meaning = self.skip_break();
            self.breaks.push_str(meaning);
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent.saturating_add(1)).max(1);
        }
        Ok(())
    }
}
