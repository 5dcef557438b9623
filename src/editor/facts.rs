//! Constraints that kube-apiserver puts on a field beyond its type, as data for documentation and JSON Schema.
//! `tests/hosts/schema.test.mjs` compares the JSON Schema generated from this with recorded decisions of kube-apiserver.

use crate::api::{Field, Release, Struct, Type};
use crate::rules::device::declared::{self, Form as Declared, Rule};

/// The form of a string, or of each item of a list of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// DNS subdomain, at most 253 bytes.
    Subdomain,
    GenerateName,
    /// DNS label, at most 63 bytes.
    Label,
    /// DNS subdomain in any case, at most 63 bytes.
    DriverName,
    Semver,
    Cel,
    LabelMap,
    AnnotationMap,
    /// `name` or `domain/name`.
    QualifiedName,
    /// `domain/name` or one of Kubernetes' own.
    Finalizer,
    /// `version` or `group/version`.
    GroupVersion,
    /// `domain/name`, the name a C identifier.
    FullyQualifiedName,
}

impl Format {
    /// Returns the name in the locale's group `formats`.
    pub fn name(self) -> &'static str {
        match self {
            Format::Subdomain | Format::GenerateName => "subdomain",
            Format::Label => "label",
            Format::DriverName => "driver-name",
            Format::Semver => "semver",
            Format::Cel => "cel",
            Format::LabelMap => "label-map",
            Format::AnnotationMap => "annotation-map",
            Format::QualifiedName | Format::Finalizer => "qualified-name",
            Format::GroupVersion => "group-version",
            Format::FullyQualifiedName => "fully-qualified-name",
        }
    }
}

/// The values that must be unique in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    Whole,
    /// This field of the entries.
    By(&'static str),
}

/// The conditions that the server checks beyond the type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The object is refused if this is missing, null or empty where its parent is there.
    pub required: bool,
    /// Form of the text.
    pub format: Option<Format>,
    /// Counted in bytes of UTF-8.
    pub max_bytes: Option<u32>,
    /// Items of a list.
    pub max_items: Option<u32>,
    /// Items of a list.
    pub min_items: Option<u32>,
    /// The values that must be unique.
    pub unique: Option<Unique>,
    /// Cannot be changed after creation.
    pub immutable: bool,
    /// The server drops the value that a client sends on creation.
    pub server_owned: bool,
    /// Status: dropped on creation.
    pub dropped_on_create: bool,
    /// The default for an absent or empty value.
    pub default: Option<&'static str>,
}

