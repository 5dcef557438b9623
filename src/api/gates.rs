//! Feature gates: which release knows which, with which default, and which it has locked.
//!
//! Source: `pkg/features/kube_features.go` of each release, read from the running components.

use crate::api::Release;

macro_rules! gates {
    ($($(#[$doc:meta])+ $name:ident,)+) => {
        /// A feature gate of kube-apiserver that changes what it answers for these kinds.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Gate { $($(#[$doc])+ $name,)+ }

        impl Gate {
            /// Every gate.
            pub const ALL: &[Gate] = &[$(Gate::$name,)+];

            /// Its name, e.g. `DRAAdminAccess`.
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
    /// Conditions that a device must reach before a pod is bound.
    DRADeviceBindingConditions,
    /// DeviceTaintRules take effect.
    DRADeviceTaintRules,
    /// Taints of devices and tolerations of requests.
    DRADeviceTaints,
    /// Extended resources served by a DeviceClass.
    DRAExtendedResource,
    /// Attributes with several values.
    DRAListTypeAttributes,
    /// Devices that take from a node's allocatable resources.
    DRANodeAllocatableResources,
    /// Devices that share counters, and node selection per device.
    DRAPartitionableDevices,
    /// `firstAvailable` of requests.
    DRAPrioritizedList,
    /// `status.devices` of claims.
    DRAResourceClaimDeviceStatus,
    /// Permissions for single fields of a claim's status.
    DRAResourceClaimGranularStatusAuthorization,
    /// ResourcePoolStatusRequests are answered.
    DRAResourcePoolStatus,
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
    /// Only canonical IP addresses and CIDRs.
    StrictIPCIDRValidation,
}

/// What a release knows of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Off, may be switched on.
    Off,
    /// On, may be switched off.
    On,
    /// On for good.
    Locked,
}

use Setting::{Locked, Off, On};

/// Gate, first minor release, last (of those known here) and default.
const DEFAULTS: &[(Gate, u8, u8, Setting)] = &[
    (Gate::DRAAdminAccess, 32, 33, Off),
    (Gate::DRAAdminAccess, 34, 35, On),
    (Gate::DRAAdminAccess, 36, 36, Locked),
    (Gate::DRAConsumableCapacity, 34, 35, Off),
    (Gate::DRAConsumableCapacity, 36, 36, On),
    (Gate::DRAControlPlaneController, 31, 31, Off),
    (Gate::DRADeviceBindingConditions, 34, 35, Off),
    (Gate::DRADeviceBindingConditions, 36, 36, On),
    (Gate::DRADeviceTaintRules, 35, 36, Off),
    (Gate::DRADeviceTaints, 33, 35, Off),
    (Gate::DRADeviceTaints, 36, 36, On),
    (Gate::DRAExtendedResource, 34, 35, Off),
    (Gate::DRAExtendedResource, 36, 36, On),
    (Gate::DRAListTypeAttributes, 36, 36, Off),
    (Gate::DRANodeAllocatableResources, 36, 36, Off),
    (Gate::DRAPartitionableDevices, 33, 35, Off),
    (Gate::DRAPartitionableDevices, 36, 36, On),
    (Gate::DRAPrioritizedList, 33, 33, Off),
    (Gate::DRAPrioritizedList, 34, 36, On),
    (Gate::DRAResourceClaimDeviceStatus, 32, 32, Off),
    (Gate::DRAResourceClaimDeviceStatus, 33, 36, On),
    (Gate::DRAResourceClaimGranularStatusAuthorization, 36, 36, On),
    (Gate::DRAResourcePoolStatus, 36, 36, Off),
    (Gate::DRAWorkloadResourceClaims, 36, 36, Off),
    (Gate::DeclarativeValidation, 33, 35, On),
    (Gate::DeclarativeValidation, 36, 36, Locked),
    (Gate::DeclarativeValidationBeta, 36, 36, On),
    (Gate::DeclarativeValidationTakeover, 33, 36, Off),
    // Served and judged alike with it off; only pods lose their claims. Whoever writes these objects has it on.
    (Gate::DynamicResourceAllocation, 26, 34, On),
    (Gate::DynamicResourceAllocation, 35, 36, Locked),
    (Gate::StrictIPCIDRValidation, 33, 35, Off),
    (Gate::StrictIPCIDRValidation, 36, 36, On),
];

/// A gate, and those it cannot be on without, from a minor release on.
const NEEDS: &[(Gate, Gate, u8)] = &[
    (Gate::DRADeviceBindingConditions, Gate::DRAResourceClaimDeviceStatus, 35),
    (Gate::DRADeviceTaintRules, Gate::DRADeviceTaints, 35),
    (Gate::DRAResourceClaimGranularStatusAuthorization, Gate::DRAResourceClaimDeviceStatus, 36),
];

impl Gate {
    /// What a release knows of the gate; `None` if nothing.
    pub fn default_in(self, release: Release) -> Option<Setting> {
        DEFAULTS
            .iter()
            .find(|(gate, first, last, _)| *gate == self && (*first..=*last).contains(&release.minor))
            .map(|(.., default)| *default)
    }

    /// The gate with a name.
    pub fn named(name: &str) -> Option<Gate> {
        Gate::ALL.iter().copied().find(|gate| gate.name() == name)
    }

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// Which gates are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates(u32);

impl Gates {
    /// The defaults of a release.
    pub fn defaults(release: Release) -> Self {
        let on = |(_, first, last, default): &&(Gate, u8, u8, Setting)| {
            *default != Off && *first <= release.minor && release.minor <= *last
        };
        Gates(DEFAULTS.iter().filter(on).fold(0, |bits, (gate, ..)| bits | gate.bit()))
    }

    /// The defaults of a release with some gates set.
    ///
    /// # Errors
    /// One sentence that names the gate: unknown to the release, locked to the other value, or without one it needs.
    pub fn with<'n>(release: Release, set: impl IntoIterator<Item = (&'n str, bool)>) -> Result<Self, String> {
        let mut gates = Gates::defaults(release);
        for (name, on) in set {
            let gate = Gate::named(name).filter(|gate| gate.default_in(release).is_some());
            let Some(gate) = gate else { return Err(format!("Kubernetes {release} has no feature gate `{name}`")) };
            if gate.default_in(release) == Some(Locked) && !on {
                return Err(format!("`{name}` is locked to true in Kubernetes {release}"));
            }
            gates = gates.set(gate, on);
        }
        for (gate, needed, since) in NEEDS {
            if *since <= release.minor && gates.on(*gate) && !gates.on(*needed) {
                let (gate, needed) = (gate.name(), needed.name());
                return Err(format!("Kubernetes {release} does not start with `{gate}` on and `{needed}` off"));
            }
        }
        Ok(gates)
    }

    /// One gate set.
    #[must_use]
    pub fn set(self, gate: Gate, on: bool) -> Self {
        if on { Gates(self.0 | gate.bit()) } else { Gates(self.0 & !gate.bit()) }
    }

    /// Is it on?
    pub fn on(self, gate: Gate) -> bool {
        self.0 & gate.bit() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_follow_the_release() {
        let minor = |minor| Release::last_of(minor);
        assert!(!Gates::defaults(minor(33)).on(Gate::DRAPrioritizedList));
        assert!(Gates::defaults(minor(34)).on(Gate::DRAPrioritizedList));
        assert_eq!(
            Gates::with(minor(31), [("DRAAdminAccess", true)]).unwrap_err(),
            format!("Kubernetes {} has no feature gate `DRAAdminAccess`", minor(31))
        );
        assert_eq!(
            Gates::with(minor(36), [("DRAAdminAccess", false)]).unwrap_err(),
            format!("`DRAAdminAccess` is locked to true in Kubernetes {}", minor(36))
        );
        assert!(Gates::with(minor(36), [("DRAResourceClaimDeviceStatus", false)]).unwrap_err().contains("does not start"));
        assert!(Gates::with(minor(34), [("DRADeviceTaints", true)]).unwrap().on(Gate::DRADeviceTaints));
    }
}
