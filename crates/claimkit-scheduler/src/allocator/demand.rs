//! What a pod asks of a node's resources (k8s.io/component-helpers of 1.36, `resource/helpers.go`, `PodRequests`), and how the
//! scheduler counts it (kube-scheduler 1.36, `pkg/scheduler/framework/types.go`, `Resource.Add`).
//!
//! The gates that are on by default in this release are assumed to be on: PodLevelResources, InPlacePodVerticalScaling and
//! InPlacePodLevelResourcesVerticalScaling.

use super::amount::{Amount, UNIT};
use super::objects::{Container, NodeResourceClaim, Pod, Resources};
use super::sorted::Sorted;

/// Amounts by resource, in 10⁻¹⁸ of a unit: the product of two quantities stays exact.
pub type Amounts<'f> = Sorted<&'f str, i128>;

/// 10⁻¹⁸ parts in one nano (10⁻⁹) of a unit.
const IN_NANO: i128 = 1_000_000_000;
/// 10⁻¹⁸ parts in one thousandth of a unit.
const IN_MILLI: i128 = 1_000_000_000_000_000;
/// 10⁻¹⁸ parts in one unit.
const IN_UNIT: i128 = 1_000_000_000_000_000_000;
/// Nanos in a thousandth of a unit.
const MILLI: i128 = 1_000_000;

/// Returns an amount in 10⁻¹⁸ of a unit.
pub fn exact(amount: &Amount) -> i128 {
    amount.nanos().saturating_mul(IN_NANO)
}

/// Returns one amount times another.
pub fn product(one: &Amount, other: &Amount) -> i128 {
    one.nanos().saturating_mul(other.nanos())
}

/// Returns an amount in the scheduler's unit: thousandths of `cpu`, whole units of other resources; rounded up.
pub fn counted(resource: &str, exact: i128) -> i128 {
    let one = if resource == "cpu" { IN_MILLI } else { IN_UNIT };
    let whole = exact.div_euclid(one);
    if exact.rem_euclid(one) == 0 {
        whole
    } else {
        whole.saturating_add(1)
    }
}

/// Returns the nanos of what the scheduler counted.
pub fn nanos(resource: &str, counted: i128) -> i128 {
    counted.saturating_mul(if resource == "cpu" { MILLI } else { UNIT })
}

/// Returns the nanos of an exact amount, rounded up.
pub fn nanos_of(exact: i128) -> i128 {
    let whole = exact.div_euclid(IN_NANO);
    if exact.rem_euclid(IN_NANO) == 0 {
        whole
    } else {
        whole.saturating_add(1)
    }
}

/// Adds amounts.
pub fn add<'f>(sum: &mut Amounts<'f>, more: &Amounts<'f>) {
    join(sum, more, i128::saturating_add);
}

fn join<'f>(sum: &mut Amounts<'f>, more: &Amounts<'f>, how: fn(i128, i128) -> i128) {
    for (name, amount) in more.iter() {
        match sum.get_mut(name) {
            Some(known) => *known = how(*known, *amount),
            None => drop(sum.insert(name, *amount)),
        }
    }
}

fn amounts(list: &Sorted<String, Amount>) -> Amounts<'_> {
    list.iter()
        .map(|(name, amount)| (name.as_str(), exact(amount)))
        .collect()
}

/// The requests of a pod that count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The requests of its containers.
    Containers,
    /// The requests of the pod as a whole, where it has any, in place of those of its containers.
    Pod,
}

impl Level {
    /// Returns the level of a release.
    pub fn of(pod_level_resources: bool) -> Self {
        if pod_level_resources {
            Level::Pod
        } else {
            Level::Containers
        }
    }
}

/// Whether a pod is on a node. If it is, its resources may exceed its requests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PodStage {
    Waiting,
    Placed,
}

/// What a pod's devices take of the node's resources.
#[derive(Clone, Debug, Default)]
pub struct DeviceDemand<'f> {
    /// As long as the pod runs.
    pub fixed: Amounts<'f>,
    /// As long as a container runs, by its name.
    pub per_container: Sorted<&'f str, Amounts<'f>>,
}

