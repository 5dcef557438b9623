//! Pods that are scheduled together (gate GenericWorkload; kube-scheduler 1.37 and 1.38, `schedule_one_podgroup.go` and the plugin
//! GangScheduling).

use super::outcome::Waiting;
use super::prepared::Prepared;
use super::release::ReleaseRules;
use crate::allocator::objects::{Facts, Pod, PodGroup};

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

/// Returns the priority of a group, which the server stores; of one that no server has seen, that of its class (kube-scheduler 1.37,
/// `pkg/scheduler/util/utils.go`, `PodGroupPriority`).
pub fn priority(facts: &Facts, group: &PodGroup) -> i64 {
    let class = group.spec.priority_class_name.as_str();
    let mut classes = facts.priority_classes.iter();
    let of_class = || {
        let class = classes.find(|known| known.metadata.name == class);
        class.map(|known| known.value)
    };
    group.spec.priority.or_else(of_class).unwrap_or(0)
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
const NO_GROUP_VICTIMS: &str =
    "pod group preemption: No preemption victims found for incoming preemptor";
/// The message of the plugin for devices and of preemption for a group that preempts nobody.
const GROUP_NEVER_PREEMPTS: &str = "deallocation and deletion of ResourceClaims completed, pod group preemption: not eligible due to preemptionPolicy=Never.";

/// Returns what the plugins say after the failure of a group. The plugin for devices is heard only where preemption does not end the
/// matter (kube-scheduler 1.37, `pkg/scheduler/framework/runtime/framework.go`, `RunPodGroupPostFilterPlugins`). `is_barred`: the
/// group is not to preempt others.
pub fn after_failure(is_barred: bool) -> &'static str {
    if is_barred {
        GROUP_NEVER_PREEMPTS
    } else {
        NO_GROUP_VICTIMS
    }
}

/// Returns the message to a pod that is not placed because its group does not start, for the reason in `text`.
pub fn message_to_pod(group: &str, text: &str, is_error: bool, rules: &ReleaseRules) -> String {
    match (rules.groups_are_named, is_error) {
        (true, true) => format!("parent pod group \"{group}\" encountered an error"),
        (true, false) => format!("parent pod group \"{group}\" is unschedulable"),
        (false, true) => text.to_owned(),
        (false, false) => format!("pod group is unschedulable, {text}"),
    }
}

/// Returns the message to a pod that is not tried because its group cannot start any more. `text`: the reason before other plugins are
/// heard about the failure (kube-scheduler 1.37, `schedule_one_podgroup.go`, `completePodGroupAlgorithmResult`).
pub fn message_to_untried(group: &str, text: &str, is_error: bool, rules: &ReleaseRules) -> String {
    if rules.groups_are_named {
        message_to_pod(group, text, is_error, rules)
    } else {
        text.to_owned()
    }
}
