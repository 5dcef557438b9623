//! What `why` and `allocate` say where objects that decide are given in part, or cannot be read.

use crate::files::Files;
use crate::why_helps::{GPU, Objects, PLAIN, has, lacks, words_of};
use claimkit_cli::Exit;

/// Returns all that a command line prints, each line's words with one space between.
fn said(line: &str, files: &[(&str, &str)]) -> String {
    let mut host = Files::of(files);
    host.run(line);
    words_of(&format!("{} {}", host.err, host.out))
}

/// The objects of a cluster with a pod that waits for one GPU, as lines of a List.
const OBJECTS: [&str; 5] = [
    "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: n1}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}",
    "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s1, uid: s1}, spec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}]}}",
    "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu, uid: gpu}, spec: {selectors: [{cel: {expression: 'true'}}]}}",
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: x, uid: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 1}}]}}}",
    "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x, uid: p, creationTimestamp: '2026-09-01T00:00:00Z'}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimName: c}]}, status: {phase: Pending}}",
];

fn list(objects: &[String]) -> String {
    let items: Vec<String> = objects.iter().map(|one| format!("- {one}\n")).collect();
    format!("apiVersion: v1\nkind: List\nitems:\n{}", items.concat())
}

fn with(change: (&str, &str)) -> String {
    let objects = OBJECTS.map(|object| object.replace(change.0, change.1));
    list(&objects)
}

#[test]
fn an_object_that_cannot_be_decoded_is_named() {
    let cases = [
        ("{name: g0}", "{name: [g0]}", "ResourceSlice s1", 5),
        ("{cpu: '4'", "{cpu: many", "Node n1", 4),
        ("'true'", "true", "DeviceClass gpu", 6),
        ("count: 1", "count: one", "ResourceClaim x/c", 7),
    ];
    for (old, new, name, line) in cases {
        let text = with((old, new));
        let files = [("dump.yaml", text.as_str())];
        let why = said("why -n x -f dump.yaml", &files);
        has(
            &why,
            &[
                &format!("{name} could not be seen (dump.yaml:{line}: "),
                &format!("x/p waits: not known, for {name} cannot be read."),
            ],
        );
        lacks(&why, &["no file has", "the only node"]);
        let allocate = said("allocate dump.yaml", &files);
        has(
            &allocate,
            &[&format!("x/p: is not known, for {name} cannot be read")],
        );
    }
}

/// One file of a folder that cannot be read costs that file, and the rest is answered.
#[test]
fn a_file_of_a_folder_that_cannot_be_read_is_named() {
    let said_without = |unreadable: &str, readable: &[String]| {
        let mut host = Files::of(&[("d/a.yaml", &list(readable)), ("d/b.yaml", unreadable)]);
        host.unreadable.push("d/b.yaml".to_owned());
        host.run("why -n x -f d/");
        words_of(&format!("{} {}", host.err, host.out))
    };
    const UNREAD: &str = "d/b.yaml could not be seen (permission denied): what it holds may decide";
    let two = OBJECTS.map(|object| object.replace("count: 1", "count: 2"));
    has(
        &said_without("", &two),
        &[
            UNREAD,
            "x/p waits. It is not known why, for d/b.yaml could not be seen.",
        ],
    );
    let mut rest = OBJECTS.map(str::to_owned).to_vec();
    let slice = rest.remove(1);
    has(
        &said_without(&slice, &rest),
        &[
            UNREAD,
            "resourceslices could not be seen (no other file has them)",
            "x/p waits: not known, for resourceslices were not given.",
        ],
    );
}

/// A snapshot that lacks a file is none.
#[test]
fn a_snapshot_of_a_folder_has_all_of_its_files() {
    let objects = OBJECTS.map(str::to_owned);
    let mut host = Files::of(&[("d/a.yaml", &list(&objects)), ("d/b.yaml", "")]);
    host.unreadable.push("d/b.yaml".to_owned());
    assert_eq!(host.run("snapshot -f d/"), Exit::Unusable);
    assert_eq!(
        (host.out.as_str(), host.err.as_str()),
        ("", "claimkit: d/b.yaml: permission denied\n")
    );
}

