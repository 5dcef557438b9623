//! The differences between the allocators of the releases, as data: taken from the sources of kube-scheduler 1.31.14, 1.32.13,
//! 1.33.13, 1.34.9, 1.35.6 and 1.36.3 (`k8s.io/dynamic-resource-allocation/structured`) and verified by running them. No other
//! file depends on the release.

use super::sorted::Set;

/// An allocator feature, as upstream's `structured.Features` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Administrative access.
    AdminAccess,
    /// `firstAvailable`.
    PrioritizedList,
    /// Shared counters and per-device node selection.
    PartitionableDevices,
    /// Taints.
    DeviceTaints,
    /// Binding conditions.
    DeviceBindingAndStatus,
    /// Shares and capacity requests.
    ConsumableCapacity,
    /// List values in constraints.
    ListTypeAttributes,
    /// 1.34 only: half of [`Feature::DeviceBindingAndStatus`], without effect of its own.
    DeviceBinding,
    /// 1.34 only: the other half.
    DeviceStatus,
}

/// A row of the table of features.
#[derive(Debug)]
struct Row {
    feature: Feature,
    name: &'static str,
    /// Gates that must all be on; none: nothing sets the feature.
    gates: &'static [&'static str],
    /// The only minor release that has it.
    only: Option<u8>,
}

const fn row(feature: Feature, name: &'static str, gates: &'static [&'static str]) -> Row {
    Row { feature, name, gates, only: None }
}

static FEATURES: &[Row] = &[
    row(Feature::AdminAccess, "AdminAccess", &["DRAAdminAccess"]),
    row(Feature::PrioritizedList, "PrioritizedList", &["DRAPrioritizedList"]),
    row(Feature::PartitionableDevices, "PartitionableDevices", &["DRAPartitionableDevices"]),
    row(Feature::DeviceTaints, "DeviceTaints", &["DRADeviceTaints"]),
    row(
        Feature::DeviceBindingAndStatus,
        "DeviceBindingAndStatus",
        &["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"],
    ),
    row(Feature::ConsumableCapacity, "ConsumableCapacity", &["DRAConsumableCapacity"]),
    // kube-scheduler 1.36.3 never sets this one, whatever its gate says: it hands the gate to its CEL compiler only.
    row(Feature::ListTypeAttributes, "ListTypeAttributes", &[]),
    // The second of these is on by default, so 1.34 uses its experimental allocator by default.
    Row { only: Some(34), ..row(Feature::DeviceBinding, "DeviceBinding", &["DRADeviceBindingConditions"]) },
    Row { only: Some(34), ..row(Feature::DeviceStatus, "DeviceStatus", &["DRAResourceClaimDeviceStatus"]) },
];

/// A set of allocator features.
pub type Features = Set<Feature>;

impl Feature {
    /// Reads upstream's name.
    pub fn parse(name: &str) -> Option<Self> {
        FEATURES.iter().find(|row| row.name == name).map(|row| row.feature)
    }

    /// Upstream's name.
    pub fn name(self) -> &'static str {
        FEATURES.iter().find(|row| row.feature == self).map_or("", |row| row.name)
    }
}

/// The features that a scheduler has, from the gates that are on.
pub fn features_of(minor: u8, gate: impl Fn(&str) -> bool) -> Features {
    let known = FEATURES.iter().filter(|row| !row.gates.is_empty() && row.only.is_none_or(|only| only == minor));
    known.filter(|row| row.gates.iter().all(|name| gate(name))).map(|row| row.feature).collect()
}

/// How the allocator decides that a pool is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completeness {
    /// The slices seen from the node are as many as the first of them announces.
    SeenFromNode,
    /// If that is not the case, all slices of the pool's generation in the cluster are counted.
    InCluster,
}

/// What is checked for faults in a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// Never.
    Unchecked,
    /// Device names, of every pool.
    Names,
    /// Names, counter sets and counters, of complete pools.
    NamesAndCounters,
}

/// Where counters are looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counters {
    /// In the device's slice, anew for each candidate.
    SliceAnew,
    /// In the device's slice, by the slice's name.
    SliceByName,
    /// In the pool, by the pool's name without the driver.
    PoolByName,
}

/// What happens in the search when a claim would get too many devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The limit is not checked again.
    Unchecked,
    /// That branch fails.
    Fails,
    /// That branch fails; if all sub-requests fail for it, earlier requests do not try further devices.
    FailsShort,
}

/// How mode All is searched.
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

/// How the claim's configuration gets into the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigStyle {
    /// 1.31: class entries once per request, without its name; claim entries once.
    ByRequest,
    /// 1.32: class entries once per class; claim entries once.
    ByClass,
    /// 1.33 and later: class entries once per class; claim entries once per request they name.
    ByClassAndRequest,
}

/// Where a selector's parse errors are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectorError {
    /// 1.31, 1.32: `node selector in resource slice S: …`.
    Short,
    /// 1.33 and later: with the selector in Go's words.
    WithDump,
}

