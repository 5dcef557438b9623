//! Pods on nodes compared with their claims, and claims compared with what uses them.

use super::finder::{About, Finder};
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::device::ADMIN_LABEL;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{
    AllocatedDevice, Claim, ClaimSpec, Consumer, Facts, Meta, Pod, Taint,
};
use claimkit_scheduler::allocator::taints;
use claimkit_scheduler::allocator::usage::results_of;
use claimkit_scheduler::scheduler::has_ended;
use claimkit_values::order;
use std::collections::BTreeMap;

const NO_EXECUTE: &str = "NoExecute";

/// The claims of a cluster by namespace and name.
type Claims<'f> = BTreeMap<(&'f str, &'f str), &'f Claim>;

/// Reports pods that cannot use their devices, and claims that nothing uses.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    let facts = cluster.facts;
    let claims: Claims<'_> = order::map(facts.claims.iter().map(|claim| {
        let Meta {
            namespace, name, ..
        } = &claim.metadata;
        ((namespace.as_str(), name.as_str()), &**claim)
    }));
    let nodes = order::map(
        facts
            .nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (node.metadata.name.as_str(), at)),
    );
    for pod in &facts.pods {
        let is_on_node = !pod.spec.node_name.is_empty() && !has_ended(pod);
        if is_on_node && !pod.spec.resource_claims.is_empty() {
            check_node(pod, &nodes, finder);
            check_claims(cluster, pod, &claims, &nodes, finder);
        }
    }
    for claim in &facts.claims {
        held_for_nobody(claim, finder);
        consumers(claim, finder);
        tainted(cluster, claim, finder);
        admin(facts, "ResourceClaim", &claim.metadata, &claim.spec, finder);
    }
    for template in &facts.templates {
        let spec = &template.spec.spec;
        admin(
            facts,
            "ResourceClaimTemplate",
            &template.metadata,
            spec,
            finder,
        );
    }
}

/// Reports a pod on a node that does not exist.
fn check_node(pod: &Pod, nodes: &BTreeMap<&str, usize>, finder: &mut Finder<'_, '_>) {
    let node = pod.spec.node_name.as_str();
    if nodes.is_empty() || nodes.contains_key(node) {
        return;
    }
    let message = message!(
        "audit.pod-node-absent",
        "pod {pod} is on node {node}, which is not there",
        pod = pod.metadata.full_name(),
        node,
    );
    let about = About::object("Pod", &pod.metadata).at(field_path!["spec", "nodeName"]);
    finder.tell(Code::PodDevicesWrong, about, message, None);
}

/// Reports the claims of a pod on a node that it cannot use there.
fn check_claims(
    cluster: &Cluster<'_>,
    pod: &Pod,
    claims: &Claims<'_>,
    nodes: &BTreeMap<&str, usize>,
    finder: &mut Finder<'_, '_>,
) {
    for (at, entry) in pod.spec.resource_claims.iter().enumerate() {
        let Some(name) = pod.claim_of(&entry.name) else {
            continue;
        };
        let Some(claim) = claims.get(&(pod.metadata.namespace.as_str(), name)) else {
            continue;
        };
        let Some(message) = mismatch(cluster, pod, claim, nodes) else {
            continue;
        };
        let about =
            About::object("Pod", &pod.metadata).at(field_path!["spec", "resourceClaims", at]);
        finder.tell(Code::PodDevicesWrong, about, message, None);
    }
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
    let (selector, at) = (allocation.node_selector.as_ref()?, nodes.get(node)?);
    let judged = cluster.judgements.of(selector, &cluster.facts.nodes);
    if judged.error.is_some() || judged.matches.get(*at).copied().unwrap_or(true) {
        return None;
    }
    Some(message!(
        "audit.pod-claim-elsewhere",
        "pod {pod} is on node {node}, and its claim {claim} can only be used on nodes with {selector}",
        pod = name,
        node,
        claim = own,
        selector = judged
            .missing
            .get(*at)
            .and_then(Option::as_deref)
            .unwrap_or_default(),
    ))
}

/// Reports a claim that holds devices for nobody.
fn held_for_nobody(claim: &Claim, finder: &mut Finder<'_, '_>) {
    let devices = results_of(claim).len();
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
            "claim {claim} is reserved for {kind} {consumer}, which is no pod: nothing frees the claim after it",
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
/// (kube-controller-manager 1.33 to 1.38, `pkg/controller/devicetainteviction`, `evictionTime`).
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

/// Reports devices in use with a taint that evicts their pods.
fn tainted(cluster: &Cluster<'_>, claim: &Claim, finder: &mut Finder<'_, '_>) {
    for (index, result) in results_of(claim).iter().enumerate() {
        let name = (
            result.driver.as_str(),
            result.pool.as_str(),
            result.device.as_str(),
        );
        let device = cluster
            .identity_of(name)
            .and_then(|identity| cluster.named(identity))
            .and_then(|at| cluster.device(at))
            .map(|(_, device)| device);
        let evictions = device.into_iter().flat_map(|device| &device.taints);
        let evictions = evictions.filter_map(|taint| Some((taint, evicts(taint, result)?)));
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

/// Reports requests for admin access in a namespace that does not allow it.
fn admin(
    facts: &Facts,
    kind: &'static str,
    metadata: &Meta,
    spec: &ClaimSpec,
    finder: &mut Finder<'_, '_>,
) {
    let Some(labels) = facts.namespaces.get(&metadata.namespace) else {
        return;
    };
    if labels.get(ADMIN_LABEL).is_some_and(|value| value == "true") {
        return;
    }
    let mut requests = spec.devices.requests.iter();
    let asks = requests.any(|request| {
        let mut asks = request.exactly.iter().chain(&request.first_available);
        asks.any(|ask| ask.admin_access == Some(true))
    });
    if !asks {
        return;
    }
    let message = message!(
        "audit.admin-label",
        "{kind} {name} asks for admin access, and namespace {namespace} lacks the label {label}=true",
        kind,
        name = metadata.full_name(),
        namespace = metadata.namespace,
        label = ADMIN_LABEL,
    );
    finder.tell(
        Code::AdminAccessLabel,
        About::object(kind, metadata),
        message,
        None,
    );
}
