//! `evaluate`: on which nodes claims can be used. All files are evaluated as one text, because a claim and its class are often in
//! different files. The answer is then split by file.

use crate::ask;
use crate::exit::{Exit, Outcome, Problem};
use crate::files::{self, InputFile, ReadFiles};
use crate::given::{self, Given, Homes};
use crate::host::Host;
use crate::options::EvaluateArgs;
use crate::summary::{self, ExitRules};
use crate::values::TableForm;
use claimkit::placement::{PlacedNode, PlacementVerdict};
use claimkit::report::FileReport;
use claimkit::report::nodes as render;
use claimkit::report::text::{self, TerminalStyle};
use claimkit::requests;
use claimkit::requests::request::{Detail, EvaluateRequest, Replaced};
use claimkit::{Evaluation, Placement, PreparedNodes};
use claimkit_model::finding::{Code, Severity, TextField};
use claimkit_model::limits::Limits;
use claimkit_model::text::located::Range;

/// Runs the verb.
pub fn run(args: &EvaluateArgs, host: &mut dyn Host) -> Outcome {
    let nodes = read_nodes(&args.nodes, host)?;
    let ReadFiles {
        files, readable, ..
    } = match &args.selector {
        Some(name) => ReadFiles {
            files: vec![files::read_one(name, host)?],
            readable: true,
            left_out: Vec::new(),
            beside: Vec::new(),
        },
        None => files::read(&args.files, host),
    };
    let given = Given::of(&files);
    let is_json = args.output == TableForm::Json;
    let (text, selector) = if args.selector.is_some() {
        (None, given.text)
    } else {
        (given.text, None)
    };
    let request = EvaluateRequest {
        text,
        selector,
        sources: given.sources,
        release: args.release.clone(),
        explain: args.node.clone(),
        detail: (!is_json || !args.node.is_empty()).then_some(Detail::Summary),
        replaced: Replaced {
            text: given.replaced,
            ..Replaced::default()
        },
        ..EvaluateRequest::default()
    };
    let answer = ask::usable(requests::evaluate_on(&request, &prepared(&nodes)))?;
    let rules = ask::rules_of(&answer);
    let mut parts = given::by_file(&files, ask::place_beside(answer, TextField::Nodes, &nodes));
    let answers = std::mem::take(&mut parts.answers);
    parts.answers = answers
        .into_iter()
        .map(|answer| ask::without_ignored(&args.findings.ignore, answer))
        .collect();
    let reports = ask::reports(&files, &parts.answers, &nodes, ask::remarks(&args.text));
    if is_json {
        host.out(&summary::json(
            "evaluate",
            &files,
            &parts.answers,
            &|_, answer| requests::print(answer),
        ));
        return Ok(end(args, &reports, readable, host));
    }
    let style = summary::style(args.text.color, host);
    let mut err = String::new();
    reports
        .iter()
        .for_each(|report| text::write(&mut err, report, style));
    host.err(&err);
    if unread(&reports) {
        return Ok(Exit::Unusable);
    }
    host.out(&if args.output == TableForm::Wide {
        wide(&reports, &args.node, &parts.homes)
    } else {
        lines(&reports, &args.node, &parts.homes, style)
    });
    host.out(&rules);
    Ok(end(args, &reports, readable, host))
}

/// Returns how the run ends: with `--require-node` a claim that can be used on no node counts as a finding.
fn end(
    args: &EvaluateArgs,
    reports: &[FileReport<'_>],
    readable: bool,
    host: &mut dyn Host,
) -> Exit {
    if !readable {
        return Exit::Unusable;
    }
    let rules = ExitRules {
        subject: Evaluation::NEEDS.english(),
        ..ExitRules::new(&args.findings, args.allow_unchecked)
    };
    let mut exit = summary::exit(reports, rules, host);
    if unread(reports) {
        return Exit::Unusable;
    }
    if exit != Exit::Fine || !args.require_node {
        return exit;
    }
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
            exit = Exit::Findings;
        }
    }
    exit
}

/// Returns true if the given Nodes are unusable.
fn unread(reports: &[FileReport<'_>]) -> bool {
    let mut findings_of_nodes = reports
        .iter()
        .flat_map(|report| &report.answer.findings)
        .filter(|finding| finding.within == TextField::Nodes);
    findings_of_nodes
        .any(|finding| finding.severity == Severity::Error || finding.code == Code::NodeUnusable)
}

/// Reads the files with Nodes.
fn read_nodes(names: &[String], host: &mut dyn Host) -> Result<Vec<InputFile>, Problem> {
    let most = Limits::default().node_set_bytes;
    names
        .iter()
        .map(|name| files::read_at_most(name, most, host))
        .collect()
}

/// Reads the files with Nodes as one set.
fn prepared(files: &[InputFile]) -> PreparedNodes {
    let limits = Limits::default();
    let mut nodes = PreparedNodes::read(&given::sources(files), &limits);
    for file in files {
        nodes = nodes.with_replaced(&file.text, file.replaced, Some(&file.name));
    }
    nodes
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
fn shown<'p>(placement: &'p Placement, wanted: &[String]) -> impl Iterator<Item = &'p PlacedNode> {
    placement
        .nodes
        .iter()
        .filter(|node| wanted.is_empty() || wanted.contains(&node.name))
}

/// Returns one line per object and node; full details for the requested nodes.
fn lines(
    reports: &[FileReport<'_>],
    wanted: &[String],
    homes: &Homes<'_>,
    style: TerminalStyle,
) -> String {
    let place = |range: &Range| name(reports, homes, range);
    let mut out = String::new();
    for (_, label, placement) in placements(reports) {
        out.push_str(&format!("{}\n", style.paint("1", &text::visible(&label))));
        for node in shown(placement, wanted) {
            if wanted.is_empty() {
                out.push_str(&format!("  {}\n", render::line(node, &place, style)))
            } else {
                out.push_str(&render::explanation(node, &place, style))
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

fn wide(reports: &[FileReport<'_>], wanted: &[String], homes: &Homes<'_>) -> String {
    let place = |range: &Range| name(reports, homes, range);
    let mut rows = vec![render::TITLES.map(str::to_owned).to_vec()];
    for (_, label, placement) in placements(reports) {
        rows.extend(shown(placement, wanted).map(|node| render::row(&label, node, &place)));
    }
    render::table(&rows)
}

/// Returns `file:line:column` of a range.
fn name(reports: &[FileReport<'_>], homes: &Homes<'_>, range: &Range) -> Option<String> {
    let report = reports.get(homes.of_range(range))?;
    let (line, column) = report.places.line_and_column(range.start);
    Some(format!("{}:{line}:{column}", report.name))
}
