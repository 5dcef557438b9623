//! The objects of a cluster: each kind by itself, in pages, of which only the facts of an allocation are kept.

use super::brief::Brief;
use super::cluster::Live;
use super::kinds::{CLAIMS, Group, KINDS, NAMESPACES, NODES, PODS, ReadKind, TEMPLATES, WORKLOADS};
use super::kubectl::{KubectlRefusal, escaped};
use crate::host::Host;
use claimkit::audit::JOB_TRACKING;
use claimkit::report::text::visible;
use claimkit::requests;
use claimkit::{PreparedCluster, SnapshotNotes};
use claimkit_model::limits::Limits;
use claimkit_model::schema::{Release, Scope};
use claimkit_scheduler::allocator::objects::{EVENT_REASONS, PREPARE_REFUSED};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// Objects of one page.
const PAGE: usize = 500;
/// Objects of the smallest page, where larger ones are too large.
const LEAST_PAGE: usize = 20;
/// Maximum number of pages of one kind: more objects than a cluster can have.
const MOST_PAGES: usize = 400;

/// The addresses of the API groups, one for each version.
struct Roots {
    core: [String; 1],
    /// Addresses of the versions that are known here, the newest first.
    resource: Vec<String>,
    /// In the server's order of preference. Not asked for before a pod that needs them was seen.
    scheduling: OnceCell<Vec<String>>,
    storage: [String; 1],
    apps: [String; 1],
    batch: [String; 1],
}

/// A kind, or a part of it, that could not be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unseen {
    /// The kind in the plural, the part of it, or a file.
    pub what: String,
    pub why: String,
    /// The consequence for the answer.
    pub so: &'static str,
    /// The kind in the plural; `None`: a file, of which the kinds are not known.
    #[serde(skip)]
    pub kind: Option<&'static str>,
    /// The objects of the kind that are missing.
    #[serde(skip)]
    pub missing: MissingObjects,
}

/// The objects of a kind that could not be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingObjects {
    All,
    /// One, which cannot be decoded.
    Undecoded,
    /// All, for no file has one: there may be none.
    NotInFiles,
    /// The objects after a page that could not be read.
    Rest,
    /// Objects that the pods asked about cannot use.
    Elsewhere,
}

impl Unseen {
    /// Makes the entry of a file that holds what is not known.
    pub fn file(name: &str, why: &str) -> Self {
        Unseen {
            what: name.to_owned(),
            why: why.to_owned(),
            so: "what it holds may decide",
            kind: None,
            missing: MissingObjects::Rest,
        }
    }

    /// Returns true if it is a file.
    pub fn is_file(&self) -> bool {
        self.kind.is_none()
    }

    /// Returns true if no object of a kind was seen.
    pub fn is_all_of(&self, plural: &str) -> bool {
        let are_all_missing = matches!(
            self.missing,
            MissingObjects::All | MissingObjects::NotInFiles
        );
        self.kind == Some(plural) && are_all_missing
    }

    /// Returns true if objects of a kind are missing that the pods asked about may have.
    pub fn is_about(&self, plural: &str) -> bool {
        self.kind.is_none_or(|kind| kind == plural) && self.missing != MissingObjects::Elsewhere
    }
}

/// One page of a list.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Page {
    metadata: ListMeta,
    items: Option<Vec<Brief>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListMeta {
    #[serde(rename = "continue")]
    next: Option<String>,
}

/// The objects read from a cluster.
pub struct LiveObjects {
    pub cluster: PreparedCluster,
    /// The pods that wait, and the one that is asked about.
    pub pods: Vec<Brief>,
    /// The objects that could not be read.
    pub unseen: Vec<Unseen>,
    /// Whether anything was seen.
    pub some: bool,
    /// Nodes that slices and pods name.
    named: BTreeSet<String>,
    /// Whether a pod is in a group of pods.
    grouped: bool,
}

/// The kinds that only some clusters have objects of.
#[derive(Clone, Copy, Default)]
struct Needs {
    /// A pod is in a group of pods.
    groups: bool,
    /// A pod that waits has volumes.
    volumes: bool,
    /// A pod that is being deleted is kept for its Job.
    jobs: bool,
    /// A claim or a template asks for admin access.
    admin_access: bool,
}

/// Takes the pages of a list.
trait Gather {
    /// Returns the number of objects that were taken.
    fn len(&self) -> usize;
    /// Takes a page: its text, and what an answer shows of its objects.
    fn take(
        &mut self,
        text: &str,
        briefs: Vec<Brief>,
        kind: &ReadKind,
    ) -> Result<(), KubectlRefusal>;
    /// Says why the list ends before its end.
    fn cut(&mut self, why: String);
}

/// The objects of one list for [`LiveObjects`].
struct Pages<'l> {
    part: Part,
    live: &'l Live,
    wanted: &'l Wanted<'l>,
}

impl<'l> Pages<'l> {
    fn none(live: &'l Live, wanted: &'l Wanted<'l>) -> Self {
        Pages {
            part: Part::new(live),
            live,
            wanted,
        }
    }
}

