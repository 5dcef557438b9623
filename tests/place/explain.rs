//! The account of an allocation: the twelve scenarios, and that what it says can be trusted.

use crate::expressions::Small;
use crate::lines::{facts, gate, lines, release, text};
use claimkit::place::device::behaviour::{allocator, features_of};
use claimkit::place::device::cluster::Cluster;
use claimkit::place::device::explain::{Options, account};
use claimkit::place::device::facts::Facts;
use claimkit::place::device::plugin::{PluginGates, PluginRules, PodCase};
use serde_json::Value;

/// The account of a line's pod.
pub fn told(line: &Value, facts: &mut Facts, options: Options) -> Value {
    let (minor, patch) = release(line);
    let on = |name: &str| line["gates"][name].as_bool().unwrap_or_else(|| gate(minor, name));
    let engine = Small { lists: on("DRAListTypeAttributes") };
    let rules = PluginRules::of(minor);
    rules.apply_taint_rules(facts, on, &engine);
    let features = features_of(minor, on);
    let behaviour = allocator(minor, patch, &features).unwrap();
    let cluster = Cluster::new(facts, behaviour, &features, &engine);
    let case = PodCase::new(&cluster, rules, PluginGates::of(on), &facts.pods[0]);
    let nodes: Vec<usize> = (0..facts.nodes.len()).collect();
    serde_json::to_value(account(&cluster, &case, &nodes, options)).unwrap()
}

fn scenario(name: &str) -> Value {
    let id = format!("scenario/{name}");
    let line = crate::lines::all("plugin-1.36.3").find(|line| text(line, "id") == id).unwrap();
    told(&line, &mut facts(&line), Options::default())
}

#[test]
fn dump() {
    for line in crate::lines::all("plugin-1.36.3").filter(|line| text(line, "id").starts_with("scenario/")) {
        let told = told(&line, &mut facts(&line), Options::default());
        println!("=== {}\n{}", line["id"], serde_json::to_string_pretty(&told).unwrap());
    }
    let _ = (scenario, lines("probes", 1));
}
