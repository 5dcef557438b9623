//! `why -f`: files that are broken, cut, or do not hold what is asked about.

use crate::files::Files;

const OBJECTS: &str = "apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}
- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimName: c}]}, status: {phase: Pending}}
";

fn why(files: &[(&str, &str)], words: &str) -> Files {
    let mut host = Files::of(files);
    let names = files.iter().map(|(name, _)| format!(" -f {name}"));
    host.run(&format!("why -n x{} {words}", names.collect::<String>()));
    host
}

/// What a broken file holds is not known: it proves nothing about devices, and its name is said.
#[test]
fn a_broken_file_decides_nothing() {
    let broken = "apiVersion: v1\nkind: ResourceSlice\nmetadata: {name: [\n";
    let answer = why(&[("objects.yaml", OBJECTS), ("slices.yaml", broken)], "");
    assert!(
        answer.out.starts_with("x/p waits. It is not known why"),
        "{}",
        answer.out
    );
    assert!(!answer.out.contains("no ResourceSlice"), "{}", answer.out);
    assert!(
        answer.err.contains("slices.yaml could not be seen (yaml:"),
        "{}",
        answer.err
    );
    let whole = why(&[("objects.yaml", OBJECTS)], "");
    assert!(
        whole
            .out
            .starts_with("x/p waits, and no file has a ResourceSlice. If the cluster has none"),
        "{}",
        whole.out
    );
}

/// A snapshot keeps the events that an answer reads.
#[test]
fn a_snapshot_keeps_events_about_volumes() {
    let event = |reason: &str| {
        format!(
            "- {{apiVersion: v1, kind: Event, metadata: {{name: e, namespace: x}}, involvedObject: {{kind: PersistentVolumeClaim, namespace: x, name: data}}, reason: {reason}, message: no space left}}\n"
        )
    };
    for (reason, is_kept) in [
        ("ProvisioningFailed", true),
        ("FailedMount", true),
        ("Pulled", false),
    ] {
        let text = format!("{OBJECTS}{}", event(reason));
        let mut host = Files::of(&[("objects.yaml", &text)]);
        host.run("snapshot -f objects.yaml");
        assert_eq!(host.out.contains(reason), is_kept, "{}", host.out);
    }
}

/// A file in the place of a pod is not asked for in a cluster.
#[test]
fn a_file_in_the_place_of_a_pod_is_said_to_be_one() {
    let mut host = Files::of(&[("objects.yaml", OBJECTS)]);
    host.run("why objects.yaml");
    assert_eq!(
        host.err,
        "claimkit: objects.yaml is a file: give it with `-f objects.yaml`\n"
    );
    let other = why(&[("objects.yaml", OBJECTS)], "other.yaml");
    assert!(!other.err.contains("is a file"), "{}", other.err);
}

/// A folder of dumps is read as its files are.
#[test]
fn a_folder_of_dumps_is_read() {
    let files = Files::of(&[
        ("dumps/a/objects.yaml", OBJECTS),
        ("dumps/notes.txt", "x"),
        ("dumps/values.yaml", "replicas: 1\n"),
    ]);
    let single = why(&[("objects.yaml", OBJECTS)], "");
    for command in ["why -n x -f dumps", "why -n x -f dumps/"] {
        let mut host = Files::of(&[]);
        host.files.clone_from(&files.files);
        host.run(command);
        assert_eq!((&host.out, &host.err), (&single.out, &single.err));
    }
    let mut host = Files::of(&[]);
    host.files.clone_from(&files.files);
    host.run("why dumps/");
    assert_eq!(
        host.err,
        "claimkit: dumps/ is a folder: give it with `-f dumps/`\n"
    );
    host.err.clear();
    host.run("snapshot -f dumps");
    assert!(
        host.out.contains("\"name\":\"p\"") || host.out.contains("name: p"),
        "{}{}",
        host.out,
        host.err
    );
}

/// A request does not lack devices while one of its alternatives has enough.
#[test]
fn requests_that_are_not_the_reason_are_not_named() {
    let objects = |request: &str, selector: &str| {
        format!(
            "apiVersion: v1
kind: List
items:
- {{apiVersion: v1, kind: Node, metadata: {{name: a}}, status: {{allocatable: {{cpu: '4', memory: 8Gi, pods: '10'}}}}}}
- {{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {{name: gpu}}}}
- {{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: s}}, spec: {{driver: d.example.com, {selector}, pool: {{name: a, generation: 1, resourceSliceCount: 1}}, devices: [{{name: d0, attributes: {{x: {{int: 1}}}}}}, {{name: d1}}]}}}}
- {{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: c, namespace: x}}, spec: {{devices: {{requests: [{request}]}}}}}}
- {{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: x}}, spec: {{containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimName: c}}]}}, status: {{phase: Pending}}}}
"
        )
    };
    let two = "{name: first, exactly: {deviceClassName: gpu, count: 3}}, {name: second, firstAvailable: [{name: one, deviceClassName: gpu}, {name: many, deviceClassName: gpu, count: 3}]}";
    let answer = why(&[("o.yaml", &objects(two, "nodeName: a"))], "");
    assert!(
        answer.out.contains("a: first: 2 on the node"),
        "{}",
        answer.out
    );
    assert!(!answer.out.contains("second/many"), "{}", answer.out);
}