/// A claim without devices of a pod that runs says nothing: its status was left out.
#[test]
fn devices_of_running_pods_that_are_not_given_are_not_free() {
    let holder = |status: &str| {
        let mut objects: Vec<String> = OBJECTS.iter().map(|one| (*one).to_owned()).collect();
        objects.push(format!("{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: h, namespace: x, uid: h}}, spec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: gpu}}}}]}}}}{status}}}"));
        objects.push("{apiVersion: v1, kind: Pod, metadata: {name: h, namespace: x, uid: h}, spec: {nodeName: n1, containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimName: h}]}, status: {phase: Running}}".to_owned());
        list(&objects)
    };
    let unreadable = ", status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: n1, device: <redacted>}]}}, reservedFor: [{resource: pods, name: h, uid: h}]}";
    for status in ["", unreadable] {
        let text = holder(status);
        for line in ["why -n x -f dump.yaml", "allocate dump.yaml"] {
            has(
                &said(line, &[("dump.yaml", &text)]),
                &["not known, for ResourceClaim x/h does not say which devices x/h has"],
            );
        }
    }
    let audit = said("audit dump.yaml", &[("dump.yaml", &holder(""))]);
    has(&audit, &["no ResourceClaim that is given has a status"]);
    lacks(&audit, &["delete the pod"]);
}

#[test]
fn a_node_that_does_not_say_what_it_has_is_not_known_to_take_a_pod() {
    let text = with((
        ", status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}",
        "",
    ));
    for line in ["why -n x -f dump.yaml", "allocate dump.yaml"] {
        let out = said(line, &[("dump.yaml", &text)]);
        has(
            &out,
            &["not known, for Node n1 does not say what it can hold (`status.allocatable`)"],
        );
        lacks(&out, &["can take it"]);
    }
}

#[test]
fn rules_of_groups_that_are_not_followed_are_named() {
    let topology = with((
        "spec: {containers",
        "spec: {schedulingGroup: {podGroupName: team}, containers",
    ));
    let group = "- {apiVersion: scheduling.k8s.io/v1alpha3, kind: PodGroup, metadata: {name: team, namespace: x, uid: team}, spec: {schedulingPolicy: {basic: {}}, schedulingConstraints: {topology: [{key: zone}]}}}\n";
    let text = format!("{topology}{group}");
    has(
        &said("why -n x -f dump.yaml", &[("dump.yaml", &text)]),
        &[
            "x/p waits: not known, for groups are not placed by topology here: PodGroup team wants nodes with one value of zone.",
        ],
    );
    let workload = with((
        "spec: {containers",
        "spec: {workloadRef: {name: w, podGroup: g}, containers",
    ));
    for line in [
        "why -n x --release 1.35 -f dump.yaml",
        "allocate --release 1.35 dump.yaml",
    ] {
        has(
            &said(line, &[("dump.yaml", &workload)]),
            &[
                "not known, for groups of a Workload are not placed together here: it is of group g of w",
            ],
        );
    }
}

/// Terms of affinity that select namespaces by labels need the Namespaces.
#[test]
fn namespaces_that_affinity_selects_have_to_be_given() {
    let term = |kind: &str| {
        format!(
            ", affinity: {{{kind}: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: zone, labelSelector: {{matchLabels: {{app: db}}}}, namespaceSelector: {{matchLabels: {{team: a}}}}}}]}}}}"
        )
    };
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: prod, labels: {team: a}}}";
    let own_namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: x, labels: {team: a}}}";
    let running = |labels: &str, more: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: db, namespace: prod, uid: db, labels: {{{labels}}}}}, spec: {{nodeName: a{PLAIN}{more}}}, status: {{phase: Running}}}}"
        )
    };
    let waiting = |spec: &str, db: &str| {
        let mut objects = Objects::new().node("a", "{}", 8, &[GPU]).with(db).waiting(
            "p",
            1,
            &format!("{PLAIN}{spec}"),
            "",
        );
        objects.0 = objects
            .0
            .replace(
                "metadata: {name: a}",
                "metadata: {name: a, labels: {zone: z}}",
            )
            .replace("uid: p,", "uid: p, labels: {app: db},");
        objects
    };
    let not_known = |namespace: &str| {
        format!(
            "not known, for Namespace {namespace} is not given, by whose labels affinity between pods selects"
        )
    };
    let near = waiting(&term("podAffinity"), &running("app: db", ""));
    let away = waiting(&term("podAntiAffinity"), &running("app: db", ""));
    let avoided = waiting("", &running("", &term("podAntiAffinity")));
    let kept_away = "anti-affinity";
    for (objects, missing, given, told) in [
        (&near, "prod", namespace, "a can take it"),
        (&away, "prod", namespace, kept_away),
        (&avoided, "x", own_namespace, kept_away),
    ] {
        let out = objects.why("p");
        has(&out, &[&not_known(missing)]);
        lacks(&out, &["What helps", "can take it"]);
        let out = objects.clone().with(given).why("p");
        has(&out, &[told]);
        lacks(&out, &["not known"]);
    }
    // Other namespaces do not matter, nor do terms that name theirs.
    let other = waiting(&term("podAntiAffinity"), &running("app: web", ""));
    has(&other.why("p"), &["a can take it"]);
}

