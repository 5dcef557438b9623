//! What becomes of a pod when all pods are placed in turn, as data.

use super::kinds::Absent;
use crate::allocator::status::StatusCode;
use claimkit_model::message::{Message, Words};
use serde::Serialize;

/// The outcome of the scheduler's work on a pod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum TurnOutcome {
    /// It gets a node.
    Bound,
    /// It gets a node once its devices and volumes are ready.
    Preparing,
    /// It has a node already.
    Placed,
    Ended,
    /// No node takes it.
    Unschedulable,
    /// An error ends the attempt; it is tried again and again.
    Error,
    /// It has scheduling gates.
    Gated,
    /// A node may take it; whether one does is not known.
    NotKnown,
    /// It is not considered.
    #[default]
    NotConsidered,
}

impl TurnOutcome {
    /// Returns true if the pod has a node, or gets one.
    pub fn has_node(self) -> bool {
        matches!(
            self,
            TurnOutcome::Bound | TurnOutcome::Preparing | TurnOutcome::Placed
        )
    }
}

/// The component that decides on the node of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum DecidedBy {
    /// Only this node fits, or it has the highest score.
    Scores,
    /// Other nodes have the same score and the scheduler takes any of them; here the first by name is taken.
    Name,
    /// The scheduler tries only some of the nodes, depending on its history.
    Sample,
}

/// A device that a pod gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnDevice {
    /// `namespace/name` of the claim.
    pub claim: String,
    pub request: String,
    /// `driver/pool/device`.
    pub device: String,
    /// It has administrative access to the device, which takes nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub admin: bool,
}

/// A plugin of the scheduler that refuses nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Plugin {
    /// `spec.unschedulable` of the node.
    NodeUnschedulable,
    /// Taints of the node.
    TaintToleration,
    /// `nodeSelector` and node affinity of the pod.
    NodeAffinity,
    /// Ports of the node.
    NodePorts,
    /// Resources of the node.
    NodeResourcesFit,
    /// Volumes that only one pod may use.
    VolumeRestrictions,
    /// How many volumes of a driver the node can use.
    NodeVolumeLimits,
    /// Volumes that are bound, free, or can be made.
    VolumeBinding,
    /// Zones and regions of volumes.
    VolumeZone,
    /// `topologySpreadConstraints` of the pod.
    PodTopologySpread,
    /// The plugin for affinity between pods.
    InterPodAffinity,
    /// The plugin for devices.
    DynamicResources,
}

/// A plugin's refusal of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRefusal {
    pub plugin: Plugin,
    pub reasons: Vec<String>,
    /// `Unschedulable` means that there is room without some pods.
    pub code: StatusCode,
    /// The reasons that follow from the objects, in claimkit's own words.
    pub why: Vec<Message>,
    /// The pods that are there only because they are placed before; absent if there is none or the plugin does not look at pods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placed_before: Option<Message>,
    /// The taints that the pod does not tolerate: `key=value:effect`.
    #[serde(skip)]
    pub taints: Vec<String>,
    /// The labels of the pod's node selector that the node lacks: `key=value`. The first reasons of `why` are about them.
    #[serde(skip)]
    pub labels: Vec<String>,
    /// The pods of `placed_before`: `namespace/name`.
    #[serde(skip)]
    pub pods_before: Vec<String>,
}

/// Nodes that refuse a pod for the same reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReasonGroup {
    /// The reasons of all plugins, first the one that the scheduler reports.
    pub reasons: Vec<String>,
    /// The same in our words; upstream's where a node's devices have none of ours.
    pub why: Vec<Words>,
    pub nodes: Vec<String>,
    /// The pod itself excludes the nodes, by its selector or affinity.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unwanted: bool,
}

/// The outcome for a pod.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// The outcome of the scheduler's work.
    pub outcome: TurnOutcome,
    /// The node that it gets or has.
    pub node: Option<String>,
    /// The component that decides on the node; absent if the pod gets none here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<DecidedBy>,
    /// Taints of its devices that end the pod once it has a node.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evicted_by: Vec<Message>,
    /// Other nodes with the same score.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<String>,
    /// True if another choice among nodes of the same score, for this pod or an earlier one, leads to another outcome.
    pub depends: bool,
    /// Facts that the outcome depends on and the objects do not decide, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsure: Vec<Message>,
    /// The message of the condition `PodScheduled`; `null` if it has none.
    pub message: Option<String>,
    /// Help with the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Message>,
    /// The condition that the pod waits for before it is considered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<Message>,
    /// The kind of the object that it waits for and that is not given.
    #[serde(skip)]
    pub absent: Option<Absent>,
    /// The messages of earlier attempts, if they differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<String>,
    /// The node that takes it, although it gets none, for its group does not start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes: Option<String>,
    /// Its group does not start, which other pods of the group decide: it was not tried.
    #[serde(skip)]
    pub untried: bool,
    /// The node on which preemption makes room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nominated: Option<String>,
    /// The pods that preemption ends: `namespace/name`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub victims: Vec<String>,
    /// The claim that is given back, so that the pod can be tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freed: Option<String>,
    /// The devices that it gets.
    pub devices: Vec<TurnDevice>,
    /// Why nodes do not take it: the largest group first, and last the nodes that the pod itself excludes.
    pub refused: Vec<ReasonGroup>,
    /// The number of nodes that are not in `nodes` of the account, to bound the answer.
    #[serde(skip_serializing_if = "is_zero")]
    pub nodes_left_out: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
