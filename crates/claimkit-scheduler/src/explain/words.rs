//! Reasons in one line, made from the data.

use super::account::{
    CapacityReason, CounterHolder, CounterReason, Reason, SelectorReason, Stage, TaintReason,
    TolerationReason,
};
use super::funnel::{Row, is_of};
use super::kinds::{CapacityFault, FeatureField, StageKind};
use crate::allocator::amount::{Amount, spell_like};
use crate::allocator::binding;
use crate::allocator::cluster::Cluster;
use crate::allocator::objects::Claim;
use crate::allocator::plugin::Unavailable;
use crate::allocator::sorted::{Set, Sorted};
use claimkit_model::message::{self, Message, Words, message};
use std::fmt::Display;

/// Maximum number of reasons in one line.
pub const MOST: usize = 3;

/// Returns the sentence for a reason.
pub fn reason(reason: &Reason) -> Message {
    match reason {
        Reason::PoolOldGeneration { newest } => {
            message!(
                "pool.old-generation",
                "its slice is older than generation {newest}",
                newest
            )
        }
        Reason::PoolIncomplete { have, want } => {
            message!(
                "pool.incomplete",
                "its pool is incomplete: {have} of {want} slices",
                have,
                want
            )
        }
        Reason::PoolInvalid { reason } => message!(
            "pool.invalid-because",
            "its pool is invalid: {reason}",
            reason
        ),
        Reason::SliceWithCounters => message!(
            "pool.slice-with-counters",
            "it is in a slice with shared counters, where devices are not offered"
        ),
        Reason::FeatureOff { field } => feature_off(*field),
        Reason::InUse {
            claims,
            pods,
            planned: true,
        } => message!(
            "device.planned-for",
            "given to {claims} (for {pods}), which is placed before",
            claims = claims.join(", "),
            pods = pods.join(", ")
        ),
        Reason::InUse { claims, pods, .. } if pods.is_empty() => {
            message!(
                "device.held-unreserved",
                "held by {claims} (no pod reserves it)",
                claims = claims.join(", ")
            )
        }
        Reason::InUse { claims, pods, .. } => {
            message!(
                "device.held-for",
                "held by {claims} (for {pods})",
                claims = claims.join(", "),
                pods = pods.join(", ")
            )
        }
        Reason::ChosenFor { claim, request } => {
            message!(
                "device.chosen-for",
                "chosen for request {request} of {claim}",
                request,
                claim
            )
        }
        Reason::ClassSelector(reason) => selector(
            message!(
                "device.class-selector",
                "class selector {index}",
                index = reason.index
            ),
            reason,
        ),
        Reason::RequestSelector(reason) => selector(
            message!(
                "device.request-selector",
                "selector {index}",
                index = reason.index
            ),
            reason,
        ),
        Reason::DeviceNotOnNode => {
            message!("device.not-on-node", "it is not on this node")
        }
        Reason::Capacity(reason) => capacity(reason),
        Reason::Counters(reason) => counters(reason),
        Reason::Taint(reason) => taint(reason),
        Reason::Constraint {
            attribute, near, ..
        } if near.is_empty() => {
            message!("device.no-attribute", "no attribute {attribute}", attribute)
        }
        Reason::Constraint {
            attribute, near, ..
        } => {
            message!(
                "device.no-attribute-but",
                "no attribute {attribute}, but {near}",
                attribute,
                near = near.join(", ")
            )
        }
    }
}

fn feature_off(field: FeatureField) -> Message {
    match field {
        FeatureField::BindingConditions => message!(
            "device.binding-feature-off",
            "bindingConditions need the feature gates DRADeviceBindingConditions and DRAResourceClaimDeviceStatus, of which one is off"
        ),
        FeatureField::ConsumesCounters => message!(
            "device.counters-feature-off",
            "consumesCounters needs the feature gate DRAPartitionableDevices, which is off"
        ),
        FeatureField::OfSlice => message!(
            "device.slice-feature-off",
            "sharedCounters or perDeviceNodeSelection needs the feature gate DRAPartitionableDevices, which is off"
        ),
    }
}