/// A Deployment whose pods cannot be made has no pod that waits: its own condition says why.
#[test]
fn an_object_that_cannot_make_its_pods_fails() {
    let workload = |kind: &str, name: &str, owner: &str, status: &str| {
        format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: {name}, namespace: x, uid: {name}{owner}}}, spec: {{replicas: 3, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: i}}]}}}}}}, status: {status}}}"
        )
    };
    let owner = ", ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: web, controller: true}]";
    let failing = "{conditions: [{type: ReplicaFailure, status: 'True', reason: FailedCreate, message: 'exceeded quota: q'}]}";
    let asked = |objects: &Objects| {
        let text = objects.list();
        let mut host = Files::of(&[("dump.yaml", &text)]);
        let exit = host.run("why deployment/web -n x -f dump.yaml --require");
        (words_of(&format!("{}{}", host.out, host.err)), exit.code())
    };
    let objects =
        Objects::new()
            .node("a", "{}", 8, &[GPU])
            .with(&workload("Deployment", "web", "", "{}"));
    let (told, exit) = asked(
        &objects
            .clone()
            .with(&workload("ReplicaSet", "web-1", owner, "{}")),
    );
    has(&told, &["There is no pod of deployment x/web"]);
    assert_eq!(exit, 0);
    let refused = objects.with(&workload("ReplicaSet", "web-1", owner, failing));
    let (told, exit) = asked(&refused);
    has(
        &told,
        &["No pod of deployment x/web exists, for it cannot be made: exceeded quota: q"],
    );
    assert_eq!(exit, 1);
    let (told, exit) = asked(&refused.running("web-1-a", "Deployment/web", PLAIN));
    has(
        &told,
        &["More pods of deployment x/web cannot be made: exceeded quota: q"],
    );
    assert_eq!(exit, 1);
}

#[test]
fn nodes_that_are_not_given_are_counted() {
    let status = "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', message: '0/10 nodes are available: 10 Insufficient cpu.'}]}";
    let objects = Objects::new()
        .node("a", "{taints: [{key: k, effect: NoSchedule}]}", 8, &[GPU])
        .with("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: x, uid: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}")
        .pod("p", 1, &format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimName: c}}]"), status);
    let out = objects.why("pod/p");
    has(
        &out,
        &[
            "x/p waits: kube-scheduler tried 10 nodes, of which 1 is given, and it does not take it.",
        ],
    );
    lacks(&out, &["the only node"]);
}

/// A kubelet is never newer than its server, so that the server's release is not known here either.
#[test]
fn a_release_that_kubelets_do_not_show_is_said() {
    let with_kubelet = |version: &str| {
        with((
            "pods: '10'}}",
            &format!("pods: '10'}}, nodeInfo: {{kubeletVersion: {version}}}}}"),
        ))
    };
    for (version, told) in [
        (
            "v1.39.0",
            "Kubernetes 1.37.2 answers, the newest known here: the newest kubelet is of 1.39.0",
        ),
        (
            "v1.30.1-eks-2",
            "Kubernetes 1.37.2 answers, the newest known here: the newest kubelet is of 1.30.1, which has no devices",
        ),
    ] {
        let text = with_kubelet(version);
        for line in ["why -n x -f dump.yaml", "allocate dump.yaml"] {
            has(&said(line, &[("dump.yaml", &text)]), &[told]);
        }
    }
    let older = said(
        "why -n x -f dump.yaml",
        &[("dump.yaml", &with_kubelet("v1.36.1"))],
    );
    has(
        &older,
        &["Kubernetes 1.36.1 answers, as the newest kubelet of the nodes"],
    );
    let known = with_kubelet("v1.38.0");
    lacks(
        &said("why -n x -f dump.yaml", &[("dump.yaml", &known)]),
        &["newest known"],
    );
}

