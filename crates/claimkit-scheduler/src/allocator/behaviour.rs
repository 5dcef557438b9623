//! The differences between the allocators of the releases, as data: taken from the sources of kube-scheduler 1.31.14, 1.32.13,
//! 1.33.13, 1.34.9, 1.35.6, 1.36.3, 1.37.2, 1.38.0-beta.0 and of patches between them (`k8s.io/dynamic-resource-allocation/structured`) and verified by running them. No other
//! file depends on the release.

use super::features::{ALL, ALL_OF_37, FOUR, Feature, Features, NONE, SEVEN, SIX, SIX_OF_34};
use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::message::Words;
use claimkit_model::schema::Release;

/// The test that a pool is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// The slices seen from the node are as many as the first of them announces.
    SeenFromNode,
    /// If that is not the case, all slices of the pool's generation in the cluster are counted.
    InCluster,
}

/// The faults that are checked in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    Unchecked,
    /// Device names, of every pool.
    Names,
    /// Names, counter sets and counters, of complete pools.
    NamesAndCounters,
}

/// The place where counters are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CounterPlace {
    /// In the device's slice, anew for each candidate.
    SliceAnew,
    /// In the device's slice, by the slice's name.
    SliceByName,
    /// In the pool, by the pool's name without the driver.
    PoolByName,
    /// In the pool, by its driver and name.
    PoolById,
}

/// The effect on the search when a claim would get too many devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The limit is not checked again.
    Unchecked,
    Fails,
    /// The branch fails; if all sub-requests fail for it, earlier requests do not try further devices.
    FailsShort,
}

/// The search for requests of mode All.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllMode {
    /// 1.31: devices that are refused are left out; if the rest fails, the attempt ends with an error.
    LeavesOut,
    /// 1.32: a device that is refused ends the whole search.
    Ends,
    /// 1.33: a device that is refused fails the branch; devices chosen before are not given back.
    Keeps,
    /// 1.34 and later: like any other choice, with backtracking.
    Undone,
}

/// The way in which the claim's configuration gets into the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigStyle {
    /// 1.31: class entries once per request, without its name; claim entries once.
    ByRequest,
    /// 1.32: class entries once per class; claim entries once.
    ByClass,
    /// 1.33 to 1.36: class entries once per class; claim entries once per request they name.
    ByClassAndRequest,
    /// 1.33.5 and earlier, 1.34.0, 1.34.1: class entries once per request, without its name; claim entries once per request they name.
    ByRequestAndRequest,
    /// 1.37: class entries once per class, claim entries once; entries for all requests name none.
    Joined,
}

/// The check of a claim's number of devices before the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitCheck {
    /// The sum over all requests; Go's integers wrap around, and room for a negative number of devices cannot be made.
    Sum,
    /// The same before room was made for devices.
    SumWithoutRoom,
    PerRequest,
}

/// The capacity that mode All compares when its devices are fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllCapacity {
    Left,
    /// The whole capacity of the device.
    Whole,
}

/// The effect of an attribute that a constraint cannot compare: one that cannot be read, or a list without the feature for lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncomparableValue {
    /// The device is refused.
    Refused,
    /// The attempt ends with an error about the device.
    Fatal,
    /// The error names claim and request, too.
    FatalOfRequest,
}

/// The place where parse errors of a selector are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorPlace {
    /// 1.31, 1.32: `node selector in resource slice S: …`.
    Short,
    /// 1.33 and later: with the selector in Go's words.
    WithDump,
}

