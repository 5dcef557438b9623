//! Views of the device family. They read the shape of [`crate::schema::device::HUB`] and the older ones: a getter of a field that a
//! version lacks returns Go's zero value.

use super::{Entries, List, NodeSelector, ObjectMeta, Slot, Strings, views};
use crate::object::{FieldValue, Record};
use claimkit_values::time::Time;

views! {
    /// `DeviceClass`
    DeviceClass {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(DeviceClassSpec) = "spec",
        spec_slot: slot = "spec",
    }
    /// `DeviceClassSpec`
    DeviceClassSpec {
        selectors: list(DeviceSelector) = "selectors",
        config: list(DeviceConfiguration) = "config",
        extended_resource_name: str_pointer = "extendedResourceName",
        extended_resource_name_slot: slot = "extendedResourceName",
        /// Only 1.31 has it.
        suitable_nodes: pointer(NodeSelector) = "suitableNodes",
        suitable_nodes_slot: slot = "suitableNodes",
    }
    /// A configuration of a class, of a claim or of an allocation.
    DeviceConfiguration of "DeviceClassConfiguration", "DeviceClaimConfiguration", "DeviceAllocationConfiguration" {
        /// Only allocations have it.
        source: str = "source",
        /// Classes do not have it.
        requests: strings = "requests",
        opaque: pointer(OpaqueDeviceConfiguration) = "opaque",
    }
    /// `OpaqueDeviceConfiguration`
    OpaqueDeviceConfiguration {
        driver: str = "driver",
        /// It is JSON, kept as it was written.
        parameters: slot = "parameters",
    }
    /// `ResourceClaim`
    ResourceClaim {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourceClaimSpec) = "spec",
        status: inner(ResourceClaimStatus) = "status",
    }
    /// `ResourceClaimSpec`
    ResourceClaimSpec {
        devices: inner(DeviceClaim) = "devices",
        /// Only 1.31 has it.
        controller: str = "controller",
    }
    /// `ResourceClaimTemplate`
    ResourceClaimTemplate {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourceClaimTemplateSpec) = "spec",
    }
    /// `ResourceClaimTemplateSpec`
    ResourceClaimTemplateSpec {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourceClaimSpec) = "spec",
    }
    /// `DeviceClaim`
    DeviceClaim {
        requests: list(DeviceRequest) = "requests",
        constraints: list(DeviceConstraint) = "constraints",
        config: list(DeviceConfiguration) = "config",
    }
    /// `DeviceRequest`. [`DeviceRequest::flat`] reads the fields that it has itself up to v1beta1.
    DeviceRequest {
        name: str = "name",
        exactly: pointer(DeviceAsk) = "exactly",
        exactly_slot: slot = "exactly",
        first_available: list(DeviceAsk) = "firstAvailable",
    }
    /// A part that asks for devices of one class: `ExactDeviceRequest`, an alternative, or a request up to v1beta1.
    DeviceAsk of "ExactDeviceRequest", "DeviceSubRequest", "DeviceRequest" {
        /// `ExactDeviceRequest` does not have it.
        name: str = "name",
        device_class_name: str = "deviceClassName",
        device_class_name_slot: slot = "deviceClassName",
        selectors: list(DeviceSelector) = "selectors",
        allocation_mode: str = "allocationMode",
        count: int_pointer = "count",
        admin_access: bool = "adminAccess",
        has_admin_access: set = "adminAccess",
        tolerations: list(DeviceToleration) = "tolerations",
        capacity: pointer(CapacityRequirements) = "capacity",
        derived_attributes: list(DeviceDerivedAttribute) = "derivedAttributes",
    }
    /// `CapacityRequirements`
    CapacityRequirements {
        requests: quantities = "requests",
        requests_slot: slot = "requests",
    }
    /// `DeviceDerivedAttribute`
    DeviceDerivedAttribute {
        name: str = "name",
        expression: str = "expression",
        expression_slot: slot = "expression",
    }
    /// `DeviceSelector`
    DeviceSelector {
        cel: pointer(CELDeviceSelector) = "cel",
    }
    /// `CELDeviceSelector`
    CELDeviceSelector {
        expression: str = "expression",
        expression_slot: slot = "expression",
    }
    /// `DeviceConstraint`
    DeviceConstraint {
        requests: strings = "requests",
        match_attribute: str_pointer = "matchAttribute",
        distinct_attribute: str_pointer = "distinctAttribute",
        distinct_attribute_slot: slot = "distinctAttribute",
    }
    /// `DeviceToleration`
    DeviceToleration {
        key: str = "key",
        operator: str = "operator",
        value: str = "value",
        effect: str = "effect",
        effect_slot: slot = "effect",
    }
    /// `ResourceClaimStatus`
    ResourceClaimStatus {
        allocation: pointer(AllocationResult) = "allocation",
        reserved_for: list(ResourceClaimConsumerReference) = "reservedFor",
        devices: list(AllocatedDeviceStatus) = "devices",
        /// Only 1.31 has it.
        deallocation_requested: bool = "deallocationRequested",
    }
    /// `ResourceClaimConsumerReference`
    ResourceClaimConsumerReference {
        api_group: str = "apiGroup",
        resource: str = "resource",
        name: str = "name",
        uid: str = "uid",
    }
    /// `AllocationResult`
    AllocationResult {
        devices: inner(DeviceAllocationResult) = "devices",
        node_selector: pointer(NodeSelector) = "nodeSelector",
        has_allocation_timestamp: set = "allocationTimestamp",
        /// Only 1.31 has it.
        controller: str = "controller",
    }
    /// `DeviceAllocationResult`
    DeviceAllocationResult {
        results: list(DeviceRequestAllocationResult) = "results",
        config: list(DeviceConfiguration) = "config",
    }
    /// `DeviceRequestAllocationResult`
    DeviceRequestAllocationResult {
        request: str = "request",
        driver: str = "driver",
        pool: str = "pool",
        device: str = "device",
        admin_access: bool = "adminAccess",
        has_admin_access: set = "adminAccess",
        tolerations: list(DeviceToleration) = "tolerations",
        binding_conditions: strings = "bindingConditions",
        binding_failure_conditions: strings = "bindingFailureConditions",
        share_id: str_pointer = "shareID",
        share_id_slot: slot = "shareID",
        has_consumed_capacity: set = "consumedCapacity",
        consumed_capacity_slot: slot = "consumedCapacity",
        skip_node_operations: strings = "skipNodeOperations",
    }
    /// `AllocatedDeviceStatus`
    AllocatedDeviceStatus {
        driver: str = "driver",
        pool: str = "pool",
        device: str = "device",
        share_id: str_pointer = "shareID",
        share_id_slot: slot = "shareID",
        conditions: list(Condition) = "conditions",
        /// It is JSON, kept as it was written.
        data: slot = "data",
        network_data: pointer(NetworkDeviceData) = "networkData",
    }
    /// `NetworkDeviceData`
    NetworkDeviceData {
        interface_name: slot = "interfaceName",
        ips: strings = "ips",
        hardware_address: slot = "hardwareAddress",
    }
    /// `metav1.Condition`
    Condition {
        kind: str = "type",
        status: str = "status",
        observed_generation: int = "observedGeneration",
        last_transition_time: time = "lastTransitionTime",
        reason: str = "reason",
        message: str = "message",
    }
    /// `ResourceSlice`
    ResourceSlice {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourceSliceSpec) = "spec",
    }
    /// `ResourceSliceSpec`
    ResourceSliceSpec {
        driver: str = "driver",
        pool: inner(ResourcePool) = "pool",
        node_name: str_pointer = "nodeName",
        node_selector: pointer(NodeSelector) = "nodeSelector",
        all_nodes: bool_pointer = "allNodes",
        devices: list(Device) = "devices",
        has_devices: set = "devices",
        per_device_node_selection: bool_pointer = "perDeviceNodeSelection",
        per_device_node_selection_slot: slot = "perDeviceNodeSelection",
        shared_counters: list(CounterSet) = "sharedCounters",
        has_shared_counters: set = "sharedCounters",
        partition_type_attribute: str_pointer = "partitionTypeAttribute",
        partition_type_attribute_slot: slot = "partitionTypeAttribute",
        skip_node_operations: strings = "skipNodeOperations",
    }
    /// `ResourcePool`
    ResourcePool {
        name: str = "name",
        generation: int = "generation",
        resource_slice_count: int = "resourceSliceCount",
    }
    /// `Device`, and `BasicDevice`, in which older versions nest its fields.
    Device of "BasicDevice" {
        name: str = "name",
        /// Versions up to v1beta1 have it.
        basic: pointer(Device) = "basic",
        basic_slot: slot = "basic",
        attributes: entries(DeviceAttribute) = "attributes",
        capacity: entries(DeviceCapacity) = "capacity",
        consumes_counters: list(DeviceCounterConsumption) = "consumesCounters",
        node_name: str_pointer = "nodeName",
        node_selector: pointer(NodeSelector) = "nodeSelector",
        all_nodes: bool_pointer = "allNodes",
        taints: list(DeviceTaint) = "taints",
        binding_conditions: strings = "bindingConditions",
        binding_failure_conditions: strings = "bindingFailureConditions",
        allow_multiple_allocations: bool = "allowMultipleAllocations",
        /// Only 1.36 has it.
        node_allocatable_resource_mappings: entries(NodeAllocatableResourceMapping) = "nodeAllocatableResourceMappings",
        node_allocatable_resources: entries(NodeAllocatableResource) = "nodeAllocatableResources",
    }
    /// `DeviceAttribute`. Its lists are read by their names.
    DeviceAttribute {
        has_int: set = "int",
        has_bool: set = "bool",
        string: str_pointer = "string",
        string_slot: slot = "string",
        version: str_pointer = "version",
        version_slot: slot = "version",
    }
    /// `DeviceCapacity`
    DeviceCapacity {
        value: str = "value",
        request_policy: pointer(CapacityRequestPolicy) = "requestPolicy",
        request_policy_slot: slot = "requestPolicy",
    }
    /// `CapacityRequestPolicy`
    CapacityRequestPolicy {
        default_value: str_pointer = "default",
        valid_values: strings = "validValues",
        valid_range: pointer(CapacityRequestPolicyRange) = "validRange",
    }
    /// `CapacityRequestPolicyRange`
    CapacityRequestPolicyRange {
        min: str_pointer = "min",
        max: str_pointer = "max",
        step: str_pointer = "step",
    }
    /// `DeviceTaint`
    DeviceTaint {
        key: str = "key",
        value: str = "value",
        effect: str = "effect",
        effect_slot: slot = "effect",
        time_added: slot = "timeAdded",
    }
    /// `CounterSet`
    CounterSet {
        name: str = "name",
        counters: entries(Counter) = "counters",
    }
    /// `Counter`
    Counter {
        value: str = "value",
    }
    /// `DeviceCounterConsumption`
    DeviceCounterConsumption {
        counter_set: str = "counterSet",
        counters: entries(Counter) = "counters",
    }
    /// `NodeAllocatableResourceMapping`
    NodeAllocatableResourceMapping {
        capacity_key: str_pointer = "capacityKey",
        allocation_multiplier: str_pointer = "allocationMultiplier",
    }
    /// `NodeAllocatableResource`
    NodeAllocatableResource {
        mapping: pointer(NodeAllocatableMapping) = "mapping",
        overhead: pointer(NodeAllocatableOverhead) = "overhead",
    }
    /// `NodeAllocatableMapping`
    NodeAllocatableMapping {
        capacity_key: str_pointer = "capacityKey",
        capacity_multiplier: str_pointer = "capacityMultiplier",
        device_multiplier: str_pointer = "deviceMultiplier",
    }
    /// `NodeAllocatableOverhead`
    NodeAllocatableOverhead {
        per_pod: str_pointer = "perPod",
        per_container: str_pointer = "perContainer",
    }
    /// `DeviceTaintRule`
    DeviceTaintRule {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(DeviceTaintRuleSpec) = "spec",
        status: inner(DeviceTaintRuleStatus) = "status",
    }
    /// `DeviceTaintRuleSpec`
    DeviceTaintRuleSpec {
        device_selector: pointer(DeviceTaintSelector) = "deviceSelector",
        taint: inner(DeviceTaint) = "taint",
    }
    /// `DeviceTaintSelector`
    DeviceTaintSelector {
        driver: str_pointer = "driver",
        pool: str_pointer = "pool",
        device: str_pointer = "device",
        /// Releases up to 1.34 have it.
        device_class_name: str_pointer = "deviceClassName",
        device_class_name_slot: slot = "deviceClassName",
        /// Releases up to 1.34 have it.
        selectors: list(DeviceSelector) = "selectors",
    }
    /// `DeviceTaintRuleStatus`
    DeviceTaintRuleStatus {
        conditions: list(Condition) = "conditions",
    }
    /// `ResourcePoolStatusRequest`
    ResourcePoolStatusRequest {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourcePoolStatusRequestSpec) = "spec",
        spec_slot: slot = "spec",
        status: pointer(ResourcePoolStatusRequestStatus) = "status",
        status_slot: slot = "status",
    }
    /// `ResourcePoolStatusRequestSpec`
    ResourcePoolStatusRequestSpec {
        driver: str = "driver",
        pool_name: str_pointer = "poolName",
        limit: int_pointer = "limit",
    }
    /// `ResourcePoolStatusRequestStatus`
    ResourcePoolStatusRequestStatus {
        pool_count: int_pointer = "poolCount",
        pool_count_slot: slot = "poolCount",
        pools: list(PoolStatus) = "pools",
        conditions: list(Condition) = "conditions",
    }
    /// `PoolStatus`
    PoolStatus {
        driver: str = "driver",
        pool_name: str = "poolName",
        generation: int = "generation",
        resource_slice_count: int_pointer = "resourceSliceCount",
        total_devices: int_pointer = "totalDevices",
        allocated_devices: int_pointer = "allocatedDevices",
        available_devices: int_pointer = "availableDevices",
        unavailable_devices: int_pointer = "unavailableDevices",
        node_name: str_pointer = "nodeName",
        validation_error: str_pointer = "validationError",
        validation_error_slot: slot = "validationError",
    }
    /// `PodSchedulingContext` (1.31)
    PodSchedulingContext {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(PodSchedulingContextSpec) = "spec",
        status: inner(PodSchedulingContextStatus) = "status",
    }
    /// `PodSchedulingContextSpec` (1.31)
    PodSchedulingContextSpec {
        potential_nodes: strings = "potentialNodes",
    }
    /// `PodSchedulingContextStatus` (1.31)
    PodSchedulingContextStatus {
        resource_claims: list(ResourceClaimSchedulingStatus) = "resourceClaims",
    }
    /// `ResourceClaimSchedulingStatus` (1.31)
    ResourceClaimSchedulingStatus {
        name: str = "name",
        unsuitable_nodes: strings = "unsuitableNodes",
    }
}

