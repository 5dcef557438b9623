//! Clusters as `kubectl get -o yaml` prints them, with problems that the scenarios do not have: the reason must come first.

use super::lines::{list, text};
use serde_json::{Value, json};

fn told(name: &str, gates: &Value) -> Value {
    let path = format!(
        "{}/tests/vectors/alloc/printed/{name}.yaml",
        env!("CARGO_MANIFEST_DIR")
    );
    let yaml = std::fs::read_to_string(path).unwrap();
    let request = json!({"verb": "allocate", "release": "1.36.3", "gates": gates, "text": yaml});
    let answer = crate::support::ask(&request);
    assert!(answer["error"].is_null(), "{answer}");
    assert!(
        list(&answer, "findings")
            .iter()
            .all(|finding| finding["severity"] != "error"),
        "{}",
        answer["findings"]
    );
    answer["pods"][0]["nodes"][0].clone()
}

/// A rule taints the devices, and the toleration's key is a similar one.
#[test]
fn toleration_with_another_key() {
    let node = told("tolerated-elsewhere", &json!({"DRADeviceTaintRules": true}));
    let (taint, rule) = (
        "maintenance.example.com/firmware=2026-11:NoSchedule",
        "rule firmware-update",
    );
    assert_eq!(
        text(&node, "text"),
        format!(
            "gpu-1: cannot allocate all claims; request gpu: 2 on the node → 2 of class gpu.example.com → 2 free → \
             0 not tainted → wanted 1; gpu-0, gpu-1: tainted {taint} by {rule} (toleration 0 has another key)"
        )
    );
    assert_eq!(
        node["relaxations"][0]["text"],
        format!("tolerating {taint} in request gpu: gives gpu-0 on gpu-1")
    );
    // Without the gate the scheduler does not look at rules.
    assert_eq!(
        told("tolerated-elsewhere", &json!({}))["verdict"],
        "allocated"
    );
}

/// The first choice of a request cannot be satisfied, but the second can: the problem is another request.
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
    list(&asked(yaml), "pods").to_vec()
}

/// The answer to a text of YAML, which begins as no JSON does.
fn asked(yaml: &str) -> Value {
    let request =
        json!({"verb": "allocate", "release": "1.36.3", "text": format!("# A cluster.\n{yaml}")});
    let answer = crate::support::ask(&request);
    assert!(answer["error"].is_null(), "{answer}");
    answer
}

fn relaxed(node: &Value) -> Vec<&str> {
    list(node, "relaxations")
        .iter()
        .map(|relaxation| text(relaxation, "text"))
        .collect()
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
    let [r1, r2] = list(&pods[0], "nodes") else {
        panic!("{pods:?}")
    };
    assert_eq!(
        relaxed(r1),
        ["count 1 instead of 2 in request f of team/two: gives fpga-1 on r1"]
    );
    assert_eq!(relaxed(r2), [""; 0]);
    assert_eq!(
        (text(r2, "message"), text(r2, "help")),
        (
            "cannot allocate all claims",
            "team/shared is allocated, but not for this node"
        )
    );
    assert!(
        text(r2, "text")
            .ends_with("→ 1 free → wanted 2; team/shared is allocated, but not for this node"),
        "{r2}"
    );
}

/// A claim that is allocated elsewhere can be allocated anew where the pod is to run.
#[test]
fn claim_allocated_elsewhere() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: second, namespace: team}, spec: {resourceClaims: [{name: a, \
               resourceClaimName: shared}]}}";
    let pods = pods(&format!("{RACKS}{pod}"));
    let [_, r2] = list(&pods[0], "nodes") else {
        panic!("{pods:?}")
    };
    assert_eq!(
        (text(r2, "verdict"), text(r2, "message")),
        ("unavailable", "resourceclaim not available on the node")
    );
    assert_eq!(
        relaxed(r2),
        ["freeing claim team/shared: gives fpga-2 on r2"]
    );
}

/// A node with a class for each driver, and slices whose devices are given in flow style.
fn cluster(slices: &[(&str, &str)], rest: &str) -> String {
    let mut yaml = "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n".to_owned();
    for (driver, devices) in slices {
        yaml.push_str(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {{name: {driver}}}, spec: {{selectors: \
             [{{cel: {{expression: 'device.driver == \"{driver}\"'}}}}]}}}}\n---\n\
             {{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: n1-{driver}}}, spec: {{driver: {driver}, \
             pool: {{name: n1, generation: 1, resourceSliceCount: 1}}, nodeName: n1, devices: {devices}}}}}\n---\n"
        ));
    }
    yaml + rest
}

fn first(yaml: &str) -> Value {
    pods(yaml)[0]["nodes"][0].clone()
}

const ALIGNED: &str = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns}, spec: {devices: \
                       {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}, {name: nic, exactly: \
                       {deviceClassName: nic.example.org}}], constraints: [{matchAttribute: resource.kubernetes.io/pcieRoot}]}}}";

