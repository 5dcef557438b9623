//! `resource.k8s.io/v1`: Kubernetes 1.34 and later. The structs it shares with older versions carry their first and last release.

use super::{
    ALLOCATION_MODES, ALWAYS_32, CONDITIONS_LIST, CONFIG_SOURCES, LATER_TAINT_EFFECTS, MERGED_CONDITIONS_LIST, RESERVED_FOR_LIST,
    SKIPPED_LIST, SKIPPED_OPERATIONS, STATUS_DEVICES_LIST, TAINT_EFFECTS, TEN_KIB, TOLERATION_OPERATORS, kind, limit, list,
    list_of, structs,
};
use crate::api::core::NODE_SELECTOR;
use crate::api::meta::{API_VERSION, CONDITION, KIND, METADATA, METADATA_OF_LIST, OBJECT_META};
use crate::api::{DeviceKind, Family, Field, Gate, Kind, MapType, Package, Struct, Type, Version};

/// The tables of `v1`.
pub static VERSION: Version = Version {
    name: "v1",
    api_version: "resource.k8s.io/v1",
    served: (34, None),
    on_since: Some(34),
    family: Family::Device,
    kinds: KINDS,
};

const KINDS: &[Kind] = &[
    kind(DeviceKind::DeviceClass, (34, None), None, &DEVICE_CLASS),
    kind(DeviceKind::ResourceClaim, (34, None), None, &RESOURCE_CLAIM),
    kind(DeviceKind::ResourceClaimTemplate, (34, None), None, &RESOURCE_CLAIM_TEMPLATE),
    kind(DeviceKind::ResourceSlice, (34, None), None, &RESOURCE_SLICE),
    kind(DeviceKind::DeviceTaintRule, (37, None), None, &DEVICE_TAINT_RULE),
    list(DeviceKind::DeviceClass, (34, None), &DEVICE_CLASS_LIST),
    list(DeviceKind::ResourceClaim, (34, None), &RESOURCE_CLAIM_LIST),
    list(DeviceKind::ResourceClaimTemplate, (34, None), &RESOURCE_CLAIM_TEMPLATE_LIST),
    list(DeviceKind::ResourceSlice, (34, None), &RESOURCE_SLICE_LIST),
    list(DeviceKind::DeviceTaintRule, (37, None), &DEVICE_TAINT_RULE_LIST),
];

/// `opaque` of the embedded `DeviceConfiguration`.
const OPAQUE_TYPE: &Type = &Type::Struct(&OPAQUE_DEVICE_CONFIGURATION);
const OPAQUE: Field = Field::new("opaque", "Opaque", Type::Pointer(OPAQUE_TYPE)).omit().since(31);

structs! {
    /// Devices of one kind, and how they are set up.
    DEVICE_CLASS = "DeviceClass" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", Type::Struct(&DEVICE_CLASS_SPEC)).since(31),
    }
}

structs! {
    /// The selectors and the configuration of a class.
    DEVICE_CLASS_SPEC = "DeviceClassSpec" {
        Field::new("selectors", "Selectors", Type::List(&Type::Struct(&DEVICE_SELECTOR))).omit().since(31).limits(ALWAYS_32),
        Field::new("config", "Config", Type::List(&Type::Struct(&DEVICE_CLASS_CONFIGURATION))).omit().since(31).limits(ALWAYS_32),
        Field::new("extendedResourceName", "ExtendedResourceName", Type::Pointer(&Type::String)).omit().since(34).gates(&[Gate::DRAExtendedResource]),
        Field::new("suitableNodes", "SuitableNodes", Type::Pointer(&Type::Struct(&NODE_SELECTOR))).omit().since(31).until(31).gates(&[Gate::DRAControlPlaneController]),
    }
}

structs! {
    /// One configuration of a class.
    DEVICE_CLASS_CONFIGURATION = "DeviceClassConfiguration" {
        OPAQUE.embedded("DeviceConfiguration"),
    }
}

structs! {
    /// A request for devices.
    RESOURCE_CLAIM = "ResourceClaim" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", Type::Struct(&RESOURCE_CLAIM_SPEC)).since(33),
        Field::new("status", "Status", Type::Struct(&RESOURCE_CLAIM_STATUS)).omit().since(33),
    }
}

structs! {
    /// The requests of a claim.
    RESOURCE_CLAIM_SPEC = "ResourceClaimSpec" {
        Field::new("devices", "Devices", Type::Struct(&DEVICE_CLAIM)).since(33),
    }
}

