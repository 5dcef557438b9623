//! Requests of the contract that come to a policy host, and which of them a build answers.
//!
//! Everything else answers all of them. A policy module is fetched by every server of a cluster and held to a size, so each
//! has one job: admission, or the verbs that its features name.

use super::admit::{self, MAX_PAYLOAD};
use super::answer::Answer;
use crate::finding::Severity;
use crate::limits::Limits;
use crate::policy::response::ValidationResponse;
use crate::text::Span;
use crate::text::tree::{Kind, NodeId, Tree};
use serde::Serialize;

/// No policy module: nothing is left out.
const ALL: bool = !cfg!(any(feature = "kubewarden", feature = "opa", feature = "wasi"));
const VALIDATE: bool = ALL || cfg!(feature = "verb-validate");
const CONVERT: bool = ALL || cfg!(feature = "verb-convert");
const EVALUATE: bool = ALL || cfg!(feature = "verb-evaluate");

/// Whether AdmissionRequests are judged.
pub const ADMISSION: bool = ALL || !(VALIDATE || CONVERT || EVALUATE);

/// Whether `validate` applies patches: with them its module would have 80 KB more and be over its size.
pub const PATCHES: bool = ALL;

/// What a build without patches says to one.
pub const NO_PATCHES: &str = "this module applies no patches; the command line and the npm package do";

/// The verbs of policy hosts, whether this build answers them, and what ends the names of the modules that do.
const VERBS: [(&str, bool, &str); 5] = [
    ("parse", VALIDATE, "-validate"),
    ("validate", VALIDATE, "-validate"),
    ("convert", CONVERT, "-convert"),
    ("evaluate", EVALUATE, "-evaluate"),
    ("admit", ADMISSION, ""),
];

/// What a build says to a verb that another one answers.
pub fn elsewhere(verb: &str) -> String {
    let quoted = |(name, ..): &(&str, bool, &str)| format!("`{name}`");
    let Some((_, _, ending)) = VERBS.iter().find(|(known, ..)| *known == verb) else {
        return format!("unknown verb `{verb}`; write one of {}", VERBS.iter().map(quoted).collect::<Vec<_>>().join(", "));
    };
    let here = VERBS.iter().filter(|(_, here, _)| *here).map(quoted).collect::<Vec<_>>().join(", ");
    format!("this module answers {here} only; `{verb}` is in the modules `claimkit{ending}.wasm` and `claimkit-opa{ending}.wasm`")
}

/// Settings of a module that judges no admission: there is nothing to set.
pub fn no_settings(text: &str) -> Result<(), Vec<String>> {
    let none = || format!("settings: {}", elsewhere("admit"));
    if text.trim().is_empty() {
        return Ok(());
    }
    let document = admit::read(text).map_err(|problem| vec![format!("settings: {problem}")])?;
    let root = document.root.filter(|&root| !matches!(document.tree.kind(root), Kind::Null));
    let is_empty = |root| matches!(document.tree.kind(root), Kind::Map { .. }) && document.tree.entries(root).is_empty();
    if root.is_none_or(is_empty) { Ok(()) } else { Err(vec![none()]) }
}

/// A request of the contract, answered with the limits of a policy host.
fn run(text: &str) -> Answer {
    if ADMISSION && !ALL {
        return run_admit_alone(text);
    }
    let mut request = match super::request::read(text) {
        Ok(request) => request,
        Err(error) => return Answer::unusable(None, &format!("the request cannot be used: {error}")),
    };
    let most = Limits::default();
    let asked = request.limits;
    // Limits only go down: the host's memory is not the caller's to spend.
    request.limits = Limits {
        bytes: asked.bytes.min(MAX_PAYLOAD),
        depth: asked.depth.min(most.depth),
        nodes: asked.nodes.min(most.nodes),
        findings: asked.findings.min(most.findings),
        node_set_bytes: asked.node_set_bytes.min(MAX_PAYLOAD),
    };
    match request.verb.as_str() {
        "parse" if VALIDATE => super::parse::parse(&request),
        "validate" if VALIDATE => super::validate::validate(&request),
        "convert" if CONVERT => super::convert::convert(&request),
        "evaluate" if EVALUATE => super::evaluate::evaluate(&request),
        "admit" if ADMISSION => admit::admit(&request),
        verb => Answer::unusable(Some(verb), &elsewhere(verb)),
    }
}

/// Admission's own module reads a request without the machinery for the rest.
fn run_admit_alone(text: &str) -> Answer {
    let Ok(document) = admit::read(text) else { return Answer::unusable(None, "the request cannot be used") };
    let (tree, member) = admit::members(&document);
    let verb = member("verb").and_then(|verb| tree.str(verb)).unwrap_or_default();
    if verb != "admit" {
        return Answer::unusable(Some(verb), &elsewhere(verb));
    }
    let part = |name: &str| {
        let node = member(name).filter(|&node| !matches!(tree.kind(node), Kind::Null))?;
        let span = tree.span(node);
        text.get(span.from()..span.to())
    };
    admit::of_texts(part("request"), part("settings").unwrap_or_default())
}

/// A request of the contract, answered as every host of the policy answers it.
pub fn answer(request: &[u8]) -> String {
    match admit::utf8(request) {
        Ok(text) => super::print(&run(text)),
        Err(problem) => super::print(&Answer::unusable(None, &problem)),
    }
}

/// The code of an answer that is not `ok`.
fn code(answer: &Answer) -> Option<u16> {
    match (answer.ok, &answer.error) {
        (true, _) => None,
        (false, Some(_)) => Some(400),
        (false, None) => Some(422),
    }
}

/// Kubewarden's raw mode: the answer is the message, so that a policy that may not change anything can give it.
pub fn raw_response(request: &str) -> ValidationResponse {
    let answer = run(request);
    ValidationResponse {
        accepted: answer.ok,
        code: code(&answer),
        message: Some(super::print(&answer)),
        ..ValidationResponse::default()
    }
}

/// The answer of the contract with OPA's fields before it.
pub fn opa_answer(request: &str) -> String {
    let answer = run(request);
    let errors = || answer.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let message = answer.error.clone().or_else(|| errors().next().map(|finding| finding.message.clone()));
    let warnings = answer.findings.iter().filter(|finding| finding.severity == Severity::Warning);
    let head = OpaHead {
        allowed: answer.ok,
        code: code(&answer),
        message: message.filter(|_| !answer.ok),
        warnings: warnings.map(|finding| finding.message.clone()).collect(),
        answer,
    };
    super::print(&head)
}

#[derive(Serialize)]
struct OpaHead {
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    warnings: Vec<String>,
    #[serde(flatten)]
    answer: Answer,
}

/// The text of a request of the contract, if it is one: no AdmissionRequest has a `verb`. Hosts add a `uid`.
pub fn contract_request(tree: &Tree<'_>, node: Option<NodeId>) -> Option<String> {
    let node = node?;
    tree.get(node, "verb").filter(|&verb| tree.str(verb).is_some())?;
    let whole = tree.span(node);
    let text = |span: Span| tree.source().get(span.from()..span.to()).unwrap_or_default();
    if tree.get(node, "uid").is_none() {
        return Some(text(whole).to_owned());
    }
    let members: Vec<String> = tree
        .entries(node)
        .iter()
        .filter(|entry| tree.text(entry.key) != "uid")
        .map(|entry| format!("{}:{}", text(entry.key_span), text(tree.span(entry.value))))
        .collect();
    Some(format!("{{{}}}", members.join(",")))
}
