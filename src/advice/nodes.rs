//! The nodes of devices, as they are often written: by a word of another API, or by labels alone.

use crate::advice::fits::Reader;
use claimkit_model::finding::Edit;
use claimkit_model::message::{Message, message};
use claimkit_model::nearest::folded;
use claimkit_model::object::decode::Strict;
use claimkit_model::schema::Struct;
use claimkit_model::text::tree::{Kind, NodeId, Style, Tree};
use claimkit_yaml::print;

/// Words for the nodes of a slice or a device.
const NODE_WORDS: [&str; 9] = [
    "node",
    "nodes",
    "nodenames",
    "host",
    "hosts",
    "hostname",
    "hostnames",
    "machine",
    "machines",
];

/// The fields of which one chooses the nodes of a slice.
const CHOICES: [&str; 4] = [
    NODE_NAME,
    "nodeSelector",
    "allNodes",
    "perDeviceNodeSelection",
];

/// Help for an unknown field that was meant to choose nodes.
pub(super) struct NodeAdvice {
    pub help: Message,
    /// The edits that write `nodeName`, where that is certain; else none.
    pub edits: Vec<Edit>,
}

/// The field that names one node.
pub(super) const NODE_NAME: &str = "nodeName";

/// Returns the advice for a field that was meant to choose nodes. Without the field, or with `allNodes`, the devices would be offered
/// to nodes that do not have them.
pub(super) fn advice(strict: &Strict, reader: Reader<'_, '_>) -> Option<NodeAdvice> {
    let schema = strict.schema?;
    let tree = reader.tree;
    let value = tree.get(strict.parent, &strict.field)?;
    if matches!(schema.go, "NodeSelector" | "NodeSelectorTerm") {
        let help = of_labels(strict, schema, tree)?;
        let edits = Vec::new();
        return Some(NodeAdvice { help, edits });
    }
    let chooses = schema.field(NODE_NAME, reader.release).is_some()
        && schema.field("allNodes", reader.release).is_some();
    let word: String = folded(&strict.field).collect();
    if !chooses || !NODE_WORDS.contains(&word.as_str()) {
        return None;
    }
    Some(of_names(strict, value, tree))
}

/// Returns the advice for the names of nodes.
fn of_names(strict: &Strict, value: NodeId, tree: &Tree<'_>) -> NodeAdvice {
    let names: Vec<&str> = match tree.kind(value) {
        Kind::Seq { .. } => {
            let items = tree.items(value).iter();
            items.filter_map(|item| tree.str(*item)).collect()
        }
        _ => tree.str(value).into_iter().collect(),
    };
    let help = match names.as_slice() {
        [] => message!(
            "nodes.choose",
            "choose the nodes by `nodeName`, or by a `nodeSelector` for several"
        ),
        [name] => message!(
            "nodes.name",
            "the node of the devices is `nodeName`: write `nodeName: {name}`",
            name = print::scalar(name)
        ),
        _ => message!(
            "nodes.names",
            "devices of several nodes have a selector: write `nodeSelector: {selector}`",
            selector = format!(
                "{{nodeSelectorTerms: [{{matchExpressions: [{}]}}]}}",
                requirement("kubernetes.io/hostname", &names)
            )
        ),
    };
    let edits = match names.as_slice() {
        [name] => name_edits(strict, value, name, tree),
        _ => None,
    };
    NodeAdvice {
        help,
        edits: edits.unwrap_or_default(),
    }
}

/// Returns the edits that write `nodeName` and one name, if no other field chooses nodes.
fn name_edits(strict: &Strict, value: NodeId, name: &str, tree: &Tree<'_>) -> Option<Vec<Edit>> {
    let is_chosen = CHOICES
        .iter()
        .any(|choice| tree.entry(strict.parent, choice).is_some());
    let is_plain = strict.key.slice_of(tree.source()) == Some(strict.field.as_str());
    let node = tree.node(value);
    let is_shared = !node.properties.is_empty() || matches!(node.kind, Kind::Alias(_));
    let of_slice = strict
        .schema
        .is_some_and(|schema| schema.go == "ResourceSliceSpec");
    if is_chosen || !is_plain || is_shared || !of_slice {
        return None;
    }
    let mut edits = vec![Edit {
        span: strict.key,
        new_text: NODE_NAME.to_owned(),
    }];
    if matches!(tree.kind(value), Kind::Seq { .. }) {
        let is_only = tree.items(value).len() == 1 && node.style == Style::Flow;
        edits.push(Edit {
            span: is_only.then_some(node.span)?,
            new_text: print::scalar(name),
        });
    }
    Some(edits)
}

/// Returns the advice for labels where a node selector has terms, and a term has expressions.
fn of_labels(strict: &Strict, schema: &Struct, tree: &Tree<'_>) -> Option<Message> {
    let labels = match strict.field.as_str() {
        "matchLabels" => tree.get(strict.parent, "matchLabels")?,
        _ => strict.parent,
    };
    let expressions = expressions(tree, labels, schema)?;
    if schema.go == "NodeSelectorTerm" {
        return Some(message!(
            "nodes.labels-of-term",
            "labels are expressions here: write `matchExpressions: {expressions}`",
            expressions
        ));
    }
    Some(labels_as_terms(&expressions))
}

/// Says how labels are written in a node selector.
fn labels_as_terms(expressions: &str) -> Message {
    message!(
        "nodes.labels",
        "labels are expressions of a term here: write `nodeSelectorTerms: {terms}`",
        terms = format!("[{{matchExpressions: {expressions}}}]")
    )
}

/// Returns the help for a node selector that has nothing but labels, directly or under `matchLabels`.
pub(super) fn of_selector(tree: &Tree<'_>, selector: NodeId, schema: &Struct) -> Option<Message> {
    let labels = tree.get(selector, "matchLabels").unwrap_or(selector);
    Some(labels_as_terms(&expressions(tree, labels, schema)?))
}

/// Returns the labels of a map as expressions; `None` if one of its entries is not a label.
fn expressions(tree: &Tree<'_>, labels: NodeId, schema: &Struct) -> Option<String> {
    let mut written = Vec::new();
    for entry in tree.entries(labels) {
        let key = tree.text(entry.key);
        if schema.has(key) {
            return None;
        }
        written.push(requirement(key, &[label_value(tree, entry.value)?]));
    }
    (!written.is_empty()).then(|| format!("[{}]", written.join(", ")))
}

/// Returns the text of a label's value, also where YAML reads `true` or a number.
fn label_value<'t>(tree: &'t Tree<'_>, value: NodeId) -> Option<&'t str> {
    let text = match tree.kind(value) {
        Kind::Bool(_) | Kind::Int(_) | Kind::Uint(_) => tree.slice(tree.span(value)),
        _ => tree.str(value)?,
    };
    let is_value = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    is_value.then_some(text)
}

/// Writes `{key: gpu, operator: In, values: ["true"]}`.
fn requirement(key: &str, values: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| print::scalar(value)).collect();
    format!(
        "{{key: {key}, operator: In, values: [{}]}}",
        values.join(", ")
    )
}
