//! One request, one answer: the whole public interface. A bad document gives an answer, never an exception.

pub mod admit;
pub mod answer;
pub mod request;

mod allocate;
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
mod validate;

pub use crate::scheduler::FULL_NODES;
pub use answer::Answer;
pub use content::{Compiled, Content, Run, Traced};
pub use options::{AllocateOptions, CelEnvironment};
pub use request::Request;

use crate::place::PreparedNodes;
use crate::scheduler::PreparedCluster;
use serde::Serialize;

/// The verbs whose answers contain sentences of a locale.
const TELLING: &[&str] = &["hover", "complete", "jsonSchema", "codes", "releases"];

/// Answers a request.
pub fn run(request: &Request) -> Answer {
    finished(request, carry_out(request))
}

/// Answers `evaluate` on prepared nodes; ignores the request's own `nodes`.
pub fn evaluate_on(request: &Request, nodes: &PreparedNodes) -> Answer {
    finished(request, evaluate::evaluate_on(request, nodes))
}

/// Answers `allocate` about a prepared cluster; ignores the request's own `cluster`.
pub fn allocate_on(request: &Request, cluster: &PreparedCluster) -> Answer {
    finished(request, allocate::allocate(request, Some(cluster)))
}

/// An answer with what is said of bytes that are not UTF-8.
fn finished(request: &Request, mut answer: Answer) -> Answer {
    if answer.error.is_none() {
        replaced::tell(request, &mut answer);
    }
    answer
}

fn carry_out(request: &Request) -> Answer {
    match request.verb.as_str() {
        "parse" => parse::parse(request),
        "validate" => validate::validate(request),
        "convert" => convert::convert(request),
        "evaluate" => evaluate::evaluate(request),
        "admit" => admit::admit(request),
        "hover" => hover::hover(request),
        "complete" => complete::complete(request),
        "fixes" => fixes::fixes(request),
        "jsonSchema" => json_schema::json_schema(request),
        "codes" => lists::codes(request),
        "releases" => lists::releases(request),
        "cel" => cel::cel(request),
        "allocate" => allocate::allocate(request, None),
        verb => Answer::unusable(
            Some(verb),
            &format!(
                "{}; write one of `parse`, `validate`, `convert`, `evaluate`, `admit`, `hover`, `complete`, `fixes`, `jsonSchema`, `codes`, `releases`, `cel`, `allocate`",
                if verb.is_empty() { "`verb` is missing".to_owned() } else { format!("unknown verb `{verb}`") }
            ),
        ),
    }
}

/// Answers one JSON request with one JSON answer, both without a line end.
pub fn answer(request: &str) -> String {
    answer_with(request, |_| None)
}

/// Like [`answer()`], with a locale's file for the verbs that answer with sentences, unless the request has its own.
pub fn answer_with(request: &str, locale: impl Fn(&str) -> Option<&'static str>) -> String {
    let answer = match request::read::<Request>(request) {
        Ok(mut request) => {
            if request.sentences.is_none() && TELLING.contains(&request.verb.as_str()) {
                let file = request.locale().ok().and_then(locale);
                request.sentences = file.and_then(|file| serde_json::from_str(file).ok());
            }
            run(&request)
        }
        Err(error) => Answer::unusable(None, &format!("the request cannot be used: {error}")),
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
