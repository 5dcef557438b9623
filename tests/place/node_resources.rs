//! Resources of the node that devices take (gate DRANodeAllocatableResources of 1.36). The facts are those of kube-scheduler
//! 1.36, `pkg/scheduler/framework/plugins/dynamicresources/nodeallocatabledynamicresources.go` with its tables of tests, of
//! `pkg/scheduler/framework/types.go` (`updateNodeAllocatableDRAClaimState`, `CalculateResource`) and of
//! k8s.io/component-helpers 0.36, `resource/helpers.go` (`PodRequests`); the inputs are of our own writing.

mod answer;

use super::lines::{self, list, text};
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::behaviour::allocator;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::node_resources::Footprint;
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase, filter};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::pools::Gatherer;
use claimkit_scheduler::allocator::status::{FrameworkStatus, StatusCode};
use serde_json::{Value, json};

const DRIVER: &str = "dra.example.com";
const CPU: &str = "dra.example.com/cpu";
const MEMORY: &str = "dra.example.com/memory";
const GATE: &str = "DRANodeAllocatableResources";

/// The message of `Filter` for the pod `ns/p` on `n1`.
fn filtered(items: &[Value], on: bool) -> (FrameworkStatus, Option<Footprint>) {
    let mut facts = Facts::default();
    for item in items {
        facts.add(item).unwrap();
    }
    let gate = |name: &str| {
        if name == GATE {
            on
        } else {
            lines::gate(36, name)
        }
    };
    let engine = CelSelectors::new(Release::last_of(36), false);
    let features = features_of(36, gate);
    let cluster = Cluster::new(
        &facts,
        allocator(36, 3, &features).unwrap(),
        &features,
        &engine,
    );
    let pod = facts
        .pods
        .iter()
        .find(|pod| pod.metadata.name == "p")
        .unwrap();
    let case = PodCase::new(
        &cluster,
        PluginRules::of(36, u8::MAX),
        PluginGates::of(gate),
        pod,
    );
    assert!(case.goes_on(), "{:?}", case.pre_filter);
    let answer = filter(
        &cluster,
        &case,
        0,
        &Gatherer::new(&cluster).gather(0),
        100_000,
    );
    (answer.status, answer.footprint.map(|footprint| *footprint))
}

fn status(items: &[Value]) -> FrameworkStatus {
    filtered(items, true).0
}

fn said(code: StatusCode, reasons: &[&str]) -> FrameworkStatus {
    FrameworkStatus {
        code,
        reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
    }
}

fn success() -> FrameworkStatus {
    said(StatusCode::Success, &[])
}

/// The resources compared: `resource requested used allocatable`.
fn needs(items: &[Value]) -> Vec<String> {
    let footprint = filtered(items, true).1.unwrap();
    let show = |need: &claimkit_scheduler::allocator::node_resources::Need| {
        let [requested, used, there] =
            [need.requested, need.used, need.allocatable].map(|amount| need.spell(amount));
        format!("{} {requested} {used} {there}", need.resource)
    };
    footprint.needs.iter().map(show).collect()
}

fn node(allocatable: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": allocatable}})
}

fn large() -> Value {
    node(json!({"cpu": "100", "memory": "100Gi", "hugepages-2Mi": "1Gi", "hugepages-1Gi": "100Gi"}))
}

fn class() -> Value {
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": {}})
}

fn slice_of(driver: &str, devices: Value) -> Value {
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": format!("pool1-{driver}")},
        "spec": {"driver": driver, "nodeName": "n1", "pool": {"name": "pool1", "generation": 1, "resourceSliceCount": 1},
            "devices": devices}})
}

fn slice(devices: &[Value]) -> Value {
    slice_of(DRIVER, json!(devices))
}

/// A device that uses node resources in proportion to its consumed capacities.
fn by_capacity(name: &str, mappings: &[(&str, &str)]) -> Value {
    let mut device = fixed(name, json!({}));
    device["allowMultipleAllocations"] = json!(true);
    for (resource, key) in mappings {
        device["capacity"][key] = json!({"value": "100Gi"});
        device["nodeAllocatableResourceMappings"][resource] = json!({"capacityKey": key});
    }
    device
}

