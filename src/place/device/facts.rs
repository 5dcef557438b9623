//! What an allocation is decided from: objects in the shape of `resource.k8s.io/v1` and of core `v1`.
//!
//! Field names are the API's; what the allocator and its explanation do not read is left out. `null` reads as absent.

use super::amount::Amount;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// `null` is the type's zero value, as Go decodes it.
fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// Declares a struct that reads from JSON as Go would.
macro_rules! object {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name {
            $($(#[$field_about])* #[serde(deserialize_with = "nullable")] pub $field: $type,)*
        }
    };
}

object! {
    /// `metadata`.
    Meta {
        /// Name.
        name: String,
        /// Namespace, empty for cluster-scoped kinds.
        namespace: String,
        /// UID.
        uid: String,
        /// Labels.
        labels: BTreeMap<String, String>,
        /// Annotations.
        annotations: BTreeMap<String, String>,
        /// RFC 3339.
        creation_timestamp: Option<String>,
        /// RFC 3339; set while the object is being deleted.
        deletion_timestamp: Option<String>,
        /// Owners.
        owner_references: Vec<Owner>,
    }
}

impl Meta {
    /// `namespace/name`, or the bare name.
    pub fn full_name(&self) -> String {
        if self.namespace.is_empty() { self.name.clone() } else { format!("{}/{}", self.namespace, self.name) }
    }

    /// Does the owner with this UID manage the object?
    pub fn is_controlled_by(&self, uid: &str) -> bool {
        self.owner_references.iter().any(|owner| owner.controller && owner.uid == uid)
    }
}

object! {
    /// `metadata.ownerReferences[]`.
    Owner {
        /// UID of the owner.
        uid: String,
        /// Its name.
        name: String,
        /// It manages the object.
        controller: bool,
    }
}

object! {
    /// A Node.
    Node {
        /// Its metadata.
        metadata: Meta,
        /// Its status.
        status: NodeStatus,
    }
}

object! {
    /// `status` of a Node.
    NodeStatus {
        /// What pods may use.
        allocatable: BTreeMap<String, Amount>,
    }
}

object! {
    /// A DeviceClass.
    Class {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: ClassSpec,
    }
}

object! {
    /// `spec` of a DeviceClass.
    ClassSpec {
        /// All must be true of a device.
        selectors: Vec<Selector>,
        /// Passed on to drivers.
        config: Vec<Config>,
        /// Extended resource served by this class.
        extended_resource_name: Option<String>,
    }
}

object! {
    /// A device selector.
    Selector {
        /// The only kind there is.
        cel: Option<Cel>,
    }
}

object! {
    /// A CEL selector.
    Cel {
        /// The expression.
        expression: String,
    }
}

object! {
    /// Configuration in a class or claim.
    Config {
        /// The requests it is for; none: all.
        requests: Vec<String>,
        /// Opaque to Kubernetes.
        opaque: Option<Value>,
    }
}

object! {
    /// A ResourceSlice.
    Slice {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: SliceSpec,
    }
}

object! {
    /// `spec` of a ResourceSlice.
    SliceSpec {
        /// Driver.
        driver: String,
        /// Pool.
        pool: PoolRef,
        /// The node of all devices.
        node_name: Option<String>,
        /// The nodes of all devices.
        node_selector: Option<NodeSelector>,
        /// All nodes.
        all_nodes: Option<bool>,
        /// Devices.
        devices: Vec<Device>,
        /// Each device says where it is.
        per_device_node_selection: Option<bool>,
        /// Counters that devices of the pool consume.
        shared_counters: Vec<CounterSet>,
    }
}

object! {
    /// `spec.pool`.
    PoolRef {
        /// Name.
        name: String,
        /// Generation.
        generation: i64,
        /// Slices of the pool at this generation.
        resource_slice_count: i64,
    }
}

object! {
    /// `spec.sharedCounters[]`.
    CounterSet {
        /// Name.
        name: String,
        /// Counters.
        counters: BTreeMap<String, Counter>,
    }
}

object! {
    /// A counter.
    Counter {
        /// How much.
        value: Amount,
    }
}

object! {
    /// `spec.devices[]`.
    Device {
        /// Name.
        name: String,
        /// Attributes.
        attributes: BTreeMap<String, Attribute>,
        /// Capacity.
        capacity: BTreeMap<String, Capacity>,
        /// Counters used up while the device is allocated.
        consumes_counters: Vec<Consumption>,
        /// With per-device node selection: its node.
        node_name: Option<String>,
        /// With per-device node selection: its nodes.
        node_selector: Option<NodeSelector>,
        /// With per-device node selection: all nodes.
        all_nodes: Option<bool>,
        /// Taints, the driver's and those of rules.
        taints: Vec<Taint>,
        /// The result's node selector names the node.
        binds_to_node: Option<bool>,
        /// Conditions awaited before binding; `None` where the field is not set at all.
        binding_conditions: Option<Vec<String>>,
        /// Conditions that fail binding.
        binding_failure_conditions: Option<Vec<String>>,
        /// May be shared.
        allow_multiple_allocations: Option<bool>,
        /// Resources of the node that the device uses.
        node_allocatable_resource_mappings: BTreeMap<String, NodeResource>,
        /// Up to 1.33 (v1beta1 and older): `basic` is missing, so the device is of no known kind and never offered.
        #[serde(skip)]
        shapeless: bool,
    }
}

object! {
    /// `nodeAllocatableResourceMappings` of a device.
    NodeResource {
        /// The capacity that counts.
        capacity_key: Option<String>,
        /// What one unit of it is multiplied with, or the amount itself.
        allocation_multiplier: Option<Amount>,
    }
}

object! {
    /// An attribute's value: one of the fields.
    Attribute {
        /// A string.
        string: Option<String>,
        /// An integer.
        int: Option<i64>,
        /// A boolean.
        bool: Option<bool>,
        /// A semantic version.
        version: Option<String>,
        /// Strings.
        strings: Vec<String>,
        /// Integers.
        ints: Vec<i64>,
        /// Booleans.
        bools: Vec<bool>,
        /// Semantic versions.
        versions: Vec<String>,
    }
}

object! {
    /// A capacity.
    Capacity {
        /// How much there is.
        value: Amount,
        /// How requests are rounded and limited.
        request_policy: Option<RequestPolicy>,
    }
}

object! {
    /// `requestPolicy` of a capacity.
    RequestPolicy {
        /// Charged where nothing is requested.
        default: Option<Amount>,
        /// Values that may be charged.
        valid_values: Vec<Amount>,
        /// Range of what may be charged.
        valid_range: Option<ValidRange>,
    }
}

object! {
    /// `validRange` of a request policy.
    ValidRange {
        /// Least.
        min: Option<Amount>,
        /// Most.
        max: Option<Amount>,
        /// Steps above `min`.
        step: Option<Amount>,
    }
}

object! {
    /// `consumesCounters[]`.
    Consumption {
        /// The set.
        counter_set: String,
        /// How much of its counters.
        counters: BTreeMap<String, Counter>,
    }
}

object! {
    /// A taint.
    Taint {
        /// Key.
        key: String,
        /// Value.
        value: String,
        /// Effect.
        effect: String,
        /// The DeviceTaintRule it comes from; `None`: the driver.
        #[serde(skip)]
        rule: Option<String>,
    }
}

object! {
    /// A DeviceTaintRule.
    TaintRule {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: TaintRuleSpec,
    }
}

object! {
    /// `spec` of a DeviceTaintRule.
    TaintRuleSpec {
        /// Which devices.
        device_selector: Option<TaintSelector>,
        /// The taint.
        taint: Taint,
    }
}

object! {
    /// `spec.deviceSelector` of a DeviceTaintRule.
    TaintSelector {
        /// 1.33, 1.34: devices of this class.
        device_class_name: Option<String>,
        /// Driver.
        driver: Option<String>,
        /// Pool.
        pool: Option<String>,
        /// Device.
        device: Option<String>,
        /// 1.33, 1.34: selectors.
        selectors: Vec<Selector>,
    }
}

/// A node selector.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelector {
    /// One must match.
    #[serde(deserialize_with = "nullable")]
    pub node_selector_terms: Vec<NodeSelectorTerm>,
}

