//! What claimkit says beside upstream's words, and what it takes as given, on small inputs.

use crate::support::ask;
use serde_json::{Value, json};

/// A class for all devices.
const CLASS: &str =
    "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n";

fn node(name: &str) -> String {
    format!("---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\n")
}

fn slice(node: &str, devices: &str) -> String {
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {node}}}\nspec: {{driver: gpu.example.com, nodeName: {node}, pool: {{name: {node}, generation: 1, resourceSliceCount: 1}}, devices: [{devices}]}}\n"
    )
}

fn claim(name: &str, requests: &str) -> String {
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}, namespace: default}}\nspec: {{devices: {{requests: [{requests}]}}}}\n"
    )
}

/// A pod that names a claim. `more`: more fields of its spec.
fn pod(name: &str, claim: &str, more: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{more}containers: [{{name: c, image: x}}], resourceClaims: [{{name: g, resourceClaimName: {claim}}}]}}\n"
    )
}

fn allocate(text: &str, more: &Value) -> Value {
    let mut request = json!({"verb": "allocate", "release": "1.37.2", "text": text});
    let fields = request.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    let answer = ask(&request);
    assert!(answer["error"].is_null(), "{answer}");
    answer
}

fn validate(text: &str, more: &Value) -> Value {
    let mut request = json!({"verb": "validate", "release": "1.37.2", "text": text});
    let fields = request.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    ask(&request)
}

fn messages<'a>(answer: &'a Value, code: &str) -> Vec<&'a str> {
    let findings = answer["findings"].as_array().unwrap();
    findings
        .iter()
        .filter(|finding| finding["code"] == code)
        .map(|finding| finding["message"].as_str().unwrap())
        .collect()
}

#[test]
fn warnings_are_about_the_node_that_the_pod_gets() {
    let cluster = [
        node("w0"),
        node("w1"),
        CLASS.to_owned(),
        slice("w0", "{name: card0}"),
        slice(
            "w1",
            "{name: card1, taints: [{key: sick, effect: NoExecute}]}",
        ),
        claim(
            "c",
            "{name: g, exactly: {deviceClassName: gpu, tolerations: [{operator: Exists}]}}",
        ),
    ]
    .concat();
    let on = |node: &str| {
        let affinity = format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [{node}]}}]}}]}}}}}}, "
        );
        allocate(
            &format!("{cluster}{}", pod("p", "c", &affinity)),
            &json!({}),
        )
    };
    let clean = on("w0");
    assert_eq!(clean["pods"][0]["turn"]["node"], "w0");
    assert!(
        messages(&clean, "tolerated-but-evicted").is_empty(),
        "{clean}"
    );
    let tainted = on("w1");
    let found = messages(&tainted, "tolerated-but-evicted");
    assert!(
        matches!(found.as_slice(), [one] if one.contains("gpu.example.com/w1/card1")),
        "{found:?}"
    );
}

#[test]
fn a_repeated_pod_keeps_its_place() {
    let cluster = [node("w0"), CLASS.to_owned(), slice("w0", "{name: g0}")].concat();
    let template = "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\nspec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}\n";
    let pod = |name: &str, created: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, {created}}}\nspec: {{containers: [{{name: c, image: x}}], resourceClaims: [{{name: g, resourceClaimTemplateName: t}}]}}\n"
        )
    };
    let count = |pods: &str, name: &str| {
        let more = json!({"pod": format!("default/{name}"), "howMany": true});
        allocate(&format!("{cluster}{template}{pods}"), &more)["howMany"]["count"].clone()
    };
    let aged = [
        pod("first", "creationTimestamp: '2026-05-05T10:00:00Z'"),
        pod("second", "creationTimestamp: '2026-05-05T10:00:01Z'"),
    ]
    .concat();
    assert_eq!(count(&aged, "first"), 1);
    assert_eq!(count(&aged, "second"), 0);
    let ageless = [pod("first", ""), pod("second", "")].concat();
    assert_eq!(count(&ageless, "first"), 1);
    assert_eq!(count(&ageless, "second"), 0);
    let job = |name: &str| {
        format!(
            "---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{template: {{spec: {{containers: [{{name: c, image: x}}], resourceClaims: [{{name: g, resourceClaimTemplateName: t}}]}}}}}}\n"
        )
    };
    let jobs = [job("one"), job("two")].concat();
    assert_eq!(count(&jobs, "one"), 1);
    assert_eq!(count(&jobs, "two"), 0);
}

#[test]
fn a_request_with_another_alternative_is_not_the_reason() {
    let held = |name: &str, device: &str| {
        format!(
            "{}status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: w0, device: {device}}}]}}}}}}\n",
            claim(name, "{name: r, exactly: {deviceClassName: gpu}}")
        )
    };
    let of_kind = |name: &str, kind: &str| {
        format!("{{name: {name}, attributes: {{kind: {{string: {kind}}}}}}}")
    };
    let wants = |kind: &str| {
        format!(
            "deviceClassName: gpu, selectors: [{{cel: {{expression: \"device.attributes['gpu.example.com'].kind == '{kind}'\"}}}}]"
        )
    };
    let devices = [
        of_kind("g0", "gpu"),
        of_kind("c0", "cpu"),
        of_kind("n0", "nic"),
    ]
    .join(", ");
    let requests = format!(
        "{{name: d, firstAvailable: [{{name: gpu, {}}}, {{name: cpu, {}}}]}}, {{name: gate, exactly: {{{}}}}}",
        wants("gpu"),
        wants("cpu"),
        wants("nic")
    );
    let text = [
        node("w0"),
        CLASS.to_owned(),
        slice("w0", &devices),
        held("h1", "g0"),
        held("h2", "n0"),
        claim("x", &requests),
        pod("p", "x", ""),
    ]
    .concat();
    let why = &allocate(&text, &json!({}))["pods"][0]["turn"]["refused"][0]["why"][0];
    assert_eq!(*why, "gate: n0: held by default/h2 (no pod reserves it)");
}

