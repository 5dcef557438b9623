//! Help for limits: the actual count and the allowed maximum.

use crate::finding::{Finding, Step};
use crate::text::tree::{NodeId, Tree};

/// Returns the help for a finding about a limit. `node`: the value at the finding's path. `reduced`: the maximum number of
/// devices in a slice whose devices use certain features, and in any other slice.
pub fn help(finding: &Finding, tree: &Tree<'_>, node: Option<NodeId>, reduced: Option<(usize, usize)>) -> Option<String> {
    let message = finding.message.as_str();
    if let Some((head, tail)) = message.split_once(": the total number of ") {
        let (what, max) = tail.split_once(" must not exceed ")?;
        let count: usize = head.rsplit(": ").next()?.parse().ok()?;
        return Some(format!("{count} {what}, {max} allowed"));
    }
    let listed = || node.map(|node| tree.items(node).len().max(tree.entries(node).len()));
    let (count, max): (usize, usize) = match message.split_once(": must have at most ") {
        Some((head, tail)) => (head.rsplit(": ").next()?.parse().ok()?, tail.strip_suffix(" items")?.parse().ok()?),
        None => (listed()?, message.split_once(": may not be longer than ")?.1.parse().ok()?),
    };
    let Some(Step::Key(what)) = finding.steps.last() else { return None };
    let more = match reduced.filter(|_| what == "devices") {
        Some((few, many)) if max == few => format!(" where a device uses taints, counters or attribute lists, {many} otherwise"),
        Some((few, _)) => format!(", {few} where a device uses taints, counters or attribute lists"),
        None => String::new(),
    };
    let split = if what == "devices" { "; write the others into another slice of the pool" } else { "" };
    Some(format!("{count} {what}, {max} allowed{more}{split}"))
}
