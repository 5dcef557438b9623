//! Which devices the pods and claims of a text get on each node, and why none.

use super::gathered::{Gathered, gather};
use super::how_many::{self, HowMany};
use super::in_turn::{self, InTurn};
use super::limits::{GateOff, find_pods_left_out, limits_of_answer};
use super::node_templates::{self, DescribedNode, Describer};
use super::not_followed;
use super::places::ClaimPlaces;
use super::question::{AllocateOptions, PlacementMode};
use crate::apiserver::slices;
use crate::manifest::cluster_release::release_of_cluster;
use crate::manifest::snapshot_notes::SnapshotNotes;
use crate::manifest::{Input, Item};
use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::finding::{self, Code, Origin, Severity, TextField};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::schema::{Gate, Release, other_gates};
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_model::text::{Source, SourceText};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::created;
use claimkit_scheduler::allocator::doctor;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::{Feature, Features, features_of};
use claimkit_scheduler::allocator::objects::read::Datum;
use claimkit_scheduler::allocator::objects::{Claim, Facts, Pod};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::quotas;
use claimkit_scheduler::allocator::what_if::{Changed, ReadNode, WhatIf, WhatIfForm};
use claimkit_scheduler::explain;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::remark::Remark;
use claimkit_scheduler::explain::words;
use claimkit_scheduler::scheduler::outcome::TieSearch;
use claimkit_scheduler::scheduler::{self, MOST_PODS, Scheduler, expand};
use claimkit_scheduler::target::Target;
use claimkit_values::order;
use claimkit_values::time::Time;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

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
    let source: SourceText<'t> = text.into();
    let given_gates = GivenGates::of(source, options);
    let options = &AllocateOptions {
        gates: gates_of(source, options),
        ..options.clone()
    };
    let (mut target, followed) = target_of(source, options)?;
    let now = read_now(options)?;
    let mut gathered = gather(source, options, target);
    let proven = target.prove(&gathered.proofs, &options.gates);
    if proven.is_some() {
        // New objects are judged by the gates, too.
        gathered = gather(source, options, target);
    }
    let what_if = what_if_of(options);
    let changed = what_if
        .apply(&mut gathered.facts, &|text| new_node(text, options, target))
        .map_err(|error| {
            let problem = match what_if.form {
                WhatIfForm::Request => {
                    message!("schedule.what-if-wrong", "`whatIf`: {error}", error)
                }
                WhatIfForm::CommandLine => error,
            };
            Error::new(ErrorKind::WhatIf, problem)
        })?;
    let features = allocator_features(options, target).map_err(Error::of(ErrorKind::Gate))?;
    let engine = CelSelectors::new(target.release, reads_lists(options, target, &features));
    let behaviour = behaviour::allocator(target.release.minor, target.release.patch, &features);
    let Some(behaviour) = behaviour else {
        let problem = Words::upstream(behaviour::no_allocator(&features));
        return Err(Error::new(ErrorKind::Gate, problem));
    };
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
    let mut assumed: Vec<Message> = followed.into_iter().chain(proven).collect();
    assumed.append(&mut gathered.assumed);
    assumed.extend(other_gates::notes(options.gates.keys().map(String::as_str)));
    assumed.extend(changed.lines.iter().cloned());
    let mut asked = Asked {
        of_text: gathered.asked.take(),
        freed: order::set(what_if.free.iter().map(String::as_str)),
        copies: None,
        kept: BTreeSet::new(),
        options,
    };
    let repeated = repeat(&asked, &changed, &mut gathered.facts, &scheduler, mode)?;
    asked.copies = repeated.as_ref().map(|repeated| &repeated.names);
    let of_claims = store(&mut gathered, &scheduler, mode);
    asked.kept = order::set(gathered.kept.iter().cloned());
    let claims_assumed = of_claims.len();
    assumed.append(&mut gathered.assumed);
    if what_if.makes_claims || repeated.is_some() {
        assumed.extend(scheduler.make_unmade_claims(&mut gathered.facts));
    }
    assumed.extend(of_claims);
    let facts = &mut gathered.facts;
    let rules = PluginRules::of(target.release.minor, target.release.patch);
    let faults = doctor::findings(&Cluster::new(facts, behaviour, &features, &engine), rules);
    let gate_of_rules = rules
        .apply_taint_rules(facts, |name| target.on(name), &engine)
        .filter(|_| !facts.rules.is_empty())
        .map(|gate| GateOff {
            gate,
            is_known: given_gates.say(gate, target.release),
        });
    let nodes = asked_nodes(options, facts, &changed.nodes)?;
    let accounts = Accounts {
        asked,
        repeated: repeated.as_ref(),
        scheduler,
        gates: PluginGates::of(|name| target.on(name)).at(now),
        nodes: &nodes,
    };
    let answered = match mode {
        PlacementMode::Alone => accounts.alone(facts),
        PlacementMode::InTurn => accounts.in_turn(facts),
    };
    let mut answered = answered.map_err(Error::of(ErrorKind::NotFound))?;
    gathered
        .not_given
        .mark(&mut answered.pods, &gathered.facts, rules);
    not_followed::mark(&mut answered.pods, &gathered.facts, target);
    let has_answer = !answered.pods.is_empty() && !nodes.is_empty();
    if has_answer {
        gathered.findings.extend(limits_of_answer(
            &gathered.facts,
            target,
            mode,
            answered.has_pending,
            gate_of_rules,
        ));
    } else {
        let finding = nothing_to_place(&answered.pods, gathered.left_out);
        gathered.findings.push(finding);
    }
    let mut findings = located_findings(&mut gathered, &faults, &answered.pods, &changed, options);
    if repeated.is_some() {
        once_of_copies(&mut findings);
    }
    let is_refused = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let Gathered { input, facts, .. } = gathered;
    if !options.without_places {
        ClaimPlaces::of(&input, &facts, &|written| {
            options.namespace_of(written).to_owned()
        })
        .fill(&mut answered.pods);
    }
    let Input { file, items } = input;
    Ok(Allocation {
        source: file.source,
        items,
        release: target.release,
        allocator: behaviour.allocator,
        mode,
        beside: answered.beside,
        how_many: answered.how_many,
        ties: answered.ties,
        gates: target.known_gates(),
        claims_assumed,
        assumed,
        findings,
        pods: answered.pods,
        ok: !is_refused && has_answer,
    })
}

