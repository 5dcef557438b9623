//! The verb `complete`: completions at a position.

use super::answer::{self, Answer};
use super::content::{CompletionContent, Content};
use super::hover::checked;
use super::request::{self, PositionRequest, Verb};
use super::sources::NamedText;
use crate::editor;
use crate::editor::names::Beside;
use crate::manifest::Input;

const VERB: Verb = Verb::Complete;

/// Answers `complete`.
pub fn complete(request: &PositionRequest) -> Answer {
    let asked = match checked(request) {
        Ok(asked) => asked,
        Err(error) => return Answer::unusable(VERB, error),
    };
    let input = Input::read(asked.text, asked.release, &request.limits);
    let source = &input.file.source;
    let offset = asked.position.offset(source);
    let beside: Vec<Beside<'_>> = request.beside.iter().map(NamedText::beside).collect();
    let gates = |release| request::gates_in(&request.gates, release);
    let inside = editor::expression::complete(&input, offset, &gates, &beside);
    let inside = match inside {
        Ok(None) => editor::expression::begin(
            asked.text,
            offset,
            asked.release,
            &request.limits,
            &gates,
            &beside,
        ),
        inside => inside,
    };
    let inside = match inside {
        Ok(inside) => inside,
        Err(error) => return Answer::unusable(VERB, error),
    };
    let found = inside.unwrap_or_else(|| {
        editor::complete::complete(
            asked.text,
            offset,
            asked.release,
            request.sentences.as_ref(),
            &beside,
        )
    });
    let items = found.into_iter().map(|item| CompletionContent {
        filter_text: item.filter_text(asked.text),
        label: item.label,
        kind: item.sort,
        detail: item.detail,
        key: item.key,
        documentation: item.documentation,
        insert_text: item.insert,
        snippet: item.snippet,
        range: answer::range(source, item.span),
        required: item.required,
    });
    Answer::with(
        VERB,
        Content::Complete {
            items: items.collect(),
        },
    )
}
