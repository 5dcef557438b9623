//! `convert`: converted texts to standard output, back into the files, or as a diff.

use crate::ask;
use crate::diff;
use crate::exit::{Exit, Outcome, Problem};
use crate::files::{self, InputFile, ReadFiles};
use crate::host::Host;
use crate::kustomize::{self, StaleLine};
use crate::options::ConvertArgs;
use crate::summary::{self, ExitRules, JsonMember};
use crate::values::PlainForm;
use claimkit::report::{FileReport, text};
use claimkit::requests::request::{ConvertRequest, Lossy};
use claimkit::requests::sources::NamedText;
use claimkit::requests::{self, Answer, Content};
use claimkit_model::finding::{Code, Severity};

/// Converts all files, whose objects may refer to each other's. Findings with ignored codes are left out of the answers.
///
/// # Errors
/// Why the request cannot be used.
fn answers(files: &[InputFile], args: &ConvertArgs) -> Result<Vec<Answer>, Problem> {
    let sources = files.iter().map(|file| NamedText {
        name: file.name.clone(),
        text: file.text.clone(),
        replaced: ask::offset(file.replaced),
    });
    let request = ConvertRequest {
        sources: Some(sources.collect()),
        release: args.release.clone(),
        to: args.to.clone(),
        lossy: if args.allow_loss {
            Lossy::Allow
        } else {
            Lossy::Refuse
        },
        drop_server_fields: args.drop_server_fields,
        annotate: args.annotate,
        ..ConvertRequest::default()
    };
    let answers = requests::convert_each(&request)?;
    answers
        .into_iter()
        .map(|answer| {
            Ok(ask::without_ignored(
                &args.findings.ignore,
                ask::usable(answer)?,
            ))
        })
        .collect()
}

/// Names the changed objects whose old version is not served any more.
fn report_removed(report: &FileReport<'_>, host: &mut dyn Host) {
    let objects = report.answer.objects.iter();
    for object in objects.filter(|object| object.changed == Some(true)) {
        if let Some(removed) = &object.removed_in {
            let kind = &object.kind;
            let from = object.from.as_deref().unwrap_or_default();
            let end = format!("Kubernetes {removed} does not serve {kind} of {from}");
            host.err(&format!("{}: {}: {end}\n", report.name, object.name));
        }
    }
}

/// Returns true if a server that accepts the file does not accept it after the conversion.
fn loses_validity(report: &FileReport<'_>) -> bool {
    let findings = report.answer.findings.iter();
    findings
        .filter(|finding| finding.severity == Severity::Error)
        .any(|finding| finding.code == Code::ValidityLost)
}

/// Prints one of several files, which are one stream of documents. JSON can be a part of one only after a separator.
fn print_in_stream(text: &str, host: &mut dyn Host) {
    if text.trim().is_empty() {
        return;
    }
    let is_separated = text
        .trim_start_matches(['\u{feff}', '\n'])
        .starts_with("---");
    if !is_separated {
        host.out("---\n");
    }
    host.out(text);
    if !text.is_empty() && !text.ends_with('\n') {
        host.out("\n");
    }
}

/// Runs the verb.
pub fn run(args: &ConvertArgs, host: &mut dyn Host) -> Outcome {
    let ReadFiles {
        files,
        readable,
        left_out,
        beside,
    } = files::read_named(&args.files, args.stdin_filename.as_deref(), host);
    let answers = answers(&files, args)?;
    let reports = ask::reports(&files, &answers, &[], ask::remarks(&args.text));
    let rules = ExitRules {
        only_ok_counts: true,
        ..ExitRules::new(&args.findings, args.allow_unchecked)
    };
    let stale = kustomize::stale_lines(&reports, left_out.iter().chain(&beside));
    let exit = match args.output {
        PlainForm::Json => {
            host.out(&json_of(&files, &answers, &stale));
            end(&reports, readable, rules, host)
        }
        PlainForm::Text => {
            print_findings(&reports, &stale, args, host);
            let of_findings = end(&reports, readable, rules, host);
            let of_texts = give_texts(&reports, &files, args, host);
            of_findings.max(of_texts)
        }
    };
    Ok(summary::with_left_out(exit, &left_out, &args.findings))
}

