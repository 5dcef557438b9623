//! How much of the devices, counters and capacity is in use, by node, pool, driver, class and namespace.

use super::classes::Selected;
use super::reach::{self, Reach};
use super::{current, newest_slices, node_of};
use claimkit_scheduler::allocator::amount::{Amount, spell_like};
use claimkit_scheduler::allocator::capacity::Arithmetic;
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt, Identity, SliceAt};
use claimkit_scheduler::allocator::counters::uses_counters;
use claimkit_scheduler::allocator::objects::{AllocatedDevice, Ask, Claim, Device};
use claimkit_scheduler::allocator::taints;
use claimkit_values::order;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The devices and resources in use. Every list is in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Usage {
    /// By node. The row without a name has the devices that no single node has.
    pub nodes: Vec<UsageRow>,
    /// The usage of each pool.
    pub pools: Vec<UsageRow>,
    /// The usage of each driver.
    pub drivers: Vec<UsageRow>,
    /// By class: the devices that it selects. A device can be in several rows.
    pub classes: Vec<UsageRow>,
    /// By namespace: what its claims hold.
    pub namespaces: Vec<UsageRow>,
}

/// The use of a group of devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UsageRow {
    /// The name of the node, pool, driver, class or namespace.
    pub name: Option<String>,
    /// The driver of a pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The claims of a namespace or a class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<ClaimCount>,
    /// Numbers of devices by state.
    pub devices: DeviceUse,
    /// Capacities of these devices by `domain/name`, in the order of the names. Devices that consume counters have parts of a common
    /// amount, which the counters show: they count only where no other device has the capacity, and then without `total`.
    pub capacity: Vec<AmountUse>,
    /// Counters: of a pool by `set/counter`, else by `driver/counter`, summed over all sets.
    pub counters: Vec<AmountUse>,
}

/// Claims of a namespace, or with a request for a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ClaimCount {
    /// Number of claims with devices.
    pub allocated: usize,
    /// Number of claims that wait for devices.
    pub pending: usize,
}

/// Devices of a group. Without `total`, the group has no devices of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DeviceUse {
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Number of published devices; absent if it is unknown.
    pub total: Option<usize>,
    /// Held as a whole.
    pub in_use: usize,
    /// Number of devices used by shares.
    pub shared: usize,
    /// Held with admin access, by whomever else they are used.
    pub admin: usize,
    /// Not held, but not to be had: a counter is used up, their pool is incomplete or invalid, or no node
    /// that takes pods offers them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<usize>,
    /// Not held, but with a taint that keeps claims away which do not tolerate it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tainted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Number of devices in none of these states.
    pub free: Option<usize>,
}

/// The use of a capacity or counter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AmountUse {
    /// The name of the pool, driver, namespace or class.
    pub name: String,
    /// The published quantity; absent for a namespace, and for a capacity that only devices which consume counters have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<String>,
    /// The quantity in use.
    pub used: String,
    /// The quantity that is still to be had: the rest of `total`, without that of devices that are blocked or tainted. Negative if
    /// more is in use than is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub free: Option<String>,
}

/// The rows of a list, by driver and name in the list of pools, and by name alone in the others.
type Sums<'f> = BTreeMap<(Option<&'f str>, Option<&'f str>), Sum>;

