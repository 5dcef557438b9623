//! Applies fixes and judges the result.

use super::ask;
use serde_json::{Value, json};

/// The text with a fix carried out.
pub fn apply(text: &str, fix: &Value) -> String {
    let mut edits: Vec<(usize, usize, &str)> = fix["edits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let at = |side: &str| edit["range"][side]["byteOffset"].as_u64().unwrap() as usize;
            (at("start"), at("end"), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

fn about(finding: &Value) -> (Value, Value, Value) {
    (
        finding["code"].clone(),
        finding["path"].clone(),
        finding["message"].clone(),
    )
}

/// Applies every fix of an answer separately: its finding must disappear, and no syntax error may appear. Returns the number of
/// fixes.
pub fn all_mend(request: &Value, answer: &Value) -> usize {
    let text = request["text"].as_str().unwrap();
    let count = |answer: &Value, of: &Value| {
        answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|finding| about(finding) == about(of))
            .count()
    };
    let syntax = |answer: &Value| {
        let broken = |f: &&Value| {
            f["severity"] == "error"
                && ["yaml-", "json-"]
                    .iter()
                    .any(|p| f["code"].as_str().unwrap().starts_with(p))
        };
        answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(broken)
            .count()
    };
    let mut mended = 0;
    for finding in answer["findings"].as_array().unwrap() {
        for fix in finding["fixes"].as_array().unwrap() {
            let mut again = request.clone();
            let fixed = apply(text, fix);
            again["text"] = json!(fixed);
            let after = ask(&again);
            assert!(
                count(&after, finding) < count(answer, finding),
                "{fix} leaves {finding}\n{text}\n---\n{fixed}"
            );
            assert!(
                syntax(&after) <= syntax(answer),
                "{fix} breaks the text\n{text}\n---\n{fixed}"
            );
            mended += 1;
        }
    }
    mended
}
