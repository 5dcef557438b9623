//! Data types for node resources in an account.

use serde::Serialize;

/// A resource of the node, as the scheduler counts it for the pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceAccount {
    /// The resource.
    pub resource: String,
    /// What the pod asks for, devices included.
    pub requested: String,
    /// What the pods on the node have.
    pub used: String,
    /// What the node has for pods.
    pub allocatable: String,
    /// Too little is left.
    pub short: bool,
    /// What devices take of it.
    pub devices: Vec<ResourceDevice>,
    /// Pods on the node that have most of it.
    pub pods: Vec<ResourcePod>,
    /// One line of English.
    pub text: String,
}

/// What a device takes of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceDevice {
    /// The claim.
    pub claim: String,
    /// `driver/pool/device` that has the mapping.
    pub device: String,
    /// How much.
    pub takes: String,
    /// The capacity that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<String>,
    /// What is charged of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumed: Option<String>,
    /// What that is multiplied with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiplier: Option<String>,
}

/// A pod on the node.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcePod {
    /// `namespace/name`.
    pub pod: String,
    /// What it has of the resource.
    pub requests: String,
}
