//! Defaulting of the device family: on every decode, in the version that was written.
//!
//! Source: `pkg/apis/resource/<version>/defaults.go`.

use crate::api::{DeviceKind, Release};
use crate::record::{Record, Value};
use crate::rules::device::variant::Variant;
use std::borrow::Cow;

/// Stands for the time that the server takes from its clock.
pub const CLOCK: &str = "(NOW)";

/// Fills what the server fills on decoding.
pub fn apply(record: &mut Record<'_>, kind: DeviceKind, release: Release) {
    let variant = Variant::of(release);
    match kind {
        DeviceKind::ResourceClaim => {
            if let Some(devices) = record.inner_mut("spec").and_then(|spec| spec.inner_mut("devices")) {
                claim(devices, variant, release);
            }
            let devices = record
                .inner_mut("status")
                .and_then(|status| status.inner_mut("allocation"))
                .and_then(|allocation| allocation.inner_mut("devices"));
            for result in devices.into_iter().flat_map(|devices| devices.records_mut("results")) {
                tolerations(result);
            }
        }
        DeviceKind::ResourceClaimTemplate => {
            let spec = record.inner_mut("spec").and_then(|spec| spec.inner_mut("spec"));
            if let Some(devices) = spec.and_then(|spec| spec.inner_mut("devices")) {
                claim(devices, variant, release);
            }
        }
        DeviceKind::ResourceSlice => {
            if let Some(spec) = record.inner_mut("spec") {
                for device in spec.records_mut("devices") {
                    match device.schema.slot("basic") {
                        Some(_) => {
                            if let Some(basic) = device.inner_mut("basic") {
                                slice_device(basic, release);
                            }
                        }
                        None => slice_device(device, release),
                    }
                }
            }
        }
        DeviceKind::DeviceTaintRule => {
            if let Some(taint) = record.record_mut("spec").and_then(|spec| spec.record_mut("taint")) {
                time(taint);
            }
        }
        DeviceKind::ResourcePoolStatusRequest => {
            if let Some(spec) = record.record_mut("spec")
                && !spec.has("limit")
            {
                spec.set("limit", Value::Int(100));
            }
        }
        DeviceKind::DeviceClass | DeviceKind::PodSchedulingContext => {}
    }
}

fn claim(devices: &mut Record<'_>, variant: &Variant, release: Release) {
    for request in devices.records_mut("requests") {
        if request.schema.slot("exactly").is_some() {
            if let Some(exactly) = request.inner_mut("exactly") {
                mode(exactly);
                tolerations(exactly);
            }
        } else {
            if !(variant.default_needs_class && request.str("deviceClassName").is_empty()) {
                mode(request);
            }
            tolerations(request);
            // In 1.31 the field is no pointer: `false` is the same as nothing.
            let plain =
                request.schema.field("adminAccess", release).is_some_and(|(_, field)| release.minor < field.pointer_since);
            if plain && !request.bool("adminAccess") {
                request.set("adminAccess", Value::Unset);
            }
        }
        for alternative in request.records_mut("firstAvailable") {
            mode(alternative);
            tolerations(alternative);
        }
    }
}

fn mode(request: &mut Record<'_>) {
    if request.str("allocationMode").is_empty() {
        request.set("allocationMode", Value::Str(Cow::Borrowed("ExactCount")));
    }
    if request.str("allocationMode") == "ExactCount" && request.int("count").unwrap_or(0) == 0 {
        request.set("count", Value::Int(1));
    }
}

fn tolerations(holder: &mut Record<'_>) {
    for toleration in holder.records_mut("tolerations") {
        if toleration.str("operator").is_empty() {
            toleration.set("operator", Value::Str(Cow::Borrowed("Equal")));
        }
    }
}

fn slice_device(device: &mut Record<'_>, release: Release) {
    for taint in device.records_mut("taints") {
        time(taint);
    }
    if device.schema.field("nodeAllocatableResourceMappings", release).is_none() {
        return;
    }
    if let Some(Value::Entries(entries)) = device.get_mut("nodeAllocatableResourceMappings") {
        for (_, mapping) in entries {
            if let Value::Struct(mapping) = mapping
                && !mapping.has("allocationMultiplier")
            {
                mapping.set("allocationMultiplier", Value::Quantity(Cow::Borrowed("1")));
            }
        }
    }
}

fn time(taint: &mut Record<'_>) {
    if !taint.has("timeAdded") {
        taint.set("timeAdded", Value::Str(Cow::Borrowed(CLOCK)));
    }
}
