//! Spreading of pods over domains of nodes: the plugin PodTopologySpread.

use super::labels::{PodLabelSelector, Pods};
use super::node_affinity;
use super::outcome::{Plugin, PluginRefusal, RefusalReason};
use super::prepared::Prepared;
use super::state::State;
use super::taints;
use crate::allocator::objects::{Node, Pod, SpreadConstraint, WorkloadKind};
use crate::allocator::sorted::Sorted;
use crate::allocator::status::StatusCode;

/// The label of a node's own domain.
const HOST: &str = "kubernetes.io/hostname";
/// The label of a zone.
const ZONE: &str = "topology.kubernetes.io/zone";
/// The policy of constraints that look at taints, or at the affinity of the pod.
const HONOR: &str = "Honor";
/// The default constraints of upstream for pods that have none: label and greatest difference.
const DEFAULTS: [(&str, i64); 2] = [(HOST, 3), (ZONE, 5)];

/// The action for a constraint that no node meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// The pod is not placed.
    DoNotSchedule,
    /// The node is only worse.
    ScheduleAnyway,
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Action::DoNotSchedule => "DoNotSchedule",
            Action::ScheduleAnyway => "ScheduleAnyway",
        }
    }
}

/// A constraint of a pod.
#[derive(Clone, Debug)]
struct Constraint<'f> {
    key: &'f str,
    max_skew: i64,
    min_domains: i64,
    /// The pod itself is among those that count.
    counts_itself: bool,
    honors_affinity: bool,
    honors_taints: bool,
    /// The counter of its pods.
    counter: usize,
}

/// The constraints that keep a pod off nodes, with the counts of their domains.
#[derive(Clone, Debug, Default)]
pub struct Spread<'f> {
    constraints: Vec<CountedConstraint<'f>>,
}

#[derive(Clone, Debug)]
struct CountedConstraint<'f> {
    constraint: Constraint<'f>,
    /// The number of pods in each domain.
    counts: Sorted<&'f str, i64>,
    /// The number of pods that others are compared with: that of the domain with the fewest, or 0 if there are too few domains.
    least: i64,
}

impl<'f> CountedConstraint<'f> {
    fn new(constraint: Constraint<'f>, counts: Sorted<&'f str, i64>) -> Self {
        let has_enough_domains =
            i64::try_from(counts.len()).is_ok_and(|domains| domains >= constraint.min_domains);
        let least = if has_enough_domains {
            let fewest = counts.values().min().copied();
            fewest.unwrap_or(i64::from(i32::MAX))
        } else {
            0
        };
        CountedConstraint {
            constraint,
            counts,
            least,
        }
    }
}

fn label<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.metadata.labels.get(key).map(String::as_str)
}

impl<'f> Constraint<'f> {
    fn of(
        prepared: &Prepared<'f>,
        state: &mut State,
        pod: &'f Pod,
        written: &'f SpreadConstraint,
    ) -> Self {
        let mut selector = selector_of(written, pod);
        let counts_itself = selector.matches(&pod.metadata.labels);
        if selector.is_empty() && !prepared.setup.rules.empty_selectors_count {
            selector = PodLabelSelector::Nothing;
        }
        Constraint {
            key: &written.topology_key,
            max_skew: written.max_skew,
            min_domains: written.min_domains.unwrap_or(1),
            counts_itself,
            honors_affinity: written.node_affinity_policy.as_deref().unwrap_or(HONOR) == HONOR,
            honors_taints: written.node_taints_policy.as_deref() == Some(HONOR),
            counter: state.counter(
                prepared,
                Pods::Selected {
                    namespace: pod.metadata.namespace.clone(),
                    selector,
                },
            ),
        }
    }

    /// Returns true if the pods of the node count.
    fn includes(
        &self,
        required: &node_affinity::Required<'_>,
        pod: &Pod,
        at: usize,
        node: &Node,
    ) -> bool {
        (!self.honors_affinity || required.matches(at))
            && (!self.honors_taints || taints::untolerated(&pod.spec.tolerations, node).is_none())
    }
}

