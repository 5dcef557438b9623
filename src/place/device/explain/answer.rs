//! The account of an allocation as data: what the verb `allocate` answers.

pub use super::taken::{ResourceAccount, ResourceDevice, ResourcePod};
use crate::place::device::facts::Toleration;
use crate::place::device::results::AllocationResult;
use crate::place::device::sorted::Sorted;
use crate::place::device::status::Code;
use crate::text::located::{Edit, Range};
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

data! {
    /// A pod's account, or that of claims without one.
    PodAccount {
        /// `namespace/name`.
        pod: Option<String>,
        /// Its claims.
        claims: Vec<String>,
        /// Extended resources of the pod, and the class in charge of each.
        extended_resources: Sorted<String, String>,
        /// What stops it before any node is checked.
        before: Option<Before>,
        /// Messages and the nodes that have them, as the pod's event counts them.
        summary: Vec<Summary>,
        /// One per node.
        nodes: Vec<NodeAccount>,
        /// Findings that concern the whole account, not single nodes.
        findings: Vec<Finding>,
    }
}

data! {
    /// A status of PreFilter.
    Before {
        /// `preEnqueue` or `preFilter`.
        stage: &'static str,
        /// The framework's code.
        code: String,
        /// Upstream's text.
        message: String,
        /// The missing object and a similar existing name, in our words.
        help: Option<String>,
    }
}

data! {
    /// A message and its nodes.
    Summary {
        /// Upstream's text; empty: the claims fit.
        message: String,
        /// Names.
        nodes: Vec<String>,
    }
}

data! {
    /// A node's account.
    NodeAccount {
        /// Its name.
        name: String,
        /// `allocated`, `none`, `error`, `node-error`, `unavailable` or `undecided`.
        verdict: &'static str,
        /// Upstream's text.
        message: Option<String>,
        /// The scheduler's code where it refuses the node.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<Code>,
        /// The text ends the attempt for all nodes.
        fatal: bool,
        /// Score.
        score: i64,
        /// Steps of the search.
        steps: u64,
        /// One per claim.
        allocations: Option<Vec<AllocationResult>>,
        /// Pools seen from the node.
        pools: Vec<PoolAccount>,
        /// Requests and sub-requests.
        requests: Vec<RequestAccount>,
        /// Why requests that could be met alone cannot be met together.
        conflicts: Vec<Conflict>,
        /// Claims that hold the missing devices, counters or capacity.
        holders: Vec<Holder>,
        /// What would help.
        relaxations: Vec<Relaxation>,
        /// Capacity charged to the claims.
        charges: Vec<Charge>,
        /// Resources of the node that devices take, or of which there is too little.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        resources: Vec<ResourceAccount>,
        /// Upstream's texts where there are several; the message has them all.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        reasons: Vec<String>,
        /// What the message does not say, in our words.
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<String>,
        /// What the steps count for against a budget.
        #[serde(skip)]
        cost: u64,
        /// Two devices of the same pool and name; the scheduler may read either.
        #[serde(skip)]
        unclear: Option<[String; 2]>,
        /// Why the claims do not fit the node, in one line of English.
        text: String,
        /// The earlier node with the same account; then pools, requests and so on are omitted here.
        same_as: Option<String>,
    }
}

data! {
    /// Capacity charged to a claim.
    Charge {
        /// The device.
        device: String,
        /// The capacity.
        name: String,
        /// What was asked.
        asked: Option<String>,
        /// What is charged for that.
        charged: String,
        /// What is left then.
        left: String,
    }
}

data! {
    /// A pool seen from a node.
    PoolAccount {
        /// `driver/pool`.
        pool: String,
        /// `ok`, `incomplete`, `invalid` or `obsolete`.
        state: &'static str,
        /// Slices there are.
        have: usize,
        /// Slices announced.
        want: i64,
        /// Generation.
        generation: i64,
        /// Why it is invalid.
        reason: Option<String>,
        /// Slices whose devices are offered here.
        slices: Vec<String>,
        /// Slices left out.
        ignored: Vec<IgnoredSlice>,
    }
}

data! {
    /// A slice left out.
    IgnoredSlice {
        /// Its name.
        slice: String,
        /// Why.
        why: String,
    }
}