const NONE: Facts = Facts {
    required: false,
    format: None,
    max_bytes: None,
    max_items: None,
    min_items: None,
    unique: None,
    immutable: false,
    server_owned: false,
    dropped_on_create: false,
    default: None,
};
const REQUIRED: Facts = Facts { required: true, ..NONE };
const SERVER: Facts = Facts { server_owned: true, ..NONE };
const STATUS: Facts = Facts { dropped_on_create: true, ..NONE };
const fn form(format: Format) -> Facts {
    Facts { format: Some(format), ..NONE }
}
const fn bytes(max: u32) -> Facts {
    Facts { max_bytes: Some(max), ..NONE }
}
const fn unique(by: &'static str) -> Facts {
    Facts { unique: Some(Unique::By(by)), ..NONE }
}
const NODES: Facts = Facts { format: Some(Format::Subdomain), max_items: Some(128), unique: Some(Unique::Whole), ..NONE };
const NAME: Facts = Facts { required: true, ..form(Format::Subdomain) };
const DRIVER: Facts = Facts { required: true, ..form(Format::DriverName) };
const SELECTOR: Facts = Facts { required: true, ..form(Format::Cel) };
const FIXED: Facts = Facts { immutable: true, ..REQUIRED };
/// A field with the same facts in every struct has one row under `*`, at the end.
const TABLE: &[(&str, &str, Facts)] = &[
    ("ObjectMeta", "name", Facts { immutable: true, ..form(Format::Subdomain) }),
    ("ObjectMeta", "generateName", form(Format::GenerateName)),
    ("ObjectMeta", "namespace", Facts { immutable: true, ..form(Format::Label) }),
    ("ObjectMeta", "selfLink", SERVER),
    ("ObjectMeta", "uid", SERVER),
    ("ObjectMeta", "creationTimestamp", SERVER),
    ("ObjectMeta", "deletionTimestamp", SERVER),
    ("ObjectMeta", "deletionGracePeriodSeconds", SERVER),
    ("ObjectMeta", "labels", form(Format::LabelMap)),
    ("ObjectMeta", "annotations", form(Format::AnnotationMap)),
    ("ObjectMeta", "finalizers", form(Format::Finalizer)),
    ("OwnerReference", "apiVersion", Facts { required: true, ..form(Format::GroupVersion) }),
    ("OwnerReference", "kind", REQUIRED),
    ("OwnerReference", "name", REQUIRED),
    ("OwnerReference", "uid", REQUIRED),
    ("ManagedFieldsEntry", "operation", REQUIRED),
    ("ManagedFieldsEntry", "manager", bytes(128)),
    ("ManagedFieldsEntry", "subresource", bytes(256)),
    ("NodeSelector", "nodeSelectorTerms", Facts { min_items: Some(1), ..REQUIRED }),
    ("NodeSelectorRequirement", "key", Facts { required: true, ..form(Format::QualifiedName) }),
    ("NodeSelectorRequirement", "operator", REQUIRED),
    ("ResourceClaim", "spec", FIXED),
    ("ResourceClaimTemplate", "spec", FIXED),
    ("ResourceClaimTemplateSpec", "spec", REQUIRED),
    ("ResourceClaimSpec", "resourceClassName", NAME),
    ("ResourceClaimSpec", "allocationMode", Facts { default: Some("WaitForFirstConsumer"), ..NONE }),
    ("ResourceClaimParametersReference", "kind", REQUIRED),
    ("ResourceClaimParametersReference", "name", REQUIRED),
    ("ResourceClassParametersReference", "kind", REQUIRED),
    ("ResourceClassParametersReference", "name", REQUIRED),
    ("ResourceClassParametersReference", "namespace", form(Format::Label)),
    ("ResourceClaimStatus", "driverName", form(Format::DriverName)),
    ("ResourceClaimStatus", "reservedFor", Facts { max_items: Some(32), ..unique("uid") }),
    ("AllocationResult", "resourceHandle", bytes(16384)),
    ("AllocationResult", "resourceHandles", Facts { max_items: Some(32), ..NONE }),
    ("ResourceHandle", "data", bytes(16384)),
    ("StructuredResourceHandle", "nodeName", form(Format::Subdomain)),
    ("DriverAllocationResult", "namedResources", REQUIRED),
    ("NamedResourcesAllocationResult", "name", NAME),
    ("ResourceClaimConsumerReference", "resource", REQUIRED),
    ("ResourceClaimConsumerReference", "name", REQUIRED),
    ("ResourceClaimConsumerReference", "uid", REQUIRED),
    ("ResourceClaimParameters", "driverRequests", unique("driverName")),
    ("DriverRequests", "requests", Facts { min_items: Some(1), ..REQUIRED }),
    ("ResourceRequest", "namedResources", REQUIRED),
    ("NamedResourcesRequest", "selector", SELECTOR),
    ("ResourceClassParameters", "vendorParameters", unique("driverName")),
    ("ResourceClassParameters", "filters", unique("driverName")),
    ("ResourceFilter", "namedResources", REQUIRED),
    ("NamedResourcesFilter", "selector", SELECTOR),
    ("ResourceSlice", "nodeName", Facts { immutable: true, ..form(Format::Subdomain) }),
    ("ResourceSlice", "driverName", Facts { immutable: true, ..DRIVER }),
    ("ResourceSlice", "namedResources", REQUIRED),
    ("NamedResourcesResources", "instances", unique("name")),
    ("NamedResourcesInstance", "name", NAME),
    ("NamedResourcesInstance", "attributes", unique("name")),
    ("NamedResourcesAttribute", "name", NAME),
    ("NamedResourcesAttribute", "version", form(Format::Semver)),
    ("*", "driverName", DRIVER),
    ("*", "potentialNodes", NODES),
    ("*", "unsuitableNodes", NODES),
    ("*", "resourceClaims", unique("name")),
    ("*", "status", STATUS),
];

