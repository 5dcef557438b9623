//! Reasons in one line of English, made from the data.

use super::account::{CapacityReason, Reason, SelectorReason, Stage, TolerationReason};
use super::funnel::{Row, is_of};
use super::kinds::{CapacityFault, FeatureField, StageKind};
use crate::place::device::amount::{Amount, spell_like};
use crate::place::device::binding;
use crate::place::device::cluster::Cluster;
use crate::place::device::facts::Claim;
use crate::place::device::plugin::Unavailable;
use crate::place::device::sorted::{Set, Sorted};

/// Maximum number of reasons in one line.
pub const MOST: usize = 3;

/// Returns the sentence for a reason.
pub fn reason(reason: &Reason) -> String {
    match reason {
        Reason::PoolOldGeneration { newest } => format!("its slice is older than generation {newest}"),
        Reason::PoolIncomplete { have, want } => format!("its pool is incomplete: {have} of {want} slices"),
        Reason::PoolInvalid { reason } => format!("its pool is invalid: {reason}"),
        Reason::SliceWithCounters => "it stands in a slice with shared counters, where devices are not offered".to_owned(),
        Reason::FeatureOff { field: FeatureField::BindingConditions } => {
            let gates = "DRADeviceBindingConditions and DRAResourceClaimDeviceStatus";
            format!("bindingConditions need the feature gates {gates}, of which one is off")
        }
        Reason::FeatureOff { field } => format!("{field} needs the feature gate DRAPartitionableDevices, which is off"),
        Reason::InUse { claims, pods } => {
            let pods = if pods.is_empty() { "no pod reserves it".to_owned() } else { format!("for {}", pods.join(", ")) };
            format!("held by {} ({pods})", claims.join(", "))
        }
        Reason::ChosenFor { claim, request } => format!("chosen for request {request} of {claim}"),
        Reason::ClassSelector(reason) => selector("class selector", reason),
        Reason::RequestSelector(reason) => selector("selector", reason),
        Reason::DeviceNotOnNode => "it is not on this node".to_owned(),
        Reason::Capacity(reason) => capacity(reason),
        Reason::Counters(reason) => {
            let holder = |holder: &super::account::CounterHolder| format!("{} through {}", holder.claim, holder.device);
            let holders: Vec<String> = reason.holders.iter().map(holder).collect();
            let held = if holders.is_empty() { String::new() } else { format!(" (held by {})", holders.join(", ")) };
            let (set, counter) = (&reason.set, &reason.counter);
            if reason.needed == "0" {
                return format!("counter set {set}: {counter} is overdrawn, {} left of {}{held}", reason.available, reason.total);
            }
            format!("counter set {set}: {counter} needs {}, {} left of {}{held}", reason.needed, reason.available, reason.total)
        }
        Reason::Taint(reason) => {
            let value = if reason.value.is_empty() { String::new() } else { format!("={}", reason.value) };
            let from = match reason.from.strip_prefix("rule/") {
                Some(rule) => format!("rule {rule}"),
                None => "its driver".to_owned(),
            };
            let tried = |one: &TolerationReason| format!("toleration {} has another {}", one.index, one.why);
            let tried: Vec<String> = reason.tolerations.iter().take(MOST).map(tried).collect();
            let tried = if tried.is_empty() { String::new() } else { format!(" ({})", tried.join(", ")) };
            format!("tainted {}{value}:{} by {from}{tried}", reason.key, reason.effect)
        }
        Reason::Constraint { attribute, near, .. } if near.is_empty() => format!("no attribute {attribute}"),
        Reason::Constraint { attribute, near, .. } => format!("no attribute {attribute}, but {}", near.join(", ")),
    }
}

fn selector(kind: &str, reason: &SelectorReason) -> String {
    let index = reason.index;
    let values: Vec<String> =
        reason.values.iter().map(|(path, value)| format!("{path} is {}", value.as_deref().unwrap_or("missing"))).collect();
    let values = if values.is_empty() { String::new() } else { format!(" ({})", values.join(", ")) };
    match &reason.error {
        Some(error) => format!("{kind} {index} gives an error: {error}{values}"),
        None => format!("{kind} {index} is false{values}"),
    }
}

