//! Conditions that devices of an allocated claim wait for (kube-scheduler 1.34 to 1.36,
//! `pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go`).

use super::objects::{AllocatedDevice, Claim};
use claimkit_model::message::{Message, message};
use claimkit_values::time::Time;
use serde_json::Value;

/// How long the scheduler waits for conditions unless its configuration says something else
/// (`BindingTimeoutDefaultSeconds`).
const MOST_SECONDS: i64 = 600;

/// The binding state of a claim's devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// All conditions are met.
    Ready,
    /// Some are not met yet.
    Waits,
    /// The same, for longer than the scheduler waits.
    TimedOut,
    /// A condition says that it failed.
    Failed,
}

/// Returns the binding state of a claim's devices at a time; without a time, nothing has timed out. The first device that is not
/// ready decides (`isClaimReadyForBinding`, `isClaimTimeout`).
pub fn of(claim: &Claim, now: Option<Time>) -> Binding {
    for result in claim
        .allocated_devices()
        .iter()
        .filter(|result| !result.binding_conditions.is_empty())
    {
        let device = claim
            .status
            .devices
            .iter()
            .find(|device| is_of(device, result));
        if let Some(device) = device
            && result
                .binding_failure_conditions
                .iter()
                .any(|kind| is_true(device, kind))
        {
            return Binding::Failed;
        }
        let is_bound = result
            .binding_conditions
            .iter()
            .all(|kind| device.is_some_and(|device| is_true(device, kind)));
        if !is_bound {
            return if now.is_some_and(|now| is_late(claim, now)) {
                Binding::TimedOut
            } else {
                Binding::Waits
            };
        }
    }
    Binding::Ready
}

/// Returns what a condition of an allocated device says of itself, `REASON: MESSAGE`; `None`: nothing.
pub fn says_of(claim: &Claim, result: &AllocatedDevice, kind: &str) -> Option<String> {
    let mut devices = claim.status.devices.iter();
    let device = devices.find(|device| is_of(device, result))?;
    let mut conditions = device.get("conditions")?.as_array()?.iter();
    let condition = conditions.find(|condition| text_of(condition, "type") == kind)?;
    let says = ["reason", "message"]
        .into_iter()
        .map(|key| text_of(condition, key))
        .filter(|text| !text.is_empty());
    let says = says.collect::<Vec<_>>().join(": ");
    (!says.is_empty()).then_some(says)
}

/// Returns the condition that says that binding failed: `DEVICE has TYPE (REASON: MESSAGE)`.
pub fn failure(claim: &Claim) -> Option<Message> {
    claim.allocated_devices().iter().find_map(|result| {
        let device = claim
            .status
            .devices
            .iter()
            .find(|device| is_of(device, result))?;
        let kind = result
            .binding_failure_conditions
            .iter()
            .find(|kind| is_true(device, kind))?;
        let device = &result.device;
        Some(match says_of(claim, result, kind) {
            None => message!(
                "device.failure-condition",
                "{device} has {kind}",
                device,
                kind
            ),
            Some(says) => message!(
                "device.failure-condition-says",
                "{device} has {kind} ({says})",
                device,
                kind,
                says
            ),
        })
    })
}

/// Returns true if the claim was allocated so long ago that the scheduler stops waiting.
fn is_late(claim: &Claim, now: Time) -> bool {
    let allocated = claim
        .status
        .allocation
        .as_ref()
        .and_then(|allocation| allocation.allocation_timestamp.as_deref());
    let Some(Ok(allocated)) = allocated.map(Time::parse) else {
        return false;
    };
    let (seconds, nanoseconds) = allocated.parts();
    (seconds.saturating_add(MOST_SECONDS), nanoseconds) < now.parts()
}

fn is_of(device: &Value, result: &AllocatedDevice) -> bool {
    text_of(device, "driver") == result.driver
        && text_of(device, "pool") == result.pool
        && text_of(device, "device") == result.device
}

/// Returns the text of a member; empty: it has none.
fn text_of<'v>(object: &'v Value, key: &str) -> &'v str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Returns true if the first condition of the type is true.
fn is_true(device: &Value, kind: &str) -> bool {
    let mut conditions = device
        .get("conditions")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    conditions
        .find(|condition| condition.get("type").and_then(Value::as_str) == Some(kind))
        .is_some_and(|condition| text_of(condition, "status") == "True")
}
