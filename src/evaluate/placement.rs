//! Answers about nodes: a verdict with a reason for each node, and the requested details.

use super::options::Detail;
use claimkit_model::finding::named;
use claimkit_model::message::{Message, Words};
use claimkit_model::text::located::Range;
pub use claimkit_scheduler::classic::matching::MatchOutcome;
pub use claimkit_scheduler::classic::placement::{CheckKind, PlacementVerdict};
use serde::Serialize;

/// `objects[i].placement`
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Placement {
    /// The release whose scheduler was followed.
    pub release: String,
    /// The level of detail for each node.
    pub detail: Detail,
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
    pub nodes: Vec<PlacedNode>,
}

impl Placement {
    /// Gives objects the index that they have in the answer about their own file, and names the file. `place`: both, by the index
    /// among the objects of all files.
    #[doc(hidden)]
    pub fn renumber<'n>(&mut self, place: &dyn Fn(usize) -> Option<(usize, &'n str)>) {
        let move_one = |object: &mut Option<usize>, file: &mut Option<Box<str>>| {
            let Some((index, name)) = object.and_then(place) else {
                return;
            };
            *object = Some(index);
            *file = Some(name.into());
        };
        for selector in &mut self.selectors {
            move_one(&mut selector.object, &mut selector.file);
        }
        let claims = self
            .nodes
            .iter_mut()
            .filter_map(|node| node.claims.as_mut())
            .flatten();
        for claim in claims {
            move_one(&mut claim.object, &mut claim.file);
            for check in &mut claim.checks {
                move_one(&mut check.object, &mut check.file);
            }
        }
    }
}

/// How many nodes got which verdict.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct ReasonCount {
    /// The text of the reason.
    pub reason: String,
    /// The number of nodes with this reason.
    pub nodes: usize,
}

/// The scheduler's next step.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Next {
    /// The text that the scheduler prints.
    pub scheduler_reason: &'static str,
    /// Help in claimkit's own words.
    pub why: Message,
}

/// One selector, seen from its requirements.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Inverse {
    /// The path of the requirement's source.
    pub source: String,
    /// Index of its object in `objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
    /// The object's file, where each file has an answer of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<str>>,
    /// How many nodes it selects.
    pub selects: usize,
    /// Every requirement of every term that can be used.
    pub requirements: Vec<InverseRequirement>,
}

/// One requirement, seen from the nodes.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The place in the text.
    pub range: Option<Range>,
}

/// The account of one node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlacedNode {
    /// The name of the claim.
    pub name: String,
    /// Whether the claims can be used there.
    pub verdict: PlacementVerdict,
    /// Why, in one line.
    pub reason: Words,
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
    pub claims: Option<Vec<PlacedClaim>>,
}

named! {
    /// The progress of a claim.
    ClaimStage {
        /// The claim has an allocation.
        Allocated = "Allocated",
        /// It is there, and not allocated.
        Unallocated = "Unallocated",
        /// It is not made from its template yet.
        NotCreated = "NotCreated",
    }
}

/// A claim on a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlacedClaim {
    /// `namespace/name`; absent for a class alone, or where there is no claim yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Index of the claim, template or class in `objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
    /// The object's file, where each file has an answer of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<str>>,
    /// `name` of the pod's entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The class of the claim.
    pub class: Option<String>,
    /// How far it is.
    pub stage: ClaimStage,
    /// `spec.allocationMode`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// For this claim alone.
    pub verdict: PlacementVerdict,
    /// Why, in one line.
    pub reason: Words,
    /// The scheduler's text, if it refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_reason: Option<String>,
    /// In the scheduler's order.
    pub checks: Vec<Check>,
}

/// A check of a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Check {
    /// The part of the scheduler's work that is checked.
    pub check: CheckKind,
    /// Whether the node passes it; `null` if it does not decide.
    pub holds: Option<bool>,
    /// Help in claimkit's own words.
    pub why: Words,
    /// The scheduler's text, if it refuses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_reason: Option<String>,
    /// With structured parameters: the instances that the claim gets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<Instance>,
    /// For a selector: the object that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
    /// The object's file, where each file has an answer of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<str>>,
    /// For a selector: its result.
    #[serde(flatten)]
    pub selector: Option<SelectorCheck>,
}

/// An instance of a driver (1.30).
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Instance {
    /// The name of the driver.
    pub driver: String,
    /// The name of the instance.
    pub name: String,
}

/// A selector against a node.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SelectorCheck {
    /// Path of the selector; absent for a bare one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<&'static str>,
    /// When parsed as a whole.
    pub eager: MatchOutcome,
    /// When parsed term by term.
    pub lazy: MatchOutcome,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The place in the text.
    pub range: Option<Range>,
    /// The terms; absent in a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terms: Option<Vec<TermCheck>>,
}

named! {
    /// Whether a term selects a node.
    TermOutcome {
        /// The term selects the node.
        Match = "Match",
        /// The term does not select the node.
        NoMatch = "NoMatch",
        /// It has no requirements and selects nothing.
        Empty = "Empty",
        /// It cannot be parsed.
        Error = "Error",
    }
}

/// A term against a node.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct TermCheck {
    /// The index of the term.
    pub index: usize,
    /// Whether it selects the node.
    pub outcome: TermOutcome,
    /// Its requirements: expressions, then fields.
    pub requirements: Vec<RequirementCheck>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The place in the text.
    pub range: Option<Range>,
}

/// A requirement against a node.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RequirementCheck {
    /// Its path below the selector.
    pub path: String,
    /// The label or field that is tested.
    pub key: String,
    /// The operator, as written in the manifest.
    pub operator: String,
    /// The values, as written in the manifest.
    pub values: Vec<String>,
    /// The value of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<String>,
    /// `null`: it cannot be parsed, or is not looked at.
    pub holds: Option<bool>,
    /// The reason in claimkit's words; for a term that cannot be parsed, in the scheduler's.
    pub why: Words,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The place in the text.
    pub range: Option<Range>,
}
