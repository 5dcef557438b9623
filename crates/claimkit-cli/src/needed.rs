//! `allocate --nodes-needed`: how many nodes of which template the pods that wait need.

use crate::account::why_unfit;
use crate::exit::{Exit, Outcome, Problem};
use crate::files::InputFile;
use crate::host::Host;
use crate::lines::Width;
use crate::options::AllocateArgs;
use crate::summary::count;
use crate::values::{NewNodeFile, PlainForm};
use claimkit::requests::request::AllocateRequest;
use claimkit::requests::{Answer, Content};
use claimkit_model::message::Words;
use claimkit_scheduler::allocator::what_if::NewNodes;
use claimkit_scheduler::explain::account::PodAccount;
use claimkit_scheduler::explain::turn::{ReasonGroup, TurnOutcome};
use claimkit_scheduler::explain::words;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

/// Maximum number of nodes of one template that are tried.
const MOST_NODES: usize = 1_000;
/// Maximum number of pods that one line names.
const MOST_NAMES: usize = 3;

/// What answers a request.
pub type Ask<'a> = dyn FnMut(AllocateRequest, &mut dyn Host) -> Result<Answer, Problem> + 'a;

/// The answer as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    verb: &'static str,
    /// True if nodes of the templates take all pods.
    ok: bool,
    /// What the answer assumes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumed: Vec<String>,
    /// The pods that wait for a node.
    pods: usize,
    /// The pods that wait for something else, or of which nothing is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_counted: Vec<OpenPod>,
    /// The pods that get a node without new ones.
    without: usize,
    /// Each template alone, in the order of the command line.
    templates: Vec<Needed>,
    /// Nodes of several templates; absent if no template alone leaves a pod that another takes.
    together: Option<Together>,
}

/// The nodes of one template that take as many pods as any number of them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Needed {
    file: String,
    nodes: usize,
    /// The pods that get a node.
    placed: usize,
    /// The pods that get none.
    left: Vec<String>,
    /// Why one more node does not take the first of them; absent: all are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<NodeReason>,
    /// The pods of which it is not known with as many nodes as were tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_known: Vec<OpenPod>,
}

/// Why a node does not take a pod.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeReason {
    pod: String,
    node: String,
    why: String,
}

/// A pod of which no node decides, or it is not known whether one does.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OpenPod {
    pod: String,
    why: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Together {
    /// The nodes of each template.
    nodes: Vec<usize>,
    placed: usize,
    left: Vec<String>,
}

/// The pods that wait, by their `namespace/name`: those that get a node, and the others.
#[derive(Default)]
struct Tried {
    placed: BTreeSet<String>,
    left: BTreeSet<String>,
    /// Those that wait for something else, or of which it is not known, with the reason.
    open: BTreeMap<String, String>,
    assumed: Vec<String>,
}

impl Tried {
    /// Returns the open pods that are not open in another trial.
    fn open_beside(&self, other: &Tried) -> Vec<OpenPod> {
        let own = self.open.iter();
        own.filter(|(pod, _)| !other.open.contains_key(*pod))
            .map(|(pod, why)| OpenPod {
                pod: pod.clone(),
                why: why.clone(),
            })
            .collect()
    }
}

/// Says why a pod is open; `None`: nodes decide.
fn why_open(account: &PodAccount) -> Option<String> {
    let turn = account.turn.as_deref()?;
    match turn.outcome {
        TurnOutcome::NotKnown => Some(why_unfit(account)),
        TurnOutcome::Gated | TurnOutcome::NotConsidered => {
            let before = account.before.as_ref();
            let help = before.and_then(|before| before.help.as_deref());
            Some(match (&turn.waits_for, help) {
                (Some(what), Some(help)) if !help.is_empty() => {
                    format!("waits for {what}; {help}")
                }
                (Some(what), _) => format!("waits for {what}"),
                (None, _) => why_unfit(account),
            })
        }
        _ => None,
    }
}

/// Asks how pods fare with numbers of new nodes.
struct Trials<'a, 'b> {
    request: AllocateRequest,
    files: &'a [NewNodeFile],
    texts: &'a [InputFile],
    ask: &'a mut Ask<'b>,
}

