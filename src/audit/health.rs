//! What drivers and kubelets report of devices in use.

use super::finder::{About, Finder};
use claimkit_model::finding::{Code, FieldPath, field_path};
use claimkit_model::message::message;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{Claim, ContainerStatus, Pod, PodStatus};
use claimkit_scheduler::scheduler::has_ended;
use serde_json::Value;

/// The prefix of names in `allocatedResourcesStatus` that are about claims of the pod (kubelet, `pkg/kubelet/cm/dra/manager.go`).
const OF_CLAIM: &str = "claim:";

/// Reports devices in use that are said not to work.
pub fn check(cluster: &Cluster<'_>, finder: &mut Finder<'_, '_>) {
    for claim in &cluster.facts.claims {
        not_ready(claim, finder);
    }
    for pod in cluster.facts.pods.iter().filter(|pod| !has_ended(pod)) {
        unhealthy(pod, finder);
        if !pod.spec.node_name.is_empty() && !pod.spec.resource_claims.is_empty() {
            not_running(pod, finder);
        }
    }
}

/// Reports devices of a claim that their driver has not made ready.
fn not_ready(claim: &Claim, finder: &mut Finder<'_, '_>) {
    for (at, device) in claim.status.devices.iter().enumerate() {
        let of = |name: &str| device.get(name).and_then(Value::as_str).unwrap_or_default();
        let is_held = claim.allocated_devices().iter().any(|held| {
            (
                held.driver.as_str(),
                held.pool.as_str(),
                held.device.as_str(),
            ) == (of("driver"), of("pool"), of("device"))
        });
        let conditions = device
            .get("conditions")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .enumerate();
        for (index, condition) in conditions.filter(|_| is_held) {
            let said = |name: &str| condition.get(name).and_then(Value::as_str);
            if (said("type"), said("status")) != (Some("Ready"), Some("False")) {
                continue;
            }
            let why = [said("reason"), said("message")].into_iter().flatten();
            let why: Vec<&str> = why.filter(|word| !word.is_empty()).collect();
            let claim_name = claim.metadata.full_name();
            let device_name = format!("{}/{}/{}", of("driver"), of("pool"), of("device"));
            let message = match why.join(": ").as_str() {
                "" => message!(
                    "audit.device-not-ready",
                    "claim {claim} holds device {device}, which its driver has not made ready",
                    claim = claim_name,
                    device = device_name,
                ),
                why => message!(
                    "audit.device-not-ready-for",
                    "claim {claim} holds device {device}, which its driver has not made ready: \"{why}\"",
                    claim = claim_name,
                    device = device_name,
                    why,
                ),
            };
            let about = About::object("ResourceClaim", &claim.metadata).at(field_path![
                "status",
                "devices",
                at,
                "conditions",
                index
            ]);
            finder.tell(Code::DeviceUnhealthy, about, message, None);
        }
    }
}

/// Reports the first container that does not run, of a pod that holds devices.
fn not_running(pod: &Pod, finder: &mut Finder<'_, '_>) {
    if pod.metadata.deletion_timestamp.is_some() {
        return;
    }
    let hindered = statuses_of(&pod.status).find_map(|(path, status)| {
        let waiting = status.hindrance()?;
        Some((path, status, waiting))
    });
    let Some((path, status, waiting)) = hindered else {
        return;
    };
    let message = message!(
        "audit.pod-not-running",
        "pod {pod} holds devices of node {node}, and its container {container} does not run: {why}",
        pod = pod.metadata.full_name(),
        node = pod.spec.node_name,
        container = status.name,
        why = waiting.reason,
    );
    let about = About::object("Pod", &pod.metadata)
        .at(path.join(&field_path!["state", "waiting", "reason"]));
    finder.tell(Code::PodNotRunning, about, message, None);
}

/// Returns the statuses of all containers with their paths, those of init containers first.
fn statuses_of(status: &PodStatus) -> impl Iterator<Item = (FieldPath, &ContainerStatus)> {
    let lists = [
        ("initContainerStatuses", &status.init_container_statuses),
        ("containerStatuses", &status.container_statuses),
    ];
    lists.into_iter().flat_map(|(field, statuses)| {
        let numbered = statuses.iter().enumerate();
        numbered.map(move |(at, status)| (field_path!["status", field, at], status))
    })
}

/// Reports devices of a pod that kubelet calls unhealthy.
fn unhealthy(pod: &Pod, finder: &mut Finder<'_, '_>) {
    for (path, status) in statuses_of(&pod.status) {
        unhealthy_in(pod, status, &path, finder);
    }
}

fn unhealthy_in(
    pod: &Pod,
    status: &ContainerStatus,
    path: &FieldPath,
    finder: &mut Finder<'_, '_>,
) {
    for (at, resource) in status.allocated_resources_status.iter().enumerate() {
        let Some(entry) = resource.name.strip_prefix(OF_CLAIM) else {
            continue;
        };
        let devices = resource.resources.iter().enumerate();
        for (index, device) in devices.filter(|(_, device)| device.health == "Unhealthy") {
            let pod_name = pod.metadata.full_name();
            let (container, id) = (&status.name, &device.resource_id);
            let message = match device.message.as_str() {
                "" => message!(
                    "audit.device-unhealthy",
                    "pod {pod} uses an unhealthy device in container {container}: {id} of claim entry {entry}",
                    pod = pod_name,
                    container,
                    id,
                    entry,
                ),
                why => message!(
                    "audit.device-unhealthy-for",
                    "pod {pod} uses an unhealthy device in container {container}: {id} of claim entry {entry}: \"{why}\"",
                    pod = pod_name,
                    container,
                    id,
                    entry,
                    why,
                ),
            };
            let path = path.join(&field_path![
                "allocatedResourcesStatus",
                at,
                "resources",
                index
            ]);
            let about = About::object("Pod", &pod.metadata).at(path);
            finder.tell(Code::DeviceUnhealthy, about, message, None);
        }
    }
}
