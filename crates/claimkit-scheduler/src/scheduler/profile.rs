//! What the filters and scores know of a pod from its spec alone. Pods with the same spec share it.

use super::outcome::PluginRefusal;
use super::ports::{self, Port};
use super::resources::Requests;
use super::{node_affinity, taints};
use crate::allocator::demand::PodStage;
use crate::allocator::nodes::Judgements;
use crate::allocator::objects::{Facts, Pod, PodSpec};
use std::cell::OnceCell;
use std::rc::Rc;

/// A pod's spec as the plugins see it.
#[derive(Debug)]
pub struct Profile {
    pub requests: Requests,
    /// Ports of the node that it uses.
    pub ports: Vec<Port>,
    nodes: OnceCell<NodeViews>,
}

/// The results of a spec on every node, whatever runs there.
#[derive(Debug)]
pub struct NodeViews {
    /// The first refusal, node by node.
    pub refused: Vec<Option<Rc<PluginRefusal>>>,
    /// The only nodes that are tried, if the pod names some.
    pub named: Option<Vec<usize>>,
    /// The nodes that are named contradict each other.
    pub contradiction: bool,
    /// Taints that advise against a node; `None`: no node has any.
    pub advised_against: Option<Vec<i64>>,
    /// Weight of the preferences that a node meets; `None`: there are none.
    pub preferred: Option<Vec<i64>>,
}

impl Profile {
    /// Returns the profile of a pod.
    pub fn of(
        names: &super::resources::Names,
        rules: &super::release::ReleaseRules,
        pod: &Pod,
        stage: PodStage,
    ) -> Self {
        Profile {
            requests: Requests::of(names, pod, stage, rules),
            ports: ports::of(&pod.spec),
            nodes: OnceCell::new(),
        }
    }

    /// Returns the results of the spec on every node.
    pub fn views(&self, facts: &Facts, judgements: &Judgements, pod: usize) -> &NodeViews {
        static NO_SPEC: std::sync::LazyLock<PodSpec> = std::sync::LazyLock::new(PodSpec::default);
        self.nodes.get_or_init(|| {
            let spec = facts.pods.get(pod).map_or(&*NO_SPEC, |pod| &pod.spec);
            let nodes = facts.nodes.as_slice();
            let required = node_affinity::Required::of(nodes, judgements, spec);
            let named = required.named_nodes();
            let refused = nodes.iter().enumerate().map(|(at, node)| {
                taints::cordoned(&spec.tolerations, node)
                    .or_else(|| taints::filter(&spec.tolerations, node))
                    .or_else(|| required.filter(at))
                    .map(Rc::new)
            });
            let advice: Vec<i64> = nodes
                .iter()
                .map(|node| taints::score(&spec.tolerations, node))
                .collect();
            NodeViews {
                refused: refused.collect(),
                contradiction: named.as_ref().is_some_and(|(_, values)| *values == 0),
                named: named.map(|(nodes, _)| nodes),
                advised_against: advice.iter().any(|count| *count > 0).then_some(advice),
                preferred: node_affinity::preferred(nodes, judgements, spec),
            }
        })
    }
}

impl NodeViews {
    /// Returns all refusals of a node, not only the first.
    pub fn all_refusals(
        facts: &Facts,
        judgements: &Judgements,
        pod: &Pod,
        node: usize,
    ) -> Vec<PluginRefusal> {
        let Some(there) = facts.nodes.get(node) else {
            return Vec::new();
        };
        let tolerations = &pod.spec.tolerations;
        let affinity =
            node_affinity::Required::of(&facts.nodes, judgements, &pod.spec).filter(node);
        [
            taints::cordoned(tolerations, there),
            taints::filter(tolerations, there),
            affinity,
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Returns true if two pods have one profile: all that [`Profile`] reads is equal.
pub fn same(a: &Pod, b: &Pod) -> bool {
    let (one, other) = (&a.spec, &b.spec);
    one.containers == other.containers
        && one.init_containers == other.init_containers
        && one.node_selector == other.node_selector
        && one.tolerations == other.tolerations
        && one.affinity == other.affinity
        && one.resources == other.resources
        && one.overhead == other.overhead
        && one.topology_spread_constraints == other.topology_spread_constraints
        && a.status.container_statuses == b.status.container_statuses
        && a.status.init_container_statuses == b.status.init_container_statuses
        && a.status.resources == b.status.resources
        && a.status.allocated_resources == b.status.allocated_resources
        && a.status.node_allocatable_resource_claim_statuses
            == b.status.node_allocatable_resource_claim_statuses
}