impl Gather for Pages<'_> {
    fn len(&self) -> usize {
        self.part.cluster.len()
    }

    fn take(
        &mut self,
        text: &str,
        briefs: Vec<Brief>,
        kind: &ReadKind,
    ) -> Result<(), KubectlRefusal> {
        let live = self.live;
        self.part.cluster.join(PreparedCluster::read(
            text,
            Some(live.release),
            Some(&live.namespace),
            &Limits::default(),
        ));
        briefs
            .into_iter()
            .for_each(|brief| self.part.keep(brief, kind, self.wanted));
        Ok(())
    }

    fn cut(&mut self, why: String) {
        self.part.cut = Some(why);
    }
}

/// What objects are read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFor {
    Audit,
    Snapshot,
    /// What a policy judges, and what it looks up.
    Admission,
}

impl ReadFor {
    /// Returns the consequence of not seeing a kind; `None`: the kind is not read.
    fn without(self, kind: &ReadKind) -> Option<&'static str> {
        match self {
            ReadFor::Audit => kind.unaudited,
            ReadFor::Snapshot => Some(kind.without),
            ReadFor::Admission => {
                let reads = !kind.is_about_volumes()
                    && kind.plural != NODES
                    && kind.group != Group::KeepingJobs;
                reads.then_some("they are not judged")
            }
        }
    }
}

/// Objects as items of a List in JSON, one a line.
#[derive(Default)]
struct ListItems {
    text: String,
    count: usize,
}

impl ListItems {
    fn push(&mut self, item: &Value) {
        if self.count > 0 {
            self.text.push_str(",\n");
        }
        self.text.push_str(&item.to_string());
        self.count = self.count.saturating_add(1);
    }

    fn append(&mut self, more: &ListItems) {
        if self.count > 0 && more.count > 0 {
            self.text.push_str(",\n");
        }
        self.text.push_str(&more.text);
        self.count = self.count.saturating_add(more.count);
    }

    /// Returns the whole List, with what is noted of the cluster.
    fn list(self, notes: Option<&SnapshotNotes>) -> String {
        let text = self.text;
        let notes = match notes {
            Some(notes) => format!("\"snapshot\":{},", requests::print(notes)),
            None => String::new(),
        };
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"List\",{notes}\"items\":[\n{text}\n]}}\n")
    }
}

/// Returns objects as one List in JSON, one a line, with what is noted of their cluster.
pub fn list_of(items: &[Value], notes: Option<&SnapshotNotes>) -> String {
    let mut list = ListItems::default();
    items.iter().for_each(|item| list.push(item));
    list.list(notes)
}

/// The objects of one list, without what nobody reads.
struct Items {
    what: ReadFor,
    items: ListItems,
    needs: Needs,
    cut: Option<String>,
}

impl Items {
    fn none(what: ReadFor) -> Self {
        Items {
            what,
            items: ListItems::default(),
            needs: Needs::default(),
            cut: None,
        }
    }
}

impl Gather for Items {
    fn len(&self) -> usize {
        self.items.count
    }

    fn take(
        &mut self,
        text: &str,
        briefs: Vec<Brief>,
        kind: &ReadKind,
    ) -> Result<(), KubectlRefusal> {
        self.needs.groups |= briefs.iter().any(Brief::is_in_group);
        self.needs.admin_access |= asks_for_admin_access(text, kind);
        let page: Value = serde_json::from_str(text).map_err(|error| unread(&error))?;
        for mut item in items_of(page) {
            if self.what != ReadFor::Admission {
                self.needs.volumes |= needs_volumes(&item);
                self.needs.jobs |= is_kept_for_job(&item);
            }
            if kind.group == Group::KeepingJobs {
                drop_spec(&mut item);
            }
            if self.what == ReadFor::Audit && kind.group == Group::Core {
                drop_long(&mut item);
            }
            self.items.push(&item);
        }
        Ok(())
    }

    fn cut(&mut self, why: String) {
        self.cut = Some(why);
    }
}

/// Returns the objects of a list, each with its kind, which those of a typed list lack, and without what no answer looks at.
fn items_of(mut page: Value) -> Vec<Value> {
    let kind = text_of_list(&page, "kind")
        .strip_suffix("List")
        .unwrap_or_default()
        .to_owned();
    let version = text_of_list(&page, "apiVersion").to_owned();
    let mut items = page
        .get_mut("items")
        .and_then(Value::as_array_mut)
        .map(std::mem::take)
        .unwrap_or_default();
    for item in &mut items {
        if let Some(fields) = item.as_object_mut() {
            for (name, value) in [("apiVersion", &version), ("kind", &kind)] {
                fields
                    .entry(name)
                    .or_insert_with(|| Value::from(value.as_str()));
            }
        }
        without_private(item);
    }
    items
}

fn text_of_list<'p>(page: &'p Value, name: &str) -> &'p str {
    page.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Fields of containers that no answer looks at, some of which hold secrets.