/// The behavior of one of kube-scheduler's allocators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behaviour {
    /// `single`, `stable`, `incubating` or `experimental`.
    pub allocator: &'static str,
    /// The order of pools is defined. Otherwise upstream iterates over a Go map, in any order.
    pub ordered_pools: bool,
    /// Slices of this node are walked first, and those of a pool are ordered by name.
    pub node_slices_first: bool,
    /// 1.31.14 adds a slice with a newer generation twice.
    pub newer_slice_twice: bool,
    /// Slices whose devices have binding conditions are walked last.
    pub binding_slices_last: bool,
    /// Pools whose devices have binding conditions come last.
    pub binding_pools_last: bool,
    /// Without PartitionableDevices, slices with counters are skipped.
    pub skips_counter_slices: bool,
    /// With PartitionableDevices, slices with counters are relevant on every node.
    pub counter_slices_everywhere: bool,
    /// With PartitionableDevices, devices beside counters are not offered; counters belong to the pool.
    pub counter_slices_apart: bool,
    /// When a pool is complete.
    pub completeness: Completeness,
    /// An incomplete pool still shows its devices (to faults and to mode All).
    pub incomplete_has_devices: bool,
    /// When faults are looked for.
    pub validity: Validity,
    /// Administrative access needs the feature. 1.31 grants every such request.
    pub admin_needs_feature: bool,
    /// Capacity requests are refused without ConsumableCapacity.
    pub refuses_capacity: bool,
    /// The refusal for lack of capacity names the sub-request; else its parent.
    pub capacity_names_subrequest: bool,
    /// `distinctAttribute` is known.
    pub distinct: bool,
    /// 1.34.9 compares addresses, so nothing ever collides.
    pub distinct_by_address: bool,
    /// Collecting mode All ignores the class's selectors.
    pub all_ignores_class: bool,
    /// Mode All without any device fails.
    pub empty_all_fails: bool,
    /// The search for requests of mode All.
    pub all_mode: AllMode,
    /// After the first device of mode All the index of the sub-request is lost.
    pub all_forgets_subrequest: bool,
    /// The limit of devices per claim during the search.
    pub limit: Limit,
    /// The next device of a request comes after the one before.
    pub combinations: bool,
    /// Incomplete and invalid pools are passed over; else invalid ones end the attempt when reached.
    pub passes_bad_pools: bool,
    /// Invalid pools make a failure an error of the node.
    pub invalid_pools_reported: bool,
    /// A device is allocated at most once to a claim with administrative access, and then counts as chosen.
    pub admin_counts: bool,
    /// Devices with binding conditions are left out without the feature.
    pub binding_needs_feature: bool,
    /// Devices that consume counters are refused without the feature.
    pub consumers_need_feature: bool,
    /// The place where counters are looked up.
    pub counters: CounterPlace,
    /// Devices with shares count as in use when counters are summed.
    pub shares_use_counters: bool,
    /// A second share of a device is not charged again.
    pub shares_charged_once: bool,
    /// The charge of a rejected candidate is refunded.
    pub refused_gives_back: bool,
    /// When a share is given back, its charge is refunded.
    pub share_gives_back: bool,
    /// A device that was known as shared stays so within the attempt, even after its last share is given back.
    pub share_stays_known: bool,
    /// Only NoSchedule and NoExecute taints matter; else all do.
    pub effects_matter: bool,
    /// 1.34.9 checks the capacity of the device at the request's index.
    pub capacity_of_wrong_device: bool,
    /// Tolerations are copied to results.
    pub tolerations_in_result: bool,
    /// `adminAccess` is part of results.
    pub admin_in_result: bool,
    /// The way in which configuration gets into the result.
    pub config: ConfigStyle,
    /// `bindsToNode` is followed.
    pub binds_to_node: bool,
    /// The place where parse errors of node selectors are reported.
    pub selector_error: ParseErrorPlace,
    /// Results with adminAccess count as in use (the field is not known).
    pub admin_is_in_use: bool,
    /// The search can be interrupted.
    pub interruptible: bool,
    /// The check of the number of devices before the search.
    pub limit_check: LimitCheck,
    /// Maximum number of devices of a claim that the search chooses.
    pub most_chosen: i64,
    /// Devices of mode All have no pool, so that one that consumes counters crashes the scheduler.
    pub all_loses_pool: bool,
    /// The capacity that mode All compares.
    pub all_capacity: AllCapacity,
    /// Errors of selectors name the device and give a hint.
    pub selector_errors_name_device: bool,
    /// Amounts that cannot be computed are errors, and results keep the notation of the step.
    pub capacity_errors: bool,
    /// A device of which a share is allocated that uses no capacity counts as shared.
    pub empty_shares_known: bool,
    /// Values of constraints are remembered by device, and restored when one is given back.
    pub constraints_restored: bool,
    /// Counter sets of slices of other nodes belong to the pool.
    pub counter_slices_fetched: bool,
    /// `compatibilityGroups` and `derivedAttributes` are known.
    pub knows_1_37: bool,
    /// `skipNodeOperations` is known.
    pub knows_skipped_operations: bool,
    /// A capacity's name means the same with the driver's domain and without; negative requests are errors.
    pub qualified_capacities: bool,
    /// A device with shares that allows no sharing any more is in use.
    pub former_shares_in_use: bool,
    /// A bad pool is an error of the node for mode All.
    pub bad_pools_of_node: bool,
    /// The effect of an attribute that a constraint cannot compare. Where there is one, versions are compared without build metadata.
    pub incomparable: IncomparableValue,
}

