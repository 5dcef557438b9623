//! Functions of texts. Positions are code points.
//!
//! Source: cel-go `ext/strings.go`, version 2 of the library.

/// The result of a search that starts past the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastEnd {
    /// cel-go up to 0.20 (Kubernetes 1.30, 1.31): an error.
    Error,
    /// Later releases report the text as not found.
    NotFound,
}

fn out_of_range(index: i64) -> String {
    format!("index out of range: {index}")
}

/// Returns the number of code points.
fn length(text: &str) -> i64 {
    i64::try_from(text.chars().count()).unwrap_or(i64::MAX)
}

/// Returns the byte offset of a code point, for positions from zero up to the length.
fn byte_of(text: &str, position: i64) -> Option<usize> {
    let position = usize::try_from(position).ok()?;
    text.char_indices()
        .map(|(at, _)| at)
        .chain(core::iter::once(text.len()))
        .nth(position)
}

/// Returns the text from `start` up to `end`, in code points; `None` if a position is out of range.
fn between(text: &str, start: i64, end: i64) -> Option<&str> {
    text.get(byte_of(text, start)?..byte_of(text, end)?)
}

/// Computes `charAt`: the code point at a position; nothing at the end.
pub fn char_at(text: &str, index: i64) -> Result<String, String> {
    let at = byte_of(text, index).ok_or_else(|| out_of_range(index))?;
    Ok(text
        .get(at..)
        .and_then(|rest| rest.chars().next())
        .map(String::from)
        .unwrap_or_default())
}

/// Computes `indexOf`, or -1.
pub fn index_of(text: &str, piece: &str, past_end: PastEnd) -> Result<i64, String> {
    index_of_from(text, piece, 0, past_end)
}

/// Computes `indexOf` from a position on, or -1. The empty text is found wherever the search begins.
pub fn index_of_from(
    text: &str,
    piece: &str,
    offset: i64,
    past_end: PastEnd,
) -> Result<i64, String> {
    if piece.is_empty() {
        return Ok(offset);
    }
    let Some(from) = inside(text, offset, past_end)? else {
        return Ok(-1);
    };
    let (head, rest) = text.split_at_checked(from).unwrap_or((text, ""));
    Ok(rest.split_once(piece).map_or(-1, |(before, _)| {
        length(head).saturating_add(length(before))
    }))
}

/// Computes `lastIndexOf`, or -1.
pub fn last_index_of(text: &str, piece: &str, past_end: PastEnd) -> Result<i64, String> {
    if text.is_empty() && !piece.is_empty() && past_end == PastEnd::NotFound {
        return Ok(-1);
    }
    let end = length(text);
    let offset = if piece.is_empty() {
        end
    } else {
        end.saturating_sub(1)
    };
    last_index_of_from(text, piece, offset, past_end)
}

/// Computes `lastIndexOf` of what begins at a position or before it, or -1.
pub fn last_index_of_from(
    text: &str,
    piece: &str,
    offset: i64,
    past_end: PastEnd,
) -> Result<i64, String> {
    if piece.is_empty() {
        return Ok(offset);
    }
    let Some(last) = inside(text, offset, past_end)? else {
        return Ok(-1);
    };
    let found = begins(text, piece, last);
    Ok(found.and_then(|at| text.get(..at)).map_or(-1, length))
}

/// Returns the last place at or before `last` where a piece begins: pieces may overlap.
fn begins(text: &str, piece: &str, last: usize) -> Option<usize> {
    (0..=last)
        .rev()
        .filter(|at| text.is_char_boundary(*at))
        .find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(piece)))
}

/// Returns the byte where a search begins; `None` if nothing can be found.
fn inside(text: &str, offset: i64, past_end: PastEnd) -> Result<Option<usize>, String> {
    match byte_of(text, offset).filter(|at| *at < text.len()) {
        Some(at) => Ok(Some(at)),
        None if offset >= 0 && past_end == PastEnd::NotFound => Ok(None),
        None => Err(out_of_range(offset)),
    }
}

