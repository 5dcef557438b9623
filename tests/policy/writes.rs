//! Writes of controllers, deletions and objects of other releases, generated from objects that real API servers stored: no setting
//! refuses what controllers write, and no form of a request opens a setting.

use crate::device_vectors::RELEASES;
use claimkit::policy::ClusterReader;
use claimkit::requests::hosts;
use serde_json::{Map, Value, json};
use std::io::Read;

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

/// A cluster that cannot be asked at the moment.
struct SilentCluster;

impl ClusterReader for SilentCluster {
    fn call(&self, _: &str, _: &str) -> Result<String, String> {
        Err("the cluster does not answer".to_owned())
    }
}

fn admitted(settings: &Value, sent: &Sent<'_>) -> (bool, String) {
    admitted_by(None, settings, sent)
}

fn admitted_by(
    cluster: Option<&dyn ClusterReader>,
    settings: &Value,
    sent: &Sent<'_>,
) -> (bool, String) {
    let answer = hosts::validate(payload(settings, sent).as_bytes(), cluster);
    let read: Value = serde_json::from_str(&answer).unwrap();
    (read["accepted"] == true, answer)
}

/// What a host is given.
fn payload(settings: &Value, sent: &Sent<'_>) -> String {
    let object = if sent.object.is_null() {
        &sent.old
    } else {
        &sent.object
    };
    let api_version = object["apiVersion"].as_str().unwrap();
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let kind = json!({"group": group, "version": version, "kind": object["kind"]});
    let request = json!({"uid": "1", "kind": kind, "requestKind": kind, "name": object["metadata"]["name"],
        "namespace": object["metadata"]["namespace"], "operation": sent.operation, "subResource": sent.sub_resource,
        "userInfo": {"username": sent.user, "groups": ["system:authenticated"]}, "object": sent.object, "oldObject": sent.old});
    json!({"request": request, "settings": settings}).to_string()
}

/// Some writes of the controllers of every release, as hosts are given them: about as many as are wanted.
pub fn some_payloads(wanted: usize) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for release in RELEASES {
        for versions in stored(release).iter().step_by(every(release)) {
            for object in versions.values() {
                for (what, sent) in writes(object) {
                    for settings in refusing() {
                        all.push((format!("{release}: {what}"), payload(&settings, &sent)));
                    }
                }
            }
        }
    }
    let step = (all.len() / wanted).max(1);
    all.into_iter().step_by(step).collect()
}

/// Settings that refuse nearly everything that is new, each with another way.
fn refusing() -> Vec<Value> {
    vec![
        json!({"deviceClasses": {"deny": ["*"]}, "allocationModes": {"deny": ["ExactCount", "All"]}, "adminAccess": {"deny": true}}),
        json!({"limits": {"maxRequests": 0, "maxCount": 0, "allDevices": "deny"}, "selectors": {"denyInClaims": true, "denyInClasses": true}}),
        json!({"tolerations": {"deny": [{"key": "*"}]}, "opaqueParameters": {"deny": ["*"]}, "extendedResourceNames": {"deny": ["*"]},
            "deviceTaintRules": {"selectorRequired": "always"}}),
        json!({"apiVersions": {"deny": ["v1alpha*", "v1beta*"]}}),
        json!({"release": "1.34", "deviceClasses": {"deny": ["*"]}}),
        json!({"limits": {"sums": [{"of": "claim", "maxCount": 0, "maxCapacity": {"memory": "0"}}],
            "classes": [{"names": ["*"], "maxCount": 0, "maxCapacity": {"memory": "0"}, "allDevices": "deny"}]}}),
        json!({"limits": {"namespaces": [{"names": ["*"], "maxRequests": 0, "maxCount": 0, "sums": [{"of": "claim", "maxCount": 0}]}]},
            "tolerations": {"namespaces": [{"names": ["*"], "deny": [{"key": "*"}]}]},
            "selectors": {"namespaces": [{"names": ["*"], "denyInClaims": true}]},
            "opaqueParameters": {"namespaces": [{"names": ["*"], "deny": ["*"]}]},
            "pods": {"namespaces": [{"names": ["*"], "maxClaims": 0, "namesMatch": true}]}}),
        json!({"opaqueParameters": {"rules": [{"driver": "*", "expression": "parameters.absent == 1"}]},
            "deviceTaintRules": {"deny": [{"key": "*"}]}, "sliceTaints": {"deny": [{"key": "*"}]}}),
        json!({"pods": {"maxClaims": 0, "namesMatch": true, "claims": {"deny": ["*"]}, "templates": {"deny": ["*"]},
            "extendedResources": {"deny": ["*"]}}}),
        json!({"deviceClasses": {"deny": ["*"], "exempt": {"groups": ["sre"]}, "message": "{kind} {namespace} {name} {user} {setting} {value} {class}"},
            "limits": {"maxCount": 0, "exempt": {"usernames": ["sre-*"]}, "message": "{value} of {class}"},
            "adminAccess": {"deny": true, "exempt": {"namespaces": ["dra-admin"]}}}),
    ]
}

