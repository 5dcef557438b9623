//! `allocate`: which devices the pods and claims of files get on each node, and why none. All files are evaluated as one text.

use crate::account::{fits, text, why_unfit};
use crate::ask;
use crate::exit::{Exit, Outcome, Problem};
use crate::files::{self, InputFile, ReadFiles};
use crate::given::{self, Given};
use crate::host::Host;
use crate::lines::{Printed, Width, name};
use crate::needed;
use crate::options::AllocateArgs;
use crate::summary;
use crate::values::{PlainForm, what_if};
use claimkit::report;
use claimkit::requests::request::{self, AllocateRequest, Replaced};
use claimkit::requests::{self, Answer, Content, Request};
use claimkit::{HowMany, PlacementMode, PreparedCluster};
use claimkit_model::finding::{Code, Origin, Severity, TextField};
use claimkit_model::limits::Limits;
use claimkit_model::message::Message;
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::what_if::WhatIf;
use claimkit_scheduler::explain::account::PodAccount;

/// Maximum number of lines about claims that are made for new pods.
const MOST_CLAIMS: usize = 3;

/// Runs the verb.
pub fn run(args: &AllocateArgs, host: &mut dyn Host) -> Outcome {
    let input = Input::read(args, host)?;
    let request = input.request();
    let prepared = input.prepare_cluster()?;
    if args.nodes_needed {
        if !input.is_readable {
            return Ok(Exit::Unusable);
        }
        let mut answer_to = |request: AllocateRequest, host: &mut dyn Host| {
            input.answer(request, prepared.as_ref(), host)
        };
        return needed::run(args, &input.new_nodes, request, &mut answer_to, host);
    }
    let mut answer = input.answer(request, prepared.as_ref(), host)?;
    if args.output == PlainForm::Json {
        host.out(&format!("{}\n", requests::print(&answer)));
    }
    let Some(placed) = PlacedPods::taken_from(&mut answer) else {
        return Ok(Exit::Unusable);
    };
    if args.output == PlainForm::Text {
        input.print_text(answer, &placed, host);
    }
    Ok(input.exit_of(&placed, host))
}

/// What the command line gives, with the text of its files.
struct Input<'a> {
    args: &'a AllocateArgs,
    files: Vec<InputFile>,
    /// True if everything could be read.
    is_readable: bool,
    /// The files of `--cluster`.
    cluster: Vec<InputFile>,
    /// The files of `--new-node`.
    new_nodes: Vec<InputFile>,
}

impl<'a> Input<'a> {
    /// Reads the files of the command line.
    ///
    /// # Errors
    /// A file of `--cluster` or `--new-node` cannot be read.
    fn read(args: &'a AllocateArgs, host: &mut dyn Host) -> Result<Self, Problem> {
        let ReadFiles {
            files, readable, ..
        } = files::read(&args.files, host);
        let most = Limits::default().bytes;
        let cluster: Vec<InputFile> = args
            .cluster
            .iter()
            .map(|name| files::read_at_most(name, most, host))
            .collect::<Result<_, Problem>>()?;
        let new_nodes = files::read_new_nodes(&args.new_node, host)?;
        Ok(Input {
            args,
            files,
            is_readable: readable,
            cluster,
            new_nodes,
        })
    }

    /// Returns the question to the scheduler.
    fn request(&self) -> AllocateRequest {
        let args = self.args;
        let given = Given::of(&self.files);
        AllocateRequest {
            text: given.text,
            sources: given.sources,
            release: args.release.clone(),
            gates: args.gates.gates().unwrap_or_default(),
            namespace_labels: args.labels.labels(),
            what_if: WhatIf {
                new_nodes: files::new_nodes(&args.new_node, &self.new_nodes),
                ..what_if(&args.what_if, &args.node_like)
            },
            alone: args.alone,
            how_many: args.how_many,
            namespace: args.namespace.clone(),
            pod: args.pod.clone(),
            now: args.now.clone(),
            node_names: (!args.node.is_empty()).then(|| args.node.clone()),
            replaced: Replaced {
                text: given.replaced,
                ..Replaced::default()
            },
            ..AllocateRequest::default()
        }
    }

    /// Reads the objects of `--cluster`; `None`: it is not given.
    ///
    /// # Errors
    /// The release is not known.
    fn prepare_cluster(&self) -> Result<Option<PreparedCluster>, Problem> {
        if self.cluster.is_empty() {
            return Ok(None);
        }
        let release = request::release(self.args.release.as_deref())?;
        let namespace = self.args.namespace.as_deref();
        Ok(Some(read_cluster(&self.cluster, release, namespace)))
    }

    /// Answers a request, on the cluster of `--cluster` if there is one.
    ///
    /// # Errors
    /// Why the request cannot be used.
    fn answer(
        &self,
        request: AllocateRequest,
        prepared: Option<&PreparedCluster>,
        host: &mut dyn Host,
    ) -> Result<Answer, Problem> {
        let Some(prepared) = prepared else {
            return ask::once(Request::Allocate(request), host);
        };
        let answer = ask::usable(requests::allocate_on(&request, prepared))?;
        Ok(ask::place_beside(answer, TextField::Cluster, &self.cluster))
    }