/// Returns true if a constraint that keeps the pod off nodes counts the other pod.
pub fn counts(pod: &Pod, other: &Pod) -> bool {
    let written = pod.spec.topology_spread_constraints.iter();
    let mut strict = written.filter(|one| one.when_unsatisfiable == Action::DoNotSchedule.name());
    pod.metadata.namespace == other.metadata.namespace
        && strict.any(|one| selector_of(one, pod).matches(&other.metadata.labels))
}

fn selector_of(written: &SpreadConstraint, pod: &Pod) -> PodLabelSelector {
    let mut selector = PodLabelSelector::of(written.label_selector.as_ref());
    selector.require(&written.match_label_keys, &pod.metadata.labels);
    selector
}

fn constraints<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    pod: &'f Pod,
    action: Action,
) -> Vec<Constraint<'f>> {
    let written = pod
        .spec
        .topology_spread_constraints
        .iter()
        .filter(|one| one.when_unsatisfiable == action.name());
    written
        .map(|one| Constraint::of(prepared, state, pod, one))
        .collect()
}

impl<'f> Spread<'f> {
    /// Answers `PreFilter`: counts the pods of every domain.
    pub fn of(prepared: &Prepared<'f>, state: &mut State, pod: &'f Pod) -> Self {
        let strict = constraints(prepared, state, pod, Action::DoNotSchedule);
        if strict.is_empty() {
            return Spread::default();
        }
        let required = node_affinity::Required::of(
            &prepared.facts.nodes,
            &prepared.cluster.judgements,
            &pod.spec,
        );
        let mut domains: Vec<Sorted<&'f str, i64>> = vec![Sorted::new(); strict.len()];
        for (at, node) in prepared.facts.nodes.iter().enumerate() {
            if !has_labels(node, &strict) {
                continue;
            }
            for (constraint, counts) in strict.iter().zip(&mut domains) {
                if let Some(domain) = label(node, constraint.key)
                    && constraint.includes(&required, pod, at, node)
                {
                    let count = counts.entry(domain);
                    *count = count.saturating_add(state.counted(constraint.counter, at));
                }
            }
        }
        let counted = strict
            .into_iter()
            .zip(domains)
            .map(|(constraint, counts)| CountedConstraint::new(constraint, counts));
        Spread {
            constraints: counted.collect(),
        }
    }

    /// Returns true if the pod has no such constraints.
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty()
    }

    /// Answers `Filter`.
    pub fn filter(&self, node: &Node) -> Option<PluginRefusal> {
        for CountedConstraint {
            constraint,
            counts,
            least,
        } in &self.constraints
        {
            if node.may_have_label(constraint.key) {
                continue;
            }
            let Some(domain) = label(node, constraint.key) else {
                let code = StatusCode::UnschedulableAndUnresolvable;
                return Some(PluginRefusal::new(
                    Plugin::PodTopologySpread,
                    code,
                    RefusalReason::SpreadLabel,
                ));
            };
            let have = counts.get(domain).copied().unwrap_or(0);
            let skew = have
                .saturating_add(i64::from(constraint.counts_itself))
                .saturating_sub(*least);
            if skew > constraint.max_skew {
                return Some(PluginRefusal::new(
                    Plugin::PodTopologySpread,
                    StatusCode::Unschedulable,
                    RefusalReason::Spread,
                ));
            }
        }
        None
    }
}

