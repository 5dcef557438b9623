//! `evaluate`: on which nodes claims can be used. All files are evaluated as one text, because a claim and its class are often in
//! different files. The answer is then split by file.

use super::arguments::Arguments;
use super::ask;
use super::files::{self, InputFile};
use super::joined::Joined;
use super::{FINDINGS, FINE, Host, UNUSABLE, check};
use crate::evaluate::Placement;
use crate::evaluate::placement::{PlacedNode, PlacementVerdict};
use crate::report::FileReport;
use crate::report::nodes as render;
use crate::report::text::{self, TerminalStyle};
use crate::requests::Request;
use crate::requests::request::{Detail, EvaluateRequest, Replaced};
use claimkit_model::finding::{Code, Severity, TextField};
use claimkit_model::limits::Limits;
use claimkit_model::text::located::Range;

pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    let Some(nodes) = nodes(arguments, host) else {
        return UNUSABLE;
    };
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
    let (text, selector) = match arguments.has("selector") {
        true => (None, Some(joined.text.clone())),
        false => (Some(joined.text.clone()), None),
    };
    let request = EvaluateRequest {
        text,
        selector,
        nodes: Some(Some(all_nodes.text.clone())),
        release: arguments.value("release").map(str::to_owned),
        explain: wanted.iter().copied().map(str::to_owned).collect(),
        detail: (!json || !wanted.is_empty()).then_some(Detail::Summary),
        replaced: Replaced {
            text: ask::offset(joined.replaced(&files)),
            nodes: ask::offset(all_nodes.replaced(&nodes)),
            ..Replaced::default()
        },
        ..EvaluateRequest::default()
    };
    let Some(answer) = ask::once(Request::Evaluate(request), host) else {
        return UNUSABLE;
    };
    let rules = ask::rules_of(&answer);
    let mut parts = joined.apart(&files, ask::place_beside(answer, TextField::Nodes, &nodes));
    let answers = std::mem::take(&mut parts.answers);
    parts.answers = answers
        .into_iter()
        .map(|answer| ask::without_ignored(arguments, answer))
        .collect();
    let reports = ask::reports(&files, &parts.answers, &nodes, ask::remarks(arguments));
    if json {
        host.out(&check::json(
            "evaluate",
            &files,
            &parts.answers,
            &|at, _| joined.print(&files, &parts, at),
        ));
        return end(arguments, &reports, readable, host);
    }
    let style = check::style(arguments, host);
    let mut err = String::new();
    reports
        .iter()
        .for_each(|report| text::write(&mut err, report, style));
    host.err(&err);
    if unread(&reports) {
        return UNUSABLE;
    }
    host.out(&match arguments.value("output") {
        Some("wide") => wide(&reports, &wanted, &joined),
        _ => lines(&reports, &wanted, &joined, style),
    });
    host.out(&rules);
    end(arguments, &reports, readable, host)
}

/// Returns the exit code: with `--require-node` a claim that can be used on no node counts as a finding.
fn end(
    arguments: &Arguments,
    reports: &[FileReport<'_>],
    readable: bool,
    host: &mut dyn Host,
) -> u8 {
    let code = check::end(arguments, reports, readable, host);
    if unread(reports) {
        return UNUSABLE;
    }
    if code != FINE || !arguments.has("require-node") {
        return code;
    }
    let mut code = code;
    for (report, label, placement) in placements(reports) {
        let usable = |node: &PlacedNode| {
            matches!(
                node.verdict,
                PlacementVerdict::Yes | PlacementVerdict::Possible
            )
        };
        if !placement.nodes.iter().any(usable) {
            host.err(&format!(
                "claimkit: {}: {label} can be used on no node\n",
                report.name
            ));
            code = FINDINGS;
        }
    }
    code
}

/// Returns true if the given Nodes are unusable.
fn unread(reports: &[FileReport<'_>]) -> bool {
    let findings = || {
        reports
            .iter()
            .flat_map(|report| &report.answer.findings)
            .filter(|finding| finding.within == TextField::Nodes)
    };
    findings()
        .any(|finding| finding.severity == Severity::Error || finding.code == Code::NodeUnusable)
}

/// Reads the files with Nodes.
fn nodes(arguments: &Arguments, host: &mut dyn Host) -> Option<Vec<InputFile>> {
    let most = Limits::default().node_set_bytes;
    arguments
        .values("nodes")
        .map(|name| files::read_at_most(name, most, host))
        .collect()
}

/// Returns every placement with the object's name: `kind/namespace/name`, or the file of a bare selector.
fn placements<'a>(
    reports: &'a [FileReport<'_>],
) -> impl Iterator<Item = (&'a FileReport<'a>, String, &'a Placement)> {
    reports.iter().flat_map(|report| {
        report.answer.objects.iter().filter_map(move |object| {
            let placement = object.placement.as_deref()?;
            let label = match (
                object.kind.as_ref(),
                object.namespace.as_str(),
                object.name.as_str(),
            ) {
                (_, "", "") => report.name.to_owned(),
                (kind, "", name) => format!("{kind}/{name}"),
                (kind, namespace, name) => format!("{kind}/{namespace}/{name}"),
            };
            Some((report, label, placement))
        })
    })
}

/// Returns the nodes of a placement that were asked for.
fn shown<'p>(placement: &'p Placement, wanted: &[&str]) -> impl Iterator<Item = &'p PlacedNode> {
    placement
        .nodes
        .iter()
        .filter(|node| wanted.is_empty() || wanted.contains(&node.name.as_str()))
}

/// Returns one line per object and node; full details for the requested nodes.
fn lines(
    reports: &[FileReport<'_>],
    wanted: &[&str],
    joined: &Joined,
    style: TerminalStyle,
) -> String {
    let place = |range: &Range| name(reports, joined, *range);
    let mut out = String::new();
    for (_, label, placement) in placements(reports) {
        out.push_str(&format!("{}\n", style.paint("1", &text::visible(&label))));
        for node in shown(placement, wanted) {
            match wanted.is_empty() {
                true => out.push_str(&format!("  {}\n", render::line(node, &place, style))),
                false => out.push_str(&render::explanation(node, &place, style)),
            }
        }
        if let Some(next) = &placement.next {
            out.push_str(&format!(
                "  then the scheduler says: {} ({})\n",
                next.scheduler_reason, next.why
            ));
        }
    }
    out
}

fn wide(reports: &[FileReport<'_>], wanted: &[&str], joined: &Joined) -> String {
    let place = |range: &Range| name(reports, joined, *range);
    let mut rows = vec![render::TITLES.map(str::to_owned).to_vec()];
    for (_, label, placement) in placements(reports) {
        rows.extend(shown(placement, wanted).map(|node| render::row(&label, node, &place)));
    }
    render::table(&rows)
}

/// Returns `file:line:column` of a range of the joined text.
fn name(reports: &[FileReport<'_>], joined: &Joined, range: Range) -> Option<String> {
    let report = reports.get(joined.file(range))?;
    let (line, column) = report
        .places
        .line_and_column(joined.within_file(range).start);
    Some(format!("{}:{line}:{column}", report.name))
}
