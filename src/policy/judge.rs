//! The verdict about one AdmissionRequest: the API server's own rules, then the policy's.

use crate::api::{Api, GROUP, workload};
use crate::finding::{Code, Finding, Origin, Severity, TextField};
use crate::manifest::{self, Item, What};
use crate::policy::cluster::{self, Cluster};
use crate::policy::refusals::{Part, Subject};
use crate::policy::request::{AdmissionRequest, Operation};
use crate::policy::settings::{Labels, Namespace, PodRule, Settings};
use crate::policy::{lookups, mutation, pods, restrictions};
use crate::record::decode::{How, Via};
use crate::record::go_syntax::ADDRESS;
use crate::record::{Record, Value};
use crate::rules::FieldError;
use crate::rules::immutable::{self, Difference};
use crate::server::{self, Body, FieldValidation, Outcome, Reach};
use crate::text::tree::{NodeId, Tree};
use crate::text::{Document, Mode};
use std::collections::BTreeMap;

/// Whether the host lets a policy change objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// It does: a fallback class replaces a class that is not allowed.
    Possible,
    /// It does not: a class that is not allowed is refused even if there is a fallback.
    Impossible,
}

/// What is answered.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// `uid` of the request.
    pub uid: String,
    /// Everything found: errors refuse, warnings do not.
    pub findings: Vec<Finding>,
    /// The new text of the whole object, if the policy changes it.
    pub mutated: Option<String>,
    /// The classes the object asked for, with commas between; empty if it names none.
    pub class: String,
}

impl Verdict {
    /// A request that cannot be judged.
    pub fn unreadable(uid: &str, problem: impl Into<String>) -> Self {
        let finding = Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem);
        Verdict { uid: uid.to_owned(), findings: vec![finding], ..Verdict::default() }
    }

    /// Settings that are not valid: the policy refuses every request.
    pub fn unusable(uid: &str, errors: &[String]) -> Self {
        let finding = |error: &String| {
            let message = format!("the settings of the policy are not valid: {error}");
            Finding::error(Code::PolicySettings, Origin::Claimkit, message).about(TextField::Settings)
        };
        Verdict { uid: uid.to_owned(), findings: errors.iter().map(finding).collect(), ..Verdict::default() }
    }

    /// No finding refuses.
    pub fn accepted(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// The host of a request.
#[derive(Clone, Copy)]
pub struct Host<'h> {
    /// Whether it lets a policy change objects.
    pub mutation: Mutation,
    /// The cluster, if the host can be asked for it.
    pub cluster: Option<&'h dyn Cluster>,
    /// The labels of the request's namespace, where the host knows them.
    pub labels: Option<&'h BTreeMap<String, String>>,
}

/// Why settings cannot be used by a host that cannot be asked for the cluster. `labels`: it knows those of the namespace.
///
/// # Errors
/// They ask for it.
pub fn without_cluster(settings: &Settings, labels: bool) -> Result<(), Vec<String>> {
    match settings.asks_cluster().filter(|asked| !labels || *asked != "labels") {
        None => Ok(()),
        Some(setting) => {
            let problem = "this host cannot be asked for what the cluster holds; Kubewarden's mode `kubewarden-wapc` can";
            Err(vec![format!("{setting}: {problem}")])
        }
    }
}

/// Judges the request at a node of a JSON document.
pub fn judge(document: &Document<'_>, request: Option<NodeId>, settings: &Settings, host: Host<'_>) -> Verdict {
    let request = match AdmissionRequest::read(&document.tree, request) {
        Ok(request) => request,
        Err(problem) => return Verdict::unreadable("", problem),
    };
    if host.cluster.is_none()
        && let Err(errors) = without_cluster(settings, host.labels.is_some())
    {
        return Verdict::unusable(request.uid(), &errors);
    }
    let mut verdict = Verdict { uid: request.uid().to_owned(), ..Verdict::default() };
    if request.operation == Operation::Other || !matches!(request.sub_resource(), "" | "status") || request.is_exempt(settings) {
        return verdict;
    }
    let Some(object) = request.object() else {
        if request.group().is_none_or(|group| group == GROUP) {
            verdict.findings.push(missing_object());
        }
        return verdict;
    };
    let item = manifest::object(document, object, settings.release);
    let labels = host.labels.map(|labels| labels.clone().into_iter().collect());
    let mut case = Case { document, request, settings, host, item, labels, labels_unknown: false };
    verdict.findings.extend(case.look_up_labels());
    match &case.item.what {
        What::Other => case.workload(&mut verdict),
        What::Refused(finding) => case.refused(finding, &mut verdict),
        What::Ours(api) if api.kind.items.is_some() => {}
        What::Ours(api) => case.ours(*api, &mut verdict),
    }
    soften(settings, &mut verdict);
    verdict
}

