//! Requests that can each be satisfied alone, and why they conflict.

use super::account::Conflict;
use super::account::of_claim;
use super::kinds::ConflictKind;
use super::words::{MOST, some};
use crate::allocator::amount::{spell, spell_like};
use crate::allocator::capacity::{Arithmetic, charged};
use crate::allocator::cluster::{Cluster, DeviceAt, Identity};
use crate::allocator::constraints::{self, ConstraintKind, Scalar, attribute, scalar, set};
use crate::allocator::counters::{needed, opening};
use crate::allocator::counting::Matching;
use crate::allocator::objects::{Claim, Device};
use crate::allocator::pools::{NodePools, Pool};
use crate::allocator::sorted::{Set, Sorted, ordered};
use claimkit_model::message::{self, Message, message};

/// Maximum number of requests in a line.
const MOST_REQUESTS: usize = 8;
/// Maximum number of values of an attribute in a line.
const MOST_VALUES: usize = 5;

/// A request and the devices that satisfy it alone.
#[derive(Clone, Debug)]
pub struct Alone<'a> {
    /// Index of the claim.
    pub claim: usize,
    pub claim_name: String,
    /// Name of the request.
    pub request: &'a str,
    /// Name of the sub-request.
    pub sub: Option<&'a str>,
    pub wanted: i64,
    /// Administrative access: it takes no device away.
    pub admin: bool,
    pub devices: Vec<DeviceAt>,
    /// The allocator found enough devices, even if there are fewer than requested: some can be allocated several times.
    pub fits: bool,
}

impl Alone<'_> {
    fn name(&self) -> String {
        self.sub.map_or_else(
            || self.request.to_owned(),
            |sub| format!("{}/{sub}", self.request),
        )
    }

    /// Returns its name, and its claim where another claim has a request of that name.
    fn name_in_pod(&self, all: &[Alone<'_>]) -> String {
        let name = self.name();
        let twice = all
            .iter()
            .any(|other| other.claim != self.claim && other.name() == name);
        if twice {
            of_claim(&name, &self.claim_name).into()
        } else {
            name
        }
    }

    /// Returns true if one of the devices can be allocated several times.
    pub fn shares(&self, cluster: &Cluster<'_>) -> bool {
        self.devices.iter().any(|at| cluster.is_shared(*at))
    }

    fn suffices(&self, least: i64) -> bool {
        self.fits
            || i64::try_from(self.devices.len()).is_ok_and(|have| have >= self.wanted.max(least))
    }

    /// Returns true if both belong to one request; a request is an alternative of itself.
    fn is_alternative_of(&self, other: &Alone<'_>) -> bool {
        (self.claim, self.request) == (other.claim, other.request)
    }

    /// Returns true if no alternative of the request can be satisfied. `least`: the minimum number of devices for mode All.
    pub fn lacks(&self, all: &[Alone<'_>], least: i64) -> bool {
        let mut alternatives = all.iter().filter(|other| other.is_alternative_of(self));
        !alternatives.any(|one| one.suffices(least))
    }
}

/// What a request needs at least, whatever alternative is taken: it takes each of its devices away from the others.
struct Need<'r, 'a> {
    request: &'r Alone<'a>,
    /// The fewest devices that an alternative wants.
    least: i64,
    has_alternatives: bool,
    /// The devices of all alternatives.
    candidates: Set<Identity>,
}

impl<'r, 'a> Need<'r, 'a> {
    /// Returns nothing for a request that can be met without taking devices away.
    fn of(
        cluster: &Cluster<'_>,
        request: &'r Alone<'a>,
        requests: &'r [Alone<'a>],
    ) -> Option<Self> {
        let alternatives: Vec<&Alone<'_>> = requests
            .iter()
            .filter(|other| other.is_alternative_of(request))
            .collect();
        if !alternatives
            .iter()
            .all(|one| !one.admin && !one.shares(cluster))
        {
            return None;
        }
        let devices = alternatives.iter().flat_map(|one| &one.devices);
        Some(Need {
            request,
            least: alternatives.iter().map(|one| one.wanted).min()?,
            has_alternatives: request.sub.is_some(),
            candidates: devices.map(|at| cluster.identity(*at)).collect(),
        })
    }

    fn name(&self) -> String {
        self.request.request.to_owned()
    }

    /// Returns its name, and its claim where another claim has a request of that name.
    fn name_in_pod(&self, all: &[Need<'_, '_>]) -> String {
        let is_alike = |other: &Need<'_, '_>| {
            other.request.claim != self.request.claim
                && other.request.request == self.request.request
        };
        if all.iter().any(is_alike) {
            of_claim(self.request.request, &self.request.claim_name).into()
        } else {
            self.name()
        }
    }
}

