//! What is needed of the Language Server Protocol 3.17 and of JSON-RPC: messages, places, parameters and answers.

use claimkit_model::text::located;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// Codes of errors, of JSON-RPC and of the protocol.
pub mod code {
    pub const PARSE_ERROR: i32 = -32700;
    pub const INVALID_REQUEST: i32 = -32600;
    pub const METHOD_NOT_FOUND: i32 = -32601;
    pub const INVALID_PARAMS: i32 = -32602;
    pub const INTERNAL_ERROR: i32 = -32603;
    pub const SERVER_NOT_INITIALIZED: i32 = -32002;
    pub const REQUEST_CANCELLED: i32 = -32800;
}

/// An error that answers a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseError {
    pub code: i32,
    pub message: String,
}

impl ResponseError {
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        ResponseError {
            code,
            message: message.into(),
        }
    }
}

/// A message of the client.
#[derive(Clone, Debug)]
pub enum Incoming {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// The answer to a request of the server; `None` for an error.
    Response {
        id: Value,
        result: Option<Value>,
    },
}

impl Incoming {
    /// Reads a message.
    ///
    /// # Errors
    /// The answer to what is none.
    pub fn read(text: &str) -> Result<Self, Value> {
        let unusable =
            |code, message: &str| response(&Value::Null, Err(ResponseError::new(code, message)));
        let message: Value = serde_json::from_str(&well_formed(text))
            .map_err(|error| unusable(code::PARSE_ERROR, &error.to_string()))?;
        let Value::Object(mut members) = message else {
            return Err(unusable(code::INVALID_REQUEST, "a message is an object"));
        };
        let params = members.remove("params").unwrap_or_default();
        match (members.remove("method"), members.remove("id")) {
            (Some(Value::String(method)), None) => Ok(Incoming::Notification { method, params }),
            (Some(Value::String(method)), Some(id)) if is_id(&id) => {
                Ok(Incoming::Request { id, method, params })
            }
            (None, Some(id)) if members.contains_key("result") || members.contains_key("error") => {
                let result = members
                    .remove("result")
                    .filter(|_| !members.contains_key("error"));
                Ok(Incoming::Response { id, result })
            }
            _ => Err(unusable(
                code::INVALID_REQUEST,
                "a message has a method, or answers a request",
            )),
        }
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_number()
}

/// Replaces halves of surrogate pairs that stand alone, which an editor writes as `\ud83d`: no text of Rust has them.
fn well_formed(text: &str) -> std::borrow::Cow<'_, str> {
    let half = |at: usize| -> Option<u16> {
        let digits = text.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        let unit = u16::from_str_radix(digits, 16).ok()?;
        (0xd800..0xe000).contains(&unit).then_some(unit)
    };
    let mut fixed = String::new();
    let (mut kept, mut at) = (0usize, 0usize);
    while let Some(found) = text
        .get(at..)
        .and_then(|rest| memchr::memchr(b'\\', rest.as_bytes()))
    {
        let escape = at.saturating_add(found);
        let next = escape.saturating_add(6);
        at = match (half(escape), half(next)) {
            (None, _) => escape.saturating_add(2),
            (Some(..0xdc00), Some(0xdc00..)) => next.saturating_add(6),
            (Some(_), _) => {
                fixed.push_str(text.get(kept..escape).unwrap_or_default());
                fixed.push_str("\\ufffd");
                kept = next;
                next
            }
        };
        while !text.is_char_boundary(at) && at < text.len() {
            at = at.saturating_add(1);
        }
    }
    if kept == 0 {
        return text.into();
    }
    fixed.push_str(text.get(kept..).unwrap_or_default());
    fixed.into()
}

/// Makes the answer to a request.
pub fn response(id: &Value, result: Result<Value, ResponseError>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(ResponseError { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    }
}

/// Makes a notification.
pub fn notification(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// Makes a request of the server.
pub fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A place of a text: zero-based line, UTF-16 code units in the line. Numbers beyond every text stand for its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    #[serde(deserialize_with = "coordinate")]
    pub line: u32,
    #[serde(deserialize_with = "coordinate")]
    pub character: u32,
}

/// Reads a line or character: a number below zero is zero, and one beyond 32 bits is the greatest.
fn coordinate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    let Some(whole) = number.as_u64() else {
        let is_large = number.as_f64().is_some_and(|number| number > 0.0);
        return Ok(if is_large { u32::MAX } else { 0 });
    };
    Ok(u32::try_from(whole).unwrap_or(u32::MAX))
}

/// A range of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

impl Range {
    /// Returns true if two ranges have a place in common.
    pub fn meets(self, other: Range) -> bool {
        self.start <= other.end && other.start <= self.end
    }
}

impl From<&located::EditorPosition> for Position {
    fn from(place: &located::EditorPosition) -> Self {
        Position {
            line: place.line,
            character: place.character,
        }
    }
}

impl From<&located::Range> for Range {
    fn from(range: &located::Range) -> Self {
        Range {
            start: (&range.start).into(),
            end: (&range.end).into(),
        }
    }
}

/// A replacement of a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    pub range: Range,
    pub new_text: String,
}

/// A range of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    pub uri: String,
    pub range: Range,
}

