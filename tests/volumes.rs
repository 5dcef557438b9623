//! Pods with volumes, and dumps of real clusters with the answers that kube-scheduler gave there.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

fn ask(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

/// What becomes of the pods of a text: by pod the node, the message, or the outcome.
fn outcomes(text: &str) -> Vec<(String, String)> {
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    assert!(answer["error"].is_null(), "{answer}");
    let mut list = Vec::new();
    for pod in answer["pods"].as_array().unwrap() {
        let turn = &pod["turn"];
        let what = turn["node"]
            .as_str()
            .or(turn["message"].as_str())
            .or(turn["outcome"].as_str());
        let name = pod["pod"].as_str().unwrap_or_default();
        list.push((name.to_owned(), what.unwrap().to_owned()));
    }
    list
}

const NODES: &str = "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {kubernetes.io/hostname: a, topology.kubernetes.io/zone: z1}}, status: {allocatable: {cpu: '8', memory: 16Gi, pods: '10'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b, labels: {kubernetes.io/hostname: b, topology.kubernetes.io/zone: z2}}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, provisioner: kubernetes.io/no-provisioner, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: disk}, provisioner: csi.example.com, volumeBindingMode: WaitForFirstConsumer}
---
{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: now}, provisioner: csi.example.com, volumeBindingMode: Immediate}
---
";

fn pod(name: &str, volumes: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, uid: {name}}}, spec: {{containers: [{{name: c, image: x}}], volumes: [{volumes}]}}}}\n---\n"
    )
}

fn of_claim(claim: &str) -> String {
    format!("{{name: v, persistentVolumeClaim: {{claimName: {claim}}}}}")
}

fn claim(name: &str, class: &str, more: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}, namespace: default, uid: {name}}}, spec: {{accessModes: [ReadWriteOnce], storageClassName: {class}, resources: {{requests: {{storage: 1Gi}}}}}}, status: {{phase: Pending{more}}}}}\n---\n"
    )
}

/// A claim that is bound to a volume, and the volume.
fn bound(name: &str, mode: &str, labels: &str, spec: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {name}, namespace: default, uid: {name}, annotations: {{pv.kubernetes.io/bind-completed: 'yes'}}}}, spec: {{accessModes: [{mode}], storageClassName: disk, volumeName: pv-{name}, resources: {{requests: {{storage: 1Gi}}}}}}, status: {{phase: Bound}}}}
---
{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: pv-{name}, labels: {{{labels}}}}}, spec: {{accessModes: [{mode}], storageClassName: disk, capacity: {{storage: 1Gi}}, claimRef: {{namespace: default, name: {name}, uid: {name}}}{spec}}}, status: {{phase: Bound}}}}
---
"
    )
}

fn free_volume(name: &str, size: &str, node: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: {name}}}, spec: {{accessModes: [ReadWriteOnce], storageClassName: local, capacity: {{storage: {size}}}, nodeAffinity: {{required: {{nodeSelectorTerms: [{{matchExpressions: [{{key: kubernetes.io/hostname, operator: In, values: [{node}]}}]}}]}}}}}}, status: {{phase: Available}}}}\n---\n"
    )
}

fn only(text: &str) -> String {
    let list = outcomes(text);
    assert_eq!(list.len(), 1, "{list:?}");
    list[0].1.clone()
}

const NOT_HELPFUL: &str =
    "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";

