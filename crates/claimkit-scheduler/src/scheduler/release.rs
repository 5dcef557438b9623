//! What differs between the schedulers of the releases: read in `pkg/scheduler` of 1.30.14, 1.33.13, 1.34.4, 1.35.4, 1.36.3 and
//! 1.37.2, and 1.38.0-beta.0; 1.37.2 and 1.38.0-beta.0 were run.

use claimkit_model::schema::Release;

/// The differences between releases. No other file of the simulation compares version numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseRules {
    /// First minor release with these rules.
    from_minor: u8,
    /// The reason about an untolerated taint names the taint.
    pub taint_named: bool,
    /// A request that exceeds all that the node has cannot be helped by preemption.
    pub too_large_is_final: bool,
    /// The plugin for devices says so if it has nothing to give back.
    pub nothing_freed: Option<NothingFreed>,
    /// The plugin for devices is asked after the failure of a pod without claims, too.
    pub asks_all: bool,
    /// A successful preemption is reported.
    pub preemption_reported: bool,
    /// The balance of a node is scored against the balance without the pod.
    pub balance_compared: bool,
    /// Pods that request nothing are not scored by balance.
    pub balance_skips_empty: bool,
    /// Preferred alternatives for devices are scored.
    pub devices_scored: bool,
    /// Resources of the pod as a whole count.
    pub pod_level_resources: bool,
    /// Maximum number of consumers of a claim.
    pub most_consumers: usize,
    /// An allocation without a timestamp cannot be changed any more, so nobody is added to its consumers.
    pub needs_timestamp: bool,
    /// A pod that is held back holds back its whole group.
    pub groups_held_back: bool,
    /// The priority of a group decides on its place in the queue, not that of its pods.
    pub groups_have_priority: bool,
    /// A group preempts nobody if one of its pods is not to, and gives claims back that keep it from nodes.
    pub group_policy_counts: bool,
    /// The reasons of the plugins for volumes.
    pub volume_words: VolumeWords,
    /// Volumes that are still attached to a node count against its limits.
    pub attachments_counted: bool,
    /// A driver may demand that pods with its volumes only run where it is installed (gate VolumeLimitScaling).
    pub drivers_required: bool,
    /// Nodes are scored by the storage that is left (gate StorageCapacityScoring).
    pub storage_scored: bool,
    /// A constraint on spread whose selector is empty counts all pods; before it counted none.
    pub empty_selectors_count: bool,
    /// A group without a minimum needs one pod, its message counts the pods that find no node, and a message to its pods names it.
    pub groups_are_named: bool,
}

/// The reasons of the plugins for volumes that differ between releases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VolumeWords {
    /// The node cannot use a volume.
    pub node_affinity: &'static str,
    /// Another pod uses a volume that is for one pod at a time.
    pub in_use: &'static str,
}

/// The messages of the plugin for devices after a failure that it cannot help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NothingFreed {
    /// To a pod without claims; `None`: it says nothing.
    pub no_claims: Option<&'static str>,
    /// To a pod with claims.
    pub claims: &'static str,
}

const V30: ReleaseRules = ReleaseRules {
    from_minor: 30,
    taint_named: true,
    too_large_is_final: false,
    nothing_freed: Some(NothingFreed {
        no_claims: Some("no new claims to deallocate"),
        claims: "still not schedulable",
    }),
    asks_all: true,
    preemption_reported: false,
    balance_compared: false,
    balance_skips_empty: false,
    devices_scored: false,
    pod_level_resources: false,
    most_consumers: 32,
    needs_timestamp: false,
    volume_words: VolumeWords {
        node_affinity: "node(s) had volume node affinity conflict",
        in_use: "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
    },
    groups_held_back: false,
    groups_have_priority: false,
    group_policy_counts: false,
    attachments_counted: false,
    drivers_required: false,
    storage_scored: false,
    empty_selectors_count: false,
    groups_are_named: false,
};
const V32: ReleaseRules = ReleaseRules {
    from_minor: 32,
    most_consumers: 256,
    nothing_freed: Some(NothingFreed {
        no_claims: None,
        claims: "still not schedulable",
    }),
    asks_all: false,
    ..V30
};
const V33: ReleaseRules = ReleaseRules {
    from_minor: 33,
    balance_skips_empty: true,
    volume_words: VolumeWords {
        node_affinity: "node(s) didn't match PersistentVolume's node affinity",
        ..V32.volume_words
    },
    attachments_counted: true,
    ..V32
};
const V34: ReleaseRules = ReleaseRules {
    from_minor: 34,
    taint_named: false,
    too_large_is_final: true,
    pod_level_resources: true,
    nothing_freed: V30.nothing_freed,
    asks_all: true,
    volume_words: VolumeWords {
        in_use: "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
        ..V33.volume_words
    },
    ..V33
};
const V35: ReleaseRules = ReleaseRules {
    from_minor: 35,
    devices_scored: true,
    ..V34
};
const V36: ReleaseRules = ReleaseRules {
    from_minor: 36,
    balance_compared: true,
    needs_timestamp: true,
    ..V35
};
const V37: ReleaseRules = ReleaseRules {
    from_minor: 37,
    nothing_freed: None,
    preemption_reported: true,
    groups_held_back: true,
    groups_have_priority: true,
    group_policy_counts: true,
    drivers_required: true,
    storage_scored: true,
    ..V36
};

const V38: ReleaseRules = ReleaseRules {
    from_minor: 38,
    empty_selectors_count: true,
    groups_are_named: true,
    ..V37
};

static RULES: &[ReleaseRules] = &[V38, V37, V36, V35, V34, V33, V32, V30];

impl ReleaseRules {
    /// Returns the rules of a release.
    pub fn of(release: Release) -> &'static Self {
        RULES
            .iter()
            .find(|rules| rules.from_minor <= release.minor)
            .unwrap_or(&V30)
    }
}
