//! The generated rules of each field.
//!
//! Source: `staging/src/k8s.io/api/resource/<version>/types.go` of 1.37 and later, and apimachinery's
//! `pkg/apis/meta/v1/types.go` from 1.38 on: the tags `+k8s:…`. A rule that is marked `alpha` is never
//! enforced and is not listed; neither is `+k8s:optional`, which every field without `Required` has.

use super::formats::Format;
use claimkit_model::finding::Code;
use claimkit_model::schema::Gate;
use claimkit_model::schema::device::SKIPPED_OPERATIONS;

/// When a rule is enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleStage {
    Stable,
    /// With the gate DeclarativeValidationBeta.
    Beta,
}

/// One rule of a field.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// The value must be there.
    Required,
    /// With the gate off the value must not be there; the other rules need the gate.
    Gated(Gate),
    /// A stored value stays as it is.
    Immutable,
    /// A value that is set stays as it is, but may be removed.
    NoModify,
    /// Maximum number of items of a list; its items are not judged if there are more.
    MaxItems(usize),
    /// Maximum number of bytes of a text.
    MaxBytes(usize),
    /// Maximum number of characters of a text.
    MaxLength(usize),
    Minimum(i64),
    Maximum(i64),
    /// The form of a text.
    Format(Format),
    /// The text is one of the values that the table of the version has.
    Enum,
    /// The texts of a list differ.
    UniqueSet,
    /// The items of a list differ in these fields, by which the stored items are found too.
    UniqueMap(&'static [&'static str]),
    /// The form of every text of a list.
    EachValue(Format),
    /// The form of every key of a map.
    EachKey(Format),
    /// Each text of a list is one of these.
    EachEnum(&'static [&'static str]),
    /// The form of `metadata.name`.
    Name(Format),
    /// Maximum number of entries of a map; its values are not judged if there are more.
    MaxEntries(usize),
    /// The least amount of every quantity of a map, a whole number.
    EachAmount(i64),
    /// Maximum number of bytes of every text of a list.
    EachMaxBytes(usize),
    /// A rule that is enforced with the gate DeclarativeValidationBeta only, in a row of other rules.
    InBeta(&'static Rule),
}

/// The rules of a field.
#[derive(Debug)]
pub struct Declared {
    /// The Go type of the struct.
    pub of: &'static str,
    /// The JSON name of the field.
    pub field: &'static str,
    /// When they are enforced.
    pub stage: RuleStage,
    /// The code of the findings.
    pub code: Code,
    /// The rules, in the order in which they are judged.
    pub rules: &'static [Rule],
    /// The first minor release that has these rules; a later row of the field replaces an earlier one.
    pub since: u8,
}

impl Declared {
    /// Sets the first minor release that has the rules.
    const fn since(mut self, minor: u8) -> Self {
        self.since = minor;
        self
    }
}

/// A field that must be set if another one of its struct is.
#[derive(Debug)]
pub struct Dependent {
    /// The Go type of the struct.
    pub of: &'static str,
    /// The JSON name of the field that demands the other.
    pub trigger: &'static str,
    /// The JSON name of the field that is demanded.
    pub dependent: &'static str,
    /// When the rule is enforced.
    pub stage: RuleStage,
    /// The code of the findings.
    pub code: Code,
    /// The first minor release that has the rule.
    pub since: u8,
}

/// A struct of which exactly one field is set.
#[derive(Debug)]
pub struct Union {
    /// The Go type of the struct.
    pub of: &'static str,
    /// When the rule is enforced.
    pub stage: RuleStage,
    /// The code of the findings.
    pub code: Code,
    /// Its members, in the order of the type.
    pub members: &'static [&'static str],
}

const fn beta(
    of: &'static str,
    field: &'static str,
    code: Code,
    rules: &'static [Rule],
) -> Declared {
    Declared {
        of,
        field,
        stage: RuleStage::Beta,
        code,
        rules,
        since: 37,
    }
}

const fn stable(
    of: &'static str,
    field: &'static str,
    code: Code,
    rules: &'static [Rule],
) -> Declared {
    Declared {
        of,
        field,
        stage: RuleStage::Stable,
        code,
        rules,
        since: 37,
    }
}

/// The structs with a union.
pub static UNIONS: &[Union] = &[
    Union {
        of: "DeviceAttribute",
        stage: RuleStage::Beta,
        code: Code::AttributeInvalid,
        members: &[
            "int", "bool", "string", "version", "ints", "bools", "strings", "versions",
        ],
    },
    Union {
        of: "NodeAllocatableMapping",
        stage: RuleStage::Stable,
        code: Code::NodeMappingInvalid,
        members: &["capacityKey", "deviceMultiplier"],
    },
];

