//! Of what would help `why` names what departs least from what was asked for and ends the fewest pods.

use crate::why_helps::{CPU_2, GPU, Objects, PLAIN, has, lacks, words_of};

const GPUS: [&str; 4] = [GPU, "{name: g1}", "{name: g2}", "{name: g3}"];
const GROUP: &str = "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: team, namespace: x, uid: team}, spec: {schedulingPolicy: {gang: {minCount: 3}}}}";

/// Adds a pod on another node than `a` that holds devices.
fn holding_on(objects: Objects, node: &str, name: &str, devices: &[&str]) -> Objects {
    let held = Objects::default().holding(name, "", PLAIN, devices).0;
    let held = held
        .replace("pool: a", &format!("pool: {node}"))
        .replace("nodeName: a", &format!("nodeName: {node}"));
    Objects(objects.0 + &held)
}

/// The node with the most free devices comes first, and a count that another one exceeds is not suggested.
#[test]
fn the_largest_count_that_fits_comes_first() {
    let mut objects = Objects::new();
    for (node, held) in [("a", 3), ("b", 1), ("c", 2)] {
        objects = objects.node(node, "{}", 4, &GPUS);
        for at in 0..held {
            objects = holding_on(objects, node, &format!("{node}-{at}"), &[&format!("g{at}")]);
        }
    }
    let objects = objects.waiting("p", 1, PLAIN, ", count: 4");
    let told = objects.why("p");
    has(
        &told,
        &[
            "(for b-0) c: ",
            "What helps: count 3 instead of 4 in request r: gives g1, g2, g3 on b",
        ],
    );
    let all = words_of(&objects.why_in_full("p --all"));
    has(&all, &["freeing claim x/b-0-c: gives g0, g1, g2, g3 on b"]);
    lacks(&all, &["count 2 instead of 4", "count 1 instead of 4"]);
}

/// Who would get a small part only is told first how to get all.
#[test]
fn a_small_part_comes_after_all_of_it() {
    let told = Objects::new()
        .node("a", "{}", 4, &GPUS)
        .holding("h", "", PLAIN, &["g0", "g1", "g2"])
        .waiting("p", 1, PLAIN, ", count: 4")
        .why("p");
    has(
        &told,
        &[
            "What helps: freeing claim x/h-c: gives g0, g1, g2, g3 on a",
            "count 1 instead of 4",
        ],
    );
}

/// Of several pods it is said that they end.
#[test]
fn the_pods_that_preemption_ends_are_named() {
    let mut objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .running("h", "", CPU_2)
        .running("i", "", CPU_2)
        .waiting("p", 1, &CPU_2.replace("'2'", "'4'"), "");
    objects.0 = objects
        .0
        .replace("spec: {priority: 0", "spec: {priority: 1000");
    has(
        &objects.why("p"),
        &["Preemption makes room on a: x/h, x/i end."],
    );
}

/// To end more pods of a set than another suggestion is not one of its own, whatever node it is about.
#[test]
fn more_pods_of_a_set_do_not_end() {
    let two = &GPUS[..2];
    let mut objects = Objects::new()
        .node("a", "{}", 4, two)
        .node("b", "{}", 4, two);
    for (at, node) in ["a", "a", "b", "b"].iter().enumerate() {
        let device = format!("g{}", at % 2);
        let held =
            Objects::default().holding(&format!("web-{at}"), "StatefulSet/web", PLAIN, &[&device]);
        let held = held.0.replace("pool: a", &format!("pool: {node}"));
        objects.0 += &held.replace("nodeName: a", &format!("nodeName: {node}"));
    }
    let told = words_of(&objects.waiting("p", 1, PLAIN, "").why_in_full("p --all"));
    has(&told, &["ending pod x/web-3: gives g1 on b"]);
    lacks(&told, &["--replicas=1"]);
}

/// An init container reuses the devices of later ones: what it may ask for is more than its request has.
#[test]
fn the_amount_of_an_init_container_is_said() {
    let limits = |name: &str, count: u32| {
        format!(
            "{{name: {name}, image: i, resources: {{limits: {{example.com/gpu: '{count}'}}, requests: {{example.com/gpu: '{count}'}}}}}}"
        )
    };
    let mut objects = Objects::new().node("a", "{}", 4, &GPUS[..2]);
    objects.0 = objects.0.replace(
        "metadata: {name: gpu}}",
        "metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}",
    );
    let spec = format!(
        ", initContainers: [{}], containers: [{}]",
        limits("load", 3),
        limits("run", 1)
    );
    let told = objects.pod("p", 1, &spec, "{phase: Pending}").why("p");
    has(
        &told,
        &[
            "What helps: asking for 2 instead of 3 example.com/gpu in container load: gives g0, g1 on a",
            "`spec.initContainers[0].resources.limits[example.com/gpu]: 2`",
        ],
    );
}

/// An error after a node was found is not a lack of devices, and what to do is said.
#[test]
fn an_error_at_the_end_of_an_attempt_is_explained() {
    let shared = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: s, namespace: x, uid: s}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}, status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: a, device: g0}]}}, reservedFor: [{resource: pods, name: h, uid: h}]}}";
    let uses = format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: s}}]");
    let mut objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with(shared)
        .running("h", "", &uses)
        .pod("p", 1, &uses, "{phase: Pending}");
    objects.0 = objects.0.replace(
        "status: {allocatable",
        "status: {nodeInfo: {kubeletVersion: v1.37.2}, allocatable",
    );
    let told = objects.why("p");
    has(
        &told,
        &[
            "x/p waits: an error on a ends the attempt.",
            "The claim's allocation has no `allocationTimestamp`, as schedulers up to 1.35 wrote it",
        ],
    );
    lacks(&told, &["cannot give it its devices"]);
}
