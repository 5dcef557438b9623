//! Reads the objects that a question is about: the text, nodes beside it, and the cluster.

use super::cluster::{PreparedCluster, named_node, note_whole};
use super::not_given::NotGiven;
use super::question::AllocateOptions;
use super::refused;
use crate::apiserver::facts::{Gathering, PodsOfWorkloads};
use crate::apiserver::namespaces::{NamespaceLabels, labels_in};
use crate::manifest::Input;
use crate::manifest::findings::{older_state, repeated};
use crate::manifest::index::{Index, superseded};
use claimkit_model::finding::{self, Code, Severity, TextField};
use claimkit_model::message::{Message, message};
use claimkit_model::schema::Release;
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_model::text::{SourceText, Span};
use claimkit_scheduler::allocator::objects::read::Datum;
use claimkit_scheduler::allocator::objects::{Claim, Facts, Meta, Owner, Pod};
use claimkit_scheduler::allocator::sorted::Sorted;
use claimkit_scheduler::explain::words;
use claimkit_scheduler::scheduler::{NOW, has_ended};
use claimkit_scheduler::target::{GateProof, Target};
use claimkit_values::order;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The objects of the text and the cluster.
pub struct Gathered<'t> {
    pub input: Input<'t>,
    pub facts: Facts,
    /// Findings in the text.
    pub findings: Vec<finding::Finding>,
    /// Findings in other texts.
    pub beside: Vec<LocatedFinding>,
    /// With a cluster: the pods and claims of the text, if it has any.
    pub asked: Option<BTreeSet<String>>,
    /// With a cluster: the pods that it has already of those of the text, as `namespace/name`.
    pub kept: Vec<String>,
    /// Objects of the text are left out, because the server refuses them.
    pub left_out: bool,
    /// The assumptions, a line of English each.
    pub assumed: Vec<Message>,
    /// The gates that stored objects prove.
    pub proofs: Vec<GateProof>,
    /// The kinds of which nothing is given, although the cluster has them.
    pub not_given: NotGiven,
}

/// Reads the text, the nodes beside it, and the cluster.
pub fn gather<'t>(
    text: SourceText<'t>,
    options: &AllocateOptions<'_>,
    target: Target,
) -> Gathered<'t> {
    let mut input = Input::read(text, Some(target.release), &options.limits);
    input.take_copies(Some(target.release));
    let mut gathering = Gathering::new(
        target.release,
        options.namespace_of(""),
        options.field_validation,
    );
    gathering.pods_of_workloads = PodsOfWorkloads::Later;
    // Features of an allocator that were asked for need not be those of the gates.
    gathering.gates = options.features.is_none().then_some(target.gates);
    gathering.findings = std::mem::take(&mut input.file.findings);
    gathering.findings.extend(input.leave_out_other_clusters());
    let left_out = take_items(&mut gathering, &input, options, target);
    gathering.note_unusable(&input);
    let mut beside = Vec::new();
    if let Some(nodes) = options.nodes {
        take_nodes(
            nodes,
            &mut gathering.facts,
            &mut beside,
            options,
            target.release,
        );
    }
    let mut proofs = gathering.proven_gates();
    proofs.extend(options.cluster.iter().flat_map(|one| one.proofs.clone()));
    let Gathering {
        mut facts,
        findings,
        mut assumed,
        ..
    } = gathering;
    note_whole(&mut facts, text.text());
    let kept = match options.cluster {
        Some(cluster) => keep_stored(&mut facts, &cluster.facts),
        None => KeptObjects::default(),
    };
    let FactsInCluster { mut facts, asked } = match options.cluster {
        Some(cluster) => {
            beside.extend(cluster.findings.iter().cloned());
            in_cluster(facts, cluster, &kept)
        }
        None => FactsInCluster { facts, asked: None },
    };
    if let Some(labels) = options.namespace_labels {
        let own_namespace = options.namespace_of("").to_owned();
        facts
            .namespaces
            .insert_new(own_namespace, sorted_labels(labels));
    }
    name_owners(&mut facts);
    // Of a cluster that is read, its reader says what it lacks.
    let not_given = match options.cluster {
        Some(cluster) if !cluster.is_of_files => NotGiven::default(),
        _ => NotGiven::of(&facts),
    };
    assumed.extend(name_nodes(&mut facts));
    facts.claims.iter_mut().for_each(date);
    Gathered {
        input,
        facts,
        findings,
        beside,
        asked,
        kept: kept.pods,
        left_out,
        assumed,
        proofs,
        not_given,
    }
}

