//! The steps of a pod in the scheduler plugin `DynamicResources` (`pkg/scheduler/framework/plugins/dynamicresources`).

use super::allocate::{AllocationOutcome, Verdict, allocate};
use super::binding::{self, Binding};
use super::cluster::Cluster;
use super::extended::{self, ContainerNeed, ExtendedClaim, ExtendedResources, OnNode};
use super::features::Feature;
use super::node_resources::{self, Footprint, ResourceRefusal};
use super::nodes::NodeFields;
use super::objects::{Claim, Class, Pod};
use super::plugin_rules::PluginRules;
use super::pools::NodePools;
use super::results::DeviceAllocation;
use super::status::{FrameworkStatus, StatusCode};
use claimkit_model::message::message;
use claimkit_values::time::Time;

/// The gates that the plugin itself looks at, and its clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PluginGates {
    /// Follows the gate DRAPrioritizedList.
    pub prioritized_list: bool,
    /// Follows the gate DRAExtendedResource.
    pub extended_resource: bool,
    /// Follows the gates DRADeviceBindingConditions and DRAResourceClaimDeviceStatus.
    pub binding_conditions: bool,
    /// Follows the gate DRAControlPlaneController.
    pub controllers: bool,
    /// Follows the gate DRASchedulerFilterTimeout.
    pub filter_timeout: bool,
    /// Follows the gate DRANodeAllocatableResources.
    pub node_resources: bool,
    /// The time of the question; `None`: nothing has taken too long.
    pub now: Option<Time>,
}

impl PluginGates {
    /// Returns the plugin's settings for the gates that are on.
    pub fn of(gate: impl Fn(&str) -> bool) -> Self {
        PluginGates {
            prioritized_list: gate("DRAPrioritizedList"),
            extended_resource: gate("DRAExtendedResource"),
            binding_conditions: gate("DRADeviceBindingConditions")
                && gate("DRAResourceClaimDeviceStatus"),
            controllers: gate("DRAControlPlaneController"),
            filter_timeout: gate("DRASchedulerFilterTimeout"),
            node_resources: gate("DRANodeAllocatableResources"),
            now: None,
        }
    }

    /// Sets the time of the question.
    #[must_use]
    pub fn at(self, now: Option<Time>) -> Self {
        PluginGates { now, ..self }
    }
}

/// Why a claim that is allocated cannot be used on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// Its node selector does not select the node.
    Elsewhere,
    /// A device says that binding failed.
    Failed,
    /// Its devices were not ready in time.
    TimedOut,
}

/// A pod before any node is looked at.
#[derive(Clone, Debug)]
pub struct PodCase<'s> {
    /// The pod; `None`: claims without one.
    pub pod: Option<&'s Pod>,
    /// `PreEnqueue`.
    pub pre_enqueue: FrameworkStatus,
    /// `PreFilter`.
    pub pre_filter: FrameworkStatus,
    /// The claim that PreFilter stopped at.
    pub refused: Option<&'s Claim>,
    /// Claims that are allocated already.
    pub allocated: Vec<&'s Claim>,
    /// Claims to allocate, in the pod's order.
    pub pending: Vec<&'s Claim>,
    /// Both, in the pod's order.
    pub claims: Vec<&'s Claim>,
    /// Extended resources that classes serve.
    pub extended: Option<ExtendedResources<'s>>,
    rules: &'static PluginRules,
    gates: PluginGates,
}

impl<'s> PodCase<'s> {
    /// Looks at a pod's claims: PreEnqueue and PreFilter.
    pub fn new(
        cluster: &Cluster<'s>,
        rules: &'static PluginRules,
        gates: PluginGates,
        pod: &'s Pod,
    ) -> Self {
        let namespace = &pod.metadata.namespace;
        let claims = claims_of(rules, pod, &|name| {
            let mut claims = cluster.facts.claims.iter().map(|claim| &**claim);
            claims
                .find(|claim| claim.metadata.name == name && claim.metadata.namespace == *namespace)
        });
        PodCase::with_claims(cluster, rules, gates, pod, claims)
    }

