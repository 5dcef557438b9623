//! apimachinery's metadata types.

use crate::schema::{Field, FieldType, ListKind, ListRule, Package, Release, Struct};

/// The annotation in which `kubectl apply` keeps the manifest that it applied last.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

const ALWAYS: Release = Release::new(26, 0);
const fn rule(kind: ListKind, patch_merge_key: Option<&'static str>) -> ListRule {
    ListRule {
        since: ALWAYS,
        kind,
        patch_merge_key,
        patch_merge: true,
    }
}

/// `metav1.ObjectMeta`
pub static OBJECT_META: Struct = Struct {
    go: "ObjectMeta",
    package: Package::Meta,
    fields: &[
        Field::new("name", "Name", FieldType::String).omit(),
        Field::new("generateName", "GenerateName", FieldType::String).omit(),
        Field::new("namespace", "Namespace", FieldType::String).omit(),
        Field::new("selfLink", "SelfLink", FieldType::String).omit(),
        Field::new("uid", "UID", FieldType::Uid).omit(),
        Field::new("resourceVersion", "ResourceVersion", FieldType::String).omit(),
        Field::new("generation", "Generation", FieldType::Int64).omit(),
        Field::new("creationTimestamp", "CreationTimestamp", FieldType::Time).omit_since(34),
        Field::new(
            "deletionTimestamp",
            "DeletionTimestamp",
            FieldType::Pointer(&FieldType::Time),
        )
        .omit(),
        Field::new(
            "deletionGracePeriodSeconds",
            "DeletionGracePeriodSeconds",
            FieldType::Pointer(&FieldType::Int64),
        )
        .omit(),
        Field::new("labels", "Labels", FieldType::StringMap).omit(),
        Field::new("annotations", "Annotations", FieldType::StringMap).omit(),
        Field::new(
            "ownerReferences",
            "OwnerReferences",
            FieldType::List(&FieldType::Struct(&OWNER_REFERENCE)),
        )
        .omit()
        .list(&[rule(ListKind::Map(&["uid"]), Some("uid"))]),
        Field::new(
            "finalizers",
            "Finalizers",
            FieldType::List(&FieldType::String),
        )
        .omit()
        .list(&[rule(ListKind::Set, None)]),
        Field::new(
            "managedFields",
            "ManagedFields",
            FieldType::List(&FieldType::Struct(&MANAGED_FIELDS_ENTRY)),
        )
        .omit(),
    ],
};

/// `metav1.OwnerReference`
pub static OWNER_REFERENCE: Struct = Struct {
    go: "OwnerReference",
    package: Package::Meta,
    fields: &[
        Field::new("apiVersion", "APIVersion", FieldType::String).required(),
        Field::new("kind", "Kind", FieldType::String).required(),
        Field::new("name", "Name", FieldType::String).required(),
        Field::new("uid", "UID", FieldType::Uid).required(),
        Field::new(
            "controller",
            "Controller",
            FieldType::Pointer(&FieldType::Bool),
        )
        .omit(),
        Field::new(
            "blockOwnerDeletion",
            "BlockOwnerDeletion",
            FieldType::Pointer(&FieldType::Bool),
        )
        .omit(),
    ],
};

/// `metav1.ManagedFieldsEntry`
pub static MANAGED_FIELDS_ENTRY: Struct = Struct {
    go: "ManagedFieldsEntry",
    package: Package::Meta,
    fields: &[
        Field::new("manager", "Manager", FieldType::String).omit(),
        Field::new(
            "operation",
            "Operation",
            FieldType::Named(Package::Meta, "ManagedFieldsOperationType"),
        )
        .omit()
        .values(&["Apply", "Update"]),
        Field::new("apiVersion", "APIVersion", FieldType::String).omit(),
        Field::new("time", "Time", FieldType::Pointer(&FieldType::Time)).omit(),
        Field::new("fieldsType", "FieldsType", FieldType::String).omit(),
        Field::new(
            "fieldsV1",
            "FieldsV1",
            FieldType::Pointer(&FieldType::FieldsV1),
        )
        .omit(),
        Field::new("subresource", "Subresource", FieldType::String).omit(),
    ],
};

/// `metav1.Condition`
pub static CONDITION: Struct = Struct {
    go: "Condition",
    package: Package::Meta,
    fields: &[
        Field::new("type", "Type", FieldType::String).required(),
        Field::new(
            "status",
            "Status",
            FieldType::Named(Package::Meta, "ConditionStatus"),
        )
        .required()
        .values(&["True", "False", "Unknown"]),
        Field::new("observedGeneration", "ObservedGeneration", FieldType::Int64).omit(),
        Field::new("lastTransitionTime", "LastTransitionTime", FieldType::Time).required(),
        Field::new("reason", "Reason", FieldType::String).required(),
        Field::new("message", "Message", FieldType::String).required(),
    ],
};

/// `metav1.ListMeta`
pub static LIST_META: Struct = Struct {
    go: "ListMeta",
    package: Package::Meta,
    fields: &[
        Field::new("selfLink", "SelfLink", FieldType::String).omit(),
        Field::new("resourceVersion", "ResourceVersion", FieldType::String).omit(),
        Field::new("continue", "Continue", FieldType::String).omit(),
        Field::new(
            "remainingItemCount",
            "RemainingItemCount",
            FieldType::Pointer(&FieldType::Int64),
        )
        .omit(),
    ],
};

/// `kind`, the first field of every object.
pub const KIND: Field = Field::new("kind", "Kind", FieldType::String).omit();
/// `apiVersion`, the second field of every object.
pub const API_VERSION: Field = Field::new("apiVersion", "APIVersion", FieldType::String).omit();
/// `metadata` of an object.
pub const METADATA: Field = Field::new("metadata", "ObjectMeta", FieldType::Struct(&OBJECT_META));
/// `metadata` of a list.
pub const METADATA_OF_LIST: Field =
    Field::new("metadata", "ListMeta", FieldType::Struct(&LIST_META));
