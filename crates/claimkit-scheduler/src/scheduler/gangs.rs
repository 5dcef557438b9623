//! Pods that are scheduled together (gate GenericWorkload; kube-scheduler 1.37 and 1.38, `schedule_one_podgroup.go` and the plugin
//! GangScheduling).

use super::outcome::Waiting;
use super::prepared::Prepared;
use super::release::ReleaseRules;
use crate::allocator::objects::{Facts, Pod, PodGroup};
use claimkit_model::message::{Message, Template, message, template};

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

/// Returns how many pods of a group must start together; `None`: each starts as it comes, as all do without the plugin GangScheduling
/// (kube-scheduler 1.36, `pkg/scheduler/apis/config/v1/default_plugins.go`, `applyFeatureGates`).
pub fn min_count(prepared: &Prepared<'_>, group: &PodGroup) -> Option<i64> {
    let gang = group.spec.scheduling_policy.gang.as_ref();
    gang.filter(|_| prepared.setup.gangs)
        .map(|gang| gang.min_count)
}

/// Returns the priority of a group, which the server stores; of one that no server has seen, that of its class (kube-scheduler 1.37,
/// `pkg/scheduler/util/utils.go`, `PodGroupPriority`).
pub fn priority(facts: &Facts, group: &PodGroup) -> i64 {
    if let Some(priority) = group.spec.priority {
        return priority;
    }
    let name = group.spec.priority_class_name.as_str();
    let mut classes = facts.priority_classes.iter();
    let class = classes.find(|class| class.metadata.name == name);
    class.map_or(0, |class| class.value)
}

/// Returns the condition that a pod's group waits for, by the plugin GangScheduling.
pub fn waiting(prepared: &Prepared<'_>, pod: &Pod) -> Option<Waiting> {
    let has_plugin = prepared.setup.groups && prepared.setup.gangs;
    let name = pod.group_name().filter(|_| has_plugin)?;
    let Some(group) = group_of(prepared, pod) else {
        return Some(Waiting::Group(name.to_owned()));
    };
    let need = usize::try_from(min_count(prepared, group)?).ok()?;
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

/// Returns the pods of a group that have a node and run.
pub fn with_nodes<'p>(prepared: &'p Prepared<'_>, group: usize) -> impl Iterator<Item = &'p Pod> {
    let pods = prepared.facts.pods.iter().map(|pod| &**pod);
    pods.filter(move |pod| {
        !pod.spec.node_name.is_empty()
            && !super::prepared::has_ended(pod)
            && group_at(prepared, pod) == Some(group)
    })
}

/// Returns why the scheduler tries no pod of a group: one of them, waiting or with a node, differs from the group or from the first one
/// (kube-scheduler 1.37 and 1.38, `schedule_one_podgroup.go`, `validatePodGroup` and `validatePodGroupHierarchy`). `waiting`: in the
/// order of the queue.
pub fn mismatch(prepared: &Prepared<'_>, group: usize, waiting: &[usize]) -> Option<Mismatch> {
    let rules = prepared.setup.rules;
    if !rules.groups_have_priority {
        return None;
    }
    let facts = prepared.facts.pod_groups.get(group)?;
    let waiting = waiting
        .iter()
        .filter_map(|pod| prepared.facts.pods.get(*pod));
    let mut pods = waiting
        .map(|pod| &**pod)
        .chain(with_nodes(prepared, group))
        .peekable();
    let first = *pods.peek()?;
    let common = Common {
        group: facts,
        first,
        priority: priority(prepared.facts, facts),
    };
    pods.find_map(|pod| {
        let text = if rules.groups_are_named {
            common.mismatch_by_name(pod)
        } else {
            common.mismatch(pod)
        };
        let has_other_priority = pod.spec.effective_priority() != common.priority;
        Some(Mismatch {
            text: text?,
            help: has_other_priority.then(|| SAME_PRIORITY.text()),
        })
    })
}

/// How a pod differs from its group.
pub struct Mismatch {
    /// The scheduler's words.
    pub text: String,
    /// What helps.
    pub help: Option<Message>,
}

const SAME_PRIORITY: Template = template!(
    "pods.group-priority-help",
    "the PodGroup and its pods need the same priority: name the same `priorityClassName` in all of them"
);

/// What all pods of a group have in common.
struct Common<'p> {
    group: &'p PodGroup,
    /// Its scheduler is that of all.
    first: &'p Pod,
    priority: i64,
}

