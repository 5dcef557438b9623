//! The server's answers to all objects of a text.

use super::namespaces::{NamespaceLabels, labels_in_texts};
use crate::advice::{hints, suggest};
use crate::apiserver::FieldValidation;
use crate::apiserver::client::{self, UnknownObject};
use crate::apiserver::device::defaults::CLOCK;
use crate::apiserver::elsewhere::{self, Standing};
use crate::apiserver::object::{self, ObjectRequest, Partners};
use crate::apiserver::options::{Operation, StoredAs, ValidateOptions};
use crate::apiserver::slices::Together;
use crate::apiserver::status::Status;
use crate::apiserver::stored;
use crate::apiserver::varies;
use crate::cel_lints::lint::Lints;
use crate::manifest::clusters::foreign_files;
use crate::manifest::findings::{PluginUse, claims_only, nothing_checked, other_group, place};
use crate::manifest::{Input, Item, Passage, What};
use crate::validation::pod_claims;
use crate::validation::references::{Located, NamedObject, References};
use claimkit_model::error::Error;
use claimkit_model::finding::{
    Code, EntryPart, Finding, Findings, Origin, Severity, Step, TextField, path,
};
use claimkit_model::message::{Words, message};
use claimkit_model::object::decode::Via;
use claimkit_model::schema::core::POD_CLAIMS_FLAT_SINCE;
use claimkit_model::schema::{Api, Gates, Release, Scope};
use claimkit_model::text::{File, Source, SourceText, Span};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The server's answers to the objects of a text.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report<'t> {
    /// The text, which turns byte offsets into lines.
    pub source: Source<'t>,
    /// The text of the stored objects, for the findings about it.
    pub stored: Option<Source<'t>>,
    /// All findings in the order of the text; those about the text itself come first.
    pub findings: Vec<Finding>,
    pub objects: Vec<Judged>,
    /// Set if nothing was judged: the error about a feature gate that the release does not know or has locked.
    pub unusable: Option<Error>,
    /// True if at least one object was checked, no object is refused and no finding is an error.
    pub ok: bool,
}

impl<'t> Report<'t> {
    fn unusable(source: Source<'t>, error: Error) -> Self {
        Report {
            source,
            stored: None,
            findings: Vec::new(),
            objects: Vec::new(),
            unusable: Some(error),
            ok: false,
        }
    }
}

/// The server's answer to one object.
#[derive(Debug)]
#[non_exhaustive]
pub struct Judged {
    /// `apiVersion` as the server reads it.
    pub api_version: Cow<'static, str>,
    /// `kind` as the server reads it.
    pub kind: Cow<'static, str>,
    /// `metadata.name` as it is written.
    pub name: String,
    /// `metadata.namespace` as it is written.
    pub namespace: String,
    /// The release whose rules judged it.
    pub release: Release,
    /// Its span in the text.
    pub span: Span,
    /// Whether the server accepts it; `None` for an object of another group.
    pub valid: Option<bool>,
    /// The server's `Status`; `None` if it accepts the object or does not receive it.
    pub status: Option<Box<Status>>,
    /// The stored object as JSON, if the options ask for it and the server accepts the object. It lacks the fields that the
    /// server sets anew for each request.
    pub stored: Option<serde_json::Value>,
}

impl Judged {
    fn nameless(item: &Item) -> Self {
        Judged {
            api_version: Cow::Borrowed(""),
            kind: Cow::Borrowed(""),
            name: String::new(),
            namespace: String::new(),
            release: item.release,
            span: item.span,
            valid: None,
            status: None,
            stored: None,
        }
    }

    /// Makes an object before it is judged.
    pub(crate) fn of(item: &Item) -> Self {
        Judged {
            api_version: item.api_version.clone().into(),
            kind: item.kind.clone().into(),
            name: item.name.clone(),
            namespace: item.namespace.clone(),
            ..Judged::nameless(item)
        }
    }

    /// Takes the names from an item that no longer needs them.
    fn take_names(&mut self, item: &mut Item) {
        (self.api_version, self.kind) = match &item.what {
            // All objects of a kind share one string.
            What::Ours(api) => (api.version.api_version.into(), api.kind.kind.into()),
            _ => (
                std::mem::take(&mut item.api_version).into(),
                std::mem::take(&mut item.kind).into(),
            ),
        };
        self.name = std::mem::take(&mut item.name);
        self.namespace = std::mem::take(&mut item.namespace);
    }

