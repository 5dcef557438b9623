//! A cluster and its snapshot get the same answers, redacted or not.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests fail loudly"
)]

use claimkit_cli::{Host, Ran, RunEnd, run};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A cluster behind kubectl, a file `FILE`, and what was printed.
#[derive(Default)]
struct Cluster {
    /// The objects by the addresses of their lists.
    lists: BTreeMap<String, Vec<Value>>,
    metrics: String,
    file: String,
    out: String,
    err: String,
}

impl Host for Cluster {
    fn read(&mut self, _path: &str, _most: usize) -> Result<Vec<u8>, String> {
        Ok(self.file.clone().into_bytes())
    }

    fn kubectl(&mut self, arguments: &[String], _most: usize) -> Result<Ran, String> {
        let mut words = arguments.iter();
        let address = words.find_map(|word| word.strip_prefix("--raw="));
        let path = address.and_then(|address| address.split('?').next());
        let out = match path {
            None if arguments.iter().any(|word| word == "version") => {
                json!({"serverVersion": {"gitVersion": "v1.37.2"}}).to_string()
            }
            None => "{}".to_owned(),
            Some("/metrics") => self.metrics.clone(),
            Some("/apis/resource.k8s.io") => json!({"versions": [{"version": "v1"}]}).to_string(),
            Some("/apis/scheduling.k8s.io") => {
                json!({"versions": [{"version": "v1beta1"}]}).to_string()
            }
            Some(path) => {
                let items = self.lists.get(path).cloned().unwrap_or_default();
                list_of(&items)
            }
        };
        Ok(Ran {
            out: out.into_bytes(),
            err: String::new(),
            end: RunEnd::Success,
        })
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        self.err.push_str(text);
    }
}

fn list_of(items: &[Value]) -> String {
    json!({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": "9"}, "items": items}).to_string()
}

impl Cluster {
    /// Makes the cluster of some objects, each with its plural.
    fn of(objects: Vec<(&str, Value)>) -> Self {
        let mut cluster = Cluster::default();
        for (plural, object) in objects {
            let root = match object["apiVersion"].as_str().unwrap() {
                "v1" => "/api/v1".to_owned(),
                version => format!("/apis/{version}"),
            };
            let list = cluster.lists.entry(format!("{root}/{plural}")).or_default();
            list.push(object);
        }
        cluster
    }

    /// Returns what a command line prints.
    fn printed(&mut self, line: &str) -> String {
        self.out.clear();
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        run(&words, self);
        std::mem::take(&mut self.out)
    }
}

fn meta(namespace: &str, name: &str) -> Value {
    let uid = format!("uid-of-{namespace}-{name}");
    json!({"namespace": namespace, "name": name, "uid": uid, "creationTimestamp": "2026-11-20T10:00:00Z"})
}

fn pod(name: &str, spec: Value, status: Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta("team", name),
        "spec": {"containers": [{"name": "main", "image": "registry.example.com/app:1"}]}, "status": status});
    let fields = spec.as_object().unwrap().clone();
    pod["spec"].as_object_mut().unwrap().extend(fields);
    pod
}

fn claim(name: &str, more: Value) -> Value {
    let mut claim = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": meta("team", name),
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}]}}});
    let fields = more.as_object().unwrap().clone();
    claim.as_object_mut().unwrap().extend(fields);
    claim
}

/// A node with one device, which a pod holds that does not feel well; and pods that wait for what is not there.
fn cluster() -> Cluster {
    let amounts = json!({"cpu": "8", "memory": "16Gi", "pods": "110"});
    let held = json!({"status": {
        "allocation": {"devices": {"results": [{"request": "gpu", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]}},
        "reservedFor": [{"resource": "pods", "name": "sick", "uid": "uid-of-team-sick"}]}});
    let uses = |claim: &str| json!([{"name": "gpu", "resourceClaimName": claim}]);
    let unwell = json!([{"name": "main", "ready": true, "allocatedResourcesStatus": [
        {"name": "claim:gpu", "resources": [{"resourceID": "gpu.example.com/n1/gpu-0", "health": "Unhealthy"}]}]}]);
    let mut ended = pod(
        "done",
        json!({"nodeName": "n1"}),
        json!({"phase": "Succeeded"}),
    );
    ended["metadata"]["deletionTimestamp"] = json!("2026-11-21T10:00:00Z");
    ended["metadata"]["finalizers"] = json!(["batch.kubernetes.io/job-tracking"]);
    ended["metadata"]["ownerReferences"] = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "j-1", "controller": true}]);
    let mut watch = claim("watch", json!({}));
    watch["spec"]["devices"]["requests"][0]["exactly"]["adminAccess"] = json!(true);
    Cluster::of(vec![
        (
            "nodes",
            json!({"apiVersion": "v1", "kind": "Node", "metadata": meta("", "n1"),
            "spec": {"taints": [{"key": "repair", "effect": "NoExecute"}]},
            "status": {"allocatable": amounts, "nodeInfo": {"kubeletVersion": "v1.35.1"},
                "conditions": [{"type": "Ready", "status": "False", "reason": "KubeletNotReady"}]}}),
        ),
        (
            "namespaces",
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": meta("", "team")}),
        ),
        (
            "deviceclasses",
            json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": meta("", "gpu"), "spec": {}}),
        ),
        (
            "resourceslices",
            json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": meta("", "n1-gpu"),
            "spec": {"driver": "gpu.example.com", "nodeName": "n1", "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "gpu-0"}]}}),
        ),
        ("resourceclaims", claim("held", held)),
        ("resourceclaims", claim("wanted", json!({}))),
        ("resourceclaims", watch),
        (
            "pods",
            pod(
                "sick",
                json!({"nodeName": "n1", "resourceClaims": uses("held"), "tolerations": [{"operator": "Exists"}]}),
                json!({"phase": "Running", "containerStatuses": unwell}),
            ),
        ),
        (
            "pods",
            pod(
                "waits",
                json!({"resourceClaims": uses("wanted")}),
                json!({"phase": "Pending"}),
            ),
        ),
        (
            "pods",
            pod(
                "grouped",
                json!({"schedulingGroup": {"podGroupName": "pair"}}),
                json!({"phase": "Pending"}),
            ),
        ),
        ("pods", ended),
    ])
}

