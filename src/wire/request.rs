//! What can be asked. Absent fields mean the default; unknown fields are refused by name.

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
    /// Feature gates over the defaults of the release.
    pub gates: BTreeMap<String, bool>,
    /// The labels of the namespace; absent: not known.
    pub namespace_labels: Option<BTreeMap<String, String>>,
    /// Validate: the objects as they are stored: `true` in the version that was written, or the name of a version.
    pub stored: Option<Stored>,
    /// What the server does with unknown and duplicate fields.
    #[serde(deserialize_with = "word")]
    pub field_validation: FieldValidation,
    /// What is done with the object.
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
    /// Patch: how it is read.
    #[serde(deserialize_with = "word")]
    pub patch_type: PatchType,
    /// Patch: who writes. Required for `apply`; for the others, who owns what is written.
    pub field_manager: Option<String>,
    /// Patch: `apply` takes fields away from other managers.
    pub force: bool,
    /// Patch: when, in RFC 3339, for `managedFields`; absent: the entry has no time of its own.
    pub time: Option<String>,
    /// Target version of a conversion.
    pub to: Option<String>,
    /// Whether a conversion may lose data.
    #[serde(deserialize_with = "word")]
    pub lossy: Lossy,
    /// Convert: take fields of `metadata` out that only the server writes, and the annotation of `kubectl apply`.
    pub drop_server_fields: bool,
    /// Convert: write decisions as comments into the text.
    pub annotate: bool,
    /// Text with Nodes. `Some(None)` (JSON `null`): one nil node.
    #[serde(deserialize_with = "given")]
    pub nodes: Option<Option<String>>,
    /// A bare node selector's text, in place of `text`.
    pub selector: Option<String>,
    /// Evaluate: how much is said of each node. Absent: `full` for few nodes ([`super::FULL_NODES`]), else `summary`.
    #[serde(deserialize_with = "some_word")]
    pub detail: Option<Detail>,
    /// Evaluate: names of nodes that have full details even if `detail` says otherwise.
    pub explain: Vec<String>,
    /// Answers say where in the text. Not asked for in requests: hosts that have no text leave it out.
    #[serde(skip)]
    pub without_places: bool,
    /// Texts that the caller has as objects, so that answers cannot point into them. Not asked for in requests.
    #[serde(skip)]
    pub placeless: Vec<TextField>,
    /// Texts that were bytes: where in them U+FFFD stands for the first byte that is not UTF-8.
    pub replaced: Replaced,
    /// Parse: which objects `kubectl get -l` would show.
    pub label_selector: Option<String>,
    /// Parse: which objects `kubectl get --field-selector` would show.
    pub field_selector: Option<String>,
    /// Parse: only the YAML-to-JSON step.
    pub raw: bool,
    /// Where to hover or complete.
    pub position: Option<TextPosition>,
    /// What fixes are wanted for; absent: the whole text.
    pub range: Option<TextRange>,
    /// The kind to write a JSON Schema of; absent: all kinds of the release.
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
    /// Cel: the text of a selector. `stored` tells whether it is stored already.
    pub expression: Option<String>,
    /// Cel: what the selector is about.
    #[serde(deserialize_with = "word")]
    pub environment: CelEnvironment,
    /// Cel: the devices that it is asked of.
    pub devices: Vec<serde_json::Value>,
    /// Cel: the instances of named resources that it is asked of.
    pub instances: Vec<serde_json::Value>,
    /// Cel: with the value of every part.
    pub trace: bool,
    /// Allocate: features of the allocator in place of those that the gates give.
    pub features: Option<Vec<String>>,
    /// Allocate: selectors read attributes with several values, whatever the gates say.
    pub cel_lists: bool,
    /// Allocate: `namespace/name` of the only pod to look at.
    pub pod: Option<String>,
    /// Allocate: `namespace/name` of the claims to allocate together, in place of pods.
    pub claims: Option<Vec<String>>,
    /// Allocate: text with objects of the cluster, beside those of `text`, which are the ones that are asked about.
    pub cluster: Option<String>,
    /// Allocate: changes that the answer assumes.
    pub what_if: WhatIf,
    /// Allocate: the time of the question, RFC 3339; absent: nothing has taken too long.
    pub now: Option<String>,
    /// Allocate: names of the nodes to look at; absent: all.
    pub node_names: Option<Vec<String>>,
    /// Allocate: how far the account goes.
    pub options: AllocateOptions,
    /// Overrides of the limits.
    pub limits: Limits,
}

