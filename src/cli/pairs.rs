//! Options whose value is a list of `NAME=VALUE`: feature gates, labels of a namespace.

use super::Host;
use super::arguments::Arguments;
use serde_json::{Map, Value};

/// The feature gates that `--gates` sets. The outer `None`, told on standard error: they cannot be read; the inner: there are none.
pub fn gates(arguments: &Arguments, host: &mut dyn Host) -> Option<Option<Value>> {
    pairs(arguments, "gates", "NAME=true` or `NAME=false", host, |value| value.parse().ok().map(Value::Bool))
}

/// The labels that `--namespace-labels` gives, in the same way. An empty list says that there are none.
pub fn labels(arguments: &Arguments, host: &mut dyn Host) -> Option<Option<Value>> {
    pairs(arguments, "namespace-labels", "KEY=VALUE", host, |value| Some(Value::from(value)))
}

fn pairs(
    arguments: &Arguments,
    option: &'static str,
    form: &str,
    host: &mut dyn Host,
    read: impl Fn(&str) -> Option<Value>,
) -> Option<Option<Value>> {
    if !arguments.has(option) {
        return Some(None);
    }
    let mut map = Map::new();
    for pair in arguments.values(option).flat_map(|text| text.split(',')).filter(|pair| !pair.is_empty()) {
        match pair.split_once('=').and_then(|(name, value)| Some((name, read(value)?))) {
            Some((name, value)) => map.insert(name.to_owned(), value),
            None => {
                host.err(&format!("claimkit: `--{option} {pair}`: write `{form}`\n"));
                return None;
            }
        };
    }
    Some(Some(Value::Object(map)))
}
