//! What is checked of the pending claims before a search (`structured/internal/*/allocator.go`, `validateDeviceRequest`),
//! and the devices that mode All is about.

use super::behaviour::{AllCapacity, LimitCheck};
use super::capacity::{self, Arithmetic};
use super::cluster::{Cluster, DeviceAt, Identity};
use super::constraints::{self, AttributeValues, Tracked};
use super::engine::SelectorError;
use super::features::Feature;
use super::nodes::NodeFields;
use super::objects::{Ask, Claim, ClaimRequest, Class, Selector};
use super::pools::Pool;
use super::selectors::Cell;
use super::sorted::Sorted;
use super::stop::Stop;
use super::usage::DevicesInUse;
use std::cell::RefCell;
use std::rc::Rc;

/// Maximum number of devices of one claim, in all releases.
pub const MOST_DEVICES: i64 = 32;

/// The hint that kube-scheduler adds to errors about missing keys (`k8s.io/dynamic-resource-allocation/cel/errors.go`, `EnhanceRuntimeError`).
const MISSING_KEY_HINT: &str = ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields";

/// A device and the pool it is offered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Index of the pool.
    pub pool: usize,
    pub at: DeviceAt,
}

/// One way to meet a request: what it asks exactly, or one of its sub-requests.
#[derive(Clone, Debug)]
pub struct RequestChoice<'s> {
    /// Index of the claim.
    pub claim: usize,
    /// Index of the request.
    pub request: usize,
    /// Index of the sub-request; 0 if there are none.
    pub sub: usize,
    pub ask: &'s Ask,
    /// Name of the request.
    pub name: &'s str,
    /// Name of the sub-request.
    pub sub_name: Option<&'s str>,
    /// Mode All: its devices, fixed beforehand.
    pub all: Option<Vec<Candidate>>,
    pub count: i64,
    pub class: Option<&'s Class>,
}

impl RequestChoice<'_> {
    /// Returns `request` or `request/subrequest`.
    pub fn full_name(&self) -> String {
        self.sub_name.map_or_else(
            || self.name.to_owned(),
            |sub| format!("{}/{sub}", self.name),
        )
    }

    /// Returns the name errors use: the sub-request's own.
    pub fn own_name(&self) -> &str {
        self.sub_name.unwrap_or(self.name)
    }

    /// Returns true if administrative access is asked for.
    pub fn admin(&self) -> bool {
        self.ask.admin_access == Some(true) && self.sub_name.is_none()
    }
}

/// An attempt on one node: pools, claims, and cached selector results.
#[derive(Debug)]
pub struct Attempt<'s> {
    pub cluster: &'s Cluster<'s>,
    /// Index of the node.
    pub node: usize,
    pub pools: &'s [Rc<Pool<'s>>],
    pub claims: &'s [&'s Claim],
    known: RefCell<Sorted<[usize; 3], Sorted<Identity, bool>>>,
    computed: RefCell<Sorted<String, Sorted<Identity, Rc<AttributeValues>>>>,
}

/// The validated input of an attempt.
#[derive(Clone, Debug, Default)]
pub struct PreparedAttempt<'s> {
    /// Per claim and request, its choices.
    pub choices: Vec<Vec<Vec<RequestChoice<'s>>>>,
    /// The constraints of each claim.
    pub constraints: Vec<Vec<Tracked<'s>>>,
}

