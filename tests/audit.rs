//! The verb `audit`: messages, what is in use, and bounds. Each code has its case in `tests/manifests/audit.yaml`, too.

use serde_json::{Value, json};
use std::fmt::Write as _;

fn ask(text: &str) -> Value {
    let request = json!({"verb": "audit", "release": "1.36.3", "text": text});
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

fn of_code(answer: &Value, code: &str) -> Vec<String> {
    let findings = answer["findings"]
        .as_array()
        .unwrap_or_else(|| panic!("{answer}"));
    findings
        .iter()
        .filter(|f| f["code"] == code)
        .map(|f| f["message"].as_str().unwrap().to_owned())
        .collect()
}

fn node(name: &str) -> String {
    format!("---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\n")
}

fn slice(node: &str, spec: &str) -> String {
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {node}-gpus}}\nspec:\n  driver: gpu.example.com\n  nodeName: {node}\n  pool: {{name: {node}, generation: 1, resourceSliceCount: 1}}\n{spec}"
    )
}

fn claim(name: &str, results: &[&str]) -> String {
    let mut text = format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{namespace: team, name: {name}}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}\n"
    );
    if !results.is_empty() {
        text.push_str("status: {allocation: {devices: {results: [");
        for result in results {
            let _ = write!(text, "{{request: r, driver: gpu.example.com, {result}}}, ");
        }
        text.push_str("]}}}\n");
    }
    text
}

