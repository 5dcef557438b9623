//! The verb `allocate` where several pods wait: one after another on what is left.

use super::place::lines::{list, text};
use serde_json::{Value, json};

fn ask(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

/// Two nodes with two GPUs each; the second is tainted and has the label `role: sampler`.
const CLUSTER: &str = "apiVersion: v1
kind: Node
metadata: {name: a, labels: {kubernetes.io/hostname: a}}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: v1
kind: Node
metadata: {name: b, labels: {kubernetes.io/hostname: b, role: sampler}}
spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}
status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {extendedResourceName: example.com/gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: a}
spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}, {name: gpu-1}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: b}
spec: {driver: gpu.example.com, nodeName: b, pool: {name: b, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}, {name: gpu-1}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}
---
";

fn pod(name: &str, more: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{{more}containers: [{{name: c, image: x, resources: {{claims: [{{name: gpu}}]}}}}], resourceClaims: [{{name: gpu, resourceClaimTemplateName: one}}]}}\n---\n"
    )
}

fn deployment(replicas: u64) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web}}\nspec: {{replicas: {replicas}, selector: {{matchLabels: {{app: web}}}}, template: {{metadata: {{labels: {{app: web}}}}, spec: {{containers: [{{name: c, image: x}}], resourceClaims: [{{name: gpu, resourceClaimTemplateName: one}}]}}}}}}\n"
    )
}

/// The node or the outcome of each pod, in the order of the answer.
fn outcomes(answer: &Value) -> Vec<(String, String)> {
    assert!(answer["error"].is_null(), "{answer}");
    let told = |pod: &Value| {
        let what = pod["turn"]["node"]
            .as_str()
            .unwrap_or_else(|| text(&pod["turn"], "outcome"));
        (text(pod, "pod").to_owned(), what.to_owned())
    };
    list(answer, "pods").iter().map(told).collect()
}

fn allocate(objects: &str) -> Value {
    ask(&json!({"verb": "allocate", "release": "1.37.2", "text": format!("{CLUSTER}{objects}")}))
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(pod, what)| ((*pod).to_owned(), (*what).to_owned()))
        .collect()
}

/// Three pods want a GPU each, and only two GPUs are on a node without a taint.
#[test]
fn devices_are_given_once() {
    let answer = allocate(&[pod("p", ""), pod("q", ""), pod("r", "")].concat());
    assert_eq!(answer["mode"], "inTurn");
    assert_eq!(
        outcomes(&answer),
        owned(&[
            ("default/p", "a"),
            ("default/q", "a"),
            ("default/r", "unschedulable")
        ])
    );
    let device = |at: usize| answer["pods"][at]["turn"]["devices"][0]["device"].clone();
    assert_eq!(
        (device(0), device(1)),
        (
            json!("gpu.example.com/a/gpu-0"),
            json!("gpu.example.com/a/gpu-1")
        )
    );
    let last = &answer["pods"][2]["turn"];
    let message = "0/2 nodes are available: 1 cannot allocate all claims, 1 node(s) had untolerated taint(s). preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
    assert_eq!(last["message"], message, "{last}");
    // The second node has both devices, but a plugin before that for devices refuses it.
    let node = &answer["pods"][2]["nodes"][1];
    assert_eq!(
        (&node["name"], &node["verdict"]),
        (&json!("b"), &json!("refused")),
        "{node}"
    );
    assert_eq!(
        node["refusals"][0]["why"],
        json!(["untolerated taint nvidia.com/gpu=present:NoSchedule"])
    );
    assert_eq!(
        answer["pods"][2]["nodes"][0]["holders"]
            .as_array()
            .unwrap()
            .len(),
        2,
        "{}",
        answer["pods"][2]["nodes"][0]
    );
}

/// Two dumps of one cluster, or a dump and the file that it came from, name objects twice: the cluster has each once.
#[test]
fn objects_that_are_given_twice_count_once() {
    let pods = format!("{}{}", pod("p", ""), pod("q", ""));
    let once = allocate(&pods);
    let twice = ask(
        &json!({"verb": "allocate", "text": format!("{CLUSTER}{CLUSTER}{pods}{pods}"), "nodes": CLUSTER}),
    );
    assert_eq!(outcomes(&twice), outcomes(&once));
    let of_code = |answer: &Value| {
        let found: Vec<Value> = answer["findings"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|one| one["code"] == "already-exists")
            .cloned()
            .collect();
        found
    };
    let told = of_code(&twice);
    assert_eq!(told.len(), 10, "{told:?}");
    assert!(told.iter().any(|one| one["message"]
        == "Node a is in the text twice: only the first one counts"
        && one["severity"] == "info"));
    assert!(told.iter().any(|one| one["message"]
        == "Node a is given twice: only the first one counts"
        && one["in"] == "nodes"));
    // Others of one name are others: the first counts, and it is said loudly.
    let other = CLUSTER.replacen("cpu: '4'", "cpu: '8'", 1);
    let told = of_code(&ask(
        &json!({"verb": "allocate", "text": format!("{CLUSTER}{other}{pods}")}),
    ));
    assert_eq!(
        (&told[0]["severity"], &told[0]["message"]),
        (
            &json!("warning"),
            &json!(
                "Node a is in the text twice with different contents: only the first one counts"
            )
        )
    );
    assert!(
        told[1..].iter().all(|one| one["severity"] == "info"),
        "{told:?}"
    );
    // Where they are in two files, both are named.
    let sources = json!([
        {"name": "a.yaml", "text": CLUSTER},
        {"name": "b.yaml", "text": format!("{other}{pods}")},
    ]);
    let told = of_code(&ask(&json!({"verb": "allocate", "sources": sources})));
    assert_eq!(
        told[0]["message"],
        "Node a is in `a.yaml` and in `b.yaml` with different contents: only the first one counts"
    );
    assert!(told[1..].iter().all(|one| {
        let message = one["message"].as_str().unwrap();
        message.ends_with("is in `a.yaml` and in `b.yaml`: only the first one counts")
    }));
    // In a prepared cluster as well.
    let told = of_code(&ask(
        &json!({"verb": "allocate", "text": pods, "cluster": format!("{CLUSTER}{CLUSTER}")}),
    ));
    assert_eq!(told.len(), 6, "{told:?}");
}

/// Alone, each pod gets the first device of both nodes.
#[test]
fn pods_alone_do_not_see_each_other() {
    let text = format!("{CLUSTER}{}{}", pod("p", ""), deployment(7));
    let answer =
        ask(&json!({"verb": "allocate", "release": "1.37.2", "alone": true, "text": text}));
    assert_eq!(answer["mode"], "alone");
    let pods: Vec<&str> = list(&answer, "pods")
        .iter()
        .map(|pod| self::text(pod, "pod"))
        .collect();
    assert_eq!(pods, ["default/p", "default/web"]);
    for pod in list(&answer, "pods") {
        assert!(pod["turn"].is_null());
        assert!(
            list(pod, "nodes")
                .iter()
                .all(|node| node["verdict"] == "allocated"),
            "{pod}"
        );
    }
}

