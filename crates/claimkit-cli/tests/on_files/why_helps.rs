//! What `why` suggests: each change was tried with all pods in turn, harms nobody unsaid, and comes in the order of what it costs.

use crate::files::Files;

/// A cluster of a few objects, each a line of a List.
#[derive(Clone, Default)]
pub struct Objects(pub String);

impl Objects {
    /// A class for GPUs.
    pub fn new() -> Self {
        Objects::default()
            .with("{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}")
    }

    pub fn with(mut self, object: &str) -> Self {
        self.0.push_str(&format!("- {object}\n"));
        self
    }

    /// A node with these devices; `spec`: of the node; `cpu`: how many it has.
    pub fn node(self, name: &str, spec: &str, cpu: u32, devices: &[&str]) -> Self {
        self.with(&format!(
            "{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}, spec: {spec}, status: {{allocatable: {{cpu: '{cpu}', memory: 8Gi, pods: '10'}}, conditions: [{{type: Ready, status: 'True'}}]}}}}"
        ))
        .slice(name, devices)
    }

    pub fn slice(self, node: &str, devices: &[&str]) -> Self {
        self.with(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: s-{node}}}, spec: {{driver: gpu.example.com, nodeName: {node}, pool: {{name: {node}, generation: 1, resourceSliceCount: 1}}, devices: [{}]}}}}",
            devices.join(", ")
        ))
    }

    /// A pod that waits since an hour for the devices of claim `NAME-c`; `spec`: more of its own; `request`: of the claim.
    pub fn waiting(self, name: &str, hour: u32, spec: &str, request: &str) -> Self {
        self.with(&format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {name}-c, namespace: x, uid: {name}-c}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu{request}}}}}]}}}}}}"
        ))
        .pod(name, hour, &format!("{spec}, resourceClaims: [{{name: g, resourceClaimName: {name}-c}}]"), "{phase: Pending}")
    }

    /// A pod on node `a` that holds devices; `owner`: the kind and name of its maker.
    pub fn holding(self, name: &str, owner: &str, spec: &str, devices: &[&str]) -> Self {
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
    pub fn running(self, name: &str, owner: &str, spec: &str) -> Self {
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

    pub fn pod(self, name: &str, hour: u32, spec: &str, status: &str) -> Self {
        self.with(&format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: x, uid: {name}, creationTimestamp: '2026-09-01T0{hour}:00:00Z'}}, spec: {{priority: 0{spec}}}, status: {status}}}"
        ))
    }

    /// Returns what `why` says of a pod, each line's words with one space between.
    pub fn why(&self, pod: &str) -> String {
        let out = self.why_in_full(pod);
        let lines = out.lines().count();
        assert!(lines <= 12, "{lines} lines: {out}");
        words_of(&out)
    }

    /// Returns the List of all objects.
    pub fn list(&self) -> String {
        format!("apiVersion: v1\nkind: List\nitems:\n{}", self.0)
    }

    /// Returns all that `why` says with these words.
    pub fn why_in_full(&self, words: &str) -> String {
        let text = self.list();
        let mut host = Files::of(&[("objects.yaml", &text)]);
        host.run(&format!("why -n x -f objects.yaml {words}"));
        assert!(!host.out.is_empty(), "{}", host.err);
        host.out
    }
}

pub fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

pub const GPU: &str = "{name: g0}";
pub const CPU_2: &str = ", containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]";
pub const PLAIN: &str = ", containers: [{name: c, image: i}]";

pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "without {part:?}: {text}");
    }
}

pub fn lacks(text: &str, parts: &[&str]) {
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
            "tolerating bad:NoExecute in request r, though the taint keeps all pods off the device: gives g0 on a",
            "or, if it is over, kubectl delete devicetaintrule sick",
        ],
    );
}

/// Without one of two rules the devices keep the taint, as they do if their driver sets it, too.
#[test]
fn all_rules_that_taint_a_device_are_taken_back() {
    let rule = |name: &str, device: &str| {
        format!(
            "{{apiVersion: resource.k8s.io/v1beta2, kind: DeviceTaintRule, metadata: {{name: {name}}}, spec: {{deviceSelector: {{driver: gpu.example.com, device: {device}}}, taint: {{key: bad, effect: NoSchedule}}}}}}"
        )
    };
    let asked = |device: &str, rules: &[String]| {
        let objects = Objects::new().node("a", "{}", 4, &[device]);
        let objects = rules
            .iter()
            .fold(objects, |objects, rule| objects.with(rule));
        objects.waiting("p", 1, PLAIN, "").why("p")
    };
    let rules = [rule("r1", "g0"), rule("r2", "g0"), rule("r3", "other")];
    let told = asked(GPU, &rules);
    has(
        &told,
        &["or, if it is over, kubectl delete devicetaintrule r1 r2"],
    );
    lacks(&told, &["r3"]);
    let tainted = "{name: g0, taints: [{key: bad, effect: NoSchedule}]}";
    let told = asked(tainted, &rules);
    has(&told, &["tolerating bad:NoSchedule"]);
    lacks(&told, &["devicetaintrule"]);
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
        &["kubectl scale replicaset web -n x --replicas=0"],
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
        &["ending pod x/web-1: gives g1 on a (kubectl scale statefulset web -n x --replicas=1)"],
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
        &[
            "ending pod x/u, which uses PersistentVolumeClaim x/data: gives g0 on a (kubectl delete pod u -n x)",
        ],
    );
}

