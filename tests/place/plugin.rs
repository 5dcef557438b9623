//! A pod's way through the scheduler's plugin, against recorded answers.

use super::lines::{facts, gate, lean, lines, release};
use claimkit::place::device::behaviour::{allocator, features_of};
use claimkit::place::device::cluster::Cluster;
use claimkit::place::device::engine::CelSelectors;
use claimkit::place::device::facts::Request;
use claimkit::place::device::plugin::{Code, PluginGates, PodCase, Status, filter};
use claimkit::place::device::plugin_rules::PluginRules;
use claimkit::place::device::pools::Gatherer;
use serde_json::{Value, json};

fn status(status: &Status) -> Value {
    json!({"code": status.code, "reasons": status.reason.iter().collect::<Vec<_>>()})
}

fn request(request: &Request) -> Value {
    let ask = request.exactly.as_ref().unwrap();
    let exactly = json!({"deviceClassName": ask.device_class_name, "allocationMode": ask.allocation_mode, "count": ask.count});
    json!({"name": request.name, "exactly": exactly})
}

fn check(file: &str) {
    let (mut pods, mut nodes) = (0, 0);
    let mut wrong = Vec::new();
    for line in lines(file, 1) {
        let (minor, patch) = release(&line);
        let on = |name: &str| line["gates"][name].as_bool().unwrap_or_else(|| gate(minor, name));
        let engine = CelSelectors::new(minor, on("DRAListTypeAttributes"));
        let rules = PluginRules::of(minor);
        let mut facts = facts(&line);
        rules.apply_taint_rules(&mut facts, on, &engine);
        let features = features_of(minor, on);
        let behaviour = allocator(minor, patch, &features).unwrap();
        let cluster = Cluster::new(&facts, behaviour, &features, &engine);
        let case = PodCase::new(&cluster, rules, PluginGates::of(on), &facts.pods[0]);
        let mut got = json!({"preEnqueue": status(&case.pre_enqueue), "preFilter": status(&case.pre_filter)});
        if case.pre_enqueue.code == Code::Success && case.goes_on() {
            let gatherer = Gatherer::new(&cluster);
            let mut passed = false;
            for (at, node) in facts.nodes.iter().enumerate() {
                let answer = filter(&cluster, &case, at, &gatherer.gather(at), 100_000);
                let mut shown = status(&answer.status);
                let success = answer.status.code == Code::Success;
                passed |= success;
                if success && rules.scores {
                    shown["score"] = json!(answer.score);
                }
                if let Some(extended) = answer.extended.as_ref().filter(|_| success) {
                    let requests: Vec<Value> = extended.claim.spec.devices.requests.iter().map(request).collect();
                    shown["results"]["extendedResourceClaimSpec"] = json!({"devices": {"requests": requests}});
                    shown["results"]["requestMappings"] = json!(extended.mappings);
                }
                if success && !answer.allocations().is_empty() {
                    shown["results"]["allocations"] = json!(answer.allocations());
                }
                got["filter"][&node.metadata.name] = shown;
                nodes += 1;
            }
            if let Some(post) = case.post_filter(&cluster).filter(|_| !passed) {
                got["postFilter"] = status(&post);
            }
        }
        pods += 1;
        let (got, want) = (lean(&got), lean(&line["answers"]));
        for key in ["preEnqueue", "preFilter", "postFilter"] {
            if got[key] != want[key] {
                wrong.push(format!("{} {key}\n  got  {}\n  want {}", line["id"], got[key], want[key]));
            }
        }
        for node in &facts.nodes {
            let (got, want) = (&got["filter"][&node.metadata.name], &want["filter"][&node.metadata.name]);
            if got != want {
                wrong.push(format!("{} {}\n  got  {got}\n  want {want}", line["id"], node.metadata.name));
            }
        }
    }
    println!("{file}: {pods} pods, {nodes} nodes, {} differences", wrong.len());
    let shown: Vec<&str> = wrong.iter().take(12).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{file}: {} differences\n{}", wrong.len(), shown.join("\n"));
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
