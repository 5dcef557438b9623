//! Feature gates: which releases have them, their defaults, and whether they are locked.
//!
//! Source: `pkg/features/kube_features.go` of each release, read from the running components.

use crate::message::{Message, message};
use crate::schema::Release;
use crate::schema::other_gates::is_of_other_part;

macro_rules! gates {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// A feature gate of kube-apiserver or kube-scheduler that concerns these kinds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Gate { $($(#[$doc])+ $name,)+ }

        impl Gate {
            /// All gates, in the order of this list.
            pub const ALL: &[Gate] = &[$(Gate::$name,)+];

            /// Returns its name, e.g. `DRAAdminAccess`.
            pub fn name(self) -> &'static str {
                match self { $(Gate::$name => stringify!($name),)+ }
            }
        }
    };
}

gates! {
    /// `adminAccess` of requests and results.
    DRAAdminAccess,
    /// Devices that several claims share, by capacity.
    DRAConsumableCapacity,
    /// The control plane controllers of 1.31.
    DRAControlPlaneController,
    /// `derivedAttributes` of requests.
    DRADerivedAttributes,
    /// Conditions that a device must reach before a pod is bound.
    DRADeviceBindingConditions,
    /// `compatibilityGroups` of consumed counters.
    DRADeviceCompatibilityGroups,
    /// kube-scheduler and the taint controller act on DeviceTaintRules.
    DRADeviceTaintRules,
    /// Taints of devices and tolerations of requests.
    DRADeviceTaints,
    /// Extended resources served by a DeviceClass.
    DRAExtendedResource,
    /// Request policies with fractions.
    DRAFractionalCapacityRange,
    /// Attributes with several values.
    DRAListTypeAttributes,
    /// Devices that take from a node's allocatable resources.
    DRANodeAllocatableResources,
    /// `skipNodeOperations` of slices and allocation results.
    DRAOptionalNodeOperations,
    /// Devices that share counters, and node selection per device.
    DRAPartitionableDevices,
    /// `partitionTypeAttribute` of slices.
    DRAPartitionableDevicesType,
    /// `firstAvailable` of requests.
    DRAPrioritizedList,
    /// `status.devices` of claims.
    DRAResourceClaimDeviceStatus,
    /// Permissions for single fields of a claim's status.
    DRAResourceClaimGranularStatusAuthorization,
    /// kube-controller-manager answers requests of the kind ResourcePoolStatusRequest.
    DRAResourcePoolStatus,
    /// kube-scheduler stops a search for devices after ten seconds.
    DRASchedulerFilterTimeout,
    /// Claims of whole workloads.
    DRAWorkloadResourceClaims,
    /// Generated validation beside the hand-written one.
    DeclarativeValidation,
    /// Generated validation of beta rules.
    DeclarativeValidationBeta,
    /// Generated validation in place of the hand-written one.
    DeclarativeValidationTakeover,
    /// Dynamic resource allocation as a whole.
    DynamicResourceAllocation,
    /// Pods of a group start together, in numbers that the group sets; from 1.37 on, GenericWorkload does so alone.
    GangScheduling,
    /// Workloads and groups of pods.
    GenericWorkload,
    /// Only canonical IP addresses and CIDRs.
    StrictIPCIDRValidation,
}

/// The maturity of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Alpha,
    Beta,
    /// Stable or deprecated: `AllAlpha` and `AllBeta` leave it alone.
    Other,
}

/// The state of a gate in a release, or its absence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GateState {
    Known(Setting, Stage),
    /// The release does not know the gate, and not what it switched.
    Gone,
    /// The release does not know the gate: what it switched is always on.
    AlwaysOn,
}

/// The state of a gate in a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Off, may be switched on.
    Off,
    /// On, may be switched off.
    On,
    /// Locked on: it cannot be turned off.
    Locked,
    /// Locked off: it cannot be turned on.
    LockedOff,
}