/// What two steps give may go to a pod that is tried first, like what one gives: it is named, with the reason.
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
    has(
        &told,
        &["What would help goes to x/p, which is tried first."],
    );
    let mut urgent = objects;
    urgent.0 = urgent.0.replace(
        "02:00:00Z'}, spec: {priority: 0",
        "00:00:00Z'}, spec: {priority: -5",
    );
    has(
        &urgent.why("q"),
        &["What would help goes to x/p, whose priority is higher."],
    );
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
        &["'\"mem\" in device.capacity[\"gpu.example.com\"] && device.capacity"],
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
    // The devices go to the pod that is tried first.
    lacks(&words_of(&objects.why_in_full("q")), &["gives g0, g1 on a"]);
}

/// What one change gives may go to the pod that is tried first: two of them are enough for both.
#[test]
fn as_much_is_freed_as_both_pods_need() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU, "{name: g1}"])
        .holding("h", "", PLAIN, &["g0"])
        .holding("i", "", PLAIN, &["g1"])
        .waiting("p", 1, PLAIN, "")
        .waiting("q", 2, PLAIN, "");
    has(
        &words_of(&objects.why_in_full("q")),
        &[
            "ending pods x/h, x/i: gives g1 on a",
            "(kubectl delete pod h i -n x)",
        ],
    );
    lacks(&words_of(&objects.why_in_full("p")), &[" and freeing"]);
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

/// Where no device has the value of a selector, what they have is said, and which was meant, wherever it is.
#[test]
fn a_value_that_devices_have_is_suggested() {
    let cluster = |expression: &str| {
        let device = |name: &str, model: &str| {
            format!("{{name: {name}, attributes: {{model: {{string: {model}}}}}}}")
        };
        let selected = format!(", selectors: [{{cel: {{expression: \"{expression}\"}}}}]");
        Objects::new()
            .node("cpu-a", "{}", 4, &[])
            .node("cpu-b", "{}", 4, &[])
            .node("cpu-c", "{}", 4, &[])
            .node("a", "{}", 4, &[&device("g0", "NVIDIA H100 80GB")])
            .node("b", "{}", 4, &[&device("g0", "A100")])
            .waiting("p", 1, PLAIN, &selected)
            .why("p")
    };
    let model = "device.attributes['gpu.example.com'].model ==";
    let told = cluster(&format!("{model} 'a100'"));
    has(
        &told,
        &[
            "a: g0: selector 0 is false (gpu.example.com/model is \"NVIDIA H100 80GB\")",
            "`A100` in place of `a100` in selector 0 of request r: gives g0 on b",
        ],
    );
    has(
        &cluster(&format!("{model} 'H100'")),
        &["`NVIDIA H100 80GB` in place of `H100` in selector 0 of request r: gives g0 on a"],
    );
    // Other hardware is not meant.
    lacks(&cluster(&format!("{model} 'A200'")), &["in place of"]);
    // Nodes without devices come last.
    let first = told.find("a, b: r: 1 on the node").unwrap();
    let last = told.find("cpu-a, cpu-b, cpu-c").unwrap();
    assert!(first < last, "{told}");
}

/// A selector that reads a capacity as an attribute is told so.
#[test]
fn a_capacity_that_is_read_as_an_attribute_is_said() {
    let expression = "device.attributes['gpu.example.com'].memory >= 80";
    let told = Objects::new()
        .node(
            "a",
            "{}",
            4,
            &["{name: g0, capacity: {memory: {value: 80Gi}}}"],
        )
        .waiting(
            "p",
            1,
            PLAIN,
            &format!(", selectors: [{{cel: {{expression: \"{expression}\"}}}}]"),
        )
        .why("p");
    has(
        &told,
        &["memory is a capacity: `device.capacity['gpu.example.com'].memory`"],
    );
}

/// Where all nodes have the same label in place of the one that the pod selects, it is said.
#[test]
fn the_label_that_nodes_have_is_said() {
    let selecting = format!("{PLAIN}, nodeSelector: {{gpu: H100}}");
    let labeled = |of_b: &str| {
        let objects = Objects::new()
            .node("a", "{}", 4, &[GPU])
            .node("b", "{}", 4, &[GPU])
            .waiting("p", 1, &selecting, "");
        let text = objects
            .0
            .replace("{name: a},", "{name: a, labels: {gpu: h100}},");
        Objects(text.replace(
            "{name: b},",
            &format!("{{name: b, labels: {{gpu: {of_b}}}}},"),
        ))
        .why("p")
    };
    has(
        &labeled("h100"),
        &["a, b: nodeSelector gpu=H100: the node has gpu=h100"],
    );
    has(
        &labeled("a100"),
        &["a, b: nodeSelector gpu=H100: the nodes have gpu=h100, gpu=a100"],
    );
}

