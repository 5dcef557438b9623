//! Many pods on many nodes: every pod gets devices of its own, and the time is printed.

use crate::support::placing::{self, Question};
use claimkit::Release;
use claimkit_scheduler::scheduler::outcome::PodDecision;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::Instant;

/// Nodes with eight devices each, and a Deployment whose pods take one each.
fn cluster(nodes: usize, pods: usize) -> String {
    let mut text = String::from(
        "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: {selectors: [{cel: {expression: 'device.driver == \"gpu.example.com\"'}}]}\n",
    );
    text.push_str("---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: one}\nspec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}\n");
    write!(text, "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{replicas: {pods}, selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: x, resources: {{requests: {{cpu: 100m}}, claims: [{{name: gpu}}]}}}}], resourceClaims: [{{name: gpu, resourceClaimTemplateName: one}}]}}}}}}\n").unwrap();
    for node in 0..nodes {
        write!(text, "---\napiVersion: v1\nkind: Node\nmetadata: {{name: n{node:04}, labels: {{kubernetes.io/hostname: n{node:04}, topology.kubernetes.io/zone: z{}}}}}\nstatus: {{allocatable: {{cpu: '16', memory: 64Gi, pods: '110', ephemeral-storage: 100Gi}}}}\n", node % 3).unwrap();
        let devices: Vec<String> = (0..8).map(|at| format!("{{name: gpu-{at}}}")).collect();
        write!(text, "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: n{node:04}-gpu}}\nspec: {{driver: gpu.example.com, nodeName: n{node:04}, pool: {{name: n{node:04}, generation: 1, resourceSliceCount: 1}}, devices: [{}]}}\n", devices.join(", ")).unwrap();
    }
    text
}

/// The same, and devices of the network that every node sees: the pods share them by capacity instead.
fn networked(nodes: usize, pods: usize) -> String {
    let mut text = cluster(nodes, pods).replace(
        "{name: gpu, exactly: {deviceClassName: gpu}}",
        "{name: nic, exactly: {deviceClassName: nic, capacity: {requests: {bandwidth: 1G}}}}",
    );
    text.push_str("---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: nic}\nspec: {selectors: [{cel: {expression: 'device.driver == \"nic.example.com\"'}}]}\n");
    let nic = |at: usize| {
        format!(
            "{{name: nic-{at}, allowMultipleAllocations: true, capacity: {{bandwidth: {{value: 100G, requestPolicy: {{default: 1G}}}}}}}}"
        )
    };
    let devices: Vec<String> = (0..pods.div_ceil(100)).map(nic).collect();
    write!(text, "---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: network}}\nspec: {{driver: nic.example.com, allNodes: true, pool: {{name: network, generation: 1, resourceSliceCount: 1}}, devices: [{}]}}\n", devices.join(", ")).unwrap();
    text
}

/// Places the pods; returns how many got a node and how many devices are taken.
fn place(nodes: usize, pods: usize) -> (usize, usize) {
    place_all(&cluster(nodes, pods), nodes, pods)
}

fn place_all(text: &str, nodes: usize, pods: usize) -> (usize, usize) {
    let facts = placing::read(text, Release::latest(), "default");
    let question = Question::new(None, &BTreeMap::new()).unwrap();
    let start = Instant::now();
    let answered = placing::place(facts, &question).unwrap();
    println!(
        "{nodes} nodes, {pods} pods: {:?}, {:?}",
        start.elapsed(),
        answered.simulation.ties
    );
    let bound = answered
        .simulation
        .pods
        .iter()
        .filter(|pod| matches!(pod.decisions.last(), Some(PodDecision::Bound { .. })));
    let mut devices = BTreeSet::new();
    for claim in &answered.simulation.claims {
        for result in claim
            .claim
            .status
            .allocation
            .iter()
            .flat_map(|allocation| &allocation.devices.results)
        {
            let is_new = devices.insert((result.pool.clone(), result.device.clone()));
            assert!(
                is_new || result.share_id.is_some(),
                "{result:?} is given twice"
            );
        }
    }
    (bound.count(), devices.len())
}

#[test]
fn pods_get_devices_until_none_is_left() {
    assert_eq!(place(120, 60), (60, 60));
    assert_eq!(place(5, 60), (40, 40));
}

#[test]
fn devices_of_the_network_are_shared_until_none_is_left() {
    assert_eq!(place_all(&networked(120, 60), 120, 60).0, 60);
    let text =
        networked(20, 110).replace("nic-1,", "gone, taints: [{key: gone, effect: NoSchedule}],");
    assert_eq!(place_all(&text, 20, 110).0, 100);
}

/// A thousand nodes and five hundred pods: `cargo test --release --test all cluster_scale:: -- --ignored --nocapture`.
#[test]
#[ignore = "takes long without optimization"]
fn a_thousand_nodes() {
    for (nodes, pods) in [(250, 125), (500, 250), (1000, 500)] {
        assert_eq!(place(nodes, pods), (pods, pods));
        assert_eq!(place_all(&networked(nodes, pods), nodes, pods).0, pods);
    }
}