/// Priority goes before age, and pods of workloads are counted.
#[test]
fn priority_and_replicas_count() {
    let class = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n---\n";
    let answer = allocate(
        &[
            class,
            &pod("late", "priorityClassName: high, "),
            &deployment(3),
        ]
        .concat(),
    );
    let wanted = [
        ("default/late", "a"),
        ("default/web-0", "a"),
        ("default/web-1", "unschedulable"),
        ("default/web-2", "unschedulable"),
    ];
    assert_eq!(outcomes(&answer), owned(&wanted));
    // Equal explanations appear once.
    assert_eq!(
        answer["pods"][3]["sameAs"], "default/web-1",
        "{}",
        answer["pods"][3]
    );
    assert!(list(&answer["pods"][3], "nodes").is_empty());
}

/// A billion replicas are cut, and the answer says so.
#[test]
fn the_number_of_pods_is_bounded() {
    let answer = allocate(&deployment(1_000_000_000));
    let pods = list(&answer, "pods");
    assert_eq!(pods.len(), 5000);
    let message = "Deployment `default/web`: 5000 of 1000000000 pods are placed; at most 5000 pods of workloads are";
    assert!(
        list(&answer, "findings")
            .iter()
            .any(|finding| finding["message"] == message),
        "{}",
        answer["findings"]
    );
    assert!(answer.to_string().len() < 5_000_000);
}

/// A toleration lets the pod onto the tainted node, a node selector onto that node only; a class serves an extended resource that is
/// only limited.
#[test]
fn every_plugin_counts() {
    let taint = "tolerations: [{key: nvidia.com/gpu, operator: Exists}], ";
    let chosen = format!("{taint}nodeSelector: {{role: sampler}}, ");
    let large = "apiVersion: v1\nkind: Pod\nmetadata: {name: large}\nspec: {containers: [{name: c, image: x, resources: {limits: {cpu: '6', example.com/gpu: 1}}}]}\n---\n";
    let extended = "apiVersion: v1\nkind: Pod\nmetadata: {name: extended}\nspec: {containers: [{name: c, image: x, resources: {limits: {example.com/gpu: 1}}}]}\n---\n";
    let answer = allocate(&[&pod("chosen", &chosen), large, extended].concat());
    assert_eq!(
        outcomes(&answer),
        owned(&[
            ("default/chosen", "b"),
            ("default/large", "unschedulable"),
            ("default/extended", "a")
        ])
    );
    let refused = &answer["pods"][1]["turn"]["refused"];
    assert_eq!(refused[0]["reasons"][0], "Insufficient cpu", "{refused}");
    assert!(
        refused.to_string().contains("cpu: 6 wanted, 4 of 4 left"),
        "{refused}"
    );
    let wrong = &answer["pods"][0]["nodes"][0]["refusals"][0];
    assert_eq!(
        wrong["why"],
        json!(["nodeSelector role=sampler: the node has no label role"])
    );
    assert_eq!(
        answer["pods"][2]["turn"]["devices"][0]["device"],
        "gpu.example.com/a/gpu-0"
    );
}

/// A change of devices that helps on a node helps on another only if nothing else refuses the pod there.
#[test]
fn nodes_share_an_account_only_if_others_say_the_same_of_them() {
    let held = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: NAME, namespace: default}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 2}}]}}\nstatus: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: NAME, device: gpu-0}, {request: gpu, driver: gpu.example.com, pool: NAME, device: gpu-1}]}}, reservedFor: [{resource: pods, name: other, uid: u}]}\n---\n";
    let both = ["a", "b"].map(|name| held.replace("NAME", name)).concat();
    let shared = |more: &str| {
        let answer = allocate(&[both.as_str(), &pod("p", more)].concat());
        let [a, b] = [
            &answer["pods"][0]["nodes"][0],
            &answer["pods"][0]["nodes"][1],
        ];
        assert_eq!(
            a["relaxations"][0]["text"], "freeing claim default/a: gives gpu-0 on a",
            "{answer}"
        );
        (b["sameAs"].clone(), b["relaxations"][0]["text"].clone())
    };
    assert_eq!(
        shared("tolerations: [{operator: Exists}], "),
        (json!("a"), Value::Null)
    );
    assert_eq!(
        shared(""),
        (
            Value::Null,
            json!("freeing claim default/b: gives gpu-0 on b")
        )
    );
}

/// Nodes of the same score: one is taken by name, and the answer says whether that matters.
#[test]
fn ties_are_told() {
    let plain = "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: {tolerations: [{operator: Exists}], containers: [{name: c, image: x}]}\n";
    let answer = allocate(plain);
    let turn = &answer["pods"][0]["turn"];
    assert_eq!(
        (&turn["decidedBy"], &turn["tied"], &turn["depends"]),
        (&json!("name"), &json!(["b"]), &json!(false)),
        "{turn}"
    );
    assert_eq!(answer["ties"], json!({"tried": "all", "choices": 2}));
}

/// A pod is asked about by its name, or by that of its workload; the others are placed all the same.
#[test]
fn one_of_several_pods_is_asked_about() {
    let text = format!("{CLUSTER}{}{}", pod("p", ""), deployment(3));
    let of = |name: &str| {
        outcomes(&ask(
            &json!({"verb": "allocate", "release": "1.37.2", "text": text, "pod": name}),
        ))
    };
    assert_eq!(of("web-0"), owned(&[("default/web-0", "a")]));
    assert_eq!(of("web-1"), owned(&[("default/web-1", "unschedulable")]));
    assert_eq!(of("web").len(), 3);
}

/// Equal pods that fail are tried once. The one that is asked about has an account of its own, of its own claim.
#[test]
fn a_pod_is_explained_though_equal_pods_failed_before_it() {
    let pods: String = (0..5).map(|at| pod(&format!("p{at}"), "")).collect();
    let text = format!("{CLUSTER}{pods}");
    for (asked, claim) in [
        ("default/p3", "default/p3-gpu"),
        ("default/p4", "default/p4-gpu"),
    ] {
        let answer = ask(&json!({"verb": "allocate", "text": text, "pod": asked}));
        let [pod] = list(&answer, "pods") else {
            panic!("{answer}")
        };
        assert_eq!(pod["turn"]["outcome"], "unschedulable", "{answer}");
        assert!(
            pod["sameAs"].is_null() && !list(pod, "nodes").is_empty(),
            "{asked}: {pod}"
        );
        assert_eq!(pod["nodes"][0]["requests"][0]["claim"], claim);
        assert!(!list(&pod["turn"], "refused").is_empty(), "{pod}");
    }
    // Of several that are asked about, the first one has it.
    let alone = pod("aa", "").replace(
        "containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]",
        "containers: [{name: c, image: x}]",
    );
    let text = format!(
        "{CLUSTER}{}{alone}{}",
        pod("p", "") + &pod("q", ""),
        deployment(4)
    );
    let workload = ask(&json!({"verb": "allocate", "text": text, "pod": "default/web"}));
    let same: Vec<&Value> = list(&workload, "pods")
        .iter()
        .map(|pod| &pod["sameAs"])
        .collect();
    assert_eq!(
        same,
        [
            &Value::Null,
            &json!("default/web-0"),
            &json!("default/web-0"),
            &json!("default/web-0")
        ],
        "{workload}"
    );
    let all = allocate(&pods);
    let last = list(&all, "pods").last().unwrap();
    assert_eq!(
        (text_of(last, "pod"), text_of(last, "sameAs")),
        ("default/p4".into(), "default/p2".into())
    );
}

