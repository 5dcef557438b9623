//! Typed views of decoded objects: `claim.spec().resource_class_name()` reads as Kubernetes' own code does.
//!
//! A view is a reference to a [`Record`] that may be missing; a missing struct reads as Go's zero value, so that
//! views never fail. Names, and what is a pointer, follow the Go types.
//!
//! ```
//! use claimkit::record::decode::{self, How, Via};
//! use claimkit::manifest::{Input, What};
//! use claimkit::limits::Limits;
//! use claimkit::record::view::ResourceClaim;
//!
//! let text = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {resourceClassName: gpu}\n";
//! let input = Input::read(text, None, &Limits::default());
//! for item in &input.items {
//!     let (What::Ours(api), Some(tree)) = (&item.what, input.tree(item)) else { continue };
//!     let how = How::reaching(input.mode(item), Via::Kubectl, item.release);
//!     let decoded = decode::decode(tree, item.node, api.kind.schema, api.version.name, how);
//!     let claim = ResourceClaim::new(&decoded.record);
//!     assert_eq!(claim.metadata().name(), "a");
//!     assert_eq!(claim.spec().resource_class_name(), "gpu");
//!     assert!(claim.status().allocation().is_none());
//! }
//! ```

use crate::go::time::Time;
use crate::record::{Record, Value};
use std::borrow::Cow;

/// A `map[string]string`, sorted by key.
pub type StringMap<'r> = &'r [(Cow<'r, str>, Cow<'r, str>)];

/// The strings of a list.
#[derive(Clone, Copy, Debug)]
pub struct Strings<'r>(&'r [Value<'r>]);

impl<'r> Strings<'r> {
    /// Returns the number of items.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Returns true if the list is empty or nil.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the strings.
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'r str> + Clone {
        self.0.iter().map(Value::as_str)
    }

    /// Returns whether `text` is among the values.
    pub fn contains(self, text: &str) -> bool {
        self.iter().any(|item| item == text)
    }
}

/// The structs of a list.
#[derive(Debug)]
pub struct List<'r, V> {
    items: &'r [Value<'r>],
    view: fn(Option<&'r Record<'r>>) -> V,
}

impl<V> Clone for List<'_, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<V> Copy for List<'_, V> {}

impl<'r, V> List<'r, V> {
    /// Returns the number of items.
    pub fn len(self) -> usize {
        self.items.len()
    }

    /// Returns true if the list is empty or nil.
    pub fn is_empty(self) -> bool {
        self.items.is_empty()
    }

    /// Iterates over the items.
    pub fn iter(self) -> impl ExactSizeIterator<Item = V> + use<'r, V> {
        self.items.iter().map(move |item| (self.view)(item.as_record()))
    }
}

fn slot<'r>(record: Option<&'r Record<'r>>, json: &str) -> &'r Value<'r> {
    record.and_then(|record| record.schema.slot(json).and_then(|slot| record.slots.get(slot))).unwrap_or(&Value::Unset)
}

