//! Claims and pods that stay although they are being deleted, or although their pod is gone.

use super::by_name::{ByName, by_name, is_absent};
use super::finder::{About, Finder};
use super::first_names::first_names;
use super::nodes::is_unreachable;
use claimkit_model::finding::{Code, field_path};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::objects::{
    Claim, Facts, Meta, Node, ObjectName, Owner, Pod, Workload, WorkloadKind,
};
use claimkit_scheduler::scheduler::has_ended;
use claimkit_values::order;
use claimkit_values::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// The finalizer by which the Job controller counts pods (`batchv1.JobTrackingFinalizer`).
pub const JOB_TRACKING: &str = "batch.kubernetes.io/job-tracking";

/// How long after its time a pod may still be ending before that is reported: kubelet unmounts volumes and asks drivers.
const MOST_SECONDS: i64 = 15 * 60;

/// Reports deletions that something holds up, and claims of pods that are gone.
pub fn check(facts: &Facts, finder: &mut Finder<'_, '_>) {
    let pods = by_name(&facts.pods, |pod| &pod.metadata);
    for claim in &facts.claims {
        // Of claims with devices or users other findings say what they wait for.
        if claim.allocated_devices().is_empty() && claim.status.reserved_for.is_empty() {
            unused_claim(facts, claim, &pods, finder);
        }
    }
    let nodes = facts.nodes.iter().map(|node| &**node);
    let nodes: BTreeMap<&str, &Node> =
        order::map(nodes.map(|node| (node.metadata.name.as_str(), node)));
    let jobs = Jobs::of(facts);
    for pod in &facts.pods {
        if let Some(since) = &pod.metadata.deletion_timestamp {
            ending_pod(pod, since, &nodes, &jobs, finder);
        }
    }
    late_pods(facts, &nodes, finder);
}

/// Reports pods that should have ended long ago, by the age of other objects, and whose claims hold devices.
fn late_pods(facts: &Facts, nodes: &BTreeMap<&str, &Node>, finder: &mut Finder<'_, '_>) {
    let ending = facts
        .pods
        .iter()
        .filter(|pod| pod.metadata.deletion_timestamp.is_some());
    let mut ending = ending.peekable();
    if ending.peek().is_none() {
        return;
    }
    let claims = by_name(&facts.claims, |claim| &claim.metadata);
    let newest = newest_second(facts);
    for pod in ending.filter(|pod| !has_ended(pod)) {
        let Some(since) = &pod.metadata.deletion_timestamp else {
            continue;
        };
        let node = pod.spec.node_name.as_str();
        let is_late = second(since).is_some_and(|end| newest.saturating_sub(end) > MOST_SECONDS);
        let is_lost = nodes.get(node).is_some_and(|node| is_unreachable(node));
        if node.is_empty() || !is_late || is_lost {
            continue;
        }
        let namespace = pod.metadata.namespace.as_str();
        let entries = pod.spec.resource_claims.iter();
        let held: Vec<String> = entries
            .filter_map(|entry| claims.get(&(namespace, pod.claim_of(&entry.name)?)))
            .filter(|claim| !claim.allocated_devices().is_empty())
            .map(|claim| claim.metadata.full_name())
            .collect();
        if held.is_empty() {
            continue;
        }
        let message = message!(
            "audit.pod-ending-holds",
            "pod {pod} was to end at {since}, and its claims still hold devices of node {node}: {claims}",
            pod = pod.metadata.full_name(),
            since,
            node,
            claims = first_names(held),
        );
        let help = message!(
            "audit.pod-ending-holds-help",
            "look at the kubelet of {node}, which has to end the containers: its log, and mounts that hang",
            node,
        );
        let about =
            About::object("Pod", &pod.metadata).at(field_path!["metadata", "deletionTimestamp"]);
        finder.tell(Code::DeletionUnfinished, about, message, Some(help));
    }
}

/// Returns the second of a time; `None`: it is none.
fn second(time: &str) -> Option<i64> {
    let (seconds, _) = Time::parse(time).ok()?.parts();
    Some(seconds)
}

/// Returns the second in which the newest of the pods and claims was made: the cluster was seen after it.
fn newest_second(facts: &Facts) -> i64 {
    let pods = facts.pods.iter().map(|pod| &pod.metadata);
    let claims = facts.claims.iter().map(|claim| &claim.metadata);
    let made = pods
        .chain(claims)
        .filter_map(|object| object.creation_timestamp.as_deref());
    made.filter_map(second).max().unwrap_or(i64::MIN)
}

