//! What the scheduler does with the pods of a cluster, as data.

use super::release::ReleaseRules;
use crate::allocator::extended::RequestMapping;
use crate::allocator::objects::Claim;
use crate::allocator::status::StatusCode;
pub use crate::explain::turn::Plugin;
use claimkit_model::message::{Message, message};
use serde::Serialize;
use std::borrow::Cow;
use std::rc::Rc;

/// Why a node is refused.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalReason {
    /// The node is cordoned.
    Unschedulable,
    /// A taint is not tolerated.
    Taint {
        /// The key of the taint.
        key: Rc<str>,
        /// The value of the taint.
        value: Rc<str>,
    },
    /// Node selector or node affinity do not match.
    NodeAffinity,
    /// The pod names other nodes.
    OtherNode,
    /// A port is taken.
    Ports,
    /// The node holds as many pods as it may.
    TooManyPods,
    /// Too little is left of a resource.
    Insufficient(Rc<str>),
    /// A plugin for volumes says this.
    Volumes(VolumeReason),
    /// A domain would hold too many pods.
    Spread,
    /// The node lacks the label of a domain.
    SpreadLabel,
    /// A pod that must be near is not.
    PodAffinity,
    /// A pod is near that should not be.
    PodAntiAffinity,
    /// A pod that is near wants to be alone.
    OtherPodsAntiAffinity,
    /// The plugin for devices says this.
    Devices(Rc<str>),
}

impl RefusalReason {
    /// Returns the text of the scheduler.
    pub fn text(&self, rules: &ReleaseRules) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            RefusalReason::Unschedulable => "node(s) were unschedulable",
            RefusalReason::Taint { key, value } if rules.taint_named => {
                return Cow::Owned(format!("node(s) had untolerated taint {{{key}: {value}}}"));
            }
            RefusalReason::Taint { .. } => "node(s) had untolerated taint(s)",
            RefusalReason::NodeAffinity => "node(s) didn't match Pod's node affinity/selector",
            RefusalReason::OtherNode => "node(s) didn't satisfy plugin(s) [NodeAffinity]",
            RefusalReason::Ports => "node(s) didn't have free ports for the requested pod ports",
            RefusalReason::TooManyPods => "Too many pods",
            RefusalReason::Insufficient(name) => return Cow::Owned(format!("Insufficient {name}")),
            RefusalReason::Volumes(reason) => return reason.text(rules),
            RefusalReason::Spread => "node(s) didn't match pod topology spread constraints",
            RefusalReason::SpreadLabel => {
                "node(s) didn't match pod topology spread constraints (missing required label)"
            }
            RefusalReason::PodAffinity => "node(s) didn't match pod affinity rules",
            RefusalReason::PodAntiAffinity => "node(s) didn't match pod anti-affinity rules",
            RefusalReason::OtherPodsAntiAffinity => {
                "node(s) didn't satisfy existing pods anti-affinity rules"
            }
            RefusalReason::Devices(text) => text,
        })
    }
}

/// Why the volumes of a pod refuse a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VolumeReason {
    /// A pod on the node uses the same disk.
    DiskConflict,
    /// A pod uses a volume that is for one pod at a time.
    InUse,
    /// The driver is not on the node.
    NoDriver(Rc<str>),
    /// The node can use no more volumes of a driver.
    TooMany,
    /// The node cannot use a volume.
    NodeAffinity,
    /// No volume is free for the node, and none can be made.
    NothingToBind,
    /// There is too little storage to make a volume.
    TooLittleStorage,
    /// The volume of a claim does not exist.
    NoVolume,
    /// A volume is in another zone or region.
    Zone,
}

impl VolumeReason {
    /// Returns the text of the scheduler.
    fn text(&self, rules: &ReleaseRules) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            VolumeReason::DiskConflict => "node(s) had no available disk",
            VolumeReason::InUse => rules.volume_words.in_use,
            VolumeReason::NoDriver(name) => {
                return Cow::Owned(format!("{name} CSI driver is not installed on the node"));
            }
            VolumeReason::TooMany => "node(s) exceed max volume count",
            VolumeReason::NodeAffinity => rules.volume_words.node_affinity,
            VolumeReason::NothingToBind => {
                "node(s) didn't find available persistent volumes to bind"
            }
            VolumeReason::TooLittleStorage => "node(s) did not have enough free storage",
            VolumeReason::NoVolume => {
                "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
            }
            VolumeReason::Zone => "node(s) had no available volume zone",
        })
    }
}

