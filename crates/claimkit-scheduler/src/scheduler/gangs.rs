//! Pods that are scheduled together (gate GenericWorkload; kube-scheduler 1.37 and 1.38, `schedule_one_podgroup.go` and the plugin
//! GangScheduling).

use super::outcome::Waiting;
use super::prepared::Prepared;
use super::release::ReleaseRules;
use crate::allocator::objects::{Pod, PodGroup};

/// Returns the index of a pod's group.
pub fn group_at(prepared: &Prepared<'_>, pod: &Pod) -> Option<usize> {
    let name = pod.group_name().filter(|_| prepared.setup.groups)?;
    prepared.facts.pod_groups.iter().position(|group| {
        group.metadata.name == name && group.metadata.namespace == pod.metadata.namespace
    })
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
    let name = pod.group_name().filter(|_| prepared.setup.groups)?;
    let Some(group) = group_of(prepared, pod) else {
        return Some(Waiting::Group(name.to_owned()));
    };
    let need = usize::try_from(min_count(group)?).ok()?;
    let members = prepared.facts.pods.iter().filter(|other| {
        other.group_name() == Some(name)
            && other.metadata.namespace == pod.metadata.namespace
            && !super::prepared::has_ended(other)
    });
    let have = members.count();
    (have < need).then(|| Waiting::Members {
        group: name.to_owned(),
        have,
        need,
    })
}

/// The pods of a group during its attempt.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// How many have a node.
    pub scheduled: usize,
    /// How many found none.
    pub unschedulable: usize,
    /// How many were not tried yet.
    pub remaining: usize,
}

impl Progress {
    /// Returns the text about a group that cannot have so many pods.
    pub fn refusal(self, need: i64, rules: &ReleaseRules) -> String {
        let Progress {
            scheduled,
            unschedulable,
            remaining,
        } = self;
        if rules.groups_are_named {
            format!(
                "scheduling policy's minimum threshold ({need}) cannot be satisfied: {scheduled} scheduled, {unschedulable} unschedulable, {remaining} not-evaluated"
            )
        } else {
            format!(
                "minCount ({need}) cannot be satisfied: {scheduled} scheduled, {remaining} remaining"
            )
        }
    }
}

/// The message of preemption for a group if there is no pod of lower priority.
pub const NO_GROUP_VICTIMS: &str =
    "pod group preemption: No preemption victims found for incoming preemptor";

/// Returns the message to a pod that is not placed because its group does not start, for the reason in `text`.
pub fn message_to_pod(group: &str, text: &str, is_error: bool, rules: &ReleaseRules) -> String {
    match (rules.groups_are_named, is_error) {
        (true, true) => format!("parent pod group \"{group}\" encountered an error"),
        (true, false) => format!("parent pod group \"{group}\" is unschedulable"),
        (false, true) => text.to_owned(),
        (false, false) => format!("pod group is unschedulable, {text}"),
    }
}
