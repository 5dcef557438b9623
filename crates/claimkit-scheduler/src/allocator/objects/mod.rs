//! The input of an allocation: objects of `resource.k8s.io/v1` and core `v1`.
//!
//! Field names are those of the API; fields that neither the allocator nor its explanation reads are omitted. `null` counts as
//! absent.

use super::amount::Amount;
use super::sorted::{Set, Sorted};
use claimkit_model::message::Message;
use claimkit_model::schema::DeviceKind;
use claimkit_values::names;
use read::{Datum, FactReader, ReadFact, read_from};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Declares a struct that is read as Go would read it from JSON. Fields without a name in JSON are set elsewhere.
macro_rules! object {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty $(= $json:literal)?,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $type,)*
        }

        impl ReadFact for $name {
            fn read(datum: Datum<'_>, reader: &mut FactReader) -> Self {
                let mut object = $name::default();
                reader.object(datum, &mut |name, member, reader| match name {
                    $($($json => object.$field = reader.member($json, member),)?)*
                    _ => {}
                });
                object
            }
        }
    };
}

mod claims;
mod defaults;
mod events;
mod layout;
mod placement;
mod pods;
mod quotas;
pub mod read;
mod resources;
mod slices;
mod volumes;
mod workloads;

pub use claims::*;
pub use defaults::DEFAULT_SCHEDULER;
pub use events::*;
pub use layout::{LastLayout, SliceLayout};
pub use placement::*;
pub use pods::*;
pub use quotas::*;
pub use resources::*;
pub use slices::*;
pub use volumes::*;
pub use workloads::*;

object! {
    /// `metadata`.
    Meta {
        name: String = "name",
        /// The beginning of the name, if the server makes that.
        generate_name: String = "generateName",
        /// Namespace, empty for cluster-scoped kinds.
        namespace: String = "namespace",
        uid: String = "uid",
        labels: Sorted<String, String> = "labels",
        annotations: Sorted<String, String> = "annotations",
        /// A time in RFC 3339.
        creation_timestamp: Option<String> = "creationTimestamp",
        /// RFC 3339; set while the object is being deleted.
        deletion_timestamp: Option<String> = "deletionTimestamp",
        owner_references: Vec<Owner> = "ownerReferences",
        finalizers: Vec<String> = "finalizers",
        /// The server's number of this state of the object: a later state has a larger one.
        resource_version: String = "resourceVersion",
        /// It was written in a version without `exactly` in requests.
        has_flat_requests: bool,
        /// The object is a copy of a stored one, also if its UID was taken out.
        stored: bool,
    }
}

impl Meta {
    /// Returns true if no server has seen the object.
    pub fn is_new(&self) -> bool {
        self.uid.is_empty() && !self.stored
    }

    /// Returns the number of this state of the object; `None`: the server's number is not given.
    pub fn state(&self) -> Option<u128> {
        self.resource_version.parse().ok()
    }

    /// Returns `namespace/name`, or the bare name.
    pub fn full_name(&self) -> String {
        if self.namespace.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }

    /// Makes a name as the server does; its end is random.
    pub fn generate(&mut self) {
        if self.name.is_empty() && !self.generate_name.is_empty() {
            self.name = names::generated(&self.generate_name);
        }
    }

    /// Makes a name as the server does, and puts the object into the namespace, if one is given.
    fn place(&mut self, namespace: Option<&str>) {
        self.generate();
        if let Some(namespace) = namespace {
            namespace.clone_into(&mut self.namespace);
        }
    }

    /// Returns true if the owner with this UID manages the object.
    pub fn is_controlled_by(&self, uid: &str) -> bool {
        self.owner_references
            .iter()
            .any(|owner| owner.controller && owner.uid == uid)
    }

    /// Returns true if the pod of this name and UID manages the object.
    pub fn is_controlled_by_pod(&self, pod: &Meta) -> bool {
        self.owner_references
            .iter()
            .any(|owner| owner.controller && owner.uid == pod.uid && owner.name == pod.name)
    }
}

object! {
    /// `metadata.ownerReferences[]`.
    Owner {
        /// Group and version of the owner.
        api_version: String = "apiVersion",
        kind: String = "kind",
        /// UID of the owner.
        uid: String = "uid",
        name: String = "name",
        /// It manages the object.
        controller: bool = "controller",
    }
}