/// Many pods on many nodes: later ones have the account of their own node only, and the scheduler tries only some of the nodes.
#[test]
fn the_answer_is_bounded() {
    let nodes: String = (0..250)
        .map(|at| format!("apiVersion: v1\nkind: Node\nmetadata: {{name: n{at:03}}}\nstatus: {{allocatable: {{cpu: '1', memory: 1Gi, pods: '9'}}}}\n---\n"))
        .collect();
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 20, template: {spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 1}}}]}}}\n";
    let answer = ask(&json!({"verb": "allocate", "text": format!("{nodes}{web}")}));
    let pods = list(&answer, "pods");
    let shown: usize = pods.iter().map(|pod| list(pod, "nodes").len()).sum();
    assert!(pods.len() == 20 && shown <= 2020, "{shown} node accounts");
    let last = &pods[19];
    assert_eq!(
        (&last["turn"]["nodesLeftOut"], &last["turn"]["decidedBy"]),
        (&json!(249), &json!("sample")),
        "{last}"
    );
    assert!(
        last["turn"]["unsure"][0]
            .as_str()
            .unwrap()
            .contains("only some of them"),
        "{last}"
    );
}

/// Groups wait for a number of pods by a gate of its own in 1.35 and 1.36, and by GenericWorkload alone from 1.37 on.
#[test]
fn gangs_follow_the_gate_of_the_release() {
    let text = "apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '16', memory: 64Gi, pods: '20'}}
---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: pair, namespace: ns}
spec: {schedulingPolicy: {gang: {minCount: 2}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ns}
spec: {containers: [{name: c, image: i}], schedulingGroup: {podGroupName: pair}}
";
    let asked = |release: &str, gates: Value| {
        ask(&json!({"verb": "allocate", "release": release, "gates": gates, "text": text}))
    };
    let (workloads, both) = (
        json!({"GenericWorkload": true}),
        json!({"GenericWorkload": true, "GangScheduling": true}),
    );
    for (release, gates, outcome) in [
        ("1.36", workloads.clone(), "bound"),
        ("1.36", both, "notConsidered"),
        ("1.36", json!({"GangScheduling": false}), "bound"),
        ("1.37", workloads, "notConsidered"),
    ] {
        let answer = asked(release, gates);
        assert_eq!(answer["pods"][0]["turn"]["outcome"], outcome, "{answer}");
    }
    // The plugin alone waits for a group that is not there.
    let without_group = text.replace("name: pair,", "name: other,");
    let request = json!({"verb": "allocate", "release": "1.36", "gates": {"GenericWorkload": true}, "text": without_group});
    let answer = ask(&request);
    assert_eq!(answer["pods"][0]["turn"]["outcome"], "bound", "{answer}");
    let unknown = asked("1.37", json!({"GangScheduling": false}));
    let error = unknown["error"].to_string();
    assert!(
        error.contains("has no feature gate `GangScheduling`"),
        "{unknown}"
    );
}

/// Copies are alike: what is said of one is not said of each.
#[test]
fn what_concerns_all_copies_is_said_once() {
    let text = "apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '16', memory: 64Gi, pods: '20'}}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: d.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: x}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: ns}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu, adminAccess: true}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ns}
spec: {containers: [{name: c, image: i, resources: {claims: [{name: g}]}}], resourceClaims: [{name: g, resourceClaimTemplateName: t}]}
";
    let answer = ask(&json!({"verb": "allocate", "howMany": true, "text": text}));
    assert_eq!(answer["howMany"]["count"], 20, "{answer}");
    let codes: Vec<&str> = list(&answer, "findings")
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect();
    for code in ["admin-access-label", "admin-access-in-use"] {
        let times = codes.iter().filter(|known| **known == code).count();
        assert_eq!(times, 1, "{codes:?}");
    }
}

/// Fits twice on the node without a taint; the third copy says why not.
#[test]
fn a_pod_is_repeated_until_no_more_fits() {
    let ask_about = |objects: &str, more: Value| {
        let mut request = json!({"verb": "allocate", "release": "1.37.2", "howMany": true, "text": format!("{CLUSTER}{objects}")});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        ask(&request)
    };
    let answer = ask_about(&pod("p", ""), json!({}));
    let told = &answer["howMany"];
    assert_eq!(
        told,
        &json!({"pod": "default/p", "count": 2, "atLeast": false, "depends": false, "nodes": [{"node": "a", "count": 2}], "next": "default/p-3"})
    );
    let last = &list(&answer, "pods")[2];
    assert_eq!(last["pod"], "default/p-3");
    assert!(
        last["turn"]["message"]
            .as_str()
            .unwrap()
            .starts_with("0/2 nodes are available: 1 cannot allocate all claims"),
        "{last}"
    );
    // A workload is repeated whatever its replicas are, and other pods are placed too: those that wait longer come first.
    let high = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n---\n";
    let both = [high, &pod("p", "priorityClassName: high, "), &deployment(7)].concat();
    let answer = ask_about(&both, json!({"pod": "web"}));
    assert_eq!(
        (&answer["howMany"]["count"], &answer["beside"]),
        (&json!(1), &json!(1)),
        "{}",
        answer["howMany"]
    );
    assert_eq!(
        outcomes(&answer),
        owned(&[("default/web-0", "a"), ("default/web-1", "unschedulable")])
    );
    // More nodes take more.
    let answer = ask_about(&deployment(1), json!({"whatIf": {"nodesLike": ["a*3"]}}));
    assert_eq!(
        (
            &answer["howMany"]["count"],
            &answer["howMany"]["nodes"].as_array().unwrap().len()
        ),
        (&json!(8), &4),
        "{}",
        answer["howMany"]
    );
    // With names of nodes, the copies are placed on these only, as many as fit there.
    let tolerant = pod("p", "tolerations: [{operator: Exists}], ");
    assert_eq!(
        ask_about(&tolerant, json!({"nodeNames": ["b"]}))["howMany"],
        json!({"pod": "default/p", "count": 2, "atLeast": false, "depends": false, "nodes": [{"node": "b", "count": 2}], "next": "default/p-3"})
    );
    // Node affinity of its own stays.
    let excluded = pod(
        "p",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: none, operator: Exists}]}]}}}, tolerations: [{operator: Exists}], ",
    );
    let told = ask_about(&excluded, json!({"nodeNames": ["b"]}));
    assert_eq!(told["howMany"]["count"], 0, "{told}");
    // A pod without requests fits as long as the node has room for pods: ten on each node.
    let plain = "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: {tolerations: [{operator: Exists}], containers: [{name: c, image: x}]}\n";
    assert_eq!(ask_about(plain, json!({}))["howMany"]["count"], 20);
    // It must be known which.
    let error = |answer: Value| answer["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        error(ask_about(&both, json!({}))),
        "`howMany`: one pod is repeated, and the text has default/p, default/web; name one with `pod`"
    );
    assert_eq!(
        error(ask_about(&both, json!({"alone": true, "pod": "p"}))),
        "`howMany` places pods in turn: leave out `alone` and `claims`"
    );
    assert_eq!(
        error(ask_about("", json!({}))),
        "`howMany`: the text has no pod to repeat; name one with `pod`"
    );
    assert_eq!(
        error(ask_about("", json!({"pod": "x"}))),
        "`howMany`: there is no Pod `default/x`, and nothing of that name that makes pods"
    );
}

/// Nothing ends the repeating but the bound.
#[test]
fn repeating_is_bounded() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '1000000'}}\n---\n";
    let plain = "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: {containers: [{name: c, image: x}]}\n";
    let answer =
        ask(&json!({"verb": "allocate", "howMany": true, "text": format!("{node}{plain}")}));
    let told = &answer["howMany"];
    assert_eq!(
        (&told["count"], &told["atLeast"], &told["next"]),
        (&json!(5000), &json!(true), &Value::Null),
        "{told}"
    );
}

