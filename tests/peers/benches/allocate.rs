//! Which devices of a node a claim gets: the four cases that kube-scheduler's own allocator was measured with, for each node of a
//! small and a large cluster, and the unit of those figures: the selector `device.driver == "gpu.example.com"` on one device.

use claimkit_model::cel::{
    CelDevice, DeviceAttribute, EnvironmentMode, SELECTOR_COST_LIMIT, device,
};
use claimkit_model::schema::{Gate, Gates, Release};
use claimkit_scheduler::allocator::allocate::{Verdict, allocate};
use claimkit_scheduler::allocator::behaviour::allocator;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::{Claim, Facts};
use claimkit_scheduler::allocator::pools::Gatherer;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::{Value, json};
use std::hint::black_box;

const DEVICES: usize = 8;
const CLASS: &str = "device.driver == \"gpu.example.com\"";

fn add(facts: &mut Facts, object: Value) {
    assert!(facts.add(&object).unwrap());
}

/// A claim with requests of so many devices each.
fn claim(count: &[usize], selectors: &[&str], constraints: Value) -> Value {
    let selectors: Vec<Value> = selectors
        .iter()
        .map(|text| json!({"cel": {"expression": text}}))
        .collect();
    let request = |(at, count): (usize, &usize)| {
        let exactly = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, "selectors": selectors});
        json!({"name": format!("r{at}"), "exactly": exactly})
    };
    let requests: Vec<Value> = count.iter().enumerate().map(request).collect();
    let metadata = json!({"name": "c", "namespace": "ns"});
    json!({"kind": "ResourceClaim", "metadata": metadata, "spec": {"devices": {"requests": requests, "constraints": constraints}}})
}

fn facts(nodes: usize, claim: &Value) -> Facts {
    let mut facts = Facts::default();
    let selectors = json!([{"cel": {"expression": CLASS}}]);
    add(
        &mut facts,
        json!({"kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {"selectors": selectors}}),
    );
    for node in 0..nodes {
        let name = format!("node-{node}");
        add(
            &mut facts,
            json!({"kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}}),
        );
        let device = |at: usize| {
            let attributes =
                json!({"model": {"string": "a100"}, "index": {"int": at}, "numa": {"int": at / 4}});
            json!({"name": format!("gpu-{at}"), "attributes": attributes, "capacity": {"memory": {"value": "80Gi"}}})
        };
        let devices: Vec<Value> = (0..DEVICES).map(device).collect();
        let pool = json!({"name": name, "generation": 1, "resourceSliceCount": 1});
        let spec = json!({"driver": "gpu.example.com", "nodeName": name, "pool": pool, "devices": devices});
        add(
            &mut facts,
            json!({"kind": "ResourceSlice", "metadata": {"name": format!("{name}-gpu")}, "spec": spec}),
        );
    }
    add(&mut facts, claim.clone());
    facts
}

fn cases(c: &mut Criterion) {
    let seventh = [
        "device.attributes[\"gpu.example.com\"].model == \"a100\"",
        "device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"40Gi\")) >= 0",
        "device.attributes[\"gpu.example.com\"].index >= 6",
    ];
    let none = ["device.attributes[\"gpu.example.com\"].model == \"h100\""];
    let same = json!([{"matchAttribute": "gpu.example.com/numa"}]);
    let cases = [
        (
            "one of 8, class selector only",
            claim(&[1], &[], json!([])),
            true,
        ),
        (
            "3 selectors, 7th device is the first to match",
            claim(&[1], &seventh, json!([])),
            true,
        ),
        (
            "2 requests x 2 devices, matchAttribute",
            claim(&[2, 2], &[], same),
            true,
        ),
        (
            "nothing fits, selector false on all 8",
            claim(&[1], &none, json!([])),
            false,
        ),
    ];
    let gates = Gates::defaults(Release::last_of(36));
    let features = features_of(36, |name| {
        Gate::named(name).is_some_and(|gate| gates.on(gate))
    });
    let behaviour = allocator(36, 3, &features).unwrap();
    for (name, claim, fits) in &cases {
        let mut group = c.benchmark_group(format!("allocate on each node/{name}"));
        for nodes in [10, 1000] {
            let facts = facts(nodes, claim);
            let engine = CelSelectors::new(Release::last_of(36), false);
            let claims: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
            group.throughput(Throughput::Elements(nodes as u64));
            group.bench_with_input(
                BenchmarkId::from_parameter(format!("{nodes} nodes")),
                &nodes,
                |b, nodes| {
                    b.iter(|| {
                        // Selectors stay compiled, as in kube-scheduler's cache; what they say of a device is not known yet.
                        let cluster = Cluster::new(&facts, behaviour, &features, &engine);
                        let gatherer = Gatherer::new(&cluster);
                        for node in 0..*nodes {
                            let gathered = gatherer.gather(node);
                            let outcome =
                                allocate(&cluster, node, &gathered, black_box(&claims), 100_000);
                            assert_eq!(
                                matches!(outcome.verdict, Verdict::Allocated(_)),
                                *fits,
                                "{:?}",
                                outcome.verdict
                            );
                        }
                    })
                },
            );
        }
        group.finish();
    }
}

fn unit(c: &mut Criterion) {
    let environment = device::environment(36, &[], EnvironmentMode::Stored);
    let program = environment.compile(CLASS).unwrap();
    let device = CelDevice::new("gpu.example.com")
        .attribute("model", DeviceAttribute::String("a100".to_owned()))
        .attribute("index", DeviceAttribute::Int(0))
        .capacity("memory", "80Gi");
    let variables = device.variables(&environment).unwrap();
    c.bench_function("the unit: one selector on one device", |b| {
        b.iter(|| program.evaluate(black_box(&variables), SELECTOR_COST_LIMIT))
    });
}

criterion_group!(benches, unit, cases);
criterion_main!(benches);
