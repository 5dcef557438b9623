//! Which of the nodes that fit is taken: the scores of all plugins, weighted as the default profile does.

use super::prepared::{DeviceAnswer, Prepared};
use super::resources::{CPU, MEMORY};
use super::state::State;
use super::turn::PodAttempt;
use super::{pod_affinity, topology_spread, volume_binding};

/// Best score of a plugin on a node.
const BEST: i64 = 100;

/// Weights of the default profile (kube-scheduler, `apis/config/v1/default_plugins.go`).
mod weight {
    pub const TAINT_TOLERATION: i64 = 3;
    pub const NODE_AFFINITY: i64 = 2;
    pub const POD_TOPOLOGY_SPREAD: i64 = 2;
    pub const INTER_POD_AFFINITY: i64 = 2;
    pub const DYNAMIC_RESOURCES: i64 = 2;
    pub const NODE_RESOURCES_FIT: i64 = 1;
    pub const VOLUME_BINDING: i64 = 1;
    pub const BALANCED_ALLOCATION: i64 = 1;
}

/// Computes the sums of all scores, node by node. A plugin without scores for the pod adds nothing.
pub fn totals<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &PodAttempt<'_, 'f>,
    nodes: &[usize],
) -> Vec<i64> {
    let mut totals = Totals(vec![0; nodes.len()]);
    if let Some(scores) = taint_scores(turn, nodes) {
        totals.add(&scores, weight::TAINT_TOLERATION);
    }
    if let Some(scores) = node_affinity_scores(turn, nodes) {
        totals.add(&scores, weight::NODE_AFFINITY);
    }
    if let Some(scores) = topology_spread::scores(prepared, state, turn.facts, nodes) {
        totals.add(&scores, weight::POD_TOPOLOGY_SPREAD);
    }
    if let Some(scores) = pod_affinity::scores(prepared, state, turn.pod, nodes) {
        totals.add(&scores, weight::INTER_POD_AFFINITY);
    }
    if let Some(scores) = device_scores(prepared, state, turn, nodes) {
        totals.add(&scores, weight::DYNAMIC_RESOURCES);
    }
    if let Some(scores) = storage_scores(prepared, state, turn, nodes) {
        totals.add(&scores, weight::VOLUME_BINDING);
    }
    let scores = fit_scores(prepared, state, turn, nodes);
    totals.add(&scores, weight::NODE_RESOURCES_FIT);
    if let Some(scores) = balance_scores(prepared, state, turn, nodes) {
        totals.add(&scores, weight::BALANCED_ALLOCATION);
    }
    totals.0
}

/// Scores the taints that advise against a node: most of them is worst.
fn taint_scores(turn: &PodAttempt<'_, '_>, nodes: &[usize]) -> Option<Vec<i64>> {
    let advised_against = turn.views.advised_against.as_ref()?;
    Some(reversed(normalized(&pick(advised_against, nodes))))
}

fn node_affinity_scores(turn: &PodAttempt<'_, '_>, nodes: &[usize]) -> Option<Vec<i64>> {
    let preferred = turn.views.preferred.as_ref()?;
    Some(normalized(&pick(preferred, nodes)))
}

fn device_scores<'f>(
    prepared: &Prepared<'f>,
    state: &State,
    turn: &PodAttempt<'_, 'f>,
    nodes: &[usize],
) -> Option<Vec<i64>> {
    if !prepared.setup.rules.devices_scored {
        return None;
    }
    let devices = turn.devices.as_ref()?;
    let scores: Vec<i64> = nodes
        .iter()
        .map(|node| match *devices.filter(prepared, state, *node) {
            DeviceAnswer::Fits(score) => score,
            _ => 0,
        })
        .collect();
    Some(normalized(&scores))
}

fn storage_scores<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &PodAttempt<'_, 'f>,
    nodes: &[usize],
) -> Option<Vec<i64>> {
    if !prepared.setup.rules.storage_scored {
        return None;
    }
    let volumes = turn.volumes.as_ref()?;
    let mut scores = Vec::with_capacity(nodes.len());
    for node in nodes {
        let plan = volume_binding::plan(prepared, state, volumes, *node);
        scores.push(plan.map_or(0, |plan| plan.score(prepared.volumes.facts)));
    }
    Some(scores)
}

fn fit_scores(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    nodes: &[usize],
) -> Vec<i64> {
    let requested = turn.profile.requests.scored;
    nodes
        .iter()
        .map(|node| least_allocated(prepared, state, requested, *node))
        .collect()
}

