//! `--new-node`: nodes that do not exist yet, as people and autoscalers describe them.

use crate::files::Files;
use crate::why_helps::{CPU_2, GPU, Objects, PLAIN, has, words_of};

/// Pods of a Deployment that want a device of gpu.example.com each, `more` of their spec.
fn pods(replicas: usize, more: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {{name: gpu}}
spec: {{selectors: [{{cel: {{expression: device.driver == 'gpu.example.com'}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {{name: gpu}}
spec: {{spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{a: b}}}}
  template:
    metadata: {{labels: {{a: b}}}}
    spec:
      containers: [{{name: c, image: i, resources: {{requests: {{cpu: '1'}}, claims: [{{name: g}}]}}}}]
      resourceClaims: [{{name: g, resourceClaimTemplateName: gpu}}]
{more}"
    )
}

const ANNOTATION: &str = "capacity.cluster-autoscaler.kubernetes.io";

/// A MachineDeployment with annotations of cluster-autoscaler, without their prefix.
fn machines(annotations: &[(&str, &str)]) -> String {
    let annotations: String = annotations
        .iter()
        .map(|(name, value)| format!("    {ANNOTATION}/{name}: '{value}'\n"))
        .collect();
    format!(
        "apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata:
  name: workers
  annotations:
    cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: '5'
{annotations}spec:
  template:
    metadata: {{labels: {{node-role.kubernetes.io/worker: '', pool.node.cluster.x-k8s.io/kind: gpu, owner: me}}}}
    spec: {{infrastructureRef: {{kind: DockerMachineTemplate, name: big}}}}
"
    )
}

const WHOLE: &[(&str, &str)] = &[
    ("cpu", "8"),
    ("memory", "32Gi"),
    ("gpu-count", "2"),
    ("dra-driver", "gpu.example.com"),
];

const SLICE: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpu-node-gpus}
spec: {driver: gpu.example.com, nodeName: gpu-node, pool: {name: gpu-node, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}, {name: gpu-1}]}
";

/// Answers about pods with a file of new nodes; returns what is printed, in one line, and the exit code.
fn allocated(pods: &str, new: &str, words: &str) -> (String, u8) {
    let mut host = Files::of(&[("pods.yaml", pods), ("new.yaml", new)]);
    let exit = host.run(&format!("allocate pods.yaml --release 1.37.2 {words}"));
    let told = format!("{}{}", host.out, host.err);
    (
        told.split_whitespace().collect::<Vec<&str>>().join(" "),
        exit.code(),
    )
}

#[track_caller]
fn says(told: &(String, u8), parts: &[&str]) {
    for part in parts {
        assert!(told.0.contains(part), "{part}\n{}", told.0);
    }
}

#[test]
fn machines_of_cluster_api_take_pods() {
    let told = allocated(
        &pods(4, ""),
        &machines(WHOLE),
        "--new-node new.yaml*2 --require",
    );
    says(
        &told,
        &[
            "Pods in turn: 4 of 4 have a node.",
            "a node of MachineDeployment workers has 2 devices of gpu.example.com with the attribute `type` alone",
            "workers-new",
        ],
    );
    assert_eq!(told.1, 0, "{}", told.0);
    // Labels that Cluster API copies, and those of the annotation; a taint keeps pods off.
    let selecting = pods(
        1,
        "      nodeSelector: {node-role.kubernetes.io/worker: '', pool.node.cluster.x-k8s.io/kind: gpu, tier: fast, kubernetes.io/arch: amd64}\n",
    );
    let labeled = [WHOLE, &[("labels", "tier=fast,zone=a")]].concat();
    says(
        &allocated(&selecting, &machines(&labeled), "--new-node new.yaml"),
        &["1 of 1 has"],
    );
    let other = pods(1, "      nodeSelector: {owner: me}\n");
    says(
        &allocated(&other, &machines(WHOLE), "--new-node new.yaml"),
        &["0 of 1 "],
    );
    let tainted = [WHOLE, &[("taints", "dedicated=gpu:NoSchedule,odd")]].concat();
    says(
        &allocated(&pods(1, ""), &machines(&tainted), "--new-node new.yaml"),
        &[
            "0 of 1 ",
            "untolerated taint",
            "cluster-autoscaler ignores taint `odd` of MachineDeployment workers",
        ],
    );
    // Slices of the driver say more than the annotation.
    let both = format!("{}---\n{SLICE}", machines(WHOLE));
    let told = allocated(&pods(1, ""), &both, "--new-node new.yaml");
    says(&told, &["1 of 1 has", "gpu-node-new"]);
    assert!(!told.0.contains("with the attribute"), "{}", told.0);
}

#[test]
fn what_annotations_lack_is_told() {
    let infrastructure = "---\napiVersion: infrastructure.cluster.x-k8s.io/v1beta1\nkind: DockerMachineTemplate\nmetadata: {name: big}\nstatus: {capacity: {cpu: '4', memory: 8Gi}}\n";
    let devices = &WHOLE[2..];
    let told = allocated(&pods(1, ""), &machines(devices), "--new-node new.yaml");
    says(
        &told,
        &[
            "cluster-autoscaler makes no first node of MachineDeployment workers: neither the annotations",
            "new.yaml: warning:",
        ],
    );
    let whole = format!("{}{infrastructure}", machines(devices));
    let told = allocated(&pods(1, ""), &whole, "--new-node new.yaml");
    says(&told, &["1 of 1 has"]);
    assert!(!told.0.contains("makes no first node"), "{}", told.0);
    says(
        &allocated(&pods(1, ""), &machines(&WHOLE[..3]), "--new-node new.yaml"),
        &[
            "2 GPUs of MachineDeployment workers have no effect",
            "Node workers has no devices",
        ],
    );
    let without = [&WHOLE[..2], &WHOLE[3..]].concat();
    says(
        &allocated(&pods(1, ""), &machines(&without), "--new-node new.yaml"),
        &[
            "MachineDeployment workers has no devices of gpu.example.com: cluster-autoscaler takes their number",
        ],
    );
    let negative = [WHOLE, &[("maxPods", "-5")]].concat();
    says(
        &allocated(&pods(1, ""), &machines(&negative), "--new-node new.yaml"),
        &[
            "0 of 1 ",
            "annotation capacity.cluster-autoscaler.kubernetes.io/maxPods of MachineDeployment workers is -5: its nodes take no pod",
        ],
    );
    let wrong = [&WHOLE[..2], &[("gpu-count", "two")]].concat();
    let told = allocated(&pods(1, ""), &machines(&wrong), "--new-node new.yaml");
    says(
        &told,
        &[
            "`--new-node new.yaml`: annotation capacity.cluster-autoscaler.kubernetes.io/gpu-count of MachineDeployment workers is `two`, not a whole number",
        ],
    );
    assert_eq!(told.1, 2);
}

#[test]
fn nodes_of_karpenter_take_pods() {
    let pool = "apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: gpus}
spec:
  template:
    metadata: {labels: {team: ml}}
    spec:
      taints: [{key: gpu, effect: NoSchedule}]
      startupTaints: [{key: starting, effect: NoSchedule}]
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: [spot]}
      - {key: node.kubernetes.io/instance-type, operator: In, values: [a, b]}
";
    let tolerating = |labels: &str| {
        pods(
            1,
            &format!(
                "      tolerations: [{{key: gpu, operator: Exists}}]\n      nodeSelector: {{{labels}}}\n"
            ),
        )
    };
    let devices = format!("{pool}---\n{}", SLICE.replace("gpu-node", "gpus"));
    let known = "team: ml, karpenter.sh/nodepool: gpus, karpenter.sh/capacity-type: spot";
    says(
        &allocated(&tolerating(known), &devices, "--new-node new.yaml"),
        &[
            "1 of 1 has",
            "gpus-new",
            "labels of Node gpus that its template leaves open are not known",
            "the CPU, memory and pods of Node gpus are not given, and count as enough",
        ],
    );
    says(
        &allocated(
            &tolerating("karpenter.sh/capacity-type: on-demand"),
            &devices,
            "--new-node new.yaml",
        ),
        &["0 of 1 "],
    );
    // A label that requirements leave open is not known.
    let open = allocated(
        &tolerating("node.kubernetes.io/instance-type: a"),
        &devices,
        "--new-node new.yaml",
    );
    says(&open, &["node.kubernetes.io/instance-type", "not known"]);
    says(
        &allocated(&tolerating(known), pool, "--new-node new.yaml"),
        &[
            "Node gpus has no devices: ResourceSlices with its `nodeName` in the same text would give it some",
        ],
    );
    // An overlay adds resources, unless a label excludes the node.
    let extended = tolerating(known).replace("cpu: '1'", "cpu: '1', example.com/nic: '1'");
    let overlay = |key: &str, value: &str| {
        format!(
            "{devices}---\napiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {{name: nics}}\nspec: {{requirements: [{{key: {key}, operator: In, values: [{value}]}}], capacity: {{example.com/nic: '2'}}}}\n"
        )
    };
    let spot = overlay("karpenter.sh/capacity-type", "spot");
    says(
        &allocated(&extended, &spot, "--new-node new.yaml"),
        &["1 of 1 has"],
    );
    let on_demand = overlay("karpenter.sh/capacity-type", "on-demand");
    let told = allocated(&extended, &on_demand, "--new-node new.yaml");
    says(&told, &["0 of 1 "]);
    let unknown = overlay("node.kubernetes.io/instance-type", "a");
    says(
        &allocated(&extended, &unknown, "--new-node new.yaml"),
        &[
            "1 of 1 has",
            "NodeOverlay nics counts as being about a node whose label node.kubernetes.io/instance-type is not known",
        ],
    );
    let claim = "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c1, labels: {team: ml}}\nspec: {requirements: []}\nstatus: {allocatable: {cpu: 500m, memory: 8Gi, pods: '10'}}\n";
    let small = format!("{claim}---\n{}", SLICE.replace("gpu-node", "c1"));
    says(
        &allocated(&pods(1, ""), &small, "--new-node new.yaml"),
        &["0 of 1 ", "Insufficient cpu"],
    );
}

#[test]
fn a_template_that_all_nodes_would_share_is_told() {
    let fixed = SLICE
        .replace("name: gpu-node-gpus", "name: gpus")
        .replace("pool: {name: gpu-node,", "pool: {name: shared,");
    let old = SLICE
        .replace("gpu-node-gpus", "gpu-node-old")
        .replace("generation: 1", "generation: 0");
    let told = allocated(
        &pods(1, ""),
        &format!(
            "{fixed}---\n{}",
            old.replace("pool: {name: gpu-node,", "pool: {name: shared,")
        ),
        "--new-node new.yaml",
    );
    says(
        &told,
        &[
            "new.yaml: warning: all nodes would share pool shared of gpu.example.com",
            "ResourceSlice gpus can exist only once",
            "ResourceSlice gpu-node-old is left out: pool shared of gpu.example.com has a newer generation than 0",
            "1 of 1 has",
        ],
    );
    // What the scheduler finds wrong with slices of new nodes is about their file, not about the pods.
    let incomplete = SLICE.replace("resourceSliceCount: 1", "resourceSliceCount: 2");
    let told = allocated(&pods(1, ""), &incomplete, "--new-node new.yaml -o json");
    says(&told, &["\"in\":\"newNodes\"", "\"file\":\"new.yaml\""]);
    let nothing = SLICE.replace("resourceSliceCount: 1", "resourceSliceCount: 0");
    let told = allocated(&pods(1, ""), &nothing, "--new-node new.yaml");
    says(&told, &["`--new-node new.yaml`: ", "resourceSliceCount"]);
}

#[test]
fn errors_name_the_option_and_the_file() {
    let node = |name: &str| format!("{{apiVersion: v1, kind: Node, metadata: {{name: {name}}}}}");
    for (new, said) in [
        (
            node("Big_Node"),
            "claimkit: `--new-node new.yaml`: no node can be called `Big_Node`: a lowercase RFC 1123 subdomain",
        ),
        (node("a.example"), ""),
        (
            format!("{}\n---\n{}", node("a"), node("b")),
            "claimkit: `--new-node new.yaml`: a text describes one node",
        ),
        (
            "kind: [".to_owned(),
            "claimkit: `--new-node new.yaml`: yaml: ",
        ),
        (
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}".to_owned(),
            "claimkit: `--new-node new.yaml`: ConfigMap a is not part of a node",
        ),
    ] {
        let told = allocated(&pods(1, ""), &new, "--new-node new.yaml");
        assert!(told.0.contains(said), "{said}\n{}", told.0);
        assert_eq!(told.1 == 2, !said.is_empty(), "{}", told.0);
    }
    for (words, said) in [
        (
            "--node-like none",
            "claimkit: `--node-like`: there is no Node `none`",
        ),
        (
            "--node-like none*0",
            "claimkit: `--node-like`: `none*0`: write the node and how many",
        ),
        (
            "--what-if free=x/y",
            "claimkit: `--what-if free`: there is no ResourceClaim `x/y`",
        ),
        (
            "--what-if untaint=k",
            "claimkit: `--what-if untaint`: no driver and no DeviceTaintRule sets a taint `k`",
        ),
        (
            "--what-if without-rule=r",
            "claimkit: `--what-if without-rule`: there is no DeviceTaintRule `r`",
        ),
    ] {
        let told = allocated(
            &pods(1, ""),
            &node("a"),
            &format!("--new-node new.yaml {words}"),
        );
        says(&told, &[said]);
    }
}

