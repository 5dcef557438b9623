//! What `why` suggests: each change was tried with all pods in turn, harms nobody unsaid, and comes in the order of what it costs.

use crate::files::Files;

/// A cluster of a few objects, each a line of a List.
#[derive(Clone, Default)]
struct Objects(String);

impl Objects {
    /// A class for GPUs.
    fn new() -> Self {
        Objects::default()
            .with("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}")
    }

    fn with(mut self, object: &str) -> Self {
        self.0.push_str(&format!("- {object}\n"));
        self
    }

    /// A node with these devices; `spec`: of the node; `cpu`: how many it has.
    fn node(self, name: &str, spec: &str, cpu: u32, devices: &[&str]) -> Self {
        self.with(&format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, spec: {spec}, status: {{allocatable: {{cpu: '{cpu}', memory: 8Gi, pods: '10'}}, conditions: [{{type: Ready, status: 'True'}}]}}}}"
        ))
        .slice(name, devices)
    }

    fn slice(self, node: &str, devices: &[&str]) -> Self {
        self.with(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: s-{node}}}, spec: {{driver: gpu.example.com, nodeName: {node}, pool: {{name: {node}, generation: 1, resourceSliceCount: 1}}, devices: [{}]}}}}",
            devices.join(", ")
        ))
    }

    /// A pod that waits since an hour for the devices of claim `NAME-c`; `spec`: more of its own; `request`: of the claim.
    fn waiting(self, name: &str, hour: u32, spec: &str, request: &str) -> Self {
        self.with(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {name}-c, namespace: x, uid: {name}-c}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu{request}}}}}]}}}}}}"
        ))
        .pod(name, hour, &format!("{spec}, resourceClaims: [{{name: g, resourceClaimName: {name}-c}}]"), "{phase: Pending}")
    }

    /// A pod on node `a` that holds devices; `owner`: the kind and name of its maker.
    fn holding(self, name: &str, owner: &str, spec: &str, devices: &[&str]) -> Self {
        let results = devices.iter().map(|device| {
            format!("{{request: r, driver: gpu.example.com, pool: a, device: {device}}}")
        });
        let results: Vec<String> = results.collect();
        self.with(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {name}-c, namespace: x, uid: {name}-c}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, count: {}}}}}]}}}}, status: {{allocation: {{devices: {{results: [{}]}}}}, reservedFor: [{{resource: pods, name: {name}, uid: {name}}}]}}}}",
            devices.len(),
            results.join(", ")
        ))
        .running(name, owner, &format!("{spec}, resourceClaims: [{{name: g, resourceClaimName: {name}-c}}]"))
    }

    /// A pod that runs on node `a`.
    fn running(self, name: &str, owner: &str, spec: &str) -> Self {
        let owners = match owner.split_once('/') {
            None => String::new(),
            Some((kind, maker)) => format!(
                ", ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {maker}, uid: {maker}, controller: true}}]"
            ),
        };
        self.with(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x, uid: {name}{owners}}}, spec: {{nodeName: a{spec}}}, status: {{phase: Running}}}}"
        ))
    }

    fn pod(self, name: &str, hour: u32, spec: &str, status: &str) -> Self {
        self.with(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x, uid: {name}, creationTimestamp: '2026-09-01T0{hour}:00:00Z'}}, spec: {{priority: 0{spec}}}, status: {status}}}"
        ))
    }

    /// Returns what `why` says of a pod, each line's words with one space between.
    fn why(&self, pod: &str) -> String {
        let out = self.why_in_full(pod);
        let lines = out.lines().count();
        assert!(lines <= 12, "{lines} lines: {out}");
        words_of(&out)
    }

    /// Returns all that `why` says with these words.
    fn why_in_full(&self, words: &str) -> String {
        let text = format!("apiVersion: v1\nkind: List\nitems:\n{}", self.0);
        let mut host = Files::of(&[("objects.yaml", &text)]);
        host.run(&format!("why -n x -f objects.yaml {words}"));
        assert!(!host.out.is_empty(), "{}", host.err);
        host.out
    }
}

fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

