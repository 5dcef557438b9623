//! The account of an allocation as data: what the verb `allocate` answers.

pub use super::kinds::*;
use super::object_edits::ObjectEdit;
pub use super::remark::{Remark, RemarkSubject};
pub use super::taken::{ResourceAccount, ResourceDevice, ResourcePod};
use super::turn::{NodeRefusal, Plugin, Turn, TurnOutcome};
use crate::allocator::constraints::ConstraintKind;
use crate::allocator::fitting::FittingSelector;
use crate::allocator::objects::Toleration;
use crate::allocator::results::DeviceAllocation;
use crate::allocator::sorted::Sorted;
use crate::allocator::status::StatusCode;
use crate::allocator::taints::TolerationMismatch;
use claimkit_model::finding::FieldPath;
use claimkit_model::message::{Message, message};
use claimkit_model::text::located::{Range, RangeEdit};
use serde::Serialize;

/// Declares a struct of the answer.
macro_rules! data {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name { $($(#[$field_about])* pub $field: $type,)* }
    };
}

/// How many devices mode All needs in releases that a running cluster has.
pub const LEAST_OF_ALL: i64 = 1;

data! {
    /// A pod's account, or that of claims without one.
    PodAccount {
        /// `namespace/name`.
        pod: Option<String>,
        claims: Vec<String>,
        /// Extended resources of the pod, and the class in charge of each.
        extended_resources: Sorted<String, String>,
        /// The refusal before any node is checked.
        before: Option<Before>,
        /// Messages and the nodes that have them, as the pod's event counts them.
        summary: Vec<Summary>,
        /// One entry per node.
        nodes: Vec<NodeAccount>,
        /// Findings that concern the whole account, not single nodes.
        findings: Vec<Remark>,
        /// The outcome for the pod when all pods are placed in turn.
        #[serde(skip_serializing_if = "Option::is_none")]
        turn: Option<Box<Turn>>,
        /// The earlier pod with the same account of nodes, which is omitted here.
        #[serde(skip_serializing_if = "Option::is_none")]
        same_as: Option<String>,
        /// Why it is not known what becomes of it: objects that decide were not given.
        #[serde(skip_serializing_if = "Option::is_none")]
        unknown: Option<Message>,
        /// A claim that has no devices yet asks for admin access, and the labels of its namespace are given and do not allow it.
        #[serde(skip)]
        lacks_admin_label: bool,
    }
}

/// A status of PreFilter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Before {
    /// The extension point that stops the pod.
    pub stage: BeforeNodes,
    pub code: StatusCode,
    pub message: String,
    /// The missing object and a similar existing name, in our words.
    pub help: Option<Message>,
    /// The kind of the missing object.
    #[serde(skip)]
    pub absent: Option<Absent>,
}

data! {
    /// A message and its nodes.
    Summary {
        /// Upstream's text; empty: the claims fit.
        message: String,
        nodes: Vec<String>,
    }
}

data! {
    NodeAccount {
        name: String,
        /// The outcome for the claims there.
        verdict: NodeVerdict,
            message: Option<String>,
        /// The scheduler's code where it refuses the node.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<StatusCode>,
        /// The text ends the attempt for all nodes.
        fatal: bool,
        score: i64,
        /// Steps of the search.
        steps: u64,
        /// One entry per claim.
        allocations: Option<Vec<DeviceAllocation>>,
        /// Pools seen from the node.
        pools: Vec<PoolAccount>,
        requests: Vec<RequestAccount>,
        /// Why requests that could be met alone cannot be met together.
        conflicts: Vec<Conflict>,
        /// Claims that hold the missing devices, counters or capacity.
        holders: Vec<Holder>,
        relaxations: Vec<Relaxation>,
        /// Capacity charged to the claims.
        charges: Vec<Charge>,
        /// Resources of the node that devices take, or of which there is too little.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        resources: Vec<ResourceAccount>,
        /// Upstream's texts where there are several; the message has them all.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        reasons: Vec<String>,
        /// Help for the part that the message leaves out.
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<Message>,
        /// The cost of the steps, counted against a budget.
        #[serde(skip)]
        cost: u64,
        /// Two devices of the same pool and name; the scheduler may read either.
        #[serde(skip)]
        unclear: Option<[String; 2]>,
        /// The plugins that refuse the node when pods are placed in turn, in the scheduler's order.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        refusals: Vec<NodeRefusal>,
        /// Why the claims do not fit the node, in one line.
        text: Message,
        /// The earlier node with the same account; then pools, requests and so on are omitted here.
        same_as: Option<String>,
    }
}

data! {
    /// Capacity charged to a claim.
    Charge {
        device: String,
        name: String,
        asked: Option<String>,
        /// The amount charged for the request.
        charged: String,
        /// The amount left before it.
        left: String,
    }
}

data! {
    /// A pool seen from a node.
    PoolAccount {
        /// `driver/pool`.
        pool: String,
        /// The condition of the pool.
        state: PoolState,
        have: usize,
        want: i64,
        generation: i64,
        /// Why it is invalid.
        reason: Option<String>,
        /// Slices whose devices are offered here.
        slices: Vec<String>,
        ignored: Vec<IgnoredSlice>,
    }
}

data! {
    /// A slice left out.
    IgnoredSlice {
        slice: String,
        why: Message,
    }
}

data! {
    /// A request, seen on its own.
    RequestAccount {
        claim: String,
        request: String,
        sub: Option<String>,
        /// `ExactCount` or `All`.
        mode: String,
        /// Devices requested; with `All`, the number of existing ones.
        wanted: i64,
        class: String,
        /// The extended resource that it is made for, and the container.
        #[serde(skip_serializing_if = "Option::is_none")]
        serves: Option<Message>,
        /// It was the one picked.
        picked: bool,
        /// Devices left after each stage.
        funnel: Vec<Stage>,
        /// One entry per device.
        cells: Vec<CellAccount>,
        /// Its place in the claim, e.g. `spec.devices.requests[0].exactly`.
        path: FieldPath,
        /// Its place in the text, if the claim is in the text.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<Range>,
        /// Devices before the first allocated one that would satisfy this request alone. They were given to other requests, or
        /// the rest of the claim could not be satisfied with them.
        passed_over: Vec<String>,
        /// The funnel in one line.
        text: Message,
        /// Why devices were lost at the first stage that left too few, in one line.
        why: Message,
    }
}

data! {
    /// A stage of a funnel.
    Stage {
        stage: StageKind,
        /// Index of the selector.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        left: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        lost: Option<Lost>,
        /// Values that a selector read, with the number of devices that have them.
        #[serde(skip_serializing_if = "Sorted::is_empty")]
        seen: Sorted<String, Sorted<String, usize>>,
        /// Values that a selector did not find.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        missing: Vec<Missing>,
        /// Errors of a selector, with the number of devices that give them.
        #[serde(skip_serializing_if = "Sorted::is_empty")]
        errors: Sorted<String, usize>,
    }
}

data! {
    /// Devices lost at a stage.
    Lost {
        count: usize,
        /// At most five names.
        devices: Vec<String>,
    }
}

data! {
    Missing {
        path: String,
        /// How many of the devices asked have it.
        on: usize,
        /// How many were asked.
        of: usize,
        /// Existing names in its domain, with type and number of devices.
        published: Sorted<String, Published>,
        /// The similar names among them, otherwise the nearest one.
        near: Vec<String>,
        /// The similar names among them: one was probably meant.
        alike: Vec<String>,
        /// Domains that have the name.
        domains: Vec<String>,
        /// An expression that reads it without an error.
        guard: String,
    }
}

data! {
    /// A name that devices publish.
    Published {
        kind: ValueKind,
        /// How many of the devices asked have it.
        on: usize,
    }
}

data! {
    /// A device in the matrix.
    CellAccount {
        /// `driver/pool/device`.
        device: String,
        /// Upstream's first reason against it.
        reason: Option<Reason>,
        also: Vec<Reason>,
        /// The first reason in one line.
        text: Message,
    }
}

impl RequestAccount {
    /// Returns `request`, or `request/alternative`.
    pub fn name(&self) -> String {
        match &self.sub {
            Some(sub) => format!("{}/{sub}", self.request),
            None => self.request.clone(),
        }
    }

    /// Returns true if there are too few devices for it, whatever other requests get. `least`: how many devices mode All needs.
    pub fn lacks(&self, least: i64) -> bool {
        self.missing(least) > 0
    }

    /// Returns how many devices it lacks, whatever other requests get.
    fn missing(&self, least: i64) -> i64 {
        let left = self.funnel.last().map_or(0, |stage| stage.left);
        let left = i64::try_from(left).unwrap_or(i64::MAX);
        self.wanted.max(least).saturating_sub(left).max(0)
    }
}

impl PodAccount {
    /// Leaves open what becomes of the pod, or of the claims: neither a node nor a refusal is said. `known`: what is said all the same.
    pub fn leave_open(&mut self, why: Message, known: Option<Message>) {
        self.before = None;
        for node in &mut self.nodes {
            node.relaxations.clear();
        }
        if let Some(turn) = &mut self.turn {
            **turn = Turn {
                outcome: TurnOutcome::NotKnown,
                unsure: [why.clone()].into_iter().chain(known).collect(),
                absent: turn.absent,
                nodes_left_out: turn.nodes_left_out,
                ..Turn::default()
            };
        }
        self.findings.clear();
        self.same_as = None;
        self.unknown = Some(why);
    }

    /// Returns true if a plugin other than that for devices refuses the pod before any node is tried: what devices the nodes have
    /// does not matter then.
    pub fn stops_before_nodes(&self) -> bool {
        let Some(turn) = self.turn.as_deref() else {
            return false;
        };
        turn.outcome == TurnOutcome::Unschedulable
            && turn.refused.is_empty()
            && turn.takes.is_none()
            && self.same_as.is_none()
            && !self.nodes.is_empty()
    }
}

/// Returns the name of a request where another claim has one of the same name.
pub fn of_claim(request: &str, claim: &str) -> Message {
    message!(
        "device.request-of-claim",
        "{request} of {claim}",
        request,
        claim
    )
}

impl NodeAccount {
    /// Returns the name of a request in the words of the user: the resource of a container, or the request, with its claim where
    /// another claim has a request of the same name.
    pub fn name_of(&self, request: &RequestAccount) -> String {
        if let Some(serves) = request.serves.as_deref().filter(|name| !name.is_empty()) {
            return serves.to_owned();
        }
        let name = request.name();
        let mut others = self.requests.iter();
        if others.any(|other| other.claim != request.claim && other.name() == name) {
            return of_claim(&name, &request.claim).to_string();
        }
        name
    }

    /// Returns true if there are too few devices for a request and for each of its alternatives, whatever other requests get. `least`:
    /// how many devices mode All needs.
    pub fn lacks(&self, request: &RequestAccount, least: i64) -> bool {
        let mut alternatives = self
            .requests
            .iter()
            .filter(|other| (&other.claim, &other.request) == (&request.claim, &request.request));
        alternatives.all(|one| one.lacks(least))
    }

    /// Returns how many devices all requests lack; of alternatives, the one counts that lacks the fewest. `least`: how many devices mode
    /// All needs.
    pub fn missing_devices(&self, least: i64) -> i64 {
        let mut fewest: Sorted<(&str, &str), i64> = Sorted::new();
        for request in &self.requests {
            let missing = request.missing(least);
            let key = (request.claim.as_str(), request.request.as_str());
            let known = fewest.get(&key).copied().unwrap_or(i64::MAX);
            fewest.insert(key, missing.min(known));
        }
        fewest.into_iter().map(|(_, missing)| missing).sum()
    }

    /// Returns true if the pod itself excludes the node, by its selector or affinity: what devices it has does not matter.
    pub fn is_unwanted(&self) -> bool {
        let mut refusals = self.refusals.iter();
        refusals.any(|refusal| refusal.plugin == Plugin::NodeAffinity)
    }

    /// Returns the first request that cannot be met whatever the others get: all its alternatives lack devices. `least`: how many
    /// devices mode All needs.
    pub fn lacking(&self, least: i64) -> Option<&RequestAccount> {
        let mut requests = self.requests.iter();
        requests.find(|request| self.lacks(request, least))
    }
}

/// A reason against a device, in upstream's order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(
    tag = "code",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub enum Reason {
    /// A newer generation of the pool is there.
    PoolOldGeneration {
        /// The generation in use.
        newest: i64,
    },
    /// Slices of the pool are missing.
    PoolIncomplete { have: usize, want: i64 },
    /// The pool is at fault.
    PoolInvalid { reason: String },
    /// The device is in a slice with shared counters, where devices are not offered.
    SliceWithCounters,
    /// Something the device needs is switched off.
    FeatureOff {
        /// The field that needs it.
        field: FeatureField,
    },
    /// Another claim has it.
    InUse {
        claims: Vec<String>,
        /// The objects that reserve them: pods by their names, others as `resource.group/name`.
        pods: Vec<String>,
        /// All of them wait in the cluster: here they get the device first.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        planned: bool,
    },
    /// It was chosen for another request of this attempt.
    ChosenFor { claim: String, request: String },
    /// A selector of the class is not true.
    ClassSelector(SelectorReason),
    /// A selector of the request is not true.
    RequestSelector(SelectorReason),
    /// The device itself is not on the node.
    DeviceNotOnNode,
    /// Its capacity does not satisfy the request.
    Capacity(CapacityReason),
    /// Its counters are insufficient.
    Counters(CounterReason),
    /// A taint is not tolerated.
    Taint(TaintReason),
    /// A constraint refuses it whatever else is chosen.
    Constraint {
        /// Index of the constraint.
        index: usize,
        kind: ConstraintKind,
        /// The attribute, which the device lacks.
        attribute: String,
        /// Attributes of the device with the same name in another domain, or with nearly this name.
        near: Vec<String>,
    },
}

data! {
    /// Why a selector is not true.
    SelectorReason {
        index: usize,
        /// Upstream's error; absent if the selector is false.
        error: Option<String>,
        /// The values that it read; `None` for a missing one.
        values: Sorted<String, Option<String>>,
    }
}

data! {
    /// Why a capacity does not do.
    CapacityReason {
        name: String,
        /// The fault of the amount.
        why: CapacityFault,
        asked: Option<String>,
        /// The amount charged for the request.
        charged: Option<String>,
        /// The amount that shares use.
        used: Option<String>,
        left: Option<String>,
        total: Option<String>,
        /// The maximum that a request may have.
        max: Option<String>,
        /// Claims that use it.
        holders: Vec<String>,
        /// Those of them that wait in the cluster: here they get it first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        planned: Vec<String>,
        names: Vec<String>,
    }
}

data! {
    /// Why counters do not suffice.
    CounterReason {
        set: String,
        counter: String,
        /// The amount that the device needs.
        needed: String,
        available: String,
        total: String,
        /// Claims that use it, and through which device.
        holders: Vec<CounterHolder>,
    }
}

data! {
    /// A claim that uses a counter.
    CounterHolder {
        device: String,
        claim: String,
        /// The objects that reserve it: pods by their names, others as `resource.group/name`.
        pods: Vec<String>,
        /// The claim waits in the cluster: here it gets the device first.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        planned: bool,
    }
}

data! {
    /// A taint that is not tolerated.
    TaintReason {
        key: String,
        value: String,
        effect: String,
        /// `driver`, or `rule/<name>`.
        from: String,
        /// Why each toleration does not help.
        tolerations: Vec<TolerationReason>,
        toleration: Toleration,
    }
}

/// Why a toleration does not help.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TolerationReason {
    pub index: usize,
    /// The field to look at.
    pub why: TolerationMismatch,
}