const ALPHA: GateState = GateState::Known(Setting::Off, Stage::Alpha);
const BETA: GateState = GateState::Known(Setting::On, Stage::Beta);
const BETA_OFF: GateState = GateState::Known(Setting::Off, Stage::Beta);
const STABLE: GateState = GateState::Known(Setting::On, Stage::Other);
const DEPRECATED: GateState = GateState::Known(Setting::Off, Stage::Other);
const LOCKED: GateState = GateState::Known(Setting::Locked, Stage::Other);
const LOCKED_OFF: GateState = GateState::Known(Setting::LockedOff, Stage::Other);
const GONE: GateState = GateState::Gone;
const ALWAYS_ON: GateState = GateState::AlwaysOn;

/// Gate, first minor release, and the gate's state from there on (kubernetes, `pkg/features/kube_features.go`). The rows of a gate are
/// grouped, oldest first.
const DEFAULTS: &[(Gate, u8, GateState)] = &[
    (Gate::DRAAdminAccess, 32, ALPHA),
    (Gate::DRAAdminAccess, 34, BETA),
    (Gate::DRAAdminAccess, 36, LOCKED),
    (Gate::DRAConsumableCapacity, 34, ALPHA),
    (Gate::DRAConsumableCapacity, 36, BETA),
    (Gate::DRAConsumableCapacity, 38, STABLE),
    (Gate::DRAControlPlaneController, 31, ALPHA),
    (Gate::DRAControlPlaneController, 32, GONE),
    (Gate::DRADerivedAttributes, 37, ALPHA),
    (Gate::DRADeviceBindingConditions, 34, ALPHA),
    (Gate::DRADeviceBindingConditions, 36, BETA),
    (Gate::DRADeviceBindingConditions, 38, LOCKED),
    (Gate::DRADeviceCompatibilityGroups, 37, ALPHA),
    (Gate::DRADeviceTaintRules, 35, ALPHA),
    (Gate::DRADeviceTaintRules, 36, BETA_OFF),
    (Gate::DRADeviceTaintRules, 37, STABLE),
    (Gate::DRADeviceTaintRules, 38, LOCKED),
    (Gate::DRADeviceTaints, 33, ALPHA),
    (Gate::DRADeviceTaints, 36, BETA),
    (Gate::DRADeviceTaints, 37, STABLE),
    (Gate::DRADeviceTaints, 38, LOCKED),
    (Gate::DRAExtendedResource, 34, ALPHA),
    (Gate::DRAExtendedResource, 36, BETA),
    (Gate::DRAExtendedResource, 37, LOCKED),
    (Gate::DRAFractionalCapacityRange, 37, BETA_OFF),
    (Gate::DRAFractionalCapacityRange, 38, STABLE),
    (Gate::DRAListTypeAttributes, 36, ALPHA),
    (Gate::DRANodeAllocatableResources, 36, ALPHA),
    (Gate::DRAOptionalNodeOperations, 37, ALPHA),
    (Gate::DRAPartitionableDevices, 33, ALPHA),
    (Gate::DRAPartitionableDevices, 36, BETA),
    (Gate::DRAPartitionableDevices, 38, LOCKED),
    (Gate::DRAPartitionableDevicesType, 37, ALPHA),
    (Gate::DRAPrioritizedList, 33, ALPHA),
    (Gate::DRAPrioritizedList, 34, BETA),
    (Gate::DRAPrioritizedList, 36, STABLE),
    (Gate::DRAPrioritizedList, 37, LOCKED),
    (Gate::DRAResourceClaimDeviceStatus, 32, ALPHA),
    (Gate::DRAResourceClaimDeviceStatus, 33, BETA),
    (Gate::DRAResourceClaimDeviceStatus, 37, LOCKED),
    (Gate::DRAResourceClaimGranularStatusAuthorization, 36, BETA),
    (Gate::DRAResourcePoolStatus, 36, ALPHA),
    (Gate::DRASchedulerFilterTimeout, 34, BETA),
    (Gate::DRAWorkloadResourceClaims, 36, ALPHA),
    (Gate::DRAWorkloadResourceClaims, 37, BETA_OFF),
    (Gate::DeclarativeValidation, 33, BETA),
    (Gate::DeclarativeValidation, 36, LOCKED),
    (Gate::DeclarativeValidationBeta, 36, BETA),
    (Gate::DeclarativeValidationTakeover, 33, BETA_OFF),
    (Gate::DeclarativeValidationTakeover, 36, DEPRECATED),
    (Gate::DeclarativeValidationTakeover, 37, LOCKED_OFF),
    // The API serves and validates objects in the same way with this gate off; only pods lose their claims. Users of these
    // objects have it on.
    (Gate::DynamicResourceAllocation, 26, STABLE),
    (Gate::DynamicResourceAllocation, 35, LOCKED),
    (Gate::DynamicResourceAllocation, 38, ALWAYS_ON),
    (Gate::GangScheduling, 35, ALPHA),
    (Gate::GangScheduling, 37, GONE),
    (Gate::GenericWorkload, 35, ALPHA),
    (Gate::GenericWorkload, 37, BETA_OFF),
    (Gate::StrictIPCIDRValidation, 33, ALPHA),
    (Gate::StrictIPCIDRValidation, 36, BETA),
    (Gate::StrictIPCIDRValidation, 38, LOCKED),
];

