//! Strings of a JSON text, taken or passed over.

use super::{Reader, Result, STRING_END};
use crate::text::print;

impl Reader<'_> {
    /// A string, or the error of a value that is none.
    pub fn string(&mut self, expected: &str) -> Result<String> {
        match self.begin()? {
            b'"' => self.quoted(),
            _ => Err(self.unexpected(expected)),
        }
    }

    pub(super) fn quoted(&mut self) -> Result<String> {
        self.eat();
        let mut out = String::new();
        loop {
            let from = self.at;
            self.literal();
            out.push_str(self.text.get(from..self.at).unwrap_or_default());
            match self.next() {
                None => return Err(self.fail(STRING_END)),
                Some(b'"') => return Ok(out),
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.fail("control character (\\u0000-\\u001F) found while parsing a string")),
            }
        }
    }

    /// Passes over what stands for itself in a string: manifests come in strings, so that this is most of a request.
    pub(super) fn literal(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at = self.at.saturating_add(print::first_escaped(rest).unwrap_or(rest.len()));
    }

    fn escape(&mut self) -> Result<char> {
        Ok(match self.next() {
            None => return Err(self.fail(STRING_END)),
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(),
            Some(_) => return Err(self.fail("invalid escape")),
        })
    }

    fn unicode(&mut self) -> Result<char> {
        const LONE: &str = "lone leading surrogate in hex escape";
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first).map_or_else(|| Err(self.fail(LONE)), Ok);
        }
        for wanted in [b'\\', b'u'] {
            match self.next() {
                None => return Err(self.fail(STRING_END)),
                Some(byte) if byte != wanted => return Err(self.fail("unexpected end of hex escape")),
                Some(_) => {}
            }
        }
        let second = self.hex()?;
        let low = second.wrapping_sub(0xdc00);
        let high = first.wrapping_sub(0xd800) << 10;
        let whole = (low < 0x400).then(|| (high | low).saturating_add(0x1_0000));
        whole.and_then(char::from_u32).map_or_else(|| Err(self.fail(LONE)), Ok)
    }

    pub(super) fn hex(&mut self) -> Result<u32> {
        let end = self.at.saturating_add(4);
        let Some(digits) = self.text.as_bytes().get(self.at..end) else {
            self.at = self.text.len();
            return Err(self.fail(STRING_END));
        };
        let mut value = Some(0u32);
        for &digit in digits {
            value = value.zip(char::from(digit).to_digit(16)).map(|(value, digit)| value << 4 | digit);
        }
        self.at = end;
        value.map_or_else(|| Err(self.fail("invalid escape")), Ok)
    }

    pub(super) fn skip_string(&mut self) -> Result<()> {
        self.eat();
        loop {
            self.literal();
            match self.peek() {
                None => return Err(self.fail(STRING_END)),
                Some(0..0x20) => return Err(self.fail("control character (\\u0000-\\u001F) found while parsing a string")),
                Some(byte) => {
                    self.eat();
                    match byte {
                        b'"' => return Ok(()),
                        b'\\' => match self.next() {
                            None => return Err(self.fail(STRING_END)),
                            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                            Some(b'u') => drop(self.hex()?),
                            Some(_) => return Err(self.fail("invalid escape")),
                        },
                        _ => {}
                    }
                }
            }
        }
    }
}
