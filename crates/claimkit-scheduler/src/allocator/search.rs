//! The search for devices: depth first, first solution wins (`structured/internal/*/allocator.go`, `allocateOne`).

use super::amount::Amount;
use super::behaviour::{AllMode, IncomparableValue, Limit};
use super::capacity::{self, Arithmetic};
use super::cluster::{DeviceAt, Identity};
use super::counters::{Account, Ledger};
use super::features::Feature;
use super::groups::{Groups, RestoredValues};
use super::objects::{Ask, Device, Slice};
use super::pools::Pool;
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
    /// Combinations: the device to begin with.
    start: Start,
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
            start: Start::default(),
            depth: depth.saturating_add(1),
        }
    }
}

/// The device with which a loop over all devices begins.
#[derive(Clone, Copy, Debug, Default)]
struct Start {
    /// Index of the pool.
    pool: usize,
    /// Index of the slice in the pool.
    slice: usize,
    /// Index of the device in the slice.
    device: usize,
}

impl Start {
    fn first_slice(self, pool: usize) -> usize {
        if pool == self.pool { self.slice } else { 0 }
    }

    fn first_device(self, pool: usize, slice: usize) -> usize {
        if pool == self.pool && slice == self.slice {
            self.device
        } else {
            0
        }
    }
}

/// A device that is tried for a request.
#[derive(Clone, Copy, Debug)]
struct Offer<'s> {
    at: Position,
    choice: ChoiceView<'s>,
    pool: &'s Pool<'s>,
    slice: &'s Slice,
    device: &'s Device,
    device_at: DeviceAt,
    identity: Identity,
    /// The request gets a share of the device.
    is_shared: bool,
    /// The allocator knows of shares of the device, in use or chosen in this attempt.
    has_known_shares: bool,
}

/// What the counters and compatibility groups were charged for a device.
#[derive(Clone, Debug, Default)]
struct Charged<'s> {
    account: Option<Account<'s>>,
    groups: RestoredValues<'s>,
}

/// What a share of a device adds to the capacity that shares consume.
#[derive(Clone, Debug)]
struct ChargedShare<'s> {
    nanos: Vec<(&'s str, i128)>,
    /// The device had an entry before.
    known_before: bool,
}

