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
use claimkit::PreparedCluster;
use claimkit::report;
use claimkit::requests::request::{self, AllocateRequest, Replaced};
use claimkit::requests::{self, Content, Request};
use claimkit_model::finding::{Code, Origin, Severity, TextField};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Release;
use claimkit_scheduler::allocator::what_if::WhatIf;
use claimkit_scheduler::explain::account::PodAccount;

/// Maximum number of lines about claims that are made for new pods.
const MOST_CLAIMS: usize = 3;

/// Runs the verb.
pub fn run(args: &AllocateArgs, host: &mut dyn Host) -> Outcome {
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
    let given = Given::of(&files);
    let request = AllocateRequest {
        text: given.text,
        sources: given.sources,
        release: args.release.clone(),
        gates: args.gates.gates().unwrap_or_default(),
        namespace_labels: args.labels.labels(),
        what_if: WhatIf {
            new_nodes: files::new_nodes(&args.new_node, &new_nodes),
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
    };
    let prepared = match cluster.is_empty() {
        true => None,
        false => {
            let release = request::release(args.release.as_deref())?;
            Some(read_cluster(&cluster, release, args.namespace.as_deref()))
        }
    };
    let mut answer_to = |request: AllocateRequest, host: &mut dyn Host| match &prepared {
        None => ask::once(Request::Allocate(request), host),
        Some(prepared) => {
            let answer = ask::usable(requests::allocate_on(&request, prepared))?;
            Ok(ask::place_beside(answer, TextField::Cluster, &cluster))
        }
    };
    if args.nodes_needed {
        if !readable {
            return Ok(Exit::Unusable);
        }
        return needed::run(args, &new_nodes, request, &mut answer_to, host);
    }
    let mut answer = answer_to(request, host)?;
    let ok = answer.ok;
    let refused = answer
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error && finding.origin == Origin::ApiServer);
    let rules = ask::rules_of(&answer);
    if args.output == PlainForm::Json {
        host.out(&format!("{}\n", requests::print(&answer)));
    }
    let Content::Allocate {
        release,
        mode,
        beside: others,
        how_many,
        mut assumed,
        claims_assumed,
        pods,
        ..
    } = std::mem::take(&mut answer.content)
    else {
        return Ok(Exit::Unusable);
    };
    if args.output == PlainForm::Text {
        // This finding is about the whole input and has no line to show.
        let nothing = answer
            .findings
            .iter()
            .filter(|finding| finding.code == Code::NothingChecked);
        let in_use = if pods.is_empty() && !refused {
            "; `claimkit audit` shows what is in use"
        } else {
            ""
        };
        let nothing: String = nothing
            .map(|finding| format!("claimkit: {}{in_use}\n", finding.message))
            .collect();
        let mut problems = String::new();
        let parts = given::by_file(&files, answer);
        let beside: Vec<InputFile> = cluster.iter().chain(&new_nodes).cloned().collect();
        for report in ask::reports(&files, &parts.answers, &beside, ask::remarks(&args.text)) {
            report::text::write(
                &mut problems,
                &report,
                summary::style(args.text.color, host),
            );
        }
        host.err(&format!("{problems}{nothing}"));
        // The claims of many pods are alike; those of copies are not said at all.
        let claims_said = match how_many {
            Some(_) => 0,
            None => claims_assumed.min(MOST_CLAIMS),
        };
        let claims_left_out = claims_assumed.saturating_sub(claims_said);
        assumed.truncate(assumed.len().saturating_sub(claims_left_out));
        let width = Width::of(host.columns());
        let printed = Printed {
            release,
            mode,
            beside: others,
            how_many: how_many.as_ref(),
            assumed: &assumed,
            claims_left_out: match how_many {
                Some(_) => 0,
                None => claims_left_out,
            },
            pods: &pods,
            every_node: !args.node.is_empty(),
            width,
        };
        host.out(&text(printed, &files));
        host.out(&rules);
    }
    if !readable || pods.is_empty() {
        return Ok(if readable && refused {
            Exit::Findings
        } else {
            Exit::Unusable
        });
    }
    let mut exit = if ok { Exit::Fine } else { Exit::Findings };
    // Of a pod that is repeated, the last copy never fits: what counts is whether any does.
    let unfit = |pod: &&PodAccount| match &how_many {
        Some(how_many) => how_many.count == 0 || pod.unknown.is_some(),
        None => !fits(pod),
    };
    for pod in pods.iter().filter(|pod| args.require && unfit(pod)) {
        host.err(&format!("claimkit: {}: {}\n", name(pod), why_unfit(pod)));
        exit = Exit::Findings;
    }
    Ok(exit)
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
