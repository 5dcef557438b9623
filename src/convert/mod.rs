//! Conversion between versions: edits on the text, and a list of what is lost.
//!
//! The rows of [`claimkit_model::schema::steps`] list the differences between adjacent versions of a family; versions further apart take
//! one step after the other. Text, value and losses all follow from the rows and the tables. `migrate` converts from the classic
//! family to the device family, via v1.
//!
//! | file | does |
//! |---|---|
//! | `job.rs` | what an object is and what it becomes |
//! | `losses.rs` | what the target version cannot hold |
//! | `fields.rs` | the same for the device family, from the tables of both versions |
//! | `metadata.rs` | metadata that mentions versions, fields that only the server writes |
//! | `edits.rs` | the text: edits that change what must change |
//! | `shape.rs`, `lines.rs` | the text of structs that are wrapped in a field or taken out of one |
//! | `value.rs`, `reshape.rs`, `rebuild.rs` | the value: a converted tree, built without looking at the text |
//! | `check.rs` | reads the edited text again and compares it with the value; judges it in the target release |
//! | `print.rs` | documents that cannot be edited safely |
//! | `migrate` | from the classic family to v1, with decisions |
//! | `across.rs` | the same as part of a conversion to any version of the device family |
//!
//! Each conversion is verified: the edited text is read again and must equal the converted value, otherwise the document is
//! printed. If that differs too, the result is an error without a text.

mod across;
pub(crate) mod check;
mod edits;
mod fields;
mod job;
mod lines;
pub(crate) mod losses;
mod metadata;
mod migrate;
mod print;
mod rebuild;
mod reshape;
mod shape;
mod value;
mod written;

pub(crate) use across::{Among, Together};
pub(crate) use job::newest;
pub use job::{find_version, versions};
pub use losses::Loss;
pub use migrate::Decision;

use self::written::WrittenShape;
use crate::advice::{hints, locate};
use crate::apiserver::body;
use crate::apiserver::text::misspelled;
use crate::manifest::{self, Input, Item, What, kubectl};
use claimkit_model::finding::{Code, Finding, Origin, Path, Severity, Step};
use claimkit_model::limits::Limits;
use claimkit_model::message::{Message, Words, message};
use claimkit_model::object::Record;
use claimkit_model::object::decode::{self, How, StrictKind, Via};
use claimkit_model::object::view::{AllocationResult, ResourceClaim};
use claimkit_model::schema::steps::Direction;
use claimkit_model::schema::{Api, Family, GROUP, Release, Version};
use claimkit_model::text::tree::{Kind, NodeId};
use claimkit_model::text::{Document, SourceText, Span};
use job::Job;
use migrate::Migration;
use std::collections::BTreeSet;

/// Options of a conversion. By default a conversion that loses something fails.
///
/// ```
/// use claimkit::{ConvertOptions, Limits, Release};
///
/// let text = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu, uid: a}\nspec: {}\n";
/// let options = ConvertOptions::default().lossy(true).drop_server_fields(true).annotate(true);
/// let options = options.release(Release::new(34, 1)).limits(Limits::default());
/// let converted = claimkit::convert(text, claimkit::find_version("resource.k8s.io/v1beta1").unwrap(), &options);
/// assert!(!converted.text.unwrap().contains("uid"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// Convert although something is lost.
    pub lossy: bool,
    /// Take fields out of `metadata` that only the server writes, and the annotation of `kubectl apply`.
    pub drop_server_fields: bool,
    /// Write decisions as comments into the text.
    pub annotate: bool,
    /// The release that validates the result if it serves the target version; otherwise the release by which the text is read.
    pub release: Option<Release>,
    pub limits: Limits,
    /// Leave objects as they are of which the target release serves the version, or that cannot be converted.
    pub(crate) only_unserved: bool,
}

impl ConvertOptions {
    /// Sets whether to convert although something is lost.
    pub fn lossy(mut self, lossy: bool) -> Self {
        self.lossy = lossy;
        self
    }

    /// Sets whether to remove the fields of `metadata` that only the server writes, and the annotation of `kubectl apply`.
    pub fn drop_server_fields(mut self, drops: bool) -> Self {
        self.drop_server_fields = drops;
        self
    }

