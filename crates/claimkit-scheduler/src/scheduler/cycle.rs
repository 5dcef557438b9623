//! One attempt to find a node for a pod.

use super::message::{self, Histogram};
use super::outcome::{NodeReasons, Plugin, PluginRefusal, RefusalReason, Refusals, Unsure};
use super::prepared::Prepared;
use super::scores;
use super::state::State;
use super::turn::{Fails, PodAttempt};
use crate::allocator::sorted::ordered;
use crate::allocator::status::StatusCode;
use claimkit_values::order;
use std::rc::Rc;

/// Below this number of nodes all are tried (`minFeasibleNodesToFind`).
const ALL_BELOW: usize = 100;
/// The least part of the nodes that is tried, in percent.
const LEAST_PERCENT: usize = 5;

/// The outcome of an attempt.
#[derive(Debug)]
pub enum AttemptOutcome {
    Fits {
        node: usize,
        /// Other nodes of the same score.
        tied: Vec<usize>,
        /// Facts that the choice depends on and the objects do not decide.
        unsure: Option<Unsure>,
    },
    Fails(Box<Fails>),
}

impl AttemptOutcome {
    /// Returns true if a plugin before the one for devices ended the attempt.
    pub fn ends_early(&self) -> bool {
        matches!(self, Self::Fails(fails) if fails.is_early)
    }
}

/// Takes one of several nodes of the same score.
pub type Choose<'c> = &'c mut dyn FnMut(&[usize]) -> usize;

