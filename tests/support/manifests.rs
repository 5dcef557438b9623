//! The manifests of `tests/manifests`, with their requests and the expected findings in their comments.

use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Where they lie.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/manifests")
}

/// All of them, in order.
pub fn manifests() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "yaml" || e == "json"))
        .collect();
    found.sort();
    found
}

/// The request of a manifest, from its first line or the file beside it.
pub fn request(path: &Path, text: &str) -> Value {
    let mut request = json!({ "verb": "validate", "text": text });
    let header = fs::read_to_string(path.with_extension("request")).ok();
    let first = header
        .as_deref()
        .unwrap_or(text)
        .lines()
        .next()
        .unwrap_or("");
    let Some(words) = first.strip_prefix("# claimkit: ") else {
        return request;
    };
    for word in words.split_whitespace() {
        let (key, value) = word.split_once('=').expect("key=value");
        match key {
            "old" | "nodes" => {
                request[key] =
                    json!(fs::read_to_string(folder().join("stored").join(value)).expect(value))
            }
            "gates" => {
                for gate in value.split(',') {
                    let (name, on) = gate.split_once(':').expect("name:bool");
                    request["gates"][name] = json!(on.parse::<bool>().unwrap());
                }
            }
            "namespaceLabels" => {
                let (name, label) = value.split_once(':').expect("name:value");
                request["namespaceLabels"] = json!({ name: label });
            }
            "limits" | "replaced" => {
                let (name, number) = value.split_once(':').expect("name:number");
                request[key] = json!({ name: number.parse::<usize>().unwrap() });
            }
            _ => {
                request[key] = value
                    .parse::<bool>()
                    .map_or_else(|_| json!(value), |flag| json!(flag))
            }
        }
    }
    request
}

/// Line and column, zero-based.
pub type Place = (usize, usize);

/// A comment line of carets: columns, lines below and end column of a longer range, the rest.
pub fn marker(line: &str) -> Option<(usize, usize, Option<Place>, &str)> {
    let rest = line.strip_prefix('#')?;
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    let marks = rest[blanks..]
        .chars()
        .take_while(|c| matches!(c, '^' | '|'))
        .count();
    if marks == 0 {
        return None;
    }
    let start = if blanks == 0 { 0 } else { blanks + 1 };
    let mut tail = &rest[blanks + marks..];
    let mut end = blanks + 1 + marks;
    if rest[blanks..].starts_with('|') {
        end = start;
    }
    let mut below = None;
    if let Some(longer) = tail.strip_prefix("->+") {
        let (place, after) = longer.split_once(' ')?;
        let (lines, column) = place.split_once(':')?;
        below = Some((lines.parse().ok()?, column.parse().ok()?));
        tail = after;
    }
    Some((start, end, below, tail.trim()))
}
