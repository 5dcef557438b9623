//! The verb `evaluate`: the nodes that can use claims, and why the other nodes cannot.

use super::answer::{self, Answer, AnswerObject};
use super::request::{self, EvaluateRequest, Verb};
use super::sources::Manifest;
use crate::evaluate::{self, EvaluateOptions};
use claimkit_model::message::{Words, message};
use claimkit_model::schema::core::NODE_SELECTOR;
use claimkit_scheduler::PreparedNodes;

/// Answers `evaluate`.
pub fn evaluate(request: &EvaluateRequest) -> Answer {
    match &request.nodes {
        None => unusable(Words::english(
            "`nodes` is missing: the text with Nodes, or `null` for a nil node",
        )),
        Some(None) => evaluate_on(request, &PreparedNodes::nil()),
        Some(Some(text)) => evaluate_on(request, &PreparedNodes::read(text, &request.limits)),
    }
}

/// Answers `evaluate` on prepared nodes; ignores the request's own `nodes`.
pub fn evaluate_on(request: &EvaluateRequest, nodes: &PreparedNodes) -> Answer {
    let release = match request::release(request.release.as_deref()) {
        Ok(release) => release,
        Err(error) => return unusable(error.into()),
    };
    if let Some(name) = request
        .explain
        .iter()
        .find(|name| nodes.find(name).is_none())
    {
        return unusable(Words::Ours(message!(
            "evaluate.no-node-to-explain",
            "no Node `{name}` to explain is among the nodes given",
            name
        )));
    }
    let options = EvaluateOptions {
        release,
        via: request.via,
        namespace: request.namespace.as_deref(),
        field_validation: request.field_validation,
        detail: request.detail,
        explain: &request.explain,
        without_places: request.without_places,
        limits: request.limits,
    };
    let manifest;
    let mut done = match (&request.selector, &request.text, &request.sources) {
        (Some(_), Some(_), _) => {
            return unusable(Words::english("give `text` or `selector`, not both"));
        }
        (Some(_), None, Some(_)) => {
            return unusable(Words::english("give `sources` or `selector`, not both"));
        }
        (Some(selector), None, None) => evaluate::evaluate_selector(selector, nodes, &options),
        (None, text, sources) => {
            manifest = match Manifest::of(
                text.as_deref(),
                sources.as_deref(),
                "the manifest to evaluate, or a bare `selector`",
            ) {
                Ok(manifest) => manifest,
                Err(error) => return unusable(error),
            };
            evaluate::evaluate(manifest.source(), nodes, &options)
        }
    };
    let mut objects: Vec<AnswerObject> = done
        .items
        .iter()
        .map(|item| AnswerObject::of(&done.source, item))
        .collect();
    objects.extend(done.selector.map(|span| AnswerObject {
        api_version: "v1".into(),
        kind: NODE_SELECTOR.go.into(),
        release: Some(done.release),
        range: Some(answer::range(&done.source, span)),
        ..AnswerObject::default()
    }));
    for (object, placement) in objects.iter_mut().zip(std::mem::take(&mut done.placements)) {
        object.placement = placement.map(Box::new);
    }
    let mut findings = answer::findings(&done.source, done.findings, &request.limits);
    findings.extend(done.of_nodes);
    Answer {
        ok: done.ok,
        objects,
        findings,
        ..Answer::to(Verb::Evaluate)
    }
}

fn unusable(error: Words) -> Answer {
    Answer::unusable(Verb::Evaluate, error)
}
