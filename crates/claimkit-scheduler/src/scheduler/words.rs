//! What the objects say about a refusal, in our words.

use super::node_affinity::Required;
use super::outcome::{Plugin, PluginRefusal, RefusalReason, VolumeReason};
use super::pod_affinity::{AffinityObstacle, NearbyPods};
use super::pod_volumes::PodVolumes;
use super::ports;
use super::prepared::Prepared;
use super::state::State;
use super::taints;
use super::turn::PodAttempt;
use super::volume_binding::{self, Obstacle};
use super::volumes;
use crate::allocator::amount::{Amount, spell};
use crate::allocator::objects::{NodeTaint, SpreadConstraint};
use crate::allocator::sorted::Set;
use crate::explain::words::{and_more, some};
use claimkit_model::message::{Message, message};

/// Maximum number of host ports that are listed.
const MOST_PORTS: usize = 5;
/// Maximum number of PersistentVolumeClaims that are listed.
const MOST_CLAIMS: usize = 3;
/// Maximum number of pods that are listed.
const MOST_PODS: usize = 3;

/// Returns why a plugin refuses a node, a line each. Nothing: its own reason says it all, or the account of devices does.
pub fn why<'f>(
    prepared: &Prepared<'f>,
    state: &State,
    turn: &PodAttempt<'_, 'f>,
    node: usize,
    refusal: &PluginRefusal,
) -> Vec<Message> {
    match refusal.plugin {
        Plugin::NodeUnschedulable => {
            vec![message!("pods.node-cordoned", "the node is cordoned")]
        }
        Plugin::TaintToleration => {
            let taints = untolerated(prepared, turn, node, refusal);
            taints
                .iter()
                .map(|taint| message!("pods.untolerated-taint", "untolerated taint {taint}", taint))
                .collect()
        }
        Plugin::NodeAffinity => required(prepared, turn).lacks(node),
        Plugin::NodePorts => {
            let used = state.nodes.get(node).map_or(&[][..], |state| &state.ports);
            let taken: Vec<String> = ports::conflicts(&turn.profile.ports, used)
                .take(MOST_PORTS)
                .collect();
            let holders = port_holders(prepared, state, turn, node);
            vec![if holders.is_empty() {
                message!(
                    "pods.host-port-in-use",
                    "host port {ports} is in use",
                    ports = taken.join(", ")
                )
            } else {
                message!(
                    "pods.host-port-in-use-by",
                    "host port {ports} is in use by {pods}",
                    ports = taken.join(", "),
                    pods = some(&holders, MOST_PODS)
                )
            }]
        }
        Plugin::NodeResourcesFit => refusal
            .reasons
            .iter()
            .filter_map(|reason| short(prepared, state, turn, node, reason))
            .collect(),
        Plugin::VolumeRestrictions
        | Plugin::NodeVolumeLimits
        | Plugin::VolumeBinding
        | Plugin::VolumeZone => volumes(prepared, state, turn, node, refusal),
        Plugin::PodTopologySpread => spread(prepared, turn, node),
        Plugin::InterPodAffinity => affinity(prepared, state, turn, node).into_iter().collect(),
        Plugin::DynamicResources => Vec::new(),
    }
}

/// Returns the pods of a node that have ports which a pod wants: `namespace/name`.
fn port_holders(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    node: usize,
) -> Vec<String> {
    let there = state.nodes.get(node).into_iter();
    let pods = there
        .flat_map(|node| &node.pods)
        .filter_map(|pod| prepared.facts.pods.get(*pod));
    let holders = pods.filter(|pod| ports::taken(&turn.profile.ports, &ports::of(&pod.spec)));
    holders.map(|pod| pod.metadata.full_name()).collect()
}

/// Returns true if a plugin refuses a node for the pods that are there.
fn is_about_pods_there(plugin: Plugin) -> bool {
    matches!(
        plugin,
        Plugin::NodeResourcesFit
            | Plugin::NodePorts
            | Plugin::PodTopologySpread
            | Plugin::InterPodAffinity
    )
}

