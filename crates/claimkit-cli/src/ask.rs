//! Requests and answers.

use crate::exit::Problem;
use crate::files::InputFile;
use crate::host::Host;
use crate::options::TextArgs;
use crate::values::KnownCode;
use claimkit::apiserver::text::{Report as Judged, validate_files};
use claimkit::editor::foreign;
use claimkit::report::{FileReport, Remarks};
use claimkit::requests::request::{self, Replaced, ValidateRequest};
use claimkit::requests::{self, Answer, Content, Request};
use claimkit_model::finding::{Code, Severity, TextField};
use claimkit_model::text::Span;
use claimkit_model::text::located::LocatedFinding;

/// Asks once.
///
/// # Errors
/// Why the request cannot be used.
pub fn once(mut request: Request, host: &mut dyn Host) -> Result<Answer, Problem> {
    request.fill(|locale| host.sentences(locale));
    usable(requests::run(&request))
}

/// Returns an answer with the help for the command line.
///
/// # Errors
/// Why the request cannot be used.
pub fn usable(mut answer: Answer) -> Result<Answer, Problem> {
    if let Some(problem) = answer.error {
        return Err(problem.into());
    }
    for_command_line(&mut answer);
    Ok(answer)
}

/// Puts the help for the command line in place of that for requests.
fn for_command_line(answer: &mut Answer) {
    for finding in &mut answer.findings {
        if let Some(help) = finding.command_help.take() {
            finding.help = Some(help.into());
        }
    }
}

/// Returns a line about the release whose rules answered, if the answers of the requested one were never recorded.
pub fn rules_of(answer: &Answer) -> String {
    answer
        .rules_of
        .map(|rules| format!("{}\n", rules.sentence()))
        .unwrap_or_default()
}

/// Returns the place of the first byte of the main text that is not UTF-8, as a request has it.
pub fn replaced(at: Option<usize>) -> Replaced {
    Replaced {
        text: offset(at),
        ..Replaced::default()
    }
}

/// Returns an offset of a request; texts are shorter than 4 GiB.
pub fn offset(at: Option<usize>) -> Option<u32> {
    at.and_then(|at| u32::try_from(at).ok())
}

/// Asks about all files as one cluster. Findings with ignored codes are left out of the answers.
///
/// # Errors
/// Why a request cannot be used.
pub fn together(
    ignored: &[KnownCode],
    requests: &[ValidateRequest],
) -> Result<Vec<Answer>, Problem> {
    let Some(first) = requests.first() else {
        return Ok(Vec::new());
    };
    let release = request::release(first.release.as_deref())?;
    let texts: Vec<&str> = requests
        .iter()
        .map(|request| request.text.as_deref().unwrap_or_default())
        .collect();
    let mut options = first.options();
    options.release = release;
    let reports = validate_files(&texts, &options);
    if let Some(problem) = reports.iter().find_map(|report| report.unusable.as_ref()) {
        return Err(problem.message().into());
    }
    let answer_of = |(request, report): (&ValidateRequest, Judged<'_>)| {
        let answer = request.replaced.tell(
            &[(TextField::Text, request.text.as_deref())],
            Answer::from(report),
        );
        answer.by_rules_of(release)
    };
    let mut answers: Vec<Answer> = requests.iter().zip(reports).map(answer_of).collect();
    answers.iter_mut().for_each(for_command_line);
    Ok(answers
        .into_iter()
        .map(|answer| without_ignored(ignored, answer))
        .collect())
}

/// Asks about every file; `beside` has the stored objects, if there are any. Findings with ignored codes are left out of the answers.
///
/// # Errors
/// Why the request about a file cannot be used.
pub fn each(
    ignored: &[KnownCode],
    request: &dyn Fn(&InputFile) -> Request,
    files: &[InputFile],
    beside: &[InputFile],
    host: &mut dyn Host,
) -> Result<Vec<Answer>, Problem> {
    let mut answers = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        host.progress(at, files.len());
        match once(request(file), host) {
            Ok(answer) => answers.push(without_ignored(
                ignored,
                place_beside(answer, TextField::Old, beside),
            )),
            Err(problem) => {
                host.progress(files.len(), files.len());
                return Err(problem);
            }
        }
    }
    host.progress(files.len(), files.len());
    Ok(answers)
}