#[test]
fn a_device_that_an_earlier_pod_gets_is_not_held() {
    let text = [
        node("w0"),
        CLASS.to_owned(),
        slice("w0", "{name: g0}"),
        claim("a-c", "{name: r, exactly: {deviceClassName: gpu}}"),
        claim("b-c", "{name: r, exactly: {deviceClassName: gpu}}"),
        pod("a", "a-c", ""),
        pod("b", "b-c", ""),
    ]
    .concat();
    let answer = allocate(&text, &json!({}));
    let second = &answer["pods"][1];
    assert_eq!(
        second["turn"]["refused"][0]["why"][0],
        "g0: given to default/a-c (for a), which is placed before"
    );
    assert_eq!(second["nodes"][0]["relaxations"], json!([]));
}

/// An error on one node ends the attempt on all: a change that lets the attempt get to that error does not help.
#[test]
fn a_change_that_ends_in_an_error_elsewhere_is_not_offered() {
    let changes = |of_b: &str| {
        let selector = r#"device.attributes["gpu.example.com"].rack == 1"#;
        let rack = "attributes: {rack: {int: 1}}";
        let text = [
            node("a"),
            node("b"),
            CLASS.to_owned(),
            slice("a", &format!("{{name: a0, {rack}}}, {{name: a1, {rack}}}")),
            slice("b", &format!("{{name: b0, {of_b}}}, {{name: b1, {of_b}}}")),
            claim(
                "many",
                "{name: r, exactly: {deviceClassName: gpu, count: 3}}",
            ),
            claim(
                "choosy",
                &format!("{{name: s, exactly: {{deviceClassName: gpu, selectors: [{{cel: {{expression: '{selector}'}}}}]}}}}"),
            ),
            "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x}], resourceClaims: [{name: g, resourceClaimName: many}, {name: h, resourceClaimName: choosy}]}\n".to_owned(),
        ]
        .concat();
        let answer = allocate(&text, &json!({"alone": true}));
        let pod = &answer["pods"][0];
        assert!(
            pod["nodes"]
                .as_array()
                .unwrap()
                .iter()
                .all(|node| node["verdict"] == "none"),
            "{pod}"
        );
        pod["nodes"][0]["relaxations"].clone()
    };
    assert_eq!(
        changes("attributes: {rack: {int: 1}}")[0]["text"],
        "count 1 instead of 3 in request r: gives a0, a1 on a"
    );
    assert_eq!(changes("attributes: {}"), json!([]));
}

/// The scheduler reserves a claim for a pod once for each entry that names it, and the server refuses the second.
#[test]
fn no_change_of_devices_helps_a_pod_that_names_a_claim_twice() {
    let text = [
        node("a"),
        CLASS.to_owned(),
        slice("a", "{name: a0}, {name: a1}"),
        claim("x", "{name: r, exactly: {deviceClassName: gpu, count: 2}}"),
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x}], resourceClaims: [{name: g, resourceClaimName: x}, {name: h, resourceClaimName: x}]}\n".to_owned(),
    ]
    .concat();
    let answer = allocate(&text, &json!({"alone": true}));
    let node = &answer["pods"][0]["nodes"][0];
    assert_eq!(node["verdict"], "none", "{node}");
    assert_eq!(node["relaxations"], json!([]));
}

/// Claims of one template change together: the spec of a claim cannot change.
#[test]
fn a_change_of_a_stored_claim_changes_all_claims_of_its_template() {
    let made = |name: &str| {
        format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}, namespace: default, uid: u-{name}, ownerReferences: [{{apiVersion: v1, kind: Pod, name: p, uid: p1, controller: true}}]}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: 2}}}}]}}}}\n"
        )
    };
    let text = [
        node("a"),
        CLASS.to_owned(),
        slice("a", "{name: a0}, {name: a1}, {name: a2}"),
        made("p-g"),
        made("p-h"),
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t, namespace: default}\nspec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 2}}]}}}\n".to_owned(),
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default, uid: p1}\nspec: {containers: [{name: c, image: x}], resourceClaims: [{name: g, resourceClaimTemplateName: t}, {name: h, resourceClaimTemplateName: t}]}\nstatus: {resourceClaimStatuses: [{name: g, resourceClaimName: p-g}, {name: h, resourceClaimName: p-h}]}\n".to_owned(),
    ]
    .concat();
    let answer = allocate(&text, &json!({"alone": true}));
    let change = &answer["pods"][0]["nodes"][0]["relaxations"][0];
    assert_eq!(change["gives"], json!(["a0", "a1"]));
    // Both claims and the template.
    assert_eq!(change["edits"].as_array().unwrap().len(), 3, "{change}");
}

