//! Which devices the pods and claims of a text get on each node, and why none.

use super::gathered::{Gathered, gather};
use super::how_many::{self, HowMany};
use super::in_turn::{self, InTurn};
use super::limits::{find_pods_left_out, limits_of_answer};
use super::places::ClaimPlaces;
use super::question::{AllocateOptions, PlacementMode};
use crate::apiserver::slices;
use crate::manifest::cluster_release::release_of_cluster;
use crate::manifest::{Input, Item};
use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::finding::{self, Code, Severity, TextField};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::schema::{Release, other_gates};
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_model::text::{Source, SourceText};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::created;
use claimkit_scheduler::allocator::doctor;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::{Feature, Features, features_of};
use claimkit_scheduler::allocator::objects::{Claim, Facts, Pod};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::what_if::WhatIf;
use claimkit_scheduler::explain;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::remark::Remark;
use claimkit_scheduler::explain::words;
use claimkit_scheduler::scheduler::outcome::TieSearch;
use claimkit_scheduler::scheduler::{self, MOST_PODS, Scheduler, expand};
use claimkit_scheduler::target::Target;
use claimkit_values::order;
use claimkit_values::time::Time;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of names of pods in an error.
const MOST_NAMES: usize = 3;

/// The answers of kube-scheduler for the pods and claims of a text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Allocation<'t> {
    /// The text, which turns byte offsets into lines.
    pub source: Source<'t>,
    /// The objects of the text.
    pub items: Vec<Item>,
    /// The release that answers.
    pub release: Release,
    /// The allocator of kube-scheduler that answers.
    pub allocator: &'static str,
    /// The mode in which pods were placed.
    pub mode: PlacementMode,
    /// The number of pods that wait beside those of the answer; in turn, they were placed too.
    pub beside: usize,
    /// How often the repeated pod fits; `None`: none was.
    pub how_many: Option<HowMany>,
    /// How far other choices among nodes of the same score were tried.
    pub ties: TieSearch,
    /// The gates that the release knows.
    pub gates: BTreeMap<&'static str, bool>,
    /// The changes that the answer assumes, a line of English each.
    pub assumed: Vec<Message>,
    /// How many lines of `assumed`, the last ones, are about claims that pods need and that are not there.
    pub claims_assumed: usize,
    /// The findings about the text, the cluster, and all nodes.
    pub findings: Vec<LocatedFinding>,
    /// The account of each pod, or group of claims without one.
    pub pods: Vec<PodAccount>,
    /// At least one pod or claim was evaluated, and no finding is an error.
    pub ok: bool,
}

