//! Capacity requests: rounding, policies, and what is left.

use super::amount::{Amount, UNIT};
use super::cluster::{Cluster, DeviceAt, Identity};
use super::features::Feature;
use super::identity::without_domain;
use super::objects::{Ask, Capacity, Device, RequestPolicy, ValidRange};
use super::sorted::Sorted;
use super::usage::{Consumed, DevicesInUse};

/// Why a device's capacity refuses a request.
#[derive(Clone, Debug, PartialEq)]
pub enum CapacityRefusal<'f> {
    /// The device has no such capacity.
    Unknown(&'f str),
    /// More than a request may have.
    AboveMax(&'f str, Amount, &'f Amount),
    /// Not on a step.
    OffStep(&'f str, Amount),
    /// Not one of the valid values.
    NotValid(&'f str, Amount),
    /// More than is left: charged, used, total.
    Exhausted(&'f str, Amount, i128, &'f Amount),
    /// It cannot be computed; upstream's text. Ends the attempt.
    Error(&'f str, String),
    /// It is requested with the driver's domain and without. Ends the attempt.
    Twice(&'f str),
}

impl<'f> CapacityRefusal<'f> {
    /// Returns the name of the capacity.
    pub fn name(&self) -> &'f str {
        match self {
            CapacityRefusal::Unknown(name)
            | CapacityRefusal::AboveMax(name, ..)
            | CapacityRefusal::OffStep(name, _)
            | CapacityRefusal::NotValid(name, _)
            | CapacityRefusal::Exhausted(name, ..)
            | CapacityRefusal::Error(name, _)
            | CapacityRefusal::Twice(name) => name,
        }
    }

    /// Returns upstream's error, which ends the attempt.
    pub fn error(&self, arithmetic: Arithmetic<'_>) -> Option<String> {
        match (self, arithmetic.driver) {
            (CapacityRefusal::Error(name, text), Some(driver)) if !name.contains('/') => {
                Some(format!("capacity {:?}: {text}", format!("{driver}/{name}")))
            }
            (CapacityRefusal::Error(name, text), _) => Some(format!("capacity {name:?}: {text}")),
            // Upstream names the two in any order.
            (CapacityRefusal::Twice(name), driver) => {
                let full = format!("{}/{name}", driver.unwrap_or_default());
                Some(format!(
                    "capacity {name:?} requested both as {name:?} and as {full:?}"
                ))
            }
            _ => None,
        }
    }
}

/// The arithmetic of amounts on a device, by release.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic<'d> {
    /// Results keep the step's notation, and what cannot be computed is an error.
    pub checked: bool,
    /// Ranges are in thousandths.
    pub fractional: bool,
    /// The driver, if a name means the same with it as domain and without; negative requests are errors then.
    pub driver: Option<&'d str>,
}

impl<'d> Arithmetic<'d> {
    /// Returns the arithmetic of an allocator on a device.
    pub fn of(cluster: &Cluster<'d>, at: DeviceAt) -> Arithmetic<'d> {
        Arithmetic {
            checked: cluster.behaviour.capacity_errors,
            fractional: cluster.has(Feature::FractionalCapacityRange),
            driver: cluster
                .slice(at.slice)
                .map(|slice| slice.spec.driver.as_str())
                .filter(|_| cluster.behaviour.qualified_capacities),
        }
    }

    /// Returns a name without the domain that it has anyway.
    pub fn plain(self, name: &str) -> &str {
        self.driver
            .map_or(name, |driver| without_domain(driver, name))
    }

    /// Returns the capacities that a device publishes. Of a name with and without the driver's domain the former counts.
    pub fn published<'f>(
        self,
        device: &'f Device,
    ) -> impl Iterator<Item = (&'f str, &'f Capacity)> + use<'f, 'd> {
        device
            .capacity
            .iter()
            .map(|(name, capacity)| (name.as_str(), capacity))
            .filter(move |(name, _)| !self.is_shadowed(device, name))
    }

    /// Returns true if the device publishes the capacity with the driver's domain, too.
    fn is_shadowed(self, device: &Device, name: &str) -> bool {
        self.driver.is_some_and(|driver| {
            !name.contains('/')
                && device
                    .capacity
                    .contains_key(format!("{driver}/{name}").as_str())
        })
    }

    /// Returns true if the device publishes the capacity, with the driver's domain or without.
    fn has(self, device: &Device, name: &str) -> bool {
        if device.capacity.contains_key(name) {
            return true;
        }
        let Some(driver) = self.driver else {
            return false;
        };
        let plain = without_domain(driver, name);
        let is_of_driver = plain != name || !name.contains('/');
        is_of_driver
            && (device.capacity.contains_key(plain)
                || device
                    .capacity
                    .contains_key(format!("{driver}/{plain}").as_str()))
    }

    /// Returns the amount that is requested of a published capacity.
    pub fn requested<'a>(self, ask: &'a Ask, published: &str) -> Option<&'a Amount> {
        let amounts = requests(ask);
        let Some(driver) = self.driver else {
            return amounts.get(published);
        };
        let plain = without_domain(driver, published);
        amounts
            .get(plain)
            .or_else(|| amounts.get(format!("{driver}/{plain}").as_str()))
    }

    /// Refuses a request for a capacity that the device lacks, and two for one.
    fn resolve<'f>(self, ask: &'f Ask, device: &Device) -> Result<(), CapacityRefusal<'f>> {
        let amounts = requests(ask);
        if let Some(unknown) = amounts.keys().find(|name| !self.has(device, name)) {
            return Err(CapacityRefusal::Unknown(unknown));
        }
        let twice = amounts
            .keys()
            .map(|name| (name, self.plain(name)))
            .find(|(name, plain)| *name != *plain && amounts.contains_key(*plain));
        match twice {
            Some((_, plain)) => Err(CapacityRefusal::Twice(plain)),
            None => Ok(()),
        }
    }

    /// Returns true if a range is computed in thousandths.
    fn is_milli(self, range: &ValidRange) -> bool {
        let is_step_milli = range
            .step
            .as_ref()
            .is_none_or(|step| step.as_milli().is_some_and(|step| step >= 1));
        self.fractional
            && is_milli_or_absent(&range.min)
            && is_milli_or_absent(&range.max)
            && is_step_milli
    }

    /// Returns the amount as this arithmetic prints it.
    fn print(self, amount: Amount) -> Amount {
        match self.driver {
            Some(_) => amount.printed_anew(),
            None => amount,
        }
    }
}

