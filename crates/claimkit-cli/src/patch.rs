//! `patch`: what a stored object becomes, on standard output; whether the server would take it, by findings and exit code.

use crate::ask;
use crate::exit::Outcome;
use crate::files::{self, InputFile};
use crate::host::Host;
use crate::options::PatchArgs;
use crate::summary::{self, ExitRules};
use crate::values::PlainForm;
use claimkit::report::FileReport;
use claimkit::report::text;
use claimkit::requests::request::{OperationName, Replaced, ValidateRequest};
use claimkit::requests::{self, Request};
use claimkit_model::finding::TextField;

/// Runs the verb.
pub fn run(args: &PatchArgs, host: &mut dyn Host) -> Outcome {
    let old = match &args.old {
        Some(name) => Some(files::read_one(name, host)?),
        None => None,
    };
    let patch = files::read_one(&args.patch, host)?;
    let request = request_of(args, &patch, old.as_ref());
    let answer = ask::once(Request::Validate(request), host)?;
    let answer = ask::place_beside(answer, TextField::Old, old.as_slice());
    let answer = ask::place_beside(answer, TextField::Patch, std::slice::from_ref(&patch));
    let report = FileReport::new(&patch.name, &patch.text, &answer, ask::remarks(&args.text));
    let beside = old.iter().chain([&patch]);
    let report = report.beside(beside.map(|file| (file.name.as_str(), file.text.as_str())));
    match args.output {
        PlainForm::Json => host.out(&format!("{}\n", requests::print(&answer))),
        PlainForm::Text => print_text(args, &report, host),
    }
    Ok(summary::exit(&[report], ExitRules::default(), host))
}

/// Returns the question to the server. `old`: the stored object.
fn request_of(args: &PatchArgs, patch: &InputFile, old: Option<&InputFile>) -> ValidateRequest {
    ValidateRequest {
        operation: if args.subresource.is_some() {
            OperationName::PatchStatus
        } else {
            OperationName::Patch
        },
        patch: Some(patch.text.clone()),
        patch_type: args.patch_type.into(),
        old: old.map(|old| old.text.clone().into()),
        field_manager: args.field_manager.clone(),
        force: args.force_conflicts,
        time: args.time.clone(),
        release: args.release.clone(),
        gates: args.gates.gates().unwrap_or_default(),
        namespace_labels: args.labels.labels(),
        field_validation: args.field_validation.into(),
        replaced: Replaced {
            patch: ask::offset(patch.replaced),
            old: old.and_then(|old| ask::offset(old.replaced)),
            ..Replaced::default()
        },
        ..ValidateRequest::default()
    }
}

/// Prints the findings on standard error, and what the object becomes, or what changes of it, on standard output.
fn print_text(args: &PatchArgs, report: &FileReport<'_>, host: &mut dyn Host) {
    let mut findings = String::new();
    text::write(&mut findings, report, summary::style(args.text.color, host));
    findings.push_str(&ask::rules_of(report.answer));
    host.err(&findings);
    let Some(object) = report.answer.objects.first() else {
        return;
    };
    let printed = if args.changes {
        object.changes.as_ref().map(requests::print)
    } else {
        object.object.as_ref().map(requests::print)
    };
    if let Some(printed) = printed {
        host.out(&format!("{printed}\n"));
    }
}
