//! The pods that an object of any kind makes: their specs, and how many of each.
//!
//! Kinds in the table are followed as their controllers do. In an object of any other kind the pod specs are found by their shape, and
//! nothing is known of their number.

use crate::manifest::pod_specs::{self, PlaceKind};
use crate::manifest::{Input, Item};
use claimkit_model::text::tree::{Kind as Shape, NodeId, Tree};
use claimkit_scheduler::allocator::objects::read::{Datum, read_from};
use std::collections::BTreeMap;

/// Pods with one spec.
#[derive(Clone, Debug)]
pub struct PodSet {
    /// The spec of the pods.
    pub spec: NodeId,
    /// The metadata of their template.
    pub metadata: Option<NodeId>,
    /// The part of their names that sets them apart from other pods of the object; may be empty.
    pub suffix: String,
    /// How many there are.
    pub count: i64,
}

/// All pods of an object.
#[derive(Debug)]
pub struct PodSets<'i> {
    /// In the order in which they are made.
    pub list: Vec<PodSet>,
    /// The kind is in the table: the numbers are right.
    pub is_known: bool,
    /// The tree that the specs are in.
    pub tree: &'i Tree<'i>,
    /// The kind and name of an object that has the specs, and that is not given.
    pub missing: Option<(String, String)>,
}

