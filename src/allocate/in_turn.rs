//! The accounts of pods that are placed in turn: what becomes of each, and why.

use claimkit_model::message::{self, Message, Words, message};
use claimkit_scheduler::allocator::behaviour::Behaviour;
use claimkit_scheduler::allocator::binding;
use claimkit_scheduler::allocator::cluster::Cluster;
use claimkit_scheduler::allocator::objects::{AllocatedDevice, Claim, Device, Facts, Pod, Taint};
use claimkit_scheduler::allocator::plugin::{PluginGates, PodCase};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::taints::{NO_EXECUTE, tolerates};
use claimkit_scheduler::explain::account::{Before, NodeAccount, PodAccount, Remark};
use claimkit_scheduler::explain::kinds::{Absent, BeforeNodes, ChangeKind, NodeVerdict};
use claimkit_scheduler::explain::turn::{
    DecidedBy, NodeRefusal, Plugin, ReasonGroup, Turn, TurnDevice, TurnOutcome,
};
use claimkit_scheduler::explain::{self, Explain};
use claimkit_scheduler::scheduler::outcome::{
    PodDecision, PodOutcome, Simulation, Unknown, Unsure, Waiting,
};
use claimkit_scheduler::scheduler::seen::{Seen, Watch};
use claimkit_scheduler::scheduler::{self, NOW, Scheduler};
use claimkit_values::order;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Maximum number of node accounts of pods that get a node, and of pods that get none, where all nodes have one. Later pods have the
/// account of their own node only, or those of some nodes for each set of reasons.
const MOST_ACCOUNTS: usize = 2_000;
/// Maximum number of nodes that stand for all with the same reasons.
const MOST_OF_REASONS: usize = 3;
/// Maximum number of nodes that stand for others in the account of a pod.
const MOST_FOR_OTHERS: usize = 40;
/// Maximum number of different explanations of a group of nodes.
const MOST_WHYS: usize = 3;
/// Up to this number of groups, the answers about devices distinguish groups.
const MOST_GROUPS: usize = 8;
/// The condition of a pod with scheduling gates (kube-apiserver, `pkg/registry/core/pod/strategy.go`).
const GATED: &str = "Scheduling is blocked due to non-empty scheduling gates";

/// A question about the pods of a cluster.
#[derive(Clone, Copy)]
pub struct InTurn<'a> {
    pub scheduler: Scheduler<'a>,
    /// Gates and clock of the plugin for devices.
    pub gates: PluginGates,
    /// The nodes that have accounts.
    pub nodes: &'a [usize],
    /// How far accounts go.
    pub explain: Explain,
    /// Attempts have no accounts of nodes.
    pub outcomes_only: bool,
    /// The pods that are asked about.
    pub asked: &'a dyn Fn(&Pod) -> bool,
}

/// The accounts, and the facts after everything.
pub struct Placed {
    /// The accounts of the pods, in the order in which they were considered.
    pub pods: Vec<PodAccount>,
    /// The facts after the scheduler has acted.
    pub after: Facts,
    /// The result of the simulation.
    pub simulation: Simulation,
}

impl InTurn<'_> {
    /// Places all pods of stored facts that wait.
    pub fn place(&self, facts: &Facts) -> Placed {
        let mut accounts = Accounts {
            asked: *self,
            done: Vec::new(),
            bound: MOST_ACCOUNTS,
            failed: MOST_ACCOUNTS,
        };
        let watch = Watch {
            asked: self.asked,
            see: &mut |seen| accounts.tried(seen),
        };
        let simulation = self.scheduler.place(facts, Some(watch));
        let after = scheduler::commit(facts, &simulation);
        let claims = order::map(
            simulation
                .claims
                .iter()
                .map(|outcome| (outcome.claim.metadata.full_name(), &*outcome.claim)),
        );
        let outcomes = Outcomes {
            facts,
            claims,
            simulation: &simulation,
        };
        let cluster_after = OnceCell::new();
        let mut pods = Vec::new();
        let mut kept_out = Vec::new();
        let mut failures = Failures::default();
        let mut others_wait = false;
        for outcome in &simulation.pods {
            let Some(pod) = facts.pods.get(outcome.pod) else {
                continue;
            };
            let others_wait_before = others_wait;
            // A pod that gets another node may take this one, too, once devices are free there.
            others_wait |= !is_kept_out(outcome) && !pod.spec.resource_claims.is_empty();
            if !(self.asked)(pod) {
                continue;
            }
            let attempt = accounts.done.get_mut(outcome.pod).and_then(Option::take);
            let attempt = attempt.unwrap_or_else(|| Attempt {
                account: self.before(cluster_after.get_or_init(|| self.cluster(&after)), pod),
                gains: Vec::new(),
            });
            let mut account = account_in_turn(attempt, outcome, outcomes.turn(outcome, pod));
            if others_wait_before {
                account.nodes.iter_mut().for_each(promise_less);
            }
            failures.shorten(&mut account, outcome, pod);
            if is_kept_out(outcome) {
                kept_out.push(account);
            } else {
                pods.push(account);
            }
        }
        pods.append(&mut kept_out);
        Placed {
            pods,
            after,
            simulation,
        }
    }

    /// Prepares facts for the allocator.
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

    /// Makes the account of a pod that was not tried: what stops it before any node.
    fn before(&self, cluster: &Cluster<'_>, pod: &Rc<Pod>) -> PodAccount {
        let case = PodCase::new(cluster, self.rules(), self.gates, pod);
        let account = explain::explain_pod(cluster, &case, &[], self.explain);
        PodAccount {
            before: account
                .before
                .filter(|before| before.stage == BeforeNodes::PreEnqueue),
            ..account
        }
    }

    /// Returns the answer of the plugin for devices for a pod without devices.
    fn before_nodes(&self, seen: &Seen<'_, '_>) -> Option<Before> {
        let case = PodCase::with_claims(
            seen.cluster(),
            self.rules(),
            self.gates,
            seen.facts_of_pod(),
            Ok(Vec::new()),
        );
        explain::explain_pod(seen.cluster(), &case, &[], self.explain).before
    }

    /// Returns the account of an attempt without nodes: what stops the pod before any, if something does.
    fn account_before_nodes(&self, seen: &Seen<'_, '_>) -> PodAccount {
        match seen.case_of_devices() {
            Some(case) => explain::explain_before(seen.cluster(), case),
            None => PodAccount {
                before: self.before_nodes(seen),
                ..briefly(seen, &[])
            },
        }
    }

    fn rules(&self) -> &'static PluginRules {
        let release = self.scheduler.target.release;
        PluginRules::of(release.minor, release.patch)
    }
}

