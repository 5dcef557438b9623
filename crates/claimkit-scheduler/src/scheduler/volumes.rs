//! Volumes of pods: the plugins VolumeRestrictions, NodeVolumeLimits and VolumeZone, and what VolumeBinding says before any node
//! (kube-scheduler 1.37, `pkg/scheduler/framework/plugins`). `volume_binding.rs` has the rest of VolumeBinding.

use super::outcome::{Plugin, PluginRefusal, RefusalReason, Unknown, VolumeReason};
use super::prepared::Prepared;
use super::state::State;
use super::volume_binding;
use crate::allocator::nodes::JudgedSelector;
use crate::allocator::objects::{
    CsiDriver, CsiNode, Facts, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass,
    Volume, VolumeFacts,
};
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::status::StatusCode;
use claimkit_values::order;
use std::cell::OnceCell;
use std::rc::Rc;

/// The annotation of a claim that is bound for good.
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// The annotation of a claim with the node for which its volume is made.
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
/// The annotation of a CSINode with the plugins whose volumes CSI drivers serve.
const MIGRATED_PLUGINS: &str = "storage.alpha.kubernetes.io/migrated-plugins";
/// The binding mode of a class whose volumes are bound when a pod is scheduled.
const WAIT_FOR_CONSUMER: &str = "WaitForFirstConsumer";
/// The access mode of volumes that one pod uses at a time.
const ONE_POD: &str = "ReadWriteOncePod";
/// Labels of nodes and volumes with zones and regions, each with the present name of the label.
const ZONES: [(&str, &str); 4] = [
    (
        "failure-domain.beta.kubernetes.io/zone",
        "topology.kubernetes.io/zone",
    ),
    (
        "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/region",
    ),
    ("topology.kubernetes.io/zone", "topology.kubernetes.io/zone"),
    (
        "topology.kubernetes.io/region",
        "topology.kubernetes.io/region",
    ),
];
/// Separates the zones of a volume that is in several.
const ZONE_SEPARATOR: &str = "__";

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
    csi_nodes: Vec<Option<&'f CsiNode>>,
    /// By node: the volumes that are attached to it.
    attached: Vec<Vec<VolumeId<'f>>>,
    /// Indexes of the volumes of each class.
    of_class: Sorted<&'f str, Vec<usize>>,
    /// By volume: the nodes that can use it; `None`: all.
    pub(super) nodes: Vec<OnceCell<Option<Rc<JudgedSelector>>>>,
    /// By pod: the claims of its volumes that exist.
    of_pods: Vec<Vec<usize>>,
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
    fn is_new(&self, claim: &PersistentVolumeClaim) -> bool {
        claim.metadata.uid.is_empty()
            && claim.status.phase.is_empty()
            && !(self.waits_for_consumer(claim) && claim.spec.volume_name.is_empty())
    }

    /// Returns the volume of a claim, if a CSI driver serves it: one that there is, or one that is to be made.
    fn id_of(&self, state: &VolumeState, claim: usize, node: usize) -> Option<VolumeId<'f>> {
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

/// Returns the node for which the volume of a claim is made, by the claim's own annotation.
pub fn selected_by_annotation(claim: &PersistentVolumeClaim) -> Option<&str> {
    claim
        .metadata
        .annotations
        .get(SELECTED_NODE)
        .map(String::as_str)
}

/// A label that a node must have because a volume is in a zone or region.
#[derive(Clone, Debug)]
pub struct ZoneRule {
    /// Index of the volume.
    pub volume: usize,
    key: &'static str,
    present_key: &'static str,
    pub values: Set<String>,
}

impl ZoneRule {
    /// Returns the name of the label.
    pub fn key(&self) -> &'static str {
        self.key
    }
}

/// The volumes of a pod in an attempt.
#[derive(Debug, Default)]
pub struct PodVolumes {
    /// Why the attempt ends before any node.
    pub refused: Option<String>,
    /// Its claims whose volumes are there.
    pub bound: Vec<usize>,
    /// Its claims whose volumes are found now, the smallest first.
    pub delayed: Vec<usize>,
    zones: Vec<ZoneRule>,
    /// Its claims that only one pod may use at a time.
    exclusive: Vec<usize>,
    /// One of them is in use.
    in_use: bool,
    has_disks: bool,
}

