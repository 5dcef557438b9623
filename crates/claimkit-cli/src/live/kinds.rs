//! The kinds that are read of a cluster, and the consequences of not seeing them.

use Group::{Apps, Batch, Core, CoreVolumes, KeepingJobs, Resource, Scheduling, Storage};
use claimkit_model::schema::Scope;

/// The API group of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Core,
    /// `resource.k8s.io`
    Resource,
    /// `scheduling.k8s.io`: only asked if a pod is in a group of pods.
    Scheduling,
    /// The core group: only asked if a pod that waits has volumes.
    CoreVolumes,
    /// `storage.k8s.io`: only asked if a pod that waits has volumes.
    Storage,
    Apps,
    Batch,
    /// `batch`: only asked if a pod that is being deleted is kept for its Job.
    KeepingJobs,
}

/// A kind that an allocation depends on.
pub struct ReadKind {
    /// Its name in addresses.
    pub plural: &'static str,
    /// Its name in objects.
    pub kind: &'static str,
    pub group: Group,
    pub scope: Scope,
    /// Whether a release may be without it.
    pub optional: bool,
    /// The consequence of its absence.
    pub without: &'static str,
    /// The consequence of seeing one namespace only.
    pub elsewhere: &'static str,
    /// The consequence of its absence for an audit; `None`: audits do not look at it.
    pub unaudited: Option<&'static str>,
}

const fn kind(
    plural: &'static str,
    kind: &'static str,
    group: Group,
    scope: Scope,
    without: &'static str,
    elsewhere: &'static str,
) -> ReadKind {
    ReadKind {
        plural,
        kind,
        group,
        scope,
        optional: false,
        without,
        elsewhere,
        unaudited: None,
    }
}

impl ReadKind {
    /// Returns true if the kind says something about volumes.
    pub fn is_about_volumes(&self) -> bool {
        matches!(self.group, CoreVolumes | Storage)
    }

    const fn unaudited(mut self, effect: &'static str) -> Self {
        self.unaudited = Some(effect);
        self
    }
}

/// The kinds, in the order in which they are read.
pub static KINDS: &[ReadKind] = &[
    kind(
        PODS,
        "Pod",
        Core,
        Scope::Namespaced,
        "pods that wait are not known",
        "pods of other namespaces are not considered",
    )
    .unaudited("it is not checked whether the pods of claims exist"),
    kind(
        NODES,
        "Node",
        Core,
        Scope::Cluster,
        "only nodes that slices and pods name are known, without their labels",
        "",
    )
    .unaudited("it is not checked whether the nodes of slices exist"),
    kind(
        SLICES,
        "ResourceSlice",
        Resource,
        Scope::Cluster,
        "no device is known",
        "",
    )
    .unaudited("devices in use are not compared with those published"),
    kind(
        CLASSES,
        "DeviceClass",
        Resource,
        Scope::Cluster,
        "every device class counts as missing",
        "",
    )
    .unaudited("it is not checked what classes select"),
    kind(
        CLAIMS,
        "ResourceClaim",
        Resource,
        Scope::Namespaced,
        "claims of pods count as missing, and devices that claims hold count as free",
        "devices that claims of other namespaces hold count as free",
    )
    .unaudited("every device counts as free"),
    kind(
        TEMPLATES,
        "ResourceClaimTemplate",
        Resource,
        Scope::Namespaced,
        "claims that are not made from their templates yet count as missing",
        "templates of other namespaces count as missing",
    )
    .unaudited("templates are not looked at"),
    ReadKind {
        optional: true,
        ..kind(
            "devicetaintrules",
            "DeviceTaintRule",
            Resource,
            Scope::Cluster,
            "devices that rules taint count as free of these taints",
            "",
        )
        .unaudited("devices that rules taint count as free of these taints")
    },
    ReadKind {
        optional: true,
        ..kind(
            "podgroups",
            "PodGroup",
            Scheduling,
            Scope::Namespaced,
            "pods of a group count as waiting for it",
            "pods of groups in other namespaces count as waiting for their group",
        )
        .unaudited("it is not checked whether the groups of claims exist")
    },
    kind(
        NAMESPACES,
        "Namespace",
        Core,
        Scope::Cluster,
        "whether a namespace allows admin access is not known",
        "",
    )
    .unaudited("whether namespaces allow admin access is not checked"),
    kind(
        "jobs",
        "Job",
        KeepingJobs,
        Scope::Namespaced,
        "whether Jobs of pods that are being deleted exist is not known",
        "",
    )
    .unaudited("it is not checked whether Jobs of pods that are being deleted exist"),
    volumes(
        "persistentvolumeclaims",
        "PersistentVolumeClaim",
        CoreVolumes,
        Scope::Namespaced,
    )
    .unaudited("it is not checked whether the volume claims of pods exist"),
    volumes(
        "persistentvolumes",
        "PersistentVolume",
        CoreVolumes,
        Scope::Cluster,
    ),
    volumes("storageclasses", "StorageClass", Storage, Scope::Cluster),
    volumes("csinodes", "CSINode", Storage, Scope::Cluster),
    volumes("csidrivers", "CSIDriver", Storage, Scope::Cluster),
    volumes(
        "csistoragecapacities",
        "CSIStorageCapacity",
        Storage,
        Scope::Namespaced,
    ),
    volumes(
        "volumeattachments",
        "VolumeAttachment",
        Storage,
        Scope::Cluster,
    ),
];

const fn volumes(plural: &'static str, name: &'static str, group: Group, scope: Scope) -> ReadKind {
    kind(plural, name, group, scope, NO_VOLUMES, NO_VOLUMES)
}

/// The consequence of not seeing all about volumes.
const NO_VOLUMES: &str = "whether pods with volumes get a node is not known";

/// Kinds with templates of pods, which only a policy judges.
pub static WORKLOADS: &[ReadKind] = &[
    workload("deployments", "Deployment", Apps),
    workload("statefulsets", "StatefulSet", Apps),
    workload("daemonsets", "DaemonSet", Apps),
    workload("jobs", "Job", Batch),
    workload("cronjobs", "CronJob", Batch),
];

const fn workload(plural: &'static str, name: &'static str, group: Group) -> ReadKind {
    kind(plural, name, group, Scope::Namespaced, "", "")
}

pub const NAMESPACES: &str = "namespaces";
pub const PODS: &str = "pods";
pub const CLAIMS: &str = "resourceclaims";
pub const NODES: &str = "nodes";
pub const SLICES: &str = "resourceslices";
pub const CLASSES: &str = "deviceclasses";
pub const TEMPLATES: &str = "resourceclaimtemplates";