/// Returns the devices that the pods and claims of a text get on each node, or the reasons for none.
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
/// let cluster = claimkit::PreparedCluster::read(cluster, None, None, &claimkit::Limits::default());
/// let options = claimkit::AllocateOptions::default().cluster(&cluster);
/// let allocation = claimkit::allocate(claim, &options).unwrap();
/// let node = &allocation.pods[0].nodes[0];
/// assert_eq!(node.verdict, claimkit::account::NodeVerdict::None);
/// assert_eq!(node.message.as_deref(), Some("cannot allocate all claims"));
/// assert_eq!(node.requests[0].text, "1 on the node → 1 of class gpu → 1 free → wanted 2");
/// assert_eq!(node.relaxations[0].text, "count 1 instead of 2 in request gpus: gives gpu-0 on a");
/// ```
pub fn allocate<'t>(
    text: impl Into<SourceText<'t>>,
    options: &AllocateOptions<'_>,
) -> Result<Allocation<'t>, Error> {
    let text = text.into();
    let release = options
        .release
        .or(options.cluster.map(|cluster| cluster.release));
    let by_nodes = match release {
        None => {
            let of = |text| release_of_cluster(text, &options.limits);
            of(text).or_else(|| of(options.nodes?.into()))
        }
        Some(_) => None,
    };
    let mut target = Target::new(
        release.or(by_nodes.as_ref().map(|found| found.release)),
        &options.gates,
    )?;
    if let Some(cluster) = options
        .cluster
        .filter(|cluster| cluster.release != target.release)
    {
        let problem = message!(
            "schedule.cluster-of-release",
            "`cluster` was read for Kubernetes {read}, not for {release}",
            read = cluster.release,
            release = target.release
        );
        return Err(Error::new(ErrorKind::Release, problem));
    }
    let now = options.now.map(Time::parse).transpose();
    let now = now.map_err(|error| {
        Error::new(
            ErrorKind::Time,
            message!("schedule.now-wrong", "`now`: {error}", error),
        )
    })?;
    let mut gathered = gather(text, options, target);
    let proven = target.prove(&gathered.proofs, &options.gates);
    if proven.is_some() {
        // New objects are judged by the gates, too.
        gathered = gather(text, options, target);
    }
    let free: Vec<String> = options
        .what_if
        .free
        .iter()
        .map(|name| options.full(name))
        .collect();
    let what_if = WhatIf {
        free,
        ..options.what_if.clone()
    };
    let facts = &mut gathered.facts;
    let changed = what_if.apply(facts, &|text| new_node(text, options, target));
    let changed = changed.map_err(|error| {
        Error::new(
            ErrorKind::WhatIf,
            message!("schedule.what-if-wrong", "`whatIf`: {error}", error),
        )
    })?;
    let on = |name: &str| target.on(name);
    let features = features(options, target).map_err(Error::of(ErrorKind::Gate))?;
    let lists = on("DRAListTypeAttributes")
        || options.cel_lists
        || features.contains(&Feature::ListTypeAttributes);
    let engine = CelSelectors::new(target.release, lists);
    let behaviour = behaviour::allocator(target.release.minor, target.release.patch, &features)
        .ok_or_else(|| {
            Error::new(
                ErrorKind::Gate,
                Words::upstream(behaviour::no_allocator(&features)),
            )
        })?;
    let scheduler = Scheduler {
        target,
        now,
        budget: options.explain.budget,
        behaviour,
        features: &features,
        engine: &engine,
    };
    let mode = if options.alone || options.claims.is_some() {
        PlacementMode::Alone
    } else {
        PlacementMode::InTurn
    };
    let of_cluster = options.cluster.and_then(|cluster| cluster.followed.clone());
    let mut assumed: Vec<Message> = by_nodes
        .or(of_cluster.filter(|_| options.release.is_none()))
        .map(|found| found.told())
        .into_iter()
        .chain(proven)
        .collect();
    assumed.append(&mut gathered.assumed);
    assumed.extend(other_gates::notes(options.gates.keys().map(String::as_str)));
    assumed.extend(changed.lines);
    let before_claims = assumed.len();
    let freed = order::set(what_if.free.iter().map(String::as_str));
    let mut asked = Asked {
        of_text: gathered.asked.take(),
        freed,
        copies: None,
        options,
    };
    let repeated = match (options.how_many, mode) {
        (false, _) => None,
        (true, PlacementMode::Alone) => {
            let problem = message!(
                "schedule.how-many-alone",
                "`howMany` places pods in turn: leave out `alone` and `claims`"
            );
            return Err(Error::new(ErrorKind::HowMany, problem));
        }
        (true, PlacementMode::InTurn) => {
            let repeat = asked
                .only_pod(facts)
                .and_then(|pod| how_many::repeat(facts, pod, &scheduler));
            let wrong = |error| message!("schedule.how-many-wrong", "`howMany`: {error}", error);
            Some(repeat.map_err(|error| Error::new(ErrorKind::HowMany, wrong(error)))?)
        }
    };
    asked.copies = repeated.as_ref().map(|repeated| &repeated.names);
    match mode {
        PlacementMode::Alone => {
            expand::one_each(facts);
            let rules = PluginRules::of(target.release.minor, target.release.patch);
            assumed.extend(created::create_claims(facts, rules.admin_label));
        }
        PlacementMode::InTurn => {
            let expanded = expand::expand(facts, MOST_PODS);
            gathered
                .findings
                .extend(expanded.iter().filter_map(find_pods_left_out));
            assumed.extend(scheduler.store(facts));
        }
    }
    let rules = PluginRules::of(target.release.minor, target.release.patch);
    let faults = doctor::findings(&Cluster::new(facts, behaviour, &features, &engine), rules);
    let gate_of_rules = rules
        .apply_taint_rules(facts, on, &engine)
        .filter(|_| !facts.rules.is_empty());
    let mut nodes = nodes(options, facts).map_err(Error::of(ErrorKind::NotFound))?;
    let unnamed: Vec<usize> = changed
        .nodes
        .iter()
        .copied()
        .filter(|node| !nodes.contains(node))
        .collect();
    nodes.extend(unnamed);
    let accounts = Accounts {
        asked,
        repeated: repeated.as_ref(),
        scheduler,
        gates: PluginGates::of(on).at(now),
        nodes: &nodes,
    };
    let answered = match mode {
        PlacementMode::Alone => accounts.alone(facts),
        PlacementMode::InTurn => accounts.in_turn(facts),
    };
    let Answered {
        mut pods,
        beside: others,
        how_many,
        ties,
        has_pending,
    } = answered.map_err(Error::of(ErrorKind::NotFound))?;
    let Gathered {
        input,
        facts,
        findings: mut in_text,
        beside,
        left_out,
        ..
    } = gathered;
    let some = !pods.is_empty() && !nodes.is_empty();
    if !some {
        let message = match (pods.is_empty(), left_out) {
            (true, false) => {
                message!(
                    "schedule.no-pending-claim",
                    "the text holds no pod with claims and no claim that is not allocated"
                )
            }
            (true, true) => message!(
                "schedule.nothing-else",
                "nothing else in the text asks for devices"
            ),
            (false, _) => message!("schedule.no-node", "the text holds no Node"),
        };
        in_text.push(finding::Finding::new(Code::NothingChecked, message));
    } else {
        in_text.extend(limits_of_answer(
            &facts,
            target,
            mode,
            has_pending,
            gate_of_rules,
        ));
    }
    let kept = finding::Findings::new(options.limits.findings).behind(in_text);
    let mut findings: Vec<LocatedFinding> = kept
        .into_iter()
        .map(|one| located::finding(&input.file.source, one))
        .collect();
    findings.extend(beside);
    let mut more: Vec<&Remark> = Vec::new();
    for found in faults
        .iter()
        .chain(pods.iter().flat_map(|pod| &pod.findings))
    {
        if !more.contains(&found) {
            more.push(found);
        }
    }
    let room = options.limits.findings.saturating_sub(findings.len());
    findings.extend(
        more.into_iter()
            .take(room)
            .map(|found| place(&input, found, options.cluster.is_some())),
    );
    let refused = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    if !options.without_places {
        ClaimPlaces::of(&input, &facts, &|written| {
            options.namespace_of(written).to_owned()
        })
        .fill(&mut pods);
    }
    let Input { file, items } = input;
    Ok(Allocation {
        source: file.source,
        items,
        release: target.release,
        allocator: behaviour.allocator,
        mode,
        beside: others,
        how_many,
        ties,
        gates: target.known_gates(),
        claims_assumed: assumed.len().saturating_sub(before_claims),
        assumed,
        findings,
        pods,
        ok: !refused && some,
    })
}

