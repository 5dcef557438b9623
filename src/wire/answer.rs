//! What is answered (serialised as the contract says).

use crate::api::Release;
use crate::editor::complete::Sort;
use crate::editor::hover::Info;
use crate::editor::registry::{CodeEntry, ReleaseEntry};
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
use std::collections::BTreeMap;

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
    /// Parse with `raw`: the plain JSON value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Box<RawValue>>,
    /// Hover: what there is to say, `null` if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hover: Option<Option<Hover>>,
    /// Complete: what could be written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<Completion>>,
    /// Fixes: those of the findings in the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixes: Option<Vec<FixOf>>,
    /// JSON Schema: the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Box<RawValue>>,
    /// The registry of finding codes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codes: Option<Vec<CodeEntry>>,
    /// The releases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub releases: Option<Vec<ReleaseEntry>>,
    /// Cel: what the compilation gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compile: Option<super::Compiled>,
    /// Cel: what each device got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<super::Run>>,
    /// Allocate: the release that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
    /// Allocate: which of kube-scheduler's allocators is in charge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocator: Option<&'static str>,
    /// Allocate: the release's gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gates: Option<BTreeMap<&'static str, bool>>,
    /// Allocate: the changes that the answer assumes, a line of English each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// Allocate: the account of each pod, or group of claims without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pods: Option<Box<RawValue>>,
    /// Convert: the whole file converted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Admit: Kubewarden's ValidationResponse.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<Box<RawValue>>,
}

impl Answer {
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

/// A fix and the finding it mends.
#[derive(Debug, Serialize)]
pub struct FixOf {
    /// What it does.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// Code of the finding.
    pub code: &'static str,
    /// Message of the finding.
    pub message: String,
    /// Place of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// It deletes something that a person wrote: never part of "fix all".
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletes: bool,
}

/// What there is to say about a place.
#[derive(Debug, Serialize)]
pub struct Hover {
    /// The key or value it is about.
    pub range: Range,
    /// A path, a value or a kind.
    pub title: String,
    /// Documentation key.
    pub key: String,
    /// Facts about the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<Info>,
    /// The sentence, in the locale's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// All of it as Markdown, in the locale's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

/// One completion.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// What is shown, and matched with what was typed.
    pub label: String,
    /// `field`, `value`, `kind`, `apiVersion`, `snippet`, `attribute`, `function`.
    pub kind: Sort,
    /// Shown beside the label.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Documentation key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The sentence, in the locale's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// What replaces `range`.
    pub insert_text: String,
    /// The same with tab stops `${1}`, `${2}` ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// What is replaced.
    pub range: Range,
    /// The object is refused without it.
    pub required: bool,
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

/// What a compilation gives.
#[derive(Clone, Debug, Serialize)]
pub struct Compiled {
    /// It can be run.
    pub ok: bool,
    /// The type of the result.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The estimate that is compared with the limit, in the releases that estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// kube-apiserver's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a run on one device gives.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Run {
    /// Whether the device is selected.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    /// kube-scheduler's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What was spent.
    pub cost: u64,
    /// With `trace`: the parts that decided, each in one line of English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Vec<String>>,
    /// With `trace`: every part that was evaluated, outer ones first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Traced>>,
}

/// A part of the expression with its value.
#[derive(Clone, Debug, Serialize)]
pub struct Traced {
    /// Where it stands in the expression.
    pub range: Range,
    /// Its value as it would be written in CEL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