/// A pod with claims by name, and a request for CPU.
fn sharing(name: &str, priority: u64, cpu: u64, claims: &[&str]) -> String {
    let entries: Vec<String> = claims
        .iter()
        .enumerate()
        .map(|(at, claim)| format!("{{name: c{at}, resourceClaimName: {claim}}}"))
        .collect();
    let entries = entries.join(", ");
    format!(
        "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\nspec: {{priority: {priority}, preemptionPolicy: Never, containers: [{{name: c, image: x, resources: {{requests: {{cpu: {cpu}}}}}}}], resourceClaims: [{entries}]}}\n---\n"
    )
}

const SHARED: &str = "apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: three}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 3}}]}}
---
";

#[test]
fn a_claim_that_an_earlier_pod_has_cannot_be_reserved_twice() {
    let text = format!(
        "{CLUSTER}{SHARED}{}{}",
        sharing("first", 2, 1, &["shared"]),
        sharing("twice", 1, 1, &["shared", "shared"])
    );
    let answer = ask(&json!({"verb": "allocate", "text": text, "release": "1.37"}));
    let told = list(&answer, "pods")
        .iter()
        .find(|pod| pod["pod"] == "default/twice")
        .unwrap()["turn"]
        .clone();
    assert_eq!(told["outcome"], "error", "{told}");
    assert!(
        text_of(&told, "message").contains("status.reservedFor[2]: Duplicate value"),
        "{told}"
    );
    assert_eq!(told["help"], "the pod names the claim twice");
}

#[test]
fn a_pod_is_tried_again_only_if_its_own_claims_change() {
    let text = format!(
        "{CLUSTER}{SHARED}{}{}",
        sharing("many", 2, 3, &["three"]),
        sharing("other", 1, 3, &[])
    );
    let answer = ask(&json!({"verb": "allocate", "text": text, "release": "1.37"}));
    let told = list(&answer, "pods")
        .iter()
        .find(|pod| pod["pod"] == "default/many")
        .unwrap()["turn"]
        .clone();
    assert!(
        text_of(&told, "message").contains("1 cannot allocate all claims"),
        "{told}"
    );
    assert!(told["earlier"].is_null(), "{told}");
}

fn text_of(value: &Value, name: &str) -> String {
    text(value, name).to_owned()
}

/// What an answer says of the pods of one priority that were tried before, and of one that fits nowhere.
#[test]
fn the_order_of_pods_that_were_tried_before_is_not_known() {
    let tried = |name: &str, more: &str| {
        let status = "status: {conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable}]}";
        pod(name, more).replace("}]}\n---\n", &format!("}}]}}\n{status}\n---\n"))
    };
    let unsure = |objects: &[String]| -> Vec<(String, usize)> {
        let answer = allocate(&objects.concat());
        let count = |pod: &Value| {
            (
                text(pod, "pod").to_owned(),
                pod["turn"]["unsure"].as_array().map_or(0, Vec::len),
            )
        };
        list(&answer, "pods").iter().map(count).collect()
    };
    let counted = |pairs: [(&str, usize); 4]| -> Vec<(String, usize)> {
        pairs
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count))
            .collect()
    };
    let nowhere = "nodeName: '', nodeSelector: {none: here}, ";
    let pods = ["p", "q", "r"].map(|name| tried(name, ""));
    let [p, q, r] = pods.clone();
    let order = "pods of one priority that failed before are tried again in an order that the objects do not tell";
    let answer = allocate(&[p.clone(), q.clone(), r.clone()].concat());
    assert_eq!(answer["pods"][0]["turn"]["unsure"], json!([order]));
    assert_eq!(
        unsure(&[p, q, r, tried("s", nowhere)]),
        counted([
            ("default/p", 1),
            ("default/q", 0),
            ("default/r", 1),
            ("default/s", 0)
        ])
    );
    // New pods come in the order in which they are written.
    assert_eq!(
        unsure(&[pod("p", ""), pod("q", ""), pod("r", ""), pod("s", nowhere)]),
        counted([
            ("default/p", 0),
            ("default/q", 0),
            ("default/r", 0),
            ("default/s", 0)
        ])
    );
    // The priority decides.
    let ranked = [
        tried("p", "priority: 3, "),
        tried("q", "priority: 2, "),
        tried("r", "priority: 1, "),
        tried("s", nowhere),
    ];
    assert_eq!(
        unsure(&ranked),
        counted([
            ("default/p", 0),
            ("default/q", 0),
            ("default/r", 0),
            ("default/s", 0)
        ])
    );
}

/// New objects that the server would refuse are not in the cluster; what was on a server is taken as it is.
#[test]
fn objects_that_the_server_refuses_are_left_out() {
    let claim = |metadata: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: none{metadata}}}\nspec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu, count: -1}}}}]}}}}\n---\n"
        )
    };
    let named = pod("p", "").replace("resourceClaimTemplateName: one", "resourceClaimName: none");
    let undefined = pod("q", "").replace("claims: [{name: gpu}]", "claims: [{name: gpus}]");
    let answer = allocate(&[claim(""), named.clone(), undefined, deployment(1)].concat());
    assert_eq!(answer["ok"], false);
    let codes: Vec<&str> = list(&answer, "findings")
        .iter()
        .filter(|one| one["severity"] == "error")
        .map(|one| text(one, "code"))
        .collect();
    assert_eq!(codes, ["count-invalid", "pod-claim-undefined"]);
    let left_out = ["ResourceClaim default/none", "Pod default/q"]
        .map(|name| format!("{name} is left out: kube-apiserver refuses it"));
    assert_eq!(list(&answer, "assumed")[..2], left_out.map(Value::from));
    // The controller's pod is placed.
    assert_eq!(
        outcomes(&answer),
        owned(&[("default/web", "a"), ("default/p", "notConsidered")])
    );
    assert_eq!(
        answer["pods"][1]["turn"]["waitsFor"],
        "its ResourceClaims: could not find ResourceClaim \"default/none\""
    );

    let answer = allocate(&[claim(", uid: 1a"), named].concat());
    assert_eq!(
        list(&answer, "findings")
            .iter()
            .filter(|one| one["severity"] == "error")
            .count(),
        0
    );
}

/// The parts of the headline: the reason, and the names of the pods.
fn parts(answer: &Value) -> Vec<(String, Vec<String>)> {
    let names = |part: &Value| {
        list(part, "pods")
            .iter()
            .map(|name| name.as_str().unwrap().to_owned())
            .collect()
    };
    list(&answer["headline"], "parts")
        .iter()
        .map(|part| (text(part, "reason").to_owned(), names(part)))
        .collect()
}

