//! Typed views of decoded objects: `claim.spec().resource_class_name()` reads as Kubernetes' own code does.
//!
//! A view is a reference to a [`Record`] that may be missing; a missing struct reads as Go's zero value, so that
//! views never fail. Names, and what is a pointer, follow the Go types.
//!
//! ```
//! use claimkit_model::limits::Limits;
//! use claimkit_model::object::decode::{self, How, Via};
//! use claimkit_model::object::view::ResourceClaim;
//! use claimkit_model::schema::{Release, VERSIONS};
//! use claimkit_model::text;
//!
//! let manifest = "metadata: {name: a}\nspec: {resourceClassName: gpu}\n";
//! let file = text::read(manifest, &Limits::default());
//! let document = &file.documents[0];
//! let version = VERSIONS.iter().find(|version| version.name == "v1alpha2").unwrap();
//! let kind = version.kinds.iter().find(|kind| kind.kind == "ResourceClaim").unwrap();
//! let how = How::reaching(document.mode, Via::Kubectl, Release::parse("1.30").unwrap());
//! let root = document.root.unwrap();
//! let decoded = decode::decode(&document.tree, root, kind.schema, version.name, how);
//! let claim = ResourceClaim::new(&decoded.record);
//! assert_eq!(claim.metadata().name(), "a");
//! assert_eq!(claim.spec().resource_class_name(), "gpu");
//! assert!(claim.status().allocation().is_none());
//! ```

use crate::object::{FieldValue, Record};
use crate::schema::Field;
use claimkit_values::time::Time;
use std::borrow::Cow;

pub mod device;
#[cfg(test)]
mod tests;

/// A `map[string]string`, sorted by key.
pub type StringMap<'r> = &'r [(Cow<'r, str>, Cow<'r, str>)];

/// A field of a struct: its row in the table, and its value.
#[derive(Clone, Copy, Debug)]
pub struct Slot<'r> {
    field: Option<&'static Field>,
    value: &'r FieldValue<'r>,
}

impl<'r> Slot<'r> {
    /// Returns the field with a name; the views have getters for those that are known by name.
    pub fn of(record: Option<&'r Record<'r>>, json: &str) -> Self {
        let mut slots = record
            .into_iter()
            .flat_map(|record| record.schema.fields.iter().zip(&record.slots));
        match slots.find(|(field, _)| field.json == json) {
            Some((field, value)) => Slot {
                field: Some(field),
                value,
            },
            None => Slot {
                field: None,
                value: &FieldValue::Unset,
            },
        }
    }

    /// Returns the row of the table. It is missing with the struct, and in versions without the field.
    pub fn field(self) -> Option<&'static Field> {
        self.field
    }

    /// Returns the value.
    pub fn value(self) -> &'r FieldValue<'r> {
        self.value
    }
}

/// The strings of a list.
pub type Strings<'r> = List<'r, &'r str>;

impl<'r> Strings<'r> {
    /// Returns true if `text` is among the values.
    pub fn contains(self, text: &str) -> bool {
        self.iter().any(|item| item == text)
    }
}

/// The items of a list.
#[derive(Debug)]
pub struct List<'r, V> {
    slot: Slot<'r>,
    view: fn(&'r FieldValue<'r>) -> V,
}

impl<V> Clone for List<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<V> Copy for List<'_, V> {}

impl<'r, V> List<'r, V> {
    fn items(self) -> &'r [FieldValue<'r>] {
        match self.slot.value {
            FieldValue::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the field that holds the list.
    pub fn slot(self) -> Slot<'r> {
        self.slot
    }

    /// Returns the number of items.
    pub fn len(self) -> usize {
        self.items().len()
    }

    /// Returns true if the list is empty or nil.
    pub fn is_empty(self) -> bool {
        self.items().is_empty()
    }

    /// Iterates over the items.
    pub fn iter(
        self,
    ) -> impl ExactSizeIterator<Item = V> + DoubleEndedIterator + Clone + use<'r, V> {
        self.items().iter().map(self.view)
    }
}

