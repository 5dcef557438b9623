//! Pods on nodes compared with their claims, and claims compared with what uses them.

use super::by_name::{ByName, by_name, is_absent};
use super::claims::{is_deleted_before_start, lost_devices};
use super::finder::{About, Finder};
use super::node_of;
use super::nodes::trouble_of_pod;
use super::rules::{RuleSelectors, names};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::extended;
use claimkit_scheduler::allocator::objects::{
    AllocatedDevice, Claim, Consumer, Event, Meta, NodeSelector, ObjectName, Pod, PodClaim, Taint,
    prepare_failure,
};
use claimkit_scheduler::allocator::taints::{self, NO_EXECUTE};
use claimkit_scheduler::scheduler::has_ended;
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Maximum number of consumers of a claim (`resource.ResourceClaimReservedForMaxSize`).
const MOST_USERS: usize = 256;

/// Why a pod cannot use its devices on its node.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct PodFault {
    /// The name of the claim; `None`: the node itself is not there.
    pub claim: Option<String>,
    /// The sentence.
    pub message: Message,
    help: Option<Message>,
    path: Option<FieldPath>,
}

impl PodFault {
    fn tell(self, pod: &Pod, finder: &mut Finder<'_, '_>) {
        let about = About::object("Pod", &pod.metadata);
        let about = match self.path {
            Some(path) => about.at(path),
            None => about,
        };
        finder.tell(Code::PodDevicesWrong, about, self.message, self.help);
    }
}

/// Returns why a pod on a node cannot use its devices there.
pub fn faults_of(cluster: &Cluster<'_>, pod: &Pod) -> Vec<PodFault> {
    if pod.spec.node_name.is_empty() || has_ended(pod) {
        return Vec::new();
    }
    let facts = cluster.facts;
    let claims = by_name(&facts.claims, |claim| &claim.metadata);
    let nodes = nodes_of(cluster);
    let mut faults = Vec::new();
    let of_node = |message: Message| PodFault {
        claim: None,
        message,
        help: None,
        path: None,
    };
    let node = nodes.get(pod.spec.node_name.as_str());
    let node = node.and_then(|at| facts.nodes.get(*at));
    faults.extend(node.and_then(|node| trouble_of_pod(pod, node)).map(of_node));
    if !pod.spec.resource_claims.is_empty() {
        faults.extend(check_node(pod, &nodes));
        faults.extend(check_claims(cluster, pod, &claims, &nodes));
        faults.extend(check_devices(cluster, pod, &claims));
    }
    let pods = by_name(&facts.pods, |pod| &pod.metadata);
    let own = facts.claims.iter().filter(|claim| {
        let user = user_of_extended(claim, &pods);
        user.is_some_and(|user| user.metadata.full_name() == pod.metadata.full_name())
    });
    faults.extend(own.filter_map(|claim| check_extended(cluster, pod, claim, &nodes)));
    faults
}

/// Returns the positions of the nodes by their names.
fn nodes_of<'f>(cluster: &Cluster<'f>) -> BTreeMap<&'f str, usize> {
    let nodes = cluster.facts.nodes.iter().enumerate();
    order::map(nodes.map(|(at, node)| (node.metadata.name.as_str(), at)))
}

/// Reports pods that cannot use their devices, and claims that nothing uses.
pub fn check(cluster: &Cluster<'_>, selectors: RuleSelectors<'_>, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let claims = by_name(&facts.claims, |claim| &claim.metadata);
    let nodes = nodes_of(cluster);
    for pod in &facts.pods {
        let is_on_node = !pod.spec.node_name.is_empty() && !has_ended(pod);
        if is_on_node && !pod.spec.resource_claims.is_empty() {
            let of_node = check_node(pod, &nodes).into_iter();
            of_node
                .chain(check_claims(cluster, pod, &claims, &nodes))
                .chain(not_prepared(pod, &facts.events))
                .for_each(|fault| fault.tell(pod, finder));
        }
    }
    let used = used(&facts.pods);
    let pods = by_name(&facts.pods, |pod| &pod.metadata);
    for claim in &facts.claims {
        let Meta {
            namespace, name, ..
        } = &claim.metadata;
        match user_of_extended(claim, &pods) {
            Some(pod) => check_extended(cluster, pod, claim, &nodes)
                .into_iter()
                .for_each(|fault| fault.tell(pod, finder)),
            None if used.contains(&(namespace.as_str(), name.as_str())) => {}
            None => held_for_nobody(claim, finder),
        }
        consumers(claim, finder);
        tainted(cluster, claim, selectors, finder);
    }
}

