//! `resource.k8s.io/v1`: Kubernetes 1.34 and later. The structs it shares with older versions carry their first and last release.

use super::{
    ALLOCATION_MODES, ALWAYS_32, CONDITIONS_LIST, CONFIG_SOURCES, LATER_TAINT_EFFECTS,
    MERGED_CONDITIONS_LIST, RESERVED_FOR_LIST, SKIPPED_LIST, SKIPPED_OPERATIONS,
    STATUS_DEVICES_LIST, TAINT_EFFECTS, TEN_KIB, TOLERATION_OPERATORS, kind, limit, list, list_of,
    structs,
};
use crate::schema::core::NODE_SELECTOR;
use crate::schema::meta::{API_VERSION, CONDITION, KIND, METADATA, METADATA_OF_LIST, OBJECT_META};
use crate::schema::{
    ApiKind, DeviceKind, Family, Field, FieldType, Gate, MapType, Package, Struct, Version,
};

/// The tables of `v1`.
pub static VERSION: Version = Version {
    name: "v1",
    api_version: "resource.k8s.io/v1",
    served: (34, None),
    on_since: Some(34),
    family: Family::Device,
    kinds: KINDS,
};

const KINDS: &[ApiKind] = &[
    kind(DeviceKind::DeviceClass, (34, None), &[], &DEVICE_CLASS),
    kind(DeviceKind::ResourceClaim, (34, None), &[], &RESOURCE_CLAIM),
    kind(
        DeviceKind::ResourceClaimTemplate,
        (34, None),
        &[],
        &RESOURCE_CLAIM_TEMPLATE,
    ),
    kind(DeviceKind::ResourceSlice, (34, None), &[], &RESOURCE_SLICE),
    kind(
        DeviceKind::DeviceTaintRule,
        (37, None),
        &[],
        &DEVICE_TAINT_RULE,
    ),
    list(DeviceKind::DeviceClass, (34, None), &DEVICE_CLASS_LIST),
    list(DeviceKind::ResourceClaim, (34, None), &RESOURCE_CLAIM_LIST),
    list(
        DeviceKind::ResourceClaimTemplate,
        (34, None),
        &RESOURCE_CLAIM_TEMPLATE_LIST,
    ),
    list(DeviceKind::ResourceSlice, (34, None), &RESOURCE_SLICE_LIST),
    list(
        DeviceKind::DeviceTaintRule,
        (37, None),
        &DEVICE_TAINT_RULE_LIST,
    ),
];

/// `opaque` of the embedded `DeviceConfiguration`.
const OPAQUE_TYPE: &FieldType = &FieldType::Struct(&OPAQUE_DEVICE_CONFIGURATION);
const OPAQUE: Field = Field::new("opaque", "Opaque", FieldType::Pointer(OPAQUE_TYPE))
    .omit()
    .since(31);

structs! {
    /// Devices of one kind, and how they are set up.
    DEVICE_CLASS = "DeviceClass" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&DEVICE_CLASS_SPEC)).since(31),
    }
}

structs! {
    /// The selectors and the configuration of a class.
    DEVICE_CLASS_SPEC = "DeviceClassSpec" {
        Field::new("selectors", "Selectors", FieldType::List(&FieldType::Struct(&DEVICE_SELECTOR))).omit().since(31).limits(ALWAYS_32),
        Field::new("config", "Config", FieldType::List(&FieldType::Struct(&DEVICE_CLASS_CONFIGURATION))).omit().since(31).limits(ALWAYS_32),
        Field::new("extendedResourceName", "ExtendedResourceName", FieldType::Pointer(&FieldType::String)).omit().since(34).gates(&[Gate::DRAExtendedResource]),
        Field::new("suitableNodes", "SuitableNodes", FieldType::Pointer(&FieldType::Struct(&NODE_SELECTOR))).omit().since(31).until(31).gates(&[Gate::DRAControlPlaneController]),
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
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_SPEC)).since(33),
        Field::new("status", "Status", FieldType::Struct(&RESOURCE_CLAIM_STATUS)).omit().since(33),
    }
}

structs! {
    /// The requests of a claim.
    RESOURCE_CLAIM_SPEC = "ResourceClaimSpec" {
        Field::new("devices", "Devices", FieldType::Struct(&DEVICE_CLAIM)).since(33),
    }
}

