//! Clusters and expressions made from a seed: the same seed gives the same text.

use serde_json::{Value, json};

/// Numbers from a seed (splitmix64).
pub struct Dice(u64);

impl Dice {
    pub fn of(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(sides.max(1)).unwrap()).unwrap()
    }

    /// Returns true once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.roll(list.len())]
    }
}

const CLASSES: [&str; 3] = ["gpu", "nic", "cpu"];

/// Returns the objects of a cluster: nodes, slices, classes, claims that hold devices, and pods that wait.
pub fn cluster(seed: u64) -> Vec<Value> {
    let dice = &mut Dice::of(seed);
    let mut objects: Vec<Value> = CLASSES
        .iter()
        .map(|class| {
            json!({
                "apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": class},
                "spec": {"selectors": [{"cel": {"expression": format!("device.driver == '{class}.example.com'")}}]},
            })
        })
        .collect();
    let mut devices: Vec<(String, String, usize)> = Vec::new();
    for node in 0..2 + dice.roll(3) {
        let name = format!("w{node}");
        objects.push(node_object(dice, &name));
        for class in CLASSES {
            let count = dice.roll(4);
            if count == 0 {
                continue;
            }
            if class == "nic" {
                objects.push(counters(&name, count));
            }
            objects.push(slice(dice, &name, class, count));
            devices.extend((0..count).map(|at| (name.clone(), class.to_owned(), at)));
        }
    }
    for (at, (node, class, device)) in devices.iter().enumerate() {
        if dice.once_in(3) && !is_shared(node, class) {
            objects.push(held(dice, at, node, class, *device));
        }
    }
    for at in 0..1 + dice.roll(3) {
        let name = format!("p{at}");
        let claim = claim_spec(dice);
        objects.push(json!({
            "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
            "metadata": {"name": format!("{name}-c"), "namespace": "default"},
            "spec": {"devices": claim},
        }));
        objects.push(pod(dice, at, &name));
    }
    objects
}

fn node_object(dice: &mut Dice, name: &str) -> Value {
    let zone = dice.pick(&["a", "b"]).to_owned();
    let mut spec = json!({});
    if dice.once_in(5) {
        spec["unschedulable"] = json!(true);
    }
    if dice.once_in(5) {
        spec["taints"] = json!([{"key": "team", "value": "x", "effect": "NoSchedule"}]);
    }
    let cpu = dice.pick(&["1", "4"]).to_owned();
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "zone": zone}},
        "spec": spec,
        "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "20"}},
    })
}

fn slice(dice: &mut Dice, node: &str, class: &str, count: usize) -> Value {
    let devices: Vec<Value> = (0..count)
        .map(|at| {
            let mut device = json!({"name": format!("{class}{at}"), "attributes": {}});
            if !dice.once_in(4) {
                device["attributes"]["model"] = json!({"string": dice.pick(&["a", "b"])});
            }
            if !dice.once_in(3) {
                device["attributes"]["root"] = json!({"string": format!("r{}", dice.roll(2))});
            }
            if !dice.once_in(3) {
                let amount = dice.pick(&["40Gi", "80Gi"]).to_owned();
                device["capacity"] = json!({"memory": {"value": amount}});
            }
            if is_shared(node, class) {
                device["allowMultipleAllocations"] = json!(true);
                device["capacity"] = json!({"memory": {"value": "80Gi"}});
            } else if class == "nic" {
                device["consumesCounters"] =
                    json!([{"counterSet": "ports", "counters": {"ports": {"value": "1"}}}]);
            }
            if dice.once_in(4) {
                let effect = dice.pick(&["NoSchedule", "NoExecute"]).to_owned();
                device["taints"] = json!([{"key": "sick", "value": "yes", "effect": effect}]);
            }
            device
        })
        .collect();
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
        "metadata": {"name": format!("{node}-{class}"), "uid": format!("uid-{node}-{class}")},
        "spec": {
            "driver": format!("{class}.example.com"), "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": if class == "nic" { 2 } else { 1 }},
            "devices": devices,
        },
    })
}

/// Devices of this class can be shared on this node.
pub fn is_shared(node: &str, class: &str) -> bool {
    node == "w1" && class == "cpu"
}

/// Returns the counters of the network devices of a node, of which the cluster has one less than devices.
fn counters(node: &str, count: usize) -> Value {
    json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
        "metadata": {"name": format!("{node}-counters")},
        "spec": {
            "driver": "nic.example.com", "nodeName": node,
            "pool": {"name": node, "generation": 1, "resourceSliceCount": 2},
            "sharedCounters": [{"name": "ports", "counters": {"ports": {"value": (count - count / 3).to_string()}}}],
        },
    })
}

fn held(dice: &mut Dice, at: usize, node: &str, class: &str, device: usize) -> Value {
    let mut claim = json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"name": format!("h{at}"), "namespace": "default", "uid": format!("uid-h{at}")},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": class, "allocationMode": "ExactCount", "count": 1}}]}},
        "status": {"allocation": {
            "devices": {"results": [{"request": "r", "driver": format!("{class}.example.com"), "pool": node, "device": format!("{class}{device}")}]},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]},
        }},
    });
    if dice.once_in(2) {
        claim["status"]["reservedFor"] =
            json!([{"resource": "pods", "name": format!("r{at}"), "uid": format!("uid-r{at}")}]);
    }
    claim
}