/// A dump that ends early is named with the reason, which is not the whole dump.
#[test]
fn a_file_without_objects_is_named_with_the_reason() {
    let cut = format!("apiVersion: v1\nitems:\n{}", "- {a: 1}\n".repeat(100));
    for (name, text, reason) in [
        (
            "cut.json",
            "{\"apiVersion\": \"v1\", \"items\": [{",
            "cut.json: unexpected EOF",
        ),
        ("cut.yaml", &cut, "cut.yaml: Object 'Kind' is missing in"),
    ] {
        let answer = why(&[(name, text)], "");
        assert!(answer.err.contains(reason), "{}", answer.err);
        assert!(answer.err.len() < 200, "{}", answer.err);
    }
}

/// No pod that waits and no pod at all are two answers.
#[test]
fn pods_that_were_not_seen_do_not_wait() {
    let running = "- {apiVersion: v1, kind: Pod, metadata: {name: r, namespace: x, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: u, controller: true}]}, spec: {nodeName: a, containers: [{name: c, image: i}]}, status: {phase: Running}}\n";
    let objects = format!("{OBJECTS}{running}");
    let asked = |owner| why(&[("objects.yaml", &objects)], owner).out;
    assert_eq!(
        asked("deployment/web"),
        "There is no pod of deployment x/web among those that were seen.\n"
    );
    let pods = asked("sts/db");
    assert!(pods.contains("x/r has a node: a"), "{pods}");
}

/// The spec of a claim cannot change: what is advised names the template and the pod, or says that the claim is made anew.
#[test]
fn advice_names_what_can_be_changed() {
    let slice = "- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}\n";
    let claim = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: two, namespace: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}}\n";
    let template = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: x}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}}}\n";
    let pod = |entry: &str| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: q, namespace: x}}, spec: {{containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, {entry}}}]}}, status: {{phase: Pending}}}}\n"
        )
    };
    let asked = |entry| {
        let objects = format!("{OBJECTS}{slice}{claim}{template}{}", pod(entry));
        why(&[("objects.yaml", &objects)], "--alone q").out
    };
    let told = asked("resourceClaimName: two");
    assert!(
        told.contains("in x/two, made anew: `spec.devices.requests[0].exactly.count: 1`"),
        "{told}"
    );
    let older = OBJECTS.replace("resource.k8s.io/v1,", "resource.k8s.io/v1beta1,");
    let of_older = format!(
        "{older}{slice}{claim}{template}{}",
        pod("resourceClaimName: two")
    );
    let of_older = of_older
        .replace("resource.k8s.io/v1,", "resource.k8s.io/v1beta1,")
        .replace(
            "exactly: {deviceClassName: gpu, count: 2}",
            "deviceClassName: gpu, count: 2",
        )
        .replace("exactly: {deviceClassName: gpu}", "deviceClassName: gpu")
        .replace("{name: g0}", "{name: g0, basic: {}}");
    let told = why(&[("objects.yaml", &of_older)], "--release 1.32 --alone q").out;
    assert!(
        told.contains("in x/two, made anew: `spec.devices.requests[0].count: 1`"),
        "{told}"
    );
    let told = asked("resourceClaimTemplateName: t").replace('\n', " ");
    assert!(
        told.contains("in ResourceClaimTemplate x/t, made anew as its spec cannot change, and the pod made anew: `spec.spec.devices.requests[0].exactly.count: 1`"),
        "{told}"
    );
}

/// What is freed goes to the pod that waits longest: only that pod is told so.
#[test]
fn a_freed_device_is_promised_to_the_pod_that_gets_it() {
    let slice = "- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}\n";
    let held = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: held, namespace: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}, status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: a, device: g0}]}}}}\n";
    let later = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: d, namespace: x}, spec: {devices: {requests: [{name: other, exactly: {deviceClassName: gpu}}]}}}\n- {apiVersion: v1, kind: Pod, metadata: {name: z, namespace: x, creationTimestamp: '2026-09-01T10:00:00Z'}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimName: d}]}, status: {phase: Pending}}\n";
    let objects = format!("{OBJECTS}{slice}{held}{later}").replace(
        "{name: p, namespace: x}",
        "{name: p, namespace: x, creationTimestamp: '2026-09-01T09:00:00Z'}",
    );
    let asked = |pod| why(&[("objects.yaml", &objects)], pod).out;
    let (first, second) = (asked("p"), asked("z"));
    assert!(
        first.contains("freeing claim x/held: gives g0 on a"),
        "{first}"
    );
    assert!(!second.contains("freeing claim"), "{second}");
}