const GPU: &str = "{name: g0}";
const CPU_2: &str = ", containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]";
const PLAIN: &str = ", containers: [{name: c, image: i}]";

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "without {part:?}: {text}");
    }
}

fn lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "says {part:?}: {text}");
    }
}

/// A node that goes away or is out of order gets no pod: neither a toleration nor the end of the taint helps anybody.
#[test]
fn no_pod_is_sent_to_a_node_that_goes_away() {
    let tainted = |key: &str| format!("{{taints: [{{key: '{key}', effect: NoSchedule}}]}}");
    for key in [
        "node.kubernetes.io/out-of-service",
        "node.cloudprovider.kubernetes.io/shutdown",
        "karpenter.sh/disrupted",
        "ToBeDeletedByClusterAutoscaler",
        "cloud.google.com/impending-node-termination",
        "aws-node-termination-handler/spot-itn",
    ] {
        let objects = Objects::new().node("a", &tainted(key), 4, &[GPU]);
        let told = objects.waiting("p", 1, PLAIN, "").why("p");
        lacks(&told, &["What helps", "kubectl"]);
        has(&told, &["Nothing is suggested for a"]);
    }
    let objects = Objects::new().node("a", &tainted("dedicated"), 4, &[GPU]);
    let told = objects.clone().waiting("p", 1, PLAIN, "").why("p");
    has(&told, &["kubectl taint node a dedicated:NoSchedule-"]);
    // Others that wait would take the node first: the pod tolerates the taint itself.
    let told = objects
        .waiting("p", 2, PLAIN, "")
        .waiting("q", 1, PLAIN, "")
        .why("p");
    has(
        &told,
        &["add `{key: dedicated, operator: Exists, effect: NoSchedule}` to `spec.tolerations`"],
    );
    let mut unready = Objects::new().node("a", "{unschedulable: true}", 4, &[GPU]);
    unready.0 = unready.0.replace("status: 'True'", "status: Unknown");
    lacks(&unready.waiting("p", 1, PLAIN, "").why("p"), &["uncordon"]);
}

/// What a taint of a device says is heeded first: a pod that tolerates it may find that the device does not work.
#[test]
fn tolerating_a_taint_of_a_device_comes_last() {
    let broken = "{name: g0, taints: [{key: sick, effect: NoSchedule}]}";
    let objects = Objects::new().node("a", "{}", 4, &[broken, "{name: g1}"]);
    let told = objects
        .holding("h", "", PLAIN, &["g1"])
        .waiting("p", 1, PLAIN, "")
        .why("p");
    let freed = told.find("freeing claim x/h-c").unwrap_or(usize::MAX);
    assert!(
        told.find("tolerating sick").is_some_and(|at| at > freed),
        "{told}"
    );
}

/// A rule that taints a device is taken back, if what it was for is over.
#[test]
fn a_rule_that_taints_a_device_is_named() {
    let rule = "{apiVersion: resource.k8s.io/v1beta2, kind: DeviceTaintRule, metadata: {name: sick}, spec: {deviceSelector: {driver: gpu.example.com}, taint: {key: bad, effect: NoExecute, timeAdded: '2026-09-01T00:00:00Z'}}}";
    let objects = Objects::new().node("a", "{}", 4, &[GPU]).with(rule);
    let told = objects.waiting("p", 1, PLAIN, "").why("p");
    has(
        &told,
        &[
            "tolerating bad:NoExecute in request r, which takes the device from other pods: gives g0 on a",
            "or, if it is over, kubectl delete devicetaintrule sick",
        ],
    );
}

/// A set that makes the pod itself is not scaled: the pod would end first.
#[test]
fn no_way_ends_the_pod_that_waits() {
    let objects = Objects::new().node("a", "{}", 4, &[GPU]).holding(
        "web-a",
        "ReplicaSet/web",
        PLAIN,
        &["g0"],
    );
    let mut objects = objects.waiting("p", 1, PLAIN, "");
    objects.0 = objects.0.replace(
        "{name: p, namespace: x, uid: p,",
        "{name: p, namespace: x, uid: p, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web, controller: true}],",
    );
    lacks(&objects.why("p"), &["kubectl scale"]);
}

