//! Which devices the pods and claims of a text get on each node, and why none.

use super::cluster::PreparedCluster;
use super::places::Places;
use super::target::Target;
use crate::api::Release;
use crate::finding::{self, Code, Origin, Severity, TextField};
use crate::go::time::Time;
use crate::limits::Limits;
use crate::manifest::{Input, Item};
use crate::place::device::behaviour::{self, Feature, Features};
use crate::place::device::cluster::Cluster;
use crate::place::device::created;
use crate::place::device::doctor;
use crate::place::device::engine::CelSelectors;
use crate::place::device::explain::answer::{self as account, PodAccount};
use crate::place::device::explain::{self, Explain};
use crate::place::device::facts::read::Datum;
use crate::place::device::facts::{Claim, Facts, Pod};
use crate::place::device::plugin::{PluginGates, PodCase};
use crate::place::device::plugin_rules::PluginRules;
use crate::place::device::what_if::WhatIf;
use crate::server::FieldValidation;
use crate::server::facts::Gathering;
use crate::server::slices;
use crate::text::Source;
use crate::text::located::{self, Finding};
use std::collections::{BTreeMap, BTreeSet};

/// How [`crate::allocate`] answers. The default uses the last release and considers all pending pods and claims.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AllocateOptions<'a> {
    /// The scheduler's release; `None`: that of the cluster, or the last one.
    pub release: Option<Release>,
    /// Feature gates over the defaults of the release.
    pub gates: BTreeMap<String, bool>,
    /// The namespace of objects that name none; `None`: `default`.
    pub namespace: Option<&'a str>,
    /// The labels of that namespace, where the text has no Namespace of its name.
    pub namespace_labels: Option<&'a BTreeMap<String, String>>,
    /// How unknown and duplicate fields are reported.
    pub field_validation: FieldValidation,
    /// Further objects, prepared in advance. Objects of the text override those with the same kind and name.
    pub cluster: Option<&'a PreparedCluster>,
    /// A text with further Nodes.
    pub nodes: Option<&'a str>,
    /// Names of the nodes to look at; `None`: all.
    pub node_names: Option<&'a [String]>,
    /// `namespace/name` of the only pod to look at.
    pub pod: Option<&'a str>,
    /// `namespace/name` of the claims to allocate together, in place of pods.
    pub claims: Option<&'a [String]>,
    /// The time of the question, RFC 3339: claims whose devices are not ready for binding time out. `None`: none does.
    pub now: Option<&'a str>,
    /// Changes that the answer assumes.
    pub what_if: WhatIf,
    /// Features of the allocator in place of those that the gates give.
    pub features: Option<&'a [String]>,
    /// Selectors read attributes with several values even if the gate is off.
    pub cel_lists: bool,
    /// How far the account goes.
    pub explain: Explain,
    /// Accounts contain no positions in the text and no edits.
    pub without_places: bool,
    /// What a text may cost.
    pub limits: Limits,
}

impl<'a> AllocateOptions<'a> {
    /// Follows this release.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets a feature gate.
    pub fn gate(mut self, name: &str, on: bool) -> Self {
        self.gates.insert(name.to_owned(), on);
        self
    }

    /// Puts objects that name no namespace into this one.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Asks about these objects too.
    pub fn cluster(mut self, cluster: &'a PreparedCluster) -> Self {
        self.cluster = Some(cluster);
        self
    }

    /// Looks at this pod only: `namespace/name`.
    pub fn pod(mut self, pod: &'a str) -> Self {
        self.pod = Some(pod);
        self
    }

    /// Allocates these claims together, in place of pods: `namespace/name`.
    pub fn claims(mut self, claims: &'a [String]) -> Self {
        self.claims = Some(claims);
        self
    }

    /// Looks at these nodes only.
    pub fn node_names(mut self, names: &'a [String]) -> Self {
        self.node_names = Some(names);
        self
    }

    /// Asks at this time: RFC 3339.
    pub fn now(mut self, now: &'a str) -> Self {
        self.now = Some(now);
        self
    }

    /// Asks about changed facts.
    pub fn what_if(mut self, what_if: WhatIf) -> Self {
        self.what_if = what_if;
        self
    }

