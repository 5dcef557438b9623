//! Resolves scalars like go-yaml v2: words, numbers and tags (resolve.go).

use super::problem::Problem;
use claimkit_values::float;
use std::borrow::Cow;

/// The resolved value of a scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ScalarValue {
    /// `null`.
    Null,
    Bool(bool),
    /// An integer of 64 signed bits.
    Int(i64),
    /// An integer that needs the 64th bit.
    Uint(u64),
    /// A float, perhaps infinite or not a number.
    Float(f64),
    Text,
}

const PREFIX: &str = "tag:yaml.org,2002:";

/// Resolves the value of a scalar. `implicit`: plain without a tag (or with the tag `!`).
///
/// # Errors
/// go-yaml's message for a value that does not fit its tag.
pub(super) fn resolve(tag: &str, text: &str, implicit: bool) -> Result<ScalarValue, Problem> {
    if tag.is_empty() {
        return Ok(if implicit {
            plain(text)
        } else {
            ScalarValue::Text
        });
    }
    let Some(wanted @ ("str" | "bool" | "int" | "float" | "null" | "timestamp")) =
        tag.strip_prefix(PREFIX)
    else {
        return Ok(ScalarValue::Text);
    };
    if wanted == "str" {
        return Ok(ScalarValue::Text);
    }
    let value = plain(text);
    let found = match value {
        ScalarValue::Null => "null",
        ScalarValue::Bool(_) => "bool",
        ScalarValue::Int(_) | ScalarValue::Uint(_) => "int",
        ScalarValue::Float(_) => "float",
        ScalarValue::Text if wanted == "timestamp" && is_timestamp(text) => "timestamp",
        ScalarValue::Text => "str",
    };
    match value {
        _ if found == wanted => Ok(value),
        ScalarValue::Int(int) if wanted == "float" => Ok(ScalarValue::Float(int as f64)),
        _ => Err(Problem::WrongTag {
            found,
            text: text.to_owned(),
            wanted: wanted.to_owned(),
        }),
    }
}

/// Returns the bytes of a `!!binary` scalar as text; `None` if they are not base64. Line breaks may be anywhere. Each byte that
/// is not UTF-8 becomes U+FFFD, as in Go's JSON.
pub(super) fn binary(text: &str) -> Option<String> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|b| !matches!(b, b'\r' | b'\n'))
        .collect();
    if !digits.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len());
    let quads = digits.len().wrapping_div(4);
    for (at, quad) in digits.chunks(4).enumerate() {
        let last = at.saturating_add(1) == quads;
        let padding_bytes = quad.iter().rev().take_while(|&&b| b == b'=');
        let padding = padding_bytes.count();
        if padding > 2 || (padding > 0 && !last) {
            return None;
        }
        let mut bits = 0u32;
        for &digit in quad.iter().take(4usize.saturating_sub(padding)) {
            bits = bits.wrapping_shl(6) | u32::from(base64_digit(digit)?);
        }
        bits = bits.wrapping_shl(6u32.saturating_mul(padding as u32));
        let [_, triple @ ..] = bits.to_be_bytes();
        let count = 3usize.saturating_sub(padding);
        bytes.extend(triple.iter().take(count));
    }
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(std::iter::repeat_n('\u{fffd}', chunk.invalid().len()));
    }
    Some(out)
}

fn base64_digit(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte.wrapping_sub(b'A')),
        b'a'..=b'z' => Some(byte.wrapping_sub(b'a').wrapping_add(26)),
        b'0'..=b'9' => Some(byte.wrapping_sub(b'0').wrapping_add(52)),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

/// Resolves a plain scalar without a tag.
pub(super) fn plain(text: &str) -> ScalarValue {
    match text.as_bytes().first() {
        None => ScalarValue::Null,
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            resolve_word(text)
        }
        Some(b'.') => resolve_point(text),
        Some(b'+' | b'-' | b'0'..=b'9') => resolve_number(text),
        Some(_) => ScalarValue::Text,
    }
}

/// The words that are not strings: in lower case, in upper case, or with an upper-case first letter.
const WORDS: [(&str, ScalarValue); 10] = [
    ("y", ScalarValue::Bool(true)),
    ("n", ScalarValue::Bool(false)),
    ("~", ScalarValue::Null),
    ("on", ScalarValue::Bool(true)),
    ("no", ScalarValue::Bool(false)),
    ("yes", ScalarValue::Bool(true)),
    ("off", ScalarValue::Bool(false)),
    ("true", ScalarValue::Bool(true)),
    ("null", ScalarValue::Null),
    ("false", ScalarValue::Bool(false)),
];