/// The accounts of pods and claims.
struct Accounts<'a> {
    asked: Asked<'a>,
    repeated: Option<&'a how_many::Repeated>,
    scheduler: Scheduler<'a>,
    gates: PluginGates,
    nodes: &'a [usize],
}

/// The accounts, with facts found on the way.
struct Answered {
    pods: Vec<PodAccount>,
    /// The number of pods that wait and are not asked about.
    beside: usize,
    how_many: Option<HowMany>,
    ties: TieSearch,
    /// Some claims are not allocated yet.
    has_pending: bool,
}

impl Accounts<'_> {
    fn explain(&self, cluster: &Cluster<'_>, case: &PodCase<'_>) -> PodAccount {
        explain::explain_pod(cluster, case, self.nodes, self.asked.options.explain)
    }

    fn cluster<'f>(&self, facts: &'f Facts) -> Cluster<'f>
    where
        Self: 'f,
    {
        let Scheduler {
            behaviour,
            features,
            engine,
            ..
        } = self.scheduler;
        Cluster::new(facts, behaviour, features, engine)
    }

    fn rules(&self) -> &'static PluginRules {
        let release = self.scheduler.target.release;
        PluginRules::of(release.minor, release.patch)
    }

    /// Places each pod as if it were the only one.
    fn alone(&self, facts: &Facts) -> Result<Answered, Message> {
        let cluster = self.cluster(facts);
        let cases = self.asked.cases(&cluster, self.rules(), self.gates)?;
        let pods: Vec<PodAccount> = cases
            .iter()
            .map(|case| self.explain(&cluster, case))
            .collect();
        let has_pending = cases.iter().any(|case| !case.pending.is_empty());
        let waits = facts
            .pods
            .iter()
            .filter(|pod| pod.spec.node_name.is_empty() && !scheduler::has_ended(pod))
            .count();
        let beside =
            waits.saturating_sub(pods.iter().filter(|account| account.pod.is_some()).count());
        Ok(Answered {
            pods,
            beside,
            how_many: None,
            ties: TieSearch::None,
            has_pending,
        })
    }

    /// Places all pods one after another, then the claims that no pod uses.
    fn in_turn(&self, facts: &Facts) -> Result<Answered, Message> {
        let named = self.asked.named(facts)?;
        let asks = |pod: &Pod| match &named {
            Some(names) => names.contains(&pod.metadata.full_name()),
            None => self.asked.has(&pod.metadata.full_name()) || self.asked.has_owner(pod),
        };
        let explain = self.asked.options.explain;
        let (scheduler, gates, nodes) = (self.scheduler, self.gates, self.nodes);
        let in_turn::Placed {
            mut pods,
            after,
            simulation,
        } = InTurn {
            scheduler,
            gates,
            nodes,
            explain,
            asked: &asks,
        }
        .place(facts);
        let cluster = self.cluster(&after);
        let beside = simulation.pods.len().saturating_sub(pods.len());
        let how_many = self
            .repeated
            .map(|repeated| repeated.answer(facts, &simulation, nodes));
        if let Some(names) = &named {
            // A pod that does not wait is asked about by its name only.
            let told = order::set(pods.iter().filter_map(|pod| pod.pod.clone()));
            let first = self.cluster(facts);
            for pod in facts
                .pods
                .iter()
                .filter(|pod| names.contains(&pod.metadata.full_name()))
            {
                if !told.contains(&pod.metadata.full_name()) {
                    let mut account =
                        self.explain(&first, &PodCase::new(&first, self.rules(), self.gates, pod));
                    account.turn = Some(Box::new(in_turn::settled(pod)));
                    pods.push(account);
                }
            }
        } else {
            let cases = self.asked.claims(&cluster, self.rules(), self.gates);
            pods.extend(cases.iter().map(|case| self.explain(&cluster, case)));
        }
        let has_pending = pods.iter().any(|pod| !pod.claims.is_empty());
        Ok(Answered {
            pods,
            beside,
            how_many,
            ties: simulation.ties,
            has_pending,
        })
    }
}

