//! The request policy of a capacity.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateRequestPolicy`.

use super::judge::Judge;
use super::variant::ListSize;
use crate::validation::errors::{Bad, Panic};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::FieldValue;
use claimkit_model::object::view::Strings;
use claimkit_model::object::view::device::{
    CapacityRequestPolicy, CapacityRequestPolicyRange, DeviceCapacity,
};
use claimkit_model::schema::Gate;
use claimkit_values::quantity::Measure;
use std::collections::BTreeSet;

const CODE: Code = Code::RequestPolicyInvalid;

impl Judge<'_> {
    /// Validates one capacity. `shared`: the device allows several allocations.
    pub fn capacity(&mut self, capacity: DeviceCapacity<'_>, shared: bool, path: &Path<'_>) {
        let Some(policy) = capacity.request_policy() else {
            return;
        };
        if !self.knows(capacity.request_policy_slot()) {
            return;
        }
        let path = path.field("requestPolicy");
        if !shared {
            return self
                .errors
                .forbidden(CODE, &path, "allowMultipleAllocations must be true");
        }
        let whole = Measure::of(capacity.value());
        let values = policy.valid_values();
        match policy.valid_range() {
            Some(_) if !values.is_empty() => {
                let detail = "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time";
                self.errors.forbidden(CODE, &path, detail);
            }
            Some(range) => self.valid_range(policy, range, &whole, &path),
            None if !values.is_empty() => self.valid_values(policy, &whole, &path),
            None => {}
        }
    }

    fn valid_values(
        &mut self,
        policy: CapacityRequestPolicy<'_>,
        whole: &Measure,
        path: &Path<'_>,
    ) {
        let Some(default) = policy.default_value() else {
            return self.errors.required(
                CODE,
                &path.field("default"),
                "required when validValues is defined",
            );
        };
        let place = path.field("validValues");
        let values = policy.valid_values();
        let amounts: Vec<Measure> = values.iter().map(Measure::of).collect();
        for (index, pair) in amounts.windows(2).enumerate() {
            if let [before, after] = pair
                && after.nanos() < before.nanos()
            {
                let path = place.index(index.saturating_add(1));
                self.errors.invalid(
                    CODE,
                    &path,
                    Bad::Str(after.text()),
                    "values must be sorted in ascending order",
                );
            }
        }
        let too_many = self
            .limit(values.slot())
            .is_some_and(|max| values.len() > max);
        self.list(values, &place, |judge, value, path| {
            if Measure::of(value).nanos() > whole.nanos() {
                let detail = format!("option is larger than capacity value: {}", whole.text());
                judge.errors.invalid(CODE, path, Bad::Str(value), &detail);
            }
        });
        let unseen = too_many && self.v.list_size == ListSize::TooManyOnly;
        if !unseen {
            let mut seen = BTreeSet::new();
            let places = places_of(values);
            for (index, (amount, places)) in amounts.iter().zip(places).enumerate() {
                let key = if self.on(Gate::DRAFractionalCapacityRange) {
                    amount.decimal(places)
                } else {
                    amount.whole().to_string()
                };
                if !seen.contains(&key) {
                    seen.insert(key);
                } else {
                    self.errors
                        .duplicate(CODE, &place.index(index), Bad::Str(&key));
                }
            }
        }
        let default = Measure::of(default);
        if unseen
            || !amounts
                .iter()
                .any(|amount| amount.nanos() == default.nanos())
        {
            let detail = "default value is not valid according to the requestPolicy";
            self.errors
                .invalid(CODE, &place, Bad::Str(default.text()), detail);
        }
    }

    fn valid_range(
        &mut self,
        policy: CapacityRequestPolicy<'_>,
        range: CapacityRequestPolicyRange<'_>,
        whole: &Measure,
        path: &Path<'_>,
    ) {
        let needed = "required when validRange is defined";
        let place = path.field("validRange");
        let Some(default) = policy.default_value() else {
            return self.errors.required(CODE, &path.field("default"), needed);
        };
        let Some(min) = range.min() else {
            return self.errors.required(CODE, &place.field("min"), needed);
        };
        let (default, min) = (Measure::of(default), Measure::of(min));
        let max = range.max().map(Measure::of);
        let range = Range {
            default,
            min,
            max,
            step: range.step().map(Measure::of),
        };
        self.bounds(&range, whole, &place);
        if self.v.range_defaults {
            self.steps(&range, whole, &place);
        } else if let Some(step) = &range.step {
            self.step(&range, step, whole, &place);
        }
    }

    /// Validates that the capacity has both bounds, and that the default is between them.
    fn bounds(&mut self, range: &Range, whole: &Measure, place: &Path<'_>) {
        let Range { default, min, .. } = range;
        let at_min = place.field("min");
        let at_max = place.field("max");
        let at_default = place.field("default");
        // Releases without rules for defaults report a default at the bound that it is beyond.
        let has_path_of_default = self.v.range_defaults;
        if min.nanos() > whole.nanos() {
            let detail = format!("min is larger than capacity value: {}", whole.text());
            self.invalid_amount(&at_min, min, &detail);
        }
        if default.nanos() < min.nanos() {
            let at = if has_path_of_default {
                &at_default
            } else {
                &at_min
            };
            let detail = format!("default is less than min: {}", min.text());
            self.invalid_amount(at, default, &detail);
        }
        let Some(max) = &range.max else {
            return;
        };
        if min.nanos() > max.nanos() {
            let detail = format!("min is larger than max: {}", max.text());
            self.invalid_amount(&at_max, min, &detail);
        }
        if max.nanos() > whole.nanos() {
            let detail = format!("max is larger than capacity value: {}", whole.text());
            self.invalid_amount(&at_max, max, &detail);
        }
        if default.nanos() > max.nanos() {
            let at = if has_path_of_default {
                &at_default
            } else {
                &at_max
            };
            let detail = format!("default is more than max: {}", max.text());
            self.invalid_amount(at, default, &detail);
        }
    }

    fn invalid_amount(&mut self, path: &Path<'_>, amount: &Measure, detail: &str) {
        self.errors
            .invalid(CODE, path, Bad::Str(amount.text()), detail);
    }

    /// Validates the step of a range, up to 1.36.
    fn step(&mut self, range: &Range, step: &Measure, whole: &Measure, place: &Path<'_>) {
        let (min, max, default) = (&range.min, &range.max, &range.default);
        let at = place.field("step");
        self.first_step(range, step, whole, &at);
        let Some(width) = Some(step.whole()).filter(|width| *width != 0) else {
            // The server divides by it and panics.
            return self.errors.panic(&at, Panic::ZeroStep);
        };
        for value in [Some(default), max.as_ref()].into_iter().flatten() {
            let distance = value.whole().wrapping_sub(min.whole());
            if distance.checked_rem(width).unwrap_or(0) != 0 {
                let detail = format!(
                    "value is not a multiple of a given step ({}) from ({})",
                    step.text(),
                    min.text()
                );
                self.errors
                    .invalid(CODE, &at, Bad::Str(value.text()), &detail);
            }
        }
    }

    fn first_step(&mut self, range: &Range, step: &Measure, whole: &Measure, at: &Path<'_>) {
        let first = range.min.plus(step);
        if first.nanos() > whole.nanos() {
            let detail = format!(
                "one step {} is larger than capacity value: {}",
                first.text(),
                whole.text()
            );
            self.errors
                .invalid(CODE, at, Bad::Str(step.text()), &detail);
        }
    }

    /// Validates the amounts and the step of a range, from 1.37 on. With the gate DRAFractionalCapacityRange, amounts with
    /// fractions are compared in thousandths.
    fn steps(&mut self, range: &Range, whole: &Measure, place: &Path<'_>) {
        let amounts = range.amounts();
        let milli = self.on(Gate::DRAFractionalCapacityRange)
            && amounts.iter().any(|(_, amount)| amount.nanos() % ONE != 0);
        if milli {
            let bad: Vec<_> = amounts
                .iter()
                .filter(|(_, amount)| thousandths(amount).is_none())
                .collect();
            for (name, amount) in &bad {
                let detail = "value cannot be represented as a milli value";
                self.errors
                    .invalid(CODE, &place.field(name), Bad::Str(amount.text()), detail);
            }
            if !bad.is_empty() {
                return;
            }
        }
        let Some(step) = &range.step else { return };
        let at = place.field("step");
        if step.nanos() <= 0 {
            return self.errors.invalid(
                CODE,
                &at,
                Bad::Str(step.text()),
                "must be greater than zero",
            );
        }
        self.first_step(range, step, whole, &at);
        let mut bounded = true;
        for (name, amount) in &amounts {
            let detail = if amount.nanos() < 0 {
                "must be greater than or equal to 0".to_owned()
            } else if amount.nanos() > i128::from(i64::MAX).saturating_mul(ONE) {
                format!("must not be larger than {}", i64::MAX)
            } else {
                continue;
            };
            bounded = false;
            self.errors
                .invalid(CODE, &place.field(name), Bad::Str(amount.text()), &detail);
        }
        if !bounded {
            return;
        }
        let count: fn(&Measure) -> _ = if milli {
            |amount| thousandths(amount).unwrap_or(0)
        } else {
            Measure::whole
        };
        for value in [Some(&range.default), range.max.as_ref()]
            .into_iter()
            .flatten()
        {
            let distance = count(value).wrapping_sub(count(&range.min));
            if distance.checked_rem(count(step)).unwrap_or(0) != 0 {
                let detail = format!(
                    "value is not a multiple of a given step ({}) from ({})",
                    step.text(),
                    range.min.text()
                );
                self.errors
                    .invalid(CODE, &at, Bad::Str(value.text()), &detail);
            }
        }
    }
}

