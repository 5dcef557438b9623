//! The objects about volumes with their indexes, and what the scheduler has decided about them.

use crate::allocator::nodes::JudgedSelector;
use crate::allocator::objects::{
    CsiDriver, CsiNode, Facts, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass,
    VolumeFacts,
};
use crate::allocator::sorted::Sorted;
use claimkit_values::order;
use std::cell::OnceCell;
use std::rc::Rc;

/// The annotation of a CSINode with the plugins whose volumes CSI drivers serve.
const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";
/// The binding mode of a class whose volumes are bound when a pod is scheduled.
const WAIT_FOR_CONSUMER: &str = "WaitForFirstConsumer";

/// A plugin of Kubernetes itself whose volumes a CSI driver serves today.
struct MigratedPlugin {
    name: &'static str,
    driver: &'static str,
    is_source_of: fn(&PersistentVolume) -> bool,
}

/// The plugins whose volumes count against the limits of CSI drivers (csi-translation-lib, `plugins`).
static MIGRATED: [MigratedPlugin; 5] = [
    MigratedPlugin {
        name: "kubernetes.io/aws-ebs",
        driver: "ebs.csi.aws.com",
        is_source_of: |volume| volume.spec.aws_elastic_block_store.is_some(),
    },
    MigratedPlugin {
        name: "kubernetes.io/gce-pd",
        driver: "pd.csi.storage.gke.io",
        is_source_of: |volume| volume.spec.gce_persistent_disk.is_some(),
    },
    MigratedPlugin {
        name: "kubernetes.io/azure-disk",
        driver: "disk.csi.azure.com",
        is_source_of: |volume| volume.spec.azure_disk.is_some(),
    },
    MigratedPlugin {
        name: "kubernetes.io/cinder",
        driver: "cinder.csi.openstack.org",
        is_source_of: |volume| volume.spec.cinder.is_some(),
    },
    MigratedPlugin {
        name: "kubernetes.io/portworx-volume",
        driver: "pxd.portworx.com",
        is_source_of: |volume| volume.spec.portworx.is_some(),
    },
];

/// A volume as its driver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VolumeId<'f> {
    pub driver: &'f str,
    handle: Handle<'f>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Handle<'f> {
    Known(&'f str),
    /// The volume of a plugin of Kubernetes itself, by its index.
    Migrated(usize),
    /// A volume that is made for a claim, by its index.
    New(usize),
}

/// The objects about volumes with their indexes.
#[derive(Debug)]
pub struct VolumeIndex<'f> {
    pub facts: &'f VolumeFacts,
    claims: Sorted<(&'f str, &'f str), usize>,
    volumes: Sorted<&'f str, usize>,
    classes: Sorted<&'f str, &'f StorageClass>,
    drivers: Sorted<&'f str, &'f CsiDriver>,
    /// The drivers of each node.
    pub(super) csi_nodes: Vec<Option<&'f CsiNode>>,
    /// By node: the volumes that are attached to it.
    pub(super) attached: Vec<Vec<VolumeId<'f>>>,
    /// Indexes of the volumes of each class.
    of_class: Sorted<&'f str, Vec<usize>>,
    /// By volume: the nodes that can use it; `None`: all.
    pub(super) nodes: Vec<OnceCell<Option<Rc<JudgedSelector>>>>,
    /// By pod: the claims of its volumes that exist.
    pub(super) of_pods: Vec<Vec<usize>>,
}