/// Returns the claims that pods use which are not done, by namespace and name.
fn used(pods: &[Rc<Pod>]) -> BTreeSet<(&str, &str)> {
    let pods = pods.iter().filter(|pod| !is_done(pod));
    order::set(pods.flat_map(|pod| {
        let entries = pod.spec.resource_claims.iter();
        entries
            .filter_map(|entry| Some((pod.metadata.namespace.as_str(), pod.claim_of(&entry.name)?)))
    }))
}

/// Returns the pod for whose extended resources the scheduler made a claim, unless it is done.
fn user_of_extended<'f>(claim: &Claim, pods: &ByName<'f, Pod>) -> Option<&'f Pod> {
    let metadata = &claim.metadata;
    let annotation = metadata.annotations.get(extended::ANNOTATION);
    if annotation.is_none_or(|value| value != "true") {
        return None;
    }
    let mut owners = metadata.owner_references.iter();
    owners.find_map(|owner| {
        let pod = pods.get(&(metadata.namespace.as_str(), owner.name.as_str()))?;
        let is_user = metadata.is_controlled_by_pod(&pod.metadata) && !is_done(pod);
        is_user.then_some(*pod)
    })
}

/// Returns why a pod cannot use a claim for its extended resources on its node. Only the scheduler reserves such claims.
fn check_extended(
    cluster: &Cluster<'_>,
    pod: &Pod,
    claim: &Claim,
    nodes: &BTreeMap<&str, usize>,
) -> Option<PodFault> {
    if pod.spec.node_name.is_empty() {
        return None;
    }
    Some(PodFault {
        claim: Some(claim.metadata.name.clone()),
        message: mismatch(cluster, pod, claim, nodes)?,
        help: None,
        path: None,
    })
}

/// Returns true if no container of a pod runs or is going to (kube-controller-manager, `pkg/controller/resourceclaim`,
/// `isPodDone`).
pub fn is_done(pod: &Pod) -> bool {
    has_ended(pod) || is_deleted_before_start(pod)
}

/// Returns the devices of a pod that no slice publishes any more.
fn check_devices(cluster: &Cluster<'_>, pod: &Pod, claims: &ByName<'_, Claim>) -> Vec<PodFault> {
    let entries = pod.spec.resource_claims.iter();
    let names = entries.filter_map(|entry| pod.claim_of(&entry.name));
    let mut faults = Vec::new();
    for name in names {
        let Some(claim) = claims.get(&(pod.metadata.namespace.as_str(), name)) else {
            continue;
        };
        let lost = lost_devices(cluster, claim).into_iter();
        faults.extend(lost.map(|message| PodFault {
            claim: Some(name.to_owned()),
            message,
            help: None,
            path: None,
        }));
    }
    faults
}

/// Says that a pod is on a node that does not exist.
fn check_node(pod: &Pod, nodes: &BTreeMap<&str, usize>) -> Option<PodFault> {
    let node = pod.spec.node_name.as_str();
    if nodes.is_empty() || nodes.contains_key(node) {
        return None;
    }
    let message = message!(
        "audit.pod-node-absent",
        "pod {pod} is on node {node}, which is not there",
        pod = pod.metadata.full_name(),
        node,
    );
    Some(PodFault {
        claim: None,
        message,
        help: None,
        path: Some(field_path!["spec", "nodeName"]),
    })
}

