//! What a name was meant to say that no struct of the kind has.

use crate::advice::fits::Reader;
use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::Strict;
use claimkit_model::schema::meta::OBJECT_META;
use claimkit_model::schema::{Field, FieldType, Release, Struct};
use claimkit_model::text::tree::Kind;

/// Returns the help for two names in one: `poolName` or `pool.name` for `name` under `pool`.
pub(super) fn flattened(name: &str, schema: &'static Struct, release: Release) -> Option<Message> {
    let here = schema
        .fields
        .iter()
        .filter(|field| field.in_release(release));
    let (holder, inner) = here.into_iter().find_map(|field| {
        let rest = name.strip_prefix(field.json)?;
        Some((field, field_called(rest, field, release)?))
    })?;
    let written = format!("{}: {{{}: …}}", holder.json, inner.json);
    Some(message!(
        "suggest.two-names",
        "`{name}` is `{inner}` under `{holder}`: write `{written}`",
        name,
        inner = inner.json,
        holder = holder.json,
        written
    ))
}

/// Returns the field of a struct whose name is written behind that of the struct, as in `Name`, `.name` or `_name`.
fn field_called(rest: &str, holder: &Field, release: Release) -> Option<&'static Field> {
    let schema = holder.ty.as_struct()?;
    let parts =
        rest.starts_with(|first: char| first.is_ascii_uppercase() || matches!(first, '.' | '_'));
    let own = rest.trim_start_matches(['.', '_']);
    let mut fields = schema
        .fields
        .iter()
        .filter(|field| field.in_release(release));
    fields.find(|field| parts && field.json.eq_ignore_ascii_case(own))
}

/// A map with keys of any name.
#[derive(Clone, Copy, Debug)]
pub struct OpenMap {
    pub name: &'static str,
    pub value: &'static FieldType,
}

/// Returns the map beside an unknown field that takes its value: amounts directly under `capacity` are its `requests`.
pub(super) fn open_map(strict: &Strict, reader: Reader<'_, '_>) -> Option<OpenMap> {
    let schema = strict
        .schema
        .filter(|schema| !std::ptr::eq(*schema, &OBJECT_META))?;
    let value = reader.tree.get(strict.parent, &strict.field)?;
    if matches!(reader.tree.kind(value), Kind::Null) {
        return None;
    }
    let fields = schema.fields.iter();
    let maps = fields
        .filter(|field| field.in_release(reader.release))
        .filter_map(open_map_of);
    let mut taking = maps.filter(|map| reader.reads(value, map.value));
    taking.next().filter(|_| taking.next().is_none())
}

fn open_map_of(field: &'static Field) -> Option<OpenMap> {
    match field.ty.pointed() {
        FieldType::Map(map) => Some(OpenMap {
            name: field.json,
            value: &map.value,
        }),
        _ => None,
    }
}

/// Structs that select or limit something: without one of their fields they are about more than was meant.
const SELECTING: [&str; 9] = [
    "CELDeviceSelector",
    "CapacityRequirements",
    "DeviceConstraint",
    "DeviceRequest",
    "DeviceSelector",
    "DeviceSubRequest",
    "DeviceTaintSelector",
    "DeviceToleration",
    "ExactDeviceRequest",
];

/// Returns the help for an unknown field of a selection: without it, more would be selected.
pub(super) fn of_selection(
    name: &str,
    schema: &'static Struct,
    release: Release,
) -> Option<Message> {
    if !SELECTING.contains(&schema.go) {
        return None;
    }
    let here = schema
        .fields
        .iter()
        .filter(|field| field.in_release(release));
    let fields: Vec<&str> = here.map(|field| field.json).collect();
    Some(message!(
        "suggest.fields-of-selection",
        "replace `{name}` by one of `{fields}`: if you only remove it, more may be selected than you want",
        name,
        fields = fields.join("`, `")
    ))
}
