//! ResourceClaims.

use super::read::{Datum, FactReader, ReadFact};
use super::{Config, Meta, NodeSelector, Pod, Selector};
use crate::allocator::amount::Amount;
use crate::allocator::sorted::Sorted;
use serde::Serialize;
use serde_json::Value;

object! {
    Claim {
        metadata: Meta = "metadata",
        spec: ClaimSpec = "spec",
        status: ClaimStatus = "status",
    }
}

object! {
    Template {
        metadata: Meta = "metadata",
        spec: TemplateSpec = "spec",
    }
}

object! {
    /// `spec` of a ResourceClaimTemplate.
    TemplateSpec {
        /// The spec of the claims.
        spec: ClaimSpec = "spec",
    }
}

object! {
    /// `spec` of a ResourceClaim.
    ClaimSpec {
        devices: DeviceClaim = "devices",
        /// The driver's own controller allocates; 1.31 only.
        controller: String = "controller",
    }
}

object! {
    /// `spec.devices`.
    DeviceClaim {
        requests: Vec<ClaimRequest> = "requests",
        /// Constraints between the requests.
        constraints: Vec<Constraint> = "constraints",
        config: Vec<Config> = "config",
    }
}

object! {
    /// `requests[]`.
    ClaimRequest {
        name: String = "name",
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
        device_class_name: String = "deviceClassName",
        selectors: Vec<Selector> = "selectors",
        /// `ExactCount` or `All`.
        allocation_mode: String = "allocationMode",
        count: i64 = "count",
        admin_access: Option<bool> = "adminAccess",
        tolerations: Vec<Toleration> = "tolerations",
        capacity: Option<CapacityAsk> = "capacity",
        /// Attributes to compute, for constraints.
        derived_attributes: Vec<Derived> = "derivedAttributes",
    }
}

object! {
    /// `derivedAttributes[]` of a request.
    Derived {
        /// The name that constraints call it.
        name: String = "name",
        expression: String = "expression",
    }
}

object! {
    /// `capacity` of a request.
    CapacityAsk {
        /// Keyed by the name.
        requests: Sorted<String, Amount> = "requests",
    }
}

object! {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    Toleration {
        /// The taint's key; empty matches any.
        #[serde(skip_serializing_if = "String::is_empty")]
        key: String = "key",
        /// `Equal` or `Exists`.
        #[serde(skip_serializing_if = "String::is_empty")]
        operator: String = "operator",
        #[serde(skip_serializing_if = "String::is_empty")]
        value: String = "value",
        /// The taint's effect; empty matches any.
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
        /// Set once the claim is allocated.
        allocation: Option<ClaimAllocation> = "allocation",
        /// The pods that may use it.
        reserved_for: Vec<Consumer> = "reservedFor",
        /// Status of allocated devices.
        devices: Vec<Value> = "devices",
        /// Its driver's controller is to free it; 1.31 only.
        deallocation_requested: bool = "deallocationRequested",
    }
}

impl ClaimStatus {
    /// Returns true if the status of an allocated device has a condition that is true.
    pub fn meets(&self, device: &AllocatedDevice, condition: &str) -> bool {
        self.devices.iter().any(|one| {
            let conditions = one.get("conditions").and_then(Value::as_array);
            has_text(one, "driver", &device.driver)
                && has_text(one, "pool", &device.pool)
                && has_text(one, "device", &device.device)
                && conditions.into_iter().flatten().any(|known| {
                    has_text(known, "type", condition) && has_text(known, "status", "True")
                })
        })
    }
}

fn has_text(object: &Value, member: &str, text: &str) -> bool {
    object.get(member).and_then(Value::as_str) == Some(text)
}

object! {
    /// `status.allocation`.
    ClaimAllocation {
        devices: AllocatedDevices = "devices",
        /// The nodes where it can be used.
        node_selector: Option<NodeSelector> = "nodeSelector",
        /// When it was allocated: RFC 3339.
        allocation_timestamp: Option<String> = "allocationTimestamp",
    }
}

object! {
    /// `status.allocation.devices`.
    AllocatedDevices {
        /// One entry per device.
        results: Vec<AllocatedDevice> = "results",
    }
}

object! {
    /// `status.allocation.devices.results[]`.
    AllocatedDevice {
        /// Request or `request/subrequest`.
        request: String = "request",
        driver: String = "driver",
        pool: String = "pool",
        device: String = "device",
        admin_access: Option<bool> = "adminAccess",
        /// Set for a share.
        share_id: Option<String> = "shareID",
        /// The capacity that the share consumes.
        consumed_capacity: Option<Sorted<String, Amount>> = "consumedCapacity",
        binding_conditions: Vec<String> = "bindingConditions",
        /// Conditions that fail binding.
        binding_failure_conditions: Vec<String> = "bindingFailureConditions",
        /// Tolerations of the request.
        tolerations: Vec<Toleration> = "tolerations",
    }
}

object! {
    /// `status.reservedFor[]`.
    #[derive(Eq)]
    Consumer {
        /// API group; empty for core.
        api_group: String = "apiGroup",
        /// e.g. `pods`.
        resource: String = "resource",
        name: String = "name",
        uid: String = "uid",
    }
}

impl Claim {
    /// Returns the devices of its allocation; none if it is not allocated.
    pub fn allocated_devices(&self) -> &[AllocatedDevice] {
        match &self.status.allocation {
            Some(allocation) => &allocation.devices.results,
            None => &[],
        }
    }

    /// Returns true if it is reserved for a pod, or for its group.
    pub fn is_reserved_for(&self, pod: &Pod) -> bool {
        let mut users = self.status.reserved_for.iter();
        users.any(|user| match user.resource.as_str() {
            "pods" => {
                let has_uids = !user.uid.is_empty() && !pod.metadata.uid.is_empty();
                user.name == pod.metadata.name && (!has_uids || user.uid == pod.metadata.uid)
            }
            "podgroups" => Some(user.name.as_str()) == pod.group_name(),
            _ => false,
        })
    }
}
