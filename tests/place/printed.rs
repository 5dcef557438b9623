//! Clusters as `kubectl get -o yaml` prints them, with troubles that are not among the scenarios: what is read first is the reason.

use super::lines::{list, text};
use serde_json::{Value, json};

fn told(name: &str, gates: &Value) -> Value {
    let path = format!("{}/tests/vectors/alloc/printed/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
    let yaml = std::fs::read_to_string(path).unwrap();
    let request = json!({"verb": "allocate", "release": "1.36.3", "gates": gates, "text": yaml});
    let answer: Value = serde_json::from_str(&claimkit::wire::answer(&request.to_string())).unwrap();
    assert!(answer["error"].is_null(), "{answer}");
    assert!(list(&answer, "findings").iter().all(|finding| finding["severity"] != "error"), "{}", answer["findings"]);
    answer["pods"][0]["nodes"][0].clone()
}

/// A rule taints the devices, and the toleration's key is a similar one.
#[test]
fn toleration_with_another_key() {
    let node = told("tolerated-elsewhere", &json!({"DRADeviceTaintRules": true}));
    let (taint, rule) = ("maintenance.example.com/firmware=2026-11:NoSchedule", "rule firmware-update");
    assert_eq!(
        text(&node, "text"),
        format!(
            "gpu-1: cannot allocate all claims; request gpu: 2 on the node → 2 of class gpu.example.com → 2 free → \
             0 not tainted → wanted 1; gpu-0, gpu-1: tainted {taint} by {rule} (toleration 0 has another key)"
        )
    );
    assert_eq!(node["relaxations"][0]["text"], format!("tolerating {taint} in request gpu: gives gpu-0 on gpu-1"));
    // Without the gate the scheduler does not look at rules.
    assert_eq!(told("tolerated-elsewhere", &json!({}))["verdict"], "allocated");
}

/// The first choice of a request cannot be met, but the second can: the trouble is another request.
#[test]
fn second_choice_would_do() {
    let node = told("second-choice-would-do", &json!({}));
    assert_eq!(
        text(&node, "text"),
        "gpu-1: cannot allocate all claims; request nic: 3 on the node → 1 of class rdma.example.net → 0 after selector 0 → \
         wanted 1; mlx5-0: selector 0 is false (rdma.example.net/speedGbps is 100)"
    );
    assert_eq!(list(&node, "relaxations").len(), 1);
}

/// The pods of an answer to a text.
fn pods(yaml: &str) -> Vec<Value> {
    let request = json!({"verb": "allocate", "release": "1.36.3", "text": yaml});
    let answer: Value = serde_json::from_str(&claimkit::wire::answer(&request.to_string())).unwrap();
    assert!(answer["error"].is_null(), "{answer}");
    list(&answer, "pods").to_vec()
}

fn relaxed(node: &Value) -> Vec<&str> {
    list(node, "relaxations").iter().map(|relaxation| text(relaxation, "text")).collect()
}

/// Two racks, each with devices that its nodes reach through the network. Claim `shared` is allocated in the first.
const RACKS: &str = r#"
apiVersion: v1
kind: Node
metadata: {name: r1, labels: {rack: "1"}}
---
apiVersion: v1
kind: Node
metadata: {name: r2, labels: {rack: "2"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: fpga}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: rack-1}
spec:
  driver: fpga.example.com
  pool: {name: fabric, generation: 1, resourceSliceCount: 2}
  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: rack, operator: In, values: ["1"]}]}]}
  devices: [{name: fpga-0}, {name: fpga-1}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: rack-2}
spec:
  driver: fpga.example.com
  pool: {name: fabric, generation: 1, resourceSliceCount: 2}
  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: rack, operator: In, values: ["2"]}]}]}
  devices: [{name: fpga-2}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: team}
spec: {devices: {requests: [{name: f, exactly: {deviceClassName: fpga}}]}}
status:
  allocation:
    devices: {results: [{request: f, driver: fpga.example.com, pool: fabric, device: fpga-0}]}
    nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: rack, operator: In, values: ["1"]}]}]}
  reservedFor: [{resource: pods, name: first, uid: u-first}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: two, namespace: team}
spec: {devices: {requests: [{name: f, exactly: {deviceClassName: fpga, count: 2}}]}}
---
"#;

/// A claim that the pod itself needs gives nothing when it is freed; and what would fit on a node is no help where another
/// claim of the pod cannot be used.
#[test]
fn claim_of_two_pods() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: second, namespace: team}, spec: {resourceClaims: [{name: a, \
               resourceClaimName: shared}, {name: b, resourceClaimName: two}]}}";
    let pods = pods(&format!("{RACKS}{pod}"));
    let [r1, r2] = list(&pods[0], "nodes") else { panic!("{pods:?}") };
    assert_eq!(relaxed(r1), ["count 1 instead of 2 in request f of team/two: gives fpga-1 on r1"]);
    assert_eq!(relaxed(r2), [""; 0]);
    assert_eq!(
        (text(r2, "message"), text(r2, "help")),
        ("cannot allocate all claims", "team/shared is allocated, but not for this node")
    );
    assert!(text(r2, "text").ends_with("→ 1 free → wanted 2; team/shared is allocated, but not for this node"), "{r2}");
}

/// A claim that is allocated elsewhere can be allocated anew where the pod is to run.
#[test]
fn claim_allocated_elsewhere() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: second, namespace: team}, spec: {resourceClaims: [{name: a, \
               resourceClaimName: shared}]}}";
    let pods = pods(&format!("{RACKS}{pod}"));
    let [_, r2] = list(&pods[0], "nodes") else { panic!("{pods:?}") };
    assert_eq!((text(r2, "verdict"), text(r2, "message")), ("unavailable", "resourceclaim not available on the node"));
    assert_eq!(relaxed(r2), ["freeing claim team/shared: gives fpga-2 on r2"]);
}
