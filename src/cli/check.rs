//! `validate` and `parse`: findings per file, in the form asked for.

use super::arguments::Arguments;
use super::ask;
use super::files::{self, InputFile};
use super::{FINDINGS, FINE, Host, UNUSABLE, fix, live, pairs};
use crate::evaluate::Evaluation;
use crate::report::text::TerminalStyle;
use crate::report::{FileReport, github, junit, sarif, text};
use crate::requests::answer::AnswerObject;
use crate::requests::request::{
    FieldValidation, OperationName, ParseRequest, Replaced, ValidateRequest, Via,
};
use crate::requests::{self, Answer, Content, Request};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::schema::release::LAST_PATCHES;
use claimkit_model::schema::{Release, VERSIONS, Version};
use claimkit_values::order;
use serde_json::Value;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let mut cluster = match live::validate::open(arguments, host) {
        Ok(cluster) => cluster,
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            return UNUSABLE;
        }
    };
    let Some((mut request, old)) = request(arguments, host) else {
        return UNUSABLE;
    };
    let (mut files, mut readable) = files::read(arguments, host);
    if let (Some(cluster), Common::Validate(common)) = (&mut cluster, &mut request) {
        cluster.fill(common);
        cluster.see(&files, host);
    }
    let request = |file: &InputFile| {
        let (text, replaced) = (Some(file.text.clone()), ask::offset(file.replaced));
        match &request {
            Common::Parse(common) => Request::Parse(ParseRequest {
                text,
                replaced: ask::replaced(file.replaced),
                ..common.clone()
            }),
            Common::Validate(common) => {
                let replaced = Replaced {
                    text: replaced,
                    ..common.replaced
                };
                let labels = || cluster.as_ref().and_then(|cluster| cluster.labels(file));
                let namespace_labels = common.namespace_labels.clone().or_else(labels);
                Request::Validate(ValidateRequest {
                    text,
                    replaced,
                    namespace_labels,
                    ..common.clone()
                })
            }
        }
    };
    let mut fixes = None;
    if arguments.has("fix") {
        let Some(fixed) = fix::run(arguments, &request, files, host) else {
            return UNUSABLE;
        };
        readable &= fixed.written;
        fixes = Some((fixed.fixes, fixed.left));
        files = fixed.files;
    }
    let requests: Option<Vec<ValidateRequest>> = files
        .iter()
        .map(|file| match request(file) {
            Request::Validate(request) if old.is_empty() => Some(request),
            _ => None,
        })
        .collect();
    let answers = match requests.filter(|requests| requests.len() > 1) {
        // New objects in several files are one cluster.
        Some(requests) => ask::together(arguments, &requests, host),
        None => ask::each(arguments, &request, &files, &old, host),
    };
    let Some(answers) = answers else {
        return UNUSABLE;
    };
    let reports = ask::reports(&files, &answers, &old, ask::remarks(arguments));
    if arguments.has("raw") {
        return raw(&reports, readable, host);
    }
    match arguments.value("output") {
        Some("json") => host.out(&json(
            arguments.verb.name,
            &files,
            &answers,
            &|_, answer| requests::print(answer),
        )),
        Some("sarif") => host.out(&sarif::document(&reports)),
        Some("junit") => host.out(&junit::document(&reports)),
        Some("github") => {
            let mut out = String::new();
            reports
                .iter()
                .for_each(|report| github::write(&mut out, report));
            host.out(&out);
        }
        _ if arguments.verb.name == "parse" => parsed(arguments, &reports, host),
        _ => told(arguments, &reports, fixes, host),
    }
    end(arguments, &reports, readable, host)
}

/// The request that all files share, without the text.
enum Common {
    Parse(ParseRequest),
    Validate(ValidateRequest),
}

/// Returns the request that all files share, and the file with the stored objects.
fn request(arguments: &Arguments, host: &mut dyn Host) -> Option<(Common, Vec<InputFile>)> {
    let text = |name: &str| arguments.value(name).map(str::to_owned);
    let via = arguments.value("via").map(via);
    let field_validation = arguments
        .value("field-validation")
        .map(field_validation)
        .unwrap_or_default();
    if arguments.verb.name == "parse" {
        let request = ParseRequest {
            release: text("release"),
            field_validation,
            label_selector: text("label-selector"),
            field_selector: text("field-selector"),
            namespace: text("namespace"),
            raw: arguments.has("raw"),
            via,
            ..ParseRequest::default()
        };
        return Some((Common::Parse(request), Vec::new()));
    }
    let mut request = ValidateRequest {
        release: text("release"),
        gates: ask::map(pairs::gates(arguments, host)?).unwrap_or_default(),
        namespace_labels: ask::map(pairs::labels(arguments, host)?),
        field_validation,
        namespace: text("namespace"),
        via,
        ..ValidateRequest::default()
    };
    let Some(old) = arguments.value("old") else {
        return Some((Common::Validate(request), Vec::new()));
    };
    let old = files::read_one(old, host)?;
    let of_status = arguments.value("operation") == Some("update-status");
    request.operation = if of_status {
        OperationName::UpdateStatus
    } else {
        OperationName::Update
    };
    request.old = Some(old.text.clone());
    request.replaced.old = ask::offset(old.replaced);
    Some((Common::Validate(request), vec![old]))
}

