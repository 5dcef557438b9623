//! Optional values (cel-go, `cel/library.go`).

use std::sync::Arc;

use super::super::value::Value;
use super::EvaluationScope;

fn some(value: &Value) -> Value {
    Value::Optional(Some(Arc::new(value.clone())))
}

/// Computes `optional.of(a)`.
pub fn of(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    arguments.first().map_or(Value::Optional(None), some)
}

/// Computes `optional.none()`.
pub fn none(_: &mut EvaluationScope<'_>, _: &[Value]) -> Value {
    Value::Optional(None)
}

/// Computes `optional.ofNonZeroValue(a)`.
pub fn of_non_zero_value(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    arguments
        .first()
        .filter(|value| !value.is_zero())
        .map_or(Value::Optional(None), some)
}

/// Computes `a.hasValue()`.
pub fn has_value(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    Value::Bool(matches!(arguments, [Value::Optional(Some(_))]))
}

/// Computes `a.value()`.
pub fn value(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Optional(Some(inner))] => (**inner).clone(),
        _ => Value::error("optional.none() dereference"),
    }
}

/// Computes `a.or(b)`, where the evaluator does not do it.
pub fn or(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Optional(None), other] => other.clone(),
        [first, ..] => first.clone(),
        [] => Value::no_such_overload(),
    }
}

/// Computes `a.orValue(b)`, where the evaluator does not do it.
pub fn or_value(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::Optional(Some(inner)), _] => (**inner).clone(),
        [_, other] => other.clone(),
        _ => Value::no_such_overload(),
    }
}

/// Computes `list.unwrapOpt()`, `optional.unwrap(list)`.
pub fn unwrap(scope: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    let [Value::List(list)] = arguments else {
        return Value::no_such_overload();
    };
    let mut found = Vec::new();
    scope.step(list.len() as u64);
    for element in list.iter() {
        match element {
            Value::Optional(inner) => found.extend(inner.as_ref().map(|inner| (**inner).clone())),
            other => {
                return Value::error(format!("value {other} is not optional"));
            }
        }
    }
    Value::list(found)
}

/// Computes `list.first()`.
pub fn first(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::List(list)] => list.first().map_or(Value::Optional(None), some),
        _ => Value::no_such_overload(),
    }
}

/// Computes `list.last()`.
pub fn last(_: &mut EvaluationScope<'_>, arguments: &[Value]) -> Value {
    match arguments {
        [Value::List(list)] => list.last().map_or(Value::Optional(None), some),
        _ => Value::no_such_overload(),
    }
}