/// The gates that stand for all gates of a stage (component-base, `featuregate`, `setUnsetAlphaGates`).
const WHOLE_STAGES: [(&str, Stage); 2] = [("AllAlpha", Stage::Alpha), ("AllBeta", Stage::Beta)];

/// Returns the stage whose gates a name stands for.
fn whole_stage(name: &str) -> Option<Stage> {
    let known = WHOLE_STAGES.iter().find(|(known, _)| *known == name);
    known.map(|(_, stage)| *stage)
}

/// Gate, required gate, and the minor release since which it is required.
const NEEDS: &[(Gate, Gate, u8)] = &[
    (
        Gate::DRADeviceBindingConditions,
        Gate::DRAResourceClaimDeviceStatus,
        35,
    ),
    (Gate::DRADeviceTaintRules, Gate::DRADeviceTaints, 35),
    (
        Gate::DRAResourceClaimGranularStatusAuthorization,
        Gate::DRAResourceClaimDeviceStatus,
        36,
    ),
    (
        Gate::DRADeviceCompatibilityGroups,
        Gate::DRAPartitionableDevices,
        37,
    ),
    (
        Gate::DRAFractionalCapacityRange,
        Gate::DRAConsumableCapacity,
        37,
    ),
    (
        Gate::DRAPartitionableDevicesType,
        Gate::DRAPartitionableDevices,
        37,
    ),
    (
        Gate::DRAPartitionableDevicesType,
        Gate::DRAResourcePoolStatus,
        37,
    ),
    (Gate::DRAWorkloadResourceClaims, Gate::GenericWorkload, 36),
    (Gate::GangScheduling, Gate::GenericWorkload, 35),
];

impl Gate {
    /// Returns the gate's default and stage in a release; `None` if the release does not have the gate.
    fn known_in(self, release: Release) -> Option<(Setting, Stage)> {
        let known = DEFAULTS
            .iter()
            .rev()
            .find(|(gate, first, _)| *gate == self && *first <= release.minor);
        known.and_then(|(.., state)| match state {
            GateState::Known(setting, stage) => Some((*setting, *stage)),
            GateState::Gone | GateState::AlwaysOn => None,
        })
    }

    /// Returns the gate's default in a release; `None` if the release does not have the gate.
    pub fn default_in(self, release: Release) -> Option<Setting> {
        self.known_in(release).map(|(setting, _)| setting)
    }

    /// Returns the gate's stage in a release; `None` if the release does not have the gate.
    fn stage_in(self, release: Release) -> Option<Stage> {
        self.known_in(release).map(|(_, stage)| stage)
    }

