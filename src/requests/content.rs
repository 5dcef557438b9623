//! The part of an answer besides findings and objects, with one variant for each verb, as it is serialized.

use crate::allocate::{HowMany, PlacementMode};
use crate::audit::Usage;
use crate::editor::complete::Sort;
use crate::editor::hover::Info;
use crate::editor::registry::{CodeEntry, ReleaseEntry};
use crate::editor::symbols::{NameKind, SymbolKind};
use crate::policy::response::ValidationResponse;
use crate::policy::validating::PolicyResult;
use crate::upgrade::Trouble;
use claimkit_model::finding::Code;
use claimkit_model::message::{Message, Words};
use claimkit_model::schema::Release;
use claimkit_model::text::located::{Range, RangeEdit};
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::headline::Headline;
use claimkit_scheduler::scheduler::outcome::TieSearch;
use serde::ser::Error;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What policies of the API server answer about an object.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct JudgedObject {
    /// `apiVersion`
    pub api_version: String,
    /// `kind`
    pub kind: String,
    /// Its namespace; empty for an object of the cluster.
    pub namespace: String,
    /// `metadata.name`
    pub name: String,
    /// The name of its text, if texts have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The answer of all policies together; absent if it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub response: Option<ValidationResponse>,
    /// The answer of each policy and binding.
    pub results: Vec<PolicyResult>,
}

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
    /// The answer to `convert`.
    Convert {
        /// The whole converted file.
        text: String,
    },
    /// The answer to `convert` with several files.
    ConvertFiles {
        /// The files in order.
        files: Vec<ConvertedFile>,
    },
    /// The answer to `admit`.
    Admit {
        /// The ValidationResponse that Kubewarden expects.
        response: Box<RawValue>,
    },
    /// The answer to `admit` with policies of the API server.
    AdmitPolicies {
        /// The answer of all policies together; absent if it is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        response: Option<Box<RawValue>>,
        /// The answer of each policy and binding.
        results: Vec<PolicyResult>,
    },
    /// The answer to `admit` with policies of the API server, about manifests.
    AdmitManifests {
        /// The answers about each object.
        judged: Vec<JudgedObject>,
    },
    /// The answer to `admit` about settings in another form.
    Policies {
        /// The policies as YAML, with a comment for each setting that they cannot hold.
        policies: String,
        /// The number of policies.
        count: usize,
    },
    /// The answer to `hover`.
    Hover {
        /// The hover, or `null`.
        hover: Option<Box<HoverContent>>,
    },
    /// The answer to `complete`.
    Complete {
        /// The completions of the place.
        items: Vec<CompletionContent>,
    },
    /// The answer to `symbols`.
    Symbols {
        /// The objects with their parts.
        symbols: Vec<SymbolContent>,
        /// The names that the text defines and uses.
        names: Vec<NameContent>,
        /// The device selectors of readable documents.
        selectors: Vec<SelectorContent>,
    },
    /// The answer to `fixes`.
    Fixes {
        /// The fixes of the findings in the range.
        fixes: Vec<FixOf>,
    },
    /// The answer to `schema`.
    Schema {
        /// The JSON Schema of the kind.
        schema: Box<RawValue>,
    },
    /// The answer to `codes`.
    Codes {
        /// The registry of finding codes.
        codes: Vec<CodeEntry>,
    },
    /// The answer to `releases`.
    Releases {
        /// The supported releases, oldest first.
        releases: Vec<ReleaseEntry>,
    },
    /// The answer to `cel`.
    Cel {
        /// The result of the compilation.
        compile: CompileContent,
        /// The result for each device; empty if the expression does not compile.
        #[serde(skip_serializing_if = "Option::is_none")]
        results: Option<Vec<RunContent>>,
    },
    /// The answer to `allocate`.
    Allocate {
        /// The release of the scheduler.
        release: Release,
        /// The allocator of kube-scheduler that the release uses.
        allocator: &'static str,
        /// The mode in which pods were placed.
        mode: PlacementMode,
        /// The number of pods that wait beside those of the answer; in turn, they were placed too.
        #[serde(skip_serializing_if = "is_zero")]
        beside: usize,
        /// How often the repeated pod fits.
        #[serde(rename = "howMany", skip_serializing_if = "Option::is_none")]
        how_many: Option<HowMany>,
        /// How far other choices among nodes of the same score were tried; absent: no nodes had the same score.
        #[serde(skip_serializing_if = "TieSearch::is_none")]
        ties: TieSearch,
        /// The feature gates of the release.
        gates: BTreeMap<&'static str, bool>,
        /// What keeps pods waiting; absent: fewer than two were placed, or all have a node.
        #[serde(skip_serializing_if = "Option::is_none")]
        headline: Option<Headline>,
        /// The changes that the answer assumes, each as a line of English.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        assumed: Vec<Message>,
        /// How many lines of `assumed`, the last ones, are about claims that pods need and that are not there.
        #[serde(skip)]
        claims_assumed: usize,
        /// The account of each pod, or group of claims without one.
        #[serde(serialize_with = "as_json")]
        pods: Vec<PodAccount>,
    },
    /// The answer to `audit`.
    Audit {
        /// The release of the cluster.
        release: Release,
        /// The feature gates of the release.
        gates: BTreeMap<&'static str, bool>,
        /// The devices and resources in use.
        usage: Box<Usage>,
    },
    /// The answer to `upgrade`.
    Upgrade {
        /// The release that the cluster has.
        from: Release,
        /// The release that it will have.
        to: Release,
        /// The kinds of trouble. The last findings are about them, in the same order.
        troubles: Vec<Trouble>,
    },
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Serializes accounts by their JSON: they have many types, and so the module needs only one serializer for them.
fn as_json<S: Serializer>(pods: &[PodAccount], serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::value::to_raw_value(pods)
        .map_err(S::Error::custom)?
        .serialize(serializer)
}

