//! Volumes: claims, the volumes that they are bound to, and what nodes and drivers say about them.

use super::placement::LabelSelector;
use super::read::{Datum, FactReader, ReadFact, read_from};
use super::resources::Resources;
use super::{Meta, NodeSelector};
use crate::allocator::amount::Amount;
use crate::allocator::sorted::Sorted;
use claimkit_model::message::Message;
use serde_json::Value;
use std::rc::Rc;

/// The resource of which volumes have amounts.
const STORAGE: &str = "storage";
/// The annotation of old objects that names a storage class.
const BETA_CLASS: &str = "volume.beta.kubernetes.io/storage-class";

object! {
    PersistentVolumeClaim {
        metadata: Meta = "metadata",
        spec: VolumeClaimSpec = "spec",
        status: VolumeStatus = "status",
    }
}

object! {
    /// `ephemeral.volumeClaimTemplate` of a volume, or one of `volumeClaimTemplates[]` of a StatefulSet.
    VolumeClaimTemplate {
        metadata: Meta = "metadata",
        spec: VolumeClaimSpec = "spec",
    }
}

object! {
    /// `spec` of a PersistentVolumeClaim.
    VolumeClaimSpec {
        access_modes: Vec<String> = "accessModes",
        resources: Resources = "resources",
        /// Absent: the default class; empty: none.
        storage_class_name: Option<String> = "storageClassName",
        /// The volume that it is bound to, or is to be bound to.
        volume_name: String = "volumeName",
        /// `Filesystem` or `Block`; absent: the first.
        volume_mode: Option<String> = "volumeMode",
        /// Labels of its volume.
        selector: Option<LabelSelector> = "selector",
        volume_attributes_class_name: Option<String> = "volumeAttributesClassName",
    }
}

object! {
    /// `status` of a PersistentVolumeClaim or a PersistentVolume.
    VolumeStatus {
        phase: String = "phase",
    }
}

object! {
    PersistentVolume {
        metadata: Meta = "metadata",
        spec: VolumeSpec = "spec",
        status: VolumeStatus = "status",
    }
}

object! {
    /// `spec` of a PersistentVolume.
    VolumeSpec {
        access_modes: Vec<String> = "accessModes",
        capacity: Sorted<String, Amount> = "capacity",
        /// The claim that has it, or is to have it.
        claim_ref: Option<ClaimRef> = "claimRef",
        storage_class_name: String = "storageClassName",
        /// `Filesystem` or `Block`; absent: the first.
        volume_mode: Option<String> = "volumeMode",
        /// The nodes that can use it.
        node_affinity: VolumeAffinity = "nodeAffinity",
        volume_attributes_class_name: Option<String> = "volumeAttributesClassName",
        csi: Option<CsiSource> = "csi",
        gce_persistent_disk: Option<Value> = "gcePersistentDisk",
        aws_elastic_block_store: Option<Value> = "awsElasticBlockStore",
        azure_disk: Option<Value> = "azureDisk",
        cinder: Option<Value> = "cinder",
        portworx: Option<Value> = "portworxVolume",
    }
}

object! {
    /// `spec.claimRef` of a PersistentVolume.
    #[derive(Eq)]
    ClaimRef {
        namespace: String = "namespace",
        name: String = "name",
        uid: String = "uid",
    }
}

object! {
    /// `spec.nodeAffinity` of a PersistentVolume.
    VolumeAffinity {
        required: Option<NodeSelector> = "required",
    }
}

object! {
    /// `spec.csi` of a PersistentVolume.
    #[derive(Eq)]
    CsiSource {
        driver: String = "driver",
        volume_handle: String = "volumeHandle",
    }
}

object! {
    StorageClass {
        metadata: Meta = "metadata",
        provisioner: String = "provisioner",
        /// `Immediate` or `WaitForFirstConsumer`; absent: the first.
        volume_binding_mode: Option<String> = "volumeBindingMode",
        /// The nodes for which volumes can be made; none: all.
        allowed_topologies: Vec<TopologyTerm> = "allowedTopologies",
    }
}