object! {
    Node {
        metadata: Meta = "metadata",
        spec: NodeSpec = "spec",
        status: NodeStatus = "status",
        /// Only its name is known: it is not given, and slices name it.
        assumed: bool,
    }
}

/// The taint of a node that the control plane does not hear from (kube-controller-manager 1.37, `pkg/controller/nodelifecycle`).
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// The taint of a node whose kubelet says that it is not ready.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// The taint of a cordoned node.
pub const CORDONED: &str = "node.kubernetes.io/unschedulable";

/// The label with the name of a node, which kubelet sets.
pub const HOSTNAME: &str = "kubernetes.io/hostname";

/// The annotation of a pod that stands for one which kubelet makes from a file (kubelet, `pkg/kubelet/types/constants.go`).
pub const MIRROR: &str = "kubernetes.io/config.mirror";

/// Classes of priority that every cluster has, with their priorities, the lowest first.
pub const SYSTEM_CLASSES: [(&str, i64); 2] = [
    ("system-cluster-critical", 2_000_000_000),
    ("system-node-critical", 2_000_001_000),
];

impl Node {
    /// Returns true if the node may have the label, with any value: its labels are not given.
    pub fn may_have_label(&self, key: &str) -> bool {
        self.assumed && key != HOSTNAME && !self.metadata.labels.contains_key(key)
    }
}

object! {
    /// `spec` of a Node.
    NodeSpec {
        /// The node is cordoned.
        unschedulable: bool = "unschedulable",
        /// Pods stay away unless they tolerate these.
        taints: Vec<NodeTaint> = "taints",
    }
}

object! {
    /// `spec.taints[]` of a Node.
    #[derive(Eq)]
    NodeTaint {
        key: String = "key",
        value: String = "value",
        /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
        effect: String = "effect",
    }
}

impl NodeTaint {
    /// Returns `key=value:effect`, as kubectl writes taints.
    pub fn name(&self) -> String {
        match self.value.as_str() {
            "" => format!("{}:{}", self.key, self.effect),
            value => format!("{}={value}:{}", self.key, self.effect),
        }
    }
}

object! {
    /// `status` of a Node.
    NodeStatus {
        /// The amounts that pods may use.
        allocatable: Sorted<String, Amount> = "allocatable",
        /// The features that its kubelet declares.
        declared_features: Vec<String> = "declaredFeatures",
        conditions: Vec<NodeCondition> = "conditions",
    }
}

object! {
    /// `status.conditions[]` of a Node.
    #[derive(Eq)]
    NodeCondition {
        kind: String = "type",
        /// `True`, `False` or `Unknown`.
        status: String = "status",
        reason: String = "reason",
    }
}

object! {
    /// Any object, of which the metadata are enough.
    Named {
        metadata: Meta = "metadata",
    }
}

object! {
    Class {
        metadata: Meta = "metadata",
        spec: ClassSpec = "spec",
    }
}

object! {
    /// `spec` of a DeviceClass.
    ClassSpec {
        /// All must be true of a device.
        selectors: Vec<Selector> = "selectors",
        /// Passed on to drivers.
        config: Vec<Config> = "config",
        /// Extended resource served by this class.
        extended_resource_name: Option<String> = "extendedResourceName",
    }
}

object! {
    Selector {
        /// The only kind there is.
        cel: Option<Cel> = "cel",
    }
}

object! {
    Cel {
        expression: String = "expression",
    }
}

impl Selector {
    /// Returns the selector of a CEL expression.
    pub fn of_expression(expression: &str) -> Self {
        Selector {
            cel: Some(Cel {
                expression: expression.to_owned(),
            }),
        }
    }
}

object! {
    /// Configuration in a class or claim.
    Config {
        /// The requests it is for; none: all.
        requests: Vec<String> = "requests",
        /// Parameters that Kubernetes does not read.
        opaque: Option<Value> = "opaque",
    }
}

object! {
    #[derive(Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "camelCase")]
    NodeSelector {
        /// At least one term must match.
        node_selector_terms: Vec<NodeSelectorTerm> = "nodeSelectorTerms",
    }
}

object! {
    /// `nodeSelectorTerms[]`.
    #[derive(Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "camelCase")]
    NodeSelectorTerm {
        #[serde(skip_serializing_if = "Vec::is_empty")]
        match_expressions: Vec<NodeRequirement> = "matchExpressions",
        #[serde(skip_serializing_if = "Vec::is_empty")]
        match_fields: Vec<NodeRequirement> = "matchFields",
    }
}

