//! `resource.k8s.io/v1alpha3`: claims, templates, classes and slices in Kubernetes 1.31 to 1.33, DeviceTaintRule from 1.33 on,
//! PodSchedulingContext in 1.31 only, ResourcePoolStatusRequest in 1.36. The shape is that of v1beta1, but a capacity is a bare
//! quantity.

use super::v1::{
    COUNTER_SET, DEVICE_ATTRIBUTE, DEVICE_CLASS, DEVICE_CLASS_LIST, DEVICE_COUNTER_CONSUMPTION,
    DEVICE_TAINT, DEVICE_TAINT_RULE, DEVICE_TAINT_RULE_LIST, RESOURCE_POOL,
};
use super::v1beta1::{
    RESOURCE_CLAIM, RESOURCE_CLAIM_LIST, RESOURCE_CLAIM_TEMPLATE, RESOURCE_CLAIM_TEMPLATE_LIST,
};
use super::{
    MERGED_CONDITIONS_LIST, SCHEDULING_LIST, ends, kind, limit, list, list_of, stays, structs,
};
use crate::schema::core::NODE_SELECTOR;
use crate::schema::meta::{API_VERSION, CONDITION, KIND, METADATA, METADATA_OF_LIST};
use crate::schema::{
    ApiKind, DeviceKind, Family, Field, FieldType, Gate, Lifecycle, MapType, Package, Struct,
    Version,
};

/// The tables of `v1alpha3`.
pub static VERSION: Version = Version {
    name: "v1alpha3",
    api_version: "resource.k8s.io/v1alpha3",
    served: (31, None),
    on_since: None,
    family: Family::Device,
    kinds: KINDS,
};

const KINDS: &[ApiKind] = &[
    kind(
        DeviceKind::DeviceClass,
        (31, Some(33)),
        &[ends(34, 37)],
        &DEVICE_CLASS,
    ),
    kind(
        DeviceKind::ResourceClaim,
        (31, Some(33)),
        &[ends(34, 37)],
        &RESOURCE_CLAIM,
    ),
    kind(
        DeviceKind::ResourceClaimTemplate,
        (31, Some(33)),
        &[ends(34, 37)],
        &RESOURCE_CLAIM_TEMPLATE,
    ),
    kind(
        DeviceKind::ResourceSlice,
        (31, Some(33)),
        &[ends(34, 37)],
        &RESOURCE_SLICE,
    ),
    kind(
        DeviceKind::DeviceTaintRule,
        (33, None),
        // 1.38 announces no removal any more.
        &[
            ends(36, 39),
            Lifecycle {
                said_since: 38,
                deprecated: Some(36),
                removed: None,
            },
        ],
        &DEVICE_TAINT_RULE,
    ),
    kind(
        DeviceKind::ResourcePoolStatusRequest,
        (36, None),
        &[ends(39, 42), stays(38)],
        &RESOURCE_POOL_STATUS_REQUEST,
    ),
    kind(
        DeviceKind::PodSchedulingContext,
        (31, Some(31)),
        &[],
        &POD_SCHEDULING_CONTEXT,
    ),
    list(DeviceKind::DeviceClass, (31, Some(33)), &DEVICE_CLASS_LIST),
    list(
        DeviceKind::ResourceClaim,
        (31, Some(33)),
        &RESOURCE_CLAIM_LIST,
    ),
    list(
        DeviceKind::ResourceClaimTemplate,
        (31, Some(33)),
        &RESOURCE_CLAIM_TEMPLATE_LIST,
    ),
    list(
        DeviceKind::ResourceSlice,
        (31, Some(33)),
        &RESOURCE_SLICE_LIST,
    ),
    list(
        DeviceKind::DeviceTaintRule,
        (33, None),
        &DEVICE_TAINT_RULE_LIST,
    ),
    list(
        DeviceKind::ResourcePoolStatusRequest,
        (36, None),
        &RESOURCE_POOL_STATUS_REQUEST_LIST,
    ),
    list(
        DeviceKind::PodSchedulingContext,
        (31, Some(31)),
        &POD_SCHEDULING_CONTEXT_LIST,
    ),
];

structs! {
    /// Some devices of a pool.
    RESOURCE_SLICE = "ResourceSlice" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_SLICE_SPEC)).since(31),
    }
}