    /// Looks at claims of a pod that were found, or at the reason why they were not.
    pub fn with_claims(
        cluster: &Cluster<'s>,
        rules: &'static PluginRules,
        gates: PluginGates,
        pod: &'s Pod,
        claims: Result<Vec<&'s Claim>, String>,
    ) -> Self {
        let mut case = PodCase::empty(rules, gates, Some(pod));
        let claims = match claims {
            Ok(claims) => claims,
            Err(reason) => {
                case.pre_enqueue =
                    FrameworkStatus::new(StatusCode::UnschedulableAndUnresolvable, reason);
                case.pre_filter = case.pre_enqueue.clone();
                return case;
            }
        };
        if gates.extended_resource {
            case.extended = ExtendedResources::of(cluster, rules, pod);
        }
        if claims.is_empty() && case.extended.is_none() {
            case.pre_filter = FrameworkStatus::plain(StatusCode::Skip);
        }
        for claim in claims {
            if let Err(status) = case.add(cluster, claim) {
                case.pre_filter = status;
                case.refused = Some(claim);
                break;
            }
        }
        case.gather(cluster);
        case
    }

    /// Looks at what is in use, if the pod needs devices that it does not have yet.
    fn gather(&mut self, cluster: &Cluster<'_>) {
        let extended = self.extended.as_ref().is_some_and(|extended| {
            extended
                .left_over
                .is_none_or(|claim| claim.status.allocation.is_none())
        });
        let needs = self.goes_on() && (extended || !self.pending.is_empty());
        if needs && self.rules.refuses_negative_consumption {
            let error = negative_consumption(cluster);
            self.pre_filter = error.map_or_else(
                || self.pre_filter.clone(),
                |error| {
                    FrameworkStatus::new(
                        StatusCode::Error,
                        format!("gather allocation state: {error}"),
                    )
                },
            );
        }
    }

    /// Makes a case of claims that are taken together though no pod names them.
    pub fn of_claims(
        cluster: &Cluster<'s>,
        rules: &'static PluginRules,
        gates: PluginGates,
        claims: &[&'s Claim],
    ) -> Self {
        let mut case = PodCase::empty(rules, gates, None);
        for claim in claims {
            if let Err(status) = case.add(cluster, claim) {
                case.pre_filter = status;
                case.refused = Some(claim);
                break;
            }
        }
        case.gather(cluster);
        case
    }

    fn empty(rules: &'static PluginRules, gates: PluginGates, pod: Option<&'s Pod>) -> Self {
        let success = FrameworkStatus::plain(StatusCode::Success);
        PodCase {
            pod,
            pre_enqueue: success.clone(),
            pre_filter: success,
            refused: None,
            allocated: Vec::new(),
            pending: Vec::new(),
            claims: Vec::new(),
            extended: None,
            rules,
            gates,
        }
    }

    fn add(&mut self, cluster: &Cluster<'s>, claim: &'s Claim) -> Result<(), FrameworkStatus> {
        let (rules, gates) = (self.rules, self.gates);
        let controlled = rules.knows_controllers && !claim.spec.controller.is_empty();
        if controlled && !gates.controllers {
            return Err(refused(
                "resourceclaim depends on disabled DRAControlPlaneController feature",
            ));
        }
        if rules.knows_controllers && claim.status.deallocation_requested {
            return Err(refused("resourceclaim must be reallocated"));
        }
        if let Some(allocation) = &claim.status.allocation {
            let selector = allocation.node_selector.as_ref();
            if let Some(error) = selector.and_then(|selector| {
                cluster
                    .judgements
                    .of(selector, &cluster.facts.nodes)
                    .error
                    .clone()
            }) {
                return Err(FrameworkStatus::new(StatusCode::Error, error));
            }
            self.allocated.push(claim);
            self.claims.push(claim);
            return Ok(());
        }
        let name = claim.metadata.full_name();
        for request in &claim.spec.devices.requests {
            let own = &request.name;
            let about = format!("resource claim {name}, request {own}");
            match (&request.exactly, request.first_available.as_slice()) {
                (Some(ask), _) => check_class(cluster, own, &ask.device_class_name)?,
                (None, []) if rules.refuses_unknown_requests => {
                    return Err(refused(format!("{about}: unknown request type")));
                }
                (None, []) => check_class(cluster, own, "")?,
                (None, _) if !gates.prioritized_list => {
                    let why = "has subrequests, but the DRAPrioritizedList feature is disabled";
                    return Err(refused(format!("{about}: {why}")));
                }
                (None, subs) => {
                    for sub in subs {
                        let full = format!("{own}/{}", sub.name);
                        check_class(cluster, &full, &sub.device_class_name)?;
                    }
                }
            }
        }
        if !controlled {
            self.pending.push(claim);
            self.claims.push(claim);
        }
        Ok(())
    }

    /// Returns the extended resources of the pod if no class serves any of them.
    pub fn unserved(&self) -> Vec<&'s str> {
        self.pod
            .filter(|_| self.extended.is_none())
            .map_or_else(Vec::new, |pod| extended::names(self.rules, pod))
    }

