//! The verb `validate` with the operations `patch` and `patchStatus`.

use super::answer::{self, Answer, AnswerObject};
use super::json::Json;
use super::request::{self, OperationName, ValidateRequest, Verb};
use crate::apiserver::options::ValidateOptions;
use crate::apiserver::patch::{self, Patch, PatchType};
use claimkit_model::finding::{Finding, TextField};
use claimkit_model::message::Words;
use claimkit_model::text::Source;
use claimkit_values::time::Time;

/// Answers `validate` of a patch.
pub fn patch(request: &ValidateRequest) -> Answer {
    let unusable = |error: Words| Answer::unusable(Verb::Validate, error);
    let old = request.old.as_deref();
    if old.is_none() && request.patch_type != PatchType::Apply {
        return unusable(Words::english(
            "`old` is missing: a patch needs the stored object's text; only `apply` creates an object",
        ));
    }
    // Hosts whose functions take a single text pass the patch as `text`.
    let text = match (request.patch.as_deref(), request.text.as_deref()) {
        (Some(patch), None) | (None, Some(patch)) => patch,
        (None, None) => {
            return unusable(Words::english("`patch` is missing: the text of the patch"));
        }
        (Some(_), Some(_)) => {
            return unusable(Words::english(
                "`text` does not go with `patch`: write one of them",
            ));
        }
    };
    if let Some(time) = request.time.as_deref()
        && let Err(error) = Time::parse(time)
    {
        return unusable(Words::english(format!("`time` is no time: {error}")));
    }
    let release = match request::release(request.release.as_deref()) {
        Ok(release) => release,
        Err(error) => return unusable(error.into()),
    };
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
    let done = match old.map_or_else(
        || patch::apply_new(&patch, &options),
        |old| patch::patch(old, &patch, &options),
    ) {
        Ok(done) => done,
        Err(error) => return unusable(error.into()),
    };
    let nowhere = Source::new("");
    let object = done.judged.map(|judged| AnswerObject {
        range: None,
        object: done.json.and_then(Json::of_text),
        changes: done.changes.as_ref().and_then(Json::of),
        ..AnswerObject::judged(&nowhere, judged)
    });
    let (old, patch) = (Source::new(old.unwrap_or_default()), Source::new(text));
    let finding = |finding: Finding| match finding.within {
        TextField::Old => answer::finding(&old, finding),
        // The patch may be the request's `text`.
        _ if request.patch.is_none() => answer::finding(&patch, finding.about(TextField::Text)),
        _ => answer::finding(&patch, finding),
    };
    let findings = done.findings.into_iter().map(finding).collect();
    Answer {
        ok: done.ok,
        objects: object.into_iter().collect(),
        findings,
        ..Answer::to(Verb::Validate)
    }
}
