//! The matrix: every reason that keeps a request from a device.

use super::account::{
    CapacityReason, CounterHolder, CounterReason, Reason, SelectorReason, TaintReason,
    TolerationReason,
};
use super::kinds::{CapacityFault, FeatureField};
use crate::allocator::amount::{spell, spell_like};
use crate::allocator::behaviour::CounterPlace as Style;
use crate::allocator::capacity::{self, CapacityRefusal};
use crate::allocator::cluster::{Cluster, DeviceAt};
use crate::allocator::constraints::{self, attribute};
use crate::allocator::counters::{needed, opening, uses_counters};
use crate::allocator::features::Feature;
use crate::allocator::nodes::NodeFields;
use crate::allocator::objects::{Ask, Claim, Consumer, Device, Selector, Slice, Taint, Toleration};
use crate::allocator::pools::{Ignored, NodePools, Pool, Sets};
use crate::allocator::prepare::RequestChoice;
use crate::allocator::selectors::Cell;
use crate::allocator::sorted::Sorted;
use crate::allocator::taints::{self, TolerationMismatch};
use claimkit_model::nearest::alike;

/// A device that a user would expect on the node.
#[derive(Clone, Copy, Debug)]
pub struct ShownDevice<'g, 's> {
    pub at: DeviceAt,
    /// Its pool, if its slice belongs to one here.
    pub pool: Option<&'g Pool<'s>>,
    /// Why its slice is left out.
    pub ignored: Option<&'g Ignored>,
    /// Its slice holds counters, so its devices are not offered.
    pub beside_counters: bool,
}

/// Returns the devices of a node: the offered ones, and those in slices of the node that are ignored.
pub fn shown<'g, 's>(
    cluster: &Cluster<'s>,
    gathered: &'g NodePools<'s>,
) -> Vec<ShownDevice<'g, 's>> {
    let mut list = Vec::new();
    for pool in &gathered.pools {
        for slice in &pool.devices {
            list.extend(cluster.devices_of(*slice).map(|(at, _)| ShownDevice {
                at,
                pool: Some(&**pool),
                ignored: None,
                beside_counters: false,
            }));
        }
        // Counter slices of other nodes' pools are visible everywhere; do not list their devices here.
        let foreign = pool.is_sound() && pool.devices.is_empty();
        let beside_counters = pool.is_sound();
        for slice in pool
            .collected
            .iter()
            .filter(|slice| !foreign && !pool.devices.contains(slice))
        {
            list.extend(cluster.devices_of(*slice).map(|(at, _)| ShownDevice {
                at,
                pool: Some(&**pool),
                ignored: None,
                beside_counters,
            }));
        }
    }
    for (slice, ignored) in &gathered.ignored {
        list.extend(cluster.devices_of(*slice).map(|(at, _)| ShownDevice {
            at,
            pool: None,
            ignored: Some(ignored),
            beside_counters: false,
        }));
    }
    list
}

/// Returns the indexes of the claims that were given a device.
pub fn holders(cluster: &Cluster<'_>, at: DeviceAt) -> Vec<usize> {
    let claims = cluster.usage.claims(cluster.identity(at)).iter().copied();
    claims
        .filter(|index| {
            let claim = cluster.facts.claims.get(*index);
            claim.is_some_and(|claim| holds(cluster, claim, at))
        })
        .collect()
}

/// Returns true if a claim keeps a device from others: admin access does not.
fn holds(cluster: &Cluster<'_>, claim: &Claim, at: DeviceAt) -> bool {
    let identity = Some(cluster.identity(at));
    claim.allocated_devices().iter().any(|result| {
        result.admin_access != Some(true)
            && cluster.identity_of((&result.driver, &result.pool, &result.device)) == identity
    })
}

/// Returns true if a claim consumes a capacity of a device. One that holds the device as a whole does not.
fn consumes(cluster: &Cluster<'_>, claim: &Claim, at: DeviceAt, capacity: &str) -> bool {
    let identity = Some(cluster.identity(at));
    let of_device = claim.allocated_devices().iter().filter(|result| {
        cluster.identity_of((&result.driver, &result.pool, &result.device)) == identity
    });
    let mut consumed = of_device.flat_map(|result| &result.consumed_capacity);
    consumed.any(|map| map.get(capacity).is_some_and(|amount| amount.nanos() != 0))
}

