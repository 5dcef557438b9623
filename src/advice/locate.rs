//! From a path to the text under it.

use crate::finding::Step;
use crate::text::{NodeId, Span, Style, Tree};

/// The node at `steps` below `root`; `None` if any step is missing.
pub fn node(tree: &Tree<'_>, root: NodeId, steps: &[Step]) -> Option<NodeId> {
    steps.iter().try_fold(root, |node, step| match step {
        Step::Key(name) => tree.get(node, name),
        Step::Index(index) => tree.items(node).get(*index).copied(),
    })
}

/// The span of what `steps` lead to below `root`: the value, or the key if `at_key`.
/// If a step is missing (an absent field), the key or value of the nearest existing parent.
pub fn locate(tree: &Tree<'_>, root: NodeId, steps: &[Step], at_key: bool) -> Span {
    if steps.is_empty() {
        // For the whole object, use the span of `kind`.
        return tree.get(root, "kind").map_or_else(|| head(tree, root), |kind| tree.span(kind));
    }
    let mut node = root;
    let mut key: Option<Span> = None;
    let mut complete = true;
    for step in steps {
        let next = match step {
            Step::Key(name) => tree.entry(node, name).map(|entry| (Some(entry.key_span), entry.value)),
            Step::Index(index) => tree.items(node).get(*index).map(|&item| (None, item)),
        };
        let Some((next_key, value)) = next else {
            complete = false;
            break;
        };
        key = next_key;
        node = value;
    }
    let value = tree.span(node);
    // A finding about a block value is placed at its key, or at the first key of a list item.
    let block = complete && tree.node(node).style == Style::Block;
    match key {
        Some(key) if block => key,
        None if block => head(tree, node),
        Some(key) if at_key || !complete || value.is_empty() => key,
        _ if complete => value,
        // A field is missing from the document or from a list item: use its first key.
        _ => head(tree, node),
    }
}

/// The span that represents a whole node: the first key of a mapping, otherwise the node's own span.
pub fn head(tree: &Tree<'_>, node: NodeId) -> Span {
    tree.entries(node).first().map_or(tree.span(node), |entry| entry.key_span)
}

/// `spec.devices.requests[0]` in steps. Brackets hold an index or a map key.
pub fn steps(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some((inside, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            steps.push(inside.parse().map_or_else(|_| Step::Key(inside.to_owned()), Step::Index));
            rest = after;
            continue;
        }
        let name = rest.strip_prefix('.').unwrap_or(rest);
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let (key, after) = name.split_at_checked(end).unwrap_or((name, ""));
        steps.push(Step::Key(key.to_owned()));
        // An unclosed bracket would never be consumed: stop here.
        rest = if after.starts_with('[') && !after.contains(']') { "" } else { after };
    }
    steps
}
