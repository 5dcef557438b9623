//! The verb `parse`: what the server would hold after decoding and defaulting.

use super::answer::{self, Answer, Object};
use super::request::{Request, Via};
use super::select;
use crate::api::Release;
use crate::finding::{Code, Finding, Origin, Severity, locate};
use crate::manifest::{Input, Item, What};
use crate::record;
use crate::record::decode::How;
use crate::server::Body;
use crate::text::print::{self, Order};
use crate::text::{Source, Span, stream, yaml};
use serde_json::value::RawValue;

/// Answers `parse`.
pub fn parse(request: &Request) -> Answer {
    let mut answer = Answer::to("parse");
    let Some(text) = request.text.as_deref() else {
        return Answer::unusable(Some("parse"), "`text` is missing: the manifest to read");
    };
    if request.raw {
        return raw(text, request);
    }
    let release = match request.release() {
        Ok(release) => release,
        Err(error) => return Answer::unusable(Some("parse"), &error),
    };
    let mut input = Input::read_via(text, request.via.unwrap_or_default(), release, &request.limits);
    let mut findings = std::mem::take(&mut input.file.findings);
    let mut checked = false;
    for (index, item) in input.items.iter().enumerate() {
        let mut object = Object::of(&input, item);
        match &item.what {
            What::Other => {
                object.valid = Some(None);
                findings.push(other_group(item, index));
            }
            What::Refused(finding) => {
                checked = true;
                object.valid = Some(Some(false));
                findings.push(place(&input, item, index, finding.clone()));
            }
            What::Ours(api) => {
                checked = true;
                let Some(tree) = input.tree(item) else { continue };
                let how = How::reaching(input.mode(item), request.via.unwrap_or(Via::Validator), item.release);
                let body = Body::read(tree, item.node, *api, how);
                let problems = body.findings(request.field_validation);
                object.valid = Some(Some(problems.iter().all(|finding| finding.severity != Severity::Error)));
                place_all(&input, item, index, problems, &mut findings);
                if body.mismatch().is_none() {
                    object.object = object_json(&body, item.release);
                }
            }
        }
        answer.objects.push(object);
    }
    findings.extend(select::select(request, &input, &mut answer.objects));
    if !checked && findings.iter().all(|finding| finding.severity != Severity::Error) {
        findings.push(nothing_checked(input.items.is_empty()));
    }
    answer.ok = checked && findings.iter().all(|finding| finding.severity != Severity::Error);
    answer.findings = answer::findings(&input.file.source, findings, &request.limits);
    answer
}

/// Most bytes a raw answer may print to: aliases make a small text large.
const MAX_RAW: usize = 256 << 20;

/// `raw`: kubectl's step from YAML to JSON alone, and what its strict mode would have refused as a warning.
fn raw(text: &str, request: &Request) -> Answer {
    let source = Source::new(text);
    let mut answer = Answer::to("parse");
    let mut findings = Vec::new();
    if let Some(finding) = stream::too_large(text, &request.limits) {
        findings.push(finding);
    } else {
        let bounds = yaml::Bounds::of(&request.limits);
        let mut document = yaml::read(text, bounds);
        let mut out = String::new();
        match (&document.error, document.root) {
            (Some(error), _) => findings.push(stream::yaml_finding(text, error)),
            (None, None) => out.push_str("null"),
            (None, Some(root)) => {
                if !print::json(&document.tree, root, Order::Sorted, MAX_RAW, &mut out) {
                    findings.push(Finding::error(
                        Code::LimitBytes,
                        Origin::Claimkit,
                        format!("the value prints to more than {MAX_RAW} bytes of JSON"),
                    ));
                }
            }
        }
        if findings.is_empty() {
            answer.raw = RawValue::from_string(out).ok();
            answer.ok = true;
            findings.extend(strict(document.strict_errors()));
        }
    }
    answer.findings = answer::findings(&source, findings, &request.limits);
    answer
}

/// go-yaml's strict refusal is one text for all duplicate keys.
fn strict(errors: Vec<yaml::StrictError>) -> Option<Finding> {
    let first = errors.first()?.value;
    let lines: Vec<String> = errors.into_iter().map(|error| error.message).collect();
    let message = format!("yaml: unmarshal errors:\n  {}", lines.join("\n  "));
    Some(Finding::warning(Code::YamlDuplicateKey, Origin::ApiServer, message).with_span(first))
}

fn object_json(body: &Body<'_>, release: Release) -> Option<Box<RawValue>> {
    let mut out = String::new();
    record::encode(body.record(), release, &mut out);
    RawValue::from_string(out).ok()
}

/// Fills object index and place of a finding.
pub fn place(input: &Input<'_>, item: &Item, index: usize, mut finding: Finding) -> Finding {
    finding.object = Some(index);
    if finding.span.is_none() {
        finding.span = input.tree(item).map(|tree| locate::locate(tree, item.node, &finding.steps, finding.at_key));
    }
    finding
}

/// The same for all findings about an object, which are put behind others.
pub fn place_all(input: &Input<'_>, item: &Item, index: usize, found: Vec<Finding>, findings: &mut Vec<Finding>) {
    for finding in found {
        findings.push(place(input, item, index, finding));
    }
}

/// An object of another group.
pub fn other_group(item: &Item, index: usize) -> Finding {
    let mut finding = Finding::info(
        Code::OtherGroup,
        Origin::Claimkit,
        format!("`{}` of `{}` was not checked: only objects of `resource.k8s.io` are", item.kind, item.api_version),
    )
    .with_span(Span::new(item.span.from(), item.span.from()));
    finding.object = Some(index);
    finding
}

/// Nothing of ours was there; perhaps nothing at all.
pub fn nothing_checked(empty: bool) -> Finding {
    let what = if empty { "the text holds no object" } else { "the text holds no object of `resource.k8s.io`" };
    Finding::warning(Code::NothingChecked, Origin::Claimkit, format!("nothing was checked: {what}")).with_span(Span::at(0))
}
