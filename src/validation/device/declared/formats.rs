//! The forms of texts that generated rules ask for, with the errors of texts that do not have them.
//!
//! Source: `staging/src/k8s.io/apimachinery/pkg/api/validate/strfmt.go` of 1.37.

use crate::validation::device::variant::Variant;
use claimkit_model::schema::Release;
use claimkit_values::names;
use std::borrow::Cow;

/// The form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `k8s-short-name`: a DNS label.
    ShortName,
    /// `k8s-long-name`: a DNS subdomain.
    LongName,
    /// `k8s-long-name-caseless`: a DNS subdomain in any case.
    LongNameCaseless,
    /// `k8s-label-key`
    LabelKey,
    /// `k8s-uuid`
    Uuid,
    /// `k8s-resource-pool-name`: subdomains with slashes between them.
    PoolName,
    /// `k8s-resource-fully-qualified-name`: a domain and a C identifier.
    FullyQualifiedName,
    /// `k8s-extended-resource-name`
    ExtendedResourceName,
}

/// The fault of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// `Invalid value`, with the whole text.
    Whole(Cow<'static, str>),
    /// `Invalid value`, with a part of the text.
    Part(String, Cow<'static, str>),
    /// `Too long`, with the most bytes.
    TooLong(usize),
}

const CASELESS: &str = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const IDENTIFIER_MAX: usize = 32;
const LABEL_MAX: usize = 63;
const SUBDOMAIN_MAX: usize = 253;

fn at_most(max: usize) -> Cow<'static, str> {
    Cow::Owned(format!("must be no more than {max} bytes"))
}

fn whole(messages: Vec<Cow<'static, str>>) -> Vec<Fault> {
    messages.into_iter().map(Fault::Whole).collect()
}

/// Returns what a release finds wrong with a text of a form.
pub fn faults(format: Format, value: &str, release: Release) -> Vec<Fault> {
    match format {
        Format::ShortName => whole(short_name(value)),
        Format::LongName => whole(long_name(value)),
        Format::LongNameCaseless => whole(caseless(value)),
        Format::LabelKey => whole(names::qualified_name_in(value, names::Wording::Bytes)),
        Format::Uuid if is_uuid(value) => Vec::new(),
        Format::Uuid => vec![Fault::Whole(
            "must be a lowercase UUID in 8-4-4-4-12 format".into(),
        )],
        Format::PoolName => pool_name(value),
        Format::FullyQualifiedName => fully_qualified_name(value, Variant::of(release).one_slash),
        Format::ExtendedResourceName => whole(extended_resource_name(value)),
    }
}

fn short_name(value: &str) -> Vec<Cow<'static, str>> {
    in_bytes(
        names::label(value, names::DottedLabel::NamesTheDots),
        value.len(),
        LABEL_MAX,
    )
}

/// Replaces the message about the length of a name, which is the first, by one in bytes.
fn in_bytes(messages: names::Messages, length: usize, max: usize) -> Vec<Cow<'static, str>> {
    let mut list = messages.into_iter().collect::<Vec<_>>();
    if length > max
        && let Some(first) = list.first_mut()
    {
        *first = at_most(max);
    }
    list
}

fn long_name(value: &str) -> Vec<Cow<'static, str>> {
    in_bytes(names::subdomain(value), value.len(), SUBDOMAIN_MAX)
}

fn caseless(value: &str) -> Vec<Cow<'static, str>> {
    let mut messages = Vec::new();
    if value.len() > SUBDOMAIN_MAX {
        messages.push(at_most(SUBDOMAIN_MAX));
    }
    if !names::is_subdomain(&value.to_ascii_lowercase()) {
        messages.push(Cow::Borrowed(CASELESS));
    }
    messages
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// Checks a pool's name: one that is too long, or with an empty segment, is refused as a whole; another segment that is not a
/// name refuses itself.
fn pool_name(value: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if value.len() > SUBDOMAIN_MAX {
        faults.push(Fault::TooLong(SUBDOMAIN_MAX));
    }
    for (at, segment) in value.split('/').enumerate() {
        if segment.is_empty() {
            faults.push(Fault::Whole(
                format!("segment {at}: must not be empty").into(),
            ));
            continue;
        }
        for message in long_name(segment) {
            faults.push(Fault::Part(
                segment.to_owned(),
                format!("segment {at}: {message}").into(),
            ));
        }
    }
    faults
}

