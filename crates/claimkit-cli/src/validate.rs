//! `validate` and `parse`: findings per file, in the form asked for.

use crate::ask;
use crate::exit::{Exit, Outcome, Problem};
use crate::files::{self, InputFile, ReadFiles};
use crate::fix::{self, FixCounts, Fixed};
use crate::host::Host;
use crate::live::validate::{self as live, ServingCluster};
use crate::options::{ParseArgs, ValidateArgs};
use crate::summary::{self, ExitRules, checked_in, count, style, with_code};
use crate::upgrade;
use crate::values::{OperationChoice, ReportForm};
use crate::worlds::{self, WorldValidation};
use claimkit::report::text::TerminalStyle;
use claimkit::report::{FileReport, github, junit, sarif, text};
use claimkit::requests::answer::AnswerObject;
use claimkit::requests::request::{OperationName, ParseRequest, Replaced, ValidateRequest};
use claimkit::requests::{self, Answer, Content, Request};
use claimkit_model::finding::{Code, Severity};
use claimkit_model::schema::{Release, VERSIONS, Version};
use claimkit_values::order;
use std::collections::BTreeMap;

/// Runs `validate`. `worlds`: the options for the files of each folder that is a cluster of its own; empty if none is.
pub fn run(args: &ValidateArgs, worlds: &[WorldValidation<'_>], host: &mut dyn Host) -> Outcome {
    if args.to.is_some() {
        return upgrade::of_manifests(args, host);
    }
    let cluster = live::open(args, host)?;
    let old = match &args.old {
        Some(name) => Some(files::read_one(name, host)?),
        None => None,
    };
    let mut common = common_request(args, old.as_ref());
    let ReadFiles {
        mut files,
        mut readable,
        left_out,
        ..
    } = files::read_named(&args.files, args.stdin_filename.as_deref(), host);
    let cluster = cluster.map(|mut cluster| {
        cluster.fill(&mut common);
        cluster.see(&files, host);
        cluster
    });
    files.retain(|file| !worlds::is_excluded(file, worlds));
    let commons = worlds
        .iter()
        .map(|world| (world.name(), common_request(world.args, old.as_ref())))
        .collect();
    let homes = worlds::homes(&files, worlds, host);
    let validation = Validation {
        args,
        worlds,
        settings: FileSettings {
            homes,
            of_worlds: commons,
            of_others: common,
            cluster,
        },
        old,
    };
    let mut fixes = None;
    let mut would_change = false;
    if args.fix {
        let fixed = validation.fix(files, host)?;
        readable &= fixed.written;
        would_change = !fixed.diff.is_empty();
        fixes = Some(fixed.counts);
        files = fixed.files;
    }
    let answers = validation.answers(&files, host)?;
    let beside = validation.old.as_slice();
    let reports = ask::reports(&files, &answers, beside, ask::remarks(&args.text));
    match args.output {
        ReportForm::Text => print_text(args, &reports, fixes, host),
        form => host.out(&document(form, "validate", &files, &answers, &reports)),
    }
    if !readable {
        return Ok(Exit::Unusable);
    }
    let rules = ExitRules::new(&args.findings, args.allow_unchecked);
    let mut exit = summary::exit(&reports, rules, host);
    if would_change {
        exit = exit.max(Exit::Findings);
    }
    Ok(summary::with_left_out(exit, &left_out, &args.findings))
}

/// What is asked about files.
struct Validation<'a> {
    args: &'a ValidateArgs,
    /// The options for the files of each folder that is a cluster of its own; empty if none is.
    worlds: &'a [WorldValidation<'a>],
    settings: FileSettings<'a>,
    /// The stored object that the files change.
    old: Option<InputFile>,
}

