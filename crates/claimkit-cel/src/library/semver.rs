//! Semantic versions: the strict reader, the lenient one of `semver(text, true)`, and their order.
//!
//! Source: blang/semver v4 `semver.go`; apiserver `pkg/cel/library/semverlib.go`.

use crate::error::{Error, ErrorKind};
use claimkit_values::{GoUnicode, quote};
use std::cmp::Ordering;
use std::fmt;

/// A semantic version.
///
/// `==` compares everything; the order of versions leaves build data out.
///
/// ```
/// use claimkit_cel::library::semver::SemanticVersion;
///
/// let version = SemanticVersion::parse("1.2.3-rc.1+build").unwrap();
/// assert_eq!((version.minor, version.to_string().as_str()), (2, "1.2.3-rc.1+build"));
/// assert!(SemanticVersion::parse("v1.2").is_err());
/// assert_eq!(SemanticVersion::parse_normalized("v1.2").unwrap().to_string(), "1.2.0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemanticVersion {
    /// The first number of the version.
    pub major: u64,
    /// The second number of the version.
    pub minor: u64,
    /// The third number of the version.
    pub patch: u64,
    /// The identifiers after `-`, which dots separate.
    pub pre_release: Vec<Identifier>,
    /// The identifiers after `+`, which dots separate. Comparison ignores them.
    pub build: Vec<String>,
}

/// A part of a pre-release.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Identifier {
    /// Only digits: less than any text.
    Number(u64),
    /// Letters, digits and `-`.
    Text(String),
}

/// As it is written: `1.2.3-alpha.1+build`.
impl fmt::Display for SemanticVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        for (index, part) in self.pre_release.iter().enumerate() {
            f.write_str(if index == 0 { "-" } else { "." })?;
            match part {
                Identifier::Number(number) => write!(f, "{number}")?,
                Identifier::Text(text) => f.write_str(text)?,
            }
        }
        for (index, part) in self.build.iter().enumerate() {
            write!(f, "{}{part}", if index == 0 { "+" } else { "." })?;
        }
        Ok(())
    }
}

impl SemanticVersion {
    /// Reads `major.minor.patch[-pre-release][+build]`.
    ///
    /// # Errors
    /// A text that is not a version.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::read(text).map_err(Error::of(ErrorKind::Version))
    }

    fn read(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("Version string empty".to_owned());
        }
        let mut parts = text.splitn(3, '.');
        let (Some(major), Some(minor), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return Err("No Major.Minor.Patch elements found".to_owned());
        };
        let major = read_number(major, "Major", "major")?;
        let minor = read_number(minor, "Minor", "minor")?;
        let (rest, build) = split_identifiers(rest, '+');
        let (patch, pre_release) = split_identifiers(rest, '-');
        let patch = read_number(patch, "Patch", "patch")?;
        Ok(Self {
            major,
            minor,
            patch,
            pre_release: pre_release
                .into_iter()
                .map(identifier)
                .collect::<Result<_, _>>()?,
            build: build
                .into_iter()
                .map(build_part)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Reads more: a leading `v`, one or two numbers, leading zeros.
    ///
    /// # Errors
    /// A text that is not a version.
    pub fn parse_normalized(text: &str) -> Result<Self, Error> {
        let numbers = text.strip_prefix('v').unwrap_or(text);
        let mut parts: Vec<String> = numbers.splitn(3, '.').map(without_zeros).collect();
        let has_more = parts.last().is_some_and(|last| last.contains(['+', '-']));
        if parts.len() < 3 && has_more {
            let message = "short version cannot contain PreRelease/Build meta data";
            return Err(Error::new(ErrorKind::Version, message));
        }
        while parts.len() < 3 {
            parts.push("0".to_owned());
        }
        Self::parse(&parts.join("."))
    }

    /// Returns the order of versions. Build data counts for nothing, so versions that differ in it alone are equal.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        (self.major, self.minor, self.patch)
            .cmp(&(other.major, other.minor, other.patch))
            // Without a pre-release is more than with any.
            .then_with(|| {
                self.pre_release
                    .is_empty()
                    .cmp(&other.pre_release.is_empty())
            })
            .then_with(|| self.pre_release.cmp(&other.pre_release))
    }
}

/// Splits a text at a character: the text before it, and the parts after it that dots separate, if the character is there.
fn split_identifiers(text: &str, at: char) -> (&str, Vec<&str>) {
    match text.split_once(at) {
        Some((before, behind)) => (before, behind.split('.').collect()),
        None => (text, Vec::new()),
    }
}

fn quoted(text: &str) -> String {
    quote(text, GoUnicode::V15)
}

fn is_number(text: &str) -> bool {
    claimkit_values::has_only_digits(text)
}

fn is_identifier(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_padded(text: &str) -> bool {
    text.len() > 1 && text.starts_with('0')
}

fn read_number(text: &str, name: &str, lower: &str) -> Result<u64, String> {
    if !is_number(text) {
        return Err(format!(
            "Invalid character(s) found in {lower} number {}",
            quoted(text)
        ));
    }
    if is_padded(text) {
        return Err(format!(
            "{name} number must not contain leading zeroes {}",
            quoted(text)
        ));
    }
    parse_u64(text)
}

/// Parses digits as Go's `strconv.ParseUint` does.
fn parse_u64(digits: &str) -> Result<u64, String> {
    let why = if digits.is_empty() {
        "invalid syntax"
    } else {
        "value out of range"
    };
    digits
        .parse()
        .map_err(|_| format!("strconv.ParseUint: parsing {}: {why}", quoted(digits)))
}

fn identifier(text: &str) -> Result<Identifier, String> {
    if text.is_empty() {
        return Err("Prerelease is empty".to_owned());
    }
    if is_number(text) {
        if is_padded(text) {
            return Err(format!(
                "Numeric PreRelease version must not contain leading zeroes {}",
                quoted(text)
            ));
        }
        return parse_u64(text).map(Identifier::Number);
    }
    if is_identifier(text) {
        return Ok(Identifier::Text(text.to_owned()));
    }
    Err(format!(
        "Invalid character(s) found in prerelease {}",
        quoted(text)
    ))
}

fn build_part(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Err("Build meta data is empty".to_owned());
    }
    if !is_identifier(text) {
        return Err(format!(
            "Invalid character(s) found in build meta data {}",
            quoted(text)
        ));
    }
    Ok(text.to_owned())
}