/// A device that uses the same node resources for each allocation.
fn fixed(name: &str, amounts: Value) -> Value {
    let mut device = json!({"name": name, "attributes": {"name": {"string": name}}});
    for (resource, amount) in amounts.as_object().unwrap() {
        device["nodeAllocatableResourceMappings"][resource] =
            json!({"allocationMultiplier": amount});
    }
    device
}

fn request(device: &str, capacity: Value) -> Value {
    let expression = format!("device.attributes[\"{DRIVER}\"].name == \"{device}\"");
    let mut ask = json!({"deviceClassName": "c", "allocationMode": "ExactCount", "count": 1,
        "selectors": [{"cel": {"expression": expression}}]});
    if capacity.is_object() {
        ask["capacity"] = json!({"requests": capacity});
    }
    ask
}

/// A claim of one device by name, with capacity.
fn claim(name: &str, device: &str, capacity: Value) -> Value {
    claim_of(
        name,
        json!({"name": "r", "exactly": request(device, capacity)}),
    )
}

fn claim_of(name: &str, request: Value) -> Value {
    json!({"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": name, "namespace": "ns", "uid": name},
        "spec": {"devices": {"requests": [request]}}})
}

/// A container that uses claims.
fn container(name: &str, requests: Value, claims: &[&str]) -> Value {
    let claims: Vec<Value> = claims.iter().map(|name| json!({"name": name})).collect();
    json!({"name": name, "resources": {"requests": requests, "claims": claims}})
}

/// The pod that asks.
fn pod(claims: &[&str], containers: &[Value]) -> Value {
    let entries: Vec<Value> = claims
        .iter()
        .map(|name| json!({"name": name, "resourceClaimName": name}))
        .collect();
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "uid": "p"},
        "spec": {"containers": containers, "resourceClaims": entries}})
}

/// A pod on the node.
fn placed(name: &str, spec: Value, status: Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ns", "uid": name},
        "spec": spec, "status": status});
    pod["spec"]["nodeName"] = json!("n1");
    pod
}

/// Sharing: `validateNodeAllocatableDRAClaimSharing`.
#[test]
fn a_claim_serves_one_pod() {
    let allocated = || {
        let mut claim = claim("a", "cpu0", Value::Null);
        let result = json!({"request": "r", "driver": DRIVER, "pool": "pool1", "device": "cpu0"});
        claim["status"] = json!({"allocation": {"devices": {"results": [result]}}});
        claim
    };
    let user = |name: &str, claim: &str| {
        let used =
            json!([{"resourceClaimName": claim, "containers": ["c1"], "resources": {"cpu": "1"}}]);
        placed(
            name,
            json!({}),
            json!({"nodeAllocatableResourceClaimStatuses": used}),
        )
    };
    let asked = || pod(&["a"], &[container("c1", json!({}), &["a"])]);
    let own = || {
        let mut own = asked();
        own["spec"]["nodeName"] = json!("n1");
        own["status"] = user("p", "a")["status"].clone();
        own
    };
    let elsewhere = |mut pod: Value| {
        pod["spec"]["nodeName"] = json!("n2");
        pod
    };
    let other_namespace = |mut pod: Value| {
        pod["metadata"]["namespace"] = json!("other");
        pod
    };
    let shared = said(
        StatusCode::UnschedulableAndUnresolvable,
        &["node allocatable resource claim a shared by multiple pods"],
    );
    let taken = said(
        StatusCode::UnschedulableAndUnresolvable,
        &["node allocatable resource claim a is already used by another pod"],
    );
    for (what, pods, wanted) in [
        ("nobody uses it", vec![asked()], success()),
        (
            "another claim is used",
            vec![asked(), user("q", "b")],
            success(),
        ),
        (
            "two others use it",
            vec![asked(), user("q", "a"), user("r", "a")],
            shared.clone(),
        ),
        (
            "the pod and another use it",
            vec![own(), user("q", "a")],
            shared,
        ),
        ("another uses it", vec![asked(), user("q", "a")], taken),
        ("only the pod uses it", vec![own()], success()),
        (
            "another uses it on another node",
            vec![asked(), elsewhere(user("q", "a"))],
            success(),
        ),
        (
            "a claim of that name elsewhere",
            vec![asked(), other_namespace(user("q", "a"))],
            success(),
        ),
    ] {
        let mut items = vec![
            large(),
            class(),
            slice(&[fixed("cpu0", json!({"cpu": "1"}))]),
            allocated(),
        ];
        items.extend(pods);
        assert_eq!(status(&items), wanted, "{what}");
        assert_eq!(filtered(&items, false).0, success(), "{what}, gate off");
    }
    // The error comes before the allocator runs, but not for a claim whose node selector excludes the node.
    let mut away = allocated();
    away["status"]["allocation"]["nodeSelector"] = json!({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]});
    let both = pod(&["a", "b"], &[container("c1", json!({}), &["a", "b"])]);
    let cluster = vec![
        large(),
        class(),
        slice(&[fixed("cpu0", json!({}))]),
        claim("b", "none", Value::Null),
        user("q", "a"),
        both,
    ];
    let with = |claim: Value| status(&[cluster.clone(), vec![claim]].concat());
    assert_eq!(
        with(allocated()).reasons,
        ["node allocatable resource claim a is already used by another pod"]
    );
    assert_eq!(with(away).reasons, ["cannot allocate all claims"]);
}