fn identifier(value: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if value.len() > IDENTIFIER_MAX {
        faults.push(Fault::TooLong(IDENTIFIER_MAX));
    }
    let mut bytes = value.bytes();
    let starts = bytes
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    if !(starts && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')) {
        faults.push(Fault::Part(value.to_owned(), Cow::Borrowed(IDENTIFIER)));
    }
    faults
}

/// Checks a name with a domain; one with two slashes is not looked into. `one_slash`: it is refused.
fn fully_qualified_name(value: &str, one_slash: bool) -> Vec<Fault> {
    let Some((domain, name)) = value.split_once('/') else {
        let mut faults = identifier(value);
        faults.push(Fault::Whole(
            "a fully qualified name must be a domain and a name separated by a slash".into(),
        ));
        return faults;
    };
    if name.contains('/') {
        let fault = Fault::Whole("must not contain more than one slash".into());
        return if one_slash { vec![fault] } else { Vec::new() };
    }
    let mut faults = Vec::new();
    if domain.is_empty() {
        faults.push(Fault::Part(
            String::new(),
            "prefix must not be empty".into(),
        ));
    } else {
        if domain.len() > LABEL_MAX {
            faults.push(Fault::TooLong(LABEL_MAX));
        }
        let messages = long_name(domain).into_iter();
        faults.extend(messages.map(|message| {
            Fault::Part(domain.to_owned(), Cow::Owned(format!("prefix: {message}")))
        }));
    }
    if name.is_empty() {
        faults.push(Fault::Part(String::new(), "name must not be empty".into()));
    } else {
        faults.extend(identifier(name));
    }
    faults
}

fn extended_resource_name(value: &str) -> Vec<Cow<'static, str>> {
    let mut messages: Vec<Cow<'static, str>> = Vec::new();
    if !value.contains('/') {
        messages
            .push("a name must be a domain-prefixed path, such as 'example.com/my-prop'".into());
    }
    if value.contains("kubernetes.io/") {
        messages.push("must not have \"kubernetes.io/\" domain".into());
    }
    if value.starts_with("requests.") {
        messages.push("must not have \"requests.\" prefix".into());
    }
    // The server judges the name of the quota that the resource would have.
    messages.extend(names::qualified_name_in(
        &format!("requests.{value}"),
        names::Wording::Bytes,
    ));
    messages
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with answers of kube-apiserver 1.37.2.
    #[test]
    fn a_pool_name_has_a_bound_as_a_whole() {
        let segments = format!("{}/{}", "a".repeat(100), "b".repeat(200));
        assert!(matches!(
            &faults(Format::PoolName, &segments, Release::new(37, 2))[..],
            [Fault::TooLong(253)]
        ));
        assert!(matches!(
            &faults(Format::PoolName, &"a".repeat(254), Release::new(37, 2))[..],
            [Fault::TooLong(253), Fault::Part(..)]
        ));
        assert!(faults(Format::PoolName, &"a".repeat(253), Release::new(37, 2)).is_empty());
    }

    /// Compares with answers of kube-apiserver 1.37.2.
    #[test]
    fn the_fault_of_a_pool_name_is_in_its_segment() {
        let [Fault::Part(segment, message)] =
            &faults(Format::PoolName, "fe80::/10", Release::new(37, 2))[..]
        else {
            panic!("one part")
        };
        assert_eq!(segment, "fe80::");
        assert!(
            message.starts_with("segment 0: a lowercase RFC 1123 subdomain must consist of"),
            "{message}"
        );
        assert_eq!(
            faults(Format::PoolName, "a//b", Release::new(37, 2)),
            [Fault::Whole("segment 1: must not be empty".into())]
        );
    }

    /// Compares with answers of kube-apiserver 1.37.2 and 1.38.0-beta.0.
    #[test]
    fn a_second_slash_is_refused_from_1_38_on() {
        let faults = |release| faults(Format::FullyQualifiedName, "A_/b-c/d", release);
        assert!(faults(Release::new(37, 2)).is_empty());
        assert_eq!(
            faults(Release::last_of(38)),
            [Fault::Whole("must not contain more than one slash".into())]
        );
    }
}