object! {
    /// `matchExpressions[]`, `matchFields[]`.
    #[derive(Eq, PartialOrd, Ord, Serialize)]
    NodeRequirement {
        key: String = "key",
        operator: String = "operator",
        #[serde(skip_serializing_if = "Vec::is_empty")]
        values: Vec<String> = "values",
    }
}

/// Puts objects into a list; one with the same name replaces the existing one.
fn put<T>(list: &mut Vec<Rc<T>>, over: Vec<Rc<T>>, name: impl Fn(&T) -> String) {
    let names: Set<String> = over.iter().map(|object| name(object)).collect();
    list.retain(|object| names.is_empty() || !names.contains(&name(object)));
    list.extend(over);
}

/// Keeps the newest of several states of one object, at the place of the first. Returns the metadata of the objects that had several.
fn newest<T>(list: &mut Vec<Rc<T>>, metadata: impl Fn(&T) -> &Meta) -> Vec<Meta> {
    let mut first: Sorted<String, usize> = Sorted::new();
    let mut kept: Vec<Rc<T>> = Vec::new();
    let mut several = Vec::new();
    for object in list.drain(..) {
        let meta = metadata(&object);
        let known = first.get(&meta.uid).copied();
        let same = known.filter(|_| !meta.uid.is_empty() && meta.state().is_some());
        match same.and_then(|at| kept.get_mut(at)) {
            Some(other) if metadata(other).full_name() == meta.full_name() => {
                several.push(meta.clone());
                if meta.state() > metadata(other).state() {
                    *other = object;
                }
            }
            _ => {
                if known.is_none() {
                    first.insert(meta.uid.clone(), kept.len());
                }
                kept.push(object);
            }
        }
    }
    *list = kept;
    several
}

/// All known objects of a cluster. The order of slices, claims and pods matters. Copies share objects; what-if questions make
/// copies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    pub nodes: Vec<Rc<Node>>,
    pub classes: Vec<Rc<Class>>,
    pub slices: Vec<Rc<Slice>>,
    /// Claims, allocated ones and others.
    pub claims: Vec<Rc<Claim>>,
    pub templates: Vec<Rc<Template>>,
    pub pods: Vec<Rc<Pod>>,
    pub rules: Vec<Rc<TaintRule>>,
    /// Labels of namespaces, where they are known.
    pub namespaces: Sorted<String, Sorted<String, String>>,
    /// Objects that make pods from a template.
    pub workloads: Vec<Rc<Workload>>,
    /// Services; their pods are spread over nodes.
    pub services: Vec<Rc<Service>>,
    pub priority_classes: Vec<Rc<PriorityClass>>,
    /// Groups of pods that are scheduled together.
    pub pod_groups: Vec<Rc<PodGroup>>,
    /// How many pods may be disrupted.
    pub budgets: Vec<Rc<PodDisruptionBudget>>,
    pub volumes: VolumeFacts,
    /// Quotas of namespaces.
    pub quotas: Vec<Rc<Quota>>,
    /// Reports of controllers, as far as answers read them.
    pub events: Vec<Rc<Event>>,
    /// Claims that get their devices only in the run that is explained, as `namespace/name`: in the cluster they wait.
    pub planned: Set<String>,
    /// Claims, templates, classes, slices and pods that are given and cannot be used, for they cannot be decoded or the server refuses them.
    pub unusable: BTreeSet<ObjectName>,
    /// Those of them that cannot be decoded, and nodes: the cluster has them, and what they say is not known.
    pub undecoded: BTreeSet<ObjectName>,
    /// The kinds of which all objects of the cluster are given.
    pub whole: BTreeSet<String>,
    /// The order of the slices, made on first use.
    pub layout: LastLayout,
}

/// The name of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectName {
    pub kind: String,
    /// Empty for objects of the cluster.
    pub namespace: String,
    pub name: String,
}

impl ObjectName {
    pub fn new(kind: &str, namespace: &str, name: &str) -> Self {
        ObjectName {
            kind: kind.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        }
    }
}