    /// Goes so far in explaining.
    pub fn explain(mut self, explain: Explain) -> Self {
        self.explain = explain;
        self
    }

    /// Keeps to these limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    fn namespace_of<'n>(&self, given: &'n str) -> &'n str
    where
        'a: 'n,
    {
        if given.is_empty() { self.namespace.unwrap_or("default") } else { given }
    }

    /// `namespace/name`; without a namespace the default one.
    fn full(&self, name: &str) -> String {
        if name.contains('/') { name.to_owned() } else { format!("{}/{name}", self.namespace_of("")) }
    }
}

/// What kube-scheduler answers to the pods and claims of a text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Allocation<'t> {
    /// The text, which turns byte offsets into lines.
    pub source: Source<'t>,
    /// The objects of the text.
    pub items: Vec<Item>,
    /// The release that answers.
    pub release: Release,
    /// Which of kube-scheduler's allocators is in charge.
    pub allocator: &'static str,
    /// The gates that the release knows.
    pub gates: BTreeMap<&'static str, bool>,
    /// The changes that the answer assumes, a line of English each.
    pub assumed: Vec<String>,
    /// What was found in the text, in the cluster, and over all nodes.
    pub findings: Vec<Finding>,
    /// The account of each pod, or group of claims without one.
    pub pods: Vec<PodAccount>,
    /// At least one pod or claim was evaluated, and no finding is an error.
    pub ok: bool,
}

