//! Checks the reasons of accounts on recorded inputs: the allocator runs again for one device and one request with all reasons
//! removed, with all but one removed, and unchanged.

use super::lines::{facts, gate, lines, list, release, text};
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::allocate::{Verdict, allocate};
use claimkit_scheduler::allocator::amount::Amount;
use claimkit_scheduler::allocator::behaviour::{Behaviour, allocator, allocator_named};
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::{Feature, Features, features_of};
use claimkit_scheduler::allocator::objects::{
    AllocatedDevice, Ask, Attribute, Capacity, Cel, Claim, Constraint, Consumption, Counter,
    Device, Facts,
};
use claimkit_scheduler::allocator::objects::{ClaimRequest, RequestPolicy, Selector, Slice};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::pools::Gatherer;
use claimkit_scheduler::allocator::sorted::Sorted;
use claimkit_scheduler::explain::{Explain, Matrix, explain_pod};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of steps of a search here.
const BUDGET: u64 = 20_000;
/// An attribute that only the device in question has.
const ONLY: &str = "claimkit.test/only";

/// A recorded input and its allocator.
pub struct Question {
    pub id: String,
    pub facts: Facts,
    pub behaviour: &'static Behaviour,
    pub features: Features,
    engine: CelSelectors,
    minor: u8,
    on: BTreeMap<&'static str, bool>,
}

impl Question {
    /// `None`: the line gives what is in use without the claims that use it.
    pub fn of(line: &Value) -> Option<Question> {
        let (minor, patch) = release(line);
        let mut facts = facts(line);
        let gates = ["DRAPrioritizedList", "DRAExtendedResource"];
        let is_on = |name: &str| {
            line["gates"][name]
                .as_bool()
                .unwrap_or_else(|| gate(minor, name))
        };
        let lists = line["celLists"] == true || is_on("DRAListTypeAttributes");
        let (behaviour, features, lists) = if line.get("gates").is_some() {
            let features = features_of(minor, is_on);
            (allocator(minor, patch, &features)?, features, lists)
        } else {
            let names = list(line, "features");
            let features: Features = names
                .iter()
                .map(|name| Feature::parse(name.as_str().unwrap()).unwrap())
                .collect();
            let lists = lists || features.contains(&Feature::ListTypeAttributes);
            (
                allocator_named(minor, patch, text(line, "allocator"))?,
                features,
                lists,
            )
        };
        if line
            .get("state")
            .is_some_and(|state| !super::lines::lean(state).as_object().unwrap().is_empty())
        {
            return None;
        }
        let engine = CelSelectors::new(Release::last_of(minor), lists);
        PluginRules::of(minor, u8::MAX).apply_taint_rules(&mut facts, is_on, &engine);
        let mut on: BTreeMap<&str, bool> = gates.iter().map(|name| (*name, is_on(name))).collect();
        if line.get("gates").is_none() {
            on.insert(
                "DRAPrioritizedList",
                features.contains(&Feature::PrioritizedList),
            );
            on.insert("DRAExtendedResource", false);
        }
        Some(Question {
            id: text(line, "id").to_owned(),
            facts,
            behaviour,
            features,
            engine,
            minor,
            on,
        })
    }

    /// The account of the line's pod or claims.
    pub fn account(&self, options: Explain) -> Value {
        let cluster = Cluster::new(&self.facts, self.behaviour, &self.features, &self.engine);
        let (rules, gates) = (
            PluginRules::of(self.minor, u8::MAX),
            PluginGates::of(|name| {
                self.on
                    .get(name)
                    .copied()
                    .unwrap_or_else(|| gate(self.minor, name))
            }),
        );
        let case = match self.facts.pods.first() {
            Some(pod) => PodCase::new(&cluster, rules, gates, pod),
            None => {
                let claims = self.facts.claims.iter().map(|claim| &**claim);
                let pending: Vec<&Claim> = claims
                    .filter(|claim| claim.status.allocation.is_none())
                    .collect();
                PodCase::of_claims(&cluster, rules, gates, &pending)
            }
        };
        let nodes: Vec<usize> = (0..self.facts.nodes.len()).collect();
        serde_json::to_value(explain_pod(&cluster, &case, &nodes, options)).unwrap()
    }

