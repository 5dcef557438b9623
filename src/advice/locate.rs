//! From a path to the text under it.

use crate::finding::Step;
use crate::text::{NodeId, Span, Style, Tree};

/// The node that `steps` lead to below `root`, if all of them lead somewhere.
pub fn node(tree: &Tree<'_>, root: NodeId, steps: &[Step]) -> Option<NodeId> {
    steps.iter().try_fold(root, |node, step| match step {
        Step::Key(name) => tree.get(node, name),
        Step::Index(index) => tree.items(node).get(*index).copied(),
    })
}

/// The span of what `steps` lead to below `root`: the value, or the key if `at_key`.
/// Where a step leads nowhere (a missing field), the key or value of the nearest parent that is there.
pub fn locate(tree: &Tree<'_>, root: NodeId, steps: &[Step], at_key: bool) -> Span {
    if steps.is_empty() {
        // The object as a whole: its kind stands for it.
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
    // A finding about a value of several lines stands at its key, or at the first key of a list's item.
    let block = complete && tree.node(node).style == Style::Block;
    match key {
        Some(key) if block => key,
        None if block => head(tree, node),
        Some(key) if at_key || !complete || value.is_empty() => key,
        _ if complete => value,
        // A field is missing from the document or from a list's item: its first key stands for it.
        _ => head(tree, node),
    }
}

/// What stands for a whole object: the first key of a mapping, the value itself of anything else.
pub fn head(tree: &Tree<'_>, node: NodeId) -> Span {
    tree.entries(node).first().map_or(tree.span(node), |entry| entry.key_span)
}

/// `spec.devices.requests[0]` in steps. What stands in brackets is an index, or the key of a map.
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
        // A bracket that is never closed would stay for ever.
        rest = if after.starts_with('[') && !after.contains(']') { "" } else { after };
    }
    steps
}