structs! {
    /// A template from which claims are made.
    RESOURCE_CLAIM_TEMPLATE = "ResourceClaimTemplate" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_TEMPLATE_SPEC)).since(33),
    }
}

structs! {
    /// The claims of a template.
    RESOURCE_CLAIM_TEMPLATE_SPEC = "ResourceClaimTemplateSpec" {
        Field::new("metadata", "ObjectMeta", FieldType::Struct(&OBJECT_META)).since(33),
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_SPEC)).since(33),
    }
}

structs! {
    /// The requests, constraints and configurations of a claim.
    DEVICE_CLAIM = "DeviceClaim" {
        Field::new("requests", "Requests", FieldType::List(&FieldType::Struct(&DEVICE_REQUEST))).since(33).limits(ALWAYS_32),
        Field::new("constraints", "Constraints", FieldType::List(&FieldType::Struct(&DEVICE_CONSTRAINT))).omit().since(33).limits(ALWAYS_32),
        Field::new("config", "Config", FieldType::List(&FieldType::Struct(&DEVICE_CLAIM_CONFIGURATION))).omit().since(33).limits(ALWAYS_32),
    }
}

structs! {
    /// One request: one of two ways to ask.
    DEVICE_REQUEST = "DeviceRequest" {
        Field::new("name", "Name", FieldType::String).required().since(33),
        Field::new("exactly", "Exactly", FieldType::Pointer(&FieldType::Struct(&EXACT_DEVICE_REQUEST))).omit().since(33),
        Field::new("firstAvailable", "FirstAvailable", FieldType::List(&FieldType::Struct(&DEVICE_SUB_REQUEST))).omit().since(33).gates(&[Gate::DRAPrioritizedList]).limits(&[limit(33, 8)]),
    }
}

structs! {
    /// A request for devices of one class.
    EXACT_DEVICE_REQUEST = "ExactDeviceRequest" {
        Field::new("deviceClassName", "DeviceClassName", FieldType::String).required().since(33),
        Field::new("selectors", "Selectors", FieldType::List(&FieldType::Struct(&DEVICE_SELECTOR))).omit().since(33).limits(ALWAYS_32),
        Field::new("allocationMode", "AllocationMode", FieldType::Named(Package::Resource, "DeviceAllocationMode")).omit().since(33).values(ALLOCATION_MODES),
        Field::new("count", "Count", FieldType::Int64).omit().since(33),
        Field::new("adminAccess", "AdminAccess", FieldType::Pointer(&FieldType::Bool)).omit().since(33).gates(&[Gate::DRAAdminAccess]),
        Field::new("tolerations", "Tolerations", FieldType::List(&FieldType::Struct(&DEVICE_TOLERATION))).omit().since(33).gates(&[Gate::DRADeviceTaints]),
        Field::new("capacity", "Capacity", FieldType::Pointer(&FieldType::Struct(&CAPACITY_REQUIREMENTS))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("derivedAttributes", "DerivedAttributes", FieldType::List(&FieldType::Struct(&DEVICE_DERIVED_ATTRIBUTE))).omit().since(37).gates(&[Gate::DRADerivedAttributes]).limits(&[limit(37, 32)]),
    }
}

structs! {
    /// One of the alternatives of `firstAvailable`.
    DEVICE_SUB_REQUEST = "DeviceSubRequest" {
        Field::new("name", "Name", FieldType::String).required().since(33),
        Field::new("deviceClassName", "DeviceClassName", FieldType::String).required().since(33),
        Field::new("selectors", "Selectors", FieldType::List(&FieldType::Struct(&DEVICE_SELECTOR))).omit().since(33).limits(ALWAYS_32),
        Field::new("allocationMode", "AllocationMode", FieldType::Named(Package::Resource, "DeviceAllocationMode")).omit().since(33).values(ALLOCATION_MODES),
        Field::new("count", "Count", FieldType::Int64).omit().since(33),
        Field::new("tolerations", "Tolerations", FieldType::List(&FieldType::Struct(&DEVICE_TOLERATION))).omit().since(33).gates(&[Gate::DRADeviceTaints]),
        Field::new("capacity", "Capacity", FieldType::Pointer(&FieldType::Struct(&CAPACITY_REQUIREMENTS))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("derivedAttributes", "DerivedAttributes", FieldType::List(&FieldType::Struct(&DEVICE_DERIVED_ATTRIBUTE))).omit().since(37).gates(&[Gate::DRADerivedAttributes]).limits(&[limit(37, 32)]),
    }
}

structs! {
    /// An attribute that is computed for each device.
    DEVICE_DERIVED_ATTRIBUTE = "DeviceDerivedAttribute" {
        Field::new("name", "Name", FieldType::Named(Package::Resource, "FullyQualifiedName")).required().since(37),
        Field::new("expression", "Expression", FieldType::String).required().since(37).limits(&[limit(37, 10 * 1024)]),
    }
}

structs! {
    /// How much of a shared device is asked for.
    CAPACITY_REQUIREMENTS = "CapacityRequirements" {
        Field::new("requests", "Requests", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Quantity })).omit().since(34),
    }
}