/// The claim that the scheduler makes for an extended resource is not there yet: it holds nothing, and nobody can free it.
#[test]
fn a_device_of_an_extended_resource_that_an_earlier_pod_gets_is_not_held() {
    let pod = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{containers: [{{name: c, image: x, resources: {{limits: {{example.com/gpu: '2'}}}}}}]}}\n"
        )
    };
    let cluster = [
        node("w0"),
        format!("{CLASS}spec: {{extendedResourceName: example.com/gpu}}\n"),
        slice("w0", "{name: g0}, {name: g1}"),
    ]
    .concat();
    let two = [cluster.clone(), pod("q"), pod("r")].concat();
    let last = &allocate(&two, &json!({}))["pods"][1];
    assert_eq!(
        last["turn"]["refused"][0]["why"][0],
        "g0, g1: given to default/q-extended-resources (for q), which is placed before"
    );
    let copies = [cluster, pod("q")].concat();
    let copy = &allocate(&copies, &json!({"howMany": true}))["pods"][1];
    for answer in [last, copy] {
        let node = &answer["nodes"][0];
        assert_eq!(node["relaxations"], json!([]), "{node}");
        assert_eq!(node["holders"][0]["planned"], true, "{node}");
    }
}

#[test]
fn a_taint_is_not_the_reason_where_devices_are_too_few() {
    let why = |count: u32| {
        let text = [
            node("w0"),
            CLASS.to_owned(),
            slice(
                "w0",
                "{name: g0}, {name: g1, taints: [{key: bad, effect: NoSchedule}]}",
            ),
            claim(
                "c",
                &format!("{{name: r, exactly: {{deviceClassName: gpu, count: {count}}}}}"),
            ),
            pod("p", "c", ""),
        ]
        .concat();
        allocate(&text, &json!({}))["pods"][0]["turn"]["refused"][0]["why"][0].clone()
    };
    assert_eq!(why(2), "g1: tainted bad:NoSchedule by its driver");
    assert_eq!(why(3), "the node has only 2 of 3 devices wanted");
}

#[test]
fn alternatives_are_not_wanted_together() {
    let wants = |alternatives: &str| {
        let requests = format!(
            "{{name: a, exactly: {{deviceClassName: gpu, count: 3}}}}, {{name: b, firstAvailable: [{alternatives}]}}"
        );
        let text = [
            node("w0"),
            CLASS.to_owned(),
            CLASS.replace(
                "{name: gpu}",
                "{name: nic}\nspec: {selectors: [{cel: {expression: device.driver == 'nic'}}]}",
            ),
            slice("w0", "{name: g0}, {name: g1}, {name: g2}, {name: g3}"),
            claim("c", &requests),
            claim("d", &requests),
            pod("p", "c", ""),
            pod("q", "d", ""),
        ]
        .concat();
        let answer = allocate(&text, &json!({}));
        assert_eq!(answer["headline"]["waiting"], 2);
        (
            answer["headline"]["parts"][0]["reason"].clone(),
            answer["pods"][0]["turn"]["refused"][0]["why"][0].clone(),
        )
    };
    let (headline, why) = wants(
        "{name: four, deviceClassName: gpu, count: 4}, {name: two, deviceClassName: gpu, count: 2}",
    );
    assert_eq!(
        headline,
        "no node has 3 × gpu, (4 × gpu or 2 × gpu) for all requests"
    );
    assert_eq!(
        why,
        "requests a, b want at least 5 devices together, and have only 4"
    );
    let (headline, _) =
        wants("{name: nic, deviceClassName: nic}, {name: five, deviceClassName: gpu, count: 5}");
    assert_eq!(
        headline,
        "no node has 3 × gpu, (nic or 5 × gpu) together: no node has nic or 5 × gpu"
    );
}

#[test]
fn an_amount_of_some_nodes_is_told_with_its_node() {
    let sized = |name: &str, cpu: u32| {
        format!(
            "---\napiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\nstatus: {{allocatable: {{cpu: '{cpu}', pods: '10'}}}}\n"
        )
    };
    let why = |sizes: [u32; 3]| {
        let [first, second, third] = sizes;
        let text = [
            sized("w0", first),
            sized("w1", second),
            sized("w2", third),
            "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: x, resources: {requests: {cpu: '8'}}}]}\n".to_owned(),
        ]
        .concat();
        allocate(&text, &json!({"pod": "default/p"}))["pods"][0]["turn"]["refused"][0]["why"]
            .clone()
    };
    assert_eq!(why([2, 2, 2]), json!(["cpu: 8 wanted, 2 of 2 left"]));
    assert_eq!(
        why([4, 2, 2]),
        json!([
            "cpu: 8 wanted, 4 of 4 left (w0)",
            "cpu: 8 wanted, 2 of 2 left (w1 and 1 more)"
        ])
    );
}

