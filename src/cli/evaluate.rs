//! `evaluate`: which nodes a claim can be used on, as a table.

use super::arguments::Arguments;
use super::ask::{self, Answered, Request};
use super::files::File;
use super::{Host, UNUSABLE, check, files};
use crate::report::render::text::{self, visible};
use serde_json::Value;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some(nodes) = nodes(arguments, host) else { return UNUSABLE };
    let request = Request::new("evaluate").with("nodes", Some(nodes)).with("release", arguments.value("release"));
    let (files, readable, answers) = match arguments.value("selector") {
        Some(name) => {
            let Some(file) = files::read_one(name, host) else { return UNUSABLE };
            let Some(text) = ask::text_of(&file, host) else { return UNUSABLE };
            let Some(told) = ask::once(&request.with("selector", Some(text)), host) else { return UNUSABLE };
            (vec![file], true, vec![told])
        }
        None => {
            let (files, readable) = files::read(&arguments.operands, host);
            let Some(answers) = ask::each(&request, &files, host) else { return UNUSABLE };
            (files, readable, answers)
        }
    };
    let reports = ask::reports(&files, &answers, arguments.has("remarks"));
    if arguments.value("output") == Some("json") {
        host.out(&check::json("evaluate", &files, &answers));
        return check::end(&reports, readable, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports.iter().for_each(|report| text::write(&mut err, report, style));
    host.err(&err);
    let wanted: Vec<&str> = arguments.values("node").collect();
    let wide = arguments.value("output") == Some("wide");
    let rows = rows(&files, &answers, &wanted, wide);
    if let Some(missing) = wanted.iter().find(|name| !rows.iter().any(|row| row.get(1).is_some_and(|node| node == *name))) {
        host.err(&format!("claimkit: no Node `{missing}` was given with --nodes\n"));
        return UNUSABLE;
    }
    host.out(&table(&rows, wide));
    check::end(&reports, readable, host)
}

/// The Nodes of all files as one stream of documents.
fn nodes(arguments: &Arguments, host: &mut dyn Host) -> Option<String> {
    let mut all = Vec::new();
    for name in arguments.values("nodes") {
        let file = files::read_one(name, host)?;
        all.push(ask::text_of(&file, host)?.to_owned());
    }
    Some(all.join("\n---\n"))
}

/// One row per object and node: object, node, verdict, and the reason if `wide`.
fn rows(files: &[File], answers: &[Answered], wanted: &[&str], wide: bool) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (file, answer) in files.iter().zip(answers) {
        for object in &answer.answer.objects {
            let label = match (object.kind.as_str(), object.namespace.as_str(), object.name.as_str()) {
                ("", ..) => file.name.clone(),
                (kind, "", name) => format!("{kind}/{name}"),
                (kind, namespace, name) => format!("{kind}/{namespace}/{name}"),
            };
            let Some(placement) = &object.placement else { continue };
            let placement: Value = serde_json::from_str(placement.get()).unwrap_or_default();
            let nodes = placement.get("nodes").and_then(Value::as_array);
            for node in nodes.into_iter().flatten() {
                let name = node.get("name").and_then(Value::as_str).unwrap_or_default();
                if !wanted.is_empty() && !wanted.contains(&name) {
                    continue;
                }
                let verdict = node.get("verdict").or_else(|| node.pointer("/selector/eager"));
                let verdict = verdict.and_then(Value::as_str).unwrap_or_default();
                let mut row = vec![label.clone(), name.to_owned(), verdict.to_owned()];
                if wide {
                    row.push(reason(node));
                }
                rows.push(row);
            }
        }
    }
    rows
}

/// The first thing that speaks against a node, or an empty text.
fn reason(node: &Value) -> String {
    // Depth first over the answer: an explanation stands in `why`, `reason` or `message` of what does not hold.
    let mut waiting = vec![node];
    while let Some(value) = waiting.pop() {
        match value {
            Value::Object(map) => {
                let refused = map.get("holds") == Some(&Value::Bool(false))
                    || matches!(map.get("outcome").and_then(Value::as_str), Some("NoMatch" | "Error" | "No"));
                let words = ["why", "reason", "message", "eagerError"].iter().find_map(|name| map.get(*name)?.as_str());
                if let (true, Some(words)) = (refused || map.contains_key("eagerError"), words) {
                    return words.to_owned();
                }
                waiting.extend(map.values().rev());
            }
            Value::Array(items) => waiting.extend(items.iter().rev()),
            _ => {}
        }
    }
    String::new()
}

fn table(rows: &[Vec<String>], wide: bool) -> String {
    let mut titles: Vec<String> = ["OBJECT", "NODE", "VERDICT"].map(str::to_owned).to_vec();
    if wide {
        titles.push("REASON".to_owned());
    }
    let all: Vec<Vec<String>> = std::iter::once(titles).chain(rows.iter().cloned()).collect();
    let width = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|cell| visible(cell).chars().count()).max();
    let mut out = String::new();
    for row in &all {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            line.push_str(&format!("{:width$}   ", visible(cell), width = width(column).unwrap_or(0)));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}
