//! Affinity between pods: the plugin InterPodAffinity.

use super::labels::Pods;
use super::outcome::{Plugin, PluginRefusal, RefusalReason};
use super::prepared::Prepared;
use super::state::State;
use crate::allocator::objects::{Node, Pod};
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::status::StatusCode;
use std::cell::OnceCell;

/// The weight of a pod that requires the neighborhood of the new one in a node's score (`hardPodAffinityWeight`).
const REQUIRED_WEIGHT: i64 = 1;

/// Maximum number of pods of a domain that are named.
const MOST_NEARBY: usize = 3;

/// Counts by the value of a label.
type ByValue<'f> = Sorted<&'f str, i64>;

/// The rules that keep a pod off nodes: `PreFilter`.
#[derive(Clone, Debug, Default)]
pub struct InterPodAffinity<'f> {
    /// Per term of the pod: label, and how many pods that match all its terms each value has.
    near: Vec<(String, ByValue<'f>)>,
    /// No pod matches all terms, but the pod itself does.
    first_of_its_kind: bool,
    /// Per term of its anti-affinity.
    away: Vec<Avoided<'f>>,
    /// By label: pods that must not be near this one.
    refused: Vec<Refusing<'f>>,
}

/// Where pods are that the pod must not be near.
#[derive(Clone, Debug)]
struct Avoided<'f> {
    key: String,
    values: Set<&'f str>,
    /// The counter of these pods.
    counter: usize,
    /// The pods by the value of the label, once they are named.
    named: OnceCell<Sorted<&'f str, NearbyPods<'f>>>,
}

/// Where pods are that must not be near the pod.
#[derive(Clone, Debug)]
struct Refusing<'f> {
    key: String,
    /// The pods by the value of the label.
    pods: Sorted<&'f str, Vec<usize>>,
}

/// Pods on the nodes with a value of a label.
#[derive(Clone, Debug)]
pub struct NearbyPods<'f> {
    pub key: String,
    pub value: &'f str,
    /// Indexes of the first of them.
    pub pods: Vec<usize>,
    /// How many there are beside these.
    pub more: usize,
}

/// Why a pod is kept off a node.
#[derive(Clone, Debug)]
pub enum AffinityObstacle<'f> {
    /// The node lacks the label of a term.
    NoLabel(String),
    /// Nobody of those is near that the pod must be near.
    Nobody { key: String, value: &'f str },
    /// The pod must not be near these.
    Avoids(NearbyPods<'f>),
    /// These must not be near the pod.
    Avoided(NearbyPods<'f>),
}

fn label<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.metadata.labels.get(key).map(String::as_str)
}

/// Sums a count over the nodes with the same value of a label.
fn by_value<'f>(prepared: &Prepared<'f>, state: &State, counter: usize, key: &str) -> ByValue<'f> {
    let mut sums = ByValue::new();
    for (at, node) in prepared.facts.nodes.iter().enumerate() {
        let count = state.counted(counter, at);
        if let (Some(value), true) = (label(node, key), count > 0) {
            let sum = sums.entry(value);
            *sum = sum.saturating_add(count);
        }
    }
    sums
}

impl<'f> InterPodAffinity<'f> {
    /// Looks at the pods there are.
    pub fn of(prepared: &Prepared<'f>, state: &mut State, pod: usize) -> Self {
        let mut affinity = InterPodAffinity::default();
        let Some(facts) = prepared.facts.pods.get(pod) else {
            return affinity;
        };
        if let Some(rules) = prepared.affinity(pod) {
            if !rules.near.is_empty() {
                let counter = state.counter(prepared, Pods::Terms(rules.near.clone()));
                let near = rules.near.iter().map(|term| {
                    (
                        term.topology_key.clone(),
                        by_value(prepared, state, counter, &term.topology_key),
                    )
                });
                affinity.near = near.collect();
                let nobody = affinity.near.iter().all(|(_, counts)| counts.is_empty());
                affinity.first_of_its_kind = nobody
                    && rules
                        .near
                        .iter()
                        .all(|term| term.matches(prepared.facts, &facts.metadata));
            }
            for term in &rules.away {
                let counter = state.counter(prepared, Pods::Terms(vec![term.clone()]));
                let values = by_value(prepared, state, counter, &term.topology_key);
                affinity.away.push(Avoided {
                    key: term.topology_key.clone(),
                    values: values.keys().copied().collect(),
                    counter,
                    named: OnceCell::new(),
                });
            }
        }
        for other in &state.with_affinity {
            let Some(node) = state.pods.get(*other).and_then(|state| state.node) else {
                continue;
            };
            let (Some(rules), Some(node)) =
                (prepared.affinity(*other), prepared.facts.nodes.get(node))
            else {
                continue;
            };
            for term in rules
                .away
                .iter()
                .filter(|term| term.matches(prepared.facts, &facts.metadata))
            {
                let Some(value) = label(node, &term.topology_key) else {
                    continue;
                };
                affinity.add_refusing(&term.topology_key, value, *other);
            }
        }
        affinity
    }