const CLASS: &str = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {selectors: [{cel: {expression: device.driver == \"gpu.example.com\"}}]}\n";

#[test]
fn the_messages_name_claims_devices_and_amounts() {
    let text = std::fs::read_to_string(format!(
        "{}/tests/manifests/audit.yaml",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let answer = ask(&text);
    assert_eq!(answer["ok"], false);
    for (code, messages) in [
        (
            "device-held-twice",
            &["device gpu.example.com/node-a/gpu-0 is held 2 times as a whole, by team/a, team/b"]
                [..],
        ),
        (
            "admin-access-in-use",
            &[
                "claim monitoring/watches has admin access to device gpu.example.com/node-a/gpu-0, in use by team/a, team/b",
            ],
        ),
        (
            "device-unpublished",
            &[
                "claim team/lost holds device gpu.example.com/node-a/gpu-7, which no slice publishes",
                "claim team/lost holds device gpu.example.com/node-a/gpu-9, which only slices of an older generation publish",
            ],
        ),
        (
            "capacity-overdrawn",
            &[
                "capacity bandwidth of device gpu.example.com/node-a/nic is overdrawn: 11G of 10G in use, by team/share-1, team/share-2, team/share-3",
                "claim team/share-2 consumes 1 of capacity gone, which device gpu.example.com/node-a/nic does not publish",
            ],
        ),
        (
            "claim-deleting-holds",
            &[
                "claim team/b has been deleted since 2026-01-01T00:00:00Z and still holds 1 device: it is reserved for nobody",
            ],
        ),
        (
            "reserved-for-gone",
            &[
                "claim team/a is reserved for pod team/ended, which has ended",
                "claim team/a is reserved for pod team/again, which is not there: another pod has its name",
                "claim team/a is reserved for pod team/gone, which is not there",
            ],
        ),
        (
            "slice-node-absent",
            &[
                "slice cards is of node node-b, which is not there",
                "device n1 of slice net is of node node-c, which is not there; so is 1 more device of the slice",
            ],
        ),
        (
            "partitions-without-counters",
            &[
                "devices gpu-0-part and gpu-0 of pool gpu.example.com/node-a are parts of one device (attribute parentUUID names it) without a common counter set: both can be allocated",
                "devices gpu-1-part and gpu-1 of pool gpu.example.com/node-a are parts of one device (both have resource.kubernetes.io/pciBusID 0000:01:00.0) without a common counter set: both can be allocated; 1 more like this",
            ],
        ),
        (
            "class-selects-nothing",
            &["class npu selects none of the 10 devices"],
        ),
        (
            "selector-unparsable",
            &[
                "`quantity(\"40GB\")` always fails: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            ],
        ),
    ] {
        assert_eq!(of_code(&answer, code), messages, "{code}");
    }
}

#[test]
fn what_is_in_use_adds_up() {
    let devices = "  devices:\n  - {name: gpu-0, capacity: {memory: {value: 80Gi}}}\n  - {name: gpu-1, capacity: {memory: {value: 80Gi}}}\n  - {name: gpu-2, taints: [{key: k, effect: NoSchedule}]}\n  - {name: nic, allowMultipleAllocations: true, capacity: {bandwidth: {value: 10G, requestPolicy: {default: 1G}}}}\n";
    let mut text = node("a") + &node("b") + CLASS + &slice("a", devices);
    text += &claim("one", &["pool: a, device: gpu-0"]);
    text += &claim(
        "two",
        &[
            "pool: a, device: nic, shareID: 11111111-1111-1111-1111-111111111111, consumedCapacity: {bandwidth: 4G}",
        ],
    );
    text += &claim("waits", &[]);
    let answer = ask(&text);
    assert_eq!(answer["ok"], true, "{}", answer["findings"]);
    let usage = &answer["usage"];
    let devices = json!({"total": 4, "inUse": 1, "shared": 1, "admin": 0, "blocked": 0, "tainted": 1, "free": 1});
    let capacity = json!([
        {"name": "gpu.example.com/bandwidth", "total": "10G", "used": "4G", "free": "6G"},
        {"name": "gpu.example.com/memory", "total": "160Gi", "used": "80Gi", "free": "80Gi"},
    ]);
    for table in ["pools", "drivers", "classes"] {
        assert_eq!(usage[table].as_array().unwrap().len(), 1, "{table}");
        assert_eq!(usage[table][0]["devices"], devices, "{table}");
        assert_eq!(usage[table][0]["capacity"], capacity, "{table}");
    }
    assert_eq!(usage["nodes"][0]["devices"], devices);
    assert_eq!(
        (
            &usage["nodes"][1]["name"],
            &usage["nodes"][1]["devices"]["inUse"]
        ),
        (&json!("b"), &json!(0))
    );
    assert_eq!(usage["pools"][0]["driver"], "gpu.example.com");
    assert_eq!(
        usage["classes"][0]["claims"],
        json!({"allocated": 2, "pending": 1})
    );
    let namespace = &usage["namespaces"][0];
    assert_eq!(namespace["name"], "team");
    assert_eq!(
        namespace["devices"],
        json!({"inUse": 1, "shared": 1, "admin": 0})
    );
    assert_eq!(
        namespace["capacity"][0],
        json!({"name": "gpu.example.com/bandwidth", "used": "4G"})
    );
    assert_eq!(namespace["claims"], json!({"allocated": 2, "pending": 1}));
}

#[test]
fn counters_block_devices_that_nobody_holds() {
    let counters = "  sharedCounters: [{name: card, counters: {memory: {value: 40Gi}}}]\n";
    let half = |name: &str, amount: &str| {
        format!(
            "  - {{name: {name}, consumesCounters: [{{counterSet: card, counters: {{memory: {{value: {amount}}}}}}}]}}\n"
        )
    };
    let counters = slice("a", counters)
        .replace("a-gpus", "a-counters")
        .replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    let devices = format!(
        "  devices:\n{}{}{}",
        half("half", "20Gi"),
        half("other", "20Gi"),
        half("whole", "40Gi")
    );
    let devices = slice("a", &devices).replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    let answer = ask(&(node("a")
        + CLASS
        + &counters
        + &devices
        + &claim("one", &["pool: a, device: half"])));
    let pool = &answer["usage"]["pools"][0];
    assert_eq!(pool["devices"]["blocked"], 1, "{answer}");
    assert_eq!(
        (&pool["devices"]["free"], &pool["devices"]["inUse"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(
        pool["counters"],
        json!([{"name": "card/memory", "total": "40Gi", "used": "20Gi", "free": "20Gi"}])
    );
    let used = json!([{"name": "gpu.example.com/memory", "total": "40Gi", "used": "20Gi", "free": "20Gi"}]);
    assert_eq!(
        (
            &answer["usage"]["nodes"][0]["counters"],
            &answer["usage"]["drivers"][0]["counters"]
        ),
        (&used, &used)
    );
    assert!(of_code(&answer, "partitions-without-counters").is_empty());
}

/// kube-scheduler allocates no device of a pool that lacks slices.
#[test]
fn devices_of_an_incomplete_pool_are_not_free() {
    let devices = slice("a", "  devices: [{name: gpu-0}, {name: gpu-1}]\n");
    let count = |devices: &str| {
        let answer = ask(&(node("a") + CLASS + devices));
        let pool = &answer["usage"]["pools"][0]["devices"];
        (pool["blocked"].clone(), pool["free"].clone())
    };
    assert_eq!(count(&devices), (json!(0), json!(2)));
    let lacking = devices.replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    assert_eq!(count(&lacking), (json!(2), json!(0)));
}

#[test]
fn a_pending_claim_of_an_absent_class_is_named() {
    let text = node("a") + CLASS + &slice("a", "  devices: [{name: gpu-0}]\n");
    let waits = |class: &str| {
        claim("waits", &[]).replace("deviceClassName: gpu", &format!("deviceClassName: {class}"))
    };
    let answer = ask(&(text.clone() + &waits("gpuu")));
    assert_eq!(
        of_code(&answer, "class-not-in-input"),
        ["claim team/waits waits: there is no DeviceClass `gpuu`"]
    );
    assert_eq!(answer["findings"][0]["help"], "did you mean `gpu`?");
    assert_eq!(
        answer["findings"][0]["path"],
        "spec.devices.requests[0].exactly.deviceClassName"
    );
    let held = claim("waits", &["pool: a, device: gpu-0"])
        .replace("deviceClassName: gpu", "deviceClassName: gone");
    for fine in [waits("gpu"), held] {
        assert_eq!(
            of_code(&ask(&(text.clone() + &fine)), "class-not-in-input"),
            [""; 0]
        );
    }
}

/// One finding for each kind that is not given, with the command that prints it; nothing is guessed.
#[test]
fn what_is_absent_is_said_once() {
    let answer = ask(&claim("one", &["pool: a, device: gpu-0"]));
    let absent = of_code(&answer, "objects-absent");
    assert_eq!(
        absent,
        [
            "no ResourceSlice is given: devices in use are not compared with those published",
            "no Pod is given: it is not checked whether the pods of `reservedFor` exist",
            "no DeviceClass is given: it is not checked what classes select",
        ]
    );
    assert_eq!(
        answer["findings"][0]["help"],
        "add what `kubectl get resourceslices -o yaml` prints"
    );
    assert!(of_code(&answer, "device-unpublished").is_empty());
    assert_eq!(answer["ok"], true);
    let nothing = ask(&node("a"));
    assert_eq!(
        (&nothing["ok"], of_code(&nothing, "nothing-checked").len()),
        (&json!(false), 1)
    );
}

/// Many findings of one kind leave room for the others, and the time grows with the size.
#[test]
fn a_large_cluster_is_audited_within_bounds() {
    let devices = |count: usize| {
        (0..count).fold("  devices:\n".to_owned(), |mut text, at| {
            let _ = writeln!(text, "  - {{name: gpu-{at}}}");
            text
        })
    };
    let cluster = |nodes: usize| {
        let mut text = CLASS.to_owned();
        for at in 0..nodes {
            text += &node(&format!("n{at}"));
            text += &slice(&format!("n{at}"), &devices(8));
            text += &claim(
                &format!("c{at}"),
                &[
                    &format!("pool: n{at}, device: gpu-0"),
                    &format!("pool: n{at}, device: lost"),
                ],
            );
        }
        text
    };
    // The shortest of three: other programs may run at the same time.
    let time = |text: &str| {
        let measure = || {
            let start = std::time::Instant::now();
            let answer = ask(text);
            (start.elapsed(), answer)
        };
        (0..3)
            .map(|_| measure())
            .min_by_key(|(elapsed, _)| *elapsed)
            .unwrap()
    };
    let (small, (few, many)) = (cluster(200), (time(&cluster(200)).0, time(&cluster(1600))));
    assert!(!small.is_empty());
    let (elapsed, answer) = many;
    assert_eq!(of_code(&answer, "device-unpublished").len(), 100);
    assert_eq!(
        of_code(&answer, "limit-findings"),
        [
            "1500 more findings `device-unpublished` are left out, the limit is 100",
            "1500 more findings `claim-for-nobody` are left out, the limit is 100"
        ]
    );
    assert_eq!(answer["usage"]["drivers"][0]["devices"]["inUse"], 1600);
    // Eight times the size; twice of that leaves room for a busy machine.
    assert!(
        elapsed < few * 16 + std::time::Duration::from_millis(500),
        "{few:?} {elapsed:?}"
    );
}

#[test]
fn pods_claims_rules_and_templates_without_effect_are_found() {
    let text = std::fs::read_to_string(format!(
        "{}/tests/manifests/audit-pods.yaml",
        env!("CARGO_MANIFEST_DIR")
    ))
    .unwrap();
    let request = json!({"verb": "audit", "release": "1.37", "text": text});
    let answer: Value =
        serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap();
    for (code, messages) in [
        (
            "pod-devices-wrong",
            &[
                "pod team/cross is on node node-b, and its claim team/cross can only be used on nodes with metadata.name In [node-a]",
                "pod team/unallocated is on node node-a, and its claim team/unallocated is not allocated",
                "pod team/unreserved is on node node-a, and its claim team/unreserved is not reserved for it",
                "pod team/evicts is on node node-z, which is not there",
            ][..],
        ),
        (
            "claim-for-nobody",
            &["claim team/idle is allocated and reserved for nobody: its devices stay in use"],
        ),
        (
            "device-in-use-tainted",
            &[
                "claim team/evicts holds device gpu.example.com/node-a/gpu-3, whose taint example.com/dead:NoExecute evicts its pods",
                "claim team/soon holds device gpu.example.com/sick/gpu-0, whose taint hot:NoExecute evicts its pods 60 seconds after it was added",
            ],
        ),
        (
            "consumer-unknown",
            &[
                "claim team/of-training is reserved for trainings.example.com one, which is not a pod: nothing frees the claim after it",
            ],
        ),
        (
            "device-unhealthy",
            &[
                "claim team/soon holds device gpu.example.com/sick/gpu-0, which its driver has not made ready: \"ResetFailed: no answer\"",
                "pod team/soon uses an unhealthy device in container c: gpu-0 of claim entry g",
            ],
        ),
        (
            "extended-resource-of-several",
            &[
                "extended resource example.com/gpu is of several classes: first, second; pods that ask for it get devices of first",
            ],
        ),
        ("slice-empty", &["slice node-b-gpus has no devices"]),
        (
            "taint-rule-idle",
            &["DeviceTaintRule nobody selects no device"],
        ),
        (
            "class-not-in-input",
            &["template team/no-class: there is no DeviceClass `gpus`"],
        ),
        (
            "template-never-fits",
            &[
                "request r of template team/too-many asks for 6 devices of class gpu, and no node has more than 5",
            ],
        ),
        (
            "admin-access-label",
            &[
                "ResourceClaimTemplate team/admin asks for admin access, and namespace team lacks the label resource.kubernetes.io/admin-access=true",
            ],
        ),
    ] {
        assert_eq!(of_code(&answer, code), messages, "{code}");
    }
}

/// kube-apiserver 1.33 demands another label than later releases, and older ones none.
#[test]
fn admin_access_needs_the_label_of_the_release() {
    const FIRST: &str = "resource.k8s.io/admin-access";
    const LATER: &str = "resource.kubernetes.io/admin-access";
    let found = |release: &str, version: &str, label: &str| {
        let ask = match version {
            "v1beta1" => "deviceClassName: gpu, adminAccess: true",
            _ => "exactly: {deviceClassName: gpu, adminAccess: true}",
        };
        let spec = format!("spec: {{devices: {{requests: [{{name: r, {ask}}}]}}}}");
        let text = format!(
            "apiVersion: v1\nkind: Namespace\nmetadata: {{name: team, labels: {{{label}: \"true\"}}}}\n---\napiVersion: resource.k8s.io/{version}\nkind: ResourceClaim\nmetadata: {{namespace: team, name: c}}\n{spec}\n---\napiVersion: resource.k8s.io/{version}\nkind: ResourceClaimTemplate\nmetadata: {{namespace: team, name: t}}\nspec: {{{spec}}}\n"
        );
        let request = json!({"verb": "audit", "release": release, "text": text});
        of_code(&crate::support::ask(&request), "admin-access-label")
    };
    let lacks = |label: &str| {
        ["ResourceClaim team/c", "ResourceClaimTemplate team/t"].map(|object| {
            format!(
                "{object} asks for admin access, and namespace team lacks the label {label}=true"
            )
        })
    };
    assert_eq!(found("1.32", "v1beta1", LATER), [""; 0]);
    assert_eq!(found("1.33.3", "v1beta2", FIRST), [""; 0]);
    assert_eq!(found("1.33.3", "v1beta2", LATER), lacks(FIRST));
    assert_eq!(found("1.34.1", "v1", FIRST), lacks(LATER));
    assert_eq!(found("1.34.1", "v1", LATER), [""; 0]);
}

/// Asks the release 1.37.2.
fn ask_new(text: &str) -> Value {
    crate::support::ask(&json!({"verb": "audit", "release": "1.37.2", "text": text}))
}

const RULE: &str =
    "---\napiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: rule}\n";

/// `dynamic-resource-allocation/resourceslice/tracker`: "No selector matches no devices" since 1.37.1.
#[test]
fn a_rule_without_a_selector_selects_what_the_release_says() {
    let text = slice("a", "  devices: [{name: gpu-0}]\n")
        + RULE
        + "spec: {taint: {key: k, effect: NoSchedule}}\n";
    let audit = |release: &str| {
        let request = json!({"verb": "audit", "release": release, "gates": {"DRADeviceTaintRules": true}, "text": text});
        crate::support::ask(&request)
    };
    let (old, new) = (audit("1.36.3"), audit("1.37.2"));
    assert_eq!(of_code(&old, "taint-rule-selects-all").len(), 1, "{old}");
    assert_eq!(of_code(&old, "taint-rule-idle"), [""; 0]);
    assert_eq!(of_code(&new, "taint-rule-selects-all"), [""; 0]);
    assert_eq!(
        of_code(&new, "taint-rule-idle"),
        ["DeviceTaintRule rule has no deviceSelector, so it selects no device"]
    );
    let validate = |release: &str| {
        let request = json!({"verb": "validate", "release": release, "text": text});
        of_code(&crate::support::ask(&request), "taint-rule-selects-all").len()
    };
    assert_eq!((validate("1.36.3"), validate("1.37.2")), (1, 0));
}

#[test]
fn a_rule_for_all_evicts_only_what_does_not_tolerate_it() {
    let text = slice("a", "  devices: [{name: gpu-0}]\n")
        + RULE
        + "spec: {deviceSelector: {}, taint: {key: k, effect: NoExecute}}\n";
    assert_eq!(
        of_code(&ask_new(&text), "taint-rule-selects-all"),
        [
            "an empty deviceSelector taints every device of every driver (NoExecute); every pod with devices whose claim does not tolerate it is evicted"
        ]
    );
}

#[test]
fn several_claims_consume_what_is_not_published_in_their_own_notation() {
    let slices = slice(
        "a",
        "  devices: [{name: nic, allowMultipleAllocations: true}]\n",
    );
    let share = |name: &str, id: u8| {
        let result = format!(
            "pool: a, device: nic, shareID: {id}1111111-1111-4111-8111-111111111111, consumedCapacity: {{gone: 3G}}"
        );
        claim(name, &[&result])
    };
    let answer = ask_new(&(slices + &share("one", 1) + &share("two", 2)));
    assert_eq!(
        of_code(&answer, "capacity-overdrawn"),
        [
            "claims team/one, team/two consume 6G of capacity gone, which device gpu.example.com/a/nic does not publish"
        ]
    );
}

/// What no pod can get is not free: devices of slices and pools that the scheduler passes over.
#[test]
fn devices_that_nobody_can_get_are_not_free() {
    let blocked = |slices: &str| {
        let answer = ask_new(&(node("a") + CLASS + slices));
        let devices = &answer["usage"]["drivers"][0]["devices"];
        (devices["blocked"].clone(), devices["free"].clone())
    };
    let good = slice("a", "  devices: [{name: gpu-0}, {name: gpu-1}]\n");
    assert_eq!(blocked(&good), (json!(0), json!(2)));
    let selector = "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [z]}]}]}";
    for wrong in [
        good.replace("nodeName: a", selector),
        good.replace("nodeName: a", "nodeName: gone"),
        good.replace("  nodeName: a\n", ""),
        good.replace("nodeName: a", "perDeviceNodeSelection: true")
            .replace("gpu-0", "gpu-0, nodeName: gone")
            .replace("gpu-1", "gpu-1, nodeName: gone"),
        good.replace(
            "gpu-0",
            "gpu-0, consumesCounters: [{counterSet: gone, counters: {m: {value: \"1\"}}}]",
        ),
        good.replace("resourceSliceCount: 1", "resourceSliceCount: 2")
            + &good
                .replace("resourceSliceCount: 1", "resourceSliceCount: 2")
                .replace("a-gpus", "b-gpus"),
        good.clone()
            + &good
                .replace("a-gpus", "b-gpus")
                .replace("[{name: gpu-0}, {name: gpu-1}]", "[]"),
        good + "  sharedCounters: [{name: card, counters: {m: {value: \"1\"}}}]\n",
    ] {
        assert_eq!(blocked(&wrong), (json!(2), json!(0)), "{wrong}");
    }
    // Without nodes it is not known which there are.
    let alone = ask_new(&slice("a", "  devices: [{name: gpu-0}]\n"));
    assert_eq!(alone["usage"]["drivers"][0]["devices"]["free"], 1);
}

/// Returns a row's amounts of one list, each as its text.
fn amounts(row: &Value, list: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let amounts = row[list].as_array().unwrap().iter();
    let amounts = amounts.map(|amount| {
        let numbers = ["used", "total", "free"].map(|name| text(&amount[name]));
        format!("{}: {}", text(&amount["name"]), numbers.join(", "))
    });
    amounts.collect()
}

/// Partitions are parts of one amount, which only the counter knows.
#[test]
fn capacities_of_partitions_are_not_added_up() {
    let part = |name: &str, amount: &str| {
        format!(
            "  - {{name: {name}, capacity: {{memory: {{value: {amount}}}}}, consumesCounters: [{{counterSet: card, counters: {{memory: {{value: {amount}}}}}}}]}}\n"
        )
    };
    let set = slice(
        "a",
        "  sharedCounters: [{name: card, counters: {memory: {value: 80Gi}}}]\n",
    );
    let parts = [
        part("full", "80Gi"),
        part("h0", "40Gi"),
        part("h1", "40Gi"),
        part("q0", "20Gi"),
    ];
    let devices = slice("a", &format!("  devices:\n{}", parts.concat()));
    let slices = (set.replace("a-gpus", "a-set") + &devices).replace("Count: 1", "Count: 2");
    let held = claim("one", &["pool: a, device: h0"]);
    let of_parts = "gpu.example.com/memory: 40Gi, -, -";
    let usage = &ask(&(node("a") + CLASS + &slices + &held))["usage"];
    for list in ["nodes", "pools", "drivers", "classes", "namespaces"] {
        assert_eq!(amounts(&usage[list][0], "capacity"), [of_parts], "{list}");
    }
    let counters = amounts(&usage["pools"][0], "counters");
    assert_eq!(counters, ["card/memory: 40Gi, 80Gi, 40Gi"]);
    // Beside whole devices only these count.
    let whole = slice(
        "b",
        "  devices: [{name: w, capacity: {memory: {value: 80Gi}}}]\n",
    );
    let usage = &ask(&(node("a") + &node("b") + CLASS + &slices + &whole + &held))["usage"];
    for list in ["drivers", "classes"] {
        let capacity = amounts(&usage[list][0], "capacity");
        assert_eq!(
            capacity,
            ["gpu.example.com/memory: 0, 80Gi, 80Gi"],
            "{list}"
        );
    }
}

#[test]
fn devices_of_nodes_that_take_no_pods_are_not_free() {
    let blocked = |spec: &str| {
        let node = format!("---\napiVersion: v1\nkind: Node\nmetadata: {{name: node-a}}\n{spec}");
        let slice = slice("node-a", "  devices: [{name: a}, {name: b}]\n");
        let answer = ask(&format!("{CLASS}{node}{slice}"));
        let devices = &answer["usage"]["drivers"][0]["devices"];
        (devices["blocked"].clone(), devices["free"].clone())
    };
    assert_eq!(blocked(""), (json!(0), json!(2)));
    for wrong in [
        "spec: {unschedulable: true}\n",
        "status: {conditions: [{type: Ready, status: \"False\"}]}\n",
        "status: {conditions: [{type: Ready, status: Unknown}]}\n",
    ] {
        assert_eq!(blocked(wrong), (json!(2), json!(0)), "{wrong}");
    }
}

#[test]
fn what_cannot_be_had_is_not_free() {
    let memory = |name: &str, more: &str| {
        format!("  - {{name: {name}, capacity: {{memory: {{value: 40Gi}}}}{more}}}\n")
    };
    let here = slice("a", &format!("  devices:\n{}", memory("gpu-0", "")));
    let taint = ", taints: [{key: k, effect: NoSchedule}]";
    let tainted = slice("a", &format!("  devices:\n{}", memory("gpu-0", taint)));
    let gone = slice(
        "gone",
        &format!("  devices:\n{}{}", memory("gpu-0", ""), memory("gpu-1", "")),
    );
    let of_driver = |slices: &str, list: &str| {
        let answer = ask(&(node("a") + CLASS + slices));
        amounts(&answer["usage"]["drivers"][0], list)
    };
    for (slices, amount) in [
        (here.clone() + &gone, "0, 120Gi, 40Gi"),
        (tainted + &gone, "0, 120Gi, 0"),
        (here.replace("Count: 1", "Count: 2"), "0, 40Gi, 0"),
    ] {
        let expected = format!("gpu.example.com/memory: {amount}");
        assert_eq!(of_driver(&slices, "capacity"), [expected]);
    }
    // The rest of a device that is shared.
    let nic = |node: &str, more: &str| {
        let device = format!(
            "  devices: [{{name: nic, allowMultipleAllocations: true, capacity: {{bandwidth: {{value: 10G}}}}{more}}}]\n"
        );
        let share = format!(
            "pool: {node}, device: nic, shareID: 11111111-1111-1111-1111-111111111111, consumedCapacity: {{bandwidth: 4G}}"
        );
        slice(node, &device) + &claim("share", &[&share])
    };
    for (slices, free) in [
        (nic("a", ""), "6G"),
        (nic("a", taint), "0"),
        (nic("gone", ""), "0"),
    ] {
        let expected = format!("gpu.example.com/bandwidth: 4G, 10G, {free}");
        assert_eq!(of_driver(&slices, "capacity"), [expected]);
    }
    // Counters of which only devices that nobody can get consume something.
    let card = |node: &str, more: &str| {
        let set = slice(
            node,
            "  sharedCounters: [{name: card, counters: {memory: {value: 80Gi}}}]\n",
        );
        let device = format!(
            "  devices: [{{name: part, consumesCounters: [{{counterSet: card, counters: {{memory: {{value: 40Gi}}}}}}]{more}}}]\n"
        );
        let slices = set.replace("-gpus", "-set") + &slice(node, &device);
        slices.replace("Count: 1", "Count: 2")
    };
    for (slices, free) in [
        (card("a", ""), "80Gi"),
        (card("a", taint), "0"),
        (card("gone", ""), "0"),
        (card("a", "").replace("Count: 2", "Count: 3"), "0"),
    ] {
        let expected = format!("gpu.example.com/memory: 0, 80Gi, {free}");
        assert_eq!(of_driver(&slices, "counters"), [expected]);
    }
}

/// Shares of one device are one device of the namespace, which takes its counters once.
#[test]
fn a_namespace_counts_a_shared_device_once() {
    let counters = slice(
        "a",
        "  sharedCounters: [{name: card, counters: {memory: {value: 80Gi}}}]\n",
    )
    .replace("a-gpus", "a-counters");
    let devices = slice(
        "a",
        "  devices: [{name: half, allowMultipleAllocations: true, capacity: {cores: {value: 10}}, consumesCounters: [{counterSet: card, counters: {memory: {value: 40Gi}}}]}]\n",
    );
    let share = |id: &str| {
        format!(
            "pool: a, device: half, shareID: {id}1111111-1111-4111-8111-111111111111, consumedCapacity: {{cores: 1}}"
        )
    };
    let slices = (counters + &devices).replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    let claims = claim("one", &[&share("1"), &share("2")]) + &claim("other", &[&share("3")]);
    let answer = ask_new(&(node("a") + &slices + &claims));
    let namespace = &answer["usage"]["namespaces"][0];
    assert_eq!(namespace["devices"]["shared"], 1, "{namespace}");
    assert_eq!(
        (
            &namespace["counters"][0]["used"],
            &namespace["capacity"][0]["used"]
        ),
        (&json!("40Gi"), &json!("3"))
    );
}

#[test]
fn a_template_with_an_alternative_that_fits_is_right() {
    let template = |last: u8| {
        format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {{namespace: team, name: t}}\nspec: {{spec: {{devices: {{requests: [{{name: r, firstAvailable: [{{name: more, deviceClassName: gpu, count: 3}}, {{name: less, deviceClassName: gpu, count: {last}}}]}}]}}}}}}\n"
        )
    };
    let cluster = node("a") + CLASS + &slice("a", "  devices: [{name: gpu-0}]\n");
    let found = |last| {
        of_code(
            &ask_new(&(cluster.clone() + &template(last))),
            "template-never-fits",
        )
        .len()
    };
    assert_eq!((found(1), found(2)), (0, 2));
}

/// A slice that is missing may publish the device: nobody should delete the claim.
#[test]
fn a_device_of_an_incomplete_pool_may_be_published() {
    let slices = slice("a", "  devices: [{name: gpu-0}]\n")
        .replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    let answer = ask_new(&(slices + &claim("one", &["pool: a, device: gpu-1"])));
    assert_eq!(
        of_code(&answer, "device-unpublished"),
        [
            "claim team/one holds device gpu.example.com/a/gpu-1, which no slice publishes that is there: its pool lacks slices"
        ]
    );
    let text = answer.to_string();
    assert!(
        text.contains("wait until the pool is complete") && !text.contains("ask the driver why"),
        "{text}"
    );
}

fn pod(name: &str, node: &str, more: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: {name}, uid: u-{name}{more}}}\nspec: {{{node}containers: [{{name: c, image: i}}], resourceClaims: [{{name: r, resourceClaimName: {name}}}]}}\n"
    )
}

/// kube-controller-manager, `pkg/controller/resourceclaim`, `syncPod`: it reserves the claim by itself.
#[test]
fn an_unreserved_claim_of_a_pod_on_a_node_is_left_to_the_controller() {
    let cluster = node("a") + &slice("a", "  devices: [{name: gpu-0}]\n");
    let held = claim("one", &["pool: a, device: gpu-0"]);
    let answer = ask_new(&(cluster.clone() + &held + &pod("one", "nodeName: a, ", "")));
    assert_eq!(
        of_code(&answer, "pod-devices-wrong"),
        ["pod team/one is on node a, and its claim team/one is not reserved for it"]
    );
    assert_eq!(of_code(&answer, "claim-for-nobody"), [""; 0]);
    let text = answer.to_string();
    assert!(
        text.contains("reserves an allocated claim for a pod") && !text.contains("delete the pod"),
        "{text}"
    );
    let absent = ask_new(&(cluster + &held + &pod("gone", "nodeName: a, ", "")));
    assert_eq!(
        of_code(&absent, "pod-devices-wrong"),
        ["pod team/gone is on node a, and its claim team/gone is not there"]
    );
}

/// kube-scheduler makes and reserves claims for extended resources; no controller does it later.
#[test]
fn a_claim_for_extended_resources_is_compared_with_its_pod() {
    let cluster = node("a") + &node("b") + &slice("a", "  devices: [{name: gpu-0}]\n");
    let held = claim("made", &["pool: a, device: gpu-0"]).replace(
        "name: made}",
        "name: made, annotations: {resource.kubernetes.io/extended-resource-claim: \"true\"}, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u-p, controller: true}]}",
    );
    let reserved = held.replace(
        "status: {",
        "status: {reservedFor: [{resource: pods, name: p, uid: u-p}], ",
    );
    let pod = |node: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: p, uid: u-p}}\nspec: {{nodeName: {node}, containers: [{{name: c, image: i}}]}}\n"
        )
    };
    let found = |claim: &str, on: &str| {
        let answer = ask_new(&(cluster.clone() + claim + &pod(on)));
        assert_eq!(of_code(&answer, "claim-for-nobody"), [""; 0]);
        of_code(&answer, "pod-devices-wrong")
    };
    assert_eq!(found(&reserved, "a"), [""; 0]);
    assert_eq!(
        found(&held, "a"),
        ["pod team/p is on node a, and its claim team/made is not reserved for it"]
    );
    assert_eq!(
        found(&reserved, "b"),
        [
            "pod team/p is on node b, and device gpu.example.com/a/gpu-0 of its claim team/made is on node a"
        ]
    );
}

/// The node selector of an allocation may contradict the node of a device.
#[test]
fn a_device_of_another_node_than_its_pod_is_found() {
    let slices = slice("a", "  devices: [{name: gpu-0}]\n");
    let held = claim("one", &["pool: a, device: gpu-0"]).replace(
        "status: {",
        "status: {reservedFor: [{resource: pods, name: one, uid: u-one}], ",
    );
    let found = |on: &str| {
        let pod = pod("one", &format!("nodeName: {on}, "), "");
        let text = node("a") + &node("b") + &slices + &held + &pod;
        of_code(&ask_new(&text), "pod-devices-wrong")
    };
    assert_eq!(found("a"), [""; 0]);
    assert_eq!(
        found("b"),
        [
            "pod team/one is on node b, and device gpu.example.com/a/gpu-0 of its claim team/one is on node a"
        ]
    );
}

/// kube-controller-manager, `pkg/controller/devicetainteviction`, `ruleMatchesDevice`: rules match the names of the allocation.
#[test]
fn a_rule_evicts_pods_of_a_device_that_no_slice_publishes() {
    let rule = "spec: {deviceSelector: {driver: gpu.example.com, pool: a, device: gpu-1}, taint: {key: k, effect: NoExecute}}\n";
    let cluster = slice("a", "  devices: [{name: gpu-0}]\n") + RULE + rule;
    let held = claim("one", &["pool: a, device: gpu-1"]);
    let reserved = held.replace(
        "status: {",
        "status: {reservedFor: [{resource: pods, name: one, uid: u-one}], ",
    );
    let answer = ask_new(&(cluster.clone() + &reserved));
    assert_eq!(of_code(&answer, "taint-rule-idle"), [""; 0]);
    assert_eq!(
        of_code(&answer, "device-in-use-tainted"),
        [
            "claim team/one holds device gpu.example.com/a/gpu-1, whose taint k:NoExecute evicts its pods"
        ]
    );
    // There are no pods to evict.
    let unused = ask_new(&(cluster + &held));
    assert_eq!(of_code(&unused, "device-in-use-tainted"), [""; 0]);
}

/// kube-controller-manager, `pkg/controller/resourceclaim`, `syncClaim` and `isPodDone`.
#[test]
fn consumers_that_are_replaced_or_never_start_are_gone() {
    let reserved = |user: &str| {
        claim("one", &["pool: a, device: gpu-0"])
            .replace("status: {", &format!("status: {{reservedFor: [{user}], "))
    };
    let found = |text: &str| of_code(&ask_new(text), "reserved-for-gone");
    let group = "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g, namespace: team, uid: new}\nspec: {schedulingPolicy: {basic: {}}}\n";
    let of_group = |uid: &str| {
        reserved(&format!(
            "{{apiGroup: scheduling.k8s.io, resource: podgroups, name: g, uid: {uid}}}"
        )) + group
    };
    assert_eq!(
        found(&of_group("old")),
        [
            "claim team/one is reserved for podgroup team/g, which is not there: another podgroup has its name"
        ]
    );
    assert_eq!(found(&of_group("new")), [""; 0]);
    let of_pod = |node: &str| {
        let ends = ", deletionTimestamp: \"2026-01-01T00:00:00Z\", deletionGracePeriodSeconds: 0";
        reserved("{resource: pods, name: one, uid: u-one}") + &pod("one", node, ends)
    };
    assert_eq!(
        found(&of_pod("")),
        ["claim team/one is reserved for pod team/one, which is being deleted and has no node"]
    );
    assert_eq!(found(&of_pod("nodeName: a, ")), [""; 0]);
}

/// Objects may be given of some namespaces only.
#[test]
fn what_is_absent_from_a_namespace_that_is_not_given_is_not_known() {
    const USERS: &str = "reservedFor: [{resource: pods, name: gone, uid: u-gone}, {apiGroup: scheduling.k8s.io, resource: podgroups, name: gone, uid: u-gone}], ";
    const GROUP: &str = "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g, namespace: team}\nspec: {schedulingPolicy: {basic: {}}}\n";
    let held = claim("one", &["pool: a, device: gpu-0"])
        .replace("status: {", &format!("status: {{{USERS}"));
    let given = pod("other", "", "") + GROUP;
    let here = ask_new(&(held.clone() + &given));
    assert_eq!(
        of_code(&here, "reserved-for-gone"),
        [
            "claim team/one is reserved for pod team/gone, which is not there",
            "claim team/one is reserved for podgroup team/gone, which is not there"
        ]
    );
    let of_pods = |answer: &Value| {
        let mut absent = of_code(answer, "objects-absent");
        absent.retain(|message| message.contains("no Pod"));
        absent
    };
    assert_eq!(of_pods(&here), [""; 0]);
    let elsewhere = given.replace("namespace: team", "namespace: other");
    let not_known = ask_new(&(held.clone() + &elsewhere));
    assert_eq!(of_code(&not_known, "reserved-for-gone"), [""; 0]);
    assert_eq!(
        of_pods(&not_known),
        [
            "no Pod of namespace team is given: it is not checked whether the pods of `reservedFor` exist there"
        ]
    );
    let of_all =
        ask_new(&(held.clone() + &given.replace("namespace: team", "namespace: kube-system")));
    assert_eq!(
        of_code(&of_all, "reserved-for-gone").len(),
        2,
        "pods of kube-system are given with those of all namespaces: {of_all}"
    );
    assert_eq!(of_pods(&of_all), [""; 0]);
    let third = held.replace("namespace: team", "namespace: third");
    assert_eq!(
        of_pods(&ask_new(&(held.clone() + &third + &elsewhere))),
        [
            "no Pod of the namespaces team, third is given: it is not checked whether the pods of `reservedFor` exist there"
        ]
    );
    // A group that cannot be read is there.
    let unread = GROUP
        .replace("name: g,", "name: gone,")
        .replace("v1beta1", "v1");
    let answer = ask_new(&(held + &given + &unread));
    assert_eq!(
        of_code(&answer, "reserved-for-gone"),
        ["claim team/one is reserved for pod team/gone, which is not there"]
    );
}

/// kube-controller-manager, `pkg/controller/resourceclaim`, `syncClaim`: it deallocates claims with its own finalizer only.
#[test]
fn what_frees_a_claim_that_is_being_deleted_follows_its_finalizers() {
    const OWN: &str = "resource.kubernetes.io/delete-protection";
    let help = |finalizers: &str, user: &str| {
        let held = claim("one", &["pool: a, device: gpu-0"])
            .replace(
                "name: one}",
                &format!("name: one, deletionTimestamp: \"2026-01-01T00:00:00Z\", deletionGracePeriodSeconds: 0, finalizers: [{finalizers}]}}"),
            )
            .replace(
                "status: {",
                &format!("status: {{reservedFor: [{user}], "),
            );
        let answer = ask_new(&(held + &pod("one", "nodeName: a, ", "")));
        let findings = answer["findings"].as_array().unwrap();
        let found = findings
            .iter()
            .find(|finding| finding["code"] == "claim-deleting-holds");
        found.unwrap()["help"].as_str().unwrap().to_owned()
    };
    let user = "{resource: pods, name: one, uid: u-one}";
    let gone = "{resource: pods, name: gone, uid: u-gone}";
    assert!(help(OWN, user).starts_with("delete the pods that use it; the controller removes"));
    for (finalizers, user) in [
        (OWN, ""),
        (OWN, gone),
        (&format!("example.com/x, {OWN}"), ""),
    ] {
        let said = help(finalizers, user);
        assert!(
            said.starts_with("the resource claim controller of"),
            "{said}"
        );
    }
    let others =
        "once the controllers of its finalizers have removed them: example.com/x, example.com/y";
    assert_eq!(
        help("example.com/x, example.com/y", ""),
        format!("the devices are free when the claim is gone, {others}")
    );
    assert_eq!(
        help("example.com/x, example.com/y", user),
        format!(
            "delete the pods that use the claim; the devices are free when it is gone, {others}"
        )
    );
    assert!(help("", user).starts_with("get the claim again"));
}

#[test]
fn a_claim_that_holds_a_device_twice_is_named_alone() {
    let held = claim("one", &["pool: a, device: gpu-0", "pool: a, device: gpu-0"]);
    let answer = ask_new(&(slice("a", "  devices: [{name: gpu-0}]\n") + &held));
    assert_eq!(
        of_code(&answer, "device-held-twice"),
        ["claim team/one holds device gpu.example.com/a/gpu-0 2 times, at least once as a whole"]
    );
    assert!(!answer.to_string().contains("other claims"), "{answer}");
}

/// Returns a cluster in which nothing is wrong: every running pod has the devices of its claim on its own node.
fn healthy(seed: usize) -> String {
    let (nodes, devices) = (1 + seed % 7, 1 + seed / 7 % 8);
    let mut text = CLASS.to_owned();
    // A pod with a volume and a group waits for room; no quota is used up.
    text.push_str("---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: team}\nspec: {hard: {gpu.deviceclass.resource.k8s.io/devices: '100', count/resourceclaims.resource.k8s.io: '100'}}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: team}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: waits, namespace: team, uid: u-waits}\nspec: {containers: [{name: c, image: x, resources: {requests: {cpu: '4', memory: 16Gi}}}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]}\n");
    text.push_str("---\napiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {namespace: team, name: one}\nspec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}\n");
    for at in 0..nodes {
        let name = format!("n{at}");
        let listed: Vec<String> = (0..devices)
            .map(|device| format!("{{name: gpu-{device}, capacity: {{memory: {{value: 80Gi}}}}}}"))
            .collect();
        text.push_str(&node(&name));
        text.push_str("status: {allocatable: {cpu: '4', memory: 16Gi, pods: '110'}, conditions: [{type: Ready, status: 'True'}]}\n");
        text.push_str(&slice(
            &name,
            &format!("  devices: [{}]\n", listed.join(", ")),
        ));
        for device in 0..(seed + at) % (devices + 1) {
            let pod = format!("p-{at}-{device}");
            // Some pods have ended, and their claims hold nothing.
            let phase = ["Running", "Pending", "Succeeded"][(seed + device) % 3];
            let allocated = if phase == "Succeeded" {
                String::new()
            } else {
                format!(
                    "status: {{reservedFor: [{{resource: pods, name: {pod}, uid: u-{pod}}}], allocation: {{nodeSelector: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [{name}]}}]}}]}}, devices: {{results: [{{request: r, driver: gpu.example.com, pool: {name}, device: gpu-{device}}}]}}}}}}\n"
                )
            };
            let _ = write!(
                text,
                "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{namespace: team, name: {pod}-r, uid: c-{pod}, ownerReferences: [{{apiVersion: v1, kind: Pod, name: {pod}, uid: u-{pod}, controller: true}}]}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}\n{allocated}---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: {pod}, uid: u-{pod}}}\nspec: {{nodeName: {name}, containers: [{{name: c, image: x, resources: {{claims: [{{name: r}}]}}}}], resourceClaims: [{{name: r, resourceClaimTemplateName: one}}]}}\nstatus: {{phase: {phase}, resourceClaimStatuses: [{{name: r, resourceClaimName: {pod}-r}}]}}\n"
            );
        }
    }
    text
}

/// Objects of a version that the release does not serve are given, although they cannot be read.
#[test]
fn objects_that_cannot_be_read_are_not_absent() {
    const DUMP: &str = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: a.com, nodeName: n, pool: {name: n, generation: 1, resourceSliceCount: 1}, devices: [{name: d}]}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n";
    let answer = crate::support::ask(&json!({"verb": "audit", "release": "1.32", "text": DUMP}));
    assert_eq!(answer["ok"], false);
    assert_eq!(
        of_code(&answer, "objects-absent"),
        ["no DeviceClass is given: it is not checked what classes select"]
    );
    assert_eq!(of_code(&answer, "unknown-kind").len(), 2);
    assert_eq!(
        of_code(&answer, "nothing-checked"),
        ["no ResourceSlice and no ResourceClaim of the text can be read"]
    );
}

#[test]
fn nothing_is_found_in_healthy_clusters() {
    for seed in 0..50 {
        let text = healthy(seed);
        let answer = ask(&text);
        let findings = answer["findings"].as_array().unwrap();
        assert_eq!(answer["ok"], true, "seed {seed}: {answer}");
        // Without claims, the audit says that no claims were given.
        let has_claims = text.contains("kind: ResourceClaim\n");
        let found = findings
            .iter()
            .find(|one| has_claims || one["code"] != "objects-absent");
        assert_eq!(found, None, "seed {seed}\n{text}");
    }
}

/// A stored field of a gate that is off by default proves that the gate is on, as in `allocate`.
#[test]
fn gates_are_read_from_stored_objects() {
    let device = "{name: g, bindsToNode: true, bindingConditions: [ready], bindingFailureConditions: [failed]}";
    let slice = |uid: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: s{uid}}}\nspec: {{driver: gpu.example.com, nodeName: w, pool: {{name: w, generation: 1, resourceSliceCount: 1}}, devices: [{device}]}}\n"
        )
    };
    let ask = |text: String| -> Value {
        let request = json!({"verb": "audit", "text": text, "release": "1.35"});
        serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
    };
    let stored = ask(slice(", uid: u"));
    assert_eq!(
        stored["gates"]["DRADeviceBindingConditions"], true,
        "{stored}"
    );
    let new = ask(slice(""));
    assert_eq!(new["gates"]["DRADeviceBindingConditions"], false, "{new}");
}