/// The effect of a part of an object on the number of pods below it.
#[derive(Clone, Copy, Debug)]
enum Times {
    /// Leaves the number as it is.
    One,
    /// Multiplies it by a field; where that is absent, by a default.
    Field(&'static str, i64),
    /// A Job: pods at a time, and none while it is suspended.
    Job,
    /// None while this field is true.
    Unless(&'static str),
    /// A LeaderWorkerSet: replicas, each a group.
    Workers,
    /// A group of workers of Ray.
    RayWorkers,
    /// A VirtualMachine: none while it is to be off.
    Machine,
}
use Times::{Field, Job, Machine, One, RayWorkers, Unless, Workers};

/// A step to the pods: a field, or `*` for every item of a list or map.
type Step = (&'static str, Times);

/// A way to the spec of pods: the name of the pods, and the steps.
type PodPath = (&'static str, &'static [Step]);

/// The kinds whose pods are known, by group and kind, and the ways to the specs of their pods. Each way has a name for its pods.
///
/// Sources: the types of batch/v1 (k8s.io/api), jobset.x-k8s.io/v1alpha2, leaderworkerset.x-k8s.io/v1, batch.volcano.sh/v1alpha1,
/// kubeflow.org/v1 and v2beta1, ray.io/v1 (ray-operator), grove.io/v1alpha1, kubevirt.io/v1, serving.kserve.io/v1beta1.
const KINDS: &[(&str, &str, &[PodPath])] = &[
    // Templates that others make pods from.
    ("", "PodTemplate", &[]),
    (TRAINER, "TrainingRuntime", &[]),
    (TRAINER, "ClusterTrainingRuntime", &[]),
    (
        "batch",
        "CronJob",
        &[(
            "",
            &[
                ("spec", One),
                ("jobTemplate", One),
                ("spec", Job),
                ("template", One),
                ("spec", One),
            ],
        )],
    ),
    (
        "jobset.x-k8s.io",
        "JobSet",
        &[(
            "",
            &[
                ("spec", Unless("suspend")),
                ("replicatedJobs", One),
                ("*", Field("replicas", 1)),
                ("template", One),
                ("spec", Job),
                ("template", One),
                ("spec", One),
            ],
        )],
    ),
    (
        "leaderworkerset.x-k8s.io",
        "LeaderWorkerSet",
        &[
            (
                "leader",
                &[
                    ("spec", Field("replicas", 1)),
                    ("leaderWorkerTemplate", One),
                    ("leaderTemplate", One),
                    ("spec", One),
                ],
            ),
            (
                "worker",
                &[
                    ("spec", Field("replicas", 1)),
                    ("leaderWorkerTemplate", Workers),
                    ("workerTemplate", One),
                    ("spec", One),
                ],
            ),
        ],
    ),
    (
        "batch.volcano.sh",
        "Job",
        &[(
            "",
            &[
                ("spec", One),
                ("tasks", One),
                ("*", Field("replicas", 1)),
                ("template", One),
                ("spec", One),
            ],
        )],
    ),
    (
        "kubeflow.org",
        "PyTorchJob",
        &[(
            "",
            &[
                ("spec", One),
                ("pytorchReplicaSpecs", One),
                REPLICAS,
                TEMPLATE,
                SPEC,
            ],
        )],
    ),
    (
        "kubeflow.org",
        "TFJob",
        &[(
            "",
            &[
                ("spec", One),
                ("tfReplicaSpecs", One),
                REPLICAS,
                TEMPLATE,
                SPEC,
            ],
        )],
    ),
    (
        "kubeflow.org",
        "MPIJob",
        &[(
            "",
            &[
                ("spec", One),
                ("mpiReplicaSpecs", One),
                REPLICAS,
                TEMPLATE,
                SPEC,
            ],
        )],
    ),
    (
        "kubeflow.org",
        "JAXJob",
        &[(
            "",
            &[
                ("spec", One),
                ("jaxReplicaSpecs", One),
                REPLICAS,
                TEMPLATE,
                SPEC,
            ],
        )],
    ),
    (
        "kubeflow.org",
        "XGBoostJob",
        &[(
            "",
            &[
                ("spec", One),
                ("xgbReplicaSpecs", One),
                REPLICAS,
                TEMPLATE,
                SPEC,
            ],
        )],
    ),
    (
        "kubeflow.org",
        "PaddleJob",
        &[(
            "",
            &[
                ("spec", One),
                ("paddleReplicaSpecs", One),
                REPLICAS,
                TEMPLATE,
                SPEC,
            ],
        )],
    ),
    (
        "ray.io",
        "RayCluster",
        &[
            (
                "head",
                &[
                    ("spec", Unless("suspend")),
                    ("headGroupSpec", One),
                    TEMPLATE,
                    SPEC,
                ],
            ),
            (
                "",
                &[
                    ("spec", Unless("suspend")),
                    ("workerGroupSpecs", One),
                    ("*", RayWorkers),
                    TEMPLATE,
                    SPEC,
                ],
            ),
        ],
    ),
    (
        "ray.io",
        "RayJob",
        &[
            (
                "head",
                &[
                    ("spec", Unless("suspend")),
                    ("rayClusterSpec", One),
                    ("headGroupSpec", One),
                    TEMPLATE,
                    SPEC,
                ],
            ),
            (
                "",
                &[
                    ("spec", Unless("suspend")),
                    ("rayClusterSpec", One),
                    ("workerGroupSpecs", One),
                    ("*", RayWorkers),
                    TEMPLATE,
                    SPEC,
                ],
            ),
            (
                "submitter",
                &[
                    ("spec", Unless("suspend")),
                    ("submitterPodTemplate", One),
                    SPEC,
                ],
            ),
        ],
    ),
    (
        "ray.io",
        "RayService",
        &[
            (
                "head",
                &[
                    ("spec", One),
                    ("rayClusterConfig", One),
                    ("headGroupSpec", One),
                    TEMPLATE,
                    SPEC,
                ],
            ),
            (
                "",
                &[
                    ("spec", One),
                    ("rayClusterConfig", One),
                    ("workerGroupSpecs", One),
                    ("*", RayWorkers),
                    TEMPLATE,
                    SPEC,
                ],
            ),
        ],
    ),
    (
        "grove.io",
        "PodCliqueSet",
        &[(
            "",
            &[
                ("spec", Field("replicas", 1)),
                ("template", One),
                ("cliques", One),
                ("*", One),
                ("spec", Field("replicas", 1)),
                ("podSpec", One),
            ],
        )],
    ),
    (
        "kubevirt.io",
        "VirtualMachine",
        &[("", &[("spec", Machine), TEMPLATE, SPEC])],
    ),
    ("kubevirt.io", "VirtualMachineInstance", &[("", &[SPEC])]),
    (
        "serving.kserve.io",
        "InferenceService",
        &[
            (
                "predictor",
                &[("spec", One), ("predictor", Field("minReplicas", 1))],
            ),
            (
                "transformer",
                &[("spec", One), ("transformer", Field("minReplicas", 1))],
            ),
            (
                "explainer",
                &[("spec", One), ("explainer", Field("minReplicas", 1))],
            ),
        ],
    ),
];

const REPLICAS: Step = ("*", Field("replicas", 1));
const TEMPLATE: Step = ("template", One);
const SPEC: Step = ("spec", One);

/// Finds the pods of an object of another kind than those of [`claimkit_scheduler::allocator::objects::WorkloadKind`].
pub fn find<'i>(
    input: &'i Input<'_>,
    runtimes: &Runtimes,
    item: &Item,
    tree: &'i Tree<'i>,
) -> PodSets<'i> {
    let group = group_of(item);
    if group == TRAINER && item.kind == "TrainJob" {
        return train_job(input, runtimes, item, tree);
    }
    let mut sets = PodSets {
        list: Vec::new(),
        is_known: false,
        tree,
        missing: None,
    };
    match KINDS
        .iter()
        .find(|(of, kind, _)| *of == group && *kind == item.kind)
    {
        Some((_, _, ways)) => {
            sets.is_known = true;
            for (name, steps) in *ways {
                let mut way = Way {
                    tree,
                    found: &mut sets.list,
                };
                way.follow(
                    steps,
                    Here {
                        node: item.node,
                        above: None,
                        count: 1,
                        suffix: (*name).to_owned(),
                    },
                );
            }
        }
        None => {
            let places = pod_specs::find(tree, item.node, &item.api_version, &item.kind).list;
            let of_pods: Vec<_> = places
                .iter()
                .filter(|place| place.sort == PlaceKind::Pod)
                .collect();
            let several = of_pods.len() > 1;
            for (at, place) in of_pods.iter().enumerate() {
                let suffix = if several {
                    at.saturating_add(1).to_string()
                } else {
                    String::new()
                };
                let metadata = place
                    .parent
                    .and_then(|parent| tree.get(parent, "metadata"))
                    .filter(|_| place.parent != Some(item.node));
                sets.list.push(PodSet {
                    spec: place.node,
                    metadata,
                    suffix,
                    count: 1,
                });
            }
        }
    }
    sets
}

/// The runtimes of TrainJobs in a text.
#[derive(Debug, Default)]
pub struct Runtimes {
    /// The namespace of objects that name none.
    namespace: String,
    /// By kind, namespace and name: the place among the objects.
    known: BTreeMap<(String, String, String), usize>,
}

/// The kind of a runtime that belongs to the whole cluster.
const CLUSTER_RUNTIME: &str = "ClusterTrainingRuntime";

impl Runtimes {
    /// Finds the runtimes of a text; of several with one name, the first.
    pub fn of(input: &Input<'_>, namespace: &str) -> Self {
        let mut runtimes = Runtimes {
            namespace: namespace.to_owned(),
            known: BTreeMap::new(),
        };
        for (at, item) in input.items.iter().enumerate() {
            if group_of(item) == TRAINER
                && matches!(item.kind.as_str(), "TrainingRuntime" | CLUSTER_RUNTIME)
            {
                let key = runtimes.key(&item.kind, &item.namespace, &item.name);
                runtimes.known.entry(key).or_insert(at);
            }
        }
        runtimes
    }