#[test]
fn claims_stop_a_pod_before_any_node() {
    let p = |volume: &str| pod("p", volume);
    let cases = [
        (
            p(&of_claim("none")),
            "persistentvolumeclaim \"none\" not found",
        ),
        (
            p(&of_claim("c")) + &claim("c", "now", ""),
            "pod has unbound immediate PersistentVolumeClaims",
        ),
        (
            p(&of_claim("c")) + &claim("c", "no-such-class", ""),
            "pod has unbound immediate PersistentVolumeClaims",
        ),
        (
            p("{name: v, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: disk}}}}"),
            "waiting for ephemeral volume controller to create the persistentvolumeclaim \"p-v\"",
        ),
        (
            p("{name: v, ephemeral: {volumeClaimTemplate: {spec: {storageClassName: disk}}}}")
                + &claim("p-v", "disk", ""),
            "PVC default/p-v was not created for pod default/p (pod is not owner)",
        ),
        (
            p(&of_claim("c"))
                + &claim("c", "disk", "").replace(
                    "uid: c}",
                    "uid: c, deletionTimestamp: '2026-01-01T00:00:00Z'}",
                ),
            "persistentvolumeclaim \"c\" is being deleted",
        ),
        (
            p(&of_claim("c"))
                + &bound("c", "ReadWriteOnce", "", "").replace("phase: Bound", "phase: Lost"),
            "persistentvolumeclaim \"c\" bound to non-existent persistentvolume \"pv-c\"",
        ),
        (
            p(&of_claim("c"))
                + &bound("c", "ReadWriteOnce", "", "").replace("name: pv-c,", "name: other,"),
            "persistentvolume \"pv-c\" not found",
        ),
    ];
    for (objects, reason) in cases {
        assert_eq!(
            only(&format!("{NODES}{objects}")),
            format!("0/2 nodes are available: {reason}. not found")
        );
    }
}

#[test]
fn volumes_decide_on_nodes() {
    let p = pod("p", &of_claim("c"));
    let on_b = ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [b]}]}]}}";
    let nowhere = on_b.replace("[b]", "[z]");
    // A volume that is there, and the nodes that can use it.
    assert_eq!(
        only(&(NODES.to_owned() + &p + &bound("c", "ReadWriteOnce", "", on_b))),
        "b"
    );
    assert_eq!(
        only(&(NODES.to_owned() + &p + &bound("c", "ReadWriteOnce", "", &nowhere))),
        format!(
            "0/2 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity. {NOT_HELPFUL}"
        )
    );
    // Zones by labels of the volume, several of them in one label.
    let zones = |zones: &str| {
        bound(
            "c",
            "ReadWriteOnce",
            &format!("topology.kubernetes.io/zone: {zones}"),
            "",
        )
    };
    assert_eq!(only(&(NODES.to_owned() + &p + &zones("z0__z2"))), "b");
    assert_eq!(
        only(&(NODES.to_owned() + &p + &zones("z3"))),
        format!("0/2 nodes are available: 2 node(s) had no available volume zone. {NOT_HELPFUL}")
    );
    // The smallest free volume that is large enough.
    let local = claim("c", "local", "");
    let volumes = free_volume("small", "500Mi", "a") + &free_volume("large", "2Gi", "b");
    assert_eq!(only(&(NODES.to_owned() + &p + &local + &volumes)), "b");
    assert_eq!(
        only(&(NODES.to_owned() + &p + &local + &free_volume("small", "500Mi", "a"))),
        format!(
            "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. {NOT_HELPFUL}"
        )
    );
    // A volume that is made, for the nodes of its class, or of an earlier attempt.
    let made = claim("c", "disk", "");
    assert_eq!(only(&(NODES.to_owned() + &p + &made)), "a");
    let selected = made.replace(
        "uid: c}",
        "uid: c, annotations: {volume.kubernetes.io/selected-node: b}}",
    );
    assert_eq!(only(&(NODES.to_owned() + &p + &selected)), "b");
    let topologies = NODES.replace(
        "metadata: {name: disk},",
        "metadata: {name: disk}, allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [z2]}]}],",
    );
    assert_eq!(only(&(topologies + &p + &made)), "b");
}

#[test]
fn a_volume_is_bound_once() {
    let pods = pod("p", &of_claim("c")) + &pod("q", &of_claim("d"));
    let claims = claim("c", "local", "") + &claim("d", "local", "");
    let one = free_volume("v", "1Gi", "a");
    let list = outcomes(&(NODES.to_owned() + &pods + &claims + &one));
    assert_eq!(list[0].1, "a");
    assert!(
        list[1]
            .1
            .contains("2 node(s) didn't find available persistent volumes to bind"),
        "{list:?}"
    );
}

