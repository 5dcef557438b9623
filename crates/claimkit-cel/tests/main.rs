//! The Common Expression Language against recorded answers and laws, as one program: it links once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "tests fail loudly, and read their own data"
)]

mod conformance;
mod functions;
mod limits;
mod print;
mod syntax;
mod upstream;

use claimkit_cel::environment::ResultType;
use claimkit_cel::types::Type;
use claimkit_cel::{Environment, EnvironmentGate, EnvironmentMode};
use std::io::Read;

/// Reads the lines of `tests/vectors/NAME.jsonl.gz`.
fn recorded(name: &str) -> Vec<serde_json::Value> {
    let path = format!(
        "{}/tests/vectors/{name}.jsonl.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the environment of a release that asks of a result what selectors of devices do. It has one variable, `text`.
fn environment(minor: u8, gates: &[EnvironmentGate], mode: EnvironmentMode) -> Environment {
    let dynamic = minor >= 36 && gates.contains(&EnvironmentGate::ListTypeAttributes)
        || minor >= 37 && mode == EnvironmentMode::Stored;
    let result_type = match minor {
        30 => ResultType::Bool,
        _ => ResultType::BoolOrUnknown {
            any: minor <= 36 || !dynamic,
            dynamic,
            wrapper: minor >= 37,
        },
    };
    Environment::kubernetes(minor, gates, mode)
        .with_variable("text", Type::String)
        .with_result_type(result_type)
}