/// `nodeSelectorTerms[]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NodeSelectorTerm {
    /// Labels.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub match_expressions: Vec<NodeRequirement>,
    /// Fields.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub match_fields: Vec<NodeRequirement>,
}

/// `matchExpressions[]`, `matchFields[]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeRequirement {
    /// Label or field.
    #[serde(deserialize_with = "nullable")]
    pub key: String,
    /// Operator.
    #[serde(deserialize_with = "nullable")]
    pub operator: String,
    /// Values.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

object! {
    /// A ResourceClaim.
    Claim {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: ClaimSpec,
        /// Its status.
        status: ClaimStatus,
    }
}

object! {
    /// `spec` of a ResourceClaim.
    ClaimSpec {
        /// Everything there is.
        devices: DeviceClaim,
    }
}

object! {
    /// `spec.devices`.
    DeviceClaim {
        /// Requests.
        requests: Vec<Request>,
        /// Constraints.
        constraints: Vec<Constraint>,
        /// Configuration.
        config: Vec<Config>,
    }
}

object! {
    /// `requests[]`.
    Request {
        /// Name.
        name: String,
        /// What exactly.
        exactly: Option<Ask>,
        /// Or the first of these.
        first_available: Vec<Ask>,
    }
}

object! {
    /// `exactly`, or one of `firstAvailable`.
    Ask {
        /// Name, of a sub-request.
        name: String,
        /// Class.
        device_class_name: String,
        /// Selectors.
        selectors: Vec<Selector>,
        /// `ExactCount` or `All`.
        allocation_mode: String,
        /// How many.
        count: i64,
        /// Administrative access.
        admin_access: Option<bool>,
        /// Tolerations.
        tolerations: Vec<Toleration>,
        /// Capacity.
        capacity: Option<CapacityAsk>,
    }
}

