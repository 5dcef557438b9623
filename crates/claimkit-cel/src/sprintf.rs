//! What Go's `fmt.Sprintf` makes of a text that is given as the format, with no arguments.

/// The clause that follows a `%`.
struct Verb<'a> {
    /// The text that replaces the clause.
    written: String,
    /// The text after it.
    rest: &'a str,
}

/// Computes `fmt.Sprintf(text)`: each `%` with what follows becomes `%!v(MISSING)` or another note.
pub fn without_arguments(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        result.push_str(before);
        let Verb {
            written,
            rest: behind,
        } = read_verb(after);
        result.push_str(&written);
        rest = behind;
    }
    result.push_str(rest);
    result
}

/// Reads a verb from its `%` on, as `doPrintf` in Go's `print.go` does.
fn read_verb(text: &str) -> Verb<'_> {
    let mut written = String::new();
    let mut index = ArgumentIndex::default();
    let rest = text.trim_start_matches(['#', '0', '+', '-', ' ']);
    let mut rest = index.read(rest);
    match rest.strip_prefix('*') {
        Some(after) => {
            written.push_str("%!(BADWIDTH)");
            index.is_last = false;
            rest = after;
        }
        None => {
            let (width, after) = read_number(rest);
            index.is_good &= !(index.is_last && width.is_some());
            rest = after;
        }
    }
    if let Some(after) = rest.strip_prefix('.') {
        index.is_good &= !index.is_last;
        rest = index.read(after);
        match rest.strip_prefix('*') {
            Some(after) => {
                written.push_str("%!(BADPREC)");
                index.is_last = false;
                rest = after;
            }
            None => rest = read_number(rest).1,
        }
    }
    if !index.is_last {
        rest = index.read(rest);
    }
    let mut characters = rest.chars();
    match characters.next() {
        None => written.push_str("%!(NOVERB)"),
        Some('%') => written.push('%'),
        Some(letter) => {
            let note = if index.is_good { "MISSING" } else { "BADINDEX" };
            written.push_str(&format!("%!{letter}({note})"));
        }
    }
    Verb {
        written,
        rest: characters.as_str(),
    }
}

/// An argument's number in brackets, `%[1]d`.
struct ArgumentIndex {
    /// Whether all indexes were right so far; without arguments none is.
    is_good: bool,
    /// An index in brackets came last.
    is_last: bool,
}

impl Default for ArgumentIndex {
    fn default() -> Self {
        Self {
            is_good: true,
            is_last: false,
        }
    }
}

impl ArgumentIndex {
    /// Skips an index; `print.go`, `argNumber` and `parseArgNumber`.
    fn read<'a>(&mut self, text: &'a str) -> &'a str {
        self.is_last = false;
        let Some(inner) = text.strip_prefix('[') else {
            return text;
        };
        self.is_good = false;
        match inner.split_once(']').filter(|_| text.len() >= 3) {
            Some((digits, after)) => {
                self.is_last = matches!(read_number(digits), (Some(_), ""));
                after
            }
            None => inner,
        }
    }
}

/// Reads the number that `text` starts with, and returns what follows. A number above a million is treated as missing, with
/// nothing after it; `print.go`, `parsenum`.
fn read_number(text: &str) -> (Option<u32>, &str) {
    let mut value = None;
    let mut rest = text;
    while let Some((digit, after)) = rest
        .chars()
        .next()
        .and_then(|first| Some((first.to_digit(10)?, rest.get(1..)?)))
    {
        let so_far: u32 = value.unwrap_or(0);
        if so_far > 1_000_000 {
            return (None, "");
        }
        value = Some(so_far.saturating_mul(10).saturating_add(digit));
        rest = after;
    }
    (value, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_without_arguments_are_noted() {
        for (text, expected) in [
            ("100", "100"),
            ("'% 2 =='", "'%! (MISSING)=='"),
            ("a %% b", "a % b"),
            ("%d%", "%!d(MISSING)%!(NOVERB)"),
            ("%-08.3é", "%!é(MISSING)"),
            ("%[1]d", "%!d(BADINDEX)"),
            ("%[x]d", "%!d(BADINDEX)"),
            ("%*d", "%!(BADWIDTH)%!d(MISSING)"),
        ] {
            assert_eq!(without_arguments(text), expected, "{text}");
        }
    }
}
