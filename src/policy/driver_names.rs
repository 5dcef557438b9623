//! Names of drivers that an expression may be about although it does not write them: what its texts can be parts, patterns or other
//! forms of.

use claimkit_model::cel;
use claimkit_values::order;
use std::collections::BTreeSet;

/// Longest name of a driver (k8s.io/api, resource/v1, types.go, `DriverNameMaxLength`).
pub const LONGEST: usize = 63;

/// Maximum number of texts that are combined with each other.
const COMBINED: usize = 6;

/// Maximum number of texts that are combined by three.
const COMBINED_BY_THREE: usize = 4;

/// Maximum number of texts that a regular expression gives.
const SAMPLES: usize = 48;

/// The characters of names, the one first that stands for any other.
const OF_NAMES: &str = "xabcdefghijklmnopqrstuvwyz0123456789-.";

/// What an expression says that names can be made of.
#[derive(Debug, Default)]
pub struct Words {
    pub texts: BTreeSet<String>,
    pub integers: BTreeSet<i64>,
}

/// Names that a text or several may stand for.
#[derive(Debug, Default)]
pub struct PossibleNames {
    pub names: Vec<String>,
    /// There are more of them.
    pub is_cut: bool,
}

impl Words {
    /// Returns the lengths that its numbers may stand for, and those beside them: lengths are compared.
    fn lengths(&self) -> BTreeSet<usize> {
        let near = |number: &i64| [number.saturating_sub(1), *number, number.saturating_add(1)];
        let numbers = self.integers.iter().flat_map(near);
        let lengths = numbers.filter_map(|number| usize::try_from(number).ok());
        order::set(lengths.filter(|length| (1..=LONGEST).contains(length)))
    }

    /// Returns what each text may stand for alone, where an expression looks at parts of names.
    pub fn alone(&self) -> PossibleNames {
        let mut names = Vec::new();
        let mut is_cut = false;
        for text in &self.texts {
            names.push(text.to_lowercase());
            names.push(text.trim_matches(|c| !is_of_name(c)).to_owned());
            names.push(format!("{text}nobody"));
            names.push(format!("nobody{text}"));
            names.push(format!("nobody{text}nobody"));
            names.extend(half(text).map(str::to_owned));
            if text.contains(is_of_pattern) {
                match cel::examples_of_regex(text, OF_NAMES, LONGEST, SAMPLES) {
                    Some(samples) => names.extend(samples),
                    None => is_cut = true,
                }
            }
        }
        for number in self.lengths() {
            let some = "x".repeat(number);
            for text in &self.texts {
                names.push(format!("{some}{text}"));
                names.push(format!("{text}{some}"));
            }
            names.push(some);
        }
        PossibleNames { names, is_cut }
    }

    /// Returns what several texts may stand for together: one after the other, as parts between dots, one without the other.
    pub fn together(&self) -> Vec<String> {
        let mut names = Vec::new();
        if self.texts.len() > COMBINED {
            return names;
        }
        for first in &self.texts {
            for second in &self.texts {
                names.push(format!("{first}{second}"));
                names.push(format!("{first}.{second}"));
                names.push(format!("{first}x{second}"));
                names.push(format!("x{first}x{second}x"));
                names.extend(first.strip_prefix(second.as_str()).map(str::to_owned));
                names.extend(first.strip_suffix(second.as_str()).map(str::to_owned));
                if self.texts.len() <= COMBINED_BY_THREE {
                    for third in &self.texts {
                        names.push(format!("{first}.{second}.{third}"));
                        names.push(format!("{first}x{second}x{third}"));
                        names.push(first.replace(second.as_str(), third));
                    }
                }
            }
        }
        names
    }
}

/// Returns names that differ from a name in one part: what selects a name by some of its parts selects one of these, too.
pub fn near(name: &str) -> Vec<String> {
    let labels: Vec<&str> = name.split('.').collect();
    let mut names = vec![
        format!("x{name}"),
        format!("{name}x"),
        format!("nobody.{name}"),
        format!("{name}.nobody"),
        // The API server takes capital letters.
        name.to_uppercase(),
    ];
    for (place, label) in labels.iter().enumerate() {
        let with = |other: &str| {
            let mut labels = labels.clone();
            if let Some(label) = labels.get_mut(place) {
                *label = other;
            }
            labels.join(".")
        };
        names.push(with(&"q".repeat(label.len())));
        names.push(with("nobody"));
        for keep in [label.get(..1), label.get(label.len().saturating_sub(1)..)] {
            let keep = keep.unwrap_or_default();
            let rest = "q".repeat(label.len().saturating_sub(keep.len()));
            names.push(with(&format!("{keep}{rest}")));
            names.push(with(&format!("{rest}{keep}")));
        }
    }
    if let Some((_, rest)) = name.split_once('.') {
        names.push(rest.to_owned());
    }
    if let Some((rest, _)) = name.rsplit_once('.') {
        names.push(rest.to_owned());
    }
    names
}

