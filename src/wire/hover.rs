//! The verb `hover`: what there is to say about the key or value at a place.

use super::answer::{self, Answer};
use super::request::{Place, Request};
use crate::api::Release;
use crate::editor;
use crate::limits::Limits;
use crate::manifest::Input;

const VERB: &str = "hover";

/// What `hover` and `complete` need of a request.
pub struct Asked<'r> {
    pub text: &'r str,
    pub release: Option<Release>,
    pub position: Place,
}

/// The parts of a request about a place; an error text if one is missing or unknown.
pub fn asked(request: &Request) -> Result<Asked<'_>, String> {
    request.locale()?;
    let text = request.text.as_deref().ok_or("`text` is missing: the manifest")?;
    within(text, &request.limits)?;
    let position = request.position.ok_or("`position` is missing: `{\"line\": 0, \"character\": 0}` or `{\"offset\": 0}`")?;
    Ok(Asked { text, release: request.release()?, position })
}

/// An error text for a text beyond the limit `bytes`: these verbs have no findings to tell it with.
pub fn within(text: &str, limits: &Limits) -> Result<(), String> {
    if text.len() > limits.bytes {
        return Err(format!("the text has {} bytes, the limit is {}", text.len(), limits.bytes));
    }
    Ok(())
}

/// Answers `hover`.
pub fn hover(request: &Request) -> Answer {
    let asked = match asked(request) {
        Ok(asked) => asked,
        Err(error) => return Answer::unusable(Some(VERB), &error),
    };
    let input = Input::read(asked.text, asked.release, &request.limits);
    let source = &input.file.source;
    let offset = asked.position.offset(source);
    let hover = editor::hover::hover(&input, offset, asked.release, request.sentences.as_ref());
    let hover = hover.map(|hover| answer::Hover {
        range: answer::range(source, hover.span),
        title: hover.title,
        key: hover.key,
        field: hover.field,
        documentation: hover.documentation,
        markdown: hover.markdown,
    });
    Answer { ok: true, hover: Some(hover), ..Answer::to(VERB) }
}
