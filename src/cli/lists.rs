//! `codes` and `releases`: what is known, as the verbs of the same names answer.

use super::arguments::Arguments;
use super::ask::{self, Request};
use super::{FINE, Host, UNUSABLE};
use serde_json::Value;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let verb = arguments.verb.name;
    let Some(told) = ask::once(&Request::new(verb), host) else { return UNUSABLE };
    let answer: Value = serde_json::from_str(&told.json).unwrap_or_default();
    let mut rows: Vec<&Value> = answer.get(verb).and_then(Value::as_array).into_iter().flatten().collect();
    let key = if verb == "codes" { "code" } else { "release" };
    let name = |row: &Value| row.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
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
    let width = rows.iter().map(|row| name(row).len()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let about = row.get("meaning").or_else(|| row.get("apiVersion")).and_then(Value::as_str).unwrap_or_default();
        out.push_str(format!("{:width$}  {about}", name(row)).trim_end());
        out.push('\n');
    }
    host.out(&out);
    FINE
}
