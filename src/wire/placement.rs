//! How a placement is answered: per node a verdict with its reason, and as much explanation as was asked for.

use super::answer::Range;
use crate::json::{Members, Out, ToJson};

/// `objects[i].placement`
#[derive(Debug)]
pub struct Placement {
    /// The release whose scheduler was followed.
    pub release: String,
    /// `full` or `summary`: how much each node tells.
    pub detail: &'static str,
    /// How many nodes got which verdict.
    pub counts: Counts,
    /// The scheduler's reasons, and how many nodes got each.
    pub reasons: Vec<ReasonCount>,
    /// What the pod is told once the nodes were looked at.
    pub next: Option<Next>,
    /// Per selector, which requirement removes which nodes.
    pub selectors: Vec<Inverse>,
    /// The nodes, in the order given.
    pub nodes: Vec<Node>,
}

impl ToJson for Box<Placement> {
    fn write(&self, out: &mut Out) {
        (**self).write(out);
    }
}

impl Members for Placement {
    fn members(&self, out: &mut Out) {
        let Placement { release, detail, counts, reasons, next, selectors, nodes } = self;
        out.put("release", release);
        out.put("detail", detail);
        out.put("counts", counts);
        out.some("reasons", reasons);
        out.some("next", next);
        out.some("selectors", selectors);
        out.put("nodes", nodes);
    }
}

/// How many nodes got which verdict.
#[derive(Debug, Default)]
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

impl Members for Counts {
    fn members(&self, out: &mut Out) {
        let Counts { yes, possible, no, error } = self;
        out.put("yes", yes);
        out.put("possible", possible);
        out.put("no", no);
        out.put("error", error);
    }
}

/// A reason of the scheduler.
#[derive(Debug)]
pub struct ReasonCount {
    /// Its text.
    pub reason: String,
    /// How many nodes.
    pub nodes: usize,
}

impl Members for ReasonCount {
    fn members(&self, out: &mut Out) {
        let ReasonCount { reason, nodes } = self;
        out.put("reason", reason);
        out.put("nodes", nodes);
    }
}

/// What happens next.
#[derive(Debug)]
pub struct Next {
    /// The scheduler's text.
    pub scheduler_reason: &'static str,
    /// In our words.
    pub why: &'static str,
}

impl Members for Next {
    fn members(&self, out: &mut Out) {
        let Next { scheduler_reason, why } = self;
        out.put("schedulerReason", scheduler_reason);
        out.put("why", why);
    }
}

/// One selector, seen from its requirements.
#[derive(Debug)]
pub struct Inverse {
    /// Its path.
    pub source: String,
    /// Index of its object in `objects`.
    pub object: Option<usize>,
    /// How many nodes it selects.
    pub selects: usize,
    /// Every requirement of every term that can be used.
    pub requirements: Vec<InverseRequirement>,
}

impl Members for Inverse {
    fn members(&self, out: &mut Out) {
        let Inverse { source, object, selects, requirements } = self;
        out.put("source", source);
        out.some("object", object);
        out.put("selects", selects);
        out.put("requirements", requirements);
    }
}

/// One requirement, seen from the nodes.
#[derive(Debug)]
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
    pub range: Option<Range>,
}

impl Members for InverseRequirement {
    fn members(&self, out: &mut Out) {
        let InverseRequirement { term, path, removes, removes_alone, alone, empties, range } = self;
        out.put("term", term);
        out.put("path", path);
        out.put("removes", removes);
        out.put("removesAlone", removes_alone);
        out.put("alone", alone);
        out.put("empties", empties);
        out.some("range", range);
    }
}

/// One node.
#[derive(Debug)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// `Yes`, `Possible`, `No`, `Error`
    pub verdict: &'static str,
    /// Why, in one line.
    pub reason: String,
    /// The scheduler's text, if it refuses.
    pub scheduler_reason: Option<String>,
    /// What in the text decides.
    pub range: Option<Range>,
    /// With the request field `selector`: its check.
    pub selector: Option<SelectorCheck>,
    /// The claims with their checks, unless only a summary is told.
    pub claims: Option<Vec<Claim>>,
}

impl Members for Node {
    fn members(&self, out: &mut Out) {
        let Node { name, verdict, reason, scheduler_reason, range, selector, claims } = self;
        out.put("name", name);
        out.put("verdict", verdict);
        out.put("reason", reason);
        out.some("schedulerReason", scheduler_reason);
        out.some("range", range);
        out.some("selector", selector);
        out.some("claims", claims);
    }
}

