//! Near spellings: how far apart two names are, and which of several is nearest.
use crate::message::{Message, message};

/// Returns the letters and digits in lower case, without separators. The Kelvin sign is the only non-ASCII letter whose lower
/// case is ASCII.
pub fn folded(text: &str) -> impl Iterator<Item = char> + Clone {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| match c {
        '\u{212a}' => 'k',
        _ => c.to_ascii_lowercase(),
    })
}

/// Finds the unique candidate nearest to a text. It may differ in at most a quarter of the letters, with a minimum of one and a
/// maximum of three edits. Texts of one letter have none.
#[derive(Debug)]
pub struct Nearest<'t, 'c> {
    text: &'t str,
    letters: usize,
    limit: usize,
    best: Option<(usize, &'c str)>,
    tied: bool,
}

impl<'t, 'c> Nearest<'t, 'c> {
    /// Starts a search without candidates.
    pub fn to(text: &'t str) -> Self {
        let letters = text.chars().count();
        Nearest {
            text,
            letters,
            limit: if letters < 2 {
                0
            } else {
                (letters / 4).clamp(1, 3)
            },
            best: None,
            tied: false,
        }
    }

    /// Takes a candidate in.
    pub fn consider(&mut self, candidate: &'c str) {
        // Each extra or missing letter is one edit.
        if candidate.chars().count().abs_diff(self.letters) > self.limit {
            return;
        }
        let Some(distance) = within(self.text, candidate, self.limit) else {
            return;
        };
        if has_other_label(self.text, candidate) {
            return;
        }
        match self.best {
            Some((least, _)) if distance > least => {}
            Some((least, _)) if distance == least => self.tied = true,
            _ => (self.best, self.tied) = (Some((distance, candidate)), false),
        }
    }

    /// Returns the nearest candidate; `None` if two are equally near, or if one is the text itself.
    pub fn found(&self) -> Option<&'c str> {
        self.best
            .filter(|(distance, _)| *distance > 0 && !self.tied)
            .map(|(_, candidate)| candidate)
    }
}

/// Returns the number of edits from one text to the other: insert, delete, replace, swap neighbors. Texts longer than any
/// label's key are not compared.
pub fn distance(a: &str, b: &str) -> usize {
    within(a, b, usize::MAX).unwrap_or(usize::MAX)
}

/// Does the same; `None` if there are more edits than the limit.
fn within(a: &str, b: &str, limit: usize) -> Option<usize> {
    const MAX: usize = 320;
    if a.len() > MAX || b.len() > MAX {
        return None;
    }
    if missing_letters(a, b) > limit {
        return None;
    }
    let columns: Vec<char> = b.chars().collect();
    let mut two_back: Vec<usize> = Vec::new();
    let mut back: Vec<usize> = (0..=columns.len()).collect();
    let mut line: Vec<usize> = Vec::with_capacity(back.len());
    let mut before: Option<char> = None;
    for (row, x) in a.chars().enumerate() {
        let mut left = row.saturating_add(1);
        line.clear();
        line.push(left);
        for (column, (&y, pair)) in columns.iter().zip(back.windows(2)).enumerate() {
            let &[diagonal, above] = pair else { continue };
            let replaced = diagonal.saturating_add(usize::from(x != y));
            left = replaced
                .min(above.saturating_add(1))
                .min(left.saturating_add(1));
            if before == Some(y)
                && let Some(start) = column.checked_sub(1)
                && columns.get(start) == Some(&x)
                && let Some(edits) = two_back.get(start)
            {
                left = left.min(edits.saturating_add(1));
            }
            line.push(left);
        }
        std::mem::swap(&mut two_back, &mut back);
        std::mem::swap(&mut back, &mut line);
        before = Some(x);
        // Each number of a line comes from one of the two lines before it, and never is less.
        if back.iter().chain(&two_back).all(|&edits| edits > limit) {
            return None;
        }
    }
    back.last().copied().filter(|&edits| edits <= limit)
}

/// Counts the letters of the longer text that the other lacks, a lower bound of the edits between them: each needs an edit of its
/// own. Rules out most names without a comparison.
fn missing_letters(a: &str, b: &str) -> usize {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    // Counts by the last five bits of a letter.
    let mut left = [0u16; 32];
    for byte in short.bytes() {
        if let Some(count) = left.get_mut(usize::from(byte & 31)) {
            *count = count.saturating_add(1);
        }
    }
    let mut lacks = 0usize;
    for c in long.chars() {
        // A letter of several bytes counts as one, which may be there.
        let Ok(byte) = u8::try_from(c) else {
            continue;
        };
        let Some(count) = left.get_mut(usize::from(byte & 31)) else {
            continue;
        };
        match count.checked_sub(1) {
            Some(fewer) => *count = fewer,
            None => lacks = lacks.saturating_add(1),
        }
    }
    lacks
}

