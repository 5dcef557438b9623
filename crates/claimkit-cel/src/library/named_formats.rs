//! `format.dns1123Label()` and its like.
//!
//! Source: apiserver `pkg/cel/library/format.go`; kube-openapi `pkg/validation/strfmt`.

use super::url;
use claimkit_values::names::{self, DottedLabel, Messages};
use claimkit_values::time::Time;
use std::borrow::Cow;

/// One format: its names, and what it says about a text.
#[derive(Debug)]
#[non_exhaustive]
pub struct NamedFormat {
    /// The function's name behind `format.`, which `format.named` takes, too.
    pub function: &'static str,
    /// The name that the object carries: formats are equal by it.
    pub name: &'static str,
    /// The length of a regular expression that would do the same, for the cost.
    pub pattern_size: u64,
    validate: fn(&str, Lengths) -> Messages,
}

/// The server's wording for over-long parts of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lengths {
    /// Up to 1.34: `characters`.
    Characters,
    /// From 1.35 on: `bytes`, for label values and qualified names, and another word for a label's key.
    Bytes,
}

impl PartialEq for NamedFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for NamedFormat {}

impl NamedFormat {
    /// Computes `validate`: returns the errors of a text.
    pub(crate) fn validate(&self, text: &str, lengths: Lengths) -> Messages {
        (self.validate)(text, lengths)
    }
}

/// Returns the format of a name, for `format.named` and `format.<name>()`.
pub(crate) fn find(function: &str) -> Option<&'static NamedFormat> {
    FORMATS.iter().find(|format| format.function == function)
}

const fn format(
    function: &'static str,
    name: &'static str,
    pattern_size: u64,
    validate: fn(&str, Lengths) -> Messages,
) -> NamedFormat {
    NamedFormat {
        function,
        name,
        pattern_size,
        validate,
    }
}

/// All formats. Pattern sizes above 60 come from the patterns in govalidator and strfmt, as far as the costs reveal them.
pub(crate) static FORMATS: [NamedFormat; 13] = [
    format("dns1123Label", "DNS1123Label", 30, |text, _| {
        dns1123_label(text)
    }),
    format("dns1123Subdomain", "DNS1123Subdomain", 60, |text, _| {
        names::subdomain(text)
    }),
    format("dns1035Label", "DNS1035Label", 30, |text, _| {
        dns1035_label(text)
    }),
    format("qualifiedName", "QualifiedName", 60, |text, lengths| {
        worded(names::qualified_name(text), lengths)
    }),
    format("dns1123LabelPrefix", "DNS1123LabelPrefix", 30, |text, _| {
        dns1123_label(&masked(text))
    }),
    format(
        "dns1123SubdomainPrefix",
        "DNS1123SubdomainPrefix",
        60,
        |text, _| names::generated_subdomain(text),
    ),
    format("dns1035LabelPrefix", "DNS1035LabelPrefix", 30, |text, _| {
        dns1035_label(&masked(text))
    }),
    format("labelValue", "LabelValue", 40, |text, lengths| {
        worded(names::label_value(text), lengths)
    }),
    format("uri", "URI", 1104, |text, _| {
        url::check(text).err().map(Cow::Owned).into_iter().collect()
    }),
    format("uuid", "uuid", 70, |text, _| {
        says(is_uuid(text), "does not match the UUID format")
    }),
    format("byte", "byte", 84, |text, _| {
        says(is_base64(text), "invalid base64")
    }),
    format("date", "date", 71, |text, _| {
        says(is_date(text), "invalid date")
    }),
    format("datetime", "datetime", 71, |text, _| {
        says(is_date_time(text), "invalid datetime")
    }),
];

fn says(good: bool, message: &'static str) -> Messages {
    if good {
        Messages::new()
    } else {
        vec![Cow::Borrowed(message)]
    }
}

/// Returns the release's messages for texts that are too long or have too many slashes.
fn worded(messages: Messages, lengths: Lengths) -> Messages {
    if lengths == Lengths::Characters {
        return messages;
    }
    messages.into_iter().map(word_in_bytes).collect()
}