structs! {
    /// A template from which claims are made.
    RESOURCE_CLAIM_TEMPLATE = "ResourceClaimTemplate" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", Type::Struct(&RESOURCE_CLAIM_TEMPLATE_SPEC)).since(33),
    }
}

structs! {
    /// The claims of a template.
    RESOURCE_CLAIM_TEMPLATE_SPEC = "ResourceClaimTemplateSpec" {
        Field::new("metadata", "ObjectMeta", Type::Struct(&OBJECT_META)).since(33),
        Field::new("spec", "Spec", Type::Struct(&RESOURCE_CLAIM_SPEC)).since(33),
    }
}

structs! {
    /// The requests, constraints and configurations of a claim.
    DEVICE_CLAIM = "DeviceClaim" {
        Field::new("requests", "Requests", Type::List(&Type::Struct(&DEVICE_REQUEST))).since(33).limits(ALWAYS_32),
        Field::new("constraints", "Constraints", Type::List(&Type::Struct(&DEVICE_CONSTRAINT))).omit().since(33).limits(ALWAYS_32),
        Field::new("config", "Config", Type::List(&Type::Struct(&DEVICE_CLAIM_CONFIGURATION))).omit().since(33).limits(ALWAYS_32),
    }
}

structs! {
    /// One request: one of two ways to ask.
    DEVICE_REQUEST = "DeviceRequest" {
        Field::new("name", "Name", Type::String).required().since(33),
        Field::new("exactly", "Exactly", Type::Pointer(&Type::Struct(&EXACT_DEVICE_REQUEST))).omit().since(33),
        Field::new("firstAvailable", "FirstAvailable", Type::List(&Type::Struct(&DEVICE_SUB_REQUEST))).omit().since(33).gates(&[Gate::DRAPrioritizedList]).limits(&[limit(33, 8)]),
    }
}

structs! {
    /// A request for devices of one class.
    EXACT_DEVICE_REQUEST = "ExactDeviceRequest" {
        Field::new("deviceClassName", "DeviceClassName", Type::String).required().since(33),
        Field::new("selectors", "Selectors", Type::List(&Type::Struct(&DEVICE_SELECTOR))).omit().since(33).limits(ALWAYS_32),
        Field::new("allocationMode", "AllocationMode", Type::Named(Package::Resource, "DeviceAllocationMode")).omit().since(33).values(ALLOCATION_MODES),
        Field::new("count", "Count", Type::Int64).omit().since(33),
        Field::new("adminAccess", "AdminAccess", Type::Pointer(&Type::Bool)).omit().since(33).gates(&[Gate::DRAAdminAccess]),
        Field::new("tolerations", "Tolerations", Type::List(&Type::Struct(&DEVICE_TOLERATION))).omit().since(33).gates(&[Gate::DRADeviceTaints]),
        Field::new("capacity", "Capacity", Type::Pointer(&Type::Struct(&CAPACITY_REQUIREMENTS))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("derivedAttributes", "DerivedAttributes", Type::List(&Type::Struct(&DEVICE_DERIVED_ATTRIBUTE))).omit().since(37).gates(&[Gate::DRADerivedAttributes]).limits(&[limit(37, 32)]),
    }
}

structs! {
    /// One of the alternatives of `firstAvailable`.
    DEVICE_SUB_REQUEST = "DeviceSubRequest" {
        Field::new("name", "Name", Type::String).required().since(33),
        Field::new("deviceClassName", "DeviceClassName", Type::String).required().since(33),
        Field::new("selectors", "Selectors", Type::List(&Type::Struct(&DEVICE_SELECTOR))).omit().since(33).limits(ALWAYS_32),
        Field::new("allocationMode", "AllocationMode", Type::Named(Package::Resource, "DeviceAllocationMode")).omit().since(33).values(ALLOCATION_MODES),
        Field::new("count", "Count", Type::Int64).omit().since(33),
        Field::new("tolerations", "Tolerations", Type::List(&Type::Struct(&DEVICE_TOLERATION))).omit().since(33).gates(&[Gate::DRADeviceTaints]),
        Field::new("capacity", "Capacity", Type::Pointer(&Type::Struct(&CAPACITY_REQUIREMENTS))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("derivedAttributes", "DerivedAttributes", Type::List(&Type::Struct(&DEVICE_DERIVED_ATTRIBUTE))).omit().since(37).gates(&[Gate::DRADerivedAttributes]).limits(&[limit(37, 32)]),
    }
}

structs! {
    /// An attribute that is computed for each device.
    DEVICE_DERIVED_ATTRIBUTE = "DeviceDerivedAttribute" {
        Field::new("name", "Name", Type::Named(Package::Resource, "FullyQualifiedName")).required().since(37),
        Field::new("expression", "Expression", Type::String).required().since(37).limits(&[limit(37, 10 * 1024)]),
    }
}

structs! {
    /// How much of a shared device is asked for.
    CAPACITY_REQUIREMENTS = "CapacityRequirements" {
        Field::new("requests", "Requests", Type::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: Type::Quantity })).omit().since(34),
    }
}

