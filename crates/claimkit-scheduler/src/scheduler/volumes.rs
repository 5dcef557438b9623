//! Volumes of pods on a node: the plugins VolumeRestrictions, NodeVolumeLimits and VolumeZone (kube-scheduler 1.37,
//! `pkg/scheduler/framework/plugins`). `volume_binding.rs` has VolumeBinding.

use super::outcome::{Plugin, PluginRefusal, VolumeReason};
use super::pod_volumes::{PodVolumes, is_disk};
use super::prepared::Prepared;
use super::state::State;
use super::volume_binding;
use super::volume_index::{VolumeId, VolumeIndex};
use crate::allocator::objects::{CsiNode, Pod, Volume};
use crate::allocator::sorted::Set;
use crate::allocator::status::StatusCode;

impl PodVolumes {
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
        Some(PluginRefusal::of_volumes(
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
            return Some(PluginRefusal::of_volumes(
                Plugin::NodeVolumeLimits,
                StatusCode::Unschedulable,
                vec![reason],
            ));
        }
        if !has_limits(csi_node) {
            return None;
        }
        let there = used_on(prepared, state, node);
        let new: Vec<&VolumeId<'_>> = ids.iter().filter(|id| !there.has(id)).collect();
        let is_full = new.iter().any(|id| {
            let of_driver = new.iter().filter(|other| other.driver == id.driver);
            let wanted = of_driver.count();
            let most = limit(csi_node, id.driver);
            most.is_some_and(|most| there.count(id.driver).saturating_add(wanted) > most)
        });
        is_full.then(|| {
            PluginRefusal::of_volumes(
                Plugin::NodeVolumeLimits,
                StatusCode::Unschedulable,
                vec![VolumeReason::TooMany],
            )
        })
    }

    fn zone(&self, prepared: &Prepared<'_>, node: usize) -> Option<PluginRefusal> {
        self.other_zone(prepared, node).map(|_| {
            PluginRefusal::of_volumes(
                Plugin::VolumeZone,
                StatusCode::UnschedulableAndUnresolvable,
                vec![VolumeReason::Zone],
            )
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

impl<'f> UsedVolumes<'f> {
    /// Returns true if a pod on the node uses the volume already.
    pub fn has(&self, id: &VolumeId<'f>) -> bool {
        self.in_use.contains(id)
    }

    /// Counts the volumes of a driver.
    pub fn count(&self, driver: &str) -> usize {
        let all = self.in_use.iter().chain(self.attached.iter());
        all.filter(|id| id.driver == driver).count()
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

/// Returns true if two pods cannot use their volumes on one node (`volume_restrictions.go`, `isVolumeConflict`).
fn have_conflict(pod: &Pod, other: &Pod) -> bool {
    let mut disks = pod.spec.volumes.iter();
    disks.any(|disk| conflicts_with(disk, other))
}

/// Returns true if a pod on the same node cannot use its volumes beside this one.
pub fn conflicts_with(disk: &Volume, other: &Pod) -> bool {
    let mut there = other.spec.volumes.iter();
    is_disk(disk) && there.any(|known| is_same_disk(disk, known))
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