    /// Sets whether to write decisions as comments into the text.
    pub fn annotate(mut self, annotates: bool) -> Self {
        self.annotate = annotates;
        self
    }

    /// Sets the release that validates the result.
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// Sets the limits on the text.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// The target of a conversion.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ConvertTarget {
    Version(&'static Version),
    /// The newest version that Kubernetes 1.`minor` serves of each object's kind. Future releases are allowed, because their
    /// removals are announced.
    Release(u8),
}

impl From<&'static Version> for ConvertTarget {
    fn from(version: &'static Version) -> Self {
        ConvertTarget::Version(version)
    }
}

impl ConvertTarget {
    /// Returns the version for an object of a kind; `None` if its family has none in the release.
    fn version(self, version: &'static Version, kind: &str) -> Option<&'static Version> {
        match self {
            ConvertTarget::Version(version) => Some(version),
            ConvertTarget::Release(minor) => job::newest(version, kind, minor),
        }
    }

    fn family(self) -> Family {
        match self {
            ConvertTarget::Version(version) => version.family,
            ConvertTarget::Release(minor) => Family::of_minor(minor),
        }
    }

    fn name(self) -> String {
        match self {
            ConvertTarget::Version(version) => version.name.to_owned(),
            ConvertTarget::Release(minor) => format!("Kubernetes 1.{minor}"),
        }
    }
}

/// The result of converting one object.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Converted {
    /// The `apiVersion` it had.
    pub from: String,
    /// The `apiVersion` it has in the result.
    pub to: String,
    /// True if it was converted.
    pub changed: bool,
    /// The losses, in the order of the fields.
    pub losses: Vec<Loss>,
    /// The assumptions on the way from the classic to the device family.
    pub decisions: Vec<Decision>,
    /// Why it was left as it is.
    pub skipped: Option<Message>,
    /// The first minor release that does not serve it in the version it had, as far as that is known or announced.
    pub removed_in: Option<u8>,
}

/// The conversion of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct Conversion<'s> {
    /// The file and its objects.
    pub input: Input<'s>,
    /// The whole file converted; `None` if it is refused.
    pub text: Option<String>,
    /// One outcome per object of the input.
    pub outcomes: Vec<Converted>,
    /// The findings, with positions in the original text.
    pub findings: Vec<Finding>,
    /// True if there was anything of this API group to look at.
    pub checked: bool,
}

/// The changes to make in one document.
#[derive(Debug)]
struct Plan {
    /// Index of the document.
    document: usize,
    root: NodeId,
    /// The head of a typed List.
    head: Option<Job>,
    objects: Vec<PlannedObject>,
}

/// An object that is converted.
#[derive(Clone, Copy, Debug)]
struct PlannedObject {
    /// Its index in the input.
    index: usize,
    node: NodeId,
    job: Job,
}

/// What becomes of an object.
struct PlannedItem {
    outcome: Converted,
    /// How it is converted; `None`: it stays as it is.
    job: Option<Job>,
}

impl PlannedItem {
    fn skipped(mut outcome: Converted, reason: Message) -> Self {
        outcome.skipped = Some(reason);
        PlannedItem { outcome, job: None }
    }
}

/// Returns true for a List that is an item of a List.
fn is_nested_list(input: &Input<'_>, item: &Item) -> bool {
    let tree = input.tree(item);
    item.list_index.is_some() && tree.is_some_and(|tree| kubectl::is_list(tree, item.node))
}

/// Returns the version whose shape an object has.
fn shape_of(input: &Input<'_>, item: &Item) -> WrittenShape {
    let is_known = job::find_version(&item.api_version).is_some();
    match job::api_of(item) {
        Some((api, _)) if is_known => written::shape_of(input, item, api),
        _ => WrittenShape::Unknown,
    }
}

impl Plan {
    fn jobs(&self) -> Vec<(NodeId, Job)> {
        self.objects
            .iter()
            .map(|object| (object.node, object.job))
            .collect()
    }
}