/// Whoever asks for a capacity that no device publishes can stop asking for it.
#[test]
fn a_capacity_that_is_not_published_can_be_left_out() {
    let cluster = [node("w0"), CLASS.to_owned(), slice("w0", "{name: g0}")].concat();
    let text = [
        cluster.clone(),
        claim(
            "c",
            "{name: r, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 10Gi}}}}",
        ),
        pod("p", "c", ""),
    ]
    .concat();
    let answer = allocate(&text, &json!({}));
    let help = &answer["pods"][0]["nodes"][0]["relaxations"][0];
    assert_eq!(
        help["text"],
        "not asking for memory in request r: gives g0 on w0"
    );
    let edit = &help["edits"][0];
    let offset = |end: &str| {
        let offset = edit["range"][end]["byteOffset"].as_u64();
        usize::try_from(offset.unwrap()).unwrap()
    };
    let mut edited = text.clone();
    edited.replace_range(
        offset("start")..offset("end"),
        edit["newText"].as_str().unwrap(),
    );
    assert!(
        edited.contains("{name: r, exactly: {deviceClassName: gpu}}"),
        "{edited}"
    );
    assert_eq!(
        allocate(&edited, &json!({}))["pods"][0]["turn"]["node"],
        "w0"
    );
}

/// What a run says helps on its only node.
fn helps(text: &str) -> Vec<Value> {
    let answer = allocate(text, &json!({}));
    let pods = answer["pods"].as_array().unwrap();
    let last = pods.last().unwrap();
    last["nodes"][0]["relaxations"].as_array().unwrap().clone()
}

fn text_of(help: &Value) -> &str {
    help["text"].as_str().unwrap()
}

/// A device that can be shared. `policy`: more fields of its capacity.
fn shared(policy: &str) -> String {
    format!(
        "{{name: g0, allowMultipleAllocations: true, capacity: {{memory: {{value: 10Gi{policy}}}}}}}"
    )
}

/// Each of two requests fits alone, and a device has too little for both.
#[test]
fn requests_want_more_of_a_capacity_together_than_there_is() {
    let request = |name: &str, amount: &str| {
        format!(
            "{{name: {name}, exactly: {{deviceClassName: gpu, capacity: {{requests: {{memory: {amount}}}}}}}}}"
        )
    };
    let text = |devices: &str, second: &str| {
        [
            node("w0"),
            CLASS.to_owned(),
            slice("w0", devices),
            claim(
                "c",
                &[request("one", "6Gi"), request("two", second)].join(", "),
            ),
            pod("p", "c", ""),
        ]
        .concat()
    };
    let both = text(&shared(""), "5Gi");
    let answer = allocate(&both, &json!({}));
    let conflicts = &answer["pods"][0]["nodes"][0]["conflicts"];
    assert_eq!(conflicts[0]["kind"], "capacity");
    assert_eq!(
        conflicts[0]["text"],
        "g0: requests one, two want at least 11Gi of memory together, 10Gi left"
    );
    let helps = helps(&both);
    let texts: Vec<&str> = helps.iter().map(text_of).collect();
    assert_eq!(
        texts,
        [
            "asking for 5Gi of memory instead of 6Gi in request one: gives g0, g0 on w0",
            "asking for 4Gi of memory instead of 5Gi in request two: gives g0, g0 on w0"
        ]
    );
    for fits in [
        text(&shared(""), "4Gi"),
        text(
            &[shared(""), shared("").replace("g0", "g1")].join(", "),
            "5Gi",
        ),
    ] {
        let answer = allocate(&fits, &json!({}));
        assert_eq!(answer["pods"][0]["turn"]["node"], "w0", "{answer}");
    }
}

/// A request that names no amount is charged all of a capacity, or what its policy says: it can ask for less.
#[test]
fn a_request_can_ask_for_what_is_left_of_a_capacity() {
    let text = |policy: &str, own: &str| {
        [
            node("w0"),
            CLASS.to_owned(),
            slice("w0", &shared(policy)),
            claim(
                "a",
                "{name: r, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 7Gi}}}}",
            ),
            pod("p", "a", ""),
            own.to_owned(),
            pod("q", "b", ""),
        ]
        .concat()
    };
    let flow = claim("b", "{name: r, exactly: {deviceClassName: gpu}}");
    let old = claim("b", "{name: r, deviceClassName: gpu}")
        .replace("resource.k8s.io/v1", "resource.k8s.io/v1beta1");
    let block = "---\napiVersion: resource.k8s.io/v1beta2\nkind: ResourceClaim\nmetadata: {name: b, namespace: default}\nspec:\n  devices:\n    requests:\n    - name: r\n      exactly:\n        deviceClassName: gpu\n";
    let exactly = "spec.devices.requests[0].exactly.capacity.requests[memory]";
    let cases = [
        (&*flow, exactly),
        (&*old, "spec.devices.requests[0].capacity.requests[memory]"),
        (block, exactly),
    ];
    for (own, path) in cases {
        let text = text("", own);
        let helps = helps(&text);
        assert_eq!(helps.len(), 1, "{helps:?}");
        let help = &helps[0];
        assert_eq!(
            text_of(help),
            "asking for 3Gi of memory in request r: gives g0 on w0"
        );
        assert_eq!(help["changes"][0]["path"], path);
        let edited = crate::support::fixes::apply(&text, help);
        let answer = allocate(&edited, &json!({}));
        assert_eq!(answer["pods"][1]["turn"]["node"], "w0", "{edited}");
    }
    let steps = ", requestPolicy: {default: 7Gi, validRange: {min: 1Gi, step: 1536Mi}}";
    let values = ", requestPolicy: {default: 7Gi, validValues: [2Gi, 7Gi]}";
    let none = ", requestPolicy: {default: 7Gi, validValues: [4Gi, 7Gi]}";
    for (policy, left) in [(steps, Some("2560Mi")), (values, Some("2Gi")), (none, None)] {
        let helps = helps(&text(policy, &flow));
        let text =
            left.map(|left| format!("asking for {left} of memory in request r: gives g0 on w0"));
        assert_eq!(helps.first().map(text_of), text.as_deref(), "{policy}");
    }
}

