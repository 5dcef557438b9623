//! `patch`: what a stored object becomes, on standard output; whether the server would take it, by findings and exit code.

use super::arguments::Arguments;
use super::ask::{self, Request};
use super::{Host, UNUSABLE, check, files, pairs};
use crate::report::Report;
use crate::report::text;
use serde_json::Value;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let (old, patch) = match arguments.operands.as_slice() {
        [old, patch] => (Some(old), patch),
        [patch] if arguments.value("type") == Some("apply") => (None, patch),
        _ => {
            host.err("claimkit: `patch` takes two files: the stored object, then the patch; with `--type apply` the patch alone creates an object\n");
            return UNUSABLE;
        }
    };
    let mut beside = Vec::new();
    for name in old.into_iter().chain([patch]) {
        let Some(file) = files::read_one(name, host) else { return UNUSABLE };
        beside.push(file);
    }
    let Some((patch, old)) = beside.split_last() else { return UNUSABLE };
    let old = old.first();
    let status = arguments.value("subresource") == Some("status");
    let (Some(gates), Some(labels)) = (pairs::gates(arguments, host), pairs::labels(arguments, host)) else { return UNUSABLE };
    let request = Request::new("validate")
        .with("operation", Some(if status { "patchStatus" } else { "patch" }))
        .with_text("patch", patch)
        .with("patchType", arguments.value("type"))
        .with("fieldManager", arguments.value("field-manager"))
        .with("force", arguments.has("force-conflicts").then_some(true))
        .with("time", arguments.value("time"))
        .with("release", arguments.value("release"))
        .with("gates", gates)
        .with("namespaceLabels", labels)
        .with("fieldValidation", arguments.value("field-validation").map(check::capital));
    let request = match old {
        Some(old) => request.with_text("old", old),
        None => request,
    };
    let Some(told) = ask::once(&request, host) else { return UNUSABLE };
    let told = ask::place_beside(told, "old", old.map_or(&[], std::slice::from_ref));
    let told = ask::place_beside(told, "patch", std::slice::from_ref(patch));
    let report = Report::new(&patch.name, &patch.text, &told.answer, arguments.has("remarks"));
    let reports = [report.beside(beside.iter().map(|file| (file.name.as_str(), file.text.as_str())))];
    if arguments.value("output") == Some("json") {
        host.out(&format!("{}\n", told.json));
        return check::end(arguments, &reports, true, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports.iter().for_each(|report| text::write(&mut err, report, style));
    host.err(&err);
    let part = if arguments.has("changes") { "changes" } else { "object" };
    let answer: Value = serde_json::from_str(&told.json).unwrap_or_default();
    if let Some(value) =
        answer.get("objects").and_then(|objects| objects.as_array()?.first()?.get(part)).filter(|value| !value.is_null())
    {
        host.out(&format!("{value}\n"));
    }
    check::end(arguments, &reports, true, host)
}
