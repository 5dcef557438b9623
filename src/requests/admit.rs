//! The verb `admit`: what the policy answers to an AdmissionRequest.

use super::answer::{self, Answer};
use super::content::Content;
use super::request::{AdmitRequest, Verb};
use crate::policy::response::{self, ValidationResponse};
use crate::policy::{
    self, Mutation, OperationIs, PolicyHost, PolicyVerdict, Settings, ValidatedBy,
};
use claimkit_model::finding::{Code, Finding, Origin, TextField};
use claimkit_model::message::Words;
use claimkit_model::text::tree::{NodeId, Tree};
use claimkit_model::text::{Document, Mode, Source, Span};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The maximum size of a payload: an API server accepts 3 MiB, and an update has two objects.
pub(super) const MAX_PAYLOAD: usize = 16 << 20;

/// Answers `admit`. With a request the answer has `response`; without one, only the settings are checked.
pub fn admit(request: &AdmitRequest) -> Answer {
    if request.request.is_none() && request.settings.is_none() {
        return Answer::unusable(
            Verb::Admit,
            Words::english(
                "`request` is missing: an AdmissionRequest, or only `settings` to check them",
            ),
        );
    }
    let text = |value: &Option<Box<RawValue>>| value.as_ref().map(|value| value.get().to_owned());
    let settings = text(&request.settings);
    of_texts(
        text(&request.request).as_deref(),
        settings.as_deref().unwrap_or_default(),
        request.namespace_labels.as_ref(),
    )
}

pub(super) fn of_texts(
    request: Option<&str>,
    settings: &str,
    labels: Option<&BTreeMap<String, String>>,
) -> Answer {
    let mut answer = Answer::to(Verb::Admit);
    let settings = match read_settings(settings) {
        Ok(settings) => settings,
        Err(errors) => {
            let source = Source::new("");
            let finding = |error: &Words| {
                let finding = Finding::said(Code::PolicySettings, Origin::Claimkit, error.clone());
                answer::finding(&source, finding.about(TextField::Settings))
            };
            answer.findings = errors.iter().map(finding).collect();
            if request.is_some() {
                answer.content = content(&ValidationResponse::of(&PolicyVerdict::unusable(
                    "", &errors,
                )));
            }
            return answer;
        }
    };
    let Some(request) = request else {
        answer.ok = true;
        return answer;
    };
    let verdict = match read(request) {
        Ok(document) => {
            let host = PolicyHost {
                mutation: Mutation::Possible,
                cluster: None,
                labels,
                operation: OperationIs::Required,
                validated: ValidatedBy::Nobody,
            };
            policy::judge(&document, document.root, &settings, host)
        }
        Err(problem) => PolicyVerdict::unreadable("", problem),
    };
    answer.ok = verdict.accepted();
    answer.findings = response::findings(&verdict);
    answer.content = content(&ValidationResponse::of(&verdict));
    answer
}

pub(super) fn members<'d, 's>(
    document: &'d Document<'s>,
) -> (&'d Tree<'s>, impl Fn(&str) -> Option<NodeId> + 'd) {
    let tree = &document.tree;
    (tree, move |name: &str| {
        document.root.and_then(|root| tree.get(root, name))
    })
}

/// Reads the settings as text; empty if absent.
pub(super) fn read_settings(text: &str) -> Result<Settings, Vec<Words>> {
    if text.trim().is_empty() {
        return Ok(Settings::default());
    }
    let document =
        read(text).map_err(|problem| vec![Words::english(format!("settings: {problem}"))])?;
    Settings::read(&document.tree, document.root)
}

pub(super) fn utf8(payload: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(payload).map_err(|error| {
        format!(
            "the request cannot be read: byte {} is not UTF-8",
            error.valid_up_to()
        )
    })
}

/// Reads one JSON value without text after it.
pub(super) fn read(text: &str) -> Result<Document<'_>, String> {
    if text.len() > MAX_PAYLOAD {
        return Err(format!(
            "the request has {} bytes, at most {MAX_PAYLOAD} are read",
            text.len()
        ));
    }
    let mut tree = Tree::new(text);
    let (root, end) =
        claimkit_model::text::json::value(&mut tree, 0, claimkit_model::text::json::MAX_DEPTH)
            .map_err(|error| {
                format!(
                    "the request cannot be read: {} at byte {}",
                    error.message, error.offset
                )
            })?;
    let rest = text.get(end..).unwrap_or_default();
    let after = rest
        .len()
        .saturating_sub(rest.trim_start_matches([' ', '\t', '\r', '\n']).len());
    if after < rest.len() {
        let at = end.saturating_add(after);
        return Err(format!(
            "the request cannot be read: there is text after its end at byte {at}"
        ));
    }
    Ok(Document {
        tree,
        root: Some(root),
        mode: Mode::Json,
        span: Span::new(0, text.len()),
    })
}

fn content(response: &ValidationResponse) -> Content {
    serde_json::value::to_raw_value(response)
        .map_or(Content::Nothing, |response| Content::Admit { response })
}
