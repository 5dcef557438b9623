//! `resource.k8s.io/v1alpha2`: Kubernetes 1.27 to 1.30 (k8s.io/api, resource/v1alpha2/types.go).

use crate::schema::core::NODE_SELECTOR;
use crate::schema::meta::{API_VERSION, KIND, METADATA, METADATA_OF_LIST, OBJECT_META};
use crate::schema::{
    ApiKind, ClassicKind, Family, Field, FieldType, ListKind, ListRule, ObjectKind, Package,
    Release, Scope, Struct, Version,
};

/// The tables of `v1alpha2`.
pub static VERSION: Version = Version {
    name: "v1alpha2",
    api_version: "resource.k8s.io/v1alpha2",
    served: (27, Some(30)),
    on_since: None,
    family: Family::Classic,
    kinds: KINDS,
};

const SINCE_26: Release = Release::new(26, 0);
const SINCE_30: Release = Release::new(30, 0);

pub(super) const fn kind(
    kind: &'static str,
    object: ClassicKind,
    plural: &'static str,
    scope: Scope,
    since: u8,
    schema: &'static Struct,
) -> ApiKind {
    ApiKind {
        kind,
        object: ObjectKind::Classic(object),
        plural,
        scope,
        status: false,
        items: None,
        since: Release::new(since, 0),
        until: None,
        lifecycle: &[],
        schema,
    }
}
pub(super) const fn list(
    kind: &'static str,
    object: ClassicKind,
    items: &'static str,
    plural: &'static str,
    scope: Scope,
    since: u8,
    schema: &'static Struct,
) -> ApiKind {
    ApiKind {
        kind,
        object: ObjectKind::Classic(object),
        plural,
        scope,
        status: false,
        items: Some(items),
        since: Release::new(since, 0),
        until: None,
        lifecycle: &[],
        schema,
    }
}

const KINDS: &[ApiKind] = &[
    kind(
        "ResourceClaim",
        ClassicKind::ResourceClaim,
        "resourceclaims",
        Scope::Namespaced,
        27,
        &RESOURCE_CLAIM,
    )
    .with_status(),
    kind(
        "ResourceClass",
        ClassicKind::ResourceClass,
        "resourceclasses",
        Scope::Cluster,
        27,
        &RESOURCE_CLASS,
    ),
    kind(
        "ResourceClaimTemplate",
        ClassicKind::ResourceClaimTemplate,
        "resourceclaimtemplates",
        Scope::Namespaced,
        27,
        &RESOURCE_CLAIM_TEMPLATE,
    ),
    kind(
        "PodSchedulingContext",
        ClassicKind::PodSchedulingContext,
        "podschedulingcontexts",
        Scope::Namespaced,
        27,
        &POD_SCHEDULING_CONTEXT,
    )
    .with_status(),
    kind(
        "ResourceClaimParameters",
        ClassicKind::ResourceClaimParameters,
        "resourceclaimparameters",
        Scope::Namespaced,
        30,
        &RESOURCE_CLAIM_PARAMETERS,
    ),
    kind(
        "ResourceClassParameters",
        ClassicKind::ResourceClassParameters,
        "resourceclassparameters",
        Scope::Namespaced,
        30,
        &RESOURCE_CLASS_PARAMETERS,
    ),
    kind(
        "ResourceSlice",
        ClassicKind::ResourceSlice,
        "resourceslices",
        Scope::Cluster,
        30,
        &RESOURCE_SLICE,
    ),
    list(
        "ResourceClaimList",
        ClassicKind::ResourceClaim,
        "ResourceClaim",
        "resourceclaims",
        Scope::Namespaced,
        27,
        &RESOURCE_CLAIM_LIST,
    ),
    list(
        "ResourceClassList",
        ClassicKind::ResourceClass,
        "ResourceClass",
        "resourceclasses",
        Scope::Cluster,
        27,
        &RESOURCE_CLASS_LIST,
    ),
    list(
        "ResourceClaimTemplateList",
        ClassicKind::ResourceClaimTemplate,
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        Scope::Namespaced,
        27,
        &RESOURCE_CLAIM_TEMPLATE_LIST,
    ),
    list(
        "PodSchedulingContextList",
        ClassicKind::PodSchedulingContext,
        "PodSchedulingContext",
        "podschedulingcontexts",
        Scope::Namespaced,
        27,
        &POD_SCHEDULING_CONTEXT_LIST,
    ),
    list(
        "ResourceClaimParametersList",
        ClassicKind::ResourceClaimParameters,
        "ResourceClaimParameters",
        "resourceclaimparameters",
        Scope::Namespaced,
        30,
        &RESOURCE_CLAIM_PARAMETERS_LIST,
    ),
    list(
        "ResourceClassParametersList",
        ClassicKind::ResourceClassParameters,
        "ResourceClassParameters",
        "resourceclassparameters",
        Scope::Namespaced,
        30,
        &RESOURCE_CLASS_PARAMETERS_LIST,
    ),
    list(
        "ResourceSliceList",
        ClassicKind::ResourceSlice,
        "ResourceSlice",
        "resourceslices",
        Scope::Cluster,
        30,
        &RESOURCE_SLICE_LIST,
    ),
];

