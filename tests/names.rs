//! A public type's name occurs once, so that a search for it finds one type. Types of Kubernetes' API, which the macros `views!` and
//! `object!` declare, have Kubernetes' names in each place.

use crate::support::sources;
use std::collections::BTreeMap;
use std::path::Path;

/// Names that each crate has by Rust's conventions.
const IN_EACH_CRATE: &[&str] = &["Error", "ErrorKind"];

/// Returns the name of the public type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(inside) => inside.split_once(')')?.1,
        None => rest,
    };
    let (keyword, rest) = rest.strip_prefix(' ')?.split_once(' ')?;
    if !["struct", "enum", "trait", "type", "union"].contains(&keyword) {
        return None;
    }
    rest.split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .filter(|name| !name.is_empty())
}

/// Returns the names of the enums that the macro `named!` declares in a text.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split("\nnamed! {").skip(1).filter_map(|block| {
        let line = block
            .lines()
            .find(|line| line.ends_with(" {") && !line.trim_start().starts_with('/'))?;
        Some(line.trim().trim_end_matches(" {"))
    })
}

#[test]
fn a_public_type_name_occurs_once() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in [
        "src",
        "crates/claimkit-cel/src",
        "crates/claimkit-values/src",
        "crates/claimkit-yaml/src",
    ] {
        sources(&root.join(folder), &mut files);
    }
    files.sort();
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
        for name in text.lines().filter_map(declared).chain(named(text)) {
            let place = path.strip_prefix(root).unwrap().display().to_string();
            places.entry(name.to_owned()).or_default().push(place);
        }
    }
    assert!(places.len() > 700, "{} types", places.len());
    let twice: Vec<_> = places
        .iter()
        .filter(|(name, places)| places.len() > 1 && !IN_EACH_CRATE.contains(&name.as_str()))
        .collect();
    assert!(
        twice.is_empty(),
        "names of several public types: {twice:#?}"
    );
}
