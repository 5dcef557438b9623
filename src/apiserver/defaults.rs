//! Defaulting (kube-apiserver, pkg/apis/resource/v1alpha2/defaults.go): an empty `allocationMode` becomes
//! `WaitForFirstConsumer`; nothing else is defaulted.

use crate::apiserver::device;
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{Api, ClassicKind, ObjectKind, Release};
use std::borrow::Cow;

/// Fills what the server fills on decoding.
pub fn apply(record: &mut Record<'_>, api: &Api, release: Release) {
    let object = |record: &mut Record<'_>| match api.kind.object {
        ObjectKind::Classic(kind) => classic(record, kind),
        ObjectKind::Device(kind) => device::defaults::apply(record, kind, release),
    };
    if api.kind.items.is_none() {
        return object(record);
    }
    let items = record
        .schema
        .slot("items")
        .and_then(|slot| record.slots.get_mut(slot));
    if let Some(FieldValue::List(items)) = items {
        for item in items {
            if let FieldValue::Struct(record) = item {
                object(record);
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
