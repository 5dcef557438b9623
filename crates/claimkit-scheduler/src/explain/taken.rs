//! Data types for node resources in an account.

use claimkit_model::message::Message;
use serde::Serialize;

/// A resource of the node, as the scheduler counts it for the pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceAccount {
    pub resource: String,
    /// The pod's request, devices included.
    pub requested: String,
    /// The amount used by pods on the node.
    pub used: String,
    /// The node's allocatable amount.
    pub allocatable: String,
    /// Too little is left.
    pub short: bool,
    /// The amounts that devices consume.
    pub devices: Vec<ResourceDevice>,
    /// Pods on the node that have most of it.
    pub pods: Vec<ResourcePod>,
    /// The sentence for it, in the language of the answer.
    pub text: Message,
}

/// The amount of a resource that a device consumes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceDevice {
    pub claim: String,
    /// `driver/pool/device` that has the mapping.
    pub device: String,
    pub takes: String,
    /// The capacity that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<String>,
    /// The amount charged for the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consumed: Option<String>,
    /// The multiplier of the amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiplier: Option<String>,
}

/// A pod on the node.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcePod {
    /// `namespace/name`.
    pub pod: String,
    /// The amount requested by other pods.
    pub requests: String,
}
