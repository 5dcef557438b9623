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

/// Of nodes that are alike the one comes first on which the fewest pods hold what is lacking.
#[test]
fn the_fewest_pods_of_nodes_that_are_alike_end() {
    let mut objects = Objects::new()
        .node("a", "{}", 4, &GPUS)
        .node("b", "{}", 4, &GPUS);
    for at in 0..4 {
        objects = objects.holding(&format!("a-{at}"), "", PLAIN, &[&format!("g{at}")]);
    }
    objects = holding_on(objects, "b", "b-0", &["g0", "g1"]);
    objects = holding_on(objects, "b", "b-1", &["g2", "g3"]);
    let told = objects.waiting("p", 1, PLAIN, ", count: 4").why("p");
    has(
        &told,
        &[
            "What helps: ending pods x/b-0, x/b-1: gives g0, g1, g2, g3 on b (kubectl delete pod b-0 b-1 -n x)",
        ],
    );
}

/// A device whose counters two pods use is free once both end.
#[test]
fn all_users_of_counters_end() {
    let device = |name: &str, model: &str, amount: &str| {
        format!(
            "{{name: {name}, attributes: {{model: {{string: {model}}}}}, consumesCounters: [{{counterSet: s, counters: {{m: {{value: {amount}}}}}}}]}}"
        )
    };
    let told = |halves: &str, more: &str| {
        let devices = [
            device("full", "full", "40Gi"),
            device("h0", "part", halves),
            device("h1", "part", halves),
            device("h2", "part", halves),
        ];
        let devices: Vec<&str> = devices.iter().map(String::as_str).collect();
        let mut objects = Objects::new().node("a", "{}", 4, &devices);
        objects.0 = objects
            .0
            .replace("resourceSliceCount: 1", "resourceSliceCount: 2");
        let objects = objects
            .with("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: c-a}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 2}, sharedCounters: [{name: s, counters: {m: {value: 40Gi}}}]}}")
            .holding("one", "", PLAIN, &["h0"])
            .holding("two", "", PLAIN, &["h1"])
            .waiting("p", 1, PLAIN, ", selectors: [{cel: {expression: 'device.attributes[\"gpu.example.com\"].model == \"full\"'}}]");
        words_of(&objects.why_in_full(&format!("p{more}")))
    };
    has(
        &told("20Gi", ""),
        &[
            "freeing claim x/one-c and freeing claim x/two-c: gives full on a (kubectl delete pod one two -n x)",
        ],
    );
    // That another part is free, which the pod does not select, changes nothing.
    has(
        &told("10Gi", " --all"),
        &["ending pods x/one, x/two: gives full on a (kubectl delete pod one two -n x)"],
    );
}

/// A group of pods needs as many devices as all of them, and no more.
#[test]
fn a_group_ends_no_more_pods_than_it_needs() {
    let member = format!("{PLAIN}, schedulingGroup: {{podGroupName: team}}");
    let mut objects = Objects::new().node("a", "{}", 4, &GPUS).with(GROUP);
    for at in 0..3 {
        objects = objects.holding(&format!("h-{at}"), "", PLAIN, &[&format!("g{at}")]);
        objects = objects.waiting(&format!("p-{at}"), at + 1, &member, "");
    }
    let told = words_of(&objects.why_in_full("p-1"));
    has(&told, &["ending pods x/h-0, x/h-1"]);
    lacks(&told, &["x/h-2: gives", "h-0 h-1 h-2"]);
}

/// Who ends for room gives back devices, too: that is one step.
#[test]
fn a_pod_that_has_room_and_devices_ends_once() {
    let told = Objects::new()
        .node("a", "{}", 3, &[GPU])
        .holding("h", "Job/j", CPU_2, &["g0"])
        .waiting("p", 1, CPU_2, "")
        .why("p");
    has(
        &told,
        &[
            "What helps: making room: end pod x/h (cpu 2): gives g0 on a (kubectl delete job j -n x)",
        ],
    );
    lacks(&told, &["freeing claim"]);
    // A StatefulSet, whose pods come back under their names, is made smaller.
    let told = Objects::new()
        .node("a", "{}", 3, &["{name: g0, attributes: {m: {string: b}}}"])
        .holding("h-0", "StatefulSet/h", CPU_2, &["g0"])
        .waiting("p", 1, CPU_2, ", selectors: [{cel: {expression: 'device.attributes[\"gpu.example.com\"].m == \"b\"'}}]")
        .why("p");
    has(
        &told,
        &["What helps: making room: end pod x/h-0 (cpu 2): gives g0 on a"],
    );
    lacks(&told, &["dropping selector"]);
}

/// Who ends for the devices may leave enough room: nobody else ends for that.
#[test]
fn room_that_the_holders_leave_is_enough() {
    let cpu = |count: &str| CPU_2.replace("'2'", count);
    let told = Objects::new()
        .node("a", "{}", 5, &[GPU, "{name: g1}"])
        .holding("h", "", &cpu("'1'"), &["g0"])
        .holding("i", "", &cpu("'1'"), &["g1"])
        .running("f", "", &cpu("'3'"))
        .waiting("p", 1, CPU_2, ", count: 2")
        .why_in_full("p --all");
    let told = words_of(&told);
    has(
        &told,
        &["freeing claim x/h-c and freeing claim x/i-c: gives g0, g1 on a"],
    );
    lacks(&told, &["x/i-c and making room"]);
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

/// Devices that only pods have which wait, too, and are placed before are theirs: no change is looked for in vain.
#[test]
fn devices_that_waiting_pods_get_are_theirs() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .waiting("p", 1, PLAIN, "")
        .waiting("q", 2, PLAIN, "");
    let told = objects.why("q");
    has(
        &told,
        &["The devices are given to x/p, which is placed before."],
    );
    lacks(&told, &["No single change helps"]);
    // Without them the node would have too few.
    let two = objects.waiting("r", 3, PLAIN, ", count: 2");
    lacks(&words_of(&two.why_in_full("r")), &["The devices are given"]);
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

/// A node that the pod's selector excludes and that has what it asks for comes before two changes, one of which ends another pod.
#[test]
fn another_node_comes_before_two_changes() {
    let labels = |objects: Objects, node: &str, pool: &str| {
        let with_label = format!("metadata: {{name: {node}, labels: {{pool: {pool}}}}}, spec");
        Objects(
            objects
                .0
                .replace(&format!("metadata: {{name: {node}}}, spec"), &with_label),
        )
    };
    let device = |model: &str| format!("{{name: g0, attributes: {{m: {{string: {model}}}}}}}");
    let objects = Objects::new()
        .node("a", "{}", 4, &[&device("small")])
        .node("b", "{}", 4, &[&device("large")])
        .holding("h", "", PLAIN, &["g0"]);
    let objects = labels(labels(objects, "a", "one"), "b", "two");
    let wanted = ", selectors: [{cel: {expression: 'device.attributes[\"gpu.example.com\"].m == \"large\"'}}]";
    let pinned = format!("{PLAIN}, nodeSelector: {{pool: one}}");
    let told = objects.clone().waiting("p", 1, &pinned, wanted).why("p");
    has(
        &told,
        &[
            "What helps: changing the pod's node selector or affinity: gives the pod its devices on b",
        ],
    );
    // Where one change on a node that it selects helps, other nodes are not its matter.
    let told = objects.waiting("p", 1, &pinned, "").why("p");
    has(&told, &["What helps: freeing claim x/h-c: gives g0 on a"]);
    lacks(&told, &["node selector or affinity"]);
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