/// Returns the account of a pod with what became of it.
fn account_in_turn(attempt: Attempt, outcome: &PodOutcome, mut turn: Turn) -> PodAccount {
    let Attempt { mut account, gains } = attempt;
    // Claims are made after the group is there.
    if let Some(PodDecision::NotConsidered(Waiting::Group(_) | Waiting::Member { .. })) =
        outcome.decisions.last()
    {
        account.before = None;
    }
    // A group that does not start gives back what its pods got.
    if turn.outcome.has_node() {
        account.findings.extend(gains);
    }
    if let Some(seen) = account.turn.take() {
        (turn.refused, turn.nodes_left_out) = (seen.refused, seen.nodes_left_out);
    }
    account.turn = Some(Box::new(turn));
    account
}

/// Returns true if a pod was never tried, because it waits for something other than a node.
fn is_kept_out(outcome: &PodOutcome) -> bool {
    matches!(
        outcome.decisions.last(),
        Some(PodDecision::NotConsidered(_) | PodDecision::Gated) | None
    )
}

/// The failures of pods. Pods of one group share theirs, and only the first of them explains it.
#[derive(Default)]
struct Failures(Vec<ExplainedFailure>);

struct ExplainedFailure {
    failure: *const scheduler::outcome::Failure,
    /// `namespace/name` of the pod that explains it.
    pod: String,
}

impl Failures {
    /// Refers to the account of another pod, if that explains the failure already.
    fn shorten(&mut self, account: &mut PodAccount, outcome: &PodOutcome, pod: &Pod) {
        let Some(PodDecision::Unschedulable(failure)) = outcome.decisions.last() else {
            return;
        };
        let failure = Rc::as_ptr(failure);
        let mut explained = self.0.iter();
        match explained.find(|known| std::ptr::eq(known.failure, failure)) {
            Some(known) => {
                account.same_as = Some(known.pod.clone());
                account.before = None;
            }
            None => self.0.push(ExplainedFailure {
                failure,
                pod: pod.metadata.full_name(),
            }),
        }
    }
}

/// Says which scheduling gates keep a pod.
fn gates_to_remove(pod: &Pod) -> Message {
    let gates = pod.spec.scheduling_gates.iter();
    let names: Vec<&str> = gates.map(|gate| gate.name.as_str()).collect();
    message!(
        "pods.wait-gates",
        "its scheduling gates to be removed: {gates}",
        gates = names.join(", ")
    )
}

/// Says of changes that free devices that a pod which is placed before may get them.
fn promise_less(node: &mut NodeAccount) {
    for relaxation in &mut node.relaxations {
        let mut changes = relaxation.changes.iter();
        if changes.any(|change| matches!(change.kind, ChangeKind::Free(_))) {
            relaxation.text = message!(
                "pods.unless-taken",
                "{help}, unless a pod that is tried first takes them",
                help = relaxation.text
            );
        }
    }
}

/// The account of an attempt.
struct Attempt {
    account: PodAccount,
    /// Findings about the devices that the pod gets.
    gains: Vec<Remark>,
}

/// The accounts of all attempts.
struct Accounts<'a> {
    asked: InTurn<'a>,
    /// By index of the pod, as far as there is one.
    done: Vec<Option<Attempt>>,
    /// Node accounts that pods with a node may still have.
    bound: usize,
    /// Node accounts that pods without a node may still have.
    failed: usize,
}