structs! {
    /// One condition a device must meet.
    DEVICE_SELECTOR = "DeviceSelector" {
        Field::new("cel", "CEL", Type::Pointer(&Type::Struct(&CEL_DEVICE_SELECTOR))).omit().since(31),
    }
}

structs! {
    /// A condition in CEL.
    CEL_DEVICE_SELECTOR = "CELDeviceSelector" {
        Field::new("expression", "Expression", Type::String).required().since(31).limits(TEN_KIB),
    }
}

structs! {
    /// A property that the devices of several requests must share.
    DEVICE_CONSTRAINT = "DeviceConstraint" {
        Field::new("requests", "Requests", Type::List(&Type::String)).omit().since(31).limits(ALWAYS_32),
        Field::new("matchAttribute", "MatchAttribute", Type::Pointer(&Type::Named(Package::Resource, "FullyQualifiedName"))).omit().since(31),
        Field::new("distinctAttribute", "DistinctAttribute", Type::Pointer(&Type::Named(Package::Resource, "FullyQualifiedName"))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
    }
}

structs! {
    /// A configuration for some requests.
    DEVICE_CLAIM_CONFIGURATION = "DeviceClaimConfiguration" {
        Field::new("requests", "Requests", Type::List(&Type::String)).omit().since(31).limits(ALWAYS_32),
        OPAQUE.embedded("DeviceConfiguration"),
    }
}

structs! {
    /// Configuration that only the driver understands.
    OPAQUE_DEVICE_CONFIGURATION = "OpaqueDeviceConfiguration" {
        Field::new("driver", "Driver", Type::String).required().since(31).limits(&[limit(31, 63)]),
        Field::new("parameters", "Parameters", Type::Raw).required().since(31).limits(TEN_KIB),
    }
}

structs! {
    /// A taint that is accepted.
    DEVICE_TOLERATION = "DeviceToleration" {
        Field::new("key", "Key", Type::String).omit().since(33),
        Field::new("operator", "Operator", Type::Named(Package::Resource, "DeviceTolerationOperator")).omit().since(33).values(TOLERATION_OPERATORS),
        Field::new("value", "Value", Type::String).omit().since(33),
        Field::new("effect", "Effect", Type::Named(Package::Resource, "DeviceTaintEffect")).omit().since(33).values(TAINT_EFFECTS).later_values(LATER_TAINT_EFFECTS),
        Field::new("tolerationSeconds", "TolerationSeconds", Type::Pointer(&Type::Int64)).omit().since(33),
    }
}

structs! {
    RESOURCE_CLAIM_STATUS = "ResourceClaimStatus" {
        Field::new("allocation", "Allocation", Type::Pointer(&Type::Struct(&ALLOCATION_RESULT))).omit().since(31),
        Field::new("reservedFor", "ReservedFor", Type::List(&Type::Struct(&RESOURCE_CLAIM_CONSUMER_REFERENCE))).omit().since(31).limits(&[limit(31, 32), limit(32, 256)]).list(RESERVED_FOR_LIST),
        Field::new("devices", "Devices", Type::List(&Type::Struct(&ALLOCATED_DEVICE_STATUS))).omit().since(32).gates(&[Gate::DRAResourceClaimDeviceStatus]).list(STATUS_DEVICES_LIST),
        Field::new("deallocationRequested", "DeallocationRequested", Type::Bool).omit().since(31).until(31).gates(&[Gate::DRAControlPlaneController]),
    }
}

structs! {
    /// A pod or another object that may use the claim.
    RESOURCE_CLAIM_CONSUMER_REFERENCE = "ResourceClaimConsumerReference" {
        Field::new("apiGroup", "APIGroup", Type::String).omit().since(31),
        Field::new("resource", "Resource", Type::String).required().since(31),
        Field::new("name", "Name", Type::String).required().since(31),
        Field::new("uid", "UID", Type::Uid).required().since(31),
    }
}

structs! {
    ALLOCATION_RESULT = "AllocationResult" {
        Field::new("devices", "Devices", Type::Struct(&DEVICE_ALLOCATION_RESULT)).omit().since(31),
        Field::new("nodeSelector", "NodeSelector", Type::Pointer(&Type::Struct(&NODE_SELECTOR))).omit().since(31),
        Field::new("allocationTimestamp", "AllocationTimestamp", Type::Pointer(&Type::Time)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]),
        Field::new("controller", "Controller", Type::String).omit().since(31).until(31).gates(&[Gate::DRAControlPlaneController]),
    }
}

