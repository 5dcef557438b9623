//! The users of claims that hold devices, and how their use ends.

use super::brief::Brief;
use claimkit::PreparedCluster;
use claimkit_scheduler::allocator::objects::{
    Claim, Consumer, MIRROR, Pod, SYSTEM_CLASSES, Workload,
};
use claimkit_scheduler::explain::words;
use claimkit_scheduler::scheduler::has_ended;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of names in one line.
const MOST_NAMES: usize = 3;
/// Begins a user of a claim that is a group of pods.
const GROUP: &str = "podgroups.scheduling.k8s.io/";

/// How a claim is freed, or pods end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Freeing {
    /// The price: the larger, the more is given up.
    pub cost: u32,
    /// A command, or a sentence where none does.
    pub how: Option<String>,
    /// The pods that end: `namespace/name`.
    pub ends: Vec<String>,
    pub by: FreedBy,
    /// The pods that use what is freed: `namespace/name`.
    pub users: Vec<String>,
    /// The end of the pods does not free the claim, for it is not reserved for them: the claim is deleted, too.
    pub deletes_claim: bool,
}

/// What `how` of a [`Freeing`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FreedBy {
    /// A sentence: no command does it.
    #[default]
    Nothing,
    /// A sentence: nobody uses the claim any more, and it is freed without a command.
    Itself,
    /// A command.
    Command,
    /// A command that makes a StatefulSet smaller, which ends its last pods.
    SmallerSet,
}

impl Freeing {
    fn said(cost: u32, how: impl Into<String>) -> Self {
        Freeing {
            cost,
            how: Some(how.into()),
            ..Freeing::default()
        }
    }

    fn itself(cost: u32, how: impl Into<String>) -> Self {
        Freeing {
            by: FreedBy::Itself,
            ..Freeing::said(cost, how)
        }
    }

    fn by(cost: u32, command: String, ends: Vec<String>) -> Self {
        Freeing {
            cost,
            how: Some(command),
            ends,
            by: FreedBy::Command,
            ..Freeing::default()
        }
    }
}

/// What pods give up if they end: fewer pods first, then the least important ones, then the fewest devices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loss {
    pub pods: usize,
    /// The highest priority.
    pub priority: i64,
    pub devices: usize,
}

/// The pods that were seen and the claims that they use.
#[derive(Clone, Debug, Default)]
pub struct Users {
    /// By `namespace/name`.
    pods: BTreeMap<String, SeenPod>,
    /// By `namespace/name`.
    claims: BTreeMap<String, SeenClaim>,
    /// The namespaces of which pods were seen.
    namespaces: BTreeSet<String>,
    /// The pods that stay on a node, by its name: `namespace/name`.
    staying: BTreeMap<String, Vec<String>>,
    /// The pods of an object that have not ended, by its namespace and `kind/name`: their names.
    made: BTreeMap<Maker, Vec<String>>,
    /// How many pods an object that was given asks for.
    replicas: BTreeMap<Maker, i64>,
    /// The object that controls another one which makes pods, and sets its size again.
    controllers: BTreeMap<Maker, String>,
    /// The first ordinals of StatefulSets that were given.
    first_ordinals: BTreeMap<Maker, usize>,
    /// How pods end: every pod that waits asks about those of the same nodes.
    endings: RefCell<BTreeMap<PodsOfNamespace, Freeing>>,
}

/// Pods of one namespace by their names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PodsOfNamespace {
    namespace: String,
    names: Vec<String>,
}

/// Pods of one object that makes them.
struct MadeTogether<'p> {
    namespace: &'p str,
    /// As `kind/name`.
    owner: Option<&'p str>,
    names: Vec<String>,
}

/// An object that makes pods.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Maker {
    namespace: String,
    /// `kind/name`
    kind_and_name: String,
}

/// A claim, as far as it matters for its users.
#[derive(Clone, Debug, Default)]
struct SeenClaim {
    is_ending: bool,
    /// It was made for a pod, and goes with it.
    is_of_pod: bool,
    /// Pods by their names, other objects as `resource.group/name`.
    reserved_for: Vec<String>,
    /// The UIDs of these, where they are known.
    uids: Vec<String>,
    devices: usize,
    /// How it is freed: every pod that waits asks about the claims of every node.
    freeing: OnceCell<Freeing>,
}

impl SeenClaim {
    fn of(claim: &Claim) -> Self {
        let users = &claim.status.reserved_for;
        let allocation = claim.status.allocation.as_ref();
        SeenClaim {
            is_ending: claim.metadata.deletion_timestamp.is_some(),
            is_of_pod: claim
                .metadata
                .owner_references
                .iter()
                .any(|owner| owner.kind == "Pod"),
            reserved_for: users.iter().map(consumer_name).collect(),
            uids: users.iter().map(|user| user.uid.clone()).collect(),
            devices: allocation.map_or(0, |allocation| allocation.devices.results.len()),
            freeing: OnceCell::new(),
        }
    }
}