structs! {
    /// One condition a device must meet.
    DEVICE_SELECTOR = "DeviceSelector" {
        Field::new("cel", "CEL", FieldType::Pointer(&FieldType::Struct(&CEL_DEVICE_SELECTOR))).omit().since(31),
    }
}

structs! {
    /// A condition in CEL.
    CEL_DEVICE_SELECTOR = "CELDeviceSelector" {
        Field::new("expression", "Expression", FieldType::String).required().since(31).limits(TEN_KIB),
    }
}

structs! {
    /// A property that the devices of several requests must share.
    DEVICE_CONSTRAINT = "DeviceConstraint" {
        Field::new("requests", "Requests", FieldType::List(&FieldType::String)).omit().since(31).limits(ALWAYS_32),
        Field::new("matchAttribute", "MatchAttribute", FieldType::Pointer(&FieldType::Named(Package::Resource, "FullyQualifiedName"))).omit().since(31),
        Field::new("distinctAttribute", "DistinctAttribute", FieldType::Pointer(&FieldType::Named(Package::Resource, "FullyQualifiedName"))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
    }
}

structs! {
    /// A configuration for some requests.
    DEVICE_CLAIM_CONFIGURATION = "DeviceClaimConfiguration" {
        Field::new("requests", "Requests", FieldType::List(&FieldType::String)).omit().since(31).limits(ALWAYS_32),
        OPAQUE.embedded("DeviceConfiguration"),
    }
}

structs! {
    /// Configuration that only the driver understands.
    OPAQUE_DEVICE_CONFIGURATION = "OpaqueDeviceConfiguration" {
        Field::new("driver", "Driver", FieldType::String).required().since(31).limits(&[limit(31, 63)]),
        Field::new("parameters", "Parameters", FieldType::Raw).required().since(31).limits(TEN_KIB),
    }
}

structs! {
    /// A taint that is accepted.
    DEVICE_TOLERATION = "DeviceToleration" {
        Field::new("key", "Key", FieldType::String).omit().since(33),
        Field::new("operator", "Operator", FieldType::Named(Package::Resource, "DeviceTolerationOperator")).omit().since(33).values(TOLERATION_OPERATORS),
        Field::new("value", "Value", FieldType::String).omit().since(33),
        Field::new("effect", "Effect", FieldType::Named(Package::Resource, "DeviceTaintEffect")).omit().since(33).values(TAINT_EFFECTS).later_values(LATER_TAINT_EFFECTS),
        Field::new("tolerationSeconds", "TolerationSeconds", FieldType::Pointer(&FieldType::Int64)).omit().since(33),
    }
}

structs! {
    RESOURCE_CLAIM_STATUS = "ResourceClaimStatus" {
        Field::new("allocation", "Allocation", FieldType::Pointer(&FieldType::Struct(&ALLOCATION_RESULT))).omit().since(31),
        Field::new("reservedFor", "ReservedFor", FieldType::List(&FieldType::Struct(&RESOURCE_CLAIM_CONSUMER_REFERENCE))).omit().since(31).limits(&[limit(31, 32), limit(32, 256)]).list(RESERVED_FOR_LIST),
        Field::new("devices", "Devices", FieldType::List(&FieldType::Struct(&ALLOCATED_DEVICE_STATUS))).omit().since(32).gates(&[Gate::DRAResourceClaimDeviceStatus]).list(STATUS_DEVICES_LIST),
        Field::new("deallocationRequested", "DeallocationRequested", FieldType::Bool).omit().since(31).until(31).gates(&[Gate::DRAControlPlaneController]),
    }
}

structs! {
    /// A pod or another object that may use the claim.
    RESOURCE_CLAIM_CONSUMER_REFERENCE = "ResourceClaimConsumerReference" {
        Field::new("apiGroup", "APIGroup", FieldType::String).omit().since(31),
        Field::new("resource", "Resource", FieldType::String).required().since(31),
        Field::new("name", "Name", FieldType::String).required().since(31),
        Field::new("uid", "UID", FieldType::Uid).required().since(31),
    }
}

structs! {
    ALLOCATION_RESULT = "AllocationResult" {
        Field::new("devices", "Devices", FieldType::Struct(&DEVICE_ALLOCATION_RESULT)).omit().since(31),
        Field::new("nodeSelector", "NodeSelector", FieldType::Pointer(&FieldType::Struct(&NODE_SELECTOR))).omit().since(31),
        Field::new("allocationTimestamp", "AllocationTimestamp", FieldType::Pointer(&FieldType::Time)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]),
        Field::new("controller", "Controller", FieldType::String).omit().since(31).until(31).gates(&[Gate::DRAControlPlaneController]),
    }
}

