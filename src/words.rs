//! Texts put together, searched and compared. The standard library's joining is compiled anew for every kind of text, and its search is
//! made for long needles: both are small here.

/// Texts one after the other, with a separator between them.
pub fn joined(parts: impl IntoIterator<Item: AsRef<str>>, separator: &str) -> String {
    let mut list = List { text: String::new(), separator, begun: false };
    for part in parts {
        list.add(part.as_ref());
    }
    list.text
}

/// The text that [`joined`] makes, as far as it has come.
struct List<'s> {
    text: String,
    separator: &'s str,
    begun: bool,
}

impl List<'_> {
    #[inline(never)]
    fn add(&mut self, part: &str) {
        if self.begun {
            self.text.push_str(self.separator);
        }
        self.begun = true;
        self.text.push_str(part);
    }
}

/// Where a few characters stand in a text for the first time.
#[inline(never)]
pub fn find(text: &str, piece: &str) -> Option<usize> {
    let Some((&first, rest)) = piece.as_bytes().split_first() else { return Some(0) };
    let bytes = text.as_bytes();
    let mut from = 0usize;
    loop {
        let at = from.checked_add(memchr::memchr(first, bytes.get(from..)?)?)?;
        from = at.checked_add(1)?;
        if bytes.get(from..)?.starts_with(rest) {
            return Some(at);
        }
    }
}

/// Whether a text has a few characters in it.
pub fn contains(text: &str, piece: &str) -> bool {
    find(text, piece).is_some()
}

/// What stands before and behind the first of an ASCII character, in a text so short that nothing is called to find it.
#[inline]
pub fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let before = text.as_bytes().iter().position(|&byte| byte == at)?;
    Some((text.get(..before)?, text.get(before.saturating_add(1)..)?))
}

/// Whether two texts are the same. Names are short: nothing is called to compare their bytes.
#[inline(never)]
pub fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    // The last bytes, and before them as many eights, or fours, as there are: some bytes may be compared twice.
    if let (Some(end), Some(other_end)) = (one.last_chunk::<8>(), other.last_chunk::<8>()) {
        let (words, other_words) = (one.as_chunks::<8>().0, other.as_chunks::<8>().0);
        return u64::from_le_bytes(*end) == u64::from_le_bytes(*other_end)
            && words.iter().zip(other_words).all(|(word, other)| u64::from_le_bytes(*word) == u64::from_le_bytes(*other));
    }
    match (one.first_chunk::<4>(), other.first_chunk::<4>(), one.last_chunk::<4>(), other.last_chunk::<4>()) {
        (Some(begin), Some(other_begin), Some(end), Some(other_end)) => {
            u32::from_le_bytes(*begin) == u32::from_le_bytes(*other_begin)
                && u32::from_le_bytes(*end) == u32::from_le_bytes(*other_end)
        }
        _ => one.iter().zip(other).all(|(byte, other)| byte == other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_as_the_standard_library_does() {
        for parts in [&[][..], &["a"], &["", "b", ""], &["a", "", "c"]] {
            assert_eq!(joined(parts, ", "), parts.join(", "));
        }
        assert_eq!(joined([String::from("a"), String::from("é")], ""), "aé");
    }

    #[test]
    fn cuts_as_the_standard_library_splits() {
        for text in ["", "/", "a", "a/", "/b", "a/b/c", "é/é"] {
            assert_eq!(cut(text, b'/'), text.split_once('/'), "{text:?}");
        }
    }

    #[test]
    fn finds_as_the_standard_library_does() {
        for text in ["", "a", "aab", "abab: x", "é: é: ", "}}}", "ab\n---\nc"] {
            for piece in ["", "a", "ab", "b: ", ": ", "é", "}}", "\n---", "x", "xx"] {
                assert_eq!(find(text, piece), text.find(piece), "{piece:?} in {text:?}");
                assert_eq!(contains(text, piece), text.contains(piece), "{piece:?} in {text:?}");
            }
        }
    }

    #[test]
    fn texts_differ_wherever_a_byte_does() {
        for length in 0..20 {
            let text = "abcdefghijklmnopqrst".get(..length).unwrap();
            assert!(same(text, text), "{text}");
            assert!(!same(text, &format!("{text}u")), "{text}");
            for at in 0..length {
                let mut other = text.to_owned();
                other.replace_range(at..=at, "-");
                assert!(!same(text, &other), "{text} {other}");
            }
        }
    }
}
