//! Files outside the tables agree with the tables about releases, and every release has recorded answers.

use claimkit::api::Release;
use claimkit::api::release::LAST_PATCHES;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The minor releases of the device family.
fn later() -> Vec<u8> {
    LAST_PATCHES.iter().map(|last| last.minor).filter(|minor| *minor >= 31).collect()
}

#[test]
fn the_declarations_name_every_release() {
    let types = read("src/entry/types.d.ts");
    let line =
        types.lines().find_map(|line| line.strip_prefix("export type Release = ")).expect("types.d.ts has the type Release");
    let mut expected: Vec<String> = LAST_PATCHES.iter().map(|last| format!("\"1.{}\"", last.minor)).collect();
    expected.push("`1.${number}.${number}`;".to_owned());
    assert_eq!(line, expected.join(" | "), "src/entry/types.d.ts");
}

#[test]
fn what_people_read_first_names_the_newest_release() {
    let newest = Release::latest().minor;
    for file in ["README.md", "pkg/README.md", "src/lib.rs"] {
        assert!(read(file).contains(&format!(" to 1.{newest})")), "{file} does not say up to 1.{newest}");
    }
}

#[test]
fn every_release_has_recorded_answers() {
    let compared: Vec<u8> =
        crate::device_vectors::RELEASES.iter().map(|release| Release::parse(release).unwrap().minor).collect();
    assert_eq!(compared, later(), "tests/device_vectors.rs: answers of kube-apiserver");
    for (folder, prefix) in [("alloc", "1."), ("cel", "dra-1.")] {
        let mut recorded: Vec<u8> = std::fs::read_dir(root().join("tests/vectors").join(folder))
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_prefix(prefix)?.split('.').next()?.parse().ok())
            .collect();
        recorded.sort_unstable();
        assert_eq!(recorded, later(), "tests/vectors/{folder}");
    }
}

#[test]
fn every_release_has_its_types() {
    let minors: Vec<u8> = crate::device_tables::history()
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["minor"].as_str()?.strip_prefix("1.")?.parse().ok())
        .collect();
    let missing: Vec<u8> = later().into_iter().filter(|minor| !minors.contains(minor)).collect();
    assert!(missing.is_empty(), "tests/vectors/later/api-history.json.gz has no 1.{missing:?}");
}