/// The entries of a map whose values are structs or quantities, sorted by key.
#[derive(Debug)]
pub struct Entries<'r, V> {
    slot: Slot<'r>,
    view: fn(&'r FieldValue<'r>) -> V,
}

impl<V> Clone for Entries<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<V> Copy for Entries<'_, V> {}

impl<'r, V> Entries<'r, V> {
    fn entries(self) -> &'r [(Cow<'r, str>, FieldValue<'r>)] {
        match self.slot.value {
            FieldValue::Entries(entries) => entries,
            _ => &[],
        }
    }

    /// Returns the field that holds the map.
    pub fn slot(self) -> Slot<'r> {
        self.slot
    }

    /// Returns the number of entries.
    pub fn len(self) -> usize {
        self.entries().len()
    }

    /// Returns true if the map is empty or nil.
    pub fn is_empty(self) -> bool {
        self.entries().is_empty()
    }

    /// Iterates over the keys and values.
    pub fn iter(self) -> impl ExactSizeIterator<Item = (&'r str, V)> + Clone + use<'r, V> {
        self.entries()
            .iter()
            .map(move |(key, value)| (&**key, (self.view)(value)))
    }

    /// Iterates over the keys.
    pub fn keys(self) -> impl ExactSizeIterator<Item = &'r str> + Clone + use<'r, V> {
        self.entries().iter().map(|(key, _)| &**key)
    }

    /// Returns the value of a key.
    pub fn get(self, key: &str) -> Option<V> {
        self.entries()
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| (self.view)(value))
    }
}