/// Which devices the pods and claims of a text get on each node, and why none.
///
/// # Errors
/// An impossible question: a release without devices, a gate that cannot be set, or a pod, claim or node that does not exist.
///
/// ```
/// let cluster = "
/// apiVersion: v1
/// kind: Node
/// metadata: {name: a}
/// ---
/// apiVersion: resource.k8s.io/v1
/// kind: ResourceSlice
/// metadata: {name: a-gpus}
/// spec:
///   driver: gpu.example.com
///   nodeName: a
///   pool: {name: a, generation: 1, resourceSliceCount: 1}
///   devices: [{name: gpu-0}]
/// ---
/// apiVersion: resource.k8s.io/v1
/// kind: DeviceClass
/// metadata: {name: gpu}
/// ";
/// let claim = "
/// apiVersion: resource.k8s.io/v1
/// kind: ResourceClaim
/// metadata: {name: two}
/// spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu, count: 2}}]}}
/// ";
/// let cluster = claimkit::Cluster::read(cluster, None, None, &claimkit::Limits::default());
/// let options = claimkit::AllocateOptions::default().cluster(&cluster);
/// let allocation = claimkit::allocate(claim, &options).unwrap();
/// let node = &allocation.pods[0].nodes[0];
/// assert_eq!((node.verdict, node.message.as_deref()), ("none", Some("cannot allocate all claims")));
/// assert_eq!(node.requests[0].text, "1 on the node → 1 of class gpu → 1 free → wanted 2");
/// assert_eq!(node.relaxations[0].text, "count 1 instead of 2 in request gpus: gives gpu-0 on a");
/// ```
pub fn allocate<'t>(text: &'t str, options: &AllocateOptions<'_>) -> Result<Allocation<'t>, String> {
    let release = options.release.or(options.cluster.map(|cluster| cluster.release));
    let target = Target::new(release, &options.gates)?;
    if let Some(cluster) = options.cluster.filter(|cluster| cluster.release != target.release) {
        return Err(format!("`cluster` was read for Kubernetes {}, not for {}", cluster.release, target.release));
    }
    let now = options.now.map(Time::parse).transpose().map_err(|error| format!("`now`: {error}"))?;
    let mut input = Input::read(text, Some(target.release), &options.limits);
    let mut gathering = Gathering::new(target.release, options.namespace_of(""), options.field_validation);
    gathering.findings = std::mem::take(&mut input.file.findings);
    for (index, item) in input.items.iter().enumerate() {
        gathering.take(&input, item, index);
    }
    let mut beside = Vec::new();
    if let Some(nodes) = options.nodes {
        take_nodes(nodes, &mut gathering.facts, &mut beside, options, target.release);
    }
    let Gathering { facts, findings: mut in_text, .. } = gathering;
    let (mut facts, asked) = match options.cluster {
        Some(cluster) => {
            beside.extend(cluster.findings.iter().cloned());
            in_cluster(facts, cluster)
        }
        None => (facts, None),
    };
    if let Some(labels) = options.namespace_labels {
        let labels = labels.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        facts.namespaces.insert_new(options.namespace_of("").to_owned(), labels);
    }
    let on = |name: &str| target.on(name);
    let features = features(options, target)?;
    let lists = on("DRAListTypeAttributes") || options.cel_lists || features.contains(&Feature::ListTypeAttributes);
    let engine = CelSelectors::new(target.release, lists);
    let behaviour = behaviour::allocator(target.release.minor, target.release.patch, &features)
        .ok_or_else(|| behaviour::no_allocator(&features))?;
    let free: Vec<String> = options.what_if.free.iter().map(|name| options.full(name)).collect();
    let what_if = WhatIf { free, ..options.what_if.clone() };
    let changed = what_if.apply(&mut facts).map_err(|error| format!("`whatIf`: {error}"))?;
    let mut assumed = changed.lines;
    assumed.extend(created::create_claims(&mut facts));
    let faults = doctor::findings(&Cluster::new(&facts, behaviour, &features, &engine));
    let rules = PluginRules::of(target.release.minor);
    let gate_of_rules = rules.apply_taint_rules(&mut facts, on, &engine).filter(|_| !facts.rules.is_empty());
    let cluster = Cluster::new(&facts, behaviour, &features, &engine);
    let mut nodes = nodes(options, &facts)?;
    let unnamed: Vec<usize> = changed.nodes.iter().copied().filter(|node| !nodes.contains(node)).collect();
    nodes.extend(unnamed);
    let freed: BTreeSet<&str> = what_if.free.iter().map(String::as_str).collect();
    let asked = Asked { of_text: asked, freed, options };
    let cases = asked.cases(&cluster, rules, PluginGates::of(on).at(now))?;
    let mut pods: Vec<PodAccount> = cases.iter().map(|case| explain::account(&cluster, case, &nodes, options.explain)).collect();
    let some = !pods.is_empty() && !nodes.is_empty();
    if !some {
        let what = if pods.is_empty() { "no pod with claims and no claim that is not allocated" } else { "no Node" };
        in_text.push(finding::Finding::warning(Code::NothingChecked, Origin::Claimkit, format!("the text holds {what}")));
    } else {
        let has_pending = cases.iter().any(|case| !case.pending.is_empty());
        in_text.extend(limits_of_answer(&facts, target, has_pending, gate_of_rules));
    }
    let kept = finding::Findings::new(options.limits.findings).behind(in_text);
    let mut findings: Vec<Finding> = kept.into_iter().map(|one| located::finding(&input.file.source, one)).collect();
    findings.extend(beside);
    let mut more: Vec<&account::Finding> = Vec::new();
    for found in faults.iter().chain(pods.iter().flat_map(|pod| &pod.findings)) {
        if !more.contains(&found) {
            more.push(found);
        }
    }
    let room = options.limits.findings.saturating_sub(findings.len());
    findings.extend(more.into_iter().take(room).map(|found| place(&input, found, options.cluster.is_some())));
    let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !options.without_places {
        Places::of(&input, &facts, &|written| options.namespace_of(written).to_owned()).fill(&mut pods);
    }
    let Input { file, items } = input;
    Ok(Allocation {
        source: file.source,
        items,
        release: target.release,
        allocator: behaviour.allocator,
        gates: target.known_gates(),
        assumed,
        findings,
        pods,
        ok: !refused && some,
    })
}

/// The facts of a text in its cluster, and the names of the pods and claims of the text, if it has any.
fn in_cluster(own: Facts, cluster: &PreparedCluster) -> (Facts, Option<BTreeSet<String>>) {
    let names = own.pods.iter().map(|pod| &pod.metadata).chain(own.claims.iter().map(|claim| &claim.metadata));
    let names: BTreeSet<String> = names.map(|metadata| metadata.full_name()).collect();
    let mut whole = cluster.facts.clone();
    whole.overlay(own);
    (whole, (!names.is_empty()).then_some(names))
}

