//! Conversion between the versions: into the hub, out of it, and through the storage version.
//!
//! The hub is the internal type of the release: the shape of v1 from 1.33 on, before that the flat one of the version that is
//! stored. The differences between the versions are the rows of [`claimkit_model::schema::steps`].
//! Source: `pkg/apis/resource/<version>/conversion.go`.

use crate::validation::device::variant::Variant;
use claimkit_model::finding::Step;
use claimkit_model::object::{FieldValue, Record, encode};
use claimkit_model::schema::steps::{self, StepRow, StructChange};
use claimkit_model::schema::{
    Api, DeviceKind, Family, FieldType, GROUP, Release, Struct, VERSIONS, Version, device,
};
use std::borrow::Cow;

/// Returns the versions of the family, oldest first.
fn versions() -> impl Iterator<Item = &'static Version> {
    VERSIONS
        .iter()
        .copied()
        .filter(|version| version.family == Family::Device)
}

/// Returns the table of a kind in a version, whatever the release.
pub fn schema_of(version: &str, kind: DeviceKind) -> Option<&'static Struct> {
    let version = versions().find(|known| known.name == version)?;
    let object = claimkit_model::schema::ObjectKind::Device(kind);
    version
        .kinds
        .iter()
        .find(|row| row.object == object && row.items.is_none())
        .map(|row| row.schema)
}

/// Returns the table of the hub for a kind; `None` if the kind exists in one shape only.
fn hub_schema(kind: DeviceKind, release: Release) -> Option<&'static Struct> {
    let version = if Variant::of(release).flat {
        Variant::of(release).storage
    } else {
        device::HUB.name
    };
    schema_of(version, kind)
}

/// Converts the object to the hub's shape.
pub fn to_hub<'t>(record: Record<'t>, kind: DeviceKind, release: Release) -> Record<'t> {
    let mut hub = match hub_schema(kind, release) {
        Some(schema) => recast(record, schema),
        None => record,
    };
    // A spec that was not written is one of zero values.
    hub.record_mut("spec");
    hub
}

/// Converts the object from the hub's shape to that of a version.
pub fn from_hub<'t>(record: Record<'t>, version: &str, kind: DeviceKind) -> Record<'t> {
    match schema_of(version, kind) {
        Some(schema) => recast(record, schema),
        None => record,
    }
}

/// Converts the object to the shape of a version, by reference where it has that shape already.
pub fn seen_as<'r, 't>(
    record: &'r Record<'t>,
    version: &str,
    kind: DeviceKind,
) -> Cow<'r, Record<'t>> {
    match schema_of(version, kind) {
        Some(schema) if !std::ptr::eq(record.schema, schema) => {
            Cow::Owned(recast(record.clone(), schema))
        }
        _ => Cow::Borrowed(record),
    }
}

/// Takes the object on a round trip through the store: written in the storage version, and read again with defaults.
pub fn through_storage<'t>(record: Record<'t>, kind: DeviceKind, release: Release) -> Record<'t> {
    let storage = Variant::of(release).storage;
    let mut stored = from_hub(record, storage, kind);
    omit_empty(&mut stored, release);
    super::defaults::apply(&mut stored, kind, release);
    to_hub(stored, kind, release)
}

/// Unsets fields that JSON omits and lists without items, as if the object were written to the store and read again. Recursion is bounded by the depth of the tables.
fn omit_empty(record: &mut Record<'_>, release: Release) {
    for (field, slot) in record.schema.fields.iter().zip(&mut record.slots) {
        // The store has protobuf, in which an empty list and no list are the same.
        let no_items = matches!(slot, FieldValue::List(items) if items.is_empty());
        if no_items || (field.omits(release) && field.type_in(release).is_empty(slot)) {
            *slot = FieldValue::Unset;
        }
        match slot {
            FieldValue::Struct(inner) => omit_empty(inner, release),
            FieldValue::List(items) => items.iter_mut().for_each(|item| {
                if let FieldValue::Struct(inner) = item {
                    omit_empty(inner, release);
                }
            }),
            FieldValue::Entries(entries) => entries.iter_mut().for_each(|(_, entry)| {
                if let FieldValue::Struct(inner) = entry {
                    omit_empty(inner, release);
                }
            }),
            _ => {}
        }
    }
}

/// Returns the rows of all version steps. A row applies to two shapes of a struct if exactly one of them has its field.
fn rows() -> impl Iterator<Item = &'static StepRow> {
    steps::DEVICE.iter().flat_map(|step| step.rows)
}

