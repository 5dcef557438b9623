//! The status of a ResourceClaim.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateResourceClaimStatusUpdate`.

use super::judge::{Age, Judge};
use super::values::{Requests, canonical_cidr};
use super::variant::{Addresses, DeviceId};
use crate::finding::{Code, Path};
use crate::record::view::Object;
use crate::record::{Record, Value};
use crate::rules::context::Context;
use crate::rules::errors::{Bad, Errors};
use crate::rules::immutable;
use crate::rules::{metadata, node_selector};
use claimkit_values::order;
use std::collections::BTreeSet;

const SOURCES: &[&str] = &["FromClaim", "FromClass"];

/// Validates an update of the status.
pub fn update(new: &Record<'_>, old: &Record<'_>, context: &Context, errors: &mut Errors) {
    let (new_meta, old_meta) = (Object::new(new).metadata(), Object::new(old).metadata());
    metadata::update(new_meta, old_meta, errors);
    let Some(status) = new.record("status") else { return };
    let zero = Record::empty(status.schema);
    let stored = old.record("status").unwrap_or(&zero);
    let root = Path::ROOT;
    let path = root.field("status");
    let mut judge = Judge::new(context, errors);
    let known = judge.requests(new.record("spec").and_then(|spec| spec.record("devices")));
    let (allocation, stored_allocation) = (status.record("allocation"), stored.record("allocation"));
    let allocation_path = path.field("allocation");
    if let Some(allocation) = allocation.filter(|_| judge.v.allocation_always) {
        judge.allocation(allocation, &known, &allocation_path);
    }
    judge.reserved_for(status, &path.field("reservedFor"));
    if judge.has_field(status, "devices") {
        judge.device_statuses(status, allocation, &path.field("devices"));
    }
    judge.reservations(status, stored, new_meta.deletion_timestamp().is_some(), &path.field("reservedFor"));
    if let (Some(new), Some(old)) = (allocation, stored_allocation) {
        immutable::record(Code::AllocationImmutable, &allocation_path, new, old, judge.errors);
    } else if let Some(allocation) = allocation.filter(|_| !judge.v.allocation_always) {
        judge.allocation(allocation, &known, &allocation_path);
    }
    if judge.v.controllers {
        judge.deallocation(status, stored, &path);
    }
}

/// Reports admin access in a new result if no result had it before.
pub fn admin_access(new: &Record<'_>, old: &Record<'_>, label: &str, errors: &mut Errors) {
    let asks = |object: &Record<'_>| {
        let devices = object.record("status").and_then(|status| status.record("allocation")?.record("devices").cloned());
        devices.and_then(|devices| devices.records("results").position(|result| result.bool("adminAccess")))
    };
    let (None, Some(index)) = (asks(old), asks(new)) else { return };
    let root = Path::ROOT;
    let status = root.field("status");
    let allocation = status.field("allocation");
    let devices = allocation.field("devices");
    let results = devices.field("results");
    let item = results.index(index);
    errors.forbidden(Code::AdminAccessForbidden, &item.field("adminAccess"), &super::claim::no_label(label));
}

