//! `audit`: what is wrong in a cluster, and how much of its devices is in use. All files are read as one cluster.

use super::arguments::Arguments;
use super::ask;
use super::files;
use super::joined::Joined;
use super::{FINDINGS, FINE, Host, UNUSABLE, check, pairs};
use crate::audit::{AmountUse, Usage, UsageRow};
use crate::report::{self, FileReport, Remarks, text::visible};
use crate::requests::request::{AuditRequest, Replaced};
use crate::requests::{self, Answer, Content, Request};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::schema::Release;

/// The tables, by the words of `--by`.
pub const TABLES: &[&str] = &["driver", "class", "namespace", "node", "pool"];

/// Maximum number of rows of a table that was not asked for.
const MOST_ROWS: usize = 20;

/// Runs the verb; gives the exit status.
pub fn run(arguments: &Arguments, host: &mut dyn Host) -> u8 {
    if arguments.operands.is_empty() {
        host.err(
            "claimkit: `audit` needs a file, a folder, or `-` for standard input; `--live` reads the cluster that kubectl reaches\n",
        );
        return UNUSABLE;
    }
    let (files, readable) = files::read(arguments, host);
    let Some(gates) = pairs::gates(arguments, host) else {
        return UNUSABLE;
    };
    let joined = Joined::of(&files);
    let request = AuditRequest {
        text: Some(joined.text.clone()),
        release: arguments.value("release").map(str::to_owned),
        gates: ask::map(gates).unwrap_or_default(),
        namespace: arguments.value("namespace").map(str::to_owned),
        replaced: Replaced {
            text: ask::offset(joined.replaced(&files)),
            ..Replaced::default()
        },
        ..AuditRequest::default()
    };
    let Some(mut answer) = ask::once(Request::Audit(request), host) else {
        return UNUSABLE;
    };
    let nothing = answer
        .findings
        .iter()
        .any(|finding| finding.code == Code::NothingChecked);
    let ignored: Vec<&str> = arguments.values("ignore").collect();
    answer
        .findings
        .retain(|finding| !ignored.contains(&finding.code.name()));
    answer.ok = !nothing
        && !answer
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Error);
    let (ok, json) = (answer.ok, arguments.value("output") == Some("json"));
    let strict = arguments.has("warnings-as-errors");
    let is_warned = strict
        && answer
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Warning);
    if json {
        host.out(&format!(
            "{}\n",
            requests::print(&joined.in_files(&files, answer))
        ));
    } else if nothing {
        host.err("claimkit: nothing was checked: no ResourceSlice and no ResourceClaim is given; add what `kubectl get resourceslices,deviceclasses,resourceclaims,resourceclaimtemplates,pods,nodes -A -o yaml` prints\n");
    } else {
        let out = told(arguments, &files, &joined, answer, host);
        host.out(&out);
    }
    match () {
        () if !readable || nothing => UNUSABLE,
        () if !ok || is_warned => FINDINGS,
        () => FINE,
    }
}

fn told(
    arguments: &Arguments,
    files: &[files::InputFile],
    joined: &Joined,
    mut answer: Answer,
    host: &dyn Host,
) -> String {
    let Content::Audit { release, usage, .. } = std::mem::take(&mut answer.content) else {
        return String::new();
    };
    let objects = answer.objects.len();
    let counts = [Severity::Error, Severity::Warning, Severity::Info].map(|severity| {
        answer
            .findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    });
    let parts = joined.apart(files, answer);
    let reports: Vec<FileReport<'_>> = ask::reports(files, &parts.answers, &[], Remarks::Shown);
    let mut out = String::new();
    if !arguments.has("quiet") {
        reports.iter().for_each(|report| {
            report::text::write(&mut out, report, check::style(arguments, host))
        });
    }
    tables(&mut out, arguments, &usage);
    let place = format!(
        "{} in {}",
        check::count(objects, "object"),
        check::count(files.len(), "file")
    );
    out.push_str(&summary(release, &place, counts));
    out
}

/// Writes the tables of use that a command line asks for.
pub fn tables(out: &mut String, arguments: &Arguments, usage: &Usage) {
    let mut asked: Vec<&str> = arguments.values("by").collect();
    let most = if asked.is_empty() {
        MOST_ROWS
    } else {
        usize::MAX
    };
    if asked.is_empty() {
        asked = TABLES.to_vec();
    }
    for name in asked {
        table(out, name, rows(usage, name), most);
    }
}

/// Returns the last line: how much was looked at, and how many findings of each severity there are.
pub fn summary(release: Release, place: &str, [errors, warnings, remarks]: [usize; 3]) -> String {
    let count = check::count;
    format!(
        "Kubernetes {release}: {place}: {}, {}, {}\n",
        count(errors, "error"),
        count(warnings, "warning"),
        count(remarks, "remark")
    )
}

fn rows<'u>(usage: &'u Usage, name: &str) -> &'u [UsageRow] {
    match name {
        "driver" => &usage.drivers,
        "class" => &usage.classes,
        "namespace" => &usage.namespaces,
        "node" => &usage.nodes,
        _ => &usage.pools,
    }
}

const COLUMNS: [&str; 8] = [
    "total", "in use", "shared", "admin", "blocked", "tainted", "free", "claims",
];

/// Writes a table: a line for each row, and below it a line for each capacity and counter.
fn table(out: &mut String, name: &str, rows: &[UsageRow], most: usize) {
    if rows.is_empty() {
        return;
    }
    let number =
        |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let mut lines: Vec<Vec<String>> = vec![
        [name]
            .into_iter()
            .chain(COLUMNS)
            .map(str::to_owned)
            .collect(),
    ];
    for row in rows.iter().take(most) {
        let devices = &row.devices;
        let claims = row.claims.map_or_else(
            || "-".to_owned(),
            |claims| {
                if claims.pending > 0 {
                    format!("{} + {} pending", claims.allocated, claims.pending)
                } else {
                    claims.allocated.to_string()
                }
            },
        );
        lines.push(vec![
            label(row),
            number(devices.total),
            devices.in_use.to_string(),
            devices.shared.to_string(),
            devices.admin.to_string(),
            number(devices.blocked),
            number(devices.tainted),
            number(devices.free),
            claims,
        ]);
    }
    let width = |column: usize| {
        lines
            .iter()
            .filter_map(|line| line.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..=COLUMNS.len())
        .map(|column| width(column).unwrap_or(0))
        .collect();
    for (at, line) in lines.iter().enumerate() {
        let cells = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
        let Some(row) = at.checked_sub(1).and_then(|at| rows.get(at)) else {
            continue;
        };
        for (kind, amount) in row
            .capacity
            .iter()
            .map(|one| ("capacity", one))
            .chain(row.counters.iter().map(|one| ("counter", one)))
        {
            out.push_str(&format!("  {kind} {}\n", spelled(amount)));
        }
    }
    if rows.len() > most {
        out.push_str(&format!(
            "… and {} more: `--by {name}` shows all\n",
            rows.len().saturating_sub(most)
        ));
    }
    out.push('\n');
}

fn label(row: &UsageRow) -> String {
    let name = row.name.as_deref().unwrap_or("(no single node)");
    visible(
        &row.driver
            .as_ref()
            .map_or_else(|| name.to_owned(), |driver| format!("{driver}/{name}")),
    )
}

fn spelled(amount: &AmountUse) -> String {
    let name = visible(&amount.name);
    match (&amount.total, &amount.free) {
        (Some(total), Some(free)) => {
            format!("{name}: {} of {total} in use, {free} free", amount.used)
        }
        _ => format!("{name}: {} in use", amount.used),
    }
}