/// Returns the name of a pod, or `resource.group/name`.
fn consumer_name(user: &Consumer) -> String {
    match (user.api_group.as_str(), user.resource.as_str()) {
        ("", "pods" | "") => user.name.clone(),
        ("", resource) => format!("{resource}/{}", user.name),
        (group, resource) => format!("{resource}.{group}/{}", user.name),
    }
}

/// What a ReplicaSet compares of pods before the cost of their deletion: the smaller, the sooner it ends (kube-controller-manager,
/// `pkg/controller/controller_utils.go`, `ActivePodsWithRanks`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct DeletionRank {
    has_node: bool,
    phase: u8,
    is_ready: bool,
}

impl DeletionRank {
    fn of(pod: &Pod) -> Self {
        let mut conditions = pod.status.conditions.iter();
        DeletionRank {
            has_node: !pod.spec.node_name.is_empty(),
            phase: match pod.status.phase.as_str() {
                "Pending" => 0,
                "Unknown" => 1,
                _ => 2,
            },
            is_ready: conditions
                .any(|condition| condition.kind == "Ready" && condition.status == "True"),
        }
    }
}

/// Why no suggestion ends a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spared {
    /// kubelet makes it from a file of the node.
    Static,
    /// The cluster needs it.
    Critical,
}

/// The namespace of the cluster's own pods.
const SYSTEM: &str = "kube-system";

impl Spared {
    fn of(pod: &Pod) -> Option<Self> {
        let class = pod.spec.priority_class_name.as_str();
        let is_critical = SYSTEM_CLASSES
            .iter()
            .any(|(name, priority)| class == *name || pod.spec.effective_priority() >= *priority)
            || pod.metadata.namespace == SYSTEM;
        if pod.metadata.annotations.get(MIRROR).is_some() {
            Some(Spared::Static)
        } else {
            is_critical.then_some(Spared::Critical)
        }
    }

    /// Returns the words for it.
    pub fn text(self) -> &'static str {
        match self {
            Spared::Static => "is a static pod of kubelet",
            Spared::Critical => "the cluster needs",
        }
    }
}

/// Returns what controls an object that makes pods, as `kind/name`. A CronJob does not make a Job again.
fn controller_of(workload: &Workload) -> Option<String> {
    let mut owners = workload.metadata.owner_references.iter();
    let owner = owners.find(|owner| owner.controller && owner.kind != CRON_JOB)?;
    Some(format!(
        "{}/{}",
        owner.kind.to_ascii_lowercase(),
        owner.name
    ))
}

/// The kind of what makes Jobs at certain times.
const CRON_JOB: &str = "CronJob";

/// Returns the name of the ReplicaSet that made a pod.
fn replica_set(pod: &Pod) -> Option<String> {
    let mut owners = pod.metadata.owner_references.iter();
    let owner = owners.find(|owner| owner.controller && owner.kind == "ReplicaSet")?;
    Some(owner.name.clone())
}

fn deletion_cost(pod: &Pod) -> i64 {
    let cost = pod.metadata.annotations.get(DELETION_COST);
    cost.and_then(|cost| cost.parse().ok()).unwrap_or(0)
}

/// A pod, as far as it matters for what it uses on its node.
#[derive(Clone, Debug, Default)]
struct SeenPod {
    /// The object that makes it again, as `kind/name`.
    owner: Option<String>,
    /// The name of its group.
    group: Option<String>,
    uid: String,
    /// The node on which it runs; empty: on none, or it has ended.
    node: String,
    has_ended: bool,
    is_ending: bool,
    rank: DeletionRank,
    /// The ReplicaSet that made it.
    replica_set: Option<String>,
    /// What ending it costs, as its annotation says.
    deletion_cost: i64,
    /// Why no suggestion ends it.
    spared: Option<Spared>,
    priority: i64,
    /// The claims that it uses on its node, as `namespace/name`.
    claims: Vec<String>,
}

impl SeenPod {
    fn of(pod: &Pod) -> Self {
        let has_ended = has_ended(pod);
        SeenPod {
            owner: Brief::from(pod).owner(),
            group: pod.group_name().map(str::to_owned),
            uid: pod.metadata.uid.clone(),
            node: if has_ended {
                String::new()
            } else {
                pod.spec.node_name.clone()
            },
            has_ended,
            is_ending: pod.metadata.deletion_timestamp.is_some(),
            rank: DeletionRank::of(pod),
            replica_set: replica_set(pod),
            deletion_cost: deletion_cost(pod),
            spared: Spared::of(pod),
            priority: pod.spec.effective_priority(),
            claims: used_claims(pod),
        }
    }

    /// Returns true if it runs and nobody ends it yet.
    fn stays(&self) -> bool {
        !self.node.is_empty() && !self.is_ending
    }
}

/// Returns the claims that a pod uses on its node.
fn used_claims(pod: &Pod) -> Vec<String> {
    if pod.spec.node_name.is_empty() || has_ended(pod) {
        return Vec::new();
    }
    let entries = pod.spec.resource_claims.iter();
    let names = entries.filter_map(|entry| pod.claim_of(&entry.name));
    names
        .map(|name| format!("{}/{name}", pod.metadata.namespace))
        .collect()
}

