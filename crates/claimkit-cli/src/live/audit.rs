//! `audit` of a running cluster: what is wrong in it, how much of its devices is in use, and with `--to` what an upgrade breaks.

use super::cluster::Live;
use super::read::{ReadFor, Unseen, nothing_seen};
use crate::ask;
use crate::audit;
use crate::exit::{Exit, Outcome};
use crate::host::Host;
use crate::options::AuditArgs;
use crate::summary;
use crate::values::{KnownCode, PlainForm};
use claimkit::audit::Usage;
use claimkit::report::text::visible;
use claimkit::requests::answer::AnswerObject;
use claimkit::requests::request::{AuditRequest, UpgradeRequest};
use claimkit::requests::{self, Answer, Content, Request};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::schema::Release;
use claimkit_model::text::located;
use serde::Serialize;
use std::collections::BTreeMap;

/// The limits on the objects of a whole cluster. Each page was bounded when it was read.
const LIMITS: Limits = Limits {
    bytes: 1 << 30,
    depth: 10_000,
    nodes: 200_000_000,
    findings: 10_000,
    node_set_bytes: 1 << 30,
};

/// The answer as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    verb: &'static str,
    ok: bool,
    /// The server's version, as it says it.
    server: Option<&'a str>,
    release: Release,
    gates: &'a BTreeMap<String, bool>,
    notes: &'a [String],
    unseen: &'a [Unseen],
    objects: usize,
    findings: Vec<AuditFinding<'a>>,
    usage: &'a Usage,
}

/// The answer to `--to` as JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UpgradeReport<'a> {
    verb: &'static str,
    ok: bool,
    /// The server's version, as it says it.
    server: Option<&'a str>,
    from: Release,
    to: Release,
    gates: &'a BTreeMap<String, bool>,
    notes: &'a [String],
    unseen: &'a [Unseen],
    objects: usize,
    /// One for each kind of problem.
    findings: Vec<AuditFinding<'a>>,
}

/// A finding, with the object that it is about.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditFinding<'a> {
    code: Code,
    severity: Severity,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<About<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct About<'a> {
    kind: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    namespace: &'a str,
    name: &'a str,
}

/// Returns true if a command line asks for the cluster: with a flag of the connection, with `--live`, or as a plugin of kubectl without
/// files.
pub fn is_asked(args: &AuditArgs, host: &dyn Host) -> bool {
    if !args.connection.flags().is_empty() {
        return true;
    }
    // The plugin turns `--live` on by itself: there it does not say whether the cluster or files are meant.
    if host.is_plugin() {
        return args.live && args.files.is_empty();
    }
    args.live
}

/// Runs the verb.
pub fn run(args: &AuditArgs, host: &mut dyn Host) -> Outcome {
    let cluster = read_cluster(args, host).map_err(|problem| {
        host.status("");
        visible(&problem)
    })?;
    if let Some(to) = &args.to {
        let request = UpgradeRequest {
            text: Some(cluster.text.clone()),
            release: Some(cluster.live.release.to_string()),
            to: Some(to.clone()),
            gates: cluster.gates.clone(),
            limits: LIMITS,
            namespace: Some(cluster.live.namespace.clone()),
            ..UpgradeRequest::default()
        };
        let answer = ask::once(Request::Upgrade(request), host)?;
        return Ok(show_upgrade(args, &cluster, answer, host));
    }
    let request = AuditRequest {
        text: Some(cluster.text.clone()),
        release: Some(cluster.live.release.to_string()),
        gates: cluster.gates.clone(),
        limits: LIMITS,
        namespace: Some(cluster.live.namespace.clone()),
        ..AuditRequest::default()
    };
    let answer = ask::once(Request::Audit(request), host)?;
    Ok(show(args, &cluster, answer, host))
}

/// A cluster that is to be audited.
struct AuditedCluster {
    live: Live,
    gates: BTreeMap<String, bool>,
    text: String,
    unseen: Vec<Unseen>,
}

fn read_cluster(args: &AuditArgs, host: &mut dyn Host) -> Result<AuditedCluster, String> {
    if let Some(file) = args.files.names().next() {
        return Err(format!(
            "`--live` reads the cluster: `{file}` goes without it"
        ));
    }
    if let Some(flag) = args.connection.flags().first()
        && !args.live
    {
        return Err(format!("`--{}` goes with `--live`", flag.name));
    }
    let mut live = Live::open(
        &args.connection,
        args.release.as_deref(),
        args.namespace.as_deref(),
        host,
    )?;
    let gates = live.effective_gates(args.gates.gates(), host);
    let (text, unseen) = live.list_of_objects(ReadFor::Audit, &gates, host);
    if text.is_empty() {
        return Err(nothing_seen(&unseen));
    }
    live.tell(&unseen, host);
    Ok(AuditedCluster {
        live,
        gates,
        text,
        unseen,
    })
}