const LABEL: Facts = Facts { required: true, ..form(Format::Label) };
const MODE: Facts = Facts { default: Some("ExactCount"), ..NONE };
const ONE: Facts = Facts { default: Some("1"), ..NONE };
/// The same for v1alpha3 and later, where structs of the same name have other constraints. The limits are in the tables.
const DEVICE: &[(&str, &str, Facts)] = &[
    ("ResourceClaim", "spec", Facts { immutable: true, ..NONE }),
    ("ResourceClaimTemplate", "spec", Facts { immutable: true, ..NONE }),
    ("DeviceRequest", "name", LABEL),
    ("DeviceRequest", "deviceClassName", form(Format::Subdomain)),
    ("ExactDeviceRequest", "deviceClassName", NAME),
    ("DeviceSubRequest", "name", LABEL),
    ("DeviceSubRequest", "deviceClassName", NAME),
    ("DeviceSelector", "cel", REQUIRED),
    ("CELDeviceSelector", "expression", SELECTOR),
    ("DeviceDerivedAttribute", "expression", SELECTOR),
    ("OpaqueDeviceConfiguration", "driver", DRIVER),
    ("OpaqueDeviceConfiguration", "parameters", REQUIRED),
    ("DeviceToleration", "key", form(Format::QualifiedName)),
    ("DeviceToleration", "operator", Facts { default: Some("Equal"), ..NONE }),
    ("DeviceTaint", "key", Facts { required: true, ..form(Format::QualifiedName) }),
    ("DeviceTaint", "effect", REQUIRED),
    ("DeviceTaintRuleSpec", "taint", REQUIRED),
    ("ResourceSliceSpec", "driver", Facts { immutable: true, ..DRIVER }),
    ("ResourceSliceSpec", "pool", REQUIRED),
    ("ResourceSliceSpec", "nodeName", Facts { immutable: true, ..form(Format::Subdomain) }),
    ("ResourcePool", "name", FIXED),
    ("ResourcePool", "resourceSliceCount", REQUIRED),
    ("Device", "name", LABEL),
    ("DeviceAttribute", "version", form(Format::Semver)),
    ("CounterSet", "name", LABEL),
    ("CounterSet", "counters", REQUIRED),
    ("DeviceCounterConsumption", "counterSet", LABEL),
    ("DeviceCounterConsumption", "counters", REQUIRED),
    ("ResourceClaimConsumerReference", "resource", REQUIRED),
    ("ResourceClaimConsumerReference", "name", REQUIRED),
    ("ResourceClaimConsumerReference", "uid", REQUIRED),
    ("ResourceClaimStatus", "reservedFor", unique("uid")),
    ("DeviceRequestAllocationResult", "request", REQUIRED),
    ("DeviceRequestAllocationResult", "driver", DRIVER),
    ("DeviceRequestAllocationResult", "pool", REQUIRED),
    ("DeviceRequestAllocationResult", "device", LABEL),
    ("DeviceAllocationConfiguration", "source", REQUIRED),
    ("AllocatedDeviceStatus", "driver", DRIVER),
    ("AllocatedDeviceStatus", "pool", REQUIRED),
    ("AllocatedDeviceStatus", "device", LABEL),
    ("ResourcePoolStatusRequestSpec", "driver", FIXED),
    ("*", "opaque", REQUIRED),
    ("*", "allocationMode", MODE),
    ("*", "count", ONE),
    ("*", "potentialNodes", NODES),
    ("*", "unsuitableNodes", NODES),
    ("*", "status", STATUS),
];

/// First minor release whose new fields have generated rules only: what those demand is in their table.
const DECLARED: u8 = 37;

/// Adds what the generated rules of a field demand that no gate or stage turns off.
fn declare(facts: &mut Facts, schema: &Struct, field: &Field) {
    for rule in declared::of(schema.go, field.json) {
        match *rule {
            Rule::Required => facts.required = true,
            Rule::Immutable => facts.immutable = true,
            Rule::UniqueSet => facts.unique = Some(Unique::Whole),
            Rule::UniqueMap(&[key]) => facts.unique = Some(Unique::By(key)),
            Rule::Format(form) | Rule::EachValue(form) => facts.format = facts.format.or(known(form)),
            _ => {}
        }
    }
}

/// Returns the form of a text that a generated rule demands, where it is one of documentation's.
fn known(form: Declared) -> Option<Format> {
    match form {
        Declared::ShortName => Some(Format::Label),
        Declared::LongName => Some(Format::Subdomain),
        Declared::FullyQualifiedName => Some(Format::FullyQualifiedName),
        Declared::LongNameCaseless
        | Declared::LabelKey
        | Declared::Uuid
        | Declared::PoolName
        | Declared::ExtendedResourceName => None,
    }
}

/// First minor release of the device family. All its fields are at least as new; all other fields are older.
const DEVICES: u8 = 31;

/// Returns the constraints on a field in a release.
pub fn facts(schema: &Struct, field: &Field, release: Release) -> Facts {
    let table = if field.since.minor < DEVICES { TABLE } else { DEVICE };
    let found = table.iter().find(|(of, json, _)| *json == field.json && (*of == schema.go || *of == "*"));
    let mut facts = found.map_or(NONE, |(_, _, facts)| *facts);
    if let Some(limit) = field.limit(release).and_then(|limit| u32::try_from(limit).ok()) {
        if matches!(field.ty, Type::List(_)) {
            facts.max_items = Some(limit);
        } else if field.ty.is_text() {
            facts.max_bytes = Some(limit);
        }
    }
    if field.since.minor >= DECLARED {
        declare(&mut facts, schema, field);
    }
    if field.since.minor < DEVICES && field.json == "reservedFor" && !release.rules().reserved_for_by_uid {
        facts.unique = Some(Unique::Whole);
    }
    facts
}

/// Returns the rows that name no field of any table; a test keeps this empty.
pub fn stray(known: impl Fn(&str, &str) -> bool) -> Vec<(&'static str, &'static str)> {
    TABLE.iter().chain(DEVICE).map(|(of, json, _)| (*of, *json)).filter(|(of, json)| !known(of, json)).collect()
}
