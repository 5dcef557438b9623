//! Which devices the pods and claims of a text get on each node, and why none.

use super::accounts::Accounts;
use super::asked::Asked;
use super::findings::{keep_one_of_copies, located_findings, nothing_to_place};
use super::gathered::{Gathered, gather};
use super::how_many::{self, HowMany};
use super::limits::{GateOff, find_pods_left_out, limits_of_answer};
use super::new_nodes::read_new_node;
use super::not_followed;
use super::places::ClaimPlaces;
use super::question::{AllocateOptions, PlacementMode};
use crate::manifest::cluster_release::release_of_cluster;
use crate::manifest::snapshot_notes::SnapshotNotes;
use crate::manifest::{Input, Item};
use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::finding::Severity;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::{Gate, Release, other_gates};
use claimkit_model::text::located::LocatedFinding;
use claimkit_model::text::{Source, SourceText};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::created;
use claimkit_scheduler::allocator::doctor;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::{Feature, Features, features_of};
use claimkit_scheduler::allocator::objects::Facts;
use claimkit_scheduler::allocator::plugin::PluginGates;
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::quotas;
use claimkit_scheduler::allocator::what_if::{Changed, WhatIf, WhatIfForm};
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::remark::Remark;
use claimkit_scheduler::scheduler::outcome::TieSearch;
use claimkit_scheduler::scheduler::{MOST_PODS, Scheduler, expand};
use claimkit_scheduler::target::Target;
use claimkit_values::order;
use claimkit_values::time::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

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
    let (mut gathered, proven) = gather_and_prove(source, options, &mut target);
    let what_if = what_if_of(options);
    let changed = apply_changes(&what_if, &mut gathered.facts, options, target)?;

    let features = allocator_features(options, target).map_err(Error::of(ErrorKind::Gate))?;
    let engine = engine_of(options, target, &features);
    let scheduler = Scheduler {
        target,
        now,
        budget: options.explain.budget,
        behaviour: behaviour::allocator_for(target.release, &features)?,
        features: &features,
        engine: &engine,
    };
    let mode = mode_of(options);
    let asked = Asked {
        of_text: gathered.asked.take(),
        freed: order::set(what_if.free.iter().cloned()),
        options,
    };
    let repeated = repeat(&asked, &changed, &mut gathered.facts, &scheduler, mode)?;
    let makes_claims = what_if.makes_claims || repeated.is_some();
    let mut made = make_objects(&mut gathered, &scheduler, mode, makes_claims);

    let mut assumed: Vec<Message> = followed.into_iter().chain(proven).collect();
    assumed.append(&mut gathered.assumed);
    assumed.extend(other_gates::notes(options.gates.keys().map(String::as_str)));
    assumed.extend(changed.lines.iter().cloned());
    assumed.append(&mut made.assumed);

    let slices = judge_slices(&mut gathered.facts, &scheduler, &given_gates);
    let nodes = asked_nodes(options, &gathered.facts, &changed.nodes)?;
    let accounts = Accounts {
        asked,
        kept: order::set(gathered.kept.iter().cloned()),
        repeated: repeated.as_ref(),
        scheduler,
        gates: PluginGates::of(|name| target.on(name)).at(now),
        nodes: &nodes,
    };
    let mut answered = accounts
        .answer(mode, &gathered.facts)
        .map_err(Error::of(ErrorKind::NotFound))?;
    gathered
        .not_given
        .mark(&mut answered.pods, &gathered.facts, rules_of(target));
    not_followed::mark(&mut answered.pods, &gathered.facts, target);

    let has_answer = !answered.pods.is_empty() && !nodes.is_empty();
    if has_answer {
        gathered.findings.extend(limits_of_answer(
            &gathered.facts,
            target,
            mode,
            answered.has_pending,
            slices.gate_of_rules,
        ));
    } else {
        let finding = nothing_to_place(&answered.pods, gathered.left_out);
        gathered.findings.push(finding);
    }
    let pods = &answered.pods;
    let mut findings = located_findings(&mut gathered, &slices.faults, pods, &changed, options);
    if repeated.is_some() {
        keep_one_of_copies(&mut findings);
    }
    let mut severities = findings.iter().map(|finding| finding.severity);
    let is_refused = severities.any(|severity| severity == Severity::Error);
    if !options.without_places {
        fill_places(&mut answered.pods, &gathered, options);
    }
    let Input { file, items } = gathered.input;
    Ok(Allocation {
        source: file.source,
        items,
        release: target.release,
        allocator: scheduler.behaviour.allocator,
        mode,
        beside: answered.beside,
        how_many: answered.how_many,
        ties: answered.ties,
        gates: target.known_gates(),
        claims_assumed: made.claims_assumed,
        assumed,
        findings,
        pods: answered.pods,
        ok: !is_refused && has_answer,
    })
}

