//! The account of a node. A node with the same funnels and verdict as an earlier node refers to that node by name.

use super::account::{
    CellAccount, Charge, Conflict, Holder, IgnoredSlice, NodeAccount, PoolAccount, Reason,
    RequestAccount, Stage,
};
use super::cells::{DeviceQuestion, ShownDevice, shown, users_of};
use super::conflicts::{self, Alone};
use super::edits::FactEdit;
use super::funnel::{self, Row};
use super::kinds::{CapacityFault, NodeVerdict, PoolState, StageKind};
use super::relax::Trial;
use super::{Explain, Matrix, line, resources, words};
use crate::allocator::allocate::Verdict;
use crate::allocator::amount::spell_like;
use crate::allocator::capacity::Arithmetic;
use crate::allocator::cluster::{Cluster, DeviceAt};
use crate::allocator::objects::{Ask, Claim, ClaimRequest};
use crate::allocator::plugin::{NodeAnswer, PodCase, UNAVAILABLE, filter};
use crate::allocator::pools::{Gatherer, Ignored, NodePools};
use crate::allocator::prepare::{Attempt, RequestChoice};
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::status::StatusCode;
use claimkit_model::finding::field_path;
use claimkit_model::message::{self, Message, message};
use std::borrow::Cow;

/// Maximum number of pools in an answer that have no device of the node.
const MOST_FOREIGN: usize = 5;

/// The account of a node, and what other nodes' accounts need of it.
pub struct ExplainedNode {
    pub account: NodeAccount,
    /// Equal nodes share it.
    pub signature: String,
    /// What was edited for each relaxation.
    pub edits: Vec<Vec<FactEdit>>,
    /// A selector fails on a device that the attempt does not reach.
    pub may_fail: bool,
}

