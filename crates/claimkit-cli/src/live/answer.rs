//! The text of `why`: a sentence for each pod, the scheduler's own beside it, the nodes grouped by their reasons, and what helps.

use super::brief::Brief;
use super::helps;
use super::index::ClusterIndex;
use super::kinds::{NODES, SLICES};
use super::pod_devices::PodDevices;
use super::read::{MissingObjects, Unseen};
use super::rewrites;
use super::sentences::as_sentence;
use super::start;
use super::users::Users;
use super::ways::{
    Help, HelpFacts, Templates, TrialOutcome, Trials, Way, error_node, is_about_others,
};
use claimkit::PreparedCluster;
use claimkit::report::text::{visible, wrapped};
use claimkit_model::finding::Code;
use claimkit_model::message::{Message, Words};
use claimkit_model::nearest::near;
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::objects::{CORDONED, Pod};
use claimkit_scheduler::allocator::plugin_rules::PluginRules;
use claimkit_scheduler::allocator::status::StatusCode;
use claimkit_scheduler::explain::account::{LEAST_OF_ALL, Missing, NodeAccount, PodAccount};
use claimkit_scheduler::explain::headline::{Headline, HeadlinePart};
use claimkit_scheduler::explain::kinds::{Absent, ConflictKind, NodeVerdict, PoolState, StageKind};
use claimkit_scheduler::explain::turn::{NodeRefusal, Plugin, Turn, TurnOutcome};
use claimkit_scheduler::explain::words;
use claimkit_values::order;
use serde::Serialize;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of names in one line.
const MOST_NAMES: usize = 3;
/// Maximum number of lines about one pod, unless all is asked for.
const MOST_LINES: usize = 12;
/// Maximum number of pods that are each explained, unless all is asked for; more are counted by reason.
const MOST_IN_FULL: usize = 3;
/// Maximum number of findings about the cluster that are listed.
const MOST_FINDINGS: usize = 3;
/// Maximum number of assumptions that are listed.
const MOST_ASSUMED: usize = 3;
/// In the scheduler's message about volumes that are not there.
const UNBOUND_CLAIMS: &str = "unbound immediate PersistentVolumeClaims";
/// Ends a message of the scheduler that preemption does not change.
const NO_PREEMPTION: &str = "Preemption is not helpful for scheduling.";

/// A pod with its account.
pub struct AnsweredPod<'a> {
    pub brief: &'a Brief,
    /// The release of the cluster.
    pub release: Release,
    /// The group that it starts with.
    pub group: Option<&'a str>,
    /// Its account, if it waits and asks for devices.
    pub account: Option<&'a PodAccount>,
    /// The objects that could not be read.
    pub unseen: &'a [Unseen],
    /// The users of claims that hold devices.
    pub users: &'a Users,
    /// The templates of its claims.
    pub templates: Templates,
    /// What it gets where something is changed.
    pub trials: Trials,
    /// The ways to give it a node, once they were looked for: that takes long.
    pub ways: OnceCell<Vec<Way>>,
    pub cluster: &'a PreparedCluster,
    pub index: &'a ClusterIndex<'a>,
    /// The pod as the cluster has it.
    pub pod: Option<&'a Pod>,
    /// Preemption that is under way for it.
    pub preemption: Option<String>,
    /// What is wrong with the devices that it has or could get.
    pub devices: PodDevices,
    /// Why binding the devices that it has failed.
    pub failed_binding: Option<Message>,
    /// The answer assumes changes of the cluster.
    pub is_after_changes: bool,
}

/// The facts on which the answer is based.
pub struct Beside<'a> {
    /// The objects that could not be read.
    pub unseen: &'a [Unseen],
    /// The changes that were assumed.
    pub assumed: &'a [Message],
    /// The errors found in the cluster.
    pub findings: &'a [Words],
    /// The pods by what keeps them.
    pub headline: Option<&'a Headline>,
    /// The sentence where no pod waits.
    pub none: &'a str,
}

/// How much is said, and how wide.
#[derive(Clone, Copy)]
pub struct Form {
    pub width: usize,
    /// Everything is said.
    pub is_full: bool,
}

impl Form {
    /// Returns how many entries of a list are written: `usual`, or all.
    fn most(self, usual: usize) -> usize {
        if self.is_full { usize::MAX } else { usual }
    }
}

/// The outcome for a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum LiveVerdict {
    /// It has a node.
    Scheduled,
    Ended,
    /// It is taken alone, and asks for no devices.
    NoDevices,
    /// Something stops it before any node is tried.
    Stopped,
    /// In turn: it gets a node. Alone: some node can give it its devices.
    Fits,
    /// A node fits, and kube-apiserver refuses its devices: a quota or its namespace does not allow them.
    NotAllowed,
    Refused,
    /// Objects that would decide could not be read.
    Unknown,
}

impl LiveVerdict {
    /// Returns true if the pod gets no node.
    pub fn is_refused(self) -> bool {
        matches!(
            self,
            LiveVerdict::Stopped | LiveVerdict::Refused | LiveVerdict::NotAllowed
        )
    }
}