structs! {
    /// The devices that were allocated.
    DEVICE_ALLOCATION_RESULT = "DeviceAllocationResult" {
        Field::new("results", "Results", FieldType::List(&FieldType::Struct(&DEVICE_REQUEST_ALLOCATION_RESULT))).omit().since(31).limits(ALWAYS_32),
        Field::new("config", "Config", FieldType::List(&FieldType::Struct(&DEVICE_ALLOCATION_CONFIGURATION))).omit().since(31).limits(&[limit(31, 64)]),
    }
}

structs! {
    DEVICE_REQUEST_ALLOCATION_RESULT = "DeviceRequestAllocationResult" {
        Field::new("request", "Request", FieldType::String).required().since(31),
        Field::new("driver", "Driver", FieldType::String).required().since(31),
        Field::new("pool", "Pool", FieldType::String).required().since(31),
        Field::new("device", "Device", FieldType::String).required().since(31),
        Field::new("adminAccess", "AdminAccess", FieldType::Pointer(&FieldType::Bool)).omit_since(34).since(32).gates(&[Gate::DRAAdminAccess]),
        Field::new("tolerations", "Tolerations", FieldType::List(&FieldType::Struct(&DEVICE_TOLERATION))).omit().since(33).gates(&[Gate::DRADeviceTaints]),
        Field::new("bindingConditions", "BindingConditions", FieldType::List(&FieldType::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("bindingFailureConditions", "BindingFailureConditions", FieldType::List(&FieldType::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("shareID", "ShareID", FieldType::Pointer(&FieldType::Uid)).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("consumedCapacity", "ConsumedCapacity", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Quantity })).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("skipNodeOperations", "SkipNodeOperations", FieldType::List(&FieldType::Named(Package::Resource, "SkipNodeOperation"))).omit().since(37).gates(&[Gate::DRAOptionalNodeOperations]).values(SKIPPED_OPERATIONS).list(SKIPPED_LIST),
    }
}

structs! {
    /// A configuration and where it came from.
    DEVICE_ALLOCATION_CONFIGURATION = "DeviceAllocationConfiguration" {
        Field::new("source", "Source", FieldType::Named(Package::Resource, "AllocationConfigSource")).required().since(31).values(CONFIG_SOURCES),
        Field::new("requests", "Requests", FieldType::List(&FieldType::String)).omit().since(31).limits(ALWAYS_32),
        OPAQUE.embedded("DeviceConfiguration"),
    }
}

structs! {
    /// The driver's status of an allocated device.
    ALLOCATED_DEVICE_STATUS = "AllocatedDeviceStatus" {
        Field::new("driver", "Driver", FieldType::String).required().since(32),
        Field::new("pool", "Pool", FieldType::String).required().since(32),
        Field::new("device", "Device", FieldType::String).required().since(32),
        Field::new("shareID", "ShareID", FieldType::Pointer(&FieldType::String)).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("conditions", "Conditions", FieldType::List(&FieldType::Struct(&CONDITION))).since(32).limits(&[limit(32, 8)]).list(CONDITIONS_LIST),
        Field::new("data", "Data", FieldType::Pointer(&FieldType::Raw)).omit().since(32).pointer_since(33).limits(TEN_KIB),
        Field::new("networkData", "NetworkData", FieldType::Pointer(&FieldType::Struct(&NETWORK_DEVICE_DATA))).omit().since(32),
    }
}

structs! {
    /// The addresses of a network device.
    NETWORK_DEVICE_DATA = "NetworkDeviceData" {
        Field::new("interfaceName", "InterfaceName", FieldType::String).omit().since(32).limits(&[limit(32, 256)]),
        Field::new("ips", "IPs", FieldType::List(&FieldType::String)).omit().since(32).limits(&[limit(32, 16)]),
        Field::new("hardwareAddress", "HardwareAddress", FieldType::String).omit().since(32).limits(&[limit(32, 128)]),
    }
}

structs! {
    /// Some devices of a pool.
    RESOURCE_SLICE = "ResourceSlice" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_SLICE_SPEC)).required().since(33),
    }
}