/// Returns the release and gates of an answer, and a line of English if the text or the cluster says which release it is.
fn target_of(
    text: SourceText<'_>,
    options: &AllocateOptions<'_>,
) -> Result<(Target, Option<Message>), Error> {
    let of_cluster = options.cluster.map(|cluster| cluster.release);
    let given = options.release.or(of_cluster);
    let by_nodes = match given {
        Some(_) => None,
        None => release_of_cluster(text, &options.limits)
            .or_else(|| release_of_cluster(options.nodes?, &options.limits)),
    };
    let release = given.or(by_nodes.as_ref().map(|followed| followed.release));
    let target = Target::new(release, &options.gates)?;
    if let Some(read) = of_cluster.filter(|read| *read != target.release) {
        let problem = message!(
            "schedule.cluster-of-release",
            "`cluster` was read for Kubernetes {read}, not for {release}",
            read,
            release = target.release
        );
        return Err(Error::new(ErrorKind::Release, problem));
    }
    let by_cluster = match options.release {
        Some(_) => None,
        None => options.cluster.and_then(|cluster| cluster.followed.clone()),
    };
    let followed = by_nodes.or(by_cluster);
    Ok((target, followed.map(|followed| followed.told())))
}

/// Returns the gates of an answer: those of the question, or those that a snapshot notes.
fn gates_of(text: SourceText<'_>, options: &AllocateOptions<'_>) -> BTreeMap<String, bool> {
    let of_cluster = options.cluster.and_then(|cluster| cluster.notes.clone());
    let given = &options.gates;
    match of_cluster.or_else(|| SnapshotNotes::of_text(text.text())) {
        Some(notes) => notes.gates_for(options.release, given),
        None => given.clone(),
    }
}

/// What is given of the gates of the cluster.
struct GivenGates {
    /// The names that the question sets.
    names: BTreeSet<String>,
    /// A snapshot notes those that are not at their defaults in its release, which answers.
    are_noted: bool,
}

impl GivenGates {
    /// Looks at a question before the gates of a snapshot are joined to it.
    fn of(text: SourceText<'_>, options: &AllocateOptions<'_>) -> Self {
        let of_cluster = options
            .cluster
            .is_some_and(|cluster| cluster.notes.is_some());
        GivenGates {
            names: options.gates.keys().cloned().collect(),
            are_noted: options.release.is_none()
                && (of_cluster || SnapshotNotes::of_text(text.text()).is_some()),
        }
    }

