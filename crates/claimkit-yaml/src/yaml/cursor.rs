//! The scanner's position in the text: characters, lines, columns, and forbidden characters.

use super::chars;
use super::error::{ErrorStage, Refusal, YamlError};
use super::problem::{Construct, Problem};
use super::scanner::Scanner;
use super::token::{Mark, TokenText};

impl<'a> Scanner<'a> {
    /// Returns the byte that is `ahead` bytes after the position; 0 at the end.
    #[inline]
    pub(super) fn at(&self, ahead: usize) -> u8 {
        let at = self.pos.wrapping_add(ahead);
        match self.bytes.get(at) {
            Some(&byte) => byte,
            None if self.add_break && at == self.bytes.len() => b'\n',
            None => 0,
        }
    }

    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn column(&self) -> u32 {
        self.pos
            .wrapping_sub(self.line_start)
            .wrapping_sub(self.wide) as u32
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark {
            offset: self.pos as u32,
            line: self.line,
            column: self.column(),
        }
    }

    /// Steps over `count` bytes of ASCII on this line.
    #[inline]
    pub(super) fn skip(&mut self, count: usize) {
        self.pos = self.pos.wrapping_add(count);
    }

    /// Steps over one character on this line.
    pub(super) fn skip_char(&mut self) {
        let width = chars::width(self.at(0));
        self.pos = self.pos.wrapping_add(width);
        self.wide = self.wide.wrapping_add(width.wrapping_sub(1));
    }

    /// Returns the number of bytes of the line break `ahead` of here, or 0 when there is none.
    pub(super) fn break_width(&self, ahead: usize) -> usize {
        match self.at(ahead) {
            b'\n' => 1,
            b'\r' if self.at(ahead.wrapping_add(1)) == b'\n' => 2,
            // kubectl's line reader takes one CR away before every LF, so that CR CR LF reaches go-yaml as CR LF.
            b'\r'
                if self.read_by_lines
                    && self.at(ahead.wrapping_add(1)) == b'\r'
                    && self.at(ahead.wrapping_add(2)) == b'\n' =>
            {
                3
            }
            b'\r' => 1,
            0xc2 if self.at(ahead.wrapping_add(1)) == 0x85 => 2,
            0xe2 if self.at(ahead.wrapping_add(1)) == 0x80
                && matches!(self.at(ahead.wrapping_add(2)), 0xa8 | 0xa9) =>
            {
                3
            }
            _ => 0,
        }
    }

    #[inline]
    pub(super) fn is_break(&self, ahead: usize) -> bool {
        match self.at(ahead) {
            b'\n' | b'\r' => true,
            0xc2 | 0xe2 => self.break_width(ahead) != 0,
            _ => false,
        }
    }

    #[inline]
    pub(super) fn is_blank(&self, ahead: usize) -> bool {
        matches!(self.at(ahead), b' ' | b'\t')
    }

    #[inline]
    pub(super) fn is_end(&self) -> bool {
        self.at(0) == 0
    }

    #[inline]
    pub(super) fn is_break_or_end(&self) -> bool {
        self.is_end() || self.is_break(0)
    }

    /// Returns true at a blank, a line break or the end.
    #[inline]
    pub(super) fn is_gap(&self, ahead: usize) -> bool {
        match self.at(ahead) {
            b' ' | b'\t' | b'\n' | b'\r' | 0 => true,
            0xc2 | 0xe2 => self.is_break(ahead),
            _ => false,
        }
    }

    /// Steps over a line break, and says what it counts as in text: `\n`, or U+2028 and U+2029 as
    /// they are. Does nothing elsewhere.
    pub(super) fn skip_break(&mut self) -> &'static str {
        let width = self.break_width(0);
        if width == 0 {
            return "";
        }
        let meaning = match (self.at(0), self.at(2)) {
            (0xe2, 0xa8) => "\u{2028}",
            (0xe2, _) => "\u{2029}",
            _ => "\n",
        };
        self.pos = self.pos.wrapping_add(width);
        self.line = self.line.wrapping_add(1);
        self.line_start = self.pos;
        self.wide = 0;
        meaning
    }

    /// Steps to the end of the line. Does not count characters, because the line ends here.
    #[inline(always)]
    pub(super) fn skip_line_text(&mut self) {
        loop {
            self.skip(chars::line_run(self.rest()));
            match self.at(0) {
                0 | b'\n' | b'\r' => return,
                0..0x80 => self.skip(1),
                _ if self.is_break(0) => return,
                _ => self.skip_char(),
            }
        }
    }

    /// Fails if fewer than `count` more characters can be read. go-yaml checks this at the same points, and so notices a later
    /// forbidden character there.
    #[inline]
    pub(super) fn need(&self, count: usize) -> Result<(), Refusal> {
        if self.refused {
            self.demand(count)
        } else {
            Ok(())
        }
    }

    #[cold]
    fn demand(&self, count: usize) -> Result<(), Refusal> {
        if self
            .rest()
            .iter()
            .filter(|&&b| b & 0xc0 != 0x80)
            .take(count)
            .count()
            < count
        {
            return Err(YamlError::plain(
                ErrorStage::Characters,
                Problem::ControlCharacter,
                self.mark(),
            ));
        }
        Ok(())
    }

    /// Returns the source between two offsets.
    #[inline(always)]
    pub(super) fn source(&self, start: usize, end: usize) -> &'a str {
        self.text
            .get(start..end.min(self.bytes.len()))
            .unwrap_or("")
    }

    pub(super) fn source_text(&self, start: usize, end: usize) -> TokenText {
        TokenText {
            start: start as u32,
            end: end.max(start) as u32,
            buffered: false,
        }
    }

    /// Returns the buffered text from `start` to the end of the buffer.
    pub(super) fn buffered_text(&self, start: usize) -> TokenText {
        TokenText {
            start: start as u32,
            end: self.buffer.len() as u32,
            buffered: true,
        }
    }

    #[inline]
    pub(super) fn error<T>(
        &self,
        context: Option<Construct>,
        context_mark: Mark,
        problem: Problem,
    ) -> Result<T, Refusal> {
        Err(YamlError::with_context(
            ErrorStage::Scanner,
            problem,
            self.mark(),
            context,
            context_mark,
        ))
    }
}
