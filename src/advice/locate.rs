//! From a path to the text under it.

use claimkit_model::finding::{EntryPart, Step};
use claimkit_model::text::{NodeId, Span, Style, Tree};

/// Returns the node at `steps` below `root`; `None` if any step is missing.
pub fn node(tree: &Tree<'_>, root: NodeId, steps: &[Step]) -> Option<NodeId> {
    steps.iter().try_fold(root, |node, step| match step {
        Step::Key(name) => tree.get(node, name),
        Step::Index(index) => tree.items(node).get(*index).copied(),
    })
}

/// Returns the span of the value that `steps` lead to below `root`. If a step is missing (an absent field), the key or value of
/// the nearest existing parent.
pub fn locate(tree: &Tree<'_>, root: NodeId, steps: &[Step]) -> Span {
    locate_part(tree, root, steps, EntryPart::Value)
}

/// Returns the span of the key that `steps` lead to below `root`, or of the nearest existing parent.
pub fn locate_key(tree: &Tree<'_>, root: NodeId, steps: &[Step]) -> Span {
    locate_part(tree, root, steps, EntryPart::Key)
}

/// Returns the span of the key or value that `steps` lead to below `root`, or of the nearest existing parent.
pub fn locate_part(tree: &Tree<'_>, root: NodeId, steps: &[Step], part: EntryPart) -> Span {
    if steps.is_empty() {
        // For the whole object, use the span of `kind`.
        return tree
            .get(root, "kind")
            .map_or_else(|| head(tree, root), |kind| tree.span(kind));
    }
    let mut node = root;
    let mut key: Option<Span> = None;
    let mut complete = true;
    for step in steps {
        let next = match step {
            Step::Key(name) => tree
                .entry(node, name)
                .map(|entry| (Some(entry.key_span), entry.value)),
            Step::Index(index) => tree.items(node).get(*index).map(|&item| (None, item)),
        };
        let Some((next_key, value)) = next else {
            complete = false;
            break;
        };
        key = next_key;
        node = value;
    }
    if !complete {
        // A field is missing: use the key of its parent; in the document or a list item, the first key.
        return key.unwrap_or_else(|| head(tree, node));
    }
    if tree.node(node).style == Style::Block {
        // A finding about a block value is placed at its key, or at the first key of a list item.
        return key.unwrap_or_else(|| head(tree, node));
    }
    let value = tree.span(node);
    match key {
        Some(key) if part == EntryPart::Key || value.is_empty() => key,
        _ => value,
    }
}

/// Returns the span that represents a whole node: the first key of a mapping, otherwise the node's own span.
pub fn head(tree: &Tree<'_>, node: NodeId) -> Span {
    tree.entries(node)
        .first()
        .map_or(tree.span(node), |entry| entry.key_span)
}