    /// The allocator's verdict on these claims.
    pub fn verdict(&self, facts: &Facts, node: usize, claims: &[Claim]) -> Verdict {
        let cluster = Cluster::new(facts, self.behaviour, &self.features, &self.engine);
        let claims: Vec<&Claim> = claims.iter().collect();
        allocate(
            &cluster,
            node,
            &Gatherer::new(&cluster).gather(node),
            &claims,
            BUDGET,
        )
        .verdict
    }

    /// A pending claim of an account by its name; `None` if several have the name, as in some of upstream's cases.
    pub fn claim(&self, name: &str) -> Option<Claim> {
        let pending = |claim: &&Rc<Claim>| {
            claim.metadata.full_name() == name && claim.status.allocation.is_none()
        };
        let mut found = self.facts.claims.iter().filter(pending);
        let claim = found.next().map(|claim| (**claim).clone());
        claim.filter(|_| found.next().is_none())
    }

    /// Constraints that the allocator does not know end every attempt.
    pub fn knows_constraints(&self, claim: &Claim) -> bool {
        let known = |constraint: &Constraint| {
            constraint.match_attribute.is_some()
                || (constraint.distinct_attribute.is_some() && self.behaviour.distinct)
        };
        claim.spec.devices.constraints.iter().all(known)
    }
}

/// Claims as the account names them: nodes whose account is given in full.
pub fn told(account: &Value) -> impl Iterator<Item = &Value> {
    list(account, "nodes")
        .iter()
        .filter(|node| node["sameAs"].is_null())
}

pub fn node_at(facts: &Facts, node: &Value) -> usize {
    facts
        .nodes
        .iter()
        .position(|one| one.metadata.name == text(node, "name"))
        .unwrap()
}

/// A claim's request alone, as the account names it: `sub` leaves one of its sub-requests.
pub fn alone(claim: &Claim, request: &str, sub: Option<&str>) -> Option<Claim> {
    let mut claim = claim.clone();
    let devices = &mut claim.spec.devices;
    devices.requests.retain(|one| one.name == request);
    devices.config.clear();
    let [one] = devices.requests.as_mut_slice() else {
        return None;
    };
    if let Some(sub) = sub {
        one.first_available.retain(|ask| ask.name == sub);
        (one.first_available.len() == 1).then_some(())?;
    }
    Some(claim)
}

pub fn ask_of(request: &mut ClaimRequest) -> &mut Ask {
    match &mut request.exactly {
        Some(ask) => ask,
        None => &mut request.first_available[0],
    }
}

/// One device and one request, without alternatives.
#[derive(Clone)]
struct Pair {
    facts: Facts,
    claim: Claim,
    slice: usize,
    device: usize,
    minor: u8,
    consumable: bool,
    counted: bool,
}

