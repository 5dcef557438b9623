//! Pods and workloads: moves the `source` of a pod's resource claim, which 1.31 no longer has.

use super::part::{MappingChange, TextPart};
use super::{Migrator, ObjectFate};
use crate::advice::locate;
use crate::manifest::Item;
use claimkit_model::finding::Step;
use claimkit_model::message::{Message, message};
use claimkit_model::nearest;
use claimkit_model::schema::workload;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::tree::{Kind, Tree};

/// The fields of `source`.
const SOURCES: [&str; 2] = ["resourceClaimName", "resourceClaimTemplateName"];

/// Returns why a member of `source` is lost, with the field that it is like, if there is one.
fn unknown_source(name: &str) -> Message {
    let near = SOURCES
        .into_iter()
        .filter(|known| nearest::alike(known, name))
        .min_by_key(|known| nearest::distance(known, name));
    match near {
        Some(near) => message!(
            "loss.pod-field",
            "pods have no such field; did you mean `{near}`?",
            near
        ),
        None => message!("loss.pod-field-unknown", "pods have no such field"),
    }
}

impl<'t> Migrator<'_, 't> {
    pub(super) fn pod(&mut self, index: usize, tree: &'t Tree<'t>, item: &Item) {
        let Some(path) = workload::path_to_spec(&item.api_version, &item.kind) else {
            return;
        };
        let list_steps: Vec<Step> = path
            .iter()
            .chain(&["resourceClaims"])
            .map(|name| Step::Key((*name).to_owned()))
            .collect();
        let Some(list) = locate::node(tree, item.node, &list_steps) else {
            return;
        };
        let mut changes = Vec::new();
        let mut unknown: Vec<(Vec<Step>, Message)> = Vec::new();
        for (number, &entry) in tree.items(list).iter().enumerate() {
            let Some(source) = tree.get(entry, "source") else {
                continue;
            };
            if !matches!(tree.kind(source), Kind::Map { .. } | Kind::Null) {
                continue;
            }
            let mut at = list_steps.clone();
            at.push(Step::Index(number));
            let mut put = Vec::new();
            for member in print::effective(tree, source, Order::Source) {
                let name = tree.text(member.key);
                if tree.get(entry, name).is_some() {
                    continue;
                }
                if SOURCES.contains(&name) {
                    put.push((name.to_owned(), TextPart::Node(tree, member.value)));
                    continue;
                }
                let mut field = at.clone();
                field.extend(["source", name].map(|name| Step::Key(name.to_owned())));
                unknown.push((field, unknown_source(name)));
            }
            changes.push(MappingChange {
                at,
                gone: vec!["source"],
                put,
            });
        }
        for (field, reason) in unknown {
            self.lose(index, tree, item.node, &field, reason);
        }
        if !changes.is_empty() {
            self.edit(index, |object| {
                object.fate = ObjectFate::Edited;
                object.changes = changes;
            });
        }
    }
}
