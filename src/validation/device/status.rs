//! The status of a ResourceClaim.
//!
//! Source: `pkg/apis/resource/validation/validation.go`, `ValidateResourceClaimStatusUpdate`.

use super::judge::{Age, Judge};
use super::values::{RequestNames, canonical_cidr};
use super::variant::{Addresses, DeviceId};
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::{immutable, metadata, node_selector, reserved};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::view::device::{
    AllocatedDeviceStatus, AllocationResult, DeviceConfiguration, DeviceKey,
    DeviceRequestAllocationResult, NetworkDeviceData, ResourceClaim,
    ResourceClaimConsumerReference, ResourceClaimStatus,
};
use claimkit_model::object::view::{List, Strings};
use claimkit_values::order;
use std::collections::BTreeSet;

const SOURCES: &[&str] = &["FromClaim", "FromClass"];

/// Validates an update of the status.
pub fn update(
    new: ResourceClaim<'_>,
    old: ResourceClaim<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let (status, stored) = (new.status(), old.status());
    let root = Path::ROOT;
    let path = root.field("status");
    let mut judge = Judge::new(context, errors);
    let known = judge.requests(new.spec().devices());
    let allocation = status.allocation();
    let allocation_path = path.field("allocation");
    if let Some(allocation) = allocation.filter(|_| judge.v.allocation_always) {
        judge.allocation(allocation, &known, &allocation_path);
    }
    judge.reserved_for(status.reserved_for(), &path.field("reservedFor"));
    if judge.knows(status.devices().slot()) {
        judge.device_statuses(status, &path.field("devices"));
    }
    let deleted = new.metadata().deletion_timestamp().is_some();
    judge.reservations(status, stored, deleted, &path.field("reservedFor"));
    let records = allocation
        .and_then(AllocationResult::record)
        .zip(stored.allocation().and_then(AllocationResult::record));
    if let Some((new, old)) = records {
        immutable::record(
            Code::AllocationImmutable,
            &allocation_path,
            new,
            old,
            judge.errors,
        );
    } else if let Some(allocation) = allocation.filter(|_| !judge.v.allocation_always) {
        judge.allocation(allocation, &known, &allocation_path);
    }
    if judge.v.controllers {
        judge.deallocation(status, stored, &path);
    }
}

/// Reports admin access in a new result if no result had it before.
pub fn admin_access(
    new: ResourceClaim<'_>,
    old: ResourceClaim<'_>,
    label: &str,
    errors: &mut Errors,
) {
    let (None, Some(index)) = (first_with_admin_access(old), first_with_admin_access(new)) else {
        return;
    };
    let root = Path::ROOT;
    let status = root.field("status");
    let allocation = status.field("allocation");
    let devices = allocation.field("devices");
    let results = devices.field("results");
    let item = results.index(index);
    errors.forbidden(
        Code::AdminAccessForbidden,
        &item.field("adminAccess"),
        &super::claim::no_label(label),
    );
}