impl<'f> DeviceDemand<'f> {
    /// Sums what the status of a pod says (`getDRANodeAllocatableResources`).
    pub fn of(statuses: &'f [NodeResourceClaim]) -> Self {
        let mut demand = DeviceDemand::default();
        for claim in statuses {
            demand.add_claim(claim);
        }
        demand
    }

    fn add_claim(&mut self, claim: &'f NodeResourceClaim) {
        add(&mut self.fixed, &amounts(&claim.resources));
        for mapped in &claim.mapping {
            plus(&mut self.fixed, &mapped.name, mapped.quantity.as_ref());
        }
        for overhead in &claim.overhead {
            plus(&mut self.fixed, &overhead.name, overhead.per_pod.as_ref());
        }
        for container in &claim.containers {
            let own = self.per_container.entry(container.as_str());
            for overhead in &claim.overhead {
                plus(own, &overhead.name, overhead.per_container.as_ref());
            }
        }
    }

    /// Counts what containers take for the whole time of the pod, as 1.37 does.
    pub fn all_the_time(mut self) -> Self {
        for (_, own) in std::mem::take(&mut self.per_container) {
            add(&mut self.fixed, &own);
        }
        self
    }
}

fn plus<'f>(sum: &mut Amounts<'f>, name: &'f str, amount: Option<&Amount>) {
    if let Some(amount) = amount {
        let known = sum.get(name).copied().unwrap_or(0);
        sum.insert(name, known.saturating_add(exact(amount)));
    }
}

/// Sums the requests of a pending pod, including what its devices take.
pub fn of_waiting<'f>(pod: &'f Pod, devices: &DeviceDemand<'f>, level: Level) -> Amounts<'f> {
    requests(pod, devices, &[], PodStage::Waiting, level)
}

/// Sums the resources of a pod where containers that do not request one of `unrequested` count with that amount.
pub fn with_unrequested<'f>(
    pod: &'f Pod,
    unrequested: &[(&'f str, i128)],
    stage: PodStage,
    level: Level,
) -> Amounts<'f> {
    requests(pod, &DeviceDemand::default(), unrequested, stage, level)
}

/// Sums the resources of a pod on a node, which may exceed its requests.
pub fn of_placed(pod: &Pod) -> Amounts<'_> {
    let devices = DeviceDemand::of(&pod.status.node_allocatable_resource_claim_statuses);
    requests(pod, &devices, &[], PodStage::Placed, Level::Pod)
}

/// Returns the limits of the containers with what devices take (`AggregateContainerLimits`).
pub fn limits<'f>(pod: &'f Pod, devices: &DeviceDemand<'f>) -> Amounts<'f> {
    let mut sum = of_containers(pod, PodStage::Waiting, &|container: &'f Container, _| {
        let mut limits = amounts(&container.resources.limits);
        if let Some(of_devices) = devices.per_container.get(container.name.as_str()) {
            add(&mut limits, of_devices);
        }
        limits
    });
    add(&mut sum, &devices.fixed);
    sum
}

fn requests<'f>(
    pod: &'f Pod,
    devices: &DeviceDemand<'f>,
    unrequested: &[(&'f str, i128)],
    stage: PodStage,
    level: Level,
) -> Amounts<'f> {
    let plain = of_containers(pod, stage, &|container: &'f Container, stage| {
        of_container_with(pod, container, unrequested, stage)
    });
    let of_pod = of_whole(pod, &plain);
    let mut sum = if devices.per_container.is_empty() {
        plain
    } else {
        of_containers(pod, stage, &|container: &'f Container, stage| {
            let mut requested = of_container_with(pod, container, unrequested, stage);
            if let Some(of_devices) = devices.per_container.get(container.name.as_str()) {
                add(&mut requested, of_devices);
            }
            requested
        })
    };
    add(&mut sum, &devices.fixed);
    if level == Level::Pod && !of_pod.is_empty() {
        let reported = match &pod.status.resources {
            Some(status) if stage == PodStage::Placed => Some(effective(
                pod,
                of_pod.clone(),
                status,
                &pod.status.allocated_resources,
            )),
            _ => None,
        };
        for (name, amount) in of_pod.iter().filter(|(name, _)| is_of_pods(name)) {
            let counted = match &reported {
                Some(reported) => reported.get(name).copied().unwrap_or(0),
                None => *amount,
            };
            sum.insert(name, counted);
        }
    }
    add(&mut sum, &amounts(&pod.spec.overhead));
    sum
}

