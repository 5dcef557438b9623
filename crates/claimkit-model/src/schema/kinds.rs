//! The kinds of both families. After a new kind is added, the crate compiles only when every stage handles it.

/// A family of versions. The same kind names mean different things in the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// v1alpha1 and v1alpha2: Kubernetes 1.26 to 1.30.
    Classic,
    /// v1alpha3, v1beta1, v1beta2 and v1: Kubernetes 1.31 and later.
    Device,
}

impl Family {
    /// Returns the family that a minor release serves.
    pub fn of_minor(minor: u8) -> Self {
        if minor <= 30 {
            Family::Classic
        } else {
            Family::Device
        }
    }
}

/// A kind and its family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// A kind of v1alpha1 or v1alpha2.
    Classic(ClassicKind),
    /// A kind of v1alpha3 or later.
    Device(DeviceKind),
}

impl ObjectKind {
    /// Returns the family it belongs to.
    pub fn family(self) -> Family {
        match self {
            ObjectKind::Classic(_) => Family::Classic,
            ObjectKind::Device(_) => Family::Device,
        }
    }

    /// Returns true for a claim of either family.
    pub fn is_claim(self) -> bool {
        matches!(
            self,
            ObjectKind::Classic(ClassicKind::ResourceClaim)
                | ObjectKind::Device(DeviceKind::ResourceClaim)
        )
    }

    /// Returns true for a claim template of either family.
    pub fn is_template(self) -> bool {
        matches!(
            self,
            ObjectKind::Classic(ClassicKind::ResourceClaimTemplate)
                | ObjectKind::Device(DeviceKind::ResourceClaimTemplate)
        )
    }
}

/// The kinds of v1alpha1 and v1alpha2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassicKind {
    /// `ResourceClaim`
    ResourceClaim,
    /// `ResourceClass`
    ResourceClass,
    /// `ResourceClaimTemplate`
    ResourceClaimTemplate,
    /// `PodScheduling` of v1alpha1, `PodSchedulingContext` of v1alpha2
    PodSchedulingContext,
    /// `ResourceClaimParameters` (1.30)
    ResourceClaimParameters,
    /// `ResourceClassParameters` (1.30)
    ResourceClassParameters,
    /// `ResourceSlice` (1.30)
    ResourceSlice,
}

/// The kinds of v1alpha3 and later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// `DeviceClass`
    DeviceClass,
    /// `ResourceClaim`
    ResourceClaim,
    /// `ResourceClaimTemplate`
    ResourceClaimTemplate,
    /// `ResourceSlice`
    ResourceSlice,
    /// `DeviceTaintRule` (1.33)
    DeviceTaintRule,
    /// `PodSchedulingContext` (1.31 only)
    PodSchedulingContext,
    /// `ResourcePoolStatusRequest` (1.36)
    ResourcePoolStatusRequest,
}