/// What devices take: `buildNodeAllocatableDRAInfo`.
#[test]
fn devices_take_resources() {
    let cpu = || by_capacity("cpu0", &[("cpu", CPU)]);
    let both = || by_capacity("device1", &[("cpu", CPU), ("memory", MEMORY)]);
    let gpu = || fixed("gpu0", json!({"cpu": "2", "memory": "4Gi"}));
    let doubled = || {
        let mut device = by_capacity("device1", &[("cpu", "dra.example.com/cores")]);
        device["nodeAllocatableResourceMappings"]["cpu"]["allocationMultiplier"] = json!("2");
        device
    };
    let one = |claims: &[&str], requests: Value| pod(claims, &[container("c1", requests, claims)]);
    let fungible = || {
        let mut gpu = request("gpu0", Value::Null);
        gpu["name"] = json!("gpu");
        let mut cpu = request("cpu0", json!({CPU: "30"}));
        cpu["name"] = json!("cpu");
        claim_of("a", json!({"name": "r", "firstAvailable": [gpu, cpu]}))
    };
    type Case<'w> = (&'w str, Vec<Value>, Vec<Value>, Value, &'w [&'w str]);
    let cases: Vec<Case<'_>> = vec![
        (
            "one container, one claim, an amount for each",
            vec![fixed("cpu0", json!({"cpu": "1"}))],
            vec![claim("a", "cpu0", Value::Null)],
            one(&["a"], json!({})),
            &["cpu 1 0 100"],
        ),
        (
            "beside requests of the container",
            vec![both()],
            vec![claim("a", "device1", json!({CPU: "4", MEMORY: "8Gi"}))],
            one(&["a"], json!({"cpu": "100m", "memory": "100Mi"})),
            &["cpu 4100m 0 100", "memory 8292Mi 0 100Gi"],
        ),
        (
            "the second choice",
            vec![cpu()],
            vec![fungible()],
            one(&["a"], json!({"cpu": "1"})),
            &["cpu 31 0 100"],
        ),
        (
            "what a device needs beside it",
            vec![cpu(), gpu()],
            vec![
                claim("cpu", "cpu0", json!({CPU: "10"})),
                claim("gpu", "gpu0", Value::Null),
            ],
            one(&["gpu", "cpu"], json!({"cpu": "100m"})),
            &["cpu 12100m 0 100", "memory 4Gi 0 100Gi"],
        ),
        (
            "two claims of a container",
            vec![cpu(), by_capacity("device1", &[("memory", MEMORY)])],
            vec![
                claim("a", "cpu0", json!({CPU: "4"})),
                claim("b", "device1", json!({MEMORY: "8Gi"})),
            ],
            one(&["a", "b"], json!({"cpu": "100m"})),
            &["cpu 4100m 0 100", "memory 8Gi 0 100Gi"],
        ),
        (
            "a claim of two containers counts once",
            vec![cpu()],
            vec![claim("a", "cpu0", json!({CPU: "10"}))],
            pod(
                &["a"],
                &[
                    container("c1", json!({}), &["a"]),
                    container("c2", json!({"cpu": "1"}), &["a"]),
                    container("c3", json!({}), &[]),
                ],
            ),
            &["cpu 11 0 100"],
        ),
        (
            "capacity times a multiplier",
            vec![doubled()],
            vec![claim("a", "device1", json!({"dra.example.com/cores": "4"}))],
            one(&["a"], json!({})),
            &["cpu 8 0 100"],
        ),
        (
            "parts of a thousandth count as one",
            vec![doubled()],
            vec![claim(
                "a",
                "device1",
                json!({"dra.example.com/cores": "100100u"}),
            )],
            one(&["a"], json!({"cpu": "100u"})),
            &["cpu 201m 0 100"],
        ),
        (
            "several devices of a claim",
            vec![
                fixed("x0", json!({"cpu": "1"})),
                fixed("x1", json!({"cpu": "1500m", "memory": "1Gi"})),
            ],
            vec![claim_of(
                "a",
                json!({"name": "r", "exactly": {"deviceClassName": "c", "allocationMode": "All"}}),
            )],
            one(&["a"], json!({})),
            &["cpu 2500m 0 100", "memory 1Gi 0 100Gi"],
        ),
    ];
    for (what, devices, claims, pod, wanted) in cases {
        let mut items = vec![large(), class(), slice(&devices), pod];
        items.extend(claims);
        assert_eq!(needs(&items), wanted, "{what}");
        assert_eq!(status(&items), success(), "{what}");
    }
    // The first choice takes nothing: then not even the pod's own requests are compared.
    let plain = [
        node(json!({})),
        class(),
        slice(&[fixed("gpu0", json!({})), cpu()]),
        fungible(),
        one(&["a"], json!({"cpu": "1"})),
    ];
    assert_eq!(filtered(&plain, true), (success(), None));
    // They are not compared either if the devices were allocated before: only claims of the current attempt count.
    let mut before = claim("a", "cpu0", Value::Null);
    let result = json!({"request": "r", "driver": DRIVER, "pool": "pool1", "device": "cpu0"});
    before["status"] = json!({"allocation": {"devices": {"results": [result]}}});
    let devices = slice(&[
        fixed("cpu0", json!({"cpu": "90"})),
        fixed("cpu1", json!({"cpu": "1"})),
    ]);
    let items = [
        large(),
        class(),
        devices,
        before,
        claim("b", "cpu1", Value::Null),
        one(&["a", "b"], json!({"cpu": "1"})),
    ];
    assert_eq!(needs(&items), ["cpu 2 0 100"]);
}