    /// Returns what the containers of the pod ask for of extended resources that classes serve.
    pub fn container_needs(&self) -> Vec<ContainerNeed> {
        self.pod
            .filter(|_| self.extended.is_some())
            .map_or_else(Vec::new, |pod| extended::container_needs(self.rules, pod))
    }

    /// Returns the class that serves an extended resource where the feature gate is on.
    pub fn serving_class(&self, cluster: &Cluster<'s>, resource: &str) -> Option<&'s Class> {
        extended::class_of(&cluster.facts.classes, self.rules, resource)
    }

    /// Returns the label that a namespace needs for administrative access.
    pub fn admin_label(&self) -> Option<&'static str> {
        self.rules.admin_label
    }

    /// Returns true if the plugin looks at nodes.
    pub fn goes_on(&self) -> bool {
        self.pre_filter.code == StatusCode::Success
    }

    /// Returns the treatment of the pod's extended resources on a node.
    pub fn extended_on(&self, cluster: &Cluster<'_>, node: usize) -> OnNode {
        match (&self.extended, self.pod, cluster.facts.nodes.get(node)) {
            (Some(extended), Some(pod), Some(node)) => {
                let others = !self.allocated.is_empty() || !self.pending.is_empty();
                extended.on_node(self.rules, pod, node, others)
            }
            _ => OnNode::None,
        }
    }

    /// Returns the claims whose allocation excludes the node, or whose devices could not be bound, with the reason.
    pub fn unavailable(&self, cluster: &Cluster<'_>, node: usize) -> Vec<(&'s Claim, Unavailable)> {
        self.allocated
            .iter()
            .filter_map(|claim| Some((*claim, self.why_unavailable(cluster, node, claim)?)))
            .collect()
    }

    fn why_unavailable(
        &self,
        cluster: &Cluster<'_>,
        node: usize,
        claim: &Claim,
    ) -> Option<Unavailable> {
        if is_away(cluster, node, claim) {
            return Some(Unavailable::Elsewhere);
        }
        if !self.gates.binding_conditions {
            return None;
        }
        match binding::of(claim, self.gates.now) {
            Binding::Failed => Some(Unavailable::Failed),
            Binding::TimedOut => Some(Unavailable::TimedOut),
            Binding::Ready | Binding::Waits => None,
        }
    }

    /// Returns true if the node resources that devices take are checked.
    pub fn looks_at_node_resources(&self) -> bool {
        self.gates.node_resources
    }

    /// Returns why an allocated claim with devices that take resources of the node cannot be shared there.
    fn shared(&self, cluster: &Cluster<'_>, node: usize) -> Option<ResourceRefusal> {
        let pod = self.pod.filter(|_| self.gates.node_resources)?;
        let mut here = self
            .allocated
            .iter()
            .filter(|claim| !is_away(cluster, node, claim));
        here.find_map(|claim| node_resources::shared(cluster, pod, node, claim))
    }

    /// Returns true if a claim is reserved for no other pod.
    pub(crate) fn is_alone_in(&self, claim: &Claim) -> bool {
        let mut consumers = claim.status.reserved_for.iter();
        consumers.all(|consumer| self.pod.is_some_and(|pod| consumer.uid == pod.metadata.uid))
    }