/// Converts the object to another table. Recursion is bounded by the depth of the tables.
fn recast<'t>(mut record: Record<'t>, target: &'static Struct) -> Record<'t> {
    if std::ptr::eq(record.schema, target) {
        return record;
    }
    let mut out = Record::empty(target);
    match steps::change(rows(), record.schema, target) {
        Some(StructChange::Wrap {
            into,
            inner,
            always,
            copied,
        }) => {
            if (always || says_something(&record, inner))
                && let Some(inner) = out.record_mut(into)
            {
                drop_empty(&mut record, copied);
                carry(&mut record, inner);
            }
        }
        Some(StructChange::Hoist { field, copied, .. }) => {
            if let FieldValue::Struct(mut inner) = record.take(field) {
                drop_empty(&mut inner, copied);
                carry(&mut inner, &mut out);
            }
        }
        None => {}
    }
    carry(&mut record, &mut out);
    out
}

/// Removes lists and maps without entries.
fn drop_empty(record: &mut Record<'_>, names: &[&str]) {
    for name in names {
        let empty = match record.get(name) {
            FieldValue::List(items) => items.is_empty(),
            FieldValue::Entries(entries) => entries.is_empty(),
            _ => false,
        };
        if empty {
            record.set(name, FieldValue::Unset);
        }
    }
}

/// Returns true if a flat struct has a value in a field that goes into the new one.
fn says_something(record: &Record<'_>, inner: &Struct) -> bool {
    record
        .schema
        .fields
        .iter()
        .zip(&record.slots)
        .any(|(field, value)| {
            inner.has(steps::new_name(rows(), record.schema, inner, field.json))
                && match value {
                    FieldValue::Unset | FieldValue::Int(0) => false,
                    FieldValue::Str(text) => !text.is_empty(),
                    _ => true,
                }
        })
}

/// Moves the fields that both have.
fn carry<'t>(from: &mut Record<'t>, to: &mut Record<'t>) {
    for (field, slot) in to.schema.fields.iter().zip(&mut to.slots) {
        let Some(at) =
            from.schema
                .slot(steps::new_name(rows(), to.schema, from.schema, field.json))
        else {
            continue;
        };
        let Some(place) = from.slots.get_mut(at) else {
            continue;
        };
        let value = std::mem::replace(place, FieldValue::Unset);
        *slot = match (&field.ty, value) {
            (_, FieldValue::Unset) => continue,
            (FieldType::Pointer(_), FieldValue::Str(text))
                if text.is_empty() && zero_is_absent(from.schema, at) =>
            {
                FieldValue::Unset
            }
            (FieldType::Pointer(_), FieldValue::Bool(false)) if zero_is_absent(from.schema, at) => {
                FieldValue::Unset
            }
            (ty, value) => recast_value(ty, value),
        };
    }
}

/// Returns true for a plain value that is a pointer in the newer version.
fn zero_is_absent(schema: &Struct, at: usize) -> bool {
    let plain = schema
        .fields
        .get(at)
        .filter(|field| !matches!(field.ty, FieldType::Pointer(_)));
    plain.is_some_and(|field| steps::zero_is_absent(rows(), schema, field.json))
}

fn recast_value<'t>(ty: &FieldType, value: FieldValue<'t>) -> FieldValue<'t> {
    match (ty, value) {
        (FieldType::Pointer(inner), value) => recast_value(inner, value),
        (FieldType::Struct(schema), FieldValue::Struct(record)) => {
            FieldValue::Struct(recast(record, schema))
        }
        (FieldType::Struct(schema), FieldValue::Quantity(quantity, places)) => {
            let mut record = Record::empty(schema);
            if let Some(into) = steps::wraps_value(rows(), schema) {
                record.set(into, FieldValue::Quantity(quantity, places));
            }
            FieldValue::Struct(record)
        }
        (FieldType::Quantity, FieldValue::Struct(mut record)) => {
            steps::wraps_value(rows(), record.schema)
                .map_or(FieldValue::Unset, |into| record.take(into))
        }
        (FieldType::List(inner), FieldValue::List(items)) => FieldValue::List(
            items
                .into_iter()
                .map(|item| recast_value(inner, item))
                .collect(),
        ),
        (FieldType::Map(map), FieldValue::Entries(entries)) => FieldValue::Entries(
            entries
                .into_iter()
                .map(|(key, entry)| (key, recast_value(&map.value, entry)))
                .collect(),
        ),
        (_, value) => value,
    }
}