macro_rules! resource {
    ($(#[$doc:meta])* $name:ident = $go:literal { $($field:expr,)* }) => {
        $(#[$doc])*
        pub static $name: Struct = Struct { go: $go, package: Package::Resource, fields: &[$($field,)*] };
    };
}

macro_rules! list_of {
    ($(#[$doc:meta])* $name:ident = $go:literal of $item:ident) => {
        resource! {
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
pub(super) use {list_of, resource};

resource! {
    /// A request for a resource of a class.
    RESOURCE_CLAIM = "ResourceClaim" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_SPEC)).required(),
        Field::new("status", "Status", FieldType::Struct(&RESOURCE_CLAIM_STATUS)),
    }
}

/// The allocation modes of a claim.
pub const ALLOCATION_MODES: &[&str] = &["WaitForFirstConsumer", "Immediate"];

resource! {
    /// Has the fields of v1alpha1.
    RESOURCE_CLAIM_SPEC = "ResourceClaimSpec" {
        Field::new("resourceClassName", "ResourceClassName", FieldType::String).required(),
        Field::new("parametersRef", "ParametersRef", FieldType::Pointer(&FieldType::Struct(&RESOURCE_CLAIM_PARAMETERS_REFERENCE))).omit(),
        Field::new("allocationMode", "AllocationMode", FieldType::Named(Package::Resource, "AllocationMode")).omit().values(ALLOCATION_MODES),
    }
}

resource! {
    /// Has the fields of v1alpha1.
    RESOURCE_CLAIM_PARAMETERS_REFERENCE = "ResourceClaimParametersReference" {
        Field::new("apiGroup", "APIGroup", FieldType::String).omit(),
        Field::new("kind", "Kind", FieldType::String).required(),
        Field::new("name", "Name", FieldType::String).required(),
    }
}

resource! {
    /// v1alpha1 differs in its allocation.
    RESOURCE_CLAIM_STATUS = "ResourceClaimStatus" {
        Field::new("driverName", "DriverName", FieldType::String).omit(),
        Field::new("allocation", "Allocation", FieldType::Pointer(&FieldType::Struct(&ALLOCATION_RESULT))).omit(),
        RESERVED_FOR,
        DEALLOCATION_REQUESTED,
    }
}

// Named because a constant may not borrow a temporary.
const NODE_SELECTOR_TYPE: &FieldType = &FieldType::Struct(&NODE_SELECTOR);
const RESOURCE_CLAIM_CONSUMER_REFERENCE_TYPE: &FieldType =
    &FieldType::Struct(&RESOURCE_CLAIM_CONSUMER_REFERENCE);
const RESOURCE_CLASS_PARAMETERS_REFERENCE_TYPE: &FieldType =
    &FieldType::Struct(&RESOURCE_CLASS_PARAMETERS_REFERENCE);
const RESOURCE_CLAIM_SCHEDULING_STATUS_TYPE: &FieldType =
    &FieldType::Struct(&RESOURCE_CLAIM_SCHEDULING_STATUS);

/// `status.reservedFor`: a set of whole entries in 1.26.0 and 1.26.1, then a map by `uid`; patches merge by `uid` from 1.30.
pub(super) const RESERVED_FOR: Field = Field::new(
    "reservedFor",
    "ReservedFor",
    FieldType::List(RESOURCE_CLAIM_CONSUMER_REFERENCE_TYPE),
)
.omit()
.list(&[
    ListRule {
        since: SINCE_26,
        kind: ListKind::Set,
        patch_merge_key: None,
        patch_merge: false,
    },
    ListRule {
        since: Release::new(26, 2),
        kind: ListKind::Map(&["uid"]),
        patch_merge_key: None,
        patch_merge: false,
    },
    ListRule {
        since: SINCE_30,
        kind: ListKind::Map(&["uid"]),
        patch_merge_key: Some("uid"),
        patch_merge: true,
    },
]);
/// `status.deallocationRequested`
pub(super) const DEALLOCATION_REQUESTED: Field = Field::new(
    "deallocationRequested",
    "DeallocationRequested",
    FieldType::Bool,
)
.omit();

resource! {
    /// v1alpha1 has `resourceHandle` in place of `resourceHandles`.
    ALLOCATION_RESULT = "AllocationResult" {
        Field::new("resourceHandles", "ResourceHandles", FieldType::List(&FieldType::Struct(&RESOURCE_HANDLE))).omit(),
        AVAILABLE_ON_NODES,
        SHAREABLE,
    }
}
/// `availableOnNodes`
pub(super) const AVAILABLE_ON_NODES: Field = Field::new(
    "availableOnNodes",
    "AvailableOnNodes",
    FieldType::Pointer(NODE_SELECTOR_TYPE),
)
.omit();
/// `shareable`
pub(super) const SHAREABLE: Field = Field::new("shareable", "Shareable", FieldType::Bool).omit();

resource! {
    /// Data of one driver.
    RESOURCE_HANDLE = "ResourceHandle" {
        Field::new("driverName", "DriverName", FieldType::String).omit(),
        Field::new("data", "Data", FieldType::String).omit(),
        Field::new("structuredData", "StructuredData", FieldType::Pointer(&FieldType::Struct(&STRUCTURED_RESOURCE_HANDLE))).omit().since(30),
    }
}

resource! {
    /// The data that in-tree allocation gives to the driver (1.30).
    STRUCTURED_RESOURCE_HANDLE = "StructuredResourceHandle" {
        Field::new("vendorClassParameters", "VendorClassParameters", FieldType::Raw),
        Field::new("vendorClaimParameters", "VendorClaimParameters", FieldType::Raw),
        Field::new("nodeName", "NodeName", FieldType::String).omit(),
        Field::new("results", "Results", FieldType::List(&FieldType::Struct(&DRIVER_ALLOCATION_RESULT))).required(),
    }
}

resource! {
    /// One request's result; the model is inlined.
    DRIVER_ALLOCATION_RESULT = "DriverAllocationResult" {
        Field::new("vendorRequestParameters", "VendorRequestParameters", FieldType::Raw),
        Field::new("namedResources", "NamedResources", FieldType::Pointer(&FieldType::Struct(&NAMED_RESOURCES_ALLOCATION_RESULT))).omit(),
    }
}

resource! {
    NAMED_RESOURCES_ALLOCATION_RESULT = "NamedResourcesAllocationResult" {
        Field::new("name", "Name", FieldType::String).required(),
    }
}

resource! {
    /// A pod or another object that uses a claim.
    RESOURCE_CLAIM_CONSUMER_REFERENCE = "ResourceClaimConsumerReference" {
        Field::new("apiGroup", "APIGroup", FieldType::String).omit(),
        Field::new("resource", "Resource", FieldType::String).required(),
        Field::new("name", "Name", FieldType::String).required(),
        Field::new("uid", "UID", FieldType::Uid).required(),
    }
}

resource! {
    /// There is no `spec`.
    RESOURCE_CLASS = "ResourceClass" {
        KIND,
        API_VERSION,
        METADATA,
        DRIVER_NAME,
        CLASS_PARAMETERS_REF,
        SUITABLE_NODES,
        Field::new("structuredParameters", "StructuredParameters", FieldType::Pointer(&FieldType::Bool)).omit().since(30),
    }
}
/// `driverName` of a class.
pub(super) const DRIVER_NAME: Field =
    Field::new("driverName", "DriverName", FieldType::String).required();
/// `parametersRef` of a class.
pub(super) const CLASS_PARAMETERS_REF: Field = Field::new(
    "parametersRef",
    "ParametersRef",
    FieldType::Pointer(RESOURCE_CLASS_PARAMETERS_REFERENCE_TYPE),
)
.omit();
/// `suitableNodes` of a class.
pub(super) const SUITABLE_NODES: Field = Field::new(
    "suitableNodes",
    "SuitableNodes",
    FieldType::Pointer(NODE_SELECTOR_TYPE),
)
.omit();

resource! {
    /// Has the fields of v1alpha1.
    RESOURCE_CLASS_PARAMETERS_REFERENCE = "ResourceClassParametersReference" {
        Field::new("apiGroup", "APIGroup", FieldType::String).omit(),
        Field::new("kind", "Kind", FieldType::String).required(),
        Field::new("name", "Name", FieldType::String).required(),
        Field::new("namespace", "Namespace", FieldType::String).omit(),
    }
}

resource! {
    /// Makes claims for pods.
    RESOURCE_CLAIM_TEMPLATE = "ResourceClaimTemplate" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_TEMPLATE_SPEC)).required(),
    }
}