impl Validation<'_> {
    /// Fixes the files, and prints what would change if that is only shown.
    fn fix(&self, files: Vec<InputFile>, host: &mut dyn Host) -> Result<Fixed, Problem> {
        let judge = |files: &[InputFile], host: &mut dyn Host| {
            let mut answers = self.judge(files, host)?;
            for (file, answer) in files.iter().zip(&mut answers) {
                ask::remove_variables(file, answer);
            }
            Ok(answers)
        };
        let fixed = fix::run(self.args, &judge, files, host)?;
        match self.args.output {
            ReportForm::Text => host.out(&fixed.diff),
            // Standard output has the document alone.
            _ => host.err(&fixed.diff),
        }
        Ok(fixed)
    }

    /// Answers about the files. Standard error names those that are not read for the variables in them.
    fn answers(&self, files: &[InputFile], host: &mut dyn Host) -> Result<Vec<Answer>, Problem> {
        let mut answers = self.judge(files, host)?;
        let mut unread = Vec::new();
        for (file, answer) in files.iter().zip(&mut answers) {
            if ask::remove_variables(file, answer) {
                unread.push(file.name.as_str());
            }
        }
        files::name_unread(&unread, host);
        Ok(answers)
    }

    /// Asks about the files: new objects in several files are one cluster.
    fn judge(&self, files: &[InputFile], host: &mut dyn Host) -> Result<Vec<Answer>, Problem> {
        let settings = &self.settings;
        let ignored = &self.args.findings.ignore;
        if self.old.is_none() && !self.worlds.is_empty() {
            return by_world(files, self.worlds, settings);
        }
        if self.old.is_none() && files.len() > 1 {
            let requests: Vec<ValidateRequest> = files
                .iter()
                .map(|file| settings.request_about(file))
                .collect();
            return ask::together(ignored, &requests);
        }
        let request = |file: &InputFile| Request::Validate(settings.request_about(file));
        ask::each(ignored, &request, files, self.old.as_slice(), host)
    }
}

/// Asks about the files of each cluster by themselves; returns the answers in the order of the files.
fn by_world(
    files: &[InputFile],
    worlds: &[WorldValidation<'_>],
    settings: &FileSettings<'_>,
) -> Result<Vec<Answer>, Problem> {
    let mut answers: Vec<Answer> = files.iter().map(|_| Answer::default()).collect();
    for world in worlds {
        let mut places: Vec<&mut Answer> = Vec::new();
        let mut requests: Vec<ValidateRequest> = Vec::new();
        for (file, answer) in files.iter().zip(&mut answers) {
            if settings.world_of(file) == Some(world.name()) {
                places.push(answer);
                requests.push(settings.request_about(file));
            }
        }
        let of_world = ask::together(&world.args.findings.ignore, &requests)?;
        for (place, answer) in places.into_iter().zip(of_world) {
            *place = answer;
        }
    }
    Ok(answers)
}

/// What the requests about files share.
struct FileSettings<'w> {
    /// The name of the cluster of each file that belongs to one, by the file's name.
    homes: BTreeMap<String, String>,
    /// The request of each cluster, by the cluster's name.
    of_worlds: BTreeMap<&'w str, ValidateRequest>,
    /// The request of files that belong to no cluster.
    of_others: ValidateRequest,
    /// The running cluster that is asked for labels of namespaces.
    cluster: Option<ServingCluster>,
}

impl FileSettings<'_> {
    fn world_of(&self, file: &InputFile) -> Option<&str> {
        self.homes.get(&file.name).map(String::as_str)
    }

    fn request_about(&self, file: &InputFile) -> ValidateRequest {
        let common = self
            .world_of(file)
            .and_then(|world| self.of_worlds.get(world))
            .unwrap_or(&self.of_others);
        let mut request = ValidateRequest {
            text: Some(file.text.clone()),
            ..common.clone()
        };
        request.replaced.text = ask::offset(file.replaced);
        if request.namespace_labels.is_none()
            && let Some(cluster) = &self.cluster
        {
            request.namespace_labels = cluster.labels(file);
        }
        request
    }
}

/// Returns the request that all files share, without the text.
fn common_request(args: &ValidateArgs, old: Option<&InputFile>) -> ValidateRequest {
    let operation = match (old, args.operation) {
        (None, _) => OperationName::default(),
        (Some(_), Some(OperationChoice::UpdateStatus)) => OperationName::UpdateStatus,
        (Some(_), _) => OperationName::Update,
    };
    ValidateRequest {
        release: args.release.clone(),
        gates: args.gates.gates().unwrap_or_default(),
        namespace_labels: args.labels.labels(),
        field_validation: args.field_validation.into(),
        namespace: args.namespace.clone(),
        via: Some(args.via.into()),
        operation,
        old: old.map(|old| old.text.clone().into()),
        replaced: Replaced {
            old: old.and_then(|old| ask::offset(old.replaced)),
            ..Replaced::default()
        },
        ..ValidateRequest::default()
    }
}