structs! {
    /// The pool, the nodes and the devices.
    RESOURCE_SLICE_SPEC = "ResourceSliceSpec" {
        Field::new("driver", "Driver", FieldType::String).required().since(31),
        Field::new("pool", "Pool", FieldType::Struct(&RESOURCE_POOL)).required().since(31),
        Field::new("nodeName", "NodeName", FieldType::String).omit().since(31),
        Field::new("nodeSelector", "NodeSelector", FieldType::Pointer(&FieldType::Struct(&NODE_SELECTOR))).omit().since(31),
        Field::new("allNodes", "AllNodes", FieldType::Bool).omit().since(31),
        Field::new("devices", "Devices", FieldType::List(&FieldType::Struct(&DEVICE))).since(31).limits(&[limit(31, 128)]),
        Field::new("perDeviceNodeSelection", "PerDeviceNodeSelection", FieldType::Pointer(&FieldType::Bool)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("sharedCounters", "SharedCounters", FieldType::List(&FieldType::Struct(&COUNTER_SET))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]).limits(&[limit(35, 8)]),
    }
}

structs! {
    DEVICE = "Device" {
        Field::new("name", "Name", FieldType::String).required().since(31),
        Field::new("basic", "Basic", FieldType::Pointer(&FieldType::Struct(&BASIC_DEVICE))).omit().since(31),
    }
}

structs! {
    /// The attributes and the capacity of a device.
    BASIC_DEVICE = "BasicDevice" {
        Field::new("attributes", "Attributes", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Struct(&DEVICE_ATTRIBUTE) })).omit().since(31),
        Field::new("capacity", "Capacity", FieldType::Map(&MapType { key: Some((Package::Resource, "QualifiedName")), value: FieldType::Quantity })).omit().since(31),
        Field::new("consumesCounters", "ConsumesCounters", FieldType::List(&FieldType::Struct(&DEVICE_COUNTER_CONSUMPTION))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]).limits(&[limit(35, 2)]),
        Field::new("nodeName", "NodeName", FieldType::Pointer(&FieldType::String)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("nodeSelector", "NodeSelector", FieldType::Pointer(&FieldType::Struct(&NODE_SELECTOR))).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("allNodes", "AllNodes", FieldType::Pointer(&FieldType::Bool)).omit().since(33).gates(&[Gate::DRAPartitionableDevices]),
        Field::new("taints", "Taints", FieldType::List(&FieldType::Struct(&DEVICE_TAINT))).omit().since(33).gates(&[Gate::DRADeviceTaints]).limits(&[limit(33, 4), limit(35, 16)]),
    }
}

structs! {
    /// A question about pools.
    RESOURCE_POOL_STATUS_REQUEST = "ResourcePoolStatusRequest" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_POOL_STATUS_REQUEST_SPEC)).required().since(36),
        Field::new("status", "Status", FieldType::Pointer(&FieldType::Struct(&RESOURCE_POOL_STATUS_REQUEST_STATUS))).omit().since(36),
    }
}

structs! {
    /// The pools that the request asks about.
    RESOURCE_POOL_STATUS_REQUEST_SPEC = "ResourcePoolStatusRequestSpec" {
        Field::new("driver", "Driver", FieldType::String).required().since(36),
        Field::new("poolName", "PoolName", FieldType::Pointer(&FieldType::String)).omit().since(36),
        Field::new("limit", "Limit", FieldType::Pointer(&FieldType::Int32)).omit().since(36),
        Field::new("defaultPartitionTypeAttribute", "DefaultPartitionTypeAttribute", FieldType::Pointer(&FieldType::String)).omit().since(37).gates(&[Gate::DRAPartitionableDevicesType]),
    }
}

structs! {
    RESOURCE_POOL_STATUS_REQUEST_STATUS = "ResourcePoolStatusRequestStatus" {
        Field::new("poolCount", "PoolCount", FieldType::Pointer(&FieldType::Int32)).omit().required().since(36),
        Field::new("pools", "Pools", FieldType::List(&FieldType::Struct(&POOL_STATUS))).omit().since(36).limits(&[limit(36, 1000)]),
        Field::new("conditions", "Conditions", FieldType::List(&FieldType::Struct(&CONDITION))).omit().since(36).limits(&[limit(36, 10)]).list(MERGED_CONDITIONS_LIST),
    }
}

