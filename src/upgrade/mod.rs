//! What breaks when a cluster goes from one release to another: its objects, or manifests for it, asked of both releases.
//!
//! Every trouble is tried: both servers judge the objects, both schedulers compile and evaluate the selectors and place the pods. A
//! refusal by the old release as well is not a trouble of the upgrade.

mod devices;
mod names;
mod refusals;
mod versions;

use crate::manifest::cluster_release::release_of_cluster;
use crate::manifest::index::Index;
use crate::manifest::snapshot_notes::SnapshotNotes;
use crate::manifest::{Input, Item, What};
use claimkit_model::error::{Error, ErrorKind};
use claimkit_model::finding::{Code, Finding, Findings, Severity};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, message};
use claimkit_model::schema::{Gates, Release};
use claimkit_model::text::located::{self, LocatedFinding};
use claimkit_model::text::{Source, SourceText, Span};
use claimkit_scheduler::target::{FIRST_MINOR, Target};
use claimkit_values::order;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of objects that a sentence names.
const MOST_NAMES: usize = 3;

/// The state of the objects of a text: stored or to be applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpgradeSubject {
    /// Objects that a cluster stores, as `kubectl get -o yaml` prints them.
    #[default]
    Stored,
    /// Manifests that will be applied to the cluster.
    Manifests,
}

/// The options of [`upgrade`]. The default asks about stored objects of the newest final release.
///
/// ```
/// use claimkit::{Limits, Release, UpgradeOptions, UpgradeSubject};
///
/// let options = UpgradeOptions::default().release(Release::new(36, 6)).gate("DRAAdminAccess", true);
/// let options = options.namespace("team").subject(UpgradeSubject::Manifests).limits(Limits::default());
/// assert!(!claimkit::upgrade("", Release::new(37, 2), &options).unwrap().ok);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UpgradeOptions<'a> {
    /// The release that the cluster has; `None`: that of the nodes' kubelets, else the newest final one, or the last one before the
    /// other release.
    pub release: Option<Release>,
    /// The feature gates that the cluster sets, now and after the upgrade.
    pub gates: BTreeMap<String, bool>,
    /// The namespace of objects that name none; `None`: `default`.
    pub namespace: Option<&'a str>,
    /// Stored objects or manifests.
    pub subject: UpgradeSubject,
    /// The limits on the size of the text.
    pub limits: Limits,
}

impl<'a> UpgradeOptions<'a> {
    /// Sets the release that the cluster has.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets a feature gate of the cluster.
    pub fn gate(mut self, name: &str, on: bool) -> Self {
        self.gates.insert(name.to_owned(), on);
        self
    }

    /// Puts objects that name no namespace into this one.
    pub fn namespace(mut self, namespace: &'a str) -> Self {
        self.namespace = Some(namespace);
        self
    }

    /// Sets what the objects are.
    pub fn subject(mut self, subject: UpgradeSubject) -> Self {
        self.subject = subject;
        self
    }

    /// Sets the limits on the size of the text.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// One kind of trouble. The finding at the same place says what it is, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Trouble {
    /// The code of its finding.
    #[serde(serialize_with = "code_name")]
    pub code: Code,
    /// How many objects have it, or devices where the finding speaks of devices.
    pub count: usize,
    /// The objects that have it, by their index.
    pub objects: Vec<usize>,
}

fn code_name<S: serde::Serializer>(code: &Code, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(code.name())
}

/// The troubles of an upgrade.
#[derive(Debug)]
#[non_exhaustive]
pub struct Upgrade<'t> {
    /// The text, which turns byte offsets into lines.
    pub source: Source<'t>,
    /// The objects of the text.
    pub items: Vec<Item>,
    /// The release that the cluster has.
    pub from: Release,
    /// The release that it will have.
    pub to: Release,
    /// The kinds of trouble, worst first.
    pub troubles: Vec<Trouble>,
    /// The findings about the text, and behind them one for each trouble, in the order of `troubles`.
    pub findings: Vec<LocatedFinding>,
    /// True if an object was looked at, and no finding is an error.
    pub ok: bool,
}

/// A release of the upgrade, with the gates that are on in it.
#[derive(Clone, Debug)]
pub(crate) struct UpgradeSide {
    pub target: Target,
    /// The gates that the cluster sets and this release takes.
    pub gates: BTreeMap<String, bool>,
}

