//! Constraints that kube-apiserver puts on a field beyond its type, as data for documentation and JSON Schema.
//! `tests/hosts/schema.test.mjs` compares the JSON Schema generated from this with recorded decisions of kube-apiserver.

use crate::validation::device::declared::{self, Form as Declared, Rule};
use claimkit_model::schema::{Field, FieldType, Release, Struct};

/// The form of a string, or of each item of a list of strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringFormat {
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

impl StringFormat {
    /// Returns the name in the locale's group `formats`.
    pub fn name(self) -> &'static str {
        match self {
            StringFormat::Subdomain | StringFormat::GenerateName => "subdomain",
            StringFormat::Label => "label",
            StringFormat::DriverName => "driver-name",
            StringFormat::Semver => "semver",
            StringFormat::Cel => "cel",
            StringFormat::LabelMap => "label-map",
            StringFormat::AnnotationMap => "annotation-map",
            StringFormat::QualifiedName | StringFormat::Finalizer => "qualified-name",
            StringFormat::GroupVersion => "group-version",
            StringFormat::FullyQualifiedName => "fully-qualified-name",
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
pub struct FieldConditions {
    /// The object is refused if this is missing, null or empty where its parent is there.
    pub required: bool,
    /// Form of the text.
    pub format: Option<StringFormat>,
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

const NONE: FieldConditions = FieldConditions {
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
const REQUIRED: FieldConditions = FieldConditions {
    required: true,
    ..NONE
};
const SERVER: FieldConditions = FieldConditions {
    server_owned: true,
    ..NONE
};
const STATUS: FieldConditions = FieldConditions {
    dropped_on_create: true,
    ..NONE
};
const fn form(format: StringFormat) -> FieldConditions {
    FieldConditions {
        format: Some(format),
        ..NONE
    }
}
const fn bytes(max: u32) -> FieldConditions {
    FieldConditions {
        max_bytes: Some(max),
        ..NONE
    }
}
const fn unique(by: &'static str) -> FieldConditions {
    FieldConditions {
        unique: Some(Unique::By(by)),
        ..NONE
    }
}
const NODES: FieldConditions = FieldConditions {
    format: Some(StringFormat::Subdomain),
    max_items: Some(128),
    unique: Some(Unique::Whole),
    ..NONE
};
const NAME: FieldConditions = FieldConditions {
    required: true,
    ..form(StringFormat::Subdomain)
};
const DRIVER: FieldConditions = FieldConditions {
    required: true,
    ..form(StringFormat::DriverName)
};
const SELECTOR: FieldConditions = FieldConditions {
    required: true,
    ..form(StringFormat::Cel)
};
const FIXED: FieldConditions = FieldConditions {
    immutable: true,
    ..REQUIRED
};
/// A field with the same facts in every struct has one row under `*`, at the end.
const TABLE: &[(&str, &str, FieldConditions)] = &[
    (
        "ObjectMeta",
        "name",
        FieldConditions {
            immutable: true,
            ..form(StringFormat::Subdomain)
        },
    ),
    (
        "ObjectMeta",
        "generateName",
        form(StringFormat::GenerateName),
    ),
    (
        "ObjectMeta",
        "namespace",
        FieldConditions {
            immutable: true,
            ..form(StringFormat::Label)
        },
    ),
    ("ObjectMeta", "selfLink", SERVER),
    ("ObjectMeta", "uid", SERVER),
    ("ObjectMeta", "creationTimestamp", SERVER),
    ("ObjectMeta", "deletionTimestamp", SERVER),
    ("ObjectMeta", "deletionGracePeriodSeconds", SERVER),
    ("ObjectMeta", "labels", form(StringFormat::LabelMap)),
    (
        "ObjectMeta",
        "annotations",
        form(StringFormat::AnnotationMap),
    ),
    ("ObjectMeta", "finalizers", form(StringFormat::Finalizer)),
    (
        "OwnerReference",
        "apiVersion",
        FieldConditions {
            required: true,
            ..form(StringFormat::GroupVersion)
        },
    ),
    ("OwnerReference", "kind", REQUIRED),
    ("OwnerReference", "name", REQUIRED),
    ("OwnerReference", "uid", REQUIRED),
    ("ManagedFieldsEntry", "operation", REQUIRED),
    ("ManagedFieldsEntry", "manager", bytes(128)),
    ("ManagedFieldsEntry", "subresource", bytes(256)),
    (
        "NodeSelector",
        "nodeSelectorTerms",
        FieldConditions {
            min_items: Some(1),
            ..REQUIRED
        },
    ),
    (
        "NodeSelectorRequirement",
        "key",
        FieldConditions {
            required: true,
            ..form(StringFormat::QualifiedName)
        },
    ),
    ("NodeSelectorRequirement", "operator", REQUIRED),
    ("ResourceClaim", "spec", FIXED),
    ("ResourceClaimTemplate", "spec", FIXED),
    ("ResourceClaimTemplateSpec", "spec", REQUIRED),
    ("ResourceClaimSpec", "resourceClassName", NAME),
    (
        "ResourceClaimSpec",
        "allocationMode",
        FieldConditions {
            default: Some("WaitForFirstConsumer"),
            ..NONE
        },
    ),
    ("ResourceClaimParametersReference", "kind", REQUIRED),
    ("ResourceClaimParametersReference", "name", REQUIRED),
    ("ResourceClassParametersReference", "kind", REQUIRED),
    ("ResourceClassParametersReference", "name", REQUIRED),
    (
        "ResourceClassParametersReference",
        "namespace",
        form(StringFormat::Label),
    ),
    (
        "ResourceClaimStatus",
        "driverName",
        form(StringFormat::DriverName),
    ),
    (
        "ResourceClaimStatus",
        "reservedFor",
        FieldConditions {
            max_items: Some(32),
            ..unique("uid")
        },
    ),
    ("AllocationResult", "resourceHandle", bytes(16384)),
    (
        "AllocationResult",
        "resourceHandles",
        FieldConditions {
            max_items: Some(32),
            ..NONE
        },
    ),
    ("ResourceHandle", "data", bytes(16384)),
    (
        "StructuredResourceHandle",
        "nodeName",
        form(StringFormat::Subdomain),
    ),
    ("DriverAllocationResult", "namedResources", REQUIRED),
    ("NamedResourcesAllocationResult", "name", NAME),
    ("ResourceClaimConsumerReference", "resource", REQUIRED),
    ("ResourceClaimConsumerReference", "name", REQUIRED),
    ("ResourceClaimConsumerReference", "uid", REQUIRED),
    (
        "ResourceClaimParameters",
        "driverRequests",
        unique("driverName"),
    ),
    (
        "DriverRequests",
        "requests",
        FieldConditions {
            min_items: Some(1),
            ..REQUIRED
        },
    ),
    ("ResourceRequest", "namedResources", REQUIRED),
    ("NamedResourcesRequest", "selector", SELECTOR),
    (
        "ResourceClassParameters",
        "vendorParameters",
        unique("driverName"),
    ),
    ("ResourceClassParameters", "filters", unique("driverName")),
    ("ResourceFilter", "namedResources", REQUIRED),
    ("NamedResourcesFilter", "selector", SELECTOR),
    (
        "ResourceSlice",
        "nodeName",
        FieldConditions {
            immutable: true,
            ..form(StringFormat::Subdomain)
        },
    ),
    (
        "ResourceSlice",
        "driverName",
        FieldConditions {
            immutable: true,
            ..DRIVER
        },
    ),
    ("ResourceSlice", "namedResources", REQUIRED),
    ("NamedResourcesResources", "instances", unique("name")),
    ("NamedResourcesInstance", "name", NAME),
    ("NamedResourcesInstance", "attributes", unique("name")),
    ("NamedResourcesAttribute", "name", NAME),
    (
        "NamedResourcesAttribute",
        "version",
        form(StringFormat::Semver),
    ),
    ("*", "driverName", DRIVER),
    ("*", "potentialNodes", NODES),
    ("*", "unsuitableNodes", NODES),
    ("*", "resourceClaims", unique("name")),
    ("*", "status", STATUS),
];

const LABEL: FieldConditions = FieldConditions {
    required: true,
    ..form(StringFormat::Label)
};
const MODE: FieldConditions = FieldConditions {
    default: Some("ExactCount"),
    ..NONE
};
const ONE: FieldConditions = FieldConditions {
    default: Some("1"),
    ..NONE
};
/// The same for v1alpha3 and later, where structs of the same name have other constraints. The limits are in the tables.
const DEVICE: &[(&str, &str, FieldConditions)] = &[
    (
        "ResourceClaim",
        "spec",
        FieldConditions {
            immutable: true,
            ..NONE
        },
    ),
    (
        "ResourceClaimTemplate",
        "spec",
        FieldConditions {
            immutable: true,
            ..NONE
        },
    ),
    ("DeviceRequest", "name", LABEL),
    (
        "DeviceRequest",
        "deviceClassName",
        form(StringFormat::Subdomain),
    ),
    ("ExactDeviceRequest", "deviceClassName", NAME),
    ("DeviceSubRequest", "name", LABEL),
    ("DeviceSubRequest", "deviceClassName", NAME),
    ("DeviceSelector", "cel", REQUIRED),
    ("CELDeviceSelector", "expression", SELECTOR),
    ("DeviceDerivedAttribute", "expression", SELECTOR),
    ("OpaqueDeviceConfiguration", "driver", DRIVER),
    ("OpaqueDeviceConfiguration", "parameters", REQUIRED),
    ("DeviceToleration", "key", form(StringFormat::QualifiedName)),
    (
        "DeviceToleration",
        "operator",
        FieldConditions {
            default: Some("Equal"),
            ..NONE
        },
    ),
    (
        "DeviceTaint",
        "key",
        FieldConditions {
            required: true,
            ..form(StringFormat::QualifiedName)
        },
    ),
    ("DeviceTaint", "effect", REQUIRED),
    ("DeviceTaintRuleSpec", "taint", REQUIRED),
    (
        "ResourceSliceSpec",
        "driver",
        FieldConditions {
            immutable: true,
            ..DRIVER
        },
    ),
    ("ResourceSliceSpec", "pool", REQUIRED),
    (
        "ResourceSliceSpec",
        "nodeName",
        FieldConditions {
            immutable: true,
            ..form(StringFormat::Subdomain)
        },
    ),
    ("ResourcePool", "name", FIXED),
    ("ResourcePool", "resourceSliceCount", REQUIRED),
    ("Device", "name", LABEL),
    ("DeviceAttribute", "version", form(StringFormat::Semver)),
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
fn declare(facts: &mut FieldConditions, schema: &Struct, field: &Field, release: Release) {
    for rule in declared::of(schema.go, field.json, release) {
        match *rule {
            Rule::Required => facts.required = true,
            Rule::Immutable => facts.immutable = true,
            Rule::UniqueSet => facts.unique = Some(Unique::Whole),
            Rule::UniqueMap(&[key]) => facts.unique = Some(Unique::By(key)),
            Rule::Format(form) | Rule::EachValue(form) => {
                facts.format = facts.format.or(known(form))
            }
            _ => {}
        }
    }
}

/// Returns the form of a text that a generated rule demands, where it is one of documentation's.
fn known(form: Declared) -> Option<StringFormat> {
    match form {
        Declared::ShortName => Some(StringFormat::Label),
        Declared::LongName => Some(StringFormat::Subdomain),
        Declared::FullyQualifiedName => Some(StringFormat::FullyQualifiedName),
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
pub fn facts(schema: &Struct, field: &Field, release: Release) -> FieldConditions {
    let table = if field.since.minor < DEVICES {
        TABLE
    } else {
        DEVICE
    };
    let found = table
        .iter()
        .find(|(of, json, _)| *json == field.json && (*of == schema.go || *of == "*"));
    let mut facts = found.map_or(NONE, |(_, _, facts)| *facts);
    if let Some(limit) = field
        .limit(release)
        .and_then(|limit| u32::try_from(limit).ok())
    {
        if matches!(field.ty, FieldType::List(_)) {
            facts.max_items = Some(limit);
        } else if field.ty.is_text() {
            facts.max_bytes = Some(limit);
        }
    }
    if field.since.minor >= DECLARED {
        declare(&mut facts, schema, field, release);
    }
    if field.since.minor < DEVICES
        && field.json == "reservedFor"
        && !release.rules().reserved_for_by_uid
    {
        facts.unique = Some(Unique::Whole);
    }
    facts
}

/// Returns the rows that name no field of any table; a test keeps this empty.
pub fn stray(known: impl Fn(&str, &str) -> bool) -> Vec<(&'static str, &'static str)> {
    TABLE
        .iter()
        .chain(DEVICE)
        .map(|(of, json, _)| (*of, *json))
        .filter(|(of, json)| !known(of, json))
        .collect()
}