structs! {
    /// The state of one pool.
    POOL_STATUS = "PoolStatus" {
        Field::new("driver", "Driver", FieldType::String).omit().required().since(36),
        Field::new("poolName", "PoolName", FieldType::String).omit().required().since(36),
        Field::new("generation", "Generation", FieldType::Int64).required().since(36),
        Field::new("resourceSliceCount", "ResourceSliceCount", FieldType::Pointer(&FieldType::Int32)).omit().since(36),
        Field::new("totalDevices", "TotalDevices", FieldType::Pointer(&FieldType::Int32)).omit().since(36),
        Field::new("allocatedDevices", "AllocatedDevices", FieldType::Pointer(&FieldType::Int32)).omit().since(36),
        Field::new("availableDevices", "AvailableDevices", FieldType::Pointer(&FieldType::Int32)).omit().since(36),
        Field::new("unavailableDevices", "UnavailableDevices", FieldType::Pointer(&FieldType::Int32)).omit().since(36),
        Field::new("nodeName", "NodeName", FieldType::Pointer(&FieldType::String)).omit().since(36),
        Field::new("validationError", "ValidationError", FieldType::Pointer(&FieldType::String)).omit().since(36).limits(&[limit(36, 256)]),
        Field::new("partitionSummary", "PartitionSummary", FieldType::List(&FieldType::Struct(&PARTITION_TYPE_STATUS))).omit().since(37).limits(&[limit(37, 32)]),
        Field::new("shareableSummary", "ShareableSummary", FieldType::Pointer(&FieldType::Struct(&SHAREABLE_SUMMARY_STATUS))).omit().since(37),
    }
}

structs! {
    /// Partitions of one type.
    PARTITION_TYPE_STATUS = "PartitionTypeStatus" {
        Field::new("attribute", "Attribute", FieldType::String).omit().required().since(37),
        Field::new("type", "Type", FieldType::String).omit().required().since(37),
        Field::new("total", "Total", FieldType::Pointer(&FieldType::Int32)).omit().required().since(37),
        Field::new("allocatable", "Allocatable", FieldType::Pointer(&FieldType::Int32)).omit().required().since(37),
    }
}

structs! {
    /// Devices that several claims share.
    SHAREABLE_SUMMARY_STATUS = "ShareableSummaryStatus" {
        Field::new("fullyAvailableDevices", "FullyAvailableDevices", FieldType::Pointer(&FieldType::Int32)).omit().required().since(37),
        Field::new("partiallyAvailableDevices", "PartiallyAvailableDevices", FieldType::Pointer(&FieldType::Int32)).omit().required().since(37),
        Field::new("capacity", "Capacity", FieldType::List(&FieldType::Struct(&SHAREABLE_CAPACITY_STATUS))).omit().since(37).limits(&[limit(37, 32)]),
    }
}

structs! {
    /// One capacity of these devices, summed up.
    SHAREABLE_CAPACITY_STATUS = "ShareableCapacityStatus" {
        Field::new("name", "Name", FieldType::String).omit().required().since(37),
        Field::new("total", "Total", FieldType::Pointer(&FieldType::Quantity)).omit().required().since(37),
        Field::new("consumed", "Consumed", FieldType::Pointer(&FieldType::Quantity)).omit().required().since(37),
        Field::new("available", "Available", FieldType::Pointer(&FieldType::Quantity)).omit().required().since(37),
    }
}

list_of! {
    /// A list of them.
    RESOURCE_SLICE_LIST = "ResourceSliceList" of RESOURCE_SLICE
}

list_of! {
    /// A list of them.
    RESOURCE_POOL_STATUS_REQUEST_LIST = "ResourcePoolStatusRequestList" of RESOURCE_POOL_STATUS_REQUEST
}

structs! {
    /// The exchange between the scheduler and the drivers (1.31).
    POD_SCHEDULING_CONTEXT = "PodSchedulingContext" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&POD_SCHEDULING_CONTEXT_SPEC)).since(31),
        Field::new("status", "Status", FieldType::Struct(&POD_SCHEDULING_CONTEXT_STATUS)).omit().since(31),
    }
}

structs! {
    /// The nodes that the scheduler asks about.
    POD_SCHEDULING_CONTEXT_SPEC = "PodSchedulingContextSpec" {
        Field::new("selectedNode", "SelectedNode", FieldType::String).omit().since(31),
        Field::new("potentialNodes", "PotentialNodes", FieldType::List(&FieldType::String)).omit().since(31).limits(&[limit(31, 128)]),
    }
}

structs! {
    /// The nodes that the drivers report as unsuitable.
    POD_SCHEDULING_CONTEXT_STATUS = "PodSchedulingContextStatus" {
        Field::new("resourceClaims", "ResourceClaims", FieldType::List(&FieldType::Struct(&RESOURCE_CLAIM_SCHEDULING_STATUS))).omit().since(31).list(SCHEDULING_LIST),
    }
}

structs! {
    /// The answer for one claim.
    RESOURCE_CLAIM_SCHEDULING_STATUS = "ResourceClaimSchedulingStatus" {
        Field::new("name", "Name", FieldType::String).required().since(31),
        Field::new("unsuitableNodes", "UnsuitableNodes", FieldType::List(&FieldType::String)).omit().since(31).limits(&[limit(31, 128)]),
    }
}

list_of! {
    /// A list of them.
    POD_SCHEDULING_CONTEXT_LIST = "PodSchedulingContextList" of POD_SCHEDULING_CONTEXT
}