impl UpgradeSide {
    fn release(&self) -> Release {
        self.target.release
    }
}

/// The objects and the two releases that are asked about them.
pub(crate) struct UpgradeQuestion<'q, 't> {
    /// The text as it is; several texts as one.
    text: &'q str,
    input: &'q Input<'t>,
    index: &'q Index<'q>,
    namespace: &'q str,
    subject: UpgradeSubject,
    limits: &'q Limits,
    from: UpgradeSide,
    to: UpgradeSide,
}

impl UpgradeQuestion<'_, '_> {
    /// Returns the names of objects for a sentence: the first of them, and how many more there are.
    fn names(&self, objects: &[usize]) -> String {
        let named = objects
            .iter()
            .filter_map(|at| self.input.items.get(*at))
            .map(name_of);
        listed(&named.collect::<Vec<_>>())
    }
}

fn name_of(item: &Item) -> String {
    match item.namespace.as_str() {
        "" => format!("{} {}", item.kind, item.name),
        namespace => format!("{} {namespace}/{}", item.kind, item.name),
    }
}

/// Joins names for a sentence: the first of them, and how many more there are.
fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let shown = names.get(..MOST_NAMES).unwrap_or(names);
    let names = shown.join(", ");
    if more == 0 {
        return names;
    }
    message!("upgrade.and-more", "{names} and {more} more", names, more).into()
}

/// A kind of trouble that was found.
pub(crate) struct TroubleFound {
    pub code: Code,
    pub severity: Severity,
    pub count: usize,
    /// The objects that have it, in the order of the text.
    pub objects: Vec<usize>,
    pub message: Message,
    pub help: Message,
}

impl TroubleFound {
    /// Makes a trouble of objects, as bad as the row of its code says.
    fn of(code: Code, objects: BTreeSet<usize>, message: Message, help: Message) -> Self {
        TroubleFound {
            code,
            severity: code.severity(),
            count: objects.len(),
            objects: objects.into_iter().collect(),
            message,
            help,
        }
    }
}

/// Asks what breaks when a cluster with these objects gets another release.
///
/// # Errors
/// A release without devices, a release that is not later than the other, or a gate that the old release refuses.
///
/// ```
/// use claimkit::{Release, UpgradeOptions};
///
/// let text = "
/// apiVersion: resource.k8s.io/v1beta1
/// kind: DeviceClass
/// metadata: {name: gpu}
/// spec: {}
/// ";
/// let beta = Release::parse("1.38").unwrap();
/// let upgrade = claimkit::upgrade(text, beta, &UpgradeOptions::default()).unwrap();
/// assert_eq!(
///     upgrade.findings[0].message,
///     "resource.k8s.io/v1beta1 is not served by Kubernetes 1.38.0-beta.0, and 1 object is written in it: DeviceClass gpu"
/// );
/// assert!(!upgrade.ok);
/// ```
pub fn upgrade<'t>(
    text: impl Into<SourceText<'t>>,
    to: Release,
    options: &UpgradeOptions<'_>,
) -> Result<Upgrade<'t>, Error> {
    let text: SourceText<'t> = text.into();
    let from = release_now(text, to, options);
    check_order(from, to)?;
    let from = side(from, gates_now(text, options))?;
    let mut troubles = Vec::new();
    let to = side_after(to, &from, &mut troubles)?;
    let mut input = Input::read(text, Some(from.release()), &options.limits);
    let mut in_text = std::mem::take(&mut input.file.findings);
    let elsewhere = leave_out_other_clusters(&mut input, &mut in_text);
    let as_one = as_one_text(text, &mut input, &in_text, &elsewhere);
    let namespace = options.namespace.unwrap_or("default");
    let mut index = Index::new(namespace);
    for (at, item) in input.items.iter().enumerate() {
        index.add(item, at);
    }
    let question = UpgradeQuestion {
        text: &as_one,
        input: &input,
        index: &index,
        namespace,
        subject: options.subject,
        limits: &options.limits,
        from,
        to,
    };
    find_troubles(&question, &mut troubles);
    let releases = UpgradeReleases {
        from: question.from.release(),
        to: question.to.release(),
    };
    drop(index);
    Ok(make_upgrade(
        input,
        in_text,
        releases,
        troubles,
        &options.limits,
    ))
}