#[test]
fn a_pod_at_a_time() {
    let pods = pod("p", &of_claim("c")) + &pod("q", &of_claim("c"));
    let list = outcomes(&(NODES.to_owned() + &pods + &bound("c", "ReadWriteOncePod", "", "")));
    assert_eq!(list[0].1, "a");
    assert_eq!(
        list[1].1,
        "0/2 nodes are available: 2 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    );
}

#[test]
fn drivers_limit_volumes() {
    let csi = |name: &str| format!(", csi: {{driver: csi.example.com, volumeHandle: {name}}}");
    let volumes =
        bound("c", "ReadWriteOnce", "", &csi("c")) + &bound("d", "ReadWriteOnce", "", &csi("d"));
    let pods = pod("p", &of_claim("c")) + &pod("q", &of_claim("d"));
    let limits = |count: &str| {
        ["a", "b"]
            .map(|node| format!("{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: {node}}}, spec: {{drivers: [{{name: csi.example.com, nodeID: {node}{count}}}]}}}}\n---\n"))
            .concat()
    };
    let nodes =
        |list: Vec<(String, String)>| list.into_iter().map(|(_, node)| node).collect::<Vec<_>>();
    let one_each = limits(", allocatable: {count: 1}");
    assert_eq!(
        nodes(outcomes(&(NODES.to_owned() + &pods + &volumes + &one_each))),
        ["a", "b"]
    );
    assert_eq!(
        nodes(outcomes(
            &(NODES.to_owned() + &pods + &volumes + &limits(""))
        )),
        ["a", "a"]
    );
    let attached = "{apiVersion: storage.k8s.io/v1, kind: VolumeAttachment, metadata: {name: x}, spec: {attacher: csi.example.com, nodeName: a, source: {persistentVolumeName: pv-d}}}\n---\n";
    let alone = pod("p", &of_claim("c"));
    assert_eq!(
        nodes(outcomes(
            &(NODES.to_owned() + &alone + &volumes + &one_each + attached)
        )),
        ["b"]
    );
    // A driver that must be there.
    let driver = "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.example.com}, spec: {preventPodSchedulingIfMissing: true}}\n---\n";
    assert_eq!(
        only(&(NODES.to_owned() + &alone + &volumes + driver)),
        "0/2 nodes are available: 2 csi.example.com CSI driver is not installed on the node. preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
    );
}

#[test]
fn storage_is_counted_and_scored() {
    let driver = "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.example.com}, spec: {storageCapacity: true}}\n---\n";
    let capacity = |node: &str, size: &str| {
        format!(
            "{{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {{name: {node}, namespace: default}}, nodeTopology: {{matchLabels: {{kubernetes.io/hostname: {node}}}}}, storageClassName: disk, capacity: {size}}}\n---\n"
        )
    };
    let p = pod("p", &of_claim("c")) + &claim("c", "disk", "");
    let text = |capacities: &str| NODES.to_owned() + &p + driver + capacities;
    assert_eq!(
        only(&text(&capacity("a", "10Mi"))),
        format!(
            "0/2 nodes are available: 2 node(s) did not have enough free storage. {NOT_HELPFUL}"
        )
    );
    // Node a is larger; of its storage nothing would be left.
    assert_eq!(
        only(&text(&(capacity("a", "1Gi") + &capacity("b", "100Gi")))),
        "b"
    );
}

#[test]
fn disks_of_two_pods_conflict() {
    let disk = "{name: v, gcePersistentDisk: {pdName: d}}";
    let list = outcomes(&(NODES.to_owned() + &pod("p", disk) + &pod("q", disk) + &pod("r", disk)));
    assert_eq!((list[0].1.as_str(), list[1].1.as_str()), ("a", "b"));
    assert!(
        list[2].1.contains("2 node(s) had no available disk"),
        "{list:?}"
    );
}

#[test]
fn what_is_not_given_is_not_known() {
    let nodes = "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '1', memory: 1Gi, pods: '10'}}}\n---\n";
    let asked = pod("p", &of_claim("c"));
    let answer = ask(&json!({"verb": "allocate", "text": format!("{nodes}{asked}")}));
    let turn = &answer["pods"][0]["turn"];
    assert_eq!(turn["outcome"], "notKnown");
    assert_eq!(turn["node"], Value::Null);
    assert_eq!(
        turn["unsure"],
        json!(["not known, for its volumes are not given: PersistentVolumeClaim c"])
    );
    // It takes nothing from others.
    let large =
        |pod: String| pod.replace("image: x", "image: x, resources: {requests: {cpu: '1'}}");
    let both = format!(
        "{nodes}{}{}",
        large(asked.clone()),
        large(pod("q", "{name: v, emptyDir: {}}"))
    );
    let list = outcomes(&both);
    assert_eq!((list[0].1.as_str(), list[1].1.as_str()), ("notKnown", "a"));
    // What refuses it anyway is said.
    let too_large = large(asked).replace("cpu: '1'}}", "cpu: '2'}}");
    let answer = ask(&json!({"verb": "allocate", "text": format!("{nodes}{too_large}")}));
    assert_eq!(answer["pods"][0]["turn"]["outcome"], "unschedulable");
    assert_eq!(
        answer["pods"][0]["turn"]["unsure"],
        json!(["its volumes are not given, and may refuse nodes for other reasons"])
    );
}

/// Reasons of nodes that the dumps leave out.
const OF_OTHER_NODES: [&str; 3] = [
    "node(s) were unschedulable",
    "node(s) didn't match Pod's node affinity/selector",
    "node(s) had untolerated taint(s)",
];

/// The reasons of a message without the numbers of nodes; those of preemption are marked.
fn reasons(message: &str) -> BTreeSet<String> {
    let without_numbers = |text: &str| {
        let text = text.trim_end_matches('.');
        match text.split_once(' ') {
            Some((number, rest)) if number.parse::<u32>().is_ok() => rest.to_owned(),
            _ => text.to_owned(),
        }
    };
    let mut found = BTreeSet::new();
    for (at, part) in message.split(" preemption: ").enumerate() {
        let body = part
            .split_once("available: ")
            .map_or(part, |(_, body)| body);
        for reason in body.split(", ") {
            found.insert(format!("{at}{}", without_numbers(reason)));
        }
    }
    found
}

#[test]
fn dumps_of_real_clusters() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/cluster/dumps-1.37.2.jsonl.gz");
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let dump: Value = serde_json::from_str(line).unwrap();
        let id = dump["id"].as_str().unwrap();
        let answer = ask(&json!({"verb": "allocate", "text": dump["objects"]}));
        for (name, want) in dump["want"].as_object().unwrap() {
            let pods = answer["pods"].as_array().unwrap();
            let turn = pods
                .iter()
                .find(|pod| pod["pod"] == **name)
                .map(|pod| &pod["turn"]);
            let turn = turn.unwrap_or_else(|| panic!("{id}: {name} is missing in {answer}"));
            compared += 1;
            let Some(message) = want.as_str() else {
                let outcome = turn["outcome"].as_str().unwrap();
                assert!(
                    ["notConsidered", "preparing"].contains(&outcome),
                    "{id}: {name}: {turn}"
                );
                // What controllers report, and what devices wait for.
                let says = dump["says"].as_str().unwrap_or_default();
                assert!(answer.to_string().contains(says), "{id}: {name}: {answer}");
                continue;
            };
            let (own, real) = (
                reasons(turn["message"].as_str().unwrap_or_default()),
                reasons(message),
            );
            let missing: Vec<&String> = real.difference(&own).collect();
            assert!(own.is_subset(&real), "{id}: {name}: {own:?} and {real:?}");
            assert!(
                missing.iter().all(|reason| OF_OTHER_NODES.contains(&&reason[1..]) || reason.starts_with('1')),
                "{id}: {name}: {missing:?} are not said: {turn}"
            );
        }
    }
    assert_eq!(compared, 16);
}

