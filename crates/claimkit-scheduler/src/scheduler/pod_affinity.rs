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
        let refused =
            |code, reason| Some(PluginRefusal::new(Plugin::InterPodAffinity, code, reason));
        let here = |(key, counts): &(String, ByValue<'_>)| {
            node.may_have_label(key)
                || label(node, key)
                    .is_some_and(|value| counts.get(value).is_some_and(|count| *count > 0))
        };
        if !self.near.iter().all(here) {
            let labeled = self.near.iter().all(|(key, _)| label(node, key).is_some());
            if !(self.first_of_its_kind && labeled) {
                return refused(
                    StatusCode::UnschedulableAndUnresolvable,
                    RefusalReason::PodAffinity,
                );
            }
        }
        let among = |list: &[(String, Set<&str>)]| {
            list.iter()
                .any(|(key, values)| label(node, key).is_some_and(|value| values.contains(&value)))
        };
        if among(&self.away) {
            return refused(StatusCode::Unschedulable, RefusalReason::PodAntiAffinity);
        }
        if among(&self.refused) {
            return refused(
                StatusCode::Unschedulable,
                RefusalReason::OtherPodsAntiAffinity,
            );
        }
        None
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
    let mut sums: Vec<(String, ByValue<'f>)> = Vec::new();
    let mut add = |key: &str, value: &'f str, weight: i64| {
        let at = match sums.iter().position(|(known, _)| known == key) {
            Some(at) => at,
            None => {
                sums.push((key.to_owned(), ByValue::new()));
                sums.len().saturating_sub(1)
            }
        };
        if let Some((_, values)) = sums.get_mut(at) {
            let sum = values.entry(value);
            *sum = sum.saturating_add(weight);
        }
    };
    for (term, weight) in prepared
        .affinity(pod)
        .map_or(&[][..], |rules| rules.preferred.as_slice())
    {
        let counter = state.counter(prepared, Pods::Terms(vec![term.clone()]));
        for (value, count) in by_value(prepared, state, counter, &term.topology_key) {
            add(&term.topology_key, value, weight.saturating_mul(count));
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
                add(&term.topology_key, value, weight);
            }
        }
    }
    if sums.is_empty() {
        return None;
    }
    let raw: Vec<i64> = nodes
        .iter()
        .map(|at| {
            let node = prepared.facts.nodes.get(*at);
            let of = |(key, values): &(String, ByValue<'_>)| {
                node.and_then(|node| values.get(label(node, key)?))
                    .copied()
                    .unwrap_or(0)
            };
            sums.iter().map(of).fold(0, i64::saturating_add)
        })
        .collect();
    let (least, most) = (raw.iter().min().copied()?, raw.iter().max().copied()?);
    let range = as_float(most.saturating_sub(least));
    let one = |score: &i64| {
        if range > 0.0 {
            (100.0 * (as_float(score.saturating_sub(least)) / range)) as i64
        } else {
            0
        }
    };
    Some(raw.iter().map(one).collect())
}

/// Converts a sum of weights, which stays far below what a float holds exactly.
fn as_float(sum: i64) -> f64 {
    i32::try_from(sum).map_or(f64::from(i32::MAX), f64::from)
}