impl Behaviour {
    /// Returns how many devices mode All needs at least.
    pub fn least_of_all(&self) -> i64 {
        i64::from(self.empty_all_fails)
    }
}

/// The allocator of 1.31.14.
pub(super) const V31: Behaviour = Behaviour {
    allocator: "single",
    ordered_pools: false,
    node_slices_first: false,
    newer_slice_twice: true,
    binding_slices_last: false,
    binding_pools_last: false,
    skips_counter_slices: false,
    counter_slices_everywhere: false,
    counter_slices_apart: false,
    completeness: Completeness::SeenFromNode,
    incomplete_has_devices: true,
    validity: Validity::Unchecked,
    admin_needs_feature: false,
    refuses_capacity: false,
    capacity_names_subrequest: false,
    distinct: false,
    distinct_by_address: false,
    all_ignores_class: true,
    empty_all_fails: false,
    all_mode: AllMode::LeavesOut,
    all_forgets_subrequest: false,
    limit: Limit::Unchecked,
    combinations: false,
    passes_bad_pools: false,
    invalid_pools_reported: false,
    admin_counts: false,
    binding_needs_feature: false,
    consumers_need_feature: false,
    counters: CounterPlace::SliceAnew,
    shares_use_counters: false,
    shares_charged_once: false,
    refused_gives_back: false,
    share_gives_back: false,
    share_stays_known: false,
    effects_matter: false,
    capacity_of_wrong_device: false,
    tolerations_in_result: false,
    admin_in_result: false,
    config: ConfigStyle::ByRequest,
    binds_to_node: false,
    selector_error: ParseErrorPlace::Short,
    admin_is_in_use: true,
    interruptible: false,
    limit_check: LimitCheck::SumWithoutRoom,
    most_chosen: 32,
    all_loses_pool: false,
    all_capacity: AllCapacity::Left,
    selector_errors_name_device: false,
    capacity_errors: false,
    empty_shares_known: false,
    constraints_restored: false,
    counter_slices_fetched: false,
    knows_1_37: false,
    knows_skipped_operations: false,
    qualified_capacities: false,
    former_shares_in_use: false,
    bad_pools_of_node: false,
    incomparable: IncomparableValue::Refused,
};

/// The allocator of 1.32.13.
const V32: Behaviour = Behaviour {
    newer_slice_twice: false,
    validity: Validity::Names,
    admin_needs_feature: true,
    all_ignores_class: false,
    all_mode: AllMode::Ends,
    admin_in_result: true,
    config: ConfigStyle::ByClass,
    admin_is_in_use: false,
    ..V31
};

/// The allocator of 1.33.13.
const V33: Behaviour = Behaviour {
    skips_counter_slices: true,
    empty_all_fails: true,
    all_mode: AllMode::Keeps,
    all_forgets_subrequest: true,
    limit: Limit::Fails,
    config: ConfigStyle::ByClassAndRequest,
    selector_error: ParseErrorPlace::WithDump,
    ..V32
};

/// 1.34.9, stable and incubating.
const V34_INCUBATING: Behaviour = Behaviour {
    allocator: "incubating",
    skips_counter_slices: false,
    all_mode: AllMode::Undone,
    limit: Limit::FailsShort,
    admin_counts: true,
    binding_needs_feature: true,
    consumers_need_feature: true,
    counters: CounterPlace::SliceByName,
    interruptible: true,
    limit_check: LimitCheck::Sum,
    capacity_of_wrong_device: true,
    ..V33
};