impl<'f> PodAttempt<'_, 'f> {
    /// Looks for a node.
    pub fn attempt(
        &mut self,
        prepared: &Prepared<'f>,
        state: &mut State,
        choose: Choose<'_>,
    ) -> AttemptOutcome {
        let count = prepared.facts.nodes.len();
        if count == 0 {
            return AttemptOutcome::Fails(Box::new(Fails {
                message: message::NO_NODES.to_owned(),
                is_early: true,
                nodes: Vec::new(),
                is_error: false,
                unsure: None,
            }));
        }
        if self.views.contradiction {
            return refused_early(count, "pod affinity terms conflict");
        }
        if let Some(reason) = self.volumes.as_ref().and_then(|one| one.refused.as_ref()) {
            return refused_early(count, reason);
        }
        if let Some(devices) = &self.devices
            && !devices.case.goes_on()
        {
            let status = &devices.case.pre_filter;
            let text = status.message().unwrap_or_default();
            if status.code == StatusCode::Error {
                return error(format!(
                    "running PreFilter plugin \"DynamicResources\": {text}"
                ));
            }
            return self.refused_before(count, text);
        }
        let nominated = state
            .nominated
            .iter()
            .find(|(pod, _)| *pod == self.pod)
            .map(|(_, node)| *node);
        if let Some(node) = nominated
            && matches!(self.check_with_nominated(prepared, state, node), Ok(None))
        {
            return AttemptOutcome::Fits {
                node,
                tied: Vec::new(),
                unsure: None,
            };
        }
        self.search(prepared, state, choose)
    }

    fn refused_before(&self, nodes: usize, reason: String) -> AttemptOutcome {
        AttemptOutcome::Fails(Box::new(Fails {
            message: message::before_nodes(nodes, &reason),
            is_early: false,
            nodes: Vec::new(),
            is_error: false,
            unsure: None,
        }))
    }

    /// Filters the nodes and takes the best.
    fn search(
        &mut self,
        prepared: &Prepared<'f>,
        state: &mut State,
        choose: Choose<'_>,
    ) -> AttemptOutcome {
        let walk = self.nodes_in_order(prepared, state);
        let mut filtered = self.filter_nodes(prepared, state, &walk);
        state.next_start = state
            .next_start
            .saturating_add(filtered.looked_at)
            .checked_rem(prepared.walk.len())
            .unwrap_or(0);
        if let Some(first) = filtered.errors.first() {
            return filter_failure(first, &filtered.errors);
        }
        if filtered.fitting.is_empty() {
            if self.views.named.is_some() {
                add_other_nodes(prepared, &mut filtered.refused);
            }
            return self.fails(prepared, state, filtered.refused);
        }
        let is_sampled = filtered.looked_at < walk.len();
        let unsure = is_sampled.then_some(Unsure::Sampled);
        self.take_best(prepared, state, choose, &filtered.fitting, unsure)
    }

    /// Returns the nodes in the order in which they are filtered: those that the pod names, or all, from where the last attempt ended.
    fn nodes_in_order(&self, prepared: &Prepared<'f>, state: &State) -> Vec<usize> {
        if let Some(named) = &self.views.named {
            return named.clone();
        }
        let (before, after) = prepared
            .walk
            .split_at_checked(state.next_start)
            .unwrap_or_default();
        after.iter().chain(before).copied().collect()
    }

    /// Filters nodes until enough of them fit.
    fn filter_nodes(
        &mut self,
        prepared: &Prepared<'f>,
        state: &mut State,
        walk: &[usize],
    ) -> FilteredNodes {
        let wanted = nodes_to_find(walk.len());
        let mut filtered = FilteredNodes::default();
        for node in walk {
            if filtered.fitting.len() >= wanted {
                break;
            }
            filtered.looked_at = filtered.looked_at.saturating_add(1);
            match self.check_with_nominated(prepared, state, *node) {
                Ok(None) => filtered.fitting.push(*node),
                Ok(Some(first)) => filtered.refused.push(RefusedNode { node: *node, first }),
                Err(error) => filtered.errors.push(error),
            }
        }
        filtered
    }

    /// Takes the node with the best score. The scheduler scores only if several nodes fit.
    fn take_best(
        &mut self,
        prepared: &Prepared<'f>,
        state: &mut State,
        choose: Choose<'_>,
        fitting: &[usize],
        unsure: Option<Unsure>,
    ) -> AttemptOutcome {
        if let [node] = fitting {
            return AttemptOutcome::Fits {
                node: *node,
                tied: Vec::new(),
                unsure,
            };
        }
        if let Some(devices) = &self.devices
            && let Some(error) = devices.case.score_error(devices.case.pending.len())
        {
            return self::error(error);
        }
        let totals = scores::totals(prepared, state, self, fitting);
        let best = totals.iter().max().copied().unwrap_or(0);
        let mut equal: Vec<usize> = fitting
            .iter()
            .zip(&totals)
            .filter(|(_, total)| **total == best)
            .map(|(node, _)| *node)
            .collect();
        let node = if equal.len() > 1 {
            equal = by_name(prepared, &equal);
            choose(&equal)
        } else {
            equal.first().copied().unwrap_or(0)
        };
        equal.retain(|other| *other != node);
        let tie = (!equal.is_empty()).then_some(Unsure::Tie);
        AttemptOutcome::Fits {
            node,
            tied: equal,
            unsure: unsure.or(tie),
        }
    }

    fn fails(
        &self,
        prepared: &Prepared<'f>,
        state: &State,
        mut refused: Vec<RefusedNode>,
    ) -> AttemptOutcome {
        order::sort_by_key(&mut refused, |refused| refused.node);
        let mut nodes: Vec<NodeReasons> = Vec::with_capacity(refused.len());
        let mut shared = SharedRefusals::default();
        for RefusedNode { node, first } in refused {
            let others = self.others(prepared, state, node, &first);
            let why = shared.share(Refusals { first, others });
            nodes.push(NodeReasons { node, why });
        }
        let message =
            Histogram::of(prepared.setup.rules, &nodes).message(prepared.facts.nodes.len());
        AttemptOutcome::Fails(Box::new(Fails {
            message,
            is_early: false,
            nodes,
            is_error: false,
            unsure: None,
        }))
    }
}

