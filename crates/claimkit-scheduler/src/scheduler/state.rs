//! What changes while pods are placed: pods on nodes, what they use, claims, and counts of pods.

use super::labels::Pods;
use super::ports::Port;
use super::prepared::{Prepared, has_ended};
use super::resources::CPU;
use super::volume_index::VolumeState;
use crate::allocator::objects::Claim;
use claimkit_values::order;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A node and the pods on it.
#[derive(Clone, Debug, Default)]
pub struct NodeState {
    pub pods: Vec<usize>,
    /// The requests of its pods, by resource.
    pub used: Vec<i64>,
    /// CPU and memory as the scores count them.
    pub scored: [i64; 2],
    pub ports: Vec<Port>,
    /// Changes whenever devices that only this node sees are taken or given back.
    pub devices: u64,
}

/// The state of a pod.
#[derive(Clone, Copy, Debug, Default)]
pub struct PodState {
    /// The node where it runs, or will run.
    pub node: Option<usize>,
    /// It is being deleted.
    pub ending: bool,
}

/// Whether a pod comes onto a node or leaves it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Move {
    Onto,
    Off,
}

impl Move {
    /// Adds an amount to a sum, or takes it off.
    fn apply(self, sum: &mut i64, amount: i64) {
        *sum = match self {
            Move::Onto => sum.saturating_add(amount),
            Move::Off => sum.saturating_sub(amount),
        };
    }
}

/// The nodes in the order of their names.
struct NodesByName<'p, 'f> {
    prepared: &'p Prepared<'f>,
    order: Vec<usize>,
}

impl<'p, 'f> NodesByName<'p, 'f> {
    fn of(prepared: &'p Prepared<'f>) -> Self {
        let order = order::positions(prepared.facts.nodes.len(), &|a, b| {
            prepared.node_name(a).cmp(prepared.node_name(b))
        });
        NodesByName { prepared, order }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let place = self
            .order
            .binary_search_by(|at| self.prepared.node_name(*at).cmp(name))
            .ok()?;
        self.order.get(place).copied()
    }
}

/// How many pods of a set are on each node.
#[derive(Clone, Debug)]
pub struct CounterState {
    pods: Pods,
    /// One entry per node.
    pub counts: Vec<u32>,
    pub total: u64,
}

/// The state that changes during the simulation.
#[derive(Clone, Debug)]
pub struct State {
    /// One entry per node.
    pub nodes: Vec<NodeState>,
    /// One entry per pod.
    pub pods: Vec<PodState>,
    /// The claims as they are now: those of the facts, then those that the scheduler made.
    pub claims: Vec<Rc<Claim>>,
    /// Per claim, which of its allocations it has; unique over all claims and times.
    pub allocations: Vec<u64>,
    /// By pod, what its devices take of its node beside its requests, by resource.
    pub taken_by_devices: BTreeMap<usize, Vec<(usize, i64)>>,
    pub volumes: VolumeState,
    /// Counted sets of pods.
    pub counters: Vec<CounterState>,
    /// Pods on nodes that have rules about other pods.
    pub with_affinity: Vec<usize>,
    /// Pods for which preemption makes room, and where.
    pub nominated: Vec<(usize, usize)>,
    /// Changes whenever devices that several nodes see are taken or given back.
    pub shared_devices: u64,
    /// Changes with every change of the state.
    pub version: u64,
    /// The start of the next search for nodes.
    pub next_start: usize,
}

impl State {
    /// Makes the state before anything happens.
    pub fn new(prepared: &Prepared<'_>) -> Self {
        let facts = prepared.facts;
        let empty = NodeState {
            used: vec![0; prepared.names.len()],
            ..NodeState::default()
        };
        let mut state = State {
            nodes: vec![empty; facts.nodes.len()],
            pods: facts
                .pods
                .iter()
                .map(|pod| PodState {
                    node: None,
                    ending: pod.metadata.deletion_timestamp.is_some(),
                })
                .collect(),
            claims: facts.claims.clone(),
            allocations: facts
                .claims
                .iter()
                .map(|_| prepared.next_version())
                .collect(),
            taken_by_devices: BTreeMap::new(),
            volumes: VolumeState::new(&facts.volumes),
            counters: Vec::new(),
            with_affinity: Vec::new(),
            nominated: Vec::new(),
            shared_devices: 0,
            version: 0,
            next_start: 0,
        };
        let nodes = NodesByName::of(prepared);
        for (at, pod) in facts.pods.iter().enumerate() {
            if has_ended(pod) {
                continue;
            }
            let node_name = pod.spec.node_name.as_str();
            if !node_name.is_empty() {
                if let Some(node) = nodes.find(node_name) {
                    state.place(prepared, at, node);
                }
                continue;
            }
            let nominated = pod.status.nominated_node_name.as_str();
            if !nominated.is_empty()
                && let Some(node) = nodes.find(nominated)
            {
                state.nominated.push((at, node));
            }
        }
        state
    }