impl Accounts<'_> {
    /// Writes the account of an attempt; one of the same pod before is replaced.
    fn tried(&mut self, seen: &Seen<'_, '_>) {
        if !(self.asked.asked)(seen.facts_of_pod()) {
            return;
        }
        let attempt = if self.asked.outcomes_only {
            Attempt {
                account: self.asked.account_before_nodes(seen),
                gains: Vec::new(),
            }
        } else {
            Attempt {
                account: self.account_of(seen),
                gains: self.gains(seen),
            }
        };
        let pod = seen.pod();
        if self.done.len() <= pod {
            self.done.resize_with(pod.saturating_add(1), || None);
        }
        if let Some(done) = self.done.get_mut(pod) {
            *done = Some(attempt);
        }
    }

    fn account_of(&mut self, seen: &Seen<'_, '_>) -> PodAccount {
        let chosen = seen.node();
        let mut failed = seen.refused();
        order::sort_by_key(&mut failed, |(node, _)| *node);
        let has_all_nodes = self.has_room_for_all_nodes(chosen.is_some());
        let nodes: Vec<usize> = match chosen {
            _ if has_all_nodes => self.asked.nodes.to_vec(),
            Some(node) => vec![node],
            None => for_others(&failed, self.asked.nodes),
        };
        let refusals: Vec<Vec<NodeRefusal>> = nodes
            .iter()
            .map(|node| match chosen {
                Some(own) if own == *node || !has_all_nodes => Vec::new(),
                Some(_) => seen.refusals(*node),
                None => refusals_of_failed(seen, &failed, *node),
            })
            .collect();
        let mut account = if !seen.asks_for_devices() {
            PodAccount {
                before: self.asked.before_nodes(seen),
                ..briefly(seen, &nodes)
            }
        } else if has_all_nodes || chosen.is_none() {
            self.devices(seen, &nodes, &refusals)
        } else {
            briefly(seen, &nodes)
        };
        for (node_account, of_node) in account.nodes.iter_mut().zip(refusals) {
            refuse(node_account, of_node);
        }
        account.summary = explain::summary(&account.nodes);
        let behaviour = self.asked.scheduler.behaviour;
        let refused = if chosen.is_some() {
            groups_of(behaviour, &account.nodes)
        } else {
            // The scheduler may have tried nodes that are not asked about.
            let asked = order::set(self.asked.nodes);
            failed.retain(|(node, _)| asked.contains(node));
            groups(behaviour, seen, &failed, &account.nodes)
        };
        account.turn = Some(Box::new(Turn {
            refused,
            nodes_left_out: self.asked.nodes.len().saturating_sub(nodes.len()),
            ..Turn::default()
        }));
        account
    }

    /// Returns true if a pod may still have accounts of all nodes, and counts them.
    fn has_room_for_all_nodes(&mut self, has_node: bool) -> bool {
        let left = if has_node {
            &mut self.bound
        } else {
            &mut self.failed
        };
        match left.checked_sub(self.asked.nodes.len()) {
            Some(rest) => {
                *left = rest;
                true
            }
            None => false,
        }
    }

    /// Returns what is surprising about the devices that the pod gets on its node.
    fn gains(&self, seen: &Seen<'_, '_>) -> Vec<Remark> {
        let Some(node) = seen.node().filter(|_| seen.asks_for_devices()) else {
            return Vec::new();
        };
        let allocations = seen.allocations(node);
        let mut results = allocations.iter().flat_map(|one| &one.devices.results);
        let has_admin = results.any(|result| result.admin_access == Some(true));
        let account = NodeAccount {
            allocations: Some(allocations),
            ..NodeAccount::default()
        };
        let nodes = std::iter::once(&account);
        if !has_admin {
            return explain::of_allocations(seen.cluster(), seen.pending(), nodes);
        }
        // Who else uses the device is known only from all claims.
        let facts = seen.facts();
        let cluster = self.asked.cluster(&facts);
        explain::of_allocations(&cluster, seen.pending(), nodes)
    }

    /// Makes the account of a pod with devices, in the cluster as it is before the attempt. Nodes share one only if the other
    /// plugins say the same of them: a change of devices that helps on one may not help on the other.
    fn devices(
        &self,
        seen: &Seen<'_, '_>,
        nodes: &[usize],
        refusals: &[Vec<NodeRefusal>],
    ) -> PodAccount {
        let facts = seen.facts();
        let Some(pod) = facts.pods.get(seen.pod()) else {
            return PodAccount::default();
        };
        let mut pod = (**pod).clone();
        pod.spec.node_name.clear();
        let cluster = self.asked.cluster(&facts);
        let case = PodCase::new(&cluster, self.asked.rules(), self.asked.gates, &pod);
        let others: Vec<String> = refusals
            .iter()
            .map(|refusals| reasons_of_others(refusals))
            .collect();
        let with_reasons: Vec<(usize, &str)> = nodes
            .iter()
            .copied()
            .zip(others.iter().map(String::as_str))
            .collect();
        explain::explain_pod_apart(&cluster, &case, &with_reasons, self.asked.explain)
    }
}