/// What a template gives to several pods that wait goes to the one that waits longest: the others are told so.
#[test]
fn a_change_of_a_shared_template_may_help_another_pod() {
    let slice = "- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}\n";
    let template = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: x}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 2}}]}}}}\n";
    let pod = |name: &str, hour: u64| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x, creationTimestamp: '2026-09-01T0{hour}:00:00Z'}}, spec: {{containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimTemplateName: t}}]}}, status: {{phase: Pending}}}}\n"
        )
    };
    let list = OBJECTS
        .split("- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim,")
        .next();
    let cluster = format!("{}{slice}{template}", list.unwrap_or_default());
    let alone = format!("{cluster}{}", pod("q", 8));
    let told = why(&[("objects.yaml", &alone)], "q").out;
    assert!(told.contains("gives g0 on a\n"), "{told}");
    let both = format!("{cluster}{}{}", pod("first", 7), pod("q", 8));
    let told = why(&[("objects.yaml", &both)], "q").out;
    assert!(
        told.contains("What would help goes to x/first, which is tried first."),
        "{told}"
    );
}

/// A group starts together: what one of its pods lacks helps all of them.
#[test]
fn what_a_group_lacks_helps_each_of_its_pods() {
    let slice = "- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}, {name: g1}]}}\n";
    let held = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: held, namespace: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}, status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: a, device: g0}]}}}}\n";
    let group = "- {apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: team, namespace: x, uid: t1}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}\n";
    let member = |name: &str| {
        format!(
            "- {{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: c-{name}, namespace: x}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}}}\n- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x}}, spec: {{schedulingGroup: {{podGroupName: team}}, containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimName: c-{name}}}]}}, status: {{phase: Pending}}}}\n"
        )
    };
    let list = OBJECTS
        .split("- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim,")
        .next();
    let objects = format!(
        "{}{slice}{held}{group}{}{}",
        list.unwrap_or_default(),
        member("m0"),
        member("m1")
    );
    let told = why(&[("objects.yaml", &objects)], "m0").out;
    assert!(
        told.contains("freeing claim x/held: lets its group start"),
        "{told}"
    );
    assert!(!told.contains("x/m1 waits"), "{told}");
    let told = why(&[("objects.yaml", &objects)], "m1").out;
    assert!(
        told.contains("freeing claim x/held: gives g1 on a"),
        "{told}"
    );
    let all = why(&[("objects.yaml", &objects)], "").out;
    assert_eq!(all.matches("freeing claim x/held").count(), 2, "{all}");
}

/// A node that lacks devices may lack something else before: the reason of each plugin is said, once.
#[test]
fn each_plugin_gives_its_reason_once() {
    let node = "- {apiVersion: v1, kind: Node, metadata: {name: b}, spec: {taints: [{key: own, effect: NoSchedule}]}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n";
    let slice = "- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}\n";
    let objects = format!("{OBJECTS}{node}{slice}").replace(
        "{name: c, image: i}",
        "{name: c, image: i, resources: {requests: {cpu: '5'}}}",
    );
    let told = why(&[("objects.yaml", &objects)], "p").out;
    assert!(
        told.contains("  a: Insufficient cpu; r: 0 on the node → wanted 1\n"),
        "{told}"
    );
    assert!(
        told.contains("  b: untolerated taint own:NoSchedule; Insufficient cpu\n"),
        "{told}"
    );
}

/// The claims of a pod are made in order, and a quota may have room for the first only.
#[test]
fn a_quota_may_refuse_the_second_claim_of_a_pod() {
    let list = OBJECTS
        .split("- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim,")
        .next();
    let asked = |room: u64| {
        let objects = format!(
            "{}- {{apiVersion: v1, kind: ResourceQuota, metadata: {{name: few, namespace: x}}, spec: {{hard: {{count/resourceclaims.resource.k8s.io: '{room}'}}}}, status: {{hard: {{count/resourceclaims.resource.k8s.io: '{room}'}}, used: {{count/resourceclaims.resource.k8s.io: '1'}}}}}}\n- {{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {{name: t, namespace: x}}, spec: {{spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}}}}}\n- {{apiVersion: v1, kind: Pod, metadata: {{name: q, namespace: x, uid: q1}}, spec: {{containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimTemplateName: t}}, {{name: h, resourceClaimTemplateName: t}}]}}, status: {{phase: Pending}}}}\n",
            list.unwrap_or_default()
        );
        why(&[("objects.yaml", &objects)], "q")
            .out
            .replace("\n    ", " ")
    };
    let told = asked(2);
    assert!(
        told.contains("exceeded quota: few, requested: count/resourceclaims.resource.k8s.io=1, used: count/resourceclaims.resource.k8s.io=2"),
        "{told}"
    );
    assert!(asked(3).contains("has not created the claim"));
}