impl<'f> VolumeIndex<'f> {
    /// Returns the index of the objects about volumes.
    pub fn of(facts: &'f Facts) -> Self {
        let volumes = &facts.volumes;
        let mut index = VolumeIndex {
            facts: volumes,
            claims: Sorted::new(),
            volumes: Sorted::new(),
            classes: Sorted::new(),
            drivers: Sorted::new(),
            csi_nodes: Vec::new(),
            attached: vec![Vec::new(); facts.nodes.len()],
            of_class: Sorted::new(),
            nodes: vec![OnceCell::new(); volumes.volumes.len()],
            of_pods: Vec::new(),
        };
        for (at, claim) in volumes.claims.iter().enumerate() {
            let Meta { namespace, name } = meta(claim);
            index.claims.insert((namespace, name), at);
        }
        let by_name = order::positions(volumes.volumes.len(), &|a, b| {
            volume_name(volumes, a).cmp(volume_name(volumes, b))
        });
        for at in by_name {
            let Some(volume) = volumes.volumes.get(at) else {
                continue;
            };
            index.volumes.insert(&volume.metadata.name, at);
            index.of_class.entry(volume.class()).push(at);
        }
        for class in &volumes.classes {
            index.classes.insert(&class.metadata.name, class);
        }
        for driver in &volumes.csi_drivers {
            index.drivers.insert(&driver.metadata.name, driver);
        }
        index.add_nodes(&facts.nodes);
        if !volumes.claims.is_empty() {
            index.of_pods = facts.pods.iter().map(|pod| index.claims_of(pod)).collect();
        }
        index
    }

    fn add_nodes(&mut self, nodes: &[Rc<Node>]) {
        let mut places: Sorted<&str, usize> = Sorted::new();
        for (at, node) in nodes.iter().enumerate() {
            places.insert(&node.metadata.name, at);
        }
        self.csi_nodes = vec![None; nodes.len()];
        for csi_node in &self.facts.csi_nodes {
            let place = places.get(csi_node.metadata.name.as_str()).copied();
            if let Some(known) = place.and_then(|at| self.csi_nodes.get_mut(at)) {
                *known = Some(csi_node);
            }
        }
        for attachment in &self.facts.attachments {
            let spec = &attachment.spec;
            let volume = spec.source.persistent_volume_name.as_deref();
            let csi = volume
                .and_then(|name| self.volume(name))
                .and_then(|at| self.facts.volumes.get(at))
                .and_then(|volume| volume.spec.csi.as_ref());
            let (Some(csi), Some(place)) = (csi, places.get(spec.node_name.as_str())) else {
                continue;
            };
            if let Some(there) = self.attached.get_mut(*place) {
                there.push(VolumeId {
                    driver: &spec.attacher,
                    handle: Handle::Known(&csi.volume_handle),
                });
            }
        }
    }

    fn claims_of(&self, pod: &Pod) -> Vec<usize> {
        let names = pod
            .spec
            .volumes
            .iter()
            .filter_map(|volume| pod.volume_claim_of(volume));
        names
            .filter_map(|name| self.claim(&pod.metadata.namespace, &name))
            .collect()
    }

    /// Returns the index of a claim.
    pub fn claim(&self, namespace: &str, name: &str) -> Option<usize> {
        self.claims.get(&(namespace, name)).copied()
    }

    /// Returns the index of a volume.
    pub fn volume(&self, name: &str) -> Option<usize> {
        self.volumes.get(name).copied()
    }

