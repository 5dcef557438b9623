//! Parts of a converted tree: mappings built anew.

use claimkit_model::text::Span;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Entry, NodeId, Style, Tree};

/// Rebuilds a mapping; `change` keeps, changes or drops each effective entry. Other nodes are returned unchanged.
pub(super) fn rebuild<'s>(
    tree: &mut Tree<'s>,
    map: NodeId,
    mut change: impl FnMut(&mut Tree<'s>, &str, Entry) -> Option<Entry>,
) -> NodeId {
    if !tree.is_map(map) {
        return map;
    }
    let entries: Vec<Entry> = print::effective(tree, map, Order::Source)
        .into_iter()
        .copied()
        .collect();
    let mut kept = Vec::with_capacity(entries.len());
    for entry in entries {
        let name = tree.text(entry.key).to_owned();
        kept.extend(change(tree, &name, entry).map(|entry| Entry {
            shadowed: false,
            merged: false,
            ..entry
        }));
    }
    let kind = tree.store_entries(kept);
    tree.add(kind, Span::default(), Style::Block)
}

/// Makes an entry without a position in the text.
pub(super) fn entry(tree: &mut Tree<'_>, key: &str, value: NodeId) -> Entry {
    let key = tree.store(key);
    Entry {
        key,
        key_span: Span::default(),
        value,
        shadowed: false,
        merged: false,
    }
}
