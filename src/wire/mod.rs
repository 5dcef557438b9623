//! One request, one answer: the whole public surface. A bad document is an answer, never an exception.

pub mod answer;
pub mod request;

mod parse;
mod validate;

pub use answer::Answer;
pub use request::Request;

use serde::Serialize;

/// Answers a request.
pub fn run(request: &Request) -> Answer {
    match request.verb.as_str() {
        "parse" => parse::parse(request),
        "validate" => validate::validate(request),
        verb => Answer::unusable(
            Some(verb),
            &format!("unknown verb `{verb}`; write one of `parse`, `validate`, `convert`, `evaluate`"),
        ),
    }
}

/// Answers one JSON request with one JSON answer, both without a line end.
pub fn answer(request: &str) -> String {
    let answer = match serde_json::from_str::<Request>(request) {
        Ok(request) => run(&request),
        Err(error) => Answer::unusable(None, &format!("the request cannot be used: {error}")),
    };
    print(&answer)
}

/// An answer as one line of JSON.
pub fn print(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).unwrap_or_else(|error| {
        let text = serde_json::Value::String(format!("the answer cannot be printed: {error}"));
        format!(r#"{{"ok":false,"error":{text},"findings":[],"objects":[]}}"#)
    })
}