/// Returns the pods for which a plugin may refuse a node, and that are there only because they are placed before: in the cluster they
/// wait. `namespace/name`.
pub fn pods_before(
    prepared: &Prepared<'_>,
    state: &State,
    node: usize,
    refusal: &PluginRefusal,
) -> Vec<String> {
    let there = state
        .nodes
        .get(node)
        .filter(|_| is_about_pods_there(refusal.plugin))
        .into_iter()
        .flat_map(|node| &node.pods);
    let pods = there.filter_map(|pod| prepared.facts.pods.get(*pod));
    let waiting = pods.filter(|pod| pod.spec.node_name.is_empty());
    waiting.map(|pod| pod.metadata.full_name()).collect()
}

/// Says of such pods that they are placed before.
pub fn placed_before(names: &[String]) -> Option<Message> {
    match names {
        [] => None,
        [pod] => Some(message!(
            "pods.one-placed-before",
            "{pod} is placed there before, and waits now, too",
            pod
        )),
        names => Some(message!(
            "pods.placed-before",
            "{pods} are placed there before, and wait now, too",
            pods = some(names, MOST_PODS)
        )),
    }
}

/// Returns the taints of a node for which a plugin refuses it: `key=value:effect`.
pub fn untolerated(
    prepared: &Prepared<'_>,
    turn: &PodAttempt<'_, '_>,
    node: usize,
    refusal: &PluginRefusal,
) -> Vec<String> {
    let Some(there) = prepared
        .facts
        .nodes
        .get(node)
        .filter(|_| refusal.plugin == Plugin::TaintToleration)
    else {
        return Vec::new();
    };
    taints::all_untolerated(&turn.facts.spec.tolerations, there)
        .map(NodeTaint::name)
        .collect()
}

/// Returns the labels of the pod's node selector that a node lacks: `key=value`.
pub fn labels(
    prepared: &Prepared<'_>,
    turn: &PodAttempt<'_, '_>,
    node: usize,
    refusal: &PluginRefusal,
) -> Vec<String> {
    if refusal.plugin != Plugin::NodeAffinity {
        return Vec::new();
    }
    required(prepared, turn).labels(node)
}

fn required<'p>(prepared: &'p Prepared<'_>, turn: &'p PodAttempt<'_, '_>) -> Required<'p> {
    Required::of(
        &prepared.facts.nodes,
        &prepared.cluster.judgements,
        &turn.facts.spec,
    )
}

fn short(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    node: usize,
    reason: &RefusalReason,
) -> Option<Message> {
    let node_state = state.nodes.get(node)?;
    let allocatable = prepared.allocatable.get(node)?;
    let nominated = nominated_to(prepared, state, turn, node);
    match reason {
        RefusalReason::TooManyPods if !nominated.is_empty() => Some(message!(
            "pods.too-many-nominated",
            "pods: {pods} of {most} are there already, with {names}, nominated to the node",
            pods = node_state.pods.len().saturating_add(nominated.len()),
            most = allocatable.pods?,
            names = names_of(prepared, &nominated)
        )),
        RefusalReason::TooManyPods => Some(message!(
            "pods.too-many",
            "pods: {pods} of {most} are there already",
            pods = node_state.pods.len(),
            most = allocatable.pods?
        )),
        RefusalReason::Insufficient(name) => {
            let resource = prepared.names.find(name)?;
            let wanted = turn.profile.requests.amount(resource);
            let most = allocatable.amount(resource)?;
            let used = node_state.used.get(resource).copied().unwrap_or(0);
            let left = most.saturating_sub(used);
            let profiles = nominated.iter().filter_map(|pod| prepared.profile(*pod));
            let kept = profiles.fold(0_i64, |sum, profile| {
                sum.saturating_add(profile.requests.amount(resource))
            });
            if kept > 0 {
                return Some(message!(
                    "pods.insufficient-nominated",
                    "{name}: {wanted} wanted, {left} of {most} left beside what is kept for {pods}, nominated to the node",
                    name,
                    wanted = spelled(name, wanted),
                    left = spelled(name, left.saturating_sub(kept).max(0)),
                    most = spelled(name, most),
                    pods = names_of(prepared, &nominated)
                ));
            }
            if left < 0 {
                return Some(message!(
                    "pods.insufficient-overcommitted",
                    "{name}: {wanted} wanted, nothing of {most} left: its pods request {used}",
                    name,
                    wanted = spelled(name, wanted),
                    most = spelled(name, most),
                    used = spelled(name, used)
                ));
            }
            Some(message!(
                "pods.insufficient",
                "{name}: {wanted} wanted, {left} of {most} left",
                name,
                wanted = spelled(name, wanted),
                left = spelled(name, left),
                most = spelled(name, most)
            ))
        }
        _ => None,
    }
}