/// Returns the value of `--field-validation`.
pub fn field_validation(word: &str) -> FieldValidation {
    match word {
        "strict" => FieldValidation::Strict,
        "warn" => FieldValidation::Warn,
        _ => FieldValidation::Ignore,
    }
}

fn via(word: &str) -> Via {
    match word {
        "server" => Via::Server,
        "validator" => Via::Validator,
        _ => Via::Kubectl,
    }
}

/// Returns all answers as one JSON document. `print` gives the JSON of an answer, by the index of its file.
pub fn json(
    verb: &str,
    files: &[InputFile],
    answers: &[Answer],
    print: &dyn Fn(usize, &Answer) -> String,
) -> String {
    let checked = answers
        .iter()
        .any(|answer| checked_in(answer) > 0 || with_code(answer, Code::PodClaimsOnly) > 0);
    let ok = checked && !answers.iter().any(failed);
    let mut out = format!("{{\"verb\":\"{verb}\",\"ok\":{ok},\"files\":[");
    for (at, (file, answer)) in files.iter().zip(answers).enumerate() {
        let comma = if at == 0 { "" } else { "," };
        let name = Value::from(file.name.as_str());
        out.push_str(&format!(
            "{comma}\n{{\"file\":{name},\"answer\":{}}}",
            print(at, answer)
        ));
    }
    out.push_str("\n]}\n");
    out
}

/// Returns the style of text output.
pub fn style(arguments: &Arguments, host: &dyn Host) -> TerminalStyle {
    TerminalStyle::new(match arguments.value("color") {
        Some("always") => true,
        Some("never") => false,
        _ => host.colours(),
    })
}