    /// Returns the gate with a name.
    pub fn named(name: &str) -> Option<Gate> {
        let mut gates = Gate::ALL.iter().copied();
        gates.find(|gate| gate.name() == name)
    }

    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

/// The set of gates that are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates(u64);

impl Gates {
    /// Returns the defaults of a release.
    pub fn defaults(release: Release) -> Self {
        let since = DEFAULTS
            .iter()
            .filter(|(_, first, _)| *first <= release.minor);
        since.fold(Gates(0), |gates, (gate, _, state)| {
            gates.set(
                *gate,
                matches!(
                    state,
                    GateState::Known(Setting::On | Setting::Locked, _) | GateState::AlwaysOn
                ),
            )
        })
    }

    /// Returns the defaults of a release with some gates set. `AllAlpha` and `AllBeta` set the gates of a stage that are not set
    /// themselves.
    ///
    /// # Errors
    /// One sentence that names the gate: unknown to the release, locked to the other value, or without one it needs.
    pub fn with<'n>(
        release: Release,
        set: impl IntoIterator<Item = (&'n str, bool)>,
    ) -> Result<Self, Message> {
        let set: Vec<(&str, bool)> = set.into_iter().collect();
        let mut gates = Gates::defaults(release);
        for (name, on) in &set {
            let Some(stage) = whole_stage(name) else {
                continue;
            };
            for gate in Gate::ALL {
                if gate.stage_in(release) == Some(stage) {
                    gates = gates.set(*gate, *on);
                }
            }
        }
        for (name, on) in set {
            if whole_stage(name).is_some() {
                continue;
            }
            let gate = Gate::named(name).filter(|gate| gate.default_in(release).is_some());
            let Some(gate) = gate else {
                if is_of_other_part(name) {
                    continue;
                }
                return Err(message!(
                    "api.no-gate",
                    "Kubernetes {release} has no feature gate `{name}` for these kinds",
                    release,
                    name,
                ));
            };
            let locked = match gate.default_in(release) {
                Some(Setting::Locked) => Some(true),
                Some(Setting::LockedOff) => Some(false),
                _ => None,
            };
            if let Some(value) = locked.filter(|value| *value != on) {
                return Err(message!(
                    "api.gate-locked",
                    "`{name}` is locked to {value} in Kubernetes {release}",
                    name,
                    value,
                    release,
                ));
            }
            gates = gates.set(gate, on);
        }
        for (gate, needed, since) in NEEDS {
            if *since <= release.minor && gates.on(*gate) && !gates.on(*needed) {
                let (gate, needed) = (gate.name(), needed.name());
                return Err(message!(
                    "api.gate-needs-gate",
                    "Kubernetes {release} does not start with `{gate}` on and `{needed}` off",
                    release,
                    gate,
                    needed,
                ));
            }
        }
        Ok(gates)
    }

    /// Turns one gate on or off.
    #[must_use]
    pub fn set(self, gate: Gate, on: bool) -> Self {
        if on {
            Gates(self.0 | gate.bit())
        } else {
            Gates(self.0 & !gate.bit())
        }
    }

