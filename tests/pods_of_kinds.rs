//! The verb `allocate` on manifests as people write them: pods inside other kinds, fields that the server drops, names that it makes,
//! nodes that only slices name.

use super::place::lines::{list, text};
use serde_json::{Value, json};

fn ask(request: &Value) -> Value {
    serde_json::from_str(&claimkit::requests::answer(&request.to_string())).unwrap()
}

/// Eight nodes without anything that keeps pods away, and a class whose devices nobody publishes.
fn nodes() -> String {
    let node = |at| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: n{at}, labels: {{kubernetes.io/hostname: n{at}}}}}\nstatus: {{allocatable: {{cpu: '64', memory: 64Gi, pods: '110'}}}}\n---\n"
        )
    };
    (0..8).map(node).collect()
}

/// The names of the pods that the objects make, and the assumptions.
fn pods(objects: &str) -> (Vec<String>, Vec<String>) {
    let answer = ask(
        &json!({"verb": "allocate", "release": "1.37.2", "text": format!("{}{objects}", nodes())}),
    );
    assert!(answer["error"].is_null(), "{answer}");
    for pod in list(&answer, "pods") {
        assert_eq!(pod["turn"]["outcome"], "bound", "{pod}");
    }
    let names = list(&answer, "pods")
        .iter()
        .map(|pod| text(pod, "pod").trim_start_matches("default/").to_owned())
        .collect();
    let assumed = answer["assumed"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|line| line.as_str().unwrap().to_owned())
        .collect();
    (names, assumed)
}

const SPEC: &str = "{containers: [{name: c, image: x}]}";

#[test]
fn pods_of_known_kinds_are_counted() {
    let job = |parallelism: u64| {
        format!("{{parallelism: {parallelism}, completions: 5, template: {{spec: {SPEC}}}}}")
    };
    let cases: &[(&str, String, &[&str])] = &[
        (
            "batch/v1 CronJob",
            format!(
                "spec: {{schedule: '* * * * *', jobTemplate: {{spec: {}}}}}",
                job(2)
            ),
            &["x-0", "x-1"],
        ),
        (
            "jobset.x-k8s.io/v1alpha2 JobSet",
            format!(
                "spec: {{replicatedJobs: [{{name: driver, template: {{spec: {}}}}}, {{name: workers, replicas: 2, template: {{spec: {}}}}}]}}",
                job(1),
                job(2)
            ),
            &[
                "x-driver",
                "x-workers-0",
                "x-workers-1",
                "x-workers-2",
                "x-workers-3",
            ],
        ),
        (
            "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet",
            format!(
                "spec: {{replicas: 2, leaderWorkerTemplate: {{size: 3, leaderTemplate: {{spec: {SPEC}}}, workerTemplate: {{spec: {SPEC}}}}}}}"
            ),
            &[
                "x-leader-0",
                "x-leader-1",
                "x-worker-0",
                "x-worker-1",
                "x-worker-2",
                "x-worker-3",
            ],
        ),
        (
            "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet",
            format!(
                "spec: {{leaderWorkerTemplate: {{size: 3, workerTemplate: {{spec: {SPEC}}}}}}}"
            ),
            &["x-worker-0", "x-worker-1", "x-worker-2"],
        ),
        (
            "batch.volcano.sh/v1alpha1 Job",
            format!(
                "spec: {{tasks: [{{name: ps, replicas: 1, template: {{spec: {SPEC}}}}}, {{name: w, replicas: 2, template: {{spec: {SPEC}}}}}]}}"
            ),
            &["x-ps", "x-w-0", "x-w-1"],
        ),
        (
            "kubeflow.org/v1 PyTorchJob",
            format!(
                "spec: {{pytorchReplicaSpecs: {{Master: {{template: {{spec: {SPEC}}}}}, Worker: {{replicas: 2, template: {{spec: {SPEC}}}}}}}}}"
            ),
            &["x-master", "x-worker-0", "x-worker-1"],
        ),
        (
            "ray.io/v1 RayCluster",
            format!(
                "spec: {{headGroupSpec: {{template: {{spec: {SPEC}}}}}, workerGroupSpecs: [{{groupName: gpu, replicas: 2, numOfHosts: 2, template: {{spec: {SPEC}}}}}, {{groupName: none, template: {{spec: {SPEC}}}}}]}}"
            ),
            &["x-head", "x-gpu-0", "x-gpu-1", "x-gpu-2", "x-gpu-3"],
        ),
        (
            "ray.io/v1 RayJob",
            format!(
                "spec: {{rayClusterSpec: {{headGroupSpec: {{template: {{spec: {SPEC}}}}}, workerGroupSpecs: [{{groupName: w, minReplicas: 1, template: {{spec: {SPEC}}}}}]}}}}"
            ),
            &["x-head", "x-w"],
        ),
        (
            "grove.io/v1alpha1 PodCliqueSet",
            format!(
                "spec: {{replicas: 2, template: {{cliques: [{{name: a, spec: {{replicas: 2, podSpec: {SPEC}}}}}, {{name: b, spec: {{podSpec: {SPEC}}}}}]}}}}"
            ),
            &["x-a-0", "x-a-1", "x-a-2", "x-a-3", "x-b-0", "x-b-1"],
        ),
        (
            "kubevirt.io/v1 VirtualMachine",
            "spec: {runStrategy: Always, template: {spec: {domain: {}}}}".to_owned(),
            &["x"],
        ),
        (
            "kubevirt.io/v1 VirtualMachine",
            "spec: {running: false, template: {spec: {domain: {}}}}".to_owned(),
            &[],
        ),
        (
            "serving.kserve.io/v1beta1 InferenceService",
            format!(
                "spec: {{predictor: {{minReplicas: 2, {}}}}}",
                &SPEC[1..SPEC.len() - 1]
            ),
            &["x-predictor-0", "x-predictor-1"],
        ),
        ("v1 PodTemplate", format!("template: {{spec: {SPEC}}}"), &[]),
    ];
    for (kind, body, wanted) in cases {
        let (version, kind) = kind.split_once(' ').unwrap();
        let (names, assumed) = pods(&format!(
            "apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\n{body}\n"
        ));
        assert_eq!(names, *wanted, "{kind}");
        assert_eq!(assumed, Vec::<String>::new(), "{kind}");
    }
}

