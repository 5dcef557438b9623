//! What several requests ask for together: those of a claim, of the claims of a pod, of the claims of a namespace.
//!
//! Of alternatives the largest counts, for devices and for each capacity by itself. A request for all devices counts as the most that an
//! allocation has, as a ResourceQuota counts it (kube-controller-manager, pkg/quota/v1/evaluator/core/resource_claims.go).

use crate::policy::compare::{Extent, Reasons, without_indexes};
use crate::policy::limits::parts;
use crate::policy::pattern;
use crate::policy::settings::{ClaimLimits, SumLimit, SumOf};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::device::{DeviceAsk, DeviceClaim};
use claimkit_model::schema::Release;
use claimkit_values::quantity::Quantity;

/// Maximum number of devices of an allocation (k8s.io/api, resource/v1, types.go, `AllocationResultsMaxSize`).
const ALL: i128 = 32;

/// What is asked for of the classes of a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    devices: i128,
    /// In billionths, in the order of the limit's capacities.
    capacities: Vec<i128>,
}

impl Sum {
    /// Counts the requests of a claim.
    pub fn of(limit: &SumLimit, devices: DeviceClaim<'_>) -> Self {
        let mut sum = Sum::default();
        for request in devices.requests().iter() {
            let mut largest = Sum::default();
            if let Some(exactly) = request.exactly() {
                largest.raise(&Sum::of_ask(limit, exactly));
            } else if request.is_flat() && request.first_available().is_empty() {
                largest.raise(&Sum::of_ask(limit, request.flat()));
            }
            for alternative in request.first_available().iter() {
                largest.raise(&Sum::of_ask(limit, alternative));
            }
            sum.add(&largest);
        }
        sum
    }

    /// Counts devices of a class without capacities.
    pub fn of_devices(limit: &SumLimit, class: &str, count: i64) -> Self {
        let mut sum = Sum::default();
        if limit.counts(class) {
            sum.devices = i128::from(count.max(0));
        }
        sum
    }

    fn of_ask(limit: &SumLimit, ask: DeviceAsk<'_>) -> Self {
        if !limit.counts(ask.device_class_name()) {
            return Sum::default();
        }
        let devices = match ask.allocation_mode() {
            "All" => ALL,
            _ => i128::from(ask.count().unwrap_or(1).max(0)),
        };
        let mut capacities = Vec::with_capacity(limit.max_capacity.len());
        for (name, _) in limit.max_capacity.iter() {
            capacities.push(asked_of_each(ask, name).saturating_mul(devices));
        }
        Sum {
            devices,
            capacities,
        }
    }

    /// Adds another sum.
    pub fn add(&mut self, other: &Sum) {
        self.combine(other, i128::saturating_add);
    }

    /// Takes the larger of each number.
    fn raise(&mut self, other: &Sum) {
        self.combine(other, Ord::max);
    }

    fn combine(&mut self, other: &Sum, of: fn(i128, i128) -> i128) {
        self.devices = of(self.devices, other.devices);
        if self.capacities.len() < other.capacities.len() {
            self.capacities.resize(other.capacities.len(), 0);
        }
        for (own, other) in self.capacities.iter_mut().zip(&other.capacities) {
            *own = of(*own, *other);
        }
    }

    /// Returns true if nothing is asked for.
    pub fn is_nothing(&self) -> bool {
        self.devices == 0
    }
}

/// Returns how much of a capacity is asked for of each device, in billionths.
fn asked_of_each(ask: DeviceAsk<'_>, name: &str) -> i128 {
    let Some(capacity) = ask.capacity() else {
        return 0;
    };
    let mut sum = 0_i128;
    for (asked, amount) in capacity.requests().iter() {
        if may_be_same(asked, name)
            && let Ok(quantity) = Quantity::parse(amount)
        {
            sum = sum.saturating_add(quantity.nanos().max(0));
        }
    }
    sum
}

impl SumLimit {
    fn counts(&self, class: &str) -> bool {
        self.classes.is_empty() || pattern::any(&self.classes, class)
    }

    /// Writes the classes in words; empty for all.
    fn of_classes(&self, release: Release) -> String {
        let classes = self.classes.iter().map(String::as_str);
        let quoted = claimkit_values::quoted(classes, release.rules().unicode);
        match self.classes.as_slice() {
            [] => String::new(),
            [_] => format!(" of the class {quoted}"),
            _ => format!(" of the classes {quoted}"),
        }
    }
}

/// Returns true if two names of a capacity may be the same. A name without a domain is that of the device's driver.
fn may_be_same(one: &str, other: &str) -> bool {
    let ((domain, id), (other_domain, other_id)) = (parts(one), parts(other));
    id == other_id && (domain.is_empty() || other_domain.is_empty() || domain == other_domain)
}

/// A sum that is held against a limit.
#[derive(Clone, Copy)]
pub struct Total<'s> {
    pub limit: &'s SumLimit,
    /// What is judged.
    pub own: &'s Sum,
    /// What others ask for that count, too.
    pub others: &'s Sum,
    pub release: Release,
}

/// Checks a sum.
pub fn check(total: Total<'_>, path: &Path<'_>, errors: &mut Reasons) {
    let Total {
        limit,
        own,
        others,
        release,
    } = total;
    let (place, this) = match limit.of {
        SumOf::Claim => ("a claim", "this one asks for"),
        SumOf::Pod => ("a pod", "this one asks for"),
        SumOf::Namespace => ("a namespace", "this claim asks for"),
    };
    let classes = limit.of_classes(release);
    let key = |what: &str| {
        format!(
            "{}: {what}{classes} in {place}",
            without_indexes(&path.render())
        )
    };
    let all = own.devices.saturating_add(others.devices);
    if let Some(most) = limit.max_count
        && own.devices > 0
        && i128::try_from(most).is_ok_and(|most| all > most)
    {
        let rest = match limit.of {
            SumOf::Namespace => format!(" and others there for {}", others.devices),
            SumOf::Claim | SumOf::Pod => String::new(),
        };
        let detail = format!(
            "the policy accepts at most {most} devices{classes} in {place}, {this} {}{rest}",
            own.devices
        );
        let start = errors.len();
        errors.forbidden(Code::PolicyLimits, path, &detail);
        errors.extend_from(start, Some(&key("devices")), &Extent::amount(all));
    }
    for (at, (name, most)) in limit.max_capacity.iter().enumerate() {
        let of = |sum: &Sum| sum.capacities.get(at).copied().unwrap_or_default();
        let all = of(own).saturating_add(of(others));
        let Ok(limit_of_it) = Quantity::parse(most) else {
            continue;
        };
        if of(own) > 0 && all > limit_of_it.nanos() {
            let rest = match limit.of {
                SumOf::Namespace => " together with others there",
                SumOf::Claim | SumOf::Pod => "",
            };
            let detail = format!(
                "the policy accepts at most {most} of `{name}`{classes} in {place}, {this} more{rest}"
            );
            let start = errors.len();
            errors.forbidden(Code::PolicyLimits, path, &detail);
            errors.extend_from(start, Some(&key(name)), &Extent::amount(all));
        }
    }
}

/// Checks the requests of a claim together. `path`: of its devices.
pub fn of_claim(
    limits: &ClaimLimits,
    devices: DeviceClaim<'_>,
    release: Release,
    path: &Path<'_>,
    errors: &mut Reasons,
) {
    for limit in limits.sums_of(SumOf::Claim) {
        let total = Total {
            limit,
            own: &Sum::of(limit, devices),
            others: &Sum::default(),
            release,
        };
        check(total, &path.field("requests"), errors);
    }
}