/// Returns nodes that stand for all that refuse a pod: some for each set of reasons, those with the fewest reasons first.
fn for_others(failed: &[(usize, Vec<NodeRefusal>)], asked: &[usize]) -> Vec<usize> {
    let mut sets: BTreeMap<(usize, Vec<&str>), Vec<usize>> = BTreeMap::new();
    let asked = order::set(asked);
    for (node, refusals) in failed.iter().filter(|(node, _)| asked.contains(node)) {
        let reasons = refusals
            .iter()
            .flat_map(|refusal| refusal.reasons.iter().map(String::as_str));
        let nodes = sets.entry((refusals.len(), reasons.collect())).or_default();
        if nodes.len() < MOST_OF_REASONS {
            nodes.push(*node);
        }
    }
    let mut nodes: Vec<usize> = sets.into_values().flatten().take(MOST_FOR_OTHERS).collect();
    order::sort(&mut nodes);
    nodes
}

/// Returns why a node refuses a pod that gets no node. `failed`: the nodes that the scheduler tried, in their order.
fn refusals_of_failed(
    seen: &Seen<'_, '_>,
    failed: &[(usize, Vec<NodeRefusal>)],
    node: usize,
) -> Vec<NodeRefusal> {
    let place = failed.binary_search_by_key(&node, |(tried, _)| *tried);
    match place.ok().and_then(|at| failed.get(at)) {
        Some((_, refusals)) => refusals.clone(),
        // An error ended the attempt before this node: what other plugins say of it is true all the same.
        None => refusals_of_others(seen, node),
    }
}

fn refusals_of_others(seen: &Seen<'_, '_>, node: usize) -> Vec<NodeRefusal> {
    seen.refusals(node)
        .into_iter()
        .filter(|refusal| refusal.plugin != Plugin::DynamicResources)
        .collect()
}