/// Runs the verb. `request`: the question, without new nodes.
pub fn run(
    args: &AllocateArgs,
    texts: &[InputFile],
    request: AllocateRequest,
    ask: &mut Ask<'_>,
    host: &mut dyn Host,
) -> Outcome {
    let mut trials = Trials {
        request,
        files: &args.new_node,
        texts,
        ask,
    };
    let none = vec![0; texts.len()];
    let without = trials.place(&none, host)?;
    let mut report = Report {
        verb: "allocate",
        ok: without.left.is_empty() && without.open.is_empty(),
        assumed: without.assumed.clone(),
        not_counted: without.open_beside(&Tried::default()),
        pods: without.placed.len().saturating_add(without.left.len()),
        without: without.placed.len(),
        templates: Vec::new(),
        together: None,
    };
    if !without.left.is_empty() {
        for at in 0..texts.len() {
            let (needed, assumed) = trials.alone(at, &without, host)?;
            report.templates.push(needed);
            for line in assumed {
                if !report.assumed.contains(&line) {
                    report.assumed.push(line);
                }
            }
        }
        report.together = trials.together(&report.templates, host)?;
        let alone = report
            .templates
            .iter()
            .any(|needed| needed.left.is_empty() && needed.not_known.is_empty());
        let together = report.together.iter().any(|some| some.left.is_empty());
        report.ok = without.open.is_empty() && (alone || together);
    }
    host.status("");
    host.out(&match args.output {
        PlainForm::Json => format!("{}\n", claimkit::requests::print(&report)),
        PlainForm::Text => report.text(Width::of(host.columns())),
    });
    Ok(match report.pods {
        0 if report.not_counted.is_empty() => Exit::Unusable,
        _ if args.require && !report.ok => Exit::Findings,
        _ => Exit::Fine,
    })
}

impl Trials<'_, '_> {
    /// Asks about the pods with this many nodes of each template.
    fn answer(
        &mut self,
        mut request: AllocateRequest,
        counts: &[usize],
        host: &mut dyn Host,
    ) -> Result<Answer, Problem> {
        let all = counts
            .iter()
            .fold(0usize, |sum, count| sum.saturating_add(*count));
        host.status(&format!("placing pods: {}", count(all, "new node")));
        request.what_if.makes_claims = true;
        let texts = self.texts.iter().zip(counts);
        request.what_if.new_nodes = texts
            .filter_map(|(file, count)| {
                Some(NewNodes {
                    text: file.text.clone(),
                    count: NonZeroUsize::new(*count)?,
                    name: Some(file.name.clone()),
                })
            })
            .collect();
        (self.ask)(request, host)
    }

    /// Places the pods that wait with this many nodes of each template.
    fn place(&mut self, counts: &[usize], host: &mut dyn Host) -> Result<Tried, Problem> {
        let request = AllocateRequest {
            // Nobody reads the accounts of nodes.
            node_names: Some(Vec::new()),
            ..self.request.clone()
        };
        let answer = self.answer(request, counts, host)?;
        let mut tried = Tried::default();
        let Content::Allocate {
            pods,
            mut assumed,
            claims_assumed,
            ..
        } = answer.content
        else {
            return Ok(tried);
        };
        assumed.truncate(assumed.len().saturating_sub(claims_assumed));
        tried.assumed = assumed.iter().map(ToString::to_string).collect();
        for account in pods {
            let outcome = account.turn.as_ref().map(|turn| turn.outcome);
            let why_open = why_open(&account);
            let (Some(outcome), Some(name)) = (outcome, account.pod) else {
                continue;
            };
            if let Some(why) = why_open {
                tried.open.insert(name, why);
                continue;
            }
            if outcome.has_node() && outcome != TurnOutcome::Placed {
                tried.placed.insert(name);
            } else if !matches!(outcome, TurnOutcome::Placed | TurnOutcome::Ended) {
                tried.left.insert(name);
            }
        }
        Ok(tried)
    }

    /// Returns why nodes refuse a pod. `node`: only this one is looked at.
    fn refusals(
        &mut self,
        pod: &str,
        node: Option<&String>,
        counts: &[usize],
        host: &mut dyn Host,
    ) -> Result<Vec<ReasonGroup>, Problem> {
        let request = AllocateRequest {
            pod: Some(pod.to_owned()),
            node_names: node.map(|node| vec![node.clone()]),
            ..self.request.clone()
        };
        let answer = self.answer(request, counts, host)?;
        let Content::Allocate { pods, .. } = answer.content else {
            return Ok(Vec::new());
        };
        let account = pods
            .into_iter()
            .find(|account| account.pod.as_deref() == Some(pod));
        let turn = account.and_then(|account| account.turn);
        Ok(turn.map(|turn| turn.refused).unwrap_or_default())
    }

