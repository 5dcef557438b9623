//! Facts prepared for questions: slices by node and pool, devices by identity, what is in use, what selectors say.

use super::behaviour::{Behaviour, Feature, Features};
use super::facts::{Class, Device, Facts, Selector, Slice};
use super::nodes::Judgements;
use super::selectors::{Cell, ReadValue, Selectors, Subject, Verdicts};
use super::usage::Usage;
use std::collections::BTreeMap;

pub use super::identity::{DeviceAt, DeviceName, Identity, SliceAt};

/// Facts, prepared.
#[derive(Debug)]
pub struct Cluster<'f> {
    /// The facts.
    pub facts: &'f Facts,
    /// The allocator.
    pub behaviour: &'f Behaviour,
    /// Its features.
    pub features: &'f Features,
    /// What is in use.
    pub usage: Usage<'f>,
    /// What selectors say.
    pub verdicts: Verdicts<'f>,
    /// Node selectors judged.
    pub judgements: Judgements,
    /// Classes by name.
    classes: BTreeMap<&'f str, &'f Class>,
    /// Per slice, the number of devices in the slices before.
    first: Vec<usize>,
    /// Per device in the order of the facts.
    identities: Vec<Identity>,
    names: BTreeMap<DeviceName<'f>, Identity>,
    /// Slices by `nodeName`, in the order of the facts.
    by_node: BTreeMap<&'f str, Vec<SliceAt>>,
    /// The others.
    elsewhere: Vec<SliceAt>,
    /// Slices with counters that are looked at from every node.
    everywhere: Vec<SliceAt>,
    /// All slices of a pool, by driver and pool.
    pools: BTreeMap<&'f str, BTreeMap<&'f str, Vec<SliceAt>>>,
}

impl<'f> Cluster<'f> {
    /// Prepares facts for an allocator. Taint rules must have been applied before.
    pub fn new(facts: &'f Facts, behaviour: &'f Behaviour, features: &'f Features, selectors: &'f dyn Selectors) -> Self {
        let mut first = Vec::with_capacity(facts.slices.len());
        let mut identities = Vec::new();
        let mut names = BTreeMap::new();
        let mut by_node: BTreeMap<&str, Vec<SliceAt>> = BTreeMap::new();
        let mut elsewhere = Vec::new();
        let mut everywhere = Vec::new();
        let mut pools: BTreeMap<&str, BTreeMap<&str, Vec<SliceAt>>> = BTreeMap::new();
        let counters_everywhere = behaviour.counter_slices_everywhere && features.contains(&Feature::PartitionableDevices);
        for (at, slice) in facts.slices.iter().enumerate() {
            let spec = &slice.spec;
            first.push(identities.len());
            for device in &spec.devices {
                let next = Identity(u32::try_from(names.len()).unwrap_or(u32::MAX));
                let key = (spec.driver.as_str(), spec.pool.name.as_str(), device.name.as_str());
                identities.push(*names.entry(key).or_insert(next));
            }
            pools.entry(&spec.driver).or_default().entry(&spec.pool.name).or_default().push(at);
            match spec.node_name.as_deref() {
                _ if counters_everywhere && !spec.shared_counters.is_empty() => everywhere.push(at),
                Some(name) if !name.is_empty() => by_node.entry(name).or_default().push(at),
                _ => elsewhere.push(at),
            }
        }
        let mut classes = BTreeMap::new();
        for class in &facts.classes {
            classes.entry(class.metadata.name.as_str()).or_insert(class);
        }
        let count = identities.len();
        let mut cluster = Cluster {
            facts,
            behaviour,
            features,
            usage: Usage::default(),
            verdicts: Verdicts::new(selectors, count),
            judgements: Judgements::default(),
            classes,
            first,
            identities,
            names,
            by_node,
            elsewhere,
            everywhere,
            pools,
        };
        let consumable = cluster.has(Feature::ConsumableCapacity);
        cluster.usage = Usage::of(&facts.claims, behaviour, consumable, |name| cluster.identity_of(name));
        cluster
    }

