//! An expression as text: what is in its literals does not count when its words and signs are looked at.

use std::ops::Range;

/// An expression without the contents of its literals and comments.
#[derive(Debug)]
pub(super) struct Code {
    /// The expression with blanks for these contents, byte for byte; quotes stay.
    pub text: String,
    /// The bytes of each literal, with its quotes.
    pub literals: Vec<Range<usize>>,
    /// The quote of a literal that does not end.
    pub open: Option<char>,
}

impl Code {
    /// Reads the literals and comments of an expression.
    pub fn of(expression: &str) -> Self {
        let mut code = Code {
            text: String::with_capacity(expression.len()),
            literals: Vec::new(),
            open: None,
        };
        let mut at = 0;
        while let Some(rest) = expression.get(at..).filter(|rest| !rest.is_empty()) {
            at = at.saturating_add(code.take(rest, at));
        }
        code
    }

    /// Takes the next literal, comment or sign in; returns its number of bytes.
    fn take(&mut self, rest: &str, at: usize) -> usize {
        let first = rest.chars().next().unwrap_or_default();
        if rest.starts_with("//") && self.open.is_none() {
            let length = rest.find('\n').unwrap_or(rest.len());
            self.text.push_str(&" ".repeat(length));
            return length;
        }
        if !matches!(first, '"' | '\'') || self.open.is_some() {
            self.text.push(first);
            return first.len_utf8();
        }
        let is_raw = self.text.ends_with(['r', 'R']);
        let quote = if rest.starts_with(&first.to_string().repeat(3)) {
            first.to_string().repeat(3)
        } else {
            first.to_string()
        };
        let Some(length) = literal_length(rest, &quote, is_raw) else {
            self.open = Some(first);
            self.text.push(first);
            return 1;
        };
        let inner = length.saturating_sub(quote.len().saturating_mul(2));
        self.text.push_str(&quote);
        self.text.push_str(&" ".repeat(inner));
        self.text.push_str(&quote);
        self.literals.push(at..at.saturating_add(length));
        length
    }

    /// Returns the literal that begins at a byte.
    pub fn literal_at(&self, at: usize) -> Option<Range<usize>> {
        let literal = self.literals.iter().find(|literal| literal.start == at)?;
        Some(literal.clone())
    }
}

/// Returns the number of bytes of a literal with its quotes; `None` if it does not end.
fn literal_length(text: &str, quote: &str, is_raw: bool) -> Option<usize> {
    let mut at = quote.len();
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with(quote) {
            return Some(at.saturating_add(quote.len()));
        }
        let sign = rest.chars().next()?;
        if sign == '\n' && quote.len() == 1 {
            return None;
        }
        let escaped = rest.chars().nth(1).filter(|_| sign == '\\' && !is_raw);
        let width = sign.len_utf8();
        at = at.saturating_add(escaped.map_or(width, |next| width.saturating_add(next.len_utf8())));
    }
}

/// Returns the byte behind the blanks that follow byte `at`.
pub(super) fn after_blanks(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?.trim_start();
    Some(text.len().saturating_sub(rest.len()))
}

/// Returns the byte that an error of the compiler is about: `<input>:1:8`, columns in code points.
pub(super) fn position(expression: &str, error: &str) -> Option<usize> {
    let (_, place) = error.split_once("<input>:")?;
    offset_of(expression, place)
}

/// Returns the byte at a place that begins with `LINE:COLUMN`, both from 1, columns in code points.
pub(super) fn offset_of(expression: &str, place: &str) -> Option<usize> {
    let mut numbers = place.splitn(3, ':');
    let line = index_of(numbers.next()?)?;
    let column = index_of(numbers.next()?)?;
    let before: usize = expression
        .split('\n')
        .take(line)
        .map(|line| line.len().saturating_add(1))
        .sum();
    let at_line = expression.get(before..)?;
    let mut starts = at_line.char_indices().map(|(at, _)| at);
    Some(before.saturating_add(starts.nth(column).unwrap_or(at_line.len())))
}

/// Returns the index of a number that counts from 1.
fn index_of(number: &str) -> Option<usize> {
    number.parse::<usize>().ok()?.checked_sub(1)
}

/// Returns what is in quotes behind a text of an error.
pub(super) fn quoted_after<'e>(error: &'e str, start: &str) -> Option<&'e str> {
    let (_, rest) = error.split_once(start)?;
    rest.split_once('\'').map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_of_literals_are_blank() {
        for (expression, text, open) in [
            ("a == \"b and c\" & d", "a == \"       \" & d", None),
            ("a == 'it\\'s' || b", "a == '     ' || b", None),
            ("r'\\' == \"\"\"a\"b\"\"\"", "r' ' == \"\"\"   \"\"\"", None),
            ("a == \"é\" // b", "a == \"  \"     ", None),
            ("a == 'b", "a == 'b", Some('\'')),
        ] {
            let code = Code::of(expression);
            assert_eq!(
                (code.text.as_str(), code.open),
                (text, open),
                "{expression}"
            );
            assert_eq!(code.text.len(), expression.len());
        }
    }
}