/// Capacity and counters that a pod of the same run takes are not held yet.
#[test]
fn what_an_earlier_pod_takes_is_not_held() {
    let why = |slices: &str, request: &str| {
        let text = [
            node("w0"),
            CLASS.to_owned(),
            slices.to_owned(),
            claim("a", request),
            claim("b", request),
            pod("p", "a", ""),
            pod("q", "b", ""),
        ]
        .concat();
        allocate(&text, &json!({}))["pods"][1]["turn"]["refused"][0]["why"][0].clone()
    };
    let shared = "{name: g0, allowMultipleAllocations: true, capacity: {memory: {value: 10Gi}}}";
    assert_eq!(
        why(
            &slice("w0", shared),
            "{name: r, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 8Gi}}}}"
        ),
        "g0: 8Gi of memory is charged, 2Gi left of 10Gi (8Gi given to default/a, placed before)"
    );
    let consumes = "consumesCounters: [{counterSet: s, counters: {memory: {value: 8Gi}}}]";
    let partitions = format!(
        "{}---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: counters}}\nspec: {{driver: gpu.example.com, nodeName: w0, pool: {{name: w0, generation: 1, resourceSliceCount: 2}}, sharedCounters: [{{name: s, counters: {{memory: {{value: 10Gi}}}}}}]}}\n",
        slice(
            "w0",
            &format!("{{name: g0, {consumes}}}, {{name: g1, {consumes}}}")
        )
        .replace("resourceSliceCount: 1", "resourceSliceCount: 2"),
    );
    assert_eq!(
        why(&partitions, "{name: r, exactly: {deviceClassName: gpu}}"),
        "g1: counter set s: memory needs 8Gi, 2Gi left of 10Gi (given to default/a through g0, placed before)"
    );
}

/// Admin access holds no device: whoever has it is not named as a holder.
#[test]
fn admin_access_holds_nothing() {
    let has = |name: &str, request: &str, admin: &str| {
        format!(
            "{}status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: w0, device: g0{admin}}}]}}}}}}\n",
            claim(name, request)
        )
    };
    let asks = "{name: r, exactly: {deviceClassName: gpu}}";
    let text = [
        CLASS.to_owned(),
        node("w0"),
        slice("w0", "{name: g0}"),
        has(
            "a-monitor",
            "{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}",
            ", adminAccess: true",
        ),
        has("held", asks, ""),
        claim("a", asks),
        pod("p", "a", ""),
    ]
    .concat();
    let answer = allocate(&text, &json!({}));
    assert_eq!(
        answer["pods"][0]["turn"]["refused"][0]["why"][0],
        "g0: held by default/held (no pod reserves it)"
    );
}

/// One reason more is named: its number alone would hide who holds the device.
#[test]
fn a_single_further_reason_is_named() {
    let asks = "{name: r, exactly: {deviceClassName: gpu}}";
    let holds = |name: &str, device: &str| {
        format!(
            "{}status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: w0, device: {device}}}]}}}}}}\n",
            claim(name, asks)
        )
    };
    let why = |count: usize| {
        let devices: Vec<String> = (0..count).map(|at| format!("{{name: g{at}}}")).collect();
        let held: String = (0..count)
            .map(|at| holds(&format!("h{at}"), &format!("g{at}")))
            .collect();
        let text = [
            CLASS.to_owned(),
            node("w0"),
            slice("w0", &devices.join(", ")),
            held,
            claim("a", asks),
            pod("p", "a", ""),
        ]
        .concat();
        let answer = allocate(&text, &json!({}));
        let groups = answer["pods"][0]["turn"]["refused"].as_array().unwrap();
        groups[0]["why"][0].as_str().unwrap().to_owned()
    };
    assert!(why(4).ends_with("; g3: held by default/h3 (no pod reserves it)"));
    assert!(why(5).ends_with("; other reasons: 2"));
}

/// A device that is freed goes to the pod that is placed first.
#[test]
fn freed_devices_are_promised_to_the_first_pod_only() {
    let held = format!(
        "{}status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: w0, device: g0}}]}}}}}}\n",
        claim("held", "{name: r, exactly: {deviceClassName: gpu}}")
    );
    let text = [
        node("w0"),
        CLASS.to_owned(),
        slice("w0", "{name: g0}"),
        held,
        claim("a", "{name: r, exactly: {deviceClassName: gpu}}"),
        claim("b", "{name: other, exactly: {deviceClassName: gpu}}"),
        pod("p", "a", ""),
        pod("q", "b", ""),
    ]
    .concat();
    let answer = allocate(&text, &json!({}));
    let help = |at: usize| answer["pods"][at]["nodes"][0]["relaxations"][0]["text"].clone();
    assert_eq!(help(0), "freeing claim default/held: gives g0 on w0");
    assert_eq!(
        help(1),
        "freeing claim default/held: gives g0 on w0, unless a pod that is tried first takes them"
    );
}

