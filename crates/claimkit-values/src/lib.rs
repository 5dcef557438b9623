//! Values as Go prints and reads them: `%q` (`strconv.Quote`) here, and quantities, times, floats, names and labels.
//!
//! Source: Go's strconv.

// clippy.toml gives the reasons. The tests are exempt.
#![deny(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros
)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects))]

mod error;
pub mod float;
pub mod names;
pub mod order;
mod printable;
pub mod quantity;
pub mod time;

pub use error::{Error, ErrorKind};
pub use printable::GoUnicode;

/// Returns true if a text has only the digits 0 to 9; an empty one has.
///
/// ```
/// use claimkit_values::has_only_digits;
///
/// assert!(has_only_digits("034") && has_only_digits(""));
/// assert!(!has_only_digits("-1"));
/// ```
pub fn has_only_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Quotes as `strconv.Quote` does: `text` in double quotes, everything Go does not call printable escaped.
///
/// ```
/// use claimkit_values::{GoUnicode, quote};
///
/// assert_eq!(quote("a\u{a0}\"b\"", GoUnicode::V15), r#""a\u00a0\"b\"""#);
/// ```
pub fn quote(text: &str, unicode: GoUnicode) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    quote_into(&mut out, text, unicode);
    out
}

/// Quotes several texts as [`quote`] does, with commas between them.
///
/// ```
/// use claimkit_values::{GoUnicode, quoted};
///
/// assert_eq!(quoted(["a", "b"], GoUnicode::V15), r#""a", "b""#);
/// ```
pub fn quoted<'t>(texts: impl IntoIterator<Item = &'t str>, unicode: GoUnicode) -> String {
    let mut out = String::with_capacity(64);
    for text in texts {
        if !out.is_empty() {
            out.push_str(", ");
        }
        quote_into(&mut out, text, unicode);
    }
    out
}

/// Appends [`quote`]'s text to `out`.
///
/// ```
/// use claimkit_values::{GoUnicode, quote_into};
///
/// let mut out = String::from("Invalid value: ");
/// quote_into(&mut out, "a\n", GoUnicode::V15);
/// assert_eq!(out, r#"Invalid value: "a\n""#);
/// ```
pub fn quote_into(out: &mut String, text: &str, unicode: GoUnicode) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ' '..='~' => out.push(c),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            '\0'..='\u{7f}' => push_escape(out, 'x', u32::from(c), 2),
            _ if is_printable(c, unicode) => out.push(c),
            '\u{80}'..='\u{ffff}' => push_escape(out, 'u', u32::from(c), 4),
            _ => push_escape(out, 'U', u32::from(c), 8),
        }
    }
    out.push('"');
}

/// Writes a text as Go's JSON encoder does, `<`, `>` and `&` escaped.
///
/// ```
/// assert_eq!(claimkit_values::json_quote("a < b"), r#""a \u003c b""#);
/// ```
pub fn json_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    json_quote_into(&mut out, text);
    out
}

/// Appends [`json_quote`]'s text to `out`.
///
/// ```
/// let mut out = String::from("name: ");
/// claimkit_values::json_quote_into(&mut out, "R&D");
/// assert_eq!(out, r#"name: "R\u0026D""#);
/// ```
pub fn json_quote_into(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ => json_escape(out, c),
        }
    }
    out.push('"');
}

/// Appends a character of JSON text; those that Go escapes for HTML, and control characters, by their number.
///
/// ```
/// let mut out = String::new();
/// "1>0".chars().for_each(|c| claimkit_values::json_escape(&mut out, c));
/// assert_eq!(out, r"1\u003e0");
/// ```
pub fn json_escape(out: &mut String, c: char) {
    match c {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => {
            push_escape(out, 'u', u32::from(c), 4)
        }
        _ => out.push(c),
    }
}

/// Returns true for what Go's `strconv.IsPrint` accepts: letters, marks, numbers, punctuation, symbols and the ASCII space.
///
/// ```
/// use claimkit_values::{GoUnicode, is_printable};
///
/// // U+1FAE8 SHAKING FACE is of Unicode 15.
/// assert!(is_printable('\u{1fae8}', GoUnicode::V15));
/// assert!(!is_printable('\u{1fae8}', GoUnicode::V13));
/// ```
pub fn is_printable(c: char, unicode: GoUnicode) -> bool {
    match c {
        ' '..='~' => true,
        '\0'..='\u{7f}' => false,
        _ => printable::is_printable(c, unicode),
    }
}

fn push_escape(out: &mut String, letter: char, code: u32, digits: u32) {
    out.push('\\');
    out.push(letter);
    for place in (0..digits).rev() {
        let nibble = code.checked_shr(place.saturating_mul(4)).unwrap_or(0) & 0xF;
        out.push(char::from_digit(nibble, 16).unwrap_or('0'));
    }
}

/// The Rust of the README is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct ValuesReadme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_strconv_does() {
        for (text, quoted) in [
            ("", r#""""#),
            ("a b", r#""a b""#),
            ("\"\\", r#""\"\\""#),
            ("\u{7}\u{8}\u{c}\n\r\t\u{b}", r#""\a\b\f\n\r\t\v""#),
            ("\0\u{1f}\u{7f}", r#""\x00\x1f\x7f""#),
            ("é日本😀", "\"é日本😀\""),
            (
                "\u{a0}\u{ad}\u{2028}\u{200b}\u{feff}",
                r#""\u00a0\u00ad\u2028\u200b\ufeff""#,
            ),
            ("\u{fffd}\u{301}", "\"\u{fffd}\u{301}\""),
            ("\u{80}\u{9f}\u{e000}", r#""\u0080\u009f\ue000""#),
            ("\u{e0001}\u{10ffff}", r#""\U000e0001\U0010ffff""#),
            ("\u{e0100}", "\"\u{e0100}\""),
        ] {
            assert_eq!(quote(text, GoUnicode::V15), quoted);
        }
    }

    #[test]
    fn unicode_14_and_15_are_unknown_to_old_go() {
        // U+20C0 SOM SIGN is of Unicode 14, U+1FAE8 SHAKING FACE of Unicode 15, U+10EC0 not yet assigned in either.
        assert_eq!(
            quote("\u{20c0}\u{1fae8}", GoUnicode::V15),
            "\"\u{20c0}\u{1fae8}\""
        );
        assert_eq!(
            quote("\u{20c0}\u{1fae8}", GoUnicode::V13),
            r#""\u20c0\U0001fae8""#
        );
        assert_eq!(quote("\u{10ec0}", GoUnicode::V15), r#""\U00010ec0""#);
    }
}