impl AnsweredPod<'_> {
    /// Returns the outcome for the pod.
    pub fn verdict(&self) -> LiveVerdict {
        match self.known_verdict() {
            LiveVerdict::Fits
                if self.exceeded_quota().is_some() || self.lacking_admin_label().is_some() =>
            {
                LiveVerdict::NotAllowed
            }
            verdict => verdict,
        }
    }

    /// Returns the outcome for the pod as far as kube-scheduler decides it.
    fn known_verdict(&self) -> LiveVerdict {
        match self.seen_verdict() {
            LiveVerdict::Stopped | LiveVerdict::Refused | LiveVerdict::Fits
                if self.lacks().is_some() =>
            {
                LiveVerdict::Unknown
            }
            verdict => verdict,
        }
    }

    /// Returns the kind that could not be read, and would decide: what the pod lacks may be there.
    fn lacks(&self) -> Option<&str> {
        let account = self.account?;
        let absent = account
            .before
            .as_ref()
            .and_then(|before| before.absent)
            .or_else(|| self.turn().and_then(|turn| turn.absent));
        if account.before.is_some() || absent.is_some() {
            return absent
                .map(Absent::plural)
                .filter(|plural| self.unseen.iter().any(|unseen| unseen.is_about(plural)));
        }
        // The labels, taints and resources of nodes that were not seen are not known.
        let mut unseen = self.unseen.iter();
        if unseen
            .any(|unseen| unseen.is_about(NODES) && unseen.missing != MissingObjects::Undecoded)
            && (self.fits() || self.nodes().next().is_none() || !self.only_devices_refuse())
        {
            return Some(NODES);
        }
        if self.fits() {
            return None;
        }
        let about_devices = self.nodes().any(|node| !is_about_others(node));
        Some(SLICES).filter(|plural| {
            about_devices
                && self
                    .unseen
                    .iter()
                    .any(|unseen| unseen.is_file() || unseen.is_all_of(plural))
        })
    }

    /// Returns what could not be seen of a kind that decides: the kind, or the files that may hold it.
    fn unseen_about(&self, plural: &str) -> String {
        let unseen = self.unseen.iter();
        let about: Vec<&Unseen> = unseen.filter(|unseen| unseen.is_about(plural)).collect();
        let are_files = about.iter().all(|unseen| unseen.is_file());
        if about.is_empty() || !are_files {
            return plural.to_owned();
        }
        let names: Vec<&str> = about.iter().map(|file| file.what.as_str()).collect();
        words::some(&names, MOST_NAMES)
    }

    /// Returns true if a node takes the pod, as far as the nodes are known.
    fn fits(&self) -> bool {
        self.seen_verdict() == LiveVerdict::Fits
    }

    /// Returns true if the kind that decides is that of slices, of which files hold none.
    fn may_have_no_slices(&self, lacks: &str) -> bool {
        lacks == SLICES
            && self.unseen.iter().any(|unseen| {
                unseen.is_all_of(SLICES) && unseen.missing == MissingObjects::NotInFiles
            })
            && !self.unseen.iter().any(Unseen::is_file)
    }

    /// Returns the outcome for the pod by what was read.
    fn seen_verdict(&self) -> LiveVerdict {
        let is_open = self
            .account
            .is_some_and(|account| account.unknown.is_some());
        if is_open && self.brief.waits() {
            return LiveVerdict::Unknown;
        }
        if matches!(self.brief.phase(), "Succeeded" | "Failed") {
            return LiveVerdict::Ended;
        }
        if self.brief.node().is_some() {
            return LiveVerdict::Scheduled;
        }
        let Some(account) = self.account else {
            return LiveVerdict::NoDevices;
        };
        if let Some(turn) = &account.turn {
            return match turn.outcome {
                TurnOutcome::Bound | TurnOutcome::Preparing => LiveVerdict::Fits,
                TurnOutcome::Placed => LiveVerdict::Scheduled,
                TurnOutcome::Ended => LiveVerdict::Ended,
                TurnOutcome::Gated | TurnOutcome::NotConsidered => LiveVerdict::Stopped,
                TurnOutcome::NotKnown => LiveVerdict::Unknown,
                TurnOutcome::Unschedulable if account.stops_before_nodes() => LiveVerdict::Stopped,
                TurnOutcome::Unschedulable | TurnOutcome::Error => {
                    match account.before.as_ref().map(|before| before.code) {
                        None | Some(StatusCode::Skip) => LiveVerdict::Refused,
                        Some(_) => LiveVerdict::Stopped,
                    }
                }
            };
        }
        match &account.before {
            Some(before) if before.code == StatusCode::Skip => LiveVerdict::NoDevices,
            Some(_) => LiveVerdict::Stopped,
            None if account.nodes.iter().any(is_allocated) => LiveVerdict::Fits,
            None => LiveVerdict::Refused,
        }
    }

    /// Returns the changes that would help, if it gets no node.
    pub fn helps(&self) -> Vec<Help> {
        if self.verdict() == LiveVerdict::Refused && !self.is_preempting() {
            helps::helps_of(self.ways(), self.facts())
        } else {
            Vec::new()
        }
    }

    /// Returns the ways to give it a node.
    fn ways(&self) -> &[Way] {
        self.ways.get_or_init(|| {
            let account = self.account;
            account
                .map(|account| helps::ways_of(account, self.facts()))
                .unwrap_or_default()
        })
    }

    /// Returns the changes that were tried for it with this outcome, in words.
    pub fn changes_that(&self, wanted: TrialOutcome) -> BTreeSet<String> {
        let ways = self
            .ways()
            .iter()
            .filter(|way| self.trials.outcome(way) == Some(wanted));
        ways.map(Way::text).collect()
    }

    /// Returns why no change is known that helps it.
    fn why_none(&self) -> Option<String> {
        let account = self.account.filter(|_| !self.is_preempting())?;
        helps::why_none(account, self.ways(), self.facts())
    }

    /// Returns what keeps changes from helping it, or that none is needed.
    fn what_keeps_all(&self) -> Option<String> {
        if self.is_preempting() {
            self.preemption.clone()
        } else {
            helps::what_keeps_all(self.account?, self.ways(), self.facts())
        }
    }

    /// Returns what is known beside its account.
    fn facts(&self) -> HelpFacts<'_> {
        HelpFacts {
            release: self.release,
            cluster: self.cluster,
            index: self.index,
            pod: self.pod,
            users: self.users,
            templates: &self.templates,
            trials: &self.trials,
        }
    }

    /// Returns sentences about what is wrong with its devices.
    pub fn faults(&self) -> Vec<String> {
        match self.verdict() {
            LiveVerdict::Ended => Vec::new(),
            LiveVerdict::Scheduled if self.brief.node().is_some() => {
                let is_pending = self.brief.is_pending();
                let mut lines = self.devices.on_node(is_pending);
                if let Some(pod) = self.pod {
                    lines.extend(start::reasons(pod, self.cluster, is_pending));
                }
                lines
            }
            _ => self.devices.rules(),
        }
    }

    /// Returns true if preemption makes room for it, or is about to: nothing needs to be done.
    fn is_preempting(&self) -> bool {
        self.preemption.is_some() || self.turn().is_some_and(|turn| turn.nominated.is_some())
    }

    /// Returns the claims that it shares with as many pods as can use one.
    fn full_claims(&self) -> Vec<String> {
        let has_node = self.nodes().any(is_allocated);
        let account = self.account.filter(|_| has_node);
        account
            .map(|account| rewrites::full_claims(account, self.facts()))
            .unwrap_or_default()
    }

    /// Returns kube-apiserver's words about a quota that keeps kube-scheduler from making the claim for its extended resources.
    fn exceeded_quota(&self) -> Option<String> {
        let (account, pod) = (self.account?, self.pod?);
        let resources = account.extended_resources.iter();
        let asked = resources.flat_map(|(resource, class)| {
            let containers = pod.spec.containers.iter();
            let amounts =
                containers.filter_map(move |container| container.resources.requests.get(resource));
            amounts.map(move |amount| {
                let count = i64::try_from(amount.value()).unwrap_or(i64::MAX);
                (class.as_str(), count)
            })
        });
        let devices: Vec<(&str, i64)> = asked.collect();
        let namespace = &self.brief.metadata.namespace;
        (!devices.is_empty())
            .then(|| self.cluster.refusal_of_extended(namespace, &devices))
            .flatten()
    }

    /// Returns the label that the namespace of the pod lacks, if a claim of it that has no devices yet asks for admin access.
    fn lacking_admin_label(&self) -> Option<&'static str> {
        let rules = PluginRules::of(self.release.minor, self.release.patch);
        let label = rules.admin_label?;
        let mut findings = self.account?.findings.iter();
        let asks = findings.any(|remark| remark.finding.code == Code::AdminAccessLabel);
        let namespace = &self.brief.metadata.namespace;
        (asks && self.cluster.lacks_label(namespace, label)).then_some(label)
    }

    /// Describes the pod in one sentence.
    fn sentence(&self) -> String {
        let name = self.brief.full_name();
        let state = match self.verdict() {
            LiveVerdict::Scheduled => {
                format!("has a node: {}.", self.brief.node().unwrap_or_default())
            }
            LiveVerdict::Unknown => self.sentence_unknown(),
            LiveVerdict::Ended => format!("has ended: {}.", self.brief.phase()),
            LiveVerdict::NoDevices => {
                "waits, and asks for no devices: something else keeps it.".to_owned()
            }
            LiveVerdict::Stopped => self.sentence_stopped(),
            LiveVerdict::Fits | LiveVerdict::NotAllowed => self.sentence_fits(),
            LiveVerdict::Refused => self.sentence_refused(),
        };
        format!("{name} {state}")
    }

    /// Returns the sentence about a pod of which the outcome is not known, after its name.
    fn sentence_unknown(&self) -> String {
        let lacks = self.lacks().unwrap_or_default();
        if self.may_have_no_slices(lacks) {
            return "waits, and no file has a ResourceSlice. If the cluster has none, no driver publishes devices; otherwise it is not known why.".to_owned();
        }
        if let Some(why) = self.why_unknown() {
            return format!("waits: {why}.");
        }
        let unseen = self.unseen_about(lacks);
        format!("waits. It is not known why, for {unseen} could not be seen.")
    }

    /// Returns why the account leaves the outcome open.
    fn why_unknown(&self) -> Option<&Message> {
        let open_turn = self
            .turn()
            .filter(|turn| turn.outcome == TurnOutcome::NotKnown);
        open_turn
            .and_then(|turn| turn.unsure.first())
            .or_else(|| self.account?.unknown.as_ref())
    }

    /// Returns the sentence about a pod that is stopped before any node is tried, after its name.
    fn sentence_stopped(&self) -> String {
        match self.why_stopped() {
            Some(why) => format!("waits, and no node is tried: {why}."),
            None => "waits, and no node is tried.".to_owned(),
        }
    }

    /// Returns the sentence about a pod that some node can take, after its name.
    fn sentence_fits(&self) -> String {
        if let Some((node, what)) = self.preparing() {
            return match &self.failed_binding {
                Some(why) => format!(
                    "waits: binding its devices failed, for {why}. kube-scheduler takes them back and tries again; on {node} it then waits for {what}."
                ),
                None => format!("waits on {node}, until it has {what}."),
            };
        }
        let NodeWords { nodes, can } = self.nodes_that_fit();
        if self.exceeded_quota().is_some() {
            format!("waits: {nodes} {can}, but a quota does not allow it.")
        } else if self.lacking_admin_label().is_some() {
            format!("waits: {nodes} {can}, but its namespace does not allow admin access.")
        } else if self.is_after_changes {
            format!("waits now; with what is assumed, {nodes} {can}.")
        } else if self.evictions().is_empty() {
            format!("waits, although {nodes} {can}.")
        } else {
            format!("waits: {nodes} {can}, and a taint of its devices ends it there.")
        }
    }

    /// Names the nodes that can take the pod, or, where it is taken alone, those that can give it its devices.
    fn nodes_that_fit(&self) -> NodeWords {
        let Some(turn) = self.turn() else {
            let allocated = self.nodes().filter(|node| is_allocated(node));
            let names: Vec<&str> = allocated.map(|node| node.name.as_str()).collect();
            return NodeWords {
                nodes: words::some(&names, MOST_NAMES),
                can: match names.as_slice() {
                    [_] => "can give it its devices",
                    _ => "could each give it its devices",
                },
            };
        };
        let tied = turn.tied.iter().map(String::as_str);
        let names: Vec<&str> = turn.node.as_deref().into_iter().chain(tied).collect();
        NodeWords {
            nodes: words::some(&names, MOST_NAMES),
            can: match names.as_slice() {
                [_] => "can take it",
                _ => "could each take it",
            },
        }
    }

    /// Returns the sentence about a pod that gets no node, after its name: the first reason that applies.
    fn sentence_refused(&self) -> String {
        self.group_does_not_start()
            .or_else(|| self.error_of_a_plugin())
            .or_else(|| self.claim_has_too_many_users())
            .or_else(|| self.error_beside_nodes_that_fit())
            .or_else(|| self.some_nodes_are_given())
            .unwrap_or_else(|| self.no_node_takes_it())
    }

    /// Says that a node takes the pod, and its group keeps it from starting.
    fn group_does_not_start(&self) -> Option<String> {
        let node = self.turn()?.takes.as_deref()?;
        Some(format!(
            "waits: {node} takes it, but its group does not start."
        ))
    }

    /// Says on which node a plugin ends the attempt with an error.
    fn error_of_a_plugin(&self) -> Option<String> {
        let node = error_node(self.account?)?;
        Some(format!(
            "waits: an error on {} ends the attempt.",
            node.name
        ))
    }

    /// Says that a claim of the pod is reserved for as many pods as can use one.
    fn claim_has_too_many_users(&self) -> Option<String> {
        let full_claims = self.full_claims();
        let claim = full_claims.first()?;
        let users = self.users.reserved_for(claim).len();
        Some(format!(
            "waits: its ResourceClaim {claim} is reserved for {users} already, the most that there can be."
        ))
    }

    /// Says that an error ends the attempt although nodes could take the pod.
    fn error_beside_nodes_that_fit(&self) -> Option<String> {
        if self.turn()?.outcome != TurnOutcome::Error {
            return None;
        }
        let fitting: Vec<&NodeAccount> = self.nodes().filter(|node| is_allocated(node)).collect();
        match fitting.as_slice() {
            [] => None,
            [node] => Some(format!(
                "waits: an error on {} ends the attempt.",
                node.name
            )),
            _ => Some("waits: an error ends the attempt on a node that could take it.".to_owned()),
        }
    }

    /// Says that kube-scheduler tried more nodes than files hold; `None`: it did not.
    fn some_nodes_are_given(&self) -> Option<String> {
        let given = self.count_nodes();
        let tried = self.brief.nodes_tried()?;
        let may_lack = self.cluster.is_of_files() && !self.cluster.is_whole("Node");
        if !may_lack || self.is_after_changes || given == 0 || tried <= given {
            return None;
        }
        let (are, them) = match given {
            1 => ("is", "it"),
            _ => ("are", "none of these"),
        };
        let verdict = match (given, self.only_devices_refuse()) {
            (1, true) => "cannot give it its devices",
            (1, false) => "does not take it",
            (_, true) => "can give it its devices",
            (_, false) => "takes it",
        };
        Some(format!(
            "waits: kube-scheduler tried {tried} nodes, of which {given} {are} given, and {them} {verdict}."
        ))
    }

    /// Says that no node takes the pod, or that there is none to try.
    fn no_node_takes_it(&self) -> String {
        let is_account_of_other = self
            .account
            .is_some_and(|account| account.same_as.is_some());
        let is_untried = self.turn().is_some_and(|turn| turn.untried);
        let only_devices = self.only_devices_refuse();
        match self.count_nodes() {
            0 if is_account_of_other => "waits: no node takes it.".to_owned(),
            0 if is_untried => "waits: it is not tried, for its group does not start.".to_owned(),
            0 => "waits: there is no node to try.".to_owned(),
            1 if only_devices => "waits: the only node cannot give it its devices.".to_owned(),
            1 => "waits: the only node does not take it.".to_owned(),
            all if only_devices => {
                format!("waits: none of {all} nodes can give it its devices.")
            }
            all => format!("waits: none of {all} nodes takes it."),
        }
    }

    /// Returns the number of nodes that were judged, with those that the account leaves out.
    fn count_nodes(&self) -> usize {
        let left_out = self.turn().map_or(0, |turn| turn.nodes_left_out);
        self.nodes().count().saturating_add(left_out)
    }

    /// Returns true if nothing but the devices of the nodes refuses the pod.
    fn only_devices_refuse(&self) -> bool {
        self.nodes().all(is_about_devices)
    }

    /// Returns what stops the pod before any node is tried.
    fn why_stopped(&self) -> Option<String> {
        let before = self.account.and_then(|account| account.before.as_ref());
        if let Some(before) = before.filter(|before| before.code != StatusCode::Skip) {
            return Some(before.message.clone());
        }
        let turn = self.turn()?;
        if let Some(waits_for) = &turn.waits_for {
            return Some(format!("it waits for {waits_for}"));
        }
        let (_, why) = turn
            .message
            .as_deref()?
            .split_once(" nodes are available: ")?;
        // The scheduler writes this where preemption finds no node to look at.
        let why = without_preemption(why).trim_end_matches('.');
        let why = why.strip_suffix(". not found").unwrap_or(why);
        Some(format!("{why}{}", self.unbound_volume_claims(why)))
    }

    /// Names the PersistentVolumeClaims without a volume if they are what stops the pod, with the reason.
    fn unbound_volume_claims(&self, why: &str) -> String {
        let Some(pod) = self.pod.filter(|_| why.contains(UNBOUND_CLAIMS)) else {
            return String::new();
        };
        let claims = self.cluster.unbound_volume_claims(pod);
        let named: Vec<String> = claims
            .iter()
            .map(|claim| match claim.why {
                Some(why) => format!("{}, {}", claim.name, why.trim_end_matches('.')),
                None => claim.name.to_owned(),
            })
            .collect();
        if named.is_empty() {
            String::new()
        } else {
            format!(" ({})", named.join("; "))
        }
    }

    /// Returns the taints of its devices that end the pod once it has a node.
    fn evictions(&self) -> &[Message] {
        self.turn().map_or(&[], |turn| &turn.evicted_by)
    }

    /// Returns the node that holds devices and volumes for the pod, and what they lack.
    fn preparing(&self) -> Option<(&str, &str)> {
        let turn = self.turn()?;
        let is_preparing = turn.outcome == TurnOutcome::Preparing;
        let (node, what) = (turn.node.as_deref()?, turn.waits_for.as_deref()?);
        is_preparing.then_some((node, what))
    }

    /// Returns the outcome when all pods that wait are placed in turn; `None`: the pod is taken alone.
    fn turn(&self) -> Option<&Turn> {
        self.account.and_then(|account| account.turn.as_deref())
    }

    fn nodes(&self) -> impl Iterator<Item = &NodeAccount> {
        self.account.into_iter().flat_map(|account| &account.nodes)
    }
}