impl Judge<'_> {
    fn reserved_for(
        &mut self,
        consumers: List<'_, ResourceClaimConsumerReference<'_>>,
        path: &Path<'_>,
    ) {
        let may_check_duplicates = self.list(consumers, path, |judge, consumer, path| {
            for (name, value) in [
                ("resource", consumer.resource()),
                ("name", consumer.name()),
                ("uid", consumer.uid()),
            ] {
                if value.is_empty() {
                    judge
                        .errors
                        .required(Code::ReservedForIncomplete, &path.field(name), "");
                }
            }
        });
        if may_check_duplicates {
            self.unique(
                consumers.iter().map(ResourceClaimConsumerReference::uid),
                Some("uid"),
                path,
                Bad::Named,
            );
        }
    }

    /// Checks whether the claim may be reserved, and whether new consumers may be added.
    fn reservations(
        &mut self,
        status: ResourceClaimStatus<'_>,
        stored: ResourceClaimStatus<'_>,
        deleted: bool,
        path: &Path<'_>,
    ) {
        if status.reserved_for().is_empty() {
            return;
        }
        if status.allocation().is_none() {
            let detail = reserved::NOT_ALLOCATED;
            return self
                .errors
                .forbidden(Code::ReservedForNotAllocated, path, detail);
        }
        let going = deleted || (self.v.controllers && status.deallocation_requested());
        if !going {
            return;
        }
        let were_there = status.reserved_for().iter().all(|consumer| {
            stored.reserved_for().iter().any(|old| {
                consumer
                    .record()
                    .zip(old.record())
                    .is_some_and(|(new, old)| immutable::same_record(new, old))
            })
        });
        if !were_there {
            let detail = reserved::ADDED_WHILE_GOING;
            self.errors.forbidden(Code::ReservedForAdded, path, detail);
        }
    }

    fn deallocation(
        &mut self,
        status: ResourceClaimStatus<'_>,
        stored: ResourceClaimStatus<'_>,
        path: &Path<'_>,
    ) {
        let (requested, before) = (
            status.deallocation_requested(),
            stored.deallocation_requested(),
        );
        let place = path.field("deallocationRequested");
        if !before && requested && !status.reserved_for().is_empty() {
            let detail = reserved::DEALLOCATION_IN_USE;
            self.errors
                .forbidden(Code::DeallocationInUse, &place, detail);
        }
        if requested && status.allocation().is_none() {
            let detail = "`allocation` must be set when `deallocationRequested` is set";
            self.errors
                .forbidden(Code::DeallocationNotAllocated, path, detail);
        }
        if before && !requested && status.allocation().is_some() {
            let detail = "may not be cleared when `allocation` is set";
            self.errors
                .forbidden(Code::DeallocationCleared, &place, detail);
        }
    }

    fn allocation(
        &mut self,
        allocation: AllocationResult<'_>,
        known: &RequestNames,
        path: &Path<'_>,
    ) {
        let devices = allocation.devices();
        let place = path.field("devices");
        self.list(
            devices.results(),
            &place.field("results"),
            |judge, result, path| judge.result(result, known, path),
        );
        self.list(
            devices.config(),
            &place.field("config"),
            |judge, config, path| {
                judge.allocated_config(config, known, path);
            },
        );
        if let Some(selector) = allocation.node_selector() {
            let values = self.v.node_selector_values;
            node_selector::validate_all(selector, values, &path.field("nodeSelector"), self.errors);
        }
        if self.v.controllers && !allocation.controller().is_empty() {
            self.driver_name(allocation.controller(), &path.field("controller"));
        }
    }

    fn result(
        &mut self,
        result: DeviceRequestAllocationResult<'_>,
        known: &RequestNames,
        path: &Path<'_>,
    ) {
        self.request_name(result.request(), known, &path.field("request"));
        self.driver_name(result.driver(), &path.field("driver"));
        self.pool_name(result.pool(), &path.field("pool"));
        self.label(
            Code::DeviceNameInvalid,
            result.device(),
            &path.field("device"),
        );
        self.binding_conditions(
            result.binding_conditions(),
            result.binding_failure_conditions(),
            path,
        );
        if let Some(id) = result
            .share_id()
            .filter(|_| self.knows(result.share_id_slot()))
        {
            self.share_id(id, &path.field("shareID"));
        }
        if self.v.result_tolerations {
            self.tolerations(result.tolerations(), path);
        }
        self.skipped_operations(result.skip_node_operations(), path);
        if self.v.capacity_names {
            self.capacity_names(
                result.consumed_capacity_slot(),
                &path.field("consumedCapacity"),
            );
        }
    }

    /// Checks that preparing a device on its node is only left out together with undoing that.
    pub fn skipped_operations(&mut self, skipped: Strings<'_>, path: &Path<'_>) {
        if self.knows(skipped.slot())
            && skipped.contains("NodePrepareResources")
            && !skipped.contains("NodeUnprepareResources")
            && !skipped.contains("*")
        {
            let detail = "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped";
            let value = Bad::field(skipped.slot());
            self.errors.invalid(
                Code::SkippedOperationsInvalid,
                &path.field("skipNodeOperations"),
                value,
                detail,
            );
        }
    }

    fn allocated_config(
        &mut self,
        config: DeviceConfiguration<'_>,
        known: &RequestNames,
        path: &Path<'_>,
    ) {
        let source = config.source();
        let code = Code::ConfigSourceInvalid;
        if source.is_empty() {
            self.errors.required(code, &path.field("source"), "");
        } else if !SOURCES.contains(&source) {
            self.errors
                .not_supported(code, &path.field("source"), source, SOURCES);
        }
        self.request_names(config.requests(), known, path);
        self.configuration(config, Age::New, path);
    }

    /// Validates the two lists of conditions of a device: at most four each, without repetition, both or none.
    pub fn binding_conditions<'r>(
        &mut self,
        conditions: Strings<'r>,
        failures: Strings<'r>,
        path: &Path<'_>,
    ) {
        if !self.knows(conditions.slot()) {
            return;
        }
        let code = Code::BindingConditionsInvalid;
        let wording = self.errors.wording();
        let [path_of_conditions, path_of_failures] = [
            path.field("bindingConditions"),
            path.field("bindingFailureConditions"),
        ];
        for (list, path) in [
            (conditions, &path_of_conditions),
            (failures, &path_of_failures),
        ] {
            self.list(list, path, |judge, value, path| {
                judge.errors.malformed(
                    code,
                    path,
                    value,
                    &claimkit_values::names::qualified_name_in(value, wording),
                );
            });
        }
        let mut seen = BTreeSet::new();
        for (index, value) in conditions.iter().enumerate() {
            if !seen.insert(value) {
                self.errors
                    .duplicate(code, &path_of_conditions.index(index), Bad::Str(value));
            }
        }
        let mut failed = BTreeSet::new();
        for (index, value) in failures.iter().enumerate() {
            let path = path_of_failures.index(index);
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
            self.errors.invalid(
                code,
                &path_of_conditions,
                Bad::field(conditions.slot()),
                detail,
            );
        }
        if failures.is_empty() && !conditions.is_empty() {
            let detail = "bindingFailureConditions are required to use bindingConditions";
            self.errors
                .invalid(code, &path_of_failures, Bad::field(failures.slot()), detail);
        }
    }

    fn device_statuses(&mut self, status: ResourceClaimStatus<'_>, path: &Path<'_>) {
        let results = status
            .allocation()
            .into_iter()
            .flat_map(|allocation| allocation.devices().results().iter());
        let allocated = order::set(results.map(DeviceRequestAllocationResult::id));
        let may_check_duplicates = self.list(status.devices(), path, |judge, device, path| {
            judge.device_status(device, &allocated, path);
        });
        if !may_check_duplicates {
            return;
        }
        let mut seen = BTreeSet::new();
        for (index, device) in status
            .devices()
            .iter()
            .map(AllocatedDeviceStatus::id)
            .enumerate()
        {
            if seen.insert(device) {
                continue;
            }
            let item = path.index(index);
            let shown = Bad::Syntax(self.shown(device));
            if self.v.duplicate_names_key {
                self.errors.duplicate(
                    Code::DuplicateItem,
                    &item.field_named("deviceID", "device"),
                    shown,
                );
            } else {
                self.errors.duplicate(Code::DuplicateItem, &item, shown);
            }
        }
    }

    fn device_status(
        &mut self,
        device: AllocatedDeviceStatus<'_>,
        allocated: &BTreeSet<DeviceKey<'_>>,
        path: &Path<'_>,
    ) {
        self.driver_name(device.driver(), &path.field("driver"));
        self.pool_name(device.pool(), &path.field("pool"));
        self.label(
            Code::DeviceNameInvalid,
            device.device(),
            &path.field("device"),
        );
        if let Some(id) = device
            .share_id()
            .filter(|_| self.knows(device.share_id_slot()))
        {
            self.share_id(id, &path.field("shareID"));
        }
        if !allocated.contains(&device.id()) {
            let detail = "must be an allocated device in the claim";
            let shown = Bad::Syntax(self.shown(device.id()));
            self.errors
                .invalid(Code::DeviceNotAllocated, path, shown, detail);
        }
        let conditions = path.field("conditions");
        let count = device.conditions().len();
        if let Some(max) = self
            .limit(device.conditions().slot())
            .filter(|max| count > *max)
        {
            self.errors
                .too_many(Code::ListTooLong, &conditions, count, max);
        }
        self.conditions(device.conditions(), &conditions);
        let data = device.data().value().as_str();
        if !data.is_empty() {
            self.raw_object(device.data(), Age::New, &path.field("data"));
        }
        if let Some(network) = device.network_data() {
            self.network(network, &path.field("networkData"));
        }
    }

    fn network(&mut self, network: NetworkDeviceData<'_>, path: &Path<'_>) {
        for (name, slot) in [
            ("interfaceName", network.interface_name()),
            ("hardwareAddress", network.hardware_address()),
        ] {
            let length = slot.value().as_str().len();
            if let Some(max) = self.limit(slot).filter(|max| length > *max) {
                self.errors
                    .too_long_bytes(Code::NetworkDataInvalid, &path.field(name), max);
            }
        }
        let list = path.field("ips");
        let may_check_duplicates = self.list(network.ips(), &list, Self::address);
        if !may_check_duplicates {
            return;
        }
        let mut keys: Vec<String> = network.ips().iter().map(str::to_owned).collect();
        if self.v.addresses == Addresses::Sloppy {
            for key in &mut keys {
                if let Some(canonical) = canonical_cidr(key) {
                    *key = canonical;
                }
            }
        }
        self.unique(keys.iter().map(String::as_str), None, &list, Bad::Str);
    }

    /// Returns the name of a device in messages.
    fn shown(&self, [driver, pool, device, share]: DeviceKey<'_>) -> String {
        match self.v.device_id {
            DeviceId::Path => format!("{driver}/{pool}/{device}"),
            DeviceId::Nameless => r#"{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}"#.to_owned(),
            DeviceId::Json => {
                let [driver, pool, device, share] =
                    [driver, pool, device, share].map(claimkit_values::json_quote);
                format!(
                    r#"{{"Driver":{driver},"Pool":{pool},"Device":{device},"ShareID":{share}}}"#
                )
            }
        }
    }
}

/// Returns the first result of an allocation with administrative access.
fn first_with_admin_access(claim: ResourceClaim<'_>) -> Option<usize> {
    let allocation = claim.status().allocation()?;
    let mut results = allocation.devices().results().iter();
    results.position(DeviceRequestAllocationResult::admin_access)
}
