//! Options whose value is a list of `NAME=VALUE`: feature gates, labels of a namespace.

use super::Host;
use super::arguments::Arguments;
use serde_json::{Map, Value};

/// The feature gates given, in the syntax of the Kubernetes components; `None` if none was given.
///
/// # Errors
/// The first malformed pair.
pub fn read_gates(arguments: &Arguments) -> Result<Option<Map<String, Value>>, String> {
    pairs(arguments, "gates", "NAME=true` or `NAME=false", |value| match value {
        "true" | "True" | "TRUE" | "t" | "T" | "1" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" | "f" | "F" | "0" => Some(Value::Bool(false)),
        _ => None,
    })
}

/// The labels of the namespace; `None` if they are unknown. An empty value means that there are no labels.
///
/// # Errors
/// The first malformed pair.
pub fn read_labels(arguments: &Arguments) -> Result<Option<Map<String, Value>>, String> {
    pairs(arguments, "namespace-labels", "KEY=VALUE", |value| Some(Value::from(value)))
}

/// The feature gates. Outer `None`: they are malformed, and standard error says why. Inner `None`: none was given.
pub fn gates(arguments: &Arguments, host: &mut dyn Host) -> Option<Option<Value>> {
    told(read_gates(arguments), host)
}

/// The labels of the namespace, in the same way.
pub fn labels(arguments: &Arguments, host: &mut dyn Host) -> Option<Option<Value>> {
    told(read_labels(arguments), host)
}

fn told(read: Result<Option<Map<String, Value>>, String>, host: &mut dyn Host) -> Option<Option<Value>> {
    match read {
        Ok(map) => Some(map.map(Value::Object)),
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            None
        }
    }
}

fn pairs(
    arguments: &Arguments,
    option: &'static str,
    form: &str,
    read: impl Fn(&str) -> Option<Value>,
) -> Result<Option<Map<String, Value>>, String> {
    if !arguments.has(option) {
        return Ok(None);
    }
    let mut map = Map::new();
    for pair in arguments.values(option).flat_map(|text| text.split(',')).filter(|pair| !pair.is_empty()) {
        let read = pair.split_once('=').and_then(|(name, value)| Some((name, read(value)?)));
        let (name, value) = read.ok_or_else(|| format!("`--{option} {pair}`: write `{form}`"))?;
        map.insert(name.to_owned(), value);
    }
    Ok(Some(map))
}
