//! List queries over the objects of an input: label and field selectors of a `parse` request.

use super::answer::AnswerObject;
use super::request::ParseRequest;
use crate::list_selectors::{fields, labels};
use crate::manifest::findings::place;
use crate::manifest::{Input, Item, What};
use claimkit_model::finding::{Code, Finding, Origin, Severity};
use claimkit_model::schema::{Release, Scope};
use claimkit_model::text::{Span, Tree};

/// Sets for each object whether it is selected. Does nothing without selectors or with an invalid selector.
pub fn select(
    request: &ParseRequest,
    input: &Input<'_>,
    objects: &mut [AnswerObject],
) -> Vec<Finding> {
    if request.label_selector.is_none() && request.field_selector.is_none() {
        return Vec::new();
    }
    let label_selector = request.label_selector.as_deref().unwrap_or_default();
    let field_selector = request.field_selector.as_deref().unwrap_or_default();
    let mut findings = Vec::new();
    let (labels, fields) = match (labels::parse(label_selector), fields::parse(field_selector)) {
        (Ok(labels), Ok(fields)) => (labels, fields),
        (labels, fields) => {
            if let Err(message) = labels {
                findings.push(invalid(request, Code::LabelSelectorInvalid, message));
            }
            if let Err(message) = fields {
                findings.push(invalid(request, Code::FieldSelectorInvalid, message));
            }
            return findings;
        }
    };
    let release = request
        .release
        .as_deref()
        .and_then(Release::parse)
        .unwrap_or(Release::latest());
    for (index, (item, object)) in input.items.iter().zip(objects).enumerate() {
        let Some(tree) = input.tree(item) else {
            continue;
        };
        let api = match &item.what {
            What::Ours(api) => Some(*api),
            What::Refused(_) => continue,
            What::Other => None,
        };
        if let Some(message) = fields.unsupported(api, release) {
            let finding = Finding::upstream(Code::FieldSelectorInvalid, Origin::ApiServer, message);
            findings.push(place(input, item, index, finding));
            continue;
        }
        let scope = api.map_or(Scope::Namespaced, |api| api.kind.scope);
        let namespace = match scope {
            Scope::Cluster => "",
            Scope::Namespaced if item.namespace.is_empty() => {
                request.namespace.as_deref().unwrap_or("default")
            }
            Scope::Namespaced => &item.namespace,
        };
        let is_selected = labels.matches(|key| label(tree, item, key))
            && fields.matches(|path| field(tree, item, namespace, path));
        object.selected = Some(is_selected);
    }
    findings
}

/// Returns the server's error about a selector.
fn invalid(request: &ParseRequest, code: Code, message: String) -> Finding {
    let finding = Finding::upstream(code, Origin::ApiServer, message);
    let finding = finding.with_severity(Severity::Error);
    // It is about none of several files.
    match request.sources {
        None => finding.with_span(Span::at(0)),
        Some(_) => finding,
    }
}

/// Returns the value of a label; empty if it is not a string.
fn label<'t>(tree: &'t Tree<'_>, item: &Item, key: &str) -> Option<&'t str> {
    let metadata = tree.get(item.node, "metadata")?;
    let labels = tree.get(metadata, "labels")?;
    let value = tree.get(labels, key)?;
    Some(tree.str(value).unwrap_or_default())
}

/// Returns the value of a field by its path; empty if it is missing or not a string.
fn field<'a>(tree: &'a Tree<'_>, item: &'a Item, namespace: &'a str, path: &str) -> &'a str {
    match path {
        "metadata.name" => &item.name,
        "metadata.namespace" => namespace,
        _ => path
            .split('.')
            .try_fold(item.node, |node, key| tree.get(node, key))
            .and_then(|value| tree.str(value))
            .unwrap_or_default(),
    }
}