/// Values of different type read the same and are not equal.
#[test]
fn values_of_different_type() {
    let root = "resource.kubernetes.io/pcieRoot";
    let gpus = format!("[{{name: gpu-0, attributes: {{{root}: {{int: 0}}}}}}]");
    let nics = format!("[{{name: eth0, attributes: {{{root}: {{string: '0'}}}}}}]");
    let node = first(&cluster(
        &[("gpu.example.com", &gpus), ("nic.example.org", &nics)],
        ALIGNED,
    ));
    assert_eq!(
        node["conflicts"][0]["text"],
        format!("no value of {root} is common to all: gpu has 0 (int); nic has 0 (string)")
    );
    assert_eq!(
        node["conflicts"][0]["values"],
        json!({"0 (int)": {"gpu": 1}, "0 (string)": {"nic": 1}})
    );
}

/// The driver publishes the attribute under its own domain.
#[test]
fn attribute_in_another_domain() {
    let root = "resource.kubernetes.io/pcieRoot";
    let gpus = format!("[{{name: gpu-0, attributes: {{{root}: {{string: '0'}}}}}}]");
    let nics = "[{name: eth0, attributes: {pcieRoot: {string: '0'}}}, {name: eth1, attributes: {nic.example.org/pciRoot: {string: '0'}}}]";
    let node = first(&cluster(
        &[("gpu.example.com", &gpus), ("nic.example.org", nics)],
        ALIGNED,
    ));
    assert_eq!(
        node["requests"][1]["why"],
        format!(
            "eth1: no attribute {root}, but nic.example.org/pciRoot; eth0: no attribute {root}, but nic.example.org/pcieRoot"
        )
    );
}

/// Many values: those that most devices have.
#[test]
fn too_few_of_each_value() {
    let one = |at: usize| {
        format!(
            "{{name: d{at}, attributes: {{root: {{int: {}}}}}}}",
            if at < 3 { 9 } else { at }
        )
    };
    let devices: Vec<String> = (0..12).map(one).collect();
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns}, spec: {devices: {requests: \
                 [{name: gpu, exactly: {deviceClassName: g.example.com, count: 5}}], constraints: [{matchAttribute: g.example.com/root}]}}}";
    let node = first(&cluster(
        &[("g.example.com", &format!("[{}]", devices.join(", ")))],
        claim,
    ));
    assert_eq!(
        node["conflicts"][0]["text"],
        "no value of g.example.com/root is on enough devices: gpu wants 5 and has 9 ×4, 10 ×1, 11 ×1, 3 ×1, 4 ×1 and 4 more"
    );
}

/// Amounts that are compared stand in one notation.
#[test]
fn decimal_capacity() {
    let nic = "[{name: eth1, allowMultipleAllocations: true, capacity: {bw: {value: 10G, requestPolicy: {default: 1G, validRange: \
               {min: 1G, step: 1G}}}}}]";
    let claims = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: db, namespace: ns}, spec: {devices: {requests: \
                  [{name: r, exactly: {deviceClassName: n.example.com}}]}}, status: {allocation: {devices: {results: [{request: r, driver: \
                  n.example.com, pool: n1, device: eth1, shareID: 11111111-2222-4333-8444-555555555555, consumedCapacity: {bw: \
                  6835937500m}}, {request: r, driver: n.example.com, pool: n1, device: eth1, shareID: \
                  21111111-2222-4333-8444-555555555555, consumedCapacity: {bw: 6993164062500m}}]}}}}\n---\n\
                  {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns}, spec: {devices: {requests: \
                  [{name: r, exactly: {deviceClassName: n.example.com, capacity: {requests: {bw: 3500M}}}}]}}}";
    let claims = claims
        .replace("6835937500m", "4G")
        .replace("6993164062500m", "3G");
    let node = first(&cluster(&[("n.example.com", nic)], &claims));
    let told = "3500M of bw is charged as 4G, 3G left of 10G (7G held by ns/db, ns/db)";
    assert_eq!(node["requests"][0]["why"], format!("eth1: {told}"));
    let charged = &node["requests"][0]["cells"][0]["reason"]["charged"];
    assert_eq!(
        charged, "3906250Ki",
        "upstream's spelling stays in the data"
    );
    assert_eq!(
        relaxed(&node)[1],
        "asking for 3G of bw instead of 3500M in request r: gives eth1 on n1"
    );
}

/// Mode All where there is nothing.
#[test]
fn all_of_nothing() {
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns}, spec: {devices: {requests: \
                 [{name: r, exactly: {deviceClassName: g.example.com, allocationMode: All}}]}}}";
    let node = first(&cluster(&[("g.example.com", "[]")], claim));
    assert_eq!(
        node["requests"][0]["text"],
        "0 on the node → wanted all, at least 1"
    );
    let two = first(&cluster(
        &[(
            "g.example.com",
            "[{name: a}, {name: b, taints: [{key: k, effect: NoSchedule}]}]",
        )],
        claim,
    ));
    assert_eq!(
        two["requests"][0]["text"],
        "2 on the node → 2 of class g.example.com → 2 free → 1 not tainted → wanted all 2"
    );
}

