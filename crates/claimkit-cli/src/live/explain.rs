//! `why`: what keeps pods of a cluster waiting.

use super::answer::{self, AnsweredPod, Beside, Form, LiveVerdict};
use super::asked::AskedCluster;
use super::brief::{Brief, BriefMeta};
use super::index::ClusterIndex;
use super::kinds::{CLAIMS, SLICES};
use super::pod_devices::PodDevices;
use super::question::{Question, UNUSABLE, asked};
use super::read::{LiveObjects, Unseen};
use super::trying::{answer, try_helps};
use super::users::Users;
use super::ways::{Help, Templates, Trials, add_templates_of_group, templates_of};
use crate::exit::Exit;
use crate::files;
use crate::host::Host;
use crate::lines::LEAST_WIDTH;
use crate::options::WhyArgs;
use crate::turns::BY_DEVICES;
use crate::values::{PlainForm, what_if};
use claimkit::PlacementMode;
use claimkit::report::text::{visible, wrapped};
use claimkit::requests::request::AllocateRequest;
use claimkit::requests::{self, Answer, Content};
use claimkit_model::finding::{Code, Severity, TextField};
use claimkit_model::message::{Message, Words};
use claimkit_model::schema::Release;
use claimkit_model::text::located::LocatedFinding;
use claimkit_scheduler::allocator::objects::{Pod, WorkloadKind};
use claimkit_scheduler::allocator::what_if::WhatIf;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::headline;
use claimkit_scheduler::explain::words;
use serde::Serialize;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// The width of text that goes to no terminal.
const WIDTH: usize = 100;

/// Maximum number of pods that preemption ends and one line names.
const MOST_VICTIMS: usize = 3;

/// Maximum number of pods with a node that are explained beside those that wait, unless all is asked for.
const MOST_UNSTARTED: usize = 3;

/// The finding about a cluster without slices.
const NO_SLICES: &str = "there is no ResourceSlice: no driver publishes devices";

/// The answer as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    verb: &'static str,
    /// The server's version, as it says it.
    server: Option<&'a str>,
    release: Release,
    gates: &'a BTreeMap<String, bool>,
    notes: &'a [String],
    unseen: &'a [Unseen],
    /// The mode in which pods were placed; absent if none waits.
    mode: Option<PlacementMode>,
    assumed: &'a [Message],
    findings: &'a [Words],
    pods: Vec<PodReport<'a>>,
}

/// A pod of the answer.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PodReport<'a> {
    pod: String,
    phase: &'a str,
    node: Option<&'a str>,
    verdict: LiveVerdict,
    /// The message of the condition `PodScheduled`.
    scheduler: Option<&'a str>,
    /// Why a pod with a node does not start or cannot use its devices, and rules that have no effect on them.
    faults: Vec<String>,
    /// The changes that would help, those of one step first.
    helps: Vec<String>,
    /// The account as `allocate` gives it; absent if the pod was not asked about.
    account: Option<&'a PodAccount>,
}

/// One answer of several.
pub struct Round {
    pub exit: Exit,
    /// What is said about each pod, by its `namespace/name`.
    pub accounts: BTreeMap<String, String>,
    /// Sentences about pods that were explained before, and are not any more.
    pub gone: Vec<String>,
    /// All pods that are asked about run or have ended.
    pub is_over: bool,
}

/// An object of which no pod waits.
struct WithoutPods {
    sentence: String,
    /// It cannot make the pods that it wants.
    is_refused: bool,
}

impl WithoutPods {
    fn of(kind: &str, namespace: &str, name: &str, seen: &LiveObjects) -> Self {
        let cluster = &seen.cluster;
        let has_pods = cluster
            .pods()
            .any(|pod| pod.metadata.namespace == namespace && Brief::from(pod).is_of(kind, name));
        let failure = cluster.replica_failure(kind, namespace, name);
        let event = cluster.pod_refusal(kind, Some(namespace), name);
        let why = failure.or(event.filter(|_| !has_pods).map(|event| event.why));
        let object = format!("{kind} {namespace}/{name}");
        let sentence = match (why, has_pods) {
            (Some(why), true) => {
                format!("More pods of {object} cannot be made: {why}")
            }
            (Some(why), false) => {
                format!("No pod of {object} exists, for it cannot be made: {why}")
            }
            (None, true) => format!("No pod of {object} waits."),
            (None, false) => match wants_none(kind, namespace, name, seen) {
                Some(why) => format!("No pod of {object} is to be made: {why}."),
                None => format!("There is no pod of {object} among those that were seen."),
            },
        };
        WithoutPods {
            sentence,
            is_refused: why.is_some(),
        }
    }
}