    /// Returns why one more node of a template does not take a pod. `counts`: the nodes of each template.
    fn why_refused(
        &mut self,
        pod: &str,
        at: usize,
        counts: &[usize],
        host: &mut dyn Host,
    ) -> Result<Option<NodeReason>, Problem> {
        let before = self.refusals(pod, None, counts, host)?;
        let known: BTreeSet<&String> = before.iter().flat_map(|group| &group.nodes).collect();
        let mut more = counts.to_vec();
        if let Some(count) = more.get_mut(at) {
            *count = count.saturating_add(1);
        }
        let after = self.refusals(pod, None, &more, host)?;
        let mut nodes = after.iter().flat_map(|group| &group.nodes);
        let Some(node) = nodes.find(|node| !known.contains(node)) else {
            return Ok(None);
        };
        // Other nodes may refuse it for the same reasons, with amounts of their own.
        let alone = self.refusals(pod, Some(node), &more, host)?;
        let reason = alone
            .iter()
            .find(|group| group.nodes.contains(node))
            .map(|group| {
                let why: Vec<&str> = group.why.iter().map(Words::as_str).collect();
                NodeReason {
                    pod: pod.to_owned(),
                    node: node.clone(),
                    why: why.join("; "),
                }
            });
        Ok(reason)
    }

    /// Returns how many nodes of one template are needed, and what that assumes. `without`: the pods without new nodes.
    fn alone(
        &mut self,
        at: usize,
        without: &Tried,
        host: &mut dyn Host,
    ) -> Result<(Needed, Vec<String>), Problem> {
        let waiting = without.left.len();
        let file = self.files.get(at);
        // A node takes a pod at least, or is of no use.
        let most = match file {
            Some(file) if file.is_counted => file.count.get(),
            _ => waiting.min(MOST_NODES),
        };
        let mut counts = vec![0; self.texts.len()];
        if let Some(count) = counts.get_mut(at) {
            *count = most;
        }
        let not_known = self.place(&counts, host)?.open_beside(without);
        let nodes = self.least(&mut counts, at, most, host)?;
        let tried = self.place(&counts, host)?;
        let is_known = |pod: &String| !not_known.iter().any(|open| open.pod == *pod);
        let left: Vec<String> = tried.left.into_iter().filter(is_known).collect();
        let why = match left.first() {
            Some(pod) => self.why_refused(pod, at, &counts, host)?,
            None => None,
        };
        let needed = Needed {
            file: file.map(|file| file.file.clone()).unwrap_or_default(),
            nodes,
            placed: tried.placed.len(),
            left,
            why,
            not_known,
        };
        Ok((needed, tried.assumed))
    }

    /// Sets one number to the least with which as many pods are placed as with `most`, and returns it.
    fn least(
        &mut self,
        counts: &mut [usize],
        at: usize,
        most: usize,
        host: &mut dyn Host,
    ) -> Result<usize, Problem> {
        let mut try_with = |nodes: usize, host: &mut dyn Host| {
            if let Some(count) = counts.get_mut(at) {
                *count = nodes;
            }
            self.place(counts, host).map(|tried| tried.placed.len())
        };
        let wanted = try_with(most, host)?;
        let (mut low, mut high) = (0, most);
        while low < high {
            let middle = low.midpoint(high);
            if try_with(middle, host)? < wanted {
                low = middle.saturating_add(1);
            } else {
                high = middle;
            }
        }
        if let Some(count) = counts.get_mut(at) {
            *count = high;
        }
        Ok(high)
    }

    /// Returns nodes of several templates that take more pods than those of any one.
    fn together(
        &mut self,
        alone: &[Needed],
        host: &mut dyn Host,
    ) -> Result<Option<Together>, Problem> {
        let mut counts: Vec<usize> = alone.iter().map(|needed| needed.nodes).collect();
        let most = alone.iter().map(|needed| needed.placed).max();
        if counts.iter().filter(|count| **count > 0).count() < 2
            || self.place(&counts, host)?.placed.len() <= most.unwrap_or_default()
        {
            return Ok(None);
        }
        // Those of the last templates are given up first.
        for at in (0..counts.len()).rev() {
            let most = counts.get(at).copied().unwrap_or_default();
            self.least(&mut counts, at, most, host)?;
        }
        let tried = self.place(&counts, host)?;
        Ok(Some(Together {
            nodes: counts,
            placed: tried.placed.len(),
            left: tried.left.into_iter().collect(),
        }))
    }
}

