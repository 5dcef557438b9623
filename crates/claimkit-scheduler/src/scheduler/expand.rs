//! Pods of workloads that no server has seen.

use crate::allocator::objects::{
    CORDONED, Claim, Facts, LabelSelector, Meta, NOT_READY, Node, NodeRequirement, NodeSelector,
    NodeSelectorTerm, Owner, PersistentVolumeClaim, Pod, PodSelector, PodSpec, PodTemplate,
    Toleration, UNREACHABLE, Volume, VolumeClaimSource, VolumeClaimTemplate, Workload,
    WorkloadKind, WorkloadSpec,
};
use crate::allocator::quotas;
use crate::allocator::sorted::{Set, Sorted};
use crate::explain::words;
use claimkit_model::message::{Message, message};
use std::rc::Rc;

/// The UID of workloads whose pods are made here.
const MADE: &str = "made";

/// The label of a ReplicaSet's pods with the end of its name (kube-controller-manager, `pkg/controller/deployment`).
const TEMPLATE_HASH: &str = "pod-template-hash";

/// The number of pods that a workload has, and the number that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// The kind of the workload.
    pub kind: String,
    /// `namespace/name` of the workload.
    pub name: String,
    /// The number of pods that it has.
    pub wanted: usize,
    /// The number of pods that was made here.
    pub made: usize,
    /// The pods that are there already: `namespace/name`.
    pub there: Vec<String>,
}

impl Expanded {
    /// Returns a line of English about the pods that are there already.
    pub fn told(&self) -> Option<Message> {
        (!self.there.is_empty()).then(|| {
            message!(
                "pods.of-workload-stay",
                "pods of {kind} {name} that are in the cluster stay, and count as its own: {pods}; a changed template replaces them",
                kind = self.kind,
                name = self.name,
                pods = words::some(&self.there, words::MOST_NAMES)
            )
        })
    }
}

/// Returns the stored pods of a workload that no server has seen in this form: it is applied again.
fn pods_there(facts: &Facts, workload: &Workload) -> Vec<Rc<Pod>> {
    let meta = &workload.metadata;
    let kind = workload.kind.name();
    let is_set = workload.kind == WorkloadKind::StatefulSet;
    let replica_sets = match workload.kind {
        WorkloadKind::Deployment => replica_sets_of(facts, meta),
        _ => Set::default(),
    };
    let stored = facts.pods.iter().filter(|pod| {
        !pod.metadata.is_new()
            && pod.metadata.namespace == meta.namespace
            && !super::prepared::has_ended(pod)
            && (is_set || pod.metadata.deletion_timestamp.is_none())
    });
    let own = stored.filter(|pod| {
        let mut owners = pod.metadata.owner_references.iter();
        owners.any(|owner| {
            let is_direct = owner.kind == kind && owner.name == meta.name;
            let is_by_set = workload.kind == WorkloadKind::Deployment
                && owner.kind == WorkloadKind::ReplicaSet.name()
                && (replica_sets.contains(&owner.name) || has_name_of_set(owner, pod, meta));
            owner.controller && (is_direct || is_by_set)
        })
    });
    own.cloned().collect()
}

/// Returns the names of the ReplicaSets of a Deployment.
fn replica_sets_of(facts: &Facts, deployment: &Meta) -> Set<String> {
    let kind = WorkloadKind::Deployment.name();
    let sets = facts.workloads.iter().filter(|set| {
        let mut owners = set.metadata.owner_references.iter();
        set.kind == WorkloadKind::ReplicaSet
            && set.metadata.namespace == deployment.namespace
            && owners.any(|owner| owner.kind == kind && owner.name == deployment.name)
    });
    sets.map(|set| set.metadata.name.clone()).collect()
}

