//! The remark if no release was named and releases answer differently, checked with the recorded answers of 1.31 to 1.36.

use crate::device_vectors::{RELEASES, recorded, sent, step};
use crate::support::ask;
use claimkit_model::schema::release::LAST_PATCHES;
use claimkit_model::schema::{Release, VERSIONS};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The remark about the only object of a text on create, if any.
fn remark(request: &Value) -> Option<Value> {
    let answer = ask(request);
    let found: Vec<&Value> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["code"] == "release-decides")
        .collect();
    assert!(found.len() <= 1, "{answer}");
    found.first().map(|finding| (*finding).clone())
}

fn text_of(request: Value) -> Option<String> {
    remark(&request).map(|finding| finding["message"].as_str().unwrap().to_owned())
}

/// Objects with different recorded verdicts have the remark. For all other objects no remark says that some or all releases
/// refuse them.
#[test]
fn the_remark_is_there_where_recorded_verdicts_differ() {
    // Body and labels of a case, and whether each release refuses it.
    let mut known: BTreeMap<(String, String, String), BTreeMap<u8, bool>> = BTreeMap::new();
    // Without a release that is asked for, a pre-release is not asked.
    let finals = RELEASES
        .into_iter()
        .filter(|release| !Release::parse(release).unwrap().is_pre_release());
    for release in finals {
        let minor: u8 = release.split('.').nth(1).unwrap().parse().unwrap();
        let text = recorded(release);
        // The same cases of every release.
        let taken = |line: &&str| {
            let id = line.split('"').nth(3).unwrap_or_default();
            !line.is_empty() && id.bytes().map(usize::from).sum::<usize>() % step() == 0
        };
        for case in text
            .split('\n')
            .filter(taken)
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
        {
            let plain =
                case["op"] == "create" && case.get("gates").is_none_or(|gates| gates == &json!({}));
            if !plain || case["object"].is_null() || case.get("panic").is_some() {
                continue;
            }
            let labels = case.get("namespaceLabels").cloned().unwrap_or(json!({}));
            let id = ["version", "kind", "id"]
                .map(|name| case[name].as_str().unwrap())
                .join("/");
            let key = (id, sent(&case["object"]), labels.to_string());
            known.entry(key).or_default().insert(
                minor,
                !case["status"].is_null() || !case["strict"].as_array().is_none_or(Vec::is_empty),
            );
        }
    }
    let (mut compared, mut differing, mut wrong) = (0, 0, Vec::new());
    for ((id, body, labels), verdicts) in &known {
        let last = verdicts.keys().last().copied().unwrap();
        let mut parts = id.split('/');
        let (name, kind) = (parts.next().unwrap(), parts.next().unwrap());
        let version = VERSIONS
            .iter()
            .find(|version| version.name == name)
            .unwrap();
        let serves = |release: &&Release| {
            version.served_by(**release) && version.kind(kind, **release).is_some()
        };
        let finals = LAST_PATCHES
            .iter()
            .filter(|release| !release.is_pre_release());
        let served = finals.filter(serves).map(|release| &release.minor);
        // Cases recorded in only some of the releases, because of sampling or unstable answers.
        if !verdicts.keys().eq(served) {
            continue;
        }
        compared += 1;
        let labels: Value = serde_json::from_str(labels).unwrap();
        let mut request =
            json!({ "verb": "validate", "via": "server", "text": body, "namespaceLabels": labels });
        if body.contains("\"namespace\": ") {
            request["namespace"] = json!("ns");
        }
        let said = text_of(request);
        let differ = verdicts.values().any(|refused| *refused != verdicts[&last]);
        differing += usize::from(differ);
        let says = said
            .as_deref()
            .is_some_and(|text| text.contains("refused") && text.contains("accepted"));
        if says != differ {
            wrong.push(format!("{id}: {verdicts:?} {said:?}"));
        }
    }
    println!("{compared} objects, {differing} with different verdicts");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    // With 1.37, 95 objects are recorded for every release that serves them.
    assert!(
        compared > 90 && differing > 1,
        "{compared} objects, {differing} with different verdicts"
    );
}

const CLAIM: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: a}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu
        selectors: [{cel: {expression: EXPRESSION}}]
";