/// Returns why an object that was given makes no pods; `None`: it makes some, or was not given.
fn wants_none(kind: &str, namespace: &str, name: &str, seen: &LiveObjects) -> Option<&'static str> {
    let mut workloads = seen.cluster.workloads();
    let workload = workloads.find(|workload| {
        workload.kind.name().eq_ignore_ascii_case(kind)
            && workload.metadata.namespace == namespace
            && workload.metadata.name == name
    })?;
    let spec = &workload.spec;
    match workload.kind {
        WorkloadKind::Job if spec.suspend => Some("it is suspended (`spec.suspend: true`)"),
        WorkloadKind::Job if spec.parallelism == Some(0) => {
            Some("it may have none at a time (`spec.parallelism: 0`)")
        }
        _ if spec.replicas == Some(0) => Some("it asks for none (`spec.replicas: 0`)"),
        _ => None,
    }
}

/// Answers the question, and prints the answer. `before`: pods that were explained before, as `namespace/name`.
///
/// # Errors
/// Why there is no answer.
pub fn explain(
    args: &WhyArgs,
    question: &Question<'_>,
    cluster: &AskedCluster,
    seen: &LiveObjects,
    before: &[String],
    host: &mut dyn Host,
) -> Result<Round, String> {
    cluster.live.tell(&seen.unseen, host);
    if args.alone {
        host.err(&format!(
            "claimkit: each pod is taken alone, {BY_DEVICES}\n"
        ));
    }
    if seen.unseen.iter().any(|unseen| unseen.is_all_of("pods")) {
        return Err("without pods there is nothing to explain".to_owned());
    }
    let inquiry = Inquiry::of(args, question, cluster, seen);
    let groups = groups_in(seen);
    let pods = inquiry.select_pods(&groups)?;
    let request = inquiry.request(&pods, host)?;
    let placing = inquiry.place(&pods, &request, host)?;
    let index = ClusterIndex::of(&seen.cluster);
    let users = Users::of(&seen.cluster);
    let facts = PodFacts {
        release: cluster.live.release,
        seen,
        index: &index,
        users: &users,
        groups: &groups,
        is_after_changes: !request.what_if.is_empty(),
    };
    let answered = inquiry.answer_pods(&pods, &facts, &placing, &request)?;
    let unusable = inquiry.tell_unusable(host);
    let shown = Shown {
        inquiry: &inquiry,
        pods: &pods,
        placing: &placing,
        answered: &answered,
        unusable,
    };
    let accounts = shown.print_round(host);
    Ok(shown.round_of(accounts, before))
}

/// The pods that a question is about.
struct AskedPods<'a> {
    /// Those that are asked about and explained.
    asked: Vec<&'a Brief>,
    /// Other pods of their groups that wait: they are placed with them and not explained.
    mates: Vec<&'a Brief>,
    /// More pods that have a node and do not start there for their devices: only their names are printed.
    more_unstarted: Vec<&'a Brief>,
}

impl<'a> AskedPods<'a> {
    /// Returns the pods that are placed.
    fn placed(&self) -> Vec<&'a Brief> {
        self.asked.iter().chain(&self.mates).copied().collect()
    }
}

/// A question about the pods of a cluster, and what was read to answer it.
struct Inquiry<'a> {
    args: &'a WhyArgs,
    question: &'a Question<'a>,
    cluster: &'a AskedCluster,
    seen: &'a LiveObjects,
    /// The question is not about one namespace: with `--all-namespaces`, or about files without `--namespace`.
    is_everywhere: bool,
    /// The namespace whose pods are asked about; `None`: all namespaces.
    namespace: Option<&'a str>,
    /// A claim that was not read does not exist.
    are_claims_known: bool,
}

