//! Choices that the objects do not decide: nodes of the same score, and the order of pods that are tried again. One choice is made,
//! and others are tried to see whether they matter.

use super::outcome::{PodDecision, PodOutcome, Simulation, TieSearch, Unsure};
use super::prepared::Prepared;
use super::queue::{NodeChoice, Retried, SchedulerRun, tied, was_tried};
use super::seen::{Seen, Watch};
use super::state::State;
use crate::allocator::sorted::Set;
use crate::allocator::usage::DevicesInUse;

/// Maximum number of other choices that are tried.
const MOST_CHOICES: usize = 16;
/// Maximum number of pods times nodes of all other choices together.
const MOST_WORK: usize = 1_000_000;

/// Places all pods that wait. Where nodes have the same score, the first by name is taken. `watch` sees the attempts of that run.
pub fn simulate(prepared: &mut Prepared<'_>, watch: Option<Watch<'_>>) -> Simulation {
    let start = Start {
        state: State::new(prepared),
        usage: prepared.cluster.usage.clone(),
    };
    let mut sizes: Vec<usize> = Vec::new();
    let mut relay = watch.map(|Watch { asked, see }| (asked, move |seen: &Seen<'_, '_>| see(seen)));
    let watch = relay
        .as_mut()
        .map(|(asked, see)| Watch { asked: *asked, see });
    let mut simulation = SchedulerRun::new(
        prepared,
        start.state.clone(),
        Box::new(|equal| {
            sizes.push(equal.len());
            by_name(equal)
        }),
        watch,
    )
    .all();
    if may_depend_on_order(&simulation, prepared) {
        let other = start
            .run(prepared, Box::new(by_name))
            .retried(Retried::Reversed)
            .all();
        mark_order(&mut simulation, &other);
    }
    if !tied(&simulation).is_empty() {
        try_other_choices(prepared, &start, &sizes, &mut simulation);
    }
    simulation
}

/// The state before pods are placed.
struct Start<'f> {
    state: State,
    usage: DevicesInUse<'f>,
}

impl<'f> Start<'f> {
    /// Makes another run from here.
    fn run<'r>(
        &self,
        prepared: &'r mut Prepared<'f>,
        choose: NodeChoice<'r>,
    ) -> SchedulerRun<'r, 'f> {
        prepared.cluster.usage = self.usage.clone();
        SchedulerRun::new(prepared, self.state.clone(), choose, None)
    }
}

/// Tries other nodes of the same score, and marks the pods for which the choice matters. `sizes`: of how many nodes the first run chose.
fn try_other_choices<'f>(
    prepared: &mut Prepared<'f>,
    start: &Start<'f>,
    sizes: &[usize],
    simulation: &mut Simulation,
) {
    let all = sizes
        .iter()
        .try_fold(1usize, |product, size| product.checked_mul(*size))
        .unwrap_or(usize::MAX);
    let pods = simulation.pods.len();
    let work = pods.saturating_mul(prepared.facts.nodes.len()).max(1);
    let affordable = MOST_WORK
        .checked_div(work)
        .unwrap_or(1)
        .clamp(1, MOST_CHOICES);
    let mut choices = 1usize;
    for choice in (1..all).take(affordable) {
        choices = choices.saturating_add(1);
        let mut digits = Digits::of(choice, all, affordable, sizes);
        let other = start
            .run(prepared, Box::new(move |equal| digits.pick(equal)))
            .all();
        mark(simulation, &other);
    }
    simulation.ties = if choices >= all {
        TieSearch::All { choices }
    } else {
        TieSearch::Some { choices }
    };
}

/// Places all pods that wait, and takes the first by name where nodes have the same score.
pub fn simulate_once(prepared: &mut Prepared<'_>) -> Simulation {
    let start = State::new(prepared);
    SchedulerRun::new(prepared, start, Box::new(by_name), None).all()
}