/// Returns the reasons of the plugins that are not for devices.
fn reasons_of_others(refusals: &[NodeRefusal]) -> String {
    let others = refusals
        .iter()
        .filter(|refusal| refusal.plugin != Plugin::DynamicResources);
    others
        .flat_map(|refusal| refusal.reasons.iter().map(String::as_str))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Makes the account of a pod without devices, or of the node that a pod gets.
fn briefly(seen: &Seen<'_, '_>, nodes: &[usize]) -> PodAccount {
    let pod = seen.facts_of_pod();
    PodAccount {
        pod: Some(pod.metadata.full_name()),
        claims: seen.claims(),
        nodes: nodes.iter().map(|node| node_briefly(seen, *node)).collect(),
        ..PodAccount::default()
    }
}

/// Returns the account of a node that the pod can get: how many devices it has for the pod.
fn node_briefly(seen: &Seen<'_, '_>, node: usize) -> NodeAccount {
    let name = seen.name_of(node);
    let allocations = seen.allocations(node);
    let devices: usize = allocations
        .iter()
        .map(|allocation| allocation.devices.results.len())
        .sum();
    let text = match devices {
        0 => message!(
            "pods.no-devices",
            "{name}: the pod asks for no devices",
            name
        ),
        1 => message!("pods.one-device", "{name}: 1 device", name),
        devices => message!("pods.devices", "{name}: {devices} devices", name, devices),
    };
    NodeAccount {
        name,
        verdict: NodeVerdict::Allocated,
        allocations: Some(allocations),
        text,
        ..NodeAccount::default()
    }
}

/// Adds the refusals of all plugins to the account of a node.
fn refuse(account: &mut NodeAccount, refusals: Vec<NodeRefusal>) {
    // What the plugin for devices says is in the account already, in more detail.
    if let Some(first) = refusals.first()
        && first.plugin != Plugin::DynamicResources
    {
        show_refusal(account, first);
    }
    account.refusals = refusals;
}

/// Lets the account of a node say what a plugin refuses. A node that has the devices is refused all the same.
fn show_refusal(account: &mut NodeAccount, refusal: &NodeRefusal) {
    account.message = Some(refusal.reasons.join(", "));
    account.code = Some(refusal.code);
    if account.verdict != NodeVerdict::Allocated {
        return;
    }
    account.verdict = NodeVerdict::Refused;
    account.allocations = None;
    let why = if refusal.why.is_empty() {
        let reasons = refusal.reasons.iter().cloned();
        message::sentences(reasons.map(Words::upstream))
    } else {
        message::sentences(refusal.why.iter().cloned()).into()
    };
    account.text = message!(
        "pods.node-refuses",
        "{name}: {why}",
        name = account.name,
        why
    );
}

/// Returns the groups of the nodes that refuse a pod which gets another node.
fn groups_of(behaviour: &Behaviour, nodes: &[NodeAccount]) -> Vec<ReasonGroup> {
    let mut groups = Groups::new(behaviour);
    for node in nodes.iter().filter(|node| !node.refusals.is_empty()) {
        groups.add(&node.name, &node.refusals, nodes);
    }
    groups.sorted()
}

/// Returns the groups of all nodes that refuse a pod.
fn groups(
    behaviour: &Behaviour,
    seen: &Seen<'_, '_>,
    failed: &[(usize, Vec<NodeRefusal>)],
    nodes: &[NodeAccount],
) -> Vec<ReasonGroup> {
    let mut groups = Groups::new(behaviour);
    for (node, refusals) in failed {
        groups.add(&seen.name_of(*node), refusals, nodes);
    }
    groups.sorted()
}

struct Groups {
    by_reason: BTreeMap<(Vec<String>, Vec<Words>), Group>,
    /// How many devices mode All needs.
    least: i64,
}

#[derive(Default)]
struct Group {
    told: ReasonGroup,
    lines: Vec<GroupLine>,
}

/// A line about nodes of a group. Amounts differ from node to node.
struct GroupLine {
    words: Words,
    first: String,
    /// The number of nodes of the group that it is about.
    nodes: usize,
}

impl GroupLine {
    /// Returns the line with its nodes, unless it is about all.
    fn told(self, all: usize) -> Words {
        let GroupLine {
            words,
            first,
            nodes,
        } = self;
        let node = match nodes.saturating_sub(1) {
            _ if nodes == all => return words,
            0 => Words::upstream(first),
            more => message!("pods.node-and-more", "{first} and {more} more", first, more).into(),
        };
        message!("pods.why-of-nodes", "{words} ({node})", words, node).into()
    }
}

impl Groups {
    fn new(behaviour: &Behaviour) -> Self {
        Groups {
            by_reason: BTreeMap::new(),
            least: behaviour.least_of_all(),
        }
    }

    fn add(&mut self, name: &str, refusals: &[NodeRefusal], nodes: &[NodeAccount]) {
        // If the pod excludes a node, other refusals of it do not matter.
        let unwanted = refusals
            .iter()
            .position(|refusal| refusal.plugin == Plugin::NodeAffinity);
        let refusals = match unwanted {
            Some(at) => refusals.get(at..=at).unwrap_or_default(),
            None => refusals,
        };
        let reasons: Vec<String> = refusals
            .iter()
            .flat_map(|refusal| refusal.reasons.clone())
            .collect();
        let is_by_devices = refusals
            .iter()
            .any(|refusal| refusal.plugin == Plugin::DynamicResources);
        let devices = if is_by_devices {
            about_devices(name, nodes, self.least)
        } else {
            None
        };
        let mut key: Vec<Words> = Vec::new();
        for refusal in refusals {
            // Amounts, labels and pods differ from node to node.
            if !matches!(
                refusal.plugin,
                Plugin::NodeResourcesFit | Plugin::NodeAffinity | Plugin::InterPodAffinity
            ) {
                let why = refusal.why.iter().cloned();
                key.extend(why.map(Words::from));
            }
        }
        let mut with_devices = key.clone();
        with_devices.extend(devices.clone());
        // Behind that many groups, only nodes whose group is there already are told apart by their devices.
        let is_known = self
            .by_reason
            .contains_key(&(reasons.clone(), with_devices.clone()));
        if is_known || self.by_reason.len() < MOST_GROUPS {
            key = with_devices;
        }
        let group = self
            .by_reason
            .entry((reasons.clone(), key))
            .or_insert_with(|| Group {
                told: ReasonGroup {
                    reasons,
                    unwanted: unwanted.is_some(),
                    ..ReasonGroup::default()
                },
                lines: Vec::new(),
            });
        group.told.nodes.push(name.to_owned());
        let most = MOST_WHYS.max(refusals.len());
        let lending_node = lender(name, nodes);
        let borrowed = devices.clone().filter(|_| lending_node.is_some());
        let of_plugins = refusals.iter().flat_map(|refusal| refusal.why.clone());
        let mut lines: Vec<Words> = Vec::new();
        for words in of_plugins.map(Words::from).chain(devices) {
            if !lines.contains(&words) {
                lines.push(words);
            }
        }
        for words in lines {
            // What others hold is said of the node whose account this is.
            let is_of_another = Some(&words) == borrowed.as_ref();
            if let Some(line) = group.lines.iter_mut().find(|line| line.words == words) {
                line.nodes = line.nodes.saturating_add(usize::from(!is_of_another));
            } else if group.lines.len() < most {
                let first = lending_node.filter(|_| is_of_another).unwrap_or(name);
                group.lines.push(GroupLine {
                    words,
                    first: first.to_owned(),
                    nodes: usize::from(!is_of_another),
                });
            }
        }
    }

    fn sorted(self) -> Vec<ReasonGroup> {
        let mut groups: Vec<ReasonGroup> = self
            .by_reason
            .into_values()
            .map(Group::with_lines)
            .collect();
        order::sort_by_key(&mut groups, |group| {
            (group.unwanted, std::cmp::Reverse(group.nodes.len()))
        });
        groups
    }
}

impl Group {
    fn with_lines(self) -> ReasonGroup {
        let mut group = self.told;
        let all = group.nodes.len();
        // Nodes are excluded by different values: one of them is not the reason of all.
        if !group.unwanted || self.lines.len() < 2 {
            let lines = self.lines.into_iter();
            group.why = lines.map(|line| line.told(all)).collect();
        }
        group
    }
}

fn find_node<'n>(name: &str, nodes: &'n [NodeAccount]) -> Option<&'n NodeAccount> {
    nodes.iter().find(|node| node.name == name)
}

/// Returns the name of the earlier node whose account a node has, if others hold devices there: they may hold others here.
fn lender<'n>(name: &str, nodes: &'n [NodeAccount]) -> Option<&'n str> {
    let earlier = find_node(name, nodes)?.same_as.as_deref()?;
    let first = find_node(earlier, nodes)?;
    (!first.holders.is_empty()).then_some(&first.name)
}

