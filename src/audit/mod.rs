//! What is wrong in a cluster as it is, and how much of its devices is in use: claims and their allocations compared with what
//! slices publish, and with the pods and nodes that are there.
//!
//! No component of Kubernetes reports these problems: each object is valid on its own. The time grows with the size of the text;
//! trials of class selectors are bounded by [`MOST_TRIALS`].

mod absent;
mod admin_access;
mod by_name;
mod claims;
mod classes;
mod deletions;
mod demand;
mod empty_cluster;
mod finder;
mod first_names;
mod health;
mod nodes;
mod of_pod;
mod overlaps;
mod pod_sizes;
mod pods;
mod quotas;
mod reach;
mod requests;
mod rules;
mod slices;
mod usage;
mod waiting;

pub use usage::{AmountUse, ClaimCount, DeviceUse, Usage, UsageRow};

use crate::apiserver::FieldValidation;
use crate::apiserver::facts::{Gathering, PodsOfWorkloads};
use crate::apiserver::slices as placing;
use crate::manifest::cluster_release::release_of_cluster;
use crate::manifest::index::{Index, superseded};
use crate::manifest::snapshot_notes::SnapshotNotes;
use crate::manifest::{Input, Item};
use claimkit_model::error::Error;
use claimkit_model::finding::{Code, Finding, Findings, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Release;
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_model::text::{Source, SourceText};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt, SliceAt};
use claimkit_scheduler::allocator::demand::Level;
use claimkit_scheduler::allocator::doctor;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::{Device, Facts, Slice};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::environments;
use claimkit_scheduler::explain::remark::Remark;
use claimkit_scheduler::scheduler::ReleaseRules;
use claimkit_scheduler::target::Target;
use classes::Selected;
use finder::Finder;
use rules::RuleSelectors;
use std::collections::BTreeMap;

#[doc(hidden)]
pub use deletions::JOB_TRACKING;
#[doc(hidden)]
pub use of_pod::{PodFaults, faults_of_pods};

/// The attribute by which Kubernetes names the PCI address of a device (k8s.io/dynamic-resource-allocation, `deviceattribute`).
const BUS_ID: &str = "resource.kubernetes.io/pciBusID";

/// Maximum number of evaluations of class selectors on devices. Classes beyond it are not tried, and a finding names them.
pub const MOST_TRIALS: usize = 1_000_000;

/// The options of [`audit`]. The default follows the last release.
///
/// ```
/// use claimkit::{AuditOptions, Limits, Release};
///
/// let options = AuditOptions::default().release(Release::new(34, 1)).gate("DRAAdminAccess", false);
/// let options = options.namespace("team").limits(Limits::default());
/// assert!(claimkit::audit("", &options).is_ok());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct AuditOptions<'a> {
    /// The release of the cluster; `None`: that of the nodes' kubelets, or the last one.
    pub release: Option<Release>,
    /// Feature gates that override the defaults of the release.
    pub gates: BTreeMap<String, bool>,
    /// The namespace of objects that name none; `None`: `default`.
    pub namespace: Option<&'a str>,
    /// The limits on the size of the text.
    pub limits: Limits,
}

impl<'a> AuditOptions<'a> {
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

    /// Sets the limits on the size of the text.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// The problems and the usage of a cluster.
#[derive(Debug)]
#[non_exhaustive]
pub struct Audit<'t> {
    /// The text, which turns byte offsets into lines.
    pub source: Source<'t>,
    /// The objects of the text.
    pub items: Vec<Item>,
    /// The release that answers.
    pub release: Release,
    /// The gates that the release knows.
    pub gates: BTreeMap<&'static str, bool>,
    /// All findings, in the order: text, absent objects, claims, slices, classes.
    pub findings: Vec<LocatedFinding>,
    /// The devices and resources in use.
    pub usage: Usage,
    /// True if a slice or a claim was read, and no finding is an error.
    pub ok: bool,
}

