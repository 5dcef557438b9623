//! The verb `upgrade`: what breaks when a cluster goes to another release.

use super::answer::{Answer, AnswerObject};
use super::content::Content;
use super::request::{self, UpgradeRequest, Verb};
use super::sources::Manifest;
use crate::upgrade::{self, UpgradeOptions, UpgradeSubject};
use claimkit_model::message::Words;

/// Answers `upgrade`.
pub fn upgrade(request: &UpgradeRequest) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Verb::Upgrade, error))
}

fn answer(request: &UpgradeRequest) -> Result<Answer, Words> {
    let manifest = Manifest::of(
        request.text.as_deref(),
        request.sources.as_deref(),
        "the objects of the cluster, or manifests",
    )?;
    let to = request::release(request.to.as_deref())?
        .ok_or_else(|| Words::english("`to` is missing: the new release"))?;
    let options = UpgradeOptions {
        release: request::release(request.release.as_deref())?,
        gates: request.gates.clone(),
        namespace: request.namespace.as_deref(),
        subject: if request.manifests {
            UpgradeSubject::Manifests
        } else {
            UpgradeSubject::Stored
        },
        limits: request.limits,
    };
    let done = upgrade::upgrade(manifest.source(), to, &options)?;
    Ok(Answer {
        ok: done.ok,
        objects: done
            .items
            .iter()
            .map(|item| AnswerObject::of(&done.source, item))
            .collect(),
        findings: done.findings,
        content: Content::Upgrade {
            from: done.from,
            to: done.to,
            troubles: done.troubles,
        },
        ..Answer::to(Verb::Upgrade)
    })
}
