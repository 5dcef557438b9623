//! A rollout that does not get on: an old pod of a Deployment has what the new one needs, and ends only when the new one runs.

use super::brief::Brief;
use super::ways::{HelpFacts, Step};
use claimkit_scheduler::allocator::objects::Pod;
use claimkit_scheduler::explain::object_edits::ObjectEdit;
use claimkit_scheduler::scheduler::has_ended;

/// Maximum number of old pods whose end is tried.
const MOST_OLD: usize = 4;
/// Begins the owner of a pod that a Deployment makes.
const DEPLOYMENT: &str = "deployment/";

/// Returns the steps by which an old pod ends before the new one starts.
pub fn steps(facts: HelpFacts<'_>) -> Vec<Step> {
    let Some((pod, owner)) = facts
        .pod
        .and_then(|pod| Some((pod, Brief::from(pod).owner()?)))
    else {
        return Vec::new();
    };
    let Some(deployment) = owner.strip_prefix(DEPLOYMENT) else {
        return Vec::new();
    };
    let others = facts.cluster.pods();
    let old = others.filter(|other| is_replaced(other, pod, &owner));
    old.take(MOST_OLD)
        .map(|old| without_surge(old, deployment))
        .collect()
}

/// Returns true if a pod runs that the rollout of a Deployment replaces by another pod.
fn is_replaced(old: &Pod, new: &Pod, owner: &str) -> bool {
    old.metadata.namespace == new.metadata.namespace
        && !old.spec.node_name.is_empty()
        && !has_ended(old)
        && old.metadata.deletion_timestamp.is_none()
        && old.metadata.creation_timestamp <= new.metadata.creation_timestamp
        && maker(old) != maker(new)
        && Brief::from(old).owner().as_deref() == Some(owner)
}

/// Returns the name of the ReplicaSet of a pod.
fn maker(pod: &Pod) -> Option<&str> {
    let mut owners = pod.metadata.owner_references.iter();
    let owner = owners.find(|owner| owner.controller)?;
    Some(&owner.name)
}

fn without_surge(old: &Pod, deployment: &str) -> Step {
    let namespace = &old.metadata.namespace;
    let name = old.metadata.full_name();
    Step {
        cost: 1,
        text: format!(
            "a rollout of Deployment {deployment} without surge: its old pod {name} has what the new one needs, and ends first"
        ),
        how: Some(format!(
            "kubectl patch deployment {deployment} -n {namespace} -p '{{\"spec\":{{\"strategy\":{{\"rollingUpdate\":{{\"maxSurge\":0,\"maxUnavailable\":1}}}}}}}}'"
        )),
        edits: Some(vec![ObjectEdit::EndPods(vec![name])]),
        ..Step::default()
    }
}