fn counters(reason: &CounterReason) -> Message {
    let CounterReason {
        set,
        counter,
        needed,
        available,
        total,
        ..
    } = reason;
    let users = users_of_counters(&reason.holders);
    match (needed.as_str(), reason.holders.is_empty()) {
        ("0", true) => message!(
            "device.counter-overdrawn",
            "counter set {set}: {counter} is overdrawn, {available} left of {total}",
            set,
            counter,
            available,
            total
        ),
        ("0", false) => message!(
            "device.counter-overdrawn-held",
            "counter set {set}: {counter} is overdrawn, {available} left of {total} ({users})",
            set,
            counter,
            available,
            total,
            users
        ),
        (_, true) => message!(
            "device.counter-needs",
            "counter set {set}: {counter} needs {needed}, {available} left of {total}",
            set,
            counter,
            needed,
            available,
            total
        ),
        (_, false) => message!(
            "device.counter-needs-held",
            "counter set {set}: {counter} needs {needed}, {available} left of {total} ({users})",
            set,
            counter,
            needed,
            available,
            total,
            users
        ),
    }
}

/// Returns the claims that use counters: first those that hold them, then those that get them before.
fn users_of_counters(holders: &[CounterHolder]) -> Message {
    let (planned, held): (Vec<_>, Vec<_>) = holders.iter().partition(|holder| holder.planned);
    let [held, planned] = [held, planned].map(|holders| {
        let claims = holders.iter().copied().map(claim_of_counters);
        (!holders.is_empty()).then(|| message::parts(claims).into())
    });
    users(held, planned)
}

/// Names claims: those that hold something, and those that get it before.
fn users(held: Option<Words>, planned: Option<Words>) -> Message {
    let held = held.map(|claims| message!("device.held-by", "held by {claims}", claims));
    let planned = planned.map(|claims| {
        message!(
            "device.given-before",
            "given to {claims}, placed before",
            claims
        )
    });
    message::parts(held.into_iter().chain(planned))
}

fn claim_of_counters(holder: &CounterHolder) -> Message {
    message!(
        "device.counter-holder",
        "{claim} through {device}",
        claim = holder.claim,
        device = holder.device
    )
}

fn taint(reason: &TaintReason) -> Message {
    let value = if reason.value.is_empty() {
        String::new()
    } else {
        format!("={}", reason.value)
    };
    let taint = format!("{}{value}:{}", reason.key, reason.effect);
    let tried = |one: &TolerationReason| {
        let TolerationReason { index, why } = one;
        message!(
            "taint.toleration-differs",
            "toleration {index} has another {why}",
            index,
            why
        )
    };
    let tried = message::parts(reason.tolerations.iter().take(MOST).map(tried));
    match (
        reason.from.strip_prefix("rule/"),
        reason.tolerations.is_empty(),
    ) {
        (Some(rule), true) => message!(
            "taint.by-rule",
            "tainted {taint} by rule {rule}",
            taint,
            rule
        ),
        (Some(rule), false) => {
            message!(
                "taint.by-rule-not-tolerated",
                "tainted {taint} by rule {rule} ({tried})",
                taint,
                rule,
                tried
            )
        }
        (None, true) => message!("taint.by-driver", "tainted {taint} by its driver", taint),
        (None, false) => message!(
            "taint.by-driver-not-tolerated",
            "tainted {taint} by its driver ({tried})",
            taint,
            tried
        ),
    }
}

/// Returns the sentence for a selector, which is already named.
fn selector(selector: Message, reason: &SelectorReason) -> Message {
    let values = message::parts(reason.values.iter().map(|(path, value)| match value {
        Some(value) => message!("device.selector-value", "{path} is {value}", path, value),
        None => message!("device.selector-value-missing", "{path} is missing", path),
    }));
    match (&reason.error, reason.values.is_empty()) {
        (Some(error), true) => message!(
            "device.selector-error",
            "{selector} gives an error: {error}",
            selector,
            error
        ),
        (Some(error), false) => {
            message!(
                "device.selector-error-read",
                "{selector} gives an error: {error} ({values})",
                selector,
                error,
                values
            )
        }
        (None, true) => message!("device.selector-false", "{selector} is false", selector),
        (None, false) => message!(
            "device.selector-false-read",
            "{selector} is false ({values})",
            selector,
            values
        ),
    }
}

