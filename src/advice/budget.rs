//! Help for limits: the actual count and the allowed maximum.

use claimkit_model::finding::{Finding, Step};
use claimkit_model::message::{Message, message};
use claimkit_model::text::tree::{NodeId, Tree};

/// Returns the help for a finding about a limit. `node`: the value at the finding's path. `reduced`: the maximum number of
/// devices in a slice whose devices use certain features, and in any other slice.
pub fn help(
    finding: &Finding,
    tree: &Tree<'_>,
    node: Option<NodeId>,
    reduced: Option<(usize, usize)>,
) -> Option<Message> {
    let message = finding.message.as_str();
    if let Some((head, tail)) = message.split_once(": the total number of ") {
        return help_with_total(head, tail);
    }
    let count: usize;
    let max: usize;
    if let Some((head, tail)) = message.split_once(": must have at most ") {
        count = number_at_end(head)?;
        max = tail.strip_suffix(" items")?.parse().ok()?;
    } else {
        let (_, longest) = message.split_once(": may not be longer than ")?;
        let value = node?;
        let items = tree.items(value).len();
        count = items.max(tree.entries(value).len());
        max = longest.parse().ok()?;
    }
    let Some(Step::Key(what)) = finding.steps.last() else {
        return None;
    };
    Some(match what.as_str() {
        "devices" => devices(count, max, reduced),
        "requests" => message!(
            "budget.requests",
            "{count} requests, {max} allowed",
            count,
            max
        ),
        _ => allowed(count, what, max),
    })
}

/// Returns the help where a total is too large. `head` ends with the count, `tail` begins with what is counted.
fn help_with_total(head: &str, tail: &str) -> Option<Message> {
    let (what, max) = tail.split_once(" must not exceed ")?;
    let count = number_at_end(head)?;
    Some(match what {
        "attributes and capacities" => {
            message!(
                "budget.attributes-and-capacities",
                "{count} attributes and capacities, {max} allowed",
                count,
                max
            )
        }
        "attribute values" => message!(
            "budget.attribute-values",
            "{count} attribute values, {max} allowed",
            count,
            max
        ),
        "counters" => message!(
            "budget.counters",
            "{count} counters, {max} allowed",
            count,
            max
        ),
        "counters in devices" => {
            message!(
                "budget.device-counters",
                "{count} counters in devices, {max} allowed",
                count,
                max
            )
        }
        "shared counters" => message!(
            "budget.shared-counters",
            "{count} shared counters, {max} allowed",
            count,
            max
        ),
        other => allowed(count, other, max),
    })
}

/// Returns the help where a slice has too many devices.
fn devices(count: usize, max: usize, reduced: Option<(usize, usize)>) -> Message {
    match reduced {
        Some((few, many)) if max == few => message!(
            "budget.devices-otherwise-more",
            "{count} devices, {max} allowed where a device uses taints, counters or attribute lists, {many} otherwise; write the others into another slice of the pool",
            count,
            max,
            many
        ),
        Some((few, _)) => message!(
            "budget.devices-otherwise-fewer",
            "{count} devices, {max} allowed, {few} where a device uses taints, counters or attribute lists; write the others into another slice of the pool",
            count,
            max,
            few
        ),
        None => message!(
            "budget.devices",
            "{count} devices, {max} allowed; write the others into another slice of the pool",
            count,
            max
        ),
    }
}

fn allowed(count: usize, what: &str, max: impl std::fmt::Display) -> Message {
    message!(
        "budget.allowed",
        "{count} {what}, {max} allowed",
        count,
        what,
        max
    )
}

/// Returns the number after the last colon.
fn number_at_end(head: &str) -> Option<usize> {
    head.rsplit(": ").next()?.parse().ok()
}
