//! Messages of protobuf as values (cel-go, `common/types/provider.go`, `NewValue`).

use std::sync::Arc;

use super::super::library::time::{Duration, Timestamp};
use super::super::messages::{MessageKind, Number};
use super::super::value::{Map, Value};

/// Returns the value of a message with these fields.
pub fn build(kind: MessageKind, name: &str, fields: &[(&str, Value)]) -> Value {
    match kind {
        MessageKind::Wrapper(number) => wrapper(number, name, field(fields, "value")),
        MessageKind::Duration => {
            let seconds = integer(field(fields, "seconds"));
            let nanos = integer(field(fields, "nanos"));
            // Seconds that do not fit give the longest duration (protobuf, `types/known/durationpb`, `AsDuration`).
            let longest = if seconds < 0 { i64::MIN } else { i64::MAX };
            let total = seconds
                .checked_mul(1_000_000_000)
                .map_or(longest, |total| total.saturating_add(nanos));
            Value::Duration(Duration(total))
        }
        MessageKind::Timestamp => {
            let seconds = integer(field(fields, "seconds"));
            let nanos = integer(field(fields, "nanos"));
            Value::Timestamp(Timestamp::of_message(seconds, nanos))
        }
        MessageKind::Struct => {
            field(fields, "fields").unwrap_or_else(|| Value::Map(Arc::new(Map::default())))
        }
        MessageKind::List => field(fields, "values").unwrap_or_else(|| Value::list(Vec::new())),
        MessageKind::Value => fields.first().map_or(Value::Null, |(name, value)| {
            if *name == "null_value" {
                Value::Null
            } else {
                value.clone()
            }
        }),
        MessageKind::Any => Value::error("unsupported conversion to ref.Val: (*dynamicpb.Message)"),
    }
}

fn field(fields: &[(&str, Value)], wanted: &str) -> Option<Value> {
    let named = fields.iter().find(|(name, _)| *name == wanted);
    named.map(|(_, value)| value.clone())
}

fn integer(value: Option<Value>) -> i64 {
    match value {
        Some(Value::Int(i)) => i,
        _ => 0,
    }
}

fn wrapper(number: Number, name: &str, value: Option<Value>) -> Value {
    let Some(value) = value else {
        return match number {
            Number::Bool => Value::Bool(false),
            Number::Bytes => Value::Bytes(Arc::from([])),
            Number::Double | Number::Float => Value::Double(0.0),
            Number::Int32 | Number::Int64 => Value::Int(0),
            Number::Uint32 | Number::Uint64 => Value::Uint(0),
            Number::String => Value::string(""),
        };
    };
    let overflow = match (number, value) {
        (Number::Int32, Value::Int(i)) if i32::try_from(i).is_err() => "integer overflow",
        (Number::Uint32, Value::Uint(u)) if u32::try_from(u).is_err() => {
            "unsigned integer overflow"
        }
        (Number::Float, Value::Double(d)) => return Value::Double(f64::from(d as f32)),
        (_, value) => return value,
    };
    Value::error(format!(
        "field type conversion error for {name}.value value type: {overflow}"
    ))
}
