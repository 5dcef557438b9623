//! A redacted snapshot gets the answers of the plain one: with the names put back, they are the same byte for byte.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests fail loudly, and read files"
)]

use claimkit_cli::{Host, run};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files by their names, and what was printed.
#[derive(Default)]
struct Files {
    files: BTreeMap<String, String>,
    out: String,
    err: String,
}

impl Host for Files {
    fn read(&mut self, path: &str, _most: usize) -> Result<Vec<u8>, String> {
        let text = self.files.get(path).ok_or("no such file")?;
        Ok(text.clone().into_bytes())
    }

    fn out(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn err(&mut self, text: &str) {
        self.err.push_str(text);
    }
}

impl Files {
    fn of(name: &str, text: &str) -> Self {
        let mut host = Files::default();
        host.files.insert(name.to_owned(), text.to_owned());
        host
    }
}

/// Returns what a command line prints about a text, which is the file `FILE`.
fn printed(line: &str, text: &str) -> (String, String) {
    let mut host = Files::of("FILE", text);
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    run(&words, &mut host);
    (host.out, host.err)
}

/// Returns runs of letters and digits, and what is between them.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_other = |letter: char| letter.is_alphanumeric() != first.is_alphanumeric();
        let (part, after) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
        parts.push(part);
        rest = after;
    }
    parts
}

/// The names behind the replacements.
#[derive(Default)]
struct Originals {
    words: BTreeMap<String, String>,
    wholes: BTreeMap<String, String>,
}

impl Originals {
    /// Compares a part of the redacted snapshot with the same part of the plain one.
    fn learn(&mut self, redacted: &Value, plain: &Value) {
        match (redacted, plain) {
            (Value::Object(members), Value::Object(all)) => {
                for (name, member) in members {
                    self.learn(member, &all[name]);
                }
            }
            (Value::Array(items), Value::Array(all)) => {
                assert_eq!(items.len(), all.len());
                items
                    .iter()
                    .zip(all)
                    .for_each(|(item, of)| self.learn(item, of));
            }
            (Value::String(text), Value::String(original)) => self.learn_text(text, original),
            (other, of) => assert_eq!(other, of),
        }
    }

    fn learn_text(&mut self, text: &str, original: &str) {
        if text.starts_with("u-") && text.len() > 2 && text[2..].chars().all(|c| c.is_ascii_digit())
        {
            let known = self
                .wholes
                .entry(text.to_owned())
                .or_insert(original.to_owned());
            return assert_eq!(known, original);
        }
        let (own, other) = (parts(text), parts(original));
        assert_eq!(own.len(), other.len(), "{text} for {original}");
        for (word, of) in own.into_iter().zip(other) {
            if word != of {
                let known = self.words.entry(word.to_owned()).or_insert(of.to_owned());
                assert_eq!(known, of, "one replacement for two words");
            }
        }
    }

    /// Puts the names back.
    fn in_text(&self, text: &str) -> String {
        let mut back = String::new();
        for part in parts(text) {
            back.push_str(self.words.get(part).map_or(part, String::as_str));
        }
        for (whole, original) in &self.wholes {
            back = back.replace(&format!("\"{whole}\""), &format!("\"{original}\""));
        }
        back
    }
}

/// Drops the places of findings within lines, which are those of longer or shorter names.
fn without_columns(text: &str) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(members) => {
                for name in [
                    "column",
                    "endColumn",
                    "from",
                    "to",
                    "start",
                    "end",
                    "span",
                    "offset",
                ] {
                    members.remove(name);
                }
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(text).unwrap();
    strip(&mut value);
    value
}

const QUESTIONS: &[&str] = &[
    "why -A -f FILE -o json",
    "allocate FILE -o json",
    "audit FILE -o json",
];

/// Compares the answers about a text with those about its redacted form.
fn compare(name: &str, text: &str) {
    let (plain, told) = printed("snapshot -f FILE", text);
    assert!(!plain.is_empty(), "{name}: {told}");
    let (redacted, told) = printed("snapshot --redact -f FILE", text);
    assert!(!redacted.is_empty(), "{name}: {told}");
    let (again, _) = printed("snapshot --redact -f FILE", &plain);
    let list = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(
        list(&redacted),
        list(&again),
        "{name}: the snapshot of a snapshot"
    );
    let mut originals = Originals::default();
    originals.learn(&list(&redacted), &list(&plain));
    for line in QUESTIONS {
        let (expected, told_expected) = printed(line, &plain);
        let (answer, told) = printed(line, &redacted);
        let back = originals.in_text(&answer);
        assert!(
            without_columns(&back) == without_columns(&expected),
            "{name}: {line}\n{}",
            difference(&without_columns(&expected), &without_columns(&back))
        );
        assert_eq!(originals.in_text(&told), told_expected, "{name}: {line}");
    }
}