fn add<T: ReadFact>(
    list: &mut Vec<Rc<T>>,
    object: Datum<'_>,
    into: impl FnOnce(&mut T),
) -> Result<bool, Message> {
    let mut read = read_from(object)?;
    into(&mut read);
    list.push(Rc::new(read));
    Ok(true)
}

impl Facts {
    /// Frees the devices of a claim, by its index, and the node resources that they take.
    pub fn free_claim(&mut self, claim: usize) {
        let Some(claim) = self.claims.get_mut(claim).map(Rc::make_mut) else {
            return;
        };
        claim.status.allocation = None;
        claim.status.reserved_for.clear();
        let Meta {
            name, namespace, ..
        } = &claim.metadata;
        let is_other = |taken: &NodeResourceClaim| taken.resource_claim_name != *name;
        for pod in &mut self.pods {
            let taken = &pod.status.node_allocatable_resource_claim_statuses;
            if pod.metadata.namespace != *namespace || taken.iter().all(is_other) {
                continue;
            }
            Rc::make_mut(pod)
                .status
                .node_allocatable_resource_claim_statuses
                .retain(is_other);
        }
    }

    /// Takes an object of JSON by its kind: v1's shape for `resource.k8s.io`, core v1 for the rest. `Ok(false)`: the kind is not
    /// used here.
    pub fn add(&mut self, object: &Value) -> Result<bool, Message> {
        self.take(
            object
                .get("kind")
                .and_then(Value::as_str)
                .unwrap_or_default(),
            Datum::Json(object),
            None,
        )
    }

    /// Takes an object of the group `resource.k8s.io`. Who takes no other objects does not link what reads pods, workloads and volumes.
    ///
    /// # Errors
    /// As of [`Facts::take`].
    pub fn take_device(
        &mut self,
        kind: DeviceKind,
        object: Datum<'_>,
        namespace: Option<&str>,
    ) -> Result<bool, Message> {
        match kind {
            DeviceKind::DeviceClass => add(&mut self.classes, object, |_| {}),
            DeviceKind::ResourceSlice => add(&mut self.slices, object, |_| {}),
            DeviceKind::ResourceClaim => add(&mut self.claims, object, |claim| {
                claim.metadata.place(namespace)
            }),
            DeviceKind::ResourceClaimTemplate => add(&mut self.templates, object, |template| {
                template.metadata.place(namespace)
            }),
            DeviceKind::DeviceTaintRule => add(&mut self.rules, object, |_| {}),
            DeviceKind::PodSchedulingContext | DeviceKind::ResourcePoolStatusRequest => Ok(false),
        }
    }

    /// Takes an object of a kind. `namespace`: that of a pod, claim or template, whatever it says itself.
    pub fn take(
        &mut self,
        kind: &str,
        object: Datum<'_>,
        namespace: Option<&str>,
    ) -> Result<bool, Message> {
        match kind {
            "Node" => add(&mut self.nodes, object, |_| {}),
            "DeviceClass" => self.take_device(DeviceKind::DeviceClass, object, namespace),
            "ResourceSlice" => self.take_device(DeviceKind::ResourceSlice, object, namespace),
            "ResourceClaim" => self.take_device(DeviceKind::ResourceClaim, object, namespace),
            "ResourceClaimTemplate" => {
                self.take_device(DeviceKind::ResourceClaimTemplate, object, namespace)
            }
            "Pod" => add(&mut self.pods, object, |pod: &mut Pod| {
                pod.metadata.place(namespace);
                pod.spec.set_defaults();
            }),
            "DeviceTaintRule" => self.take_device(DeviceKind::DeviceTaintRule, object, namespace),
            "Service" => add(&mut self.services, object, |service: &mut Service| {
                service.metadata.place(namespace)
            }),
            "PriorityClass" => add(&mut self.priority_classes, object, |_| {}),
            "PodGroup" => add(&mut self.pod_groups, object, |group: &mut PodGroup| {
                group.metadata.place(namespace)
            }),
            "PodDisruptionBudget" => add(
                &mut self.budgets,
                object,
                |budget: &mut PodDisruptionBudget| budget.metadata.place(namespace),
            ),
            "ResourceQuota" => add(&mut self.quotas, object, |quota: &mut Quota| {
                quota.metadata.place(namespace)
            }),
            "Event" => {
                let event: Event = read_from(object)?;
                if event.is_read() {
                    self.events.push(Rc::new(event));
                }
                Ok(true)
            }
            "Namespace" => {
                let Named { metadata } = read_from(object)?;
                self.namespaces.insert(metadata.name, metadata.labels);
                Ok(true)
            }
            other => match WorkloadKind::named(other) {
                Some(kind) => add(&mut self.workloads, object, |workload: &mut Workload| {
                    workload.metadata.place(namespace);
                    workload.kind = kind;
                    workload.spec.template.spec.set_defaults();
                }),
                None => self.volumes.take(other, object, namespace),
            },
        }
    }