#[test]
fn every_pod_is_explained_on_many_nodes() {
    let mut text = String::new();
    for at in 0..1_200 {
        let cordoned = at % 100 == 0;
        text.push_str(&format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: n{at}}}, spec: {{unschedulable: {cordoned}}}, status: {{allocatable: {{cpu: '1', memory: 1Gi, pods: '10'}}}}}}\n---\n"
        ));
    }
    for (name, cpu) in [("p", 2), ("q", 3), ("r", 4)] {
        text.push_str(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, image: x, resources: {{requests: {{cpu: '{cpu}'}}}}}}]}}}}\n---\n"
        ));
    }
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    for pod in answer["pods"].as_array().unwrap() {
        let nodes = pod["nodes"].as_array().unwrap();
        let refusing = |plugin: &str| {
            nodes.iter().any(|node| {
                let mut refusals = node["refusals"].as_array().unwrap().iter();
                refusals.any(|refusal| refusal["plugin"] == plugin)
            })
        };
        assert!(refusing("NodeResourcesFit") && refusing("NodeUnschedulable"));
        assert_eq!(pod["turn"]["refused"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn claims_without_uids_are_matched_by_name() {
    let text = "{apiVersion: v1, kind: Node, metadata: {name: a}}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: a}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}, {name: gpu-1}]}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: p-gpu-x, namespace: default, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, controller: true}]}, spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}, status: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: a, device: gpu-0}]}}, reservedFor: [{resource: pods, name: p}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {containers: [{name: c, image: x}], resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]}, status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: p-gpu-x}]}}
";
    assert_eq!(only(text), "a");
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    let line = "claims that lack the UIDs of their pods are matched with them by name";
    assert!(answer["assumed"].as_array().unwrap().contains(&json!(line)));
    // Without it the claim would belong to another pod.
    let other = text.replace("controller: true}", "controller: true, uid: other}");
    assert!(only(&other).contains("notConsidered"));
}

/// Gathers what is said beside the scheduler's reasons of nodes.
fn words_about(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                if let ("why", Value::Array(lines)) = (name.as_str(), member) {
                    found.extend(lines.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                words_about(member, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| words_about(item, found)),
        _ => {}
    }
}

/// What is said of nodes to the last pod of a text.
fn said_of_nodes(text: &str) -> BTreeSet<String> {
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    assert!(answer["error"].is_null(), "{answer}");
    let mut found = BTreeSet::new();
    words_about(
        answer["pods"].as_array().unwrap().last().unwrap(),
        &mut found,
    );
    found
}

#[test]
fn words_about_volumes_name_them() {
    let p = pod("p", &of_claim("c"));
    let in_use = pod("p", &of_claim("c")) + &pod("q", &of_claim("c"));
    let nowhere = ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [z]}]}]}}";
    let zone = "topology.kubernetes.io/zone: z3";
    let csi = |name: &str| format!(", csi: {{driver: csi.example.com, volumeHandle: {name}}}");
    let missing_driver = "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.example.com}, spec: {preventPodSchedulingIfMissing: true}}\n---\n";
    let counted = "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: csi.example.com}, spec: {storageCapacity: true}}\n---\n";
    let full = ["a", "b"]
        .map(|node| format!("{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: {node}}}, spec: {{drivers: [{{name: csi.example.com, nodeID: {node}, allocatable: {{count: 0}}}}]}}}}\n---\n"))
        .concat();
    let selected = claim("c", "disk", "").replace(
        "uid: c}",
        "uid: c, annotations: {volume.kubernetes.io/selected-node: gone}}",
    );
    let no_provisioner = claim("c", "local", "");
    let elsewhere = NODES.replace(
        "metadata: {name: disk},",
        "metadata: {name: disk}, allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [z9]}]}],",
    );
    let given = |objects: String| NODES.to_owned() + &objects;
    for (text, said) in [
        (
            given(in_use + &bound("c", "ReadWriteOncePod", "", "")),
            "default/p uses PersistentVolumeClaim c, which only one pod may use at a time",
        ),
        (
            given(p.clone() + &bound("c", "ReadWriteOnce", "", nowhere)),
            "PersistentVolume pv-c of PersistentVolumeClaim c is for nodes with kubernetes.io/hostname In [z]",
        ),
        (
            given(p.clone() + &bound("c", "ReadWriteOnce", zone, "")),
            "PersistentVolume pv-c is in topology.kubernetes.io/zone=z3",
        ),
        (
            given(p.clone() + &bound("c", "ReadWriteOnce", "", &csi("c")) + &full),
            "volumes of csi.example.com (PersistentVolumeClaim c): 1 wanted, 0 of 0 are there",
        ),
        (
            given(p.clone() + &bound("c", "ReadWriteOnce", "", &csi("c")) + missing_driver),
            "the driver csi.example.com of PersistentVolumeClaim c is not on the node",
        ),
        (
            given(p.clone() + &no_provisioner),
            "no PersistentVolume is free there for PersistentVolumeClaim c, and its StorageClass local makes none",
        ),
        (
            elsewhere + &p + &claim("c", "disk", ""),
            "no PersistentVolume is free there for PersistentVolumeClaim c, and its StorageClass disk makes none for the node",
        ),
        (
            given(p.clone() + &selected),
            "the volume of PersistentVolumeClaim c is made for node gone",
        ),
        (
            given(p.clone() + &claim("c", "disk", "") + counted),
            "PersistentVolumeClaim c asks for 1Gi of StorageClass disk, and no CSIStorageCapacity for the node has as much",
        ),
    ] {
        assert_eq!(said_of_nodes(&text), [said.to_owned()].into(), "{text}");
    }
    // The disks of three pods on two nodes.
    let disk = "{name: v, gcePersistentDisk: {pdName: d}}";
    let text = given(pod("p", disk) + &pod("q", disk) + &pod("r", disk));
    let said =
        ["p", "q"].map(|pod| format!("the disk of its volume v is in use there by default/{pod}"));
    let found = said_of_nodes(&text);
    assert!(
        said.iter()
            .all(|said| found.iter().any(|line| line.starts_with(said))),
        "{found:?}"
    );
}

