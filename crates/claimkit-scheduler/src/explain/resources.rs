//! Resources of the node that devices take: what a device says, what the node has left.

use super::account::NodeAccount;
use super::taken::{ResourceAccount, ResourceDevice, ResourcePod};
use super::words::and_more;
use crate::allocator::amount::spell;
use crate::allocator::cluster::Cluster;
use crate::allocator::demand;
use crate::allocator::node_resources::{Footprint, Need, ResourceHelp, Taken};
use claimkit_model::message::{self, Message, message};

/// Maximum number of devices or pods in one line.
const MOST: usize = 3;

/// Adds what a footprint says to the account of a node.
pub fn tell(cluster: &Cluster<'_>, footprint: &Footprint, told: &mut NodeAccount) {
    if let Some(refusal) = &footprint.refusal {
        if refusal.status.reasons.len() > 1 {
            told.reasons.clone_from(&refusal.status.reasons);
        }
        told.help = refusal.help.as_ref().map(ResourceHelp::text);
    }
    told.unclear = footprint
        .unclear
        .map(|two| two.map(|at| cluster.device_name(at)));
    for need in &footprint.needs {
        let of_need = footprint
            .taken
            .iter()
            .filter(|taken| taken.resource == need.resource);
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
        multiplier: taken
            .multiplier
            .as_ref()
            .map(|amount| amount.text().to_owned()),
    }
}

fn resource(need: &Need, devices: Vec<ResourceDevice>) -> ResourceAccount {
    let pods = need.pods.iter().map(|(pod, amount)| ResourcePod {
        pod: pod.clone(),
        requests: need.spell(*amount),
    });
    let mut account = ResourceAccount {
        resource: need.resource.clone(),
        requested: need.spell(need.requested),
        used: need.spell(need.used),
        allocatable: need.spell(need.allocatable),
        short: need.is_short(),
        devices,
        pods: pods.collect(),
        text: Message::default(),
    };
    account.text = text(need, &account);
    account
}

fn text(need: &Need, account: &ResourceAccount) -> Message {
    let ResourceAccount {
        resource,
        requested,
        allocatable,
        devices,
        pods,
        ..
    } = account;
    let by = and_more(
        message::parts(devices.iter().take(MOST).map(device_text)),
        devices.len().saturating_sub(MOST),
    );
    let pod = |one: &ResourcePod| {
        let ResourcePod { pod, requests } = one;
        message!(
            "account.resource-of-pod",
            "{pod} has {requests}",
            pod,
            requests
        )
    };
    let users = message::parts(pods.iter().take(MOST).map(pod));
    // Pods can use more than the node has now.
    let left = need.spell(need.allocatable.saturating_sub(need.used).max(0));
    match (devices.is_empty(), pods.is_empty()) {
        (true, true) => message!(
            "account.resource",
            "{resource}: {requested} asked for; {left} of {allocatable} left",
            resource,
            requested,
            left,
            allocatable
        ),
        (true, false) => message!(
            "account.resource-used",
            "{resource}: {requested} asked for; {left} of {allocatable} left ({users})",
            resource,
            requested,
            left,
            allocatable,
            users
        ),
        (false, true) => message!(
            "account.resource-taken",
            "{resource}: {requested} asked for, of it {by}; {left} of {allocatable} left",
            resource,
            requested,
            by,
            left,
            allocatable
        ),
        (false, false) => message!(
            "account.resource-taken-and-used",
            "{resource}: {requested} asked for, of it {by}; {left} of {allocatable} left ({users})",
            resource,
            requested,
            by,
            left,
            allocatable,
            users
        ),
    }
}

fn device_text(device: &ResourceDevice) -> Message {
    let name = device.device.rsplit('/').next().unwrap_or_default();
    let takes = &device.takes;
    match (
        &device.capacity,
        &device.consumed,
        device.multiplier.as_ref().filter(|by| *by != "1"),
    ) {
        (Some(capacity), Some(consumed), Some(by)) => message!(
            "account.resource-by-multiple",
            "{takes} by {name} ({consumed} of {capacity} × {by})",
            takes,
            name,
            consumed,
            capacity,
            by
        ),
        (Some(capacity), Some(consumed), None) => message!(
            "account.resource-by-capacity",
            "{takes} by {name} ({consumed} of {capacity})",
            takes,
            name,
            consumed,
            capacity
        ),
        _ => message!(
            "account.resource-by-device",
            "{takes} by {name}",
            takes,
            name
        ),
    }
}