impl PodVolumes {
    /// Looks at the volumes of a pod; `None`: it has none that the plugins look at, or the objects about volumes are not given.
    pub fn of(prepared: &Prepared<'_>, state: &State, pod: usize) -> Option<Self> {
        let facts = prepared.facts.pods.get(pod)?;
        let has_disks = facts.spec.volumes.iter().any(is_disk);
        let is_in_part = matches!(
            unknown(prepared, facts),
            Some(Unknown::Volumes(_) | Unknown::NamedByVolumeClaims(_))
        );
        let has_claims = has_claims(facts) && !is_in_part;
        if !has_disks && !has_claims {
            return None;
        }
        let mut volumes = PodVolumes {
            has_disks,
            ..PodVolumes::default()
        };
        if has_claims && let Err(reason) = volumes.look_at_claims(prepared, state, facts) {
            volumes.refused = Some(reason);
        }
        Some(volumes)
    }

    /// Sorts the claims, as the plugins do before any node; `Err`: the message of the one that refuses the pod.
    fn look_at_claims(
        &mut self,
        prepared: &Prepared<'_>,
        state: &State,
        pod: &Pod,
    ) -> Result<(), String> {
        let index = &prepared.volumes;
        let namespace = &pod.metadata.namespace;
        for volume in &pod.spec.volumes {
            let Some(source) = &volume.persistent_volume_claim else {
                continue;
            };
            let at = index
                .claim(namespace, &source.claim_name)
                .ok_or_else(|| not_found("persistentvolumeclaim", &source.claim_name))?;
            let modes = index.facts.claims.get(at).map(|one| &one.spec.access_modes);
            if modes.is_some_and(|modes| modes.iter().any(|mode| mode == ONE_POD))
                && !self.exclusive.contains(&at)
            {
                self.exclusive.push(at);
            }
        }
        let claims = usable_claims(index, pod)?;
        for at in claims {
            let Some(claim) = index.facts.claims.get(at) else {
                continue;
            };
            let is_bound = !claim.spec.volume_name.is_empty()
                && claim.metadata.annotations.contains_key(BIND_COMPLETED);
            if is_bound || state.volumes.bound(at).is_some() {
                self.bound.push(at);
            } else if index.waits_for_consumer(claim) && claim.spec.volume_name.is_empty() {
                self.delayed.push(at);
            } else {
                return Err("pod has unbound immediate PersistentVolumeClaims".to_owned());
            }
        }
        volume_binding::sort_by_size(index.facts, &mut self.delayed);
        self.look_at_zones(index, state, pod)
    }

    fn look_at_zones(
        &mut self,
        index: &VolumeIndex<'_>,
        state: &State,
        pod: &Pod,
    ) -> Result<(), String> {
        for volume in &pod.spec.volumes {
            let Some(source) = &volume.persistent_volume_claim else {
                continue;
            };
            let Some(at) = index.claim(&pod.metadata.namespace, &source.claim_name) else {
                continue;
            };
            let name = index
                .facts
                .claims
                .get(at)
                .map_or("", |claim| claim.spec.volume_name.as_str());
            let own = state.volumes.bound(at).or_else(|| index.volume(name));
            match own {
                Some(own) => self.zones.extend(zones_of(index.facts, own)),
                None if name.is_empty() => {}
                None => return Err(not_found("persistentvolume", name)),
            }
        }
        Ok(())
    }

    /// Looks at the pods on nodes, where they are now.
    pub fn look_at_pods(&mut self, prepared: &Prepared<'_>, state: &State, pod: usize) {
        self.in_use = self.user(prepared, state, pod).is_some();
    }

    /// Returns the pod on a node that uses a claim which only one pod may use.
    pub fn user(&self, prepared: &Prepared<'_>, state: &State, pod: usize) -> Option<usize> {
        if self.exclusive.is_empty() {
            return None;
        }
        let others = state.pods.iter().enumerate();
        let mut placed = others
            .filter(|(at, other)| *at != pod && other.node.is_some())
            .map(|(at, _)| at);
        placed.find(|at| {
            let claims = prepared.volumes.of_pods.get(*at).map_or(&[][..], |of| of);
            claims.iter().any(|claim| self.exclusive.contains(claim))
        })
    }

    /// Asks the plugins for volumes about a node, in their order.
    pub fn filter(
        &self,
        prepared: &Prepared<'_>,
        state: &State,
        pod: &Pod,
        node: usize,
    ) -> Option<PluginRefusal> {
        self.refusals(prepared, state, pod, node).next()
    }