/// Returns the allocator's features: those of the gates, or those asked for.
fn features(options: &AllocateOptions<'_>, target: Target) -> Result<Features, Message> {
    match options.features {
        None => Ok(features_of(target.release.minor, |name| target.on(name))),
        Some(names) => {
            let unknown = |name: &String| {
                message!(
                    "schedule.unknown-feature",
                    "`features`: there is no feature `{name}`",
                    name
                )
            };
            let one = |name: &String| Feature::parse(name).ok_or_else(|| unknown(name));
            names.iter().map(one).collect()
        }
    }
}

/// Returns the requested nodes, by their index in the facts.
fn nodes(options: &AllocateOptions<'_>, facts: &Facts) -> Result<Vec<usize>, Message> {
    let Some(names) = options.node_names else {
        return Ok((0..facts.nodes.len()).collect());
    };
    let find = |name: &String| {
        facts
            .nodes
            .iter()
            .position(|node| node.metadata.name == *name)
    };
    let missing = |name: &String| {
        message!(
            "schedule.unknown-node",
            "`nodeNames`: there is no Node `{name}`",
            name
        )
    };
    names
        .iter()
        .map(|name| find(name).ok_or_else(|| missing(name)))
        .collect()
}

/// The objects that the question is about.
struct Asked<'a> {
    /// With a cluster: the pods and claims of the text; `None`: the text has none.
    of_text: Option<BTreeSet<String>>,
    /// Claims whose devices the question frees. They are not pending themselves.
    freed: BTreeSet<&'a str>,
    /// The copies of a pod that is repeated.
    copies: Option<&'a BTreeSet<String>>,
    options: &'a AllocateOptions<'a>,
}