/// Answers without a release: the objects decide.
fn ask_freely(text: &str) -> Value {
    let request = json!({"verb": "audit", "text": text});
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

#[test]
fn stored_objects_prove_a_newer_server_than_the_kubelets() {
    let node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {nodeInfo: {kubeletVersion: v1.33.4}}\n";
    let class = |metadata: &str| {
        format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: gpu{metadata}}}\n"
        )
    };
    for (metadata, release) in [
        (", uid: u-1", "1.34.13"),
        (", creationTimestamp: '2026-05-05T10:00:00Z'", "1.34.13"),
        // A manifest proves nothing, nor does one that a tool printed from a Go type.
        ("", "1.33.4"),
        (", creationTimestamp: null", "1.33.4"),
    ] {
        let text = format!("{node}{}", class(metadata));
        assert_eq!(ask_freely(&text)["release"], release, "{metadata}");
    }
    // What the kubelets' release serves itself proves nothing more.
    let old = class(", uid: u-1").replace("/v1\n", "/v1beta1\n");
    assert_eq!(ask_freely(&format!("{node}{old}"))["release"], "1.33.4");
}

/// A node with two devices, of which one has the attribute `mem`, and their class.
fn two_devices() -> String {
    let devices = "  devices:\n  - {name: gpu-0, attributes: {model: {string: A100}}}\n  - {name: gpu-1, attributes: {model: {string: A100}, mem: {int: 4}}}\n";
    [node("n1"), slice("n1", devices), CLASS.to_owned()].concat()
}

