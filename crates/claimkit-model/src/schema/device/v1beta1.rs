//! `resource.k8s.io/v1beta1`: Kubernetes 1.32 to 1.37. Requests are flat, and the properties of a device are under `basic`.

use super::v1::{
    CAPACITY_REQUIREMENTS, COUNTER_SET, DEVICE_ATTRIBUTE, DEVICE_CAPACITY,
    DEVICE_CLAIM_CONFIGURATION, DEVICE_CLASS, DEVICE_CLASS_LIST, DEVICE_CONSTRAINT,
    DEVICE_COUNTER_CONSUMPTION, DEVICE_DERIVED_ATTRIBUTE, DEVICE_SELECTOR, DEVICE_SUB_REQUEST,
    DEVICE_TAINT, DEVICE_TOLERATION, NODE_ALLOCATABLE_RESOURCE, NODE_ALLOCATABLE_RESOURCE_MAPPING,
    RESOURCE_CLAIM_STATUS, RESOURCE_POOL,
};
use super::{
    ALLOCATION_MODES, ALWAYS_32, SKIPPED_LIST, SKIPPED_OPERATIONS, ends, kind, limit, list,
    list_of, structs,
};
use crate::schema::core::NODE_SELECTOR;
use crate::schema::meta::{API_VERSION, KIND, METADATA, METADATA_OF_LIST, OBJECT_META};
use crate::schema::{
    ApiKind, DeviceKind, Family, Field, FieldType, Gate, MapType, Package, Struct, Version,
};

/// The tables of `v1beta1`.
pub static VERSION: Version = Version {
    name: "v1beta1",
    api_version: "resource.k8s.io/v1beta1",
    served: (32, Some(37)),
    on_since: None,
    family: Family::Device,
    kinds: KINDS,
};

const KINDS: &[ApiKind] = &[
    kind(
        DeviceKind::DeviceClass,
        (32, None),
        &[ends(35, 38)],
        &DEVICE_CLASS,
    ),
    kind(
        DeviceKind::ResourceClaim,
        (32, None),
        &[ends(35, 38)],
        &RESOURCE_CLAIM,
    ),
    kind(
        DeviceKind::ResourceClaimTemplate,
        (32, None),
        &[ends(35, 38)],
        &RESOURCE_CLAIM_TEMPLATE,
    ),
    kind(
        DeviceKind::ResourceSlice,
        (32, None),
        &[ends(35, 38)],
        &RESOURCE_SLICE,
    ),
    list(DeviceKind::DeviceClass, (32, None), &DEVICE_CLASS_LIST),
    list(DeviceKind::ResourceClaim, (32, None), &RESOURCE_CLAIM_LIST),
    list(
        DeviceKind::ResourceClaimTemplate,
        (32, None),
        &RESOURCE_CLAIM_TEMPLATE_LIST,
    ),
    list(DeviceKind::ResourceSlice, (32, None), &RESOURCE_SLICE_LIST),
];

structs! {
    /// A request for devices.
    RESOURCE_CLAIM = "ResourceClaim" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_SPEC)).since(31),
        Field::new("status", "Status", FieldType::Struct(&RESOURCE_CLAIM_STATUS)).omit().since(31),
    }
}

structs! {
    /// The requests of a claim.
    RESOURCE_CLAIM_SPEC = "ResourceClaimSpec" {
        Field::new("devices", "Devices", FieldType::Struct(&DEVICE_CLAIM)).since(31),
        Field::new("controller", "Controller", FieldType::String).omit().since(31).until(31).gates(&[Gate::DRAControlPlaneController]),
    }
}

structs! {
    /// A template from which claims are made.
    RESOURCE_CLAIM_TEMPLATE = "ResourceClaimTemplate" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_TEMPLATE_SPEC)).since(31),
    }
}

structs! {
    /// The claims of a template.
    RESOURCE_CLAIM_TEMPLATE_SPEC = "ResourceClaimTemplateSpec" {
        Field::new("metadata", "ObjectMeta", FieldType::Struct(&OBJECT_META)).since(31),
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_SPEC)).since(31),
    }
}

structs! {
    /// The requests, constraints and configurations of a claim.
    DEVICE_CLAIM = "DeviceClaim" {
        Field::new("requests", "Requests", FieldType::List(&FieldType::Struct(&DEVICE_REQUEST))).since(31).limits(ALWAYS_32),
        Field::new("constraints", "Constraints", FieldType::List(&FieldType::Struct(&DEVICE_CONSTRAINT))).omit().since(31).limits(ALWAYS_32),
        Field::new("config", "Config", FieldType::List(&FieldType::Struct(&DEVICE_CLAIM_CONFIGURATION))).omit().since(31).limits(ALWAYS_32),
    }
}