/// The runtime of a TrainJob has the specs of its pods, and the job says how many trainers there are.
#[test]
fn a_train_job_makes_the_pods_of_its_runtime() {
    let part = |name: &str, step: &str, more: &str| {
        format!(
            "{{name: {name}, {more}template: {{metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: {step}}}}}, spec: {{template: {{spec: {SPEC}}}}}}}}}"
        )
    };
    let runtime = |kind: &str, policy: &str| {
        format!(
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: {kind}\nmetadata: {{name: torch}}\nspec: {{{policy}template: {{spec: {{replicatedJobs: [{}, {}]}}}}}}\n---\n",
            part("dataset-initializer", "dataset-initializer", ""),
            part("node", "trainer", "")
        )
    };
    let job = |spec: &str| {
        format!(
            "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {{name: x}}\nspec: {{runtimeRef: {{name: torch}}, {spec}}}\n---\n"
        )
    };
    let first = "x-dataset-initializer";
    let of = |spec: &str, policy: &str| {
        pods(&format!(
            "{}{}",
            runtime("ClusterTrainingRuntime", policy),
            job(spec)
        ))
    };
    assert_eq!(
        of("", ""),
        (vec![first.to_owned(), "x-node".to_owned()], Vec::new())
    );
    assert_eq!(
        of("", "mlPolicy: {numNodes: 2}, ").0,
        [first, "x-node-0", "x-node-1"]
    );
    assert_eq!(
        of("trainer: {numNodes: 3}", "mlPolicy: {numNodes: 2}, ").0,
        [first, "x-node-0", "x-node-1", "x-node-2"]
    );
    let own = format!(
        "{}{}",
        runtime("TrainingRuntime", ""),
        job("trainer: {numNodes: 1}").replace("name: torch", "kind: TrainingRuntime, name: torch")
    );
    assert_eq!(pods(&own).0, [first, "x-node"]);
    assert_eq!(
        pods(&own.replacen("{name: torch}", "{name: torch, namespace: default}", 1)).0,
        [first, "x-node"]
    );
    // Without its runtime nothing is known of its pods, and that is said.
    let answer = ask(
        &json!({"verb": "allocate", "release": "1.37.2", "text": format!("{}{}", nodes(), job("trainer: {numNodes: 3}"))}),
    );
    assert!(
        answer.to_string().contains(
            "TrainJob default/x makes no pods here: its ClusterTrainingRuntime torch is not given"
        ),
        "{answer}"
    );
}