/// Returns true if the owner of a pod has the name of a Deployment's ReplicaSet, which need not be given.
fn has_name_of_set(owner: &Owner, pod: &Pod, deployment: &Meta) -> bool {
    let hash = pod.metadata.labels.get(TEMPLATE_HASH);
    hash.is_some_and(|hash| owner.name == format!("{}-{hash}", deployment.name))
}

/// Pods from one template.
#[derive(Clone, Debug)]
pub struct TemplatePods {
    /// The template of the pods.
    pub template: PodTemplate,
    /// The namespace of the pods.
    pub namespace: String,
    /// Their names, in the order in which they are created.
    pub names: Vec<String>,
    /// The object that manages the pods.
    pub owner: Owner,
    /// The claims for volumes that each pod has of its own.
    pub volume_claims: Vec<VolumeClaimTemplate>,
    /// The labels of these claims beside those of their templates.
    pub volume_claim_labels: Sorted<String, String>,
}

impl TemplatePods {
    /// Iterates over the pods of the workload.
    pub fn pods(&self) -> impl Iterator<Item = Pod> {
        self.names.iter().map(|name| {
            let labels = self.template.metadata.labels.clone();
            let annotations = self.template.metadata.annotations.clone();
            let (name, namespace) = (name.clone(), self.namespace.clone());
            let owner_references = vec![self.owner.clone()];
            let spec = self.spec_of(&name);
            let metadata = Meta {
                name,
                namespace,
                labels,
                annotations,
                owner_references,
                ..Meta::default()
            };
            Pod {
                metadata,
                spec,
                ..Pod::default()
            }
        })
    }

    /// Returns the spec of a pod: a volume of a template takes the place of one with its name (kube-controller-manager 1.37,
    /// `pkg/controller/statefulset/stateful_set_utils.go`, `updateStorage`).
    fn spec_of(&self, pod: &str) -> PodSpec {
        let mut spec = self.template.spec.clone();
        for template in &self.volume_claims {
            let name = &template.metadata.name;
            let claim_name = volume_claim_name(template, pod);
            spec.volumes.retain(|volume| volume.name != *name);
            spec.volumes.push(Volume {
                name: name.clone(),
                persistent_volume_claim: Some(VolumeClaimSource { claim_name }),
                ..Volume::default()
            });
        }
        spec
    }

    /// Iterates over the claims for the volumes of the pods (`getPersistentVolumeClaims`, same file).
    fn claims_for_volumes(&self) -> impl Iterator<Item = PersistentVolumeClaim> {
        let pods = self.names.iter();
        pods.flat_map(|pod| {
            let templates = self.volume_claims.iter();
            templates.map(|template| self.claim_for_volume(template, pod))
        })
    }

    fn claim_for_volume(&self, template: &VolumeClaimTemplate, pod: &str) -> PersistentVolumeClaim {
        let mut labels = template.metadata.labels.clone();
        for (key, value) in self.volume_claim_labels.iter() {
            labels.insert(key.clone(), value.clone());
        }
        let metadata = Meta {
            name: volume_claim_name(template, pod),
            namespace: self.namespace.clone(),
            labels,
            annotations: template.metadata.annotations.clone(),
            ..Meta::default()
        };
        PersistentVolumeClaim::from_template(metadata, template)
    }
}

/// Returns the name of the claim for a volume of a StatefulSet's pod (`getPersistentVolumeClaimName`, same file).
fn volume_claim_name(template: &VolumeClaimTemplate, pod: &str) -> String {
    format!("{}-{pod}", template.metadata.name)
}

/// Adds pods, and the claims for their volumes that are not there. If nothing about volumes is given, nothing is known of them, and
/// none are made.
fn add_pods(facts: &mut Facts, set: &TemplatePods) {
    facts.pods.extend(set.pods().map(Rc::new));
    if set.volume_claims.is_empty() || !facts.volumes.are_given() {
        return;
    }
    let known: Set<String> = facts
        .volumes
        .claims
        .iter()
        .map(|claim| claim.metadata.full_name())
        .collect();
    let made = set
        .claims_for_volumes()
        .filter(|claim| !known.contains(&claim.metadata.full_name()));
    facts.volumes.claims.extend(made.map(Rc::new));
}

