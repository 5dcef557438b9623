//! Resource pools as gathered for a node (`structured/internal/*/pools.go`).

use super::behaviour::{Completeness, Validity};
use super::cluster::{Cluster, DeviceAt, Identity, SliceAt};
use super::features::Feature;
use super::nodes::{Judgements, NodeFields};
use super::objects::{Device, Slice};
use super::sorted::{Set, Sorted, ordered};
use std::rc::Rc;

/// Counters of a set, in nanos.
pub type Counters<'f> = Sorted<&'f str, i128>;

/// Sets of counters by name.
pub type Sets<'f> = Sorted<&'f str, Counters<'f>>;

/// A pool as seen from a node.
#[derive(Clone, Debug, Default)]
pub struct Pool<'f> {
    pub driver: &'f str,
    pub name: &'f str,
    /// Slices are missing, or there are too many.
    pub incomplete: bool,
    /// Why it cannot be used.
    pub invalid: Option<String>,
    /// Slices whose devices are offered here.
    pub devices: Vec<SliceAt>,
    /// Other slices with devices, which may use the same counters.
    pub others: Vec<SliceAt>,
    /// Counters of the pool.
    pub sets: Sets<'f>,
    /// Slices collected on this node, in order.
    pub collected: Vec<SliceAt>,
    /// Slices counted: those collected, or those in the cluster.
    pub have: usize,
    /// Slices that the first one announces.
    pub want: i64,
    pub generation: i64,
}

impl Pool<'_> {
    /// Returns `driver/pool`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.driver, self.name)
    }

    /// Returns true if its devices can be used for ExactCount.
    pub fn is_sound(&self) -> bool {
        !self.incomplete && self.invalid.is_none()
    }
}

/// Why a slice of a node is ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Its generation is older than this one.
    OldGeneration(i64),
    /// It needs a feature that is off.
    FeatureOff,
    /// It says nothing about nodes.
    NoNode,
}

/// The pools of a node.
#[derive(Clone, Debug, Default)]
pub struct NodePools<'f> {
    /// Pools in upstream's order.
    pub pools: Vec<Rc<Pool<'f>>>,
    pub ignored: Vec<(SliceAt, Ignored)>,
    /// Pools of which the cluster has a newer generation than this node sees.
    pub obsolete: Vec<(&'f str, &'f str)>,
}

/// Gathers pools, node by node.
#[derive(Debug)]
pub struct Gatherer<'c, 'f> {
    cluster: &'c Cluster<'f>,
    /// Pools of which only the counter slices are visible; they look the same from every other node.
    foreign: Pools<'f>,
    /// The pools among them that are faulty or have devices.
    notable: Pools<'f>,
}

/// Pools by driver and name; `None`: obsolete.
type Pools<'f> = Sorted<(&'f str, &'f str), Option<Rc<Pool<'f>>>>;

type Collected<'f> = Sorted<(&'f str, &'f str), Vec<SliceAt>>;

/// The place of a slice in the walk over the slices of a node: the node's own slices first, slices with binding conditions last, then
/// the order of the facts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WalkPlace {
    /// It is not a slice that names the node.
    is_others: bool,
    /// Its devices have binding conditions.
    is_last: bool,
    at: SliceAt,
}

impl<'c, 'f> Gatherer<'c, 'f> {
    /// Prepares what is the same on all nodes.
    pub fn new(cluster: &'c Cluster<'f>) -> Self {
        let mut gatherer = Gatherer {
            cluster,
            foreign: Sorted::new(),
            notable: Sorted::new(),
        };
        let mut collected = Collected::new();
        let mut ignored = Vec::new();
        for at in cluster.slices_everywhere() {
            gatherer.add(*at, &mut collected, &mut ignored);
        }
        for (key, slices) in collected {
            let pool = gatherer.pool(key, &slices).map(Rc::new);
            if pool
                .as_ref()
                .is_none_or(|pool| !pool.is_sound() || !pool.devices.is_empty())
            {
                gatherer.notable.insert(key, pool.clone());
            }
            gatherer.foreign.insert(key, pool);
        }
        gatherer
    }