    /// Answers `PostFilter`, called when no node passed. `None`: it would free a claim, which changes the cluster. A claim counts
    /// as unavailable on a node only if nothing else rejected that node.
    pub fn post_filter(
        &self,
        cluster: &Cluster<'_>,
        answers: &[NodeAnswer],
    ) -> Option<FrameworkStatus> {
        if self
            .extended
            .as_ref()
            .is_some_and(|extended| extended.left_over.is_some())
        {
            return None;
        }
        let frees = answers
            .iter()
            .enumerate()
            .filter(|(_, answer)| answer.status.reasons == [UNAVAILABLE])
            .flat_map(|(node, _)| self.unavailable(cluster, node))
            .any(|(claim, _)| self.is_alone_in(claim));
        let still = if self.rules.post_filter_says_why {
            FrameworkStatus::new(StatusCode::Unschedulable, "still not schedulable")
        } else {
            FrameworkStatus::plain(StatusCode::Unschedulable)
        };
        (!frees).then_some(still)
    }
}

fn refused(reason: impl Into<String>) -> FrameworkStatus {
    FrameworkStatus::new(StatusCode::UnschedulableAndUnresolvable, reason)
}

/// Refuses a request whose class is not there, or that names none.
fn check_class(cluster: &Cluster<'_>, request: &str, class: &str) -> Result<(), FrameworkStatus> {
    if class.is_empty() {
        return Err(FrameworkStatus::new(
            StatusCode::Error,
            format!("request {request}: unsupported request type"),
        ));
    }
    if cluster.class(class).is_none() {
        return Err(refused(format!(
            "request {request}: device class {class} does not exist"
        )));
    }
    Ok(())
}

/// Returns the error about claims whose consumed capacity is negative (`allocateddevices.go`, `getCapacities`): the first by text, and
/// how many more there are.
fn negative_consumption(cluster: &Cluster<'_>) -> Option<String> {
    if !cluster.has(Feature::ConsumableCapacity) {
        return None;
    }
    let claims = cluster.facts.claims.iter();
    let errors: Vec<String> = claims.filter_map(|claim| negative_of(claim)).collect();
    let first = errors.iter().min()?;
    Some(match errors.len() {
        1 => first.clone(),
        count => format!(
            "{first} (and {} more claims with invalid consumed capacity)",
            count.saturating_sub(1)
        ),
    })
}

fn negative_of(claim: &Claim) -> Option<String> {
    claim.allocated_devices().iter().find_map(|result| {
        let consumed = result.consumed_capacity.as_ref()?;
        let (name, amount) = consumed.iter().find(|(_, amount)| amount.nanos() < 0)?;
        let (driver, pool, device) = (&result.driver, &result.pool, &result.device);
        Some(format!(
            "claim {}, device {driver}/{pool}/{device}: consumed capacity {name:?} must not be negative, got {}",
            claim.metadata.full_name(),
            amount.text()
        ))
    })
}

/// Returns true if the claim's allocation excludes the node.
fn is_away(cluster: &Cluster<'_>, node: usize, claim: &Claim) -> bool {
    let selector = claim
        .status
        .allocation
        .as_ref()
        .and_then(|allocation| allocation.node_selector.as_ref());
    selector.is_some_and(|selector| {
        let place = NodeFields {
            node_name: None,
            all_nodes: false,
            selector: Some(selector),
        };
        !place
            .has(node, &cluster.facts.nodes, &cluster.judgements)
            .unwrap_or(false)
    })
}

/// Returns the claims of a pod, or why they are not available. `find`: a claim of the pod's namespace.
pub fn claims_of<'s>(
    rules: &PluginRules,
    pod: &Pod,
    find: &dyn Fn(&str) -> Option<&'s Claim>,
) -> Result<Vec<&'s Claim>, String> {
    let namespace = &pod.metadata.namespace;
    let pod_name = pod.metadata.full_name();
    let mut claims = Vec::new();
    for entry in &pod.spec.resource_claims {
        let (name, generated) = match (
            &entry.resource_claim_name,
            &entry.resource_claim_template_name,
        ) {
            (Some(name), _) => (name.as_str(), false),
            (None, Some(_)) => {
                let statuses = pod
                    .status
                    .resource_claim_statuses
                    .as_deref()
                    .unwrap_or_default();
                match statuses.iter().find(|status| status.name == entry.name) {
                    None => {
                        return Err(format!("pod \"{pod_name}\": ResourceClaim not created yet"));
                    }
                    Some(status) => match &status.resource_claim_name {
                        None => continue,
                        Some(name) => (name.as_str(), true),
                    },
                }
            }
            (None, None) => {
                return Err(format!(
                    "pod \"{pod_name}\", spec.resourceClaim \"{}\": none of the supported fields are set",
                    entry.name
                ));
            }
        };
        let claim: &Claim = find(name)
            .ok_or_else(|| format!("could not find ResourceClaim \"{namespace}/{name}\""))?;
        if claim.metadata.deletion_timestamp.is_some() {
            return Err(format!("resourceclaim \"{name}\" is being deleted"));
        }
        if generated
            && !claim.metadata.is_controlled_by(&pod.metadata.uid)
            && !is_of_group(claim, pod)
        {
            return Err(rules
                .not_owner
                .replace("{claim}", &claim.metadata.full_name())
                .replace("{pod}", &pod_name));
        }
        claims.push(claim);
    }
    Ok(claims)
}