impl Judge<'_> {
    fn reserved_for(&mut self, status: &Record<'_>, path: &Path<'_>) {
        let compare = self.list(status, "reservedFor", path, |judge, item, path| {
            let Some(consumer) = item.as_record() else { return };
            for name in ["resource", "name", "uid"] {
                if consumer.str(name).is_empty() {
                    judge.errors.required(Code::ReservedForIncomplete, &path.field(name), "");
                }
            }
        });
        if compare {
            let uids = status.records("reservedFor").map(|consumer| consumer.str("uid"));
            self.unique(uids, Some("uid"), path, Bad::Named);
        }
    }

    /// Checks whether the claim may be reserved, and whether new consumers may be added.
    fn reservations(&mut self, status: &Record<'_>, stored: &Record<'_>, deleted: bool, path: &Path<'_>) {
        if status.list("reservedFor").is_empty() {
            return;
        }
        if !status.has("allocation") {
            let detail = "may not be specified when `allocated` is not set";
            return self.errors.forbidden(Code::ReservedForNotAllocated, path, detail);
        }
        let going = deleted || (self.v.controllers && status.bool("deallocationRequested"));
        if !going {
            return;
        }
        let is_new = |one: &Record<'_>| !stored.records("reservedFor").any(|old| immutable::same_record(one, old));
        if status.records("reservedFor").any(is_new) {
            let detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
            self.errors.forbidden(Code::ReservedForAdded, path, detail);
        }
    }

    fn deallocation(&mut self, status: &Record<'_>, stored: &Record<'_>, path: &Path<'_>) {
        let (requested, before) = (status.bool("deallocationRequested"), stored.bool("deallocationRequested"));
        let place = path.field("deallocationRequested");
        if !before && requested && !status.list("reservedFor").is_empty() {
            let detail = "deallocation cannot be requested while `reservedFor` is set";
            self.errors.forbidden(Code::DeallocationInUse, &place, detail);
        }
        if requested && !status.has("allocation") {
            let detail = "`allocation` must be set when `deallocationRequested` is set";
            self.errors.forbidden(Code::DeallocationNotAllocated, path, detail);
        }
        if before && !requested && status.has("allocation") {
            let detail = "may not be cleared when `allocation` is set";
            self.errors.forbidden(Code::DeallocationCleared, &place, detail);
        }
    }

    fn allocation(&mut self, allocation: &Record<'_>, known: &Requests, path: &Path<'_>) {
        if let Some(devices) = allocation.record("devices") {
            let path = path.field("devices");
            self.list(devices, "results", &path.field("results"), |judge, item, path| {
                if let Some(result) = item.as_record() {
                    judge.result(result, known, path);
                }
            });
            self.list(devices, "config", &path.field("config"), |judge, item, path| {
                if let Some(config) = item.as_record() {
                    judge.allocated_config(config, known, path);
                }
            });
        }
        if let Some(selector) = allocation.record("nodeSelector") {
            let values = self.v.node_selector_values;
            node_selector::validate_record(selector, values, &path.field("nodeSelector"), self.errors);
        }
        if self.v.controllers && !allocation.str("controller").is_empty() {
            self.driver_name(allocation.str("controller"), &path.field("controller"));
        }
    }

    fn result(&mut self, result: &Record<'_>, known: &Requests, path: &Path<'_>) {
        self.request_name(result.str("request"), known, &path.field("request"));
        self.driver_name(result.str("driver"), &path.field("driver"));
        self.pool_name(result.str("pool"), &path.field("pool"));
        self.label(Code::DeviceNameInvalid, result.str("device"), &path.field("device"));
        if self.has_field(result, "bindingConditions") {
            self.binding_conditions(result, path);
        }
        if self.has_field(result, "shareID") && result.has("shareID") {
            self.share_id(result.str("shareID"), &path.field("shareID"));
        }
        if self.v.result_tolerations {
            let path = path.field("tolerations");
            for (index, toleration) in result.records("tolerations").enumerate() {
                self.toleration(toleration, &path.index(index));
            }
        }
        if self.has_field(result, "skipNodeOperations") {
            self.skipped_operations(result, path);
        }
    }

    /// Checks that preparing a device on its node is only left out together with undoing that.
    pub fn skipped_operations(&mut self, record: &Record<'_>, path: &Path<'_>) {
        let skips = |name: &str| record.list("skipNodeOperations").iter().any(|item| item.as_str() == name);
        if skips("NodePrepareResources") && !skips("NodeUnprepareResources") && !skips("*") {
            let detail = "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped";
            let value = Bad::field(record, "skipNodeOperations");
            self.errors.invalid(Code::SkippedOperationsInvalid, &path.field("skipNodeOperations"), value, detail);
        }
    }

    fn allocated_config(&mut self, config: &Record<'_>, known: &Requests, path: &Path<'_>) {
        let source = config.str("source");
        let code = Code::ConfigSourceInvalid;
        if source.is_empty() {
            self.errors.required(code, &path.field("source"), "");
        } else if !SOURCES.contains(&source) {
            self.errors.not_supported(code, &path.field("source"), source, SOURCES);
        }
        self.request_names(config, known, path);
        self.configuration(config, Age::New, path);
    }

    /// Validates the two lists of conditions of a device: at most four each, without repetition, both or none.
    pub fn binding_conditions(&mut self, record: &Record<'_>, path: &Path<'_>) {
        let code = Code::BindingConditionsInvalid;
        let wording = self.errors.wording();
        let names = ["bindingConditions", "bindingFailureConditions"];
        for name in names {
            self.list(record, name, &path.field(name), |judge, item, path| {
                let value = item.as_str();
                judge.errors.malformed(code, path, value, &crate::names::qualified_name_in(value, wording));
            });
        }
        let [conditions, failures] = names.map(|name| record.list(name));
        let [path_of_conditions, path_of_failures] = [path.field("bindingConditions"), path.field("bindingFailureConditions")];
        let mut seen = BTreeSet::new();
        for (index, item) in conditions.iter().enumerate() {
            if !seen.insert(item.as_str()) {
                self.errors.duplicate(code, &path_of_conditions.index(index), Bad::Str(item.as_str()));
            }
        }
        let mut failed = BTreeSet::new();
        for (index, item) in failures.iter().enumerate() {
            let (path, value) = (path_of_failures.index(index), item.as_str());
            if !failed.insert(value) {
                self.errors.duplicate(code, &path, Bad::Str(value));
            }
            if seen.contains(value) {
                let detail = "bindingFailureConditions must not overlap with bindingConditions";
                self.errors.invalid(code, &path, Bad::Str(value), detail);
            }
        }
        if conditions.is_empty() && !failures.is_empty() {
            let detail = "bindingConditions are required to use bindingFailureConditions";
            self.errors.invalid(code, &path_of_conditions, Bad::field(record, "bindingConditions"), detail);
        }
        if failures.is_empty() && !conditions.is_empty() {
            let detail = "bindingFailureConditions are required to use bindingConditions";
            self.errors.invalid(code, &path_of_failures, Bad::field(record, "bindingFailureConditions"), detail);
        }
    }

    fn device_statuses(&mut self, status: &Record<'_>, allocation: Option<&Record<'_>>, path: &Path<'_>) {
        let devices = allocation.and_then(|allocation| allocation.record("devices"));
        let results = devices.iter().flat_map(|devices| devices.records("results"));
        let allocated = order::set(results.map(|result| Device::of(result).key()));
        let compare = self.list(status, "devices", path, |judge, item, path| {
            if let Some(device) = item.as_record() {
                judge.device_status(device, &allocated, path);
            }
        });
        if !compare {
            return;
        }
        let mut seen = BTreeSet::new();
        for (index, device) in status.records("devices").enumerate() {
            let device = Device::of(device);
            if seen.insert(device.key()) {
                continue;
            }
            let item = path.index(index);
            let shown = Bad::Syntax(self.shown(&device));
            if self.v.duplicate_names_key {
                self.errors.duplicate(Code::DuplicateItem, &item.field_named("deviceID", "device"), shown);
            } else {
                self.errors.duplicate(Code::DuplicateItem, &item, shown);
            }
        }
    }

    fn device_status(&mut self, device: &Record<'_>, allocated: &BTreeSet<[&str; 4]>, path: &Path<'_>) {
        self.driver_name(device.str("driver"), &path.field("driver"));
        self.pool_name(device.str("pool"), &path.field("pool"));
        self.label(Code::DeviceNameInvalid, device.str("device"), &path.field("device"));
        if self.has_field(device, "shareID") && device.has("shareID") {
            self.share_id(device.str("shareID"), &path.field("shareID"));
        }
        let id = Device::of(device);
        if !allocated.contains(&id.key()) {
            let detail = "must be an allocated device in the claim";
            let shown = Bad::Syntax(self.shown(&id));
            self.errors.invalid(Code::DeviceNotAllocated, path, shown, detail);
        }
        let conditions = path.field("conditions");
        let count = device.list("conditions").len();
        if let Some(max) = self.limit(device, "conditions").filter(|max| count > *max) {
            self.errors.too_many(Code::ListTooLong, &conditions, count, max);
        }
        self.conditions(device.list("conditions"), &conditions);
        if device.has("data") && !device.str("data").is_empty() {
            self.raw_object(device, "data", Age::New, &path.field("data"));
        }
        if let Some(network) = device.record("networkData") {
            self.network(network, &path.field("networkData"));
        }
    }

    fn network(&mut self, network: &Record<'_>, path: &Path<'_>) {
        for name in ["interfaceName", "hardwareAddress"] {
            if let Some(max) = self.limit(network, name).filter(|max| network.str(name).len() > *max) {
                self.errors.too_long_bytes(Code::NetworkDataInvalid, &path.field(name), max);
            }
        }
        let path = path.field("ips");
        let compare = self.list(network, "ips", &path, |judge, item, path| judge.address(item.as_str(), path));
        if !compare {
            return;
        }
        let canonical = self.v.addresses == Addresses::Sloppy;
        let key = |item: &Value<'_>| {
            let text = item.as_str();
            canonical.then(|| canonical_cidr(text)).flatten().unwrap_or_else(|| text.to_owned())
        };
        let keys: Vec<String> = network.list("ips").iter().map(key).collect();
        self.unique(keys.iter().map(String::as_str), None, &path, Bad::Str);
    }

    /// Returns the name of a device in messages.
    fn shown(&self, device: &Device<'_>) -> String {
        let Device { driver, pool, device, share } = device;
        match self.v.device_id {
            DeviceId::Path => format!("{driver}/{pool}/{device}"),
            DeviceId::Nameless => r#"{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}"#.to_owned(),
            DeviceId::Json => {
                let [driver, pool, device, share] = [driver, pool, device, share].map(|text| crate::go::json_quote(text));
                format!(r#"{{"Driver":{driver},"Pool":{pool},"Device":{device},"ShareID":{share}}}"#)
            }
        }
    }
}

/// The identity of an allocated device.
struct Device<'r> {
    driver: &'r str,
    pool: &'r str,
    device: &'r str,
    share: &'r str,
}

impl<'r> Device<'r> {
    fn of(record: &'r Record<'r>) -> Self {
        let [driver, pool, device, share] = ["driver", "pool", "device", "shareID"].map(|name| record.str(name));
        Device { driver, pool, device, share }
    }

    fn key(&self) -> [&'r str; 4] {
        [self.driver, self.pool, self.device, self.share]
    }
}