/// How one allocator behaves.
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
    /// That refusal names the sub-request; else its parent.
    pub capacity_names_subrequest: bool,
    /// `distinctAttribute` is known.
    pub distinct: bool,
    /// 1.34.9 compares addresses, so nothing ever collides.
    pub distinct_by_address: bool,
    /// Collecting mode All ignores the class's selectors.
    pub all_ignores_class: bool,
    /// Mode All without any device fails.
    pub empty_all_fails: bool,
    /// How mode All is searched.
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
    /// Where counters are looked up.
    pub counters: Counters,
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
    /// How configuration gets into the result.
    pub config: ConfigStyle,
    /// `bindsToNode` is followed.
    pub binds_to_node: bool,
    /// How parse errors of node selectors are reported.
    pub selector_error: SelectorError,
    /// Results with adminAccess count as in use (the field is not known).
    pub admin_is_in_use: bool,
    /// The search can be interrupted.
    pub interruptible: bool,
}

impl Behaviour {
    /// How many devices mode All needs at least.
    pub fn least_of_all(&self) -> i64 {
        i64::from(self.empty_all_fails)
    }
}

/// 1.31.14.
const V31: Behaviour = Behaviour {
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
    counters: Counters::SliceAnew,
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
    selector_error: SelectorError::Short,
    admin_is_in_use: true,
    interruptible: false,
};

/// 1.32.13.
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

/// 1.33.13.
const V33: Behaviour = Behaviour {
    skips_counter_slices: true,
    empty_all_fails: true,
    all_mode: AllMode::Keeps,
    all_forgets_subrequest: true,
    limit: Limit::Fails,
    config: ConfigStyle::ByClassAndRequest,
    selector_error: SelectorError::WithDump,
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
    counters: Counters::SliceByName,
    interruptible: true,
    capacity_of_wrong_device: true,
    ..V33
};

const V34_STABLE: Behaviour = Behaviour { allocator: "stable", ..V34_INCUBATING };

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

/// 1.35.6, incubating.
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
    counters: Counters::PoolByName,
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

/// 1.36.3.
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

const V36_EXPERIMENTAL: Behaviour = Behaviour { allocator: "experimental", ..V36_INCUBATING };

/// Does not refund the charge of a rejected candidate, as in the three allocators of 1.36.0 to 1.36.2.
const fn leaking(behaviour: Behaviour) -> Behaviour {
    Behaviour { refused_gives_back: false, ..behaviour }
}

use Feature::{
    AdminAccess, ConsumableCapacity, DeviceBinding, DeviceBindingAndStatus, DeviceStatus, DeviceTaints, ListTypeAttributes,
    PartitionableDevices, PrioritizedList,
};

const NONE: &[Feature] = &[];
const FOUR: &[Feature] = &[AdminAccess, PrioritizedList, PartitionableDevices, DeviceTaints];
const SIX: &[Feature] =
    &[AdminAccess, PrioritizedList, PartitionableDevices, DeviceTaints, DeviceBindingAndStatus, ConsumableCapacity];
const SIX_OF_34: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    ConsumableCapacity,
    DeviceBinding,
    DeviceStatus,
];
const ALL: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    ConsumableCapacity,
    ListTypeAttributes,
];

/// The allocators from a release on, in the order in which the scheduler tries them.
#[derive(Debug)]
struct Allocators {
    /// First release that has these, minor and patch.
    from: (u8, u8),
    list: &'static [(Behaviour, &'static [Feature])],
}

/// Newest first.
static ALLOCATORS: &[Allocators] = &[
    Allocators { from: (36, 3), list: &[(V36_STABLE, FOUR), (V36_INCUBATING, SIX), (V36_EXPERIMENTAL, ALL)] },
    Allocators {
        from: (36, 0),
        list: &[(leaking(V36_STABLE), FOUR), (leaking(V36_INCUBATING), SIX), (leaking(V36_EXPERIMENTAL), ALL)],
    },
    Allocators { from: (35, 0), list: &[(V35_STABLE, NONE), (V35_INCUBATING, FOUR), (V35_EXPERIMENTAL, SIX)] },
    Allocators { from: (34, 0), list: &[(V34_STABLE, NONE), (V34_INCUBATING, FOUR), (V34_EXPERIMENTAL, SIX_OF_34)] },
    Allocators { from: (33, 0), list: &[(V33, ALL)] },
    Allocators { from: (32, 0), list: &[(V32, ALL)] },
    Allocators { from: (31, 0), list: &[(V31, ALL)] },
];

fn allocators(minor: u8, patch: u8) -> &'static [(Behaviour, &'static [Feature])] {
    let found = ALLOCATORS.iter().find(|entry| entry.from <= (minor, patch));
    found.map_or(&[], |entry| entry.list)
}

/// The allocator that the scheduler of 1.`minor`.`patch` uses for these features: the first that supports all of them.
pub fn allocator(minor: u8, patch: u8, features: &Features) -> Option<&'static Behaviour> {
    let supports = |supported: &&[Feature]| features.iter().all(|feature| supported.contains(feature));
    allocators(minor, patch).iter().find(|(_, supported)| supports(supported)).map(|(behaviour, _)| behaviour)
}

/// An allocator by name, regardless of its features; used for recorded answers.
pub fn allocator_named(minor: u8, patch: u8, name: &str) -> Option<&'static Behaviour> {
    allocators(minor, patch).iter().find(|(behaviour, _)| behaviour.allocator == name).map(|(behaviour, _)| behaviour)
}

/// The error if no allocator supports the features: upstream's words, then the names of the features (upstream prints all flags).
pub fn no_allocator(features: &Features) -> String {
    let names: Vec<&str> = features.iter().map(|feature| feature.name()).collect();
    format!("internal error: no allocator available for feature set {}", names.join(", "))
}
