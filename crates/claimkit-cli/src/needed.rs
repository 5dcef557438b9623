//! `allocate --nodes-needed`: how many nodes of which template the pods that wait need.

use crate::exit::{Exit, Outcome, Problem};
use crate::files::InputFile;
use crate::host::Host;
use crate::lines::Width;
use crate::options::AllocateArgs;
use crate::summary::count;
use crate::values::{NewNodeFile, PlainForm};
use claimkit::requests::request::AllocateRequest;
use claimkit::requests::{Answer, Content};
use claimkit_scheduler::allocator::what_if::NewNodes;
use claimkit_scheduler::explain::turn::TurnOutcome;
use claimkit_scheduler::explain::words;
use serde::Serialize;
use std::collections::BTreeSet;
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
    /// The pods that wait.
    pods: usize,
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
struct Tried {
    placed: BTreeSet<String>,
    left: BTreeSet<String>,
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
        ok: without.left.is_empty(),
        pods: without.placed.len().saturating_add(without.left.len()),
        without: without.placed.len(),
        templates: Vec::new(),
        together: None,
    };
    if !without.left.is_empty() {
        for at in 0..texts.len() {
            let needed = trials.alone(at, without.left.len(), host)?;
            report.templates.push(needed);
        }
        report.together = trials.together(&report.templates, host)?;
        let alone = report.templates.iter().any(|needed| needed.left.is_empty());
        let together = report.together.iter().any(|some| some.left.is_empty());
        report.ok = alone || together;
    }
    host.status("");
    host.out(&match args.output {
        PlainForm::Json => format!("{}\n", claimkit::requests::print(&report)),
        PlainForm::Text => report.text(Width::of(host.columns())),
    });
    Ok(match report.pods {
        0 => Exit::Unusable,
        _ if args.require && !report.ok => Exit::Findings,
        _ => Exit::Fine,
    })
}

impl Trials<'_, '_> {
    /// Places the pods that wait with this many nodes of each template.
    fn place(&mut self, counts: &[usize], host: &mut dyn Host) -> Result<Tried, Problem> {
        let all = counts
            .iter()
            .fold(0usize, |sum, count| sum.saturating_add(*count));
        host.status(&format!("placing pods: {}", count(all, "new node")));
        let mut request = self.request.clone();
        // Nobody reads the accounts of nodes.
        request.node_names = Some(Vec::new());
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
        let answer = (self.ask)(request, host)?;
        let mut tried = Tried {
            placed: BTreeSet::new(),
            left: BTreeSet::new(),
        };
        let Content::Allocate { pods, .. } = answer.content else {
            return Ok(tried);
        };
        for account in pods {
            let outcome = account.turn.as_ref().map(|turn| turn.outcome);
            let (Some(outcome), Some(name)) = (outcome, account.pod) else {
                continue;
            };
            if outcome.has_node() && outcome != TurnOutcome::Placed {
                tried.placed.insert(name);
            } else if !matches!(outcome, TurnOutcome::Placed | TurnOutcome::Ended) {
                tried.left.insert(name);
            }
        }
        Ok(tried)
    }

    /// Returns how many nodes of one template are needed.
    fn alone(&mut self, at: usize, waiting: usize, host: &mut dyn Host) -> Result<Needed, Problem> {
        let file = self.files.get(at);
        // A node takes a pod at least, or is of no use.
        let most = match file {
            Some(file) if file.is_counted => file.count.get(),
            _ => waiting.min(MOST_NODES),
        };
        let mut counts = vec![0; self.texts.len()];
        let nodes = self.least(&mut counts, at, most, host)?;
        let tried = self.place(&counts, host)?;
        Ok(Needed {
            file: file.map(|file| file.file.clone()).unwrap_or_default(),
            nodes,
            placed: tried.placed.len(),
            left: tried.left.into_iter().collect(),
        })
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
    fn text(&self, width: Width) -> String {
        let all = self.pods;
        let mut lines = vec![match (all, self.without) {
            (0, _) => "No pod waits.".to_owned(),
            (_, without) if without == all => {
                format!(
                    "{} that wait: all get a node without new ones.",
                    count(all, "pod")
                )
            }
            (_, 0) => format!(
                "{} that wait: none gets a node without new ones.",
                count(all, "pod")
            ),
            (_, without) => {
                format!(
                    "{} that wait: {without} of them get a node without new ones.",
                    count(all, "pod")
                )
            }
        }];
        for needed in &self.templates {
            let Needed {
                file,
                nodes,
                placed,
                left,
            } = needed;
            lines.push(match nodes {
                0 => format!("{file}: no number of nodes takes another pod."),
                nodes => format!(
                    "{file}: {} {}.",
                    count(*nodes, "node"),
                    taken(all, *placed, left)
                ),
            });
        }
        if let Some(together) = &self.together {
            let parts: Vec<String> = self
                .templates
                .iter()
                .zip(&together.nodes)
                .filter(|(_, nodes)| **nodes > 0)
                .map(|(needed, nodes)| format!("{nodes} of {}", needed.file))
                .collect();
            lines.push(format!(
                "Together: {} {}.",
                parts.join(" and "),
                taken(all, together.placed, &together.left)
            ));
        }
        let lines = lines.iter().map(|line| width.wrapped(line, 0, 2));
        lines.collect()
    }
}

/// Says how many pods get a node, and which do not.
fn taken(all: usize, placed: usize, left: &[String]) -> String {
    match left {
        [] => format!("for all {}", count(all, "pod")),
        left => format!(
            "for {placed} of {} (not {})",
            count(all, "pod"),
            words::some(left, MOST_NAMES)
        ),
    }
}
