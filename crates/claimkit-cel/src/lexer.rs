//! Splits a text into tokens as cel-go's generated lexer does: the longest match wins, and of equal ones the first kind.
//!
//! Where no token matches, the lexer reports the longest prefix of a possible token, including the character that does not fit.

use std::ops::Range;

use super::dialect::Dialect;
use super::token::{Token, TokenKind};

/// The tokens of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tokens {
    /// The tokens that the parser sees: all but blanks and comments.
    pub seen: Vec<Token>,
    /// Characters that belong to no token.
    pub errors: Vec<LexicalError>,
    /// Code points of the text.
    pub length: u32,
}

/// A run of characters that belongs to no token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexicalError {
    /// Their start, an offset in code points.
    pub position: u32,
    /// Bytes of the text they cover.
    pub bytes: Range<u32>,
    /// How many tokens that the parser sees come before.
    pub tokens_before: usize,
}

/// Splits `text`. It must be shorter than 4 GiB.
pub fn split(text: &str, dialect: &Dialect) -> Tokens {
    let mut tokens = Tokens {
        seen: Vec::new(),
        errors: Vec::new(),
        length: 0,
    };
    let (mut byte, mut position) = (0_usize, 0_u32);
    while let Some(rest) = text.get(byte..).filter(|rest| !rest.is_empty()) {
        let (length, kind) = match find_token(rest, dialect) {
            Match::Token(length, kind) => (length, Some(kind)),
            Match::Nothing(length) => (length, None),
        };
        let piece = rest.get(..length).unwrap_or(rest);
        let end = byte.saturating_add(piece.len());
        match kind {
            Some(TokenKind::Whitespace | TokenKind::Comment) => {}
            Some(kind) => tokens.seen.push(Token {
                kind,
                bytes: to_u32(byte)..to_u32(end),
                position,
            }),
            None => {
                let tokens_before = tokens.seen.len();
                tokens.errors.push(LexicalError {
                    position,
                    bytes: to_u32(byte)..to_u32(end),
                    tokens_before,
                });
            }
        }
        position = position.saturating_add(to_u32(piece.chars().count()));
        byte = end;
    }
    tokens.length = position;
    tokens
}