/// Objects with two nodes, each with devices, and a pod that asks for some.
fn two_nodes(devices: [&str; 2], request: &str, more: &str) -> String {
    let slice = |node: &str, devices: &str| {
        format!(
            "- {{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: s-{node}}}, spec: {{driver: gpu.example.com, nodeName: {node}, pool: {{name: {node}, generation: 1, resourceSliceCount: 1}}, devices: [{devices}]}}}}\n"
        )
    };
    let [first, second] = devices;
    let node = "- {apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}\n";
    let objects = OBJECTS.replace(
        "{name: r, exactly: {deviceClassName: gpu}}",
        &format!("{{name: r, exactly: {{deviceClassName: gpu, {request}}}}}"),
    );
    format!(
        "{objects}{node}{}{}{more}",
        slice("a", first),
        slice("b", second)
    )
}

fn held_by(claim: &str, pool: &str, device: &str) -> String {
    format!(
        "- {{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {claim}, namespace: x}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}, status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: {pool}, device: {device}}}]}}}}}}}}\n"
    )
}

/// Nodes that are alike may lack devices that different claims hold.
#[test]
fn a_claim_is_freed_for_the_node_that_has_its_device() {
    let devices = "{name: d0}, {name: d1}";
    let held = format!("{}{}", held_by("one", "a", "d0"), held_by("two", "b", "d1"));
    let objects = two_nodes([devices, devices], "count: 2", &held);
    let told = why(&[("objects.yaml", &objects)], "p").out;
    assert!(
        told.contains("freeing claim x/one: gives d0, d1 on a ("),
        "{told}"
    );
    assert!(!told.contains("a or b"), "{told}");
}

/// An error on one node ends the attempt: nothing that is done for another node helps.
#[test]
fn what_helps_ends_the_error() {
    let selector =
        "selectors: [{cel: {expression: \"device.attributes['gpu.example.com'].numa == 0\"}}]";
    let devices = ["{name: d0}", "{name: d0, attributes: {numa: {int: 0}}}"];
    let objects = two_nodes(devices, selector, &held_by("one", "b", "d0"));
    let told = why(&[("objects.yaml", &objects)], "p").out;
    assert!(
        told.starts_with("x/p waits: an error on a ends the attempt.\n"),
        "{told}"
    );
    assert!(
        told.contains("guard: \"numa\" in device.attributes"),
        "{told}"
    );
    assert!(!told.contains("freeing"), "{told}");
}

/// Two pods that wait share a claim: it holds nothing that could be freed.
#[test]
fn a_claim_that_waits_is_not_freed() {
    let other = "- {apiVersion: v1, kind: Pod, metadata: {name: q, namespace: x}, spec: {nodeSelector: {here: 'no'}, containers: [{name: c, image: i, resources: {requests: {cpu: '5'}}}], resourceClaims: [{name: g, resourceClaimName: c}]}, status: {phase: Pending}}\n";
    let objects = two_nodes(["{name: d0}", "{name: d0}"], "count: 1", other);
    let told = why(&[("objects.yaml", &objects)], "");
    assert!(told.err.is_empty(), "{}", told.err);
    assert!(told.out.contains("x/q waits"), "{}", told.out);
    assert!(!told.out.contains("freeing"), "{}", told.out);
}

/// Whether a pod waits that cannot be decoded is not known.
#[test]
fn a_pod_that_cannot_be_decoded_is_named() {
    let objects = OBJECTS.replace(
        "{name: p, namespace: x}",
        "{name: p, namespace: x, labels: {app: true}}",
    );
    let told = why(&[("objects.yaml", &objects)], "");
    assert!(
        told.err.contains("pod x/p cannot be decoded"),
        "{}",
        told.err
    );
    let told = why(&[("objects.yaml", &objects)], "p");
    assert!(
        told.err.contains("pod x/p cannot be decoded"),
        "{}",
        told.err
    );
}

