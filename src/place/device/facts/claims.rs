//! ResourceClaims.

use super::{Config, Meta, NodeSelector, Selector, nullable};
use crate::place::device::amount::Amount;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

object! {
    /// A ResourceClaim.
    Claim {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: ClaimSpec,
        /// Its status.
        status: ClaimStatus,
    }
}

object! {
    /// `spec` of a ResourceClaim.
    ClaimSpec {
        /// Everything there is.
        devices: DeviceClaim,
    }
}

object! {
    /// `spec.devices`.
    DeviceClaim {
        /// Requests.
        requests: Vec<Request>,
        /// Constraints.
        constraints: Vec<Constraint>,
        /// Configuration.
        config: Vec<Config>,
    }
}

object! {
    /// `requests[]`.
    Request {
        /// Name.
        name: String,
        /// What exactly.
        exactly: Option<Ask>,
        /// Or the first of these.
        first_available: Vec<Ask>,
    }
}

object! {
    /// `exactly`, or one of `firstAvailable`.
    Ask {
        /// Name, of a sub-request.
        name: String,
        /// Class.
        device_class_name: String,
        /// Selectors.
        selectors: Vec<Selector>,
        /// `ExactCount` or `All`.
        allocation_mode: String,
        /// How many.
        count: i64,
        /// Administrative access.
        admin_access: Option<bool>,
        /// Tolerations.
        tolerations: Vec<Toleration>,
        /// Capacity.
        capacity: Option<CapacityAsk>,
    }
}

object! {
    /// `capacity` of a request.
    CapacityAsk {
        /// By name.
        requests: BTreeMap<String, Amount>,
    }
}

/// A toleration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Toleration {
    /// Key; empty: any.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `Equal` or `Exists`.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// Value.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Effect; empty: any.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub effect: String,
    /// How long NoExecute is tolerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

object! {
    /// `constraints[]`.
    Constraint {
        /// The requests it is for; none: all.
        requests: Vec<String>,
        /// All devices have the same value.
        match_attribute: Option<String>,
        /// All devices have different values.
        distinct_attribute: Option<String>,
    }
}

object! {
    /// `status` of a ResourceClaim.
    ClaimStatus {
        /// Set once allocated.
        allocation: Option<Allocation>,
        /// Who may use it.
        reserved_for: Vec<Consumer>,
        /// Status of allocated devices.
        devices: Vec<Value>,
    }
}

object! {
    /// `status.allocation`.
    Allocation {
        /// The devices.
        devices: AllocatedDevices,
        /// Where it can be used.
        node_selector: Option<NodeSelector>,
    }
}

object! {
    /// `status.allocation.devices`.
    AllocatedDevices {
        /// One per device.
        results: Vec<AllocatedDevice>,
    }
}

object! {
    /// `status.allocation.devices.results[]`.
    AllocatedDevice {
        /// Request or `request/subrequest`.
        request: String,
        /// Driver.
        driver: String,
        /// Pool.
        pool: String,
        /// Device.
        device: String,
        /// Administrative access.
        admin_access: Option<bool>,
        /// Set for a share.
        #[serde(rename = "shareID")]
        share_id: Option<String>,
        /// What the share uses.
        consumed_capacity: Option<BTreeMap<String, Amount>>,
        /// Conditions awaited.
        binding_conditions: Vec<String>,
        /// Conditions that fail binding.
        binding_failure_conditions: Vec<String>,
    }
}

object! {
    /// `status.reservedFor[]`.
    Consumer {
        /// API group; empty for core.
        api_group: String,
        /// e.g. `pods`.
        resource: String,
        /// Name.
        name: String,
        /// UID.
        uid: String,
    }
}
