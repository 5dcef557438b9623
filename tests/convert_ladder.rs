//! Conversion between v1alpha3, v1beta1, v1beta2 and v1. The reference is upstream's own conversion: the stored objects of a
//! server, in each version that it serves.

use crate::device_vectors::RELEASES;
use claimkit::convert::{Conversion, ConvertOptions, ConvertTarget, convert, find_version};
use claimkit_model::finding::Code;
use claimkit_model::schema::device::{v1, v1alpha3, v1beta1, v1beta2};
use claimkit_model::schema::{Release, Version};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::io::Read;

fn version(name: &str) -> &'static Version {
    let all = [
        &v1alpha3::VERSION,
        &v1beta1::VERSION,
        &v1beta2::VERSION,
        &v1::VERSION,
    ];
    all.into_iter()
        .find(|version| version.name == name)
        .unwrap()
}

/// Every object a server of a release stored, in each of its versions.
fn stored(release: &str) -> Vec<(String, Map<String, Value>)> {
    let path = format!(
        "{}/tests/vectors/later/{release}.jsonl.gz",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    // The recordings have this value in place of times from the server's clock.
    let text = text.replace("(NOW)", "2026-01-02T03:04:05Z");
    let cases = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    cases
        .filter_map(|case| {
            let written = case["stored"].as_object()?.clone();
            let mut objects = Map::new();
            for (name, object) in &written {
                let object = match object.as_str().map(|same| same.trim_start_matches('=')) {
                    None => object.clone(),
                    Some(same) => {
                        let mut object = written[same].clone();
                        object["apiVersion"] = json!(format!("resource.k8s.io/{name}"));
                        object
                    }
                };
                objects.insert(name.clone(), object);
            }
            Some((case["id"].as_str().unwrap().to_owned(), objects))
        })
        .collect()
}

/// Upstream writes an empty class name into a flat request without a class; a text may leave it out. `1.0` is `1` in YAML.
fn plain(value: &mut Value) {
    match value {
        Value::Number(number)
            if number
                .as_f64()
                .is_some_and(|n| n.fract() == 0.0 && n.abs() < 1e15) =>
        {
            *value = json!(number.as_f64().unwrap() as i64);
        }
        Value::Object(map) => {
            if map.contains_key("name") && map.get("deviceClassName") == Some(&json!("")) {
                map.remove("deviceClassName");
            }
            map.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

fn run<'t>(text: &'t str, to: &str) -> Conversion<'t> {
    convert(text, version(to), &ConvertOptions::default())
}

fn said(conversion: &Conversion<'_>) -> String {
    conversion
        .findings
        .iter()
        .map(|finding| format!("{}: {}\n", finding.code.name(), finding.message))
        .collect()
}

fn printed(conversion: &Conversion<'_>) -> bool {
    conversion
        .findings
        .iter()
        .any(|finding| finding.code == Code::ConversionPrinted)
}

/// The layout of a YAML text.
#[derive(Clone, Copy)]
struct Layout {
    /// Blanks per level.
    unit: usize,
    /// Blanks before the dash of an item.
    dash: usize,
}

const LAYOUTS: [Layout; 3] = [
    Layout { unit: 2, dash: 0 },
    Layout { unit: 2, dash: 2 },
    Layout { unit: 4, dash: 2 },
];

/// A mapping as lines of YAML in block style.
fn lines(map: &Map<String, Value>, indent: usize, layout: Layout, out: &mut Vec<String>) {
    let pad = " ".repeat(indent);
    for (key, value) in map {
        let word = ["", "y", "n", "on", "no", "off", "yes"].contains(&key.as_str());
        let key = if !word && key.chars().all(|c| c.is_ascii_alphanumeric()) {
            key.clone()
        } else {
            json!(key).to_string()
        };
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                out.push(format!("{pad}{key}:"));
                lines(inner, indent + layout.unit, layout, out);
            }
            Value::Array(items) if !items.is_empty() => {
                out.push(format!("{pad}{key}:"));
                for item in items {
                    let dash = format!("{}- ", " ".repeat(indent + layout.dash));
                    match item {
                        Value::Object(inner) if !inner.is_empty() => {
                            let from = out.len();
                            lines(inner, dash.len(), layout, out);
                            let first = out[from].split_off(dash.len());
                            out[from] = format!("{dash}{first}");
                        }
                        other => out.push(format!("{dash}{other}")),
                    }
                }
            }
            other => out.push(format!("{pad}{key}: {other}")),
        }
    }
}

fn yaml(value: &Value, layout: Layout, comments: bool) -> String {
    let mut out = Vec::new();
    lines(value.as_object().unwrap(), 0, layout, &mut out);
    let mut text = String::new();
    for (number, line) in out.iter().enumerate() {
        if comments {
            let pad = &line[..line.len() - line.trim_start().len()];
            writeln!(text, "{pad}# above {number}\n{line} # behind {number}").unwrap();
        } else {
            writeln!(text, "{line}").unwrap();
        }
    }
    text
}

