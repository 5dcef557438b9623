//! The features of an allocator and the gates that switch them on (kube-scheduler, `plugins/dynamicresources`, `AllocatorFeatures`;
//! `k8s.io/dynamic-resource-allocation/structured`, `Features`).

use super::sorted::Set;

/// An allocator feature, as upstream's `structured.Features` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    AdminAccess,
    /// `firstAvailable`.
    PrioritizedList,
    /// Shared counters and per-device node selection.
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    /// Shares and capacity requests.
    ConsumableCapacity,
    /// List values in constraints.
    ListTypeAttributes,
    /// Ranges of capacity in thousandths.
    FractionalCapacityRange,
    /// Slices whose devices need nothing done on the node.
    OptionalNodeOperations,
    /// Attributes that requests compute.
    DerivedAttributes,
    /// Groups of devices that can use a counter set together.
    CompatibilityGroups,
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
    /// Gates that must all be on.
    gates: &'static [&'static str],
    /// The only minor release that has it.
    only: Option<u8>,
    /// The first minor release that has it.
    since: u8,
}

const fn row(feature: Feature, name: &'static str, gates: &'static [&'static str]) -> Row {
    Row {
        feature,
        name,
        gates,
        only: None,
        since: 0,
    }
}

static FEATURES: &[Row] = &[
    row(Feature::AdminAccess, "AdminAccess", &["DRAAdminAccess"]),
    row(
        Feature::PrioritizedList,
        "PrioritizedList",
        &["DRAPrioritizedList"],
    ),
    row(
        Feature::PartitionableDevices,
        "PartitionableDevices",
        &["DRAPartitionableDevices"],
    ),
    row(Feature::DeviceTaints, "DeviceTaints", &["DRADeviceTaints"]),
    row(
        Feature::DeviceBindingAndStatus,
        "DeviceBindingAndStatus",
        &["DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"],
    ),
    row(
        Feature::ConsumableCapacity,
        "ConsumableCapacity",
        &["DRAConsumableCapacity"],
    ),
    // kube-scheduler 1.36 never sets this one, whatever its gate says: it hands the gate to its CEL compiler only.
    Row {
        since: 37,
        ..row(
            Feature::ListTypeAttributes,
            "ListTypeAttributes",
            &["DRAListTypeAttributes"],
        )
    },
    Row {
        since: 37,
        ..row(
            Feature::FractionalCapacityRange,
            "FractionalCapacityRange",
            &["DRAFractionalCapacityRange"],
        )
    },
    Row {
        since: 37,
        ..row(
            Feature::OptionalNodeOperations,
            "OptionalNodeOperations",
            &["DRAOptionalNodeOperations"],
        )
    },
    Row {
        since: 37,
        ..row(
            Feature::DerivedAttributes,
            "DerivedAttributes",
            &["DRADerivedAttributes"],
        )
    },
    Row {
        since: 37,
        ..row(
            Feature::CompatibilityGroups,
            "CompatibilityGroups",
            &["DRADeviceCompatibilityGroups"],
        )
    },
    // The second of these is on by default, so 1.34 uses its experimental allocator by default.
    Row {
        only: Some(34),
        ..row(
            Feature::DeviceBinding,
            "DeviceBinding",
            &["DRADeviceBindingConditions"],
        )
    },
    Row {
        only: Some(34),
        ..row(
            Feature::DeviceStatus,
            "DeviceStatus",
            &["DRAResourceClaimDeviceStatus"],
        )
    },
];

/// A set of allocator features.
pub type Features = Set<Feature>;

impl Feature {
    /// Reads upstream's name.
    pub fn parse(name: &str) -> Option<Self> {
        FEATURES
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.feature)
    }

    /// Returns upstream's name of the feature.
    pub fn name(self) -> &'static str {
        FEATURES
            .iter()
            .find(|row| row.feature == self)
            .map_or("", |row| row.name)
    }
}

/// Returns the features that a scheduler has, from the gates that are on.
pub fn features_of(minor: u8, gate: impl Fn(&str) -> bool) -> Features {
    let known = FEATURES
        .iter()
        .filter(|row| row.since <= minor && row.only.is_none_or(|only| only == minor));
    known
        .filter(|row| row.gates.iter().all(|name| gate(name)))
        .map(|row| row.feature)
        .collect()
}

use Feature::{
    AdminAccess, CompatibilityGroups, ConsumableCapacity, DerivedAttributes, DeviceBinding,
    DeviceBindingAndStatus, DeviceStatus, DeviceTaints, FractionalCapacityRange,
    ListTypeAttributes, OptionalNodeOperations, PartitionableDevices, PrioritizedList,
};

/// The features of the stable allocator of 1.34 and 1.35.
pub const NONE: &[Feature] = &[];
/// The features of the stable allocator since 1.36, and of the incubating one of 1.34 and 1.35.
pub const FOUR: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
];
/// The features of the incubating allocator of 1.36, and of the experimental one of 1.35.
pub const SIX: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    ConsumableCapacity,
];
/// The features of the experimental allocator of 1.34, which names the halves of binding and status, too.
pub const SIX_OF_34: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    ConsumableCapacity,
    DeviceBinding,
    DeviceStatus,
];
/// The features of the experimental allocator of 1.36, and of the only one up to 1.33.
pub const ALL: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    ConsumableCapacity,
    ListTypeAttributes,
];

/// The features of the incubating allocator of 1.37, and of the stable one of 1.38.
pub const SEVEN: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    ConsumableCapacity,
    FractionalCapacityRange,
];
/// The features of the experimental allocator of 1.37, and of the incubating one of 1.38.
pub const ALL_OF_37: &[Feature] = &[
    AdminAccess,
    PrioritizedList,
    PartitionableDevices,
    DeviceTaints,
    DeviceBindingAndStatus,
    ConsumableCapacity,
    FractionalCapacityRange,
    ListTypeAttributes,
    OptionalNodeOperations,
    DerivedAttributes,
    CompatibilityGroups,
];