structs! {
    /// One request: one of two ways to ask.
    DEVICE_REQUEST = "DeviceRequest" {
        Field::new("name", "Name", FieldType::String).required().since(31),
        Field::new("deviceClassName", "DeviceClassName", FieldType::String).since(31),
        Field::new("selectors", "Selectors", FieldType::List(&FieldType::Struct(&DEVICE_SELECTOR))).omit().since(31).limits(ALWAYS_32),
        Field::new("allocationMode", "AllocationMode", FieldType::Named(Package::Resource, "DeviceAllocationMode")).omit().since(31).values(ALLOCATION_MODES),
        Field::new("count", "Count", FieldType::Int64).omit().since(31),
        Field::new("adminAccess", "AdminAccess", FieldType::Pointer(&FieldType::Bool)).omit().since(31).pointer_since(32).gates(&[Gate::DRAAdminAccess]),
        Field::new("firstAvailable", "FirstAvailable", FieldType::List(&FieldType::Struct(&DEVICE_SUB_REQUEST))).omit().since(33).gates(&[Gate::DRAPrioritizedList]).limits(&[limit(33, 8)]),
        Field::new("tolerations", "Tolerations", FieldType::List(&FieldType::Struct(&DEVICE_TOLERATION))).omit().since(33).gates(&[Gate::DRADeviceTaints]),
        Field::new("capacity", "Capacity", FieldType::Pointer(&FieldType::Struct(&CAPACITY_REQUIREMENTS))).omit().since(34).gates(&[Gate::DRAConsumableCapacity]),
        Field::new("derivedAttributes", "DerivedAttributes", FieldType::List(&FieldType::Struct(&DEVICE_DERIVED_ATTRIBUTE))).omit().since(37).gates(&[Gate::DRADerivedAttributes]).limits(&[limit(37, 32)]),
    }
}

structs! {
    /// Some devices of a pool.
    RESOURCE_SLICE = "ResourceSlice" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_SLICE_SPEC)).required().since(32),
    }
}

structs! {
    /// The pool, the nodes and the devices.
    RESOURCE_SLICE_SPEC = "ResourceSliceSpec" {
        Field::new("driver", "Driver", FieldType::String).required().since(32),
        Field::new("pool", "Pool", FieldType::Struct(&RESOURCE_POOL)).required().since(32),
        Field::new("nodeName", "NodeName", FieldType::String).omit().since(32),
        Field::new("nodeSelector", "NodeSelector", FieldType::Pointer(&FieldType::Struct(&NODE_SELECTOR))).omit().since(32),
        Field::new("allNodes", "AllNodes", FieldType::Bool).omit().since(32),
        Field::new("devices", "Devices", FieldType::List(&FieldType::Struct(&DEVICE))).omit_since(35).since(32).limits(&[limit(31, 128)]),
        Field::new("perDeviceNodeSelection", "PerDeviceNodeSelection", FieldType::Pointer(&FieldType::Bool)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("sharedCounters", "SharedCounters", FieldType::List(&FieldType::Struct(&COUNTER_SET))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]).limits(&[limit(35, 8)]),
        Field::new("partitionTypeAttribute", "PartitionTypeAttribute", FieldType::Pointer(&FieldType::Named(Package::Resource, "FullyQualifiedName"))).omit().since(37).gates(&[Gate::DRAPartitionableDevicesType]),
        Field::new("skipNodeOperations", "SkipNodeOperations", FieldType::List(&FieldType::Named(Package::Resource, "SkipNodeOperation"))).omit().since(37).gates(&[Gate::DRAOptionalNodeOperations]).values(SKIPPED_OPERATIONS).list(SKIPPED_LIST),
    }
}

structs! {
    DEVICE = "Device" {
        Field::new("name", "Name", FieldType::String).required().since(32),
        Field::new("basic", "Basic", FieldType::Pointer(&FieldType::Struct(&BASIC_DEVICE))).omit().since(32),
    }
}

structs! {
    /// The attributes and the capacity of a device.
    BASIC_DEVICE = "BasicDevice" {
        Field::new("attributes", "Attributes", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Struct(&DEVICE_ATTRIBUTE) })).omit().since(32),
        Field::new("capacity", "Capacity", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Struct(&DEVICE_CAPACITY) })).omit().since(32),
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