/// Adds the pods of all workloads that no server has seen, in the order of the workloads: at most `most` pods.
pub fn expand(facts: &mut Facts, most: usize) -> Vec<Expanded> {
    let mut left = most;
    let mut counts = Vec::new();
    let repeated = facts
        .workloads
        .iter()
        .position(|workload| workload.metadata.uid == MADE);
    for (at, workload) in facts.workloads.clone().into_iter().enumerate() {
        if Some(at) == repeated {
            take_turn(facts, &workload);
        }
        if !workload.metadata.is_new() {
            continue;
        }
        if workload.kind == WorkloadKind::Deployment {
            facts.workloads.push(Rc::new(replica_set(&workload)));
        }
        let there = pods_there(facts, &workload);
        let before = facts.pods.len();
        let wanted = if workload.kind == WorkloadKind::DaemonSet {
            let (wanted, pods) = daemon_pods(facts, &workload, &there, left);
            facts.pods.extend(pods);
            wanted
        } else {
            let mut set = set_without(&workload, &there, most);
            set.pods.names.truncate(left);
            add_pods(facts, &set.pods);
            set.wanted
        };
        let made = facts.pods.len().saturating_sub(before);
        left = left.saturating_sub(made);
        let kind = if workload.kind == WorkloadKind::Other {
            &workload.other_kind
        } else {
            workload.kind.name()
        };
        let (kind, name) = (kind.to_owned(), workload.metadata.full_name());
        counts.push(Expanded {
            kind,
            name,
            wanted,
            made,
            there: names_of(&there),
        });
    }
    counts
}

/// The pods that a workload lacks.
struct LackingPods {
    /// How many there are.
    wanted: usize,
    pods: TemplatePods,
}

/// Makes the pods that a workload lacks beside those that are there: at most `most`. A StatefulSet lacks those of ordinals that are not
/// there.
fn set_without(workload: &Workload, there: &[Rc<Pod>], most: usize) -> LackingPods {
    let all = count(workload.kind, &workload.spec);
    let mut pods = set_of(workload, all, most.saturating_add(there.len()));
    let before = pods.names.len();
    if workload.kind == WorkloadKind::StatefulSet {
        let is_there = |name: &String| there.iter().any(|pod| pod.metadata.name == *name);
        pods.names.retain(|name| !is_there(name));
    } else {
        pods.names = pods.names.split_off(there.len().min(before));
    }
    let known = before.saturating_sub(pods.names.len());
    LackingPods {
        wanted: all.saturating_sub(known),
        pods,
    }
}

/// Moves the pods of a repeated workload behind those of the workloads before it.
fn take_turn(facts: &mut Facts, workload: &Workload) {
    let (own, others): (Vec<Rc<Pod>>, Vec<Rc<Pod>>) = std::mem::take(&mut facts.pods)
        .into_iter()
        .partition(|pod| {
            let mut owners = pod.metadata.owner_references.iter();
            pod.metadata.namespace == workload.metadata.namespace
                && owners.any(|owner| owner.name == workload.metadata.name)
        });
    facts.pods = others;
    facts.pods.extend(own);
}

/// Adds one pod for each workload that no server has seen, with the name of the workload.
pub fn one_each(facts: &mut Facts) {
    for workload in new_workloads(facts) {
        let mut set = set_of(&workload, 1, 1);
        set.names = vec![base_of(&workload)];
        add_pods(facts, &set);
    }
}