    /// Is the feature on?
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// A class.
    pub fn class(&self, name: &str) -> Option<&'f Class> {
        self.classes.get(name).copied()
    }

    /// A slice.
    pub fn slice(&self, at: SliceAt) -> Option<&'f Slice> {
        self.facts.slices.get(at)
    }

    /// A device and its slice.
    pub fn device(&self, at: DeviceAt) -> Option<(&'f Slice, &'f Device)> {
        let slice = self.slice(at.slice)?;
        Some((slice, slice.spec.devices.get(at.index)?))
    }

    /// A device's place among all devices of the facts.
    pub fn flat(&self, at: DeviceAt) -> usize {
        self.first.get(at.slice).copied().unwrap_or(0).saturating_add(at.index)
    }

    /// A device's identity.
    pub fn identity(&self, at: DeviceAt) -> Identity {
        self.identities.get(self.flat(at)).copied().unwrap_or(Identity(u32::MAX))
    }

    /// The identity of a device by its names; `None` if no slice has it.
    pub fn identity_of(&self, name: DeviceName<'_>) -> Option<Identity> {
        self.names.get(&name).copied()
    }

    /// Is the device not in use by one claim alone?
    pub fn is_free(&self, identity: Identity) -> bool {
        !self.usage.exclusive.contains(&identity)
    }

    /// What a selector says of a device; `None` for a selector of no known kind.
    pub fn ask(&self, selector: &Selector, at: DeviceAt) -> Option<Cell> {
        self.verdicts.ask(selector, self.flat(at), self.subject(at)?)
    }

    /// The text of a selector's error on a device.
    pub fn selector_error(&self, selector: &Selector, at: DeviceAt) -> String {
        self.verdicts.error(selector, self.flat(at))
    }

    /// What a selector reads on a device.
    pub fn reads(&self, selector: &Selector, at: DeviceAt) -> Vec<ReadValue> {
        self.subject(at).map_or_else(Vec::new, |subject| self.verdicts.reads(selector, subject))
    }

    fn subject(&self, at: DeviceAt) -> Option<Subject<'f>> {
        let (slice, device) = self.device(at)?;
        Some(Subject { driver: &slice.spec.driver, device })
    }

    /// How many identities there are.
    pub fn identities(&self) -> usize {
        self.names.len()
    }

    /// `driver/pool/device`.
    pub fn device_name(&self, at: DeviceAt) -> String {
        self.device(at)
            .map_or_else(String::new, |(slice, device)| format!("{}/{}/{}", slice.spec.driver, slice.spec.pool.name, device.name))
    }

    /// Slices with this node's name that are looked at on it alone.
    pub fn slices_of_node(&self, node: &str) -> &[SliceAt] {
        self.by_node.get(node).map_or(&[], Vec::as_slice)
    }

    /// Slices without a node's name.
    pub fn slices_elsewhere(&self) -> &[SliceAt] {
        &self.elsewhere
    }

    /// Slices with counters that are looked at on every node.
    pub fn slices_everywhere(&self) -> &[SliceAt] {
        &self.everywhere
    }

    /// All slices of a pool, in the order of the facts.
    pub fn slices_of_pool(&self, driver: &str, pool: &str) -> &[SliceAt] {
        self.pools.get(driver).and_then(|pools| pools.get(pool)).map_or(&[], Vec::as_slice)
    }

    /// All pools.
    pub fn all_pools(&self) -> impl Iterator<Item = (&'f str, &'f str, &[SliceAt])> {
        self.pools.iter().flat_map(|(driver, pools)| pools.iter().map(|(pool, slices)| (*driver, *pool, slices.as_slice())))
    }

    /// The devices of a slice.
    pub fn devices_of(&self, slice: SliceAt) -> impl Iterator<Item = (DeviceAt, &'f Device)> + use<'f> {
        let devices = self.slice(slice).map_or(&[][..], |found| found.spec.devices.as_slice());
        devices.iter().enumerate().map(move |(index, device)| (DeviceAt { slice, index }, device))
    }
}