impl Pair {
    fn of(question: &Question, claim: &Claim, device: &str) -> Option<Pair> {
        let mut facts = question.facts.clone();
        let (driver, rest) = device.split_once('/')?;
        let (pool, name) = rest.rsplit_once('/')?;
        let of_pool = |slice: &Slice| slice.spec.driver == driver && slice.spec.pool.name == pool;
        let places: Vec<(usize, usize)> = facts
            .slices
            .iter()
            .enumerate()
            .filter(|(_, slice)| of_pool(slice))
            .flat_map(|(at, slice)| {
                slice
                    .spec
                    .devices
                    .iter()
                    .enumerate()
                    .map(move |(index, device)| (at, index, device))
            })
            .filter(|(.., device)| device.name == name)
            .map(|(at, index, _)| (at, index))
            .collect();
        let [(slice, index)] = places.as_slice() else {
            return None;
        };
        let (slice, index) = (*slice, *index);
        for (at, other) in facts.slices.iter_mut().enumerate() {
            for (place, device) in Rc::make_mut(other).spec.devices.iter_mut().enumerate() {
                if (at, place) == (slice, index) {
                    device.attributes.insert(
                        ONLY.to_owned(),
                        Attribute {
                            bool: Some(true),
                            ..Attribute::default()
                        },
                    );
                } else {
                    device.attributes = Sorted::new();
                }
            }
        }
        let mut claim = claim.clone();
        let class = ask_of(&mut claim.spec.devices.requests[0])
            .device_class_name
            .clone();
        let class = facts
            .classes
            .iter_mut()
            .find(|one| one.metadata.name == class)?;
        let expression = r#""only" in device.attributes["claimkit.test"]"#.to_owned();
        Rc::make_mut(class).spec.selectors.insert(
            0,
            Selector {
                cel: Some(Cel { expression }),
            },
        );
        let has = |feature| question.features.contains(&feature);
        let (consumable, counted) = (
            has(Feature::ConsumableCapacity),
            has(Feature::PartitionableDevices),
        );
        Some(Pair {
            facts,
            claim,
            slice,
            device: index,
            minor: question.minor,
            consumable,
            counted,
        })
    }

    fn device(&mut self) -> &mut Device {
        &mut Rc::make_mut(&mut self.facts.slices[self.slice])
            .spec
            .devices[self.device]
    }

    fn ask(&mut self) -> &mut Ask {
        ask_of(&mut self.claim.spec.devices.requests[0])
    }

    /// The slices of the device's pool.
    fn of_pool(&mut self) -> impl Iterator<Item = &mut Slice> {
        let spec = self.facts.slices[self.slice].spec.clone();
        let slices = self.facts.slices.iter_mut();
        slices
            .filter(move |slice| {
                slice.spec.driver == spec.driver && slice.spec.pool.name == spec.pool.name
            })
            .map(Rc::make_mut)
    }

    /// Edits the allocations of the device in all claims; false removes an allocation.
    fn results(&mut self, edit: &dyn Fn(&mut AllocatedDevice) -> bool) {
        let (spec, name) = (
            self.facts.slices[self.slice].spec.clone(),
            self.device().name.clone(),
        );
        for claim in &mut self.facts.claims {
            if let Some(allocation) = &mut Rc::make_mut(claim).status.allocation {
                allocation.devices.results.retain_mut(|one| {
                    let is_own = one.driver == spec.driver
                        && one.pool == spec.pool.name
                        && one.device == name;
                    !is_own || edit(one)
                });
            }
        }
    }

    /// Makes the names of devices and counter sets in the pool unique, and removes consumption of missing counters.
    fn make_valid(&mut self) {
        let own = self.device().name.clone();
        let generation = self.facts.slices[self.slice].spec.pool.generation;
        let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for slice in self
            .of_pool()
            .filter(|slice| slice.spec.pool.generation == generation)
        {
            slice.spec.shared_counters.retain_mut(|set| {
                let names: Vec<String> = set.counters.keys().cloned().collect();
                // The remaining counters do not matter while the pool is unusable.
                set.counters = names
                    .iter()
                    .map(|name| {
                        (
                            name.clone(),
                            Counter {
                                value: Amount::whole(1 << 60),
                            },
                        )
                    })
                    .collect();
                let counters = names;
                sets.insert(set.name.clone(), counters).is_none()
            });
        }
        let (at, counted) = ((self.slice, self.device), self.counted);
        let names = self
            .facts
            .slices
            .iter_mut()
            .enumerate()
            .map(|(slice, facts)| (slice, Rc::make_mut(facts)));
        let mut seen: Vec<(String, String, String)> = Vec::new();
        for (slice, facts) in names {
            let (driver, pool) = (facts.spec.driver.clone(), facts.spec.pool.name.clone());
            for (device, facts) in facts.spec.devices.iter_mut().enumerate() {
                let name = (driver.clone(), pool.clone(), facts.name.clone());
                if seen.contains(&name) || (facts.name == own && (slice, device) != at) {
                    facts.name.push_str(&format!("-{slice}-{device}"));
                }
                seen.push(name);
                let known = |one: &Consumption| {
                    sets.get(&one.counter_set).is_some_and(|counters| {
                        one.counters
                            .keys()
                            .all(|counter| counters.contains(counter))
                    })
                };
                facts.consumes_counters.retain(|one| !counted || known(one));
            }
        }
    }