/// Reports a claim that holds nothing and stays.
fn unused_claim(facts: &Facts, claim: &Claim, pods: &ByName<'_, Pod>, finder: &mut Finder<'_, '_>) {
    let Meta {
        namespace,
        finalizers,
        ..
    } = &claim.metadata;
    let about = About::object("ResourceClaim", &claim.metadata);
    if let Some(since) = &claim.metadata.deletion_timestamp {
        if !finalizers.is_empty() {
            let message = kept(&claim.metadata, "claim", since);
            let about = about.at(field_path!["metadata", "finalizers"]);
            finder.tell(Code::DeletionUnfinished, about, message, None);
        }
        return;
    }
    let mut owners = claim.metadata.owner_references.iter();
    let Some(owner) = owners.find(|owner| is_controlling_pod(owner)) else {
        return;
    };
    let pod = ObjectName::new("Pod", namespace, &owner.name);
    if !is_absent(pods, facts, &pod) {
        return;
    }
    let message = message!(
        "audit.claim-of-absent-pod",
        "claim {claim} was made for pod {pod}, which is not there",
        claim = claim.metadata.full_name(),
        pod = format!("{namespace}/{}", owner.name),
    );
    let help = message!(
        "audit.claim-of-absent-pod-help",
        "the garbage collector of kube-controller-manager deletes it: if it does not, look at its log"
    );
    let about = about.at(field_path!["metadata", "ownerReferences"]);
    finder.tell(Code::DeletionUnfinished, about, message, Some(help));
}

fn is_controlling_pod(owner: &Owner) -> bool {
    owner.controller && owner.kind == "Pod" && owner.api_version == "v1"
}

/// Says that finalizers keep an object.
fn kept(object: &Meta, kind: &str, since: &str) -> Message {
    message!(
        "audit.kept-by-finalizers",
        "{kind} {name} has been deleted since {since}, and its finalizers keep it: {finalizers}",
        kind,
        name = object.full_name(),
        since,
        finalizers = object.finalizers.join(", "),
    )
}

/// Reports a pod that is being deleted and cannot go.
fn ending_pod(
    pod: &Pod,
    since: &str,
    nodes: &BTreeMap<&str, &Node>,
    jobs: &Jobs<'_>,
    finder: &mut Finder<'_, '_>,
) {
    let node = pod.spec.node_name.as_str();
    let about = About::object("Pod", &pod.metadata);
    if !node.is_empty() && !has_ended(pod) {
        // What runs must be ended by the kubelet; until then finalizers do not matter.
        if nodes.get(node).is_some_and(|node| is_unreachable(node)) {
            let message = message!(
                "audit.pod-ending-on-lost-node",
                "pod {pod} has been deleted since {since}, and its node {node}, which has to end it, is unreachable",
                pod = pod.metadata.full_name(),
                since,
                node,
            );
            let help = message!(
                "audit.pod-ending-on-lost-node-help",
                "bring the node back; if it is off for good, delete its Node, and the pod goes with it"
            );
            let about = about.at(field_path!["metadata", "deletionTimestamp"]);
            finder.tell(Code::DeletionUnfinished, about, message, Some(help));
        }
        return;
    }
    let finalizers = &pod.metadata.finalizers;
    if finalizers.is_empty() {
        return;
    }
    let about = about.at(field_path!["metadata", "finalizers"]);
    let message = match jobs.of_pod(pod) {
        Some(Job {
            name,
            is_absent: true,
        }) => message!(
            "audit.kept-without-job",
            "pod {pod} has been deleted since {since}, and its finalizers keep it: {finalizers}; its Job {job} is not there",
            pod = pod.metadata.full_name(),
            since,
            finalizers = finalizers.join(", "),
            job = name,
        ),
        // The Job controller takes its own finalizer away once it has counted the pod.
        Some(_) if finalizers.iter().all(|name| name == JOB_TRACKING) => return,
        _ => kept(&pod.metadata, "pod", since),
    };
    finder.tell(Code::DeletionUnfinished, about, message, None);
}

/// The Jobs that are given.
struct Jobs<'f> {
    names: BTreeSet<(&'f str, &'f str)>,
    /// All of the cluster are given.
    are_whole: bool,
}

/// The Job that made a pod.
struct Job {
    name: String,
    is_absent: bool,
}

impl<'f> Jobs<'f> {
    fn of(facts: &'f Facts) -> Self {
        let workloads = facts.workloads.iter().map(|workload| &**workload);
        let jobs = workloads.filter(|workload| workload.kind == WorkloadKind::Job);
        let names = jobs
            .map(|Workload { metadata, .. }| (metadata.namespace.as_str(), metadata.name.as_str()));
        Jobs {
            names: order::set(names),
            are_whole: facts.is_whole("Job"),
        }
    }

    /// Returns the Job that made a pod. It is known to be absent if all are given, or others of its namespace.
    fn of_pod(&self, pod: &Pod) -> Option<Job> {
        let mut owners = pod.metadata.owner_references.iter();
        let owner = owners.find(|owner| owner.controller && owner.kind == "Job")?;
        let namespace = pod.metadata.namespace.as_str();
        let after = self.names.range((namespace, "")..);
        let are_given = self.are_whole || after.take(1).any(|(of, _)| *of == namespace);
        Some(Job {
            name: format!("{namespace}/{}", owner.name),
            is_absent: are_given && !self.names.contains(&(namespace, owner.name.as_str())),
        })
    }
}