fn capacity(reason: &CapacityReason) -> Message {
    let CapacityReason {
        name,
        max,
        used,
        left,
        total,
        holders,
        names,
        planned,
        ..
    } = reason;
    let show = |value: &Option<String>| value.clone().unwrap_or_default();
    match reason.why {
        CapacityFault::UnknownName if names.is_empty() => {
            message!(
                "capacity.unknown-and-no-other",
                "no capacity {name}, and no other",
                name
            )
        }
        CapacityFault::UnknownName => {
            message!(
                "capacity.unknown",
                "no capacity {name}, but {names}",
                name,
                names = names.join(", ")
            )
        }
        CapacityFault::Max => message!(
            "capacity.above-max",
            "{charge}, one request may have at most {max}",
            charge = charge(reason),
            max = show(max)
        ),
        CapacityFault::Step => {
            message!(
                "capacity.off-step",
                "{charge}, which is not on a step",
                charge = charge(reason)
            )
        }
        CapacityFault::Values => {
            message!(
                "capacity.no-valid-value",
                "{charge}, which is not one of the valid values",
                charge = charge(reason)
            )
        }
        CapacityFault::Exhausted if holders.is_empty() => message!(
            "capacity.exhausted",
            "{charge}, {left} left of {total}",
            charge = charge(reason),
            left = show(left),
            total = show(total)
        ),
        CapacityFault::Exhausted => message!(
            "capacity.exhausted-held",
            "{charge}, {left} left of {total} ({used} {users})",
            charge = charge(reason),
            left = show(left),
            total = show(total),
            used = show(used),
            users = users_of_capacity(holders, planned)
        ),
    }
}

/// Returns the claims that use a capacity: first those that hold it, then those that get it before, each up to some.
fn users_of_capacity(holders: &[String], planned: &[String]) -> Message {
    let held: Vec<&String> = holders
        .iter()
        .filter(|claim| !planned.contains(claim))
        .collect();
    users(some_claims(&held), some_claims(planned))
}

fn some_claims(names: &[impl AsRef<str>]) -> Option<Words> {
    (!names.is_empty()).then(|| Words::upstream(some(names, MOST)))
}

/// Returns the amount that is charged, and the one asked for if it differs.
fn charge(reason: &CapacityReason) -> Message {
    let CapacityReason {
        name,
        asked,
        charged,
        total,
        max,
        ..
    } = reason;
    // Upstream writes what it rounds in binary notation; beside decimal amounts that cannot be compared at sight.
    let beside = [total, max, asked]
        .into_iter()
        .flatten()
        .next()
        .map_or("", String::as_str);
    let charged = charged.as_deref().map(|text| {
        Amount::printed(text).map_or(text.to_owned(), |one| spell_like(one.nanos(), beside))
    });
    let asked = asked
        .as_ref()
        .filter(|asked| Some(*asked) != charged.as_ref());
    let charged = charged.as_deref().unwrap_or_default();
    match asked {
        Some(asked) => {
            message!(
                "capacity.charged-as",
                "{asked} of {name} is charged as {charged}",
                asked,
                name,
                charged
            )
        }
        None => message!(
            "capacity.charged",
            "{charged} of {name} is charged",
            charged,
            name
        ),
    }
}

