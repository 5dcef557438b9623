//! What several tests share.

pub mod fixes;
pub mod manifests;
pub mod patches;
#[path = "../../crates/claimkit-yaml/tests/reading.rs"]
#[allow(dead_code, reason = "the crate's own tests hold to the laws")]
pub mod reading;
pub mod spans;
pub mod styles;
#[path = "../../crates/claimkit-yaml/tests/texts.rs"]
pub mod texts;

use serde_json::Value;

/// Returns the answer to a request.
pub fn ask(request: &Value) -> Value {
    serde_json::from_str(&claimkit::wire::answer(&request.to_string())).unwrap()
}
