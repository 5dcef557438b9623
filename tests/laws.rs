//! Laws of validation on generated texts: what is found does not depend on comments, key order or style, and YAML and the
//! same object as JSON give the same findings. The objects are those of the recordings.

#![allow(clippy::unwrap_used, clippy::panic, clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "a test")]

use claimkit::wire;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

struct Seed {
    release: &'static str,
    operation: &'static str,
    object: Value,
    old: Option<Value>,
}

fn seeds() -> &'static [Seed] {
    static SEEDS: OnceLock<Vec<Seed>> = OnceLock::new();
    SEEDS.get_or_init(|| {
        let mut seeds = Vec::new();
        for (file, release) in [
            ("k8s-1.26.2-1.26.15", "1.26"),
            ("k8s-1.30", "1.30"),
            ("random-k8s-1.26.0-1.26.1", "1.26.1"),
            ("random-k8s-1.27-1.29", "1.28"),
            ("random-k8s-1.30", "1.30"),
        ] {
            let path = format!("{}/tests/vectors/{file}.jsonl", env!("CARGO_MANIFEST_DIR"));
            for line in std::fs::read_to_string(path).unwrap().split('\n').filter(|line| !line.is_empty()) {
                let vector: Value = serde_json::from_str(line).unwrap();
                let operation = match vector["op"].as_str().unwrap() {
                    "create" => "create",
                    "update" => "update",
                    _ => "updateStatus",
                };
                let object = vector["object"].clone();
                // A text of 16 KiB in each of 33 handles makes the test slow and says nothing new.
                // The refusal of an object without kind or version quotes the text as it is written.
                let named = object["kind"] != "" && object["apiVersion"] != "";
                if object.is_object() && named && object.to_string().len() < 6000 {
                    seeds.push(Seed { release, operation, object, old: vector.get("old").cloned() });
                }
            }
        }
        seeds
    })
}

/// A stream of choices.
struct Choices(u64);

