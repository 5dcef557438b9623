//! The characters with a meaning in YAML 1.1, as byte classes, and the characters that it forbids.

use crate::word;

/// Ends a run of plain scalar text in block context.
const PLAIN: u8 = 1;
/// Ends a run of plain scalar text in flow context.
const PLAIN_FLOW: u8 = 2;
/// Ends a run of text in single quotes.
const SINGLE: u8 = 4;
/// Ends a run of text in double quotes.
const DOUBLE: u8 = 8;
/// Letters, digits, `_` and `-`: directive names, anchors, tag handles.
const WORD: u8 = 32;
/// The other characters allowed in a tag.
const URI: u8 = 64;
/// May begin no plain scalar.
const INDICATOR: u8 = 128;

#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated by the compiler"
)]
const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut byte = 0u16;
    while byte < 256 {
        let b = byte as u8;
        let mut class = 0;
        if b >= 0x80 {
            class |= PLAIN | PLAIN_FLOW | SINGLE | DOUBLE;
        }
        class |= match b {
            b' ' | b'\t' | 0 => PLAIN | PLAIN_FLOW | SINGLE | DOUBLE | INDICATOR,
            b'\n' | b'\r' => PLAIN | PLAIN_FLOW | SINGLE | DOUBLE | INDICATOR,
            b':' => PLAIN | PLAIN_FLOW | URI | INDICATOR,
            b',' | b'[' | b']' => PLAIN_FLOW | URI | INDICATOR,
            b'?' => PLAIN_FLOW | URI | INDICATOR,
            b'{' | b'}' => PLAIN_FLOW | INDICATOR,
            b'\'' => SINGLE | URI | INDICATOR,
            b'"' => DOUBLE | INDICATOR,
            b'\\' => DOUBLE,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' => WORD,
            b'-' => WORD | INDICATOR,
            b'&' | b'!' | b'*' | b'@' | b'%' => URI | INDICATOR,
            b'#' | b'|' | b'>' | b'`' => INDICATOR,
            b';' | b'/' | b'=' | b'+' | b'$' | b'.' | b'~' | b'(' | b')' => URI,
            _ => 0,
        };
        table[byte as usize] = class;
        byte += 1;
    }
    table
}

static CLASS: [u8; 256] = classes();

/// A byte class that ends a run of plain bytes.
#[derive(Clone, Copy)]
pub(super) struct StopClass(u8);

impl StopClass {
    pub const PLAIN: Self = Self(PLAIN);
    pub const PLAIN_IN_FLOW: Self = Self(PLAIN_FLOW);
    pub const SINGLE_QUOTED: Self = Self(SINGLE);
    pub const DOUBLE_QUOTED: Self = Self(DOUBLE);

    /// Returns true when `byte` ends the run.
    #[inline]
    pub fn at(self, byte: u8) -> bool {
        class(byte) & self.0 != 0
    }

    /// Returns the length of the run at the start of `bytes`.
    #[inline(always)]
    pub fn run(self, bytes: &[u8]) -> usize {
        let mut tail = bytes;
        let mut base = 0usize;
        if self.0 == PLAIN {
            let (words, rest) = bytes.as_chunks::<8>();
            for eight in words {
                let mut found = word::candidates(u64::from_le_bytes(*eight), b':');
                while found != 0 {
                    let within = word::first(found);
                    if eight.get(within).is_some_and(|&b| self.at(b)) {
                        return base.wrapping_add(within);
                    }
                    found &= found.wrapping_sub(1);
                }
                base = base.wrapping_add(eight.len());
            }
            tail = rest;
        }
        let within = tail.iter().position(|&b| self.at(b));
        base.wrapping_add(within.unwrap_or(tail.len()))
    }
}

#[inline]
fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Returns true for letters, digits, `_` and `-`.
pub(super) fn is_word(byte: u8) -> bool {
    class(byte) & WORD != 0
}

/// Returns true for characters that a tag may have.
pub(super) fn is_uri(byte: u8) -> bool {
    class(byte) & (WORD | URI) != 0
}

/// Returns true for characters that cannot begin a plain scalar, with exceptions that depend on the next character.
pub(super) fn is_indicator(byte: u8) -> bool {
    class(byte) & INDICATOR != 0
}

/// Returns the length in bytes of the character that begins with `lead`.
#[inline]
pub(super) fn width(lead: u8) -> usize {
    match lead {
        0..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    }
}

/// Returns the number of bytes at the start that are certainly on the same line: all before the first control or multi-byte
/// character.
pub(super) fn line_run(bytes: &[u8]) -> usize {
    word::find(bytes, word::odd).unwrap_or(bytes.len())
}

/// Returns the offset in `text` of the first character that YAML forbids (control characters, DEL, C1 except NEL, U+FFFE,
/// U+FFFF).
///
/// ```
/// assert_eq!(claimkit_yaml::yaml::first_refused("a\u{7}"), Some(1));
/// ```
pub fn first_refused(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (words, tail) = bytes.as_chunks::<8>();
    let mut base = 0usize;
    for word in words {
        let eight = u64::from_le_bytes(*word);
        let suspect = word::beyond(eight) | word::control(eight);
        if suspect != 0
            && suspect != word::equal(eight, b'\n')
            && let Some(at) = refused_in(bytes, base, base.saturating_add(word.len()))
        {
            return Some(at);
        }
        base = base.saturating_add(word.len());
    }
    refused_in(bytes, base, base.saturating_add(tail.len()))
}

fn refused_in(bytes: &[u8], from: usize, to: usize) -> Option<usize> {
    (from..to).find(|&at| match bytes.get(at..).unwrap_or_default() {
        [b'\n' | b'\r' | b'\t', ..] => false,
        [0..=0x1f | 0x7f, ..] => true,
        [0xc2, 0x80..=0x84 | 0x86..=0x9f, ..] => true,
        [0xef, 0xbf, 0xbe | 0xbf, ..] => true,
        _ => false,
    })
}

/// go-yaml decodes its input in pieces of this many bytes. It finds a forbidden character when it reads the piece, which may be
/// before it finds an earlier mistake.
const PIECE: usize = 512;

/// Returns the start of the piece that has byte `at`. Like go-yaml, pieces have 512 bytes, and a character that does not fit into
/// one moves to the next. kubectl passes CR LF on as LF.
pub(super) fn piece_start(chunk: &str, at: usize, crlf_is_lf: bool) -> usize {
    let mut start = 0usize;
    let mut used = 0usize;
    for (offset, c) in chunk.char_indices() {
        let next = chunk.as_bytes().get(offset.saturating_add(1));
        let width = if crlf_is_lf && c == '\r' && next == Some(&b'\n') {
            0
        } else {
            c.len_utf8()
        };
        used = used.saturating_add(width);
        if used > PIECE {
            start = offset;
            used = width;
        }
        if offset >= at {
            break;
        }
    }
    start
}
