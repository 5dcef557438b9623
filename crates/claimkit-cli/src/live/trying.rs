//! The changes that would help are tried: with all pods in turn, for a pod that is tried first may get what they give; or alone, where
//! each pod is taken alone.

use super::answer::AnsweredPod;
use super::cluster::Live;
use super::read::LiveObjects;
use super::ways::{AsFor, Help, Trial, TrialOutcome, TrialPlace, templates_of};
use claimkit::requests::request::AllocateRequest;
use claimkit::requests::{self, AccountOptions, Content, MatrixOption};
use claimkit_scheduler::allocator::objects::Pod;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::headline;
use claimkit_scheduler::explain::kinds::NodeVerdict;
use claimkit_scheduler::explain::object_edits::ObjectEdit;
use claimkit_scheduler::explain::turn::{Turn, TurnOutcome};
use std::collections::{BTreeMap, BTreeSet};

/// Up to this number of pods the helps of each are tried; of more, those of the first pods that each reason keeps.
const MOST_PODS: usize = 16;
/// Maximum number of changes that are tried.
const MOST_TRIED: usize = 48;
/// Maximum number of changes that are tried for one pod.
const MOST_OF_POD: usize = 10;
/// Maximum number of pods of one reason whose helps are tried: of those that are helped the first one is shown.
const MOST_OF_REASON: usize = 3;
/// Maximum number of changes that are tried for one of many pods: the first one that helps is shown.
const MOST_OF_MANY: usize = 2;
/// How many helps of a pod are tried: as many are shown.
const MOST_SHOWN: usize = 4;
/// Maximum number of pods that wait times objects, over all tries: with more of them fewer changes are tried.
const MOST_WORK: usize = 1_000_000;
/// How many changes are tried on a cluster of any size that is placed within some seconds: the first ones are what people do.
const LEAST_TRIED: usize = 2;
/// Maximum work of one try for which that holds.
const MOST_WORK_OF_ONE: usize = 10_000_000;

/// Returns how many changes are tried. `work`: that of one.
fn affordable(work: usize) -> usize {
    let least = if work <= MOST_WORK_OF_ONE {
        LEAST_TRIED
    } else {
        0
    };
    let left = MOST_WORK.checked_div(work).unwrap_or_default();
    left.clamp(least, MOST_TRIED)
}

