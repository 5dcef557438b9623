//! Writes of controllers, deletions and objects of other releases, generated from objects that real API servers stored: no setting
//! refuses what controllers write, and no form of a request opens a setting.

use claimkit::requests::hosts;
use serde_json::{Map, Value, json};
use std::io::Read;

const RELEASES: [&str; 7] = [
    "1.31.14", "1.32.13", "1.33.13", "1.34.9", "1.35.6", "1.36.3", "1.37.2",
];

/// The objects that the server of a release stored with its own gates, each in every version that it serves.
fn stored(release: &str) -> Vec<Map<String, Value>> {
    // Objects of other gates than the release's own are not what its servers store by default.
    stored_with(release, |gates| gates.is_null())
}

/// The objects that the server of a release stored with gates that are wanted.
fn stored_with(release: &str, wanted: impl Fn(&Value) -> bool) -> Vec<Map<String, Value>> {
    let path = super::root().join(format!("tests/vectors/later/{release}.jsonl.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let mut found: Vec<Map<String, Value>> = Vec::new();
    // The recorder writes this in place of the current time.
    let text = text.replace("(NOW)", "2026-03-01T10:00:00Z");
    for line in text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let Some(versions) = line["stored"]
            .as_object()
            .filter(|_| wanted(&line["gates"]))
        else {
            continue;
        };
        let whole: Map<String, Value> = versions
            .iter()
            .filter(|(_, object)| object["metadata"]["name"].is_string())
            .map(|(v, o)| (v.clone(), o.clone()))
            .collect();
        if !whole.is_empty() && !found.contains(&whole) {
            found.push(whole);
        }
    }
    found
}

/// Returns `n` if the test takes one stored object in `n`: all of them take some minutes.
fn every(release: &str) -> usize {
    match (std::env::var_os("CLAIMKIT_ALL"), release) {
        (Some(_), _) => 1,
        (None, "1.37.2") => 24,
        (None, _) => 80,
    }
}

/// The object as a server gives it back: with what it writes into the metadata.
fn of_server(object: &Value) -> Value {
    let mut object = object.clone();
    object["metadata"]["uid"] = json!("7d1c2a3e-0000-4000-8000-000000000001");
    object["metadata"]["resourceVersion"] = json!("41");
    object["metadata"]["creationTimestamp"] = json!("2026-03-01T10:00:00Z");
    object
}

struct Sent<'a> {
    operation: &'a str,
    sub_resource: &'a str,
    user: &'a str,
    object: Value,
    old: Value,
}

fn admitted(settings: &Value, sent: &Sent<'_>) -> (bool, String) {
    let object = if sent.object.is_null() {
        &sent.old
    } else {
        &sent.object
    };
    let (group, version) = object["apiVersion"]
        .as_str()
        .unwrap()
        .split_once('/')
        .unwrap();
    let kind = json!({"group": group, "version": version, "kind": object["kind"]});
    let request = json!({"uid": "1", "kind": kind, "requestKind": kind, "name": object["metadata"]["name"],
        "namespace": object["metadata"]["namespace"], "operation": sent.operation, "subResource": sent.sub_resource,
        "userInfo": {"username": sent.user, "groups": ["system:authenticated"]}, "object": sent.object, "oldObject": sent.old});
    let payload = json!({"request": request, "settings": settings}).to_string();
    let answer = hosts::validate(payload.as_bytes(), None);
    let read: Value = serde_json::from_str(&answer).unwrap();
    (read["accepted"] == true, answer)
}

/// Settings that refuse nearly everything that is new, each with another way.
fn refusing() -> Vec<Value> {
    vec![
        json!({"deviceClasses": {"deny": ["*"]}, "allocationModes": {"deny": ["ExactCount", "All"]}, "adminAccess": {"deny": true}}),
        json!({"limits": {"maxRequests": 0, "maxCount": 0, "allDevices": "deny"}, "selectors": {"denyInClaims": true, "denyInClasses": true}}),
        json!({"tolerations": {"deny": [{"key": "*"}]}, "opaqueParameters": {"deny": ["*"]}, "extendedResourceNames": {"deny": ["*"]},
            "deviceTaintRules": {"selectorRequired": "always"}}),
        json!({"apiVersions": {"deny": ["v*"]}}),
        json!({"release": "1.34", "deviceClasses": {"deny": ["*"]}}),
    ]
}