/// Returns the objects that reserve a claim: pods by their names, others as `resource.group/name`.
pub fn users_of(claim: &Claim) -> Vec<String> {
    let consumers = claim.status.reserved_for.iter();
    consumers.map(user).collect()
}

fn user(consumer: &Consumer) -> String {
    let Consumer {
        api_group,
        resource,
        name,
        ..
    } = consumer;
    match (api_group.as_str(), resource.as_str()) {
        ("", "pods" | "") => name.clone(),
        ("", resource) => format!("{resource}/{name}"),
        (group, resource) => format!("{resource}.{group}/{name}"),
    }
}

/// The question asked about each device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceQuestion<'a, 's> {
    pub cluster: &'a Cluster<'s>,
    /// Index of the node.
    pub node: usize,
    pub claim: &'a Claim,
    pub choice: &'a RequestChoice<'a>,
    /// Say what selectors read.
    pub values: bool,
}

impl DeviceQuestion<'_, '_> {
    /// Returns all reasons against a device, in upstream's order.
    pub fn reasons(&self, shown: &ShownDevice<'_, '_>) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let Some((slice, device)) = self.cluster.device(shown.at) else {
            return reasons;
        };
        self.add_pool(shown, &mut reasons);
        self.add_use(shown.at, &mut reasons);
        self.add_binding_feature(device, &mut reasons);
        self.add_selectors(shown.at, &mut reasons);
        if !self.is_on_node(slice, device) {
            reasons.push(Reason::DeviceNotOnNode);
        }
        let refused = self.refused_capacity(shown.at, device, self.choice.ask);
        reasons.extend(refused.map(|refused| refused.reason));
        self.add_counters(shown, device, &mut reasons);
        self.add_taints(device, &mut reasons);
        self.add_constraints(slice, device, &mut reasons);
        reasons
    }

    fn add_binding_feature(&self, device: &Device, reasons: &mut Vec<Reason>) {
        let cluster = self.cluster;
        let needs_feature = cluster.behaviour.binding_needs_feature
            && !cluster.has(Feature::DeviceBindingAndStatus);
        let conditions = device.binding_conditions.as_deref().unwrap_or_default();
        if needs_feature && !device.shapeless && !conditions.is_empty() {
            reasons.push(Reason::FeatureOff {
                field: FeatureField::BindingConditions,
            });
        }
    }

    /// Returns true if a device does not choose other nodes than its slice does.
    fn is_on_node(&self, slice: &Slice, device: &Device) -> bool {
        if slice.spec.per_device_node_selection != Some(true) {
            return true;
        }
        let nodes = &self.cluster.facts.nodes;
        NodeFields::of_device(device)
            .has(self.node, nodes, &self.cluster.judgements)
            .unwrap_or(false)
    }

    fn add_taints(&self, device: &Device, reasons: &mut Vec<Reason>) {
        if !self.cluster.has(Feature::DeviceTaints) {
            return;
        }
        let tolerations = &self.choice.ask.tolerations;
        for taint in &device.taints {
            let mut tolerating = tolerations.iter();
            if !taints::matters(self.cluster.behaviour, taint)
                || tolerating.any(|one| taints::tolerates(one, taint).is_ok())
            {
                continue;
            }
            // A driver may list the same taint twice.
            let reason = Reason::Taint(taint_reason(taint, tolerations));
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }

    /// Adds the constraints whose attribute a device lacks.
    fn add_constraints(&self, slice: &Slice, device: &Device, reasons: &mut Vec<Reason>) {
        let driver = &slice.spec.driver;
        for (index, constraint) in self.claim.spec.devices.constraints.iter().enumerate() {
            if !constraints::applies(constraint, self.choice.name, self.choice.sub_name) {
                continue;
            }
            if let Some((kind, name)) = constraints::kind(constraint, self.cluster.behaviour)
                && attribute(device, driver, name).is_none()
            {
                reasons.push(Reason::Constraint {
                    index,
                    kind,
                    attribute: name.to_owned(),
                    near: near_attributes(device, driver, name),
                });
            }
        }
    }

    fn add_pool(&self, shown: &ShownDevice<'_, '_>, reasons: &mut Vec<Reason>) {
        match shown.ignored {
            Some(Ignored::OldGeneration(newest)) => {
                reasons.push(Reason::PoolOldGeneration { newest: *newest })
            }
            Some(Ignored::FeatureOff) => reasons.push(Reason::FeatureOff {
                field: FeatureField::OfSlice,
            }),
            Some(Ignored::NoNode) => reasons.push(Reason::DeviceNotOnNode),
            None => {}
        }
        if let Some(pool) = shown.pool {
            let passed = self.cluster.behaviour.passes_bad_pools || self.choice.all.is_some();
            if pool.incomplete && passed {
                reasons.push(Reason::PoolIncomplete {
                    have: pool.have,
                    want: pool.want,
                });
            }
            if let Some(reason) = &pool.invalid {
                reasons.push(Reason::PoolInvalid {
                    reason: reason.clone(),
                });
            }
        }
        if shown.beside_counters {
            reasons.push(Reason::SliceWithCounters);
        }
    }

    fn add_use(&self, at: DeviceAt, reasons: &mut Vec<Reason>) {
        let cluster = self.cluster;
        if self.choice.admin() || !cluster.usage.exclusive.contains(&cluster.identity(at)) {
            return;
        }
        let claims: Vec<&Claim> = holders(cluster, at)
            .into_iter()
            .filter_map(|index| cluster.facts.claims.get(index))
            .map(|claim| &**claim)
            .collect();
        reasons.push(Reason::InUse {
            claims: claims
                .iter()
                .map(|claim| claim.metadata.full_name())
                .collect(),
            pods: claims.iter().flat_map(|claim| users_of(claim)).collect(),
            planned: !claims.is_empty() && claims.iter().all(|claim| cluster.is_planned(claim)),
        });
    }

    /// Returns true if all selectors select a device.
    pub fn is_selected(&self, at: DeviceAt) -> bool {
        let mut reasons = Vec::new();
        self.add_selectors(at, &mut reasons);
        reasons.is_empty()
    }

    fn add_selectors(&self, at: DeviceAt, reasons: &mut Vec<Reason>) {
        let of_class = self
            .choice
            .class
            .map_or(&[][..], |class| class.spec.selectors.as_slice());
        self.add_refusals(at, of_class, reasons, Reason::ClassSelector);
        self.add_refusals(
            at,
            &self.choice.ask.selectors,
            reasons,
            Reason::RequestSelector,
        );
    }

    /// Adds the reason of each selector that leaves a device out.
    fn add_refusals(
        &self,
        at: DeviceAt,
        selectors: &[Selector],
        reasons: &mut Vec<Reason>,
        wrap: fn(SelectorReason) -> Reason,
    ) {
        for (index, selector) in selectors.iter().enumerate() {
            if let Some(reason) = self.selector(selector, index, at) {
                reasons.push(wrap(reason));
            }
        }
    }

    fn selector(&self, selector: &Selector, index: usize, at: DeviceAt) -> Option<SelectorReason> {
        let error = match self.cluster.ask(selector, at) {
            Some(Cell::Yes) => return None,
            Some(Cell::No) => None,
            _ => Some(self.cluster.selector_error(selector, at)),
        };
        let mut values = Sorted::new();
        if self.values {
            values = self
                .cluster
                .reads(selector, at)
                .into_iter()
                .map(|read| (read.path, read.value))
                .collect();
        }
        Some(SelectorReason {
            index,
            error,
            values,
        })
    }

    /// Returns why a capacity refuses the request without the first `without` refusals of capacities.
    pub fn capacity_without(&self, at: DeviceAt, without: usize) -> Option<Reason> {
        let (_, device) = self.cluster.device(at)?;
        let mut refused = self.refused_capacity(at, device, self.choice.ask)?;
        for _ in 0..without {
            let rest = refused.rest;
            refused = self.refused_capacity(at, &rest.device, &rest.ask)?;
        }
        Some(refused.reason)
    }

    /// Returns why a capacity refuses a request.
    fn refused_capacity(
        &self,
        at: DeviceAt,
        device: &Device,
        ask: &Ask,
    ) -> Option<RefusedCapacity> {
        let cluster = self.cluster;
        if !cluster.has(Feature::ConsumableCapacity) {
            return None;
        }
        let identity = cluster.identity(at);
        let arithmetic = capacity::Arithmetic::of(cluster, at);
        let checked = capacity::check(
            ask,
            device,
            identity,
            &cluster.usage,
            &Sorted::new(),
            arithmetic,
        );
        let refusal = checked.err()?;
        let name = refusal.name();
        let total = device.capacity.get(name);
        let asked = arithmetic.requested(ask, name);
        let mut reason = CapacityReason {
            name: name.to_owned(),
            asked: asked.map(|amount| amount.text().to_owned()),
            total: total.map(|capacity| capacity.value.text().to_owned()),
            ..CapacityReason::default()
        };
        match &refusal {
            CapacityRefusal::Unknown(_) => {
                reason.why = CapacityFault::UnknownName;
                reason.names = device.capacity.keys().cloned().collect();
            }
            CapacityRefusal::AboveMax(_, needed, max) => {
                reason.why = CapacityFault::Max;
                reason.charged = Some(needed.text().to_owned());
                reason.max = Some(max.text().to_owned());
            }
            CapacityRefusal::OffStep(_, needed) => {
                reason.why = CapacityFault::Step;
                reason.charged = Some(needed.text().to_owned());
            }
            CapacityRefusal::NotValid(_, needed) => {
                reason.why = CapacityFault::Values;
                reason.charged = Some(needed.text().to_owned());
            }
            // The attempt ends with upstream's text.
            CapacityRefusal::Error(..) | CapacityRefusal::Twice(_) => return None,
            CapacityRefusal::Exhausted(_, needed, used, _) => {
                reason.why = CapacityFault::Exhausted;
                reason.charged = Some(needed.text().to_owned());
                let all = total.map_or(0, |capacity| capacity.value.nanos());
                let notation = reason.total.as_deref().unwrap_or_default();
                reason.left = Some(spell_like(all.saturating_sub(*used), notation));
                reason.used = Some(spell_like(*used, notation));
                self.add_consumers(at, &mut reason);
            }
        }
        Some(RefusedCapacity {
            rest: Without::of(&refusal, ask, device, arithmetic),
            reason: Reason::Capacity(reason),
        })
    }

    /// Adds the claims that consume a capacity.
    fn add_consumers(&self, at: DeviceAt, reason: &mut CapacityReason) {
        let cluster = self.cluster;
        for index in holders(cluster, at) {
            let Some(claim) = cluster.facts.claims.get(index) else {
                continue;
            };
            if !consumes(cluster, claim, at, &reason.name) {
                continue;
            }
            let holder = claim.metadata.full_name();
            if cluster.is_planned(claim) {
                reason.planned.push(holder.clone());
            }
            reason.holders.push(holder);
        }
    }

    /// Adds the counters short of what the device needs, with nothing chosen yet.
    fn add_counters(
        &self,
        shown: &ShownDevice<'_, '_>,
        device: &Device,
        reasons: &mut Vec<Reason>,
    ) {
        let cluster = self.cluster;
        if device.consumes_counters.is_empty() {
            return;
        }
        if !cluster.has(Feature::PartitionableDevices) {
            if cluster.behaviour.consumers_need_feature {
                reasons.push(Reason::FeatureOff {
                    field: FeatureField::ConsumesCounters,
                });
            }
            return;
        }
        let (Some(pool), Some(slice)) = (shown.pool, cluster.slice(shown.at.slice)) else {
            return;
        };
        if self.is_charged_already(shown.at, device) {
            return;
        }
        let has_shares = cluster.usage.has_shares(cluster.identity(shown.at));
        let mut known = reasons.iter();
        let is_in_use = known.any(|reason| matches!(reason, Reason::InUse { .. }));
        let counters = DeviceCounters {
            pool,
            slice,
            device,
            at: shown.at,
            left: opening(cluster, pool, slice, shown.at.slice),
            is_holder: is_in_use && !has_shares,
        };
        for name in counters.names(cluster) {
            let lack = counters.lack(cluster, name);
            reasons.extend(lack.map(Reason::Counters));
        }
    }

    /// Returns true if a share of the device is known: another one is not charged to counters.
    fn is_charged_already(&self, at: DeviceAt, device: &Device) -> bool {
        let cluster = self.cluster;
        let shares = cluster.usage.consumed(cluster.identity(at));
        shares.is_some()
            && device.allow_multiple_allocations == Some(true)
            && cluster.behaviour.shares_charged_once
    }
}

