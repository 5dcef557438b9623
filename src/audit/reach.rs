//! Devices that no node can use: those of invalid pools, of slices that no node sees, or only nodes that take no pods, and beside shared
//! counters.

use super::nodes::takes_no_pods;
use claimkit_scheduler::allocator::behaviour::{Completeness, Validity};
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt};
use claimkit_scheduler::allocator::features::Feature;
use claimkit_scheduler::allocator::nodes::NodeFields;
use claimkit_scheduler::allocator::objects::{Device, Slice};
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};

/// Tells which devices a node can use, as far as slices and the given nodes say.
pub struct Reach<'f> {
    /// The names of the given nodes that take pods.
    nodes: BTreeSet<&'f str>,
    /// By slice: a node can see it.
    slices: Vec<bool>,
}

impl<'f> Reach<'f> {
    /// Compares the slices with the nodes.
    pub fn of(cluster: &Cluster<'f>) -> Self {
        let nodes = cluster.facts.nodes.iter();
        let usable = nodes.filter(|node| !takes_no_pods(node));
        let mut reach = Reach {
            nodes: order::set(usable.map(|node| node.metadata.name.as_str())),
            slices: Vec::new(),
        };
        let slices = cluster.facts.slices.iter();
        reach.slices = slices.map(|slice| reach.sees(cluster, slice)).collect();
        reach
    }

    /// Returns true if a device is offered on a node.
    pub fn has(&self, cluster: &Cluster<'_>, at: DeviceAt) -> bool {
        let Some((slice, device)) = cluster.device(at) else {
            return true;
        };
        self.slices.get(at.slice).copied().unwrap_or(true)
            && (slice.spec.per_device_node_selection != Some(true)
                || self.selects(cluster, NodeFields::of_device(device)))
    }

    /// Returns true if the devices of a slice are offered on a node, or if they select nodes themselves.
    fn sees(&self, cluster: &Cluster<'_>, slice: &Slice) -> bool {
        let place = NodeFields::of_slice(&slice.spec);
        let is_placed = match place.is_set() {
            true => self.selects(cluster, place),
            false => slice.spec.per_device_node_selection == Some(true),
        };
        is_placed && !is_beside_counters(cluster, slice)
    }

    /// Returns true if a node is selected. Without nodes it is not known which there are.
    fn selects(&self, cluster: &Cluster<'_>, place: NodeFields<'_>) -> bool {
        let nodes = &cluster.facts.nodes;
        match (place.node_name, place.selector) {
            _ if !place.is_set() => false,
            _ if nodes.is_empty() => true,
            (Some(name), _) if !name.is_empty() => self.nodes.contains(name),
            _ if place.all_nodes => !self.nodes.is_empty(),
            (_, Some(selector)) => {
                let judged = cluster.judgements.of(selector, nodes);
                let mut judged = nodes.iter().zip(&judged.matches);
                judged.any(|(node, is_match)| {
                    *is_match && self.nodes.contains(node.metadata.name.as_str())
                })
            }
            _ => false,
        }
    }
}

/// Returns true if devices in a slice with counters are not offered (`structured/internal/*/pools.go`).
fn is_beside_counters(cluster: &Cluster<'_>, slice: &Slice) -> bool {
    !slice.spec.shared_counters.is_empty() && counters_are_apart(cluster)
}

fn counters_are_apart(cluster: &Cluster<'_>) -> bool {
    cluster.behaviour.counter_slices_apart && cluster.has(Feature::PartitionableDevices)
}

/// Returns true if nobody gets devices of a pool because the number of its slices is not the one that the first announces.
/// `slices`: those of its newest generation. Older releases use such a pool for ExactCount.
pub fn is_incomplete<'f>(
    cluster: &Cluster<'_>,
    slices: impl Iterator<Item = &'f Slice> + Clone,
) -> bool {
    let first = slices.clone().next();
    let have = i64::try_from(slices.count()).unwrap_or(i64::MAX);
    cluster.behaviour.completeness == Completeness::InCluster
        && first.is_some_and(|first| first.spec.pool.resource_slice_count != have)
}

/// Returns true if a pool is invalid on every node that sees its slices (`structured/internal/*/pools.go`, `poolIsInvalid`).
/// `slices`: those of its newest generation.
pub fn is_invalid<'f>(
    cluster: &Cluster<'f>,
    slices: impl Iterator<Item = &'f Slice> + Clone,
) -> bool {
    match cluster.behaviour.validity {
        Validity::Unchecked => false,
        Validity::Names => has_device_twice(cluster, slices),
        Validity::NamesAndCounters => {
            has_device_twice(cluster, slices.clone())
                || counters_are_apart(cluster) && has_wrong_counters(slices)
        }
    }
}

/// Returns true if a node that sees one of the slices sees two devices of one name.
fn has_device_twice<'f>(cluster: &Cluster<'f>, slices: impl Iterator<Item = &'f Slice>) -> bool {
    let mut seen: BTreeMap<&str, Vec<&Slice>> = BTreeMap::new();
    let mut devices = slices
        .filter(|slice| !is_beside_counters(cluster, slice))
        .flat_map(|slice| slice.spec.devices.iter().map(move |device| (slice, device)));
    devices.any(|(slice, device): (&Slice, &Device)| {
        let others = seen.entry(&device.name).or_default();
        let is_twice = others.iter().any(|other| are_seen_together(other, slice));
        others.push(slice);
        is_twice
    })
}

/// Returns true if every node that sees one slice sees the other, too. Slices whose devices select nodes are not compared.
fn are_seen_together(one: &Slice, other: &Slice) -> bool {
    let (mine, theirs) = (
        NodeFields::of_slice(&one.spec),
        NodeFields::of_slice(&other.spec),
    );
    mine.is_set()
        && mine.node_name == theirs.node_name
        && mine.all_nodes == theirs.all_nodes
        && mine.selector == theirs.selector
}

/// Returns true if a counter set is there twice, or a device consumes a counter that no set has.
fn has_wrong_counters<'f>(slices: impl Iterator<Item = &'f Slice> + Clone) -> bool {
    let mut sets = BTreeMap::new();
    let mut all = slices.clone().flat_map(|slice| &slice.spec.shared_counters);
    if all.any(|set| sets.insert(set.name.as_str(), &set.counters).is_some()) {
        return true;
    }
    let mut consumed = slices
        .flat_map(|slice| &slice.spec.devices)
        .flat_map(|device| &device.consumes_counters);
    consumed.any(|consumption| {
        let known = sets.get(consumption.counter_set.as_str());
        known.is_none_or(|known| {
            let mut counters = consumption.counters.keys();
            counters.any(|counter| !known.contains_key(counter))
        })
    })
}
