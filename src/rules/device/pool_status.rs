//! ResourcePoolStatusRequest: the one kind whose generated rules are enforced.
//!
//! Source: `pkg/registry/resource/resourcepoolstatusrequest/strategy.go` and the generated validation of 1.36.

use super::judge::Judge;
use crate::api::Scope;
use crate::finding::{Code, Path};
use crate::names;
use crate::record::view::Object;
use crate::record::{Record, Value};
use crate::rules::context::Context;
use crate::rules::errors::{Bad, Errors};
use crate::rules::{immutable, metadata};
use std::collections::BTreeSet;

const CODE: Code = Code::PoolStatusInvalid;
const SUBDOMAIN_MAX: usize = 253;
const LIMIT_MAX: i64 = 1000;
const CASELESS: &str = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'Example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// Validates a new request.
pub fn create(request: &Record<'_>, context: &Context, errors: &mut Errors) {
    let start = errors.len();
    metadata::create(Object::new(request).metadata(), Scope::Cluster, context.rules, errors);
    errors.once_from(start);
    if let Some(spec) = request.record("spec") {
        Judge::new(context, errors).pool_request(spec, &Path::ROOT.field("spec"));
    }
}

/// Validates a changed request: nothing of its spec may change.
pub fn update(new: &Record<'_>, old: &Record<'_>, errors: &mut Errors) {
    let start = errors.len();
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    errors.once_from(start);
    let same = immutable::same_field(new, old, "spec");
    if !same {
        errors.invalid(CODE, &Path::ROOT.field("spec"), Bad::Null, immutable::MESSAGE);
    }
}

/// Validates a changed status: written once.
pub fn update_status(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    let start = errors.len();
    metadata::update(Object::new(new).metadata(), Object::new(old).metadata(), errors);
    let root = Path::ROOT;
    let path = root.field("status");
    let same = immutable::same_field(new, old, "status");
    if old.has("status") {
        if !same {
            let value = new.record("status").map_or(Bad::Null, Bad::Record);
            errors.invalid(CODE, &path, value, immutable::MESSAGE);
        }
    } else if let Some(status) = new.record("status") {
        Judge::new(context, errors).conditions(status.list("conditions"), &path.field("conditions"));
    }
    errors.once_from(start);
    if let Some(status) = new.record("status").filter(|_| !same) {
        Judge::new(context, errors).pool_status(status, old.record("status"), &path);
    }
}

impl Judge<'_> {
    fn pool_request(&mut self, spec: &Record<'_>, path: &Path<'_>) {
        if self.v.generated_answers {
            return;
        }
        self.caseless_driver(spec.str("driver"), &path.field("driver"));
        if spec.has("poolName") {
            self.segments(spec.str("poolName"), &path.field("poolName"));
        }
        if let Some(limit) = spec.int("limit") {
            let path = path.field("limit");
            if limit > LIMIT_MAX {
                self.errors.invalid(CODE, &path, Bad::Int(limit), "must be less than or equal to 1000");
            }
            if limit < 1 {
                self.errors.invalid(CODE, &path, Bad::Int(limit), "must be greater than or equal to 1");
            }
        }
    }

    fn caseless_driver(&mut self, value: &str, path: &Path<'_>) {
        if value.is_empty() {
            return self.errors.required(CODE, path, "");
        }
        if value.len() > SUBDOMAIN_MAX {
            self.errors.invalid(CODE, path, Bad::Str(value), "must be no more than 253 bytes");
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
                self.errors.invalid(CODE, path, Bad::Str(part), &format!("segment {index}: {message}"));
            }
        }
    }

    /// Validates the status of a pool. The generated rules skip unchanged fields. Where those of every kind answer, this one's
    /// are in the same table.
    fn pool_status(&mut self, status: &Record<'_>, stored: Option<&Record<'_>>, path: &Path<'_>) {
        if self.v.generated_answers {
            return;
        }
        let changed = |name: &str| stored.is_none_or(|stored| !immutable::same_field(status, stored, name));
        if changed("poolCount") {
            match status.int("poolCount") {
                None => self.errors.required(CODE, &path.field("poolCount"), ""),
                Some(count) => self.at_least(count, 0, &path.field("poolCount")),
            }
        }
        if changed("pools") {
            self.list(status, "pools", &path.field("pools"), |judge, item, path| {
                if let Some(pool) = item.as_record() {
                    judge.pool_state(pool, path);
                }
            });
        }
        if !changed("conditions") {
            return;
        }
        let conditions = status.list("conditions");
        let path = path.field("conditions");
        if let Some(max) = self.limit(status, "conditions").filter(|max| conditions.len() > *max) {
            return self.errors.too_many(Code::ListTooLong, &path, conditions.len(), max);
        }
        let mut seen = BTreeSet::new();
        for (index, condition) in conditions.iter().filter_map(Value::as_record).enumerate() {
            if !seen.insert(condition.str("type")) {
                self.errors.duplicate(Code::ConditionInvalid, &path.index(index), Bad::Record(condition));
            }
        }
    }

    fn at_least(&mut self, value: i64, least: i64, path: &Path<'_>) {
        if value < least {
            let detail = format!("must be greater than or equal to {least}");
            self.errors.invalid(CODE, path, Bad::Int(value), &detail);
        }
    }

    fn pool_state(&mut self, pool: &Record<'_>, path: &Path<'_>) {
        self.caseless_driver(pool.str("driver"), &path.field("driver"));
        let name = pool.str("poolName");
        if name.is_empty() {
            self.errors.required(CODE, &path.field("poolName"), "");
        } else {
            self.segments(name, &path.field("poolName"));
        }
        match pool.int("generation").unwrap_or(0) {
            0 => self.errors.required(CODE, &path.field("generation"), ""),
            generation => self.at_least(generation, 0, &path.field("generation")),
        }
        for (name, least) in [
            ("resourceSliceCount", 1),
            ("totalDevices", 0),
            ("allocatedDevices", 0),
            ("availableDevices", 0),
            ("unavailableDevices", 0),
        ] {
            if let Some(count) = pool.int(name) {
                self.at_least(count, least, &path.field(name));
            }
        }
        if pool.has("nodeName") {
            let value = pool.str("nodeName");
            self.errors.malformed(CODE, &path.field("nodeName"), value, &names::long_subdomain(value));
        }
        if pool.has("validationError") {
            let value = pool.str("validationError");
            if let Some(max) = self.limit(pool, "validationError").filter(|max| value.len() > *max) {
                self.errors.too_long(CODE, &path.field("validationError"), max);
            }
        }
    }
}
