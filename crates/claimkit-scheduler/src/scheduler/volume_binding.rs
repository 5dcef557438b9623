//! Which volumes a pod gets on a node: the plugin VolumeBinding (kube-scheduler 1.37,
//! `pkg/scheduler/framework/plugins/volumebinding`).

use super::labels::PodLabelSelector;
use super::outcome::{Plugin, PluginRefusal, VolumeReason};
use super::pod_volumes::{PodVolumes, size_of_claim};
use super::prepared::Prepared;
use super::state::State;
use super::volume_index::VolumeState;
use crate::allocator::nodes::JudgedSelector;
use crate::allocator::objects::{
    CsiStorageCapacity, Node, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeFacts,
};
use crate::allocator::sorted::Sorted;
use crate::allocator::status::StatusCode;
use std::rc::Rc;

/// The provisioner of classes whose volumes are made by hand.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";
/// The mode of volumes that name none.
const FILESYSTEM: &str = "Filesystem";
/// The annotation of a claim with the node for which its volume is made.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// The best score of a node.
const BEST: i64 = 100;

/// The volumes that the claims of a pod get on a node.
#[derive(Debug, Default)]
pub struct VolumePlan {
    /// Claims with the volumes that they are bound to.
    bindings: Vec<Binding>,
    /// Claims for which volumes are made.
    provisions: Vec<Provision>,
}

#[derive(Clone, Copy, Debug)]
struct Binding {
    claim: usize,
    volume: usize,
}

#[derive(Clone, Copy, Debug)]
struct Provision {
    claim: usize,
    /// The storage that it is made from, where the driver says how much is left.
    capacity: Option<usize>,
}

/// What keeps a claim from a volume on a node.
#[derive(Clone, Debug)]
pub struct Obstacle {
    pub reason: VolumeReason,
    /// Index of the claim.
    pub claim: usize,
}

/// Returns what keeps the claims of a pod from their volumes on a node: the first of those that are bound, and of the others.
pub fn obstacles(
    prepared: &Prepared<'_>,
    state: &State,
    pod: &PodVolumes,
    node: usize,
) -> Vec<Obstacle> {
    let bound = check_bound(prepared, &state.volumes, pod, node).into_iter();
    let others = find(prepared, &state.volumes, pod, node).err();
    bound.chain(others).collect()
}

/// Finds the volumes of a pod on a node; `Err`: the plugin refuses the node.
pub fn plan(
    prepared: &Prepared<'_>,
    state: &State,
    pod: &PodVolumes,
    node: usize,
) -> Result<VolumePlan, PluginRefusal> {
    let mut reasons = Vec::new();
    let bound = check_bound(prepared, &state.volumes, pod, node);
    reasons.extend(bound.map(|obstacle| obstacle.reason));
    let found = find(prepared, &state.volumes, pod, node);
    match found {
        Ok(plan) if reasons.is_empty() => return Ok(plan),
        Ok(_) => {}
        Err(obstacle) => reasons.push(obstacle.reason),
    }
    // The plugin names what is wrong in this order.
    const ORDER: [VolumeReason; 4] = [
        VolumeReason::NodeAffinity,
        VolumeReason::NothingToBind,
        VolumeReason::TooLittleStorage,
        VolumeReason::NoVolume,
    ];
    let mut sorted = Vec::new();
    for reason in ORDER {
        if reasons.contains(&reason) {
            sorted.push(reason);
        }
    }
    Err(PluginRefusal::of_volumes(
        Plugin::VolumeBinding,
        StatusCode::UnschedulableAndUnresolvable,
        sorted,
    ))
}

/// Returns what is wrong with the volumes that are there.
fn check_bound(
    prepared: &Prepared<'_>,
    state: &VolumeState,
    pod: &PodVolumes,
    node: usize,
) -> Option<Obstacle> {
    pod.bound.iter().find_map(|claim| {
        let reason = match volume_of(prepared, state, *claim) {
            None => VolumeReason::NoVolume,
            Some(volume) if can_use(prepared, volume, node) => return None,
            Some(_) => VolumeReason::NodeAffinity,
        };
        Some(Obstacle {
            reason,
            claim: *claim,
        })
    })
}