/// Findings about what the answer rests on: no slices, what it does not consider, taint rules without effect. `gate_of_rules`: the
/// gate without which taint rules have no effect, if it is off and there are any.
fn limits_of_answer(
    facts: &Facts,
    target: Target,
    has_pending: bool,
    gate_of_rules: Option<&str>,
) -> impl Iterator<Item = finding::Finding> {
    let no_device = (facts.slices.is_empty() && has_pending).then(|| {
        finding::Finding::warning(Code::NothingChecked, Origin::Claimkit, "no ResourceSlice is given: no device is known")
    });
    let unseen = not_looked_at(facts, target.on("DRANodeAllocatableResources"), target.on("DRAWorkloadResourceClaims"));
    let rules = gate_of_rules.map(|gate| {
        let message =
            format!("the DeviceTaintRules have no effect: the feature gate {gate} is off in kube-scheduler {}", target.release);
        finding::Finding::info(Code::PlacementNotModelled, Origin::Claimkit, message)
    });
    no_device.into_iter().chain([unseen]).chain(rules)
}

/// The note about what the answer does not consider. `node_resources`: node resources taken by devices are considered. `groups`:
/// pod groups may have claims.
fn not_looked_at(facts: &Facts, node_resources: bool, groups: bool) -> finding::Finding {
    let mut devices = facts.slices.iter().flat_map(|slice| &slice.spec.devices);
    let taken = node_resources && devices.any(|device| !device.node_allocatable_resource_mappings.is_empty());
    let (resources, pods) = match taken {
        true => ("taints of nodes, their resources where no device takes of them", "; pods that are not given here take none"),
        false => ("taints and resources of nodes", ""),
    };
    let grouped = groups && facts.pods.iter().any(|pod| pod.spec.scheduling_group.is_some());
    let groups = if grouped { "claims of pod groups (DRAWorkloadResourceClaims), " } else { "" };
    let message = format!(
        "not looked at: {groups}{resources}, affinity and other plugins of the scheduler; devices of claims that are not given here count as free{pods}"
    );
    finding::Finding::info(Code::PlacementNotModelled, Origin::Claimkit, message)
}

/// The allocator's features: those of the gates, or those asked for.
fn features(options: &AllocateOptions<'_>, target: Target) -> Result<Features, String> {
    match options.features {
        None => Ok(behaviour::features_of(target.release.minor, |name| target.on(name))),
        Some(names) => {
            let one = |name: &String| Feature::parse(name).ok_or_else(|| format!("`features`: there is no feature `{name}`"));
            names.iter().map(one).collect()
        }
    }
}

/// Nodes of a text of their own.
fn take_nodes(text: &str, facts: &mut Facts, beside: &mut Vec<Finding>, options: &AllocateOptions<'_>, release: Release) {
    let mut input = Input::read(text, Some(release), &options.limits);
    for finding in std::mem::take(&mut input.file.findings) {
        let finding = finding::Finding { fixes: Vec::new(), ..finding };
        beside.push(located::finding(&input.file.source, finding.about(TextField::Nodes)));
    }
    for item in input.items.iter().filter(|item| item.api_version == "v1" && item.kind == "Node") {
        let Some(tree) = input.tree(item) else { continue };
        if let Err(error) = facts.take("Node", Datum::Node(tree, item.node), None) {
            let message = format!("Node `{}` cannot be used: {error}", item.name);
            let finding = finding::Finding::error(Code::TypeMismatch, Origin::Claimkit, message).about(TextField::Nodes);
            let span = Some(item.span);
            beside.push(located::finding(&input.file.source, finding::Finding { span, ..finding }));
        }
    }
}

/// The nodes asked for, as they stand in the facts.
fn nodes(options: &AllocateOptions<'_>, facts: &Facts) -> Result<Vec<usize>, String> {
    let Some(names) = options.node_names else { return Ok((0..facts.nodes.len()).collect()) };
    let find = |name: &String| facts.nodes.iter().position(|node| node.metadata.name == *name);
    names.iter().map(|name| find(name).ok_or_else(|| format!("`nodeNames`: there is no Node `{name}`"))).collect()
}

