//! `allocate`: which devices the pods and claims of files get on each node, and why none. All files are evaluated as one text.

use super::account::{Texts, fits, items, name, text, word};
use super::arguments::Arguments;
use super::ask::{self, Request};
use super::files::{self, File};
use super::joined::Joined;
use super::{FINDINGS, FINE, Host, UNUSABLE, check, pairs};
use crate::limits::Limits;
use crate::report;
use serde_json::{Map, Value};

/// A change on the command line, and the list of the request that it goes to. `www/src/state/whatif.ts` has the same.
pub const CHANGES: &[(&str, &str)] =
    &[("free", "free"), ("untaint", "untaint"), ("without-rule", "withoutRules"), ("node-like", "nodesLike")];

/// Runs the verb; gives the exit status.
pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let (files, readable) = files::read(arguments, host);
    let (Some(gates), Some(labels)) = (pairs::gates(arguments, host), pairs::labels(arguments, host)) else { return UNUSABLE };
    let what_if = match what_if(arguments) {
        Ok(what_if) => what_if,
        Err(problem) => {
            host.err(&format!("claimkit: {problem}\n"));
            return UNUSABLE;
        }
    };
    let most = Limits::default().bytes;
    let cluster: Option<Vec<File>> = arguments.values("cluster").map(|name| files::read_at_most(name, most, host)).collect();
    let Some(cluster) = cluster else { return UNUSABLE };
    let (joined, beside) = (Joined::of(&files), Joined::of(&cluster));
    let nodes: Vec<&str> = arguments.values("node").collect();
    let request = Request::new("allocate")
        .with("text", Some(joined.text.as_str()))
        .with_replaced("text", joined.replaced(&files))
        .with("cluster", (!cluster.is_empty()).then_some(beside.text.as_str()))
        .with_replaced("cluster", beside.replaced(&cluster))
        .with("release", arguments.value("release"))
        .with("gates", gates)
        .with("namespaceLabels", labels)
        .with("whatIf", Some(what_if))
        .with("namespace", arguments.value("namespace"))
        .with("pod", arguments.value("pod"))
        .with("now", arguments.value("now"))
        .with("nodeNames", (!nodes.is_empty()).then_some(nodes));
    let Some(told) = ask::once(&request, host) else { return UNUSABLE };
    let told = ask::place_beside(told, "cluster", &cluster);
    let ok = told.answer.ok;
    let answer: Value = serde_json::from_str(&told.json).unwrap_or_default();
    if arguments.value("output") == Some("json") {
        host.out(&format!("{}\n", told.json));
    } else {
        let mut problems = String::new();
        let answers = joined.apart(&files, told);
        for report in ask::reports(&files, &answers, &cluster, arguments.has("remarks")) {
            report::text::write(&mut problems, &report, check::style(arguments, host));
        }
        // This finding is about the whole input and has no line to show.
        for finding in items(&answer, "findings").filter(|finding| word(finding, "code") == "nothing-checked") {
            problems.push_str(&format!("claimkit: {}\n", word(finding, "message")));
        }
        host.err(&problems);
        host.out(&text(&answer, Texts { files: &files, joined: &joined }));
    }
    if !readable || items(&answer, "pods").next().is_none() {
        return UNUSABLE;
    }
    let mut code = if ok { FINE } else { FINDINGS };
    for pod in items(&answer, "pods").filter(|pod| arguments.has("require") && !fits(pod)) {
        host.err(&format!("claimkit: {}: fits on no node\n", name(pod)));
        code = FINDINGS;
    }
    code
}

/// The changes that a `--what-if` question assumes.
fn what_if(arguments: &Arguments) -> Result<Map<String, Value>, String> {
    let mut lists = Map::new();
    for change in arguments.values("what-if") {
        let found = change.split_once('=').filter(|(_, name)| !name.is_empty());
        let found = found.and_then(|(kind, name)| Some((CHANGES.iter().find(|(known, _)| *known == kind)?.1, name)));
        let Some((list, name)) = found else {
            let known: Vec<String> = CHANGES.iter().map(|(known, _)| format!("{known}=…")).collect();
            return Err(format!("`--what-if {change}` is unknown; write one of {}", known.join(", ")));
        };
        if let Value::Array(names) = lists.entry(list).or_insert_with(|| Value::Array(Vec::new())) {
            names.push(name.into());
        }
    }
    Ok(lists)
}
