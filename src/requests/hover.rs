//! The verb `hover`: information about the key or value at a position.

use super::answer::{self, Answer};
use super::content::{Content, HoverContent};
use super::request::{self, PositionRequest, TextPosition, Verb};
use super::sources::NamedText;
use crate::editor;
use crate::editor::names::Beside;
use crate::manifest::Input;
use claimkit_model::limits::Limits;
use claimkit_model::message::Words;
use claimkit_model::schema::Release;

const VERB: Verb = Verb::Hover;

/// A request of `hover` or `complete` with all it needs.
pub struct CheckedRequest<'r> {
    pub text: &'r str,
    pub release: Option<Release>,
    pub position: TextPosition,
}

/// Checks a request. The error says what is missing or unknown.
pub fn checked(request: &PositionRequest) -> Result<CheckedRequest<'_>, Words> {
    request::locale(request.locale.as_deref())?;
    let text = request
        .text
        .as_deref()
        .ok_or_else(|| Words::english("`text` is missing: the manifest"))?;
    within(text, &request.limits)?;
    let given = request
        .position
        .filter(|position| *position != TextPosition::default());
    let position = given.ok_or_else(|| {
        Words::english(
            "`position` is missing: `{\"line\": 0, \"character\": 0}` or `{\"offset\": 0}`",
        )
    })?;
    Ok(CheckedRequest {
        text,
        release: request::release(request.release.as_deref())?,
        position,
    })
}

/// Returns an error message for a text over the limit `bytes`, because these verbs have no findings.
pub fn within(text: &str, limits: &Limits) -> Result<(), Words> {
    if text.len() > limits.bytes {
        return Err(Words::english(format!(
            "the text has {} bytes, the limit is {}",
            text.len(),
            limits.bytes
        )));
    }
    Ok(())
}

/// Answers `hover`.
pub fn hover(request: &PositionRequest) -> Answer {
    let asked = match checked(request) {
        Ok(asked) => asked,
        Err(error) => return Answer::unusable(VERB, error),
    };
    let input = Input::read(asked.text, asked.release, &request.limits);
    let source = &input.file.source;
    let offset = asked.position.offset(source);
    let hover = editor::hover::hover(&input, offset, asked.release, request.sentences.as_ref());
    let gates = |release| request::gates_in(&request.gates, release);
    let beside: Vec<Beside<'_>> = request.beside.iter().map(NamedText::beside).collect();
    let hover = match hover {
        Some(field) => match editor::expression::hover(&input, offset, &gates, &field.key, &beside)
        {
            Ok(inside) => Some(inside.unwrap_or(field)),
            Err(error) => return Answer::unusable(VERB, error),
        },
        None => None,
    };
    let hover = hover.map(|hover| {
        Box::new(HoverContent {
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