/// Room is made by pods that run and do not come back: they are named, with the command.
#[test]
fn making_room_names_the_pods_that_end() {
    let objects = Objects::new().node("a", "{}", 4, &[GPU]);
    let wants_3 = CPU_2.replace("'2'", "'3'");
    let asked = |owner: &str| {
        let running = objects.clone().running("lo", owner, CPU_2);
        running.waiting("p", 1, &wants_3, "").why("p")
    };
    has(
        &asked(""),
        &["making room: end pod x/lo (cpu 2): gives g0 on a (kubectl delete pod lo -n x)"],
    );
    has(
        &asked("ReplicaSet/web"),
        &["kubectl scale replicaset web -n x --current-replicas=1 --replicas=0"],
    );
    for owner in ["DaemonSet/d", "Node/a"] {
        lacks(&asked(owner), &["making room", "What helps"]);
    }
    // One of two is enough only if it is large enough.
    let two = objects
        .clone()
        .running("one", "", &CPU_2.replace("'2'", "'1'"))
        .running("two", "", &CPU_2.replace("'2'", "'1'"));
    let told = two
        .waiting("p", 1, &CPU_2.replace("'2'", "'4'"), "")
        .why("p");
    has(&told, &["making room: end pods x/one, x/two (cpu 2)"]);
}

/// Pods that wait, too, and come first have the room: nobody can end.
#[test]
fn room_that_waiting_pods_get_is_not_made() {
    let objects = Objects::new().node("a", "{}", 3, &[GPU, "{name: g1}"]);
    let both = objects
        .waiting("first", 1, CPU_2, "")
        .waiting("p", 2, CPU_2, "");
    let told = both.why("p");
    lacks(&told, &["making room"]);
    has(
        &told,
        &["The room is given to x/first, which is placed before."],
    );
    // Of many pods each reason has it once.
    let many = both.waiting("q", 3, CPU_2, "").waiting("r", 4, CPU_2, "");
    let told = many.why("");
    lacks(&told, &["making room", "helps"]);
    has(
        &told,
        &["The room is given to x/first, which is placed before."],
    );
}

/// Where preemption is under way, it is said, and nothing else is suggested.
#[test]
fn preemption_that_is_under_way_is_said() {
    let objects = Objects::new()
        .node("a", "{}", 3, &[GPU])
        .running("lo", "", CPU_2);
    let mut objects = objects.with("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: p-c, namespace: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}");
    let spec = format!("{CPU_2}, resourceClaims: [{{name: g, resourceClaimName: p-c}}]")
        .replacen(',', ", x: 0,", 1);
    objects = objects.pod("p", 1, &spec, "{phase: Pending, nominatedNodeName: a}");
    objects.0 = objects
        .0
        .replace("priority: 0, x: 0", "priority: 9")
        .replace(
            "uid: lo}",
            "uid: lo, deletionTimestamp: '2026-09-01T05:30:00Z'}",
        );
    let told = objects.why("p");
    has(
        &told,
        &[
            "Preemption is under way: the pod is nominated to a, where x/lo (deletionTimestamp 2026-09-01T05:30:00Z) is ending.",
        ],
    );
    lacks(&told, &["making room", "What helps"]);
}

/// The users of volumes, StatefulSets, classes and priorities: each way that is there is said.
#[test]
fn ways_beside_devices_are_tried() {
    let objects = Objects::new().node("a", "{}", 4, &[GPU]);
    // The last pods of a StatefulSet end first.
    let two = Objects::new()
        .node("a", "{}", 4, &[GPU, "{name: g1}"])
        .holding("web-0", "StatefulSet/web", PLAIN, &["g0"])
        .holding("web-1", "StatefulSet/web", PLAIN, &["g1"]);
    has(
        &two.waiting("p", 1, PLAIN, "").why("p"),
        &[
            "ending pod x/web-1: gives g1 on a kubectl scale statefulset web -n x --current-replicas=2 --replicas=1",
        ],
    );
    let mut class = objects.clone();
    class.0 = class.0.replace(
        "metadata: {name: gpu}}",
        "metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == \"gpu.exmaple.com\"'}}]}}",
    );
    has(
        &class.clone().waiting("p", 1, PLAIN, "").why("p"),
        &[
            "driver gpu.example.com in place of gpu.exmaple.com in DeviceClass gpu: gives g0 on a",
            "kubectl patch deviceclass gpu --type=json",
        ],
    );
    // Another driver is not a misspelt one.
    let mut other = class;
    other.0 = other.0.replace("gpu.exmaple.com", "nic.example.com");
    let told = other.waiting("p", 1, PLAIN, "").why("p");
    has(&told, &["No single change helps"]);
    let higher = objects.waiting("p", 1, PLAIN, "");
    let mut higher = higher.waiting("q", 2, ", x: 0, containers: [{name: c, image: i}]", "");
    higher.0 = higher.0.replace("priority: 0, x: 0", "priority: 5");
    has(
        &higher.why("p"),
        &["a higher priority than 5, which x/q has: gives g0 on a"],
    );
}

