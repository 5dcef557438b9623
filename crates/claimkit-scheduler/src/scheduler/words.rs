//! What the objects say about a refusal, in our words.

use super::node_affinity::Required;
use super::outcome::{Plugin, PluginRefusal, RefusalReason, VolumeReason};
use super::pod_volumes::PodVolumes;
use super::ports;
use super::prepared::Prepared;
use super::state::State;
use super::taints;
use super::turn::PodAttempt;
use super::volume_binding;
use super::volumes;
use crate::allocator::amount::spell;
use crate::allocator::objects::NodeTaint;
use crate::allocator::sorted::Set;
use crate::explain::words::some;
use claimkit_model::message::{Message, message};

/// Maximum number of host ports that are listed.
const MOST_PORTS: usize = 5;
/// Maximum number of pods that are listed.
const MOST_PODS: usize = 3;

/// Returns why a plugin refuses a node, a line each. Nothing: its own reason says it all, or the account of devices does.
pub fn why(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
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
            vec![message!(
                "pods.host-port-in-use",
                "host port {ports} is in use",
                ports = taken.join(", ")
            )]
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
        Plugin::PodTopologySpread => spread(turn),
        Plugin::InterPodAffinity | Plugin::DynamicResources => Vec::new(),
    }
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
        .filter(|_| is_about_pods_there(refusal.plugin));
    let there = there.into_iter().flat_map(|node| &node.pods);
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
    let (there, has) = (state.nodes.get(node)?, prepared.allocatable.get(node)?);
    match reason {
        RefusalReason::TooManyPods => {
            let (pods, most) = (there.pods.len(), has.pods?);
            Some(message!(
                "pods.too-many",
                "pods: {pods} of {most} are there already",
                pods,
                most
            ))
        }
        RefusalReason::Insufficient(name) => {
            let resource = prepared.names.find(name)?;
            let (wanted, most) = (
                turn.profile.requests.amount(resource),
                has.amount(resource)?,
            );
            let left = most.saturating_sub(there.used.get(resource).copied().unwrap_or(0));
            let [wanted, left, most] = [wanted, left, most].map(|amount| spelled(name, amount));
            Some(message!(
                "pods.insufficient",
                "{name}: {wanted} wanted, {left} of {most} left",
                name,
                wanted,
                left,
                most
            ))
        }
        _ => None,
    }
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
        match reason {
            RefusalReason::Volumes(VolumeReason::InUse) => {
                let user = own.user(prepared, state, turn.pod);
                let user = user.and_then(|at| prepared.facts.pods.get(at));
                lines.extend(user.map(|pod| {
                    message!(
                        "pods.volume-in-use",
                        "{pod} uses a volume that only one pod may use",
                        pod = pod.metadata.full_name()
                    )
                }));
            }
            RefusalReason::Volumes(VolumeReason::TooMany) => {
                lines.extend(full_drivers(prepared, state, own, node));
            }
            RefusalReason::Volumes(VolumeReason::NodeAffinity) => {
                lines.extend(other_nodes(prepared, state, own, node));
            }
            RefusalReason::Volumes(VolumeReason::Zone) => {
                lines.extend(own.other_zone(prepared, node).map(|rule| {
                    let volume = prepared.volumes.facts.volumes.get(rule.volume);
                    let values: Vec<&str> = rule.values.iter().map(String::as_str).collect();
                    message!(
                        "pods.volume-zone",
                        "volume {volume} is in {key}={values}",
                        volume = volume.map_or("", |volume| volume.metadata.name.as_str()),
                        key = rule.key(),
                        values = values.join(", ")
                    )
                }));
            }
            _ => {}
        }
    }
    lines
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
        let wanted = ids.iter().filter(|id| id.driver == *driver).count();
        if there.saturating_add(wanted) > most {
            lines.push(message!(
                "pods.volume-limit",
                "volumes of {driver}: {wanted} wanted, {there} of {most} are there",
                driver,
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
        let name = volume.and_then(|at| prepared.volumes.facts.volumes.get(at));
        if let (Some(missing), Some(volume)) = (missing, name) {
            lines.push(message!(
                "pods.volume-nodes",
                "volume {volume} is for nodes with {missing}",
                volume = volume.metadata.name,
                missing
            ));
        }
    }
    lines
}

fn spread(turn: &PodAttempt<'_, '_>) -> Vec<Message> {
    let required = turn
        .facts
        .spec
        .topology_spread_constraints
        .iter()
        .filter(|one| one.when_unsatisfiable != "ScheduleAnyway");
    let keys: Vec<String> = required
        .map(|one| format!("{} (maxSkew {})", one.topology_key, one.max_skew))
        .collect();
    vec![message!(
        "pods.topology-spread",
        "topology spread over {keys}",
        keys = keys.join(", ")
    )]
}
