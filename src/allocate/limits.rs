//! What an answer about devices does not consider, as findings.

use super::question::PlacementMode;
use claimkit_model::finding::{self, Code};
use claimkit_model::message::{message, template};
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::scheduler::{MOST_PODS, expand};
use claimkit_scheduler::target::Target;

/// A gate that is off in an answer.
#[derive(Clone, Copy, Debug)]
pub struct GateOff {
    /// Its name.
    pub gate: &'static str,
    /// It is off in the cluster, too: the gates of the cluster are given, or the release has no such gate. Otherwise it is off by default.
    pub is_known: bool,
}

/// Returns findings about what the answer rests on: no slices, what it does not consider, taint rules without effect.
/// `gate_of_rules`: the gate without which taint rules have no effect, if it is off and there are any.
pub fn limits_of_answer(
    facts: &Facts,
    target: Target,
    mode: PlacementMode,
    has_pending: bool,
    gate_of_rules: Option<GateOff>,
) -> impl Iterator<Item = finding::Finding> {
    let no_device = (facts.slices.is_empty() && has_pending).then(|| {
        finding::Finding::new(
            Code::NothingChecked,
            message!(
                "schedule.no-slices",
                "no ResourceSlice is given: no device is known"
            ),
        )
    });
    let unseen = match mode {
        PlacementMode::Alone => not_looked_at(facts, target),
        PlacementMode::InTurn => not_known(facts),
    };
    let rules = gate_of_rules.map(|gate| rules_without_effect(gate, target));
    no_device.into_iter().chain([unseen]).chain(rules)
}

/// Returns the finding about taint rules whose gate is off.
fn rules_without_effect(off: GateOff, target: Target) -> finding::Finding {
    let (gate, release) = (off.gate, target.release);
    let problem = match off.is_known {
        true => message!(
            "schedule.taint-rules-off",
            "the DeviceTaintRules have no effect: the feature gate {gate} is off in kube-scheduler {release}",
            gate,
            release
        ),
        false => message!(
            "schedule.taint-rules-assumed-off",
            "the DeviceTaintRules have no effect while the feature gate {gate} is off, as it is in kube-scheduler {release} by default; the answer assumes that it is",
            gate,
            release
        ),
    };
    finding::Finding::new(Code::PlacementNotModelled, problem)
}

/// Returns the note about what the answer does not consider.
fn not_looked_at(facts: &Facts, target: Target) -> finding::Finding {
    let mut devices = facts.slices.iter().flat_map(|slice| &slice.spec.devices);
    let taken = target.on("DRANodeAllocatableResources")
        && devices.any(|device| device.takes_node_resources());
    let grouped = target.on("DRAWorkloadResourceClaims")
        && facts
            .pods
            .iter()
            .any(|pod| pod.spec.scheduling_group.is_some());
    let message = match (grouped, taken) {
        (false, false) => message!(
            "schedule.not-looked-at",
            "not looked at: taints and resources of nodes, affinity and other plugins of the scheduler; devices of claims that are not given here count as free"
        ),
        (false, true) => message!(
            "schedule.not-looked-at-but-resources",
            "not looked at: taints of nodes, their resources where no device takes of them, affinity and other plugins of the scheduler; devices of claims that are not given here count as free; pods that are not given here take none"
        ),
        (true, false) => message!(
            "schedule.groups-not-looked-at",
            "not looked at: claims of pod groups (DRAWorkloadResourceClaims), taints and resources of nodes, affinity and other plugins of the scheduler; devices of claims that are not given here count as free"
        ),
        (true, true) => message!(
            "schedule.groups-not-but-resources",
            "not looked at: claims of pod groups (DRAWorkloadResourceClaims), taints of nodes, their resources where no device takes of them, affinity and other plugins of the scheduler; devices of claims that are not given here count as free; pods that are not given here take none"
        ),
    };
    finding::Finding::new(Code::PlacementNotModelled, message)
}

/// Returns the note about what the scheduler knows and the objects do not say, when pods are placed in turn.
fn not_known(facts: &Facts) -> finding::Finding {
    let waiting = facts
        .pods
        .iter()
        .filter(|pod| pod.spec.node_name.is_empty());
    let (mut has_volume_claims, mut has_overhead) = (false, false);
    for pod in waiting {
        let mut volumes = pod.spec.volumes.iter();
        has_volume_claims |= volumes
            .any(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some());
        has_overhead |= pod.spec.runtime_class_name.is_some() && pod.spec.overhead.is_empty();
    }
    let unreported = facts
        .nodes
        .iter()
        .any(|node| !node.status.allocatable.contains_key("cpu"));
    let parts = [
        (
            has_volume_claims && !facts.volumes.are_given(),
            template!(
                "schedule.volumes",
                "volumes, and the nodes that can use them"
            ),
        ),
        (
            has_overhead,
            template!("schedule.overhead", "the overhead of RuntimeClasses"),
        ),
        (
            unreported,
            template!(
                "schedule.unreported",
                "cpu, memory and pods of nodes without status.allocatable"
            ),
        ),
        (true, template!("schedule.images", "images on nodes")),
        (
            true,
            template!(
                "schedule.other-profiles",
                "other profiles and extenders of the scheduler"
            ),
        ),
    ];
    let unknown = parts
        .iter()
        .filter(|(is, _)| *is)
        .map(|(_, part)| part.text())
        .reduce(|first, rest| message!("schedule.not-known-list", "{first}, {rest}", first, rest));
    finding::Finding::new(
        Code::PlacementNotModelled,
        message!(
            "schedule.not-known",
            "not known, and not considered: {unknown}; devices of claims and resources of pods that are not given here count as free",
            unknown = unknown.unwrap_or_default()
        ),
    )
}

/// Returns the finding about a workload that has more pods than are placed.
pub fn find_pods_left_out(expanded: &expand::Expanded) -> Option<finding::Finding> {
    let expand::Expanded {
        kind,
        name,
        wanted,
        made,
        ..
    } = expanded;
    (made < wanted).then(|| {
        let message = message!(
            "schedule.pods-left-out",
            "{kind} `{name}`: {made} of {wanted} pods are placed; at most {most} pods of workloads are",
            kind,
            name,
            made,
            wanted,
            most = MOST_PODS
        );
        finding::Finding::warning(Code::PlacementNotModelled, message)
    })
}