/// Computes `substring` up to the end.
pub fn substring_from(text: &str, start: i64) -> Result<String, String> {
    between(text, start, length(text))
        .map(str::to_owned)
        .ok_or_else(|| out_of_range(start))
}

/// Computes `substring`: the end is not part of it.
pub fn substring(text: &str, start: i64, end: i64) -> Result<String, String> {
    if start > end {
        return Err(format!(
            "invalid substring range. start: {start}, end: {end}"
        ));
    }
    byte_of(text, start).ok_or_else(|| out_of_range(start))?;
    between(text, start, end)
        .map(str::to_owned)
        .ok_or_else(|| out_of_range(end))
}

/// Computes `replace`, at most `limit` times; a negative limit replaces all. The empty string matches around every code point.
pub fn replace(text: &str, old: &str, new: &str, limit: i64) -> String {
    text.replacen(old, new, usize::try_from(limit).unwrap_or(usize::MAX))
}

/// Computes `split` into at most `limit` pieces; a negative limit means all. An empty separator splits into code points.
pub fn split(text: &str, separator: &str, limit: i64) -> Vec<String> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    if limit == 0 {
        return Vec::new();
    }
    if !separator.is_empty() {
        return text.splitn(limit, separator).map(str::to_owned).collect();
    }
    let mut pieces = Vec::new();
    let mut rest = text.chars();
    while !rest.as_str().is_empty() {
        if pieces.len() == limit.saturating_sub(1) {
            pieces.push(rest.as_str().to_owned());
            break;
        }
        pieces.extend(rest.next().map(String::from));
    }
    pieces
}

/// Computes `trim`: without Unicode's white space around it.
pub fn trim(text: &str) -> &str {
    text.trim()
}

/// Computes `lowerAscii`.
pub fn lower_ascii(text: &str) -> String {
    text.to_ascii_lowercase()
}

/// Computes `upperAscii`.
pub fn upper_ascii(text: &str) -> String {
    text.to_ascii_uppercase()
}