/// A capacity that refuses a request.
struct RefusedCapacity {
    reason: Reason,
    /// What is asked for, and of what device, without this refusal.
    rest: Without,
}

/// The name of a counter.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CounterName<'n> {
    set: &'n str,
    counter: &'n str,
}

impl CounterName<'_> {
    fn amount_in(self, sets: &Sets<'_>) -> Option<i128> {
        sets.get(self.set)?.get(self.counter).copied()
    }
}

/// The counters that are checked for a device.
struct DeviceCounters<'q> {
    pool: &'q Pool<'q>,
    slice: &'q Slice,
    device: &'q Device,
    at: DeviceAt,
    left: Sets<'q>,
    /// The device is in use: the counters that it consumes become free with it, so that it does not lack them itself.
    is_holder: bool,
}

impl DeviceCounters<'_> {
    /// Returns the counters of the device, and others that keep it from being used.
    fn names(&self, cluster: &Cluster<'_>) -> Vec<CounterName<'_>> {
        let mut names = Vec::new();
        for consumption in &self.device.consumes_counters {
            for counter in consumption.counters.keys() {
                names.push(CounterName {
                    set: &consumption.counter_set,
                    counter,
                });
            }
        }
        if cluster.behaviour.counters == Style::SliceAnew {
            return names;
        }
        // An overdrawn counter also blocks devices that do not use it.
        let own = names.len();
        for (set, counters) in self.left.iter() {
            for counter in counters.keys() {
                let name = CounterName { set, counter };
                if !names.iter().take(own).any(|known| *known == name) {
                    names.push(name);
                }
            }
        }
        names
    }

    /// Returns how much too little there is of a counter.
    fn lack(&self, cluster: &Cluster<'_>, name: CounterName<'_>) -> Option<CounterReason> {
        let CounterName { set, counter } = name;
        let needed = needed(self.device, set, counter);
        let mut available = match name.amount_in(&self.left) {
            Some(left) => left,
            // A missing counter counts as used up, or is not checked, depending on the release.
            None if cluster.behaviour.counters == Style::SliceAnew => 0,
            None => return None,
        };
        if self.is_holder {
            available = available.saturating_add(needed);
        }
        if available >= needed {
            return None;
        }
        let total = name
            .amount_in(&self.pool.sets)
            .or_else(|| total_of_slice(self.slice, set, counter));
        let holder = self.is_holder.then_some(self.at);
        Some(CounterReason {
            set: set.to_owned(),
            counter: counter.to_owned(),
            needed: spell(needed),
            available: spell(available),
            total: total.map(spell).unwrap_or_default(),
            holders: counter_holders(cluster, self.pool, set, counter, holder),
        })
    }
}