/// Turns refusals into warnings for settings whose mode is `warn`. An unreadable request cannot be judged, so it stays an error.
fn soften(settings: &Settings, verdict: &mut Verdict) {
    for finding in verdict.findings.iter_mut().filter(|finding| !is_unreadable(finding.code)) {
        if settings.warns(restrictions::setting_of(finding)) {
            finding.severity = finding.severity.max(Severity::Warning);
        }
    }
}

/// The request or the object could not be read.
fn is_unreadable(code: Code) -> bool {
    matches!(code, Code::AdmissionRequest | Code::NoKind | Code::TypeMismatch)
}

struct Case<'a, 's> {
    document: &'a Document<'s>,
    request: AdmissionRequest<'a, 's>,
    settings: &'a Settings,
    host: Host<'a>,
    item: Item,
    /// The labels of the namespace, if the settings need them and the cluster has answered.
    labels: Option<Labels>,
    /// The settings need the labels, and the cluster has not answered.
    labels_unknown: bool,
}

impl<'a> Case<'a, '_> {
    fn tree(&self) -> &'a Tree<'_> {
        &self.document.tree
    }

    /// Not an object, or an unknown kind or version: only the version can be judged.
    fn refused(&self, finding: &Finding, verdict: &mut Verdict) {
        let other_group = self.request.group().is_some_and(|group| group != crate::api::GROUP);
        let version = self.item.api_version.split_once('/').map(|(_, version)| version);
        match finding.code {
            Code::NoKind if other_group => {}
            Code::UnknownKind if self.settings.release.is_none() => {
                let version = version.unwrap_or_default();
                let errors = restrictions::version_violations(self.settings, version, self.item.release);
                verdict.findings.extend(errors.iter().map(|error| self.policy(error)));
            }
            _ => verdict.findings.push(finding.clone()),
        }
    }

    /// Queries the labels of the namespace if the settings need them for this object. Returns findings if they are unknown.
    fn look_up_labels(&mut self) -> Vec<Finding> {
        let judged = match &self.item.what {
            What::Ours(api) => api.kind.object.is_claim() || api.kind.object.is_template(),
            What::Other => workload::path_to_spec(&self.item.api_version, &self.item.kind).is_some(),
            What::Refused(_) => false,
        };
        let namespace = self.namespace_name();
        let Some(cluster) = self.host.cluster.filter(|_| judged && !namespace.is_empty() && self.settings.asks_for_labels())
        else {
            return Vec::new();
        };
        match cluster::labels(cluster, namespace) {
            Ok(labels) => {
                self.labels = Some(labels);
                Vec::new()
            }
            Err(problem) => {
                self.labels_unknown = true;
                let errors = lookups::no_labels(&problem, self.item.release);
                errors.iter().map(|error| self.policy(error)).collect()
            }
        }
    }

    /// The namespace of the request, or the object's where the request names none.
    fn namespace_name(&self) -> &str {
        let own = self.item.namespace.as_str();
        if self.request.namespace().is_empty() { own } else { self.request.namespace() }
    }

    fn namespace(&self) -> Namespace<'_> {
        let known = (!self.labels_unknown).then(|| self.labels.as_deref().unwrap_or_default());
        Namespace { name: self.namespace_name(), labels: known }
    }

    /// An object of another group: the claims of its pods are judged.
    fn workload(&self, verdict: &mut Verdict) {
        let settings = self.settings;
        let classes = [&settings.device_classes, &settings.resource_classes];
        let nothing = settings.pods == PodRule::default() && classes.into_iter().all(|rule| *rule == Default::default());
        if nothing || self.request.sub_resource() != "" {
            return;
        }
        let Some(fields) = workload::path_to_spec(&self.item.api_version, &self.item.kind) else { return };
        let place = pods::Destination { release: self.item.release, namespace: self.namespace(), cluster: self.host.cluster };
        let violations = |object| pods::violations(settings, self.tree(), object, fields, place);
        let mut before = Vec::new();
        if self.request.operation == Operation::Update {
            let Some(old) = self.request.old_object() else {
                verdict.findings.push(missing_old_object());
                return;
            };
            let tree = self.tree();
            let going = tree.get(old, "metadata").and_then(|metadata| tree.get(metadata, "deletionTimestamp"));
            if going.is_some_and(|time| tree.str(time).is_some()) {
                return;
            }
            before = violations(old);
        }
        self.held_to_changes(&violations(self.item.node), &before, verdict);
    }

    /// What the stored object already does wrong is a warning, as often as it does it.
    fn held_to_changes(&self, errors: &[FieldError], before: &[FieldError], verdict: &mut Verdict) {
        let mut left: BTreeMap<String, usize> = BTreeMap::new();
        for error in before {
            let times = left.entry(anywhere(error)).or_default();
            *times = times.saturating_add(1);
        }
        for error in errors {
            let mut finding = self.policy(error);
            if let Some(times) = left.get_mut(&anywhere(error)).filter(|times| **times > 0) {
                *times = times.saturating_sub(1);
                finding.severity = Severity::Warning;
            }
            verdict.findings.push(finding);
        }
    }

    /// A reason of the policy's own, with the message of its setting.
    fn policy(&self, error: &FieldError) -> Finding {
        let mut finding = error.finding();
        finding.origin = Origin::Claimkit;
        let rule = self.settings.rule(restrictions::setting_of(&finding));
        if let Some(message) = rule.and_then(|rule| rule.message.as_deref()) {
            finding.message = format!("{}; {message}", finding.message);
        }
        finding
    }

    fn ours(&self, api: Api, verdict: &mut Verdict) {
        let status = self.request.sub_resource() == "status";
        if status && (!api.kind.status_in(self.item.release) || self.request.operation == Operation::Create) {
            return;
        }
        let stored = (self.request.operation == Operation::Update).then(|| self.stored(api));
        // Only the stored object is evidence: a client can write `deletionTimestamp` into a new one.
        if let Some(Ok(stored)) = &stored
            && is_going_away(stored.record())
        {
            return;
        }
        let body = self.read(&self.item, api);
        verdict.findings.extend(self.decoding(&body));
        if body.mismatch().is_some() {
            return;
        }
        verdict.class = lookups::classes(api, body.record()).join(",");
        match stored {
            Some(Ok(old)) => self.update(body, old, status, verdict),
            Some(Err(problem)) => verdict.findings.push(Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem)),
            None => self.create(body, verdict),
        }
    }

    fn read(&self, item: &Item, api: Api) -> Body<'a> {
        Body::read(&self.document.tree, item.node, api, How::reaching(Mode::Json, Via::Validator, self.item.release))
    }

    /// Wrong types are always refused, because the object cannot be judged. Unknown fields are refused unless validation is off.
    fn decoding(&self, body: &Body<'_>) -> Vec<Finding> {
        let mut findings = body.findings(FieldValidation::Strict);
        if self.settings.validation_off {
            findings.retain(|finding| finding.code == Code::TypeMismatch);
        }
        for finding in &mut findings {
            // Positions in the host's request are meaningless in the user's text.
            finding.span = None;
            finding.fixes.clear();
        }
        findings
    }

    fn stored(&self, api: Api) -> Result<Body<'a>, String> {
        let Some(old) = self.request.old_object() else {
            return Err(missing_old_object().message);
        };
        let item = manifest::object(self.document, old, self.settings.release);
        match &item.what {
            What::Ours(old) if old.kind.kind == api.kind.kind && old.version.name == api.version.name => {}
            _ => {
                return Err(format!(
                    "`request.oldObject` is not a {} of {}: it cannot be compared with `request.object`",
                    api.kind.kind, api.version.api_version
                ));
            }
        }
        let body = self.read(&item, api);
        match body.mismatch() {
            Some(error) => Err(format!("`request.oldObject` cannot be read: {error}")),
            None => Ok(body),
        }
    }

    /// The request as the server sees it before admission.
    fn server<'r>(&'r self, labels: Option<&'r BTreeMap<String, String>>) -> server::Request<'r> {
        server::Request {
            release: self.item.release,
            namespace: Some(self.request.namespace()).filter(|namespace| !namespace.is_empty()),
            validation: FieldValidation::Strict,
            reach: Reach::Admission,
            gates: self.settings.gates,
            labels,
            stored: false,
            patched: false,
        }
    }

    fn labels(&self) -> Option<BTreeMap<String, String>> {
        self.labels.as_ref().map(|labels| labels.iter().cloned().collect())
    }

    fn create(&self, body: Body<'a>, verdict: &mut Verdict) {
        let (api, tree) = (body.api, self.tree());
        let changes = match self.host.mutation {
            // What is stored already cannot be changed any more.
            Mutation::Possible if !is_stored(body.record()) => {
                mutation::changes(self.settings, tree, self.item.node, api.kind.object, self.namespace())
            }
            _ => Vec::new(),
        };
        let Some(text) = mutation::apply(tree, self.item.node, &changes) else { return self.created(body, verdict) };
        // Judge exactly the object that is returned: read the new text like the request.
        match cluster::parse(&text) {
            Ok((tree, root)) => {
                let how = How::reaching(Mode::Json, Via::Validator, self.item.release);
                self.created(Body::read(&tree, root, api, how), verdict);
            }
            Err(_) => return self.created(body, verdict),
        }
        soften(self.settings, verdict);
        if verdict.accepted() {
            let unicode = self.item.release.rules().unicode;
            let told = changes.iter().map(|change| {
                let mut finding = Finding::warning(Code::PolicyFallback, Origin::Claimkit, change.sentence(unicode));
                finding.path = Some(change.path.clone());
                finding
            });
            verdict.findings.splice(0..0, told);
            verdict.mutated = Some(text);
        }
    }

    /// A new object, as it is after the policy's own changes.
    fn created(&self, body: Body<'_>, verdict: &mut Verdict) {
        let api = body.api;
        let object = body.record().clone();
        if !self.settings.validation_off {
            let labels = self.labels();
            refused(server::create(&self.server(labels.as_ref()), body), verdict);
        }
        // The server drops the status of a new object.
        let stored = is_stored(&object);
        let part = if stored { Part::Both } else { Part::Object };
        let subject = self.subject(api, &object, part);
        let mut violations = restrictions::violations(self.settings, subject);
        if let Some(cluster) = self.host.cluster {
            violations.extend(lookups::violations(self.settings, cluster, subject, stored));
        }
        verdict.findings.extend(violations.iter().map(|error| self.policy(error)));
    }

    fn subject<'r>(&'r self, api: Api, object: &'r Record<'r>, part: Part) -> Subject<'r> {
        let (release, namespace) = (self.item.release, self.namespace());
        // The server converts to the version that the policy's rules name.
        let written = self.request.written_version(api.kind.kind).unwrap_or(api.version.name);
        Subject { api, release, object, part, namespace, written }
    }

    fn update(&self, body: Body<'a>, stored: Body<'a>, status: bool, verdict: &mut Verdict) {
        let api = body.api;
        let (new, old) = (body.record().clone(), stored.record().clone());
        if !self.settings.validation_off {
            let update = if status { server::update_status } else { server::update };
            let labels = self.labels();
            let mut outcome = update(&self.server(labels.as_ref()), body, stored);
            without_addresses(&mut outcome.findings, &new, &old);
            refused(outcome, verdict);
        }
        let part = if status { Part::Status } else { Part::Object };
        let violations = |object| restrictions::violations(self.settings, self.subject(api, object, part));
        self.held_to_changes(&violations(&new), &violations(&old), verdict);
    }
}