/// Bytes of a text that is only compared where all are asked for.
const LARGE: usize = 1 << 20;

/// Returns the first lines that differ.
fn difference(expected: &Value, found: &Value) -> String {
    let lines = |value: &Value| {
        let text = serde_json::to_string_pretty(value).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let (expected, found) = (lines(expected), lines(found));
    let pairs = expected.iter().zip(&found).enumerate();
    let different: Vec<String> = pairs
        .filter(|(_, (one, other))| one != other)
        .take(6)
        .map(|(at, (one, other))| format!("{at}\n- {one}\n+ {other}"))
        .collect();
    format!(
        "{}\n{} and {} lines",
        different.join("\n"),
        expected.len(),
        found.len()
    )
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn a_redacted_cluster_gets_the_answers_of_the_cluster() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 10);
    for path in paths {
        let text = unpacked(&path);
        if text.len() < LARGE || std::env::var_os("CLAIMKIT_ALL").is_some() {
            compare(&path.display().to_string(), &text);
        }
    }
}

/// A cluster in which everything has a name that nobody else may read.
const PRIVATE: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "private-host-1", "uid": "private-uid-1",
  "labels": {"kubernetes.io/hostname": "private-host-1", "private.example/owner": "private", "pool": "private-pool", "cores": "64"},
  "annotations": {"private.example/note": "private"}, "managedFields": [{"manager": "private"}]},
 "spec": {"podCIDR": "10.9.8.0/24", "providerID": "cloud:///private", "taints": [{"key": "dedicated", "value": "private-team", "effect": "NoSchedule"}]},
 "status": {"allocatable": {"cpu": "8", "memory": "8Gi", "pods": "10"}, "nodeInfo": {"kubeletVersion": "v1.37.2", "machineID": "private"},
  "addresses": [{"type": "InternalIP", "address": "10.9.8.7"}], "images": [{"names": ["private/image"]}]}},
{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "private-space", "labels": {"owner": "private"}}},
{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "private", "namespace": "private-space"}, "data": {"a": "cHJpdmF0ZQ=="}},
{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"},
 "spec": {"selectors": [{"cel": {"expression": "device.driver == \"gpu.example.com\""}}],
  "config": [{"opaque": {"driver": "gpu.example.com", "parameters": {"token": "private"}}}]}},
{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "private-host-1-gpu-x2"},
 "spec": {"driver": "gpu.example.com", "nodeName": "private-host-1",
  "pool": {"name": "private-host-1", "generation": 1, "resourceSliceCount": 1}, "devices": [{"name": "gpu-0"}]}},
{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
 "metadata": {"name": "private-job-gpu-x7", "namespace": "private-space", "uid": "private-uid-2",
  "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "private-job", "uid": "private-uid-3", "controller": true}]},
 "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 2}}]}},
 "status": {"devices": [{"driver": "gpu.example.com", "pool": "private-host-1", "device": "gpu-0", "data": {"serial": "private"},
  "networkData": {"ips": ["10.9.8.6/24"]}}]}},
{"apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "private-rc", "namespace": "private-space"},
 "spec": {"replicas": 2, "selector": {"app": "private-rc"}, "template": {"metadata": {"labels": {"app": "private-rc"}},
  "spec": {"containers": [{"name": "c", "image": "private"}]}}}},
{"apiVersion": "v1", "kind": "Event", "metadata": {"name": "private-job.18", "namespace": "private-space"}, "reason": "FailedResourceClaimCreation",
 "involvedObject": {"kind": "Pod", "namespace": "private-space", "name": "private-job", "uid": "private-uid-3"},
 "source": {"host": "private-host-1"}, "message": "PodResourceClaim more: private-space/private-job at 10.9.8.7 is refused, ask private@corp.example"},
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "private-job", "namespace": "private-space", "uid": "private-uid-3",
  "annotations": {"private.example/user": "private"}, "labels": {"app": "private-app"}},
 "spec": {"serviceAccountName": "private", "imagePullSecrets": [{"name": "private"}], "nodeSelector": {"pool": "private-pool"},
  "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
   {"key": "cores", "operator": "Gt", "values": ["32"]}]}]}},
   "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname",
   "labelSelector": {"matchLabels": {"app": "private-other"}}}]}},
  "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "private-team"}],
  "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "private-template"}],
  "containers": [{"name": "private-container", "image": "registry.corp.example/private", "command": ["private"], "args": ["private"],
   "env": [{"name": "PRIVATE", "value": "private"}], "resources": {"claims": [{"name": "gpu"}]}}],
  "volumes": [{"name": "private", "secret": {"secretName": "private"}}]},
 "status": {"phase": "Pending", "podIP": "10.9.8.5", "resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "private-job-gpu-x7"}],
  "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/1 nodes are available: 1 cannot allocate all claims."}]}}
]}"#;

