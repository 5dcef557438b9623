//! `evaluate`: on which nodes claims can be used. All files are evaluated as one text, because a claim and its class are often in
//! different files. The answer is then split by file.

use super::answered::Answered;
use super::arguments::Arguments;
use super::ask::{self, Request};
use super::files::{self, File};
use super::joined::Joined;
use super::{FINDINGS, FINE, Host, UNUSABLE, check};
use crate::limits::Limits;
use crate::report::Report;
use crate::report::nodes::{self as render, Locate};
use crate::report::text::{self, Style};
use serde_json::Value;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some(nodes) = nodes(arguments, host) else { return UNUSABLE };
    let (files, readable) = match arguments.value("selector") {
        Some(name) => match files::read_one(name, host) {
            Some(file) => (vec![file], true),
            None => return UNUSABLE,
        },
        None => files::read(arguments, host),
    };
    let joined = Joined::of(&files);
    let all_nodes = Joined::of(&nodes);
    let wanted: Vec<&str> = arguments.values("node").collect();
    let json = arguments.value("output") == Some("json");
    let request = Request::new("evaluate")
        .with("nodes", Some(all_nodes.text.as_str()))
        .with_replaced("nodes", all_nodes.replaced(&nodes))
        .with("release", arguments.value("release"))
        .with("explain", (!wanted.is_empty()).then(|| wanted.clone()))
        .with("detail", (!json || !wanted.is_empty()).then_some("summary"))
        .with(if arguments.has("selector") { "selector" } else { "text" }, Some(joined.text.as_str()))
        .with_replaced("text", joined.replaced(&files));
    let Some(told) = ask::once(&request, host) else { return UNUSABLE };
    let told = ask::place_beside(told, "nodes", &nodes);
    let answers = joined.apart(&files, told);
    let answers: Vec<Answered> = answers.into_iter().map(|told| ask::without_ignored(arguments, told)).collect();
    let reports = ask::reports(&files, &answers, &nodes, arguments.has("remarks"));
    if json {
        host.out(&check::json("evaluate", &files, &answers));
        return end(arguments, &reports, readable, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports.iter().for_each(|report| text::write(&mut err, report, style));
    host.err(&err);
    if unread(&reports) {
        return UNUSABLE;
    }
    host.out(&match arguments.value("output") {
        Some("wide") => wide(&reports, &wanted),
        _ => lines(&reports, &wanted, style),
    });
    end(arguments, &reports, readable, host)
}

/// The exit code: with `--require-node` a claim that can be used on no node counts as a finding.
fn end(arguments: &Arguments, reports: &[Report<'_>], readable: bool, host: &mut dyn Host) -> u8 {
    let code = check::end(arguments, reports, readable, host);
    if unread(reports) {
        return UNUSABLE;
    }
    if code != FINE || !arguments.has("require-node") {
        return code;
    }
    let mut code = code;
    for (report, label, placement) in placements(reports) {
        let usable = |node: &Value| matches!(node.get("verdict").and_then(Value::as_str), Some("Yes" | "Possible"));
        if !placement.get("nodes").and_then(Value::as_array).is_some_and(|nodes| nodes.iter().any(usable)) {
            host.err(&format!("claimkit: {}: {label} can be used on no node\n", report.name));
            code = FINDINGS;
        }
    }
    code
}

/// True if the given Nodes are unusable.
fn unread(reports: &[Report<'_>]) -> bool {
    let findings = || reports.iter().flat_map(|report| &report.answer.findings).filter(|finding| finding.within == "nodes");
    findings().any(|finding| finding.severity == "error" || finding.code == "node-unusable")
}

/// The files with Nodes.
fn nodes(arguments: &Arguments, host: &mut dyn Host) -> Option<Vec<File>> {
    let most = Limits::default().node_set_bytes;
    arguments.values("nodes").map(|name| files::read_at_most(name, most, host)).collect()
}

/// Every placement with the object's name: `kind/namespace/name`, or the file of a bare selector.
fn placements<'a>(reports: &'a [Report<'_>]) -> impl Iterator<Item = (&'a Report<'a>, String, Value)> {
    reports.iter().flat_map(|report| {
        report.answer.objects.iter().filter_map(move |object| {
            let placement = serde_json::from_str(object.placement.as_ref()?.get()).ok()?;
            let label = match (object.kind.as_str(), object.namespace.as_str(), object.name.as_str()) {
                (_, "", "") => report.name.to_owned(),
                (kind, "", name) => format!("{kind}/{name}"),
                (kind, namespace, name) => format!("{kind}/{namespace}/{name}"),
            };
            Some((report, label, placement))
        })
    })
}

/// The nodes of a placement that were asked for.
fn shown<'v>(placement: &'v Value, wanted: &[&str]) -> impl Iterator<Item = &'v Value> {
    let nodes = placement.get("nodes").and_then(Value::as_array).into_iter().flatten();
    nodes.filter(|node| wanted.is_empty() || node.get("name").and_then(Value::as_str).is_some_and(|name| wanted.contains(&name)))
}

/// One line per object and node; full details for the requested nodes.
fn lines(reports: &[Report<'_>], wanted: &[&str], style: Style) -> String {
    let mut out = String::new();
    for (report, label, placement) in placements(reports) {
        out.push_str(&format!("{}\n", style.paint("1", &text::visible(&label))));
        let place = |range: &Value| name(report, reports, range);
        for node in shown(&placement, wanted) {
            match wanted.is_empty() {
                true => out.push_str(&format!("  {}\n", render::line(node, &place, style))),
                false => out.push_str(&render::explanation(node, &place, style)),
            }
        }
        if let Some(next) = placement.get("next") {
            let part = |name: &str| next.get(name).and_then(Value::as_str).unwrap_or_default();
            out.push_str(&format!("  then the scheduler says: {} ({})\n", part("schedulerReason"), part("why")));
        }
    }
    out
}

fn wide(reports: &[Report<'_>], wanted: &[&str]) -> String {
    let mut rows = vec![render::TITLES.map(str::to_owned).to_vec()];
    for (report, label, placement) in placements(reports) {
        let place = |range: &Value| name(report, reports, range);
        let place: Locate<'_> = &place;
        rows.extend(shown(&placement, wanted).map(|node| render::row(&label, node, place)));
    }
    render::table(&rows)
}

/// `file:line:column` of a range; without a `file` of its own it lies in the report's.
fn name(report: &Report<'_>, reports: &[Report<'_>], range: &Value) -> Option<String> {
    let report = match range.get("file").and_then(Value::as_str) {
        Some(other) => reports.iter().find(|report| report.name == other)?,
        None => report,
    };
    let (line, column) = report.places.line_and_column(serde_json::from_str(&range.get("start")?.to_string()).ok()?);
    Some(format!("{}:{line}:{column}", report.name))
}
