//! What a verb answers besides findings and objects: a type for each verb (serialised as the contract says).

use crate::api::Release;
use crate::editor::complete::Sort;
use crate::editor::hover::Info;
use crate::editor::registry::{CodeEntry, ReleaseEntry};
use crate::text::located::{Edit, Range};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The fields of an answer that belong to one verb. Validate and evaluate have none: all they say stands in findings and objects.
#[derive(Debug, Default, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// None, or the request cannot be used.
    #[default]
    Nothing,
    /// Parse with `raw`.
    Raw {
        /// The plain JSON value.
        raw: Box<RawValue>,
    },
    /// Convert.
    Convert {
        /// The whole file converted.
        text: String,
    },
    /// Admit.
    Admit {
        /// Kubewarden's ValidationResponse.
        response: Box<RawValue>,
    },
    /// Hover.
    Hover {
        /// What there is to say, `null` if nothing.
        hover: Option<Box<Hover>>,
    },
    /// Complete.
    Complete {
        /// What could be written.
        items: Vec<Completion>,
    },
    /// Fixes.
    Fixes {
        /// Those of the findings in the range.
        fixes: Vec<FixOf>,
    },
    /// JSON Schema.
    Schema {
        /// The schema.
        schema: Box<RawValue>,
    },
    /// Codes.
    Codes {
        /// The registry of finding codes.
        codes: Vec<CodeEntry>,
    },
    /// Releases.
    Releases {
        /// The releases.
        releases: Vec<ReleaseEntry>,
    },
    /// Cel.
    Cel {
        /// What the compilation gave.
        compile: Compiled,
        /// What each device got; nothing if it does not compile.
        #[serde(skip_serializing_if = "Option::is_none")]
        results: Option<Vec<Run>>,
    },
    /// Allocate.
    Allocate {
        /// The release that answers.
        release: Release,
        /// Which of kube-scheduler's allocators is in charge.
        allocator: &'static str,
        /// The release's gates.
        gates: BTreeMap<&'static str, bool>,
        /// The changes that the answer assumes, a line of English each.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        assumed: Vec<String>,
        /// The account of each pod, or group of claims without one.
        pods: Box<RawValue>,
    },
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