/// Two dumps of one cluster, taken one after the other.
#[test]
fn the_newest_state_of_a_pod_counts() {
    let state = |version: &str, node: &str| {
        with(("uid: p,", &format!("uid: p, resourceVersion: '{version}',")))
            .replace("spec: {containers", &format!("spec: {{{node}containers"))
    };
    let (older, newer) = (state("9", ""), state("10", "nodeName: n1, "));
    for files in ["-f a.yaml -f b.yaml", "-f b.yaml -f a.yaml"] {
        let out = said(
            &format!("why -n x {files}"),
            &[("a.yaml", &older), ("b.yaml", &newer)],
        );
        has(
            &out,
            &[
                "Pod x/p is given twice: its newest state counts",
                "x/p has a node: n1. It does not start: its ResourceClaim c is not allocated",
            ],
        );
    }
    for files in ["a.yaml b.yaml", "b.yaml a.yaml"] {
        let out = said(
            &format!("allocate {files}"),
            &[("a.yaml", &older), ("b.yaml", &newer)],
        );
        has(
            &out,
            &[
                "Pod p is given twice: a newer state of it counts than this one, of resourceVersion 9",
            ],
        );
        lacks(&out, &["x/p: n1"]);
    }
}

/// Where somebody wrote one word over all UIDs, objects of other names are other objects.
#[test]
fn objects_with_one_word_for_all_uids_are_not_states_of_one() {
    let redacted = |text: &str| text.replace("uid: p,", "uid: REDACTED, resourceVersion: '9',");
    let second = OBJECTS[4]
        .replace("name: p,", "name: q,")
        .replace("uid: p,", "uid: REDACTED, resourceVersion: '10',");
    let mut objects: Vec<String> = OBJECTS.iter().map(|object| redacted(object)).collect();
    objects.push(second);
    let files = [("dump.yaml", list(&objects))];
    let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
    for line in ["allocate dump.yaml", "why -A -f dump.yaml"] {
        let out = said(line, &files);
        has(&out, &["x/p", "x/q"]);
        lacks(&out, &["is given twice", "cannot be decoded"]);
    }
}

/// A claim of two dumps is allocated in the later one: the audit counts its device in both orders of the files.
#[test]
fn the_newest_state_of_a_claim_is_audited() {
    let state = |version: &str, status: &str| {
        with((
            "uid: c}",
            &format!("uid: c, resourceVersion: '{version}'}}"),
        ))
        .replace("count: 1}}]}}", &format!("count: 1}}}}]}}}}{status}"))
    };
    let allocated = ", status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: n1, device: g0}]}}}";
    let (older, newer) = (state("1028", ""), state("999999", allocated));
    for files in ["a.yaml b.yaml", "b.yaml a.yaml"] {
        let out = said(
            &format!("audit {files}"),
            &[("a.yaml", &older), ("b.yaml", &newer)],
        );
        has(
            &out,
            &[
                "ResourceClaim c is given twice: a newer state of it counts than this one, of resourceVersion 1028",
                "gpu.example.com/n1 1 1 0 0 0 0 0 -",
            ],
        );
        lacks(&out, &["no ResourceClaim that is given has a status"]);
    }
}

/// A claim that has lost its volume keeps its pod off all nodes, whatever else is given.
#[test]
fn a_claim_that_lost_its_volume_decides() {
    let volumes = ", volumes: [{name: d, persistentVolumeClaim: {claimName: d}}]";
    let claim = |phase: &str| {
        format!(
            "{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: d, namespace: x, uid: d}}, spec: {{volumeName: pv1}}, status: {{phase: {phase}}}}}"
        )
    };
    let asked = |phase: &str| {
        Objects::new()
            .node("a", "{}", 8, &[GPU])
            .with(&claim(phase))
            .waiting("p", 1, &format!("{PLAIN}{volumes}"), "")
            .why("p")
    };
    has(
        &asked("Lost"),
        &["persistentvolumeclaim \"d\" bound to non-existent persistentvolume \"pv1\""],
    );
    lacks(&asked("Lost"), &["not known"]);
    has(&asked("Bound"), &["not known"]);
}

