//! Pods that no suggestion ends, and what is suggested instead.

use crate::files::Files;
use crate::why_helps::{CPU_2, GPU, Objects, PLAIN, has, lacks, words_of};
use claimkit_cli::Exit;

/// A pod on node `a` that holds device `g0`; `metadata`: more of its own; `spec`: the same.
fn holder(name: &str, namespace: &str, metadata: &str, spec: &str) -> [String; 2] {
    [
        format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: {name}-c, namespace: {namespace}, uid: {name}-c}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}, status: {{allocation: {{devices: {{results: [{{request: r, driver: gpu.example.com, pool: a, device: g0}}]}}}}, reservedFor: [{{resource: pods, name: {name}, uid: {name}}}]}}}}"
        ),
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: {namespace}, uid: {name}, creationTimestamp: '2026-09-01T00:00:00Z'{metadata}}}, spec: {{nodeName: a{PLAIN}{spec}, resourceClaims: [{{name: g, resourceClaimName: {name}-c}}]}}, status: {{phase: Running}}}}"
        ),
    ]
}

/// A pod of a ReplicaSet.
fn of_set(set: &str, label: &str) -> String {
    let hash = set.rsplit('-').next().unwrap();
    format!(
        ", labels: {{{label}: '{hash}'}}, ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: {set}, uid: {set}, controller: true}}]"
    )
}

const OF_DEPLOYMENT: &str = "pod-template-hash";

fn waiting_for(holder: &[String; 2]) -> Objects {
    let [claim, pod] = holder;
    Objects::new()
        .node("a", "{}", 8, &[GPU])
        .with(claim)
        .with(pod)
}

#[test]
fn pods_that_the_cluster_needs_are_never_ended() {
    let cases = [
        (
            holder("h", "x", "", ", priority: 2000001000"),
            "Nothing is suggested that ends x/h, which the cluster needs.",
        ),
        (
            holder("h", "x", "", ", priorityClassName: system-node-critical"),
            "which the cluster needs.",
        ),
        (
            holder("h", "kube-system", "", ""),
            "which the cluster needs.",
        ),
        (
            holder(
                "h",
                "x",
                ", annotations: {kubernetes.io/config.mirror: m}",
                "",
            ),
            "Nothing is suggested that ends x/h, which is a static pod of kubelet.",
        ),
    ];
    for (holder, said) in cases {
        let out = waiting_for(&holder).waiting("p", 1, PLAIN, "").why("pod/p");
        has(&out, &[said]);
        lacks(&out, &["kubectl delete", "kubectl scale", "What helps"]);
    }
    // Nor to make room.
    let room = Objects::new()
        .node("a", "{}", 3, &[GPU])
        .running("h", "", &format!("{CPU_2}, priority: 2000000000"))
        .waiting("p", 1, CPU_2, "");
    let out = room.why("pod/p");
    has(&out, &["Nothing is suggested that ends x/h"]);
    lacks(&out, &["kubectl delete"]);
}

/// The controller of the Rollout makes the ReplicaSet as large again.
#[test]
fn the_replicaset_of_a_rollout_is_not_scaled() {
    let metadata = of_set("ro-1", "rollouts-pod-template-hash");
    let held = holder("ro-1-a", "x", &metadata, "");
    let out = waiting_for(&held).waiting("p", 1, PLAIN, "").why("pod/p");
    has(&out, &["rollout/ro makes pod ro-1-a again"]);
    lacks(&out, &["kubectl scale"]);
}

#[test]
fn a_pod_of_the_same_deployment_is_left_its_devices() {
    let metadata = of_set("web-1", OF_DEPLOYMENT);
    let held = holder("web-1-a", "x", &metadata, "");
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: n-c, namespace: x, uid: n-c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}";
    let new = |set: &str| {
        let metadata = of_set(set, OF_DEPLOYMENT);
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: new, namespace: x, uid: new, creationTimestamp: '2026-09-01T01:00:00Z'{metadata}}}, spec: {{priority: 0{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: n-c}}]}}, status: {{phase: Pending}}}}"
        )
    };
    let sibling = waiting_for(&held).with(claim).with(&new("web-1"));
    let out = sibling.why("pod/new");
    has(
        &out,
        &["Nothing is suggested that ends x/web-1-a, which deployment/web makes, too."],
    );
    lacks(&out, &["What helps"]);
    // The pod of the ReplicaSet that is replaced ends only when the new one runs.
    let rollout = waiting_for(&held).with(claim).with(&new("web-2"));
    has(
        &rollout.why("pod/new"),
        &[
            "What helps: a rollout of Deployment web without surge: its old pod x/web-1-a has what the new one needs, and ends first: gives g0 on a",
            "kubectl patch deployment web -n x -p '{\"spec\":{\"strategy\":{\"rollingUpdate\":{\"maxSurge\":0,\"maxUnavailable\":1}}}}'",
        ],
    );
}

#[test]
fn the_cost_of_deletion_is_below_that_of_all_others() {
    let cost = ", annotations: {controller.kubernetes.io/pod-deletion-cost: '-5000'}";
    let deployment = |set: &str| {
        let held = holder("web-1-a", "x", &of_set("web-1", OF_DEPLOYMENT), "");
        let metadata = format!("{}{cost}", of_set(set, OF_DEPLOYMENT));
        waiting_for(&held)
            .with(&format!(
                "{{apiVersion: v1, kind: Pod, metadata: {{name: other, namespace: x, uid: other{metadata}}}, spec: {{nodeName: a{PLAIN}}}, status: {{phase: Running}}}}"
            ))
            .waiting("p", 1, PLAIN, "")
    };
    has(
        &deployment("web-1").why("pod/p"),
        &["pod-deletion-cost=-5001 --overwrite && kubectl scale deployment web -n x --replicas=1"],
    );
    // Each of two ReplicaSets ends pods of its own.
    lacks(&deployment("web-2").why("pod/p"), &["pod-deletion-cost"]);
}