/// Returns why a claim that is allocated cannot be used on a node. `planned`: only because pods are placed before.
pub fn unavailable(claim: &Claim, why: Unavailable, planned: bool) -> Message {
    let name = claim.metadata.full_name();
    if planned && why == Unavailable::Elsewhere {
        return message!(
            "device.claim-planned-elsewhere",
            "{name} gets devices of another node, for a pod that is placed before",
            name
        );
    }
    let failure = if why == Unavailable::Failed {
        binding::failure(claim)
    } else {
        None
    };
    match (why, failure) {
        (Unavailable::Elsewhere, _) => {
            message!(
                "device.claim-elsewhere",
                "{name} is allocated, but not for this node",
                name
            )
        }
        (Unavailable::Failed, Some(why)) => {
            message!(
                "device.binding-failed-because",
                "binding the devices of {name} failed: {why}",
                name,
                why
            )
        }
        (Unavailable::Failed, None) => message!(
            "device.binding-failed",
            "binding the devices of {name} failed",
            name
        ),
        (Unavailable::TimedOut, _) => {
            message!(
                "device.binding-timed-out",
                "the devices of {name} were not ready for binding in time",
                name
            )
        }
    }
}

/// Returns the part of a reason that equal nodes share: kinds and amounts, without names of devices and claims.
pub fn signature(reason: &Reason) -> String {
    match reason {
        Reason::Capacity(reason) => {
            format!(
                "{} {} {:?} {:?} {:?}",
                reason.name, reason.why, reason.charged, reason.left, reason.max
            )
        }
        Reason::Counters(reason) => {
            format!("{} {} {}", reason.counter, reason.needed, reason.available)
        }
        Reason::Taint(reason) => format!(
            "{} {} {} {}",
            reason.key, reason.value, reason.effect, reason.from
        ),
        Reason::PoolIncomplete { have, want } => format!("{have} of {want}"),
        Reason::PoolInvalid { reason } => reason.clone(),
        Reason::Constraint { index, .. } => format!("constraint {index}"),
        // Nobody loses it: freeing it costs less than on the nodes where somebody does.
        Reason::InUse { pods, .. } if pods.is_empty() => "unreserved".to_owned(),
        _ => String::new(),
    }
}

/// Returns the reasons at the first stage that leaves too few devices, with the devices that have them.
pub fn why(
    cluster: &Cluster<'_>,
    class: &str,
    stages: &[Stage],
    row: &Row<'_, '_>,
    wanted: i64,
) -> Message {
    let mut short = stages.iter().filter(|stage| is_short(stage, wanted));
    let losing = stages
        .iter()
        .position(|stage| is_short(stage, wanted) && stage.lost.is_some());
    let Some((first, at)) = short.next().zip(losing) else {
        return Message::default();
    };
    let Some(stage) = stages.get(at) else {
        return Message::default();
    };
    // What a later stage loses decides nothing if there are too few devices before it.
    if first.lost.is_none()
        && first.left > 0
        && !row.iter().any(|(shown, _)| cluster.is_shared(shown.at))
    {
        return message!(
            "device.too-few-on-node",
            "the node has only {there} of {wanted} devices wanted",
            there = first.left,
            wanted
        );
    }
    let earlier = stages.get(..at).unwrap_or_default();
    let by_text = devices_by_reason(cluster, row, stage, earlier);
    if by_text.is_empty() && stage.left == 0 && stage.stage == StageKind::Class {
        // What devices of the class are kept back for is the reason, if there are such.
        let kept_back = devices_of_class_kept_back(cluster, row, stage, earlier);
        if !kept_back.is_empty() {
            return reasons_of_devices(&kept_back);
        }
        let drivers: Set<&str> = row
            .iter()
            .filter_map(|(shown, _)| Some(cluster.device(shown.at)?.0.spec.driver.as_str()))
            .collect();
        return message!(
            "device.of-other-drivers",
            "no device of class {class}: those of the node are of {drivers}",
            class,
            drivers = some(drivers.as_slice(), MOST)
        );
    }
    reasons_of_devices(&by_text)
}

/// Returns the reasons for which stages before that of the class keep devices of the class back, as those of an incomplete pool.
fn devices_of_class_kept_back<'c>(
    cluster: &'c Cluster<'_>,
    row: &Row<'_, '_>,
    class: &Stage,
    earlier: &[Stage],
) -> Sorted<Message, Vec<&'c str>> {
    let mut by_text: Sorted<Message, Vec<&str>> = Sorted::new();
    for (shown, reasons) in row {
        let is_of_class = !reasons.iter().any(|reason| is_of(reason, class));
        let Some((_, device)) = cluster.device(shown.at).filter(|_| is_of_class) else {
            continue;
        };
        for found in reasons {
            if earlier.iter().any(|stage| is_of(found, stage)) {
                by_text.entry(reason(found)).push(&device.name);
            }
        }
    }
    by_text
}