/// A spread over fewer domains than it wants counts the least of them as 0.
#[test]
fn the_domains_that_a_spread_wants_are_said() {
    let spread = ", topologySpreadConstraints: [{topologyKey: zone, maxSkew: 1, minDomains: 3, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: db}}}]";
    let mut objects = Objects::new()
        .node("a", "{}", 8, &[GPU])
        .with("{apiVersion: v1, kind: Pod, metadata: {name: db, namespace: x, uid: db, labels: {app: db}}, spec: {nodeName: a, containers: [{name: c, image: i}]}, status: {phase: Running}}")
        .waiting("p", 1, &format!("{PLAIN}{spread}"), "");
    objects.0 = objects
        .0
        .replace(
            "metadata: {name: a}",
            "metadata: {name: a, labels: {zone: z}}",
        )
        .replace("uid: p,", "uid: p, labels: {app: db},");
    has(&objects.why("p"), &["zone (maxSkew 1, minDomains 3)"]);
}

/// Pods that a quota does not allow are not made, which is said where they are placed all the same.
#[test]
fn pods_that_a_quota_does_not_allow_are_counted() {
    let deployment = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: x}, spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimTemplateName: t}]}}}}";
    let asked = |hard: u32| {
        let cluster = Objects::new()
            .node("a", "{}", 8, &[GPU, "{name: g1}"])
            .with("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: x, uid: t}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}")
            .with(&format!("{{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: x, uid: q}}, spec: {{hard: {{pods: '{hard}'}}}}, status: {{hard: {{pods: '{hard}'}}, used: {{pods: '1'}}}}}}"))
            .list();
        said(
            "allocate new.yaml --cluster cluster.yaml",
            &[("new.yaml", deployment), ("cluster.yaml", &cluster)],
        )
    };
    has(
        &asked(2),
        &[
            "ResourceQuota q allows 1 more of the 2 pods of Deployment x/web (pods): the others are placed as if it allowed them",
        ],
    );
    lacks(&asked(3), &["ResourceQuota q allows"]);
}

/// Manifests that are applied again: what the cluster has of them stays, and is not placed a second time.
#[test]
fn objects_that_are_in_the_cluster_are_not_made_again() {
    let template = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: x, uid: t}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}";
    let cluster = Objects::new()
        .node("a", "{}", 8, &[GPU, "{name: g1}", "{name: g2}"])
        .with(template);
    let workload = |kind: &str, replicas: u32| {
        format!(
            "{{apiVersion: apps/v1, kind: {kind}, metadata: {{name: web, namespace: x}}, spec: {{replicas: {replicas}, selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: i}}], resourceClaims: [{{name: g, resourceClaimTemplateName: t}}]}}}}}}}}"
        )
    };
    let asked = |applied: &str, cluster: Objects| {
        let cluster = cluster
            .list()
            .replace("uid: web-1}, spec", "uid: web-1, labels: {a: b}}, spec");
        let mut host = Files::of(&[("new.yaml", applied), ("cluster.yaml", &cluster)]);
        let exit = host.run("allocate new.yaml --cluster cluster.yaml --require");
        (words_of(&host.out), exit.code())
    };
    let two = |owner: &str| {
        cluster
            .clone()
            .holding("web-0", owner, PLAIN, &["g0"])
            .holding("web-1", owner, PLAIN, &["g1"])
    };
    let (told, exit) = asked(&workload("StatefulSet", 3), two("StatefulSet/web"));
    has(
        &told,
        &[
            "pods of StatefulSet x/web that are in the cluster stay, and count as its own: x/web-0, x/web-1",
            "3 of 3 have a node",
            "x/web-0: is on a already",
            "x/web-2: a",
        ],
    );
    assert_eq!(exit, 0, "{told}");
    let set = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-5d8f, namespace: x, uid: web-5d8f, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: web, controller: true}]}, spec: {replicas: 2, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}}}";
    let (told, exit) = asked(
        &workload("Deployment", 3),
        two("ReplicaSet/web-5d8f").with(set),
    );
    has(&told, &["3 of 3 have a node", "x/web-2: a"]);
    assert_eq!(exit, 0, "{told}");
    let (told, exit) = asked(&workload("DaemonSet", 1), two("DaemonSet/web"));
    has(&told, &["2 of 2 have a node"]);
    assert_eq!(exit, 0, "{told}");
    // A pod and a claim of the same form stay as they are.
    let pod = "{apiVersion: v1, kind: Pod, metadata: {name: h, namespace: x}, spec: {containers: [{name: c, image: i}], resourceClaims: [{name: g, resourceClaimName: h-c}]}}";
    let claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: h-c, namespace: x}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, count: 1}}]}}}";
    let (told, exit) = asked(
        &format!("{pod}\n---\n{claim}"),
        cluster.clone().holding("h", "", PLAIN, &["g0"]),
    );
    has(&told, &["x/h: is on a already"]);
    assert_eq!(exit, 0, "{told}");
}

