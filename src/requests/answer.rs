//! The answers of the contract, as they are serialized.

use super::content::Content;
use super::json::Json;
use super::request::{Unusable, Verb};
use crate::apiserver::status::Status;
use crate::apiserver::text::{Judged, Report};
use crate::evaluate::Placement;
use crate::manifest::Item;
use claimkit_model::finding;
use claimkit_model::finding::named::{fixed_or_made, some_fixed_or_made};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, Words};
use claimkit_model::schema::Release;
use claimkit_model::text::Source;
pub use claimkit_model::text::located::{
    EditorPosition, LocatedFinding, LocatedFix, Range, RangeEdit, finding, range,
};
use claimkit_scheduler::patches::{RulesOf, rules_of};
use serde::{Serialize, Serializer};
use std::borrow::Cow;

/// The answer to a request.
#[derive(Debug, Default)]
pub struct Answer {
    /// The verb of the request.
    pub verb: Option<Cow<'static, str>>,
    /// True if there is no error and at least one object was checked.
    pub ok: bool,
    /// Why the request cannot be used.
    pub error: Option<Words>,
    /// The patch release whose rules answered, if the answers of the requested one were never recorded.
    pub rules_of: Option<RulesOf>,
    /// The findings of all texts.
    pub findings: Vec<LocatedFinding>,
    /// The objects of the text.
    pub objects: Vec<AnswerObject>,
    /// The part of the answer that is specific to the verb.
    pub content: Content,
}

/// The members that the answers to all verbs have. Those of one verb follow them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Common<'a> {
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "some_fixed_or_made"
    )]
    verb: &'a Option<Cow<'static, str>>,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: &'a Option<Words>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rules_of: &'a Option<RulesOf>,
    findings: &'a [LocatedFinding],
    objects: &'a [AnswerObject],
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten)]
            common: Common<'a>,
            #[serde(flatten)]
            content: &'a Content,
        }
        Whole {
            common: self.common(),
            content: &self.content,
        }
        .serialize(serializer)
    }
}

impl Answer {
    /// Returns an answer that is `ok` whatever its content.
    pub fn with(verb: Verb, content: Content) -> Self {
        Answer {
            ok: true,
            content,
            ..Answer::to(verb)
        }
    }

    /// Returns the members that the answers to all verbs have.
    pub fn common(&self) -> Common<'_> {
        let Answer {
            verb,
            ok,
            error,
            rules_of,
            findings,
            objects,
            ..
        } = self;
        Common {
            verb,
            ok: *ok,
            error,
            rules_of,
            findings,
            objects,
        }
    }

    /// Returns an empty answer to a verb.
    pub fn to(verb: Verb) -> Self {
        Answer {
            verb: Some(verb.name().into()),
            ..Answer::default()
        }
    }

    /// Returns the answer to an invalid request of a verb.
    pub fn unusable(verb: Verb, error: impl Into<Words>) -> Self {
        Answer {
            error: Some(error.into()),
            ..Answer::to(verb)
        }
    }

    /// Says whose rules answered, if the requested release was never recorded.
    pub fn by_rules_of(mut self, release: Option<Release>) -> Self {
        self.rules_of = release.filter(|_| self.error.is_none()).and_then(rules_of);
        self
    }

    /// Returns the answer to a text that is not a request.
    pub fn unread(problem: Unusable) -> Self {
        let verb = problem.verb.filter(|verb| !verb.is_empty()).map(Cow::from);
        Answer {
            verb,
            error: Some(problem.problem),
            ..Answer::default()
        }
    }
}

