//! Names, labels and annotation keys: which are well formed, and the server's words for those that are not.
//!
//! Every function returns the messages in the server's order; an empty list means well formed and costs no
//! allocation. Lengths are bytes. Source: apimachinery, pkg/util/validation/validation.go.

use std::borrow::Cow;

/// The errors of one name, in the server's order. Empty when the name is valid.
pub type Messages = Vec<Cow<'static, str>>;

/// The message for a malformed DNS-1123 subdomain.
pub const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
/// The message for a malformed DNS-1123 label.
pub const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
/// The message for a malformed label value.
pub const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const NAME_PART: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const TOO_MANY_SLASHES: &str = "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const PREFIX_SUBDOMAIN: &str = "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Stands for the random end of a generated name.
const RANDOM_END: &str = "xxxxx";

/// The maximum number of bytes of `generateName` that a generated name keeps (apiserver, pkg/storage/names/generate.go,
/// `maxGeneratedNameLength`).
const GENERATED_BASE_MAX: usize = 58;

const SUBDOMAIN_MAX: usize = 253;
const LABEL_MAX: usize = 63;

/// Returns a name as the server makes it from `generateName`, with `xxxxx` for its random end.
///
/// ```
/// assert_eq!(claimkit_values::names::generated("gpu-"), "gpu-xxxxx");
/// ```
pub fn generated(generate_name: &str) -> String {
    let mut end = generate_name.len().min(GENERATED_BASE_MAX);
    while !generate_name.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let base = generate_name.get(..end).unwrap_or_default();
    format!("{base}{RANDOM_END}")
}

/// Checks a DNS-1123 subdomain: object names, class names, node names. The single labels have no limit of their own.
///
/// ```
/// use claimkit_values::names::subdomain;
///
/// assert!(subdomain("gpu.example.com").is_empty());
/// assert_eq!(subdomain("GPU").len(), 1);
/// ```
pub fn subdomain(value: &str) -> Messages {
    let mut messages = Messages::new();
    if value.len() > SUBDOMAIN_MAX {
        messages.push(Cow::Borrowed("must be no more than 253 characters"));
    }
    if !is_subdomain(value) {
        messages.push(Cow::Borrowed(SUBDOMAIN));
    }
    messages
}

/// The server's message for an invalid DNS-1123 label that is a valid subdomain because it has dots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DottedLabel {
    /// 1.26: the general text of the label rule.
    General,
    /// 1.27 and later: `must not contain dots`.
    NamesTheDots,
}

/// Checks a DNS-1123 label, such as the name of a namespace.
///
/// ```
/// use claimkit_values::names::{DottedLabel, label};
///
/// assert!(label("team", DottedLabel::NamesTheDots).is_empty());
/// assert!(!label("-team", DottedLabel::NamesTheDots).is_empty());
/// ```
pub fn label(value: &str, dotted: DottedLabel) -> Messages {
    let mut messages = Messages::new();
    if value.len() > LABEL_MAX {
        messages.push(Cow::Borrowed("must be no more than 63 characters"));
    }
    if !is_label(value.as_bytes()) {
        let dots_only = dotted == DottedLabel::NamesTheDots && is_subdomain(value);
        messages.push(Cow::Borrowed(if dots_only {
            "must not contain dots"
        } else {
            LABEL
        }));
    }
    messages
}

/// The wording of lengths and forms in the server's messages about names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wording {
    /// To 1.34: `characters`, `a qualified name`.
    Characters,
    /// From 1.35 on: `bytes`, `a valid label key`.
    Bytes,
}

/// Checks [`qualified_name`] in the words of a release.
///
/// ```
/// use claimkit_values::names::{Wording, qualified_name_in};
///
/// assert!(qualified_name_in("example.com/model", Wording::Bytes).is_empty());
/// assert!(!qualified_name_in("/model", Wording::Bytes).is_empty());
/// ```
pub fn qualified_name_in(value: &str, wording: Wording) -> Messages {
    in_bytes(qualified_name(value), wording)
}

/// Checks [`label_value`] in the words of a release.
///
/// ```
/// use claimkit_values::names::{Wording, label_value_in};
///
/// assert!(label_value_in("a_b", Wording::Bytes).is_empty());
/// assert!(!label_value_in("a b", Wording::Bytes).is_empty());
/// ```
pub fn label_value_in(value: &str, wording: Wording) -> Messages {
    in_bytes(label_value(value), wording)
}

