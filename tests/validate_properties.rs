//! Laws of every object, tested on recorded objects with removed, added, duplicated and swapped parts, as JSON and as YAML:
//! answers are consistent, ranges are inside the text, and a fix removes its finding and breaks nothing.

use crate::support::ask;
use crate::support::fixes;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A small generator of numbers: the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Values that cause errors in some fields.
fn upsetting(chance: &mut Chance) -> Value {
    let values = [
        json!(null),
        json!(""),
        json!("é\u{a0}\u{2028}😀"),
        json!("UPPER_case"),
        json!("a/b/c"),
        json!("yes"),
        json!("2024-01-02T03:04:05.5+01:00"),
        json!(7),
        json!(-1),
        json!(1.5),
        json!(true),
        json!([]),
        json!({}),
        json!([null]),
        json!("x".repeat(260)),
        json!("immediate"),
        json!({"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "in", "values": ["-"]}]}]}),
    ];
    values[chance.below(values.len())].clone()
}

const KEYS: &[&str] = &[
    "name",
    "namespace",
    "uid",
    "status",
    "spec",
    "devices",
    "resourceclassname",
    "allocationMode",
    "driverName",
    "labels",
    "finalizers",
    "resourceVersion",
    "creationTimestamp",
    "suitableNodes",
    "namedResources",
    "managedFields",
    "generation",
];

fn mutate(value: &mut Value, chance: &mut Chance, depth: usize) {
    match value {
        Value::Object(map) if !map.is_empty() && (depth == 0 || chance.below(4) > 0) => {
            let at = chance.below(map.len());
            let key = map.keys().nth(at).unwrap().clone();
            match chance.below(8) {
                0 => {
                    map.remove(&key);
                }
                1 => {
                    let new = KEYS[chance.below(KEYS.len())];
                    map.insert(new.to_owned(), upsetting(chance));
                }
                2 => {
                    let taken = map.remove(&key).unwrap();
                    map.insert(key.to_uppercase(), taken);
                }
                _ => mutate(map.get_mut(&key).unwrap(), chance, depth + 1),
            }
        }
        Value::Array(items) if !items.is_empty() && chance.below(4) > 0 => {
            let at = chance.below(items.len());
            match chance.below(5) {
                0 => {
                    items.remove(at);
                }
                1 => {
                    let twice = items[at].clone();
                    items.push(twice);
                }
                _ => mutate(&mut items[at], chance, depth + 1),
            }
        }
        other => *other = upsetting(chance),
    }
}

/// Block YAML, every string in double quotes.
fn yaml(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                out.push_str(&format!("{pad}{}:", json!(key)));
                nested(value, indent + 2, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                out.push_str(&format!("{pad}-"));
                nested(item, indent + 2, out);
            }
        }
        other => out.push_str(&format!("{pad}{other}\n")),
    }
}

fn nested(value: &Value, indent: usize, out: &mut String) {
    let empty =
        value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    if (value.is_object() || value.is_array()) && !empty {
        out.push('\n');
        yaml(value, indent, out);
    } else {
        out.push_str(&format!(" {value}\n"));
    }
}

fn recorded() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    [
        ("k8s-1.26.2-1.26.15.jsonl", "1.26"),
        ("k8s-1.30.jsonl", "1.30"),
        ("random-k8s-1.27-1.29.jsonl", "1.28"),
    ]
    .iter()
    .flat_map(|(name, release)| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let cases = text
            .split('\n')
            .filter(|line| !line.is_empty() && line.len() < 4000);
        cases
            .map(|line| ((*release).to_owned(), serde_json::from_str(line).unwrap()))
            .collect::<Vec<_>>()
    })
    .collect()
}

/// What must hold of every answer.
fn agrees_with_itself(request: &Value, answer: &Value) {
    let text = request["text"].as_str().unwrap();
    let findings = answer["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    for finding in findings {
        let Some(range) = finding.get("range") else {
            continue;
        };
        let text = request[finding["in"].as_str().unwrap()].as_str().unwrap();
        let at = |side: &str| range[side]["byteOffset"].as_u64().unwrap() as usize;
        assert!(
            at("start") <= at("end") && at("end") <= text.len(),
            "{finding}\n{text}"
        );
        assert!(
            text.is_char_boundary(at("start")) && text.is_char_boundary(at("end")),
            "{finding}\n{text}"
        );
    }
    let refused = findings
        .iter()
        .any(|finding| finding["severity"] == "error");
    for object in answer["objects"].as_array().unwrap() {
        let status = &object["status"];
        assert_eq!(
            object["valid"] == json!(false),
            refused || !status.is_null(),
            "{answer}\n{text}"
        );
        if status["code"] == 422 && request["via"] == "kubectl" {
            let mut causes = Vec::new();
            for cause in status["details"]["causes"].as_array().unwrap() {
                let told = format!(
                    "{}: {}",
                    cause["field"].as_str().unwrap(),
                    cause["message"].as_str().unwrap()
                );
                if !causes.contains(&told) {
                    causes.push(told);
                }
            }
            let told: Vec<&str> = findings
                .iter()
                .filter(|f| f["origin"] == "kube-apiserver" && f["severity"] == "error")
                .map(|f| f["message"].as_str().unwrap())
                .collect();
            assert_eq!(told, causes, "{text}");
        }
    }
}

#[test]
fn answers_agree_with_themselves_and_fixes_mend() {
    let mut chance = Chance(20_261_121);
    let recorded = recorded();
    let mut mended = 0usize;
    for round in 0..2500 {
        let (release, case) = &recorded[chance.below(recorded.len())];
        let mut object = case["object"].clone();
        for _ in 0..=chance.below(3) {
            mutate(&mut object, &mut chance, 0);
        }
        let text = if round % 2 == 0 {
            object.to_string()
        } else {
            let mut out = String::from("# a comment\n");
            yaml(&object, 0, &mut out);
            out
        };
        let operation = match case["op"].as_str().unwrap() {
            "status" => "updateStatus",
            other => other,
        };
        let via = if chance.below(3) == 0 {
            "validator"
        } else {
            "kubectl"
        };
        let mut request = json!({"verb": "validate", "text": text, "release": release, "operation": operation, "via": via,
            "fieldValidation": if chance.below(4) == 0 { "Warn" } else { "Strict" }});
        if let Some(old) = case.get("old") {
            request["old"] = json!(old.to_string());
        }
        let answer = ask(&request);
        agrees_with_itself(&request, &answer);
        mended += fixes::all_mend(&request, &answer);
    }
    println!("{mended} fixes mended what they were offered for");
    assert!(mended > 100, "{mended}");
}