#[test]
fn the_headline_counts_pods_by_what_decides() {
    let absent = "apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: none}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gone}}]}}}
---
";
    let pods = [
        pod("first", ""),
        pod("second", ""),
        pod("third", ""),
        pod("fourth", ""),
        pod("picky", "nodeSelector: {zone: nowhere}, "),
        pod("lost", "").replace("TemplateName: one", "TemplateName: none"),
    ];
    let whole = format!("{CLUSTER}{absent}{}", pods.concat());
    let answer = ask(&json!({"verb": "allocate", "release": "1.36.2", "text": whole}));
    assert_eq!(answer["headline"]["waiting"], 4);
    assert_eq!(answer["headline"]["pods"], 6);
    let mut told: Vec<(String, usize)> = parts(&answer)
        .into_iter()
        .map(|(reason, pods)| (reason, pods.len()))
        .collect();
    told.sort();
    let wanted = [
        (
            "after earlier pods, no node has gpu free among those that take them otherwise",
            2,
        ),
        ("taken by no node: node selector or affinity", 1),
        ("there is no DeviceClass `gone`", 1),
    ];
    assert_eq!(told, wanted.map(|(reason, pods)| (reason.to_owned(), pods)));
    assert!(text(&answer["headline"], "text").starts_with(
        "4 of 6 pods get no node. 2: after earlier pods, no node has gpu free among those that take them otherwise"
    ));
    let alone = ask(&json!({"verb": "allocate", "text": format!("{CLUSTER}{}", pod("one", "")) }));
    assert!(alone["headline"].is_null());
}

#[test]
fn the_headline_names_what_is_missing_and_no_pod() {
    let pod = |name: &str, entry: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, uid: u-{name}}}\nspec:\n  containers: [{{name: c, image: i}}]\n  resourceClaims: [{{name: g, {entry}}}]\n"
        )
    };
    let template = "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: gpus}\nspec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}\n";
    let made = "resourceClaimTemplateName: gpus";
    let text = [
        CLUSTER,
        template,
        &pod("a", made),
        &pod("b", made),
        &pod("c", "resourceClaimTemplateName: gpu"),
        &pod("d", "resourceClaimName: absent"),
        "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: other, uid: other}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n",
    ]
    .concat();
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    let told: Vec<(String, usize)> = parts(&answer)
        .into_iter()
        .map(|(reason, pods)| (reason, pods.len()))
        .collect();
    let not_made =
        "kube-controller-manager has not created the claim from ResourceClaimTemplate `gpus` yet";
    let no_template =
        "there is no ResourceClaimTemplate `gpu` in namespace `default`; did you mean `gpus`?";
    let no_claim = "there is no ResourceClaim `absent` in namespace `default`";
    assert!(told.contains(&(not_made.to_owned(), 2)), "{told:?}");
    assert!(told.contains(&(no_template.to_owned(), 1)), "{told:?}");
    assert!(told.contains(&(no_claim.to_owned(), 1)), "{told:?}");
}

/// An expression that fails ends the attempt with an error that names the claim, and from 1.35 on the device: the pods of a template
/// are one part all the same.
#[test]
fn the_headline_counts_errors_of_one_expression_together() {
    let template = "apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: failing}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: 'device.attributes[\"gpu.example.com\"].model == \"a\"'}}]}}]}}}
---
";
    let claim_and_pod = |name: &str| {
        let claim = format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}-x, uid: {name}-x, ownerReferences: [{{apiVersion: v1, kind: Pod, name: {name}, uid: {name}, controller: true}}]}}\nspec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu, selectors: [{{cel: {{expression: 'device.attributes[\"gpu.example.com\"].model == \"a\"'}}}}]}}}}]}}}}\n---\n"
        );
        let statuses = format!(
            "status: {{resourceClaimStatuses: [{{name: gpu, resourceClaimName: {name}-x}}]}}\n---\n"
        );
        let made = pod(name, "")
            .replace("TemplateName: one", "TemplateName: failing")
            .replace(
                &format!("metadata: {{name: {name}}}"),
                &format!("metadata: {{name: {name}, uid: {name}}}"),
            )
            .replace("---\n", &statuses);
        claim + &made
    };
    for release in ["1.34.3", "1.36.1", "1.37.2"] {
        let whole = [
            CLUSTER,
            template,
            &claim_and_pod("first"),
            &claim_and_pod("second"),
        ]
        .concat();
        let answer = ask(&json!({"verb": "allocate", "release": release, "text": whole}));
        let told = parts(&answer);
        assert_eq!(told.len(), 1, "{release}: {told:?}");
        let (reason, pods) = &told[0];
        assert!(
            reason.starts_with("an error ends the attempt: CEL runtime error: no such key: model"),
            "{release}: {reason}"
        );
        assert_eq!(pods, &["default/first", "default/second"]);
        // The scheduler looks at devices last: on the tainted node it does not come to the expression.
        let verdicts: Vec<(&str, &str)> = list(&list(&answer, "pods")[0], "nodes")
            .iter()
            .map(|node| (text(node, "name"), text(node, "verdict")))
            .collect();
        assert!(verdicts.contains(&("a", "error")), "{verdicts:?}");
        assert!(!verdicts.contains(&("b", "error")), "{verdicts:?}");
        let met: Vec<&str> = list(&answer, "findings")
            .iter()
            .filter(|finding| finding["code"] == "error-ends-attempt")
            .map(|finding| text(finding, "message"))
            .collect();
        assert!(!met.is_empty());
        for message in met {
            let mut words = message.split(|c: char| !c.is_alphanumeric());
            assert!(words.all(|word| word != "b"), "{release}: {message}");
        }
    }
}

/// Devices that stand for CPUs of their node: whatever earlier pods got of them is gone for devices and for plain requests.
#[test]
fn what_devices_take_of_a_node_is_taken() {
    let claim = |name: &str, cpus: u64| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}}}\nspec: {{devices: {{requests: [{{name: r, exactly: {{deviceClassName: cpus, capacity: {{requests: {{cpu.example.com/cpu: '{cpus}'}}}}}}}}]}}}}\n---\n"
        )
    };
    let pod = |name: &str, second: u64, cpu: &str, claims: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, creationTimestamp: '2026-09-01T10:00:0{second}Z'}}\nspec: {{containers: [{{name: c, image: x, resources: {{requests: {{cpu: {cpu}}}{claims}}}}}]"
        )
    };
    let with_claim = |name: &str, second: u64, more: &str| {
        pod(name, second, "1m", ", claims: [{name: k}]")
            + &format!(", resourceClaims: [{{name: k, resourceClaimName: {name}}}]{more}}}\n---\n")
    };
    let plain = |name: &str, second: u64, cpu: &str| pod(name, second, cpu, "") + "}\n---\n";
    for (release, field) in [
        (
            "1.36",
            "nodeAllocatableResourceMappings: {cpu: {capacityKey: cpu.example.com/cpu}}",
        ),
        (
            "1.37",
            "nodeAllocatableResources: {cpu: {mapping: {capacityKey: cpu.example.com/cpu, capacityMultiplier: '1'}}}",
        ),
    ] {
        let cluster = format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: w}}\nstatus: {{allocatable: {{cpu: '13', memory: 64Gi, pods: '110'}}, declaredFeatures: [DRANodeAllocatableResources]}}\n---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {{name: cpus}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: w}}\nspec:\n  driver: cpu.example.com\n  nodeName: w\n  pool: {{name: w, generation: 1, resourceSliceCount: 1}}\n  devices:\n  - name: numa\n    allowMultipleAllocations: true\n    capacity: {{cpu.example.com/cpu: {{value: '16', requestPolicy: {{default: '1', validRange: {{min: '1', step: '1'}}}}}}}}\n    {field}\n---\n"
        );
        let allocate = |objects: &str| {
            let request = json!({
                "verb": "allocate", "text": cluster.clone() + objects, "release": release,
                "gates": {"DRANodeAllocatableResources": true},
            });
            outcomes(&ask(&request))
        };
        let objects = claim("ten", 10)
            + &claim("four", 4)
            + &claim("two", 2)
            + &with_claim("ten", 0, "")
            + &with_claim("four", 1, "")
            + &plain("three", 2, "'3'")
            + &with_claim("two", 3, "")
            + &plain("last", 4, "1");
        let got = allocate(&objects);
        assert_eq!(
            got,
            owned(&[
                ("default/ten", "w"),
                ("default/four", "unschedulable"),
                ("default/three", "unschedulable"),
                ("default/two", "w"),
                ("default/last", "unschedulable"),
            ]),
            "{release}"
        );
    }
}

