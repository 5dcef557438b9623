//! `cel`: what a device selector is for kube-apiserver, and what it says of the devices of files.

use super::arguments::Arguments;
use super::ask;
use super::files;
use super::{FINDINGS, FINE, Host, UNUSABLE, pairs};
use crate::requests::request::CelRequest;
use crate::requests::{self, CompileContent, Content, Request, RunContent};
use claimkit_model::cel::SELECTOR_COST_LIMIT;
use claimkit_model::finding::Severity;
use claimkit_model::limits::Limits;
use claimkit_model::text;
use serde_json::{Value, json};

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let [expression] = arguments.operands.as_slice() else {
        host.err("claimkit: `cel` needs one expression, in quotes\n");
        return UNUSABLE;
    };
    let Some(devices) = devices(arguments, host) else {
        return UNUSABLE;
    };
    let given: Vec<Value> = devices.iter().map(|(_, device)| device.clone()).collect();
    let Some(gates) = pairs::gates(arguments, host) else {
        return UNUSABLE;
    };
    let request = CelRequest {
        expression: Some(expression.clone()),
        release: arguments.value("release").map(str::to_owned),
        gates: ask::map(gates).unwrap_or_default(),
        stored: arguments.has("stored"),
        trace: true,
        devices: given,
        ..CelRequest::default()
    };
    let Some(answer) = ask::once(Request::Cel(request), host) else {
        return UNUSABLE;
    };
    let Content::Cel { compile, results } = &answer.content else {
        return UNUSABLE;
    };
    if arguments.value("output") == Some("json") {
        host.out(&format!("{}\n", requests::print(&answer)));
    } else {
        host.out(&shown(
            compile,
            results.as_deref().unwrap_or_default(),
            devices.iter().map(|(name, _)| name.as_str()),
        ));
        host.out(&ask::rules_of(&answer));
    }
    if answer.ok { FINE } else { FINDINGS }
}

/// Reads the devices of all files with their names: bare ones, and those of ResourceSlices.
fn devices(arguments: &Arguments, host: &mut dyn Host) -> Option<Vec<(String, Value)>> {
    let mut devices = Vec::new();
    for name in arguments.values("device") {
        let file = files::read_one(name, host)?;
        let read = text::read(&file.text, &Limits::default());
        if let Some(finding) = read
            .findings
            .iter()
            .find(|finding| finding.severity == Severity::Error)
        {
            host.err(&format!("claimkit: {}: {}\n", file.name, finding.message));
            return None;
        }
        let before = devices.len();
        for document in &read.documents {
            let Some(root) = document.root else { continue };
            match text::de::deserialize::<Value>(&document.tree, root) {
                Ok(object) => collect(&object, &mut devices),
                Err(error) => {
                    host.err(&format!("claimkit: {}: {error}\n", file.name));
                    return None;
                }
            }
        }
        if devices.len() == before {
            host.err(&format!(
                "claimkit: {}: neither a device nor a ResourceSlice with devices\n",
                file.name
            ));
            return None;
        }
    }
    Some(devices)
}

/// Lists are opened; objects of other kinds are passed over.
fn collect(object: &Value, devices: &mut Vec<(String, Value)>) {
    let list = |object: &Value, name: &str| {
        object
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    match object.get("kind").and_then(Value::as_str) {
        Some("ResourceSlice") => {
            let Some(spec) = object.get("spec") else {
                return;
            };
            let driver = spec.get("driver").cloned().unwrap_or_default();
            let pool = spec
                .pointer("/pool/name")
                .and_then(Value::as_str)
                .unwrap_or_default();
            for device in list(spec, "devices") {
                let name = device
                    .get("name")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                devices.push((
                    format!("{}/{pool}/{name}", driver.as_str().unwrap_or_default()),
                    seen(&device, driver.clone()),
                ));
            }
        }
        Some(_) => list(object, "items")
            .iter()
            .for_each(|item| collect(item, devices)),
        None if object.is_object() => {
            let driver = object.get("driver").cloned().unwrap_or_default();
            let name = object
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or("device");
            devices.push((name.to_owned(), seen(object, driver)));
        }
        None => {}
    }
}

/// Returns the device as a selector sees it; up to v1beta1 its fields are under `basic`.
fn seen(device: &Value, driver: Value) -> Value {
    let body = device.get("basic").unwrap_or(device);
    let mut seen = json!({"driver": driver});
    for name in ["attributes", "capacity", "allowMultipleAllocations"] {
        if let (Some(value), Some(seen)) = (
            body.get(name).filter(|value| !value.is_null()),
            seen.as_object_mut(),
        ) {
            seen.insert(name.to_owned(), value.clone());
        }
    }
    seen
}

fn shown<'n>(
    compile: &CompileContent,
    results: &[RunContent],
    names: impl Iterator<Item = &'n str>,
) -> String {
    if let Some(error) = &compile.error {
        let help = compile
            .help
            .as_ref()
            .map(|help| format!("  = help: {help}\n"))
            .unwrap_or_default();
        return format!("{error}\n{help}");
    }
    let cost = compile
        .cost
        .map(|cost| format!(", costs at most {cost} of {SELECTOR_COST_LIMIT}"))
        .unwrap_or_default();
    let mut out = format!(
        "type {}{cost}\n",
        compile.output.as_deref().unwrap_or_default()
    );
    if compile.cost.is_some_and(|cost| cost > SELECTOR_COST_LIMIT) {
        out.push_str("kube-apiserver refuses it: too complex, exceeds cost limit\n");
    }
    for warning in &compile.warnings {
        out.push_str(&format!(
            "warning: {}\n  = help: {}\n",
            warning.message, warning.help
        ));
    }
    for (name, result) in names.zip(results) {
        let verdict = match (result.matches, &result.error) {
            (Some(true), _) => "matches".to_owned(),
            (Some(false), _) => "does not match".to_owned(),
            (None, error) => format!("fails: {}", error.as_deref().unwrap_or_default()),
        };
        out.push_str(&format!("{name}: {verdict} (cost {})\n", result.cost));
        for line in result.why.iter().flatten() {
            out.push_str(&format!("  {line}\n"));
        }
    }
    out
}
