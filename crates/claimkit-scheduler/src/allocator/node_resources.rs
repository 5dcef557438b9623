//! Resources of the node that devices take (gate DRANodeAllocatableResources, kube-scheduler 1.36,
//! `pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go`).

use super::amount::{Amount, UNIT, spell};
use super::cluster::{Cluster, DeviceAt};
use super::demand::{self, Amounts, DeviceDemand, Level};
use super::node_allocatable;
use super::objects::{Claim, NodeResource, NodeResourceClaim, Pod};
use super::results::{DeviceAllocation, DeviceResult};
use super::sorted::{Set, Sorted, ordered};
use super::status::{FrameworkStatus, StatusCode};
use claimkit_model::message::{Message, message};
use claimkit_values::quantity::Notation;

/// Maximum number of pods that are named as users of a resource.
const MOST_PODS: usize = 5;

/// The check of a node against the resources that a pod's devices take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Footprint {
    /// Why the node is rejected; `None` if it is not.
    pub refusal: Option<ResourceRefusal>,
    /// The amount that each device consumes.
    pub taken: Vec<Taken>,
    /// The compared resources, in the scheduler's order.
    pub needs: Vec<Need>,
    /// Two devices of the same pool and name with different resources; the scheduler may read either.
    pub unclear: Option<[DeviceAt; 2]>,
    /// What the scheduler gives the pod's status: what its claims take of the node.
    pub statuses: Vec<NodeResourceClaim>,
}

/// A status, and what the message leaves out.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceRefusal {
    pub status: FrameworkStatus,
    pub help: Option<ResourceHelp>,
}

impl ResourceRefusal {
    pub(super) fn new(code: StatusCode, reason: String, help: Option<ResourceHelp>) -> Self {
        ResourceRefusal {
            status: FrameworkStatus::new(code, reason),
            help,
        }
    }
}

/// The advice on a refusal, which its message does not have.
#[derive(Clone, Debug, PartialEq)]
pub enum ResourceHelp {
    /// These pods use the claim on the node.
    UsedBy(Vec<String>),
    /// Only a device that may be shared has consumed capacity.
    NotConsumed,
    /// The amount of the pod, and that of its containers and devices.
    TooLittle {
        pod: String,
        parts: String,
        overhead: Overhead,
    },
    /// The Node of this name is given without the resources that its kubelet reports.
    NoAllocatable(String),
}

/// Whether a pod has overhead, which amounts include.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overhead {
    Included,
    Nothing,
}

impl ResourceHelp {
    /// Returns it in our words.
    pub fn text(&self) -> Message {
        match self {
            ResourceHelp::UsedBy(pods) => {
                message!(
                    "device.claim-used-on-node",
                    "used on this node by {pods}",
                    pods = pods.join(", ")
                )
            }
            ResourceHelp::NotConsumed => message!(
                "device.capacity-not-consumed",
                "only a device with allowMultipleAllocations has consumed capacity"
            ),
            ResourceHelp::TooLittle {
                pod,
                parts,
                overhead: Overhead::Nothing,
            } => {
                message!(
                    "device.pod-request-too-small",
                    "{pod} for the pod, {parts} for containers and devices",
                    pod,
                    parts
                )
            }
            ResourceHelp::TooLittle {
                pod,
                parts,
                overhead: Overhead::Included,
            } => message!(
                "device.pod-request-too-small-overhead",
                "{pod} for the pod, {parts} for containers and devices, overhead included",
                pod,
                parts
            ),
            ResourceHelp::NoAllocatable(node) => {
                message!(
                    "device.node-without-allocatable",
                    "Node {node} is given without status.allocatable",
                    node
                )
            }
        }
    }
}