/// Returns the account of a node. `groups`: signature → first node with it.
pub fn account(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    node: usize,
    gatherer: &Gatherer<'_, '_>,
    options: Explain,
    groups: &Sorted<String, String>,
) -> ExplainedNode {
    let gathered = gatherer.gather_near(node);
    let answer = filter(cluster, case, node, &gathered, options.budget);
    let mut told = verdict_account(cluster, case, node, &answer);
    let empty = NodePools::default();
    let pools = gathered.as_ref().unwrap_or(&empty);
    let mut claims: Vec<&Claim> = case.pending.clone();
    claims.extend(answer.extended.as_ref().map(|extended| &extended.claim));
    let attempt = Attempt::new(cluster, node, &pools.pools, &claims);
    let choices = choices(&attempt, &answer);
    let (rows, key) = rows(&attempt, &choices, &shown(cluster, pools), &told);
    if let Some(same) = groups.get(&key) {
        told.text = message!(
            "account.as-other-node",
            "{node}: as {same}",
            node = told.name,
            same
        );
        told.same_as = Some(same.clone());
        return ExplainedNode {
            may_fail: !told.fatal && rows.iter().any(has_failing_selector),
            account: told,
            signature: key,
            edits: Vec::new(),
        };
    }
    let mut edits = Vec::new();
    let asks_all = choices
        .iter()
        .any(|(choice, _)| choice.ask.allocation_mode == "All");
    told.pools = pool_accounts(cluster, pools, asks_all);
    let chosen = given(&answer, &claims);
    let mut alone = Vec::new();
    for ((choice, picked), row) in choices.iter().zip(&rows) {
        let Some(claim) = claims.get(choice.claim).copied() else {
            continue;
        };
        let (mut request, left) = request_account(
            cluster, node, claim, choice, *picked, row, &told, options, &chosen,
        );
        let mapping = answer
            .extended
            .as_ref()
            .filter(|extended| std::ptr::eq(&extended.claim, claim))
            .and_then(|extended| {
                extended
                    .mappings
                    .iter()
                    .find(|mapping| mapping.request_name == choice.name)
            });
        request.serves = mapping.map(|mapping| {
            let (resource, container) = (&mapping.resource_name, &mapping.container_name);
            message!(
                "account.serves",
                "{resource} of container {container}",
                resource,
                container
            )
        });
        alone.push(Alone {
            claim: choice.claim,
            claim_name: claim.metadata.full_name(),
            request: choice.name,
            sub: choice.sub_name,
            wanted: request.wanted,
            admin: choice.admin(),
            devices: left,
            fits: false,
        });
        told.requests.push(request);
    }
    // If the node has the devices, only a lack of node resources can be fixed.
    let devices_fit = matches!(
        answer.outcome.as_ref().map(|outcome| &outcome.verdict),
        Some(Verdict::Allocated(_))
    );
    let is_short = told.resources.iter().any(|resource| resource.short);
    let unavailable = answer.status.reasons == [UNAVAILABLE];
    if told.allocations.is_none()
        && (unavailable || answer.outcome.is_some() && (!devices_fit || is_short))
    {
        if !devices_fit && !unavailable {
            told.holders = holders(cluster, &rows);
        }
        let mut trial = Trial::new(cluster, case, node, pools, &claims, options.budget);
        find_causes(cluster, pools, &claims, &mut alone, &mut trial, &mut told);
        if options.relax && told.verdict != NodeVerdict::Undecided {
            let pairs: Vec<(&RequestChoice<'_>, &Row<'_, '_>)> = choices
                .iter()
                .map(|(choice, _)| choice)
                .zip(&rows)
                .collect();
            for tried in trial.relaxations(&pairs, answer.footprint.as_deref()) {
                told.relaxations.push(tried.relaxation);
                edits.push(tried.edits);
            }
        }
    }
    told.charges = charges(cluster, &choices, &answer);
    let least = cluster.behaviour.least_of_all();
    let lacking = alone
        .iter()
        .position(|request| request.lacks(&alone, least));
    told.text = line::of(&told, lacking.and_then(|at| told.requests.get(at)));
    if told.verdict == NodeVerdict::Allocated
        && told
            .allocations
            .iter()
            .flatten()
            .all(|result| result.devices.results.is_empty())
    {
        told.text = words::of_node(&told.name, line::nothing_to_allocate(case));
    }
    ExplainedNode {
        may_fail: !told.fatal && rows.iter().any(has_failing_selector),
        account: told,
        signature: key,
        edits,
    }
}

/// Returns true if a selector ends with an error on a device.
fn has_failing_selector(row: &Row<'_, '_>) -> bool {
    let mut reasons = row.iter().flat_map(|(_, reasons)| reasons);
    reasons.any(|reason| {
        matches!(reason, Reason::ClassSelector(selector) | Reason::RequestSelector(selector) if selector.error.is_some())
    })
}

/// Returns true if the attempt ends with an error on a node, and so on all nodes, once the pod's claims are edited.
pub fn fails_after(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    node: usize,
    gatherer: &Gatherer<'_, '_>,
    budget: u64,
    edits: &[FactEdit],
) -> bool {
    let gathered = gatherer.gather_near(node);
    let answer = filter(cluster, case, node, &gathered, budget);
    let mut claims: Vec<&Claim> = case.pending.clone();
    claims.extend(answer.extended.as_ref().map(|extended| &extended.claim));
    let empty = NodePools::default();
    let pools = gathered.as_ref().unwrap_or(&empty);
    Trial::new(cluster, case, node, pools, &claims, budget).fails_after(edits)
}

/// Returns the account of a node with the scheduler's answer alone.
fn verdict_account(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    node: usize,
    answer: &NodeAnswer,
) -> NodeAccount {
    let verdict = verdict(answer);
    let mut told = NodeAccount {
        name: cluster
            .facts
            .nodes
            .get(node)
            .map_or_else(String::new, |node| node.metadata.name.clone()),
        verdict,
        message: answer.status.message(),
        // It is unknown whether the search would end in time.
        code: Some(answer.status.code)
            .filter(|code| *code != StatusCode::Success && verdict != NodeVerdict::Undecided),
        fatal: answer.status.code == StatusCode::Error && verdict != NodeVerdict::Undecided,
        score: answer.score,
        steps: answer.outcome.as_ref().map_or(0, |outcome| outcome.steps),
        cost: answer.outcome.as_ref().map_or(0, |outcome| outcome.cost),
        ..NodeAccount::default()
    };
    if answer.status.code == StatusCode::Success {
        told.allocations = answer
            .outcome
            .is_some()
            .then(|| answer.allocations().to_vec());
    }
    if let Some(footprint) = &answer.footprint {
        resources::tell(cluster, footprint, &mut told);
    }
    // The allocator's refusal hides that an allocated claim cannot be used there either.
    let lost = case.unavailable(cluster, node);
    if !lost.is_empty() {
        told.help = Some(message::sentences(lost.into_iter().map(|(claim, why)| {
            words::unavailable(claim, why, cluster.is_planned(claim))
        })));
    }
    told
}

/// Returns for each request the node's devices with the reasons against them, and the signature of the node.
fn rows<'g, 's>(
    attempt: &Attempt<'_>,
    choices: &[(RequestChoice<'_>, bool)],
    devices: &[ShownDevice<'g, 's>],
    told: &NodeAccount,
) -> (Vec<Row<'g, 's>>, String) {
    let fits = told.verdict == NodeVerdict::Allocated;
    let mut rows: Vec<Row<'g, 's>> = Vec::new();
    let mut key = format!("{} {:?} {:?}", told.verdict, told.message, told.help);
    for resource in &told.resources {
        let taken = resource.devices.iter().map(|device| &device.takes);
        taken.for_each(|taken| key.push_str(&format!(" {}{taken}", resource.resource)));
        if !fits {
            key.push_str(&format!(
                " {}{}{}",
                resource.requested, resource.used, resource.allocatable
            ));
        }
    }
    for (choice, _) in choices {
        let Some(claim) = attempt.claims.get(choice.claim).copied() else {
            continue;
        };
        let asking = DeviceQuestion {
            cluster: attempt.cluster,
            node: attempt.node,
            claim,
            choice,
            values: false,
        };
        let row: Row<'g, 's> = devices
            .iter()
            .map(|shown| (*shown, asking.reasons(shown)))
            .collect();
        let (stages, _) = funnel::funnel(&asking, &row);
        stages.iter().for_each(|stage| {
            key.push_str(&format!(" {}{:?}{}", stage.stage, stage.index, stage.left))
        });
        let kinds: Set<String> = row
            .iter()
            .flat_map(|(_, reasons)| reasons)
            .map(words::signature)
            .collect();
        kinds.iter().for_each(|kind| key.push_str(kind));
        key.push(';');
        rows.push(row);
    }
    (rows, key)
}

/// Finds the requests that would fit alone, and the reasons why they do not fit together.
fn find_causes(
    cluster: &Cluster<'_>,
    pools: &NodePools<'_>,
    claims: &[&Claim],
    alone: &mut [Alone<'_>],
    trial: &mut Trial<'_, '_>,
    told: &mut NodeAccount,
) {
    let least = cluster.behaviour.least_of_all();
    let counted = alone.to_vec();
    for request in alone
        .iter_mut()
        .filter(|request| request.shares(cluster) && request.lacks(&counted, least))
    {
        request.fits = trial.fits_alone(request.claim, request.request);
    }
    if matches!(told.verdict, NodeVerdict::None | NodeVerdict::NodeError) {
        told.conflicts = conflicts(cluster, pools, claims, alone, trial);
        let lacks_none = alone.iter().all(|request| !request.lacks(alone, least));
        if told.conflicts.is_empty() && lacks_none {
            told.help = told
                .help
                .take()
                .or_else(|| trial.mistake().map(|mistake| mistake.text()));
        }
    }
}

fn verdict(answer: &NodeAnswer) -> NodeVerdict {
    match (
        answer.status.code,
        answer.outcome.as_ref().map(|outcome| &outcome.verdict),
    ) {
        (StatusCode::Success, _) => NodeVerdict::Allocated,
        (_, Some(Verdict::Nothing)) => NodeVerdict::None,
        (_, Some(Verdict::Undecided)) => NodeVerdict::Undecided,
        (StatusCode::Error, _) => NodeVerdict::Error,
        (_, Some(Verdict::OfNode(_))) => NodeVerdict::NodeError,
        _ => NodeVerdict::Unavailable,
    }
}

/// Returns the requests and sub-requests of the pending claims, and whether they were picked.
fn choices<'s>(attempt: &Attempt<'s>, answer: &NodeAnswer) -> Vec<(RequestChoice<'s>, bool)> {
    let mut list = Vec::new();
    for (claim_at, claim) in attempt.claims.iter().enumerate() {
        for (request_at, request) in claim.spec.devices.requests.iter().enumerate() {
            let ClaimRequest {
                name,
                exactly,
                first_available,
            } = request;
            let mut push = |sub: usize, ask: &'s Ask, sub_name: Option<&'s str>| {
                let choice = RequestChoice {
                    claim: claim_at,
                    request: request_at,
                    sub,
                    ask,
                    name,
                    sub_name,
                    all: (ask.allocation_mode == "All").then(Vec::new),
                    count: ask.count,
                    class: attempt.cluster.class(&ask.device_class_name),
                };
                list.push((choice, is_picked(answer, claim_at, request_at, sub)));
            };
            if let Some(ask) = exactly {
                push(0, ask, None);
            }
            first_available
                .iter()
                .enumerate()
                .for_each(|(sub, ask)| push(sub, ask, Some(&ask.name)));
        }
    }
    list
}

/// Returns true if the node gives devices for this alternative of a request.
fn is_picked(answer: &NodeAnswer, claim: usize, request: usize, sub: usize) -> bool {
    if answer.status.code != StatusCode::Success {
        return false;
    }
    let mut picks = answer.outcome.iter().flat_map(|outcome| &outcome.picked);
    let found = picks.find(|(c, r, _)| *c == claim && *r == request);
    found.map_or(sub == 0, |(.., pick)| *pick == sub)
}

/// A device given in this attempt.
struct Given {
    device: String,
    claim: usize,
    claim_name: String,
    request: String,
}

fn given(answer: &NodeAnswer, claims: &[&Claim]) -> Vec<Given> {
    let mut list = Vec::new();
    for (claim, (result, facts)) in answer.allocations().iter().zip(claims).enumerate() {
        for one in &result.devices.results {
            let device = format!("{}/{}/{}", one.driver, one.pool, one.device);
            list.push(Given {
                device,
                claim,
                claim_name: facts.metadata.full_name(),
                request: one.request.clone(),
            });
        }
    }
    list
}

#[expect(
    clippy::too_many_arguments,
    reason = "everything that an account of a request is made from"
)]
fn request_account(
    cluster: &Cluster<'_>,
    node: usize,
    claim: &Claim,
    choice: &RequestChoice<'_>,
    picked: bool,
    row: &Row<'_, '_>,
    told: &NodeAccount,
    options: Explain,
    chosen: &[Given],
) -> (RequestAccount, Vec<DeviceAt>) {
    let asking = DeviceQuestion {
        cluster,
        node,
        claim,
        choice,
        values: true,
    };
    let valued: Row<'_, '_> = row
        .iter()
        .map(|(shown, _)| (*shown, asking.reasons(shown)))
        .collect();
    let (stages, left) = funnel::funnel(&asking, &valued);
    let all = choice.ask.allocation_mode == "All";
    // Mode All wants what remains before it is asked which devices are free.
    let selected = stages
        .iter()
        .take_while(|stage| stage.stage != StageKind::Free)
        .last();
    let wanted = if all {
        selected.map_or(0, |stage| i64::try_from(stage.left).unwrap_or(0))
    } else {
        choice.count
    };
    let wants_cells = match options.matrix {
        Matrix::All => true,
        Matrix::Failed => told.allocations.is_none(),
        Matrix::Nothing => false,
    };
    let mut why = why_lost(&asking, &stages, &valued, wanted, 0);
    if stages
        .iter()
        .any(|stage| matches!(stage.stage, StageKind::Node | StageKind::Class) && stage.left == 0)
    {
        let there = elsewhere(&asking);
        why = message::sentences([there, why].into_iter().filter(|part| !part.is_empty()));
    }
    let own_name = choice.full_name();
    let is_own = |given: &Given, device: &str| {
        given.claim == choice.claim && given.request == own_name && given.device == device
    };
    let own = |device: &str| chosen.iter().any(|given| is_own(given, device));
    let names: Vec<String> = left.iter().map(|at| cluster.device_name(*at)).collect();
    let first = if picked {
        names.iter().position(|name| own(name)).unwrap_or(0)
    } else {
        0
    };
    let passed_over = names.into_iter().take(first).collect();
    let mut cells = Vec::new();
    if wants_cells {
        for (shown, mut reasons) in valued {
            let device = cluster.device_name(shown.at);
            let other = chosen
                .iter()
                .find(|given| given.device == device)
                .filter(|_| !own(&device));
            if let Some(Given {
                claim_name,
                request,
                ..
            }) = other
            {
                reasons.insert(
                    0,
                    Reason::ChosenFor {
                        claim: claim_name.clone(),
                        request: request.clone(),
                    },
                );
            }
            let mut reasons = reasons.into_iter();
            let reason = reasons.next();
            let text = reason.as_ref().map(words::reason).unwrap_or_default();
            cells.push(CellAccount {
                device,
                reason,
                also: reasons.collect(),
                text,
            });
        }
    }
    let path = match choice.sub_name {
        Some(_) => field_path![
            "spec",
            "devices",
            "requests",
            choice.request,
            "firstAvailable",
            choice.sub
        ],
        None => field_path!["spec", "devices", "requests", choice.request, "exactly"],
    };
    let shown: Cow<'_, str> = match (all, wanted) {
        (true, 0) if cluster.behaviour.least_of_all() > 0 => {
            message!("funnel.all-at-least-one", "all, at least 1").into()
        }
        (true, _) => message!("funnel.all", "all {wanted}", wanted).into(),
        (false, _) => Cow::Owned(wanted.to_string()),
    };
    let text = funnel::text(&stages, &choice.ask.device_class_name, &shown);
    let account = RequestAccount {
        claim: claim.metadata.full_name(),
        request: choice.name.to_owned(),
        sub: choice.sub_name.map(str::to_owned),
        mode: choice.ask.allocation_mode.clone(),
        wanted,
        class: choice.ask.device_class_name.clone(),
        serves: None,
        picked,
        funnel: stages,
        cells,
        path,
        range: None,
        passed_over,
        text,
        why,
    };
    (account, left)
}

