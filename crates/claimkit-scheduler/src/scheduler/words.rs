//! What the objects say about a refusal, in our words.

use super::node_affinity::Required;
use super::outcome::{Plugin, PluginRefusal, RefusalReason};
use super::ports;
use super::prepared::Prepared;
use super::state::State;
use super::taints;
use super::turn::PodAttempt;
use crate::allocator::amount::spell;
use claimkit_model::message::message;

/// Maximum number of host ports that are listed.
const MOST_PORTS: usize = 5;

/// Returns why a plugin refuses a node, a line each. Nothing: its own reason says it all, or the account of devices does.
pub fn why(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    node: usize,
    refusal: &PluginRefusal,
) -> Vec<String> {
    match refusal.plugin {
        Plugin::NodeUnschedulable => {
            vec![message!("pods.node-cordoned", "the node is cordoned").into_owned()]
        }
        Plugin::TaintToleration => {
            let taints = untolerated(prepared, turn, node, refusal);
            taints
                .iter()
                .map(|taint| message!("pods.untolerated-taint", "untolerated taint {taint}", taint))
                .collect()
        }
        Plugin::NodeAffinity => Required::of(
            &prepared.facts.nodes,
            &prepared.cluster.judgements,
            &turn.facts.spec,
        )
        .lacks(node),
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
        Plugin::PodTopologySpread => spread(turn),
        Plugin::InterPodAffinity | Plugin::DynamicResources => Vec::new(),
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
    let taints = taints::all_untolerated(&turn.facts.spec.tolerations, there);
    let text = taints.map(|taint| match taint.value.as_str() {
        "" => format!("{}:{}", taint.key, taint.effect),
        value => format!("{}={value}:{}", taint.key, taint.effect),
    });
    text.collect()
}

fn short(
    prepared: &Prepared<'_>,
    state: &State,
    turn: &PodAttempt<'_, '_>,
    node: usize,
    reason: &RefusalReason,
) -> Option<String> {
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

fn spread(turn: &PodAttempt<'_, '_>) -> Vec<String> {
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
