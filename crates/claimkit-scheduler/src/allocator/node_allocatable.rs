//! Resources of the node that devices take since 1.37 (gate DRANodeAllocatableResources, kube-scheduler 1.37 and 1.38,
//! `pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go`).

use super::amount::Amount;
use super::cluster::{Cluster, DeviceAt};
use super::demand::{self, Amounts, DeviceDemand};
use super::footprint::{Footprint, ResourceHelp, ResourceRefusal, Taken, compare};
use super::identity::without_domain;
use super::nodes::NodeFields;
use super::objects::{
    AllocatedDevice, Claim, Device, MappedResource, NodeAllocatable, NodeMapping,
    NodeResourceClaim, OverheadResource, Pod, Slice,
};
use super::results::{DeviceAllocation, DeviceResult};
use super::sorted::Sorted;
use super::status::StatusCode;
use claimkit_values::order;
use std::borrow::Cow;

/// A device that a claim has.
struct Held<'c> {
    driver: &'c str,
    pool: &'c str,
    device: &'c str,
    consumed: Cow<'c, Sorted<String, Amount>>,
}

/// A device that a claim has, as a slice publishes it.
struct FoundDevice<'c> {
    held: &'c Held<'c>,
    at: DeviceAt,
    device: &'c Device,
}

impl<'c> From<&'c DeviceResult> for Held<'c> {
    fn from(result: &'c DeviceResult) -> Self {
        Held {
            driver: &result.driver,
            pool: &result.pool,
            device: &result.device,
            consumed: Cow::Borrowed(&result.consumed_capacity),
        }
    }
}

impl<'c> From<&'c AllocatedDevice> for Held<'c> {
    fn from(result: &'c AllocatedDevice) -> Self {
        let consumed = result.consumed_capacity.as_ref();
        Held {
            driver: &result.driver,
            pool: &result.pool,
            device: &result.device,
            consumed: consumed.map_or_else(|| Cow::Owned(Sorted::new()), Cow::Borrowed),
        }
    }
}

/// Refuses a claim of another pod whose devices stand for resources of the node (`validateNodeAllocatableDRAClaimSharing`).
pub(super) fn shared(cluster: &Cluster<'_>, pod: &Pod, claim: &Claim) -> Option<ResourceRefusal> {
    let is_mapped = claim.allocated_devices().iter().any(|result| {
        let found = find(cluster, &Held::from(result), None);
        found.is_some_and(|(_, device)| {
            let mut resources = device.node_allocatable_resources.values();
            resources.any(|resource| resource.mapping.is_some())
        })
    });
    let reserved = &claim.status.reserved_for;
    let own = reserved
        .iter()
        .any(|consumer| consumer.uid == pod.metadata.uid);
    let refuses = is_mapped && !reserved.is_empty() && !own;
    refuses.then(|| {
        let name = &claim.metadata.name;
        ResourceRefusal::new(
            StatusCode::UnschedulableAndUnresolvable,
            format!(
                "node allocatable resource claim {name} has a mapped device and cannot be shared across pods"
            ),
            None,
        )
    })
}

/// Finds a device among the slices that a node sees; without one among all. `None` too if the device itself is elsewhere.
fn find<'f>(
    cluster: &Cluster<'f>,
    held: &Held<'_>,
    node: Option<usize>,
) -> Option<(DeviceAt, &'f Device)> {
    let mut devices = cluster
        .slices_of_pool(held.driver, held.pool)
        .iter()
        .filter(|at| {
            cluster
                .slice(**at)
                .is_some_and(|slice| node.is_none_or(|node| sees(cluster, node, slice)))
        })
        .flat_map(|at| cluster.devices_of(*at));
    let (at, device) = devices.find(|(_, device)| device.name == held.device)?;
    let slice = cluster.slice(at.slice)?;
    let is_here = match node {
        Some(node) if slice.spec.per_device_node_selection == Some(true) => {
            has(cluster, NodeFields::of_device(device), node)
        }
        _ => true,
    };
    is_here.then_some((at, device))
}

/// Returns true if a node sees a slice, or may see devices of it.
fn sees(cluster: &Cluster<'_>, node: usize, slice: &Slice) -> bool {
    slice.spec.per_device_node_selection == Some(true)
        || has(cluster, NodeFields::of_slice(&slice.spec), node)
}

fn has(cluster: &Cluster<'_>, place: NodeFields<'_>, node: usize) -> bool {
    place
        .has(node, &cluster.facts.nodes, &cluster.judgements)
        .unwrap_or(false)
}