/// Runs `parse`.
pub fn run_parse(args: &ParseArgs, host: &mut dyn Host) -> Outcome {
    let ReadFiles {
        files, readable, ..
    } = files::read_named(&args.files, args.stdin_filename.as_deref(), host);
    let request = |file: &InputFile| {
        Request::Parse(ParseRequest {
            text: Some(file.text.clone()),
            replaced: ask::replaced(file.replaced),
            release: args.release.clone(),
            field_validation: args.field_validation.into(),
            label_selector: args.label_selector.clone(),
            field_selector: args.field_selector.clone(),
            namespace: args.namespace.clone(),
            raw: args.raw,
            ..ParseRequest::default()
        })
    };
    let answers = ask::each(&args.findings.ignore, &request, &files, &[], host)?;
    let reports = ask::reports(&files, &answers, &[], ask::remarks(&args.text));
    if args.raw {
        return Ok(print_raw(&reports, readable, host));
    }
    match args.output {
        ReportForm::Text => print_objects(args, &reports, host),
        form => host.out(&document(form, "parse", &files, &answers, &reports)),
    }
    if !readable {
        return Ok(Exit::Unusable);
    }
    let rules = ExitRules::new(&args.findings, args.allow_unchecked);
    Ok(summary::exit(&reports, rules, host))
}