/// Prints the answer; returns how the run ends.
fn show(
    args: &AuditArgs,
    cluster: &AuditedCluster,
    mut answer: Answer,
    host: &mut dyn Host,
) -> Exit {
    // A finding about an absent kind is for files; of a cluster it is known which kinds were read.
    let is_shown = |code: Code| {
        !matches!(code, Code::ObjectsAbsent | Code::NothingChecked)
            && !args.findings.ignore.contains(&KnownCode(code))
    };
    let Content::Audit { release, usage, .. } = std::mem::take(&mut answer.content) else {
        return Exit::Unusable;
    };
    answer.findings.retain(|finding| is_shown(finding.code));
    let counts = [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| count_of_severity(&answer, severity));
    let [errors, warnings, _] = counts;
    if args.output == PlainForm::Json {
        let report = Report {
            verb: "audit",
            ok: errors == 0,
            server: cluster.live.server.as_deref(),
            release,
            gates: &cluster.gates,
            notes: &cluster.live.notes,
            unseen: &cluster.unseen,
            objects: answer.objects.len(),
            findings: answer
                .findings
                .iter()
                .map(|finding| audit_finding(finding, &answer.objects))
                .collect(),
            usage: &usage,
        };
        host.out(&format!("{}\n", requests::print(&report)));
    } else if args.findings.quiet {
        host.out(&lines(args, &answer, host));
    } else {
        let mut out = lines(args, &answer, host);
        if !out.is_empty() {
            out.push('\n');
        }
        audit::tables(&mut out, &args.by, &usage);
        let place = format!(
            "{} of the cluster",
            summary::count(answer.objects.len(), "object")
        );
        out.push_str(&audit::last_line(release, &place, counts));
        host.out(&out);
    }
    let fails = errors > 0 || args.findings.warnings_as_errors && warnings > 0;
    if fails { Exit::Findings } else { Exit::Fine }
}

fn count_of_severity(answer: &Answer, severity: Severity) -> usize {
    answer
        .findings
        .iter()
        .filter(|finding| finding.severity == severity)
        .count()
}

/// Prints what an upgrade breaks; returns how the run ends.
fn show_upgrade(
    args: &AuditArgs,
    cluster: &AuditedCluster,
    mut answer: Answer,
    host: &mut dyn Host,
) -> Exit {
    let Content::Upgrade {
        from,
        to,
        mut troubles,
    } = std::mem::take(&mut answer.content)
    else {
        return Exit::Unusable;
    };
    let is_ignored = |code: Code| args.findings.ignore.contains(&KnownCode(code));
    troubles.retain(|trouble| !is_ignored(trouble.code));
    // A cluster without devices has nothing that breaks.
    answer
        .findings
        .retain(|finding| finding.code != Code::NothingChecked && !is_ignored(finding.code));
    let is_found = summary::has_severity(&answer, Severity::Error);
    let fails = is_found
        || args.findings.warnings_as_errors && summary::has_severity(&answer, Severity::Warning);
    if args.output == PlainForm::Json {
        let report = UpgradeReport {
            verb: "upgrade",
            ok: !is_found,
            server: cluster.live.server.as_deref(),
            from,
            to,
            gates: &cluster.gates,
            notes: &cluster.live.notes,
            unseen: &cluster.unseen,
            objects: answer.objects.len(),
            findings: answer
                .findings
                .iter()
                .map(|finding| audit_finding(finding, &answer.objects))
                .collect(),
        };
        host.out(&format!("{}\n", requests::print(&report)));
    } else {
        let mut out = lines(args, &answer, host);
        if !args.findings.quiet {
            out.push_str(&format!(
                "from {from} to {to}: {} in {} of the cluster\n",
                summary::count(troubles.len(), "problem"),
                summary::count(answer.objects.len(), "object"),
            ));
        }
        host.out(&out);
    }
    if fails { Exit::Findings } else { Exit::Fine }
}

/// Returns the findings of an answer as text.
fn lines(args: &AuditArgs, answer: &Answer, host: &dyn Host) -> String {
    let style = summary::style(args.color, host);
    answer
        .findings
        .iter()
        .map(|finding| line(finding, &answer.objects, style))
        .collect()
}

fn audit_finding<'a>(
    finding: &'a located::LocatedFinding,
    objects: &'a [AnswerObject],
) -> AuditFinding<'a> {
    let object = finding.object.and_then(|at| objects.get(at));
    AuditFinding {
        code: finding.code,
        severity: finding.severity,
        message: &finding.message,
        path: finding.path.as_deref(),
        help: finding.help.as_deref(),
        object: object.map(|object| About {
            kind: &object.kind,
            namespace: &object.namespace,
            name: &object.name,
        }),
    }
}

/// Returns a finding as text, such as `error: ResourceClaim team/a: claim team/a holds … [device-unpublished]`, with its help in a
/// second line.
fn line(
    finding: &located::LocatedFinding,
    objects: &[AnswerObject],
    style: claimkit::report::text::TerminalStyle,
) -> String {
    let about = finding.object.and_then(|at| objects.get(at)).map(|object| {
        let namespace = if object.namespace.is_empty() {
            String::new()
        } else {
            format!("{}/", object.namespace)
        };
        format!("{} {namespace}{}: ", object.kind, object.name)
    });
    let mut text = format!(
        "{}: {}{} [{}]\n",
        style.severity(finding.severity),
        visible(&about.unwrap_or_default()),
        visible(&finding.message),
        finding.code.name()
    );
    if let Some(help) = &finding.help {
        text.push_str(&format!("    help: {}\n", visible(help)));
    }
    text
}