impl Common<'_> {
    /// Returns the preemption policy of the group, or that of its first pod.
    fn preemption_policy(&self) -> &str {
        let of_group = self.group.spec.preemption_policy.as_deref();
        of_group.unwrap_or_else(|| preemption_policy(self.first))
    }

    /// Returns how a pod differs, as 1.37 says it.
    fn mismatch(&self, pod: &Pod) -> Option<String> {
        let (own, first) = (pod.spec.scheduler(), self.first.spec.scheduler());
        if own != first {
            return Some(format!(
                "all pods in a single pod group should have the same .spec.schedulerName set, got: \"{own}\" and \"{first}\""
            ));
        }
        let priority = pod.spec.effective_priority();
        if priority != self.priority {
            return Some(format!(
                "all pods in a single pod group should have the same priority as the pod group's priority, got {priority} and {}",
                self.priority
            ));
        }
        let policy = preemption_policy(pod);
        let expected = self.preemption_policy();
        (policy != expected).then(|| {
            let of_group = match self.group.spec.preemption_policy {
                Some(_) => " as the pod group's preemption policy",
                None => "",
            };
            format!(
                "all pods in a single pod group should have the same preemption policy{of_group}, got {policy} and {expected}"
            )
        })
    }

    /// Returns how a pod differs, as 1.38 says it.
    fn mismatch_by_name(&self, pod: &Pod) -> Option<String> {
        let name = &pod.metadata.name;
        let (own, first) = (pod.spec.scheduler(), self.first.spec.scheduler());
        if own != first {
            return Some(format!(
                "all pods in a pod group hierarchy should have the same .spec.schedulerName set, got: \"{own}\" (\"{name}\") and \"{first}\" (\"{}\")",
                self.first.metadata.name
            ));
        }
        let priority = pod.spec.effective_priority();
        if priority != self.priority {
            let group = &self.group.metadata;
            return Some(format!(
                "all pods in a pod group hierarchy should have the same priority as the root pod group's priority, got {priority} (\"{name}\") and {} (\"podgroup/{}/{}\")",
                self.priority, group.namespace, group.name
            ));
        }
        let policy = preemption_policy(pod);
        let expected = self.preemption_policy();
        (policy != expected).then(|| {
            format!(
                "all pods in a pod group hierarchy should have the same preemption policy, got {policy} (\"{name}\") and {expected}"
            )
        })
    }
}

/// Returns what a pod does to others that keep it from a node (kube-scheduler 1.37, `schedule_one_podgroup.go`, `podPreemptionPolicy`).
fn preemption_policy(pod: &Pod) -> &str {
    let own = pod.spec.preemption_policy.as_deref();
    own.unwrap_or("PreemptLowerPriority")
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
    /// The plugin for devices has seen one of them.
    pub is_seen_by_devices: bool,
}

impl Progress {
    /// Returns true if so many pods can still find a node.
    pub fn can_reach(self, need: i64) -> bool {
        let possible = self.scheduled.saturating_add(self.remaining);
        i64::try_from(possible).unwrap_or(i64::MAX) >= need
    }

    /// Returns the text about a group that cannot have so many pods.
    pub fn refusal(self, need: i64, rules: &ReleaseRules) -> String {
        let Progress {
            scheduled,
            unschedulable,
            remaining,
            ..
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

/// Returns what is behind [`GROUP_UNSEEN`].
pub fn behind_unseen(reason: &str) -> Message {
    message!(
        "pods.group-unseen-help",
        "the scheduler hides the reason behind an error of its own: {reason}",
        reason
    )
}

/// The reason of a group of which no pod finds a node, although it needs none (kube-scheduler 1.37, `schedule_one_podgroup.go`,
/// `errPodGroupUnschedulable`).
pub const NONE_SCHEDULED: &str = "pod group is unschedulable";

/// The message of preemption for a group if there is no pod of lower priority.
const NO_GROUP_VICTIMS: &str =
    "pod group preemption: No preemption victims found for incoming preemptor";
/// The message of the plugin for devices and of preemption for a group that preempts nobody.
const GROUP_NEVER_PREEMPTS: &str = "deallocation and deletion of ResourceClaims completed, pod group preemption: not eligible due to preemptionPolicy=Never.";

/// The error of the plugin for devices if it saw no pod of a group before the group failed (kube-scheduler 1.37, `dynamicresources.go`,
/// `PodGroupPostFilter`).
pub const GROUP_UNSEEN: &str =
    "error in \"DynamicResources\" PodGroupPostFilter plugins: not found";

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
