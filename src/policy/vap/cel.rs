//! Pieces of CEL for policies of an API server.

use crate::policy::cluster::Labels;
use crate::policy::pattern::matches_all;
use crate::policy::settings::{ByNamespace, ClassRule, NameList};

/// Writes a text in CEL; JSON's escapes are CEL's.
pub fn text(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

fn list(values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| text(value)).collect();
    format!("[{}]", values.join(", "))
}

/// Returns CEL that is true if a field is there and not `null`. A list or map without `omitempty` is `null` in the server's JSON where
/// nobody gives it, such as `requests` (k8s.io/api, resource/v1, types.go, `DeviceClaim`).
pub fn is_present(place: &str) -> String {
    format!("has({place}) && {place} != null")
}

/// Returns CEL that is true if the value matches one of the patterns.
pub fn matches(value: &str, patterns: &[String]) -> String {
    if patterns.iter().any(|pattern| matches_all(pattern)) {
        return "true".to_owned();
    }
    let (wild, exact): (Vec<&str>, Vec<&str>) = patterns
        .iter()
        .map(String::as_str)
        .partition(|pattern| pattern.contains('*'));
    let mut parts = Vec::new();
    if !exact.is_empty() {
        parts.push(format!("{value} in {}", list(&exact)));
    }
    if !wild.is_empty() {
        let regexes: Vec<String> = wild.iter().map(|pattern| regex(pattern)).collect();
        parts.push(format!(
            "{value}.matches({})",
            text(&format!("^(?s:{})$", regexes.join("|")))
        ));
    }
    match parts.as_slice() {
        [] => "false".to_owned(),
        [one] => one.clone(),
        _ => format!("({})", parts.join(" || ")),
    }
}

/// Writes the regular expression (RE2) of a pattern.
fn regex(pattern: &str) -> String {
    let mut out = String::new();
    for c in pattern.chars() {
        match c {
            '*' => out.push_str(".*"),
            '.' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '^' | '$' | '\\' => {
                out.extend(['\\', c])
            }
            _ => out.push(c),
        }
    }
    out
}

/// Returns CEL that is true if a list accepts the value. `None`: it accepts everything.
pub fn accepts(rule: &NameList, value: &str) -> Option<String> {
    match rule {
        NameList::Any => None,
        NameList::Allow(patterns) => Some(matches(value, patterns)),
        NameList::Deny(patterns) => Some(format!("!({})", matches(value, patterns))),
    }
}

/// Returns a CEL expression: the request's namespace has all of the labels. A tool that reads files may know nothing of the namespace.
pub fn labelled(labels: &Labels) -> String {
    labels.iter().map(|(key, value)| {
        let (key, value) = (text(key), text(value));
        format!(
            "(has(namespaceObject.metadata) && has(namespaceObject.metadata.labels) && {key} in namespaceObject.metadata.labels && namespaceObject.metadata.labels[{key}] == {value})"
        )
    }).collect::<Vec<_>>().join(" && ")
}

/// Returns each rule with CEL that is true where it applies; the CEL is empty for a rule that always does.
pub fn applying<T>(rule: &ByNamespace<T>) -> Vec<(&T, String)> {
    let mut earlier: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for entry in &rule.entries {
        let mut conditions = Vec::new();
        if !entry.names.is_empty() {
            conditions.push(matches(NAMESPACE, &entry.names));
        }
        if !entry.labels.is_empty() {
            conditions.push(labelled(&entry.labels));
        }
        let here = format!("({})", conditions.join(" && "));
        let mut all = earlier.clone();
        all.push(here.clone());
        found.push((&entry.rule, all.join(" && ")));
        earlier.push(format!("!{here}"));
    }
    found.push((&rule.rest, earlier.join(" && ")));
    found
}

/// The namespace of the request.
pub const NAMESPACE: &str = "request.namespace";

/// Returns CEL that is true if claims of the request's namespace may name the class; `None`: they may name every class.
pub fn accepts_class(rule: &ClassRule, class: &str) -> Option<String> {
    let accepted = |list: &NameList| accepts(list, class).unwrap_or_else(|| "true".to_owned());
    let mut expression = accepted(&rule.list);
    for entry in rule.namespaces.iter().rev() {
        let mut conditions = Vec::new();
        if !entry.names.is_empty() {
            conditions.push(matches(NAMESPACE, &entry.names));
        }
        if !entry.labels.is_empty() {
            conditions.push(labelled(&entry.labels));
        }
        expression = format!(
            "(({}) ? ({}) : ({expression}))",
            conditions.join(" && "),
            accepted(&entry.list)
        );
    }
    let decides = rule.list != NameList::Any
        || rule
            .namespaces
            .iter()
            .any(|entry| entry.list != NameList::Any);
    decides.then_some(expression)
}