/// Settings that ask the cluster: what is not new needs no answer.
fn asking() -> Vec<Value> {
    let labels = json!({"team": "research"});
    vec![
        json!({"cluster": {"classExists": true, "maxClaims": 0, "podClasses": true, "uniqueExtendedResourceNames": true, "keepUsedClasses": true},
            "deviceClasses": {"deny": ["*"]}}),
        json!({"limits": {"sums": [{"of": "pod", "maxCount": 0}, {"of": "namespace", "maxCount": 0}]}}),
        json!({"deviceClasses": {"namespaces": [{"labels": labels, "deny": ["*"]}]}, "adminAccess": {"labels": labels},
            "limits": {"namespaces": [{"labels": labels, "maxCount": 0}]},
            "tolerations": {"namespaces": [{"labels": labels, "deny": [{"key": "*"}]}]},
            "selectors": {"namespaces": [{"labels": labels, "denyInClaims": true}]},
            "opaqueParameters": {"namespaces": [{"labels": labels, "deny": ["*"]}]},
            "pods": {"namespaces": [{"labels": labels, "maxClaims": 0}]}}),
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
    all.push((
        "a storage migration",
        update("system:storage-version-migrator", &stored, stored.clone()),
    ));
    let owned = changed(&|object| {
        let owner = json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "blockOwnerDeletion": false}]);
        object["metadata"]["ownerReferences"] = owner;
        object["metadata"]["managedFields"] = json!([{"manager": "x", "operation": "Apply", "apiVersion": stored["apiVersion"],
            "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}}]);
    });
    let collector = "system:serviceaccount:kube-system:generic-garbage-collector";
    all.push(("an owner", update(collector, &stored, owned.clone())));
    all.push(("an owner less", update(collector, &owned, stored.clone())));
    if object["kind"] == "ResourceSlice" && stored["spec"]["pool"].is_object() {
        let next = changed(&|object| object["spec"]["pool"]["generation"] = json!(1_000_000));
        all.push((
            "another generation",
            update("system:serviceaccount:drivers:gpu", &stored, next.clone()),
        ));
        let fewer = changed(&|object| {
            object["spec"]["pool"]["generation"] = json!(1_000_000);
            if let Some(devices) = object["spec"]["devices"].as_array_mut() {
                devices.reverse();
                devices.pop();
            }
        });
        all.push((
            "fewer devices",
            update("system:serviceaccount:drivers:gpu", &stored, fewer),
        ));
    }
    if matches!(
        object["kind"].as_str(),
        Some("DeviceTaintRule" | "ResourcePoolStatusRequest")
    ) {
        let condition = json!({"type": "EvictionInProgress", "status": "True", "reason": "Evicting", "message": "",
            "lastTransitionTime": "2026-03-01T11:00:00Z"});
        let told = changed(&|object| object["status"] = json!({"conditions": [condition]}));
        all.push((
            "a condition",
            Sent {
                operation: "UPDATE",
                sub_resource: "status",
                user: "system:serviceaccount:kube-system:device-taint-eviction-controller",
                object: told,
                old: stored.clone(),
            },
        ));
    }
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
        let mut without = before.clone();
        without["status"] = json!({});
        let of_status = |user, old: &Value, object: &Value| Sent {
            operation: "UPDATE",
            sub_resource: "status",
            user,
            object: object.clone(),
            old: old.clone(),
        };
        let scheduler = "system:kube-scheduler";
        all.push(("an allocation", of_status(scheduler, &without, &before)));
        all.push((
            "no allocation any more",
            of_status(scheduler, &before, &without),
        ));
        if let Some(device) = before.pointer("/status/allocation/devices/results/0") {
            let mut told = before.clone();
            told["status"]["devices"] = json!([{"driver": device["driver"], "pool": device["pool"], "device": device["device"],
                "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": "", "lastTransitionTime": "2026-03-01T11:00:00Z"}]}]);
            all.push((
                "a device's status",
                of_status("system:node:n1", &before, &told),
            ));
        }
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
                            wrong.push(format!(
                                "{release}: {what}\n  {settings}\n  {}\n  {answer}",
                                sent.object
                            ));
                        }
                    }
                    for settings in asking() {
                        asked += 1;
                        let (accepted, answer) =
                            admitted_by(Some(&SilentCluster), &settings, &sent);
                        if !accepted {
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

/// Pods and workloads that break every setting, in the forms of all releases.
fn pods() -> Vec<Value> {
    let spec = |reference: Value| {
        json!({"containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "other"}],
                "requests": {"example.com/gpu": "2", "deviceclass.resource.kubernetes.io/a.example.com": "3"},
                "limits": {"example.com/gpu": "2", "deviceclass.resource.kubernetes.io/a.example.com": "3"}}}],
            "resourceClaims": [reference]})
    };
    let metadata = json!({"name": "p", "namespace": "team-a", "uid": "u", "resourceVersion": "7"});
    let mut all = Vec::new();
    for reference in [
        json!({"name": "gpu", "source": {"resourceClaimTemplateName": "t"}}),
        json!({"name": "gpu", "resourceClaimName": "c"}),
        json!({"name": "gpu", "resourceClaimTemplateName": "t"}),
    ] {
        let (spec, template) = (
            spec(reference.clone()),
            |spec: &Value| json!({"metadata": {}, "spec": spec}),
        );
        for (api_version, kind, body) in [
            ("v1", "Pod", spec.clone()),
            (
                "apps/v1",
                "Deployment",
                json!({"replicas": 1, "template": template(&spec)}),
            ),
            (
                "apps/v1",
                "ReplicaSet",
                json!({"replicas": 1, "template": template(&spec)}),
            ),
            (
                "apps/v1",
                "StatefulSet",
                json!({"replicas": 1, "template": template(&spec)}),
            ),
            (
                "batch/v1",
                "Job",
                json!({"parallelism": 1, "suspend": true, "template": template(&spec)}),
            ),
            (
                "batch/v1",
                "CronJob",
                json!({"schedule": "@daily", "jobTemplate": {"spec": {"template": template(&spec)}}}),
            ),
            (
                "jobset.x-k8s.io/v1alpha2",
                "JobSet",
                json!({"replicatedJobs": [{"name": "j", "template": {"spec": {"template": template(&spec)}}}]}),
            ),
            (
                "kueue.x-k8s.io/v1beta1",
                "Workload",
                json!({"active": true, "podSets": [{"name": "main", "count": 1, "template": template(&spec)}]}),
            ),
            (
                "scheduling.k8s.io/v1alpha2",
                "PodGroup",
                json!({"resourceClaims": [reference.clone()]}),
            ),
        ] {
            all.push(json!({"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": body}));
        }
    }
    all
}