/// Every stored object, from every version to every other: as JSON, as YAML in several layouts, and with comments on every line.
/// A comment that has no place in the result is named.
#[test]
fn what_a_conversion_leaves_out_is_said() {
    let slice = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nmetadata: {name: s}\nspec:\n  driver: a.com\n  nodeName: w0\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n  devices:\n  - name: d # kept\n    basic: # gone\n      {attributes: {x: {int: 1}}} # kept, too\n";
    let done = convert(slice, &v1::VERSION, &ConvertOptions::default());
    assert!(done.text.is_some(), "{}", said(&done));
    let lost: Vec<&str> = done
        .findings
        .iter()
        .filter(|finding| finding.code == Code::ConversionLoss)
        .map(|finding| finding.span.unwrap().slice_of(slice).unwrap())
        .collect();
    assert_eq!(lost, ["# gone"]);
    let braces = slice.replace("# gone\n      {", "{ # gone\n      ");
    let braces = braces.replace("}}} # kept", "}}\n    } # kept");
    let refused = convert(&braces, &v1::VERSION, &ConvertOptions::default());
    assert!(
        said(&refused).contains("a comment is inside the brackets of a field to change"),
        "{}",
        said(&refused)
    );
}

/// An attribute without a value is refused: what loses its only field goes.
#[test]
fn an_attribute_goes_with_its_only_field() {
    let slice = |attributes: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: s}}\nspec:\n  driver: a.com\n  nodeName: w0\n  pool: {{name: p, generation: 1, resourceSliceCount: 1}}\n  devices:\n  - name: d\n    attributes: {attributes}\n"
        )
    };
    let to = ConvertTarget::Release(34);
    let options = ConvertOptions::default().lossy(true);
    for (before, after) in [
        ("{numa: {ints: [0, 1]}, i: {int: 1}}", "{i: {int: 1}}"),
        ("{i: {int: 1}, numa: {ints: [0, 1]}}", "{i: {int: 1}}"),
        ("{numa: {ints: [0, 1], int: 1}}", "{numa: {int: 1}}"),
        ("{numa: {ints: [0, 1]}}", "{}"),
        (
            "\n      numa:\n        ints: [0, 1]\n      i: {int: 1} # kept",
            "\n      i: {int: 1} # kept",
        ),
    ] {
        let text = slice(before);
        let done = convert(&text, to, &options);
        assert_eq!(done.text, Some(slice(after)), "{before}: {}", said(&done));
    }
    let text = slice("{numa: {ints: [0, 1]}}");
    let done = convert(&text, to, &options);
    let loss = &done.outcomes[0].losses[0];
    assert_eq!(loss.path, "spec.devices[0].attributes[numa].ints");
    assert_eq!(
        loss.reason.to_string(),
        "the field came in Kubernetes 1.36; the attribute goes with it, for it has no other value"
    );
}

#[test]
fn stored_objects_convert_as_upstream_converts_them() {
    let (mut pairs, mut back, mut wrong) = (0, 0, Vec::new());
    let step = if cfg!(debug_assertions) && std::env::var_os("CLAIMKIT_ALL").is_none() {
        31
    } else {
        1
    };
    for release in RELEASES {
        for (id, objects) in stored(release).into_iter().step_by(step) {
            for (from, object) in &objects {
                for (to, want) in objects.iter().filter(|(to, _)| *to != from) {
                    pairs += 1;
                    let mut want = want.clone();
                    plain(&mut want);
                    let mut texts = vec![
                        object.to_string(),
                        serde_json::to_string_pretty(object).unwrap(),
                    ];
                    for layout in LAYOUTS {
                        texts.extend([yaml(object, layout, false), yaml(object, layout, true)]);
                    }
                    for text in texts {
                        let mut fail = |what: &str, new: &str| {
                            wrong.push(format!("{id} {from} {to}: {what}\n{text}\n{new}"))
                        };
                        let there = run(&text, to);
                        // 1.37 removed the field, and a text is read by the newest release that serves its version.
                        if text.contains("nodeAllocatableResourceMappings") {
                            if there.text.is_some()
                                || there
                                    .findings
                                    .iter()
                                    .all(|finding| finding.code != Code::ConversionLoss)
                            {
                                fail("a removed field is not named", &said(&there));
                            }
                            continue;
                        }
                        let Some(new) = &there.text else {
                            fail("refused", &said(&there));
                            continue;
                        };
                        if printed(&there) {
                            fail("printed", new);
                        }
                        let mut have = value(new);
                        plain(&mut have);
                        if have != want {
                            fail("another value", &format!("{new}\nhave {have}\nwant {want}"));
                        }
                        let again = run(new, from);
                        match &again.text {
                            Some(old) if *old == text => back += 1,
                            Some(old) if comes_back_plainer(object) => {
                                let mut old = value(old);
                                let mut object = object.clone();
                                plain(&mut old);
                                plain(&mut object);
                                if old != object {
                                    fail("another value comes back", new);
                                }
                            }
                            old => fail(
                                "another text comes back",
                                &format!("{new}\n{}", old.as_deref().unwrap_or("refused")),
                            ),
                        }
                    }
                }
            }
        }
    }
    println!("{pairs} pairs of versions, {back} texts that came back byte for byte");
    let shown: Vec<&String> = wrong.iter().step_by(wrong.len() / 6 + 1).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        shown
            .iter()
            .map(|text| format!("{text}\n----\n"))
            .collect::<String>()
    );
    assert!(pairs > 300);
}