/// Adds the objects of the text, and keeps only the newest state of each. Returns true if the server refuses any: those are left out.
fn take_items(
    gathering: &mut Gathering<'_>,
    input: &Input<'_>,
    options: &AllocateOptions<'_>,
    target: Target,
) -> bool {
    let mut refuses_any = false;
    // A question that names features of the allocator is not about a server.
    let is_judged = options.features.is_none();
    let namespaces = labels_of_namespaces(input, options);
    let mut names = Index::new(options.namespace_of(""));
    let superseded = superseded(input);
    for (index, item) in input.items.iter().enumerate() {
        if superseded.contains_key(&index) {
            gathering.findings.extend(older_state(input, index));
            continue;
        }
        if let Some(first) = names.add(item, index) {
            let finding = repeated(input, first, index, &gathering.findings);
            gathering.findings.extend(finding);
            continue;
        }
        let is_refused = is_judged
            && refused::leave_out(gathering, input, item, index, options, target, &namespaces);
        if is_refused {
            refuses_any = true;
        } else {
            gathering.take(input, item, index);
        }
    }
    refuses_any
}

/// Returns the labels of the namespaces that are known: those of the cluster, and over them those of the text.
fn labels_of_namespaces(input: &Input<'_>, options: &AllocateOptions<'_>) -> NamespaceLabels {
    let mut known = NamespaceLabels::new();
    let of_cluster = options
        .cluster
        .iter()
        .flat_map(|cluster| cluster.facts.namespaces.iter());
    for (name, labels) in of_cluster {
        let labels = labels.iter();
        let owned = labels.map(|(key, value)| (key.clone(), value.clone()));
        known.insert(name.clone(), owned.collect());
    }
    known.extend(labels_in(input));
    known
}

/// Gives owners whose UID was taken out of a dump the UID of the pod that they name.
fn name_owners(facts: &mut Facts) {
    let pods: BTreeMap<String, String> = facts
        .pods
        .iter()
        .map(|pod| (pod.metadata.full_name(), pod.metadata.uid.clone()))
        .collect();
    for claim in &mut facts.claims {
        let namespace = claim.metadata.namespace.clone();
        if !claim.metadata.owner_references.iter().any(is_bare_pod) {
            continue;
        }
        for owner in &mut Rc::make_mut(claim).metadata.owner_references {
            if !is_bare_pod(owner) {
                continue;
            }
            if let Some(uid) = pods.get(&format!("{namespace}/{}", owner.name)) {
                owner.uid.clone_from(uid);
            }
        }
    }
}

/// Adds the nodes that slices name, if no Node is given. Returns a line of English about them.
fn name_nodes(facts: &mut Facts) -> Option<Message> {
    if !facts.nodes.is_empty() {
        return None;
    }
    let specs = facts.slices.iter().map(|slice| &slice.spec);
    let named = specs.flat_map(|spec| {
        spec.node_name
            .iter()
            .chain(spec.devices.iter().filter_map(|one| one.node_name.as_ref()))
    });
    let names = order::set(named.filter(|name| !name.is_empty()).cloned());
    facts
        .nodes
        .extend(names.iter().map(|name| Rc::new(named_node(name))));
    let list: Vec<String> = names.into_iter().collect();
    let shown = words::some(&list, words::MOST_NAMES);
    match list.len() {
        0 => None,
        1 => Some(message!(
            "schedule.node-assumed",
            "Node {shown} is assumed, because slices name it and no Node is given: its labels, taints and resources are not known",
            shown
        )),
        _ => Some(message!(
            "schedule.nodes-assumed",
            "Nodes {shown} are assumed, because slices name them and no Node is given: their labels, taints and resources are not known",
            shown
        )),
    }
}

/// Dates the allocation of a claim that no server has seen: the server dates what the scheduler writes.
fn date(claim: &mut Rc<Claim>) {
    let allocation = claim.status.allocation.as_ref();
    let is_undated = allocation.is_some_and(|made| made.allocation_timestamp.is_none());
    if claim.metadata.uid.is_empty()
        && is_undated
        && let Some(allocation) = &mut Rc::make_mut(claim).status.allocation
    {
        allocation.allocation_timestamp = Some(NOW.to_owned());
    }
}