/// A field whose `null` is something else than its absence.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// One of the words of an enum; anything but a string is refused in words, which serde's derived readers do not do for enums.
fn word<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    let word = String::deserialize(deserializer)?;
    T::deserialize(word.as_str().into_deserializer())
}

/// The same where absence means something of its own.
fn some_word<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    let word = Option::<String>::deserialize(deserializer)?;
    word.map(|word| T::deserialize(word.as_str().into_deserializer())).transpose()
}

/// A line, a character or an offset; beyond 32 bits it is beyond every text.
fn coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    crate::limits::bound(deserializer).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

fn some_coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    #[derive(Deserialize)]
    struct Coordinate(#[serde(deserialize_with = "coordinate")] u32);
    Ok(Option::<Coordinate>::deserialize(deserializer)?.map(|Coordinate(number)| number))
}

/// Which version stored objects are answered in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "true, false or the name of a version")]
pub enum Stored {
    /// In the version that was written, or not at all.
    Written(bool),
    /// In this version.
    Version(String),
}

/// Reads a request, or a part of one, from JSON. The error names the field, what stands there and what is expected:
/// `` `limits.findings`: invalid type: … ``.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    // serde takes a list for the fields in their order.
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

/// What is wrong, without the line and the column in the JSON.
pub fn unplaced(problem: &str) -> &str {
    problem.rsplit_once(" at line ").map_or(problem, |(problem, _)| problem)
}

/// The path of the smallest part that is refused for the same reason, though it stands alone. serde's errors do not tell it.
fn refused(text: &str, error: &str, refusal: &dyn Fn(&str) -> Option<String>) -> String {
    let same = |part: &str| refusal(part).is_some_and(|other| unplaced(&other) == unplaced(error));
    let lacks = |problem: &str| problem.starts_with("missing field");
    let mut path = String::new();
    // What stands before the part and after it.
    let (mut open, mut close) = (String::new(), String::new());
    let Ok(mut part) = serde_json::from_str::<Value>(text) else { return path };
    loop {
        // An object that cannot be empty is itself the one that lacks a field.
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
    /// What is asked for whatever is done with the objects.
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

    /// The namespace in which an object ends up that names this one.
    pub fn namespace_of<'a>(&'a self, given: &'a str) -> &'a str {
        if given.is_empty() { self.namespace.as_deref().unwrap_or("default") } else { given }
    }

    /// The locale asked for; an error text if there is none of that name.
    pub fn locale(&self) -> Result<&'static str, String> {
        let asked = self.locale.as_deref().unwrap_or("en");
        let known = LOCALES.iter().copied().find(|known| *known == asked);
        known.ok_or_else(|| format!("unknown locale `{asked}`; write `en` or `zh-Hans`"))
    }

    /// The gates that are on in a release; `None` if none was set. The error names the gate.
    pub fn gates_in(&self, release: Release) -> Result<Option<Gates>, String> {
        if self.gates.is_empty() {
            return Ok(None);
        }
        let set = self.gates.iter().map(|(name, on)| (name.as_str(), *on));
        Gates::with(release, set).map(Some).map_err(|error| format!("`gates`: {error}"))
    }

    /// The version that stored objects are answered in, if at all. `written`: that of the object.
    pub fn stored_version<'v>(&'v self, written: &'v str) -> Option<&'v str> {
        match self.stored.as_ref()? {
            Stored::Written(wanted) => wanted.then_some(written),
            Stored::Version(version) => Some(version.strip_prefix("resource.k8s.io/").unwrap_or(version)),
        }
    }

    /// The release asked for; an error text if it is not one of those known.
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
    /// In `text`, or in the `selector` that stands in its place.
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
    /// A conversion that loses data is refused.
    #[default]
    Refuse,
    /// It is done and the losses are listed.
    Allow,
}

/// A place in the text: `offset` in bytes, or `line` and `character` (UTF-16) from zero. `offset` wins.
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

/// From one place up to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with `start` and `end`")]
pub struct TextRange {
    /// Start.
    pub start: TextPosition,
    /// End.
    pub end: TextPosition,
}

impl TextPosition {
    /// The byte offset in a text, inside it and between characters.
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
            // Twice the same field is nothing that a part has alone.
            (r#"{"verb": "parse", "verb": "parse"}"#, "duplicate field `verb`"),
            (r#"{"verb": "#, "EOF while parsing a value"),
        ];
        for (text, words) in told {
            assert!(problem(text).starts_with(words), "{text}: {}", problem(text));
        }
    }
}