/// Returns why devices are lost where too few are left; and if those would be refused without that, too, for what. `capacities`: how
/// many refusals of capacities are left out already.
fn why_lost(
    asking: &DeviceQuestion<'_, '_>,
    stages: &[Stage],
    row: &Row<'_, '_>,
    wanted: i64,
    capacities: usize,
) -> Message {
    let class = &asking.choice.ask.device_class_name;
    let why = words::why(asking.cluster, class, stages, row, wanted);
    let Some(stage) = words::hiding_stage(stages, wanted) else {
        return why;
    };
    let is_of_capacity = stage.stage == StageKind::Capacity;
    let capacities = capacities.saturating_add(usize::from(is_of_capacity));
    let without = |(shown, reasons): &(ShownDevice<'_, '_>, Vec<Reason>)| -> Vec<Reason> {
        let (own, mut others): (Vec<Reason>, Vec<Reason>) = reasons
            .iter()
            .cloned()
            .partition(|reason| funnel::is_of(reason, stage));
        if is_of_capacity && !own.is_empty() {
            others.extend(asking.capacity_without(shown.at, capacities));
        }
        others
    };
    let rest: Row<'_, '_> = row.iter().map(|entry| (entry.0, without(entry))).collect();
    let silent = DeviceQuestion {
        values: false,
        ..*asking
    };
    let (stages, _) = funnel::funnel(&silent, &rest);
    let next = why_lost(&silent, &stages, &rest, wanted, capacities);
    message::sentences([why, next].into_iter().filter(|part| !part.is_empty()))
}

