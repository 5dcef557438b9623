//! The requests. An absent field has its default; an unknown field is an error that names it.

use super::options::{AllocateOptions, CelEnvironment};
use crate::api::{Gates, Release};
use crate::editor::sentences::{LOCALES, Sentences};
use crate::finding::TextField;
use crate::limits::Limits;
use crate::place::device::what_if::WhatIf;
pub use crate::record::decode::Via;
pub use crate::scheduler::Detail;
pub use crate::server::FieldValidation;
use crate::server::options::{StoredAs, ValidateOptions};
pub use crate::server::patch::PatchType;
use crate::text::Source;
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// One request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields, expecting = "an object with the fields of a request")]
pub struct Request {
    /// `parse`, `validate`, `convert`, `evaluate`, `hover`, `complete`, `fixes`, `jsonSchema`, `codes`, `releases`, `cel`, `allocate`.
    pub verb: String,
    /// The manifest text.
    pub text: Option<String>,
    /// Kubernetes release.
    pub release: Option<String>,
    /// Feature gates that override the defaults of the release.
    pub gates: BTreeMap<String, bool>,
    /// The labels of the namespace; absent: unknown.
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// Validate: includes the stored objects: `true` in the version of the manifest, or the name of a version.
    pub stored: Option<Stored>,
    /// How the server treats unknown and duplicate fields.
    #[serde(deserialize_with = "word")]
    pub field_validation: FieldValidation,
    /// The operation on the object.
    #[serde(deserialize_with = "word")]
    pub operation: Operation,
    /// The stored object's text.
    pub old: Option<String>,
    /// How the object reaches the server; absent: `kubectl` for `validate`; `parse` reads JSON in source order, as the server does.
    #[serde(deserialize_with = "some_word")]
    pub via: Option<Via>,
    /// Request namespace.
    pub namespace: Option<String>,
    /// Patch: its text, YAML or JSON.
    pub patch: Option<String>,
    /// Patch: its type.
    #[serde(deserialize_with = "word")]
    pub patch_type: PatchType,
    /// Patch: the field manager. Required for `apply`; for the other types it owns the fields that the patch writes.
    pub field_manager: Option<String>,
    /// Patch: `apply` takes over fields of other managers.
    pub force: bool,
    /// Patch: the time of the request in RFC 3339, for `managedFields`; absent: the entry has no time.
    pub time: Option<String>,
    /// Target version of a conversion.
    pub to: Option<String>,
    /// Whether a conversion may lose data.
    #[serde(deserialize_with = "word")]
    pub lossy: Lossy,
    /// Convert: removes `metadata` fields that only the server writes, and the annotation of `kubectl apply`.
    pub drop_server_fields: bool,
    /// Convert: writes decisions as comments into the text.
    pub annotate: bool,
    /// Text with Nodes. `Some(None)` (JSON `null`): one nil node.
    #[serde(deserialize_with = "given")]
    pub nodes: Option<Option<String>>,
    /// A bare node selector's text, in place of `text`.
    pub selector: Option<String>,
    /// Evaluate: the detail for each node. Absent: `full` for few nodes ([`super::FULL_NODES`]), else `summary`.
    #[serde(deserialize_with = "some_word")]
    pub detail: Option<Detail>,
    /// Evaluate: the names of nodes with full details, whatever `detail` is.
    pub explain: Vec<String>,
    /// Answers have ranges in the text. Not a request field: hosts without a text leave the ranges out.
    #[serde(skip)]
    pub without_places: bool,
    /// Texts that the caller passed as objects, so answers have no ranges in them. Not a request field.
    #[serde(skip)]
    pub placeless: Vec<TextField>,
    /// For texts that came as bytes: the offset of U+FFFD for the first byte that is not UTF-8.
    pub replaced: Replaced,
    /// Parse: a label selector, as for `kubectl get -l`.
    pub label_selector: Option<String>,
    /// Parse: a field selector, as for `kubectl get --field-selector`.
    pub field_selector: Option<String>,
    /// Parse: only the YAML-to-JSON step.
    pub raw: bool,
    /// The position of the hover or completion.
    pub position: Option<TextPosition>,
    /// Fixes: the range; absent: the whole text.
    pub range: Option<TextRange>,
    /// JSON Schema: the kind; absent: all kinds of the release.
    pub kind: Option<String>,
    /// Language of sentences: `en` (default) or `zh-Hans`.
    pub locale: Option<String>,
    /// The locale's file. Without it answers have documentation keys only; the command line fills it in.
    pub sentences: Option<Sentences>,
    /// Admit: an AdmissionRequest, or the AdmissionReview around it; absent: only the settings are checked.
    pub request: Option<Box<RawValue>>,
    /// Admit: the settings of the policy; absent: none.
    #[serde(deserialize_with = "given")]
    pub settings: Option<Box<RawValue>>,
    /// Cel: the text of a selector. `stored`: whether it is already stored.
    pub expression: Option<String>,
    /// Cel: the CEL environment of the selector.
    #[serde(deserialize_with = "word")]
    pub environment: CelEnvironment,
    /// Cel: the devices to run it on.
    pub devices: Vec<serde_json::Value>,
    /// Cel: the instances of named resources to run it on.
    pub instances: Vec<serde_json::Value>,
    /// Cel: includes the value of every part.
    pub trace: bool,
    /// Allocate: the features of the allocator, instead of those that follow from the gates.
    pub features: Option<Vec<String>>,
    /// Allocate: whether selectors read attributes with several values, whatever the gates are.
    pub cel_lists: bool,
    /// Allocate: `namespace/name` of the only pod to answer for.
    pub pod: Option<String>,
    /// Allocate: `namespace/name` of the claims to allocate together, instead of pods.
    pub claims: Option<Vec<String>>,
    /// Allocate: a text with more objects of the cluster. The answer is about the objects of `text`.
    pub cluster: Option<String>,
    /// Allocate: changes that the answer assumes.
    pub what_if: WhatIf,
    /// Allocate: the current time, RFC 3339; absent: no timeout has expired.
    pub now: Option<String>,
    /// Allocate: the names of the nodes to search; absent: all.
    pub node_names: Option<Vec<String>>,
    /// Allocate: options of the search and the account.
    pub options: AllocateOptions,
    /// Overrides of the limits.
    pub limits: Limits,
}

