//! Requests and answers, in the JSON of the contract.

use super::Host;
use super::files::File;
use crate::report::render::Report;
use crate::report::render::answer::Answer;
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

/// Asks for every file.
pub fn each(request: &Request, files: &[File], host: &mut dyn Host) -> Option<Vec<Answered>> {
    files
        .iter()
        .map(|file| {
            let text = text_of(file, host)?;
            once(&request.clone().with("text", Some(text)), host)
        })
        .collect()
}

/// The text of a file that must be UTF-8; `None`, told on standard error, if it is not.
pub fn text_of<'f>(file: &'f File, host: &mut dyn Host) -> Option<&'f str> {
    match file.damaged {
        None => Some(&file.text),
        Some(at) => {
            host.err(&format!("claimkit: {}: byte {at} is not UTF-8\n", file.name));
            None
        }
    }
}

/// Files and their answers, side by side.
pub fn reports<'a>(files: &'a [File], answers: &'a [Answered], remarks: bool) -> Vec<Report<'a>> {
    let report =
        |(file, told): (&'a File, &'a Answered)| Report { name: &file.name, text: &file.text, answer: &told.answer, remarks };
    files.iter().zip(answers).map(report).collect()
}