/// Computes `strings.quote`: only what has a short escape is escaped.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        let letter = match c {
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\u{c}' => 'f',
            '\n' => 'n',
            '\r' => 'r',
            '\t' => 't',
            '\u{b}' => 'v',
            '\\' | '"' => c,
            _ => {
                out.push(c);
                continue;
            }
        };
        out.push('\\');
        out.push(letter);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Hello, Wörld ☃ 😀";
    const NEW: PastEnd = PastEnd::NotFound;

    fn range(index: i64) -> Result<String, String> {
        Err(format!("index out of range: {index}"))
    }

    #[test]
    fn single_characters() {
        for (index, found) in [(0, "H"), (7, "W"), (15, "😀"), (16, "")] {
            assert_eq!(char_at(TEXT, index).as_deref(), Ok(found));
        }
        for index in [-1, 17, i64::MAX, i64::MIN] {
            assert_eq!(char_at(TEXT, index), range(index));
        }
    }

    #[test]
    fn searches() {
        for (piece, offset, found) in [
            ("l", 0, 2),
            ("l", 4, 10),
            ("", 0, 0),
            ("", 5, 5),
            ("", 99, 99),
            ("l", 99, -1),
            ("😀", 0, 15),
            ("x", 0, -1),
        ] {
            assert_eq!(
                index_of_from(TEXT, piece, offset, NEW),
                Ok(found),
                "{piece} {offset}"
            );
        }
        assert_eq!(
            index_of_from(TEXT, "l", -1, NEW),
            Err("index out of range: -1".into())
        );
        assert_eq!(
            index_of_from(TEXT, "l", 99, PastEnd::Error),
            Err("index out of range: 99".into())
        );
        assert_eq!(
            index_of("", "x", PastEnd::Error),
            Err("index out of range: 0".into())
        );
        assert_eq!(index_of("", "x", NEW), Ok(-1));
        for (piece, found) in [
            ("l", 10),
            ("", 16),
            ("H", 0),
            ("x", -1),
            ("😀", 15),
            ("Hello, Wörld ☃ 😀!", -1),
        ] {
            assert_eq!(last_index_of(TEXT, piece, NEW), Ok(found), "{piece}");
        }
        for (piece, offset, found) in [
            ("l", 9, 3),
            ("l", 10, 10),
            ("rld ☃", 9, 9),
            ("rld ☃", 8, -1),
            ("", 5, 5),
            ("l", 99, -1),
        ] {
            assert_eq!(
                last_index_of_from(TEXT, piece, offset, NEW),
                Ok(found),
                "{piece} {offset}"
            );
        }
        assert_eq!(
            last_index_of_from(TEXT, "x", -1, NEW),
            Err("index out of range: -1".into())
        );
        assert_eq!(last_index_of("", "x", NEW), Ok(-1));
        assert_eq!(
            last_index_of("", "x", PastEnd::Error),
            Err("index out of range: -1".into())
        );
        assert_eq!(last_index_of("aaa", "aa", NEW), Ok(1));
        assert_eq!(last_index_of_from("aaa", "aa", 0, NEW), Ok(0));
    }

    #[test]
    fn pieces() {
        assert_eq!(substring_from(TEXT, 0).as_deref(), Ok(TEXT));
        assert_eq!(substring_from(TEXT, 7).as_deref(), Ok("Wörld ☃ 😀"));
        assert_eq!(substring_from(TEXT, 16).as_deref(), Ok(""));
        assert_eq!(substring_from(TEXT, 17), range(17));
        assert_eq!(substring_from(TEXT, -1), range(-1));
        assert_eq!(substring(TEXT, 7, 9).as_deref(), Ok("Wö"));
        assert_eq!(substring(TEXT, 3, 3).as_deref(), Ok(""));
        assert_eq!(substring(TEXT, 0, 99), range(99));
        assert_eq!(substring(TEXT, -1, 99), range(-1));
        assert_eq!(
            substring(TEXT, 2, 1),
            Err("invalid substring range. start: 2, end: 1".into())
        );
    }

    #[test]
    fn replaces_and_splits() {
        assert_eq!(replace(TEXT, "l", "L", -1), "HeLLo, WörLd ☃ 😀");
        assert_eq!(replace(TEXT, "l", "L", 0), TEXT);
        assert_eq!(replace(TEXT, "l", "L", 1), "HeLlo, Wörld ☃ 😀");
        assert_eq!(
            replace(TEXT, "", "-", -1),
            "-H-e-l-l-o-,- -W-ö-r-l-d- -☃- -😀-"
        );
        assert_eq!(replace("é", "", "-", 1), "-é");
        assert_eq!(replace("aXbX", "X", "", -1), "ab");
        assert_eq!(split(TEXT, ",", -1), ["Hello", " Wörld ☃ 😀"]);
        assert_eq!(split(TEXT, "l", 2), ["He", "lo, Wörld ☃ 😀"]);
        assert_eq!(split(TEXT, "l", 0), [""; 0]);
        assert_eq!(split(TEXT, "l", -1), ["He", "", "o, Wör", "d ☃ 😀"]);
        assert_eq!(split("😀ab", "", -1), ["😀", "a", "b"]);
        assert_eq!(split("😀ab", "", 2), ["😀", "ab"]);
        assert_eq!(split("", "", -1), [""; 0]);
        assert_eq!(split("", ",", -1), [""]);
    }

    #[test]
    fn letters_and_quotes() {
        assert_eq!(trim("\u{a0}\u{2003}a\u{2028}"), "a");
        assert_eq!(trim("  \t a \n "), "a");
        assert_eq!(lower_ascii("ABCÉ"), "abcÉ");
        assert_eq!(upper_ascii("abcé"), "ABCé");
        assert_eq!(quote("a\"b\n\u{1}é\\"), "\"a\\\"b\\n\u{1}é\\\\\"");
    }
}
