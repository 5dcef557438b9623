//! What `why` and `allocate` say themselves: it is true of the objects, and names who loses by a change.

use crate::files::Files;
use crate::why_helps::{CPU_2, GPU, Objects, PLAIN, has, lacks, words_of};

fn allocated(objects: &Objects, words: &str) -> String {
    let text = objects.list();
    let mut host = Files::of(&[("objects.yaml", &text)]);
    host.run(&format!("allocate --release 1.37.2 objects.yaml {words}"));
    words_of(&host.out)
}

fn incomplete(node: &str, devices: &str, driver: &str) -> String {
    format!(
        "{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: i-{node}}}, spec: {{driver: {driver}, nodeName: {node}, pool: {{name: i-{node}, generation: 1, resourceSliceCount: 2}}, devices: [{devices}]}}}}"
    )
}

/// A node that has all but a little is enough for a pod that asks for a little less.
#[test]
fn a_pod_may_ask_for_what_the_node_has_left() {
    let wants = |cpu: &str| CPU_2.replace("'2'", &format!("'{cpu}'"));
    let eight = Objects::new().node("a", "{}", 8, &[GPU]);
    let daemon = eight
        .clone()
        .running("d", "DaemonSet/d", &wants("200m"))
        .waiting("p", 1, &wants("8"), "");
    has(
        &daemon.why("p"),
        &[
            "What helps: asking for 7800m instead of 8 cpu in container c: gives g0 on a",
            "in the pod, made anew: `spec.containers[0].resources.requests[cpu]: 7800m`",
        ],
    );
    // The node alone is too small.
    let larger = eight.clone().waiting("p", 1, &wants("9"), "");
    has(
        &larger.why("p"),
        &["asking for 8 instead of 9 cpu in container c: gives g0 on a"],
    );
    // With much less the container may not do its work.
    let much_larger = eight.waiting("p", 1, &wants("12"), "");
    let told = much_larger.why("p");
    lacks(&told, &["asking for"]);
    has(
        &told,
        &["No node is large enough: cpu 12 wanted, 8 at most."],
    );
}

/// A change that helps a pod may take the place of another one, which is said.
#[test]
fn who_waits_instead_is_named() {
    let first = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .waiting("first", 1, PLAIN, "");
    let first = Objects(first.0.replace("priority: 0", "priority: 9"));
    let objects = first.waiting("p", 2, PLAIN, "");
    has(
        &objects.why("p"),
        &["a higher priority than 9, which x/first has: gives g0 on a; x/first then waits instead"],
    );
}

/// Mode All fails on a pool that is not whole: one device in place of all is tried on all nodes.
#[test]
fn one_device_in_place_of_all_ends_an_error() {
    let objects = Objects::new()
        .node("a", "{}", 8, &[GPU, "{name: g1}"])
        .with("{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: '8', memory: 8Gi, pods: '10'}, conditions: [{type: Ready, status: 'True'}]}}")
        .with(&incomplete("b", "{name: h0}", "gpu.example.com"))
        .holding("h", "", PLAIN, &["g0"])
        .waiting("p", 1, PLAIN, ", allocationMode: All");
    let told = objects.why("p");
    has(
        &told,
        &[
            "an error on b ends the attempt",
            "What helps: allocationMode ExactCount instead of All in request r: gives g1 on a",
        ],
    );
    lacks(&told, &["freeing claim"]);
    // What helps on another node does not help before the error is gone.
    let told = allocated(&objects, "");
    has(
        &told,
        &["What helps once the error on b is gone: freeing claim x/h-c: gives g0, g1 on a"],
    );
    lacks(&told, &["What helps: "]);
}

/// Devices of the class that an incomplete pool keeps back are the reason, not the devices of other classes.
#[test]
fn devices_of_the_class_that_are_kept_back_are_named() {
    let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: nic}, spec: {selectors: [{cel: {expression: device.driver == 'nic.example.com'}}]}}";
    let objects = Objects::new()
        .with(class)
        .node("a", "{}", 8, &[GPU])
        .with(&incomplete("a", "{name: e0}", "nic.example.com"))
        .waiting("p", 1, PLAIN, "");
    let objects = Objects(objects.0.replace(
        "exactly: {deviceClassName: gpu}",
        "exactly: {deviceClassName: nic}",
    ));
    let told = objects.why("p");
    has(&told, &["e0: its pool is incomplete: 1 of 2 slices"]);
    lacks(&told, &["no device of class nic"]);
}

