//! The verb `audit`: what is wrong in a cluster, and how much of its devices is in use.

use super::answer::{Answer, AnswerObject};
use super::content::Content;
use super::request::{self, AuditRequest, Verb};
use super::sources::Manifest;
use crate::audit::{self, AuditOptions};
use claimkit_model::message::Words;

/// Answers `audit`.
pub fn audit(request: &AuditRequest) -> Answer {
    answer(request).unwrap_or_else(|error| Answer::unusable(Verb::Audit, error))
}

fn answer(request: &AuditRequest) -> Result<Answer, Words> {
    let manifest = Manifest::of(
        request.text.as_deref(),
        request.sources.as_deref(),
        "the objects of the cluster",
    )?;
    let options = AuditOptions {
        release: request::release(request.release.as_deref())?,
        gates: request.gates.clone(),
        namespace: request.namespace.as_deref(),
        limits: request.limits,
    };
    let done = audit::audit(manifest.source(), &options)?;
    Ok(Answer {
        ok: done.ok,
        objects: done
            .items
            .iter()
            .map(|item| AnswerObject::of(&done.source, item))
            .collect(),
        findings: done.findings,
        content: Content::Audit {
            release: done.release,
            gates: done.gates,
            usage: Box::new(done.usage),
        },
        ..Answer::to(Verb::Audit)
    })
}
