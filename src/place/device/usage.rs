//! What is in use, from the status of every claim.

use super::amount::Amount;
use super::behaviour::Behaviour;
use super::facts::{AllocatedDevice, Claim};
use super::identity::{DeviceName, Identity};
use std::collections::{BTreeMap, BTreeSet};

/// Capacity by name, in nanos.
pub type Consumed<'f> = BTreeMap<&'f str, i128>;

/// Devices in use.
#[derive(Clone, Debug, Default)]
pub struct Usage<'f> {
    /// Exclusively.
    pub exclusive: BTreeSet<Identity>,
    /// By shares.
    pub shared: BTreeSet<Identity>,
    /// Capacity that shares use. An entry may be empty.
    pub consumed: BTreeMap<Identity, Consumed<'f>>,
    /// Indexes of the claims that were given a device, those with administrative access too.
    pub claims: BTreeMap<Identity, Vec<usize>>,
}

impl<'f> Usage<'f> {
    /// Sums up all claims. Whether a claim is reserved does not matter. `consumable`: the gate for shares of devices is on.
    pub fn of(
        claims: &'f [Claim],
        behaviour: &Behaviour,
        consumable: bool,
        identity_of: impl Fn(DeviceName<'_>) -> Option<Identity>,
    ) -> Self {
        let mut usage = Usage::default();
        let results = claims.iter().enumerate().flat_map(|(at, claim)| results_of(claim).iter().map(move |result| (at, result)));
        for (at, result) in results {
            let Some(identity) = identity_of((&result.driver, &result.pool, &result.device)) else { continue };
            usage.claims.entry(identity).or_default().push(at);
            if result.admin_access == Some(true) && !behaviour.admin_is_in_use {
                continue;
            }
            if consumable && result.share_id.is_some() {
                usage.shared.insert(identity);
                if let Some(consumed) = &result.consumed_capacity {
                    usage.consume(identity, consumed);
                }
            } else {
                usage.exclusive.insert(identity);
            }
        }
        usage
    }

    /// Adds what a share uses.
    pub fn consume(&mut self, identity: Identity, consumed: &'f BTreeMap<String, Amount>) {
        let sums = self.consumed.entry(identity).or_default();
        for (name, amount) in consumed {
            let sum = sums.entry(name).or_default();
            *sum = sum.saturating_add(amount.nanos());
        }
    }

    /// What shares use of a capacity.
    pub fn used(&self, identity: Identity, capacity: &str) -> i128 {
        self.consumed.get(&identity).and_then(|sums| sums.get(capacity)).copied().unwrap_or(0)
    }

    /// Are there shares of the device?
    pub fn has_shares(&self, identity: Identity) -> bool {
        self.shared.contains(&identity) || self.consumed.contains_key(&identity)
    }
}

/// The devices a claim was given.
pub fn results_of(claim: &Claim) -> &[AllocatedDevice] {
    claim.status.allocation.as_ref().map_or(&[], |allocation| allocation.devices.results.as_slice())
}