    /// Returns the refusals of all plugins for volumes.
    pub fn refusals<'t>(
        &'t self,
        prepared: &'t Prepared<'_>,
        state: &'t State,
        pod: &'t Pod,
        node: usize,
    ) -> impl Iterator<Item = PluginRefusal> + 't {
        const ORDER: [Plugin; 4] = [
            Plugin::VolumeRestrictions,
            Plugin::NodeVolumeLimits,
            Plugin::VolumeBinding,
            Plugin::VolumeZone,
        ];
        ORDER.into_iter().filter_map(move |plugin| match plugin {
            Plugin::VolumeRestrictions => self.restrictions(prepared, state, pod, node),
            Plugin::NodeVolumeLimits => self.limits(prepared, state, node),
            Plugin::VolumeBinding => volume_binding::plan(prepared, state, self, node).err(),
            _ => self.zone(prepared, node),
        })
    }

    fn restrictions(
        &self,
        prepared: &Prepared<'_>,
        state: &State,
        pod: &Pod,
        node: usize,
    ) -> Option<PluginRefusal> {
        let there = state.nodes.get(node).map_or(&[][..], |there| &there.pods);
        let conflict = self.has_disks
            && there
                .iter()
                .filter_map(|at| prepared.facts.pods.get(*at))
                .any(|other| have_conflict(pod, other));
        let reason = match (conflict, self.in_use) {
            (true, _) => VolumeReason::DiskConflict,
            (false, true) => VolumeReason::InUse,
            (false, false) => return None,
        };
        Some(refusal(
            Plugin::VolumeRestrictions,
            StatusCode::Unschedulable,
            vec![reason],
        ))
    }

    fn limits(&self, prepared: &Prepared<'_>, state: &State, node: usize) -> Option<PluginRefusal> {
        let index = &prepared.volumes;
        let ids = self.ids(prepared, state, node);
        if ids.is_empty() {
            return None;
        }
        let csi_node = index.csi_nodes.get(node).copied().flatten();
        if prepared.setup.rules.drivers_required
            && let Some(missing) = ids.iter().find(|id| is_missing(index, csi_node, id.driver))
        {
            let reason = VolumeReason::NoDriver(missing.driver.into());
            return Some(refusal(
                Plugin::NodeVolumeLimits,
                StatusCode::Unschedulable,
                vec![reason],
            ));
        }
        if !has_limits(csi_node) {
            return None;
        }
        let there = used_on(prepared, state, node);
        let is_new = |id: &&VolumeId<'_>| !there.in_use.contains(*id);
        let is_full = ids.iter().filter(is_new).any(|id| {
            let of_driver = ids.iter().filter(|one| one.driver == id.driver);
            let wanted = of_driver.filter(is_new).count();
            let most = limit(csi_node, id.driver);
            most.is_some_and(|most| there.count(id.driver).saturating_add(wanted) > most)
        });
        is_full.then(|| {
            refusal(
                Plugin::NodeVolumeLimits,
                StatusCode::Unschedulable,
                vec![VolumeReason::TooMany],
            )
        })
    }

    /// Returns the volumes of the pod that CSI drivers serve on a node.
    pub fn ids<'f>(
        &self,
        prepared: &Prepared<'f>,
        state: &State,
        node: usize,
    ) -> Set<VolumeId<'f>> {
        let claims = self.bound.iter().chain(&self.delayed);
        claims
            .filter_map(|claim| prepared.volumes.id_of(&state.volumes, *claim, node))
            .collect()
    }

    fn zone(&self, prepared: &Prepared<'_>, node: usize) -> Option<PluginRefusal> {
        self.other_zone(prepared, node).map(|_| {
            refusal(
                Plugin::VolumeZone,
                StatusCode::UnschedulableAndUnresolvable,
                vec![VolumeReason::Zone],
            )
        })
    }

    /// Returns the rule about zones that a node breaks.
    pub fn other_zone(&self, prepared: &Prepared<'_>, node: usize) -> Option<&ZoneRule> {
        let labels = &prepared.facts.nodes.get(node)?.metadata.labels;
        if !ZONES.iter().any(|(key, _)| labels.contains_key(*key)) {
            return None;
        }
        self.zones.iter().find(|rule| {
            let value = labels
                .get(rule.key)
                .or_else(|| labels.get(rule.present_key));
            value.is_none_or(|value| !rule.values.contains(value))
        })
    }
}

/// The volumes that are in use on a node.
#[derive(Debug, Default)]
pub struct UsedVolumes<'f> {
    in_use: Set<VolumeId<'f>>,
    /// Volumes of other pods that are attached still.
    attached: Set<VolumeId<'f>>,
}