/// True if a request cannot come back byte for byte: it has an empty class name, which the versions with `exactly` cannot say,
/// or, in an object that is not valid, alternatives in the midst of the fields of `exactly`.
fn comes_back_plainer(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            let has = |name: &str| map.contains_key(name);
            has("name") && map.get("deviceClassName") == Some(&json!(""))
                || has("firstAvailable") && has("deviceClassName")
                || map.values().any(comes_back_plainer)
        }
        Value::Array(items) => items.iter().any(comes_back_plainer),
        _ => false,
    }
}

/// The value of a text of one document.
fn value(text: &str) -> Value {
    let file = claimkit_model::text::read(text, &claimkit_model::limits::Limits::default());
    let document = file.documents.first().unwrap();
    let mut out = String::new();
    let order = claimkit_model::text::print::Order::Source;
    assert!(claimkit_model::text::print::json(
        &document.tree,
        document.root.unwrap(),
        order,
        usize::MAX,
        &mut out
    ));
    serde_json::from_str(&out).unwrap()
}

/// One object with one field that the target version does not have; `at` is its path in the loss.
struct Planted {
    from: &'static str,
    to: &'static str,
    kind: &'static str,
    body: Value,
    at: &'static str,
}

fn planted() -> Vec<Planted> {
    let one = |from, to, kind, body, at| Planted {
        from,
        to,
        kind,
        body,
        at,
    };
    let exactly = |field: Value| json!({"spec": {"devices": {"requests": [{"name": "r", "exactly": field}]}}});
    let device = |field: Value| json!({"spec": {"devices": [field], "driver": "d", "pool": {"name": "p", "generation": 1, "resourceSliceCount": 1}}});
    let result = |field: Value| json!({"spec": {}, "status": {"allocation": {"devices": {"results": [field]}}}});
    let (claim, slice, class, rule) = (
        "ResourceClaim",
        "ResourceSlice",
        "DeviceClass",
        "DeviceTaintRule",
    );
    vec![
        // Fields that are newer than the last release with v1alpha3.
        one(
            "v1",
            "v1alpha3",
            claim,
            exactly(json!({"deviceClassName": "c", "capacity": {"requests": {"memory": "1Gi"}}})),
            "spec.devices.requests[0].exactly.capacity",
        ),
        one(
            "v1beta1",
            "v1alpha3",
            claim,
            json!({"spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "c", "capacity": {"requests": {"a": "1"}}}]}}}),
            "spec.devices.requests[0].capacity",
        ),
        one(
            "v1",
            "v1alpha3",
            claim,
            json!({"spec": {"devices": {"constraints": [{"requests": ["r"], "distinctAttribute": "a/b"}]}}}),
            "spec.devices.constraints[0].distinctAttribute",
        ),
        one(
            "v1",
            "v1alpha3",
            "ResourceClaimTemplate",
            json!({"spec": {"spec": {"devices": {"constraints": [{"requests": ["r"], "distinctAttribute": "a/b"}]}}}}),
            "spec.spec.devices.constraints[0].distinctAttribute",
        ),
        one(
            "v1",
            "v1alpha3",
            claim,
            result(
                json!({"request": "r", "driver": "d", "pool": "p", "device": "x", "shareID": "8ddc3f5e-0b3d-4d3c-8f0e-5b1c6a7d8e9f"}),
            ),
            "status.allocation.devices.results[0].shareID",
        ),
        one(
            "v1",
            "v1alpha3",
            claim,
            result(
                json!({"request": "r", "driver": "d", "pool": "p", "device": "x", "consumedCapacity": {"m": "1"}}),
            ),
            "status.allocation.devices.results[0].consumedCapacity",
        ),
        one(
            "v1",
            "v1alpha3",
            claim,
            json!({"spec": {}, "status": {"allocation": {"devices": {}, "allocationTimestamp": "2026-01-02T03:04:05Z"}}}),
            "status.allocation.allocationTimestamp",
        ),
        one(
            "v1",
            "v1alpha3",
            class,
            json!({"spec": {"config": [], "extendedResourceName": "a.b/c"}}),
            "spec.extendedResourceName",
        ),
        one(
            "v1",
            "v1alpha3",
            slice,
            device(json!({"name": "x", "bindsToNode": true})),
            "spec.devices[0].bindsToNode",
        ),
        one(
            "v1",
            "v1alpha3",
            slice,
            device(json!({"name": "x", "bindingConditions": ["a"]})),
            "spec.devices[0].bindingConditions",
        ),
        one(
            "v1",
            "v1alpha3",
            slice,
            device(json!({"name": "x", "bindingFailureConditions": ["a"]})),
            "spec.devices[0].bindingFailureConditions",
        ),
        one(
            "v1",
            "v1alpha3",
            slice,
            device(json!({"name": "x", "allowMultipleAllocations": true})),
            "spec.devices[0].allowMultipleAllocations",
        ),
        one(
            "v1",
            "v1alpha3",
            slice,
            device(json!({"name": "x", "attributes": {"a": {"ints": [1]}}})),
            "spec.devices[0].attributes[a].ints",
        ),
        one(
            "v1",
            "v1alpha3",
            slice,
            device(
                json!({"name": "x", "nodeAllocatableResourceMappings": {"cpu": {"allocationMultiplier": "1"}}}),
            ),
            "spec.devices[0].nodeAllocatableResourceMappings",
        ),
        one(
            "v1",
            "v1alpha3",
            slice,
            device(
                json!({"name": "x", "capacity": {"m": {"value": "1", "requestPolicy": {"default": "1"}}}}),
            ),
            "spec.devices[0].capacity[m].requestPolicy",
        ),
        one(
            "v1beta1",
            "v1alpha3",
            slice,
            device(
                json!({"name": "x", "basic": {"capacity": {"m": {"requestPolicy": {"default": "1"}, "value": "1"}}}}),
            ),
            "spec.devices[0].basic.capacity[m].requestPolicy",
        ),
        // Fields that left.
        one(
            "v1alpha3",
            "v1beta1",
            claim,
            json!({"spec": {"controller": "c", "devices": {}}}),
            "spec.controller",
        ),
        one(
            "v1alpha3",
            "v1",
            class,
            json!({"spec": {"selectors": [], "suitableNodes": {"nodeSelectorTerms": []}}}),
            "spec.suitableNodes",
        ),
        one(
            "v1alpha3",
            "v1",
            claim,
            json!({"spec": {}, "status": {"deallocationRequested": true}}),
            "status.deallocationRequested",
        ),
        one(
            "v1alpha3",
            "v1beta2",
            claim,
            json!({"spec": {}, "status": {"allocation": {"controller": "c"}}}),
            "status.allocation.controller",
        ),
        one(
            "v1alpha3",
            "v1beta2",
            rule,
            json!({"spec": {"deviceSelector": {"driver": "d", "deviceClassName": "c"}, "taint": {"key": "k", "effect": "NoExecute"}}}),
            "spec.deviceSelector.deviceClassName",
        ),
        one(
            "v1alpha3",
            "v1beta2",
            rule,
            json!({"spec": {"deviceSelector": {"driver": "d", "selectors": []}, "taint": {"key": "k", "effect": "NoExecute"}}}),
            "spec.deviceSelector.selectors",
        ),
    ]
}

/// Each loss is found and named with its value and a reason. Nothing is converted unless losses are allowed, and then only the
/// lost fields are missing.
#[test]
fn every_loss_is_named() {
    for Planted {
        from,
        to,
        kind,
        body,
        at,
    } in planted()
    {
        let mut object = json!({"apiVersion": format!("resource.k8s.io/{from}"), "kind": kind, "metadata": {"name": "n"}});
        object
            .as_object_mut()
            .unwrap()
            .extend(body.as_object().unwrap().clone());
        for text in [
            yaml(&object, LAYOUTS[1], true),
            serde_json::to_string_pretty(&object).unwrap(),
            object.to_string(),
        ] {
            let refused = run(&text, to);
            assert_eq!(refused.text, None, "{text}");
            let losses = &refused.outcomes[0].losses;
            assert_eq!(
                losses
                    .iter()
                    .map(|loss| loss.path.as_str())
                    .collect::<Vec<_>>(),
                [at],
                "{text}"
            );
            assert!(!losses[0].reason.is_empty());
            let lost: Value = serde_json::from_str(&losses[0].value).unwrap();
            assert_ne!(lost, Value::Null, "{text}");
            let span = losses[0].span;
            let name = at.rsplit('.').next().unwrap();
            assert!(
                text[span.from()..span.to()]
                    .trim_start_matches('"')
                    .starts_with(name),
                "{at}"
            );
            let options = ConvertOptions::default().lossy(true);
            let allowed = convert(&text, version(to), &options);
            let new = allowed
                .text
                .as_deref()
                .unwrap_or_else(|| panic!("{text}\n{}", said(&allowed)));
            assert!(!printed(&allowed), "{text}\n{}", said(&allowed));
            // An empty `basic` is always written.
            let gone = if name == "basic" { "attributes" } else { name };
            assert!(!new.contains(gone), "{at} is still there:\n{new}");
            assert!(run(new, to).outcomes[0].losses.is_empty());
        }
    }
}

/// The result is judged by the rules of the target release: 1.35 and later refuse counters beside devices, 1.33 does not.
#[test]
fn the_result_is_judged_in_its_release() {
    let text = "apiVersion: resource.k8s.io/v1alpha3\nkind: ResourceSlice\nmetadata: {name: one}\nspec:\n  driver: d.example.com\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n  nodeName: n1\n  sharedCounters:\n  - name: c\n    counters: {m: {value: 1Gi}}\n  devices:\n  - name: a\n    basic: {}\n";
    let done = run(text, "v1");
    assert!(done.text.is_some(), "{}", said(&done));
    let lost: Vec<_> = done
        .findings
        .iter()
        .filter(|finding| finding.code == Code::ValidityLost)
        .collect();
    assert_eq!(lost.len(), 1, "{}", said(&done));
    assert!(lost[0].message.contains("does not accept") && lost[0].span.is_some());
    assert!(
        run(
            &text.replace(
                "  sharedCounters:\n  - name: c\n    counters: {m: {value: 1Gi}}\n",
                ""
            ),
            "v1"
        )
        .findings
        .is_empty()
    );
}

/// A claim of v1 with one request, whose fields beside its class are given.
fn claim_of_v1(fields: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: one}}\nspec:\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: c\n{fields}"
    )
}

