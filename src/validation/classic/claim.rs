//! ResourceClaim: create, update, status update (kube-apiserver, pkg/apis/resource/validation/validation.go,
//! `ValidateClaim`, `ValidateClaimUpdate`, `ValidateClaimStatusUpdate`).

use crate::validation::classic::structured;
use crate::validation::context::Context;
use crate::validation::errors::{Bad, Errors};
use crate::validation::fields::driver_name;
use crate::validation::{immutable, metadata, node_selector, reserved};
use claimkit_model::finding::{Code, Path};
use claimkit_model::object::go_syntax::go_syntax_of;
use claimkit_model::object::view::{
    AllocationResult, List, ResourceClaim, ResourceClaimConsumerReference, ResourceClaimSpec,
    ResourceClaimStatus,
};
use claimkit_model::schema::Scope;
use claimkit_values::names;
use claimkit_values::order;
use std::collections::BTreeSet;

const DATA_MAX: usize = 16 * 1024;
const HANDLES_MAX: usize = 32;
const RESERVED_FOR_MAX: usize = 32;
/// In the order the server lists them.
const ALLOCATION_MODES: &[&str] = &["Immediate", "WaitForFirstConsumer"];

/// Validates a new claim. Its status was dropped before validation.
pub fn create(claim: ResourceClaim<'_>, context: &Context, errors: &mut Errors) {
    metadata::create(claim.metadata(), Scope::Namespaced, context.rules, errors);
    spec(claim.spec(), &Path::ROOT.field("spec"), errors);
}

/// Validates the spec of a claim or of a template's claims.
pub fn spec(spec: ResourceClaimSpec<'_>, path: &Path<'_>, errors: &mut Errors) {
    let class = spec.resource_class_name();
    errors.malformed(
        Code::ClassNameInvalid,
        &path.field("resourceClassName"),
        class,
        &names::subdomain(class),
    );
    if let Some(reference) = spec.parameters_ref() {
        let reference_path = path.field("parametersRef");
        for (name, value) in [("kind", reference.kind()), ("name", reference.name())] {
            if value.is_empty() {
                let path = reference_path.field(name);
                errors.required(Code::ParametersRefIncomplete, &path, "");
            }
        }
    }
    if !ALLOCATION_MODES.contains(&spec.allocation_mode()) {
        errors.not_supported(
            Code::AllocationModeUnsupported,
            &path.field("allocationMode"),
            spec.allocation_mode(),
            ALLOCATION_MODES,
        );
    }
}

/// Validates a changed claim: the spec is immutable, and validated again.
pub fn update(
    new: ResourceClaim<'_>,
    old: ResourceClaim<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let (new_spec, old_spec) = (new.spec(), old.spec());
    crate::validation::fields::immutable_spec(new_spec.record(), old_spec.record(), errors);
    create(new, context, errors);
}

/// Validates an update of the status.
pub fn update_status(
    new: ResourceClaim<'_>,
    old: ResourceClaim<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    metadata::update(new.metadata(), old.metadata(), errors);
    let root = Path::ROOT;
    let path = root.field("status");
    let (claim, new, old) = (new, new.status(), old.status());
    driver_of_allocation(new, &path, errors);
    if let Some(allocation) = new.allocation() {
        self::allocation(allocation, &path.field("allocation"), errors);
    }
    let being_deleted = claim.metadata().deletion_timestamp().is_some();
    reserved_for(new, old, being_deleted, &path, context, errors);
    if context.rules.allocation_immutable
        && let (Some(new), Some(old)) = (new.allocation(), old.allocation())
        && let (Some(new), Some(old)) = (new.record(), old.record())
    {
        immutable::record(
            Code::AllocationImmutable,
            &path.field("allocation"),
            new,
            old,
            errors,
        );
    }
    deallocation_request(new, old, &path, errors);
}

fn driver_of_allocation(status: ResourceClaimStatus<'_>, path: &Path<'_>, errors: &mut Errors) {
    let driver = path.field("driverName");
    if !status.driver_name().is_empty() {
        driver_name(status.driver_name(), &driver, errors);
    } else if status.allocation().is_some() {
        errors.required(
            Code::AllocationDriverRequired,
            &driver,
            "must be specified when `allocation` is set",
        );
    }
}

