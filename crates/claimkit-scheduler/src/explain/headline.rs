//! What keeps the pods of a cluster waiting, in one line: pods with the same deciding reason are counted together.

use super::account::{Conflict, NodeAccount, PodAccount, RequestAccount};
use super::kinds::{ConflictKind, NodeVerdict, StageKind};
use super::turn::{NodeRefusal, Plugin, Turn, TurnOutcome};
use claimkit_model::message::{self, Message, Words, message};
use claimkit_values::order;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of reasons of other plugins that are named together.
const MOST_REASONS: usize = 3;

/// Upstream's words before the name of a resource.
const INSUFFICIENT: &str = "Insufficient ";

/// Upstream's words before the error of an expression.
const RUNTIME_ERROR: &str = "CEL runtime error: ";

/// The pods that get no node, by what decides.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Headline {
    /// The number of pods that get no node.
    pub waiting: usize,
    /// The number of all pods that were placed.
    pub pods: usize,
    /// The largest group first.
    pub parts: Vec<HeadlinePart>,
    /// All in one line.
    pub text: Message,
}

/// Pods that wait for the same reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeadlinePart {
    pub reason: Words,
    /// What helps; absent if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Message>,
    /// `namespace/name` of each pod, in the order in which they are placed.
    pub pods: Vec<String>,
}

/// What decides that a pod waits.
#[derive(Clone)]
struct Reason {
    text: Words,
    help: Option<Message>,
}

impl From<Words> for Reason {
    fn from(text: Words) -> Self {
        Reason { text, help: None }
    }
}

/// Returns the headline for pods; nothing where fewer than two were placed, or all have a node.
pub fn of_pods(accounts: &[PodAccount]) -> Option<Headline> {
    let placed: Vec<(&str, &PodAccount)> = accounts
        .iter()
        .filter_map(|account| Some((account.pod.as_deref()?, account)))
        .collect();
    let by_name: BTreeMap<&str, &PodAccount> = placed.iter().copied().collect();
    let mut parts: Vec<HeadlinePart> = Vec::new();
    for (name, account) in placed.iter().filter(|(_, account)| waits(account)) {
        let same = account.same_as.as_deref();
        let nodes = same
            .and_then(|same| by_name.get(same))
            .unwrap_or(account)
            .nodes
            .as_slice();
        let Reason { text, help } = reason_of(account, nodes);
        match parts.iter_mut().find(|part| part.reason == text) {
            Some(part) => part.pods.push((*name).to_owned()),
            None => parts.push(HeadlinePart {
                reason: text,
                help,
                pods: vec![(*name).to_owned()],
            }),
        }
    }
    if placed.len() < 2 || parts.is_empty() {
        return None;
    }
    order::sort_by_key(&mut parts, |part| std::cmp::Reverse(part.pods.len()));
    let waiting = parts.iter().map(|part| part.pods.len()).sum();
    let pods = placed.len();
    Some(Headline {
        text: line(waiting, pods, &parts),
        waiting,
        pods,
        parts,
    })
}

fn line(waiting: usize, pods: usize, parts: &[HeadlinePart]) -> Message {
    let printed: Vec<Message> = parts
        .iter()
        .map(|part| {
            message!(
                "headline.part",
                "{count}: {reason}",
                count = part.pods.len(),
                reason = part.reason
            )
        })
        .collect();
    message!(
        "headline.line",
        "{waiting} of {pods} pods get no node. {parts}",
        waiting,
        pods,
        parts = printed.join(" · ")
    )
}

fn waits(account: &PodAccount) -> bool {
    match account.turn.as_deref() {
        Some(turn) => !turn.outcome.has_node() && turn.outcome != TurnOutcome::Ended,
        None => !account
            .nodes
            .iter()
            .any(|node| node.verdict == NodeVerdict::Allocated),
    }
}

fn reason_of(account: &PodAccount, nodes: &[NodeAccount]) -> Reason {
    before_nodes(account)
        .or_else(|| account.turn.as_deref().and_then(of_turn).map(Reason::from))
        .or_else(|| of_devices(nodes))
        .or_else(|| of_plugins(nodes).map(Words::from).map(Reason::from))
        .unwrap_or_else(|| {
            let message = account.turn.as_ref().and_then(|turn| turn.message.clone());
            Reason::from(message.map_or_else(
                || message!("headline.no-node", "taken by no node").into(),
                Words::upstream,
            ))
        })
}

/// The reason of a pod that is stopped before any node is looked at.
fn before_nodes(account: &PodAccount) -> Option<Reason> {
    if let Some(why) = &account.unknown {
        return Some(Reason::from(Words::Ours(why.clone())));
    }
    let before = account
        .before
        .as_ref()
        .filter(|before| !before.message.is_empty())?;
    // Our words say what upstream's leave out: the object that is not there, and not the pod.
    let text = match &before.help {
        Some(help) => Words::Ours(help.clone()),
        None => Words::upstream(before.message.clone()),
    };
    Some(Reason::from(text))
}