const SORTED: &str = "        selectors: [{cel: {expression: '[3,1].sort() == [1,3]'}}]\n";

/// An object that has the newest version of the release already is judged by the release, too.
#[test]
fn what_has_the_version_already_is_judged() {
    let derived = "        derivedAttributes: [{name: a.b/c, expression: device.driver}]\n";
    let text = claim_of_v1(derived);
    let to = ConvertTarget::Release(36);
    let refused = convert(&text, to, &ConvertOptions::default());
    assert_eq!(refused.text, None);
    assert_eq!(
        said(&refused),
        "conversion-loss: `spec.devices.requests[0].exactly.derivedAttributes` is lost in Kubernetes 1.36.6: the field came in Kubernetes 1.37\n"
    );
    let lossy = convert(&text, to, &ConvertOptions::default().lossy(true));
    assert_eq!(lossy.text, Some(claim_of_v1("")), "{}", said(&lossy));
    assert!(lossy.outcomes[0].changed);

    let text = claim_of_v1(SORTED);
    let done = convert(
        &text,
        ConvertTarget::Release(34),
        &ConvertOptions::default(),
    );
    assert_eq!(done.text.as_deref(), Some(text.as_str()));
    assert!(!done.outcomes[0].changed && done.outcomes[0].skipped.is_some());
    assert!(
        said(&done).starts_with("validity-lost: Kubernetes 1.34.13 does not accept the object: "),
        "{}",
        said(&done)
    );
    let newest = convert(
        &text,
        ConvertTarget::Release(37),
        &ConvertOptions::default(),
    );
    assert_eq!(said(&newest), "");
}

