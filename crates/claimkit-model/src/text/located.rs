//! Findings with editor positions (lines, UTF-16 code units and bytes) instead of byte spans.

use crate::finding::{self, Cause, Code, Origin, Severity, TextField};
use crate::message::{Message, Words, read_message, read_some, read_words};
use crate::text::bytes;
use crate::text::source::{Source, Span};
use serde::{Deserialize, Serialize};

/// A finding with editor positions.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LocatedFinding {
    pub code: Code,
    /// The severity of the finding.
    pub severity: Severity,
    /// The component whose message it is.
    pub origin: Origin,
    #[serde(deserialize_with = "read_words")]
    pub message: Words,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(
        rename = "type",
        skip_serializing_if = "Option::is_none",
        skip_deserializing
    )]
    pub cause: Option<Cause>,
    /// Advice for correcting the manifest.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "read_some"
    )]
    pub help: Option<Words>,
    /// The same for the command line, where the help names a field of the request.
    #[serde(skip)]
    pub command_help: Option<Message>,
    pub fixes: Vec<LocatedFix>,
    /// The text it is about. Its range and edits refer to this text.
    #[serde(rename = "in")]
    pub within: TextField,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// Index in `objects`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<usize>,
    /// The file, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A fix with its edits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LocatedFix {
    /// The effect of the fix.
    #[serde(deserialize_with = "read_message")]
    pub title: Message,
    pub edits: Vec<RangeEdit>,
    /// The fix deletes something that a person wrote; "fix all" leaves it out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deletes: bool,
}

/// A replacement of a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RangeEdit {
    /// The range to replace.
    pub range: Range,
    pub new_text: String,
}

/// A range of the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    pub start: EditorPosition,
    pub end: EditorPosition,
    /// The file, where there are several and what has the range does not name it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<str>>,
}

/// A place: zero-based line, UTF-16 code units, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditorPosition {
    /// Line number, counted from zero.
    pub line: u32,
    /// UTF-16 code units in the line.
    pub character: u32,
    /// UTF-16 code units from the start of the text.
    pub offset: u32,
    /// Bytes of UTF-8 from the start of the text.
    pub byte_offset: u32,
}

/// Returns a span as an editor range.
///
/// ```
/// use claimkit::{Source, Span, located};
///
/// let range = located::range(&Source::new("a\né b"), Span::new(5, 6));
/// assert_eq!((range.start.line, range.start.character, range.start.byte_offset), (1, 2, 5));
/// ```
pub fn range(source: &Source<'_>, span: Span) -> Range {
    Range {
        start: editor_position(source, span.from()),
        end: editor_position(source, span.to()),
        file: None,
    }
}

fn editor_position(source: &Source<'_>, byte: usize) -> EditorPosition {
    let position = source.position(byte);
    let offset = source.utf16_offset_in_file(byte);
    EditorPosition {
        line: position.line,
        character: position.character,
        offset: u32::try_from(offset).unwrap_or(u32::MAX),
        byte_offset: position.offset,
    }
}

/// Returns a span as an editor range that names its file, where there are several.
///
/// ```
/// use claimkit::{Source, Sources, Span, located};
///
/// let mut sources = Sources::default();
/// sources.add("a.yaml", "a: 1");
/// sources.add("b.yaml", "b: 2");
/// let range = located::file_range(&Source::new(&sources), Span::new(5, 6));
/// assert_eq!((range.file.as_deref(), range.start.byte_offset), (Some("b.yaml"), 0));
/// ```
pub fn file_range(source: &Source<'_>, span: Span) -> Range {
    Range {
        file: source.name_of(span.from()).map(Box::from),
        ..range(source, span)
    }
}

/// Warns of the first byte of a text that is not UTF-8. `at`: [`bytes::DecodedText::replaced`]; `subject`: what the text is; `file`: its
/// name, where there are several.
///
/// ```
/// use claimkit::TextField;
///
/// let warning = claimkit::located::not_utf8("# caf\u{fffd}\n", 5, TextField::Nodes, Some("nodes.yaml"));
/// assert_eq!(warning.file.as_deref(), Some("nodes.yaml"));
/// assert_eq!(warning.range.unwrap().start.character, 5);
/// ```
pub fn not_utf8(text: &str, at: usize, subject: TextField, file: Option<&str>) -> LocatedFinding {
    LocatedFinding {
        file: file.map(str::to_owned),
        ..finding(&Source::new(text), bytes::warning(at, subject))
    }
}

/// Converts a finding for the answer; `source` is the text of its spans.
///
/// ```
/// let text = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {selectors: [{}]}\n";
/// let report = claimkit::validate(text, &claimkit::ValidateOptions::default());
/// let finding = claimkit::located::finding(&claimkit::Source::new(text), report.findings[0].clone());
/// assert_eq!(finding.range.unwrap().start.line, 3);
/// ```
pub fn finding(source: &Source<'_>, finding: finding::Finding) -> LocatedFinding {
    let mut fixes = Vec::new();
    for fix in finding.fixes {
        let deletes = fix.deletes(source.text());
        let mut edits = Vec::new();
        for edit in fix.edits {
            edits.push(RangeEdit {
                range: range(source, edit.span),
                new_text: edit.new_text,
            });
        }
        fixes.push(LocatedFix {
            title: fix.title,
            edits,
            deletes,
        });
    }
    LocatedFinding {
        code: finding.code,
        severity: finding.severity,
        origin: finding.origin,
        message: finding.message,
        path: finding.path,
        cause: finding.cause,
        help: finding.help,
        command_help: finding.command_help,
        fixes,
        within: finding.within,
        range: finding.span.map(|span| range(source, span)),
        object: finding.object,
        file: finding
            .span
            .and_then(|span| source.name_of(span.from()))
            .map(str::to_owned),
    }
}
