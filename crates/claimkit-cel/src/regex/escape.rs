//! Escapes, named classes and errors of regular expressions.
//!
//! Source: Go's `regexp/syntax` (`parse.go`, `perl_groups.go`).

use super::class::CharacterClass;

pub(super) fn error(code: &str, fragment: &str) -> String {
    format!("error parsing regexp: {code}: `{fragment}`")
}

pub(super) const BAD_RANGE: &str = "invalid character class range";

/// Returns `text` without its suffix `end`.
pub(super) fn before<'t>(text: &'t str, end: &str) -> &'t str {
    let length = text.len().saturating_sub(end.len());
    text.get(..length).unwrap_or(text)
}

/// Returns the first character, and the rest.
pub(super) fn next(text: &str) -> Option<(char, &str)> {
    let mut rest = text.chars();
    rest.next().map(|c| (c, rest.as_str()))
}

pub(super) fn class_character<'t>(text: &'t str, whole: &str) -> Result<(u32, &'t str), String> {
    match next(text) {
        None => Err(error("missing closing ]", whole)),
        Some(('\\', _)) => escape(text),
        Some((c, rest)) => Ok((u32::from(c), rest)),
    }
}

/// Reads an escape that stands for one character.
pub(super) fn escape(text: &str) -> Result<(u32, &str), String> {
    let Some((c, rest)) = next(text.get(1..).unwrap_or_default()) else {
        return Err(error("trailing backslash at end of expression", ""));
    };
    let code = match c {
        '0'..='7' => {
            if c != '0' && !rest.starts_with(|c| matches!(c, '0'..='7')) {
                return Err(invalid_escape(text, rest));
            }
            let more = rest
                .bytes()
                .take(2)
                .take_while(|byte| matches!(byte, b'0'..=b'7'))
                .count();
            let (digits, rest) = rest.split_at_checked(more).unwrap_or(("", rest));
            let value = u32::from(c).wrapping_sub(u32::from('0'));
            return Ok((
                digits
                    .bytes()
                    .fold(value, |sum, byte| sum << 3 | u32::from(byte & 7)),
                rest,
            ));
        }
        'x' => return hexadecimal(text, rest),
        'a' => 7,
        'f' => 12,
        'n' => 10,
        'r' => 13,
        't' => 9,
        'v' => 11,
        _ if c.is_ascii() && !c.is_ascii_alphanumeric() => u32::from(c),
        _ => return Err(invalid_escape(text, rest)),
    };
    Ok((code, rest))
}

/// Returns the error for the escape that `text` begins with, up to `rest`.
fn invalid_escape(text: &str, rest: &str) -> String {
    error("invalid escape sequence", before(text, rest))
}

/// Reads the text after `\x`: two digits, or any number of them in braces.
fn hexadecimal<'t>(text: &'t str, behind: &'t str) -> Result<(u32, &'t str), String> {
    let Some((first, mut rest)) = next(behind) else {
        return Err(invalid_escape(text, behind));
    };
    if first != '{' {
        let Some((second, rest)) = next(rest) else {
            return Err(invalid_escape(text, rest));
        };
        return match (first.to_digit(16), second.to_digit(16)) {
            (Some(high), Some(low)) => Ok((high << 4 | low, rest)),
            _ => Err(invalid_escape(text, rest)),
        };
    }
    let (mut code, mut digits) = (0u32, false);
    while let Some((c, behind)) = next(rest) {
        rest = behind;
        match c.to_digit(16) {
            Some(digit) => code = code << 4 | digit,
            None if c == '}' && digits => return Ok((code, rest)),
            None => break,
        }
        digits = true;
        if code > 0x10_ffff {
            break;
        }
    }
    Err(invalid_escape(text, rest))
}

/// Returns the class of `\d` and the like, and whether it is the letter for all others.
pub(super) fn perl_class(letter: Option<char>) -> Option<(CharacterClass, bool)> {
    let sign = letter?;
    let class = match sign.to_ascii_lowercase() {
        'd' => ascii_class("digit")?,
        // Without the vertical tab that `[:space:]` has.
        's' => CharacterClass::new(vec![(9, 10), (12, 13), (32, 32)]),
        'w' => ascii_class("word")?,
        _ => return None,
    };
    Some((class, sign.is_ascii_uppercase()))
}

/// Returns the class of `[:alpha:]` and the like, and whether it is `[:^alpha:]`.
pub(super) fn posix_class(name: &str) -> Option<(CharacterClass, bool)> {
    match name.strip_prefix('^') {
        Some(name) => Some((ascii_class(name)?, true)),
        None => Some((ascii_class(name)?, false)),
    }
}

fn ascii_class(name: &str) -> Option<CharacterClass> {
    let ranges: &[(u8, u8)] = match name {
        "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "ascii" => &[(0, 0x7f)],
        "blank" => &[(b'\t', b'\t'), (b' ', b' ')],
        "cntrl" => &[(0, 0x1f), (0x7f, 0x7f)],
        "digit" => &[(b'0', b'9')],
        "graph" => &[(b'!', b'~')],
        "lower" => &[(b'a', b'z')],
        "print" => &[(b' ', b'~')],
        "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        "space" => &[(b'\t', b'\r'), (b' ', b' ')],
        "upper" => &[(b'A', b'Z')],
        "word" => &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')],
        "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    };
    Some(CharacterClass::new(
        ranges
            .iter()
            .map(|&(first, last)| (u32::from(first), u32::from(last)))
            .collect(),
    ))
}
