//! Decodes bytes that may not be UTF-8 into text for [`super::read`].

use crate::finding::{Code, Finding, TextField};
use crate::message::{Message, message};
use crate::text::Span;
use std::borrow::Cow;

/// Bytes decoded as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText<'b> {
    pub text: Cow<'b, str>,
    /// The byte offset of the first U+FFFD that replaces invalid bytes.
    pub replaced: Option<usize>,
}

/// Combines two bytes into a UTF-16 code unit.
type Units = fn([u8; 2]) -> u16;

/// Decodes bytes as kubectl does: UTF-8, or UTF-16 with a byte order mark. Invalid bytes become U+FFFD, one for each run of bytes
/// that could begin a character (cli-runtime, pkg/resource/visitor.go, `StreamVisitor.Visit`).
pub fn decode(bytes: &[u8]) -> DecodedText<'_> {
    let (unit_of, rest): (Units, &[u8]) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return utf8(bytes),
    };
    let (pairs, odd) = rest.as_chunks::<2>();
    let mut text = String::with_capacity(rest.len());
    let mut replaced = None;
    for character in char::decode_utf16(pairs.iter().map(|&pair| unit_of(pair))) {
        if character.is_err() {
            replaced = replaced.or(Some(text.len()));
        }
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !odd.is_empty() {
        replaced = replaced.or(Some(text.len()));
        text.push(char::REPLACEMENT_CHARACTER);
    }
    DecodedText {
        text: Cow::Owned(text),
        replaced,
    }
}

fn utf8(bytes: &[u8]) -> DecodedText<'_> {
    let replaced = std::str::from_utf8(bytes)
        .err()
        .map(|error| error.valid_up_to());
    DecodedText {
        text: String::from_utf8_lossy(bytes),
        replaced,
    }
}

/// Makes the warning about the first byte that is not UTF-8; `at` is [`DecodedText::replaced`].
pub fn warning(at: usize, subject: TextField) -> Finding {
    let message = message!(
        "text.not-utf8",
        "a byte here is not UTF-8: kubectl reads the character U+FFFD in its place"
    );
    let end = at.saturating_add(char::REPLACEMENT_CHARACTER.len_utf8());
    Finding::new(Code::NotUtf8, message)
        .with_help(save_as_utf8())
        .about(subject)
        .with_span(Span::new(at, end))
}

/// Returns the help with a text whose bytes are not UTF-8.
pub fn save_as_utf8() -> Message {
    message!("text.not-utf8-help", "save the file as UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str, replaced: Option<usize>) -> DecodedText<'_> {
        DecodedText {
            text: Cow::Borrowed(text),
            replaced,
        }
    }

    #[test]
    fn what_is_no_character_is_replaced_as_kubectl_does() {
        assert_eq!(
            decode(b"a: \xff\xfe\n"),
            decoded("a: \u{fffd}\u{fffd}\n", Some(3))
        );
        assert_eq!(
            decode(b"a: caf\xe9\n"),
            decoded("a: caf\u{fffd}\n", Some(6))
        );
        assert_eq!(
            decode(b"a: \xc0\x80\n"),
            decoded("a: \u{fffd}\u{fffd}\n", Some(3))
        );
        assert_eq!(
            decode(b"a: \xed\xa0\x80\n"),
            decoded("a: \u{fffd}\u{fffd}\u{fffd}\n", Some(3))
        );
        // An incomplete character is one run.
        assert_eq!(
            decode(b"a: \xf0\x9f\x98\n"),
            decoded("a: \u{fffd}\n", Some(3))
        );
        assert_eq!(decode(b"a: \xe2\x82"), decoded("a: \u{fffd}", Some(3)));
        assert_eq!(
            decode("a: é\u{fffd}\n".as_bytes()),
            decoded("a: é\u{fffd}\n", None)
        );
    }

    #[test]
    fn utf16_with_a_mark_is_text() {
        for (mark, bytes_of) in [
            ([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]),
            ([0xfe, 0xff], u16::to_be_bytes),
        ] {
            let mut bytes = mark.to_vec();
            bytes.extend("a: é😀\n".encode_utf16().flat_map(bytes_of));
            assert_eq!(decode(&bytes), decoded("a: é😀\n", None));
            bytes.extend(
                [0xd83d, u16::from(b'b')]
                    .into_iter()
                    .flat_map(bytes_of)
                    .chain([0]),
            );
            assert_eq!(
                decode(&bytes),
                decoded("a: é😀\n\u{fffd}b\u{fffd}", Some(10))
            );
        }
    }
}