#[test]
fn requests_that_no_node_can_meet_are_found() {
    let attributes = "device.attributes['gpu.example.com']";
    let selecting =
        |expression: &str| format!("selectors: [{{cel: {{expression: \"{expression}\"}}}}]");
    let h100 = selecting(&format!("{attributes}.model == 'H100'"));
    let with_mem = selecting(&format!("'mem' in {attributes}"));
    let fails = selecting(&format!("{attributes}.mem > 3"));
    let exactly = |ask: &str| format!("exactly: {{deviceClassName: gpu, {ask}}}");
    for (ask, code, said) in [
        (
            exactly(&h100),
            "never-fits",
            Some("request r of IT selects none of the 2 devices of class gpu"),
        ),
        (
            exactly(&format!("count: 2, {with_mem}")),
            "never-fits",
            Some(
                "request r of IT asks for 2 devices of class gpu, and its selectors select no more than 1 on any node",
            ),
        ),
        (
            exactly("count: 3"),
            "never-fits",
            Some("request r of IT asks for 3 devices of class gpu, and no node has more than 2"),
        ),
        (exactly("count: 2"), "never-fits", None),
        (exactly(&with_mem), "never-fits", None),
        (exactly(&fails), "never-fits", None),
        (
            exactly(&fails),
            "selector-fails",
            Some(
                "the selector of IT fails on 1 of 2 devices of class gpu, first on gpu.example.com/n1/gpu-0: CEL runtime error: no such key: mem",
            ),
        ),
        // One alternative that fits is enough.
        (
            format!(
                "firstAvailable: [{{name: a, deviceClassName: gpu, {h100}}}, {{name: b, deviceClassName: gpu}}]"
            ),
            "never-fits",
            None,
        ),
        (
            format!(
                "firstAvailable: [{{name: a, deviceClassName: gpu, {h100}}}, {{name: b, deviceClassName: other}}]"
            ),
            "never-fits",
            Some("request r of IT selects none of the 2 devices of class gpu"),
        ),
    ] {
        let devices = format!("devices: {{requests: [{{name: r, {ask}}}]}}");
        let claim = format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{namespace: team, name: one}}\nspec: {{{devices}}}\n"
        );
        let template = format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {{namespace: team, name: one}}\nspec: {{spec: {{{devices}}}}}\n"
        );
        for (object, kind) in [(&claim, "claim"), (&template, "template")] {
            let answer = ask_new(&format!("{}{object}", two_devices()));
            let code = match code {
                "never-fits" => format!("{kind}-never-fits"),
                other => other.to_owned(),
            };
            let said = said.map(|said| said.replace("IT", &format!("{kind} team/one")));
            assert_eq!(of_code(&answer, &code), Vec::from_iter(said), "{object}");
        }
        // What is allocated has what it asks for.
        let held = format!(
            "{claim}status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: n1, device: gpu-0}}]}}}}}}\n"
        );
        let answer = ask_new(&format!("{}{held}", two_devices()));
        assert!(of_code(&answer, "claim-never-fits").is_empty());
    }
}