/// The nodes of each template alone are the fewest that take as many pods as any number, and those of several templates together.
#[test]
fn the_nodes_that_pods_need_are_counted() {
    let nic = |text: &str| {
        text.replace("gpu.example.com", "nic.example.com")
            .replace("gpu-node", "nic-node")
            .replace("name: gpu}", "name: nic}")
            .replace("deviceClassName: gpu", "deviceClassName: nic")
            .replace("TemplateName: gpu", "TemplateName: nic")
            .replace("name: web", "name: net")
    };
    let both = format!("{}---\n{}", pods(5, ""), nic(&pods(3, "")));
    let files = [
        ("gpu-pods.yaml", pods(7, "")),
        ("both.yaml", both),
        ("gpu.yaml", SLICE.to_owned()),
        ("nic.yaml", nic(SLICE)),
        (
            "none.yaml",
            SLICE.replace("gpu.example.com", "other.example.com"),
        ),
    ];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    let asked = |words: &str| {
        let mut host = Files::of(&files);
        let exit = host.run(&format!("allocate --release 1.37.2 --nodes-needed {words}"));
        (host.out, host.err, exit.code())
    };
    let (out, err, exit) =
        asked("gpu-pods.yaml --new-node gpu.yaml --new-node none.yaml --require");
    let after_assumed = |out: &str| {
        let lines = out.split_inclusive('\n');
        let answer = lines.skip_while(|line| !line.contains("pods that wait"));
        answer.collect::<String>()
    };
    has(
        &words_of(&out),
        &["which do not exist yet, are there, and no pod of a DaemonSet is on them"],
    );
    assert_eq!(
        after_assumed(&out),
        "7 pods that wait: none gets a node without new ones.\ngpu.yaml: 4 nodes for all 7 pods.\nnone.yaml: no number of nodes takes another pod.\nnone.yaml: gpu-node-new does not take default/web-0: no device of class gpu:\n  those of the node are of other.example.com.\n",
        "{err}"
    );
    assert_eq!(exit, 0);
    let (out, ..) = asked("both.yaml --new-node gpu.yaml --new-node nic.yaml");
    assert_eq!(
        after_assumed(&out),
        "8 pods that wait: none gets a node without new ones.\ngpu.yaml: 3 nodes for 5 of 8 pods (not default/net-0, default/net-1,\n  default/net-2).\nnic.yaml: 2 nodes for 3 of 8 pods (not default/web-0, default/web-1,\n  default/web-2 and 2 more).\nTogether: 3 of gpu.yaml and 2 of nic.yaml for all 8 pods.\n"
    );
    // A count is the most.
    let (out, _, exit) = asked("gpu-pods.yaml --new-node gpu.yaml*2 --require -o json");
    assert!(out.contains("\"nodes\":2,\"placed\":4"), "{out}");
    assert_eq!(exit, 1);
    let (out, ..) = asked("gpu-pods.yaml --cluster gpu.yaml --new-node gpu.yaml");
    assert!(after_assumed(&out).starts_with("7 pods that wait: 2 of them get a node without new ones.\ngpu.yaml: 3 nodes for all 7 pods."), "{out}");
    let (_, err, exit) = asked("gpu-pods.yaml");
    assert!(err.contains("--new-node"), "{err}");
    assert_eq!(exit, 2);
    let (_, err, exit) = asked("gpu-pods.yaml --new-node both.yaml");
    assert!(
        err.contains("`--new-node both.yaml`: DeviceClass gpu is not part of a node"),
        "{err}"
    );
    assert_eq!(exit, 2);
}

