//! apimachinery's metadata types.

use crate::api::{Field, ListKind, ListRule, Package, Release, Struct, Type};

/// The annotation in which `kubectl apply` keeps the manifest that it applied last.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

const ALWAYS: Release = Release::new(26, 0);
const fn rule(kind: ListKind, patch_merge_key: Option<&'static str>) -> ListRule {
    ListRule { since: ALWAYS, kind, patch_merge_key, patch_merge: true }
}

/// `metav1.ObjectMeta`
pub static OBJECT_META: Struct = Struct {
    go: "ObjectMeta",
    package: Package::Meta,
    fields: &[
        Field::new("name", "Name", Type::String).omit(),
        Field::new("generateName", "GenerateName", Type::String).omit(),
        Field::new("namespace", "Namespace", Type::String).omit(),
        Field::new("selfLink", "SelfLink", Type::String).omit(),
        Field::new("uid", "UID", Type::Uid).omit(),
        Field::new("resourceVersion", "ResourceVersion", Type::String).omit(),
        Field::new("generation", "Generation", Type::Int64).omit(),
        Field::new("creationTimestamp", "CreationTimestamp", Type::Time).omit_since(34),
        Field::new("deletionTimestamp", "DeletionTimestamp", Type::Pointer(&Type::Time)).omit(),
        Field::new("deletionGracePeriodSeconds", "DeletionGracePeriodSeconds", Type::Pointer(&Type::Int64)).omit(),
        Field::new("labels", "Labels", Type::StringMap).omit(),
        Field::new("annotations", "Annotations", Type::StringMap).omit(),
        Field::new("ownerReferences", "OwnerReferences", Type::List(&Type::Struct(&OWNER_REFERENCE)))
            .omit()
            .list(&[rule(ListKind::Map(&["uid"]), Some("uid"))]),
        Field::new("finalizers", "Finalizers", Type::List(&Type::String)).omit().list(&[rule(ListKind::Set, None)]),
        Field::new("managedFields", "ManagedFields", Type::List(&Type::Struct(&MANAGED_FIELDS_ENTRY))).omit(),
    ],
};

/// `metav1.OwnerReference`
pub static OWNER_REFERENCE: Struct = Struct {
    go: "OwnerReference",
    package: Package::Meta,
    fields: &[
        Field::new("apiVersion", "APIVersion", Type::String).required(),
        Field::new("kind", "Kind", Type::String).required(),
        Field::new("name", "Name", Type::String).required(),
        Field::new("uid", "UID", Type::Uid).required(),
        Field::new("controller", "Controller", Type::Pointer(&Type::Bool)).omit(),
        Field::new("blockOwnerDeletion", "BlockOwnerDeletion", Type::Pointer(&Type::Bool)).omit(),
    ],
};

/// `metav1.ManagedFieldsEntry`
pub static MANAGED_FIELDS_ENTRY: Struct = Struct {
    go: "ManagedFieldsEntry",
    package: Package::Meta,
    fields: &[
        Field::new("manager", "Manager", Type::String).omit(),
        Field::new("operation", "Operation", Type::Named(Package::Meta, "ManagedFieldsOperationType"))
            .omit()
            .values(&["Apply", "Update"]),
        Field::new("apiVersion", "APIVersion", Type::String).omit(),
        Field::new("time", "Time", Type::Pointer(&Type::Time)).omit(),
        Field::new("fieldsType", "FieldsType", Type::String).omit(),
        Field::new("fieldsV1", "FieldsV1", Type::Pointer(&Type::FieldsV1)).omit(),
        Field::new("subresource", "Subresource", Type::String).omit(),
    ],
};

/// `metav1.Condition`
pub static CONDITION: Struct = Struct {
    go: "Condition",
    package: Package::Meta,
    fields: &[
        Field::new("type", "Type", Type::String).required(),
        Field::new("status", "Status", Type::Named(Package::Meta, "ConditionStatus"))
            .required()
            .values(&["True", "False", "Unknown"]),
        Field::new("observedGeneration", "ObservedGeneration", Type::Int64).omit(),
        Field::new("lastTransitionTime", "LastTransitionTime", Type::Time).required(),
        Field::new("reason", "Reason", Type::String).required(),
        Field::new("message", "Message", Type::String).required(),
    ],
};

/// `metav1.ListMeta`
pub static LIST_META: Struct = Struct {
    go: "ListMeta",
    package: Package::Meta,
    fields: &[
        Field::new("selfLink", "SelfLink", Type::String).omit(),
        Field::new("resourceVersion", "ResourceVersion", Type::String).omit(),
        Field::new("continue", "Continue", Type::String).omit(),
        Field::new("remainingItemCount", "RemainingItemCount", Type::Pointer(&Type::Int64)).omit(),
    ],
};

/// `kind`, the first field of every object.
pub const KIND: Field = Field::new("kind", "Kind", Type::String).omit();
/// `apiVersion`, the second field of every object.
pub const API_VERSION: Field = Field::new("apiVersion", "APIVersion", Type::String).omit();
/// `metadata` of an object.
pub const METADATA: Field = Field::new("metadata", "ObjectMeta", Type::Struct(&OBJECT_META));
/// `metadata` of a list.
pub const METADATA_OF_LIST: Field = Field::new("metadata", "ListMeta", Type::Struct(&LIST_META));
