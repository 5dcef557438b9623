//! One request, one answer: the whole public interface. A bad document gives an answer, never an exception.

pub mod admit;
pub mod answer;
mod fields;
mod members;
pub mod request;

mod allocate;
mod audit;
mod cel;
mod complete;
pub mod content;
mod convert;
mod evaluate;
mod fixes;
pub mod hosts;
mod hover;
mod json_schema;
mod lists;
mod options;
mod parse;
mod patch;
pub mod raw_mode;
mod replaced;
mod select;
mod symbols;
mod validate;

pub use crate::scheduler::FULL_NODES;
pub use answer::Answer;
pub use content::{Compiled, Content, Run, Traced};
pub use options::{AllocateOptions, CelEnvironment};
pub use request::Request;

use crate::editor::sentences::Sentences;
use crate::finding::TextField;
use crate::place::PreparedNodes;
use crate::scheduler::PreparedCluster;
use request::{AllocateRequest, ConvertRequest, EvaluateRequest, ParseRequest, ValidateRequest};
use serde::Serialize;

/// Answers a request.
pub fn run(request: &Request) -> Answer {
    let answer = match request {
        Request::Parse(request) => parse(request),
        Request::Validate(request) => validate(request),
        Request::Convert(request) => convert(request),
        Request::Evaluate(request) => evaluate(request),
        Request::Admit(request) => admit::admit(request),
        Request::Hover(request) => hover::hover(request),
        Request::Complete(request) => complete::complete(request),
        Request::Symbols(request) => symbols::symbols(request),
        Request::Fixes(request) => fixes::fixes(request),
        Request::JsonSchema(request) => json_schema::json_schema(request),
        Request::Codes(request) => lists::codes(request),
        Request::Releases(request) => lists::releases(request),
        Request::Cel(request) => cel::cel(request),
        Request::Allocate(request) => allocated(request, allocate::allocate(request, None)),
        Request::Audit(request) => request.replaced.tell(&[(TextField::Text, request.text.as_deref())], audit::audit(request)),
    };
    answer.by_rules_of(request.release())
}

fn parse(request: &ParseRequest) -> Answer {
    request.replaced.tell(&[(TextField::Text, request.text.as_deref())], parse::parse(request))
}

fn convert(request: &ConvertRequest) -> Answer {
    request.replaced.tell(&[(TextField::Text, request.text.as_deref())], convert::convert(request))
}

fn validate(request: &ValidateRequest) -> Answer {
    let texts = [
        (TextField::Text, request.text.as_deref()),
        (TextField::Old, request.old.as_deref()),
        (TextField::Patch, request.patch.as_deref()),
    ];
    request.replaced.tell(&texts, validate::validate(request))
}

fn evaluate(request: &EvaluateRequest) -> Answer {
    evaluated(request, evaluate::evaluate(request))
}

/// Answers `evaluate` on prepared nodes; ignores the request's own `nodes`.
pub fn evaluate_on(request: &EvaluateRequest, nodes: &PreparedNodes) -> Answer {
    evaluated(request, evaluate::evaluate_on(request, nodes))
        .by_rules_of(request::release(request.release.as_deref()).ok().flatten())
}

fn evaluated(request: &EvaluateRequest, answer: Answer) -> Answer {
    let text = request.text.as_deref().or(request.selector.as_deref());
    let nodes = request.nodes.as_ref().and_then(Option::as_deref);
    request.replaced.tell(&[(TextField::Text, text), (TextField::Nodes, nodes)], answer)
}

/// Answers `allocate` about a prepared cluster; ignores the request's own `cluster`.
pub fn allocate_on(request: &AllocateRequest, cluster: &PreparedCluster) -> Answer {
    allocated(request, allocate::allocate(request, Some(cluster))).by_rules_of(Some(cluster.release()))
}

fn allocated(request: &AllocateRequest, answer: Answer) -> Answer {
    let texts = [
        (TextField::Text, request.text.as_deref()),
        (TextField::Nodes, request.nodes.as_deref()),
        (TextField::Cluster, request.cluster.as_deref()),
    ];
    request.replaced.tell(&texts, answer)
}

/// Answers one JSON request with one JSON answer, both without a line end.
pub fn answer(request: &str) -> String {
    answer_with(request, |_| None)
}

/// Like [`answer()`], with a locale's sentences for the verbs that answer with sentences, unless the request has its own.
pub fn answer_with(request: &str, sentences: impl FnOnce(&str) -> Option<Sentences>) -> String {
    let answer = match Request::read(request) {
        Ok(mut request) => {
            request.fill(sentences);
            run(&request)
        }
        Err(problem) => Answer::unread(problem),
    };
    print(&answer)
}

/// An answer as one line of JSON.
pub fn print(answer: &impl Serialize) -> String {
    // As large as a usual answer, which would grow five times otherwise.
    let mut json = Vec::with_capacity(4 << 10);
    match serde_json::to_writer(&mut json, answer) {
        Ok(()) => String::from_utf8(json).unwrap_or_default(),
        Err(_) => String::new(),
    }
}