object! {
    /// `allowedTopologies[]` of a StorageClass.
    #[derive(Eq)]
    TopologyTerm {
        match_label_expressions: Vec<TopologyRequirement> = "matchLabelExpressions",
    }
}

object! {
    /// `matchLabelExpressions[]` of a StorageClass.
    #[derive(Eq)]
    TopologyRequirement {
        key: String = "key",
        values: Vec<String> = "values",
    }
}

object! {
    /// A CSINode: the drivers on a node.
    CsiNode {
        metadata: Meta = "metadata",
        spec: CsiNodeSpec = "spec",
    }
}

object! {
    /// `spec` of a CSINode.
    CsiNodeSpec {
        drivers: Vec<CsiNodeDriver> = "drivers",
    }
}

object! {
    /// `spec.drivers[]` of a CSINode.
    #[derive(Eq)]
    CsiNodeDriver {
        name: String = "name",
        allocatable: CsiNodeLimit = "allocatable",
    }
}

object! {
    /// `allocatable` of a driver on a node.
    #[derive(Eq)]
    CsiNodeLimit {
        /// How many of its volumes the node can use; absent: any number.
        count: Option<i64> = "count",
    }
}

object! {
    CsiDriver {
        metadata: Meta = "metadata",
        spec: CsiDriverSpec = "spec",
    }
}

object! {
    /// `spec` of a CSIDriver.
    #[derive(Eq)]
    CsiDriverSpec {
        /// It publishes how much storage is left.
        storage_capacity: bool = "storageCapacity",
        /// Pods with its volumes only run on nodes where it is installed.
        prevent_pod_scheduling_if_missing: bool = "preventPodSchedulingIfMissing",
    }
}

object! {
    /// A CSIStorageCapacity: how much storage of a class is left for some nodes.
    CsiStorageCapacity {
        metadata: Meta = "metadata",
        node_topology: Option<LabelSelector> = "nodeTopology",
        storage_class_name: String = "storageClassName",
        capacity: Option<Amount> = "capacity",
        maximum_volume_size: Option<Amount> = "maximumVolumeSize",
    }
}

object! {
    VolumeAttachment {
        metadata: Meta = "metadata",
        spec: VolumeAttachmentSpec = "spec",
    }
}

object! {
    /// `spec` of a VolumeAttachment.
    #[derive(Eq)]
    VolumeAttachmentSpec {
        attacher: String = "attacher",
        node_name: String = "nodeName",
        source: VolumeAttachmentSource = "source",
    }
}

object! {
    /// `spec.source` of a VolumeAttachment.
    #[derive(Eq)]
    VolumeAttachmentSource {
        persistent_volume_name: Option<String> = "persistentVolumeName",
    }
}

/// All that is known about volumes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VolumeFacts {
    pub claims: Vec<Rc<PersistentVolumeClaim>>,
    pub volumes: Vec<Rc<PersistentVolume>>,
    pub classes: Vec<Rc<StorageClass>>,
    pub csi_nodes: Vec<Rc<CsiNode>>,
    pub csi_drivers: Vec<Rc<CsiDriver>>,
    pub capacities: Vec<Rc<CsiStorageCapacity>>,
    pub attachments: Vec<Rc<VolumeAttachment>>,
    /// They were looked for, even if there are none.
    pub seen: bool,
}