    fn find(&self, kind: &str, namespace: &str, name: &str) -> Option<usize> {
        self.known.get(&self.key(kind, namespace, name)).copied()
    }

    fn key(&self, kind: &str, namespace: &str, name: &str) -> (String, String, String) {
        let namespace = match (kind, namespace) {
            (CLUSTER_RUNTIME, _) => "",
            (_, "") => &self.namespace,
            (_, own) => own,
        };
        (kind.to_owned(), namespace.to_owned(), name.to_owned())
    }
}

fn group_of(item: &Item) -> &str {
    item.api_version
        .split_once('/')
        .map_or("", |(group, _)| group)
}

/// The group of Kubeflow Trainer.
const TRAINER: &str = "trainer.kubeflow.org";
/// The label of a Job of a runtime. With the value `trainer`, its pods are the nodes of the training.
const STEP: &str = "trainer.kubeflow.org/trainjob-ancestor-step";
/// The way from a runtime to the Jobs of its JobSet.
const JOBS: &[&str] = &["spec", "template", "spec", "replicatedJobs"];

/// Finds the pods of a TrainJob: those of the JobSet in its runtime, with as many trainers as the job has nodes.
///
/// Source: kubeflow/trainer, trainer.kubeflow.org/v1alpha1.
fn train_job<'i>(
    input: &'i Input<'_>,
    runtimes: &Runtimes,
    item: &Item,
    tree: &'i Tree<'i>,
) -> PodSets<'i> {
    let mut sets = PodSets {
        list: Vec::new(),
        is_known: true,
        tree,
        missing: None,
    };
    let [kind, name] = ["kind", "name"].map(|field| {
        below(tree, item.node, &["spec", "runtimeRef", field]).and_then(|node| tree.str(node))
    });
    let kind = kind.unwrap_or(CLUSTER_RUNTIME);
    let name = name.unwrap_or_default();
    let runtime = runtimes
        .find(kind, &item.namespace, name)
        .and_then(|at| input.items.get(at))
        .and_then(|runtime| Some((runtime.node, input.tree(runtime)?)));
    let Some((runtime, of)) = runtime else {
        sets.missing = Some((kind.to_owned(), name.to_owned()));
        return sets;
    };
    let nodes = count_at(tree, item.node, &["spec", "trainer", "numNodes"])
        .or_else(|| count_at(of, runtime, &["spec", "mlPolicy", "numNodes"]));
    let times = tree
        .get(item.node, "spec")
        .map_or(1, |spec| number(tree, spec, Unless("suspend")));
    let jobs = below(of, runtime, JOBS)
        .map(|jobs| of.items(jobs))
        .unwrap_or_default();
    for job in jobs {
        let Some(spec) = below(of, *job, &["template", "spec"]) else {
            continue;
        };
        let Some(pod) = below(of, spec, &["template", "spec"]) else {
            continue;
        };
        let step = below(of, *job, &["template", "metadata", "labels", STEP])
            .and_then(|label| of.str(label));
        let pods = nodes
            .filter(|_| step == Some("trainer"))
            .unwrap_or_else(|| number(of, spec, Job));
        let suffix = of
            .get(*job, "name")
            .and_then(|name| of.str(name))
            .unwrap_or_default()
            .to_owned();
        let count = times
            .saturating_mul(number(of, *job, Field("replicas", 1)))
            .saturating_mul(pods)
            .max(0);
        sets.list.push(PodSet {
            spec: pod,
            metadata: below(of, spec, &["template", "metadata"]),
            suffix,
            count,
        });
    }
    sets.tree = of;
    sets
}

