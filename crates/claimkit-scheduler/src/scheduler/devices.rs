//! Claims of pods and devices on nodes: the plugin DynamicResources.

use super::outcome::{Plugin, PluginRefusal, RefusalReason, Unsure};
use super::prepared::{Demand, DemandPart, DeviceAnswer, Known, Prepared};
use super::resources::Requests;
use super::state::State;
use crate::allocator::demand::PodStage;
use crate::allocator::objects::{
    AllocatedDevice, AllocatedDevices, Claim, ClaimAllocation, ClaimStatus, Consumer,
    NodeResourceClaim, Pod,
};
use crate::allocator::plugin::{self, NodeAnswer, PodCase, UNAVAILABLE};
use crate::allocator::results::DeviceAllocation;
use crate::allocator::results::DeviceResult;
use crate::allocator::status::{FrameworkStatus, StatusCode};
use crate::allocator::usage::DeviceChange;
use claimkit_model::message::{Template, template};
use std::rc::Rc;

/// The timestamp of allocations made here: the time is not known, only that there is one.
pub const NOW: &str = "now";

/// Returns the claims of a pod as they are now, or why they are not available.
pub fn claims_of(prepared: &Prepared<'_>, state: &State, pod: &Pod) -> Result<Vec<usize>, String> {
    let namespace = pod.metadata.namespace.as_str();
    let claims = plugin::claims_of(prepared.setup.plugin_rules, pod, &|name| {
        let at = prepared.claim(namespace, name)?;
        state.claims.get(at).map(|claim| &**claim)
    })?;
    Ok(claims
        .iter()
        .filter_map(|claim| prepared.claim(namespace, &claim.metadata.name))
        .collect())
}

/// The demand of a pod for devices, in one attempt.
#[derive(Debug)]
pub struct DeviceCase<'w> {
    /// The state of the plugin before any node.
    pub case: PodCase<'w>,
    /// Extended resources that classes serve, by number.
    pub delegated: Vec<usize>,
    demand: usize,
}

impl<'w> DeviceCase<'w> {
    /// Looks at the claims. `held`: the pod's claims as they are now.
    pub fn new<'f: 'w>(
        prepared: &'w Prepared<'f>,
        state: &State,
        pod: usize,
        facts: &'w Pod,
        claims: &[usize],
        held: &'w [Rc<Claim>],
    ) -> Self {
        let setup = prepared.setup;
        let refs = held.iter().map(|claim| &**claim).collect();
        let case = PodCase::with_claims(
            &prepared.cluster,
            setup.plugin_rules,
            setup.plugin_gates,
            facts,
            Ok(refs),
        );
        let names = case
            .extended
            .iter()
            .flat_map(|extended| extended.classes.keys());
        let delegated = names.filter_map(|name| prepared.names.find(name)).collect();
        let parts = claims
            .iter()
            .map(|at| match prepared.facts.claims.get(*at) {
                Some(claim)
                    if state
                        .claims
                        .get(*at)
                        .is_some_and(|claim| claim.status.allocation.is_none()) =>
                {
                    DemandPart::New(spec(prepared, claim))
                }
                _ => DemandPart::Held(state.allocations.get(*at).copied().unwrap_or(0)),
            });
        let extended = case.extended.is_some().then(|| prepared.profile_at(pod));
        DeviceCase {
            case,
            delegated,
            demand: demand(prepared, parts.collect(), extended),
        }
    }

    /// Returns true if the plugin has nothing to do.
    pub fn is_skipped(&self) -> bool {
        self.case.pre_filter.code == StatusCode::Skip
    }

    /// Returns the plugin's answer for a node. Equal demands ask once per node, until devices that it sees change hands.
    pub fn filter(&self, prepared: &Prepared<'_>, state: &State, node: usize) -> Rc<DeviceAnswer> {
        let shared = state.shared_devices;
        let (place, local) = {
            let demands = prepared.demands.borrow();
            let demand = demands.get(self.demand);
            let first = demand
                .and_then(|demand| demand.same.get(node))
                .copied()
                .flatten();
            let local = state
                .nodes
                .get(node)
                .filter(|_| first.is_none())
                .map_or(0, |state| state.devices);
            let place = first.unwrap_or(node);
            let known = demand
                .and_then(|demand| demand.nodes.get(place))
                .and_then(Option::as_ref);
            if let Some(known) =
                known.filter(|known| (known.local, known.shared) == (local, shared))
            {
                return known.answer.clone();
            }
            (place, local)
        };
        let answer = Rc::new(match self.ask(prepared, node) {
            None => DeviceAnswer::Refused(refused(
                StatusCode::UnschedulableAndUnresolvable,
                "cannot allocate all claims",
            )),
            Some(answer) => short(&answer),
        });
        if !matches!(*answer, DeviceAnswer::Error(_)) {
            let mut demands = prepared.demands.borrow_mut();
            if let Some(place) = demands
                .get_mut(self.demand)
                .and_then(|demand| demand.nodes.get_mut(place))
            {
                *place = Some(Known {
                    local,
                    shared,
                    answer: answer.clone(),
                });
            }
        }
        answer
    }

