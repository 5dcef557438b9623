//! The search for devices: depth first, first solution wins (`structured/internal/*/allocator.go`, `allocateOne`).

use super::amount::Amount;
use super::behaviour::{AllMode, IncomparableValue, Limit};
use super::capacity::{self, Arithmetic};
use super::cluster::{DeviceAt, Identity};
use super::counters::{Account, Ledger};
use super::features::Feature;
use super::groups::{Groups, RestoredValues};
use super::prepare::{Attempt, Candidate, PreparedAttempt, RequestChoice};
use super::sorted::{Set, Sorted};
use super::stop::Stop;
use super::taints;
use super::usage::Consumed;

/// Deepest recursion: a step per device, request and claim. More than fifteen full claims in one pod reach it.
const DEEPEST: usize = 1_000;

/// Number of devices that a step of the budget pays for.
const DEVICES_A_STEP: u64 = 50;

/// A device chosen for a request.
#[derive(Clone, Debug)]
pub struct Chosen<'s> {
    /// Index of the request in its claim.
    pub request: usize,
    /// Index of the sub-request.
    pub sub: usize,
    pub at: DeviceAt,
    pub admin: bool,
    /// A share: what it uses.
    pub share: Option<Vec<(&'s str, Amount)>>,
}

/// The position of a search.
#[derive(Clone, Copy, Debug)]
struct Position {
    claim: usize,
    request: usize,
    sub: Option<usize>,
    device: i64,
    in_sub: bool,
    /// Combinations: pool, slice in the pool, and device to begin with.
    start: (usize, usize, usize),
    depth: usize,
}

impl Position {
    fn at(claim: usize, request: usize, depth: usize) -> Self {
        Position {
            claim,
            request,
            sub: None,
            device: 0,
            in_sub: false,
            start: (0, 0, 0),
            depth: depth.saturating_add(1),
        }
    }
}

/// The changes to undo for a device.
#[derive(Clone, Debug)]
struct Taken<'s> {
    identity: Identity,
    at: DeviceAt,
    /// It counts as chosen.
    recorded: bool,
    shared: bool,
    account: Option<Account<'s>>,
    groups: RestoredValues<'s>,
    share: Option<Vec<(&'s str, i128)>>,
    known_before: bool,
    results: usize,
}

/// The devices that a choice must take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// This device, because mode All takes each.
    ThisDevice,
    /// Any device that fits.
    AnyDevice,
}

/// A search in an attempt.
#[derive(Debug)]
pub struct Search<'a, 's> {
    attempt: &'a Attempt<'s>,
    prepared: PreparedAttempt<'s>,
    /// Devices chosen, and for which claims.
    chosen: Sorted<Identity, Set<usize>>,
    /// Capacity of shares chosen. An entry may be empty.
    consumed: Sorted<Identity, Consumed<'s>>,
    ledger: Ledger<'s>,
    groups: Groups<'s>,
    /// One entry per claim.
    pub results: Vec<Vec<Chosen<'s>>>,
    /// Sub-request picked by claim and request.
    pub picked: Sorted<(usize, usize), usize>,
    /// Steps that the search took.
    pub steps: u64,
    looked_at: u64,
    budget: u64,
}

impl<'a, 's> Search<'a, 's> {
    /// Starts a search that ends undecided after `budget` steps.
    pub fn new(attempt: &'a Attempt<'s>, prepared: PreparedAttempt<'s>, budget: u64) -> Self {
        let results = attempt.claims.iter().map(|_| Vec::new()).collect();
        let (chosen, consumed, picked) = (Sorted::new(), Sorted::new(), Sorted::new());
        Search {
            attempt,
            prepared,
            chosen,
            consumed,
            ledger: Ledger::default(),
            groups: Groups::default(),
            results,
            picked,
            steps: 0,
            looked_at: 0,
            budget,
        }
    }