/// A volume that one pod may use is free once that pod ends.
#[test]
fn the_user_of_a_volume_is_named() {
    let volume = ", volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]";
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: csi.example.com, volumeBindingMode: Immediate}")
        .with("{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {storageClassName: fast, accessModes: [ReadWriteOncePod], capacity: {storage: 1Gi}, claimRef: {name: data, namespace: x, uid: d}, csi: {driver: csi.example.com, volumeHandle: pv}}, status: {phase: Bound}}")
        .with("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: x, uid: d, annotations: {pv.kubernetes.io/bind-completed: 'yes'}}, spec: {storageClassName: fast, volumeName: pv, accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}, status: {phase: Bound}}")
        .running("u", "", &format!("{PLAIN}{volume}"));
    let told = objects
        .waiting("p", 1, &format!("{PLAIN}{volume}"), "")
        .why("p");
    has(
        &told,
        &["ending pod x/u, which uses its volume: gives g0 on a (kubectl delete pod u -n x)"],
    );
}

/// What two steps give may go to a pod that waits longer, like what one gives.
#[test]
fn each_kind_of_change_is_tried_with_all_pods() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .holding("h", "", PLAIN, &["g0"])
        .waiting("p", 1, PLAIN, "")
        .waiting("q", 2, PLAIN, ", count: 2");
    has(
        &objects.why("p"),
        &["freeing claim x/h-c: gives g0 on a (kubectl delete pod h -n x)"],
    );
    let told = objects.why("q");
    lacks(&told, &["What helps", "unless"]);
    has(&told, &["What would help goes to pods that wait longer."]);
    let cordoned = Objects::new()
        .node("a", "{unschedulable: true}", 4, &[GPU])
        .waiting("p", 2, PLAIN, "")
        .waiting("q", 1, PLAIN, "");
    has(
        &cordoned.why("q"),
        &["uncordoning the node: gives the pod its devices on a (kubectl uncordon a)"],
    );
    lacks(&cordoned.why("p"), &["uncordoning"]);
}

/// The guard gives the device that was asked for; without the selector any is taken. The error is said once.
#[test]
fn a_guard_comes_before_dropping_the_selector() {
    let objects = Objects::new().node(
        "a",
        "{}",
        4,
        &[GPU, "{name: g1, capacity: {mem: {value: 20Gi}}}"],
    );
    let selector = "device.capacity[\"gpu.example.com\"].mem.compareTo(quantity(\"10Gi\")) >= 0";
    let request = format!(", selectors: [{{cel: {{expression: '{selector}'}}}}]");
    let told = objects.waiting("p", 1, PLAIN, &request).why("p");
    has(
        &told,
        &["What helps: a guard in selector 0 of request r: gives g1 on a"],
    );
    has(
        &told,
        &["\\\"mem\\\" in device.capacity[\\\"gpu.example.com\\\"] && device.capacity"],
    );
    assert_eq!(told.matches("no such key").count(), 1, "{told}");
}