impl Failure {
    /// Returns true if a plugin was the first to refuse some node.
    pub(super) fn is_by(&self, plugin: Plugin) -> bool {
        self.nodes
            .iter()
            .any(|node| node.why.first.plugin == plugin)
    }
}

/// A plugin's refusal of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginRefusal {
    /// The plugin that refuses the node.
    pub plugin: Plugin,
    /// Whether preemption may help.
    pub code: StatusCode,
    /// Its reasons; mostly one.
    pub reasons: Vec<RefusalReason>,
}

impl PluginRefusal {
    /// Makes a refusal with one reason.
    pub fn new(plugin: Plugin, code: StatusCode, reason: RefusalReason) -> Self {
        PluginRefusal {
            plugin,
            code,
            reasons: vec![reason],
        }
    }

    /// Makes the refusal of a plugin for volumes.
    pub(super) fn of_volumes(plugin: Plugin, code: StatusCode, reasons: Vec<VolumeReason>) -> Self {
        PluginRefusal {
            plugin,
            code,
            reasons: reasons.into_iter().map(RefusalReason::Volumes).collect(),
        }
    }
}

/// Why a node does not take a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeReasons {
    /// Index of the node.
    pub node: usize,
    /// The refusals, which many nodes share.
    pub why: Rc<Refusals>,
}

/// Everything that plugins refuse about a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusals {
    /// The refusal that the scheduler reports: that of the first plugin.
    pub first: PluginRefusal,
    /// The refusals of other plugins, had the first one passed.
    pub others: Vec<PluginRefusal>,
}

/// The reason why a pod is not considered. The scheduler reports nothing about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// For a claim; the scheduler's internal text.
    Claim(String),
    /// For its PodGroup, which does not exist.
    Group(String),
    /// For more pods of its group.
    Members {
        /// The name of the group.
        group: String,
        /// How many there are.
        have: usize,
        /// How many are needed.
        need: usize,
    },
    /// For another pod of its group, which is held back.
    Member {
        /// The name of the group.
        group: String,
        /// Index of the other pod.
        pod: usize,
    },
    /// Another scheduler is in charge.
    Scheduler(String),
    /// It is being deleted.
    Deleted,
}

/// Why it is not known whether a pod gets a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The objects about its volumes are not given; the claims for them.
    Volumes(Vec<String>),
    /// Claims for volumes that name a volume or a storage class, of which kind nothing is given.
    NamedByVolumeClaims(Vec<String>),
    /// Claims for volumes that are new: controllers bind them before the scheduler looks.
    NewVolumeClaims(Vec<String>),
    /// Its node is assumed, and labels that decide are not given; their keys.
    NodeLabels(Vec<String>),
}

/// The scheduler's decision on a pod.
#[derive(Clone, Debug, PartialEq)]
pub enum PodDecision {
    /// It gets a node.
    Bound {
        /// Index of the node.
        node: usize,
        /// Other nodes with the same score; the scheduler takes any.
        tied: Vec<usize>,
    },
    /// It gets a node once its devices and volumes are ready.
    Preparing {
        /// Index of the node.
        node: usize,
        /// Other nodes with the same score.
        tied: Vec<usize>,
        /// The claims for which volumes are made: indexes.
        volumes: Vec<usize>,
    },
    /// A node may take it; whether one does is not known.
    NotKnown(Unknown),
    /// It is not considered.
    NotConsidered(Waiting),
    /// It has scheduling gates.
    Gated,
    /// No node takes it.
    Unschedulable(Rc<Failure>),
    /// An error ends the attempt; it is tried again and again.
    Error(Rc<Failure>),
}

/// An attempt that failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// The message of the condition `PodScheduled`.
    pub message: String,
    /// Help with the message.
    pub help: Option<Message>,
    /// Per node, why not. Empty if the attempt ended before.
    pub nodes: Rc<Vec<NodeReasons>>,
    /// This node takes the pod, and its group does not start.
    pub place: Option<usize>,
    /// Its group does not start, which other pods of the group decide: it was not tried.
    pub untried: bool,
    /// Preemption makes room on this node.
    pub nominated: Option<usize>,
    /// The pods that preemption ends.
    pub victims: Vec<usize>,
    /// A claim that is given back, so that the pod can be tried again.
    pub freed: Option<usize>,
    /// Why the message may be another one.
    pub unsure: Option<Unsure>,
}

