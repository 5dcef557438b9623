//! Capacity requests: rounding, policies, and what is left.

use super::amount::{Amount, UNIT};
use super::cluster::{Cluster, Identity};
use super::features::Feature;
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
            | CapacityRefusal::Error(name, _) => name,
        }
    }

    /// Returns upstream's error, which ends the attempt.
    pub fn error(&self) -> Option<String> {
        match self {
            CapacityRefusal::Error(name, text) => Some(format!("capacity {name:?}: {text}")),
            _ => None,
        }
    }
}

/// The arithmetic of amounts, by release.
#[derive(Clone, Copy, Debug)]
pub struct Arithmetic {
    /// Results keep the step's notation, and what cannot be computed is an error.
    pub checked: bool,
    /// Ranges are in thousandths.
    pub fractional: bool,
}

impl Arithmetic {
    /// Returns the arithmetic of an allocator.
    pub fn of(cluster: &Cluster<'_>) -> Arithmetic {
        Arithmetic {
            checked: cluster.behaviour.capacity_errors,
            fractional: cluster.has(Feature::FractionalCapacityRange),
        }
    }

    /// Returns true if a range is computed in thousandths.
    fn is_milli(self, range: &ValidRange) -> bool {
        let exact = |amount: &Option<Amount>| {
            amount
                .as_ref()
                .is_none_or(|amount| amount.as_milli().is_some())
        };
        let step = range
            .step
            .as_ref()
            .is_none_or(|step| step.as_milli().is_some_and(|step| step >= 1));
        self.fractional && exact(&range.min) && exact(&range.max) && step
    }
}

const NOT_REPRESENTABLE: &str =
    "capacity request cannot be represented in the device's range arithmetic";

/// Returns the amount charged for a capacity.
///
/// # Errors
/// Upstream's text for an amount that it cannot compute.
pub fn charge(
    capacity: &Capacity,
    requested: Option<&Amount>,
    arithmetic: Arithmetic,
) -> Result<Amount, String> {
    let policy = capacity.request_policy.as_ref();
    let Some(requested) = requested else {
        let default = policy.and_then(|policy| policy.default.as_ref());
        return Ok(default.unwrap_or(&capacity.value).clone());
    };
    let rounded = policy.map_or(Ok(None), |policy| rounded(policy, requested, arithmetic))?;
    Ok(rounded.unwrap_or_else(|| requested.clone()))
}

/// Rounds what is requested as a policy wants it; `None`: as requested.
fn rounded(
    policy: &RequestPolicy,
    requested: &Amount,
    arithmetic: Arithmetic,
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
        let step = step.value();
        let above = requested.value().saturating_sub(min.value());
        let (Some(steps), Some(rest)) = (above.checked_div(step), above.checked_rem(step)) else {
            return Ok(None);
        };
        let steps = if rest == 0 {
            steps
        } else {
            steps.saturating_add(1)
        };
        return Ok(Some(Amount::whole(
            min.value().saturating_add(step.saturating_mul(steps)),
        )));
    }
    Ok(policy
        .valid_values
        .iter()
        .find(|value| requested.nanos() <= value.nanos())
        .cloned())
}

/// Computes the next step at or above what is requested.
fn stepped(requested: &Amount, min: &Amount, step: &Amount, milli: bool) -> Result<Amount, String> {
    let refused = |why: String| format!("{NOT_REPRESENTABLE}: {why}");
    let text = requested.text();
    let largest = i128::from(i64::MAX);
    let (from, above, size) = if milli {
        let asked = requested
            .as_milli()
            .ok_or_else(|| refused(format!("request {text} is not a representable milli value")))?;
        let (min, step) = (
            i128::from(min.as_milli().unwrap_or(0)),
            i128::from(step.as_milli().unwrap_or(1)),
        );
        (min, i128::from(asked).saturating_sub(min), step)
    } else {
        if requested.nanos() > largest.saturating_mul(UNIT) {
            return Err(refused(format!("request {text} exceeds MaxInt64")));
        }
        (
            min.value(),
            requested.value().saturating_sub(min.value()),
            step.value(),
        )
    };
    let (Some(steps), Some(rest)) = (above.checked_div(size), above.checked_rem(size)) else {
        return Ok(requested.clone());
    };
    let steps = if rest == 0 {
        steps
    } else {
        steps.saturating_add(1)
    };
    let sum = from.saturating_add(size.saturating_mul(steps));
    let Ok(sum) = i64::try_from(sum) else {
        let limit = if milli {
            "the milli-value range"
        } else {
            "MaxInt64"
        };
        return Err(refused(format!(
            "rounding request {text} up to the next step passes {limit}"
        )));
    };
    Ok(if milli {
        Amount::milli(sum, step.notation())
    } else {
        Amount::whole_in(sum, step.notation())
    })
}

/// Returns the amounts charged for every capacity of a device, without those that cannot be computed.
pub fn charges<'f>(
    ask: &Ask,
    device: &'f Device,
    arithmetic: Arithmetic,
) -> Vec<(&'f str, Amount)> {
    let requested = requests(ask);
    let charged = |(name, capacity): (&'f String, &'f Capacity)| {
        charge(capacity, requested.get(name), arithmetic)
            .ok()
            .map(|amount| (name.as_str(), amount))
    };
    device.capacity.iter().filter_map(charged).collect()
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
    arithmetic: Arithmetic,
) -> Result<(), CapacityRefusal<'f>> {
    if let Some(unknown) = requests(ask)
        .keys()
        .find(|name| !device.capacity.contains_key(*name))
    {
        return Err(CapacityRefusal::Unknown(unknown));
    }
    let mut needs = Vec::with_capacity(device.capacity.len());
    for (name, capacity) in device.capacity.iter() {
        let needed = charge(capacity, requests(ask).get(name), arithmetic)
            .map_err(|text| CapacityRefusal::Error(name, text))?;
        if arithmetic.checked && needed.nanos() < 0 {
            return Err(CapacityRefusal::Error(
                name,
                "capacity value is negative".to_owned(),
            ));
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
            .and_then(|sums| sums.get(name.as_str()))
            .copied()
            .unwrap_or(0);
        let used = usage.used(identity, name).saturating_add(picked);
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
    arithmetic: Arithmetic,
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
            let milli = |amount: &Option<Amount>| amount.as_ref().and_then(Amount::as_milli);
            let above = needed
                .as_milli()
                .map(|needed| needed.saturating_sub(milli(&range.min).unwrap_or(0)));
            let off =
                |step: i64| above.is_none_or(|above| above.checked_rem(step).unwrap_or(0) != 0);
            return if milli(&range.step).is_some_and(off) {
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