impl Users {
    /// Gathers the users of claims.
    pub fn of(cluster: &PreparedCluster) -> Self {
        let claims = cluster.claims();
        let mut users = Users {
            claims: claims
                .map(|claim| (claim.metadata.full_name(), SeenClaim::of(claim)))
                .collect(),
            ..Users::default()
        };
        for pod in cluster.pods() {
            users.namespaces.insert(pod.metadata.namespace.clone());
            users
                .pods
                .insert(pod.metadata.full_name(), SeenPod::of(pod));
        }
        for workload in cluster.workloads() {
            let maker = Maker {
                namespace: workload.metadata.namespace.clone(),
                kind_and_name: format!(
                    "{}/{}",
                    workload.kind.name().to_ascii_lowercase(),
                    workload.metadata.name
                ),
            };
            if let Some(controller) = controller_of(workload) {
                users.controllers.insert(maker.clone(), controller);
            }
            if let Ok(first) = usize::try_from(workload.spec.ordinals.start) {
                users.first_ordinals.insert(maker.clone(), first);
            }
            let replicas = workload.spec.replicas.unwrap_or(1);
            users.replicas.insert(maker, replicas);
        }
        for (full_name, pod) in &users.pods {
            let (namespace, name) = full_name.split_once('/').unwrap_or(("", full_name));
            if pod.stays() {
                let there = users.staying.entry(pod.node.clone()).or_default();
                there.push(full_name.clone());
            }
            if let Some(owner) = pod.owner.as_ref().filter(|_| !pod.has_ended) {
                let maker = Maker {
                    namespace: namespace.to_owned(),
                    kind_and_name: owner.clone(),
                };
                users.made.entry(maker).or_default().push(name.to_owned());
            }
        }
        users
    }

    /// Returns how a claim is freed: nobody loses one that nobody uses. A pod that another object makes again would take its devices
    /// again.
    pub fn freeing(&self, claim: &str) -> Freeing {
        let Some(seen) = self.claims.get(claim) else {
            return Freeing {
                cost: 4,
                ..Freeing::default()
            };
        };
        seen.freeing
            .get_or_init(|| self.freeing_of(claim, seen))
            .clone()
    }

    /// Returns how a claim that was seen is freed.
    fn freeing_of(&self, claim: &str, seen: &SeenClaim) -> Freeing {
        let (namespace, name) = claim.split_once('/').unwrap_or(("", claim));
        let consumers = Consumers::of(self, namespace, seen);
        if !consumers.others.is_empty() {
            let others = words::some(&consumers.others, MOST_NAMES);
            return Freeing::said(6, format!("it is reserved for {others}"));
        }
        let unreserved = if seen.reserved_for.is_empty() {
            self.using(claim)
        } else {
            Vec::new()
        };
        let pods = [consumers.pods, unreserved].concat();
        if !pods.is_empty() {
            let users = full_names(namespace, &pods);
            let ending = self.ending(namespace, pods);
            let is_kept = seen.reserved_for.is_empty() && !seen.is_ending && !seen.is_of_pod;
            let freeing = match &ending.how {
                Some(command) if is_kept && ending.by == FreedBy::Command => Freeing {
                    how: Some(format!(
                        "{command}; kubectl delete resourceclaim {name} -n {namespace}"
                    )),
                    deletes_claim: true,
                    ..ending
                },
                _ => ending,
            };
            return Freeing { users, ..freeing };
        }
        if !consumers.unused.is_empty() {
            return Freeing::itself(2, unused(&consumers.unused));
        }
        if seen.is_ending {
            Freeing::itself(1, "it is being deleted already: its finalizers keep it")
        } else {
            Freeing::by(
                1,
                format!("kubectl delete resourceclaim {name} -n {namespace}"),
                Vec::new(),
            )
        }
    }

    /// Returns true if a command frees a claim, or nobody uses it any more.
    pub fn can_free(&self, claim: &str) -> bool {
        self.freeing(claim).by != FreedBy::Nothing
    }

    /// Returns the names of the pods that use a claim which is not reserved for them.
    fn using(&self, claim: &str) -> Vec<String> {
        let users = self
            .pods
            .iter()
            .filter(|(_, pod)| pod.claims.iter().any(|used| used == claim));
        users.map(|(name, _)| without_namespace(name)).collect()
    }

    /// Returns what is given up where pods end: `namespace/name`.
    pub fn loss(&self, pods: &[String]) -> Loss {
        let seen: Vec<&SeenPod> = pods.iter().filter_map(|pod| self.pods.get(pod)).collect();
        let claims: BTreeSet<&String> = seen.iter().flat_map(|pod| &pod.claims).collect();
        let devices = claims
            .into_iter()
            .filter_map(|claim| self.claims.get(claim))
            .fold(0_usize, |sum, claim| sum.saturating_add(claim.devices));
        Loss {
            pods: pods.len(),
            priority: seen.iter().map(|pod| pod.priority).max().unwrap_or(0),
            devices,
        }
    }