/// Converts every object of a text to a version, or to what a release serves.
///
/// ```
/// let claim = "
/// apiVersion: resource.k8s.io/v1beta1
/// kind: ResourceClaim
/// metadata: {name: one} # kept
/// spec: {devices: {requests: [{name: gpu, deviceClassName: gpu}]}}
/// ";
/// let v1 = claimkit::find_version("resource.k8s.io/v1").unwrap();
/// let conversion = claimkit::convert(claim, v1, &claimkit::ConvertOptions::default());
/// let text = conversion.text.unwrap();
/// assert!(text.contains("requests: [{name: gpu, exactly: {deviceClassName: gpu}}]"), "{text}");
/// assert!(text.contains("# kept"), "{text}");
/// ```
pub fn convert<'s>(
    text: &'s str,
    to: impl Into<ConvertTarget>,
    options: &ConvertOptions,
) -> Conversion<'s> {
    convert_source(text.into(), Among::default(), to.into(), options)
}

/// Returns the release of the objects before the conversion, if the release of the question is theirs.
fn release_before(to: ConvertTarget, options: &ConvertOptions) -> Option<Release> {
    match to {
        ConvertTarget::Version(to) => options.release.filter(|release| !to.served_by(*release)),
        ConvertTarget::Release(_) => options.release,
    }
}

/// Returns the release that judges the objects after the conversion.
fn release_after(to: ConvertTarget, options: &ConvertOptions) -> Release {
    match to {
        ConvertTarget::Version(to) => options
            .release
            .filter(|release| to.served_by(*release))
            .unwrap_or(to.default_release()),
        ConvertTarget::Release(minor) => Release::last_of(minor),
    }
}

/// Reads a text as a conversion reads it: without kubectl's checks, because an object that kubectl rejects must not prevent the
/// conversion of the others.
pub(crate) fn read<'s>(
    text: SourceText<'s>,
    to: ConvertTarget,
    options: &ConvertOptions,
) -> Input<'s> {
    let release = release_before(to, options);
    let after_json = manifest::after_json_of_kubectl(release);
    Input::read_unchecked(text, after_json, release, &options.limits)
}

/// Converts as [`convert`] does. `text`: one text, which may have a name. `among`: the texts of the same files.
pub(crate) fn convert_source<'s>(
    text: SourceText<'s>,
    among: Among<'_>,
    to: ConvertTarget,
    options: &ConvertOptions,
) -> Conversion<'s> {
    let mut input = read(text, to, options);
    let mut findings = std::mem::take(&mut input.file.findings);
    if input.file.documents.is_empty() {
        // `no-kind` is the server's error for an empty body; an empty file has nothing to convert.
        findings.retain(|finding| finding.code != Code::NoKind);
    }
    let mut work = Converter {
        to,
        options,
        findings,
        outcomes: Vec::new(),
        settled: Vec::new(),
        mendable: BTreeSet::new(),
        checked: false,
    };
    let migration = across::plan(&input, among, to, options);
    let mut plans = work.plan(&input, &migration);
    if options.only_unserved {
        work.leave_refused(&mut plans);
    }
    let refused = work
        .findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let mut text = None;
    if !refused {
        let release = release_after(to, options);
        match check::carry_out(&input, &plans, &work.settled, release, options) {
            Ok(done) => {
                let loses = done.findings.iter().any(|finding| {
                    (finding.code, finding.severity) == (Code::ConversionPrinted, Severity::Error)
                });
                work.findings.extend(done.findings);
                if !loses {
                    text = work.across(&input, among, &migration, done.text);
                }
            }
            Err(finding) => work.findings.push(*finding),
        }
    }
    drop(migration);
    for plan in plans.iter().filter(|_| text.is_some()) {
        for object in &plan.objects {
            if let Some(outcome) = work.outcomes.get_mut(object.index) {
                outcome.changed = true;
            }
        }
    }
    Conversion {
        input,
        text,
        outcomes: work.outcomes,
        findings: work.findings,
        checked: work.checked,
    }
}

struct Converter<'o> {
    to: ConvertTarget,
    options: &'o ConvertOptions,
    findings: Vec<Finding>,
    outcomes: Vec<Converted>,
    /// Objects that stay as they are and are judged in the target release, by their index.
    settled: Vec<(usize, Job)>,
    /// Fields that the written version does not have and that a fix moves, by the index of the object and the path.
    mendable: BTreeSet<(usize, String)>,
    checked: bool,
}