fn reserved_for(
    new: ResourceClaimStatus<'_>,
    old: ResourceClaimStatus<'_>,
    being_deleted: bool,
    path: &Path<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    let path = path.field("reservedFor");
    consumers(new.reserved_for(), &path, context, errors);
    if new.reserved_for().is_empty() {
        return;
    }
    let Some(allocation) = new.allocation() else {
        let detail = reserved::NOT_ALLOCATED;
        return errors.forbidden(Code::ReservedForNotAllocated, &path, detail);
    };
    if !allocation.shareable() && new.reserved_for().len() > 1 {
        errors.forbidden(
            Code::ReservedForNotShareable,
            &path,
            "may not be reserved more than once",
        );
    }
    if !being_deleted && !new.deallocation_requested() {
        return;
    }
    let stored = order::set(old.reserved_for().iter().map(identity));
    if new
        .reserved_for()
        .iter()
        .any(|entry| !stored.contains(&identity(entry)))
    {
        let detail = reserved::ADDED_WHILE_GOING;
        errors.forbidden(Code::ReservedForAdded, &path, detail);
    }
}

fn deallocation_request(
    new: ResourceClaimStatus<'_>,
    old: ResourceClaimStatus<'_>,
    path: &Path<'_>,
    errors: &mut Errors,
) {
    let requested = path.field("deallocationRequested");
    if !old.deallocation_requested()
        && new.deallocation_requested()
        && !new.reserved_for().is_empty()
    {
        let detail = reserved::DEALLOCATION_IN_USE;
        errors.forbidden(Code::DeallocationInUse, &requested, detail);
    }
    if new.allocation().is_none() && new.deallocation_requested() {
        let detail = "`allocation` must be set when `deallocationRequested` is set";
        errors.forbidden(Code::DeallocationNotAllocated, path, detail);
    }
    if old.deallocation_requested() && !new.deallocation_requested() && new.allocation().is_some() {
        let detail = "may not be cleared when `allocation` is set";
        errors.forbidden(Code::DeallocationCleared, &requested, detail);
    }
}

fn allocation(allocation: AllocationResult<'_>, path: &Path<'_>, errors: &mut Errors) {
    // v1alpha1 has one handle, v1alpha2 a list: the field that a version lacks reads as empty.
    if allocation.resource_handle().len() > DATA_MAX {
        errors.too_long(
            Code::ResourceHandleTooLong,
            &path.field("resourceHandle"),
            DATA_MAX,
        );
    }
    let handles = path.field("resourceHandles");
    for (index, handle) in allocation.resource_handles().iter().enumerate() {
        let path = handles.index(index);
        driver_name(handle.driver_name(), &path.field("driverName"), errors);
        if handle.data().len() > DATA_MAX {
            errors.too_long(Code::ResourceHandleTooLong, &path.field("data"), DATA_MAX);
        }
        if let Some(data) = handle.structured_data() {
            structured::handle(data, &path.field("structuredData"), errors);
            if !handle.data().is_empty() {
                let detail = "data and structuredData are mutually exclusive";
                errors.invalid(Code::ResourceHandleTwoData, &path, Bad::Null, detail);
            }
        }
    }
    if allocation.resource_handles().len() > HANDLES_MAX {
        errors.too_long(Code::ResourceHandlesTooMany, &handles, HANDLES_MAX);
    }
    if let Some(selector) = allocation.available_on_nodes() {
        node_selector::validate(selector, &path.field("availableOnNodes"), errors);
    }
}

fn consumers(
    list: List<'_, ResourceClaimConsumerReference<'_>>,
    path: &Path<'_>,
    context: &Context,
    errors: &mut Errors,
) {
    let mut seen = BTreeSet::new();
    for (index, entry) in list.iter().enumerate() {
        let path = path.index(index);
        if context.rules.reserved_for_by_uid {
            if !seen.insert([entry.uid(), "", "", ""]) {
                errors.duplicate(
                    Code::ReservedForDuplicate,
                    &path.field("uid"),
                    Bad::Str(entry.uid()),
                );
                continue;
            }
        } else if !seen.insert(identity(entry)) {
            let value = entry.record().map_or_else(String::new, |r| {
                go_syntax_of(r, context.release, errors.unicode())
            });
            errors.duplicate(Code::ReservedForDuplicate, &path, Bad::Syntax(value));
            continue;
        }
        for (name, value) in [
            ("resource", entry.resource()),
            ("name", entry.name()),
            ("uid", entry.uid()),
        ] {
            if value.is_empty() {
                errors.required(Code::ReservedForIncomplete, &path.field(name), "");
            }
        }
    }
    if list.len() > RESERVED_FOR_MAX {
        errors.too_long(Code::ReservedForTooMany, path, RESERVED_FOR_MAX);
    }
}

/// Returns all fields of an entry, for comparing whole entries.
fn identity<'r>(entry: ResourceClaimConsumerReference<'r>) -> [&'r str; 4] {
    [
        entry.uid(),
        entry.name(),
        entry.resource(),
        entry.api_group(),
    ]
}
