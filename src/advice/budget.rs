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
        let (what, max) = tail.split_once(" must not exceed ")?;
        let count: usize = head.rsplit(": ").next()?.parse().ok()?;
        return Some(match what {
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
        });
    }
    let (count, max): (usize, usize) = match message.split_once(": must have at most ") {
        Some((head, tail)) => (
            head.rsplit(": ").next()?.parse().ok()?,
            tail.strip_suffix(" items")?.parse().ok()?,
        ),
        None => (
            node.map(|node| tree.items(node).len().max(tree.entries(node).len()))?,
            message
                .split_once(": may not be longer than ")?
                .1
                .parse()
                .ok()?,
        ),
    };
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

/// Says the same of the devices of a slice.
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
