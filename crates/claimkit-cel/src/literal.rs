//! Values of literals.

use std::borrow::Cow;

/// Returns the value of `1`, `-1`, `0x1f`; none beyond 64 bits.
pub fn int(digits: &str, negative: bool) -> Option<i64> {
    let (digits, base) = base(digits);
    let value = u64::from_str_radix(digits, base).ok()?;
    if negative {
        0_i64.checked_sub_unsigned(value)
    } else {
        i64::try_from(value).ok()
    }
}

/// Returns the value of `1u`, `0x1fu`; none beyond 64 bits.
pub fn uint(text: &str) -> Option<u64> {
    let (digits, base) = base(text.strip_suffix(['u', 'U'])?);
    u64::from_str_radix(digits, base).ok()
}

fn base(digits: &str) -> (&str, u32) {
    digits
        .strip_prefix("0x")
        .map_or((digits, 10), |digits| (digits, 16))
}

/// Returns the value of `1.5`, `1e3`; none if it is too large.
pub fn double(digits: &str, negative: bool) -> Option<f64> {
    let value: f64 = digits.parse().ok()?;
    value
        .is_finite()
        .then_some(if negative { -value } else { value })
}

/// Returns the value of a string with its quotes. Fails with cel-go's message.
pub fn string(text: &str, surrogates_are_refused: bool) -> Result<String, &'static str> {
    let unescaped = unescape(
        text,
        Escapes::String {
            surrogates_are_refused,
        },
    )?;
    String::from_utf8(unescaped).map_err(|_| WRONG)
}

/// Returns the value of a string with its quotes and the `b`. Fails with cel-go's message.
pub fn bytes(text: &str) -> Result<Vec<u8>, &'static str> {
    unescape(
        text.strip_prefix(['b', 'B']).unwrap_or(text),
        Escapes::Bytes,
    )
}

/// cel-go, `parser/unescape.go`.
const WRONG: &str = "unable to unescape string";

/// cel-go from 0.23 on, in the same place.
const WRONG_CODE_POINT: &str = "invalid unicode code point";

/// The rules for escapes in a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    String { surrogates_are_refused: bool },
    Bytes,
}

fn unescape(text: &str, escapes: Escapes) -> Result<Vec<u8>, &'static str> {
    let (raw, quoted) = match text.strip_prefix(['r', 'R']) {
        Some(quoted) => (true, quoted),
        None => (false, text),
    };
    let inner = without_quotes(quoted).ok_or(WRONG)?;
    let inner = if inner.contains('\r') {
        Cow::Owned(inner.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(inner)
    };
    if raw {
        return Ok(inner.into_owned().into_bytes());
    }
    let mut value = Vec::with_capacity(inner.len());
    let mut rest = inner.as_ref();
    while let Some((before, escape)) = rest.split_once('\\') {
        value.extend_from_slice(before.as_bytes());
        rest = read_escape(escape, escapes, &mut value)?;
    }
    value.extend_from_slice(rest.as_bytes());
    Ok(value)
}

fn without_quotes(text: &str) -> Option<&str> {
    for quote in ["\"\"\"", "'''", "\"", "'"] {
        if let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote))
        {
            return Some(inner);
        }
    }
    None
}

/// Adds what an escape stands for. `text` starts after the backslash. Returns what follows.
fn read_escape<'a>(
    text: &'a str,
    escapes: Escapes,
    value: &mut Vec<u8>,
) -> Result<&'a str, &'static str> {
    let letter = text.chars().next().ok_or(WRONG)?;
    let rest = text.get(letter.len_utf8()..).unwrap_or_default();
    let (digits, base) = match letter {
        'a' => return Ok(simple(b'\x07', rest, value)),
        'b' => return Ok(simple(b'\x08', rest, value)),
        'f' => return Ok(simple(b'\x0c', rest, value)),
        'n' => return Ok(simple(b'\n', rest, value)),
        'r' => return Ok(simple(b'\r', rest, value)),
        't' => return Ok(simple(b'\t', rest, value)),
        'v' => return Ok(simple(b'\x0b', rest, value)),
        '\\' | '\'' | '"' | '`' | '?' => return Ok(simple(letter as u8, rest, value)),
        'x' | 'X' => (rest.get(..2), 16),
        'u' if escapes != Escapes::Bytes => (rest.get(..4), 16),
        'U' if escapes != Escapes::Bytes => (rest.get(..8), 16),
        '0'..='3' => (text.get(..3), 8),
        _ => return Err(WRONG),
    };
    let written = digits.ok_or(WRONG)?;
    let number = u32::from_str_radix(written, base).map_err(|_| WRONG)?;
    push_number(number, escapes, value)?;
    let end = if base == 8 { 2 } else { written.len() };
    Ok(rest.get(end..).unwrap_or_default())
}

/// Adds the byte or the character with a number.
fn push_number(number: u32, escapes: Escapes, value: &mut Vec<u8>) -> Result<(), &'static str> {
    match (escapes, char::from_u32(number)) {
        (Escapes::Bytes, _) => value.push(u8::try_from(number).map_err(|_| WRONG)?),
        (_, Some(character)) => {
            value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes())
        }
        (
            Escapes::String {
                surrogates_are_refused: true,
            },
            None,
        ) => return Err(WRONG_CODE_POINT),
        // Go keeps the number in 32 bits with a sign: the largest ones are negative and so not beyond U+10FFFF.
        (_, None) if (0x11_0000..0x8000_0000).contains(&number) => return Err(WRONG),
        (_, None) => value.extend_from_slice("\u{fffd}".as_bytes()),
    }
    Ok(())
}

fn simple<'a>(byte: u8, rest: &'a str, value: &mut Vec<u8>) -> &'a str {
    value.push(byte);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_bounds() {
        assert_eq!(int("9223372036854775808", true), Some(i64::MIN));
        assert_eq!(int("9223372036854775808", false), None);
        assert_eq!(int("0x7fffffffffffffff", false), Some(i64::MAX));
        assert_eq!(int("007", false), Some(7));
        assert_eq!(uint("0xffffffffffffffffU"), Some(u64::MAX));
        assert_eq!(uint("18446744073709551616u"), None);
        assert_eq!(
            (double("1e309", false), double(".5", true)),
            (None, Some(-0.5))
        );
    }

    #[test]
    fn escapes_are_code_points_in_strings_and_bytes_in_bytes() {
        assert_eq!(
            string(r#""\xff\377\u00e9\n""#, true).as_deref(),
            Ok("ÿÿé\n")
        );
        assert_eq!(bytes(r#"b"é\xff\377""#), Ok(vec![0xc3, 0xa9, 0xff, 0xff]));
        assert_eq!(string(r#"r"\n""#, true).as_deref(), Ok("\\n"));
        assert_eq!(string("'''a\r\nb\rc'''", true).as_deref(), Ok("a\nb\nc"));
        assert_eq!(string("''", true).as_deref(), Ok(""));
        assert_eq!(bytes(r#"b"\u00e9""#), Err(WRONG));
    }

    #[test]
    fn what_is_no_code_point_differs_by_release() {
        assert_eq!(string(r#""\ud800""#, true), Err(WRONG_CODE_POINT));
        assert_eq!(string(r#""\ud800""#, false).as_deref(), Ok("\u{fffd}"));
        assert_eq!(string(r#""\U00110000""#, false), Err(WRONG));
        assert_eq!(string(r#""\Uffffffff""#, false).as_deref(), Ok("\u{fffd}"));
    }
}