/// Returns the volume of a claim that is bound.
pub fn volume_of(prepared: &Prepared<'_>, state: &VolumeState, claim: usize) -> Option<usize> {
    let index = &prepared.volumes;
    let name = &index.facts.claims.get(claim)?.spec.volume_name;
    state.bound(claim).or_else(|| index.volume(name))
}

/// Returns the nodes that can use a volume; `None`: all.
pub fn nodes_of<'p>(prepared: &'p Prepared<'_>, volume: usize) -> Option<&'p Rc<JudgedSelector>> {
    let index = &prepared.volumes;
    let judged = index.nodes.get(volume)?.get_or_init(|| {
        let required = index
            .facts
            .volumes
            .get(volume)?
            .spec
            .node_affinity
            .required
            .as_ref()?;
        let nodes = &prepared.facts.nodes;
        Some(prepared.cluster.judgements.of(required, nodes))
    });
    judged.as_ref()
}

/// Returns true if a node can use a volume.
fn can_use(prepared: &Prepared<'_>, volume: usize, node: usize) -> bool {
    nodes_of(prepared, volume)
        .is_none_or(|judged| judged.matches.get(node).copied().unwrap_or(false))
}

/// Finds volumes for the claims that have none: free ones, or ones that can be made.
fn find(
    prepared: &Prepared<'_>,
    state: &VolumeState,
    pod: &PodVolumes,
    node: usize,
) -> Result<VolumePlan, Obstacle> {
    let index = &prepared.volumes;
    let mut plan = VolumePlan::default();
    let mut to_make = Vec::new();
    let mut to_match = Vec::new();
    for at in &pod.delayed {
        match selected_node(prepared, state, *at) {
            None => to_match.push(*at),
            Some(selected) if is_node(prepared, node, selected) => to_make.push(*at),
            Some(_) => {
                return Err(Obstacle {
                    reason: VolumeReason::NothingToBind,
                    claim: *at,
                });
            }
        }
    }
    for at in to_match {
        let Some(claim) = index.facts.claims.get(at) else {
            continue;
        };
        let chosen: Vec<usize> = plan.bindings.iter().map(|one| one.volume).collect();
        match matching_volume(prepared, state, at, claim, node, &chosen) {
            Some(volume) => plan.bindings.push(Binding { claim: at, volume }),
            None => to_make.push(at),
        }
    }
    for at in to_make {
        let Some(claim) = index.facts.claims.get(at) else {
            continue;
        };
        let class = index
            .class(claim.class())
            .filter(|class| makes_volumes_for(class, prepared.facts.nodes.get(node)))
            .ok_or(Obstacle {
                reason: VolumeReason::NothingToBind,
                claim: at,
            })?;
        let capacity = capacity_for(prepared, class, claim, node)
            .map_err(|reason| Obstacle { reason, claim: at })?;
        plan.provisions.push(Provision {
            claim: at,
            capacity,
        });
    }
    Ok(plan)
}

/// Returns the name of the node for which the volume of a claim is made.
pub fn selected_node<'p>(
    prepared: &'p Prepared<'_>,
    state: &VolumeState,
    claim: usize,
) -> Option<&'p str> {
    let facts = prepared.facts;
    if let Some(node) = state.selected(claim).and_then(|at| facts.nodes.get(at)) {
        return Some(&node.metadata.name);
    }
    selected_by_annotation(facts.volumes.claims.get(claim)?)
}

/// Returns the node for which the volume of a claim is made, by the claim's own annotation.
fn selected_by_annotation(claim: &PersistentVolumeClaim) -> Option<&str> {
    claim
        .metadata
        .annotations
        .get(SELECTED_NODE)
        .map(String::as_str)
}