#[test]
fn what_devices_take_must_be_used_and_known() {
    let cpu = || by_capacity("cpu0", &[("cpu", CPU)]);
    let nobody = pod(&["b", "a"], &[container("c1", json!({}), &[])]);
    let asked = |name: &str| claim(name, "cpu0", json!({CPU: "4"}));
    // The first by name.
    let unused =
        "claim a: node-allocatable resource claim not referenced by any container within the pod";
    let items = [
        large(),
        class(),
        slice(&[cpu()]),
        asked("a"),
        asked("b"),
        nobody,
    ];
    assert_eq!(
        status(&items),
        said(StatusCode::UnschedulableAndUnresolvable, &[unused])
    );
    // An init container is enough, and so is the claim of a template, by the name of its entry.
    let mut template = pod(&[], &[]);
    template["spec"]["initContainers"] = json!([container("i", json!({}), &["entry"])]);
    template["spec"]["resourceClaims"] =
        json!([{"name": "entry", "resourceClaimTemplateName": "t"}]);
    template["status"] =
        json!({"resourceClaimStatuses": [{"name": "entry", "resourceClaimName": "a"}]});
    let mut made = asked("a");
    made["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "p", "controller": true}]);
    assert_eq!(
        status(&[large(), class(), slice(&[cpu()]), made, template]),
        success()
    );
    // No container names the claim that the scheduler makes for extended resources.
    let mut serving = class();
    serving["spec"]["extendedResourceName"] = json!("example.com/d");
    let asking = pod(&[], &[container("c1", json!({"example.com/d": "1"}), &[])]);
    let unused = "claim <extended-resources>: node-allocatable resource claim not referenced by any container within the pod";
    let items = [
        large(),
        serving,
        slice(&[fixed("d", json!({"cpu": "1"}))]),
        asking,
    ];
    assert_eq!(
        status(&items),
        said(StatusCode::UnschedulableAndUnresolvable, &[unused])
    );
    // A device that is not shared has no consumed capacity.
    let mut whole = cpu();
    whole["allowMultipleAllocations"] = json!(false);
    let user = || pod(&["a"], &[container("c1", json!({}), &["a"])]);
    let error = "claim ns/a, device cpu0: ConsumedCapacity is nil, but Capacity key 'dra.example.com/cpu' is set in NodeAllocatableResourceMappings for resource cpu";
    let items = [
        large(),
        class(),
        slice(&[whole]),
        claim("a", "cpu0", Value::Null),
        user(),
    ];
    assert_eq!(status(&items), said(StatusCode::Error, &[error]));
    // The device is looked up by pool and name: that of another driver may say something else. A capacity that is not charged
    // takes nothing, but then the pod's own requests are compared.
    let mut other = fixed("cpu0", json!({}));
    other["nodeAllocatableResourceMappings"] =
        json!({"cpu": {"capacityKey": "other.example.com/cpu"}});
    let other = slice_of("other.example.com", json!([other]));
    let mut small = user();
    small["spec"]["containers"][0]["resources"]["requests"] = json!({"cpu": "1"});
    let mut asked = asked("a");
    asked["spec"]["devices"]["requests"][0]["exactly"]["selectors"] =
        json!([{"cel": {"expression": format!("device.driver == \"{DRIVER}\"")}}]);
    let items = [large(), class(), other, slice(&[cpu()]), asked, small];
    assert_eq!(needs(&items), ["cpu 1 0 100"]);
    assert!(filtered(&items, true).1.unwrap().unclear.is_some());
}

/// `nodeFitsResources`.
#[test]
fn the_node_must_have_enough() {
    let cluster = |allocatable: Value, amounts: Value| {
        vec![
            node(allocatable),
            class(),
            slice(&[fixed("d", amounts)]),
            claim("a", "d", Value::Null),
            pod(&["a"], &[container("c", json!({}), &["a"])]),
        ]
    };
    let (later, never) = (
        StatusCode::Unschedulable,
        StatusCode::UnschedulableAndUnresolvable,
    );
    for (what, allocatable, amounts, wanted) in [
        ("nothing", json!({}), json!({"cpu": "0"}), success()),
        (
            "enough cpu and memory",
            json!({"cpu": "2000m", "memory": "2Gi"}),
            json!({"cpu": "1", "memory": "1Gi"}),
            success(),
        ),
        (
            "all there is",
            json!({"cpu": "2", "memory": "2Gi"}),
            json!({"cpu": "2", "memory": "2Gi"}),
            success(),
        ),
        (
            "cpu",
            json!({"cpu": "2000m"}),
            json!({"cpu": "3"}),
            said(never, &["Insufficient cpu"]),
        ),
        (
            "memory",
            json!({"memory": "2Gi"}),
            json!({"memory": "3Gi"}),
            said(never, &["Insufficient memory"]),
        ),
        (
            "hugepages",
            json!({"hugepages-2Mi": "1", "hugepages-1Gi": "2"}),
            json!({"hugepages-2Mi": "1", "hugepages-1Gi": "2"}),
            success(),
        ),
        (
            "small hugepages",
            json!({"hugepages-2Mi": "1"}),
            json!({"hugepages-2Mi": "2"}),
            said(never, &["Insufficient hugepages-2Mi"]),
        ),
        (
            "large hugepages",
            json!({"hugepages-1Gi": "2"}),
            json!({"hugepages-1Gi": "3"}),
            said(never, &["Insufficient hugepages-1Gi"]),
        ),
        (
            "all",
            json!({"cpu": "2", "memory": "2Gi", "hugepages-2Mi": "1"}),
            json!({"cpu": "1", "memory": "1Gi", "hugepages-2Mi": "1"}),
            success(),
        ),
        (
            "ephemeral storage",
            json!({"ephemeral-storage": "1Gi"}),
            json!({"ephemeral-storage": "2Gi"}),
            said(never, &["Insufficient ephemeral-storage"]),
        ),
        (
            "several",
            json!({}),
            json!({"hugepages-2Mi": "1", "memory": "1", "cpu": "1", "ephemeral-storage": "1"}),
            said(
                never,
                &[
                    "Insufficient cpu",
                    "Insufficient memory",
                    "Insufficient ephemeral-storage",
                    "Insufficient hugepages-2Mi",
                ],
            ),
        ),
        (
            "a resource that is not compared",
            json!({}),
            json!({"pods": "1"}),
            success(),
        ),
    ] {
        assert_eq!(
            status(&cluster(allocatable.clone(), amounts.clone())),
            wanted,
            "{what}"
        );
        assert_eq!(
            filtered(&cluster(allocatable, amounts), false),
            (success(), None),
            "{what}, gate off"
        );
    }
    // It would fit without the other pods.
    let user = placed(
        "q",
        json!({"containers": [container("c", json!({"memory": "4Gi"}), &[])]}),
        json!({}),
    );
    let mut items = cluster(json!({"memory": "5Gi"}), json!({"memory": "3Gi"}));
    items.push(user);
    assert_eq!(status(&items), said(later, &["Insufficient memory"]));
    // Devices come first: node resources are not checked if there are no devices.
    let mut none = cluster(json!({}), json!({"cpu": "1"}));
    none[3] = claim("a", "other", Value::Null);
    assert_eq!(status(&none), said(never, &["cannot allocate all claims"]));
    // Then the node, then claims that are allocated elsewhere.
    let mut away = claim("b", "d", Value::Null);
    let selector = json!({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]});
    away["status"] = json!({"allocation": {"devices": {"results": []}, "nodeSelector": selector}});
    for (cpu, wanted) in [
        ("1", "Insufficient cpu"),
        ("0", "resourceclaim not available on the node"),
    ] {
        let mut items = cluster(json!({}), json!({"cpu": cpu}));
        items[4] = pod(&["a", "b"], &[container("c", json!({}), &["a", "b"])]);
        items.push(away.clone());
        assert_eq!(status(&items).reasons, [wanted]);
    }
}