fn is_milli_or_absent(amount: &Option<Amount>) -> bool {
    amount
        .as_ref()
        .is_none_or(|amount| amount.as_milli().is_some())
}

fn as_milli(amount: &Option<Amount>) -> Option<i64> {
    amount.as_ref().and_then(Amount::as_milli)
}

const NEGATIVE: &str = "capacity value is negative";

const NOT_REPRESENTABLE: &str =
    "capacity request cannot be represented in the device's range arithmetic";

/// Returns the amount charged for a capacity.
///
/// # Errors
/// Upstream's text for an amount that it cannot compute.
pub fn charge(
    capacity: &Capacity,
    requested: Option<&Amount>,
    arithmetic: Arithmetic<'_>,
) -> Result<Amount, String> {
    let policy = capacity.request_policy.as_ref();
    let Some(requested) = requested else {
        let default = policy.and_then(|policy| policy.default.as_ref());
        return Ok(arithmetic.print(default.unwrap_or(&capacity.value).clone()));
    };
    if arithmetic.driver.is_some() && requested.nanos() < 0 {
        return Err(format!("{NEGATIVE}: request {}", requested.text()));
    }
    let rounded = policy.map_or(Ok(None), |policy| rounded(policy, requested, arithmetic))?;
    Ok(arithmetic.print(rounded.unwrap_or_else(|| requested.clone())))
}

