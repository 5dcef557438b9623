//! The input of an allocation: objects of `resource.k8s.io/v1` and core `v1`.
//!
//! Field names are those of the API; fields that neither the allocator nor its explanation reads are omitted. `null` counts as
//! absent.

use super::amount::Amount;
use super::sorted::{Set, Sorted};
use read::{Datum, Read, Reader, read_from};
use serde::Serialize;
use serde_json::Value;
use std::rc::Rc;

/// Declares a struct that is read as Go would read it from JSON. Fields without a name in JSON are set elsewhere.
macro_rules! object {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty $(= $json:literal)?,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[$field_about])* pub $field: $type,)*
        }

        impl Read for $name {
            fn read(datum: Datum<'_>, reader: &mut Reader) -> Self {
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
mod pods;
pub mod read;
mod slices;

pub use claims::*;
pub use pods::*;
pub use slices::*;

object! {
    /// `metadata`.
    Meta {
        /// Name.
        name: String = "name",
        /// Namespace, empty for cluster-scoped kinds.
        namespace: String = "namespace",
        /// UID.
        uid: String = "uid",
        /// Labels.
        labels: Sorted<String, String> = "labels",
        /// Annotations.
        annotations: Sorted<String, String> = "annotations",
        /// RFC 3339.
        creation_timestamp: Option<String> = "creationTimestamp",
        /// RFC 3339; set while the object is being deleted.
        deletion_timestamp: Option<String> = "deletionTimestamp",
        /// Owners.
        owner_references: Vec<Owner> = "ownerReferences",
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

    /// Does the pod of this name and UID manage the object?
    pub fn is_controlled_by_pod(&self, pod: &Meta) -> bool {
        self.owner_references.iter().any(|owner| owner.controller && owner.uid == pod.uid && owner.name == pod.name)
    }
}

object! {
    /// `metadata.ownerReferences[]`.
    Owner {
        /// UID of the owner.
        uid: String = "uid",
        /// Its name.
        name: String = "name",
        /// It manages the object.
        controller: bool = "controller",
    }
}

object! {
    /// A Node.
    Node {
        /// Its metadata.
        metadata: Meta = "metadata",
        /// Its status.
        status: NodeStatus = "status",
    }
}

object! {
    /// `status` of a Node.
    NodeStatus {
        /// What pods may use.
        allocatable: Sorted<String, Amount> = "allocatable",
    }
}

object! {
    /// Any object, of which the metadata are enough.
    Named {
        /// Its metadata.
        metadata: Meta = "metadata",
    }
}

object! {
    /// A DeviceClass.
    Class {
        /// Its metadata.
        metadata: Meta = "metadata",
        /// Its spec.
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
    /// A device selector.
    Selector {
        /// The only kind there is.
        cel: Option<Cel> = "cel",
    }
}

object! {
    /// A CEL selector.
    Cel {
        /// The expression.
        expression: String = "expression",
    }
}

object! {
    /// Configuration in a class or claim.
    Config {
        /// The requests it is for; none: all.
        requests: Vec<String> = "requests",
        /// Opaque to Kubernetes.
        opaque: Option<Value> = "opaque",
    }
}

object! {
    /// A node selector.
    #[derive(Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "camelCase")]
    NodeSelector {
        /// One must match.
        node_selector_terms: Vec<NodeSelectorTerm> = "nodeSelectorTerms",
    }
}

object! {
    /// `nodeSelectorTerms[]`.
    #[derive(Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "camelCase")]
    NodeSelectorTerm {
        /// Labels.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        match_expressions: Vec<NodeRequirement> = "matchExpressions",
        /// Fields.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        match_fields: Vec<NodeRequirement> = "matchFields",
    }
}

object! {
    /// `matchExpressions[]`, `matchFields[]`.
    #[derive(Eq, PartialOrd, Ord, Serialize)]
    NodeRequirement {
        /// Label or field.
        key: String = "key",
        /// Operator.
        operator: String = "operator",
        /// Values.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        values: Vec<String> = "values",
    }
}

/// All known objects of a cluster. The order of slices, claims and pods matters. Copies share objects; what-if questions make
/// copies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Nodes.
    pub nodes: Vec<Rc<Node>>,
    /// Classes.
    pub classes: Vec<Rc<Class>>,
    /// Slices.
    pub slices: Vec<Rc<Slice>>,
    /// Claims, allocated ones and others.
    pub claims: Vec<Rc<Claim>>,
    /// Templates of claims.
    pub templates: Vec<Rc<Template>>,
    /// Pods.
    pub pods: Vec<Rc<Pod>>,
    /// Taint rules.
    pub rules: Vec<Rc<TaintRule>>,
    /// Labels of namespaces, where they are known.
    pub namespaces: Sorted<String, Sorted<String, String>>,
}

impl Facts {
    /// Takes an object of JSON by its kind: v1's shape for `resource.k8s.io`, core v1 for the rest. `Ok(false)`: the kind is not
    /// used here.
    pub fn add(&mut self, object: &Value) -> Result<bool, String> {
        self.take(object.get("kind").and_then(Value::as_str).unwrap_or_default(), Datum::Json(object), None)
    }

    /// Takes an object of a kind. `namespace`: that of a pod, claim or template, whatever it says itself.
    pub fn take(&mut self, kind: &str, object: Datum<'_>, namespace: Option<&str>) -> Result<bool, String> {
        fn add<T: Read>(list: &mut Vec<Rc<T>>, object: Datum<'_>, into: impl FnOnce(&mut T)) -> Result<bool, String> {
            let mut read = read_from(object)?;
            into(&mut read);
            list.push(Rc::new(read));
            Ok(true)
        }
        let place = |metadata: &mut Meta| {
            if let Some(namespace) = namespace {
                namespace.clone_into(&mut metadata.namespace);
            }
        };
        match kind {
            "Node" => add(&mut self.nodes, object, |_| {}),
            "DeviceClass" => add(&mut self.classes, object, |_| {}),
            "ResourceSlice" => add(&mut self.slices, object, |_| {}),
            "ResourceClaim" => add(&mut self.claims, object, |claim| place(&mut claim.metadata)),
            "ResourceClaimTemplate" => add(&mut self.templates, object, |template| place(&mut template.metadata)),
            "Pod" => add(&mut self.pods, object, |pod| place(&mut pod.metadata)),
            "DeviceTaintRule" => add(&mut self.rules, object, |_| {}),
            "Namespace" => {
                let Named { metadata } = read_from(object)?;
                self.namespaces.insert(metadata.name, metadata.labels);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Overlays other objects: one with the same kind and name replaces the existing one.
    pub fn overlay(&mut self, over: Facts) {
        fn put<T>(list: &mut Vec<Rc<T>>, over: Vec<Rc<T>>, name: impl Fn(&T) -> String) {
            let names: Set<String> = over.iter().map(|object| name(object)).collect();
            list.retain(|object| names.is_empty() || !names.contains(&name(object)));
            list.extend(over);
        }
        put(&mut self.nodes, over.nodes, |node| node.metadata.full_name());
        put(&mut self.classes, over.classes, |class| class.metadata.full_name());
        put(&mut self.slices, over.slices, |slice| slice.metadata.full_name());
        put(&mut self.claims, over.claims, |claim| claim.metadata.full_name());
        put(&mut self.templates, over.templates, |template| template.metadata.full_name());
        put(&mut self.pods, over.pods, |pod| pod.metadata.full_name());
        put(&mut self.rules, over.rules, |rule| rule.metadata.full_name());
        for (name, labels) in over.namespaces {
            self.namespaces.insert(name, labels);
        }
    }

    /// A class by name.
    pub fn class(&self, name: &str) -> Option<&Class> {
        self.classes.iter().find(|class| class.metadata.name == name).map(|class| &**class)
    }
}