fn assumed(differ: &str) -> String {
    format!(
        "Kubernetes {} is assumed here, and releases differ: {differ}",
        Release::latest()
    )
}

#[test]
fn the_remark_names_the_releases_and_what_one_of_them_says() {
    let text = CLAIM.replace("EXPRESSION", "'[2, 1].sort()[0] == 1'");
    let found = remark(&json!({ "verb": "validate", "text": text })).unwrap();
    assert_eq!(
        found["message"],
        assumed("refused in 1.34, accepted from 1.35")
    );
    assert_eq!(found["severity"], "info");
    assert_eq!(found["origin"], "claimkit");
    let help = found["help"].as_str().unwrap();
    assert!(
        help.starts_with("name the release of the cluster to get its answer; 1.34.13 says: spec.devices.requests[0]"),
        "{help}"
    );
    assert!(help.contains("undeclared reference to 'sort'"), "{help}");
    // With a release there is no remark.
    assert_eq!(
        remark(&json!({ "verb": "validate", "text": text, "release": "1.36" })),
        None
    );
    assert_eq!(
        remark(&json!({ "verb": "validate", "text": text, "release": "1.34" })),
        None
    );
    // With a gate that only some releases know, the remark leaves the others out.
    let gates = json!({ "DRAListTypeAttributes": true });
    assert_eq!(
        remark(&json!({ "verb": "validate", "text": text, "gates": gates })),
        None
    );
}

#[test]
fn dropped_fields_and_updates_count() {
    let text = CLAIM.replace(
        "selectors: [{cel: {expression: EXPRESSION}}]",
        "tolerations: [{operator: Exists}]",
    );
    let found = remark(&json!({ "verb": "validate", "text": text })).unwrap();
    let differ = "accepted in 1.34, accepted without some fields in 1.35, accepted from 1.36";
    assert_eq!(found["message"], assumed(differ));
    // 1.34 judges an update by the rules of creation, too.
    let old = CLAIM
        .replace("name: gpu", "name: gpu.a")
        .replace("EXPRESSION", "'true'")
        .replace("{name: a}", "{name: a, resourceVersion: '1'}");
    let request = json!({ "verb": "validate", "operation": "update", "via": "server", "old": old, "text": old });
    let message = text_of(request).unwrap();
    assert_eq!(message, assumed("refused in 1.34, accepted from 1.35"));
}

/// An object that no release decodes is not tested with each release, because all would refuse it. This test compares with
/// testing each release.
#[test]
fn what_no_release_decodes_is_refused_by_all() {
    let bodies = [
        // Unknown to all releases; known to some; inside a field that some do not know; a duplicate.
        "spec: {unknown: 1, devices: {}}",
        "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, unknown: 1}}]}}",
        "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, tolerations: [{operator: Exists, unknown: 1}]}}]}}",
        "spec: {devices: {requests: [{name: r, deviceClassName: c, firstAvailable: [{name: s, deviceClassName: c, unknown: 1}]}]}}",
        "spec: {resourceClassName: c, unknown: {}}",
        "spec: {resourceClassName: c, parametersRef: {kind: K, name: n, unknown: 1}}",
        "spec: {}\nunknown: 1",
        "spec: 5\nunknown: 1",
    ];
    let (mut asked, mut refused) = (0, 0);
    for version in VERSIONS.iter() {
        let served: Vec<Release> = LAST_PATCHES
            .iter()
            .copied()
            .filter(|release| version.served_by(*release))
            .collect();
        for body in bodies {
            let text = format!(
                "apiVersion: resource.k8s.io/{}\nkind: ResourceClaim\nmetadata: {{name: a}}\n{body}\n",
                version.name
            );
            let said = text_of(json!({ "verb": "validate", "text": text }));
            let accepts = |release: &Release| {
                ask(&json!({ "verb": "validate", "text": text, "release": release.to_string() }))["ok"]
                    == true
            };
            let differ = served.iter().any(accepts) && !served.iter().all(accepts);
            assert_eq!(
                said.is_some_and(|text| text.contains("refused")),
                differ,
                "{text}"
            );
            asked += 1;
            refused += usize::from(!served.iter().any(accepts));
        }
    }
    assert!(
        asked > 40 && refused > 20,
        "{asked} asked, {refused} refused by all"
    );
}