impl UsedVolumes<'_> {
    /// Counts the volumes of a driver.
    pub fn count(&self, driver: &str) -> usize {
        let of_driver =
            |set: &Set<VolumeId<'_>>| set.iter().filter(|id| id.driver == driver).count();
        of_driver(&self.in_use).saturating_add(of_driver(&self.attached))
    }
}

/// Returns the volumes that are in use on a node.
pub fn used_on<'f>(prepared: &Prepared<'f>, state: &State, node: usize) -> UsedVolumes<'f> {
    let index = &prepared.volumes;
    let mut used = UsedVolumes::default();
    let there = state.nodes.get(node).map_or(&[][..], |there| &there.pods);
    for pod in there {
        let claims = index.of_pods.get(*pod).map_or(&[][..], |of| of);
        for claim in claims {
            if let Some(id) = index.id_of(&state.volumes, *claim, node) {
                used.in_use.insert(id);
            }
        }
    }
    if prepared.setup.rules.attachments_counted {
        for id in index.attached.get(node).into_iter().flatten() {
            if !used.in_use.contains(id) {
                used.attached.insert(*id);
            }
        }
    }
    used
}

/// Returns how many volumes of a driver the node can use; `None`: any number.
pub fn limit_on(prepared: &Prepared<'_>, node: usize, driver: &str) -> Option<usize> {
    limit(
        prepared.volumes.csi_nodes.get(node).copied().flatten(),
        driver,
    )
}

fn limit(node: Option<&CsiNode>, driver: &str) -> Option<usize> {
    let known = node?.spec.drivers.iter().find(|one| one.name == driver)?;
    usize::try_from(known.allocatable.count?).ok()
}

fn has_limits(node: Option<&CsiNode>) -> bool {
    node.is_some_and(|node| {
        node.spec
            .drivers
            .iter()
            .any(|driver| driver.allocatable.count.is_some())
    })
}

/// Returns true if a driver must be on the node and is not.
fn is_missing(index: &VolumeIndex<'_>, node: Option<&CsiNode>, driver: &str) -> bool {
    let is_required = index
        .driver(driver)
        .is_some_and(|driver| driver.spec.prevent_pod_scheduling_if_missing);
    is_required && !node.is_some_and(|node| node.spec.drivers.iter().any(|one| one.name == driver))
}

/// Makes the refusal of a plugin for volumes.
pub fn refusal(plugin: Plugin, code: StatusCode, reasons: Vec<VolumeReason>) -> PluginRefusal {
    PluginRefusal {
        plugin,
        code,
        reasons: reasons.into_iter().map(RefusalReason::Volumes).collect(),
    }
}

fn not_found(kind: &str, name: &str) -> String {
    format!("{kind} \"{name}\" not found")
}

/// Returns the claims of a pod's volumes, if all can be used (`volume_binding.go`, `podHasPVCs`).
fn usable_claims(index: &VolumeIndex<'_>, pod: &Pod) -> Result<Vec<usize>, String> {
    let mut claims = Vec::new();
    for volume in &pod.spec.volumes {
        let Some(name) = pod.volume_claim_of(volume) else {
            continue;
        };
        let is_ephemeral = volume.persistent_volume_claim.is_none();
        let found = index.claim(&pod.metadata.namespace, &name);
        let Some((at, claim)) = found.and_then(|at| Some((at, index.facts.claims.get(at)?))) else {
            return Err(if is_ephemeral {
                format!(
                    "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{name}\""
                )
            } else {
                not_found("persistentvolumeclaim", &name)
            });
        };
        if claim.status.phase == "Lost" {
            return Err(format!(
                "persistentvolumeclaim \"{name}\" bound to non-existent persistentvolume \"{}\"",
                claim.spec.volume_name
            ));
        }
        if claim.metadata.deletion_timestamp.is_some() {
            return Err(format!("persistentvolumeclaim \"{name}\" is being deleted"));
        }
        if is_ephemeral && !claim.metadata.is_controlled_by(&pod.metadata.uid) {
            return Err(format!(
                "PVC {} was not created for pod {} (pod is not owner)",
                claim.metadata.full_name(),
                pod.metadata.full_name()
            ));
        }
        claims.push(at);
    }
    Ok(claims)
}

fn has_claims(pod: &Pod) -> bool {
    let mut volumes = pod.spec.volumes.iter();
    volumes.any(|volume| volume.persistent_volume_claim.is_some() || volume.ephemeral.is_some())
}