impl<'a> Inquiry<'a> {
    fn of(
        args: &'a WhyArgs,
        question: &'a Question<'a>,
        cluster: &'a AskedCluster,
        seen: &'a LiveObjects,
    ) -> Self {
        let is_everywhere =
            args.all_namespaces || (!args.filenames.is_empty() && args.namespace.is_none());
        let namespace = if is_everywhere && question.is_about_all() {
            None
        } else {
            Some(cluster.live.namespace.as_str())
        };
        Inquiry {
            args,
            question,
            cluster,
            seen,
            is_everywhere,
            namespace,
            are_claims_known: are_claims_known(args, seen),
        }
    }

    /// Selects the pods that the question is about. `groups`: the groups of pods, by the pods' `namespace/name`.
    ///
    /// # Errors
    /// A pod that is asked about does not exist.
    fn select_pods(&self, groups: &BTreeMap<String, String>) -> Result<AskedPods<'a>, String> {
        let mut asked = asked(self.question, self.namespace, self.seen)?;
        let mut unstarted = self.unstarted();
        let most_explained = if self.args.all || self.args.output == PlainForm::Json {
            usize::MAX
        } else {
            MOST_UNSTARTED
        };
        let more_unstarted = unstarted.split_off(unstarted.len().min(most_explained));
        asked.extend(unstarted);
        let mates = if self.args.alone {
            Vec::new()
        } else {
            mates(&asked, groups, self.seen)
        };
        Ok(AskedPods {
            asked,
            mates,
            more_unstarted,
        })
    }

    /// Returns the pods that have a node and do not start there for their devices, where all pods that wait are asked about.
    fn unstarted(&self) -> Vec<&'a Brief> {
        let pods: Vec<&Brief> = self
            .seen
            .pods
            .iter()
            .filter(|brief| self.question.is_about_unstarted(brief))
            .filter(|brief| self.is_in_namespace(&brief.metadata.namespace))
            .collect();
        if pods.is_empty() {
            return pods;
        }
        let devices = self.devices_of(&pods);
        let pairs = pods.into_iter().zip(devices);
        pairs
            .filter_map(|(brief, devices)| devices.keep_pod().then_some(brief))
            .collect()
    }

    /// Returns true if the pods of a namespace are asked about.
    fn is_in_namespace(&self, namespace: &str) -> bool {
        self.namespace.is_none_or(|asked| asked == namespace)
    }

    /// Returns what is wrong with the devices of each of these pods.
    fn devices_of(&self, pods: &[&Brief]) -> Vec<PodDevices> {
        PodDevices::of(pods, self.seen, &self.cluster.gates, self.are_claims_known)
    }

    /// Returns the question to the scheduler.
    ///
    /// # Errors
    /// A file with nodes cannot be read.
    fn request(
        &self,
        pods: &AskedPods<'_>,
        host: &mut dyn Host,
    ) -> Result<AllocateRequest, String> {
        let args = self.args;
        let live = &self.cluster.live;
        let new_nodes = files::read_new_nodes(&args.new_node, host)
            .map_err(|problem| problem.lines().join("; "))?;
        let pod = match pods.placed().as_slice() {
            [pod] if self.question.is_about_one_pod() => Some(pod.full_name()),
            _ => None,
        };
        Ok(AllocateRequest {
            text: Some(String::new()),
            release: Some(live.release.to_string()),
            namespace: Some(live.namespace.clone()),
            pod,
            gates: self.cluster.gates.clone(),
            what_if: WhatIf {
                new_nodes: files::new_nodes(&args.new_node, &new_nodes),
                ..what_if(&args.what_if, &[])
            },
            alone: args.alone,
            node_names: (!args.node.is_empty()).then(|| args.node.clone()),
            ..AllocateRequest::default()
        })
    }

    /// Places the pods, if one of those that are asked about waits. Standard error says what is wrong with new nodes.
    ///
    /// # Errors
    /// The request cannot be used.
    fn place(
        &self,
        pods: &AskedPods<'_>,
        request: &AllocateRequest,
        host: &mut dyn Host,
    ) -> Result<Placing, String> {
        let answer = if pods.asked.iter().any(|brief| brief.waits()) {
            answer(&self.cluster.live, self.seen, request.clone())?
        } else {
            Answer::default()
        };
        tell_new_nodes(&answer.findings, host);
        let mut placing = Placing::of(answer, &pods.placed());
        if placing.lacks_slices(self.seen) {
            placing.findings.insert(0, Words::english(NO_SLICES));
        }
        Ok(placing)
    }

    /// Returns the pods that are asked about with their accounts, and tries the changes that may help them.
    ///
    /// # Errors
    /// A request cannot be used.
    fn answer_pods<'f>(
        &self,
        pods: &AskedPods<'f>,
        facts: &PodFacts<'f>,
        placing: &'f Placing,
        request: &AllocateRequest,
    ) -> Result<Vec<AnsweredPod<'f>>, String> {
        let placed = pods.placed();
        let devices = self.devices_of(&placed);
        let mut answered: Vec<AnsweredPod<'_>> = placed
            .into_iter()
            .zip(devices)
            .map(|(brief, devices)| facts.answered(brief, devices, placing))
            .collect();
        let live = &self.cluster.live;
        try_helps(&mut answered, &placing.accounts, live, self.seen, request)?;
        for pod in &mut answered {
            pod.trials.are_over = true;
        }
        answered.truncate(pods.asked.len());
        Ok(answered)
    }

    /// Says on standard error which pods cannot be decoded, and returns their number.
    fn tell_unusable(&self, host: &mut dyn Host) -> usize {
        if !self.question.is_about_all() {
            return 0;
        }
        let mut count = 0_usize;
        for (namespace, name) in self.seen.cluster.unusable_pods() {
            if !self.is_in_namespace(namespace) {
                continue;
            }
            let line = format!("pod {namespace}/{name} {UNUSABLE}");
            host.err(&format!("claimkit: {}\n", visible(&line)));
            count = count.saturating_add(1);
        }
        count
    }
}