/// A lost node that would take the pod is named first.
#[test]
fn a_lost_node_that_would_take_the_pod_is_named() {
    let unreachable = "{taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, effect: NoExecute}]}";
    let cluster = |spec: &str, devices: &[&str]| {
        Objects::new()
            .node("a", "{}", 4, &[GPU, "{name: g1}"])
            .node("cpu", "{}", 4, &[])
            .node("lost", spec, 4, devices)
            .holding("h", "", PLAIN, &["g0"])
            .waiting("p", 1, PLAIN, ", count: 2")
            .why("p")
    };
    has(
        &cluster(unreachable, &[GPU, "{name: g1}"]),
        &[
            "What helps: bringing back lost, which is unreachable: gives g0, g1 on lost (kubectl describe node lost)",
        ],
    );
    lacks(&cluster(unreachable, &[GPU]), &["bringing back"]);
    let leaving = "{taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}, {key: karpenter.sh/disrupted, effect: NoSchedule}]}";
    lacks(&cluster(leaving, &[GPU, "{name: g1}"]), &["bringing back"]);
}

/// Where no pod is named, one that has a node and does not start for its devices is said, too.
#[test]
fn a_pod_that_does_not_start_on_its_node_is_listed() {
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: NAME-c, namespace: x, uid: NAME-c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}, status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: a, device: g0}]}}, reservedFor: [{resource: pods, name: NAME, uid: NAME}]}}";
    let spec =
        format!(", nodeName: a{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: NAME-c}}]");
    let event = "{apiVersion: v1, kind: Event, metadata: {name: e-NAME, namespace: x}, involvedObject: {kind: Pod, name: NAME, namespace: x, uid: NAME}, reason: FailedPrepareDynamicResources, message: 'prepare devices: plugin gpu.example.com not registered', type: Warning}";
    let cluster = |names: &[&str], is_stuck: bool| {
        let cluster = Objects::new().node("a", "{}", 4, &[GPU]);
        names.iter().fold(cluster, |objects, name| {
            let of = |text: &str| text.replace("NAME", name);
            let objects = objects
                .with(&of(claim))
                .pod(name, 1, &of(&spec), "{phase: Pending}");
            match is_stuck {
                true => objects.with(&of(event)),
                false => objects,
            }
        })
    };
    has(
        &words_of(&cluster(&["s"], true).why_in_full("")),
        &[
            "x/s has a node: a. It does not start: kubelet cannot prepare its devices: prepare devices: plugin gpu.example.com not registered.",
        ],
    );
    // A pod that is about to start is none.
    has(&cluster(&["s"], false).why_in_full(""), &["No pod waits."]);
    let told = words_of(&cluster(&["s", "t", "u", "v", "w"], true).why_in_full(""));
    has(
        &told,
        &[
            "x/u has a node: a.",
            "2 more pods have a node and do not start: x/v, x/w.",
        ],
    );
}

/// A driver that some slice has is not a misspelt one; nor is a short word of other letters.
#[test]
fn a_driver_of_another_node_is_not_renamed() {
    let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: 'device.driver == \"gpux.example.com\"'}}]}}";
    let objects = Objects::default()
        .with(class)
        .node("a", "{}", 4, &[GPU])
        .waiting("p", 1, PLAIN, "");
    has(&objects.why("p"), &["driver gpu.example.com in place of"]);
    let published = "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-b}, spec: {driver: gpux.example.com, nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: x0}]}}";
    lacks(&objects.clone().with(published).why("p"), &["in place of"]);
    let mut other = objects;
    other.0 = other.0.replace("gpux.example.com", "npu.example.com");
    lacks(&other.why("p"), &["in place of"]);
}

/// Of nodes that are alike each has its own users: the least important one ends first.
#[test]
fn the_users_of_nodes_that_are_alike_are_compared() {
    let urgent = PLAIN.replacen(',', ", priority: 1000,", 1);
    let on_b = |objects: Objects| Objects(objects.0.replace("POOL", "b"));
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .node("b", "{}", 4, &[GPU])
        .holding("prod", "", &urgent, &["g0"])
        .waiting("p", 1, PLAIN, "");
    let batch = Objects::default()
        .holding("batch", "", PLAIN, &["g0"])
        .0
        .replace("pool: a", "pool: POOL")
        .replace("nodeName: a", "nodeName: POOL");
    let told = on_b(Objects(objects.0 + &batch)).why("p");
    has(
        &told,
        &["What helps: freeing claim x/batch-c: gives g0 on b (kubectl delete pod batch -n x)"],
    );
}

/// Of nodes that are alike the first one may have users that no suggestion ends, be out of order, or help nobody: then the next is suggested.
#[test]
fn each_of_the_nodes_that_are_alike_is_tried() {
    let critical = PLAIN.replacen(',', ", priority: 2000001000,", 1);
    let member = format!("{PLAIN}, schedulingGroup: {{podGroupName: team}}");
    let group = "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: team, namespace: x, uid: team}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}";
    let unreachable = "{taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}]}";
    let cases = [
        ("{}", "", critical.as_str(), PLAIN),
        ("{}", "DaemonSet/dcgm", PLAIN, PLAIN),
        ("{}", "", &member, &member),
        (unreachable, "", PLAIN, PLAIN),
        ("{unschedulable: true}", "", PLAIN, PLAIN),
    ];
    for (node, owner, holder, waiting) in cases {
        let objects = Objects::new()
            .node("a", node, 4, &[GPU])
            .node("b", "{}", 4, &[GPU])
            .holding("h", owner, holder, &["g0"])
            .waiting("p", 1, waiting, "");
        let batch = Objects::default()
            .holding("batch", "", PLAIN, &["g0"])
            .0
            .replace("pool: a", "pool: b")
            .replace("nodeName: a", "nodeName: b");
        let mut cluster = Objects(objects.0 + &batch);
        if waiting == member {
            cluster = cluster.with(group);
        }
        let told = words_of(&cluster.why_in_full("p"));
        has(
            &told,
            &["freeing claim x/batch-c: gives g0 on b (kubectl delete pod batch -n x)"],
        );
    }
}