/// The fields that others demand, in the order of upstream's rules: the first of a struct is judged before its union.
pub static DEPENDENTS: &[Dependent] = &[
    Dependent {
        of: "NodeAllocatableMapping",
        trigger: "capacityKey",
        dependent: "capacityMultiplier",
        stage: RuleStage::Beta,
        code: Code::NodeMappingInvalid,
        since: 38,
    },
    Dependent {
        of: "NodeAllocatableMapping",
        trigger: "capacityMultiplier",
        dependent: "capacityKey",
        stage: RuleStage::Beta,
        code: Code::NodeMappingInvalid,
        since: 38,
    },
];

/// The fields whose structs have no generated rules there, though their types have some.
pub static OPAQUE: &[(&str, &str)] = &[("ResourceClaimTemplateSpec", "metadata")];

/// The types whose fields another type has in another version: name there, name in the table.
pub static ALIASES: &[(&str, &str)] = &[
    ("BasicDevice", "Device"),
    ("DeviceRequest", "ExactDeviceRequest"),
];

use Code::{
    AllocationImmutable, AllocationModeUnsupported, AttributeInvalid, BindingConditionsInvalid,
    ClassNameInvalid, ConditionInvalid, ConfigSourceInvalid, CountersInvalid, DriverNameInvalid,
    DuplicateItem, ExtendedResourceNameInvalid, GenerationInvalid, ListTooLong, MetadataImmutable,
    NameInvalid, NetworkDataInvalid, OwnerReferenceIncomplete, PoolNameInvalid, PoolStatusInvalid,
    QualifiedNameInvalid, ShareIdInvalid, SpecImmutable, TaintInvalid, TolerationInvalid,
};
use Rule::{
    EachAmount, EachEnum, EachKey, EachMaxBytes, EachValue, Enum, Format as Form, Gated, Immutable,
    InBeta, MaxBytes, MaxEntries, MaxItems, MaxLength, Maximum, Minimum, Name, NoModify, Required,
    UniqueMap, UniqueSet,
};