/// Returns true if a claim that was not read does not exist. Files may contain a part of the cluster: a claim that they do not contain may
/// exist.
fn are_claims_known(args: &WhyArgs, seen: &LiveObjects) -> bool {
    let are_unseen = seen.unseen.iter().any(|unseen| unseen.is_about(CLAIMS));
    let may_be_in_no_file = !args.filenames.is_empty()
        && !seen.cluster.has_claims()
        && !seen.cluster.is_whole("ResourceClaim");
    !are_unseen && !may_be_in_no_file
}

/// Returns true if the pod is refused, or not known to be placed.
fn is_unplaced(pod: &AnsweredPod<'_>) -> bool {
    let verdict = pod.verdict();
    verdict.is_refused() || verdict == LiveVerdict::Unknown
}

/// Returns the messages of findings about the cluster; those about new nodes are printed apart.
fn messages_of_cluster(findings: &[LocatedFinding]) -> Vec<Words> {
    findings
        .iter()
        .filter(|finding| is_shown(finding) && finding.within != TextField::NewNodes)
        .map(|finding| finding.message.clone())
        .collect()
}

/// Says on standard error what is wrong with nodes that do not exist yet.
fn tell_new_nodes(findings: &[LocatedFinding], host: &mut dyn Host) {
    let of_templates = findings
        .iter()
        .filter(|finding| finding.within == TextField::NewNodes && is_shown(finding));
    for finding in of_templates {
        let file = finding.file.as_deref().unwrap_or_default();
        let line = format!("{file}: {}", finding.message);
        host.err(&format!("claimkit: {}\n", visible(&line)));
    }
}

/// The pods as they are placed.
#[derive(Default)]
struct Placing {
    accounts: Vec<PodAccount>,
    assumed: Vec<Message>,
    mode: PlacementMode,
    /// The errors found in the cluster.
    findings: Vec<Words>,
}

impl Placing {
    /// Takes the pods out of an answer of the scheduler. `placed`: the pods that it was asked about.
    fn of(answer: Answer, placed: &[&Brief]) -> Self {
        let findings = messages_of_cluster(&answer.findings);
        match answer.content {
            Content::Allocate {
                pods,
                assumed,
                mode,
                ..
            } => Placing {
                accounts: unfolded(pods, placed),
                assumed,
                mode,
                findings,
            },
            _ => Placing {
                findings,
                ..Placing::default()
            },
        }
    }

