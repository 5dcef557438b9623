//! Patched values as the server prints and holds them: JSON by Go's encoder, and numbers of maps.

use super::sorted;
use claimkit_model::schema::FieldType;
use claimkit_model::text::print as text;
use serde_json::Value;

/// Returns a value that the server keeps as JSON text, as Go's JSON encoder prints it: keys in their order, numbers as written, without
/// blanks.
pub fn print_text(value: &Value) -> String {
    let mut out = String::new();
    print(value, Numbers::Literal, &mut out);
    out
}

/// Returns a value that the server holds as a map, as Go's JSON encoder prints it: keys sorted, numbers as `int64` or `float64`, without
/// blanks.
pub fn print_map(value: &Value) -> String {
    let mut out = String::new();
    print(&sorted(value), Numbers::Typed, &mut out);
    out
}

/// The way in which numbers are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// As in the text that was read. The text is not kept, so numbers are taken to be written as JSON encoders write them.
    Literal,
    /// As `int64` or `float64`.
    Typed,
}

/// Appends a value as Go's JSON encoder prints it. Recursion is bounded by the depth of objects.
fn print(value: &Value, numbers: Numbers, out: &mut String) {
    match value {
        Value::String(text) => claimkit_values::json_quote_into(out, text),
        Value::Number(number) => match number.as_f64() {
            // A whole number that was written with a point keeps it in a text.
            Some(float)
                if numbers == Numbers::Literal
                    && number.is_f64()
                    && float.fract() == 0.0
                    && float.abs() < 1e21 =>
            {
                out.push_str(&number.to_string());
            }
            Some(float)
                if number.as_i64().is_none() && (number.is_f64() || numbers == Numbers::Typed) =>
            {
                text::float(float, out);
            }
            _ => out.push_str(&number.to_string()),
        },
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                print(item, numbers, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                claimkit_values::json_quote_into(out, key);
                out.push(':');
                print(value, numbers, out);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) => out.push_str(&value.to_string()),
    }
}

/// Truncates the integers of 32-bit fields of a map, as Go's conversion of integers does (apimachinery 1.37, pkg/runtime/converter.go,
/// `fromUnstructured`). Recursion is bounded by the depth of the tables.
pub fn truncate_integers(ty: &FieldType, value: &mut Value) {
    match (ty, value) {
        (FieldType::Pointer(inner), value) => truncate_integers(inner, value),
        (FieldType::Int32, Value::Number(number)) => {
            if let Some(whole) = number.as_i64() {
                *number = (whole as i32).into();
            }
        }
        (FieldType::List(inner), Value::Array(items)) => items
            .iter_mut()
            .for_each(|item| truncate_integers(inner, item)),
        (FieldType::Map(map), Value::Object(entries)) => entries
            .values_mut()
            .for_each(|entry| truncate_integers(&map.value, entry)),
        (FieldType::Struct(schema), Value::Object(members)) => {
            for field in schema.fields {
                if let Some(member) = members.get_mut(field.json) {
                    truncate_integers(&field.ty, member);
                }
            }
        }
        _ => {}
    }
}