    /// Prints the findings of the answer on standard error, and the pods on standard output.
    fn print_text(&self, answer: Answer, placed: &PlacedPods, host: &mut dyn Host) {
        let rules = ask::rules_of(&answer);
        let nothing_checked = lines_about_nothing_checked(&answer, placed);
        let problems = self.problems(answer, host);
        host.err(&format!("{problems}{nothing_checked}"));
        let claim_lines = ClaimLines::of(placed);
        let claims_unsaid = placed.claims_assumed.saturating_sub(claim_lines.said);
        let assumed_said = placed.assumed.len().saturating_sub(claims_unsaid);
        let printed = Printed {
            release: placed.release,
            mode: placed.mode,
            beside: placed.beside,
            how_many: placed.how_many.as_ref(),
            assumed: placed
                .assumed
                .get(..assumed_said)
                .unwrap_or(&placed.assumed),
            claims_left_out: claim_lines.left_out,
            pods: &placed.pods,
            every_node: !self.args.node.is_empty(),
            width: Width::of(host.columns()),
        };
        host.out(&text(printed, &self.files));
        host.out(&rules);
    }

    /// Returns the findings of the answer as text, those of each file together.
    fn problems(&self, answer: Answer, host: &dyn Host) -> String {
        let parts = given::by_file(&self.files, answer);
        let beside: Vec<InputFile> = self
            .cluster
            .iter()
            .chain(&self.new_nodes)
            .cloned()
            .collect();
        let remarks = ask::remarks(&self.args.text);
        let style = summary::style(self.args.text.color, host);
        let mut problems = String::new();
        for report in ask::reports(&self.files, &parts.answers, &beside, remarks) {
            report::text::write(&mut problems, &report, style);
        }
        problems
    }

    /// Returns the exit status; with `--require`, says on standard error which pods keep it from being zero.
    fn exit_of(&self, placed: &PlacedPods, host: &mut dyn Host) -> Exit {
        if !self.is_readable {
            return Exit::Unusable;
        }
        if placed.pods.is_empty() {
            return if placed.is_refused {
                Exit::Findings
            } else {
                Exit::Unusable
            };
        }
        let mut exit = if placed.is_ok {
            Exit::Fine
        } else {
            Exit::Findings
        };
        if self.args.require {
            for pod in placed.pods.iter().filter(|pod| placed.is_unfit(pod)) {
                host.err(&format!("claimkit: {}: {}\n", name(pod), why_unfit(pod)));
                exit = Exit::Findings;
            }
        }
        exit
    }
}

/// The pods of an answer, and what it says of all of them.
struct PlacedPods {
    /// No finding is an error.
    is_ok: bool,
    /// kube-apiserver refuses an object.
    is_refused: bool,
    release: Release,
    mode: PlacementMode,
    /// The number of pods that wait beside these.
    beside: usize,
    /// How often the repeated pod fits.
    how_many: Option<HowMany>,
    /// The changes that the answer assumes.
    assumed: Vec<Message>,
    /// How many of the changes, the last ones, are claims that are made for new pods.
    claims_assumed: usize,
    pods: Vec<PodAccount>,
}

impl PlacedPods {
    /// Takes the pods out of an answer; `None`: it has none of this verb.
    fn taken_from(answer: &mut Answer) -> Option<Self> {
        let Content::Allocate {
            release,
            mode,
            beside,
            how_many,
            assumed,
            claims_assumed,
            pods,
            ..
        } = std::mem::take(&mut answer.content)
        else {
            return None;
        };
        let is_refused = answer.findings.iter().any(|finding| {
            finding.severity == Severity::Error && finding.origin == Origin::ApiServer
        });
        Some(PlacedPods {
            is_ok: answer.ok,
            is_refused,
            release,
            mode,
            beside,
            how_many,
            assumed,
            claims_assumed,
            pods,
        })
    }

    /// Returns true if a pod gets no node. Of a pod that is repeated, the last copy never fits: what counts is whether any does.
    fn is_unfit(&self, pod: &PodAccount) -> bool {
        match &self.how_many {
            Some(how_many) => how_many.count == 0 || pod.unknown.is_some(),
            None => !fits(pod),
        }
    }
}

/// How many lines about claims that are made for new pods are printed, and how many are only counted.
struct ClaimLines {
    said: usize,
    left_out: usize,
}

impl ClaimLines {
    fn of(placed: &PlacedPods) -> Self {
        // The claims of many pods are alike; those of copies are neither printed nor counted.
        if placed.how_many.is_some() {
            return ClaimLines {
                said: 0,
                left_out: 0,
            };
        }
        let said = placed.claims_assumed.min(MOST_CLAIMS);
        ClaimLines {
            said,
            left_out: placed.claims_assumed.saturating_sub(said),
        }
    }
}

/// Returns the findings about the whole input, which have no line to show.
fn lines_about_nothing_checked(answer: &Answer, placed: &PlacedPods) -> String {
    let in_use = if placed.pods.is_empty() && !placed.is_refused {
        "; `claimkit audit` shows what is in use"
    } else {
        ""
    };
    answer
        .findings
        .iter()
        .filter(|finding| finding.code == Code::NothingChecked)
        .map(|finding| format!("claimkit: {}{in_use}\n", finding.message))
        .collect()
}

/// Reads the files of `--cluster` as one cluster.
fn read_cluster(
    files: &[InputFile],
    release: Option<Release>,
    namespace: Option<&str>,
) -> PreparedCluster {
    let sources = given::sources(files);
    let mut cluster = PreparedCluster::read(&sources, release, namespace, &Limits::default());
    for file in files {
        cluster = cluster.with_replaced(&file.text, file.replaced, Some(&file.name));
    }
    cluster
}