structs! {
    /// The pool, the nodes and the devices.
    RESOURCE_SLICE_SPEC = "ResourceSliceSpec" {
        Field::new("driver", "Driver", FieldType::String).required().since(33),
        Field::new("pool", "Pool", FieldType::Struct(&RESOURCE_POOL)).required().since(33),
        Field::new("nodeName", "NodeName", FieldType::Pointer(&FieldType::String)).omit().since(33),
        Field::new("nodeSelector", "NodeSelector", FieldType::Pointer(&FieldType::Struct(&NODE_SELECTOR))).omit().since(33),
        Field::new("allNodes", "AllNodes", FieldType::Pointer(&FieldType::Bool)).omit().since(33),
        Field::new("devices", "Devices", FieldType::List(&FieldType::Struct(&DEVICE))).omit_since(35).since(33).limits(&[limit(31, 128)]),
        Field::new("perDeviceNodeSelection", "PerDeviceNodeSelection", FieldType::Pointer(&FieldType::Bool)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("sharedCounters", "SharedCounters", FieldType::List(&FieldType::Struct(&COUNTER_SET))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]).limits(&[limit(35, 8)]),
        Field::new("partitionTypeAttribute", "PartitionTypeAttribute", FieldType::Pointer(&FieldType::Named(Package::Resource, "FullyQualifiedName"))).omit().since(37).gates(&[Gate::DRAPartitionableDevicesType]),
        Field::new("skipNodeOperations", "SkipNodeOperations", FieldType::List(&FieldType::Named(Package::Resource, "SkipNodeOperation"))).omit().since(37).gates(&[Gate::DRAOptionalNodeOperations]).values(SKIPPED_OPERATIONS).list(SKIPPED_LIST),
    }
}

structs! {
    /// The pool a slice belongs to.
    RESOURCE_POOL = "ResourcePool" {
        Field::new("name", "Name", FieldType::String).required().since(31),
        Field::new("generation", "Generation", FieldType::Int64).required().since(31),
        Field::new("resourceSliceCount", "ResourceSliceCount", FieldType::Int64).required().since(31),
    }
}