/// Returns the number of edits between two names if it is small for their length: one for up to five letters, two for up to eight,
/// and three for more. Names of one letter are near to none.
///
/// ```
/// use claimkit_model::nearest::near;
///
/// assert_eq!(near("modle", "model"), Some(1));
/// assert_eq!(near("numa", "nic"), None);
/// ```
pub fn near(a: &str, b: &str) -> Option<usize> {
    let limit = limit_of(a, b);
    within(a, b, limit).filter(|_| !has_other_label(a, b))
}

/// Returns the number of edits up to which two names are alike.
fn limit_of(a: &str, b: &str) -> usize {
    let (letters_of_a, letters_of_b) = (a.chars().count(), b.chars().count());
    match letters_of_a.min(letters_of_b) {
        0 | 1 => 0,
        2..=5 => 1,
        6..=8 => 2,
        _ => 3,
    }
}

/// Returns true if two domains with equally many labels have labels that are not alike: `nic.example.com` is long, and yet another
/// domain than `gpu.example.com`.
fn has_other_label(a: &str, b: &str) -> bool {
    let (separators_of_a, separators_of_b) = (separators(a), separators(b));
    if separators_of_a == 0 || separators_of_a != separators_of_b {
        return false;
    }
    let mut pairs = a.split(SEPARATORS).zip(b.split(SEPARATORS));
    pairs.any(|(x, y)| !x.eq_ignore_ascii_case(y) && within(x, y, limit_of(x, y)).is_none())
}

fn separators(name: &str) -> usize {
    name.matches(SEPARATORS).count()
}

/// The signs between the labels of a domain, and before the name that belongs to it.
const SEPARATORS: [char; 2] = ['.', '/'];

/// Returns true if the names are a few edits apart, or one of them contains the other.
pub fn alike(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    let are_long = a.len() >= 4 && b.len() >= 4;
    near(&a, &b).is_some() || (are_long && (a.contains(&b) || b.contains(&a)))
}

/// Returns the help that names what was probably meant.
pub fn did_you_mean(near: &str) -> Message {
    message!("suggest.did-you-mean", "did you mean `{near}`?", near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_letters_allow_few_edits() {
        for (a, b, want) in [
            ("numa", "nic", None),
            ("nope", "model", None),
            ("v", "foo", None),
            ("a", "b", None),
            ("vram", "ram", Some(1)),
            ("product", "prodcut", Some(1)),
            ("memory", "memorie", Some(2)),
            ("nic.example.com", "gpu.example.com", None),
            ("gpu.exmaple.com", "gpu.example.com", Some(1)),
            ("gpu.example.com/v", "gpu.example.com/u", None),
            ("gpu.example.com/modle", "gpu.example.com/model", Some(1)),
            ("gpuexample.com", "gpu.example.com", Some(1)),
        ] {
            assert_eq!((near(a, b), near(b, a)), (want, want), "{a} {b}");
        }
        let mut nearest = Nearest::to("a");
        nearest.consider("b");
        assert_eq!(nearest.found(), None);
    }

    #[test]
    fn distances() {
        for (a, b, want) in [
            ("", "", 0),
            ("a", "", 1),
            ("abc", "abd", 1),
            ("abcd", "abdc", 1),
            ("name", "names", 1),
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("é", "e", 1),
            ("ab", "bca", 3),
            ("zone", "oznw", 2),
        ] {
            assert_eq!((distance(a, b), distance(b, a)), (want, want), "{a} {b}");
            for limit in 0..5 {
                let within_limit = (want <= limit).then_some(want);
                assert_eq!(
                    (within(a, b, limit), within(b, a, limit)),
                    (within_limit, within_limit),
                    "{a} {b} {limit}"
                );
            }
        }
        for a in [
            "",
            "a",
            "aé",
            "Aa",
            "limits",
            "claimName",
            "k\u{212a}",
            "xyzzy",
        ] {
            for b in [
                "",
                "b",
                "éé",
                "aA",
                "limit",
                "claimNames",
                "Kk",
                "resourceClaimName",
            ] {
                assert!(missing_letters(a, b) <= distance(a, b), "{a} {b}");
            }
        }
        let long = "a".repeat(320);
        assert_eq!(distance(&long, "a"), 319);
        assert_eq!(distance(&format!("{long}a"), "a"), usize::MAX);
    }
}