/// The amount of a resource that a device consumes.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    pub claim: String,
    /// The device that says so.
    pub device: DeviceAt,
    pub resource: String,
    /// How much, in 10⁻¹⁸ of a unit.
    pub amount: i128,
    /// The capacity that counts, and what is charged of it.
    pub capacity: Option<(String, Amount)>,
    /// The multiplier of the amount.
    pub multiplier: Option<Amount>,
}

impl Taken {
    /// Returns the nanos of the resource for a unit of the capacity.
    pub fn by(&self) -> i128 {
        self.multiplier.as_ref().map_or(UNIT, Amount::nanos)
    }
}

/// A resource that the pod needs. Amounts are as the scheduler counts: see [`demand::counted`].
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    pub resource: String,
    /// The pod's request, devices included.
    pub requested: i128,
    /// The amount used by pods on the node.
    pub used: i128,
    /// The node's allocatable amount.
    pub allocatable: i128,
    /// Pods that have most of it.
    pub pods: Vec<(String, i128)>,
}

impl Need {
    /// Returns true if too little of a resource is left.
    pub fn is_short(&self) -> bool {
        self.requested > self.allocatable.saturating_sub(self.used)
    }

    /// Returns the nanos that are missing.
    pub fn missing(&self) -> i128 {
        demand::nanos(
            &self.resource,
            self.requested
                .saturating_add(self.used)
                .saturating_sub(self.allocatable)
                .max(0),
        )
    }

    /// Writes an amount of this resource as a person does.
    pub fn spell(&self, counted: i128) -> String {
        spell(demand::nanos(&self.resource, counted))
    }
}

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
    let uses = |other: &&Pod| {
        let claims = &other.status.node_allocatable_resource_claim_statuses;
        other.metadata.namespace == pod.metadata.namespace
            && claims.iter().any(|used| used.resource_claim_name == *name)
    };
    let users: Vec<String> = counting(cluster, pod, node)
        .filter(uses)
        .map(|other| other.metadata.full_name())
        .collect();
    let others: Vec<&str> = users
        .iter()
        .map(String::as_str)
        .filter(|user| *user != pod.metadata.full_name())
        .collect();
    let how = match (users.as_slice(), others.as_slice()) {
        ([_, _, ..], _) => "shared by multiple pods",
        (_, [_]) => "is already used by another pod",
        _ => return None,
    };
    let reason = format!("node allocatable resource claim {name} {how}");
    let help = ResourceHelp::UsedBy(others.into_iter().map(str::to_owned).collect());
    Some(ResourceRefusal::new(
        StatusCode::UnschedulableAndUnresolvable,
        reason,
        Some(help),
    ))
}