/// Sums the use of the devices of a cluster. `selected`: what its classes select.
pub fn of(cluster: &Cluster<'_>, selected: &Selected) -> Usage {
    let states = States::of(cluster);
    let (mut pools, mut drivers, mut nodes) = (Sums::new(), Sums::new(), Sums::new());
    // A node without devices has a row, too.
    for node in &cluster.facts.nodes {
        nodes.entry((None, Some(&node.metadata.name))).or_default();
    }
    for at in current(cluster) {
        let Some((slice, device)) = cluster.device(at) else {
            continue;
        };
        let state = states.at(cluster, at);
        let sums = [
            pools
                .entry((Some(&slice.spec.driver), Some(&slice.spec.pool.name)))
                .or_default(),
            drivers.entry((None, Some(&slice.spec.driver))).or_default(),
            nodes.entry((None, node_of(slice, device))).or_default(),
        ];
        for sum in sums {
            sum.add(cluster, at, state);
        }
    }
    for ((driver, pool), counters) in &states.counters {
        let node = states.homes.get(&(*driver, *pool)).copied().flatten();
        for ((set, name), counter) in counters {
            let of_pool = pools.entry((Some(driver), Some(pool))).or_default();
            of_pool.add_counter(format!("{set}/{name}"), counter);
            let of_driver = drivers.entry((None, Some(driver))).or_default();
            of_driver.add_counter(format!("{driver}/{name}"), counter);
            let of_node = nodes.entry((None, node)).or_default();
            of_node.add_counter(format!("{driver}/{name}"), counter);
        }
    }
    Usage {
        nodes: rows(nodes),
        pools: rows(pools),
        drivers: rows(drivers),
        classes: rows(classes(cluster, &states, selected)),
        namespaces: rows(namespaces(cluster)),
    }
}

fn rows(sums: Sums<'_>) -> Vec<UsageRow> {
    sums.into_iter()
        .map(|((driver, name), sum)| sum.row(driver, name))
        .collect()
}

/// How much of a counter there is, and how much is in use.
struct Counter<'f> {
    total: &'f Amount,
    used: i128,
    /// A device that consumes it is offered.
    is_offered: bool,
}

/// The counters of a pool by set and name.
type Counters<'f> = BTreeMap<(&'f str, &'f str), Counter<'f>>;

/// The remaining counters, and the state of each device that follows.
struct States<'f> {
    /// By pool: its counters.
    counters: BTreeMap<(&'f str, &'f str), Counters<'f>>,
    /// The node of each pool that only one node has.
    homes: BTreeMap<(&'f str, &'f str), Option<&'f str>>,
    /// The pools that lack slices or are invalid: no device of them is allocated.
    unusable: BTreeSet<(&'f str, &'f str)>,
    /// Which devices a node can use.
    reach: Reach<'f>,
    /// By identity, the number of claims with admin access.
    admins: Vec<usize>,
}

/// What is known of a device.
#[derive(Clone, Copy)]
struct Known {
    state: State,
    /// A claim has admin access to it.
    has_admin: bool,
    /// What is not in use of it is to be had.
    is_offered: bool,
}

/// The state of a device.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    InUse,
    Shared,
    Blocked,
    Tainted,
    Free,
}

impl<'f> States<'f> {
    fn of(cluster: &Cluster<'f>) -> Self {
        let mut states = States {
            counters: BTreeMap::new(),
            homes: BTreeMap::new(),
            unusable: BTreeSet::new(),
            reach: Reach::of(cluster),
            admins: vec![0; cluster.identities()],
        };
        for (driver, pool, slices) in cluster.all_pools() {
            let newest: Vec<SliceAt> = newest_slices(cluster, slices).collect();
            states.add_pool(cluster, (driver, pool), &newest);
        }
        for result in cluster
            .facts
            .claims
            .iter()
            .flat_map(|claim| claim.allocated_devices())
        {
            if result.admin_access == Some(true)
                && let Some(identity) = identity(cluster, result)
                && let Some(count) = states.admins.get_mut(identity.index())
            {
                *count = count.saturating_add(1);
            }
        }
        states
    }