const OF_CONTAINERS: &[&str] = &["name", "image", "ports", "resources", "restartPolicy"];
/// Fields of the statuses of containers that answers look at.
const OF_STATUSES: &[&str] = &[
    "name",
    "resources",
    "allocatedResources",
    "allocatedResourcesStatus",
];
/// Sources of a pod's volumes that decide about its node.
const OF_VOLUMES: &[&str] = &[
    "persistentVolumeClaim",
    "ephemeral",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "iscsi",
    "rbd",
];
/// The annotation in which kubectl keeps whole manifests.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Drops what no answer looks at: the history of fields, what containers run and read, images and addresses of nodes.
pub fn without_private(item: &mut Value) {
    if let Some(metadata) = part_of(item, "metadata") {
        metadata.remove("managedFields");
        if let Some(annotations) = metadata
            .get_mut("annotations")
            .and_then(Value::as_object_mut)
        {
            annotations.remove(LAST_APPLIED);
        }
    }
    if let Some(spec) = part_of(item, "spec") {
        for list in ["containers", "initContainers", "ephemeralContainers"] {
            for container in objects_in(spec, list) {
                container.retain(|name, _| OF_CONTAINERS.contains(&name.as_str()));
            }
        }
        if let Some(volumes) = spec.get_mut("volumes").and_then(Value::as_array_mut) {
            volumes.retain(|volume| OF_VOLUMES.iter().any(|source| volume.get(source).is_some()));
        }
    }
    if let Some(status) = part_of(item, "status") {
        status.remove("images");
        status.remove("addresses");
        for list in ["containerStatuses", "initContainerStatuses"] {
            for container in objects_in(status, list) {
                container.retain(|name, _| OF_STATUSES.contains(&name.as_str()));
            }
        }
    }
}

fn part_of<'v>(item: &'v mut Value, name: &str) -> Option<&'v mut Map<String, Value>> {
    item.get_mut(name)?.as_object_mut()
}

fn objects_in<'v>(
    part: &'v mut Map<String, Value>,
    list: &str,
) -> impl Iterator<Item = &'v mut Map<String, Value>> {
    let items = part.get_mut(list).and_then(Value::as_array_mut);
    items.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Fields of pods and nodes that are long, and that no audit looks at in most of them.
const LONG: &[(&str, &[&str])] = &[
    ("metadata", &["annotations"]),
    (
        "spec",
        &[
            "volumes",
            "affinity",
            "tolerations",
            "topologySpreadConstraints",
            "readinessGates",
        ],
    ),
    (
        "status",
        &[
            "conditions",
            "containerStatuses",
            "initContainerStatuses",
            "nodeInfo",
            "volumesAttached",
            "volumesInUse",
        ],
    ),
];

/// Fields among [`LONG`] that an audit looks at: of nodes, of pods that wait for one, and of pods on nodes that use claims.
const LONG_OF_NODES: &[&str] = &["conditions"];
const LONG_OF_WAITING: &[&str] = &["volumes", "conditions"];
const LONG_OF_USERS: &[&str] = &["tolerations"];

/// Drops what no audit looks at. Claims keep their annotations, which say of which entry of a pod they are.
fn drop_long(item: &mut Value) {
    let kept = match item["kind"].as_str() {
        Some("Node") => LONG_OF_NODES,
        Some("Pod") if waits_for_node(item) => LONG_OF_WAITING,
        Some("Pod") if item.pointer("/spec/resourceClaims").is_some() => LONG_OF_USERS,
        _ => &[],
    };
    let is_unhealthy = item["kind"] == "Pod" && has_health(item);
    for (part, fields) in LONG {
        if let Some(part) = item.get_mut(*part).and_then(Value::as_object_mut) {
            part.retain(|name, _| {
                let name = name.as_str();
                !fields.contains(&name)
                    || kept.contains(&name)
                    || is_unhealthy && STATUSES.contains(&name)
            });
        }
    }
}

/// The lists in which kubelet says what became of containers.
const STATUSES: &[&str] = &["containerStatuses", "initContainerStatuses"];

/// Returns true if kubelet says something of the health of a pod's devices.
fn has_health(pod: &Value) -> bool {
    let lists = STATUSES.iter().filter_map(|list| pod["status"].get(*list));
    let mut statuses = lists.filter_map(Value::as_array).flatten();
    statuses.any(|status| status.get("allocatedResourcesStatus").is_some())
}

/// Returns true for a pod that is being deleted and stays until its Job has counted it.
fn is_kept_for_job(item: &Value) -> bool {
    let finalizers = item
        .pointer("/metadata/finalizers")
        .and_then(Value::as_array);
    item["kind"] == "Pod"
        && item.pointer("/metadata/deletionTimestamp").is_some()
        && finalizers.is_some_and(|names| names.iter().any(|name| name == JOB_TRACKING))
}