/// A place on the way to pods.
#[derive(Clone)]
struct Here {
    node: NodeId,
    above: Option<NodeId>,
    count: i64,
    suffix: String,
}

struct Way<'w, 't> {
    tree: &'w Tree<'t>,
    found: &'w mut Vec<PodSet>,
}

impl Way<'_, '_> {
    /// Follows the steps, by which recursion is bounded.
    fn follow(&mut self, steps: &[Step], here: Here) {
        let tree = self.tree;
        let Some(((name, times), rest)) = steps.split_first() else {
            let metadata = here.above.and_then(|above| tree.get(above, "metadata"));
            self.found.push(PodSet {
                spec: here.node,
                metadata,
                suffix: here.suffix,
                count: here.count.max(0),
            });
            return;
        };
        if *name != "*" {
            if let Some(node) = tree
                .get(here.node, name)
                .filter(|node| tree.is_map(*node) || is_list(tree, *node))
            {
                let count = here.count.saturating_mul(number(tree, node, *times));
                self.follow(
                    rest,
                    Here {
                        node,
                        above: Some(here.node),
                        count,
                        suffix: here.suffix,
                    },
                );
            }
            return;
        }
        let list = tree.items(here.node).iter().enumerate().map(|(at, item)| {
            let name = ["name", "groupName"]
                .iter()
                .find_map(|field| tree.str(tree.get(*item, field)?))
                .map(str::to_owned);
            (*item, name.unwrap_or_else(|| at.to_string()))
        });
        let map = tree
            .entries(here.node)
            .iter()
            .map(|entry| (entry.value, tree.text(entry.key).to_lowercase()));
        let items: Vec<(NodeId, String)> = if is_list(tree, here.node) {
            list.collect()
        } else {
            map.collect()
        };
        for (node, suffix) in items {
            let count = here.count.saturating_mul(number(tree, node, *times));
            self.follow(
                rest,
                Here {
                    node,
                    above: Some(here.node),
                    count,
                    suffix,
                },
            );
        }
    }
}