/// Reads a field whose `null` differs from its absence.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads an enum from a string. Other types give a clear error, unlike with serde's derived code for enums.
fn word<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    let word = String::deserialize(deserializer)?;
    T::deserialize(word.as_str().into_deserializer())
}

/// Like [`word`], for an optional field.
fn some_word<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|word| T::deserialize(word.as_str().into_deserializer())).transpose()
}

/// Reads a line, character or offset. Numbers over 32 bits become the maximum, which is beyond every text.
fn coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    crate::limits::bound(deserializer).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

fn some_coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    struct Coordinate(#[serde(deserialize_with = "coordinate")] u32);
    Ok(Option::<Coordinate>::deserialize(deserializer)?.map(|Coordinate(number)| number))
}

/// The version of the stored objects in the answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "true, false or the name of a version")]
pub enum Stored {
    /// `true`: the version of the manifest; `false`: no stored objects.
    Written(bool),
    /// This version.
    Version(String),
}

/// Reads a request, or a part of one, from JSON. The error names the field, its value and the expected type:
/// `` `limits.findings`: invalid type: … ``.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // serde would read a list as the fields in order.
    if !text.trim_start().starts_with('{') {
        serde_json::from_str::<serde::de::IgnoredAny>(text).map_err(|error| error.to_string())?;
        return Err("it is not an object with the fields of a request".to_owned());
    }
    serde_json::from_str(text).map_err(|error| {
        let error = error.to_string();
        let refusal = |part: &str| serde_json::from_str::<T>(part).err().map(|error| error.to_string());
        match refused(text, &error, &refusal).as_str() {
            "" => error,
            path => format!("`{path}`: {error}"),
        }
    })
}

