//! The verb `upgrade`: planted troubles of each kind are found once, and nothing else is.

use crate::support::ask;
use claimkit_model::schema::release::LAST_PATCHES;
use serde_json::{Value, json};
use std::path::Path;

/// The step that most of these tests ask about.
const FROM: &str = "1.37";
const TO: &str = "1.38";

fn upgrade(text: &str, release: &str, to: &str) -> Value {
    ask(&json!({"verb": "upgrade", "text": text, "release": release, "to": to}))
}

/// Asks about the step from [`FROM`] to [`TO`], and compares the codes of the troubles.
fn upgrade_with(text: &str, expected: &[&str]) -> Value {
    let answer = upgrade(text, FROM, TO);
    assert_eq!(codes(&answer), expected, "{answer}");
    answer
}

/// The kinds of trouble of an answer: code, count, objects.
fn troubles(answer: &Value) -> Vec<(String, u64, Value)> {
    let troubles = answer["troubles"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    let troubles = troubles.iter().map(|trouble| {
        (
            trouble["code"].as_str().unwrap().to_owned(),
            trouble["count"].as_u64().unwrap(),
            trouble["objects"].clone(),
        )
    });
    troubles.collect()
}

fn codes(answer: &Value) -> Vec<String> {
    troubles(answer)
        .into_iter()
        .map(|(code, ..)| code)
        .collect()
}

fn message<'a>(answer: &'a Value, code: &str) -> &'a str {
    let findings = answer["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["code"] == code);
    finding.unwrap_or_else(|| panic!("{answer}"))["message"]
        .as_str()
        .unwrap()
}

#[test]
fn objects_of_the_classic_api_are_migrated_first() {
    let answer = upgrade("", "1.30", "1.31");
    let said = answer["error"].as_str().unwrap();
    assert!(said.contains("migrate the manifests first"), "{answer}");
}

const CLASS: &str = "
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu, resourceVersion: '1'}
spec:
  selectors: [{cel: {expression: device.driver == 'gpu.example.com'}}]
";

/// A slice of v1 with these lines below its only device.
fn slice(name: &str, device: &str) -> String {
    format!(
        "---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {name}, resourceVersion: '1'}}
spec:
  driver: gpu.example.com
  nodeName: {name}
  pool: {{name: {name}, generation: 1, resourceSliceCount: 1}}
  devices:
  - name: gpu-0
{device}"
    )
}

/// The examples of the pages have one trouble each, and `upgrade-placement` the taint that is its cause.
#[test]
fn each_kind_of_trouble_is_found_once() {
    for (name, expected) in [
        ("version", vec!["upgrade-version"]),
        ("writer", vec!["upgrade-writer"]),
        ("gate", vec!["upgrade-gate"]),
        ("refused", vec!["upgrade-refused"]),
        ("refused-before", vec!["upgrade-refused-before"]),
        ("field", vec!["upgrade-field"]),
        ("selector", vec!["upgrade-selector"]),
        ("taint", vec!["upgrade-taint"]),
        ("placement", vec!["upgrade-taint", "upgrade-placement"]),
        ("name", vec!["upgrade-name"]),
    ] {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/codes/upgrade-{name}.yaml"));
        let whole = std::fs::read_to_string(&path).unwrap();
        let request = crate::support::manifests::request(&path, &whole);
        let answer = ask(&request);
        assert_eq!(codes(&answer), expected, "{name}: {answer}");
        let findings = answer["findings"].as_array().unwrap();
        assert_eq!(findings.len(), expected.len(), "{name}: {answer}");
        assert!(
            findings
                .iter()
                .all(|finding| !finding["help"].as_str().unwrap().is_empty()),
            "{name}"
        );
    }
}

#[test]
fn a_cluster_without_trouble_has_none() {
    let text = [CLASS, &slice("a", "")].concat();
    let answer = upgrade_with(&text, &[]);
    assert_eq!(answer["ok"], true);
    assert_eq!(
        (&answer["from"], &answer["to"]),
        (&json!("1.37.2"), &json!("1.38.0-beta.0"))
    );
    assert_eq!(answer["rulesOf"]["preRelease"], true);
}