/// Returns a set of requests that have too few devices together, and the devices that they could have.
pub fn number(cluster: &Cluster<'_>, requests: &[Alone<'_>]) -> Option<Conflict> {
    let needs: Vec<Need<'_, '_>> = requests
        .iter()
        .enumerate()
        .filter(|(at, request)| {
            let mut before = requests.iter().take(*at);
            !before.any(|other| other.is_alternative_of(request))
        })
        .filter_map(|(_, request)| Need::of(cluster, request, requests))
        .collect();
    let mut matching = Matching::default();
    let mut owners: Vec<usize> = Vec::new();
    for (at, need) in needs.iter().enumerate() {
        for _ in 0..need.least.clamp(0, 64) {
            owners.push(at);
            let Err(reached) = matching.add(&need.candidates) else {
                continue;
            };
            let wants = matching.wants_of(&reached);
            let mut short: Set<usize> = wants
                .iter()
                .filter_map(|want| owners.get(*want))
                .copied()
                .collect();
            short.insert(at);
            return Some(Conflict {
                claim: need.request.claim_name.clone(),
                ..too_few_together(&needs, &short, reached.len())
            });
        }
    }
    None
}

/// Returns the conflict of the requests at some places, which have only so many devices together.
fn too_few_together(needs: &[Need<'_, '_>], short: &Set<usize>, available: usize) -> Conflict {
    let concerned: Vec<&Need<'_, '_>> = short.iter().filter_map(|at| needs.get(*at)).collect();
    let wanted = concerned
        .iter()
        .fold(0i64, |sum, need| sum.saturating_add(need.least));
    let names: Vec<String> = concerned
        .iter()
        .map(|need| need.name_in_pod(needs))
        .collect();
    let requests = some(&names, MOST_REQUESTS);
    let text = if !concerned.iter().any(|need| need.has_alternatives) {
        message!(
            "device.too-few-together",
            "requests {requests} want {wanted} devices together, and have only {available}",
            requests,
            wanted,
            available
        )
    } else {
        message!(
            "device.too-few-together-at-least",
            "requests {requests} want at least {wanted} devices together, and have only {available}",
            requests,
            wanted,
            available
        )
    };
    Conflict {
        kind: ConflictKind::Number,
        requests: concerned.iter().map(|need| need.name()).collect(),
        wanted,
        available,
        text,
        ..Conflict::default()
    }
}

/// Finds the conflicts of a claim's constraint among the candidates.
pub fn constraint(
    cluster: &Cluster<'_>,
    claim: &Claim,
    index: usize,
    requests: &[Alone<'_>],
) -> Option<Conflict> {
    let constraint = claim.spec.devices.constraints.get(index)?;
    let (kind, name) = constraints::kind(constraint, cluster.behaviour)?;
    let concerned: Vec<&Alone<'_>> = requests
        .iter()
        .filter(|request| constraints::applies(constraint, request.request, request.sub))
        .collect();
    let ValuesOfDevices { values, missing } = ValuesOfDevices::read(cluster, name, &concerned);
    let mut conflict = Conflict {
        kind: match kind {
            ConstraintKind::Match => ConflictKind::Match,
            ConstraintKind::Distinct => ConflictKind::Distinct,
        },
        claim: claim.metadata.full_name(),
        constraint: Some(index),
        path: None,
        range: None,
        attribute: Some(name.to_owned()),
        available: values.len(),
        requests: concerned.iter().map(|request| request.name()).collect(),
        values,
        missing: missing.into_iter().collect(),
        wanted: wanted_together(&concerned),
        text: Message::default(),
    };
    conflict.text = match kind {
        ConstraintKind::Match => match_text(&conflict, &concerned),
        ConstraintKind::Distinct => distinct_text(&conflict),
    };
    Some(conflict)
}

/// The values that an attribute has on the devices of requests.
#[derive(Default)]
struct ValuesOfDevices {
    /// By value, the number of devices of each request.
    values: Sorted<String, Sorted<String, usize>>,
    /// Devices without the attribute.
    missing: Set<String>,
}

impl ValuesOfDevices {
    fn read(cluster: &Cluster<'_>, name: &str, requests: &[&Alone<'_>]) -> Self {
        let names_types = have_several_types(cluster, name, requests);
        let mut read = ValuesOfDevices::default();
        for request in requests {
            for at in &request.devices {
                let Some((slice, device)) = cluster.device(*at) else {
                    continue;
                };
                let Some(found) = attribute(device, &slice.spec.driver, name) else {
                    read.missing.insert(cluster.device_name(*at));
                    continue;
                };
                let scalars: Vec<Scalar<'_>> = match scalar(found) {
                    Some(single) => vec![single],
                    None => set(found).unwrap_or_default().into_iter().collect(),
                };
                for value in &scalars {
                    let text = if names_types {
                        format!("{value} ({})", value.kind())
                    } else {
                        value.to_string()
                    };
                    let count = read.values.entry(text).entry(request.name());
                    *count = count.saturating_add(1);
                }
            }
        }
        read
    }
}

