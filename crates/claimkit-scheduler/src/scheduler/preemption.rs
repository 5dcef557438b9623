//! What follows a failed attempt: claims are given back, or pods of lower priority make room (`PostFilter` of the plugins
//! DynamicResources and DefaultPreemption).

use super::labels::PodLabelSelector;
use super::message::{Histogram, NO_VICTIMS, NOT_HELPFUL};
use super::outcome::Unsure;
use super::prepared::Prepared;
use super::state::State;
use super::turn::{Fails, PodAttempt, Post};
use crate::allocator::status::StatusCode;
use claimkit_values::order;

/// The error of the plugin for devices about a pod that it did not see.
const UNSEEN: &str = "not found";

/// A node on which room can be made.
#[derive(Debug)]
struct Candidate {
    node: usize,
    victims: Vec<usize>,
    violations: usize,
}

/// Asks the plugins after a failure.
pub fn post_filter<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &mut PodAttempt<'_, 'f>,
    fails: &Fails,
) -> Post {
    let mut post = Post::default();
    if fails.is_error || prepared.facts.nodes.is_empty() {
        return post;
    }
    let sees_devices = prepared.setup.rules.asks_all || !turn.facts.spec.resource_claims.is_empty();
    if fails.is_early && prepared.setup.devices && sees_devices {
        // The plugin for devices looks for what it knew of the pod before any node, and there is nothing.
        post.texts.push(UNSEEN.to_owned());
        return post;
    }
    give_back(prepared, turn, fails, &mut post);
    preempt(prepared, state, turn, fails, &mut post);
    post
}

fn give_back<'f>(
    prepared: &Prepared<'f>,
    turn: &PodAttempt<'_, 'f>,
    fails: &Fails,
    post: &mut Post,
) {
    if let Some(devices) = &turn.devices {
        if let Some((claim, several)) =
            devices.to_free(prepared, PodAttempt::unavailable(&fails.nodes))
        {
            post.freed = Some(claim);
            post.unsure = several.then_some(Unsure::AnyClaim);
            post.texts
                .push("deallocation of ResourceClaim completed".to_owned());
            return;
        }
        if devices
            .case
            .extended
            .as_ref()
            .is_some_and(|extended| extended.left_over.is_some())
        {
            post.texts
                .push("deletion of ResourceClaim completed".to_owned());
            return;
        }
    }
    if let Some(texts) = prepared.setup.rules.nothing_freed {
        let text = if turn.devices.is_some() {
            Some(texts.claims)
        } else {
            texts.no_claims
        };
        post.texts.extend(text.map(str::to_owned));
    }
}

fn preempt<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &mut PodAttempt<'_, 'f>,
    fails: &Fails,
    post: &mut Post,
) {
    let mut say = |text: String| post.texts.push(format!("preemption: {text}"));
    if turn.facts.spec.preemption_policy.as_deref() == Some("Never") {
        say("not eligible due to preemptionPolicy=Never.".to_owned());
        return;
    }
    if waits_for_victims(prepared, state, turn, fails) {
        say("not eligible due to a terminating pod on the nominated node.".to_owned());
        return;
    }
    let count = prepared.facts.nodes.len();
    let helpful: Vec<usize> = fails
        .nodes
        .iter()
        .filter(|node| node.first.code == StatusCode::Unschedulable)
        .map(|node| node.node)
        .collect();
    let mut histogram = Histogram::default();
    histogram.add(NOT_HELPFUL, count.saturating_sub(helpful.len()));
    let mut candidates = Vec::new();
    for node in &helpful {
        match victims_on(prepared, state, turn, *node) {
            Ok(candidate) => candidates.push(candidate),
            Err(reasons) => reasons.iter().for_each(|reason| histogram.add(reason, 1)),
        }
    }
    let Some((best, tie)) = best(prepared, candidates) else {
        say(histogram.message(count));
        return;
    };
    if prepared.setup.rules.preemption_reported {
        let name = prepared
            .facts
            .nodes
            .get(best.node)
            .map_or("", |node| node.metadata.name.as_str());
        let victims = best.victims.len();
        post.texts = vec![format!(
            "preemption: found a potential placement for pod on node {name}, preempting {victims} victims"
        )];
    } else {
        // A success of this plugin ends what the plugins say.
        post.texts.clear();
    }
    post.nominated = Some(best.node);
    post.victims = best.victims;
    post.unsure = post.unsure.or(tie.then_some(Unsure::Tie));
}

