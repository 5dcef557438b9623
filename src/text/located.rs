//! Findings with editor positions (lines, UTF-16 code units and bytes) instead of byte spans.

use crate::finding::{self, Cause, Origin, Severity, TextField};
use crate::text::source::{self, Source, Span};
use serde::Serialize;
use std::borrow::Cow;

/// A finding with editor positions.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Stable code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Whose message it is.
    pub origin: Origin,
    /// The message.
    pub message: String,
    /// The field path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The cause reason.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub cause: Option<Cause>,
    /// How to correct the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Cow<'static, str>>,
    /// Fixes of it.
    pub fixes: Vec<Fix>,
    /// The text it is about. Its range and edits refer to this text.
    #[serde(rename = "in")]
    pub within: TextField,
    /// The place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Index in `objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
}

/// A fix.
#[derive(Clone, Debug, Serialize)]
pub struct Fix {
    /// What the fix does.
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
    /// The fix deletes something that a person wrote; "fix all" leaves it out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deletes: bool,
}

/// An edit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    /// The range to replace.
    pub range: Range,
    /// The replacement.
    pub new_text: String,
}

/// A range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// Start.
    pub start: Position,
    /// End.
    pub end: Position,
}

/// A place: zero-based line, UTF-16 code units, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Position {
    /// Zero-based line.
    pub line: u32,
    /// UTF-16 code units in the line.
    pub character: u32,
    /// Bytes in the file.
    pub offset: u32,
}

/// A span as an editor range.
pub fn range(source: &Source<'_>, span: Span) -> Range {
    let position = |offset: usize| {
        let source::Position { line, character, offset } = source.position(offset);
        Position { line, character, offset }
    };
    Range { start: position(span.from()), end: position(span.to()) }
}

/// Converts a finding for the answer; `source` is the text of its spans.
pub fn finding(source: &Source<'_>, finding: finding::Finding) -> Finding {
    let mut fixes = Vec::new();
    for fix in finding.fixes {
        let deletes = fix.deletes(source.text());
        let mut edits = Vec::new();
        for edit in fix.edits {
            edits.push(Edit { range: range(source, edit.span), new_text: edit.new_text });
        }
        fixes.push(Fix { title: fix.title, edits, deletes });
    }
    Finding {
        code: finding.code.name(),
        severity: finding.severity,
        origin: finding.origin,
        message: finding.message,
        path: finding.path,
        cause: finding.cause,
        help: finding.help,
        fixes,
        within: finding.within,
        range: finding.span.map(|span| range(source, span)),
        object: finding.object,
    }
}