/// Returns the value of a counter of the slice that has its devices, too: until 1.34 a pool has no others.
fn total_of_slice(slice: &Slice, set: &str, counter: &str) -> Option<i128> {
    let mut sets = slice.spec.shared_counters.iter();
    let known = sets.find(|known| known.name == set)?;
    Some(known.counters.get(counter)?.value.nanos())
}

/// A request and a device of which one refusal of a capacity is gone.
struct Without {
    ask: Ask,
    device: Device,
}

impl Without {
    /// Asks for as much as one request may have if that was exceeded; leaves the capacity out otherwise.
    fn of(
        refusal: &CapacityRefusal<'_>,
        ask: &Ask,
        device: &Device,
        arithmetic: capacity::Arithmetic<'_>,
    ) -> Self {
        let (mut ask, mut device) = (ask.clone(), device.clone());
        let is_it = |name: &str| arithmetic.plain(name) == arithmetic.plain(refusal.name());
        let mut wanted = ask.capacity.take().unwrap_or_default();
        let (own, others): (Vec<_>, Vec<_>) = wanted
            .requests
            .into_iter()
            .partition(|(name, _)| is_it(name));
        wanted.requests = others.into_iter().collect();
        // What is charged may be more than the most even for the most.
        if let CapacityRefusal::AboveMax(name, _, most) = refusal
            && own.iter().all(|(_, asked)| asked.nanos() > most.nanos())
        {
            let asked = own.into_iter().next();
            let name = asked.map_or((*name).to_owned(), |(name, _)| name);
            wanted.requests.insert(name, (*most).clone());
        } else {
            let kept = device.capacity.into_iter().filter(|(name, _)| !is_it(name));
            device.capacity = kept.collect();
        }
        ask.capacity = Some(wanted);
        Without { ask, device }
    }
}