/// Nodes that can take a pod, and the verb for them: `node-1`, `can take it`.
struct NodeWords {
    nodes: String,
    can: &'static str,
}

/// Returns true if only the devices of a node refuse the pod.
fn is_about_devices(node: &NodeAccount) -> bool {
    node.refusals
        .iter()
        .all(|refusal| refusal.plugin == Plugin::DynamicResources)
}

fn is_allocated(node: &NodeAccount) -> bool {
    node.verdict == NodeVerdict::Allocated
}

/// Nodes with the same reasons.
struct Group<'a> {
    names: Vec<&'a str>,
    /// The lines that all nodes share.
    lines: Vec<String>,
    /// The lines about each node's own amounts and devices.
    own: Vec<LinesOfNode<'a>>,
    /// How near the first of the nodes comes to taking the pod.
    nearness: Nearness,
    /// What nodes that the pod excludes have in place of what it selects, while that is the same for all.
    have: Option<Vec<String>>,
    /// The labels that the pod selects and these nodes lack, as `key=value`: the first of the lines are about them.
    labels: &'a [String],
}

/// The lines about one node.
struct LinesOfNode<'a> {
    node: &'a str,
    lines: Vec<String>,
}

/// How near a node comes to taking a pod: the smaller, the nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// It may have the devices: something else refuses the pod.
    Near,
    /// Its devices refuse the pod after this many stages that left some, and so many are missing.
    Lacking(Reverse<usize>, i64),
    /// It has no device of the class.
    WithoutDevices,
    /// The pod itself excludes it.
    Unwanted,
}

