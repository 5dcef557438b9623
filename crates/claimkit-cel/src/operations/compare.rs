//! Equality and order of values.

use std::cmp::Ordering;

use super::super::value::{Map, QuantityOrigin, Value};
use super::EvaluationScope;

/// Deepest values that are compared. Expressions are not nested deeper, and values only as deep as expressions.
const DEEPEST: u32 = 300;

/// Computes `left == right`: a boolean, or an error if the left value cannot be compared with other types.
pub fn equal(scope: &mut EvaluationScope<'_>, left: &Value, right: &Value) -> Value {
    equal_at(scope, left, right, 0)
}

/// Returns true if two values are equal; what cannot be compared is not.
pub fn is_equal(scope: &mut EvaluationScope<'_>, left: &Value, right: &Value) -> bool {
    matches!(equal(scope, left, right), Value::Bool(true))
}

fn equal_at(scope: &mut EvaluationScope<'_>, left: &Value, right: &Value, depth: u32) -> Value {
    if !scope.step(1) || depth > DEEPEST {
        return Value::Bool(false);
    }
    let deeper = depth.saturating_add(1);
    match (left, right) {
        (Value::Null, Value::Null) => Value::Bool(true),
        (Value::Null, _) | (_, Value::Null) => Value::Bool(false),
        (Value::Bool(left), Value::Bool(right)) => Value::Bool(left == right),
        (
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
        ) => Value::Bool(compare_numbers(left, right) == Some(Ordering::Equal)),
        (Value::String(left), Value::String(right)) => Value::Bool(left == right),
        (Value::Bytes(left), Value::Bytes(right)) => Value::Bool(left == right),
        (Value::Duration(left), Value::Duration(right)) => Value::Bool(left.0 == right.0),
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            Value::Bool(left.instant() == right.instant())
        }
        (Value::Type(left), Value::Type(right)) => Value::Bool(left.name() == right.name()),
        (Value::Optional(left), Value::Optional(right)) => match (left, right) {
            // Here upstream asks the left value, which does not take `null` if it is one of Kubernetes.
            (Some(left), Some(right)) if matches!(**right, Value::Null) && left.is_object() => {
                Value::no_such_overload()
            }
            (Some(left), Some(right)) => equal_at(scope, left, right, deeper),
            (left, right) => Value::Bool(left.is_none() && right.is_none()),
        },
        (Value::List(left), Value::List(right)) => {
            let mut pairs = left.iter().zip(right.iter());
            let is_equal = left.len() == right.len()
                && pairs.all(|(left, right)| {
                    !matches!(equal_at(scope, left, right, deeper), Value::Bool(false))
                });
            Value::Bool(is_equal)
        }
        (Value::Map(left), Value::Map(right)) => equal_maps(scope, left, right, deeper),
        _ if left.is_object() => equal_objects(scope, left, right),
        _ => Value::Bool(false),
    }
}

fn equal_maps(scope: &mut EvaluationScope<'_>, left: &Map, right: &Map, depth: u32) -> Value {
    if left.len() != right.len() {
        return Value::Bool(false);
    }
    for (key, value) in left.entries() {
        // An attribute that cannot be read.
        if left.is_read_when_asked() && value.is_error() {
            return value.clone();
        }
        let Some(other) = right.find(key) else {
            return Value::Bool(false);
        };
        match equal_at(scope, value, other, depth) {
            Value::Bool(true) => {}
            Value::Bool(false) => return Value::Bool(false),
            error @ Value::Error(_) if left.is_read_when_asked() => return error,
            _ => {}
        }
    }
    Value::Bool(true)
}

/// Compares a value of Kubernetes' own types, which takes no value of another type.
fn equal_objects(scope: &EvaluationScope<'_>, left: &Value, right: &Value) -> Value {
    Value::Bool(match (left, right) {
        (Value::Quantity(left, _), Value::Quantity(right, QuantityOrigin::Read)) => {
            let (left, right) = (scope.shared.now(left), scope.shared.now(right));
            left.compare(right) == Ordering::Equal
        }
        (Value::Version(left), Value::Version(right)) => left.compare(right) == Ordering::Equal,
        (Value::Url(left), Value::Url(right)) => left.to_string() == right.to_string(),
        (Value::Address(left), Value::Address(right)) => left == right,
        (Value::Network(left), Value::Network(right)) => left == right,
        (Value::Format(left), Value::Format(right)) => left.name == right.name,
        _ => return Value::no_such_overload(),
    })
}

/// Returns the order of two numbers of any types. None if one is NaN.
pub fn compare_numbers(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        // cel-go rounds the integer.
        (Value::Double(left), _) => left.partial_cmp(&rounded(right)?),
        (_, Value::Double(right)) => rounded(left)?.partial_cmp(right),
        _ => Some(integer(left)?.cmp(&integer(right)?)),
    }
}

fn rounded(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Uint(u) => Some(*u as f64),
        _ => None,
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Int(i) => Some(i128::from(*i)),
        Value::Uint(u) => Some(i128::from(*u)),
        _ => None,
    }
}

/// Returns the order of two values; an error if they have none.
pub fn compare(left: &Value, right: &Value) -> Result<Ordering, Value> {
    if matches!(left, Value::Double(left) if left.is_nan()) {
        return Err(Value::error("NaN values cannot be ordered"));
    }
    Ok(match (left, right) {
        (
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
            Value::Int(_) | Value::Uint(_) | Value::Double(_),
        ) => {
            return compare_numbers(left, right)
                .ok_or_else(|| Value::error("NaN values cannot be ordered"));
        }
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
        (Value::Duration(left), Value::Duration(right)) => left.0.cmp(&right.0),
        (Value::Timestamp(left), Value::Timestamp(right)) => left.instant().cmp(&right.instant()),
        _ => return Err(Value::no_such_overload()),
    })
}
