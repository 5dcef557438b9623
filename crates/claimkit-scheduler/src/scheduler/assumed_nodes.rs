//! Nodes of which only the name is known: what their labels decide is not known.

use super::node_affinity::Required;
use super::outcome::Unknown;
use super::prepared::Prepared;
use crate::allocator::objects::Pod;
use crate::allocator::sorted::Set;

/// The action of a topology spread constraint that keeps pods off nodes.
const KEEPS_OFF: &str = "DoNotSchedule";

/// Returns why it is not known whether a node takes a pod that it does not refuse.
pub fn unknown(prepared: &Prepared<'_>, pod: usize, node: usize) -> Option<Unknown> {
    let facts: &Pod = prepared.facts.pods.get(pod)?;
    let there = prepared.facts.nodes.get(node).filter(|node| node.assumed)?;
    let mut keys: Set<&str> = Set::default();
    let (nodes, judgements) = (&prepared.facts.nodes, &prepared.cluster.judgements);
    let required = Required::of(nodes, judgements, &facts.spec);
    if required.judge(node).is_none() {
        keys.extend(required.keys());
    }
    for constraint in &facts.spec.topology_spread_constraints {
        if constraint.when_unsatisfiable == KEEPS_OFF {
            keys.insert(&constraint.topology_key);
        }
    }
    if let Some(rules) = prepared.affinity(pod) {
        keys.extend(rules.near.iter().map(|term| term.topology_key.as_str()));
    }
    let unknown = keys.iter().filter(|key| there.may_have_label(key));
    let labels: Vec<String> = unknown.map(|key| (*key).to_owned()).collect();
    (!labels.is_empty()).then_some(Unknown::NodeLabels(labels))
}