object! {
    /// `capacity` of a request.
    CapacityAsk {
        /// By name.
        requests: BTreeMap<String, Amount>,
    }
}

/// A toleration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Toleration {
    /// Key; empty: any.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// `Equal` or `Exists`.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub operator: String,
    /// Value.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// Effect; empty: any.
    #[serde(deserialize_with = "nullable", skip_serializing_if = "String::is_empty")]
    pub effect: String,
    /// How long NoExecute is tolerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration_seconds: Option<i64>,
}

object! {
    /// `constraints[]`.
    Constraint {
        /// The requests it is for; none: all.
        requests: Vec<String>,
        /// All devices have the same value.
        match_attribute: Option<String>,
        /// All devices have different values.
        distinct_attribute: Option<String>,
    }
}

object! {
    /// `status` of a ResourceClaim.
    ClaimStatus {
        /// Set once allocated.
        allocation: Option<Allocation>,
        /// Who may use it.
        reserved_for: Vec<Consumer>,
        /// Status of allocated devices.
        devices: Vec<Value>,
    }
}

object! {
    /// `status.allocation`.
    Allocation {
        /// The devices.
        devices: AllocatedDevices,
        /// Where it can be used.
        node_selector: Option<NodeSelector>,
    }
}

object! {
    /// `status.allocation.devices`.
    AllocatedDevices {
        /// One per device.
        results: Vec<AllocatedDevice>,
    }
}