impl VolumeFacts {
    /// The kinds, by group.
    pub const KINDS: &'static [(&'static str, &'static [&'static str])] = &[
        ("", &["PersistentVolumeClaim", "PersistentVolume"]),
        (
            "storage.k8s.io",
            &[
                "StorageClass",
                "CSINode",
                "CSIDriver",
                "CSIStorageCapacity",
                "VolumeAttachment",
            ],
        ),
    ];

    /// Returns true if objects about volumes are given: one that is not among them does not exist.
    pub fn are_given(&self) -> bool {
        self.seen || self.count() > 0
    }

    /// Returns the number of objects.
    pub fn count(&self) -> usize {
        [
            self.claims.len(),
            self.volumes.len(),
            self.classes.len(),
            self.csi_nodes.len(),
            self.csi_drivers.len(),
            self.capacities.len(),
            self.attachments.len(),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    /// Takes an object of a kind. `Ok(false)`: it is of another kind.
    pub fn take(
        &mut self,
        kind: &str,
        object: Datum<'_>,
        namespace: Option<&str>,
    ) -> Result<bool, Message> {
        fn add<T: ReadFact>(list: &mut Vec<Rc<T>>, object: Datum<'_>) -> Result<bool, Message> {
            list.push(Rc::new(read_from(object)?));
            Ok(true)
        }
        match kind {
            "PersistentVolumeClaim" => {
                let mut claim: PersistentVolumeClaim = read_from(object)?;
                claim.metadata.generate();
                if let Some(namespace) = namespace {
                    namespace.clone_into(&mut claim.metadata.namespace);
                }
                self.claims.push(Rc::new(claim));
                Ok(true)
            }
            "PersistentVolume" => add(&mut self.volumes, object),
            "StorageClass" => add(&mut self.classes, object),
            "CSINode" => add(&mut self.csi_nodes, object),
            "CSIDriver" => add(&mut self.csi_drivers, object),
            "CSIStorageCapacity" => add(&mut self.capacities, object),
            "VolumeAttachment" => add(&mut self.attachments, object),
            _ => Ok(false),
        }
    }

    /// Adds other objects behind these.
    pub fn join(&mut self, mut more: VolumeFacts) {
        self.claims.append(&mut more.claims);
        self.volumes.append(&mut more.volumes);
        self.classes.append(&mut more.classes);
        self.csi_nodes.append(&mut more.csi_nodes);
        self.csi_drivers.append(&mut more.csi_drivers);
        self.capacities.append(&mut more.capacities);
        self.attachments.append(&mut more.attachments);
        self.seen |= more.seen;
    }

    /// Overlays other objects: one with the same kind and name replaces the existing one.
    pub fn overlay(&mut self, over: VolumeFacts) {
        use super::put;
        put(&mut self.claims, over.claims, |one| {
            one.metadata.full_name()
        });
        put(&mut self.volumes, over.volumes, |one| {
            one.metadata.full_name()
        });
        put(&mut self.classes, over.classes, |one| {
            one.metadata.full_name()
        });
        put(&mut self.csi_nodes, over.csi_nodes, |one| {
            one.metadata.full_name()
        });
        put(&mut self.csi_drivers, over.csi_drivers, |one| {
            one.metadata.full_name()
        });
        put(&mut self.capacities, over.capacities, |one| {
            one.metadata.full_name()
        });
        put(&mut self.attachments, over.attachments, |one| {
            one.metadata.full_name()
        });
        self.seen |= over.seen;
    }
}

impl PersistentVolumeClaim {
    /// Makes the claim of a pod's volume from its template.
    pub fn from_template(metadata: Meta, template: &VolumeClaimTemplate) -> Self {
        PersistentVolumeClaim {
            metadata,
            spec: template.spec.clone(),
            status: VolumeStatus::default(),
        }
    }

    /// Returns the name of its storage class; empty: none.
    pub fn class(&self) -> &str {
        match self.metadata.annotations.get(BETA_CLASS) {
            Some(class) => class,
            None => self.spec.storage_class_name.as_deref().unwrap_or_default(),
        }
    }

    /// Returns the requested size.
    pub fn size(&self) -> Option<&Amount> {
        self.spec.resources.requests.get(STORAGE)
    }
}

impl PersistentVolume {
    /// Returns the name of its storage class; empty: none.
    pub fn class(&self) -> &str {
        self.metadata
            .annotations
            .get(BETA_CLASS)
            .unwrap_or(&self.spec.storage_class_name)
    }

    /// Returns its size.
    pub fn size(&self) -> Option<&Amount> {
        self.spec.capacity.get(STORAGE)
    }

    /// Returns true if it belongs to the claim, or waits for it (component-helpers, `IsVolumeBoundToClaim`).
    pub fn is_for(&self, claim: &PersistentVolumeClaim) -> bool {
        self.spec.claim_ref.as_ref().is_some_and(|known| {
            known.name == claim.metadata.name
                && known.namespace == claim.metadata.namespace
                && (known.uid.is_empty() || known.uid == claim.metadata.uid)
        })
    }
}