/// Returns a node's account of devices in a few words: the request that lacks some, or the reason why all together do not fit.
fn about_devices(name: &str, nodes: &[NodeAccount], least: i64) -> Option<Words> {
    let own = find_node(name, nodes)?;
    let node = match &own.same_as {
        Some(earlier) => find_node(earlier, nodes).unwrap_or(own),
        None => own,
    };
    if let Some(short) = own.resources.iter().find(|resource| resource.short) {
        return Some(short.text.clone().into());
    }
    if let Some(conflict) = node.conflicts.first() {
        return Some(conflict.text.clone().into());
    }
    let said =
        node.lacking(least).map(
            |request| match (request.why.is_empty(), node.requests.len()) {
                (true, _) => request.text.clone(),
                (false, 1) => request.why.clone(),
                (false, _) => {
                    message!(
                        "pods.request-lacks",
                        "{request}: {why}",
                        request = node.name_of(request),
                        why = request.why
                    )
                }
            },
        );
    said.or_else(|| own.help.clone())
        .map(Words::from)
        .or_else(|| own.message.clone().map(Words::upstream))
}

/// The outcomes of all pods.
struct Outcomes<'a> {
    facts: &'a Facts,
    /// By `namespace/name`.
    claims: BTreeMap<String, &'a Claim>,
    simulation: &'a Simulation,
}