impl Choices {
    fn below(&mut self, count: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

/// The same object with its keys in another order.
fn shuffled(value: &Value, choices: &mut Choices) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| shuffled(item, choices)).collect(),
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            for at in (1..entries.len()).rev() {
                entries.swap(at, choices.below(at as u64 + 1) as usize);
            }
            Value::Object(entries.into_iter().map(|(k, v)| (k.clone(), shuffled(v, choices))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Prints YAML in a style of choice: indentation, quotes, flow and block, comments, blank lines.
fn yaml(value: &Value, indent: usize, choices: &mut Choices, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() && choices.below(6) > 0 => {
            let step = 1 + choices.below(4) as usize;
            for (key, value) in map {
                comment(indent, choices, out);
                out.push_str(&" ".repeat(indent));
                out.push_str(&scalar(key, choices));
                out.push(':');
                below(value, indent, step, choices, out);
            }
        }
        Value::Array(items) if !items.is_empty() && choices.below(6) > 0 => {
            for item in items {
                comment(indent, choices, out);
                out.push_str(&" ".repeat(indent));
                out.push('-');
                below(item, indent, 2, choices, out);
            }
        }
        _ => {
            out.push_str(&" ".repeat(indent));
            flow(value, choices, out);
            out.push('\n');
        }
    }
}

fn below(value: &Value, indent: usize, step: usize, choices: &mut Choices, out: &mut String) {
    let empty = value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    if (value.is_object() || value.is_array()) && !empty {
        out.push('\n');
        yaml(value, indent + step, choices, out);
    } else {
        out.push(' ');
        flow(value, choices, out);
        out.push_str(if choices.below(8) == 0 { "  # why not\n" } else { "\n" });
    }
}

fn comment(indent: usize, choices: &mut Choices, out: &mut String) {
    match choices.below(12) {
        0 => out.push_str(&format!("{}# a comment: with - {{odd}} [things] 'in' it\n", " ".repeat(indent))),
        1 => out.push('\n'),
        _ => {}
    }
}

fn flow(value: &Value, choices: &mut Choices, out: &mut String) {
    match value {
        Value::String(text) => out.push_str(&scalar(text, choices)),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                flow(item, choices, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (at, (key, value)) in map.iter().enumerate() {
                out.push_str(if at == 0 { "" } else { ", " });
                out.push_str(&scalar(key, choices));
                out.push_str(": ");
                flow(value, choices, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// A string in a style that keeps it: plain only where it can be nothing else.
fn scalar(text: &str, choices: &mut Choices) -> String {
    let words = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'/' | b'_'))
        && !words.contains(&text.to_ascii_lowercase().as_str());
    let single = text.chars().all(|c| c == ' ' || c.is_alphanumeric() || c.is_ascii_punctuation());
    match choices.below(3) {
        0 if plain => text.to_owned(),
        1 if single => format!("'{}'", text.replace('\'', "''")),
        _ => {
            let mut out = String::from("\"");
            for c in text.chars() {
                match c {
                    '"' => out.push_str("\\\""),
                    '\\' => out.push_str("\\\\"),
                    ' '..='~' => out.push(c),
                    _ if u32::from(c) > 0xffff => out.push_str(&format!("\\U{:08x}", u32::from(c))),
                    _ => out.push_str(&format!("\\u{:04x}", u32::from(c))),
                }
            }
            out.push('"');
            out
        }
    }
}

fn ask(seed: &Seed, text: &str) -> Value {
    let mut request = json!({"verb": "validate", "text": text, "release": seed.release, "operation": seed.operation});
    if let Some(old) = &seed.old {
        request["old"] = Value::String(old.to_string());
    }
    serde_json::from_str(&wire::answer(&request.to_string())).unwrap()
}

/// What was found, without places; what is said about the writing itself left out.
fn found(answer: &Value) -> Vec<String> {
    let findings = answer["findings"].as_array().unwrap_or_else(|| panic!("no findings in {answer}"));
    let mut found: Vec<String> = findings
        .iter()
        .filter(|f| !["yaml-", "json-"].iter().any(|prefix| f["code"].as_str().unwrap().starts_with(prefix)))
        .map(|f| format!("{} {} {} {} {}", f["code"], f["severity"], f["origin"], f["path"], f["message"]))
        .collect();
    found.sort();
    found
}

fn status(answer: &Value) -> Value {
    answer["objects"][0]["status"].clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn findings_do_not_depend_on_the_writing(at in any::<prop::sample::Index>(), random in any::<u64>()) {
        let seed = &seeds()[at.index(seeds().len())];
        let mut choices = Choices(random);
        let as_json = ask(seed, &seed.object.to_string());
        let object = shuffled(&seed.object, &mut choices);
        let mut text = String::new();
        yaml(&object, 0, &mut choices, &mut text);
        // A document in braces would be read as JSON; YAML is what is meant.
        let text = if text.starts_with('{') { format!("# YAML\n{text}") } else { text };
        let as_yaml = ask(seed, &text);
        prop_assert_eq!(found(&as_yaml), found(&as_json), "{}", text);
        prop_assert_eq!(status(&as_yaml), status(&as_json), "{}", text);
        let shuffled_json = ask(seed, &serde_json::to_string_pretty(&object).unwrap());
        prop_assert_eq!(found(&shuffled_json), found(&as_json));
        prop_assert_eq!(status(&shuffled_json), status(&as_json));
    }

    #[test]
    fn every_range_is_a_piece_of_the_text(at in any::<prop::sample::Index>(), random in any::<u64>()) {
        let seed = &seeds()[at.index(seeds().len())];
        let mut choices = Choices(random);
        let mut text = String::new();
        yaml(&shuffled(&seed.object, &mut choices), 0, &mut choices, &mut text);
        let answer = ask(seed, &text);
        for finding in answer["findings"].as_array().unwrap() {
            let Some(range) = finding.get("range") else { continue };
            let (from, to) = (range["start"]["offset"].as_u64().unwrap() as usize, range["end"]["offset"].as_u64().unwrap() as usize);
            prop_assert!(text.get(from..to).is_some(), "{finding} in {text}");
            let line = text[..from].matches('\n').count() as u64;
            prop_assert_eq!(range["start"]["line"].as_u64(), Some(line), "{} in {}", finding, text);
        }
    }
}
