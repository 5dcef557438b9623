//! `why`: what keeps pods of a cluster waiting.

use super::answer::{self, AnsweredPod, LiveVerdict};
use super::brief::{Brief, BriefMeta};
use super::helps::{Help, Trial, TrialOutcome, TrialPlace, Trials, templates_of};
use super::kinds::{CLAIMS, SLICES};
use super::pod_devices::PodDevices;
use super::read::{LiveObjects, Unseen, Wanted};
use super::users::Users;
use super::{Live, dump, watch};
use crate::exit::{Exit, Outcome};
use crate::files;
use crate::host::Host;
use crate::lines::LEAST_WIDTH;
use crate::options::WhyArgs;
use crate::values::{PlainForm, what_if};
use claimkit::PlacementMode;
use claimkit::list_selectors::labels::LabelQuery;
use claimkit::report::text::visible;
use claimkit::requests::request::AllocateRequest;
use claimkit::requests::{self, Content};
use claimkit_model::finding::{Code, Severity, TextField};
use claimkit_model::message::Message;
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::objects::Pod;
use claimkit_scheduler::allocator::what_if::WhatIf;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::headline;
use claimkit_scheduler::explain::object_edits::ObjectEdit;
use claimkit_scheduler::explain::turn::TurnOutcome;
use claimkit_scheduler::explain::words;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The width of text that goes to no terminal.
const WIDTH: usize = 100;

/// Said of pods that cannot be decoded.
const UNUSABLE: &str =
    "cannot be decoded, and it is not known whether it waits: `claimkit validate` says why";

/// Maximum number of pods whose helps are tried.
const MOST_PODS: usize = 16;
/// Maximum number of changes that are tried.
const MOST_TRIED: usize = 48;
/// Maximum number of changes that are tried for one pod.
const MOST_OF_POD: usize = 10;
/// Maximum number of changes that are tried for one of many pods: the first one that helps is shown.
const MOST_OF_MANY: usize = 2;
/// How many helps of a pod are tried: as many are shown.
const MOST_SHOWN: usize = 4;
/// Maximum number of pods that wait times objects, over all tries: with more of them fewer changes are tried.
const MOST_WORK: usize = 1_000_000;

/// Maximum number of pods that preemption ends and one line names.
const MOST_VICTIMS: usize = 3;

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
    findings: Vec<String>,
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

/// Runs the verb.
pub fn run(args: &WhyArgs, host: &mut dyn Host) -> Outcome {
    let question = Question::of(args);
    let exit = match &args.watch {
        Some(interval) => watch::run(args, &question, interval.as_ref(), host),
        None => open(args, &question, host)
            .and_then(|(asked, seen)| explain(args, &question, &asked, &seen, &[], host))
            .map(|round| round.exit),
    };
    exit.map_err(|problem| {
        host.status("");
        visible(&problem).into()
    })
}

/// A cluster, and the gates with which it answers.
pub struct AskedCluster {
    live: Live,
    gates: BTreeMap<String, bool>,
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

/// The objects that make pods: the names that kubectl takes, the last one as in `ownerReferences`.
const OWNERS: &[&[&str]] = &[
    &["deploy", "deployments", "deployment"],
    &["rs", "replicasets", "replicaset"],
    &["sts", "statefulsets", "statefulset"],
    &["ds", "daemonsets", "daemonset"],
    &["jobs", "job"],
    &["rc", "replicationcontrollers", "replicationcontroller"],
];

/// What the command line asks about.
pub struct Question<'a> {
    /// The pods and objects that are named; none: all pods that wait.
    named: Vec<Operand<'a>>,
    /// The labels of the pods that wait.
    selector: Option<&'a LabelQuery>,
}

/// What one word of the command line names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand<'a> {
    Pod {
        namespace: Option<&'a str>,
        name: &'a str,
    },
    /// The pods of an object.
    Owner { kind: &'static str, name: &'a str },
}

impl<'a> Question<'a> {
    fn of(args: &'a WhyArgs) -> Self {
        Question {
            named: args.pods.iter().map(|word| Operand::read(word)).collect(),
            selector: args.selector.as_ref(),
        }
    }

    /// Returns true if a pod is among those that are asked about, whatever its namespace.
    fn is_about(&self, pod: &Brief) -> bool {
        if self.named.is_empty() {
            return pod.waits()
                && self
                    .selector
                    .is_none_or(|selector| pod.has_labels(selector));
        }
        self.named.iter().any(|operand| operand.is_about(pod))
    }