    /// Asks a node, with all details.
    pub fn ask(&self, prepared: &Prepared<'_>, node: usize) -> Option<NodeAnswer> {
        let gathered = prepared.gathered(node)?;
        let budget = prepared.setup.budget.min(prepared.steps.get());
        let answer = plugin::filter(&prepared.cluster, &self.case, node, gathered, budget);
        let cost = answer.outcome.as_ref().map_or(0, |outcome| outcome.cost);
        prepared
            .steps
            .set(prepared.steps.get().saturating_sub(cost));
        Some(answer)
    }

    /// Returns a claim that is allocated for other nodes only and can be given back.
    pub fn to_free(
        &self,
        prepared: &Prepared<'_>,
        nodes: impl Iterator<Item = usize>,
    ) -> Option<FreeableClaim> {
        let mut freeable: Vec<usize> = Vec::new();
        for (claim, _) in nodes.flat_map(|node| self.case.unavailable(&prepared.cluster, node)) {
            let at = prepared.claim(&claim.metadata.namespace, &claim.metadata.name);
            if let Some(at) = at.filter(|at| !freeable.contains(at))
                && self.case.is_alone_in(claim)
            {
                freeable.push(at);
            }
        }
        freeable.first().map(|first| FreeableClaim {
            claim: *first,
            is_one_of_several: freeable.len() > 1,
        })
    }
}

/// A claim that can be given back.
#[derive(Clone, Copy)]
pub struct FreeableClaim {
    pub claim: usize,
    pub is_one_of_several: bool,
}

impl FreeableClaim {
    /// Returns why it is not sure that this claim is given back: upstream takes any of several.
    pub fn unsure(self) -> Option<Unsure> {
        self.is_one_of_several.then_some(Unsure::AnyClaim)
    }
}

fn refused(code: StatusCode, text: &str) -> PluginRefusal {
    PluginRefusal::new(
        Plugin::DynamicResources,
        code,
        RefusalReason::Devices(text.into()),
    )
}

/// Returns true if the refusal is about claims that are allocated for other nodes.
pub fn is_unavailable(refusal: &PluginRefusal) -> bool {
    matches!(refusal.reasons.as_slice(), [RefusalReason::Devices(text)] if **text == *UNAVAILABLE)
}

fn short(answer: &NodeAnswer) -> DeviceAnswer {
    let FrameworkStatus { code, reasons } = &answer.status;
    match code {
        StatusCode::Success | StatusCode::Skip => DeviceAnswer::Fits(answer.score),
        StatusCode::Error => DeviceAnswer::Error(answer.status.message().unwrap_or_default()),
        StatusCode::Unschedulable | StatusCode::UnschedulableAndUnresolvable => {
            DeviceAnswer::Refused(PluginRefusal {
                plugin: Plugin::DynamicResources,
                code: *code,
                reasons: reasons
                    .iter()
                    .map(|reason| RefusalReason::Devices(reason.as_str().into()))
                    .collect(),
            })
        }
    }
}

/// Returns the number of a claim's spec; equal specs have one.
fn spec<'f>(prepared: &Prepared<'f>, claim: &'f Rc<Claim>) -> usize {
    let mut specs = prepared.specs.borrow_mut();
    if let Some(known) = specs
        .iter()
        .position(|known| std::ptr::eq(*known, &claim.spec) || **known == claim.spec)
    {
        return known;
    }
    specs.push(&claim.spec);
    specs.len().saturating_sub(1)
}

fn demand(prepared: &Prepared<'_>, parts: Vec<DemandPart>, extended: Option<usize>) -> usize {
    let mut demands = prepared.demands.borrow_mut();
    let known = demands
        .iter()
        .position(|known| known.parts == parts && known.extended == extended);
    if let Some(known) = known {
        return known;
    }
    let nodes = prepared.facts.nodes.len();
    let same = if extended.is_none() {
        prepared.same_devices(&parts)
    } else {
        vec![None; nodes]
    };
    demands.push(Demand {
        parts,
        extended,
        same,
        nodes: vec![None; nodes],
    });
    demands.len().saturating_sub(1)
}