/// Returns an answer without the findings with ignored codes. It is `ok` if none of the others is an error and something was
/// checked.
pub fn without_ignored(ignored: &[KnownCode], mut answer: Answer) -> Answer {
    if !answer
        .findings
        .iter()
        .any(|finding| is_ignored(ignored, finding.code))
    {
        return answer;
    }
    let nothing = answer
        .findings
        .iter()
        .any(|finding| finding.code == Code::NothingChecked);
    answer
        .findings
        .retain(|finding| !is_ignored(ignored, finding.code));
    if let Content::Upgrade { troubles, .. } = &mut answer.content {
        troubles.retain(|trouble| !is_ignored(ignored, trouble.code));
    }
    let checked = answer.objects.iter().any(|object| object.is_checked()) && !nothing;
    answer.ok = checked
        && answer
            .findings
            .iter()
            .all(|finding| finding.severity != Severity::Error);
    answer
}

fn is_ignored(ignored: &[KnownCode], code: Code) -> bool {
    ignored.contains(&KnownCode(code))
}

/// Removes the findings about values with variables that Flux or envsubst replaces from the answer about a file of a folder: the server
/// gets other values. Returns true if a document or an object could not be read because of them.
pub fn remove_variables(file: &InputFile, answer: &mut Answer) -> bool {
    let is_variable = |finding: &LocatedFinding| {
        finding.within == TextField::Text
            && finding.range.as_ref().is_some_and(|range| {
                let span = Span::new(
                    range.start.byte_offset as usize,
                    range.end.byte_offset as usize,
                );
                foreign::has_variable(&file.text, span)
            })
    };
    if !file.found || !answer.findings.iter().any(is_variable) {
        return false;
    }
    // What the server gets decides whether it can decode the object; its other fields are not judged here.
    let mut is_unread = false;
    for finding in answer
        .findings
        .iter()
        .filter(|finding| is_variable(finding))
    {
        match finding.code {
            Code::YamlSyntax => is_unread = true,
            Code::TypeMismatch => {
                is_unread = true;
                let object = finding.object.and_then(|at| answer.objects.get_mut(at));
                if let Some(object) = object {
                    object.valid = Some(None);
                }
            }
            _ => {}
        }
    }
    answer.findings.retain(|finding| !is_variable(finding));
    answer.ok = answer.objects.iter().any(|object| object.is_checked())
        && answer
            .findings
            .iter()
            .all(|finding| finding.severity != Severity::Error);
    is_unread
}

/// Gives findings about another text than the manifest the name of its file; of several, those that name none get the first.
pub fn place_beside(mut answer: Answer, field: TextField, beside: &[InputFile]) -> Answer {
    let Some(file) = beside.first() else {
        return answer;
    };
    for finding in &mut answer.findings {
        if finding.within == field && finding.file.is_none() {
            finding.file = Some(file.name.clone());
        }
    }
    answer
}

/// Returns whether remarks are shown.
pub fn remarks(args: &TextArgs) -> Remarks {
    if args.remarks {
        Remarks::Shown
    } else {
        Remarks::Hidden
    }
}

/// Returns one report per file with its answer. `beside`: other files that findings may refer to.
pub fn reports<'a>(
    files: &'a [InputFile],
    answers: &'a [Answer],
    beside: &'a [InputFile],
    remarks: Remarks,
) -> Vec<FileReport<'a>> {
    files
        .iter()
        .zip(answers)
        .map(|(file, answer)| {
            let beside = beside
                .iter()
                .map(|file| (file.name.as_str(), file.text.as_str()));
            FileReport::new(&file.name, &file.text, answer, remarks).beside(beside)
        })
        .collect()
}
