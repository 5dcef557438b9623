//! The difference between two objects as a JSON patch (RFC 6902).

use serde_json::{Map, Value};

/// Returns one operation.
pub fn operation(op: &str, path: &str, value: Option<&Value>) -> Value {
    let mut members = Map::new();
    members.insert("op".to_owned(), Value::String(op.to_owned()));
    members.insert("path".to_owned(), Value::String(path.to_owned()));
    if let Some(value) = value {
        members.insert("value".to_owned(), value.clone());
    }
    Value::Object(members)
}

/// Adds the difference between two values, as JSON patch operations.
pub fn differences(old: &Value, new: &Value, path: &mut String, out: &mut Vec<Value>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Object(before), Value::Object(after)) => {
            for (name, old) in before {
                difference_below(path, name, Some(old), after.get(name), out);
            }
            for (name, new) in after
                .iter()
                .filter(|(name, _)| !before.contains_key(name.as_str()))
            {
                difference_below(path, name, None, Some(new), out);
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() <= after.len() => {
            for (at, new) in after.iter().enumerate() {
                difference_below(path, &at.to_string(), before.get(at), Some(new), out);
            }
        }
        _ => out.push(operation("replace", path, Some(new))),
    }
}

/// Adds the difference between two members or items of one name.
fn difference_below(
    path: &mut String,
    name: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    out: &mut Vec<Value>,
) {
    let len = path.len();
    path.push('/');
    path.push_str(&name.replace('~', "~0").replace('/', "~1"));
    match (old, new) {
        (Some(old), Some(new)) => differences(old, new, path, out),
        (Some(_), None) => out.push(operation("remove", path, None)),
        (None, Some(new)) => out.push(operation("add", path, Some(new))),
        (None, None) => {}
    }
    path.truncate(len);
}
