//! The verb `admit`: what the policy answers to an AdmissionRequest.

use super::admit_policies;
use super::admit_texts::{json_of, refused_settings};
use super::answer::Answer;
use super::content::Content;
use super::request::{AdmitRequest, Verb};
use crate::policy::response::{self, ValidationResponse};
use crate::policy::vap::{self, PolicyForm, PrintedPolicies};
use crate::policy::{
    self, Mutation, OperationIs, PolicyHost, PolicyVerdict, Settings, ValidatedBy,
};
use claimkit_model::message::Words;
use claimkit_model::text::tree::{NodeId, Tree};
use claimkit_model::text::{Document, Mode, Span};
use std::collections::BTreeMap;

/// The maximum size of a payload: an API server accepts 3 MiB, and an update has two objects.
pub(super) const MAX_PAYLOAD: usize = 16 << 20;

/// Answers `admit`. With a request the answer has `response`; without one, only the settings are checked, or printed in another form.
pub fn admit(request: &AdmitRequest) -> Answer {
    match &request.form {
        None => match &request.policies {
            Some(policies) => admit_policies::judge(policies, request)
                .unwrap_or_else(|problem| Answer::unusable(Verb::Admit, problem)),
            None => judge(request),
        },
        Some(word) => match form_named(word, request) {
            Ok(form) => print_policies(form, request),
            Err(problem) => Answer::unusable(Verb::Admit, problem),
        },
    }
}

/// Answers `admit` in a module of a policy, which prints no policies.
pub(super) fn judge(request: &AdmitRequest) -> Answer {
    if request.form.is_some() {
        return Answer::unusable(
            Verb::Admit,
            Words::english("policy modules do not take `as`: `claimkit policy` prints policies"),
        );
    }
    if request.policies.is_some() {
        return Answer::unusable(
            Verb::Admit,
            Words::english("policy modules do not take `policies`: `claimkit admit` asks them"),
        );
    }
    if request.request.is_none() && request.settings.is_none() {
        return Answer::unusable(
            Verb::Admit,
            Words::english(
                "`request` is missing: an AdmissionRequest, or only `settings` to check them",
            ),
        );
    }
    let settings = json_of(&request.settings);
    of_texts(
        json_of(&request.request).as_deref(),
        settings.as_deref().unwrap_or_default(),
        request.namespace_labels.as_ref(),
        request.takes_labels,
    )
}

/// Reads the form in which settings are printed.
///
/// # Errors
/// It is unknown, or there is a request, which is not printed.
fn form_named(word: &str, request: &AdmitRequest) -> Result<PolicyForm, Words> {
    if request.request.is_some() {
        return Err(Words::english("give `request` or `as`, not both"));
    }
    if request.policies.is_some() {
        return Err(Words::english("`as` prints `settings`, not `policies`"));
    }
    PolicyForm::named(word).ok_or_else(|| {
        Words::english(format!(
            "`as` is `{word}`: write one of `vap`, `map`, `kyverno`"
        ))
    })
}

/// Answers with the settings as policies of another form.
fn print_policies(form: PolicyForm, request: &AdmitRequest) -> Answer {
    let text = request.settings.as_ref().map(|settings| settings.get());
    let settings = match read_settings(text.unwrap_or_default()) {
        Ok(settings) => settings,
        Err(errors) => return refused_settings(&errors),
    };
    let name = request.name.as_deref().unwrap_or(vap::NAME);
    let PrintedPolicies { yaml, count } = vap::yaml(&settings, name, form);
    Answer {
        ok: count > 0,
        content: Content::Policies {
            policies: yaml,
            count,
        },
        ..Answer::to(Verb::Admit)
    }
}

fn of_texts(
    request: Option<&str>,
    settings: &str,
    labels: Option<&BTreeMap<String, String>>,
    takes_labels: bool,
) -> Answer {
    let mut answer = Answer::to(Verb::Admit);
    let settings = match read_settings(settings) {
        Ok(settings) => settings,
        Err(errors) => {
            answer = refused_settings(&errors);
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
                takes_labels,
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