/// The effects of [`reserve`].
#[derive(Clone, Debug, Default)]
pub struct Reserved {
    /// The claim made for extended resources, and who uses what.
    pub extended: Option<super::outcome::ExtendedOutcome>,
    /// Devices must be made ready before the pod is bound.
    pub waits: bool,
    pub error: Option<BindError>,
}

/// Why a pod cannot be bound to the node that was chosen.
#[derive(Clone, Debug)]
pub struct BindError {
    pub text: String,
    /// Help with the text.
    pub help: Option<Template>,
}

const NO_TIMESTAMP: Template = template!(
    "pods.no-timestamp-help",
    "the claim's allocation has no `allocationTimestamp`, as schedulers up to 1.35 wrote it: this scheduler adds one, and kube-apiserver refuses the change; free the claim so that it is allocated anew",
);
const NAMED_TWICE: Template = template!(
    "pods.claim-named-twice-help",
    "the pod names the claim twice"
);

/// Gives a pod its devices on a node: allocates what is not allocated, and reserves all its claims (`Reserve` and `PreBind`).
pub fn reserve(
    prepared: &mut Prepared<'_>,
    state: &mut State,
    pod: usize,
    claims: &[usize],
    answer: Option<NodeAnswer>,
    node: usize,
) -> Reserved {
    let mut reserved = Reserved::default();
    let facts = prepared.facts;
    let Some(pod) = facts.pods.get(pod) else {
        return reserved;
    };
    let mut results = answer
        .as_ref()
        .map_or(&[][..], NodeAnswer::allocations)
        .iter();
    match reserve_claims(prepared, state, pod, claims, &mut results, node) {
        Ok(waits) => reserved.waits = waits,
        Err(error) => {
            remove_consumer(state, claims, &consumer_of(pod));
            reserved.error = Some(error);
            return reserved;
        }
    }
    let extended = answer.as_ref().and_then(|answer| answer.extended.as_ref());
    if let (Some(extended), Some(result)) = (extended, results.next())
        && !extended.claim.spec.devices.requests.is_empty()
    {
        let claim = add_extended_claim(prepared, state, pod, &extended.claim, result, node);
        reserved.waits |= waits(prepared, state, claim);
        reserved.extended = Some(super::outcome::ExtendedOutcome {
            claim,
            mappings: extended.mappings.clone(),
        });
    }
    reserved
}

/// Allocates and reserves the claims that the pod names. Returns true if devices must be made ready before the pod is bound.
///
/// # Errors
/// Why a claim cannot be reserved; those before it are.
fn reserve_claims<'r>(
    prepared: &mut Prepared<'_>,
    state: &mut State,
    pod: &Pod,
    claims: &[usize],
    results: &mut impl Iterator<Item = &'r DeviceAllocation>,
    node: usize,
) -> Result<bool, BindError> {
    let rules = prepared.setup.rules;
    let mut pending: Vec<usize> = claims.to_vec();
    pending.retain(|at| {
        state
            .claims
            .get(*at)
            .is_some_and(|claim| claim.status.allocation.is_none())
    });
    let mut done: Vec<usize> = Vec::new();
    let mut some_wait = false;
    for at in claims {
        let Some(claim) = state.claims.get(*at).cloned() else {
            continue;
        };
        let name = claim.metadata.full_name();
        let is_named_again = done.contains(at);
        if pending.contains(at) {
            let Some(result) = results.next() else {
                continue;
            };
            if is_named_again {
                return Err(BindError {
                    text: format!("claim {name} got allocated elsewhere in the meantime"),
                    help: Some(NAMED_TWICE),
                });
            }
            allocate(prepared, state, *at, result, node);
        }
        let consumer = if of_group(prepared, &claim, pod) {
            group_consumer(prepared, pod)
        } else {
            Some(consumer_of(pod))
        };
        let Some(consumer) = consumer else { continue };
        add_consumer(state, *at, &consumer, is_named_again, rules).map_err(|error| BindError {
            text: format!("add reservation to claim {name}: {}", error.text),
            help: error.help,
        })?;
        done.push(*at);
        some_wait |= waits(prepared, state, *at);
    }
    Ok(some_wait)
}

fn remove_consumer(state: &mut State, claims: &[usize], consumer: &Consumer) {
    for at in claims {
        if let Some(claim) = state.claims.get_mut(*at) {
            Rc::make_mut(claim)
                .status
                .reserved_for
                .retain(|user| user != consumer);
        }
    }
}

