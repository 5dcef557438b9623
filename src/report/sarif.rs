//! SARIF 2.1.0, as code-scanning services and editors read it.

use crate::json::{Map, Value};
use crate::report::Report;
use crate::report::answer::{Edit, Finding, Fix, Range};
use std::collections::BTreeSet;

/// Writes all files as one log.
pub fn document(reports: &[Report<'_>]) -> String {
    let codes: BTreeSet<&str> = reports.iter().flat_map(|report| &report.findings).map(|finding| finding.code.as_str()).collect();
    let rules: Vec<Value> = codes.iter().map(|code| rule(code)).collect();
    let results: Vec<Value> =
        reports.iter().flat_map(|report| report.findings.iter().map(move |finding| result(report, finding))).collect();
    let driver = [("name", "claimkit".into()), ("version", env!("CARGO_PKG_VERSION").into()), ("rules", rules.into())];
    let run =
        [("tool", [("driver", driver.into())].into()), ("columnKind", "utf16CodeUnits".into()), ("results", results.into())];
    let log: [(&str, Value); 3] = [
        ("$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json".into()),
        ("version", "2.1.0".into()),
        ("runs", vec![Value::from(run)].into()),
    ];
    format!("{}\n", Value::from(log).pretty())
}

fn rule(code: &str) -> Value {
    [("id", code.into()), ("name", code.into())].into()
}

fn result(report: &Report<'_>, finding: &Finding) -> Value {
    let level = match finding.severity.as_str() {
        "error" => "error",
        "warning" => "warning",
        _ => "note",
    };
    let mut message = finding.message.clone();
    if let Some(help) = &finding.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let artifact = || Value::from([("uri", uri(report.name).into())]);
    let physical = match finding.range {
        Some(range) => [("artifactLocation", artifact()), ("region", region(range))].into(),
        None => [("artifactLocation", artifact())].into(),
    };
    let mut result = Map::new();
    let mut put = |name: &str, value: Value| {
        result.insert(name.to_owned(), value);
    };
    put("ruleId", finding.code.as_str().into());
    put("level", level.into());
    put("message", text(message));
    put("locations", vec![Value::from([("physicalLocation", physical)])].into());
    put("properties", [("origin", finding.origin.as_str().into())].into());
    if let Some(path) = &finding.path {
        put("partialFingerprints", [("path/v1", format!("{} {path}", finding.code).into())].into());
    }
    if !finding.fixes.is_empty() {
        let fix = |fix: &Fix| {
            let replacements: Vec<Value> = fix.edits.iter().map(replacement).collect();
            let change = Value::from([("artifactLocation", artifact()), ("replacements", replacements.into())]);
            Value::from([("description", text(fix.title.clone())), ("artifactChanges", vec![change].into())])
        };
        put("fixes", finding.fixes.iter().map(fix).collect::<Vec<_>>().into());
    }
    Value::Object(result)
}

fn text(text: String) -> Value {
    [("text", text.into())].into()
}

fn replacement(edit: &Edit) -> Value {
    [("deletedRegion", region(edit.range)), ("insertedContent", text(edit.new_text.clone()))].into()
}

/// Lines and columns from 1; the end column is the one after the last.
fn region(range: Range) -> Value {
    let from_one = |number: u32| Value::from(u64::from(number).saturating_add(1));
    [
        ("startLine", from_one(range.start.line)),
        ("startColumn", from_one(range.start.character)),
        ("endLine", from_one(range.end.line)),
        ("endColumn", from_one(range.end.character)),
    ]
    .into()
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