/// Rounds what is requested as a policy wants it; `None`: as requested.
fn rounded(
    policy: &RequestPolicy,
    requested: &Amount,
    arithmetic: Arithmetic<'_>,
) -> Result<Option<Amount>, String> {
    let range = policy.valid_range.as_ref();
    if let Some((range, min)) = range.and_then(|range| Some((range, range.min.as_ref()?))) {
        if requested.nanos() < min.nanos() {
            return Ok(Some(min.clone()));
        }
        let Some(step) = range.step.as_ref() else {
            return Ok(None);
        };
        if arithmetic.checked {
            return stepped(requested, min, step, arithmetic.is_milli(range)).map(Some);
        }
        let size = step.value();
        let above = requested.value().saturating_sub(min.value());
        let Some(steps) = steps_up(above, size) else {
            return Ok(None);
        };
        return Ok(Some(Amount::whole(
            min.value().saturating_add(size.saturating_mul(steps)),
        )));
    }
    Ok(policy
        .valid_values
        .iter()
        .find(|value| requested.nanos() <= value.nanos())
        .cloned())
}

/// Returns how many steps of a size reach an amount; `None`: the size is 0.
fn steps_up(above: i128, size: i128) -> Option<i128> {
    let steps = above.checked_div(size)?;
    if above.checked_rem(size)? == 0 {
        Some(steps)
    } else {
        Some(steps.saturating_add(1))
    }
}

fn not_representable(why: &str) -> String {
    format!("{NOT_REPRESENTABLE}: {why}")
}

/// Computes the next step at or above what is requested.
fn stepped(requested: &Amount, min: &Amount, step: &Amount, milli: bool) -> Result<Amount, String> {
    let text = requested.text();
    let largest = i128::from(i64::MAX);
    // All three are thousandths, or units.
    let asked: i128;
    let from: i128;
    let size: i128;
    if milli {
        let thousandths = requested.as_milli().ok_or_else(|| {
            not_representable(&format!(
                "request {text} is not a representable milli value"
            ))
        })?;
        asked = i128::from(thousandths);
        from = i128::from(min.as_milli().unwrap_or(0));
        size = i128::from(step.as_milli().unwrap_or(1));
    } else {
        if requested.nanos() > largest.saturating_mul(UNIT) {
            return Err(not_representable(&format!(
                "request {text} exceeds MaxInt64"
            )));
        }
        asked = requested.value();
        from = min.value();
        size = step.value();
    }
    let Some(steps) = steps_up(asked.saturating_sub(from), size) else {
        return Ok(requested.clone());
    };
    let sum = from.saturating_add(size.saturating_mul(steps));
    let Ok(stepped) = i64::try_from(sum) else {
        let limit = if milli {
            "the milli-value range"
        } else {
            "MaxInt64"
        };
        return Err(not_representable(&format!(
            "rounding request {text} up to the next step passes {limit}"
        )));
    };
    Ok(if milli {
        Amount::milli(stepped, step.notation())
    } else {
        Amount::whole_in(stepped, step.notation())
    })
}

/// Returns the amounts charged for every capacity of a device, without those that cannot be computed.
pub fn charges<'f>(
    ask: &Ask,
    device: &'f Device,
    arithmetic: Arithmetic<'_>,
) -> Vec<(&'f str, Amount)> {
    arithmetic
        .published(device)
        .filter_map(|(name, capacity)| {
            let amount = charge(capacity, arithmetic.requested(ask, name), arithmetic).ok()?;
            Some((name, amount))
        })
        .collect()
}