    /// Returns true if pods wait for claims, and the cluster has no slices.
    fn lacks_slices(&self, seen: &LiveObjects) -> bool {
        let is_unseen = seen.unseen.iter().any(|unseen| unseen.is_about(SLICES));
        let mut accounts = self.accounts.iter();
        !is_unseen
            && !seen.cluster.has_slices()
            && accounts.any(|account| !account.claims.is_empty())
    }
}

/// What is known of pods beside their accounts.
struct PodFacts<'a> {
    release: Release,
    seen: &'a LiveObjects,
    index: &'a ClusterIndex<'a>,
    users: &'a Users,
    /// The groups of pods, as `namespace/name`, by the pods' `namespace/name`.
    groups: &'a BTreeMap<String, String>,
    is_after_changes: bool,
}

impl<'a> PodFacts<'a> {
    /// Returns the templates of a pod's claims, and of those of its group.
    fn templates(&self, pod: Option<&Pod>) -> Templates {
        let Some(pod) = pod else {
            return Templates::new();
        };
        let mut templates = templates_of(pod);
        add_templates_of_group(pod, &self.seen.cluster, &mut templates);
        templates
    }

    fn answered(
        &self,
        brief: &'a Brief,
        devices: PodDevices,
        placing: &'a Placing,
    ) -> AnsweredPod<'a> {
        let seen = self.seen;
        let full_name = brief.full_name();
        let BriefMeta {
            namespace, name, ..
        } = &brief.metadata;
        let pod = self.index.pod(&full_name);
        let mut accounts = placing.accounts.iter();
        AnsweredPod {
            brief,
            devices,
            release: self.release,
            group: self.groups.get(&full_name).map(String::as_str),
            account: accounts.find(|account| account.pod.as_ref() == Some(&full_name)),
            unseen: &seen.unseen,
            users: self.users,
            templates: self.templates(pod),
            trials: Trials::default(),
            ways: OnceCell::new(),
            cluster: &seen.cluster,
            index: self.index,
            pod,
            preemption: pod.and_then(|pod| preemption(seen, pod)),
            is_after_changes: self.is_after_changes,
            failed_binding: seen.cluster.failed_binding(namespace, name),
        }
    }
}

/// The parts of an answer that are printed.
struct Shown<'s, 'a> {
    inquiry: &'s Inquiry<'a>,
    pods: &'s AskedPods<'a>,
    placing: &'s Placing,
    answered: &'s [AnsweredPod<'s>],
    /// The number of pods that cannot be decoded.
    unusable: usize,
}

impl Shown<'_, '_> {
    /// Prints the answer; returns what is said about each pod, where the question is asked again.
    fn print_round(&self, host: &mut dyn Host) -> BTreeMap<String, String> {
        match self.inquiry.args.output {
            PlainForm::Json => {
                host.out(&format!("{}\n", requests::print(&self.report())));
                BTreeMap::new()
            }
            PlainForm::Text => self.print_text(host),
        }
    }

    /// Returns the round of this answer. `accounts`: what is said about each pod; `before`: pods that were explained before.
    fn round_of(&self, accounts: BTreeMap<String, String>, before: &[String]) -> Round {
        let asked = &self.pods.asked;
        let asked_names: BTreeSet<String> = asked.iter().map(|brief| brief.full_name()).collect();
        let exit = if self.inquiry.args.require && self.has_problem() {
            Exit::Findings
        } else {
            Exit::Fine
        };
        Round {
            exit,
            accounts,
            gone: before
                .iter()
                .filter(|name| !asked_names.contains(*name))
                .map(|name| gone(name, self.inquiry.seen))
                .collect(),
            is_over: asked.iter().all(|brief| !brief.is_pending()),
        }
    }

    /// Returns true if a pod gets no node or cannot be made, or that is not known.
    fn has_problem(&self) -> bool {
        let is_watching = self.inquiry.args.watch.is_some();
        let has_failed = is_watching
            && self
                .pods
                .asked
                .iter()
                .any(|brief| brief.phase() == "Failed");
        self.unusable > 0
            || has_failed
            || self.without_pods().iter().any(|owner| owner.is_refused)
            || self.answered.iter().any(is_unplaced)
    }