/// The reason of a pod that is not tried, or that waits for something other than a node.
fn of_turn(turn: &Turn) -> Option<Words> {
    if let Some(waits_for) = &turn.waits_for {
        let text = message!("headline.waits-for", "waiting for {waits_for}", waits_for);
        return Some(text.into());
    }
    if turn.nominated.is_some() {
        return Some(message!("headline.preemption", "preemption makes room for them").into());
    }
    match turn.outcome {
        TurnOutcome::Gated => {
            Some(message!("headline.gated", "held back by scheduling gates").into())
        }
        TurnOutcome::NotKnown => Some(Words::Ours(match turn.unsure.first() {
            Some(why) => why.clone(),
            None => message!("headline.not-known", "it is not known"),
        })),
        TurnOutcome::Error => turn.message.as_deref().map(of_error),
        // Its group keeps it, and not its nodes.
        _ if turn.takes.is_some() => turn.message.clone().map(Words::upstream),
        _ => None,
    }
}

/// The reason of an error that ends the attempt: without the names of the claim and the device where an expression fails, for the pods
/// of one template fail alike.
fn of_error(message: &str) -> Words {
    match message.find(RUNTIME_ERROR).and_then(|at| message.get(at..)) {
        Some(error) => message!(
            "headline.error",
            "an error ends the attempt: {error}",
            error
        )
        .into(),
        None => Words::upstream(message.to_owned()),
    }
}

fn other_refusals(node: &NodeAccount) -> impl Iterator<Item = &NodeRefusal> {
    node.refusals
        .iter()
        .filter(|refusal| refusal.plugin != Plugin::DynamicResources)
}

/// A node that lacks devices only, and how near it comes: the fewest requests without devices first, then the latest stage.
struct Near<'a> {
    lacking: usize,
    stage: std::cmp::Reverse<usize>,
    /// The account of its requests, which may be another node's.
    account: &'a NodeAccount,
}

impl<'a> Near<'a> {
    fn of(account: &'a NodeAccount) -> Self {
        let stage = lacking(account).map(|request| stage_of(request).0).min();
        Near {
            lacking: lacking(account).count(),
            stage: std::cmp::Reverse(stage.unwrap_or(usize::MAX)),
            account,
        }
    }
}

/// The account that a node shares with an earlier one, or its own.
fn shared_account<'a>(nodes: &'a [NodeAccount], node: &'a NodeAccount) -> &'a NodeAccount {
    let same = node.same_as.as_deref();
    same.and_then(|same| nodes.iter().find(|other| other.name == same))
        .unwrap_or(node)
}

/// The reason of devices, on the node that comes nearest among those that nothing else refuses.
fn of_devices(nodes: &[NodeAccount]) -> Option<Reason> {
    let nearest = nodes
        .iter()
        .filter(|node| node.verdict != NodeVerdict::Allocated)
        .filter(|node| other_refusals(node).next().is_none())
        .map(|node| shared_account(nodes, node))
        .filter(|account| !account.requests.is_empty() || !account.conflicts.is_empty())
        .map(Near::of)
        .min_by_key(|near| (near.lacking, near.stage))?
        .account;
    let text = match lacking(nearest).next() {
        Some(request) => of_request(nearest, request),
        None => of_conflict(nearest, nearest.conflicts.first()),
    };
    // Nodes that something else refuses may have what these lack.
    let mut others = nodes
        .iter()
        .filter(|node| other_refusals(node).next().is_some())
        .map(|node| shared_account(nodes, node));
    let first = lacking(nearest).next();
    let text = if others.any(|other| !lacks_as_early(other, first)) {
        message!(
            "headline.among",
            "{why} among those that take them otherwise",
            why = text
        )
    } else {
        text
    };
    let relaxation = nearest.relaxations.first();
    Some(Reason {
        text: text.into(),
        help: relaxation.map(|relaxation| relaxation.text.clone()),
    })
}

/// The requests for which there are too few devices, whatever alternative is taken.
fn lacking(node: &NodeAccount) -> impl Iterator<Item = &RequestAccount> {
    node.requests.iter().filter(move |request| {
        node.requests
            .iter()
            .filter(|other| is_same_request(other, request))
            .all(lacks)
    })
}

/// Returns true if a node lacks devices for the same request, at the same stage or before it. `request`: absent where all requests
/// have devices alone.
fn lacks_as_early(node: &NodeAccount, request: Option<&RequestAccount>) -> bool {
    let Some(request) = request else {
        return lacking(node).next().is_some();
    };
    lacking(node)
        .any(|other| is_same_request(other, request) && stage_of(other).0 <= stage_of(request).0)
}