    fn add_refusing(&mut self, key: &str, value: &'f str, pod: usize) {
        let mut refusing = self.refused.iter_mut();
        match refusing.find(|refusing| refusing.key == key) {
            Some(refusing) => refusing.pods.entry(value).push(pod),
            None => self.refused.push(Refusing {
                key: key.to_owned(),
                pods: [(value, vec![pod])].into_iter().collect(),
            }),
        }
    }

    /// Returns true if no rule concerns the pod.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.away.is_empty() && self.refused.is_empty()
    }

    /// Answers `Filter`: the pod's affinity, its anti-affinity, then the anti-affinity of other pods.
    pub fn filter(&self, node: &Node) -> Option<PluginRefusal> {
        let (code, reason) = if !self.is_affinity_met(node) {
            (
                StatusCode::UnschedulableAndUnresolvable,
                RefusalReason::PodAffinity,
            )
        } else if self.away.iter().any(|avoided| avoided.is_near(node)) {
            (StatusCode::Unschedulable, RefusalReason::PodAntiAffinity)
        } else if self.refused.iter().any(|refusing| refusing.is_near(node)) {
            (
                StatusCode::Unschedulable,
                RefusalReason::OtherPodsAntiAffinity,
            )
        } else {
            return None;
        };
        Some(PluginRefusal::new(Plugin::InterPodAffinity, code, reason))
    }

    /// Returns true if the pods that the pod wants are near the node. The first of pods that want each other needs only the labels.
    fn is_affinity_met(&self, node: &Node) -> bool {
        let are_near = self.near.iter().all(|(key, counts)| {
            let count = label(node, key).and_then(|value| counts.get(value));
            node.may_have_label(key) || count.is_some_and(|count| *count > 0)
        });
        if are_near {
            return true;
        }
        let mut terms = self.near.iter();
        self.first_of_its_kind && terms.all(|(key, _)| label(node, key).is_some())
    }
}

impl<'f> InterPodAffinity<'f> {
    /// Returns what keeps the pod off a node, as [`InterPodAffinity::filter`] finds it.
    pub fn obstacle(
        &self,
        prepared: &Prepared<'f>,
        state: &State,
        pod: usize,
        node: usize,
    ) -> Option<AffinityObstacle<'f>> {
        let node: &'f Node = prepared.facts.nodes.get(node)?;
        match self.filter(node)?.reasons.first()? {
            RefusalReason::PodAffinity => self.unmet(node),
            RefusalReason::PodAntiAffinity => {
                let avoided = self.away.iter().position(|avoided| avoided.is_near(node))?;
                let value = label(node, &self.away.get(avoided)?.key)?;
                let named = self.name_avoided(prepared, state, pod, avoided)?;
                named.get(value).cloned().map(AffinityObstacle::Avoids)
            }
            _ => {
                let refusing = self
                    .refused
                    .iter()
                    .find(|refusing| refusing.is_near(node))?;
                let value = label(node, &refusing.key)?;
                let mut nearby = NearbyPods::in_domain(&refusing.key, value);
                let pods = refusing.pods.get(value)?;
                pods.iter().for_each(|pod| nearby.add(*pod));
                Some(AffinityObstacle::Avoided(nearby))
            }
        }
    }

    /// Returns the first term of the affinity that a node does not meet.
    fn unmet(&self, node: &'f Node) -> Option<AffinityObstacle<'f>> {
        self.near.iter().find_map(|(key, counts)| {
            if node.may_have_label(key) {
                return None;
            }
            let Some(value) = label(node, key) else {
                return Some(AffinityObstacle::NoLabel(key.clone()));
            };
            let is_met = counts.get(value).is_some_and(|count| *count > 0);
            let key = key.clone();
            (!is_met).then_some(AffinityObstacle::Nobody { key, value })
        })
    }

    /// Returns the pods that a term of the anti-affinity is about, by the value of its label.
    fn name_avoided(
        &self,
        prepared: &Prepared<'f>,
        state: &State,
        pod: usize,
        at: usize,
    ) -> Option<&Sorted<&'f str, NearbyPods<'f>>> {
        let avoided = self.away.get(at)?;
        let term = prepared.affinity(pod)?.away.get(at)?;
        Some(avoided.named.get_or_init(|| {
            let mut named: Sorted<&'f str, NearbyPods<'f>> = Sorted::new();
            for (at, node) in prepared.facts.nodes.iter().enumerate() {
                let value =
                    label(node, &avoided.key).filter(|_| state.counted(avoided.counter, at) > 0);
                let (Some(value), Some(there)) = (value, state.nodes.get(at)) else {
                    continue;
                };
                if named.get(value).is_none() {
                    named.insert(value, NearbyPods::in_domain(&avoided.key, value));
                }
                let Some(nearby) = named.get_mut(value) else {
                    continue;
                };
                for other in &there.pods {
                    let facts = prepared.facts.pods.get(*other);
                    if facts.is_some_and(|other| term.matches(prepared.facts, &other.metadata)) {
                        nearby.add(*other);
                    }
                }
            }
            named
        }))
    }
}