/// Returns the pods that belong together with a pod that says nothing about spreading (kube-scheduler, `helper.DefaultSelector`).
fn default_selector(prepared: &Prepared<'_>, pod: &Pod) -> PodLabelSelector {
    let Pod { metadata, .. } = pod;
    let mut selector = PodLabelSelector::All(Vec::new());
    for service in prepared
        .facts
        .services
        .iter()
        .filter(|service| service.metadata.namespace == metadata.namespace)
    {
        if let Some(labels) = &service.spec.selector {
            let labels = PodLabelSelector::exactly(labels);
            if labels.matches(&metadata.labels) {
                selector.and(labels);
            }
        }
    }
    let Some(owner) = metadata
        .owner_references
        .iter()
        .find(|owner| owner.controller)
    else {
        return selector;
    };
    let kind =
        WorkloadKind::named(&owner.kind).filter(|kind| kind.api_version() == owner.api_version);
    use WorkloadKind::{ReplicaSet, ReplicationController, StatefulSet};
    let Some(kind) =
        kind.filter(|kind| matches!(kind, ReplicaSet | ReplicationController | StatefulSet))
    else {
        return selector;
    };
    let found = prepared.facts.workloads.iter().find(|workload| {
        let known = &workload.metadata;
        workload.kind == kind && known.name == owner.name && known.namespace == metadata.namespace
    });
    if let Some(workload) = found {
        selector.and(PodLabelSelector::of(
            workload.spec.selector.as_ref().map(|selector| &selector.0),
        ));
    }
    selector
}

/// Answers `PreScore`, `Score` and `NormalizeScore` for the nodes that fit; `None`: nothing to score.
pub fn scores<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    pod: &'f Pod,
    nodes: &[usize],
) -> Option<Vec<i64>> {
    let preferred = PreferredSpread::of(prepared, state, pod);
    if preferred.constraints.is_empty() {
        return None;
    }
    let scored = preferred.scored_nodes(prepared, nodes);
    let mut domains = preferred.domains(&scored);
    preferred.count_pods(prepared, state, pod, &mut domains);
    let raw: Vec<Option<i64>> = nodes
        .iter()
        .zip(&scored)
        .map(|(at, node)| Some(preferred.score(state, &domains, *at, (*node)?)))
        .collect();
    Some(normalized(&raw))
}

/// The constraints by which the nodes for a pod are scored.
struct PreferredSpread<'f> {
    constraints: Vec<Constraint<'f>>,
    /// Nodes get a score only if they have the labels of all constraints. Of default constraints no label is required.
    requires_labels: bool,
}

/// The domains of a constraint.
struct Domains<'f> {
    /// The number of pods in each domain; none where each node is a domain of its own.
    counts: Sorted<&'f str, i64>,
    /// The weight of a pod: it grows with the number of domains.
    weight: f64,
}

impl<'f> PreferredSpread<'f> {
    fn of(prepared: &Prepared<'f>, state: &mut State, pod: &'f Pod) -> Self {
        if pod.spec.topology_spread_constraints.is_empty() {
            return PreferredSpread {
                constraints: defaults(prepared, state, pod),
                requires_labels: false,
            };
        }
        PreferredSpread {
            constraints: constraints(prepared, state, pod, Action::ScheduleAnyway),
            requires_labels: true,
        }
    }

    fn is_scored(&self, node: &Node) -> bool {
        !self.requires_labels || has_labels(node, &self.constraints)
    }