/// What helps on the first of the nodes that are alike is enough.
#[test]
fn nodes_that_are_alike_are_not_all_named() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .node("b", "{}", 4, &[GPU])
        .holding("h", "", PLAIN, &["g0"])
        .waiting("p", 1, PLAIN, "");
    let other = Objects::default()
        .holding("other", "", PLAIN, &["g0"])
        .0
        .replace("pool: a", "pool: b")
        .replace("nodeName: a", "nodeName: b");
    let told = Objects(objects.0 + &other).why("p");
    has(&told, &["freeing claim x/h-c: gives g0 on a"]);
    lacks(&told, &["x/other-c"]);
}

/// A ReplicaSet ends pods that are not ready before those whose deletion costs least.
#[test]
fn a_pod_that_does_not_end_first_is_not_annotated() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .holding("web-a", "ReplicaSet/web", PLAIN, &["g0"])
        .running("web-b", "ReplicaSet/web", PLAIN)
        .waiting("p", 1, PLAIN, "");
    let ready = "status: {phase: Running, conditions: [{type: Ready, status: 'True'}]}";
    let mut alike = objects.clone();
    alike.0 = alike.0.replace("status: {phase: Running}", ready);
    has(&alike.why("p"), &["kubectl annotate pod web-a -n x"]);
    let mut unready = objects;
    unready.0 = unready.0.replacen("status: {phase: Running}", ready, 1);
    let told = unready.why("p");
    lacks(&told, &["kubectl annotate"]);
    has(&told, &["replicaset/web makes pod web-a again"]);
}

/// What an object asks for may be more than the pods that it has.
#[test]
fn the_replicas_of_an_object_are_those_that_it_asks_for() {
    let set = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: x}, spec: {replicas: 3, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}";
    let told = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with(set)
        .holding("web-a", "ReplicaSet/web", PLAIN, &["g0"])
        .waiting("p", 1, PLAIN, "")
        .why("p");
    has(
        &told,
        &["kubectl scale replicaset web -n x --current-replicas=3 --replicas=0"],
    );
}

/// The second command for an object would expect the replicas before the first one, or ask for those that the first one left.
#[test]
fn pods_of_one_object_end_by_one_command() {
    let set = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web, namespace: x}, spec: {replicas: 3, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}";
    let holders = Objects::new()
        .node("a", "{}", 8, &[GPU, "{name: g1}"])
        .holding("web-a", "ReplicaSet/web", PLAIN, &["g0"])
        .holding("web-b", "ReplicaSet/web", PLAIN, &["g1"])
        .running("web-c", "ReplicaSet/web", PLAIN)
        .waiting("p", 1, PLAIN, ", count: 2");
    let crowded = Objects::new()
        .node("a", "{}", 6, &[GPU])
        .running("web-a", "ReplicaSet/web", CPU_2)
        .running("web-b", "ReplicaSet/web", CPU_2)
        .running("web-c", "ReplicaSet/web", CPU_2)
        .waiting("p", 1, &CPU_2.replace("'2'", "'4'"), "");
    for objects in [holders, crowded] {
        for (set, condition) in [(None, ""), (Some(set), " --current-replicas=3")] {
            let objects = match set {
                Some(set) => objects.clone().with(set),
                None => objects.clone(),
            };
            let told = objects.why("p");
            has(
                &told,
                &[&format!(
                    "kubectl annotate pod web-a web-b -n x controller.kubernetes.io/pod-deletion-cost=-1000 --overwrite && kubectl scale replicaset web -n x{condition} --replicas=1"
                )],
            );
        }
    }
}

/// Pods of a set whose ordinals do not begin at 0 end from the last one on, too.
#[test]
fn ordinals_of_a_set_may_start_later() {
    let set = "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web, namespace: x}, spec: {replicas: 2, ordinals: {start: 5}, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}";
    let told = Objects::new()
        .node("a", "{}", 4, &[GPU, "{name: g1}"])
        .with(set)
        .holding("web-5", "StatefulSet/web", PLAIN, &["g0"])
        .holding("web-6", "StatefulSet/web", PLAIN, &["g1"])
        .waiting("p", 1, PLAIN, "")
        .why("p");
    has(
        &told,
        &["kubectl scale statefulset web -n x --current-replicas=2 --replicas=1"],
    );
}