fn capacity(reason: &CapacityReason) -> String {
    let show = |value: &Option<String>| value.clone().unwrap_or_default();
    let CapacityReason { name, asked, charged, used, left, total, max, holders, names, .. } = reason;
    // Upstream writes what it rounds in binary notation; beside decimal amounts that cannot be compared at sight.
    let beside = [total, max, asked].into_iter().flatten().next().map_or("", String::as_str);
    let charged =
        charged.as_deref().map(|text| Amount::printed(text).map_or(text.to_owned(), |one| spell_like(one.nanos(), beside)));
    let asked = match asked {
        Some(asked) if Some(asked) != charged.as_ref() => format!("{asked} of {name} is charged as {}", show(&charged)),
        _ => format!("{} of {name} is charged", show(&charged)),
    };
    match reason.why {
        CapacityFault::UnknownName if names.is_empty() => format!("no capacity {name}, and no other"),
        CapacityFault::UnknownName => format!("no capacity {name}, but {}", names.join(", ")),
        CapacityFault::Max => format!("{asked}, one request may have at most {}", show(max)),
        CapacityFault::Step => format!("{asked}, which is not on a step"),
        CapacityFault::Values => format!("{asked}, which is not one of the valid values"),
        CapacityFault::Exhausted => {
            let held = match holders.as_slice() {
                [] => String::new(),
                holders => format!(" ({} held by {})", show(used), holders.join(", ")),
            };
            format!("{asked}, {} left of {}{held}", show(left), show(total))
        }
    }
}

/// Returns why a claim that is allocated cannot be used on a node.
pub fn unavailable(claim: &Claim, why: Unavailable) -> String {
    let name = claim.metadata.full_name();
    match why {
        Unavailable::Elsewhere => format!("{name} is allocated, but not for this node"),
        Unavailable::Failed => {
            let failure = binding::failure(claim).map_or(String::new(), |failure| format!(": {failure}"));
            format!("binding the devices of {name} failed{failure}")
        }
        Unavailable::TimedOut => format!("the devices of {name} were not ready for binding in time"),
    }
}

/// Returns the part of a reason that equal nodes share: kinds and amounts, without names of devices and claims.
pub fn signature(reason: &Reason) -> String {
    match reason {
        Reason::Capacity(reason) => {
            format!("{} {} {:?} {:?} {:?}", reason.name, reason.why, reason.charged, reason.left, reason.max)
        }
        Reason::Counters(reason) => format!("{} {} {}", reason.counter, reason.needed, reason.available),
        Reason::Taint(reason) => format!("{} {} {} {}", reason.key, reason.value, reason.effect, reason.from),
        Reason::PoolIncomplete { have, want } => format!("{have} of {want}"),
        Reason::PoolInvalid { reason } => reason.clone(),
        Reason::Constraint { index, .. } => format!("constraint {index}"),
        _ => String::new(),
    }
}

/// Returns the reasons at the first stage that leaves too few devices, with the devices that have them.
pub fn why(cluster: &Cluster<'_>, class: &str, stages: &[Stage], row: &Row<'_, '_>, wanted: i64) -> String {
    let short = |stage: &&Stage| i64::try_from(stage.left).is_ok_and(|left| left < wanted.max(1)) && stage.lost.is_some();
    let Some(stage) = stages.iter().find(short) else { return String::new() };
    // Skip devices that an earlier stage removed.
    let position = stages.iter().position(|one| std::ptr::eq(one, stage)).unwrap_or(0);
    let earlier = |reason: &Reason| stages.iter().take(position).any(|stage| is_of(reason, stage));
    let mut by_text: Sorted<String, Vec<&str>> = Sorted::new();
    for (shown, reasons) in row.iter().filter(|(_, reasons)| !reasons.iter().any(earlier)) {
        let Some((_, device)) = cluster.device(shown.at) else { continue };
        for found in reasons.iter().filter(|reason| is_of(reason, stage) && !is_of_another_driver(reason)) {
            by_text.entry(reason(found)).push(&device.name);
        }
    }
    if by_text.is_empty() && stage.left == 0 && stage.stage == StageKind::Class {
        let drivers = row.iter().filter_map(|(shown, _)| Some(cluster.device(shown.at)?.0.spec.driver.as_str()));
        let drivers: Set<&str> = drivers.collect();
        return format!("no device of class {class}: those of the node are of {}", some(drivers.as_slice(), MOST));
    }
    let parts: Vec<String> =
        by_text.iter().take(MOST).map(|(text, devices)| format!("{}: {text}", some(devices, MOST))).collect();
    let more = by_text.len().saturating_sub(parts.len());
    let more = if more == 0 { String::new() } else { format!("; and {more} other reasons") };
    format!("{}{more}", parts.join("; "))
}

/// Returns true for a selector of the class that is false before it reads any attribute, as on devices of other drivers: that
/// says nothing of them.
fn is_of_another_driver(reason: &Reason) -> bool {
    matches!(reason, Reason::ClassSelector(reason) if reason.error.is_none() && reason.values.is_empty())
}

/// Returns the first of many names, and how many more there are.
pub fn some(names: &[impl AsRef<str>], most: usize) -> String {
    let shown = names.iter().take(most).map(AsRef::as_ref).collect::<Vec<&str>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
