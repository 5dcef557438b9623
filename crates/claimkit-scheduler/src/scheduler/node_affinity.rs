//! Node selectors and node affinity of pods: the plugin NodeAffinity.

use super::outcome::{Plugin, PluginRefusal, RefusalReason};
use crate::allocator::nodes::{JudgedSelector, Judgements};
use crate::allocator::objects::{Node, NodeSelector, PodSpec};
use crate::allocator::sorted::{Set, Sorted};
use crate::allocator::status::StatusCode;
use claimkit_model::message::{Message, message};
use std::rc::Rc;

/// The field that names a node.
const NAME: &str = "metadata.name";

/// The requirements of a pod on its node.
#[derive(Debug)]
pub struct Required<'f> {
    labels: &'f Sorted<String, String>,
    terms: Option<&'f NodeSelector>,
    judged: Option<Rc<JudgedSelector>>,
    nodes: &'f [Rc<Node>],
}

impl<'f> Required<'f> {
    /// Returns the requirements of a pod's spec.
    pub fn of(nodes: &'f [Rc<Node>], judgements: &Judgements, spec: &'f PodSpec) -> Self {
        let terms = spec.affinity.node_affinity.required.as_ref();
        let judged = terms.map(|selector| judgements.of(selector, nodes));
        Required {
            labels: &spec.node_selector,
            terms,
            judged,
            nodes,
        }
    }

    /// Returns true if the node matches (component-helpers, `GetRequiredNodeAffinity`), or if that is not known.
    pub fn matches(&self, at: usize) -> bool {
        self.judge(at) != Some(false)
    }

    /// Returns whether the node matches; `None`: labels decide that are not given.
    pub fn judge(&self, at: usize) -> Option<bool> {
        let Some(node) = self.nodes.get(at) else {
            return Some(false);
        };
        let mut is_known = true;
        for (key, value) in self.labels.iter() {
            match node.metadata.labels.get(key) {
                Some(own) if own == value => {}
                None if node.may_have_label(key) => is_known = false,
                _ => return Some(false),
            }
        }
        if let Some(judged) = &self.judged {
            if judged.unknown.get(at) == Some(&true) {
                is_known = false;
            } else if judged.matches.get(at) != Some(&true) {
                return Some(false);
            }
        }
        is_known.then_some(true)
    }

    /// Returns the keys of the labels that it is about.
    pub fn keys(&self) -> Vec<&'f str> {
        let terms = self.terms.iter().flat_map(|all| &all.node_selector_terms);
        let expressions = terms.flat_map(|term| &term.match_expressions);
        let of_terms = expressions.map(|requirement| requirement.key.as_str());
        self.labels
            .keys()
            .map(String::as_str)
            .chain(of_terms)
            .collect()
    }

    /// Runs the filter on a node.
    pub fn filter(&self, at: usize) -> Option<PluginRefusal> {
        let code = StatusCode::UnschedulableAndUnresolvable;
        (!self.matches(at))
            .then(|| PluginRefusal::new(Plugin::NodeAffinity, code, RefusalReason::NodeAffinity))
    }

    /// Returns the labels of the node selector that the node lacks: `key=value`.
    pub fn labels(&self, at: usize) -> Vec<String> {
        let Some(node) = self.nodes.get(at) else {
            return Vec::new();
        };
        let lacking = self
            .labels
            .iter()
            .filter(|(key, _)| !node.may_have_label(key))
            .filter(|(key, value)| node.metadata.labels.get(*key) != Some(*value));
        lacking
            .map(|(key, value)| format!("{key}={value}"))
            .collect()
    }

    /// Returns the labels of the node selector that the node lacks, and the first requirement that fails in the nearest term.
    pub fn lacks(&self, at: usize) -> Vec<Message> {
        let Some(node) = self.nodes.get(at) else {
            return Vec::new();
        };
        let mut reasons = Vec::new();
        for (key, value) in self.labels.iter() {
            match node.metadata.labels.get(key) {
                Some(node_value) if node_value == value => {}
                Some(node_value) => reasons.push(message!(
                    "pods.node-selector-value",
                    "nodeSelector {key}={value}: the node has {key}={own}",
                    key,
                    value,
                    own = node_value
                )),
                None if node.may_have_label(key) => {}
                None => reasons.push(message!(
                    "pods.node-selector-no-label",
                    "nodeSelector {key}={value}: the node has no label {key}",
                    key,
                    value
                )),
            }
        }
        if let Some(judged) = &self.judged
            && judged.unknown.get(at) != Some(&true)
            && let Some(Some(requirement)) = judged.missing.get(at)
        {
            reasons.push(message!(
                "pods.node-affinity",
                "node affinity: {requirement} is not true of the node",
                requirement
            ));
        }
        reasons
    }

    /// Returns the nodes that every term names, and how many names there are; `None`: some term names none.
    pub fn named_nodes(&self) -> Option<(Vec<usize>, usize)> {
        let terms = self
            .terms
            .filter(|selector| !selector.node_selector_terms.is_empty())?;
        let mut names: Set<&str> = Set::default();
        for term in &terms.node_selector_terms {
            let mut of_term: Option<Set<&str>> = None;
            for requirement in term
                .match_fields
                .iter()
                .filter(|field| field.key == NAME && field.operator == "In")
            {
                let values = requirement.values.iter().map(String::as_str);
                of_term = Some(match of_term {
                    None => values.collect(),
                    Some(known) => values.filter(|value| known.contains(value)).collect(),
                });
            }
            names.extend(of_term?);
        }
        let nodes = self
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| names.contains(&node.metadata.name.as_str()))
            .map(|(at, _)| at);
        Some((nodes.collect(), names.iter().count()))
    }
}

/// Returns the weight of the preferences that each node meets; `None`: the pod has none.
pub fn preferred(nodes: &[Rc<Node>], judgements: &Judgements, spec: &PodSpec) -> Option<Vec<i64>> {
    let preferences = &spec.affinity.node_affinity.preferred;
    if preferences.is_empty() {
        return None;
    }
    let mut scores = vec![0i64; nodes.len()];
    for preference in preferences
        .iter()
        .filter(|preference| preference.weight != 0)
    {
        let selector = NodeSelector {
            node_selector_terms: vec![preference.preference.clone()],
        };
        let judged = judgements.of(&selector, nodes);
        for (score, matches) in scores.iter_mut().zip(&judged.matches) {
            if *matches {
                *score = score.saturating_add(preference.weight);
            }
        }
    }
    Some(scores)
}