/// Returns why a pod on a node cannot use its claims there.
fn check_claims(
    cluster: &Cluster<'_>,
    pod: &Pod,
    claims: &ByName<'_, Claim>,
    nodes: &BTreeMap<&str, usize>,
) -> Vec<PodFault> {
    let mut faults = Vec::new();
    for (at, entry) in pod.spec.resource_claims.iter().enumerate() {
        let Some(name) = pod.claim_of(&entry.name) else {
            continue;
        };
        let claim = claims.get(&(pod.metadata.namespace.as_str(), name));
        let message = match claim {
            Some(claim) if is_from_template(entry) && is_of_another_pod(claim, pod) => {
                Some(made_for_another(pod, claim))
            }
            Some(claim) => mismatch(cluster, pod, claim, nodes),
            None => {
                let wanted = ObjectName::new("ResourceClaim", &pod.metadata.namespace, name);
                is_absent(claims, cluster.facts, &wanted).then(|| no_claim(pod, name))
            }
        };
        let Some(message) = message else {
            continue;
        };
        let controller_reserves = claim.is_some_and(|claim| {
            let may_use = entry.resource_claim_name.is_some()
                || claim.metadata.is_controlled_by_pod(&pod.metadata);
            may_use && awaits_controller(pod, claim)
        });
        let lacks_statuses = pod.status.phase == "Running"
            && claim.is_some_and(|claim| claim.status.allocation.is_none())
            && !has_statuses(&cluster.facts.claims);
        let no_status = lacks_statuses.then(|| {
            message!(
                "audit.pod-claim-no-status-help",
                "no ResourceClaim that is given has a status: if the statuses were left out, the pod has its devices"
            )
        });
        let help = controller_reserves.then(|| {
            message!(
                "audit.pod-claim-unreserved-help",
                "the resource claim controller of kube-controller-manager reserves an allocated claim for a pod on a node: if it does not, look at its log"
            )
        });
        faults.push(PodFault {
            claim: Some(name.to_owned()),
            message,
            help: help.or(no_status),
            path: Some(field_path!["spec", "resourceClaims", at]),
        });
    }
    faults
}

/// Returns true if a claim says whether it has devices, or who uses it.
fn has_statuses(claims: &[Rc<Claim>]) -> bool {
    let mut statuses = claims.iter().map(|claim| &claim.status);
    statuses.any(|status| status.allocation.is_some() || !status.reserved_for.is_empty())
}

/// Says that kubelet cannot prepare the devices of a pod that does not run yet.
fn not_prepared(pod: &Pod, events: &[Rc<Event>]) -> Option<PodFault> {
    if !matches!(pod.status.phase.as_str(), "Pending" | "") {
        return None;
    }
    let failure = prepare_failure(events, &pod.metadata)?;
    Some(PodFault {
        claim: None,
        message: message!(
            "audit.pod-devices-not-prepared",
            "pod {pod} is on node {node}, and kubelet cannot prepare its devices: {why}",
            pod = pod.metadata.full_name(),
            node = pod.spec.node_name,
            why = failure.why,
        ),
        help: Some(message!(
            "audit.pod-devices-not-prepared-help",
            "look at the log of the driver on the node"
        )),
        path: None,
    })
}

fn is_from_template(entry: &PodClaim) -> bool {
    entry.resource_claim_template_name.is_some()
}

/// Returns true if a claim was made for a pod, and not for this one: the kubelet does not prepare it
/// (`k8s.io/dynamic-resource-allocation/resourceclaim`, `IsForPod`).
fn is_of_another_pod(claim: &Claim, pod: &Pod) -> bool {
    let mut owners = claim.metadata.owner_references.iter();
    let owner = owners.find(|owner| owner.controller && owner.kind == "Pod");
    owner.is_some_and(|owner| {
        let uid = &pod.metadata.uid;
        let is_later = !owner.uid.is_empty() && !uid.is_empty() && owner.uid != *uid;
        owner.name != pod.metadata.name || is_later
    })
}

/// Says that a claim of a pod on a node was made for another pod.
fn made_for_another(pod: &Pod, claim: &Claim) -> Message {
    message!(
        "audit.pod-claim-of-another",
        "pod {pod} is on node {node}, and its claim {claim} was made for another pod: kubelet does not prepare it",
        pod = pod.metadata.full_name(),
        node = pod.spec.node_name,
        claim = claim.metadata.full_name(),
    )
}

/// Says that a claim of a pod on a node is not there.
fn no_claim(pod: &Pod, claim: &str) -> Message {
    message!(
        "audit.pod-claim-absent",
        "pod {pod} is on node {node}, and its claim {claim} is not there",
        pod = pod.metadata.full_name(),
        node = pod.spec.node_name,
        claim = format!("{}/{claim}", pod.metadata.namespace),
    )
}

/// Returns true if kube-controller-manager reserves the claim for a pod on a node (`pkg/controller/resourceclaim`, `syncPod`).
fn awaits_controller(pod: &Pod, claim: &Claim) -> bool {
    claim.status.allocation.is_some()
        && !claim.is_reserved_for(pod)
        && claim.status.reserved_for.len() < MOST_USERS
}