resource! {
    /// Has the fields of v1alpha1.
    RESOURCE_CLAIM_TEMPLATE_SPEC = "ResourceClaimTemplateSpec" {
        Field::new("metadata", "ObjectMeta", FieldType::Struct(&OBJECT_META)),
        Field::new("spec", "Spec", FieldType::Struct(&RESOURCE_CLAIM_SPEC)).required(),
    }
}

resource! {
    /// Negotiation between scheduler and drivers; v1alpha1 calls it PodScheduling.
    POD_SCHEDULING_CONTEXT = "PodSchedulingContext" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&POD_SCHEDULING_CONTEXT_SPEC)).required(),
        Field::new("status", "Status", FieldType::Struct(&POD_SCHEDULING_CONTEXT_STATUS)),
    }
}

/// Node lists are sets for server-side apply until 1.28, atomic from 1.29.
pub(super) const NODE_LIST: &[ListRule] = &[
    ListRule {
        since: SINCE_26,
        kind: ListKind::Set,
        patch_merge_key: None,
        patch_merge: false,
    },
    ListRule {
        since: Release::new(29, 0),
        kind: ListKind::Atomic,
        patch_merge_key: None,
        patch_merge: false,
    },
];
/// Claim statuses are a map by `name`.
pub(super) const CLAIM_STATUSES: &[ListRule] = &[ListRule {
    since: SINCE_26,
    kind: ListKind::Map(&["name"]),
    patch_merge_key: None,
    patch_merge: false,
}];
/// `spec.selectedNode`
pub(super) const SELECTED_NODE: Field =
    Field::new("selectedNode", "SelectedNode", FieldType::String).omit();