data! {
    /// Requests that cannot be met together.
    Conflict {
        /// The kind of the shortage.
        kind: ConflictKind,
        claim: String,
        /// Index of the constraint.
        constraint: Option<usize>,
        /// Its place in the claim.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<FieldPath>,
        /// Its place in the text.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<Range>,
        attribute: Option<String>,
        /// Per value, per request, the candidates that have it.
        values: Sorted<String, Sorted<String, usize>>,
        /// Candidates without the attribute.
        missing: Vec<String>,
        requests: Vec<String>,
        wanted: i64,
        /// Devices or values there are.
        available: usize,
        /// The sentence for it, in the language of the answer.
        text: Message,
    }
}

data! {
    /// The object that has a device.
    Holder {
        /// `driver/pool/device`.
        device: String,
        claim: String,
        /// The objects that reserve it: pods by their names, others as `resource.group/name`; none: nobody does.
        pods: Vec<String>,
        /// Capacity that its share uses.
        share: Sorted<String, String>,
        /// With administrative access, which blocks nobody.
        admin: bool,
        /// The claim waits in the cluster: here it gets the device first.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        planned: bool,
    }
}

data! {
    /// A change that helps, verified by running the allocator again.
    Relaxation {
        /// The changes; all of them are needed.
        changes: Vec<Change>,
        /// The devices it gives.
        gives: Vec<String>,
        /// The node it was tried on.
        node: String,
        /// The changes as edits of the text; empty where a claim must be freed, or the text cannot be edited safely.
        edits: Vec<RangeEdit>,
        /// The sentence for it, in the language of the answer.
        text: Message,
        /// The words for each change.
        #[serde(skip)]
        parts: Vec<Message>,
        /// The edits of objects for each change, by which it can be tried with all pods in turn; absent: it cannot.
        #[serde(skip)]
        objects: Vec<Option<Vec<ObjectEdit>>>,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The kind of the change: one of `drop`, `add`, `free` and `set`.
    #[serde(flatten)]
    pub kind: ChangeKind,
    pub claim: String,
    /// The path in the object, e.g. `spec.devices.constraints[0]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FieldPath>,
    /// The place in the text; for an addition, the nearest place that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Index of the constraint or selector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toleration: Option<Toleration>,
    /// Name of the capacity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The part of a selector that is written otherwise; `from` and `to` are whole expressions.
    #[serde(skip)]
    pub fitting: Option<FittingSelector>,
}

impl Change {
    /// Returns a change of a claim without details.
    pub fn of(kind: ChangeKind, claim: String) -> Self {
        Change {
            kind,
            claim,
            path: None,
            range: None,
            request: None,
            index: None,
            name: None,
            toleration: None,
            from: None,
            to: None,
            fitting: None,
        }
    }

    /// Returns true if a request that did not ask for a capacity asks for some of it.
    pub fn is_capacity_added(&self) -> bool {
        self.kind == ChangeKind::Set(SetField::Capacity) && self.from.is_none()
    }
}