/// Drops all that a Job is to do: answers look at its name.
fn drop_spec(item: &mut Value) {
    if let Some(fields) = item.as_object_mut() {
        fields.retain(|name, _| matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    }
}

/// Returns true for a pod without a node.
fn waits_for_node(pod: &Value) -> bool {
    let node = pod.pointer("/spec/nodeName").and_then(Value::as_str);
    node.unwrap_or_default().is_empty()
}

/// Returns true for a pod that waits for a node with its volumes.
fn needs_volumes(item: &Value) -> bool {
    let volumes = item.pointer("/spec/volumes").and_then(Value::as_array);
    item["kind"] == "Pod"
        && waits_for_node(item)
        && volumes.is_some_and(|volumes| !volumes.is_empty())
}

/// Returns true for a page of claims or templates of which one asks for admin access.
fn asks_for_admin_access(page: &str, kind: &ReadKind) -> bool {
    matches!(kind.plural, CLAIMS | TEMPLATES) && page.contains("\"adminAccess\":true")
}

/// Returns what selects the events with a reason.
fn of_reason(reason: &str) -> String {
    format!("&fieldSelector=reason%3D{reason}")
}

/// A part of [`LiveObjects`]: the objects of one list.
struct Part {
    cluster: PreparedCluster,
    briefs: Vec<Brief>,
    named: BTreeSet<String>,
    grouped: bool,
    /// The part of the list that is missing.
    cut: Option<String>,
}

/// The pods that the question is about.
pub struct Wanted<'a> {
    /// The namespace that is read where the whole cluster may not be; `None`: all are asked about.
    pub namespace: Option<&'a str>,
    /// The names of pods that are asked about, whether they wait or not.
    pub pods: Vec<&'a str>,
}

impl Wanted<'_> {
    fn has_namespace_of(&self, brief: &Brief) -> bool {
        self.namespace
            .is_none_or(|namespace| brief.metadata.namespace == namespace)
    }
}

/// Returns the error where every kind is refused: the first reason, and the other kinds.
pub fn nothing_seen(unseen: &[Unseen]) -> String {
    let Some((first, others)) = unseen.split_first() else {
        return "nothing of the cluster was seen".to_owned();
    };
    let others: Vec<&str> = others.iter().map(|unseen| unseen.what.as_str()).collect();
    let also = if others.is_empty() {
        String::new()
    } else {
        format!("; nor were {}", others.join(", "))
    };
    format!("nothing of the cluster was seen: {}{also}", first.why)
}

impl Live {
    /// Says on standard error what the answer rests on.
    pub fn tell(&self, unseen: &[Unseen], host: &mut dyn Host) {
        for note in &self.notes {
            host.err(&format!("claimkit: {}\n", visible(note)));
        }
        for Unseen { what, why, so, .. } in unseen {
            let so = if so.is_empty() {
                String::new()
            } else {
                format!(": {so}")
            };
            host.err(&format!(
                "claimkit: {what} could not be seen ({}){so}\n",
                visible(why)
            ));
        }
    }

    /// Reads all kinds.
    pub fn read(&self, wanted: &Wanted<'_>, host: &mut dyn Host) -> LiveObjects {
        let mut seen = LiveObjects::empty(self.release);
        let roots = self.roots(host);
        for kind in KINDS {
            let needs = Needs {
                groups: seen.grouped,
                volumes: seen.cluster.needs_volumes(),
                jobs: false,
                admin_access: false,
            };
            if let Some(roots) = self.roots_of(kind, &roots, needs, host) {
                self.read_kind(kind, roots, wanted, &mut seen, host);
            }
        }
        if seen.cluster.needs_volumes() {
            let about_volumes = KINDS.iter().filter(|kind| kind.is_about_volumes());
            let plurals: Vec<&str> = about_volumes.map(|kind| kind.plural).collect();
            let mut kinds = seen.unseen.iter().filter_map(|unseen| unseen.kind);
            let all = !kinds.any(|kind| plurals.contains(&kind));
            seen.cluster.see_volumes(all);
        }
        self.read_refusals(wanted, &mut seen, host);
        host.status("");
        if seen.unseen.iter().any(|unseen| unseen.what == NODES) {
            let named = std::mem::take(&mut seen.named);
            named.iter().for_each(|name| seen.cluster.name_node(name));
        }
        seen
    }

    /// Returns the addresses of the core group and of resource.k8s.io.
    fn roots(&self, host: &mut dyn Host) -> Roots {
        let resource = match self.served(host) {
            Ok(versions) => versions
                .iter()
                .map(|version| format!("/apis/resource.k8s.io/{}", version.name))
                .collect(),
            // Whoever may not ask which versions there are may still read the newest.
            Err(KubectlRefusal::Answered { reason, .. }) if reason == "Forbidden" => {
                vec!["/apis/resource.k8s.io/v1".to_owned()]
            }
            Err(_) => Vec::new(),
        };
        Roots {
            core: ["/api/v1".to_owned()],
            resource,
            scheduling: OnceCell::new(),
            storage: ["/apis/storage.k8s.io/v1".to_owned()],
            apps: ["/apis/apps/v1".to_owned()],
            batch: ["/apis/batch/v1".to_owned()],
        }
    }