const V34_STABLE: Behaviour = Behaviour {
    allocator: "stable",
    ..V34_INCUBATING
};

const V34_EXPERIMENTAL: Behaviour = Behaviour {
    allocator: "experimental",
    binding_slices_last: true,
    binding_pools_last: true,
    refuses_capacity: true,
    distinct: true,
    distinct_by_address: true,
    binds_to_node: true,
    ..V34_INCUBATING
};

/// The incubating allocator of 1.35.6.
const V35_INCUBATING: Behaviour = Behaviour {
    skips_counter_slices: true,
    counter_slices_everywhere: true,
    counter_slices_apart: true,
    completeness: Completeness::InCluster,
    incomplete_has_devices: false,
    validity: Validity::NamesAndCounters,
    capacity_names_subrequest: true,
    passes_bad_pools: true,
    invalid_pools_reported: true,
    counters: CounterPlace::PoolByName,
    shares_charged_once: true,
    effects_matter: true,
    capacity_of_wrong_device: false,
    tolerations_in_result: true,
    ..V34_INCUBATING
};

const V35_STABLE: Behaviour = Behaviour {
    allocator: "stable",
    skips_counter_slices: false,
    counter_slices_everywhere: false,
    counter_slices_apart: false,
    incomplete_has_devices: true,
    ..V35_INCUBATING
};

const V35_EXPERIMENTAL: Behaviour = Behaviour {
    allocator: "experimental",
    binding_slices_last: true,
    binding_pools_last: true,
    refuses_capacity: true,
    distinct: true,
    binds_to_node: true,
    ..V35_INCUBATING
};

/// The stable allocator of 1.36.3.
const V36_STABLE: Behaviour = Behaviour {
    allocator: "stable",
    all_forgets_subrequest: false,
    refused_gives_back: true,
    share_gives_back: true,
    share_stays_known: true,
    ..V35_INCUBATING
};

const V36_INCUBATING: Behaviour = Behaviour {
    allocator: "incubating",
    ordered_pools: true,
    node_slices_first: true,
    binding_pools_last: true,
    refuses_capacity: true,
    distinct: true,
    combinations: true,
    shares_use_counters: true,
    binds_to_node: true,
    ..V36_STABLE
};

const V36_EXPERIMENTAL: Behaviour = Behaviour {
    allocator: "experimental",
    ..V36_INCUBATING
};

/// The stable allocator of 1.37.2.
const V37_STABLE: Behaviour = Behaviour {
    counters: CounterPlace::PoolById,
    limit_check: LimitCheck::PerRequest,
    all_capacity: AllCapacity::Whole,
    selector_errors_name_device: true,
    capacity_errors: true,
    empty_shares_known: true,
    constraints_restored: true,
    knows_1_37: true,
    config: ConfigStyle::Joined,
    ..V36_STABLE
};

const V37_INCUBATING: Behaviour = Behaviour {
    counter_slices_everywhere: false,
    counter_slices_fetched: true,
    counters: V37_STABLE.counters,
    limit_check: V37_STABLE.limit_check,
    all_capacity: V37_STABLE.all_capacity,
    selector_errors_name_device: true,
    capacity_errors: true,
    empty_shares_known: true,
    constraints_restored: true,
    knows_1_37: true,
    config: ConfigStyle::Joined,
    ..V36_INCUBATING
};

const V37_EXPERIMENTAL: Behaviour = Behaviour {
    allocator: "experimental",
    knows_skipped_operations: true,
    ..V37_INCUBATING
};

/// The stable allocator of 1.38.0-beta.0: what was incubating in 1.37.
const V38_STABLE: Behaviour = Behaviour {
    allocator: "stable",
    incomparable: IncomparableValue::FatalOfRequest,
    knows_skipped_operations: false,
    ..V38_INCUBATING
};

const V38_INCUBATING: Behaviour = Behaviour {
    allocator: "incubating",
    qualified_capacities: true,
    former_shares_in_use: true,
    bad_pools_of_node: true,
    incomparable: IncomparableValue::Fatal,
    ..V37_EXPERIMENTAL
};

