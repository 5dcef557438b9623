//! The verb `allocate` on changed facts, and on a cluster beside the text.

use super::place::lines::{list, text};
use crate::support::ask;
use serde_json::{Value, json};

fn scenario(name: &str) -> String {
    let path = format!(
        "{}/tests/vectors/alloc/scenarios/{name}.yaml",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).unwrap()
}

fn question(name: &str, more: &Value) -> Value {
    let gates = json!({"DRADeviceTaintRules": true});
    let mut request =
        json!({"verb": "allocate", "release": "1.36.3", "gates": gates, "text": scenario(name)});
    request
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    request
}

/// The devices on each node, or the reason if there are none.
fn nodes(answer: &Value) -> Value {
    assert!(answer["error"].is_null(), "{answer}");
    assert_eq!(list(answer, "pods").len(), 1, "{answer}");
    let told = list(&answer["pods"][0], "nodes").iter().map(|node| {
        let results = list(node, "allocations")
            .iter()
            .flat_map(|one| list(&one["devices"], "results"));
        let devices: Vec<&str> = results.map(|one| text(one, "device")).collect();
        let what = if node["verdict"] == "allocated" {
            json!(devices)
        } else {
            node["message"].clone()
        };
        (text(node, "name").to_owned(), what)
    });
    Value::Object(told.collect())
}

const NOTHING: &str = "cannot allocate all claims";

#[test]
fn a_claim_is_freed() {
    let answer = ask(&question(
        "04-all-in-use",
        &json!({"whatIf": {"free": ["prod/serving"]}}),
    ));
    assert_eq!(
        nodes(&answer),
        json!({"node-a": ["gpu-0", "gpu-1"], "node-b": NOTHING})
    );
    assert_eq!(
        answer["assumed"],
        json!(["ResourceClaim prod/serving holds no devices"])
    );
    let answer = ask(&question(
        "01-mig-counters",
        &json!({"whatIf": {"free": ["team-a/notebook-mig"]}}),
    ));
    assert_eq!(
        nodes(&answer),
        json!({"node-a": ["gpu-0"], "node-b": ["gpu-0"]})
    );
    // The freed claim is not pending, although no pod of the text uses it.
    let without = scenario("04-all-in-use").replace("kind: Pod\n", "kind: Secret\n");
    assert_ne!(without, scenario("04-all-in-use"));
    let answer = ask(&question(
        "04-all-in-use",
        &json!({"text": without, "whatIf": {"free": ["prod/serving"]}}),
    ));
    assert!(
        list(&answer, "pods")
            .iter()
            .all(|pod| !list(pod, "claims").contains(&json!("prod/serving"))),
        "{answer}"
    );
}

#[test]
fn a_taint_or_its_rule_is_gone() {
    let unhealthy = "gpu.example.com/unhealthy";
    for taint in [
        unhealthy.to_owned(),
        format!("{unhealthy}:NoSchedule"),
        format!("{unhealthy}=ecc:NoSchedule"),
    ] {
        let answer = ask(&question(
            "03-taints",
            &json!({"whatIf": {"untaint": [taint]}}),
        ));
        assert_eq!(
            nodes(&answer),
            json!({"node-a": ["gpu-0"], "node-b": NOTHING, "node-c": ["gpu-0"], "node-d": ["gpu-0"]})
        );
    }
    for change in [
        json!({"untaint": ["maintenance"]}),
        json!({"withoutRules": ["drain-node-b"]}),
    ] {
        let answer = ask(&question("03-taints", &json!({"whatIf": change})));
        assert_eq!(nodes(&answer)["node-b"], json!(["gpu-0"]));
        assert_eq!(nodes(&answer)["node-a"], json!(NOTHING));
    }
}