impl Nearness {
    /// Judges a node. `devices`: the node with the account of its devices.
    fn of(node: &NodeAccount, devices: &NodeAccount, asks: Asks<'_>) -> Self {
        if node.is_unwanted() {
            return Nearness::Unwanted;
        }
        if !asks.for_devices {
            return Nearness::Near;
        }
        if is_about_others(node) {
            return if asks.index.may_have_devices(&node.name) {
                Nearness::Near
            } else {
                Nearness::WithoutDevices
            };
        }
        let requests = devices.requests.iter();
        let lacking = requests.filter(|request| devices.lacks(request, LEAST_OF_ALL));
        let stages = lacking.map(|request| {
            let some_left = request.funnel.iter().take_while(|stage| stage.left > 0);
            let last = some_left.clone().last().map(|stage| stage.stage);
            match last {
                None | Some(StageKind::Node | StageKind::Pool | StageKind::Feature) => 0,
                Some(_) => some_left.count(),
            }
        });
        match stages.min() {
            Some(0) => Nearness::WithoutDevices,
            Some(stages) => {
                Nearness::Lacking(Reverse(stages), devices.missing_devices(LEAST_OF_ALL))
            }
            None => Nearness::Lacking(Reverse(usize::MAX), 0),
        }
    }
}

/// What the nodes are asked for.
#[derive(Clone, Copy)]
struct Asks<'a> {
    for_devices: bool,
    index: &'a ClusterIndex<'a>,
}

/// Writes the answer.
pub fn text(answered: &[AnsweredPod<'_>], beside: &Beside<'_>, form: Form) -> String {
    let width = form.width;
    let mut out = String::new();
    write_assumed(&mut out, beside.assumed, form);
    if answered.is_empty() {
        out.push_str(&wrapped(beside.none, 0, 2, width));
    }
    let headline = beside
        .headline
        .filter(|_| answered.len() > MOST_IN_FULL && !form.is_full);
    if let Some(headline) = headline {
        by_reason(&mut out, answered, headline, width);
    } else {
        for (at, pod) in answered.iter().enumerate() {
            if at > 0 {
                out.push('\n');
            }
            out.push_str(&about(pod, beside, form));
        }
    }
    let findings = findings_to_list(answered, beside, form);
    if !findings.is_empty() {
        out.push_str("\nIn the cluster:\n");
        list(&mut out, &findings, form.most(MOST_FINDINGS), width);
    }
    out
}

/// Writes the changes that were assumed.
fn write_assumed(out: &mut String, assumed: &[Message], form: Form) {
    let most = form.most(MOST_ASSUMED);
    for line in assumed.iter().take(most) {
        out.push_str(&wrapped(&format!("Assumed: {line}"), 0, 2, form.width));
    }
    let more = assumed.len().saturating_sub(most);
    if more > 0 {
        let line = format!("Assumed: {more} more, which `--all` names");
        out.push_str(&wrapped(&line, 0, 2, form.width));
    }
}

/// Returns the errors found in the cluster that the lines about the pods do not name; none if no pod is refused.
fn findings_to_list<'b>(
    answered: &[AnsweredPod<'_>],
    beside: &Beside<'b>,
    form: Form,
) -> Vec<&'b Words> {
    let is_about_cluster = |pod: &AnsweredPod<'_>| {
        matches!(pod.verdict(), LiveVerdict::Stopped | LiveVerdict::Refused)
    };
    if !answered.iter().any(is_about_cluster) {
        return Vec::new();
    }
    // The lines about the nodes of a single pod have what is wrong in the cluster.
    if let [pod] = answered
        && !form.is_full
        && has_lines_of_nodes(pod, beside)
    {
        return Vec::new();
    }
    beside
        .findings
        .iter()
        .filter(|finding| !is_in_message(finding, answered))
        .collect()
}

