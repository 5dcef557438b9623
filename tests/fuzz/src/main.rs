//! Checks the laws of claimkit on texts from libFuzzer. `CLAIMKIT_FUZZ` names the target; `CLAIMKIT_SEEDS` names a folder
//! that gets the target's seeds, made from the project's own tests, in place of a run.
//!
//! The laws are those of the property tests, and in the same files where both can use them.
#![no_main]

mod answers;
mod batch;
mod cel;
mod convert;
mod decode;
mod files;
mod patch;
mod peer;
mod read;
mod seeds;
mod settings;
mod validate;

#[path = "../../support/fixes.rs"]
mod fixes;
#[path = "../../policy/fixtures.rs"]
#[allow(dead_code, reason = "seeds need the payloads only")]
mod fixtures;
#[path = "../../convert_laws/laws.rs"]
mod laws;
#[path = "../../convert_laws/objects.rs"]
mod objects;
#[path = "../../../crates/claimkit-cel/tests/print.rs"]
#[allow(dead_code, reason = "the tests go through the nodes, too")]
mod print;
#[path = "../../../crates/claimkit-yaml/tests/reading.rs"]
mod reading;
#[path = "../../support/spans.rs"]
mod spans;
#[path = "../../convert_laws/style.rs"]
mod style;
#[path = "../../support/styles.rs"]
#[allow(dead_code, reason = "one status is too few here")]
mod styles;
#[path = "../../convert_laws/tape.rs"]
mod tape;

use answers::ask;
use libfuzzer_sys::{Corpus, fuzz_target};
use std::path::Path;
use std::sync::OnceLock;

/// The targets with their names.
struct Target {
    name: &'static str,
    run: fn(&[u8]) -> Corpus,
    seeds: fn(&Path) -> Vec<Vec<u8>>,
}

const TARGETS: &[Target] = &[
    Target {
        name: "read",
        run: read::run,
        seeds: seeds::read,
    },
    Target {
        name: "decode",
        run: decode::run,
        seeds: seeds::decode,
    },
    Target {
        name: "validate",
        run: validate::run,
        seeds: seeds::validate,
    },
    Target {
        name: "convert",
        run: convert::run,
        seeds: seeds::convert,
    },
    Target {
        name: "settings",
        run: settings::run,
        seeds: seeds::settings,
    },
    Target {
        name: "batch",
        run: batch::run,
        seeds: seeds::batch,
    },
    Target {
        name: "cel",
        run: cel::run,
        seeds: seeds::cel,
    },
    Target {
        name: "patch",
        run: patch::run,
        seeds: seeds::patch,
    },
    Target {
        name: "files",
        run: files::run,
        seeds: seeds::files,
    },
];

static TARGET: OnceLock<&'static Target> = OnceLock::new();

fn choose() {
    let name = std::env::var("CLAIMKIT_FUZZ").unwrap_or_default();
    let found = TARGETS.iter().find(|target| target.name == name);
    let target = found.unwrap_or_else(|| {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        panic!("CLAIMKIT_FUZZ must be one of {}", names.join(", "))
    });
    if let Some(folder) = std::env::var_os("CLAIMKIT_SEEDS") {
        let folder = Path::new(&folder);
        std::fs::create_dir_all(folder).unwrap();
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let seeds = (target.seeds)(tests);
        for (at, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(format!("made-{at:04}")), seed).unwrap();
        }
        println!("{}: {} seeds from the tests", target.name, seeds.len());
        std::process::exit(0);
    }
    let _ = TARGET.set(target);
}

fuzz_target!(
    init: choose(),
    |data: &[u8]| -> Corpus {
        match TARGET.get() {
            Some(target) => (target.run)(data),
            None => Corpus::Reject,
        }
    }
);