#[test]
fn pods_that_name_what_is_not_there_are_found() {
    let template = |name: &str| {
        format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {{namespace: team, name: {name}}}\nspec: {{spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}}}\n"
        )
    };
    let pod = |node: &str, entry: &str, request: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: p, uid: p-1}}\nspec:\n  nodeName: '{node}'\n  containers: [{{name: c, image: i, resources: {{claims: [{{name: g, request: '{request}'}}]}}}}]\n  resourceClaims: [{{name: g, {entry}}}]\n"
        )
    };
    let absent = |given: &str, pod: &str| {
        let answer = ask_new(&[&two_devices(), given, pod].concat());
        let mut found = of_code(&answer, "claim-not-in-input");
        found.extend(of_code(&answer, "pod-request-unknown"));
        found
    };
    let of_template = "resourceClaimTemplateName: gpus";
    let of_claim = "resourceClaimName: one";
    assert_eq!(
        absent(&template("gpu"), &pod("", of_template, "")),
        ["pod team/p waits: there is no ResourceClaimTemplate `gpus` in its namespace"]
    );
    assert_eq!(
        absent(&claim("other", &[]), &pod("", of_claim, "")),
        ["pod team/p waits: there is no ResourceClaim `one` in its namespace"]
    );
    // Nothing of the kind is given: that may be so for the whole namespace.
    assert!(absent("", &pod("", of_template, "")).is_empty());
    assert!(absent(&template("gpu"), &pod("", of_claim, "")).is_empty());
    assert!(absent(&template("gpus"), &pod("", of_template, "")).is_empty());
    for given in [template("gpus"), claim("one", &[])] {
        let entry = if given.contains("Template") {
            of_template
        } else {
            of_claim
        };
        assert_eq!(
            absent(&given, &pod("", entry, "q")),
            ["container c of pod team/p uses request q of claim entry g, whose requests are: r"]
        );
        assert!(absent(&given, &pod("", entry, "r")).is_empty());
    }
}

#[test]
fn a_quota_that_is_exceeded_is_found() {
    let quota = |hard: u32, status: &str| {
        format!(
            "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{namespace: team, name: q}}\nspec: {{hard: {{gpu.deviceclass.resource.k8s.io/devices: '{hard}'}}}}\n{status}"
        )
    };
    let found = |quota: &str| {
        let claims = [claim("a", &[]), claim("b", &["pool: n1, device: gpu-0"])].concat();
        let answer = ask_new(&[&two_devices(), quota, &claims].concat());
        of_code(&answer, "quota-overdrawn")
    };
    let said = |used: u32, limit: u32| {
        format!(
            "quota team/q limits gpu.deviceclass.resource.k8s.io/devices to {limit}, and claims are charged {used}: no claim that counts is admitted any more"
        )
    };
    assert_eq!(found(&quota(1, "")), [said(2, 1)]);
    assert!(found(&quota(2, "")).is_empty());
    // What the server wrote counts.
    let status = "status: {hard: {gpu.deviceclass.resource.k8s.io/devices: '4'}, used: {gpu.deviceclass.resource.k8s.io/devices: '5'}}\n";
    assert_eq!(found(&quota(9, status)), [said(5, 4)]);
    // A quota of some pods counts no claims.
    let of_pods = quota(1, "").replace("spec: {", "spec: {scopes: [Terminating], ");
    assert!(found(&of_pods).is_empty());
}