/// Takes the first of equal nodes.
fn by_name(equal: &[usize]) -> usize {
    equal.first().copied().unwrap_or(0)
}

/// The choices among equal nodes, one digit each.
struct Digits {
    digits: Vec<usize>,
    at: usize,
}

impl Digits {
    /// Makes one of all choices, by its number, where all can be tried. Else the choice takes the last node everywhere, or everywhere but
    /// once.
    fn of(choice: usize, all: usize, affordable: usize, sizes: &[usize]) -> Self {
        let mut digits = vec![0; sizes.len()];
        if all <= affordable.saturating_add(1) {
            let mut rest = choice;
            for (digit, size) in digits.iter_mut().zip(sizes) {
                *digit = rest.checked_rem(*size).unwrap_or(0);
                rest = rest.checked_div(*size).unwrap_or(0);
            }
        } else if choice == 1 {
            digits.fill(usize::MAX);
        } else if let Some(digit) = digits.get_mut(choice.saturating_sub(2)) {
            *digit = 1;
        }
        Digits { digits, at: 0 }
    }

    fn pick(&mut self, equal: &[usize]) -> usize {
        let digit = self.digits.get(self.at).copied().unwrap_or(0);
        self.at = self.at.saturating_add(1);
        let last = equal.len().saturating_sub(1);
        equal.get(digit.min(last)).copied().unwrap_or(0)
    }
}

/// Returns true if pods of one priority were tried before, and fare differently. If all of them fail, or none does, the order is
/// taken not to matter.
fn may_depend_on_order(simulation: &Simulation, prepared: &Prepared<'_>) -> bool {
    let (placed, failed): (Vec<&PodOutcome>, Vec<&PodOutcome>) = simulation
        .pods
        .iter()
        .partition(|outcome| outcome.has_node());
    let mut priorities = Set::default();
    for outcome in placed {
        if let Some(priority) = priority_if_retried(outcome, prepared) {
            priorities.insert(priority);
        }
    }
    failed.into_iter().any(|outcome| {
        let priority = priority_if_retried(outcome, prepared);
        priority.is_some_and(|priority| priorities.contains(&priority))
    })
}

/// Returns the priority of a pod that was tried before.
fn priority_if_retried(outcome: &PodOutcome, prepared: &Prepared<'_>) -> Option<i64> {
    let pod = prepared.facts.pods.get(outcome.pod)?;
    was_tried(pod).then(|| pod.spec.effective_priority())
}

/// Marks the pods that fared otherwise in another order.
fn mark_order(simulation: &mut Simulation, other: &Simulation) {
    for outcome in &mut simulation.pods {
        if other
            .pods
            .iter()
            .find(|known| known.pod == outcome.pod)
            .is_none_or(|there| differs(outcome, there))
        {
            outcome.unsure.push(Unsure::Order);
        }
    }
}

/// Marks the pods that fared otherwise: with another verdict or message, or on another node although they had no choice.
fn mark(simulation: &mut Simulation, other: &Simulation) {
    for outcome in &mut simulation.pods {
        let there = other.pods.iter().find(|known| known.pod == outcome.pod);
        outcome.depends |= there.is_none_or(|there| differs(outcome, there));
        outcome.fate_depends |= there.is_none_or(|there| outcome.has_node() != there.has_node());
    }
}

fn differs(here: &PodOutcome, there: &PodOutcome) -> bool {
    match (here.decisions.last(), there.decisions.last()) {
        (Some(PodDecision::Bound { node, tied }), Some(PodDecision::Bound { node: other, .. }))
        | (
            Some(PodDecision::Preparing { node, tied, .. }),
            Some(PodDecision::Preparing { node: other, .. }),
        ) => node != other && tied.is_empty(),
        (Some(PodDecision::Unschedulable(here)), Some(PodDecision::Unschedulable(there))) => {
            here.message != there.message
        }
        (here, there) => here != there,
    }
}
