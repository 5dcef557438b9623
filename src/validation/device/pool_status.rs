//! ResourcePoolStatusRequest: the one kind whose generated rules are enforced.
//!
//! Source: `pkg/registry/resource/resourcepoolstatusrequest/strategy.go` and the generated validation of 1.36.

use super::judge::Judge;
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::{immutable, metadata};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::Slot;
use claimkit_model::object::view::device::{
    PoolStatus, ResourcePoolStatusRequest, ResourcePoolStatusRequestSpec,
    ResourcePoolStatusRequestStatus,
};
use claimkit_model::schema::Scope;
use claimkit_values::names;
use std::collections::BTreeSet;

const CODE: Code = Code::PoolStatusInvalid;
const SUBDOMAIN_MAX: usize = 253;
const LIMIT_MAX: i64 = 1000;
const CASELESS: &str = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Validates a new request.
pub fn create(request: ResourcePoolStatusRequest<'_>, context: &Context, errors: &mut Errors) {
    let start = errors.len();
    metadata::create(request.metadata(), Scope::Cluster, context.rules, errors);
    errors.once_from(start);
    Judge::new(context, errors).pool_request(request.spec(), &Path::ROOT.field("spec"));
}

/// Validates a changed request: nothing of its spec may change.
pub fn update(
    new: ResourcePoolStatusRequest<'_>,
    old: ResourcePoolStatusRequest<'_>,
    errors: &mut Errors,
) {
    let start = errors.len();
    metadata::update(new.metadata(), old.metadata(), errors);
    errors.once_from(start);
    if !immutable::same_field(new.spec_slot(), old.spec_slot()) {
        errors.invalid(
            CODE,
            &Path::ROOT.field("spec"),
            Bad::Null,
            immutable::MESSAGE,
        );
    }
}

/// Validates a changed status: written once.
pub fn update_status(
    new: ResourcePoolStatusRequest<'_>,
    old: ResourcePoolStatusRequest<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    let start = errors.len();
    metadata::update(new.metadata(), old.metadata(), errors);
    let root = Path::ROOT;
    let path = root.field("status");
    let same = immutable::same_field(new.status_slot(), old.status_slot());
    if old.status().is_some() {
        if !same {
            let value = Bad::record(
                new.status()
                    .and_then(ResourcePoolStatusRequestStatus::record),
            );
            errors.invalid(CODE, &path, value, immutable::MESSAGE);
        }
    } else if let Some(status) = new.status() {
        Judge::new(context, errors).conditions(status.conditions(), &path.field("conditions"));
    }
    errors.once_from(start);
    if let Some(status) = new.status().filter(|_| !same) {
        Judge::new(context, errors).pool_status(status, old.status(), &path);
    }
}

