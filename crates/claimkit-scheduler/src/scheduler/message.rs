//! The message of the condition `PodScheduled` (kube-scheduler, `framework.FitError`).

use super::outcome::{NodeReasons, RefusalReason};
use super::release::ReleaseRules;
use crate::allocator::sorted::{Set, Sorted};

/// The message of preemption about nodes that it cannot help.
pub const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";
/// The message of preemption about a node without pods of lower priority.
pub const NO_VICTIMS: &str = "No preemption victims found for incoming pod";
/// The message if there is no node.
pub const NO_NODES: &str = "no nodes available to schedule pods";

/// Reasons with the number of nodes.
#[derive(Debug, Default)]
pub struct Histogram(Sorted<String, usize>);

impl Histogram {
    /// Counts a reason.
    pub fn add(&mut self, reason: &str, nodes: usize) {
        if nodes > 0 {
            let count = self.0.entry(reason.to_owned());
            *count = count.saturating_add(nodes);
        }
    }

    /// Counts the reasons that the scheduler reports of each node.
    pub fn of(rules: &ReleaseRules, nodes: &[NodeReasons]) -> Self {
        let mut counts: Sorted<&RefusalReason, usize> = Sorted::new();
        for reason in nodes.iter().flat_map(|node| &node.why.first.reasons) {
            let count = counts.entry(reason);
            *count = count.saturating_add(1);
        }
        let mut histogram = Histogram::default();
        for (reason, count) in counts.iter() {
            histogram.add(&reason.text(rules), *count);
        }
        histogram
    }

    /// Writes `0/N nodes are available: 2 this, 3 that.`: sorted as texts, numbers included.
    pub fn message(&self, nodes: usize) -> String {
        let texts: Set<String> = self
            .0
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        let list: Vec<&str> = texts.iter().map(String::as_str).collect();
        if list.is_empty() {
            return format!("0/{nodes} nodes are available:");
        }
        format!("0/{nodes} nodes are available: {}.", list.join(", "))
    }
}

/// Writes the error of the plugin for devices on a node.
pub fn filter_error(error: &str) -> String {
    format!("running \"DynamicResources\" filter plugin: {error}")
}

/// Writes the message after a plugin has refused the pod before any node.
pub fn before_nodes(nodes: usize, reason: &str) -> String {
    format!("0/{nodes} nodes are available: {reason}.")
}

/// Adds to a message what plugins say after a failure.
pub fn with_post(message: String, post: &[String]) -> String {
    if post.is_empty() {
        message
    } else {
        format!("{message} {}", post.join(", "))
    }
}