/// A pod that fails as the one before it is not tried: it must then be equal in all that plugins look at.
#[test]
fn pods_that_differ_are_each_tried() {
    let node = "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n---\n";
    let devices = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}, {name: gpu-1}]}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: one}\nspec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: many}\nspec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 3}}]}}}\n---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: elsewhere}\nspec: {accessModes: [ReadWriteOnce], volumeName: elsewhere, resources: {requests: {storage: 1Gi}}}\nstatus: {phase: Bound}\n---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: elsewhere}\nspec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], claimRef: {namespace: default, name: elsewhere}, local: {path: /d}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}]}]}}}\n---\n";
    let pod = |name: &str, second: u64, template: &str, more: &str| {
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, creationTimestamp: '2026-09-01T10:00:0{second}Z'}}\nspec: {{{more}priority: 5, containers: [{{name: c, image: x}}], resourceClaims: [{{name: gpu, resourceClaimTemplateName: {template}}}]}}\n---\n"
        )
    };
    let volume = |claim: &str| {
        format!("volumes: [{{name: v, persistentVolumeClaim: {{claimName: {claim}}}}}], ")
    };
    let with =
        |pods: String| ask(&json!({"verb": "allocate", "text": format!("{node}{devices}{pods}")}));
    let answer = with(
        pod("first", 0, "one", &volume("elsewhere"))
            + &pod("second", 1, "one", &volume("missing"))
            + &pod("third", 2, "one", "volumes: [{name: v, emptyDir: {}}], ")
            + &pod("fourth", 3, "one", ""),
    );
    assert_eq!(
        outcomes(&answer),
        owned(&[
            ("default/first", "unschedulable"),
            ("default/second", "unschedulable"),
            ("default/third", "a"),
            ("default/fourth", "a"),
        ])
    );
    let message = |answer: &Value, at: usize| {
        answer["pods"][at]["turn"]["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert!(
        message(&answer, 1).contains("persistentvolumeclaim \"missing\" not found"),
        "{}",
        answer["pods"][1]["turn"]
    );
    let answer =
        with(pod("never", 0, "many", "preemptionPolicy: Never, ") + &pod("may", 1, "many", ""));
    assert!(
        message(&answer, 0).contains("preemptionPolicy=Never"),
        "{answer}"
    );
    assert!(
        !message(&answer, 1).contains("preemptionPolicy=Never"),
        "{answer}"
    );
}

/// A dump from which UIDs were taken out holds stored objects all the same: those with owners, those with a status, and those of a list
/// beside such objects.
#[test]
fn objects_of_a_dump_without_uids_are_stored() {
    let node = "{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}";
    let devices = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}, {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: a}, spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, generation: 1, resourceSliceCount: 1}, devices: [{name: gpu-0}, {name: gpu-1}]}}";
    let spec = "spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}";
    let owned_claim = format!(
        "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: p-gpu-x, ownerReferences: [{{apiVersion: v1, kind: Pod, name: p, controller: true}}]}}, {spec}}}"
    );
    // Its manager is blacked out: that says nothing about what it asks for.
    let plain_claim = format!(
        "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: q-gpu, labels: {{team: '***'}}}}, {spec}}}"
    );
    let pod = |name: &str, entry: &str, status: &str| {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{{name: c, image: x, resources: {{claims: [{{name: gpu}}]}}}}], resourceClaims: [{{name: gpu, {entry}}}]}}, status: {{phase: Pending{status}}}}}"
        )
    };
    let p = pod(
        "p",
        "resourceClaimTemplateName: gone",
        ", resourceClaimStatuses: [{name: gpu, resourceClaimName: p-gpu-x}]",
    );
    let q = pod("q", "resourceClaimName: q-gpu", "");
    let text = format!(
        "apiVersion: v1\nkind: List\nitems: [{node}, {devices}, {owned_claim}, {plain_claim}, {p}, {q}]\n"
    );
    let answer = ask(&json!({"verb": "allocate", "text": text}));
    assert_eq!(
        outcomes(&answer),
        owned(&[("default/p", "a"), ("default/q", "a")]),
        "{answer}"
    );
    let errors = list(&answer, "findings")
        .iter()
        .filter(|one| one["severity"] == "error");
    assert_eq!(errors.count(), 0, "{answer}");
    // By itself the second claim may be new.
    let alone = format!("{CLUSTER}{plain_claim}\n---\n{q}\n");
    assert_eq!(
        outcomes(&ask(&json!({"verb": "allocate", "text": alone}))),
        owned(&[("default/q", "notConsidered")])
    );
    // The pods of a stored workload are among the objects.
    let made = deployment(2) + "status: {replicas: 2, readyReplicas: 2}\n";
    let whole = format!("{}---\n{made}", pod_text("web-1"));
    assert_eq!(
        outcomes(&allocate(&whole)),
        owned(&[("default/web-1", "a")])
    );
}

/// A pod that waits, with a new claim.
fn pod_text(name: &str) -> String {
    pod(name, "").trim_end_matches("---\n").to_owned()
}

/// The pods of a dump: one runs and holds a device, one waits.
const DUMPED: &str = "apiVersion: v1
kind: Pod
metadata: {name: holder, uid: u1}
spec: {nodeName: a, containers: [{name: c, image: x}], resourceClaims: [{name: gpu, resourceClaimName: held}]}
status: {phase: Running}
---
apiVersion: v1
kind: Pod
metadata: {name: p, uid: u2}
spec: {containers: [{name: c, image: x}], resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]}
status: {phase: Pending, resourceClaimStatuses: [{name: gpu, resourceClaimName: p-gpu}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: held, uid: u3}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
status: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: a, device: gpu-0}]}}, reservedFor: [{resource: pods, name: holder, uid: u1}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: p-gpu, uid: u4, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u2, controller: true}]}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
---
";

/// The objects of a text without those of a kind.
fn without(text: &str, kind: &str) -> String {
    let is_other = |object: &&str| !object.contains(&format!("kind: {kind}\n"));
    let kept: Vec<&str> = text.split("---\n").filter(is_other).collect();
    kept.join("---\n")
}