/// Replaces a pod, or the pods of a new workload, by `count` pods like it. They have its place in the queue; those like a pod that has
/// a node come last. Returns their names, `namespace/name`, in their order.
///
/// # Errors
/// There is no such pod or workload, or it is a DaemonSet.
pub fn repeat(facts: &mut Facts, name: &str, count: usize) -> Result<Vec<String>, Message> {
    let found = facts
        .pods
        .iter()
        .position(|pod| pod.metadata.full_name() == name);
    let Some(at) = found else {
        let set = of_workload(facts, name, count)?;
        let first = facts.pods.len();
        add_pods(facts, &set);
        let made = facts.pods.get(first..).unwrap_or_default();
        return Ok(names_of(made));
    };
    let Some(pod) = facts.pods.get(at).cloned() else {
        return Ok(Vec::new());
    };
    let waits = pod.spec.node_name.is_empty() && !super::prepared::has_ended(&pod);
    let mut place = facts.pods.len();
    if waits {
        facts.pods.remove(at);
        place = at;
        // The claims that were made for a pod that waits are its own. Those of the copies are charged in their place.
        let (own, others) = std::mem::take(&mut facts.claims)
            .into_iter()
            .partition(|claim| is_made_for(claim, &pod));
        facts.claims = others;
        quotas::give_back(facts, &own);
        // So are its volumes of its own.
        let is_own = |meta: &Meta| {
            meta.namespace == pod.metadata.namespace && meta.is_controlled_by_pod(&pod.metadata)
        };
        let are_given = facts.volumes.are_given();
        facts
            .volumes
            .claims
            .retain(|claim| !is_own(&claim.metadata));
        facts.volumes.seen |= are_given;
    }
    let taken: Set<String> = facts
        .pods
        .iter()
        .map(|pod| pod.metadata.full_name())
        .collect();
    let pods: Vec<Rc<Pod>> = like(&pod, count, &taken)
        .into_iter()
        .map(|copy| if waits { in_place_of(&pod, copy) } else { copy })
        .map(Rc::new)
        .collect();
    let names = names_of(&pods);
    drop(facts.pods.splice(place..place, pods));
    Ok(names)
}

fn names_of(pods: &[Rc<Pod>]) -> Vec<String> {
    pods.iter().map(|pod| pod.metadata.full_name()).collect()
}

fn is_made_for(claim: &Claim, pod: &Pod) -> bool {
    claim.metadata.namespace == pod.metadata.namespace
        && claim.metadata.is_controlled_by_pod(&pod.metadata)
}

/// Gives a copy what decides about the pod's place in the queue: its age, and whether it was tried before.
fn in_place_of(pod: &Pod, mut copy: Pod) -> Pod {
    copy.metadata
        .creation_timestamp
        .clone_from(&pod.metadata.creation_timestamp);
    copy.status.conditions.clone_from(&pod.status.conditions);
    copy
}

/// Returns new pods like a pod: the first has its name if that is free, the others have numbers.
fn like(pod: &Pod, count: usize, taken: &Set<String>) -> Vec<Pod> {
    let Meta {
        name,
        namespace,
        labels,
        annotations,
        owner_references,
        ..
    } = &pod.metadata;
    // Of one name more than there are pods, one is free.
    let all = taken.as_slice().len().saturating_add(count);
    let free_names = (1..=all)
        .map(|at| match at {
            1 => name.clone(),
            _ => format!("{name}-{at}"),
        })
        .filter(|name| !taken.contains(&format!("{namespace}/{name}")))
        .take(count);
    free_names
        .map(|name| Pod {
            metadata: Meta {
                name,
                namespace: namespace.clone(),
                labels: labels.clone(),
                annotations: annotations.clone(),
                owner_references: owner_references.clone(),
                ..Meta::default()
            },
            spec: PodSpec {
                node_name: String::new(),
                ..pod.spec.clone()
            },
            ..Pod::default()
        })
        .collect()
}

/// Returns a toleration of every taint with this key and effect.
fn toleration_of(key: &str, effect: &str) -> Toleration {
    Toleration {
        key: key.to_owned(),
        operator: "Exists".to_owned(),
        effect: effect.to_owned(),
        ..Toleration::default()
    }
}

