//! An attempt as an observer sees it: before its result changes anything.

use super::cycle::AttemptOutcome;
use super::outcome::PluginRefusal;
use super::prepared::Prepared;
use super::state::State;
use super::turn::PodAttempt;
use super::words;
use crate::allocator::cluster::Cluster;
use crate::allocator::objects::{Claim, Facts, Pod};
use crate::allocator::plugin::PodCase;
use crate::allocator::results::DeviceAllocation;
use crate::explain::turn::NodeRefusal;
use std::rc::Rc;

/// An observer of a run: the pods it asks about, and what takes each attempt.
pub struct Watch<'w> {
    /// The pods that are asked about: such a pod is tried even if a pod that nobody asks about failed with an equal spec.
    pub asked: &'w dyn Fn(&Pod) -> bool,
    /// Takes the state that an attempt sees.
    pub see: &'w mut dyn FnMut(&Seen<'_, '_>),
}

/// The state that an attempt sees.
#[derive(Debug)]
pub struct Seen<'s, 'f> {
    prepared: &'s Prepared<'f>,
    state: &'s State,
    turn: &'s PodAttempt<'s, 'f>,
    attempt: &'s AttemptOutcome,
}

impl<'s, 'f> Seen<'s, 'f> {
    pub(super) fn new(
        prepared: &'s Prepared<'f>,
        state: &'s State,
        turn: &'s PodAttempt<'s, 'f>,
        attempt: &'s AttemptOutcome,
    ) -> Self {
        Seen {
            prepared,
            state,
            turn,
            attempt,
        }
    }

    /// Returns the index of the pod.
    pub fn pod(&self) -> usize {
        self.turn.pod
    }

    /// Returns the pod.
    pub fn facts_of_pod(&self) -> &'f Pod {
        self.turn.facts
    }

    /// Returns the devices of the cluster, with what is in use now.
    pub fn cluster(&self) -> &'s Cluster<'f> {
        &self.prepared.cluster
    }

    /// Returns the name of a node.
    pub fn name_of(&self, node: usize) -> String {
        self.prepared
            .facts
            .nodes
            .get(node)
            .map_or_else(String::new, |node| node.metadata.name.clone())
    }

    /// Returns the pod's claims as `namespace/name`.
    pub fn claims(&self) -> Vec<String> {
        let claims = self
            .turn
            .devices
            .iter()
            .flat_map(|devices| &devices.case.claims);
        claims.map(|claim| claim.metadata.full_name()).collect()
    }

    /// Returns the claims that the attempt allocates, in the order of the allocations.
    pub fn pending(&self) -> &[&Claim] {
        self.turn
            .devices
            .as_ref()
            .map_or(&[][..], |devices| devices.case.pending.as_slice())
    }

    /// Returns the node that the pod gets; `None`: the attempt fails.
    pub fn node(&self) -> Option<usize> {
        match self.attempt {
            AttemptOutcome::Fits { node, .. } => Some(*node),
            AttemptOutcome::Fails(_) => None,
        }
    }

    /// Returns true if the pod asks for devices.
    pub fn asks_for_devices(&self) -> bool {
        self.turn.devices.is_some()
    }

    /// Returns what the plugin for devices knows before any node; `None`: the pod asks for no devices.
    pub fn case_of_devices(&self) -> Option<&PodCase<'s>> {
        Some(&self.turn.devices.as_ref()?.case)
    }

    /// Returns the refusals of all nodes that were tried in vain, first the one that the scheduler reports.
    pub fn refused(&self) -> Vec<(usize, Vec<NodeRefusal>)> {
        let AttemptOutcome::Fails(fails) = self.attempt else {
            return Vec::new();
        };
        fails
            .nodes
            .iter()
            .map(|reasons| {
                let all = std::iter::once(&reasons.why.first).chain(&reasons.why.others);
                let accounts = all.map(|refusal| self.account(reasons.node, refusal));
                (reasons.node, accounts.collect())
            })
            .collect()
    }

    /// Returns the refusals of a node of a pod that gets another one.
    pub fn refusals(&self, node: usize) -> Vec<NodeRefusal> {
        self.now(node)
            .iter()
            .map(|refusal| self.account(node, refusal))
            .collect()
    }

    fn now(&self, node: usize) -> Vec<PluginRefusal> {
        let Ok(Some(first)) = self.turn.check(self.prepared, self.state, node) else {
            return Vec::new();
        };
        let others = self.turn.others(self.prepared, self.state, node, &first);
        std::iter::once(first).chain(others).collect()
    }

    fn account(&self, node: usize, refusal: &PluginRefusal) -> NodeRefusal {
        let rules = self.prepared.setup.rules;
        let pods_before = words::pods_before(self.prepared, self.state, node, refusal);
        NodeRefusal {
            plugin: refusal.plugin,
            reasons: refusal
                .reasons
                .iter()
                .map(|reason| reason.text(rules).into_owned())
                .collect(),
            code: refusal.code,
            why: words::why(self.prepared, self.state, self.turn, node, refusal),
            placed_before: words::placed_before(&pods_before),
            taints: words::untolerated(self.prepared, self.turn, node, refusal),
            labels: words::labels(self.prepared, self.turn, node, refusal),
            pods_before,
        }
    }

    /// Returns the allocations of the pod's claims on a node that fits.
    pub fn allocations(&self, node: usize) -> Vec<DeviceAllocation> {
        let answer = self
            .turn
            .devices
            .as_ref()
            .and_then(|devices| devices.ask(self.prepared, node));
        answer.map_or_else(Vec::new, |answer| answer.allocations().to_vec())
    }

    /// Returns the facts as they are before the attempt: what earlier pods took is taken.
    pub fn facts(&self) -> Facts {
        let mut facts = self.prepared.facts.clone();
        let given = &self.prepared.facts.claims;
        for (at, claim) in self.state.claims.iter().enumerate() {
            // The scheduler makes claims for extended resources: these were not given.
            let was_allocated = given
                .get(at)
                .is_some_and(|given| given.status.allocation.is_some());
            if claim.status.allocation.is_some() && !was_allocated {
                facts.planned.insert(claim.metadata.full_name());
            }
        }
        facts.claims.clone_from(&self.state.claims);
        for (pod, state) in facts.pods.iter_mut().zip(&self.state.pods) {
            if let Some(node) = state
                .node
                .and_then(|node| self.prepared.facts.nodes.get(node))
            {
                set_node(pod, &node.metadata.name);
            }
        }
        for assumed in &self.prepared.cluster.assumed {
            let (namespace, name) = (&assumed.metadata.namespace, &assumed.metadata.name);
            let mut pods = facts.pods.iter_mut();
            let given =
                pods.find(|pod| pod.metadata.name == *name && pod.metadata.namespace == *namespace);
            given.into_iter().for_each(|pod| pod.clone_from(assumed));
        }
        facts
    }
}

fn set_node(pod: &mut Rc<Pod>, name: &str) {
    if pod.spec.node_name.is_empty() {
        Rc::make_mut(pod).spec.node_name = name.to_owned();
    }
}