fn lacks(request: &RequestAccount) -> bool {
    stage_of(request).0 < usize::MAX
}

/// The first stage that leaves too few devices, and its place in the funnel.
fn stage_of(request: &RequestAccount) -> (usize, StageKind) {
    let wanted = usize::try_from(request.wanted).unwrap_or(0).max(1);
    request
        .funnel
        .iter()
        .enumerate()
        .find(|(_, stage)| stage.left < wanted)
        .map_or((usize::MAX, StageKind::default()), |(place, stage)| {
            (place, stage.stage)
        })
}

/// Returns `gpu.example.com`, or `2 × gpu.example.com`.
fn devices_of(request: &RequestAccount) -> String {
    match request.wanted {
        0 | 1 => request.class.clone(),
        wanted => format!("{wanted} × {}", request.class),
    }
}

/// Returns what the alternatives of a request want.
fn alternatives_of(node: &NodeAccount, request: &RequestAccount) -> Vec<Words> {
    let alternatives = node
        .requests
        .iter()
        .filter(|other| is_same_request(other, request))
        .map(devices_of);
    distinct(alternatives.map(Words::upstream))
}

fn either(alternatives: Vec<Words>) -> Words {
    alternatives
        .into_iter()
        .reduce(|first, second| {
            message!("headline.or", "{first} or {second}", first, second).into()
        })
        .unwrap_or_default()
}

/// Returns what the requests want, in their order.
fn wants_of(node: &NodeAccount) -> Vec<Words> {
    let of_requests: Vec<Vec<Words>> = node
        .requests
        .iter()
        .enumerate()
        .filter(|(at, request)| {
            let mut before = node.requests.iter().take(*at);
            !before.any(|other| is_same_request(other, request))
        })
        .map(|(_, request)| alternatives_of(node, request))
        .collect();
    let is_only = of_requests.len() == 1;
    distinct(of_requests.into_iter().map(|alternatives| {
        let one_of_several = alternatives.len() > 1 && !is_only;
        let wants = either(alternatives);
        if one_of_several {
            message!("headline.alternatives", "({wants})", wants).into()
        } else {
            wants
        }
    }))
}

fn distinct(wants: impl IntoIterator<Item = Words>) -> Vec<Words> {
    let mut distinct: Vec<Words> = Vec::new();
    for want in wants {
        if !distinct.contains(&want) {
            distinct.push(want);
        }
    }
    distinct
}

fn is_same_request(one: &RequestAccount, other: &RequestAccount) -> bool {
    (&one.claim, &one.request) == (&other.claim, &other.request)
}

/// Returns true if the alternatives of a request lack devices for different reasons.
fn differ(node: &NodeAccount, request: &RequestAccount) -> bool {
    let mut others = node
        .requests
        .iter()
        .filter(|other| is_same_request(other, request));
    let own = reason_stage(request);
    others.any(|other| reason_stage(other) != own)
}

/// Returns the first stage that leaves too few devices; that of the node for all at which a node does not have them.
fn reason_stage(request: &RequestAccount) -> StageKind {
    match stage_of(request).1 {
        StageKind::Class | StageKind::DeviceNode => StageKind::Node,
        stage => stage,
    }
}

fn of_request(node: &NodeAccount, request: &RequestAccount) -> Message {
    let devices = either(alternatives_of(node, request));
    let why = match stage_of(request).1 {
        _ if differ(node, request) => {
            message!("headline.not-enough", "no node can give {devices}", devices)
        }
        StageKind::Pool => message!(
            "headline.not-usable",
            "no node has {devices} in a usable pool",
            devices
        ),
        StageKind::Node | StageKind::Class | StageKind::DeviceNode => {
            message!("headline.absent", "no node has {devices}", devices)
        }
        StageKind::Feature => message!(
            "headline.feature-off",
            "{devices} needs a feature that is off",
            devices
        ),
        StageKind::Selector => message!(
            "headline.not-selected",
            "no node has {devices} that the selectors accept",
            devices
        ),
        StageKind::Free if lends_enough(node, request) => message!(
            "headline.not-free-in-turn",
            "after earlier pods, no node has {devices} free",
            devices
        ),
        StageKind::Free => message!("headline.not-free", "no node has {devices} free", devices),
        StageKind::Capacity => message!(
            "headline.no-capacity",
            "no node has enough capacity for {devices}",
            devices
        ),
        StageKind::Counters => message!(
            "headline.no-counters",
            "no node has enough counters for {devices}",
            devices
        ),
        StageKind::Taint => message!(
            "headline.tainted",
            "no node has {devices} without a taint that they do not tolerate",
            devices
        ),
        StageKind::Constraint => message!(
            "headline.attribute-absent",
            "no node has {devices} with the attributes of the constraints",
            devices
        ),
    };
    let wants = wants_of(node);
    if wants.len() < 2 {
        return why;
    }
    message!(
        "headline.not-together",
        "no node has {classes} together: {why}",
        classes = message::parts(wants),
        why
    )
}