    /// Adds the slices of a pool that are of its newest generation.
    fn add_pool(&mut self, cluster: &Cluster<'f>, pool: (&'f str, &'f str), slices: &[SliceAt]) {
        let newest = slices.iter().filter_map(|at| cluster.slice(*at));
        if reach::is_incomplete(cluster, newest.clone())
            || reach::is_invalid(cluster, newest.clone())
        {
            self.unusable.insert(pool);
        }
        let mut names = newest.clone().map(|slice| {
            let name = slice.spec.node_name.as_deref();
            name.filter(|name| !name.is_empty())
        });
        let first = names.next().flatten();
        let home = first.filter(|first| names.all(|name| name == Some(*first)));
        self.homes.insert(pool, home);
        let mut counters = Counters::new();
        for set in newest.flat_map(|slice| &slice.spec.shared_counters) {
            for (name, counter) in set.counters.iter() {
                counters.entry((&set.name, name)).or_insert(Counter {
                    total: &counter.value,
                    used: 0,
                    is_offered: false,
                });
            }
        }
        if counters.is_empty() {
            return;
        }
        for (at, device) in slices.iter().flat_map(|at| cluster.devices_of(*at)) {
            let is_used = uses_counters(cluster, cluster.identity(at));
            let is_offered = self.is_reachable(cluster, at) && !is_tainted(cluster, device);
            for (key, amount) in consumed(device) {
                let Some(counter) = counters.get_mut(&key) else {
                    continue;
                };
                if is_used {
                    counter.used = counter.used.saturating_add(amount.nanos());
                }
                counter.is_offered |= is_offered;
            }
        }
        self.counters.insert(pool, counters);
    }

    fn at(&self, cluster: &Cluster<'f>, at: DeviceAt) -> Known {
        let identity = cluster.identity(at);
        let admins = self.admins.get(identity.index());
        let has_admin = admins.is_some_and(|count| *count > 0);
        let Some((slice, device)) = cluster.device(at) else {
            return Known {
                state: State::Free,
                has_admin,
                is_offered: true,
            };
        };
        let pool = (slice.spec.driver.as_str(), slice.spec.pool.name.as_str());
        let is_reachable = self.is_reachable(cluster, at);
        let has_taint = is_tainted(cluster, device);
        let state = if !cluster.is_free(identity) {
            State::InUse
        } else if cluster.usage.has_shares(identity) {
            State::Shared
        } else if !is_reachable || self.lacks_counters(pool, device) {
            State::Blocked
        } else if has_taint {
            State::Tainted
        } else {
            State::Free
        };
        Known {
            state,
            has_admin,
            is_offered: is_reachable && !has_taint && state != State::Blocked,
        }
    }

    /// Returns true if a node offers a device, and its pool can be used.
    fn is_reachable(&self, cluster: &Cluster<'f>, at: DeviceAt) -> bool {
        let is_of_unusable = cluster.slice(at.slice).is_some_and(|slice| {
            let spec = &slice.spec;
            self.unusable.contains(&(&spec.driver, &spec.pool.name))
        });
        !is_of_unusable && self.reach.has(cluster, at)
    }

    /// Returns true if a device consumes more of a counter than is left.
    fn lacks_counters(&self, pool: (&str, &str), device: &Device) -> bool {
        let Some(counters) = self.counters.get(&pool) else {
            return false;
        };
        consumed(device).any(|(key, amount)| {
            counters.get(&key).is_some_and(|counter| {
                let left = counter.total.nanos().saturating_sub(counter.used);
                amount.nanos() > left
            })
        })
    }
}

/// Returns true if a taint keeps claims away that tolerate none.
fn is_tainted(cluster: &Cluster<'_>, device: &Device) -> bool {
    taints::untolerated(cluster.behaviour, device, &[]).is_some()
}

/// Returns the counters that a device consumes: set and name, amount.
fn consumed(device: &Device) -> impl Iterator<Item = ((&str, &str), &Amount)> {
    device.consumes_counters.iter().flat_map(|consumption| {
        let set = consumption.counter_set.as_str();
        consumption
            .counters
            .iter()
            .map(move |(name, counter)| ((set, name.as_str()), &counter.value))
    })
}

fn identity(cluster: &Cluster<'_>, result: &AllocatedDevice) -> Option<Identity> {
    cluster.identity_of((&result.driver, &result.pool, &result.device))
}

/// Returns a name with its domain; a name without one gets the driver's.
fn qualified(driver: &str, name: &str) -> String {
    if name.contains('/') {
        name.to_owned()
    } else {
        format!("{driver}/{name}")
    }
}

/// Amounts in nanos, and an amount in whose notation they are shown.
#[derive(Default)]
struct Amounts {
    total: Option<i128>,
    used: i128,
    /// Neither in use nor to be had.
    withheld: i128,
    beside: String,
}