/// The two releases of an upgrade.
#[derive(Clone, Copy)]
struct UpgradeReleases {
    from: Release,
    to: Release,
}

/// Returns the release that the cluster has.
fn release_now(text: SourceText<'_>, to: Release, options: &UpgradeOptions<'_>) -> Release {
    options
        .release
        .or_else(|| {
            let found = release_of_cluster(text, &options.limits)?;
            found.kubelet.is_none().then_some(found.release)
        })
        .unwrap_or_else(|| release_before(to))
}

/// Checks that an upgrade goes to a later release.
fn check_order(from: Release, to: Release) -> Result<(), Error> {
    if to > from {
        return Ok(());
    }
    let problem = message!(
        "upgrade.not-later",
        "Kubernetes {to} is not later than {from}: give the release that the cluster has",
        to,
        from
    );
    Err(Error::new(ErrorKind::Release, problem))
}

/// Returns the feature gates that the cluster sets: those of the options, and those that the notes of a snapshot name.
fn gates_now(text: SourceText<'_>, options: &UpgradeOptions<'_>) -> BTreeMap<String, bool> {
    match SnapshotNotes::of_text(text.text()) {
        Some(notes) => notes.gates_for(options.release, &options.gates),
        None => options.gates.clone(),
    }
}

/// Asks both releases about the objects. The versions come first: the other checks read each object in a version that the new release
/// serves.
fn find_troubles(question: &UpgradeQuestion<'_, '_>, troubles: &mut Vec<TroubleFound>) {
    let moved = versions::check(question, troubles);
    refusals::check(question, &moved, troubles);
    devices::check(question, &moved, troubles);
    names::check(question, &moved, troubles);
}

/// Takes the objects of other clusters out of the input, and returns the places of their documents. `findings`: gets one about them.
fn leave_out_other_clusters(input: &mut Input<'_>, findings: &mut Vec<Finding>) -> Vec<Span> {
    let all_documents = documents_of(input);
    findings.extend(input.leave_out_other_clusters());
    let own_documents = documents_of(input);
    spans_of(input, all_documents.difference(&own_documents))
}

/// Returns the indexes of the documents that have objects.
fn documents_of(input: &Input<'_>) -> BTreeSet<usize> {
    input.items.iter().map(|item| item.document).collect()
}

/// Returns the places of documents, in their order.
fn spans_of<'d>(input: &Input<'_>, documents: impl Iterator<Item = &'d usize>) -> Vec<Span> {
    let all = &input.file.documents;
    let found = documents.filter_map(|index| all.get(*index));
    found.map(|document| document.span).collect()
}

/// Returns several texts as one stream of documents, without those that cannot be read; their objects are taken out of the input.
/// `findings`: those about the texts; `elsewhere`: the documents of other clusters, which are left out, in their order.
fn as_one_text<'t>(
    text: SourceText<'t>,
    input: &mut Input<'_>,
    findings: &[Finding],
    elsewhere: &[Span],
) -> Cow<'t, str> {
    let is_one_text = text.parts().is_empty();
    if is_one_text && elsewhere.is_empty() {
        return Cow::Borrowed(text.text());
    }
    let mut stream = String::new();
    if is_one_text {
        push_without(&mut stream, text.text(), 0, elsewhere);
        return Cow::Owned(stream);
    }
    let errors: Vec<Span> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .filter_map(|finding| finding.span)
        .collect();
    for part in text.parts() {
        let span = part.span();
        if errors.iter().any(|error| begins_in(span, *error)) {
            input.items.retain(|item| !begins_in(span, item.span));
            continue;
        }
        let written = span.slice_of(text.text()).unwrap_or_default();
        let without_mark = written.trim_start_matches('\u{feff}');
        let from = span.to().saturating_sub(without_mark.len());
        stream.push_str("---\n");
        push_without(&mut stream, without_mark, from, elsewhere);
        stream.push('\n');
    }
    Cow::Owned(stream)
}