fn in_bytes(messages: Messages, wording: Wording) -> Messages {
    if wording == Wording::Characters {
        return messages;
    }
    messages
        .into_iter()
        .map(|message| match message.strip_suffix(" characters") {
            Some(start) => Cow::Owned(format!("{start} bytes")),
            None => match message.strip_prefix("a qualified name must consist") {
                Some(rest) => Cow::Owned(format!("a valid label key must consist{rest}")),
                None => message,
            },
        })
        .collect()
}

/// Checks [`subdomain`] as the generated rules say it.
///
/// ```
/// use claimkit_values::names::long_subdomain;
///
/// assert!(long_subdomain("gpu.example.com").is_empty());
/// assert!(!long_subdomain("gpu..com").is_empty());
/// ```
pub fn long_subdomain(value: &str) -> Messages {
    in_bytes(subdomain(value), Wording::Bytes)
}

/// Checks a qualified name `[prefix/]name`: label keys, finalizers, selector keys, lower-cased annotation keys.
///
/// ```
/// use claimkit_values::names::qualified_name;
///
/// assert!(qualified_name("example.com/model").is_empty());
/// assert!(!qualified_name("a/b/c").is_empty());
/// ```
pub fn qualified_name(value: &str) -> Messages {
    let mut messages = Messages::new();
    let name = match value.split_once('/') {
        None => value,
        Some((_, rest)) if rest.contains('/') => {
            messages.push(Cow::Borrowed(TOO_MANY_SLASHES));
            return messages;
        }
        Some((prefix, name)) => {
            if prefix.is_empty() {
                messages.push(Cow::Borrowed("prefix part must be non-empty"));
            } else {
                if prefix.len() > SUBDOMAIN_MAX {
                    messages.push(Cow::Borrowed(
                        "prefix part must be no more than 253 characters",
                    ));
                }
                if !is_subdomain(prefix) {
                    messages.push(Cow::Borrowed(PREFIX_SUBDOMAIN));
                }
            }
            name
        }
    };
    if name.is_empty() {
        messages.push(Cow::Borrowed("name part must be non-empty"));
    } else if name.len() > LABEL_MAX {
        messages.push(Cow::Borrowed(
            "name part must be no more than 63 characters",
        ));
    }
    if !is_name_part(name.as_bytes()) {
        messages.push(Cow::Borrowed(NAME_PART));
    }
    messages
}

/// Checks a label value, which may be empty.
///
/// ```
/// use claimkit_values::names::label_value;
///
/// assert!(label_value("").is_empty());
/// assert!(!label_value("a b").is_empty());
/// ```
pub fn label_value(value: &str) -> Messages {
    let mut messages = Messages::new();
    if value.len() > LABEL_MAX {
        messages.push(Cow::Borrowed("must be no more than 63 characters"));
    }
    if !value.is_empty() && !is_name_part(value.as_bytes()) {
        messages.push(Cow::Borrowed(LABEL_VALUE));
    }
    messages
}

/// Checks a path segment: the weaker rule of the generic update checks (apimachinery,
/// pkg/api/validation/path/name.go, `IsValidPathSegmentName`).
///
/// ```
/// use claimkit_values::names::path_segment;
///
/// assert!(path_segment("a b").is_empty());
/// assert!(!path_segment("..").is_empty());
/// ```
pub fn path_segment(value: &str) -> Messages {
    match value {
        "." => vec![Cow::Borrowed("may not be '.'")],
        ".." => vec![Cow::Borrowed("may not be '..'")],
        _ => path_segment_prefix(value),
    }
}

/// Checks a path segment prefix: [`path_segment`] for `generateName`, which may be only dots.
///
/// ```
/// use claimkit_values::names::path_segment_prefix;
///
/// assert!(path_segment_prefix("..").is_empty());
/// assert!(!path_segment_prefix("a/b").is_empty());
/// ```
pub fn path_segment_prefix(value: &str) -> Messages {
    let mut messages = Messages::new();
    if value.contains('/') {
        messages.push(Cow::Borrowed("may not contain '/'"));
    }
    if value.contains('%') {
        messages.push(Cow::Borrowed("may not contain '%'"));
    }
    messages
}