impl Judge<'_> {
    fn pool_request(&mut self, spec: ResourcePoolStatusRequestSpec<'_>, path: &Path<'_>) {
        if self.v.generated_answers {
            return;
        }
        self.caseless_driver(spec.driver(), &path.field("driver"));
        if let Some(name) = spec.pool_name() {
            self.segments(name, &path.field("poolName"));
        }
        if let Some(limit) = spec.limit() {
            let limit_path = path.field("limit");
            if limit > LIMIT_MAX {
                self.errors.invalid(
                    CODE,
                    &limit_path,
                    Bad::Int(limit),
                    "must be less than or equal to 1000",
                );
            }
            if limit < 1 {
                self.errors.invalid(
                    CODE,
                    &limit_path,
                    Bad::Int(limit),
                    "must be greater than or equal to 1",
                );
            }
        }
    }

    fn caseless_driver(&mut self, value: &str, path: &Path<'_>) {
        if value.is_empty() {
            return self.errors.required(CODE, path, "");
        }
        if value.len() > SUBDOMAIN_MAX {
            self.errors.invalid(
                CODE,
                path,
                Bad::Str(value),
                "must be no more than 253 bytes",
            );
        }
        if !names::is_subdomain(&names::to_lower(value)) {
            self.errors.invalid(CODE, path, Bad::Str(value), CASELESS);
        }
    }

    fn segments(&mut self, value: &str, path: &Path<'_>) {
        if value.len() > SUBDOMAIN_MAX {
            self.errors.too_long(CODE, path, SUBDOMAIN_MAX);
        }
        for (index, part) in value.split('/').enumerate() {
            if part.is_empty() {
                let detail = format!("segment {index}: must not be empty");
                self.errors.invalid(CODE, path, Bad::Str(value), &detail);
                continue;
            }
            for message in names::long_subdomain(part) {
                self.errors.invalid(
                    CODE,
                    path,
                    Bad::Str(part),
                    &format!("segment {index}: {message}"),
                );
            }
        }
    }

    /// Validates the status of a pool. The generated rules skip unchanged fields. Where those of every kind answer, this one's
    /// are in the same table.
    fn pool_status(
        &mut self,
        status: ResourcePoolStatusRequestStatus<'_>,
        stored: Option<ResourcePoolStatusRequestStatus<'_>>,
        path: &Path<'_>,
    ) {
        if self.v.generated_answers {
            return;
        }
        if changed(
            status.pool_count_slot(),
            stored.map(ResourcePoolStatusRequestStatus::pool_count_slot),
        ) {
            match status.pool_count() {
                None => self.errors.required(CODE, &path.field("poolCount"), ""),
                Some(count) => self.at_least(count, 0, &path.field("poolCount")),
            }
        }
        if changed(status.pools().slot(), stored.map(|old| old.pools().slot())) {
            self.list(status.pools(), &path.field("pools"), Self::pool_state);
        }
        let conditions = status.conditions();
        if !changed(conditions.slot(), stored.map(|old| old.conditions().slot())) {
            return;
        }
        let path = path.field("conditions");
        if let Some(max) = self
            .limit(conditions.slot())
            .filter(|max| conditions.len() > *max)
        {
            return self
                .errors
                .too_many(Code::ListTooLong, &path, conditions.len(), max);
        }
        let mut seen = BTreeSet::new();
        for (index, condition) in conditions.iter().enumerate() {
            if !seen.insert(condition.kind()) {
                self.errors.duplicate(
                    Code::ConditionInvalid,
                    &path.index(index),
                    Bad::record(condition.record()),
                );
            }
        }
    }

    fn at_least(&mut self, value: i64, least: i64, path: &Path<'_>) {
        if value < least {
            let detail = format!("must be greater than or equal to {least}");
            self.errors.invalid(CODE, path, Bad::Int(value), &detail);
        }
    }

    fn pool_state(&mut self, pool: PoolStatus<'_>, path: &Path<'_>) {
        self.caseless_driver(pool.driver(), &path.field("driver"));
        let name = pool.pool_name();
        if name.is_empty() {
            self.errors.required(CODE, &path.field("poolName"), "");
        } else {
            self.segments(name, &path.field("poolName"));
        }
        match pool.generation() {
            0 => self.errors.required(CODE, &path.field("generation"), ""),
            generation => self.at_least(generation, 0, &path.field("generation")),
        }
        for (name, count, least) in [
            ("resourceSliceCount", pool.resource_slice_count(), 1),
            ("totalDevices", pool.total_devices(), 0),
            ("allocatedDevices", pool.allocated_devices(), 0),
            ("availableDevices", pool.available_devices(), 0),
            ("unavailableDevices", pool.unavailable_devices(), 0),
        ] {
            if let Some(count) = count {
                self.at_least(count, least, &path.field(name));
            }
        }
        if let Some(value) = pool.node_name() {
            self.errors.malformed(
                CODE,
                &path.field("nodeName"),
                value,
                &names::long_subdomain(value),
            );
        }
        if let Some(value) = pool.validation_error()
            && let Some(max) = self
                .limit(pool.validation_error_slot())
                .filter(|max| value.len() > *max)
        {
            self.errors
                .too_long(CODE, &path.field("validationError"), max);
        }
    }
}

fn changed(new: Slot<'_>, old: Option<Slot<'_>>) -> bool {
    old.is_none_or(|old| !immutable::same_field(new, old))
}
