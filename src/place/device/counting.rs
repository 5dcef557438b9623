//! Too few devices, known without a search: where upstream tries every order, counting answers at once.
//!
//! Requests are looked at in the order of the search. If those up to some request cannot all be met (a matching of
//! devices to requests does not exist), no search gets beyond it, so nothing is allocated – provided that none of the
//! devices looked at on the way gives an error.

use super::allocate::{has_surprises, is_free};
use super::behaviour::{AllMode, Feature};
use super::cluster::Identity;
use super::prepare::{Attempt, Choice, Prepared};
use std::collections::{BTreeMap, BTreeSet};

/// True: the attempt ends without a result and without an error. False: not known.
pub fn surely_nothing(attempt: &Attempt<'_>, prepared: &Prepared<'_>) -> bool {
    let cluster = attempt.cluster;
    let unsound = attempt.pools.iter().any(|pool| pool.invalid.is_some()) && !cluster.behaviour.passes_bad_pools;
    if unsound || has_surprises(cluster) {
        return false;
    }
    let mut matching = Matching::default();
    for (claim, requests) in prepared.choices.iter().enumerate() {
        let constrained = prepared.constraints.get(claim).is_some_and(|list| !list.is_empty());
        for choices in requests {
            let mut candidates = BTreeSet::new();
            let mut least = i64::MAX;
            let mut reusable = false;
            for choice in choices {
                // A device of mode All that a constraint refuses is an error; 1.31 always ends with one.
                if choice.all.is_some() && (constrained || cluster.behaviour.all_mode == AllMode::LeavesOut) {
                    return false;
                }
                let Some(found) = candidates_of(attempt, choice) else { return false };
                reusable |= found.reusable || choice.admin();
                if !choice.admin() || cluster.behaviour.admin_counts {
                    let enough = found.reusable || i64::try_from(found.devices.len()).is_ok_and(|have| have >= choice.count);
                    least = least.min(if enough { choice.count } else { i64::MAX });
                } else {
                    least = 0;
                }
                candidates.extend(found.devices);
            }
            if least == i64::MAX {
                return true;
            }
            if reusable {
                continue;
            }
            for _ in 0..least {
                if matching.add(&candidates).is_err() {
                    return true;
                }
            }
        }
    }
    false
}

struct Found {
    devices: BTreeSet<Identity>,
    /// Some can be taken more than once.
    reusable: bool,
}

/// The devices a request could have; `None` if one of them gives an error.
fn candidates_of(attempt: &Attempt<'_>, choice: &Choice<'_>) -> Option<Found> {
    let cluster = attempt.cluster;
    let mut found = Found { devices: BTreeSet::new(), reusable: false };
    for pool in attempt.pools.iter().filter(|pool| !cluster.behaviour.passes_bad_pools || pool.is_sound()) {
        for (at, device) in pool.devices.iter().flat_map(|slice| cluster.devices_of(*slice)) {
            let identity = cluster.identity(at);
            if !choice.admin() && !is_free(cluster, identity) {
                continue;
            }
            if attempt.selectable(choice, at, true).ok()? {
                let shared = device.allow_multiple_allocations == Some(true) && cluster.has(Feature::ConsumableCapacity);
                found.reusable |= shared;
                found.devices.insert(identity);
            }
        }
    }
    Some(found)
}

/// A matching of wanted devices to devices, grown one by one.
#[derive(Debug, Default)]
pub(super) struct Matching {
    wanted: Vec<BTreeSet<Identity>>,
    given: BTreeMap<Identity, usize>,
}

impl Matching {
    /// Finds a device for one more want, moving others if needed. `Err`: the devices that were tried, all given away.
    pub(super) fn add(&mut self, candidates: &BTreeSet<Identity>) -> Result<(), Vec<Identity>> {
        let want = self.wanted.len();
        self.wanted.push(candidates.clone());
        // Breadth first over devices; each remembers the device whose want it was reached from.
        let mut reached: BTreeMap<Identity, Option<Identity>> = candidates.iter().map(|device| (*device, None)).collect();
        let mut queue: Vec<Identity> = candidates.iter().copied().collect();
        let mut next = 0;
        while let Some(device) = queue.get(next).copied() {
            next = next.saturating_add(1);
            let Some(holder) = self.given.get(&device).copied() else {
                self.shift(device, want, &reached);
                return Ok(());
            };
            for other in self.wanted.get(holder).into_iter().flatten() {
                if !reached.contains_key(other) {
                    reached.insert(*other, Some(device));
                    queue.push(*other);
                }
            }
        }
        Err(queue)
    }

    /// The wants that these devices were given to.
    pub(super) fn wants_of(&self, devices: &[Identity]) -> Vec<usize> {
        devices.iter().filter_map(|device| self.given.get(device)).copied().collect()
    }

    /// Hands a free device on along the way it was reached.
    fn shift(&mut self, free: Identity, want: usize, reached: &BTreeMap<Identity, Option<Identity>>) {
        let mut device = free;
        while let Some(Some(from)) = reached.get(&device) {
            if let Some(holder) = self.given.get(from).copied() {
                self.given.insert(device, holder);
            }
            device = *from;
        }
        self.given.insert(device, want);
    }
}