/// A name that devices have comes before dropping what names it.
#[test]
fn a_name_that_devices_have_is_suggested() {
    let device = |name: &str| {
        format!("{{name: {name}, attributes: {{numa: {{int: 0}}, model: {{string: A}}}}}}")
    };
    let objects = Objects::new().node("a", "{}", 4, &[&device("g0"), &device("g1")]);
    let mut constrained = objects.clone().waiting("p", 1, PLAIN, ", count: 2");
    constrained.0 = constrained.0.replace(
        "spec: {devices: {requests",
        "spec: {devices: {constraints: [{matchAttribute: gpu.example.com/numma}], requests",
    );
    has(
        &constrained.why("p"),
        &[
            "What helps: gpu.example.com/numa in place of gpu.example.com/numma in constraint 0: gives g0, g1 on a",
        ],
    );
    let selector = ", selectors: [{cel: {expression: 'device.attributes[\"gpu.example.com\"].modell == \"A\"'}}]";
    has(
        &objects.waiting("p", 1, PLAIN, selector).why("p"),
        &["What helps: model in place of modell in selector 0 of request r: gives g0 on a"],
    );
}

/// What costs least comes first, a command comes once, and what it ends is said.
#[test]
fn what_costs_least_comes_first() {
    let gpus = ["{name: g0}", "{name: g1}", "{name: g2}"];
    let objects = Objects::new().node("a", "{}", 4, &gpus);
    let sizes = objects
        .clone()
        .holding("big", "", PLAIN, &["g0", "g1"])
        .holding("small", "", PLAIN, &["g2"])
        .waiting("p", 1, PLAIN, "");
    has(
        &sizes.why("p"),
        &["What helps: freeing claim x/small-c: gives g2 on a"],
    );
    let job = objects
        .clone()
        .holding("t0", "Job/train", PLAIN, &["g0"])
        .holding("t1", "Job/train", PLAIN, &["g1"])
        .holding("t2", "Job/train", PLAIN, &["g2"])
        .waiting("p", 1, PLAIN, "");
    let told = job.why("p");
    assert_eq!(
        told.matches("kubectl delete job train -n x").count(),
        1,
        "{told}"
    );
    has(&told, &["which ends pods x/t0, x/t1, x/t2: gives g0 on a"]);
    let important = PLAIN.replacen(',', ", priority: 2000,", 1);
    let crit = objects
        .holding("crit", "", &important, &["g0", "g1", "g2"])
        .waiting("p", 1, PLAIN, "");
    has(&crit.why("p"), &["which ends pod x/crit of priority 2000"]);
}

/// A pod that is gone or has ended is not deleted: its reservation is left over, as audits say.
#[test]
fn a_reservation_that_is_left_over_is_said() {
    let mut ended = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .holding("h", "", PLAIN, &["g0"])
        .waiting("p", 1, PLAIN, "");
    ended.0 = ended.0.replace("{phase: Running}", "{phase: Succeeded}");
    let told = ended.why("p");
    has(
        &told,
        &["pod h has ended: kube-controller-manager takes the reservation back"],
    );
    lacks(&told, &["kubectl"]);
}

/// A claim that others share is not taken from them: the pod gets one of its own.
#[test]
fn a_shared_claim_is_left_to_its_users() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .node("b", "{}", 4, &[GPU]);
    let users = |count: u32| {
        let users = (0..count).map(|at| format!("{{resource: pods, name: u{at}, uid: u{at}}}"));
        users.collect::<Vec<String>>().join(", ")
    };
    let shared = |count: u32| {
        format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: sh, namespace: x, uid: sh}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}, status: {{allocation: {{nodeSelector: {{nodeSelectorTerms: [{{matchFields: [{{key: metadata.name, operator: In, values: [a]}}]}}]}}, devices: {{results: [{{request: r, driver: gpu.example.com, pool: a, device: g0}}]}}}}, reservedFor: [{}]}}}}",
            users(count)
        )
    };
    let spec = format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: sh}}]");
    let full = objects
        .with(&shared(256))
        .pod("p", 1, &spec, "{phase: Pending}");
    let told = full.why("p");
    has(
        &told,
        &[
            "x/p waits: its ResourceClaim x/sh is reserved for 256 already, the most that there can be.",
            "a claim of its own in place of x/sh: gives g0 on b",
        ],
    );
    lacks(&told, &["freeing claim"]);
}