/// A node that does not exist yet is read from its own file, and a wrong file or count is refused.
#[test]
fn a_new_node_lets_a_pod_run() {
    let new = "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: gpu.example.com, nodeName: big, pool: {name: big, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}]}\n";
    let answer = |words: &str| {
        let mut host = Files::of(&[("objects.yaml", OBJECTS), ("big.yaml", new)]);
        let exit = host.run(&format!("why -n x -f objects.yaml {words}"));
        (exit, host)
    };
    let (_, without) = answer("");
    assert!(!without.out.contains("big-new"), "{}", without.out);
    let (exit, with) = answer("--new-node big.yaml --require");
    let now = "x/p waits now; with what is assumed, big-new can take it.";
    assert!(with.out.contains(now), "{}", with.out);
    assert_eq!(exit.code(), 0, "{}{}", with.out, with.err);
    let (_, absent) = answer("--new-node small.yaml");
    assert!(absent.err.contains("small.yaml: "), "{}", absent.err);
    let (_, malformed) = answer("--new-node big.yaml*none");
    assert!(malformed.err.contains("`node.yaml*3`"), "{}", malformed.err);
}

/// Slice, class and node of one device, a claim that holds it (`held`: more of its status), and a pod that waits for it.
fn of_one_device(held: &str, more: &[&str]) -> String {
    let slice = "- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}\n";
    let claim = format!(
        "- {{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: held, namespace: x}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}, status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: a, device: g0}}]}}}}{held}}}}}\n"
    );
    format!("{OBJECTS}{slice}{claim}{}", more.concat())
}

/// Only pods are deleted as pods: what a command names is what holds the device.
#[test]
fn a_command_names_the_user_of_a_claim() {
    let running = |name: &str, more: &str| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x{more}}}, spec: {{nodeName: a, containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimName: held}}]}}, status: {{phase: Running}}}}\n"
        )
    };
    let for_pod = ", reservedFor: [{resource: pods, name: r, uid: u}]";
    let for_other =
        ", reservedFor: [{apiGroup: batch.example.com, resource: trainings, name: r, uid: u}]";
    let (plain, ending) = (
        running("r", ""),
        running("r", ", deletionTimestamp: '2026-09-01T10:00:00Z'"),
    );
    for (held, more, said) in [
        (for_pod, plain.as_str(), "(kubectl delete pod r -n x)"),
        (for_pod, &ending, "(pod r is being deleted already)"),
        (
            for_other,
            &plain,
            "(it is reserved for trainings.batch.example.com/r)",
        ),
        // A claim that is not reserved keeps its devices when the pod ends.
        (
            "",
            &plain,
            "    kubectl delete pod r -n x; kubectl delete resourceclaim held -n x\n",
        ),
        ("", "", "(kubectl delete resourceclaim held -n x)"),
        (
            for_pod,
            "",
            "pod r is not there: kube-controller-manager takes the reservation back, if it runs\n",
        ),
    ] {
        let told = why(&[("objects.yaml", &of_one_device(held, &[more]))], "p").out;
        assert!(told.contains(said), "{said}: {told}");
    }
}

/// Nodes are alike only if freeing their devices costs the same: what nobody uses is freed first.
#[test]
fn a_device_that_nobody_uses_is_freed_first() {
    let other = "- {apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: t}, spec: {driver: gpu.example.com, nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: leaked, namespace: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}, status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: b, device: g0}]}}}}
";
    let held = ", reservedFor: [{resource: pods, name: r, uid: u}]";
    let told = why(
        &[("objects.yaml", &of_one_device(held, &[other]))],
        "p --all",
    )
    .out;
    let (_, helps) = told.split_once("What helps:").unwrap_or_default();
    let first = helps.trim_start().lines().next().unwrap_or_default();
    assert!(
        first.starts_with("freeing claim x/leaked: gives g0 on b"),
        "{told}"
    );
    assert!(helps.contains("freeing claim x/held"), "{told}");
}

/// A failed binding is no binding that is under way.
#[test]
fn a_failed_binding_is_said_first() {
    let objects = "apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}, nodeInfo: {kubeletVersion: v1.36.3}}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: g0, bindsToNode: true, bindingConditions: [x.io/ok], bindingFailureConditions: [x.io/fail]}]}}
- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: x, uid: u}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}, status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: a, device: g0, bindingConditions: [x.io/ok], bindingFailureConditions: [x.io/fail]}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}, allocationTimestamp: '2026-11-01T01:00:00Z'}, reservedFor: [{resource: pods, name: p, uid: p}], devices: [{driver: gpu.example.com, pool: a, device: g0, conditions: [{type: x.io/fail, status: 'True', reason: Nope, message: broken}]}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x, uid: p}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimName: c}]}, status: {phase: Pending}}
";
    let told = why(&[("objects.yaml", objects)], "")
        .out
        .replace("\n  ", " ");
    assert!(
        told.starts_with("x/p waits: binding its devices failed, for g0 has x.io/fail (Nope: broken). kube-scheduler takes them back"),
        "{told}"
    );
    // The claim is reserved for the pod, and that it is given back is said.
    assert!(!told.contains("is given back"), "{told}");
}

