//! `codes`, `releases` and `schema`: what is known, as the verbs `codes`, `releases` and `jsonSchema` answer.

use super::arguments::Arguments;
use super::ask::{self, Request};
use super::{FINE, Host, UNUSABLE};
use serde_json::Value;

/// `codes` and `releases`: rows.
pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let verb = arguments.verb.name;
    let Some(told) = ask::once(&Request::new(verb).with("locale", arguments.value("locale")), host) else {
        return UNUSABLE;
    };
    let answer: Value = serde_json::from_str(&told.json).unwrap_or_default();
    let mut rows: Vec<&Value> = answer.get(verb).and_then(Value::as_array).into_iter().flatten().collect();
    let name = |row: &Value| text(row, if verb == "codes" { "code" } else { "release" });
    if let Some(unknown) = arguments.operands.iter().find(|wanted| !rows.iter().any(|row| name(row) == **wanted)) {
        host.err(&format!("claimkit: unknown code `{unknown}`; `claimkit codes` lists them\n"));
        return UNUSABLE;
    }
    if !arguments.operands.is_empty() {
        rows.retain(|row| arguments.operands.contains(&name(row)));
    }
    if arguments.value("output") == Some("json") {
        let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
        host.out(&format!("[{}]\n", rows.join(",\n ")));
        return FINE;
    }
    let about = |row: &Value| {
        if verb == "codes" {
            return format!("{:7}  {}", text(row, "severity"), text(row, "documentation"));
        }
        let versions = row.get("versions").and_then(Value::as_array).into_iter().flatten();
        let versions: Vec<String> = versions.map(|version| text(version, "apiVersion")).collect();
        format!("{}  {}", text(row, "lastPatch"), versions.join(", "))
    };
    let width = rows.iter().map(|row| name(row).len()).max().unwrap_or(0);
    let lines: Vec<String> = rows.iter().map(|row| format!("{:width$}  {}\n", name(row), about(row))).collect();
    host.out(&lines.concat());
    FINE
}

/// `schema`: a JSON Schema document.
pub fn schema(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let request = Request::new("jsonSchema")
        .with("kind", arguments.operands.first().map(String::as_str))
        .with("release", arguments.value("release"))
        .with("locale", arguments.value("locale"));
    let Some(told) = ask::once(&request, host) else { return UNUSABLE };
    let answer: Value = serde_json::from_str(&told.json).unwrap_or_default();
    let Some(schema) = answer.get("schema") else {
        host.err("claimkit: the answer has no schema\n");
        return UNUSABLE;
    };
    host.out(&format!("{}\n", format_args!("{schema:#}")));
    FINE
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