fn sorted_labels(labels: &BTreeMap<String, String>) -> Sorted<String, String> {
    let labels = labels.iter();
    labels
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns true if an owner is a Pod that no server has seen.
fn is_bare_pod(owner: &Owner) -> bool {
    owner.kind == "Pod" && owner.uid.is_empty()
}

/// The objects of a text in its cluster.
struct FactsInCluster {
    facts: Facts,
    /// The pods, claims and workloads of the text, as `namespace/name`; `None`: it has none.
    asked: Option<BTreeSet<String>>,
}

/// Puts the objects of a text over those of its cluster.
fn in_cluster(own: Facts, cluster: &PreparedCluster, kept: &KeptObjects) -> FactsInCluster {
    let pods = own.pods.iter().map(|pod| &pod.metadata);
    let claims = own.claims.iter().map(|claim| &claim.metadata);
    let workloads = own.workloads.iter().map(|workload| &workload.metadata);
    let mut asked = order::set(pods.chain(claims).chain(workloads).map(Meta::full_name));
    asked.extend(kept.pods.iter().cloned());
    asked.extend(kept.claims.iter().cloned());
    let mut facts = cluster.facts.clone();
    facts.overlay(own);
    FactsInCluster {
        facts,
        asked: (!asked.is_empty()).then_some(asked),
    }
}

/// Objects of a text that the cluster has already, as `namespace/name`.
#[derive(Default)]
struct KeptObjects {
    pods: Vec<String>,
    claims: Vec<String>,
}

/// Leaves out new pods and claims that the cluster has already: applied again, they stay as they are.
fn keep_stored(own: &mut Facts, cluster: &Facts) -> KeptObjects {
    let mut kept = KeptObjects::default();
    let stays = |metadata: &Meta| !metadata.is_new() && metadata.deletion_timestamp.is_none();
    let stored = cluster.pods.iter();
    let pods: BTreeMap<String, &Rc<Pod>> = stored
        .filter(|pod| stays(&pod.metadata) && !has_ended(pod))
        .map(|pod| (pod.metadata.full_name(), pod))
        .collect();
    own.pods.retain(|pod| {
        let name = pod.metadata.full_name();
        let is_kept = pod.metadata.is_new()
            && pods
                .get(&name)
                .is_some_and(|other| other.spec.resource_claims == pod.spec.resource_claims);
        if is_kept {
            kept.pods.push(name);
        }
        !is_kept
    });
    let stored = cluster.claims.iter();
    let claims: BTreeMap<String, &Rc<Claim>> = stored
        .filter(|claim| stays(&claim.metadata))
        .map(|claim| (claim.metadata.full_name(), claim))
        .collect();
    own.claims.retain(|claim| {
        let name = claim.metadata.full_name();
        let is_applied = claim.metadata.is_new() && claim.status.allocation.is_none();
        let is_kept = is_applied
            && claims
                .get(&name)
                .is_some_and(|other| other.spec == claim.spec);
        if is_kept {
            kept.claims.push(name);
        }
        !is_kept
    });
    kept
}

/// Takes nodes of a text of their own, except those that are there already.
fn take_nodes(
    text: SourceText<'_>,
    facts: &mut Facts,
    beside: &mut Vec<LocatedFinding>,
    options: &AllocateOptions<'_>,
    release: Release,
) {
    let mut names = order::set(facts.nodes.iter().map(|node| node.metadata.name.clone()));
    let mut input = Input::read(text, Some(release), &options.limits);
    input.take_copies(Some(release));
    for finding in std::mem::take(&mut input.file.findings) {
        let without_fixes = finding::Finding {
            fixes: Vec::new(),
            ..finding
        };
        beside.push(located::finding(
            &input.file.source,
            without_fixes.about(TextField::Nodes),
        ));
    }
    for item in input
        .items
        .iter()
        .filter(|item| item.api_version == "v1" && item.kind == "Node")
    {
        let Some(tree) = input.tree(item) else {
            continue;
        };
        if !item.name.is_empty() && !names.insert(item.name.clone()) {
            let message = message!(
                "schedule.node-twice",
                "Node {name} is given twice: only the first one counts",
                name = item.name
            );
            let span = Some(Span::new(item.span.from(), item.span.from()));
            let finding = finding::Finding {
                span,
                severity: Severity::Warning,
                ..finding::Finding::new(Code::AlreadyExists, message).about(TextField::Nodes)
            };
            beside.push(located::finding(&input.file.source, finding));
            continue;
        }
        if let Err(error) = facts.take("Node", Datum::Node(tree, item.node), None) {
            let finding = finding::Finding::new(
                Code::TypeMismatch,
                message!(
                    "schedule.node-unusable",
                    "Node `{name}` cannot be used: {error}",
                    name = item.name,
                    error
                ),
            )
            .about(TextField::Nodes);
            let span = Some(item.span);
            beside.push(located::finding(
                &input.file.source,
                finding::Finding { span, ..finding },
            ));
        }
    }
}
