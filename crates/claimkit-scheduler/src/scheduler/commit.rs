//! Facts after the scheduler has acted.

use super::outcome::{PodDecision, Simulation};
use crate::allocator::objects::{Facts, PodCondition};
use std::rc::Rc;

/// Makes the facts with the nodes of pods, the status of claims, and the conditions that the scheduler sets.
pub fn commit(facts: &Facts, simulation: &Simulation) -> Facts {
    let mut after = facts.clone();
    after.claims = simulation
        .claims
        .iter()
        .map(|outcome| outcome.claim.clone())
        .collect();
    for outcome in &simulation.pods {
        for decision in &outcome.decisions {
            let Some(pod) = after.pods.get_mut(outcome.pod).map(Rc::make_mut) else {
                continue;
            };
            let (scheduled, reason) = match decision {
                PodDecision::Bound { node, .. } => {
                    pod.spec.node_name = node_name(facts, *node);
                    pod.status.nominated_node_name.clear();
                    (true, "")
                }
                PodDecision::Preparing { node, .. } => {
                    pod.status.nominated_node_name = node_name(facts, *node);
                    continue;
                }
                PodDecision::Unschedulable(failure) => {
                    if let Some(node) = failure.nominated {
                        pod.status.nominated_node_name = node_name(facts, node);
                    }
                    (false, "Unschedulable")
                }
                PodDecision::Error(_) => (false, "SchedulerError"),
                PodDecision::Gated | PodDecision::NotConsidered(_) | PodDecision::NotKnown(_) => {
                    continue;
                }
            };
            pod.status
                .conditions
                .retain(|condition| condition.kind != "PodScheduled");
            if !scheduled {
                pod.status.conditions.push(PodCondition {
                    kind: "PodScheduled".to_owned(),
                    status: "False".to_owned(),
                    reason: reason.to_owned(),
                    message: String::new(),
                });
            }
            if let PodDecision::Unschedulable(failure) = decision {
                for victim in &failure.victims {
                    if let Some(victim) = after.pods.get_mut(*victim) {
                        Rc::make_mut(victim).metadata.deletion_timestamp =
                            Some(super::devices::NOW.to_owned());
                    }
                }
            }
        }
    }
    after
}

fn node_name(facts: &Facts, node: usize) -> String {
    let node = facts.nodes.get(node);
    node.map_or_else(String::new, |node| node.metadata.name.clone())
}