macro_rules! views {
    ($($(#[$doc:meta])* $view:ident { $($(#[$fdoc:meta])* $getter:ident: $kind:ident $(($of:ident))? = $json:literal,)* })*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default)]
            pub struct $view<'r>(Option<&'r Record<'r>>);

            impl<'r> $view<'r> {
                /// Returns the view of a record.
                pub fn new(record: &'r Record<'r>) -> Self {
                    Self(Some(record))
                }

                /// Returns the record, unless the struct is missing.
                pub fn record(self) -> Option<&'r Record<'r>> {
                    self.0
                }

                $(views!(@getter [$(#[$fdoc])*] $getter $kind $(($of))? $json);)*
            }
        )*
    };
    (@getter [$(#[$doc:meta])*] $getter:ident str $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> &'r str {
            slot(self.0, $json).as_str()
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident str_pointer $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> Option<&'r str> {
            match slot(self.0, $json) {
                Value::Unset => None,
                value => Some(value.as_str()),
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident bool $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> bool {
            matches!(slot(self.0, $json), Value::Bool(true))
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident bool_pointer $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> Option<bool> {
            match slot(self.0, $json) {
                Value::Bool(value) => Some(*value),
                _ => None,
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident int $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> i64 {
            match slot(self.0, $json) {
                Value::Int(value) => *value,
                _ => 0,
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident int_pointer $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> Option<i64> {
            match slot(self.0, $json) {
                Value::Int(value) => Some(*value),
                _ => None,
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident time $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> Time {
            match slot(self.0, $json) {
                Value::Time(time) => *time,
                _ => Time::default(),
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident time_pointer $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> Option<Time> {
            match slot(self.0, $json) {
                Value::Time(time) => Some(*time),
                _ => None,
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident set $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> bool {
            !matches!(slot(self.0, $json), Value::Unset)
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident map $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> StringMap<'r> {
            match slot(self.0, $json) {
                Value::Map(entries) => entries,
                _ => &[],
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident strings $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> Strings<'r> {
            match slot(self.0, $json) {
                Value::List(items) => Strings(items),
                _ => Strings(&[]),
            }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident list($of:ident) $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> List<'r, $of<'r>> {
            let items: &'r [Value<'r>] = match slot(self.0, $json) {
                Value::List(items) => items,
                _ => &[],
            };
            List { items, view: $of }
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident inner($of:ident) $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> $of<'r> {
            $of(slot(self.0, $json).as_record())
        }
    };
    (@getter [$(#[$doc:meta])*] $getter:ident pointer($of:ident) $json:literal) => {
        $(#[$doc])*
        pub fn $getter(self) -> Option<$of<'r>> {
            slot(self.0, $json).as_record().map($of::new)
        }
    };
}

views! {
    /// `metav1.ObjectMeta`
    ObjectMeta {
        /// `name`
        name: str = "name",
        /// `generateName`
        generate_name: str = "generateName",
        /// `namespace`
        namespace: str = "namespace",
        /// `selfLink`
        self_link: str = "selfLink",
        /// `uid`
        uid: str = "uid",
        /// `resourceVersion`
        resource_version: str = "resourceVersion",
        /// `generation`
        generation: int = "generation",
        /// `creationTimestamp`
        creation_timestamp: time = "creationTimestamp",
        /// `deletionTimestamp`
        deletion_timestamp: time_pointer = "deletionTimestamp",
        /// `deletionGracePeriodSeconds`
        deletion_grace_period_seconds: int_pointer = "deletionGracePeriodSeconds",
        /// `labels`
        labels: map = "labels",
        /// `annotations`
        annotations: map = "annotations",
        /// `ownerReferences`
        owner_references: list(OwnerReference) = "ownerReferences",
        /// `finalizers`
        finalizers: strings = "finalizers",
        /// `managedFields`
        managed_fields: list(ManagedFieldsEntry) = "managedFields",
    }
    /// `metav1.OwnerReference`
    OwnerReference {
        /// `apiVersion`
        api_version: str = "apiVersion",
        /// `kind`
        kind: str = "kind",
        /// `name`
        name: str = "name",
        /// `uid`
        uid: str = "uid",
        /// `controller`
        controller: bool_pointer = "controller",
        /// `blockOwnerDeletion`
        block_owner_deletion: bool_pointer = "blockOwnerDeletion",
    }
    /// `metav1.ManagedFieldsEntry`
    ManagedFieldsEntry {
        /// `manager`
        manager: str = "manager",
        /// `operation`
        operation: str = "operation",
        /// `apiVersion`
        api_version: str = "apiVersion",
        /// `time`
        time: time_pointer = "time",
        /// `fieldsType`
        fields_type: str = "fieldsType",
        /// `fieldsV1`, as JSON
        fields_v1: str_pointer = "fieldsV1",
        /// `subresource`
        subresource: str = "subresource",
    }
    /// Any object: what every kind has.
    Object {
        /// `kind`
        kind: str = "kind",
        /// `apiVersion`
        api_version: str = "apiVersion",
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
    }
    /// `core/v1.NodeSelector`
    NodeSelector {
        /// `nodeSelectorTerms`
        node_selector_terms: list(NodeSelectorTerm) = "nodeSelectorTerms",
    }
    /// `core/v1.NodeSelectorTerm`
    NodeSelectorTerm {
        /// `matchExpressions`
        match_expressions: list(NodeSelectorRequirement) = "matchExpressions",
        /// `matchFields`
        match_fields: list(NodeSelectorRequirement) = "matchFields",
    }
    /// `core/v1.NodeSelectorRequirement`
    NodeSelectorRequirement {
        /// `key`
        key: str = "key",
        /// `operator`
        operator: str = "operator",
        /// `values`
        values: strings = "values",
    }
    /// `ResourceClaim` of v1alpha1 and v1alpha2
    ResourceClaim {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `spec`
        spec: inner(ResourceClaimSpec) = "spec",
        /// `status`
        status: inner(ResourceClaimStatus) = "status",
    }
    /// `ResourceClaimSpec`
    ResourceClaimSpec {
        /// `resourceClassName`
        resource_class_name: str = "resourceClassName",
        /// `parametersRef`
        parameters_ref: pointer(ResourceClaimParametersReference) = "parametersRef",
        /// `allocationMode`
        allocation_mode: str = "allocationMode",
    }
    /// `ResourceClaimParametersReference`
    ResourceClaimParametersReference {
        /// `apiGroup`
        api_group: str = "apiGroup",
        /// `kind`
        kind: str = "kind",
        /// `name`
        name: str = "name",
    }
    /// `ResourceClaimStatus`
    ResourceClaimStatus {
        /// `driverName`
        driver_name: str = "driverName",
        /// `allocation`
        allocation: pointer(AllocationResult) = "allocation",
        /// `reservedFor`
        reserved_for: list(ResourceClaimConsumerReference) = "reservedFor",
        /// `deallocationRequested`
        deallocation_requested: bool = "deallocationRequested",
    }
    /// `AllocationResult`: `resource_handle` in v1alpha1, `resource_handles` in v1alpha2
    AllocationResult {
        /// `resourceHandle` of v1alpha1
        resource_handle: str = "resourceHandle",
        /// `resourceHandles` of v1alpha2
        resource_handles: list(ResourceHandle) = "resourceHandles",
        /// `availableOnNodes`
        available_on_nodes: pointer(NodeSelector) = "availableOnNodes",
        /// `shareable`
        shareable: bool = "shareable",
    }
    /// `ResourceHandle`
    ResourceHandle {
        /// `driverName`
        driver_name: str = "driverName",
        /// `data`
        data: str = "data",
        /// `structuredData` (1.30)
        structured_data: pointer(StructuredResourceHandle) = "structuredData",
    }
    /// `StructuredResourceHandle` (1.30)
    StructuredResourceHandle {
        /// `vendorClassParameters`, as JSON
        vendor_class_parameters: str_pointer = "vendorClassParameters",
        /// `vendorClaimParameters`, as JSON
        vendor_claim_parameters: str_pointer = "vendorClaimParameters",
        /// `nodeName`
        node_name: str = "nodeName",
        /// `results`
        results: list(DriverAllocationResult) = "results",
    }
    /// `DriverAllocationResult` (1.30)
    DriverAllocationResult {
        /// `vendorRequestParameters`, as JSON
        vendor_request_parameters: str_pointer = "vendorRequestParameters",
        /// `namedResources`
        named_resources: pointer(NamedResourcesAllocationResult) = "namedResources",
    }
    /// `NamedResourcesAllocationResult` (1.30)
    NamedResourcesAllocationResult {
        /// `name`
        name: str = "name",
    }
    /// `ResourceClaimConsumerReference`
    ResourceClaimConsumerReference {
        /// `apiGroup`
        api_group: str = "apiGroup",
        /// `resource`
        resource: str = "resource",
        /// `name`
        name: str = "name",
        /// `uid`
        uid: str = "uid",
    }
    /// `ResourceClass` of v1alpha1 and v1alpha2
    ResourceClass {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `driverName`
        driver_name: str = "driverName",
        /// `parametersRef`
        parameters_ref: pointer(ResourceClassParametersReference) = "parametersRef",
        /// `suitableNodes`
        suitable_nodes: pointer(NodeSelector) = "suitableNodes",
        /// `structuredParameters` (1.30)
        structured_parameters: bool_pointer = "structuredParameters",
    }
    /// `ResourceClassParametersReference`
    ResourceClassParametersReference {
        /// `apiGroup`
        api_group: str = "apiGroup",
        /// `kind`
        kind: str = "kind",
        /// `name`
        name: str = "name",
        /// `namespace`
        namespace: str = "namespace",
    }
    /// `ResourceClaimTemplate`
    ResourceClaimTemplate {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `spec`
        spec: inner(ResourceClaimTemplateSpec) = "spec",
    }
    /// `ResourceClaimTemplateSpec`
    ResourceClaimTemplateSpec {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `spec`
        spec: inner(ResourceClaimSpec) = "spec",
    }
    /// `PodScheduling` of v1alpha1, `PodSchedulingContext` of v1alpha2
    PodSchedulingContext {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `spec`
        spec: inner(PodSchedulingContextSpec) = "spec",
        /// `status`
        status: inner(PodSchedulingContextStatus) = "status",
    }
    /// `PodSchedulingSpec`, `PodSchedulingContextSpec`
    PodSchedulingContextSpec {
        /// `selectedNode`
        selected_node: str = "selectedNode",
        /// `potentialNodes`
        potential_nodes: strings = "potentialNodes",
    }
    /// `PodSchedulingStatus`, `PodSchedulingContextStatus`
    PodSchedulingContextStatus {
        /// `resourceClaims`
        resource_claims: list(ResourceClaimSchedulingStatus) = "resourceClaims",
    }
    /// `ResourceClaimSchedulingStatus`
    ResourceClaimSchedulingStatus {
        /// `name`: of the pod's claim entry
        name: str = "name",
        /// `unsuitableNodes`
        unsuitable_nodes: strings = "unsuitableNodes",
    }
    /// `ResourceClaimParameters` (1.30)
    ResourceClaimParameters {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `generatedFrom`
        generated_from: pointer(ResourceClaimParametersReference) = "generatedFrom",
        /// `shareable`
        shareable: bool = "shareable",
        /// `driverRequests`
        driver_requests: list(DriverRequests) = "driverRequests",
    }
    /// `DriverRequests` (1.30)
    DriverRequests {
        /// `driverName`
        driver_name: str = "driverName",
        /// `vendorParameters`, as JSON
        vendor_parameters: str_pointer = "vendorParameters",
        /// `requests`
        requests: list(ResourceRequest) = "requests",
    }
    /// `ResourceRequest` (1.30)
    ResourceRequest {
        /// `vendorParameters`, as JSON
        vendor_parameters: str_pointer = "vendorParameters",
        /// `namedResources`
        named_resources: pointer(NamedResourcesSelector) = "namedResources",
    }
    /// `NamedResourcesRequest`, `NamedResourcesFilter` (1.30)
    NamedResourcesSelector {
        /// `selector`: a CEL expression
        selector: str = "selector",
    }
    /// `ResourceClassParameters` (1.30)
    ResourceClassParameters {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `generatedFrom`
        generated_from: pointer(ResourceClassParametersReference) = "generatedFrom",
        /// `vendorParameters`
        vendor_parameters: list(VendorParameters) = "vendorParameters",
        /// `filters`
        filters: list(ResourceFilter) = "filters",
    }
    /// `VendorParameters` (1.30)
    VendorParameters {
        /// `driverName`
        driver_name: str = "driverName",
        /// `parameters`, as JSON
        parameters: str_pointer = "parameters",
    }
    /// `ResourceFilter` (1.30)
    ResourceFilter {
        /// `driverName`
        driver_name: str = "driverName",
        /// `namedResources`
        named_resources: pointer(NamedResourcesSelector) = "namedResources",
    }
    /// `ResourceSlice` (1.30)
    ResourceSlice {
        /// `metadata`
        metadata: inner(ObjectMeta) = "metadata",
        /// `nodeName`
        node_name: str = "nodeName",
        /// `driverName`
        driver_name: str = "driverName",
        /// `namedResources`
        named_resources: pointer(NamedResourcesResources) = "namedResources",
    }
    /// `NamedResourcesResources` (1.30)
    NamedResourcesResources {
        /// `instances`
        instances: list(NamedResourcesInstance) = "instances",
    }
    /// `NamedResourcesInstance` (1.30)
    NamedResourcesInstance {
        /// `name`
        name: str = "name",
        /// `attributes`
        attributes: list(NamedResourcesAttribute) = "attributes",
    }
    /// `NamedResourcesAttribute` (1.30): exactly one value field
    NamedResourcesAttribute {
        /// `name`
        name: str = "name",
        /// `quantity`, in canonical form
        quantity: str_pointer = "quantity",
        /// `bool`
        bool: bool_pointer = "bool",
        /// `int`
        int: int_pointer = "int",
        /// `intSlice` is set
        has_int_slice: set = "intSlice",
        /// `string`
        string: str_pointer = "string",
        /// `stringSlice` is set
        has_string_slice: set = "stringSlice",
        /// `version`
        version: str_pointer = "version",
    }
}