/// A text that no server accepts is not given: an unknown field where nothing is converted, and a request of both kinds.
#[test]
fn what_no_version_accepts_is_refused() {
    let unknown = claim_of_v1("        cuont: 2\n");
    let refused = convert(
        &unknown,
        ConvertTarget::Release(37),
        &ConvertOptions::default(),
    );
    assert_eq!(refused.text, None);
    assert!(
        said(&refused)
            .starts_with("unknown-field: unknown field \"spec.devices.requests[0].exactly.cuont\""),
        "{}",
        said(&refused)
    );
    for (version, request) in [
        ("v1", "exactly: {deviceClassName: c}"),
        ("v1beta1", "exactly: {deviceClassName: c}"),
        ("v1beta2", "deviceClassName: c"),
        ("v1beta1", "deviceClassName: c"),
    ] {
        let text = format!(
            "apiVersion: resource.k8s.io/{version}\nkind: ResourceClaim\nmetadata: {{name: one}}\nspec:\n  devices:\n    requests:\n    - name: r\n      {request}\n      firstAvailable: [{{name: a, deviceClassName: c}}]\n"
        );
        let refused = convert(
            &text,
            ConvertTarget::Release(37),
            &ConvertOptions::default(),
        );
        assert_eq!(refused.text, None, "{text}");
        assert!(
            said(&refused).contains("and `firstAvailable`: a request has one of them"),
            "{}",
            said(&refused)
        );
    }
}

/// A field that the target release knows is no error, also where the newest release with the version does not know it any more.
#[test]
fn what_the_release_knows_is_no_error() {
    let rule = "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {deviceSelector: {deviceClassName: c}, taint: {key: k, effect: NoExecute}}\n";
    let done = convert(rule, ConvertTarget::Release(34), &ConvertOptions::default());
    assert_eq!(
        (done.text.as_deref(), said(&done).as_str()),
        (Some(rule), "")
    );
    let unknown = rule.replace("deviceClassName", "deviceClasName");
    let refused = convert(
        &unknown,
        ConvertTarget::Release(34),
        &ConvertOptions::default(),
    );
    assert_eq!(
        (refused.text.as_deref(), said(&refused).as_str()),
        (
            None,
            "unknown-field: unknown field \"spec.deviceSelector.deviceClasName\"\n"
        )
    );
}

/// The release that judges a result has the kind in that version: claims of v1alpha3 ended with 1.33.
#[test]
fn the_result_is_judged_by_a_release_with_its_kind() {
    let text = claim_of_v1(SORTED);
    let done = run(&text, "v1alpha3");
    assert!(
        said(&done).starts_with(
            "validity-lost: Kubernetes 1.33.13 does not accept the converted object: "
        ),
        "{}",
        said(&done)
    );
}

/// A release that serves the version and not the kind in it, and rules that only the new release has.
#[test]
fn what_the_release_does_not_take_is_said() {
    let text = "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {deviceSelector: {driver: d}, taint: {key: k, effect: NoExecute}}\n";
    let options = ConvertOptions::default().release(Release::last_of(36));
    let done = convert(text, find_version("resource.k8s.io/v1").unwrap(), &options);
    assert_eq!(
        said(&done),
        "validity-lost: Kubernetes 1.36.6 does not serve `DeviceTaintRule` of v1\n"
    );
    let negative = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {devices: {requests: [{name: g, deviceClassName: c, capacity: {requests: {m: -1}}}]}}\n";
    let done = convert(
        negative,
        ConvertTarget::Release(38),
        &ConvertOptions::default().release(Release::last_of(37)),
    );
    assert_eq!(
        said(&done),
        "validity-lost: Kubernetes 1.38.0-beta.0 does not accept the converted object: spec.devices.requests[0].exactly.capacity.requests[m]: Invalid value: \"-1\": must be greater than or equal to 0\n"
    );
}