const V38_EXPERIMENTAL: Behaviour = Behaviour {
    allocator: "experimental",
    ..V38_INCUBATING
};

/// Finds counters by the pool's driver and name, from 1.36.4 on.
const fn by_id(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        counters: CounterPlace::PoolById,
        ..behaviour
    }
}

/// Checks the limit of devices at each request, from 1.34.12, 1.35.9, 1.36.5 and 1.37.1 on.
const fn per_request(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        limit_check: LimitCheck::PerRequest,
        ..behaviour
    }
}

/// Changes a behavior to that of 1.37.0.
const fn summed(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        limit_check: LimitCheck::Sum,
        ..behaviour
    }
}

/// Does not refund the charge of a rejected candidate or of a share, as in the three allocators of 1.36.0 to 1.36.2.
const fn leaking(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        refused_gives_back: false,
        share_gives_back: false,
        share_stays_known: false,
        ..behaviour
    }
}

/// Returns the behavior of 1.36.0 and 1.36.1: mode All with counters crashes the scheduler, and shares do not use counters.
const fn first_36(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        all_loses_pool: true,
        shares_use_counters: false,
        ..leaking(behaviour)
    }
}

/// Returns the behavior of 1.35.0 to 1.35.5.
const fn crashing(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        all_loses_pool: true,
        ..behaviour
    }
}

/// Returns the behavior of 1.33.0 to 1.33.5, 1.34.0 and 1.34.1.
const fn unnamed_class(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        config: ConfigStyle::ByRequestAndRequest,
        ..behaviour
    }
}

/// The allocators from a release on, in the order in which the scheduler tries them.
#[derive(Debug)]
struct Allocators {
    /// First release that has these, minor and patch.
    from: (u8, u8),
    list: &'static [(Behaviour, &'static [Feature])],
}

/// The allocators of each release, newest first.
static ALLOCATORS: &[Allocators] = &[
    Allocators {
        from: (38, 0),
        list: &[
            (V38_STABLE, SEVEN),
            (V38_INCUBATING, ALL_OF_37),
            (V38_EXPERIMENTAL, ALL_OF_37),
        ],
    },
    Allocators {
        from: (37, 1),
        list: &[
            (V37_STABLE, FOUR),
            (V37_INCUBATING, SEVEN),
            (V37_EXPERIMENTAL, ALL_OF_37),
        ],
    },
    Allocators {
        from: (37, 0),
        list: &[
            (summed(V37_STABLE), FOUR),
            (summed(V37_INCUBATING), SEVEN),
            (summed(V37_EXPERIMENTAL), ALL_OF_37),
        ],
    },
    Allocators {
        from: (36, 5),
        list: &[
            (per_request(by_id(V36_STABLE)), FOUR),
            (per_request(by_id(V36_INCUBATING)), SIX),
            (per_request(by_id(V36_EXPERIMENTAL)), ALL),
        ],
    },
    Allocators {
        from: (36, 4),
        list: &[
            (by_id(V36_STABLE), FOUR),
            (by_id(V36_INCUBATING), SIX),
            (by_id(V36_EXPERIMENTAL), ALL),
        ],
    },
    Allocators {
        from: (36, 3),
        list: &[
            (V36_STABLE, FOUR),
            (V36_INCUBATING, SIX),
            (V36_EXPERIMENTAL, ALL),
        ],
    },
    Allocators {
        from: (36, 2),
        list: &[
            (leaking(V36_STABLE), FOUR),
            (leaking(V36_INCUBATING), SIX),
            (leaking(V36_EXPERIMENTAL), ALL),
        ],
    },
    Allocators {
        from: (36, 0),
        list: &[
            (first_36(V36_STABLE), FOUR),
            (first_36(V36_INCUBATING), SIX),
            (first_36(V36_EXPERIMENTAL), ALL),
        ],
    },
    Allocators {
        from: (35, 9),
        list: &[
            (per_request(V35_STABLE), NONE),
            (per_request(V35_INCUBATING), FOUR),
            (per_request(V35_EXPERIMENTAL), SIX),
        ],
    },
    Allocators {
        from: (35, 6),
        list: &[
            (V35_STABLE, NONE),
            (V35_INCUBATING, FOUR),
            (V35_EXPERIMENTAL, SIX),
        ],
    },
    Allocators {
        from: (35, 0),
        list: &[
            (crashing(V35_STABLE), NONE),
            (crashing(V35_INCUBATING), FOUR),
            (crashing(V35_EXPERIMENTAL), SIX),
        ],
    },
    Allocators {
        from: (34, 12),
        list: &[
            (per_request(V34_STABLE), NONE),
            (per_request(V34_INCUBATING), FOUR),
            (per_request(V34_EXPERIMENTAL), SIX_OF_34),
        ],
    },
    Allocators {
        from: (34, 2),
        list: &[
            (V34_STABLE, NONE),
            (V34_INCUBATING, FOUR),
            (V34_EXPERIMENTAL, SIX_OF_34),
        ],
    },
    Allocators {
        from: (34, 0),
        list: &[
            (unnamed_class(V34_STABLE), NONE),
            (unnamed_class(V34_INCUBATING), FOUR),
            (unnamed_class(V34_EXPERIMENTAL), SIX_OF_34),
        ],
    },
    Allocators {
        from: (33, 6),
        list: &[(V33, ALL)],
    },
    Allocators {
        from: (33, 1),
        list: &[(unnamed_class(V33), ALL)],
    },
    // Up to 1.33.0 the search chose half of what the API allowed.
    Allocators {
        from: (33, 0),
        list: &[(
            Behaviour {
                most_chosen: 16,
                ..unnamed_class(V33)
            },
            ALL,
        )],
    },
    Allocators {
        from: (32, 10),
        list: &[(V32, ALL)],
    },
    Allocators {
        from: (32, 0),
        list: &[(
            Behaviour {
                config: ConfigStyle::ByRequest,
                ..V32
            },
            ALL,
        )],
    },
    Allocators {
        from: (31, 0),
        list: &[(V31, ALL)],
    },
];