/// What an error says, wherever in its lists: where an item is removed, those behind it move.
fn anywhere(error: &FieldError) -> String {
    let mut parts = error.field.split('[');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((index, rest)) if index.bytes().all(|byte| byte.is_ascii_digit()) => text.push_str(rest),
            _ => text.extend(["[", part]),
        }
    }
    format!("{text}: {}", error.body)
}

/// The audit scanner sends what is stored as CREATE. A new object has no resource version.
fn is_stored(object: &Record<'_>) -> bool {
    object.record("metadata").is_some_and(|metadata| !metadata.str("resourceVersion").is_empty())
}

/// The object is being deleted: removing its last finalizers must always be possible.
fn is_going_away(object: &Record<'_>) -> bool {
    let metadata = object.record("metadata");
    metadata.is_some_and(|metadata| matches!(metadata.get("deletionTimestamp"), Value::Time(time) if !time.is_zero()))
}

/// The server prints pointers as addresses, which are useless. Replace the printed struct by the changed fields.
fn without_addresses(findings: &mut [Finding], new: &Record<'_>, old: &Record<'_>) {
    for finding in findings.iter_mut().filter(|finding| finding.message.contains(ADDRESS)) {
        let path: &[&str] = match finding.code {
            Code::SpecImmutable => &["spec"],
            Code::AllocationImmutable => &["status", "allocation"],
            _ => continue,
        };
        let inner = |record| path.iter().try_fold(record, |record: &Record<'_>, name| record.record(name));
        let (Some(new), Some(old)) = (inner(new), inner(old)) else { continue };
        let changed: Vec<String> = immutable::differences(new, old).iter().map(Difference::sentence).collect();
        if !changed.is_empty() {
            finding.message = format!("{}: Invalid value: {}: {}", path.join("."), changed.join(", "), immutable::MESSAGE);
        }
    }
}

/// Adds the server's reasons, and a warning for each selector that this crate does not compile. A note about omitted reasons is
/// not added: a policy's answer is shortened anyway.
fn refused(outcome: Outcome, verdict: &mut Verdict) {
    for mut finding in outcome.warnings.into_iter().filter(|finding| finding.code == Code::SelectorNotCompiled) {
        finding.severity = Severity::Warning;
        finding.message = format!("{}: {}", finding.path.as_deref().unwrap_or_default(), finding.message);
        verdict.findings.push(finding);
    }
    verdict.findings.extend(outcome.findings.into_iter().filter(|finding| finding.code != Code::LimitFindings));
}

fn missing_object() -> Finding {
    let problem = "`request.object` is missing: the object to judge";
    Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem)
}

fn missing_old_object() -> Finding {
    let problem = "`request.oldObject` is missing: an update is judged by what it changes";
    Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem)
}