    /// Returns the number of devices that a claim holds.
    pub fn devices(&self, claim: &str) -> usize {
        self.claims.get(claim).map_or(0, |claim| claim.devices)
    }

    /// Returns the objects for which a claim is reserved.
    pub fn reserved_for(&self, claim: &str) -> &[String] {
        self.claims
            .get(claim)
            .map_or(&[], |claim| &claim.reserved_for)
    }

    /// Returns how each pod ends that stays on a node and does not come back there; `None`: on any node.
    pub fn endings(&self, node: Option<&str>) -> Vec<Freeing> {
        let there: Vec<&String> = match node {
            Some(node) => self.staying.get(node).into_iter().flatten().collect(),
            None => {
                let staying = self.pods.iter().filter(|(_, pod)| pod.stays());
                staying.map(|(name, _)| name).collect()
            }
        };
        let mut endings: Vec<Freeing> = Vec::new();
        for name in there {
            if self.is_spared(name) {
                continue;
            }
            let (namespace, pod) = name.split_once('/').unwrap_or(("", name));
            let ending = self.ending(namespace, vec![pod.to_owned()]);
            let is_by_command = matches!(ending.by, FreedBy::Command | FreedBy::SmallerSet);
            if is_by_command && !endings.contains(&ending) {
                endings.push(ending);
            }
        }
        endings
    }

    /// Returns the commands that end pods together, one for each object that makes some of them: `namespace/name`. `None`: some of
    /// them do not end by a command.
    pub fn commands(&self, pods: &[String]) -> Option<Vec<String>> {
        let mut by_maker: Vec<MadeTogether<'_>> = Vec::new();
        for full_name in pods {
            let (namespace, name) = full_name.split_once('/')?;
            let owner = self.owner(full_name);
            let mut known = by_maker.iter_mut();
            match known.find(|made| made.namespace == namespace && made.owner == owner) {
                Some(made) => made.names.push(name.to_owned()),
                None => by_maker.push(MadeTogether {
                    namespace,
                    owner,
                    names: vec![name.to_owned()],
                }),
            }
        }
        let commands = by_maker.into_iter().map(|made| {
            let ending = self.ending(made.namespace, made.names);
            let is_by_command = matches!(ending.by, FreedBy::Command | FreedBy::SmallerSet);
            ending.how.filter(|_| is_by_command)
        });
        commands.collect()
    }

    /// Returns true if no suggestion ends a pod: `namespace/name`.
    pub fn is_spared(&self, pod: &str) -> bool {
        self.why_spared(pod).is_some()
    }

    /// Returns why no suggestion ends a pod: `namespace/name`.
    pub fn why_spared(&self, pod: &str) -> Option<Spared> {
        self.pods.get(pod)?.spared
    }

    /// Returns the object that makes a pod again, as `kind/name`, where no command keeps it from that. `pod`: `namespace/name`.
    pub fn made_again_by(&self, pod: &str) -> Option<&str> {
        let owner = self.owner(pod)?;
        let (namespace, name) = pod.split_once('/')?;
        let ending = self.ending(namespace, vec![name.to_owned()]);
        let controller = self.controllers.get(&Maker {
            namespace: namespace.to_owned(),
            kind_and_name: owner.to_owned(),
        });
        let maker = controller.map_or(owner, String::as_str);
        (ending.by == FreedBy::Nothing).then_some(maker)
    }

    /// Returns the object that makes a pod again, as `kind/name`. `pod`: `namespace/name`.
    pub fn owner(&self, pod: &str) -> Option<&str> {
        self.pods.get(pod)?.owner.as_deref()
    }

    /// Returns how pods of a namespace end.
    fn ending(&self, namespace: &str, pods: Vec<String>) -> Freeing {
        let asked = PodsOfNamespace {
            namespace: namespace.to_owned(),
            names: pods,
        };
        if let Some(known) = self.endings.borrow().get(&asked) {
            return known.clone();
        }
        let ending = self.ending_of(namespace, asked.names.clone());
        self.endings.borrow_mut().insert(asked, ending.clone());
        ending
    }

    /// Returns what makes a pod again, as `kind/name`.
    fn owner_of(&self, namespace: &str, pod: &str) -> Option<&str> {
        self.pod(namespace, pod)?.owner.as_deref()
    }

    /// Finds how pods of a namespace end.
    fn ending_of(&self, namespace: &str, pods: Vec<String>) -> Freeing {
        let (ending, staying): (Vec<String>, Vec<String>) = pods
            .into_iter()
            .partition(|pod| self.pod(namespace, pod).is_some_and(|seen| seen.is_ending));
        if staying.is_empty() {
            let are = one_or_several(&ending, "is", "are");
            let how = format!("{} {are} being deleted already", named(&ending));
            return Freeing::itself(1, how);
        }
        let owners: BTreeSet<Option<&str>> = staying
            .iter()
            .map(|pod| self.owner_of(namespace, pod))
            .collect();
        let has_unowned = owners.contains(&None);
        let makers: Vec<&str> = owners.into_iter().flatten().collect();
        match makers.as_slice() {
            [] => ending_unowned(&staying, namespace),
            [maker] if !has_unowned => self.ending_maker(maker, &staying, namespace),
            makers => self
                .ending_each(makers, &staying, namespace)
                .unwrap_or_else(|| {
                    Freeing::said(6, made_again(makers, "some of the claim's pods"))
                }),
        }
    }