/// Returns the decimal places of written quantities.
fn places_of(values: Strings<'_>) -> Vec<usize> {
    let FieldValue::List(items) = values.slot().value() else {
        return Vec::new();
    };
    items
        .iter()
        .map(|item| match item {
            FieldValue::Quantity(_, places) => usize::from(places.0),
            _ => 0,
        })
        .collect()
}

/// One, in units of 10⁻⁹.
const ONE: i128 = 1_000_000_000;

/// The amounts of a range.
struct Range {
    default: Measure,
    min: Measure,
    max: Option<Measure>,
    step: Option<Measure>,
}

impl Range {
    /// Returns the amounts by name, in the order in which the server looks at them.
    fn amounts(&self) -> Vec<(&'static str, &Measure)> {
        let all = [
            ("default", Some(&self.default)),
            ("min", Some(&self.min)),
            ("max", self.max.as_ref()),
            ("step", self.step.as_ref()),
        ];
        all.into_iter()
            .filter_map(|(name, amount)| Some((name, amount?)))
            .collect()
    }
}

/// Returns an amount in thousandths; `None` if it has none, or too many.
fn thousandths(amount: &Measure) -> Option<i64> {
    let thousandth = ONE / 1000;
    if amount.nanos() % thousandth != 0 {
        return None;
    }
    i64::try_from(amount.nanos() / thousandth).ok()
}