    /// Removes a reason by changing its facts; false if this test cannot.
    fn without(&mut self, reason: &Value) -> bool {
        let index = reason["index"].as_u64().unwrap_or(0) as usize;
        let always = || {
            Some(Cel {
                expression: "true".to_owned(),
            })
        };
        match text(reason, "code") {
            "pool-old-generation" => {
                let own = self.facts.slices[self.slice].spec.pool.generation;
                let mut have = 0;
                for slice in self.of_pool() {
                    if slice.spec.pool.generation == own {
                        have += 1;
                    } else {
                        slice.spec.pool.name.push_str("-other");
                    }
                }
                self.of_pool()
                    .for_each(|slice| slice.spec.pool.resource_slice_count = have);
                self.make_valid();
            }
            "pool-incomplete" => {
                let have = reason["have"].as_i64().unwrap();
                self.of_pool()
                    .for_each(|slice| slice.spec.pool.resource_slice_count = have);
                // Upstream does not check an incomplete pool for errors.
                self.make_valid();
            }
            "pool-invalid" => self.make_valid(),
            "slice-with-counters" => {
                let mut counters = (*self.facts.slices[self.slice]).clone();
                counters.metadata.name.push_str("-counters");
                counters.spec.devices.clear();
                Rc::make_mut(&mut self.facts.slices[self.slice])
                    .spec
                    .shared_counters
                    .clear();
                self.facts.slices.push(Rc::new(counters));
                self.of_pool()
                    .for_each(|slice| slice.spec.pool.resource_slice_count += 1);
            }
            "feature-off" if reason["field"] == "bindingConditions" => {
                self.device().binding_conditions = None
            }
            "feature-off" if reason["field"] == "consumesCounters" => {
                self.device().consumes_counters.clear()
            }
            "in-use" => {
                // Its consumed counters are free again.
                let consumable = self.consumable;
                self.results(&|result| consumable && result.share_id.is_some());
            }
            "class-selector" => {
                let class = self.ask().device_class_name.clone();
                let class = self
                    .facts
                    .classes
                    .iter_mut()
                    .find(|one| one.metadata.name == class)
                    .unwrap();
                Rc::make_mut(class).spec.selectors[index + 1].cel = always();
            }
            "request-selector" => self.ask().selectors[index].cel = always(),
            "device-not-on-node" => {
                let device = self.device();
                (device.node_name, device.node_selector, device.all_nodes) =
                    (None, None, Some(true));
                let slice = Rc::make_mut(&mut self.facts.slices[self.slice]);
                slice.spec.all_nodes =
                    (slice.spec.per_device_node_selection != Some(true)).then_some(true);
            }
            "capacity" => {
                self.ask().capacity = None;
                // Selectors read the values: they stay, and nothing was or is charged.
                self.results(&|result| {
                    result.consumed_capacity =
                        result.consumed_capacity.as_ref().map(|_| Sorted::new());
                    true
                });
                let policy = RequestPolicy {
                    default: Some(Amount::whole(0)),
                    ..RequestPolicy::default()
                };
                let device = self.device();
                let free = |value: &Capacity| Capacity {
                    request_policy: Some(policy.clone()),
                    ..value.clone()
                };
                device.capacity = device
                    .capacity
                    .iter()
                    .map(|(name, value)| (name.clone(), free(value)))
                    .collect();
            }
            "counters" => {
                let (set, counter) = (
                    text(reason, "set").to_owned(),
                    text(reason, "counter").to_owned(),
                );
                if self.minor == 33 {
                    let own = self
                        .device()
                        .consumes_counters
                        .iter_mut()
                        .filter(|one| one.counter_set == set);
                    own.for_each(|one| drop(one.counters.remove(&counter)));
                }
                // Upstream's tables use only the pool's name as key, so any pool of the same name may count.
                let pool = self.facts.slices[self.slice].spec.pool.name.clone();
                let slices = self
                    .facts
                    .slices
                    .iter_mut()
                    .filter(|slice| slice.spec.pool.name == pool)
                    .map(Rc::make_mut);
                for one in slices
                    .flat_map(|slice| &mut slice.spec.shared_counters)
                    .filter(|one| one.name == set)
                {
                    if let Some(counter) = one.counters.get_mut(&counter) {
                        counter.value = Amount::whole(1 << 60);
                    }
                }
            }
            "taint" => self.device().taints.retain(|taint| {
                let from = taint
                    .rule
                    .as_ref()
                    .map_or_else(|| "driver".to_owned(), |rule| format!("rule/{rule}"));
                let own = [taint.key.as_str(), &taint.value, &taint.effect, &from];
                own != ["key", "value", "effect", "from"].map(|member| text(reason, member))
            }),
            "constraint" => {
                // Another attribute: the indexes of the others stay, and selectors read what they read.
                let constraint = &mut self.claim.spec.devices.constraints[index];
                let matches = constraint.match_attribute.is_some();
                let name = if matches {
                    &mut constraint.match_attribute
                } else {
                    &mut constraint.distinct_attribute
                };
                *name = Some(ONLY.to_owned());
            }
            _ => return false,
        }
        true
    }
}