    /// Returns true if it is known whether a gate is on.
    fn say(&self, gate: &str, release: Release) -> bool {
        let has_gate = Gate::named(gate).is_some_and(|gate| gate.default_in(release).is_some());
        let is_named = [gate, "AllAlpha", "AllBeta"]
            .iter()
            .any(|name| self.names.contains(*name));
        self.are_noted || !has_gate || is_named
    }
}

fn read_now(options: &AllocateOptions<'_>) -> Result<Option<Time>, Error> {
    let now = options.now.map(Time::parse).transpose();
    now.map_err(|error| {
        Error::new(
            ErrorKind::Time,
            message!("schedule.now-wrong", "`now`: {error}", error),
        )
    })
}

/// Returns the changes of the question, with the full names of the claims that it frees.
fn what_if_of(options: &AllocateOptions<'_>) -> WhatIf {
    let free = &options.what_if.free;
    WhatIf {
        free: free.iter().map(|name| options.full(name)).collect(),
        ..options.what_if.clone()
    }
}

/// Returns true if selectors read attributes with lists.
fn reads_lists(options: &AllocateOptions<'_>, target: Target, features: &Features) -> bool {
    target.on("DRAListTypeAttributes")
        || options.cel_lists
        || features.contains(&Feature::ListTypeAttributes)
}

/// Repeats the pod that the question is about until no more of them get a node.
fn repeat(
    asked: &Asked<'_>,
    changed: &Changed,
    facts: &mut Facts,
    scheduler: &Scheduler<'_>,
    mode: PlacementMode,
) -> Result<Option<how_many::Repeated>, Error> {
    if !asked.options.how_many {
        return Ok(None);
    }
    if mode == PlacementMode::Alone {
        let problem = message!(
            "schedule.how-many-alone",
            "`howMany` places pods in turn: leave out `alone` and `claims`"
        );
        return Err(Error::new(ErrorKind::HowMany, problem));
    }
    let repeated = asked.only_pod(facts).and_then(|pod| {
        if let Some(names) = asked.options.node_names {
            let new = changed
                .nodes
                .iter()
                .filter_map(|at| facts.nodes.get(*at))
                .map(|node| node.metadata.name.clone());
            let names: Vec<String> = names.iter().cloned().chain(new).collect();
            how_many::keep_on(facts, &pod, &names);
        }
        how_many::repeat(facts, pod, scheduler)
    });
    match repeated {
        Ok(repeated) => Ok(Some(repeated)),
        Err(error) => Err(Error::new(
            ErrorKind::HowMany,
            message!("schedule.how-many-wrong", "`howMany`: {error}", error),
        )),
    }
}

/// Makes the pods of workloads and the claims of new pods. Returns a line of English for each assumption.
fn store(
    gathered: &mut Gathered<'_>,
    scheduler: &Scheduler<'_>,
    mode: PlacementMode,
) -> Vec<Message> {
    let facts = &mut gathered.facts;
    match mode {
        PlacementMode::Alone => {
            expand::one_each(facts);
            let release = scheduler.target.release;
            let rules = PluginRules::of(release.minor, release.patch);
            created::create_claims(facts, rules.admin_label)
        }
        PlacementMode::InTurn => {
            let expanded = expand::expand(facts, MOST_PODS);
            gathered
                .findings
                .extend(expanded.iter().filter_map(find_pods_left_out));
            for one in &expanded {
                gathered.kept.extend(one.there.iter().cloned());
                gathered.assumed.extend(one.told());
                gathered.assumed.extend(beyond_quota(one, facts));
            }
            scheduler.store(facts)
        }
    }
}

/// Says of the pods of a workload that a quota does not allow all of them, as far as it counts pods and their resources.
fn beyond_quota(expanded: &expand::Expanded, facts: &Facts) -> Option<Message> {
    let mut workloads = facts.workloads.iter();
    let workload = workloads.find(|workload| {
        workload.kind.name() == expanded.kind && workload.metadata.full_name() == expanded.name
    })?;
    let spec = &workload.spec.template.spec;
    let left = quotas::pods_left(facts, &workload.metadata.namespace, spec)?;
    (left.count < expanded.made).then(|| {
        message!(
            "pods.beyond-quota",
            "ResourceQuota {quota} allows {count} more of the {made} pods of {kind} {name} ({resource}): the others are placed as if it allowed them",
            quota = left.quota,
            count = left.count,
            made = expanded.made,
            kind = expanded.kind,
            name = expanded.name,
            resource = left.resource
        )
    })
}

