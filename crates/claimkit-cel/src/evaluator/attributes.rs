//! Selection of parts of values by names, keys and indices (cel-go, `interpreter/attributes.go`).

use std::borrow::Cow;

use super::super::value::{Value, exact_int};

/// The result of a selection.
pub(super) enum Found<'v> {
    Part(Cow<'v, Value>),
    /// The part does not exist; holds the error to report if it must.
    Nothing(Value),
    /// The value does not support this kind of selection.
    Failure(Value),
}

/// Checks that Go's qualifiers know this type of key.
pub(super) fn can_qualify(key: &Value) -> Result<(), String> {
    match key {
        Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_) => {
            Ok(())
        }
        other => Err(format!("invalid qualifier type: {}", go_type(other))),
    }
}

/// Returns the name of the Go type that holds a value.
pub(in super::super) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Error(_) => "*types.Err",
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Duration(_) => "types.Duration",
        Value::Timestamp(_) => "types.Timestamp",
        Value::List(_) => "*types.baseList",
        Value::Map(_) => "*types.baseMap",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        Value::Quantity(..) => "cel.Quantity",
        Value::Version(_) => "cel.Semver",
        Value::Url(_) => "cel.URL",
        Value::Address(_) => "cel.IP",
        Value::Network(_) => "cel.CIDR",
        Value::Format(_) => "*cel.Format",
    }
}

/// Returns the error of a list with an optional element whose value is not optional.
pub(in super::super) fn not_optional_element(value: &Value) -> String {
    format!("cannot initialize optional list element from non-optional value {value}")
}

/// Returns the error of a map with an optional entry whose value is not optional.
pub(in super::super) fn not_optional_entry(key: &Value, value: &Value) -> String {
    format!("cannot initialize optional entry '{key}' from non-optional value {value}")
}

/// Returns the error for a value that makes Go panic when it is used as a map key; `None` for other values.
pub(in super::super) fn unhashable(value: &Value) -> Option<String> {
    matches!(value, Value::Version(_) | Value::Bytes(_)).then(|| {
        format!(
            "internal error: runtime error: hash of unhashable type {}",
            go_type(value)
        )
    })
}

/// Returns the part of a value that a key selects; borrowed if the value is borrowed, otherwise owned.
pub(super) fn part<'a>(of: &Cow<'a, Value>, key: &Value) -> Found<'a> {
    match of {
        Cow::Borrowed(value) => find(value, key),
        Cow::Owned(value) => match find(value, key) {
            Found::Part(part) => Found::Part(Cow::Owned(part.into_owned())),
            Found::Nothing(error) => Found::Nothing(error),
            Found::Failure(error) => Found::Failure(error),
        },
    }
}

fn whole(index: &Value) -> Option<i64> {
    match index {
        Value::Uint(index) => i64::try_from(*index).ok(),
        Value::Double(index) => exact_int(*index),
        _ => None,
    }
}

fn find<'v>(of: &'v Value, key: &Value) -> Found<'v> {
    match of {
        Value::Error(_) => Found::Failure(of.clone()),
        Value::Map(map) => match map.find(key) {
            // A value that cannot be read fails when it is asked for.
            Some(Value::Error(error)) => Found::Failure(Value::Error(error.clone())),
            Some(part) => Found::Part(Cow::Borrowed(part)),
            None => Found::Nothing(Value::error(format!("no such key: {key}"))),
        },
        Value::List(list) => {
            let index = match key {
                Value::Int(index) => *index,
                Value::Uint(_) | Value::Double(_) => match whole(key) {
                    Some(index) => index,
                    None => {
                        return Found::Failure(Value::error(format!(
                            "unsupported index value {key} in list"
                        )));
                    }
                },
                _ => {
                    return Found::Failure(Value::error(format!(
                        "unsupported index type '{}' in list",
                        key.type_name()
                    )));
                }
            };
            match usize::try_from(index)
                .ok()
                .and_then(|index| list.get(index))
            {
                Some(part) => Found::Part(Cow::Borrowed(part)),
                None => Found::Nothing(Value::error(format!("index out of bounds: {key}"))),
            }
        }
        _ => Found::Nothing(Value::error(format!("no such key: {key}"))),
    }
}