    /// Returns the nodes that fit, in their order, without those that get no score.
    fn scored_nodes(&self, prepared: &Prepared<'f>, nodes: &[usize]) -> Vec<Option<&'f Node>> {
        let facts = &prepared.facts.nodes;
        let mut scored = Vec::with_capacity(nodes.len());
        for at in nodes {
            let node = facts.get(*at).map(|node| &**node);
            scored.push(node.filter(|node| self.is_scored(node)));
        }
        scored
    }

    /// Returns the domains of each constraint, without pods.
    fn domains(&self, scored: &[Option<&'f Node>]) -> Vec<Domains<'f>> {
        let mut list = Vec::with_capacity(self.constraints.len());
        for constraint in &self.constraints {
            let mut counts: Sorted<&str, i64> = Sorted::new();
            let mut nodes = 0usize;
            for node in scored.iter().flatten() {
                nodes = nodes.saturating_add(1);
                if constraint.key != HOST {
                    counts.entry(label(node, constraint.key).unwrap_or_default());
                }
            }
            let size = if constraint.key == HOST {
                nodes
            } else {
                counts.len()
            };
            list.push(Domains {
                counts,
                weight: weight_of_domains(size),
            });
        }
        list
    }

    /// Counts the pods of all nodes in the domains of the nodes that fit.
    fn count_pods(
        &self,
        prepared: &Prepared<'f>,
        state: &State,
        pod: &Pod,
        domains: &mut [Domains<'f>],
    ) {
        if self.constraints.iter().all(|one| one.key == HOST) {
            return;
        }
        let required = node_affinity::Required::of(
            &prepared.facts.nodes,
            &prepared.cluster.judgements,
            &pod.spec,
        );
        for (at, node) in prepared.facts.nodes.iter().enumerate() {
            if !self.is_scored(node) {
                continue;
            }
            for (constraint, domains) in self.constraints.iter().zip(&mut *domains) {
                let domain = label(node, constraint.key).unwrap_or_default();
                if let Some(count) = domains.counts.get_mut(domain)
                    && constraint.includes(&required, pod, at, node)
                {
                    *count = count.saturating_add(state.counted(constraint.counter, at));
                }
            }
        }
    }

    /// Returns the score of a node before it is normalized: the lower, the better.
    fn score(&self, state: &State, domains: &[Domains<'f>], at: usize, node: &Node) -> i64 {
        let mut score = 0f64;
        for (constraint, domains) in self.constraints.iter().zip(domains) {
            let Some(domain) = label(node, constraint.key) else {
                continue;
            };
            let count = match constraint.key {
                HOST => state.counted(constraint.counter, at),
                _ => domains.counts.get(domain).copied().unwrap_or(0),
            };
            let tolerated = constraint.max_skew.saturating_sub(1);
            score += as_float(count) * domains.weight + as_float(tolerated);
        }
        as_int(score.round())
    }
}

fn weight_of_domains(size: usize) -> f64 {
    let size = u32::try_from(size.saturating_add(2));
    size.map_or(f64::from(u32::MAX), f64::from).ln()
}

/// Returns true if a node has the labels of all constraints.
fn has_labels(node: &Node, constraints: &[Constraint<'_>]) -> bool {
    constraints
        .iter()
        .all(|constraint| label(node, constraint.key).is_some())
}

/// Normalizes scores: the fewer pods, the better; nodes without a score are worst.
fn normalized(raw: &[Option<i64>]) -> Vec<i64> {
    let least = raw.iter().flatten().min().copied().unwrap_or(i64::MAX);
    let most = raw.iter().flatten().max().copied().unwrap_or(0).max(0);
    raw.iter()
        .map(|score| match score {
            None => 0,
            Some(_) if most == 0 => 100,
            Some(score) => most
                .saturating_add(least)
                .saturating_sub(*score)
                .saturating_mul(100)
                .checked_div(most)
                .unwrap_or(0),
        })
        .collect()
}

fn defaults<'f>(prepared: &Prepared<'f>, state: &mut State, pod: &'f Pod) -> Vec<Constraint<'f>> {
    let selector = default_selector(prepared, pod);
    if selector.is_empty() {
        return Vec::new();
    }
    let counter = state.counter(
        prepared,
        Pods::Selected {
            namespace: pod.metadata.namespace.clone(),
            selector,
        },
    );
    DEFAULTS
        .into_iter()
        .map(|(key, max_skew)| Constraint {
            key,
            max_skew,
            min_domains: 1,
            counts_itself: true,
            honors_affinity: true,
            honors_taints: false,
            counter,
        })
        .collect()
}

/// Counts stay far below what a float holds exactly.
fn as_float(count: i64) -> f64 {
    i32::try_from(count).map_or(f64::from(i32::MAX), f64::from)
}

/// Rounds a score to an integer.
fn as_int(score: f64) -> i64 {
    score as i64
}