fn word_in_bytes(message: Cow<'static, str>) -> Cow<'static, str> {
    if let Some(before) = message.strip_suffix(" characters") {
        return Cow::Owned(format!("{before} bytes"));
    }
    match message.strip_prefix("a qualified name must") {
        Some(rest) => Cow::Owned(format!("a valid label key must{rest}")),
        None => message,
    }
}

fn dns1123_label(text: &str) -> Messages {
    names::label(text, DottedLabel::NamesTheDots)
}

fn dns1035_label(text: &str) -> Messages {
    const MESSAGE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    let mut messages = Messages::new();
    if text.len() > 63 {
        messages.push(Cow::Borrowed("must be no more than 63 characters"));
    }
    let mut bytes = text.bytes();
    let are_allowed =
        bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !(text.starts_with(|c: char| c.is_ascii_lowercase()) && are_allowed && !text.ends_with('-'))
    {
        messages.push(Cow::Borrowed(MESSAGE));
    }
    messages
}

/// Replaces a trailing dash and the byte before it by one letter.
fn masked(text: &str) -> Cow<'_, str> {
    match text.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            // A cut inside a character leaves a stray byte; such a name is invalid in any case.
            let end = rest.len().saturating_sub(1);
            Cow::Owned(
                rest.get(..end)
                    .map_or_else(|| rest.to_owned(), |kept| format!("{kept}a")),
            )
        }
        _ => Cow::Borrowed(text),
    }
}

/// Returns true for hexadecimal digits in groups of 8, 4, 4, 4 and 12, with or without dashes between them.
fn is_uuid(text: &str) -> bool {
    let mut rest = text;
    for (at, length) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        match rest.split_at_checked(length) {
            Some((digits, behind)) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                rest = behind
            }
            _ => return false,
        }
    }
    rest.is_empty()
}

/// Returns true if the text is base64 with padding, and not empty.
fn is_base64(text: &str) -> bool {
    let digits = text
        .strip_suffix("==")
        .or_else(|| text.strip_suffix('='))
        .unwrap_or(text);
    !text.is_empty()
        && text.len().is_multiple_of(4)
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
}

/// Recognizes `2006-01-02`, a day that exists.
fn is_date(text: &str) -> bool {
    text.len() == 10 && Time::parse(&format!("{text}T00:00:00Z")).is_ok()
}

/// Recognizes a date, `t`, a clock and an offset, all in any case. Anything may follow another `t`, and the point may be any
/// character.
fn is_date_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(clock)) = (parts.next(), parts.next()) else {
        return false;
    };
    text.len() >= 4 && is_date(date) && is_clock(clock)
}

