//! Requests of the contract that a policy host receives (raw mode).

use super::admit::{self, MAX_PAYLOAD};
use super::answer::Answer;
use super::{Request, convert, evaluate, parse, validate};
use crate::finding::Severity;
use crate::limits::Limits;
use crate::policy::response::{AdmissionResponse, ValidationResponse};
use crate::text::Span;
use crate::text::tree::{NodeId, Tree};
use serde::Serialize;

/// A verb and what answers it.
type Verb = (&'static str, fn(&Request) -> Answer);

/// The verbs that policy hosts support. The modules hold what these need and no other verb.
const VERBS: [Verb; 5] = [
    ("parse", parse::parse),
    ("validate", validate::validate),
    ("convert", convert::convert),
    ("evaluate", evaluate::evaluate),
    ("admit", admit::admit),
];

/// Answers a request of the contract with the limits of a policy host.
fn run(text: &str) -> Answer {
    let mut request = match super::request::read::<Request>(text) {
        Ok(request) => request,
        Err(error) => return Answer::unusable(None, &format!("the request cannot be used: {error}")),
    };
    let most = Limits::default();
    let asked = request.limits;
    // A request can only lower the limits, because it uses the memory of the host.
    request.limits = Limits {
        bytes: asked.bytes.min(MAX_PAYLOAD),
        depth: asked.depth.min(most.depth),
        nodes: asked.nodes.min(most.nodes),
        findings: asked.findings.min(most.findings),
        node_set_bytes: asked.node_set_bytes.min(MAX_PAYLOAD),
    };
    let verb = request.verb.as_str();
    if let Some((_, answered)) = VERBS.iter().find(|(name, _)| *name == verb) {
        return super::finished(&request, answered(&request));
    }
    let names = VERBS.map(|(name, _)| name).join("`, `");
    Answer::unusable(Some(verb), &format!("unknown verb `{verb}`; write one of `{names}`"))
}

/// Answers a request of the contract as all policy hosts do.
pub fn answer(request: &[u8]) -> String {
    match admit::utf8(request) {
        Ok(text) => super::print(&run(text)),
        Err(problem) => super::print(&Answer::unusable(None, &problem)),
    }
}

/// The HTTP code of an answer that is not `ok`.
fn code(answer: &Answer) -> Option<u16> {
    match (answer.ok, &answer.error) {
        (true, _) => None,
        (false, Some(_)) => Some(400),
        (false, None) => Some(422),
    }
}

/// Kubewarden's raw mode: the answer is in the message, so that a policy without mutation can return it.
pub fn raw_response(request: &str) -> ValidationResponse {
    let answer = run(request);
    ValidationResponse {
        accepted: answer.ok,
        code: code(&answer),
        message: Some(super::print(&answer)),
        ..ValidationResponse::default()
    }
}

/// The answer of the contract, with OPA's fields first.
pub fn opa_answer(request: &str) -> String {
    let answer = run(request);
    super::print(&OpaAnswer { head: OpaHead::of(&answer), answer })
}

/// The answer where Kubewarden asks a module of OPA in raw mode: it reads `response` alone, whose message is the answer.
pub fn opa_response(request: &str, uid: &str) -> String {
    let answer = run(request);
    let response = AdmissionResponse::saying(uid, answer.ok, super::print(&answer), code(&answer));
    super::print(&OpaResponse { head: OpaHead::of(&answer), response })
}

impl OpaHead {
    fn of(answer: &Answer) -> Self {
        let messages = |severity| {
            let findings = answer.findings.iter().filter(move |finding| finding.severity == severity);
            findings.map(|finding| finding.message.clone())
        };
        let message = answer.error.clone().or_else(|| messages(Severity::Error).next());
        OpaHead {
            allowed: answer.ok,
            code: code(answer),
            message: message.filter(|_| !answer.ok),
            warnings: messages(Severity::Warning).collect(),
        }
    }
}

#[derive(Serialize)]
struct OpaHead {
    allowed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct OpaAnswer {
    #[serde(flatten)]
    head: OpaHead,
    #[serde(flatten)]
    answer: Answer,
}

#[derive(Serialize)]
struct OpaResponse {
    #[serde(flatten)]
    head: OpaHead,
    response: AdmissionResponse,
}

/// The text of `node` if it is a request of the contract, which has a `verb` unlike an AdmissionRequest. Hosts add a `uid`.
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