    fn names(&self) -> NamedObject<'_> {
        let Judged {
            api_version,
            kind,
            name,
            namespace,
            ..
        } = self;
        NamedObject {
            api_version,
            kind,
            name,
            namespace,
        }
    }
}

/// A text of which no object can be judged.
struct UnreadText<'t> {
    source: Source<'t>,
    error: Error,
}

/// Judges every object of a text, or of several with names, as the server judges its create, update or status update.
///
/// ```
/// let text = "
/// apiVersion: resource.k8s.io/v1alpha2
/// kind: ResourceClaim
/// metadata:
///   name: gpu
/// spec:
///   resourceClassName: gpu.example.com
///   allocationMode: Later
/// ";
/// let report = claimkit::validate(text, &claimkit::ValidateOptions::default());
/// assert!(!report.ok);
/// assert_eq!(
///     report.findings[0].message,
///     r#"spec.allocationMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer""#
/// );
/// let place = report.source.position(report.findings[0].span.unwrap().from());
/// assert_eq!((place.line, place.character), (7, 18));
/// assert_eq!(report.objects[0].status.as_ref().unwrap().code, 422);
/// ```
pub fn validate<'t>(text: impl Into<SourceText<'t>>, options: &ValidateOptions<'t>) -> Report<'t> {
    let text = text.into();
    let stored = options
        .stored()
        .map(|stored| Input::read_via(stored, options.via, options.release, &options.limits));
    let partners = object::partners(options, stored.as_ref());
    let mut session = Session::new(options, stored.as_ref(), &partners);
    let beside = options.beside.iter().map(SourceText::from);
    session.namespaces = labels_in_texts(std::iter::once(text).chain(beside), &options.limits);
    let mut file = match session.take(text, options.beside.len().saturating_add(1)) {
        Ok(file) => file,
        Err(unread) => return Report::unusable(unread.source, unread.error),
    };
    if let Err(error) = session.look_beside(options.beside) {
        return Report::unusable(file.source, error);
    }
    // Findings about the text come first, then findings about the stored objects' text.
    let mut of_texts = std::mem::take(&mut file.findings);
    of_texts.extend(
        stored
            .iter()
            .flat_map(|stored| &stored.file.findings)
            .map(|finding| match finding.severity {
                Severity::Error => stored::unreadable(finding),
                _ => Finding {
                    fixes: Vec::new(),
                    ..finding.clone()
                }
                .about(TextField::Old),
            }),
    );
    let (findings, objects, ok) = session.finish(of_texts);
    Report {
        source: file.source,
        stored: stored.map(|stored| stored.file.source),
        findings,
        objects,
        unusable: None,
        ok,
    }
}

/// Judges the texts of several files as one cluster: each object as [`validate`] does, and references, expressions and slices over
/// all files. Returns a report for each text, in order. The options are about new objects. Files whose Namespaces are of several
/// clusters are judged with the files of their own cluster only, and the first file of each other cluster says so.
pub fn validate_files<'t>(texts: &[&'t str], options: &ValidateOptions<'t>) -> Vec<Report<'t>> {
    let foreign = foreign_files(texts, &options.limits);
    let mut clusters: Vec<ClusterFiles<'_>> = Vec::new();
    for (index, reason) in foreign.iter().enumerate() {
        let uid = reason.as_ref().map(|reason| reason.uid.as_str());
        match clusters.iter_mut().find(|cluster| cluster.uid == uid) {
            Some(cluster) => cluster.indexes.push(index),
            None => clusters.push(ClusterFiles {
                uid,
                indexes: vec![index],
            }),
        }
    }
    let mut by_index = BTreeMap::new();
    for cluster in clusters {
        let indexes = cluster.indexes.iter();
        let own: Vec<&'t str> = indexes
            .filter_map(|index| texts.get(*index).copied())
            .collect();
        let mut reports = validate_cluster(&own, options);
        let first = cluster
            .indexes
            .first()
            .and_then(|index| foreign.get(*index));
        if let (Some(Some(reason)), Some(report)) = (first, reports.first_mut()) {
            report.findings.insert(0, reason.finding());
        }
        by_index.extend(cluster.indexes.into_iter().zip(reports));
    }
    by_index.into_values().collect()
}

