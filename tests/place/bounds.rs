//! Large clusters, and searches that would try every order.

use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::allocate::{Verdict, allocate};
use claimkit_scheduler::allocator::behaviour::allocator;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::{Features, features_of};
use claimkit_scheduler::allocator::objects::read::read;
use claimkit_scheduler::allocator::objects::{Claim, Facts};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase, filter};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::pools::Gatherer;
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::explain::kinds::ConflictKind;
use claimkit_scheduler::explain::{Explain, explain_pod};
use serde_json::{Value, json};
use std::rc::Rc;
use std::time::Instant;

fn add(facts: &mut Facts, object: Value) {
    assert!(facts.add(&object).unwrap());
}

fn class(facts: &mut Facts) {
    let selectors = json!([{"cel": {"expression": "device.driver == \"gpu.example.com\""}}]);
    add(
        facts,
        json!({"kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {"selectors": selectors}}),
    );
}

fn node(facts: &mut Facts, name: &str, devices: usize) {
    add(
        facts,
        json!({"kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}}),
    );
    let device = |at: usize| json!({"name": format!("gpu-{at}"), "attributes": {"model": {"string": "a100"}, "index": {"int": at}}});
    let devices: Vec<Value> = (0..devices).map(device).collect();
    let pool = json!({"name": name, "generation": 1, "resourceSliceCount": 1});
    let spec =
        json!({"driver": "gpu.example.com", "nodeName": name, "pool": pool, "devices": devices});
    add(
        facts,
        json!({"kind": "ResourceSlice", "metadata": {"name": format!("{name}-gpu")}, "spec": spec}),
    );
}

fn claim(facts: &mut Facts, requests: &[(usize, &[&str])]) {
    let request = |(at, (count, selectors)): (usize, &(usize, &[&str]))| {
        let selectors: Vec<Value> = selectors
            .iter()
            .map(|text| json!({"cel": {"expression": text}}))
            .collect();
        let exactly = json!({"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, "selectors": selectors});
        json!({"name": format!("r{at}"), "exactly": exactly})
    };
    let requests: Vec<Value> = requests.iter().enumerate().map(request).collect();
    let spec = json!({"devices": {"requests": requests}});
    add(
        facts,
        json!({"kind": "ResourceClaim", "metadata": {"name": "c", "namespace": "ns"}, "spec": spec}),
    );
}

/// Verdict and milliseconds for one node.
fn one_node(minor: u8, patch: u8, facts: &Facts) -> (Verdict, f64) {
    let features = features_of(minor, |name| super::lines::gate(minor, name));
    let behaviour = allocator(minor, patch, &features).unwrap();
    let engine = CelSelectors::new(Release::last_of(minor), false);
    let cluster = Cluster::new(facts, behaviour, &features, &engine);
    let claims: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
    let start = Instant::now();
    let gathered = Gatherer::new(&cluster).gather(0);
    let outcome = allocate(&cluster, 0, &gathered, &claims, 100_000);
    (outcome.verdict, start.elapsed().as_secs_f64() * 1000.0)
}

/// One device too few for one or many requests: upstream needs up to 32! steps.
#[test]
fn one_too_many() {
    for (minor, patch) in [(31, 14), (32, 13), (33, 13), (34, 9), (35, 6), (36, 3)] {
        for devices in [5, 8, 16, 31] {
            let mut facts = Facts::default();
            class(&mut facts);
            node(&mut facts, "n0", devices);
            let mut single = facts.clone();
            claim(&mut single, &[(devices + 1, &[])]);
            let mut many = facts.clone();
            claim(&mut many, &vec![(1, &[][..]); devices + 1]);
            let mut fits = facts.clone();
            claim(&mut fits, &vec![(1, &[][..]); devices]);
            let (verdict, took) = one_node(minor, patch, &single);
            assert_eq!(
                verdict,
                Verdict::Nothing,
                "1.{minor}: {} of {devices}",
                devices + 1
            );
            let (verdict, took_many) = one_node(minor, patch, &many);
            assert_eq!(
                verdict,
                Verdict::Nothing,
                "1.{minor}: {} requests, {devices} devices",
                devices + 1
            );
            assert!(matches!(
                one_node(minor, patch, &fits).0,
                Verdict::Allocated(_)
            ));
            println!(
                "1.{minor}: {} of {devices}: {took:.2} ms, as requests {took_many:.2} ms",
                devices + 1
            );
        }
    }
}

/// Counting must not hide a later error: upstream finds the error before it finds too few devices.
#[test]
fn one_too_many_with_an_error() {
    let mut facts = Facts::default();
    class(&mut facts);
    node(&mut facts, "n0", 16);
    Rc::make_mut(&mut facts.slices[0]).spec.devices[15]
        .attributes
        .remove("index");
    claim(
        &mut facts,
        &[(17, &["device.attributes[\"gpu.example.com\"].index >= 0"])],
    );
    let (verdict, _) = one_node(36, 3, &facts);
    let text = "claim ns/c: selector #0: CEL runtime error: no such key: index";
    assert_eq!(verdict, Verdict::Fatal(text.to_owned()));
}

/// matchAttribute is counted by value.
#[test]
fn too_few_of_each_value() {
    let mut facts = Facts::default();
    class(&mut facts);
    node(&mut facts, "n0", 24);
    for (at, device) in Rc::make_mut(&mut facts.slices[0])
        .spec
        .devices
        .iter_mut()
        .enumerate()
    {
        device.attributes.get_mut("model").unwrap().string = Some(format!("m{}", at % 3));
    }
    let constraints = json!([{"matchAttribute": "gpu.example.com/model"}]);
    for (counts, verdict) in [((6, 2), None), ((6, 3), Some(Verdict::Nothing))] {
        let mut facts = facts.clone();
        claim(&mut facts, &[(counts.0, &[]), (counts.1, &[])]);
        Rc::make_mut(&mut facts.claims[0]).spec.devices.constraints = read(&constraints).unwrap();
        for (minor, patch) in [(34, 9), (35, 6), (36, 3)] {
            let (got, _) = one_node(minor, patch, &facts);
            match &verdict {
                Some(verdict) => assert_eq!(&got, verdict, "1.{minor}"),
                None => assert!(matches!(got, Verdict::Allocated(_)), "1.{minor}: {got:?}"),
            }
        }
    }
}

/// More devices than a counter allows: 32 of 31, of one request and of many.
#[test]
fn too_few_counters() {
    let mut facts = Facts::default();
    class(&mut facts);
    node(&mut facts, "n0", 60);
    Rc::make_mut(&mut facts.slices[0])
        .spec
        .pool
        .resource_slice_count = 2;
    for device in &mut Rc::make_mut(&mut facts.slices[0]).spec.devices {
        device.consumes_counters =
            read(&json!([{"counterSet": "board", "counters": {"slices": {"value": "1"}}}]))
                .unwrap();
    }
    let pool = json!({"name": "n0", "generation": 1, "resourceSliceCount": 2});
    let sets = json!([{"name": "board", "counters": {"slices": {"value": "31"}}}]);
    let spec = json!({"driver": "gpu.example.com", "nodeName": "n0", "pool": pool, "sharedCounters": sets});
    add(
        &mut facts,
        json!({"kind": "ResourceSlice", "metadata": {"name": "counters"}, "spec": spec}),
    );
    for requests in [vec![(32, &[][..])], vec![(1, &[][..]); 32]] {
        let mut facts = facts.clone();
        claim(&mut facts, &requests);
        let (verdict, took) = one_node(36, 3, &facts);
        assert_eq!(verdict, Verdict::Nothing);
        println!("{} requests: {took:.1} ms", requests.len());
    }
    claim(&mut facts, &[(31, &[])]);
    assert!(matches!(one_node(36, 3, &facts).0, Verdict::Allocated(_)));
}

/// distinctAttribute: 17 requests, 16 values.
#[test]
fn too_few_values() {
    let mut facts = Facts::default();
    class(&mut facts);
    node(&mut facts, "n0", 32);
    for (at, device) in Rc::make_mut(&mut facts.slices[0])
        .spec
        .devices
        .iter_mut()
        .enumerate()
    {
        device.attributes.get_mut("model").unwrap().string = Some(format!("m{}", at % 16));
    }
    for (requests, fits) in [(17, false), (16, true)] {
        let mut facts = facts.clone();
        claim(&mut facts, &vec![(1, &[][..]); requests]);
        let constraints = json!([{"distinctAttribute": "gpu.example.com/model"}]);
        Rc::make_mut(&mut facts.claims[0]).spec.devices.constraints = read(&constraints).unwrap();
        let verdict = one_node(36, 3, &facts).0;
        assert_eq!(matches!(verdict, Verdict::Allocated(_)), fits);
        assert_eq!(verdict == Verdict::Nothing, !fits, "{verdict:?}");
    }
}

/// A search that counting cannot settle ends undecided.
#[test]
fn budget() {
    let mut facts = Facts::default();
    class(&mut facts);
    node(&mut facts, "n0", 12);
    Rc::make_mut(&mut facts.slices[0])
        .spec
        .pool
        .resource_slice_count = 2;
    // Half of them need one counter, half the other: each request could do without either.
    for (at, device) in Rc::make_mut(&mut facts.slices[0])
        .spec
        .devices
        .iter_mut()
        .enumerate()
    {
        let counter = ["memory", "slices"][at % 2];
        let consumption = json!([{"counterSet": "board", "counters": {counter: {"value": "1"}}}]);
        device.consumes_counters = read(&consumption).unwrap();
    }
    let pool = json!({"name": "n0", "generation": 1, "resourceSliceCount": 2});
    let sets = json!([{"name": "board", "counters": {"memory": {"value": "4"}, "slices": {"value": "4"}}}]);
    let spec = json!({"driver": "gpu.example.com", "nodeName": "n0", "pool": pool, "sharedCounters": sets});
    add(
        &mut facts,
        json!({"kind": "ResourceSlice", "metadata": {"name": "counters"}, "spec": spec}),
    );
    claim(&mut facts, &[(5, &[]), (4, &[])]);
    let features: Features = features_of(36, |name| super::lines::gate(36, name));
    let engine = CelSelectors::new(Release::last_of(36), false);
    let cluster = Cluster::new(
        &facts,
        allocator(36, 3, &features).unwrap(),
        &features,
        &engine,
    );
    let claims: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
    let gathered = Gatherer::new(&cluster).gather(0);
    assert_eq!(
        allocate(&cluster, 0, &gathered, &claims, 10_000).verdict,
        Verdict::Undecided
    );
    assert_eq!(
        allocate(&cluster, 0, &gathered, &claims, 10_000_000).verdict,
        Verdict::Nothing
    );
    // kube-scheduler 1.34 to 1.36, pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go, `Filter`; before
    // there is no limit.
    let timed_out = "timed out trying to allocate devices";
    let named = format!("node n0: {timed_out}");
    let unlimited =
        "not known: the search is long, and kube-scheduler goes on with it as long as it takes";
    for (minor, on, code, reason) in [
        (
            33,
            false,
            StatusCode::UnschedulableAndUnresolvable,
            unlimited,
        ),
        (
            34,
            true,
            StatusCode::UnschedulableAndUnresolvable,
            timed_out,
        ),
        (
            35,
            true,
            StatusCode::UnschedulableAndUnresolvable,
            timed_out,
        ),
        (36, true, StatusCode::Error, named.as_str()),
        (
            36,
            false,
            StatusCode::UnschedulableAndUnresolvable,
            unlimited,
        ),
    ] {
        let gates = PluginGates::of(|name| name == "DRASchedulerFilterTimeout" && on);
        let case = PodCase::of_claims(&cluster, PluginRules::of(minor, u8::MAX), gates, &claims);
        let status = filter(&cluster, &case, 0, &gathered, 10_000).status;
        assert_eq!(
            (status.code, status.message().as_deref()),
            (code, Some(reason)),
            "1.{minor}"
        );
    }
}

/// 1,000 nodes × 8 devices × 3 selectors: the account of all nodes.
#[test]
fn large_cluster() {
    let nodes = if cfg!(debug_assertions) { 200 } else { 1000 };
    for (what, selectors) in [
        (
            "fits",
            [
                "true",
                "device.attributes[\"gpu.example.com\"].model == \"a100\"",
                "device.attributes[\"gpu.example.com\"].index >= 0",
            ],
        ),
        (
            "nothing",
            [
                "true",
                "device.attributes[\"gpu.example.com\"].model == \"a100\"",
                "device.attributes[\"gpu.example.com\"].index >= 9",
            ],
        ),
    ] {
        let mut facts = Facts::default();
        class(&mut facts);
        (0..nodes).for_each(|at| node(&mut facts, &format!("n{at}"), 8));
        claim(&mut facts, &[(1, &selectors)]);
        let features: Features = features_of(36, |name| super::lines::gate(36, name));
        let behaviour = allocator(36, 3, &features).unwrap();
        let engine = CelSelectors::new(Release::last_of(36), false);
        let start = Instant::now();
        let cluster = Cluster::new(&facts, behaviour, &features, &engine);
        let claims: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
        let gates =
            PluginGates::of(|name| matches!(name, "DRAPrioritizedList" | "DRAExtendedResource"));
        let case = PodCase::of_claims(&cluster, PluginRules::of(36, u8::MAX), gates, &claims);
        let told = explain_pod(
            &cluster,
            &case,
            &(0..nodes).collect::<Vec<_>>(),
            Explain::default(),
        );
        println!(
            "{what}: {nodes} nodes in {:.1} ms",
            start.elapsed().as_secs_f64() * 1000.0
        );
        assert_eq!(told.nodes.len(), nodes);
        assert_eq!(
            told.nodes
                .iter()
                .filter(|node| node.same_as.is_none())
                .count(),
            1
        );
        assert_eq!(told.summary.len(), 1);
    }
}

/// The same with counters, which every node checks.
#[test]
fn large_cluster_with_counters() {
    let nodes = if cfg!(debug_assertions) { 200 } else { 1000 };
    let mut facts = Facts::default();
    class(&mut facts);
    for at in 0..nodes {
        node(&mut facts, &format!("n{at}"), 8);
        let name = format!("n{at}");
        let pool = json!({"name": name, "generation": 1, "resourceSliceCount": 2});
        let sets = json!([{"name": "board", "counters": {"memory": {"value": "8Gi"}}}]);
        let spec = json!({"driver": "gpu.example.com", "nodeName": name, "pool": pool, "sharedCounters": sets});
        add(
            &mut facts,
            json!({"kind": "ResourceSlice", "metadata": {"name": format!("{name}-counters")}, "spec": spec}),
        );
    }
    for slice in facts
        .slices
        .iter_mut()
        .filter(|slice| !slice.spec.devices.is_empty())
        .map(Rc::make_mut)
    {
        slice.spec.pool.resource_slice_count = 2;
        for device in &mut slice.spec.devices {
            let consumption =
                json!([{"counterSet": "board", "counters": {"memory": {"value": "5Gi"}}}]);
            device.consumes_counters = read(&consumption).unwrap();
        }
    }
    claim(&mut facts, &[(1, &[]), (1, &[])]);
    let features: Features = features_of(36, |name| super::lines::gate(36, name));
    let behaviour = allocator(36, 3, &features).unwrap();
    let engine = CelSelectors::new(Release::last_of(36), false);
    let start = Instant::now();
    let cluster = Cluster::new(&facts, behaviour, &features, &engine);
    let claims: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
    let gates =
        PluginGates::of(|name| matches!(name, "DRAPrioritizedList" | "DRAExtendedResource"));
    let case = PodCase::of_claims(&cluster, PluginRules::of(36, u8::MAX), gates, &claims);
    let told = explain_pod(
        &cluster,
        &case,
        &(0..nodes).collect::<Vec<_>>(),
        Explain::default(),
    );
    println!(
        "counters: {nodes} nodes in {:.1} ms",
        start.elapsed().as_secs_f64() * 1000.0
    );
    assert_eq!(told.summary[0].message, "cannot allocate all claims");
    assert_eq!(
        told.nodes[0].conflicts[0].kind,
        ConflictKind::Counters,
        "{:?}",
        told.nodes[0].conflicts
    );
}
