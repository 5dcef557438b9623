//! Directives, anchors, aliases and tags.

use super::chars;
use super::error::Refusal;
use super::problem::{Construct, Problem};
use super::scanner::Scanner;
use super::token::{Mark, TokenText, YamlToken, YamlTokenKind};

const DIRECTIVE: Construct = Construct::Directive;
const VERSION: Construct = Construct::YamlDirective;

impl Scanner<'_> {
    pub(super) fn scan_directive(&mut self) -> Result<YamlToken, Refusal> {
        let start = self.mark();
        self.skip(1);
        let name = self.pos;
        self.skip_word()?;
        let name = self.source(name, self.pos);
        if name.is_empty() {
            return self.error(Some(DIRECTIVE), start, Problem::MissingDirectiveName);
        }
        if !self.is_gap(0) {
            return self.error(Some(DIRECTIVE), start, Problem::NonAlphabeticalCharacter);
        }
        let mut token = YamlToken {
            start,
            ..YamlToken::default()
        };
        match name {
            "YAML" => {
                token.kind = YamlTokenKind::VersionDirective;
                self.skip_blanks()?;
                token.suffix.start = self.scan_version_number(start)?;
                if self.at(0) != b'.' {
                    return self.error(Some(VERSION), start, Problem::ExpectedDigitOrDot);
                }
                self.skip(1);
                token.suffix.end = self.scan_version_number(start)?;
            }
            "TAG" => {
                token.kind = YamlTokenKind::TagDirective;
                self.skip_blanks()?;
                token.value = self.scan_tag_handle(Construct::TagDirectiveValue, start)?;
                self.need(1)?;
                if !self.is_blank(0) {
                    return self.error(
                        Some(Construct::TagDirective),
                        start,
                        Problem::ExpectedWhitespace,
                    );
                }
                self.skip_blanks()?;
                token.suffix = self.scan_tag_uri(Construct::TagDirectiveValue, None, start)?;
                self.need(1)?;
                if !self.is_gap(0) {
                    return self.error(
                        Some(Construct::TagDirective),
                        start,
                        Problem::ExpectedWhitespaceOrLineBreak,
                    );
                }
            }
            _ => return self.error(Some(DIRECTIVE), start, Problem::UnknownDirective),
        }
        token.end = self.mark();
        self.skip_blanks()?;
        if self.at(0) == b'#' {
            let comment = self.pos;
            self.skip_line_text();
            self.comments.push((comment as u32, self.pos as u32));
            self.need(1)?;
        }
        if !self.is_break_or_end() {
            return self.error(Some(DIRECTIVE), start, Problem::ExpectedCommentOrLineBreak);
        }
        self.skip_break();
        Ok(token)
    }

    fn skip_blanks(&mut self) -> Result<(), Refusal> {
        self.need(1)?;
        while self.is_blank(0) {
            self.skip(1);
            self.need(1)?;
        }
        Ok(())
    }

    fn skip_word(&mut self) -> Result<(), Refusal> {
        self.need(1)?;
        while chars::is_word(self.at(0)) {
            self.skip(1);
            self.need(1)?;
        }
        Ok(())
    }

    fn scan_version_number(&mut self, start: Mark) -> Result<u32, Refusal> {
        self.need(1)?;
        let mut value = 0u32;
        let mut length = 0u32;
        while self.at(0).is_ascii_digit() {
            length = length.saturating_add(1);
            if length > 2 {
                return self.error(Some(VERSION), start, Problem::VersionTooLong);
            }
            let digit = u32::from(self.at(0).wrapping_sub(b'0'));
            value = value.saturating_mul(10).saturating_add(digit);
            self.skip(1);
            self.need(1)?;
        }
        if length == 0 {
            return self.error(Some(VERSION), start, Problem::ExpectedVersion);
        }
        Ok(value)
    }

    /// Reads an anchor or an alias.
    pub(super) fn scan_named(&mut self, kind: YamlTokenKind) -> Result<YamlToken, Refusal> {
        let start = self.mark();
        self.skip(1);
        let name = self.pos;
        self.skip_word()?;
        let end = self.mark();
        let ended = self.is_gap(0)
            || matches!(
                self.at(0),
                b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
            );
        if self.pos == name || !ended {
            let context = if kind == YamlTokenKind::Anchor {
                Construct::Anchor
            } else {
                Construct::Alias
            };
            return self.error(Some(context), start, Problem::ExpectedName);
        }
        let value = self.source_text(name, self.pos);
        Ok(YamlToken {
            kind,
            start,
            end,
            value,
            ..YamlToken::default()
        })
    }

    /// Reads `!suffix`, `!handle!suffix`, `!<uri>` or `!`.
    pub(super) fn scan_tag(&mut self) -> Result<YamlToken, Refusal> {
        const CONTEXT: Construct = Construct::Tag;
        let start = self.mark();
        self.need(2)?;
        let (handle, suffix);
        if self.at(1) == b'<' {
            self.skip(2);
            suffix = self.scan_tag_uri(Construct::TagName, None, start)?;
            handle = TokenText::default();
            if self.at(0) != b'>' {
                return self.error(Some(CONTEXT), start, Problem::ExpectedTagEnd);
            }
            self.skip(1);
        } else {
            let found = self.scan_tag_handle(Construct::TagName, start)?;
            let found_len = found.end.saturating_sub(found.start);
            let closed = found_len > 1
                && self
                    .source(found.start as usize, found.end as usize)
                    .ends_with('!');
            if closed {
                suffix = self.scan_tag_uri(Construct::TagName, None, start)?;
                handle = found;
            } else {
                let rest = self.scan_tag_uri(Construct::TagName, Some(found), start)?;
                let bang =
                    self.source_text(found.start as usize, found.start.saturating_add(1) as usize);
                // The tag `!` alone has no handle.
                (handle, suffix) = if rest.is_empty() {
                    (TokenText::default(), bang)
                } else {
                    (bang, rest)
                };
            }
        }
        self.need(1)?;
        if !self.is_gap(0) {
            return self.error(Some(CONTEXT), start, Problem::ExpectedWhitespaceOrLineBreak);
        }
        let end = self.mark();
        Ok(YamlToken {
            kind: YamlTokenKind::Tag,
            start,
            end,
            value: handle,
            suffix,
            ..YamlToken::default()
        })
    }

    /// Reads `!`, `!!`, `!word!`, or the beginning of `!word`.
    fn scan_tag_handle(&mut self, within: Construct, start: Mark) -> Result<TokenText, Refusal> {
        self.need(1)?;
        if self.at(0) != b'!' {
            return self.error(Some(within), start, Problem::ExpectedExclamation);
        }
        let from = self.pos;
        self.skip(1);
        self.skip_word()?;
        if self.at(0) == b'!' {
            self.skip(1);
        } else if within == Construct::TagDirectiveValue && self.pos.wrapping_sub(from) != 1 {
            return self.error(Some(within), start, Problem::ExpectedExclamation);
        }
        Ok(self.source_text(from, self.pos))
    }

    /// Reads the text of a tag with resolved `%41` escapes; `head` is the part already read, without its `!`.
    fn scan_tag_uri(
        &mut self,
        within: Construct,
        head: Option<TokenText>,
        start: Mark,
    ) -> Result<TokenText, Refusal> {
        let from = match head {
            Some(head) => head.start.saturating_add(1) as usize,
            None => self.pos,
        };
        let mut found = head.is_some();
        let mut copied: Option<usize> = None;
        self.need(1)?;
        while chars::is_uri(self.at(0)) {
            if self.at(0) == b'%' {
                if copied.is_none() {
                    copied = Some(self.buffer.len());
                    let text = self.source(from, self.pos);
                    self.buffer.push_str(text);
                }
                self.scan_uri_escape(within, start)?;
            } else {
                if copied.is_some() {
                    self.buffer.push(char::from(self.at(0)));
                }
                self.skip(1);
            }
            self.need(1)?;
            found = true;
        }
        if !found {
            return self.error(Some(within), start, Problem::ExpectedTagUri);
        }
        Ok(match copied {
            Some(start) => self.buffered_text(start),
            None => self.source_text(from, self.pos),
        })
    }

    /// Reads one character written as `%41` escapes, one for each of its bytes.
    fn scan_uri_escape(&mut self, within: Construct, start: Mark) -> Result<(), Refusal> {
        let mut octets = [0u8; 4];
        let mut wanted = 4usize;
        let mut count = 0usize;
        while count < wanted {
            self.need(3)?;
            let high = char::from(self.at(1)).to_digit(16);
            let low = char::from(self.at(2)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.at(0), high, low) else {
                return self.error(Some(within), start, Problem::ExpectedUriEscape);
            };
            let octet = (high.wrapping_mul(16).wrapping_add(low)) as u8;
            if count == 0 {
                wanted = match octet {
                    0..=0x7f => 1,
                    0xc0..=0xdf => 2,
                    0xe0..=0xef => 3,
                    0xf0..=0xf7 => 4,
                    _ => return self.error(Some(within), start, Problem::LeadingOctet),
                };
            } else if octet & 0xc0 != 0x80 {
                return self.error(Some(within), start, Problem::TrailingOctet);
            }
            if let Some(slot) = octets.get_mut(count) {
                *slot = octet;
            }
            count = count.wrapping_add(1);
            self.skip(3);
        }
        let character = octets.get(..wanted).unwrap_or_default();
        self.buffer.push_str(&String::from_utf8_lossy(character));
        Ok(())
    }
}