    /// Returns a storage class.
    pub fn class(&self, name: &str) -> Option<&'f StorageClass> {
        self.classes.get(name).copied()
    }

    /// Returns a CSI driver.
    pub fn driver(&self, name: &str) -> Option<&'f CsiDriver> {
        self.drivers.get(name).copied()
    }

    /// Returns the volumes of a class, by name.
    pub fn of_class(&self, class: &str) -> &[usize] {
        self.of_class.get(class).map_or(&[], Vec::as_slice)
    }

    /// Returns true if the volume of a claim is bound when a pod is scheduled.
    pub fn waits_for_consumer(&self, claim: &PersistentVolumeClaim) -> bool {
        self.class(claim.class())
            .is_some_and(|class| class.volume_binding_mode.as_deref() == Some(WAIT_FOR_CONSUMER))
    }

    /// Returns true if controllers bind the claim before the scheduler looks.
    pub(super) fn is_new(&self, claim: &PersistentVolumeClaim) -> bool {
        claim.metadata.uid.is_empty()
            && claim.status.phase.is_empty()
            && !(self.waits_for_consumer(claim) && claim.spec.volume_name.is_empty())
    }

    /// Returns the volume of a claim, if a CSI driver serves it: one that there is, or one that is to be made.
    pub(super) fn id_of(
        &self,
        state: &VolumeState,
        claim: usize,
        node: usize,
    ) -> Option<VolumeId<'f>> {
        let facts = self.facts.claims.get(claim)?;
        let own = state
            .bound(claim)
            .or_else(|| self.volume(&facts.spec.volume_name));
        let csi_node = self.csi_nodes.get(node).copied().flatten();
        let Some(at) = own else {
            let class = self.class(facts.class())?;
            let driver = match MIGRATED
                .iter()
                .find(|plugin| plugin.name == class.provisioner)
            {
                Some(plugin) if is_migrated(csi_node, plugin) => plugin.driver,
                Some(_) => return None,
                None => class.provisioner.as_str(),
            };
            return Some(VolumeId {
                driver,
                handle: Handle::New(claim),
            });
        };
        let volume = self.facts.volumes.get(at)?;
        if let Some(csi) = &volume.spec.csi {
            return Some(VolumeId {
                driver: &csi.driver,
                handle: Handle::Known(&csi.volume_handle),
            });
        }
        MIGRATED
            .iter()
            .find(|plugin| (plugin.is_source_of)(volume))
            .filter(|plugin| is_migrated(csi_node, plugin))
            .map(|plugin| VolumeId {
                driver: plugin.driver,
                handle: Handle::Migrated(at),
            })
    }
}

/// The name and namespace of a claim.
struct Meta<'f> {
    namespace: &'f str,
    name: &'f str,
}

fn meta(claim: &PersistentVolumeClaim) -> Meta<'_> {
    Meta {
        namespace: &claim.metadata.namespace,
        name: &claim.metadata.name,
    }
}

fn volume_name(facts: &VolumeFacts, at: usize) -> &str {
    facts
        .volumes
        .get(at)
        .map_or("", |volume| volume.metadata.name.as_str())
}

fn is_migrated(node: Option<&CsiNode>, plugin: &MigratedPlugin) -> bool {
    let plugins = node.and_then(|node| node.metadata.annotations.get(MIGRATED_PLUGINS));
    plugins.is_some_and(|plugins| plugins.split(',').any(|name| name == plugin.name))
}

/// Decisions of the scheduler about volumes.
#[derive(Clone, Debug, Default)]
pub struct VolumeState {
    /// By claim: the volume that it is bound to.
    bound: Vec<Option<usize>>,
    /// By volume: the claim that it is bound to.
    taken: Vec<Option<usize>>,
    /// By claim: the node for which its volume is made.
    selected: Vec<Option<usize>>,
}

impl VolumeState {
    /// Makes the state before anything is decided.
    pub fn new(facts: &VolumeFacts) -> Self {
        VolumeState {
            bound: vec![None; facts.claims.len()],
            taken: vec![None; facts.volumes.len()],
            selected: vec![None; facts.claims.len()],
        }
    }

    /// Returns the volume that the scheduler has bound a claim to.
    pub fn bound(&self, claim: usize) -> Option<usize> {
        self.bound.get(claim).copied().flatten()
    }

    /// Returns the claim that the scheduler has bound a volume to.
    pub fn taken(&self, volume: usize) -> Option<usize> {
        self.taken.get(volume).copied().flatten()
    }

    /// Returns the node for which the scheduler has a claim's volume made.
    pub fn selected(&self, claim: usize) -> Option<usize> {
        self.selected.get(claim).copied().flatten()
    }

    /// Binds a claim to a volume.
    pub fn bind(&mut self, claim: usize, volume: usize) {
        if let Some(bound) = self.bound.get_mut(claim) {
            *bound = Some(volume);
        }
        if let Some(taken) = self.taken.get_mut(volume) {
            *taken = Some(claim);
        }
    }

    /// Has the volume of a claim made for a node.
    pub fn select(&mut self, claim: usize, node: usize) {
        if let Some(selected) = self.selected.get_mut(claim) {
            *selected = Some(node);
        }
    }
}
