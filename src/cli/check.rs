//! `validate` and `parse`: findings per file, in the form asked for.

use super::answered::Answered;
use super::arguments::Arguments;
use super::ask::{self, Request};
use super::files::{self, File};
use super::{FINDINGS, FINE, Host, UNUSABLE, fix, pairs};
use crate::report::answer::Answer;
use crate::report::text::Style;
use crate::report::{Report, github, junit, sarif, text};
use crate::scheduler::Evaluation;
use serde_json::Value;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some((request, old)) = request(arguments, host) else { return UNUSABLE };
    let (mut files, mut readable) = files::read(arguments, host);
    let mut fixes = None;
    if arguments.has("fix") {
        let Some(fixed) = fix::run(arguments, &request, files, host) else { return UNUSABLE };
        readable &= fixed.written;
        fixes = Some((fixed.fixes, fixed.left));
        files = fixed.files;
    }
    let Some(answers) = ask::each(arguments, &request, &files, &old, host) else { return UNUSABLE };
    let reports = ask::reports(&files, &answers, &old, arguments.has("remarks"));
    if arguments.has("raw") {
        return raw(&reports, readable, host);
    }
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
        _ => told(arguments, &reports, fixes, host),
    }
    end(arguments, &reports, readable, host)
}

/// The request all files share, and the file with the stored objects.
fn request(arguments: &Arguments, host: &mut dyn Host) -> Option<(Request, Vec<File>)> {
    let (gates, labels) = (pairs::gates(arguments, host)?, pairs::labels(arguments, host)?);
    let request = Request::new(arguments.verb.name)
        .with("release", arguments.value("release"))
        .with("gates", gates)
        .with("namespaceLabels", labels)
        .with("fieldValidation", arguments.value("field-validation").map(capital))
        .with("via", arguments.value("via"))
        .with("namespace", arguments.value("namespace"))
        .with("labelSelector", arguments.value("label-selector"))
        .with("fieldSelector", arguments.value("field-selector"))
        .with("raw", arguments.has("raw").then_some(true));
    let Some(old) = arguments.value("old") else { return Some((request, Vec::new())) };
    let old = files::read_one(old, host)?;
    let operation = if arguments.value("operation") == Some("update-status") { "updateStatus" } else { "update" };
    Some((request.with("operation", Some(operation)).with_text("old", &old), vec![old]))
}

/// `strict` as the contract writes it.
pub fn capital(word: &str) -> &str {
    match word {
        "strict" => "Strict",
        "warn" => "Warn",
        _ => "Ignore",
    }
}

/// All answers as one JSON document.
pub fn json(verb: &str, files: &[File], answers: &[Answered]) -> String {
    let checked = answers.iter().any(|told| checked_in(&told.answer) > 0);
    let ok = checked && !answers.iter().any(|told| failed(&told.answer));
    let mut out = format!("{{\"verb\":\"{verb}\",\"ok\":{ok},\"files\":[");
    for (at, (file, answer)) in files.iter().zip(answers).enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let name = Value::from(file.name.as_str());
        out.push_str(&format!("{comma}\n{{\"file\":{name},\"answer\":{}}}", answer.json));
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

fn told(arguments: &Arguments, reports: &[Report<'_>], fixes: Option<(usize, usize)>, host: &mut dyn Host) {
    let style = style(arguments, host);
    let mut out = String::new();
    reports.iter().for_each(|report| text::write(&mut out, report, style));
    if !arguments.has("quiet") {
        if let Some((applied, left)) = fixes {
            let how = if arguments.has("diff") { "could be applied" } else { "applied" };
            out.push_str(&format!("{} {how}", count(applied, "fix")));
            if left > 0 {
                out.push_str(&format!("; {left} left that would delete something: --unsafe-fixes"));
            }
            out.push('\n');
        }
        out.push_str(&summary(reports));
    }
    host.out(&out);
}

/// Prints objects to standard output, one per line, and findings to standard error.
fn parsed(arguments: &Arguments, reports: &[Report<'_>], host: &mut dyn Host) {
    let style = style(arguments, host);
    let (mut out, mut err) = (String::new(), String::new());
    for report in reports {
        text::write(&mut err, report, style);
        let asked = arguments.has("label-selector") || arguments.has("field-selector");
        let shown = report.answer.objects.iter().filter(|object| !asked || object.selected == Some(true));
        for object in shown.filter_map(|object| object.object.as_ref()) {
            out.push_str(object.get());
            out.push('\n');
        }
    }
    host.out(&out);
    host.err(&err);
}

fn raw(reports: &[Report<'_>], readable: bool, host: &mut dyn Host) -> u8 {
    let mut code = if readable { FINE } else { UNUSABLE };
    for report in reports {
        if let Some(raw) = &report.answer.raw {
            host.out(&format!("{}\n", raw.get()));
        } else {
            let mut err = String::new();
            text::write(&mut err, report, Style::new(false));
            host.err(&err);
            code = code.max(FINDINGS);
        }
    }
    code
}

fn summary(reports: &[Report<'_>]) -> String {
    let findings = |severity: &str| reports.iter().flat_map(|report| &report.findings).filter(|f| f.severity == severity).count();
    let objects = reports.iter().map(|report| checked_in(report.answer)).sum();
    let others: usize =
        reports.iter().map(|report| report.answer.findings.iter().filter(|finding| finding.code == "other-group").count()).sum();
    let mut text = format!("checked {} in {}", count(objects, "object"), count(reports.len(), "file"));
    match (findings("error"), findings("warning")) {
        (0, 0) if objects == 0 => {}
        (0, 0) => text.push_str(": no problems"),
        (errors, 0) => text.push_str(&format!(": {}", count(errors, "error"))),
        (0, warnings) => text.push_str(&format!(": {}", count(warnings, "warning"))),
        (errors, warnings) => text.push_str(&format!(": {}, {}", count(errors, "error"), count(warnings, "warning"))),
    }
    if others > 0 {
        text.push_str(&format!("; {} of other groups not looked into", count(others, "object")));
    }
    text.push('\n');
    text
}

/// `1 file`, `2 files`, `2 fixes`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with('x') { "es" } else { "s" };
    format!("{number} {what}{}", if number == 1 { "" } else { plural })
}

/// The number of objects that were checked.
fn checked_in(answer: &Answer) -> usize {
    answer.objects.iter().filter(|object| object.checked()).count()
}

fn failed(answer: &Answer) -> bool {
    answer.findings.iter().any(|finding| finding.severity == "error")
}

/// The exit code. Standard error says if nothing was checked.
pub fn end(arguments: &Arguments, reports: &[Report<'_>], readable: bool, host: &mut dyn Host) -> u8 {
    if !readable {
        return UNUSABLE;
    }
    let warned = |answer: &Answer| answer.findings.iter().any(|finding| finding.severity == "warning");
    let strict = arguments.has("warnings-as-errors");
    if reports.iter().any(|report| failed(report.answer) || (strict && warned(report.answer))) {
        return FINDINGS;
    }
    // A conversion lists every object, also those that it did not change.
    let nothing = |answer: &Answer| checked_in(answer) == 0 || (arguments.verb.name == "convert" && !answer.ok);
    if reports.iter().all(|report| nothing(report.answer)) {
        if arguments.has("allow-unchecked") {
            return FINE;
        }
        let what = match arguments.verb.name {
            "evaluate" => Evaluation::NEEDS,
            _ => "no object of resource.k8s.io",
        };
        host.err(&format!("claimkit: nothing was checked: {what} in {}\n", count(reports.len(), "file")));
        return UNUSABLE;
    }
    FINE
}
