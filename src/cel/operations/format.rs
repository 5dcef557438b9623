//! `string.format`

use super::super::environment::Rules;
use super::super::types::Type;
use super::super::value::Value;
use super::Scope;

/// Where a problem of a format is.
pub enum Place {
    /// At the format.
    Format,
    /// At the list.
    List,
    /// At an element of the list.
    Argument(usize),
}

/// What is wrong with a format and the types of its arguments.
pub fn validate(_: &Rules, _: &str, _: &[&Type]) -> Option<(Place, String)> {
    None
}

/// Formats.
pub fn format(_: &mut Scope<'_>, _: &str, _: &[Value]) -> Value {
    Value::limit("format")
}