/// A text of ASCII after the first fix that its findings have.
fn with_first_fix(text: &str) -> String {
    let request = json!({"verb": "validate", "release": "1.33", "text": text}).to_string();
    let answer: Value = serde_json::from_str(&claimkit::requests::answer(&request)).unwrap();
    let mut edits = answer["findings"][0]["fixes"][0]["edits"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"))
        .clone();
    edits.sort_by_key(|edit| edit["range"]["start"]["offset"].as_u64());
    let mut fixed = text.to_owned();
    for edit in edits.iter().rev() {
        let at = |end: &str| edit["range"][end]["offset"].as_u64().unwrap() as usize;
        fixed.replace_range(at("start")..at("end"), edit["newText"].as_str().unwrap());
    }
    fixed
}

/// A field of the newer shape in an object of the older one is told once, with the way that loses nothing.
#[test]
fn what_a_fix_keeps_is_not_to_be_lost() {
    let slice = |device: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nmetadata: {{name: s}}\nspec:\n  nodeName: node-a\n  driver: a.com\n  pool: {{name: p, generation: 1, resourceSliceCount: 1}}\n  devices:\n  - name: d0\n{device}  - name: d1\n    basic: {{attributes: {{x: {{int: 1}}}}}}\n"
        )
    };
    let mixed = slice("    attributes: {x: {int: 1}}\n");
    let done = run(&mixed, "v1");
    assert_eq!(
        (done.text.as_deref(), said(&done).as_str()),
        (
            None,
            "unknown-field: unknown field \"spec.devices[0].attributes\"\n"
        )
    );
    let help = done.findings[0].help.as_ref().unwrap().to_string();
    assert!(
        help.ends_with(": run `claimkit validate --fix` before the conversion to keep it"),
        "{help}"
    );
    let fixed = with_first_fix(&mixed);
    let done = run(&fixed, "v1");
    assert_eq!(said(&done), "");
    let text = done.text.unwrap();
    assert_eq!(
        text.matches("attributes: {x: {int: 1}}").count(),
        2,
        "{text}"
    );
}

/// Fields that the release drops are named, and what is left is judged.
#[test]
fn what_a_gate_drops_is_said() {
    let capacity = "        capacity: {requests: {m: 1}}\n";
    let text = claim_of_v1(capacity);
    let done = convert(
        &text,
        ConvertTarget::Release(35),
        &ConvertOptions::default(),
    );
    assert_eq!(
        said(&done),
        "field-dropped: the server drops `spec.devices.requests[0].exactly.capacity`: the feature gate DRAConsumableCapacity is off in Kubernetes 1.35.10\n"
    );
    assert!(done.findings[0].span.is_some());
    let text = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: one}\nspec: {devices: {requests: [{name: r, firstAvailable: [{name: x, deviceClassName: c}]}]}}\n";
    let done = convert(text, ConvertTarget::Release(33), &ConvertOptions::default());
    assert_eq!(
        said(&done),
        "validity-lost: Kubernetes 1.33.13 does not accept the converted object: spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required\n\
         field-dropped: the server drops `spec.devices.requests[0].firstAvailable`: the feature gate DRAPrioritizedList is off in Kubernetes 1.33.13\n"
    );
}

/// A rule that loses all that limits it is not converted: it would taint every device.
#[test]
fn a_rule_does_not_lose_all_of_its_limits() {
    let rule = "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: r}\nspec: {deviceSelector: {deviceClassName: c}, taint: {key: k, effect: NoExecute}}\n";
    let lossy = ConvertOptions::default().lossy(true);
    let targets = [
        ConvertTarget::Version(version("v1")),
        ConvertTarget::Release(35),
    ];
    for to in targets {
        let refused = convert(rule, to, &lossy.release(Release::new(34, 13)));
        assert_eq!(refused.text, None);
        assert!(
            said(&refused).contains("the rule would taint every device of the cluster"),
            "{}",
            said(&refused)
        );
        let limited = rule.replace("deviceClassName: c", "deviceClassName: c, driver: d");
        let done = convert(&limited, to, &lossy);
        let text = done.text.as_deref().unwrap_or_default();
        assert!(
            text.contains("deviceSelector: {driver: d}"),
            "{}",
            said(&done)
        );
    }
}

/// The annotation of `kubectl apply` is named if its object has the version that the object had, not one whose name begins the same.
#[test]
fn what_was_applied_is_named_by_its_own_version() {
    let object = |applied: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: one\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {{\"apiVersion\":\"resource.k8s.io/{applied}\",\"kind\":\"DeviceClass\",\"metadata\":{{\"name\":\"one\"}}}}\nspec: {{}}\n"
        )
    };
    assert_eq!(said(&run(&object("v1beta1"), "v1beta1")), "");
    assert_eq!(
        said(&run(&object("v1"), "v1beta1")),
        "version-mentioned: the annotation `kubectl.kubernetes.io/last-applied-configuration` holds an object of v1 and is kept as it is\n"
    );
}