/// A claim that is given is not said to be absent, although the server has none.
#[test]
fn a_claim_that_cannot_be_used_is_given() {
    for count in ["'two'", "-1"] {
        let text = [
            node("w0"),
            CLASS.to_owned(),
            slice("w0", "{name: g0}"),
            claim(
                "c",
                &format!("{{name: r, exactly: {{deviceClassName: gpu, count: {count}}}}}"),
            ),
            pod("p", "c", ""),
        ]
        .concat();
        let before = &allocate(&text, &json!({}))["pods"][0]["before"];
        assert_eq!(
            before["help"],
            "ResourceClaim `c` is given, and cannot be used: its own error says why"
        );
    }
}

#[test]
fn conversion_follows_the_shape_that_is_there() {
    let convert = |version: &str, request: &str| {
        let text = format!(
            "apiVersion: resource.k8s.io/{version}\nkind: ResourceClaim\nmetadata: {{name: c}}\nspec:\n  devices:\n    requests:\n    - {request}\n"
        );
        ask(&json!({"verb": "convert", "to": "v1", "text": text}))
    };
    let flat = "{name: gpu, deviceClassName: gpu}";
    let nested = "{name: gpu, exactly: {deviceClassName: gpu}}";
    for (version, request) in [
        ("v1beta2", flat),
        ("v1beta1", flat),
        ("v1alpha3", flat),
        ("v1beta1", nested),
        ("v1alpha3", nested),
        ("v1beta2", nested),
        ("v1", flat),
    ] {
        let answer = convert(version, request);
        let text = answer["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{version}: {answer}"));
        assert!(text.contains(&format!("- {nested}")), "{version}: {text}");
        assert!(
            text.starts_with("apiVersion: resource.k8s.io/v1\n"),
            "{version}: {text}"
        );
        assert_eq!(validate(text, &json!({}))["ok"], true, "{version}: {text}");
    }
    // A shape of no version has no result.
    let neither = convert("v1beta1", "{name: gpu, deviceClas: gpu}");
    assert!(neither["text"].is_null(), "{neither}");
    assert_eq!(messages(&neither, "unknown-field").len(), 1);
}

const ADMIN: &str = "{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}";

fn namespace(labels: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: default, labels: {{{labels}}}}}\n"
    )
}

#[test]
fn a_namespace_among_the_objects_gives_its_labels() {
    let right = "resource.kubernetes.io/admin-access: 'true'";
    for (labels, ok) in [
        (right, true),
        ("", false),
        ("resource.kubernetes.io/admin-access: 'True'", false),
    ] {
        let text = format!("{}{}", claim("c", ADMIN), namespace(labels));
        let answer = validate(&text, &json!({}));
        assert_eq!(answer["ok"], ok, "{labels}: {answer}");
        assert!(
            messages(&answer, "namespace-labels-unknown").is_empty(),
            "{answer}"
        );
    }
}

#[test]
fn a_refused_claim_is_not_placed() {
    let cluster = [
        node("w0"),
        CLASS.to_owned(),
        slice("w0", "{name: g0}"),
        claim("c", ADMIN),
        pod("p", "c", ""),
    ]
    .concat();
    let in_text = allocate(&format!("{cluster}{}", namespace("")), &json!({}));
    let as_option = allocate(&cluster, &json!({"namespaceLabels": {}}));
    for answer in [in_text, as_option] {
        assert!(answer["pods"][0]["turn"]["node"].is_null(), "{answer}");
        assert_eq!(
            messages(&answer, "admin-access-forbidden").len(),
            1,
            "{answer}"
        );
    }
}

#[test]
fn redacted_metadata_does_not_free_devices() {
    let results =
        "devices: {results: [{request: r, driver: gpu.example.com, pool: w0, device: g0}]}";
    let whole = format!(
        "{{allocation: {{{results}}}, reservedFor: [{{resource: pods, name: w, uid: u}}]}}"
    );
    for metadata in [
        "name: h, namespace: default",
        "name: h, namespace: default, ownerReferences: [{apiVersion: v1, kind: Pod, name: w, controller: true}]",
        "name: h, namespace: default, ownerReferences: [{}]",
        "name: h, namespace: XXXX",
        "name: h, namespace: default, labels: {team: '<redacted>'}",
        "name: '<redacted>', namespace: default",
        "name: h, namespace: default, labels: <redacted>",
        "name: h, namespace: default, annotations: <redacted>",
    ] {
        let held = held_claim(metadata, &whole);
        assert_eq!(device_beside(&held), "gpu.example.com/w0/g1", "{metadata}");
    }
    for status in [
        format!("{{allocation: {{{results}}}, reservedFor: <redacted>}}"),
        format!("{{allocation: {{{results}}}, devices: <redacted>}}"),
        format!(
            "{{allocation: {{nodeSelector: <redacted>, allocationTimestamp: XXXX, {results}}}}}"
        ),
    ] {
        // Two claims of which the name was taken out are two.
        let held = held_claim("name: '<redacted>', namespace: default, uid: u", &status);
        let other = held.replace("uid: u", "uid: v").replace("g0", "g1");
        let device = device_beside(&format!("{held}{other}"));
        assert_eq!(device, "gpu.example.com/w0/g2", "{status}");
    }
}

