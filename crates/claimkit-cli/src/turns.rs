//! The output of `allocate` for pods that are placed in turn: the pod first, then its devices, or the nodes grouped by reason.

use crate::lines::{MOST_NAMES, Printed, Width, name};
use claimkit::{HowMany, PlacementMode, PodsOnNode};
use claimkit_model::message::Message;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::kinds::NodeVerdict;
use claimkit_scheduler::explain::turn::{DecidedBy, ReasonGroup, Turn, TurnDevice, TurnOutcome};
use claimkit_scheduler::explain::{headline, words};
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// What the answer about a pod alone does not judge.
pub const BY_DEVICES: &str =
    "by its devices only: taints, cpu, volumes and other rules are not looked at";

/// Maximum number of nodes of a repeated pod that are named.
const MOST_NODES: usize = 10;

/// Returns how the pods were placed, and how many get a node; nothing if there is no pod.
pub fn heading(printed: Printed<'_>) -> String {
    let Printed { pods, width, .. } = printed;
    let named = pods.iter().filter(|pod| pod.pod.is_some()).count();
    let line = match named {
        0 => return String::new(),
        1 if printed.mode == PlacementMode::Alone => {
            format!("The pod alone, as if no other pod waited, {BY_DEVICES}.")
        }
        _ if printed.mode == PlacementMode::Alone => {
            format!("Each pod alone, as if no other pod waited, {BY_DEVICES}.")
        }
        _ => format!(
            "Pods in turn{}: {}",
            others(printed.beside),
            how_many_placed(printed, named)
        ),
    };
    let mut out = width.wrapped(&line, 0, 2);
    if printed.how_many.is_none() {
        out.push_str(&reasons(pods, width));
    }
    out
}

/// Says how many other pods wait beside those that are printed.
fn others(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ", with another pod that waits".to_owned(),
        _ => format!(", with {count} other pods that wait"),
    }
}

/// Says how many of the named pods get a node, or how often the repeated pod fits.
fn how_many_placed(printed: Printed<'_>, named: usize) -> String {
    let mut pods = printed.pods.iter();
    if let Some(how_many) = printed.how_many {
        return match pods.find_map(|pod| pod.unknown.as_ref()) {
            Some(why) => format!("{} is {why}.", how_many.pod),
            None => repeated(how_many, &in_common(printed.pods, &how_many.pod)),
        };
    }
    let turns = pods.filter_map(|pod| pod.turn.as_ref());
    let placed = turns.filter(|turn| turn.outcome.has_node()).count();
    let verb = if named == 1 { "has" } else { "have" };
    format!("{placed} of {named} {verb} a node.")
}

/// Returns a line for each reason that keeps several pods waiting; nothing if a single pod waits.
fn reasons(pods: &[PodAccount], width: Width) -> String {
    let Some(headline) = headline::of_pods(pods).filter(|headline| headline.waiting > 1) else {
        return String::new();
    };
    headline
        .parts
        .iter()
        .map(|part| width.wrapped(&format!("{}: {}", part.pods.len(), part.reason), 2, 4))
        .collect()
}

/// Returns the claims that a repeated pod names itself: its copies use the same devices.
fn in_common<'p>(pods: &'p [PodAccount], repeated: &str) -> Vec<&'p str> {
    let mut claims = shared(pods);
    claims.retain(|_, users| users.contains(repeated));
    claims.into_keys().collect()
}

/// Returns how often a repeated pod fits, and where. `in_common`: claims whose devices all its copies use.
fn repeated(how_many: &HowMany, in_common: &[&str]) -> String {
    let HowMany {
        pod,
        count,
        at_least,
        depends,
        nodes,
        limited_by,
        ..
    } = how_many;
    let times = match count {
        0 => "does not fit".to_owned(),
        1 => "fits once".to_owned(),
        count if *at_least => format!("fits at least {count} times (no more were tried)"),
        count => format!("fits {count} times"),
    };
    let mut most: Vec<&PodsOnNode> = nodes.iter().collect();
    order::sort_by_key(&mut most, |node| std::cmp::Reverse(node.count));
    let most: Vec<String> = most
        .iter()
        .map(|node| format!("{} on {}", node.count, node.node))
        .collect();
    let most = if most.is_empty() {
        String::new()
    } else {
        format!(": {}", words::some(&most, MOST_NODES))
    };
    let rest = if *depends {
        "; the number depends on which of several nodes with the same score pods get"
    } else {
        ""
    };
    let limit = match limited_by {
        Some(limit) => format!("; {limit}"),
        None => String::new(),
    };
    let same = match in_common {
        [] => String::new(),
        claims => format!(
            "; all use the same devices, those of {}",
            words::some(claims, MOST_NODES)
        ),
    };
    format!("{pod} {times}{most}{same}{limit}{rest}.")
}