/// Returns why a pod on a node cannot use a claim there.
fn mismatch(
    cluster: &Cluster<'_>,
    pod: &Pod,
    claim: &Claim,
    nodes: &BTreeMap<&str, usize>,
) -> Option<Message> {
    let (name, node) = (pod.metadata.full_name(), pod.spec.node_name.as_str());
    let own = claim.metadata.full_name();
    let Some(allocation) = &claim.status.allocation else {
        return Some(message!(
            "audit.pod-claim-unallocated",
            "pod {pod} is on node {node}, and its claim {claim} is not allocated",
            pod = name,
            node,
            claim = own,
        ));
    };
    if !claim.is_reserved_for(pod) {
        return Some(message!(
            "audit.pod-claim-unreserved",
            "pod {pod} is on node {node}, and its claim {claim} is not reserved for it",
            pod = name,
            node,
            claim = own,
        ));
    }
    let excluded = allocation
        .node_selector
        .as_ref()
        .and_then(|selector| excluded(cluster, pod, claim, selector, nodes));
    excluded.or_else(|| {
        // A node that is not there is reported by itself.
        let is_there = nodes.is_empty() || nodes.contains_key(node);
        let mut results = claim.allocated_devices().iter().filter(|_| is_there);
        results.find_map(|result| of_another_node(cluster, pod, claim, result))
    })
}

/// Says that a device of a claim is published for another node than that of the pod.
fn of_another_node(
    cluster: &Cluster<'_>,
    pod: &Pod,
    claim: &Claim,
    result: &AllocatedDevice,
) -> Option<Message> {
    let slices = cluster.slices_of_pool(&result.driver, &result.pool);
    let devices = slices
        .iter()
        .filter_map(|at| cluster.slice(*at))
        .flat_map(|slice| slice.spec.devices.iter().map(move |device| (slice, device)));
    let mut other = None;
    for (slice, device) in devices.filter(|(_, device)| device.name == result.device) {
        // A device that names no node, or this one, may be there.
        let name = node_of(slice, device)?;
        if name == pod.spec.node_name {
            return None;
        }
        other = Some(name);
    }
    Some(message!(
        "audit.pod-device-elsewhere",
        "pod {pod} is on node {node}, and device {device} of its claim {claim} is on node {other}",
        pod = pod.metadata.full_name(),
        node = pod.spec.node_name,
        device = format!("{}/{}/{}", result.driver, result.pool, result.device),
        claim = claim.metadata.full_name(),
        other = other?,
    ))
}

/// Says that a pod is on a node which the node selector of an allocation excludes.
fn excluded(
    cluster: &Cluster<'_>,
    pod: &Pod,
    claim: &Claim,
    selector: &NodeSelector,
    nodes: &BTreeMap<&str, usize>,
) -> Option<Message> {
    let node = pod.spec.node_name.as_str();
    let at = nodes.get(node)?;
    let judged = cluster.judgements.of(selector, &cluster.facts.nodes);
    if judged.error.is_some() || judged.matches.get(*at).copied().unwrap_or(true) {
        return None;
    }
    Some(message!(
        "audit.pod-claim-elsewhere",
        "pod {pod} is on node {node}, and its claim {claim} can only be used on nodes with {selector}",
        pod = pod.metadata.full_name(),
        node,
        claim = claim.metadata.full_name(),
        selector = judged
            .missing
            .get(*at)
            .and_then(Option::as_deref)
            .unwrap_or_default(),
    ))
}

/// Reports a claim that holds devices for nobody.
fn held_for_nobody(claim: &Claim, finder: &mut Finder<'_, '_>) {
    let devices = claim.allocated_devices().len();
    let is_ending = claim.metadata.deletion_timestamp.is_some();
    if devices == 0 || is_ending || !claim.status.reserved_for.is_empty() {
        return;
    }
    let message = message!(
        "audit.held-for-nobody",
        "claim {claim} is allocated and reserved for nobody: its devices stay in use",
        claim = claim.metadata.full_name(),
    );
    let about =
        About::object("ResourceClaim", &claim.metadata).at(field_path!["status", "allocation"]);
    finder.tell(Code::ClaimForNobody, about, message, None);
}

