//! What is wrong in a cluster as it is, and how much of its devices is in use: claims and their allocations compared with what
//! slices publish, and with the pods and nodes that are there.
//!
//! No component of Kubernetes reports these problems: each object is valid on its own. The time grows with the size of the text;
//! trials of class selectors are bounded by [`MOST_TRIALS`].

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
use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::finding::{Code, Findings, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, Words, message, template};
use claimkit_model::schema::Release;
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_model::text::{Source, SourceText};
use claimkit_scheduler::allocator::behaviour;
use claimkit_scheduler::allocator::cluster::{Cluster, DeviceAt, SliceAt};
use claimkit_scheduler::allocator::demand::Level;
use claimkit_scheduler::allocator::doctor;
use claimkit_scheduler::allocator::engine::CelSelectors;
use claimkit_scheduler::allocator::features::features_of;
use claimkit_scheduler::allocator::objects::{Device, Facts, Pod, Slice};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::environments;
use claimkit_scheduler::scheduler::ReleaseRules;
use claimkit_scheduler::target::Target;
use claimkit_values::order;
use finder::{About, Finder};
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
    let text = text.into();
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
            Some(first) => repeated.push((first, at)),
        }
    }
    gathering.note_unusable(&input);
    target.prove(&gathering.proven_gates(), &gates);
    let on = |name: &str| target.on(name);
    let Gathering {
        mut facts,
        findings: mut in_text,
        ..
    } = gathering;
    facts.whole.extend(notes.whole);
    in_text.retain(|finding| finding.code != Code::OtherGroup);
    let mut finder = Finder::new(&input, &index);
    superseded.keys().for_each(|at| finder.older_state(*at));
    repeated
        .into_iter()
        .for_each(|(first, at)| finder.repeated(first, at));
    absent(&facts, &input.items, &mut finder);
    let features = features_of(target.release.minor, on);
    let behaviour = behaviour::allocator(target.release.minor, target.release.patch, &features)
        .ok_or_else(|| {
            Error::new(
                ErrorKind::Gate,
                Words::upstream(behaviour::no_allocator(&features)),
            )
        })?;
    let engine = CelSelectors::new(target.release, on("DRAListTypeAttributes"));
    let rules = PluginRules::of(target.release.minor, target.release.patch);
    let faults = doctor::findings(&Cluster::new(&facts, behaviour, &features, &engine), rules);
    let rules_off = rules.apply_taint_rules(&mut facts, on, &engine);
    let cluster = Cluster::new(&facts, behaviour, &features, &engine);
    let selectors = RuleSelectors {
        engine: &engine,
        select_by_default: rules.rules_select_by_default,
        evict_by_name: rules.rules_evict_by_name && rules_off.is_none(),
    };
    claims::check(&cluster, &mut finder);
    pods::check(&cluster, selectors, &mut finder);
    admin_access::check(&facts, rules.admin_label, &mut finder);
    health::check(&cluster, &mut finder);
    slices::check(&cluster, &mut finder);
    let environment = environments::scheduler(target.release, on("DRAListTypeAttributes"));
    let selected = classes::check(&cluster, &environment, &mut finder);
    classes::share_names(&facts, rules, &mut finder);
    overlaps::check(&cluster, &selected, &mut finder);
    demand::check(&cluster, selectors, &mut finder);
    requests::check(&cluster, &mut finder);
    waiting::check(&cluster, &mut finder);
    let pod_level_resources = ReleaseRules::of(target.release).pod_level_resources;
    pod_sizes::check(&facts, Level::of(pod_level_resources), &mut finder);
    quotas::check(&facts, &mut finder);
    nodes::check(&cluster, &mut finder);
    deletions::check(&facts, &mut finder);
    let usage = usage::of(&cluster, &selected);
    no_slices(&facts, &usage, &mut finder);
    let mut kept = Findings::new(options.limits.findings);
    finder
        .list()
        .into_iter()
        .for_each(|finding| kept.push(finding));
    let objects = || {
        input
            .items
            .iter()
            .enumerate()
            .filter_map(|(at, item)| Some((at, item, input.tree(item)?)))
    };
    // Advice for authors of selectors says nothing about the state of the cluster.
    let faults = faults
        .iter()
        .filter(|found| found.finding.code != Code::AttributeOnSome);
    faults.for_each(|found| kept.push(placing::placed(objects(), found)));
    let findings = kept.behind(in_text);
    let is_read = !facts.slices.is_empty() || !facts.claims.is_empty();
    let ok = is_read
        && findings
            .iter()
            .all(|finding| finding.severity != Severity::Error);
    let findings = findings
        .into_iter()
        .map(|one| located::finding(&input.file.source, one))
        .collect();
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