#[test]
fn words_about_affinity_name_the_pods() {
    let labelled = |name: &str, node: &str, affinity: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: default, uid: {name}, labels: {{app: {name}}}}}, spec: {{nodeName: '{node}', containers: [{{name: c, image: x}}], affinity: {{{affinity}}}}}}}\n---\n"
        )
    };
    let term = |app: &str, key: &str| {
        format!(
            "requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {key}, labelSelector: {{matchExpressions: [{{key: app, operator: In, values: [{app}]}}]}}}}]"
        )
    };
    let zone = "topology.kubernetes.io/zone";
    let four = ["k1", "k2", "k3", "k4"]
        .map(|name| labelled(name, "a", ""))
        .concat();
    let said = |others: &str, own: &str| {
        let text = NODES.to_owned() + others + &labelled("p", "", own);
        let mut found = BTreeSet::new();
        let answer = ask(&json!({"verb": "allocate", "text": text}));
        words_about(
            answer["pods"].as_array().unwrap().last().unwrap(),
            &mut found,
        );
        found
    };
    let away = said(
        &four,
        &format!("podAntiAffinity: {{{}}}", term("k1, k2, k3, k4", zone)),
    );
    // Node b takes it.
    assert!(
        away.iter().any(|line| line.starts_with(
            "its anti-affinity keeps it away from default/k1, default/k2, default/k3 and 1 more in topology.kubernetes.io/zone=z1"
        )),
        "{away:?}"
    );
    let both = labelled(
        "k2",
        "a",
        &format!("podAntiAffinity: {{{}}}", term("p", zone)),
    ) + &labelled(
        "k3",
        "b",
        &format!("podAntiAffinity: {{{}}}", term("p", zone)),
    );
    let refused = said(&both, "");
    for said in [
        "the anti-affinity of default/k2 in topology.kubernetes.io/zone=z1 keeps it away",
        "the anti-affinity of default/k3 in topology.kubernetes.io/zone=z2 keeps it away",
    ] {
        assert!(
            refused.iter().any(|line| line.starts_with(said)),
            "{refused:?}"
        );
    }
    let near = said(&four, &format!("podAffinity: {{{}}}", term("k1", "rack")));
    assert!(
        near.iter()
            .any(|line| line.starts_with("the node has no label rack")),
        "{near:?}"
    );
    let near = said("", &format!("podAffinity: {{{}}}", term("k1", zone)));
    for value in ["z1", "z2"] {
        let said =
            format!("no pod that its affinity asks for is in topology.kubernetes.io/zone={value}");
        assert!(near.iter().any(|line| line.starts_with(&said)), "{near:?}");
    }
}