impl Report {
    /// Returns true if nodes of several templates take a pod.
    fn is_taken_together(&self, pod: &String) -> bool {
        let mut together = self.together.iter();
        together.any(|together| !together.left.contains(pod))
    }

    fn text(&self, width: Width) -> String {
        let mut lines: Vec<String> = Vec::new();
        for assumption in &self.assumed {
            lines.push(format!("Assumed: {assumption}"));
        }
        lines.push(self.line_without_new_nodes());
        lines.extend(open_lines("Not counted", &self.not_counted));
        for needed in &self.templates {
            lines.extend(self.lines_of_template(needed));
        }
        if let Some(together) = &self.together {
            lines.push(self.line_of_several_templates(together));
        }
        lines.iter().map(|line| width.wrapped(line, 0, 2)).collect()
    }

    /// Says how many pods wait, and how many of them get a node without new ones.
    fn line_without_new_nodes(&self) -> String {
        let placed = self.without;
        match self.pods {
            0 if !self.not_counted.is_empty() => "No pod waits for a node alone.".to_owned(),
            0 => "No pod waits.".to_owned(),
            1 if placed == 1 => "1 pod that waits: it gets a node without new ones.".to_owned(),
            1 => "1 pod that waits: it gets no node without new ones.".to_owned(),
            all => {
                let pods = count(all, "pod");
                let subject = match placed {
                    0 => "none gets".to_owned(),
                    placed if placed == all => "all get".to_owned(),
                    1 => "1 of them gets".to_owned(),
                    placed => format!("{placed} of them get"),
                };
                format!("{pods} that wait: {subject} a node without new ones.")
            }
        }
    }

    /// Says how many nodes of a template are needed, and which pods it does not take.
    fn lines_of_template(&self, needed: &Needed) -> Vec<String> {
        let file = &needed.file;
        let mut lines = Vec::new();
        if needed.nodes > 0 {
            let nodes = count(needed.nodes, "node");
            let pods = taken(self.pods, needed.placed, &needed.left);
            lines.push(format!("{file}: {nodes} {pods}."));
        } else if !needed.left.is_empty() {
            lines.push(format!("{file}: no number of nodes takes another pod."));
        }
        if let Some(NodeReason { pod, node, why }) = &needed.why
            && !self.is_taken_together(pod)
        {
            lines.push(format!("{file}: {node} does not take {pod}: {why}."));
        }
        lines.extend(open_lines(file, &needed.not_known));
        lines
    }

    fn line_of_several_templates(&self, together: &Together) -> String {
        let mut parts: Vec<String> = Vec::new();
        for (needed, nodes) in self.templates.iter().zip(&together.nodes) {
            if *nodes > 0 {
                parts.push(format!("{nodes} of {}", needed.file));
            }
        }
        let nodes = parts.join(" and ");
        let pods = taken(self.pods, together.placed, &together.left);
        format!("Together: {nodes} {pods}.")
    }
}

/// Says of open pods why they are, a few of them by name.
fn open_lines(about: &str, pods: &[OpenPod]) -> Vec<String> {
    let named = pods.iter().take(MOST_NAMES);
    let mut lines: Vec<String> = named
        .map(|open| format!("{about}: {} {}.", open.pod, open.why))
        .collect();
    match pods.len().saturating_sub(MOST_NAMES) {
        0 => {}
        more => lines.push(format!("{about}: {}.", count(more, "more pod"))),
    }
    lines
}

/// Says how many pods get a node, and which do not.
fn taken(all: usize, placed: usize, left: &[String]) -> String {
    match left {
        [] if placed == 1 && all == 1 => "for the pod".to_owned(),
        [] if placed == all => format!("for all {}", count(all, "pod")),
        [] => format!("for {placed} of {}", count(all, "pod")),
        left => format!(
            "for {placed} of {} (not {})",
            count(all, "pod"),
            words::some(left, MOST_NAMES)
        ),
    }
}
