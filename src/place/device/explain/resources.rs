//! Resources of the node that devices take: what a device says, what the node has left.

use super::account::NodeAccount;
use super::taken::{ResourceAccount, ResourceDevice, ResourcePod};
use crate::place::device::amount::spell;
use crate::place::device::cluster::Cluster;
use crate::place::device::demand;
use crate::place::device::node_resources::{Footprint, Need, Taken};

/// Maximum number of devices or pods in one line.
const MOST: usize = 3;

/// Adds what a footprint says to the account of a node.
pub fn tell(cluster: &Cluster<'_>, footprint: &Footprint, told: &mut NodeAccount) {
    if let Some(refusal) = &footprint.refusal {
        if refusal.status.reasons.len() > 1 {
            told.reasons.clone_from(&refusal.status.reasons);
        }
        told.help.clone_from(&refusal.help);
    }
    told.unclear = footprint.unclear.map(|two| two.map(|at| cluster.device_name(at)));
    for need in &footprint.needs {
        let of_need = footprint.taken.iter().filter(|taken| taken.resource == need.resource);
        let devices: Vec<ResourceDevice> = of_need.map(|taken| device(cluster, taken)).collect();
        if need.is_short() || !devices.is_empty() {
            told.resources.push(resource(need, devices));
        }
    }
}

fn device(cluster: &Cluster<'_>, taken: &Taken) -> ResourceDevice {
    let (capacity, consumed) = taken.capacity.clone().unzip();
    ResourceDevice {
        claim: taken.claim.clone(),
        device: cluster.device_name(taken.device),
        takes: spell(demand::nanos_of(taken.amount)),
        capacity,
        consumed: consumed.map(|amount| amount.text().to_owned()),
        multiplier: taken.multiplier.as_ref().map(|amount| amount.text().to_owned()),
    }
}

fn resource(need: &Need, devices: Vec<ResourceDevice>) -> ResourceAccount {
    let pods = need.pods.iter().map(|(pod, amount)| ResourcePod { pod: pod.clone(), requests: need.spell(*amount) });
    let mut account = ResourceAccount {
        resource: need.resource.clone(),
        requested: need.spell(need.requested),
        used: need.spell(need.used),
        allocatable: need.spell(need.allocatable),
        short: need.is_short(),
        devices,
        pods: pods.collect(),
        text: String::new(),
    };
    account.text = text(need, &account);
    account
}

fn text(need: &Need, account: &ResourceAccount) -> String {
    let devices: Vec<String> = account.devices.iter().take(MOST).map(device_text).collect();
    let more = match account.devices.len().saturating_sub(devices.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let by = if devices.is_empty() { String::new() } else { format!(", of it {}{more}", devices.join(", ")) };
    let pods: Vec<String> = account.pods.iter().take(MOST).map(|pod| format!("{} has {}", pod.pod, pod.requests)).collect();
    let users = if pods.is_empty() { String::new() } else { format!(" ({})", pods.join(", ")) };
    let left = need.spell(need.allocatable.saturating_sub(need.used));
    format!("{}: {} asked for{by}; {left} of {} left{users}", account.resource, account.requested, account.allocatable)
}

fn device_text(device: &ResourceDevice) -> String {
    let name = device.device.rsplit('/').next().unwrap_or_default();
    let times = device.multiplier.as_ref().filter(|by| *by != "1").map(|by| format!(" × {by}")).unwrap_or_default();
    match (&device.capacity, &device.consumed) {
        (Some(capacity), Some(consumed)) => format!("{} by {name} ({consumed} of {capacity}{times})", device.takes),
        _ => format!("{} by {name}", device.takes),
    }
}