structs! {
    DEVICE = "Device" {
        Field::new("name", "Name", FieldType::String).required().since(33),
        Field::new("attributes", "Attributes", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Struct(&DEVICE_ATTRIBUTE) })).omit().since(33),
        Field::new("capacity", "Capacity", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Struct(&DEVICE_CAPACITY) })).omit().since(33),
        Field::new("consumesCounters", "ConsumesCounters", FieldType::List(&FieldType::Struct(&DEVICE_COUNTER_CONSUMPTION))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]).limits(&[limit(35, 2)]),
        Field::new("nodeName", "NodeName", FieldType::Pointer(&FieldType::String)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("nodeSelector", "NodeSelector", FieldType::Pointer(&FieldType::Struct(&NODE_SELECTOR))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("allNodes", "AllNodes", FieldType::Pointer(&FieldType::Bool)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("taints", "Taints", FieldType::List(&FieldType::Struct(&DEVICE_TAINT))).omit().since(33).gates(&[Gate::DRADeviceTaints]).limits(&[limit(33, 4), limit(35, 16)]),
        Field::new("bindsToNode", "BindsToNode", FieldType::Pointer(&FieldType::Bool)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]),
        Field::new("bindingConditions", "BindingConditions", FieldType::List(&FieldType::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("bindingFailureConditions", "BindingFailureConditions", FieldType::List(&FieldType::String)).omit().since(34).gates(&[Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus]).limits(&[limit(34, 4)]),
        Field::new("allowMultipleAllocations", "AllowMultipleAllocations", FieldType::Pointer(&FieldType::Bool)).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("nodeAllocatableResourceMappings", "NodeAllocatableResourceMappings", FieldType::Map(&MapType { key: Some((Package::Core, "ResourceName")), value: FieldType::Struct(&NODE_ALLOCATABLE_RESOURCE_MAPPING) })).omit().since(36).until(36).gates(&[Gate::DRANodeAllocatableResources]),
        Field::new("nodeAllocatableResources", "NodeAllocatableResources", FieldType::Map(&MapType { key: Some((Package::Core, "ResourceName")), value: FieldType::Struct(&NODE_ALLOCATABLE_RESOURCE) })).omit().since(37).gates(&[Gate::DRANodeAllocatableResources]),
    }
}

structs! {
    /// Counters that devices share.
    COUNTER_SET = "CounterSet" {
        Field::new("name", "Name", FieldType::String).required().since(33),
        Field::new("counters", "Counters", FieldType::Map(&MapType { key: None, value: FieldType::Struct(&COUNTER) })).omit().required().since(33).limits(&[limit(35, 32)]),
    }
}

structs! {
    COUNTER = "Counter" {
        Field::new("value", "Value", FieldType::Quantity).required().since(33),
    }
}

structs! {
    /// The counters of a set that a device consumes.
    DEVICE_COUNTER_CONSUMPTION = "DeviceCounterConsumption" {
        Field::new("counterSet", "CounterSet", FieldType::String).required().since(33),
        Field::new("counters", "Counters", FieldType::Map(&MapType { key: None, value: FieldType::Struct(&COUNTER) })).omit().required().since(33).limits(&[limit(35, 32)]),
        Field::new("compatibilityGroups", "CompatibilityGroups", FieldType::List(&FieldType::String)).omit().since(37).gates(&[Gate::DRADeviceCompatibilityGroups]).limits(&[limit(37, 2)]),
    }
}

structs! {
    /// How much there is of something.
    DEVICE_CAPACITY = "DeviceCapacity" {
        Field::new("value", "Value", FieldType::Quantity).required().since(32),
        Field::new("requestPolicy", "RequestPolicy", FieldType::Pointer(&FieldType::Struct(&CAPACITY_REQUEST_POLICY))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
    }
}

structs! {
    /// How much of a capacity one request may take.
    CAPACITY_REQUEST_POLICY = "CapacityRequestPolicy" {
        Field::new("default", "Default", FieldType::Pointer(&FieldType::Quantity)).since(34),
        Field::new("validValues", "ValidValues", FieldType::List(&FieldType::Quantity)).omit().since(34).limits(&[limit(34, 10)]),
        Field::new("validRange", "ValidRange", FieldType::Pointer(&FieldType::Struct(&CAPACITY_REQUEST_POLICY_RANGE))).omit().since(34),
    }
}

structs! {
    /// The range of amounts.
    CAPACITY_REQUEST_POLICY_RANGE = "CapacityRequestPolicyRange" {
        Field::new("min", "Min", FieldType::Pointer(&FieldType::Quantity)).omit().required().since(34),
        Field::new("max", "Max", FieldType::Pointer(&FieldType::Quantity)).omit().since(34),
        Field::new("step", "Step", FieldType::Pointer(&FieldType::Quantity)).omit().since(34),
    }
}

structs! {
    /// One attribute: one of several types.
    DEVICE_ATTRIBUTE = "DeviceAttribute" {
        Field::new("int", "IntValue", FieldType::Pointer(&FieldType::Int64)).omit().since(31),
        Field::new("bool", "BoolValue", FieldType::Pointer(&FieldType::Bool)).omit().since(31),
        Field::new("string", "StringValue", FieldType::Pointer(&FieldType::String)).omit().since(31).limits(&[limit(31, 64)]),
        Field::new("version", "VersionValue", FieldType::Pointer(&FieldType::String)).omit().since(31).limits(&[limit(31, 64)]),
        Field::new("ints", "IntValues", FieldType::List(&FieldType::Int64)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]),
        Field::new("bools", "BoolValues", FieldType::List(&FieldType::Bool)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]),
        Field::new("strings", "StringValues", FieldType::List(&FieldType::String)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]).limits(&[limit(36, 64)]),
        Field::new("versions", "VersionValues", FieldType::List(&FieldType::String)).omit().since(36).gates(&[Gate::DRAListTypeAttributes]).limits(&[limit(36, 64)]),
    }
}

