//! The replacements of names, word by word: a word is a run of letters and digits, so a name that another one begins with, as that of
//! a pod begins with its Deployment's, still does. The replacements sort as the words do, for the scheduler and answers go by names.

use std::collections::{BTreeMap, BTreeSet};

/// Words that mean something by themselves, as in the namespace of objects that name none and in that of the cluster's own pods.
const FIXED: [&str; 3] = ["default", "kube", "system"];
/// The first letters of replacements: of words before the first of [`FIXED`], between them, and behind the last one.
const LETTERS: [char; 4] = ['c', 'h', 'n', 'x'];
/// Maximum number of digits of a number in a name that stays: pods of a StatefulSet end in the order of such numbers.
const MOST_ORDINAL_DIGITS: usize = 3;
/// Numbers in a row that are the address of a node.
const ADDRESS_NUMBERS: usize = 4;
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
            if FIXED.contains(&word) {
                return word.to_owned();
            }
            let before = FIXED.iter().filter(|fixed| **fixed < word).count();
            let first = LETTERS.get(before).copied().unwrap_or('x');
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
        let has_address = has_address(name);
        parts(name)
            .map(|part| {
                if is_ordinal(part) && !has_address {
                    part
                } else {
                    self.words.get(part).map_or(part, String::as_str)
                }
            })
            .collect()
    }

    /// Returns the replacement of a whole text. One that is empty stays.
    pub fn whole<'r>(&'r self, text: &'r str) -> &'r str {
        self.wholes.get(text).map_or(text, String::as_str)
    }
}

/// Returns true for a number as at the end of the names of a StatefulSet's pods.
fn is_ordinal(word: &str) -> bool {
    word.len() <= MOST_ORDINAL_DIGITS && is_number(word)
}

fn is_number(word: &str) -> bool {
    word.chars().all(|letter| letter.is_ascii_digit())
}

/// Returns true if an address is in a name, as in `ip-10-0-1-23`.
fn has_address(name: &str) -> bool {
    let mut in_row = 0_usize;
    words(name).any(|word| {
        in_row = if is_number(word) {
            in_row.saturating_add(1)
        } else {
            0
        };
        in_row >= ADDRESS_NUMBERS
    })
}

/// Returns true if a word could be taken for a replacement.
pub fn looks_replaced(word: &str) -> bool {
    word.starts_with(LETTERS) && word.len() > 3 && word.len() < 9
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

    /// Answers read the ordinals of a StatefulSet's pods and the cluster's own namespace.
    #[test]
    fn words_with_a_meaning_stay() {
        let names = ["apps", "kube-system", "ml", "tools", "web-7", "ip-10-0-1-7"];
        let all = names.iter().flat_map(|name| words(name)).map(str::to_owned);
        let replacements = Replacements::of(all.collect(), BTreeSet::new(), &BTreeSet::new());
        let replaced: Vec<String> = names.iter().map(|name| replacements.name(name)).collect();
        let [apps, system, ml, tools, ordinal, address] = replaced.as_slice() else {
            panic!("{replaced:?}");
        };
        assert_eq!(system, "kube-system");
        assert!(apps < system && system < ml && ml < tools, "{replaced:?}");
        assert!(ordinal.ends_with("-7"), "{ordinal}");
        assert!(words(address).all(looks_replaced), "{address}");
    }
}
