//! What devices take of the resources of a node, and whether the node has that: the parts that all releases share (gate
//! DRANodeAllocatableResources).

use super::amount::{Amount, UNIT, spell};
use super::cluster::{Cluster, DeviceAt};
use super::demand::{self, Amounts, DeviceDemand, Level};
use super::objects::{NodeResourceClaim, Pod};
use super::sorted::ordered;
use super::status::{FrameworkStatus, StatusCode};
use claimkit_model::message::{Message, message};

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

/// Returns the pods that count on a node: those that run there, and those nominated for it with at least this pod's priority
/// (`addGENominatedPods`). Pods that have ended do not count.
pub(super) fn counting<'c>(
    cluster: &'c Cluster<'_>,
    pod: &Pod,
    node: usize,
) -> impl Iterator<Item = &'c Pod> {
    let name = cluster
        .facts
        .nodes
        .get(node)
        .map_or("", |node| node.metadata.name.as_str());
    let priority = pod.spec.effective_priority();
    let assumed = &cluster.assumed;
    let given = cluster.pods_on(name).filter(|pod| {
        !assumed.iter().any(|other| {
            (&other.metadata.namespace, &other.metadata.name)
                == (&pod.metadata.namespace, &pod.metadata.name)
        })
    });
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
    let compared = needs(cluster, pod, node, &requested);
    let refusal = insufficient(&compared).map(|refusal| ResourceRefusal {
        help: no_allocatable(cluster, node),
        ..refusal
    });
    (compared, refusal)
}

/// Refuses pod-level requests that do not cover the containers and devices (`validatePodLevelRequestsCoverDRA`). Upstream names
/// any of several resources; the first by name is named here.
fn too_little(pod: &Pod, requested: &Amounts<'_>, parts: &Amounts<'_>) -> Option<ResourceRefusal> {
    let (name, amount) = requested
        .iter()
        .find(|(name, amount)| parts.get(**name).is_some_and(|parts| parts > *amount))?;
    let reason = format!(
        "pod level request for {name} is insufficient to cover the aggregated container and node-allocatable DRA requests"
    );
    let overhead = if pod.spec.overhead.is_empty() {
        Overhead::Nothing
    } else {
        Overhead::Included
    };
    let of_parts = parts.get(*name).copied().unwrap_or(0);
    let help = ResourceHelp::TooLittle {
        pod: spell(demand::nanos_of(*amount)),
        parts: spell(demand::nanos_of(of_parts)),
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
    let placed: Vec<PlacedPod<'_>> = others
        .map(|pod| PlacedPod {
            pod,
            amounts: demand::of_placed(pod),
        })
        .collect();
    let node = cluster.facts.nodes.get(node);
    let mut list = Vec::new();
    for resource in compared {
        let requested = demand::counted(resource, requested.get(resource).copied().unwrap_or(0));
        if requested == 0 && !resource.starts_with("hugepages-") {
            continue;
        }
        let users = users_of_resource(&placed, resource);
        let used = users
            .iter()
            .fold(0, |sum: i128, user| sum.saturating_add(user.amount));
        let largest = users.iter().take(MOST_PODS);
        let there = node
            .and_then(|node| node.status.allocatable.get(resource))
            .map_or(0, demand::exact);
        list.push(Need {
            resource: resource.to_owned(),
            requested,
            used,
            allocatable: demand::counted(resource, there),
            pods: largest.map(|user| (user.name(), user.amount)).collect(),
        });
    }
    list
}

/// A pod on the node, and what it takes of all resources.
struct PlacedPod<'p> {
    pod: &'p Pod,
    amounts: Amounts<'p>,
}

/// A pod on the node, and what it takes of one resource.
#[derive(Clone, Copy)]
struct ResourceUser<'p> {
    pod: &'p Pod,
    amount: i128,
}

impl ResourceUser<'_> {
    fn name(&self) -> String {
        let metadata = &self.pod.metadata;
        format!("{}/{}", metadata.namespace, metadata.name)
    }
}

/// Returns the pods that take some of a resource, those that take most first.
fn users_of_resource<'p>(placed: &[PlacedPod<'p>], resource: &str) -> Vec<ResourceUser<'p>> {
    let mut users = Vec::new();
    for placed in placed {
        let amount = count_of(resource, &placed.amounts);
        if amount > 0 {
            users.push(ResourceUser {
                pod: placed.pod,
                amount,
            });
        }
    }
    ordered(&users, &|a, b| b.amount.cmp(&a.amount))
}

fn count_of(resource: &str, amounts: &Amounts<'_>) -> i128 {
    demand::counted(resource, amounts.get(resource).copied().unwrap_or(0))
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
