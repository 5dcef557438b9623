//! The verb `parse`: the objects after the server's decoding and defaulting.

use super::answer::{self, Answer, AnswerObject};
use super::content::Content;
use super::json::Json;
use super::request::{self, ParseRequest, Verb};
use super::select;
use super::sources::Manifest;
use crate::apiserver::parse::{self, Parsed};
use crate::manifest::findings::nothing_checked;
use claimkit_model::finding::{Code, Finding, Origin, Severity};
use claimkit_model::message::Words;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::{Source, stream, yaml};
use serde_json::value::RawValue;

/// Answers `parse`.
pub fn parse(request: &ParseRequest) -> Answer {
    let mut answer = Answer::to(Verb::Parse);
    let manifest = match Manifest::of(
        request.text.as_deref(),
        request.sources.as_deref(),
        "the manifest to read",
    ) {
        Ok(manifest) => manifest,
        Err(error) => return Answer::unusable(Verb::Parse, error),
    };
    if request.raw {
        let Manifest::Text(text) = manifest else {
            let error = Words::english("`raw` reads one text: give `text`, not `sources`");
            return Answer::unusable(Verb::Parse, error);
        };
        return raw(text, request);
    }
    let release = match request::release(request.release.as_deref()) {
        Ok(release) => release,
        Err(error) => return Answer::unusable(Verb::Parse, error),
    };
    let options = parse::ParseOptions {
        release,
        via: request.via,
        field_validation: request.field_validation,
        limits: request.limits,
    };
    let Parsed {
        input,
        objects,
        mut findings,
        checked,
        ..
    } = parse::parse(manifest.source(), &options);
    for (item, parsed) in input.items.iter().zip(objects) {
        let object = parsed.json.and_then(Json::of_text);
        answer.objects.push(AnswerObject {
            valid: Some(parsed.valid),
            object,
            ..AnswerObject::of(&input.file.source, item)
        });
    }
    findings.extend(select::select(request, &input, &mut answer.objects));
    if !checked
        && findings
            .iter()
            .all(|finding| finding.severity != Severity::Error)
    {
        findings.push(nothing_checked(input.items.is_empty()));
    }
    answer.ok = checked
        && findings
            .iter()
            .all(|finding| finding.severity != Severity::Error);
    answer.findings = answer::findings(&input.file.source, findings, &request.limits);
    answer
}

/// The maximum size of a raw answer: aliases can make a small text large.
const MAX_RAW: usize = 256 << 20;

/// Answers with `raw`: only kubectl's step from YAML to JSON. An error of its strict mode becomes a warning.
fn raw(text: &str, request: &ParseRequest) -> Answer {
    let source = Source::new(text);
    let mut answer = Answer::to(Verb::Parse);
    let mut findings = Vec::new();
    if let Some(finding) = stream::too_large(text, &request.limits) {
        findings.push(finding);
    } else {
        let bounds = yaml::Bounds::new(request.limits.depth, request.limits.nodes);
        let mut document = yaml::read(text, bounds);
        let mut out = String::new();
        match (&document.error, document.root) {
            (Some(error), _) => findings.push(stream::yaml_finding(text, error)),
            (None, None) => out.push_str("null"),
            (None, Some(root)) => {
                if !print::json(&document.tree, root, Order::Sorted, MAX_RAW, &mut out) {
                    let message = format!("the value prints to more than {MAX_RAW} bytes of JSON");
                    findings.push(Finding::said(
                        Code::LimitBytes,
                        Origin::Claimkit,
                        Words::english(message),
                    ));
                }
            }
        }
        if findings.is_empty() {
            answer.content =
                RawValue::from_string(out).map_or(Content::Nothing, |raw| Content::Raw { raw });
            answer.ok = true;
            findings.extend(strict(document.strict_errors()));
        }
    }
    answer.findings = answer::findings(&source, findings, &request.limits);
    answer
}

/// Joins errors as go-yaml's strict mode does: one message for all duplicate keys.
fn strict(errors: Vec<yaml::StrictError>) -> Option<Finding> {
    let first = errors.first()?.value;
    let lines: Vec<String> = errors.into_iter().map(|error| error.message).collect();
    let message = format!("yaml: unmarshal errors:\n  {}", lines.join("\n  "));
    Some(Finding::upstream(Code::YamlDuplicateKey, Origin::ApiServer, message).with_span(first))
}