/// Adds the claim for the extended resources of a pod, allocated and reserved for it. Returns its index.
fn add_extended_claim(
    prepared: &mut Prepared<'_>,
    state: &mut State,
    pod: &Pod,
    made: &Claim,
    result: &DeviceAllocation,
    node: usize,
) -> usize {
    let mut claim = made.clone();
    claim.metadata.name = format!("{}-extended-resources", pod.metadata.name);
    let at = state.claims.len();
    state.claims.push(Rc::new(claim));
    state.allocations.push(0);
    allocate(prepared, state, at, result, node);
    if let Some(claim) = state.claims.get_mut(at) {
        let consumers = &mut Rc::make_mut(claim).status.reserved_for;
        consumers.push(consumer_of(pod));
    }
    at
}

/// Counts a pod on its node as kube-scheduler assumes it there: with what its devices take of the node
/// (kube-scheduler 1.36, `pkg/scheduler/schedule_one.go`, `assume`).
pub fn assume(
    prepared: &mut Prepared<'_>,
    state: &mut State,
    pod: usize,
    node: usize,
    statuses: Vec<NodeResourceClaim>,
) {
    if !prepared.devices_take_of_nodes() {
        return;
    }
    let facts = prepared.facts;
    let (Some(waiting), Some(its_node)) = (facts.pods.get(pod), facts.nodes.get(node)) else {
        return;
    };
    let mut assumed = Pod::clone(waiting);
    assumed.spec.node_name.clone_from(&its_node.metadata.name);
    if !statuses.is_empty() {
        assumed.status.node_allocatable_resource_claim_statuses = statuses;
        let requests_of =
            |pod| Requests::of(&prepared.names, pod, PodStage::Placed, prepared.setup.rules);
        let requests_before = requests_of(waiting);
        let requests = requests_of(&assumed);
        let for_devices = requests.amounts.iter().map(|(resource, amount)| {
            let before = requests_before.amount(*resource);
            (*resource, amount.saturating_sub(before))
        });
        state.take_for_devices(pod, node, for_devices.collect());
    }
    prepared.cluster.assumed.push(Rc::new(assumed));
    // What was answered for the devices of the node before does not hold any more.
    let version = prepared.next_version();
    if let Some(node_state) = state.nodes.get_mut(node) {
        node_state.devices = version;
    }
}

/// Returns true if devices of the claim must be made ready first.
fn waits(prepared: &Prepared<'_>, state: &State, at: usize) -> bool {
    use crate::allocator::binding::{self, Binding};
    let gates = prepared.setup.plugin_gates;
    gates.binding_conditions
        && state.claims.get(at).is_some_and(|claim| {
            matches!(
                binding::of(claim, gates.now),
                Binding::Waits | Binding::TimedOut
            )
        })
}

fn allocate(
    prepared: &mut Prepared<'_>,
    state: &mut State,
    at: usize,
    result: &DeviceAllocation,
    node: usize,
) {
    let allocation = allocation_of(result);
    for device in &allocation.devices.results {
        use_device(prepared, state, device, DeviceChange::Taken, node);
    }
    if let Some(claim) = state.claims.get_mut(at) {
        Rc::make_mut(claim).status.allocation = Some(allocation);
    }
    if let Some(version) = state.allocations.get_mut(at) {
        *version = prepared.next_version();
    }
    state.version = prepared.next_version();
}

/// Takes a device, or gives it back, and forgets what was known of the nodes that see it.
fn use_device(
    prepared: &mut Prepared<'_>,
    state: &mut State,
    device: &AllocatedDevice,
    change: DeviceChange,
    node: usize,
) {
    prepared.cluster.use_device(device, change);
    let name = prepared
        .facts
        .nodes
        .get(node)
        .map_or("", |node| node.metadata.name.as_str());
    let version = prepared.next_version();
    match state.nodes.get_mut(node) {
        Some(state) if prepared.cluster.local_node(&device.pool) == Some(name) => {
            state.devices = version
        }
        _ => state.shared_devices = version,
    }
}

/// Gives a claim's devices back: its allocation and its consumers are removed.
pub fn free(prepared: &mut Prepared<'_>, state: &mut State, at: usize) {
    let Some(claim) = state.claims.get(at).cloned() else {
        return;
    };
    for device in claim
        .status
        .allocation
        .iter()
        .flat_map(|allocation| &allocation.devices.results)
    {
        let all = state
            .claims
            .iter()
            .flat_map(|claim| claim.status.allocation.iter());
        let others = all
            .flat_map(|allocation| &allocation.devices.results)
            .filter(|other| {
                (&other.driver, &other.pool, &other.device)
                    == (&device.driver, &device.pool, &device.device)
                    && other.admin_access != Some(true)
            })
            .count()
            .saturating_sub(1);
        use_device(
            prepared,
            state,
            device,
            DeviceChange::GivenBack { others },
            usize::MAX,
        );
    }
    if let Some(claim) = state.claims.get_mut(at) {
        Rc::make_mut(claim).status = ClaimStatus::default();
    }
    if let Some(version) = state.allocations.get_mut(at) {
        *version = prepared.next_version();
    }
    state.version = prepared.next_version();
}