fn is_node(prepared: &Prepared<'_>, node: usize, name: &str) -> bool {
    let facts = prepared.facts.nodes.get(node);
    facts.is_some_and(|node| node.metadata.name == name)
}

/// Returns the smallest free volume for a claim on a node, or the one that waits for it (component-helpers, `FindMatchingVolume`).
/// `claim_index`: the claim's place among all; `chosen`: the volumes of the pod's other claims.
fn matching_volume(
    prepared: &Prepared<'_>,
    state: &VolumeState,
    claim_index: usize,
    claim: &PersistentVolumeClaim,
    node: usize,
    chosen: &[usize],
) -> Option<usize> {
    let index = &prepared.volumes;
    let mut best: Option<(i128, usize)> = None;
    for volume in index.of_class(claim.class()) {
        let Some(facts) = index.facts.volumes.get(*volume) else {
            continue;
        };
        if chosen.contains(volume) || !is_suitable(facts, claim) {
            continue;
        }
        let owner = state.taken(*volume);
        if owner == Some(claim_index) || (owner.is_none() && facts.is_for(claim)) {
            return can_use(prepared, *volume, node).then_some(*volume);
        }
        if owner.is_some() || facts.spec.claim_ref.is_some() {
            continue;
        }
        let is_free = facts.status.phase == "Available" && matches_claim(facts, claim);
        if !is_free || !can_use(prepared, *volume, node) {
            continue;
        }
        let size = facts.size().map_or(0, |size| size.nanos());
        if best.is_none_or(|(smallest, _)| size < smallest) {
            best = Some((size, *volume));
        }
    }
    best.map(|(_, volume)| volume)
}

/// Returns true if a volume is large enough, and of the mode that a claim asks for.
fn is_suitable(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let size = volume.size().map_or(0, |size| size.nanos());
    let has = &volume.spec;
    let asks = &claim.spec;
    size >= size_of_claim(claim)
        && mode(&has.volume_mode) == mode(&asks.volume_mode)
        && has.volume_attributes_class_name.as_deref().unwrap_or("")
            == asks.volume_attributes_class_name.as_deref().unwrap_or("")
        && volume.metadata.deletion_timestamp.is_none()
}

/// Returns true if a free volume has the labels and access modes that a claim asks for.
fn matches_claim(volume: &PersistentVolume, claim: &PersistentVolumeClaim) -> bool {
    let selector = claim.spec.selector.as_ref();
    let is_selected =
        selector.is_none() || PodLabelSelector::of(selector).matches(&volume.metadata.labels);
    let modes = &volume.spec.access_modes;
    is_selected
        && claim
            .spec
            .access_modes
            .iter()
            .all(|mode| modes.contains(mode))
}

fn mode(written: &Option<String>) -> &str {
    written.as_deref().unwrap_or(FILESYSTEM)
}

/// Returns true if a class makes volumes for no node.
pub fn makes_none(class: &StorageClass) -> bool {
    class.provisioner.is_empty() || class.provisioner == NO_PROVISIONER
}

/// Returns true if volumes of a class can be made for a node.
fn makes_volumes_for(class: &StorageClass, node: Option<&Rc<Node>>) -> bool {
    let Some(node) = node else { return false };
    if makes_none(class) {
        return false;
    }
    let terms = &class.allowed_topologies;
    terms.is_empty()
        || terms.iter().any(|term| {
            let requirements = &term.match_label_expressions;
            !requirements.is_empty()
                && requirements.iter().all(|one| {
                    let value = node.metadata.labels.get(&one.key);
                    value.is_some_and(|value| one.values.contains(value))
                })
        })
}