data! {
    /// A request, seen on its own.
    RequestAccount {
        /// Its claim.
        claim: String,
        /// Its name.
        request: String,
        /// The sub-request's name.
        sub: Option<String>,
        /// `ExactCount` or `All`.
        mode: String,
        /// Devices requested; with `All`, the number of existing ones.
        wanted: i64,
        /// Class.
        class: String,
        /// The extended resource that it is made for, and the container.
        #[serde(skip_serializing_if = "Option::is_none")]
        serves: Option<String>,
        /// It was the one picked.
        picked: bool,
        /// Devices left after each stage.
        funnel: Vec<Stage>,
        /// One per device.
        cells: Vec<CellAccount>,
        /// Where it stands in the claim, e.g. `spec.devices.requests[0].exactly`.
        path: String,
        /// Where it stands in the text, as far as the claim does.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<Range>,
        /// Devices before the first allocated one that would satisfy this request alone. They were given to other requests, or
        /// the rest of the claim could not be satisfied with them.
        passed_over: Vec<String>,
        /// The funnel in one line of English.
        text: String,
        /// Why devices were lost at the first stage that left too few, in one line of English.
        why: String,
    }
}

data! {
    /// A stage of a funnel.
    Stage {
        /// `node`, `pool`, `feature`, `class`, `selector`, `deviceNode`, `free`, `capacity`, `counters`, `taint` or `constraint`.
        stage: &'static str,
        /// Index of the selector.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        /// Devices left.
        left: usize,
        /// Devices lost.
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
        /// How many.
        count: usize,
        /// At most five names.
        devices: Vec<String>,
    }
}

data! {
    /// A missing value.
    Missing {
        /// What was read.
        path: String,
        /// How many of the devices asked have it.
        on: usize,
        /// How many were asked.
        of: usize,
        /// Existing names in its domain, with type and number of devices.
        published: Sorted<String, Published>,
        /// The similar names among them, otherwise the nearest one.
        near: Vec<String>,
        /// Domains that have the name.
        domains: Vec<String>,
        /// An expression that reads it without an error.
        guard: String,
    }
}

data! {
    /// A name that devices publish.
    Published {
        /// `string`, `int`, `bool`, `version`, `quantity`, or these with `[]` for lists.
        kind: &'static str,
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
        /// All further reasons.
        also: Vec<Reason>,
        /// The first reason in one line of English.
        text: String,
    }
}

/// A reason against a device, in upstream's order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "code", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Reason {
    /// A newer generation of the pool is there.
    PoolOldGeneration {
        /// The generation in use.
        newest: i64,
    },
    /// Slices of the pool are missing.
    PoolIncomplete {
        /// Slices there are.
        have: usize,
        /// Slices announced.
        want: i64,
    },
    /// The pool is at fault.
    PoolInvalid {
        /// Upstream's reason.
        reason: String,
    },
    /// The device stands beside shared counters, where devices are not offered.
    SliceWithCounters,
    /// Something the device needs is switched off.
    FeatureOff {
        /// The field that needs it.
        field: &'static str,
    },
    /// Another claim has it.
    InUse {
        /// The claims.
        claims: Vec<String>,
        /// The pods that reserve them.
        pods: Vec<String>,
    },
    /// It was chosen for another request of this attempt.
    ChosenFor {
        /// The claim.
        claim: String,
        /// The request.
        request: String,
    },
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
        /// `match` or `distinct`.
        kind: &'static str,
        /// The attribute, which the device lacks.
        attribute: String,
        /// Attributes of the device with the same name in another domain, or with nearly this name.
        near: Vec<String>,
    },
}

data! {
    /// Why a selector is not true.
    SelectorReason {
        /// Its index.
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
        /// Its name.
        name: String,
        /// `unknown-name`, `max`, `step`, `values` or `exhausted`.
        why: &'static str,
        /// What was asked.
        asked: Option<String>,
        /// What is charged for that.
        charged: Option<String>,
        /// What shares use.
        used: Option<String>,
        /// What is left.
        left: Option<String>,
        /// What there is.
        total: Option<String>,
        /// Most that a request may have.
        max: Option<String>,
        /// Claims that use it.
        holders: Vec<String>,
        /// Names there are.
        names: Vec<String>,
    }
}