object! {
    /// `status.allocation.devices.results[]`.
    AllocatedDevice {
        /// Request or `request/subrequest`.
        request: String,
        /// Driver.
        driver: String,
        /// Pool.
        pool: String,
        /// Device.
        device: String,
        /// Administrative access.
        admin_access: Option<bool>,
        /// Set for a share.
        #[serde(rename = "shareID")]
        share_id: Option<String>,
        /// What the share uses.
        consumed_capacity: Option<BTreeMap<String, Amount>>,
        /// Conditions awaited.
        binding_conditions: Vec<String>,
        /// Conditions that fail binding.
        binding_failure_conditions: Vec<String>,
    }
}

object! {
    /// `status.reservedFor[]`.
    Consumer {
        /// API group; empty for core.
        api_group: String,
        /// e.g. `pods`.
        resource: String,
        /// Name.
        name: String,
        /// UID.
        uid: String,
    }
}

object! {
    /// A Pod.
    Pod {
        /// Its metadata.
        metadata: Meta,
        /// Its spec.
        spec: PodSpec,
        /// Its status.
        status: PodStatus,
    }
}

object! {
    /// `spec` of a Pod.
    PodSpec {
        /// Init containers.
        init_containers: Vec<Container>,
        /// Containers.
        containers: Vec<Container>,
        /// Claims.
        resource_claims: Vec<PodClaim>,
        /// The node it runs on.
        node_name: String,
    }
}

object! {
    /// A container.
    Container {
        /// Name.
        name: String,
        /// Its resources.
        resources: Resources,
        /// `Always` for a sidecar.
        restart_policy: Option<String>,
    }
}

object! {
    /// `resources` of a container.
    Resources {
        /// Requests.
        requests: BTreeMap<String, Amount>,
        /// Limits.
        limits: BTreeMap<String, Amount>,
    }
}

object! {
    /// `spec.resourceClaims[]`.
    PodClaim {
        /// Name within the pod.
        name: String,
        /// A claim by name.
        resource_claim_name: Option<String>,
        /// A claim made from a template.
        resource_claim_template_name: Option<String>,
    }
}

object! {
    /// `status` of a Pod.
    PodStatus {
        /// Claims made from templates.
        resource_claim_statuses: Option<Vec<PodClaimStatus>>,
    }
}

object! {
    /// `status.resourceClaimStatuses[]`.
    PodClaimStatus {
        /// Name within the pod.
        name: String,
        /// Name of the claim; absent: none is needed.
        resource_claim_name: Option<String>,
    }
}

/// Everything that is known of a cluster. The order of slices, claims and pods counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Classes.
    pub classes: Vec<Class>,
    /// Slices.
    pub slices: Vec<Slice>,
    /// Claims, allocated ones and others.
    pub claims: Vec<Claim>,
    /// Pods.
    pub pods: Vec<Pod>,
    /// Taint rules.
    pub rules: Vec<TaintRule>,
    /// Labels of namespaces, where they are known.
    pub namespaces: BTreeMap<String, BTreeMap<String, String>>,
}

impl Facts {
    /// Takes an object by its kind: v1's shape for `resource.k8s.io`, core v1 for the rest. `Ok(false)`: of no use here.
    pub fn add(&mut self, object: &Value) -> Result<bool, String> {
        fn read<T: for<'de> Deserialize<'de>>(list: &mut Vec<T>, object: &Value) -> Result<bool, String> {
            list.push(T::deserialize(object).map_err(|error| error.to_string())?);
            Ok(true)
        }
        match object.get("kind").and_then(Value::as_str) {
            Some("Node") => read(&mut self.nodes, object),
            Some("DeviceClass") => read(&mut self.classes, object),
            Some("ResourceSlice") => read(&mut self.slices, object),
            Some("ResourceClaim") => read(&mut self.claims, object),
            Some("Pod") => read(&mut self.pods, object),
            Some("DeviceTaintRule") => read(&mut self.rules, object),
            Some("Namespace") => {
                let meta = object.get("metadata").map(Meta::deserialize).transpose().map_err(|error| error.to_string())?;
                let meta = meta.unwrap_or_default();
                self.namespaces.insert(meta.name, meta.labels);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// A class by name.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|class| class.metadata.name == name)
    }
}