/// A claim of one device, as somebody prints it who takes parts of it out.
fn held_claim(metadata: &str, status: &str) -> String {
    format!(
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{{metadata}}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, allocationMode: ExactCount, count: 1}}}}]}}}}\nstatus: {status}\n"
    )
}

/// The device that a new pod gets beside claims that hold some of three.
fn device_beside(held: &str) -> String {
    let text = [
        node("w0"),
        CLASS.to_owned(),
        slice("w0", "{name: g0}, {name: g1}, {name: g2}"),
        held.to_owned(),
        claim("c", "{name: r, exactly: {deviceClassName: gpu}}"),
        pod("p", "c", ""),
    ]
    .concat();
    let answer = allocate(&text, &json!({}));
    let device = &answer["pods"][0]["turn"]["devices"][0]["device"];
    device.as_str().unwrap().to_owned()
}

#[test]
fn gates_of_other_parts_change_nothing() {
    let text = [
        node("w0"),
        CLASS.to_owned(),
        claim("c", "{name: r, exactly: {deviceClassName: gpu}}"),
    ]
    .concat();
    let answer = allocate(
        &text,
        &json!({"gates": {"InPlacePodVerticalScaling": true, "AllBeta": true}}),
    );
    let assumed = answer["assumed"].as_array().unwrap();
    assert!(
        assumed.iter().any(|line| line == "feature gate `InPlacePodVerticalScaling` is not about these kinds: it changes nothing here"),
        "{answer}"
    );
    let unknown = ask(&json!({"verb": "allocate", "text": text, "gates": {"Nope": true}}));
    assert!(
        unknown["error"]
            .as_str()
            .unwrap()
            .contains("no feature gate `Nope`")
    );
}

#[test]
fn lines_that_are_not_yaml_are_named() {
    for (text, help) in [
        (
            "metadata:\n  labels:\n{{- include \"x\" . | nindent 4 }}\n",
            "template",
        ),
        ("a: b\n{{- if .Values.x }}\nc: d\n{{- end }}\n", "template"),
        (
            "items:\n{{- range .Values.x }}\n- a\n{{- end }}\n",
            "template",
        ),
        ("a: b\n{% for x in y %}\nc: d\n", "template"),
        ("name: {{ .Release.Name }}-gpu\n", "template"),
        ("```yaml\na: b\n```\n", "fence"),
        ("$ kubectl get pods -o yaml\na: b\n", "command"),
        (
            "I0926 11:04:05.123456   1 main.go:1] started\na: b\n",
            "log",
        ),
        ("NAME   READY   STATUS\np: x\n", "table"),
    ] {
        let answer = validate(text, &json!({}));
        let finding = &answer["findings"][0];
        assert!(
            finding["help"]
                .as_str()
                .is_some_and(|said| said.contains(help)),
            "{text}: {finding}"
        );
    }
}

#[test]
fn misspelt_fields_of_pods_are_found_everywhere() {
    let pod = |fields: &str, container: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n  - {{name: c, image: x{container}}}\n{fields}"
        )
    };
    let list = "[{name: g, resourceClaimName: c}]";
    let uses = ", resources: {claims: [{name: g}]}";
    let cases = [
        (
            pod(&format!("  resourceclaims: {list}\n"), uses),
            "spec.resourceclaims",
            "did you mean `resourceClaims`?",
        ),
        (
            pod(&format!("  resource_claims: {list}\n"), ""),
            "spec.resource_claims",
            "did you mean `resourceClaims`?",
        ),
        (
            pod(&format!("  resourceClaim: {list}\n"), uses),
            "spec.resourceClaim",
            "did you mean `resourceClaims`?",
        ),
        (
            pod("", &format!(", resourceClaims: {list}")),
            "spec.containers[0].resourceClaims",
            "`resourceClaims` belongs under `spec`",
        ),
        (
            pod("", ", claims: [{name: g}]"),
            "spec.containers[0].claims",
            "`claims` belongs under `resources`",
        ),
        (
            pod("", ", resources: {claim: [{name: g}]}"),
            "spec.containers[0].resources.claim",
            "did you mean `claims`?",
        ),
        (
            pod("  restartpolicy: Never\n", ""),
            "spec.restartpolicy",
            "did you mean `restartPolicy`?",
        ),
    ];
    for (text, path, help) in cases {
        let answer = validate(&text, &json!({}));
        let found = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .find(|finding| finding["path"] == path);
        let found = found.unwrap_or_else(|| panic!("{path}: {answer}"));
        assert_eq!(found["message"], format!("unknown field \"{path}\""));
        assert_eq!(found["help"], help, "{path}");
        assert_eq!(found["severity"], "error");
    }
    let deployment = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d}}\nspec:\n  resourceClaims: {list}\n  template: {{spec: {{containers: [{{name: c, image: x{uses}}}]}}}}\n"
    );
    let answer = validate(&deployment, &json!({}));
    let help = &answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["path"] == "spec.resourceClaims")
        .unwrap()["help"];
    assert_eq!(*help, "`resourceClaims` belongs under `spec.template.spec`");
}