/// Audits a cluster: the objects as `kubectl get -o yaml` prints them, in one text.
///
/// # Errors
/// A release without devices, or a gate that cannot be set.
///
/// ```
/// let cluster = "
/// apiVersion: resource.k8s.io/v1
/// kind: ResourceClaim
/// metadata: {name: a, namespace: team}
/// spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}
/// status: {allocation: {devices: {results: [{request: r, driver: gpu.example.com, pool: p, device: gpu-7}]}}}
/// ---
/// apiVersion: resource.k8s.io/v1
/// kind: ResourceSlice
/// metadata: {name: p}
/// spec:
///   driver: gpu.example.com
///   nodeName: node-1
///   pool: {name: p, generation: 1, resourceSliceCount: 1}
///   devices: [{name: gpu-0}]
/// ";
/// let audit = claimkit::audit(cluster, &claimkit::AuditOptions::default()).unwrap();
/// let found = audit.findings.iter().find(|finding| finding.code == claimkit::Code::DeviceUnpublished).unwrap();
/// assert_eq!(found.message, "claim team/a holds device gpu.example.com/p/gpu-7, which no slice publishes");
/// assert_eq!(audit.usage.pools[0].devices.free, Some(1));
/// ```
pub fn audit<'t>(
    text: impl Into<SourceText<'t>>,
    options: &AuditOptions<'_>,
) -> Result<Audit<'t>, Error> {
    let ReadObjects {
        input,
        index,
        target,
        mut facts,
        findings: in_text,
        superseded,
        repeated,
    } = read_objects(text.into(), options)?;
    let on = |name: &str| target.on(name);
    let features = features_of(target.release.minor, on);
    let behaviour = behaviour::allocator_for(target.release, &features)?;
    let engine = CelSelectors::new(target.release, on("DRAListTypeAttributes"));
    let rules = PluginRules::of(target.release.minor, target.release.patch);
    // Slices are judged as they were published: taint rules add taints to their devices.
    let faults = doctor::findings(&Cluster::new(&facts, behaviour, &features, &engine), rules);
    let rules_off = rules.apply_taint_rules(&mut facts, on, &engine);
    let cluster = Cluster::new(&facts, behaviour, &features, &engine);
    let selectors = RuleSelectors {
        engine: &engine,
        select_by_default: rules.rules_select_by_default,
        evict_by_name: rules.rules_evict_by_name && rules_off.is_none(),
    };

    let mut finder = Finder::new(&input, &index);
    for at in superseded {
        finder.older_state(at);
    }
    for Repeated { first, at } in repeated {
        finder.repeated(first, at);
    }
    absent::report_absent_kinds(&facts, &input.items, &mut finder);
    let selected = run_checks(&cluster, selectors, rules, target, &mut finder);
    let usage = usage::of(&cluster, &selected);
    absent::report_absent_slices(&facts, &usage, &mut finder);

    let findings = kept_findings(
        &input,
        in_text,
        finder.list(),
        &faults,
        options.limits.findings,
    );
    let is_read = !facts.slices.is_empty() || !facts.claims.is_empty();
    let mut severities = findings.iter().map(|finding| finding.severity);
    let ok = is_read && severities.all(|severity| severity != Severity::Error);
    let Input { file, items } = input;
    Ok(Audit {
        source: file.source,
        items,
        release: target.release,
        gates: target.known_gates(),
        findings,
        usage,
        ok,
    })
}

/// The objects of a text as an audit reads them.
struct ReadObjects<'t, 'o> {
    input: Input<'t>,
    index: Index<'o>,
    target: Target,
    facts: Facts,
    /// The findings about the text itself.
    findings: Vec<Finding>,
    /// Objects of which the text has a newer state.
    superseded: Vec<usize>,
    repeated: Vec<Repeated>,
}

/// An object that is in the text a second time.
struct Repeated {
    /// The place of the one that counts.
    first: usize,
    at: usize,
}

/// Reads the objects of a text, of several states of one object the newest, and decides which release and gates answer.
fn read_objects<'t, 'o>(
    text: SourceText<'t>,
    options: &'o AuditOptions<'_>,
) -> Result<ReadObjects<'t, 'o>, Error> {
    let release = options
        .release
        .or_else(|| release_of_cluster(text, &options.limits).map(|found| found.release));
    let notes = SnapshotNotes::of_text(text.text()).unwrap_or_default();
    let gates = notes.gates_for(options.release, &options.gates);
    let mut target = Target::new(release, &gates)?;
    let mut input = Input::read(text, Some(target.release), &options.limits);
    input.take_copies(Some(target.release));
    let namespace = options.namespace.unwrap_or("default");
    // A cluster may serve fields that this release does not know yet: they are not errors of its objects.
    let mut gathering = Gathering::new(target.release, namespace, FieldValidation::Warn);
    gathering.pods_of_workloads = PodsOfWorkloads::Later;
    gathering.findings = std::mem::take(&mut input.file.findings);
    gathering.findings.extend(input.leave_out_other_clusters());
    let mut index = Index::new(namespace);
    let mut repeated = Vec::new();
    let superseded = superseded(&input);
    for (at, item) in input.items.iter().enumerate() {
        if superseded.contains_key(&at) {
            continue;
        }
        match index.add(item, at) {
            None => gathering.take(&input, item, at),
            Some(first) => repeated.push(Repeated { first, at }),
        }
    }
    gathering.note_unusable(&input);
    target.prove(&gathering.proven_gates(), &gates);
    let Gathering {
        mut facts,
        mut findings,
        ..
    } = gathering;
    facts.whole.extend(notes.whole);
    findings.retain(|finding| finding.code != Code::OtherGroup);
    Ok(ReadObjects {
        input,
        index,
        target,
        facts,
        findings,
        superseded: superseded.into_keys().collect(),
        repeated,
    })
}

