//! Conversions between types.

use std::sync::Arc;

use super::super::library::float;
use super::super::library::time::{Duration, Timestamp, TimestampRefusal};
use super::super::types::Type;
use super::super::value::Value;
use super::EvaluationScope;

fn fails(from: &Value, to: &str) -> Value {
    Value::error(format!(
        "type conversion error from '{}' to '{to}'",
        from.type_name()
    ))
}

/// Computes `dyn(a)` and conversions to the same type.
pub fn same(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    arguments.first().cloned().unwrap_or(Value::Null)
}

/// Computes `type(a)`.
pub fn type_of(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    arguments
        .first()
        .map_or(Value::Null, |value| Value::Type(Arc::new(value.type_of())))
}

/// Computes `int(a)`.
pub fn to_int(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    const OVERFLOW: &str = "integer overflow";
    match arguments {
        [Value::Int(i)] => Value::Int(*i),
        [Value::Uint(u)] => i64::try_from(*u).map_or_else(|_| Value::error(OVERFLOW), Value::Int),
        [Value::Double(d)]
            if *d > -9_223_372_036_854_775_808.0 && *d < 9_223_372_036_854_775_808.0 =>
        {
            Value::Int(*d as i64)
        }
        [Value::Double(_)] => Value::error(OVERFLOW),
        [Value::String(s)] => s
            .parse()
            .map_or_else(|_| fails(&Value::String(s.clone()), "int"), Value::Int),
        [Value::Timestamp(t)] => Value::Int(t.seconds()),
        [Value::Duration(d)] => Value::Int(d.0),
        _ => Value::no_such_overload(),
    }
}

/// Computes `uint(a)`.
pub fn to_uint(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    const OVERFLOW: &str = "unsigned integer overflow";
    match arguments {
        [Value::Uint(u)] => Value::Uint(*u),
        [Value::Int(i)] => u64::try_from(*i).map_or_else(|_| Value::error(OVERFLOW), Value::Uint),
        [Value::Double(d)] if *d >= 0.0 && *d < 18_446_744_073_709_551_616.0 => {
            Value::Uint(*d as u64)
        }
        [Value::Double(_)] => Value::error(OVERFLOW),
        [Value::String(s)] if claimkit_values::has_only_digits(s) => s
            .parse()
            .map_or_else(|_| fails(&Value::String(s.clone()), "uint"), Value::Uint),
        [value @ Value::String(_)] => fails(value, "uint"),
        _ => Value::no_such_overload(),
    }
}

/// Computes `double(a)`.
pub fn to_double(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Double(d)] => Value::Double(*d),
        [Value::Int(i)] => Value::Double(*i as f64),
        [Value::Uint(u)] => Value::Double(*u as f64),
        [value @ Value::String(s)] => {
            float::parse(s).map_or_else(|| fails(value, "double"), Value::Double)
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `string(a)`.
pub fn to_string(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Bytes(b)] => match std::str::from_utf8(b) {
            Ok(text) => Value::string(text),
            Err(_) => Value::error("invalid UTF-8 in bytes, cannot convert to string"),
        },
        [Value::String(s)] => Value::String(s.clone()),
        [Value::Duration(d)] => Value::string(d.to_string()),
        [Value::Timestamp(t)] => Value::string(t.to_string()),
        [value] => Value::string(value.to_string()),
        _ => Value::no_such_overload(),
    }
}

/// Computes `bytes(a)`.
pub fn to_bytes(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Bytes(b)] => Value::Bytes(b.clone()),
        [Value::String(s)] => Value::Bytes(Arc::from(s.as_bytes())),
        _ => Value::no_such_overload(),
    }
}

/// Computes `bool(a)`.
pub fn to_bool(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Bool(b)] => Value::Bool(*b),
        [value @ Value::String(s)] => match &**s {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => Value::Bool(true),
            "0" | "f" | "F" | "false" | "FALSE" | "False" => Value::Bool(false),
            _ => fails(value, "bool"),
        },
        _ => Value::no_such_overload(),
    }
}

/// Computes `duration(a)`.
pub fn to_duration(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Duration(d)] => Value::Duration(*d),
        // The signature exists up to 1.36, the conversion does not.
        [value @ Value::Int(_)] => fails(value, Type::Duration.name()),
        [value @ Value::String(s)] => {
            Duration::parse(s).map_or_else(|| fails(value, Type::Duration.name()), Value::Duration)
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `timestamp(a)`.
pub fn to_timestamp(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Timestamp(t)] => Value::Timestamp(*t),
        [Value::Int(i)] => Timestamp::from_seconds(*i)
            .map_or_else(|| Value::error("timestamp overflow"), Value::Timestamp),
        [value @ Value::String(s)] => match Timestamp::parse(s) {
            Ok(time) => Value::Timestamp(time),
            Err(TimestampRefusal::Overflow) => Value::error("timestamp overflow"),
            Err(TimestampRefusal::Text) => fails(value, Type::Timestamp.name()),
        },
        _ => Value::no_such_overload(),
    }
}