    /// Puts a pod on a node.
    pub fn place(&mut self, prepared: &Prepared<'_>, pod: usize, node: usize) {
        self.count(prepared, pod, node, Move::Onto);
        if let Some(state) = self.pods.get_mut(pod) {
            state.node = Some(node);
        }
    }

    /// Adds what the devices of a pod take of the node that it is on.
    pub fn take_for_devices(&mut self, pod: usize, node: usize, amounts: Vec<(usize, i64)>) {
        if let Some(state) = self.nodes.get_mut(node) {
            for (resource, amount) in &amounts {
                if let Some(used) = state.used.get_mut(*resource) {
                    *used = used.saturating_add(*amount);
                }
            }
        }
        self.taken_by_devices.insert(pod, amounts);
    }

    /// Takes a pod off its node.
    pub fn remove(&mut self, prepared: &Prepared<'_>, pod: usize) {
        let Some(node) = self.pods.get_mut(pod).and_then(|state| state.node.take()) else {
            return;
        };
        self.count(prepared, pod, node, Move::Off);
        self.taken_by_devices.remove(&pod);
    }

    fn count(&mut self, prepared: &Prepared<'_>, pod: usize, node: usize, step: Move) {
        self.version = prepared.next_version();
        let (Some(profile), Some(facts)) = (prepared.profile(pod), prepared.facts.pods.get(pod))
        else {
            return;
        };
        let ending = self.pods.get(pod).is_some_and(|state| state.ending);
        if let Some(state) = self.nodes.get_mut(node) {
            let of_devices = self.taken_by_devices.get(&pod).into_iter().flatten();
            for (resource, amount) in profile.requests.amounts.iter().chain(of_devices) {
                if let Some(used) = state.used.get_mut(*resource) {
                    step.apply(used, *amount);
                }
            }
            for (sum, amount) in state.scored.iter_mut().zip(profile.requests.scored) {
                step.apply(sum, amount);
            }
            match step {
                Move::Onto => {
                    state.pods.push(pod);
                    state.ports.extend(profile.ports.iter().cloned());
                }
                Move::Off => {
                    state.pods.retain(|known| *known != pod);
                    for port in &profile.ports {
                        if let Some(at) = state.ports.iter().position(|known| known == port) {
                            state.ports.remove(at);
                        }
                    }
                }
            }
        }
        for counter in self
            .counters
            .iter_mut()
            .filter(|counter| counter.pods.contains(prepared.facts, facts, ending))
        {
            counter.count(node, step);
        }
        if prepared.has_affinity(pod) {
            match step {
                Move::Onto => self.with_affinity.push(pod),
                Move::Off => self.with_affinity.retain(|known| *known != pod),
            }
        }
    }

    /// Marks a pod as being deleted; it stays where it is.
    pub fn end(&mut self, prepared: &Prepared<'_>, pod: usize) {
        let node = self.pods.get(pod).and_then(|state| state.node);
        if let Some(node) = node {
            self.count(prepared, pod, node, Move::Off);
        }
        if let Some(state) = self.pods.get_mut(pod) {
            state.ending = true;
        }
        if let Some(node) = node {
            self.count(prepared, pod, node, Move::Onto);
        }
    }

    /// Counts a set of pods on every node; counted once, and kept up to date.
    pub fn counter(&mut self, prepared: &Prepared<'_>, pods: Pods) -> usize {
        if let Some(known) = self
            .counters
            .iter()
            .position(|counter| counter.pods == pods)
        {
            return known;
        }
        let mut counter = CounterState {
            pods,
            counts: vec![0; self.nodes.len()],
            total: 0,
        };
        for (pod, state) in prepared.facts.pods.iter().zip(&self.pods) {
            if let Some(node) = state.node
                && counter.pods.contains(prepared.facts, pod, state.ending)
            {
                counter.count(node, Move::Onto);
            }
        }
        self.counters.push(counter);
        self.counters.len().saturating_sub(1)
    }

    /// Returns how many pods of a counted set are on a node.
    pub fn counted(&self, counter: usize, node: usize) -> i64 {
        self.counters
            .get(counter)
            .and_then(|counter| counter.counts.get(node))
            .map_or(0, |count| i64::from(*count))
    }

    /// Returns the real requests of CPU and memory on a node.
    pub fn real(&self, node: usize) -> [i64; 2] {
        let used = self
            .nodes
            .get(node)
            .and_then(|state| state.used.get(CPU..2));
        used.and_then(|used| <[i64; 2]>::try_from(used).ok())
            .unwrap_or_default()
    }
}

impl CounterState {
    fn count(&mut self, node: usize, step: Move) {
        let Some(count) = self.counts.get_mut(node) else {
            return;
        };
        (*count, self.total) = match step {
            Move::Onto => (count.saturating_add(1), self.total.saturating_add(1)),
            Move::Off => (count.saturating_sub(1), self.total.saturating_sub(1)),
        };
    }
}