/// A chosen device, and the changes to undo if the search gives it up.
#[derive(Clone, Debug)]
struct Taken<'s> {
    identity: Identity,
    device: &'s Device,
    /// It counts as chosen.
    recorded: bool,
    charged: Charged<'s>,
    /// Only for a share.
    share: Option<ChargedShare<'s>>,
    /// Number of the claim's results before.
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
        match self.search_from(Position::at(0, 0, 0)) {
            Err(Stop::Ended | Stop::TooMany) => Ok(false),
            other => other,
        }
    }

    fn choice(&self, claim: usize, request: usize, sub: usize) -> Option<&RequestChoice<'s>> {
        self.prepared.choices.get(claim)?.get(request)?.get(sub)
    }

    /// Searches from a position on.
    fn search_from(&mut self, at: Position) -> Result<bool, Stop> {
        self.steps = self.steps.saturating_add(1);
        if self.cost() > self.budget || at.depth > DEEPEST {
            return Err(Stop::Undecided);
        }
        let Some(claim) = self.attempt.claims.get(at.claim) else {
            return Ok(true);
        };
        let behaviour = self.attempt.cluster.behaviour;
        if at.request >= claim.spec.devices.requests.len() {
            return match self.search_from(Position::at(at.claim.saturating_add(1), 0, at.depth)) {
                Err(Stop::TooMany) => Ok(false),
                other => other,
            };
        }
        let Some(choice) = self.choice(at.claim, at.request, at.sub.unwrap_or(0)) else {
            return Ok(false);
        };
        if !at.in_sub && choice.sub_name.is_some() {
            return self.try_subrequests(at);
        }
        let choice = choice.view();
        if behaviour.empty_all_fails && choice.all.is_some_and(|devices| devices == 0) {
            return Ok(false);
        }
        if at.device >= choice.count {
            return self.search_from(Position::at(
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
            self.take_next_of_all(at)
        } else {
            self.try_any_device(at)
        }
    }

    /// Tries the sub-requests in order; the first that leads to a solution is picked.
    fn try_subrequests(&mut self, at: Position) -> Result<bool, Stop> {
        let mut only_too_many = true;
        let mut sub = 0;
        while self.choice(at.claim, at.request, sub).is_some() {
            let next = Position {
                sub: Some(sub),
                in_sub: true,
                start: Start::default(),
                depth: at.depth.saturating_add(1),
                ..at
            };
            match self.search_from(next) {
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
    fn take_next_of_all(&mut self, at: Position) -> Result<bool, Stop> {
        let behaviour = self.attempt.cluster.behaviour;
        let index = usize::try_from(at.device).unwrap_or(usize::MAX);
        let choice = self.choice(at.claim, at.request, at.sub.unwrap_or(0));
        let Some(candidate) = choice
            .and_then(|choice| choice.all.as_ref()?.get(index))
            .copied()
        else {
            return Ok(false);
        };
        let taken = self.allocate_device(at, candidate, Need::ThisDevice)?;
        let sub = if behaviour.all_forgets_subrequest {
            None
        } else {
            at.sub
        };
        let (device, depth) = (at.device.saturating_add(1), at.depth.saturating_add(1));
        let next = Position {
            sub,
            device,
            start: Start::default(),
            depth,
            ..at
        };
        match (behaviour.all_mode, taken) {
            (AllMode::LeavesOut, _) => {
                if self.search_from(next)? {
                    Ok(true)
                } else {
                    Err(Stop::Fatal("stop allocation".to_owned()))
                }
            }
            (AllMode::Ends, None) => Err(Stop::Ended),
            (_, None) => Ok(false),
            (AllMode::Ends | AllMode::Keeps, Some(_)) => self.search_from(next),
            (AllMode::Undone, Some(taken)) => {
                let found = self.search_from(next);
                if found != Ok(true) {
                    self.undo(at, taken);
                }
                found
            }
        }
    }

    /// Tries for ExactCount every device in order.
    fn try_any_device(&mut self, at: Position) -> Result<bool, Stop> {
        let attempt = self.attempt;
        let cluster = attempt.cluster;
        let start = if cluster.behaviour.combinations {
            at.start
        } else {
            Start::default()
        };
        for (pool_at, pool) in attempt.pools.iter().enumerate().skip(start.pool) {
            if self.passes_over_pool(pool)? {
                continue;
            }
            let first_slice = start.first_slice(pool_at);
            for (slice_at, slice) in pool.devices.iter().enumerate().skip(first_slice) {
                let first_device = start.first_device(pool_at, slice_at);
                for (device_at, device) in cluster.devices_of(*slice).skip(first_device) {
                    self.looked_at = self.looked_at.saturating_add(1);
                    if !self.is_candidate(at, device_at, device)? {
                        continue;
                    }
                    let candidate = Candidate {
                        pool: pool_at,
                        at: device_at,
                    };
                    let Some(taken) = self.allocate_device(at, candidate, Need::AnyDevice)? else {
                        continue;
                    };
                    let next = Position {
                        device: at.device.saturating_add(1),
                        start: Start {
                            pool: pool_at,
                            slice: slice_at,
                            device: device_at.index.saturating_add(1),
                        },
                        depth: at.depth.saturating_add(1),
                        ..at
                    };
                    let found = self.search_from(next);
                    if found == Ok(true) {
                        return found;
                    }
                    self.undo(at, taken);
                    found?;
                }
            }
        }
        Ok(false)
    }

    /// Returns true if a pool gives no devices in this release; in others, an invalid pool is an error.
    fn passes_over_pool(&self, pool: &Pool<'_>) -> Result<bool, Stop> {
        if self.attempt.cluster.behaviour.passes_bad_pools {
            return Ok(!pool.is_sound());
        }
        match &pool.invalid {
            Some(reason) => Err(Stop::Fatal(format!(
                "pool {} is invalid: {reason}",
                pool.name
            ))),
            None => Ok(false),
        }
    }

    /// Makes the checks of a device that come before `allocateDevice`: it is free, selected, and has the capacity.
    fn is_candidate(
        &self,
        at: Position,
        device_at: DeviceAt,
        device: &'s Device,
    ) -> Result<bool, Stop> {
        let cluster = self.attempt.cluster;
        let identity = cluster.identity(device_at);
        let Some(choice) = self.choice(at.claim, at.request, at.sub.unwrap_or(0)) else {
            return Ok(false);
        };
        if self.is_used(choice.admin(), at.claim, identity) {
            return Ok(false);
        }
        let is_selected = self.attempt.selectable(choice, device_at);
        if !is_selected.map_err(Stop::Fatal)? {
            return Ok(false);
        }
        if !cluster.has(Feature::ConsumableCapacity) {
            return Ok(true);
        }
        self.has_capacity("checking", at.claim, &choice.view(), device_at, device)
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
    fn allocate_device(
        &mut self,
        at: Position,
        candidate: Candidate,
        need: Need,
    ) -> Result<Option<Taken<'s>>, Stop> {
        let cluster = self.attempt.cluster;
        let Some(offer) = self.offer(at, candidate) else {
            return Ok(None);
        };
        if self.is_refused_before_charge(&offer) {
            return Ok(None);
        }
        let Some(charged) = self.charge(&offer, need)? else {
            return Ok(None);
        };
        if self.has_untolerated_taint(&offer) {
            self.undo_refused_charge(charged, offer.device);
            return Ok(None);
        }
        if !self.constrain(at.claim, &offer.choice, offer.device_at)? {
            self.undo_refused_charge(charged, offer.device);
            return match need {
                Need::AnyDevice => Ok(None),
                Need::ThisDevice => Err(self.constraint_error(&offer)),
            };
        }
        let recorded = self.record(&offer);
        if cluster.has(Feature::ConsumableCapacity) && !self.capacity_fits(&offer)? {
            if cluster.behaviour.refused_gives_back {
                if recorded {
                    self.undo_record(at.claim, offer.identity);
                }
                self.undo_constraints(at.claim, offer.choice.name, offer.choice.sub_name);
            }
            self.undo_refused_charge(charged, offer.device);
            return Ok(None);
        }
        Ok(self.choose(&offer, charged, recorded))
    }

    fn offer(&self, at: Position, candidate: Candidate) -> Option<Offer<'s>> {
        let cluster = self.attempt.cluster;
        let choice = self.choice(at.claim, at.request, at.sub.unwrap_or(0))?;
        let (slice, device) = cluster.device(candidate.at)?;
        let identity = cluster.identity(candidate.at);
        let is_shared = cluster.has(Feature::ConsumableCapacity)
            && device.allow_multiple_allocations == Some(true);
        Some(Offer {
            at,
            choice: choice.view(),
            pool: self.attempt.pools.get(candidate.pool)?,
            slice,
            device,
            device_at: candidate.at,
            identity,
            is_shared,
            has_known_shares: self.has_known_shares(identity),
        })
    }

    fn has_known_shares(&self, identity: Identity) -> bool {
        let cluster = self.attempt.cluster;
        cluster.usage.consumed(identity).is_some()
            || self.consumed.contains_key(&identity)
            || cluster.behaviour.empty_shares_known && cluster.usage.has_shares(identity)
    }

    /// Returns true if a device is refused before anything is charged.
    fn is_refused_before_charge(&self, offer: &Offer<'s>) -> bool {
        let cluster = self.attempt.cluster;
        let behaviour = cluster.behaviour;
        if offer.choice.admin {
            if !offer.is_shared && self.is_used_by_admin(offer.at.claim, offer.identity) {
                return true;
            }
        } else {
            if self.is_used_exclusively(offer.identity) {
                return true;
            }
            if behaviour.former_shares_in_use && !offer.is_shared && offer.has_known_shares {
                return true;
            }
        }
        let lacks_feature =
            behaviour.consumers_need_feature && !cluster.has(Feature::PartitionableDevices);
        if lacks_feature && self.consumes_counters(offer.device) {
            return true;
        }
        cluster.ignores_node_operations_of(offer.slice)
            && !cluster.node_skips_operations(self.attempt.node)
    }

    fn consumes_counters(&self, device: &Device) -> bool {
        !device.consumes_counters.is_empty() && !self.attempt.cluster.ignores_counters
    }

    /// Charges the counters and compatibility groups for a device. `None`: they refuse it, and are not charged.
    fn charge(&mut self, offer: &Offer<'s>, need: Need) -> Result<Option<Charged<'s>>, Stop> {
        let cluster = self.attempt.cluster;
        let behaviour = cluster.behaviour;
        let is_charged_already =
            offer.is_shared && behaviour.shares_charged_once && offer.has_known_shares;
        if !self.consumes_counters(offer.device)
            || !cluster.has(Feature::PartitionableDevices)
            || is_charged_already
        {
            return Ok(Some(Charged::default()));
        }
        if need == Need::ThisDevice && behaviour.all_loses_pool {
            let why = "invalid memory address or nil pointer dereference";
            return Err(Stop::Panic(format!("runtime error: {why}")));
        }
        let mut groups = RestoredValues::new();
        if cluster.has(Feature::CompatibilityGroups) {
            match self.groups.add(cluster, offer.pool, offer.device) {
                Some(before) => groups = before,
                None => return Ok(None),
            }
        }
        let chosen = &self.chosen;
        let is_chosen = &|identity| {
            chosen
                .get(&identity)
                .is_some_and(|claims| !claims.is_empty())
        };
        match self
            .ledger
            .charge(cluster, offer.pool, offer.device_at, is_chosen)
        {
            Ok(account) => Ok(Some(Charged { account, groups })),
            Err(_) => {
                self.groups.restore(groups);
                Ok(None)
            }
        }
    }

    fn has_untolerated_taint(&self, offer: &Offer<'s>) -> bool {
        let cluster = self.attempt.cluster;
        let tolerations = &offer.choice.ask.tolerations;
        cluster.has(Feature::DeviceTaints)
            && taints::untolerated(cluster.behaviour, offer.device, tolerations).is_some()
    }

    /// Returns the end of an attempt in which mode All cannot take a device because of a constraint.
    fn constraint_error(&self, offer: &Offer<'s>) -> Stop {
        let claim = self.claim_name(offer.at.claim);
        let request = offer.choice.own_name;
        let device = self.attempt.cluster.device_name(offer.device_at);
        Stop::Fatal(format!(
            "claim {claim}, request {request}: cannot add device {device} because a claim constraint would not be satisfied"
        ))
    }

    /// Counts a device as chosen, and returns true if so: a share does not count, administrative access only in some releases.
    fn record(&mut self, offer: &Offer<'s>) -> bool {
        let admin_counts = self.attempt.cluster.behaviour.admin_counts;
        let counts = !offer.is_shared && (!offer.choice.admin || admin_counts);
        if counts {
            self.chosen.entry(offer.identity).insert(offer.at.claim);
        }
        counts
    }

    fn undo_record(&mut self, claim: usize, identity: Identity) {
        if let Some(claims) = self.chosen.get_mut(&identity) {
            claims.remove(&claim);
        }
    }

    /// Adds a device to the results of its claim. A share is charged to the capacity of its device.
    fn choose(
        &mut self,
        offer: &Offer<'s>,
        charged: Charged<'s>,
        recorded: bool,
    ) -> Option<Taken<'s>> {
        let share = offer.is_shared.then(|| {
            let arithmetic = Arithmetic::of(self.attempt.cluster, offer.device_at);
            capacity::charges(offer.choice.ask, offer.device, arithmetic)
        });
        let charged_share = share
            .as_ref()
            .map(|amounts| self.charge_share(offer.identity, amounts));
        let results = self.results.get_mut(offer.at.claim)?;
        let taken = Taken {
            identity: offer.identity,
            device: offer.device,
            recorded,
            charged,
            share: charged_share,
            results: results.len(),
        };
        results.push(Chosen {
            request: offer.at.request,
            sub: offer.at.sub.unwrap_or(0),
            at: offer.device_at,
            admin: offer.choice.admin,
            share,
        });
        Some(taken)
    }

    fn charge_share(
        &mut self,
        identity: Identity,
        amounts: &[(&'s str, Amount)],
    ) -> ChargedShare<'s> {
        let known_before = self.consumed.contains_key(&identity);
        let nanos: Vec<(&'s str, i128)> = amounts
            .iter()
            .map(|(name, amount)| (*name, amount.nanos()))
            .collect();
        let sums = self.consumed.entry(identity);
        for (name, amount) in &nanos {
            let sum = sums.entry(name);
            *sum = sum.saturating_add(*amount);
        }
        ChargedShare {
            nanos,
            known_before,
        }
    }

    fn claim_name(&self, claim: usize) -> String {
        let claim = self.attempt.claims.get(claim);
        claim.map_or_else(String::new, |claim| claim.metadata.full_name())
    }

    /// Makes the second capacity check; 1.34.9 checks the wrong device: the one whose index in the slice equals the index in the
    /// request.
    fn capacity_fits(&self, offer: &Offer<'s>) -> Result<bool, Stop> {
        let cluster = self.attempt.cluster;
        let (at, choice) = (offer.at, &offer.choice);
        let mut looked_at = offer.device_at;
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
        self.has_capacity("rechecking", at.claim, choice, looked_at, device)
    }

    /// Returns true if a device has the capacity that a request wants. `step`: what upstream calls the check in an error.
    fn has_capacity(
        &self,
        step: &str,
        claim: usize,
        choice: &ChoiceView<'s>,
        at: DeviceAt,
        device: &Device,
    ) -> Result<bool, Stop> {
        let cluster = self.attempt.cluster;
        let arithmetic = Arithmetic::of(cluster, at);
        let checked = capacity::check(
            choice.ask,
            device,
            cluster.identity(at),
            &cluster.usage,
            &self.consumed,
            arithmetic,
        );
        let Err(refusal) = checked else {
            return Ok(true);
        };
        let Some(error) = refusal.error(arithmetic) else {
            return Ok(false);
        };
        let (claim, request) = (self.claim_name(claim), choice.own_name);
        let device = cluster.device_name(at);
        Err(Stop::Fatal(format!(
            "claim {claim}, request {request}: {step} capacity for device {device}: {error}"
        )))
    }

    /// Asks the claim's constraints in order; on refusal those before are undone.
    fn constrain(
        &mut self,
        claim: usize,
        choice: &ChoiceView<'s>,
        at: DeviceAt,
    ) -> Result<bool, Stop> {
        let attempt = self.attempt;
        let (request, sub) = (choice.name, choice.sub_name);
        let Some(list) = self.prepared.constraints.get_mut(claim) else {
            return Ok(true);
        };
        let derived = |name: &str| attempt.derived(choice.ask, name, at);
        for (index, tracked) in list.iter_mut().enumerate() {
            let added = tracked
                .add(attempt.cluster, request, sub, at, &derived)
                .map_err(|error| stop_by_constraint_error(attempt, claim, choice, error))?;
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

    fn undo_constraints(&mut self, claim: usize, request: &str, sub: Option<&str>) {
        if let Some(list) = self.prepared.constraints.get_mut(claim) {
            list.iter_mut()
                .rev()
                .for_each(|tracked| tracked.remove(request, sub));
        }
    }

    /// Undoes the charge of a rejected device; most releases do not refund the counters.
    fn undo_refused_charge(&mut self, charged: Charged<'s>, device: &'s Device) {
        let refunds_counters = self.attempt.cluster.behaviour.refused_gives_back;
        self.undo_charge(charged, device, refunds_counters);
    }

    fn undo_charge(&mut self, charged: Charged<'s>, device: &'s Device, refunds_counters: bool) {
        self.groups.restore(charged.groups);
        if refunds_counters && let Some(account) = charged.account {
            self.ledger.give_back(account, device);
        }
    }

    fn undo_share(&mut self, identity: Identity, share: &ChargedShare<'s>) {
        let stays_known = self.attempt.cluster.behaviour.share_stays_known;
        if share.nanos.is_empty() && !stays_known {
            return;
        }
        let Some(sums) = self.consumed.get_mut(&identity) else {
            return;
        };
        for (name, amount) in &share.nanos {
            if let Some(sum) = sums.get_mut(name) {
                *sum = sum.saturating_sub(*amount);
            }
        }
        if sums.values().all(|sum| *sum == 0) {
            self.consumed.remove(&identity);
            if stays_known && share.known_before {
                self.consumed.insert(identity, Consumed::new());
            }
        }
    }

    /// Gives up a chosen device.
    fn undo(&mut self, at: Position, taken: Taken<'s>) {
        if let Some(results) = self.results.get_mut(at.claim) {
            results.truncate(taken.results);
        }
        if let Some(share) = &taken.share {
            self.undo_share(taken.identity, share);
        }
        if taken.recorded {
            self.undo_record(at.claim, taken.identity);
        }
        let names = self
            .choice(at.claim, at.request, at.sub.unwrap_or(0))
            .map(|choice| (choice.name, choice.sub_name));
        if let Some((request, sub)) = names {
            self.undo_constraints(at.claim, request, sub);
        }
        let is_share = taken.share.is_some();
        let refunds_counters = !is_share || self.attempt.cluster.behaviour.share_gives_back;
        self.undo_charge(taken.charged, taken.device, refunds_counters);
    }
}

/// Returns the end of an attempt by an error of a constraint.
fn stop_by_constraint_error(
    attempt: &Attempt<'_>,
    claim: usize,
    choice: &ChoiceView<'_>,
    error: String,
) -> Stop {
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
struct ChoiceView<'s> {
    ask: &'s Ask,
    name: &'s str,
    sub_name: Option<&'s str>,
    own_name: &'s str,
    admin: bool,
    count: i64,
    all: Option<usize>,
}

impl<'s> RequestChoice<'s> {
    fn view(&self) -> ChoiceView<'s> {
        ChoiceView {
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
