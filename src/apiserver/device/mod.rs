//! The registry strategies of the device family around the rules: preparation, order of the error lists, warnings.
//!
//! Source: `pkg/registry/resource/<kind>/strategy.go`, `apiserver/pkg/registry/rest`, `BeforeCreate` and `BeforeUpdate`.

pub mod convert;
pub mod defaults;
pub mod drops;

use crate::apiserver::prepare;
use crate::validation::device::variant::Variant;
use crate::validation::device::{claim, status};
use crate::validation::metadata::{self, NameRule};
use crate::validation::{self, Context, Errors, FieldError, Operation, immutable};
use claimkit_model::object::view::Object;
use claimkit_model::object::view::device::{
    AllocatedDeviceStatus, DeviceKey, DeviceTaintRule, DeviceTaintSelector, ResourceClaim,
    ResourceClaimTemplate, ResourceSlice,
};
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{Api, DeviceKind, Gate};
use claimkit_values::order;
use drops::{DroppedField, WrittenPart};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// An object as the strategy leaves it, and what was found.
#[derive(Debug)]
pub struct JudgedObject<'t> {
    /// The object in the hub's shape, after preparation.
    pub record: Record<'t>,
    pub errors: Errors,
    /// Fields that were dropped because a gate is off.
    pub dropped: Vec<DroppedField>,
    /// The written part of the object.
    pub part: WrittenPart,
}

/// The labels of the namespace; `None` if they are not known.
pub type KnownLabels<'l> = Option<&'l BTreeMap<String, String>>;

/// Judges a new object, its metadata filled in: dropped fields, then the rules.
pub fn create<'t>(
    api: Api,
    kind: DeviceKind,
    mut record: Record<'t>,
    context: &Context,
    labels: KnownLabels<'_>,
) -> JudgedObject<'t> {
    let dropped = drops::apply(kind, &mut record, None, WrittenPart::Object, context);
    if matches!(
        kind,
        DeviceKind::DeviceClass | DeviceKind::ResourceSlice | DeviceKind::DeviceTaintRule
    ) && let Some(meta) = record.record_mut("metadata")
    {
        meta.set("generation", FieldValue::Int(1));
    }
    let mut errors = context.errors();
    admin_access(kind, &record, context, labels, &mut errors);
    validation::device::run(kind, &record, Operation::Create, context, &mut errors);
    if errors.is_empty() {
        prepare::judge_created(api, &record, context, &mut errors);
    }
    generated(api, kind, &record, None, context, &mut errors);
    JudgedObject {
        record,
        errors,
        dropped,
        part: WrittenPart::Object,
    }
}

/// Returns the error for admin access on create, given the labels of the namespace.
pub fn admin_error(
    kind: DeviceKind,
    record: &Record<'_>,
    context: &Context,
    labels: KnownLabels<'_>,
) -> Option<FieldError> {
    if !context.gates.on(Gate::DRAAdminAccess) {
        return None;
    }
    let mut errors = context.errors();
    admin_access(kind, record, context, labels, &mut errors);
    errors.into_list().pop()
}

fn admin_access(
    kind: DeviceKind,
    record: &Record<'_>,
    context: &Context,
    labels: KnownLabels<'_>,
    errors: &mut Errors,
) {
    let spec = match kind {
        DeviceKind::ResourceClaim => ResourceClaim::new(record).spec(),
        DeviceKind::ResourceClaimTemplate => ResourceClaimTemplate::new(record).spec().spec(),
        _ => return,
    };
    if let Some(label) = missing_label(context, labels) {
        claim::admin_access(
            spec,
            kind == DeviceKind::ResourceClaimTemplate,
            label,
            errors,
        );
    }
}

/// Returns the label that the namespace lacks.
fn missing_label(context: &Context, labels: KnownLabels<'_>) -> Option<&'static str> {
    let label = Variant::of(context.release).admin_label?;
    let value = labels?.get(label);
    (value.map(String::as_str) != Some("true")).then_some(label)
}

/// Judges a changed object or status.
pub fn update<'t>(
    api: Api,
    kind: DeviceKind,
    new: &Record<'t>,
    old: &Record<'t>,
    part: WrittenPart,
    context: &Context,
    labels: KnownLabels<'_>,
) -> JudgedObject<'t> {
    let is_status = part == WrittenPart::Status;
    let mut record = prepare::for_update(new, old, is_status, context);
    let variant = Variant::of(context.release);
    // Slices are compared before anything is dropped.
    let changed_before = changed(&record, old);
    let mut dropped = drops::apply(kind, &mut record, Some(old), part, context);
    match (kind, part) {
        (DeviceKind::ResourceClaim, WrittenPart::Status) => {
            drop_deallocated(&mut record, old, context)
        }
        (DeviceKind::DeviceTaintRule, WrittenPart::Object) if variant.effect_sets_time => {
            effect_sets_time(&mut record, old)
        }
        _ => {}
    }
    if part == WrittenPart::Object {
        let bump = match kind {
            DeviceKind::DeviceClass | DeviceKind::DeviceTaintRule => changed(&record, old),
            DeviceKind::ResourceSlice => changed_before,
            DeviceKind::ResourceClaim
            | DeviceKind::ResourceClaimTemplate
            | DeviceKind::PodSchedulingContext
            | DeviceKind::ResourcePoolStatusRequest => false,
        };
        if bump {
            let generation = Object::new(old).metadata().generation().saturating_add(1);
            if let Some(meta) = record.record_mut("metadata") {
                meta.set("generation", FieldValue::Int(generation));
            }
        }
    }
    let mut errors = context.errors();
    let (new_meta, old_meta) = (Object::new(&record).metadata(), Object::new(old).metadata());
    metadata::generic_create(
        new_meta,
        api.kind.scope,
        NameRule::PathSegment,
        context.rules,
        &mut errors,
    );
    metadata::generic_update(new_meta, old_meta, &mut errors);
    if is_status
        && kind == DeviceKind::ResourceClaim
        && let Some(label) = missing_label(context, labels)
    {
        status::admin_access(
            ResourceClaim::new(&record),
            ResourceClaim::new(old),
            label,
            &mut errors,
        );
    }
    let operation = if is_status {
        Operation::UpdateStatus(old)
    } else {
        Operation::Update(old)
    };
    validation::device::run(kind, &record, operation, context, &mut errors);
    generated(api, kind, &record, Some(old), context, &mut errors);
    dropped.dedup();
    JudgedObject {
        record,
        errors,
        dropped,
        part,
    }
}

