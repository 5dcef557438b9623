//! The account of an allocation: the twelve scenarios, and checks of its statements.

use super::lines::{all, facts, gate, list, release, text};
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::behaviour::allocator;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::explain::{Explain, Matrix, explain_pod};
use serde_json::{Value, json};

/// The account of a line's pod.
pub fn told(line: &Value, facts: &mut Facts, options: Explain) -> Value {
    let (minor, patch) = release(line);
    let on = |name: &str| {
        line["gates"][name]
            .as_bool()
            .unwrap_or_else(|| gate(minor, name))
    };
    let engine = CelSelectors::new(Release::last_of(minor), on("DRAListTypeAttributes"));
    let rules = PluginRules::of(minor, u8::MAX);
    rules.apply_taint_rules(facts, on, &engine);
    let features = features_of(minor, on);
    let behaviour = allocator(minor, patch, &features).unwrap();
    let cluster = Cluster::new(facts, behaviour, &features, &engine);
    let case = PodCase::new(&cluster, rules, PluginGates::of(on), &facts.pods[0]);
    let nodes: Vec<usize> = (0..facts.nodes.len()).collect();
    serde_json::to_value(explain_pod(&cluster, &case, &nodes, options)).unwrap()
}

fn scenario(name: &str) -> Value {
    let id = format!("scenario/{name}");
    let line = all("plugin-1.36.3")
        .find(|line| text(line, "id") == id)
        .unwrap();
    told(&line, &mut facts(&line), Explain::default())
}

/// A node's account in an answer.
fn node<'v>(told: &'v Value, name: &str) -> &'v Value {
    list(told, "nodes")
        .iter()
        .find(|node| node["name"] == name)
        .unwrap_or_else(|| panic!("{name}"))
}

