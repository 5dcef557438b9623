//! Defaulting (kube-apiserver, pkg/apis/resource/v1alpha2/defaults.go): an empty `allocationMode` becomes
//! `WaitForFirstConsumer`; nothing else is defaulted.

use crate::apiserver::device;
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{Api, ClassicKind, ObjectKind, Release};
use std::borrow::Cow;

fn apply_to_object(record: &mut Record<'_>, api: &Api, release: Release) {
    match api.kind.object {
        ObjectKind::Classic(kind) => classic(record, kind),
        ObjectKind::Device(kind) => device::defaults::apply(record, kind, release),
    }
}

/// Fills what the server fills on decoding.
pub fn apply(record: &mut Record<'_>, api: &Api, release: Release) {
    if api.kind.items.is_none() {
        return apply_to_object(record, api, release);
    }
    let items = record
        .schema
        .slot("items")
        .and_then(|slot| record.slots.get_mut(slot));
    if let Some(FieldValue::List(items)) = items {
        for item in items {
            if let FieldValue::Struct(record) = item {
                apply_to_object(record, api, release);
            }
        }
    }
}

fn classic(record: &mut Record<'_>, kind: ClassicKind) {
    match kind {
        ClassicKind::ResourceClaim => {
            if let Some(spec) = record.record_mut("spec") {
                claim_spec(spec);
            }
        }
        ClassicKind::ResourceClaimTemplate => {
            if let Some(spec) = record
                .record_mut("spec")
                .and_then(|spec| spec.record_mut("spec"))
            {
                claim_spec(spec);
            }
        }
        ClassicKind::ResourceClass
        | ClassicKind::PodSchedulingContext
        | ClassicKind::ResourceClaimParameters
        | ClassicKind::ResourceClassParameters
        | ClassicKind::ResourceSlice => {}
    }
}

fn claim_spec(spec: &mut Record<'_>) {
    if spec.str("allocationMode").is_empty() {
        spec.set(
            "allocationMode",
            FieldValue::Str(Cow::Borrowed("WaitForFirstConsumer")),
        );
    }
}