    /// Returns how pods end that several objects make, or an object and nobody: by the command for each. `None`: some do not end by a
    /// command.
    fn ending_each(&self, makers: &[&str], pods: &[String], namespace: &str) -> Option<Freeing> {
        let owned_by = |owner: Option<&str>| -> Vec<String> {
            let is_owned = |pod: &&String| self.owner_of(namespace, pod) == owner;
            pods.iter().filter(is_owned).cloned().collect()
        };
        let unowned = owned_by(None);
        let mut endings = Vec::new();
        if !unowned.is_empty() {
            endings.push(ending_unowned(&unowned, namespace));
        }
        for maker in makers {
            endings.push(self.ending_maker(maker, &owned_by(Some(maker)), namespace));
        }
        let mut commands = Vec::new();
        let mut ends = Vec::new();
        let mut cost = 0;
        for ending in endings {
            if !matches!(ending.by, FreedBy::Command | FreedBy::SmallerSet) {
                return None;
            }
            cost = ending.cost.max(cost);
            commands.extend(ending.how);
            ends.extend(ending.ends);
        }
        Some(Freeing::by(cost, commands.join("; "), ends))
    }

    /// Returns how pods end that one object makes again.
    fn ending_maker(&self, maker: &str, pods: &[String], namespace: &str) -> Freeing {
        let (kind, name) = maker.split_once('/').unwrap_or((maker, ""));
        let all = self.made_by(maker, namespace);
        let key = Maker {
            namespace: namespace.to_owned(),
            kind_and_name: maker.to_owned(),
        };
        if let Some(controller) = self.controllers.get(&key) {
            return Freeing::said(8, made_again(&[controller], &named(pods)));
        }
        let now = self.replicas.get(&key);
        let made = MadePods {
            maker,
            kind,
            name,
            namespace,
            condition: now.map_or_else(String::new, |now| format!(" --current-replicas={now}")),
            fewer: all.len().saturating_sub(pods.len()),
            all,
            pods,
        };
        match kind {
            "job" => made.ended_with_job(),
            "statefulset" => {
                let start = self.first_ordinals.get(&key).copied().unwrap_or(0);
                made.ended_by_smaller_set(start)
            }
            _ if self.others_end_first(&made.all, pods, namespace) => made.are_made_again(),
            "deployment" | "replicaset" | "replicationcontroller" if made.fewer == 0 => {
                let ends = full_names(namespace, &made.all);
                Freeing::by(6, made.scaling(0), ends)
            }
            "deployment" | "replicaset" if !self.are_of_several_sets(&made.all, namespace) => {
                made.ended_first(self.least_cost(&made.all, namespace))
            }
            _ => made.are_made_again(),
        }
    }

    /// Returns true if pods of an object are those of several ReplicaSets.
    fn are_of_several_sets(&self, all: &[String], namespace: &str) -> bool {
        let seen = all.iter().filter_map(|pod| self.pod(namespace, pod));
        let sets: BTreeSet<&String> = seen.filter_map(|pod| pod.replica_set.as_ref()).collect();
        sets.len() > 1
    }

    /// Returns a cost of deletion below that of all pods of an object.
    fn least_cost(&self, all: &[String], namespace: &str) -> i64 {
        let seen = all.iter().filter_map(|pod| self.pod(namespace, pod));
        let least = seen.map(|pod| pod.deletion_cost).min().unwrap_or(0);
        least.saturating_sub(1).min(USUAL_COST)
    }

    /// Returns true if an object that is made smaller ends other pods of its own before these, whatever their deletion costs.
    fn others_end_first(&self, all: &[String], pods: &[String], namespace: &str) -> bool {
        let rank_of = |pod: &String| self.pod(namespace, pod).map(|seen| seen.rank);
        let last = pods.iter().filter_map(rank_of).max();
        let others = all.iter().filter(|pod| !pods.contains(pod));
        let first = others.filter_map(rank_of).min();
        matches!((first, last), (Some(first), Some(last)) if first < last)
    }

    /// Returns the names of the pods of an object that have not ended.
    fn made_by(&self, maker: &str, namespace: &str) -> Vec<String> {
        let of_maker = self.made.get(&Maker {
            namespace: namespace.to_owned(),
            kind_and_name: maker.to_owned(),
        });
        let is_set = maker.starts_with("statefulset/");
        of_maker
            .into_iter()
            .flatten()
            .filter(|name| {
                let seen = self.pod(namespace, name);
                is_set || seen.is_none_or(|seen| !seen.is_ending)
            })
            .cloned()
            .collect()
    }

