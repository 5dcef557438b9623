//! Taints of nodes and tolerations of pods: the plugins TaintToleration and NodeUnschedulable.

use super::outcome::{Plugin, PluginRefusal, RefusalReason};
use crate::allocator::objects::{CORDONED, Node, NodeTaint, Toleration};
use crate::allocator::status::StatusCode;

/// Returns true if the toleration tolerates the taint (component-helpers, `ToleratesTaint`).
pub fn tolerates(toleration: &Toleration, key: &str, value: &str, effect: &str) -> bool {
    (toleration.effect.is_empty() || toleration.effect == effect)
        && (toleration.key.is_empty() || toleration.key == key)
        && match toleration.operator.as_str() {
            "Exists" => true,
            "" | "Equal" => toleration.value == value,
            _ => false,
        }
}

fn is_tolerated(tolerations: &[Toleration], taint: &NodeTaint) -> bool {
    tolerations
        .iter()
        .any(|toleration| tolerates(toleration, &taint.key, &taint.value, &taint.effect))
}

/// Returns true if the taint keeps pods off the node.
fn repels(taint: &NodeTaint) -> bool {
    matches!(taint.effect.as_str(), "NoSchedule" | "NoExecute")
}

/// Returns the first taint that keeps a pod with these tolerations off the node.
pub fn untolerated<'n>(tolerations: &[Toleration], node: &'n Node) -> Option<&'n NodeTaint> {
    node.spec
        .taints
        .iter()
        .find(|taint| repels(taint) && !is_tolerated(tolerations, taint))
}

/// Returns all taints that keep a pod with these tolerations off the node.
pub fn all_untolerated<'n>(
    tolerations: &'n [Toleration],
    node: &'n Node,
) -> impl Iterator<Item = &'n NodeTaint> {
    node.spec
        .taints
        .iter()
        .filter(|taint| repels(taint) && !is_tolerated(tolerations, taint))
}

/// Returns the first taint that evicts a pod with these tolerations from the node at once (kube-controller-manager 1.37,
/// `pkg/controller/tainteviction`).
pub fn evicting<'n>(tolerations: &[Toleration], node: &'n Node) -> Option<&'n NodeTaint> {
    let mut taints = node.spec.taints.iter();
    taints.find(|taint| taint.effect == "NoExecute" && !is_tolerated(tolerations, taint))
}

/// Runs the filter NodeUnschedulable on a node.
pub fn cordoned(tolerations: &[Toleration], node: &Node) -> Option<PluginRefusal> {
    if !node.spec.unschedulable {
        return None;
    }
    let is_tolerated = tolerations
        .iter()
        .any(|toleration| tolerates(toleration, CORDONED, "", "NoSchedule"));
    (!is_tolerated).then(|| PluginRefusal {
        plugin: Plugin::NodeUnschedulable,
        code: StatusCode::UnschedulableAndUnresolvable,
        reasons: vec![RefusalReason::Unschedulable],
    })
}

/// Runs the filter TaintToleration on a node.
pub fn filter(tolerations: &[Toleration], node: &Node) -> Option<PluginRefusal> {
    untolerated(tolerations, node).map(|taint| PluginRefusal {
        plugin: Plugin::TaintToleration,
        code: StatusCode::UnschedulableAndUnresolvable,
        reasons: vec![RefusalReason::Taint {
            key: taint.key.as_str().into(),
            value: taint.value.as_str().into(),
        }],
    })
}

/// Returns how many taints advise against the node.
pub fn score(tolerations: &[Toleration], node: &Node) -> i64 {
    let taints = node.spec.taints.iter();
    let advising = taints.filter(|taint| advises_against(tolerations, taint));
    i64::try_from(advising.count()).unwrap_or(i64::MAX)
}

/// Returns true if a taint advises against the node, and no toleration is for it.
fn advises_against(tolerations: &[Toleration], taint: &NodeTaint) -> bool {
    taint.effect == "PreferNoSchedule"
        && !tolerations.iter().any(|toleration| {
            matches!(toleration.effect.as_str(), "" | "PreferNoSchedule")
                && tolerates(toleration, &taint.key, &taint.value, &taint.effect)
        })
}
