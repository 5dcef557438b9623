//! Laws of patches: an empty patch changes nothing, a repeated apply changes nothing, applies without overlap commute, and a
//! forced apply takes fields from their managers. JSON patch and merge patch agree with other readers of the RFCs.

use crate::support::patches;
use claimkit::patch::PatchRefusal;
use claimkit::patch::apply::Writer;
use claimkit::patch::managers::Manager;
use claimkit_model::schema::Release;
use claimkit_model::schema::classic::v1alpha2;
use claimkit_values::GoUnicode;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Map, Value, json};

/// A writer of the whole object that does not force.
fn writer(manager: &str, release: Release) -> Writer<'_> {
    Writer {
        manager,
        api_version: "resource.k8s.io/v1alpha2",
        schema: &v1alpha2::RESOURCE_CLAIM,
        release,
        status: false,
        has_status: true,
        status_owns_no_metadata: false,
        time: None,
        force: false,
    }
}

fn forcing(manager: &str, release: Release) -> Writer<'_> {
    Writer {
        force: true,
        ..writer(manager, release)
    }
}

fn run(live: &Value, config: &Value, writer: &Writer<'_>) -> Result<Value, PatchRefusal> {
    patches::apply(live, config, writer, GoUnicode::V15)
}

fn head() -> Value {
    json!({"apiVersion": "resource.k8s.io/v1alpha2", "kind": "ResourceClaim", "metadata": {"name": "c"}})
}

fn live() -> Value {
    json!({"kind": "ResourceClaim", "apiVersion": "resource.k8s.io/v1alpha2", "metadata": {"name": "c", "creationTimestamp": null},
        "spec": {"resourceClassName": "gpu"}, "status": {}})
}

/// Keys as a bit set, values 0 or 1 for each.
fn strings(prefix: &str, keys: u8, values: u8) -> Map<String, Value> {
    let bits = (0..4).filter(|bit| keys >> bit & 1 == 1);
    bits.map(|bit| {
        (
            format!("{prefix}{bit}"),
            json!(format!("v{}", values >> bit & 1)),
        )
    })
    .collect()
}

/// A configuration with fields whose names begin with `prefix`.
fn config(prefix: &str, choice: [u8; 6]) -> Value {
    let mut config = head();
    let [labels, values, annotations, finalizers, owners, spec] = choice;
    let metadata = config["metadata"].as_object_mut().unwrap();
    if labels & 15 != 0 {
        metadata.insert(
            "labels".into(),
            Value::Object(strings(prefix, labels, values)),
        );
    }
    if annotations & 15 != 0 {
        metadata.insert(
            "annotations".into(),
            Value::Object(strings(prefix, annotations, values >> 4)),
        );
    }
    if finalizers & 15 != 0 {
        let names: Vec<Value> = strings(prefix, finalizers, 0)
            .keys()
            .map(|key| json!(format!("example.com/{key}")))
            .collect();
        metadata.insert("finalizers".into(), Value::Array(names));
    }
    if owners & 15 != 0 {
        let list: Vec<Value> = strings(prefix, owners, values)
            .into_iter()
            .map(|(uid, name)| json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid}))
            .collect();
        metadata.insert("ownerReferences".into(), Value::Array(list));
    }
    if spec & 3 == 3 {
        config["spec"] =
            json!({"parametersRef": {"kind": prefix, "name": format!("n{}", values & 1)}});
    }
    config
}

/// Without managers, lists in an order that does not depend on who came first.
fn plain(object: &Value) -> Value {
    let mut object = object.clone();
    let metadata = object["metadata"].as_object_mut().unwrap();
    metadata.remove("managedFields");
    metadata.retain(|_, value| !value.is_null());
    for list in ["finalizers", "ownerReferences"] {
        if let Some(Value::Array(items)) = metadata.get_mut(list) {
            items.sort_by_key(Value::to_string);
        }
    }
    sorted(&object)
}

/// Keys in one order: a map has none.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map
                .iter()
                .map(|(key, value)| (key.clone(), sorted(value)))
                .collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(entries.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        value => value.clone(),
    }
}