/// One object of the text; each verb fills its own fields.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerObject {
    /// `apiVersion` as the server reads it.
    #[serde(serialize_with = "fixed_or_made")]
    pub api_version: Cow<'static, str>,
    /// `kind` as the server reads it.
    #[serde(serialize_with = "fixed_or_made")]
    pub kind: Cow<'static, str>,
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`
    pub namespace: String,
    /// The release whose rules judged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Release>,
    /// Its range in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Its file, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it was accepted; `null` for an object that was not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<Option<bool>>,
    /// Parse: the object after decoding and defaulting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Json>,
    /// Validate: `null` or the Kubernetes `Status`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Option<Box<Status>>>,
    /// Validate with `stored`: the stored object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored: Option<Json>,
    /// Evaluate: the results for the nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placement: Option<Box<Placement>>,
    /// Parse with a selector: whether it selects the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selected: Option<bool>,
    /// Patch: the difference from the stored object, as a JSON patch (RFC 6902).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Json>,
    /// Convert: its `apiVersion` before the conversion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Convert: its `apiVersion` after the conversion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Convert: whether it was converted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<bool>,
    /// Convert: the lost fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub losses: Option<Vec<LossEntry>>,
    /// Convert: why it was not converted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<Message>,
    /// Convert: the assumptions of a conversion from v1alpha1 or v1alpha2 to v1alpha3 or later.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<DecisionEntry>,
    /// Convert: the first minor release that no longer serves its old version, if known or announced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_in: Option<String>,
}

/// A decision that needs a person, and the assumption that the conversion made.
#[derive(Debug, Serialize)]
pub struct DecisionEntry {
    /// The stable name of the decision.
    pub code: &'static str,
    /// The field's path in the object.
    pub path: String,
    /// Its range in the source text.
    pub range: Range,
    /// The question that no tool can answer.
    pub question: Message,
    /// The answer that was assumed.
    pub assumed: Message,
    /// The reason for the assumption.
    pub why: Message,
    /// The alternatives to the assumption.
    pub alternatives: Vec<Message>,
    /// Question, assumption and reason in one line.
    pub message: Message,
}

/// A field that a conversion loses.
#[derive(Debug, Serialize)]
pub struct LossEntry {
    /// The field's path in the object.
    pub path: String,
    /// The object as JSON.
    pub value: Option<Json>,
    /// The reason for the loss.
    pub reason: Message,
}

impl AnswerObject {
    /// Returns true if the object was checked, converted or placed, not only listed.
    pub fn is_checked(&self) -> bool {
        self.valid.flatten().is_some() || self.to.is_some() || self.placement.is_some()
    }

    /// Returns the JSON values inside it.
    #[cfg_attr(
        not(target_arch = "wasm32"),
        allow(dead_code, reason = "for JavaScript")
    )]
    pub fn values(&mut self) -> impl Iterator<Item = &mut Json> {
        let own = [&mut self.object, &mut self.stored, &mut self.changes]
            .into_iter()
            .flatten();
        own.chain(
            self.losses
                .iter_mut()
                .flatten()
                .filter_map(|loss| loss.value.as_mut()),
        )
    }

    /// Makes an object of the name, range and release of an item.
    pub fn of(source: &Source<'_>, item: &Item) -> Self {
        AnswerObject {
            api_version: item.api_version.clone().into(),
            kind: item.kind.clone().into(),
            name: item.name.clone(),
            namespace: item.namespace.clone(),
            release: Some(item.release),
            range: Some(range(source, item.span)),
            file: source.name_of(item.span.from()).map(str::to_owned),
            ..AnswerObject::default()
        }
    }

    /// Makes the answer about an object that the server judged.
    pub fn judged(source: &Source<'_>, judged: Judged) -> Self {
        AnswerObject {
            api_version: judged.api_version,
            kind: judged.kind,
            name: judged.name,
            namespace: judged.namespace,
            release: Some(judged.release),
            range: Some(range(source, judged.span)),
            file: source.name_of(judged.span.from()).map(str::to_owned),
            valid: Some(judged.valid),
            status: Some(judged.status),
            stored: judged.stored.as_ref().and_then(Json::of),
            ..AnswerObject::default()
        }
    }
}

impl From<Report<'_>> for Answer {
    fn from(report: Report<'_>) -> Self {
        let Report {
            source,
            stored,
            findings,
            objects,
            unusable,
            ok,
        } = report;
        if let Some(error) = unusable {
            return Answer::unusable(Verb::Validate, error);
        }
        let text_of = |found: &finding::Finding| match (found.within, &stored) {
            (finding::TextField::Old, Some(stored)) => stored,
            _ => &source,
        };
        Answer {
            ok,
            objects: objects
                .into_iter()
                .map(|judged| AnswerObject::judged(&source, judged))
                .collect(),
            findings: findings
                .into_iter()
                .map(|found| finding(text_of(&found), found))
                .collect(),
            ..Answer::to(Verb::Validate)
        }
    }
}

/// Converts findings for the answer, up to the limit.
pub fn findings(
    source: &Source<'_>,
    findings: Vec<finding::Finding>,
    limits: &Limits,
) -> Vec<LocatedFinding> {
    let kept = finding::Findings::new(limits.findings).behind(findings);
    kept.into_iter().map(|one| finding(source, one)).collect()
}
