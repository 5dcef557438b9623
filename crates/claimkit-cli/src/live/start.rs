//! Why a pod that has a node does not run there, or will not for long, beside its claims.

use super::sentences::with_period;
use claimkit::PreparedCluster;
use claimkit_scheduler::allocator::objects::{ContainerStatus, Device, Pod, Toleration};
use claimkit_scheduler::allocator::taints::{NO_EXECUTE, tolerates};

/// The reason of the condition that the controller of device taints writes before it deletes a pod (kube-controller-manager,
/// `pkg/controller/devicetainteviction/device_taint_eviction.go`).
const BY_DEVICE_TAINTS: &str = "DeletionByDeviceTaintManager";

/// Returns a sentence for each reason. `is_pending`: no container of it was started.
pub fn reasons(pod: &Pod, cluster: &PreparedCluster, is_pending: bool) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(deletion(pod));
    lines.extend(tainted_devices(pod, cluster));
    let statuses = pod.status.init_container_statuses.iter();
    for status in statuses.chain(&pod.status.container_statuses) {
        lines.extend(waiting(status));
        lines.extend(unhealthy(status));
    }
    if let Some(failure) = cluster.mount_failure(pod).filter(|_| is_pending) {
        let when = match failure.at {
            Some(at) => format!(" (said last at {at})"),
            None => String::new(),
        };
        let why = with_period(failure.why);
        lines.push(format!("kubelet cannot mount a volume{when}: {why}"));
    }
    lines
}

/// Says that a pod is being deleted, and for what.
fn deletion(pod: &Pod) -> Option<String> {
    let mut conditions = pod.status.conditions.iter();
    let is_by_taints = conditions.any(|condition| condition.reason == BY_DEVICE_TAINTS);
    let since = pod.metadata.deletion_timestamp.as_ref();
    match (since, is_by_taints) {
        (Some(since), true) => Some(format!(
            "It is being deleted since {since}: kube-controller-manager ends it for a taint of its devices."
        )),
        (Some(since), false) => Some(format!("It is being deleted since {since}.")),
        (None, true) => {
            Some("kube-controller-manager deletes it for a taint of its devices.".to_owned())
        }
        (None, false) => None,
    }
}

/// Says of each device of a pod whether it has a taint that ends the pod.
fn tainted_devices(pod: &Pod, cluster: &PreparedCluster) -> Vec<String> {
    let entries = pod.spec.resource_claims.iter();
    let names: Vec<&str> = entries
        .filter_map(|entry| pod.claim_of(&entry.name))
        .collect();
    let claims = cluster.claims().filter(|claim| {
        claim.metadata.namespace == pod.metadata.namespace
            && names.contains(&claim.metadata.name.as_str())
    });
    let allocations = claims.filter_map(|claim| claim.status.allocation.as_ref());
    let results = allocations.flat_map(|allocation| &allocation.devices.results);
    results
        .filter_map(|result| {
            let mut slices = cluster.slices().filter(|slice| {
                slice.spec.driver == result.driver && slice.spec.pool.name == result.pool
            });
            let device = slices.find_map(|slice| {
                let mut devices = slice.spec.devices.iter();
                devices.find(|device| device.name == result.device)
            })?;
            let taint = evicting_taint(device, &result.tolerations)?;
            Some(format!(
                "Its device {} has the taint {taint}, which ends the pod.",
                result.device
            ))
        })
        .collect()
}

/// Returns the first taint of a device that ends pods which use it.
fn evicting_taint(device: &Device, tolerations: &[Toleration]) -> Option<String> {
    let mut taints = device.taints.iter();
    let taint = taints.find(|taint| {
        taint.effect == NO_EXECUTE
            && !tolerations
                .iter()
                .any(|toleration| tolerates(toleration, taint).is_ok())
    })?;
    Some(taint.name())
}

/// Says why a container does not run.
fn waiting(status: &ContainerStatus) -> Option<String> {
    let waiting = status.hindrance()?;
    let (name, reason) = (&status.name, &waiting.reason);
    Some(if waiting.message.is_empty() {
        format!("Its container {name} does not run: {reason}.")
    } else {
        let message = with_period(&waiting.message);
        format!("Its container {name} does not run: {reason}: {message}")
    })
}

/// Says which devices of a container its driver calls unhealthy.
fn unhealthy(status: &ContainerStatus) -> Vec<String> {
    let resources = status.allocated_resources_status.iter();
    let health = resources.flat_map(|resource| &resource.resources);
    health
        .filter(|one| one.health == "Unhealthy")
        .map(|one| {
            format!(
                "The device {} of its container {} is unhealthy.",
                one.resource_id, status.name
            )
        })
        .collect()
}