/// Tries the changes that would help. Of what is not tried the helps say so.
///
/// # Errors
/// The cluster cannot be asked.
pub fn try_helps(
    answered: &mut [AnsweredPod<'_>],
    accounts: &[PodAccount],
    live: &Live,
    seen: &LiveObjects,
    request: &AllocateRequest,
) -> Result<(), String> {
    let pods = seen.cluster.pods();
    let waiting: Vec<&Pod> = pods.filter(|pod| pod.spec.node_name.is_empty()).collect();
    if waiting.len() > 1 && !request.alone {
        let shared = shared_templates(&waiting);
        for one in answered.iter_mut() {
            one.trials.others_wait = true;
            one.trials.shared.clone_from(&shared);
        }
    }
    let trier = Trier {
        live,
        seen,
        request,
    };
    let placed_at_once = if request.alone { 1 } else { waiting.len() };
    let work = placed_at_once.saturating_mul(seen.cluster.len());
    let mut trials = TrialsLeft {
        left: affordable(work),
        now: None,
    };
    if answered.len() <= MOST_PODS {
        for at in 0..answered.len() {
            trials.try_pod(at, MOST_OF_POD, answered, &trier)?;
        }
        for one in answered.iter_mut() {
            one.trials.are_cut = untried(one).is_some();
        }
        return Ok(());
    }
    for one in answered.iter_mut() {
        one.trials.are_cut = true;
    }
    for pods in by_reason(answered, accounts) {
        let mut tried = None;
        for at in pods.iter().take(MOST_OF_REASON) {
            trials.try_pod(*at, MOST_OF_MANY, answered, &trier)?;
            let one = answered.get(*at);
            let Some(one) = one.filter(|one| !one.trials.tried.is_empty()) else {
                continue;
            };
            let helps = one.helps();
            let is_helped = helps.first().is_some_and(|help| help.is_tried);
            if is_helped || tried.is_none() {
                tried = Some(*at);
            }
            if is_helped {
                break;
            }
        }
        if let Some(tried) = tried {
            refer_to(tried, &pods, answered);
        }
    }
    Ok(())
}

/// The changes that may still be tried, and what pods get without any.
struct TrialsLeft {
    left: usize,
    now: Option<Placed>,
}

impl TrialsLeft {
    /// Tries the helps of a pod.
    ///
    /// # Errors
    /// The cluster cannot be asked.
    fn try_pod(
        &mut self,
        at: usize,
        most: usize,
        answered: &mut [AnsweredPod<'_>],
        trier: &Trier<'_>,
    ) -> Result<(), String> {
        for _ in 0..most.min(self.left) {
            let Some(one) = answered.get_mut(at) else {
                break;
            };
            let Some(help) = untried(one) else { break };
            self.left = self.left.saturating_sub(1);
            // What cannot be tried is not known.
            let placed = trier.placed_after(&help, one).unwrap_or_default();
            if trier.request.alone {
                record_alone(one, &help, &placed);
                continue;
            }
            let now = match &self.now {
                Some(now) => now,
                None => self.now.insert(trier.placed(&[], None)?),
            };
            record(answered, &help, &placed, now);
        }
        Ok(())
    }
}

/// Returns the pods that get no node by what keeps them, as their places.
fn by_reason(answered: &[AnsweredPod<'_>], accounts: &[PodAccount]) -> Vec<Vec<usize>> {
    let refused: BTreeMap<String, usize> = answered
        .iter()
        .enumerate()
        .filter(|(_, one)| one.verdict().is_refused())
        .map(|(at, one)| (one.brief.full_name(), at))
        .collect();
    let parts = headline::of_pods(accounts)
        .map(|headline| headline.parts)
        .into_iter()
        .flatten();
    parts
        .map(|part| {
            let pods = part.pods.iter().filter_map(|name| refused.get(name));
            pods.copied().collect()
        })
        .collect()
}

/// Lets the pods that wait for the same reason, and of which nothing was tried, refer to one of them.
fn refer_to(tried: usize, pods: &[usize], answered: &mut [AnsweredPod<'_>]) {
    let Some(one) = answered.get(tried) else {
        return;
    };
    let as_for = AsFor {
        pod: one.brief.full_name(),
        helping: one.changes_that(TrialOutcome::Helps),
        in_vain: one.changes_that(TrialOutcome::InVain),
    };
    for at in pods {
        if let Some(other) = answered.get_mut(*at)
            && *at != tried
        {
            other.trials.as_for = Some(as_for.clone());
        }
    }
}

/// Returns the first help of those that are shown of a pod that was not tried, and can be.
fn untried(one: &AnsweredPod<'_>) -> Option<Help> {
    let mut shown = one.helps().into_iter().take(MOST_SHOWN);
    shown.find(|help| help.edits.is_some() && !help.is_tried)
}

fn has_place(placed: &Placed, pod: &str) -> bool {
    placed.get(pod).is_some_and(Option::is_some)
}

/// Keeps what a change does for each pod.
fn record(answered: &mut [AnsweredPod<'_>], help: &Help, placed: &Placed, now: &Placed) {
    let Some(edits) = &help.edits else { return };
    let gaining: Vec<String> = placed
        .keys()
        .filter(|pod| has_place(placed, pod) && !has_place(now, pod))
        .cloned()
        .collect();
    let losing: Vec<String> = now
        .keys()
        .filter(|pod| has_place(now, pod) && placed.get(*pod).is_some_and(Option::is_none))
        .cloned()
        .collect();
    for pod in answered.iter_mut() {
        let name = pod.brief.full_name();
        let place = placed.get(&name);
        let of_group = help.of_group();
        let is_new = !pod.trials.of_group.contains(&of_group);
        if pod.group.is_some() && is_new && has_place(placed, &name) {
            pod.trials.of_group.push(of_group);
        }
        let outcome = match place {
            None => TrialOutcome::NotKnown,
            Some(Some(_)) => TrialOutcome::Helps,
            Some(None) if !gaining.is_empty() => TrialOutcome::HelpsOthers,
            Some(None) => TrialOutcome::InVain,
        };
        pod.trials.tried.push(Trial {
            edits: edits.clone(),
            outcome,
            goes_to: match outcome {
                TrialOutcome::HelpsOthers => gaining.clone(),
                _ => Vec::new(),
            },
            takes_from: match outcome {
                TrialOutcome::Helps => losing.clone(),
                _ => Vec::new(),
            },
            place: place.cloned().flatten(),
        });
    }
}

/// Keeps what a change does for a pod that is taken alone.
fn record_alone(one: &mut AnsweredPod<'_>, help: &Help, placed: &Placed) {
    let Some(edits) = &help.edits else { return };
    let place = placed.get(&one.brief.full_name());
    one.trials.tried.push(Trial {
        edits: edits.clone(),
        outcome: match place {
            None => TrialOutcome::NotKnown,
            Some(Some(_)) => TrialOutcome::Helps,
            Some(None) => TrialOutcome::InVain,
        },
        goes_to: Vec::new(),
        takes_from: Vec::new(),
        place: place.cloned().flatten(),
    });
}

/// Returns the templates that several of these pods name, as `namespace/name`.
fn shared_templates(pods: &[&Pod]) -> BTreeSet<String> {
    let (mut named, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for pod in pods {
        let own: BTreeSet<String> = templates_of(pod).into_values().collect();
        for template in own {
            if !named.insert(template.clone()) {
                shared.insert(template);
            }
        }
    }
    shared
}

/// What pods get, by their `namespace/name`; `None`: no node. A pod of which that is not known is left out.
type Placed = BTreeMap<String, Option<TrialPlace>>;

/// The cluster in which changes are tried, and the question that was asked about it.
struct Trier<'t> {
    live: &'t Live,
    seen: &'t LiveObjects,
    request: &'t AllocateRequest,
}

impl Trier<'_> {
    /// Returns what pods get once the change is made that would help one of them.
    fn placed_after(&self, help: &Help, one: &AnsweredPod<'_>) -> Result<Placed, String> {
        let edits = help.edits.as_deref().unwrap_or_default();
        self.placed(edits, Some(one.brief.full_name()))
    }

    /// Returns what pods get once objects are edited. `pod`: the one that is asked about where it is taken alone.
    fn placed(&self, edits: &[ObjectEdit], pod: Option<String>) -> Result<Placed, String> {
        let request = self.request;
        let mut changed = AllocateRequest {
            pod: pod.filter(|_| request.alone),
            // In turn nobody reads why nodes refuse a pod.
            node_names: if request.alone {
                request.node_names.clone()
            } else {
                Some(Vec::new())
            },
            options: AccountOptions {
                relax: Some(false),
                matrix: Some(MatrixOption::None),
                ..request.options
            },
            without_places: true,
            outcomes_only: true,
            ..request.clone()
        };
        changed.what_if.edits = edits.to_vec();
        let Content::Allocate { pods, .. } = answer(self.live, self.seen, changed)?.content else {
            return Ok(Placed::new());
        };
        let placed = pods.iter().filter_map(|account| {
            let place = match &account.turn {
                Some(turn) if turn.outcome == TurnOutcome::NotKnown => return None,
                Some(turn) => place_in_turn(turn),
                None if account.unknown.is_some() => return None,
                None => place_alone(account),
            };
            Some((account.pod.clone()?, place))
        });
        Ok(placed.collect())
    }
}

fn place_in_turn(turn: &Turn) -> Option<TrialPlace> {
    let node = turn.node.clone().filter(|_| turn.outcome.has_node())?;
    let devices = turn.devices.iter().map(|device| {
        let name = device.device.rsplit('/').next();
        name.unwrap_or_default().to_owned()
    });
    Some(TrialPlace {
        node,
        devices: devices.collect(),
    })
}

/// Returns the first node that gives a pod its devices.
fn place_alone(account: &PodAccount) -> Option<TrialPlace> {
    let mut nodes = account.nodes.iter();
    let node = nodes.find(|node| node.verdict == NodeVerdict::Allocated)?;
    let allocations = node.allocations.iter().flatten();
    let devices = allocations.flat_map(|allocation| &allocation.devices.results);
    Some(TrialPlace {
        node: node.name.clone(),
        devices: devices.map(|result| result.device.clone()).collect(),
    })
}

/// Places the pods of a cluster.
///
/// # Errors
/// Why it cannot be asked.
pub fn answer(
    live: &Live,
    seen: &LiveObjects,
    request: AllocateRequest,
) -> Result<requests::Answer, String> {
    let answer = requests::allocate_on(&request, &seen.cluster);
    match answer.error {
        Some(problem) => Err(format!("Kubernetes {}: {problem}", live.release)),
        None => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    /// A thousand nodes with three hundred pods that wait leave some.
    #[test]
    fn the_first_changes_are_tried_on_large_clusters() {
        let tries = [1_000, 300_000, 300 * 10_000, 3_000 * 100_000].map(super::affordable);
        assert_eq!(tries, [48, 3, 2, 0]);
    }
}
