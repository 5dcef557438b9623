//! What does not change while pods are placed.

use super::labels::AffinityRules;
use super::outcome::PluginRefusal;
use super::profile::{self, Profile};
use super::release::ReleaseRules;
use super::resources::{Allocatable, Names};
use super::same_devices::{SameDevices, Sights};
use super::volume_index::VolumeIndex;
use crate::allocator::cluster::Cluster;
use crate::allocator::demand::PodStage;
use crate::allocator::objects::{ClaimSpec, Facts, Node, Pod};
use crate::allocator::plugin::PluginGates;
use crate::allocator::plugin_rules::PluginRules;
use crate::allocator::pools::{Gatherer, NodePools};
use crate::allocator::sorted::Sorted;
use claimkit_values::order;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

/// The rules of a release and the gates that the simulation itself looks at.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    pub rules: &'static ReleaseRules,
    /// The rules of the plugin for devices.
    pub plugin_rules: &'static PluginRules,
    pub plugin_gates: PluginGates,
    /// DynamicResourceAllocation: the plugin for devices runs.
    pub devices: bool,
    /// GenericWorkload: pods are scheduled in groups.
    pub groups: bool,
    /// GangScheduling, or GenericWorkload alone where there is no such gate: groups need a number of pods.
    pub gangs: bool,
    /// DRAWorkloadResourceClaims: groups have claims.
    pub group_claims: bool,
    /// Steps of the search for devices on one node.
    pub budget: u64,
}

/// The facts with their indexes.
#[derive(Debug)]
pub struct Prepared<'f> {
    pub facts: &'f Facts,
    /// Devices, with what is in use now.
    pub cluster: Cluster<'f>,
    pub setup: Setup,
    pub volumes: VolumeIndex<'f>,
    pub names: Names,
    /// The allocatable resources of each node.
    pub allocatable: Vec<Allocatable>,
    /// The nodes as the scheduler walks them: the zones in turn.
    pub walk: Vec<usize>,
    profiles: Vec<Profile>,
    profile_of: Vec<usize>,
    affinity: Vec<Option<Rc<AffinityRules>>>,
    /// Indexes of the claims by namespace and name.
    claims: Vec<usize>,
    gathered: OnceCell<Vec<Result<NodePools<'f>, String>>>,
    sights: OnceCell<Sights<'f>>,
    /// Specs of claims, each once.
    pub(super) specs: RefCell<Vec<&'f ClaimSpec>>,
    /// The cached answers about devices for equal demands.
    pub(super) demands: RefCell<Vec<Demand>>,
    version: Cell<u64>,
    /// Steps that searches for devices may still take.
    pub(super) steps: Cell<u64>,
}

/// A part of a pod's demand for devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DemandPart {
    /// A claim with this spec, to be allocated.
    New(usize),
    /// A claim with this allocation.
    Held(u64),
}

/// The cached answers about devices for one demand.
#[derive(Debug)]
pub struct Demand {
    pub parts: Vec<DemandPart>,
    /// The profile that asks for extended resources.
    pub extended: Option<usize>,
    /// The nodes that see the same devices.
    pub same: SameDevices,
    /// One entry per node; of nodes that see the same devices, the first has it.
    pub nodes: Vec<Option<Known>>,
}

/// The answer of a node about devices, and for which state of devices it holds.
#[derive(Clone, Debug)]
pub struct Known {
    /// The version of the node's devices; 0 for nodes that see the same devices as others, for none of theirs matters.
    pub local: u64,
    /// The version of devices that several nodes see.
    pub shared: u64,
    pub answer: Rc<DeviceAnswer>,
}

/// A node's answer about devices.
#[derive(Clone, Debug)]
pub enum DeviceAnswer {
    /// They can be allocated, with this score.
    Fits(i64),
    Refused(PluginRefusal),
    /// The attempt ends for all nodes.
    Error(String),
}