/// Scores how evenly CPU and memory are used. Some releases skip pods that request neither.
fn balance_scores(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    nodes: &[usize],
) -> Option<Vec<i64>> {
    let requests = &turn.profile.requests;
    let requested = [requests.amount(CPU), requests.amount(MEMORY)];
    if requested == [0, 0] && prepared.setup.rules.balance_skips_empty {
        return None;
    }
    let scores = nodes
        .iter()
        .map(|node| balanced(prepared, state, requested, *node));
    Some(scores.collect())
}

/// The scores of the nodes that fit, added up.
struct Totals(Vec<i64>);

impl Totals {
    fn add(&mut self, scores: &[i64], weight: i64) {
        for (total, score) in self.0.iter_mut().zip(scores) {
            *total = total.saturating_add(score.saturating_mul(weight));
        }
    }
}

/// Returns the scores of some of all nodes.
fn pick(all: &[i64], nodes: &[usize]) -> Vec<i64> {
    nodes
        .iter()
        .map(|node| all.get(*node).copied().unwrap_or(0))
        .collect()
}

/// Scales scores between 0 and the best one (`helper.DefaultNormalizeScore`).
fn normalized(scores: &[i64]) -> Vec<i64> {
    let most = scores.iter().max().copied().unwrap_or(0).max(0);
    scores
        .iter()
        .map(|score| score.saturating_mul(BEST).checked_div(most).unwrap_or(0))
        .collect()
}

/// Makes the best of scaled scores the worst.
fn reversed(scores: Vec<i64>) -> Vec<i64> {
    scores
        .into_iter()
        .map(|score| BEST.saturating_sub(score))
        .collect()
}

/// Returns the CPU and the memory of a node that pods may use.
fn allocatable(prepared: &Prepared<'_>, node: usize) -> [i64; 2] {
    let Some(allocatable) = prepared.allocatable.get(node) else {
        return [0; 2];
    };
    [CPU, MEMORY].map(|resource| allocatable.amount(resource).unwrap_or(0))
}

/// Scores a node for NodeResourcesFit with the strategy LeastAllocated.
fn least_allocated(
    prepared: &Prepared<'_>,
    state: &State,
    requested: [i64; 2],
    node: usize,
) -> i64 {
    let used = state.nodes.get(node).map_or([0, 0], |state| state.scored);
    let (mut sum, mut count) = (0i64, 0i64);
    for ((allocatable, used), requested) in allocatable(prepared, node)
        .into_iter()
        .zip(used)
        .zip(requested)
    {
        let used_then = used.saturating_add(requested);
        let free_then = allocatable.saturating_sub(used_then);
        let Some(score) = free_then.saturating_mul(BEST).checked_div(allocatable) else {
            continue;
        };
        sum = sum.saturating_add(if used_then > allocatable { 0 } else { score });
        count = count.saturating_add(1);
    }
    sum.checked_div(count).unwrap_or(0)
}

/// Computes the score of NodeResourcesBalancedAllocation: the balance with the pod or, in later releases, how much the pod improves it.
fn balanced(prepared: &Prepared<'_>, state: &State, requested: [i64; 2], node: usize) -> i64 {
    let allocatable = allocatable(prepared, node);
    let [used_cpu, used_memory] = state.real(node);
    let [requested_cpu, requested_memory] = requested;
    let used_with_pod = [
        used_cpu.saturating_add(requested_cpu),
        used_memory.saturating_add(requested_memory),
    ];
    let with_pod = balance(used_with_pod, allocatable);
    if !prepared.setup.rules.balance_compared {
        return with_pod;
    }
    let without_pod = balance([used_cpu, used_memory], allocatable);
    let half = BEST / 2;
    half.saturating_add(half.saturating_add(with_pod).saturating_sub(without_pod) / 2)
}

/// Returns the balance of the used parts of CPU and memory.
fn balance(used: [i64; 2], allocatable: [i64; 2]) -> i64 {
    let [used_cpu, used_memory] = used;
    let [all_cpu, all_memory] = allocatable;
    let cpu_part = used_part(used_cpu, all_cpu);
    let memory_part = used_part(used_memory, all_memory);
    let deviation = match (cpu_part, memory_part) {
        (Some(cpu), Some(memory)) => ((cpu - memory) / 2.0).abs(),
        _ => 0.0,
    };
    ((1.0 - deviation) * 100.0) as i64
}

/// Returns the part of an amount that is used, at most 1; `None`: there is none of it.
fn used_part(used: i64, allocatable: i64) -> Option<f64> {
    (allocatable != 0).then(|| (used as f64 / allocatable as f64).min(1.0))
}