/// A kind that no file holds may exist.
#[test]
fn kinds_that_no_file_holds_decide_nothing() {
    let without = |part: &str| {
        let objects = of_one_device("", &[]);
        let lines = objects.lines().filter(|line| !line.contains(part));
        let kept: Vec<&str> = lines.collect();
        why(&[("objects.yaml", &kept.join("\n"))], "p").out
    };
    for (part, said) in [
        (
            "kind: DeviceClass",
            "x/p waits. It is not known why, for deviceclasses could not be seen.",
        ),
        (
            "kind: ResourceClaim",
            "x/p waits. It is not known why, for resourceclaims could not be seen.",
        ),
        (
            "kind: ResourceSlice",
            "x/p waits, and no file has a ResourceSlice.",
        ),
    ] {
        let told = without(part);
        assert!(told.starts_with(said), "{told}");
    }
    let (bound, of_class) = ("volumeName: v", "storageClassName: fast");
    for volume in [bound, of_class] {
        let volumes = format!("- {{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: d, namespace: x, uid: u}}, spec: {{{volume}}}, status: {{phase: Pending}}}}
- {{apiVersion: v1, kind: Pod, metadata: {{name: q, namespace: x}}, spec: {{containers: [{{name: c, image: i}}], volumes: [{{name: d, persistentVolumeClaim: {{claimName: d}}}}]}}, status: {{phase: Pending}}}}
");
        let told = why(&[("objects.yaml", &of_one_device("", &[&volumes]))], "q").out;
        assert!(
            told.starts_with(
                "x/q waits: not known, for the PersistentVolume or StorageClass is not given"
            ),
            "{told}"
        );
    }
}

/// What only the pods take that are placed before is not in use in the cluster.
#[test]
fn pods_that_are_placed_before_are_named() {
    let pod = |name: &str, cpu: u8| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x}}, spec: {{containers: [{{name: c, image: i, resources: {{requests: {{cpu: {cpu}}}}}}}]}}, status: {{phase: Pending}}}}\n"
        )
    };
    let objects = format!("{OBJECTS}{}{}", pod("q", 3), pod("r", 2));
    let told = why(&[("objects.yaml", &objects)], "r").out;
    assert!(
        told.contains("cpu: 2 wanted, 1 of 4 left; x/q is placed there before, and waits now, too"),
        "{told}"
    );
    assert!(
        !why(&[("objects.yaml", &objects)], "r --alone")
            .out
            .contains("placed there before"),
        "{told}"
    );
}

/// A pod on node `a` whose claim holds device `g0`, with more objects.
fn on_node(phase: &str, claim: &str, more: &[&str]) -> String {
    let pod = format!(
        "- {{apiVersion: v1, kind: Pod, metadata: {{name: q, namespace: x}}, spec: {{nodeName: a, containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimName: {claim}}}]}}, status: {{phase: {phase}}}}}\n"
    );
    let reserved = ", reservedFor: [{resource: pods, name: q, uid: u}]";
    of_one_device(reserved, &[&pod, &more.concat()])
}

fn preparation(time: &str, message: &str) -> String {
    format!(
        "- {{apiVersion: v1, kind: Event, metadata: {{name: e{time}, namespace: x}}, reason: FailedPrepareDynamicResources, lastTimestamp: '2026-09-01T10:00:0{time}Z', involvedObject: {{kind: Pod, namespace: x, name: q}}, message: '{message}'}}\n"
    )
}

/// The newest event says why kubelet does not start the pod; one that runs was started since.
#[test]
fn devices_that_cannot_be_prepared_are_told() {
    let old = preparation("1", "Failed to prepare dynamic resources: old");
    let new = preparation(
        "2",
        "Failed to prepare dynamic resources: prepare dynamic resources: DRA driver gpu.example.com is not registered",
    );
    let said = "x/q has a node: a.\n  It does not start: kubelet cannot prepare its devices (said last at 2026-09-01T10:00:02Z): DRA\n    driver gpu.example.com is not registered.\n";
    let objects = on_node("Pending", "held", &[&new, &old]);
    assert_eq!(why(&[("objects.yaml", &objects)], "q").out, said);
    let objects = on_node("Running", "held", &[&new, &old]);
    let running = why(&[("objects.yaml", &objects)], "q");
    assert_eq!(running.out, "x/q has a node: a.\n");
    let json = why(
        &[("objects.yaml", &on_node("Pending", "held", &[&new]))],
        "q -o json",
    )
    .out;
    assert!(
        json.contains("\"faults\":[\"It does not start: kubelet"),
        "{json}"
    );
}