/// What controls a Deployment sets its replicas again.
#[test]
fn a_controller_of_the_owner_is_not_overruled() {
    let made = |kind: &str, api: &str, owner: &str| {
        let owner = match owner.split_once('/') {
            None => String::new(),
            Some((kind, name)) => format!(
                ", ownerReferences: [{{apiVersion: x.io/v1, kind: {kind}, name: {name}, uid: o, controller: true}}]"
            ),
        };
        format!(
            "{{apiVersion: {api}, kind: {kind}, metadata: {{name: web, namespace: x, uid: web{owner}}}, spec: {{replicas: 1, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}}}"
        )
    };
    for (kind, api, pod, command) in [
        (
            "ReplicaSet",
            "apps/v1",
            "web-a",
            "kubectl scale replicaset web",
        ),
        (
            "StatefulSet",
            "apps/v1",
            "web-0",
            "kubectl scale statefulset web",
        ),
        ("Job", "batch/v1", "web-a", "kubectl delete job web"),
    ] {
        let asked = |owner: &str| {
            Objects::new()
                .node("a", "{}", 4, &[GPU])
                .with(&made(kind, api, owner))
                .holding(pod, &format!("{kind}/web"), PLAIN, &["g0"])
                .waiting("p", 1, PLAIN, "")
                .why("p")
        };
        has(&asked(""), &[command]);
        has(&asked("CronJob/c"), &[command]);
        let told = asked("InferenceService/llm");
        has(&told, &["inferenceservice/llm makes"]);
        lacks(&told, &["kubectl"]);
    }
}

/// What a DaemonSet makes again is not ended, which is said in place of that nothing helps.
#[test]
fn pods_that_are_made_again_are_named() {
    let told = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .holding("d", "DaemonSet/d", PLAIN, &["g0"])
        .waiting("p", 1, PLAIN, "")
        .why("p");
    has(
        &told,
        &["Nothing is suggested that ends x/d, which daemonset/d makes again."],
    );
    lacks(&told, &["No single change helps"]);
}

/// A step that another way does without is not suggested.
#[test]
fn a_way_without_a_needless_step_is_enough() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU, "{name: g1}"])
        .holding("h", "", CPU_2, &["g0"])
        .waiting("p", 1, &CPU_2.replace("'2'", "'3'"), ", count: 2");
    let told = objects.why("p");
    has(
        &told,
        &["making room: end pod x/h (cpu 2): gives g0, g1 on a"],
    );
    lacks(&told, &["count 1 instead of 2"]);
}

/// Pods that come first have the room only if they take what is lacking, and there is enough without them.
#[test]
fn room_that_is_lacking_anyhow_is_not_given_to_others() {
    let objects = Objects::new().node("a", "{}", 3, &[GPU, "{name: g1}"]);
    let large = CPU_2.replace("'2'", "'100'");
    let both = objects
        .waiting("first", 1, CPU_2, "")
        .waiting("p", 2, &large, "");
    lacks(&both.why("p"), &["The room is given to"]);
}

/// A reservation of an earlier pod of the same name does not come back.
#[test]
fn a_reservation_of_an_earlier_pod_of_the_name_is_freed() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .holding("web-0", "StatefulSet/web", PLAIN, &["g0"])
        .waiting("p", 1, PLAIN, "");
    let mut later = objects.clone();
    later.0 = later.0.replace(
        "resource: pods, name: web-0, uid: web-0",
        "resource: pods, name: web-0, uid: before",
    );
    has(
        &later.why("p"),
        &[
            "freeing claim x/web-0-c: gives g0 on a pod web-0 is not there: another pod has its name",
        ],
    );
}

/// A group starts as a whole: none of its pods ends for another one.
#[test]
fn no_pod_of_the_own_group_ends() {
    let member = format!("{PLAIN}, schedulingGroup: {{podGroupName: team}}");
    let told = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with("{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: team, namespace: x, uid: team}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}")
        .holding("t-0", "", &member, &["g0"])
        .waiting("p", 1, &member, "")
        .why("p");
    lacks(&told, &["kubectl delete pod t-0"]);
}

/// Two pods name a template that was made anew in between: the claim of the first says nothing of the second.
#[test]
fn a_template_that_was_made_anew_is_seen() {
    let one = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: x}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";
    let claim = |pod: &str, count: u32| {
        format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {pod}-g, namespace: x, uid: {pod}-g, ownerReferences: [{{apiVersion: v1, kind: Pod, name: {pod}, uid: {pod}, controller: true}}]}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu, count: {count}}}}}]}}}}}}"
        )
    };
    let of_one = format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimTemplateName: one}}]");
    let status = |pod: &str| {
        format!(
            "{{phase: Pending, resourceClaimStatuses: [{{name: g, resourceClaimName: {pod}-g}}]}}"
        )
    };
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with(one)
        .with(&claim("p", 8))
        .pod("p", 1, &of_one, &status("p"))
        .with(&claim("q", 1))
        .pod("q", 2, &of_one, &status("q"));
    has(&objects.why("q"), &["x/q waits, although a can take it."]);
    let alone = objects.why_in_full("--alone p");
    let told = words_of(&alone);
    has(
        &told,
        &[
            "a new claim in place of x/p-g, which is not as its template is now: gives g0 on a",
            "the pod made anew: ResourceClaimTemplate x/one has another spec since",
        ],
    );
    lacks(&told, &["count: 1`"]);
}

