//! An object in other notations, and the findings that do not depend on the notation.

use serde_json::{Map, Value};

/// A stream of choices.
pub struct Choices(pub u64);

impl Choices {
    /// A number below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % count
    }
}

/// The same object with its keys in another order.
pub fn shuffled(value: &Value, choices: &mut Choices) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| shuffled(item, choices)).collect(),
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            for at in (1..entries.len()).rev() {
                entries.swap(at, choices.below(at as u64 + 1) as usize);
            }
            Value::Object(
                entries
                    .into_iter()
                    .map(|(k, v)| (k.clone(), shuffled(v, choices)))
                    .collect::<Map<_, _>>(),
            )
        }
        other => other.clone(),
    }
}

/// Prints YAML in a style of choice: indentation, quotes, flow and block, comments, blank lines.
pub fn yaml(value: &Value, indent: usize, choices: &mut Choices, out: &mut String) {
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
    let empty =
        value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    if (value.is_object() || value.is_array()) && !empty {
        out.push('\n');
        yaml(value, indent + step, choices, out);
    } else {
        out.push(' ');
        flow(value, choices, out);
        out.push_str(if choices.below(8) == 0 {
            "  # why not\n"
        } else {
            "\n"
        });
    }
}

fn comment(indent: usize, choices: &mut Choices, out: &mut String) {
    match choices.below(12) {
        0 => out.push_str(&format!(
            "{}# a comment: with - {{odd}} [things] 'in' it\n",
            " ".repeat(indent)
        )),
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

/// A string in a style that preserves it; plain only if YAML reads it as a string.
fn scalar(text: &str, choices: &mut Choices) -> String {
    let words = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'/' | b'_'))
        && !words.contains(&text.to_ascii_lowercase().as_str());
    let single = text
        .chars()
        .all(|c| c == ' ' || c.is_alphanumeric() || c.is_ascii_punctuation());
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

/// How the codes begin that are about the notation: of one and the same value, some ways to write it are warned of.
const OF_NOTATION: [&str; 3] = ["yaml-", "json-", "selector-comment"];

/// The findings without positions and without those about the notation.
pub fn found(answer: &Value) -> Vec<String> {
    let findings = answer["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("no findings in {answer}"));
    let mut found: Vec<String> = findings
        .iter()
        .filter(|f| {
            !OF_NOTATION
                .iter()
                .any(|prefix| f["code"].as_str().unwrap().starts_with(prefix))
        })
        .map(|f| {
            format!(
                "{} {} {} {} {}",
                f["code"], f["severity"], f["origin"], f["path"], f["message"]
            )
        })
        .collect();
    found.sort();
    found
}

/// What the server answers to the first object.
pub fn status(answer: &Value) -> Value {
    answer["objects"][0]["status"].clone()
}