impl<'f> Prepared<'f> {
    /// Prepares facts. Their pods and claims are stored objects: see [`super::admission`].
    pub fn new(facts: &'f Facts, cluster: Cluster<'f>, setup: Setup) -> Self {
        let names = Names::of(facts);
        let mut prepared = Prepared {
            facts,
            setup,
            volumes: VolumeIndex::of(facts),
            allocatable: facts
                .nodes
                .iter()
                .map(|node| Allocatable::of(&names, node))
                .collect(),
            walk: walk(&facts.nodes),
            profiles: Vec::new(),
            profile_of: Vec::with_capacity(facts.pods.len()),
            affinity: facts
                .pods
                .iter()
                .map(|pod| {
                    Some(AffinityRules::of(pod))
                        .filter(|rules| !rules.is_empty())
                        .map(Rc::new)
                })
                .collect(),
            claims: order::positions(facts.claims.len(), &|a, b| {
                claim_name(facts, a).cmp(&claim_name(facts, b))
            }),
            gathered: OnceCell::new(),
            sights: OnceCell::new(),
            specs: RefCell::default(),
            demands: RefCell::default(),
            version: Cell::new(0),
            steps: Cell::new(setup.budget.saturating_mul(MOST_BUDGETS)),
            names,
            cluster,
        };
        let mut alike: Sorted<u64, Vec<(usize, usize)>> = Sorted::new();
        for (at, pod) in facts.pods.iter().enumerate() {
            let group = alike.entry(fingerprint(pod));
            let known = group.iter().find(|(other, _)| {
                facts
                    .pods
                    .get(*other)
                    .is_some_and(|other| profile::same(other, pod))
            });
            let profile = match known {
                Some((_, profile)) => *profile,
                None => {
                    let stage = if pod.spec.node_name.is_empty() {
                        PodStage::Waiting
                    } else {
                        PodStage::Placed
                    };
                    prepared
                        .profiles
                        .push(Profile::of(&prepared.names, setup.rules, pod, stage));
                    let profile = prepared.profiles.len().saturating_sub(1);
                    group.push((at, profile));
                    profile
                }
            };
            prepared.profile_of.push(profile);
        }
        prepared
    }

    /// Returns a number that was not given before.
    pub fn next_version(&self) -> u64 {
        let next = self.version.get().saturating_add(1);
        self.version.set(next);
        next
    }

    /// Returns the profile of a pod.
    pub fn profile(&self, pod: usize) -> Option<&Profile> {
        self.profiles.get(self.profile_at(pod))
    }

    /// Returns the number of a pod's profile.
    pub fn profile_at(&self, pod: usize) -> usize {
        self.profile_of.get(pod).copied().unwrap_or(usize::MAX)
    }

    /// Returns the rules of a pod about other pods.
    pub fn affinity(&self, pod: usize) -> Option<&AffinityRules> {
        self.affinity.get(pod)?.as_deref()
    }

    /// Returns true if a pod has rules about other pods.
    pub fn has_affinity(&self, pod: usize) -> bool {
        self.affinity(pod).is_some()
    }

    /// Returns a claim of the facts by name.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<usize> {
        let place = self
            .claims
            .binary_search_by(|at| claim_name(self.facts, *at).cmp(&(namespace, name)))
            .ok()?;
        self.claims.get(place).copied()
    }

    /// Returns the name of a node; empty: there is none.
    pub fn node_name(&self, node: usize) -> &'f str {
        self.facts
            .nodes
            .get(node)
            .map_or("", |node| node.metadata.name.as_str())
    }

    /// Returns the priority of a pod; 0: there is none.
    pub fn priority(&self, pod: usize) -> i64 {
        self.facts
            .pods
            .get(pod)
            .map_or(0, |pod| pod.spec.effective_priority())
    }

    /// Returns the pools that a node sees.
    pub fn gathered(&self, node: usize) -> Option<&Result<NodePools<'f>, String>> {
        self.all_gathered().get(node)
    }

    fn all_gathered(&self) -> &[Result<NodePools<'f>, String>] {
        self.gathered.get_or_init(|| {
            let gatherer = Gatherer::new(&self.cluster);
            (0..self.facts.nodes.len())
                .map(|node| gatherer.gather_near(node))
                .collect()
        })
    }

    /// Finds the nodes that see the same devices as far as a demand looks at them. None does if a claim of it is allocated already, or
    /// if devices take resources of their node, of which nodes have different amounts.
    pub fn same_devices(&self, parts: &[DemandPart]) -> SameDevices {
        let specs = self.specs.borrow();
        let new_claims: Option<Vec<&ClaimSpec>> = parts
            .iter()
            .map(|part| match part {
                DemandPart::New(spec) => specs.get(*spec).copied(),
                DemandPart::Held(_) => None,
            })
            .collect();
        match new_claims.filter(|_| !self.devices_take_of_nodes()) {
            Some(claims) => self.sights().compare(&self.cluster, &claims),
            None => vec![None; self.facts.nodes.len()],
        }
    }

    /// Returns true if devices take resources of their nodes.
    pub fn devices_take_of_nodes(&self) -> bool {
        let mut devices = self
            .facts
            .slices
            .iter()
            .flat_map(|slice| &slice.spec.devices);
        self.setup.plugin_gates.node_resources
            && devices.any(|device| device.takes_node_resources())
    }

    fn sights(&self) -> &Sights<'f> {
        self.sights
            .get_or_init(|| Sights::of(&self.cluster, self.all_gathered()))
    }
}