/// Returns the parts of an answer that a snapshot can have.
fn comparable(answer: &str) -> Value {
    let answer: Value = serde_json::from_str(answer).unwrap();
    let findings = answer["findings"].as_array().unwrap().iter();
    let findings: Vec<Value> = findings
        .map(|finding| match finding.is_object() {
            true => json!([finding["code"], finding["message"], finding["help"]]),
            false => finding.clone(),
        })
        .collect();
    json!([answer["release"], findings, answer["pods"], answer["usage"]])
}

#[test]
fn audits_find_in_a_running_cluster_what_they_find_in_its_snapshot() {
    let mut cluster = cluster();
    let live = cluster.printed("audit --live --output json");
    let messages = comparable(&live).to_string();
    for said in [
        "node n1 is not ready (KubeletNotReady) and has devices in use by team/held",
        "pod team/sick uses an unhealthy device in container main",
        "pod team/grouped waits: there is no PodGroup `pair` in its namespace",
        "its Job team/train is not there",
        "ResourceClaim team/watch asks for admin access, and namespace team lacks the label",
    ] {
        assert!(messages.contains(said), "{said}: {messages}");
    }
    assert!(!messages.contains("evicts"), "{messages}");
    cluster.file = cluster.printed("snapshot");
    let of_file = cluster.printed("audit FILE --output json");
    assert_eq!(comparable(&live), comparable(&of_file));
    // A snapshot of the snapshot is the same.
    let again = cluster.printed("snapshot --filename FILE");
    let [again, file] = [&again, &cluster.file].map(|text| text.parse::<Value>().unwrap());
    assert_eq!(again, file);
}

#[test]
fn pods_are_explained_of_a_snapshot_as_of_its_cluster() {
    let mut cluster = cluster();
    let live = cluster.printed("why -A --output json");
    assert!(live.contains("PodGroup pair, which is not there"), "{live}");
    cluster.file = cluster.printed("snapshot");
    let of_file = cluster.printed("why --filename FILE --output json");
    assert_eq!(comparable(&live), comparable(&of_file));
    // Nothing at all is a fact of a whole cluster.
    for plural in ["resourceslices", "deviceclasses", "resourceclaims"] {
        let list = format!("/apis/resource.k8s.io/v1/{plural}");
        let kept = cluster.lists.remove(&list).unwrap();
        let live = cluster.printed("why -A --output json");
        cluster.file = cluster.printed("snapshot");
        let of_file = cluster.printed("why --filename FILE --output json");
        assert_eq!(comparable(&live), comparable(&of_file), "{plural}");
        let live = cluster.printed("audit --live --output json");
        let of_file = cluster.printed("audit FILE --output json");
        assert_eq!(comparable(&live), comparable(&of_file), "{plural}");
        cluster.lists.insert(list, kept);
    }
}

#[test]
fn a_snapshot_has_the_release_and_the_gates_of_its_cluster() {
    let mut cluster = cluster();
    "kubernetes_feature_enabled{name=\"GenericWorkload\",stage=\"ALPHA\"} 1\n"
        .clone_into(&mut cluster.metrics);
    cluster.file = cluster.printed("snapshot");
    let answer: Value =
        serde_json::from_str(&cluster.printed("why --filename FILE --output json")).unwrap();
    assert_eq!(answer["release"], "1.37.2");
    assert_eq!(answer["gates"], json!({"GenericWorkload": true}));
    let answer: Value = serde_json::from_str(&cluster.printed("audit FILE --output json")).unwrap();
    assert_eq!(answer["gates"]["GenericWorkload"], true);
    // Another release has gates of its own.
    let line = "why --filename FILE --release 1.36 --output json";
    let answer: Value = serde_json::from_str(&cluster.printed(line)).unwrap();
    assert_eq!(answer["gates"], json!({}));
}