/// Returns true if a DaemonSet has a pod with this spec on a node.
fn is_for_daemon(spec: &PodSpec, node: &Node) -> bool {
    let mut labels = spec.node_selector.iter();
    labels.all(|(key, value)| node.metadata.labels.get(key) == Some(value))
        && super::taints::untolerated(&spec.tolerations, node).is_none()
}

/// Returns new pods of a workload, which makes no others.
fn of_workload(facts: &mut Facts, name: &str, count: usize) -> Result<TemplatePods, Message> {
    let found = facts
        .workloads
        .iter_mut()
        .find(|workload| workload.metadata.full_name() == name);
    let Some(found) = found else {
        return Err(message!(
            "pods.nothing-makes-pods",
            "there is no Pod `{name}`, and nothing of that name that makes pods",
            name
        ));
    };
    if found.kind == WorkloadKind::DaemonSet {
        return Err(message!(
            "pods.daemon-set-not-repeated",
            "DaemonSet `{name}` has one pod on each node, which cannot be repeated",
            name
        ));
    }
    // The pods are made of the workload as it was given; from now on the facts know it as made.
    let workload = found.clone();
    let made = Rc::make_mut(found);
    if made.metadata.uid.is_empty() {
        MADE.clone_into(&mut made.metadata.uid);
    }
    if workload.kind == WorkloadKind::Deployment && workload.metadata.is_new() {
        facts.workloads.push(Rc::new(replica_set(&workload)));
    }
    // A single pod has the name of the workload, so there is always one more.
    Ok(set_of(&workload, count.max(2), count))
}

fn new_workloads(facts: &Facts) -> Vec<Rc<Workload>> {
    facts
        .workloads
        .iter()
        .filter(|workload| workload.metadata.is_new())
        .cloned()
        .collect()
}

/// Makes the ReplicaSet that a Deployment makes; its pods are spread only if it is there.
fn replica_set(deployment: &Workload) -> Workload {
    let Meta {
        name,
        namespace,
        labels,
        ..
    } = &deployment.metadata;
    let metadata = Meta {
        name: name.clone(),
        namespace: namespace.clone(),
        labels: labels.clone(),
        uid: MADE.to_owned(),
        ..Meta::default()
    };
    Workload {
        kind: WorkloadKind::ReplicaSet,
        metadata,
        spec: deployment.spec.clone(),
        ..Workload::default()
    }
}

/// Makes the pods of a workload that has `wanted` of them: at most `most`. A single pod has the name of the workload, except in a
/// StatefulSet: the real names are random, and shorter ones are easier to read.
fn set_of(workload: &Workload, wanted: usize, most: usize) -> TemplatePods {
    let Workload {
        kind,
        metadata,
        spec,
        ..
    } = workload;
    let numbered = *kind == WorkloadKind::StatefulSet;
    let start = if numbered { spec.ordinals.start } else { 0 };
    let base = base_of(workload);
    let names = (0..wanted.min(most))
        .map(|at| match wanted {
            1 if !numbered => base.clone(),
            _ => format!(
                "{base}-{}",
                i64::try_from(at).unwrap_or(i64::MAX).saturating_add(start)
            ),
        })
        .collect();
    let owner = match kind {
        WorkloadKind::Deployment => WorkloadKind::ReplicaSet,
        other => *other,
    };
    let volume_claims = if numbered {
        spec.volume_claim_templates.clone()
    } else {
        Vec::new()
    };
    let selected = selector(workload).map(|selector| selector.match_labels.clone());
    TemplatePods {
        template: spec.template.clone(),
        namespace: metadata.namespace.clone(),
        names,
        owner: owner_of(owner, metadata),
        volume_claims,
        volume_claim_labels: selected.unwrap_or_default(),
    }
}