/// What helps a group is said once, and names the template of its claim.
#[test]
fn a_help_of_a_group_is_said_once() {
    let member = format!(
        "{PLAIN}, schedulingGroup: {{podGroupName: team}}, resourceClaims: [{{name: shared, resourceClaimTemplateName: three}}]"
    );
    let request = "devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 3}}]}";
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU, "{name: g1}"])
        .with(&format!("{{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {{name: three, namespace: x}}, spec: {{spec: {{{request}}}}}}}"))
        .with("{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: {name: team, namespace: x, uid: team}, spec: {resourceClaims: [{name: shared, resourceClaimTemplateName: three}], schedulingPolicy: {gang: {minCount: 2}}}, status: {resourceClaimStatuses: [{name: shared, resourceClaimName: team-shared}]}}")
        .with(&format!("{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: team-shared, namespace: x, uid: s, ownerReferences: [{{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, name: team, uid: team, controller: true}}]}}, spec: {{{request}}}}}"))
        .pod("t-0", 1, &member, "{phase: Pending}")
        .pod("t-1", 2, &member, "{phase: Pending}");
    let told = words_of(&objects.why_in_full("--all"));
    assert_eq!(told.matches("lets its group start").count(), 1, "{told}");
    has(
        &told,
        &[
            "in ResourceClaimTemplate x/three, made anew as its spec cannot change, and the PodGroup with its pods made anew",
        ],
    );
}

/// An object that asks for no pods is not one whose pods were not seen.
#[test]
fn an_object_that_asks_for_no_pods_is_said() {
    let template =
        "template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}";
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with(&format!("{{apiVersion: batch/v1, kind: Job, metadata: {{name: j, namespace: x}}, spec: {{suspend: true, {template}}}}}"))
        .with(&format!("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: zero, namespace: x}}, spec: {{replicas: 0, selector: {{matchLabels: {{a: b}}}}, {template}}}}}"));
    has(
        &objects.why("job/j"),
        &["No pod of job x/j is to be made: it is suspended (`spec.suspend: true`)."],
    );
    has(
        &objects.why("deployment/zero"),
        &["No pod of deployment x/zero is to be made: it asks for none (`spec.replicas: 0`)."],
    );
}

/// A taint that keeps no pod away does not keep suggestions away.
#[test]
fn a_node_that_is_only_avoided_is_suggested() {
    let spec = "{unschedulable: true, taints: [{key: DeletionCandidateOfClusterAutoscaler, effect: PreferNoSchedule}]}";
    let objects = Objects::new()
        .node("a", spec, 4, &[GPU])
        .waiting("p", 1, PLAIN, "");
    has(
        &objects.why("p"),
        &["uncordoning the node: gives the pod its devices on a (kubectl uncordon a)"],
    );
}

/// Who has a port of the node is named.
#[test]
fn the_user_of_a_host_port_is_named() {
    let port = ", containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 8080}]}]";
    let told = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .running("web", "", port)
        .waiting("p", 1, port, "")
        .why("p");
    has(&told, &["host port 8080/TCP is in use by x/web"]);
}

/// What a quota refused before may be allowed by now.
#[test]
fn a_refusal_of_the_past_is_said_as_one() {
    let template = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: x, uid: one}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";
    let quota = |limit: u32| {
        format!(
            "{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: dra, namespace: x}}, spec: {{hard: {{gpu.deviceclass.resource.k8s.io/devices: '{limit}'}}}}, status: {{hard: {{gpu.deviceclass.resource.k8s.io/devices: '{limit}'}}, used: {{gpu.deviceclass.resource.k8s.io/devices: '0'}}}}}}"
        )
    };
    let event = "{apiVersion: v1, kind: Event, metadata: {name: e, namespace: x}, involvedObject: {kind: Pod, namespace: x, name: p, uid: p}, reason: FailedResourceClaimCreation, lastTimestamp: '2026-09-01T10:00:00Z', message: 'PodResourceClaim g: failed to create ResourceClaim: resourceclaims.resource.k8s.io \"p-g-\" is forbidden: exceeded quota: dra, requested: gpu.deviceclass.resource.k8s.io/devices=1, used: gpu.deviceclass.resource.k8s.io/devices=0, limited: gpu.deviceclass.resource.k8s.io/devices=0'}";
    let of_one = format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimTemplateName: one}}]");
    let told = |limit| {
        Objects::new()
            .node("a", "{}", 4, &[GPU])
            .with(template)
            .with(&quota(limit))
            .with(event)
            .pod("p", 1, &of_one, "{phase: Pending}")
            .why("p")
    };
    has(
        &told(4),
        &["when it last tried (2026-09-01T10:00:00Z), and nothing that is given refuses it now: "],
    );
    has(
        &told(0),
        &["cannot make the claim from ResourceClaimTemplate `one`"],
    );
}

/// The PersistentVolumeClaim without a volume is named, with what its provisioner says.
#[test]
fn a_volume_that_cannot_be_made_is_said() {
    let with_volume =
        format!("{PLAIN}, volumes: [{{name: v, persistentVolumeClaim: {{claimName: data}}}}]");
    let told = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, provisioner: csi.example.com, volumeBindingMode: Immediate}")
        .with("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: x, uid: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}")
        .with("{apiVersion: v1, kind: Event, metadata: {name: e, namespace: x}, involvedObject: {kind: PersistentVolumeClaim, namespace: x, name: data}, reason: ProvisioningFailed, message: no space left}")
        .waiting("p", 1, &with_volume, "")
        .why("p");
    has(
        &told,
        &["unbound immediate PersistentVolumeClaims (data, no space left)."],
    );
    lacks(&told, &["not found"]);
}

