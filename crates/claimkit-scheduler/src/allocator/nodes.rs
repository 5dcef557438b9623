//! The nodes of a slice or device. The only file here that knows how node selectors are parsed and matched.

use super::behaviour::ParseErrorPlace;
use super::objects::{Device, Node, NodeRequirement, NodeSelector, NodeSelectorTerm, SliceSpec};
use super::sorted::Sorted;
use crate::rules::SchedulerRules;
use crate::selector::{ParsedSelector, Requirement, TermList};
use claimkit_model::object::decode::{How, Via, decode};
use claimkit_model::object::view::NodeSelector as View;
use claimkit_model::schema::Release;
use claimkit_model::schema::core::NODE_SELECTOR;
use claimkit_model::text::tree::Tree;
use claimkit_model::text::{Mode, json};
use std::cell::RefCell;
use std::rc::Rc;

/// A selector judged on all nodes at once.
#[derive(Clone, Debug, Default)]
pub struct JudgedSelector {
    /// The scheduler's text if it cannot be parsed.
    pub error: Option<String>,
    /// Per node, whether a term matches.
    pub matches: Vec<bool>,
    /// Per node, whether a term may match: labels that decide are not given.
    pub unknown: Vec<bool>,
    /// Per node, the nearest term's first requirement that fails, as `key operator values`.
    pub missing: Vec<Option<String>>,
}

/// The cache of judged selectors.
#[derive(Debug, Default)]
pub struct Judgements {
    known: RefCell<Sorted<NodeSelector, Rc<JudgedSelector>>>,
}

impl Judgements {
    /// Judges a selector on all nodes, as `nodeaffinity.NewNodeSelector` does: all of it must parse.
    pub fn of(&self, selector: &NodeSelector, nodes: &[Rc<Node>]) -> Rc<JudgedSelector> {
        if let Some(known) = self.known.borrow().get(selector) {
            return known.clone();
        }
        let judged = Rc::new(judge(selector, nodes));
        self.known
            .borrow_mut()
            .insert(selector.clone(), judged.clone());
        judged
    }
}

fn judge(selector: &NodeSelector, nodes: &[Rc<Node>]) -> JudgedSelector {
    let text = serde_json::to_string(selector).unwrap_or_default();
    let mut tree = Tree::new(&text);
    let Ok((root, _)) = json::value(&mut tree, 0, json::MAX_DEPTH) else {
        return JudgedSelector::default();
    };
    // Node selectors are parsed the same way from 1.30 on.
    let release = Release::last_of(30);
    let decoded = decode(
        &tree,
        root,
        &NODE_SELECTOR,
        "v1",
        How::reaching(Mode::Json, Via::Validator, release),
    );
    let parsed = ParsedSelector::parse(View::new(&decoded.record), &SchedulerRules::of(release));
    let error = parsed.error();
    if error.is_some() {
        return JudgedSelector {
            error,
            matches: vec![false; nodes.len()],
            unknown: vec![false; nodes.len()],
            missing: vec![None; nodes.len()],
        };
    }
    let mut judged = JudgedSelector::default();
    for node in nodes {
        let of_node = TermsOnNode::judge(&parsed, node);
        let is_unknown = of_node.may_match && !of_node.surely_matches;
        judged.matches.push(of_node.matches);
        judged.unknown.push(is_unknown);
        judged.missing.push(of_node.missing());
    }
    judged
}

/// What the terms of a selector say of a node.
#[derive(Default)]
struct TermsOnNode {
    /// A term matches the labels that are given.
    matches: bool,
    /// A term could match, whatever the labels are that are not given.
    may_match: bool,
    /// A term matches without labels that are not given.
    surely_matches: bool,
    /// The term with the fewest requirements that fail.
    nearest: Option<NearestTerm>,
}

/// A term that does not match.
struct NearestTerm {
    failing: usize,
    /// The first requirement that fails for sure, or else the first that fails.
    requirement: String,
}

impl TermsOnNode {
    fn judge(parsed: &ParsedSelector<'_>, node: &Node) -> Self {
        let mut judged = TermsOnNode::default();
        for term in parsed.terms.iter().filter(|term| !term.is_empty()) {
            let requirements = term.requirements.iter();
            let failing: Vec<_> = requirements.filter(|one| !holds(one, node)).collect();
            let for_sure = failing.iter().find(|one| !is_unknown(one, node));
            if for_sure.is_none() {
                let mut requirements = term.requirements.iter();
                judged.may_match = true;
                judged.surely_matches |= !requirements.any(|one| is_unknown(one, node));
            }
            judged.matches |= failing.is_empty();
            let Some(first) = for_sure.or(failing.first()) else {
                continue;
            };
            let nearest = judged.nearest.as_ref();
            if nearest.is_none_or(|nearest| failing.len() < nearest.failing) {
                judged.nearest = Some(NearestTerm {
                    failing: failing.len(),
                    requirement: described(first.key, first.operator, &first.values),
                });
            }
        }
        judged
    }

    fn missing(self) -> Option<String> {
        let nearest = self.nearest.filter(|_| !self.matches)?;
        Some(nearest.requirement)
    }
}

