//! The request policy of a capacity.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `validateRequestPolicy`.

use super::judge::Judge;
use super::variant::ListSize;
use crate::finding::{Code, Path};
use crate::go::quantity::Measure;
use crate::record::{Record, Value};
use crate::rules::errors::{Bad, Panic};
use std::collections::BTreeSet;

const CODE: Code = Code::RequestPolicyInvalid;

impl Judge<'_> {
    /// One capacity. `shared`: the device allows several allocations.
    pub fn capacity(&mut self, capacity: &Record<'_>, shared: bool, path: &Path<'_>) {
        let Some(policy) = capacity.record("requestPolicy") else { return };
        if !self.has_field(capacity, "requestPolicy") {
            return;
        }
        let path = path.field("requestPolicy");
        if !shared {
            return self.errors.forbidden(CODE, &path, "allowMultipleAllocations must be true");
        }
        let whole = Measure::of(capacity.str("value"));
        let values = policy.list("validValues");
        match policy.record("validRange") {
            Some(_) if !values.is_empty() => {
                let detail =
                    "exactly one policy can be specified, cannot specify \"validValues\" and \"validRange\" at the same time";
                self.errors.forbidden(CODE, &path, detail);
            }
            Some(range) => self.valid_range(policy, range, &whole, &path),
            None if !values.is_empty() => self.valid_values(policy, &whole, &path),
            None => {}
        }
    }

    fn valid_values(&mut self, policy: &Record<'_>, whole: &Measure, path: &Path<'_>) {
        if !policy.has("default") {
            return self.errors.required(CODE, &path.field("default"), "required when validValues is defined");
        }
        let place = path.field("validValues");
        let values = policy.list("validValues");
        let amounts: Vec<Measure> = values.iter().map(|value| Measure::of(value.as_str())).collect();
        for (index, pair) in amounts.windows(2).enumerate() {
            if let [before, after] = pair
                && after.nanos() < before.nanos()
            {
                let path = place.index(index.saturating_add(1));
                self.errors.invalid(CODE, &path, Bad::Str(after.text()), "values must be sorted in ascending order");
            }
        }
        let too_many = self.limit(policy, "validValues").is_some_and(|max| values.len() > max);
        let each = |judge: &mut Self, value: &Value<'_>, path: &Path<'_>| {
            if Measure::of(value.as_str()).nanos() > whole.nanos() {
                let detail = format!("option is larger than capacity value: {}", whole.text());
                judge.errors.invalid(CODE, path, Bad::Str(value.as_str()), &detail);
            }
        };
        self.list(policy, "validValues", &place, each);
        let unseen = too_many && self.v.list_size == ListSize::TooManyOnly;
        if !unseen {
            let mut seen = BTreeSet::new();
            for (index, amount) in amounts.iter().enumerate() {
                if !seen.insert(amount.whole()) {
                    let shown = amount.whole().to_string();
                    self.errors.duplicate(CODE, &place.index(index), Bad::Str(&shown));
                }
            }
        }
        let default = Measure::of(policy.str("default"));
        if unseen || !amounts.iter().any(|amount| amount.nanos() == default.nanos()) {
            let detail = "default value is not valid according to the requestPolicy";
            self.errors.invalid(CODE, &place, Bad::Str(default.text()), detail);
        }
    }

    fn valid_range(&mut self, policy: &Record<'_>, range: &Record<'_>, whole: &Measure, path: &Path<'_>) {
        let needed = "required when validRange is defined";
        let place = path.field("validRange");
        if !policy.has("default") {
            return self.errors.required(CODE, &path.field("default"), needed);
        }
        if !range.has("min") {
            return self.errors.required(CODE, &place.field("min"), needed);
        }
        let (default, min) = (Measure::of(policy.str("default")), Measure::of(range.str("min")));
        let mut told = |path: &Path<'_>, value: &Measure, detail: String| {
            self.errors.invalid(CODE, path, Bad::Str(value.text()), &detail);
        };
        let at = place.field("min");
        if min.nanos() > whole.nanos() {
            told(&at, &min, format!("min is larger than capacity value: {}", whole.text()));
        }
        if default.nanos() < min.nanos() {
            told(&at, &default, format!("default is less than min: {}", min.text()));
        }
        let max = range.has("max").then(|| Measure::of(range.str("max")));
        if let Some(max) = &max {
            let at = place.field("max");
            if min.nanos() > max.nanos() {
                told(&at, &min, format!("min is larger than max: {}", max.text()));
            }
            if max.nanos() > whole.nanos() {
                told(&at, max, format!("max is larger than capacity value: {}", whole.text()));
            }
            if default.nanos() > max.nanos() {
                told(&at, &default, format!("default is more than max: {}", max.text()));
            }
        }
        if !range.has("step") {
            return;
        }
        let step = Measure::of(range.str("step"));
        let at = place.field("step");
        let first = min.plus(&step);
        if first.nanos() > whole.nanos() {
            let detail = format!("one step {} is larger than capacity value: {}", first.text(), whole.text());
            told(&at, &step, detail);
        }
        let Some(width) = Some(step.whole()).filter(|width| *width != 0) else {
            // The server divides by it and panics.
            return self.errors.panic(&at, Panic::ZeroStep);
        };
        for value in [Some(&default), max.as_ref()].into_iter().flatten() {
            let distance = value.whole().wrapping_sub(min.whole());
            if distance.checked_rem(width).unwrap_or(0) != 0 {
                let detail = format!("value is not a multiple of a given step ({}) from ({})", step.text(), min.text());
                self.errors.invalid(CODE, &at, Bad::Str(value.text()), &detail);
            }
        }
    }
}
