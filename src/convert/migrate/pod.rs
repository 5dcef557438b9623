//! Pods and workloads: moves the `source` of a pod's resource claim, which 1.31 no longer has.

use super::part::{Change, Part};
use super::{Fate, Migrator};
use crate::advice::locate;
use crate::api::workload;
use crate::finding::Step;
use crate::manifest::Item;
use crate::text::print::{self, Order};
use crate::text::tree::{Kind, Tree};

impl<'t> Migrator<'t> {
    pub(super) fn pod(&mut self, index: usize, tree: &'t Tree<'t>, item: &Item) {
        let Some(path) = workload::path_to_spec(&item.api_version, &item.kind) else { return };
        let at: Vec<Step> = path.iter().chain(&["resourceClaims"]).map(|name| Step::Key((*name).to_owned())).collect();
        let Some(list) = locate::node(tree, item.node, &at) else { return };
        let mut changes = Vec::new();
        for (number, &entry) in tree.items(list).iter().enumerate() {
            let Some(source) = tree.get(entry, "source") else { continue };
            if !matches!(tree.kind(source), Kind::Map { .. } | Kind::Null) {
                continue;
            }
            let inner = print::effective(tree, source, Order::Source).into_iter();
            let inner = inner.filter(|one| tree.get(entry, tree.text(one.key)).is_none());
            let put = inner.map(|one| (tree.text(one.key).to_owned(), Part::Node(tree, one.value))).collect();
            let mut at = at.clone();
            at.push(Step::Index(number));
            changes.push(Change { at, gone: vec!["source"], put });
        }
        if !changes.is_empty() {
            self.edit(index, |object| {
                object.fate = Fate::Edited;
                object.changes = changes;
            });
        }
    }
}