/// Returns true if pods on the nominated node are ending already.
fn waits_for_victims(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    fails: &Fails,
) -> bool {
    let Some(node) = state
        .nominated
        .iter()
        .find(|(pod, _)| *pod == turn.pod)
        .map(|(_, node)| *node)
    else {
        return false;
    };
    let refused = fails.nodes.iter().find(|one| one.node == node);
    if refused.is_some_and(|one| one.first.code == StatusCode::UnschedulableAndUnresolvable) {
        return false;
    }
    let priority = turn.facts.spec.effective_priority();
    let pods = state
        .nodes
        .get(node)
        .map_or(&[][..], |there| there.pods.as_slice());
    pods.iter().any(|pod| {
        let ends = state.pods.get(*pod).is_some_and(|pod| pod.ending);
        ends && prepared
            .facts
            .pods
            .get(*pod)
            .is_some_and(|pod| pod.spec.effective_priority() < priority)
    })
}

/// Finds the pods that must end so that the pod fits on a node; `Err`: why that does not help.
fn victims_on<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &mut PodAttempt<'_, 'f>,
    node: usize,
) -> Result<Candidate, Vec<String>> {
    let priority = turn.facts.spec.effective_priority();
    let of = |pod: usize| {
        prepared
            .facts
            .pods
            .get(pod)
            .map_or(0, |pod| pod.spec.effective_priority())
    };
    let there = state
        .nodes
        .get(node)
        .map_or(&[][..], |there| there.pods.as_slice());
    let lower: Vec<usize> = there
        .iter()
        .copied()
        .filter(|pod| of(*pod) < priority)
        .collect();
    if lower.is_empty() {
        return Err(vec![NO_VICTIMS.to_owned()]);
    }
    let before = there.to_vec();
    lower.iter().for_each(|pod| state.remove(prepared, *pod));
    turn.look_at_pods(prepared, state);
    let found = match turn.check_with_nominated(prepared, state, node) {
        Ok(None) => Ok(()),
        Ok(Some(refusal)) => Err(refusal
            .reasons
            .iter()
            .map(|reason| reason.text(prepared.setup.rules).into_owned())
            .collect()),
        Err(error) => Err(vec![error]),
    };
    let mut candidate = Candidate {
        node,
        victims: Vec::new(),
        violations: 0,
    };
    if found.is_ok() {
        let start = |pod: usize| {
            prepared
                .facts
                .pods
                .get(pod)
                .and_then(|pod| pod.status.start_time.clone())
        };
        let importance =
            |a: usize, b: usize| of(b).cmp(&of(a)).then_with(|| start(a).cmp(&start(b)));
        let sorted = order::positions(lower.len(), &|a, b| match (lower.get(a), lower.get(b)) {
            (Some(a), Some(b)) => importance(*a, *b),
            _ => std::cmp::Ordering::Equal,
        });
        let sorted: Vec<usize> = sorted
            .iter()
            .filter_map(|at| lower.get(*at))
            .copied()
            .collect();
        let (violating, others) = by_budget(prepared, &sorted);
        for (pod, violates) in violating
            .iter()
            .map(|pod| (*pod, true))
            .chain(others.iter().map(|pod| (*pod, false)))
        {
            state.place(prepared, pod, node);
            turn.look_at_pods(prepared, state);
            if !matches!(turn.check_with_nominated(prepared, state, node), Ok(None)) {
                state.remove(prepared, pod);
                turn.look_at_pods(prepared, state);
                candidate.victims.push(pod);
                candidate.violations = candidate.violations.saturating_add(usize::from(violates));
            }
        }
        let rank = |pod: &usize| sorted.iter().position(|known| known == pod);
        let by_rank = order::positions(candidate.victims.len(), &|a, b| {
            candidate
                .victims
                .get(a)
                .map(rank)
                .cmp(&candidate.victims.get(b).map(rank))
        });
        candidate.victims = by_rank
            .iter()
            .filter_map(|at| candidate.victims.get(*at))
            .copied()
            .collect();
    }
    for pod in &lower {
        if state.pods.get(*pod).is_some_and(|pod| pod.node.is_none()) {
            state.place(prepared, *pod, node);
        }
    }
    if let Some(there) = state.nodes.get_mut(node) {
        there.pods = before;
    }
    turn.look_at_pods(prepared, state);
    found.map(|()| candidate)
}