    fn pod(&self, namespace: &str, name: &str) -> Option<&SeenPod> {
        self.pods.get(&format!("{namespace}/{name}"))
    }

    /// Returns why a pod does not use the claim that is reserved for it, as audits say it; `None`: it uses it, or is not known.
    fn why_unused(&self, namespace: &str, name: &str, uid: &str) -> Option<&'static str> {
        if !self.namespaces.contains(namespace) {
            return None;
        }
        match self.pod(namespace, name) {
            None => Some("is not there"),
            Some(pod) if !uid.is_empty() && !pod.uid.is_empty() && pod.uid != uid => {
                Some("is not there: another pod has its name")
            }
            Some(pod) if pod.has_ended => Some("has ended"),
            Some(_) => None,
        }
    }

    /// Returns the names of the pods of a group that have a node.
    fn members(&self, namespace: &str, group: &str) -> Vec<String> {
        let members = self.pods.iter().filter(|(name, pod)| {
            pod.group.as_deref() == Some(group)
                && !pod.claims.is_empty()
                && name.split_once('/').is_some_and(|(of, _)| of == namespace)
        });
        members.map(|(name, _)| without_namespace(name)).collect()
    }
}

fn full_names(namespace: &str, pods: &[String]) -> Vec<String> {
    pods.iter()
        .map(|pod| format!("{namespace}/{pod}"))
        .collect()
}

/// The annotation by which a ReplicaSet chooses the pods that it ends (kube-controller-manager, `pkg/controller/replicaset`).
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// The cost of deletion that is written, if no pod has a lower one.
const USUAL_COST: i64 = -1000;

/// Pods that one object makes again.
struct MadePods<'a> {
    /// `kind/name`
    maker: &'a str,
    kind: &'a str,
    name: &'a str,
    namespace: &'a str,
    /// The option of `kubectl scale` that expects the number of replicas now.
    condition: String,
    /// All pods of the object.
    all: Vec<String>,
    /// Those that must end.
    pods: &'a [String],
    /// How many of the others there are.
    fewer: usize,
}

impl MadePods<'_> {
    /// Returns the command that gives the object another number of pods.
    fn scaling(&self, to: usize) -> String {
        let MadePods {
            kind,
            name,
            namespace,
            condition,
            ..
        } = self;
        format!("kubectl scale {kind} {name} -n {namespace}{condition} --replicas={to}")
    }

    /// Says that no command ends the pods for good.
    fn are_made_again(&self) -> Freeing {
        Freeing::said(8, made_again(&[self.maker], &named(self.pods)))
    }

    fn ended_with_job(&self) -> Freeing {
        let MadePods {
            name, namespace, ..
        } = self;
        Freeing::by(
            5,
            format!("kubectl delete job {name} -n {namespace}"),
            full_names(namespace, &self.all),
        )
    }

    /// Makes a StatefulSet smaller, which ends its pods from the last ordinal on. `start`: the first ordinal that it gives.
    fn ended_by_smaller_set(&self, start: usize) -> Freeing {
        let ordinals = Ordinals {
            set: self.name,
            pods: &self.all,
            start,
        };
        let first = self
            .pods
            .iter()
            .filter_map(|pod| ordinals.ordinal(pod))
            .min();
        let Some(first) = first.filter(|_| ordinals.are_all()) else {
            return self.are_made_again();
        };
        let ends = full_names(self.namespace, &ordinals.from(first));
        Freeing {
            by: FreedBy::SmallerSet,
            ..Freeing::by(6, self.scaling(first.saturating_sub(start)), ends)
        }
    }

    /// Makes the object smaller after its pods got a cost of deletion. Of pods that run the ones end first whose deletion costs least; of
    /// several ReplicaSets each ends some.
    fn ended_first(&self, cost: i64) -> Freeing {
        let pods = self.pods.join(" ");
        let namespace = self.namespace;
        let scaling = self.scaling(self.fewer);
        Freeing::by(
            6,
            format!(
                "kubectl annotate pod {pods} -n {namespace} {DELETION_COST}={cost} --overwrite && {scaling}"
            ),
            full_names(namespace, self.pods),
        )
    }
}

/// The pods of a StatefulSet by their ordinals.
struct Ordinals<'p> {
    set: &'p str,
    pods: &'p [String],
    /// The first one that it gives.
    start: usize,
}

impl Ordinals<'_> {
    fn ordinal(&self, pod: &str) -> Option<usize> {
        pod.strip_prefix(self.set)?.strip_prefix('-')?.parse().ok()
    }

    /// Returns true if its pods are those from the first ordinal on, without a gap.
    fn are_all(&self) -> bool {
        let ordinals: BTreeSet<usize> = self
            .pods
            .iter()
            .filter_map(|pod| self.ordinal(pod))
            .collect();
        let end = self.start.saturating_add(self.pods.len());
        ordinals.len() == self.pods.len() && ordinals.iter().copied().eq(self.start..end)
    }

    fn from(&self, first: usize) -> Vec<String> {
        let last = self.pods.iter().filter(|pod| {
            let ordinal = self.ordinal(pod);
            ordinal.is_some_and(|ordinal| ordinal >= first)
        });
        last.cloned().collect()
    }
}

