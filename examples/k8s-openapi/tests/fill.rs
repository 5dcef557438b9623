//! The serde bridge against types that many embedders have: every valid recorded object of 1.26 and 1.30 fills
//! k8s-openapi's type, from JSON and from YAML, with what serde_json itself fills it with.

use claimkit::manifest::Input;
use claimkit_k8s_openapi::{v1alpha1, v1alpha2};
use claimkit_model::limits::Limits;
use claimkit_model::text::de;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

fn recorded(profile: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vectors");
    ["k8s-", "random-k8s-"]
        .iter()
        .flat_map(|prefix| {
            let text =
                std::fs::read_to_string(folder.join(format!("{prefix}{profile}.jsonl"))).unwrap();
            text.split('\n')
                .filter(|line| !line.is_empty())
                .map(|line| serde_json::from_str(line).unwrap())
                .collect::<Vec<Value>>()
        })
        .filter(|case: &Value| {
            case["errors"].as_array().is_some_and(Vec::is_empty)
                && ["decode_error", "strict_error", "api_errors"]
                    .iter()
                    .all(|name| case.get(name).is_none())
        })
        .map(|case| case["object"].clone())
        .collect()
}

/// Fills the type from a text of one object.
fn fill<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let input = Input::read(text, None, &Limits::default());
    let [item] = input.items.as_slice() else {
        return Err(format!("{} objects", input.items.len()));
    };
    let tree = input.tree(item).ok_or("no tree")?;
    de::deserialize(tree, item.node).map_err(|error| error.to_string())
}

fn compare<T: DeserializeOwned + PartialEq + Debug>(object: &Value) {
    let direct = serde_json::from_value::<T>(object.clone()).map_err(|error| error.to_string());
    let json = object.to_string();
    // A comment first makes kubectl, and so claimkit, read the rest as YAML.
    for text in [json.clone(), format!("# yaml\n{json}")] {
        match (&direct, fill::<T>(&text)) {
            (Ok(direct), Ok(filled)) => assert_eq!(*direct, filled, "{text}"),
            (Err(_), Err(_)) => {}
            (direct, filled) => panic!("{direct:?}\n{filled:?}\n{text}"),
        }
    }
}

/// A kind, and what compares an object of it.
type Compared<'a> = (&'a str, fn(&Value));

fn all(profile: &str, by_kind: &[Compared<'_>]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for object in recorded(profile) {
        let kind = object["kind"].as_str().unwrap();
        let (name, compare) = by_kind
            .iter()
            .find(|(name, _)| *name == kind)
            .unwrap_or_else(|| panic!("no type for {kind}"));
        compare(&object);
        *counts.entry(name).or_default() += 1;
    }
    println!("{profile}: {counts:?}");
    assert_eq!(
        counts.len(),
        by_kind.len(),
        "a kind has no valid object: {counts:?}"
    );
}

#[test]
fn types_of_1_26() {
    all(
        "1.26.2-1.26.15",
        &[
            ("ResourceClaim", compare::<v1alpha1::ResourceClaim>),
            ("ResourceClass", compare::<v1alpha1::ResourceClass>),
            (
                "ResourceClaimTemplate",
                compare::<v1alpha1::ResourceClaimTemplate>,
            ),
            ("PodScheduling", compare::<v1alpha1::PodScheduling>),
        ],
    );
}

#[test]
fn types_of_1_30() {
    all(
        "1.30",
        &[
            ("ResourceClaim", compare::<v1alpha2::ResourceClaim>),
            ("ResourceClass", compare::<v1alpha2::ResourceClass>),
            (
                "ResourceClaimTemplate",
                compare::<v1alpha2::ResourceClaimTemplate>,
            ),
            (
                "PodSchedulingContext",
                compare::<v1alpha2::PodSchedulingContext>,
            ),
            (
                "ResourceClaimParameters",
                compare::<v1alpha2::ResourceClaimParameters>,
            ),
            (
                "ResourceClassParameters",
                compare::<v1alpha2::ResourceClassParameters>,
            ),
            ("ResourceSlice", compare::<v1alpha2::ResourceSlice>),
        ],
    );
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let text = "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: gpu}\ndriverName: 7\n";
    let input = Input::read(text, None, &Limits::default());
    let item = &input.items[0];
    let error = de::deserialize::<v1alpha2::ResourceClass>(input.tree(item).unwrap(), item.node)
        .unwrap_err();
    let span = error.span.unwrap();
    assert_eq!(&text[span.from()..span.to()], "7");
}