fn described(key: &str, operator: &str, values: &[&str]) -> String {
    if values.is_empty() {
        format!("{key} {operator}")
    } else {
        format!("{key} {operator} [{}]", values.join(", "))
    }
}

/// Returns true if a label decides that is not given.
fn is_unknown(requirement: &Requirement<'_>, node: &Node) -> bool {
    requirement.list == TermList::Expressions && node.may_have_label(requirement.key)
}

fn holds(requirement: &Requirement<'_>, node: &Node) -> bool {
    let Ok(test) = &requirement.test else {
        return false;
    };
    let name = node.metadata.name.as_str();
    match requirement.list {
        TermList::Expressions => test.holds(
            node.metadata
                .labels
                .get(requirement.key)
                .map(String::as_str),
        ),
        // Without a name a node has no fields, and field requirements are not looked at.
        TermList::Fields if name.is_empty() => true,
        TermList::Fields => test.holds(Some(if requirement.key == "metadata.name" {
            name
        } else {
            ""
        })),
    }
}

/// The node fields that slices and devices share.
#[derive(Clone, Copy, Debug)]
pub struct NodeFields<'f> {
    /// `nodeName`.
    pub node_name: Option<&'f str>,
    /// `allNodes`.
    pub all_nodes: bool,
    /// `nodeSelector`.
    pub selector: Option<&'f NodeSelector>,
}

impl<'f> NodeFields<'f> {
    /// Returns the node selection of a slice.
    pub fn of_slice(spec: &'f SliceSpec) -> Self {
        NodeFields {
            node_name: spec.node_name.as_deref(),
            all_nodes: spec.all_nodes == Some(true),
            selector: spec.node_selector.as_ref(),
        }
    }

    /// Returns the node selection of a device.
    pub fn of_device(device: &'f Device) -> Self {
        NodeFields {
            node_name: device.node_name.as_deref(),
            all_nodes: device.all_nodes == Some(true),
            selector: device.node_selector.as_ref(),
        }
    }

    /// Returns true if a selection is set.
    pub fn is_set(&self) -> bool {
        self.node_name.is_some_and(|name| !name.is_empty())
            || self.all_nodes
            || self.selector.is_some()
    }

    /// Returns true if the node is selected. `Err`: the selector cannot be parsed.
    pub fn has(
        &self,
        node: usize,
        nodes: &[Rc<Node>],
        judgements: &Judgements,
    ) -> Result<bool, Unparsed<'f>> {
        match (self.node_name, self.selector) {
            (Some(name), _) if !name.is_empty() => Ok(nodes
                .get(node)
                .is_some_and(|node| node.metadata.name == name)),
            _ if self.all_nodes => Ok(true),
            (_, Some(selector)) => {
                let judged = judgements.of(selector, nodes);
                match &judged.error {
                    Some(error) => Err(Unparsed {
                        selector,
                        error: error.clone(),
                    }),
                    None => Ok(judged.matches.get(node).copied().unwrap_or(false)),
                }
            }
            _ => Ok(false),
        }
    }
}

/// A node selector that cannot be parsed.
#[derive(Clone, Debug)]
pub struct Unparsed<'f> {
    pub selector: &'f NodeSelector,
    pub error: String,
}

impl Unparsed<'_> {
    /// Returns upstream's text for a slice's selector.
    pub fn in_slice(&self, slice: &str, style: ParseErrorPlace) -> String {
        match style {
            ParseErrorPlace::Short => format!(
                "gather pool information: node selector in resource slice {slice}: {}",
                self.error
            ),
            ParseErrorPlace::WithDump => {
                format!(
                    "gather pool information: failed to perform node selection for slice {slice}: {}",
                    self.parse_text()
                )
            }
        }
    }

    /// Returns upstream's error for a device's selector, with the device's name where upstream prints the whole device.
    pub fn in_device(&self, device: &str, slice: &str) -> String {
        let parse = self.parse_text();
        format!(
            "gather pool information: failed to perform node selection for device {device} in slice {slice}: {parse}"
        )
    }

    /// Returns `failed to parse node selector …`.
    pub fn parse_text(&self) -> String {
        format!(
            "failed to parse node selector {}: {}",
            dump(self.selector),
            self.error
        )
    }
}

/// Returns the output of the generated `String` method of core/v1.
fn dump(selector: &NodeSelector) -> String {
    let terms: String = selector.node_selector_terms.iter().map(dump_term).collect();
    format!("&NodeSelector{{NodeSelectorTerms:[]NodeSelectorTerm{{{terms}}},}}")
}

fn dump_term(term: &NodeSelectorTerm) -> String {
    format!(
        "NodeSelectorTerm{{MatchExpressions:[]NodeSelectorRequirement{{{}}},MatchFields:[]NodeSelectorRequirement{{{}}},}},",
        dump_requirements(&term.match_expressions),
        dump_requirements(&term.match_fields)
    )
}

fn dump_requirements(requirements: &[NodeRequirement]) -> String {
    let mut text = String::new();
    for requirement in requirements {
        text.push_str(&format!(
            "NodeSelectorRequirement{{Key:{},Operator:{},Values:[{}],}},",
            requirement.key,
            requirement.operator,
            requirement.values.join(" ")
        ));
    }
    text
}
