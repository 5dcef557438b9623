//! Decoded objects: one [`Record`] per struct, one slot per field of its table, as Go holds it after decoding.
//!
//! A slot is [`FieldValue::Unset`] for Go's zero value of "never given": nil pointer, nil slice, nil map, or a plain field that
//! the text does not mention. Plain strings, numbers and structs that were given keep their value, so `Unset` and `""` are
//! both Go's zero string; the accessors treat them alike.

pub mod decode;
pub mod go_json;
pub mod go_syntax;
pub mod in_memory;
pub mod view;

use crate::schema::{self, FieldType, Release, Struct};
use crate::text::print;
use claimkit_values::quantity::Quantity;
use claimkit_values::time::Time;
use std::borrow::Cow;

/// The decimal places of a quantity as it was written, which Go keeps beside its canonical text: 1 of `1.0`, 3 of `1000m`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenPlaces(pub u8);

impl WrittenPlaces {
    /// Returns those of a quantity that was read.
    pub fn of(quantity: &Quantity<'_>) -> Self {
        WrittenPlaces(quantity.places())
    }
}

/// The value of one field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue<'t> {
    Unset,
    /// `bool`
    Bool(bool),
    /// `int64` and `int32`
    Int(i64),
    /// Strings and named strings.
    Str(Cow<'t, str>),
    /// A time (Go's zero time is `Unset`).
    Time(Time),
    /// A quantity in canonical form.
    Quantity(Cow<'t, str>, WrittenPlaces),
    Raw(Cow<'t, str>),
    /// `map[string]string`, sorted by key, keys once.
    Map(Vec<(Cow<'t, str>, Cow<'t, str>)>),
    /// A map to values of one type, sorted by key, keys once.
    Entries(Vec<(Cow<'t, str>, FieldValue<'t>)>),
    /// A slice that is not nil.
    List(Vec<FieldValue<'t>>),
    /// A struct, or a pointer to one that is not nil.
    Struct(Record<'t>),
}

/// A decoded struct of the API.
#[derive(Clone, Debug)]
pub struct Record<'t> {
    pub schema: &'static Struct,
    /// One slot per field of the table.
    pub slots: Vec<FieldValue<'t>>,
}

impl PartialEq for Record<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.schema, other.schema) && self.slots == other.slots
    }
}

impl<'t> Record<'t> {
    /// Makes a struct of zero values.
    pub fn empty(schema: &'static Struct) -> Self {
        Record {
            schema,
            slots: schema.fields.iter().map(|_| FieldValue::Unset).collect(),
        }
    }

    /// Returns the slot of a field by JSON name; `Unset` if the table has no such field, as another version may have it.
    ///
    /// Debug builds panic on a name that no table has: it is misspelt.
    pub fn get(&self, json: &str) -> &FieldValue<'t> {
        debug_assert!(
            self.schema.slot(json).is_some() || schema::is_field(json),
            "no table has a field {json}"
        );
        self.schema
            .slot(json)
            .and_then(|slot| self.slots.get(slot))
            .unwrap_or(&FieldValue::Unset)
    }

    /// Replaces the slot of a field.
    pub fn set(&mut self, json: &str, value: FieldValue<'t>) {
        debug_assert!(
            self.schema.slot(json).is_some(),
            "{} has no field {json}",
            self.schema.go
        );
        if let Some(place) = self
            .schema
            .slot(json)
            .and_then(|slot| self.slots.get_mut(slot))
        {
            *place = value;
        }
    }

    /// Returns the struct in a field, made empty first if it is not there.
    pub fn record_mut(&mut self, json: &str) -> Option<&mut Record<'t>> {
        let slot = self.schema.slot(json)?;
        let ty = self.schema.fields.get(slot)?.ty;
        let place = self.slots.get_mut(slot)?;
        if !matches!(place, FieldValue::Struct(_)) {
            *place = FieldValue::Struct(Record::empty(ty.as_struct()?));
        }
        match place {
            FieldValue::Struct(record) => Some(record),
            _ => None,
        }
    }

    /// Returns a string field; `""` if not given.
    pub fn str(&self, json: &str) -> &str {
        self.get(json).as_str()
    }

    /// Returns a list field; empty if not given.
    pub fn list(&self, json: &str) -> &[FieldValue<'t>] {
        match self.get(json) {
            FieldValue::List(items) => items,
            _ => &[],
        }
    }

    /// Returns a struct field or pointer; `None` if not given.
    pub fn record(&self, json: &str) -> Option<&Record<'t>> {
        match self.get(json) {
            FieldValue::Struct(record) => Some(record),
            _ => None,
        }
    }

    /// Returns the slot of a field, to be changed in place. Debug builds panic on a name that no table has, as [`Record::get`] does.
    pub fn get_mut(&mut self, json: &str) -> Option<&mut FieldValue<'t>> {
        debug_assert!(
            self.schema.slot(json).is_some() || schema::is_field(json),
            "no table has a field {json}"
        );
        self.schema
            .slot(json)
            .and_then(|slot| self.slots.get_mut(slot))
    }

    /// Returns the structs of a list field, to be changed in place.
    pub fn records_mut(&mut self, json: &str) -> impl Iterator<Item = &mut Record<'t>> {
        let items = match self.get_mut(json) {
            Some(FieldValue::List(items)) => items.as_mut_slice(),
            _ => &mut [],
        };
        items.iter_mut().filter_map(|item| {
            if let FieldValue::Struct(record) = item {
                Some(record)
            } else {
                None
            }
        })
    }

    /// Returns the structs of a list field.
    pub fn records(&self, json: &str) -> impl Iterator<Item = &Record<'t>> {
        self.list(json).iter().filter_map(FieldValue::as_record)
    }

    /// Returns the struct in a field, to be changed in place; `None` if it is not there.
    pub fn inner_mut(&mut self, json: &str) -> Option<&mut Record<'t>> {
        match self.get_mut(json) {
            Some(FieldValue::Struct(record)) => Some(record),
            _ => None,
        }
    }

    /// Takes the value of a field and leaves it unset.
    pub fn take(&mut self, json: &str) -> FieldValue<'t> {
        self.get_mut(json).map_or(FieldValue::Unset, |value| {
            std::mem::replace(value, FieldValue::Unset)
        })
    }

    /// Returns true if one of these fields has a value, in the sense of [`Record::has`].
    pub fn has_any(&self, json: &[&str]) -> bool {
        let mut fields = self.schema.fields.iter().zip(&self.slots);
        fields
            .any(|(field, value)| !matches!(value, FieldValue::Unset) && json.contains(&field.json))
    }

    /// Returns true if a pointer, slice or map field is not nil, or any field was given.
    pub fn has(&self, json: &str) -> bool {
        !matches!(self.get(json), FieldValue::Unset)
    }
}

