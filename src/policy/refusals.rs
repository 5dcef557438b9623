//! Refusals in the API server's form: path, kind of error, detail. Both families of versions use it.

use crate::api::{Api, Release};
use crate::finding::{Code, Path};
use crate::go;
use crate::policy::nodes;
use crate::policy::settings::{List, Namespace, Node, NodeRule, Settings};
use crate::policy::{check, pattern};
use crate::record::Record;
use crate::rules::Errors;

/// An object as the rules see it.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'r> {
    /// What it is.
    pub api: Api,
    /// The release whose words are used.
    pub release: Release,
    /// Its fields, defaulted.
    pub object: &'r Record<'r>,
    /// What of it is judged.
    pub part: Part,
    /// The namespace it goes to.
    pub namespace: Namespace<'r>,
    /// The version that the client wrote, known here or not: the server converts objects.
    pub written: &'r str,
}

/// Which part of an object is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Everything but its status.
    Object,
    /// Its status alone.
    Status,
    /// An object as it is stored.
    Both,
}

/// Says that a list does not accept a name, if it does not.
pub fn refuse(list: &List, code: Code, path: &Path<'_>, name: &str, release: Release, errors: &mut Errors) {
    match list {
        List::Allow(patterns) if !pattern::any(patterns, name) => {
            let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
            errors.not_supported(code, path, name, &patterns);
        }
        List::Deny(patterns) => {
            if let Some(denied) = patterns.iter().find(|denied| pattern::matches(denied, name)) {
                let unicode = release.rules().unicode;
                let mut detail = format!("{} is denied by the policy", go::quote(name, unicode));
                if denied != name {
                    detail.push_str(&format!(" as one of {}", go::quote(denied, unicode)));
                }
                errors.forbidden(code, path, &detail);
            }
        }
        _ => {}
    }
}

/// Checks the driver in a field; the API server rejects an empty one itself.
pub fn driver(settings: &Settings, release: Release, holder: &Record<'_>, field: &str, path: &Path<'_>, errors: &mut Errors) {
    let name = holder.str(field);
    if !name.is_empty() {
        refuse(&settings.drivers, Code::PolicyDriver, &path.field(field), name, release, errors);
    }
}

/// Errors for nodes that a selector must not select but does, or must select but does not.
pub fn node_rule(
    rule: &NodeRule,
    code: Code,
    holder: &Record<'_>,
    path: &Path<'_>,
    field: &str,
    release: Release,
    errors: &mut Errors,
) {
    let selector = holder.record(field);
    if selector.is_none() && rule.required {
        errors.required(code, path, "the policy asks for a node selector");
        return;
    }
    if rule.must_select.is_empty() && rule.must_not_select.is_empty() {
        return;
    }
    let selected = nodes::Selected::by(selector, release);
    for node in rule.must_select.iter().filter(|node| !selected.surely(node)) {
        errors.forbidden(code, path, &format!("must select {}", shown_node(node)));
    }
    for node in rule.must_not_select.iter().filter(|node| selected.possibly(node)) {
        let without = if selector.is_none() { ", and without a selector every node is selected" } else { "" };
        errors.forbidden(code, path, &format!("must not select {}{without}", shown_node(node)));
    }
}

/// A node of the settings in words: ``node `n1` with `zone=a` ``.
fn shown_node(node: &Node) -> String {
    let labels: Vec<String> = node.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    match (node.name.is_empty(), labels.is_empty()) {
        (true, _) => format!("nodes with {}", check::shown(&labels.join(","))),
        (false, true) => format!("node {}", check::shown(&node.name)),
        (false, false) => format!("node {} with {}", check::shown(&node.name), check::shown(&labels.join(","))),
    }
}
