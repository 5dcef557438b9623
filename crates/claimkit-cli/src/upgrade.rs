//! `audit --to` and `validate --to`: what breaks when a cluster goes to another release. All files are read as one cluster.

use crate::ask;
use crate::exit::{Exit, Outcome};
use crate::files::{self, ReadFiles};
use crate::given::{self, Given};
use crate::host::Host;
use crate::options::{AuditArgs, FindingArgs, ValidateArgs};
use crate::summary::{self, count};
use crate::values::{ColorChoice, PlainForm, ReportForm};
use claimkit::report::{self, FileReport, Remarks};
use claimkit::requests::request::{Replaced, UpgradeRequest};
use claimkit::requests::{self, Content, Request};
use claimkit_model::finding::{Code, Severity};

/// What the two verbs ask.
struct UpgradeQuestion<'a> {
    files: ReadFiles,
    request: UpgradeRequest,
    findings: &'a FindingArgs,
    color: ColorChoice,
    form: PlainForm,
}

/// Runs `audit --to`: the objects are stored.
pub fn of_cluster(args: &AuditArgs, host: &mut dyn Host) -> Outcome {
    let question = UpgradeQuestion {
        files: files::read(&args.files, host),
        request: UpgradeRequest {
            release: args.release.clone(),
            to: args.to.clone(),
            gates: args.gates.gates().unwrap_or_default(),
            namespace: args.namespace.clone(),
            ..UpgradeRequest::default()
        },
        findings: &args.findings,
        color: args.color,
        form: args.output,
    };
    answer(question, host)
}

/// Runs `validate --to`: the objects are manifests that will be applied.
pub fn of_manifests(args: &ValidateArgs, host: &mut dyn Host) -> Outcome {
    let form = match args.output {
        ReportForm::Text => PlainForm::Text,
        ReportForm::Json => PlainForm::Json,
        _ => return Err("with `--to`, `--output` is text or json".into()),
    };
    let question = UpgradeQuestion {
        files: files::read_named(&args.files, args.stdin_filename.as_deref(), host),
        request: UpgradeRequest {
            release: args.release.clone(),
            to: args.to.clone(),
            gates: args.gates.gates().unwrap_or_default(),
            namespace: args.namespace.clone(),
            manifests: true,
            ..UpgradeRequest::default()
        },
        findings: &args.findings,
        color: args.text.color,
        form,
    };
    answer(question, host)
}

fn answer(question: UpgradeQuestion<'_>, host: &mut dyn Host) -> Outcome {
    let UpgradeQuestion {
        files:
            ReadFiles {
                files,
                readable,
                left_out,
                ..
            },
        mut request,
        findings,
        color,
        form,
    } = question;
    let given = Given::of(&files);
    request.text = given.text;
    request.sources = given.sources;
    request.replaced = Replaced {
        text: given.replaced,
        ..Replaced::default()
    };
    let answer = ask::once(Request::Upgrade(request), host)?;
    let mut answer = ask::without_ignored(&findings.ignore, answer);
    let has = |severity: Severity| {
        answer
            .findings
            .iter()
            .any(|finding| finding.severity == severity)
    };
    let is_found = has(Severity::Error) || findings.warnings_as_errors && has(Severity::Warning);
    let nothing = answer
        .findings
        .iter()
        .any(|finding| finding.code == Code::NothingChecked);
    if form == PlainForm::Json {
        host.out(&format!("{}\n", requests::print(&answer)));
    } else {
        let Content::Upgrade { from, to, troubles } = std::mem::take(&mut answer.content) else {
            return Err("no answer about an upgrade".into());
        };
        let objects = answer.objects.len();
        let parts = given::by_file(&files, answer);
        let reports: Vec<FileReport<'_>> =
            ask::reports(&files, &parts.answers, &[], Remarks::Shown);
        let mut out = String::new();
        for report in &reports {
            report::text::write(&mut out, report, summary::style(color, host));
        }
        if !findings.quiet {
            out.push_str(&format!(
                "from {from} to {to}: {} in {} in {}\n",
                count(troubles.len(), "problem"),
                count(objects, "object"),
                count(files.len(), "file"),
            ));
        }
        host.out(&out);
    }
    let exit = if !readable || nothing {
        Exit::Unusable
    } else if is_found {
        Exit::Findings
    } else {
        Exit::Fine
    };
    Ok(summary::with_left_out(exit, &left_out, findings))
}
