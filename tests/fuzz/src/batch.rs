//! Lines of `claimkit batch`: one line in, one answer out, whatever the line holds; an answer depends on nothing but its own
//! line; fields in another order are the same request; an unknown field is refused by name; policy hosts answer the same.

use crate::answers;
use claimkit::requests::{self, raw_mode};
use claimkit_cli::{self as cli, Exit, FolderEntry, Host};
use libfuzzer_sys::Corpus;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::VecDeque;

pub fn run(data: &[u8]) -> Corpus {
    let mut lines: VecDeque<Vec<u8>> = data
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let given: Vec<Vec<u8>> = lines.iter().cloned().collect();
    let mut terminal = Terminal {
        lines: std::mem::take(&mut lines),
        out: String::new(),
    };
    assert_eq!(cli::run(&["batch".to_owned()], &mut terminal), Exit::Fine);
    let answered: Vec<&str> = terminal.out.split_terminator('\n').collect();
    assert_eq!(answered.len(), given.len(), "{answered:?}");
    for (line, answer) in given.iter().zip(answered) {
        one(line.strip_suffix(b"\n").unwrap_or(line), answer);
    }
    Corpus::Keep
}

fn one(line: &[u8], answer: &str) {
    let value: Value =
        serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"));
    assert!(
        value["ok"].is_boolean() && value["findings"].is_array() && value["objects"].is_array(),
        "{answer}"
    );
    if value.get("error").is_some() {
        assert!(
            value["ok"] == false
                && value["error"]
                    .as_str()
                    .is_some_and(|error| !error.is_empty()),
            "{answer}"
        );
    }
    let Ok(text) = std::str::from_utf8(line) else {
        assert!(
            value["error"].as_str().unwrap().ends_with("is not UTF-8"),
            "{answer}"
        );
        return;
    };
    let known = value["verb"].as_str().unwrap_or_default();
    if matches!(
        known,
        "parse" | "validate" | "convert" | "evaluate" | "admit"
    ) {
        assert_eq!(
            raw_mode::answer(line),
            answer,
            "a policy host answers otherwise: {text}"
        );
    }
    let Ok(request) = serde_json::from_str::<Map<String, Value>>(text) else {
        // Deeply nested values and broken surrogates are refused by one and not by the other.
        return;
    };
    if matches!(known, "parse" | "validate" | "convert")
        && request.contains_key("text")
        && value.get("error").is_none()
    {
        answers::agrees_with_itself(&Value::Object(request.clone()), &value);
    }
    if value.get("error").is_some() {
        return;
    }
    assert_eq!(request.get("verb"), value.get("verb"), "{text}");
    let pieces: indexed::Pieces<'_> = serde_json::from_str(text).unwrap();
    let again = pieces.reversed();
    assert_eq!(
        requests::answer(&again),
        answer,
        "fields in another order: {text}"
    );
    let more = format!("{},\"zzzzzz\":1}}", again.strip_suffix('}').unwrap());
    let refused: Value = serde_json::from_str(&requests::answer(&more)).unwrap();
    assert!(
        refused["error"]
            .as_str()
            .is_some_and(|error| error.contains("`zzzzzz`")),
        "{refused}"
    );
}

/// The fields of a request as they are written.
mod indexed {
    use super::RawValue;
    use std::collections::BTreeMap;

    #[derive(serde::Deserialize)]
    #[serde(transparent)]
    pub struct Pieces<'a>(#[serde(borrow)] BTreeMap<String, &'a RawValue>);

    impl Pieces<'_> {
        pub fn reversed(&self) -> String {
            let members: Vec<String> = self
                .0
                .iter()
                .rev()
                .map(|(key, value)| {
                    format!("{}:{}", serde_json::Value::from(key.as_str()), value.get())
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// Standard input and output; there are no files.
struct Terminal {
    lines: VecDeque<Vec<u8>>,
    out: String,
}

impl Host for Terminal {
    fn read(&mut self, path: &str, _: usize) -> Result<Vec<u8>, String> {
        panic!("batch reads the file {path}")
    }

    fn list(&mut self, path: &str) -> Result<Option<Vec<FolderEntry>>, String> {
        panic!("batch lists the folder {path}")
    }

    fn write(&mut self, path: &str, _: &str) -> Result<(), String> {
        panic!("batch writes the file {path}")
    }

    fn line(&mut self, _: usize) -> Result<Option<Vec<u8>>, String> {
        Ok(self.lines.pop_front())
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        panic!("batch says {text}")
    }
}
