//! Defaulting (spec/behaviour.md §4): an empty `allocationMode` becomes `WaitForFirstConsumer`; nothing else is defaulted.

use crate::api::Api;
use crate::record::{Record, Value};
use std::borrow::Cow;

/// Fills what the server fills on decoding.
pub fn apply(record: &mut Record<'_>, api: &Api) {
    let kind = api.kind.items.unwrap_or(api.kind.kind);
    if api.kind.items.is_none() {
        return object(record, kind);
    }
    let items = record.schema.slot("items").and_then(|slot| record.slots.get_mut(slot));
    if let Some(Value::List(items)) = items {
        for item in items {
            if let Value::Struct(record) = item {
                object(record, kind);
            }
        }
    }
}

fn object(record: &mut Record<'_>, kind: &str) {
    match kind {
        "ResourceClaim" => {
            if let Some(spec) = record.record_mut("spec") {
                claim_spec(spec);
            }
        }
        "ResourceClaimTemplate" => {
            if let Some(spec) = record.record_mut("spec").and_then(|spec| spec.record_mut("spec")) {
                claim_spec(spec);
            }
        }
        _ => {}
    }
}

fn claim_spec(spec: &mut Record<'_>) {
    if spec.str("allocationMode").is_empty() {
        spec.set("allocationMode", Value::Str(Cow::Borrowed("WaitForFirstConsumer")));
    }
}
