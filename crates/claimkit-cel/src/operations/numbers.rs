//! Arithmetic, logic and order.

use std::cmp::Ordering;
use std::sync::Arc;

use super::super::library::time::{Duration, TimeOverflow, Timestamp};
use super::super::value::Value;
use super::{EvaluationScope, compare};

const INT_OVERFLOW: &str = "integer overflow";
const UINT_OVERFLOW: &str = "unsigned integer overflow";
const DURATION_OVERFLOW: &str = INT_OVERFLOW;

fn checked<T>(result: Option<T>, wrap: impl Fn(T) -> Value, overflow: &str) -> Value {
    result.map_or_else(|| Value::error(overflow), wrap)
}

fn sum(time: Timestamp, duration: Duration) -> Value {
    match time.plus(duration) {
        Ok(sum) => Value::Timestamp(sum),
        Err(TimeOverflow::Seconds) => Value::error(INT_OVERFLOW),
        Err(TimeOverflow::Years) => Value::error("timestamp overflow"),
    }
}

/// Computes `!a`.
pub fn not(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Bool(b)] => Value::Bool(!b),
        _ => Value::no_such_overload(),
    }
}

/// Computes `-a`.
pub fn negate(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Int(i)] => checked(i.checked_neg(), Value::Int, INT_OVERFLOW),
        [Value::Double(d)] => Value::Double(-d),
        [Value::Duration(d)] => checked(
            d.0.checked_neg(),
            |d| Value::Duration(Duration(d)),
            DURATION_OVERFLOW,
        ),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a + b`.
pub fn add(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Int(a), Value::Int(b)] => checked(a.checked_add(*b), Value::Int, INT_OVERFLOW),
        [Value::Uint(a), Value::Uint(b)] => checked(a.checked_add(*b), Value::Uint, UINT_OVERFLOW),
        [Value::Double(a), Value::Double(b)] => Value::Double(a + b),
        [Value::String(a), Value::String(b)] => {
            let length = a.len().saturating_add(b.len());
            if !scope.step(length as u64 / 64) {
                return Value::Error(Arc::new(super::too_many_steps()));
            }
            let mut text = String::with_capacity(length);
            text.push_str(a);
            text.push_str(b);
            Value::String(Arc::from(text))
        }
        [Value::Bytes(a), Value::Bytes(b)] => {
            if !scope.step((a.len().saturating_add(b.len())) as u64 / 64) {
                return Value::Error(Arc::new(super::too_many_steps()));
            }
            Value::Bytes(a.iter().chain(b.iter()).copied().collect())
        }
        [Value::List(a), Value::List(b)] => {
            if a.is_empty() {
                return Value::List(b.clone());
            }
            if b.is_empty() {
                return Value::List(a.clone());
            }
            if !scope.step((a.len().saturating_add(b.len())) as u64) {
                return Value::Error(Arc::new(super::too_many_steps()));
            }
            Value::list(a.iter().chain(b.iter()).cloned().collect())
        }
        [Value::Duration(a), Value::Duration(b)] => {
            checked(a.plus(*b), Value::Duration, DURATION_OVERFLOW)
        }
        [Value::Timestamp(a), Value::Duration(b)] | [Value::Duration(b), Value::Timestamp(a)] => {
            sum(*a, *b)
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `a - b`.
pub fn subtract(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Int(a), Value::Int(b)] => checked(a.checked_sub(*b), Value::Int, INT_OVERFLOW),
        [Value::Uint(a), Value::Uint(b)] => checked(a.checked_sub(*b), Value::Uint, UINT_OVERFLOW),
        [Value::Double(a), Value::Double(b)] => Value::Double(a - b),
        [Value::Duration(a), Value::Duration(b)] => {
            checked(a.minus(*b), Value::Duration, DURATION_OVERFLOW)
        }
        // The duration is turned round first, which one of them cannot be.
        [Value::Timestamp(a), Value::Duration(b)] => match b.negative() {
            Some(b) => sum(*a, b),
            None => Value::error(DURATION_OVERFLOW),
        },
        [Value::Timestamp(a), Value::Timestamp(b)] => {
            checked(a.since(*b), Value::Duration, DURATION_OVERFLOW)
        }
        _ => Value::no_such_overload(),
    }
}

/// Computes `a * b`.
pub fn multiply(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Int(a), Value::Int(b)] => checked(a.checked_mul(*b), Value::Int, INT_OVERFLOW),
        [Value::Uint(a), Value::Uint(b)] => checked(a.checked_mul(*b), Value::Uint, UINT_OVERFLOW),
        [Value::Double(a), Value::Double(b)] => Value::Double(a * b),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a / b`.
pub fn divide(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Value::error("division by zero")
        }
        [Value::Int(a), Value::Int(b)] => checked(a.checked_div(*b), Value::Int, INT_OVERFLOW),
        [Value::Uint(a), Value::Uint(b)] => checked(a.checked_div(*b), Value::Uint, UINT_OVERFLOW),
        [Value::Double(a), Value::Double(b)] => Value::Double(a / b),
        _ => Value::no_such_overload(),
    }
}

/// Computes `a % b`.
pub fn modulo(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Value::error("modulus by zero")
        }
        [Value::Int(a), Value::Int(b)] => checked(a.checked_rem(*b), Value::Int, INT_OVERFLOW),
        [Value::Uint(a), Value::Uint(b)] => checked(a.checked_rem(*b), Value::Uint, UINT_OVERFLOW),
        _ => Value::no_such_overload(),
    }
}

fn ordered(
    scope: &EvaluationScope<'_>,
    arguments: &[Value],
    holds: impl Fn(Ordering) -> bool,
) -> Value {
    match arguments {
        [left, right] if scope.rules().nan_is_comparable && (is_nan(left) || is_nan(right)) => {
            Value::Bool(false)
        }
        [left, right] => match compare::compare(left, right) {
            Ok(order) => Value::Bool(holds(order)),
            Err(error) => error,
        },
        _ => Value::no_such_overload(),
    }
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Double(number) if number.is_nan())
}

/// Computes `a < b`.
pub fn less(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    ordered(scope, arguments, Ordering::is_lt)
}

/// Computes `a <= b`.
pub fn less_equals(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    ordered(scope, arguments, Ordering::is_le)
}

/// Computes `a > b`.
pub fn greater(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    ordered(scope, arguments, Ordering::is_gt)
}

/// Computes `a >= b`.
pub fn greater_equals(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    ordered(scope, arguments, Ordering::is_ge)
}

/// Computes `@not_strictly_false(a)`: what ends a loop is a false, never an error.
pub fn not_strictly_false(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Bool(b)] => Value::Bool(*b),
        _ => Value::Bool(true),
    }
}