impl<'r> DeviceRequest<'r> {
    /// Returns the request itself as what asks for devices: up to v1beta1 it has these fields.
    pub fn flat(self) -> DeviceAsk<'r> {
        DeviceAsk::of(self.record())
    }

    /// Returns true if its version has requests that ask for devices themselves.
    pub fn is_flat(self) -> bool {
        let ask = self.flat();
        ask.device_class_name_slot().field().is_some()
    }

    /// Returns what asks for devices besides the alternatives: `exactly`, or the request itself in versions without that field.
    pub fn exact(self) -> Option<DeviceAsk<'r>> {
        if self.exactly_slot().field().is_some() {
            self.exactly()
        } else {
            Some(self.flat())
        }
    }
}

/// The identity of an allocated device: driver, pool, device and share.
pub type DeviceKey<'r> = [&'r str; 4];

impl<'r> DeviceRequestAllocationResult<'r> {
    /// Returns what identifies the device.
    pub fn id(self) -> DeviceKey<'r> {
        [
            self.driver(),
            self.pool(),
            self.device(),
            self.share_id().unwrap_or_default(),
        ]
    }
}

impl<'r> AllocatedDeviceStatus<'r> {
    /// Returns what identifies the device.
    pub fn id(self) -> DeviceKey<'r> {
        [
            self.driver(),
            self.pool(),
            self.device(),
            self.share_id().unwrap_or_default(),
        ]
    }
}

/// The fields of an attribute that hold lists, in the order in which the server looks at them.
pub const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];

impl DeviceAttribute<'_> {
    /// Returns true if a list is set.
    pub fn has_lists(self) -> bool {
        self.record()
            .is_some_and(|attribute| attribute.has_any(&LISTS))
    }
}
