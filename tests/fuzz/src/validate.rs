//! What is found does not depend on comments, key order or style, and YAML and the same JSON give the same findings; every
//! fix removes its finding and breaks nothing.
//!
//! Input: a letter for the options, a byte for the style, the text, and behind a NUL the stored object's text.

use crate::answers::{self, Options, ask, findings, is_syntax};
use crate::fixes;
use crate::styles::{Choices, found, shuffled, yaml};
use claimkit::{Input, Release};
use claimkit_model::limits::Limits;
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::{self, Mode};
use libfuzzer_sys::Corpus;
use serde_json::{Value, json};

/// Each fix is carried out and judged again: a few of an answer are enough.
const FIXES: usize = 6;

pub fn run(data: &[u8]) -> Corpus {
    let Some((mut options, rest)) = Options::split(data) else {
        return Corpus::Reject;
    };
    let (text, old) = rest
        .split_once('\0')
        .map_or((rest, None), |(text, old)| (text, Some(old)));
    let mut request = json!({"verb": "validate", "text": text});
    options.fill(&mut request);
    if let Some(old) = old {
        request["operation"] = json!(if options.rest(2) == 0 {
            "update"
        } else {
            "updateStatus"
        });
        request["old"] = json!(old);
    }
    let answer = ask(&request);
    answers::agrees_with_itself(&request, &answer);
    statuses_agree(&request, &answer);
    let offered: usize = findings(&answer)
        .iter()
        .map(|finding| finding["fixes"].as_array().unwrap().len())
        .sum();
    match findings(&answer)
        .iter()
        .find(|finding| is_syntax_error(finding))
    {
        Some(error) => the_error_is_another(&request, error),
        None if offered <= FIXES && findings(&answer).iter().all(|f| !brings_up(f)) => {
            let _ = fixes::all_mend(&request, &answer);
        }
        None => {}
    }
    the_writing_does_not_matter(&request, &answer, text);
    Corpus::Keep
}

fn is_syntax_error(finding: &Value) -> bool {
    is_syntax(finding) && finding["severity"] == "error"
}

/// A fix of duplicate keys changes the effective key, and fixes can make skipped text readable, including the text after an
/// object where kubectl stopped.
fn brings_up(finding: &Value) -> bool {
    let stopped = finding["origin"] == "kubectl" && finding["severity"] == "error";
    let codes = [
        "yaml-duplicate-key",
        "json-duplicate-key",
        "duplicate-field",
        "yaml-dropped-text",
    ];
    stopped || codes.iter().any(|code| finding["code"] == *code)
}

/// kubectl stops at a syntax error: after a fix there is no error or another one. Usually it is further down, but kubectl does
/// not read a document before a wrong separator until that is fixed, and for two adjacent lines either error may come first.
fn the_error_is_another(request: &Value, error: &Value) {
    let text = request["text"].as_str().unwrap();
    let about = |error: &Value| {
        (
            error["range"]["start"]["offset"].clone(),
            error["message"].clone(),
            error["help"].clone(),
        )
    };
    for fix in error["fixes"].as_array().unwrap() {
        let fixed = fixes::apply(text, fix);
        let mut again = request.clone();
        again["text"] = json!(fixed);
        let after = ask(&again);
        if let Some(next) = findings(&after)
            .iter()
            .find(|finding| is_syntax_error(finding))
        {
            assert_ne!(
                about(next),
                about(error),
                "{fix} for {error} leaves {next}\n{text}\n---\n{fixed}"
            );
        }
    }
}

/// `valid` says whether something refuses the object, and the findings are the causes of the status.
fn statuses_agree(request: &Value, answer: &Value) {
    let objects = answer["objects"].as_array().unwrap();
    for (index, object) in objects.iter().enumerate() {
        let about = |f: &&Value| f["object"] == index;
        let refused = findings(answer)
            .iter()
            .filter(about)
            .any(|f| f["severity"] == "error");
        if object["valid"] == true {
            assert!(
                object["status"].is_null() && !refused,
                "{answer}\n{request}"
            );
        }
        if object["status"]["code"] == 422
            && request.get("via").is_none()
            && request.get("fieldValidation").is_none()
        {
            let mut causes = Vec::new();
            for cause in object["status"]["details"]["causes"].as_array().unwrap() {
                let told = format!(
                    "{}: {}",
                    cause["field"].as_str().unwrap(),
                    cause["message"].as_str().unwrap()
                );
                if !causes.contains(&told) {
                    causes.push(told);
                }
            }
            let errors = findings(answer)
                .iter()
                .filter(about)
                .filter(|f| f["origin"] == "kube-apiserver" && f["severity"] == "error");
            let told: Vec<&str> = errors.map(|f| f["message"].as_str().unwrap()).collect();
            assert_eq!(told, causes, "{request}");
        }
    }
}

/// The documents as JSON, and as YAML in another style and key order.
fn the_writing_does_not_matter(request: &Value, answer: &Value, text: &str) {
    let validator = request.get("via").is_some();
    let release = request["release"].as_str().and_then(Release::parse);
    // kubectl of 1.33 and later reads broken JSON on as YAML; the server does not.
    let file = if validator {
        text::read(text, &Limits::default())
    } else {
        Input::read(text, release, &Limits::default()).file
    };
    // The refusal of an object without kind or version quotes the text as it is written.
    let quoted = |finding: &Value| finding["code"] == "no-kind";
    if findings(answer)
        .iter()
        .any(|finding| is_syntax_error(finding) || quoted(finding))
    {
        return;
    }
    // JSON sent as it stands keeps its order and its duplicate keys, which the server sees.
    if validator
        && file
            .documents
            .iter()
            .any(|document| document.mode == Mode::Json)
    {
        return;
    }
    let mut documents = Vec::new();
    for document in &file.documents {
        let Some(root) = document.root.filter(|&root| document.tree.is_map(root)) else {
            return;
        };
        let mut sorted = String::new();
        if !print::json(&document.tree, root, Order::Sorted, 1 << 16, &mut sorted) {
            return;
        }
        documents.push(sorted);
    }
    let same = |text: String| {
        let mut other = request.clone();
        other["text"] = json!(text);
        let other = ask(&other);
        assert_eq!(
            found(&other),
            found(answer),
            "{request}\nwritten as\n{text}"
        );
        assert_eq!(
            statuses(&other),
            statuses(answer),
            "{request}\nwritten as\n{text}"
        );
    };
    same(documents.join("\n"));
    let random = text.bytes().fold(7u64, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    let mut choices = Choices(random);
    let mut styled = String::new();
    for document in &documents {
        // serde_json reads numbers in its own way, and nests less deeply.
        let Ok(object) = serde_json::from_str::<Value>(document) else {
            return;
        };
        if object.to_string().as_str() != document {
            return;
        }
        styled.push_str("# YAML\n---\n");
        yaml(
            &shuffled(&object, &mut choices),
            0,
            &mut choices,
            &mut styled,
        );
    }
    same(styled);
}

/// What the server answers to each object.
fn statuses(answer: &Value) -> Vec<&Value> {
    answer["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|object| &object["status"])
        .collect()
}
