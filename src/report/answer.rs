//! An answer as any client of the contract sees it. Rendering uses the answer's JSON, so `npx claimkit` can use the same module
//! as every other client, without a second copy of the rules.

use serde::Deserialize;
use serde_json::value::RawValue;

/// One answer, without the parts that are not rendered.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Answer {
    /// No error, and at least one object was checked.
    pub ok: bool,
    /// Why the request cannot be used.
    pub error: Option<String>,
    /// All findings.
    pub findings: Vec<Finding>,
    /// The objects of the text.
    pub objects: Vec<Object>,
    /// Parse with `raw`: the plain JSON value.
    pub raw: Option<Box<RawValue>>,
    /// Convert: the whole file converted.
    pub text: Option<String>,
}

/// A finding.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Finding {
    /// Stable code.
    pub code: String,
    /// `error`, `warning`, `info`
    pub severity: String,
    /// `kubectl`, `kube-apiserver`, `kube-scheduler`, `claimkit`
    pub origin: String,
    /// The message.
    pub message: String,
    /// The field path.
    pub path: Option<String>,
    /// What to write instead.
    pub help: Option<String>,
    /// Edits that mend it.
    pub fixes: Vec<Fix>,
    /// The text it is about: `text`, `nodes`, `old`, `patch`, `settings`.
    #[serde(rename = "in")]
    pub within: String,
    /// The file of that text, if it is not the main file.
    pub file: Option<String>,
    /// The place.
    pub range: Option<Range>,
    /// Index in `objects`.
    pub object: Option<usize>,
}

/// A fix.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// It deletes something that a person wrote.
    pub deletes: bool,
}

/// An edit.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Edit {
    /// What is replaced.
    pub range: Range,
    /// By what.
    pub new_text: String,
}

/// A range of the text.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Range {
    /// Start.
    pub start: Position,
    /// End.
    pub end: Position,
}

/// A place: zero-based line, UTF-16 code units, bytes.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Position {
    /// Zero-based line.
    pub line: u32,
    /// UTF-16 code units in the line.
    pub character: u32,
    /// Bytes in the file.
    pub offset: u32,
}

/// One object.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Object {
    /// As the server reads it.
    pub kind: String,
    /// `metadata.name`
    pub name: String,
    /// `metadata.namespace`
    pub namespace: String,
    /// Whether it was accepted; absent for an object that was not looked into.
    pub valid: Option<bool>,
    /// Parse with a selector: whether it selects the object.
    pub selected: Option<bool>,
    /// Parse: the object after decoding and defaulting.
    pub object: Option<Box<RawValue>>,
    /// Convert: the version it is in now; absent for an object of another group.
    pub to: Option<String>,
    /// Convert: the version it had.
    pub from: String,
    /// Convert: whether it is in another version now.
    pub changed: bool,
    /// Convert: the first minor release that does not serve it in the version it had.
    pub removed_in: Option<String>,
    /// Convert: fields the target version cannot hold.
    pub losses: Vec<Loss>,
    /// Evaluate: where it can be placed.
    pub placement: Option<Box<RawValue>>,
}

/// A field that the target version cannot hold.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Loss {
    /// Its path.
    pub path: String,
    /// Why it is lost.
    pub reason: String,
}

impl Object {
    /// Whether it was looked into.
    pub fn checked(&self) -> bool {
        self.valid.is_some() || self.to.is_some() || self.placement.is_some()
    }
}