/// Returns the other pods for which room is made on a node, and that count there for this one.
fn nominated_to(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    node: usize,
) -> Vec<usize> {
    let own = turn.facts.spec.effective_priority();
    let there = state
        .nominated
        .iter()
        .filter(|(pod, at)| *at == node && *pod != turn.pod);
    let pods = there.map(|(pod, _)| *pod);
    pods.filter(|pod| {
        let facts = prepared.facts.pods.get(*pod);
        facts.is_some_and(|facts| facts.spec.effective_priority() >= own)
    })
    .collect()
}

fn names_of(prepared: &Prepared<'_>, pods: &[usize]) -> String {
    let facts = pods.iter().filter_map(|pod| prepared.facts.pods.get(*pod));
    let names: Vec<String> = facts.map(|pod| pod.metadata.full_name()).collect();
    some(&names, MOST_PODS)
}

/// Returns an amount as the scheduler counts it: thousandths of a CPU, units of everything else.
fn spelled(name: &str, amount: i64) -> String {
    let nanos: i128 = if name == "cpu" {
        1_000_000
    } else {
        1_000_000_000
    };
    spell(i128::from(amount).saturating_mul(nanos))
}

/// Returns what the objects say about volumes that refuse a node.
fn volumes(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    node: usize,
    refusal: &PluginRefusal,
) -> Vec<Message> {
    let Some(own) = &turn.volumes else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for reason in &refusal.reasons {
        let RefusalReason::Volumes(reason) = reason else {
            continue;
        };
        match reason {
            VolumeReason::DiskConflict => lines.extend(disks_in_use(prepared, state, turn, node)),
            VolumeReason::InUse => lines.extend(volume_in_use(prepared, state, turn.pod, own)),
            VolumeReason::NoDriver(driver) => lines.push(message!(
                "pods.volume-driver",
                "the driver {driver} of PersistentVolumeClaim {claims} is not on the node",
                driver,
                claims = some(&claims_of(prepared, state, own, node, driver), MOST_CLAIMS)
            )),
            VolumeReason::TooMany => lines.extend(full_drivers(prepared, state, own, node)),
            VolumeReason::NodeAffinity => lines.extend(other_nodes(prepared, state, own, node)),
            VolumeReason::Zone => lines.extend(own.other_zone(prepared, node).map(|rule| {
                let volume = prepared.volumes.facts.volumes.get(rule.volume);
                let values: Vec<&str> = rule.values.iter().map(String::as_str).collect();
                message!(
                    "pods.volume-zone",
                    "PersistentVolume {volume} is in {key}={values}",
                    volume = volume.map_or("", |volume| volume.metadata.name.as_str()),
                    key = rule.key(),
                    values = values.join(", ")
                )
            })),
            VolumeReason::NothingToBind
            | VolumeReason::TooLittleStorage
            | VolumeReason::NoVolume => {
                let obstacles = volume_binding::obstacles(prepared, state, own, node);
                let of_reason = obstacles.iter().filter(|one| one.reason == *reason);
                lines.extend(of_reason.filter_map(|one| no_volume(prepared, state, node, one)));
            }
        }
    }
    lines
}

/// Returns the name of a PersistentVolumeClaim.
fn claim_name<'p>(prepared: &'p Prepared<'_>, claim: usize) -> &'p str {
    let claim = prepared.volumes.facts.claims.get(claim);
    claim.map_or("", |claim| claim.metadata.name.as_str())
}

/// Says which pods use the disks of the pod on a node.
fn disks_in_use(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    node: usize,
) -> Vec<Message> {
    let there = state
        .nodes
        .get(node)
        .map_or(&[][..], |there| &there.pods)
        .iter()
        .filter_map(|at| prepared.facts.pods.get(*at));
    let mut lines = Vec::new();
    for volume in &turn.facts.spec.volumes {
        let users: Vec<String> = there
            .clone()
            .filter(|pod| volumes::conflicts_with(volume, pod))
            .map(|pod| pod.metadata.full_name())
            .collect();
        if !users.is_empty() {
            lines.push(message!(
                "pods.disk-in-use",
                "the disk of its volume {volume} is in use there by {pods}",
                volume = volume.name,
                pods = some(&users, MOST_PODS)
            ));
        }
    }
    lines
}