/// Says that a fix keeps what the conversion would lose.
fn mend_first(help: Option<Words>) -> Message {
    let help = help.unwrap_or_default();
    message!(
        "convert.mend-first",
        "{help}: run `claimkit validate --fix` before the conversion to keep it",
        help
    )
}

fn other_group(api_version: &str) -> Message {
    message!(
        "convert.other-group",
        "its API version is `{api_version}`",
        api_version
    )
}

fn unreadable() -> Message {
    message!("convert.unreadable", "it cannot be read")
}

impl Converter<'_> {
    fn plan(&mut self, input: &Input<'_>, migration: &Migration<'_>) -> Vec<Plan> {
        let mut plans: Vec<Plan> = Vec::new();
        for (index, document) in input.file.documents.iter().enumerate() {
            let Some(root) = document.root else { continue };
            let head = self.head(document, root);
            plans.push(Plan {
                document: index,
                root,
                head,
                objects: Vec::new(),
            });
        }
        for (index, item) in input.items.iter().enumerate() {
            if let Some(object) = migration.moved(index) {
                let outcome = self.moved(input, index, item, object);
                self.outcomes.push(outcome);
                continue;
            }
            let planned = self.item(input, index, item);
            self.outcomes.push(planned.outcome);
            let at = plans.binary_search_by_key(&item.document, |plan| plan.document);
            if let Some(job) = planned.job
                && let Some(plan) = at.ok().and_then(|at| plans.get_mut(at))
            {
                plan.objects.push(PlannedObject {
                    index,
                    node: item.node,
                    job,
                });
            }
        }
        plans.retain(|plan| plan.head.is_some() || !plan.objects.is_empty());
        plans
    }

    /// Takes the objects with errors out of the plans.
    fn leave_refused(&mut self, plans: &mut Vec<Plan>) {
        let is_refused = |finding: &Finding| finding.severity == Severity::Error;
        let errors = self.findings.iter().filter(|finding| is_refused(finding));
        let refused: BTreeSet<usize> = errors.filter_map(|finding| finding.object).collect();
        self.findings
            .retain(|finding| !is_refused(finding) || finding.object.is_none());
        for plan in plans.iter_mut() {
            plan.objects
                .retain(|object| !refused.contains(&object.index));
        }
        plans.retain(|plan| plan.head.is_some() || !plan.objects.is_empty());
    }

    /// Returns the conversion of a List's own version and kind, if it is of this group.
    fn head(&mut self, document: &Document<'_>, root: NodeId) -> Option<Job> {
        let tree = &document.tree;
        let items = tree.get(root, "items")?;
        if !matches!(tree.kind(items), Kind::Seq { .. }) {
            return None;
        }
        let version = job::find_version(tree.str(tree.get(root, "apiVersion")?)?)?;
        self.checked = true;
        // Its items say what becomes of them.
        if version.family != self.to.family() {
            return None;
        }
        let name = tree.str(tree.get(root, "kind")?)?;
        let to = self.to.version(version, name);
        if to.is_some_and(|to| version.api_version == to.api_version) {
            return None;
        }
        let Some(kind) = version.kinds.iter().find(|kind| kind.kind == name) else {
            // kubectl takes the items and never looks at the list's kind. The list's kind in another version is unknown.
            let message = message!(
                "convert.list-kind-unknown",
                "`{name}` is not a kind of {version}: the list cannot be converted",
                name,
                version = version.name
            );
            let span = locate::locate(tree, root, &[Step::Key("kind".to_owned())]);
            let finding = Finding::new(Code::UnknownKind, message).with_span(span);
            self.findings.push(finding.with_help(message!(
                "convert.list-kind-unknown-help",
                "write the kind of the items with `List` after it, or `List` of `v1`"
            )));
            return None;
        };
        let api = Api { version, kind };
        let job = self.job(api, to);
        if job.is_none() {
            let step = [Step::Key("kind".to_owned())];
            let span = locate::locate(tree, root, &step);
            self.findings.push(self.no_counterpart(api).with_span(span));
        }
        job
    }

    fn job(&self, api: Api, to: Option<&'static Version>) -> Option<Job> {
        let release = match self.to {
            ConvertTarget::Version(_) => self.options.release,
            ConvertTarget::Release(minor) => Some(Release::last_of(minor)),
        };
        Job::new(api, to?, self.options.drop_server_fields).map(|job| job.in_release(release))
    }

    /// Returns true if an object of a version stays as it is.
    fn is_settled(&self, written: &Version, to: &Version, kind: &str) -> bool {
        written.api_version == to.api_version
            || (self.options.only_unserved && self.serves(written, kind))
    }

    /// Returns the job that judges an object which has the target version already; `None` if its release stays the same, or if it is to
    /// stay as it is whatever becomes of it.
    fn judged_job(&self, item: &Item, to: &'static Version) -> Option<Job> {
        if self.options.only_unserved {
            return None;
        }
        let (api, release) = job::api_of(item)?;
        let job = self.job(api, Some(to))?;
        // Nothing else of it is converted.
        let judged = Job {
            drop_server_fields: false,
            ..job
        };
        (judged.release != release).then_some(judged)
    }

    /// Returns true if the target is a release that serves a kind in a version.
    fn serves(&self, version: &Version, kind: &str) -> bool {
        match self.to {
            ConvertTarget::Version(_) => false,
            ConvertTarget::Release(minor) => {
                let release = Release::last_of(minor);
                version.served_by(release) && version.kind(kind, release).is_some()
            }
        }
    }

    fn no_counterpart(&self, api: Api) -> Finding {
        let message = message!(
            "convert.no-counterpart",
            "`{kind}` of {from} has no counterpart in {to}",
            kind = api.kind.kind,
            from = api.version.name,
            to = self.to.name()
        );
        let help = match (api.version.family, self.to.family()) {
            (Family::Classic, Family::Classic) => message!(
                "convert.no-counterpart-classic",
                "take the object out of the file; v1alpha1 has no structured parameters"
            ),
            (Family::Device, Family::Device) => message!(
                "convert.no-counterpart-device",
                "take the object out of the file, or choose a version that has the kind"
            ),
            _ => message!(
                "convert.no-way-back",
                "nothing leads from v1alpha3 and later back to v1alpha1 and v1alpha2"
            ),
        };
        Finding::new(Code::NoCounterpart, message)
            .with_help(help)
            .at(&Path::ROOT.field("kind"))
    }

    /// Plans what becomes of an object that stays in its family.
    fn item(&mut self, input: &Input<'_>, index: usize, item: &Item) -> PlannedItem {
        let mut outcome = Converted {
            from: item.api_version.clone(),
            to: item.api_version.clone(),
            ..Converted::default()
        };
        if is_nested_list(input, item) {
            self.refuse_nested_list(input, index, item);
            return PlannedItem::skipped(outcome, unreadable());
        }
        let written = job::find_version(&item.api_version);
        let to = written.and_then(|version| self.to.version(version, &item.kind));
        outcome.removed_in = written.and_then(|version| job::removed_in(version, &item.kind));
        let shape = shape_of(input, item);
        if let (Some(written), Some(to)) = (written, to)
            && self.is_settled(written, to, &item.kind)
            && !matches!(shape, WrittenShape::Other(_))
        {
            return match self.settle(input, index, item, to, &mut outcome) {
                Some(job) => PlannedItem {
                    outcome,
                    job: Some(job),
                },
                None => PlannedItem::skipped(
                    outcome,
                    message!(
                        "convert.already",
                        "it has the version {version} already",
                        version = written.name
                    ),
                ),
            };
        }
        match self.job_of_item(input, index, item, shape, to) {
            Ok(job) => {
                outcome.to = job.to.api_version.to_owned();
                outcome.losses = self.find_losses(input, index, item, &job);
                PlannedItem {
                    outcome,
                    job: Some(job),
                }
            }
            Err(reason) => PlannedItem::skipped(outcome, reason),
        }
    }

    /// Judges an object that has the target version already. Returns the job that takes out what the target release does not know; `None`:
    /// the object stays as it is.
    fn settle(
        &mut self,
        input: &Input<'_>,
        index: usize,
        item: &Item,
        to: &'static Version,
        outcome: &mut Converted,
    ) -> Option<Job> {
        self.checked = true;
        let Some(job) = self.judged_job(item, to) else {
            if !self.options.only_unserved {
                self.read_settled(input, index, item);
            }
            return None;
        };
        outcome.losses = self.find_losses(input, index, item, &job);
        if !outcome.losses.is_empty() {
            return Some(job);
        }
        self.settled.push((index, job));
        None
    }

    /// Returns how an object is converted.
    ///
    /// # Errors
    /// Why it is skipped.
    fn job_of_item(
        &mut self,
        input: &Input<'_>,
        index: usize,
        item: &Item,
        shape: WrittenShape,
        to: Option<&'static Version>,
    ) -> Result<Job, Message> {
        let named = self.api_to_convert(input, index, item)?;
        self.checked = true;
        let api = match shape {
            WrittenShape::Other(other) => {
                let finding = shaped_as(named.version.name, other.version.name);
                self.push(input, item, index, finding);
                other
            }
            WrittenShape::Own | WrittenShape::Unknown => named,
        };
        if let Some(job) = self.job(api, to) {
            return Ok(job.written_as(named.version));
        }
        let finding = self.no_counterpart(api);
        self.push(input, item, index, finding);
        Err(message!(
            "convert.kind-absent",
            "{to} has no `{kind}`",
            to = self.to.name(),
            kind = api.kind.kind
        ))
    }

    /// Reports a List in a List, of which kubectl reads nothing.
    fn refuse_nested_list(&mut self, input: &Input<'_>, index: usize, item: &Item) {
        self.checked = true;
        let finding = Finding::upstream(Code::NoKind, Origin::Kubectl, kubectl::NESTED_LIST);
        let help = message!(
            "convert.nested-list",
            "kubectl reads no List inside a List: move the items of the inner one into the outer one"
        );
        self.push(input, item, index, finding.with_help(help));
    }

    /// Returns kind and version of an object to convert; else says what the object is.
    ///
    /// # Errors
    /// Why it is skipped.
    fn api_to_convert(
        &mut self,
        input: &Input<'_>,
        index: usize,
        item: &Item,
    ) -> Result<Api, Message> {
        let known = job::find_version(&item.api_version);
        if known.is_some()
            && let Some((api, _)) = job::api_of(item)
        {
            return Ok(api);
        }
        let group = item
            .api_version
            .split_once('/')
            .map_or("", |(group, _)| group);
        let What::Refused(finding) = &item.what else {
            self.leave_as_is(input, index, item);
            return Err(other_group(&item.api_version));
        };
        // An unknown version of this group is an error too.
        if known.is_some() || group == GROUP {
            self.checked = true;
            self.push(input, item, index, finding.clone());
            return Err(unreadable());
        }
        // Not an object, or an unreadable `apiVersion`: nothing of this group to convert.
        let finding = finding.clone().with_severity(Severity::Warning);
        self.push(input, item, index, finding);
        Err(message!(
            "convert.no-object",
            "it is not a Kubernetes object"
        ))
    }

    /// Says that an object of another group stays as it is.
    fn leave_as_is(&mut self, input: &Input<'_>, index: usize, item: &Item) {
        if let Some(finding) = misspelled(input, item) {
            let finding = finding.with_severity(Severity::Warning);
            return self.push(input, item, index, finding);
        }
        let message = match item.kind.as_str() {
            "" => message!(
                "convert.left-nameless",
                "an object of `{api_version}` without a kind is left as it is",
                api_version = item.api_version
            ),
            kind => message!(
                "convert.left",
                "{kind} is left as it is: only objects of `resource.k8s.io` are converted",
                kind
            ),
        };
        let finding = Finding::new(Code::OtherGroup, message);
        self.push(
            input,
            item,
            index,
            finding.with_span(Span::at(item.span.from())),
        );
    }

    /// Says what of an object cannot be read that has the target version already: its text stays, and the server refuses it.
    fn read_settled(&mut self, input: &Input<'_>, index: usize, item: &Item) {
        let Some((api, release)) = job::api_of(item) else {
            return;
        };
        self.read(input, index, item, api, release);
        self.refuse_both_kinds(input, index, item);
    }

    /// Refuses requests for one kind of device and for alternatives at once: no version accepts them.
    fn refuse_both_kinds(&mut self, input: &Input<'_>, index: usize, item: &Item) {
        let Some(tree) = input.tree(item) else { return };
        for both in written::both_kinds(tree, item.node) {
            let message = message!(
                "convert.both-kinds",
                "request `{name}` has `{key}` and `firstAvailable`: a request has one of them",
                name = both.name,
                key = both.key
            );
            let help = message!(
                "convert.both-kinds-help",
                "keep one of them: `exactly` for one kind of device, `firstAvailable` for alternatives"
            );
            let finding = Finding::error(Code::RequestShape, message).with_help(help);
            self.push(input, item, index, finding.with_span(tree.span(both.node)));
        }
    }

    /// Decodes the object, and reports everything about its conversion. Returns what is lost.
    fn find_losses(
        &mut self,
        input: &Input<'_>,
        index: usize,
        item: &Item,
        job: &Job,
    ) -> Vec<Loss> {
        let Some(tree) = input.tree(item) else {
            return Vec::new();
        };
        let api = Api {
            version: job.from,
            kind: job.source,
        };
        let record = self.read(input, index, item, api, release_to_read(item, job));
        self.refuse_both_kinds(input, index, item);
        let losses = losses::losses(tree, item.node, job);
        let is_limit_lost = losses
            .iter()
            .any(|loss| losses::is_only_limit(tree, item.node, &loss.path));
        if job.kind == "DeviceTaintRule" && is_limit_lost {
            self.push(input, item, index, taints_every_device());
        }
        if job.is_settled() {
            self.drop_unknown_fields(index, &losses);
            let target = format!("Kubernetes {}", job.release);
            self.say_losses(input, index, item, &losses, &target);
            return losses;
        }
        self.say_losses(input, index, item, &losses, job.to.name);
        if record.is_some_and(|record| handle_without_driver(&record, job)) {
            self.push(input, item, index, no_driver_of_handle());
        }
        for finding in metadata::findings(tree, item.node, job) {
            self.push(input, item, index, finding);
        }
        losses
    }

    /// Drops the findings about fields of an object that the target release does not know: that they are lost says the same.
    fn drop_unknown_fields(&mut self, index: usize, losses: &[Loss]) {
        let is_lost = |path: &String| losses.iter().any(|loss| loss.path == *path);
        self.findings.retain(|finding| {
            finding.object != Some(index)
                || finding.code != Code::UnknownField
                || !finding.path.as_ref().is_some_and(is_lost)
        });
    }

    /// Decodes the object and says what of it cannot be read.
    fn read<'i>(
        &mut self,
        input: &'i Input<'_>,
        index: usize,
        item: &Item,
        api: Api,
        release: Release,
    ) -> Option<Record<'i>> {
        let tree = input.tree(item)?;
        let how = How::reaching(input.mode(item), Via::Kubectl, release);
        let decoded = decode::decode(tree, item.node, api.kind.schema, api.version.name, how);
        for (at, mismatch) in decoded.mismatches.iter().enumerate() {
            let origin = if decoded.answer == Some(at) {
                Origin::ApiServer
            } else {
                Origin::Claimkit
            };
            let mut finding =
                Finding::upstream(Code::TypeMismatch, origin, mismatch.message.clone())
                    .with_span(mismatch.span);
            finding.path = Some(mismatch.path.clone());
            let mut finding = body::with_correction(finding, tree, mismatch);
            let has_fix = !finding.fixes.is_empty();
            finding.fixes.clear();
            if let Some(help) = finding.help.take_if(|_| has_fix) {
                let help = message!(
                    "convert.fix-first",
                    "{help}; `claimkit validate --fix` does it",
                    help
                );
                finding.help = Some(help.into());
            }
            self.push(input, item, index, finding);
        }
        for strict in &decoded.strict {
            let code = match strict.kind {
                StrictKind::Unknown => Code::UnknownField,
                StrictKind::Duplicate => Code::DuplicateField,
            };
            let mut finding = Finding::upstream(code, Origin::ApiServer, strict.message.clone())
                .with_severity(Severity::Warning)
                .with_span(strict.key);
            finding.path = Some(strict.path.clone());
            hints::strict(&mut finding, strict, api, release, tree);
            let has_fix = matches!(finding.fixes.as_slice(), [fix] if !fix.deletes(tree.source()));
            finding.fixes.clear();
            if has_fix {
                self.mendable.insert((index, strict.path.clone()));
                finding.help = Some(mend_first(finding.help.take()).into());
            }
            // The new text would have the field, too, and the server refuses it.
            let is_kept = api.version.family == Family::Device && !self.options.lossy;
            if strict.kind == StrictKind::Unknown && is_kept {
                finding.severity = Severity::Error;
            }
            self.push(input, item, index, finding);
        }
        Some(decoded.record)
    }

    fn say_losses(
        &mut self,
        input: &Input<'_>,
        index: usize,
        item: &Item,
        losses: &[Loss],
        to: &str,
    ) {
        for loss in losses {
            let (path, reason) = (&loss.path, &loss.reason);
            // The finding about the unknown field says how nothing of it is lost.
            if !self.options.lossy && self.mendable.contains(&(index, path.clone())) {
                continue;
            }
            let message = match path.as_str() {
                "" => message!(
                    "loss.object",
                    "the object is lost in {to}: {reason}",
                    to,
                    reason
                ),
                path => message!(
                    "loss.field",
                    "`{path}` is lost in {to}: {reason}",
                    path,
                    to,
                    reason
                ),
            };
            let mut finding =
                Finding::of_severity(Code::ConversionLoss, Severity::Warning, message)
                    .with_span(loss.span);
            if !self.options.lossy {
                finding.severity = Severity::Error;
                finding.help = Some(Words::Ours(message!(
                    "loss.help",
                    "set `lossy` to `allow` to convert without it"
                )));
                finding.command_help = Some(message!(
                    "loss.command-help",
                    "give `--allow-loss` to convert without it"
                ));
            }
            finding.path = Some(loss.path.clone());
            self.push(input, item, index, finding);
        }
    }

    fn push(&mut self, input: &Input<'_>, item: &Item, index: usize, mut finding: Finding) {
        finding.object = Some(index);
        if finding.span.is_none() {
            finding.span = input
                .tree(item)
                .map(|tree| locate::locate_part(tree, item.node, &finding.steps, finding.part));
        }
        self.findings.push(finding);
    }
}

