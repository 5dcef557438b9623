//! The volumes of a pod as the plugins see them before any node (kube-scheduler 1.37, `pkg/scheduler/framework/plugins`).

use super::admission;
use super::outcome::Unknown;
use super::prepared::Prepared;
use super::state::State;
use super::volume_index::{VolumeId, VolumeIndex};
use crate::allocator::objects::{PersistentVolumeClaim, Pod, Volume, VolumeFacts};
use crate::allocator::sorted::Set;
use claimkit_values::order;

/// The annotation of a claim that is bound for good.
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
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

/// A pod that uses a claim for itself alone.
#[derive(Clone, Copy, Debug)]
pub struct Rival {
    /// Index of the pod.
    pub pod: usize,
    /// Index of the claim.
    pub claim: usize,
}

/// The phase of a claim whose volume is gone.
const LOST: &str = "Lost";

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
    pub(super) in_use: bool,
    pub(super) has_disks: bool,
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
        let looks_at_claims = has_claims(facts) && !is_in_part;
        if !has_disks && !looks_at_claims {
            return None;
        }
        let mut volumes = PodVolumes {
            has_disks,
            ..PodVolumes::default()
        };
        if looks_at_claims && let Err(reason) = volumes.look_at_claims(prepared, state, facts) {
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
        sort_by_size(index.facts, &mut self.delayed);
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
        self.in_use = self.rival(prepared, state, pod).is_some();
    }

    /// Returns the pod on a node that uses a claim of this pod which only one pod may use.
    pub fn rival(&self, prepared: &Prepared<'_>, state: &State, pod: usize) -> Option<Rival> {
        if self.exclusive.is_empty() {
            return None;
        }
        let others = state.pods.iter().enumerate();
        let mut placed = others
            .filter(|(at, other)| *at != pod && other.node.is_some())
            .map(|(at, _)| at);
        placed.find_map(|pod| {
            let claims = prepared.volumes.of_pods.get(pod)?;
            let claim = claims.iter().find(|claim| self.exclusive.contains(claim))?;
            Some(Rival { pod, claim: *claim })
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

/// Sorts claims by their size.
fn sort_by_size(facts: &VolumeFacts, claims: &mut [usize]) {
    order::sort_by_key(claims, |at| {
        facts
            .claims
            .get(*at)
            .map_or(0, |claim| size_of_claim(claim))
    });
}

/// Returns the size that a claim asks for, in nanos; 0: it names none.
pub(super) fn size_of_claim(claim: &PersistentVolumeClaim) -> i128 {
    claim.size().map_or(0, |size| size.nanos())
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
        if claim.status.phase == LOST {
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
    let absent: Vec<String> = names
        .clone()
        .filter(|name| {
            index.claim(&pod.metadata.namespace, name).is_none()
                && is_not_given(index.facts, pod, name)
        })
        .collect();
    if !absent.is_empty() {
        return Some(Unknown::Volumes(absent));
    }
    // A claim that has lost its volume decides alone.
    let mut known = names
        .clone()
        .filter_map(|name| index.claim(&pod.metadata.namespace, &name));
    if known.any(|at| {
        index
            .facts
            .claims
            .get(at)
            .is_some_and(|claim| claim.status.phase == LOST)
    }) {
        return None;
    }
    let (mut new, mut partial) = (Vec::new(), Vec::new());
    for name in names {
        let at = index.claim(&pod.metadata.namespace, &name);
        let Some(claim) = at.and_then(|at| index.facts.claims.get(at)) else {
            continue;
        };
        if names_what_is_not_given(index.facts, claim) {
            partial.push(name);
        } else if index.is_new(claim) {
            new.push(name);
        }
    }
    if !partial.is_empty() {
        return Some(Unknown::NamedByVolumeClaims(partial));
    }
    (!new.is_empty()).then_some(Unknown::NewVolumeClaims(new))
}

/// Returns true if the scheduler has said in the conditions of a pod that a claim for a volume is not there.
pub fn misses_volume_claim(pod: &Pod, name: &str) -> bool {
    let words = not_found("persistentvolumeclaim", name);
    let mut conditions = pod.status.conditions.iter();
    conditions.any(|condition| condition.message.contains(&words))
}

/// Returns true if a claim for a volume that a pod names is there, and was not given: a volume is bound to it; or the claims of another
/// namespace alone were given. What the scheduler says is absent is absent.
fn is_not_given(facts: &VolumeFacts, pod: &Pod, name: &str) -> bool {
    let namespace = pod.metadata.namespace.as_str();
    if facts.seen || misses_volume_claim(pod, name) {
        return false;
    }
    let is_bound = facts.volumes.iter().any(|volume| {
        let of = volume.spec.claim_ref.as_ref();
        of.is_some_and(|of| of.namespace == namespace && of.name == name)
    });
    let mut claims = facts.claims.iter().map(|claim| &claim.metadata.namespace);
    let are_elsewhere = !facts.claims.is_empty() && claims.all(|of| of != namespace);
    is_bound || (are_elsewhere && !admission::is_new(pod))
}

/// Returns true if a claim names a volume or a class, of which kind nothing is given.
fn names_what_is_not_given(facts: &VolumeFacts, claim: &PersistentVolumeClaim) -> bool {
    let is_bound = !claim.spec.volume_name.is_empty();
    let lacks_volume = is_bound && facts.volumes.is_empty();
    let lacks_class = !is_bound && !claim.class().is_empty() && facts.classes.is_empty();
    !facts.seen && (lacks_volume || lacks_class)
}

/// Returns true if two pods with the volume may conflict on one node.
pub(super) fn is_disk(volume: &Volume) -> bool {
    volume.gce_persistent_disk.is_some()
        || volume.aws_elastic_block_store.is_some()
        || volume.iscsi.is_some()
        || volume.rbd.is_some()
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