#[test]
fn there_is_one_more_node() {
    let answer = ask(&question(
        "04-all-in-use",
        &json!({"whatIf": {"nodesLike": ["node-a", "node-a"]}}),
    ));
    let both = json!(["gpu-0", "gpu-1"]);
    assert_eq!(
        nodes(&answer),
        json!({"node-a": NOTHING, "node-b": NOTHING, "node-a-copy": both, "node-a-copy-2": both})
    );
    assert_eq!(
        answer["assumed"][1],
        "Node node-a-copy-2 is there, like node-a with nothing in use"
    );
    // The copy has the counters too, unused.
    let like = ask(&question(
        "01-mig-counters",
        &json!({"whatIf": {"nodesLike": ["node-a"]}, "nodeNames": ["node-a"]}),
    ));
    assert_eq!(
        nodes(&like),
        json!({"node-a": NOTHING, "node-a-copy": ["gpu-0"]})
    );
    // The copy of a pool has the same errors.
    let incomplete = ask(&question(
        "08-incomplete-pool",
        &json!({"whatIf": {"nodesLike": ["node-a", "node-b"]}}),
    ));
    let message = "claim demo/all-gpus, request gpus: asks for all devices, but resource pool gpu.example.com/node-a is currently being updated";
    assert_eq!(nodes(&incomplete)["node-b-copy"], json!(message));
    let pools = incomplete["pods"][0]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|node| node["name"] == "node-a-copy")
        .unwrap();
    assert!(pools["verdict"] == "error", "{pools}");
}

/// Each device names its node: the copy has only the devices of its node.
#[test]
fn devices_that_name_their_node_are_copied() {
    let cluster = "
apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: c}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: d.example.com
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  perDeviceNodeSelection: true
  devices: [{name: x, nodeName: a}, {name: z, nodeName: b}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: all}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, allocationMode: All}}]}}
";
    let answer = ask(&json!({"verb": "allocate", "text": cluster, "whatIf": {"nodesLike": ["a"]}}));
    assert_eq!(
        nodes(&answer),
        json!({"a": ["x"], "b": ["z"], "a-copy": ["x"]})
    );
    let results = list(
        &answer["pods"][0]["nodes"][2]["allocations"][0]["devices"],
        "results",
    );
    assert_eq!(results[0]["pool"], "p-a-copy");
}

#[test]
fn what_is_named_must_be_there() {
    for (change, problem) in [
        (
            json!({"free": ["prod/nope"]}),
            "`whatIf`: `free`: there is no ResourceClaim `prod/nope`",
        ),
        (
            json!({"free": ["demo/pair"]}),
            "`whatIf`: `free`: ResourceClaim `demo/pair` holds no devices",
        ),
        (
            json!({"untaint": ["nope"]}),
            "`whatIf`: `untaint`: no driver and no DeviceTaintRule sets a taint `nope`",
        ),
        (
            json!({"withoutRules": ["nope"]}),
            "`whatIf`: `withoutRules`: there is no DeviceTaintRule `nope`",
        ),
        (
            json!({"nodesLike": ["nope"]}),
            "`whatIf`: `nodesLike`: there is no Node `nope`",
        ),
        (
            json!({"nodesLike": ["node-a", "node-a*1000"]}),
            "`whatIf`: at most 1000 nodes can be made up, not 1001",
        ),
        (
            json!({"nodesLike": ["node-a*0"]}),
            "`whatIf`: `nodesLike`: `node-a*0`: write the node and how many, such as `node-a*3`",
        ),
    ] {
        assert_eq!(
            ask(&question("04-all-in-use", &json!({"whatIf": change})))["error"],
            problem
        );
    }
    let unknown = ask(&question("04-all-in-use", &json!({"whatIf": {"fre": []}})));
    assert!(
        text(&unknown, "error").contains("`whatIf.fre`"),
        "{unknown}"
    );
}

/// A separate cluster gives the same answer as one text; objects of the text take precedence.
#[test]
fn a_cluster_stands_beside() {
    for name in [
        "01-mig-counters",
        "03-taints",
        "04-all-in-use",
        "06-first-available",
        "10-extended-resource",
    ] {
        let whole = question(name, &json!({}));
        let documents: Vec<&str> = text(&whole, "text").split("\n---\n").collect();
        let (asked, cluster): (Vec<&str>, Vec<&str>) = documents
            .iter()
            .partition(|text| text.contains("kind: Pod\n"));
        assert!(!asked.is_empty() && !cluster.is_empty(), "{name}");
        let (asked, cluster) = (asked.join("\n---\n"), cluster.join("\n---\n"));
        let apart = ask(&question(name, &json!({"text": asked, "cluster": cluster})));
        assert_eq!(nodes(&apart), nodes(&ask(&whole)), "{name}");
        // If the text has no pods and claims, the answer is about those of the cluster.
        let alone = ask(&question(
            name,
            &json!({"text": "", "cluster": text(&whole, "text")}),
        ));
        assert_eq!(nodes(&alone), nodes(&ask(&whole)), "{name}");
        // An object that occurs twice counts once.
        let twice = ask(&question(name, &json!({"cluster": text(&whole, "text")})));
        assert_eq!(nodes(&twice), nodes(&ask(&whole)), "{name}");
    }
}