/// Every pair of releases can be asked, in the version that both serve, without a trouble of an ordinary class.
#[test]
fn every_pair_of_releases_is_answered() {
    let minors: Vec<u8> = LAST_PATCHES.iter().map(|last| last.minor).collect();
    let later = minors.into_iter().filter(|minor| *minor >= 31);
    let pairs = later.clone().flat_map(|from| {
        later
            .clone()
            .filter(move |to| *to > from)
            .map(move |to| (from, to))
    });
    for (from, to) in pairs {
        let version = match from {
            31 => "v1alpha3",
            32..=33 => "v1beta1",
            _ => "v1",
        };
        let text = CLASS.replace("resource.k8s.io/v1", &format!("resource.k8s.io/{version}"));
        let answer = upgrade(&text, &format!("1.{from}"), &format!("1.{to}"));
        let served = match version {
            "v1alpha3" => to <= 33,
            "v1beta1" => to <= 37,
            _ => true,
        };
        let mut found = codes(&answer);
        // The estimate of an expression changes in some releases.
        found.retain(|code| code != "upgrade-selector");
        let stored = from == 31 && to > 33;
        let expected = usize::from(!served) + usize::from(stored);
        assert_eq!(
            found,
            vec!["upgrade-version"; expected],
            "1.{from} to 1.{to}: {answer}"
        );
        assert_eq!(answer["error"], Value::Null);
    }
}

/// What the old release refuses as well is no trouble of the upgrade.
#[test]
fn what_both_refuse_is_not_told() {
    let bad = slice("a", "    attributes: {x: {string: a, int: 1}}\n");
    upgrade_with(&bad, &[]);
    let worse = slice(
        "a",
        "    attributes: {x: {string: a, int: 1}, a/b/c: {int: 1}}\n",
    );
    let answer = upgrade_with(&worse, &["upgrade-refused"]);
    assert!(
        message(&answer, "upgrade-refused").ends_with(
            "spec.devices[0].attributes: Invalid value: \"a/b/c\": must not contain more than one slash"
        ),
        "{answer}"
    );
}

/// Nor is it one where the object must be rewritten in another version, in which its fields are elsewhere.
#[test]
fn what_both_refuse_in_other_versions_is_not_told() {
    let text = "
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c, namespace: ns}
spec:
  devices:
    requests:
    - {name: g, deviceClassName: a_b, selectors: [{cel: {expression: device.driver = 'x'}}]}
    - {name: h, deviceClassName: gpu, tolerations: [{operator: exists}], allocationMode: x}
    - {name: i, deviceClassName: gpu, derivedAttributes: [{name: a.b/c, expression: device.driver}]}
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: a.b
  nodeName: node
  pool: {name: node, generation: 1, resourceSliceCount: 1}
  devices:
  - name: g0
    basic: {attributes: {a: {ints: [1]}, b-c: {int: 1}}}
";
    upgrade_with(text, &["upgrade-version"]);
    // 1.32 does not serve the version that it gets.
    let claim = "
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c, namespace: ns}
spec: {devices: {requests: [{name: g, deviceClassName: a_b, selectors: [{cel: {expression: device.driver = 'x'}}]}]}}
";
    let answer = upgrade(claim, "1.32", "1.38");
    assert!(
        codes(&answer).iter().all(|code| code != "upgrade-refused"),
        "{answer}"
    );
}

const NEGATIVE: &str = "---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: a, namespace: ns}
spec: {devices: {requests: [{name: g, deviceClassName: c, capacity: {requests: {m: -1}}}]}}
";

/// An object that cannot be converted hides no refusal of the others.
#[test]
fn what_cannot_be_converted_hides_nothing() {
    let alone = upgrade(NEGATIVE, "1.37", "1.38");
    assert_eq!(codes(&alone), ["upgrade-version", "upgrade-refused"]);
    for beside in [
        "---\napiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: b, namespace: ns}\nspec: {devices: {requests: [{name: g, deviceClassName: c, count: '1'}]}}\n",
        "---\napiVersion: resource.k8s.io/v1alpha3\nkind: PodSchedulingContext\nmetadata: {name: p, namespace: ns}\nspec: {}\n",
    ] {
        let answer = upgrade(&format!("{NEGATIVE}{beside}"), "1.37", "1.38");
        let refused = troubles(&answer)
            .into_iter()
            .find(|(code, ..)| code == "upgrade-refused");
        assert_eq!(refused.unwrap().2, json!([0]), "{answer}");
    }
}