/// What a dump does not hold is not known; what people write to try things is complete.
#[test]
fn kinds_that_a_dump_lacks_leave_pods_open() {
    let whole = format!("{CLUSTER}{DUMPED}");
    let outcome = |text: &str| {
        let answer = ask(&json!({"verb": "allocate", "release": "1.37.2", "text": text}));
        let pods = list(&answer, "pods");
        let pod = pods.iter().find(|pod| pod["pod"] == "default/p").unwrap();
        let turn = &pod["turn"];
        let why = pod["unknown"].as_str().unwrap_or_default().to_owned();
        assert_eq!(why.is_empty(), turn["outcome"] != "notKnown", "{pod}");
        assert!(why.is_empty() || turn["unsure"][0] == why.as_str(), "{pod}");
        assert!(why.is_empty() || turn["node"].is_null(), "{pod}");
        (words_of(&turn["outcome"]), why)
    };
    assert_eq!(outcome(&whole), ("bound".to_owned(), String::new()));
    for (kind, kinds) in [
        ("Node", "nodes"),
        ("ResourceSlice", "resourceslices"),
        ("DeviceClass", "deviceclasses"),
        ("ResourceClaim", "resourceclaims"),
    ] {
        let why = format!("not known, for {kinds} were not given");
        assert_eq!(
            outcome(&without(&whole, kind)),
            ("notKnown".to_owned(), why),
            "{kind}"
        );
    }
    // The claims of running pods hold devices, whatever a new pod asks for.
    let new = pod("p", "");
    let holder = DUMPED.split("---\n").next().unwrap();
    assert_eq!(
        outcome(&format!("{CLUSTER}{holder}---\n{new}")).1,
        "not known, for resourceclaims were not given"
    );
    // A namespace of which no template is given, and one of which some are.
    let stored = |template: &str| {
        pod("p", "")
            .replace("name: p}", "name: p, uid: u2}")
            .replace("TemplateName: one", &format!("TemplateName: {template}"))
    };
    let elsewhere = CLUSTER.replace("{name: one}", "{name: one, namespace: other}");
    assert_eq!(
        outcome(&format!("{elsewhere}{}", stored("one"))).1,
        "not known, for resourceclaimtemplates of namespace default were not given"
    );
    assert_eq!(
        outcome(&format!("{CLUSTER}{}", stored("none"))),
        ("notConsidered".to_owned(), String::new())
    );
    // Without anything of a server, the objects are all there are.
    for (kind, wanted) in [("Node", "bound"), ("DeviceClass", "unschedulable")] {
        let plain = format!("{}{new}", without(CLUSTER, kind));
        assert_eq!(
            outcome(&plain),
            (wanted.to_owned(), String::new()),
            "{kind}"
        );
    }
    // Nodes that running pods name are not given.
    let bound = holder
        .replace(", uid: u1", "")
        .replace("resourceClaims", "x");
    let plain = format!("{}{bound}---\n{new}", without(CLUSTER, "Node"));
    assert_eq!(outcome(&plain).1, "not known, for nodes were not given");
}

/// Claims and slices that somebody pastes tell which devices are left, though not whether the node takes the pod.
#[test]
fn devices_are_named_where_only_nodes_are_not_given() {
    let text = "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: gpu.example.com, nodeName: w0, pool: {name: w0, generation: 1, resourceSliceCount: 1}, devices: [{name: g0}, {name: g1}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: held, uid: held}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: w0, device: g0}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: new}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p}
spec: {containers: [{name: c, image: x}], resourceClaims: [{name: r, resourceClaimName: new}]}
";
    let answer = ask(&json!({"verb": "allocate", "release": "1.37.2", "text": text}));
    assert_eq!(
        answer["pods"][0]["turn"]["unsure"],
        json!([
            "not known, for nodes were not given",
            "by its devices alone it gets g1 on w0"
        ])
    );
}

fn words_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Pods that share the account of another one share what is not known of it.
#[test]
fn what_is_not_known_of_one_pod_is_not_known_of_those_alike() {
    let stored = |name: &str| {
        pod(name, "").replace(
            &format!("name: {name}}}"),
            &format!("name: {name}, uid: {name}}}"),
        )
    };
    let claim = |name: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}-gpu, uid: c-{name}, ownerReferences: [{{apiVersion: v1, kind: Pod, name: {name}, uid: {name}, controller: true}}]}}\nspec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu}}}}]}}}}\n---\n"
        )
    };
    let with_status = |name: &str| {
        stored(name).replace(
            "\n---\n",
            &format!("\nstatus: {{resourceClaimStatuses: [{{name: gpu, resourceClaimName: {name}-gpu}}]}}\n---\n"),
        )
    };
    let pods: String = ["p", "q"]
        .map(|name| with_status(name) + &claim(name))
        .concat();
    let text = format!("{}{pods}", without(CLUSTER, "DeviceClass"));
    let answer = ask(&json!({"verb": "allocate", "release": "1.37.2", "text": text}));
    assert_eq!(
        outcomes(&answer),
        owned(&[("default/p", "notKnown"), ("default/q", "notKnown")])
    );
    let why = "not known, for deviceclasses were not given";
    assert_eq!(
        parts(&answer),
        [(
            why.to_owned(),
            vec!["default/p".to_owned(), "default/q".to_owned()]
        )]
    );
}

/// A quota is charged for the claim that a repeated pod has already: the first copy costs nothing more.
#[test]
fn a_repeated_pod_is_charged_once_for_its_claim() {
    let quota = |hard: u64| {
        format!(
            "apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: few}}\nspec: {{hard: {{gpu.deviceclass.resource.k8s.io/devices: {hard}}}}}\nstatus: {{hard: {{gpu.deviceclass.resource.k8s.io/devices: {hard}}}, used: {{gpu.deviceclass.resource.k8s.io/devices: 1}}}}\n---\n"
        )
    };
    let waiting: Vec<&str> = DUMPED.split("---\n").collect();
    let waiting = [waiting[1], waiting[3]].join("---\n");
    for (hard, count) in [(1, 1), (2, 2)] {
        let text = format!("{CLUSTER}{}{waiting}", quota(hard));
        let request =
            json!({"verb": "allocate", "text": text, "howMany": true, "pod": "default/p"});
        let answer = ask(&request);
        assert_eq!(answer["howMany"]["count"], count, "{hard}: {answer}");
    }
}

/// Claims that no pod uses are placed each by itself: nothing says that one pod uses several, and none can across namespaces.
#[test]
fn claims_without_pods_are_placed_one_by_one() {
    let claim = |name: &str, namespace: &str, count: u64| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu, count: {count}}}}}]}}}}\n---\n"
        )
    };
    let claims = [
        claim("a", "default", 2),
        claim("b", "default", 2),
        claim("c", "other", 2),
        claim("d", "other", 3),
    ];
    let answer = allocate(&claims.concat());
    let told: Vec<(&Value, bool)> = list(&answer, "pods")
        .iter()
        .map(|pod| {
            let fits = list(pod, "nodes")
                .iter()
                .any(|node| node["verdict"] == "allocated");
            (&pod["claims"], fits)
        })
        .collect();
    assert_eq!(
        told,
        [
            (&json!(["default/a"]), true),
            (&json!(["default/b"]), true),
            (&json!(["other/c"]), true),
            (&json!(["other/d"]), false),
        ]
    );
}

