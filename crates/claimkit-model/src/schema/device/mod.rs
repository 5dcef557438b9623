//! The tables of v1alpha3, v1beta1, v1beta2 and v1 (Kubernetes 1.31 and later).

pub mod v1;
pub mod v1alpha3;
pub mod v1beta1;
pub mod v1beta2;

use crate::schema::{
    ApiKind, DeviceKind, Lifecycle, ListKind, ListRule, ObjectKind, Release, ReleaseLimit, Scope,
    Struct, Version,
};

/// The version whose shape the server's internal types have from 1.33 on.
pub const HUB: &Version = &v1::VERSION;

/// The label of a namespace whose claims may ask for admin access, from 1.34 on
/// (staging/src/k8s.io/api/resource/v1/types.go, `DRAAdminNamespaceLabelKey`).
pub const ADMIN_LABEL: &str = "resource.kubernetes.io/admin-access";
/// The label for admin access in 1.33.
pub const FIRST_ADMIN_LABEL: &str = "resource.k8s.io/admin-access";

/// The allocation modes of a request.
pub const ALLOCATION_MODES: &[&str] = &["ExactCount", "All"];
/// The operators of a toleration.
pub const TOLERATION_OPERATORS: &[&str] = &["Exists", "Equal"];
/// The sources of an allocated configuration.
pub const CONFIG_SOURCES: &[&str] = &["FromClass", "FromClaim"];
/// The effects of a taint.
pub const TAINT_EFFECTS: &[&str] = &["NoSchedule", "NoExecute"];
/// The calls to a driver that a node can leave out.
pub const SKIPPED_OPERATIONS: &[&str] = &["*", "NodePrepareResources", "NodeUnprepareResources"];
/// Further taint effects, each with its first minor release.
pub const LATER_TAINT_EFFECTS: &[(u8, &str)] = &[(35, "None")];

const fn limit(since: u8, max: usize) -> ReleaseLimit {
    ReleaseLimit {
        since,
        max: Some(max),
    }
}
const ALWAYS_32: &[ReleaseLimit] = &[limit(31, 32)];
const TEN_KIB: &[ReleaseLimit] = &[limit(32, 10 * 1024)];

const fn map(since: u8, keys: &'static [&'static str], patch: Option<&'static str>) -> ListRule {
    ListRule {
        since: Release::start_of(since),
        kind: ListKind::Map(keys),
        patch_merge_key: patch,
        patch_merge: patch.is_some(),
    }
}
const RESERVED_FOR_LIST: &[ListRule] = &[map(31, &["uid"], Some("uid"))];
const STATUS_DEVICES_LIST: &[ListRule] = &[
    map(32, &["driver", "device", "pool"], None),
    map(34, &["driver", "device", "pool", "shareID"], None),
];
const SKIPPED_LIST: &[ListRule] = &[ListRule {
    since: Release::start_of(37),
    kind: ListKind::Set,
    patch_merge_key: None,
    patch_merge: false,
}];
const SCHEDULING_LIST: &[ListRule] = &[map(31, &["name"], None)];
const CONDITIONS_LIST: &[ListRule] = &[map(32, &["type"], None)];
const MERGED_CONDITIONS_LIST: &[ListRule] = &[map(35, &["type"], Some("type"))];

/// Returns the names of a kind that all versions share: kind, list kind, resource, scope, and whether it has a status.
const fn names(object: DeviceKind) -> (&'static str, &'static str, &'static str, Scope, bool) {
    match object {
        DeviceKind::DeviceClass => (
            "DeviceClass",
            "DeviceClassList",
            "deviceclasses",
            Scope::Cluster,
            false,
        ),
        DeviceKind::ResourceClaim => (
            "ResourceClaim",
            "ResourceClaimList",
            "resourceclaims",
            Scope::Namespaced,
            true,
        ),
        DeviceKind::ResourceClaimTemplate => (
            "ResourceClaimTemplate",
            "ResourceClaimTemplateList",
            "resourceclaimtemplates",
            Scope::Namespaced,
            false,
        ),
        DeviceKind::ResourceSlice => (
            "ResourceSlice",
            "ResourceSliceList",
            "resourceslices",
            Scope::Cluster,
            false,
        ),
        DeviceKind::DeviceTaintRule => (
            "DeviceTaintRule",
            "DeviceTaintRuleList",
            "devicetaintrules",
            Scope::Cluster,
            true,
        ),
        DeviceKind::PodSchedulingContext => (
            "PodSchedulingContext",
            "PodSchedulingContextList",
            "podschedulingcontexts",
            Scope::Namespaced,
            true,
        ),
        DeviceKind::ResourcePoolStatusRequest => (
            "ResourcePoolStatusRequest",
            "ResourcePoolStatusRequestList",
            "resourcepoolstatusrequests",
            Scope::Cluster,
            true,
        ),
    }
}

/// Makes the lifecycle of a kind: the minor releases of its deprecation and removal.
const fn ends(deprecated: u8, removed: u8) -> Lifecycle {
    Lifecycle {
        said_since: 31,
        deprecated: Some(deprecated),
        removed: Some(removed),
    }
}

/// Makes the lifecycle of a kind whose end is no longer announced from a minor release on.
const fn stays(said_since: u8) -> Lifecycle {
    Lifecycle {
        said_since,
        deprecated: None,
        removed: None,
    }
}

/// Makes a kind of a version. `since`, `until`: the first and last minor releases that serve it.
const fn kind(
    object: DeviceKind,
    (since, until): (u8, Option<u8>),
    lifecycle: &'static [Lifecycle],
    schema: &'static Struct,
) -> ApiKind {
    let (kind, _, plural, scope, status) = names(object);
    let since = Release::start_of(since);
    ApiKind {
        kind,
        object: ObjectKind::Device(object),
        plural,
        scope,
        status,
        items: None,
        since,
        until,
        lifecycle,
        schema,
    }
}

/// Makes the list of a kind.
const fn list(object: DeviceKind, served: (u8, Option<u8>), schema: &'static Struct) -> ApiKind {
    let (items, kind, ..) = names(object);
    ApiKind {
        kind,
        status: false,
        items: Some(items),
        ..self::kind(object, served, &[], schema)
    }
}

macro_rules! structs {
    ($(#[$doc:meta])* $name:ident = $go:literal { $($field:expr,)* }) => {
        $(#[$doc])*
        pub static $name: Struct =
            Struct { go: $go, package: crate::schema::Package::Resource, fields: &[$($field,)*] };
    };
}

macro_rules! list_of {
    ($(#[$doc:meta])* $name:ident = $go:literal of $item:ident) => {
        structs! {
            $(#[$doc])*
            $name = $go {
                KIND,
                API_VERSION,
                METADATA_OF_LIST,
                Field::new("items", "Items", FieldType::List(&FieldType::Struct(&$item))).required(),
            }
        }
    };
}
use {list_of, structs};
