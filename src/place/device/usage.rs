//! What is in use, from the status of every claim.

use super::amount::Amount;
use super::behaviour::Feature;
use super::cluster::{Cluster, Identity};
use super::facts::{AllocatedDevice, Claim};
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
    /// Sums up all claims. Whether a claim is reserved does not matter.
    pub fn of(cluster: &Cluster<'f>) -> Self {
        let mut usage = Usage::default();
        for (at, claim) in cluster.facts.claims.iter().enumerate() {
            usage.add(cluster, at, claim);
        }
        usage
    }

    fn add(&mut self, cluster: &Cluster<'f>, at: usize, claim: &'f Claim) {
        for result in results_of(claim) {
            let name = (result.driver.as_str(), result.pool.as_str(), result.device.as_str());
            let Some(identity) = cluster.identity_of(name) else { continue };
            self.claims.entry(identity).or_default().push(at);
            if result.admin_access == Some(true) && !cluster.behaviour.admin_is_in_use {
                continue;
            }
            if cluster.has(Feature::ConsumableCapacity) && result.share_id.is_some() {
                self.shared.insert(identity);
                if let Some(consumed) = &result.consumed_capacity {
                    self.consume(identity, consumed);
                }
            } else {
                self.exclusive.insert(identity);
            }
        }
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
