//! Values made from Rust's, and printed for people.

use super::{Map, Number, Value, print};

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(Number::Unsigned(number))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Value::from(number as u64)
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Value::Array(items)
    }
}

impl From<Vec<&str>> for Value {
    fn from(items: Vec<&str>) -> Self {
        Value::Array(items.into_iter().map(Value::from).collect())
    }
}

impl<const N: usize> From<[(&str, Value); N]> for Value {
    fn from(members: [(&str, Value); N]) -> Self {
        Value::Object(members.map(|(name, value)| (name.to_owned(), value)).into_iter().collect::<Map>())
    }
}

impl Value {
    /// `true`, `false`
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// An integer from 0.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Number(Number::Unsigned(number)) => Some(*number),
            _ => None,
        }
    }

    /// JSON over many lines, two spaces deeper at each level.
    pub fn pretty(&self) -> String {
        let mut out = String::new();
        self.write_pretty(&mut out, 0);
        out
    }

    fn write_pretty(&self, out: &mut String, depth: usize) {
        let inner = depth.saturating_add(1);
        match self {
            Value::Array(items) if !items.is_empty() => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    line(out, index > 0, inner);
                    item.write_pretty(out, inner);
                }
                line(out, false, depth);
                out.push(']');
            }
            Value::Object(members) if !members.is_empty() => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    line(out, index > 0, inner);
                    out.push_str(&print(name));
                    out.push_str(": ");
                    value.write_pretty(out, inner);
                }
                line(out, false, depth);
                out.push('}');
            }
            other => out.push_str(&print(other)),
        }
    }
}

/// Begins a line.
fn line(out: &mut String, comma: bool, depth: usize) {
    out.push_str(if comma { ",\n" } else { "\n" });
    (0..depth).for_each(|_| out.push_str("  "));
}
