//! `patch`: what a stored object becomes, on standard output; whether the server would take it, by findings and exit code.

use super::arguments::Arguments;
use super::ask;
use super::{Host, UNUSABLE, check, files, pairs};
use crate::report::FileReport;
use crate::report::text;
use crate::requests::request::{OperationName, PatchType, Replaced, ValidateRequest};
use crate::requests::{self, Request};
use claimkit_model::finding::TextField;

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
        let Some(file) = files::read_one(name, host) else {
            return UNUSABLE;
        };
        beside.push(file);
    }
    let Some((patch, old)) = beside.split_last() else {
        return UNUSABLE;
    };
    let old = old.first();
    let status = arguments.value("subresource") == Some("status");
    let (Some(gates), Some(labels)) = (
        pairs::gates(arguments, host),
        pairs::labels(arguments, host),
    ) else {
        return UNUSABLE;
    };
    let request = ValidateRequest {
        operation: if status {
            OperationName::PatchStatus
        } else {
            OperationName::Patch
        },
        patch: Some(patch.text.clone()),
        patch_type: arguments.value("type").map(patch_type).unwrap_or_default(),
        old: old.map(|old| old.text.clone()),
        field_manager: arguments.value("field-manager").map(str::to_owned),
        force: arguments.has("force-conflicts"),
        time: arguments.value("time").map(str::to_owned),
        release: arguments.value("release").map(str::to_owned),
        gates: ask::map(gates).unwrap_or_default(),
        namespace_labels: ask::map(labels),
        field_validation: arguments
            .value("field-validation")
            .map(check::field_validation)
            .unwrap_or_default(),
        replaced: Replaced {
            patch: ask::offset(patch.replaced),
            old: old.and_then(|old| ask::offset(old.replaced)),
            ..Replaced::default()
        },
        ..ValidateRequest::default()
    };
    let Some(answer) = ask::once(Request::Validate(request), host) else {
        return UNUSABLE;
    };
    let answer = ask::place_beside(
        answer,
        TextField::Old,
        old.map_or(&[], std::slice::from_ref),
    );
    let answer = ask::place_beside(answer, TextField::Patch, std::slice::from_ref(patch));
    let report = FileReport::new(&patch.name, &patch.text, &answer, ask::remarks(arguments));
    let reports = [report.beside(
        beside
            .iter()
            .map(|file| (file.name.as_str(), file.text.as_str())),
    )];
    if arguments.value("output") == Some("json") {
        host.out(&format!("{}\n", requests::print(&answer)));
        return check::end_of_readable(arguments, &reports, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports
        .iter()
        .for_each(|report| text::write(&mut err, report, style));
    err.push_str(&ask::rules_of(&answer));
    host.err(&err);
    let object = answer.objects.first();
    let printed = match arguments.has("changes") {
        true => object
            .and_then(|object| object.changes.as_ref())
            .map(requests::print),
        false => object
            .and_then(|object| object.object.as_ref())
            .map(requests::print),
    };
    if let Some(printed) = printed {
        host.out(&format!("{printed}\n"));
    }
    check::end_of_readable(arguments, &reports, host)
}

/// Returns the value of `--type`.
fn patch_type(word: &str) -> PatchType {
    match word {
        "json" => PatchType::Json,
        "merge" => PatchType::Merge,
        "apply" => PatchType::Apply,
        _ => PatchType::Strategic,
    }
}