/// Reports once for each kind that nothing of it is given, with the command that prints it. Of a kind that is given and cannot be
/// read the errors say so.
fn absent(facts: &Facts, items: &[Item], finder: &mut Finder<'_, '_>) {
    let is_in_text = |kind: &str| items.iter().any(|item| item.kind == kind);
    let is_given = |kind: &str| facts.is_whole(kind) || is_in_text(kind);
    let holds = facts
        .claims
        .iter()
        .any(|claim| claim.status.allocation.is_some());
    let absent = [
        (
            facts.slices.is_empty() && !is_given("ResourceSlice"),
            template!(
                "audit.no-slices",
                "no ResourceSlice is given: devices in use are not compared with those published"
            ),
            "resourceslices",
        ),
        (
            facts.claims.is_empty() && !is_given("ResourceClaim"),
            template!(
                "audit.no-claims",
                "no ResourceClaim is given: every device counts as free"
            ),
            "resourceclaims -A",
        ),
        (
            facts.pods.is_empty() && holds && !facts.is_whole("Pod"),
            template!(
                "audit.no-pods",
                "no Pod is given: it is not checked whether the pods of `reservedFor` exist"
            ),
            "pods -A",
        ),
        (
            facts.nodes.is_empty() && !facts.slices.is_empty() && !facts.is_whole("Node"),
            template!(
                "audit.no-nodes",
                "no Node is given: it is not checked whether the nodes of slices exist"
            ),
            "nodes",
        ),
        (
            facts.classes.is_empty() && !is_given("DeviceClass"),
            template!(
                "audit.no-classes",
                "no DeviceClass is given: it is not checked what classes select"
            ),
            "deviceclasses",
        ),
        (
            facts.pod_groups.is_empty()
                && !is_given("PodGroup")
                && facts.pods.iter().any(|pod| waits_for_group(pod)),
            template!(
                "audit.no-groups",
                "no PodGroup is given: it is not checked whether the groups of pods exist"
            ),
            "podgroups -A",
        ),
    ];
    for (_, message, command) in absent.into_iter().filter(|(is_absent, ..)| *is_absent) {
        let help = add_objects(command);
        finder.tell(
            Code::ObjectsAbsent,
            About::nothing(),
            message.text(),
            Some(help),
        );
    }
    if !facts.pods.is_empty() {
        pods_absent(facts, finder);
    }
    if facts.slices.is_empty() && facts.claims.is_empty() {
        let message = if is_in_text("ResourceSlice") || is_in_text("ResourceClaim") {
            message!(
                "audit.nothing-readable",
                "no ResourceSlice and no ResourceClaim of the text can be read"
            )
        } else {
            message!(
                "audit.nothing-to-audit",
                "the text holds no ResourceSlice and no ResourceClaim"
            )
        };
        finder.tell(Code::NothingChecked, About::nothing(), message, None);
    }
}

/// Returns true for a pod without a node that is in a group.
fn waits_for_group(pod: &Pod) -> bool {
    pod.spec.node_name.is_empty() && !pods::is_done(pod) && pod.group_name().is_some()
}

/// Reports a cluster in which claims hold devices, and which is known to have no slice.
fn no_slices(facts: &Facts, usage: &Usage, finder: &mut Finder<'_, '_>) {
    let in_use = usage.namespaces.iter().map(|one| one.devices.in_use);
    let devices: usize = in_use.sum();
    if devices == 0 || !facts.slices.is_empty() || !facts.is_whole("ResourceSlice") {
        return;
    }
    let message = if devices == 1 {
        message!(
            "audit.no-slices-one",
            "claims hold 1 device, and no driver publishes any: there is no ResourceSlice"
        )
    } else {
        message!(
            "audit.no-slices-in-use",
            "claims hold {devices} devices, and no driver publishes any: there is no ResourceSlice",
            devices
        )
    };
    let help = message!("audit.no-slices-help", "see whether the drivers run");
    finder.tell(
        Code::DeviceUnpublished,
        About::nothing(),
        message,
        Some(help),
    );
}

/// Says how to get the objects that are absent.
fn add_objects(command: &str) -> Message {
    message!(
        "audit.add-objects",
        "add what `kubectl get {command} -o yaml` prints",
        command
    )
}

/// Reports the namespaces in which claims are reserved for pods, and of which no pod is given.
fn pods_absent(facts: &Facts, finder: &mut Finder<'_, '_>) {
    let pods = facts.pods.iter();
    let given = order::set(pods.map(|pod| pod.metadata.namespace.as_str()));
    if given.contains(by_name::SYSTEM) || facts.is_whole("Pod") {
        return;
    }
    let claims = facts.claims.iter().filter(|claim| {
        let mut users = claim.status.reserved_for.iter();
        users.any(|user| user.api_group.is_empty() && user.resource == "pods")
    });
    let reserved = order::set(claims.map(|claim| claim.metadata.namespace.as_str()));
    let names: Vec<String> = reserved
        .difference(&given)
        .map(|name| (*name).to_owned())
        .collect();
    let message = match names.as_slice() {
        [] => return,
        [namespace] => message!(
            "audit.no-pods-in",
            "no Pod of namespace {namespace} is given: it is not checked whether the pods of `reservedFor` exist there",
            namespace,
        ),
        _ => message!(
            "audit.no-pods-in-several",
            "no Pod of the namespaces {namespaces} is given: it is not checked whether the pods of `reservedFor` exist there",
            namespaces = first_names::first_names(names),
        ),
    };
    let help = add_objects("pods -A");
    finder.tell(Code::ObjectsAbsent, About::nothing(), message, Some(help));
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
