//! Patches that a real kube-apiserver 1.37.2 answered: refusals by type, kind and version, quoted documents, and who owns what.

use claimkit::requests;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};

/// Lines whose status claimkit does not give, but words of its own: the server converts maps there, with errors of each type.
const IN_OWN_WORDS: &[&str] = &[
    "apply/numfloat",
    "apply/quantbool",
    "apply/timenum",
    "apply/timebool",
    "apply/timebad",
    "strategic/kind16",
    "strategic/kindnonename",
    // The server also takes a patch that writes the object in another version.
    "json/apiother",
    "merge/apiother",
    "json/kindstatus",
];

/// Lines with several errors: Go walks a map in any order, and stops at an undeclared field.
const IN_ANY_ORDER: &[&str] = &[
    "apply/unknown2",
    "apply/meta",
    "apply/two",
    "apply/tolsec",
    "apply/finalizers",
];

fn lines() -> impl Iterator<Item = Value> {
    let path = format!(
        "{}/tests/vectors/patch-answers-1.37.2.jsonl.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let reader = BufReader::new(GzDecoder::new(std::fs::File::open(path).unwrap()));
    reader
        .lines()
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

/// Code, reason and message; the name of the scheme comes from the path of a source file.
fn said(status: &Value) -> Value {
    if status.is_null() {
        return Value::Null;
    }
    let message = status["message"].as_str().unwrap();
    let message = match message.split_once(" in scheme \"") {
        Some((before, scheme)) => {
            format!("{before} in scheme{}", scheme.split_once('"').unwrap().1)
        }
        None => message.to_owned(),
    };
    json!([status["code"], status["reason"], message])
}

#[test]
fn recorded_answers() {
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for line in lines() {
        let id = line["id"].as_str().unwrap();
        let request = json!({
            "verb": "validate", "operation": "patch", "release": "1.37.2", "patchType": line["type"],
            "fieldValidation": line.get("fieldValidation").unwrap_or(&json!("Ignore")), "fieldManager": "patcher",
            "force": line["type"] == "apply", "namespaceLabels": {}, "time": "2099-01-01T00:00:00Z",
            "old": line["old"].to_string(), "patch": line["patch"].to_string(),
        });
        let answer: Value = serde_json::from_str(&requests::answer(&request.to_string())).unwrap();
        let object = &answer["objects"][0];
        if IN_OWN_WORDS.contains(&id) {
            assert_eq!(
                (&object["valid"], &object["status"]),
                (&json!(false), &Value::Null),
                "{id} {answer}"
            );
            continue;
        }
        compared += 1;
        let (mut want, mut got) = (said(&line["status"]), said(&object["status"]));
        if IN_ANY_ORDER.contains(&id) {
            for message in [&mut want[2], &mut got[2]] {
                let (head, errors) = message.as_str().unwrap().split_once("): ").unwrap();
                let errors: BTreeSet<&str> = errors
                    .lines()
                    .map(str::trim)
                    .filter(|line| *line != "errors:")
                    .collect();
                let undeclared = errors
                    .iter()
                    .any(|error| error.ends_with("field not declared in schema"));
                *message = if undeclared {
                    json!([head, "undeclared"])
                } else {
                    json!([head, errors])
                };
            }
        }
        if want != got {
            wrong.push(format!(
                "{id}\n  want {want}\n  got  {got} {}",
                answer["findings"]
            ));
            continue;
        }
        let Some(managers) = line.get("managers") else {
            continue;
        };
        if object["valid"] != true {
            wrong.push(format!("{id} is accepted\n  got  {}", answer["findings"]));
            continue;
        }
        let mut owned = object["object"]["metadata"]["managedFields"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        owned.iter_mut().for_each(|entry| {
            entry.as_object_mut().unwrap().shift_remove("time");
        });
        if json!(owned) != *managers {
            wrong.push(format!("{id}\n  want {managers}\n  got  {}", json!(owned)));
        }
    }
    assert!(compared > 250, "{compared}");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