fn told(
    arguments: &Arguments,
    reports: &[FileReport<'_>],
    fixes: Option<(usize, usize)>,
    host: &mut dyn Host,
) {
    let style = style(arguments, host);
    let mut out = String::new();
    reports
        .iter()
        .for_each(|report| text::write(&mut out, report, style));
    if !arguments.has("quiet") {
        if let Some((applied, left)) = fixes {
            let how = if arguments.has("diff") {
                "could be applied"
            } else {
                "applied"
            };
            out.push_str(&format!("{} {how}", count(applied, "fix")));
            if left > 0 {
                out.push_str(&format!(
                    "; {left} left that would delete something: --unsafe-fixes"
                ));
            }
            out.push('\n');
        }
        out.push_str(&summary(reports));
        out.push_str(
            &reports
                .first()
                .map(|report| ask::rules_of(report.answer))
                .unwrap_or_default(),
        );
    }
    host.out(&out);
    if !arguments.has("quiet") {
        host.err(&versions(reports));
    }
}

/// Prints objects to standard output, one per line, and findings to standard error.
fn parsed(arguments: &Arguments, reports: &[FileReport<'_>], host: &mut dyn Host) {
    let style = style(arguments, host);
    let (mut out, mut err) = (String::new(), String::new());
    for report in reports {
        text::write(&mut err, report, style);
        let asked = arguments.has("label-selector") || arguments.has("field-selector");
        let shown = report
            .answer
            .objects
            .iter()
            .filter(|object| !asked || object.selected == Some(true));
        for object in shown.filter_map(|object| object.object.as_ref()) {
            out.push_str(&requests::print(object));
            out.push('\n');
        }
    }
    host.out(&out);
    host.err(&err);
}

fn raw(reports: &[FileReport<'_>], readable: bool, host: &mut dyn Host) -> u8 {
    let mut code = if readable { FINE } else { UNUSABLE };
    for report in reports {
        if let Content::Raw { raw } = &report.answer.content {
            host.out(&format!("{}\n", raw.get()));
        } else {
            let mut err = String::new();
            text::write(&mut err, report, TerminalStyle::plain());
            host.err(&err);
            code = code.max(FINDINGS);
        }
    }
    code
}

fn summary(reports: &[FileReport<'_>]) -> String {
    let findings = |severity: Severity| {
        reports
            .iter()
            .flat_map(|report| &report.findings)
            .filter(|f| f.severity == severity)
            .count()
    };
    let objects = reports.iter().map(|report| checked_in(report.answer)).sum();
    let of_code = |code| {
        reports
            .iter()
            .map(|report| with_code(report.answer, code))
            .sum::<usize>()
    };
    let (others, pods) = (of_code(Code::OtherGroup), of_code(Code::PodClaimsOnly));
    let what = match (objects, pods) {
        (objects, 0) => count(objects, "object"),
        (0, pods) => format!("the claims of {}", count(pods, "pod")),
        (objects, pods) => format!(
            "{} and the claims of {}",
            count(objects, "object"),
            count(pods, "pod")
        ),
    };
    let mut text = format!("checked {what} in {}", count(reports.len(), "file"));
    match (findings(Severity::Error), findings(Severity::Warning)) {
        (0, 0) if objects == 0 && pods == 0 => {}
        (0, 0) => text.push_str(": no problems"),
        (errors, 0) => text.push_str(&format!(": {}", count(errors, "error"))),
        (0, warnings) => text.push_str(&format!(": {}", count(warnings, "warning"))),
        (errors, warnings) => text.push_str(&format!(
            ": {}, {}",
            count(errors, "error"),
            count(warnings, "warning")
        )),
    }
    if pods > 0 {
        text.push_str("; nothing else of pods looked into");
    }
    if others > 0 {
        text.push_str(&format!(
            "; {} of other groups not looked into",
            count(others, "object")
        ));
    }
    text.push('\n');
    text
}

/// Returns a line for each version that not every cluster serves: the release that judged it, and the releases that serve it.
fn versions(reports: &[FileReport<'_>]) -> String {
    let mut text = String::new();
    let objects = reports.iter().flat_map(|report| &report.answer.objects);
    let known = |object: &AnswerObject| {
        VERSIONS
            .iter()
            .copied()
            .find(|version| version.api_version == object.api_version)
    };
    let mut judged: Vec<(&Version, Release)> = Vec::new();
    for object in objects.filter(|object| object.is_checked()) {
        if let (Some(version), Some(release)) = (known(object), object.release)
            && version.served_by(release)
            && !judged
                .iter()
                .any(|(known, of)| known.name == version.name && *of == release)
        {
            judged.push((version, release));
        }
    }
    order::sort_by_key(&mut judged, |(version, release)| (version.name, *release));
    let names: Vec<&str> = judged.iter().map(|(version, _)| version.name).collect();
    if !LAST_PATCHES.iter().any(|release| {
        judged
            .iter()
            .all(|(version, _)| version.served_by(*release))
    }) {
        text.push_str(&format!(
            "no Kubernetes release serves {} together: each object was judged by a release of its own\n",
            names.join(" and ")
        ));
    }
    for (version, release) in judged {
        let (name, last) = (version.name, version.minors().1);
        if release.minor == last && !version.served_by(Release::latest()) {
            text.push_str(&format!(
                "{name}: judged as Kubernetes {release}; 1.{} and later do not serve it: `claimkit convert --to v1`\n",
                last.saturating_add(1)
            ));
        } else if name != "v1" {
            text.push_str(&format!(
                "{name}: judged as Kubernetes {release}, which serves it only with `--runtime-config={}=true`\n",
                version.api_version
            ));
        }
    }
    text
}

/// Counts things in words: `1 file`, `2 files`, `2 fixes`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with('x') { "es" } else { "s" };
    format!("{number} {what}{}", if number == 1 { "" } else { plural })
}

/// Returns the number of objects that were checked as a whole.
fn checked_in(answer: &Answer) -> usize {
    let is_pod = |at: usize| {
        answer
            .findings
            .iter()
            .any(|f| f.code == Code::PodClaimsOnly && f.object == Some(at))
    };
    let has_pods = with_code(answer, Code::PodClaimsOnly) > 0;
    let objects = answer.objects.iter().enumerate();
    objects
        .filter(|(at, object)| object.is_checked() && !(has_pods && is_pod(*at)))
        .count()
}

/// Returns the number of findings with a code.
fn with_code(answer: &Answer, code: Code) -> usize {
    answer
        .findings
        .iter()
        .filter(|finding| finding.code == code)
        .count()
}

fn failed(answer: &Answer) -> bool {
    answer
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error)
}

/// Returns the exit code. Standard error says if nothing was checked.
pub fn end(
    arguments: &Arguments,
    reports: &[FileReport<'_>],
    readable: bool,
    host: &mut dyn Host,
) -> u8 {
    if readable {
        end_of_readable(arguments, reports, host)
    } else {
        UNUSABLE
    }
}

/// Returns the exit code if all files could be read.
pub fn end_of_readable(
    arguments: &Arguments,
    reports: &[FileReport<'_>],
    host: &mut dyn Host,
) -> u8 {
    let warned = |answer: &Answer| {
        answer
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Warning)
    };
    let strict = arguments.has("warnings-as-errors");
    if reports
        .iter()
        .any(|report| failed(report.answer) || (strict && warned(report.answer)))
    {
        return FINDINGS;
    }
    // A conversion lists every object, also those that it did not change.
    let nothing = |answer: &Answer| {
        checked_in(answer) == 0 && with_code(answer, Code::PodClaimsOnly) == 0
            || (arguments.verb.name == "convert" && !answer.ok)
    };
    if reports.iter().all(|report| nothing(report.answer)) {
        if arguments.has("allow-unchecked") {
            return FINE;
        }
        let what = match arguments.verb.name {
            "evaluate" => Evaluation::NEEDS.english(),
            _ => "no object of resource.k8s.io",
        };
        host.err(&format!(
            "claimkit: nothing was checked: {what} in {}\n",
            count(reports.len(), "file")
        ));
        return UNUSABLE;
    }
    FINE
}