/// A fact that the objects do not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsure {
    /// Several nodes have the same score.
    Tie,
    /// Only some of the nodes are tried: which, depends on history.
    Sampled,
    /// Nodes are tried side by side, and the first error ends the attempt.
    FirstError,
    /// One of several claims is given back.
    AnyClaim,
    /// Preemption within or by groups of pods is not followed.
    GroupPreemption,
    /// The search for devices takes too long.
    Budget,
    /// The objects about its volumes are not given.
    Volumes,
    /// Pods of one priority that failed before are tried again in an order that the objects do not tell.
    Order,
}

impl Unsure {
    /// Returns one line of English.
    pub fn text(self) -> Message {
        match self {
            Unsure::Tie => {
                message!(
                    "pods.unsure-tie",
                    "several nodes have the same score, and the scheduler takes any of them"
                )
            }
            Unsure::Sampled => message!(
                "pods.unsure-sampled",
                "from 100 nodes on the scheduler tries only some of them, depending on its history"
            ),
            Unsure::FirstError => {
                message!(
                    "pods.unsure-first-error",
                    "nodes are tried side by side, and the error that comes first is reported"
                )
            }
            Unsure::AnyClaim => {
                message!(
                    "pods.unsure-claim",
                    "several claims could be given back, and the scheduler takes any of them"
                )
            }
            Unsure::GroupPreemption => {
                message!(
                    "pods.unsure-group-preemption",
                    "preemption for groups of pods is not followed"
                )
            }
            Unsure::Budget => {
                message!(
                    "pods.unsure-budget",
                    "the search for devices takes too long to be followed to its end"
                )
            }
            Unsure::Volumes => message!(
                "pods.unsure-volumes",
                "its volumes are not given, and may refuse nodes for other reasons"
            ),
            Unsure::Order => message!(
                "pods.unsure-order",
                "pods of one priority that failed before are tried again in an order that the objects do not tell"
            ),
        }
    }
}

/// A pod and what becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PodOutcome {
    /// Index of the pod.
    pub pod: usize,
    /// The scheduler's first decision, and that of a further attempt, if it differs.
    pub decisions: Vec<PodDecision>,
    /// Facts that the last decision depends on and the objects do not decide.
    pub unsure: Vec<Unsure>,
    /// The claim for its extended resources, and who uses what.
    pub extended: Option<ExtendedOutcome>,
    /// True if another choice among nodes of the same score, made here or for a pod before, was seen to lead to another result.
    pub depends: bool,
    /// True if the other result is that it gets no node, or gets one.
    pub fate_depends: bool,
}

impl PodOutcome {
    /// Returns true if the pod gets a node.
    pub fn has_node(&self) -> bool {
        self.node().is_some()
    }

    /// Returns the node that the pod gets.
    pub fn node(&self) -> Option<usize> {
        match self.decisions.last() {
            Some(PodDecision::Bound { node, .. } | PodDecision::Preparing { node, .. }) => {
                Some(*node)
            }
            _ => None,
        }
    }
}

/// The claim made for extended resources.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtendedOutcome {
    /// Index of the claim.
    pub claim: usize,
    /// The requests that serve each container.
    pub mappings: Vec<RequestMapping>,
}

/// A claim after everything.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimOutcome {
    /// The claim, with its status.
    pub claim: Rc<Claim>,
}

/// A PodGroup after everything.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupOutcome {
    /// Index of the group.
    pub group: usize,
    /// The message of the condition `PodGroupInitiallyScheduled`, if it is false.
    pub refused: Option<String>,
}

/// The scheduler's decisions on the pods of a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Simulation {
    /// The pods, in the order in which they were considered; those that were not at the end.
    pub pods: Vec<PodOutcome>,
    /// All claims: first those of the facts, then those that the scheduler makes.
    pub claims: Vec<ClaimOutcome>,
    /// The groups that were tried.
    pub groups: Vec<GroupOutcome>,
    /// How far other choices among nodes of the same score were tried.
    pub ties: TieSearch,
}

/// How far other choices among nodes of the same score were tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(tag = "tried", rename_all = "camelCase")]
pub enum TieSearch {
    /// No nodes had the same score.
    #[default]
    None,
    /// All choices were tried.
    All {
        /// The number of choices that were tried.
        choices: usize,
    },
    /// Only some of the choices were tried.
    Some {
        /// The number of choices that were tried.
        choices: usize,
    },
}

impl TieSearch {
    /// Returns true if no nodes had the same score.
    pub fn is_none(&self) -> bool {
        *self == TieSearch::None
    }
}
