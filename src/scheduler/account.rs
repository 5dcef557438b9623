//! Answers about nodes: a verdict with a reason for each node, and the requested details.

use crate::text::located::Range;
use serde::Serialize;

/// `objects[i].placement`
#[derive(Debug, Serialize)]
pub struct Placement {
    /// The release whose scheduler was followed.
    pub release: String,
    /// `full` or `summary`: the level of detail for each node.
    pub detail: &'static str,
    /// How many nodes got which verdict.
    pub counts: Counts,
    /// The scheduler's reasons, and how many nodes got each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<ReasonCount>,
    /// The scheduler's message about the pod after all nodes were checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    /// Per selector, which requirement removes which nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub selectors: Vec<Inverse>,
    /// The nodes, in the order given.
    pub nodes: Vec<Node>,
}

/// How many nodes got which verdict.
#[derive(Debug, Default, Serialize)]
pub struct Counts {
    /// `Yes`
    pub yes: usize,
    /// `Possible`
    pub possible: usize,
    /// `No`
    pub no: usize,
    /// `Error`
    pub error: usize,
}

/// A reason of the scheduler.
#[derive(Debug, Serialize)]
pub struct ReasonCount {
    /// Its text.
    pub reason: String,
    /// How many nodes.
    pub nodes: usize,
}

/// What happens next.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Next {
    /// The scheduler's text.
    pub scheduler_reason: &'static str,
    /// In our words.
    pub why: &'static str,
}

/// One selector, seen from its requirements.
#[derive(Debug, Serialize)]
pub struct Inverse {
    /// Its path.
    pub source: String,
    /// Index of its object in `objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
    /// How many nodes it selects.
    pub selects: usize,
    /// Every requirement of every term that can be used.
    pub requirements: Vec<InverseRequirement>,
}

/// One requirement, seen from the nodes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InverseRequirement {
    /// Index of its term.
    pub term: usize,
    /// Its path below the selector.
    pub path: String,
    /// On how many nodes it does not hold.
    pub removes: usize,
    /// On how many of them everything else in the term holds.
    pub removes_alone: usize,
    /// The first of those by name.
    pub alone: Vec<String>,
    /// Without it the term would select nodes; with it, it selects none.
    pub empties: bool,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// One node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its name.
    pub name: String,
    /// `Yes`, `Possible`, `No`, `Error`
    pub verdict: &'static str,
    /// Why, in one line.
    pub reason: String,
    /// The scheduler's text, if it refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_reason: Option<String>,
    /// The place in the text that decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// With the request field `selector`: its check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<SelectorCheck>,
    /// The claims with their checks; absent in a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<Vec<Claim>>,
}

/// A claim on a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Claim {
    /// `namespace/name`; absent for a class alone, or where there is no claim yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Index of the claim, template or class in `objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
    /// `name` of the pod's entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// `Allocated`, `Unallocated`, `NotCreated`
    pub stage: &'static str,
    /// `spec.allocationMode`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// For this claim alone.
    pub verdict: &'static str,
    /// Why, in one line.
    pub reason: String,
    /// The scheduler's text, if it refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_reason: Option<String>,
    /// In the scheduler's order.
    pub checks: Vec<Check>,
}

/// One check.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// `exists`, `deleted`, `owner`, `allocated`, `deallocation`, `inUse`, `class`, `parameters`, `parse`, `context`, `selector`, `unrestricted`,
    /// `refused`, `unsuitable`, `potential`, `selected`, `structured`
    pub check: &'static str,
    /// Whether the node passes it; `null` if it does not decide.
    pub holds: Option<bool>,
    /// In our words.
    pub why: String,
    /// The scheduler's text, if it refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_reason: Option<String>,
    /// Of structured parameters: the instances that the claim gets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<Instance>,
    /// Of a selector: the object it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
    /// Of a selector: what it says.
    #[serde(flatten)]
    pub selector: Option<SelectorCheck>,
}

/// An instance of a driver (1.30).
#[derive(Clone, Debug, Serialize)]
pub struct Instance {
    /// The driver.
    pub driver: String,
    /// Its name.
    pub name: String,
}

/// A selector against a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SelectorCheck {
    /// Path of the selector; absent for a bare one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    /// When parsed as a whole.
    pub eager: &'static str,
    /// When parsed term by term.
    pub lazy: &'static str,
    /// The scheduler's text when parsed as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eager_error: Option<String>,
    /// The same when parsed term by term.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lazy_error: Option<String>,
    /// The first term that matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched_term: Option<usize>,
    /// The term with the fewest requirements that fail, if none matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest_term: Option<usize>,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The terms; absent in a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<TermCheck>>,
}

/// A term against a node.
#[derive(Debug, Serialize)]
pub struct TermCheck {
    /// Its index.
    pub index: usize,
    /// `Match`, `NoMatch`, `Empty`, `Error`
    pub outcome: &'static str,
    /// Its requirements: expressions, then fields.
    pub requirements: Vec<RequirementCheck>,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}

/// A requirement against a node.
#[derive(Debug, Serialize)]
pub struct RequirementCheck {
    /// Its path below the selector.
    pub path: String,
    /// Label or field.
    pub key: String,
    /// As written.
    pub operator: String,
    /// As written.
    pub values: Vec<String>,
    /// What the node has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// `null`: it cannot be parsed, or is not looked at.
    pub holds: Option<bool>,
    /// In our words; of one that cannot be parsed, the scheduler's.
    pub why: String,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
}