/// The error message without the line and the column in the JSON.
pub fn unplaced(problem: &str) -> &str {
    problem.rsplit_once(" at line ").map_or(problem, |(problem, _)| problem)
}

/// The path of the smallest part that gives the same error on its own. serde's errors have no path.
fn refused(text: &str, error: &str, refusal: &dyn Fn(&str) -> Option<String>) -> String {
    let same = |part: &str| refusal(part).is_some_and(|other| unplaced(&other) == unplaced(error));
    let lacks = |problem: &str| problem.starts_with("missing field");
    let mut path = String::new();
    // The JSON text before and after the part.
    let (mut open, mut close) = (String::new(), String::new());
    let Ok(mut part) = serde_json::from_str::<Value>(text) else { return path };
    loop {
        // If an empty object lacks a field as well, this object is the one with the missing field.
        if lacks(error) && refusal(&format!("{open}{{}}{close}")).is_some_and(|other| lacks(&other)) {
            return path;
        }
        let found = match part {
            Value::Object(members) => members.into_iter().find_map(|(name, value)| {
                let opened = format!("{open}{{{}:", Value::from(name.as_str()));
                same(&format!("{opened}{value}}}{close}")).then_some((name, value, opened, '}'))
            }),
            Value::Array(items) => items.into_iter().enumerate().find_map(|(index, value)| {
                same(&format!("{open}[{value}]{close}")).then(|| (format!("[{index}]"), value, format!("{open}["), ']'))
            }),
            _ => None,
        };
        let Some((name, value, opened, end)) = found else { return path };
        if !path.is_empty() && end == '}' {
            path.push('.');
        }
        path.push_str(&name);
        close.insert(0, end);
        (part, open) = (value, opened);
    }
}

impl Request {
    /// The options that do not depend on the operation.
    pub fn options(&self) -> ValidateOptions<'_> {
        ValidateOptions {
            via: self.via.unwrap_or_default(),
            namespace: self.namespace.as_deref(),
            field_validation: self.field_validation,
            gates: Some(&self.gates),
            namespace_labels: self.namespace_labels.as_ref(),
            stored_as: match &self.stored {
                None | Some(Stored::Written(false)) => None,
                Some(Stored::Written(true)) => Some(StoredAs::Written),
                Some(Stored::Version(name)) => Some(StoredAs::Version(name.strip_prefix("resource.k8s.io/").unwrap_or(name))),
            },
            limits: self.limits,
            ..ValidateOptions::default()
        }
    }

    /// The namespace of an object whose manifest has `given`, which may be empty.
    pub fn namespace_of<'a>(&'a self, given: &'a str) -> &'a str {
        if given.is_empty() { self.namespace.as_deref().unwrap_or("default") } else { given }
    }

    /// The requested locale; an error message if it is unknown.
    pub fn locale(&self) -> Result<&'static str, String> {
        let asked = self.locale.as_deref().unwrap_or("en");
        let known = LOCALES.iter().copied().find(|known| *known == asked);
        known.ok_or_else(|| format!("unknown locale `{asked}`; write `en` or `zh-Hans`"))
    }

    /// The gates that are on in a release; `None` if the request sets no gate. The error names the gate.
    pub fn gates_in(&self, release: Release) -> Result<Option<Gates>, String> {
        if self.gates.is_empty() {
            return Ok(None);
        }
        let set = self.gates.iter().map(|(name, on)| (name.as_str(), *on));
        Gates::with(release, set).map(Some).map_err(|error| format!("`gates`: {error}"))
    }

    /// The version of the stored objects in the answer, if any. `written`: the version of the object.
    pub fn stored_version<'v>(&'v self, written: &'v str) -> Option<&'v str> {
        match self.stored.as_ref()? {
            Stored::Written(wanted) => wanted.then_some(written),
            Stored::Version(version) => Some(version.strip_prefix("resource.k8s.io/").unwrap_or(version)),
        }
    }

    /// The requested release; an error message if it is unknown.
    pub fn release(&self) -> Result<Option<Release>, String> {
        match &self.release {
            None => Ok(None),
            Some(text) => Release::parse(text).map(Some).ok_or_else(|| Release::unknown(text)),
        }
    }
}

