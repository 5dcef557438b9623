//! What a name was meant to say that no struct of the kind has.

use crate::advice::fits::{self, Reader};
use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::Strict;
use claimkit_model::schema::meta::OBJECT_META;
use claimkit_model::schema::{Field, FieldType, Release, Struct};
use claimkit_model::text::tree::{Kind, Tree};
use claimkit_values::names;
use claimkit_values::quantity::Quantity;

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

/// Returns the help for an unknown field whose value has an anchor that other places use.
pub(super) fn anchor_holder(strict: &Strict, tree: &Tree<'_>) -> Option<Message> {
    if !tree.has_aliases() {
        return None;
    }
    let value = tree.get(strict.parent, &strict.field)?;
    let mut span = strict.key.join(tree.span(value));
    let properties = tree.node(value).properties;
    if !properties.is_empty() {
        span = span.join(properties);
    }
    let written = span.slice_of(tree.source())?;
    let behind = tree.source().get(span.to()..)?;
    let anchor = names_after(written, '&')
        .find(|anchor| names_after(behind, '*').any(|alias| alias == *anchor))?;
    Some(message!(
        "suggest.anchor-holder",
        "`*{anchor}` uses what is written here: move `&{anchor}` with its value to the first place that uses it, then leave `{name}` out",
        anchor,
        name = strict.field
    ))
}

/// Returns the names that follow a sign at the beginning of a word.
fn names_after(text: &str, sign: char) -> impl Iterator<Item = &str> {
    let words = text.split([' ', '\n', '\r', '\t', ',', '[', ']', '{', '}']);
    words
        .filter_map(move |word| word.strip_prefix(sign))
        .filter(|name| !name.is_empty())
}

/// Returns the help for a value of a device that is written directly in the device: it is an attribute or a capacity.
pub(super) fn value_of_device(strict: &Strict, reader: Reader<'_, '_>) -> Option<Message> {
    let schema = strict.schema?;
    if !schema.has("attributes") || !schema.has("capacity") {
        return None;
    }
    let name = &strict.field;
    let value = reader.tree.get(strict.parent, name)?;
    let written = reader.tree.slice(reader.tree.span(value));
    let (holder, field) = match reader.tree.kind(value) {
        Kind::Bool(_) => ("attributes", "bool"),
        _ if fits::is_whole(reader.tree, value) => ("attributes", "int"),
        Kind::Str(_) => field_of_text(reader.tree.str(value)?),
        _ => return None,
    };
    if written.contains('\n') {
        return None;
    }
    Some(message!(
        "suggest.value-of-device",
        "values that a device has are under `attributes` and `capacity`: write `{entry}` under `{holder}`",
        entry = format!("{name}: {{{field}: {written}}}"),
        holder
    ))
}

/// Returns the map and the field for a text: quantities with a unit are capacities.
fn field_of_text(text: &str) -> (&'static str, &'static str) {
    let has_unit = text.ends_with(|last: char| last.is_ascii_alphabetic());
    let begins = text.starts_with(|first: char| first.is_ascii_digit());
    if begins && has_unit && Quantity::parse(text).is_ok() {
        return ("capacity", "value");
    }
    if names::is_semantic_version(text) {
        return ("attributes", "version");
    }
    ("attributes", "string")
}

/// Words of fields that select, also where their struct selects nothing by itself.
const SELECTING_WORDS: [&str; 8] = [
    "match",
    "select",
    "label",
    "attribute",
    "filter",
    "expression",
    "driver",
    "cel",
];

/// Returns the help for an unknown field that was meant to select the devices of a class.
fn of_class(name: &str) -> Option<Message> {
    let lower = name.to_ascii_lowercase();
    let selects = SELECTING_WORDS.iter().any(|word| lower.contains(word));
    selects.then(|| {
        message!(
            "suggest.selectors-of-class",
            "a class selects devices by `selectors: {example}`: if you only remove `{name}`, more may be selected than you want",
            example = "[{cel: {expression: …}}]",
            name
        )
    })
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
    if schema.go == "DeviceClassSpec" {
        return of_class(name);
    }
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
