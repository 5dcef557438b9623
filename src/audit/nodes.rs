//! Devices on nodes that take no pods, are not heard from, or evict the pods.

use super::finder::{About, Finder};
use super::first_names::first_names;
use super::node_of;
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{
    AllocatedDevice, NOT_READY, Node, NodeCondition, Pod, UNREACHABLE,
};
use claimkit_scheduler::scheduler::{evicting, has_ended};
use std::collections::{BTreeMap, BTreeSet};

/// Why the devices of a node should not be in use.
enum Trouble {
    Ending,
    Unreachable,
    NotReady {
        /// The place of the condition in the status.
        condition: usize,
        reason: String,
    },
    Cordoned,
}

impl Trouble {
    fn of(node: &Node) -> Option<Self> {
        if node.metadata.deletion_timestamp.is_some() {
            Some(Trouble::Ending)
        } else if is_unreachable(node) {
            Some(Trouble::Unreachable)
        } else if let Some((condition, not_ready)) = not_ready(node) {
            Some(Trouble::NotReady {
                condition,
                reason: not_ready.reason.clone(),
            })
        } else {
            node.spec.unschedulable.then_some(Trouble::Cordoned)
        }
    }

    fn path(&self) -> FieldPath {
        match self {
            Trouble::Ending => field_path!["metadata", "deletionTimestamp"],
            Trouble::Unreachable => field_path!["metadata", "name"],
            Trouble::NotReady { condition, .. } => {
                field_path!["status", "conditions", *condition, "status"]
            }
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
            Trouble::NotReady { reason, .. } if reason.is_empty() => message!(
                "audit.node-not-ready-in-use",
                "node {node} is not ready and has devices in use by {claims}",
                node,
                claims,
            ),
            Trouble::NotReady { reason, .. } => message!(
                "audit.node-not-ready-for-in-use",
                "node {node} is not ready ({reason}) and has devices in use by {claims}",
                node,
                reason,
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

/// Returns true if no new pod is placed on a node: it is cordoned, being deleted, not ready or not heard from.
pub fn takes_no_pods(node: &Node) -> bool {
    Trouble::of(node).is_some()
}

/// Reports a lost node whose devices nobody uses: pods that wait cannot get them. A cordoned node or one that is being deleted is so on
/// purpose.
fn check_idle(cluster: &Cluster<'_>, node: &Node, trouble: &Trouble, finder: &mut Finder<'_, '_>) {
    let name = node.metadata.name.as_str();
    let slices = cluster.facts.slices.iter();
    let own = slices.filter(|slice| slice.spec.node_name.as_deref() == Some(name));
    let devices: usize = own.map(|slice| slice.spec.devices.len()).sum();
    if devices == 0 {
        return;
    }
    let message = match trouble {
        Trouble::Unreachable => message!(
            "audit.node-unreachable-idle",
            "node {node} is unreachable: no pod gets its devices ({devices})",
            node = name,
            devices,
        ),
        Trouble::NotReady { reason, .. } if reason.is_empty() => message!(
            "audit.node-not-ready-idle",
            "node {node} is not ready: no pod gets its devices ({devices})",
            node = name,
            devices,
        ),
        Trouble::NotReady { reason, .. } => message!(
            "audit.node-not-ready-for-idle",
            "node {node} is not ready ({reason}): no pod gets its devices ({devices})",
            node = name,
            reason,
            devices,
        ),
        Trouble::Ending | Trouble::Cordoned => return,
    };
    let about = About::object("Node", &node.metadata).at(trouble.path());
    finder.tell(Code::LostNodeIdle, about, message, None);
}

/// Says why a pod does not run on its node as it should: the node is being deleted, unreachable or not ready.
pub fn trouble_of_pod(pod: &Pod, node: &Node) -> Option<Message> {
    let (pod, name) = (pod.metadata.full_name(), &node.metadata.name);
    Some(match Trouble::of(node)? {
        Trouble::Ending => message!(
            "audit.pod-node-ending",
            "pod {pod} is on node {node}, which is being deleted",
            pod,
            node = name,
        ),
        Trouble::Unreachable => message!(
            "audit.pod-node-unreachable",
            "pod {pod} is on node {node}, which is unreachable",
            pod,
            node = name,
        ),
        Trouble::NotReady { reason, .. } if reason.is_empty() => message!(
            "audit.pod-node-not-ready",
            "pod {pod} is on node {node}, which is not ready",
            pod,
            node = name,
        ),
        Trouble::NotReady { reason, .. } => message!(
            "audit.pod-node-not-ready-for",
            "pod {pod} is on node {node}, which is not ready ({reason})",
            pod,
            node = name,
            reason,
        ),
        Trouble::Cordoned => return None,
    })
}

/// Returns true if nothing is heard from the kubelet of a node.
pub fn is_unreachable(node: &Node) -> bool {
    let mut conditions = node.status.conditions.iter();
    let mut taints = node.spec.taints.iter();
    conditions.any(|condition| condition.kind == "Ready" && condition.status == "Unknown")
        || taints.any(|taint| taint.key == UNREACHABLE)
}

/// Returns the condition in which the kubelet of a node says that it is not ready, and its place.
fn not_ready(node: &Node) -> Option<(usize, &NodeCondition)> {
    let mut conditions = node.status.conditions.iter().enumerate();
    conditions.find(|(_, condition)| condition.kind == "Ready" && condition.status == "False")
}

/// Reports pods with claims that a taint of their node evicts. Taints that say of a node what its conditions say are reported with the
/// node.
fn check_evictions(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let nodes = cluster.facts.nodes.iter();
    let nodes: BTreeMap<&str, &Node> = nodes
        .filter(|node| !node.spec.taints.is_empty())
        .map(|node| (node.metadata.name.as_str(), &**node))
        .collect();
    let mut evicted: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for pod in &cluster.facts.pods {
        let is_ending = has_ended(pod) || pod.metadata.deletion_timestamp.is_some();
        let node = nodes.get(pod.spec.node_name.as_str());
        let Some(node) = node.filter(|_| !is_ending && !pod.spec.resource_claims.is_empty()) else {
            continue;
        };
        if let Some(taint) = evicting(&pod.spec.tolerations, node)
            && !matches!(taint.key.as_str(), NOT_READY | UNREACHABLE)
        {
            let pods = evicted
                .entry((&node.metadata.name, &taint.key))
                .or_default();
            pods.push(pod.metadata.full_name());
        }
    }
    for ((name, key), pods) in evicted {
        let Some(node) = nodes.get(name) else {
            continue;
        };
        let mut taints = node.spec.taints.iter().enumerate();
        let Some((at, taint)) =
            taints.find(|(_, taint)| taint.key == key && taint.effect == "NoExecute")
        else {
            continue;
        };
        let value = match taint.value.as_str() {
            "" => String::new(),
            value => format!("={value}"),
        };
        let message = message!(
            "audit.node-evicts",
            "taint {taint} of node {node} evicts pods that have claims and do not tolerate it: {pods}",
            taint = format!("{key}{value}:{}", taint.effect),
            node = name,
            pods = first_names(pods),
        );
        let help = message!(
            "audit.node-evicts-help",
            "kube-controller-manager ends these pods: if it does not, look at its log"
        );
        let about = About::object("Node", &node.metadata).at(field_path!["spec", "taints", at]);
        finder.tell(Code::UnusableNodeInUse, about, message, Some(help));
    }
}

/// Reports nodes with devices in use that are being deleted, unreachable, not ready or cordoned, lost ones with idle devices, and those that
/// evict their pods.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    check_evictions(cluster, finder);
    let nodes = cluster.facts.nodes.iter();
    let troubled: BTreeMap<&str, (&Node, Trouble)> = nodes
        .filter_map(|node| Some((node.metadata.name.as_str(), (&**node, Trouble::of(node)?))))
        .collect();
    if troubled.is_empty() {
        return;
    }
    let mut users: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    // kube-scheduler takes the devices back from a claim that is reserved for nobody.
    let claims = cluster.facts.claims.iter();
    for claim in claims.filter(|claim| !claim.status.reserved_for.is_empty()) {
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
            check_idle(cluster, node, trouble, finder);
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
    let slices = cluster
        .slices_of_pool(&result.driver, &result.pool)
        .iter()
        .filter_map(|at| cluster.slice(*at));
    let devices = slices.flat_map(|slice| slice.spec.devices.iter().map(move |one| (slice, one)));
    let mut nodes = devices
        .filter(|(_, device)| device.name == result.device)
        .map(|(slice, device)| node_of(slice, device));
    let first = nodes.next().flatten();
    first.filter(|first| nodes.all(|node| node == Some(first)))
}