/// Checks `generateName` by the subdomain rule, after its end is masked (apimachinery, pkg/api/validation/generic.go,
/// `maskTrailingDash`): a trailing `-` and the byte before it count as one `a`.
///
/// ```
/// use claimkit_values::names::generated_subdomain;
///
/// assert!(generated_subdomain("gpu-").is_empty());
/// assert!(!generated_subdomain("GPU-").is_empty());
/// ```
pub fn generated_subdomain(value: &str) -> Messages {
    let bytes = value.as_bytes();
    match bytes.split_last() {
        Some((b'-', head)) if !head.is_empty() => {
            let kept = head.split_last().map_or(&[][..], |(_, kept)| kept);
            // The cut may be inside a character; such a name is invalid anyway.
            let masked = kept.iter().copied().chain(core::iter::once(b'a'));
            let length = kept.len().saturating_add(1);
            let mut messages = Messages::new();
            if length > SUBDOMAIN_MAX {
                messages.push(Cow::Borrowed("must be no more than 253 characters"));
            }
            if !subdomain_bytes(masked) {
                messages.push(Cow::Borrowed(SUBDOMAIN));
            }
            messages
        }
        _ => subdomain(value),
    }
}

/// Checks the subdomain rule on the lower-cased name, as the CSI driver name rule applies it (kube-apiserver,
/// pkg/apis/core/validation/validation.go, `ValidateCSIDriverName`).
///
/// ```
/// use claimkit_values::names::lowered_subdomain;
///
/// assert!(lowered_subdomain("GPU.example.com").is_empty());
/// assert!(!lowered_subdomain("gpu_1").is_empty());
/// ```
pub fn lowered_subdomain(value: &str) -> Messages {
    if value.is_ascii() {
        let mut messages = Messages::new();
        if value.len() > SUBDOMAIN_MAX {
            messages.push(Cow::Borrowed("must be no more than 253 characters"));
        }
        if !subdomain_bytes(value.bytes().map(|b| b.to_ascii_lowercase())) {
            messages.push(Cow::Borrowed(SUBDOMAIN));
        }
        return messages;
    }
    subdomain(&to_lower(value))
}

/// Lowers a text as Go's `strings.ToLower` does, reduced to what the name rules can observe: ASCII letters, letters whose lower
/// case is ASCII, and the length in bytes. Other non-ASCII letters are invalid in any case, so the full table is not needed.
///
/// ```
/// assert_eq!(claimkit_values::names::to_lower("GPU.Example"), "gpu.example");
/// ```
pub fn to_lower(value: &str) -> Cow<'_, str> {
    if !value
        .bytes()
        .any(|byte| class(byte) & (CAPITAL | BEYOND) != 0)
    {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.chars().map(lowered).collect())
}

fn lowered(c: char) -> char {
    match c {
        '\u{130}' => 'i',
        '\u{212a}' => 'k',
        // Two bytes become three.
        '\u{23a}' | '\u{23e}' => '\u{2c65}',
        // Three become two.
        '\u{1e9e}'
        | '\u{2126}'
        | '\u{212b}'
        | '\u{2c62}'
        | '\u{2c64}'
        | '\u{2c6d}'..='\u{2c70}'
        | '\u{2c7e}'
        | '\u{2c7f}' => '\u{df}',
        '\u{a78d}'
        | '\u{a7aa}'..='\u{a7ae}'
        | '\u{a7b0}'..='\u{a7b2}'
        | '\u{a7c5}'
        | '\u{a7cb}'
        | '\u{a7dc}' => '\u{df}',
        _ => c.to_ascii_lowercase(),
    }
}

/// Returns true if the whole value matches the subdomain pattern. Its length is not checked.
///
/// ```
/// use claimkit_values::names::is_subdomain;
///
/// assert!(is_subdomain("gpu.example.com"));
/// assert!(!is_subdomain("GPU"));
/// ```
pub fn is_subdomain(value: &str) -> bool {
    subdomain_bytes(value.bytes())
}

fn subdomain_bytes(bytes: impl Iterator<Item = u8>) -> bool {
    // `.` before the first byte makes the start of the value the start of a label.
    let mut previous = DOT;
    for byte in bytes {
        let kind = class(byte);
        let fits = match kind {
            SMALL => true,
            DASH => previous != DOT,
            DOT => previous == SMALL,
            _ => false,
        };
        if !fits {
            return false;
        }
        previous = kind;
    }
    previous == SMALL
}

fn is_label(bytes: &[u8]) -> bool {
    consists(bytes, SMALL | DASH, SMALL)
}

fn is_name_part(bytes: &[u8]) -> bool {
    consists(
        bytes,
        SMALL | CAPITAL | DASH | UNDERSCORE | DOT,
        SMALL | CAPITAL,
    )
}

/// Returns true if all bytes are in the classes `inner`, and the first and last in `ends`. False for an empty name.
#[inline(always)]
fn consists(bytes: &[u8], inner: u8, ends: u8) -> bool {
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    bytes.iter().all(|&byte| class(byte) & inner != 0)
        && class(first) & ends != 0
        && class(last) & ends != 0
}

