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
        None => Answer::unusable(
            Verb::Evaluate,
            Words::english("`nodes` is missing: the text with Nodes, or `null` for a nil node"),
        ),
        Some(None) => evaluate_on(request, &PreparedNodes::nil()),
        Some(Some(texts)) => {
            let nodes = texts.manifest();
            evaluate_on(
                request,
                &PreparedNodes::read(nodes.source(), &request.limits),
            )
        }
    }
}

/// Answers `evaluate` on prepared nodes; ignores the request's own `nodes`.
pub fn evaluate_on(request: &EvaluateRequest, nodes: &PreparedNodes) -> Answer {
    answer(request, nodes).unwrap_or_else(|error| Answer::unusable(Verb::Evaluate, error))
}

fn answer(request: &EvaluateRequest, nodes: &PreparedNodes) -> Result<Answer, Words> {
    let release = request::release(request.release.as_deref())?;
    if let Some(name) = request
        .explain
        .iter()
        .find(|name| nodes.find(name).is_none())
    {
        return Err(Words::Ours(message!(
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
            return Err(Words::english("give `text` or `selector`, not both"));
        }
        (Some(_), None, Some(_)) => {
            return Err(Words::english("give `sources` or `selector`, not both"));
        }
        (Some(selector), None, None) => evaluate::evaluate_selector(selector, nodes, &options),
        (None, text, sources) => {
            manifest = Manifest::of(
                text.as_deref(),
                sources.as_deref(),
                "the manifest to evaluate, or a bare `selector`",
            )?;
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
    Ok(Answer {
        ok: done.ok,
        objects,
        findings,
        ..Answer::to(Verb::Evaluate)
    })
}
