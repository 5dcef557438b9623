//! Requests and answers in JSON, as the command line, JavaScript and policy hosts send them. A bad document gives an answer, never
//! an error. The JSON is stable; the Rust types behind it are not part of the interface.

#[doc(hidden)]
pub mod admission;
#[doc(hidden)]
pub mod admit;
mod admit_policies;
mod admit_texts;
#[doc(hidden)]
pub mod answer;
mod fields;
mod members;
#[doc(hidden)]
pub mod request;

mod allocate;
mod audit;
mod cel;
mod complete;
#[doc(hidden)]
pub mod content;
mod convert;
mod evaluate;
mod fixes;
#[doc(hidden)]
pub mod hosts;
mod hover;
#[doc(hidden)]
pub mod json;
mod json_schema;
mod lists;
mod options;
mod parse;
mod patch;
#[doc(hidden)]
pub mod raw_mode;
mod replaced;
mod select;
#[doc(hidden)]
pub mod sources;
mod symbols;
mod upgrade;
mod validate;

#[doc(hidden)]
pub use crate::evaluate::FULL_NODES;
#[doc(hidden)]
pub use answer::Answer;
#[doc(hidden)]
pub use content::{CompileContent, Content, RunContent, Traced};
#[doc(hidden)]
pub use convert::convert_each;
#[doc(hidden)]
pub use options::{AccountOptions, CelEnvironment, MatrixOption};
#[doc(hidden)]
pub use request::Request;

use crate::allocate::PreparedCluster;
use crate::editor::sentences::Sentences;
use claimkit_model::finding::TextField;
use claimkit_scheduler::PreparedNodes;
use request::{AllocateRequest, ConvertRequest, EvaluateRequest, ParseRequest, ValidateRequest};
use serde::Serialize;
use sources::Texts;

/// Answers a request.
#[doc(hidden)]
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
        Request::Audit(request) => {
            let answer = sources::in_files(request.sources.as_deref(), audit::audit(request));
            request
                .replaced
                .tell(&[(TextField::Text, request.text.as_deref())], answer)
        }
        Request::Upgrade(request) => {
            let answer = sources::in_files(request.sources.as_deref(), upgrade::upgrade(request));
            request
                .replaced
                .tell(&[(TextField::Text, request.text.as_deref())], answer)
        }
    };
    answer.by_rules_of(request.release())
}

fn parse(request: &ParseRequest) -> Answer {
    let answer = sources::in_files(request.sources.as_deref(), parse::parse(request));
    request
        .replaced
        .tell(&[(TextField::Text, request.text.as_deref())], answer)
}

fn convert(request: &ConvertRequest) -> Answer {
    let answer = sources::in_files(request.sources.as_deref(), convert::convert(request));
    request
        .replaced
        .tell(&[(TextField::Text, request.text.as_deref())], answer)
}

fn validate(request: &ValidateRequest) -> Answer {
    let texts = [
        (TextField::Text, request.text.as_deref()),
        (TextField::Old, request.old.as_ref().and_then(Texts::one)),
        (TextField::Patch, request.patch.as_deref()),
    ];
    let answer = sources::in_files(request.sources.as_deref(), validate::validate(request));
    let answer = warn_of_bytes(TextField::Old, request.old.as_ref(), answer);
    request.replaced.tell(&texts, answer)
}

/// Warns of invalid bytes in the texts of a field that have names.
fn warn_of_bytes(field: TextField, texts: Option<&Texts>, answer: Answer) -> Answer {
    let named = texts.and_then(Texts::several).unwrap_or_default();
    sources::warn_of_bytes(field, named, answer)
}

fn evaluate(request: &EvaluateRequest) -> Answer {
    evaluated(request, evaluate::evaluate(request))
}

/// Answers `evaluate` on prepared nodes; ignores the request's own `nodes`.
#[doc(hidden)]
pub fn evaluate_on(request: &EvaluateRequest, nodes: &PreparedNodes) -> Answer {
    evaluated(request, evaluate::evaluate_on(request, nodes))
        .by_rules_of(request::release(request.release.as_deref()).ok().flatten())
}

fn evaluated(request: &EvaluateRequest, answer: Answer) -> Answer {
    let text = request.text.as_deref().or(request.selector.as_deref());
    let nodes = request.nodes.as_ref().and_then(Option::as_ref);
    let texts = [
        (TextField::Text, text),
        (TextField::Nodes, nodes.and_then(Texts::one)),
    ];
    let answer = sources::in_files(request.sources.as_deref(), answer);
    let answer = warn_of_bytes(TextField::Nodes, nodes, answer);
    request.replaced.tell(&texts, answer)
}

/// Answers `allocate` about a prepared cluster; ignores the request's own `cluster`.
#[doc(hidden)]
pub fn allocate_on(request: &AllocateRequest, cluster: &PreparedCluster) -> Answer {
    allocated(request, allocate::allocate(request, Some(cluster)))
        .by_rules_of(Some(cluster.release()))
}

fn allocated(request: &AllocateRequest, answer: Answer) -> Answer {
    let (nodes, cluster) = (request.nodes.as_ref(), request.cluster.as_ref());
    let texts = [
        (TextField::Text, request.text.as_deref()),
        (TextField::Nodes, nodes.and_then(Texts::one)),
        (TextField::Cluster, cluster.and_then(Texts::one)),
    ];
    let answer = sources::in_files(request.sources.as_deref(), answer);
    let answer = warn_of_bytes(TextField::Nodes, nodes, answer);
    let answer = warn_of_bytes(TextField::Cluster, cluster, answer);
    request.replaced.tell(&texts, answer)
}

/// Answers one JSON request with one JSON answer, both without a line end.
///
/// ```
/// let answer = claimkit::requests::answer(r#"{"verb": "validate", "text": "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"}"#);
/// assert!(answer.starts_with(r#"{"verb":"validate","ok":false,"#), "{answer}");
/// assert!(claimkit::requests::answer("{}").contains("`verb` is missing"));
/// ```
pub fn answer(request: &str) -> String {
    answer_with(request, |_| None)
}

/// Answers as [`answer()`] does, with a locale's sentences for the verbs that answer with sentences, unless the request has its
/// own.
#[doc(hidden)]
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

/// Prints an answer as one line of JSON.
#[doc(hidden)]
pub fn print(answer: &impl Serialize) -> String {
    // As large as a usual answer, which would grow five times otherwise.
    let mut json = Vec::with_capacity(4 << 10);
    match serde_json::to_writer(&mut json, answer) {
        Ok(()) => String::from_utf8(json).unwrap_or_default(),
        Err(_) => String::new(),
    }
}
