//! Too few devices, values or counters, known without a search: where upstream tries every order, counting answers at once.
//!
//! Requests are added in the order of the search. If the requests up to some point have no matching to devices, no search gets
//! beyond that point and nothing is allocated, unless a device examined on the way causes an error.

use super::behaviour::{AllMode, CounterPlace as Style, IncomparableValue};
use super::cluster::{Cluster, DeviceAt, Identity};
use super::constraints::{self, ConstraintKind, Scalar, attribute};
use super::counters::{needed, opening};
use super::features::Feature;
use super::objects::{Constraint, Slice};
use super::pools::Pool;
use super::prepare::{Attempt, PreparedAttempt, RequestChoice};
use super::sorted::{Set, Sorted, ordered};
use std::cell::RefCell;
use std::rc::Rc;

/// Returns true if the attempt ends without a result and without an error. False: not known.
pub fn surely_nothing(attempt: &Attempt<'_>, prepared: &PreparedAttempt<'_>) -> bool {
    let cluster = attempt.cluster;
    let unsound = attempt.pools.iter().any(|pool| pool.invalid.is_some())
        && !cluster.behaviour.passes_bad_pools;
    if unsound || has_surprises(cluster) {
        return false;
    }
    let counting = Counting {
        attempt,
        prepared,
        known: RefCell::default(),
    };
    if counting.too_few(&|_, _| true) || counting.too_few_counters() {
        return true;
    }
    if cluster.has(Feature::ListTypeAttributes) || cluster.has(Feature::DerivedAttributes) {
        return false;
    }
    let mut constraints = attempt.claims.iter().enumerate().flat_map(|(at, claim)| {
        claim
            .spec
            .devices
            .constraints
            .iter()
            .map(move |constraint| (at, constraint))
    });
    constraints.any(
        |(claim, constraint)| match constraints::kind(constraint, cluster.behaviour) {
            Some((ConstraintKind::Match, name)) => {
                counting.too_few_of_each(claim, constraint, name)
            }
            Some((ConstraintKind::Distinct, name)) => {
                counting.too_few_values(claim, constraint, name)
            }
            None => false,
        },
    )
}

/// Returns true if a search on this cluster can end in a way that counting does not predict.
fn has_surprises(cluster: &Cluster<'_>) -> bool {
    cluster.behaviour.capacity_of_wrong_device && cluster.has(Feature::ConsumableCapacity)
        || cluster.behaviour.all_loses_pool && cluster.has(Feature::PartitionableDevices)
}

/// A device that a request could have.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    at: DeviceAt,
    identity: Identity,
    /// It can be taken more than once.
    shared: bool,
}

/// The devices a request could have; `None` if one of them gives an error.
type Found = Option<Rc<Vec<Candidate>>>;

/// The devices of each choice, looked up when they are first wanted.
struct Counting<'a, 's> {
    attempt: &'a Attempt<'s>,
    prepared: &'a PreparedAttempt<'s>,
    known: RefCell<Sorted<(usize, usize, usize), Found>>,
}

/// The values that a request for one device can give a constraint.
enum RequestValues {
    /// It is bound to one of them, which are known by their numbers.
    Bound(Set<Identity>),
    /// The constraint does not bind it to one.
    NotBound,
    /// They cannot be told.
    Unknown,
}

/// The devices of a node by the value of an attribute.
struct DevicesByValue<'f> {
    by_value: Sorted<Scalar<'f>, Set<DeviceAt>>,
    /// Devices whose value is of unknown type; such a value is accepted on its own.
    unknown: Set<DeviceAt>,
}

