//! `resource.k8s.io/v1alpha1`: Kubernetes 1.26. Structs that are field-identical in v1alpha2 are taken from there
//! (k8s.io/api, resource/v1alpha1/types.go).

use crate::schema::classic::v1alpha2 as next;
use crate::schema::classic::v1alpha2::{kind, list, list_of, resource};
use crate::schema::meta::{API_VERSION, KIND, METADATA, METADATA_OF_LIST};
use crate::schema::{
    ApiKind, ClassicKind, Family, Field, FieldType, Package, Scope, Struct, Version,
};

/// The tables of `v1alpha1`.
pub static VERSION: Version = Version {
    name: "v1alpha1",
    api_version: "resource.k8s.io/v1alpha1",
    served: (26, Some(26)),
    on_since: None,
    family: Family::Classic,
    kinds: KINDS,
};

const KINDS: &[ApiKind] = &[
    kind(
        "ResourceClaim",
        ClassicKind::ResourceClaim,
        "resourceclaims",
        Scope::Namespaced,
        26,
        &RESOURCE_CLAIM,
    )
    .with_status(),
    kind(
        "ResourceClass",
        ClassicKind::ResourceClass,
        "resourceclasses",
        Scope::Cluster,
        26,
        &RESOURCE_CLASS,
    ),
    kind(
        "ResourceClaimTemplate",
        ClassicKind::ResourceClaimTemplate,
        "resourceclaimtemplates",
        Scope::Namespaced,
        26,
        &next::RESOURCE_CLAIM_TEMPLATE,
    ),
    kind(
        "PodScheduling",
        ClassicKind::PodSchedulingContext,
        "podschedulings",
        Scope::Namespaced,
        26,
        &POD_SCHEDULING,
    )
    .with_status(),
    list(
        "ResourceClaimList",
        ClassicKind::ResourceClaim,
        "ResourceClaim",
        "resourceclaims",
        Scope::Namespaced,
        26,
        &RESOURCE_CLAIM_LIST,
    ),
    list(
        "ResourceClassList",
        ClassicKind::ResourceClass,
        "ResourceClass",
        "resourceclasses",
        Scope::Cluster,
        26,
        &RESOURCE_CLASS_LIST,
    ),
    list(
        "ResourceClaimTemplateList",
        ClassicKind::ResourceClaimTemplate,
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        Scope::Namespaced,
        26,
        &next::RESOURCE_CLAIM_TEMPLATE_LIST,
    ),
    list(
        "PodSchedulingList",
        ClassicKind::PodSchedulingContext,
        "PodScheduling",
        "podschedulings",
        Scope::Namespaced,
        26,
        &POD_SCHEDULING_LIST,
    ),
];

resource! {
    /// A request for a resource of a class.
    RESOURCE_CLAIM = "ResourceClaim" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&next::RESOURCE_CLAIM_SPEC)).required(),
        Field::new("status", "Status", FieldType::Struct(&RESOURCE_CLAIM_STATUS)),
    }
}

resource! {
    RESOURCE_CLAIM_STATUS = "ResourceClaimStatus" {
        Field::new("driverName", "DriverName", FieldType::String).omit(),
        Field::new("allocation", "Allocation", FieldType::Pointer(&FieldType::Struct(&ALLOCATION_RESULT))).omit(),
        next::RESERVED_FOR,
        next::DEALLOCATION_REQUESTED,
    }
}

resource! {
    /// One handle for the one driver.
    ALLOCATION_RESULT = "AllocationResult" {
        Field::new("resourceHandle", "ResourceHandle", FieldType::String).omit(),
        next::AVAILABLE_ON_NODES,
        next::SHAREABLE,
    }
}

resource! {
    /// There is no `spec`.
    RESOURCE_CLASS = "ResourceClass" {
        KIND,
        API_VERSION,
        METADATA,
        next::DRIVER_NAME,
        next::CLASS_PARAMETERS_REF,
        next::SUITABLE_NODES,
    }
}

resource! {
    /// Negotiation between scheduler and drivers.
    POD_SCHEDULING = "PodScheduling" {
        KIND,
        API_VERSION,
        METADATA,
        Field::new("spec", "Spec", FieldType::Struct(&POD_SCHEDULING_SPEC)).required(),
        Field::new("status", "Status", FieldType::Struct(&POD_SCHEDULING_STATUS)),
    }
}

resource! {
    /// The nodes that the scheduler asks about.
    POD_SCHEDULING_SPEC = "PodSchedulingSpec" {
        next::SELECTED_NODE,
        next::POTENTIAL_NODES,
    }
}

resource! {
    /// The nodes that the drivers report as unsuitable.
    POD_SCHEDULING_STATUS = "PodSchedulingStatus" {
        next::RESOURCE_CLAIMS,
    }
}

list_of!(
    RESOURCE_CLAIM_LIST = "ResourceClaimList" of RESOURCE_CLAIM
);
list_of!(
    RESOURCE_CLASS_LIST = "ResourceClassList" of RESOURCE_CLASS
);
list_of!(
    POD_SCHEDULING_LIST = "PodSchedulingList" of POD_SCHEDULING
);