/// `spec.potentialNodes`
pub(super) const POTENTIAL_NODES: Field = Field::new(
    "potentialNodes",
    "PotentialNodes",
    FieldType::List(&FieldType::String),
)
.omit()
.list(NODE_LIST);
/// `status.resourceClaims`
pub(super) const RESOURCE_CLAIMS: Field = Field::new(
    "resourceClaims",
    "ResourceClaims",
    FieldType::List(RESOURCE_CLAIM_SCHEDULING_STATUS_TYPE),
)
.omit()
.list(CLAIM_STATUSES);

resource! {
    /// The nodes that the scheduler asks about.
    POD_SCHEDULING_CONTEXT_SPEC = "PodSchedulingContextSpec" {
        SELECTED_NODE,
        POTENTIAL_NODES,
    }
}

resource! {
    /// The nodes that the drivers report as unsuitable.
    POD_SCHEDULING_CONTEXT_STATUS = "PodSchedulingContextStatus" {
        RESOURCE_CLAIMS,
    }
}

resource! {
    /// One driver's answer for one claim; same in v1alpha1.
    RESOURCE_CLAIM_SCHEDULING_STATUS = "ResourceClaimSchedulingStatus" {
        Field::new("name", "Name", FieldType::String).omit(),
        Field::new("unsuitableNodes", "UnsuitableNodes", FieldType::List(&FieldType::String)).omit().list(NODE_LIST),
    }
}

