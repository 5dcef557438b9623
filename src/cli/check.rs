//! `validate` and `parse`: findings per file, in the form asked for.

use super::arguments::Arguments;
use super::files::{self, File};
use super::{FINDINGS, FINE, Host, UNUSABLE};
use crate::report::render::text::Style;
use crate::report::render::{Report, github, junit, sarif, text};
use crate::wire::request::{FieldValidation, Operation, Via};
use crate::wire::{self, Answer, Request};

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some(request) = request(arguments, host) else { return UNUSABLE };
    let (files, readable) = files::read(&arguments.operands, host);
    let Some(answers) = answers(&request, &files, host) else { return UNUSABLE };
    if request.raw {
        return raw(&files, &answers, readable, host);
    }
    let reports = reports(&files, &answers);
    match arguments.value("output") {
        Some("json") => host.out(&json(arguments.verb.name, &files, &answers)),
        Some("sarif") => host.out(&sarif::document(&reports)),
        Some("junit") => host.out(&junit::document(&reports)),
        Some("github") => {
            let mut out = String::new();
            reports.iter().for_each(|report| github::write(&mut out, report));
            host.out(&out);
        }
        _ if arguments.verb.name == "parse" => parsed(arguments, &reports, host),
        _ => told(arguments, &reports, host),
    }
    end(&reports, readable, host)
}

/// The request all files share.
fn request(arguments: &Arguments, host: &mut dyn Host) -> Option<Request> {
    let old = match arguments.value("old") {
        Some(name) => Some(text_of(files::read_one(name, host)?, host)?),
        None => None,
    };
    Some(Request {
        verb: arguments.verb.name.to_owned(),
        release: arguments.value("release").map(str::to_owned),
        field_validation: match arguments.value("field-validation") {
            Some("warn") => FieldValidation::Warn,
            Some("ignore") => FieldValidation::Ignore,
            _ => FieldValidation::Strict,
        },
        operation: match arguments.value("operation") {
            Some("update-status") => Operation::UpdateStatus,
            Some("update") => Operation::Update,
            _ if old.is_some() => Operation::Update,
            _ => Operation::Create,
        },
        old,
        via: arguments.value("via").map(|via| if via == "validator" { Via::Validator } else { Via::Kubectl }),
        namespace: arguments.value("namespace").map(str::to_owned),
        raw: arguments.has("raw"),
        ..Request::default()
    })
}

/// The text of a file that must be UTF-8.
pub fn text_of(file: File, host: &mut dyn Host) -> Option<String> {
    match file.damaged {
        None => Some(file.text),
        Some(at) => {
            host.err(&format!("claimkit: {}: byte {at} is not UTF-8\n", file.name));
            None
        }
    }
}

/// One answer per file; `None`, told on standard error, if the request itself cannot be used.
pub fn answers(request: &Request, files: &[File], host: &mut dyn Host) -> Option<Vec<Answer>> {
    let mut answers = Vec::new();
    for file in files {
        if let Some(at) = file.damaged {
            host.err(&format!("claimkit: {}: byte {at} is not UTF-8\n", file.name));
            return None;
        }
        let answer = wire::run(&Request { text: Some(file.text.clone()), ..request.clone() });
        if let Some(error) = &answer.error {
            host.err(&format!("claimkit: {error}\n"));
            return None;
        }
        answers.push(answer);
    }
    Some(answers)
}

/// Files and their answers, side by side.
pub fn reports<'a>(files: &'a [File], answers: &'a [Answer]) -> Vec<Report<'a>> {
    files.iter().zip(answers).map(|(file, answer)| Report { name: &file.name, text: &file.text, answer }).collect()
}