/// What kubectl 1.33 and newer read behind JSON, and JSON that only YAML allows, is read and stays; older ones refuse it.
#[test]
fn texts_are_split_as_kubectl_does() {
    let json = "{\"apiVersion\":\"resource.k8s.io/v1beta1\",\"kind\":\"DeviceClass\",\"metadata\":{\"name\":\"d\"},\"spec\":{}}\n";
    let yaml = "---\napiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: e}\nspec: {}\n";
    let with_comma = json.replace("\"d\"}", "\"d\",}");
    for text in [[json, yaml].concat(), with_comma] {
        let done = run(&text, "v1");
        assert_eq!(
            done.text,
            Some(text.replace("v1beta1", "v1")),
            "{}",
            said(&done)
        );
        let options = ConvertOptions::default().release(Release::new(32, 13));
        let refused = convert(&text, version("v1"), &options);
        assert_eq!(refused.text, None);
    }
}

/// A kind that the target version never had is an error that names it.
#[test]
fn a_kind_without_counterpart_is_refused() {
    for (from, kind, to) in [
        ("v1alpha3", "DeviceTaintRule", "v1beta1"),
        ("v1alpha3", "PodSchedulingContext", "v1"),
        ("v1alpha3", "ResourcePoolStatusRequest", "v1beta2"),
    ] {
        let text =
            format!("apiVersion: resource.k8s.io/{from}\nkind: {kind}\nmetadata: {{name: one}}\n");
        let refused = run(&text, to);
        assert_eq!(refused.text, None);
        let codes: Vec<Code> = refused
            .findings
            .iter()
            .map(|finding| finding.code)
            .collect();
        assert_eq!(codes, [Code::NoCounterpart], "{kind}");
    }
}

/// A release as target means its newest version of each kind, and each object has the end of service of its old version.
#[test]
fn a_release_chooses_the_version_of_each_kind() {
    let object = |version: &str, kind: &str| {
        format!(
            "apiVersion: resource.k8s.io/{version}\nkind: {kind}\nmetadata: {{name: one}}\n---\n"
        )
    };
    for (minor, from, kind, to, removed) in [
        (38, "v1alpha3", "ResourceClaim", "v1", Some(34)),
        (38, "v1beta1", "ResourceClaimTemplate", "v1", Some(38)),
        (36, "v1beta2", "DeviceClass", "v1", Some(39)),
        (33, "v1beta1", "ResourceSlice", "v1beta2", Some(38)),
        (32, "v1alpha3", "ResourceClaim", "v1beta1", Some(34)),
        (31, "v1beta1", "DeviceClass", "v1alpha3", Some(38)),
        // 1.38 announces no removal any more.
        (36, "v1alpha3", "DeviceTaintRule", "v1beta2", None),
        (35, "v1beta2", "DeviceTaintRule", "v1alpha3", Some(42)),
        (30, "v1alpha1", "PodScheduling", "v1alpha2", Some(27)),
        (26, "v1alpha2", "PodSchedulingContext", "v1alpha1", Some(31)),
        (36, "v1", "ResourceClaim", "v1", None),
    ] {
        let text = object(from, kind);
        let done = convert(
            &text,
            ConvertTarget::Release(minor),
            &ConvertOptions::default(),
        );
        let outcome = &done.outcomes[0];
        assert!(
            done.text.is_some(),
            "{from} {kind} {minor}\n{}",
            said(&done)
        );
        assert_eq!(
            outcome.to,
            format!("resource.k8s.io/{to}"),
            "{from} {kind} {minor}"
        );
        assert_eq!(
            (outcome.changed, outcome.removed_in),
            (from != to, removed),
            "{from} {kind} {minor}"
        );
    }
    // There is no conversion back from one family to the other, and 1.31 is the last release with this kind.
    for (minor, from, kind) in [
        (30, "v1", "ResourceClaim"),
        (32, "v1alpha3", "PodSchedulingContext"),
    ] {
        let done = convert(
            &object(from, kind),
            ConvertTarget::Release(minor),
            &ConvertOptions::default(),
        )
        .findings;
        assert_eq!(
            done.iter().map(|finding| finding.code).collect::<Vec<_>>(),
            [Code::NoCounterpart],
            "{from} {kind}"
        );
    }
}

/// Forms that the recorded objects do not have come back byte for byte, too.
#[test]
fn other_forms_come_back() {
    let claim = |body: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: one\nspec:\n  devices:\n{body}"
        )
    };
    let texts = [
        // The struct first in its item, with and without comments.
        claim("    requests:\n    - exactly:\n        deviceClassName: c\n        count: 2\n      name: r\n"),
        claim(
            "    requests:\n    - exactly: # why\n        # what\n        deviceClassName: c # which\n        count: 2\n      name: r\n",
        ),
        // Brackets, anchors elsewhere, blank lines, block scalars with a comment below.
        claim("    requests: [{name: r, exactly: {deviceClassName: c, count: 2}}, {name: s, exactly: {deviceClassName: d}}]\n"),
        claim(
            "    requests:\n    - name: r\n\n      exactly:\n        deviceClassName: &class c\n\n        selectors:\n        - cel:\n            expression: |\n              a\n                && b\n      # below\n    - {name: s, exactly: {deviceClassName: *class}}\n",
        ),
        // Windows line ends, no line end at the end.
        claim("    requests:\n    - name: r\n      exactly:\n        deviceClassName: c\n        count: 2").replace('\n', "\r\n"),
    ];
    for text in &texts {
        for to in ["v1beta1", "v1alpha3", "v1beta2"] {
            let there = run(text, to);
            let new = there
                .text
                .as_deref()
                .unwrap_or_else(|| panic!("{text}\n{}", said(&there)));
            assert!(!printed(&there), "{text}\n{}", said(&there));
            assert_eq!(
                run(new, "v1").text.as_deref(),
                Some(text.as_str()),
                "{to}:\n{new}"
            );
        }
    }
}

