//! All tests that use the crate from outside, as one program: it links once. `cargo test --test all NAME::` runs one module.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "tests fail loudly, and read their own data"
)]

mod support;

mod advice_meant;
mod apply;
mod architecture;
mod audit;
mod cel;
mod client;
mod cluster_recorded;
mod cluster_scale;
mod convert;
mod convert_corpus;
mod convert_ladder;
#[path = "convert_laws/main.rs"]
mod convert_laws;
mod convert_migrate;
mod decode_vectors;
mod device_advice;
mod device_assumed;
mod device_server;
mod device_tables;
mod device_vectors;
mod documents;
mod editor_accept;
mod editor_complete;
mod editor_complete_lists;
mod editor_hover;
mod editor_lists;
mod editor_locale;
mod editor_symbols;
mod evaluate_catalogue;
mod evaluate_nodes;
mod evaluate_placement;
mod evaluate_vectors;
mod expression_advice;
mod files_together;
mod in_turn;
mod laws;
mod messages;
mod mixed_recorded;
mod own_words;
mod patch;
mod patch_answers;
mod patch_laws;
mod place;
mod pod_claims;
mod pods_of_kinds;
mod policy;
mod query;
mod read_findings;
mod read_hostile;
mod read_properties;
mod read_stream;
mod releases;
mod sources;
mod texts;
mod truth;
mod upgrade;
mod validate_manifests;
mod validate_properties;
mod validate_vectors;
mod validating_policies;
mod volumes;
mod what_if;
mod wire_allocate;
mod wire_cel;

// The fuzzer has these at its root, too.
use convert_laws::{objects, style, tape};

/// A test file that is not a module would never run.
#[test]
fn every_file_of_this_folder_is_a_module() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    let listed = include_str!("main.rs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|module| *module != "main") else {
            continue;
        };
        assert!(
            listed.lines().any(|line| line == format!("mod {module};")),
            "tests/{name} is not listed in tests/main.rs"
        );
    }
}