/// A pod that is taken alone gets only suggestions that were tried with it alone.
#[test]
fn changes_are_tried_with_a_pod_alone() {
    let device = "{name: g0, attributes: {model: {string: A}}}";
    let selector = |name: &str, value: &str| {
        format!(
            ", selectors: [{{cel: {{expression: 'device.attributes[\"gpu.example.com\"].{name} == \"{value}\"'}}}}]"
        )
    };
    let objects = Objects::new().node("a", "{}", 4, &[device]);
    let named = objects
        .clone()
        .waiting("p", 1, PLAIN, &selector("modell", "A"));
    // In turn this one comes first and takes the device.
    let named = named.waiting("o", 0, PLAIN, "");
    has(
        &named.why("p --alone"),
        &["What helps: model in place of modell in selector 0 of request r: gives g0 on a"],
    );
    lacks(&named.why("p"), &["gives g0 on a"]);
    let in_vain = objects.waiting("p", 1, PLAIN, &selector("modell", "B"));
    lacks(&in_vain.why("p --alone"), &["model in place of modell"]);
}

/// Who must run beside another pod is not helped by the end of that pod.
#[test]
fn the_pod_beside_which_another_must_run_does_not_end() {
    let beside = ", labels: {app: b}, affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: {app: b}}, topologyKey: kubernetes.io/hostname}]}}";
    let affinity = beside.replace(", labels: {app: b}", "");
    let spec = format!("{affinity}{PLAIN}");
    let mut objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .holding("h", "", PLAIN, &["g0"])
        .waiting("p", 1, &spec, "");
    objects.0 = objects.0.replace(
        "{name: a}, spec",
        "{name: a, labels: {kubernetes.io/hostname: a}}, spec",
    );
    objects.0 = objects.0.replace(
        "kind: Pod, metadata: {name: h,",
        "kind: Pod, metadata: {name: h, labels: {app: b},",
    );
    lacks(&objects.why("p"), &["kubectl delete pod h"]);
    let mut without = objects;
    without.0 = without.0.replace(&affinity, "");
    has(&without.why("p"), &["kubectl delete pod h -n x"]);
}

/// Two steps that end the same pod are tried as one end of it.
#[test]
fn a_pod_ends_once() {
    let results = |claim: &str, device: &str| {
        format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {claim}, namespace: x, uid: {claim}}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}, status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: a, device: {device}}}]}}}}, reservedFor: [{{resource: pods, name: h, uid: h}}]}}}}"
        )
    };
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU, "{name: g1}"])
        .with(&results("h-0", "g0"))
        .with(&results("h-1", "g1"))
        .running("h", "", &format!("{PLAIN}, resourceClaims: [{{name: c, resourceClaimName: h-0}}, {{name: d, resourceClaimName: h-1}}]"))
        .waiting("p", 1, PLAIN, ", count: 2")
        .waiting("q", 2, PLAIN, ", count: 2");
    let told = words_of(&objects.why_in_full("p"));
    has(&told, &["gives g0, g1 on a"]);
    assert_eq!(told.matches("kubectl delete pod h").count(), 1, "{told}");
    // The devices go to the pod that waits longer.
    lacks(&words_of(&objects.why_in_full("q")), &["gives g0, g1 on a"]);
}

/// Of many pods the changes are tried for one of each reason: the others refer to it, and say of what else might help that it was not
/// tried.
#[test]
fn pods_refer_to_the_one_whose_changes_were_tried() {
    let mut objects = Objects::new().node("a", "{}", 40, &[GPU, "{name: g1}", "{name: g2}"]);
    for number in 0..20 {
        objects = objects.waiting(&format!("p{number:02}"), 1, PLAIN, ", count: 4");
    }
    let all = words_of(&objects.why_in_full("--all"));
    has(
        &all,
        &[
            "count 3 instead of 4 in request r: gives g0, g1, g2 on a in x/p00-c, made anew",
            "count 3 instead of 4 in request r: as for x/p00 in x/p01-c, made anew",
            "count 3 instead of 4 in request r: as for x/p00 in x/p19-c, made anew",
        ],
    );
    let short = words_of(&objects.why_in_full(""));
    has(
        &short,
        &["helps x/p00: count 3 instead of 4 in request r: gives g0, g1, g2 on a"],
    );
}