/// The rules of the fields.
pub static DECLARED: &[Declared] = &[
    beta(
        "DeviceClass",
        "metadata",
        NameInvalid,
        &[Name(Format::LongName)],
    ),
    beta("DeviceClassSpec", "selectors", ListTooLong, &[MaxItems(32)]),
    beta("DeviceClassSpec", "config", ListTooLong, &[MaxItems(32)]),
    beta(
        "DeviceClassSpec",
        "extendedResourceName",
        ExtendedResourceNameInvalid,
        &[Form(Format::ExtendedResourceName)],
    ),
    beta("ResourceClaim", "spec", SpecImmutable, &[Immutable]),
    beta(
        "DeviceClaim",
        "requests",
        DuplicateItem,
        &[MaxItems(32), UniqueMap(&["name"])],
    ),
    beta("DeviceClaim", "constraints", ListTooLong, &[MaxItems(32)]),
    beta("DeviceClaim", "config", ListTooLong, &[MaxItems(32)]),
    beta(
        "DeviceRequest",
        "firstAvailable",
        DuplicateItem,
        &[MaxItems(8), UniqueMap(&["name"])],
    ),
    beta(
        "ExactDeviceRequest",
        "selectors",
        ListTooLong,
        &[MaxItems(32)],
    ),
    beta(
        "ExactDeviceRequest",
        "allocationMode",
        AllocationModeUnsupported,
        &[Enum],
    ),
    stable(
        "ExactDeviceRequest",
        "derivedAttributes",
        ListTooLong,
        &[MaxItems(32)],
    ),
    beta(
        "DeviceSubRequest",
        "deviceClassName",
        ClassNameInvalid,
        &[Required, Form(Format::LongName)],
    ),
    beta(
        "DeviceSubRequest",
        "selectors",
        ListTooLong,
        &[MaxItems(32)],
    ),
    beta(
        "DeviceSubRequest",
        "allocationMode",
        AllocationModeUnsupported,
        &[Enum],
    ),
    stable(
        "DeviceSubRequest",
        "derivedAttributes",
        ListTooLong,
        &[MaxItems(32)],
    ),
    stable(
        "DeviceDerivedAttribute",
        "name",
        QualifiedNameInvalid,
        &[Required, Form(Format::FullyQualifiedName)],
    ),
    stable(
        "DeviceDerivedAttribute",
        "expression",
        Code::SelectorInvalid,
        &[Required],
    ),
    beta(
        "DeviceConstraint",
        "requests",
        DuplicateItem,
        &[MaxItems(32), UniqueSet],
    ),
    beta(
        "DeviceConstraint",
        "matchAttribute",
        QualifiedNameInvalid,
        &[Form(Format::FullyQualifiedName)],
    ),
    beta(
        "DeviceConstraint",
        "distinctAttribute",
        QualifiedNameInvalid,
        &[Form(Format::FullyQualifiedName)],
    ),
    beta(
        "DeviceClaimConfiguration",
        "requests",
        DuplicateItem,
        &[MaxItems(32), UniqueSet],
    ),
    beta(
        "OpaqueDeviceConfiguration",
        "driver",
        DriverNameInvalid,
        &[Required, Form(Format::LongNameCaseless), MaxLength(63)],
    ),
    beta(
        "DeviceToleration",
        "key",
        TolerationInvalid,
        &[Form(Format::LabelKey)],
    ),
    beta("DeviceToleration", "operator", TolerationInvalid, &[Enum]),
    beta("DeviceToleration", "effect", TolerationInvalid, &[Enum]),
    beta(
        "ResourceClaimStatus",
        "allocation",
        AllocationImmutable,
        &[NoModify],
    ),
    beta(
        "ResourceClaimStatus",
        "reservedFor",
        DuplicateItem,
        &[MaxItems(256), UniqueMap(&["uid"])],
    ),
    beta(
        "ResourceClaimStatus",
        "devices",
        DuplicateItem,
        &[UniqueMap(&["driver", "device", "pool", "shareID"])],
    ),
    beta(
        "DeviceAllocationResult",
        "results",
        ListTooLong,
        &[MaxItems(32)],
    ),
    beta(
        "DeviceAllocationResult",
        "config",
        ListTooLong,
        &[MaxItems(64)],
    ),
    beta(
        "DeviceRequestAllocationResult",
        "driver",
        DriverNameInvalid,
        &[Required, Form(Format::LongNameCaseless), MaxLength(63)],
    ),
    beta(
        "DeviceRequestAllocationResult",
        "pool",
        PoolNameInvalid,
        &[Required, Form(Format::PoolName)],
    ),
    beta(
        "DeviceRequestAllocationResult",
        "bindingConditions",
        BindingConditionsInvalid,
        &[MaxItems(4)],
    ),
    beta(
        "DeviceRequestAllocationResult",
        "bindingFailureConditions",
        BindingConditionsInvalid,
        &[MaxItems(4)],
    ),
    beta(
        "DeviceRequestAllocationResult",
        "shareID",
        ShareIdInvalid,
        &[Form(Format::Uuid)],
    ),
    stable(
        "DeviceRequestAllocationResult",
        "skipNodeOperations",
        DuplicateItem,
        &[UniqueSet, EachEnum(SKIPPED_OPERATIONS)],
    ),
    beta(
        "DeviceAllocationConfiguration",
        "source",
        ConfigSourceInvalid,
        &[Required, Enum],
    ),
    beta(
        "DeviceAllocationConfiguration",
        "requests",
        DuplicateItem,
        &[MaxItems(32), UniqueSet],
    ),
    beta(
        "AllocatedDeviceStatus",
        "shareID",
        ShareIdInvalid,
        &[Form(Format::Uuid)],
    ),
    beta(
        "NetworkDeviceData",
        "interfaceName",
        NetworkDataInvalid,
        &[MaxBytes(256)],
    ),
    beta(
        "NetworkDeviceData",
        "ips",
        NetworkDataInvalid,
        &[MaxItems(16), UniqueSet],
    ),
    beta(
        "NetworkDeviceData",
        "hardwareAddress",
        NetworkDataInvalid,
        &[MaxBytes(128)],
    ),
    beta(
        "ResourceSliceSpec",
        "sharedCounters",
        CountersInvalid,
        &[MaxItems(8), UniqueMap(&["name"])],
    ),
    stable(
        "ResourceSliceSpec",
        "partitionTypeAttribute",
        QualifiedNameInvalid,
        &[
            Gated(Gate::DRAPartitionableDevicesType),
            Form(Format::FullyQualifiedName),
        ],
    ),
    stable(
        "ResourceSliceSpec",
        "skipNodeOperations",
        DuplicateItem,
        &[UniqueSet, EachEnum(SKIPPED_OPERATIONS)],
    ),
    beta(
        "CounterSet",
        "name",
        CountersInvalid,
        &[Required, Form(Format::ShortName)],
    ),
    beta(
        "CounterSet",
        "counters",
        CountersInvalid,
        &[Required, EachKey(Format::ShortName)],
    ),
    beta(
        "Device",
        "consumesCounters",
        CountersInvalid,
        &[MaxItems(2), UniqueMap(&["counterSet"])],
    ),
    beta(
        "Device",
        "bindingConditions",
        BindingConditionsInvalid,
        &[MaxItems(4)],
    ),
    beta(
        "Device",
        "bindingFailureConditions",
        BindingConditionsInvalid,
        &[MaxItems(4)],
    ),
    beta(
        "DeviceCounterConsumption",
        "counterSet",
        CountersInvalid,
        &[Required, Form(Format::ShortName)],
    ),
    beta(
        "DeviceCounterConsumption",
        "counters",
        CountersInvalid,
        &[Required, EachKey(Format::ShortName)],
    ),
    stable(
        "DeviceCounterConsumption",
        "compatibilityGroups",
        CountersInvalid,
        &[MaxItems(2), UniqueSet, EachValue(Format::ShortName)],
    ),
    beta("DeviceTaint", "effect", TaintInvalid, &[Required, Enum]),
    stable(
        "ResourcePoolStatusRequest",
        "spec",
        PoolStatusInvalid,
        &[Immutable],
    ),
    stable(
        "ResourcePoolStatusRequestSpec",
        "driver",
        PoolStatusInvalid,
        &[Required, Form(Format::LongNameCaseless)],
    ),
    stable(
        "ResourcePoolStatusRequestSpec",
        "poolName",
        PoolStatusInvalid,
        &[Form(Format::PoolName)],
    ),
    stable(
        "ResourcePoolStatusRequestSpec",
        "limit",
        PoolStatusInvalid,
        &[Maximum(1000), Minimum(1)],
    ),
    stable(
        "ResourcePoolStatusRequestSpec",
        "defaultPartitionTypeAttribute",
        PoolStatusInvalid,
        &[
            Gated(Gate::DRAPartitionableDevicesType),
            Form(Format::FullyQualifiedName),
        ],
    ),
    stable(
        "ResourcePoolStatusRequestStatus",
        "poolCount",
        PoolStatusInvalid,
        &[Required, Minimum(0)],
    ),
    stable(
        "ResourcePoolStatusRequestStatus",
        "pools",
        PoolStatusInvalid,
        &[MaxItems(1000)],
    ),
    stable(
        "ResourcePoolStatusRequestStatus",
        "conditions",
        PoolStatusInvalid,
        &[MaxItems(10)],
    ),
    stable(
        "PoolStatus",
        "driver",
        PoolStatusInvalid,
        &[Required, Form(Format::LongNameCaseless)],
    ),
    stable(
        "PoolStatus",
        "poolName",
        PoolStatusInvalid,
        &[Required, Form(Format::PoolName)],
    ),
    stable(
        "PoolStatus",
        "generation",
        PoolStatusInvalid,
        &[Required, Minimum(0)],
    ),
    stable(
        "PoolStatus",
        "resourceSliceCount",
        PoolStatusInvalid,
        &[Minimum(1)],
    ),
    stable(
        "PoolStatus",
        "totalDevices",
        PoolStatusInvalid,
        &[Minimum(0)],
    ),
    stable(
        "PoolStatus",
        "allocatedDevices",
        PoolStatusInvalid,
        &[Minimum(0)],
    ),
    stable(
        "PoolStatus",
        "availableDevices",
        PoolStatusInvalid,
        &[Minimum(0)],
    ),
    stable(
        "PoolStatus",
        "unavailableDevices",
        PoolStatusInvalid,
        &[Minimum(0)],
    ),
    stable(
        "PoolStatus",
        "nodeName",
        PoolStatusInvalid,
        &[Form(Format::LongName)],
    ),
    stable(
        "PoolStatus",
        "validationError",
        PoolStatusInvalid,
        &[MaxBytes(256)],
    ),
    stable(
        "PoolStatus",
        "partitionSummary",
        PoolStatusInvalid,
        &[MaxItems(32), UniqueMap(&["attribute", "type"])],
    ),
    stable(
        "PartitionTypeStatus",
        "attribute",
        PoolStatusInvalid,
        &[Required],
    ),
    stable(
        "PartitionTypeStatus",
        "type",
        PoolStatusInvalid,
        &[Required],
    ),
    stable(
        "PartitionTypeStatus",
        "total",
        PoolStatusInvalid,
        &[Required, Minimum(0)],
    ),
    stable(
        "PartitionTypeStatus",
        "allocatable",
        PoolStatusInvalid,
        &[Required, Minimum(0)],
    ),
    stable(
        "ShareableSummaryStatus",
        "fullyAvailableDevices",
        PoolStatusInvalid,
        &[Required, Minimum(0)],
    ),
    stable(
        "ShareableSummaryStatus",
        "partiallyAvailableDevices",
        PoolStatusInvalid,
        &[Required, Minimum(0)],
    ),
    stable(
        "ShareableSummaryStatus",
        "capacity",
        PoolStatusInvalid,
        &[MaxItems(32)],
    ),
    stable(
        "ShareableCapacityStatus",
        "name",
        PoolStatusInvalid,
        &[Required],
    ),
    stable(
        "ShareableCapacityStatus",
        "total",
        PoolStatusInvalid,
        &[Required],
    ),
    stable(
        "ShareableCapacityStatus",
        "consumed",
        PoolStatusInvalid,
        &[Required],
    ),
    stable(
        "ShareableCapacityStatus",
        "available",
        PoolStatusInvalid,
        &[Required],
    ),
    beta("ObjectMeta", "generation", GenerationInvalid, &[Minimum(0)]).since(38),
    beta("ObjectMeta", "uid", MetadataImmutable, &[Immutable]).since(38),
    beta(
        "ObjectMeta",
        "deletionTimestamp",
        MetadataImmutable,
        &[Immutable],
    )
    .since(38),
    beta(
        "ObjectMeta",
        "deletionGracePeriodSeconds",
        MetadataImmutable,
        &[Immutable],
    )
    .since(38),
    beta(
        "OwnerReference",
        "apiVersion",
        OwnerReferenceIncomplete,
        &[Required],
    )
    .since(38),
    beta(
        "OwnerReference",
        "kind",
        OwnerReferenceIncomplete,
        &[Required],
    )
    .since(38),
    beta(
        "OwnerReference",
        "name",
        OwnerReferenceIncomplete,
        &[Required],
    )
    .since(38),
    beta(
        "OwnerReference",
        "uid",
        OwnerReferenceIncomplete,
        &[Required],
    )
    .since(38),
    beta("Condition", "type", ConditionInvalid, &[Required]).since(38),
    beta("Condition", "status", ConditionInvalid, &[Required, Enum]).since(38),
    beta(
        "Condition",
        "observedGeneration",
        ConditionInvalid,
        &[Minimum(0)],
    )
    .since(38),
    beta(
        "Condition",
        "lastTransitionTime",
        ConditionInvalid,
        &[Required],
    )
    .since(38),
    beta("Condition", "reason", ConditionInvalid, &[Required]).since(38),
    beta(
        "AllocatedDeviceStatus",
        "conditions",
        ConditionInvalid,
        &[UniqueMap(&["type"])],
    )
    .since(38),
    beta(
        "DeviceTaintRuleStatus",
        "conditions",
        ConditionInvalid,
        &[UniqueMap(&["type"])],
    )
    .since(38),
    stable(
        "ResourcePoolStatusRequestStatus",
        "conditions",
        PoolStatusInvalid,
        &[MaxItems(10), InBeta(&UniqueMap(&["type"]))],
    )
    .since(38),
    stable(
        "CapacityRequirements",
        "requests",
        Code::CapacityRequestInvalid,
        &[MaxEntries(32), EachAmount(0)],
    )
    .since(38),
    stable(
        "DeviceRequestAllocationResult",
        "consumedCapacity",
        Code::CapacityRequestInvalid,
        &[MaxEntries(32), EachAmount(0)],
    )
    .since(38),
    beta(
        "DeviceAttribute",
        "strings",
        AttributeInvalid,
        &[EachMaxBytes(64)],
    )
    .since(38),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that each row names a field of some version: others would never run.
    #[test]
    fn rows_name_fields_of_the_tables() {
        use claimkit_model::schema::{Family, Struct, VERSIONS};
        fn collect(schema: &'static Struct, into: &mut Vec<&'static Struct>) {
            if into.iter().all(|known| !std::ptr::eq(*known, schema)) {
                into.push(schema);
                schema
                    .fields
                    .iter()
                    .filter_map(|field| field.ty.holds())
                    .for_each(|inner| collect(inner, into));
            }
        }
        let mut structs = Vec::new();
        for version in VERSIONS
            .iter()
            .filter(|version| version.family == Family::Device)
        {
            version
                .kinds
                .iter()
                .for_each(|kind| collect(kind.schema, &mut structs));
        }
        let has = |of: &str, field: &str| {
            structs
                .iter()
                .any(|schema| schema.go == of && schema.has(field))
        };
        for row in DECLARED {
            assert!(has(row.of, row.field), "{}.{}", row.of, row.field);
        }
        for union in UNIONS {
            assert!(
                union.members.iter().all(|member| has(union.of, member)),
                "{}",
                union.of
            );
        }
    }
}