    /// Returns the addresses under which a kind may be; `None` if no object that was seen needs it.
    fn roots_of<'r>(
        &self,
        kind: &ReadKind,
        roots: &'r Roots,
        needs: Needs,
        host: &mut dyn Host,
    ) -> Option<&'r [String]> {
        match kind.group {
            Group::Core => Some(&roots.core),
            Group::Resource => Some(&roots.resource),
            Group::CoreVolumes | Group::Storage if !needs.volumes => None,
            Group::CoreVolumes => Some(&roots.core),
            Group::Storage => Some(&roots.storage),
            Group::KeepingJobs if !needs.jobs => None,
            Group::KeepingJobs => Some(&roots.batch),
            Group::Apps => Some(&roots.apps),
            Group::Batch => Some(&roots.batch),
            Group::Scheduling if !needs.groups => None,
            Group::Scheduling => Some(roots.scheduling.get_or_init(|| {
                let versions = match self.versions("scheduling.k8s.io", host) {
                    Ok(versions) => versions,
                    Err(refusal) if refusal.is("NotFound") => Vec::new(),
                    // Reading the version that 1.37 serves says why nothing can be read.
                    Err(_) => vec!["v1beta1".to_owned()],
                };
                versions
                    .iter()
                    .map(|version| format!("/apis/scheduling.k8s.io/{version}"))
                    .collect()
            })),
        }
    }

    /// Reads all kinds that an audit, a snapshot or a policy needs, as one List in JSON; an empty text if nothing could be read. A kind that could
    /// not be read to its end is left out, for objects that were not seen would count as missing.
    pub fn list_of_objects(
        &self,
        what: ReadFor,
        gates: &BTreeMap<String, bool>,
        host: &mut dyn Host,
    ) -> (String, Vec<Unseen>) {
        let (mut items, mut unseen) = (ListItems::default(), Vec::new());
        let (mut needs, mut some) = (Needs::default(), false);
        let mut notes = SnapshotNotes::new(self.release, gates.clone());
        let roots = self.roots(host);
        let workloads = match what {
            ReadFor::Admission => WORKLOADS,
            ReadFor::Audit | ReadFor::Snapshot => &[],
        };
        for kind in KINDS.iter().chain(workloads) {
            let Some(so) = what.without(kind) else {
                continue;
            };
            if what == ReadFor::Audit && kind.plural == NAMESPACES && !needs.admin_access {
                continue;
            }
            let Some(roots) = self.roots_of(kind, &roots, needs, host) else {
                continue;
            };
            match self.items(what, kind, roots, host) {
                Ok(None) => notes.whole.push(kind.kind.to_owned()),
                Ok(Some(read)) => {
                    some = true;
                    notes.whole.push(kind.kind.to_owned());
                    needs.groups |= read.needs.groups;
                    needs.volumes |= read.needs.volumes;
                    needs.jobs |= read.needs.jobs;
                    needs.admin_access |= read.needs.admin_access;
                    items.append(&read.items);
                }
                Err(why) => unseen.push(Unseen {
                    what: kind.plural.to_owned(),
                    why,
                    so,
                    kind: Some(kind.plural),
                    missing: MissingObjects::All,
                }),
            }
        }
        if what != ReadFor::Admission {
            self.add_beside(what, &mut items, host);
        }
        host.status("");
        if !some {
            return (String::new(), unseen);
        }
        let notes = (what != ReadFor::Admission).then_some(&notes);
        (items.list(notes), unseen)
    }

    /// Reads the objects of a kind; `None`: the cluster does not have it.
    ///
    /// # Errors
    /// Why they could not all be read.
    fn items(
        &self,
        what: ReadFor,
        kind: &ReadKind,
        roots: &[String],
        host: &mut dyn Host,
    ) -> Result<Option<Items>, String> {
        match self.list_first(roots, kind.plural, kind, &|| Items::none(what), host) {
            Ok(Items { cut: Some(why), .. }) => Err(why),
            Ok(read) => Ok(Some(read)),
            Err(refusal) if kind.optional && refusal.is("NotFound") => Ok(None),
            Err(refusal) => Err(refusal.text()),
        }
    }

    /// Adds the objects beside [`KINDS`] that explain more. No audit looks at events.
    fn add_beside(&self, what: ReadFor, items: &mut ListItems, host: &mut dyn Host) {
        let reasons = EVENT_REASONS.iter().filter(|_| what == ReadFor::Snapshot);
        let events = reasons.map(|reason| ("events", of_reason(reason)));
        for (plural, selector) in [("resourcequotas", String::new())]
            .into_iter()
            .chain(events)
        {
            let page = self.first_page(&format!("/api/v1/{plural}"), &selector, host);
            let page = page.and_then(|page| serde_json::from_str(&page).ok());
            for item in page.map(items_of).unwrap_or_default() {
                items.push(&item);
            }
        }
    }

    /// Reads the first objects of a list; those that cannot be read explain nothing.
    fn first_page(&self, path: &str, selector: &str, host: &mut dyn Host) -> Option<String> {
        let address = format!("--raw={path}?limit={PAGE}{selector}");
        let bytes = self.kubectl.run(&["get", &address], host).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads a kind of the whole cluster; where that is refused, of the one namespace.
    fn read_kind(
        &self,
        kind: &ReadKind,
        roots: &[String],
        wanted: &Wanted<'_>,
        seen: &mut LiveObjects,
        host: &mut dyn Host,
    ) {
        let plural = kind.plural;
        let of_cluster = self.list_first(roots, plural, kind, &|| Pages::none(self, wanted), host);
        let refusal = match of_cluster {
            Ok(pages) => {
                if pages.part.cut.is_none() {
                    seen.cluster.note_whole(kind.kind);
                }
                return seen.take(kind, pages.part);
            }
            Err(KubectlRefusal::Answered { reason, .. })
                if kind.optional && reason == "NotFound" =>
            {
                return seen.cluster.note_whole(kind.kind);
            }
            Err(refusal) => refusal,
        };
        let all_unseen = Unseen {
            what: plural.to_owned(),
            why: refusal.text(),
            so: kind.without,
            kind: Some(plural),
            missing: MissingObjects::All,
        };
        if let (Scope::Namespaced, Some(namespace)) = (kind.scope, wanted.namespace) {
            let path = format!("namespaces/{}/{plural}", escaped(namespace));
            let of_namespace =
                self.list_first(roots, &path, kind, &|| Pages::none(self, wanted), host);
            if let Ok(pages) = of_namespace {
                seen.take(kind, pages.part);
                return seen.unseen.push(Unseen {
                    what: format!("{plural} of other namespaces"),
                    so: kind.elsewhere,
                    missing: MissingObjects::Elsewhere,
                    ..all_unseen
                });
            }
        }
        if let Some(named) = NamedObjects::of(kind, wanted) {
            let paths = named.paths.iter();
            let parts: Vec<Part> = paths.filter_map(|path| self.get(path, host).ok()).collect();
            let missing = if parts.len() == named.paths.len() {
                MissingObjects::Elsewhere
            } else {
                MissingObjects::Rest
            };
            if !parts.is_empty() {
                parts.into_iter().for_each(|part| seen.take(kind, part));
                return seen.unseen.push(Unseen {
                    what: named.others.to_owned(),
                    so: named.so,
                    missing,
                    ..all_unseen
                });
            }
        }
        seen.unseen.push(all_unseen);
    }

    /// Reads the events with a reason.
    fn read_events(
        &self,
        reason: &str,
        namespace: Option<&str>,
        seen: &mut LiveObjects,
        host: &mut dyn Host,
    ) {
        self.read_beside("events", namespace, &of_reason(reason), seen, host);
    }

    /// Reads objects of the core group that explain more, of all namespaces or of one. Those that cannot be read explain nothing.
    fn read_beside(
        &self,
        plural: &str,
        namespace: Option<&str>,
        selector: &str,
        seen: &mut LiveObjects,
        host: &mut dyn Host,
    ) {
        let path = match namespace {
            Some(namespace) => format!("/api/v1/namespaces/{}/{plural}", escaped(namespace)),
            None => format!("/api/v1/{plural}"),
        };
        if let Some(text) = self.first_page(&path, selector, host) {
            seen.cluster.join(PreparedCluster::read(
                text.as_str(),
                Some(self.release),
                Some(&self.namespace),
                &Limits::default(),
            ));
        }
    }

    /// Reads the events about claims that cannot be made, if a pod that waits lacks one, and about devices that cannot be prepared, if a
    /// pod that is asked about does not start.
    fn read_refusals(&self, wanted: &Wanted<'_>, seen: &mut LiveObjects, host: &mut dyn Host) {
        if seen
            .pods
            .iter()
            .filter(|brief| wanted.has_namespace_of(brief))
            .any(|brief| brief.waits() && brief.lacks_claim())
        {
            self.read_events("FailedResourceClaimCreation", wanted.namespace, seen, host);
            self.read_beside("resourcequotas", wanted.namespace, "", seen, host);
        }
        if seen
            .pods
            .iter()
            .any(|brief| brief.node().is_some() && brief.is_pending())
        {
            self.read_events(PREPARE_REFUSED, wanted.namespace, seen, host);
        }
    }

    /// Reads the events about pods of a namespace that cannot be made.
    pub fn read_uncreated(&self, seen: &mut LiveObjects, host: &mut dyn Host) {
        self.read_events("FailedCreate", Some(&self.namespace), seen, host);
        host.status("");
    }

    /// Reads a list from the first root that has it. `path`: where it is below the root.
    fn list_first<G: Gather>(
        &self,
        roots: &[String],
        path: &str,
        kind: &ReadKind,
        empty: &dyn Fn() -> G,
        host: &mut dyn Host,
    ) -> Result<G, KubectlRefusal> {
        let mut last = KubectlRefusal::Answered {
            reason: "NotFound".to_owned(),
            text: "the cluster serves no version of resource.k8s.io that is known here".to_owned(),
        };
        for root in roots {
            match self.list(&format!("{root}/{path}"), kind, empty, host) {
                Err(refusal) if refusal.is("NotFound") => last = refusal,
                other => return other,
            }
        }
        Err(last)
    }

    /// Reads a list page by page. A list that changed too much between two pages is read once more from its beginning.
    fn list<G: Gather>(
        &self,
        path: &str,
        kind: &ReadKind,
        empty: &dyn Fn() -> G,
        host: &mut dyn Host,
    ) -> Result<G, KubectlRefusal> {
        let mut again = true;
        loop {
            let mut part = empty();
            match self.read_pages(path, kind, &mut part, host) {
                Ok(()) => return Ok(part),
                Err(refusal) if refusal.is("Expired") && again => again = false,
                Err(refusal) if part.len() == 0 => return Err(refusal),
                Err(refusal) => {
                    part.cut(refusal.text());
                    return Ok(part);
                }
            }
        }
    }

    /// Reads a list page by page; pages that are too large are asked for in smaller ones.
    fn read_pages(
        &self,
        path: &str,
        kind: &ReadKind,
        part: &mut dyn Gather,
        host: &mut dyn Host,
    ) -> Result<(), KubectlRefusal> {
        let mut tokens: BTreeSet<String> = BTreeSet::new();
        let mut page_size = PAGE;
        let mut position = String::new();
        for _ in 0..MOST_PAGES {
            host.status(&format!("reading {}: {}", kind.plural, part.len()));
            let address = format!("--raw={path}?limit={page_size}{position}");
            let bytes = match self.kubectl.run(&["get", &address], host) {
                // Slices of many devices: ask for fewer at once.
                Err(KubectlRefusal::TooLarge) if page_size > LEAST_PAGE => {
                    page_size = page_size
                        .checked_div(5)
                        .unwrap_or(LEAST_PAGE)
                        .max(LEAST_PAGE);
                    continue;
                }
                answer => answer?,
            };
            let text = String::from_utf8_lossy(&bytes);
            let before = part.len();
            let page: Page = serde_json::from_str(&text).map_err(|error| unread(&error))?;
            part.take(&text, page.items.unwrap_or_default(), kind)?;
            let Some(next) = page.metadata.next.filter(|next| !next.is_empty()) else {
                return Ok(());
            };
            position = format!("&continue={}", escaped(&next));
            let is_repeated = !tokens.insert(next);
            if is_repeated || part.len() == before {
                let how = if is_repeated {
                    "from a place where it was already"
                } else {
                    "without objects"
                };
                part.cut(format!("the list goes on {how}"));
                return Ok(());
            }
        }
        part.cut(format!("the list has more than {MOST_PAGES} pages"));
        Ok(())
    }

    /// Reads one object.
    fn get(&self, path: &str, host: &mut dyn Host) -> Result<Part, KubectlRefusal> {
        let bytes = self.kubectl.run(&["get", &format!("--raw={path}")], host)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut part = Part::new(self);
        let brief: Brief = serde_json::from_str(&text).map_err(|error| unread(&error))?;
        part.grouped = brief.is_in_group();
        part.briefs.push(brief);
        part.cluster.join(PreparedCluster::read(
            &*text,
            Some(self.release),
            Some(&self.namespace),
            &Limits::default(),
        ));
        Ok(part)
    }
}

