//! Files outside the tables agree with the tables about releases, and every release has recorded answers.

use claimkit::requests;
use claimkit_model::schema::Release;
use claimkit_model::schema::release::LAST_PATCHES;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The minor releases of the device family that are final.
fn later() -> Vec<u8> {
    Release::finals()
        .map(|last| last.minor)
        .filter(|minor| *minor >= 31)
        .collect()
}

#[test]
fn the_declarations_name_every_release() {
    let types = read("src/bindings/types.d.ts");
    let (_, rest) = types
        .split_once("export type Release =")
        .expect("types.d.ts has the type Release");
    let (union, _) = rest.split_once(';').unwrap();
    let found: Vec<&str> = union
        .split('|')
        .map(str::trim)
        .filter(|member| !member.is_empty())
        .collect();
    let mut expected: Vec<String> = LAST_PATCHES
        .iter()
        .map(|last| format!("\"1.{}\"", last.minor))
        .collect();
    expected.push("`1.${number}.${number}`".to_owned());
    expected.push("`1.${number}.${number}-${string}`".to_owned());
    assert_eq!(found, expected, "src/bindings/types.d.ts");
}

#[test]
fn what_people_read_first_names_the_newest_release() {
    let newest = Release::latest().minor;
    for file in ["README.md", "pkg/README.md", "src/lib.rs"] {
        assert!(
            read(file).contains(&format!(" to 1.{newest})")),
            "{file} does not say up to 1.{newest}"
        );
    }
}

#[test]
fn every_release_has_recorded_answers() {
    let compared: Vec<u8> = crate::device_vectors::RELEASES
        .iter()
        .map(|release| Release::parse(release).unwrap().minor)
        .collect();
    let known = LAST_PATCHES.iter().map(|last| last.minor);
    let known: Vec<u8> = known.filter(|minor| *minor >= 31).collect();
    assert_eq!(
        compared, known,
        "tests/device_vectors.rs: answers of kube-apiserver"
    );
    for (folder, prefix) in [("alloc", "1."), ("cel", "dra-1.")] {
        let mut recorded: Vec<u8> = std::fs::read_dir(root().join("tests/vectors").join(folder))
            .unwrap()
            .filter_map(|entry| {
                entry
                    .unwrap()
                    .file_name()
                    .to_str()?
                    .strip_prefix(prefix)?
                    .split('.')
                    .next()?
                    .parse()
                    .ok()
            })
            .collect();
        recorded.sort_unstable();
        assert_eq!(recorded, known, "tests/vectors/{folder}");
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
    let missing: Vec<u8> = later()
        .into_iter()
        .filter(|minor| !minors.contains(minor))
        .collect();
    assert!(
        missing.is_empty(),
        "tests/vectors/later/api-history.json.gz has no 1.{missing:?}"
    );
}

fn answer(request: &Value) -> Value {
    serde_json::from_str(&requests::answer(&request.to_string())).unwrap()
}

/// Each verb that takes a release says whose rules answered for a patch that was never recorded, and only then.
#[test]
fn answers_name_the_patch_whose_rules_answer() {
    let class = r#"{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "x"}, "spec": {}}"#;
    for (verb, fields) in [
        ("validate", json!({"text": class})),
        ("parse", json!({"text": class})),
        ("fixes", json!({"text": class})),
        ("evaluate", json!({"text": class, "nodes": "{}"})),
        ("allocate", json!({"text": class})),
        ("cel", json!({"expression": "true"})),
        ("jsonSchema", json!({"kind": "DeviceClass"})),
    ] {
        let ask = |release: &str| {
            let mut request = fields.clone();
            (request["verb"], request["release"]) = (json!(verb), json!(release));
            answer(&request)
        };
        let never = ask("1.34.1");
        assert_eq!(
            never["rulesOf"],
            json!({"asked": "1.34.1", "release": "1.34.0", "adjusted": false}),
            "{verb} {never}"
        );
        assert_eq!(never["error"], Value::Null, "{verb}");
        for recorded in ["1.34.2", "1.34.13", "1.34"] {
            assert_eq!(ask(recorded)["rulesOf"], Value::Null, "{verb} {recorded}");
        }
    }
    let unknown = answer(&json!({"verb": "validate", "text": class, "release": "1.34.14"}));
    assert_eq!(
        unknown["error"],
        "Kubernetes 1.34.14 is not known: the last patch known here is 1.34.13"
    );
}

/// Every patch from 1.32.2 on is answered, the rules for it are recorded ones, and the list of releases has it in one group.
#[test]
fn every_patch_is_answered_and_listed() {
    let list = answer(&json!({"verb": "releases"}));
    for last in LAST_PATCHES.iter().filter(|last| last.minor >= 32) {
        let entry = list["releases"]
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["release"] == format!("1.{}", last.minor));
        let groups = entry.unwrap()["patches"].as_array().unwrap();
        for patch in 0..=last.patch {
            let release = match patch {
                patch if patch == last.patch => *last,
                patch => Release::new(last.minor, patch),
            };
            let number = |value: &Value| Release::parse(value.as_str().unwrap()).unwrap();
            let of: Vec<&Value> = groups
                .iter()
                .filter(|group| {
                    number(&group["first"]) <= release && release <= number(&group["last"])
                })
                .collect();
            assert_eq!(of.len(), 1, "{release}");
            let recorded = groups
                .iter()
                .flat_map(|group| group["recorded"].as_array().unwrap());
            let recorded: Vec<String> = recorded
                .map(|one| one.as_str().unwrap().to_owned())
                .collect();
            let cel = answer(
                &json!({"verb": "cel", "expression": "true", "release": release.to_string()}),
            );
            match cel.get("rulesOf") {
                Some(rules) => assert!(
                    recorded.contains(&rules["release"].as_str().unwrap().to_owned()),
                    "{cel}"
                ),
                None => assert!(
                    recorded.contains(&release.to_string()),
                    "{release} was not recorded, and nothing says so"
                ),
            }
        }
    }
}