fn owned<'m>(all: &'m [Manager], name: &str) -> Option<&'m Manager> {
    all.iter().find(|manager| manager.name == name)
}

fn releases() -> impl Strategy<Value = Release> {
    prop_oneof![
        Just(Release::new(27, 0)),
        Just(Release::new(28, 0)),
        Just(Release::new(29, 0)),
        Just(Release::new(30, 0))
    ]
}

/// Small JSON documents.
fn document(nulls: bool) -> impl Strategy<Value = Value> {
    let last = if nulls { Value::Null } else { json!([]) };
    let leaf = prop_oneof![
        Just(json!(1)),
        Just(json!("a")),
        Just(json!(true)),
        Just(last)
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map("[ab/~]", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn pointer() -> impl Strategy<Value = String> {
    let tokens = ["a", "b", "0", "1", "-", "~0", "~1"].map(|token| Just(format!("/{token}")));
    prop::collection::vec(
        prop::sample::select(tokens.map(|just| just.0).to_vec()),
        1..4,
    )
    .prop_map(|tokens| tokens.concat())
}

fn operation() -> impl Strategy<Value = Value> {
    (
        prop::sample::select(vec!["add", "remove", "replace", "move", "test"]),
        pointer(),
        pointer(),
        document(false),
    )
        .prop_map(
            |(op, path, from, value)| json!({"op": op, "path": path, "from": from, "value": value}),
        )
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, rng_seed: RngSeed::Fixed(20), ..ProptestConfig::default() })]

    #[test]
    fn an_empty_patch_changes_nothing(choice: [u8; 6], release in releases()) {
        let mut object = live();
        object["metadata"].as_object_mut().unwrap().extend(config("a", choice)["metadata"].as_object().unwrap().clone());
        prop_assert_eq!(&patches::json(&object, &json!([])).unwrap().0, &object);
        prop_assert_eq!(&patches::merge(&object, &json!({})).unwrap(), &object);
        prop_assert_eq!(&patches::strategic(&object, &json!({}), &v1alpha2::RESOURCE_CLAIM, release).unwrap(), &object);
        let applied = run(&object, &head(), &writer("m", release)).unwrap();
        prop_assert_eq!(plain(&applied), plain(&object));
    }

    #[test]
    fn applying_twice_is_applying_once(first: [u8; 6], second: [u8; 6], release in releases()) {
        let writer = forcing("m", release);
        let before = run(&live(), &config("a", first), &writer).unwrap();
        let once = run(&before, &config("a", second), &writer).unwrap();
        let twice = run(&once, &config("a", second), &writer).unwrap();
        prop_assert_eq!(&once, &twice);
        // Fields that are no longer applied are removed, applied fields exist.
        let want = run(&live(), &config("a", second), &writer).unwrap();
        prop_assert_eq!(plain(&once), plain(&want));
    }

    #[test]
    fn applies_without_overlap_commute(mut one: [u8; 6], mut two: [u8; 6], release in releases()) {
        one[5] = 0;
        two[5] = 0;
        let (a, b) = (writer("a", release), writer("b", release));
        let (one, two) = (config("a", one), config("b", two));
        let ab = run(&run(&live(), &one, &a).unwrap(), &two, &b).unwrap();
        let ba = run(&run(&live(), &two, &b).unwrap(), &one, &a).unwrap();
        prop_assert_eq!(plain(&ab), plain(&ba));
        prop_assert_eq!(patches::managers(&ab).unwrap(), patches::managers(&ba).unwrap());
        // Each manager removes its own fields and keeps those of the other.
        let only_b = run(&ab, &head(), &a).unwrap();
        prop_assert_eq!(plain(&only_b), plain(&run(&live(), &two, &b).unwrap()));
    }

    #[test]
    fn a_forced_apply_takes_over(one: [u8; 6], two: [u8; 6], release in releases()) {
        let (one, two) = (config("a", one), config("a", two));
        let (first, second) = (writer("first", release), writer("second", release));
        let before = run(&live(), &one, &first).unwrap();
        let forced = run(&before, &two, &Writer { force: true, ..second }).unwrap();
        let all = patches::managers(&forced).unwrap();
        match run(&before, &two, &second) {
            Ok(same) => prop_assert_eq!(&same, &forced),
            Err(PatchRefusal::Conflicts(conflicts)) => {
                prop_assert!(!conflicts.is_empty());
                let was = patches::managers(&before).unwrap();
                for conflict in conflicts {
                    prop_assert!(["\"first\"", "\"before-first-apply\" using resource.k8s.io/v1alpha2"].contains(&conflict.manager.as_str()));
                    let has = |manager: Option<&Manager>| {
                        manager.is_some_and(|manager| manager.set.paths().iter().any(|path| claimkit::patch::fields::path_text(path) == conflict.path))
                    };
                    let loser = conflict.manager.split('"').nth(1).unwrap();
                    prop_assert!(has(owned(&was, loser)), "{} had {}", loser, conflict.path);
                    prop_assert!(!has(owned(&all, loser)), "{} keeps {}", loser, conflict.path);
                    prop_assert!(has(owned(&all, "second")), "{} is not taken", conflict.path);
                }
            }
            Err(other) => panic!("{other:?}"),
        }
        // The fields of the second apply exist, whoever owned them.
        let again = run(&forced, &two, &second);
        prop_assert_eq!(again, Ok(forced));
    }

    #[test]
    fn sets_of_fields_are_read_as_they_are_written(choice: [u8; 6], release in releases()) {
        let applied = run(&live(), &config("a", choice), &forcing("m", release)).unwrap();
        let all = patches::managers(&applied).unwrap();
        prop_assert_eq!(patches::with_managers(&applied, &all), applied);
    }

    /// A reader that follows the RFC agrees, where the server's library does not depart from it.
    #[test]
    fn json_patches_agree_with_another_reader(document in document(false), operations in prop::collection::vec(operation(), 1..4)) {
        let patch = Value::Array(operations);
        // The server's library allows `replace` of a missing value.
        let replaces = patch.to_string().contains("\"replace\"");
        let ours = patches::json(&document, &patch).ok().map(|(value, _)| sorted(&value));
        let mut theirs = document.clone();
        let read: ::json_patch::Patch = serde_json::from_value(patch.clone()).unwrap();
        let theirs = ::json_patch::patch(&mut theirs, &read).ok().map(|()| sorted(&theirs));
        prop_assert!(ours == theirs || (replaces && theirs.is_none()), "{}\n{}\n{:?}\n{:?}", document, patch, ours, theirs);
    }

    #[test]
    fn merge_patches_agree_with_another_reader(document in document(true), patch in document(true)) {
        // Nulls inside objects of lists are removed too.
        let patch = json!({ "a": patch });
        prop_assume!(!(patch.to_string().contains('[') && has_null(&patch)));
        let mut theirs = document.clone();
        ::json_patch::merge(&mut theirs, &patch);
        prop_assert_eq!(sorted(&patches::merge(&document, &patch).unwrap()), sorted(&theirs));
    }
}

