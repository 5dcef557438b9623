//! The words of accounts: verdicts, stages, states and kinds, each an enum whose values have names in answers.

use claimkit_model::finding::named;

named! {
    /// An extension point of the scheduler that comes before any node.
    BeforeNodes {
        /// Before the pod is put into the queue.
        PreEnqueue = "preEnqueue",
        /// Before nodes are filtered.
        PreFilter = "preFilter",
    }
}

named! {
    /// The kind of an object that a pod waits for and that is not there.
    Absent {
        /// A claim that the pod names.
        Claim = "ResourceClaim",
        /// A template that the pod names.
        Template = "ResourceClaimTemplate",
        /// A class that a claim names.
        Class = "DeviceClass",
        /// The group of the pod.
        Group = "PodGroup",
    }
}

impl Absent {
    /// Returns the plural, as kubectl takes it.
    pub fn plural(self) -> &'static str {
        match self {
            Absent::Claim => "resourceclaims",
            Absent::Template => "resourceclaimtemplates",
            Absent::Class => "deviceclasses",
            Absent::Group => "podgroups",
        }
    }
}

named! {
    /// The outcome for the claims on a node.
    #[derive(Default)]
    NodeVerdict {
        /// They get their devices.
        Allocated = "allocated",
        /// It has the devices, but another plugin of the scheduler refuses it.
        Refused = "refused",
        /// The node does not have the devices.
        None = "none",
        /// An error ends the attempt for all nodes.
        Error = "error",
        /// An error concerns this node alone.
        NodeError = "node-error",
        /// The node cannot be used for another reason.
        #[default]
        Unavailable = "unavailable",
        /// The search was too long.
        Undecided = "undecided",
    }
}

named! {
    /// The condition of a pool.
    #[derive(Default)]
    PoolState {
        /// All of it is there.
        #[default]
        Ok = "ok",
        Incomplete = "incomplete",
        /// It is at fault.
        Invalid = "invalid",
        /// A newer generation is elsewhere.
        Obsolete = "obsolete",
    }
}

named! {
    /// A stage that devices must pass, in the order of a funnel.
    #[derive(Default)]
    StageKind {
        /// They are on the node.
        #[default]
        Node = "node",
        /// Their pools can be used.
        Pool = "pool",
        /// They need no feature that is off.
        Feature = "feature",
        /// The selectors of the class.
        Class = "class",
        /// A selector of the request.
        Selector = "selector",
        /// The devices' own node selection.
        DeviceNode = "deviceNode",
        /// Nobody else has them.
        Free = "free",
        /// They have enough capacity.
        Capacity = "capacity",
        /// Their pools have enough counters.
        Counters = "counters",
        /// Their taints are tolerated.
        Taint = "taint",
        /// They have the attributes of the constraints.
        Constraint = "constraint",
    }
}

named! {
    /// The type of a value that devices publish.
    #[derive(Default)]
    ValueKind {
        #[default]
        String = "string",
        Int = "int",
        Bool = "bool",
        Version = "version",
        Quantity = "quantity",
        /// A list of strings.
        Strings = "string[]",
        /// A list of integers.
        Ints = "int[]",
        /// A list of booleans.
        Bools = "bool[]",
        /// A list of semantic versions.
        Versions = "version[]",
    }
}

named! {
    /// A field of slices that needs a feature.
    FeatureField {
        /// Needs DRADeviceBindingConditions and DRAResourceClaimDeviceStatus.
        BindingConditions = "bindingConditions",
        ConsumesCounters = "consumesCounters",
        OfSlice = "sharedCounters or perDeviceNodeSelection",
    }
}

named! {
    /// The fault of a capacity.
    #[derive(Default)]
    CapacityFault {
        /// The device has none of the name.
        UnknownName = "unknown-name",
        /// It is more than one request may have.
        Max = "max",
        /// It is between two steps.
        Step = "step",
        /// It is not one of the valid values.
        Values = "values",
        /// Too little is left.
        #[default]
        Exhausted = "exhausted",
    }
}

named! {
    /// The kind of a shortage.
    #[derive(Default)]
    ConflictKind {
        /// Devices: there are too few.
        #[default]
        Number = "number",
        /// Devices with equal values.
        Match = "match",
        /// Devices with different values.
        Distinct = "distinct",
        Counters = "counters",
        /// Capacity of shared devices.
        Capacity = "capacity",
    }
}

named! {
    /// The part that is left out.
    Dropped {
        Constraint = "constraint",
        Selector = "selector",
        Capacity = "capacity",
    }
}

named! {
    /// The part that is added.
    Added {
        Toleration = "toleration",
    }
}

named! {
    /// The object that is freed.
    Freed {
        /// The devices of a claim.
        Claim = "claim",
    }
}

named! {
    /// A field with another value.
    SetField {
        /// `count`
        Count = "count",
        /// `allocationMode`
        AllocationMode = "allocationMode",
        /// An amount of `capacity.requests`.
        Capacity = "capacity",
        /// A name in `capacity.requests`.
        CapacityName = "capacityName",
        /// The expression of a selector.
        Selector = "selector",
    }
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    Drop(Dropped),
    Add(Added),
    Free(Freed),
    /// Give a field another value.
    Set(SetField),
}