/// Returns the requests of a container, and the amounts that count where it requests nothing.
fn of_container_with<'f>(
    pod: &'f Pod,
    container: &'f Container,
    unrequested: &[(&'f str, i128)],
    stage: PodStage,
) -> Amounts<'f> {
    let mut requested = of_container(pod, container, stage);
    for (name, amount) in unrequested {
        requested.insert_new(name, *amount);
    }
    requested
}

/// Sums the containers of a pod: those that run together, or an init container at its time, whichever is more.
fn of_containers<'f>(
    pod: &'f Pod,
    stage: PodStage,
    of_container: &dyn Fn(&'f Container, PodStage) -> Amounts<'f>,
) -> Amounts<'f> {
    let mut sum = Amounts::new();
    for container in &pod.spec.containers {
        add(&mut sum, &of_container(container, stage));
    }
    // Init containers run one after the other, beside the sidecars that started before.
    let (mut sidecars, mut most) = (Amounts::new(), Amounts::new());
    for container in &pod.spec.init_containers {
        let is_sidecar = container.restart_policy.as_deref() == Some("Always");
        let mut phase = of_container(
            container,
            if is_sidecar { stage } else { PodStage::Waiting },
        );
        if is_sidecar {
            add(&mut sum, &phase);
            add(&mut sidecars, &phase);
            phase = sidecars.clone();
        } else {
            add(&mut phase, &sidecars);
        }
        join(&mut most, &phase, i128::max);
    }
    join(&mut sum, &most, i128::max);
    sum
}

/// Returns the pod-level requests. If there are pod-level limits, the server fills in missing requests: the sum of the
/// containers, otherwise the limit (kube-apiserver, `pkg/apis/core/v1/defaults.go`, `defaultPodRequests`).
fn of_whole<'f>(pod: &'f Pod, containers: &Amounts<'f>) -> Amounts<'f> {
    let Resources {
        requests, limits, ..
    } = &pod.spec.resources;
    let mut asked = amounts(requests);
    for name in ["cpu", "memory"].into_iter().filter(|_| !limits.is_empty()) {
        if let Some(amount) = containers
            .get(name)
            .copied()
            .or_else(|| limits.get(name).map(exact))
        {
            asked.insert_new(name, amount);
        }
    }
    asked
}

/// Returns true for resources that a pod may ask for as a whole.
pub fn is_of_pods(name: &str) -> bool {
    matches!(name, "cpu" | "memory") || name.starts_with("hugepages-")
}

fn of_container<'f>(pod: &'f Pod, container: &'f Container, stage: PodStage) -> Amounts<'f> {
    let Resources {
        requests, limits, ..
    } = &container.resources;
    let mut asked = amounts(requests);
    // The server fills in missing requests (kube-apiserver, `pkg/apis/core/v1/defaults.go`, `SetDefaults_Pod`).
    for (name, limit) in limits.iter() {
        asked.insert_new(name, exact(limit));
    }
    let mut statuses = pod
        .status
        .init_container_statuses
        .iter()
        .chain(&pod.status.container_statuses);
    let status = statuses.find(|status| stage == PodStage::Placed && status.name == container.name);
    match status.and_then(|status| Some((status, status.resources.as_ref()?))) {
        Some((status, has)) => effective(pod, asked, has, &status.allocated_resources),
        None => asked,
    }
}

/// Takes the maximum of the requests, the actual resources and the allocated resources. Requests of an infeasible resize do not
/// count.
fn effective<'f>(
    pod: &Pod,
    asked: Amounts<'f>,
    has: &'f Resources,
    aside: &'f Sorted<String, Amount>,
) -> Amounts<'f> {
    let pending = pod
        .status
        .conditions
        .iter()
        .find(|condition| condition.kind == "PodResizePending");
    let in_vain = pending.is_some_and(|condition| condition.reason == "Infeasible");
    let mut most = if in_vain { Amounts::new() } else { asked };
    join(&mut most, &amounts(&has.requests), i128::max);
    join(&mut most, &amounts(aside), i128::max);
    most
}