/// Returns the engine of selectors: that of the prepared cluster, which keeps what it compiled, or a new one.
fn engine_of(
    options: &AllocateOptions<'_>,
    target: Target,
    features: &Features,
) -> Rc<CelSelectors> {
    let with_lists = reads_lists(options, target, features);
    match options.cluster {
        Some(cluster) => cluster.engine.of(target.release, with_lists),
        None => Rc::new(CelSelectors::new(target.release, with_lists)),
    }
}

/// Pods wait in turn, unless each is asked about alone, or a claim is.
fn mode_of(options: &AllocateOptions<'_>) -> PlacementMode {
    if options.alone || options.claims.is_some() {
        PlacementMode::Alone
    } else {
        PlacementMode::InTurn
    }
}

fn rules_of(target: Target) -> &'static PluginRules {
    PluginRules::of(target.release.minor, target.release.patch)
}

/// What is said about slices before pods are placed.
struct JudgedSlices {
    faults: Vec<Remark>,
    gate_of_rules: Option<GateOff>,
}

/// Looks for faults of the slices as they were published; then DeviceTaintRules add taints to their devices.
fn judge_slices(
    facts: &mut Facts,
    scheduler: &Scheduler<'_>,
    given_gates: &GivenGates,
) -> JudgedSlices {
    let Scheduler {
        behaviour,
        features,
        engine,
        ..
    } = scheduler;
    let rules = rules_of(scheduler.target);
    let faults = doctor::findings(&Cluster::new(facts, behaviour, features, engine), rules);
    JudgedSlices {
        faults,
        gate_of_rules: apply_taint_rules(facts, rules, scheduler, given_gates),
    }
}

/// Says where in the text the claims of the answer and their requests are.
fn fill_places(pods: &mut [PodAccount], gathered: &Gathered<'_>, options: &AllocateOptions<'_>) {
    let namespace_of = |written: &str| options.namespace_of(written).to_owned();
    ClaimPlaces::of(&gathered.input, &gathered.facts, &namespace_of).fill(pods);
}

/// Reads the objects, and turns on the gates that stored ones prove. The line of English names those gates.
fn gather_and_prove<'t>(
    source: SourceText<'t>,
    options: &AllocateOptions<'_>,
    target: &mut Target,
) -> (Gathered<'t>, Option<Message>) {
    let gathered = gather(source, options, *target);
    let proven = target.prove(&gathered.proofs, &options.gates);
    match proven {
        // New objects are judged by the gates, too.
        Some(line) => (gather(source, options, *target), Some(line)),
        None => (gathered, None),
    }
}

/// Changes the objects as the question assumes.
fn apply_changes(
    what_if: &WhatIf,
    facts: &mut Facts,
    options: &AllocateOptions<'_>,
    target: Target,
) -> Result<Changed, Error> {
    let read_node = |text: &str| read_new_node(text, options, target);
    what_if.apply(facts, &read_node).map_err(|error| {
        let problem = match what_if.form {
            WhatIfForm::Request => {
                message!("schedule.what-if-wrong", "`whatIf`: {error}", error)
            }
            WhatIfForm::CommandLine => error,
        };
        Error::new(ErrorKind::WhatIf, problem)
    })
}

/// Adds the taints of DeviceTaintRules to devices. Returns the gate without which they have none, if it is off and there are rules.
fn apply_taint_rules(
    facts: &mut Facts,
    rules: &PluginRules,
    scheduler: &Scheduler<'_>,
    given_gates: &GivenGates,
) -> Option<GateOff> {
    let target = scheduler.target;
    let gate = rules.apply_taint_rules(facts, |name| target.on(name), scheduler.engine)?;
    let is_known = given_gates.say(gate, target.release);
    (!facts.rules.is_empty()).then_some(GateOff { gate, is_known })
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

/// What was made before pods are placed.
struct MadeObjects {
    /// A line of English for each assumption.
    assumed: Vec<Message>,
    /// How many of the lines, the last ones, are about claims.
    claims_assumed: usize,
}

/// Makes the pods of workloads and the claims of new pods. `makes_claims`: also those that no controller has made for stored pods.
fn make_objects(
    gathered: &mut Gathered<'_>,
    scheduler: &Scheduler<'_>,
    mode: PlacementMode,
    makes_claims: bool,
) -> MadeObjects {
    let mut assumed = Vec::new();
    let facts = &mut gathered.facts;
    let of_claims = match mode {
        PlacementMode::Alone => {
            expand::one_each(facts);
            let rules = rules_of(scheduler.target);
            created::create_claims(facts, rules.admin_label)
        }
        PlacementMode::InTurn => {
            let expanded = expand::expand(facts, MOST_PODS);
            let left_out = expanded.iter().filter_map(find_pods_left_out);
            gathered.findings.extend(left_out);
            for one in &expanded {
                gathered.kept.extend(one.there.iter().cloned());
                assumed.extend(one.told());
                assumed.extend(beyond_quota(one, facts));
            }
            scheduler.store(facts)
        }
    };
    if makes_claims {
        assumed.extend(scheduler.make_unmade_claims(facts));
    }
    let claims_assumed = of_claims.len();
    assumed.extend(of_claims);
    MadeObjects {
        assumed,
        claims_assumed,
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