/// What controllers, schedulers and kubelets write to a pod or a workload.
fn writes_to_pods(stored: &Value) -> Vec<(&'static str, Sent<'static>)> {
    let controller = "system:serviceaccount:kube-system:job-controller";
    let mut all = Vec::new();
    for (what, path, value) in [
        ("labels", "/metadata/labels", json!({"a": "b"})),
        (
            "a finalizer",
            "/metadata/finalizers",
            json!(["batch.kubernetes.io/job-tracking"]),
        ),
        (
            "a revision",
            "/metadata/annotations",
            json!({"deployment.kubernetes.io/revision": "2"}),
        ),
        (
            "an owner",
            "/metadata/ownerReferences",
            json!([{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u"}]),
        ),
        ("replicas", "/spec/replicas", json!(7)),
        ("a job that may run", "/spec/suspend", json!(false)),
        ("a node", "/spec/nodeName", json!("n1")),
        ("no gates", "/spec/schedulingGates", json!([])),
        ("a priority", "/spec/priority", json!(5)),
    ] {
        let (parent, field) = path.rsplit_once('/').unwrap();
        let mut object = stored.clone();
        object.pointer_mut(parent).unwrap()[field] = value;
        let update = |object: &Value, old: &Value| Sent {
            operation: "UPDATE",
            sub_resource: "",
            user: controller,
            object: object.clone(),
            old: old.clone(),
        };
        all.push((what, update(&object, stored)));
        all.push((what, update(stored, &object)));
    }
    let mut told = stored.clone();
    told["status"] = json!({"phase": "Running", "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "p-gpu-x"}],
        "extendedResourceClaimStatus": {"resourceClaimName": "p-extended-x"}});
    for sub_resource in ["status", "ephemeralcontainers", "resize"] {
        all.push((
            "a part of the object",
            Sent {
                operation: "UPDATE",
                sub_resource,
                user: "system:node:n1",
                object: told.clone(),
                old: stored.clone(),
            },
        ));
    }
    let of_other_kind = |api_version: &str, kind: &str| {
        json!({"apiVersion": api_version, "kind": kind, "metadata": stored["metadata"],
        "target": {"kind": "Node", "name": "n1"}, "spec": {"replicas": 3}})
    };
    for (what, operation, sub_resource, object) in [
        (
            "a binding",
            "CREATE",
            "binding",
            of_other_kind("v1", "Binding"),
        ),
        (
            "an eviction",
            "CREATE",
            "eviction",
            of_other_kind("policy/v1", "Eviction"),
        ),
        (
            "a scale",
            "UPDATE",
            "scale",
            of_other_kind("autoscaling/v1", "Scale"),
        ),
    ] {
        let old = if operation == "UPDATE" {
            object.clone()
        } else {
            Value::Null
        };
        all.push((
            what,
            Sent {
                operation,
                sub_resource,
                user: "system:kube-scheduler",
                object,
                old,
            },
        ));
    }
    for operation in ["DELETE", "CONNECT"] {
        all.push((
            "no object",
            Sent {
                operation,
                sub_resource: "",
                user: "jane",
                object: Value::Null,
                old: stored.clone(),
            },
        ));
    }
    all
}

#[test]
fn no_write_to_a_pod_that_breaks_settings_is_refused() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for stored in pods() {
        for (what, sent) in writes_to_pods(&stored) {
            let live = refusing().into_iter().map(|settings| (None, settings));
            let silent: &dyn ClusterReader = &SilentCluster;
            let asking = asking()
                .into_iter()
                .map(|settings| (Some(silent), settings));
            for (cluster, settings) in live.chain(asking) {
                asked += 1;
                let (accepted, answer) = admitted_by(cluster, &settings, &sent);
                if !accepted {
                    wrong.push(format!(
                        "{what}\n  {settings}\n  {}\n  {answer}",
                        sent.object
                    ));
                }
            }
        }
    }
    println!("{asked} writes to pods and workloads");
    assert!(
        wrong.is_empty(),
        "{} of {asked}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(asked >= 4_000, "{asked}");
}

/// A claim that the controller of claims makes of a template is accepted where the template was.
#[test]
fn no_claim_of_an_accepted_template_is_refused() {
    let mut wrong = Vec::new();
    let (mut asked, mut refused) = (0, 0);
    for release in RELEASES {
        for versions in stored(release) {
            for template in versions.values() {
                if template["kind"] != "ResourceClaimTemplate" {
                    continue;
                }
                let mut claim = template["spec"].clone();
                claim["apiVersion"] = template["apiVersion"].clone();
                claim["kind"] = json!("ResourceClaim");
                if !claim["metadata"].is_object() {
                    claim["metadata"] = json!({});
                }
                claim["metadata"]["namespace"] = template["metadata"]["namespace"].clone();
                claim["metadata"]["generateName"] = json!("p-gpu-");
                claim["metadata"]["name"] = json!("p-gpu-x2x4x");
                claim["metadata"]["annotations"] =
                    json!({"resource.kubernetes.io/pod-claim-name": "gpu"});
                claim["metadata"]["ownerReferences"] = json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u",
                    "controller": true, "blockOwnerDeletion": true}]);
                let of_controller = Sent {
                    user: "system:serviceaccount:kube-system:resource-claim-controller",
                    ..create_of(&claim)
                };
                for settings in refusing() {
                    if !admitted(&settings, &create_of(template)).0 {
                        refused += 1;
                        continue;
                    }
                    asked += 1;
                    let (accepted, answer) = admitted(&settings, &of_controller);
                    if !accepted {
                        wrong.push(format!("{release}\n  {settings}\n  {claim}\n  {answer}"));
                    }
                }
            }
        }
    }
    println!("{asked} claims of accepted templates, {refused} refused templates");
    assert!(
        wrong.is_empty(),
        "{} of {asked}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        asked >= 100 && refused >= 50,
        "{asked} asked, {refused} refused"
    );
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
