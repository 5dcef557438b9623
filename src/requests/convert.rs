//! The verb `convert`: converts the whole file to another version of the API group.

use super::answer::{self, Answer, AnswerObject, DecisionEntry, LossEntry, range};
use super::content::Content;
use super::json::Json;
use super::request::{self, ConvertRequest, Lossy, Verb};
use crate::convert::{self, ConvertOptions, ConvertTarget};
use crate::manifest::findings::nothing_checked;
use claimkit_model::finding::Severity;
use claimkit_model::message::Words;
use claimkit_model::schema::GROUP;

/// Answers `convert`.
pub fn convert(request: &ConvertRequest) -> Answer {
    let unusable = |error: Words| Answer::unusable(Verb::Convert, error);
    let Some(text) = request.text.as_deref() else {
        return unusable(Words::english("`text` is missing: the manifest to convert"));
    };
    let to = match request.to.as_deref().map(target) {
        None => {
            return unusable(Words::english(format!(
                "`to` is missing; write one of {}",
                known()
            )));
        }
        Some(Err(error)) => return unusable(error),
        Some(Ok(to)) => to,
    };
    let release = match request::release(request.release.as_deref()) {
        Ok(release) => release,
        Err(error) => return unusable(error.into()),
    };
    let options = ConvertOptions {
        lossy: request.lossy == Lossy::Allow,
        drop_server_fields: request.drop_server_fields,
        annotate: request.annotate,
        release,
        limits: request.limits,
        ..ConvertOptions::default()
    };
    let mut done = convert::convert(text, to, &options);
    let mut findings = std::mem::take(&mut done.findings);
    if !done.checked {
        findings.push(nothing_checked(done.input.items.is_empty()));
    }
    let objects = done
        .input
        .items
        .iter()
        .zip(done.outcomes)
        .map(|(item, outcome)| {
            let losses = outcome.losses.into_iter();
            let losses = losses.map(|loss| LossEntry {
                path: loss.path,
                value: Json::of_text(loss.value),
                reason: loss.reason,
            });
            let decisions = outcome.decisions.into_iter().map(|one| DecisionEntry {
                code: one.code,
                message: one.message(),
                range: range(&done.input.file.source, one.span),
                path: one.path,
                question: one.question,
                assumed: one.assumed,
                why: one.why,
                alternatives: one.alternatives,
            });
            AnswerObject {
                decisions: decisions.collect(),
                from: Some(outcome.from),
                to: Some(outcome.to),
                changed: Some(outcome.changed),
                losses: Some(losses.collect()),
                skipped: outcome.skipped,
                removed_in: outcome.removed_in.map(|minor| format!("1.{minor}")),
                ..AnswerObject::of(&done.input.file.source, item)
            }
        });
    let mut answer = Answer {
        objects: objects.collect(),
        ..Answer::to(Verb::Convert)
    };
    answer.content = done
        .text
        .map_or(Content::Nothing, |text| Content::Convert { text });
    answer.ok = done.checked
        && findings
            .iter()
            .all(|finding| finding.severity != Severity::Error);
    answer.findings = answer::findings(&done.input.file.source, findings, &request.limits);
    answer
}

/// Reads the target of the request: a version (`resource.k8s.io/v1alpha2` or `v1alpha2`) or a minor release (`1.36`).
fn target(name: &str) -> Result<ConvertTarget, Words> {
    let minor = name
        .strip_prefix("1.")
        .filter(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()));
    if let Some(minor) = minor
        .and_then(|minor| minor.parse::<u8>().ok())
        .filter(|minor| *minor >= 26)
    {
        return Ok(ConvertTarget::Release(minor));
    }
    let bare = name
        .strip_prefix(GROUP)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(name);
    let version = convert::versions()
        .find(|version| version.name == bare)
        .map(ConvertTarget::Version);
    version.ok_or_else(|| {
        Words::english(format!(
            "unknown version `{name}`; write one of {}, or a release: `1.36`",
            known()
        ))
    })
}

/// Returns the known versions, for a message.
fn known() -> String {
    let names: Vec<String> = convert::versions()
        .map(|version| format!("`{}`", version.name))
        .collect();
    names.join(", ")
}