fn ask(dice: &mut Dice) -> Value {
    let mut ask = json!({"deviceClassName": dice.pick(&CLASSES)});
    match dice.roll(6) {
        0 => ask["allocationMode"] = json!("All"),
        1 | 2 => ask["count"] = json!(1 + dice.roll(3)),
        _ => {}
    }
    if dice.once_in(4) {
        let model = dice.pick(&["a", "b", "c"]).to_owned();
        let driver = format!("{}.example.com", ask["deviceClassName"].as_str().unwrap());
        ask["selectors"] = json!([{"cel": {"expression": format!("'model' in device.attributes['{driver}'] && device.attributes['{driver}'].model == '{model}'")}}]);
    }
    if dice.once_in(5) {
        let memory = format!(
            "device.capacity['{}.example.com'].memory",
            ask["deviceClassName"].as_str().unwrap()
        );
        let amount = format!(
            "quantity('{}')",
            dice.pick(&["40Gi", "60Gi", "80Gi", "100Gi"])
        );
        let comparison = dice
            .pick(&COMPARISONS)
            .replace('$', &memory)
            .replace('#', &amount);
        let mut selectors = super::list(&ask["selectors"]).to_vec();
        selectors.push(json!({"cel": {"expression": comparison}}));
        ask["selectors"] = json!(selectors);
    }
    if dice.once_in(5) {
        let amount = dice.pick(&["20Gi", "60Gi", "100Gi"]).to_owned();
        ask["capacity"] = json!({"requests": {"memory": amount}});
    }
    if dice.once_in(3) {
        ask["tolerations"] = match dice.roll(3) {
            0 => json!([{"operator": "Exists"}]),
            1 => json!([{"key": "sick", "operator": "Exists", "effect": "NoExecute"}]),
            _ => json!([{"key": "sick", "operator": "Exists", "effect": "NoSchedule"}]),
        };
    }
    ask
}

fn claim_spec(dice: &mut Dice) -> Value {
    let requests: Vec<Value> = (0..1 + dice.roll(3))
        .map(|at| {
            let name = format!("q{at}");
            if dice.once_in(3) {
                let mut first = ask(dice);
                first["name"] = json!("one");
                let mut second = ask(dice);
                second["name"] = json!("two");
                json!({"name": name, "firstAvailable": [first, second]})
            } else {
                json!({"name": name, "exactly": ask(dice)})
            }
        })
        .collect();
    let mut spec = json!({"requests": requests});
    if dice.once_in(6) {
        let driver = format!("{}.example.com", dice.pick(&CLASSES));
        spec["constraints"] = json!([{"matchAttribute": format!("{driver}/root")}]);
    }
    spec
}

fn pod(dice: &mut Dice, at: usize, name: &str) -> Value {
    let cpu = dice.pick(&["100m", "2"]).to_owned();
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": "default", "uid": format!("uid-{name}"),
            "creationTimestamp": format!("2026-05-01T10:00:0{}Z", 9 - at),
        },
        "spec": {
            "containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}, "claims": [{"name": "c"}]}}],
            "resourceClaims": [{"name": "c", "resourceClaimName": format!("{name}-c")}],
        },
    });
    if dice.once_in(3) {
        pod["spec"]["nodeSelector"] = json!({"zone": dice.pick(&["a", "b", "c"])});
    }
    if dice.once_in(4) {
        pod["spec"]["tolerations"] = json!([{"key": "team", "operator": "Exists"}]);
    }
    pod
}

/// Comparisons of a capacity `$` with an amount `#`.
const COMPARISONS: [&str; 5] = [
    "$.compareTo(#) >= 0",
    "$.compareTo(#) > 0",
    "$.isGreaterThan(#)",
    "$.compareTo(#) < 0",
    "device.driver.endsWith('.com') && $ == #",
];

/// Ways to read a name that a device may lack.
const LOOKUPS: [&str; 6] = [
    "device.attributes['gpu.example.com'].model",
    "device.attributes['gpu.example.com']['model']",
    "device.attributes[device.driver].model",
    "device.attributes[device.driver]['model']",
    "cel.bind(a, device.attributes['gpu.example.com'], a.model)",
    "cel.bind(a, device.attributes['gpu.example.com'], a['model'])",
];

/// Uses of such a name; `$` is the lookup.
const USES: [&str; 7] = [
    "$ == 'a'",
    "$ in ['a', 'b']",
    "'a' == $",
    "device.driver == 'gpu.example.com' && $ == 'a'",
    "!($ == 'a')",
    "device.driver != 'gpu.example.com' || $.startsWith('a')",
    "['a', 'b'].exists(m, m == $)",
];

/// Returns a selector that fails on a device without the attribute `model`.
pub fn selector(seed: u64) -> String {
    let dice = &mut Dice::of(seed);
    let lookup = dice.pick(&LOOKUPS);
    dice.pick(&USES).replace('$', lookup)
}

/// Returns a claim whose shape may be that of another version than the one it names.
pub fn claim_of_any_shape(seed: u64) -> Value {
    let dice = &mut Dice::of(seed);
    let version = *dice.pick(&["v1alpha3", "v1beta1", "v1beta2", "v1"]);
    let requests: Vec<Value> = (0..1 + dice.roll(2))
        .map(|at| {
            let name = format!("q{at}");
            let count = 1 + dice.roll(3);
            let mut request = if dice.once_in(2) {
                json!({"name": name, "deviceClassName": "gpu", "count": count})
            } else {
                json!({"name": name, "exactly": {"deviceClassName": "gpu", "count": count}})
            };
            if dice.once_in(8) {
                request["firstAvailable"] = json!([{"name": "a", "deviceClassName": "gpu"}]);
            }
            request
        })
        .collect();
    json!({
        "apiVersion": format!("resource.k8s.io/{version}"), "kind": "ResourceClaim",
        "metadata": {"name": "c", "namespace": "default"},
        "spec": {"devices": {"requests": requests}},
    })
}

/// Writes objects as one text.
pub fn text(objects: &[Value]) -> String {
    let texts: Vec<String> = objects
        .iter()
        .map(|object| serde_json::to_string(object).unwrap())
        .collect();
    texts.join("\n---\n")
}
