//! What several verbs print: the JSON of files, counts in words, and the exit code.

use crate::exit::Exit;
use crate::files::InputFile;
use crate::host::Host;
use crate::options::FindingArgs;
use crate::values::ColorChoice;
use claimkit::report::FileReport;
use claimkit::report::text::TerminalStyle;
use claimkit::requests::Answer;
use claimkit_model::finding::{Code, Severity};
use claimkit_model::message::Words;
use serde_json::Value;

/// Returns all answers as one JSON document. `print` gives the JSON of an answer, by the index of its file.
pub fn json(
    verb: &str,
    files: &[InputFile],
    answers: &[Answer],
    print: &dyn Fn(usize, &Answer) -> String,
) -> String {
    json_with(verb, files, answers, print, None)
}

/// A member of a JSON document beside the answers.
pub struct JsonMember {
    pub name: &'static str,
    pub value: Value,
}

/// Does the same, with one more member behind the answers.
pub fn json_with(
    verb: &str,
    files: &[InputFile],
    answers: &[Answer],
    print: &dyn Fn(usize, &Answer) -> String,
    more: Option<JsonMember>,
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
    out.push_str("\n]");
    if let Some(JsonMember { name, value }) = more {
        out.push_str(&format!(",\"{name}\":{value}"));
    }
    out.push_str("}\n");
    out
}

/// Returns the style of text output.
pub fn style(color: ColorChoice, host: &dyn Host) -> TerminalStyle {
    TerminalStyle::new(match color {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => host.colours(),
    })
}

/// Counts things in words: `1 file`, `2 files`, `2 fixes`.
pub fn count(number: usize, what: &str) -> String {
    let plural = if what.ends_with('x') { "es" } else { "s" };
    format!("{number} {what}{}", if number == 1 { "" } else { plural })
}

/// Returns the number of objects that were checked as a whole.
pub fn checked_in(answer: &Answer) -> usize {
    let has_pods = with_code(answer, Code::PodClaimsOnly) > 0;
    let objects = answer.objects.iter().enumerate();
    objects
        .filter(|(at, object)| object.is_checked() && !(has_pods && is_pod(answer, *at)))
        .count()
}

fn is_pod(answer: &Answer, at: usize) -> bool {
    answer
        .findings
        .iter()
        .any(|f| f.code == Code::PodClaimsOnly && f.object == Some(at))
}

/// Returns the number of findings with a code.
pub fn with_code(answer: &Answer, code: Code) -> usize {
    answer
        .findings
        .iter()
        .filter(|finding| finding.code == code)
        .count()
}

fn failed(answer: &Answer) -> bool {
    has_severity(answer, Severity::Error)
}

/// The rules for the exit code, besides that errors count.
#[derive(Clone, Copy, Debug)]
pub struct ExitRules {
    pub warnings_as_errors: bool,
    /// Whether it is fine that nothing was checked.
    pub allow_unchecked: bool,
    /// Whether objects count only in an answer that is `ok`: a conversion lists every object, also those that it did not change.
    pub only_ok_counts: bool,
    /// The missing thing, where nothing was checked.
    pub subject: &'static str,
}

impl Default for ExitRules {
    fn default() -> Self {
        ExitRules {
            warnings_as_errors: false,
            allow_unchecked: false,
            only_ok_counts: false,
            subject: "no object of resource.k8s.io",
        }
    }
}

impl ExitRules {
    /// Makes the rules of a verb's options.
    pub fn new(findings: &FindingArgs, allow_unchecked: bool) -> Self {
        ExitRules {
            warnings_as_errors: findings.warnings_as_errors,
            allow_unchecked,
            ..ExitRules::default()
        }
    }
}

/// Returns how the run ends. Standard error says if nothing was checked.
pub fn exit(reports: &[FileReport<'_>], rules: ExitRules, host: &mut dyn Host) -> Exit {
    if reports
        .iter()
        .any(|report| is_failure(rules, report.answer))
    {
        return Exit::Findings;
    }
    if rules.allow_unchecked
        || reports
            .iter()
            .any(|report| is_counted(rules, report.answer))
    {
        return Exit::Fine;
    }
    host.err(&match explained(reports) {
        Some((message, help)) => format!("claimkit: {message}\n{help}\n"),
        None => format!(
            "claimkit: nothing was checked: {} in {}\n",
            rules.subject,
            count(reports.len(), "file")
        ),
    });
    Exit::Unusable
}

/// Returns the first explanation why nothing was checked, and the help beside it.
fn explained<'r>(reports: &'r [FileReport<'_>]) -> Option<(&'r Words, &'r Words)> {
    reports
        .iter()
        .flat_map(|report| &report.answer.findings)
        .filter(|finding| finding.code == Code::NothingChecked)
        .find_map(|finding| Some((&finding.message, finding.help.as_ref()?)))
}

fn is_failure(rules: ExitRules, answer: &Answer) -> bool {
    failed(answer) || (rules.warnings_as_errors && has_severity(answer, Severity::Warning))
}

fn is_counted(rules: ExitRules, answer: &Answer) -> bool {
    let is_checked = checked_in(answer) > 0 || with_code(answer, Code::PodClaimsOnly) > 0;
    is_checked && (answer.ok || !rules.only_ok_counts)
}

/// Returns how a run ends of whose files some are left out: that is a warning, for what their tool prints is checked elsewhere.
pub fn with_left_out(exit: Exit, left_out: &[InputFile], findings: &FindingArgs) -> Exit {
    match exit {
        Exit::Fine if !left_out.is_empty() && findings.warnings_as_errors => Exit::Findings,
        other => other,
    }
}

/// Returns true if an answer has a finding of this severity.
pub fn has_severity(answer: &Answer, severity: Severity) -> bool {
    answer
        .findings
        .iter()
        .any(|finding| finding.severity == severity)
}