/// Nothing is known of an object that cannot be read; what the old release refuses already is no trouble of the upgrade.
#[test]
fn what_the_old_release_refuses_is_said() {
    let claim = |request: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c, namespace: ns}}\nspec: {{devices: {{requests: [{{name: g, exactly: {request}}}]}}}}\n"
        )
    };
    let unread = upgrade(
        &claim("{deviceClassName: c, count: '2', capacity: {requests: {m: -1}}}"),
        "1.36",
        "1.38",
    );
    assert_eq!(codes(&unread), ["upgrade-refused-before"], "{unread}");
    assert!(message(&unread, "upgrade-refused-before").starts_with(
        "Kubernetes 1.36.6 cannot read 1 of the objects, so they were not judged: ResourceClaim ns/c: json: cannot unmarshal string"
    ));
    assert_eq!(unread["ok"], false);

    let misspelt = claim("{deviceClassNam: c}");
    let manifests = ask(
        &json!({"verb": "upgrade", "text": misspelt, "release": "1.36", "to": "1.38", "manifests": true}),
    );
    assert_eq!(codes(&manifests), ["upgrade-refused-before"], "{manifests}");
    assert_eq!(manifests["ok"], true);
    assert_eq!(codes(&upgrade(&misspelt, "1.36", "1.38")), [""; 0]);
}

/// A kind that a version never had is no matter of the upgrade; one that no served version has is to be deleted, not converted.
#[test]
fn kinds_without_a_successor_are_not_to_be_converted() {
    let never =
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClass\nmetadata: {name: c}\ndriverName: x\n";
    assert_eq!(codes(&upgrade(never, "1.36", "1.38")), [""; 0]);
    let gone = "apiVersion: resource.k8s.io/v1alpha3\nkind: PodSchedulingContext\nmetadata: {name: p, namespace: ns}\nspec: {}\n";
    let answer = upgrade(gone, "1.31", "1.38");
    assert_eq!(
        message(&answer, "upgrade-version"),
        "`PodSchedulingContext` of resource.k8s.io/v1alpha3 is not served by Kubernetes 1.38.0-beta.0, and 1 object is of it: PodSchedulingContext ns/p"
    );
    let help = answer["findings"].as_array().unwrap()[0]["help"]
        .as_str()
        .unwrap();
    assert!(!help.contains("convert"), "{help}");
}

/// Objects with one trouble are counted in one line, however many they are; other paths of the same kind are not other troubles.
#[test]
fn a_trouble_of_many_objects_is_one_line() {
    let names = ["a", "b", "c", "d", "e"];
    let text: String = names
        .iter()
        .map(|name| slice(name, "    attributes: {a/b/c: {int: 1}, d/e/f: {int: 2}}\n"))
        .collect();
    let answer = upgrade(&text, FROM, TO);
    assert_eq!(
        troubles(&answer),
        [("upgrade-refused".to_owned(), 5, json!([0, 1, 2, 3, 4]))]
    );
    assert!(
        message(&answer, "upgrade-refused").contains(
            "Kubernetes 1.38.0-beta.0 refuses 5 of the ResourceSlice objects when they are created, or when any of their devices changes, first ResourceSlice a, ResourceSlice b, ResourceSlice c and 2 more: "
        ),
        "{answer}"
    );
}

/// A template is judged as a whole with every update; stored devices only once one of them changes.
#[test]
fn what_no_update_can_pass_is_said() {
    let template = "
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ns, resourceVersion: '1'}
spec:
  spec:
    devices:
      requests: [{name: r, exactly: {deviceClassName: gpu}}]
      constraints: [{matchAttribute: a/b/c}]
";
    upgrade_with(template, &["upgrade-refused"]);
}

/// Doing what the help says leaves nothing to do.
#[test]
fn converted_objects_have_no_trouble() {
    let text = "
apiVersion: resource.k8s.io/v1beta1
kind: ResourceClaim
metadata: {name: c, namespace: ns}
spec: {devices: {requests: [{name: r, deviceClassName: gpu}]}}
---
apiVersion: resource.k8s.io/v1beta1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: a
  pool: {name: a, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0, basic: {attributes: {model: {string: a100}}}}]