    /// Gathers the pools of a node, or upstream's error.
    pub fn gather(&self, node: usize) -> Result<NodePools<'f>, String> {
        self.gather_with(node, &self.foreign)
    }

    /// Does the same without irrelevant pools of other nodes: those of which only the counter slices are visible and which have
    /// no faults. With counters on every node there is one such pool per node.
    pub fn gather_near(&self, node: usize) -> Result<NodePools<'f>, String> {
        self.gather_with(node, &self.notable)
    }

    fn gather_with(&self, node: usize, foreign: &Pools<'f>) -> Result<NodePools<'f>, String> {
        let cluster = self.cluster;
        let behaviour = cluster.behaviour;
        let mut gathered = NodePools::default();
        let mut last = Vec::new();
        let mut walked = Vec::new();
        for at in self.walk(node) {
            let Some(slice) = cluster.slice(at) else {
                continue;
            };
            if !self.relevant(node, at, slice, &mut gathered.ignored)? {
                continue;
            }
            let binding = slice
                .spec
                .devices
                .iter()
                .any(|device| device.binding_conditions.is_some());
            if behaviour.binding_slices_last && binding {
                last.push(at)
            } else {
                walked.push(at)
            }
        }
        walked.extend(last);
        let mut collected = Collected::new();
        for at in &walked {
            if let Some(slice) = cluster.slice(*at) {
                collected.entry((&slice.spec.driver, &slice.spec.pool.name));
            }
        }
        // Assemble the pools with slices of this node, including their counter slices, in walking order.
        let mut mine = Collected::new();
        for at in self.merged(&walked, &collected) {
            self.add(at, &mut mine, &mut gathered.ignored);
        }
        let mut list = foreign.clone();
        for (key, slices) in mine {
            list.insert(key, self.pool(key, &slices).map(Rc::new));
        }
        let mut bound = Vec::new();
        for (key, pool) in list {
            match pool {
                None => gathered.obsolete.push(key),
                Some(pool) if behaviour.binding_pools_last && self.binds(&pool) => bound.push(pool),
                Some(pool) => gathered.pools.push(pool),
            }
        }
        gathered.pools.append(&mut bound);
        Ok(gathered)
    }

    /// Returns the slices that may matter on a node, except those that matter everywhere, in upstream's order.
    fn walk(&self, node: usize) -> Vec<SliceAt> {
        let name = self
            .cluster
            .facts
            .nodes
            .get(node)
            .map_or("", |node| node.metadata.name.as_str());
        let mut walk = self.cluster.slices_of_node(name).to_vec();
        walk.extend(self.cluster.slices_elsewhere());
        if !self.cluster.behaviour.node_slices_first {
            walk = ordered(&walk, &usize::cmp);
        }
        walk
    }

    /// Returns the node's slices and, at their place in the walk, the counter slices of the same pools.
    fn merged(&self, walked: &[SliceAt], mine: &Collected<'f>) -> Vec<SliceAt> {
        let cluster = self.cluster;
        let mut counters: Vec<SliceAt> = Vec::new();
        for (driver, name) in mine.keys() {
            for at in cluster.slices_of_pool(driver, name) {
                if cluster.slices_everywhere().binary_search(at).is_ok() {
                    counters.push(*at);
                }
            }
        }
        if counters.is_empty() {
            return walked.to_vec();
        }
        let mut all: Vec<WalkPlace> = Vec::with_capacity(walked.len());
        for at in walked {
            let is_own = cluster.behaviour.node_slices_first && self.names_node(*at);
            all.push(WalkPlace {
                is_others: !is_own,
                is_last: self.is_last(*at),
                at: *at,
            });
        }
        // Counter slices count as slices without a node name.
        for at in ordered(&counters, &usize::cmp) {
            all.push(WalkPlace {
                is_others: true,
                is_last: self.is_last(at),
                at,
            });
        }
        ordered(&all, &WalkPlace::cmp)
            .into_iter()
            .map(|place| place.at)
            .collect()
    }

    fn names_node(&self, at: SliceAt) -> bool {
        let name = self
            .cluster
            .slice(at)
            .and_then(|slice| slice.spec.node_name.as_deref());
        name.is_some_and(|name| !name.is_empty())
    }

    /// Returns true if a slice comes after all others, for its devices have binding conditions.
    fn is_last(&self, at: SliceAt) -> bool {
        let devices = self
            .cluster
            .slice(at)
            .map_or(&[][..], |slice| &slice.spec.devices);
        self.cluster.behaviour.binding_slices_last
            && devices
                .iter()
                .any(|device| device.binding_conditions.is_some())
    }

    fn relevant(
        &self,
        node: usize,
        at: SliceAt,
        slice: &'f Slice,
        ignored: &mut Vec<(SliceAt, Ignored)>,
    ) -> Result<bool, String> {
        let cluster = self.cluster;
        let (behaviour, spec) = (cluster.behaviour, &slice.spec);
        if !cluster.has(Feature::PartitionableDevices) {
            let counters = behaviour.skips_counter_slices && !spec.shared_counters.is_empty();
            if spec.per_device_node_selection.is_some() || counters {
                ignored.push((at, Ignored::FeatureOff));
                return Ok(false);
            }
        }
        if has_unknown_groups(cluster, slice) {
            ignored.push((at, Ignored::FeatureOff));
            return Ok(false);
        }
        let nodes = &cluster.facts.nodes;
        let place = NodeFields::of_slice(spec);
        if place.is_set() {
            let found = place.has(node, nodes, &cluster.judgements);
            return found
                .map_err(|error| error.in_slice(&slice.metadata.name, behaviour.selector_error));
        }
        if spec.per_device_node_selection != Some(true) {
            ignored.push((at, Ignored::NoNode));
            return Ok(false);
        }
        for device in &spec.devices {
            let found = NodeFields::of_device(device).has(node, nodes, &cluster.judgements);
            if found.map_err(|error| error.in_device(&device.name, &slice.metadata.name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a slice to its pool; the newest generation seen so far stays.
    fn add(&self, at: SliceAt, pools: &mut Collected<'f>, ignored: &mut Vec<(SliceAt, Ignored)>) {
        let cluster = self.cluster;
        let Some(slice) = cluster.slice(at) else {
            return;
        };
        let (spec, generation) = (&slice.spec, slice.spec.pool.generation);
        let list = pools.entry((&spec.driver, &spec.pool.name));
        let first = list
            .first()
            .and_then(|first| cluster.slice(*first))
            .map_or(generation, |first| first.spec.pool.generation);
        if generation < first {
            ignored.push((at, Ignored::OldGeneration(first)));
            return;
        }
        if generation > first {
            ignored.extend(
                list.drain(..)
                    .map(|old| (old, Ignored::OldGeneration(generation))),
            );
            if cluster.behaviour.newer_slice_twice {
                list.push(at);
            }
        }
        list.push(at);
    }

    /// Makes a pool from the slices collected; `None` if a newer generation makes it obsolete.
    fn pool(&self, key: (&'f str, &'f str), collected: &[SliceAt]) -> Option<Pool<'f>> {
        let cluster = self.cluster;
        let behaviour = cluster.behaviour;
        let first = &cluster.slice(*collected.first()?)?.spec.pool;
        let mut pool = Pool {
            driver: key.0,
            name: key.1,
            collected: collected.to_vec(),
            have: collected.len(),
            want: first.resource_slice_count,
            generation: first.generation,
            ..Pool::default()
        };
        let mut in_cluster = collected.to_vec();
        if !pool.has_all_slices() {
            pool.incomplete = true;
            if behaviour.completeness == Completeness::InCluster {
                in_cluster = self.current_slices(&pool)?;
                pool.have = in_cluster.len();
                pool.incomplete = !pool.has_all_slices();
            }
        }
        if pool.incomplete && !behaviour.incomplete_has_devices {
            return Some(pool);
        }
        let counters_are_apart =
            behaviour.counter_slices_apart && cluster.has(Feature::PartitionableDevices);
        let mut on_node = collected.to_vec();
        if behaviour.node_slices_first {
            // Go sorts by name only: equal names keep their order.
            on_node = ordered(&on_node, &|a, b| {
                self.slice_name(*a).cmp(self.slice_name(*b))
            });
        }
        pool.devices = on_node
            .iter()
            .copied()
            .filter(|slice| !(counters_are_apart && self.has_counters(*slice)))
            .collect();
        if behaviour.validity != Validity::Unchecked {
            pool.invalid = self.duplicate_name(&pool.devices);
        }
        if counters_are_apart
            && behaviour.validity == Validity::NamesAndCounters
            && pool.invalid.is_none()
            && !pool.incomplete
        {
            self.check_counters(&mut pool, &on_node, &in_cluster);
        }
        if pool.invalid.is_some() && !behaviour.incomplete_has_devices {
            pool.devices.clear();
        }
        Some(pool)
    }

    /// Returns the slices of the pool's generation in the cluster; `None`: there is a newer generation.
    fn current_slices(&self, pool: &Pool<'f>) -> Option<Vec<SliceAt>> {
        let cluster = self.cluster;
        let mut current = Vec::new();
        for at in cluster.slices_of_pool(pool.driver, pool.name) {
            let Some(slice) = cluster.slice(*at) else {
                continue;
            };
            let generation = slice.spec.pool.generation;
            if generation > pool.generation {
                return None;
            }
            if generation == pool.generation && !has_unknown_groups(cluster, slice) {
                current.push(*at);
            }
        }
        Some(current)
    }

    /// Reads the counter sets of a pool, and finds what is wrong with them. `on_node`: its slices that the node sees; `in_cluster`: all
    /// of them.
    fn check_counters(&self, pool: &mut Pool<'f>, on_node: &[SliceAt], in_cluster: &[SliceAt]) {
        let mut elsewhere = Vec::new();
        if in_cluster.len() != pool.collected.len() {
            let slices = in_cluster.iter().copied();
            elsewhere.extend(slices.filter(|slice| !on_node.contains(slice)));
        }
        let mut with_counters = on_node.to_vec();
        if self.cluster.behaviour.counter_slices_fetched {
            let slices = elsewhere.iter().copied();
            with_counters.extend(slices.filter(|slice| self.has_counters(*slice)));
        }
        match self.checked_sets(&with_counters, on_node.iter().chain(&elsewhere)) {
            Ok(sets) => {
                elsewhere.retain(|slice| !self.has_counters(*slice));
                pool.sets = sets;
                pool.others = elsewhere;
            }
            Err(reason) => pool.invalid = Some(reason),
        }
    }

    /// Returns the counter sets of some slices, if the devices of others consume no counter that they lack.
    fn checked_sets<'s>(
        &self,
        with_counters: &[SliceAt],
        with_devices: impl Iterator<Item = &'s SliceAt>,
    ) -> Result<Sets<'f>, String> {
        let sets = self.counter_sets(with_counters)?;
        self.dangling(&sets, with_devices)?;
        Ok(sets)
    }

    fn slice_name(&self, at: SliceAt) -> &'f str {
        self.cluster
            .slice(at)
            .map_or("", |slice| slice.metadata.name.as_str())
    }

    fn has_counters(&self, at: SliceAt) -> bool {
        self.cluster
            .slice(at)
            .is_some_and(|slice| !slice.spec.shared_counters.is_empty())
    }

    fn duplicate_name(&self, slices: &[SliceAt]) -> Option<String> {
        // Within a pool devices of one name are one identity.
        let identities: Vec<Identity> = self
            .devices_of(slices)
            .map(|(at, _)| self.cluster.identity(at))
            .collect();
        let repeated: Vec<Identity> = ordered(&identities, &Identity::cmp)
            .windows(2)
            .filter(|pair| pair.first() == pair.last())
            .flatten()
            .copied()
            .collect();
        let mut seen: Set<Identity> = Set::default();
        let (_, second) = self.devices_of(slices).find(|(at, _)| {
            let identity = self.cluster.identity(*at);
            repeated.contains(&identity) && !seen.insert(identity)
        })?;
        Some(format!("duplicate device name {}", second.name))
    }

    fn devices_of<'s>(
        &'s self,
        slices: &'s [SliceAt],
    ) -> impl Iterator<Item = (DeviceAt, &'f Device)> + 's {
        slices.iter().flat_map(|at| self.cluster.devices_of(*at))
    }

    fn counter_sets(&self, slices: &[SliceAt]) -> Result<Sets<'f>, String> {
        let mut sets = Sets::new();
        for set in slices
            .iter()
            .filter_map(|at| self.cluster.slice(*at))
            .flat_map(|slice| &slice.spec.shared_counters)
        {
            let counters = set
                .counters
                .iter()
                .map(|(name, counter)| (name.as_str(), counter.value.nanos()))
                .collect();
            if sets.insert(&set.name, counters).is_some() {
                return Err(format!("duplicate counter set name {}", set.name));
            }
        }
        Ok(sets)
    }

    fn dangling<'s>(
        &self,
        sets: &Sets<'f>,
        slices: impl Iterator<Item = &'s SliceAt>,
    ) -> Result<(), String> {
        for (_, device) in slices.flat_map(|at| self.cluster.devices_of(*at)) {
            for consumption in &device.consumes_counters {
                let name = &consumption.counter_set;
                let Some(set) = sets.get(name.as_str()) else {
                    return Err(format!("counter set {name} not found"));
                };
                if let Some(counter) = consumption
                    .counters
                    .keys()
                    .find(|counter| !set.contains_key(counter.as_str()))
                {
                    return Err(format!("counter {counter} not found in counter set {name}"));
                }
            }
        }
        Ok(())
    }

    fn binds(&self, pool: &Pool<'f>) -> bool {
        let mut devices = pool
            .devices
            .iter()
            .flat_map(|at| self.cluster.devices_of(*at));
        devices.any(|(_, device)| device.binding_conditions.is_some())
    }
}

impl Pool<'_> {
    fn has_all_slices(&self) -> bool {
        i64::try_from(self.have).is_ok_and(|have| have == self.want)
    }
}

/// Returns true if a device of the slice has compatibility groups that the allocator cannot check.
fn has_unknown_groups(cluster: &Cluster<'_>, slice: &Slice) -> bool {
    let mut consumed = slice
        .spec
        .devices
        .iter()
        .flat_map(|device| &device.consumes_counters);
    cluster.behaviour.knows_1_37
        && !cluster.has(Feature::CompatibilityGroups)
        && consumed.any(|consumption| !consumption.compatibility_groups.is_empty())
}

/// Checks one device on a node, using cached node selector results.
pub fn device_on_node(
    cluster: &Cluster<'_>,
    slice: &Slice,
    device: usize,
    node: usize,
    judgements: &Judgements,
) -> Result<bool, String> {
    let Some(device) = slice.spec.devices.get(device) else {
        return Ok(false);
    };
    if slice.spec.per_device_node_selection != Some(true) {
        return Ok(true);
    }
    let found = NodeFields::of_device(device).has(node, &cluster.facts.nodes, judgements);
    found.map_err(|error| error.parse_text())
}
