//! The replacements of names, word by word: a word is a run of letters and digits, so a name that another one begins with, as that of
//! a pod begins with its Deployment's, still does. The replacements sort as the words do, for the scheduler and answers go by names.

use std::collections::{BTreeMap, BTreeSet};

/// A word that means something by itself: the namespace of objects that name none.
const FIXED: &str = "default";
/// The first letter of replacements that sort before [`FIXED`], and of those that sort behind it.
const BEFORE: char = 'c';
const BEHIND: char = 'x';
/// Least number of digits of a replacement.
const LEAST_DIGITS: u32 = 3;
const BASE: usize = 36;

/// The replacements.
#[derive(Default)]
pub struct Replacements {
    words: BTreeMap<String, String>,
    wholes: BTreeMap<String, String>,
}

impl Replacements {
    /// Numbers words and whole texts in their order. `taken`: words that stay elsewhere, which no replacement may equal.
    pub fn of(words: BTreeSet<String>, wholes: BTreeSet<String>, taken: &BTreeSet<String>) -> Self {
        let most = words.len().saturating_add(taken.len());
        let mut digits = LEAST_DIGITS;
        while BASE.saturating_pow(digits) <= most {
            digits = digits.saturating_add(1);
        }
        let mut number = 0usize;
        let mut replacement_of = |word: &str| {
            if word == FIXED {
                return FIXED.to_owned();
            }
            let first = if word < FIXED { BEFORE } else { BEHIND };
            loop {
                let replacement = format!("{first}{}", in_digits(number, digits));
                number = number.saturating_add(1);
                if !taken.contains(&replacement) {
                    return replacement;
                }
            }
        };
        let words = words
            .into_iter()
            .map(|word| {
                let replacement = replacement_of(&word);
                (word, replacement)
            })
            .collect();
        let width = wholes.len().to_string().len();
        let wholes = wholes.into_iter().enumerate();
        Replacements {
            words,
            wholes: wholes
                .map(|(at, whole)| (whole, format!("u-{at:0width$}")))
                .collect(),
        }
    }

    /// Returns a name with its words replaced.
    pub fn name(&self, name: &str) -> String {
        parts(name)
            .map(|part| self.words.get(part).map_or(part, String::as_str))
            .collect()
    }

    /// Returns the replacement of a whole text. One that is empty stays.
    pub fn whole<'r>(&'r self, text: &'r str) -> &'r str {
        self.wholes.get(text).map_or(text, String::as_str)
    }
}

/// Returns true if a word could be taken for a replacement.
pub fn looks_replaced(word: &str) -> bool {
    word.starts_with([BEFORE, BEHIND]) && word.len() > 3 && word.len() < 9
}

/// Writes a number in so many digits, of which letters are the larger ones, as in ASCII.
fn in_digits(number: usize, digits: u32) -> String {
    (0..digits)
        .rev()
        .map(|at| {
            let rest = number.checked_div(BASE.saturating_pow(at)).unwrap_or(0);
            let value = rest.checked_rem(BASE).unwrap_or(0);
            char::from_digit(u32::try_from(value).unwrap_or(0), 36).unwrap_or('0')
        })
        .collect()
}

/// Returns the words of a text, and what is between them, in their order.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let (part, after) = rest.split_at(
            rest.find(|letter: char| letter.is_alphanumeric() != first.is_alphanumeric())
                .unwrap_or(rest.len()),
        );
        rest = after;
        Some(part)
    })
}

/// Returns the words of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    parts(text).filter(|part| part.starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_sort_as_the_names_do() {
        let names = [
            "a",
            "a-b",
            "a.b",
            "a1",
            "ab",
            "default",
            "default-2",
            "defaults",
            "node-10",
            "node-2",
            "web",
            "web-7d4f9",
            "web-7d4f9-x2x4k",
        ];
        let all = names.iter().flat_map(|name| words(name)).map(str::to_owned);
        let taken = BTreeSet::from(["c000".to_owned()]);
        let replacements = Replacements::of(all.collect(), BTreeSet::new(), &taken);
        let replaced: Vec<String> = names.iter().map(|name| replacements.name(name)).collect();
        assert!(replaced.is_sorted(), "{replaced:?}");
        assert_eq!(replacements.name("default"), "default");
        assert!(
            replacements
                .name("web-7d4f9-x2x4k")
                .starts_with(&replacements.name("web-7d4f9"))
        );
        assert!(
            !replaced
                .iter()
                .any(|name| words(name).any(|word| word == "c000"))
        );
        assert_eq!(replacements.name("0.0/unknown"), "0.0/unknown");
    }
}