/// Returns the pods that count on a node: those that run there, and those nominated for it with at least this pod's priority
/// (`addGENominatedPods`). Pods that have ended do not count.
fn counting<'c>(cluster: &'c Cluster<'_>, pod: &Pod, node: usize) -> impl Iterator<Item = &'c Pod> {
    let name = cluster
        .facts
        .nodes
        .get(node)
        .map_or("", |node| node.metadata.name.as_str());
    let priority = pod.spec.effective_priority();
    let assumed = &cluster.assumed;
    let is_assumed = |pod: &Pod| {
        assumed.iter().any(|other| {
            (&other.metadata.namespace, &other.metadata.name)
                == (&pod.metadata.namespace, &pod.metadata.name)
        })
    };
    let given = cluster.pods_on(name).filter(move |pod| !is_assumed(pod));
    let placed = assumed.iter().filter(move |pod| pod.spec.node_name == name);
    given
        .chain(placed)
        .map(|other| &**other)
        .filter(move |other| {
            let runs =
                !other.spec.node_name.is_empty() || other.spec.effective_priority() >= priority;
            runs && !matches!(other.status.phase.as_str(), "Succeeded" | "Failed")
        })
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
    let mut footprint = Footprint::default();
    let mut mapped: Vec<(&Claim, &DeviceAllocation)> = Vec::new();
    for (at, (claim, result)) in claims.iter().zip(results).enumerate() {
        // If a claim is named twice, only the last result is kept.
        let (name, namespace) = (&claim.metadata.name, &claim.metadata.namespace);
        let is_same =
            |other: &&Claim| other.metadata.name == *name && other.metadata.namespace == *namespace;
        let again = claims.iter().skip(at.saturating_add(1)).any(is_same);
        let maps = |one: &DeviceResult| {
            let found = device(cluster, &one.pool, &one.device, &mut None);
            found.is_some_and(|(_, mappings)| !mappings.is_empty())
        };
        if !again && result.devices.results.iter().any(maps) {
            mapped.push((claim, result));
        }
    }
    if mapped.is_empty() {
        return None;
    }
    let mapped = ordered(&mapped, &|(a, _), (b, _)| {
        a.metadata.name.cmp(&b.metadata.name)
    });
    for (claim, result) in &mapped {
        if let Err(refusal) = take(cluster, claim, result, &mut footprint) {
            footprint.refusal = Some(refusal);
            return Some(footprint);
        }
    }
    let nobody = Pod::default();
    let asking = pod.unwrap_or(&nobody);
    let full: Set<String> = footprint
        .taken
        .iter()
        .map(|taken| taken.claim.clone())
        .collect();
    let takes = |claim: &Claim| full.contains(&claim.metadata.full_name());
    let unused = mapped
        .iter()
        .map(|(claim, _)| *claim)
        .find(|claim| pod.is_some() && takes(claim) && !is_used(asking, claim));
    if let Some(claim) = unused {
        let name = &claim.metadata.name;
        let reason = format!(
            "claim {name}: node-allocatable resource claim not referenced by any container within the pod"
        );
        footprint.refusal = Some(ResourceRefusal::new(
            StatusCode::UnschedulableAndUnresolvable,
            reason,
            None,
        ));
        return Some(footprint);
    }
    let mut devices = DeviceDemand::default();
    for taken in &footprint.taken {
        let name = taken.resource.as_str();
        let sum = devices.fixed.get(name).copied().unwrap_or(0);
        devices.fixed.insert(name, sum.saturating_add(taken.amount));
    }
    (footprint.needs, footprint.refusal) = compare(cluster, asking, node, &devices, None);
    footprint.statuses = mapped
        .iter()
        .filter(|(claim, _)| takes(claim))
        .map(|(claim, _)| status_of(claim, &footprint.taken))
        .collect();
    Some(footprint)
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

/// Compares a pod's need, with what its devices take, with the pod's own requests and the node.
pub(super) fn compare(
    cluster: &Cluster<'_>,
    pod: &Pod,
    node: usize,
    devices: &DeviceDemand<'_>,
    limits: Option<ResourceRefusal>,
) -> (Vec<Need>, Option<ResourceRefusal>) {
    let requested = demand::of_waiting(pod, devices, Level::Pod);
    let parts = demand::of_waiting(pod, devices, Level::Containers);
    if let Some(refusal) = too_little(pod, &requested, &parts).or(limits) {
        return (Vec::new(), Some(refusal));
    }
    let needs = needs(cluster, pod, node, &requested);
    let refusal = insufficient(&needs).map(|refusal| ResourceRefusal {
        help: no_allocatable(cluster, node),
        ..refusal
    });
    (needs, refusal)
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

/// Refuses pod-level requests that do not cover the containers and devices (`validatePodLevelRequestsCoverDRA`). Upstream names
/// any of several resources; the first by name is named here.
fn too_little(pod: &Pod, requested: &Amounts<'_>, parts: &Amounts<'_>) -> Option<ResourceRefusal> {
    let lacks =
        |(name, amount): &(&&str, &i128)| parts.get(*name).is_some_and(|parts| parts > *amount);
    let (name, amount) = requested.iter().find(lacks)?;
    let reason = format!(
        "pod level request for {name} is insufficient to cover the aggregated container and node-allocatable DRA requests"
    );
    let overhead = if pod.spec.overhead.is_empty() {
        Overhead::Nothing
    } else {
        Overhead::Included
    };
    let show = |exact: i128| spell(demand::nanos_of(exact));
    let parts = parts.get(*name).copied().unwrap_or(0);
    let help = ResourceHelp::TooLittle {
        pod: show(*amount),
        parts: show(parts),
        overhead,
    };
    Some(ResourceRefusal::new(
        StatusCode::UnschedulableAndUnresolvable,
        reason,
        Some(help),
    ))
}

/// Returns the compared resources with requests, usage and capacity.
fn needs(cluster: &Cluster<'_>, pod: &Pod, node: usize, requested: &Amounts<'_>) -> Vec<Need> {
    let hugepages = requested
        .keys()
        .copied()
        .filter(|name| name.starts_with("hugepages-"));
    let compared: Vec<&str> = ["cpu", "memory", "ephemeral-storage"]
        .into_iter()
        .chain(hugepages)
        .collect();
    let name = pod.metadata.full_name();
    let others = counting(cluster, pod, node).filter(|other| other.metadata.full_name() != name);
    let placed: Vec<(&Pod, Amounts<'_>)> = others
        .map(|other| (other, demand::of_placed(other)))
        .collect();
    let allocatable = cluster
        .facts
        .nodes
        .get(node)
        .map(|node| &node.status.allocatable);
    let mut list = Vec::new();
    for resource in compared {
        let requested = demand::counted(resource, requested.get(resource).copied().unwrap_or(0));
        if requested == 0 && !resource.starts_with("hugepages-") {
            continue;
        }
        let of = |amounts: &Amounts<'_>| {
            demand::counted(resource, amounts.get(resource).copied().unwrap_or(0))
        };
        let users: Vec<(&str, &str, i128)> = placed
            .iter()
            .map(|(pod, amounts)| {
                (
                    pod.metadata.namespace.as_str(),
                    pod.metadata.name.as_str(),
                    of(amounts),
                )
            })
            .filter(|(.., amount)| *amount > 0)
            .collect();
        let used = users
            .iter()
            .fold(0, |sum: i128, (.., amount)| sum.saturating_add(*amount));
        let users = ordered(&users, &|(.., a), (.., b)| b.cmp(a));
        let pods = users
            .into_iter()
            .take(MOST_PODS)
            .map(|(namespace, name, amount)| (format!("{namespace}/{name}"), amount));
        let there = allocatable
            .and_then(|amounts| amounts.get(resource))
            .map_or(0, demand::exact);
        let (allocatable, pods) = (demand::counted(resource, there), pods.collect());
        list.push(Need {
            resource: resource.to_owned(),
            requested,
            used,
            allocatable,
            pods,
        });
    }
    list
}

/// Returns the help for a node that is given without the resources that its kubelet reports.
fn no_allocatable(cluster: &Cluster<'_>, node: usize) -> Option<ResourceHelp> {
    let node = cluster
        .facts
        .nodes
        .get(node)
        .filter(|node| node.status.allocatable.is_empty())?;
    Some(ResourceHelp::NoAllocatable(node.metadata.name.clone()))
}

/// Returns the status about what is short (`nodeFitsResources`).
fn insufficient(needs: &[Need]) -> Option<ResourceRefusal> {
    let short: Vec<&Need> = needs.iter().filter(|need| need.is_short()).collect();
    let too_large = short.iter().any(|need| need.requested > need.allocatable);
    let code = if too_large {
        StatusCode::UnschedulableAndUnresolvable
    } else {
        StatusCode::Unschedulable
    };
    let reasons: Vec<String> = short
        .iter()
        .map(|need| format!("Insufficient {}", need.resource))
        .collect();
    (!reasons.is_empty()).then_some(ResourceRefusal {
        status: FrameworkStatus { code, reasons },
        help: None,
    })
}