resource! {
    /// Claim parameters the scheduler understands (1.30).
    RESOURCE_CLAIM_PARAMETERS = "ResourceClaimParameters" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("generatedFrom", "GeneratedFrom", FieldType::Pointer(&FieldType::Struct(&RESOURCE_CLAIM_PARAMETERS_REFERENCE))).omit(),
        Field::new("shareable", "Shareable", FieldType::Bool).omit(),
        Field::new("driverRequests", "DriverRequests", FieldType::List(&FieldType::Struct(&DRIVER_REQUESTS))).omit(),
    }
}

resource! {
    /// Requests to one driver.
    DRIVER_REQUESTS = "DriverRequests" {
        Field::new("driverName", "DriverName", FieldType::String).omit(),
        Field::new("vendorParameters", "VendorParameters", FieldType::Raw),
        Field::new("requests", "Requests", FieldType::List(&FieldType::Struct(&RESOURCE_REQUEST))).omit(),
    }
}

resource! {
    /// One request; the model is inlined.
    RESOURCE_REQUEST = "ResourceRequest" {
        Field::new("vendorParameters", "VendorParameters", FieldType::Raw),
        Field::new("namedResources", "NamedResources", FieldType::Pointer(&FieldType::Struct(&NAMED_RESOURCES_REQUEST))).omit(),
    }
}

resource! {
    /// A request for one instance.
    NAMED_RESOURCES_REQUEST = "NamedResourcesRequest" {
        Field::new("selector", "Selector", FieldType::String).required(),
    }
}

resource! {
    /// Class parameters the scheduler understands (1.30).
    RESOURCE_CLASS_PARAMETERS = "ResourceClassParameters" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("generatedFrom", "GeneratedFrom", FieldType::Pointer(&FieldType::Struct(&RESOURCE_CLASS_PARAMETERS_REFERENCE))).omit(),
        Field::new("vendorParameters", "VendorParameters", FieldType::List(&FieldType::Struct(&VENDOR_PARAMETERS))).omit(),
        Field::new("filters", "Filters", FieldType::List(&FieldType::Struct(&RESOURCE_FILTER))).omit(),
    }
}

resource! {
    /// Opaque parameters of one driver.
    VENDOR_PARAMETERS = "VendorParameters" {
        Field::new("driverName", "DriverName", FieldType::String).omit(),
        Field::new("parameters", "Parameters", FieldType::Raw),
    }
}

resource! {
    /// Filter of one driver's instances; the model is inlined.
    RESOURCE_FILTER = "ResourceFilter" {
        Field::new("driverName", "DriverName", FieldType::String).omit(),
        Field::new("namedResources", "NamedResources", FieldType::Pointer(&FieldType::Struct(&NAMED_RESOURCES_FILTER))).omit(),
    }
}