/// The objects of a kind that are asked about, for where the kind cannot be listed.
struct NamedObjects {
    paths: Vec<String>,
    /// The objects that are then not seen.
    others: &'static str,
    /// The consequence for the answer.
    so: &'static str,
}

impl NamedObjects {
    fn of(kind: &ReadKind, wanted: &Wanted<'_>) -> Option<Self> {
        let root = format!("/api/v1/namespaces/{}", escaped(wanted.namespace?));
        let pods = wanted.pods.iter();
        match kind.plural {
            PODS => Some(NamedObjects {
                paths: pods
                    .map(|pod| format!("{root}/pods/{}", escaped(pod)))
                    .collect(),
                others: "other pods",
                so: kind.elsewhere,
            }),
            NAMESPACES => Some(NamedObjects {
                paths: vec![root],
                others: "other namespaces",
                so: kind.without,
            }),
            _ => None,
        }
    }
}

fn unread(error: &serde_json::Error) -> KubectlRefusal {
    KubectlRefusal::Answered {
        reason: String::new(),
        text: format!("the answer cannot be read: {error}"),
    }
}

impl Part {
    fn new(live: &Live) -> Self {
        Part {
            cluster: PreparedCluster::empty(live.release),
            briefs: Vec::new(),
            named: BTreeSet::new(),
            grouped: false,
            cut: None,
        }
    }