/// Containers that each have enough devices say how many they lack together.
#[test]
fn devices_that_are_too_few_together_are_said() {
    let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}";
    let container = |name: &str| {
        format!(
            "{{name: {name}, image: i, resources: {{limits: {{example.com/gpu: '2'}}, requests: {{example.com/gpu: '2'}}}}}}"
        )
    };
    let containers = format!(", containers: [{}, {}]", container("c"), container("d"));
    let told = Objects::default()
        .with(class)
        .node("a", "{}", 4, &[GPU, "{name: g1}", "{name: g2}"])
        .node("b", "{}", 4, &[GPU, "{name: g1}"])
        .pod("p", 1, &containers, "{phase: Pending}")
        .why("p");
    has(&told, &["want 4 devices together, and have only"]);
}

/// The server refuses devices with admin access where the namespace does not allow it.
#[test]
fn a_namespace_without_admin_access_is_said() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .with("{apiVersion: v1, kind: Namespace, metadata: {name: x}}")
        .waiting("p", 1, PLAIN, ", adminAccess: true");
    let told = objects.why("p");
    has(
        &told,
        &[
            "x/p waits: a can take it, but its namespace does not allow admin access.",
            "kubectl label namespace x resource.kubernetes.io/admin-access=true",
        ],
    );
    lacks(&told, &["although", "has not tried again"]);
}

/// A quota counts the claim that the scheduler makes for extended resources, and devices of classes by the names of these.
#[test]
fn a_quota_counts_devices_of_extended_resources() {
    let class = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}";
    let quota = |name: &str| {
        format!(
            "{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: dra, namespace: x}}, spec: {{hard: {{{name}: '1'}}}}, status: {{hard: {{{name}: '1'}}, used: {{{name}: '1'}}}}}}"
        )
    };
    let objects = Objects::default().with(class).node("a", "{}", 4, &[GPU]);
    let extended = ", containers: [{name: c, image: i, resources: {limits: {example.com/gpu: '1'}, requests: {example.com/gpu: '1'}}}]";
    let told = objects
        .clone()
        .with(&quota("gpu.deviceclass.resource.k8s.io/devices"))
        .pod("p", 1, extended, "{phase: Pending}")
        .why("p");
    has(
        &told,
        &[
            "x/p waits: a can take it, but a quota does not allow it.",
            "exceeded quota: dra, requested: gpu.deviceclass.resource.k8s.io/devices=1, used: gpu.deviceclass.resource.k8s.io/devices=1, limited: gpu.deviceclass.resource.k8s.io/devices=1",
        ],
    );
    let template = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: x, uid: one}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";
    let of_one = format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimTemplateName: one}}]");
    for name in [
        "requests.example.com/gpu",
        "requests.deviceclass.resource.kubernetes.io/gpu",
    ] {
        let told = objects
            .clone()
            .with(template)
            .with(&quota(name))
            .pod("p", 1, &of_one, "{phase: Pending}")
            .why("p");
        has(
            &told,
            &[&format!("exceeded quota: dra, requested: {name}=1")],
        );
    }
}

/// A pod that has a node and does not run says why.
#[test]
fn a_pod_that_does_not_run_on_its_node_says_why() {
    let tainted = "{name: g0, taints: [{key: sick, effect: NoExecute}]}";
    let objects = Objects::new()
        .node("a", "{}", 4, &[tainted])
        .holding("h", "", PLAIN, &["g0"])
        .with("{apiVersion: v1, kind: Event, metadata: {name: e, namespace: x}, involvedObject: {kind: Pod, namespace: x, name: h, uid: h}, reason: FailedMount, message: configmap app not found}");
    has(
        &objects.why("h"),
        &["Its device g0 has the taint sick:NoExecute, which ends the pod."],
    );
    let with = |status: &str| {
        let mut objects = objects.clone();
        objects.0 = objects.0.replace("status: {phase: Running}", status);
        objects.why("h")
    };
    has(
        &with("status: {phase: Pending}"),
        &["kubelet cannot mount a volume: configmap app not found."],
    );
    has(
        &with(
            "status: {phase: Running, containerStatuses: [{name: c, state: {waiting: {reason: CrashLoopBackOff, message: back-off 5m0s}}}]}",
        ),
        &["Its container c does not run: CrashLoopBackOff: back-off 5m0s."],
    );
    has(
        &with(
            "status: {phase: Running, conditions: [{type: DisruptionTarget, status: 'True', reason: DeletionByDeviceTaintManager}]}",
        ),
        &["kube-controller-manager deletes it for a taint of its devices."],
    );
}

/// Until 1.34 the counters are those of the devices' own slice.
#[test]
fn what_there_is_of_a_counter_is_said() {
    let slice = "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s-a}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, sharedCounters: [{name: cs, counters: {memory: {value: 40Gi}}}], devices: [{name: whole, consumesCounters: [{counterSet: cs, counters: {memory: {value: 40Gi}}}]}, {name: part, consumesCounters: [{counterSet: cs, counters: {memory: {value: 10Gi}}}]}]}}";
    let node = "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}, conditions: [{type: Ready, status: 'True'}]}}";
    let whole = ", selectors: [{cel: {expression: 'device.capacity.size() == 0'}}]";
    let told = Objects::new()
        .with(node)
        .with(slice)
        .holding("h", "", PLAIN, &["part"])
        .waiting("p", 1, PLAIN, whole)
        .why_in_full("p --release 1.34 --feature-gates DRAPartitionableDevices=true");
    has(&words_of(&told), &["memory needs 40Gi, 30Gi left of 40Gi"]);
}

