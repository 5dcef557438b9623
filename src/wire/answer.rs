//! What is answered (serialised as the contract says).

use super::content::Content;
use crate::api::Release;
use crate::finding;
use crate::limits::Limits;
use crate::manifest::Item;
use crate::scheduler::Placement;
use crate::server::status::Status;
use crate::server::text::{Judged, Report};
use crate::text::Source;
pub use crate::text::located::{Edit, Finding, Fix, Position, Range, finding, range};
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// One answer.
#[derive(Debug, Default, Serialize)]
pub struct Answer {
    /// The verb that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb: Option<String>,
    /// No error, and at least one object was checked.
    pub ok: bool,
    /// Why the request cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// All findings.
    pub findings: Vec<Finding>,
    /// The objects of the text.
    pub objects: Vec<Object>,
    /// What else the verb answers.
    #[serde(flatten)]
    pub content: Content,
}

impl Answer {
    /// What a verb answers that can be used whatever it says.
    pub fn with(verb: &str, content: Content) -> Self {
        Answer { ok: true, content, ..Answer::to(verb) }
    }

    /// An answer to a verb, still empty.
    pub fn to(verb: &str) -> Self {
        Answer { verb: Some(verb.to_owned()), ..Answer::default() }
    }

    /// An answer to a request that cannot be used.
    pub fn unusable(verb: Option<&str>, error: &str) -> Self {
        let mut answer = Answer::to(verb.unwrap_or_default());
        answer.verb = answer.verb.filter(|verb| !verb.is_empty());
        answer.error = Some(error.to_owned());
        answer
    }
}

/// One object; each verb fills its own part.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Object {
    /// As the server reads it.
    pub api_version: Cow<'static, str>,
    /// As the server reads it.
    pub kind: Cow<'static, str>,
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`
    pub namespace: String,
    /// The release it was judged by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
    /// Where it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Whether it was accepted; `null` for an object that was not looked into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<Option<bool>>,
    /// Parse: the object after decoding and defaulting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Box<RawValue>>,
    /// Validate: `null` or the Kubernetes `Status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Option<Box<Status>>>,
    /// Validate with `stored`: the object as the server would hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<serde_json::Value>,
    /// Evaluate: on which nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<Box<Placement>>,
    /// Parse with a selector: whether it selects the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// Patch: what differs from the stored object, as a JSON patch (RFC 6902).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<serde_json::Value>>,
    /// Convert: the `apiVersion` it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Convert: the `apiVersion` it gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Convert: whether it was converted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// Convert: what is lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<Vec<Loss>>,
    /// Convert: why it was left as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Convert: what was assumed on the way from v1alpha1 or v1alpha2 to v1alpha3 or later.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// Convert: the first minor release that does not serve it in the version it had, as far as that is known or announced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_in: Option<String>,
}

/// What no tool can know, and what was assumed.
#[derive(Debug, Serialize)]
pub struct Decision {
    /// Which decision, a stable word.
    pub code: &'static str,
    /// The field's path in the object.
    pub path: String,
    /// Its place in the text that was converted.
    pub range: Range,
    /// The question.
    pub question: String,
    /// What was assumed.
    pub assumed: String,
    /// Why.
    pub why: String,
    /// What else it could be.
    pub alternatives: Vec<String>,
    /// Question, assumption and reason in one line.
    pub message: String,
}

/// Something a conversion loses.
#[derive(Debug, Serialize)]
pub struct Loss {
    /// The field's path in the object.
    pub path: String,
    /// Its value.
    pub value: Option<Box<RawValue>>,
    /// Why it is lost.
    pub reason: String,
}

impl Object {
    /// Name, place and release of an item.
    pub fn of(source: &Source<'_>, item: &Item) -> Self {
        Object {
            api_version: item.api_version.clone().into(),
            kind: item.kind.clone().into(),
            name: item.name.clone(),
            namespace: item.namespace.clone(),
            release: Some(item.release),
            range: Some(range(source, item.span)),
            ..Object::default()
        }
    }

    /// The part of an answer about an object that the server judged.
    pub fn judged(source: &Source<'_>, judged: Judged) -> Self {
        Object {
            api_version: judged.api_version,
            kind: judged.kind,
            name: judged.name,
            namespace: judged.namespace,
            release: Some(judged.release),
            range: Some(range(source, judged.span)),
            valid: Some(judged.valid),
            status: Some(judged.status),
            stored: judged.stored,
            ..Object::default()
        }
    }
}

impl From<Report<'_>> for Answer {
    fn from(report: Report<'_>) -> Self {
        let Report { source, stored, findings, objects, unusable, ok } = report;
        if let Some(error) = unusable {
            return Answer::unusable(Some("validate"), &error);
        }
        let text_of = |found: &finding::Finding| match (found.within, &stored) {
            (finding::TextField::Old, Some(stored)) => stored,
            _ => &source,
        };
        Answer {
            ok,
            objects: objects.into_iter().map(|judged| Object::judged(&source, judged)).collect(),
            findings: findings.into_iter().map(|found| finding(text_of(&found), found)).collect(),
            ..Answer::to("validate")
        }
    }
}

/// Findings as they are answered, at most as many as the limit allows.
pub fn findings(source: &Source<'_>, findings: Vec<finding::Finding>, limits: &Limits) -> Vec<Finding> {
    let kept = finding::Findings::new(limits.findings).behind(findings);
    kept.into_iter().map(|one| finding(source, one)).collect()
}