/// The controller of claims gives a claim back that only pods have which have ended.
#[test]
fn a_claim_of_pods_that_have_ended_is_given_back() {
    let [claim, pod] = holder("h", "x", "", "");
    let objects = Objects::new()
        .node("a", "{unschedulable: true}", 8, &[GPU])
        .node("b", "{}", 8, &[GPU])
        .with(&claim.replace("{allocation: {devices:", "{allocation: {nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}, devices:"))
        .with(&pod.replace("phase: Running", "phase: Succeeded"))
        .pod("p", 1, &format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: h-c}}]"), "{phase: Pending}");
    has(
        &objects.why("pod/p"),
        &[
            "What helps: freeing claim x/h-c: gives g0 on b pod h has ended: kube-controller-manager takes the reservation back",
        ],
    );
}

#[test]
fn paths_are_those_of_the_version_of_the_object() {
    for (version, request, path) in [
        (
            "v1beta1",
            "{name: r, deviceClassName: gpu, count: 2}",
            "`spec.devices.requests[0].count: 1`",
        ),
        (
            "v1",
            "{name: r, exactly: {deviceClassName: gpu, count: 2}}",
            "`spec.devices.requests[0].exactly.count: 1`",
        ),
    ] {
        let objects = Objects::new()
            .node("a", "{}", 8, &[GPU])
            .with(&format!("{{apiVersion: resource.k8s.io/{version}, kind: ResourceClaim, metadata: {{name: c, namespace: x, uid: c}}, spec: {{devices: {{requests: [{request}]}}}}}}"))
            .pod("p", 1, &format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: c}}]"), "{phase: Pending}");
        has(&objects.why("pod/p"), &[path]);
    }
}

#[test]
fn a_claim_that_a_quota_does_not_allow_is_not_suggested() {
    let shared = |quota: &str| {
        let [claim, pod] = holder("h", "x", "", &CPU_2.replace(", containers", ", x"));
        let on_a = claim.replace("{allocation: {devices:", "{allocation: {nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}, devices:");
        Objects::new()
            .node("a", "{}", 1, &[GPU])
            .node("b", "{}", 8, &[GPU])
            .with(&on_a)
            .with(&pod)
            .with(&format!("{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: x}}, spec: {{hard: {{count/resourceclaims.resource.k8s.io: '{quota}'}}}}}}"))
            .pod("p", 1, &format!("{CPU_2}, resourceClaims: [{{name: g, resourceClaimName: h-c}}]"), "{phase: Pending}")
    };
    has(
        &shared("2").why("pod/p"),
        &["a claim of its own in place of x/h-c"],
    );
    lacks(&shared("1").why("pod/p"), &["a claim of its own"]);
}

#[test]
fn what_the_server_refuses_is_not_taken_for_placed() {
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: x, uid: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, adminAccess: true}}]}}}";
    let text = format!(
        "apiVersion: v1\nkind: List\nitems:\n- {{apiVersion: v1, kind: Namespace, metadata: {{name: x, uid: x}}}}\n- {{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {{name: gpu}}}}\n- {{apiVersion: v1, kind: Node, metadata: {{name: a}}}}\n- {{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {{name: a}}, spec: {{driver: gpu.example.com, nodeName: a, pool: {{name: a, generation: 1, resourceSliceCount: 1}}, devices: [{{name: g0}}]}}}}\n- {claim}\n- {{apiVersion: v1, kind: Pod, metadata: {{name: p, namespace: x, uid: p}}, spec: {{containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimName: c}}]}}, status: {{phase: Pending}}}}\n"
    );
    for line in [
        "why --require -n x -f objects.yaml",
        "allocate --require objects.yaml",
    ] {
        let mut host = Files::of(&[("objects.yaml", &text)]);
        assert_eq!(host.run(line), Exit::Findings, "{}{}", host.out, host.err);
        let said = words_of(&format!("{} {}", host.out, host.err));
        has(&said, &["its namespace does not allow admin access"]);
    }
}

#[test]
fn a_taint_that_ends_the_pod_is_said() {
    let gpu = "{name: g0, taints: [{key: k, effect: NoExecute}]}";
    let tolerating = |toleration: &str| {
        Objects::new().node("a", "{}", 8, &[gpu]).waiting(
            "p",
            1,
            PLAIN,
            &format!(", tolerations: [{{key: k, operator: Exists{toleration}}}]"),
        )
    };
    has(
        &tolerating(", tolerationSeconds: 60").why("pod/p"),
        &[
            "x/p waits: a can take it, and a taint of its devices ends it there.",
            "Its device g0 has the taint k:NoExecute, which it tolerates for 60 seconds only: then the pod ends.",
        ],
    );
    lacks(&tolerating("").why("pod/p"), &["NoExecute"]);
}

#[test]
fn what_is_kept_for_a_nominated_pod_is_said() {
    let objects = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .running("h", "", &CPU_2.replace("'2'", "'3'"))
        .pod(
            "nom",
            1,
            &CPU_2.replace("'2'", "'3'"),
            "{phase: Pending, nominatedNodeName: a}",
        )
        .pod("p", 2, &CPU_2.replace("'2'", "'1'"), "{phase: Pending}");
    has(
        &objects
            .why_in_full("pod/p")
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" "),
        &["cpu: 1 wanted, 0 of 4 left beside what is kept for x/nom, nominated to the node"],
    );
}
