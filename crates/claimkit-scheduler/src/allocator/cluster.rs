//! Facts with indexes: slices by node and pool, devices by identity, usage, and selector results.

use super::behaviour::Behaviour;
use super::engine::{CelSelectors, DeviceSubject, ReadValue, SelectorError};
use super::features::{Feature, Features};
use super::fitting::FittingSelector;
use super::nodes::Judgements;
use super::objects::{
    AllocatedDevice, Claim, Class, Device, Facts, Pod, Selector, Slice, SliceLayout,
};
use super::selectors::{Cell, Verdicts};
use super::sorted::equal;
use super::usage::{DeviceChange, DevicesInUse};
use claimkit_values::order;
use std::cell::OnceCell;
use std::rc::Rc;

use super::identity::without_domain;
pub use super::identity::{DeviceAt, DeviceName, Identity, SliceAt};

/// The facts, prepared for allocation.
#[derive(Debug)]
pub struct Cluster<'f> {
    pub facts: &'f Facts,
    pub behaviour: &'f Behaviour,
    pub features: &'f Features,
    /// Treat devices as if they consumed no counters; used by what-if questions.
    pub ignores_counters: bool,
    /// The devices in use.
    pub usage: DevicesInUse<'f>,
    /// Pods that got a node since the facts were taken: with that node, and with what their devices take of it.
    pub assumed: Vec<Rc<Pod>>,
    pub verdicts: Verdicts<'f>,
    pub judgements: Judgements,
    /// Indexes of the classes, by name.
    classes: Vec<usize>,
    /// The order of slices and devices.
    layout: Rc<SliceLayout>,
    /// All slices by pool name alone, in the order of the facts; built on first use.
    by_pool_name: OnceCell<Vec<SliceAt>>,
    /// Pods with a node or a nominated node, sorted by its name; built on first use.
    placed: OnceCell<Vec<usize>>,
}

impl<'f> Cluster<'f> {
    /// Prepares facts for an allocator. Taint rules must have been applied before.
    pub fn new(
        facts: &'f Facts,
        behaviour: &'f Behaviour,
        features: &'f Features,
        selectors: &'f CelSelectors,
    ) -> Self {
        let counters_everywhere = behaviour.counter_slices_everywhere
            && features.contains(&Feature::PartitionableDevices);
        let layout = facts.layout.of(&facts.slices, counters_everywhere);
        let mut cluster = Cluster {
            facts,
            behaviour,
            features,
            ignores_counters: false,
            usage: DevicesInUse::default(),
            assumed: Vec::new(),
            verdicts: Verdicts::new(selectors, &layout),
            judgements: Judgements::default(),
            classes: order::positions(facts.classes.len(), &|a, b| {
                class_name(facts, a).cmp(class_name(facts, b))
            }),
            layout,
            by_pool_name: OnceCell::new(),
            placed: OnceCell::new(),
        };
        let consumable = cluster.has(Feature::ConsumableCapacity);
        cluster.usage = DevicesInUse::of(&facts.claims, behaviour, consumable, &cluster.layout);
        cluster
    }