/// A pool that is not complete is not an absent one, and alternatives may each lack devices for their own reason.
#[test]
fn a_headline_says_what_all_alternatives_lack() {
    let allocated = |objects: &Objects| {
        let text = format!("apiVersion: v1\nkind: List\nitems:\n{}", objects.0);
        let mut host = Files::of(&[("objects.yaml", &text)]);
        host.run("allocate -f objects.yaml");
        words_of(&host.out)
    };
    let mut incomplete = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .waiting("p", 1, PLAIN, "")
        .waiting("q", 2, PLAIN, "");
    incomplete.0 = incomplete
        .0
        .replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    has(
        &allocated(&incomplete),
        &["2: no node has gpu in a usable pool"],
    );
    let mut differing = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .waiting("p", 1, PLAIN, "")
        .waiting("q", 2, PLAIN, "");
    differing.0 = differing.0.replace(
        "{name: r, exactly: {deviceClassName: gpu}}",
        "{name: r, firstAvailable: [{name: h, deviceClassName: gpu, selectors: [{cel: {expression: 'false'}}]}, {name: l, deviceClassName: gpu, count: 4}]}",
    );
    has(
        &allocated(&differing),
        &["2: no node can give gpu or 4 × gpu"],
    );
}

/// A command that ends several pods frees all their devices, and more than two pods may hold what a pod needs.
#[test]
fn several_pods_end_together() {
    let devices = [GPU, "{name: g1}", "{name: g2}"];
    let wanting = |count: u32, owner: fn(usize) -> &'static str| {
        let cluster = Objects::new().node("a", "{}", 8, &devices);
        let held = ["g0", "g1", "g2"].iter().enumerate();
        held.fold(cluster, |cluster, (at, device)| {
            cluster.holding(&format!("old-{at}"), owner(at), PLAIN, &[device])
        })
        .waiting("p", 3, PLAIN, &format!(", count: {count}"))
        .why("p --all")
    };
    let of_job = wanting(3, |_| "Job/old");
    has(
        &of_job,
        &[
            "ending pods x/old-0, x/old-1, x/old-2: gives g0, g1, g2 on a (kubectl delete job old -n x)",
        ],
    );
    lacks(&of_job, &["count 1 instead of 3"]);
    has(
        &wanting(3, |_| ""),
        &[
            "ending pods x/old-0, x/old-1, x/old-2: gives g0, g1, g2 on a kubectl delete pod old-0 old-1 old-2 -n x",
        ],
    );
    // Two pods of the set are enough.
    let of_set = wanting(2, |_| "StatefulSet/old");
    has(
        &of_set,
        &["ending pods x/old-1, x/old-2: gives g1, g2 on a"],
    );
    lacks(&of_set, &["--replicas=0"]);
}

/// The pods of a LeaderWorkerSet and of a JobSet run together: what ends one ends the pod that waits, or leaves it without the others.
#[test]
fn pods_that_run_together_are_left_alone() {
    let cluster = Objects::new().node("a", "{}", 8, &[GPU]);
    let led = "ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: llm-0, uid: s, controller: true}]";
    for (more, holder) in [
        (
            "labels: {jobset.sigs.k8s.io/jobset-name: llm}",
            "labels: {jobset.sigs.k8s.io/jobset-name: llm}",
        ),
        (led, "annotations: {}"),
    ] {
        let objects = cluster
            .clone()
            .holding("llm-0", "", PLAIN, &["g0"])
            .waiting("p", 3, PLAIN, "")
            .list()
            .replace(
                "{name: llm-0, namespace: x, uid: llm-0}",
                &format!("{{name: llm-0, namespace: x, uid: llm-0, {holder}}}"),
            )
            .replace(
                "{name: p, namespace: x, uid: p,",
                &format!("{{name: p, namespace: x, uid: p, {more},"),
            );
        let mut host = Files::of(&[("objects.yaml", &objects)]);
        host.run("why -n x -f objects.yaml p");
        let told = words_of(&host.out);
        has(
            &told,
            &["Nothing is suggested that ends x/llm-0, which belongs to the same set."],
        );
    }
}

/// Where no node is large enough, others' end helps nobody.
#[test]
fn a_pod_that_no_node_is_large_enough_for_is_told_so() {
    let told_with = |cpu: u32, resource: &str, status: &str| {
        let asks = format!(
            ", containers: [{{name: c, image: i, resources: {{requests: {{{resource}}}}}}}]"
        );
        Objects::new()
            .node("a", "{}", cpu, &[])
            .running(
                "proxy",
                "DaemonSet/proxy",
                ", containers: [{name: c, image: i, resources: {requests: {cpu: 100m}}}]",
            )
            .pod("p", 3, &asks, status)
            .why("p")
    };
    let told = |cpu: u32, resource: &str| told_with(cpu, resource, "{phase: Pending}");
    has(
        &told(4, "cpu: 8"),
        &["No node is large enough: cpu 8 wanted, 4 at most."],
    );
    let of_more = "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/9 nodes are available: 9 Insufficient cpu.'}]}";
    has(
        &told_with(4, "cpu: 8", of_more),
        &["None of the given nodes is large enough: cpu 8 wanted, 4 at most."],
    );
    has(
        &told(4, "example.com/gpus: 1"),
        &["No node has example.com/gpus."],
    );
    lacks(&told(4, "cpu: 4"), &["No node"]);
}