/// A claim on a node.
#[derive(Debug)]
pub struct Claim {
    /// `namespace/name`; absent for a class alone, or where there is no claim yet.
    pub claim: Option<String>,
    /// Index of the claim, template or class in `objects`.
    pub object: Option<usize>,
    /// `name` of the pod's entry.
    pub entry: Option<String>,
    /// The class.
    pub class: Option<String>,
    /// `Allocated`, `Unallocated`, `NotCreated`
    pub stage: &'static str,
    /// `spec.allocationMode`
    pub mode: Option<String>,
    /// For this claim alone.
    pub verdict: &'static str,
    /// Why, in one line.
    pub reason: String,
    /// The scheduler's text, if it refuses.
    pub scheduler_reason: Option<String>,
    /// In the scheduler's order.
    pub checks: Vec<Check>,
}

impl Members for Claim {
    fn members(&self, out: &mut Out) {
        let Claim { claim, object, entry, class, stage, mode, verdict, reason, scheduler_reason, checks } = self;
        out.some("claim", claim);
        out.some("object", object);
        out.some("entry", entry);
        out.some("class", class);
        out.put("stage", stage);
        out.some("mode", mode);
        out.put("verdict", verdict);
        out.put("reason", reason);
        out.some("schedulerReason", scheduler_reason);
        out.put("checks", checks);
    }
}

/// One check.
#[derive(Debug)]
pub struct Check {
    /// `exists`, `deleted`, `owner`, `allocated`, `deallocation`, `inUse`, `class`, `parameters`, `parse`, `context`, `selector`, `unrestricted`,
    /// `refused`, `unsuitable`, `potential`, `selected`, `structured`
    pub check: &'static str,
    /// Whether it lets the node pass; `null` where it decides nothing.
    pub holds: Option<bool>,
    /// In our words.
    pub why: String,
    /// The scheduler's text, if it refuses.
    pub scheduler_reason: Option<String>,
    /// Of a selector: the object it stands in.
    pub object: Option<usize>,
    /// Of a selector: what it says.
    pub selector: Option<SelectorCheck>,
}

impl Members for Check {
    fn members(&self, out: &mut Out) {
        let Check { check, holds, why, scheduler_reason, object, selector } = self;
        out.put("check", check);
        out.put("holds", holds);
        out.put("why", why);
        out.some("schedulerReason", scheduler_reason);
        out.some("object", object);
        if let Some(selector) = selector {
            selector.members(out);
        }
    }
}

/// A selector against a node.
#[derive(Debug)]
pub struct SelectorCheck {
    /// Path of the selector; absent for a bare one.
    pub source: Option<&'static str>,
    /// When parsed as a whole.
    pub eager: &'static str,
    /// When parsed term by term.
    pub lazy: &'static str,
    /// The scheduler's text when parsed as a whole.
    pub eager_error: Option<String>,
    /// The same when parsed term by term.
    pub lazy_error: Option<String>,
    /// The first term that matches.
    pub matched_term: Option<usize>,
    /// The term with the fewest requirements that fail, if none matches.
    pub nearest_term: Option<usize>,
    /// Where it stands.
    pub range: Option<Range>,
    /// The terms, unless only a summary is told.
    pub terms: Option<Vec<TermCheck>>,
}

impl Members for SelectorCheck {
    fn members(&self, out: &mut Out) {
        let SelectorCheck { source, eager, lazy, eager_error, lazy_error, matched_term, nearest_term, range, terms } = self;
        out.some("source", source);
        out.put("eager", eager);
        out.put("lazy", lazy);
        out.some("eagerError", eager_error);
        out.some("lazyError", lazy_error);
        out.some("matchedTerm", matched_term);
        out.some("nearestTerm", nearest_term);
        out.some("range", range);
        out.some("terms", terms);
    }
}

/// A term against a node.
#[derive(Debug)]
pub struct TermCheck {
    /// Its index.
    pub index: usize,
    /// `Match`, `NoMatch`, `Empty`, `Error`
    pub outcome: &'static str,
    /// Its requirements: expressions, then fields.
    pub requirements: Vec<RequirementCheck>,
    /// Where it stands.
    pub range: Option<Range>,
}

impl Members for TermCheck {
    fn members(&self, out: &mut Out) {
        let TermCheck { index, outcome, requirements, range } = self;
        out.put("index", index);
        out.put("outcome", outcome);
        out.put("requirements", requirements);
        out.some("range", range);
    }
}

/// A requirement against a node.
#[derive(Debug)]
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
    pub actual: Option<String>,
    /// `null`: it cannot be parsed, or is not looked at.
    pub holds: Option<bool>,
    /// In our words; of one that cannot be parsed, the scheduler's.
    pub why: String,
    /// Where it stands.
    pub range: Option<Range>,
}

impl Members for RequirementCheck {
    fn members(&self, out: &mut Out) {
        let RequirementCheck { path, key, operator, values, actual, holds, why, range } = self;
        out.put("path", path);
        out.put("key", key);
        out.put("operator", operator);
        out.put("values", values);
        out.some("actual", actual);
        out.put("holds", holds);
        out.put("why", why);
        out.some("range", range);
    }
}
