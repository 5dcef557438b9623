//! The account of a node. A node with the same funnels and verdict as an earlier node refers to that node by name.

use super::account::{
    Charge, Conflict, Holder, IgnoredSlice, NodeAccount, PoolAccount, Reason, Stage,
};
use super::cells::{DeviceQuestion, ShownDevice, shown, users_of};
use super::conflicts::{self, Alone};
use super::edits::FactEdit;
use super::fitted;
use super::funnel::{self, Row};
use super::kinds::{CapacityFault, NodeVerdict, PoolState};
use super::relax::Trial;
use super::request::{RequestQuestion, given_devices};
use super::{Explain, Matrix, line, resources, words};
use crate::allocator::allocate::Verdict;
use crate::allocator::amount::spell_like;
use crate::allocator::capacity::Arithmetic;
use crate::allocator::cluster::{Cluster, DeviceAt, Identity};
use crate::allocator::objects::{AllocatedDevice, Claim};
use crate::allocator::plugin::{NodeAnswer, PodCase, UNAVAILABLE, filter};
use crate::allocator::pools::{Gatherer, Ignored, NodePools, Pool};
use crate::allocator::prepare::{Attempt, RequestChoice};
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::status::StatusCode;
use claimkit_model::message::{self, Message, message};
use std::rc::Rc;

/// Maximum number of pools in an answer that have no device of the node.
const MOST_FOREIGN: usize = 5;

/// Nodes whose devices are alike but for this much of what a selector asks for, in thousandths, share an account.
const DISTANCE_STEP: u32 = 50;
/// The distance from which on all are as far.
const FARTHEST: u32 = 1000;

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
    let mut account = verdict_account(cluster, case, node, &answer);
    let empty = NodePools::default();
    let pools = gathered.as_ref().unwrap_or(&empty);
    let claims = claims_to_allocate(case, &answer);
    let attempt = Attempt::new(cluster, node, &pools.pools, &claims);
    let alternatives = alternatives(&attempt, &answer);
    let shown = shown(cluster, pools);
    let (rows, signature) = rows(&attempt, &alternatives, &shown, &account);
    let may_fail = !account.fatal && rows.iter().any(has_failing_selector);
    if let Some(same) = groups.get(&signature) {
        return ExplainedNode {
            account: same_as_other(account, same),
            signature,
            edits: Vec::new(),
            may_fail,
        };
    }
    let explanation = NodeExplanation {
        cluster,
        case,
        node,
        options,
        answer: &answer,
        pools,
        claims: &claims,
        alternatives: &alternatives,
        rows: &rows,
    };
    account.pools = explanation.pools();
    let mut alone = explanation.explain_requests(&mut account);
    let edits = if explanation.looks_for_causes(&account) {
        explanation.explain_lack(&mut alone, &mut account)
    } else {
        Vec::new()
    };
    account.charges = charges(cluster, &alternatives, &answer);
    account.text = explanation.text(&account, &alone);
    ExplainedNode {
        account,
        signature,
        edits,
        may_fail,
    }
}

/// Returns the pending claims, and the one for extended resources if the node needs it.
fn claims_to_allocate<'c>(case: &PodCase<'c>, answer: &'c NodeAnswer) -> Vec<&'c Claim> {
    let mut claims: Vec<&Claim> = case.pending.clone();
    claims.extend(answer.extended.as_ref().map(|extended| &extended.claim));
    claims
}

/// Refers to an earlier node for all but the verdict.
fn same_as_other(mut account: NodeAccount, same: &String) -> NodeAccount {
    account.text = message!(
        "account.as-other-node",
        "{node}: as {same}",
        node = account.name,
        same
    );
    account.same_as = Some(same.clone());
    account
}

/// A way to meet a request: the request itself, or one of its sub-requests.
struct Alternative<'s> {
    choice: RequestChoice<'s>,
    /// The node gives devices for it.
    picked: bool,
}