/// Adds a field of a server that is newer than any known release to the struct at a path, if it is there.
fn with_future_field(object: &Value, path: &str) -> Option<Value> {
    let mut object = object.clone();
    object
        .pointer_mut(path)?
        .as_object_mut()?
        .insert("fieldOfALaterRelease".to_owned(), json!({"a": [1]}));
    Some(object)
}

/// What controllers write to a stored object.
fn writes(object: &Value) -> Vec<(&'static str, Sent<'static>)> {
    let stored = of_server(object);
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut object = stored.clone();
        change(&mut object);
        object
    };
    let update = |user, old: &Value, object| Sent {
        operation: "UPDATE",
        sub_resource: "",
        user,
        object,
        old: old.clone(),
    };
    let mut all = Vec::new();
    let labelled = changed(&|object| object["metadata"]["labels"] = json!({"a": "b"}));
    all.push((
        "labels",
        update(
            "system:serviceaccount:kube-system:generic",
            &stored,
            labelled,
        ),
    ));
    let finalizers = json!(["resource.kubernetes.io/delete-protection"]);
    let protected = changed(&|object| object["metadata"]["finalizers"] = finalizers.clone());
    all.push((
        "a finalizer",
        update("system:kube-scheduler", &stored, protected.clone()),
    ));
    let going = changed(&|object| {
        object["metadata"]["finalizers"] = finalizers.clone();
        object["metadata"]["deletionTimestamp"] = json!("2026-03-01T11:00:00Z");
        object["metadata"]["deletionGracePeriodSeconds"] = json!(0);
    });
    let gone = changed(&|object| {
        object["metadata"]["deletionTimestamp"] = json!("2026-03-01T11:00:00Z");
        object["metadata"]["deletionGracePeriodSeconds"] = json!(0);
    });
    all.push((
        "the last finalizer",
        update(
            "system:serviceaccount:kube-system:resourceclaim-controller",
            &going,
            gone,
        ),
    ));
    all.push((
        "a deletion",
        Sent {
            operation: "DELETE",
            sub_resource: "",
            user: "jane",
            object: Value::Null,
            old: stored.clone(),
        },
    ));
    for path in ["", "/spec", "/spec/devices", "/spec/pool"] {
        if let (Some(old), Some(new)) = (
            with_future_field(&stored, path),
            with_future_field(&protected, path),
        ) {
            all.push((
                "a field of a later release",
                update("system:node:n1", &old, new),
            ));
        }
    }
    if object["kind"] == "ResourceClaim" {
        let status = |object: &Value| {
            let mut object = object.clone();
            let old = object["status"].clone();
            object["status"] = if old.is_object() { old } else { json!({}) };
            object
        };
        let before = status(&stored);
        let mut reserved = before.clone();
        reserved["status"]["reservedFor"] = json!([{"resource": "pods", "name": "p", "uid": "u"}]);
        if before["status"]["allocation"].is_object() && before["status"]["reservedFor"].is_null() {
            let user = "system:kube-scheduler";
            all.push((
                "a reservation",
                Sent {
                    operation: "UPDATE",
                    sub_resource: "status",
                    user,
                    object: reserved,
                    old: before.clone(),
                },
            ));
        }
        if let (Some(old), Some(new)) = (
            with_future_field(&before, "/status"),
            with_future_field(&before, "/status")
                .and_then(|new| with_future_field(&new, "/metadata")),
        ) {
            let user = "system:node:n1";
            all.push((
                "a status of a later release",
                Sent {
                    operation: "UPDATE",
                    sub_resource: "status",
                    user,
                    object: new,
                    old,
                },
            ));
        }
    }
    all
}