    /// Returns true if a gate is on.
    pub fn on(self, gate: Gate) -> bool {
        self.0 & gate.bit() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As in kube_features.go: the gates of a stage, and those with a value of their own last.
    #[test]
    fn all_alpha_and_all_beta_set_the_gates_of_a_stage() {
        let set = |minor: u8, set: &[(&'static str, bool)]| {
            Gates::with(Release::last_of(minor), set.iter().copied()).unwrap()
        };
        let alpha = set(34, &[("AllAlpha", true)]);
        assert!(alpha.on(Gate::DRAConsumableCapacity) && alpha.on(Gate::DRAPrioritizedList));
        assert!(!alpha.on(Gate::DeclarativeValidationTakeover));
        let beta = set(34, &[("AllBeta", false)]);
        assert!(!beta.on(Gate::DRAPrioritizedList) && beta.on(Gate::DynamicResourceAllocation));
        assert!(set(36, &[("AllBeta", false)]).on(Gate::DRAPrioritizedList));
        assert!(set(36, &[("AllBeta", true)]).on(Gate::DRADeviceTaintRules));
        // Deprecated, and stable without a lock.
        assert!(!set(36, &[("AllBeta", true)]).on(Gate::DeclarativeValidationTakeover));
        let stable = set(38, &[("AllBeta", false)]);
        assert!(
            stable.on(Gate::DRAConsumableCapacity) && stable.on(Gate::DRAFractionalCapacityRange)
        );
        assert!(set(36, &[("AllAlpha", true)]).on(Gate::DRAListTypeAttributes));
        let own = set(34, &[("DRADeviceTaints", false), ("AllAlpha", true)]);
        assert!(!own.on(Gate::DRADeviceTaints) && own.on(Gate::DRAConsumableCapacity));
        for minor in 31..=38 {
            for name in ["AllAlpha", "AllBeta"] {
                for on in [true, false] {
                    set(minor, &[(name, on)]);
                }
            }
        }
    }

    #[test]
    fn gates_follow_the_release() {
        let minor = |minor| Release::last_of(minor);
        assert!(!Gates::defaults(minor(33)).on(Gate::DRAPrioritizedList));
        assert!(Gates::defaults(minor(34)).on(Gate::DRAPrioritizedList));
        assert_eq!(
            Gates::with(minor(31), [("DRAAdminAccess", true)]).unwrap_err(),
            format!(
                "Kubernetes {} has no feature gate `DRAAdminAccess` for these kinds",
                minor(31)
            )
        );
        assert_eq!(
            Gates::with(minor(36), [("DRAAdminAccess", false)]).unwrap_err(),
            format!(
                "`DRAAdminAccess` is locked to true in Kubernetes {}",
                minor(36)
            )
        );
        assert!(
            Gates::with(minor(36), [("DRAResourceClaimDeviceStatus", false)])
                .unwrap_err()
                .contains("does not start")
        );
        assert!(Gates::defaults(minor(38)).on(Gate::DynamicResourceAllocation));
        assert!(
            Gates::with(minor(38), [("DynamicResourceAllocation", true)])
                .unwrap_err()
                .contains("has no feature gate `DynamicResourceAllocation`")
        );
        assert!(
            Gates::with(minor(38), [("DRAConsumableCapacity", false)])
                .unwrap_err()
                .contains("does not start with `DRAFractionalCapacityRange` on")
        );
        assert!(Gates::with(minor(33), [("DRASchedulerFilterTimeout", false)]).is_err());
        assert!(Gates::with(minor(34), [("GenericWorkload", true)]).is_err());
        let gangs = [("GenericWorkload", true), ("GangScheduling", true)];
        for with_gangs in [35, 36] {
            let alone = Gates::with(minor(with_gangs), [("GangScheduling", true)]).unwrap_err();
            assert!(
                alone.contains("does not start with `GangScheduling` on and `GenericWorkload` off")
            );
            let gates = Gates::with(minor(with_gangs), gangs).unwrap();
            assert!(gates.on(Gate::GangScheduling));
            assert!(Gates::with(minor(with_gangs), [("GangScheduling", false)]).is_ok());
        }
        let gone = Gates::with(minor(37), [("GangScheduling", false)]).unwrap_err();
        assert!(gone.contains("has no feature gate `GangScheduling`"));
        assert!(
            !Gates::with(minor(34), [("DRASchedulerFilterTimeout", false)])
                .unwrap()
                .on(Gate::DRASchedulerFilterTimeout)
        );
        assert!(
            Gates::with(minor(34), [("DRADeviceTaints", true)])
                .unwrap()
                .on(Gate::DRADeviceTaints)
        );
    }
}