/// The files of one cluster among those of several.
struct ClusterFiles<'f> {
    /// The UID of a Namespace in them; `None`: the first cluster.
    uid: Option<&'f str>,
    /// Their indexes among all files.
    indexes: Vec<usize>,
}

/// Judges the texts of several files as one cluster.
fn validate_cluster<'t>(texts: &[&'t str], options: &ValidateOptions<'t>) -> Vec<Report<'t>> {
    let partners = object::partners(options, None);
    let mut session = Session::new(options, None, &partners);
    session.namespaces = labels_in_texts(
        texts.iter().map(|text| SourceText::from(*text)),
        &options.limits,
    );
    session.findings = Findings::new(options.limits.findings.saturating_mul(texts.len()));
    let mut files = Vec::with_capacity(texts.len());
    for text in texts {
        // A name may occur in several files: they may be variants of one object.
        (session.checked, session.created) = (false, Created::default());
        let first = session.objects.len();
        match session.take((*text).into(), texts.len()) {
            Ok(file) => files.push(TakenFile {
                file,
                first,
                checked: session.checked,
                plugins: std::mem::take(&mut session.plugins),
            }),
            Err(unread) => {
                return texts
                    .iter()
                    .map(|text| Report::unusable(Source::new(*text), unread.error.clone()))
                    .collect();
            }
        }
    }
    // Each file says for itself whether anything was checked in it.
    session.checked = true;
    let (mut findings, mut objects, _) = session.finish(Vec::new());
    let mut reports = Vec::with_capacity(files.len());
    for taken in files.into_iter().rev() {
        let first = taken.first;
        let own = objects.split_off(first.min(objects.len()));
        let (mine, rest): (Vec<Finding>, Vec<Finding>) = findings
            .into_iter()
            .partition(|finding| finding.object.map_or(first == 0, |object| object >= first));
        findings = rest;
        reports.push(of_file(taken, own, mine, options));
    }
    reports.reverse();
    reports
}

/// One of several files whose objects were judged.
struct TakenFile<'t> {
    file: File<'t>,
    /// The index of its first object among those of all files.
    first: usize,
    checked: bool,
    plugins: Vec<PluginUse>,
}

/// Makes the report of one of several files.
fn of_file<'t>(
    taken: TakenFile<'t>,
    objects: Vec<Judged>,
    mut findings: Vec<Finding>,
    options: &ValidateOptions<'_>,
) -> Report<'t> {
    let TakenFile {
        mut file,
        first,
        checked,
        plugins,
    } = taken;
    let mut kept = Findings::new(options.limits.findings);
    let of_text = std::mem::take(&mut file.findings);
    let refused = findings
        .iter()
        .chain(&of_text)
        .any(|finding| finding.severity == Severity::Error);
    let idle = !checked && !refused;
    let is_explained = !plugins.is_empty();
    findings.extend(PluginUse::findings(plugins, idle));
    for mut finding in findings {
        finding.object = finding.object.map(|object| object.saturating_sub(first));
        kept.push(finding);
    }
    if idle && !is_explained {
        kept.push(nothing_checked(objects.is_empty()));
    }
    let ok = checked && !refused && objects.iter().all(|object| object.valid != Some(false));
    Report {
        source: file.source,
        stored: None,
        findings: kept.behind(of_text),
        objects,
        unusable: None,
        ok,
    }
}

/// The state while the objects of a text are judged, one after the other.
struct Session<'a, 't> {
    options: &'a ValidateOptions<'a>,
    stored: Option<&'a Input<'t>>,
    partners: &'a Partners<'a>,
    /// The labels of the namespaces that are among the objects.
    namespaces: NamespaceLabels,
    findings: Findings,
    objects: Vec<Judged>,
    /// True after the first object that the server would judge.
    checked: bool,
    references: References,
    created: Created,
    lints: Lints,
    together: Together<'a, 't>,
    pods: Vec<JudgedPod>,
    /// Objects of other groups that use device plugins: what is said of them depends on what else was checked.
    plugins: Vec<PluginUse>,
    /// The latest release that an object of ours is judged by.
    latest: Option<Release>,
    /// The number of objects that are judged; those after them are beside the text.
    own: usize,
}