    /// Keeps the newest of several states of one object, which the server numbers, and returns the names of the objects that had several.
    pub fn keep_newest(&mut self) -> Vec<ObjectName> {
        let mut names = Vec::new();
        let mut note = |kind: &str, several: Vec<Meta>| {
            let several = several.iter();
            names.extend(several.map(|meta| ObjectName::new(kind, &meta.namespace, &meta.name)));
        };
        note("Node", newest(&mut self.nodes, |node| &node.metadata));
        note("Pod", newest(&mut self.pods, |pod| &pod.metadata));
        note(
            "ResourceClaim",
            newest(&mut self.claims, |claim| &claim.metadata),
        );
        note(
            "ResourceSlice",
            newest(&mut self.slices, |slice| &slice.metadata),
        );
        names
    }

    /// Adds other objects behind these.
    pub fn join(&mut self, mut more: Facts) {
        self.nodes.append(&mut more.nodes);
        self.classes.append(&mut more.classes);
        self.slices.append(&mut more.slices);
        self.claims.append(&mut more.claims);
        self.templates.append(&mut more.templates);
        self.pods.append(&mut more.pods);
        self.rules.append(&mut more.rules);
        self.workloads.append(&mut more.workloads);
        self.services.append(&mut more.services);
        self.priority_classes.append(&mut more.priority_classes);
        self.pod_groups.append(&mut more.pod_groups);
        self.budgets.append(&mut more.budgets);
        self.volumes.join(more.volumes);
        self.events.append(&mut more.events);
        self.quotas.append(&mut more.quotas);
        self.unusable.append(&mut more.unusable);
        self.undecoded.append(&mut more.undecoded);
        self.whole.append(&mut more.whole);
        for (name, labels) in more.namespaces {
            self.namespaces.insert(name, labels);
        }
    }

    /// Overlays other objects: one with the same kind and name replaces the existing one.
    pub fn overlay(&mut self, over: Facts) {
        self.volumes.overlay(over.volumes);
        self.events.extend(over.events);
        self.unusable.extend(over.unusable);
        self.undecoded.extend(over.undecoded);
        put(&mut self.nodes, over.nodes, |node| {
            node.metadata.full_name()
        });
        put(&mut self.classes, over.classes, |class| {
            class.metadata.full_name()
        });
        put(&mut self.slices, over.slices, |slice| {
            slice.metadata.full_name()
        });
        put(&mut self.claims, over.claims, |claim| {
            claim.metadata.full_name()
        });
        put(&mut self.templates, over.templates, |template| {
            template.metadata.full_name()
        });
        put(&mut self.pods, over.pods, |pod| pod.metadata.full_name());
        put(&mut self.rules, over.rules, |rule| {
            rule.metadata.full_name()
        });
        put(&mut self.workloads, over.workloads, |workload| {
            format!("{:?}/{}", workload.kind, workload.metadata.full_name())
        });
        put(&mut self.services, over.services, |service| {
            service.metadata.full_name()
        });
        put(&mut self.priority_classes, over.priority_classes, |class| {
            class.metadata.full_name()
        });
        put(&mut self.pod_groups, over.pod_groups, |group| {
            group.metadata.full_name()
        });
        put(&mut self.budgets, over.budgets, |budget| {
            budget.metadata.full_name()
        });
        put(&mut self.quotas, over.quotas, |quota| {
            quota.metadata.full_name()
        });
        for (name, labels) in over.namespaces {
            self.namespaces.insert(name, labels);
        }
    }

    /// Returns true if all objects of a kind are given.
    pub fn is_whole(&self, kind: &str) -> bool {
        self.whole.contains(kind)
    }

    /// Returns a class by name.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes
            .iter()
            .find(|class| class.metadata.name == name)
            .map(|class| &**class)
    }
}