    /// Returns the names of the pods that are named.
    fn pods(&self) -> Vec<&'a str> {
        let named = self.named.iter();
        named
            .filter_map(|operand| match operand {
                Operand::Pod { name, .. } => Some(*name),
                Operand::Owner { .. } => None,
            })
            .collect()
    }

    /// Returns the kinds and names of the objects whose pods are asked about.
    fn owners(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        self.named.iter().filter_map(|operand| match operand {
            Operand::Owner { kind, name } => Some((*kind, *name)),
            Operand::Pod { .. } => None,
        })
    }

    /// Returns the namespace of the command line.
    ///
    /// # Errors
    /// It names several.
    fn namespace(&self, option: Option<&'a str>) -> Result<Option<&'a str>, String> {
        let named: BTreeSet<&str> = self
            .named
            .iter()
            .filter_map(|operand| match operand {
                Operand::Pod { namespace, .. } => *namespace,
                Operand::Owner { .. } => None,
            })
            .collect();
        let first = named.first().copied();
        match (option, first) {
            (Some(option), Some(named)) if option != named => Err(format!(
                "the pod is in namespace {named}, and `--namespace` says {option}"
            )),
            _ if named.len() > 1 => Err(format!(
                "the pods are in several namespaces: {}; ask about those of one at a time",
                Vec::from_iter(named).join(", ")
            )),
            _ => Ok(option.or(first)),
        }
    }
}

impl<'a> Operand<'a> {
    /// Reads `NAME`, `pod/NAME`, `NAMESPACE/NAME` or `KIND/NAME`.
    fn read(written: &'a str) -> Self {
        let Some((kind, name)) = written.split_once('/') else {
            return Operand::Pod {
                namespace: None,
                name: written,
            };
        };
        let plain = kind
            .split('.')
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        if matches!(plain.as_str(), "pod" | "pods" | "po") {
            return Operand::Pod {
                namespace: None,
                name,
            };
        }
        let owner = OWNERS
            .iter()
            .find(|names| names.contains(&plain.as_str()))
            .and_then(|names| names.last().copied());
        match owner {
            Some(kind) => Operand::Owner { kind, name },
            None => Operand::Pod {
                namespace: Some(kind),
                name,
            },
        }
    }

    fn is_about(self, pod: &Brief) -> bool {
        match self {
            Operand::Pod { name, .. } => pod.metadata.name == name,
            Operand::Owner { kind, name } => pod.is_of(kind, name),
        }
    }
}

/// Returns the objects of a running cluster, or those of files.
fn open(
    args: &WhyArgs,
    question: &Question<'_>,
    host: &mut dyn Host,
) -> Result<(AskedCluster, LiveObjects), String> {
    if args.filenames.is_empty() {
        let cluster = connect(args, question, host)?;
        let seen = read(args, question, &cluster, host)?;
        return Ok((cluster, seen));
    }
    let namespace = question.namespace(args.namespace.as_deref())?;
    let (mut live, seen) = dump::read(&args.filenames, args.release.as_deref(), namespace, host)?;
    if namespace.is_none()
        && let Some(found) = namespace_in(&seen, question)?
    {
        live.namespace = found;
    }
    // Events alone can say why no pod exists.
    if !seen.some && question.owners().next().is_none() {
        return Err(match seen.unseen.iter().find(|unseen| unseen.is_file()) {
            Some(file) => format!("{}: {}", file.what, file.why),
            None => "the files hold no object that an answer needs".to_owned(),
        });
    }
    let gates = args.gates().unwrap_or_default();
    Ok((AskedCluster { live, gates }, seen))
}

/// Connects to the cluster.
pub fn connect(
    args: &WhyArgs,
    question: &Question<'_>,
    host: &mut dyn Host,
) -> Result<AskedCluster, String> {
    let namespace = question.namespace(args.namespace.as_deref())?;
    let mut live = Live::open(&args.connection, args.release.as_deref(), namespace, host)?;
    let gates = gates(&mut live, args.gates(), host);
    Ok(AskedCluster { live, gates })
}