/// Reports consumers of a kind that no controller of Kubernetes removes.
fn consumers(claim: &Claim, finder: &mut Finder<'_, '_>) {
    for (index, user) in claim.status.reserved_for.iter().enumerate() {
        let Consumer {
            api_group,
            resource,
            name,
            ..
        } = user;
        let is_known = matches!(
            (api_group.as_str(), resource.as_str()),
            ("", "pods") | ("scheduling.k8s.io", "podgroups")
        );
        if is_known {
            continue;
        }
        let kind = if api_group.is_empty() {
            resource.clone()
        } else {
            format!("{resource}.{api_group}")
        };
        let message = message!(
            "audit.consumer-unknown",
            "claim {claim} is reserved for {kind} {consumer}, which is not a pod: nothing frees the claim after it",
            claim = claim.metadata.full_name(),
            kind,
            consumer = name,
        );
        let about = About::object("ResourceClaim", &claim.metadata).at(field_path![
            "status",
            "reservedFor",
            index
        ]);
        finder.tell(Code::ConsumerUnknown, about, message, None);
    }
}

/// When a taint evicts the pods of a device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Eviction {
    AtOnce,
    /// Seconds after the taint was added.
    After(i64),
}

/// Returns when a taint evicts the pods of a device; `None`: never. Only tolerations with the effect NoExecute count
/// (kube-controller-manager 1.37, `pkg/controller/devicetainteviction`, `claimEvictionTime`).
fn evicts(taint: &Taint, result: &AllocatedDevice) -> Option<Eviction> {
    if taint.effect != NO_EXECUTE {
        return None;
    }
    let tolerations = result.tolerations.iter().filter(|toleration| {
        toleration.effect == NO_EXECUTE && taints::tolerates(toleration, taint).is_ok()
    });
    let mut first = Eviction::AtOnce;
    for toleration in tolerations {
        let seconds = toleration.toleration_seconds?.max(0);
        first = match first {
            Eviction::AtOnce => Eviction::After(seconds),
            Eviction::After(other) => Eviction::After(other.min(seconds)),
        };
    }
    Some(first)
}

/// Returns the taints of an allocated device that can evict pods. Since 1.35 those of rules are found by the names in the allocation
/// (kube-controller-manager 1.35 to 1.38, `pkg/controller/devicetainteviction`, `allEvictingDeviceTaints`).
fn taints_of<'f>(
    cluster: &Cluster<'f>,
    result: &AllocatedDevice,
    selectors: RuleSelectors<'_>,
) -> Vec<&'f Taint> {
    let device = cluster
        .identity_of((&result.driver, &result.pool, &result.device))
        .and_then(|identity| cluster.named(identity))
        .and_then(|at| cluster.device(at));
    let published = device.into_iter().flat_map(|(_, device)| &device.taints);
    if !selectors.evict_by_name {
        return published.collect();
    }
    let rules = cluster
        .facts
        .rules
        .iter()
        .filter(|rule| names(rule, result));
    published
        .filter(|taint| taint.rule.is_none())
        .chain(rules.map(|rule| &rule.spec.taint))
        .collect()
}

/// Reports devices in use with a taint that evicts their pods.
fn tainted(
    cluster: &Cluster<'_>,
    claim: &Claim,
    selectors: RuleSelectors<'_>,
    finder: &mut Finder<'_, '_>,
) {
    // A claim that is reserved for nobody has no pods to evict.
    let has_users = !claim.status.reserved_for.is_empty();
    for (index, result) in claim
        .allocated_devices()
        .iter()
        .enumerate()
        .filter(|_| has_users)
    {
        let evictions = taints_of(cluster, result, selectors)
            .into_iter()
            .filter_map(|taint| Some((taint, evicts(taint, result)?)));
        let Some((taint, after)) = evictions.min_by_key(|(_, after)| *after) else {
            continue;
        };
        let (claim_name, taint) = (claim.metadata.full_name(), taint.name());
        let device = format!("{}/{}/{}", result.driver, result.pool, result.device);
        let message = match after {
            Eviction::AtOnce => message!(
                "audit.device-evicts",
                "claim {claim} holds device {device}, whose taint {taint} evicts its pods",
                claim = claim_name,
                device,
                taint,
            ),
            Eviction::After(1) => message!(
                "audit.device-evicts-soon",
                "claim {claim} holds device {device}, whose taint {taint} evicts its pods 1 second after it was added",
                claim = claim_name,
                device,
                taint,
            ),
            Eviction::After(seconds) => message!(
                "audit.device-evicts-later",
                "claim {claim} holds device {device}, whose taint {taint} evicts its pods {seconds} seconds after it was added",
                claim = claim_name,
                device,
                taint,
                seconds,
            ),
        };
        let about = About::object("ResourceClaim", &claim.metadata).at(field_path![
            "status",
            "allocation",
            "devices",
            "results",
            index
        ]);
        finder.tell(Code::DeviceInUseTainted, about, message, None);
    }
}