/// What `audit` says of the devices of a pod on a node, `why` says of the pod.
#[test]
fn devices_that_are_elsewhere_are_told() {
    let moved = on_node("Running", "held", &[]).replace("nodeName: a, pool:", "nodeName: b, pool:");
    let told = why(&[("objects.yaml", &moved)], "q").out;
    let wrong =
        "Pod x/q is on node a, and device gpu.example.com/a/g0 of its claim x/held is on node b.";
    assert!(told.replace("\n    ", " ").contains(wrong), "{told}");
    // A claim that keeps a pod from starting is said once, with what to do; of one that runs what audit says.
    let pending = why(&[("objects.yaml", &on_node("Pending", "c", &[]))], "q").out;
    assert!(
        pending.contains("is not allocated, and kube-scheduler"),
        "{pending}"
    );
    assert!(!pending.contains("Pod x/q"), "{pending}");
    let running = why(&[("objects.yaml", &on_node("Running", "c", &[]))], "q").out;
    assert!(
        running.contains("Pod x/q is on node a, and its claim x/c is not allocated."),
        "{running}"
    );
    // A claim that no file has may be there.
    let unknown = why(&[("objects.yaml", &on_node("Running", "none", &[]))], "q").out;
    assert!(
        unknown.contains("its claim x/none is not there"),
        "{unknown}"
    );
}

/// A rule that does nothing is told of the pods whose devices it means, with or without a node, and of no others.
#[test]
fn a_taint_rule_without_effect_is_told() {
    let rule = |selector: &str| {
        format!(
            "- {{apiVersion: resource.k8s.io/v1alpha3, kind: DeviceTaintRule, metadata: {{name: broken}}, spec: {{deviceSelector: {{{selector}}}, taint: {{key: k, effect: NoExecute}}}}}}\n"
        )
    };
    let by_default = "DeviceTaintRule broken has no effect on its devices while the feature gate DRADeviceTaintRules is off, as it is in kube-scheduler 1.36.0 by default.";
    let is_off = "DeviceTaintRule broken has no effect on its devices: the feature gate DRADeviceTaintRules is off in kube-scheduler 1.36.0.";
    for (selector, release, said, is_said) in [
        ("driver: gpu.example.com", "1.36.0", by_default, true),
        ("device: g0", "1.36.0", by_default, true),
        (
            "driver: gpu.example.com",
            "1.36.0 --gates DRADeviceTaintRules=false",
            is_off,
            true,
        ),
        (
            "driver: nic.example.com",
            "1.36.0",
            "DeviceTaintRule broken",
            false,
        ),
        (
            "driver: gpu.example.com",
            "1.37.2",
            "DeviceTaintRule broken",
            false,
        ),
    ] {
        let objects = on_node("Running", "held", &[&rule(selector)]);
        for pod in ["p", "q"] {
            let words = format!("{pod} --release {release}");
            let told = why(&[("objects.yaml", &objects)], &words).out;
            let told = told.split_whitespace().collect::<Vec<&str>>().join(" ");
            assert_eq!(
                told.contains(said),
                is_said,
                "{selector} {release} {pod}: {told}"
            );
        }
    }
}

/// A device for the node of the objects.
const SLICE: &str = "- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: d.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: d0}]}}\n";

/// Returns the lines of objects that are not of a kind.
fn without(objects: &str, kind: &str) -> String {
    let is_other = |line: &&str| !line.contains(&format!("kind: {kind},"));
    let kept: Vec<&str> = objects.lines().filter(is_other).collect();
    kept.join("\n") + "\n"
}

/// Nodes, classes and claims that no file has are not known, whatever else the files show; nor are those of another namespace.
#[test]
fn kinds_that_no_file_has_are_not_known() {
    let dumped =
        OBJECTS.replace("{name: p, namespace: x}", "{name: p, namespace: x, uid: u}") + SLICE;
    let whole = why(&[("all.yaml", &dumped)], "");
    assert!(
        whole.out.starts_with("x/p waits, although a can take it."),
        "{}",
        whole.out
    );
    for (kind, kinds) in [
        ("Node", "nodes"),
        ("DeviceClass", "deviceclasses"),
        ("ResourceClaim", "resourceclaims"),
    ] {
        let answer = why(&[("all.yaml", &without(&dumped, kind))], "");
        let wanted = format!("x/p waits: not known, for {kinds} were not given.");
        assert!(answer.out.contains(&wanted), "{kind}: {}", answer.out);
    }
    let elsewhere = dumped.replace("{name: c, namespace: x}", "{name: c, namespace: elsewhere}");
    let answer = why(&[("all.yaml", &elsewhere)], "");
    assert!(
        answer
            .out
            .starts_with("x/p waits: not known, for resourceclaims of namespace x were not given."),
        "{}",
        answer.out
    );
    // Where the namespaces are given, all of the cluster is.
    let all = elsewhere + "- {apiVersion: v1, kind: Namespace, metadata: {name: x}}\n";
    let answer = why(&[("all.yaml", &all)], "");
    assert!(
        answer.out.starts_with("x/p waits, and no node is tried"),
        "{}",
        answer.out
    );
}

