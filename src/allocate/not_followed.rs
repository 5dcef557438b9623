//! Rules about groups of pods that are not followed: whether a pod of such a group gets a node is not known.

use super::not_given::{fits, was_stored};
use claimkit_model::message::{Message, message};
use claimkit_scheduler::allocator::objects::{Facts, Pod, PodGroup};
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::target::Target;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The release in which pods name a Workload.
const WITH_WORKLOADS: u8 = 35;

/// Makes pods unknown that get a node here, and belong to a group with rules that are not followed.
pub fn mark(accounts: &mut [PodAccount], facts: &Facts, target: Target) {
    let with_rule = |pod: &Rc<Pod>| {
        let rule = rule_of(pod, facts, target)?;
        Some((pod.metadata.full_name(), rule))
    };
    let rules: BTreeMap<String, Message> = facts.pods.iter().filter_map(with_rule).collect();
    for account in accounts.iter_mut().filter(|account| fits(account)) {
        let name = account.pod.as_deref().unwrap_or_default();
        if let Some(rule) = rules.get(name) {
            account.leave_open(rule.clone(), None);
        }
    }
}

/// Returns what is not followed of the group of a pod.
fn rule_of(pod: &Pod, facts: &Facts, target: Target) -> Option<Message> {
    if !pod.spec.node_name.is_empty() {
        return None;
    }
    if let Some(workload) = &pod.spec.workload_ref {
        // The server drops the field from new pods while the gate is off.
        let is_kept = was_stored(pod) || target.on("GenericWorkload");
        return (target.release.minor == WITH_WORKLOADS && is_kept).then(|| {
            message!(
                "pods.workload-not-followed",
                "not known, for groups of a Workload are not placed together here: it is of group {group} of {workload}",
                group = workload.pod_group,
                workload = workload.name
            )
        });
    }
    let name = pod.group_name()?;
    let mut groups = facts.pod_groups.iter();
    let group = groups.find(|group| {
        group.metadata.namespace == pod.metadata.namespace && group.metadata.name == name
    })?;
    let key = topology_key(group)?;
    Some(message!(
        "pods.topology-not-followed",
        "not known, for groups are not placed by topology here: PodGroup {group} wants nodes with one value of {key}",
        group = group.metadata.name,
        key
    ))
}

/// Returns the label of which the nodes of a group on a server have one value. The server drops the rule from new groups, unless a gate is
/// on that is not followed.
fn topology_key(group: &PodGroup) -> Option<&str> {
    if group.metadata.uid.is_empty() {
        return None;
    }
    let mut topology = group.spec.scheduling_constraints.topology.iter();
    Some(topology.next()?.key.as_str())
}
