//! Which values an operator can have on its left (cel-go's traits of types, `common/types/traits`).

use super::super::value::Value;

/// Accepts every value.
pub fn any(_: &Value) -> bool {
    true
}

/// Returns true for values that can be sent a function by its name: cel-go asks those for `matches` itself.
pub fn a_message(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::Timestamp(_) | Value::Duration(_)
    )
}

/// Returns true for values with a sign.
pub fn negatable(value: &Value) -> bool {
    matches!(
        value,
        Value::Int(_) | Value::Double(_) | Value::Bool(_) | Value::Duration(_)
    )
}

/// Returns true for values that can be added.
pub fn addable(value: &Value) -> bool {
    subtractable(value) || matches!(value, Value::String(_) | Value::Bytes(_) | Value::List(_))
}

/// Returns true for values that can be subtracted from.
pub fn subtractable(value: &Value) -> bool {
    a_number(value) || matches!(value, Value::Duration(_) | Value::Timestamp(_))
}

/// Accepts numbers of all types.
pub fn a_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_) | Value::Double(_))
}

/// Accepts signed and unsigned integers.
pub fn an_integer(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Uint(_))
}

/// Returns true for values with an order.
pub fn ordered(value: &Value) -> bool {
    subtractable(value) || matches!(value, Value::Bool(_) | Value::String(_) | Value::Bytes(_))
}

/// Returns true for values with a size.
pub fn sized(value: &Value) -> bool {
    matches!(
        value,
        Value::String(_) | Value::Bytes(_) | Value::List(_) | Value::Map(_)
    )
}

/// Accepts lists of any type.
pub fn a_list(value: &Value) -> bool {
    matches!(value, Value::List(_))
}
