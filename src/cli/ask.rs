//! Requests and answers, in the JSON of the contract.

use super::Host;
use super::answered::Answered;
use super::arguments::Arguments;
use super::files::File;
use super::joined::Joined;
use crate::report::Report;
use crate::report::answer::{Answer, Object};
use serde_json::{Map, Value};

/// The request that all files share.
#[derive(Clone, Debug, Default)]
pub struct Request(Map<String, Value>);

impl Request {
    /// A request of a verb.
    pub fn new(verb: &str) -> Self {
        Request::default().with("verb", Some(verb))
    }

    /// With a file as the text of a field.
    pub fn with_text(self, field: &str, file: &File) -> Self {
        self.with(field, Some(file.text.as_str())).with_replaced(field, file.replaced)
    }

    /// With the place of the first byte of a text that is not UTF-8.
    pub fn with_replaced(mut self, field: &str, at: Option<usize>) -> Self {
        let Some(at) = at else { return self };
        if let Value::Object(replaced) = self.0.entry("replaced").or_insert_with(|| Value::Object(Map::new())) {
            replaced.insert(field.to_owned(), at.into());
        }
        self
    }

    /// With a field, if there is a value for it.
    pub fn with(mut self, field: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.0.insert(field.to_owned(), value.into());
        }
        self
    }
}

/// Asks once. `None` if the request cannot be used; standard error says why.
pub fn once(request: &Request, host: &mut dyn Host) -> Option<Answered> {
    let json = host.answer(&Value::Object(request.0.clone()).to_string());
    let problem = match serde_json::from_str::<Answer>(&json) {
        Ok(Answer { error: Some(error), .. }) => error,
        Ok(answer) => return Some(in_options(Answered { json, answer })),
        Err(error) => format!("the answer cannot be read: {error}"),
    };
    host.err(&format!("claimkit: {problem}\n"));
    None
}

/// Help texts about request fields, each with its replacement for the command line.
const OPTIONS: &[(&str, &str)] = &[
    ("set `lossy` to `allow`", "give `--allow-loss`"),
    ("set `force`", "give `--force-conflicts`"),
    ("give the labels of the namespace with the request", "give `--namespace-labels KEY=VALUE`"),
    ("as the server stores it in `old`", "as the server stores it"),
    (", or raise the limit `bytes`", ""),
    (", or raise the limit `nodes`", ""),
    (", or raise the limit `nodeSetBytes`", ""),
    (", or raise the limit `findings`", ""),
];

/// Rewrites help texts in terms of command-line options.
fn in_options(mut told: Answered) -> Answered {
    let theirs = |help: &str| OPTIONS.iter().any(|(field, _)| help.contains(field));
    if !told.answer.findings.iter().any(|finding| finding.help.as_deref().is_some_and(theirs)) {
        return told;
    }
    let mut whole: Value = serde_json::from_str(&told.json).unwrap_or_default();
    for finding in whole.get_mut("findings").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(Value::String(help)) = finding.get_mut("help") {
            for (field, option) in OPTIONS {
                *help = help.replace(field, option);
            }
        }
    }
    told.json = whole.to_string();
    told.answer = serde_json::from_str(&told.json).unwrap_or_default();
    told
}

/// Asks for every file; `beside` has the stored objects, if there are any. Findings that `--ignore` names are left out of the answers.
pub fn each(
    arguments: &Arguments,
    request: &Request,
    files: &[File],
    beside: &[File],
    host: &mut dyn Host,
) -> Option<Vec<Answered>> {
    let mut answers = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        host.progress(at, files.len());
        let Some(told) = once(&request.clone().with_text("text", file), host) else {
            host.progress(files.len(), files.len());
            return None;
        };
        answers.push(without_ignored(arguments, place_beside(told, "old", beside)));
    }
    host.progress(files.len(), files.len());
    Some(answers)
}

/// An answer without the findings that `--ignore` names. It is `ok` if none of the others is an error and something was checked.
pub fn without_ignored(arguments: &Arguments, mut told: Answered) -> Answered {
    let codes: Vec<&str> = arguments.values("ignore").collect();
    if !told.answer.findings.iter().any(|finding| codes.contains(&finding.code.as_str())) {
        return told;
    }
    let mut whole: Value = serde_json::from_str(&told.json).unwrap_or_default();
    if let Some(findings) = whole.get_mut("findings").and_then(Value::as_array_mut) {
        findings.retain(|finding| finding.get("code").and_then(Value::as_str).is_none_or(|code| !codes.contains(&code)));
    }
    let nothing = told.answer.findings.iter().any(|finding| finding.code == "nothing-checked");
    told.answer.findings.retain(|finding| !codes.contains(&finding.code.as_str()));
    let checked = told.answer.objects.iter().any(Object::checked) && !nothing;
    let ok = checked && told.answer.findings.iter().all(|finding| finding.severity != "error");
    told.answer.ok = ok;
    if let Some(whole) = whole.as_object_mut() {
        whole.insert("ok".to_owned(), ok.into());
    }
    told.json = whole.to_string();
    told
}

/// Gives findings about another text than the manifest (`field`, e.g. `nodes`) the name of their file and positions relative to it.
pub fn place_beside(mut told: Answered, field: &str, files: &[File]) -> Answered {
    if told.answer.findings.iter().all(|finding| finding.within != field) {
        return told;
    }
    let joined = Joined::of(files);
    let mut whole: Value = serde_json::from_str(&told.json).unwrap_or_default();
    for finding in whole.get_mut("findings").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(finding) = finding.as_object_mut().filter(|finding| finding.get("in").is_some_and(|name| name == field)) else {
            continue;
        };
        let mut home = 0;
        if let Some(range) = finding.get_mut("range") {
            home = joined.file(range);
            joined.shift(files, home, range);
        }
        let file = files.get(home).map(|file| Value::from(file.name.as_str()));
        finding.insert("file".to_owned(), file.unwrap_or_default());
    }
    told.json = whole.to_string();
    told.answer = serde_json::from_str(&told.json).unwrap_or_default();
    told
}

/// One report per file with its answer. `beside`: other files that findings may refer to.
pub fn reports<'a>(files: &'a [File], answers: &'a [Answered], beside: &'a [File], remarks: bool) -> Vec<Report<'a>> {
    let report = |(file, told): (&'a File, &'a Answered)| {
        let beside = beside.iter().map(|file| (file.name.as_str(), file.text.as_str()));
        Report::new(&file.name, &file.text, &told.answer, remarks).beside(beside)
    };
    files.iter().zip(answers).map(report).collect()
}