/// `a` to `z` and digits.
const SMALL: u8 = 1;
/// `A` to `Z`
const CAPITAL: u8 = 2;
/// `-`
const DASH: u8 = 4;
/// `_`
const UNDERSCORE: u8 = 8;
/// `.`
const DOT: u8 = 16;
/// The class of characters beyond ASCII.
const BEYOND: u8 = 32;

#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "evaluated by the compiler"
)]
const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut byte = 0u16;
    while byte < 256 {
        table[byte as usize] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' => SMALL,
            b'A'..=b'Z' => CAPITAL,
            b'-' => DASH,
            b'_' => UNDERSCORE,
            b'.' => DOT,
            0x80.. => BEYOND,
            _ => 0,
        };
        byte += 1;
    }
    table
}

static CLASS: [u8; 256] = classes();

/// Returns the class of a byte; 0 for a byte that no name may contain.
#[inline]
fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Recognizes a version as semver.org 2.0.0 writes it, the pattern of the `version` attributes of 1.30 (kube-apiserver 1.30,
/// pkg/apis/resource/structured/namedresources/validation/validation.go).
///
/// ```
/// use claimkit_values::names::is_semantic_version;
///
/// assert!(is_semantic_version("1.2.3-rc.1"));
/// assert!(!is_semantic_version("1.2"));
/// ```
pub fn is_semantic_version(value: &str) -> bool {
    let (rest, build) = match value.split_once('+') {
        Some((rest, build)) => (rest, Some(build)),
        None => (value, None),
    };
    let (core, pre_release) = match rest.split_once('-') {
        Some((core, pre_release)) => (core, Some(pre_release)),
        None => (rest, None),
    };
    core.split('.').count() == 3
        && core
            .split('.')
            .all(|part| !part.is_empty() && is_numeric(part) && is_unpadded(part))
        && pre_release.is_none_or(|text| {
            text.split('.')
                .all(|part| is_identifier(part) && (!is_numeric(part) || is_unpadded(part)))
        })
        && build.is_none_or(|text| text.split('.').all(is_identifier))
}

fn is_numeric(part: &str) -> bool {
    crate::has_only_digits(part)
}

fn is_unpadded(number: &str) -> bool {
    number.len() == 1 || !number.starts_with('0')
}

fn is_identifier(part: &str) -> bool {
    let mut bytes = part.bytes();
    !part.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns the number of digits of the longest number in a version: of its three parts and of the parts of its pre-release that
/// have digits only.
#[doc(hidden)]
pub fn version_digits(value: &str) -> usize {
    let (numbered, _) = value.split_once('+').unwrap_or((value, ""));
    let (core, pre_release) = numbered.split_once('-').unwrap_or((numbered, ""));
    let parts = core.split('.').chain(pre_release.split('.'));
    parts
        .filter(|part| !part.contains(|c: char| !c.is_ascii_digit()))
        .map(str::len)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [&str; 0] = [];

    /// Checks that the rules of names see the result of Go's `strings.ToLower`.
    #[test]
    fn lower_case_of_every_character() {
        for c in '\0'..=char::MAX {
            let ours = to_lower(c.encode_utf8(&mut [0; 4])).into_owned();
            let theirs = if c == '\u{130}' {
                "i".to_owned()
            } else {
                c.to_lowercase().collect::<String>()
            };
            assert_eq!(ours.len(), theirs.len(), "{c:?}");
            assert_eq!(
                Some(&ours).filter(|text| text.is_ascii()),
                Some(&theirs).filter(|text| text.is_ascii()),
                "{c:?}"
            );
        }
    }

    #[test]
    fn subdomains() {
        for good in ["a", "0", "a-b.c", "a.0.b-1", "a--b", &"a".repeat(253)] {
            assert_eq!(subdomain(good), NONE, "{good}");
        }
        for bad in [
            "", "-", "a-", "-a", "a..b", ".a", "a.", "a.-b", "a-.b", "A", "a_b", "a\n", "é", "a b",
        ] {
            assert_eq!(subdomain(bad), [SUBDOMAIN], "{bad}");
        }
        assert_eq!(
            subdomain(&"a".repeat(254)),
            ["must be no more than 253 characters"]
        );
        assert_eq!(
            subdomain(&"A".repeat(254)),
            ["must be no more than 253 characters", SUBDOMAIN]
        );
    }

    #[test]
    fn labels_with_dots_by_release() {
        assert_eq!(label("ns-1", DottedLabel::General), NONE);
        assert_eq!(label("a.b", DottedLabel::General), [LABEL]);
        assert_eq!(
            label("a.b", DottedLabel::NamesTheDots),
            ["must not contain dots"]
        );
        assert_eq!(label("a..b", DottedLabel::NamesTheDots), [LABEL]);
        assert_eq!(label("", DottedLabel::NamesTheDots), [LABEL]);
        let long = format!("{}.b", "a".repeat(64));
        assert_eq!(
            label(&long, DottedLabel::NamesTheDots),
            [
                "must be no more than 63 characters",
                "must not contain dots"
            ]
        );
    }

    #[test]
    fn qualified_names() {
        for good in ["a", "A_b.c-9", "example.com/MyName", "k/v"] {
            assert_eq!(qualified_name(good), NONE, "{good}");
        }
        assert_eq!(
            qualified_name(""),
            ["name part must be non-empty", NAME_PART]
        );
        assert_eq!(
            qualified_name("/"),
            [
                "prefix part must be non-empty",
                "name part must be non-empty",
                NAME_PART
            ]
        );
        assert_eq!(qualified_name("a/b/c"), [TOO_MANY_SLASHES]);
        assert_eq!(qualified_name("A/b"), [PREFIX_SUBDOMAIN]);
        assert_eq!(
            qualified_name(&format!("{}/{}", "A".repeat(254), "_".repeat(64))),
            [
                "prefix part must be no more than 253 characters",
                PREFIX_SUBDOMAIN,
                "name part must be no more than 63 characters",
                NAME_PART
            ]
        );
        assert_eq!(format!("prefix part {SUBDOMAIN}"), PREFIX_SUBDOMAIN);
    }

    #[test]
    fn label_values() {
        for good in ["", "a", "A.b_c-9", &"a".repeat(63)] {
            assert_eq!(label_value(good), NONE, "{good}");
        }
        for bad in ["-", "a-", " ", "a/b", "é", "a\n"] {
            assert_eq!(label_value(bad), [LABEL_VALUE], "{bad}");
        }
        assert_eq!(
            label_value(&"-".repeat(64)),
            ["must be no more than 63 characters", LABEL_VALUE]
        );
    }

    #[test]
    fn path_segments() {
        assert_eq!(path_segment("."), ["may not be '.'"]);
        assert_eq!(path_segment(".."), ["may not be '..'"]);
        assert_eq!(
            path_segment("a%/"),
            ["may not contain '/'", "may not contain '%'"]
        );
        assert_eq!(path_segment("..."), NONE);
        assert_eq!(path_segment_prefix(".."), NONE);
    }

    #[test]
    fn generated_names_are_masked() {
        for good in ["pvc-", "a.-", "--", "é-b-"] {
            let expected = if good.is_ascii() {
                vec![]
            } else {
                vec![Cow::Borrowed(SUBDOMAIN)]
            };
            assert_eq!(generated_subdomain(good), expected, "{good}");
        }
        for bad in ["-", "---", "A--", "."] {
            assert_eq!(generated_subdomain(bad), [SUBDOMAIN], "{bad}");
        }
        assert_eq!(generated_subdomain(&format!("{}-", "a".repeat(253))), NONE);
        assert_eq!(
            generated_subdomain(&format!("{}-", "a".repeat(254))),
            ["must be no more than 253 characters"]
        );
    }

    #[test]
    fn driver_names_are_lowered_first() {
        for good in ["Drv.Example.COM", "a\u{212a}b", "\u{130}"] {
            assert_eq!(lowered_subdomain(good), NONE, "{good}");
        }
        for bad in ["", "É", "a_b", "A "] {
            assert_eq!(lowered_subdomain(bad), [SUBDOMAIN], "{bad}");
        }
    }

    #[test]
    fn semantic_versions() {
        for good in [
            "1.0.0",
            "0.0.0",
            "1.0.0-beta.1+build.1",
            "1.0.0-0a",
            "1.0.0--",
            "1.0.0+-",
            "1.0.0+0.00",
            "99999999999999999999.0.0",
            "1.0.0-a-b+c-d",
        ] {
            assert!(is_semantic_version(good), "{good}");
        }
        for bad in [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "01.0.0",
            "1.00.0",
            "1.0.0-01",
            "1.0.0-",
            "1.0.0+",
            "1.0.0-a..b",
            "1.0.0+a+b",
            "v1.0.0",
            " 1.0.0",
            "1.0.0\n",
            "1.-0.0",
            "1.0.0-é",
        ] {
            assert!(!is_semantic_version(bad), "{bad}");
        }
    }
}