/// Names devices that the request could have, of slices that choose other nodes by label.
fn elsewhere(asking: &DeviceQuestion<'_, '_>) -> Message {
    let cluster = asking.cluster;
    let asking = DeviceQuestion {
        values: false,
        ..*asking
    };
    let mut parts = Vec::new();
    let slices = cluster.facts.slices.iter().enumerate();
    for (at, slice) in slices
        .filter(|(_, slice)| slice.spec.node_name.is_none() && slice.spec.all_nodes != Some(true))
    {
        let Some(selector) = &slice.spec.node_selector else {
            continue;
        };
        let judged = cluster.judgements.of(selector, &cluster.facts.nodes);
        let Some(Some(missing)) = judged
            .missing
            .get(asking.node)
            .filter(|_| parts.len() < MOST_FOREIGN)
        else {
            continue;
        };
        let fit: Vec<&str> = cluster
            .devices_of(at)
            .filter(|(at, _)| asking.is_selected(*at))
            .map(|(_, device)| device.name.as_str())
            .collect();
        if !fit.is_empty() {
            parts.push(message!(
                "device.only-on-other-nodes",
                "{devices}: only on nodes with {missing} (slice {slice})",
                devices = words::some(&fit, words::MOST),
                missing,
                slice = slice.metadata.name
            ));
        }
    }
    message::sentences(parts)
}