/// Adds the errors of the generated rules, in the shape of the request's version.
pub fn generated(
    api: Api,
    kind: DeviceKind,
    new: &Record<'_>,
    old: Option<&Record<'_>>,
    context: &Context,
    errors: &mut Errors,
) {
    if Variant::of(context.release).generated_answers && validation::device::declared::judges(kind)
    {
        let new = convert::seen_as(new, api.version.name, kind);
        let before = old.map(|old| convert::seen_as(old, api.version.name, kind));
        validation::device::declared::run(api.version, &new, before.as_deref(), context, errors);
    }
}

fn changed(new: &Record<'_>, old: &Record<'_>) -> bool {
    !immutable::same_field(Object::new(new).spec_slot(), Object::new(old).spec_slot())
}

/// Returns what identifies the devices that a claim has.
fn allocated(claim: ResourceClaim<'_>) -> BTreeSet<DeviceKey<'_>> {
    let allocation = claim.status().allocation().into_iter();
    let results = allocation.flat_map(|allocation| allocation.devices().results().iter());
    order::set(results.map(|result| result.id()))
}

/// Drops entries of `status.devices` whose device is no longer allocated.
fn drop_deallocated(record: &mut Record<'_>, old: &Record<'_>, context: &Context) {
    let gate = Gate::DRAResourceClaimDeviceStatus;
    if gate.default_in(context.release).is_none() {
        return;
    }
    let used = !ResourceClaim::new(old).status().devices().is_empty();
    if !context.gates.on(gate) && !used {
        return;
    }
    let (before, after) = (
        allocated(ResourceClaim::new(old)),
        allocated(ResourceClaim::new(record)),
    );
    // Sorted, as the sets are.
    let gone: Vec<[String; 4]> = before
        .difference(&after)
        .map(|id| id.map(str::to_owned))
        .collect();
    let Some(status) = record.inner_mut("status") else {
        return;
    };
    let Some(FieldValue::List(devices)) = status.get_mut("devices") else {
        return;
    };
    devices.retain(|device| {
        let id = AllocatedDeviceStatus::of(device.as_record()).id();
        gone.binary_search_by(|gone| gone.each_ref().map(String::as_str).cmp(&id))
            .is_err()
    });
    if devices.is_empty() {
        status.set("devices", FieldValue::Unset);
    }
}

fn effect_sets_time(record: &mut Record<'_>, old: &Record<'_>) {
    let (new, old) = (
        DeviceTaintRule::new(record).spec().taint(),
        DeviceTaintRule::new(old).spec().taint(),
    );
    if new.effect() == old.effect() || new.time_added().value() != old.time_added().value() {
        return;
    }
    if let Some(taint) = record
        .inner_mut("spec")
        .and_then(|spec| spec.inner_mut("taint"))
    {
        taint.set("timeAdded", FieldValue::Str(Cow::Borrowed(defaults::CLOCK)));
    }
}

/// Returns the server's warnings: the version's deprecation, and on accepted objects the strategy's. `part`: what was written.
pub fn warnings(
    api: Api,
    kind: DeviceKind,
    record: &Record<'_>,
    part: WrittenPart,
    accepted: bool,
    context: &Context,
) -> Vec<String> {
    let mut warnings: Vec<String> = deprecation(api, context).into_iter().collect();
    if accepted
        && kind == DeviceKind::ResourceSlice
        && Variant::of(context.release).warns_of_capitals
    {
        let driver = ResourceSlice::new(record).spec().driver();
        if driver.to_lowercase() != driver {
            let driver = claimkit_values::quote(driver, context.rules.unicode);
            warnings.push(format!("spec.driver: driver names should be lowercase; {driver} contains uppercase characters"));
        }
    }
    if accepted
        && kind == DeviceKind::DeviceTaintRule
        && part == WrittenPart::Object
        && Variant::of(context.release).warns_of_every_device
        && DeviceTaintRule::new(record)
            .spec()
            .device_selector()
            .is_some_and(selects_every_device)
    {
        warnings.push(SELECTS_EVERY_DEVICE.to_owned());
    }
    warnings
}

/// The server's warning about a DeviceTaintRule whose selector is empty.
pub const SELECTS_EVERY_DEVICE: &str =
    "spec.deviceSelector: an empty selector matches every device from every driver in the cluster";

fn selects_every_device(selector: DeviceTaintSelector<'_>) -> bool {
    let fields = [selector.driver(), selector.pool(), selector.device()];
    fields.iter().all(Option::is_none)
}

/// Returns the warning of a deprecated version.
pub fn deprecation(api: Api, context: &Context) -> Option<String> {
    let lifecycle = api.kind.lifecycle_in(context.release)?;
    lifecycle.warning(api.version.api_version, api.kind.kind, context.release)
}
