//! Conditions that devices of an allocated claim wait for (kube-scheduler 1.34 to 1.36, `isClaimReadyForBinding`).

use super::facts::{AllocatedDevice, Claim};
use super::usage::results_of;
use serde_json::Value;

/// Did binding of the claim's devices fail? The first device that is not ready ends the search, as upstream's does. That too
/// much time went by is not told: there is no clock here.
pub fn failed(claim: &Claim) -> bool {
    for result in results_of(claim).iter().filter(|result| !result.binding_conditions.is_empty()) {
        let Some(device) = claim.status.devices.iter().find(|device| is_of(device, result)) else { return false };
        if result.binding_failure_conditions.iter().any(|kind| is_true(device, kind)) {
            return true;
        }
        if !result.binding_conditions.iter().all(|kind| is_true(device, kind)) {
            return false;
        }
    }
    false
}

fn is_of(device: &Value, result: &AllocatedDevice) -> bool {
    let same = |key: &str, wanted: &str| device.get(key).and_then(Value::as_str).unwrap_or_default() == wanted;
    same("driver", &result.driver) && same("pool", &result.pool) && same("device", &result.device)
}

/// The first condition of the type counts.
fn is_true(device: &Value, kind: &str) -> bool {
    let says = |condition: &Value, key: &str, wanted: &str| condition.get(key).and_then(Value::as_str) == Some(wanted);
    let mut conditions = device.get("conditions").and_then(Value::as_array).into_iter().flatten();
    conditions.find(|condition| says(condition, "type", kind)).is_some_and(|condition| says(condition, "status", "True"))
}