/// Returns true if the answer about a pod has lines about the amounts and devices of single nodes.
fn has_lines_of_nodes(pod: &AnsweredPod<'_>, beside: &Beside<'_>) -> bool {
    let groups = Parts::of(pod, beside).groups;
    let mut nodes = groups.iter().flat_map(|group| &group.own);
    nodes.any(|own| !own.lines.is_empty())
}

/// Returns true if the scheduler's message about a pod has the finding.
fn is_in_message(finding: &Words, answered: &[AnsweredPod<'_>]) -> bool {
    answered
        .iter()
        .filter_map(|pod| pod.turn()?.message.as_deref())
        .any(|message| message.contains(finding.as_str()))
}

/// Writes the pods by what keeps them: each reason once, with what helps the first pod that it keeps.
fn by_reason(out: &mut String, answered: &[AnsweredPod<'_>], headline: &Headline, width: usize) {
    let by_name: BTreeMap<String, &AnsweredPod<'_>> = answered
        .iter()
        .map(|pod| (pod.brief.full_name(), pod))
        .collect();
    let mut said: BTreeSet<&str> = BTreeSet::new();
    for part in &headline.parts {
        let refused = refused_pods(part, &by_name);
        if refused.is_empty() {
            continue;
        }
        said.extend(refused.iter().map(|named| named.name));
        write_reason(out, &refused, &part.reason, width);
        write_help_for_reason(out, &refused, part.help.as_ref(), width);
    }
    for pod in answered {
        if !said.contains(pod.brief.full_name().as_str()) {
            write_in_short(out, pod, width);
        }
    }
    out.push_str(&wrapped(
        "`why POD -n NAMESPACE` says more about one pod, `--all` about all.",
        0,
        2,
        width,
    ));
}

/// A pod with its `namespace/name`.
struct NamedPod<'n, 'a> {
    name: &'n str,
    pod: &'n AnsweredPod<'a>,
}

/// Returns the pods of a reason that get no node and are asked about.
fn refused_pods<'n, 'a>(
    part: &'n HeadlinePart,
    by_name: &BTreeMap<String, &'n AnsweredPod<'a>>,
) -> Vec<NamedPod<'n, 'a>> {
    let names = part.pods.iter();
    let known = names.filter_map(|name| {
        let pod = by_name.get(name).copied()?;
        Some(NamedPod { name, pod })
    });
    known
        .filter(|named| named.pod.verdict().is_refused())
        .collect()
}

/// Writes which pods a reason keeps.
fn write_reason(out: &mut String, pods: &[NamedPod<'_, '_>], reason: &Words, width: usize) {
    let count = match pods.len() {
        1 => String::new(),
        count => format!("{count} pods: "),
    };
    let names: Vec<&str> = pods.iter().map(|named| named.name).collect();
    let names = words::some(&names, MOST_NAMES);
    out.push_str(&wrapped(&format!("{count}{names}: {reason}"), 0, 2, width));
}

/// Writes what helps the pods of a reason. `help_of_reason`: what an account alone suggests.
fn write_help_for_reason(
    out: &mut String,
    pods: &[NamedPod<'_, '_>],
    help_of_reason: Option<&Message>,
    width: usize,
) {
    let is_of_several = pods.len() > 1;
    if let Some(HelpOfPod { name, help }) = help_to_say(pods) {
        let whom = if is_of_several {
            format!("helps {name}: ")
        } else {
            "helps: ".to_owned()
        };
        write_help(out, &whom, &help, width);
        return;
    }
    let Some(first) = pods.first() else { return };
    // Where changes were tried in vain, what an account alone suggests was, too.
    if first.pod.verdict() == LiveVerdict::Refused {
        let whom = if is_of_several {
            format!("{}: ", first.name)
        } else {
            String::new()
        };
        if let Some(what) = first.pod.what_keeps_all() {
            out.push_str(&wrapped(&format!("{whom}{what}"), 2, 4, width));
        }
        return;
    }
    if let Some(help) = help_of_reason {
        out.push_str(&wrapped(&as_sentence(help), 2, 4, width));
    }
}

/// What helps a pod.
struct HelpOfPod<'n> {
    name: &'n str,
    help: Help,
}

/// Returns what helps one of the pods: the first help that was tried, otherwise the first one.
fn help_to_say<'n>(pods: &[NamedPod<'n, '_>]) -> Option<HelpOfPod<'n>> {
    let mut untried = None;
    for NamedPod { name, pod } in pods {
        let Some(help) = pod.helps().into_iter().next() else {
            continue;
        };
        let is_tried = help.is_tried;
        let help = HelpOfPod { name, help };
        if is_tried {
            return Some(help);
        }
        untried.get_or_insert(help);
    }
    untried
}

/// Writes a pod that no reason keeps, with the first thing that is wrong with its devices.
fn write_in_short(out: &mut String, pod: &AnsweredPod<'_>, width: usize) {
    out.push_str(&wrapped(&pod.sentence(), 0, 2, width));
    if pod.brief.node().is_some()
        && let Some(fault) = pod.faults().first()
    {
        out.push_str(&wrapped(fault, 2, 4, width));
    }
}

/// How much is said about one pod.
#[derive(Clone, Copy)]
struct Detail {
    /// Groups of nodes.
    groups: usize,
    /// In how many groups the amounts and devices of a node stand for all.
    own: usize,
    helps: usize,
    /// Lines of one sentence.
    lines: usize,
}

/// Everything.
const FULL: Detail = Detail {
    groups: usize::MAX,
    own: usize::MAX,
    helps: usize::MAX,
    lines: usize::MAX,
};

/// From much to little: what fits into the lines that a pod may have is said. The amounts of the nearest nodes matter more than other nodes.
const DETAILS: [Detail; 13] = [
    detail(4, 4, 3, 4),
    detail(3, 3, 3, 3),
    detail(3, 3, 2, 3),
    detail(3, 3, 2, 2),
    detail(3, 3, 1, 2),
    detail(3, 1, 2, 2),
    detail(3, 1, 1, 2),
    detail(2, 1, 1, 2),
    detail(1, 1, 1, 2),
    detail(1, 1, 1, 1),
    detail(3, 0, 1, 2),
    detail(2, 0, 1, 2),
    detail(1, 0, 1, 1),
];

const fn detail(groups: usize, own: usize, helps: usize, lines: usize) -> Detail {
    Detail {
        groups,
        own,
        helps,
        lines,
    }
}

/// Writes what is said about one pod.
pub fn about(one: &AnsweredPod<'_>, beside: &Beside<'_>, form: Form) -> String {
    let parts = Parts::of(one, beside);
    if form.is_full {
        return parts.text(FULL, form.width);
    }
    let mut text = String::new();
    for detail in DETAILS {
        text = parts.text(detail, form.width);
        if text.lines().count() <= MOST_LINES {
            break;
        }
    }
    text
}

/// What is known about one pod.
struct Parts<'a> {
    /// The sentence, and after it what keeps the pod as a whole.
    first: Vec<String>,
    groups: Vec<Group<'a>>,
    helps: Vec<Help>,
    /// Said where nothing helps.
    last: Option<String>,
}