    fn report(&self) -> Report<'_> {
        let cluster = self.inquiry.cluster;
        let live = &cluster.live;
        let placing = self.placing;
        Report {
            verb: "why",
            server: live.server.as_deref(),
            release: live.release,
            gates: &cluster.gates,
            notes: &live.notes,
            unseen: &self.inquiry.seen.unseen,
            mode: (!placing.accounts.is_empty()).then_some(placing.mode),
            assumed: &placing.assumed,
            findings: &placing.findings,
            pods: self.answered.iter().map(PodReport::of).collect(),
        }
    }

    /// Prints the text; returns what is said about each pod, where the question is asked again.
    fn print_text(&self, host: &mut dyn Host) -> BTreeMap<String, String> {
        let args = self.inquiry.args;
        let owners_without_pods: Vec<String> = self
            .without_pods()
            .into_iter()
            .map(|owner| owner.sentence)
            .collect();
        if !self.pods.asked.is_empty() {
            for sentence in &owners_without_pods {
                host.err(&format!("claimkit: {}\n", visible(sentence)));
            }
        }
        let headline = headline::of_pods(&self.placing.accounts);
        let none = if owners_without_pods.is_empty() {
            self.no_pod_waits()
        } else {
            owners_without_pods.join("\n")
        };
        let beside = Beside {
            unseen: &self.inquiry.seen.unseen,
            assumed: &self.placing.assumed,
            findings: &self.placing.findings,
            headline: headline.as_ref(),
            none: &none,
        };
        let columns = host.columns();
        let form = Form {
            width: columns.map_or(WIDTH, |columns| columns.max(LEAST_WIDTH)),
            is_full: args.all,
        };
        host.out(&answer::text(self.answered, &beside, form));
        host.out(&self.more_unstarted(form.width));
        if args.watch.is_none() {
            return BTreeMap::new();
        }
        let mut text_of_pods = BTreeMap::new();
        for pod in self.answered {
            text_of_pods.insert(pod.brief.full_name(), answer::about(pod, &beside, form));
        }
        text_of_pods
    }

    /// Names the pods that do not start for their devices and are not explained.
    fn more_unstarted(&self, width: usize) -> String {
        let names: Vec<String> = self
            .pods
            .more_unstarted
            .iter()
            .map(|brief| brief.full_name())
            .collect();
        let sentence = match names.as_slice() {
            [] => return String::new(),
            [name] => format!("1 more pod has a node and does not start: {name}."),
            names => format!(
                "{} more pods have a node and do not start: {}.",
                names.len(),
                words::some(names, MOST_UNSTARTED)
            ),
        };
        format!("\n{}", wrapped(&sentence, 0, 2, width))
    }

    /// Returns the objects of which no pod is asked about, and those that cannot make more.
    fn without_pods(&self) -> Vec<WithoutPods> {
        let Inquiry { question, seen, .. } = self.inquiry;
        let namespace = &self.inquiry.cluster.live.namespace;
        question
            .owners()
            .filter(|(kind, name)| {
                let mut asked = self.pods.asked.iter();
                !asked.any(|brief| brief.is_of(kind, name))
                    || seen
                        .cluster
                        .replica_failure(kind, namespace, name)
                        .is_some()
            })
            .map(|(kind, name)| WithoutPods::of(kind, namespace, name, seen))
            .collect()
    }

    /// Returns the sentence where no pod waits.
    fn no_pod_waits(&self) -> String {
        let Inquiry { args, cluster, .. } = self.inquiry;
        let such = match (&args.selector, self.unusable) {
            (Some(_), _) => "No pod with these labels waits",
            (None, 0) => "No pod waits",
            (None, _) => "No other pod waits",
        };
        if !args.filenames.is_empty() {
            return format!("{such}.");
        }
        if self.inquiry.is_everywhere {
            format!("{such} in the cluster.")
        } else {
            format!("{such} in namespace {}.", cluster.live.namespace)
        }
    }
}