    /// Returns the prepared attempt.
    pub fn prepared(&self) -> &PreparedAttempt<'s> {
        &self.prepared
    }

    /// Steps, or where each looks at many devices, as many as that would be elsewhere.
    pub fn cost(&self) -> u64 {
        self.steps.max(self.looked_at / DEVICES_A_STEP)
    }

    /// Searches; if it returns true, `results` and `picked` hold the solution.
    pub fn run(&mut self) -> Result<bool, Stop> {
        match self.one(Position::at(0, 0, 0)) {
            Err(Stop::Ended | Stop::TooMany) => Ok(false),
            other => other,
        }
    }

    fn choice(&self, claim: usize, request: usize, sub: usize) -> Option<&RequestChoice<'s>> {
        self.prepared.choices.get(claim)?.get(request)?.get(sub)
    }

    fn one(&mut self, at: Position) -> Result<bool, Stop> {
        self.steps = self.steps.saturating_add(1);
        if self.cost() > self.budget || at.depth > DEEPEST {
            return Err(Stop::Undecided);
        }
        let Some(claim) = self.attempt.claims.get(at.claim) else {
            return Ok(true);
        };
        let behaviour = self.attempt.cluster.behaviour;
        if at.request >= claim.spec.devices.requests.len() {
            return match self.one(Position::at(at.claim.saturating_add(1), 0, at.depth)) {
                Err(Stop::TooMany) => Ok(false),
                other => other,
            };
        }
        let Some(choice) = self.choice(at.claim, at.request, at.sub.unwrap_or(0)) else {
            return Ok(false);
        };
        if !at.in_sub && choice.sub_name.is_some() {
            return self.subs(at);
        }
        let choice = choice.clone_light();
        if behaviour.empty_all_fails && choice.all.is_some_and(|devices| devices == 0) {
            return Ok(false);
        }
        if at.device >= choice.count {
            return self.one(Position::at(
                at.claim,
                at.request.saturating_add(1),
                at.depth,
            ));
        }
        let given = self.results.get(at.claim).map_or(0, Vec::len);
        let given = i64::try_from(given).unwrap_or(i64::MAX);
        if given.saturating_add(choice.count).saturating_sub(at.device) > behaviour.most_chosen {
            match behaviour.limit {
                Limit::Unchecked => {}
                Limit::Fails => return Ok(false),
                Limit::FailsShort => return Err(Stop::TooMany),
            }
        }
        if choice.all.is_some() {
            self.predetermined(at)
        } else {
            self.any(at)
        }
    }

    fn subs(&mut self, at: Position) -> Result<bool, Stop> {
        let mut only_too_many = true;
        let mut sub = 0;
        while self.choice(at.claim, at.request, sub).is_some() {
            let next = Position {
                sub: Some(sub),
                in_sub: true,
                start: (0, 0, 0),
                depth: at.depth.saturating_add(1),
                ..at
            };
            match self.one(next) {
                Ok(true) => {
                    self.picked.insert((at.claim, at.request), sub);
                    return Ok(true);
                }
                Ok(false) => only_too_many = false,
                Err(Stop::TooMany) => {}
                Err(stop) => return Err(stop),
            }
            sub = sub.saturating_add(1);
        }
        let short = only_too_many && self.attempt.cluster.behaviour.limit == Limit::FailsShort;
        if short { Err(Stop::TooMany) } else { Ok(false) }
    }

    /// Tries for mode All the next of its devices, and no other.
    fn predetermined(&mut self, at: Position) -> Result<bool, Stop> {
        let behaviour = self.attempt.cluster.behaviour;
        let index = usize::try_from(at.device).unwrap_or(usize::MAX);
        let choice = self.choice(at.claim, at.request, at.sub.unwrap_or(0));
        let Some(candidate) = choice
            .and_then(|choice| choice.all.as_ref()?.get(index))
            .copied()
        else {
            return Ok(false);
        };
        let taken = self.take(at, candidate, Need::ThisDevice)?;
        let sub = if behaviour.all_forgets_subrequest {
            None
        } else {
            at.sub
        };
        let (device, depth) = (at.device.saturating_add(1), at.depth.saturating_add(1));
        let next = Position {
            sub,
            device,
            start: (0, 0, 0),
            depth,
            ..at
        };
        match (behaviour.all_mode, taken) {
            (AllMode::LeavesOut, _) => {
                if self.one(next)? {
                    Ok(true)
                } else {
                    Err(Stop::Fatal("stop allocation".to_owned()))
                }
            }
            (AllMode::Ends, None) => Err(Stop::Ended),
            (_, None) => Ok(false),
            (AllMode::Ends | AllMode::Keeps, Some(_)) => self.one(next),
            (AllMode::Undone, Some(taken)) => {
                let found = self.one(next);
                if found != Ok(true) {
                    self.undo(at, taken);
                }
                found
            }
        }
    }

    /// Tries for ExactCount every candidate in order.
    fn any(&mut self, at: Position) -> Result<bool, Stop> {
        let attempt = self.attempt;
        let (cluster, behaviour) = (attempt.cluster, attempt.cluster.behaviour);
        let from = if behaviour.combinations {
            at.start
        } else {
            (0, 0, 0)
        };
        for (pool_at, pool) in attempt.pools.iter().enumerate().skip(from.0) {
            if behaviour.passes_bad_pools {
                if !pool.is_sound() {
                    continue;
                }
            } else if let Some(reason) = &pool.invalid {
                return Err(Stop::Fatal(format!(
                    "pool {} is invalid: {reason}",
                    pool.name
                )));
            }
            let first_slice = if pool_at == from.0 { from.1 } else { 0 };
            for (slice_at, slice) in pool.devices.iter().enumerate().skip(first_slice) {
                let first_device = if (pool_at, slice_at) == (from.0, from.1) {
                    from.2
                } else {
                    0
                };
                for (device_at, device) in cluster.devices_of(*slice).skip(first_device) {
                    self.looked_at = self.looked_at.saturating_add(1);
                    let identity = cluster.identity(device_at);
                    let Some(choice) = self.choice(at.claim, at.request, at.sub.unwrap_or(0))
                    else {
                        return Ok(false);
                    };
                    if self.is_used(choice.admin(), at.claim, identity) {
                        continue;
                    }
                    if !attempt.selectable(choice, device_at).map_err(Stop::Fatal)? {
                        continue;
                    }
                    if cluster.has(Feature::ConsumableCapacity) {
                        let arithmetic = Arithmetic::of(cluster, device_at);
                        let checked = capacity::check(
                            choice.ask,
                            device,
                            identity,
                            &cluster.usage,
                            &self.consumed,
                            arithmetic,
                        );
                        if let Err(refusal) = checked {
                            if let Some(error) = refusal.error(arithmetic) {
                                return Err(self.capacity_error(
                                    "checking",
                                    at,
                                    choice.own_name(),
                                    device_at,
                                    &error,
                                ));
                            }
                            continue;
                        }
                    }
                    let Some(taken) = self.take(
                        at,
                        Candidate {
                            pool: pool_at,
                            at: device_at,
                        },
                        Need::AnyDevice,
                    )?
                    else {
                        continue;
                    };
                    let start = (pool_at, slice_at, device_at.index.saturating_add(1));
                    let (device, depth) = (at.device.saturating_add(1), at.depth.saturating_add(1));
                    match self.one(Position {
                        device,
                        start,
                        depth,
                        ..at
                    }) {
                        Ok(true) => return Ok(true),
                        Ok(false) => self.undo(at, taken),
                        Err(stop) => {
                            self.undo(at, taken);
                            return Err(stop);
                        }
                    }
                }
            }
        }
        Ok(false)
    }

    /// Returns true if the device is in use already, or chosen in this attempt.
    fn is_used(&self, admin: bool, claim: usize, identity: Identity) -> bool {
        if admin {
            self.is_used_by_admin(claim, identity)
        } else {
            self.is_used_exclusively(identity)
        }
    }

    fn is_used_by_admin(&self, claim: usize, identity: Identity) -> bool {
        let claims = self.chosen.get(&identity);
        self.attempt.cluster.behaviour.admin_counts
            && claims.is_some_and(|claims| claims.contains(&claim))
    }

    fn is_used_exclusively(&self, identity: Identity) -> bool {
        let claims = self.chosen.get(&identity);
        self.attempt.cluster.usage.exclusive.contains(&identity)
            || claims.is_some_and(|claims| !claims.is_empty())
    }

    /// Chooses a device: `allocateDevice`. `None`: it is refused.
    fn take(
        &mut self,
        at: Position,
        candidate: Candidate,
        need: Need,
    ) -> Result<Option<Taken<'s>>, Stop> {
        let attempt = self.attempt;
        let (cluster, behaviour) = (attempt.cluster, attempt.cluster.behaviour);
        let (Some(choice), Some((slice, device)), Some(pool), Some(claim)) = (
            self.choice(at.claim, at.request, at.sub.unwrap_or(0))
                .map(RequestChoice::clone_light),
            cluster.device(candidate.at),
            attempt.pools.get(candidate.pool),
            attempt.claims.get(at.claim),
        ) else {
            return Ok(None);
        };
        let identity = cluster.identity(candidate.at);
        let capacity_on = cluster.has(Feature::ConsumableCapacity);
        let shared = capacity_on && device.allow_multiple_allocations == Some(true);
        let used_by_normal = !choice.admin && self.is_used_exclusively(identity);
        if used_by_normal || (choice.admin && !shared && self.is_used_by_admin(at.claim, identity))
        {
            return Ok(None);
        }
        let known = cluster.usage.consumed(identity).is_some()
            || self.consumed.contains_key(&identity)
            || behaviour.empty_shares_known && cluster.usage.has_shares(identity);
        if behaviour.former_shares_in_use && !choice.admin && !shared && known {
            return Ok(None);
        }
        let consumes = !device.consumes_counters.is_empty() && !cluster.ignores_counters;
        if consumes
            && behaviour.consumers_need_feature
            && !cluster.has(Feature::PartitionableDevices)
        {
            return Ok(None);
        }
        if cluster.ignores_node_operations_of(slice)
            && !cluster.node_skips_operations(self.attempt.node)
        {
            return Ok(None);
        }
        let mut account = None;
        let mut groups = RestoredValues::new();
        if consumes
            && cluster.has(Feature::PartitionableDevices)
            && !(shared && behaviour.shares_charged_once && known)
        {
            if need == Need::ThisDevice && behaviour.all_loses_pool {
                let why = "invalid memory address or nil pointer dereference";
                return Err(Stop::Panic(format!("runtime error: {why}")));
            }
            if cluster.has(Feature::CompatibilityGroups) {
                match self.groups.add(cluster, pool, device) {
                    Some(before) => groups = before,
                    None => return Ok(None),
                }
            }
            let chosen = &self.chosen;
            match self
                .ledger
                .charge(cluster, pool, candidate.at, &|identity| {
                    chosen
                        .get(&identity)
                        .is_some_and(|claims| !claims.is_empty())
                }) {
                Ok(charged) => account = charged,
                Err(_) => {
                    self.groups.restore(groups);
                    return Ok(None);
                }
            }
        }
        if cluster.has(Feature::DeviceTaints)
            && taints::untolerated(behaviour, device, &choice.ask.tolerations).is_some()
        {
            self.refuse(account, device, groups);
            return Ok(None);
        }
        if !self.constrain(at.claim, &choice, candidate.at)? {
            self.refuse(account, device, groups);
            if need == Need::AnyDevice {
                return Ok(None);
            }
            let (claim, device) = (
                claim.metadata.full_name(),
                cluster.device_name(candidate.at),
            );
            let why = format!(
                "cannot add device {device} because a claim constraint would not be satisfied"
            );
            return Err(Stop::Fatal(format!(
                "claim {claim}, request {}: {why}",
                choice.own_name
            )));
        }
        let recorded = !shared && (!choice.admin || behaviour.admin_counts);
        if recorded {
            self.chosen.entry(identity).insert(at.claim);
        }
        if capacity_on && !self.capacity_fits(at, candidate, &choice)? {
            if behaviour.refused_gives_back {
                if recorded && let Some(claims) = self.chosen.get_mut(&identity) {
                    claims.remove(&at.claim);
                }
                self.release(at.claim, choice.name, choice.sub_name);
            }
            self.refuse(account, device, groups);
            return Ok(None);
        }
        let share = shared
            .then(|| capacity::charges(choice.ask, device, Arithmetic::of(cluster, candidate.at)));
        let known_before = self.consumed.contains_key(&identity);
        if let Some(charges) = &share {
            let sums = self.consumed.entry(identity);
            for (name, amount) in charges {
                let sum = sums.entry(name);
                *sum = sum.saturating_add(amount.nanos());
            }
        }
        let Some(results) = self.results.get_mut(at.claim) else {
            return Ok(None);
        };
        let taken = Taken {
            identity,
            at: candidate.at,
            recorded,
            shared,
            account,
            groups,
            share: share.as_ref().map(|share| {
                share
                    .iter()
                    .map(|(name, amount)| (*name, amount.nanos()))
                    .collect()
            }),
            known_before,
            results: results.len(),
        };
        let (request, sub) = (at.request, at.sub.unwrap_or(0));
        results.push(Chosen {
            request,
            sub,
            at: candidate.at,
            admin: choice.admin,
            share,
        });
        Ok(Some(taken))
    }

    fn capacity_error(
        &self,
        what: &str,
        at: Position,
        request: &str,
        device: DeviceAt,
        error: &str,
    ) -> Stop {
        let claim = self
            .attempt
            .claims
            .get(at.claim)
            .map_or_else(String::new, |claim| claim.metadata.full_name());
        let device = self.attempt.cluster.device_name(device);
        Stop::Fatal(format!(
            "claim {claim}, request {request}: {what} capacity for device {device}: {error}"
        ))
    }

    /// Makes the second capacity check; 1.34.9 checks the wrong device: the one whose index in the slice equals the index in the
    /// request.
    fn capacity_fits(
        &self,
        at: Position,
        candidate: Candidate,
        choice: &Light<'s>,
    ) -> Result<bool, Stop> {
        let cluster = self.attempt.cluster;
        let mut looked_at = candidate.at;
        if cluster.behaviour.capacity_of_wrong_device {
            looked_at.index = usize::try_from(at.device).unwrap_or(usize::MAX);
            let length = cluster
                .slice(looked_at.slice)
                .map_or(0, |slice| slice.spec.devices.len());
            if looked_at.index >= length {
                let why = format!(
                    "index out of range [{}] with length {length}",
                    looked_at.index
                );
                return Err(Stop::Panic(format!("runtime error: {why}")));
            }
        }
        let Some((_, device)) = cluster.device(looked_at) else {
            return Ok(false);
        };
        let identity = cluster.identity(looked_at);
        let arithmetic = Arithmetic::of(cluster, looked_at);
        let checked = capacity::check(
            choice.ask,
            device,
            identity,
            &cluster.usage,
            &self.consumed,
            arithmetic,
        );
        match checked
            .as_ref()
            .err()
            .and_then(|refusal| refusal.error(arithmetic))
        {
            Some(error) => {
                Err(self.capacity_error("rechecking", at, choice.own_name, looked_at, &error))
            }
            None => Ok(checked.is_ok()),
        }
    }

    /// Asks the claim's constraints in order; on refusal those before are undone.
    fn constrain(&mut self, claim: usize, choice: &Light<'s>, at: DeviceAt) -> Result<bool, Stop> {
        let attempt = self.attempt;
        let (request, sub) = (choice.name, choice.sub_name);
        let Some(list) = self.prepared.constraints.get_mut(claim) else {
            return Ok(true);
        };
        let derived = |name: &str| attempt.derived(choice.ask, name, at);
        for (index, tracked) in list.iter_mut().enumerate() {
            let added = tracked
                .add(attempt.cluster, request, sub, at, &derived)
                .map_err(|error| of_constraint(attempt, claim, choice, error))?;
            if added {
                continue;
            }
            list.iter_mut()
                .take(index)
                .rev()
                .for_each(|tracked| tracked.remove(request, sub));
            return Ok(false);
        }
        Ok(true)
    }

    fn release(&mut self, claim: usize, request: &str, sub: Option<&str>) {
        if let Some(list) = self.prepared.constraints.get_mut(claim) {
            list.iter_mut()
                .rev()
                .for_each(|tracked| tracked.remove(request, sub));
        }
    }

    /// Rejects a candidate after its counters were charged; most releases do not refund the charge.
    fn refuse(
        &mut self,
        account: Option<Account<'s>>,
        device: &'s super::objects::Device,
        groups: RestoredValues<'s>,
    ) {
        self.groups.restore(groups);
        if let Some(account) = account.filter(|_| self.attempt.cluster.behaviour.refused_gives_back)
        {
            self.ledger.give_back(account, device);
        }
    }

    fn undo(&mut self, at: Position, taken: Taken<'s>) {
        let behaviour = self.attempt.cluster.behaviour;
        if let Some(results) = self.results.get_mut(at.claim) {
            results.truncate(taken.results);
        }
        if let Some(share) = &taken.share
            && (!share.is_empty() || behaviour.share_stays_known)
            && let Some(sums) = self.consumed.get_mut(&taken.identity)
        {
            for (name, amount) in share {
                if let Some(sum) = sums.get_mut(name) {
                    *sum = sum.saturating_sub(*amount);
                }
            }
            if sums.values().all(|sum| *sum == 0) {
                self.consumed.remove(&taken.identity);
                if behaviour.share_stays_known && taken.known_before {
                    self.consumed.insert(taken.identity, Consumed::new());
                }
            }
        }
        if taken.recorded
            && let Some(claims) = self.chosen.get_mut(&taken.identity)
        {
            claims.remove(&at.claim);
        }
        let names = self
            .choice(at.claim, at.request, at.sub.unwrap_or(0))
            .map(|choice| (choice.name, choice.sub_name));
        if let Some((request, sub)) = names {
            self.release(at.claim, request, sub);
        }
        self.groups.restore(taken.groups);
        if let Some(account) = taken
            .account
            .filter(|_| behaviour.share_gives_back || !taken.shared)
            && let Some((_, device)) = self.attempt.cluster.device(taken.at)
        {
            self.ledger.give_back(account, device);
        }
    }
}

/// Returns the end of an attempt by an error of a constraint.
fn of_constraint(attempt: &Attempt<'_>, claim: usize, choice: &Light<'_>, error: String) -> Stop {
    let of_request = attempt.cluster.behaviour.incomparable == IncomparableValue::FatalOfRequest;
    Stop::Fatal(match attempt.claims.get(claim).filter(|_| of_request) {
        Some(claim) => format!(
            "claim {}, request {}: {error}",
            claim.metadata.full_name(),
            choice.own_name
        ),
        None => error,
    })
}

/// The parts of a choice that a step looks at.
#[derive(Clone, Copy, Debug)]
struct Light<'s> {
    ask: &'s super::objects::Ask,
    name: &'s str,
    sub_name: Option<&'s str>,
    own_name: &'s str,
    admin: bool,
    count: i64,
    all: Option<usize>,
}

impl<'s> RequestChoice<'s> {
    fn clone_light(&self) -> Light<'s> {
        Light {
            ask: self.ask,
            name: self.name,
            sub_name: self.sub_name,
            own_name: self.sub_name.unwrap_or(self.name),
            admin: self.admin(),
            count: self.count,
            all: self.all.as_ref().map(Vec::len),
        }
    }
}