/// Recorded inputs, and which share of them an ordinary run takes.
pub const SAMPLE: &[(&str, usize)] = &[
    ("plugin-1.36.3", 4),
    ("1.31.14", 4),
    ("1.32.13", 8),
    ("1.33.13", 8),
    ("1.34.9", 25),
    ("1.35.6", 15),
    ("1.36.3", 60),
    ("probes", 6),
];

/// How often each kind of reason was tested.
type Counts = BTreeMap<String, usize>;

/// What is wrong with a cell.
fn check_cell(
    question: &Question,
    node: usize,
    claim: &Claim,
    cell: &Value,
    counts: &mut Counts,
) -> Vec<String> {
    let device = text(cell, "device");
    let reasons: Vec<&Value> = std::iter::once(&cell["reason"])
        .chain(list(cell, "also"))
        .filter(|reason| reason["code"] != "chosen-for" && !reason.is_null())
        .collect();
    let mut count = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
    let Some(pair) = Pair::of(question, claim, device) else {
        count("skipped: a name that stands twice");
        return Vec::new();
    };
    if pair.facts.slices[pair.slice].spec.devices[pair.device].shapeless {
        return Vec::new();
    }
    let gets = |pair: &Pair| match question.verdict(
        &pair.facts,
        node,
        std::slice::from_ref(&pair.claim),
    ) {
        Verdict::Allocated(results) => {
            let all: Vec<String> = results
                .iter()
                .flat_map(|result| &result.devices.results)
                .map(|one| format!("{}/{}/{}", one.driver, one.pool, one.device))
                .collect();
            assert!(
                all.iter().all(|one| one == device),
                "{all:?} instead of {device}"
            );
            Ok(!all.is_empty())
        }
        // It was chosen.
        Verdict::Fatal(error) if error.starts_with("create NodeSelector") => Ok(true),
        Verdict::Fatal(error) => Err(error),
        _ => Ok(false),
    };
    let mut wrong = Vec::new();
    let codes: Vec<&str> = reasons.iter().map(|reason| text(reason, "code")).collect();
    let mut says = |what: String| {
        wrong.push(format!(
            "{} {} {device} {codes:?}: {what}",
            question.id, claim.metadata.name
        ))
    };
    let got = gets(&pair);
    // Such a device fails every request, also that of this test.
    let unreadable = |error: &str| error.contains("CEL runtime error: attribute ");
    if got.as_ref().is_err_and(|error| unreadable(error))
        || reasons
            .iter()
            .any(|reason| unreadable(text(reason, "error")))
    {
        count("skipped: an attribute that CEL cannot read");
        return wrong;
    }
    // Errors that are not about selectors name their subject.
    if got
        .as_ref()
        .is_err_and(|error| !error.contains("selector #"))
    {
        count("skipped: an error of the claim or of the pools");
        return wrong;
    }
    // As it is.
    let first_error = reasons.first().filter(|reason| !reason["error"].is_null());
    match (got, first_error) {
        (Ok(true), _) if reasons.is_empty() => {}
        (Ok(false), None) if !reasons.is_empty() => {}
        (Err(error), Some(reason)) => {
            let own = text(reason, "code") == "request-selector";
            let index = reason["index"].as_u64().unwrap() + u64::from(!own);
            let expected = format!("selector #{index}: {}", text(reason, "error"));
            if !error.ends_with(&expected) {
                says(format!("{error} instead of {expected}"));
            }
        }
        (got, _) => says(format!("as it is: {got:?}")),
    }
    // With all reasons taken away, and with all but one.
    let mut free = pair.clone();
    if !reasons.iter().all(|reason| free.without(reason)) {
        count(&format!("not taken away: {codes:?}"));
        return wrong;
    }
    let got = gets(&free);
    if got != Ok(true) {
        says(format!("with nothing against it: {got:?}"));
    }
    for (at, reason) in reasons.iter().enumerate() {
        let mut one = pair.clone();
        reasons
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .for_each(|(_, reason)| {
                one.without(reason);
            });
        let got = gets(&one);
        if got == Ok(true) {
            says(format!("{} alone does not keep it away", reason));
        }
        count(text(reason, "code"));
    }
    wrong
}