fn entry(minor: u8, patch: u8) -> Option<&'static Allocators> {
    ALLOCATORS.iter().find(|entry| entry.from <= (minor, patch))
}

fn allocators(minor: u8, patch: u8) -> &'static [(Behaviour, &'static [Feature])] {
    entry(minor, patch).map_or(&[], |entry| entry.list)
}

/// Returns the first release, minor and patch, that has the allocators of this one.
pub fn since(minor: u8, patch: u8) -> Option<(u8, u8)> {
    entry(minor, patch).map(|entry| entry.from)
}

/// Returns the allocator that the scheduler of 1.`minor`.`patch` uses for these features: the first that supports all of them.
pub fn allocator(minor: u8, patch: u8, features: &Features) -> Option<&'static Behaviour> {
    let supports =
        |supported: &&[Feature]| features.iter().all(|feature| supported.contains(feature));
    allocators(minor, patch)
        .iter()
        .find(|(_, supported)| supports(supported))
        .map(|(behaviour, _)| behaviour)
}

/// Returns an allocator by name, regardless of its features; used for recorded answers.
pub fn allocator_named(minor: u8, patch: u8, name: &str) -> Option<&'static Behaviour> {
    allocators(minor, patch)
        .iter()
        .find(|(behaviour, _)| behaviour.allocator == name)
        .map(|(behaviour, _)| behaviour)
}

/// Returns the allocator that the scheduler of a release uses for these features.
///
/// # Errors
/// None supports all of them.
pub fn allocator_for(release: Release, features: &Features) -> Result<&'static Behaviour, Error> {
    allocator(release.minor, release.patch, features).ok_or_else(|| {
        let problem = Words::upstream(no_allocator(features));
        Error::new(ErrorKind::Gate, problem)
    })
}

/// Returns the error if no allocator supports the features: upstream's words, then the names of the features (upstream prints all
/// flags).
pub fn no_allocator(features: &Features) -> String {
    let names: Vec<&str> = features.iter().map(|feature| feature.name()).collect();
    format!(
        "internal error: no allocator available for feature set {}",
        names.join(", ")
    )
}
