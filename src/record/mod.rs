//! Decoded objects: one [`Record`] per struct, one slot per field of its table, as Go holds it after decoding.
//!
//! A slot is [`Value::Unset`] for Go's zero value of "never given": nil pointer, nil slice, nil map, or a plain field that
//! the text does not mention. Plain strings, numbers and structs that were given keep their value, so `Unset` and `""` are
//! both Go's zero string; the accessors treat them alike.

pub mod decode;
pub mod go_json;
pub mod go_syntax;
pub mod in_memory;
pub mod view;

use crate::api::{self, Release, Struct, Type};
use crate::go::time::Time;
use crate::text::print;
use std::borrow::Cow;

/// The value of one field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'t> {
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
    Quantity(Cow<'t, str>),
    Raw(Cow<'t, str>),
    /// `map[string]string`, sorted by key, keys once.
    Map(Vec<(Cow<'t, str>, Cow<'t, str>)>),
    /// A map to values of one type, sorted by key, keys once.
    Entries(Vec<(Cow<'t, str>, Value<'t>)>),
    /// A slice that is not nil.
    List(Vec<Value<'t>>),
    /// A struct, or a pointer to one that is not nil.
    Struct(Record<'t>),
}

/// A decoded struct of the API.
#[derive(Clone, Debug)]
pub struct Record<'t> {
    pub schema: &'static Struct,
    /// One slot per field of the table.
    pub slots: Vec<Value<'t>>,
}

impl PartialEq for Record<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.schema, other.schema) && self.slots == other.slots
    }
}

impl<'t> Record<'t> {
    /// Makes a struct of zero values.
    pub fn empty(schema: &'static Struct) -> Self {
        Record { schema, slots: schema.fields.iter().map(|_| Value::Unset).collect() }
    }

    /// Returns the slot of a field by JSON name; `Unset` if the table has no such field, as another version may have it.
    ///
    /// Debug builds panic on a name that no table has: it is misspelt.
    pub fn get(&self, json: &str) -> &Value<'t> {
        debug_assert!(self.schema.slot(json).is_some() || api::is_field(json), "no table has a field {json}");
        self.schema.slot(json).and_then(|slot| self.slots.get(slot)).unwrap_or(&Value::Unset)
    }

    /// Replaces the slot of a field.
    pub fn set(&mut self, json: &str, value: Value<'t>) {
        debug_assert!(self.schema.slot(json).is_some(), "{} has no field {json}", self.schema.go);
        if let Some(place) = self.schema.slot(json).and_then(|slot| self.slots.get_mut(slot)) {
            *place = value;
        }
    }

    /// Returns the struct in a field, made empty first if it is not there.
    pub fn record_mut(&mut self, json: &str) -> Option<&mut Record<'t>> {
        let slot = self.schema.slot(json)?;
        let ty = self.schema.fields.get(slot)?.ty;
        let place = self.slots.get_mut(slot)?;
        if !matches!(place, Value::Struct(_)) {
            *place = Value::Struct(Record::empty(ty.as_struct()?));
        }
        match place {
            Value::Struct(record) => Some(record),
            _ => None,
        }
    }

    /// Returns a string field; `""` if not given.
    pub fn str(&self, json: &str) -> &str {
        self.get(json).as_str()
    }

    /// Returns a list field; empty if not given.
    pub fn list(&self, json: &str) -> &[Value<'t>] {
        match self.get(json) {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// Returns a struct field or pointer; `None` if not given.
    pub fn record(&self, json: &str) -> Option<&Record<'t>> {
        match self.get(json) {
            Value::Struct(record) => Some(record),
            _ => None,
        }
    }

    /// Returns the slot of a field, to be changed in place. Debug builds panic on a name that no table has, as [`Record::get`] does.
    pub fn get_mut(&mut self, json: &str) -> Option<&mut Value<'t>> {
        debug_assert!(self.schema.slot(json).is_some() || api::is_field(json), "no table has a field {json}");
        self.schema.slot(json).and_then(|slot| self.slots.get_mut(slot))
    }

    /// Returns the structs of a list field, to be changed in place.
    pub fn records_mut(&mut self, json: &str) -> impl Iterator<Item = &mut Record<'t>> {
        let items = match self.get_mut(json) {
            Some(Value::List(items)) => items.as_mut_slice(),
            _ => &mut [],
        };
        items.iter_mut().filter_map(|item| if let Value::Struct(record) = item { Some(record) } else { None })
    }

    /// Returns the structs of a list field.
    pub fn records(&self, json: &str) -> impl Iterator<Item = &Record<'t>> {
        self.list(json).iter().filter_map(Value::as_record)
    }

    /// Returns the struct in a field, to be changed in place; `None` if it is not there.
    pub fn inner_mut(&mut self, json: &str) -> Option<&mut Record<'t>> {
        match self.get_mut(json) {
            Some(Value::Struct(record)) => Some(record),
            _ => None,
        }
    }

    /// Takes the value of a field and leaves it unset.
    pub fn take(&mut self, json: &str) -> Value<'t> {
        self.get_mut(json).map_or(Value::Unset, |value| std::mem::replace(value, Value::Unset))
    }

    /// Returns true if one of these fields has a value, in the sense of [`Record::has`].
    pub fn has_any(&self, json: &[&str]) -> bool {
        let mut fields = self.schema.fields.iter().zip(&self.slots);
        fields.any(|(field, value)| !matches!(value, Value::Unset) && json.contains(&field.json))
    }

    /// Returns true if a pointer, slice or map field is not nil, or any field was given.
    pub fn has(&self, json: &str) -> bool {
        !matches!(self.get(json), Value::Unset)
    }
}

