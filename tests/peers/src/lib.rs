//! What is measured on: the same inputs for every tool.

use serde_json::{Value, json};
use std::fmt::Write;

/// Nodes as `kubectl get nodes -o json` prints them, about 10 KB each.
pub fn nodes(count: usize) -> String {
    let image = |n: usize| {
        let digest = "0123456789abcdef".repeat(4);
        let name = format!("registry.example.com/team/image-{n}");
        json!({"names": [format!("{name}@sha256:{digest}"), format!("{name}:v1.{n}")], "sizeBytes": 100_000_000 + n})
    };
    let images: Vec<Value> = (0..36).map(image).collect();
    let node = |n: usize| {
        let name = format!("node-{n:05}.cluster.example.com");
        let mut labels = json!({
            "beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux",
            "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux", "kubernetes.io/hostname": name,
            "topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": format!("eu-{}", n % 3),
            "node.kubernetes.io/instance-type": format!("m{}", n % 17), "node-role.kubernetes.io/worker": "",
            "gpu.example.com/model": (["a100", "h100", "t4"][n % 3]), "gpu.example.com/count": (n % 9).to_string(),
            "gpu.example.com/memory": (16 << (n % 4)).to_string(), "rack": format!("r{}", n % 211),
        });
        if n.is_multiple_of(10) {
            labels["example.com/reserved"] = json!("true");
        }
        let condition = |kind: &str| json!({"lastHeartbeatTime": "2024-05-01T00:00:00Z", "lastTransitionTime": "2024-05-01T00:00:00Z", "message": "kubelet has sufficient memory available", "reason": "KubeletHasSufficientMemory", "status": "False", "type": kind});
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"annotations": {"node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true"}, "creationTimestamp": "2024-05-01T00:00:00Z", "labels": labels, "name": name, "resourceVersion": (n * 7).to_string(), "uid": format!("00000000-0000-0000-0000-{n:012}")},
            "spec": {"podCIDR": "10.0.0.0/24", "providerID": format!("cloud:///{n}")},
            "status": {"addresses": [{"address": "10.0.0.1", "type": "InternalIP"}], "allocatable": {"cpu": "63", "memory": "256Gi"}, "capacity": {"cpu": "64", "memory": "260Gi"}, "conditions": (["MemoryPressure", "DiskPressure", "PIDPressure", "Ready"].map(condition)), "images": images, "nodeInfo": {"architecture": "amd64", "kubeletVersion": "v1.30.1"}},
        })
    };
    let items: Vec<Value> = (0..count).map(node).collect();
    let list = json!({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}});
    // Four spaces, as kubectl.
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    serde::Serialize::serialize(
        &list,
        &mut serde_json::Serializer::with_formatter(&mut out, formatter),
    )
    .expect("JSON");
    String::from_utf8(out).expect("UTF-8")
}

/// A selector of ten terms with three requirements each; about a third of the nodes match.
pub fn selector() -> String {
    let mut out = String::from("nodeSelectorTerms:\n");
    for n in 0..10 {
        let model = ["a100", "h100", "l40", "l4"][n % 4];
        let _ = write!(
            out,
            "- matchExpressions:\n  - {{key: gpu.example.com/model, operator: In, values: [{model}, none-{n}]}}\n  - {{key: gpu.example.com/count, operator: Gt, values: ['{}']}}\n  - {{key: topology.kubernetes.io/zone, operator: NotIn, values: [eu-{}]}}\n",
            n % 8,
            n % 5
        );
    }
    out
}

/// The selector as a class, and a claim of it.
pub fn class_and_claim() -> String {
    let indented: String = selector()
        .lines()
        .fold(String::new(), |all, line| all + "  " + line + "\n");
    format!(
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: gpu\ndriverName: gpu.example.com\nsuitableNodes:\n{indented}---\napiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: one\nspec:\n  resourceClassName: gpu\n"
    )
}

/// One claim of about 850 bytes, as people write them.
pub fn claim() -> String {
    "# The claim of the nightly training run. Everything it needs is in the class; see the team's handbook.
apiVersion: resource.k8s.io/v1alpha2
kind: ResourceClaim
metadata:
  name: nightly-training-gpu
  namespace: machine-learning
  labels:
    app.kubernetes.io/name: nightly-training
    app.kubernetes.io/component: trainer
    app.kubernetes.io/part-of: recommendations
    team: machine-learning
  annotations:
    example.com/owner: machine-learning@example.com
    example.com/description: >-
      One accelerator with at least forty gigabytes, shared by the
      trainer and its evaluation job, given back when both are done.
spec:
  resourceClassName: gpu.example.com
  allocationMode: WaitForFirstConsumer   # the driver needs to know the node
  parametersRef:
    apiGroup: gpu.resource.example.com
    kind: GpuClaimParameters
    name: single-large-gpu
"
    .to_owned()
}

/// The first class is the one that the claims and templates name.
fn class(n: usize) -> String {
    if n == 1 {
        "gpu".to_owned()
    } else {
        format!("gpu-{n}")
    }
}

/// A file of claims, templates and classes.
pub fn manifests(count: usize) -> String {
    let one = |n: usize| match n % 3 {
        0 => claim().replace("nightly-training-gpu", &format!("claim-{n}")),
        1 => format!(
            "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata:\n  name: {}.example.com\ndriverName: gpu.resource.example.com\nsuitableNodes:\n  nodeSelectorTerms:\n  - matchExpressions:\n    - {{key: zone, operator: In, values: [a, 'b', \"c\"]}}\n    - key: gpu.example.com/memory\n      operator: Gt\n      values:\n      - \"40\"\n",
            class(n)
        ),
        _ => format!(
            "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaimTemplate\nmetadata:\n  name: template-{n}\n  namespace: team-{}\nspec:\n  metadata:\n    labels: {{app: inference, tier: backend}}\n  spec:\n    resourceClassName: gpu.example.com\n    allocationMode: WaitForFirstConsumer\n",
            n % 7
        ),
    };
    (0..count).map(one).collect::<Vec<_>>().join("---\n")
}

/// A file of at least so many bytes.
pub fn manifests_of_bytes(bytes: usize) -> String {
    let each = manifests(300).len() / 300;
    let mut count = (bytes / each).max(3);
    loop {
        let text = manifests(count);
        if text.len() >= bytes {
            return text;
        }
        count += 3;
    }
}

/// One claim with so many mistakes.
pub fn mistaken(count: usize) -> String {
    let labels: String = (0..count)
        .map(|n| format!("    label-{n}: 'not a value'\n"))
        .collect();
    format!(
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata:\n  name: c\n  labels:\n{labels}spec:\n  resourceClassName: gpu\n"
    )
}