/// The objects that the question is about.
struct Asked<'a> {
    /// With a cluster: the pods and claims of the text; `None`: the text has none.
    of_text: Option<BTreeSet<String>>,
    /// Claims whose devices the question frees. They are not pending themselves.
    freed: BTreeSet<&'a str>,
    options: &'a AllocateOptions<'a>,
}

impl Asked<'_> {
    fn has(&self, name: &str) -> bool {
        self.of_text.as_ref().is_none_or(|names| names.contains(name))
    }

    /// The groups of claims that are allocated together.
    fn cases<'f>(
        &self,
        cluster: &Cluster<'f>,
        rules: &'static PluginRules,
        gates: PluginGates,
    ) -> Result<Vec<PodCase<'f>>, String> {
        let facts = cluster.facts;
        if let Some(name) = self.options.pod {
            let wanted = self.options.full(name);
            let pod = facts.pods.iter().find(|pod| pod.metadata.full_name() == wanted);
            let pod = pod.ok_or_else(|| format!("`pod`: there is no Pod `{wanted}`"))?;
            return Ok(vec![PodCase::new(cluster, rules, gates, pod)]);
        }
        if let Some(names) = self.options.claims {
            let find = |name: &String| {
                let wanted = self.options.full(name);
                let claim = facts.claims.iter().map(|claim| &**claim).find(|claim| claim.metadata.full_name() == wanted);
                claim.ok_or_else(|| format!("`claims`: there is no ResourceClaim `{wanted}`"))
            };
            let claims = names.iter().map(find).collect::<Result<Vec<&Claim>, String>>()?;
            return Ok(vec![PodCase::of_claims(cluster, rules, gates, &claims)]);
        }
        // A pod with a node is scheduled already, and one without claims asks for nothing.
        let waiting = facts.pods.iter().filter(|pod| pod.spec.node_name.is_empty() && self.has(&pod.metadata.full_name()));
        let cases = waiting.map(|pod| PodCase::new(cluster, rules, gates, pod));
        let mut cases: Vec<PodCase<'f>> = cases
            .filter(|case| case.extended.is_some() || case.pod.is_some_and(|pod| !pod.spec.resource_claims.is_empty()))
            .collect();
        let used: BTreeSet<String> = facts.pods.iter().flat_map(|pod| used_by(pod)).collect();
        let is_alone = |claim: &&Claim| {
            let name = claim.metadata.full_name();
            let waits = claim.status.allocation.is_none() && !self.freed.contains(name.as_str());
            waits && !used.contains(&name) && self.has(&name)
        };
        let alone: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).filter(is_alone).collect();
        // One that is refused before any node does not hide what the others get.
        let (sound, refused): (Vec<&'f Claim>, Vec<&'f Claim>) =
            alone.into_iter().partition(|claim| PodCase::of_claims(cluster, rules, gates, &[*claim]).goes_on());
        if !sound.is_empty() {
            cases.push(PodCase::of_claims(cluster, rules, gates, &sound));
        }
        cases.extend(refused.into_iter().map(|claim| PodCase::of_claims(cluster, rules, gates, &[claim])));
        Ok(cases)
    }
}

/// The claims that a pod names, or that were made for it.
fn used_by(pod: &Pod) -> impl Iterator<Item = String> {
    let named = pod.spec.resource_claims.iter().filter_map(|entry| entry.resource_claim_name.clone());
    let made = pod.status.resource_claim_statuses.iter().flatten().filter_map(|entry| entry.resource_claim_name.clone());
    let namespace = &pod.metadata.namespace;
    named.chain(made).map(move |name| format!("{namespace}/{name}"))
}

/// A finding of the allocator with its position in the text. `cluster`: objects outside the text belong to the cluster.
fn place(input: &Input<'_>, found: &account::Finding, cluster: bool) -> Finding {
    let objects = input.items.iter().enumerate().filter_map(|(index, item)| Some((index, item, input.tree(item)?)));
    let mut finding = located::finding(&input.file.source, slices::placed(objects, found));
    if cluster && finding.object.is_none() {
        finding.within = TextField::Cluster;
    }
    finding
}
