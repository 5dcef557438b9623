//! List queries over the objects of an input: label and field selectors of a `parse` request.

use super::answer::AnswerObject;
use super::request::ParseRequest;
use crate::list_selectors::{fields, labels};
use crate::manifest::findings::place;
use crate::manifest::{Input, Item, What};
use claimkit_model::finding::{Code, Finding, Origin, Severity};
use claimkit_model::schema::{Release, Scope};
use claimkit_model::text::{NodeId, Span, Tree};

/// Sets for each object whether it is selected. Does nothing without selectors or with an invalid selector.
pub fn select(
    request: &ParseRequest,
    input: &Input<'_>,
    objects: &mut [AnswerObject],
) -> Vec<Finding> {
    if request.label_selector.is_none() && request.field_selector.is_none() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let mut wrong = |code: Code, message: String| {
        let finding = Finding::upstream(code, Origin::ApiServer, message);
        let mut finding = finding.with_severity(Severity::Error);
        // It is about none of several files.
        if request.sources.is_none() {
            finding = finding.with_span(Span::at(0));
        }
        findings.push(finding);
    };
    let by_labels = labels::parse(request.label_selector.as_deref().unwrap_or(""))
        .map_err(|message| wrong(Code::LabelSelectorInvalid, message))
        .ok();
    let by_fields = fields::parse(request.field_selector.as_deref().unwrap_or(""))
        .map_err(|message| wrong(Code::FieldSelectorInvalid, message))
        .ok();
    let (Some(by_labels), Some(by_fields)) = (by_labels, by_fields) else {
        return findings;
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
        if let Some(message) = by_fields.unsupported(api, release) {
            let finding = Finding::upstream(Code::FieldSelectorInvalid, Origin::ApiServer, message);
            findings.push(place(input, item, index, finding));
            continue;
        }
        let metadata = tree.get(item.node, "metadata");
        let map = metadata.and_then(|metadata| tree.get(metadata, "labels"));
        let label = |key: &str| {
            map.and_then(|map| tree.get(map, key))
                .map(|value| tree.str(value).unwrap_or(""))
        };
        let cluster = api.is_some_and(|api| api.kind.scope == Scope::Cluster);
        let field = |name: &str| value(tree, item, name, cluster, request);
        object.selected = Some(by_labels.matches(label) && by_fields.matches(field));
    }
    findings
}

fn value<'a>(
    tree: &'a Tree<'_>,
    item: &'a Item,
    name: &str,
    cluster: bool,
    request: &'a ParseRequest,
) -> &'a str {
    let below = |node: NodeId| {
        name.split('.')
            .try_fold(node, |node, key| tree.get(node, key))
    };
    match name {
        "metadata.name" => &item.name,
        "metadata.namespace" if cluster => "",
        "metadata.namespace" if item.namespace.is_empty() => {
            request.namespace.as_deref().unwrap_or("default")
        }
        "metadata.namespace" => &item.namespace,
        _ => below(item.node)
            .and_then(|value| tree.str(value))
            .unwrap_or(""),
    }
}