impl Outcomes<'_> {
    /// Returns what became of a pod.
    fn turn(&self, outcome: &PodOutcome, pod: &Pod) -> Turn {
        let mut turn = Turn {
            depends: outcome.depends,
            ..Turn::default()
        };
        let unsure = outcome.unsure.iter().filter(|why| **why != Unsure::Tie);
        turn.unsure = unsure.map(|why| why.text()).collect();
        let Some((last, before)) = outcome.decisions.split_last() else {
            return turn;
        };
        self.tell_decision(last, outcome, pod, &mut turn);
        turn.earlier = before.iter().filter_map(message).collect();
        if turn.outcome.has_node() {
            let mut latest_first = before.iter().rev();
            turn.freed = latest_first.find_map(|decision| self.freed(decision));
        }
        turn
    }

    /// Lets a turn say what the last decision about a pod was.
    fn tell_decision(
        &self,
        decision: &PodDecision,
        outcome: &PodOutcome,
        pod: &Pod,
        turn: &mut Turn,
    ) {
        match decision {
            PodDecision::Bound { node, tied } => {
                turn.outcome = TurnOutcome::Bound;
                self.tell_node(*node, tied, outcome, pod, turn);
            }
            PodDecision::Preparing {
                node,
                tied,
                volumes,
                ..
            } => {
                turn.outcome = TurnOutcome::Preparing;
                self.tell_node(*node, tied, outcome, pod, turn);
                let conditions = self.conditions_to_meet(pod);
                if !volumes.is_empty() {
                    turn.waits_for = Some(self.volumes_to_make(volumes));
                } else if !conditions.is_empty() {
                    turn.waits_for = Some(self.wait_for_conditions(pod, &conditions));
                }
            }
            PodDecision::NotConsidered(waiting) => {
                turn.outcome = TurnOutcome::NotConsidered;
                turn.waits_for = Some(waits_for(waiting, self.facts));
                turn.absent = matches!(waiting, Waiting::Group(_)).then_some(Absent::Group);
            }
            PodDecision::NotKnown(unknown) => {
                turn.outcome = TurnOutcome::NotKnown;
                turn.unsure = vec![not_known(unknown)];
            }
            PodDecision::Gated => {
                turn.outcome = TurnOutcome::Gated;
                turn.message = Some(GATED.to_owned());
                turn.waits_for = Some(gates_to_remove(pod));
            }
            PodDecision::Unschedulable(failure) => {
                turn.outcome = TurnOutcome::Unschedulable;
                self.tell_failure(failure, turn);
                turn.freed = self.freed(decision);
            }
            PodDecision::Error(failure) => {
                turn.outcome = TurnOutcome::Error;
                self.tell_failure(failure, turn);
                turn.freed = self.freed(decision);
            }
        }
    }

    /// Lets a turn say which node a pod gets, and with which devices. `tied`: nodes of the same score.
    fn tell_node(
        &self,
        node: usize,
        tied: &[usize],
        outcome: &PodOutcome,
        pod: &Pod,
        turn: &mut Turn,
    ) {
        turn.node = Some(self.node_name(&node));
        turn.tied = tied.iter().map(|node| self.node_name(node)).collect();
        turn.decided_by = Some(if outcome.unsure.contains(&Unsure::Sampled) {
            DecidedBy::Sample
        } else if tied.is_empty() {
            DecidedBy::Scores
        } else {
            DecidedBy::Name
        });
        turn.devices = self.devices(outcome, pod);
        turn.evicted_by = self.evictions(pod);
    }

    /// Lets a turn say why a pod gets no node, and what the scheduler does about it.
    fn tell_failure(&self, failure: &scheduler::outcome::Failure, turn: &mut Turn) {
        turn.message = Some(failure.message.clone());
        turn.help = failure.help.clone();
        turn.takes = failure.place.as_ref().map(|node| self.node_name(node));
        turn.untried = failure.untried;
        turn.nominated = failure.nominated.as_ref().map(|node| self.node_name(node));
        let victims = failure.victims.iter();
        turn.victims = victims.map(|pod| self.pod_name(pod)).collect();
    }

    /// Returns the claim that an attempt gives back: `namespace/name`.
    fn freed(&self, decision: &PodDecision) -> Option<String> {
        let (PodDecision::Unschedulable(failure) | PodDecision::Error(failure)) = decision else {
            return None;
        };
        let outcome = self.simulation.claims.get(failure.freed?)?;
        Some(outcome.claim.metadata.full_name())
    }

    fn node_name(&self, node: &usize) -> String {
        let node = self.facts.nodes.get(*node);
        node.map_or_else(String::new, |node| node.metadata.name.clone())
    }

    fn pod_name(&self, pod: &usize) -> String {
        let pod = self.facts.pods.get(*pod);
        pod.map_or_else(String::new, |pod| pod.metadata.full_name())
    }

    /// Returns the taints of a pod's devices that end it once it has a node (kube-controller-manager,
    /// `pkg/controller/devicetainteviction`).
    fn evictions(&self, pod: &Pod) -> Vec<Message> {
        let mut list = Vec::new();
        for claim in self.claims_of(pod) {
            let allocation = claim.status.allocation.iter();
            for result in allocation.flat_map(|one| &one.devices.results) {
                if let Some(taints) = self.device(result).map(|device| &device.taints) {
                    list.extend(taints.iter().filter_map(|taint| eviction(result, taint)));
                }
            }
        }
        list
    }

    /// Returns the device that a claim has.
    fn device(&self, result: &AllocatedDevice) -> Option<&Device> {
        let slices = self.facts.slices.iter().map(|slice| &slice.spec);
        let mut of_pool =
            slices.filter(|spec| spec.driver == result.driver && spec.pool.name == result.pool);
        of_pool.find_map(|spec| {
            let mut devices = spec.devices.iter();
            devices.find(|device| device.name == result.device)
        })
    }

    /// Returns the conditions that the devices of a pod do not meet yet, each with its device.
    fn conditions_to_meet(&self, pod: &Pod) -> Vec<Message> {
        let mut list = Vec::new();
        for claim in self.claims_of(pod) {
            let results = claim
                .status
                .allocation
                .iter()
                .flat_map(|one| &one.devices.results);
            for result in results {
                let missing = result
                    .binding_conditions
                    .iter()
                    .filter(|condition| !claim.status.meets(result, condition));
                list.extend(missing.map(|condition| {
                    let device = format!("{}/{}/{}", result.driver, result.pool, result.device);
                    match binding::says_of(claim, result, condition) {
                        Some(says) => message!(
                            "pods.condition-of-device-says",
                            "{condition} of {device} ({says})",
                            condition,
                            device,
                            says
                        ),
                        None => message!(
                            "pods.condition-of-device",
                            "{condition} of {device}",
                            condition,
                            device
                        ),
                    }
                }));
            }
        }
        list
    }

    /// Returns the claims of a pod after the run.
    fn claims_of(&self, pod: &Pod) -> impl Iterator<Item = &Claim> {
        let entries = pod.spec.resource_claims.iter();
        entries.filter_map(|entry| {
            let name = pod.claim_of(&entry.name)?;
            let full_name = format!("{}/{name}", pod.metadata.namespace);
            self.claims.get(&full_name).copied()
        })
    }

    /// Says for which conditions a pod waits, and since when: the time at which its claims were allocated, if they were before the run.
    fn wait_for_conditions(&self, pod: &Pod, conditions: &[Message]) -> Message {
        let conditions = conditions.join(", ");
        let allocations = self
            .claims_of(pod)
            .filter_map(|claim| claim.status.allocation.as_ref());
        let times = allocations
            .filter_map(|made| made.allocation_timestamp.as_deref())
            .filter(|time| *time != NOW);
        match times.max() {
            Some(since) => message!(
                "pods.wait-conditions-since",
                "the binding conditions of its devices: {conditions}; the devices were allocated at {since}",
                conditions,
                since
            ),
            None => message!(
                "pods.wait-conditions",
                "the binding conditions of its devices: {conditions}",
                conditions
            ),
        }
    }

    /// Returns the claims for which volumes are made, and what makes them.
    fn volumes_to_make(&self, claims: &[usize]) -> Message {
        let facts = &self.facts.volumes;
        let mut list = Vec::new();
        for claim in claims.iter().filter_map(|at| facts.claims.get(*at)) {
            let class = facts
                .classes
                .iter()
                .find(|class| class.metadata.name == claim.class());
            list.push(message!(
                "pods.volume-by",
                "PersistentVolumeClaim {claim} by {provisioner}",
                claim = claim.metadata.full_name(),
                provisioner = class.map_or("", |class| class.provisioner.as_str())
            ));
        }
        message!(
            "pods.wait-volumes",
            "volumes to be made: {list}",
            list = list.join(", ")
        )
    }

    fn devices(&self, outcome: &PodOutcome, pod: &Pod) -> Vec<TurnDevice> {
        let made = outcome
            .extended
            .as_ref()
            .and_then(|extended| self.simulation.claims.get(extended.claim));
        let own = pod
            .spec
            .resource_claims
            .iter()
            .filter_map(|entry| pod.claim_of(&entry.name))
            .filter_map(|name| {
                self.claims
                    .get(&format!("{}/{name}", pod.metadata.namespace))
                    .copied()
            });
        let mut devices: Vec<TurnDevice> = Vec::new();
        for claim in own.chain(made.map(|made| &*made.claim)) {
            for result in claim
                .status
                .allocation
                .iter()
                .flat_map(|allocation| &allocation.devices.results)
            {
                let device = TurnDevice {
                    claim: claim.metadata.full_name(),
                    request: result.request.clone(),
                    device: format!("{}/{}/{}", result.driver, result.pool, result.device),
                    admin: result.admin_access == Some(true),
                };
                devices.push(device);
            }
        }
        devices
    }
}