/// Reads the objects of a running cluster.
pub fn read(
    args: &WhyArgs,
    question: &Question<'_>,
    cluster: &AskedCluster,
    host: &mut dyn Host,
) -> Result<LiveObjects, String> {
    let live = &cluster.live;
    let wanted = Wanted {
        namespace: (!args.all_namespaces).then_some(live.namespace.as_str()),
        pods: question.pods(),
    };
    let mut seen = live.read(&wanted, host);
    if !seen.some {
        return Err(nothing_seen(&seen.unseen));
    }
    let has_pods = |kind, name| seen.pods.iter().any(|pod| pod.is_of(kind, name));
    if !question.owners().all(|(kind, name)| has_pods(kind, name)) {
        live.read_uncreated(&mut seen, host);
    }
    Ok(seen)
}

/// Returns the namespace in which files have what is asked about; `None`: they do not have it, or nothing is named.
///
/// # Errors
/// Several namespaces have it.
fn namespace_in(seen: &LiveObjects, question: &Question<'_>) -> Result<Option<String>, String> {
    if question.named.is_empty() {
        return Ok(None);
    }
    let pods = seen.pods.iter().filter(|pod| question.is_about(pod));
    let namespaces: BTreeSet<&str> = pods.map(|pod| pod.metadata.namespace.as_str()).collect();
    if namespaces.len() > 1 {
        let namespaces: Vec<&str> = namespaces.into_iter().collect();
        return Err(format!(
            "pods of several namespaces are meant: {}; `--namespace` names one",
            namespaces.join(", ")
        ));
    }
    if let Some(found) = namespaces.first() {
        return Ok(Some((*found).to_owned()));
    }
    let mut refusals = question
        .owners()
        .filter_map(|(kind, name)| seen.cluster.pod_refusal(kind, None, name));
    Ok(refusals.next().map(|refusal| refusal.namespace.to_owned()))
}

/// Returns the pods that are asked about. `namespace`: where; `None`: everywhere.
///
/// # Errors
/// A pod that is named is not there.
fn asked<'s>(
    question: &Question<'_>,
    namespace: Option<&str>,
    seen: &'s LiveObjects,
) -> Result<Vec<&'s Brief>, String> {
    let is_there =
        |brief: &&Brief| namespace.is_none_or(|namespace| brief.metadata.namespace == namespace);
    let pods: Vec<&Brief> = seen.pods.iter().filter(is_there).collect();
    let is_cut = seen.unseen.iter().any(|unseen| unseen.is_about("pods"));
    for name in question.pods() {
        if !pods.iter().any(|brief| brief.metadata.name == name) {
            let full = format!("{}/{name}", namespace.unwrap_or_default());
            let mut unusable = seen.cluster.unusable_pods();
            if unusable.any(|(of, pod)| pod == name && namespace.is_none_or(|own| own == of)) {
                return Err(format!("pod {full} {UNUSABLE}"));
            }
            return Err(match is_cut {
                true => format!("pod {full} is not among those that were seen"),
                false => format!("there is no pod {full}"),
            });
        }
    }
    Ok(pods
        .into_iter()
        .filter(|brief| question.is_about(brief))
        .collect())
}

/// Returns the sentence about an object of which no pod waits.
fn without_pods(kind: &str, namespace: &str, name: &str, seen: &LiveObjects) -> String {
    match seen.cluster.pod_refusal(kind, Some(namespace), name) {
        Some(refusal) => format!(
            "No pod of {kind} {namespace}/{name} exists, for it cannot be made: {}",
            refusal.why
        ),
        None if seen.cluster.pods().any(|pod| {
            pod.metadata.namespace == namespace && Brief::from(pod).is_of(kind, name)
        }) =>
        {
            format!("No pod of {kind} {namespace}/{name} waits.")
        }
        None => format!("There is no pod of {kind} {namespace}/{name} among those that were seen."),
    }
}