impl Counting<'_, '_> {
    /// Returns true if too few devices pass a filter.
    fn too_few(&self, filter: &dyn Fn(&RequestChoice<'_>, DeviceAt) -> bool) -> bool {
        let cluster = self.attempt.cluster;
        let mut matching = Matching::default();
        for (claim, requests) in self.prepared.choices.iter().enumerate() {
            for choices in requests {
                let mut candidates = Set::default();
                let mut least = i64::MAX;
                let mut reusable = false;
                for choice in choices {
                    if self.may_fail(claim, choice) {
                        return false;
                    }
                    let Some(found) = self.candidates_of(choice) else {
                        return false;
                    };
                    let mut devices: Set<Identity> = Set::default();
                    let mut shared = false;
                    for one in found.iter().filter(|one| filter(choice, one.at)) {
                        devices.insert(one.identity);
                        shared |= one.shared;
                    }
                    reusable |= shared || choice.admin();
                    let counts = !choice.admin() || cluster.behaviour.admin_counts;
                    let enough = shared
                        || i64::try_from(devices.as_slice().len())
                            .is_ok_and(|have| have >= choice.count);
                    least = least.min(match (counts, enough) {
                        (false, _) => 0,
                        (true, true) => choice.count,
                        (true, false) => i64::MAX,
                    });
                    candidates.extend(devices);
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

    /// Returns true if the result is an error when a constraint rejects a device of mode All; in 1.31 always.
    fn may_fail(&self, claim: usize, choice: &RequestChoice<'_>) -> bool {
        let constrained = self
            .prepared
            .constraints
            .get(claim)
            .is_some_and(|list| !list.is_empty());
        choice.all.is_some()
            && (constrained || self.attempt.cluster.behaviour.all_mode == AllMode::LeavesOut)
    }

    /// Returns true if no value of an attribute has enough devices; with `matchAttribute` all devices have the same one.
    fn too_few_of_each(&self, claim: usize, constraint: &Constraint, name: &str) -> bool {
        let Some(DevicesByValue { by_value, unknown }) = self.devices_by_value(name) else {
            return false;
        };
        let nothing = Set::default();
        let mut each = std::iter::once(&nothing).chain(by_value.values());
        each.all(|devices| {
            self.too_few(&|choice, at| {
                let concerned = choice.claim == claim
                    && constraints::applies(constraint, choice.name, choice.sub_name);
                !concerned || devices.contains(&at) || unknown.contains(&at)
            })
        })
    }

    /// Returns the devices by the value of an attribute; `None`: a value ends the attempt.
    fn devices_by_value(&self, name: &str) -> Option<DevicesByValue<'_>> {
        let cluster = self.attempt.cluster;
        let mut devices = DevicesByValue {
            by_value: Sorted::new(),
            unknown: Set::default(),
        };
        for (at, device) in self
            .attempt
            .pools
            .iter()
            .flat_map(|pool| &pool.devices)
            .flat_map(|slice| cluster.devices_of(*slice))
        {
            let driver = cluster
                .slice(at.slice)
                .map_or("", |slice| slice.spec.driver.as_str());
            let found = attribute(device, driver, name);
            match found.map(|found| constraints::comparable(found, cluster.behaviour)) {
                Some(Some(value)) => drop(devices.by_value.entry(value).insert(at)),
                Some(None) if cluster.behaviour.incomparable != IncomparableValue::Refused => {
                    return None;
                }
                Some(None) => drop(devices.unknown.insert(at)),
                None => {}
            }
        }
        Some(devices)
    }

    /// Returns true if there are too few values for requests that `distinctAttribute` gives one value each. Requests for several devices
    /// are left out, because upstream forgets values of theirs, and so are requests that can have a value of unknown type.
    fn too_few_values(&self, claim: usize, constraint: &Constraint, name: &str) -> bool {
        if self.attempt.cluster.behaviour.distinct_by_address {
            return false;
        }
        let mut known: Sorted<Scalar<'_>, u32> = Sorted::new();
        let mut matching = Matching::default();
        for (of_claim, requests) in self.prepared.choices.iter().enumerate() {
            for choices in requests {
                if choices.iter().any(|choice| self.may_fail(of_claim, choice)) {
                    return false;
                }
                let found = match self.values_of_request(choices, constraint, name, &mut known) {
                    RequestValues::Unknown => return false,
                    // Requests for several devices remember values, too, which only leaves fewer.
                    RequestValues::NotBound => continue,
                    RequestValues::Bound(values) => values,
                };
                if of_claim == claim && matching.add(&found).is_err() {
                    return true;
                }
            }
        }
        false
    }

    /// Returns the values of an attribute that a request can get. `known`: the numbers of the values, which are given in turn.
    fn values_of_request<'v>(
        &'v self,
        choices: &[RequestChoice<'_>],
        constraint: &Constraint,
        name: &str,
        known: &mut Sorted<Scalar<'v>, u32>,
    ) -> RequestValues {
        let cluster = self.attempt.cluster;
        let mut values: Set<Identity> = Set::default();
        let mut is_bound = true;
        for choice in choices {
            let Some(candidates) = self.candidates_of(choice) else {
                return RequestValues::Unknown;
            };
            is_bound &= choice.all.is_none() && choice.count == 1;
            is_bound &= constraints::applies(constraint, choice.name, choice.sub_name);
            for candidate in candidates.iter() {
                let Some((slice, device)) = cluster.device(candidate.at) else {
                    continue;
                };
                let Some(value) = attribute(device, &slice.spec.driver, name) else {
                    continue;
                };
                let Some(value) = constraints::comparable(value, cluster.behaviour) else {
                    if cluster.behaviour.incomparable != IncomparableValue::Refused {
                        return RequestValues::Unknown;
                    }
                    is_bound = false;
                    continue;
                };
                let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
                known.insert_new(value.clone(), next);
                values.extend(known.get(&value).copied().map(Identity));
            }
        }
        if is_bound {
            RequestValues::Bound(values)
        } else {
            RequestValues::NotBound
        }
    }

    /// Returns true if the requests need more of a counter than is left, whichever devices they take.
    fn too_few_counters(&self) -> bool {
        let cluster = self.attempt.cluster;
        let of_pool = matches!(
            cluster.behaviour.counters,
            Style::PoolByName | Style::PoolById
        );
        if !of_pool || !cluster.has(Feature::PartitionableDevices) || cluster.ignores_counters {
            return false;
        }
        let pools = &self.attempt.pools;
        for pool in pools
            .iter()
            .filter(|pool| pool.is_sound() && !pool.sets.is_empty())
        {
            // Pools of one name share their counters, and which pool's they are depends on the search.
            let Some(first) = pool.devices.first() else {
                continue;
            };
            let Some(slice) = cluster
                .slice(*first)
                .filter(|_| pools.iter().filter(|other| other.name == pool.name).count() == 1)
            else {
                continue;
            };
            for (set, counters) in opening(cluster, pool, slice, *first) {
                for (counter, left) in counters {
                    if self.is_exceeded(pool, set, counter, left) {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn is_exceeded(&self, pool: &Pool<'_>, set: &str, counter: &str, left: i128) -> bool {
        let cluster = self.attempt.cluster;
        let mut sum = 0i128;
        for (claim, requests) in self.prepared.choices.iter().enumerate() {
            for choices in requests {
                let mut least: Option<i128> = None;
                for choice in choices {
                    if self.may_fail(claim, choice) {
                        return false;
                    }
                    let Some(found) = self.candidates_of(choice) else {
                        return false;
                    };
                    let mut needs: Vec<i128> = Vec::new();
                    // A device that can be taken more than once may do for all, and is charged once or not at all.
                    if choice.all.is_none()
                        && !choice.admin()
                        && !found.iter().any(|one| one.shared)
                    {
                        let of_candidates: Vec<i128> = found
                            .iter()
                            .map(|candidate| match cluster.device(candidate.at) {
                                Some((slice, device)) if is_of(pool, slice) => {
                                    needed(device, set, counter).max(0)
                                }
                                _ => 0,
                            })
                            .collect();
                        needs = ordered(&of_candidates, &i128::cmp);
                    }
                    let count = usize::try_from(choice.count).unwrap_or(0);
                    let need = needs
                        .iter()
                        .take(count)
                        .fold(0i128, |sum, need| sum.saturating_add(*need));
                    least = Some(least.map_or(need, |least| least.min(need)));
                }
                sum = sum.saturating_add(least.unwrap_or(0));
                if sum > left && sum > 0 {
                    return true;
                }
            }
        }
        false
    }

    fn candidates_of(&self, choice: &RequestChoice<'_>) -> Found {
        let key = (choice.claim, choice.request, choice.sub);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let found = self.look_up(choice).map(Rc::new);
        self.known.borrow_mut().insert(key, found.clone());
        found
    }

    fn look_up(&self, choice: &RequestChoice<'_>) -> Option<Vec<Candidate>> {
        let cluster = self.attempt.cluster;
        let mut found = Vec::new();
        for pool in self
            .attempt
            .pools
            .iter()
            .filter(|pool| !cluster.behaviour.passes_bad_pools || pool.is_sound())
        {
            for (at, device) in pool
                .devices
                .iter()
                .flat_map(|slice| cluster.devices_of(*slice))
            {
                let identity = cluster.identity(at);
                if !choice.admin() && !cluster.is_free(identity) {
                    continue;
                }
                if self.attempt.selectable(choice, at).ok()? {
                    let shared = device.allow_multiple_allocations == Some(true)
                        && cluster.has(Feature::ConsumableCapacity);
                    found.push(Candidate {
                        at,
                        identity,
                        shared,
                    });
                }
            }
        }
        Some(found)
    }
}

fn is_of(pool: &Pool<'_>, slice: &Slice) -> bool {
    slice.spec.driver == pool.driver && slice.spec.pool.name == pool.name
}

/// A matching of wanted devices to devices, grown one by one.
#[derive(Debug, Default)]
pub struct Matching {
    wanted: Vec<Set<Identity>>,
    given: Sorted<Identity, usize>,
}

impl Matching {
    /// Adds one demand and finds a device for it, reassigning others if needed. `Err`: the devices that were tried, all already
    /// assigned.
    pub fn add(&mut self, candidates: &Set<Identity>) -> Result<(), Vec<Identity>> {
        let want = self.wanted.len();
        self.wanted.push(candidates.clone());
        // Breadth-first search over devices; each remembers the device from whose demand it was reached.
        let mut reached: Sorted<Identity, Option<Identity>> =
            candidates.iter().map(|device| (*device, None)).collect();
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

    /// Returns the demands that these devices are assigned to.
    pub fn wants_of(&self, devices: &[Identity]) -> Vec<usize> {
        devices
            .iter()
            .filter_map(|device| self.given.get(device))
            .copied()
            .collect()
    }

    /// Reassigns devices along the path by which a free device was reached.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::behaviour::allocator;
    use crate::allocator::engine::CelSelectors;
    use crate::allocator::features::features_of;
    use crate::allocator::objects::{Claim, Facts};
    use crate::allocator::pools::Gatherer;
    use crate::allocator::search::Search;
    use claimkit_model::schema::Release;
    use serde_json::{Value, json};

    /// Numbers that look random and are the same each time.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % most
        }
    }

    fn facts(numbers: &mut Numbers) -> Facts {
        let mut facts = Facts::default();
        let mut add = |object: Value| assert!(facts.add(&object).unwrap());
        add(json!({"kind": "Node", "metadata": {"name": "n"}}));
        add(json!({"kind": "DeviceClass", "metadata": {"name": "c"}}));
        let selector = json!([{"cel": {"expression": "device.attributes['d'].half"}}]);
        add(
            json!({"kind": "DeviceClass", "metadata": {"name": "half"}, "spec": {"selectors": selector}}),
        );
        let pool = json!({"name": "n", "generation": 1, "resourceSliceCount": 2});
        let counters = json!({"a": {"value": numbers.below(5).to_string()}, "b": {"value": numbers.below(7).to_string()}});
        add(
            json!({"kind": "ResourceSlice", "metadata": {"name": "sets"}, "spec":
            {"driver": "d", "nodeName": "n", "pool": pool, "sharedCounters": [{"name": "s", "counters": counters}]}}),
        );
        let devices: Vec<Value> = (0..2 + numbers.below(5))
            .map(|at| {
                let attributes = json!({"half": {"bool": numbers.below(2) == 0}, "v": {"int": numbers.below(3)}});
                let mut device = json!({"name": format!("d{at}"), "attributes": attributes});
                if numbers.below(3) > 0 {
                    let counters =
                        json!({"a": {"value": numbers.below(3).to_string()}, "b": {"value": numbers.below(3).to_string()}});
                    device["consumesCounters"] = json!([{"counterSet": "s", "counters": counters}]);
                }
                if numbers.below(6) == 0 {
                    device["allowMultipleAllocations"] = json!(true);
                }
                if numbers.below(8) == 0 {
                    device["attributes"].as_object_mut().unwrap().remove("v");
                }
                device
            })
            .collect();
        add(
            json!({"kind": "ResourceSlice", "metadata": {"name": "devices"}, "spec":
            {"driver": "d", "nodeName": "n", "pool": pool, "devices": devices}}),
        );
        let ask = |numbers: &mut Numbers| {
            let mut ask = json!({"deviceClassName": (if numbers.below(3) == 0 { "half" } else { "c" }),
                "allocationMode": "ExactCount", "count": 1 + numbers.below(3).pow(2) / 2});
            match numbers.below(12) {
                0 => ask["adminAccess"] = json!(true),
                1 => ask["allocationMode"] = json!("All"),
                _ => {}
            }
            ask
        };
        let requests: Vec<Value> = (0..1 + numbers.below(4))
            .map(|at| {
                if numbers.below(5) > 0 {
                    return json!({"name": format!("r{at}"), "exactly": ask(numbers)});
                }
                let subs: Vec<Value> = (0..2)
                    .map(|at| {
                        let mut sub = ask(numbers);
                        sub.as_object_mut().unwrap().remove("adminAccess");
                        sub["name"] = json!(format!("s{at}"));
                        sub
                    })
                    .collect();
                json!({"name": format!("r{at}"), "firstAvailable": subs})
            })
            .collect();
        let constraints = match numbers.below(4) {
            0 => json!([{"matchAttribute": "d/v"}]),
            1 => json!([{"distinctAttribute": "d/v"}]),
            2 => json!([{"distinctAttribute": "d/v", "requests": ["r0", "r1"]}]),
            _ => json!([]),
        };
        let spec = json!({"devices": {"requests": requests, "constraints": constraints}});
        add(
            json!({"kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ns"}, "spec": spec}),
        );
        facts
    }

    /// Compares the result of counting with that of the search.
    #[test]
    fn the_search_agrees() {
        let mut numbers = Numbers(29);
        let mut settled = 0;
        for round in 0..4_000 {
            let facts = facts(&mut numbers);
            for (minor, patch) in [(35, 6), (36, 3)] {
                let features = features_of(minor, |_| true)
                    .into_iter()
                    .filter(|feature| *feature != Feature::ListTypeAttributes);
                let features = features.collect();
                let behaviour = allocator(minor, patch, &features).unwrap();
                let engine = CelSelectors::new(Release::new(minor, patch), false);
                let cluster = Cluster::new(&facts, behaviour, &features, &engine);
                let gathered = Gatherer::new(&cluster).gather(0).unwrap();
                let claims: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
                let attempt = Attempt::new(&cluster, 0, &gathered.pools, &claims);
                let Ok(prepared) = attempt.prepare() else {
                    continue;
                };
                if surely_nothing(&attempt, &prepared) {
                    settled += 1;
                    let found = Search::new(&attempt, prepared, u64::MAX).run();
                    assert_eq!(
                        found,
                        Ok(false),
                        "round {round}, 1.{minor}: {:?} {:?}",
                        facts.claims,
                        facts.slices
                    );
                }
            }
        }
        assert!(settled > 1_000, "{settled}");
    }
}
