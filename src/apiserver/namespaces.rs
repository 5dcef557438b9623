//! The labels of namespaces whose objects are in a text.

use crate::manifest::{Input, Item};
use claimkit_model::limits::Limits;
use claimkit_model::text::SourceText;
use claimkit_model::text::tree::Tree;
use std::collections::BTreeMap;

/// The labels of namespaces, by their names.
pub type NamespaceLabels = BTreeMap<String, BTreeMap<String, String>>;

/// Returns the labels of the Namespaces in some texts. Texts without the word are not read.
pub fn labels_in_texts<'t>(
    texts: impl Iterator<Item = SourceText<'t>>,
    limits: &Limits,
) -> NamespaceLabels {
    let mut known = NamespaceLabels::new();
    for text in texts.filter(|text| text.text().contains("Namespace")) {
        known.extend(labels_in(&Input::read(text, None, limits)));
    }
    known
}

/// Returns the labels of the Namespaces in an input.
pub fn labels_in(input: &Input<'_>) -> NamespaceLabels {
    let mut known = NamespaceLabels::new();
    for item in &input.items {
        if item.api_version != "v1" || item.kind != "Namespace" {
            continue;
        }
        if let Some(tree) = input.tree(item).filter(|_| !item.name.is_empty()) {
            known
                .entry(item.name.clone())
                .or_insert_with(|| labels_of(tree, item));
        }
    }
    known
}

fn labels_of(tree: &Tree<'_>, item: &Item) -> BTreeMap<String, String> {
    let labels = tree
        .get(item.node, "metadata")
        .and_then(|metadata| tree.get(metadata, "labels"));
    let Some(labels) = labels.filter(|labels| tree.is_map(*labels)) else {
        return BTreeMap::new();
    };
    let entries = tree.entries(labels).iter();
    entries
        .filter_map(|entry| {
            let value = tree.str(entry.value)?;
            Some((tree.text(entry.key).to_owned(), value.to_owned()))
        })
        .collect()
}
