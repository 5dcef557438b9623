//! Resources of the node that devices take (gate DRANodeAllocatableResources, kube-scheduler 1.36,
//! `pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go`).

use super::amount::Amount;
use super::cluster::{Cluster, DeviceAt};
use super::demand::{self, DeviceDemand};
use super::footprint::{compare, counting};
use super::node_allocatable;
use super::objects::{Claim, NodeResource, NodeResourceClaim, Pod};
use super::results::{DeviceAllocation, DeviceResult};
use super::sorted::{Set, Sorted, ordered};
use super::status::StatusCode;
use claimkit_values::quantity::Notation;

pub use super::footprint::{Footprint, Need, Overhead, ResourceHelp, ResourceRefusal, Taken};

/// Refuses a second pod on a node for a claim whose devices take node resources (`validateNodeAllocatableDRAClaimSharing`). The
/// usage of other pods is read from their status.
pub fn shared(
    cluster: &Cluster<'_>,
    pod: &Pod,
    node: usize,
    claim: &Claim,
) -> Option<ResourceRefusal> {
    if cluster.behaviour.knows_1_37 {
        return node_allocatable::shared(cluster, pod, claim);
    }
    let name = &claim.metadata.name;
    let users: Vec<String> = counting(cluster, pod, node)
        .filter(|other| {
            let claims = &other.status.node_allocatable_resource_claim_statuses;
            other.metadata.namespace == pod.metadata.namespace
                && claims.iter().any(|used| used.resource_claim_name == *name)
        })
        .map(|other| other.metadata.full_name())
        .collect();
    let others: Vec<&str> = users
        .iter()
        .map(String::as_str)
        .filter(|user| *user != pod.metadata.full_name())
        .collect();
    let how = if users.len() > 1 {
        "shared by multiple pods"
    } else if others.len() == 1 {
        "is already used by another pod"
    } else {
        return None;
    };
    let reason = format!("node allocatable resource claim {name} {how}");
    let help = ResourceHelp::UsedBy(others.into_iter().map(str::to_owned).collect());
    Some(ResourceRefusal::new(
        StatusCode::UnschedulableAndUnresolvable,
        reason,
        Some(help),
    ))
}
/// Compares a pod's need with the node, devices included (`calculateAndCheckNodeAllocatableResources`). Only claims allocated in
/// this attempt count. `None`: none of their devices takes resources. Claims without a pod are treated as a pod with no other
/// requests.
pub fn check(
    cluster: &Cluster<'_>,
    pod: Option<&Pod>,
    node: usize,
    claims: &[&Claim],
    results: &[DeviceAllocation],
) -> Option<Footprint> {
    if cluster.behaviour.knows_1_37 {
        return node_allocatable::check(cluster, pod, node, claims, results);
    }
    let taking = claims_that_take(cluster, claims, results);
    if taking.is_empty() {
        return None;
    }
    let mut footprint = Footprint::default();
    for (claim, result) in &taking {
        if let Err(refusal) = take(cluster, claim, result, &mut footprint) {
            footprint.refusal = Some(refusal);
            return Some(footprint);
        }
    }
    let names: Set<String> = footprint
        .taken
        .iter()
        .map(|taken| taken.claim.clone())
        .collect();
    let taking: Vec<&Claim> = taking
        .iter()
        .map(|(claim, _)| *claim)
        .filter(|claim| names.contains(&claim.metadata.full_name()))
        .collect();
    if let Some(pod) = pod
        && let Some(unused) = taking.iter().find(|claim| !is_used(pod, claim))
    {
        footprint.refusal = Some(unused_claim(unused));
        return Some(footprint);
    }
    let nobody = Pod::default();
    let asking = pod.unwrap_or(&nobody);
    let devices = demand_of(&footprint.taken);
    (footprint.needs, footprint.refusal) = compare(cluster, asking, node, &devices, None);
    footprint.statuses = taking
        .iter()
        .map(|claim| status_of(claim, &footprint.taken))
        .collect();
    Some(footprint)
}

/// Returns the claims whose devices take resources of their node, by name. If a claim is named twice, only its last result counts.
fn claims_that_take<'c>(
    cluster: &Cluster<'_>,
    claims: &[&'c Claim],
    results: &'c [DeviceAllocation],
) -> Vec<(&'c Claim, &'c DeviceAllocation)> {
    let mut taking: Vec<(&Claim, &DeviceAllocation)> = Vec::new();
    for (at, (claim, result)) in claims.iter().zip(results).enumerate() {
        let (name, namespace) = (&claim.metadata.name, &claim.metadata.namespace);
        let mut later = claims.iter().skip(at.saturating_add(1));
        let is_named_again = later
            .any(|other| other.metadata.name == *name && other.metadata.namespace == *namespace);
        let mut devices = result.devices.results.iter();
        if !is_named_again && devices.any(|result| takes_resources(cluster, result)) {
            taking.push((claim, result));
        }
    }
    ordered(&taking, &|(a, _), (b, _)| {
        a.metadata.name.cmp(&b.metadata.name)
    })
}

