//! Laws of every answer, and the options of a target, which come from the first bytes of its input.

use claimkit::requests;
use serde_json::{Value, json};

/// The values of the options.
const RELEASES: &[&str] = &["", "1.26", "1.26.1", "1.27", "1.28", "1.29", "1.30"];

/// The options that a letter encodes; `A` encodes none, so seeds without options begin with `A`.
pub struct Options(u8);

impl Options {
    /// Options and the rest of the input.
    pub fn split(data: &[u8]) -> Option<(Options, &str)> {
        let (&first, rest) = data.split_first()?;
        Some((
            Options(first.wrapping_sub(b'A')),
            std::str::from_utf8(rest).ok()?,
        ))
    }

    fn one_of(&mut self, choices: &[&'static str]) -> &'static str {
        let count = choices.len() as u8;
        let chosen = choices[usize::from(self.0 % count)];
        self.0 /= count;
        chosen
    }

    /// Adds `release`, `via` and `fieldValidation` to a request.
    pub fn fill(&mut self, request: &mut Value) {
        for (key, choices) in [
            ("release", RELEASES),
            ("via", &["", "validator"]),
            ("fieldValidation", &["", "Warn", "Ignore"]),
        ] {
            let chosen = self.one_of(choices);
            if !chosen.is_empty() {
                request[key] = json!(chosen);
            }
        }
    }

    /// A number below `below` from the remaining bits.
    pub fn rest(&mut self, below: u8) -> u8 {
        let rest = self.0 % below;
        self.0 /= below;
        rest
    }
}

/// The letter for a release and `via`.
pub fn letter(release: Option<&str>, validator: bool) -> u8 {
    let at = RELEASES
        .iter()
        .position(|known| Some(*known) == release)
        .unwrap_or(0) as u8;
    b'A' + at + if validator { RELEASES.len() as u8 } else { 0 }
}

/// Asks.
pub fn ask(request: &Value) -> Value {
    serde_json::from_str(&requests::answer(&request.to_string())).unwrap()
}

/// What was found.
pub fn findings(answer: &Value) -> &[Value] {
    answer["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("no findings in {answer}"))
}

/// Whether a finding is about the syntax.
pub fn is_syntax(finding: &Value) -> bool {
    let code = finding["code"].as_str().unwrap();
    code.starts_with("yaml-") || code.starts_with("json-")
}

/// Checks that `ok` is true only without errors, that ranges lie in their text and agree in all units, and that codes are
/// registered ones.
pub fn agrees_with_itself(request: &Value, answer: &Value) {
    let text = |field: &Value| request[field.as_str().unwrap()].as_str().unwrap();
    let ok = answer["ok"].as_bool().unwrap();
    let objects = answer["objects"].as_array().unwrap();
    assert!(!ok || answer.get("error").is_none(), "{answer}");
    for finding in findings(answer) {
        let known = claimkit_model::finding::Code::ALL
            .iter()
            .any(|code| finding["code"] == code.name());
        assert!(
            known
                && finding["message"]
                    .as_str()
                    .is_some_and(|message| !message.is_empty()),
            "{finding}"
        );
        assert!(
            !ok || finding["severity"] != "error",
            "{finding} in an answer that is ok"
        );
        if let Some(object) = finding.get("object") {
            assert!(
                (object.as_u64().unwrap() as usize) < objects.len(),
                "{finding}"
            );
        }
        let edits = finding["fixes"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|fix| fix["edits"].as_array().unwrap());
        for range in finding
            .get("range")
            .into_iter()
            .chain(edits.map(|edit| &edit["range"]))
        {
            inside(text(&finding["in"]), range);
        }
    }
    for object in objects {
        if let Some(range) = object.get("range") {
            inside(text(&Value::from("text")), range);
        }
    }
}

/// A range is inside the text, and its offset agrees with its line and character.
pub fn inside(text: &str, range: &Value) {
    let at = |side: &str| range[side]["byteOffset"].as_u64().unwrap() as usize;
    assert!(
        text.get(at("start")..at("end")).is_some(),
        "{range} in {text:?}"
    );
    for side in ["start", "end"] {
        let (line, start) = line_of(text, at(side));
        assert_eq!(range[side]["line"], line, "{range} in {text:?}");
        assert_eq!(
            range[side]["character"],
            text[start..at(side)].encode_utf16().count(),
            "{range} in {text:?}"
        );
    }
}

/// Number and start of the line of a byte; `\n`, `\r\n` and `\r` end lines, as editors have it.
fn line_of(text: &str, offset: usize) -> (usize, usize) {
    let bytes = text.as_bytes();
    let mut ends = (0..offset).filter(|&at| {
        bytes[at] == b'\n' || (bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
    });
    (
        ends.clone().count(),
        ends.next_back().map_or(0, |at| at + 1),
    )
}
