//! Pods that are scheduled together (gate GenericWorkload; kube-scheduler 1.37, `schedule_one_podgroup.go` and the plugin
//! GangScheduling).

use super::outcome::Waiting;
use super::prepared::Prepared;
use crate::allocator::objects::{Pod, PodGroup};

/// Returns the name of a pod's group.
pub fn name_of(pod: &Pod) -> Option<&str> {
    pod.spec
        .scheduling_group
        .as_ref()?
        .pod_group_name
        .as_deref()
}

/// Returns the index of a pod's group.
pub fn group_at(prepared: &Prepared<'_>, pod: &Pod) -> Option<usize> {
    let name = name_of(pod).filter(|_| prepared.setup.groups)?;
    let here = |group: &PodGroup| {
        group.metadata.name == name && group.metadata.namespace == pod.metadata.namespace
    };
    prepared
        .facts
        .pod_groups
        .iter()
        .position(|group| here(group))
}

/// Returns the group of a pod.
pub fn group_of<'f>(prepared: &Prepared<'f>, pod: &Pod) -> Option<&'f PodGroup> {
    prepared
        .facts
        .pod_groups
        .get(group_at(prepared, pod)?)
        .map(|group| &**group)
}

/// Returns how many pods of a group must start together; `None`: each starts as it comes.
pub fn min_count(group: &PodGroup) -> Option<i64> {
    group
        .spec
        .scheduling_policy
        .gang
        .as_ref()
        .map(|gang| gang.min_count)
}

/// Returns the condition that a pod's group waits for.
pub fn waiting(prepared: &Prepared<'_>, pod: &Pod) -> Option<Waiting> {
    let name = name_of(pod).filter(|_| prepared.setup.groups)?;
    let Some(group) = group_of(prepared, pod) else {
        return Some(Waiting::Group(name.to_owned()));
    };
    let need = usize::try_from(min_count(group)?).ok()?;
    let member = |other: &&std::rc::Rc<Pod>| {
        name_of(other) == Some(name)
            && other.metadata.namespace == pod.metadata.namespace
            && !super::prepared::has_ended(other)
    };
    let have = prepared.facts.pods.iter().filter(member).count();
    (have < need).then(|| Waiting::Members {
        group: name.to_owned(),
        have,
        need,
    })
}

/// Returns the text about a gang that cannot start.
pub fn cannot_be_satisfied(need: i64, scheduled: usize, remaining: usize) -> String {
    format!("minCount ({need}) cannot be satisfied: {scheduled} scheduled, {remaining} remaining")
}

/// The message of preemption for a group if there is no pod of lower priority.
pub const NO_GROUP_VICTIMS: &str =
    "pod group preemption: No preemption victims found for incoming preemptor";
/// The first part of the message to the pods of a group that does not start.
pub const UNSCHEDULABLE: &str = "pod group is unschedulable";