impl Amounts {
    fn add(&mut self, total: Option<i128>, used: i128, beside: &str) {
        if self.beside.is_empty() {
            beside.clone_into(&mut self.beside);
        }
        if let Some(total) = total {
            self.total = Some(self.total.unwrap_or(0).saturating_add(total));
        }
        self.used = self.used.saturating_add(used);
    }

    /// Counts an amount that is there, and that nobody can get.
    fn withhold(&mut self, amount: i128) {
        self.withheld = self.withheld.saturating_add(amount.max(0));
    }

    fn shown(self, name: String) -> AmountUse {
        let spell = |nanos: i128| spell_like(nanos, &self.beside);
        let gone = self.used.saturating_add(self.withheld);
        let free = self.total.map(|total| spell(total.saturating_sub(gone)));
        AmountUse {
            name,
            total: self.total.map(spell),
            used: spell(self.used),
            free,
        }
    }
}

/// The sums of a row.
#[derive(Default)]
struct Sum {
    claims: Option<ClaimCount>,
    devices: DeviceUse,
    capacity: BTreeMap<String, Amounts>,
    /// Capacities of devices that consume counters. Only their use can be added up.
    capacity_of_parts: BTreeMap<String, Amounts>,
    counters: BTreeMap<String, Amounts>,
}

impl Sum {
    /// Adds a published device.
    fn add(&mut self, cluster: &Cluster<'_>, at: DeviceAt, known: Known) {
        let count =
            |sum: &mut Option<usize>, by: usize| *sum = Some(sum.unwrap_or(0).saturating_add(by));
        let in_state = |of: State| usize::from(known.state == of);
        let devices = &mut self.devices;
        count(&mut devices.total, 1);
        count(&mut devices.blocked, in_state(State::Blocked));
        count(&mut devices.tainted, in_state(State::Tainted));
        count(&mut devices.free, in_state(State::Free));
        devices.in_use = devices.in_use.saturating_add(in_state(State::InUse));
        devices.shared = devices.shared.saturating_add(in_state(State::Shared));
        devices.admin = devices.admin.saturating_add(usize::from(known.has_admin));
        let Some((slice, device)) = cluster.device(at) else {
            return;
        };
        let is_part = consumed(device).next().is_some();
        for (name, capacity) in device.capacity.iter() {
            let total = capacity.value.nanos();
            let used = match known.state {
                State::InUse => total,
                _ => {
                    let name = Arithmetic::of(cluster, at).plain(name);
                    cluster.usage.used(cluster.identity(at), name)
                }
            };
            let full_name = qualified(&slice.spec.driver, name);
            if is_part {
                let amounts = self.capacity_of_parts.entry(full_name).or_default();
                amounts.add(None, used, capacity.value.text());
                continue;
            }
            let amounts = self.capacity.entry(full_name).or_default();
            amounts.add(Some(total), used, capacity.value.text());
            if !known.is_offered {
                amounts.withhold(total.saturating_sub(used));
            }
        }
    }

    /// Adds a counter of a pool.
    fn add_counter(&mut self, name: String, counter: &Counter<'_>) {
        let (total, used) = (counter.total.nanos(), counter.used);
        let amounts = self.counters.entry(name).or_default();
        amounts.add(Some(total), used, counter.total.text());
        if !counter.is_offered {
            amounts.withhold(total.saturating_sub(used));
        }
    }

    fn row(self, driver: Option<&str>, name: Option<&str>) -> UsageRow {
        let mut capacity = self.capacity_of_parts;
        capacity.extend(self.capacity);
        UsageRow {
            name: name.map(str::to_owned),
            driver: driver.map(str::to_owned),
            claims: self.claims,
            devices: self.devices,
            capacity: shown_amounts(capacity),
            counters: shown_amounts(self.counters),
        }
    }
}

fn shown_amounts(amounts: BTreeMap<String, Amounts>) -> Vec<AmountUse> {
    amounts
        .into_iter()
        .map(|(name, amounts)| amounts.shown(name))
        .collect()
}