impl<'a> Parts<'a> {
    fn of(pod: &AnsweredPod<'a>, beside: &Beside<'_>) -> Self {
        let mut parts = Parts {
            first: vec![pod.sentence()],
            groups: Vec::new(),
            helps: Vec::new(),
            last: None,
        };
        let first = &mut parts.first;
        if !pod.brief.waits() {
            first.extend(pod.faults());
            return parts;
        }
        first.push(words_of_scheduler(pod));
        first.extend(failed_binding(pod));
        let verdict = pod.verdict();
        let Some(account) = pod.account else {
            return parts;
        };
        if matches!(verdict, LiveVerdict::NoDevices | LiveVerdict::Unknown) {
            return parts;
        }
        first.extend(help_before_nodes(account));
        first.extend(what_could_not_be_seen(beside));
        if let Some(turn) = &account.turn {
            first.extend(in_turn(pod, turn, verdict));
        }
        first.extend(pod.faults());
        first.extend(pod.evictions().iter().map(|why| as_sentence(why)));
        first.extend(what_keeps_fitting(pod, account, beside));
        if let Some(other) = &account.same_as {
            first.push(match &account.turn {
                // In turn the other pod takes first what a change gives.
                Some(_) => format!("The nodes: as for {other}, which gets first what helps there."),
                None => format!("The nodes, and what helps: as for {other}."),
            });
            return parts;
        }
        // Of a pod that fits, or that no node is asked about, the nodes are of no interest.
        if verdict != LiveVerdict::Refused {
            return parts;
        }
        parts.groups = groups(account, pod.index);
        parts.helps = pod.helps();
        if parts.helps.is_empty() {
            parts.last = pod.why_none();
        }
        parts
    }

    fn text(&self, detail: Detail, width: usize) -> String {
        let mut out = String::new();
        self.write_sentences(&mut out, detail, width);
        self.write_groups(&mut out, detail, width);
        self.write_helps(&mut out, detail, width);
        if let Some(last) = &self.last {
            out.push_str(&wrapped(last, 0, 2, width));
        }
        out
    }

    fn write_sentences(&self, out: &mut String, detail: Detail, width: usize) {
        // What stops a pod before any node is never cut.
        let most = if self.groups.is_empty() {
            usize::MAX
        } else {
            detail.lines
        };
        for (at, line) in self.first.iter().enumerate() {
            let text = match at {
                0 => wrapped(line, 0, 2, width),
                _ => wrapped(line, 2, 4, width),
            };
            out.push_str(&cut(&text, most));
        }
    }

    fn write_groups(&self, out: &mut String, detail: Detail, width: usize) {
        for (at, group) in self.groups.iter().take(detail.groups).enumerate() {
            let most_nodes = match detail.own {
                usize::MAX => usize::MAX,
                own => usize::from(at < own),
            };
            write_group(out, group, most_nodes, detail.lines, width);
        }
        let groups_left = self.groups.iter().skip(detail.groups);
        let nodes_left: usize = groups_left.map(|group| group.names.len()).sum();
        let sentence = match nodes_left {
            0 => return,
            1 => "1 more node has another reason: `--all` says which.".to_owned(),
            _ => format!("{nodes_left} more nodes have other reasons: `--all` says which."),
        };
        out.push_str(&wrapped(&sentence, 2, 4, width));
    }

    fn write_helps(&self, out: &mut String, detail: Detail, width: usize) {
        if !self.helps.is_empty() {
            out.push_str("What helps:\n");
        }
        for help in self.helps.iter().take(detail.helps) {
            write_help(out, "", help, width);
        }
        write_more(out, self.helps.len().saturating_sub(detail.helps), width);
    }
}

/// Returns what kube-scheduler has written about a pod that waits.
fn words_of_scheduler(pod: &AnsweredPod<'_>) -> String {
    match pod.brief.says() {
        Some(says) => format!("kube-scheduler: {}", without_preemption(says)),
        None => "kube-scheduler has written nothing about it yet.".to_owned(),
    }
}

/// Says why binding the devices of a pod failed; `None`: it did not, or the first sentence says it.
fn failed_binding(pod: &AnsweredPod<'_>) -> Option<String> {
    if pod.preparing().is_some() {
        return None;
    }
    let why = pod.failed_binding.as_ref()?;
    Some(format!(
        "Binding its devices failed: {why}. kube-scheduler takes them back and tries again."
    ))
}

/// Returns what helps a pod that is stopped before any node is tried.
fn help_before_nodes(account: &PodAccount) -> Option<String> {
    let help = account.before.as_ref()?.help.as_deref()?;
    (!help.is_empty()).then(|| as_sentence(help))
}

/// Names the objects that could not be read; `None`: there are none.
fn what_could_not_be_seen(beside: &Beside<'_>) -> Option<String> {
    let unseen = beside.unseen.iter();
    let names: Vec<&str> = unseen.map(|unseen| unseen.what.as_str()).collect();
    let are_some = !names.is_empty();
    are_some.then(|| {
        format!(
            "Not certain, for these could not be seen: {}.",
            names.join(", ")
        )
    })
}

/// Says what keeps a pod that a node could take; `None`: no node could, or the first sentence says it.
fn what_keeps_fitting(
    pod: &AnsweredPod<'_>,
    account: &PodAccount,
    beside: &Beside<'_>,
) -> Option<String> {
    match pod.verdict() {
        LiveVerdict::NotAllowed => match pod.exceeded_quota() {
            Some(why) => Some(format!(
                "kube-apiserver refuses the claim that kube-scheduler makes for its extended resources: {why}."
            )),
            None => {
                let label = pod.lacking_admin_label()?;
                Some(refused_admin_access(pod, label))
            }
        },
        LiveVerdict::Fits => {
            let is_explained = !beside.assumed.is_empty()
                || pod.preparing().is_some()
                || !pod.evictions().is_empty();
            let keeps = match account.turn {
                Some(_) => "something that these objects do not show",
                None => "something else than devices",
            };
            (!is_explained).then(|| {
                format!("Either the scheduler has not tried again since, or {keeps} keeps it.")
            })
        }
        _ => None,
    }
}

/// Writes a change, and how it is made: in the same line, or in one of its own that can be copied whole.
fn write_help(out: &mut String, before: &str, help: &Help, width: usize) {
    let Some(how) = &help.how else {
        return out.push_str(&wrapped(&format!("{before}{}", help.text), 2, 4, width));
    };
    let line = format!("{before}{} ({how})", help.text);
    if line.chars().count().saturating_add(2) <= width {
        return out.push_str(&wrapped(&line, 2, 4, width));
    }
    out.push_str(&wrapped(&format!("{before}{}", help.text), 2, 4, width));
    out.push_str(&format!("    {}\n", visible(how)));
}

/// Returns the first lines of a text, with a mark if there are more.
fn cut(text: &str, most: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= most {
        return text.to_owned();
    }
    let kept = lines.get(..most).unwrap_or_default().join("\n");
    format!("{kept} …\n")
}

/// Returns a message of the scheduler without its end, where preemption helps on no node.
fn without_preemption(message: &str) -> &str {
    let Some((first, preemption)) = message.split_once(" preemption: 0/") else {
        return message;
    };
    if preemption.ends_with(NO_PREEMPTION) && !preemption.contains(',') {
        first.trim_end_matches(" still not schedulable,")
    } else {
        message
    }
}