/// What the account of a node is made from.
struct NodeExplanation<'a, 's> {
    cluster: &'a Cluster<'s>,
    case: &'a PodCase<'a>,
    /// Index of the node.
    node: usize,
    options: Explain,
    answer: &'a NodeAnswer,
    pools: &'a NodePools<'a>,
    claims: &'a [&'a Claim],
    alternatives: &'a [Alternative<'a>],
    /// One row for each alternative.
    rows: &'a [Row<'a, 'a>],
}

impl<'a> NodeExplanation<'a, '_> {
    fn pools(&self) -> Vec<PoolAccount> {
        let asks_all = self
            .alternatives
            .iter()
            .any(|alternative| alternative.choice.ask.allocation_mode == "All");
        pool_accounts(self.cluster, self.pools, asks_all)
    }

    /// Explains each request, and returns the devices that it could have alone.
    fn explain_requests(&self, account: &mut NodeAccount) -> Vec<Alone<'a>> {
        let given = given_devices(self.answer, self.claims);
        let wants_cells = match self.options.matrix {
            Matrix::All => true,
            Matrix::Failed => account.allocations.is_none(),
            Matrix::Nothing => false,
        };
        let mut alone = Vec::new();
        for (alternative, row) in self.alternatives.iter().zip(self.rows) {
            let choice = &alternative.choice;
            let Some(claim) = self.claims.get(choice.claim).copied() else {
                continue;
            };
            let asking = DeviceQuestion {
                cluster: self.cluster,
                node: self.node,
                claim,
                choice,
                values: true,
            };
            let mut question = RequestQuestion::new(asking, alternative.picked, row, &given);
            let mut request = question.account(wants_cells);
            request.serves = self.served_by(claim, choice.name);
            alone.push(Alone {
                claim: choice.claim,
                claim_name: claim.metadata.full_name(),
                request: choice.name,
                sub: choice.sub_name,
                wanted: request.wanted,
                admin: choice.admin(),
                devices: question.left,
                fits: false,
            });
            account.requests.push(request);
        }
        alone
    }

    /// Returns the extended resource, and its container, that a request serves.
    fn served_by(&self, claim: &Claim, request: &str) -> Option<Message> {
        let extended = self.answer.extended.as_ref()?;
        if !std::ptr::eq(&extended.claim, claim) {
            return None;
        }
        let mapping = extended
            .mappings
            .iter()
            .find(|mapping| mapping.request_name == request)?;
        Some(message!(
            "account.serves",
            "{resource} of container {container}",
            resource = mapping.resource_name,
            container = mapping.container_name
        ))
    }

    /// Returns true if the node lacks something that can be explained: devices, or resources of the node.
    fn looks_for_causes(&self, account: &NodeAccount) -> bool {
        if account.allocations.is_some() {
            return false;
        }
        let is_short = account.resources.iter().any(|resource| resource.short);
        let was_tried = self.answer.outcome.is_some();
        self.is_unavailable() || was_tried && (!self.devices_fit() || is_short)
    }

    /// Returns true if a claim is allocated for other nodes.
    fn is_unavailable(&self) -> bool {
        self.answer.status.reasons == [UNAVAILABLE]
    }

    /// Returns true if the node has the devices: then only a lack of node resources can be fixed.
    fn devices_fit(&self) -> bool {
        let outcome = self.answer.outcome.as_ref();
        outcome.is_some_and(|outcome| matches!(outcome.verdict, Verdict::Allocated(_)))
    }

    /// Explains why the node cannot be used and what would change that, and returns the edits of each relaxation.
    fn explain_lack(
        &self,
        alone: &mut [Alone<'_>],
        account: &mut NodeAccount,
    ) -> Vec<Vec<FactEdit>> {
        if !self.devices_fit() && !self.is_unavailable() {
            account.holders = holders(self.cluster, self.rows);
        }
        let mut trial = Trial::new(
            self.cluster,
            self.case,
            self.node,
            self.pools,
            self.claims,
            self.options.budget,
        );
        self.find_causes(alone, &mut trial, account);
        let mut edits = Vec::new();
        if self.options.relax && account.verdict != NodeVerdict::Undecided {
            let choices = self.alternatives.iter().map(|one| &one.choice);
            let pairs: Vec<(&RequestChoice<'_>, &Row<'_, '_>)> = choices.zip(self.rows).collect();
            for tried in trial.relaxations(&pairs, self.answer.footprint.as_deref()) {
                account.relaxations.push(tried.relaxation);
                edits.push(tried.edits);
            }
        }
        edits
    }

    /// Finds the requests that would fit alone, and the reasons why they do not fit together.
    fn find_causes(
        &self,
        alone: &mut [Alone<'_>],
        trial: &mut Trial<'_, '_>,
        account: &mut NodeAccount,
    ) {
        let least = self.cluster.behaviour.least_of_all();
        let counted = alone.to_vec();
        for request in alone.iter_mut() {
            if request.shares(self.cluster) && request.lacks(&counted, least) {
                request.fits = trial.fits_alone(request.claim, request.request);
            }
        }
        if !matches!(account.verdict, NodeVerdict::None | NodeVerdict::NodeError) {
            return;
        }
        account.conflicts = conflicts(self.cluster, self.pools, self.claims, alone, trial);
        let lacks_none = alone.iter().all(|request| !request.lacks(alone, least));
        if account.conflicts.is_empty() && lacks_none && account.help.is_none() {
            account.help = trial.mistake().map(|mistake| mistake.text());
        }
    }

    /// Returns the account in one line.
    fn text(&self, account: &NodeAccount, alone: &[Alone<'_>]) -> Message {
        let gets_no_device = account
            .allocations
            .iter()
            .flatten()
            .all(|result| result.devices.results.is_empty());
        if account.verdict == NodeVerdict::Allocated && gets_no_device {
            return words::of_node(&account.name, line::nothing_to_allocate(self.case));
        }
        let least = self.cluster.behaviour.least_of_all();
        let lacking = alone
            .iter()
            .position(|request| request.lacks(alone, least))
            .and_then(|at| account.requests.get(at));
        line::of(account, lacking)
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
    let claims = claims_to_allocate(case, &answer);
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
    let mut account = NodeAccount {
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
        account.allocations = answer
            .outcome
            .is_some()
            .then(|| answer.allocations().to_vec());
    }
    if let Some(footprint) = &answer.footprint {
        resources::tell(cluster, footprint, &mut account);
    }
    // The allocator's refusal hides that an allocated claim cannot be used there either.
    let lost = case.unavailable(cluster, node);
    if !lost.is_empty() {
        account.help = Some(message::sentences(lost.into_iter().map(|(claim, why)| {
            words::unavailable(claim, why, cluster.is_planned(claim))
        })));
    }
    account
}

/// Returns for each alternative the node's devices with the reasons against them, and the signature of the node.
fn rows<'g, 's>(
    attempt: &Attempt<'_>,
    alternatives: &[Alternative<'_>],
    devices: &[ShownDevice<'g, 's>],
    account: &NodeAccount,
) -> (Vec<Row<'g, 's>>, String) {
    let mut rows: Vec<Row<'g, 's>> = Vec::new();
    let mut signature = signature_of_verdict(account);
    for Alternative { choice, .. } in alternatives {
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
        push_signature_of_row(&mut signature, &stages, &row);
        if account.verdict == NodeVerdict::None
            && let Some(distance) = fitted::distance(attempt.cluster, choice, &row)
        {
            let nearness = distance.min(FARTHEST) / DISTANCE_STEP;
            signature.push_str(&format!("~{nearness};"));
        }
        rows.push(row);
    }
    (rows, signature)
}

fn signature_of_verdict(account: &NodeAccount) -> String {
    let (verdict, message, help) = (account.verdict, &account.message, &account.help);
    let mut signature = format!("{verdict} {message:?} {help:?}");
    for resource in &account.resources {
        for device in &resource.devices {
            signature.push_str(&format!(" {}{}", resource.resource, device.takes));
        }
        if account.verdict != NodeVerdict::Allocated {
            signature.push_str(&format!(
                " {}{}{}",
                resource.requested, resource.used, resource.allocatable
            ));
        }
    }
    signature
}

fn push_signature_of_row(signature: &mut String, stages: &[Stage], row: &Row<'_, '_>) {
    for stage in stages {
        signature.push_str(&format!(" {}{:?}{}", stage.stage, stage.index, stage.left));
    }
    let reasons = row.iter().flat_map(|(_, reasons)| reasons);
    let kinds: Set<String> = reasons.map(words::signature).collect();
    for kind in kinds.iter() {
        signature.push_str(kind);
    }
    signature.push(';');
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

/// Returns the requests and sub-requests of the pending claims.
fn alternatives<'s>(attempt: &Attempt<'s>, answer: &NodeAnswer) -> Vec<Alternative<'s>> {
    let mut list = Vec::new();
    for (claim_at, claim) in attempt.claims.iter().enumerate() {
        for (request_at, request) in claim.spec.devices.requests.iter().enumerate() {
            let exactly = request.exactly.iter().map(|ask| (0, ask, None));
            let subs = request.first_available.iter().enumerate();
            let subs = subs.map(|(sub, ask)| (sub, ask, Some(ask.name.as_str())));
            for (sub, ask, sub_name) in exactly.chain(subs) {
                let choice = RequestChoice {
                    claim: claim_at,
                    request: request_at,
                    sub,
                    ask,
                    name: &request.name,
                    sub_name,
                    all: (ask.allocation_mode == "All").then(Vec::new),
                    count: ask.count,
                    class: attempt.cluster.class(&ask.device_class_name),
                };
                let picked = is_picked(answer, claim_at, request_at, sub);
                list.push(Alternative { choice, picked });
            }
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
    let pick = picks.find(|pick| pick.claim == claim && pick.request == request);
    pick.map_or(sub == 0, |pick| pick.sub == sub)
}

/// Explains the pools of a node. `all`: a request wants all devices, which pools without devices for this node prevent too.
fn pool_accounts(cluster: &Cluster<'_>, gathered: &NodePools<'_>, all: bool) -> Vec<PoolAccount> {
    let mut foreign = 0usize;
    let mut list = Vec::new();
    for pool in &gathered.pools {
        // Counter slices of other nodes are visible everywhere: skip sound pools, and list only a few others.
        if is_foreign(cluster, pool) {
            foreign = foreign.saturating_add(1);
            let matters = all || pool.invalid.is_some();
            if pool.is_sound() || !matters || foreign > MOST_FOREIGN {
                continue;
            }
        }
        list.push(pool_account(cluster, gathered, pool));
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

/// Returns true if a pool has no devices of the node, and is seen there only for its counters.
fn is_foreign(cluster: &Cluster<'_>, pool: &Pool<'_>) -> bool {
    let mut slices = pool.collected.iter();
    pool.devices.is_empty() && slices.all(|at| cluster.slices_everywhere().contains(at))
}

fn pool_account(cluster: &Cluster<'_>, gathered: &NodePools<'_>, pool: &Pool<'_>) -> PoolAccount {
    let mut ignored: Vec<IgnoredSlice> = Vec::new();
    for (at, why) in &gathered.ignored {
        if is_of_pool(cluster, pool, at) {
            ignored.push(IgnoredSlice {
                slice: name_of_slice(cluster, *at),
                why: why_text(cluster, *at, why),
            });
        }
    }
    if pool.incomplete {
        ignored.extend(unseen_slices(cluster, gathered, pool));
    }
    let state = if pool.incomplete {
        PoolState::Incomplete
    } else if pool.invalid.is_some() {
        PoolState::Invalid
    } else {
        PoolState::Ok
    };
    let collected = pool.collected.iter();
    PoolAccount {
        pool: pool.id(),
        state,
        have: pool.have,
        want: pool.want,
        generation: pool.generation,
        reason: pool.invalid.clone(),
        slices: collected.map(|at| name_of_slice(cluster, *at)).collect(),
        ignored,
    }
}

/// Returns the slices of a pool that the node does not see: they may explain which ones are missing.
fn unseen_slices(
    cluster: &Cluster<'_>,
    gathered: &NodePools<'_>,
    pool: &Pool<'_>,
) -> Vec<IgnoredSlice> {
    let ignored = gathered.ignored.iter().map(|(at, _)| at);
    let seen: Set<usize> = pool.collected.iter().chain(ignored).copied().collect();
    let mut unseen = Vec::new();
    for at in cluster.slices_of_pool(pool.driver, pool.name) {
        let Some(slice) = cluster.slice(*at).filter(|_| !seen.contains(at)) else {
            continue;
        };
        let generation = slice.spec.pool.generation;
        let why = if generation < pool.generation {
            older(generation, pool.generation)
        } else {
            message!("pool.slice-not-on-node", "not on this node")
        };
        unseen.push(IgnoredSlice {
            slice: name_of_slice(cluster, *at),
            why,
        });
    }
    unseen
}

fn name_of_slice(cluster: &Cluster<'_>, at: usize) -> String {
    cluster
        .slice(at)
        .map_or_else(String::new, |slice| slice.metadata.name.clone())
}

fn is_of_pool(cluster: &Cluster<'_>, pool: &Pool<'_>, at: &usize) -> bool {
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
    let identities: Set<Identity> = devices.iter().map(|at| cluster.identity(*at)).collect();
    let claims: Vec<&Rc<Claim>> = match by_counters.is_empty() {
        // Every node asks, and most claims hold none of its devices.
        true => claims_with(cluster, &identities),
        false => cluster.facts.claims.iter().collect(),
    };
    let mut list = Vec::new();
    for claim in claims {
        let results = claim.allocated_devices().iter();
        for (result, identity) in results.zip(cluster.identities_of(claim).iter()) {
            let is_lacked = identity.is_some_and(|identity| identities.contains(&identity));
            if is_lacked || holds_counters(claim, result, &by_counters) {
                list.push(holder(cluster, claim, result));
            }
        }
    }
    list
}

/// Returns the claims that were given at least one of these devices, in the order of the facts.
fn claims_with<'f>(cluster: &Cluster<'f>, devices: &Set<Identity>) -> Vec<&'f Rc<Claim>> {
    let given = devices.iter().flat_map(|one| cluster.usage.claims(*one));
    let indexes: Set<usize> = given.copied().collect();
    let claims = indexes.iter();
    claims
        .filter_map(|at| cluster.facts.claims.get(*at))
        .collect()
}

/// Returns true if a device of a claim takes counters that a request lacks. `by_counters`: the names of such devices and claims.
fn holds_counters(
    claim: &Claim,
    result: &AllocatedDevice,
    by_counters: &Set<(String, String)>,
) -> bool {
    !by_counters.is_empty()
        && by_counters.contains(&(result.device.clone(), claim.metadata.full_name()))
}

/// Returns the account of a device that a claim holds.
fn holder(cluster: &Cluster<'_>, claim: &Claim, result: &AllocatedDevice) -> Holder {
    let consumed = result.consumed_capacity.iter().flat_map(Sorted::iter);
    let share = consumed.map(|(name, amount)| (name.clone(), amount.text().to_owned()));
    Holder {
        device: format!("{}/{}/{}", result.driver, result.pool, result.device),
        claim: claim.metadata.full_name(),
        pods: users_of(claim),
        share: share.collect(),
        admin: result.admin_access == Some(true),
        planned: cluster.is_planned(claim),
    }
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
    alternatives: &[Alternative<'_>],
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
            let choice = alternatives
                .iter()
                .map(|alternative| &alternative.choice)
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
