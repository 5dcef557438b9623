//! What follows a failed attempt: claims are given back, or pods of lower priority make room (`PostFilter` of the plugins
//! DynamicResources and DefaultPreemption).

use super::devices::FreeableClaim;
use super::labels::PodLabelSelector;
use super::message::{self, Histogram, NO_VICTIMS, NOT_HELPFUL};
use super::outcome::Unsure;
use super::prepared::Prepared;
use super::state::State;
use super::turn::{Fails, PodAttempt, Post};
use crate::allocator::objects::{Pod, PodDisruptionBudget};
use crate::allocator::sorted::ordered;
use crate::allocator::status::StatusCode;
use std::cmp::Reverse;
use std::rc::Rc;

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

/// Names the claim that a group gives back if this pod of it finds no node (`PodGroupPostFilter` of the plugin DynamicResources).
pub fn claims_to_free<'f>(
    prepared: &Prepared<'f>,
    turn: &PodAttempt<'_, 'f>,
    fails: &Fails,
) -> Post {
    let freeable = turn
        .devices
        .as_ref()
        .and_then(|devices| devices.to_free(prepared, PodAttempt::unavailable(&fails.nodes)));
    Post {
        freed: freeable.map(|freeable| freeable.claim),
        unsure: freeable.and_then(FreeableClaim::unsure),
        ..Post::default()
    }
}

