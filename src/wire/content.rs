//! The part of an answer besides findings and objects, with one variant for each verb, as it is serialized.

use crate::api::Release;
use crate::editor::complete::Sort;
use crate::editor::hover::Info;
use crate::editor::registry::{CodeEntry, ReleaseEntry};
use crate::text::located::{Edit, Range};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The fields of an answer that belong to one verb. `validate` and `evaluate` have none: their results are findings and objects.
#[derive(Debug, Default, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// No such fields, or the request is invalid.
    #[default]
    Nothing,
    /// Parse with `raw`.
    Raw {
        /// The plain JSON value.
        raw: Box<RawValue>,
    },
    /// Convert.
    Convert {
        /// The whole converted file.
        text: String,
    },
    /// Admit.
    Admit {
        /// Kubewarden's ValidationResponse.
        response: Box<RawValue>,
    },
    /// Hover.
    Hover {
        /// The hover, or `null`.
        hover: Option<Box<Hover>>,
    },
    /// Complete.
    Complete {
        /// The completions.
        items: Vec<Completion>,
    },
    /// Fixes.
    Fixes {
        /// The fixes of the findings in the range.
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
        /// The result of the compilation.
        compile: Compiled,
        /// The result for each device; empty if the expression does not compile.
        #[serde(skip_serializing_if = "Option::is_none")]
        results: Option<Vec<Run>>,
    },
    /// Allocate.
    Allocate {
        /// The release of the scheduler.
        release: Release,
        /// The allocator of kube-scheduler that the release uses.
        allocator: &'static str,
        /// The release's gates.
        gates: BTreeMap<&'static str, bool>,
        /// The changes that the answer assumes, each as a line of English.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        assumed: Vec<String>,
        /// The account of each pod, or group of claims without one.
        pods: Box<RawValue>,
    },
}

/// A fix and its finding.
#[derive(Debug, Serialize)]
pub struct FixOf {
    /// What the fix does.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// Code of the finding.
    pub code: &'static str,
    /// Message of the finding.
    pub message: String,
    /// Range of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The fix deletes something that a person wrote; "fix all" leaves it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletes: bool,
}

/// The hover at a position.
#[derive(Debug, Serialize)]
pub struct Hover {
    /// The range of the key or value.
    pub range: Range,
    /// A path, a value or a kind.
    pub title: String,
    /// Documentation key.
    pub key: String,
    /// Facts about the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<Info>,
    /// The documentation, in the language of the locale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// The whole hover as Markdown, in the language of the locale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markdown: Option<String>,
}

/// One completion.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The label, which editors match with the typed text.
    pub label: String,
    /// `field`, `value`, `kind`, `apiVersion`, `snippet`, `attribute`, `function`.
    pub kind: Sort,
    /// Shown beside the label.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Documentation key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The documentation, in the language of the locale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    /// The text that replaces `range`.
    pub insert_text: String,
    /// The same text with tab stops `${1}`, `${2}` ….
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The range to replace.
    pub range: Range,
    /// True if the server refuses the object without it.
    pub required: bool,
}

/// The result of a compilation.
#[derive(Clone, Debug, Serialize)]
pub struct Compiled {
    /// True if the expression can run.
    pub ok: bool,
    /// The type of the result.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The cost estimate that the server compares with its limit, in releases that have an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    /// kube-apiserver's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The result of a run on one device.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Run {
    /// Whether the device is selected.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    /// kube-scheduler's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The cost of the run.
    pub cost: u64,
    /// With `trace`: the parts that decided the result, each as one line of English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Vec<String>>,
    /// With `trace`: every part that was evaluated, outer ones first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Traced>>,
}

/// A part of the expression with its value.
#[derive(Clone, Debug, Serialize)]
pub struct Traced {
    /// Its position in the expression.
    pub range: Range,
    /// Its value in CEL syntax.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Why it has no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
