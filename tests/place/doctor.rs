//! Findings over slices and taint rules: one case for every code.

use super::lines::{all, facts, gate, release, text};
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::behaviour::allocator;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::doctor::findings;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use serde_json::{Value, json};

fn codes(facts: &Facts, minor: u8, patch: u8) -> Vec<(&'static str, String)> {
    let features = features_of(minor, |name| gate(minor, name));
    let behaviour = allocator(minor, patch, &features).unwrap();
    let engine = CelSelectors::new(Release::last_of(minor), false);
    let cluster = Cluster::new(facts, behaviour, &features, &engine);
    findings(&cluster, PluginRules::of(minor, patch))
        .into_iter()
        .map(|found| (found.finding.code.name(), found.finding.message.into()))
        .collect()
}

fn slice(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    for (key, value) in [
        ("driver", json!("d")),
        (
            "pool",
            json!({"name": "p", "generation": 1, "resourceSliceCount": 1}),
        ),
        ("nodeName", json!("n")),
    ] {
        if spec.get(key).is_none() {
            spec[key] = value;
        }
    }
    json!({"kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec})
}

fn case(objects: &[Value]) -> Facts {
    let mut facts = Facts::default();
    facts
        .add(&json!({"kind": "Node", "metadata": {"name": "n"}}))
        .unwrap();
    for object in objects {
        assert!(facts.add(object).unwrap());
    }
    facts
}

fn pool(generation: i64, count: i64) -> Value {
    json!({"name": "p", "generation": generation, "resourceSliceCount": count})
}

#[test]
fn every_code() {
    let device = |more: Value| {
        let mut device = json!({"name": "x"});
        device
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!([device])
    };
    let many: Vec<Value> = (0..129)
        .map(|at| json!({"name": format!("x{at}")}))
        .collect();
    let bad = json!({"nodeSelectorTerms": [{"matchExpressions": [{"key": "z", "operator": "Gt", "values": ["x"]}]}]});
    let two = json!({"nodeSelectorTerms": [{"matchExpressions": [{"key": "z", "operator": "Exists"}]}, {"matchExpressions": [{"key": "y", "operator": "Exists"}]}]});
    let sets = json!([{"name": "s", "counters": {"m": {"value": "1"}}}]);
    let consumes = |set: &str, counter: &str| json!([{"counterSet": set, "counters": {counter: {"value": "1"}}}]);
    let used = json!({"kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ns"}, "spec": {}, "status": {"allocation": {"devices": {"results": [{"request": "r", "driver": "d", "pool": "p", "device": "x"}]}}}});
    let cases: Vec<(&str, Vec<Value>)> = vec![
        (
            "slice-stale",
            vec![
                slice("a", json!({"pool": pool(1, 1)})),
                slice("b", json!({"pool": pool(2, 1)})),
            ],
        ),
        (
            "slice-counts-disagree",
            vec![
                slice("a", json!({"pool": pool(1, 2)})),
                slice("b", json!({"pool": pool(1, 3)})),
            ],
        ),
        (
            "pool-incomplete",
            vec![slice("a", json!({"pool": pool(1, 2)}))],
        ),
        (
            "pool-count-too-low",
            vec![slice("a", json!({})), slice("b", json!({}))],
        ),
        (
            "device-twice",
            vec![
                slice(
                    "a",
                    json!({"pool": pool(1, 2), "devices": device(json!({}))}),
                ),
                slice(
                    "b",
                    json!({"pool": pool(1, 2), "devices": device(json!({}))}),
                ),
            ],
        ),
        (
            "device-on-two-nodes",
            vec![
                slice(
                    "a",
                    json!({"pool": pool(1, 2), "devices": device(json!({}))}),
                ),
                slice(
                    "b",
                    json!({"nodeName": "m", "pool": pool(1, 2), "devices": device(json!({}))}),
                ),
            ],
        ),
        (
            "counter-set-twice",
            vec![
                slice("a", json!({"pool": pool(1, 2), "sharedCounters": sets})),
                slice("b", json!({"pool": pool(1, 2), "sharedCounters": sets})),
            ],
        ),
        (
            "devices-beside-counters",
            vec![slice(
                "a",
                json!({"sharedCounters": sets, "devices": device(json!({}))}),
            )],
        ),
        (
            "counter-dangling",
            vec![slice(
                "a",
                json!({"devices": device(json!({"consumesCounters": consumes("s", "m")}))}),
            )],
        ),
        (
            "counter-overdrawn",
            vec![
                slice(
                    "a",
                    json!({"pool": pool(1, 2), "sharedCounters": [{"name": "s", "counters": {"m": {"value": "0"}}}]}),
                ),
                slice(
                    "b",
                    json!({"pool": pool(1, 2), "devices": device(json!({"consumesCounters": consumes("s", "m")}))}),
                ),
                used.clone(),
            ],
        ),
        (
            "counter-exhausted",
            vec![
                slice("a", json!({"pool": pool(1, 2), "sharedCounters": sets})),
                slice(
                    "b",
                    json!({"pool": pool(1, 2), "devices": device(json!({"consumesCounters": consumes("s", "m")}))}),
                ),
                used,
            ],
        ),
        (
            "pool-name-shared",
            vec![
                slice("a", json!({"sharedCounters": sets})),
                slice("b", json!({"driver": "e", "sharedCounters": sets})),
            ],
        ),
        (
            "node-selector-unparsable",
            vec![slice("a", json!({"nodeName": "", "nodeSelector": bad}))],
        ),
        (
            "slice-without-node",
            vec![slice(
                "a",
                json!({"nodeName": "", "devices": device(json!({}))}),
            )],
        ),
        (
            "slice-too-large",
            vec![slice("a", json!({"devices": many}))],
        ),
        (
            "node-selector-terms-several",
            vec![slice(
                "a",
                json!({"nodeName": "", "perDeviceNodeSelection": true, "devices": device(json!({"nodeSelector": two}))}),
            )],
        ),
        (
            "share-takes-all",
            vec![slice(
                "a",
                json!({"devices": device(json!({"allowMultipleAllocations": true, "capacity": {"m": {"value": "1Gi"}}}))}),
            )],
        ),
        (
            "list-attribute",
            vec![slice(
                "a",
                json!({"devices": device(json!({"attributes": {"l": {"ints": [1]}}}))}),
            )],
        ),
        (
            "attribute-on-some",
            vec![slice(
                "a",
                json!({"devices": [{"name": "x", "attributes": {"l": {"int": 1}}}, {"name": "y"}]}),
            )],
        ),
        (
            "taint-rule-selects-all",
            vec![
                json!({"kind": "DeviceTaintRule", "metadata": {"name": "oops"}, "spec": {"deviceSelector": {}, "taint": {"key": "k", "effect": "NoExecute"}}}),
            ],
        ),
        (
            "taint-rule-selects-all",
            vec![
                json!({"kind": "DeviceTaintRule", "metadata": {"name": "oops"}, "spec": {"taint": {"key": "k", "effect": "NoSchedule"}}}),
            ],
        ),
    ];
    for (code, objects) in cases {
        let found = codes(&case(&objects), 36, 3);
        assert!(
            found.iter().any(|(found, _)| *found == code),
            "{code}: {found:?}"
        );
    }
    // In a slice that a driver has published nobody can change it.
    let mut published = slice(
        "a",
        json!({"devices": device(json!({"allowMultipleAllocations": true, "capacity": {"m": {"value": "1Gi"}}}))}),
    );
    published["metadata"]["uid"] = json!("5c2f2b9e-0a0d-4c5c-8d9c-6f1f0f5b7a10");
    assert_eq!(codes(&case(&[published]), 36, 3), []);
    let bound = case(&[slice(
        "a",
        json!({"devices": [{"name": "x", "bindingConditions": ["ready"]}]}),
    )]);
    assert_eq!(codes(&bound, 35, 6)[0].0, "binding-conditions-off");
    assert_eq!(codes(&bound, 36, 3), []);
}

/// A healthy pool has no findings, whatever the release.
#[test]
fn nothing_to_say() {
    let healthy = case(&[slice(
        "a",
        json!({"devices": [{"name": "x"}, {"name": "y"}]}),
    )]);
    for (minor, patch) in [(31, 14), (32, 13), (33, 13), (34, 9), (35, 6), (36, 3)] {
        assert_eq!(codes(&healthy, minor, patch), [], "1.{minor}");
    }
}

#[test]
fn scenarios() {
    for (name, code) in [
        ("08-incomplete-pool", "pool-incomplete"),
        ("11-two-term-selector", "node-selector-terms-several"),
        ("12-taint-rule-matches-everything", "taint-rule-selects-all"),
    ] {
        let line = all("plugin-1.36.3")
            .find(|line| text(line, "id") == format!("scenario/{name}"))
            .unwrap();
        let (minor, patch) = release(&line);
        let found = codes(&facts(&line), minor, patch);
        assert!(
            found.iter().any(|(found, _)| *found == code),
            "{name}: {found:?}"
        );
    }
}

/// What makes upstream's pools invalid or incomplete is always found.
#[test]
fn invalid_pools_are_found() {
    let mut bad = 0;
    for line in all("1.36.3")
        .filter(|line| {
            line.to_string().contains("\"invalid\":true")
                && !text(line, "id").starts_with("upstream/")
        })
        .take(60)
    {
        let found = codes(&facts(&line), 36, 3);
        let faults = ["device-twice", "counter-set-twice", "counter-dangling"];
        assert!(
            found.iter().any(|(code, _)| faults.contains(code)),
            "{}: {found:?}",
            line["id"]
        );
        bad += 1;
    }
    assert!(bad > 10, "{bad}");
}
