//! What the verb `admit` reads and answers, whether it judges by settings or by policies.

use super::answer::{self, Answer};
use super::request::Verb;
use claimkit_model::finding::{Code, Finding, Origin, TextField};
use claimkit_model::message::Words;
use claimkit_model::text::Source;
use serde_json::value::RawValue;

/// Returns the JSON of a member of a request.
pub(super) fn json_of(value: &Option<Box<RawValue>>) -> Option<String> {
    value.as_ref().map(|value| value.get().to_owned())
}

/// Answers with what is wrong with settings.
pub(super) fn refused_settings(errors: &[Words]) -> Answer {
    let source = Source::new("");
    let findings = errors.iter().map(|error| {
        let finding = Finding::said(Code::PolicySettings, Origin::Claimkit, error.clone());
        answer::finding(&source, finding.about(TextField::Settings))
    });
    Answer {
        findings: findings.collect(),
        ..Answer::to(Verb::Admit)
    }
}