/// Where no number of nodes is enough, the reason is said: a node without the label of a spread is not one of too many pods.
#[test]
fn the_reason_why_more_nodes_do_not_help_is_said() {
    let spread = "      topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}]\n";
    let node = |labels: &str| {
        format!(
            "{SLICE}---\napiVersion: v1\nkind: Node\nmetadata: {{name: gpu-node, labels: {{{labels}}}}}\nstatus: {{allocatable: {{cpu: '4', memory: 8Gi, pods: '10'}}}}\n"
        )
    };
    let spread_pods = pods(1, spread);
    let told = allocated(
        &spread_pods,
        &node(""),
        "--new-node new.yaml*3 --nodes-needed",
    );
    says(
        &told,
        &[
            "new.yaml: no number of nodes takes another pod. new.yaml: gpu-node-new does not take default/web: topology spread: the node has no label zone.",
        ],
    );
    let told = allocated(
        &spread_pods,
        &node("zone: a"),
        "--new-node new.yaml*3 --nodes-needed",
    );
    says(&told, &["new.yaml: 1 node for the pod."]);
}

/// A new node is not said to have what other nodes have left.
#[test]
fn the_amounts_of_the_new_node_are_said() {
    let cluster = Objects::new()
        .node("a", "{}", 4, &[GPU])
        .running("h", "", CPU_2)
        .waiting("p", 1, &CPU_2.replace("'2'", "'9'"), "");
    let node = format!(
        "{SLICE}---\napiVersion: v1\nkind: Node\nmetadata: {{name: gpu-node}}\nstatus: {{allocatable: {{cpu: '4', memory: 8Gi, pods: '10'}}}}\n"
    );
    let text = cluster.list();
    let mut host = Files::of(&[("pods.yaml", &text), ("new.yaml", &node)]);
    host.run("allocate --release 1.37.2 pods.yaml --new-node new.yaml*3 --nodes-needed");
    has(
        &words_of(&host.out),
        &["new.yaml: gpu-node-new does not take x/p: cpu: 9 wanted, 4 of 4 left."],
    );
}

