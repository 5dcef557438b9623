//! SARIF 2.1.0, as code-scanning services and editors read it.

use super::Report;
use super::answer::{Edit, Finding, Range};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Writes all files as one log.
pub fn document(reports: &[Report<'_>]) -> String {
    let codes: BTreeSet<&str> = reports.iter().flat_map(Report::findings).map(|finding| finding.code.as_str()).collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(code)).collect();
    let results: Vec<Value> =
        reports.iter().flat_map(|report| report.findings().map(move |finding| result(report, finding))).collect();
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "claimkit", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    format!("{log:#}\n")
}

fn rule(code: &str) -> Value {
    json!({ "id": code, "name": code })
}

fn result(report: &Report<'_>, finding: &Finding) -> Value {
    let level = match finding.severity.as_str() {
        "error" => "error",
        "warning" => "warning",
        _ => "note",
    };
    let mut text = finding.message.clone();
    if let Some(help) = &finding.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    let mut physical = json!({ "artifactLocation": { "uri": uri(report.name) } });
    if let (Some(range), Some(place)) = (finding.range, physical.as_object_mut()) {
        place.insert("region".to_owned(), region(range));
    }
    let mut result = json!({
        "ruleId": finding.code,
        "level": level,
        "message": { "text": text },
        "locations": [{ "physicalLocation": physical }],
        "properties": { "origin": finding.origin },
    });
    if let Some(object) = result.as_object_mut() {
        if let Some(path) = &finding.path {
            object.insert("partialFingerprints".to_owned(), json!({ "path/v1": format!("{} {path}", finding.code) }));
        }
        if !finding.fixes.is_empty() {
            let fixes: Vec<Value> = finding
                .fixes
                .iter()
                .map(|fix| {
                    let replacements: Vec<Value> = fix.edits.iter().map(replacement).collect();
                    json!({
                        "description": { "text": fix.title },
                        "artifactChanges": [{ "artifactLocation": { "uri": uri(report.name) }, "replacements": replacements }],
                    })
                })
                .collect();
            object.insert("fixes".to_owned(), Value::Array(fixes));
        }
    }
    result
}

fn replacement(edit: &Edit) -> Value {
    json!({ "deletedRegion": region(edit.range), "insertedContent": { "text": edit.new_text } })
}

/// Lines and columns from 1; the end column is the one after the last.
fn region(range: Range) -> Value {
    json!({
        "startLine": range.start.line.saturating_add(1),
        "startColumn": range.start.character.saturating_add(1),
        "endLine": range.end.line.saturating_add(1),
        "endColumn": range.end.character.saturating_add(1),
    })
}

/// A file name as a relative or absolute URI.
fn uri(name: &str) -> String {
    let mut out = String::new();
    if name.starts_with('/') {
        out.push_str("file://");
    }
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