/// Extended resources are said as containers ask for them, with the edit.
#[test]
fn extended_resources_are_said_as_the_pod_has_them() {
    let objects = OBJECTS
        .replace(
            "metadata: {name: gpu}}",
            "metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}",
        )
        .replace(
            "[{name: c, image: i}], resourceClaims: [{name: g, resourceClaimName: c}]",
            "[{name: c, image: i, resources: {limits: {example.com/gpu: 2}, requests: {example.com/gpu: 2}}}]",
        )
        + SLICE;
    let answer = why(&[("all.yaml", &objects)], "--release 1.37");
    let said: Vec<&str> = answer.out.split_whitespace().collect();
    let said = said.join(" ");
    for part in [
        "a: example.com/gpu of container c: 1 on the node",
        "asking for 1 instead of 2 example.com/gpu in container c: gives d0 on a",
        "`spec.containers[0].resources.limits[example.com/gpu]: 1`, and `requests` alike",
    ] {
        assert!(said.contains(part), "{part}: {}", answer.out);
    }
    let stored = objects.replace("{name: p, namespace: x}", "{name: p, namespace: x, uid: u}");
    for (kind, kinds) in [
        ("ResourceSlice", "resourceslices"),
        ("DeviceClass", "deviceclasses"),
    ] {
        let answer = why(&[("all.yaml", &without(&stored, kind))], "--release 1.37");
        let wanted = format!("x/p waits: not known, for {kinds} were not given.");
        assert!(answer.out.starts_with(&wanted), "{kind}: {}", answer.out);
        assert!(!answer.out.contains("there is no"), "{}", answer.out);
    }
}

/// Pods of an object that makes what makes pods are found by their labels, or by the name of the Job.
#[test]
fn the_pods_of_the_owner_of_an_owner_are_asked_about() {
    let pod = |name: &str, metadata: &str| {
        format!(
            "- {{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x, uid: {name}, {metadata}}}, spec: {{containers: [{{name: c, image: i}}]}}, status: {{phase: Pending}}}}\n"
        )
    };
    let job = |name: &str| {
        format!(
            "ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: {name}, uid: {name}, controller: true}}]"
        )
    };
    let text = format!(
        "apiVersion: v1\nkind: List\nitems:\n{}{}{}{}{}",
        "- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '4', pods: '10'}}}\n",
        pod("nightly-a", &job("nightly-29000001")),
        pod("other-a", &job("nightly-report-29000001")),
        pod(
            "set-a",
            &format!(
                "{}, labels: {{jobset.sigs.k8s.io/jobset-name: set}}",
                job("set-workers-0")
            )
        ),
        pod("lws-0", "labels: {leaderworkerset.sigs.k8s.io/name: serve}"),
    );
    for (asked, pods) in [
        ("cronjob/nightly", vec!["x/nightly-a"]),
        ("job/nightly-29000001", vec!["x/nightly-a"]),
        ("jobset/set", vec!["x/set-a"]),
        ("trainjob/set", vec!["x/set-a"]),
        ("lws/serve", vec!["x/lws-0"]),
    ] {
        let mut host = Files::of(&[("dump.yaml", &text)]);
        host.run(&format!("why {asked} -n x -f dump.yaml -o json"));
        let answer: serde_json::Value = serde_json::from_str(&host.out).unwrap();
        let told = answer["pods"].as_array().unwrap().iter();
        let told: Vec<&str> = told.map(|pod| pod["pod"].as_str().unwrap()).collect();
        assert_eq!(told, pods, "{asked}: {}", host.err);
    }
    let mut host = Files::of(&[("dump.yaml", &text)]);
    host.run("why cronjob/weekly -n x -f dump.yaml");
    assert!(
        host.out.contains("There is no pod of cronjob x/weekly"),
        "{}",
        host.out
    );
}

/// A node can have less than its pods request: its kubelet may have told more when they came.
#[test]
fn an_overcommitted_node_has_nothing_left() {
    let text = "apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: '4', pods: '10'}}}
- {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x, uid: a}, spec: {nodeName: n1, containers: [{name: c, image: i, resources: {requests: {cpu: 5100m}}}]}, status: {phase: Running}}
- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x, uid: p}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]}, status: {phase: Pending}}
";
    let mut host = Files::of(&[("dump.yaml", text)]);
    host.run("why p -n x -f dump.yaml");
    assert!(
        host.out
            .contains("cpu: 1 wanted, nothing of 4 left: its pods request 5100m"),
        "{}",
        host.out
    );
}
