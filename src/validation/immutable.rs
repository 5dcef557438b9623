//! Immutable values, and semantic equality of values (apimachinery,
//! pkg/api/validation/objectmeta.go, `ValidateImmutableField`; pkg/api/equality/semantic.go).

use crate::validation::errors::{Bad, Errors};
use claimkit_model::finding::{Code, Path};
use claimkit_model::message::{Message, message};
use claimkit_model::object::view::Slot;
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::FieldType;
use claimkit_values::quantity;

/// The message of the server.
pub const MESSAGE: &str = "field is immutable";

/// Checks that a struct does not change; the error shows the new one in Go syntax.
pub fn record(
    code: Code,
    path: &Path<'_>,
    new: &Record<'_>,
    old: &Record<'_>,
    errors: &mut Errors,
) {
    if !same_record(new, old) {
        errors.invalid(code, path, Bad::Record(new), MESSAGE);
    }
}

/// Compares by semantic equality: nil and empty lists and maps are the same, a value that was not given is Go's zero value, times
/// are compared as instants, quantities by their amount (`1Ki` is `1024`), verbatim JSON byte by byte. Recursion is bounded by
/// the depth of the tables.
pub fn same_record(a: &Record<'_>, b: &Record<'_>) -> bool {
    a.schema
        .fields
        .iter()
        .zip(&a.slots)
        .zip(&b.slots)
        .all(|((field, a), b)| same_value(&field.ty, a, b))
}

/// Compares as [`same_record`] does one field of two structs of the same type.
pub fn same_field(a: Slot<'_>, b: Slot<'_>) -> bool {
    a.field()
        .is_some_and(|field| same_value(&field.ty, a.value(), b.value()))
}

/// Compares as [`same_record`] does one value of a type.
pub fn same_value(ty: &FieldType, a: &FieldValue<'_>, b: &FieldValue<'_>) -> bool {
    match ty {
        FieldType::String
        | FieldType::Named(..)
        | FieldType::Uid
        | FieldType::Raw
        | FieldType::FieldsV1 => a.as_str() == b.as_str(),
        FieldType::Quantity => {
            a.as_str() == b.as_str() || quantity::same_amount(a.as_str(), b.as_str())
        }
        FieldType::Bool => {
            matches!(a, FieldValue::Bool(true)) == matches!(b, FieldValue::Bool(true))
        }
        FieldType::Int64 | FieldType::Int32 => int(a) == int(b),
        FieldType::Time => time(a).same_instant(time(b)),
        FieldType::StringMap => entries(a) == entries(b),
        FieldType::Map(map) => {
            let (a, b) = (values(a), values(b));
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|((key, a), (other, b))| key == other && same_value(&map.value, a, b))
        }
        FieldType::Struct(schema) => match (a.as_record(), b.as_record()) {
            (Some(a), Some(b)) => same_record(a, b),
            (None, None) => true,
            (Some(one), None) | (None, Some(one)) => same_record(one, &Record::empty(schema)),
        },
        FieldType::Pointer(inner) => match (a, b) {
            (FieldValue::Unset, FieldValue::Unset) => true,
            (FieldValue::Unset, _) | (_, FieldValue::Unset) => false,
            (a, b) => same_value(inner, a, b),
        },
        FieldType::List(inner) => {
            let (a, b) = (items(a), items(b));
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_value(inner, a, b))
        }
    }
}

/// Returns the differences between two structs: the path to the outermost differing field that is not a struct on both sides,
/// with its new and stored value. Recursion is bounded by the depth of the tables.
pub fn differences<'r>(new: &'r Record<'r>, old: &'r Record<'r>) -> Vec<Difference<'r>> {
    let mut found = Vec::new();
    for ((field, new), old) in new.schema.fields.iter().zip(&new.slots).zip(&old.slots) {
        if same_value(&field.ty, new, old) {
            continue;
        }
        match (new, old) {
            (FieldValue::Struct(new), FieldValue::Struct(old)) => {
                found.extend(differences(new, old).into_iter().map(|mut inner| {
                    inner.path.insert(0, field.json);
                    inner
                }));
            }
            (new, old) => found.push(Difference {
                path: vec![field.json],
                new,
                old,
            }),
        }
    }
    found
}

/// A field that was changed.
#[derive(Clone, Debug)]
pub struct Difference<'r> {
    /// JSON names from the struct to the field.
    pub path: Vec<&'static str>,
    pub new: &'r FieldValue<'r>,
    pub old: &'r FieldValue<'r>,
}

impl Difference<'_> {
    /// Describes the difference, e.g. `` `allocationMode` is `WaitForFirstConsumer`, stored is `Immediate` ``.
    pub fn sentence(&self) -> Message {
        let path = self.path.join(".");
        match (quoted_scalar(self.new), quoted_scalar(self.old)) {
            (Some(new), Some(old)) => message!(
                "update.is",
                "`{path}` is {new}, stored is {old}",
                path,
                new,
                old
            ),
            (None, Some(old)) if matches!(self.new, FieldValue::Unset) => {
                message!(
                    "update.is-not-set",
                    "`{path}` is not set, stored is {old}",
                    path,
                    old
                )
            }
            (Some(new), None) if matches!(self.old, FieldValue::Unset) => {
                message!(
                    "update.was-not-set",
                    "`{path}` is {new}, stored is not set",
                    path,
                    new
                )
            }
            (None, None) if matches!(self.old, FieldValue::Unset) => {
                message!("update.is-set", "`{path}` is set, stored is not set", path)
            }
            (None, None) if matches!(self.new, FieldValue::Unset) => {
                message!("update.is-gone", "`{path}` is not set, but is stored", path)
            }
            _ => message!(
                "update.differs",
                "`{path}` differs from what is stored",
                path
            ),
        }
    }
}

fn int(value: &FieldValue<'_>) -> i64 {
    if let FieldValue::Int(n) = value {
        *n
    } else {
        0
    }
}

fn time(value: &FieldValue<'_>) -> claimkit_values::time::Time {
    if let FieldValue::Time(time) = value {
        *time
    } else {
        claimkit_values::time::Time::default()
    }
}

fn entries<'v, 't>(
    value: &'v FieldValue<'t>,
) -> &'v [(std::borrow::Cow<'t, str>, std::borrow::Cow<'t, str>)] {
    if let FieldValue::Map(entries) = value {
        entries
    } else {
        &[]
    }
}

fn values<'v, 't>(value: &'v FieldValue<'t>) -> &'v [(std::borrow::Cow<'t, str>, FieldValue<'t>)] {
    if let FieldValue::Entries(entries) = value {
        entries
    } else {
        &[]
    }
}

fn items<'v, 't>(value: &'v FieldValue<'t>) -> &'v [FieldValue<'t>] {
    if let FieldValue::List(items) = value {
        items
    } else {
        &[]
    }
}

/// Returns a short value in backticks; `None`: it has parts, or is long.
fn quoted_scalar(value: &FieldValue<'_>) -> Option<String> {
    match value {
        FieldValue::Str(text) if text.len() <= 80 => Some(format!("`{text}`")),
        FieldValue::Bool(flag) => Some(format!("`{flag}`")),
        FieldValue::Int(number) => Some(format!("`{number}`")),
        _ => None,
    }
}
