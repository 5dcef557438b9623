//! Reads recorded answers.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;

/// The lines of `tests/vectors/cel/NAME.jsonl.gz`.
pub fn recorded(name: &str) -> Vec<Value> {
    read(&format!("cel/{name}"))
}

/// The lines of `tests/vectors/patches.jsonl.gz`.
pub fn patches() -> Vec<Value> {
    read("patches")
}

fn read(name: &str) -> Vec<Value> {
    let path = format!(
        "{}/tests/vectors/{name}.jsonl.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut text = String::new();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
