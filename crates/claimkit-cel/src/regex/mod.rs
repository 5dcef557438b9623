//! Regular expressions as Go's `regexp` reads and runs them: RE2's syntax with the Perl flags, its errors, leftmost-first matches.
//!
//! There is no library for this: Rust's regex crates have another syntax, other error messages and other Unicode tables, and the
//! error messages alone would need a parser of our own. Time is linear in the text for one expression, and memory is linear in
//! the expression, whose size has Go's limits.

mod class;
mod escape;
mod examples;
mod folding;
mod program;
mod search;
mod syntax;
mod unicode;

use examples::Alphabet;
use program::RegexProgram;
use search::{SearchBuffers, Which, search};

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Regex {
    program: RegexProgram,
}

impl Regex {
    /// Reads an expression. The error is Go's: ``error parsing regexp: missing closing ): `a(` ``.
    pub fn new(pattern: &str) -> Result<Self, String> {
        Ok(Self {
            program: RegexProgram::new(&syntax::parse(pattern)?),
        })
    }

    /// Returns texts that an expression matches ([`crate::examples_of_regex`]).
    pub fn examples(
        pattern: &str,
        characters: &str,
        longest: usize,
        most: usize,
    ) -> Option<Vec<String>> {
        let Ok(tree) = syntax::parse(pattern) else {
            return Some(Vec::new());
        };
        let alphabet = Alphabet {
            characters,
            longest,
            most,
        };
        examples::examples(&tree, &alphabet)
    }

    /// Computes `matches`: returns true if the pattern matches anywhere.
    pub fn is_match(&self, text: &str) -> bool {
        search(&mut SearchBuffers::new(&self.program), text, 0, Which::Any).is_some()
    }

    /// Computes `find`: the first match.
    pub fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        search(
            &mut SearchBuffers::new(&self.program),
            text,
            0,
            Which::First,
        )
        .and_then(|(start, end)| text.get(start..end))
    }

    /// Returns matches that do not overlap, at most `limit` of them; a negative limit means all. An empty match directly after
    /// another match does not count, as in Go's `FindAll`.
    pub fn find_all<'t>(&self, text: &'t str, limit: i64) -> Vec<&'t str> {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let mut machine = SearchBuffers::new(&self.program);
        let mut found = Vec::new();
        let (mut at, mut previous) = (0usize, None);
        while found.len() < limit && at <= text.len() {
            let Some((start, end)) = search(&mut machine, text, at, Which::First) else {
                break;
            };
            if end > at || previous != Some(start) {
                found.extend(text.get(start..end));
            }
            previous = Some(end);
            at = if end > at {
                end
            } else {
                next_character(text, at)
            };
        }
        found
    }
}

/// Returns the start of the next character, or a place beyond the end after the last.
fn next_character(text: &str, at: usize) -> usize {
    let width = text
        .get(at..)
        .and_then(|rest| rest.chars().next())
        .map_or(1, char::len_utf8);
    at.saturating_add(width)
}

#[cfg(test)]
mod tests;
