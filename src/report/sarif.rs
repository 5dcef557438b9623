//! SARIF 2.1.0, as code-scanning services and editors read it.

use crate::report::FileReport;
use claimkit_model::finding::Severity;
use claimkit_model::text::located::{LocatedFinding, Range, RangeEdit};
use claimkit_values::order;
use serde_json::{Map, Value, json};

/// Writes all files as one log.
pub fn document(reports: &[FileReport<'_>]) -> String {
    let codes = order::set(
        reports
            .iter()
            .flat_map(|report| &report.findings)
            .map(|finding| finding.code.name()),
    );
    let rules: Vec<Value> = codes.iter().map(|code| rule(code)).collect();
    let results: Vec<Value> = reports
        .iter()
        .flat_map(|report| {
            report
                .findings
                .iter()
                .map(move |finding| result(report, finding))
        })
        .collect();
    let driver =
        json!({ "name": "claimkit", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "tool": { "driver": driver }, "columnKind": "utf16CodeUnits", "results": results }],
    });
    format!("{log:#}\n")
}

fn rule(code: &str) -> Value {
    json!({ "id": code, "name": code })
}

fn result(report: &FileReport<'_>, finding: &LocatedFinding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let mut message = String::from(finding.message.clone());
    if let Some(help) = &finding.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let artifact = json!({ "uri": uri(report.file_of(finding).0) });
    let physical = match &finding.range {
        Some(range) => json!({ "artifactLocation": artifact, "region": region(range) }),
        None => json!({ "artifactLocation": artifact }),
    };
    let mut result = Map::new();
    let mut put = |name: &str, value: Value| {
        result.insert(name.to_owned(), value);
    };
    put("ruleId", json!(finding.code.name()));
    put("level", json!(level));
    put("message", json!({ "text": message }));
    put("locations", json!([{ "physicalLocation": physical }]));
    put("properties", json!({ "origin": finding.origin.name() }));
    if let Some(path) = &finding.path {
        put(
            "partialFingerprints",
            json!({ "path/v1": format!("{} {path}", finding.code.name()) }),
        );
    }
    if !finding.fixes.is_empty() {
        let fixes = finding.fixes.iter().map(|fix| {
            let replacements: Vec<Value> = fix.edits.iter().map(replacement).collect();
            json!({
                "description": { "text": fix.title },
                "artifactChanges": [{ "artifactLocation": artifact, "replacements": replacements }],
            })
        });
        put("fixes", fixes.collect());
    }
    Value::Object(result)
}

fn replacement(edit: &RangeEdit) -> Value {
    json!({ "deletedRegion": region(&edit.range), "insertedContent": { "text": edit.new_text } })
}

/// Writes lines and columns from 1; the end column is the one after the last.
fn region(range: &Range) -> Value {
    json!({
        "startLine": from_one(range.start.line),
        "startColumn": from_one(range.start.character),
        "endLine": from_one(range.end.line),
        "endColumn": from_one(range.end.character),
    })
}

fn from_one(number: u32) -> u64 {
    u64::from(number).saturating_add(1)
}

/// Writes a file name as a relative or absolute URI.
fn uri(name: &str) -> String {
    let mut out = String::new();
    if name.starts_with('/') {
        out.push_str("file://");
    }
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte))
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