/// All answers as one JSON document.
pub fn json(verb: &str, files: &[File], answers: &[Answer]) -> String {
    let ok = !answers.is_empty() && checked(answers) > 0 && !answers.iter().any(failed);
    let mut out = format!("{{\"verb\":\"{verb}\",\"ok\":{ok},\"files\":[");
    for (at, (file, answer)) in files.iter().zip(answers).enumerate() {
        let comma = if at == 0 { "" } else { "," };
        out.push_str(&format!("{comma}\n{{\"file\":{},\"answer\":{}}}", wire::print(&file.name), wire::print(answer)));
    }
    out.push_str("\n]}\n");
    out
}

/// How text output looks.
pub fn style(arguments: &Arguments, host: &dyn Host) -> Style {
    Style::new(match arguments.value("color") {
        Some("always") => true,
        Some("never") => false,
        _ => host.colours(),
    })
}

fn told(arguments: &Arguments, reports: &[Report<'_>], host: &mut dyn Host) {
    let style = style(arguments, host);
    let mut out = String::new();
    reports.iter().for_each(|report| text::write(&mut out, report, style));
    out.push_str(&summary(reports));
    host.out(&out);
}

/// Objects on standard output, one per line; what there is to say of them on standard error.
fn parsed(arguments: &Arguments, reports: &[Report<'_>], host: &mut dyn Host) {
    let style = style(arguments, host);
    let (mut out, mut err) = (String::new(), String::new());
    for report in reports {
        text::write(&mut err, report, style);
        for object in report.answer.objects.iter().filter_map(|object| object.object.as_ref()) {
            out.push_str(object.get());
            out.push('\n');
        }
    }
    host.out(&out);
    host.err(&err);
}

fn raw(files: &[File], answers: &[Answer], readable: bool, host: &mut dyn Host) -> u8 {
    let mut code = if readable { FINE } else { UNUSABLE };
    for report in reports(files, answers) {
        match &report.answer.raw {
            Some(raw) => host.out(&format!("{}\n", raw.get())),
            None => {
                let mut err = String::new();
                text::write(&mut err, &report, Style::new(false));
                host.err(&err);
                code = code.max(FINDINGS);
            }
        }
    }
    code
}

fn summary(reports: &[Report<'_>]) -> String {
    let findings = |severity: &str| reports.iter().flat_map(Report::findings).filter(|f| f.severity == severity).count();
    let objects = reports.iter().map(|report| checked_in(report.answer)).sum();
    let others: usize =
        reports.iter().map(|report| report.answer.findings.iter().filter(|finding| finding.code == "other-group").count()).sum();
    let mut text = format!("checked {} in {}: ", count(objects, "object"), count(reports.len(), "file"));
    match (findings("error"), findings("warning")) {
        (0, 0) => text.push_str("no problems"),
        (errors, 0) => text.push_str(&count(errors, "error")),
        (0, warnings) => text.push_str(&count(warnings, "warning")),
        (errors, warnings) => text.push_str(&format!("{}, {}", count(errors, "error"), count(warnings, "warning"))),
    }
    if others > 0 {
        text.push_str(&format!("; {} of other groups not looked into", count(others, "object")));
    }
    text.push('\n');
    text
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Objects that were looked into.
fn checked_in(answer: &Answer) -> usize {
    answer.objects.iter().filter(|object| matches!(object.valid, Some(Some(_)))).count()
}

fn checked(answers: &[Answer]) -> usize {
    answers.iter().map(checked_in).sum()
}

fn failed(answer: &Answer) -> bool {
    answer.findings.iter().any(|finding| finding.severity == "error")
}

/// The exit code; tells on standard error if nothing was checked.
pub fn end(reports: &[Report<'_>], readable: bool, host: &mut dyn Host) -> u8 {
    if !readable {
        return UNUSABLE;
    }
    if reports.iter().any(|report| failed(report.answer)) {
        return FINDINGS;
    }
    if reports.iter().all(|report| checked_in(report.answer) == 0) {
        host.err(&format!("claimkit: nothing was checked: no object of resource.k8s.io in {}\n", count(reports.len(), "file")));
        return UNUSABLE;
    }
    FINE
}