#[test]
fn findings_about_a_cluster_say_so() {
    let slice = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: d.example.com, nodeName: a, nope: 1, pool: {name: a, generation: 1, resourceSliceCount: 2}}\n";
    let answer = ask(&json!({"verb": "allocate", "text": "", "cluster": slice}));
    let findings: Vec<(&str, &str)> = list(&answer, "findings")
        .iter()
        .map(|finding| (text(finding, "code"), text(finding, "in")))
        .collect();
    assert!(
        findings.contains(&("unknown-field", "cluster"))
            && findings.contains(&("pool-incomplete", "cluster")),
        "{answer}"
    );
}

/// A node that does not exist yet, with two devices.
const NEW_NODE: &str = "
apiVersion: v1
kind: Node
metadata: {name: gpu-node, labels: {kubernetes.io/hostname: gpu-node}}
status: {allocatable: {cpu: '8', memory: 32Gi, pods: '110'}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpu-node-gpus}
spec:
  driver: gpu.example.com
  nodeName: gpu-node
  pool: {name: gpu-node, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}]
";

const PODS_WITHOUT_NODES: &str = "
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: device.driver == 'gpu.example.com'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpus, namespace: default}
spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: c, image: i, resources: {claims: [{name: g}]}}]
      resourceClaims: [{name: g, resourceClaimTemplateName: gpus}]
";

fn with_new_nodes(new_nodes: &Value) -> Value {
    ask(&json!({
        "verb": "allocate",
        "release": "1.37.2",
        "text": PODS_WITHOUT_NODES,
        "whatIf": {"newNodes": new_nodes}
    }))
}

#[test]
fn nodes_that_do_not_exist_yet_take_pods() {
    let slices_alone = NEW_NODE.split_once("---").unwrap().1;
    for template in [NEW_NODE, slices_alone] {
        for count in 1..=4 {
            let answer = with_new_nodes(&json!([{"text": template, "count": count}]));
            let mut nodes: Vec<&str> = list(&answer, "pods")
                .iter()
                .filter_map(|pod| pod["turn"]["node"].as_str())
                .collect();
            nodes.sort_unstable();
            let names = ["gpu-node-new", "gpu-node-new-2", "gpu-node-new-3"];
            assert_eq!(nodes, names[..count.min(3)], "{count}");
        }
    }
    // One if the number is left out; of two kinds each gets names of its own.
    let other = NEW_NODE.replace("gpu-node", "other");
    let answer = with_new_nodes(&json!([{"text": NEW_NODE}, {"text": other, "count": 2}]));
    assert_eq!(
        answer["assumed"].as_array().unwrap()[..2],
        [
            json!(
                "Node gpu-node-new, which does not exist yet, is there, and no pod of a DaemonSet is on it"
            ),
            json!(
                "Nodes other-new, other-new-2, which do not exist yet, are there, and no pod of a DaemonSet is on them"
            )
        ]
    );
    assert!(
        list(&answer, "pods")
            .iter()
            .all(|pod| pod["turn"]["node"].is_string())
    );
}

#[test]
fn what_is_no_new_node_is_refused() {
    let error = |text: &str, count: usize| {
        let answer = with_new_nodes(&json!([{"text": text, "count": count}]));
        answer["error"].as_str().unwrap_or("").to_owned()
    };
    let two = format!("{NEW_NODE}---\napiVersion: v1\nkind: Node\nmetadata: {{name: other}}\n");
    let elsewhere = NEW_NODE.replace("nodeName: gpu-node", "nodeName: other");
    let broken = NEW_NODE.replace("spec:\n", "spec:\n  bad: [\n");
    let many_devices = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata:\n  name: workers\n  annotations: {capacity.cluster-autoscaler.kubernetes.io/gpu-count: '9000000000000', capacity.cluster-autoscaler.kubernetes.io/dra-driver: gpu.example.com}\n";
    for (text, count, said) in [
        (two.as_str(), 1, "a text describes one node"),
        ("", 1, "a text describes one node"),
        (
            elsewhere.as_str(),
            1,
            "ResourceSlice `gpu-node-gpus` is not of Node `gpu-node` by name",
        ),
        (broken.as_str(), 1, "`newNodes`: yaml: "),
        (
            many_devices,
            1,
            "is 9000000000000: at most 1024 devices are made up for a node",
        ),
        (
            NEW_NODE,
            1001,
            "at most 1000 nodes can be made up, not 1001",
        ),
        (NEW_NODE, 0, "expected a nonzero"),
    ] {
        let error = error(text, count);
        assert!(error.contains(said), "{said}: {error}");
    }
    // What its driver would publish wrongly keeps devices from being used.
    let incomplete = NEW_NODE.replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    let answer = with_new_nodes(&json!([{"text": incomplete}]));
    let told = answer.to_string();
    assert!(
        told.contains("its pool is incomplete: 1 of 2 slices"),
        "{told}"
    );
}

