//! `resource.k8s.io/v1beta2`: Kubernetes 1.33 and later. The shape is that of v1; DeviceTaintRule came in 1.36.

use super::v1::{
    DEVICE_CLASS, DEVICE_CLASS_LIST, DEVICE_SELECTOR, DEVICE_TAINT, RESOURCE_CLAIM, RESOURCE_CLAIM_LIST, RESOURCE_CLAIM_TEMPLATE,
    RESOURCE_CLAIM_TEMPLATE_LIST, RESOURCE_SLICE, RESOURCE_SLICE_LIST,
};
use super::{ALWAYS_32, MERGED_CONDITIONS_LIST, kind, limit, list, list_of, structs};
use crate::api::meta::{API_VERSION, CONDITION, KIND, METADATA, METADATA_OF_LIST};
use crate::api::{DeviceKind, Family, Field, Kind, Struct, Type, Version};

/// The version.
pub static VERSION: Version = Version {
    name: "v1beta2",
    api_version: "resource.k8s.io/v1beta2",
    served: (33, None),
    on_since: None,
    family: Family::Device,
    kinds: KINDS,
};

const KINDS: &[Kind] = &[
    kind(DeviceKind::DeviceClass, (33, None), Some((36, 39)), &DEVICE_CLASS),
    kind(DeviceKind::ResourceClaim, (33, None), Some((36, 39)), &RESOURCE_CLAIM),
    kind(DeviceKind::ResourceClaimTemplate, (33, None), Some((36, 39)), &RESOURCE_CLAIM_TEMPLATE),
    kind(DeviceKind::ResourceSlice, (33, None), Some((36, 39)), &RESOURCE_SLICE),
    kind(DeviceKind::DeviceTaintRule, (36, None), Some((39, 42)), &DEVICE_TAINT_RULE),
    list(DeviceKind::DeviceClass, (33, None), &DEVICE_CLASS_LIST),
    list(DeviceKind::ResourceClaim, (33, None), &RESOURCE_CLAIM_LIST),
    list(DeviceKind::ResourceClaimTemplate, (33, None), &RESOURCE_CLAIM_TEMPLATE_LIST),
    list(DeviceKind::ResourceSlice, (33, None), &RESOURCE_SLICE_LIST),
    list(DeviceKind::DeviceTaintRule, (36, None), &DEVICE_TAINT_RULE_LIST),
];

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
    /// Which devices, and which taint.
    DEVICE_TAINT_RULE_SPEC = "DeviceTaintRuleSpec" {
        Field::new("deviceSelector", "DeviceSelector", Type::Pointer(&Type::Struct(&DEVICE_TAINT_SELECTOR))).omit().since(33),
        Field::new("taint", "Taint", Type::Struct(&DEVICE_TAINT)).omit().required().since(33),
    }
}

structs! {
    /// Which devices are tainted.
    DEVICE_TAINT_SELECTOR = "DeviceTaintSelector" {
        Field::new("driver", "Driver", Type::Pointer(&Type::String)).omit().since(33),
        Field::new("pool", "Pool", Type::Pointer(&Type::String)).omit().since(33),
        Field::new("device", "Device", Type::Pointer(&Type::String)).omit().since(33),
        Field::new("deviceClassName", "DeviceClassName", Type::Pointer(&Type::String)).omit().since(33).until(34),
        Field::new("selectors", "Selectors", Type::List(&Type::Struct(&DEVICE_SELECTOR))).omit().since(33).until(34).limits(ALWAYS_32),
    }
}

structs! {
    /// What became of the rule.
    DEVICE_TAINT_RULE_STATUS = "DeviceTaintRuleStatus" {
        Field::new("conditions", "Conditions", Type::List(&Type::Struct(&CONDITION))).omit().since(35).limits(&[limit(35, 8)]).list(MERGED_CONDITIONS_LIST),
    }
}

list_of! {
    /// A list of them.
    DEVICE_TAINT_RULE_LIST = "DeviceTaintRuleList" of DEVICE_TAINT_RULE
}