/// Returns the lines about a pod that is placed in turn, beside those about nodes.
fn in_turn(one: &AnsweredPod<'_>, turn: &Turn, verdict: LiveVerdict) -> Vec<String> {
    let mut lines = Vec::new();
    let says = one.brief.says().map(without_preemption);
    let message = turn.message.as_deref().map(without_preemption);
    let message = message.filter(|message| Some(*message) != says);
    if let Some(message) = message.filter(|_| verdict == LiveVerdict::Refused) {
        lines.push(format!("As the objects are now: {message}"));
    }
    if let Some(preemption) = &one.preemption {
        lines.push(preemption.clone());
    } else if let Some(node) = &turn.nominated {
        lines.push(format!(
            "Preemption makes room on {node}: {}.",
            words::ending(&turn.victims, MOST_NAMES)
        ));
    }
    // Where binding failed, the first sentence says it.
    let binding_failed = one.failed_binding.is_some() && one.preparing().is_some();
    if let Some(claim) = turn.freed.as_ref().filter(|_| !binding_failed) {
        lines.push(format!(
            "ResourceClaim {claim}, reserved for no other pod, is given back, and the pod is tried again."
        ));
    }
    if let Some(help) = &turn.help
        && verdict == LiveVerdict::Refused
    {
        lines.push(as_sentence(help));
    }
    if turn.depends {
        lines.push(
            "This depends on which of several nodes with the same score pods get.".to_owned(),
        );
    }
    lines.extend(turn.unsure.iter().map(|why| format!("Not certain: {why}.")));
    lines
}

/// Says that the server refuses the devices of a claim with admin access (kube-apiserver,
/// `pkg/registry/resource/resourceclaim/strategy.go`, `AuthorizedForAdminStatus`).
fn refused_admin_access(one: &AnsweredPod<'_>, label: &str) -> String {
    let namespace = &one.brief.metadata.namespace;
    format!(
        "kube-apiserver refuses devices with admin access in namespace {namespace}, which lacks the label {label}=true (kubectl label namespace {namespace} {label}=true --overwrite)."
    )
}

/// Writes the nodes of a group with their reasons. `most_nodes`: how many of them are written with their own amounts; `most_lines`: how many
/// lines a sentence may have.
fn write_group(
    out: &mut String,
    group: &Group<'_>,
    most_nodes: usize,
    most_lines: usize,
    width: usize,
) {
    let names = match group.names.len() {
        count if count > MOST_NAMES => {
            format!("{count} nodes ({})", words::some(&group.names, MOST_NAMES))
        }
        _ => group.names.join(", "),
    };
    let line = format!("{names}: {}", group.lines.join("; "));
    out.push_str(&cut(&wrapped(&line, 2, 4, width), most_lines));
    let nodes_with_lines = group.own.iter().filter(|own| !own.lines.is_empty());
    for LinesOfNode { node, lines } in nodes_with_lines.take(most_nodes) {
        let mut line = lines.join("; ");
        if group.names.len() > 1 {
            line = format!("{node}: {line}");
        }
        out.push_str(&cut(&wrapped(&line, 4, 6, width), most_lines));
    }
}

fn list(out: &mut String, lines: &[&Words], most: usize, width: usize) {
    for line in lines.iter().take(most) {
        out.push_str(&wrapped(line.as_str(), 2, 4, width));
    }
    write_more(out, lines.len().saturating_sub(most), width);
}

/// Writes how many entries of a list are left out.
fn write_more(out: &mut String, count: usize, width: usize) {
    if count > 0 {
        let line = format!("{count} more: `--all` shows them.");
        out.push_str(&wrapped(&line, 2, 4, width));
    }
}

/// Groups the nodes that give no devices by what is the same for them: those first that come nearest to taking the pod, of these the
/// largest group, and last the nodes that the pod itself excludes.
fn groups<'a>(account: &'a PodAccount, index: &ClusterIndex<'_>) -> Vec<Group<'a>> {
    let mut grouping = Grouping {
        asks: Asks {
            for_devices: !account.claims.is_empty() || !account.extended_resources.is_empty(),
            index,
        },
        groups: Vec::new(),
        known: BTreeMap::new(),
    };
    let first: BTreeMap<&str, &NodeAccount> = account
        .nodes
        .iter()
        .filter(|node| node.same_as.is_none())
        .map(|node| (node.name.as_str(), node))
        .collect();
    for node in account.nodes.iter().filter(|node| !is_allocated(node)) {
        let same = node.same_as.as_deref();
        let devices = same.and_then(|same| first.get(same).copied());
        grouping.add(node, devices.unwrap_or(node));
    }
    let mut groups = grouping.groups;
    for group in &mut groups {
        group.say_values(index);
    }
    order::sort_by_key(&mut groups, |group| {
        (group.nearness, Reverse(group.names.len()))
    });
    groups
}

/// The groups of nodes while they are made.
struct Grouping<'a, 'i> {
    asks: Asks<'i>,
    groups: Vec<Group<'a>>,
    /// The indexes of the groups, by the lines that their nodes share.
    known: BTreeMap<Vec<String>, usize>,
}

impl<'a> Grouping<'a, '_> {
    /// Adds a node to the group with the same reasons. `devices`: the node with the account of its devices.
    fn add(&mut self, node: &'a NodeAccount, devices: &'a NodeAccount) {
        let index = self.asks.index;
        let unwanted_by = node.refusals.iter().find(|refusal| is_unwanted_by(refusal));
        let lines = match unwanted_by {
            Some(refusal) => unwanted(refusal),
            None => common(node, devices),
        };
        let at = match self.known.get(&lines) {
            Some(at) => *at,
            None => self.add_group(lines, node, devices, unwanted_by),
        };
        let Some(group) = self.groups.get_mut(at) else {
            return;
        };
        group.names.push(&node.name);
        if group.have != unwanted_by.map(in_full) {
            group.have = None;
        }
        if node.is_unwanted() {
            return;
        }
        let mut lines = own(node, index);
        let is_elsewhere = node.same_as.is_some() && !group.names.contains(&devices.name.as_str());
        if is_elsewhere && !is_about_others(node) && group.names.len() == 1 {
            lines.push(format!("its devices are like those of {}", devices.name));
        }
        group.own.push(LinesOfNode {
            node: &node.name,
            lines,
        });
    }

    /// Adds a group for a node, and returns its index.
    fn add_group(
        &mut self,
        lines: Vec<String>,
        node: &'a NodeAccount,
        devices: &NodeAccount,
        unwanted_by: Option<&'a NodeRefusal>,
    ) -> usize {
        let at = self.groups.len();
        self.known.insert(lines.clone(), at);
        self.groups.push(Group {
            names: Vec::new(),
            lines,
            own: Vec::new(),
            nearness: Nearness::of(node, devices, self.asks),
            have: unwanted_by.map(in_full),
            labels: unwanted_by.map_or(&[], |refusal| &refusal.labels),
        });
        at
    }
}

impl Group<'_> {
    /// Says what the nodes have in place of what the pod selects: one value for all, or the values of each label.
    fn say_values(&mut self, index: &ClusterIndex<'_>) {
        if let Some(lines) = self.have.take()
            && !lines.is_empty()
        {
            self.lines = lines;
            return;
        }
        for (label, line) in self.labels.iter().zip(&mut self.lines) {
            *line = label_of_others(label, &self.names, index);
        }
    }
}

/// Returns why the pod excludes a node, with the node's own values.
fn in_full(refusal: &NodeRefusal) -> Vec<String> {
    refusal.why.iter().map(Message::to_string).collect()
}

