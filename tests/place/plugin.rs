//! A pod's way through the scheduler's plugin, against recorded answers.

use super::lines::{facts, gate, lean, lines, list, release, text};
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::behaviour::allocator;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::{ClaimRequest, NodeResourceClaim};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase, filter};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::pools::Gatherer;
use claimkit_scheduler::allocator::status::{FrameworkStatus, StatusCode};
use serde_json::{Value, json};

fn status(status: &FrameworkStatus) -> Value {
    json!({"code": status.code, "reasons": status.reasons})
}

fn request(request: &ClaimRequest) -> Value {
    let ask = request.exactly.as_ref().unwrap();
    let exactly = json!({"deviceClassName": ask.device_class_name, "allocationMode": ask.allocation_mode, "count": ask.count});
    json!({"name": request.name, "exactly": exactly})
}

fn node_resources(status: &NodeResourceClaim) -> Value {
    json!({
        "resourceClaimName": status.resource_claim_name, "containers": status.containers,
        "mapping": status.mapping, "overhead": status.overhead,
    })
}

/// claimkit's answer for the pod of a line, in the form of the recorded answers.
fn answers(line: &Value) -> Value {
    let (minor, patch) = release(line);
    let on = |name: &str| {
        line["gates"][name]
            .as_bool()
            .unwrap_or_else(|| gate(minor, name))
    };
    let engine = CelSelectors::new(Release::last_of(minor), on("DRAListTypeAttributes"));
    let rules = PluginRules::of(minor, patch);
    let mut facts = facts(line);
    rules.apply_taint_rules(&mut facts, on, &engine);
    let features = features_of(minor, on);
    let behaviour = allocator(minor, patch, &features).unwrap();
    let cluster = Cluster::new(&facts, behaviour, &features, &engine);
    let case = PodCase::new(&cluster, rules, PluginGates::of(on), &facts.pods[0]);
    let mut got =
        json!({"preEnqueue": status(&case.pre_enqueue), "preFilter": status(&case.pre_filter)});
    if case.pre_enqueue.code == StatusCode::Success && case.goes_on() {
        let gatherer = Gatherer::new(&cluster);
        let (mut passed, mut answers) = (false, Vec::new());
        for (at, node) in facts.nodes.iter().enumerate() {
            let answer = filter(&cluster, &case, at, &gatherer.gather(at), 100_000);
            let mut shown = status(&answer.status);
            let success = answer.status.code == StatusCode::Success;
            passed |= success;
            if success && rules.scores {
                shown["score"] = json!(answer.score);
            }
            if let Some(extended) = answer.extended.as_ref().filter(|_| success) {
                let requests: Vec<Value> = extended
                    .claim
                    .spec
                    .devices
                    .requests
                    .iter()
                    .map(request)
                    .collect();
                shown["results"]["extendedResourceClaimSpec"] =
                    json!({"devices": {"requests": requests}});
                shown["results"]["requestMappings"] = json!(extended.mappings);
            }
            let statuses = answer
                .footprint
                .as_ref()
                .map(|footprint| &footprint.statuses);
            if let Some(statuses) = statuses.filter(|list| success && !list.is_empty()) {
                shown["results"]["nodeAllocatable"] = statuses.iter().map(node_resources).collect();
            }
            if success && !answer.allocations().is_empty() {
                shown["results"]["allocations"] = json!(answer.allocations());
            }
            got["filter"][&node.metadata.name] = shown;
            answers.push(answer);
        }
        if let Some(post) = case.post_filter(&cluster, &answers).filter(|_| !passed) {
            got["postFilter"] = status(&post);
        }
    }
    got
}