/// Writes a text that begins at an offset, without the parts that lie in it.
fn push_without(out: &mut String, text: &str, from: usize, parts: &[Span]) {
    let mut written = 0;
    for part in parts {
        let begins = part.from().checked_sub(from);
        let ends = part.to().checked_sub(from);
        let (Some(begins), Some(ends)) = (begins, ends) else {
            continue;
        };
        let Some(before) = text.get(written..begins).filter(|_| ends <= text.len()) else {
            continue;
        };
        out.push_str(before);
        written = ends;
    }
    out.push_str(text.get(written..).unwrap_or_default());
}

/// Returns true if a span begins in another one.
fn begins_in(outer: Span, span: Span) -> bool {
    outer.touches(span.from())
}

/// Returns the release that a cluster has before it gets another one, if nobody says which.
fn release_before(to: Release) -> Release {
    let latest = Release::latest();
    if latest < to {
        return latest;
    }
    Release::last_of(to.minor.saturating_sub(1))
}

fn side(release: Release, gates: BTreeMap<String, bool>) -> Result<UpgradeSide, Error> {
    if release.minor < FIRST_MINOR {
        let problem = message!(
            "upgrade.from-classic",
            "Kubernetes {release} has no devices, and no later release reads its claims and classes: migrate the manifests first, as with `claimkit convert`, and compare releases from 1.{first} on",
            release,
            first = FIRST_MINOR
        );
        return Err(Error::new(ErrorKind::Release, problem));
    }
    let target = Target::new(Some(release), &gates)?;
    Ok(UpgradeSide { target, gates })
}

/// Returns the new release with those of the cluster's gates that it takes. Each of the others is a trouble: with it no component
/// starts.
fn side_after(
    release: Release,
    from: &UpgradeSide,
    troubles: &mut Vec<TroubleFound>,
) -> Result<UpgradeSide, Error> {
    let mut taken: BTreeMap<String, bool> = BTreeMap::new();
    for (name, on) in &from.gates {
        let mut tried = taken.clone();
        tried.insert(name.clone(), *on);
        let set = tried.iter().map(|(name, on)| (name.as_str(), *on));
        let Err(problem) = Gates::with(release, set) else {
            taken = tried;
            continue;
        };
        let message = message!(
            "upgrade.gate",
            "a component with `--feature-gates={name}={on}` does not start: {problem}",
            name,
            on,
            problem
        );
        let help = message!(
            "upgrade.gate-help",
            "take `{name}` out of the flags and configuration files of all components before the upgrade",
            name
        );
        troubles.push(TroubleFound::of(
            Code::UpgradeGate,
            BTreeSet::new(),
            message,
            help,
        ));
    }
    side(release, taken)
}

/// Makes the answer: the worst troubles first. `in_text`: the findings about the text.
fn make_upgrade<'t>(
    input: Input<'t>,
    in_text: Vec<Finding>,
    releases: UpgradeReleases,
    mut troubles_found: Vec<TroubleFound>,
    limits: &Limits,
) -> Upgrade<'t> {
    order::sort_by_key(&mut troubles_found, |trouble| {
        (trouble.severity, trouble.code)
    });
    let is_read = input
        .items
        .iter()
        .any(|item| !matches!(item.what, What::Other));
    let mut findings = Findings::new(limits.findings);
    if !is_read {
        findings.push(Finding::new(
            Code::NothingChecked,
            message!(
                "upgrade.nothing",
                "the text holds no object of `resource.k8s.io`"
            ),
        ));
    }
    let mut troubles = Vec::new();
    for trouble in troubles_found {
        let mut finding = Finding::of_severity(trouble.code, trouble.severity, trouble.message);
        finding.help = Some(trouble.help.into());
        finding.object = trouble.objects.first().copied();
        let item = finding.object.and_then(|at| input.items.get(at));
        finding.span = item.map(|item| item.span);
        findings.push(finding);
        troubles.push(Trouble {
            code: trouble.code,
            count: trouble.count,
            objects: trouble.objects,
        });
    }
    let all_findings = findings.behind(in_text);
    let has_error = all_findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let Input { file, items } = input;
    let located_findings = all_findings
        .into_iter()
        .map(|finding| located::finding(&file.source, finding))
        .collect();
    Upgrade {
        source: file.source,
        items,
        from: releases.from,
        to: releases.to,
        troubles,
        findings: located_findings,
        ok: is_read && !has_error,
    }
}
