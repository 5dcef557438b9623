//! Merge patch (RFC 7386) as kube-apiserver's library carries it out.

use super::json::sort_keys;
use super::{PatchRefusal, go_kind};
use serde_json::{Map, Value};

/// Returns the document after the patch.
pub fn apply(document: &Value, patch: &Value) -> Result<Value, PatchRefusal> {
    match patch {
        Value::Object(_) => {
            let mut merged = document.clone();
            merge(&mut merged, patch);
            Ok(merged)
        }
        Value::Null => Err(PatchRefusal::BadRequest("Invalid JSON Patch".to_owned())),
        _ => Err(PatchRefusal::BadRequest(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
            go_kind(patch)
        ))),
    }
}

/// Merges one value into another.
fn merge(into: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *into = patch.clone();
        return;
    };
    if !into.is_object() {
        *into = Value::Object(Map::new());
    }
    let Value::Object(map) = into else { return };
    for (key, change) in changes {
        match (map.get_mut(key), change) {
            (_, Value::Null) => drop(map.swap_remove(key)),
            (Some(here), Value::Object(_)) if here.is_object() => merge(here, change),
            // The library does not look into a list or scalar that replaces a map.
            (Some(here), _) if here.is_object() => *here = change.clone(),
            _ => {
                let mut new = change.clone();
                prune(&mut new);
                map.insert(key.clone(), new);
            }
        }
    }
    // The library prints a map that it has read with sorted keys.
    sort_keys(map);
}

/// Removes nulls from new values, where they have nothing to delete; the library also drops nulls in objects inside lists.
fn prune(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.iter_mut().for_each(|(_, value)| prune(value));
        }
        Value::Array(items) => items.iter_mut().for_each(prune),
        _ => {}
    }
}