/// A kind that nobody knows counts as one pod for each spec, and the answer says so.
#[test]
fn pods_of_unknown_kinds_count_once() {
    let object = format!(
        "apiVersion: example.com/v1\nkind: Trainer\nmetadata: {{name: x}}\nspec: {{replicas: 7, worker: {{template: {{spec: {SPEC}}}}}}}\n"
    );
    let (names, assumed) = pods(&object);
    assert_eq!(names, ["x"]);
    assert_eq!(
        assumed,
        ["Trainer default/x makes one pod: how many its controller makes is not known"]
    );
    let object = format!(
        "apiVersion: example.com/v1\nkind: Trainer\nmetadata: {{name: x}}\nspec: {{a: {SPEC}, b: {SPEC}}}\n"
    );
    let (names, assumed) = pods(&object);
    assert_eq!(names, ["x-1", "x-2"]);
    assert_eq!(
        assumed,
        [
            "Trainer default/x makes one pod from each of its 2 pod specs: how many its controller makes is not known"
        ]
    );
    // A workload that a server has seen has pods of its own.
    assert_eq!(
        pods(&object.replace("name: x", "name: x, uid: u")).0,
        Vec::<String>::new()
    );
}

/// The name's end is random.
#[test]
fn names_are_generated() {
    let object = format!(
        "apiVersion: batch/v1\nkind: Job\nmetadata: {{generateName: sample-}}\nspec: {{template: {{spec: {SPEC}}}}}\n"
    );
    assert_eq!(pods(&object).0, ["sample-xxxxx"]);
}

const SHARED: &str = "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec:
  driver: gpu.example.com
  nodeName: node-a
  pool: {name: p, generation: 1, resourceSliceCount: 1}
  devices: [{name: d, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi}}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: c}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 2Gi}}}}]}}
";

/// The server drops what belongs to a gate that is off before the scheduler sees it; slices name the only node.
#[test]
fn new_objects_are_stored_first() {
    let node = |gates: Value| {
        let answer =
            ask(&json!({"verb": "allocate", "release": "1.34", "gates": gates, "text": SHARED}));
        assert!(answer["error"].is_null(), "{answer}");
        let dropped = list(&answer, "findings")
            .iter()
            .filter(|one| one["code"] == "field-dropped");
        let dropped: Vec<String> = dropped.map(|one| text(one, "path").to_owned()).collect();
        assert_eq!(
            answer["assumed"],
            json!([
                "Node node-a is assumed, because slices name it and no Node is given: its labels, taints and resources are not known"
            ])
        );
        (dropped, answer["pods"][0]["nodes"][0].clone())
    };
    let (dropped, off) = node(json!({}));
    assert_eq!(
        dropped,
        [
            "spec.devices[0].allowMultipleAllocations",
            "spec.devices.requests[0].exactly.capacity"
        ]
    );
    assert_eq!(off["verdict"], "allocated", "{off}");
    assert!(
        !off["allocations"]
            .to_string()
            .contains("consumedCapacity\":{\"memory"),
        "{off}"
    );
    let (dropped, on) = node(json!({"DRAConsumableCapacity": true}));
    assert_eq!(dropped, Vec::<String>::new());
    assert!(on["allocations"].to_string().contains("2Gi"), "{on}");
}

/// Before it was mended, Score failed where a pod has an allocated claim and one that is not, and several nodes fit.
#[test]
fn an_error_of_score_ends_the_attempt() {
    let node = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {name}}}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {{name: {name}}}\nspec: {{driver: gpu.example.com, nodeName: {name}, pool: {{name: {name}, generation: 1, resourceSliceCount: 1}}, devices: [{{name: d}}]}}\n---\n"
        )
    };
    let rest = "apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: default}
spec: {devices: {requests: [{name: f, exactly: {deviceClassName: gpu}}]}}
status: {allocation: {devices: {results: [{request: f, driver: net.example.com, pool: p, device: d}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: own, namespace: default}
spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: default}
spec: {containers: [{name: c, image: x}], resourceClaims: [{name: f, resourceClaimName: shared}, {name: g, resourceClaimName: own}]}
";
    let turn = |release: &str, nodes: &[&str]| {
        let nodes: String = nodes.iter().map(|name| node(name)).collect();
        let answer =
            ask(&json!({"verb": "allocate", "release": release, "text": format!("{nodes}{rest}")}));
        answer["pods"][0]["turn"].clone()
    };
    for release in ["1.35.5", "1.36.1"] {
        let told = turn(release, &["a", "b"]);
        let message = "running Score plugins: plugin \"DynamicResources\" failed with: number of allocations 1 is smaller than number of claims";
        assert_eq!(
            (&told["outcome"], &told["message"]),
            (&json!("error"), &json!(message)),
            "{release}"
        );
        assert_eq!(turn(release, &["a"])["outcome"], "bound", "{release}");
    }
    assert_eq!(turn("1.36.3", &["a", "b"])["outcome"], "bound");
}
