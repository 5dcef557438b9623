//! Affinity between pods: the plugin InterPodAffinity.

use super::labels::Pods;
use super::outcome::{Plugin, PluginRefusal, RefusalReason};
use super::prepared::Prepared;
use super::state::State;
use crate::allocator::objects::Node;
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::status::StatusCode;

/// The weight of a pod that requires the neighborhood of the new one in a node's score (`hardPodAffinityWeight`).
const REQUIRED_WEIGHT: i64 = 1;

/// Counts by the value of a label.
type ByValue<'f> = Sorted<&'f str, i64>;

/// The rules that keep a pod off nodes: `PreFilter`.
#[derive(Clone, Debug, Default)]
pub struct InterPodAffinity<'f> {
    /// Per term of the pod: label, and how many pods that match all its terms each value has.
    near: Vec<(String, ByValue<'f>)>,
    /// No pod matches all terms, but the pod itself does.
    first_of_its_kind: bool,
    /// Label and values near which the pod must not be.
    away: Vec<(String, Set<&'f str>)>,
    /// Label and values near which pods are that must not be near this one.
    refused: Vec<(String, Set<&'f str>)>,
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
                affinity
                    .away
                    .push((term.topology_key.clone(), values.keys().copied().collect()));
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
                match affinity
                    .refused
                    .iter_mut()
                    .find(|(key, _)| *key == term.topology_key)
                {
                    Some((_, values)) => drop(values.insert(value)),
                    None => affinity
                        .refused
                        .push((term.topology_key.clone(), [value].into_iter().collect())),
                }
            }
        }
        affinity
    }

    /// Returns true if no rule concerns the pod.
    pub fn is_empty(&self) -> bool {
        self.near.is_empty() && self.away.is_empty() && self.refused.is_empty()
    }

    /// Answers `Filter`.
    pub fn filter(&self, node: &Node) -> Option<PluginRefusal> {
        let is_near = self.near.iter().all(|(key, counts)| {
            let count = label(node, key).and_then(|value| counts.get(value));
            node.may_have_label(key) || count.is_some_and(|count| *count > 0)
        });
        let is_met = is_near
            || self.first_of_its_kind
                && self.near.iter().all(|(key, _)| label(node, key).is_some());
        let (code, reason) = if !is_met {
            (
                StatusCode::UnschedulableAndUnresolvable,
                RefusalReason::PodAffinity,
            )
        } else if is_in_any(node, &self.away) {
            (StatusCode::Unschedulable, RefusalReason::PodAntiAffinity)
        } else if is_in_any(node, &self.refused) {
            (
                StatusCode::Unschedulable,
                RefusalReason::OtherPodsAntiAffinity,
            )
        } else {
            return None;
        };
        Some(PluginRefusal::new(Plugin::InterPodAffinity, code, reason))
    }
}

/// Returns true if the node has one of the labels with one of its values.
fn is_in_any(node: &Node, labels: &[(String, Set<&str>)]) -> bool {
    labels
        .iter()
        .any(|(key, values)| label(node, key).is_some_and(|value| values.contains(&value)))
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
    for (term, weight) in prepared
        .affinity(pod)
        .map_or(&[][..], |rules| rules.preferred.as_slice())
    {
        let counter = state.counter(prepared, Pods::Terms(vec![term.clone()]));
        for (value, count) in by_value(prepared, state, counter, &term.topology_key) {
            sums.add(&term.topology_key, value, weight.saturating_mul(count));
        }
    }
    for other in &state.with_affinity {
        let Some(node) = state.pods.get(*other).and_then(|state| state.node) else {
            continue;
        };
        let (Some(rules), Some(node)) = (prepared.affinity(*other), prepared.facts.nodes.get(node))
        else {
            continue;
        };
        let required = rules.near.iter().map(|term| (term, REQUIRED_WEIGHT));
        for (term, weight) in
            required.chain(rules.preferred.iter().map(|(term, weight)| (term, *weight)))
        {
            if let Some(value) = label(node, &term.topology_key)
                && term.matches(prepared.facts, &facts.metadata)
            {
                sums.add(&term.topology_key, value, weight);
            }
        }
    }
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
    let least = *raw.iter().min()?;
    let most = *raw.iter().max()?;
    let range = as_float(most.saturating_sub(least));
    let normalized = raw.iter().map(|score| {
        if range > 0.0 {
            (100.0 * (as_float(score.saturating_sub(least)) / range)) as i64
        } else {
            0
        }
    });
    Some(normalized.collect())
}

/// Converts a sum of weights, which stays far below what a float holds exactly.
fn as_float(sum: i64) -> f64 {
    i32::try_from(sum).map_or(f64::from(i32::MAX), f64::from)
}