/// Compares a pod's need with the node, devices included (`calculateAndCheckNodeAllocatableResources`). `None`: none of the devices
/// takes resources.
pub(super) fn check(
    cluster: &Cluster<'_>,
    pod: Option<&Pod>,
    node: usize,
    claims: &[&Claim],
    results: &[DeviceAllocation],
) -> Option<Footprint> {
    let nobody = Pod::default();
    let asking = pod.unwrap_or(&nobody);
    let mut footprint = Footprint::default();
    let mut some_take = false;
    for (at, claim) in claims.iter().enumerate() {
        // If a claim is named twice, only the last result is kept.
        let mut later = claims.iter().skip(at.saturating_add(1));
        if later.any(|other| other.metadata.name == claim.metadata.name) {
            continue;
        }
        let held: Vec<Held<'_>> = match results.get(at) {
            Some(new) => new.devices.results.iter().map(Held::from).collect(),
            None => claim.allocated_devices().iter().map(Held::from).collect(),
        };
        let found: Vec<FoundDevice<'_>> = held
            .iter()
            .filter_map(|held| {
                let (at, device) = find(cluster, held, Some(node))?;
                Some(FoundDevice { held, at, device })
            })
            .collect();
        if found
            .iter()
            .all(|found| found.device.node_allocatable_resources.is_empty())
        {
            continue;
        }
        some_take = true;
        if let Err(refusal) = take(cluster, asking, claim, &found, &mut footprint) {
            footprint.refusal = Some(refusal);
            return Some(footprint);
        }
    }
    if !some_take {
        return None;
    }
    order::sort_by(&mut footprint.statuses, |a, b| {
        a.resource_claim_name.cmp(&b.resource_claim_name)
    });
    let statuses = std::mem::take(&mut footprint.statuses);
    let demand = DeviceDemand::of(&statuses);
    let demand = if cluster.behaviour.qualified_capacities {
        demand
    } else {
        demand.all_the_time()
    };
    let limits = exceeded_limit(asking, &statuses, &demand);
    (footprint.needs, footprint.refusal) = compare(cluster, asking, node, &demand, limits);
    footprint.statuses = statuses;
    Some(footprint)
}

/// Adds what the devices of a claim take (`buildNodeAllocatableDRAInfo`).
fn take(
    cluster: &Cluster<'_>,
    pod: &Pod,
    claim: &Claim,
    found: &[FoundDevice<'_>],
    footprint: &mut Footprint,
) -> Result<(), ResourceRefusal> {
    let full = claim.metadata.full_name();
    let mut mapped: Sorted<&str, Amount> = Sorted::new();
    let mut overheads: Sorted<&str, OverheadResource> = Sorted::new();
    for FoundDevice { held, at, device } in found {
        for (resource, NodeAllocatable { mapping, overhead }) in
            device.node_allocatable_resources.iter()
        {
            if let Some(mapping) = mapping
                && let Some(taken) = amount(cluster, &full, held, resource, mapping)?
            {
                let sum = mapped.entry(resource.as_str());
                *sum = sum.plus(&taken.amount);
                footprint.taken.push(Taken {
                    claim: full.clone(),
                    device: *at,
                    resource: resource.clone(),
                    amount: demand::exact(&taken.amount),
                    capacity: taken.capacity,
                    multiplier: mapping.capacity_multiplier.clone(),
                });
            }
            let Some(overhead) = overhead else { continue };
            if overhead.per_pod.is_none() && overhead.per_container.is_none() {
                continue;
            }
            let sum = overheads.entry(resource.as_str());
            resource.clone_into(&mut sum.name);
            more(&mut sum.per_pod, overhead.per_pod.as_ref());
            more(&mut sum.per_container, overhead.per_container.as_ref());
        }
    }
    if !mapped.is_empty() || !overheads.is_empty() {
        footprint.statuses.push(NodeResourceClaim {
            resource_claim_name: claim.metadata.name.clone(),
            resources: Sorted::new(),
            containers: users(pod, claim),
            mapping: mapped
                .into_iter()
                .map(|(name, amount)| MappedResource {
                    name: name.to_owned(),
                    quantity: Some(amount),
                })
                .collect(),
            overhead: overheads
                .into_iter()
                .map(|(_, overhead)| overhead)
                .collect(),
        });
    }
    Ok(())
}

fn more(sum: &mut Option<Amount>, amount: Option<&Amount>) {
    if let Some(amount) = amount {
        *sum = Some(match sum.as_ref() {
            Some(known) => known.plus(amount),
            None => amount.clone(),
        });
    }
}

/// An amount that a device takes of a resource.
struct TakenAmount {
    amount: Amount,
    /// The capacity that it comes from, with what is consumed of it.
    capacity: Option<(String, Amount)>,
}

/// Returns the amount that a device stands for (`addDeviceMapping`).
fn amount(
    cluster: &Cluster<'_>,
    claim: &str,
    held: &Held<'_>,
    resource: &str,
    mapping: &NodeMapping,
) -> Result<Option<TakenAmount>, ResourceRefusal> {
    let device = held.device;
    let Some(key) = mapping
        .capacity_key
        .as_deref()
        .filter(|key| !key.is_empty())
    else {
        return Ok(mapping.device_multiplier.clone().map(|amount| TakenAmount {
            amount,
            capacity: None,
        }));
    };
    if held.consumed.is_empty() {
        return Err(ResourceRefusal::new(
            StatusCode::Error,
            format!(
                "claim {claim}, device {device}: ConsumedCapacity is nil, but Capacity key '{key}' is set in NodeAllocatableResources for resource {resource}"
            ),
            Some(ResourceHelp::NotConsumed),
        ));
    }
    let qualified = cluster.behaviour.qualified_capacities;
    let consumed = if qualified {
        by_either_name(&held.consumed, key, held.driver)
    } else {
        held.consumed.get(key)
    };
    let Some(consumed) = consumed else {
        return Ok(None);
    };
    if qualified && consumed.nanos() < 0 {
        return Err(ResourceRefusal::new(
            StatusCode::Error,
            format!(
                "claim {claim}, device {device}: ConsumedCapacity for capacity key '{key}' must not be negative, got {}",
                consumed.text()
            ),
            None,
        ));
    }
    let amount = match &mapping.capacity_multiplier {
        Some(by) if by.nanos() != super::amount::UNIT => consumed.times(by),
        _ => consumed.clone(),
    };
    if qualified && amount.nanos() < 0 {
        return Err(ResourceRefusal::new(
            StatusCode::Error,
            format!(
                "claim {claim}, device {device}: computed node-allocatable footprint for resource {resource} must not be negative, got {}",
                amount.text()
            ),
            None,
        ));
    }
    Ok(Some(TakenAmount {
        amount,
        capacity: Some((key.to_owned(), consumed.clone())),
    }))
}

/// Looks a name up with the driver's domain first, then without (`api/qualifiedname.go`, `LookupByQualifiedName`).
fn by_either_name<'c>(
    consumed: &'c Sorted<String, Amount>,
    key: &str,
    driver: &str,
) -> Option<&'c Amount> {
    let plain = without_domain(driver, key);
    if plain == key && key.contains('/') {
        return consumed.get(key);
    }
    consumed
        .get(format!("{driver}/{plain}").as_str())
        .or_else(|| consumed.get(plain))
}