structs! {
    /// Why a device should not be used.
    DEVICE_TAINT = "DeviceTaint" {
        Field::new("key", "Key", FieldType::String).required().since(33),
        Field::new("value", "Value", FieldType::String).omit().since(33),
        Field::new("effect", "Effect", FieldType::Named(Package::Resource, "DeviceTaintEffect")).required().since(33).values(TAINT_EFFECTS).later_values(LATER_TAINT_EFFECTS),
        Field::new("timeAdded", "TimeAdded", FieldType::Pointer(&FieldType::Time)).omit().since(33),
    }
}

structs! {
    /// The part of one of a node's resources that a device consumes.
    NODE_ALLOCATABLE_RESOURCE = "NodeAllocatableResource" {
        Field::new("mapping", "Mapping", FieldType::Pointer(&FieldType::Struct(&NODE_ALLOCATABLE_MAPPING))).omit().since(37),
        Field::new("overhead", "Overhead", FieldType::Pointer(&FieldType::Struct(&NODE_ALLOCATABLE_OVERHEAD))).omit().since(37),
    }
}

structs! {
    /// An amount for each device, or for each unit of a capacity.
    NODE_ALLOCATABLE_MAPPING = "NodeAllocatableMapping" {
        Field::new("capacityKey", "CapacityKey", FieldType::Pointer(&FieldType::Named(Package::Resource, "QualifiedName"))).omit().since(37),
        Field::new("capacityMultiplier", "CapacityMultiplier", FieldType::Pointer(&FieldType::Quantity)).omit().since(37),
        Field::new("deviceMultiplier", "DeviceMultiplier", FieldType::Pointer(&FieldType::Quantity)).omit().since(37),
    }
}

structs! {
    /// An amount for each pod, or for each container.
    NODE_ALLOCATABLE_OVERHEAD = "NodeAllocatableOverhead" {
        Field::new("perPod", "PerPod", FieldType::Pointer(&FieldType::Quantity)).omit().since(37),
        Field::new("perContainer", "PerContainer", FieldType::Pointer(&FieldType::Quantity)).omit().since(37),
    }
}

structs! {
    /// The parts of a node's resources that a device consumes.
    NODE_ALLOCATABLE_RESOURCE_MAPPING = "NodeAllocatableResourceMapping" {
        Field::new("capacityKey", "CapacityKey", FieldType::Pointer(&FieldType::Named(Package::Resource, "QualifiedName"))).omit().since(36),
        Field::new("allocationMultiplier", "AllocationMultiplier", FieldType::Pointer(&FieldType::Quantity)).omit().since(36),
    }
}

structs! {
    /// A taint for all devices that are selected.
    DEVICE_TAINT_RULE = "DeviceTaintRule" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&DEVICE_TAINT_RULE_SPEC)).required().since(33),
        Field::new("status", "Status", FieldType::Struct(&DEVICE_TAINT_RULE_STATUS)).omit().since(35),
    }
}

structs! {
    /// The devices of the rule, and their taint.
    DEVICE_TAINT_RULE_SPEC = "DeviceTaintRuleSpec" {
        Field::new("deviceSelector", "DeviceSelector", FieldType::Pointer(&FieldType::Struct(&DEVICE_TAINT_SELECTOR))).omit().since(33),
        Field::new("taint", "Taint", FieldType::Struct(&DEVICE_TAINT)).omit().required().since(33),
    }
}

structs! {
    /// The selector of the tainted devices.
    DEVICE_TAINT_SELECTOR = "DeviceTaintSelector" {
        Field::new("driver", "Driver", FieldType::Pointer(&FieldType::String)).omit().since(33),
        Field::new("pool", "Pool", FieldType::Pointer(&FieldType::String)).omit().since(33),
        Field::new("device", "Device", FieldType::Pointer(&FieldType::String)).omit().since(33),
        Field::new("deviceClassName", "DeviceClassName", FieldType::Pointer(&FieldType::String)).omit().since(33).until(34),
        Field::new("selectors", "Selectors", FieldType::List(&FieldType::Struct(&DEVICE_SELECTOR))).omit().since(33).until(34).limits(ALWAYS_32),
    }
}

structs! {
    /// The state of the rule.
    DEVICE_TAINT_RULE_STATUS = "DeviceTaintRuleStatus" {
        Field::new("conditions", "Conditions", FieldType::List(&FieldType::Struct(&CONDITION))).omit().since(35).limits(&[limit(35, 8)]).list(MERGED_CONDITIONS_LIST),
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