#[test]
fn a_quota_for_devices_of_an_absent_class_is_found() {
    let found = |limit: &str| {
        let quota = format!(
            "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {{namespace: team, name: q}}\nspec: {{hard: {{{limit}}}}}\n"
        );
        of_code(
            &ask_new(&[two_devices(), quota].concat()),
            "class-not-in-input",
        )
    };
    assert_eq!(
        found("gpus.deviceclass.resource.k8s.io/devices: '2'"),
        [
            "quota team/q limits gpus.deviceclass.resource.k8s.io/devices to 2, and there is no DeviceClass `gpus`: it limits nothing"
        ]
    );
    assert_eq!(
        found("requests.deviceclass.resource.kubernetes.io/gpus: '2'").len(),
        1
    );
    assert!(found("gpu.deviceclass.resource.k8s.io/devices: '2'").is_empty());
    // What is not there yet may be forbidden.
    assert!(found("gpus.deviceclass.resource.k8s.io/devices: '0'").is_empty());
    assert!(found("requests.nvidia.com/gpu: '2'").is_empty());
}

#[test]
fn a_slice_of_a_node_that_was_made_again_is_found() {
    let found = |owner: &str, uid: &str| {
        let node = node("n1").replace("{name: n1}", &format!("{{name: n1, uid: '{uid}'}}"));
        let owners = format!(
            "name: n1-gpus, ownerReferences: [{{apiVersion: v1, kind: Node, name: n1, uid: '{owner}'}}]"
        );
        let slice = slice("n1", "  devices: [{name: gpu-0}]\n").replace("name: n1-gpus", &owners);
        of_code(&ask_new(&[node, slice].concat()), "slice-node-absent")
    };
    assert_eq!(
        found("u-1", "u-2"),
        ["slice n1-gpus belongs to an earlier node n1: the one that is there has another UID"]
    );
    assert!(found("u-1", "u-1").is_empty());
    // Redacted dumps have no UIDs.
    assert!(found("u-1", "").is_empty() && found("", "u-2").is_empty());
}

#[test]
fn a_driver_that_gives_no_reason_gets_a_whole_sentence() {
    let held = claim("a", &["pool: n1, device: gpu-0"]);
    let status = "status: {devices: [{driver: gpu.example.com, pool: n1, device: gpu-0, conditions: [{type: Ready, status: 'False'}]}], ";
    let text = [two_devices(), held.replace("status: {", status)].concat();
    assert_eq!(
        of_code(&ask_new(&text), "device-unhealthy"),
        ["claim team/a holds device gpu.example.com/n1/gpu-0, which its driver has not made ready"]
    );
}

/// A claim that waits for this many devices.
fn asking(count: u32, more: &str) -> String {
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{namespace: team, name: one}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, count: {count}{more}}}}}]}}}}\n"
    )
}

/// A slice of the pool `gpus`, on a node, of a generation.
fn shared_slice(node: &str, generation: u32, announced: u32, devices: &str) -> String {
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {node}-{generation}}}\nspec: {{driver: gpu.example.com, nodeName: {node}, pool: {{name: gpus, generation: {generation}, resourceSliceCount: {announced}}}, devices: [{devices}]}}\n"
    )
}

#[test]
fn what_more_devices_may_meet_is_no_finding() {
    let nodes = [node("a"), node("b"), CLASS.to_owned()].concat();
    let never_fits = |slices: &str, claim: &str| {
        let answer = ask_new(&[&nodes, slices, claim].concat());
        of_code(&answer, "claim-never-fits")
    };
    let one = shared_slice("a", 1, 1, "{name: gpu-0}");
    assert_eq!(never_fits(&one, &asking(2, "")).len(), 1);
    // The slice that is missing may have the other one.
    let part = shared_slice("a", 1, 2, "{name: gpu-0}");
    assert!(never_fits(&part, &asking(2, "")).is_empty());
    // So may one that cannot be read.
    let broken = shared_slice("b", 1, 1, "{name: gpu-0, attributes: {memory: 80Gi}}");
    let unread = [&one, &broken.replace("name: gpus", "name: b")[..]].concat();
    assert!(never_fits(&unread, &asking(2, "")).is_empty());
    // Each node sees its own generation.
    let newer = shared_slice("b", 2, 1, "{name: gpu-0}");
    let older = shared_slice("a", 1, 1, "{name: gpu-0}, {name: gpu-1}");
    assert!(never_fits(&[older, newer].concat(), &asking(2, "")).is_empty());
    // Devices of one name on two nodes are two devices.
    let small = shared_slice("a", 1, 2, "{name: gpu-0}");
    let large = shared_slice("b", 1, 2, "{name: gpu-0}, {name: gpu-1}");
    assert!(never_fits(&[small, large].concat(), &asking(2, "")).is_empty());
    // Of a class that selects nothing yet, the missing slice may have the devices.
    let other_class = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: nic}\nspec: {selectors: [{cel: {expression: device.driver == \"nic.example.com\"}}]}\n";
    let either = asking(2, "").replace(
        "exactly: {deviceClassName: gpu, count: 2}",
        "firstAvailable: [{name: a, deviceClassName: nic}, {name: b, deviceClassName: gpu, count: 2}]",
    );
    let either = format!("{other_class}{either}");
    assert_eq!(never_fits(&one, &either).len(), 1);
    let nics = shared_slice("b", 1, 2, "")
        .replace("driver: gpu", "driver: nic")
        .replace("name: gpus", "name: nics");
    assert!(never_fits(&[one.clone(), nics].concat(), &either).is_empty());
    // A node that is not there lends none.
    let away = shared_slice("z", 1, 1, "{name: gpu-0}, {name: gpu-1}");
    let away = [one, away.replace("name: gpus", "name: z")].concat();
    assert_eq!(never_fits(&away, &asking(2, "")).len(), 1);
}

#[test]
fn a_class_that_cannot_be_read_is_not_absent() {
    let class = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: bad}\nspec: {selectors: none}\n";
    let claim = asking(1, "").replace("deviceClassName: gpu", "deviceClassName: bad");
    let template = claim
        .replace("kind: ResourceClaim", "kind: ResourceClaimTemplate")
        .replace("spec: {devices", "spec: {spec: {devices")
        .replace("]}}\n", "]}}}\n");
    let answer = ask_new(&[&two_devices(), class, &claim, &template].concat());
    assert!(
        of_code(&answer, "class-not-in-input").is_empty(),
        "{answer}"
    );
    assert_eq!(of_code(&answer, "type-mismatch").len(), 1);
}

#[test]
fn what_redaction_leaves_empty_proves_nothing() {
    let node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {nodeInfo: {kubeletVersion: v1.33.4}}\n";
    let class = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu, uid: '', resourceVersion: '', managedFields: []}\n";
    assert_eq!(ask_freely(&format!("{node}{class}"))["release"], "1.33.4");
}

#[test]
fn what_the_objects_of_a_cluster_show_is_said() {
    let node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {nodeInfo: {kubeletVersion: v1.33.4}}\n";
    let class = CLASS.replace("{name: gpu}", "{name: gpu, uid: u-1}");
    let cluster = [node, &class].concat();
    let request = json!({"verb": "allocate", "text": asking(1, ""), "cluster": cluster});
    let answer: Value =
        serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap();
    assert_eq!(
        answer["assumed"][0],
        "Kubernetes 1.34.13 answers, as the first that serves DeviceClass in resource.k8s.io/v1: the kubelets are older"
    );
    // What it shows is where an upgrade begins.
    let upgrade = json!({"verb": "upgrade", "text": cluster, "to": "1.34"});
    let answer = claimkit::requests::answer(&upgrade.to_string());
    assert!(
        answer.contains("Kubernetes 1.34.13 is not later than 1.34.13"),
        "{answer}"
    );
}

/// A claim or template with these devices.
fn asker(kind: &str, name: &str, devices: &str) -> String {
    let spec = match kind {
        "ResourceClaimTemplate" => format!("{{spec: {{devices: {devices}}}}}"),
        _ => format!("{{devices: {devices}}}"),
    };
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: {kind}\nmetadata: {{namespace: team, name: {name}}}\nspec: {spec}\n"
    )
}

#[test]
fn what_no_node_has_together_is_found_with_all_devices_free() {
    let request = |name: &str, more: &str| {
        format!("{{name: {name}, exactly: {{deviceClassName: gpu{more}}}}}")
    };
    let devices = "  devices:\n  - {name: gpu-0, attributes: {card: {int: 0}, kind: {string: a}}}\n  - {name: gpu-1, attributes: {card: {int: 1}, kind: {string: b}}, taints: [{key: broken, effect: NoSchedule}]}\n";
    let cluster = [node("n1"), slice("n1", devices), CLASS.to_owned()].concat();
    let of_kind = |kind: &str| {
        format!(
            ", selectors: [{{cel: {{expression: \"device.attributes['gpu.example.com'].kind == '{kind}'\"}}}}]"
        )
    };
    let two = [request("a", ""), request("b", "")].join(", ");
    let constraint = "constraints: [{matchAttribute: gpu.example.com/card}]";
    let same = [request("a", &of_kind("a")), request("b", &of_kind("a"))].join(", ");
    let never = "no node has the devices for";
    for (devices, said) in [
        (
            format!("{{requests: [{two}], {constraint}}}"),
            Some(format!(
                "{never} IT, even when all of them are free: without its constraints one has"
            )),
        ),
        (
            format!("{{requests: [{same}]}}"),
            Some(format!(
                "{never} IT, even when all of them are free: for each request alone one has"
            )),
        ),
        // A taint may go, and so may what holds a device.
        (format!("{{requests: [{two}]}}"), None),
    ] {
        for (kind, short) in [
            ("ResourceClaimTemplate", "template"),
            ("ResourceClaim", "claim"),
        ] {
            let held = claim("held", &["pool: n1, device: gpu-0"]);
            let text = [&cluster, &held, &asker(kind, "one", &devices)[..]].concat();
            let found = of_code(&ask_new(&text), &format!("{short}-never-fits"));
            let said = said.as_ref();
            let said = said.map(|said| said.replace("IT", &format!("{short} team/one")));
            assert_eq!(found, Vec::from_iter(said), "{devices}");
        }
    }
    // Another node, or a slice that is missing, may have what this one lacks.
    let bad = asker(
        "ResourceClaim",
        "one",
        &format!("{{requests: [{two}], {constraint}}}"),
    );
    let found = |cluster: &str| of_code(&ask_new(&[cluster, &bad].concat()), "claim-never-fits");
    let part = cluster.replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    assert!(found(&part).is_empty());
    let no_nodes = cluster.replace("kind: Node\n", "kind: Other\n");
    assert!(found(&no_nodes).is_empty());
    let other = slice(
        "n2",
        "  devices:\n  - {name: gpu-0, attributes: {card: {int: 0}}}\n  - {name: gpu-1, attributes: {card: {int: 0}}}\n",
    );
    assert!(found(&[&cluster, &node("n2"), &other[..]].concat()).is_empty());
}