/// Says what nodes have in place of a label that a pod selects: `key=value`. Values that are nearly the same come first.
fn label_of_others(label: &str, names: &[&str], index: &ClusterIndex<'_>) -> String {
    let (key, wanted) = label.split_once('=').unwrap_or((label, ""));
    let nodes = names.iter().filter_map(|name| index.node(name));
    let found: Vec<Option<&String>> = nodes.map(|node| node.metadata.labels.get(key)).collect();
    let values: BTreeSet<&str> = found.iter().flatten().map(|value| value.as_str()).collect();
    let mut values: Vec<&str> = values.into_iter().collect();
    order::sort_by_key(&mut values, |value| {
        let is_other = !value.eq_ignore_ascii_case(wanted);
        (is_other, near(wanted, value).unwrap_or(usize::MAX))
    });
    let none = if found.contains(&None) {
        " or no such label"
    } else {
        ""
    };
    if values.is_empty() {
        format!("nodeSelector {label}: the nodes have no such label")
    } else {
        let labels: Vec<String> = values
            .iter()
            .map(|value| format!("{key}={value}"))
            .collect();
        let labels = words::some(&labels, MOST_NAMES);
        format!("nodeSelector {label}: the nodes have {labels}{none}")
    }
}

/// Returns why the pod excludes a node, without the node's own values.
fn unwanted(refusal: &NodeRefusal) -> Vec<String> {
    let labels = refusal.labels.iter();
    let mut lines: Vec<String> = labels
        .map(|label| format!("nodeSelector {label}: the node has another value or none"))
        .collect();
    let why = refusal.why.iter().skip(lines.len());
    lines.extend(why.map(Message::to_string));
    if lines.is_empty() {
        lines.clone_from(&refusal.reasons);
    }
    lines
}

fn is_unwanted_by(refusal: &NodeRefusal) -> bool {
    refusal.plugin == Plugin::NodeAffinity
}

/// Returns the reasons that nodes may share: the scheduler's, and how many devices are left at each stage. `devices`: the node
/// with the account of its devices, which may be an earlier one that is alike.
fn common(node: &NodeAccount, devices: &NodeAccount) -> Vec<String> {
    let mut lines = reasons_of_other_plugins(node);
    if is_about_others(node) {
        return lines;
    }
    add_reasons_of_devices(devices, &mut lines);
    if lines.is_empty() {
        let reasons = node.refusals.iter().flat_map(|refusal| &refusal.reasons);
        lines.extend(reasons.cloned());
    }
    if lines.is_empty() {
        lines.push(node.message.clone().unwrap_or_default());
    }
    lines
}

/// Returns the reasons of the plugins beside that of devices.
fn reasons_of_other_plugins(node: &NodeAccount) -> Vec<String> {
    let is_cordoned = node
        .refusals
        .iter()
        .any(|refusal| refusal.plugin == Plugin::NodeUnschedulable);
    let mut lines = Vec::new();
    for refusal in &node.refusals {
        // A node that is cordoned has a taint that says the same.
        let is_repeated = is_cordoned && is_about_cordon(refusal);
        if refusal.plugin != Plugin::DynamicResources && !is_repeated {
            lines.extend(shared_reasons(refusal));
        }
    }
    lines
}

/// Returns true if the taints that refuse the pod are those of a cordoned node.
fn is_about_cordon(refusal: &NodeRefusal) -> bool {
    let mut taints = refusal.taints.iter();
    refusal.plugin == Plugin::TaintToleration && taints.all(|taint| taint.starts_with(CORDONED))
}

/// Adds what the node lacks, and how many devices are left for the requests that lack some; for all requests if none does.
fn add_reasons_of_devices(node: &NodeAccount, lines: &mut Vec<String>) {
    let help = node.help.iter().filter(|help| !help.is_empty());
    lines.extend(help.map(Message::to_string));
    let short_resources = node.resources.iter().filter(|resource| resource.short);
    lines.extend(short_resources.map(|resource| resource.text.to_string()));
    let mut requests = node.requests.iter();
    let some_lack = requests.any(|request| node.lacks(request, LEAST_OF_ALL));
    // Each request has enough alone: only the sum says what is lacking.
    let together = node.conflicts.iter();
    let too_few = together.filter(|conflict| conflict.kind == ConflictKind::Number);
    lines.extend(
        too_few
            .filter(|_| !some_lack)
            .map(|conflict| conflict.text.to_string()),
    );
    for request in node.requests.iter() {
        if some_lack && !node.lacks(request, LEAST_OF_ALL) {
            continue;
        }
        let line = format!("{}: {}", node.name_of(request), request.text);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
}

/// Returns the reasons of a plugin in our own words, which say more than the scheduler's; in the scheduler's where ours have the
/// node's own amounts.
fn shared_reasons(refusal: &NodeRefusal) -> Vec<String> {
    if refusal.why.is_empty() || is_node_own(refusal) {
        return refusal.reasons.clone();
    }
    refusal.why.iter().map(Message::to_string).collect()
}

/// Returns true if the reasons of a plugin have amounts or pods, which differ from node to node.
fn is_node_own(refusal: &NodeRefusal) -> bool {
    matches!(
        refusal.plugin,
        Plugin::NodeResourcesFit | Plugin::InterPodAffinity | Plugin::DynamicResources
    )
}

/// Returns the reasons with the node's own amounts and devices.
fn own(node: &NodeAccount, index: &ClusterIndex<'_>) -> Vec<String> {
    let amounts = node.refusals.iter().filter(|refusal| is_node_own(refusal));
    let mut lines: Vec<String> = amounts
        .flat_map(|refusal| &refusal.why)
        .map(Message::to_string)
        .collect();
    let mut placed_before = node
        .refusals
        .iter()
        .filter_map(|refusal| refusal.placed_before.as_ref());
    // Each plugin that looks at pods names the same ones.
    lines.extend(placed_before.next().map(Message::to_string));
    if is_about_others(node) {
        return lines;
    }
    for request in node.requests.iter() {
        if node.lacks(request, LEAST_OF_ALL) {
            for why in request.why.split("; ") {
                add_new(&mut lines, why);
            }
        }
        let mut stages = request.funnel.iter();
        let missing = stages.find_map(|stage| stage.missing.first());
        let Some(Missing { path, guard, .. }) = missing else {
            continue;
        };
        if let Some((domain, name)) = path.split_once('/').filter(|_| index.is_capacity(path)) {
            let line = format!("{name} is a capacity: `device.capacity['{domain}'].{name}`");
            // It says what to write: what follows may be cut.
            if !lines.contains(&line) {
                lines.insert(0, line);
            }
        } else if node.fatal {
            add_new(&mut lines, &format!("guard: {guard}"));
        }
    }
    let mut requests = node.requests.iter();
    let some_lack = requests.any(|request| node.lacks(request, LEAST_OF_ALL));
    for conflict in &node.conflicts {
        if some_lack || conflict.kind != ConflictKind::Number {
            add_new(&mut lines, &conflict.text);
        }
    }
    for pool in node
        .pools
        .iter()
        .filter(|pool| pool.state == PoolState::Incomplete)
    {
        let line = format!(
            "pool {} is incomplete: {} of {} slices of generation {}",
            pool.pool, pool.have, pool.want, pool.generation
        );
        add_new(&mut lines, &line);
    }
    lines
}

/// Adds a line that is not there yet.
fn add_new(lines: &mut Vec<String>, line: &str) {
    if !line.is_empty() && !lines.iter().any(|known| known == line) {
        lines.push(line.to_owned());
    }
}
