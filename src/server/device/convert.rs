//! Between the shapes of the versions: into the hub, out of it, and through the storage version.
//!
//! The hub is the internal type of the release: the shape of v1 from 1.33 on, before that the flat one of the version that is
//! stored. Source: `pkg/apis/resource/<version>/conversion.go`.

use crate::api::{Api, DeviceKind, GROUP, Release, Struct, Type, device};
use crate::finding::Step;
use crate::record::{Record, Value, encode};
use crate::rules::device::variant::Variant;

/// The table of a kind in a version, whatever the release.
pub fn schema_of(version: &str, kind: DeviceKind) -> Option<&'static Struct> {
    let version = device::VERSIONS.iter().find(|known| known.name == version)?;
    let object = crate::api::ObjectKind::Device(kind);
    version.kinds.iter().find(|row| row.object == object && row.items.is_none()).map(|row| row.schema)
}

/// The table of the hub for a kind; `None` if the kind exists in one shape only.
fn hub_schema(kind: DeviceKind, release: Release) -> Option<&'static Struct> {
    let version = if Variant::of(release).flat { Variant::of(release).storage } else { "v1" };
    schema_of(version, kind)
}

/// The object as the hub has it.
pub fn to_hub<'t>(record: Record<'t>, kind: DeviceKind, release: Release) -> Record<'t> {
    let mut hub = match hub_schema(kind, release) {
        Some(schema) => recast(record, schema),
        None => record,
    };
    // A spec that was not written is one of zero values.
    hub.record_mut("spec");
    hub
}

/// The object as a version has it.
pub fn from_hub<'t>(record: Record<'t>, version: &str, kind: DeviceKind) -> Record<'t> {
    match schema_of(version, kind) {
        Some(schema) => recast(record, schema),
        None => record,
    }
}

/// What comes back from the store: written in the storage version, read again with its defaults.
pub fn through_storage<'t>(record: Record<'t>, kind: DeviceKind, release: Release) -> Record<'t> {
    let storage = Variant::of(release).storage;
    let mut stored = from_hub(record, storage, kind);
    omit_empty(&mut stored, release);
    super::defaults::apply(&mut stored, kind, release);
    to_hub(stored, kind, release)
}

/// What is left out of JSON is nothing when it is read again. Recursion is bounded by the depth of the tables.
fn omit_empty(record: &mut Record<'_>, release: Release) {
    for (field, slot) in record.schema.fields.iter().zip(&mut record.slots) {
        if field.omits(release) && field.type_in(release).is_empty(slot) {
            *slot = Value::Unset;
        }
        match slot {
            Value::Struct(inner) => omit_empty(inner, release),
            Value::List(items) => items.iter_mut().for_each(|item| {
                if let Value::Struct(inner) = item {
                    omit_empty(inner, release);
                }
            }),
            Value::Entries(entries) => entries.iter_mut().for_each(|(_, entry)| {
                if let Value::Struct(inner) = entry {
                    omit_empty(inner, release);
                }
            }),
            _ => {}
        }
    }
}

/// The same object by another table. Recursion is bounded by the depth of the tables.
fn recast<'t>(mut record: Record<'t>, target: &'static Struct) -> Record<'t> {
    if std::ptr::eq(record.schema, target) {
        return record;
    }
    let has = |schema: &Struct, name: &str| schema.slot(name).is_some();
    let mut out = Record::empty(target);
    if has(target, "exactly") && !has(record.schema, "exactly") {
        if asks_flat(&record)
            && let Some(exactly) = out.record_mut("exactly")
        {
            // Upstream copies tolerations one by one, so that an empty list becomes none.
            if record.list("tolerations").is_empty() {
                record.set("tolerations", Value::Unset);
            }
            carry(&mut record, exactly, &["name"]);
        }
    } else if has(record.schema, "exactly") && !has(target, "exactly") {
        if let Value::Struct(mut exactly) = record.take("exactly") {
            carry(&mut exactly, &mut out, &[]);
        }
    } else if has(record.schema, "basic") && !has(target, "basic") {
        if let Value::Struct(mut basic) = record.take("basic") {
            for name in ["attributes", "capacity", "consumesCounters", "taints"] {
                let empty = match basic.get(name) {
                    Value::List(items) => items.is_empty(),
                    Value::Entries(entries) => entries.is_empty(),
                    _ => false,
                };
                if empty {
                    basic.set(name, Value::Unset);
                }
            }
            carry(&mut basic, &mut out, &[]);
        }
    } else if has(target, "basic")
        && !has(record.schema, "basic")
        && let Some(basic) = out.record_mut("basic")
    {
        carry(&mut record, basic, &["name"]);
    }
    carry(&mut record, &mut out, &[]);
    out
}