    /// Keeps what the answer shows of an object.
    fn keep(&mut self, brief: Brief, kind: &ReadKind, wanted: &Wanted<'_>) {
        self.named.extend(brief.node().map(str::to_owned));
        self.grouped |= brief.is_in_group();
        let named = wanted.pods.contains(&brief.metadata.name.as_str())
            && wanted.namespace == Some(brief.metadata.namespace.as_str());
        if kind.plural == PODS && (named || brief.waits()) {
            self.briefs.push(brief);
        }
    }
}

impl LiveObjects {
    /// Returns no objects.
    pub fn empty(release: Release) -> Self {
        LiveObjects {
            cluster: PreparedCluster::empty(release),
            pods: Vec::new(),
            unseen: Vec::new(),
            some: false,
            named: BTreeSet::new(),
            grouped: false,
        }
    }

    /// Returns no objects of files.
    pub fn of_files(release: Release) -> Self {
        LiveObjects {
            cluster: PreparedCluster::empty(release).of_files(),
            ..LiveObjects::empty(release)
        }
    }

    fn take(&mut self, kind: &ReadKind, part: Part) {
        self.some = true;
        self.cluster.join(part.cluster);
        self.named.extend(part.named);
        self.grouped |= part.grouped;
        if kind.plural == PODS {
            self.pods.extend(part.briefs);
        }
        let what = format!("the rest of {}", kind.plural);
        self.unseen.extend(part.cut.map(|why| Unseen {
            what,
            why,
            so: kind.without,
            kind: Some(kind.plural),
            missing: MissingObjects::Rest,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Ran, RunEnd};
    use crate::options::ConnectionArgs;

    /// A server whose lists answer a request by its number.
    struct Server<F: FnMut(usize) -> Option<Ran>>(F, usize);

    impl<F: FnMut(usize) -> Option<Ran>> Host for Server<F> {
        fn read(&mut self, _: &str, _: usize) -> Result<Vec<u8>, String> {
            Err(String::new())
        }
        fn out(&mut self, _: &str) {}
        fn err(&mut self, _: &str) {}
        fn kubectl(&mut self, _: &[String], _: usize) -> Result<Ran, String> {
            self.1 += 1;
            Ok((self.0)(self.1).unwrap_or(Ran {
                end: RunEnd::TooLarge,
                ..Ran::default()
            }))
        }
    }

    fn page(names: &[&str], next: &str) -> Ran {
        let items: Vec<String> = names
            .iter()
            .map(|name| format!(r#"{{"metadata":{{"name":"{name}"}}}}"#))
            .collect();
        let items = items.join(",");
        let out = format!(
            r#"{{"kind":"NodeList","apiVersion":"v1","metadata":{{"continue":"{next}"}},"items":[{items}]}}"#
        );
        Ran {
            out: out.into_bytes(),
            err: String::new(),
            end: RunEnd::Success,
        }
    }

    fn refused(reason: &str) -> Ran {
        Ran {
            out: Vec::new(),
            err: format!("Error from server ({reason}): no\n"),
            end: RunEnd::Failure,
        }
    }

    /// Returns how many nodes are read, and why no more; or the refusal.
    fn read(mut answer: impl FnMut(usize) -> Ran) -> Result<(usize, Option<String>), String> {
        read_sized(|at| Some(answer(at)))
    }

    /// The same of a server of which some answers are too large.
    fn read_sized(
        answer: impl FnMut(usize) -> Option<Ran>,
    ) -> Result<(usize, Option<String>), String> {
        let live = Live::of_connection(&ConnectionArgs::default());
        let kind = KINDS.iter().find(|kind| kind.plural == NODES).unwrap();
        let wanted = Wanted {
            namespace: None,
            pods: Vec::new(),
        };
        let empty = || Pages {
            part: Part::new(&live),
            live: &live,
            wanted: &wanted,
        };
        let pages = live.list("/api/v1/nodes", kind, &empty, &mut Server(answer, 0));
        pages
            .map(|pages| (pages.part.cluster.len(), pages.part.cut))
            .map_err(KubectlRefusal::text)
    }

    #[test]
    fn lists_are_read_to_their_end_or_cut() {
        let names = ["a", "b", "c"];
        let cut = |why: &str| Some(why.to_owned());
        assert_eq!(
            read(|at| page(&names[at - 1..at], if at < 3 { names[at] } else { "" })),
            Ok((3, None))
        );
        assert_eq!(
            read(|_| page(&["a"], "again")),
            Ok((2, cut("the list goes on from a place where it was already")))
        );
        assert_eq!(
            read(|at| page(&[], &at.to_string())),
            Ok((0, cut("the list goes on without objects")))
        );
        let endless = read(|at| page(&["a"], &at.to_string()));
        assert_eq!(
            endless,
            Ok((MOST_PAGES, cut("the list has more than 400 pages")))
        );
        assert_eq!(read(|_| refused("Forbidden")), Err("no".to_owned()));
        // A list that has changed is begun again, once; what was read before another error is kept.
        let changed = |again: &'static str| {
            move |at: usize| {
                if at == 2 || at == 4 {
                    refused(again)
                } else {
                    page(&["a"], "x")
                }
            }
        };
        assert_eq!(read(changed("Expired")), Ok((1, cut("no"))));
        assert_eq!(read(changed("InternalError")), Ok((1, cut("no"))));
        let once = |at: usize| match at {
            2 => refused("Expired"),
            1 | 3 => page(&["a"], "x"),
            _ => page(&["b"], ""),
        };
        assert_eq!(read(once), Ok((2, None)));
        // What is too large is asked for in smaller pages.
        let large = read_sized(|at| (at > 1).then(|| page(&["a"], if at < 3 { "x" } else { "" })));
        assert_eq!(large, Ok((2, None)));
        assert!(read_sized(|_| None).unwrap_err().contains("larger than"));
        assert!(
            read(|_| Ran {
                out: b"[".to_vec(),
                err: String::new(),
                end: RunEnd::Success
            })
            .unwrap_err()
            .contains("cannot be read")
        );
    }
}