impl Asked<'_> {
    /// Returns true if the text has an object that made the pod.
    fn has_owner(&self, pod: &Pod) -> bool {
        owners(pod).any(|owner| self.has(&owner))
    }

    fn has(&self, name: &str) -> bool {
        self.of_text
            .as_ref()
            .is_none_or(|names| names.contains(name))
    }

    /// Returns the groups of claims that are allocated together.
    fn cases<'f>(
        &self,
        cluster: &Cluster<'f>,
        rules: &'static PluginRules,
        gates: PluginGates,
    ) -> Result<Vec<PodCase<'f>>, Message> {
        let facts = cluster.facts;
        if let Some(name) = self.options.pod {
            let wanted = self.options.full(name);
            let pod = facts
                .pods
                .iter()
                .find(|pod| pod.metadata.full_name() == wanted);
            let pod = pod.ok_or_else(|| no_pod(&wanted))?;
            return Ok(vec![PodCase::new(cluster, rules, gates, pod)]);
        }
        if let Some(names) = self.options.claims {
            let find = |name: &String| {
                let wanted = self.options.full(name);
                let claim = facts
                    .claims
                    .iter()
                    .map(|claim| &**claim)
                    .find(|claim| claim.metadata.full_name() == wanted);
                claim.ok_or_else(|| {
                    message!(
                        "schedule.unknown-claim",
                        "`claims`: there is no ResourceClaim `{name}`",
                        name = wanted
                    )
                })
            };
            let claims = names
                .iter()
                .map(find)
                .collect::<Result<Vec<&Claim>, Message>>()?;
            return Ok(vec![PodCase::of_claims(cluster, rules, gates, &claims)]);
        }
        // A pod with a node is scheduled already, and one without claims asks for nothing.
        let waiting = facts
            .pods
            .iter()
            .filter(|pod| pod.spec.node_name.is_empty() && self.has(&pod.metadata.full_name()));
        let cases = waiting.map(|pod| PodCase::new(cluster, rules, gates, pod));
        let mut cases: Vec<PodCase<'f>> = cases
            .filter(|case| {
                case.extended.is_some()
                    || case
                        .pod
                        .is_some_and(|pod| !pod.spec.resource_claims.is_empty())
            })
            .collect();
        cases.extend(self.claims(cluster, rules, gates));
        Ok(cases)
    }

    /// Returns the name of the pod, or of the object that makes pods, that is repeated: the one named, or the only one of the
    /// text.
    fn only_pod(&self, facts: &Facts) -> Result<String, Message> {
        if let Some(name) = self.options.pod {
            return Ok(self.options.full(name));
        }
        let pods = facts
            .pods
            .iter()
            .filter(|pod| pod.spec.node_name.is_empty() && !scheduler::has_ended(pod));
        let new = facts
            .workloads
            .iter()
            .filter(|workload| workload.metadata.uid.is_empty());
        let names = pods
            .map(|pod| pod.metadata.full_name())
            .chain(new.map(|workload| workload.metadata.full_name()));
        let names: Vec<String> = names.filter(|name| self.has(name)).collect();
        match names.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(message!(
                "schedule.nothing-to-repeat",
                "the text has no pod to repeat; name one with `pod`"
            )),
            names => Err(message!(
                "schedule.several-to-repeat",
                "one pod is repeated, and the text has {names}; name one with `pod`",
                names = words::some(names, MOST_NAMES)
            )),
        }
    }

    /// Returns the names of the pods that the question names: a pod, or those of a workload.
    fn named(&self, facts: &Facts) -> Result<Option<BTreeSet<String>>, Message> {
        if let Some(copies) = self.copies {
            return Ok(Some(copies.clone()));
        }
        let Some(name) = self.options.pod else {
            return Ok(None);
        };
        let wanted = self.options.full(name);
        let owned = |pod: &Pod| owners(pod).any(|owner| owner == wanted);
        let pods = facts
            .pods
            .iter()
            .filter(|pod| pod.metadata.full_name() == wanted || owned(pod));
        let names = order::set(pods.map(|pod| pod.metadata.full_name()));
        if names.is_empty() {
            Err(no_pod(&wanted))
        } else {
            Ok(Some(names))
        }
    }

    /// Returns the claims that no pod uses, taken together.
    fn claims<'f>(
        &self,
        cluster: &Cluster<'f>,
        rules: &'static PluginRules,
        gates: PluginGates,
    ) -> Vec<PodCase<'f>> {
        let facts = cluster.facts;
        let used = order::set(facts.pods.iter().flat_map(|pod| used_by(pod)));
        let is_alone = |claim: &&Claim| {
            let name = claim.metadata.full_name();
            let waits = claim.status.allocation.is_none() && !self.freed.contains(name.as_str());
            waits && !used.contains(&name) && self.has(&name)
        };
        let alone: Vec<&Claim> = facts
            .claims
            .iter()
            .map(|claim| &**claim)
            .filter(is_alone)
            .collect();
        // One that is refused before any node does not hide what the others get.
        let (sound, refused): (Vec<&'f Claim>, Vec<&'f Claim>) = alone
            .into_iter()
            .partition(|claim| PodCase::of_claims(cluster, rules, gates, &[*claim]).goes_on());
        let sound = (!sound.is_empty()).then(|| PodCase::of_claims(cluster, rules, gates, &sound));
        let refused = refused
            .into_iter()
            .map(|claim| PodCase::of_claims(cluster, rules, gates, &[claim]));
        sound.into_iter().chain(refused).collect()
    }
}