/// A pod with a shared claim and one of its own, on two nodes.
const MIXED: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: left}
---
apiVersion: v1
kind: Node
metadata: {name: right}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: any}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: everywhere}
spec:
  driver: dev.example.com
  allNodes: true
  pool: {name: all, generation: 1, resourceSliceCount: 1}
  devices: [{name: shared}, {name: own}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: default, uid: u1}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: any}}]}}
status: {allocation: {devices: {results: [{request: r, driver: dev.example.com, pool: all, device: shared}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: own, namespace: default, uid: u2}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: any}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: both, namespace: default}
spec:
  containers: [{name: c, image: x, resources: {claims: [{name: shared}, {name: own}]}}]
  resourceClaims: [{name: shared, resourceClaimName: shared}, {name: own, resourceClaimName: own}]
"#;

/// kubernetes/kubernetes#139016: the score of nodes fails where a claim is allocated already and another is not.
#[test]
fn scores_fail_in_the_patches_that_look_allocations_up_by_index() {
    let error = "running Score plugins: plugin \"DynamicResources\" failed with: number of allocations 1 is smaller than number of claims";
    let nodes = |release: &str, names: Option<&[&str]>| {
        let found = answer(
            &json!({"verb": "allocate", "release": release, "text": MIXED, "nodeNames": names}),
        );
        let nodes = found["pods"][0]["nodes"].as_array().unwrap().iter();
        nodes
            .map(|node| {
                (
                    node["verdict"].clone(),
                    node["message"].clone(),
                    node["fatal"].clone(),
                )
            })
            .collect::<Vec<_>>()
    };
    for release in ["1.35.0", "1.35.5", "1.36.0", "1.36.1"] {
        assert_eq!(
            nodes(release, None),
            vec![(json!("error"), json!(error), json!(true)); 2],
            "{release}"
        );
        // The score of a single node is not asked for.
        assert_eq!(
            nodes(release, Some(&["left"])),
            [(json!("allocated"), Value::Null, json!(false))],
            "{release}"
        );
    }
    for release in ["1.34.13", "1.35.6", "1.35.10", "1.36.2", "1.36.6", "1.37.2"] {
        assert_eq!(
            nodes(release, None),
            vec![(json!("allocated"), Value::Null, json!(false)); 2],
            "{release}"
        );
    }
}