fn is_list(tree: &Tree<'_>, node: NodeId) -> bool {
    matches!(tree.kind(node), Shape::Seq { .. })
}

fn below(tree: &Tree<'_>, node: NodeId, path: &[&str]) -> Option<NodeId> {
    path.iter()
        .try_fold(node, |node, name| tree.get(node, name))
}

/// Returns the number at a path; `None`: there is none, or it is null.
fn count_at(tree: &Tree<'_>, node: NodeId, path: &[&str]) -> Option<i64> {
    let value = below(tree, node, path)?;
    read_from::<Option<i64>>(Datum::Node(tree, value))
        .ok()
        .flatten()
}

fn is_true(tree: &Tree<'_>, node: NodeId, name: &str) -> bool {
    let value = tree
        .get(node, name)
        .map(|value| read_from::<bool>(Datum::Node(tree, value)));
    matches!(value, Some(Ok(true)))
}

/// Returns the factor by which the number of pods is multiplied below a node.
fn number(tree: &Tree<'_>, node: NodeId, times: Times) -> i64 {
    match times {
        Times::One => 1,
        Times::Field(name, default) => count_at(tree, node, &[name]).unwrap_or(default),
        Times::Unless(name) => i64::from(!is_true(tree, node, name)),
        Times::Job if is_true(tree, node, "suspend") => 0,
        Times::Job => {
            let parallel = count_at(tree, node, &["parallelism"]).unwrap_or(1);
            let completions = count_at(tree, node, &["completions"]);
            completions.map_or(parallel, |completions| parallel.min(completions))
        }
        Times::Workers => {
            // Without a template of its own, the leader is made from that of the workers.
            let leader = i64::from(tree.get(node, "leaderTemplate").is_some());
            count_at(tree, node, &["size"])
                .unwrap_or(1)
                .saturating_sub(leader)
        }
        Times::RayWorkers => {
            let replicas = count_at(tree, node, &["replicas"])
                .unwrap_or(0)
                .max(count_at(tree, node, &["minReplicas"]).unwrap_or(0));
            replicas.saturating_mul(count_at(tree, node, &["numOfHosts"]).unwrap_or(1))
        }
        Times::Machine => {
            let strategy = tree
                .get(node, "runStrategy")
                .and_then(|value| tree.str(value));
            let running = tree
                .get(node, "running")
                .map(|value| read_from::<bool>(Datum::Node(tree, value)));
            i64::from(strategy != Some("Halted") && !matches!(running, Some(Ok(false))))
        }
    }
}