/// Returns what the names of a workload's pods begin with.
fn base_of(workload: &Workload) -> String {
    let Workload {
        metadata, suffix, ..
    } = workload;
    if suffix.is_empty() {
        metadata.name.clone()
    } else {
        format!("{}-{suffix}", metadata.name)
    }
}

fn owner_of(kind: WorkloadKind, metadata: &Meta) -> Owner {
    Owner {
        api_version: kind.api_version().to_owned(),
        kind: kind.name().to_owned(),
        name: metadata.name.clone(),
        uid: metadata.uid.clone(),
        controller: true,
    }
}

/// Returns how many pods a workload has at a time.
fn count(kind: WorkloadKind, spec: &WorkloadSpec) -> usize {
    let count = match kind {
        WorkloadKind::Job if spec.suspend => 0,
        WorkloadKind::Job => {
            let parallel = spec.parallelism.unwrap_or(1);
            spec.completions
                .map_or(parallel, |completions| parallel.min(completions))
        }
        _ => spec.replicas.unwrap_or(1),
    };
    usize::try_from(count.max(0)).unwrap_or(usize::MAX)
}

/// Taints that the pods of a DaemonSet tolerate (kube-controller-manager, `AddOrUpdateDaemonPodTolerations`), and the effect.
const DAEMON_TOLERATED: [(&str, &str); 6] = [
    (NOT_READY, "NoExecute"),
    (UNREACHABLE, "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    (CORDONED, "NoSchedule"),
];

/// Makes a pod for each node that the DaemonSet is for and that has none of it, and counts these nodes: at most `most` pods.
fn daemon_pods(
    facts: &Facts,
    workload: &Workload,
    there: &[Rc<Pod>],
    most: usize,
) -> (usize, Vec<Rc<Pod>>) {
    let mut set = set_of(workload, 0, 0);
    let spec = &mut set.template.spec;
    for (key, effect) in DAEMON_TOLERATED {
        spec.tolerations.push(toleration_of(key, effect));
    }
    if spec.host_network {
        spec.tolerations.push(toleration_of(
            "node.kubernetes.io/network-unavailable",
            "NoSchedule",
        ));
    }
    let nodes: Vec<String> = facts
        .nodes
        .iter()
        .filter(|node| is_for_daemon(spec, node))
        .filter(|node| {
            let mut pods = there.iter();
            !pods.any(|pod| pod.spec.node_name == node.metadata.name)
        })
        .map(|node| node.metadata.name.clone())
        .collect();
    let wanted = nodes.len();
    let base = set.template.metadata.clone();
    let pods = nodes.into_iter().take(most).map(|node| {
        set.names = vec![format!("{}-{node}", workload.metadata.name)];
        set.template.metadata = base.clone();
        let mut pod = set.pods().next().unwrap_or_default();
        pod.spec.affinity.node_affinity.required =
            Some(only(&node, pod.spec.affinity.node_affinity.required.take()));
        Rc::new(pod)
    });
    (wanted, pods.collect())
}

/// Makes a node selector for one node; requirements that there were stay (`ReplaceDaemonSetPodNodeNameNodeAffinity`).
fn only(node: &str, before: Option<NodeSelector>) -> NodeSelector {
    let (key, operator) = ("metadata.name".to_owned(), "In".to_owned());
    let field = NodeRequirement {
        key,
        operator,
        values: vec![node.to_owned()],
    };
    let mut terms = before
        .map(|selector| selector.node_selector_terms)
        .unwrap_or_default();
    if terms.is_empty() {
        terms.push(NodeSelectorTerm::default());
    }
    terms
        .iter_mut()
        .for_each(|term| term.match_fields = vec![field.clone()]);
    NodeSelector {
        node_selector_terms: terms,
    }
}

/// Returns the selector of a workload.
pub fn selector(workload: &Workload) -> Option<&LabelSelector> {
    workload
        .spec
        .selector
        .as_ref()
        .map(|PodSelector(selector)| selector)
}