impl<'t> FieldValue<'t> {
    /// Returns the text of a string; `""` for anything else.
    pub fn as_str(&self) -> &str {
        match self {
            FieldValue::Str(text) | FieldValue::Quantity(text, _) | FieldValue::Raw(text) => text,
            _ => "",
        }
    }

    /// Returns the struct, if it is one.
    pub fn as_record(&self) -> Option<&Record<'t>> {
        match self {
            FieldValue::Struct(record) => Some(record),
            _ => None,
        }
    }
}

impl FieldType {
    /// Returns the struct behind a struct or pointer type.
    pub fn as_struct(&self) -> Option<&'static Struct> {
        match self {
            FieldType::Struct(schema) => Some(schema),
            FieldType::Pointer(inner) => inner.as_struct(),
            _ => None,
        }
    }

    /// Returns true if Go's `omitempty` would leave this value out.
    pub fn is_empty(&self, value: &FieldValue<'_>) -> bool {
        match (self, value) {
            (FieldType::Struct(_) | FieldType::Raw, _) => false,
            (FieldType::Time, value) => matches!(value, FieldValue::Unset),
            (_, FieldValue::Unset) => true,
            (FieldType::Pointer(_), _) => false,
            (_, FieldValue::Bool(b)) => !b,
            (_, FieldValue::Int(n)) => *n == 0,
            (_, FieldValue::Str(text)) => text.is_empty(),
            (_, FieldValue::Map(entries)) => entries.is_empty(),
            (_, FieldValue::Entries(entries)) => entries.is_empty(),
            (_, FieldValue::List(items)) => items.is_empty(),
            _ => false,
        }
    }
}

/// Appends the record as Go's JSON encoder would write it (without its escaping of `<`, `>`, `&`), fields the release does not have left out.
/// Recursion is bounded by the depth of the tables.
pub fn encode(record: &Record<'_>, release: Release, out: &mut String) {
    out.push('{');
    let mut first = true;
    for (field, value) in record.schema.fields.iter().zip(&record.slots) {
        if !field.in_release(release)
            || (field.omits(release) && field.type_in(release).is_empty(value))
        {
            continue;
        }
        if !first {
            out.push(',');
        }
        first = false;
        print::quote(field.json, out);
        out.push(':');
        encode_value(field.type_in(release), value, release, out);
    }
    out.push('}');
}

/// Appends the parts of a list or map in JSON, in brackets and with commas between them.
fn write_list<T>(
    out: &mut String,
    [open, close]: [char; 2],
    parts: &[T],
    write: impl Fn(&T, &mut String),
) {
    out.push(open);
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(part, out);
    }
    out.push(close);
}

fn encode_value(ty: &FieldType, value: &FieldValue<'_>, release: Release, out: &mut String) {
    match (ty, value) {
        (FieldType::Pointer(inner), value) if !matches!(value, FieldValue::Unset) => {
            encode_value(inner, value, release, out)
        }
        (_, FieldValue::Bool(b)) => out.push_str(if *b { "true" } else { "false" }),
        (_, FieldValue::Int(n)) => out.push_str(&n.to_string()),
        (_, FieldValue::Str(text) | FieldValue::Quantity(text, _)) => print::quote(text, out),
        (_, FieldValue::Raw(text)) => print::compact(text, out),
        (_, FieldValue::Time(time)) => print::quote(&time.rfc3339(), out),
        (_, FieldValue::Map(entries)) => {
            write_list(out, ['{', '}'], entries, |(key, value), out| {
                print::quote(key, out);
                out.push(':');
                print::quote(value, out);
            })
        }
        (FieldType::Map(map), FieldValue::Entries(entries)) => {
            write_list(out, ['{', '}'], entries, |(key, value), out| {
                print::quote(key, out);
                out.push(':');
                encode_value(&map.value, value, release, out);
            })
        }
        (FieldType::List(inner), FieldValue::List(items)) => {
            write_list(out, ['[', ']'], items, |item, out| {
                encode_value(inner, item, release, out)
            })
        }
        (_, FieldValue::Struct(record)) => encode(record, release, out),
        (FieldType::Struct(schema), FieldValue::Unset) => {
            encode(&Record::empty(schema), release, out)
        }
        (FieldType::String | FieldType::Named(..) | FieldType::Uid, FieldValue::Unset) => {
            out.push_str("\"\"")
        }
        (FieldType::Bool, FieldValue::Unset) => out.push_str("false"),
        (FieldType::Int64 | FieldType::Int32, FieldValue::Unset) => out.push('0'),
        (FieldType::Quantity, FieldValue::Unset) => out.push_str("\"0\""),
        _ => out.push_str("null"),
    }
}