/// Declares views: `View of "AnotherGoName" { getter: kind(View of it) = "jsonName", }`.
///
/// A view reads the structs of its own name and of the Go names after `of`. `tests` compares the getters with the tables.
macro_rules! views {
    ($($(#[$doc:meta])* $view:ident $(of $($go:literal),+)? {
        $($(#[$fdoc:meta])* $getter:ident: $kind:ident $(($of:ident))? = $json:literal,)*
    })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default)]
            pub struct $view<'r>(Option<&'r Record<'r>>);

            impl<'r> $view<'r> {
                /// Returns the view of a record.
                pub fn new(record: &'r Record<'r>) -> Self {
                    Self(Some(record))
                }

                /// Returns the view of a record that may be missing.
                pub fn of(record: Option<&'r Record<'r>>) -> Self {
                    Self(record)
                }

                /// Returns the record, unless the struct is missing.
                pub fn record(self) -> Option<&'r Record<'r>> {
                    self.0
                }

                $(views!(@getter [$(#[$fdoc])*] $getter $kind $(($of))? $json);)*
            }
        )*

        /// The views of this module, to be compared with the tables.
        #[cfg(test)]
        pub(super) const VIEWS: &[$crate::object::view::tests::View] = &[$(
            $crate::object::view::tests::View {
                name: stringify!($view),
                others: &[$($($go),+)?],
                getters: &[$($crate::object::view::tests::Getter {
                    name: stringify!($getter),
                    kind: stringify!($kind),
                    of: &[$(stringify!($of))?],
                    json: $json,
                }),*],
            }
        ),*];
    };
    (@getter [$(#[$doc:meta])*] $getter:ident str $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> &'r str {
            Slot::of(self.0, $json).value().as_str()
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident str_pointer $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Option<&'r str> {
            match Slot::of(self.0, $json).value() {
                FieldValue::Unset => None,
                value => Some(value.as_str()),
            }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident bool $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> bool {
            matches!(Slot::of(self.0, $json).value(), FieldValue::Bool(true))
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident bool_pointer $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Option<bool> {
            match Slot::of(self.0, $json).value() {
                FieldValue::Bool(value) => Some(*value),
                _ => None,
            }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident int $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> i64 {
            match Slot::of(self.0, $json).value() {
                FieldValue::Int(value) => *value,
                _ => 0,
            }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident int_pointer $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Option<i64> {
            match Slot::of(self.0, $json).value() {
                FieldValue::Int(value) => Some(*value),
                _ => None,
            }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident time $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Time {
            match Slot::of(self.0, $json).value() {
                FieldValue::Time(time) => *time,
                _ => Time::default(),
            }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident time_pointer $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Option<Time> {
            match Slot::of(self.0, $json).value() {
                FieldValue::Time(time) => Some(*time),
                _ => None,
            }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident set $json:literal) => {
        #[doc = concat!("Returns true if `", $json, "` is set.")]
        $(#[$doc])*
        pub fn $getter(self) -> bool {
            !matches!(Slot::of(self.0, $json).value(), FieldValue::Unset)
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident slot $json:literal) => {
        #[doc = concat!("Returns the field `", $json, "`.")]
        $(#[$doc])*
        pub fn $getter(self) -> Slot<'r> {
            Slot::of(self.0, $json)
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident map $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> StringMap<'r> {
            match Slot::of(self.0, $json).value() {
                FieldValue::Map(entries) => entries,
                _ => &[],
            }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident strings $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Strings<'r> {
            List { slot: Slot::of(self.0, $json), view: FieldValue::as_str }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident list($of:ident) $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> List<'r, $of<'r>> {
            List { slot: Slot::of(self.0, $json), view: |item| $of::of(item.as_record()) }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident entries($of:ident) $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Entries<'r, $of<'r>> {
            Entries { slot: Slot::of(self.0, $json), view: |entry| $of::of(entry.as_record()) }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident quantities $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Entries<'r, &'r str> {
            Entries { slot: Slot::of(self.0, $json), view: FieldValue::as_str }
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident inner($of:ident) $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> $of<'r> {
            $of::of(Slot::of(self.0, $json).value().as_record())
        });
    };
    (@getter [$(#[$doc:meta])*] $getter:ident pointer($of:ident) $json:literal) => {
        views!(@returns [$(#[$doc])*] $json => pub fn $getter(self) -> Option<$of<'r>> {
            Slot::of(self.0, $json).value().as_record().map($of::new)
        });
    };
    (@returns [$(#[$doc:meta])*] $json:literal => $($getter:tt)*) => {
        #[doc = concat!("Returns `", $json, "`.")]
        $(#[$doc])*
        $($getter)*
    };
}
use views;

views! {
    /// `metav1.ObjectMeta`
    ObjectMeta {
        name: str = "name",
        generate_name: str = "generateName",
        namespace: str = "namespace",
        self_link: str = "selfLink",
        uid: str = "uid",
        resource_version: str = "resourceVersion",
        generation: int = "generation",
        creation_timestamp: time = "creationTimestamp",
        deletion_timestamp: time_pointer = "deletionTimestamp",
        deletion_grace_period_seconds: int_pointer = "deletionGracePeriodSeconds",
        labels: map = "labels",
        annotations: map = "annotations",
        owner_references: list(OwnerReference) = "ownerReferences",
        finalizers: strings = "finalizers",
        managed_fields: list(ManagedFieldsEntry) = "managedFields",
    }
    /// `metav1.OwnerReference`
    OwnerReference {
        api_version: str = "apiVersion",
        kind: str = "kind",
        name: str = "name",
        uid: str = "uid",
        controller: bool_pointer = "controller",
        block_owner_deletion: bool_pointer = "blockOwnerDeletion",
    }
    /// `metav1.ManagedFieldsEntry`
    ManagedFieldsEntry {
        manager: str = "manager",
        operation: str = "operation",
        api_version: str = "apiVersion",
        time: time_pointer = "time",
        fields_type: str = "fieldsType",
        /// It is JSON, kept as it was written.
        fields_v1: str_pointer = "fieldsV1",
        subresource: str = "subresource",
    }
    /// Any object: what every kind has.
    Object of "ResourceClaim", "ResourceClass" {
        kind: str = "kind",
        api_version: str = "apiVersion",
        metadata: inner(ObjectMeta) = "metadata",
        spec_slot: slot = "spec",
    }
    /// `core/v1.NodeSelector`
    NodeSelector {
        node_selector_terms: list(NodeSelectorTerm) = "nodeSelectorTerms",
    }
    /// `core/v1.NodeSelectorTerm`
    NodeSelectorTerm {
        match_expressions: list(NodeSelectorRequirement) = "matchExpressions",
        match_fields: list(NodeSelectorRequirement) = "matchFields",
    }
    /// `core/v1.NodeSelectorRequirement`
    NodeSelectorRequirement {
        key: str = "key",
        operator: str = "operator",
        values: strings = "values",
    }
    /// `ResourceClaim` of v1alpha1 and v1alpha2
    ResourceClaim {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourceClaimSpec) = "spec",
        status: inner(ResourceClaimStatus) = "status",
    }
    /// `ResourceClaimSpec`
    ResourceClaimSpec {
        resource_class_name: str = "resourceClassName",
        parameters_ref: pointer(ResourceClaimParametersReference) = "parametersRef",
        allocation_mode: str = "allocationMode",
    }
    /// `ResourceClaimParametersReference`
    ResourceClaimParametersReference {
        api_group: str = "apiGroup",
        kind: str = "kind",
        name: str = "name",
    }
    /// `ResourceClaimStatus`
    ResourceClaimStatus {
        driver_name: str = "driverName",
        allocation: pointer(AllocationResult) = "allocation",
        reserved_for: list(ResourceClaimConsumerReference) = "reservedFor",
        deallocation_requested: bool = "deallocationRequested",
    }
    /// `AllocationResult`: `resource_handle` in v1alpha1, `resource_handles` in v1alpha2
    AllocationResult {
        /// It is one of v1alpha1.
        resource_handle: str = "resourceHandle",
        /// It is one of v1alpha2.
        resource_handles: list(ResourceHandle) = "resourceHandles",
        available_on_nodes: pointer(NodeSelector) = "availableOnNodes",
        shareable: bool = "shareable",
    }
    /// `ResourceHandle`
    ResourceHandle {
        driver_name: str = "driverName",
        data: str = "data",
        /// It came with 1.30.
        structured_data: pointer(StructuredResourceHandle) = "structuredData",
    }
    /// `StructuredResourceHandle` (1.30)
    StructuredResourceHandle {
        /// It is JSON, kept as it was written.
        vendor_class_parameters: str_pointer = "vendorClassParameters",
        /// It is JSON, kept as it was written.
        vendor_claim_parameters: str_pointer = "vendorClaimParameters",
        node_name: str = "nodeName",
        results: list(DriverAllocationResult) = "results",
    }
    /// `DriverAllocationResult` (1.30)
    DriverAllocationResult {
        /// It is JSON, kept as it was written.
        vendor_request_parameters: str_pointer = "vendorRequestParameters",
        named_resources: pointer(NamedResourcesAllocationResult) = "namedResources",
    }
    /// `NamedResourcesAllocationResult` (1.30)
    NamedResourcesAllocationResult {
        name: str = "name",
    }
    /// `ResourceClaimConsumerReference`
    ResourceClaimConsumerReference {
        api_group: str = "apiGroup",
        resource: str = "resource",
        name: str = "name",
        uid: str = "uid",
    }
    /// `ResourceClass` of v1alpha1 and v1alpha2
    ResourceClass {
        metadata: inner(ObjectMeta) = "metadata",
        driver_name: str = "driverName",
        parameters_ref: pointer(ResourceClassParametersReference) = "parametersRef",
        suitable_nodes: pointer(NodeSelector) = "suitableNodes",
        /// It came with 1.30.
        structured_parameters: bool_pointer = "structuredParameters",
    }
    /// `ResourceClassParametersReference`
    ResourceClassParametersReference {
        api_group: str = "apiGroup",
        kind: str = "kind",
        name: str = "name",
        namespace: str = "namespace",
    }
    /// `ResourceClaimTemplate`
    ResourceClaimTemplate {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourceClaimTemplateSpec) = "spec",
    }
    /// `ResourceClaimTemplateSpec`
    ResourceClaimTemplateSpec {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(ResourceClaimSpec) = "spec",
    }
    /// `PodScheduling` of v1alpha1, `PodSchedulingContext` of v1alpha2
    PodSchedulingContext of "PodScheduling" {
        metadata: inner(ObjectMeta) = "metadata",
        spec: inner(PodSchedulingContextSpec) = "spec",
        status: inner(PodSchedulingContextStatus) = "status",
    }
    /// `PodSchedulingSpec`, `PodSchedulingContextSpec`
    PodSchedulingContextSpec of "PodSchedulingSpec" {
        selected_node: str = "selectedNode",
        potential_nodes: strings = "potentialNodes",
    }
    /// `PodSchedulingStatus`, `PodSchedulingContextStatus`
    PodSchedulingContextStatus of "PodSchedulingStatus" {
        resource_claims: list(ResourceClaimSchedulingStatus) = "resourceClaims",
    }
    /// `ResourceClaimSchedulingStatus`
    ResourceClaimSchedulingStatus {
        /// It is that of the pod's claim entry.
        name: str = "name",
        unsuitable_nodes: strings = "unsuitableNodes",
    }
    /// `ResourceClaimParameters` (1.30)
    ResourceClaimParameters {
        metadata: inner(ObjectMeta) = "metadata",
        generated_from: pointer(ResourceClaimParametersReference) = "generatedFrom",
        shareable: bool = "shareable",
        driver_requests: list(DriverRequests) = "driverRequests",
    }
    /// `DriverRequests` (1.30)
    DriverRequests {
        driver_name: str = "driverName",
        /// It is JSON, kept as it was written.
        vendor_parameters: str_pointer = "vendorParameters",
        requests: list(ResourceRequest) = "requests",
    }
    /// `ResourceRequest` (1.30)
    ResourceRequest {
        /// It is JSON, kept as it was written.
        vendor_parameters: str_pointer = "vendorParameters",
        named_resources: pointer(NamedResourcesSelector) = "namedResources",
    }
    /// `NamedResourcesRequest`, `NamedResourcesFilter` (1.30)
    NamedResourcesSelector of "NamedResourcesRequest", "NamedResourcesFilter" {
        /// It is a CEL expression.
        selector: str = "selector",
    }
    /// `ResourceClassParameters` (1.30)
    ResourceClassParameters {
        metadata: inner(ObjectMeta) = "metadata",
        generated_from: pointer(ResourceClassParametersReference) = "generatedFrom",
        vendor_parameters: list(VendorParameters) = "vendorParameters",
        filters: list(ResourceFilter) = "filters",
    }
    /// `VendorParameters` (1.30)
    VendorParameters {
        driver_name: str = "driverName",
        /// It is JSON, kept as it was written.
        parameters: str_pointer = "parameters",
    }
    /// `ResourceFilter` (1.30)
    ResourceFilter {
        driver_name: str = "driverName",
        named_resources: pointer(NamedResourcesSelector) = "namedResources",
    }
    /// `ResourceSlice` (1.30)
    ResourceSlice {
        metadata: inner(ObjectMeta) = "metadata",
        node_name: str = "nodeName",
        driver_name: str = "driverName",
        named_resources: pointer(NamedResourcesResources) = "namedResources",
    }
    /// `NamedResourcesResources` (1.30)
    NamedResourcesResources {
        instances: list(NamedResourcesInstance) = "instances",
    }
    /// `NamedResourcesInstance` (1.30)
    NamedResourcesInstance {
        name: str = "name",
        attributes: list(NamedResourcesAttribute) = "attributes",
    }
    /// `NamedResourcesAttribute` (1.30): exactly one value field
    NamedResourcesAttribute {
        name: str = "name",
        /// It is in canonical form.
        quantity: str_pointer = "quantity",
        bool: bool_pointer = "bool",
        int: int_pointer = "int",
        has_int_slice: set = "intSlice",
        string: str_pointer = "string",
        has_string_slice: set = "stringSlice",
        version: str_pointer = "version",
    }
}