/// Returns a capacity of a device, and what a request is charged of it; `None`: the device has none of that name, or the charge cannot
/// be computed.
pub fn charged<'f>(
    cluster: &Cluster<'f>,
    ask: &Ask,
    at: DeviceAt,
    name: &str,
) -> Option<(&'f Capacity, Amount)> {
    let arithmetic = Arithmetic::of(cluster, at);
    let (_, device) = cluster.device(at)?;
    let plain = arithmetic.plain(name);
    let (published, capacity) = arithmetic
        .published(device)
        .find(|(other, _)| arithmetic.plain(other) == plain)?;
    let requested = arithmetic.requested(ask, published);
    let amount = charge(capacity, requested, arithmetic).ok()?;
    Some((capacity, amount))
}

/// Returns the amounts of a request, by name.
pub fn requests(ask: &Ask) -> &Sorted<String, Amount> {
    static NOTHING: Sorted<String, Amount> = Sorted::new();
    ask.capacity
        .as_ref()
        .map_or(&NOTHING, |capacity| &capacity.requests)
}

/// Checks every capacity of a device, in the order of their names.
pub fn check<'f>(
    ask: &'f Ask,
    device: &'f Device,
    identity: Identity,
    usage: &DevicesInUse<'_>,
    chosen: &Sorted<Identity, Consumed<'_>>,
    arithmetic: Arithmetic<'_>,
) -> Result<(), CapacityRefusal<'f>> {
    arithmetic.resolve(ask, device)?;
    let mut needs = Vec::with_capacity(device.capacity.len());
    for (name, capacity) in arithmetic.published(device) {
        let needed = charge(capacity, arithmetic.requested(ask, name), arithmetic)
            .map_err(|text| CapacityRefusal::Error(name, text))?;
        if arithmetic.checked && needed.nanos() < 0 {
            return Err(CapacityRefusal::Error(name, NEGATIVE.to_owned()));
        }
        needs.push((name, capacity, needed));
    }
    for (name, capacity, needed) in needs {
        if let Some(policy) = &capacity.request_policy
            && policy.default.as_ref() != Some(&needed)
        {
            allowed(policy, name, &needed, arithmetic)?;
        }
        let picked = chosen
            .get(&identity)
            .and_then(|sums| sums.get(name))
            .copied()
            .unwrap_or(0);
        let used = usage
            .used(identity, arithmetic.plain(name))
            .saturating_add(picked);
        if needed.nanos().saturating_add(used) > capacity.value.nanos() {
            return Err(CapacityRefusal::Exhausted(
                name,
                needed,
                used,
                &capacity.value,
            ));
        }
    }
    Ok(())
}

fn allowed<'f>(
    policy: &'f RequestPolicy,
    name: &'f str,
    needed: &Amount,
    arithmetic: Arithmetic<'_>,
) -> Result<(), CapacityRefusal<'f>> {
    if let Some(range) = &policy.valid_range {
        if let Some(max) = range
            .max
            .as_ref()
            .filter(|max| needed.nanos() > max.nanos())
        {
            return Err(CapacityRefusal::AboveMax(name, needed.clone(), max));
        }
        if arithmetic.is_milli(range) {
            let above = needed
                .as_milli()
                .map(|needed| needed.saturating_sub(as_milli(&range.min).unwrap_or(0)));
            let is_off_step = as_milli(&range.step).is_some_and(|step| {
                above.is_none_or(|above| above.checked_rem(step).unwrap_or(0) != 0)
            });
            return if is_off_step {
                Err(CapacityRefusal::OffStep(name, needed.clone()))
            } else {
                Ok(())
            };
        }
        let min = range.min.as_ref().map_or(0, Amount::value);
        let above = needed.value().saturating_sub(min);
        let rest = range
            .step
            .as_ref()
            .and_then(|step| above.checked_rem(step.value()));
        return if rest.unwrap_or(0) == 0 {
            Ok(())
        } else {
            Err(CapacityRefusal::OffStep(name, needed.clone()))
        };
    }
    let valid = policy.valid_values.is_empty()
        || policy
            .valid_values
            .iter()
            .any(|value| value.nanos() == needed.nanos());
    if valid {
        Ok(())
    } else {
        Err(CapacityRefusal::NotValid(name, needed.clone()))
    }
}
