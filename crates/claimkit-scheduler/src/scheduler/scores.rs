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

/// Computes the sums of all scores, node by node.
pub fn totals<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &PodAttempt<'_, 'f>,
    nodes: &[usize],
) -> Vec<i64> {
    let mut totals = Totals(vec![0; nodes.len()]);
    let views = turn.views;
    if let Some(advised) = &views.advised_against {
        let scores = reversed(normalized(&pick(advised, nodes)));
        totals.add(&scores, weight::TAINT_TOLERATION);
    }
    if let Some(preferred) = &views.preferred {
        totals.add(&normalized(&pick(preferred, nodes)), weight::NODE_AFFINITY);
    }
    if let Some(scores) = topology_spread::scores(prepared, state, turn.facts, nodes) {
        totals.add(&scores, weight::POD_TOPOLOGY_SPREAD);
    }
    if let Some(scores) = pod_affinity::scores(prepared, state, turn.pod, nodes) {
        totals.add(&scores, weight::INTER_POD_AFFINITY);
    }
    if prepared.setup.rules.devices_scored
        && let Some(devices) = &turn.devices
    {
        let scores: Vec<i64> = nodes
            .iter()
            .map(|node| match *devices.filter(prepared, state, *node) {
                DeviceAnswer::Fits(score) => score,
                _ => 0,
            })
            .collect();
        totals.add(&normalized(&scores), weight::DYNAMIC_RESOURCES);
    }
    if prepared.setup.rules.storage_scored
        && let Some(volumes) = &turn.volumes
    {
        let mut scores = Vec::with_capacity(nodes.len());
        for node in nodes {
            let plan = volume_binding::plan(prepared, state, volumes, *node);
            scores.push(plan.map_or(0, |plan| plan.score(prepared.volumes.facts)));
        }
        totals.add(&scores, weight::VOLUME_BINDING);
    }
    let requests = &turn.profile.requests;
    let fit: Vec<i64> = nodes
        .iter()
        .map(|node| least_allocated(prepared, state, requests.scored, *node))
        .collect();
    totals.add(&fit, weight::NODE_RESOURCES_FIT);
    let real = [requests.amount(CPU), requests.amount(MEMORY)];
    if real != [0, 0] || !prepared.setup.rules.balance_skips_empty {
        let balance: Vec<i64> = nodes
            .iter()
            .map(|node| balanced(prepared, state, real, *node))
            .collect();
        totals.add(&balance, weight::BALANCED_ALLOCATION);
    }
    totals.0
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
    for ((has, used), asked) in allocatable(prepared, node)
        .into_iter()
        .zip(used)
        .zip(requested)
    {
        let wanted = used.saturating_add(asked);
        let Some(score) = has
            .saturating_sub(wanted)
            .saturating_mul(BEST)
            .checked_div(has)
        else {
            continue;
        };
        sum = sum.saturating_add(if wanted > has { 0 } else { score });
        count = count.saturating_add(1);
    }
    sum.checked_div(count).unwrap_or(0)
}

/// Computes the score of NodeResourcesBalancedAllocation.
fn balanced(prepared: &Prepared<'_>, state: &State, requested: [i64; 2], node: usize) -> i64 {
    let has = allocatable(prepared, node);
    let [cpu, memory] = state.real(node);
    let [more_cpu, more_memory] = requested;
    let with = balance(
        [
            cpu.saturating_add(more_cpu),
            memory.saturating_add(more_memory),
        ],
        has,
    );
    if !prepared.setup.rules.balance_compared {
        return with;
    }
    let half = BEST / 2;
    half.saturating_add(
        half.saturating_add(with)
            .saturating_sub(balance([cpu, memory], has))
            / 2,
    )
}

/// Returns the balance of the used parts of CPU and memory.
fn balance(used: [i64; 2], has: [i64; 2]) -> i64 {
    let [used_cpu, used_memory] = used;
    let [all_cpu, all_memory] = has;
    let deviation = match (
        used_part(used_cpu, all_cpu),
        used_part(used_memory, all_memory),
    ) {
        (Some(cpu), Some(memory)) => ((cpu - memory) / 2.0).abs(),
        _ => 0.0,
    };
    ((1.0 - deviation) * 100.0) as i64
}

/// Returns the part of an amount that is used, at most 1; `None`: there is none of it.
fn used_part(used: i64, has: i64) -> Option<f64> {
    (has != 0).then(|| (used as f64 / has as f64).min(1.0))
}