/// Moves the fields that both have.
fn carry<'t>(from: &mut Record<'t>, to: &mut Record<'t>, except: &[&str]) {
    for (field, slot) in to.schema.fields.iter().zip(&mut to.slots) {
        let Some(at) = from.schema.slot(field.json).filter(|_| !except.contains(&field.json)) else { continue };
        let Some(place) = from.slots.get_mut(at) else { continue };
        let value = std::mem::replace(place, Value::Unset);
        if matches!(value, Value::Unset) {
            continue;
        }
        let source = from.schema.fields.get(at).map(|field| &field.ty);
        *slot = match (source, &field.ty, value) {
            // A plain value becomes a pointer: zero is none.
            (Some(Type::String), Type::Pointer(Type::String), Value::Str(text)) if text.is_empty() => Value::Unset,
            (Some(Type::Bool), Type::Pointer(Type::Bool), Value::Bool(false)) => Value::Unset,
            (_, ty, value) => recast_value(ty, value),
        };
    }
}

fn recast_value<'t>(ty: &Type, value: Value<'t>) -> Value<'t> {
    match (ty, value) {
        (Type::Pointer(inner), value) => recast_value(inner, value),
        (Type::Struct(schema), Value::Struct(record)) => Value::Struct(recast(record, schema)),
        // A capacity is a bare quantity in v1alpha3.
        (Type::Struct(schema), Value::Quantity(quantity)) => {
            let mut record = Record::empty(schema);
            record.set("value", Value::Quantity(quantity));
            Value::Struct(record)
        }
        (Type::Quantity, Value::Struct(mut record)) => record.take("value"),
        (Type::List(inner), Value::List(items)) => Value::List(items.into_iter().map(|item| recast_value(inner, item)).collect()),
        (Type::Map(map), Value::Entries(entries)) => {
            Value::Entries(entries.into_iter().map(|(key, entry)| (key, recast_value(&map.value, entry))).collect())
        }
        (_, value) => value,
    }
}

/// True if a flat request has a field that `exactly` holds.
fn asks_flat(request: &Record<'_>) -> bool {
    !request.str("deviceClassName").is_empty()
        || request.has("selectors")
        || !request.str("allocationMode").is_empty()
        || request.int("count").unwrap_or(0) != 0
        || request.has("adminAccess")
        || request.has("tolerations")
        || request.has("capacity")
}

/// Leads a path of the hub back to what was written in a version; `None` where it is the same.
pub fn written(version: &str, release: Release, hub: &[Step]) -> Option<Vec<Step>> {
    let flat = matches!(version, "v1alpha3" | "v1beta1") && !Variant::of(release).flat;
    let bare = version == "v1alpha3";
    if !flat && !bare {
        return None;
    }
    let key = |step: Option<&Step>, name: &str| matches!(step, Some(Step::Key(key)) if key == name);
    let in_slice = key(hub.first(), "spec") && key(hub.get(1), "devices") && matches!(hub.get(2), Some(Step::Index(_)));
    let mut out: Vec<Step> = Vec::with_capacity(hub.len().saturating_add(1));
    for (at, step) in hub.iter().enumerate() {
        if in_slice {
            if flat && at == 3 && !key(Some(step), "name") && !key(Some(step), "basic") {
                out.push(Step::Key("basic".to_owned()));
            }
            let capacity = at >= 2 && hub.iter().rev().nth(2).is_some_and(|step| key(Some(step), "capacity"));
            if bare && capacity && at.saturating_add(1) == hub.len() && key(Some(step), "value") {
                continue;
            }
        } else if flat && key(Some(step), "exactly") && at >= 2 && key(hub.get(at.saturating_sub(2)), "requests") {
            continue;
        }
        out.push(step.clone());
    }
    (out != hub).then_some(out)
}

/// The object as it comes back from the store, in every version that serves the kind, JSON.
pub fn versions_of_stored(record: Record<'_>, api: Api, kind: DeviceKind, release: Release) -> Vec<(&'static str, String)> {
    let stored = through_storage(record, kind, release);
    let encoded = |version: &'static str| {
        let mut record = from_hub(stored.clone(), version, kind);
        record.set("kind", Value::Str(api.kind.kind.into()));
        record.set("apiVersion", Value::Str(format!("{GROUP}/{version}").into()));
        let mut text = String::new();
        encode(&record, release, &mut text);
        (version, text)
    };
    served(kind, release).into_iter().map(encoded).collect()
}

/// Every version that serves a kind in a release, by name.
pub fn served(kind: DeviceKind, release: Release) -> Vec<&'static str> {
    let object = crate::api::ObjectKind::Device(kind);
    device::VERSIONS
        .iter()
        .filter(|version| version.served_by(release))
        .filter(|version| version.kinds.iter().any(|row| row.object == object && row.in_release(release)))
        .map(|version| version.name)
        .collect()
}