/// Returns a size as 32 bits: texts are shorter than 4 GiB.
fn to_u32(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// The result of matching the start of a text.
enum Match {
    /// A token of this many bytes.
    Token(usize, TokenKind),
    /// This many bytes belong to no token. At least one character.
    Nothing(usize),
}

/// Operators and brackets. Of two that match, the longer comes first.
const SIGNS: [(&str, TokenKind); 24] = [
    ("==", TokenKind::Equal),
    ("!=", TokenKind::NotEqual),
    ("<=", TokenKind::LessOrEqual),
    (">=", TokenKind::GreaterOrEqual),
    ("&&", TokenKind::And),
    ("||", TokenKind::Or),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("[", TokenKind::LeftBracket),
    ("]", TokenKind::RightBracket),
    ("{", TokenKind::LeftBrace),
    ("}", TokenKind::RightBrace),
    ("(", TokenKind::LeftParenthesis),
    (")", TokenKind::RightParenthesis),
    (".", TokenKind::Dot),
    (",", TokenKind::Comma),
    ("-", TokenKind::Minus),
    ("!", TokenKind::Not),
    ("?", TokenKind::Question),
    (":", TokenKind::Colon),
    ("+", TokenKind::Plus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
    ("%", TokenKind::Percent),
];

/// Finds the token at the start of `text`, which is not empty.
fn find_token(text: &str, dialect: &Dialect) -> Match {
    let first = text.bytes().next().unwrap_or(0);
    match first {
        b'"' | b'\'' => return quoted_token(text, 0, TokenKind::StringLiteral),
        b'r' | b'R' | b'b' | b'B' => {
            if let Some((prefix, kind)) = literal_prefix(text)
                && let Match::Token(length, kind) = quoted_token(text, prefix, kind)
            {
                return Match::Token(length, kind);
            }
        }
        b'`' if dialect.escaped_names => {
            let name = end_of_run(text, 1, |byte| {
                byte.is_ascii_alphanumeric() || b"_.-/ ".contains(&byte)
            });
            let end = name.saturating_add(1);
            return match text.as_bytes().get(name) {
                Some(b'`') if name > 1 => Match::Token(end, TokenKind::EscapedIdentifier),
                _ => Match::Nothing(through_character(text, name)),
            };
        }
        b'\t' | b' ' | b'\r' | b'\n' | b'\x0c' => {
            return Match::Token(
                end_of_run(text, 0, |byte| b"\t \r\n\x0c".contains(&byte)),
                TokenKind::Whitespace,
            );
        }
        b'/' if text.starts_with("//") => {
            return Match::Token(
                end_of_run(text, 0, |byte| byte != b'\n'),
                TokenKind::Comment,
            );
        }
        _ => {}
    }
    if matches!(first, b'0'..=b'9' | b'.')
        && let Some((length, kind)) = find_number(text)
    {
        return Match::Token(length, kind);
    }
    let word = end_of_run(text, 0, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if word > 0 {
        let kind = match text.get(..word) {
            Some("in") => TokenKind::In,
            Some("true") => TokenKind::True,
            Some("false") => TokenKind::False,
            Some("null") => TokenKind::Null,
            _ => TokenKind::Identifier,
        };
        return Match::Token(word, kind);
    }
    match SIGNS.iter().find(|(sign, _)| text.starts_with(sign)) {
        Some((sign, kind)) => Match::Token(sign.len(), *kind),
        // `==`, `&&` and `||` are the only tokens that could have started here and did not.
        None => Match::Nothing(through_character(
            text,
            usize::from(b"=&|".contains(&first)),
        )),
    }
}

/// Returns the length of `text` up to and with the character that starts at `end`.
fn through_character(text: &str, end: usize) -> usize {
    let character = text
        .get(end..)
        .and_then(|rest| rest.chars().next())
        .map_or(0, char::len_utf8);
    end.saturating_add(character)
}

/// Returns how far bytes that `belong` go on from `start`.
fn end_of_run(text: &str, start: usize, belong: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    start.saturating_add(
        rest.iter()
            .position(|byte| !belong(*byte))
            .unwrap_or(rest.len()),
    )
}

/// Returns the end of the digits that start at `at`.
fn digits_end(text: &str, at: usize) -> usize {
    end_of_run(text, at, |byte| byte.is_ascii_digit())
}

/// Returns the end of an exponent that starts at `at`; `at` itself if none does.
fn exponent_end(text: &str, at: usize) -> usize {
    let exponent = text.as_bytes().get(at..).unwrap_or_default();
    let start = match exponent {
        [b'e' | b'E', b'+' | b'-', ..] => at.saturating_add(2),
        [b'e' | b'E', ..] => at.saturating_add(1),
        _ => return at,
    };
    let end = digits_end(text, start);
    if end > start { end } else { at }
}

/// Returns the number at the start of `text`: its length and kind.
fn find_number(text: &str) -> Option<(usize, TokenKind)> {
    let bytes = text.as_bytes();
    let whole = digits_end(text, 0);
    let fraction = whole.saturating_add(1);
    if bytes.get(whole) == Some(&b'.') && bytes.get(fraction).is_some_and(u8::is_ascii_digit) {
        let end = exponent_end(text, digits_end(text, fraction));
        return Some((end, TokenKind::FloatLiteral));
    }
    if whole == 0 {
        return None;
    }
    let end_of_exponent = exponent_end(text, whole);
    if end_of_exponent > whole {
        return Some((end_of_exponent, TokenKind::FloatLiteral));
    }
    let end = match text.strip_prefix("0x") {
        Some(_) => Some(end_of_run(text, 2, |byte| byte.is_ascii_hexdigit()))
            .filter(|end| *end > 2)
            .unwrap_or(whole),
        None => whole,
    };
    if matches!(bytes.get(end), Some(b'u' | b'U')) {
        return Some((end.saturating_add(1), TokenKind::UintLiteral));
    }
    Some((end, TokenKind::IntLiteral))
}

/// Returns the number of bytes before the string and the kind, if `text` starts with a prefix and a quote: `r"`, `b'`, `bR"`.
fn literal_prefix(text: &str) -> Option<(usize, TokenKind)> {
    match text.as_bytes() {
        [b'r' | b'R', b'"' | b'\'', ..] => Some((0, TokenKind::StringLiteral)),
        [b'b' | b'B', b'"' | b'\'', ..] | [b'b' | b'B', b'r' | b'R', b'"' | b'\'', ..] => {
            Some((1, TokenKind::BytesLiteral))
        }
        _ => None,
    }
}

/// Finds the end of the string at `start`, with or without an `r`. The token also covers what is before.
fn quoted_token(text: &str, start: usize, kind: TokenKind) -> Match {
    let raw = matches!(text.as_bytes().get(start), Some(b'r' | b'R'));
    let open = start.saturating_add(usize::from(raw));
    let quote = text.get(open..open.saturating_add(1)).unwrap_or("\"");
    let single = quoted(text, open.saturating_add(1), quote, raw);
    let triple_quote = if quote == "'" { "'''" } else { "\"\"\"" };
    let triple = match text.get(open..) {
        Some(rest) if rest.starts_with(triple_quote) => {
            Some(quoted(text, open.saturating_add(3), triple_quote, raw))
        }
        _ => None,
    };
    match (single, triple) {
        (_, Some(Ok(end))) | (Ok(end), _) => Match::Token(end, kind),
        (Err(end), Some(Err(triple_end))) => {
            Match::Nothing(through_character(text, end.max(triple_end)))
        }
        (Err(end), None) => Match::Nothing(through_character(text, end)),
    }
}

/// Returns the end of a string whose text starts at `start`, or the place of the first character that cannot be in it.
fn quoted(text: &str, start: usize, quote: &str, raw: bool) -> Result<usize, usize> {
    let bytes = text.as_bytes();
    let mark = quote.as_bytes().first().copied();
    let mut at = start;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let Some(byte) = rest.first().copied() else {
            return Err(at);
        };
        if Some(byte) == mark && rest.starts_with(quote.as_bytes()) {
            return Ok(at.saturating_add(quote.len()));
        }
        at = match byte {
            b'\n' | b'\r' if quote.len() == 1 => return Err(at),
            b'\\' if !raw => escape(bytes, at)?,
            _ => at.saturating_add(1),
        };
    }
}

/// Returns the end of the escape whose backslash is at `start`, or the place of the first character that cannot be in it.
fn escape(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let letter = start.saturating_add(1);
    let after = letter.saturating_add(1);
    let (count, base) = match bytes.get(letter) {
        Some(
            b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'"' | b'\'' | b'\\' | b'?' | b'`',
        ) => (0, 16),
        Some(b'x' | b'X') => (2, 16),
        Some(b'u') => (4, 16),
        Some(b'U') => (8, 16),
        Some(b'0'..=b'3') => (2, 8),
        _ => return Err(letter),
    };
    let end = after.saturating_add(count);
    match (after..end).find(|at| {
        !bytes
            .get(*at)
            .is_some_and(|byte| char::from(*byte).is_digit(base))
    }) {
        Some(wrong) => Err(wrong),
        None => Ok(end),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialect::{CEL_GO_0_17, CEL_GO_0_23};
    use super::*;

    fn pieces(text: &str) -> Vec<(TokenKind, &str)> {
        let tokens = split(text, &CEL_GO_0_23).seen;
        tokens
            .iter()
            .map(|token| {
                (
                    token.kind,
                    &text[token.bytes.start as usize..token.bytes.end as usize],
                )
            })
            .collect()
    }

    fn errors(text: &str) -> Vec<(u32, String)> {
        let errors = split(text, &CEL_GO_0_23).errors.into_iter();
        errors
            .map(|error| {
                (
                    error.position,
                    text[error.bytes.start as usize..error.bytes.end as usize].to_owned(),
                )
            })
            .collect()
    }

    #[test]
    fn the_longest_match_wins() {
        use TokenKind::*;
        assert_eq!(
            pieces("1.5e3 1e-2 .5 1.x"),
            [
                (FloatLiteral, "1.5e3"),
                (FloatLiteral, "1e-2"),
                (FloatLiteral, ".5"),
                (IntLiteral, "1"),
                (Dot, "."),
                (Identifier, "x"),
            ]
        );
        assert_eq!(
            pieces("0xFu 0xg 7U a.5"),
            [
                (UintLiteral, "0xFu"),
                (IntLiteral, "0"),
                (Identifier, "xg"),
                (UintLiteral, "7U"),
                (Identifier, "a"),
                (FloatLiteral, ".5"),
            ]
        );
        assert_eq!(
            pieces("bR'\\' rb\"\" \"\"\"a\"b\"\"\""),
            [
                (BytesLiteral, "bR'\\'"),
                (Identifier, "rb"),
                (StringLiteral, "\"\""),
                (StringLiteral, "\"\"\"a\"b\"\"\""),
            ]
        );
        assert_eq!(pieces("in inn // in"), [(In, "in"), (Identifier, "inn")]);
    }

    #[test]
    fn what_is_no_token_is_reported_with_the_character_that_ends_it() {
        assert_eq!(errors("a = b"), [(2, "= ".to_owned())]);
        assert_eq!(errors("é@"), [(0, "é".to_owned()), (1, "@".to_owned())]);
        assert_eq!(
            errors("\"a\\q\" x"),
            [(0, "\"a\\q".to_owned()), (4, "\" x".to_owned())]
        );
        assert_eq!(errors("\"abc\nd"), [(0, "\"abc\n".to_owned())]);
        assert_eq!(errors("a.`$"), [(2, "`$".to_owned())]);
        let old = split("a.`b`", &CEL_GO_0_17).errors;
        assert_eq!(
            old.iter()
                .map(|error| error.tokens_before)
                .collect::<Vec<_>>(),
            [2, 3]
        );
    }
}