/// A driver that no cluster has, whose name says nothing of others.
pub const NEUTRAL: &str = "nobody.invalid";

/// Names of drivers that no cluster has, of several shapes.
const NOBODY: [&str; 5] = [
    NEUTRAL,
    "z.test",
    "9x.q-7.nowhere.zone",
    "a-driver-that-nobody-has-and-that-has-a-long-name.of.no.invalid",
    "unheard-of",
];

/// Returns names of drivers that no cluster has and that some texts do not have either. Some of them differ from one text to another, so that a
/// text cannot be about all of them.
pub fn of_nobody(texts: &[&str]) -> Vec<String> {
    let is_new = |driver: &str| texts.iter().all(|text| !text.contains(driver));
    let mut letters = Letters::of(texts);
    let mut names: Vec<String> = NOBODY.iter().map(|driver| (*driver).to_owned()).collect();
    names.push(format!("{}.{}", letters.next(5), letters.next(3)));
    names.push(letters.next(9));
    names.push(format!(
        "{}-7.{}.{}",
        letters.next(3),
        letters.next(4),
        letters.next(3)
    ));
    names.push(format!(
        "{}.{}.{}",
        letters.next(4),
        letters.next(6),
        letters.next(2)
    ));
    names.retain(|name| is_new(name));
    if names.is_empty() {
        // An expression is finite, so one of these numbers is not in it.
        let numbered = (0..).map(|number: u32| format!("nobody{number}.invalid"));
        names.extend(numbered.filter(|name| is_new(name)).take(1));
    }
    names
}

/// Letters that depend on texts.
struct Letters {
    state: u64,
}

impl Letters {
    /// Starts with a hash of the texts (FNV-1a).
    fn of(texts: &[&str]) -> Self {
        let bytes = texts.iter().flat_map(|text| text.bytes());
        let state = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Letters { state }
    }

    fn next(&mut self, count: usize) -> String {
        let mut text = String::new();
        for _ in 0..count {
            self.state = self
                .state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let letter = u8::try_from((self.state >> 33) % 26).unwrap_or(0);
            text.push(char::from(b'a'.saturating_add(letter)));
        }
        text
    }
}

/// Returns what a text has twice, one behind the other.
fn half(text: &str) -> Option<&str> {
    let (first, second) = text.split_at_checked(text.len() / 2)?;
    (first == second).then_some(first)
}

/// Returns true if a name of a driver can have the character.
fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '-' || c == '.'
}

/// Returns true if only a pattern has the character.
fn is_of_pattern(c: char) -> bool {
    matches!(
        c,
        '(' | '[' | '{' | '|' | '\\' | '^' | '$' | '?' | '*' | '+'
    )
}

/// Returns each name once, in their order.
pub fn distinct(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen: BTreeSet<String> = order::set([]);
    let names = names.into_iter();
    names.filter(|name| seen.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_pattern(pattern: &str) -> Vec<String> {
        let words = Words {
            texts: BTreeSet::from([pattern.to_owned()]),
            integers: BTreeSet::new(),
        };
        let PossibleNames { names, is_cut } = words.alone();
        assert!(!is_cut, "{pattern}");
        names
    }

    #[test]
    fn names_that_a_regular_expression_matches_are_found() {
        for (regex, expected) in [
            (r"^evil\.example\.com$", &["evil.example.com"][..]),
            (
                r"^(gpu|evil)\.example\.com$",
                &["gpu.example.com", "evil.example.com"],
            ),
            (r"^(?:a|b)(c|d)$", &["ac", "ad", "bc", "bd"]),
            (r"^[ge]x$", &["ex", "gx"]),
            (r"^[^x]vil$", &["avil"]),
            (r"^.{4}\.io$", &["xxxx.io"]),
            (r"(?i)EVIL", &["evil"]),
            (r"a|b|c*?d+", &["a", "b", "d", "cd"]),
            (r"\w\d{2,3}", &["x00"]),
            (r"^evi(x|l)?l$", &["evil", "evill"]),
            (r"^\x65v\Qil.\Ecom$", &["evil.com"]),
            (r"^[[:alpha:]]v\pLl$", &["xvxl"]),
        ] {
            let names = of_pattern(regex);
            for name in expected {
                assert!(names.contains(&(*name).to_owned()), "{regex}: {names:?}");
            }
        }
        let many: Vec<String> = (0..60).map(|number| format!("a{number}")).collect();
        let words = Words {
            texts: BTreeSet::from([format!("^({})$", many.join("|"))]),
            integers: BTreeSet::new(),
        };
        assert!(words.alone().is_cut);
    }

    #[test]
    fn nobody_has_a_name_that_is_written() {
        let written = NOBODY.join(" ");
        let names = of_nobody(&[&written]);
        assert_eq!(names.len(), 4, "{names:?}");
        assert!(names.iter().all(|name| !written.contains(name.as_str())));
        assert_ne!(of_nobody(&["a"]), of_nobody(&["b"]));
    }
}