/// Returns the storage from which a volume can be made for a node; `None`: the driver does not say how much is left.
fn capacity_for(
    prepared: &Prepared<'_>,
    class: &StorageClass,
    claim: &PersistentVolumeClaim,
    node: usize,
) -> Result<Option<usize>, VolumeReason> {
    let is_counted = prepared
        .volumes
        .driver(&class.provisioner)
        .is_some_and(|driver| driver.spec.storage_capacity);
    let (Some(size), true) = (claim.size(), is_counted) else {
        return Ok(None);
    };
    let Some(there) = prepared.facts.nodes.get(node) else {
        return Ok(None);
    };
    let capacities = &prepared.volumes.facts.capacities;
    let found = capacities.iter().position(|one| {
        one.storage_class_name == class.metadata.name
            && largest(one).is_some_and(|most| most >= size.value())
            && PodLabelSelector::of(one.node_topology.as_ref()).matches(&there.metadata.labels)
    });
    found.map(Some).ok_or(VolumeReason::TooLittleStorage)
}

/// Returns the size of the largest volume that can be made.
fn largest(capacity: &CsiStorageCapacity) -> Option<i128> {
    let limit = capacity.maximum_volume_size.as_ref();
    limit
        .or(capacity.capacity.as_ref())
        .map(|most| most.value())
}

impl VolumePlan {
    /// Returns the claims for which volumes are made.
    pub fn to_provision(&self) -> impl Iterator<Item = usize> + '_ {
        self.provisions.iter().map(|one| one.claim)
    }

    /// Returns true if a claim gets a volume that is there.
    pub fn binds_any(&self) -> bool {
        !self.bindings.is_empty()
    }

    /// Does what was planned.
    pub fn carry_out(&self, state: &mut VolumeState, node: usize) {
        for binding in &self.bindings {
            state.bind(binding.claim, binding.volume);
        }
        for provision in &self.provisions {
            state.select(provision.claim, node);
        }
    }

    /// Scores the plan: the more of the storage is left, the better (gate StorageCapacityScoring).
    pub fn score(&self, facts: &VolumeFacts) -> i64 {
        let mut classes: Sorted<&str, Amounts> = Sorted::new();
        for binding in &self.bindings {
            let (Some(claim), Some(volume)) = (
                facts.claims.get(binding.claim),
                facts.volumes.get(binding.volume),
            ) else {
                continue;
            };
            let amounts = classes.entry(&volume.spec.storage_class_name);
            let capacity = volume.size().map_or(0, |size| size.value());
            amounts.requested = amounts.requested.saturating_add(wanted(claim));
            amounts.capacity = amounts.capacity.saturating_add(capacity);
        }
        if self.bindings.is_empty() {
            for provision in &self.provisions {
                let capacity = provision.capacity.and_then(|at| facts.capacities.get(at));
                let (Some(claim), Some(capacity)) = (facts.claims.get(provision.claim), capacity)
                else {
                    continue;
                };
                let amounts = classes.entry(claim.class());
                amounts.requested = amounts.requested.saturating_add(wanted(claim));
                amounts.capacity = capacity.capacity.as_ref().map_or(0, |most| most.value());
            }
        }
        let scores: Vec<i64> = classes.values().map(Amounts::score).collect();
        let sum = scores
            .iter()
            .fold(0i64, |sum, one| sum.saturating_add(*one));
        let Ok(count) = i64::try_from(scores.len()) else {
            return 0;
        };
        // Rounded to the nearest, halves up.
        sum.saturating_mul(2)
            .saturating_add(count)
            .checked_div(count.saturating_mul(2))
            .unwrap_or(0)
    }
}

fn wanted(claim: &PersistentVolumeClaim) -> i128 {
    claim.size().map_or(0, |size| size.value())
}

/// The storage of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Amounts {
    requested: i128,
    capacity: i128,
}

impl Amounts {
    fn score(&self) -> i64 {
        if self.requested > self.capacity {
            return 0;
        }
        let used = self
            .requested
            .saturating_mul(i128::from(BEST))
            .checked_div(self.capacity);
        let points = used.and_then(|used| i64::try_from(used).ok());
        points.map_or(0, |used| BEST.saturating_sub(used.max(0)))
    }
}