/// The answers of releases about the claims of a pod.
struct JudgedPod {
    index: usize,
    /// Says that the last release with pods of this form is assumed, if that is the form of the pod.
    old_form: Option<Finding>,
    by_release: Vec<(Release, Vec<Finding>)>,
}

impl<'a, 't> Session<'a, 't> {
    fn new(
        options: &'a ValidateOptions<'a>,
        stored: Option<&'a Input<'t>>,
        partners: &'a Partners<'a>,
    ) -> Self {
        Session {
            options,
            stored,
            partners,
            namespaces: NamespaceLabels::new(),
            findings: Findings::new(options.limits.findings),
            objects: Vec::new(),
            checked: false,
            references: References::default(),
            created: Created::default(),
            lints: Lints::default(),
            together: Together::new(options),
            pods: Vec::new(),
            plugins: Vec::new(),
            latest: None,
            own: usize::MAX,
        }
    }

    /// Judges the objects of a text and returns the text with its own findings. `texts`: how many texts there are. An error means that
    /// no object can be judged.
    fn take(
        &mut self,
        text: SourceText<'t>,
        texts: usize,
    ) -> Result<File<'t>, Box<UnreadText<'t>>> {
        let options = self.options;
        let mut passage = Passage::open(text, options.via, options.release, &options.limits);
        // If the text has exactly one object, it is compared with the single stored object, whatever its name. This is known only at
        // the end of the text.
        while passage.advance(self.stored.is_some()) {
            self.references.idle = texts == 1
                && self.objects.is_empty()
                && passage.input.items.len() < 2
                && passage.is_spent();
            let first = self.objects.len();
            for item in &passage.input.items {
                match self.judge(&passage.input, item) {
                    Ok(judged) => self.objects.push(judged),
                    Err(error) => {
                        let source = passage.input.file.source;
                        return Err(Box::new(UnreadText { source, error }));
                    }
                }
            }
            self.together.keep(&mut passage.input, first);
            for (judged, item) in self
                .objects
                .iter_mut()
                .skip(first)
                .zip(&mut passage.input.items)
            {
                judged.take_names(item);
            }
        }
        Ok(passage.input.file)
    }

    /// Judges the next object. An error means that no object can be judged: a feature gate is unknown or locked.
    fn judge(&mut self, input: &Input<'_>, item: &Item) -> Result<Judged, Error> {
        let index = self.objects.len();
        let mut judged = Judged::nameless(item);
        match &item.what {
            What::Other => {
                if let Some(tree) = input.tree(item) {
                    let namespace = self.options.namespace_of(&item.namespace);
                    self.references.other(Located {
                        index,
                        item,
                        tree,
                        namespace,
                    });
                }
                let pod = self.pod_of(input, item, index);
                self.checked |= pod;
                let (valid, finding) = other(input, item, index, pod);
                self.checked |= valid.is_some();
                judged.valid = valid;
                let plugin = (!pod && valid.is_none()).then(|| PluginUse::find(input, item, index));
                match plugin.flatten() {
                    Some(plugin) => self.plugins.push(plugin),
                    None => self.findings.push(finding),
                }
            }
            What::Refused(finding) => {
                self.checked = true;
                judged.valid = Some(false);
                let (status, finding) = refused(input, item, index, finding, self.options.via);
                judged.status = status;
                self.findings.push(finding);
            }
            What::Ours(api) => {
                self.checked = true;
                self.latest = self.latest.max(Some(item.release));
                let gates = self.options.gates_in(item.release)?;
                if let Some(tree) = input.tree(item) {
                    self.lints.take(tree, item, index, *api, gates);
                }
                self.ours(input, item, *api, gates, &mut judged);
            }
        }
        Ok(judged)
    }