/// Returns the digits without leading zeros, but at least one digit.
fn without_zeros(part: &str) -> String {
    if part.len() < 2 {
        return part.to_owned();
    }
    let stripped = part.trim_start_matches('0');
    let zero = if stripped.starts_with(|c: char| c.is_ascii_digit()) {
        ""
    } else {
        "0"
    };
    format!("{zero}{stripped}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_strictly() {
        for (text, numbers) in [
            ("1.2.3", (1, 2, 3)),
            ("1.2.3-alpha.1", (1, 2, 3)),
            ("1.2.3+b", (1, 2, 3)),
            ("1.2.3-rc.1+b.2", (1, 2, 3)),
            ("1.2.3-0a", (1, 2, 3)),
            ("1.2.3+-", (1, 2, 3)),
            ("1.2.3+b-1.01", (1, 2, 3)),
            ("18446744073709551615.0.0", (u64::MAX, 0, 0)),
        ] {
            assert_eq!(
                SemanticVersion::parse(text).map(|v| (v.major, v.minor, v.patch)),
                Ok(numbers),
                "{text}"
            );
        }
        for (text, error) in [
            ("", "Version string empty"),
            ("1.2", "No Major.Minor.Patch elements found"),
            ("abc", "No Major.Minor.Patch elements found"),
            (
                "v1.2.3",
                r#"Invalid character(s) found in major number "v1""#,
            ),
            (
                "01.2.3",
                r#"Major number must not contain leading zeroes "01""#,
            ),
            (
                "1.02.3",
                r#"Minor number must not contain leading zeroes "02""#,
            ),
            (
                "1.2.03",
                r#"Patch number must not contain leading zeroes "03""#,
            ),
            (
                "1.2.3-01",
                r#"Numeric PreRelease version must not contain leading zeroes "01""#,
            ),
            ("1.2.3-", "Prerelease is empty"),
            ("1.2.3-a..b", "Prerelease is empty"),
            ("1.2.3+", "Build meta data is empty"),
            (
                "1.2.3.4",
                r#"Invalid character(s) found in patch number "3.4""#,
            ),
            (
                "1.2.3 ",
                r#"Invalid character(s) found in patch number "3 ""#,
            ),
            ("1.2.3-é", r#"Invalid character(s) found in prerelease "é""#),
            (
                "1.2.3+é",
                r#"Invalid character(s) found in build meta data "é""#,
            ),
            ("..", r#"strconv.ParseUint: parsing "": invalid syntax"#),
            (
                "18446744073709551616.0.0",
                r#"strconv.ParseUint: parsing "18446744073709551616": value out of range"#,
            ),
        ] {
            assert_eq!(
                SemanticVersion::parse(text),
                Err(Error::new(ErrorKind::Version, error)),
                "{text}"
            );
        }
    }

    #[test]
    fn reads_leniently() {
        for (text, numbers) in [
            ("v1.2.3", (1, 2, 3)),
            ("1", (1, 0, 0)),
            ("v1", (1, 0, 0)),
            ("1.2", (1, 2, 0)),
            ("v01.02.03", (1, 2, 3)),
            ("1.00.3-a", (1, 0, 3)),
        ] {
            assert_eq!(
                SemanticVersion::parse_normalized(text).map(|v| (v.major, v.minor, v.patch)),
                Ok(numbers),
                "{text}"
            );
        }
        for (text, error) in [
            (
                " 1.2.3",
                r#"Invalid character(s) found in major number "0 1""#,
            ),
            (
                "V1.0",
                r#"Invalid character(s) found in major number "0V1""#,
            ),
            (
                "1.2-a",
                "short version cannot contain PreRelease/Build meta data",
            ),
            ("1.2.3-", "Prerelease is empty"),
            (
                "1.2.3-01",
                r#"Numeric PreRelease version must not contain leading zeroes "01""#,
            ),
            ("", r#"strconv.ParseUint: parsing "": invalid syntax"#),
        ] {
            assert_eq!(
                SemanticVersion::parse_normalized(text),
                Err(Error::new(ErrorKind::Version, error)),
                "{text}"
            );
        }
    }

    #[test]
    fn order() {
        let versions = [
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-10",
            "1.0.0-a",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "2.0.0",
        ];
        let parsed: Vec<_> = versions
            .iter()
            .map(|text| SemanticVersion::parse(text).unwrap())
            .collect();
        for (i, one) in parsed.iter().enumerate() {
            for (j, other) in parsed.iter().enumerate() {
                assert_eq!(one.compare(other), i.cmp(&j), "{one:?} {other:?}");
            }
        }
        assert_eq!(
            SemanticVersion::parse("1.0.0")
                .unwrap()
                .compare(&SemanticVersion::parse("1.0.0+x").unwrap()),
            Ordering::Equal
        );
    }
}
