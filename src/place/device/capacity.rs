//! Capacity requests: rounding, policies, and what is left.

use super::amount::Amount;
use super::cluster::Identity;
use super::facts::{Ask, Capacity, Device, RequestPolicy};
use super::sorted::Sorted;
use super::usage::{Consumed, Usage};

/// Why a device's capacity refuses a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal<'f> {
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
}

impl<'f> Refusal<'f> {
    /// The capacity.
    pub fn name(&self) -> &'f str {
        match self {
            Refusal::Unknown(name)
            | Refusal::AboveMax(name, ..)
            | Refusal::OffStep(name, _)
            | Refusal::NotValid(name, _)
            | Refusal::Exhausted(name, ..) => name,
        }
    }
}

/// What is charged for a capacity.
pub fn charge(capacity: &Capacity, requested: Option<&Amount>) -> Amount {
    let policy = capacity.request_policy.as_ref();
    let Some(requested) = requested else {
        let default = policy.and_then(|policy| policy.default.as_ref());
        return default.unwrap_or(&capacity.value).clone();
    };
    policy.and_then(|policy| rounded(policy, requested)).unwrap_or_else(|| requested.clone())
}

/// `None`: as requested.
fn rounded(policy: &RequestPolicy, requested: &Amount) -> Option<Amount> {
    let range = policy.valid_range.as_ref();
    if let Some((range, min)) = range.and_then(|range| Some((range, range.min.as_ref()?))) {
        if requested.nanos() < min.nanos() {
            return Some(min.clone());
        }
        let step = range.step.as_ref()?.value();
        let above = requested.value().saturating_sub(min.value());
        let steps = above.checked_div(step)?;
        let rest = above.checked_rem(step)?;
        let steps = if rest == 0 { steps } else { steps.saturating_add(1) };
        return Some(Amount::whole(min.value().saturating_add(step.saturating_mul(steps))));
    }
    policy.valid_values.iter().find(|value| requested.nanos() <= value.nanos()).cloned()
}

/// What would be charged for every capacity of a device.
pub fn charges<'f>(ask: &Ask, device: &'f Device) -> Vec<(&'f str, Amount)> {
    let requested = requests(ask);
    device.capacity.iter().map(|(name, capacity)| (name.as_str(), charge(capacity, requested.get(name)))).collect()
}

/// What a request asks for by name.
pub fn requests(ask: &Ask) -> &Sorted<String, Amount> {
    static NOTHING: Sorted<String, Amount> = Sorted::new();
    ask.capacity.as_ref().map_or(&NOTHING, |capacity| &capacity.requests)
}

/// Checks every capacity of a device, in the order of their names.
pub fn check<'f>(
    ask: &'f Ask,
    device: &'f Device,
    identity: Identity,
    usage: &Usage<'_>,
    chosen: &Sorted<Identity, Consumed<'_>>,
) -> Result<(), Refusal<'f>> {
    if let Some(unknown) = requests(ask).keys().find(|name| !device.capacity.contains_key(*name)) {
        return Err(Refusal::Unknown(unknown));
    }
    for (name, capacity) in device.capacity.iter() {
        let needed = charge(capacity, requests(ask).get(name));
        if let Some(policy) = &capacity.request_policy
            && policy.default.as_ref() != Some(&needed)
        {
            allowed(policy, name, &needed)?;
        }
        let picked = chosen.get(&identity).and_then(|sums| sums.get(name.as_str())).copied().unwrap_or(0);
        let used = usage.used(identity, name).saturating_add(picked);
        if needed.nanos().saturating_add(used) > capacity.value.nanos() {
            return Err(Refusal::Exhausted(name, needed, used, &capacity.value));
        }
    }
    Ok(())
}

fn allowed<'f>(policy: &'f RequestPolicy, name: &'f str, needed: &Amount) -> Result<(), Refusal<'f>> {
    if let Some(range) = &policy.valid_range {
        if let Some(max) = range.max.as_ref().filter(|max| needed.nanos() > max.nanos()) {
            return Err(Refusal::AboveMax(name, needed.clone(), max));
        }
        let min = range.min.as_ref().map_or(0, Amount::value);
        let above = needed.value().saturating_sub(min);
        let rest = range.step.as_ref().and_then(|step| above.checked_rem(step.value()));
        return if rest.unwrap_or(0) == 0 { Ok(()) } else { Err(Refusal::OffStep(name, needed.clone())) };
    }
    let valid = policy.valid_values.is_empty() || policy.valid_values.iter().any(|value| value.nanos() == needed.nanos());
    if valid { Ok(()) } else { Err(Refusal::NotValid(name, needed.clone())) }
}
