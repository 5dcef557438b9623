//! The tables of v1alpha3, v1beta1, v1beta2 and v1 (Kubernetes 1.31 and later).

pub mod v1;
pub mod v1alpha3;
pub mod v1beta1;
pub mod v1beta2;

use crate::api::{DeviceKind, Kind, Limit, ListKind, ListRule, ObjectKind, Release, Scope, Struct, Version};

/// The versions, oldest first.
pub const VERSIONS: &[&Version] = &[&v1alpha3::VERSION, &v1beta1::VERSION, &v1beta2::VERSION, &v1::VERSION];

/// The version whose shape the server's internal types have from 1.33 on.
pub const HUB: &Version = &v1::VERSION;

/// The allocation modes.
pub const ALLOCATION_MODES: &[&str] = &["ExactCount", "All"];
/// The operators of a toleration.
pub const TOLERATION_OPERATORS: &[&str] = &["Exists", "Equal"];
/// Where an allocated configuration came from.
pub const CONFIG_SOURCES: &[&str] = &["FromClass", "FromClaim"];
/// What a taint does.
pub const TAINT_EFFECTS: &[&str] = &["NoSchedule", "NoExecute"];
/// What a taint can do besides, with the first release.
pub const LATER_TAINT_EFFECTS: &[(u8, &str)] = &[(35, "None")];

const fn limit(since: u8, max: usize) -> Limit {
    Limit { since, max: Some(max) }
}
const ALWAYS_32: &[Limit] = &[limit(31, 32)];
const TEN_KIB: &[Limit] = &[limit(32, 10 * 1024)];

const fn map(since: u8, keys: &'static [&'static str], patch: Option<&'static str>) -> ListRule {
    ListRule { since: Release::new(since, 0), kind: ListKind::Map(keys), patch_merge_key: patch, patch_merge: patch.is_some() }
}
const RESERVED_FOR_LIST: &[ListRule] = &[map(31, &["uid"], Some("uid"))];
const STATUS_DEVICES_LIST: &[ListRule] =
    &[map(32, &["driver", "device", "pool"], None), map(34, &["driver", "device", "pool", "shareID"], None)];
const SCHEDULING_LIST: &[ListRule] = &[map(31, &["name"], None)];
const CONDITIONS_LIST: &[ListRule] = &[map(32, &["type"], None)];
const MERGED_CONDITIONS_LIST: &[ListRule] = &[map(35, &["type"], Some("type"))];

#[allow(clippy::too_many_arguments, reason = "one row of a table")]
const fn kind(
    kind: &'static str,
    object: DeviceKind,
    plural: &'static str,
    scope: Scope,
    status: bool,
    (since, until): (u8, Option<u8>),
    deprecated: Option<(u8, u8)>,
    schema: &'static Struct,
) -> Kind {
    let since = Release::new(since, 0);
    Kind { kind, object: ObjectKind::Device(object), plural, scope, status, items: None, since, until, deprecated, schema }
}

const fn list(
    kind: &'static str,
    object: DeviceKind,
    items: &'static str,
    plural: &'static str,
    scope: Scope,
    (since, until): (u8, Option<u8>),
    schema: &'static Struct,
) -> Kind {
    Kind {
        kind,
        object: ObjectKind::Device(object),
        plural,
        scope,
        status: false,
        items: Some(items),
        since: Release::new(since, 0),
        until,
        deprecated: None,
        schema,
    }
}

macro_rules! structs {
    ($(#[$doc:meta])* $name:ident = $go:literal { $($field:expr,)* }) => {
        $(#[$doc])*
        pub static $name: Struct =
            Struct { go: $go, package: crate::api::Package::Resource, fields: &[$($field,)*] };
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
                Field::new("items", "Items", Type::List(&Type::Struct(&$item))).required(),
            }
        }
    };
}
use {list_of, structs};