/// Returns the entry of `reservedFor` for a pod.
fn consumer_of(pod: &Pod) -> Consumer {
    Consumer {
        resource: "pods".to_owned(),
        name: pod.metadata.name.clone(),
        uid: pod.metadata.uid.clone(),
        ..Consumer::default()
    }
}

/// Returns true if the claim is shared by the pod's group as a whole: the group has an entry for it.
fn of_group(prepared: &Prepared<'_>, claim: &Claim, pod: &Pod) -> bool {
    let Some(group) = super::gangs::group_of(prepared, pod).filter(|_| prepared.setup.group_claims)
    else {
        return false;
    };
    let name = claim.metadata.name.as_str();
    let mut named = group.spec.resource_claims.iter();
    let mut made = group.status.resource_claim_statuses.iter();
    named.any(|entry| entry.resource_claim_name.as_deref() == Some(name))
        || made.any(|status| status.resource_claim_name.as_deref() == Some(name))
}

fn group_consumer(prepared: &Prepared<'_>, pod: &Pod) -> Option<Consumer> {
    super::gangs::group_of(prepared, pod).map(|group| Consumer {
        api_group: "scheduling.k8s.io".to_owned(),
        resource: "podgroups".to_owned(),
        name: group.metadata.name.clone(),
        uid: group.metadata.uid.clone(),
    })
}

/// Adds a consumer; `Err`: the server's answer to that.
fn add_consumer(
    state: &mut State,
    at: usize,
    user: &Consumer,
    again: bool,
    rules: &super::release::ReleaseRules,
) -> Result<(), BindError> {
    let Some(claim) = state.claims.get_mut(at) else {
        return Ok(());
    };
    let reserved = &claim.status.reserved_for;
    if again {
        let uid = super::admission::shown_uid(&user.uid);
        let value = format!(
            "{{\"resource\":\"pods\",\"name\":\"{}\",\"uid\":\"{uid}\"}}",
            user.name
        );
        let what = format!("reservedFor[{}]: Duplicate value: {value}", reserved.len());
        return Err(invalid_status(claim, &what, Some(NAMED_TWICE)));
    }
    if reserved.contains(user) {
        return Ok(());
    }
    let count = reserved.len().saturating_add(1);
    if count > rules.most_consumers {
        let most = rules.most_consumers;
        let what = format!("reservedFor: Too many: {count}: must have at most {most} items");
        return Err(invalid_status(claim, &what, None));
    }
    let timed = claim
        .status
        .allocation
        .as_ref()
        .is_none_or(|allocation| allocation.allocation_timestamp.is_some());
    if rules.needs_timestamp && !timed {
        let what = "allocation: Invalid value: null: field cannot be modified once set";
        return Err(invalid_status(claim, what, Some(NO_TIMESTAMP)));
    }
    Rc::make_mut(claim).status.reserved_for.push(user.clone());
    Ok(())
}

/// Returns the server's answer to an update of a claim's status.
fn invalid_status(claim: &Claim, what: &str, help: Option<Template>) -> BindError {
    let name = &claim.metadata.name;
    BindError {
        text: format!("ResourceClaim.resource.k8s.io \"{name}\" is invalid: status.{what}"),
        help,
    }
}

/// Returns what a claim stores about a device that it gets.
fn stored_device(result: &DeviceResult) -> AllocatedDevice {
    AllocatedDevice {
        request: result.request.clone(),
        driver: result.driver.clone(),
        pool: result.pool.clone(),
        device: result.device.clone(),
        admin_access: result.admin_access,
        share_id: result.share_id.map(str::to_owned),
        consumed_capacity: (!result.consumed_capacity.is_empty())
            .then(|| result.consumed_capacity.clone()),
        binding_conditions: result.binding_conditions.clone(),
        binding_failure_conditions: result.binding_failure_conditions.clone(),
        tolerations: result.tolerations.clone(),
    }
}

/// Returns the allocation that a claim stores for a result.
fn allocation_of(result: &DeviceAllocation) -> ClaimAllocation {
    let results = result.devices.results.iter().map(stored_device).collect();
    let (node_selector, allocation_timestamp) =
        (result.node_selector.clone(), Some(NOW.to_owned()));
    ClaimAllocation {
        devices: AllocatedDevices { results },
        node_selector,
        allocation_timestamp,
    }
}