fn is_short(stage: &Stage, wanted: i64) -> bool {
    i64::try_from(stage.left).is_ok_and(|left| left < wanted.max(1))
}

/// Returns the reasons of a stage, each with its devices. Devices that an earlier stage removed are left out.
fn devices_by_reason<'c>(
    cluster: &'c Cluster<'_>,
    row: &Row<'_, '_>,
    stage: &Stage,
    earlier: &[Stage],
) -> Sorted<Message, Vec<&'c str>> {
    let mut by_text: Sorted<Message, Vec<&str>> = Sorted::new();
    for (shown, reasons) in row {
        let is_removed = reasons
            .iter()
            .any(|reason| earlier.iter().any(|stage| is_of(reason, stage)));
        let Some((_, device)) = cluster.device(shown.at).filter(|_| !is_removed) else {
            continue;
        };
        for found in reasons {
            if is_of(found, stage) && !is_of_another_driver(found) {
                by_text.entry(reason(found)).push(&device.name);
            }
        }
    }
    by_text
}

fn reasons_of_devices(by_text: &Sorted<Message, Vec<&str>>) -> Message {
    // A last one takes no more room than its number.
    let is_one_more = by_text.len() == MOST.saturating_add(1);
    let most = MOST.saturating_add(usize::from(is_one_more));
    let parts = by_text.iter().take(most).map(|(text, devices)| {
        message!(
            "device.reason-of-devices",
            "{devices}: {text}",
            devices = some(devices, MOST),
            text
        )
    });
    let reasons = message::sentences(parts);
    match by_text.len().saturating_sub(most) {
        0 => reasons,
        more => message!(
            "device.other-reasons",
            "{reasons}; other reasons: {more}",
            reasons,
            more
        ),
    }
}

/// Returns the stage that leaves too few devices, if its reasons can hide others: without them the devices may still be refused.
pub fn hiding_stage(stages: &[Stage], wanted: i64) -> Option<&Stage> {
    let stage = stages.iter().find(|stage| is_short(stage, wanted))?;
    let is_about_the_request = !matches!(
        stage.stage,
        StageKind::Node
            | StageKind::Pool
            | StageKind::Feature
            | StageKind::Class
            | StageKind::DeviceNode
    );
    (is_about_the_request && stage.lost.is_some()).then_some(stage)
}

/// Returns true for a selector of the class that is false before it reads any attribute, as on devices of other drivers: that
/// says nothing of them.
fn is_of_another_driver(reason: &Reason) -> bool {
    matches!(reason, Reason::ClassSelector(reason) if reason.error.is_none() && reason.values.is_empty())
}

/// Maximum number of objects that one sentence names.
pub const MOST_NAMES: usize = 3;

/// Returns the first of many names, and how many more there are.
pub fn some(names: &[impl AsRef<str>], most: usize) -> String {
    let shown = names
        .iter()
        .take(most)
        .map(AsRef::as_ref)
        .collect::<Vec<&str>>()
        .join(", ");
    and_more(shown, names.len().saturating_sub(most))
}

/// Says that pods end.
pub fn ending(pods: &[String], most: usize) -> String {
    let verb = match pods.len() {
        1 => "ends",
        _ => "end",
    };
    format!("{} {verb}", some(pods, most))
}

/// Adds how many more there are.
pub fn and_more<W: Display + From<Message>>(shown: W, more: usize) -> W {
    if more == 0 {
        shown
    } else {
        message!("device.and-more", "{shown} and {more} more", shown, more).into()
    }
}

/// Returns a sentence about a node.
pub fn of_node(node: &str, what: impl Display) -> Message {
    message!("account.of-node", "{node}: {what}", node, what)
}