/// Explains the pools of a node. `all`: a request wants all devices, which pools without devices for this node prevent too.
fn pool_accounts(cluster: &Cluster<'_>, gathered: &NodePools<'_>, all: bool) -> Vec<PoolAccount> {
    let mut foreign = 0usize;
    let mut list = Vec::new();
    for pool in &gathered.pools {
        // Counter slices of other nodes are visible everywhere: skip sound pools, and list only a few others.
        if pool.devices.is_empty()
            && pool
                .collected
                .iter()
                .all(|at| cluster.slices_everywhere().contains(at))
        {
            foreign = foreign.saturating_add(1);
            let matters = all || pool.invalid.is_some();
            if pool.is_sound() || !matters || foreign > MOST_FOREIGN {
                continue;
            }
        }
        let mut ignored: Vec<IgnoredSlice> = gathered
            .ignored
            .iter()
            .filter(|(at, _)| is_of_pool(cluster, pool, at))
            .map(|(at, why)| IgnoredSlice {
                slice: name_of_slice(cluster, *at),
                why: why_text(cluster, *at, why),
            })
            .collect();
        // If slices are missing, also list older slices that this node does not see: they may explain the gap.
        if pool.incomplete {
            let known: Set<usize> = pool
                .collected
                .iter()
                .copied()
                .chain(gathered.ignored.iter().map(|(at, _)| *at))
                .collect();
            let others = cluster
                .slices_of_pool(pool.driver, pool.name)
                .iter()
                .filter(|at| !known.contains(at));
            ignored.extend(others.filter_map(|at| {
                let generation = cluster.slice(*at)?.spec.pool.generation;
                let why = if generation < pool.generation {
                    older(generation, pool.generation)
                } else {
                    message!("pool.slice-not-on-node", "not on this node")
                };
                Some(IgnoredSlice {
                    slice: name_of_slice(cluster, *at),
                    why,
                })
            }));
        }
        let state = match (pool.incomplete, &pool.invalid) {
            (true, _) => PoolState::Incomplete,
            (false, Some(_)) => PoolState::Invalid,
            (false, None) => PoolState::Ok,
        };
        list.push(PoolAccount {
            pool: pool.id(),
            state,
            have: pool.have,
            want: pool.want,
            generation: pool.generation,
            reason: pool.invalid.clone(),
            slices: pool
                .collected
                .iter()
                .map(|at| name_of_slice(cluster, *at))
                .collect(),
            ignored,
        });
    }
    for (driver, pool) in &gathered.obsolete {
        list.push(PoolAccount {
            pool: format!("{driver}/{pool}"),
            state: PoolState::Obsolete,
            ..PoolAccount::default()
        });
    }
    list
}