/// Looks for everything that is wrong among the objects, in the order in which it is reported. Returns what classes select.
fn run_checks(
    cluster: &Cluster<'_>,
    selectors: RuleSelectors<'_>,
    rules: &PluginRules,
    target: Target,
    finder: &mut Finder<'_, '_>,
) -> Selected {
    let facts = cluster.facts;
    let environment = environments::scheduler(target.release, target.on("DRAListTypeAttributes"));
    let pod_level_resources = ReleaseRules::of(target.release).pod_level_resources;
    claims::check(cluster, finder);
    pods::check(cluster, selectors, finder);
    admin_access::check(facts, rules.admin_label, finder);
    health::check(cluster, finder);
    slices::check(cluster, finder);
    let selected = classes::check(cluster, &environment, finder);
    classes::share_names(facts, rules, finder);
    overlaps::check(cluster, &selected, finder);
    demand::check(cluster, selectors, finder);
    requests::check(cluster, finder);
    waiting::check(cluster, finder);
    pod_sizes::check(facts, Level::of(pod_level_resources), finder);
    quotas::check(facts, finder);
    nodes::check(cluster, finder);
    deletions::check(facts, finder);
    selected
}

/// Returns the findings that an audit shows, at most `most` and one that counts the others: those about the text, those about objects,
/// and the faults of slices.
fn kept_findings(
    input: &Input<'_>,
    in_text: Vec<Finding>,
    about_objects: Vec<Finding>,
    faults: &[Remark],
    most: usize,
) -> Vec<LocatedFinding> {
    let mut kept = Findings::new(most);
    for finding in about_objects {
        kept.push(finding);
    }
    for fault in faults {
        // Advice for authors of selectors says nothing about the state of the cluster.
        if fault.finding.code != Code::AttributeOnSome {
            let items = input.items.iter().enumerate();
            let objects = items.filter_map(|(at, item)| Some((at, item, input.tree(item)?)));
            kept.push(placing::placed(objects, fault));
        }
    }
    let findings = kept.behind(in_text).into_iter();
    findings
        .map(|finding| located::finding(&input.file.source, finding))
        .collect()
}

/// Returns true if a pool has fewer slices of its newest generation than they announce.
fn lacks_slices(cluster: &Cluster<'_>, slices: &[SliceAt]) -> bool {
    let newest: Vec<&Slice> = newest_slices(cluster, slices)
        .filter_map(|at| cluster.slice(at))
        .collect();
    let announced = newest
        .iter()
        .map(|slice| slice.spec.pool.resource_slice_count);
    let have = i64::try_from(newest.len()).unwrap_or(i64::MAX);
    announced.max().is_some_and(|announced| have < announced)
}

/// Returns the slices of a pool that are of its newest generation.
fn newest_slices<'s>(
    cluster: &'s Cluster<'_>,
    slices: &'s [SliceAt],
) -> impl Iterator<Item = SliceAt> + 's {
    let newest = slices
        .iter()
        .filter_map(|at| generation_of(cluster, at))
        .max();
    let slices = slices.iter().copied();
    slices.filter(move |at| generation_of(cluster, at) == newest)
}

fn generation_of(cluster: &Cluster<'_>, at: &SliceAt) -> Option<i64> {
    cluster.slice(*at).map(|slice| slice.spec.pool.generation)
}

/// Returns the name of the node that a device, or its slice, is of.
fn node_of<'f>(slice: &'f Slice, device: &'f Device) -> Option<&'f str> {
    let names = [&slice.spec.node_name, &device.node_name];
    let mut names = names.into_iter().flatten();
    names.find(|name| !name.is_empty()).map(String::as_str)
}

/// Returns the devices of the newest generation of each pool; of several with one name the first.
fn current(cluster: &Cluster<'_>) -> Vec<DeviceAt> {
    let mut seen = vec![false; cluster.identities()];
    let mut devices = Vec::new();
    for (_, _, slices) in cluster.all_pools() {
        let newest = newest_slices(cluster, slices);
        for (at, _) in newest.flat_map(|at| cluster.devices_of(at)) {
            if let Some(seen) = seen.get_mut(cluster.identity(at).index())
                && !std::mem::replace(seen, true)
            {
                devices.push(at);
            }
        }
    }
    devices
}