    /// Judges the claims of a pod or pod template that is to be created; false if the object has none.
    fn pod_of(&mut self, input: &Input<'_>, item: &Item, index: usize) -> bool {
        if !matches!(self.options.operation, Operation::Create) {
            return false;
        }
        let Some(pod) = input
            .tree(item)
            .and_then(|tree| pod_claims::read(tree, item))
        else {
            return false;
        };
        let unknown = match self.options.field_validation {
            FieldValidation::Strict => Some(Severity::Error),
            FieldValidation::Warn => Some(Severity::Warning),
            FieldValidation::Ignore => None,
        };
        let findings = |release: Release| {
            let found = pod.findings(release, unknown).into_iter();
            (
                release,
                found
                    .map(|finding| place(input, item, index, finding))
                    .collect(),
            )
        };
        // The release that judges pods is known at the end of the text.
        let by_release = match self.options.release {
            Some(release) => vec![findings(release)],
            None => Release::finals().map(findings).collect(),
        };
        let old_form = pod
            .old_form()
            .map(|steps| place(input, item, index, old_form_assumed(steps)));
        self.pods.push(JudgedPod {
            index,
            old_form,
            by_release,
        });
        true
    }

    /// Adds the findings about pods, in the answer of the release that judges them: the latest one of the other objects. Without
    /// any, the last one whose pods have the form of these.
    fn judge_pods(&mut self) {
        let known = self.options.release.or(self.latest);
        let own = self.own;
        for JudgedPod {
            index,
            old_form,
            by_release,
        } in std::mem::take(&mut self.pods)
            .into_iter()
            .filter(|pod| pod.index < own)
        {
            let assumed = old_form.filter(|_| known.is_none());
            let alone = match assumed {
                Some(_) => last_with_old_form(),
                None => Release::latest(),
            };
            let release = known.unwrap_or(alone);
            let found = by_release
                .into_iter()
                .find(|(of, _)| of.minor == release.minor)
                .map(|(_, found)| found);
            let findings: Vec<Finding> = assumed
                .into_iter()
                .chain(found.unwrap_or_default())
                .collect();
            if let Some(object) = self.objects.get_mut(index) {
                object.release = release;
                if findings
                    .iter()
                    .any(|finding| finding.severity == Severity::Error)
                {
                    object.valid = Some(false);
                }
            }
            for finding in findings {
                self.findings.push(finding);
            }
        }
    }

    /// Takes in the objects beside the text. Their own findings are dropped.
    fn look_beside(&mut self, texts: &'t [String]) -> Result<(), Error> {
        self.own = self.objects.len();
        let findings = std::mem::replace(&mut self.findings, Findings::new(0));
        let plugins = std::mem::take(&mut self.plugins);
        let checked = self.checked;
        for text in texts {
            self.take(text.into(), texts.len().saturating_add(1))
                .map_err(|unread| unread.error)?;
        }
        (self.findings, self.checked) = (findings, checked);
        self.plugins = plugins;
        Ok(())
    }

    /// Fills in the server's answer to an object of one of our kinds.
    fn ours(
        &mut self,
        input: &Input<'_>,
        item: &Item,
        api: Api,
        gates: Option<Gates>,
        judged: &mut Judged,
    ) {
        let (options, index) = (self.options, self.objects.len());
        let (old, partners) = (self.stored, self.partners);
        let object = ObjectRequest {
            options,
            input,
            item,
            index,
            api,
            release: item.release,
            gates,
            old,
            partners,
            namespaces: &self.namespaces,
        };
        let verdict = object.judge(&mut self.references, &mut self.together);
        let refused = verdict.status.is_some()
            || verdict
                .findings
                .iter()
                .any(|f| f.severity == Severity::Error);
        judged.valid = Some(!refused);
        judged.status = verdict.status.map(Box::new);
        if !refused && !self.created.insert(options, api, item) {
            let (status, finding) = already_exists(api, item);
            self.findings.push(place(input, item, index, finding));
            (judged.valid, judged.status) = (Some(false), Some(Box::new(status)));
        }
        let wanted = options.stored_as.map(|stored| match stored {
            StoredAs::Written => api.version.name,
            StoredAs::Version(name) => name,
        });
        let found = verdict
            .stored
            .iter()
            .find(|(version, _)| Some(*version) == wanted);
        judged.stored = found.and_then(|(_, text)| stored_object(text, options.patched));
        let standing = Standing::of(refused, &verdict.findings);
        let alike = standing == Standing::Refused
            && varies::refused_by_all(api, verdict.accepted_alike, &verdict.findings);
        for finding in verdict.findings {
            self.findings.push(place(input, item, index, finding));
        }
        if options.release.is_none()
            && (!verdict.accepted_alike || standing != Standing::Accepted)
            && !verdict.none_decodes
            && !alike
            && let Some(finding) = elsewhere::remark(&object, standing)
        {
            self.findings.push(place(input, item, index, finding));
        }
        if options.via != Via::Validator
            && !options.patched
            && let Some(finding) = elsewhere::ending(api, item.release)
        {
            self.findings.push(place(input, item, index, finding));
        }
    }