fn name_of_slice(cluster: &Cluster<'_>, at: usize) -> String {
    cluster
        .slice(at)
        .map_or_else(String::new, |slice| slice.metadata.name.clone())
}

fn is_of_pool(cluster: &Cluster<'_>, pool: &crate::allocator::pools::Pool<'_>, at: &usize) -> bool {
    cluster
        .slice(*at)
        .is_some_and(|slice| slice.spec.driver == pool.driver && slice.spec.pool.name == pool.name)
}

fn why_text(cluster: &Cluster<'_>, at: usize, why: &Ignored) -> Message {
    let generation = cluster
        .slice(at)
        .map_or(0, |slice| slice.spec.pool.generation);
    match why {
        Ignored::OldGeneration(newest) => older(generation, *newest),
        Ignored::FeatureOff => {
            message!("pool.slice-feature-off", "DRAPartitionableDevices is off")
        }
        Ignored::NoNode => message!("pool.slice-without-node", "it names no node"),
    }
}

fn older(generation: i64, newest: i64) -> Message {
    message!(
        "pool.slice-older",
        "generation {generation} < {newest}",
        generation,
        newest
    )
}

/// Returns the holders of devices, counters or capacity that a request lacks.
fn holders(cluster: &Cluster<'_>, rows: &[Row<'_, '_>]) -> Vec<Holder> {
    let mut devices: Set<DeviceAt> = Set::default();
    let mut by_counters: Set<(String, String)> = Set::default();
    for (shown, reasons) in rows.iter().flatten() {
        let selected = !reasons.iter().any(|reason| {
            matches!(
                reason,
                Reason::ClassSelector(_) | Reason::RequestSelector(_)
            )
        });
        for reason in reasons.iter().filter(|_| selected) {
            match reason {
                Reason::InUse { .. } => {
                    devices.insert(shown.at);
                }
                Reason::Capacity(reason) if reason.why == CapacityFault::Exhausted => {
                    devices.insert(shown.at);
                }
                Reason::Counters(reason) => {
                    by_counters.extend(
                        reason
                            .holders
                            .iter()
                            .map(|holder| (holder.device.clone(), holder.claim.clone())),
                    );
                }
                _ => {}
            }
        }
    }
    let mut list = Vec::new();
    let names: Set<String> = devices.iter().map(|at| cluster.device_name(*at)).collect();
    for claim in &cluster.facts.claims {
        for result in claim.allocated_devices() {
            let device = format!("{}/{}/{}", result.driver, result.pool, result.device);
            let full = claim.metadata.full_name();
            if !names.contains(&device)
                && !by_counters.contains(&(result.device.clone(), full.clone()))
            {
                continue;
            }
            let consumed = result.consumed_capacity.iter().flat_map(Sorted::iter);
            let share = consumed
                .map(|(name, amount)| (name.clone(), amount.text().to_owned()))
                .collect();
            let admin = result.admin_access == Some(true);
            list.push(Holder {
                device,
                claim: full,
                pods: users_of(claim),
                share,
                admin,
                planned: cluster.is_planned(claim),
            });
        }
    }
    list
}