/// Refuses a DeviceTaintRule that loses all that limits it, also if losses are allowed.
fn taints_every_device() -> Finding {
    let message = message!(
        "loss.every-device",
        "`spec.deviceSelector` loses all of its fields: the rule would taint every device of the cluster"
    );
    let spec = Path::ROOT.field("spec");
    Finding::error(Code::ConversionLoss, message)
        .at(&spec.field("deviceSelector"))
        .with_help(message!(
            "loss.every-device-help",
            "name a `driver`, `pool` or `device` in `spec.deviceSelector`, or delete the rule"
        ))
}

fn shaped_as(named: &str, shape: &str) -> Finding {
    let message = message!(
        "convert.shape-of-other-version",
        "the object names {named} but has the fields of {shape}: it is converted as an object of {shape}",
        named,
        shape
    );
    Finding::warning(Code::UnknownField, message).at(&Path::ROOT.field("apiVersion"))
}

/// Returns the release by whose rules the written object is read.
fn release_to_read(item: &Item, job: &Job) -> Release {
    if job.is_settled() {
        return job.release;
    }
    if job.written.name == job.from.name {
        return job::api_of(item).map_or(item.release, |(_, release)| release);
    }
    job::last_release(job.from, job.source)
}

/// Returns the finding about a handle of an allocation without a driver.
fn no_driver_of_handle() -> Finding {
    let path = Path::ROOT.field("status");
    let path = path.field("allocation");
    let problem = message!(
        "convert.handle-without-driver",
        "`status.allocation.resourceHandle` is set but `status.driverName` is not: the handle gets no driver, which neither version accepts"
    );
    Finding::new(Code::HandleWithoutDriver, problem)
        .at(&path.field("resourceHandle"))
        .with_help(message!(
            "convert.handle-without-driver-help",
            "write the name of the driver that made the allocation in `status.driverName`"
        ))
}

/// Returns true if a claim has a handle, which the newer version would give no driver.
fn handle_without_driver(record: &Record<'_>, job: &Job) -> bool {
    if job.direction() != Direction::Up || job.handle().is_none() {
        return false;
    }
    let status = ResourceClaim::new(record).status();
    let handle = status
        .allocation()
        .map_or("", AllocationResult::resource_handle);
    !handle.is_empty() && status.driver_name().is_empty()
}