/// Stages and devices left of a request's funnel.
fn funnel(request: &Value) -> Vec<(String, u64)> {
    list(request, "funnel")
        .iter()
        .map(|stage| {
            (
                text(stage, "stage").to_owned(),
                stage["left"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn ends(request: &Value, stages: &[(&str, u64)]) {
    let funnel = funnel(request);
    let expected: Vec<(String, u64)> = stages
        .iter()
        .map(|(stage, left)| ((*stage).to_owned(), *left))
        .collect();
    assert_eq!(funnel, expected);
}

fn gives(node: &Value, change: &str, about: &str, devices: &[&str]) {
    let found = list(node, "relaxations").iter().any(|relaxation| {
        let shown = relaxation["changes"].to_string();
        shown.contains(change) && shown.contains(about) && relaxation["gives"] == json!(devices)
    });
    assert!(found, "{change} {about}: {}", node["relaxations"]);
}

fn finding(told: &Value, code: &str) -> bool {
    list(told, "findings")
        .iter()
        .any(|finding| finding["code"] == code)
}

#[test]
fn counters() {
    let told = scenario("01-mig-counters");
    let a = node(&told, "node-a");
    assert_eq!(
        (text(a, "verdict"), text(a, "message")),
        ("none", "cannot allocate all claims")
    );
    ends(
        &a["requests"][0],
        &[("node", 3), ("class", 1), ("free", 1), ("counters", 0)],
    );
    let reasons = a["requests"][0]["cells"].to_string();
    for part in [
        r#""needed":"80Gi","available":"40Gi","total":"80Gi""#,
        r#""needed":"132","available":"72","total":"132""#,
    ] {
        assert!(reasons.contains(part), "{part} in {reasons}");
    }
    let holder = &a["holders"][0];
    assert_eq!(
        (text(holder, "claim"), &holder["pods"][0]),
        ("team-a/notebook-mig", &json!("notebook"))
    );
    gives(a, "free", "team-a/notebook-mig", &["gpu-0"]);
    assert_eq!(
        node(&told, "node-b")["allocations"][0]["devices"]["results"][0]["device"],
        "gpu-0"
    );
}

#[test]
fn missing_attribute() {
    let told = scenario("02-missing-attribute");
    let a = node(&told, "node-a");
    assert_eq!((text(a, "verdict"), &a["fatal"]), ("error", &json!(true)));
    assert_eq!(
        text(a, "message"),
        "claim demo/gpu0-only: selector #1: CEL runtime error: no such key: index"
    );
    let missing = &a["requests"][0]["funnel"][3]["missing"][0];
    assert_eq!(
        (
            text(missing, "path"),
            missing["on"].as_u64(),
            &missing["near"]
        ),
        ("gpu.nvidia.com/index", Some(0), &json!(["minor"]))
    );
    let published: Vec<&String> = missing["published"].as_object().unwrap().keys().collect();
    assert_eq!(published, ["minor", "productName", "type"]);
    assert!(finding(&told, "error-ends-attempt"));
    let b = node(&told, "node-b");
    assert_eq!(
        b["requests"][0]["funnel"][2]["seen"]["gpu.nvidia.com/productName"],
        json!({"\"NVIDIA A100\"": 1})
    );
}

#[test]
fn tainted() {
    let told = scenario("03-taints");
    let reason = |name: &str| node(&told, name)["requests"][0]["cells"][0]["reason"].clone();
    assert_eq!(
        (
            &reason("node-a")["from"],
            &reason("node-a")["tolerations"][0]["why"]
        ),
        (&json!("driver"), &json!("key"))
    );
    assert_eq!(reason("node-b")["from"], "rule/drain-node-b");
    gives(
        node(&told, "node-a"),
        "toleration",
        "gpu.example.com/unhealthy",
        &["gpu-0"],
    );
    for name in ["node-c", "node-d"] {
        assert_eq!(text(node(&told, name), "verdict"), "allocated");
    }
    assert!(finding(&told, "tolerated-but-evicted"));
}

#[test]
fn in_use() {
    let told = scenario("04-all-in-use");
    let (a, b) = (node(&told, "node-a"), node(&told, "node-b"));
    ends(&a["requests"][0], &[("node", 2), ("class", 2), ("free", 0)]);
    assert_eq!(a["holders"][0]["pods"], json!(["serving-0", "serving-1"]));
    ends(&b["requests"][0], &[("node", 2), ("class", 2), ("free", 1)]);
    assert_eq!(
        (text(&b["holders"][0], "claim"), &b["holders"][0]["pods"]),
        ("dev/leftover", &json!([]))
    );
    gives(b, "free", "dev/leftover", &["gpu-0", "gpu-1"]);
}

#[test]
fn match_attribute() {
    let told = scenario("05-match-pcie-root");
    let conflict = &node(&told, "node-a")["conflicts"][0];
    assert_eq!(
        (
            text(conflict, "kind"),
            conflict["values"].as_object().unwrap().len()
        ),
        ("match", 4)
    );
    gives(
        node(&told, "node-a"),
        "constraint",
        "demo/gpu-nic",
        &["gpu-0", "eth0"],
    );
    let b = node(&told, "node-b");
    ends(
        &b["requests"][1],
        &[("node", 2), ("class", 1), ("free", 1), ("constraint", 0)],
    );
    let c = &node(&told, "node-c")["requests"][0];
    assert_eq!(
        c["passedOver"][0].as_str().unwrap().rsplit('/').next(),
        Some("gpu-0")
    );
}

#[test]
fn first_available() {
    let told = scenario("06-first-available");
    let a = node(&told, "node-a");
    assert_eq!(
        (a["score"].as_i64(), &a["requests"][1]["picked"]),
        (Some(7), &json!(true))
    );
    ends(
        &a["requests"][0],
        &[("node", 2), ("class", 2), ("selector", 0), ("free", 0)],
    );
    assert_eq!(node(&told, "node-b")["score"], 8);
    assert_eq!(list(node(&told, "node-c"), "requests").len(), 2);
}

#[test]
fn admin_access() {
    let told = scenario("07-admin-access");
    assert_eq!(
        list(
            &node(&told, "node-a")["allocations"][0]["devices"],
            "results"
        )
        .len(),
        2
    );
    assert!(finding(&told, "admin-access-label"));
}

#[test]
fn incomplete_pool() {
    let told = scenario("08-incomplete-pool");
    for name in ["node-a", "node-b"] {
        let pools = list(node(&told, name), "pools");
        let pool = pools
            .iter()
            .find(|pool| pool["pool"] == "gpu.example.com/node-a")
            .unwrap();
        assert_eq!(
            (text(pool, "state"), &pool["have"], &pool["want"]),
            ("incomplete", &json!(1), &json!(2)),
            "{name}"
        );
        assert_eq!(
            (&pool["slices"], &pool["ignored"][0]["slice"]),
            (&json!(["node-a-counters"]), &json!("node-a-devices-old"))
        );
        assert_eq!(pool["ignored"][0]["why"], "generation 6 < 7");
    }
    gives(
        node(&told, "node-b"),
        "allocationMode",
        "demo/all-gpus",
        &["gpu-0"],
    );
}

#[test]
fn capacity_rounding() {
    let told = scenario("09-capacity-rounding");
    let reason = |name: &str| node(&told, name)["requests"][0]["cells"][0]["reason"].clone();
    let a = reason("node-a");
    assert_eq!(
        (
            text(&a, "asked"),
            text(&a, "charged"),
            text(&a, "used"),
            text(&a, "total")
        ),
        ("5Gi", "6Gi", "11Gi", "16Gi")
    );
    assert_eq!(a["holders"], json!(["prod/big-share"]));
    gives(node(&told, "node-a"), "capacity", "4Gi", &["gpu-0"]);
    let charge = &node(&told, "node-b")["charges"][0];
    assert_eq!(
        (text(charge, "charged"), text(charge, "left")),
        ("6Gi", "4Gi")
    );
    assert_eq!(
        (
            reason("node-c")["why"].clone(),
            reason("node-c")["max"].clone()
        ),
        (json!("max"), json!("4Gi"))
    );
    assert_eq!(
        (
            reason("node-d")["why"].clone(),
            reason("node-d")["names"].clone()
        ),
        (json!("unknown-name"), json!(["vram"]))
    );
}

#[test]
fn extended_resource() {
    let told = scenario("10-extended-resource");
    assert_eq!(
        told["extendedResources"],
        json!({"example.com/gpu": "gpu.example.com"})
    );
    let a = &node(&told, "node-a")["requests"][0];
    assert_eq!(
        (text(a, "request"), &a["wanted"]),
        ("container-0-request-1", &json!(2))
    );
    assert_eq!(
        (
            text(node(&told, "node-b"), "verdict"),
            &node(&told, "node-b")["allocations"]
        ),
        ("allocated", &Value::Null)
    );
}

#[test]
fn two_terms_and_a_rule_for_all() {
    let told = scenario("11-two-term-selector");
    let ends = list(&told, "findings")
        .iter()
        .find(|finding| finding["code"] == "error-ends-attempt")
        .unwrap();
    assert!(
        text(ends, "message").ends_with("by fabric.example.com/fabric/link-0"),
        "{ends}"
    );
    let told = scenario("12-taint-rule-matches-everything");
    assert_eq!(
        node(&told, "node-a")["requests"][0]["cells"][0]["reason"]["from"],
        "rule/oops"
    );
}

/// The matrix agrees with the allocator for every recorded pod.
#[test]
fn matrix_agrees_with_the_allocator() {
    let options = Explain::default().matrix(Matrix::All).relax(false);
    let mut checked = 0;
    for line in all("plugin-1.36.3").chain(all("plugin-1.34.9")) {
        let told = told(&line, &mut facts(&line), options);
        for node in list(&told, "nodes")
            .iter()
            .filter(|node| node["sameAs"].is_null())
        {
            let given: Vec<(String, String)> = list(node, "allocations")
                .iter()
                .flat_map(|result| list(&result["devices"], "results"))
                .map(|one| {
                    (
                        text(one, "request").to_owned(),
                        format!(
                            "{}/{}/{}",
                            text(one, "driver"),
                            text(one, "pool"),
                            text(one, "device")
                        ),
                    )
                })
                .collect();
            for request in list(node, "requests") {
                let open = list(request, "cells")
                    .iter()
                    .filter(|cell| cell["reason"].is_null())
                    .count() as i64;
                let full = match request["sub"].as_str() {
                    Some(sub) => format!("{}/{sub}", text(request, "request")),
                    None => text(request, "request").to_owned(),
                };
                let chosen = list(request, "cells")
                    .iter()
                    .filter(|cell| cell["reason"]["code"] == "chosen-for")
                    .count() as i64;
                let left = funnel(request).last().unwrap().1 as i64;
                assert!(
                    left >= open && left <= open + chosen,
                    "{} {}: {left}, {open}",
                    line["id"],
                    node["name"]
                );
                for (_, device) in given.iter().filter(|(name, _)| {
                    *name == full && told["claims"].as_array().unwrap().len() == 1
                }) {
                    let cell = list(request, "cells")
                        .iter()
                        .find(|cell| cell["device"] == device.as_str());
                    assert!(
                        cell.is_some_and(|cell| cell["reason"].is_null()),
                        "{} {device}: {cell:?}",
                        line["id"]
                    );
                }
                if request["sub"].is_null()
                    && request["mode"] == "ExactCount"
                    && left < request["wanted"].as_i64().unwrap()
                {
                    assert_ne!(
                        node["verdict"], "allocated",
                        "{} {}",
                        line["id"], node["name"]
                    );
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 200, "{checked}");
}
