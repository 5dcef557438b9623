//! The verb `validate` with the operations `patch` and `patchStatus`.

use super::answer::{self, Answer, AnswerObject};
use super::json::Json;
use super::request::{self, OperationName, ValidateRequest, Verb};
use super::sources::Texts;
use crate::apiserver::options::ValidateOptions;
use crate::apiserver::patch::{self, Patch, PatchType};
use claimkit_model::finding::TextField;
use claimkit_model::message::Words;
use claimkit_model::text::Source;
use claimkit_values::time::Time;

/// Returns the text of the object that is patched.
///
/// # Errors
/// There are several texts.
fn one_object(old: &Texts) -> Result<&str, Words> {
    old.one()
        .ok_or_else(|| Words::english("`old` is a list: a patch takes one text, the stored object"))
}

/// Answers `validate` of a patch. The error says what the request lacks.
pub fn patch(request: &ValidateRequest) -> Result<Answer, Words> {
    let old = request.old.as_ref().map(one_object).transpose()?;
    if old.is_none() && request.patch_type != PatchType::Apply {
        return Err(Words::english(
            "`old` is missing: a patch needs the stored object's text; only `apply` creates an object",
        ));
    }
    // Hosts whose functions take a single text pass the patch as `text`.
    let text = match (request.patch.as_deref(), request.text.as_deref()) {
        (Some(patch), None) | (None, Some(patch)) => patch,
        (None, None) => {
            return Err(Words::english("`patch` is missing: the text of the patch"));
        }
        (Some(_), Some(_)) => {
            return Err(Words::english(
                "`text` does not go with `patch`: write one of them",
            ));
        }
    };
    if let Some(time) = request.time.as_deref()
        && let Err(error) = Time::parse(time)
    {
        return Err(Words::english(format!("`time` is no time: {error}")));
    }
    let release = request::release(request.release.as_deref())?;
    let patch = Patch {
        text,
        kind: request.patch_type,
        status: request.operation == OperationName::PatchStatus,
        field_manager: request.field_manager.as_deref(),
        force: request.force,
        time: request.time.as_deref(),
    };
    let options = ValidateOptions {
        release,
        ..request.options()
    };
    let done = match old {
        Some(old) => patch::patch(old, &patch, &options)?,
        None => patch::apply_new(&patch, &options)?,
    };
    let nowhere = Source::new("");
    let object = done.judged.map(|judged| AnswerObject {
        range: None,
        object: done.json.and_then(Json::of_text),
        changes: done.changes.as_ref().and_then(Json::of),
        ..AnswerObject::judged(&nowhere, judged)
    });
    let (old_source, patch_source) = (Source::new(old.unwrap_or_default()), Source::new(text));
    let mut findings = Vec::with_capacity(done.findings.len());
    for finding in done.findings {
        findings.push(match finding.within {
            TextField::Old => answer::finding(&old_source, finding),
            // The patch may be the request's `text`.
            _ if request.patch.is_none() => {
                answer::finding(&patch_source, finding.about(TextField::Text))
            }
            _ => answer::finding(&patch_source, finding),
        });
    }
    Ok(Answer {
        ok: done.ok,
        objects: object.into_iter().collect(),
        findings,
        ..Answer::to(Verb::Validate)
    })
}
