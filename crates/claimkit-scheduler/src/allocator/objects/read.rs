//! Reading facts as Go would, from JSON, from decoded objects and from trees: absent and `null` are the type's zero value,
//! unknown members are skipped.

use crate::allocator::amount::Amount;
use crate::allocator::sorted::{Sorted, ordered};
use claimkit_model::message::{Message, Template, message, template};
use claimkit_model::object::{self, Record};
use claimkit_model::schema::{Field, FieldType, Release};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_values::time::Time;
use serde_json::Value;
use std::borrow::Cow;

/// A source value for reading facts.
#[derive(Clone, Copy, Debug)]
pub enum Datum<'v> {
    /// Nothing: Go's zero value.
    Null,
    Text(&'v str),
    /// A decoded quantity, as the server prints it.
    Quantity(&'v str),
    /// Any value of JSON.
    Json(&'v Value),
    /// A node of a tree.
    Node(&'v Tree<'v>, NodeId),
    /// A decoded object; read like its JSON in the last release.
    Record(&'v Record<'v>),
    Bool(bool),
    Int(i64),
    Time(Time),
    /// JSON that was decoded verbatim.
    Raw(&'v str),
    /// A decoded map of texts.
    Map(&'v [(Cow<'v, str>, Cow<'v, str>)]),
    /// A decoded map, and the type of its values.
    Entries(&'v FieldType, &'v [(Cow<'v, str>, object::FieldValue<'v>)]),
    /// A decoded list, and the type of its items.
    List(&'v FieldType, &'v [object::FieldValue<'v>]),
}

/// Returns true if an object that has this value in a field has the field as JSON, too.
fn is_member(field: &Field, value: &object::FieldValue<'_>) -> bool {
    if matches!(value, object::FieldValue::Unset) {
        // A quantity that is not set is printed as "0".
        return !field.omit && matches!(field.ty, FieldType::Quantity);
    }
    // The release that the object was read by had the field, though the latest one may not.
    let latest = Release::latest();
    !(field.omits(latest) && field.type_in(latest).is_empty(value))
}

/// Adds a member to those of an object; the first error remains.
fn add_member(
    members: &mut Result<serde_json::Map<String, Value>, String>,
    name: &str,
    member: Datum<'_>,
) {
    let Ok(earlier) = members else { return };
    match member.json() {
        Ok(value) => {
            earlier.insert(name.to_owned(), value);
        }
        Err(error) => *members = Err(error),
    }
}

impl<'v> Datum<'v> {
    /// Makes a datum of a decoded value of a type.
    fn decoded(ty: &'v FieldType, value: &'v object::FieldValue<'v>) -> Self {
        match (ty, value) {
            (FieldType::Pointer(_), object::FieldValue::Unset) => Datum::Null,
            (FieldType::Pointer(inner), value) => Datum::decoded(inner, value),
            (FieldType::Quantity, object::FieldValue::Unset) => Datum::Quantity("0"),
            (_, object::FieldValue::Unset) => Datum::Null,
            (_, object::FieldValue::Bool(flag)) => Datum::Bool(*flag),
            (_, object::FieldValue::Int(number)) => Datum::Int(*number),
            (_, object::FieldValue::Str(text)) => Datum::Text(text),
            (_, object::FieldValue::Quantity(text, _)) => Datum::Quantity(text),
            (_, object::FieldValue::Time(time)) => Datum::Time(*time),
            (_, object::FieldValue::Raw(text)) => Datum::Raw(text),
            (_, object::FieldValue::Map(entries)) => Datum::Map(entries),
            (FieldType::Map(map), object::FieldValue::Entries(entries)) => {
                Datum::Entries(&map.value, entries)
            }
            (FieldType::List(inner), object::FieldValue::List(items)) => Datum::List(inner, items),
            (_, object::FieldValue::Struct(record)) => Datum::Record(record),
            (_, object::FieldValue::Entries(_) | object::FieldValue::List(_)) => Datum::Null,
        }
    }

    fn is_null(self) -> bool {
        match self {
            Datum::Null | Datum::Json(Value::Null) => true,
            Datum::Node(tree, node) => matches!(tree.kind(node), Kind::Null | Kind::Alias(_)),
            _ => false,
        }
    }

    fn text(self) -> Option<Cow<'v, str>> {
        match self {
            Datum::Text(text) | Datum::Quantity(text) => Some(Cow::Borrowed(text)),
            Datum::Json(value) => value.as_str().map(Cow::Borrowed),
            Datum::Node(tree, node) => tree.str(node).map(Cow::Borrowed),
            Datum::Time(time) => Some(Cow::Owned(time.rfc3339())),
            _ => None,
        }
    }

    /// Returns the value in JSON. Recursion is bounded by the depth of JSON and of the tables.
    fn json(self) -> Result<Value, String> {
        match self {
            Datum::Null => Ok(Value::Null),
            Datum::Json(value) => Ok(value.clone()),
            Datum::Node(tree, node) => {
                claimkit_model::text::de::deserialize(tree, node).map_err(|error| error.to_string())
            }
            Datum::Raw(text) => serde_json::from_str(text).map_err(|error| error.to_string()),
            Datum::Bool(flag) => Ok(flag.into()),
            Datum::Int(number) => Ok(number.into()),
            Datum::Text(_) | Datum::Quantity(_) | Datum::Time(_) => {
                Ok(self.text().unwrap_or_default().into())
            }
            Datum::List(..) => {
                let mut items = Vec::new();
                self.items(&mut |item| items.push(item.json()));
                items.into_iter().collect::<Result<Value, String>>()
            }
            Datum::Record(_) | Datum::Map(_) | Datum::Entries(..) => {
                let mut members = Ok(serde_json::Map::new());
                self.members(&mut |name, member| add_member(&mut members, name, member));
                members.map(Value::Object)
            }
        }
    }

    /// Calls `each` for every member of an object; returns false for other values.
    fn members(self, each: &mut dyn FnMut(&'v str, Datum<'v>)) -> bool {
        match self {
            Datum::Json(Value::Object(members)) => members
                .iter()
                .for_each(|(name, value)| each(name, Datum::Json(value))),
            Datum::Node(tree, node) if tree.is_map(node) => {
                for entry in tree.entries(node).iter().filter(|entry| !entry.shadowed) {
                    each(tree.text(entry.key), Datum::Node(tree, entry.value));
                }
            }
            Datum::Record(record) => {
                for (field, value) in record.schema.fields.iter().zip(&record.slots) {
                    if is_member(field, value) {
                        each(field.json, Datum::decoded(&field.ty, value));
                    }
                }
            }
            Datum::Map(entries) => entries
                .iter()
                .for_each(|(name, text)| each(name, Datum::Text(text))),
            Datum::Entries(ty, entries) => entries
                .iter()
                .for_each(|(name, value)| each(name, Datum::decoded(ty, value))),
            _ => return false,
        }
        true
    }

    /// Calls `each` for every item of a list; returns false for other values.
    fn items(self, each: &mut dyn FnMut(Datum<'v>)) -> bool {
        match self {
            Datum::Json(Value::Array(items)) => {
                items.iter().for_each(|item| each(Datum::Json(item)))
            }
            Datum::Node(tree, node) if matches!(tree.kind(node), Kind::Seq { .. }) => {
                tree.items(node)
                    .iter()
                    .for_each(|item| each(Datum::Node(tree, *item)));
            }
            Datum::List(ty, items) => items.iter().for_each(|item| each(Datum::decoded(ty, item))),
            _ => return false,
        }
        true
    }

    /// Returns how many items or members there are, at most.
    fn len(self) -> usize {
        match self {
            Datum::Json(Value::Array(items)) => items.len(),
            Datum::Json(Value::Object(members)) => members.len(),
            Datum::Node(tree, node) => tree.items(node).len().max(tree.entries(node).len()),
            Datum::List(_, items) => items.len(),
            Datum::Map(entries) => entries.len(),
            Datum::Entries(_, entries) => entries.len(),
            _ => 0,
        }
    }

    fn what(self) -> Template {
        match self {
            Datum::Null | Datum::Json(Value::Null) => NULL,
            Datum::Bool(_) | Datum::Json(Value::Bool(_)) => BOOLEAN,
            Datum::Int(_) | Datum::Json(Value::Number(_)) => NUMBER,
            Datum::Text(_)
            | Datum::Quantity(_)
            | Datum::Time(_)
            | Datum::Json(Value::String(_)) => STRING,
            Datum::List(..) | Datum::Json(Value::Array(_)) => LIST,
            Datum::Record(_)
            | Datum::Raw(_)
            | Datum::Map(_)
            | Datum::Entries(..)
            | Datum::Json(Value::Object(_)) => OBJECT,
            Datum::Node(tree, node) => match tree.kind(node) {
                Kind::Null | Kind::Alias(_) => NULL,
                Kind::Bool(_) => BOOLEAN,
                Kind::Int(_) | Kind::Uint(_) | Kind::Float(_) | Kind::Number(_) => NUMBER,
                Kind::Str(_) => STRING,
                Kind::Seq { .. } => LIST,
                Kind::Map { .. } => OBJECT,
            },
        }
    }
}

const NULL: Template = template!("device.value-null", "null");
const BOOLEAN: Template = template!("device.value-boolean", "a boolean");
const NUMBER: Template = template!("device.value-number", "a number");
const INTEGER: Template = template!("device.value-integer", "an integer");
const STRING: Template = template!("device.value-string", "a string");
const LIST: Template = template!("device.value-list", "a list");
const OBJECT: Template = template!("device.value-object", "an object");

/// The current position, and the first error.
#[derive(Debug, Default)]
pub struct FactReader {
    path: Vec<&'static str>,
    problem: Option<Message>,
}

/// A type that facts are made of.
pub trait ReadFact: Default {
    /// Reads a value that is not `null`.
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self;
}

/// Reads JSON; `Err` says where it is of another type, and of which.
pub fn read<T: ReadFact>(value: &Value) -> Result<T, Message> {
    read_from(Datum::Json(value))
}

/// Reads a value; `Err` says where it is of another type, and of which.
pub fn read_from<T: ReadFact>(datum: Datum<'_>) -> Result<T, Message> {
    let mut reader = FactReader::default();
    let read = T::read(datum, &mut reader);
    reader.problem.map_or(Ok(read), Err)
}

impl FactReader {
    fn wrong(&mut self, wanted: Template, datum: Datum<'_>) {
        self.fault(|| {
            message!(
                "device.value-of-type",
                "is {what}, not {wanted}",
                what = datum.what().text(),
                wanted = wanted.text()
            )
        });
    }

    fn fault(&mut self, text: impl FnOnce() -> Message) {
        if self.problem.is_none() {
            self.problem = Some(match self.path.as_slice() {
                [] => text(),
                path => message!(
                    "device.value-at-path",
                    "`{path}` {fault}",
                    path = path.join("."),
                    fault = text()
                ),
            });
        }
    }

    /// Calls for every member of an object that is not `null`.
    pub fn object<'v>(
        &mut self,
        datum: Datum<'v>,
        each: &mut dyn FnMut(&'v str, Datum<'v>, &mut FactReader),
    ) {
        let is_object = datum.members(&mut |name, member| {
            if !member.is_null() {
                each(name, member, self);
            }
        });
        if !is_object {
            self.wrong(OBJECT, datum);
        }
    }

    /// Reads a member of an object.
    pub fn member<T: ReadFact>(&mut self, name: &'static str, datum: Datum<'_>) -> T {
        self.path.push(name);
        let read = T::read(datum, self);
        self.path.pop();
        read
    }

    /// Reads an item of a list or map.
    fn item<T: ReadFact>(&mut self, datum: Datum<'_>) -> T {
        if datum.is_null() {
            T::default()
        } else {
            T::read(datum, self)
        }
    }
}

impl ReadFact for String {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        let text = datum.text();
        if text.is_none() {
            reader.wrong(STRING, datum);
        }
        text.unwrap_or_default().into_owned()
    }
}

impl ReadFact for i64 {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        let number = match datum {
            Datum::Int(number) => Some(number),
            Datum::Json(value) => value.as_i64(),
            Datum::Node(tree, node) => match tree.kind(node) {
                Kind::Int(number) => Some(number),
                Kind::Number(span) => span
                    .slice_of(tree.source())
                    .and_then(|literal| literal.parse().ok()),
                _ => None,
            },
            _ => None,
        };
        number.unwrap_or_else(|| {
            reader.wrong(INTEGER, datum);
            0
        })
    }
}

impl ReadFact for bool {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        let flag = match datum {
            Datum::Bool(flag) => Some(flag),
            Datum::Json(value) => value.as_bool(),
            Datum::Node(tree, node) => {
                if let Kind::Bool(flag) = tree.kind(node) {
                    Some(flag)
                } else {
                    None
                }
            }
            _ => None,
        };
        flag.unwrap_or_else(|| {
            reader.wrong(BOOLEAN, datum);
            false
        })
    }
}

impl ReadFact for Value {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        datum.json().unwrap_or_else(|error| {
            reader.fault(|| message!("device.value-unreadable", "cannot be read: {error}", error));
            Value::Null
        })
    }
}

impl ReadFact for Amount {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        let parsed = match (datum, datum.text()) {
            (Datum::Quantity(text), _) => Amount::printed(text),
            (_, Some(text)) => Amount::parse(text.trim()),
            _ => datum
                .json()
                .and_then(|other| Amount::parse(&other.to_string())),
        };
        parsed.unwrap_or_else(|error| {
            reader.fault(|| {
                message!(
                    "device.value-no-quantity",
                    "is not a quantity: {error}",
                    error
                )
            });
            Amount::default()
        })
    }
}

impl<T: ReadFact> ReadFact for Option<T> {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        Some(T::read(datum, reader))
    }
}

impl<T: ReadFact> ReadFact for Vec<T> {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        let mut list = Vec::with_capacity(datum.len());
        if !datum.items(&mut |item| list.push(reader.item(item))) {
            reader.wrong(LIST, datum);
        }
        list
    }
}

impl<T: ReadFact> ReadFact for Sorted<String, T> {
    fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
        let members = in_order(datum, reader);
        let mut map = Sorted::with_capacity(members.len());
        for (name, member) in members {
            map.insert(name.to_owned(), reader.item(member));
        }
        map
    }
}

/// Returns the members in the order of their names.
fn in_order<'v>(datum: Datum<'v>, reader: &mut FactReader) -> Vec<(&'v str, Datum<'v>)> {
    let mut list: Vec<(&str, Datum<'v>)> = Vec::with_capacity(datum.len());
    if !datum.members(&mut |name, member| list.push((name, member))) {
        reader.wrong(OBJECT, datum);
    }
    if list.is_sorted_by(|a, b| a.0 < b.0) {
        list
    } else {
        ordered(&list, &|(a, _), (b, _)| a.cmp(b))
    }
}