/// `replaced`: byte offsets in the texts of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "an object with byte offsets by field")]
pub struct Replaced {
    /// In `text`, or in the `selector` that replaces it.
    pub text: Option<u32>,
    /// In `nodes`.
    pub nodes: Option<u32>,
    /// In `old`.
    pub old: Option<u32>,
    /// In `patch`.
    pub patch: Option<u32>,
    /// In `cluster`.
    pub cluster: Option<u32>,
}

/// `operation`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Operation {
    /// The object is new.
    #[default]
    Create,
    /// The object replaces a stored one.
    Update,
    /// Its status replaces that of a stored one.
    UpdateStatus,
    /// `patch` changes a stored one.
    Patch,
    /// `patch` changes the status of a stored one.
    PatchStatus,
}

/// `lossy`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lossy {
    /// Refuses a conversion that loses data.
    #[default]
    Refuse,
    /// Converts and lists the losses.
    Allow,
}

/// A position in the text: `offset` in bytes, or `line` and `character` (UTF-16) from zero. `offset` wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "an object with `line` and `character`, or `offset`")]
pub struct TextPosition {
    /// Zero-based line.
    #[serde(deserialize_with = "coordinate")]
    pub line: u32,
    /// UTF-16 code units in the line.
    #[serde(deserialize_with = "coordinate")]
    pub character: u32,
    /// Bytes from the start of the text.
    #[serde(deserialize_with = "some_coordinate")]
    pub offset: Option<u32>,
}

/// A range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `start` and `end`")]
pub struct TextRange {
    /// Start.
    pub start: TextPosition,
    /// End.
    pub end: TextPosition,
}

impl TextPosition {
    /// The byte offset in a text, limited to the text and moved back to a character boundary.
    pub fn offset(self, source: &Source<'_>) -> usize {
        let text = source.text();
        let mut offset = match self.offset {
            Some(offset) => (offset as usize).min(text.len()),
            None => source.offset(self.line, self.character),
        };
        while !text.is_char_boundary(offset) {
            offset = offset.saturating_sub(1);
        }
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_part_that_is_refused_is_named() {
        let problem = |text: &str| unplaced(&read::<Request>(text).unwrap_err()).to_owned();
        let told = [
            (r#"{"verb": "parse", "release": 1}"#, "`release`: invalid type: integer `1`, expected a string"),
            (r#"{"limits": {"findings": 3, "depth": "a"}}"#, "`limits.depth`: invalid type: string \"a\""),
            (r#"{"range": {"start": {"line": 1}, "end": {"line": "b"}}}"#, "`range.end.line`: invalid type: string \"b\""),
            (r#"{"explain": ["a", 5, 6]}"#, "`explain[1]`: invalid type: integer `5`, expected a string"),
            (r#"{"range": {"start": {}}}"#, "`range`: missing field `end`"),
            (r#"{"replaced": {"texts": 1}}"#, "`replaced.texts`: unknown field `texts`"),
            // A duplicate field is not an error of a single part.
            (r#"{"verb": "parse", "verb": "parse"}"#, "duplicate field `verb`"),
            (r#"{"verb": "#, "EOF while parsing a value"),
        ];
        for (text, words) in told {
            assert!(problem(text).starts_with(words), "{text}: {}", problem(text));
        }
    }
}