data! {
    /// Why counters do not suffice.
    CounterReason {
        /// The set.
        set: String,
        /// The counter.
        counter: String,
        /// What the device needs.
        needed: String,
        /// What is left.
        available: String,
        /// What there is.
        total: String,
        /// Claims that use it, and through which device.
        holders: Vec<CounterHolder>,
    }
}

data! {
    /// A claim that uses a counter.
    CounterHolder {
        /// The device.
        device: String,
        /// The claim.
        claim: String,
        /// The pods that reserve it.
        pods: Vec<String>,
    }
}

data! {
    /// A taint that is not tolerated.
    TaintReason {
        /// Key.
        key: String,
        /// Value.
        value: String,
        /// Effect.
        effect: String,
        /// `driver`, or `rule/<name>`.
        from: String,
        /// Why each toleration does not help.
        tolerations: Vec<TolerationReason>,
        /// One that would.
        toleration: Toleration,
    }
}

data! {
    /// Why a toleration does not help.
    TolerationReason {
        /// Its index.
        index: usize,
        /// `key`, `value`, `effect` or `operator`.
        why: &'static str,
    }
}

data! {
    /// Requests that cannot be met together.
    Conflict {
        /// `number`, `match`, `distinct` or `counters`.
        kind: &'static str,
        /// The claim.
        claim: String,
        /// Index of the constraint.
        constraint: Option<usize>,
        /// Where it stands in the claim.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// Where it stands in the text.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<Range>,
        /// Its attribute.
        attribute: Option<String>,
        /// Per value, per request, the candidates that have it.
        values: Sorted<String, Sorted<String, usize>>,
        /// Candidates without the attribute.
        missing: Vec<String>,
        /// The requests concerned.
        requests: Vec<String>,
        /// Devices wanted.
        wanted: i64,
        /// Devices or values there are.
        available: usize,
        /// One line of English.
        text: String,
    }
}

data! {
    /// Who has a device.
    Holder {
        /// `driver/pool/device`.
        device: String,
        /// The claim.
        claim: String,
        /// The pods that reserve it; none: nobody does.
        pods: Vec<String>,
        /// Capacity that its share uses.
        share: Sorted<String, String>,
        /// With administrative access, which blocks nobody.
        admin: bool,
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
        edits: Vec<Edit>,
        /// One line of English.
        text: String,
    }
}

data! {
    /// A change. Exactly one of `drop`, `add`, `free` and `set` is there.
    Change {
        /// `constraint` or `selector`.
        #[serde(skip_serializing_if = "Option::is_none")]
        drop: Option<&'static str>,
        /// `toleration`.
        #[serde(skip_serializing_if = "Option::is_none")]
        add: Option<&'static str>,
        /// `claim`.
        #[serde(skip_serializing_if = "Option::is_none")]
        free: Option<&'static str>,
        /// `count`, `allocationMode` or `capacity`.
        #[serde(skip_serializing_if = "Option::is_none")]
        set: Option<&'static str>,
        /// The claim.
        claim: String,
        /// Where in it, e.g. `spec.devices.constraints[0]`.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// Where in the text; where something is added: the nearest thing that is there.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<Range>,
        /// The request.
        #[serde(skip_serializing_if = "Option::is_none")]
        request: Option<String>,
        /// Index of the constraint or selector.
        #[serde(skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        /// The toleration.
        #[serde(skip_serializing_if = "Option::is_none")]
        toleration: Option<Toleration>,
        /// Name of the capacity.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// What it is.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// What it should be.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<String>,
    }
}

data! {
    /// A finding about the input.
    Finding {
        /// Stable code.
        code: &'static str,
        /// `error`, `warning` or `info`.
        severity: &'static str,
        /// `kube-scheduler` where the message is upstream's, else `claimkit`.
        origin: &'static str,
        /// One line of English, or upstream's text.
        message: String,
        /// Kind of the object.
        kind: &'static str,
        /// Its name, with its namespace.
        object: String,
        /// Where in it.
        path: Option<String>,
    }
}