impl PodCase<'_> {
    /// Returns the error of `Score`, which runs if several nodes fit and ends the attempt. `results`: how many claims the node allocates.
    ///
    /// Source: kube-scheduler 1.35.4, `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go`, `computeScore`; the
    /// framework's words in front (`pkg/scheduler/framework/runtime/framework.go`, `RunScorePlugins`).
    pub fn score_error(&self, results: usize) -> Option<String> {
        let fails = self.rules.scores_by_index
            && self.pod.is_some()
            && results > 0
            && !self.allocated.is_empty();
        fails.then(|| {
            format!(
                "running Score plugins: plugin \"DynamicResources\" failed with: number of allocations {results} is smaller than number of claims"
            )
        })
    }
}

/// Returns true if the claim was made for the pod's group.
fn is_of_group(claim: &Claim, pod: &Pod) -> bool {
    let mut owners = claim.metadata.owner_references.iter();
    pod.group_name().is_some_and(|group| {
        owners.any(|owner| owner.controller && owner.kind == "PodGroup" && owner.name == group)
    })
}

/// A node's answer to a pod: `Filter`.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeAnswer {
    pub status: FrameworkStatus,
    /// The allocator's outcome, if it was asked.
    pub outcome: Option<AllocationOutcome>,
    /// The claim for extended resources, if there is one.
    pub extended: Option<Box<ExtendedClaim>>,
    /// `Score`.
    pub score: i64,
    /// Resources of the node that devices take, if they are looked at and some do.
    pub footprint: Option<Box<Footprint>>,
}

impl NodeAnswer {
    /// Returns the results of the allocator.
    pub fn allocations(&self) -> &[DeviceAllocation] {
        match self.outcome.as_ref().map(|outcome| &outcome.verdict) {
            Some(Verdict::Allocated(results)) => results,
            _ => &[],
        }
    }
}

/// The message for claims that are allocated for other nodes.
pub const UNAVAILABLE: &str = "resourceclaim not available on the node";

/// Asks a node: `Filter`, then `Score`. `budget`: the steps that the allocator may take.
pub fn filter(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    node: usize,
    gathered: &Result<NodePools<'_>, String>,
    budget: u64,
) -> NodeAnswer {
    let mut answer = NodeAnswer {
        status: FrameworkStatus::plain(StatusCode::Success),
        outcome: None,
        extended: None,
        score: 0,
        footprint: None,
    };
    let extended = match case.extended_on(cluster, node) {
        OnNode::None => None,
        OnNode::Claim(claim) => Some(claim),
        OnNode::Refused(reason) => {
            answer.status = refused(reason);
            return answer;
        }
    };
    if let Some(refusal) = case.shared(cluster, node) {
        answer.status = refusal.status.clone();
        answer.footprint = Some(Box::new(Footprint {
            refusal: Some(refusal),
            ..Footprint::default()
        }));
        return answer;
    }
    let unavailable = !case.unavailable(cluster, node).is_empty();
    let mut claims: Vec<&Claim> = case.pending.clone();
    claims.extend(extended.as_ref().map(|extended| &extended.claim));
    if !claims.is_empty() {
        let outcome = allocate(cluster, node, gathered, &claims, budget);
        answer.status = status_of_verdict(cluster, case, node, &outcome.verdict);
        if case.gates.node_resources
            && let Verdict::Allocated(results) = &outcome.verdict
        {
            // Claims that were allocated before come last: they have no results here.
            let mut with_allocated = claims.clone();
            with_allocated.extend(&case.allocated);
            answer.check_resources(cluster, case, node, &with_allocated, results);
        }
        answer.score = score(case, &outcome);
        answer.outcome = Some(outcome);
    }
    // 1.37 and later look at claims that were allocated before, too.
    if claims.is_empty() && case.gates.node_resources {
        answer.check_resources(cluster, case, node, &case.allocated, &[]);
    }
    if unavailable && answer.status.code == StatusCode::Success {
        answer.status = refused(UNAVAILABLE);
    }
    answer.extended = extended;
    answer
}