/// `validatePodLevelRequestsCoverDRA`.
#[test]
fn requests_of_the_pod_cover_its_devices() {
    let short = |resource: &str| {
        let text =
            "is insufficient to cover the aggregated container and node-allocatable DRA requests";
        said(
            StatusCode::UnschedulableAndUnresolvable,
            &[&format!("pod level request for {resource} {text}")],
        )
    };
    let pods = |cpu: &str, memory: &str| json!({"cpu": cpu, "memory": memory});
    for (what, of_pod, own, devices, overhead, wanted, compared) in [
        (
            "no requests of the pod",
            json!({}),
            pods("1", "1Gi"),
            pods("500m", "512Mi"),
            json!({}),
            success(),
            "cpu 1500m 0 100",
        ),
        (
            "enough",
            pods("2", "2Gi"),
            pods("1", "1Gi"),
            pods("500m", "512Mi"),
            json!({}),
            success(),
            "cpu 2 0 100",
        ),
        (
            "too little of one",
            pods("1", "2Gi"),
            pods("800m", "1Gi"),
            pods("300m", "512Mi"),
            json!({}),
            short("cpu"),
            "",
        ),
        (
            "too little of both",
            pods("1", "1Gi"),
            pods("1100m", "1100Mi"),
            pods("100m", "100Mi"),
            json!({}),
            short("cpu"),
            "",
        ),
        (
            "enough beside overhead",
            pods("4", "3Gi"),
            pods("1", "1Gi"),
            pods("1", "1Gi"),
            pods("500m", "512Mi"),
            success(),
            "cpu 4500m 0 100",
        ),
        (
            "one resource only",
            json!({"cpu": "11"}),
            json!({}),
            pods("10", "8Gi"),
            json!({}),
            success(),
            "cpu 11 0 100",
        ),
    ] {
        let mut asking = pod(&["a"], &[container("c", own, &["a"])]);
        asking["spec"]["resources"] = json!({"requests": of_pod});
        asking["spec"]["overhead"] = overhead;
        let items = [
            large(),
            class(),
            slice(&[fixed("d", devices)]),
            claim("a", "d", Value::Null),
            asking,
        ];
        assert_eq!(status(&items), wanted, "{what}");
        assert_eq!(
            needs(&items).first().map_or("", String::as_str),
            compared,
            "{what}"
        );
    }
}