/// Returns the pods whose end a budget does not allow, and the others.
fn by_budget(prepared: &Prepared<'_>, pods: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let budgets = &prepared.facts.budgets;
    let mut allowed: Vec<i64> = budgets
        .iter()
        .map(|budget| budget.status.disruptions_allowed)
        .collect();
    let mut violates = |pod: &usize| {
        let Some(pod) = prepared.facts.pods.get(*pod) else {
            return false;
        };
        for (budget, left) in budgets.iter().zip(&mut allowed) {
            let selector = PodLabelSelector::of(budget.spec.selector.as_ref());
            let same = budget.metadata.namespace == pod.metadata.namespace;
            if same
                && !pod.metadata.labels.is_empty()
                && !selector.is_empty()
                && selector.matches(&pod.metadata.labels)
            {
                *left = left.saturating_sub(1);
                if *left < 0 {
                    return true;
                }
            }
        }
        false
    };
    pods.iter().copied().partition(|pod| violates(pod))
}

/// Chooses the node where least is lost (`pickOneNodeForPreemption`), and returns whether another one is as good.
fn best(prepared: &Prepared<'_>, candidates: Vec<Candidate>) -> Option<(Candidate, bool)> {
    let priority = |pod: &usize| {
        prepared
            .facts
            .pods
            .get(*pod)
            .map_or(0, |pod| pod.spec.effective_priority())
    };
    let cost = |candidate: &Candidate| {
        let highest = candidate.victims.first().map_or(i64::MIN, priority);
        let shift = i64::from(i32::MAX).saturating_add(1);
        let sum = candidate
            .victims
            .iter()
            .map(|pod| priority(pod).saturating_add(shift))
            .fold(0, i64::saturating_add);
        // The latest start of the most important victims is best; an absent start is that of now.
        let starts = candidate
            .victims
            .iter()
            .filter(|pod| priority(pod) == highest);
        let earliest = starts.map(|pod| {
            prepared
                .facts
                .pods
                .get(*pod)
                .and_then(|pod| pod.status.start_time.clone())
                .unwrap_or_else(|| "~".to_owned())
        });
        let start = std::cmp::Reverse(earliest.min().unwrap_or_default());
        (
            candidate.violations,
            highest,
            sum,
            candidate.victims.len(),
            start,
        )
    };
    let least = candidates.iter().map(&cost).min()?;
    let equal = candidates
        .iter()
        .filter(|candidate| cost(candidate) == least)
        .count();
    let name = |candidate: &Candidate| {
        prepared
            .facts
            .nodes
            .get(candidate.node)
            .map(|node| node.metadata.name.clone())
            .unwrap_or_default()
    };
    let mut equals: Vec<Candidate> = candidates
        .into_iter()
        .filter(|candidate| cost(candidate) == least)
        .collect();
    let at = (0..equals.len()).min_by_key(|at| equals.get(*at).map(name))?;
    Some((equals.swap_remove(at), equal > 1))
}
