//! What several tests share.

pub mod fixes;
pub mod manifests;
pub mod patches;
pub mod placing;
#[path = "../../crates/claimkit-yaml/tests/reading.rs"]
#[allow(dead_code, reason = "the crate's own tests hold to the laws")]
pub mod reading;
pub mod spans;
pub mod styles;
#[path = "../../crates/claimkit-yaml/tests/texts.rs"]
pub mod texts;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the answer to a request.
pub fn ask(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
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

/// Builds the program, which is in another package, as the tests were built; returns its path.
pub fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let built = PROGRAM.get_or_init(|| {
        // This program is `target/PROFILE/deps/all-HASH`.
        let test = std::env::current_exe().unwrap();
        let profile = test.ancestors().nth(2).unwrap();
        let name = match profile.file_name().and_then(|name| name.to_str()).unwrap() {
            "debug" => "dev",
            name => name,
        };
        let done = Command::new(env!("CARGO"))
            .args([
                "build",
                "--quiet",
                "--package",
                "claimkit-cli",
                "--profile",
                name,
            ])
            .arg("--target-dir")
            .arg(profile.parent().unwrap())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(done.success());
        profile.join(format!("claimkit{}", std::env::consts::EXE_SUFFIX))
    });
    built.clone()
}