    /// Returns all findings, behind those about the texts; the objects; and whether all is in order.
    fn finish(mut self, of_texts: Vec<Finding>) -> (Vec<Finding>, Vec<Judged>, bool) {
        self.judge_pods();
        let (options, objects, own) = (self.options, &self.objects, self.own);
        let findings = &mut self.findings;
        let mut tell = |finding: Finding| {
            if finding.object.is_none_or(|object| object < own) {
                findings.push(finding);
            }
        };
        let names = &|index| objects.get(index).map(Judged::names);
        let judges_pods = matches!(options.operation, Operation::Create);
        if judges_pods && options.field_validation != FieldValidation::Ignore {
            self.references.drop_forms();
        }
        self.references
            .missing(names, options.namespace_of(""), options.release, &mut tell);
        if !self.lints.is_empty() {
            self.lints.findings(&self.together.published(), &mut tell);
        }
        let is_refused = |index: usize| {
            objects
                .get(index)
                .is_some_and(|object| object.valid == Some(false))
        };
        self.together
            .findings(&is_refused)
            .into_iter()
            .for_each(tell);
        self.objects.truncate(own);
        let objects = &self.objects;
        let refused = findings.refused
            || of_texts
                .iter()
                .any(|finding| finding.severity == Severity::Error);
        let idle = !self.checked && !refused;
        let is_explained = !self.plugins.is_empty();
        PluginUse::findings(self.plugins, idle).for_each(|finding| findings.push(finding));
        if idle && !is_explained {
            findings.push(nothing_checked(objects.is_empty()));
        }
        let ok =
            self.checked && !refused && objects.iter().all(|object| object.valid != Some(false));
        (self.findings.behind(of_texts), self.objects, ok)
    }
}

/// Returns the last release whose pods have the names of their claims under `source`.
fn last_with_old_form() -> Release {
    Release::last_of(POD_CLAIMS_FLAT_SINCE.saturating_sub(1))
}

/// Says that a pod without other objects is judged by the last release that has its form. `steps`: the way to its `source`.
fn old_form_assumed(steps: Vec<Step>) -> Finding {
    let message = message!(
        "server.pod-form-decides",
        "Kubernetes {release} is assumed here: it is the last one whose pods have `source`",
        release = last_with_old_form()
    );
    let finding = Finding::new(Code::ReleaseDecides, message)
        .with_help(Code::ReleaseDecides.spoken_help().unwrap_or_default());
    Finding {
        path: Some(path::render(&steps)),
        steps,
        part: EntryPart::Key,
        ..finding
    }
}

/// Returns the server's answer to creating an object whose name is taken, and the finding about it.
fn already_exists(api: Api, item: &Item) -> (Status, Finding) {
    let status = Status::already_exists(api.kind.plural, &item.name, item.release.rules().unicode);
    let mut finding = Finding::upstream(
        Code::AlreadyExists,
        Origin::ApiServer,
        status.message.clone(),
    )
    .with_help(message!(
        "server.already-exists",
        "give one of the two another name, or take it out"
    ));
    finding.path = Some("metadata.name".to_owned());
    finding.steps = ["metadata", "name"]
        .map(|key| Step::Key(key.to_owned()))
        .into();
    (status, finding)
}