";
    let asked = |text: &str| {
        ask(&json!({"verb": "upgrade", "text": text, "release": FROM, "to": TO, "manifests": true}))
    };
    let answer = asked(text);
    assert_eq!(
        troubles(&answer),
        [("upgrade-version".to_owned(), 2, json!([0, 1]))],
        "{answer}"
    );
    assert_eq!(answer["ok"], false);
    let converted = ask(&json!({"verb": "convert", "text": text, "to": "1.38"}));
    let after = asked(converted["text"].as_str().unwrap());
    assert_eq!(troubles(&after), [], "{after}");
    assert_eq!(after["ok"], true);
}

/// Several gates: each that the new release refuses is a trouble, also one that needs a gate which is gone.
#[test]
fn each_gate_is_tried() {
    let answer = ask(&json!({
        "verb": "upgrade", "text": CLASS, "release": FROM, "to": TO,
        "gates": {"DynamicResourceAllocation": true, "DRADeviceTaints": false, "DRADeviceTaintRules": false, "DRAListTypeAttributes": true}
    }));
    assert_eq!(codes(&answer), ["upgrade-gate"; 3], "{answer}");
    let said = answer["findings"].as_array().unwrap();
    assert!(
        said[0]["message"]
            .as_str()
            .unwrap()
            .starts_with("a component with `--feature-gates=DRADeviceTaint"),
        "{answer}"
    );
}

#[test]
fn impossible_questions_are_refused() {
    for (request, error) in [
        (
            json!({"verb": "upgrade", "text": CLASS}),
            "`to` is missing: the new release",
        ),
        (
            json!({"verb": "upgrade", "to": "1.38"}),
            "`text` is missing: the objects of the cluster, or manifests",
        ),
        (
            json!({"verb": "upgrade", "text": CLASS, "release": "1.37", "to": "1.36"}),
            "Kubernetes 1.36.6 is not later than 1.37.2: give the release that the cluster has",
        ),
    ] {
        assert_eq!(ask(&request)["error"], error, "{request}");
    }
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";
    let nothing = upgrade(pod, FROM, TO);
    assert_eq!(nothing["findings"][0]["code"], "nothing-checked");
    assert_eq!(nothing["ok"], false);
}

/// What a release does not keep of an object is found whether another object beside it must be converted or not.
#[test]
fn lost_fields_are_found_beside_objects_that_move() {
    let rule = "apiVersion: resource.k8s.io/v1alpha3\nkind: DeviceTaintRule\nmetadata: {name: rule}\nspec: {deviceSelector: {deviceClassName: gpu, driver: a.b}, taint: {key: k, effect: NoSchedule}}\n";
    let class = "---\napiVersion: resource.k8s.io/v1beta1\nkind: DeviceClass\nmetadata: {name: a}\nspec: {}\n";
    assert_eq!(codes(&upgrade(rule, "1.33", "1.38")), ["upgrade-field"]);
    assert_eq!(
        codes(&upgrade(&format!("{rule}{class}"), "1.33", "1.38")),
        ["upgrade-version", "upgrade-field"]
    );
}

/// A rule whose only limits are fields that the new release does not keep taints every device, which no gate changes.
#[test]
fn a_rule_that_loses_its_limits_is_an_error() {
    let rule = "
apiVersion: resource.k8s.io/v1alpha3
kind: DeviceTaintRule
metadata: {name: r}
spec:
  deviceSelector: {deviceClassName: foo, selectors: [{cel: {expression: 'true'}}], pool: null}
  taint: {key: a.b/x, effect: NoExecute}
";
    let answer = upgrade(rule, "1.34", "1.35");
    assert_eq!(
        troubles(&answer),
        [("upgrade-field".to_owned(), 1, json!([0]))],
        "{answer}"
    );
    let finding = &answer["findings"][0];
    assert_eq!(finding["severity"], "error");
    assert_eq!(
        finding["message"],
        "Kubernetes 1.35.10 keeps no field of `spec.deviceSelector` of 1 of the DeviceTaintRule objects, which then taint every device of the cluster: DeviceTaintRule r"
    );
    assert_eq!(
        finding["help"],
        "name a `driver`, `pool` or `device` in `spec.deviceSelector` before the upgrade, or delete the rule"
    );
    // With another limit it is a field like others, which no gate keeps either.
    let limited = rule.replace("pool: null", "pool: p");
    let answer = upgrade(&limited, "1.34", "1.35");
    assert_eq!(codes(&answer), ["upgrade-field"; 2], "{answer}");
    let finding = &answer["findings"][0];
    assert_eq!(finding["severity"], "warning");
    assert_eq!(
        finding["help"],
        "correct them before the upgrade: `deviceClassName` of a DeviceTaintRule exists in Kubernetes 1.33 and 1.34 only; name `driver`, `pool` or `device`"
    );
}

