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

mod claims;
mod pods;
mod slices;

pub use claims::*;
pub use pods::*;
pub use slices::*;

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