#[test]
fn nothing_private_is_left_and_the_answer_is_the_same() {
    compare("private", PRIVATE);
    let (redacted, told) = printed("snapshot --redact -f FILE", PRIVATE);
    assert_eq!(told, "claimkit: left out of the snapshot: 1 Secret\n");
    for word in ["private", "PRIVATE", "corp", "10.9.8", "cHJpdmF0ZQ"] {
        assert!(!redacted.contains(word), "{word} in {redacted}");
    }
    // What is compared as a number stays, as does the message that no name is in.
    assert!(redacted.contains(r#""cores":"64""#), "{redacted}");
    assert!(redacted.contains("0/1 nodes are available: 1 cannot allocate all claims."));
    let (answer, _) = printed("why -A -f FILE", &redacted);
    assert!(answer.contains("gpu: 1 on the node"), "{answer}");
}

/// Objects of which an answer reads more than whether names are the same: POD is a pod that holds the only device.
const READ: &str = "apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n-1}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}, nodeInfo: {kubeletVersion: RELEASE}}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: n-1, pool: {name: n-1, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: ml}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ml, uid: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}
- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ml, uid: p}, spec: {WAITING containers: [{name: c, image: i}], resourceClaims: [{name: gpu, resourceClaimName: c}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Pod, metadata: {name: unmade, namespace: ml, uid: unmade}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]}, status: {phase: Pending}}
- {apiVersion: v1, kind: Event, metadata: {name: e, namespace: ml}, reason: FailedResourceClaimCreation, involvedObject: {kind: Pod, namespace: ml, name: unmade, uid: unmade}, message: 'PodResourceClaim gpu: create ResourceClaim : forbidden'}
- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: h-c, namespace: SPACE, uid: h-c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}, status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: n-1, device: g0}]}}, reservedFor: [{resource: pods, name: POD, uid: h}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: POD, namespace: SPACE, uid: hMETA}, spec: {nodeName: n-1, containers: [{name: c, image: i}], resourceClaims: [{name: gpu, resourceClaimName: h-c}]}, status: {phase: Running}}
";

#[test]
fn what_answers_read_in_names_and_annotations_stays() {
    let owner = |kind: &str, name: &str, labels: &str| {
        format!(
            ", labels: {{{labels}}}, ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {name}, uid: o, controller: true}}]"
        )
    };
    let set = owner("StatefulSet", "web", "");
    let rollout = owner("ReplicaSet", "web-5d8f", "rollouts-pod-template-hash: 5d8f");
    let mirror = ", annotations: {kubernetes.io/config.mirror: abc}";
    let cases = [
        ("ml", "h", mirror, "", "v1.37.2", "a static pod of kubelet"),
        ("kube-system", "h", "", "", "v1.37.2", "the cluster needs"),
        ("ml", "web-0", &set, "", "v1.37.2", "--replicas=0"),
        ("ml", "web-5d8f-x", &rollout, "", "v1.37.2", "rollout/"),
        (
            "ml",
            "web-0",
            &set,
            "workloadRef: {name: w, podGroup: g}, ",
            "v1.35.2",
            "groups of a Workload",
        ),
    ];
    for (space, pod, meta, waiting, release, told) in cases {
        let text = READ
            .replace("SPACE", space)
            .replace("POD", pod)
            .replace("META", meta)
            .replace("WAITING", waiting)
            .replace("RELEASE", release);
        let text = match waiting {
            "" => text,
            _ => text.replace("[{name: g0}]", "[{name: g0}, {name: g1}]"),
        };
        compare(pod, &text);
        let (redacted, _) = printed("snapshot --redact -f FILE", &text);
        let (answer, _) = printed("why -A -f FILE", &redacted);
        assert!(answer.contains(told), "{told}: {answer}");
        assert!(answer.contains("forbidden"), "{answer}");
    }
}

#[test]
fn files_without_an_object_that_decides_are_refused() {
    let (out, told) = printed(
        "snapshot -f FILE",
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}",
    );
    assert_eq!(out, "");
    assert!(
        told.ends_with("the files hold no object that an answer depends on\n"),
        "{told}"
    );
    let (out, told) = printed("snapshot -f FILE --context x", "");
    assert_eq!(out, "");
    assert!(
        told.contains("`--context` is about a running cluster"),
        "{told}"
    );
}

/// A folder with other dumps, each `NAME/objects.yaml`.
#[test]
fn dumps_that_are_named_get_the_same_answers_redacted() {
    let Ok(folder) = std::env::var("CLAIMKIT_DUMPS") else {
        return;
    };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path().join("objects.yaml");
        if let Ok(text) = std::fs::read_to_string(&path) {
            compare(&path.display().to_string(), &text);
        }
    }
}