/// Two lines that became one are not quoted: that would make one error two.
#[test]
fn joined_lines_are_not_quoted() {
    for (line, fixes) in [
        ("name: x spec:", 0),
        ("name: g resourceClaimName: x", 0),
        ("name: note: this", 0),
        ("name: well known words: here", 1),
    ] {
        let text = format!("apiVersion: v1\nkind: Pod\nmetadata:\n  {line}\n");
        let answer = ask(&json!({"verb": "validate", "text": text}));
        let finding = &answer["findings"][0];
        assert_eq!(finding["code"], "yaml-syntax", "{answer}");
        let got = finding["fixes"].as_array().map_or(0, Vec::len);
        assert_eq!(got, fixes, "{line}: {finding}");
    }
}

/// A slice that two folders have is one object, not two of one pool.
#[test]
fn a_slice_that_is_given_twice_is_one() {
    let text = slice("w0", "{name: g0}");
    let answer = ask(&json!({"verb": "validate", "text": format!("{text}{text}")}));
    for code in ["pool-count-too-low", "device-twice"] {
        assert_eq!(messages(&answer, code), Vec::<&str>::new(), "{answer}");
    }
}

#[test]
fn who_consumes_nothing_of_a_capacity_is_no_reason() {
    let text = [
        node("n1"),
        CLASS.to_owned(),
        slice("n1", "{name: gpu-0, capacity: {memory: {value: 80Gi}}}"),
        claim("held", "{name: r, exactly: {deviceClassName: gpu}}").replace(
            "]}}\n",
            "]}}\nstatus: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: n1, device: gpu-0}]}}}\n",
        ),
        claim(
            "all",
            "{name: r, exactly: {deviceClassName: gpu, allocationMode: All, capacity: {requests: {memory: 100Gi}}}}",
        ),
        pod("p", "all", ""),
    ]
    .concat();
    let told = allocate(&text, &json!({})).to_string();
    assert!(
        told.contains("100Gi of memory is charged, 80Gi left of 80Gi"),
        "{told}"
    );
    assert!(!told.contains("(0 held by"), "{told}");
}

/// A node that slices name may have any label but the name of another node.
#[test]
fn labels_of_an_assumed_node_are_not_known() {
    let turn = |more: &str| {
        let text = [
            CLASS.to_owned(),
            slice("w0", "{name: g0}"),
            claim("c", "{name: r, exactly: {deviceClassName: gpu}}"),
            pod("p", "c", more),
        ]
        .concat();
        allocate(&text, &json!({}))["pods"][0]["turn"].clone()
    };
    let affinity = |key: &str, operator: &str, more: &str| {
        format!(
            "affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{{matchExpressions: [{{key: {key}, operator: {operator}}}{more}]}}]}}}}}}, "
        )
    };
    let away = ", {key: kubernetes.io/hostname, operator: In, values: [w1]}";
    let unknown = "not known, for labels of its node are not given: zone";
    let spread = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}], ";
    let cases = [
        ("nodeSelector: {zone: a}, ", "notKnown", unknown),
        (&affinity("zone", "Exists", ""), "notKnown", unknown),
        (&affinity("zone", "DoesNotExist", ""), "notKnown", unknown),
        (spread, "notKnown", unknown),
        ("nodeSelector: {kubernetes.io/hostname: w0}, ", "bound", ""),
        (
            "nodeSelector: {kubernetes.io/hostname: w1, zone: a}, ",
            "unschedulable",
            "nodeSelector kubernetes.io/hostname=w1: the node has kubernetes.io/hostname=w0",
        ),
        (
            &affinity("zone", "Exists", away),
            "unschedulable",
            "node affinity: kubernetes.io/hostname In [w1] is not true of the node",
        ),
    ];
    for (more, outcome, why) in cases {
        let turn = turn(more);
        assert_eq!(turn["outcome"], outcome, "{more}: {turn}");
        let told = match outcome {
            "notKnown" => &turn["unsure"][0],
            _ => &turn["refused"][0]["why"][0],
        };
        assert_eq!(told.as_str().unwrap_or_default(), why, "{more}: {turn}");
    }
}

/// A class that is there is not suggested in its own place.
#[test]
fn a_class_that_a_gate_keeps_from_serving_is_named() {
    let cluster = [
        node("w0"),
        format!("{CLASS}spec: {{extendedResourceName: example.com/gpu}}\n"),
    ]
    .concat();
    let help = |resource: &str| {
        let pod = format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{containers: [{{name: c, image: x, resources: {{limits: {{{resource}: '1'}}}}}}]}}\n"
        );
        let more = json!({"cluster": cluster, "release": "1.36.3", "gates": {"DRAExtendedResource": false}});
        let answer = allocate(&pod, &more);
        answer["pods"][0]["before"]["help"].clone()
    };
    assert_eq!(
        help("example.com/gpu"),
        "the pod asks for no devices; DeviceClass `gpu` serves `example.com/gpu` only if the feature gate DRAExtendedResource is on, and it is off"
    );
    assert_eq!(
        help("example.com/gpus"),
        "the pod asks for no devices; no DeviceClass serves `example.com/gpus`; did you mean `example.com/gpu`?"
    );
}