#[test]
fn a_template_that_a_whole_quota_does_not_allow_is_found() {
    let quota = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {namespace: team, name: q}\nspec: {hard: {gpu.deviceclass.resource.k8s.io/devices: '4', count/resourceclaims.resource.k8s.io: '1'}}\n";
    let found = |count: &str, quota: &str| {
        let devices =
            format!("{{requests: [{{name: r, exactly: {{deviceClassName: gpu, {count}}}}}]}}");
        let text = [
            &two_devices(),
            quota,
            &asker("ResourceClaimTemplate", "one", &devices),
        ]
        .concat();
        of_code(&ask_new(&text), "template-over-quota")
    };
    let said = |charged: u32| {
        format!(
            "a claim from template team/one is charged {charged} of gpu.deviceclass.resource.k8s.io/devices, and quota team/q allows 4: kube-apiserver refuses it"
        )
    };
    assert_eq!(found("count: 5", quota), [said(5)]);
    assert_eq!(found("allocationMode: All", quota), [said(32)]);
    assert!(found("count: 4", quota).is_empty());
    // What others use of the quota may be given back.
    let used = format!(
        "{quota}status: {{hard: {{gpu.deviceclass.resource.k8s.io/devices: '4'}}, used: {{gpu.deviceclass.resource.k8s.io/devices: '4'}}}}\n"
    );
    assert!(found("count: 4", &used).is_empty());
    assert!(
        found(
            "count: 5",
            &quota.replace("namespace: team", "namespace: other")
        )
        .is_empty()
    );
    assert!(
        found(
            "count: 5",
            &quota.replace("spec: {", "spec: {scopes: [Terminating], ")
        )
        .is_empty()
    );
}

#[test]
fn devices_in_use_on_nodes_that_cannot_be_used_are_found() {
    let found = |node: &str, claims: &[&str]| {
        let node = format!("---\napiVersion: v1\nkind: Node\n{node}");
        let slice = slice("n1", "  devices: [{name: gpu-0}, {name: gpu-1}]\n");
        of_code(
            &ask_new(&[&node, &slice, CLASS, &claims.concat()].concat()),
            "unusable-node-in-use",
        )
    };
    let reserved = |claim: String| {
        claim.replace(
            "status: {",
            "status: {reservedFor: [{resource: pods, name: p, uid: p-1}], ",
        )
    };
    let held = reserved(claim("one", &["pool: n1, device: gpu-0"]));
    let other = reserved(claim("two", &["pool: n1, device: gpu-1"]));
    for (node, said) in [
        (
            "metadata: {name: n1, deletionTimestamp: '2026-11-20T10:00:00Z'}\n",
            Some("node n1 is being deleted and has devices in use by team/one, team/two"),
        ),
        (
            "metadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: Unknown}]}\n",
            Some("node n1 is unreachable and has devices in use by team/one, team/two"),
        ),
        (
            "metadata: {name: n1}\nspec: {taints: [{key: node.kubernetes.io/unreachable, effect: NoExecute}]}\n",
            Some("node n1 is unreachable and has devices in use by team/one, team/two"),
        ),
        (
            "metadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: 'False', reason: KubeletNotReady}]}\n",
            Some(
                "node n1 is not ready (KubeletNotReady) and has devices in use by team/one, team/two",
            ),
        ),
        (
            "metadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: 'False'}]}\n",
            Some("node n1 is not ready and has devices in use by team/one, team/two"),
        ),
        (
            "metadata: {name: n1}\nspec: {unschedulable: true}\n",
            Some("node n1 is cordoned and has devices in use by team/one, team/two"),
        ),
        (
            "metadata: {name: n1}\nstatus: {conditions: [{type: Ready, status: 'True'}, {type: DiskPressure, status: Unknown}]}\n",
            None,
        ),
    ] {
        assert_eq!(
            found(node, &[&held, &other]),
            Vec::from_iter(said),
            "{node}"
        );
    }
    // kube-scheduler takes the devices back from a claim that is reserved for nobody.
    let unreserved = claim("one", &["pool: n1, device: gpu-0"]);
    assert!(
        found(
            "metadata: {name: n1}\nspec: {unschedulable: true}\n",
            &[&unreserved]
        )
        .is_empty()
    );
    // A cordoned node without claims takes no pods, and nothing waits on it; monitoring holds nothing.
    let cordoned = "metadata: {name: n1}\nspec: {unschedulable: true}\n";
    assert!(found(cordoned, &[]).is_empty());
    let admin = reserved(claim(
        "watch",
        &["pool: n1, device: gpu-0, adminAccess: true"],
    ));
    assert!(found(cordoned, &[&admin]).is_empty());
}

#[test]
fn lost_nodes_with_idle_devices_are_found() {
    let found = |node: &str, slice: &str| {
        let node = format!("---\napiVersion: v1\nkind: Node\nmetadata: {{name: n1}}\n{node}");
        of_code(&ask_new(&[&node, slice, CLASS].concat()), "lost-node-idle")
    };
    let devices = slice("n1", "  devices: [{name: gpu-0}, {name: gpu-1}]\n");
    let ready =
        |status: &str| format!("status: {{conditions: [{{type: Ready, status: {status}}}]}}\n");
    assert_eq!(
        found(&ready("Unknown"), &devices),
        ["node n1 is unreachable: no pod gets its devices (2)"]
    );
    assert_eq!(
        found(&ready("'False', reason: KubeletNotReady"), &devices),
        ["node n1 is not ready (KubeletNotReady): no pod gets its devices (2)"]
    );
    assert!(found(&ready("'True'"), &devices).is_empty());
    assert!(found("spec: {unschedulable: true}\n", &devices).is_empty());
    let other = slice("n2", "  devices: [{name: gpu-0}]\n");
    assert!(found(&ready("Unknown"), &other).is_empty());
}

#[test]
fn pods_that_wait_for_absent_volumes_and_groups_are_found() {
    let pod = "---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: team, name: p, uid: p-1}\nspec:\n  containers: [{name: c, image: i}]\n  volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]\n  schedulingGroup: {podGroupName: pair}\n";
    let volume = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{namespace: team, name: {name}}}\nspec: {{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}\n"
        )
    };
    let group = |name: &str| {
        format!(
            "---\napiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {{namespace: team, name: {name}}}\nspec: {{schedulingPolicy: {{gang: {{minCount: 2}}}}}}\n"
        )
    };
    let found = |code: &str, given: &str, pod: &str| {
        of_code(&ask_new(&[&two_devices(), given, pod].concat()), code)
    };
    let volumes = |given: &str, pod: &str| found("volume-claim-not-in-input", given, pod);
    let groups = |given: &str, pod: &str| found("pod-group-not-in-input", given, pod);
    let no_volume = ["pod team/p waits: there is no PersistentVolumeClaim `data` in its namespace"];
    assert_eq!(volumes(&volume("other"), pod), no_volume);
    assert_eq!(
        groups(&group("other"), pod),
        ["pod team/p waits: there is no PodGroup `pair` in its namespace"]
    );
    // Nothing of the kind is given.
    assert!(volumes("", pod).is_empty() && groups("", pod).is_empty());
    assert!(volumes(&volume("data"), pod).is_empty() && groups(&group("pair"), pod).is_empty());
    // The scheduler has said it.
    let said = format!(
        "{pod}status: {{conditions: [{{type: PodScheduled, status: 'False', message: '0/1 nodes are available: persistentvolumeclaim \"data\" not found.'}}]}}\n"
    );
    assert_eq!(volumes("", &said), no_volume);
    assert!(volumes(&volume("data"), &said).is_empty());
    // What runs has its volumes.
    let runs = pod.replace("spec:\n", "spec:\n  nodeName: n1\n");
    assert!(volumes(&volume("other"), &runs).is_empty());
    let lost = volume("data").replace("}}}\n", "}}, volumeName: pv-7}\nstatus: {phase: Lost}\n");
    assert_eq!(
        volumes(&lost, pod),
        [
            "pod team/p waits: PersistentVolumeClaim team/data is lost, for its volume pv-7 is not there"
        ]
    );
}

/// A claim that is allocated to a pod on node n1.
fn used_claim(name: &str, pod: &str, more: &str) -> String {
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{namespace: team, name: {name}{more}}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}\nstatus: {{reservedFor: [{{resource: pods, name: {pod}, uid: {pod}-1}}], allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: n1, device: gpu-0}}]}}}}}}\n"
    )
}

#[test]
fn pods_that_a_taint_of_their_node_evicts_are_found() {
    let found = |taint: &str, tolerations: &str, claims: &str| {
        let node = format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: n1}}\nspec: {{taints: [{taint}]}}\n"
        );
        let pod = format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: p, uid: p-1}}\nspec: {{nodeName: n1, containers: [{{name: c, image: i}}], tolerations: [{tolerations}]{claims}}}\n"
        );
        let slice = slice("n1", "  devices: [{name: gpu-0}]\n");
        let answer = ask_new(&[&node, &slice, CLASS, &used_claim("c", "p", ""), &pod].concat());
        of_code(&answer, "unusable-node-in-use")
    };
    let uses = ", resourceClaims: [{name: gpu, resourceClaimName: c}]";
    let taint = "{key: maintenance, value: now, effect: NoExecute}";
    assert_eq!(
        found(taint, "", uses),
        [
            "taint maintenance=now:NoExecute of node n1 evicts pods that have claims and do not tolerate it: team/p"
        ]
    );
    assert!(found(taint, "{key: maintenance, operator: Exists}", uses).is_empty());
    assert!(found(taint, "", "").is_empty());
    assert!(found("{key: maintenance, effect: NoSchedule}", "", uses).is_empty());
    // The conditions of the node say the same.
    assert!(
        found(
            "{key: node.kubernetes.io/not-ready, effect: NoExecute}",
            "",
            uses
        )
        .is_empty()
    );
}

