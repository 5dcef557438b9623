//! Defaulting of the device family: on every decode, in the version that was written.
//!
//! Source: `pkg/apis/resource/<version>/defaults.go`.

use crate::validation::device::variant::Variant;
use claimkit_model::object::view::device::{
    DeviceAsk, DeviceTaint, DeviceToleration, NodeAllocatableResourceMapping,
    ResourcePoolStatusRequestSpec,
};
use claimkit_model::object::{FieldValue, Record, WrittenPlaces};
use claimkit_model::schema::{DeviceKind, FieldType, Release};
use std::borrow::Cow;

/// Placeholder for the server's current time.
pub const CLOCK: &str = "(NOW)";

/// Sets the defaults that the server sets on decoding.
pub fn apply(record: &mut Record<'_>, kind: DeviceKind, release: Release) {
    let variant = Variant::of(release);
    match kind {
        DeviceKind::ResourceClaim => {
            if let Some(devices) = record
                .inner_mut("spec")
                .and_then(|spec| spec.inner_mut("devices"))
            {
                claim(devices, variant, release);
            }
            let devices = record
                .inner_mut("status")
                .and_then(|status| status.inner_mut("allocation"))
                .and_then(|allocation| allocation.inner_mut("devices"));
            for result in devices
                .into_iter()
                .flat_map(|devices| devices.records_mut("results"))
            {
                tolerations(result);
            }
        }
        DeviceKind::ResourceClaimTemplate => {
            let spec = record
                .inner_mut("spec")
                .and_then(|spec| spec.inner_mut("spec"));
            if let Some(devices) = spec.and_then(|spec| spec.inner_mut("devices")) {
                claim(devices, variant, release);
            }
        }
        DeviceKind::ResourceSlice => {
            if let Some(spec) = record.inner_mut("spec") {
                for device in spec.records_mut("devices") {
                    if let Some(device) = holder(device, "taints") {
                        slice_device(device, release);
                    }
                }
            }
        }
        DeviceKind::DeviceTaintRule => {
            if let Some(taint) = record
                .record_mut("spec")
                .and_then(|spec| spec.record_mut("taint"))
            {
                time(taint);
            }
        }
        DeviceKind::ResourcePoolStatusRequest => {
            if let Some(spec) = record.record_mut("spec")
                && ResourcePoolStatusRequestSpec::new(spec).limit().is_none()
            {
                spec.set("limit", FieldValue::Int(100));
            }
        }
        DeviceKind::DeviceClass | DeviceKind::PodSchedulingContext => {}
    }
}

/// Finds the struct with a field: this one, or one that it holds. Versions differ in what they wrap.
fn holder<'r, 't>(record: &'r mut Record<'t>, field: &str) -> Option<&'r mut Record<'t>> {
    if record.schema.has(field) {
        return Some(record);
    }
    let wrapper = record.schema.fields.iter().find(|outer| match outer.ty {
        FieldType::Struct(inner) | FieldType::Pointer(&FieldType::Struct(inner)) => {
            inner.has(field)
        }
        _ => false,
    })?;
    // A struct by value always exists.
    if matches!(wrapper.ty, FieldType::Struct(_)) {
        record.record_mut(wrapper.json)
    } else {
        record.inner_mut(wrapper.json)
    }
}

fn claim(devices: &mut Record<'_>, variant: &Variant, release: Release) {
    for request in devices.records_mut("requests") {
        let flat = request.schema.has("deviceClassName");
        if flat {
            // In 1.31 the field is not a pointer: `false` equals absent.
            let plain = request
                .schema
                .field("adminAccess", release)
                .is_some_and(|(_, field)| release.minor < field.pointer_since);
            if plain && !DeviceAsk::new(request).admin_access() {
                request.set("adminAccess", FieldValue::Unset);
            }
        }
        if let Some(exact) = holder(request, "deviceClassName") {
            if !(flat
                && variant.default_needs_class
                && DeviceAsk::new(exact).device_class_name().is_empty())
            {
                mode(exact);
            }
            tolerations(exact);
        }
        for alternative in request.records_mut("firstAvailable") {
            mode(alternative);
            tolerations(alternative);
        }
    }
}

fn mode(request: &mut Record<'_>) {
    let Some(request) = holder(request, "allocationMode") else {
        return;
    };
    if DeviceAsk::new(request).allocation_mode().is_empty() {
        request.set(
            "allocationMode",
            FieldValue::Str(Cow::Borrowed("ExactCount")),
        );
    }
    let ask = DeviceAsk::new(request);
    if ask.allocation_mode() == "ExactCount" && ask.count().unwrap_or(0) == 0 {
        request.set("count", FieldValue::Int(1));
    }
}

fn tolerations(holder: &mut Record<'_>) {
    for toleration in holder.records_mut("tolerations") {
        if DeviceToleration::new(toleration).operator().is_empty() {
            toleration.set("operator", FieldValue::Str(Cow::Borrowed("Equal")));
        }
    }
}

fn slice_device(device: &mut Record<'_>, release: Release) {
    for taint in device.records_mut("taints") {
        time(taint);
    }
    if device
        .schema
        .field("nodeAllocatableResourceMappings", release)
        .is_none()
    {
        return;
    }
    if let Some(FieldValue::Entries(entries)) = device.get_mut("nodeAllocatableResourceMappings") {
        for (_, mapping) in entries {
            if let FieldValue::Struct(mapping) = mapping
                && NodeAllocatableResourceMapping::new(mapping)
                    .allocation_multiplier()
                    .is_none()
            {
                mapping.set(
                    "allocationMultiplier",
                    FieldValue::Quantity(Cow::Borrowed("1"), WrittenPlaces::default()),
                );
            }
        }
    }
}

fn time(taint: &mut Record<'_>) {
    if matches!(
        DeviceTaint::new(taint).time_added().value(),
        FieldValue::Unset
    ) {
        taint.set("timeAdded", FieldValue::Str(Cow::Borrowed(CLOCK)));
    }
}