/// Returns true if devices have values of different types: these are never equal, even where they read the same.
fn have_several_types(cluster: &Cluster<'_>, name: &str, requests: &[&Alone<'_>]) -> bool {
    let devices = requests.iter().flat_map(|request| &request.devices);
    let types = devices.filter_map(|at| {
        let (slice, device) = cluster.device(*at)?;
        let values = set(attribute(device, &slice.spec.driver, name)?)?;
        values.iter().next().map(Scalar::kind)
    });
    let types: Set<&str> = types.collect();
    types.as_slice().len() > 1
}

/// Returns how many devices requests want together. Alternatives of one request are not needed at the same time.
fn wanted_together(requests: &[&Alone<'_>]) -> i64 {
    let mut wants: Sorted<&str, Option<i64>> = Sorted::new();
    for request in requests {
        let least = wants.entry(request.request);
        *least = Some(least.map_or(request.wanted, |least| least.min(request.wanted)));
    }
    let counts = wants.values().flatten();
    counts.fold(0i64, |sum, count| sum.saturating_add(*count))
}

fn distinct_text(conflict: &Conflict) -> Message {
    let name = conflict.attribute.as_deref().unwrap_or_default();
    let (available, wanted) = (conflict.available, conflict.wanted);
    if i64::try_from(available).is_ok_and(|available| available < wanted) {
        message!(
            "device.too-few-values",
            "{name} has {available} of the {wanted} different values wanted",
            name,
            available,
            wanted
        )
    } else {
        message!(
            "device.not-all-with-values",
            "not all requests can be met with different values of {name}",
            name
        )
    }
}

/// Returns true if some value occurs on enough devices for each request or one of its alternatives. Then the constraint alone is
/// not the cause.
fn has_common(values: &Sorted<String, Sorted<String, usize>>, concerned: &[&Alone<'_>]) -> bool {
    values.values().any(|counts| {
        concerned.iter().all(|request| {
            let mut alternatives = concerned
                .iter()
                .filter(|other| other.request == request.request);
            alternatives.any(|other| is_frequent(counts, other))
        })
    })
}

fn is_frequent(counts: &Sorted<String, usize>, request: &Alone<'_>) -> bool {
    counts
        .get(&request.name())
        .is_some_and(|count| i64::try_from(*count).is_ok_and(|count| count >= request.wanted))
}

fn match_text(conflict: &Conflict, concerned: &[&Alone<'_>]) -> Message {
    let name = conflict.attribute.as_deref().unwrap_or_default();
    if has_common(&conflict.values, concerned) {
        return message!(
            "device.not-all-with-one-value",
            "not all requests can be met with one value of {name} for {requests}",
            name,
            requests = some(&conflict.requests, MOST_REQUESTS)
        );
    }
    let mut parts: Vec<Message> = concerned
        .iter()
        .map(|request| values_of_request(conflict, request))
        .collect();
    if !conflict.missing.is_empty() {
        parts.push(message!(
            "device.without-attribute",
            "without the attribute: {devices}",
            devices = some(&conflict.missing, MOST_VALUES)
        ));
    }
    let requests = message::sentences(parts);
    if concerned.iter().any(|request| request.wanted > 1) {
        message!(
            "device.no-value-on-enough",
            "no value of {name} is on enough devices: {requests}",
            name,
            requests
        )
    } else {
        message!(
            "device.no-common-value",
            "no value of {name} is common to all: {requests}",
            name,
            requests
        )
    }
}

/// Returns the values that the devices of a request have. If it wants several devices, the most frequent values come first, each with
/// its number of devices.
fn values_of_request(conflict: &Conflict, request: &Alone<'_>) -> Message {
    let name = request.name();
    let wants_several = request.wanted > 1;
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for (value, counts) in conflict.values.iter() {
        if let Some(count) = counts.get(&name) {
            counted.push((*count, value.as_str()));
        }
    }
    let sorted = ordered(&counted, &|a, b| {
        if wants_several {
            b.0.cmp(&a.0)
        } else {
            a.1.cmp(b.1)
        }
    });
    let mut texts = Vec::with_capacity(sorted.len());
    for (count, value) in &sorted {
        texts.push(if wants_several {
            format!("{value} ×{count}")
        } else {
            (*value).to_owned()
        });
    }
    let values = if texts.is_empty() {
        message!("device.no-values", "none").into()
    } else {
        some(&texts, MOST_VALUES)
    };
    if wants_several {
        message!(
            "device.request-wants-and-has",
            "{request} wants {wanted} and has {values}",
            request = name,
            wanted = request.wanted,
            values
        )
    } else {
        message!(
            "device.request-has",
            "{request} has {values}",
            request = name,
            values
        )
    }
}

/// Returns the counters that the cheapest choice of devices exceeds.
pub fn counters(
    cluster: &Cluster<'_>,
    gathered: &NodePools<'_>,
    requests: &[Alone<'_>],
) -> Vec<Conflict> {
    let mut list = Vec::new();
    for pool in &gathered.pools {
        let Some(first) = pool.devices.first().filter(|_| !pool.sets.is_empty()) else {
            continue;
        };
        let Some(slice) = cluster.slice(*first) else {
            continue;
        };
        for (set, counters) in opening(cluster, pool, slice, *first) {
            for (counter, left) in counters {
                let need = CounterNeed::of(cluster, pool, requests, set, counter);
                if need.sum > left {
                    list.push(counter_conflict(&need, requests, left));
                }
            }
        }
    }
    list
}

/// What requests need of a counter at least.
struct CounterNeed<'r, 'a> {
    set: &'r str,
    counter: &'r str,
    sum: i128,
    /// The requests that need some of it.
    requests: Vec<&'r Alone<'a>>,
}

impl<'r, 'a> CounterNeed<'r, 'a> {
    fn of(
        cluster: &Cluster<'_>,
        pool: &Pool<'_>,
        requests: &'r [Alone<'a>],
        set: &'r str,
        counter: &'r str,
    ) -> Self {
        let mut need = CounterNeed {
            set,
            counter,
            sum: 0,
            requests: Vec::new(),
        };
        for request in requests.iter().filter(|request| request.sub.is_none()) {
            let mut costs: Vec<i128> = Vec::with_capacity(request.devices.len());
            for (slice, device) in request.devices.iter().filter_map(|at| cluster.device(*at)) {
                let is_of_pool =
                    slice.spec.driver == pool.driver && slice.spec.pool.name == pool.name;
                costs.push(if is_of_pool {
                    needed(device, set, counter)
                } else {
                    0
                });
            }
            let wanted = usize::try_from(request.wanted).unwrap_or(0);
            let cheapest = ordered(&costs, &i128::cmp).into_iter().take(wanted);
            let cost = cheapest.fold(0i128, i128::saturating_add);
            if cost > 0 {
                need.sum = need.sum.saturating_add(cost);
                need.requests.push(request);
            }
        }
        need
    }
}

fn counter_conflict(need: &CounterNeed<'_, '_>, all: &[Alone<'_>], left: i128) -> Conflict {
    let CounterNeed { set, counter, .. } = need;
    let (needed, left) = (spell(need.sum), spell(left));
    let names: Vec<String> = need
        .requests
        .iter()
        .map(|request| request.name_in_pod(all))
        .collect();
    let requests = names.join(", ");
    let text = if names.len() > 1 {
        message!(
            "device.counter-of-requests",
            "counter {counter} of set {set}: requests together {requests} need at least {needed}, {left} is left",
            counter,
            set,
            requests,
            needed,
            left
        )
    } else {
        message!(
            "device.counter-of-request",
            "counter {counter} of set {set}: devices of request {requests} need at least {needed}, {left} is left",
            counter,
            set,
            requests,
            needed,
            left
        )
    };
    Conflict {
        kind: ConflictKind::Counters,
        requests: need.requests.iter().map(|request| request.name()).collect(),
        text,
        ..Conflict::default()
    }
}

/// What a request takes at least of a capacity of shared devices.
struct Charge<'r, 'a> {
    request: &'r Alone<'a>,
    /// The sum for all devices that it wants, in nanos.
    least: i128,
    devices: Set<DeviceAt>,
}

impl<'r, 'a> Charge<'r, 'a> {
    /// Returns what a request takes at least; `None` if it may get a device of which it takes nothing.
    fn of(
        cluster: &Cluster<'_>,
        claims: &[&Claim],
        request: &'r Alone<'a>,
        capacity: &str,
    ) -> Option<Self> {
        if request.admin || request.sub.is_some() {
            return None;
        }
        let claim = claims.get(request.claim)?;
        let mut requests = claim.spec.devices.requests.iter();
        let asking = requests.find(|known| known.name == request.request)?;
        let ask = asking.exactly.as_ref()?;
        let mut amounts = Vec::with_capacity(request.devices.len());
        for at in &request.devices {
            if !cluster.is_shared(*at) {
                return None;
            }
            let (_, amount) = charged(cluster, ask, *at, capacity)?;
            amounts.push(amount.nanos());
        }
        let least_of_device = amounts.into_iter().min()?;
        Some(Charge {
            request,
            least: least_of_device.saturating_mul(request.wanted.into()),
            devices: request.devices.iter().copied().collect(),
        })
    }
}

/// Returns the capacities of shared devices of which requests together want more than is left.
pub fn capacities(
    cluster: &Cluster<'_>,
    claims: &[&Claim],
    requests: &[Alone<'_>],
) -> Vec<Conflict> {
    let mut names: Set<&str> = Set::default();
    for at in requests.iter().flat_map(|request| &request.devices) {
        if let Some((_, device)) = cluster.device(*at) {
            let published = Arithmetic::of(cluster, *at).published(device);
            names.extend(published.map(|(name, _)| name));
        }
    }
    names
        .iter()
        .filter_map(|name| capacity(cluster, claims, requests, name))
        .collect()
}

/// Finds devices that have too little of a capacity for all requests that can have no others.
fn capacity(
    cluster: &Cluster<'_>,
    claims: &[&Claim],
    requests: &[Alone<'_>],
    name: &str,
) -> Option<Conflict> {
    let charges: Vec<Charge<'_, '_>> = requests
        .iter()
        .filter_map(|request| Charge::of(cluster, claims, request, name))
        .collect();
    for charge in &charges {
        let concerned: Vec<&Charge<'_, '_>> = charges
            .iter()
            .filter(|other| {
                let mut devices = other.devices.iter();
                devices.all(|at| charge.devices.contains(at))
            })
            .collect();
        let least = concerned
            .iter()
            .fold(0i128, |sum, one| sum.saturating_add(one.least));
        let left = charge.devices.iter().fold(0i128, |sum, at| {
            sum.saturating_add(left_of(cluster, *at, name))
        });
        if least > left && concerned.len() > 1 {
            return Some(Conflict {
                kind: ConflictKind::Capacity,
                requests: concerned.iter().map(|one| one.request.name()).collect(),
                text: capacity_text(cluster, requests, name, &concerned, least, left),
                ..Conflict::default()
            });
        }
    }
    None
}

/// Says that requests want more of a capacity than their devices have left.
fn capacity_text(
    cluster: &Cluster<'_>,
    requests: &[Alone<'_>],
    name: &str,
    concerned: &[&Charge<'_, '_>],
    least: i128,
    left: i128,
) -> Message {
    let told: Vec<String> = concerned
        .iter()
        .map(|one| one.request.name_in_pod(requests))
        .collect();
    let devices: Set<DeviceAt> = concerned
        .iter()
        .flat_map(|one| one.devices.iter().copied())
        .collect();
    let published: Vec<&Device> = devices
        .iter()
        .filter_map(|at| cluster.device(*at).map(|(_, device)| device))
        .collect();
    let names: Vec<&str> = published.iter().map(|one| one.name.as_str()).collect();
    let beside = published
        .iter()
        .find_map(|device| device.capacity.get(name))
        .map_or("", |capacity| capacity.value.text());
    message!(
        "device.capacity-of-requests",
        "{devices}: requests {requests} want at least {needed} of {name} together, {left} left",
        devices = some(&names, MOST),
        requests = some(&told, MOST_REQUESTS),
        needed = spell_like(least, beside),
        name,
        left = spell_like(left, beside)
    )
}

/// Returns what is left of a device's capacity, in nanos.
fn left_of(cluster: &Cluster<'_>, at: DeviceAt, name: &str) -> i128 {
    let arithmetic = Arithmetic::of(cluster, at);
    let Some((_, device)) = cluster.device(at) else {
        return 0;
    };
    let mut published = arithmetic.published(device);
    let Some((_, capacity)) =
        published.find(|(other, _)| arithmetic.plain(other) == arithmetic.plain(name))
    else {
        return 0;
    };
    let used = cluster
        .usage
        .used(cluster.identity(at), arithmetic.plain(name));
    capacity.value.nanos().saturating_sub(used)
}
