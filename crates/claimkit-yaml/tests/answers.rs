//! Recorded answers of go-yaml v2 (through kubectl's step from YAML to JSON) against the reader:
//! the value, or the refusal with its text and line.

use claimkit_yaml::print::{self, Order};
use claimkit_yaml::yaml;
use serde_json::Value;

fn vectors(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/vectors/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines: Vec<Value> = text
        .split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!lines.is_empty(), "{path} is empty");
    lines
}

fn answer(text: &str) -> Result<Value, String> {
    let document = yaml::read(text, yaml::Bounds::default());
    if let Some(error) = document.error {
        return Err(error.to_string());
    }
    let mut json = String::from("null");
    if let Some(root) = document.root {
        json.clear();
        assert!(print::json(
            &document.tree,
            root,
            Order::Sorted,
            1 << 24,
            &mut json
        ));
    }
    Ok(serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}")))
}

/// Compares numbers by value: the recordings went through a JSON reader of their own.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn check(file: &str) {
    let vectors = vectors(file);
    let mut wrong = Vec::new();
    let mut other_text = Vec::new();
    let mut refused = 0;
    for vector in &vectors {
        let text = vector["in"].as_str().unwrap();
        match (answer(text), vector.get("err").and_then(Value::as_str)) {
            (Ok(value), None) if same(&value, &vector["ok"]) => {}
            (Err(message), Some(expected)) => {
                refused += 1;
                if message != expected {
                    other_text.push(format!(
                        "{text:?}\n  upstream: {expected}\n  here:     {message}"
                    ));
                }
            }
            (found, _) => wrong.push(format!("{vector}\n  here: {found:?}")),
        }
    }
    println!(
        "{file}: {} inputs, {} differ in value or refusal; {refused} refused alike, {} of them in other words",
        vectors.len(),
        wrong.len(),
        other_text.len()
    );
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert!(
        other_text.is_empty(),
        "{}\n{}",
        other_text.len(),
        other_text.join("\n")
    );
}

#[test]
fn snippets_agree() {
    check("yaml_to_json.jsonl");
}

#[test]
fn damaged_manifests_agree() {
    check("yaml_fuzz_sample.jsonl");
}

#[test]
fn strict_mode_agrees() {
    let mut strict = 0;
    for vector in vectors("yaml_to_json.jsonl")
        .iter()
        .chain(&vectors("yaml_fuzz_sample.jsonl"))
    {
        let text = vector["in"].as_str().unwrap();
        let mut document = yaml::read(text, yaml::Bounds::default());
        let found: Vec<String> = document
            .strict_errors()
            .into_iter()
            .map(|error| error.message)
            .collect();
        match vector.get("strict") {
            _ if vector.get("err").is_some() => {}
            Some(expected) => {
                strict += 1;
                let expected = expected.as_str().unwrap_or_else(|| panic!("{vector}"));
                assert_eq!(
                    format!("yaml: unmarshal errors:\n  {}", found.join("\n  ")),
                    expected,
                    "{text:?}"
                );
            }
            None => assert!(found.is_empty(), "{text:?}: {found:?}"),
        }
    }
    assert!(strict > 10, "only {strict} strict cases");
}