/// The objects that a text has created so far, by resource, namespace and name.
#[derive(Default)]
struct Created(BTreeSet<(&'static str, String, String)>);

impl Created {
    /// Records an object; false if an object of its name already exists, which the server refuses (kube-apiserver,
    /// pkg/registry/generic/registry/store.go, `Store.create`). The validation functions alone do not see other objects.
    fn insert(&mut self, options: &ValidateOptions<'_>, api: Api, item: &Item) -> bool {
        if !matches!(options.operation, Operation::Create)
            || options.via == Via::Validator
            || item.name.is_empty()
        {
            return true;
        }
        let namespace = match api.kind.scope {
            Scope::Namespaced => options.namespace_of(&item.namespace),
            Scope::Cluster => "",
        };
        self.0
            .insert((api.kind.plural, namespace.to_owned(), item.name.clone()))
    }
}

/// Reads the stored object without the fields that the server sets anew for each request. After a patch only times from the
/// server's clock are removed.
fn stored_object(text: &str, patched: bool) -> Option<serde_json::Value> {
    let mut object: serde_json::Value = serde_json::from_str(text).ok()?;
    if let Some(metadata) = object
        .get_mut("metadata")
        .and_then(serde_json::Value::as_object_mut)
        .filter(|_| !patched)
    {
        for name in ["creationTimestamp", "uid", "managedFields"] {
            metadata.shift_remove(name);
        }
    }
    without_clock(&mut object);
    Some(object)
}

/// Removes times that come from the server's clock. Recursion is bounded by the depth of the tables.
pub(crate) fn without_clock(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.retain(|key, value| key != "timeAdded" || value.as_str() != Some(CLOCK));
            map.values_mut().for_each(without_clock);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(without_clock),
        _ => {}
    }
}

/// Returns the finding about an object of another group, and whether the object is valid, if known.
///
/// `pod`: the claims of its pod are judged.
fn other(input: &Input<'_>, item: &Item, index: usize, pod: bool) -> (Option<bool>, Finding) {
    match misspelled(input, item) {
        Some(finding) => (Some(false), place(input, item, index, finding)),
        None if pod => (None, claims_only(item, index)),
        None => (None, other_group(item, index)),
    }
}

/// Returns the server's answer to an object of an unknown kind, and the finding about it. The answer is `None` if the server does
/// not receive the object or the object has no kind.
fn refused(
    input: &Input<'_>,
    item: &Item,
    index: usize,
    finding: &Finding,
    via: Via,
) -> (Option<Box<Status>>, Finding) {
    let version = item.api_version.rsplit('/').next().unwrap_or_default();
    let unicode = item.release.rules().unicode;
    let mut finding = finding.clone();
    let unknown =
        (via == Via::Kubectl && finding.code == Code::UnknownKind).then(|| client::unknown(item));
    let status = match unknown {
        Some(UnknownObject::Unmapped(message)) => {
            finding = Finding {
                message: Words::upstream(message),
                origin: Origin::Kubectl,
                ..finding
            };
            None
        }
        Some(UnknownObject::SmallLetters(kind)) => Some(Status::unhandled(
            &item.kind,
            version,
            kind,
            &finding.message,
            unicode,
        )),
        None => (!item.kind.is_empty())
            .then(|| Status::undecodable(&item.kind, version, &finding.message, unicode)),
    };
    if let Some(tree) = input
        .tree(item)
        .filter(|_| finding.code == Code::UnknownKind)
    {
        hints::kind(
            &mut finding,
            &item.api_version,
            &item.kind,
            item.release,
            tree,
            item.node,
        );
    }
    (status.map(Box::new), place(input, item, index, finding))
}

/// Reports an error if the group looks like a misspelling of `resource.k8s.io`, or if a kind that only that has is written without it.
pub(crate) fn misspelled(input: &Input<'_>, item: &Item) -> Option<Finding> {
    let right = suggest::group(&item.api_version)
        .or_else(|| suggest::right_group(&item.api_version, &item.kind))?;
    let mut finding = Finding::new(
        Code::GroupMisspelled,
        message!(
            "server.group-misspelled",
            "`{written}` is not the API group of Dynamic Resource Allocation: write `{right}`",
            written = item.api_version,
            right,
        ),
    );
    finding.steps = vec![Step::Key("apiVersion".to_owned())];
    let tree = input.tree(item)?;
    hints::scalar(
        &mut finding,
        tree,
        tree.get(item.node, "apiVersion"),
        &right,
    );
    Some(finding)
}