/// Says which pod uses a claim that only one pod may use.
fn volume_in_use(
    prepared: &Prepared<'_>,
    state: &State,
    pod: usize,
    own: &PodVolumes,
) -> Option<Message> {
    let rival = own.rival(prepared, state, pod)?;
    let other = prepared.facts.pods.get(rival.pod)?;
    Some(message!(
        "pods.volume-in-use",
        "{pod} uses PersistentVolumeClaim {claim}, which only one pod may use at a time",
        pod = other.metadata.full_name(),
        claim = claim_name(prepared, rival.claim)
    ))
}

/// Says why a claim has no volume on a node.
fn no_volume(
    prepared: &Prepared<'_>,
    state: &State,
    node: usize,
    obstacle: &Obstacle,
) -> Option<Message> {
    let index = &prepared.volumes;
    let claim = index.facts.claims.get(obstacle.claim)?;
    let (name, class) = (claim.metadata.name.as_str(), claim.class());
    if obstacle.reason == VolumeReason::NoVolume {
        return Some(message!(
            "pods.volume-absent",
            "PersistentVolumeClaim {claim} is bound to PersistentVolume {volume}, which is not there",
            claim = name,
            volume = claim.spec.volume_name
        ));
    }
    if obstacle.reason == VolumeReason::TooLittleStorage {
        return Some(message!(
            "pods.volume-storage",
            "PersistentVolumeClaim {claim} asks for {size} of StorageClass {class}, and no CSIStorageCapacity for the node has as much",
            claim = name,
            size = claim.size().map_or("", Amount::text),
            class
        ));
    }
    let own = prepared.facts.nodes.get(node)?.metadata.name.as_str();
    let selected = volume_binding::selected_node(prepared, &state.volumes, obstacle.claim);
    if let Some(selected) = selected.filter(|selected| *selected != own) {
        return Some(message!(
            "pods.volume-for-node",
            "the volume of PersistentVolumeClaim {claim} is made for node {selected}",
            claim = name,
            selected
        ));
    }
    if class.is_empty() {
        return Some(message!(
            "pods.volume-none-free",
            "no PersistentVolume is free there for PersistentVolumeClaim {claim}, which names no StorageClass",
            claim = name
        ));
    }
    Some(match index.class(class) {
        None => message!(
            "pods.volume-no-class",
            "no PersistentVolume is free there for PersistentVolumeClaim {claim}, and its StorageClass {class} is not there",
            claim = name,
            class
        ),
        Some(known) if volume_binding::makes_none(known) => message!(
            "pods.volume-none-made",
            "no PersistentVolume is free there for PersistentVolumeClaim {claim}, and its StorageClass {class} makes none",
            claim = name,
            class
        ),
        Some(_) => message!(
            "pods.volume-none-made-there",
            "no PersistentVolume is free there for PersistentVolumeClaim {claim}, and its StorageClass {class} makes none for the node",
            claim = name,
            class
        ),
    })
}

/// Returns the names of the claims of a pod whose volumes a driver serves.
fn claims_of<'p>(
    prepared: &'p Prepared<'_>,
    state: &State,
    own: &PodVolumes,
    node: usize,
    driver: &str,
) -> Vec<&'p str> {
    let claims = own.bound.iter().chain(&own.delayed);
    let of_driver = claims.filter(|claim| {
        let id = prepared.volumes.id_of(&state.volumes, **claim, node);
        id.is_some_and(|id| id.driver == driver)
    });
    of_driver
        .map(|claim| claim_name(prepared, *claim))
        .collect()
}

/// Returns the drivers of which the node can use no more volumes.
fn full_drivers(
    prepared: &Prepared<'_>,
    state: &State,
    own: &PodVolumes,
    node: usize,
) -> Vec<Message> {
    let used = volumes::used_on(prepared, state, node);
    let ids = own.ids(prepared, state, node);
    let drivers: Set<&str> = ids.iter().map(|id| id.driver).collect();
    let mut lines = Vec::new();
    for driver in drivers.iter() {
        let Some(most) = volumes::limit_on(prepared, node, driver) else {
            continue;
        };
        let there = used.count(driver);
        // A volume that another pod uses there does not count again.
        let new = ids.iter().filter(|id| !used.has(id));
        let wanted = new.filter(|id| id.driver == *driver).count();
        if there.saturating_add(wanted) > most {
            let claims = claims_of(prepared, state, own, node, driver);
            lines.push(message!(
                "pods.volume-limit",
                "volumes of {driver} (PersistentVolumeClaim {claims}): {wanted} wanted, {there} of {most} are there",
                driver,
                claims = some(&claims, MOST_CLAIMS),
                wanted,
                there,
                most
            ));
        }
    }
    lines
}