#[test]
fn a_claim_that_was_made_for_another_pod_is_found() {
    let found = |owner: &str, entry: &str| {
        let pod = format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: p, uid: p-1}}\nspec: {{nodeName: n1, containers: [{{name: c, image: i}}], resourceClaims: [{{name: gpu, {entry}}}]}}\nstatus: {{resourceClaimStatuses: [{{name: gpu, resourceClaimName: c}}]}}\n"
        );
        let owner = format!(
            ", ownerReferences: [{{apiVersion: v1, kind: Pod, controller: true, {owner}}}]"
        );
        let slice = slice("n1", "  devices: [{name: gpu-0}]\n");
        let answer = ask_new(
            &[
                &node("n1"),
                &slice,
                CLASS,
                &used_claim("c", "p", &owner),
                &pod,
            ]
            .concat(),
        );
        of_code(&answer, "pod-devices-wrong")
    };
    let template = "resourceClaimTemplateName: one";
    let said = [
        "pod team/p is on node n1, and its claim team/c was made for another pod: kubelet does not prepare it",
    ];
    assert_eq!(found("name: other, uid: other-1", template), said);
    assert_eq!(found("name: p, uid: p-0", template), said);
    assert!(found("name: p, uid: p-1", template).is_empty());
    // Names may be all that a dump has.
    assert!(found("name: p", template).is_empty());
    // Who names a claim may use one that was made for another.
    assert!(found("name: other, uid: other-1", "resourceClaimName: c").is_empty());
}

#[test]
fn what_a_snapshot_has_all_of_is_known_to_be_absent() {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "team", "name": "p", "uid": "p-1"},
        "spec": {"containers": [{"name": "c", "image": "i"}], "schedulingGroup": {"podGroupName": "pair"},
            "resourceClaims": [{"name": "gpu", "resourceClaimName": "mine"}]}});
    let holder = json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim",
        "metadata": {"namespace": "other", "name": "held", "uid": "c-1"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
        "status": {"reservedFor": [{"resource": "pods", "name": "gone", "uid": "g-1"}],
            "allocation": {"devices": {"results": [{"request": "r", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]}}}});
    let codes = |whole: &[&str]| {
        let list = json!({"apiVersion": "v1", "kind": "List", "snapshot": {"release": "1.37.2", "whole": whole}, "items": [pod, holder]});
        let answer = ask_freely(&list.to_string());
        assert_eq!(answer["release"], "1.37.2");
        let findings = answer["findings"].as_array().unwrap().iter();
        findings
            .map(|finding| finding["code"].as_str().unwrap().to_owned())
            .filter(|code| code != "objects-absent")
            .collect::<Vec<String>>()
    };
    assert_eq!(codes(&[]), [""; 0]);
    assert_eq!(codes(&["PodGroup"]), ["pod-group-not-in-input"]);
    assert_eq!(codes(&["ResourceClaim"]), ["claim-not-in-input"]);
    assert_eq!(codes(&["Pod"]), ["reserved-for-gone"]);
    assert_eq!(codes(&["ResourceSlice"]), ["device-unpublished"]);
}

#[test]
fn pods_larger_than_any_node_are_found() {
    let sized = |name: &str, allocatable: &str| {
        format!("{}status: {{allocatable: {{{allocatable}}}}}\n", node(name))
    };
    let nodes = [
        sized("a", "cpu: '64', memory: 128Gi, pods: '110'"),
        sized("b", "cpu: '16', memory: 512Gi, pods: '110'"),
    ]
    .concat();
    let pod = |requests: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: p, uid: p-1}}\nspec:\n  containers: [{{name: c, image: i, resources: {{requests: {{{requests}}}}}}}]\n"
        )
    };
    let found = |nodes: &str, pod: &str| {
        let slice = slice("a", "  devices: [{name: gpu-0}]\n");
        of_code(
            &ask_new(&[nodes, &slice, CLASS, pod].concat()),
            "pod-never-fits",
        )
    };
    for (requests, said) in [
        (
            "cpu: 64500m",
            Some("pod team/p asks for 64500m of cpu, and no node has more than 64"),
        ),
        (
            "memory: 513Gi",
            Some("pod team/p asks for 513Gi of memory, and no node has more than 512Gi"),
        ),
        (
            "cpu: '32', memory: 256Gi",
            Some("pod team/p asks for 32 of cpu and 256Gi of memory, and no node has both"),
        ),
        ("cpu: '64', memory: 128Gi", None),
    ] {
        assert_eq!(
            found(&nodes, &pod(requests)),
            Vec::from_iter(said),
            "{requests}"
        );
    }
    // What a node has is not known.
    let large = pod("cpu: '99'");
    assert!(found(&[&nodes, &node("c")[..]].concat(), &large).is_empty());
    let runs = large.replace("spec:\n", "spec:\n  nodeName: a\n");
    assert!(found(&nodes, &runs).is_empty());
    let full = nodes.replace("pods: '110'", "pods: '0'");
    assert_eq!(
        found(&full, &pod("cpu: '1'")),
        ["pod team/p fits on no node: each has room for 0 pods in `status.allocatable`"]
    );
}

#[test]
fn pods_that_end_late_and_hold_devices_are_found() {
    let found = |since: &str, phase: &str, made: &str| {
        let pod = format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: p, uid: p-1, deletionTimestamp: '{since}'}}\nspec: {{nodeName: n1, containers: [{{name: c, image: i}}], resourceClaims: [{{name: gpu, resourceClaimName: c}}]}}\nstatus: {{phase: {phase}}}\n"
        );
        let other = format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, name: q, uid: q-1, creationTimestamp: '{made}'}}\nspec: {{containers: [{{name: c, image: i}}]}}\n"
        );
        let answer = ask_new(&[two_devices(), used_claim("c", "p", ""), pod, other].concat());
        of_code(&answer, "deletion-unfinished")
    };
    let since = "2026-11-20T10:00:00Z";
    assert_eq!(
        found(since, "Running", "2026-11-20T11:00:00Z"),
        [
            "pod team/p was to end at 2026-11-20T10:00:00Z, and its claims still hold devices of node n1: team/c"
        ]
    );
    // It may be ending still, or nothing is left of it.
    assert!(found(since, "Running", "2026-11-20T10:05:00Z").is_empty());
    assert!(found(since, "Succeeded", "2026-11-20T11:00:00Z").is_empty());
}

#[test]
fn deletions_that_do_not_end_are_found() {
    let found = |objects: &str| {
        of_code(
            &ask_new(&[&two_devices(), objects].concat()),
            "deletion-unfinished",
        )
    };
    let claim = |meta: &str| claim("a", &[]).replace("name: a}", &format!("name: a, {meta}}}"));
    let deleted = "deletionTimestamp: '2026-11-20T10:00:00Z'";
    assert_eq!(
        found(&claim(&format!(
            "{deleted}, finalizers: [x.com/y, x.com/z]"
        ))),
        [
            "claim team/a has been deleted since 2026-11-20T10:00:00Z, and its finalizers keep it: x.com/y, x.com/z"
        ]
    );
    assert!(found(&claim("finalizers: [x.com/y]")).is_empty());
    // Its pod is gone.
    let owner =
        "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u-1, controller: true}]";
    let pod = |meta: &str, spec: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{namespace: team, {meta}}}\nspec: {{{spec}containers: [{{name: c, image: i}}]}}\n"
        )
    };
    let orphan = claim(owner);
    assert_eq!(
        found(&[orphan.clone(), pod("name: q", "")].concat()),
        ["claim team/a was made for pod team/p, which is not there"]
    );
    assert!(found(&[orphan.clone(), pod("name: p, uid: u-1", "")].concat()).is_empty());
    assert!(found(&orphan).is_empty());
    // A pod that is being deleted.
    let ending = |finalizers: &str, more: &str| {
        pod(
            &format!("name: p, {deleted}, finalizers: [{finalizers}]{more}"),
            "",
        )
    };
    assert_eq!(
        found(&ending("x.com/y", "")),
        [
            "pod team/p has been deleted since 2026-11-20T10:00:00Z, and its finalizers keep it: x.com/y"
        ]
    );
    let job = |name: &str| {
        format!(
            "---\napiVersion: batch/v1\nkind: Job\nmetadata: {{namespace: team, name: {name}, uid: j-{name}}}\nspec: {{template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: i}}]}}}}}}\n"
        )
    };
    let of_job = ", ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: j-j, controller: true}]";
    let tracked = ending("batch.kubernetes.io/job-tracking", of_job);
    assert!(found(&[tracked.clone(), job("j")].concat()).is_empty());
    assert_eq!(
        found(&[tracked, job("other")].concat()),
        [
            "pod team/p has been deleted since 2026-11-20T10:00:00Z, and its finalizers keep it: batch.kubernetes.io/job-tracking; its Job team/j is not there"
        ]
    );
    // What runs ends with its node's help.
    let running = pod(
        &format!("name: p, {deleted}, finalizers: [x.com/y]"),
        "nodeName: lost, ",
    );
    let lost = |status: &str| {
        format!(
            "{}status: {{conditions: [{{type: Ready, status: '{status}'}}]}}\n",
            node("lost")
        )
    };
    assert!(found(&[running.clone(), lost("True")].concat()).is_empty());
    assert_eq!(
        found(&[running, lost("Unknown")].concat()),
        [
            "pod team/p has been deleted since 2026-11-20T10:00:00Z, and its node lost, which has to end it, is unreachable"
        ]
    );
}

#[test]
fn a_slice_of_no_node_is_found() {
    let text = slice("a", "  devices: [{name: g0}]\n").replace(
        "  nodeName: a\n",
        "  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: z, operator: In, values: [b]}]}]}\n",
    );
    let node = |zone: &str| {
        format!("---\napiVersion: v1\nkind: Node\nmetadata: {{name: a, labels: {{z: {zone}}}}}\n")
    };
    let found = of_code(&ask(&format!("{}{text}", node("a"))), "slice-node-absent");
    assert_eq!(
        found,
        ["slice a-gpus is of nodes with z In [b], and no node has that"]
    );
    let none = of_code(&ask(&format!("{}{text}", node("b"))), "slice-node-absent");
    assert!(none.is_empty(), "{none:?}");
}

#[test]
fn devices_that_kubelet_cannot_prepare_are_found() {
    let pod = |phase: &str| {
        format!(
            "{}---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c, namespace: x, uid: c}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}\nstatus: {{allocation: {{devices: {{results: []}}}}, reservedFor: [{{resource: pods, name: p, uid: p}}]}}\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p, namespace: x, uid: p}}\nspec: {{nodeName: a, containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimName: c}}]}}\nstatus: {{phase: {phase}}}\n---\napiVersion: v1\nkind: Event\nmetadata: {{name: e, namespace: x}}\ninvolvedObject: {{apiVersion: v1, kind: Pod, name: p, namespace: x, uid: p}}\nreason: FailedPrepareDynamicResources\nmessage: no driver\ntype: Warning\n",
            node("a")
        )
    };
    let found = of_code(&ask(&pod("Pending")), "pod-devices-wrong");
    assert_eq!(
        found,
        ["pod x/p is on node a, and kubelet cannot prepare its devices: no driver"]
    );
    let none = of_code(&ask(&pod("Running")), "pod-devices-wrong");
    assert!(none.is_empty(), "{none:?}");
}