/// A StatefulSet with two pods, each with a volume of its own of this class.
fn stateful_set(class: &str) -> String {
    format!(
        "{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: web}}, spec: {{replicas: 2, ordinals: {{start: 3}}, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: x}}], volumes: [{{name: data, emptyDir: {{}}}}]}}}}, volumeClaimTemplates: [{{metadata: {{name: data}}, spec: {{accessModes: [ReadWriteOnce], {class}resources: {{requests: {{storage: 1Gi}}}}}}}}]}}}}\n---\n"
    )
}

/// The StatefulSet controller makes a claim for each template and pod, and the scheduler looks at it.
#[test]
fn pods_of_a_stateful_set_have_volumes_of_its_templates() {
    let placed = |text: &str| {
        let list = outcomes(text).into_iter();
        list.map(|(_, what)| what).collect::<Vec<_>>()
    };
    let set = stateful_set("storageClassName: local, ");
    // One node has a volume for one of the two.
    let one_volume = format!("{NODES}{set}{}", free_volume("pv", "2Gi", "b"));
    let places = placed(&one_volume);
    assert_eq!(places[0], "b", "{places:?}");
    assert!(
        places[1].contains("didn't find available persistent volumes to bind"),
        "{places:?}"
    );
    // A driver makes the volume where the pod is.
    let dynamic = placed(&format!(
        "{NODES}{}",
        stateful_set("storageClassName: disk, ")
    ));
    assert!(dynamic.iter().all(|node| node == "a" || node == "b"));
    // A claim that is there is kept.
    let kept = set.replace("local", "disk")
        + &bound(
            "data-web-4",
            "ReadWriteOnce",
            "topology.kubernetes.io/zone: z2",
            "",
        );
    assert_eq!(placed(&format!("{NODES}{kept}"))[1], "b");
    // Controllers make volumes of the other class before the scheduler looks.
    for place in placed(&format!(
        "{NODES}{}",
        stateful_set("storageClassName: now, ")
    )) {
        let why = "0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.";
        assert!(place.starts_with(why), "{place}");
    }
    // If nothing about volumes is given, nothing is known of them.
    let mut nodes_alone: Vec<&str> = NODES.split("---\n").collect();
    nodes_alone.retain(|object| !object.contains("StorageClass"));
    let text = format!("{}---\n{set}", nodes_alone.join("---\n"));
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    let pod = &answer["pods"][0];
    assert_eq!(pod["pod"], "default/web-3", "{answer}");
    assert_eq!(pod["turn"]["outcome"], "notKnown", "{answer}");
    let why = "not known, for its volumes are not given: PersistentVolumeClaim data-web-3";
    assert!(answer.to_string().contains(why), "{answer}");
    let repeated = ask(&json!({
        "verb": "allocate", "text": one_volume, "howMany": true
    }));
    assert_eq!(repeated["howMany"]["count"], 1, "{repeated}");
}
