//! Too few devices, known without a search: where upstream tries every order, counting answers at once.
//!
//! Requests are looked at in the order of the search. If those up to some request cannot all be met (a matching of
//! devices to requests does not exist), no search gets beyond it, so nothing is allocated – provided that none of the
//! devices looked at on the way gives an error.

use super::behaviour::{AllMode, Feature};
use super::cluster::{Cluster, DeviceAt, Identity};
use super::constraints::{self, Kind, Scalar, attribute, scalar};
use super::prepare::{Attempt, Choice, Prepared};
use super::sorted::{Set, Sorted};

/// True: the attempt ends without a result and without an error. False: not known.
pub fn surely_nothing(attempt: &Attempt<'_>, prepared: &Prepared<'_>) -> bool {
    let cluster = attempt.cluster;
    let unsound = attempt.pools.iter().any(|pool| pool.invalid.is_some()) && !cluster.behaviour.passes_bad_pools;
    if unsound || has_surprises(cluster) {
        return false;
    }
    if too_few(attempt, prepared, &|_, _| true) {
        return true;
    }
    // With matchAttribute all devices have one value: there are too few if there are too few of each.
    let lists = cluster.has(Feature::ListTypeAttributes);
    let mut constraints = attempt
        .claims
        .iter()
        .enumerate()
        .flat_map(|(at, claim)| claim.spec.devices.constraints.iter().map(move |constraint| (at, constraint)));
    constraints.any(|(claim, constraint)| match constraints::kind(constraint, cluster.behaviour) {
        Some((Kind::Match, name)) if !lists => {
            let value = |at: DeviceAt| {
                let (slice, device) = cluster.device(at)?;
                attribute(device, &slice.spec.driver, name).map(scalar)
            };
            let devices = attempt.pools.iter().flat_map(|pool| &pool.devices).flat_map(|slice| cluster.devices_of(*slice));
            let values: Set<Scalar<'_>> = devices.filter_map(|(at, _)| value(at).flatten()).collect();
            let with = |wanted: Option<&Scalar<'_>>| {
                too_few(attempt, prepared, &|choice, at| {
                    let concerned = choice.claim == claim && constraints::applies(constraint, choice.name, choice.sub_name);
                    // A value of unknown type is accepted on its own.
                    !concerned || value(at).is_some_and(|value| value.is_none() || value.as_ref() == wanted)
                })
            };
            with(None) && values.iter().all(|value| with(Some(value)))
        }
        _ => false,
    })
}

/// Can a search on this cluster end in ways that counting devices does not foresee?
fn has_surprises(cluster: &Cluster<'_>) -> bool {
    cluster.behaviour.capacity_of_wrong_device && cluster.has(Feature::ConsumableCapacity)
}

/// Are there too few devices among those that pass a filter?
fn too_few(attempt: &Attempt<'_>, prepared: &Prepared<'_>, filter: &dyn Fn(&Choice<'_>, DeviceAt) -> bool) -> bool {
    let cluster = attempt.cluster;
    let mut matching = Matching::default();
    for (claim, requests) in prepared.choices.iter().enumerate() {
        let constrained = prepared.constraints.get(claim).is_some_and(|list| !list.is_empty());
        for choices in requests {
            let mut candidates = Set::default();
            let mut least = i64::MAX;
            let mut reusable = false;
            for choice in choices {
                // A device of mode All that a constraint refuses is an error; 1.31 always ends with one.
                if choice.all.is_some() && (constrained || cluster.behaviour.all_mode == AllMode::LeavesOut) {
                    return false;
                }
                let Some(found) = candidates_of(attempt, choice, filter) else { return false };
                reusable |= found.reusable || choice.admin();
                let counts = !choice.admin() || cluster.behaviour.admin_counts;
                let enough =
                    found.reusable || i64::try_from(found.devices.as_slice().len()).is_ok_and(|have| have >= choice.count);
                least = least.min(match (counts, enough) {
                    (false, _) => 0,
                    (true, true) => choice.count,
                    (true, false) => i64::MAX,
                });
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
    devices: Set<Identity>,
    /// Some can be taken more than once.
    reusable: bool,
}

/// The devices a request could have; `None` if one of them gives an error.
fn candidates_of(attempt: &Attempt<'_>, choice: &Choice<'_>, filter: &dyn Fn(&Choice<'_>, DeviceAt) -> bool) -> Option<Found> {
    let cluster = attempt.cluster;
    let mut found = Found { devices: Set::default(), reusable: false };
    for pool in attempt.pools.iter().filter(|pool| !cluster.behaviour.passes_bad_pools || pool.is_sound()) {
        for (at, device) in pool.devices.iter().flat_map(|slice| cluster.devices_of(*slice)) {
            let identity = cluster.identity(at);
            if !choice.admin() && !cluster.is_free(identity) {
                continue;
            }
            if attempt.selectable(choice, at, true).ok()? && filter(choice, at) {
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
    wanted: Vec<Set<Identity>>,
    given: Sorted<Identity, usize>,
}

impl Matching {
    /// Finds a device for one more want, moving others if needed. `Err`: the devices that were tried, all given away.
    pub(super) fn add(&mut self, candidates: &Set<Identity>) -> Result<(), Vec<Identity>> {
        let want = self.wanted.len();
        self.wanted.push(candidates.clone());
        // Breadth first over devices; each remembers the device whose want it was reached from.
        let mut reached: Sorted<Identity, Option<Identity>> = candidates.iter().map(|device| (*device, None)).collect();
        let mut queue: Vec<Identity> = candidates.iter().copied().collect();
        let mut next = 0;
        while let Some(device) = queue.get(next).copied() {
            next = next.saturating_add(1);
            let Some(holder) = self.given.get(&device).copied() else {
                self.shift(device, want, &reached);
                return Ok(());
            };
            for other in self.wanted.get(holder).into_iter().flat_map(Set::iter) {
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
    fn shift(&mut self, free: Identity, want: usize, reached: &Sorted<Identity, Option<Identity>>) {
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