/// Many claims that are made for new pods are counted.
#[test]
fn claims_of_many_new_pods_are_counted() {
    let template = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: default}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";
    let deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {replicas: 7, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimTemplateName: t}]}}}}";
    let objects = Objects::new().node("a", "{}", 8, &[GPU]).with(template);
    let text = objects.with(deployment).list();
    let mut host = Files::of(&[("pods.yaml", &text)]);
    host.run("allocate --release 1.37.2 pods.yaml");
    let told = words_of(&host.out);
    has(&told, &["Assumed: 4 more ResourceClaims are made so"]);
    assert_eq!(
        told.matches("is made from ResourceClaimTemplate t").count(),
        3,
        "{told}"
    );
    // Why claims cannot be made is said where their pods are not counted.
    let text = text.replace(
        "resourceClaimTemplateName: t",
        "resourceClaimTemplateName: other",
    );
    let mut host = Files::of(&[("pods.yaml", &text), ("new.yaml", SLICE)]);
    host.run("allocate --release 1.37.2 pods.yaml --new-node new.yaml*3 --nodes-needed");
    has(
        &words_of(&host.out),
        &[
            "there is no ResourceClaimTemplate `other` in namespace `default`. Not counted: 4 more pods.",
        ],
    );
}

/// Pods of which nodes do not decide are named with the reason, and claims that are not made yet are counted.
#[test]
fn what_nodes_do_not_decide_is_not_counted_as_needed() {
    let template = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: x, uid: t}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";
    let cluster = Objects::new().node("a", "{}", 8, &[GPU]).with(template);
    let of_template =
        format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimTemplateName: t}}]");
    let unmade = |objects: Objects, name: &str, spec: &str| {
        objects.pod(name, 1, &format!("{of_template}{spec}"), "{phase: Pending}")
    };
    let asked = |objects: Objects, words: &str| {
        let text = objects.list();
        let mut host = Files::of(&[("pods.yaml", &text), ("new.yaml", SLICE)]);
        host.run(&format!("allocate --release 1.37.2 pods.yaml {words}"));
        words_of(&host.out)
    };
    let needed = "--new-node new.yaml*5 --nodes-needed";
    let three = ["p", "q", "r"]
        .into_iter()
        .fold(cluster.clone(), |objects, name| unmade(objects, name, ""));
    has(
        &asked(three, needed),
        &[
            "the claims of x/p, x/q, x/r, which are not made yet, are there",
            "3 pods that wait: 1 of them gets a node without new ones. new.yaml: 1 node for all 3 pods.",
        ],
    );
    for (spec, why) in [
        (
            ", schedulingGates: [{name: kueue.x-k8s.io/admission}]",
            "waits for its scheduling gates to be removed: kueue.x-k8s.io/admission.",
        ),
        (
            ", schedulerName: volcano",
            "waits for the scheduler volcano, which is not followed here.",
        ),
    ] {
        let told = asked(unmade(cluster.clone(), "p", spec), needed);
        has(&told, &[&format!("Not counted: x/p {why}")]);
        assert!(!told.contains("no number of nodes"), "{told}");
    }
    let volumes = ", volumes: [{name: d, persistentVolumeClaim: {claimName: d}}]";
    let held = cluster.clone().holding("h", "", PLAIN, &["g0"]);
    let told = asked(unmade(held, "p", volumes), needed);
    has(
        &told,
        &[
            "1 pod that waits: it gets no node without new ones. new.yaml: x/p is not known, for its volumes are not given: PersistentVolumeClaim d.",
        ],
    );
    // A pod that waits longer takes the device once its claim is made.
    let longer = cluster.pod("first", 0, &of_template, "{phase: Pending}");
    has(
        &asked(unmade(longer, "p", ""), "--how-many --pod x/p"),
        &[
            "the claims of x/first, which are not made yet, are there",
            "x/p does not fit.",
        ],
    );
}