/// All searches for devices together may use this many times the budget of one node.
const MOST_BUDGETS: u64 = 1_000;

/// Returns true if the pod takes nothing of its node any more.
pub fn has_ended(pod: &Pod) -> bool {
    matches!(pod.status.phase.as_str(), "Succeeded" | "Failed")
}

fn claim_name(facts: &Facts, at: usize) -> (&str, &str) {
    facts.claims.get(at).map_or(("", ""), |claim| {
        (&claim.metadata.namespace, &claim.metadata.name)
    })
}

/// Returns a number that is the same for pods with one profile.
fn fingerprint(pod: &Pod) -> u64 {
    let mut hash = Fnv1a(0xcbf2_9ce4_8422_2325);
    for container in pod.spec.init_containers.iter().chain(&pod.spec.containers) {
        hash.add(&container.name);
        hash.add(&container.image);
        for (name, amount) in container.resources.requests.iter() {
            hash.add(name);
            hash.add(amount.text());
        }
    }
    for (name, value) in pod.spec.node_selector.iter() {
        hash.add(name);
        hash.add(value);
    }
    for toleration in &pod.spec.tolerations {
        hash.add(&toleration.key);
    }
    hash.0
}

/// The hash FNV-1a of texts, each closed by a zero.
struct Fnv1a(u64);

impl Fnv1a {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Returns the scheduler's order of nodes: those of each zone in the order given, the zones in turn
/// (`backend/cache/node_tree.go`).
fn walk(nodes: &[Rc<Node>]) -> Vec<usize> {
    let mut zones: Vec<Zone> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let region = label_or_beta(
            node,
            "topology.kubernetes.io/region",
            "failure-domain.beta.kubernetes.io/region",
        );
        let name = label_or_beta(
            node,
            "topology.kubernetes.io/zone",
            "failure-domain.beta.kubernetes.io/zone",
        );
        match zones
            .iter_mut()
            .find(|zone| zone.region == region && zone.name == name)
        {
            Some(zone) => zone.nodes.push(at),
            None => zones.push(Zone {
                region,
                name,
                nodes: vec![at],
            }),
        }
    }
    let mut walk = Vec::with_capacity(nodes.len());
    let mut row = 0;
    while walk.len() < nodes.len() {
        walk.extend(zones.iter().filter_map(|zone| zone.nodes.get(row)).copied());
        row = row.saturating_add(1);
    }
    walk
}

/// The nodes of a zone.
struct Zone<'n> {
    region: &'n str,
    name: &'n str,
    nodes: Vec<usize>,
}

/// Returns the value of a label by its present name, or by the one that it had before; empty: the node has neither.
fn label_or_beta<'n>(node: &'n Node, stable: &str, beta: &str) -> &'n str {
    let labels = &node.metadata.labels;
    labels
        .get(stable)
        .or_else(|| labels.get(beta))
        .map_or("", String::as_str)
}