fn no_pod(name: &str) -> Message {
    message!(
        "schedule.unknown-pod",
        "`pod`: there is no Pod `{name}`",
        name
    )
}

/// Returns `namespace/name` of the objects that made a pod.
fn owners(pod: &Pod) -> impl Iterator<Item = String> {
    pod.metadata
        .owner_references
        .iter()
        .map(|owner| format!("{}/{}", pod.metadata.namespace, owner.name))
}

/// Returns the claims that a pod names, or that were made for it.
fn used_by(pod: &Pod) -> impl Iterator<Item = String> {
    let named = pod
        .spec
        .resource_claims
        .iter()
        .filter_map(|entry| entry.resource_claim_name.clone());
    let made = pod
        .status
        .resource_claim_statuses
        .iter()
        .flatten()
        .filter_map(|entry| entry.resource_claim_name.clone());
    let namespace = &pod.metadata.namespace;
    named
        .chain(made)
        .map(move |name| format!("{namespace}/{name}"))
}

/// Makes a finding of the allocator with its position in the text. `cluster`: objects outside the text belong to the cluster.
fn place(input: &Input<'_>, found: &Remark, cluster: bool) -> LocatedFinding {
    let objects = input
        .items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| Some((index, item, input.tree(item)?)));
    let mut finding = located::finding(&input.file.source, slices::placed(objects, found));
    if cluster && finding.object.is_none() {
        finding.within = TextField::Cluster;
    }
    finding
}

/// Reads the text of a node that does not exist yet, and judges its slices as the server does.
fn new_node(text: &str, options: &AllocateOptions<'_>, target: Target) -> Result<Facts, Message> {
    let judged = AllocateOptions {
        features: options.features,
        gates: options.gates.clone(),
        namespace: options.namespace,
        limits: options.limits,
        ..AllocateOptions::default()
    };
    let Gathered {
        input,
        facts,
        findings,
        ..
    } = gather(text.into(), &judged, target);
    let is_known = |item: &&Item| matches!(item.kind.as_str(), "Node" | "ResourceSlice");
    if let Some(item) = input.items.iter().find(|item| !is_known(item)) {
        return Err(message!(
            "change.new-nodes-other-kind",
            "`newNodes`: {kind} {name} is not part of a node: give it with the other objects",
            kind = item.kind,
            name = item.name
        ));
    }
    let error = findings.iter().find(|one| one.severity == Severity::Error);
    match error {
        Some(finding) => Err(message!(
            "change.new-nodes-unread",
            "`newNodes`: {problem}",
            problem = finding.message
        )),
        None => Ok(facts),
    }
}