/// Admin access takes no device: who has it is not among those who hold one, even if it is placed before.
#[test]
fn admin_access_that_is_placed_before_holds_nothing() {
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: x, labels: {resource.kubernetes.io/admin-access: 'true'}}}";
    let objects = Objects::new()
        .with(namespace)
        .node("a", "{}", 8, &[GPU])
        .holding("h", "", PLAIN, &["g0"])
        .waiting("monitor", 1, PLAIN, ", adminAccess: true")
        .waiting("p", 2, PLAIN, "");
    let told = allocated(&objects, "--pod x/p");
    has(&told, &["g0: held by x/h-c (for h)"]);
    lacks(&told, &["monitor"]);
}

/// A pod that gets another node may take this one once devices are free there.
#[test]
fn a_pod_with_another_node_may_take_what_is_freed() {
    let objects = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .node("b", "{unschedulable: false}", 2, &["{name: h0}"])
        .holding("h", "", PLAIN, &["g0"])
        .waiting("first", 1, PLAIN, "")
        .waiting("p", 2, PLAIN, "");
    has(
        &allocated(&objects, "--pod x/p --node a"),
        &["freeing claim x/h-c: gives g0 on a, unless a pod that is tried first takes them"],
    );
}

/// A toleration for another key is not meant for a taint, whatever else differs.
#[test]
fn the_key_of_a_toleration_is_compared_first() {
    let tainted = "{name: g0, taints: [{key: sick, effect: NoSchedule}]}";
    let objects = Objects::new().node("a", "{}", 8, &[tainted]).waiting(
        "p",
        1,
        PLAIN,
        ", tolerations: [{key: other, operator: Exists, effect: NoExecute}]",
    );
    has(
        &objects.why("p"),
        &["tainted sick:NoSchedule by its driver (toleration 0 has another key)"],
    );
}

/// The copies of a pod that names a claim itself share its devices.
#[test]
fn copies_that_share_devices_are_not_taken_for_more() {
    let objects = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .waiting("p", 1, PLAIN, "");
    has(
        &allocated(&objects, "--how-many"),
        &["x/p fits 10 times: 10 on a; all use the same devices, those of x/p-c."],
    );
}

/// Whose end a claim that is being deleted waits for, and what the pod needs then.
#[test]
fn a_claim_that_is_being_deleted_has_its_users() {
    let objects = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .holding("h", "", PLAIN, &["g0"])
        .pod(
            "p",
            1,
            &format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: h-c}}]"),
            "{phase: Pending}",
        );
    let objects = Objects(objects.0.replace(
        "uid: h-c}",
        "uid: h-c, deletionTimestamp: '2026-09-01T00:00:00Z'}",
    ));
    has(
        &objects.why("p"),
        &[
            "resourceclaim \"h-c\" is being deleted",
            "ResourceClaim `h-c` is gone once those that it is reserved for have ended (h); the pod then waits until one of this name is made again.",
        ],
    );
}

/// A pod of a StatefulSet and a plain one that share a claim end by a command each.
#[test]
fn users_of_a_claim_with_several_makers_end_by_several_commands() {
    let objects = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .holding("web-0", "StatefulSet/web", PLAIN, &["g0"])
        .running(
            "debug",
            "",
            &format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: web-0-c}}]"),
        )
        .waiting("p", 1, PLAIN, "");
    let objects = Objects(objects.0.replace(
        "reservedFor: [",
        "reservedFor: [{resource: pods, name: debug, uid: debug}, ",
    ));
    has(
        &objects.why("p"),
        &[
            "What helps: ending pods x/debug, x/web-0: gives g0 on a",
            "kubectl delete pod debug -n x; kubectl scale statefulset web -n x --replicas=0",
        ],
    );
}

