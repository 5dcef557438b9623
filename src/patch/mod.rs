//! Patches: what a stored object would become, by the four types kube-apiserver takes.
//!
//! | file | patch type | stands for |
//! |---|---|---|
//! | `json.rs` | `json` | RFC 6902 as the server's library reads it |
//! | `merge.rs` | `merge` | RFC 7386 |
//! | `strategic.rs` | `strategic` | strategic merge patch, list semantics from the schema tables of the release |
//! | `apply.rs` | `apply` | server-side apply: merge, ownership, conflicts, pruning |
//! | `difference.rs` | | what a patch changed, as a JSON patch |
//! | `fields.rs` | | sets of field paths, as `managedFields` writes them |
//! | `check.rs` | | whether a value has the types of its schema |
//! | `typed.rs` | | values walked along their schema: field sets, merge, compare, remove |
//! | `numbers.rs` | | patched values as the server prints and holds them |
//! | `managers.rs` | | `managedFields` read and written |
//!
//! Objects are JSON values here and at most 127 deep when they are read, so that recursion is bounded.

pub mod apply;
pub mod check;
pub mod difference;
pub mod fields;
pub mod json;
pub mod managers;
pub mod merge;
pub mod numbers;
pub mod strategic;
pub mod typed;

use claimkit_model::message::{Message, Words};
use claimkit_values::GoUnicode;
use claimkit_values::order;
use serde_json::Value;

/// Why a patch was not carried out, by the server's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchRefusal {
    /// 400 with this text.
    BadRequest(String),
    /// 422; the server answers with a general text and keeps this one to itself.
    Rejected(Words),
    /// 413 with this text.
    TooLarge(String),
    /// 422 about the field `patch`: the value shown and what is wrong with it.
    Invalid {
        /// As the server shows it.
        value: String,
        detail: String,
    },
    /// 409: fields that other managers own.
    Conflicts(Vec<FieldConflict>),
    /// 500 with this text.
    Internal(String),
    /// The server's answer is not reproduced; this is our own message.
    Ours(Message),
}

/// A field that another manager owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldConflict {
    /// The manager in the server's words, e.g. `"kubectl" using resource.k8s.io/v1alpha2`.
    pub manager: String,
    /// The field, e.g. `.spec.resourceClassName`.
    pub path: String,
}

/// Returns one message about all conflicts. They are sorted by manager.
pub fn conflict_message(conflicts: &[FieldConflict]) -> String {
    if let [only] = conflicts {
        return format!(
            "Apply failed with 1 conflict: conflict with {}: {}",
            only.manager, only.path
        );
    }
    let mut lines: Vec<String> = Vec::new();
    let mut manager = None;
    for conflict in conflicts {
        if manager != Some(&conflict.manager) {
            lines.push(format!("conflicts with {}:", conflict.manager));
            manager = Some(&conflict.manager);
        }
        lines.push(format!("- {}", conflict.path));
    }
    format!(
        "Apply failed with {} conflicts: {}",
        conflicts.len(),
        lines.join("\n")
    )
}

/// Returns the name that Go's JSON decoder gives a value's kind.
pub(crate) fn go_kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Prints a value as Go prints maps and lists with `%+v`: keys sorted, strings bare.
pub(crate) fn go_print(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) if n.is_f64() => go_float(n.as_f64().unwrap_or_default()),
        Value::Number(_) => value.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!(
            "[{}]",
            items.iter().map(go_print).collect::<Vec<_>>().join(" ")
        ),
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            order::sort_by_key(&mut entries, |(key, _)| *key);
            let printed: Vec<String> = entries
                .into_iter()
                .map(|(key, value)| format!("{key}:{}", go_print(value)))
                .collect();
            format!("map[{}]", printed.join(" "))
        }
    }
}

/// Prints a value as Go does with `%#v`: keys sorted, with the types of maps and lists.
pub(crate) fn go_syntax(value: &Value, unicode: GoUnicode) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::String(text) => claimkit_values::quote(text, unicode),
        Value::Array(items) => format!(
            "[]interface {{}}{{{}}}",
            items
                .iter()
                .map(|item| go_syntax(item, unicode))
                .collect::<Vec<_>>()
                .join(", ")
        ),
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            order::sort_by_key(&mut entries, |(key, _)| *key);
            let printed = entries.into_iter().map(|(key, value)| {
                let key = claimkit_values::quote(key, unicode);
                format!("{key}:{}", go_syntax(value, unicode))
            });
            format!(
                "map[string]interface {{}}{{{}}}",
                printed.collect::<Vec<_>>().join(", ")
            )
        }
        other => go_print(other),
    }
}

/// Prints a float64 as `%v` does: the shortest digits, with an exponent from 1e21 and below 1e-4.
fn go_float(n: f64) -> String {
    let size = n.abs();
    if size == 0.0 || (1e-4..1e21).contains(&size) {
        return claimkit_values::float::plain(n);
    }
    let text = claimkit_values::float::scientific(n);
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent
                .strip_prefix('-')
                .map_or(('+', exponent), |rest| ('-', rest));
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// Sorts the keys of all maps in a value.
pub(crate) fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            order::sort_by_key(&mut entries, |(key, _)| *key);
            Value::Object(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}