structs! {
    /// The devices that were allocated.
    DEVICE_ALLOCATION_RESULT = "DeviceAllocationResult" {
        Field::new("results", "Results", Type::List(&Type::Struct(&DEVICE_REQUEST_ALLOCATION_RESULT))).omit().since(31).limits(ALWAYS_32),
        Field::new("config", "Config", Type::List(&Type::Struct(&DEVICE_ALLOCATION_CONFIGURATION))).omit().since(31).limits(&[limit(31, 64)]),
    }
}

structs! {
    DEVICE_REQUEST_ALLOCATION_RESULT = "DeviceRequestAllocationResult" {
        Field::new("request", "Request", Type::String).required().since(31),
        Field::new("driver", "Driver", Type::String).required().since(31),
        Field::new("pool", "Pool", Type::String).required().since(31),
        Field::new("device", "Device", Type::String).required().since(31),
        Field::new("adminAccess", "AdminAccess", Type::Pointer(&Type::Bool)).omit_since(34).since(32).gates(&[Gate::DRAAdminAccess]),
        Field::new("tolerations", "Tolerations", Type::List(&Type::Struct(&DEVICE_TOLERATION))).omit().since(33).gates(&[Gate::DRADeviceTaints]),
        Field::new("bindingConditions", "BindingConditions", Type::List(&Type::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("bindingFailureConditions", "BindingFailureConditions", Type::List(&Type::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("shareID", "ShareID", Type::Pointer(&Type::Uid)).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("consumedCapacity", "ConsumedCapacity", Type::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: Type::Quantity })).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("skipNodeOperations", "SkipNodeOperations", Type::List(&Type::Named(Package::Resource, "SkipNodeOperation"))).omit().since(37).gates(&[Gate::DRAOptionalNodeOperations]).values(SKIPPED_OPERATIONS).list(SKIPPED_LIST),
    }
}

structs! {
    /// A configuration and where it came from.
    DEVICE_ALLOCATION_CONFIGURATION = "DeviceAllocationConfiguration" {
        Field::new("source", "Source", Type::Named(Package::Resource, "AllocationConfigSource")).required().since(31).values(CONFIG_SOURCES),
        Field::new("requests", "Requests", Type::List(&Type::String)).omit().since(31).limits(ALWAYS_32),
        OPAQUE.embedded("DeviceConfiguration"),
    }
}

structs! {
    /// The driver's status of an allocated device.
    ALLOCATED_DEVICE_STATUS = "AllocatedDeviceStatus" {
        Field::new("driver", "Driver", Type::String).required().since(32),
        Field::new("pool", "Pool", Type::String).required().since(32),
        Field::new("device", "Device", Type::String).required().since(32),
        Field::new("shareID", "ShareID", Type::Pointer(&Type::String)).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("conditions", "Conditions", Type::List(&Type::Struct(&CONDITION))).since(32).limits(&[limit(32, 8)]).list(CONDITIONS_LIST),
        Field::new("data", "Data", Type::Pointer(&Type::Raw)).omit().since(32).pointer_since(33).limits(TEN_KIB),
        Field::new("networkData", "NetworkData", Type::Pointer(&Type::Struct(&NETWORK_DEVICE_DATA))).omit().since(32),
    }
}

structs! {
    /// The addresses of a network device.
    NETWORK_DEVICE_DATA = "NetworkDeviceData" {
        Field::new("interfaceName", "InterfaceName", Type::String).omit().since(32).limits(&[limit(32, 256)]),
        Field::new("ips", "IPs", Type::List(&Type::String)).omit().since(32).limits(&[limit(32, 16)]),
        Field::new("hardwareAddress", "HardwareAddress", Type::String).omit().since(32).limits(&[limit(32, 128)]),
    }
}

structs! {
    /// Some devices of a pool.
    RESOURCE_SLICE = "ResourceSlice" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", Type::Struct(&RESOURCE_SLICE_SPEC)).required().since(33),
    }
}

structs! {
    /// The pool, the nodes and the devices.
    RESOURCE_SLICE_SPEC = "ResourceSliceSpec" {
        Field::new("driver", "Driver", Type::String).required().since(33),
        Field::new("pool", "Pool", Type::Struct(&RESOURCE_POOL)).required().since(33),
        Field::new("nodeName", "NodeName", Type::Pointer(&Type::String)).omit().since(33),
        Field::new("nodeSelector", "NodeSelector", Type::Pointer(&Type::Struct(&NODE_SELECTOR))).omit().since(33),
        Field::new("allNodes", "AllNodes", Type::Pointer(&Type::Bool)).omit().since(33),
        Field::new("devices", "Devices", Type::List(&Type::Struct(&DEVICE))).omit_since(35).since(33).limits(&[limit(31, 128)]),
        Field::new("perDeviceNodeSelection", "PerDeviceNodeSelection", Type::Pointer(&Type::Bool)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("sharedCounters", "SharedCounters", Type::List(&Type::Struct(&COUNTER_SET))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]).limits(&[limit(35, 8)]),
        Field::new("partitionTypeAttribute", "PartitionTypeAttribute", Type::Pointer(&Type::Named(Package::Resource, "FullyQualifiedName"))).omit().since(37).gates(&[Gate::DRAPartitionableDevicesType]),
        Field::new("skipNodeOperations", "SkipNodeOperations", Type::List(&Type::Named(Package::Resource, "SkipNodeOperation"))).omit().since(37).gates(&[Gate::DRAOptionalNodeOperations]).values(SKIPPED_OPERATIONS).list(SKIPPED_LIST),
    }
}

structs! {
    /// The pool a slice belongs to.
    RESOURCE_POOL = "ResourcePool" {
        Field::new("name", "Name", Type::String).required().since(31),
        Field::new("generation", "Generation", Type::Int64).required().since(31),
        Field::new("resourceSliceCount", "ResourceSliceCount", Type::Int64).required().since(31),
    }
}

structs! {
    DEVICE = "Device" {
        Field::new("name", "Name", Type::String).required().since(33),
        Field::new("attributes", "Attributes", Type::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: Type::Struct(&DEVICE_ATTRIBUTE) })).omit().since(33),
        Field::new("capacity", "Capacity", Type::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: Type::Struct(&DEVICE_CAPACITY) })).omit().since(33),
        Field::new("consumesCounters", "ConsumesCounters", Type::List(&Type::Struct(&DEVICE_COUNTER_CONSUMPTION))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]).limits(&[limit(35, 2)]),
        Field::new("nodeName", "NodeName", Type::Pointer(&Type::String)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("nodeSelector", "NodeSelector", Type::Pointer(&Type::Struct(&NODE_SELECTOR))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("allNodes", "AllNodes", Type::Pointer(&Type::Bool)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("taints", "Taints", Type::List(&Type::Struct(&DEVICE_TAINT))).omit().since(33).gates(&[Gate::DRADeviceTaints]).limits(&[limit(33, 4), limit(35, 16)]),
        Field::new("bindsToNode", "BindsToNode", Type::Pointer(&Type::Bool)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]),
        Field::new("bindingConditions", "BindingConditions", Type::List(&Type::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("bindingFailureConditions", "BindingFailureConditions", Type::List(&Type::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("allowMultipleAllocations", "AllowMultipleAllocations", Type::Pointer(&Type::Bool)).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("nodeAllocatableResourceMappings", "NodeAllocatableResourceMappings", Type::Map(&MapType { key: Some((Package::Core, "ResourceName")), value: Type::Struct(&NODE_ALLOCATABLE_RESOURCE_MAPPING) })).omit().since(36).until(36).gates(&[Gate::DRANodeAllocatableResources]),
        Field::new("nodeAllocatableResources", "NodeAllocatableResources", Type::Map(&MapType { key: Some((Package::Core, "ResourceName")), value: Type::Struct(&NODE_ALLOCATABLE_RESOURCE) })).omit().since(37).gates(&[Gate::DRANodeAllocatableResources]),
    }
}

structs! {
    /// Counters that devices share.
    COUNTER_SET = "CounterSet" {
        Field::new("name", "Name", Type::String).required().since(33),
        Field::new("counters", "Counters", Type::Map(&MapType { key: None, value: Type::Struct(&COUNTER) })).omit().required().since(33).limits(&[limit(35, 32)]),
    }
}

structs! {
    COUNTER = "Counter" {
        Field::new("value", "Value", Type::Quantity).required().since(33),
    }
}

structs! {
    /// The counters of a set that a device consumes.
    DEVICE_COUNTER_CONSUMPTION = "DeviceCounterConsumption" {
        Field::new("counterSet", "CounterSet", Type::String).required().since(33),
        Field::new("counters", "Counters", Type::Map(&MapType { key: None, value: Type::Struct(&COUNTER) })).omit().required().since(33).limits(&[limit(35, 32)]),
        Field::new("compatibilityGroups", "CompatibilityGroups", Type::List(&Type::String)).omit().since(37).gates(&[Gate::DRADeviceCompatibilityGroups]).limits(&[limit(37, 2)]),
    }
}

structs! {
    /// How much there is of something.
    DEVICE_CAPACITY = "DeviceCapacity" {
        Field::new("value", "Value", Type::Quantity).required().since(32),
        Field::new("requestPolicy", "RequestPolicy", Type::Pointer(&Type::Struct(&CAPACITY_REQUEST_POLICY))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
    }
}

structs! {
    /// How much of a capacity one request may take.
    CAPACITY_REQUEST_POLICY = "CapacityRequestPolicy" {
        Field::new("default", "Default", Type::Pointer(&Type::Quantity)).since(34),
        Field::new("validValues", "ValidValues", Type::List(&Type::Quantity)).omit().since(34).limits(&[limit(34, 10)]),
        Field::new("validRange", "ValidRange", Type::Pointer(&Type::Struct(&CAPACITY_REQUEST_POLICY_RANGE))).omit().since(34),
    }
}

structs! {
    /// The range of amounts.
    CAPACITY_REQUEST_POLICY_RANGE = "CapacityRequestPolicyRange" {
        Field::new("min", "Min", Type::Pointer(&Type::Quantity)).omit().required().since(34),
        Field::new("max", "Max", Type::Pointer(&Type::Quantity)).omit().since(34),
        Field::new("step", "Step", Type::Pointer(&Type::Quantity)).omit().since(34),
    }
}

structs! {
    /// One attribute: one of several types.
    DEVICE_ATTRIBUTE = "DeviceAttribute" {
        Field::new("int", "IntValue", Type::Pointer(&Type::Int64)).omit().since(31),
        Field::new("bool", "BoolValue", Type::Pointer(&Type::Bool)).omit().since(31),
        Field::new("string", "StringValue", Type::Pointer(&Type::String)).omit().since(31).limits(&[limit(31, 64)]),
        Field::new("version", "VersionValue", Type::Pointer(&Type::String)).omit().since(31).limits(&[limit(31, 64)]),
        Field::new("ints", "IntValues", Type::List(&Type::Int64)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]),
        Field::new("bools", "BoolValues", Type::List(&Type::Bool)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]),
        Field::new("strings", "StringValues", Type::List(&Type::String)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]).limits(&[limit(36, 64)]),
        Field::new("versions", "VersionValues", Type::List(&Type::String)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]).limits(&[limit(36, 64)]),
    }
}

structs! {
    /// Why a device should not be used.
    DEVICE_TAINT = "DeviceTaint" {
        Field::new("key", "Key", Type::String).required().since(33),
        Field::new("value", "Value", Type::String).omit().since(33),
        Field::new("effect", "Effect", Type::Named(Package::Resource, "DeviceTaintEffect")).required().since(33).values(TAINT_EFFECTS).later_values(LATER_TAINT_EFFECTS),
        Field::new("timeAdded", "TimeAdded", Type::Pointer(&Type::Time)).omit().since(33),
    }
}

structs! {
    /// The part of one of a node's resources that a device consumes.
    NODE_ALLOCATABLE_RESOURCE = "NodeAllocatableResource" {
        Field::new("mapping", "Mapping", Type::Pointer(&Type::Struct(&NODE_ALLOCATABLE_MAPPING))).omit().since(37),
        Field::new("overhead", "Overhead", Type::Pointer(&Type::Struct(&NODE_ALLOCATABLE_OVERHEAD))).omit().since(37),
    }
}

structs! {
    /// An amount for each device, or for each unit of a capacity.
    NODE_ALLOCATABLE_MAPPING = "NodeAllocatableMapping" {
        Field::new("capacityKey", "CapacityKey", Type::Pointer(&Type::Named(Package::Resource, "QualifiedName"))).omit().since(37),
        Field::new("capacityMultiplier", "CapacityMultiplier", Type::Pointer(&Type::Quantity)).omit().since(37),
        Field::new("deviceMultiplier", "DeviceMultiplier", Type::Pointer(&Type::Quantity)).omit().since(37),
    }
}

structs! {
    /// An amount for each pod, or for each container.
    NODE_ALLOCATABLE_OVERHEAD = "NodeAllocatableOverhead" {
        Field::new("perPod", "PerPod", Type::Pointer(&Type::Quantity)).omit().since(37),
        Field::new("perContainer", "PerContainer", Type::Pointer(&Type::Quantity)).omit().since(37),
    }
}

structs! {
    /// The parts of a node's resources that a device consumes.
    NODE_ALLOCATABLE_RESOURCE_MAPPING = "NodeAllocatableResourceMapping" {
        Field::new("capacityKey", "CapacityKey", Type::Pointer(&Type::Named(Package::Resource, "QualifiedName"))).omit().since(36),
        Field::new("allocationMultiplier", "AllocationMultiplier", Type::Pointer(&Type::Quantity)).omit().since(36),
    }
}

structs! {
    /// A taint for all devices that are selected.
    DEVICE_TAINT_RULE = "DeviceTaintRule" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", Type::Struct(&DEVICE_TAINT_RULE_SPEC)).required().since(33),
        Field::new("status", "Status", Type::Struct(&DEVICE_TAINT_RULE_STATUS)).omit().since(35),
    }
}