/// Answers the question, and prints the answer. `before`: pods that were explained before, as `namespace/name`.
pub fn explain(
    args: &WhyArgs,
    question: &Question<'_>,
    cluster: &AskedCluster,
    seen: &LiveObjects,
    before: &[String],
    host: &mut dyn Host,
) -> Result<Round, String> {
    let AskedCluster { live, gates } = cluster;
    // Files are of one question: all their pods are asked about.
    let everywhere =
        args.all_namespaces || (!args.filenames.is_empty() && args.namespace.is_none());
    let namespace = live.namespace.clone();
    tell(live, &seen.unseen, host);
    if seen.unseen.iter().any(|unseen| unseen.is_all_of("pods")) {
        return Err("without pods there is nothing to explain".to_owned());
    }
    let place = (!everywhere || !question.named.is_empty()).then_some(namespace.as_str());
    let asked = asked(question, place, seen)?;
    let groups = groups_in(seen);
    let mates = match args.alone {
        true => Vec::new(),
        false => mates(&asked, &groups, seen),
    };
    let explained: Vec<&Brief> = asked.iter().chain(&mates).copied().collect();
    let new_nodes = files::read_new_nodes(&args.new_node, host)
        .map_err(|problem| problem.lines().join("; "))?;
    let new_nodes = files::new_nodes(&args.new_node, &new_nodes);
    let request = AllocateRequest {
        gates: gates.clone(),
        what_if: WhatIf {
            new_nodes,
            ..what_if(&args.what_if, &[])
        },
        alone: args.alone,
        node_names: (!args.node.is_empty()).then(|| args.node.clone()),
        ..request(live, &explained, question)
    };
    let answer = match asked.iter().any(|brief| brief.waits()) {
        true => answer(live, seen, request.clone())?,
        false => requests::Answer::default(),
    };
    let mut findings: Vec<String> = answer
        .findings
        .iter()
        .filter(|finding| is_shown(finding) && finding.within != TextField::NewNodes)
        .map(|finding| finding.message.to_string())
        .collect();
    let of_templates = answer
        .findings
        .iter()
        .filter(|finding| finding.within == TextField::NewNodes && is_shown(finding));
    for finding in of_templates {
        let file = finding.file.as_deref().unwrap_or_default();
        let line = format!("{file}: {}", finding.message);
        host.err(&format!("claimkit: {}\n", visible(&line)));
    }
    let (accounts, assumed, mode) = match answer.content {
        Content::Allocate {
            pods,
            assumed,
            mode,
            ..
        } => (unfolded(pods, &explained), assumed, mode),
        _ => Default::default(),
    };
    let is_unseen = seen.unseen.iter().any(|unseen| unseen.is_about(SLICES));
    if !is_unseen
        && !seen.cluster.has_slices()
        && accounts.iter().any(|account| !account.claims.is_empty())
    {
        findings.insert(0, NO_SLICES.to_owned());
    }
    let users = Users::of(&seen.cluster);
    let of = |brief: &Brief| {
        accounts
            .iter()
            .find(|account| account.pod.as_deref() == Some(&brief.full_name()))
    };
    // Files may hold what is about one pod: a claim that they lack may exist.
    let are_claims_known = !seen.unseen.iter().any(|unseen| unseen.is_about(CLAIMS))
        && (args.filenames.is_empty() || seen.cluster.has_claims());
    let is_after_changes = !request.what_if.is_empty();
    let devices = PodDevices::of(&explained, seen, gates, are_claims_known);
    let mut answered: Vec<AnsweredPod<'_>> = explained
        .iter()
        .zip(devices)
        .map(|(brief, devices)| AnsweredPod {
            brief,
            devices,
            release: live.release,
            group: groups.get(&brief.full_name()).map(String::as_str),
            account: of(brief),
            unseen: &seen.unseen,
            users: &users,
            templates: pod_of(seen, brief).map(templates_of).unwrap_or_default(),
            trials: Trials::default(),
            cluster: &seen.cluster,
            pod: pod_of(seen, brief),
            preemption: pod_of(seen, brief).and_then(|pod| preemption(seen, pod)),
            is_after_changes,
            failed_binding: seen
                .cluster
                .failed_binding(&brief.metadata.namespace, &brief.metadata.name),
        })
        .collect();
    if !args.alone {
        try_helps(&mut answered, &accounts, live, seen, &request)?;
    }
    for one in &mut answered {
        one.trials.are_over = true;
    }
    answered.truncate(asked.len());
    let unusable = seen.cluster.unusable_pods().filter(|(of, _)| {
        question.named.is_empty() && place.is_none_or(|namespace| namespace == *of)
    });
    let unusable: Vec<String> = unusable
        .map(|(namespace, name)| format!("pod {namespace}/{name} {UNUSABLE}"))
        .collect();
    for told in &unusable {
        host.err(&format!("claimkit: {}\n", visible(told)));
    }
    let mut told = BTreeMap::new();
    let form = answer::Form {
        width: host
            .columns()
            .map_or(WIDTH, |columns| columns.max(LEAST_WIDTH)),
        is_full: args.all,
    };
    if args.output == PlainForm::Json {
        let report = Report {
            verb: "why",
            server: live.server.as_deref(),
            release: live.release,
            gates,
            notes: &live.notes,
            unseen: &seen.unseen,
            mode: (!accounts.is_empty()).then_some(mode),
            assumed: &assumed,
            findings,
            pods: answered.iter().map(PodReport::of).collect(),
        };
        host.out(&format!("{}\n", requests::print(&report)));
    } else {
        let of_nobody = question
            .owners()
            .filter(|(kind, name)| !asked.iter().any(|brief| brief.is_of(kind, name)))
            .map(|(kind, name)| without_pods(kind, &namespace, name, seen));
        let of_nobody: Vec<String> = of_nobody.collect();
        let such = match (&args.selector, unusable.is_empty()) {
            (Some(_), _) => "No pod with these labels waits",
            (None, true) => "No pod waits",
            (None, false) => "No other pod waits",
        };
        let none = match of_nobody.as_slice() {
            [_, ..] => of_nobody.join("\n"),
            _ if !args.filenames.is_empty() => format!("{such}."),
            _ if everywhere => format!("{such} in the cluster."),
            _ => format!("{such} in namespace {namespace}."),
        };
        if !asked.is_empty() {
            for sentence in &of_nobody {
                host.err(&format!("claimkit: {}\n", visible(sentence)));
            }
        }
        let headline = headline::of_pods(&accounts);
        let beside = answer::Beside {
            unseen: &seen.unseen,
            assumed: &assumed,
            findings: &findings,
            headline: headline.as_ref(),
            none: &none,
        };
        host.out(&answer::text(&answered, &beside, form));
        if args.watch.is_some() {
            let each = answered.iter();
            told = each
                .map(|one| (one.brief.full_name(), answer::about(one, &beside, form)))
                .collect();
        }
    }
    let has_failed = args.watch.is_some() && asked.iter().any(|brief| brief.phase() == "Failed");
    let fails = !unusable.is_empty()
        || has_failed
        || answered
            .iter()
            .any(|one| one.verdict().is_refused() || one.verdict() == LiveVerdict::Unknown);
    Ok(Round {
        exit: if fails && args.require {
            Exit::Findings
        } else {
            Exit::Fine
        },
        gone: before
            .iter()
            .filter(|name| !asked.iter().any(|brief| brief.full_name() == **name))
            .map(|name| gone(name, seen))
            .collect(),
        is_over: asked.iter().all(|brief| !brief.is_pending()),
        accounts: told,
    })
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

/// Returns the pod that an answer is about.
fn pod_of<'s>(seen: &'s LiveObjects, brief: &Brief) -> Option<&'s Pod> {
    let BriefMeta {
        namespace, name, ..
    } = &brief.metadata;
    let mut pods = seen.cluster.pods();
    pods.find(|pod| pod.metadata.name == *name && pod.metadata.namespace == *namespace)
}