fn resolve_word(text: &str) -> ScalarValue {
    if text.len() > "false".len() {
        return ScalarValue::Text;
    }
    let mut words = WORDS.iter();
    let Some((word, value)) = words.find(|(word, _)| word.eq_ignore_ascii_case(text)) else {
        return ScalarValue::Text;
    };
    let capitals = text.bytes().filter(u8::is_ascii_uppercase).count();
    let begins_with_capital = text.starts_with(|c: char| c.is_ascii_uppercase());
    let is_lower = capitals == 0;
    let is_title = capitals == 1 && begins_with_capital;
    if is_lower || is_title || capitals == word.len() {
        *value
    } else {
        ScalarValue::Text
    }
}

fn resolve_point(text: &str) -> ScalarValue {
    match text {
        ".nan" | ".NaN" | ".NAN" => ScalarValue::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" => ScalarValue::Float(f64::INFINITY),
        _ if !text.contains('_') && is_float(text) => float(text),
        _ if text.contains('_') && separates_digits(text) => {
            let digits = text.replace('_', "");
            if is_float(&digits) {
                float(&digits)
            } else {
                ScalarValue::Text
            }
        }
        _ => ScalarValue::Text,
    }
}

/// Checks that every `_` is between two digits, as Go requires where a number is parsed as written.
fn separates_digits(text: &str) -> bool {
    let underscores = text.matches('_').count();
    let between_digits = text
        .as_bytes()
        .windows(3)
        .filter(|three| matches!(three, [b'0'..=b'9', b'_', b'0'..=b'9']));
    between_digits.count() == underscores
}

fn float(text: &str) -> ScalarValue {
    match float::parse(text) {
        // Go refuses numbers that overflow.
        Some(value) if value.is_finite() => ScalarValue::Float(value),
        _ => ScalarValue::Text,
    }
}

fn resolve_number(text: &str) -> ScalarValue {
    match text {
        "+.inf" | "+.Inf" | "+.INF" => return ScalarValue::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return ScalarValue::Float(f64::NEG_INFINITY),
        _ => {}
    }
    let digits: Cow<'_, str> = if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    if let Some(value) = parse_integer(&digits) {
        return value;
    }
    if is_float(&digits) {
        let value = float(&digits);
        if value != ScalarValue::Text {
            return value;
        }
    }
    // The rest of go-yaml's own reading of binary numbers: a sign after `0b`.
    match digits
        .strip_prefix("0b")
        .filter(|rest| rest.starts_with(['+', '-']))
    {
        Some(rest) => i64::from_str_radix(rest, 2).map_or(ScalarValue::Text, ScalarValue::Int),
        None => ScalarValue::Text,
    }
}

/// Parses an integer as Go's `ParseInt(text, 0, 64)` does, else as `ParseUint(text, 0, 64)`.
fn parse_integer(text: &str) -> Option<ScalarValue> {
    let (signed, negative, rest) = match text.as_bytes().first() {
        Some(b'-') => (true, true, text.get(1..)?),
        Some(b'+') => (true, false, text.get(1..)?),
        _ => (false, false, text),
    };
    let (radix, digits) = match rest.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, rest.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, rest.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, rest.get(2..)?),
        [b'0', _, ..] => (8, rest.get(1..)?),
        _ => (10, rest),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = u64::from_str_radix(digits, radix).ok()?;
    match i64::try_from(value) {
        Ok(int) => Some(ScalarValue::Int(if negative {
            int.wrapping_neg()
        } else {
            int
        })),
        Err(_) if negative && value == i64::MIN.unsigned_abs() => Some(ScalarValue::Int(i64::MIN)),
        Err(_) if signed => None,
        Err(_) => Some(ScalarValue::Uint(value)),
    }
}

/// Matches `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, and nothing else.
fn is_float(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let mantissa_ok = match mantissa.split_once('.') {
        Some(("", fraction)) => !fraction.is_empty() && all_digits(fraction),
        Some((whole, fraction)) => all_digits(whole) && all_digits(fraction),
        None => !mantissa.is_empty() && all_digits(mantissa),
    };
    let exponent_ok = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    mantissa_ok && exponent_ok
}

fn all_digits(text: &str) -> bool {
    claimkit_values::has_only_digits(text)
}