fn check(file: &str) {
    let (mut pods, mut nodes) = (0, 0);
    let mut wrong = Vec::new();
    for line in lines(file, 1) {
        let got = answers(&line);
        pods += 1;
        let (got, want) = (lean(&got), lean(&line["answers"]));
        for key in ["preEnqueue", "preFilter", "postFilter"] {
            if got[key] != want[key] {
                wrong.push(format!(
                    "{} {key}\n  got  {}\n  want {}",
                    line["id"], got[key], want[key]
                ));
            }
        }
        for node in list(&line, "nodes") {
            let name = text(&node["metadata"], "name");
            nodes += usize::from(got["filter"][name].is_object());
            let (got, want) = (&got["filter"][name], &want["filter"][name]);
            if got != want {
                wrong.push(format!(
                    "{} {name}\n  got  {got}\n  want {want}",
                    line["id"]
                ));
            }
        }
    }
    println!(
        "{file}: {pods} pods, {nodes} nodes, {} differences",
        wrong.len()
    );
    let shown: Vec<&str> = wrong.iter().take(12).map(String::as_str).collect();
    assert!(
        wrong.is_empty(),
        "{file}: {} differences\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(pods > 50, "{file} has too few lines");
}

#[test]
fn release_1_34() {
    check("plugin-1.34.9");
}

#[test]
fn release_1_36() {
    check("plugin-1.36.3");
}

#[test]
fn release_1_37() {
    check("plugin-1.37.2");
}

#[test]
fn release_1_38() {
    check("plugin-1.38.0-beta.0");
}

/// A cluster with a node of two devices for two classes, and a pod.
fn cluster(release: &str, gates: &Value, pod: &Value) -> Value {
    let class = |name: &str| {
        let spec = json!({"extendedResourceName": format!("example.com/{name}")});
        json!({"metadata": {"name": name}, "spec": spec})
    };
    let devices: Vec<Value> = (0..6).map(|at| json!({"name": format!("d{at}")})).collect();
    let pool = json!({"name": "n1", "generation": 1, "resourceSliceCount": 1});
    let slice =
        json!({"driver": "x.example.com", "nodeName": "n1", "pool": pool, "devices": devices});
    let mut pod = pod.clone();
    pod["metadata"] = json!({"name": "p", "namespace": "ns", "uid": "u"});
    json!({
        "id": "own", "release": release, "gates": gates, "pod": pod,
        "nodes": [{"metadata": {"name": "n1"}}],
        "classes": [class("gpu"), class("nic")],
        "slices": [{"metadata": {"name": "s"}, "spec": slice}],
        "claims": [],
    })
}

fn container(name: &str, requests: &Value) -> Value {
    json!({"name": name, "resources": {"requests": requests}})
}

/// Name and count of every request for extended resources.
fn asked(answers: &Value) -> Value {
    let spec = &answers["filter"]["n1"]["results"]["extendedResourceClaimSpec"]["devices"];
    list(spec, "requests")
        .iter()
        .map(|one| json!([one["name"], one["exactly"]["count"]]))
        .collect()
}

/// Init containers share the largest extra need, whichever of them has it (kube-scheduler 1.36,
/// `extendeddynamicresources_test.go`, "two init containers, one regular container").
#[test]
fn init_containers_share_the_largest() {
    let gpus = |count: &str| json!({"example.com/gpu": count});
    let init = json!([container("i", &gpus("2")), container("j", &gpus("4"))]);
    let pod = json!({"spec": {"initContainers": init, "containers": [container("c", &gpus("1"))]}});
    let got = answers(&cluster("1.36.3", &json!({}), &pod));
    assert_eq!(
        asked(&got),
        json!([["container-1-request-0", 3], ["container-2-request-0", 1]]),
        "{got}"
    );
    let mappings = &got["filter"]["n1"]["results"]["requestMappings"];
    let pairs: Vec<(&str, &str)> = mappings
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (text(one, "containerName"), text(one, "requestName")))
        .collect();
    let (own, most) = ("container-2-request-0", "container-1-request-0");
    assert_eq!(
        pairs,
        [("c", own), ("i", own), ("i", most), ("j", own), ("j", most)]
    );
}

/// A resource of a device plugin beside one of a class: 1.34 asks for both through the claim (kube-scheduler 1.34,
/// `createDeviceRequests`), later releases only for what the plugin does not serve (`filterExtendedResources`).
#[test]
fn beside_a_device_plugin() {
    let both = container(
        "c",
        &json!({"example.com/gpu": "1", "example.com/nic": "2"}),
    );
    let pod = json!({"spec": {"containers": [both]}});
    let on = json!({"DRAExtendedResource": true});
    for (release, want) in [
        (
            "1.34.9",
            json!([["container-0-request-0", 1], ["container-0-request-1", 2]]),
        ),
        ("1.35.6", json!([["container-0-request-1", 2]])),
        ("1.36.3", json!([["container-0-request-1", 2]])),
    ] {
        let mut line = cluster(release, &on, &pod);
        line["nodes"][0]["status"] = json!({"allocatable": {"example.com/gpu": "4"}});
        assert_eq!(asked(&answers(&line)), want, "{release}");
    }
}