structs! {
    /// The devices of the rule, and their taint.
    DEVICE_TAINT_RULE_SPEC = "DeviceTaintRuleSpec" {
        Field::new("deviceSelector", "DeviceSelector", Type::Pointer(&Type::Struct(&DEVICE_TAINT_SELECTOR))).omit().since(33),
        Field::new("taint", "Taint", Type::Struct(&DEVICE_TAINT)).omit().required().since(33),
    }
}

structs! {
    /// The selector of the tainted devices.
    DEVICE_TAINT_SELECTOR = "DeviceTaintSelector" {
        Field::new("driver", "Driver", Type::Pointer(&Type::String)).omit().since(33),
        Field::new("pool", "Pool", Type::Pointer(&Type::String)).omit().since(33),
        Field::new("device", "Device", Type::Pointer(&Type::String)).omit().since(33),
        Field::new("deviceClassName", "DeviceClassName", Type::Pointer(&Type::String)).omit().since(33).until(34),
        Field::new("selectors", "Selectors", Type::List(&Type::Struct(&DEVICE_SELECTOR))).omit().since(33).until(34).limits(ALWAYS_32),
    }
}

structs! {
    /// The state of the rule.
    DEVICE_TAINT_RULE_STATUS = "DeviceTaintRuleStatus" {
        Field::new("conditions", "Conditions", Type::List(&Type::Struct(&CONDITION))).omit().since(35).limits(&[limit(35, 8)]).list(MERGED_CONDITIONS_LIST),
    }
}

list_of! {
    /// A list of them.
    DEVICE_CLASS_LIST = "DeviceClassList" of DEVICE_CLASS
}

list_of! {
    /// A list of them.
    RESOURCE_CLAIM_LIST = "ResourceClaimList" of RESOURCE_CLAIM
}

list_of! {
    /// A list of them.
    RESOURCE_CLAIM_TEMPLATE_LIST = "ResourceClaimTemplateList" of RESOURCE_CLAIM_TEMPLATE
}

list_of! {
    /// A list of them.
    RESOURCE_SLICE_LIST = "ResourceSliceList" of RESOURCE_SLICE
}

list_of! {
    /// A list of them.
    DEVICE_TAINT_RULE_LIST = "DeviceTaintRuleList" of DEVICE_TAINT_RULE
}
