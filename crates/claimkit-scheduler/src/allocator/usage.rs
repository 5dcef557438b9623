//! What is in use, from the status of every claim.

use super::amount::Amount;
use super::behaviour::Behaviour;
use super::identity::{Identity, without_domain};
use super::objects::{AllocatedDevice, Claim, SliceLayout};
use super::sorted::Sorted;
use std::rc::Rc;

/// Capacity by name, in nanos.
pub type Consumed<'f> = Sorted<&'f str, i128>;

/// A change of a device that is in an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChange {
    Taken,
    GivenBack {
        /// How many other claims still hold it exclusively.
        others: usize,
    },
}

/// A set of identities.
#[derive(Clone, Debug, Default)]
pub struct Identities(Vec<bool>);

impl Identities {
    /// Adds one.
    pub fn insert(&mut self, identity: Identity) {
        let at = identity.index();
        if at >= self.0.len() {
            self.0.resize(at.saturating_add(1), false);
        }
        if let Some(place) = self.0.get_mut(at) {
            *place = true;
        }
    }

    /// Takes one out.
    pub fn remove(&mut self, identity: Identity) {
        if let Some(place) = self.0.get_mut(identity.index()) {
            *place = false;
        }
    }

    /// Returns true if the set contains the device.
    pub fn contains(&self, identity: &Identity) -> bool {
        self.0.get(identity.index()) == Some(&true)
    }
}

/// The devices and shares in use.
#[derive(Clone, Debug, Default)]
pub struct DevicesInUse<'f> {
    pub exclusive: Identities,
    pub shared: Identities,
    /// Per identity, the capacity used by shares; may be present but empty.
    consumed: Vec<Option<Consumed<'f>>>,
    claims: ClaimsByDevice,
}

/// By identity, the indexes of the claims that were given a device, those with administrative access too. One list for all devices: it is
/// made for each pod that is explained.
#[derive(Clone, Debug, Default)]
struct ClaimsByDevice {
    /// Where the claims of each device end in the list.
    ends: Vec<usize>,
    claims: Vec<usize>,
}

/// A device that a claim was given.
#[derive(Clone, Copy, Debug)]
struct GivenDevice {
    identity: Identity,
    claim: usize,
}

impl ClaimsByDevice {
    /// Groups the devices of claims. `given`: in the order of the claims. `devices`: how many identities there are.
    fn of(given: &[GivenDevice], devices: usize) -> Self {
        let mut ends = vec![0_usize; devices];
        for one in given {
            if let Some(count) = ends.get_mut(one.identity.index()) {
                *count = count.saturating_add(1);
            }
        }
        let mut before = 0_usize;
        for end in &mut ends {
            // Each claim that is filled in below moves it on to the end.
            let start = before;
            before = before.saturating_add(*end);
            *end = start;
        }
        let mut claims = vec![0_usize; before];
        for one in given {
            let Some(next) = ends.get_mut(one.identity.index()) else {
                continue;
            };
            if let Some(place) = claims.get_mut(*next) {
                *place = one.claim;
            }
            *next = next.saturating_add(1);
        }
        ClaimsByDevice { ends, claims }
    }

    fn of_device(&self, identity: Identity) -> &[usize] {
        let at = identity.index();
        let Some(end) = self.ends.get(at) else {
            return &[];
        };
        let before = at.checked_sub(1).and_then(|before| self.ends.get(before));
        let start = before.copied().unwrap_or(0);
        self.claims.get(start..*end).unwrap_or_default()
    }
}

impl<'f> DevicesInUse<'f> {
    /// Sums up all claims, reserved or not. `consumable`: the gate for shares of devices is on.
    pub fn of(
        claims: &'f [Rc<Claim>],
        behaviour: &Behaviour,
        consumable: bool,
        layout: &SliceLayout,
    ) -> Self {
        let mut usage = DevicesInUse::default();
        usage.consumed.resize(layout.named.len(), None);
        let mut given = Vec::new();
        for (at, claim) in claims.iter().enumerate() {
            let results = claim.allocated_devices();
            if results.is_empty() {
                continue;
            }
            for (result, identity) in results.iter().zip(layout.identities_of(claim).iter()) {
                let Some(identity) = *identity else {
                    continue;
                };
                given.push(GivenDevice {
                    identity,
                    claim: at,
                });
                usage.add(identity, result, behaviour, consumable);
            }
        }
        usage.claims = ClaimsByDevice::of(&given, layout.named.len());
        usage
    }

    /// Counts what one result of an allocation uses.
    fn add(
        &mut self,
        identity: Identity,
        result: &'f AllocatedDevice,
        behaviour: &Behaviour,
        consumable: bool,
    ) {
        if result.admin_access == Some(true) && !behaviour.admin_is_in_use {
            return;
        }
        if !consumable || result.share_id.is_none() {
            self.exclusive.insert(identity);
            return;
        }
        self.shared.insert(identity);
        if let Some(consumed) = &result.consumed_capacity {
            let driver = Some(result.driver.as_str()).filter(|_| behaviour.qualified_capacities);
            self.consume(identity, consumed, driver);
        }
    }

    /// Counts a device as used by a share with these capacities, or by one share less.
    pub fn share(
        &mut self,
        identity: Identity,
        consumed: &[(&'f str, i128)],
        change: DeviceChange,
    ) {
        self.shared.insert(identity);
        let Some(place) = self.consumed.get_mut(identity.index()) else {
            return;
        };
        let sums = place.get_or_insert_default();
        for (name, amount) in consumed {
            let sum = sums.entry(name);
            *sum = match change {
                DeviceChange::Taken => sum.saturating_add(*amount),
                DeviceChange::GivenBack { .. } => sum.saturating_sub(*amount),
            };
        }
        if change != DeviceChange::Taken && sums.values().all(|sum| *sum <= 0) {
            *place = None;
            self.shared.remove(identity);
        }
    }

    /// Adds what a share uses. With a driver, names are counted without its domain; of the two spellings in one result the one with
    /// the domain counts.
    pub fn consume(
        &mut self,
        identity: Identity,
        consumed: &'f Sorted<String, Amount>,
        driver: Option<&str>,
    ) {
        let Some(place) = self.consumed.get_mut(identity.index()) else {
            return;
        };
        let sums = place.get_or_insert_default();
        for (name, amount) in consumed.iter() {
            let is_spelled_out = driver.is_some_and(|driver| {
                !name.contains('/') && consumed.contains_key(format!("{driver}/{name}").as_str())
            });
            if is_spelled_out {
                continue;
            }
            let sum = sums.entry(driver.map_or(name, |driver| without_domain(driver, name)));
            *sum = sum.saturating_add(amount.nanos());
        }
    }

    /// Returns the capacity of a device used by shares; `None` if it has no known shares.
    pub fn consumed(&self, identity: Identity) -> Option<&Consumed<'f>> {
        self.consumed.get(identity.index()).and_then(Option::as_ref)
    }

    /// Returns the indexes of the claims that were given a device.
    pub fn claims(&self, identity: Identity) -> &[usize] {
        self.claims.of_device(identity)
    }

    /// Returns the amount of a capacity that shares use.
    pub fn used(&self, identity: Identity, capacity: &str) -> i128 {
        self.consumed(identity)
            .and_then(|sums| sums.get(capacity))
            .copied()
            .unwrap_or(0)
    }

    /// Returns true if some shares of the device are in use.
    pub fn has_shares(&self, identity: Identity) -> bool {
        self.shared.contains(&identity) || self.consumed(identity).is_some()
    }
}