/// Recognizes the date forms go-yaml accepts for `!!timestamp`.
fn is_timestamp(text: &str) -> bool {
    let mut rest = text.as_bytes();
    if !skip_date(&mut rest) {
        return false;
    }
    let is_zoned = match take_byte(&mut rest) {
        None => return true,
        Some(b'T' | b't') => true,
        Some(b' ') => false,
        _ => return false,
    };
    if !skip_time(&mut rest) {
        return false;
    }
    if is_zoned {
        is_zone(rest)
    } else {
        rest.is_empty()
    }
}

/// Steps over a year, a month and a day that exist; false if that is not what comes next.
fn skip_date(rest: &mut &[u8]) -> bool {
    let (Some(year), Some(b'-')) = (take_number(rest, 4, 4), take_byte(rest)) else {
        return false;
    };
    let (Some(month @ 1..=12), Some(b'-')) = (take_number(rest, 1, 2), take_byte(rest)) else {
        return false;
    };
    let is_leap_year = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap_year => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    take_number(rest, 1, 2).is_some_and(|day| (1..=days).contains(&day))
}

/// Steps over hours, minutes, seconds and their fraction; false if that is not what comes next.
fn skip_time(rest: &mut &[u8]) -> bool {
    let (Some(0..=23), Some(b':')) = (take_number(rest, 1, 2), take_byte(rest)) else {
        return false;
    };
    let (Some(0..=59), Some(b':')) = (take_number(rest, 1, 2), take_byte(rest)) else {
        return false;
    };
    let Some(0..=59) = take_number(rest, 1, 2) else {
        return false;
    };
    if let [b'.' | b',', fraction @ ..] = *rest
        && fraction.first().is_some_and(u8::is_ascii_digit)
    {
        *rest = fraction;
        while let [b'0'..=b'9', behind @ ..] = *rest {
            *rest = behind;
        }
    }
    true
}

/// Recognizes `Z`, or an offset such as `+01:00`.
fn is_zone(zone: &[u8]) -> bool {
    let mut rest = zone;
    match take_byte(&mut rest) {
        Some(b'Z') => rest.is_empty(),
        Some(b'+' | b'-') => {
            matches!(take_number(&mut rest, 2, 2), Some(0..=24))
                && take_byte(&mut rest) == Some(b':')
                && matches!(take_number(&mut rest, 2, 2), Some(0..=59))
                && rest.is_empty()
        }
        _ => false,
    }
}

fn take_byte(rest: &mut &[u8]) -> Option<u8> {
    let (first, tail) = rest.split_first()?;
    *rest = tail;
    Some(*first)
}

fn take_number(rest: &mut &[u8], least: usize, most: usize) -> Option<u32> {
    let count = rest
        .iter()
        .take(most)
        .take_while(|b| b.is_ascii_digit())
        .count();
    if count < least {
        return None;
    }
    let (digits, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns the string form of a float key: Go's `FormatFloat(value, 'g', -1, 32)`, with YAML's words for the special values.
pub(super) fn float_key(value: f64) -> String {
    if value.is_nan() {
        return ".nan".to_owned();
    }
    let single = value as f32;
    if single.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    shortest(&float::scientific_single(single))
}

/// Writes a float as Go's `%v` does.
pub(super) fn float_value(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned()
    } else {
        shortest(&float::scientific(value))
    }
}

/// Writes a number as Go's `%g` does with the fewest digits, from Rust's `{:e}` (`1.5e-7`): an exponent below -4 or from 6 on is
/// written out, with a sign and at least two digits.
fn shortest(scientific: &str) -> String {
    let (mantissa, digits_of_exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = digits_of_exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    let (sign, mantissa) = mantissa
        .strip_prefix('-')
        .map_or(("", mantissa), |rest| ("-", rest));
    let digits = mantissa.replace('.', "");
    let count = digits.len();
    match usize::try_from(exponent) {
        Ok(exponent) => {
            let whole = exponent.saturating_add(1);
            if count <= whole {
                format!("{sign}{digits}{}", "0".repeat(whole.saturating_sub(count)))
            } else {
                let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((&digits, ""));
                format!("{sign}{whole}.{fraction}")
            }
        }
        Err(_) => format!(
            "{sign}0.{}{digits}",
            "0".repeat((exponent.unsigned_abs() as usize).saturating_sub(1))
        ),
    }
}
