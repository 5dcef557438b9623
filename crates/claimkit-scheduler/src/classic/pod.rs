//! What placement needs of a Pod, read from the tree: Pods are of another API group and have no table here.

use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_values::order;
use std::collections::BTreeMap;

/// A pod with its claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimingPod {
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`, empty if missing.
    pub namespace: String,
    /// `metadata.uid`, empty in files written by hand.
    pub uid: String,
    /// `spec.nodeName`: it already runs there.
    pub node_name: String,
    /// `spec.resourceClaims`
    pub claims: Vec<ClaimEntry>,
    /// `status.resourceClaimStatuses`: name of the claim made for an entry; `None` if none is needed.
    pub statuses: BTreeMap<String, Option<String>>,
}

/// An entry of `spec.resourceClaims`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimEntry {
    /// `name`
    pub name: String,
    /// `source.resourceClaimName`
    pub claim: Option<String>,
    /// `source.resourceClaimTemplateName`
    pub template: Option<String>,
}

impl ClaimingPod {
    /// Reads a Pod.
    pub fn read(tree: &Tree<'_>, node: NodeId) -> Self {
        let metadata = tree.get(node, "metadata");
        let spec = tree.get(node, "spec");
        let status = tree.get(node, "status");
        let claims = items_in(tree, spec, "resourceClaims").iter().map(|&entry| {
            // Up to 1.30 the names are below `source`; later releases have them at the entry.
            let source = tree
                .get(entry, "source")
                .filter(|&source| tree.is_map(source))
                .unwrap_or(entry);
            ClaimEntry {
                name: text_of(tree, Some(entry), "name").unwrap_or_default(),
                claim: text_of(tree, Some(source), "resourceClaimName"),
                template: text_of(tree, Some(source), "resourceClaimTemplateName"),
            }
        });
        let statuses = items_in(tree, status, "resourceClaimStatuses")
            .iter()
            .map(|&status| {
                let name = tree
                    .get(status, "resourceClaimName")
                    .filter(|&id| tree.kind(id) != Kind::Null);
                (
                    text_of(tree, Some(status), "name").unwrap_or_default(),
                    name.and_then(|id| tree.str(id)).map(str::to_owned),
                )
            });
        ClaimingPod {
            name: text_of(tree, metadata, "name").unwrap_or_default(),
            namespace: text_of(tree, metadata, "namespace").unwrap_or_default(),
            uid: text_of(tree, metadata, "uid").unwrap_or_default(),
            node_name: text_of(tree, spec, "nodeName").unwrap_or_default(),
            claims: claims.collect(),
            statuses: order::map(statuses),
        }
    }
}

fn text_of(tree: &Tree<'_>, parent: Option<NodeId>, key: &str) -> Option<String> {
    let value = tree.get(parent?, key)?;
    tree.str(value).map(str::to_owned)
}

fn items_in<'t>(tree: &'t Tree<'_>, parent: Option<NodeId>, key: &str) -> &'t [NodeId] {
    parent
        .and_then(|parent| tree.get(parent, key))
        .map_or(&[][..], |id| tree.items(id))
}