/// The pods of an answer that use each claim in common: claim → pods.
pub type Users<'p> = BTreeMap<&'p str, BTreeSet<&'p str>>;

/// Returns the claims of which several pods have the devices.
pub fn shared(pods: &[PodAccount]) -> Users<'_> {
    let mut users = Users::new();
    for (pod, turn) in pods
        .iter()
        .filter_map(|account| Some((account.pod.as_deref()?, account.turn.as_deref()?)))
    {
        for device in &turn.devices {
            users.entry(&device.claim).or_default().insert(pod);
        }
    }
    users.retain(|_, pods| pods.len() > 1);
    users
}

/// Returns what becomes of a pod: lines without the accounts of nodes.
pub fn pod(account: &PodAccount, turn: &Turn, users: &Users<'_>, width: Width) -> String {
    let mut lines = devices(&turn.devices);
    lines.extend(shared_claims(account, turn, users));
    lines.extend(turn.evicted_by.iter().map(Message::to_string));
    lines.extend(turn.message.clone());
    lines.extend(turn.help.as_ref().map(|help| format!("= help: {help}")));
    lines.extend(what_it_waits_for(turn));
    lines.extend(same_nodes(account));
    lines.extend(room_by_preemption(turn));
    lines.extend(claim_given_back(turn));
    lines.extend(turn.refused.iter().map(refused));
    let others = others_that_fit(account, turn).into_iter();
    lines.extend(others.map(|node| format!("{node} could take it, too")));
    lines.extend(choice_among_equals(turn));
    lines.extend(what_is_unsure(turn));
    let mut out = width.wrapped(&format!("{}: {}", name(account), outcome(turn)), 0, 2);
    for line in lines {
        out.push_str(&width.wrapped(&line, 2, 4));
    }
    out
}

/// Says of the claims that a pod shares with which pods.
fn shared_claims(account: &PodAccount, turn: &Turn, users: &Users<'_>) -> Vec<String> {
    let claims: BTreeSet<&str> = turn
        .devices
        .iter()
        .map(|device| device.claim.as_str())
        .collect();
    let mut lines = Vec::new();
    for claim in claims {
        let Some(pods) = users.get(claim) else {
            continue;
        };
        let others: Vec<&str> = pods
            .iter()
            .copied()
            .filter(|pod| Some(*pod) != account.pod.as_deref())
            .collect();
        lines.push(format!(
            "ResourceClaim {claim} is shared with {}",
            words::some(&others, MOST_NAMES)
        ));
    }
    lines
}

/// Says what a pod without a node waits for. The first line already says what a pod with a node waits for.
fn what_it_waits_for(turn: &Turn) -> Option<String> {
    if turn.outcome == TurnOutcome::Preparing {
        return None;
    }
    let waits_for = turn.waits_for.as_ref()?;
    Some(format!("waits for {waits_for}"))
}

/// Names the pod whose account of the nodes is the same.
fn same_nodes(account: &PodAccount) -> Option<String> {
    let first = account.same_as.as_ref()?;
    Some(format!("the nodes: as for {first}"))
}

/// Says where preemption makes room, and which pods end.
fn room_by_preemption(turn: &Turn) -> Option<String> {
    let node = turn.nominated.as_ref()?;
    let ending = words::ending(&turn.victims, MOST_NAMES);
    Some(format!("preemption makes room on {node}: {ending}"))
}

/// Names the claim whose devices the pod gives back.
fn claim_given_back(turn: &Turn) -> Option<String> {
    let claim = turn.freed.as_ref()?;
    Some(format!(
        "ResourceClaim {claim}, reserved for no other pod, is given back, and the pod is tried again"
    ))
}