/// Says of pods why they do not use a claim that is reserved for them, and who takes the reservation back.
fn unused(pods: &[(String, &'static str)]) -> String {
    let said: Vec<String> = pods
        .iter()
        .take(MOST_NAMES)
        .map(|(pod, why)| format!("pod {pod} {why}"))
        .collect();
    let more = match pods.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more likewise"),
    };
    format!(
        "{}{more}: kube-controller-manager takes the reservation back, if it runs",
        said.join(", ")
    )
}

/// The objects for which a claim is reserved.
#[derive(Default)]
struct Consumers {
    /// Pods, and those of groups.
    pods: Vec<String>,
    /// Pods that do not use it, and why.
    unused: Vec<(String, &'static str)>,
    /// Objects that are neither pods nor groups of pods that were seen.
    others: Vec<String>,
}

impl Consumers {
    fn of(users: &Users, namespace: &str, claim: &SeenClaim) -> Self {
        let mut consumers = Consumers::default();
        let reserved = claim.reserved_for.iter().zip(&claim.uids);
        for (consumer, uid) in reserved {
            let members = consumer
                .strip_prefix(GROUP)
                .map(|group| users.members(namespace, group))
                .unwrap_or_default();
            if !members.is_empty() {
                consumers.pods.extend(members);
            } else if consumer.contains('/') {
                consumers.others.push(consumer.clone());
            } else if let Some(why) = users.why_unused(namespace, consumer, uid) {
                consumers.unused.push((consumer.clone(), why));
            } else {
                consumers.pods.push(consumer.clone());
            }
        }
        consumers
    }
}

fn without_namespace(full_name: &str) -> String {
    let name = full_name.split_once('/').map(|(_, name)| name);
    name.unwrap_or(full_name).to_owned()
}

fn one_or_several<'w>(names: &[String], one: &'w str, several: &'w str) -> &'w str {
    match names {
        [_] => one,
        _ => several,
    }
}

/// Names pods: `pod a` or `pods a, b`.
fn named(pods: &[String]) -> String {
    let what = one_or_several(pods, "pod", "pods");
    format!("{what} {}", words::some(pods, MOST_NAMES))
}

/// Returns how pods end that nobody makes again.
fn ending_unowned(pods: &[String], namespace: &str) -> Freeing {
    Freeing::by(
        4,
        format!("kubectl delete pod {} -n {namespace}", pods.join(" ")),
        full_names(namespace, pods),
    )
}

fn made_again(makers: &[&str], pods: &str) -> String {
    match makers {
        [one] => format!("{one} makes {pods} again, unless it asks for fewer"),
        makers => format!(
            "{} make {pods} again, unless they ask for fewer",
            words::some(makers, MOST_NAMES)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use claimkit_model::limits::Limits;

    /// Writes a pod of a node that uses claim `c`; `more`: more of its metadata.
    fn pod(name: &str, more: &str) -> String {
        format!(
            "{{apiVersion: v1, kind: Pod, metadata: {{name: {name}, namespace: ns{more}}}, \
             spec: {{nodeName: a, schedulingGroup: {{podGroupName: g}}, resourceClaims: [{{name: c, resourceClaimName: c}}], \
             containers: [{{name: a, image: a}}]}}}}"
        )
    }

    fn made_by(name: &str, kind: &str, maker: &str) -> String {
        let owner = format!(
            ", ownerReferences: [{{apiVersion: apps/v1, kind: {kind}, name: {maker}, uid: u, controller: true}}]"
        );
        pod(name, &owner)
    }

    /// Writes claim `c`; `consumer`: a pod, or `resource.group/name`; `more`: more of its metadata.
    fn claim(reserved_for: &[&str], more: &str) -> String {
        let users = reserved_for.iter().map(|consumer| {
            let (kind, name) = consumer.split_once('/').unwrap_or(("pods", consumer));
            let (resource, group) = kind.split_once('.').unwrap_or((kind, ""));
            format!("{{apiGroup: '{group}', resource: {resource}, name: {name}, uid: v}}")
        });
        let users: Vec<String> = users.collect();
        format!(
            "{{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {{name: c, namespace: ns{more}}}, \
             spec: {{devices: {{}}}}, status: {{reservedFor: [{}]}}}}",
            users.join(", ")
        )
    }

    fn how(objects: &[String], reserved_for: &[&str]) -> String {
        how_of(objects, &claim(reserved_for, ""))
    }

    fn how_of(objects: &[String], claim: &str) -> String {
        let text = format!("{}\n---\n{claim}", objects.join("\n---\n"));
        let cluster = PreparedCluster::read(text.as_str(), None, None, &Limits::default());
        assert_eq!(cluster.len(), objects.len().saturating_add(1), "{text}");
        let users = Users::of(&cluster);
        users.freeing("ns/c").how.unwrap_or_default()
    }

    #[test]
    fn what_makes_pods_again_is_named() {
        let (job, set, replicas) = (
            |pod| made_by(pod, "Job", "j"),
            |pod| made_by(pod, "StatefulSet", "web"),
            |pod| made_by(pod, "ReplicaSet", "d"),
        );
        let cases: [(&[String], &[&str], &str); 12] = [
            (
                &[pod("web-1", "")],
                &["web-1"],
                "kubectl delete pod web-1 -n ns",
            ),
            (
                &[set("web-0"), set("web-1"), set("web-2")],
                &["web-1"],
                "kubectl scale statefulset web -n ns --replicas=1",
            ),
            // Its ordinals begin at 1, or the others were not seen.
            (
                &[set("web-1")],
                &["web-1"],
                "statefulset/web makes pod web-1 again, unless it asks for fewer",
            ),
            (&[job("a")], &["a"], "kubectl delete job j -n ns"),
            (
                &[replicas("a")],
                &["a"],
                "kubectl scale replicaset d -n ns --replicas=0",
            ),
            (
                &[replicas("a"), replicas("b")],
                &["a"],
                "kubectl annotate pod a -n ns controller.kubernetes.io/pod-deletion-cost=-1000 --overwrite && \
                 kubectl scale replicaset d -n ns --replicas=1",
            ),
            (
                &[made_by("a", "DaemonSet", "d")],
                &["a"],
                "daemonset/d makes pod a again, unless it asks for fewer",
            ),
            // All pods of the claim count, and each of their owners.
            (
                &[pod("a", ""), pod("b", "")],
                &["a", "b"],
                "kubectl delete pod a b -n ns",
            ),
            (
                &[job("a"), job("b")],
                &["a", "b"],
                "kubectl delete job j -n ns",
            ),
            (
                &[job("a"), pod("b", "")],
                &["a", "b"],
                "kubectl delete pod b -n ns; kubectl delete job j -n ns",
            ),
            (
                &[job("a"), replicas("b")],
                &["a", "b"],
                "kubectl delete job j -n ns; kubectl scale replicaset d -n ns --replicas=0",
            ),
            (
                &[made_by("a", "DaemonSet", "d"), pod("b", "")],
                &["a", "b"],
                "daemonset/d makes some of the claim's pods again, unless it asks for fewer",
            ),
        ];
        for (objects, reserved_for, said) in cases {
            assert_eq!(how(objects, reserved_for), said);
        }
    }

    #[test]
    fn only_pods_are_deleted_as_pods() {
        let seen = [pod("t", ""), pod("g", "")];
        assert_eq!(
            how(&seen, &["trainings.batch.example.com/t"]),
            "it is reserved for trainings.batch.example.com/t"
        );
        assert_eq!(
            how(&seen, &["podgroups.scheduling.k8s.io/other"]),
            "it is reserved for podgroups.scheduling.k8s.io/other"
        );
        assert_eq!(
            how(&seen, &["podgroups.scheduling.k8s.io/g"]),
            "kubectl delete pod g t -n ns"
        );
    }

    /// As audits say it: the reservation is left over, and no command ends what is gone.
    #[test]
    fn pods_that_end_or_are_gone_are_not_deleted() {
        let ending = pod("a", ", deletionTimestamp: 2026-05-04T03:02:01Z");
        let seen = [ending];
        assert_eq!(how(&seen, &["a"]), "pod a is being deleted already");
        let taken_back = "kube-controller-manager takes the reservation back, if it runs";
        assert_eq!(
            how(&seen, &["gone"]),
            format!("pod gone is not there: {taken_back}")
        );
        assert_eq!(
            how(&[pod("a", ", uid: other")], &["a"]),
            format!("pod a is not there: another pod has its name: {taken_back}")
        );
        let ended = pod("a", "").replace("}]}}", "}]}, status: {phase: Succeeded}}");
        assert_eq!(
            how(&[ended], &["a"]),
            format!("pod a has ended: {taken_back}")
        );
        // Of its namespace no pod was seen.
        let elsewhere = pod("b", "").replace("namespace: ns", "namespace: other");
        assert_eq!(how(&[elsewhere], &["x"]), "kubectl delete pod x -n ns");
    }

    #[test]
    fn a_claim_without_reservation_may_be_used() {
        assert_eq!(
            how(&[pod("r", "")], &[]),
            "kubectl delete pod r -n ns; kubectl delete resourceclaim c -n ns"
        );
        let other = [pod("r", "").replace("resourceClaimName: c", "resourceClaimName: d")];
        assert_eq!(how(&other, &[]), "kubectl delete resourceclaim c -n ns");
        let ending = ", deletionTimestamp: 2026-05-04T03:02:01Z, finalizers: [x.example.com/f]";
        assert_eq!(
            how_of(&other, &claim(&[], ending)),
            "it is being deleted already: its finalizers keep it"
        );
    }
}