/// Returns all answers as one JSON document. `stale`: the lines of kustomizations that name a version which objects no longer have.
fn json_of(files: &[InputFile], answers: &[Answer], stale: &[StaleLine]) -> String {
    let member = (!stale.is_empty()).then(|| JsonMember {
        name: "kustomize",
        value: stale.iter().map(StaleLine::json).collect(),
    });
    let print = |_, answer: &Answer| requests::print(answer);
    summary::json_with("convert", files, answers, &print, member)
}

/// Prints the findings about each file, and the stale lines of kustomizations, on standard error.
fn print_findings(
    reports: &[FileReport<'_>],
    stale: &[StaleLine],
    args: &ConvertArgs,
    host: &mut dyn Host,
) {
    let style = summary::style(args.text.color, host);
    let mut findings = String::new();
    for report in reports {
        text::write(&mut findings, report, style);
    }
    host.err(&findings);
    let notes: String = stale.iter().map(StaleLine::text).collect();
    host.err(&notes);
}

/// Prints the converted texts, or what differs, or writes them back. Returns how the run ends if there are no findings.
fn give_texts(
    reports: &[FileReport<'_>],
    files: &[InputFile],
    args: &ConvertArgs,
    host: &mut dyn Host,
) -> Exit {
    let mut exit = Exit::Fine;
    let mut written = 0usize;
    for (report, file) in reports.iter().zip(files) {
        let Content::Convert { text } = &report.answer.content else {
            exit = exit.max(Exit::Findings);
            continue;
        };
        let is_changed = text != report.text;
        if is_changed && !args.allow_loss && loses_validity(report) {
            exit = exit.max(Exit::Findings);
            host.err(&format!(
                "{}: not converted, as the result is not accepted; `--allow-loss` converts it all the same\n",
                report.name
            ));
        } else if args.in_place {
            if is_changed {
                match write_back(report.name, file, text, host) {
                    Ok(()) => written = written.saturating_add(1),
                    Err(problem) => {
                        host.err(&format!("claimkit: {}: {problem}\n", report.name));
                        exit = Exit::Unusable;
                    }
                }
            }
        } else if args.diff || args.check {
            if args.check && is_changed {
                exit = exit.max(Exit::Findings);
                report_removed(report, host);
            }
            print_difference(report, text, args, host);
        } else if reports.len() > 1 {
            print_in_stream(text, host);
        } else {
            host.out(text);
        }
    }
    if args.in_place && !args.findings.quiet {
        let same = reports.len().saturating_sub(written);
        host.err(&format!(
            "converted {}, {same} unchanged\n",
            summary::count(written, "file")
        ));
    }
    exit
}

/// Writes a converted text into its file.
///
/// # Errors
/// Why it cannot be written.
fn write_back(name: &str, file: &InputFile, text: &str, host: &mut dyn Host) -> Result<(), String> {
    if !file.exact {
        return Err("not written back: its bytes are not UTF-8".to_owned());
    }
    host.write(name, text)
}

/// Prints the diff of a file, or its name if it changes.
fn print_difference(report: &FileReport<'_>, text: &str, args: &ConvertArgs, host: &mut dyn Host) {
    if args.diff {
        host.out(&diff::unified(report.name, report.text, text));
    } else if text != report.text {
        host.out(&format!("{}\n", report.name));
    }
}

fn end(reports: &[FileReport<'_>], readable: bool, rules: ExitRules, host: &mut dyn Host) -> Exit {
    if readable {
        summary::exit(reports, rules, host)
    } else {
        Exit::Unusable
    }
}