/// Says that preemption is under way for a pod: pods end on the node to which it is nominated.
fn preemption(seen: &LiveObjects, pod: &Pod) -> Option<String> {
    let node = &pod.status.nominated_node_name;
    if node.is_empty() || !pod.spec.node_name.is_empty() {
        return None;
    }
    let priority = pod.spec.effective_priority();
    let ending = seen.cluster.pods().filter_map(|other| {
        let until = other.metadata.deletion_timestamp.as_ref()?;
        let is_victim = other.spec.node_name == *node && other.spec.effective_priority() < priority;
        is_victim.then(|| format!("{} (deletionTimestamp {until})", other.metadata.full_name()))
    });
    let ending: Vec<String> = ending.collect();
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

/// Tries the changes that would help, with all pods in turn: a pod that waits longer may get what they give. Of what is not
/// tried the helps say so.
///
/// # Errors
/// The cluster cannot be asked.
fn try_helps(
    answered: &mut [AnsweredPod<'_>],
    accounts: &[PodAccount],
    live: &Live,
    seen: &LiveObjects,
    request: &AllocateRequest,
) -> Result<(), String> {
    let pods = seen.cluster.pods();
    let waiting: Vec<&Pod> = pods.filter(|pod| pod.spec.node_name.is_empty()).collect();
    if waiting.len() > 1 {
        let shared = shared_templates(&waiting);
        for one in answered.iter_mut() {
            one.trials.others_wait = true;
            one.trials.shared.clone_from(&shared);
        }
    }
    let explained = answered.iter().filter_map(|one| one.account?.nodes.first());
    let node = explained.map(|node| node.name.clone()).next();
    let work = waiting.len().saturating_mul(seen.cluster.len());
    let mut left = MOST_WORK.checked_div(work).unwrap_or_default();
    left = left.min(MOST_TRIED);
    let mut now: Option<Placed> = None;
    let most_of_pod = match answered.len() <= MOST_PODS {
        true => MOST_OF_POD,
        false => MOST_OF_MANY,
    };
    for at in tried_first(answered, accounts) {
        let mut of_pod = left.min(most_of_pod);
        while of_pod > 0
            && let Some(help) = answered.get(at).and_then(untried)
        {
            let placed_now = match &now {
                Some(placed) => placed,
                None => now.insert(placed_after(&[], node.as_ref(), live, seen, request)?),
            };
            // What cannot be tried is not known.
            let edits = help.edits.as_deref().unwrap_or_default();
            let placed =
                placed_after(edits, node.as_ref(), live, seen, request).unwrap_or_default();
            record(answered, &help, &placed, placed_now);
            of_pod = of_pod.saturating_sub(1);
            left = left.saturating_sub(1);
        }
    }
    Ok(())
}

/// Returns which pods' helps are tried: of many the first one that each reason keeps, for what helps it is shown.
fn tried_first(answered: &[AnsweredPod<'_>], accounts: &[PodAccount]) -> Vec<usize> {
    if answered.len() <= MOST_PODS {
        return (0..answered.len()).collect();
    }
    let parts = headline::of_pods(accounts).map(|headline| headline.parts);
    let mut first = parts.into_iter().flatten().filter_map(|part| {
        let mut pods = part.pods.iter();
        pods.find_map(|name| {
            answered
                .iter()
                .position(|one| one.brief.full_name() == *name && one.verdict().is_refused())
        })
    });
    first.by_ref().take(MOST_PODS).collect()
}

/// Returns the first help of those that are shown of a pod that was not tried, and can be.
fn untried(one: &AnsweredPod<'_>) -> Option<Help> {
    let mut shown = one.helps().into_iter().take(MOST_SHOWN);
    shown.find(|help| help.edits.is_some() && !help.is_tried)
}

/// Keeps what a change does for each pod.
fn record(answered: &mut [AnsweredPod<'_>], help: &Help, placed: &Placed, now: &Placed) {
    let Some(edits) = &help.edits else { return };
    let is_for_others = placed
        .iter()
        .any(|(pod, place)| place.is_some() && !matches!(now.get(pod), Some(Some(_))));
    for one in answered.iter_mut() {
        let place = placed.get(&one.brief.full_name());
        let is_placed = matches!(place, Some(Some(_)));
        // To look for the helps of a pod takes long.
        let matters = match is_placed {
            true => one.group.is_some(),
            false => is_for_others,
        };
        let is_own = matters
            && one
                .helps()
                .iter()
                .any(|own| own.edits.as_ref() == Some(edits));
        if is_placed && matters && !is_own {
            one.trials.of_group.push(help.of_group());
        }
        let outcome = match place {
            None => TrialOutcome::NotKnown,
            Some(Some(_)) => TrialOutcome::Helps,
            Some(None) if is_for_others && is_own => TrialOutcome::HelpsOthers,
            Some(None) => TrialOutcome::InVain,
        };
        one.trials.tried.push(Trial {
            edits: edits.clone(),
            outcome,
            place: place.cloned().flatten(),
        });
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

/// Returns the templates that several of these pods name, as `namespace/name`.
fn shared_templates(pods: &[&Pod]) -> BTreeSet<String> {
    let (mut named, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for pod in pods {
        let own: BTreeSet<String> = templates_of(pod).into_values().collect();
        for template in own {
            if !named.insert(template.clone()) {
                shared.insert(template);
            }
        }
    }
    shared
}

/// What pods get, by their `namespace/name`; `None`: no node. A pod of which that is not known is left out.
type Placed = BTreeMap<String, Option<TrialPlace>>;

/// Returns what pods get once objects are edited. `node`: the one that is explained, for nobody reads why.
fn placed_after(
    edits: &[ObjectEdit],
    node: Option<&String>,
    live: &Live,
    seen: &LiveObjects,
    request: &AllocateRequest,
) -> Result<Placed, String> {
    let mut changed = AllocateRequest {
        pod: None,
        node_names: Some(node.into_iter().cloned().collect()),
        ..request.clone()
    };
    changed.what_if.edits = edits.to_vec();
    let Content::Allocate { pods, .. } = answer(live, seen, changed)?.content else {
        return Ok(Placed::new());
    };
    let placed = pods.into_iter().filter_map(|account| {
        let turn = account
            .turn
            .filter(|turn| turn.outcome != TurnOutcome::NotKnown)?;
        let devices = turn.devices.iter().map(|device| {
            let name = device.device.rsplit('/').next();
            name.unwrap_or_default().to_owned()
        });
        let node = turn.node.clone().filter(|_| turn.outcome.has_node());
        let place = node.map(|node| TrialPlace {
            node,
            devices: devices.collect(),
        });
        Some((account.pod?, place))
    });
    Ok(placed.collect())
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

/// Returns the gates of the command line, or those that the cluster shows.
pub fn gates(
    live: &mut Live,
    given: Option<BTreeMap<String, bool>>,
    host: &mut dyn Host,
) -> BTreeMap<String, bool> {
    if let Some(given) = given {
        return given;
    }
    match live.gates(host) {
        Ok(gates) => {
            if !gates.is_empty() {
                let named: Vec<String> = gates
                    .iter()
                    .map(|(name, on)| format!("{name}={on}"))
                    .collect();
                live.notes.push(format!(
                    "gates of kube-apiserver that are not at their defaults: {}; kube-scheduler's cannot be read",
                    named.join(",")
                ));
            }
            gates
        }
        Err(refusal) => {
            live.notes.push(format!(
                "feature gates were not seen ({}): they count as the release's defaults; `--gates` names others",
                refusal.text()
            ));
            BTreeMap::new()
        }
    }
}

/// Says on standard error what the answer rests on.
pub fn tell(live: &Live, unseen: &[Unseen], host: &mut dyn Host) {
    for note in &live.notes {
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

fn request(live: &Live, asked: &[&Brief], question: &Question<'_>) -> AllocateRequest {
    let one = match (question.named.as_slice(), asked) {
        ([Operand::Pod { .. }], [one]) => Some(one.full_name()),
        _ => None,
    };
    AllocateRequest {
        text: Some(String::new()),
        release: Some(live.release.to_string()),
        namespace: Some(live.namespace.clone()),
        pod: one,
        ..AllocateRequest::default()
    }
}

fn answer(
    live: &Live,
    seen: &LiveObjects,
    request: AllocateRequest,
) -> Result<requests::Answer, String> {
    let answer = requests::allocate_on(&request, &seen.cluster);
    match answer.error {
        Some(problem) => Err(format!("Kubernetes {}: {problem}", live.release)),
        None => Ok(answer),
    }
}

/// Gives a pod its own account of the nodes where it has that of a pod that is not asked about.
fn unfolded(mut accounts: Vec<PodAccount>, asked: &[&Brief]) -> Vec<PodAccount> {
    let is_asked = |name: &str| asked.iter().any(|brief| brief.full_name() == name);
    for at in 0..accounts.len() {
        let first = accounts
            .get(at)
            .and_then(|account| account.same_as.clone())
            .filter(|first| !is_asked(first));
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
fn is_shown(finding: &claimkit_model::text::located::LocatedFinding) -> bool {
    finding.severity != Severity::Info
        && !finding.code.leaves_text_unread()
        && !matches!(
            finding.code,
            Code::NothingChecked | Code::PlacementNotModelled
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_read_as_in_kubectl() {
        let pod = |namespace, name| Operand::Pod { namespace, name };
        assert_eq!(Operand::read("a"), pod(None, "a"));
        assert_eq!(Operand::read("pod/a"), pod(None, "a"));
        assert_eq!(Operand::read("team/a"), pod(Some("team"), "a"));
        let owner = |kind, name| Operand::Owner { kind, name };
        assert_eq!(Operand::read("deploy/web"), owner("deployment", "web"));
        assert_eq!(Operand::read("Jobs.batch/a"), owner("job", "a"));
    }
}