fn conflicts(
    cluster: &Cluster<'_>,
    gathered: &NodePools<'_>,
    claims: &[&Claim],
    alone: &[Alone<'_>],
    trial: &mut Trial<'_, '_>,
) -> Vec<Conflict> {
    // The funnel already explains a request that fails alone.
    if alone
        .iter()
        .any(|request| request.lacks(alone, cluster.behaviour.least_of_all()))
    {
        return Vec::new();
    }
    let mut list: Vec<Conflict> = conflicts::number(cluster, alone).into_iter().collect();
    for (at, claim) in claims.iter().enumerate() {
        for index in 0..claim.spec.devices.constraints.len() {
            let own: Vec<Alone<'_>> = alone
                .iter()
                .filter(|request| request.claim == at)
                .cloned()
                .collect();
            if trial.fits_without_constraint(at, index) {
                list.extend(conflicts::constraint(cluster, claim, index, &own));
            }
        }
    }
    let counters = conflicts::counters(cluster, gathered, alone);
    if !counters.is_empty() && trial.fits_without_counters() {
        list.extend(counters);
    }
    list.extend(conflicts::capacities(cluster, claims, alone));
    list
}

/// Returns the capacity that the results charge, and what is left of it.
fn charges(
    cluster: &Cluster<'_>,
    choices: &[(RequestChoice<'_>, bool)],
    answer: &NodeAnswer,
) -> Vec<Charge> {
    let mut list = Vec::new();
    let mut charged: Sorted<(DeviceAt, &str), i128> = Sorted::new();
    for (claim, result) in answer.allocations().iter().enumerate() {
        for one in &result.devices.results {
            let mut slices = cluster
                .slices_of_pool(&one.driver, &one.pool)
                .iter()
                .flat_map(|at| cluster.devices_of(*at));
            let Some((at, device)) = slices.find(|(_, device)| device.name == one.device) else {
                continue;
            };
            let choice = choices
                .iter()
                .map(|(choice, _)| choice)
                .find(|choice| choice.claim == claim && choice.full_name() == one.request);
            for (name, amount) in one.consumed_capacity.iter() {
                let Some(capacity) = device.capacity.get(name) else {
                    continue;
                };
                let arithmetic = Arithmetic::of(cluster, at);
                let sum = charged.entry((at, name));
                *sum = sum.saturating_add(amount.nanos());
                let used = cluster
                    .usage
                    .used(cluster.identity(at), arithmetic.plain(name))
                    .saturating_add(*sum);
                list.push(Charge {
                    device: cluster.device_name(at),
                    name: name.clone(),
                    asked: choice
                        .and_then(|choice| arithmetic.requested(choice.ask, name))
                        .map(|asked| asked.text().to_owned()),
                    charged: amount.text().to_owned(),
                    left: spell_like(
                        capacity.value.nanos().saturating_sub(used),
                        capacity.value.text(),
                    ),
                });
            }
        }
    }
    list
}