/// Recognizes `z` and `±07:00`, whose digits may be any.
fn is_zone(text: &str) -> bool {
    match text.as_bytes() {
        [b'z'] => true,
        [b'+' | b'-', a, b, b':', c, d] => [a, b, c, d].into_iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Recognizes `15:04:05`, perhaps with a fraction, and `z` or `±07:00`, whose digits may be any.
fn is_clock(text: &str) -> bool {
    let Some((clock, rest)) = text.split_at_checked(8) else {
        return false;
    };
    let mut numbers = clock.split(':');
    let (Some(hour), Some(minute), Some(second), None) = (
        numbers.next(),
        numbers.next(),
        numbers.next(),
        numbers.next(),
    ) else {
        return false;
    };
    for (text, most) in [(hour, "23"), (minute, "59"), (second, "59")] {
        let is_number = claimkit_values::has_only_digits(text);
        if text.len() != 2 || !is_number || text > most {
            return false;
        }
    }
    if is_zone(rest) {
        return true;
    }
    let mut behind = rest.chars();
    // Not a line feed: that is what the point of a pattern leaves out.
    let point = behind.next().is_some_and(|c| c != '\n');
    let fraction = behind
        .as_str()
        .bytes()
        .take_while(u8::is_ascii_digit)
        .count();
    point && fraction > 0 && behind.as_str().get(fraction..).is_some_and(is_zone)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(function: &str, text: &str) -> Vec<String> {
        find(function)
            .unwrap()
            .validate(text, Lengths::Characters)
            .into_iter()
            .map(Cow::into_owned)
            .collect()
    }

    #[test]
    fn good_and_bad() {
        let none: [&str; 0] = [];
        for (function, good, bad) in [
            (
                "dns1123Label",
                &["abc", "1a", "2023-01-01"][..],
                &["ABC", "a.b", "-a", "a_b", ""][..],
            ),
            (
                "dns1123Subdomain",
                &["abc", "a.b"],
                &["-a", "a-", "x/y", "aGk="],
            ),
            (
                "dns1035Label",
                &["abc", "a-1"],
                &["1a", "-a", "", "x/y", "a-", "é"],
            ),
            (
                "qualifiedName",
                &["abc", "ABC", "x/y", "a_b"],
                &["-a", "aGk="],
            ),
            (
                "dns1123LabelPrefix",
                &["abc", "a-", "ab-"],
                &["a.b", "a_b", "-"],
            ),
            ("dns1123SubdomainPrefix", &["a.b", "a-"], &["ABC", "x/y"]),
            ("dns1035LabelPrefix", &["abc", "a-", "a1-"], &["1a", "é-"]),
            ("labelValue", &["", "A.b"], &["-a"]),
            ("uri", &["http://x", "/a"], &["-a", "abc"]),
            (
                "uuid",
                &[
                    "550e8400-e29b-41d4-a716-446655440000",
                    "550E8400e29b41d4a716446655440000",
                ],
                &["abc", "-a", "550e8400-e29b-41d4-a716-44665544000g", ""],
            ),
            (
                "byte",
                &["aGk=", "aGkk", "aA=="],
                &["-a", "", "a", "a===", "====", "aG=k"],
            ),
            (
                "date",
                &["2023-01-01"],
                &[
                    "abc",
                    "2023-1-1",
                    "2023-02-30",
                    "2023-01-01T00:00:00Z",
                    "é023-01-0",
                ],
            ),
            (
                "datetime",
                &[
                    "2023-01-01T00:00:00Z",
                    "2023-01-01t23:59:59.5+99:99",
                    "2023-01-01T00:00:00x1Z",
                    "2023-01-01T00:00:00ZTx",
                ],
                &[
                    "abc",
                    "-a",
                    "",
                    "2023-01-01",
                    "2023-01-01T24:00:00Z",
                    "2023-01-01T00:00:00",
                    "2023-01-01T00:00:00.Z",
                    "2023-01-01 00:00:00Z",
                ],
            ),
        ] {
            for text in good {
                assert_eq!(says(function, text), none, "{function} {text}");
            }
            for text in bad {
                assert_ne!(says(function, text), none, "{function} {text}");
            }
        }
        assert!(find("nope").is_none());
        assert_eq!(find("uri").map(|format| format.name), Some("URI"));
    }

    #[test]
    fn messages() {
        assert_eq!(says("uri", "-a"), ["parse \"-a\": invalid URI for request"]);
        assert_eq!(says("uuid", "abc"), ["does not match the UUID format"]);
        assert_eq!(says("dns1123Label", "a.b"), ["must not contain dots"]);
        let long = "a".repeat(64);
        assert_eq!(
            says("labelValue", &long),
            ["must be no more than 63 characters"]
        );
        let later =
            |function: &str, text: &str| find(function).unwrap().validate(text, Lengths::Bytes);
        assert_eq!(
            later("labelValue", &long),
            ["must be no more than 63 bytes"]
        );
        assert_eq!(
            later("dns1123Label", &long),
            ["must be no more than 63 characters"]
        );
        assert!(
            later("qualifiedName", "a/b/c")
                .iter()
                .all(|message| message.starts_with("a valid label key must consist"))
        );
    }
}