/// A claim of `ns` with one request of class gpu.
fn claim(name: &str, status: &Value) -> Value {
    let request = json!({"name": "r", "exactly": {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}});
    let spec = json!({"devices": {"requests": [request]}});
    json!({"metadata": {"name": name, "namespace": "ns", "uid": name}, "spec": spec, "status": status})
}

fn wants(names: &[&str]) -> Value {
    names
        .iter()
        .map(|name| json!({"name": name, "resourceClaimName": name}))
        .collect()
}

/// If the pod has claims of its own, the one for extended resources is allocated even if the device plugin serves all of
/// them: without devices (kube-scheduler, `filterExtendedResources` and `Filter`).
#[test]
fn empty_claim_beside_others() {
    let gpu = container("c", &json!({"example.com/gpu": "1"}));
    let mut line = cluster(
        "1.36.3",
        &json!({}),
        &json!({"spec": {"containers": [gpu], "resourceClaims": wants(&["a"])}}),
    );
    line["nodes"][0]["status"] = json!({"allocatable": {"example.com/gpu": "4"}});
    line["claims"] = json!([claim("a", &json!({}))]);
    let got = answers(&line);
    let results = list(&got["filter"]["n1"]["results"], "allocations");
    let devices: Vec<usize> = results
        .iter()
        .map(|one| list(&one["devices"], "results").len())
        .collect();
    assert_eq!(devices, [1, 0], "{got}");
    line["pod"]["spec"]["resourceClaims"] = json!([]);
    assert_eq!(answers(&line)["filter"]["n1"]["results"], Value::Null);
}

/// The reason about a claim of an earlier attempt comes before a missing resource of the node; the claim must also have the pod's
/// name (kube-scheduler, `filterExtendedResources`, `findExtendedResourceClaim`).
#[test]
fn left_over_claim_comes_first() {
    let both = container("c", &json!({"example.com/gpu": "1", "other.com/x": "1"}));
    let mut line = cluster(
        "1.36.3",
        &json!({}),
        &json!({"spec": {"containers": [both]}}),
    );
    let mut left = claim("left", &json!({}));
    left["metadata"]["annotations"] =
        json!({"resource.kubernetes.io/extended-resource-claim": "true"});
    left["metadata"]["ownerReferences"] =
        json!([{"kind": "Pod", "name": "p", "uid": "u", "controller": true}]);
    line["claims"] = json!([left]);
    let reasons = |line: &Value| answers(line)["filter"]["n1"]["reasons"].clone();
    assert_eq!(
        reasons(&line),
        json!(["cannot schedule extended resource claim"])
    );
    line["claims"][0]["metadata"]["ownerReferences"][0]["name"] = json!("q");
    assert_eq!(reasons(&line), json!(["cannot fit resource"]));
}

/// An allocation with one device per condition list; `status.devices` is given.
fn bound(results: &[(&str, &[&str])], devices: &Value) -> Value {
    let result = |(device, conditions): &(&str, &[&str])| {
        json!({"request": "r", "driver": "x.example.com", "pool": "n1", "device": device,
            "bindingConditions": conditions, "bindingFailureConditions": ["Broken"]})
    };
    let results: Vec<Value> = results.iter().map(result).collect();
    json!({"allocation": {"devices": {"results": results}}, "devices": devices})
}

fn device_status(device: &str, conditions: &[(&str, &str)]) -> Value {
    let conditions: Vec<Value> = conditions
        .iter()
        .map(|(kind, status)| json!({"type": kind, "status": status}))
        .collect();
    json!({"driver": "x.example.com", "pool": "n1", "device": device, "conditions": conditions})
}

/// Devices whose binding failed make their claim unavailable, but not behind a device that is not ready (kube-scheduler,
/// `isClaimReadyForBinding`, and its case "bound-claim-with-failed-binding").
#[test]
fn failed_binding() {
    let told = |gates: Value, status: Value| {
        let mut line = cluster(
            "1.36.3",
            &gates,
            &json!({"spec": {"resourceClaims": wants(&["a"])}}),
        );
        line["claims"] = json!([claim("a", &status)]);
        answers(&line)
    };
    let broken = device_status("d1", &[("Ready", "False"), ("Broken", "True")]);
    let one = bound(&[("d1", &["Ready"])], &json!([broken]));
    let got = told(json!({}), one.clone());
    assert_eq!(
        got["filter"]["n1"]["reasons"],
        json!(["resourceclaim not available on the node"]),
        "{got}"
    );
    assert_eq!(got["postFilter"], Value::Null, "the claim is freed");
    for (gates, status) in [
        (json!({"DRADeviceBindingConditions": false}), one),
        (json!({}), bound(&[("d1", &[])], &json!([broken]))),
        (
            json!({}),
            bound(&[("d0", &["Ready"]), ("d1", &["Ready"])], &json!([broken])),
        ),
        (
            json!({}),
            bound(
                &[("d1", &["Ready"])],
                &json!([device_status("d1", &[("Ready", "True")])]),
            ),
        ),
    ] {
        assert_eq!(told(gates, status)["filter"]["n1"]["code"], "Success");
    }
}