#[test]
fn no_write_of_a_controller_is_refused() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for release in RELEASES {
        let every = every(release);
        for versions in stored(release).iter().step_by(every) {
            for object in versions.values() {
                for (what, sent) in writes(object) {
                    for settings in refusing() {
                        asked += 1;
                        let (accepted, answer) = admitted(&settings, &sent);
                        if !accepted {
                            let name = format!(
                                "{release}: {what} of {} {}",
                                object["apiVersion"], object["kind"]
                            );
                            wrong.push(format!(
                                "{name}\n  {settings}\n  {}\n  {answer}",
                                sent.object
                            ));
                        }
                    }
                }
            }
        }
    }
    let shown: Vec<&String> = wrong.iter().take(5).collect();
    assert!(
        wrong.is_empty(),
        "{} of {asked} writes are refused:\n{}",
        wrong.len(),
        shown
            .iter()
            .map(|s| s.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    );
    println!("{asked} writes of controllers");
    assert!(asked >= 500, "{asked} writes");
}

/// Forms of a new object that prove nothing: what refuses it as it is refuses it so, too.
fn disguised(object: &Value) -> Vec<(&'static str, Sent<'static>)> {
    let create = |object| Sent {
        operation: "CREATE",
        sub_resource: "",
        user: "jane",
        object,
        old: Value::Null,
    };
    let mut all = Vec::new();
    for (what, field, value) in [
        (
            "a deletion timestamp",
            "deletionTimestamp",
            json!("2026-03-01T11:00:00Z"),
        ),
        ("a resource version", "resourceVersion", json!("0")),
        (
            "a uid",
            "uid",
            json!("7d1c2a3e-0000-4000-8000-000000000001"),
        ),
        (
            "an owner",
            "ownerReferences",
            json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}]),
        ),
    ] {
        let mut object = object.clone();
        object["metadata"][field] = value;
        all.push((what, create(object)));
    }
    for path in [
        "",
        "/spec",
        "/spec/devices",
        "/spec/deviceSelector",
        "/metadata",
    ] {
        all.extend(
            with_future_field(object, path)
                .map(|object| ("a field of a later release", create(object))),
        );
    }
    all
}

#[test]
fn no_form_of_a_request_opens_a_setting() {
    let mut wrong = Vec::new();
    let (mut asked, mut refused) = (0, 0);
    for release in RELEASES {
        let every = every(release);
        for versions in stored(release).iter().step_by(every) {
            for settings in refusing().into_iter().map(without_validation) {
                let create = |object: &Value| Sent {
                    operation: "CREATE",
                    sub_resource: "",
                    user: "jane",
                    object: object.clone(),
                    old: Value::Null,
                };
                let plain: Vec<bool> = versions
                    .values()
                    .map(|object| !admitted(&settings, &create(object)).0)
                    .collect();
                // A field refused in one version is refused in every version that has it.
                for (object, refuses) in versions.values().zip(plain) {
                    asked += 1;
                    if !refuses {
                        continue;
                    }
                    refused += 1;
                    for (what, sent) in disguised(object) {
                        asked += 1;
                        let (accepted, answer) = admitted(&settings, &sent);
                        if accepted {
                            wrong.push(format!(
                                "{release}: {what}\n  {settings}\n  {}\n  {answer}",
                                sent.object
                            ));
                        }
                    }
                }
            }
        }
    }
    let shown: Vec<&str> = wrong.iter().take(5).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} of {asked} requests open a setting:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    println!("{asked} forms of {refused} refused objects");
    assert!(
        refused >= 100 && asked >= 500,
        "{refused} refused, {asked} asked"
    );
}

