//! `allocate`: which devices the pods and claims of files get on each node, and why none. All files are evaluated as one text.

use super::account::{Texts, fits, text};
use super::arguments::Arguments;
use super::ask;
use super::files::{self, InputFile};
use super::joined::Joined;
use super::lines::{Printed, Width, name};
use super::{FINDINGS, FINE, Host, UNUSABLE, check, pairs};
use crate::report;
use crate::requests::request::{AllocateRequest, Replaced};
use crate::requests::{self, Content, Request};
use claimkit_model::finding::{Code, Origin, Severity, TextField};
use claimkit_model::limits::Limits;
use claimkit_scheduler::allocator::what_if::WhatIf;
use claimkit_scheduler::explain::account::PodAccount;

/// A change on the command line, the list of the request that it goes to, and that list.
type Change = (
    &'static str,
    &'static str,
    fn(&mut WhatIf) -> &mut Vec<String>,
);

/// The changes on the command line. `www/src/state/whatif.ts` has the same.
pub const CHANGES: &[Change] = &[
    ("free", "free", |what_if| &mut what_if.free),
    ("untaint", "untaint", |what_if| &mut what_if.untaint),
    ("without-rule", "withoutRules", |what_if| {
        &mut what_if.without_rules
    }),
    ("node-like", "nodesLike", |what_if| &mut what_if.nodes_like),
];

/// Runs the verb; gives the exit status.
pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let (files, readable) = files::read(arguments, host);
    let (Some(gates), Some(labels)) = (
        pairs::gates(arguments, host),
        pairs::labels(arguments, host),
    ) else {
        return UNUSABLE;
    };
    let what_if = match what_if(arguments) {
        Ok(what_if) => what_if,
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            return UNUSABLE;
        }
    };
    let most = Limits::default().bytes;
    let cluster: Option<Vec<InputFile>> = arguments
        .values("cluster")
        .map(|name| files::read_at_most(name, most, host))
        .collect();
    let Some(cluster) = cluster else {
        return UNUSABLE;
    };
    let (joined, beside) = (Joined::of(&files), Joined::of(&cluster));
    let nodes: Vec<String> = arguments.values("node").map(str::to_owned).collect();
    let request = AllocateRequest {
        text: Some(joined.text.clone()),
        cluster: (!cluster.is_empty()).then(|| beside.text.clone()),
        release: arguments.value("release").map(str::to_owned),
        gates: ask::map(gates).unwrap_or_default(),
        namespace_labels: ask::map(labels),
        what_if,
        alone: arguments.has("alone"),
        how_many: arguments.has("how-many"),
        namespace: arguments.value("namespace").map(str::to_owned),
        pod: arguments.value("pod").map(str::to_owned),
        now: arguments.value("now").map(str::to_owned),
        node_names: (!nodes.is_empty()).then_some(nodes),
        replaced: Replaced {
            text: ask::offset(joined.replaced(&files)),
            cluster: ask::offset(beside.replaced(&cluster)),
            ..Replaced::default()
        },
        ..AllocateRequest::default()
    };
    let Some(answer) = ask::once(Request::Allocate(request), host) else {
        return UNUSABLE;
    };
    let mut answer = ask::place_beside(answer, TextField::Cluster, &cluster);
    let ok = answer.ok;
    let refused = answer
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error && finding.origin == Origin::ApiServer);
    let rules = ask::rules_of(&answer);
    if arguments.value("output") == Some("json") {
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
        return UNUSABLE;
    };
    if arguments.value("output") != Some("json") {
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
        let parts = joined.apart(&files, answer);
        for report in ask::reports(&files, &parts.answers, &cluster, ask::remarks(arguments)) {
            report::text::write(&mut problems, &report, check::style(arguments, host));
        }
        host.err(&format!("{problems}{nothing}"));
        if how_many.is_some() {
            // The claims of copies are many, and all alike.
            assumed.truncate(assumed.len().saturating_sub(claims_assumed));
        }
        let width = Width::of(host.columns());
        let printed = Printed {
            release,
            mode,
            beside: others,
            how_many: how_many.as_ref(),
            assumed: &assumed,
            pods: &pods,
            width,
        };
        host.out(&text(
            printed,
            Texts {
                files: &files,
                joined: &joined,
            },
        ));
        host.out(&rules);
    }
    if !readable || pods.is_empty() {
        return if readable && refused {
            FINDINGS
        } else {
            UNUSABLE
        };
    }
    let mut code = if ok { FINE } else { FINDINGS };
    // Of a pod that is repeated, the last copy never fits: what counts is whether any does.
    let unfit = |pod: &&PodAccount| match &how_many {
        Some(how_many) => how_many.count == 0,
        None => !fits(pod),
    };
    for pod in pods
        .iter()
        .filter(|pod| arguments.has("require") && unfit(pod))
    {
        host.err(&format!("claimkit: {}: fits on no node\n", name(pod)));
        code = FINDINGS;
    }
    code
}

/// Reads the changes that a `--what-if` question assumes.
pub fn what_if(arguments: &Arguments) -> Result<WhatIf, String> {
    let mut what_if = WhatIf::default();
    for change in arguments.values("what-if") {
        let found = change.split_once('=').filter(|(_, name)| !name.is_empty());
        let found = found.and_then(|(kind, name)| {
            Some((CHANGES.iter().find(|(known, ..)| *known == kind)?.2, name))
        });
        let Some((list, name)) = found else {
            let known: Vec<String> = CHANGES
                .iter()
                .map(|(known, ..)| format!("{known}=…"))
                .collect();
            return Err(format!(
                "`--what-if {change}` is unknown; write one of {}",
                known.join(", ")
            ));
        };
        list(&mut what_if).push(name.to_owned());
    }
    what_if
        .nodes_like
        .extend(arguments.values("node-like").map(str::to_owned));
    Ok(what_if)
}
