//! What several tests share.

pub mod fixes;
pub mod manifests;
pub mod patches;
pub mod placing;
pub mod plain;
#[path = "../../crates/claimkit-yaml/tests/reading.rs"]
#[allow(dead_code, reason = "the crate's own tests hold to the laws")]
pub mod reading;
pub mod spans;
pub mod styles;
#[path = "../../crates/claimkit-yaml/tests/texts.rs"]
pub mod texts;

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Returns the answer to a request.
pub fn ask(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

/// Returns the lines of a packed recording in `tests/vectors`, each of which is JSON.
pub fn recorded_lines(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name);
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

/// Collects the Rust sources in a folder and in the folders below, without files of unit tests.
pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs")
            && path.file_stem().is_some_and(|name| name != "tests")
        {
            found.push(path);
        }
    }
}