/// An update into something that is refused is refused, also of an object that is being deleted.
#[test]
fn no_update_opens_a_setting() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for versions in stored("1.37.2") {
        for (version, object) in &versions {
            if !matches!(
                object["kind"].as_str(),
                Some("DeviceClass" | "DeviceTaintRule")
            ) {
                continue;
            }
            let harmless = match object["kind"].as_str() {
                Some("DeviceClass") => json!({}),
                _ => {
                    json!({"deviceSelector": {"driver": "a.example.com", "pool": "p"}, "taint": object["spec"]["taint"]})
                }
            };
            for settings in refusing().into_iter().map(without_validation) {
                let new = of_server(object);
                let create = Sent {
                    operation: "CREATE",
                    sub_resource: "",
                    user: "jane",
                    object: object.clone(),
                    old: Value::Null,
                };
                let (mut old, by_version) = (new.clone(), settings["apiVersions"].is_object());
                old["spec"] = harmless.clone();
                if admitted(&settings, &create).0 || by_version || old["spec"] == new["spec"] {
                    continue;
                }
                for going in [false, true] {
                    let (mut old, mut new) = (old.clone(), new.clone());
                    if going {
                        for object in [&mut old, &mut new] {
                            object["metadata"]["deletionTimestamp"] = json!("2026-03-01T11:00:00Z");
                            object["metadata"]["finalizers"] = json!(["a/b"]);
                        }
                    }
                    asked += 1;
                    let sent = Sent {
                        operation: "UPDATE",
                        sub_resource: "",
                        user: "jane",
                        object: new,
                        old,
                    };
                    let (accepted, answer) = admitted(&settings, &sent);
                    if accepted {
                        wrong.push(format!(
                            "{version}: {settings}\n  {}\n  {answer}",
                            sent.object
                        ));
                    }
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {asked} updates open a setting:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{asked} updates");
    assert!(asked >= 50, "{asked} updates");
}

/// Only the settings decide.
fn without_validation(mut settings: Value) -> Value {
    settings["validation"] = json!("off");
    settings
}

/// The settings of every sample of a live cluster that does not ask for the API server's rules.
fn samples() -> Vec<(String, Value)> {
    let folder = super::root().join("pkg/policy/samples");
    let files = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = files
        .filter_map(|file| {
            let name = file.unwrap().file_name().into_string().unwrap();
            let name = name.strip_suffix(".yaml")?;
            (!name.starts_with("strict")).then(|| name.to_owned())
        })
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let settings = super::fixtures::sample(&name);
            (name, settings)
        })
        .filter(|(_, settings)| {
            // These are asked before the server validates, or ask the cluster.
            let text = settings.to_string();
            !text.contains("\"fallback\"")
                && !text.contains("\"cluster\"")
                && !text.contains("\"labels\"")
        })
        .collect()
}

/// What a server has accepted is not refused by the rules of another release or of other gates: only by settings that are about it.
#[test]
fn no_stored_object_is_refused_by_the_rules_of_another_release() {
    let samples = samples();
    assert!(samples.len() >= 6, "{samples:?}");
    let mut wrong = Vec::new();
    let mut asked = 0;
    for release in RELEASES {
        let every = (every(release) / 10).max(1);
        for versions in stored_with(release, |_| true).iter().step_by(every) {
            for object in versions.values() {
                for (name, settings) in &samples {
                    let mut labelled = of_server(object);
                    labelled["metadata"]["labels"] = json!({"a": "b"});
                    let create = create_of(&of_server(object));
                    let update = Sent {
                        operation: "UPDATE",
                        old: of_server(object),
                        ..create_of(&labelled)
                    };
                    for sent in [&create, &update] {
                        asked += 1;
                        let (accepted, answer) = admitted(settings, sent);
                        let read: Value = serde_json::from_str(&answer).unwrap();
                        // Some stored expressions are older than their validation: no release compiles them.
                        let rules = read["audit_annotations"]["rule"].as_str();
                        let is_broken = rules.is_some_and(|rules| rules.contains("validation"));
                        let by_settings = read["code"] == 403
                            && sent.operation == "CREATE"
                            && (is_broken || !answer.contains("cannot read this expression"));
                        if !accepted && !by_settings {
                            wrong.push(format!(
                                "{release}: {name}: {} {}\n  {answer}",
                                sent.operation, sent.object
                            ));
                        }
                    }
                }
            }
        }
    }
    println!("{asked} requests about stored objects");
    let shown: Vec<&str> = wrong.iter().take(5).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{} of {asked} requests are refused:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(asked >= 3_000, "{asked} requests");
}

fn create_of(object: &Value) -> Sent<'static> {
    Sent {
        operation: "CREATE",
        sub_resource: "",
        user: "jane",
        object: object.clone(),
        old: Value::Null,
    }
}