/// Returns the volumes that the node cannot use.
fn other_nodes(
    prepared: &Prepared<'_>,
    state: &State,
    own: &PodVolumes,
    node: usize,
) -> Vec<Message> {
    let mut lines = Vec::new();
    for claim in &own.bound {
        let volume = volume_binding::volume_of(prepared, &state.volumes, *claim);
        let missing = volume
            .and_then(|volume| volume_binding::nodes_of(prepared, volume))
            .and_then(|judged| judged.missing.get(node).cloned().flatten());
        let volume = volume.and_then(|at| prepared.volumes.facts.volumes.get(at));
        if let (Some(missing), Some(volume)) = (missing, volume) {
            lines.push(message!(
                "pods.volume-nodes",
                "PersistentVolume {volume} of PersistentVolumeClaim {claim} is for nodes with {missing}",
                volume = volume.metadata.name,
                claim = claim_name(prepared, *claim),
                missing
            ));
        }
    }
    lines
}

fn names_of_nearby(prepared: &Prepared<'_>, nearby: &NearbyPods<'_>) -> String {
    let pods = nearby
        .pods
        .iter()
        .filter_map(|index| prepared.facts.pods.get(*index));
    let names: Vec<String> = pods.map(|pod| pod.metadata.full_name()).collect();
    and_more(names.join(", "), nearby.more)
}

/// Says which pods keep a pod off a node by affinity, or that no pod is there that it must be near.
fn affinity<'f>(
    prepared: &Prepared<'f>,
    state: &State,
    turn: &PodAttempt<'_, 'f>,
    node: usize,
) -> Option<Message> {
    Some(
        match turn.affinity.obstacle(prepared, state, turn.pod, node)? {
            AffinityObstacle::NoLabel(key) => {
                message!("pods.affinity-label", "the node has no label {key}", key)
            }
            AffinityObstacle::Nobody { key, value } => message!(
                "pods.affinity-nobody",
                "no pod that its affinity asks for is in {key}={value}",
                key,
                value
            ),
            AffinityObstacle::Avoids(nearby) => message!(
                "pods.affinity-avoids",
                "its anti-affinity keeps it away from {pods} in {key}={value}",
                pods = names_of_nearby(prepared, &nearby),
                key = nearby.key,
                value = nearby.value
            ),
            AffinityObstacle::Avoided(nearby) => message!(
                "pods.affinity-avoided",
                "the anti-affinity of {pods} in {key}={value} keeps it away",
                pods = names_of_nearby(prepared, &nearby),
                key = nearby.key,
                value = nearby.value
            ),
        },
    )
}

/// Says over which labels the pod is spread, or which of them the node lacks.
fn spread(prepared: &Prepared<'_>, turn: &PodAttempt<'_, '_>, node: usize) -> Vec<Message> {
    let required: Vec<&SpreadConstraint> = turn
        .facts
        .spec
        .topology_spread_constraints
        .iter()
        .filter(|one| one.when_unsatisfiable != "ScheduleAnyway")
        .collect();
    if let Some(node) = prepared.facts.nodes.get(node) {
        let keys = required.iter().map(|one| one.topology_key.as_str());
        let lacking: Vec<&str> = keys
            .filter(|key| !node.metadata.labels.contains_key(*key) && !node.may_have_label(key))
            .collect();
        if !lacking.is_empty() {
            return vec![message!(
                "pods.spread-label",
                "topology spread: the node has no label {keys}",
                keys = lacking.join(", ")
            )];
        }
    }
    let keys: Vec<String> = required
        .iter()
        .map(|one| match one.min_domains {
            Some(least) => format!(
                "{} (maxSkew {}, minDomains {least})",
                one.topology_key, one.max_skew
            ),
            None => format!("{} (maxSkew {})", one.topology_key, one.max_skew),
        })
        .collect();
    vec![message!(
        "pods.topology-spread",
        "topology spread over {keys}",
        keys = keys.join(", ")
    )]
}