/// A rule of a policy or a webhook for a version that goes matches nothing any more, and nobody says so.
#[test]
fn rules_for_a_version_that_goes_are_found() {
    let policy = |versions: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {{name: p}}\nspec:\n  matchConstraints:\n    resourceRules: [{{apiGroups: [resource.k8s.io], apiVersions: {versions}, operations: [CREATE], resources: [resourceclaims]}}]\n  validations: [{{expression: 'true'}}]\n"
        )
    };
    let answer = upgrade(&policy("[v1beta1]"), "1.37", "1.38");
    assert_eq!(
        message(&answer, "upgrade-version"),
        "rules for `v1beta1` of resource.k8s.io match no request of Kubernetes 1.38.0-beta.0, which does not serve it: ValidatingAdmissionPolicy p"
    );
    for fine in ["[v1beta1, v1]", "['*']", "[v1]"] {
        let answer = upgrade(&policy(fine), "1.37", "1.38");
        assert_eq!(codes(&answer), [""; 0], "{fine}: {answer}");
    }
    let webhook = "apiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: w}\nwebhooks: [{name: a.b.c, rules: [{apiGroups: [resource.k8s.io], apiVersions: [v1beta1], operations: ['*'], resources: ['*']}]}]\n";
    assert_eq!(
        codes(&upgrade(webhook, "1.37", "1.38")),
        ["upgrade-version"]
    );
}

/// What is upgraded with the cluster chooses its version itself: only other clients are to be moved.
#[test]
fn components_of_the_release_are_no_clients_to_move() {
    let claim = |managers: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c, namespace: d, managedFields: [{managers}]}}\nspec: {{devices: {{requests: [{{name: g, exactly: {{deviceClassName: x, allocationMode: ExactCount, count: 1}}}}]}}}}\n"
        )
    };
    let entry = |name: &str| {
        format!(
            "{{manager: {name}, operation: Update, apiVersion: resource.k8s.io/v1beta1, fieldsType: FieldsV1, fieldsV1: {{}}}}"
        )
    };
    let own = claim(&format!(
        "{}, {}",
        entry("kube-scheduler"),
        entry("kube-controller-manager")
    ));
    assert_eq!(codes(&upgrade(&own, "1.37", "1.38")), [""; 0]);
    let other = claim(&format!("{}, {}", entry("kube-scheduler"), entry("argocd")));
    let answer = upgrade(&other, "1.37", "1.38");
    let message = message(&answer, "upgrade-writer");
    assert!(message.contains("argocd wrote 1 of"), "{answer}");
}

/// A part that not all releases judge together with others is named as such.
#[test]
fn what_is_judged_with_a_part_is_said() {
    let claim = "
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: ns, resourceVersion: '1'}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}], constraints: [{matchAttribute: a/b/c}]}}
";
    let answer = upgrade_with(claim, &["upgrade-refused"]);
    assert!(
        message(&answer, "upgrade-refused").contains("or when this part of them changes"),
        "{answer}"
    );
}

/// An outcome without devices in both releases is told by how it ends.
#[test]
fn outcomes_that_differ_have_words_that_differ() {
    let text = "
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: a.b, nodeName: node, pool: {name: node, generation: 1, resourceSliceCount: 2}, devices: [{name: g0}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c, namespace: d}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu, allocationMode: All}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: d}
spec: {resourceClaims: [{name: g, resourceClaimName: c}], containers: [{name: a, image: x, resources: {claims: [{name: g}]}}]}
---
apiVersion: v1
kind: Node
metadata: {name: node}
status: {allocatable: {cpu: 1, pods: 10}}
";
    let answer = upgrade(text, FROM, TO);
    assert!(
        message(&answer, "upgrade-placement").ends_with(
            "first to d/p on node node: an error on this node instead of an error that ends the attempt for all nodes"
        ),
        "{answer}"
    );
}