fn give_back<'f>(
    prepared: &Prepared<'f>,
    turn: &PodAttempt<'_, 'f>,
    fails: &Fails,
    post: &mut Post,
) {
    if let Some(devices) = &turn.devices {
        if let Some(freeable) = devices.to_free(prepared, PodAttempt::unavailable(&fails.nodes)) {
            post.freed = Some(freeable.claim);
            post.unsure = freeable.unsure();
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
    if turn.facts.spec.preemption_policy.as_deref() == Some("Never") {
        post.texts
            .push("preemption: not eligible due to preemptionPolicy=Never.".to_owned());
        return;
    }
    if waits_for_victims(prepared, state, turn, fails) {
        post.texts.push(
            "preemption: not eligible due to a terminating pod on the nominated node.".to_owned(),
        );
        return;
    }
    let searched = search_victims(prepared, state, turn, fails);
    if searched.candidates.is_empty() && !searched.errors.is_empty() {
        // An error is all that the plugins say.
        post.texts = vec![format!("preemption: {}", aggregate(&searched.errors))];
        if searched.errors.len() > 1 {
            post.unsure = Some(Unsure::FirstError);
        }
        return;
    }
    let Some((chosen, tie)) = best(prepared, searched.candidates) else {
        let message = searched.histogram.message(prepared.facts.nodes.len());
        post.texts.push(format!("preemption: {message}"));
        return;
    };
    if prepared.setup.rules.preemption_reported {
        post.texts = vec![format!(
            "preemption: found a potential placement for pod on node {}, preempting {} victims",
            prepared.node_name(chosen.node),
            chosen.victims.len()
        )];
    } else {
        // A success of this plugin ends what the plugins say.
        post.texts.clear();
    }
    post.nominated = Some(chosen.node);
    post.victims = chosen.victims;
    post.unsure = post.unsure.or(tie.then_some(Unsure::Tie));
}

/// What preemption finds on the nodes.
struct SearchedNodes {
    candidates: Vec<Candidate>,
    /// Why the other nodes do not help.
    histogram: Histogram,
    /// Errors of the filters, each once.
    errors: Vec<String>,
}

/// Looks for pods to preempt on each node where that can help.
fn search_victims<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &mut PodAttempt<'_, 'f>,
    fails: &Fails,
) -> SearchedNodes {
    let helpful: Vec<usize> = fails
        .nodes
        .iter()
        .filter(|node| node.why.first.code == StatusCode::Unschedulable)
        .map(|node| node.node)
        .collect();
    let mut searched = SearchedNodes {
        candidates: Vec::new(),
        histogram: Histogram::default(),
        errors: Vec::new(),
    };
    let others = prepared.facts.nodes.len().saturating_sub(helpful.len());
    searched.histogram.add(NOT_HELPFUL, others);
    for node in helpful {
        match victims_on(prepared, state, turn, node) {
            Ok(candidate) => searched.candidates.push(candidate),
            Err(NoHelp::Reasons(reasons)) => {
                for reason in &reasons {
                    searched.histogram.add(reason, 1);
                }
            }
            Err(NoHelp::Error(error)) => {
                if !searched.errors.contains(&error) {
                    searched.errors.push(error);
                }
            }
        }
    }
    searched
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
    if refused.is_some_and(|one| one.why.first.code == StatusCode::UnschedulableAndUnresolvable) {
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

/// Why the end of other pods does not help on a node.
enum NoHelp {
    /// What the plugins say of the node without those pods.
    Reasons(Vec<String>),
    /// A plugin fails.
    Error(String),
}

/// Returns the text of several errors, whose order is random (`k8s.io/apimachinery`, `pkg/util/errors/errors.go`, `NewAggregate`).
fn aggregate(errors: &[String]) -> String {
    match errors {
        [error] => error.clone(),
        _ => format!("[{}]", errors.join(", ")),
    }
}

/// Finds the pods that must end so that the pod fits on a node; `Err`: why that does not help.
fn victims_on<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &mut PodAttempt<'_, 'f>,
    node: usize,
) -> Result<Candidate, NoHelp> {
    let priority = turn.facts.spec.effective_priority();
    let there = state
        .nodes
        .get(node)
        .map_or(&[][..], |there| there.pods.as_slice());
    let lower: Vec<usize> = there
        .iter()
        .copied()
        .filter(|pod| prepared.priority(*pod) < priority)
        .collect();
    if lower.is_empty() {
        return Err(NoHelp::Reasons(vec![NO_VICTIMS.to_owned()]));
    }
    let before = there.to_vec();
    lower.iter().for_each(|pod| state.remove(prepared, *pod));
    turn.look_at_pods(prepared, state);
    let found = match turn.check_with_nominated(prepared, state, node) {
        Ok(None) => Ok(()),
        Ok(Some(refusal)) => {
            let reasons = refusal.reasons.iter();
            let texts = reasons.map(|reason| reason.text(prepared.setup.rules).into_owned());
            Err(NoHelp::Reasons(texts.collect()))
        }
        Err(error) => Err(NoHelp::Error(message::filter_error(&error))),
    };
    let candidate = found.map(|()| spare(prepared, state, turn, node, &lower));
    for pod in &lower {
        if state.pods.get(*pod).is_some_and(|pod| pod.node.is_none()) {
            state.place(prepared, *pod, node);
        }
    }
    if let Some(there) = state.nodes.get_mut(node) {
        there.pods = before;
    }
    turn.look_at_pods(prepared, state);
    candidate
}

/// Puts back every pod with which the pod still fits on a node, the most important ones first; the others are the victims.
fn spare<'f>(
    prepared: &Prepared<'f>,
    state: &mut State,
    turn: &mut PodAttempt<'_, 'f>,
    node: usize,
    lower: &[usize],
) -> Candidate {
    let by_importance = ordered(lower, &|a, b| {
        prepared
            .priority(*b)
            .cmp(&prepared.priority(*a))
            .then_with(|| start_of(prepared, *a).cmp(&start_of(prepared, *b)))
    });
    let (violating, others) = by_budget(prepared, &by_importance);
    let mut victims = Vec::new();
    let mut violations = 0usize;
    for (pods, violates) in [(violating, true), (others, false)] {
        for pod in pods {
            state.place(prepared, pod, node);
            turn.look_at_pods(prepared, state);
            if !matches!(turn.check_with_nominated(prepared, state, node), Ok(None)) {
                state.remove(prepared, pod);
                turn.look_at_pods(prepared, state);
                victims.push(pod);
                violations = violations.saturating_add(usize::from(violates));
            }
        }
    }
    Candidate {
        node,
        victims: by_importance
            .into_iter()
            .filter(|pod| victims.contains(pod))
            .collect(),
        violations,
    }
}

/// Returns when a pod was accepted by its node; `None`: not yet.
fn start_of<'p>(prepared: &'p Prepared<'_>, pod: usize) -> Option<&'p str> {
    prepared.facts.pods.get(pod)?.status.start_time.as_deref()
}

/// Returns the pods whose end a budget does not allow, and the others.
fn by_budget(prepared: &Prepared<'_>, pods: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let budgets = &prepared.facts.budgets;
    let mut allowed: Vec<i64> = budgets
        .iter()
        .map(|budget| budget.status.disruptions_allowed)
        .collect();
    pods.iter().copied().partition(|pod| {
        let facts = prepared.facts.pods.get(*pod);
        facts.is_some_and(|pod| takes_from_budgets(budgets, &mut allowed, pod))
    })
}

/// Counts the end of a pod against the budgets that select it, up to the first that does not allow it. Returns true if there is one.
fn takes_from_budgets(budgets: &[Rc<PodDisruptionBudget>], allowed: &mut [i64], pod: &Pod) -> bool {
    for (budget, left) in budgets.iter().zip(allowed) {
        let selector = PodLabelSelector::of(budget.spec.selector.as_ref());
        if budget.metadata.namespace == pod.metadata.namespace
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
}

/// Chooses the node where least is lost (`pickOneNodeForPreemption`), and returns whether another one is as good.
fn best(prepared: &Prepared<'_>, candidates: Vec<Candidate>) -> Option<(Candidate, bool)> {
    let costs: Vec<PreemptionCost<'_>> = candidates
        .iter()
        .map(|candidate| PreemptionCost::of(prepared, candidate))
        .collect();
    let least = costs.iter().min()?;
    let mut cheapest: Vec<Candidate> = candidates
        .into_iter()
        .zip(&costs)
        .filter(|(_, cost)| *cost == least)
        .map(|(candidate, _)| candidate)
        .collect();
    let is_tie = cheapest.len() > 1;
    let mut positions = 0..cheapest.len();
    let first = positions.by_ref().min_by_key(|at| {
        let candidate = cheapest.get(*at);
        candidate.map(|candidate| prepared.node_name(candidate.node))
    })?;
    Some((cheapest.swap_remove(first), is_tie))
}

/// What is lost with the victims of a node, in the order in which nodes are compared.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PreemptionCost<'p> {
    violations: usize,
    /// The priority of the most important victim.
    highest: i64,
    /// The sum of all priorities.
    sum: i64,
    victims: usize,
    /// The latest start of the most important victims is best; an absent start is that of now.
    start: Reverse<&'p str>,
}

impl<'p> PreemptionCost<'p> {
    fn of(prepared: &'p Prepared<'_>, candidate: &Candidate) -> Self {
        let victims = &candidate.victims;
        let highest = victims
            .first()
            .map_or(i64::MIN, |pod| prepared.priority(*pod));
        let shift = i64::from(i32::MAX).saturating_add(1);
        let mut sum = 0i64;
        let mut earliest: Option<&str> = None;
        for pod in victims {
            let priority = prepared.priority(*pod);
            sum = sum.saturating_add(priority.saturating_add(shift));
            if priority == highest {
                let start = start_of(prepared, *pod).unwrap_or("~");
                earliest = Some(earliest.map_or(start, |known| known.min(start)));
            }
        }
        PreemptionCost {
            violations: candidate.violations,
            highest,
            sum,
            victims: victims.len(),
            start: Reverse(earliest.unwrap_or_default()),
        }
    }
}