/// Maps a path of the hub to the path in the written version; `None` if they are equal.
pub fn written(
    version: &str,
    kind: DeviceKind,
    release: Release,
    hub: &[Step],
) -> Option<Vec<Step>> {
    let (mut ours, mut theirs) = (hub_schema(kind, release)?, schema_of(version, kind)?);
    if std::ptr::eq(ours, theirs) {
        return None;
    }
    let mut out: Vec<Step> = Vec::with_capacity(hub.len().saturating_add(1));
    let mut path = hub.iter();
    while let Some(step) = path.next() {
        let Step::Key(name) = step else {
            out.push(step.clone());
            continue;
        };
        let mut name = name.as_str();
        match steps::change(rows(), theirs, ours) {
            // Fields that the hub nests in this field were written at the field's own level.
            Some(StructChange::Wrap { into, inner, .. }) if name == into => {
                ours = inner;
                match path.next() {
                    Some(Step::Key(below)) => name = below,
                    Some(step) => {
                        out.push(step.clone());
                        break;
                    }
                    None => break,
                }
            }
            // Fields directly in the hub's struct were written inside a field.
            Some(StructChange::Hoist { field, inner, .. })
                if name != field && !theirs.has(steps::new_name(rows(), ours, theirs, name)) =>
            {
                out.push(Step::Key(field.to_owned()));
                theirs = inner;
            }
            _ => {}
        }
        let written = steps::new_name(rows(), ours, theirs, name);
        out.push(Step::Key(written.to_owned()));
        let (Some(our_type), Some(their_type)) = (type_of(ours, name), type_of(theirs, written))
        else {
            break;
        };
        if our_type.is_map() {
            out.extend(path.next().cloned());
        }
        match (our_type.holds(), their_type.holds()) {
            (Some(hub), Some(written)) => (ours, theirs) = (hub, written),
            // A plain value that the hub has in a struct.
            (Some(hub), None) => {
                if matches!(path.as_slice().first(), Some(Step::Key(key)) if steps::wraps_value(rows(), hub) == Some(key))
                {
                    path.next();
                }
                break;
            }
            _ => break,
        }
    }
    out.extend(path.cloned());
    (out != hub).then_some(out)
}

/// Writes the object as it comes back from the store, in every version that serves the kind, JSON.
pub fn versions_of_stored(
    record: Record<'_>,
    api: Api,
    kind: DeviceKind,
    release: Release,
) -> Vec<(&'static str, String)> {
    let stored = through_storage(record, kind, release);
    let mut texts = Vec::new();
    for version in served(kind, release) {
        let mut record = from_hub(stored.clone(), version, kind);
        record.set("kind", FieldValue::Str(api.kind.kind.into()));
        record.set(
            "apiVersion",
            FieldValue::Str(format!("{GROUP}/{version}").into()),
        );
        let mut text = String::new();
        encode(&record, release, &mut text);
        texts.push((version, text));
    }
    texts
}

fn type_of(schema: &'static Struct, name: &str) -> Option<&'static FieldType> {
    let field = schema.fields.get(schema.slot(name)?)?;
    Some(&field.ty)
}

/// Returns every version that serves a kind in a release, by name.
pub fn served(kind: DeviceKind, release: Release) -> Vec<&'static str> {
    let object = claimkit_model::schema::ObjectKind::Device(kind);
    versions()
        .filter(|version| version.served_by(release))
        .filter(|version| {
            version
                .kinds
                .iter()
                .any(|row| row.object == object && row.in_release(release))
        })
        .map(|version| version.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::finding::path::render;

    fn steps(path: &str) -> Vec<Step> {
        path.split('/')
            .map(|part| {
                part.parse()
                    .map_or_else(|_| Step::Key(part.to_owned()), Step::Index)
            })
            .collect()
    }

    fn lead(version: &str, kind: DeviceKind, minor: u8, hub: &str) -> Option<String> {
        written(version, kind, Release::last_of(minor), &steps(hub)).map(|steps| render(&steps))
    }

    /// Checks that the paths of the hub lead to what was written in an older version.
    #[test]
    fn paths_lead_back() {
        let claim = |version, path| lead(version, DeviceKind::ResourceClaim, 34, path);
        let count = "spec/devices/requests/0/exactly/count";
        assert_eq!(
            claim("v1beta1", count).as_deref(),
            Some("spec.devices.requests[0].count")
        );
        assert_eq!(
            claim("v1beta1", "spec/devices/requests/0/exactly").as_deref(),
            Some("spec.devices.requests[0]")
        );
        assert_eq!(claim("v1beta1", "spec/devices/requests/0/name"), None);
        assert_eq!(claim("v1beta2", count), None);
        let slice = |version, minor, path| lead(version, DeviceKind::ResourceSlice, minor, path);
        let capacity = "spec/devices/1/capacity/memory/value";
        assert_eq!(
            slice("v1beta1", 33, capacity).as_deref(),
            Some("spec.devices[1].basic.capacity.memory.value")
        );
        assert_eq!(
            slice("v1alpha3", 33, capacity).as_deref(),
            Some("spec.devices[1].basic.capacity.memory")
        );
        let flat = "spec/devices/1/basic/capacity/memory/value";
        assert_eq!(
            slice("v1alpha3", 32, flat).as_deref(),
            Some("spec.devices[1].basic.capacity.memory")
        );
        assert_eq!(slice("v1beta1", 32, flat), None);
        assert_eq!(slice("v1beta1", 33, "spec/devices/1/name"), None);
        assert_eq!(slice("v1beta1", 33, "spec/devices/1"), None);
        assert_eq!(slice("v1beta1", 33, "spec/pool/name"), None);
    }
}
