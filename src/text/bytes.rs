//! Bytes that may be no UTF-8, on their way to [`super::read`].

use super::mode::{Mode, mode};
use std::borrow::Cow;

/// What bytes are as text, and what had to be put in their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'b> {
    /// The text; as long as the bytes, unless it was UTF-16 or is damaged JSON.
    pub text: Cow<'b, str>,
    /// The first byte that is no text. Stand-ins are in its place: in JSON U+FFFD as Go's decoder
    /// puts there, in YAML a character that YAML refuses as well.
    pub damage: Option<Damage>,
}

/// Where bytes are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The stand-in's byte in the text.
    pub at: usize,
    /// go-yaml's words for it.
    pub problem: &'static str,
}

/// What to do about damage.
pub const HELP: &str = "save the file as UTF-8: a byte here is no part of a character";

impl Damage {
    /// The message of a finding from byte to byte of the text in go-yaml's words, if it is the refusal of the stand-in.
    /// [`HELP`] belongs to it, and no fix.
    pub fn words(&self, from: usize, to: usize, message: &str) -> Option<String> {
        // The stand-in is one byte long.
        let here = from == self.at && to == self.at.saturating_add(1);
        (here && message == "yaml: control characters are not allowed").then(|| format!("yaml: {}", self.problem))
    }

    /// What there is to say of a text that no finding points into: go-yaml's words and the place. [`HELP`] belongs to it.
    /// `None` for JSON, which Go reads with the stand-in.
    pub fn refusal(&self, text: &str) -> Option<String> {
        let (before, rest) = text.split_at_checked(self.at)?;
        let line = before.bytes().filter(|&byte| byte == b'\n').count().saturating_add(1);
        (!rest.starts_with('\u{fffd}')).then(|| format!("yaml: {} (line {line}, byte {})", self.problem, self.at))
    }
}

/// How two bytes make a unit of UTF-16.
type Units = fn([u8; 2]) -> u16;

/// Bytes as kubectl reads them: UTF-8, or UTF-16 with a byte order mark.
pub fn decode(bytes: &[u8]) -> Decoded<'_> {
    let (units, rest): (Units, &[u8]) = match bytes {
        [0xff, 0xfe, rest @ ..] => (u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => (u16::from_be_bytes, rest),
        _ => return utf8(bytes),
    };
    let (pairs, odd) = rest.as_chunks::<2>();
    let mut text = String::with_capacity(rest.len());
    let mut damage = None;
    for unit in char::decode_utf16(pairs.iter().map(|&pair| units(pair))) {
        match unit {
            Ok(c) => text.push(c),
            Err(error) => {
                let low = matches!(error.unpaired_surrogate(), 0xdc00..=0xdfff);
                let problem = if low { "unexpected low surrogate area" } else { "expected low surrogate area" };
                damage = damage.or(Some(Damage { at: text.len(), problem }));
                text.push('\0');
            }
        }
    }
    if !odd.is_empty() {
        damage = damage.or(Some(Damage { at: text.len(), problem: "incomplete UTF-16 character" }));
        text.push('\0');
    }
    Decoded { text: Cow::Owned(text), damage }
}

fn utf8(bytes: &[u8]) -> Decoded<'_> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Decoded { text: Cow::Borrowed(text), damage: None },
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let damage = Some(Damage { at, problem: problem(bytes.get(at..).unwrap_or_default()) });
    let valid = bytes.get(..at).and_then(|valid| std::str::from_utf8(valid).ok()).unwrap_or("");
    let yaml = mode(valid) == Mode::Yaml;
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        // One for each byte, as Go counts.
        text.extend(chunk.invalid().iter().map(|_| if yaml { '\0' } else { '\u{fffd}' }));
    }
    Decoded { text: Cow::Owned(text), damage }
}

/// go-yaml's words for a sequence that is no character. What it reads always goes on with a line
/// break, so that a sequence cut short is one with a wrong byte in it.
fn problem(bytes: &[u8]) -> &'static str {
    let lead = bytes.first().copied().unwrap_or(0);
    let (width, least, mut value) = match lead {
        0xc0..=0xdf => (2usize, 0x80u32, u32::from(lead & 0x1f)),
        0xe0..=0xef => (3, 0x800, u32::from(lead & 0x0f)),
        0xf0..=0xf7 => (4, 0x1_0000, u32::from(lead & 0x07)),
        _ => return "invalid leading UTF-8 octet",
    };
    for at in 1..width {
        let octet = bytes.get(at).copied().unwrap_or(b'\n');
        if octet & 0xc0 != 0x80 {
            return "invalid trailing UTF-8 octet";
        }
        value = value.wrapping_shl(6) | u32::from(octet & 0x3f);
    }
    if value < least { "invalid length of a UTF-8 sequence" } else { "invalid Unicode character" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::text::read;

    #[track_caller]
    fn message(bytes: &[u8]) -> String {
        let decoded = decode(bytes);
        let file = read(&decoded.text, &Limits::default());
        let Some(finding) = file.findings.first() else { return String::new() };
        let words =
            finding.span.zip(decoded.damage).and_then(|(span, damage)| damage.words(span.from(), span.to(), &finding.message));
        words.unwrap_or_else(|| finding.message.clone())
    }

    #[test]
    fn damaged_utf8_is_refused_in_go_yamls_words() {
        assert_eq!(message(b"a: \xff\n"), "yaml: invalid leading UTF-8 octet");
        assert_eq!(message(b"a: \x80\n"), "yaml: invalid leading UTF-8 octet");
        assert_eq!(message(b"a: caf\xe9\n"), "yaml: invalid trailing UTF-8 octet");
        assert_eq!(message(b"a: \xc0\x80\n"), "yaml: invalid length of a UTF-8 sequence");
        assert_eq!(message(b"a: \xed\xa0\x80\n"), "yaml: invalid Unicode character");
        assert_eq!(message(b"a: \xc3"), "yaml: invalid trailing UTF-8 octet");
        // A real control character keeps its own words.
        assert_eq!(message(b"a: \x07\n"), "yaml: control characters are not allowed");
        assert_eq!(message("a: é\n".as_bytes()), "");
    }

    #[test]
    fn a_mistake_far_before_the_damage_comes_first() {
        let mut bytes = b"a: b: c\n".repeat(100);
        bytes.extend(b"d: \xff\n");
        assert_eq!(message(&bytes), "yaml: mapping values are not allowed in this context");
        assert_eq!(message(b"a: b: c\n\xff\n"), "yaml: invalid leading UTF-8 octet");
    }

    #[test]
    fn utf16_with_a_mark_is_text() {
        for (mark, bytes_of) in [([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]), ([0xfe, 0xff], u16::to_be_bytes)] {
            let mut bytes = mark.to_vec();
            bytes.extend("a: é😀\n".encode_utf16().flat_map(bytes_of));
            assert_eq!(decode(&bytes), Decoded { text: Cow::Borrowed("a: é😀\n"), damage: None });
        }
        assert_eq!(decode(b"{\"a\": \"\xff\"}").text, "{\"a\": \"\u{fffd}\"}");
    }
}
