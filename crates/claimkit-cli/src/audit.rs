//! `audit`: what is wrong in a cluster, and how much of its devices is in use. All files are read as one cluster.

use crate::ask;
use crate::exit::{Exit, Outcome};
use crate::files::{self, InputFile, ReadFiles};
use crate::given::{self, Given};
use crate::host::Host;
use crate::options::AuditArgs;
use crate::summary::{self, count};
use crate::upgrade;
use crate::values::{KnownCode, PlainForm, UsageTable};
use claimkit::audit::{AmountUse, Usage, UsageRow};
use claimkit::report::{self, FileReport, Remarks, text::visible};
use claimkit::requests::request::{AuditRequest, Replaced};
use claimkit::requests::{self, Answer, Content, Request};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::schema::Release;
use clap::ValueEnum;

/// Maximum number of rows of a table that was not asked for.
const MOST_ROWS: usize = 20;

/// Runs the verb.
pub fn run(args: &AuditArgs, host: &mut dyn Host) -> Outcome {
    if args.files.is_empty() {
        return Err("`audit` needs a file, a folder, or `-` for standard input; `--live` reads the cluster that kubectl reaches".into());
    }
    if args.to.is_some() {
        return upgrade::of_cluster(args, host);
    }
    let ReadFiles {
        files, readable, ..
    } = files::read(&args.files, host);
    let given = Given::of(&files);
    let request = AuditRequest {
        text: given.text,
        sources: given.sources,
        release: args.release.clone(),
        gates: args.gates.gates().unwrap_or_default(),
        namespace: args.namespace.clone(),
        replaced: Replaced {
            text: given.replaced,
            ..Replaced::default()
        },
        ..AuditRequest::default()
    };
    let mut answer = ask::once(Request::Audit(request), host)?;
    let nothing = answer
        .findings
        .iter()
        .any(|finding| finding.code == Code::NothingChecked);
    let ignored = &args.findings.ignore;
    answer
        .findings
        .retain(|finding| !ignored.contains(&KnownCode(finding.code)));
    let has_errors = answer
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let ok = !nothing && !has_errors;
    answer.ok = ok;
    let is_warned = args.findings.warnings_as_errors
        && answer
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Warning);
    if args.output == PlainForm::Json {
        host.out(&format!("{}\n", requests::print(&answer)));
    } else if nothing {
        let unread = findings_text(args, &files, answer, host);
        host.err(&unread);
        let why = if has_errors {
            "no ResourceSlice and no ResourceClaim can be read"
        } else {
            "no ResourceSlice and no ResourceClaim is given; add what `kubectl get resourceslices,deviceclasses,resourceclaims,resourceclaimtemplates,pods,nodes -A -o yaml` prints"
        };
        host.err(&format!("claimkit: nothing was checked: {why}\n"));
    } else {
        let out = report_text(args, &files, answer, host);
        host.out(&out);
    }
    Ok(if !readable || nothing {
        Exit::Unusable
    } else if !ok || is_warned {
        Exit::Findings
    } else {
        Exit::Fine
    })
}

fn report_text(
    args: &AuditArgs,
    files: &[InputFile],
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
    let mut out = findings_text(args, files, answer, host);
    if args.findings.quiet {
        return out;
    }
    tables(&mut out, &args.by, &usage);
    let place = format!(
        "{} in {}",
        count(objects, "object"),
        count(files.len(), "file")
    );
    out.push_str(&last_line(release, &place, counts));
    out
}

/// Returns the findings of each file.
fn findings_text(args: &AuditArgs, files: &[InputFile], answer: Answer, host: &dyn Host) -> String {
    let parts = given::by_file(files, answer);
    let reports: Vec<FileReport<'_>> = ask::reports(files, &parts.answers, &[], Remarks::Shown);
    let mut out = String::new();
    for report in &reports {
        report::text::write(&mut out, report, summary::style(args.color, host));
    }
    out
}

/// Writes the tables of use that a command line asks for: all of them, cut, if it asks for none.
pub fn tables(out: &mut String, by: &[UsageTable], usage: &Usage) {
    let (tables, most) = if by.is_empty() {
        (UsageTable::value_variants(), MOST_ROWS)
    } else {
        (by, usize::MAX)
    };
    for table in tables {
        write_table(out, table.name(), rows(usage, *table), most);
    }
}

/// Returns the last line: how much was looked at, and how many findings of each severity there are.
pub fn last_line(release: Release, place: &str, [errors, warnings, remarks]: [usize; 3]) -> String {
    format!(
        "Kubernetes {release}: {place}: {}, {}, {}\n",
        count(errors, "error"),
        count(warnings, "warning"),
        count(remarks, "remark")
    )
}

fn rows(usage: &Usage, table: UsageTable) -> &[UsageRow] {
    match table {
        UsageTable::Driver => &usage.drivers,
        UsageTable::Class => &usage.classes,
        UsageTable::Namespace => &usage.namespaces,
        UsageTable::Node => &usage.nodes,
        UsageTable::Pool => &usage.pools,
    }
}

const COLUMNS: [&str; 8] = [
    "total", "in use", "shared", "admin", "blocked", "tainted", "free", "claims",
];

/// Writes a table: a line for each row, and below it a line for each capacity and counter. `most`: how many rows are written.
fn write_table(out: &mut String, name: &str, rows: &[UsageRow], most: usize) {
    if rows.is_empty() {
        return;
    }
    let head: Vec<String> = [name]
        .into_iter()
        .chain(COLUMNS)
        .map(str::to_owned)
        .collect();
    let mut lines = vec![head];
    lines.extend(rows.iter().take(most).map(cells_of));
    let widths: Vec<usize> = (0..=COLUMNS.len())
        .map(|column| width_of(&lines, column))
        .collect();
    for (at, line) in lines.iter().enumerate() {
        write_line(out, line, &widths);
        if let Some(row) = at.checked_sub(1).and_then(|at| rows.get(at)) {
            write_amounts(out, row);
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

/// Returns the cells of a row, in the order of the columns.
fn cells_of(row: &UsageRow) -> Vec<String> {
    let devices = &row.devices;
    let claims = match row.claims {
        None => "-".to_owned(),
        Some(claims) if claims.pending > 0 => {
            format!("{} + {} pending", claims.allocated, claims.pending)
        }
        Some(claims) => claims.allocated.to_string(),
    };
    vec![
        label(row),
        number(devices.total),
        devices.in_use.to_string(),
        devices.shared.to_string(),
        devices.admin.to_string(),
        number(devices.blocked),
        number(devices.tainted),
        number(devices.free),
        claims,
    ]
}

/// Writes a count; `None`: it is not known.
fn number(count: Option<usize>) -> String {
    count.map_or_else(|| "-".to_owned(), |count| count.to_string())
}

fn write_line(out: &mut String, line: &[String], widths: &[usize]) {
    let cells: Vec<String> = line
        .iter()
        .zip(widths)
        .map(|(cell, width)| format!("{cell:width$}"))
        .collect();
    out.push_str(cells.join("  ").trim_end());
    out.push('\n');
}

/// Writes the capacities and counters of a row.
fn write_amounts(out: &mut String, row: &UsageRow) {
    for amount in &row.capacity {
        out.push_str(&format!("  capacity {}\n", spelled(amount)));
    }
    for amount in &row.counters {
        out.push_str(&format!("  counter {}\n", spelled(amount)));
    }
}

fn width_of(lines: &[Vec<String>], column: usize) -> usize {
    let cells = lines.iter().filter_map(|line| line.get(column));
    let widths = cells.map(|cell| cell.chars().count());
    widths.max().unwrap_or(0)
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