/// Where the first reason hides others that would keep the pod, these are named, too.
#[test]
fn reasons_behind_the_first_one_are_named() {
    let cluster = |devices: &str| {
        format!(
            "{}apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: a}}\nspec: {{driver: gpu.example.com, nodeName: a, pool: {{name: a, generation: 1, resourceSliceCount: 1}}, devices: [{devices}]}}\n---\n",
            without(CLUSTER, "ResourceSlice")
        )
    };
    let held = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: held, uid: u3}\nspec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}\nstatus: {allocation: {devices: {results: [{request: gpu, driver: gpu.example.com, pool: a, device: gpu-0MORE}]}}}\n---\n";
    let claim = |ask: &str| {
        format!(
            "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: c}}\nspec: {{devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: gpu{ask}}}}}]}}}}\n---\n"
        )
    };
    let why = |text: String| {
        let answer = ask(&json!({"verb": "allocate", "release": "1.37.2", "text": text}));
        let nodes = list(&answer, "pods")[0]["nodes"]
            .as_array()
            .unwrap()
            .clone();
        let node = nodes.iter().find(|node| node["name"] == "a").unwrap();
        words_of(&node["requests"][0]["why"])
    };
    let is_held = "gpu-0: held by default/held (no pod reserves it)";
    let is_tainted = |device: &str| format!("{device}: tainted bad:NoSchedule by its driver");
    // All: other devices have reasons of later stages.
    let taint = "taints: [{key: bad, effect: NoSchedule}]";
    let devices = cluster(&format!(
        "{{name: gpu-0}}, {{name: gpu-1, {taint}}}, {{name: gpu-2}}"
    ));
    let held_all = held.replace("MORE", "");
    assert_eq!(
        why(devices + &held_all + &claim(", allocationMode: All")),
        format!("{is_held}; {}", is_tainted("gpu-1"))
    );
    // One device with two reasons.
    let devices = cluster(&format!("{{name: gpu-0, {taint}}}"));
    assert_eq!(
        why(devices + &held_all + &claim("")),
        format!("{is_held}; {}", is_tainted("gpu-0"))
    );
    // Without the taint another device is enough: nothing is hidden.
    let devices = cluster(&format!("{{name: gpu-0}}, {{name: gpu-1, {taint}}}"));
    assert_eq!(why(devices + &held_all + &claim("")), is_tainted("gpu-1"));
    // More than one request may have; and of that, too little is left.
    let shared = "{name: gpu-0, allowMultipleAllocations: true, capacity: {memory: {value: 80Gi, requestPolicy: {default: 8Gi, validRange: {min: 4Gi, max: 40Gi, step: 4Gi}}}}}";
    let share = held.replace(
        "MORE",
        ", shareID: 00000000-0000-4000-8000-000000000001, consumedCapacity: {memory: 64Gi}",
    );
    assert_eq!(
        why(cluster(shared) + &share + &claim(", capacity: {requests: {memory: 41Gi}}")),
        "gpu-0: 41Gi of memory is charged as 44Gi, one request may have at most 40Gi; gpu-0: 40Gi of memory is charged, 16Gi left of 80Gi (64Gi held by default/held)"
    );
    let free = held.replace(
        "MORE",
        ", shareID: 00000000-0000-4000-8000-000000000001, consumedCapacity: {memory: 8Gi}",
    );
    assert_eq!(
        why(cluster(shared) + &free + &claim(", capacity: {requests: {memory: 41Gi}}")),
        "gpu-0: 41Gi of memory is charged as 44Gi, one request may have at most 40Gi"
    );
}

/// What a container asks for is said as it was written, with the place of the amount in the pod.
#[test]
fn extended_resources_are_said_in_the_words_of_the_pod() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {initContainers: [{name: first, image: x}], containers: [{name: c, image: x, resources: {limits: {example.com/gpu: 3}}}]}\n---\n";
    let answer = allocate(pod);
    let node = &list(&answer, "pods")[0]["nodes"][0];
    let help = &node["relaxations"][0];
    assert_eq!(
        help["text"],
        "asking for 2 instead of 3 example.com/gpu in container c: gives gpu-0, gpu-1 on a"
    );
    assert_eq!(
        help["changes"][0]["path"],
        "spec.containers[0].resources.limits[example.com/gpu]"
    );
    // A taint of a device cannot be tolerated so.
    let tainted = CLUSTER.replace(
        "{name: gpu-0}",
        "{name: gpu-0, taints: [{key: bad, effect: NoSchedule}]}",
    );
    let one = pod.replace("gpu: 3", "gpu: 2");
    let answer =
        ask(&json!({"verb": "allocate", "release": "1.37.2", "text": format!("{tainted}{one}")}));
    let node = &list(&answer, "pods")[0]["nodes"][0];
    let texts: Vec<String> = list(node, "relaxations")
        .iter()
        .map(|one| words_of(&one["text"]))
        .collect();
    assert_eq!(
        texts,
        ["asking for 1 instead of 2 example.com/gpu in container c: gives gpu-1 on a"]
    );
}

/// Nodes that are not asked about are not among the reasons.
#[test]
fn reasons_are_those_of_the_nodes_that_are_asked_about() {
    let pods = [pod("p", ""), pod("q", ""), pod("r", "")].concat();
    let text = format!("{CLUSTER}{pods}");
    let answer =
        ask(&json!({"verb": "allocate", "release": "1.37.2", "text": text, "nodeNames": ["b"]}));
    let groups = list(&list(&answer, "pods")[2]["turn"], "refused");
    let names: Vec<&Value> = groups.iter().map(|group| &group["nodes"]).collect();
    assert_eq!(names, [&json!(["b"])], "{answer}");
}

/// A group of two pods; `{group}` and `{pod}` are the rest of the group's and the pods' specs.
const GANG: &str = "
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '8', memory: 8Gi, pods: '110'}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: other, namespace: default}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: scheduling.k8s.io/v1alpha3
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {schedulingPolicy: {basic: {}}{group}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, image: i}]{pod}}
";

/// What the real kube-scheduler 1.37.2 says is in `mixed-1.37.2.jsonl.gz`; 1.38.0-beta.0 was read (`schedule_one_podgroup.go`,
/// `validatePodGroupHierarchy` and `submitPodGroupResult`).
#[test]
fn a_group_that_an_error_ends_is_told_so_with_the_reason_behind() {
    let told = |release: &str, group: &str, pod: &str| {
        let text = GANG.replace("{group}", group).replace("{pod}", pod);
        let gates = json!({"GenericWorkload": true});
        let request = json!({"verb": "allocate", "release": release, "text": text, "gates": gates});
        let turn = ask(&request)["pods"][0]["turn"].clone();
        assert_eq!(turn["outcome"], "error", "{turn}");
        [&turn["message"], &turn["help"]].map(|text| text.as_str().unwrap_or_default().to_owned())
    };
    let absent = ", volumes: [{name: v, persistentVolumeClaim: {claimName: absent}}]";
    let behind = "the scheduler hides the reason behind an error of its own: 0/1 nodes are available: persistentvolumeclaim \"absent\" not found.";
    let same_priority = "the PodGroup and its pods need the same priority: name the same `priorityClassName` in all of them";
    for (release, group, pod, message, help) in [
        (
            "1.37",
            "",
            absent,
            "error in \"DynamicResources\" PodGroupPostFilter plugins: not found",
            behind,
        ),
        (
            "1.38",
            "",
            absent,
            "parent pod group \"g\" encountered an error",
            behind,
        ),
        (
            "1.37",
            "",
            ", priority: 4",
            "all pods in a single pod group should have the same priority as the pod group's priority, got 4 and 0",
            same_priority,
        ),
        (
            "1.38",
            ", priority: 7",
            ", priority: 4",
            "all pods in a pod group hierarchy should have the same priority as the root pod group's priority, got 4 (\"p\") and 7 (\"podgroup/default/g\")",
            same_priority,
        ),
        (
            "1.38",
            ", preemptionPolicy: Never",
            "",
            "all pods in a pod group hierarchy should have the same preemption policy, got PreemptLowerPriority (\"p\") and Never",
            "",
        ),
    ] {
        assert_eq!(told(release, group, pod), [message, help], "{release}");
    }
}