/// Devices that other nodes reach through the network.
#[test]
fn devices_for_other_nodes() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: r3}}\n---\n";
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: team}, spec: {resourceClaims: [{name: b, resourceClaimName: two}]}}";
    let pods = pods(&format!("{RACKS}{node}{pod}"));
    let r3 = &list(&pods[0], "nodes")[2];
    assert_eq!(
        r3["requests"][0]["why"],
        "fpga-0, fpga-1: only on nodes with rack In [1] (slice rack-1); fpga-2: only on nodes with rack In [2] (slice rack-2)"
    );
}

/// Nothing to allocate, and why.
#[test]
fn allocated_already() {
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: team}, spec: {resourceClaims: [{name: a, resourceClaimName: shared}]}}";
    assert_eq!(
        text(&first(&format!("{RACKS}{pod}")), "text"),
        "r1: team/shared is allocated already: fpga-0"
    );
    let devices = "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {example.com/gpu: '4'}}}\n---\n\
                   {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: g}, spec: {extendedResourceName: example.com/gpu}}\n---\n\
                   {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: [{name: c, resources: {requests: \
                   {example.com/gpu: 1}}}]}}";
    assert_eq!(
        text(&first(devices), "text"),
        "n1: example.com/gpu from the node's device plugin"
    );
    // Without the device plugin the request says for what it is made.
    let node = first(&devices.replace("example.com/gpu: '4'", "cpu: '4'"));
    assert_eq!(
        node["requests"][0]["serves"],
        "example.com/gpu of container c"
    );
}

/// A pod whose extended resource no class serves is none of the scheduler's plugin, which says nothing.
#[test]
fn extended_resource_that_no_class_serves() {
    let text = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: g}, spec: {extendedResourceName: example.com/gpu}}\n---\n\
                {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns}, spec: {containers: [{name: c, resources: {requests: \
                {cpu: 1, example.com/gpus: 1}}}]}}";
    let request = json!({"verb": "allocate", "release": "1.36.3", "text": format!("# A cluster.\n{text}"), "pod": "ns/p"});
    let answer = crate::support::ask(&request);
    let before = &answer["pods"][0]["before"];
    assert_eq!(
        (&before["code"], &before["message"]),
        (&json!("Skip"), &json!(""))
    );
    let help = "the pod asks for no devices; no DeviceClass serves `example.com/gpus`; did you mean `example.com/gpu`?";
    assert_eq!(before["help"], help);
}

/// An error of the allocator leads to the request that it is about.
#[test]
fn errors_have_places() {
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: ns}, spec: {devices: {requests: \
                 [{name: q, exactly: {deviceClassName: g.example.com}}, {name: r, exactly: {deviceClassName: g.example.com, allocationMode: All}}]}}}";
    let yaml = cluster(&[("g.example.com", "[{name: a}]")], claim)
        .replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    let answer = asked(&yaml);
    let found = list(&answer, "findings")
        .iter()
        .find(|finding| finding["code"] == "allocation-error")
        .unwrap();
    assert_eq!(
        found["message"],
        "claim ns/c, request r: asks for all devices, but resource pool g.example.com/n1 is currently being updated"
    );
    assert_eq!(found["path"], "spec.devices.requests[1]");
    assert!(found["range"].is_object(), "{found}");
}

/// A claim that no pod uses and that is refused before any node does not hide what the others get.
#[test]
fn one_of_several_claims_is_refused() {
    let claim = |name: &str, class: &str| {
        format!(
            "\n---\n{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {name}, namespace: ns}}, spec: {{devices: \
             {{requests: [{{name: r, exactly: {{deviceClassName: {class}}}}}]}}}}}}"
        )
    };
    let claims = ["a", "b", "c"].map(|name| {
        claim(
            name,
            if name == "b" {
                "g.exmaple.com"
            } else {
                "g.example.com"
            },
        )
    });
    let told = pods(&cluster(
        &[("g.example.com", "[{name: d0}, {name: d1}]")],
        &claims.concat(),
    ));
    for (at, name) in [(0, "ns/a"), (2, "ns/c")] {
        assert_eq!(
            (&told[at]["claims"], &told[at]["nodes"][0]["verdict"]),
            (&json!([name]), &json!("allocated"))
        );
    }
    assert_eq!(
        (&told[1]["claims"], &told[1]["nodes"]),
        (&json!(["ns/b"]), &json!([]))
    );
    assert_eq!(
        told[1]["before"]["message"],
        "request r: device class g.exmaple.com does not exist"
    );
}

/// Devices of other drivers are no news where a class has none.
#[test]
fn no_device_of_the_class() {
    let claim = ALIGNED.replace("nic.example.org", "other.example.org");
    let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: other.example.org}, spec: {selectors: [{cel: \
                 {expression: 'device.driver == \"other.example.org\"'}}]}}\n---\n";
    let node = first(&cluster(
        &[("gpu.example.com", "[{name: gpu-0}]")],
        &format!("{class}{claim}"),
    ));
    assert_eq!(
        node["requests"][1]["text"],
        "1 on the node → 0 of class other.example.org → wanted 1"
    );
    assert_eq!(
        node["requests"][1]["why"],
        "no device of class other.example.org: those of the node are of gpu.example.com"
    );
}