/// Returns the classes of a claim's requests.
fn asks(claim: &Claim) -> impl Iterator<Item = &Ask> {
    claim
        .spec
        .devices
        .requests
        .iter()
        .flat_map(|request| request.exactly.iter().chain(&request.first_available))
}

fn classes<'f>(cluster: &Cluster<'f>, states: &States<'f>, selected: &Selected) -> Sums<'f> {
    // Also classes that claims name and nobody gave.
    let mut sums = Sums::new();
    for claim in &cluster.facts.claims {
        let mut names: Vec<&str> = asks(claim)
            .map(|ask| ask.device_class_name.as_str())
            .collect();
        order::sort(&mut names);
        names.dedup();
        for name in names {
            sums.entry((None, Some(name)))
                .or_default()
                .claims
                .get_or_insert_default()
                .add(claim);
        }
    }
    for (class, devices) in cluster.facts.classes.iter().zip(selected) {
        let sum = sums.entry((None, Some(&class.metadata.name))).or_default();
        *sum = Sum {
            claims: Some(sum.claims.unwrap_or_default()),
            ..Sum::default()
        };
        for at in devices.iter().flatten() {
            sum.add(cluster, *at, states.at(cluster, *at));
        }
        if devices.as_ref().is_some_and(Vec::is_empty) {
            let none = Some(0);
            sum.devices = DeviceUse {
                total: none,
                blocked: none,
                tainted: none,
                free: none,
                ..DeviceUse::default()
            };
        }
    }
    sums
}

impl ClaimCount {
    fn add(&mut self, claim: &Claim) {
        let count = if claim.status.allocation.is_some() {
            &mut self.allocated
        } else {
            &mut self.pending
        };
        *count = count.saturating_add(1);
    }
}

fn namespaces<'f>(cluster: &Cluster<'f>) -> Sums<'f> {
    let mut sums = Sums::new();
    // Several shares of a device are one device, which takes its counters once.
    let mut seen = BTreeSet::new();
    for claim in &cluster.facts.claims {
        let sum = sums
            .entry((None, Some(&claim.metadata.namespace)))
            .or_default();
        sum.claims.get_or_insert_default().add(claim);
        for result in claim.allocated_devices() {
            let device = (&result.driver, &result.pool, &result.device);
            let is_new = !is_admin(result) && seen.insert((&claim.metadata.namespace, device));
            hold(cluster, result, is_new, sum);
        }
    }
    sums
}

fn is_admin(result: &AllocatedDevice) -> bool {
    result.admin_access == Some(true)
}

/// Adds a device that a claim holds; `is_new`: the first time in its namespace.
fn hold(cluster: &Cluster<'_>, result: &AllocatedDevice, is_new: bool, sum: &mut Sum) {
    if is_admin(result) {
        return count_up(&mut sum.devices.admin);
    }
    let device = identity(cluster, result)
        .and_then(|identity| cluster.named(identity))
        .and_then(|at| cluster.device(at));
    if result.share_id.is_some() {
        if is_new {
            count_up(&mut sum.devices.shared);
        }
        for (name, amount) in result
            .consumed_capacity
            .iter()
            .flat_map(|consumed| consumed.iter())
        {
            sum.capacity
                .entry(qualified(&result.driver, name))
                .or_default()
                .add(None, amount.nanos(), amount.text());
        }
    } else {
        count_up(&mut sum.devices.in_use);
        for (name, capacity) in device.iter().flat_map(|(_, device)| device.capacity.iter()) {
            sum.capacity
                .entry(qualified(&result.driver, name))
                .or_default()
                .add(None, capacity.value.nanos(), capacity.value.text());
        }
    }
    let charged = device.filter(|_| is_new);
    for ((_, counter), amount) in charged.iter().flat_map(|(_, device)| consumed(device)) {
        sum.counters
            .entry(format!("{}/{counter}", result.driver))
            .or_default()
            .add(None, amount.nanos(), amount.text());
    }
}

fn count_up(count: &mut usize) {
    *count = count.saturating_add(1)
}