/// Returns what the plugin says of the allocator's verdict about a node.
fn status_of_verdict(
    cluster: &Cluster<'_>,
    case: &PodCase<'_>,
    node: usize,
    verdict: &Verdict,
) -> FrameworkStatus {
    match verdict {
        Verdict::Allocated(_) => FrameworkStatus::plain(StatusCode::Success),
        Verdict::Nothing => refused("cannot allocate all claims"),
        Verdict::OfNode(error) => refused(error.as_str()),
        Verdict::Fatal(error) | Verdict::Panic(error) => {
            FrameworkStatus::new(StatusCode::Error, error.as_str())
        }
        Verdict::Undecided => out_of_time(cluster, case, node),
    }
}

impl NodeAnswer {
    /// Compares what devices take with the resources of the node.
    fn check_resources(
        &mut self,
        cluster: &Cluster<'_>,
        case: &PodCase<'_>,
        node: usize,
        claims: &[&Claim],
        results: &[DeviceAllocation],
    ) {
        let footprint = node_resources::check(cluster, case.pod, node, claims, results);
        let refusal = footprint
            .as_ref()
            .and_then(|checked| checked.refusal.as_ref());
        if let Some(refusal) = refusal {
            self.status = refusal.status.clone();
        }
        self.footprint = footprint.map(Box::new);
    }
}

/// Returns the status of a search that takes too long. kube-scheduler stops after ten seconds; before 1.34, or without the gate
/// DRASchedulerFilterTimeout, it keeps searching, and the message is ours.
fn out_of_time(cluster: &Cluster<'_>, case: &PodCase<'_>, node: usize) -> FrameworkStatus {
    const TIMED_OUT: &str = "timed out trying to allocate devices";
    if !case.gates.filter_timeout {
        return refused(&*message!(
            "device.search-goes-on",
            "not known: the search is long, and kube-scheduler goes on with it as long as it takes"
        ));
    }
    if case.rules.timeout_names_node
        && let Some(node) = cluster.facts.nodes.get(node)
    {
        let text = format!("node {}: {TIMED_OUT}", node.metadata.name);
        return FrameworkStatus::new(StatusCode::Error, text);
    }
    refused(TIMED_OUT)
}

/// Maximum number of sub-requests of a request; the first gives as many points.
const MOST_SUBREQUESTS: i64 = 8;

/// Returns the points of the sub-requests that are chosen, here or when the claim was allocated (kube-scheduler 1.36.3,
/// `computeScore`).
fn score(case: &PodCase<'_>, outcome: &AllocationOutcome) -> i64 {
    if !case.rules.scores || !matches!(outcome.verdict, Verdict::Allocated(_)) {
        return 0;
    }
    let before = case
        .allocated
        .iter()
        .flat_map(|claim| chosen_subrequests(claim));
    let chosen = outcome.picked.iter().map(|pick| pick.sub).chain(before);
    let points =
        chosen.map(|sub| MOST_SUBREQUESTS.saturating_sub(i64::try_from(sub).unwrap_or(i64::MAX)));
    points.fold(0, i64::saturating_add)
}

/// Returns the indexes of the sub-requests of which a claim has devices.
fn chosen_subrequests(claim: &Claim) -> Vec<usize> {
    let mut chosen = Vec::new();
    for request in &claim.spec.devices.requests {
        if request.exactly.is_some() {
            continue;
        }
        for (index, sub) in request.first_available.iter().enumerate() {
            let name = format!("{}/{}", request.name, sub.name);
            let mut results = claim.allocated_devices().iter();
            if results.any(|result| result.request == name) {
                chosen.push(index);
            }
        }
    }
    chosen
}