/// A key that is shorter than one indentation level keeps the comment after it.
#[test]
fn a_comment_behind_a_short_key_comes_back() {
    let slice = |capacity: &str| {
        let capacity = capacity.replace('\n', "\n                ");
        format!(
            "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nmetadata:\n    name: one\nspec:\n    devices:\n      - name: d\n        basic:\n            capacity:\n                {capacity}\n"
        )
    };
    for text in [
        slice("a: # behind\n    # above\n    value: 1"),
        slice("a: # behind\n    value: 1 # other"),
        slice("a:\n    # above\n    value: 1"),
        // The comment after the key goes directly above the comments below it.
        slice("x1: # behind\n    # above\n    value: 1"),
        slice("x1: # behind\n    value: 1"),
        slice("x1:\n    # above\n    value: 1"),
        slice("b:\n    value: 2\n# own\na: # behind\n    # above\n    value: 1"),
    ] {
        let there = run(&text, "v1alpha3");
        let new = there.text.as_deref().unwrap();
        assert_eq!(
            run(new, "v1beta1").text.as_deref(),
            Some(text.as_str()),
            "{new}"
        );
    }
}

/// A file with several documents and a List: each object is converted, the rest is not touched.
#[test]
fn lists_and_other_documents_stay() {
    let text = "# head\nkind: Pod\napiVersion: v1 # not ours\n---\napiVersion: v1\nkind: List\nitems:\n- apiVersion: resource.k8s.io/v1beta1\n  kind: ResourceClaim\n  metadata: {name: a}\n  spec:\n    devices:\n      requests:\n      - name: r # one\n        deviceClassName: c\n- {apiVersion: v1, kind: Pod}\n---\napiVersion: resource.k8s.io/v1beta1\nkind: DeviceClassList\nitems:\n- metadata: {name: b}\n  spec: {}\n";
    let want = text.replace("/v1beta1", "/v1").replace(
        "        deviceClassName: c",
        "        exactly:\n          deviceClassName: c",
    );
    assert_eq!(run(text, "v1").text.as_deref(), Some(want.as_str()));
    assert_eq!(run(&want, "v1beta1").text.as_deref(), Some(text));
}

/// kubectl reads no List inside a List: such a file is refused, not converted in part.
#[test]
fn a_list_in_a_list_is_refused() {
    let claim = "{apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [{name: r, deviceClassName: c}]}}}";
    for inner in [
        "apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaimList",
        "apiVersion: v1, kind: List",
    ] {
        let text = format!("apiVersion: v1\nkind: List\nitems:\n- {{{inner}, items: [{claim}]}}\n");
        let request = serde_json::json!({"verb": "convert", "text": text, "to": "v1"});
        let answer: serde_json::Value =
            serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap();
        assert_eq!(
            (&answer["ok"], &answer["text"]),
            (&false.into(), &serde_json::Value::Null)
        );
        assert_eq!(answer["findings"][0]["code"], "no-kind", "{answer}");
    }
}

#[test]
fn a_list_item_that_loses_all_of_its_fields_stays() {
    let text = "\
# template
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: a, namespace: b}
spec:
  spec:
    devices:
      constraints:
      - distinctAttribute: a.example.com/b # first
      - {distinctAttribute: b.example.com/b}
      -
        # above
        distinctAttribute: c.example.com/b
      requests:
      - name: r
        exactly: {deviceClassName: gpu}
";
    let options = ConvertOptions::default().lossy(true);
    let conversion = convert(text, version("v1alpha3"), &options);
    assert!(!printed(&conversion), "{}", said(&conversion));
    let out = conversion.text.unwrap();
    let items = "      - {} # first\n      - {}\n      -\n        # above\n        {}\n";
    assert!(out.contains(items), "{out}");
}

#[test]
fn nothing_leads_back_to_the_classic_versions() {
    let rest = "kind: ResourceClaim, metadata: {name: a}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}";
    let claim = format!("---\n{{apiVersion: resource.k8s.io/v1, {rest}}}\n");
    let list = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: resource.k8s.io/v1, {rest}}}\n"
    );
    for text in [&claim, &list] {
        for to in ["v1alpha1", "v1alpha2"] {
            let to_version = find_version(&format!("resource.k8s.io/{to}")).unwrap();
            let conversion = convert(text, to_version, &ConvertOptions::default());
            let codes: Vec<Code> = conversion.findings.iter().map(|one| one.code).collect();
            assert_eq!(codes, [Code::NoCounterpart], "{to}");
            assert!(conversion.text.is_none() && conversion.checked);
        }
    }
}