#[test]
fn new_nodes_have_pools_of_their_own() {
    // Copies of `gpu-node-2` and of `gpu-node` would both be called `gpu-node-new-2`.
    let second = NEW_NODE.split_once("---").unwrap().1;
    let second = second
        .replace("name: gpu-node-gpus", "name: gpu-node-2-gpus")
        .replace("pool: {name: gpu-node,", "pool: {name: gpu-node-2,");
    let template = format!("{NEW_NODE}---{second}");
    let one_each = PODS_WITHOUT_NODES
        .replace("count: 2", "count: 1")
        .replace("replicas: 3", "replicas: 20");
    for count in 1..=4 {
        let answer = ask(&json!({
            "verb": "allocate",
            "release": "1.37.2",
            "text": one_each,
            "whatIf": {"newNodes": [{"text": template, "count": count}]}
        }));
        let placed = list(&answer, "pods")
            .iter()
            .filter(|pod| pod["turn"]["node"].is_string());
        assert_eq!(placed.count(), count * 4, "{count}");
    }
}

#[test]
fn new_nodes_are_judged_as_the_server_and_kubelet_do() {
    let refused = NEW_NODE.replace("{name: gpu-1}", "{name: GPU_1}");
    let class = format!(
        "{NEW_NODE}---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: other}}\n"
    );
    for (text, said) in [
        (refused, "Invalid value: \"GPU_1\""),
        (class, "DeviceClass other is not part of a node"),
    ] {
        let answer = with_new_nodes(&json!([{"text": text}]));
        let error = answer["error"].as_str().unwrap();
        assert!(error.contains(said), "{error}");
    }
    // Kubelet sets labels that no file has.
    let selecting = PODS_WITHOUT_NODES.replace(
        "      containers:",
        "      nodeSelector: {kubernetes.io/os: linux, kubernetes.io/hostname: gpu-node-new}\n      containers:",
    );
    let unlabeled = NEW_NODE.replace(", labels: {kubernetes.io/hostname: gpu-node}", "");
    let answer = ask(&json!({
        "verb": "allocate",
        "release": "1.37.2",
        "text": selecting,
        "whatIf": {"newNodes": [{"text": unlabeled}]}
    }));
    assert_eq!(answer["pods"][0]["turn"]["node"], "gpu-node-new");
    // What a node has is not known from its slices.
    let slices_alone = NEW_NODE.split_once("---").unwrap().1;
    let answer = with_new_nodes(&json!([{"text": slices_alone}]));
    assert_eq!(
        answer["assumed"][1],
        "the CPU, memory and pods of Node gpu-node are not given, and count as enough"
    );
}

/// A copy is a new node: the state of the one that it copies is not its own, and pods of DaemonSets come to it.
#[test]
fn a_copied_node_is_sound_and_has_its_daemons() {
    let cluster = "apiVersion: v1
kind: Node
metadata: {name: a}
spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}, {key: team, value: x, effect: NoSchedule}]}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Pod
metadata: {name: agent-1, namespace: system, uid: u, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: d, controller: true}]}
spec: {nodeName: a, containers: [{name: c, image: i, resources: {requests: {cpu: '3'}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {tolerations: [{key: team, operator: Exists}], containers: [{name: c, image: i, resources: {requests: {cpu: CPU}}}]}
";
    let turn = |cpu: &str| {
        let text = cluster.replace("CPU", cpu);
        let answer =
            ask(&json!({"verb": "allocate", "text": text, "whatIf": {"nodesLike": ["a"]}}));
        let assumed = answer["assumed"].as_array().unwrap().clone();
        let daemons = "as on a, pods of DaemonSets run there: system/agent";
        assert!(assumed.contains(&json!(daemons)), "{assumed:?}");
        answer["pods"][0]["turn"]["node"].clone()
    };
    assert_eq!(turn("'1'"), "a-copy");
    assert_eq!(turn("'2'"), Value::Null);
}
