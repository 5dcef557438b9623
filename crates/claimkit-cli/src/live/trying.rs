//! The changes that would help are tried with all pods in turn.

use super::answer::AnsweredPod;
use super::cluster::Live;
use super::read::LiveObjects;
use super::ways::{Help, Trial, TrialOutcome, TrialPlace, templates_of};
use claimkit::requests::request::AllocateRequest;
use claimkit::requests::{self, Content};
use claimkit_scheduler::allocator::objects::Pod;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::headline;
use claimkit_scheduler::explain::object_edits::ObjectEdit;
use claimkit_scheduler::explain::turn::TurnOutcome;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of pods whose helps are tried.
const MOST_PODS: usize = 16;
/// Maximum number of changes that are tried.
const MOST_TRIED: usize = 48;
/// Maximum number of changes that are tried for one pod.
const MOST_OF_POD: usize = 10;
/// Maximum number of changes that are tried for one of many pods: the first one that helps is shown.
const MOST_OF_MANY: usize = 2;
/// How many helps of a pod are tried: as many are shown.
const MOST_SHOWN: usize = 4;
/// Maximum number of pods that wait times objects, over all tries: with more of them fewer changes are tried.
const MOST_WORK: usize = 1_000_000;

/// Tries the changes that would help, with all pods in turn: a pod that waits longer may get what they give. Of what is not
/// tried the helps say so.
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
    if waiting.len() > 1 {
        let shared = shared_templates(&waiting);
        for one in answered.iter_mut() {
            one.trials.others_wait = true;
            one.trials.shared.clone_from(&shared);
        }
    }
    let explained = answered.iter().filter_map(|one| one.account?.nodes.first());
    let node = explained.map(|node| node.name.clone()).next();
    let work = waiting.len().saturating_mul(seen.cluster.len());
    let mut left = MOST_WORK.checked_div(work).unwrap_or_default();
    left = left.min(MOST_TRIED);
    let mut now: Option<Placed> = None;
    let most_of_pod = match answered.len() <= MOST_PODS {
        true => MOST_OF_POD,
        false => MOST_OF_MANY,
    };
    for at in tried_first(answered, accounts) {
        let mut of_pod = left.min(most_of_pod);
        while of_pod > 0
            && let Some(help) = answered.get(at).and_then(untried)
        {
            let placed_now = match &now {
                Some(placed) => placed,
                None => now.insert(placed_after(&[], node.as_ref(), live, seen, request)?),
            };
            // What cannot be tried is not known.
            let edits = help.edits.as_deref().unwrap_or_default();
            let placed =
                placed_after(edits, node.as_ref(), live, seen, request).unwrap_or_default();
            record(answered, &help, &placed, placed_now);
            of_pod = of_pod.saturating_sub(1);
            left = left.saturating_sub(1);
        }
    }
    Ok(())
}

/// Returns which pods' helps are tried: of many the first one that each reason keeps, for what helps it is shown.
fn tried_first(answered: &[AnsweredPod<'_>], accounts: &[PodAccount]) -> Vec<usize> {
    if answered.len() <= MOST_PODS {
        return (0..answered.len()).collect();
    }
    let parts = headline::of_pods(accounts).map(|headline| headline.parts);
    let mut first = parts.into_iter().flatten().filter_map(|part| {
        let mut pods = part.pods.iter();
        pods.find_map(|name| {
            answered
                .iter()
                .position(|one| one.brief.full_name() == *name && one.verdict().is_refused())
        })
    });
    first.by_ref().take(MOST_PODS).collect()
}

/// Returns the first help of those that are shown of a pod that was not tried, and can be.
fn untried(one: &AnsweredPod<'_>) -> Option<Help> {
    let mut shown = one.helps().into_iter().take(MOST_SHOWN);
    shown.find(|help| help.edits.is_some() && !help.is_tried)
}

/// Keeps what a change does for each pod.
fn record(answered: &mut [AnsweredPod<'_>], help: &Help, placed: &Placed, now: &Placed) {
    let Some(edits) = &help.edits else { return };
    let is_for_others = placed
        .iter()
        .any(|(pod, place)| place.is_some() && !matches!(now.get(pod), Some(Some(_))));
    for one in answered.iter_mut() {
        let place = placed.get(&one.brief.full_name());
        let is_placed = matches!(place, Some(Some(_)));
        // To look for the helps of a pod takes long.
        let matters = match is_placed {
            true => one.group.is_some(),
            false => is_for_others,
        };
        let is_own = matters
            && one
                .helps()
                .iter()
                .any(|own| own.edits.as_ref() == Some(edits));
        if is_placed && matters && !is_own {
            one.trials.of_group.push(help.of_group());
        }
        let outcome = match place {
            None => TrialOutcome::NotKnown,
            Some(Some(_)) => TrialOutcome::Helps,
            Some(None) if is_for_others && is_own => TrialOutcome::HelpsOthers,
            Some(None) => TrialOutcome::InVain,
        };
        one.trials.tried.push(Trial {
            edits: edits.clone(),
            outcome,
            place: place.cloned().flatten(),
        });
    }
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

/// Returns what pods get once objects are edited. `node`: the one that is explained, for nobody reads why.
fn placed_after(
    edits: &[ObjectEdit],
    node: Option<&String>,
    live: &Live,
    seen: &LiveObjects,
    request: &AllocateRequest,
) -> Result<Placed, String> {
    let mut changed = AllocateRequest {
        pod: None,
        node_names: Some(node.into_iter().cloned().collect()),
        ..request.clone()
    };
    changed.what_if.edits = edits.to_vec();
    let Content::Allocate { pods, .. } = answer(live, seen, changed)?.content else {
        return Ok(Placed::new());
    };
    let placed = pods.into_iter().filter_map(|account| {
        let turn = account
            .turn
            .filter(|turn| turn.outcome != TurnOutcome::NotKnown)?;
        let devices = turn.devices.iter().map(|device| {
            let name = device.device.rsplit('/').next();
            name.unwrap_or_default().to_owned()
        });
        let node = turn.node.clone().filter(|_| turn.outcome.has_node());
        let place = node.map(|node| TrialPlace {
            node,
            devices: devices.collect(),
        });
        Some((account.pod?, place))
    });
    Ok(placed.collect())
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