impl<'s> Attempt<'s> {
    /// Makes an attempt on a node.
    pub fn new(
        cluster: &'s Cluster<'s>,
        node: usize,
        pools: &'s [Rc<Pool<'s>>],
        claims: &'s [&'s Claim],
    ) -> Self {
        Attempt {
            cluster,
            node,
            pools,
            claims,
            known: RefCell::default(),
            computed: RefCell::default(),
        }
    }

    /// Checks the claims; `Err` is upstream's error, fatal for the pod, or its crash.
    pub fn prepare(&self) -> Result<PreparedAttempt<'s>, Stop> {
        let mut prepared = PreparedAttempt::default();
        for (at, claim) in self.claims.iter().enumerate() {
            let name = claim.metadata.full_name();
            let mut total: i64 = 0;
            let mut requests = Vec::new();
            for (index, request) in claim.spec.devices.requests.iter().enumerate() {
                let choices = self.request(&name, at, index, request)?;
                let least = choices.iter().map(|choice| choice.count).min().unwrap_or(0);
                if self.cluster.behaviour.limit_check == LimitCheck::PerRequest
                    && least > MOST_DEVICES.saturating_sub(total)
                {
                    let limit =
                        format!("adding {least} devices exceeds the claim limit of {MOST_DEVICES}");
                    let why = format!("{limit}, with {total} already accounted for");
                    return Err(Stop::Fatal(format!(
                        "claim {name}, request {}: {why}",
                        request.name
                    )));
                }
                total = total.wrapping_add(least);
                requests.push(choices);
            }
            if total > MOST_DEVICES {
                let why = format!(
                    "number of requested devices {total} exceeds the claim limit of {MOST_DEVICES}"
                );
                return Err(Stop::Fatal(format!("claim {name}: {why}")));
            }
            if total < 0 && self.cluster.behaviour.limit_check == LimitCheck::Sum {
                return Err(Stop::Panic(
                    "runtime error: makeslice: cap out of range".to_owned(),
                ));
            }
            prepared.choices.push(requests);
            prepared
                .constraints
                .push(constraints::track(claim, self.cluster.behaviour).map_err(Stop::Fatal)?);
        }
        // 1.31 collects mode All without the class's selectors, so these cached results must not be used in the search.
        self.known.take();
        Ok(prepared)
    }

    fn request(
        &self,
        claim: &str,
        at: usize,
        index: usize,
        request: &'s ClaimRequest,
    ) -> Result<Vec<RequestChoice<'s>>, Stop> {
        let cluster = self.cluster;
        let name = &request.name;
        let subs = &request.first_available;
        let before = format!("claim {claim}, request {name}");
        if !subs.is_empty() && !cluster.has(Feature::PrioritizedList) {
            return Err(Stop::Fatal(format!(
                "{before}: has subrequests, but the DRAPrioritizedList feature is disabled"
            )));
        }
        if cluster.behaviour.refuses_capacity && !cluster.has(Feature::ConsumableCapacity) {
            let why = "has capacity requests, but the DRAConsumableCapacity feature is disabled";
            if request
                .exactly
                .as_ref()
                .is_some_and(|ask| ask.capacity.is_some())
            {
                return Err(Stop::Fatal(format!("{before}: {why}")));
            }
            if let Some(sub) = subs.iter().find(|sub| sub.capacity.is_some()) {
                return Err(Stop::Fatal(
                    if cluster.behaviour.capacity_names_subrequest {
                        format!("claim {claim}, subrequest {}: {why}", sub.name)
                    } else {
                        format!("{before}: {why}")
                    },
                ));
            }
        }
        let nothing: &'static Ask = &NOTHING;
        let asks: Vec<(&'s Ask, Option<&'s str>)> = if subs.is_empty() {
            vec![(request.exactly.as_ref().unwrap_or(nothing), None)]
        } else {
            subs.iter()
                .map(|sub| (sub, Some(sub.name.as_str())))
                .collect()
        };
        let mut choices = Vec::new();
        for (sub, (ask, sub_name)) in asks.into_iter().enumerate() {
            let (name, all, count) = (request.name.as_str(), None, 0);
            let mut choice = RequestChoice {
                claim: at,
                request: index,
                sub,
                ask,
                name,
                sub_name,
                all,
                count,
                class: None,
            };
            self.choice(claim, &mut choice)?;
            choices.push(choice);
        }
        Ok(choices)
    }

    fn choice(&self, claim: &str, choice: &mut RequestChoice<'s>) -> Result<(), Stop> {
        let cluster = self.cluster;
        let ask = choice.ask;
        let before = format!("claim {claim}, request {}", choice.own_name());
        if let Some(index) = ask
            .selectors
            .iter()
            .position(|selector| selector.cel.is_none())
        {
            return Err(Stop::Fatal(format!(
                "{before}, selector #{index}: CEL expression empty (unsupported selector type?)"
            )));
        }
        let admin_refused =
            cluster.behaviour.admin_needs_feature && !cluster.has(Feature::AdminAccess);
        if admin_refused && ask.admin_access.is_some() && choice.sub_name.is_none() {
            return Err(Stop::Fatal(format!(
                "{before}: admin access is requested, but the feature is disabled"
            )));
        }
        if cluster.behaviour.knows_1_37
            && !ask.derived_attributes.is_empty()
            && !cluster.has(Feature::DerivedAttributes)
        {
            return Err(Stop::Fatal(format!(
                "{before}: cannot handle request with derived attributes, the feature is disabled"
            )));
        }
        let class = &ask.device_class_name;
        if class.is_empty() {
            return Err(Stop::Fatal(format!(
                "{before}: missing device class name (unsupported request type?)"
            )));
        }
        choice.class = cluster.class(class);
        if choice.class.is_none() {
            let lister = format!("deviceclass.resource.k8s.io \"{class}\" not found");
            return Err(Stop::Fatal(format!(
                "{before}: could not retrieve device class {class}: {lister}"
            )));
        }
        match ask.allocation_mode.as_str() {
            "ExactCount" => choice.count = ask.count,
            "All" => {
                let all = self.all(choice, &before)?;
                choice.count = i64::try_from(all.len()).unwrap_or(i64::MAX);
                choice.all = Some(all);
            }
            other => {
                return Err(Stop::Fatal(format!(
                    "{before}: unsupported count mode {other}"
                )));
            }
        }
        Ok(())
    }

    /// Returns the devices of mode All. Those in use or tainted are kept: they make the search fail.
    fn all(&self, choice: &RequestChoice<'s>, before: &str) -> Result<Vec<Candidate>, Stop> {
        let cluster = self.cluster;
        let nothing = DevicesInUse::default();
        let mut all = Vec::new();
        for (pool_at, pool) in self.pools.iter().enumerate() {
            let id = pool.id();
            let bad = if pool.incomplete {
                Some("being updated")
            } else if pool.invalid.is_some() {
                Some("invalid")
            } else {
                None
            };
            if let Some(bad) = bad {
                let why = format!(
                    "{before}: asks for all devices, but resource pool {id} is currently {bad}"
                );
                return Err(if cluster.behaviour.bad_pools_of_node {
                    Stop::OfNode(why)
                } else {
                    Stop::Fatal(why)
                });
            }
            for (at, device) in pool
                .devices
                .iter()
                .flat_map(|slice| cluster.devices_of(*slice))
            {
                let class = choice
                    .class
                    .filter(|_| !cluster.behaviour.all_ignores_class);
                if !self.selectable_by(choice, class, at).map_err(Stop::Fatal)? {
                    continue;
                }
                let identity = cluster.identity(at);
                if cluster.has(Feature::ConsumableCapacity) {
                    let usage = if cluster.behaviour.all_capacity == AllCapacity::Whole {
                        &nothing
                    } else {
                        &cluster.usage
                    };
                    let arithmetic = Arithmetic::of(cluster, at);
                    let checked = capacity::check(
                        choice.ask,
                        device,
                        identity,
                        usage,
                        &Sorted::new(),
                        arithmetic,
                    );
                    if let Err(refusal) = checked {
                        if let Some(error) = refusal.error(arithmetic) {
                            return Err(Stop::Fatal(format!(
                                "{before}: checking capacity for device {}: {error}",
                                device.name
                            )));
                        }
                        continue;
                    }
                }
                all.push(Candidate { pool: pool_at, at });
            }
        }
        Ok(all)
    }

    /// Computes a derived attribute of a request on a device; `None` if the request has none of this name. `Err` is upstream's
    /// error.
    pub fn derived(
        &self,
        ask: &Ask,
        name: &str,
        at: DeviceAt,
    ) -> Option<Result<Rc<AttributeValues>, String>> {
        let cluster = self.cluster;
        // Upstream's map keeps the last one of a name.
        let derived = ask
            .derived_attributes
            .iter()
            .rev()
            .find(|derived| derived.name == name)?;
        let (expression, identity) = (derived.expression.as_str(), cluster.identity(at));
        if let Some(known) = self
            .computed
            .borrow()
            .get(expression)
            .and_then(|devices| devices.get(&identity))
        {
            return Some(Ok(known.clone()));
        }
        let computed = match cluster.derive(expression, at)? {
            Ok(attribute) => Rc::new(AttributeValues::derived(attribute, cluster.behaviour)),
            Err(SelectorError::Compile(text)) => {
                return Some(Err(format!(
                    "compile derived attribute {name} failed: {text}"
                )));
            }
            Err(SelectorError::Runtime(text)) => {
                let device = cluster.device_name(at);
                return Some(Err(format!(
                    "evaluate derived attribute {name} on device {device} failed: {text}"
                )));
            }
        };
        self.computed
            .borrow_mut()
            .entry(expression.to_owned())
            .insert(identity, computed.clone());
        Some(Ok(computed))
    }

    /// Returns true if the selectors and node selection allow the device for the request. `Err` is upstream's error.
    pub fn selectable(&self, choice: &RequestChoice<'s>, at: DeviceAt) -> Result<bool, String> {
        self.selectable_by(choice, choice.class, at)
    }

    /// Does the same with the selectors of `class`, if one is given.
    fn selectable_by(
        &self,
        choice: &RequestChoice<'s>,
        class: Option<&Class>,
        at: DeviceAt,
    ) -> Result<bool, String> {
        let cluster = self.cluster;
        let Some((slice, device)) = cluster.device(at) else {
            return Ok(false);
        };
        let bound = device
            .binding_conditions
            .as_ref()
            .is_some_and(|conditions| !conditions.is_empty());
        let unsupported = cluster.behaviour.binding_needs_feature
            && bound
            && !cluster.has(Feature::DeviceBindingAndStatus);
        if device.shapeless || unsupported {
            return Ok(false);
        }
        let (key, identity) = (
            [choice.claim, choice.request, choice.sub],
            cluster.identity(at),
        );
        if let Some(known) = self
            .known
            .borrow()
            .get(&key)
            .and_then(|devices| devices.get(&identity))
        {
            return Ok(*known);
        }
        let verdict = self.selected(choice, class, at)? && {
            let place = NodeFields::of_device(device);
            slice.spec.per_device_node_selection != Some(true)
                || place
                    .has(self.node, &cluster.facts.nodes, &cluster.judgements)
                    .map_err(|error| error.parse_text())?
        };
        self.known.borrow_mut().entry(key).insert(identity, verdict);
        Ok(verdict)
    }

    /// Returns the error of a selector: since 1.37 with the device and a hint.
    fn selector_error(&self, before: &str, selector: &Selector, at: DeviceAt) -> String {
        let cluster = self.cluster;
        let error = cluster.selector_error(selector, at);
        if !cluster.behaviour.selector_errors_name_device
            || cluster.ask(selector, at) != Some(Cell::RuntimeError)
        {
            return format!("{before}: {error}");
        }
        let hint = if error.contains("no such key:") {
            MISSING_KEY_HINT
        } else {
            ""
        };
        format!(
            "{before} on device {}: {error}{hint}",
            cluster.device_name(at)
        )
    }

    fn selected(
        &self,
        choice: &RequestChoice<'s>,
        class: Option<&Class>,
        at: DeviceAt,
    ) -> Result<bool, String> {
        let cluster = self.cluster;
        let of_class = class.map_or(&[][..], |class| class.spec.selectors.as_slice());
        for (own, selectors) in [(false, of_class), (true, choice.ask.selectors.as_slice())] {
            for (index, selector) in selectors.iter().enumerate() {
                match cluster.ask(selector, at) {
                    Some(Cell::Yes) => {}
                    Some(Cell::No) => return Ok(false),
                    _ => {
                        let who = match self.claims.get(choice.claim) {
                            Some(claim) if own => format!("claim {}", claim.metadata.full_name()),
                            _ => format!("class {}", choice.ask.device_class_name),
                        };
                        return Err(self.selector_error(
                            &format!("{who}: selector #{index}"),
                            selector,
                            at,
                        ));
                    }
                }
            }
        }
        Ok(true)
    }
}

/// The request used when neither `exactly` nor `firstAvailable` is set.
static NOTHING: Ask = Ask {
    name: String::new(),
    device_class_name: String::new(),
    selectors: Vec::new(),
    allocation_mode: String::new(),
    count: 0,
    admin_access: None,
    tolerations: Vec::new(),
    capacity: None,
    derived_attributes: Vec::new(),
};