/// Returns the containers that use a claim, init containers first.
fn users(pod: &Pod, claim: &Claim) -> Vec<String> {
    let containers = pod.spec.init_containers.iter().chain(&pod.spec.containers);
    containers
        .flat_map(|container| {
            let uses =
                container.resources.claims.iter().filter(|entry| {
                    pod.claim_of(&entry.name) == Some(claim.metadata.name.as_str())
                });
            uses.map(|_| container.name.clone())
        })
        .collect()
}

fn is_huge_pages(resource: &str) -> bool {
    resource.starts_with("hugepages-")
}

/// Returns true if the pod as a whole has a limit for the resource, and the sum is above it.
fn exceeds_limit(pod: &Pod, resource: &str, sum: i128) -> bool {
    let limits = &pod.spec.resources.limits;
    limits
        .get(resource)
        .is_some_and(|limit| sum > demand::exact(limit))
}

fn unresolvable(reason: String) -> ResourceRefusal {
    ResourceRefusal::new(StatusCode::UnschedulableAndUnresolvable, reason, None)
}

/// Refuses pod-level limits that do not cover the containers and devices (`validatePodLevelResourcesCoverDRA`). Upstream names any of
/// several resources; the first by name is named here.
fn exceeded_limit(
    pod: &Pod,
    statuses: &[NodeResourceClaim],
    demand: &DeviceDemand<'_>,
) -> Option<ResourceRefusal> {
    if statuses.is_empty() {
        return None;
    }
    for (resource, sum) in demand::limits(pod, demand).iter() {
        if is_huge_pages(resource) && exceeds_limit(pod, resource, *sum) {
            return Some(unresolvable(format!(
                "pod level limit for {resource} is insufficient to cover the aggregated container and node-allocatable DRA limits"
            )));
        }
    }
    for container in &pod.spec.containers {
        let device_amounts = amounts_of_container(&container.name, statuses);
        for (resource, limit) in container.resources.limits.iter() {
            let of_devices = device_amounts.get(resource.as_str()).copied().unwrap_or(0);
            let sum = demand::exact(limit).saturating_add(of_devices);
            if !is_huge_pages(resource) && exceeds_limit(pod, resource, sum) {
                return Some(unresolvable(format!(
                    "pod level limit for {resource} is insufficient to cover the limit and DRA overhead for container {}",
                    container.name
                )));
            }
        }
    }
    None
}

/// Returns what the devices of a container take of the node's resources.
fn amounts_of_container<'s>(container: &str, statuses: &'s [NodeResourceClaim]) -> Amounts<'s> {
    let mut amounts = Amounts::new();
    for status in statuses {
        if !status.containers.iter().any(|name| name == container) {
            continue;
        }
        let of_claim = DeviceDemand::of(std::slice::from_ref(status));
        demand::add(&mut amounts, &of_claim.fixed);
        if let Some(per_container) = of_claim.per_container.get(container) {
            demand::add(&mut amounts, per_container);
        }
    }
    amounts
}