/// A claim that is allocated elsewhere is freed only if it was all that kept the pod off a node (kube-scheduler, `Filter`
/// remembers it after the allocator, for `PostFilter`).
#[test]
fn freed_only_where_nothing_else_fails() {
    let away = json!({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]});
    let status = json!({"allocation": {"devices": {"results": []}, "nodeSelector": away}});
    let mut line = cluster(
        "1.36.3",
        &json!({}),
        &json!({"spec": {"resourceClaims": wants(&["a", "b"])}}),
    );
    line["claims"] = json!([claim("a", &status), claim("b", &json!({}))]);
    assert_eq!(
        answers(&line)["postFilter"],
        Value::Null,
        "the claim is freed"
    );
    line["claims"][1]["spec"]["devices"]["requests"][0]["exactly"]["count"] = json!(7);
    let got = answers(&line);
    assert_eq!(
        got["filter"]["n1"]["reasons"],
        json!(["cannot allocate all claims"])
    );
    assert_eq!(
        got["postFilter"]["reasons"],
        json!(["still not schedulable"])
    );
}

/// The score counts sub-requests of claims that were allocated before (kube-scheduler 1.36.3, `computeScore`).
#[test]
fn score_of_allocated_claims() {
    let sub = |name: &str| json!({"name": name, "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1});
    let result =
        json!({"request": "r/second", "driver": "x.example.com", "pool": "n1", "device": "d0"});
    let mut shared = claim(
        "a",
        &json!({"allocation": {"devices": {"results": [result]}}}),
    );
    shared["spec"]["devices"]["requests"] =
        json!([{"name": "r", "firstAvailable": [sub("first"), sub("second")]}]);
    let mut line = cluster(
        "1.36.3",
        &json!({}),
        &json!({"spec": {"resourceClaims": wants(&["a", "b"])}}),
    );
    line["claims"] = json!([shared, claim("b", &json!({}))]);
    assert_eq!(answers(&line)["filter"]["n1"]["score"], 7);
    line["pod"]["spec"]["resourceClaims"] = wants(&["a"]);
    assert_eq!(
        answers(&line)["filter"]["n1"]["score"],
        0,
        "nothing was allocated here"
    );
}

/// Claims that 1.31 leaves to a controller of their driver (kube-scheduler 1.31, `PreFilter`).
#[test]
fn controllers_of_1_31() {
    let told = |release: &str, gates: Value, change: &dyn Fn(&mut Value)| {
        let mut line = cluster(
            release,
            &gates,
            &json!({"spec": {"resourceClaims": wants(&["a"])}}),
        );
        line["slices"][0]["spec"]["devices"] = json!([{"name": "d0", "basic": {}}]);
        let mut claim = claim("a", &json!({}));
        claim["spec"]["devices"]["requests"] = json!([{"name": "r", "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}]);
        change(&mut claim);
        line["claims"] = json!([claim]);
        answers(&line)
    };
    let controlled = |claim: &mut Value| claim["spec"]["controller"] = json!("x.example.com");
    let got = told("1.31.14", json!({}), &controlled);
    let reason = "resourceclaim depends on disabled DRAControlPlaneController feature";
    assert_eq!(
        got["preFilter"],
        json!({"code": "UnschedulableAndUnresolvable", "reasons": [reason]})
    );
    let got = told(
        "1.31.14",
        json!({"DRAControlPlaneController": true}),
        &controlled,
    );
    assert_eq!(
        got["filter"]["n1"],
        json!({"code": "Success", "reasons": []}),
        "nothing is allocated here"
    );
    let got = told("1.31.14", json!({}), &|claim| {
        claim["status"]["deallocationRequested"] = json!(true)
    });
    assert_eq!(
        got["preFilter"]["reasons"],
        json!(["resourceclaim must be reallocated"])
    );
    assert!(told("1.32.13", json!({}), &controlled)["filter"]["n1"]["results"].is_object());
}