/// Returns the answers as a document for programs; text is written by each verb.
fn document(
    form: ReportForm,
    verb: &str,
    files: &[InputFile],
    answers: &[Answer],
    reports: &[FileReport<'_>],
) -> String {
    match form {
        ReportForm::Text => String::new(),
        ReportForm::Json => {
            summary::json(verb, files, answers, &|_, answer| requests::print(answer))
        }
        ReportForm::Sarif => sarif::document(reports),
        ReportForm::Junit => junit::document(reports),
        ReportForm::Github => {
            let mut out = String::new();
            reports
                .iter()
                .for_each(|report| github::write(&mut out, report));
            out
        }
    }
}

/// Prints findings to standard output, with a summary.
fn print_text(
    args: &ValidateArgs,
    reports: &[FileReport<'_>],
    fixes: Option<FixCounts>,
    host: &mut dyn Host,
) {
    let style = style(args.text.color, host);
    let mut out = String::new();
    reports
        .iter()
        .for_each(|report| text::write(&mut out, report, style));
    if !args.findings.quiet {
        if let Some(fixes) = fixes {
            out.push_str(&fixes.line(args.diff));
        }
        out.push_str(&summary_line(reports));
        out.push_str(
            &reports
                .first()
                .map(|report| ask::rules_of(report.answer))
                .unwrap_or_default(),
        );
    }
    host.out(&out);
    if !args.findings.quiet {
        host.err(&versions(reports));
    }
}

/// Prints objects to standard output, one per line, and findings to standard error.
fn print_objects(args: &ParseArgs, reports: &[FileReport<'_>], host: &mut dyn Host) {
    let style = style(args.text.color, host);
    let selects = args.label_selector.is_some() || args.field_selector.is_some();
    let (mut out, mut err) = (String::new(), String::new());
    for report in reports {
        text::write(&mut err, report, style);
        let objects = report.answer.objects.iter();
        for object in objects.filter(|object| !selects || object.selected == Some(true)) {
            if let Some(object) = &object.object {
                out.push_str(&requests::print(object));
                out.push('\n');
            }
        }
    }
    host.out(&out);
    host.err(&err);
}

fn print_raw(reports: &[FileReport<'_>], readable: bool, host: &mut dyn Host) -> Exit {
    let mut exit = if readable { Exit::Fine } else { Exit::Unusable };
    for report in reports {
        if let Content::Raw { raw } = &report.answer.content {
            host.out(&format!("{}\n", raw.get()));
        } else {
            let mut err = String::new();
            text::write(&mut err, report, TerminalStyle::plain());
            host.err(&err);
            exit = exit.max(Exit::Findings);
        }
    }
    exit
}

/// Returns what was checked, and how many findings there are.
fn summary_line(reports: &[FileReport<'_>]) -> String {
    let objects = reports.iter().map(|report| checked_in(report.answer)).sum();
    let others = objects_with_code(reports, Code::OtherGroup);
    let pods = objects_with_code(reports, Code::PodClaimsOnly);
    let what = match (objects, pods) {
        (objects, 0) => count(objects, "object"),
        (0, pods) => format!("the claims of {}", count(pods, "pod")),
        (objects, pods) => format!(
            "{} and the claims of {}",
            count(objects, "object"),
            count(pods, "pod")
        ),
    };
    let mut text = format!("checked {what} in {}", count(reports.len(), "file"));
    let errors = findings_of_severity(reports, Severity::Error);
    let warnings = findings_of_severity(reports, Severity::Warning);
    match (errors, warnings) {
        (0, 0) if objects == 0 && pods == 0 => {}
        (0, 0) => text.push_str(": no problems"),
        (errors, 0) => text.push_str(&format!(": {}", count(errors, "error"))),
        (0, warnings) => text.push_str(&format!(": {}", count(warnings, "warning"))),
        (errors, warnings) => text.push_str(&format!(
            ": {}, {}",
            count(errors, "error"),
            count(warnings, "warning")
        )),
    }
    if pods > 0 {
        text.push_str("; nothing else of pods looked into");
    }
    if others > 0 {
        text.push_str(&format!(
            "; {} of other groups not looked into",
            count(others, "object")
        ));
    }
    text.push('\n');
    text
}

fn findings_of_severity(reports: &[FileReport<'_>], severity: Severity) -> usize {
    let findings = reports.iter().flat_map(|report| &report.findings);
    findings
        .filter(|finding| finding.severity == severity)
        .count()
}

fn objects_with_code(reports: &[FileReport<'_>], code: Code) -> usize {
    reports
        .iter()
        .map(|report| with_code(report.answer, code))
        .sum()
}

/// Returns a line for each version that not every cluster serves: the release that judged it, and the releases that serve it.
fn versions(reports: &[FileReport<'_>]) -> String {
    let mut text = String::new();
    let judged = judged_versions(reports);
    let are_served_together = Release::finals().any(|release| {
        judged
            .iter()
            .all(|judged| judged.version.served_by(release))
    });
    if !are_served_together {
        let names: Vec<&str> = judged.iter().map(|judged| judged.version.name).collect();
        text.push_str(&format!(
            "no Kubernetes release serves {} together: each object was judged by a release of its own\n",
            names.join(" and ")
        ));
    }
    for JudgedVersion { version, release } in judged {
        let name = version.name;
        let (_, last) = version.minors();
        if release.minor == last && !version.served_by(Release::latest()) {
            text.push_str(&format!(
                "{name}: judged as Kubernetes {release}; 1.{} and later do not serve it: `claimkit convert --to v1`\n",
                last.saturating_add(1)
            ));
        } else if name != "v1" {
            text.push_str(&format!(
                "{name}: judged as Kubernetes {release}, which serves it only with `--runtime-config={}=true`\n",
                version.api_version
            ));
        }
    }
    text
}

/// A version of which objects were judged, and the release that judged them.
struct JudgedVersion {
    version: &'static Version,
    release: Release,
}

/// Returns the versions of the checked objects, each once for a release that serves it, sorted.
fn judged_versions(reports: &[FileReport<'_>]) -> Vec<JudgedVersion> {
    let mut judged: Vec<JudgedVersion> = Vec::new();
    let objects = reports.iter().flat_map(|report| &report.answer.objects);
    for object in objects.filter(|object| object.is_checked()) {
        let (Some(version), Some(release)) = (version_of(object), object.release) else {
            continue;
        };
        let is_listed = judged
            .iter()
            .any(|listed| listed.version.name == version.name && listed.release == release);
        if version.served_by(release) && !is_listed {
            judged.push(JudgedVersion { version, release });
        }
    }
    order::sort_by_key(&mut judged, |judged| (judged.version.name, judged.release));
    judged
}

fn version_of(object: &AnswerObject) -> Option<&'static Version> {
    VERSIONS
        .iter()
        .copied()
        .find(|version| version.api_version == object.api_version)
}