    /// Returns true if the feature is on.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.contains(&feature)
    }

    /// Returns the class of a name.
    pub fn class(&self, name: &str) -> Option<&'f Class> {
        let known = equal(&self.classes, &|at| class_name(self.facts, at).cmp(name));
        known
            .first()
            .and_then(|at| self.facts.classes.get(*at))
            .map(|class| &**class)
    }

    /// Returns the slice at an index.
    pub fn slice(&self, at: SliceAt) -> Option<&'f Slice> {
        self.facts.slices.get(at).map(|slice| &**slice)
    }

    /// Returns a device and its slice.
    pub fn device(&self, at: DeviceAt) -> Option<(&'f Slice, &'f Device)> {
        let slice = self.slice(at.slice)?;
        Some((slice, slice.spec.devices.get(at.index)?))
    }

    /// Returns a device's place among all devices of the facts.
    pub fn flat(&self, at: DeviceAt) -> usize {
        self.layout
            .first
            .get(at.slice)
            .copied()
            .unwrap_or(0)
            .saturating_add(at.index)
    }

    /// Returns the identity of a device.
    pub fn identity(&self, at: DeviceAt) -> Identity {
        self.layout
            .identities
            .get(self.flat(at))
            .copied()
            .unwrap_or(Identity(u32::MAX))
    }

    /// Returns the identity of a device by its names; `None` if no slice has it.
    pub fn identity_of(&self, name: DeviceName<'_>) -> Option<Identity> {
        self.layout.identity_of(name)
    }

    /// Returns the identity of each device in a claim's allocation.
    pub fn identities_of(&self, claim: &Rc<Claim>) -> Rc<[Option<Identity>]> {
        self.layout.identities_of(claim)
    }

    /// Returns the first device with an identity.
    pub fn named(&self, identity: Identity) -> Option<DeviceAt> {
        self.layout.named.get(identity.index()).copied()
    }

    /// Returns true if no claim uses the device exclusively.
    pub fn is_free(&self, identity: Identity) -> bool {
        !self.usage.exclusive.contains(&identity)
    }

    /// Returns the answer of a selector for a device; `None` for a selector of an unknown kind.
    pub fn ask(&self, selector: &Selector, at: DeviceAt) -> Option<Cell> {
        self.verdicts
            .ask(selector, self.flat(at), self.subject(at)?)
    }

    /// Returns the value of a derived attribute's expression on a device.
    pub fn derive(
        &self,
        expression: &str,
        at: DeviceAt,
    ) -> Option<Result<claimkit_model::cel::DeviceAttribute, SelectorError>> {
        Some(self.verdicts.engine.derive(expression, self.subject(at)?))
    }

    /// Returns true if the devices of a slice need a node that can skip operations, or cannot be used at all.
    pub fn ignores_node_operations_of(&self, slice: &Slice) -> bool {
        self.behaviour.knows_skipped_operations && !slice.spec.skip_node_operations.is_empty()
    }

    /// Returns true if devices that need nothing done on the node can be used on it.
    pub fn node_skips_operations(&self, node: usize) -> bool {
        if !self.has(Feature::OptionalNodeOperations) {
            return false;
        }
        self.facts.nodes.get(node).is_some_and(|node| {
            let mut features = node.status.declared_features.iter();
            features.any(|name| name == "DRAOptionalNodeOperations")
        })
    }

    /// Returns the text of a selector's error on a device.
    pub fn selector_error(&self, selector: &Selector, at: DeviceAt) -> String {
        self.verdicts.error(selector, self.flat(at))
    }

    /// Returns true if a device can be allocated several times.
    pub fn is_shared(&self, at: DeviceAt) -> bool {
        let shares = self
            .device(at)
            .is_some_and(|(_, device)| device.allow_multiple_allocations == Some(true));
        shares && self.has(Feature::ConsumableCapacity)
    }

    /// Returns true if a claim gets its devices only in the run that is explained.
    pub fn is_planned(&self, claim: &Claim) -> bool {
        self.facts.planned.contains(&claim.metadata.full_name())
    }

    /// Returns the values that a selector reads on a device.
    pub fn reads(&self, selector: &Selector, at: DeviceAt) -> Vec<ReadValue> {
        self.subject(at)
            .map_or_else(Vec::new, |subject| self.verdicts.reads(selector, subject))
    }

    /// Returns a selector that is true of a device, near one that is false of it.
    pub fn fitting_selector(&self, selector: &Selector, at: DeviceAt) -> Option<FittingSelector> {
        let expression = &selector.cel.as_ref()?.expression;
        self.verdicts.engine.fit(expression, self.subject(at)?)
    }

    /// Returns how far a device is from the number that a selector asks for, in thousandths of that.
    pub fn selector_distance(&self, selector: &Selector, at: DeviceAt) -> Option<u32> {
        let expression = &selector.cel.as_ref()?.expression;
        self.verdicts.engine.distance(expression, self.subject(at)?)
    }

    fn subject(&self, at: DeviceAt) -> Option<DeviceSubject<'f>> {
        let (slice, device) = self.device(at)?;
        Some(DeviceSubject {
            driver: &slice.spec.driver,
            device,
        })
    }

    /// Counts a device that was allocated as in use, or as used by one claim less.
    pub fn use_device(&mut self, result: &AllocatedDevice, change: DeviceChange) {
        let Some(identity) = self.identity_of((&result.driver, &result.pool, &result.device))
        else {
            return;
        };
        if result.admin_access == Some(true) && !self.behaviour.admin_is_in_use {
            return;
        }
        if !self.has(Feature::ConsumableCapacity) || result.share_id.is_none() {
            match change {
                DeviceChange::Taken => self.usage.exclusive.insert(identity),
                DeviceChange::GivenBack { others: 0 } => self.usage.exclusive.remove(identity),
                DeviceChange::GivenBack { .. } => {}
            }
            return;
        }
        let device = self
            .layout
            .named
            .get(identity.index())
            .and_then(|at| self.device(*at));
        let capacities = device
            .into_iter()
            .flat_map(|(slice, device)| device.capacity.keys().map(move |name| (slice, name)));
        let qualified = self.behaviour.qualified_capacities;
        let consumed: Vec<(&'f str, i128)> = capacities
            .filter_map(|(slice, name)| {
                let amount = result.consumed_capacity.as_ref()?.get(name)?;
                let counted = if qualified {
                    without_domain(&slice.spec.driver, name)
                } else {
                    name.as_str()
                };
                Some((counted, amount.nanos()))
            })
            .collect();
        self.usage.share(identity, &consumed, change);
    }

    /// Returns the only node that sees a device, if its pool and all pools of the same name are local to one node.
    pub fn local_node(&self, pool: &str) -> Option<&'f str> {
        let slices = self.slices_of_pools_named(pool);
        let mut names = slices.iter().map(|at| {
            self.slice(*at)
                .and_then(|slice| slice.spec.node_name.as_deref())
        });
        let first = names.next()?.filter(|name| !name.is_empty())?;
        names.all(|name| name == Some(first)).then_some(first)
    }

    /// Returns how many identities there are.
    pub fn identities(&self) -> usize {
        self.layout.named.len()
    }

    /// Returns `driver/pool/device`.
    pub fn device_name(&self, at: DeviceAt) -> String {
        self.device(at).map_or_else(String::new, |(slice, device)| {
            format!(
                "{}/{}/{}",
                slice.spec.driver, slice.spec.pool.name, device.name
            )
        })
    }

    /// Returns the slices with this node's name that are looked at on it alone.
    pub fn slices_of_node(&self, node: &str) -> &[SliceAt] {
        equal(&self.layout.by_node, &|at| {
            let slice = self.slice(at);
            let name = slice.and_then(|slice| slice.spec.node_name.as_deref());
            name.unwrap_or_default().cmp(node)
        })
    }

    /// Returns the slices without a node's name.
    pub fn slices_elsewhere(&self) -> &[SliceAt] {
        &self.layout.elsewhere
    }

    /// Returns the slices with counters that are looked at on every node.
    pub fn slices_everywhere(&self) -> &[SliceAt] {
        &self.layout.everywhere
    }

    /// Returns all slices of a pool, in the order of the facts.
    pub fn slices_of_pool(&self, driver: &str, pool: &str) -> &[SliceAt] {
        equal(&self.layout.by_pool, &|at| {
            pool_name(self.facts, at).cmp(&(driver, pool))
        })
    }

    /// Returns all slices of pools of this name, whatever their driver, in the order of the facts.
    pub fn slices_of_pools_named(&self, pool: &str) -> &[SliceAt] {
        let facts = self.facts;
        let all = self.by_pool_name.get_or_init(|| {
            order::positions(facts.slices.len(), &|a, b| {
                pool_name(facts, a).1.cmp(pool_name(facts, b).1)
            })
        });
        equal(all, &|at| pool_name(facts, at).1.cmp(pool))
    }

    /// Returns the pods on a node, and those it was nominated for.
    pub fn pods_on(&self, node: &str) -> impl Iterator<Item = &'f Rc<Pod>> {
        let facts = self.facts;
        let all = self.placed.get_or_init(|| {
            order::positions(facts.pods.len(), &|a, b| {
                node_of_pod(facts, a).cmp(node_of_pod(facts, b))
            })
        });
        equal(all, &|at| node_of_pod(facts, at).cmp(node))
            .iter()
            .filter_map(|at| facts.pods.get(*at))
    }

    /// Iterates over all pools.
    pub fn all_pools(&self) -> impl Iterator<Item = (&'f str, &'f str, &[SliceAt])> {
        let pools = self
            .layout
            .by_pool
            .chunk_by(|a, b| pool_name(self.facts, *a) == pool_name(self.facts, *b));
        pools.filter_map(|slices| {
            let (driver, pool) = pool_name(self.facts, *slices.first()?);
            Some((driver, pool, slices))
        })
    }

    /// Returns the devices of a slice.
    pub fn devices_of(
        &self,
        slice: SliceAt,
    ) -> impl Iterator<Item = (DeviceAt, &'f Device)> + use<'f> {
        let devices = self
            .slice(slice)
            .map_or(&[][..], |found| found.spec.devices.as_slice());
        devices
            .iter()
            .enumerate()
            .map(move |(index, device)| (DeviceAt { slice, index }, device))
    }
}

fn class_name(facts: &Facts, at: usize) -> &str {
    facts
        .classes
        .get(at)
        .map_or("", |class| &class.metadata.name)
}

/// Returns a pod's node, or the one it was nominated for.
fn node_of_pod(facts: &Facts, at: usize) -> &str {
    let Some(pod) = facts.pods.get(at) else {
        return "";
    };
    if pod.spec.node_name.is_empty() {
        &pod.status.nominated_node_name
    } else {
        &pod.spec.node_name
    }
}

/// Returns the driver and pool of a slice.
fn pool_name(facts: &Facts, at: SliceAt) -> (&str, &str) {
    facts.slices.get(at).map_or(("", ""), |slice| {
        (&slice.spec.driver, &slice.spec.pool.name)
    })
}
