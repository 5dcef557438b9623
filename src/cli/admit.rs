//! `admit`: what the policy answers to admission requests, one JSON line each on standard output.

use super::arguments::Arguments;
use super::{FINDINGS, FINE, Host, UNUSABLE, ask, files, pairs};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Default, Deserialize)]
#[serde(default)]
struct AdmitAnswer {
    ok: bool,
    error: Option<String>,
    response: Option<Box<RawValue>>,
}

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let settings = match arguments.value("settings") {
        None => "{}".to_owned(),
        Some(name) => match settings(name, host) {
            Some(settings) => settings,
            None => return UNUSABLE,
        },
    };
    let Some(labels) = pairs::labels(arguments, host) else { return UNUSABLE };
    let labels = labels.unwrap_or_default();
    let mut end = FINE;
    for name in &arguments.operands {
        let Some(file) = files::read_one(name, host) else { return UNUSABLE };
        // The answer of the policy modules to such bytes; an API server never sends them.
        if let Some(at) = file.replaced {
            host.err(&format!("claimkit: {}: an admission request is JSON: byte {at} is not UTF-8\n", file.name));
            return UNUSABLE;
        }
        let text = &file.text;
        if let Err(error) = serde_json::from_str::<&RawValue>(text) {
            host.err(&format!("claimkit: {}: an admission request is JSON: {error}\n", file.name));
            return UNUSABLE;
        }
        let answer =
            host.answer(&format!(r#"{{"verb":"admit","request":{text},"settings":{settings},"namespaceLabels":{labels}}}"#));
        match serde_json::from_str::<AdmitAnswer>(&answer) {
            Ok(AdmitAnswer { ok, error: None, response: Some(response) }) => {
                host.out(&format!("{}\n", response.get()));
                if !ok {
                    end = FINDINGS;
                }
            }
            Ok(AdmitAnswer { error, .. }) => {
                host.err(&format!("claimkit: {}\n", error.unwrap_or_else(|| "the answer has no response".to_owned())));
                return UNUSABLE;
            }
            Err(error) => {
                host.err(&format!("claimkit: the answer cannot be read: {error}\n"));
                return UNUSABLE;
            }
        }
    }
    end
}

/// Reads settings from YAML or JSON and returns them as JSON. Invalid settings are reported here, before any request is judged.
fn settings(name: &str, host: &mut dyn Host) -> Option<String> {
    let file = files::read_one(name, host)?;
    let read = ask::once(&ask::Request::new("parse").with("raw", Some(true)).with_text("text", &file), host)?;
    let answer: Value = serde_json::from_str(&read.json).unwrap_or_default();
    let mut problems = messages(&answer);
    let settings = answer.get("raw").map(Value::to_string).unwrap_or_default();
    if problems.is_empty() {
        let checked = host.answer(&format!(r#"{{"verb":"admit","settings":{settings}}}"#));
        problems = messages(&serde_json::from_str(&checked).unwrap_or_default());
    }
    for problem in &problems {
        host.err(&format!("claimkit: {name}: {problem}\n"));
    }
    problems.is_empty().then_some(settings)
}

fn messages(answer: &Value) -> Vec<String> {
    let findings = answer.get("findings").and_then(Value::as_array);
    let errors =
        findings.into_iter().flatten().filter(|finding| finding.get("severity").and_then(Value::as_str) == Some("error"));
    errors.filter_map(|finding| finding.get("message")?.as_str().map(str::to_owned)).collect()
}