fn check(file: &str, every: usize, all: &mut Vec<String>) -> Counts {
    let (mut counts, mut wrong) = (Counts::new(), Vec::new());
    let options = Explain::default().matrix(Matrix::All).relax(false);
    for question in lines(file, every).filter_map(|line| Question::of(&line)) {
        if question.behaviour.capacity_of_wrong_device
            && question.features.contains(&Feature::ConsumableCapacity)
        {
            continue;
        }
        let account = question.account(options);
        for node in told(&account) {
            let at = node_at(&question.facts, node);
            for request in list(node, "requests") {
                let Some(claim) = question.claim(text(request, "claim")) else {
                    continue;
                };
                let Some(mut claim) =
                    alone(&claim, text(request, "request"), request["sub"].as_str())
                else {
                    continue;
                };
                if !question.knows_constraints(&claim) {
                    continue;
                }
                // One device: mode All asks the same of each.
                let ask = ask_of(&mut claim.spec.devices.requests[0]);
                if request["mode"] == "All"
                    && !question.behaviour.passes_bad_pools
                    && node["pools"].to_string().contains("incomplete")
                {
                    continue;
                }
                (ask.allocation_mode, ask.count) = ("ExactCount".to_owned(), 1);
                for cell in list(request, "cells") {
                    wrong.extend(check_cell(&question, at, &claim, cell, &mut counts));
                }
            }
        }
    }
    println!("{file}: {counts:?}, {} differences", wrong.len());
    wrong.into_iter().take(12).for_each(|one| all.push(one));
    counts
}

#[test]
fn reasons_against_a_device() {
    let (mut all, mut wrong) = (Counts::new(), Vec::new());
    for (file, every) in SAMPLE {
        for (what, count) in check(file, *every, &mut wrong) {
            *all.entry(what).or_default() += count;
        }
    }
    println!("{all:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for code in CODES {
        assert!(
            all.get(*code).is_some_and(|count| *count >= 10),
            "{code}: {all:?}"
        );
    }
}

/// The reasons that recorded inputs give.
const CODES: &[&str] = &[
    "pool-old-generation",
    "pool-incomplete",
    "pool-invalid",
    "feature-off",
    "in-use",
    "class-selector",
    "request-selector",
    "device-not-on-node",
    "capacity",
    "counters",
    "taint",
    "constraint",
];
