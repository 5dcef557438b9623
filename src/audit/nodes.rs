//! Devices in use on nodes that take no pods, or are not heard from.

use super::claims::first_names;
use super::finder::{About, Finder};
use super::node_of;
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{AllocatedDevice, Node};
use std::collections::{BTreeMap, BTreeSet};

/// The taint of a node from which nothing is heard (kube-controller-manager 1.37, `pkg/controller/nodelifecycle`).
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// Why the devices of a node should not be in use.
enum Trouble {
    Ending,
    Unreachable,
    Cordoned,
}

impl Trouble {
    fn of(node: &Node) -> Option<Self> {
        if node.metadata.deletion_timestamp.is_some() {
            Some(Trouble::Ending)
        } else if is_unreachable(node) {
            Some(Trouble::Unreachable)
        } else {
            node.spec.unschedulable.then_some(Trouble::Cordoned)
        }
    }

    fn path(&self) -> FieldPath {
        match self {
            Trouble::Ending => field_path!["metadata", "deletionTimestamp"],
            Trouble::Unreachable => field_path!["metadata", "name"],
            Trouble::Cordoned => field_path!["spec", "unschedulable"],
        }
    }

    fn message(&self, node: &str, claims: String) -> Message {
        match self {
            Trouble::Ending => message!(
                "audit.node-ending-in-use",
                "node {node} is being deleted and has devices in use by {claims}",
                node,
                claims,
            ),
            Trouble::Unreachable => message!(
                "audit.node-unreachable-in-use",
                "node {node} is unreachable and has devices in use by {claims}",
                node,
                claims,
            ),
            Trouble::Cordoned => message!(
                "audit.node-cordoned-in-use",
                "node {node} is cordoned and has devices in use by {claims}",
                node,
                claims,
            ),
        }
    }
}

/// Returns true if nothing is heard from the kubelet of a node.
pub fn is_unreachable(node: &Node) -> bool {
    let mut conditions = node.status.conditions.iter();
    let mut taints = node.spec.taints.iter();
    conditions.any(|condition| condition.kind == "Ready" && condition.status == "Unknown")
        || taints.any(|taint| taint.key == UNREACHABLE)
}

/// Reports nodes with devices in use that are being deleted, unreachable or cordoned.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let nodes = cluster.facts.nodes.iter();
    let troubled: BTreeMap<&str, (&Node, Trouble)> = nodes
        .filter_map(|node| Some((node.metadata.name.as_str(), (&**node, Trouble::of(node)?))))
        .collect();
    if troubled.is_empty() {
        return;
    }
    let mut users: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for claim in &cluster.facts.claims {
        // Admin access, such as that of monitoring, takes the devices from nobody.
        let results = claim
            .allocated_devices()
            .iter()
            .filter(|result| result.admin_access != Some(true));
        for node in results.filter_map(|result| only_node_of(cluster, result)) {
            let names = users.entry(node).or_default();
            names.insert(claim.metadata.full_name());
        }
    }
    for (name, (node, trouble)) in &troubled {
        let Some(claims) = users.remove(name) else {
            continue;
        };
        let claims = first_names(claims.into_iter().collect());
        let about = About::object("Node", &node.metadata).at(trouble.path());
        let message = trouble.message(name, claims);
        finder.tell(Code::UnusableNodeInUse, about, message, None);
    }
}

/// Returns the node that an allocated device is published for; `None`: for none, or for several.
fn only_node_of<'f>(cluster: &Cluster<'f>, result: &AllocatedDevice) -> Option<&'f str> {
    let slices = cluster.slices_of_pool(&result.driver, &result.pool);
    let slices = slices.iter().filter_map(|at| cluster.slice(*at));
    let devices = slices.flat_map(|slice| slice.spec.devices.iter().map(move |one| (slice, one)));
    let mut nodes = devices
        .filter(|(_, device)| device.name == result.device)
        .map(|(slice, device)| node_of(slice, device));
    let first = nodes.next().flatten();
    first.filter(|first| nodes.all(|node| node == Some(first)))
}