impl<'t> Value<'t> {
    /// Returns the text of a string; `""` for anything else.
    pub fn as_str(&self) -> &str {
        match self {
            Value::Str(text) | Value::Quantity(text) | Value::Raw(text) => text,
            _ => "",
        }
    }

    /// Returns the struct, if it is one.
    pub fn as_record(&self) -> Option<&Record<'t>> {
        match self {
            Value::Struct(record) => Some(record),
            _ => None,
        }
    }
}

impl Type {
    /// Returns the struct behind a struct or pointer type.
    pub fn as_struct(&self) -> Option<&'static Struct> {
        match self {
            Type::Struct(schema) => Some(schema),
            Type::Pointer(inner) => inner.as_struct(),
            _ => None,
        }
    }

    /// Returns true if Go's `omitempty` would leave this value out.
    pub fn is_empty(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Type::Struct(_) | Type::Raw, _) => false,
            (Type::Time, value) => matches!(value, Value::Unset),
            (_, Value::Unset) => true,
            (Type::Pointer(_), _) => false,
            (_, Value::Bool(b)) => !b,
            (_, Value::Int(n)) => *n == 0,
            (_, Value::Str(text)) => text.is_empty(),
            (_, Value::Map(entries)) => entries.is_empty(),
            (_, Value::Entries(entries)) => entries.is_empty(),
            (_, Value::List(items)) => items.is_empty(),
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
        if !field.in_release(release) || (field.omits(release) && field.type_in(release).is_empty(value)) {
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

fn encode_value(ty: &Type, value: &Value<'_>, release: Release, out: &mut String) {
    match (ty, value) {
        (Type::Pointer(inner), value) if !matches!(value, Value::Unset) => encode_value(inner, value, release, out),
        (_, Value::Bool(b)) => out.push_str(if *b { "true" } else { "false" }),
        (_, Value::Int(n)) => out.push_str(&n.to_string()),
        (_, Value::Str(text) | Value::Quantity(text)) => print::quote(text, out),
        (_, Value::Raw(text)) => print::compact(text, out),
        (_, Value::Time(time)) => print::quote(&time.rfc3339(), out),
        (_, Value::Map(entries)) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                print::quote(key, out);
                out.push(':');
                print::quote(value, out);
            }
            out.push('}');
        }
        (Type::Map(map), Value::Entries(entries)) => {
            out.push('{');
            for (at, (key, value)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                print::quote(key, out);
                out.push(':');
                encode_value(&map.value, value, release, out);
            }
            out.push('}');
        }
        (Type::List(inner), Value::List(items)) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                encode_value(inner, item, release, out);
            }
            out.push(']');
        }
        (_, Value::Struct(record)) => encode(record, release, out),
        (Type::Struct(schema), Value::Unset) => encode(&Record::empty(schema), release, out),
        (Type::String | Type::Named(..) | Type::Uid, Value::Unset) => out.push_str("\"\""),
        (Type::Bool, Value::Unset) => out.push_str("false"),
        (Type::Int64 | Type::Int32, Value::Unset) => out.push('0'),
        (Type::Quantity, Value::Unset) => out.push_str("\"0\""),
        _ => out.push_str("null"),
    }
}