/// Returns true if the pod has volumes that a node may be unable to offer.
pub fn has_any(pod: &Pod) -> bool {
    has_claims(pod) || pod.spec.volumes.iter().any(is_disk)
}

/// Returns why it is not known whether the volumes of a pod can be used.
pub fn unknown(prepared: &Prepared<'_>, pod: &Pod) -> Option<Unknown> {
    if !has_claims(pod) {
        return None;
    }
    let names = pod
        .spec
        .volumes
        .iter()
        .filter_map(|volume| pod.volume_claim_of(volume));
    if !prepared.facts.volumes.are_given() {
        return Some(Unknown::Volumes(names.collect()));
    }
    let index = &prepared.volumes;
    let claim_of = |name: &String| {
        let at = index.claim(&pod.metadata.namespace, name)?;
        Some(&**index.facts.claims.get(at)?)
    };
    let (mut new, mut partial) = (Vec::new(), Vec::new());
    for name in names {
        match claim_of(&name) {
            Some(claim) if names_what_is_not_given(index.facts, claim) => partial.push(name),
            Some(claim) if index.is_new(claim) => new.push(name),
            _ => {}
        }
    }
    if !partial.is_empty() {
        return Some(Unknown::NamedByVolumeClaims(partial));
    }
    (!new.is_empty()).then_some(Unknown::NewVolumeClaims(new))
}

/// Returns true if a claim names a volume or a class, of which kind nothing is given.
fn names_what_is_not_given(facts: &VolumeFacts, claim: &PersistentVolumeClaim) -> bool {
    let is_bound = !claim.spec.volume_name.is_empty();
    let lacks_volume = is_bound && facts.volumes.is_empty();
    let lacks_class = !is_bound && !claim.class().is_empty() && facts.classes.is_empty();
    !facts.seen && (lacks_volume || lacks_class)
}

/// Returns true if two pods with the volume may conflict on one node.
fn is_disk(volume: &Volume) -> bool {
    volume.gce_persistent_disk.is_some()
        || volume.aws_elastic_block_store.is_some()
        || volume.iscsi.is_some()
        || volume.rbd.is_some()
}

/// Returns true if two pods cannot use their volumes on one node (`volume_restrictions.go`, `isVolumeConflict`).
fn have_conflict(pod: &Pod, other: &Pod) -> bool {
    let mut disks = pod.spec.volumes.iter().filter(|volume| is_disk(volume));
    disks.any(|disk| {
        let mut there = other.spec.volumes.iter();
        there.any(|known| is_same_disk(disk, known))
    })
}

fn is_same_disk(disk: &Volume, known: &Volume) -> bool {
    if let (Some(own), Some(there)) = (&disk.gce_persistent_disk, &known.gce_persistent_disk)
        && own.name == there.name
        && !(own.read_only && there.read_only)
    {
        return true;
    }
    if let (Some(own), Some(there)) = (
        &disk.aws_elastic_block_store,
        &known.aws_elastic_block_store,
    ) && own.id == there.id
    {
        return true;
    }
    if let (Some(own), Some(there)) = (&disk.iscsi, &known.iscsi)
        && own.iqn == there.iqn
        && !(own.read_only && there.read_only)
    {
        return true;
    }
    if let (Some(own), Some(there)) = (&disk.rbd, &known.rbd) {
        let shares = own
            .monitors
            .iter()
            .any(|monitor| there.monitors.contains(monitor));
        let is_same = own.image == there.image && rbd_pool(&own.pool) == rbd_pool(&there.pool);
        return shares && is_same && !(own.read_only && there.read_only);
    }
    false
}

/// Returns the pool of an image, which the server fills in.
fn rbd_pool(pool: &str) -> &str {
    if pool.is_empty() { "rbd" } else { pool }
}

/// Returns the zones and regions of a volume, by its labels.
fn zones_of(facts: &VolumeFacts, volume: usize) -> Vec<ZoneRule> {
    let Some(labels) = facts.volumes.get(volume).map(|one| &one.metadata.labels) else {
        return Vec::new();
    };
    let mut rules = Vec::new();
    for (key, present_key) in ZONES {
        let Some(text) = labels.get(key) else {
            continue;
        };
        let values: Set<String> = text
            .split(ZONE_SEPARATOR)
            .map(|value| value.trim().to_owned())
            .collect();
        if !values.iter().any(String::is_empty) {
            rules.push(ZoneRule {
                volume,
                key,
                present_key,
                values,
            });
        }
    }
    rules
}