/// Says that a taint of a device ends the pod that has it: at once, or after a while.
fn eviction(result: &AllocatedDevice, taint: &Taint) -> Option<Message> {
    if taint.effect != NO_EXECUTE {
        return None;
    }
    let tolerations = result.tolerations.iter();
    let tolerating: Vec<Option<i64>> = tolerations
        .filter(|toleration| tolerates(toleration, taint).is_ok())
        .map(|toleration| toleration.toleration_seconds)
        .collect();
    let seconds: Vec<i64> = tolerating.iter().copied().flatten().collect();
    let device = &result.device;
    let taint = taint.name();
    match seconds.iter().min() {
        None if tolerating.is_empty() => Some(message!(
            "pods.evicted",
            "its device {device} has the taint {taint}, which ends the pod as soon as it has a node",
            device,
            taint
        )),
        None => None,
        Some(seconds) => Some(message!(
            "pods.evicted-after",
            "its device {device} has the taint {taint}, which it tolerates for {seconds} seconds only: then the pod ends",
            device,
            taint,
            seconds
        )),
    }
}

fn message(decision: &PodDecision) -> Option<String> {
    match decision {
        PodDecision::Unschedulable(failure) | PodDecision::Error(failure) => {
            Some(failure.message.clone())
        }
        PodDecision::Bound { .. }
        | PodDecision::Preparing { .. }
        | PodDecision::NotConsidered(_)
        | PodDecision::NotKnown(_)
        | PodDecision::Gated => None,
    }
}

/// Returns why it is not known whether a pod gets a node.
fn not_known(unknown: &Unknown) -> Message {
    match unknown {
        Unknown::Volumes(claims) => message!(
            "pods.volumes-not-given",
            "not known, for its volumes are not given: PersistentVolumeClaim {claims}",
            claims = claims.join(", ")
        ),
        Unknown::NamedByVolumeClaims(claims) => message!(
            "pods.volumes-named",
            "not known, for the PersistentVolume or StorageClass is not given of PersistentVolumeClaim {claims}",
            claims = claims.join(", ")
        ),
        Unknown::NewVolumeClaims(claims) => message!(
            "pods.volumes-new",
            "not known, for controllers bind new volumes before the scheduler looks: PersistentVolumeClaim {claims}",
            claims = claims.join(", ")
        ),
        Unknown::NodeLabels(labels) => message!(
            "pods.node-labels-not-given",
            "not known, for labels of its node are not given: {labels}",
            labels = labels.join(", ")
        ),
    }
}

fn waits_for(waiting: &Waiting, facts: &Facts) -> Message {
    match waiting {
        Waiting::Claim(reason) => {
            message!("pods.wait-claims", "its ResourceClaims: {reason}", reason)
        }
        Waiting::Group(name) if facts.is_whole("PodGroup") => message!(
            "pods.wait-absent-group",
            "PodGroup {name}, which is not there",
            name
        ),
        Waiting::Group(name) => message!(
            "pods.wait-group",
            "PodGroup {name}, which is not given",
            name
        ),
        Waiting::Members { group, have, need } => {
            message!(
                "pods.wait-members",
                "more pods of its group {group}: {have} of {need} are there",
                group,
                have,
                need
            )
        }
        Waiting::Member { group, pod } => {
            let pod = facts.pods.get(*pod);
            message!(
                "pods.wait-member",
                "{pod} of its group {group}, which is held back",
                pod = pod.map_or_else(String::new, |pod| pod.metadata.full_name()),
                group
            )
        }
        Waiting::Scheduler(name) => {
            message!(
                "pods.wait-scheduler",
                "the scheduler {name}, which is not followed here",
                name
            )
        }
        Waiting::Deleted => message!("pods.wait-end", "its end: it is being deleted"),
    }
}

/// Makes the turn of a pod that is not waiting.
pub fn settled(pod: &Pod) -> Turn {
    let ended = matches!(pod.status.phase.as_str(), "Succeeded" | "Failed");
    let outcome = if ended {
        TurnOutcome::Ended
    } else {
        TurnOutcome::Placed
    };
    Turn {
        outcome,
        node: Some(pod.spec.node_name.clone()).filter(|name| !name.is_empty()),
        ..Turn::default()
    }
}