/// A part of a text.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolContent {
    /// The kind of the symbol.
    pub kind: SymbolKind,
    /// Its name; empty if it has none.
    pub name: String,
    /// The kind of an object, the class of a request, the first line of a selector; empty for others.
    pub detail: String,
    /// The range of all of it.
    pub range: Range,
    /// The range of its name, or of its first key.
    pub name_range: Range,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// The symbols within this one.
    pub children: Vec<SymbolContent>,
}

/// A place where a name is written.
#[derive(Debug, Serialize)]
pub struct NameContent {
    /// The kind of object that it stands for.
    pub kind: NameKind,
    /// The name, as the text has it.
    pub name: String,
    /// The namespace of its object; empty for names of the whole cluster.
    pub namespace: String,
    /// The owner of the name; empty for objects and drivers.
    pub of: String,
    /// True where the named thing is, false where it is used.
    pub definition: bool,
    /// The range of the name without quotes.
    pub range: Range,
}

/// A device selector of the text.
#[derive(Debug, Serialize)]
pub struct SelectorContent {
    /// The expression as the server reads it.
    pub expression: String,
    /// The release of its object.
    pub release: Release,
    /// The range of the value.
    pub range: Range,
}

/// A fix and its finding.
#[derive(Debug, Serialize)]
pub struct FixOf {
    /// The effect of the fix.
    pub title: Message,
    /// The edits of the fix.
    pub edits: Vec<RangeEdit>,
    /// Code of the finding.
    pub code: Code,
    /// Message of the finding.
    pub message: Words,
    /// Range of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The fix deletes something that a person wrote; "fix all" leaves it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletes: bool,
}

/// The hover at a position.
#[derive(Debug, Serialize)]
pub struct HoverContent {
    /// The range of the key or value.
    pub range: Range,
    /// A path, a value or a kind.
    pub title: String,
    /// The key of the documentation.
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

/// A text that can be inserted at a place.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompletionContent {
    /// The label, which editors match with the typed text.
    pub label: String,
    /// What editors match with the typed text in place of the label: the label in the quotes that are part of `range`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter_text: Option<String>,
    /// `field`, `value`, `kind`, `apiVersion`, `snippet`, `attribute`, `function`.
    pub kind: Sort,
    /// Shown beside the label.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The key of the documentation.
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
#[derive(Clone, Debug, Default, Serialize)]
pub struct CompileContent {
    /// True if the expression can run.
    pub ok: bool,
    /// The type of the result.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The cost estimate that the server compares with its limit, in releases that have an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The message of kube-apiserver.
    pub error: Option<String>,
    /// Help with the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Message>,
    /// Parts that the server accepts and that fail on every device.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<CelWarning>,
}

/// A part of an expression that compiles and cannot work.
#[derive(Clone, Debug, Serialize)]
pub struct CelWarning {
    /// The part in the expression.
    pub range: Range,
    /// The part, and why it fails.
    pub message: Message,
    /// Help with the part.
    pub help: Message,
}

/// A file of `convert`.
#[derive(Clone, Debug, Serialize)]
pub struct ConvertedFile {
    /// Its name.
    pub name: String,
    /// The whole file converted; absent if the conversion is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The result of a run on one device.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RunContent {
    /// Whether the device is selected.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matches: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The message of kube-apiserver.
    pub error: Option<String>,
    /// The cost of the run.
    pub cost: u64,
    /// What to write against the error: of the first device with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Message>,
    /// With `trace`: the parts that decided the result, each as one line of English.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Vec<Message>>,
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
