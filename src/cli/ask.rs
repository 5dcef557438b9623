//! Requests and answers, in the JSON of the contract.

use super::Host;
use super::arguments::Arguments;
use super::files::File;
use crate::report::Report;
use crate::report::answer::{Answer, Object};
use crate::text::bytes::HELP;
use serde_json::{Map, Value};

/// The request that all files share.
#[derive(Clone, Debug, Default)]
pub struct Request(Map<String, Value>);

impl Request {
    /// A request of a verb.
    pub fn new(verb: &str) -> Self {
        Request::default().with("verb", Some(verb))
    }

    /// With a field, if there is a value for it.
    pub fn with(mut self, field: &str, value: Option<impl Into<Value>>) -> Self {
        if let Some(value) = value {
            self.0.insert(field.to_owned(), value.into());
        }
        self
    }
}

/// An answer, as it came and as it is read.
#[derive(Debug)]
pub struct Answered {
    /// One line of JSON.
    pub json: String,
    /// The same.
    pub answer: Answer,
}

/// Asks once. `None`, told on standard error, if the request cannot be used.
pub fn once(request: &Request, host: &mut dyn Host) -> Option<Answered> {
    let json = host.answer(&Value::Object(request.0.clone()).to_string());
    let problem = match serde_json::from_str::<Answer>(&json) {
        Ok(Answer { error: Some(error), .. }) => error,
        Ok(answer) => return Some(Answered { json, answer }),
        Err(error) => format!("the answer cannot be read: {error}"),
    };
    host.err(&format!("claimkit: {problem}\n"));
    None
}

/// Asks for every file; findings that `--ignore` names are left out of the answers.
pub fn each(arguments: &Arguments, request: &Request, files: &[File], host: &mut dyn Host) -> Option<Vec<Answered>> {
    let mut answers = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        host.progress(at, files.len());
        let Some(told) = once(&request.clone().with("text", Some(file.text.as_str())), host) else {
            host.progress(files.len(), files.len());
            return None;
        };
        answers.push(without_ignored(arguments, explained(file, told)));
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
    told.answer.findings.retain(|finding| !codes.contains(&finding.code.as_str()));
    let checked = told.answer.objects.iter().any(Object::checked);
    let ok = checked && told.answer.findings.iter().all(|finding| finding.severity != "error");
    if let Some(whole) = whole.as_object_mut() {
        whole.insert("ok".to_owned(), ok.into());
    }
    told.json = whole.to_string();
    told
}

/// The refusal of a byte that is no text, in kubectl's words: a request has text alone, so that who answers it cannot know.
pub fn explained(file: &File, mut told: Answered) -> Answered {
    let Some(damage) = file.damage else { return told };
    let mut whole: Value = serde_json::from_str(&told.json).unwrap_or_default();
    for finding in whole.get_mut("findings").into_iter().flat_map(items_mut) {
        let offset = |end| finding.pointer(end).and_then(Value::as_u64).and_then(|offset| usize::try_from(offset).ok());
        let range = offset("/range/start/offset").zip(offset("/range/end/offset"));
        let message = finding.get("message").and_then(Value::as_str).unwrap_or_default();
        let words = range.and_then(|(from, to)| damage.words(from, to, message));
        if let (Some(words), Some(finding)) = (words, finding.as_object_mut()) {
            finding.insert("message".to_owned(), words.into());
            finding.insert("help".to_owned(), HELP.into());
            finding.insert("fixes".to_owned(), Value::Array(Vec::new()));
        }
    }
    told.json = whole.to_string();
    told.answer = serde_json::from_str(&told.json).unwrap_or_default();
    told
}

fn items_mut(value: &mut Value) -> &mut [Value] {
    match value {
        Value::Array(items) => items,
        _ => &mut [],
    }
}

/// The text of a file that is not itself what is asked about; `None`, told on standard error, if its bytes are no text and
/// kubectl would not read them either.
pub fn text_of<'f>(file: &'f File, host: &mut dyn Host) -> Option<&'f str> {
    match file.damage.and_then(|damage| damage.refusal(&file.text)) {
        None => Some(&file.text),
        Some(why) => {
            host.err(&format!("claimkit: {}: {why}; {HELP}\n", file.name));
            None
        }
    }
}

/// Files and their answers, side by side.
pub fn reports<'a>(files: &'a [File], answers: &'a [Answered], remarks: bool) -> Vec<Report<'a>> {
    let report = |(file, told): (&'a File, &'a Answered)| Report::new(&file.name, &file.text, &told.answer, remarks);
    files.iter().zip(answers).map(report).collect()
}
