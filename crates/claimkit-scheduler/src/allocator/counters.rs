//! Counters of partitionable devices during a search.

use super::behaviour::CounterPlace as Style;
use super::cluster::{Cluster, DeviceAt, Identity, SliceAt};
use super::objects::{Device, Slice};
use super::pools::{Pool, Sets};
use super::sorted::Sorted;

/// A counter with too little left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    pub set: String,
    pub counter: String,
    /// The need of the device, in nanos.
    pub needed: i128,
    /// The amount left by devices in use and devices chosen.
    pub left: i128,
}

/// The tables of a search. Up to 1.36.3 upstream keys both by the pool's name alone, so pools of two drivers may share them.
#[derive(Clone, Debug, Default)]
pub struct Ledger<'f> {
    available: Sorted<Account<'f>, Sets<'f>>,
    consumed: Sorted<(Account<'f>, &'f str, &'f str), i128>,
}

/// The key under which a device was charged.
pub type Account<'f> = (&'f str, &'f str);

impl<'f> Ledger<'f> {
    /// Charges a device; `Err`: it does not fit, and is not charged.
    pub fn charge(
        &mut self,
        cluster: &Cluster<'f>,
        pool: &Pool<'f>,
        at: DeviceAt,
        chosen: &dyn Fn(Identity) -> bool,
    ) -> Result<Option<Account<'f>>, Short> {
        let Some((slice, device)) = cluster.device(at) else {
            return Ok(None);
        };
        let account = match cluster.behaviour.counters {
            Style::SliceAnew => return anew(cluster, slice, at, device, chosen).map(|()| None),
            Style::SliceByName => ("", slice.metadata.name.as_str()),
            Style::PoolByName => ("", pool.name),
            Style::PoolById => (pool.driver, pool.name),
        };
        if !self.available.contains_key(&account) {
            self.available
                .insert(account, opening(cluster, pool, slice, at.slice));
        }
        self.add(account, device, 1);
        match self.overdrawn(account, device) {
            None => Ok(Some(account)),
            Some(short) => {
                self.add(account, device, -1);
                Err(short)
            }
        }
    }

    /// Gives back what a device was charged.
    pub fn give_back(&mut self, account: Account<'f>, device: &'f Device) {
        self.add(account, device, -1);
    }

    fn add(&mut self, account: Account<'f>, device: &'f Device, sign: i128) {
        for consumption in &device.consumes_counters {
            for (counter, amount) in consumption.counters.iter() {
                let sum = self
                    .consumed
                    .entry((account, &consumption.counter_set, counter));
                *sum = sum.saturating_add(amount.value.nanos().saturating_mul(sign));
            }
        }
    }

    fn overdrawn(&self, account: Account<'f>, device: &Device) -> Option<Short> {
        for (set, counters) in self.available.get(&account)?.iter() {
            for (counter, available) in counters.iter() {
                let consumed = self
                    .consumed
                    .get(&(account, *set, *counter))
                    .copied()
                    .unwrap_or(0);
                if *available < consumed {
                    let by_device = needed(device, set, counter);
                    let left = available.saturating_sub(consumed).saturating_add(by_device);
                    return Some(Short {
                        set: (*set).to_owned(),
                        counter: (*counter).to_owned(),
                        needed: by_device,
                        left,
                    });
                }
            }
        }
        None
    }
}

/// Returns the need of a device for a counter.
pub fn needed(device: &Device, set: &str, counter: &str) -> i128 {
    let of_set = device
        .consumes_counters
        .iter()
        .filter(|consumption| consumption.counter_set == set);
    of_set
        .filter_map(|consumption| consumption.counters.get(counter))
        .fold(0, |sum, c| sum.saturating_add(c.value.nanos()))
}

/// Returns the counters of a pool or slice minus the consumption of devices in use.
pub fn opening<'f>(
    cluster: &Cluster<'f>,
    pool: &Pool<'f>,
    slice: &'f Slice,
    at: SliceAt,
) -> Sets<'f> {
    let mut sets: Sets<'f>;
    let slices: Vec<SliceAt>;
    match cluster.behaviour.counters {
        Style::PoolByName | Style::PoolById => {
            sets = pool.sets.clone();
            slices = pool.devices.iter().chain(&pool.others).copied().collect();
        }
        Style::SliceAnew | Style::SliceByName => {
            sets = sets_of(slice);
            slices = vec![at];
        }
    }
    for (at, device) in slices
        .into_iter()
        .flat_map(|slice| cluster.devices_of(slice))
    {
        if uses_counters(cluster, cluster.identity(at)) {
            subtract(&mut sets, device);
        }
    }
    sets
}

/// Returns true if the use of a device counts against its counters.
pub fn uses_counters(cluster: &Cluster<'_>, identity: Identity) -> bool {
    let shared = cluster.behaviour.shares_use_counters && cluster.usage.has_shares(identity);
    cluster.usage.exclusive.contains(&identity) || shared
}

fn sets_of(slice: &Slice) -> Sets<'_> {
    let mut sets = Sets::new();
    for set in &slice.spec.shared_counters {
        sets.insert(
            &set.name,
            set.counters
                .iter()
                .map(|(name, counter)| (name.as_str(), counter.value.nanos()))
                .collect(),
        );
    }
    sets
}

fn subtract(sets: &mut Sets<'_>, device: &Device) {
    for consumption in &device.consumes_counters {
        let Some(set) = sets.get_mut(consumption.counter_set.as_str()) else {
            continue;
        };
        for (counter, amount) in consumption.counters.iter() {
            if let Some(left) = set.get_mut(counter.as_str()) {
                *left = left.saturating_sub(amount.value.nanos());
            }
        }
    }
}

/// Checks only the sets that the device itself names, anew for each candidate, as 1.33 does.
fn anew<'f>(
    cluster: &Cluster<'f>,
    slice: &'f Slice,
    at: DeviceAt,
    device: &'f Device,
    chosen: &dyn Fn(Identity) -> bool,
) -> Result<(), Short> {
    let mut sets = sets_of(slice);
    for (other, used) in cluster.devices_of(at.slice) {
        let identity = cluster.identity(other);
        if cluster.usage.exclusive.contains(&identity) || chosen(identity) {
            subtract(&mut sets, used);
        }
    }
    for consumption in &device.consumes_counters {
        for (counter, amount) in consumption.counters.iter() {
            let left = sets
                .get(consumption.counter_set.as_str())
                .and_then(|set| set.get(counter.as_str()))
                .copied();
            let needed = amount.value.nanos();
            if left.is_none_or(|left| left < needed) {
                let (set, counter) = (consumption.counter_set.clone(), counter.clone());
                return Err(Short {
                    set,
                    counter,
                    needed,
                    left: left.unwrap_or(0),
                });
            }
        }
    }
    Ok(())
}