fn unused_claim(claim: &Claim) -> ResourceRefusal {
    let name = &claim.metadata.name;
    let reason = format!(
        "claim {name}: node-allocatable resource claim not referenced by any container within the pod"
    );
    ResourceRefusal::new(StatusCode::UnschedulableAndUnresolvable, reason, None)
}

/// Returns what devices take of each resource.
fn demand_of(taken: &[Taken]) -> DeviceDemand<'_> {
    let mut devices = DeviceDemand::default();
    for taken in taken {
        let name = taken.resource.as_str();
        let sum = devices.fixed.get(name).copied().unwrap_or(0);
        devices.fixed.insert(name, sum.saturating_add(taken.amount));
    }
    devices
}

/// Returns true if the device that a claim gets takes resources of its node.
fn takes_resources(cluster: &Cluster<'_>, result: &DeviceResult) -> bool {
    device(cluster, &result.pool, &result.device, &mut None)
        .is_some_and(|(_, mappings)| !mappings.is_empty())
}

/// Returns what a claim's devices take, as 1.36 writes it into the status of its pod.
fn status_of(claim: &Claim, taken: &[Taken]) -> NodeResourceClaim {
    let full = claim.metadata.full_name();
    let mut sums: Sorted<String, i128> = Sorted::new();
    for taken in taken.iter().filter(|taken| taken.claim == full) {
        let sum = sums.entry(taken.resource.clone());
        *sum = sum.saturating_add(taken.amount);
    }
    NodeResourceClaim {
        resource_claim_name: claim.metadata.name.clone(),
        resources: sums
            .into_iter()
            .map(|(name, exact)| {
                let amount = Amount::of_nanos(demand::nanos_of(exact), Notation::Decimal);
                (name, amount)
            })
            .collect(),
        ..NodeResourceClaim::default()
    }
}
/// Returns true if a container uses the claim.
fn is_used(pod: &Pod, claim: &Claim) -> bool {
    let mut containers = pod.spec.init_containers.iter().chain(&pod.spec.containers);
    containers.any(|container| {
        let mut used = container.resources.claims.iter();
        used.any(|entry| pod.claim_of(&entry.name) == Some(claim.metadata.name.as_str()))
    })
}

/// Finds the first device with a pool and name, whatever its driver (`getDeviceFromManager`), and what it says of resources.
/// Where another says something else, both are noted.
fn device<'f>(
    cluster: &Cluster<'f>,
    pool: &str,
    name: &str,
    unclear: &mut Option<[DeviceAt; 2]>,
) -> Option<(DeviceAt, &'f Sorted<String, NodeResource>)> {
    let slices = cluster.slices_of_pools_named(pool).iter();
    let mut devices = slices
        .flat_map(|slice| cluster.devices_of(*slice))
        .filter(|(_, device)| device.name == name);
    let (at, first) = devices.next()?;
    let mappings = &first.node_allocatable_resource_mappings;
    let other = devices.find(|(_, device)| device.node_allocatable_resource_mappings != *mappings);
    if let (None, Some((other, _))) = (&unclear, other) {
        *unclear = Some([at, other]);
    }
    Some((at, mappings))
}

/// Returns the amounts that the devices of a claim consume (`buildNodeAllocatableDRAInfo`).
fn take(
    cluster: &Cluster<'_>,
    claim: &Claim,
    result: &DeviceAllocation,
    footprint: &mut Footprint,
) -> Result<(), ResourceRefusal> {
    let full = claim.metadata.full_name();
    for one in &result.devices.results {
        let Some((at, mappings)) = device(cluster, &one.pool, &one.device, &mut footprint.unclear)
        else {
            continue;
        };
        for (resource, mapping) in mappings.iter() {
            let multiplier = mapping.allocation_multiplier.clone();
            let key = mapping.capacity_key.as_ref().filter(|key| !key.is_empty());
            let (amount, capacity) = match key {
                None => (multiplier.as_ref().map_or(0, demand::exact), None),
                Some(key) if one.consumed_capacity.is_empty() => {
                    let reason = format!(
                        "claim {full}, device {}: ConsumedCapacity is nil, but Capacity key '{key}' is set in NodeAllocatableResourceMappings for resource {resource}",
                        one.device
                    );
                    return Err(ResourceRefusal::new(
                        StatusCode::Error,
                        reason,
                        Some(ResourceHelp::NotConsumed),
                    ));
                }
                Some(key) => {
                    let Some(consumed) = one.consumed_capacity.get(key) else {
                        continue;
                    };
                    let amount = multiplier.as_ref().map_or_else(
                        || demand::exact(consumed),
                        |by| demand::product(consumed, by),
                    );
                    (amount, Some((key.clone(), consumed.clone())))
                }
            };
            let (claim, device, resource) = (full.clone(), at, resource.clone());
            footprint.taken.push(Taken {
                claim,
                device,
                resource,
                amount,
                capacity,
                multiplier,
            });
        }
    }
    Ok(())
}