/// The resources of pods on the node: `PodRequests`, `CalculateResource`.
#[test]
fn pods_on_the_node_count() {
    let used = |pods: Vec<Value>| {
        let mut items = vec![
            large(),
            class(),
            slice(&[fixed(
                "d",
                json!({"cpu": "1", "memory": "1", "hugepages-1Gi": "1"}),
            )]),
        ];
        items.push(claim("a", "d", Value::Null));
        let mut asking = pod(&["a"], &[container("c", json!({}), &["a"])]);
        asking["spec"]["priority"] = json!(5);
        items.push(asking);
        items.extend(pods);
        let show = |need: String| need.split(' ').nth(2).unwrap().to_owned();
        needs(&items)
            .into_iter()
            .map(show)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let c = |requests: Value| container("c1", requests, &[]);
    let taken = |resources: &[Value]| {
        let statuses: Vec<Value> = resources
            .iter()
            .enumerate()
            .map(|(at, resources)| json!({"resourceClaimName": format!("x{at}"), "resources": resources}))
            .collect();
        json!({"nodeAllocatableResourceClaimStatuses": statuses})
    };
    let sidecar = |requests: Value| json!({"name": "s", "restartPolicy": "Always", "resources": {"requests": requests}});
    let resized = |aside: &str, has: &str, reason: &str| {
        json!({"conditions": [{"type": "PodResizePending", "reason": reason}],
            "containerStatuses": [{"name": "c1", "allocatedResources": {"cpu": aside}, "resources": {"requests": {"cpu": has}}}]})
    };
    let of_pod = |has: Value| json!({"resources": {"requests": has}, "allocatedResources": {"cpu": "2500m"}});
    for (what, spec, status, wanted) in [
        (
            "no claims",
            json!({"containers": [c(json!({"cpu": "100m", "memory": "1Gi"}))]}),
            json!({}),
            "100m 1Gi 0",
        ),
        (
            "one claim",
            json!({"containers": [c(json!({"cpu": "100m", "memory": "1Gi", "hugepages-1Gi": "2"}))]}),
            taken(&[json!({"cpu": "50m", "hugepages-1Gi": "1"})]),
            "150m 1Gi 3",
        ),
        (
            "two claims",
            json!({"containers": [c(json!({"cpu": "100m", "memory": "1Gi"}))]}),
            taken(&[
                json!({"cpu": "50m"}),
                json!({"cpu": "25m", "memory": "512Mi"}),
            ]),
            "175m 1536Mi 0",
        ),
        (
            "a claim of two containers",
            json!({"containers": [c(json!({"cpu": "100m"})), container("c2", json!({"cpu": "200m"}), &[])]}),
            taken(&[json!({"cpu": "50m"})]),
            "350m 0 0",
        ),
        (
            "a claim of each container",
            json!({"containers": [c(json!({"cpu": "100m", "hugepages-1Gi": "1"})),
            container("c2", json!({"cpu": "200m", "memory": "1Gi", "hugepages-1Gi": "2"}), &[])]}),
            taken(&[
                json!({"cpu": "50m", "hugepages-1Gi": "1"}),
                json!({"cpu": "25m", "memory": "512Mi", "hugepages-1Gi": "2"}),
            ]),
            "375m 1536Mi 6",
        ),
        (
            "a claim of an init container",
            json!({"initContainers": [container("i", json!({"cpu": "100m"}), &[])], "containers": [c(json!({"cpu": "50m"}))]}),
            taken(&[json!({"cpu": "25m"})]),
            "125m 0 0",
        ),
        (
            "requests of the pod stand above",
            json!({"resources": {"requests": {"cpu": "2"}}, "containers": [c(json!({"cpu": "1", "memory": "1Gi"}))]}),
            taken(&[json!({"cpu": "3"})]),
            "2 1Gi 0",
        ),
        (
            "sidecars stay",
            json!({"initContainers": [sidecar(json!({"cpu": "100m"})), container("b", json!({"cpu": "800m"}), &[]), sidecar(json!({"cpu": "200m"})),
            container("d", json!({"cpu": "600m"}), &[])], "containers": [c(json!({"cpu": "700m"}))]}),
            json!({}),
            "1 0 0",
        ),
        (
            "init containers beside sidecars",
            json!({"initContainers": [sidecar(json!({"cpu": "100m"})), container("b", json!({"cpu": "950m"}), &[])],
            "containers": [c(json!({"cpu": "700m"}))]}),
            json!({}),
            "1050m 0 0",
        ),
        (
            "overhead",
            json!({"overhead": {"cpu": "250m"}, "containers": [c(json!({"cpu": "100m"}))]}),
            json!({}),
            "350m 0 0",
        ),
        (
            "limits are requests",
            json!({"containers": [{"name": "c1", "resources": {"limits": {"cpu": "3"}}}]}),
            json!({}),
            "3 0 0",
        ),
        (
            "each pod's part of a thousandth is one",
            json!({"containers": [c(json!({"cpu": "100u"}))]}),
            json!({}),
            "1m 0 0",
        ),
        (
            "a resize under way",
            json!({"containers": [c(json!({"cpu": "1"}))]}),
            resized("2", "3", "Deferred"),
            "3 0 0",
        ),
        (
            "a resize that cannot be",
            json!({"containers": [c(json!({"cpu": "5"}))]}),
            resized("2", "1", "Infeasible"),
            "2 0 0",
        ),
        (
            "a resize of the pod",
            json!({"resources": {"requests": {"cpu": "2"}}, "containers": [c(json!({"cpu": "1"}))]}),
            of_pod(json!({"cpu": "1"})),
            "2500m 0 0",
        ),
        (
            "it has ended",
            json!({"containers": [c(json!({"cpu": "1"}))]}),
            json!({"phase": "Succeeded"}),
            "0 0 0",
        ),
        (
            "it has failed",
            json!({"containers": [c(json!({"cpu": "1"}))]}),
            json!({"phase": "Failed"}),
            "0 0 0",
        ),
    ] {
        assert_eq!(used(vec![placed("q", spec, status)]), wanted, "{what}");
    }
    let waiting = |priority: i64, node: &str| {
        json!({"kind": "Pod", "metadata": {"name": format!("w{priority}"), "namespace": "ns", "uid": format!("w{priority}")},
            "spec": {"priority": priority, "containers": [c(json!({"cpu": "1"}))]}, "status": {"nominatedNodeName": node}})
    };
    assert_eq!(
        used(vec![
            waiting(4, "n1"),
            waiting(5, "n1"),
            waiting(6, "n1"),
            waiting(7, "n2"),
            waiting(8, "")
        ]),
        "2 0 0"
    );
}