/// Says what became of a pod that does not wait any more.
fn gone(full_name: &str, seen: &LiveObjects) -> String {
    let mut pods = seen.cluster.pods();
    let pod = pods.find(|pod| pod.metadata.full_name() == full_name);
    match pod.map(|pod| pod.spec.node_name.as_str()) {
        Some("") => format!("{full_name} does not wait any more."),
        Some(node) => format!("{full_name} has a node: {node}."),
        None => format!("{full_name} is not there any more."),
    }
}

/// Says that preemption is under way for a pod: pods end on the node to which it is nominated.
fn preemption(seen: &LiveObjects, pod: &Pod) -> Option<String> {
    let node = &pod.status.nominated_node_name;
    if node.is_empty() || !pod.spec.node_name.is_empty() {
        return None;
    }
    let priority = pod.spec.effective_priority();
    let ending: Vec<String> = seen
        .cluster
        .pods()
        .filter_map(|other| {
            let until = other.metadata.deletion_timestamp.as_ref()?;
            let is_victim =
                other.spec.node_name == *node && other.spec.effective_priority() < priority;
            is_victim.then(|| format!("{} (deletionTimestamp {until})", other.metadata.full_name()))
        })
        .collect();
    match ending.as_slice() {
        [] => None,
        [victim] => Some(format!(
            "Preemption is under way: the pod is nominated to {node}, where {victim} is ending."
        )),
        victims => Some(format!(
            "Preemption is under way: the pod is nominated to {node}, where {} are ending.",
            words::some(victims, MOST_VICTIMS)
        )),
    }
}

/// Returns the groups of pods, as `namespace/name`, by the pods' `namespace/name`.
fn groups_in(seen: &LiveObjects) -> BTreeMap<String, String> {
    let pods = seen.cluster.pods();
    let groups = pods.filter_map(|pod| {
        let group = format!("{}/{}", pod.metadata.namespace, pod.group_name()?);
        Some((pod.metadata.full_name(), group))
    });
    groups.collect()
}

/// Returns the other pods that wait of the groups of these: a group starts together, so what one of them lacks keeps all.
fn mates<'s>(
    asked: &[&Brief],
    groups: &BTreeMap<String, String>,
    seen: &'s LiveObjects,
) -> Vec<&'s Brief> {
    let group = |brief: &Brief| groups.get(&brief.full_name());
    let own: BTreeSet<&String> = asked.iter().filter_map(|brief| group(brief)).collect();
    let is_asked = |brief: &Brief| {
        asked
            .iter()
            .any(|asked| asked.full_name() == brief.full_name())
    };
    seen.pods
        .iter()
        .filter(|brief| brief.waits() && !is_asked(brief))
        .filter(|brief| group(brief).is_some_and(|group| own.contains(group)))
        .collect()
}

impl<'a> PodReport<'a> {
    fn of(one: &AnsweredPod<'a>) -> Self {
        PodReport {
            pod: one.brief.full_name(),
            phase: one.brief.phase(),
            node: one.brief.node(),
            verdict: one.verdict(),
            scheduler: one.brief.says(),
            faults: one.faults(),
            helps: one.helps().iter().map(Help::sentence).collect(),
            account: one.account,
        }
    }
}

/// Gives a pod its own account of the nodes where it has that of a pod that is not asked about.
fn unfolded(mut accounts: Vec<PodAccount>, asked: &[&Brief]) -> Vec<PodAccount> {
    for at in 0..accounts.len() {
        let first = accounts
            .get(at)
            .and_then(|account| account.same_as.clone())
            .filter(|first| asked.iter().all(|brief| brief.full_name() != *first));
        let Some(first) = first else { continue };
        let Some(PodAccount { nodes, summary, .. }) = accounts
            .iter()
            .find(|account| account.pod.as_ref() == Some(&first))
            .cloned()
        else {
            continue;
        };
        if let Some(account) = accounts.get_mut(at) {
            (account.nodes, account.summary, account.same_as) = (nodes, summary, None);
        }
    }
    accounts
}

/// Returns true if a finding is about the cluster. Findings about empty input are about files, and files that cannot be read are said apart.
fn is_shown(finding: &LocatedFinding) -> bool {
    finding.severity != Severity::Info
        && !finding.code.leaves_text_unread()
        && !matches!(
            finding.code,
            Code::NothingChecked | Code::PlacementNotModelled
        )
}