/// Nodes with the same reasons are said together, however many reasons there are.
#[test]
fn nodes_with_the_same_reasons_are_in_one_line() {
    let mut objects = Objects::new();
    for at in 0..40_u32 {
        let device = format!("{{name: g0, attributes: {{size: {{int: {}}}}}}}", at % 13);
        objects = objects.node(&format!("n{at:02}"), "{}", 8, &[&device]);
    }
    let selector =
        ", selectors: [{cel: {expression: \"device.attributes['gpu.example.com'].size > 90\"}}]";
    let told = allocated(&objects.waiting("p", 1, PLAIN, selector), "--pod x/p");
    let groups = told.split("x/p on ").next().unwrap_or_default();
    for size in 0..13 {
        let reason = format!("(gpu.example.com/size is {size})");
        assert!(groups.matches(&reason).count() <= 1, "{told}");
    }
}

/// A pool that is not whole gives nobody devices: nothing of the pod or its claim is to be changed.
#[test]
fn the_driver_of_an_incomplete_pool_is_referred_to() {
    let mut objects = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .waiting("p", 1, PLAIN, "");
    objects.0 = objects
        .0
        .replace("resourceSliceCount: 1", "resourceSliceCount: 3");
    let told = objects.why("p");
    has(
        &told,
        &[
            "Nobody gets devices of pool gpu.example.com/a before its driver publishes 3 slices of it, not 1. Look into the driver's log on the node.",
        ],
    );
    lacks(&told, &["No single change helps"]);
    // A pool of another class is not the reason.
    let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: nic}, spec: {selectors: [{cel: {expression: device.driver == 'nic.example.com'}}]}}";
    let other = objects.with(class);
    let other = Objects(other.0.replace(
        "exactly: {deviceClassName: gpu}",
        "exactly: {deviceClassName: nic}",
    ));
    lacks(&other.why("p"), &["Nobody gets devices"]);
}

/// Where only some nodes have devices, and those are too small, that is the reason.
#[test]
fn nodes_with_devices_that_are_too_small_are_named() {
    let without = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, status: {{allocatable: {{cpu: '32', memory: 8Gi, pods: '10'}}, conditions: [{{type: Ready, status: 'True'}}]}}}}"
        )
    };
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with(&without("b"))
        .with(&without("c"))
        .waiting("p", 1, &CPU_2.replace("'2'", "'8'"), "");
    has(
        &objects.why("p"),
        &["The other nodes have no devices, and a is not large enough: cpu 8 wanted, 4 at most."],
    );
}

/// A claim that is not reserved keeps its devices when the pod ends that uses it: it is deleted, too.
#[test]
fn a_claim_that_is_not_reserved_outlives_its_user() {
    let unreserved = |spec: &str, wanted: &str| {
        let objects = Objects::new()
            .node("a", "{}", 4, &[GPU])
            .holding("h", "", spec, &["g0"]);
        Objects(objects.0.replace(
            "reservedFor: [{resource: pods, name: h, uid: h}]",
            "reservedFor: []",
        ))
        .waiting("p", 1, wanted, "")
        .why("p")
    };
    has(
        &unreserved(PLAIN, PLAIN),
        &[
            "What helps: freeing claim x/h-c: gives g0 on a kubectl delete pod h -n x; kubectl delete resourceclaim h-c -n x",
        ],
    );
    // Room alone is not enough, and the pod ends once.
    let told = unreserved(CPU_2, &CPU_2.replace("'2'", "'4'"));
    has(
        &told,
        &[
            "What helps: freeing claim x/h-c: gives g0 on a kubectl delete pod h -n x; kubectl delete resourceclaim h-c -n x",
        ],
    );
    lacks(&told, &["making room"]);
}

/// What a change frees may go to a pod that is tried first, also where a step beside it cannot be tried.
#[test]
fn what_is_freed_beside_a_change_that_is_not_tried_is_promised_less() {
    let objects = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .holding("h", "", PLAIN, &["g0"])
        .waiting("first", 1, PLAIN, "")
        .waiting("p", 2, &format!("{PLAIN}, nodeSelector: {{zone: b}}"), "");
    has(
        &objects.why("p"),
        &["freeing claim x/h-c: gives g0 on a, unless a pod that is tried first takes them"],
    );
}