/// Other writes own the fields that they change, once an apply has happened.
#[test]
fn other_writes_own_what_they_change() {
    let release = Release::new(30, 0);
    let applied = run(
        &live(),
        &config("a", [1, 0, 0, 1, 0, 0]),
        &writer("applier", release),
    )
    .unwrap();
    let mut new = applied.clone();
    new["metadata"]["labels"]["a0"] = json!("changed");
    new["metadata"]["labels"]["x"] = json!("y");
    new["metadata"]
        .as_object_mut()
        .unwrap()
        .shift_remove("finalizers");
    let written = patches::update(&applied, &new, &writer("editor", release)).unwrap();
    let fields = |name: &str| {
        owned(&patches::managers(&written).unwrap(), name).map(|manager| {
            manager
                .set
                .paths()
                .iter()
                .map(|path| claimkit::patch::fields::path_text(path))
                .collect::<Vec<_>>()
        })
    };
    assert_eq!(
        fields("editor").unwrap(),
        [".metadata.labels.a0", ".metadata.labels.x"]
    );
    assert_eq!(fields("applier"), None);
    // Before the first apply no manager is tracked.
    let written = patches::update(&live(), &live(), &writer("editor", release)).unwrap();
    assert_eq!(written.pointer("/metadata/managedFields"), None);
}