/// A copy of a pod has a volume of its own, as it has a claim of its own.
#[test]
fn copies_of_a_pod_have_volumes_of_their_own() {
    let volume = "volumes: [{name: s, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}}}}]";
    let objects = Objects::new()
        .node("a", "{}", 8, &[GPU, "{name: g1}", "{name: g2}"])
        .with("{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: x, uid: t}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}")
        .with("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, uid: fast}, provisioner: ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer}")
        .with("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: p-s, namespace: x, uid: p-s, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: p, controller: true}]}, spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 1Gi}}}, status: {phase: Pending}}")
        .pod("p", 1, &format!("{PLAIN}, resourceClaims: [{{name: g, resourceClaimTemplateName: t}}], {volume}"), "{phase: Pending}");
    let asked = |more: &str| {
        let text = objects.clone().with(more).list();
        said(
            "allocate dump.yaml --how-many --pod x/p",
            &[("dump.yaml", &text)],
        )
    };
    let node = |count: u32| {
        format!(
            "{{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {{name: a, uid: a}}, spec: {{drivers: [{{name: ebs.csi.aws.com, nodeID: i, topologyKeys: [], allocatable: {{count: {count}}}}}]}}}}"
        )
    };
    has(
        &asked(&node(2)),
        &[
            "x/p fits 2 times",
            "x/p-3: fits on no node",
            "exceed max volume count",
        ],
    );
    has(
        &asked(&node(9)),
        &[
            "x/p fits 3 times",
            "x/p-4: fits on no node",
            "cannot allocate all claims",
        ],
    );
}

#[test]
fn quotas_limit_how_often_a_pod_fits() {
    let quota = |hard: &str, used: &str| {
        let quota = format!(
            "- {{apiVersion: v1, kind: ResourceQuota, metadata: {{name: q, namespace: x}}, spec: {{hard: {{{hard}}}}}, status: {{hard: {{{hard}}}, used: {{{used}}}}}}}\n"
        );
        let many = with((
            "[{name: g0}]",
            "[{name: g0}, {name: g1}, {name: g2}, {name: g3}]",
        ))
        .replace("resourceClaimName: c", "resourceClaimTemplateName: t")
        .replace(
            "{name: c, image: i}",
            "{name: c, image: i, resources: {requests: {cpu: '1'}}}",
        );
        let template = "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: x, uid: t}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}\n";
        format!("{many}{template}{quota}")
    };
    for (hard, used, resource) in [
        ("pods: '3'", "pods: '1'", "pods"),
        ("count/pods: '3'", "count/pods: '1'", "count/pods"),
        ("requests.cpu: '3'", "requests.cpu: '1'", "requests.cpu"),
    ] {
        let text = quota(hard, used);
        has(
            &said(
                "allocate --how-many --pod x/p dump.yaml",
                &[("dump.yaml", &text)],
            ),
            &[&format!(
                "x/p fits 3 times: 3 on n1; ResourceQuota q allows no more {resource}."
            )],
        );
    }
}