/// Says that the pod, or one before it, gets one of several nodes with the same score.
fn choice_among_equals(turn: &Turn) -> Option<String> {
    if turn.decided_by != Some(DecidedBy::Name) {
        return turn.depends.then(|| {
            "depends on which of several nodes with the same score earlier pods get".to_owned()
        });
    }
    let others = words::some(&turn.tied, MOST_NAMES);
    let have = match turn.tied.as_slice() {
        [_] => "has",
        _ => "have",
    };
    let rest = if turn.depends {
        "; another choice changes the outcome"
    } else {
        ""
    };
    Some(format!(
        "taken by name: {others} {have} the same score, and kube-scheduler takes any{rest}"
    ))
}

/// Says what is not certain. The first line already says why nothing is known of a pod.
fn what_is_unsure(turn: &Turn) -> Vec<String> {
    let said = usize::from(turn.outcome == TurnOutcome::NotKnown);
    let unsure = turn.unsure.iter().skip(said);
    unsure.map(|why| format!("not certain: {why}")).collect()
}

/// Returns the nodes that are asked about and could take a pod that gets another one.
fn others_that_fit<'p>(account: &'p PodAccount, turn: &Turn) -> Vec<&'p str> {
    let Some(own) = &turn.node else {
        return Vec::new();
    };
    if account.nodes.iter().any(|node| node.name == *own) {
        return Vec::new();
    }
    let nodes = account
        .nodes
        .iter()
        .filter(|node| node.verdict == NodeVerdict::Allocated && !turn.tied.contains(&node.name));
    nodes.map(|node| node.name.as_str()).collect()
}

/// Returns what becomes of a pod in a few words.
pub fn outcome(turn: &Turn) -> String {
    let node = turn.node.as_deref().unwrap_or_default();
    match turn.outcome {
        TurnOutcome::Bound => node.to_owned(),
        TurnOutcome::Preparing => match &turn.waits_for {
            Some(what) => format!("{node}, once it has {what}"),
            None => format!("{node}, once its devices are ready"),
        },
        TurnOutcome::Placed => format!("is on {node} already"),
        TurnOutcome::Ended => "has ended".to_owned(),
        TurnOutcome::Unschedulable => match &turn.takes {
            Some(node) => format!("{node} takes it, but its group does not start"),
            None if turn.untried => "is not tried, for its group does not start".to_owned(),
            None => "fits on no node".to_owned(),
        },
        TurnOutcome::Error => "an error ends the attempt".to_owned(),
        TurnOutcome::Gated => "is not scheduled yet".to_owned(),
        TurnOutcome::NotKnown => match turn.unsure.first() {
            Some(why) => format!("is {why}"),
            None => "is not known".to_owned(),
        },
        TurnOutcome::NotConsidered => "is not considered".to_owned(),
    }
}

/// Returns `request = device, device` for each request, with its claim if another claim has a request of that name.
fn devices(list: &[TurnDevice]) -> Vec<String> {
    let mut lines: Vec<((&str, &str), String)> = Vec::new();
    for device in list {
        let key = (device.claim.as_str(), device.request.as_str());
        let own = device.device.rsplit('/').next().unwrap_or_default();
        match lines.last_mut().filter(|(last, _)| *last == key) {
            Some((_, line)) => line.push_str(&format!(", {own}")),
            None => {
                let twice = list
                    .iter()
                    .any(|other| other.request == device.request && other.claim != device.claim);
                let of = if twice {
                    format!(" of {}", device.claim)
                } else {
                    String::new()
                };
                lines.push((key, format!("{}{of} = {own}", device.request)));
            }
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

/// Returns a group of nodes and why they refuse the pod.
fn refused(group: &ReasonGroup) -> String {
    let nodes = match group.nodes.as_slice() {
        [one] => one.clone(),
        nodes => format!("{} nodes ({})", nodes.len(), words::some(nodes, MOST_NAMES)),
    };
    let why = if group.why.is_empty() {
        group.reasons.join("; ")
    } else {
        group.why.join("; ")
    };
    format!("{nodes}: {why}")
}
