//! What an answer about devices does not consider, as findings.

use super::question::Mode;
use super::simulation::{MOST_PODS, expand};
use super::target::Target;
use crate::finding::{self, Code, Origin};
use crate::place::device::facts::{Facts, Pod};

/// Returns findings about what the answer rests on: no slices, what it does not consider, taint rules without effect.
/// `gate_of_rules`: the gate without which taint rules have no effect, if it is off and there are any.
pub fn limits_of_answer(
    facts: &Facts,
    target: Target,
    mode: Mode,
    has_pending: bool,
    gate_of_rules: Option<&str>,
) -> impl Iterator<Item = finding::Finding> {
    let no_device = (facts.slices.is_empty() && has_pending)
        .then(|| finding::Finding::new(Code::NothingChecked, Origin::Claimkit, "no ResourceSlice is given: no device is known"));
    let unseen = match mode {
        Mode::Alone => not_looked_at(facts, target.on("DRANodeAllocatableResources"), target.on("DRAWorkloadResourceClaims")),
        Mode::InTurn => not_known(facts),
    };
    let rules = gate_of_rules.map(|gate| {
        let message =
            format!("the DeviceTaintRules have no effect: the feature gate {gate} is off in kube-scheduler {}", target.release);
        finding::Finding::new(Code::PlacementNotModelled, Origin::Claimkit, message)
    });
    no_device.into_iter().chain([unseen]).chain(rules)
}

/// Returns the note about what the answer does not consider. `node_resources`: node resources taken by devices are considered.
/// `groups`: pod groups may have claims.
fn not_looked_at(facts: &Facts, node_resources: bool, groups: bool) -> finding::Finding {
    let mut devices = facts.slices.iter().flat_map(|slice| &slice.spec.devices);
    let taken = node_resources && devices.any(|device| !device.node_allocatable_resource_mappings.is_empty());
    let (resources, pods) = match taken {
        true => ("taints of nodes, their resources where no device takes of them", "; pods that are not given here take none"),
        false => ("taints and resources of nodes", ""),
    };
    let grouped = groups && facts.pods.iter().any(|pod| pod.spec.scheduling_group.is_some());
    let groups = if grouped { "claims of pod groups (DRAWorkloadResourceClaims), " } else { "" };
    let message = format!(
        "not looked at: {groups}{resources}, affinity and other plugins of the scheduler; devices of claims that are not given here count as free{pods}"
    );
    finding::Finding::new(Code::PlacementNotModelled, Origin::Claimkit, message)
}

/// Returns the note about what the scheduler knows and the objects do not say, when pods are placed in turn.
fn not_known(facts: &Facts) -> finding::Finding {
    let waiting = || facts.pods.iter().filter(|pod| pod.spec.node_name.is_empty());
    let any = |has: &dyn Fn(&Pod) -> bool| waiting().any(|pod| has(pod));
    let volume = |pod: &Pod| {
        let mut volumes = pod.spec.volumes.iter();
        volumes.any(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some())
    };
    let overhead = |pod: &Pod| pod.spec.runtime_class_name.is_some() && pod.spec.overhead.is_empty();
    let unreported = facts.nodes.iter().any(|node| !node.status.allocatable.contains_key("cpu"));
    let parts = [
        (any(&volume), "volumes, and the nodes that can use them"),
        (any(&overhead), "the overhead of RuntimeClasses"),
        (unreported, "cpu, memory and pods of nodes without status.allocatable"),
        (true, "images on nodes"),
        (true, "other profiles and extenders of the scheduler"),
    ];
    let unknown: Vec<&str> = parts.iter().filter(|(is, _)| *is).map(|(_, text)| *text).collect();
    let message = format!(
        "not known, and not considered: {}; devices of claims and resources of pods that are not given here count as free",
        unknown.join(", ")
    );
    finding::Finding::new(Code::PlacementNotModelled, Origin::Claimkit, message)
}

/// Returns the finding about a workload that has more pods than are placed.
pub fn find_pods_left_out(expanded: &expand::Expanded) -> Option<finding::Finding> {
    let expand::Expanded { kind, name, wanted, made } = expanded;
    (made < wanted).then(|| {
        let message = format!("{kind} `{name}`: {made} of {wanted} pods are placed; at most {MOST_PODS} pods of workloads are");
        finding::Finding::warning(Code::PlacementNotModelled, Origin::Claimkit, message)
    })
}
