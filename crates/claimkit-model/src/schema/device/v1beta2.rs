//! `resource.k8s.io/v1beta2`: Kubernetes 1.33 and later. The shape is that of v1; DeviceTaintRule came in 1.36.

use super::v1::{
    DEVICE_CLASS, DEVICE_CLASS_LIST, DEVICE_TAINT_RULE, DEVICE_TAINT_RULE_LIST, RESOURCE_CLAIM,
    RESOURCE_CLAIM_LIST, RESOURCE_CLAIM_TEMPLATE, RESOURCE_CLAIM_TEMPLATE_LIST, RESOURCE_SLICE,
    RESOURCE_SLICE_LIST,
};
use super::{ends, kind, list};
use crate::schema::{ApiKind, DeviceKind, Family, Version};

/// The tables of `v1beta2`.
pub static VERSION: Version = Version {
    name: "v1beta2",
    api_version: "resource.k8s.io/v1beta2",
    served: (33, None),
    on_since: None,
    family: Family::Device,
    kinds: KINDS,
};

const KINDS: &[ApiKind] = &[
    kind(
        DeviceKind::DeviceClass,
        (33, None),
        &[ends(36, 39)],
        &DEVICE_CLASS,
    ),
    kind(
        DeviceKind::ResourceClaim,
        (33, None),
        &[ends(36, 39)],
        &RESOURCE_CLAIM,
    ),
    kind(
        DeviceKind::ResourceClaimTemplate,
        (33, None),
        &[ends(36, 39)],
        &RESOURCE_CLAIM_TEMPLATE,
    ),
    kind(
        DeviceKind::ResourceSlice,
        (33, None),
        &[ends(36, 39)],
        &RESOURCE_SLICE,
    ),
    kind(
        DeviceKind::DeviceTaintRule,
        (36, None),
        &[ends(39, 42)],
        &DEVICE_TAINT_RULE,
    ),
    list(DeviceKind::DeviceClass, (33, None), &DEVICE_CLASS_LIST),
    list(DeviceKind::ResourceClaim, (33, None), &RESOURCE_CLAIM_LIST),
    list(
        DeviceKind::ResourceClaimTemplate,
        (33, None),
        &RESOURCE_CLAIM_TEMPLATE_LIST,
    ),
    list(DeviceKind::ResourceSlice, (33, None), &RESOURCE_SLICE_LIST),
    list(
        DeviceKind::DeviceTaintRule,
        (36, None),
        &DEVICE_TAINT_RULE_LIST,
    ),
];