/// Returns the attributes of a device that were probably meant: those of the same name in another domain, or else those of nearly
/// this name.
fn near_attributes(device: &Device, driver: &str, wanted: &str) -> Vec<String> {
    let same: Vec<String> = device
        .attributes
        .keys()
        .filter(|name| short_name(name) == short_name(wanted))
        .map(|name| full_name(driver, name))
        .collect();
    if !same.is_empty() {
        return same;
    }
    device
        .attributes
        .keys()
        .filter(|name| alike(&short_name(wanted), &short_name(name)))
        .map(|name| full_name(driver, name))
        .collect()
}

fn short_name(name: &str) -> String {
    name.rsplit('/').next().unwrap_or_default().to_owned()
}

fn full_name(driver: &str, name: &String) -> String {
    if name.contains('/') {
        name.clone()
    } else {
        format!("{driver}/{name}")
    }
}

/// Returns the claims that use a counter of a pool; one device can be excluded.
fn counter_holders(
    cluster: &Cluster<'_>,
    pool: &Pool<'_>,
    set: &str,
    counter: &str,
    apart: Option<DeviceAt>,
) -> Vec<CounterHolder> {
    let mut list = Vec::new();
    for (at, device) in pool
        .devices
        .iter()
        .chain(&pool.others)
        .flat_map(|slice| cluster.devices_of(*slice))
    {
        if apart == Some(at)
            || !uses_counters(cluster, cluster.identity(at))
            || needed(device, set, counter) == 0
        {
            continue;
        }
        for claim in holders(cluster, at)
            .into_iter()
            .filter_map(|index| cluster.facts.claims.get(index))
        {
            list.push(CounterHolder {
                device: device.name.clone(),
                claim: claim.metadata.full_name(),
                pods: users_of(claim),
                planned: cluster.is_planned(claim),
            });
        }
    }
    list
}

fn taint_reason(taint: &Taint, tolerations: &[Toleration]) -> TaintReason {
    TaintReason {
        key: taint.key.clone(),
        value: taint.value.clone(),
        effect: taint.effect.clone(),
        from: taint
            .rule
            .as_ref()
            .map_or_else(|| "driver".to_owned(), |rule| format!("rule/{rule}")),
        tolerations: tolerations
            .iter()
            .enumerate()
            .filter_map(|(index, toleration)| {
                let differs = taints::tolerates(toleration, taint).err()?;
                // One for another key is not meant for the taint, whatever else differs.
                let is_for_another = !toleration.key.is_empty() && toleration.key != taint.key;
                let why = if is_for_another {
                    TolerationMismatch::Key
                } else {
                    differs
                };
                Some(TolerationReason { index, why })
            })
            .collect(),
        toleration: against(taint),
    }
}

/// Makes a toleration for exactly this taint.
pub fn against(taint: &Taint) -> Toleration {
    let operator = if taint.value.is_empty() {
        "Exists"
    } else {
        "Equal"
    };
    Toleration {
        key: taint.key.clone(),
        operator: operator.to_owned(),
        value: taint.value.clone(),
        effect: taint.effect.clone(),
        toleration_seconds: None,
    }
}