/// Returns the finding of an answer about no pod, or about no node. `left_out`: the server refuses objects of the text.
fn nothing_to_place(pods: &[PodAccount], left_out: bool) -> finding::Finding {
    let message = match (pods.is_empty(), left_out) {
        (true, false) => {
            message!(
                "schedule.no-pending-claim",
                "no pod and no claim of the text waits for devices"
            )
        }
        (true, true) => message!(
            "schedule.nothing-else",
            "nothing else in the text asks for devices"
        ),
        (false, _) => message!("schedule.no-node", "the text holds no Node"),
    };
    finding::Finding::new(Code::NothingChecked, message)
}

/// Returns the findings with their positions: those of the text, those of other texts, and those of the allocator, each once.
fn located_findings(
    gathered: &mut Gathered<'_>,
    faults: &[Remark],
    pods: &[PodAccount],
    changed: &Changed,
    options: &AllocateOptions<'_>,
) -> Vec<LocatedFinding> {
    let in_text = std::mem::take(&mut gathered.findings);
    let input = &gathered.input;
    let mut findings: Vec<LocatedFinding> = finding::Findings::new(options.limits.findings)
        .behind(in_text)
        .into_iter()
        .map(|finding| located::finding(&input.file.source, finding))
        .collect();
    findings.append(&mut gathered.beside);
    for new in &changed.findings {
        let finding = new.finding.clone().about(TextField::NewNodes);
        let mut of_file = located::finding(&input.file.source, finding);
        of_file.file.clone_from(&new.name);
        findings.push(of_file);
    }
    let mut remarks: Vec<&Remark> = Vec::new();
    for remark in faults
        .iter()
        .chain(pods.iter().flat_map(|pod| &pod.findings))
    {
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
    let room = options.limits.findings.saturating_sub(findings.len());
    for remark in remarks.into_iter().take(room) {
        let is_beside = options.cluster.is_some();
        findings.push(place(input, remark, &changed.slices, is_beside));
    }
    findings
}

/// Keeps the first of the findings with one code at one place: copies of a pod are all alike.
fn once_of_copies(findings: &mut Vec<LocatedFinding>) {
    let mut seen = BTreeSet::new();
    findings.retain(|finding| {
        let start = finding.range.as_ref().map(|range| range.start.byte_offset);
        let is_about_pod = finding.origin == Origin::Claimkit && finding.object.is_some();
        !is_about_pod || seen.insert((finding.object, finding.code.name(), start))
    });
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
        let explained = pods.iter().filter(|account| account.pod.is_some()).count();
        Ok(Answered {
            pods,
            beside: waits.saturating_sub(explained),
            how_many: None,
            ties: TieSearch::None,
            has_pending,
        })
    }

    /// Places all pods one after another, then the claims that no pod uses.
    fn in_turn(&self, facts: &Facts) -> Result<Answered, Message> {
        let named = self.asked.named(facts)?;
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
            asked: &|pod| match &named {
                Some(names) => names.contains(&pod.metadata.full_name()),
                None => self.asked.has(&pod.metadata.full_name()) || self.asked.has_owner(pod),
            },
        }
        .place(facts);
        let cluster = self.cluster(&after);
        let beside = simulation.pods.len().saturating_sub(pods.len());
        let how_many = self
            .repeated
            .map(|repeated| repeated.answer(facts, &simulation, nodes));
        let settled = named.as_ref().unwrap_or(&self.asked.kept);
        if !settled.is_empty() {
            // A pod that does not wait is asked about by its name only, or as one of the text.
            let told = order::set(pods.iter().filter_map(|pod| pod.pod.clone()));
            let first = self.cluster(facts);
            for pod in facts
                .pods
                .iter()
                .filter(|pod| settled.contains(&pod.metadata.full_name()))
            {
                if !told.contains(&pod.metadata.full_name()) {
                    let mut account =
                        self.explain(&first, &PodCase::new(&first, self.rules(), self.gates, pod));
                    account.turn = Some(Box::new(in_turn::settled(pod)));
                    pods.push(account);
                }
            }
        }
        if named.is_none() {
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
fn allocator_features(options: &AllocateOptions<'_>, target: Target) -> Result<Features, Message> {
    let Some(names) = options.features else {
        return Ok(features_of(target.release.minor, |name| target.on(name)));
    };
    names
        .iter()
        .map(|name| {
            Feature::parse(name).ok_or_else(|| {
                message!(
                    "schedule.unknown-feature",
                    "`features`: there is no feature `{name}`",
                    name
                )
            })
        })
        .collect()
}

/// Returns the requested nodes and those that the question adds, by their index in the facts.
fn asked_nodes(
    options: &AllocateOptions<'_>,
    facts: &Facts,
    added: &[usize],
) -> Result<Vec<usize>, Error> {
    let Some(names) = options.node_names else {
        return Ok((0..facts.nodes.len()).collect());
    };
    let mut nodes = Vec::with_capacity(names.len());
    for name in names {
        let mut all = facts.nodes.iter();
        let Some(node) = all.position(|node| node.metadata.name == *name) else {
            let problem = message!(
                "schedule.unknown-node",
                "`nodeNames`: there is no Node `{name}`",
                name
            );
            return Err(Error::new(ErrorKind::NotFound, problem));
        };
        nodes.push(node);
    }
    for node in added {
        if !nodes.contains(node) {
            nodes.push(*node);
        }
    }
    Ok(nodes)
}

/// The objects that the question is about.
struct Asked<'a> {
    /// With a cluster: the pods and claims of the text; `None`: the text has none.
    of_text: Option<BTreeSet<String>>,
    /// Claims whose devices the question frees. They are not pending themselves.
    freed: BTreeSet<&'a str>,
    /// The copies of a pod that is repeated.
    copies: Option<&'a BTreeSet<String>>,
    /// The pods of the text, and of what makes pods in it, that the cluster has already.
    kept: BTreeSet<String>,
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
            let mut pods = facts.pods.iter();
            let Some(pod) = pods.find(|pod| pod.metadata.full_name() == wanted) else {
                return Err(no_pod(&wanted));
            };
            return Ok(vec![PodCase::new(cluster, rules, gates, pod)]);
        }
        if let Some(names) = self.options.claims {
            let mut claims: Vec<&Claim> = Vec::with_capacity(names.len());
            for name in names {
                let wanted = self.options.full(name);
                let mut all = facts.claims.iter();
                let Some(claim) = all.find(|claim| claim.metadata.full_name() == wanted) else {
                    return Err(message!(
                        "schedule.unknown-claim",
                        "`claims`: there is no ResourceClaim `{name}`",
                        name = wanted
                    ));
                };
                claims.push(claim);
            }
            return Ok(vec![PodCase::of_claims(cluster, rules, gates, &claims)]);
        }
        // A pod with a node is scheduled already, and one without claims asks for nothing.
        let waiting = facts
            .pods
            .iter()
            .filter(|pod| pod.spec.node_name.is_empty() && self.has(&pod.metadata.full_name()));
        let mut cases: Vec<PodCase<'f>> = waiting
            .map(|pod| PodCase::new(cluster, rules, gates, pod))
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
            .filter(|workload| workload.metadata.is_new());
        let mut names: Vec<String> = pods
            .map(|pod| pod.metadata.full_name())
            .chain(new.map(|workload| workload.metadata.full_name()))
            .collect();
        names.retain(|name| self.has(name));
        match names.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(message!(
                "schedule.nothing-to-repeat",
                "the text has no pod to repeat; name one with `pod`"
            )),
            names => Err(message!(
                "schedule.several-to-repeat",
                "one pod is repeated, and the text has {names}; name one with `pod`",
                names = words::some(names, words::MOST_NAMES)
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
        let pods = facts.pods.iter().filter(|pod| {
            pod.metadata.full_name() == wanted || owners(pod).any(|owner| owner == wanted)
        });
        let names = order::set(pods.map(|pod| pod.metadata.full_name()));
        if names.is_empty() {
            Err(no_pod(&wanted))
        } else {
            Ok(Some(names))
        }
    }

    /// Returns the claims that no pod uses, each by itself.
    fn claims<'f>(
        &self,
        cluster: &Cluster<'f>,
        rules: &'static PluginRules,
        gates: PluginGates,
    ) -> Vec<PodCase<'f>> {
        let facts = cluster.facts;
        let used = order::set(facts.pods.iter().flat_map(|pod| used_by(pod)));
        let mut alone: Vec<&Claim> = facts.claims.iter().map(|claim| &**claim).collect();
        alone.retain(|claim| {
            let name = claim.metadata.full_name();
            let waits = claim.status.allocation.is_none() && !self.freed.contains(name.as_str());
            waits && !used.contains(&name) && self.has(&name)
        });
        // A pod may use some of them: which, nothing says.
        alone
            .into_iter()
            .map(|claim| PodCase::of_claims(cluster, rules, gates, &[claim]))
            .collect()
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

/// Makes a finding of the allocator with its position in the text. `new`: slices of nodes that do not exist yet. `cluster`: objects
/// outside the text belong to the cluster.
fn place(
    input: &Input<'_>,
    found: &Remark,
    new: &[(String, Option<String>)],
    cluster: bool,
) -> LocatedFinding {
    let subject = found.subject.as_ref();
    let subject = subject.filter(|subject| subject.kind == "ResourceSlice");
    let of_new = subject.and_then(|subject| new.iter().find(|(name, _)| *name == subject.name));
    if let Some((_, file)) = of_new {
        let finding = found.finding.clone().about(TextField::NewNodes);
        let mut told = located::finding(&input.file.source, finding);
        told.file.clone_from(file);
        return told;
    }
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
fn new_node(
    text: &str,
    options: &AllocateOptions<'_>,
    target: Target,
) -> Result<ReadNode, Message> {
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
    if let Some(item) = input.items.iter().find(|item| !is_known(item)) {
        return Err(message!(
            "change.new-nodes-other-kind",
            "{kind} {name} is not part of a node: give it with the other objects",
            kind = item.kind,
            name = item.name
        ));
    }
    let error = findings.iter().find(|one| one.severity == Severity::Error);
    if let Some(finding) = error {
        return Err(message!(
            "change.new-nodes-unread",
            "{problem}",
            problem = finding.message
        ));
    }
    let mut read = ReadNode {
        facts,
        ..ReadNode::default()
    };
    if !input
        .items
        .iter()
        .any(|item| Describer::of(&item.api_version, &item.kind).is_some())
    {
        return Ok(read);
    }
    // Those that only slices name.
    read.facts.nodes.retain(|node| !node.assumed);
    let objects: Vec<Value> = (0..input.items.len())
        .filter_map(|at| input.deserialize(at).ok())
        .collect();
    for (item, object) in input.items.iter().zip(&objects) {
        if let Some(describer) = Describer::of(&item.api_version, &item.kind) {
            let described = node_templates::describe(describer, object, &objects)?;
            add_described(described, &mut read)?;
        }
    }
    Ok(read)
}

fn is_known(item: &Item) -> bool {
    matches!(item.kind.as_str(), "Node" | "ResourceSlice")
        || Describer::of(&item.api_version, &item.kind).is_some()
        || node_templates::is_beside(&item.api_version, &item.kind)
}

/// Adds the node that an object describes, and the devices that an autoscaler makes up for it, unless slices of their driver are given.
fn add_described(mut described: DescribedNode, read: &mut ReadNode) -> Result<(), Message> {
    let named = read
        .facts
        .slices
        .iter()
        .filter_map(|slice| slice.spec.node_name.clone());
    if let Some(name) = named.filter(|name| !name.is_empty()).min() {
        // Its devices are given for a node of this name.
        described.name = name;
    }
    let node = described.node();
    let DescribedNode {
        name,
        slices,
        lines,
        findings,
        is_open,
        ..
    } = described;
    read.facts
        .take("Node", Datum::Json(&node), None)
        .map_err(|error| {
            message!(
                "change.new-node-unusable",
                "Node `{name}` cannot be used: {error}",
                name,
                error
            )
        })?;
    let made_up: Vec<&Value> = slices
        .iter()
        .filter(|slice| !is_given(&read.facts, slice))
        .collect();
    if made_up.len() == slices.len() {
        read.lines.extend(lines);
    }
    for slice in made_up {
        read.facts.take("ResourceSlice", Datum::Json(slice), None)?;
    }
    read.findings.extend(findings);
    read.is_open |= is_open;
    Ok(())
}

fn is_given(facts: &Facts, made_up: &Value) -> bool {
    let driver = made_up.pointer("/spec/driver").and_then(Value::as_str);
    let mut given = facts.slices.iter();
    given.any(|slice| driver == Some(&slice.spec.driver))
}
