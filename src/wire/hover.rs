//! The verb `hover`: information about the key or value at a position.

use super::answer::{self, Answer};
use super::content::{Content, Hover};
use super::request::{Request, TextPosition};
use crate::api::Release;
use crate::editor;
use crate::limits::Limits;
use crate::manifest::Input;

const VERB: &str = "hover";

/// The fields of a request that `hover` and `complete` need.
pub struct PositionRequest<'r> {
    pub text: &'r str,
    pub release: Option<Release>,
    pub position: TextPosition,
}

/// The position fields of a request; an error message if one is missing or unknown.
pub fn position_request(request: &Request) -> Result<PositionRequest<'_>, String> {
    request.locale()?;
    let text = request.text.as_deref().ok_or("`text` is missing: the manifest")?;
    within(text, &request.limits)?;
    let position = request.position.ok_or("`position` is missing: `{\"line\": 0, \"character\": 0}` or `{\"offset\": 0}`")?;
    Ok(PositionRequest { text, release: request.release()?, position })
}

/// An error message for a text over the limit `bytes`, because these verbs have no findings.
pub fn within(text: &str, limits: &Limits) -> Result<(), String> {
    if text.len() > limits.bytes {
        return Err(format!("the text has {} bytes, the limit is {}", text.len(), limits.bytes));
    }
    Ok(())
}

/// Answers `hover`.
pub fn hover(request: &Request) -> Answer {
    let asked = match position_request(request) {
        Ok(asked) => asked,
        Err(error) => return Answer::unusable(Some(VERB), &error),
    };
    let input = Input::read(asked.text, asked.release, &request.limits);
    let source = &input.file.source;
    let offset = asked.position.offset(source);
    let hover = editor::hover::hover(&input, offset, asked.release, request.sentences.as_ref());
    let gates = |release| request.gates_in(release);
    let hover = match hover {
        Some(field) => match editor::expression::hover(&input, offset, &gates, &field.key) {
            Ok(inside) => Some(inside.unwrap_or(field)),
            Err(error) => return Answer::unusable(Some(VERB), &error),
        },
        None => None,
    };
    let hover = hover.map(|hover| {
        Box::new(Hover {
            range: answer::range(source, hover.span),
            title: hover.title,
            key: hover.key,
            field: hover.field,
            documentation: hover.documentation,
            markdown: hover.markdown,
        })
    });
    Answer::with(VERB, Content::Hover { hover })
}
