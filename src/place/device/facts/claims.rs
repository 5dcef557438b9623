//! ResourceClaims.

use super::read::{Datum, Read, Reader};
use super::{Config, Meta, NodeSelector, Selector};
use crate::place::device::amount::Amount;
use crate::place::device::sorted::Sorted;
use serde::Serialize;
use serde_json::Value;

object! {
    /// A ResourceClaim.
    Claim {
        /// Its metadata.
        metadata: Meta = "metadata",
        /// Its spec.
        spec: ClaimSpec = "spec",
        /// Its status.
        status: ClaimStatus = "status",
    }
}

object! {
    /// A ResourceClaimTemplate.
    Template {
        /// Its metadata.
        metadata: Meta = "metadata",
        /// Its spec.
        spec: TemplateSpec = "spec",
    }
}

object! {
    /// `spec` of a ResourceClaimTemplate.
    TemplateSpec {
        /// That of the claims.
        spec: ClaimSpec = "spec",
    }
}

object! {
    /// `spec` of a ResourceClaim.
    ClaimSpec {
        /// Everything there is.
        devices: DeviceClaim = "devices",
        /// The driver's own controller allocates; 1.31 only.
        controller: String = "controller",
    }
}

object! {
    /// `spec.devices`.
    DeviceClaim {
        /// Requests.
        requests: Vec<Request> = "requests",
        /// Constraints.
        constraints: Vec<Constraint> = "constraints",
        /// Configuration.
        config: Vec<Config> = "config",
    }
}

object! {
    /// `requests[]`.
    Request {
        /// Name.
        name: String = "name",
        /// What exactly.
        exactly: Option<Ask> = "exactly",
        /// Or the first of these.
        first_available: Vec<Ask> = "firstAvailable",
    }
}

object! {
    /// `exactly`, or one of `firstAvailable`.
    Ask {
        /// Name, of a sub-request.
        name: String = "name",
        /// Class.
        device_class_name: String = "deviceClassName",
        /// Selectors.
        selectors: Vec<Selector> = "selectors",
        /// `ExactCount` or `All`.
        allocation_mode: String = "allocationMode",
        /// How many.
        count: i64 = "count",
        /// Administrative access.
        admin_access: Option<bool> = "adminAccess",
        /// Tolerations.
        tolerations: Vec<Toleration> = "tolerations",
        /// Capacity.
        capacity: Option<CapacityAsk> = "capacity",
    }
}

object! {
    /// `capacity` of a request.
    CapacityAsk {
        /// By name.
        requests: Sorted<String, Amount> = "requests",
    }
}

object! {
    /// A toleration.
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    Toleration {
        /// Key; empty: any.
        #[serde(skip_serializing_if = "String::is_empty")]
        key: String = "key",
        /// `Equal` or `Exists`.
        #[serde(skip_serializing_if = "String::is_empty")]
        operator: String = "operator",
        /// Value.
        #[serde(skip_serializing_if = "String::is_empty")]
        value: String = "value",
        /// Effect; empty: any.
        #[serde(skip_serializing_if = "String::is_empty")]
        effect: String = "effect",
        /// How long NoExecute is tolerated.
        #[serde(skip_serializing_if = "Option::is_none")]
        toleration_seconds: Option<i64> = "tolerationSeconds",
    }
}

object! {
    /// `constraints[]`.
    Constraint {
        /// The requests it is for; none: all.
        requests: Vec<String> = "requests",
        /// All devices have the same value.
        match_attribute: Option<String> = "matchAttribute",
        /// All devices have different values.
        distinct_attribute: Option<String> = "distinctAttribute",
    }
}

object! {
    /// `status` of a ResourceClaim.
    ClaimStatus {
        /// Set once allocated.
        allocation: Option<Allocation> = "allocation",
        /// Who may use it.
        reserved_for: Vec<Consumer> = "reservedFor",
        /// Status of allocated devices.
        devices: Vec<Value> = "devices",
        /// Its driver's controller is to free it; 1.31 only.
        deallocation_requested: bool = "deallocationRequested",
    }
}

object! {
    /// `status.allocation`.
    Allocation {
        /// The devices.
        devices: AllocatedDevices = "devices",
        /// Where it can be used.
        node_selector: Option<NodeSelector> = "nodeSelector",
        /// When it was allocated: RFC 3339.
        allocation_timestamp: Option<String> = "allocationTimestamp",
    }
}

object! {
    /// `status.allocation.devices`.
    AllocatedDevices {
        /// One per device.
        results: Vec<AllocatedDevice> = "results",
    }
}

object! {
    /// `status.allocation.devices.results[]`.
    AllocatedDevice {
        /// Request or `request/subrequest`.
        request: String = "request",
        /// Driver.
        driver: String = "driver",
        /// Pool.
        pool: String = "pool",
        /// Device.
        device: String = "device",
        /// Administrative access.
        admin_access: Option<bool> = "adminAccess",
        /// Set for a share.
        share_id: Option<String> = "shareID",
        /// What the share uses.
        consumed_capacity: Option<Sorted<String, Amount>> = "consumedCapacity",
        /// Conditions awaited.
        binding_conditions: Vec<String> = "bindingConditions",
        /// Conditions that fail binding.
        binding_failure_conditions: Vec<String> = "bindingFailureConditions",
    }
}

object! {
    /// `status.reservedFor[]`.
    Consumer {
        /// API group; empty for core.
        api_group: String = "apiGroup",
        /// e.g. `pods`.
        resource: String = "resource",
        /// Name.
        name: String = "name",
        /// UID.
        uid: String = "uid",
    }
}
