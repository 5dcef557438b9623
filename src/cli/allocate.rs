//! `allocate`: which devices the pods and claims of files get on each node, and why none. All files are asked about as one text.

use super::arguments::Arguments;
use super::ask::{self, Request};
use super::joined::Joined;
use super::{FINDINGS, FINE, Host, UNUSABLE, cel, check, files};
use crate::report::text;
use serde_json::Value;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let (files, readable) = files::read(arguments, host);
    let gates = match cel::gates(arguments) {
        Ok(gates) => gates,
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            return UNUSABLE;
        }
    };
    let joined = Joined::of(&files);
    let nodes: Vec<&str> = arguments.values("node").collect();
    let request = Request::new("allocate")
        .with("text", Some(joined.text.as_str()))
        .with_replaced("text", joined.replaced(&files))
        .with("release", arguments.value("release"))
        .with("gates", Some(gates))
        .with("pod", arguments.value("pod"))
        .with("nodeNames", (!nodes.is_empty()).then_some(nodes));
    let Some(told) = ask::once(&request, host) else { return UNUSABLE };
    let ok = told.answer.ok;
    let answer: Value = serde_json::from_str(&told.json).unwrap_or_default();
    if arguments.value("output") == Some("json") {
        host.out(&format!("{}\n", told.json));
    } else {
        let mut problems = String::new();
        let answers = joined.apart(&files, told);
        for report in ask::reports(&files, &answers, &[], arguments.has("remarks")) {
            text::write(&mut problems, &report, check::style(arguments, host));
        }
        // What is said of the whole has no line to stand beside.
        for finding in items(&answer, "findings").filter(|finding| word(finding, "code") == "nothing-checked") {
            problems.push_str(&format!("claimkit: {}\n", word(finding, "message")));
        }
        host.err(&problems);
        host.out(&items(&answer, "pods").map(group).collect::<String>());
    }
    let fits = |pod: &Value| items(pod, "nodes").any(|node| word(node, "verdict") == "allocated");
    match () {
        () if !readable || items(&answer, "pods").next().is_none() => UNUSABLE,
        () if !ok || arguments.has("require") && !items(&answer, "pods").all(fits) => FINDINGS,
        () => FINE,
    }
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, name: &str) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or_default()
}

/// Where a change stands in the claim.
fn place(change: &Value) -> Option<&str> {
    change.get("path").and_then(Value::as_str)
}

/// A pod, or claims without one: a line per node, with the funnel of every request and what helps where
/// nothing was found.
fn group(pod: &Value) -> String {
    let claims: Vec<&str> = items(pod, "claims").filter_map(Value::as_str).collect();
    let mut out = match pod.get("pod").and_then(Value::as_str) {
        Some(name) => format!("Pod/{name}\n"),
        None if claims.is_empty() => "claims without a pod\n".to_owned(),
        None => format!("claims {}\n", claims.join(", ")),
    };
    if let Some(before) = pod.get("before").filter(|before| !before.is_null()) {
        out.push_str(&format!("  {}: {}\n", word(before, "stage"), word(before, "message")));
    }
    for node in items(pod, "nodes") {
        let (name, verdict) = (word(node, "name"), word(node, "verdict"));
        if verdict == "allocated" {
            let results =
                items(node, "allocations").filter_map(|one| one.get("devices")).flat_map(|devices| items(devices, "results"));
            let devices: Vec<String> = results
                .map(|one| {
                    format!("{} {}/{}/{}", word(one, "request"), word(one, "driver"), word(one, "pool"), word(one, "device"))
                })
                .collect();
            let devices = if devices.is_empty() { "no devices needed".to_owned() } else { devices.join(", ") };
            out.push_str(&format!("  {name}: {devices}\n"));
            continue;
        }
        out.push_str(&format!("  {name}: {verdict}: {}\n", word(node, "message")));
        if let Some(other) = node.get("sameAs").and_then(Value::as_str) {
            out.push_str(&format!("    as {other}\n"));
            continue;
        }
        if !word(node, "text").is_empty() {
            out.push_str(&format!("    {}\n", word(node, "text")));
        }
        for request in items(node, "requests") {
            let stages: Vec<String> =
                items(request, "funnel").map(|stage| format!("{} {}", word(stage, "stage"), number(stage, "left"))).collect();
            let sub = request.get("sub").and_then(Value::as_str).map(|sub| format!("/{sub}")).unwrap_or_default();
            let wanted = number(request, "wanted");
            out.push_str(&format!("    {}{sub}: {}, wanted {wanted}\n", word(request, "request"), stages.join(" → ")));
        }
        for relaxation in items(node, "relaxations") {
            let place = items(relaxation, "changes").filter_map(place).collect::<Vec<_>>().join(", ");
            let place = if place.is_empty() { place } else { format!(" ({place})") };
            out.push_str(&format!("    what helps: {}{place}\n", word(relaxation, "text")));
        }
    }
    out
}