/// Returns true if devices are free in the cluster, and given to pods that are placed before: with them there would be enough.
fn lends_enough(node: &NodeAccount, request: &RequestAccount) -> bool {
    let lent: BTreeSet<&str> = node
        .holders
        .iter()
        .filter(|holder| holder.planned)
        .map(|holder| holder.device.as_str())
        .collect();
    let free = request
        .funnel
        .iter()
        .find(|stage| stage.stage == StageKind::Free);
    let left = free.map_or(0, |stage| stage.left);
    let wanted = usize::try_from(request.wanted).unwrap_or(0).max(1);
    !lent.is_empty() && left.saturating_add(lent.len()) >= wanted
}

fn of_conflict(node: &NodeAccount, conflict: Option<&Conflict>) -> Message {
    let classes = message::parts(wants_of(node));
    let attribute = conflict.and_then(|conflict| conflict.attribute.as_deref());
    match (conflict.map(|conflict| conflict.kind), attribute) {
        (Some(ConflictKind::Match), Some(attribute)) => message!(
            "headline.not-equal",
            "no node has {classes} with one value of {attribute}",
            classes,
            attribute
        ),
        (Some(ConflictKind::Distinct), Some(attribute)) => message!(
            "headline.not-different",
            "no node has {classes} with different values of {attribute}",
            classes,
            attribute
        ),
        _ => message!(
            "headline.not-all",
            "no node has {classes} for all requests",
            classes
        ),
    }
}

/// The reasons of other plugins that together refuse every node, the most frequent first.
fn of_plugins(nodes: &[NodeAccount]) -> Option<Message> {
    let mut left: Vec<BTreeSet<Words>> = nodes
        .iter()
        .map(|node| other_refusals(node).flat_map(plugin_reasons).collect())
        .filter(|reasons: &BTreeSet<Words>| !reasons.is_empty())
        .collect();
    let mut named: Vec<Words> = Vec::new();
    while named.len() < MOST_REASONS {
        let Some(reason) = most_frequent(&left) else {
            break;
        };
        left.retain(|reasons| !reasons.contains(&reason));
        named.push(reason);
    }
    if named.is_empty() {
        return None;
    }
    Some(message!(
        "headline.refused",
        "taken by no node: {reasons}",
        reasons = message::parts(named)
    ))
}

fn most_frequent(reasons: &[BTreeSet<Words>]) -> Option<Words> {
    let mut counts: BTreeMap<&Words, usize> = BTreeMap::new();
    for reason in reasons.iter().flatten() {
        let count = counts.entry(reason).or_default();
        *count = count.saturating_add(1);
    }
    counts
        .iter()
        .max_by_key(|(reason, count)| (**count, std::cmp::Reverse(reason.as_str())))
        .map(|(reason, _)| (*reason).clone())
}

fn plugin_reasons(refusal: &NodeRefusal) -> Vec<Words> {
    let word = match refusal.plugin {
        Plugin::NodeUnschedulable => message!("headline.cordoned", "cordoned nodes"),
        Plugin::TaintToleration => message!("headline.taints", "taints of nodes"),
        Plugin::NodeAffinity => message!("headline.affinity", "node selector or affinity"),
        Plugin::NodePorts => message!("headline.ports", "host ports in use"),
        Plugin::VolumeRestrictions => message!("headline.volumes-in-use", "volumes in use"),
        Plugin::NodeVolumeLimits => message!("headline.volume-limits", "too many volumes"),
        Plugin::VolumeBinding => message!("headline.volumes-absent", "no volume to use"),
        Plugin::VolumeZone => message!("headline.volume-zone", "volumes in another zone"),
        Plugin::PodTopologySpread => message!("headline.spread", "topology spread"),
        Plugin::InterPodAffinity => message!("headline.pod-affinity", "affinity between pods"),
        Plugin::NodeResourcesFit | Plugin::DynamicResources => {
            return refusal
                .reasons
                .iter()
                .map(|reason| resource(reason))
                .collect();
        }
    };
    vec![word.into()]
}

fn resource(reason: &str) -> Words {
    match reason.strip_prefix(INSUFFICIENT) {
        Some(resource) => message!("headline.resource", "too little {resource}", resource).into(),
        None => Words::upstream(reason.to_owned()),
    }
}