/// Severities of diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticSeverity {
    Error = 1,
    Warning = 2,
    Information = 3,
}

impl Serialize for DiagnosticSeverity {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(*self as u8)
    }
}

/// A problem of a document.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    pub range: Range,
    pub severity: DiagnosticSeverity,
    pub code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_description: Option<Value>,
    pub source: &'static str,
    pub message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<DiagnosticData>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_information: Vec<RelatedInformation>,
}

/// What a diagnostic carries for its quick fixes.
#[derive(Clone, Debug, Serialize)]
pub struct DiagnosticData {
    pub from: &'static str,
    #[serde(rename = "in")]
    pub within: claimkit_model::finding::TextField,
    pub fixes: Vec<DiagnosticFix>,
}

/// A fix of a diagnostic.
#[derive(Clone, Debug, Serialize)]
pub struct DiagnosticFix {
    pub title: String,
    pub edits: Vec<TextEdit>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletes: bool,
}

/// Another place that a diagnostic is about.
#[derive(Clone, Debug, Serialize)]
pub struct RelatedInformation {
    pub location: Location,
    pub message: String,
}

/// A document that a request is about.
#[derive(Clone, Debug, Deserialize)]
pub struct DocumentId {
    pub uri: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentParams {
    pub text_document: DocumentId,
}

/// A place that a request is about.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceParams {
    pub text_document: DocumentId,
    pub position: Position,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceParams {
    pub text_document: DocumentId,
    pub position: Position,
    pub context: ReferenceContext,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReferenceContext {
    pub include_declaration: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RenameParams {
    pub text_document: DocumentId,
    pub position: Position,
    pub new_name: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct SymbolParams {
    pub query: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HintParams {
    pub text_document: DocumentId,
    pub range: Range,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionParams {
    pub text_document: DocumentId,
    pub range: Range,
    pub context: ActionContext,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ActionContext {
    /// Diagnostics of any server, as the client has them.
    #[serde(default)]
    pub diagnostics: Vec<Value>,
    /// Kinds of actions that are wanted; absent: all.
    pub only: Option<Vec<String>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenParams {
    pub text_document: OpenDocument,
}

/// A document that is opened.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenDocument {
    pub uri: String,
    pub language_id: String,
    pub version: i64,
    pub text: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeParams {
    pub text_document: VersionedDocument,
    pub content_changes: Vec<ContentChange>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct VersionedDocument {
    pub uri: String,
    pub version: i64,
}

/// A change of a range, or of the whole text.
#[derive(Clone, Debug, Deserialize)]
pub struct ContentChange {
    pub range: Option<Range>,
    pub text: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct WatchedParams {
    pub changes: Vec<FileEvent>,
}

/// A file that was created, changed or deleted.
#[derive(Clone, Debug, Deserialize)]
pub struct FileEvent {
    pub uri: String,
    #[serde(rename = "type")]
    pub kind: u8,
}

impl FileEvent {
    /// Returns true if the file is gone.
    pub fn is_deletion(&self) -> bool {
        self.kind == 3
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct FoldersParams {
    pub event: FoldersEvent,
}

#[derive(Clone, Debug, Deserialize)]
pub struct FoldersEvent {
    pub added: Vec<DocumentId>,
    pub removed: Vec<DocumentId>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InitializeParams {
    pub capabilities: Value,
    pub initialization_options: Value,
    pub workspace_folders: Option<Vec<DocumentId>>,
    pub root_uri: Option<String>,
}

/// A document, and what is asked about it by an extension.
#[derive(Clone, Debug, Deserialize)]
pub struct StateParams {
    pub uri: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct GatesParams {
    pub release: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ConvertParams {
    pub uri: String,
    pub to: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct DevicesParams {
    pub uri: String,
    pub pod: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        for (written, read) in [
            (r#""a""#, "a"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud83d""#, "\u{fffd}"),
            (r#""\ude00x\n""#, "\u{fffd}x\n"),
            (r#""\ud83dé\\ud83d""#, "\u{fffd}é\\ud83d"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        ] {
            let text: String = serde_json::from_str(&well_formed(written)).unwrap();
            assert_eq!(text, read, "{written}");
        }
        assert_eq!(well_formed("\\"), "\\");
        assert_eq!(well_formed("\\é"), "\\é");
    }

    #[test]
    fn impossible_places_are_the_ends() {
        let read = |text: &str| serde_json::from_str::<Position>(text).unwrap();
        let place = read(r#"{"line": -1, "character": 99999999999}"#);
        assert_eq!((place.line, place.character), (0, u32::MAX));
        let place = read(r#"{"line": 1e300, "character": -0.5}"#);
        assert_eq!((place.line, place.character), (u32::MAX, 0));
        assert!(serde_json::from_str::<Position>(r#"{"line": "1", "character": 0}"#).is_err());
    }

    #[test]
    fn what_is_no_message_is_answered() {
        for text in [
            "",
            "[]",
            "{}",
            "{\"id\": 1}",
            "{\"method\": 1}",
            "{\"method\": \"a\", \"id\": null}",
        ] {
            let answer = Incoming::read(text).unwrap_err();
            assert!(answer["error"]["code"].is_i64(), "{answer}");
        }
    }
}
