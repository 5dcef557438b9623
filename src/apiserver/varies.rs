//! Decides from the tables alone whether the releases that serve an object may answer differently.

use crate::validation::device::variant::Variant;
use claimkit_model::cel::device::selector_varies;
use claimkit_model::finding::{Code, Finding, Origin, Severity};
use claimkit_model::object::decode::{Decoded, StrictKind};
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{
    Api, ApiKind, DeviceKind, Family, Field, FieldType, ObjectKind, Release, Version,
};
use std::ops::RangeInclusive;

/// Returns the final releases that serve a kind in a version, oldest first.
pub fn serving(
    version: &'static Version,
    kind: &str,
) -> impl Iterator<Item = (Release, &'static ApiKind)> {
    let served = Release::finals().filter(|release| version.served_by(*release));
    served.filter_map(move |release| Some((release, version.kind(kind, release)?)))
}

/// Returns true if the releases that serve the kind may answer a create of this object differently, so that each release must be
/// asked. One release has accepted the object and dropped no field. This walk over the fields takes a fraction of the time of an
/// answer.
pub fn may_differ(api: Api, record: &Record<'_>) -> bool {
    let mut minors = serving(api.version, api.kind.kind).map(|(release, _)| release);
    let Some(first) = minors.next() else {
        return false;
    };
    let last = minors.last().unwrap_or(first);
    // Releases whose hub type has `basic` refuse a device without it.
    let basic = api.kind.object == ObjectKind::Device(DeviceKind::ResourceSlice)
        && Variant::of(first).flat != Variant::of(last).flat;
    first != last && (basic || varies(record, &(first..=last)))
}

/// Returns true if strict decoding fails in every release that serves the kind. A field without a row in the table is unknown to
/// all of them; if a release does not know the mapping around it, that mapping is the unknown field. A duplicate field is a
/// duplicate in every release.
pub fn none_decodes(decoded: &Decoded<'_>) -> bool {
    decoded.strict.iter().any(|strict| match strict.kind {
        StrictKind::Unknown => strict
            .schema
            .is_some_and(|schema| !schema.has(&strict.field)),
        StrictKind::Duplicate => true,
    })
}

/// Returns true if every release that serves the kind refuses the object because one of them does, so that no other need be asked.
/// Releases judge labels and annotations alike, and the rules of the classic family differ only in their messages, except for
/// updates. `fields_alike`: the result of [`may_differ`] was false.
pub fn refused_by_all(api: Api, fields_alike: bool, findings: &[Finding]) -> bool {
    let classic = api.version.family == Family::Classic && fields_alike;
    classic
        || findings.iter().any(|finding| {
            let is_of_labels = matches!(
                finding.code,
                Code::LabelKeyInvalid | Code::LabelValueInvalid | Code::AnnotationKeyInvalid
            );
            is_of_labels
                && finding.origin == Origin::ApiServer
                && finding.severity == Severity::Error
        })
}

/// Returns true if the releases may answer differently. Recursion is bounded by the depth of the tables.
fn varies(record: &Record<'_>, releases: &RangeInclusive<Release>) -> bool {
    let given = record
        .schema
        .fields
        .iter()
        .zip(&record.slots)
        .filter(|(_, value)| !matches!(value, FieldValue::Unset));
    given
        .into_iter()
        .any(|(field, value)| field_varies(field, value, releases) || value_varies(value, releases))
}

fn value_varies(value: &FieldValue<'_>, releases: &RangeInclusive<Release>) -> bool {
    match value {
        FieldValue::Struct(record) => varies(record, releases),
        FieldValue::List(items) => items.iter().any(|item| value_varies(item, releases)),
        FieldValue::Entries(entries) => entries
            .iter()
            .any(|(_, value)| value_varies(value, releases)),
        _ => false,
    }
}

fn field_varies(field: &Field, value: &FieldValue<'_>, releases: &RangeInclusive<Release>) -> bool {
    let (first, last) = (*releases.start(), *releases.end());
    if !field.in_release(first) || !field.in_release(last) || !field.gates.is_empty() {
        return true;
    }
    // Most fields have not changed between releases.
    if field.later_values.is_empty() && field.limits.is_empty() && field.json != "expression" {
        return false;
    }
    let mut later_values = field.later_values.iter();
    if later_values.any(|(since, later)| first.minor < *since && value.as_str() == *later) {
        return true;
    }
    let size = match value {
        FieldValue::List(items) => items.len(),
        FieldValue::Entries(entries) => entries.len(),
        other => other.as_str().len(),
    };
    if field
        .limits
        .iter()
        .any(|limit| limit.max.is_some_and(|max| max < size))
        && sizes_vary(field, size, first, last)
    {
        return true;
    }
    // Only CEL expressions have this field name.
    matches!(field.ty, FieldType::String)
        && field.json == "expression"
        && selector_varies(value.as_str(), first.minor, last.minor)
}

/// Returns true if a field is too large for some of the releases, but not for all.
fn sizes_vary(field: &Field, size: usize, first: Release, last: Release) -> bool {
    let [is_within_first, is_within_last] =
        [first, last].map(|release| field.limit(release).is_none_or(|limit| size <= limit));
    is_within_first != is_within_last
        || field
            .limits
            .iter()
            .any(|limit| first.minor < limit.since && limit.max.is_some_and(|max| max < size))
}