impl Avoided<'_> {
    fn is_near(&self, node: &Node) -> bool {
        label(node, &self.key).is_some_and(|value| self.values.contains(&value))
    }
}

impl Refusing<'_> {
    fn is_near(&self, node: &Node) -> bool {
        label(node, &self.key).is_some_and(|value| self.pods.contains_key(&value))
    }
}

impl<'f> NearbyPods<'f> {
    fn in_domain(key: &str, value: &'f str) -> Self {
        NearbyPods {
            key: key.to_owned(),
            value,
            pods: Vec::new(),
            more: 0,
        }
    }

    fn add(&mut self, pod: usize) {
        if self.pods.len() < MOST_NEARBY {
            self.pods.push(pod);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }
}

/// Sums of weights, by the label of a topology and its value.
#[derive(Default)]
struct WeightSums<'f>(Vec<(String, ByValue<'f>)>);

impl<'f> WeightSums<'f> {
    fn add(&mut self, key: &str, value: &'f str, weight: i64) {
        let at = match self.0.iter().position(|(known, _)| known == key) {
            Some(at) => at,
            None => {
                self.0.push((key.to_owned(), ByValue::new()));
                self.0.len().saturating_sub(1)
            }
        };
        if let Some((_, values)) = self.0.get_mut(at) {
            let sum = values.entry(value);
            *sum = sum.saturating_add(weight);
        }
    }

    /// Returns the sum of the weights of a node's labels.
    fn of_node(&self, node: &Node) -> i64 {
        let mut sum = 0i64;
        for (key, values) in &self.0 {
            if let Some(weight) = label(node, key).and_then(|value| values.get(value)) {
                sum = sum.saturating_add(*weight);
            }
        }
        sum
    }
}

/// Answers `PreScore`, `Score` and `NormalizeScore` for the nodes that fit; `None`: nothing to score.
pub fn scores<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    pod: usize,
    nodes: &[usize],
) -> Option<Vec<i64>> {
    let facts = prepared.facts.pods.get(pod)?;
    let mut sums: WeightSums<'f> = WeightSums::default();
    sums.add_preferences(prepared, state, pod);
    sums.add_affinity_of_others(prepared, state, facts);
    if sums.0.is_empty() {
        return None;
    }
    let raw: Vec<i64> = nodes
        .iter()
        .map(|at| {
            let node = prepared.facts.nodes.get(*at);
            node.map_or(0, |node| sums.of_node(node))
        })
        .collect();
    normalized(&raw)
}

impl<'f> WeightSums<'f> {
    /// Adds what the pod prefers, for each pod that it prefers to be near to or far from.
    fn add_preferences(&mut self, prepared: &Prepared<'f>, state: &mut State, pod: usize) {
        let rules = prepared.affinity(pod);
        for (term, weight) in rules.map_or(&[][..], |rules| rules.preferred.as_slice()) {
            let counter = state.counter(prepared, Pods::Terms(vec![term.clone()]));
            for (value, count) in by_value(prepared, state, counter, &term.topology_key) {
                self.add(&term.topology_key, value, weight.saturating_mul(count));
            }
        }
    }

    /// Adds what pods with a node prefer or require, where that is about the pod.
    fn add_affinity_of_others(&mut self, prepared: &Prepared<'f>, state: &State, pod: &Pod) {
        for other in &state.with_affinity {
            let node = state.pods.get(*other).and_then(|state| state.node);
            let node = node.and_then(|node| prepared.facts.nodes.get(node));
            let (Some(rules), Some(node)) = (prepared.affinity(*other), node) else {
                continue;
            };
            let required = rules.near.iter().map(|term| (term, REQUIRED_WEIGHT));
            let preferred = rules.preferred.iter().map(|(term, weight)| (term, *weight));
            for (term, weight) in required.chain(preferred) {
                if let Some(value) = label(node, &term.topology_key)
                    && term.matches(prepared.facts, &pod.metadata)
                {
                    self.add(&term.topology_key, value, weight);
                }
            }
        }
    }
}

/// Scales scores to the range from 0 to 100; `None`: there are none.
fn normalized(raw: &[i64]) -> Option<Vec<i64>> {
    let least = *raw.iter().min()?;
    let most = *raw.iter().max()?;
    let range = as_float(most.saturating_sub(least));
    let scaled = raw.iter().map(|score| {
        if range > 0.0 {
            (100.0 * (as_float(score.saturating_sub(least)) / range)) as i64
        } else {
            0
        }
    });
    Some(scaled.collect())
}

/// Converts a sum of weights, which stays far below what a float holds exactly.
fn as_float(sum: i64) -> f64 {
    i32::try_from(sum).map_or(f64::from(i32::MAX), f64::from)
}