/// Returns the failure of an attempt in which the filter of a node ends with an error.
fn filter_failure(first: &str, errors: &[String]) -> AttemptOutcome {
    let has_others = errors.iter().any(|other| other != first);
    AttemptOutcome::Fails(Box::new(Fails {
        message: message::filter_error(first),
        is_early: false,
        nodes: Vec::new(),
        is_error: true,
        unsure: has_others.then_some(Unsure::FirstError),
    }))
}

/// The nodes of an attempt after `Filter`.
#[derive(Default)]
struct FilteredNodes {
    fitting: Vec<usize>,
    refused: Vec<RefusedNode>,
    errors: Vec<String>,
    /// How many nodes were filtered.
    looked_at: usize,
}

/// A node, and the first refusal of a plugin.
struct RefusedNode {
    node: usize,
    first: PluginRefusal,
}

/// Adds the nodes that were not tried, for the pod names the nodes that it can use.
fn add_other_nodes(prepared: &Prepared<'_>, refused: &mut Vec<RefusedNode>) {
    let mut is_refused = vec![false; prepared.facts.nodes.len()];
    for RefusedNode { node, .. } in refused.iter() {
        if let Some(is_refused) = is_refused.get_mut(*node) {
            *is_refused = true;
        }
    }
    let code = StatusCode::UnschedulableAndUnresolvable;
    for (node, is_refused) in is_refused.into_iter().enumerate() {
        if !is_refused {
            let first = PluginRefusal::new(Plugin::NodeAffinity, code, RefusalReason::OtherNode);
            refused.push(RefusedNode { node, first });
        }
    }
}

/// Maximum number of different refusals that nodes share.
const MOST_SHARED: usize = 64;

/// The different refusals of the nodes of an attempt. Many nodes refuse a pod for the same reasons.
#[derive(Default)]
struct SharedRefusals {
    known: Vec<Rc<Refusals>>,
}

impl SharedRefusals {
    /// Returns these refusals, or equal ones of another node.
    fn share(&mut self, refusals: Refusals) -> Rc<Refusals> {
        let mut known = self.known.iter();
        if let Some(equal) = known.find(|known| ***known == refusals) {
            return Rc::clone(equal);
        }
        let new = Rc::new(refusals);
        if self.known.len() < MOST_SHARED {
            self.known.push(Rc::clone(&new));
        }
        new
    }
}

/// Returns the number of feasible nodes to find among `nodes` (`numFeasibleNodesToFind`).
fn nodes_to_find(nodes: usize) -> usize {
    if nodes < ALL_BELOW {
        return nodes;
    }
    let percent = 50usize.saturating_sub(nodes / 125).max(LEAST_PERCENT);
    (nodes.saturating_mul(percent) / 100).max(ALL_BELOW)
}

/// Returns the nodes in the order of their names.
fn by_name(prepared: &Prepared<'_>, nodes: &[usize]) -> Vec<usize> {
    ordered(nodes, &|a, b| {
        prepared.node_name(*a).cmp(prepared.node_name(*b))
    })
}

/// Ends an attempt before the plugin for devices sees the pod.
fn refused_early(nodes: usize, reason: &str) -> AttemptOutcome {
    AttemptOutcome::Fails(Box::new(Fails {
        message: message::before_nodes(nodes, reason),
        is_early: true,
        nodes: Vec::new(),
        is_error: false,
        unsure: None,
    }))
}

fn error(message: String) -> AttemptOutcome {
    AttemptOutcome::Fails(Box::new(Fails {
        message,
        is_early: false,
        nodes: Vec::new(),
        is_error: true,
        unsure: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_share_equal_refusals() {
        let refusals = |reason: RefusalReason| Refusals {
            first: PluginRefusal::new(Plugin::NodePorts, StatusCode::Unschedulable, reason),
            others: Vec::new(),
        };
        let mut shared = SharedRefusals::default();
        let first = shared.share(refusals(RefusalReason::Ports));
        let other = shared.share(refusals(RefusalReason::Spread));
        let again = shared.share(refusals(RefusalReason::Ports));
        assert!(Rc::ptr_eq(&first, &again));
        assert!(!Rc::ptr_eq(&first, &other));
    }
}
