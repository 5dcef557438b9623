//! Findings, completions and hovers in the shapes of the protocol, as `pkg/lsp.js` gives them to JavaScript.

use super::protocol::{
    Diagnostic, DiagnosticData, DiagnosticFix, DiagnosticSeverity, Range, TextEdit,
};
use crate::editor::complete::Sort;
use crate::requests::content::{CompletionContent, HoverContent};
use claimkit_model::finding::{Code, Severity, TextField};
use claimkit_model::text::located::{LocatedFinding, RangeEdit};
use serde_json::{Value, json};

/// DiagnosticTag
const UNNECESSARY: u8 = 1;
const DEPRECATED: u8 = 2;

/// InsertTextFormat
const SNIPPET: u8 = 2;

/// InsertTextMode: lines are indented already.
const AS_IS: u8 = 1;

/// Codes of findings about text that the server or kubectl does not keep.
const DROPPED: [Code; 5] = [
    Code::StatusDropped,
    Code::NamespaceDropped,
    Code::ServerOwnedDropped,
    Code::FieldDropped,
    Code::YamlDroppedText,
];

/// Returns an edit in the protocol's shape.
pub fn edit(edit: &RangeEdit) -> TextEdit {
    TextEdit {
        range: (&edit.range).into(),
        new_text: edit.new_text.clone(),
    }
}

fn tags(finding: &LocatedFinding) -> Vec<u8> {
    // A warning of the server without a path is about the version of the object.
    let is_aging = finding.code == Code::ServerWarning && finding.path.is_none();
    match (DROPPED.contains(&finding.code), is_aging) {
        (true, _) => vec![UNNECESSARY],
        (false, true) => vec![DEPRECATED],
        (false, false) => Vec::new(),
    }
}

/// Returns a finding as a diagnostic; its fixes travel in `data`. One about another text is put at the document's start.
pub fn diagnostic(finding: &LocatedFinding, code_pages: Option<&str>) -> Diagnostic {
    let is_here = finding.within == TextField::Text;
    let range = finding.range.as_ref().filter(|_| is_here);
    let fixes = finding.fixes.iter().filter(|_| is_here);
    let message = match &finding.help {
        Some(help) => format!("{}\n{help}", finding.message),
        None => finding.message.to_string(),
    };
    let code = finding.code.name();
    Diagnostic {
        range: range.map(Range::from).unwrap_or_default(),
        severity: match finding.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::Info => DiagnosticSeverity::Information,
        },
        code,
        code_description: code_pages.map(|pages| json!({"href": format!("{pages}{code}.html")})),
        source: finding.origin.name(),
        message,
        tags: tags(finding),
        data: Some(DiagnosticData {
            from: "claimkit",
            within: finding.within,
            fixes: fixes
                .map(|fix| DiagnosticFix {
                    title: fix.title.to_string(),
                    edits: fix.edits.iter().map(edit).collect(),
                    deletes: fix.deletes,
                })
                .collect(),
        }),
        related_information: Vec::new(),
    }
}

/// Returns the fixes of diagnostics as quick fixes of a document, each with its diagnostic.
pub fn quick_fixes<'d>(uri: &str, found: &'d [Diagnostic]) -> Vec<(&'d Diagnostic, Value)> {
    let mut actions = Vec::new();
    for diagnostic in found {
        let fixes = diagnostic
            .data
            .as_ref()
            .map(|data| data.fixes.as_slice())
            .unwrap_or_default();
        for fix in fixes {
            let mut action = json!({
                "title": fix.title,
                "kind": "quickfix",
                "diagnostics": [diagnostic],
                "edit": {"changes": {uri: fix.edits}},
            });
            if fixes.len() == 1 && !fix.deletes {
                set(&mut action, "isPreferred", json!(true));
            }
            actions.push((diagnostic, action));
        }
    }
    actions
}

/// Sets a member of an object.
pub fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

/// Returns the Markdown of a hover.
pub fn hover_text(found: &HoverContent) -> String {
    match &found.markdown {
        Some(markdown) => markdown.clone(),
        None => format!("**`{}`**", found.title),
    }
}

/// Returns a hover in the protocol's shape.
pub fn hover(found: &HoverContent) -> Value {
    json!({
        "contents": {"kind": "markdown", "value": hover_text(found)},
        "range": Range::from(&found.range),
    })
}

/// CompletionItemKind
fn completion_kind(sort: Sort) -> u8 {
    match sort {
        Sort::Field => 10,
        Sort::Value => 20,
        Sort::Kind => 7,
        Sort::ApiVersion => 9,
        Sort::Snippet => 15,
        Sort::Attribute => 6,
        Sort::Function => 3,
    }
}

/// What the client can show of a completion.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompletionClient {
    /// It knows tab stops.
    pub has_snippets: bool,
    /// It shows Markdown.
    pub has_markdown: bool,
}

/// Returns a completion in the protocol's shape; `index`: its place in the list.
pub fn completion(index: usize, item: &CompletionContent, client: CompletionClient) -> Value {
    let snippet = item.snippet.as_ref().filter(|_| client.has_snippets);
    let new_text = snippet.unwrap_or(&item.insert_text);
    let mut shape = json!({
        "label": item.label,
        "kind": completion_kind(item.kind),
        "sortText": format!("{index:03}"),
        "textEdit": {"range": Range::from(&item.range), "newText": new_text},
    });
    if !item.detail.is_empty() {
        set(&mut shape, "detail", json!(item.detail));
    }
    if let Some(filter) = &item.filter_text {
        set(&mut shape, "filterText", json!(filter));
    }
    if let Some(documentation) = &item.documentation {
        let text = match client.has_markdown {
            true => json!({"kind": "markdown", "value": documentation}),
            false => json!(documentation),
        };
        set(&mut shape, "documentation", text);
    }
    if snippet.is_some() {
        set(&mut shape, "insertTextFormat", json!(SNIPPET));
    }
    if new_text.contains('\n') {
        set(&mut shape, "insertTextMode", json!(AS_IS));
    }
    shape
}