resource! {
    /// The instances that the class allows.
    NAMED_RESOURCES_FILTER = "NamedResourcesFilter" {
        Field::new("selector", "Selector", FieldType::String).required(),
    }
}

resource! {
    /// The resources of one driver on one node (1.30); the model is inlined.
    RESOURCE_SLICE = "ResourceSlice" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("nodeName", "NodeName", FieldType::String).omit(),
        Field::new("driverName", "DriverName", FieldType::String).required(),
        Field::new("namedResources", "NamedResources", FieldType::Pointer(&FieldType::Struct(&NAMED_RESOURCES_RESOURCES))).omit(),
    }
}

resource! {
    NAMED_RESOURCES_RESOURCES = "NamedResourcesResources" {
        Field::new("instances", "Instances", FieldType::List(&FieldType::Struct(&NAMED_RESOURCES_INSTANCE))).required(),
    }
}

resource! {
    NAMED_RESOURCES_INSTANCE = "NamedResourcesInstance" {
        Field::new("name", "Name", FieldType::String).required(),
        Field::new("attributes", "Attributes", FieldType::List(&FieldType::Struct(&NAMED_RESOURCES_ATTRIBUTE))).omit(),
    }
}

resource! {
    /// One attribute: exactly one value field.
    NAMED_RESOURCES_ATTRIBUTE = "NamedResourcesAttribute" {
        Field::new("name", "Name", FieldType::String).required(),
        Field::new("quantity", "QuantityValue", FieldType::Pointer(&FieldType::Quantity)).omit(),
        Field::new("bool", "BoolValue", FieldType::Pointer(&FieldType::Bool)).omit(),
        Field::new("int", "IntValue", FieldType::Pointer(&FieldType::Int64)).omit(),
        Field::new("intSlice", "IntSliceValue", FieldType::Pointer(&FieldType::Struct(&NAMED_RESOURCES_INT_SLICE))).omit(),
        Field::new("string", "StringValue", FieldType::Pointer(&FieldType::String)).omit(),
        Field::new("stringSlice", "StringSliceValue", FieldType::Pointer(&FieldType::Struct(&NAMED_RESOURCES_STRING_SLICE))).omit(),
        Field::new("version", "VersionValue", FieldType::Pointer(&FieldType::String)).omit(),
    }
}

resource! {
    NAMED_RESOURCES_INT_SLICE = "NamedResourcesIntSlice" {
        Field::new("ints", "Ints", FieldType::List(&FieldType::Int64)).required(),
    }
}

resource! {
    NAMED_RESOURCES_STRING_SLICE = "NamedResourcesStringSlice" {
        Field::new("strings", "Strings", FieldType::List(&FieldType::String)).required(),
    }
}

list_of!(
    RESOURCE_CLAIM_LIST = "ResourceClaimList" of RESOURCE_CLAIM
);
list_of!(
    RESOURCE_CLASS_LIST = "ResourceClassList" of RESOURCE_CLASS
);
list_of!(
    RESOURCE_CLAIM_TEMPLATE_LIST = "ResourceClaimTemplateList" of RESOURCE_CLAIM_TEMPLATE
);
list_of!(
    POD_SCHEDULING_CONTEXT_LIST = "PodSchedulingContextList" of POD_SCHEDULING_CONTEXT
);
list_of!(
    RESOURCE_CLAIM_PARAMETERS_LIST = "ResourceClaimParametersList" of RESOURCE_CLAIM_PARAMETERS
);
list_of!(
    RESOURCE_CLASS_PARAMETERS_LIST = "ResourceClassParametersList" of RESOURCE_CLASS_PARAMETERS
);
list_of!(
    RESOURCE_SLICE_LIST = "ResourceSliceList" of RESOURCE_SLICE
);
