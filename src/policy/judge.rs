//! The verdict about one AdmissionRequest: the API server's own rules, then the policy's.

use crate::api::{Api, ClassicKind, ObjectKind};
use crate::finding::{Code, Finding, Origin, Severity, TextField};
use crate::manifest::{self, Item, What};
use crate::policy::pods;
use crate::policy::request::{AdmissionRequest, Operation};
use crate::policy::restrictions::{self, Part, Subject};
use crate::policy::settings::{PodRule, Settings};
use crate::record::decode::{How, Via};
use crate::record::go_syntax::ADDRESS;
use crate::record::{Record, Value};
use crate::rules::FieldError;
use crate::rules::immutable::{self, Difference};
use crate::server::{self, Body, FieldValidation, Outcome, Reach};
use crate::text::print;
use crate::text::tree::{NodeId, Tree};
use crate::text::{Document, Mode};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Whether the host lets a policy change objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// It does: a fallback class is put in place.
    Possible,
    /// It does not: a class that is not allowed is refused, fallback or not.
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
    /// The class the object asked for; empty if it names none.
    pub class: String,
}

impl Verdict {
    /// A request that cannot be judged.
    pub fn unreadable(uid: &str, problem: impl Into<String>) -> Self {
        let finding = Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem);
        Verdict { uid: uid.to_owned(), findings: vec![finding], ..Verdict::default() }
    }

    /// Settings that are not valid: nothing is accepted by a policy nobody can read.
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

/// Judges the request at a node of a JSON document.
pub fn judge(document: &Document<'_>, request: Option<NodeId>, settings: &Settings, mutation: Mutation) -> Verdict {
    let request = match AdmissionRequest::read(&document.tree, request) {
        Ok(request) => request,
        Err(problem) => return Verdict::unreadable("", problem),
    };
    let mut verdict = Verdict { uid: request.uid().to_owned(), ..Verdict::default() };
    let Some(object) = request.object() else { return verdict };
    if request.operation == Operation::Other || !matches!(request.sub_resource(), "" | "status") || request.is_exempt(settings) {
        return verdict;
    }
    let item = manifest::object(document, object, settings.release);
    let case = Case { document, request, settings, mutation, item };
    match &case.item.what {
        What::Other => case.workload(&mut verdict),
        What::Refused(finding) => case.refused(finding, &mut verdict),
        What::Ours(api) if api.kind.items.is_some() => {}
        What::Ours(api) => case.ours(*api, &mut verdict),
    }
    soften(settings, &mut verdict);
    verdict
}

/// Reasons of settings that warn become warnings. What cannot be read is not judged at all, so that there is nothing to warn
/// about instead.
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
    mutation: Mutation,
    item: Item,
}

impl<'a> Case<'a, '_> {
    fn tree(&self) -> &'a Tree<'_> {
        &self.document.tree
    }

    /// No object at all, or one of a kind or version that is not known here: only the version can be judged.
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

    /// An object of another group: the claims of its pods are judged.
    fn workload(&self, verdict: &mut Verdict) {
        if self.settings.pods == PodRule::default() || self.request.sub_resource() != "" {
            return;
        }
        let Some(fields) = pods::path_to_spec(&self.item.api_version, &self.item.kind) else { return };
        let violations = |object| pods::violations(self.settings, self.tree(), object, fields, self.item.release);
        let mut before = BTreeSet::new();
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
            before = violations(old).iter().map(FieldError::message).collect();
        }
        self.held_to_changes(&violations(self.item.node), &before, verdict);
    }

    /// What the stored object already does wrong is a warning.
    fn held_to_changes(&self, errors: &[FieldError], before: &BTreeSet<String>, verdict: &mut Verdict) {
        for error in errors {
            let mut finding = self.policy(error);
            if before.contains(&error.message()) {
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
        if status && (!api.kind.status || self.request.operation == Operation::Create) {
            return;
        }
        let stored = (self.request.operation == Operation::Update).then(|| self.stored(api));
        // Only the stored object says so: anyone can write `deletionTimestamp` into a new one.
        if let Some(Ok(stored)) = &stored
            && is_going_away(stored.record())
        {
            return;
        }
        let mut body = self.read(&self.item, api);
        verdict.findings.extend(self.decoding(&body));
        if body.mismatch().is_some() {
            return;
        }
        if let Some(class) = claim_spec(&mut body.decoded.record, api).map(|spec| spec.str("resourceClassName").to_owned()) {
            verdict.class = class;
        }
        match stored {
            Some(Ok(old)) => self.update(body, old, status, verdict),
            Some(Err(problem)) => verdict.findings.push(Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem)),
            None => self.create(body, verdict),
        }
    }

    fn read(&self, item: &Item, api: Api) -> Body<'a> {
        Body::read(&self.document.tree, item.node, api, How::reaching(Mode::Json, Via::Validator, self.item.release))
    }

    /// Wrong types always refuse: what cannot be read cannot be judged. Unknown fields do unless validation is off.
    fn decoding(&self, body: &Body<'_>) -> Vec<Finding> {
        let mut findings = body.findings(FieldValidation::Strict);
        if self.settings.validation_off {
            findings.retain(|finding| finding.code == Code::TypeMismatch);
        }
        for finding in &mut findings {
            // Places in the host's request lead nowhere in what the user wrote.
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

    /// The request as the server meets it before admission.
    fn server(&self) -> server::Request<'a> {
        server::Request {
            release: self.item.release,
            namespace: Some(self.request.namespace()).filter(|namespace| !namespace.is_empty()),
            validation: FieldValidation::Strict,
            reach: Reach::Admission,
            gates: None,
            labels: None,
            stored: false,
        }
    }

    fn create(&self, mut body: Body<'a>, verdict: &mut Verdict) {
        let api = body.api;
        let mutated = self.fall_back(api, &mut body.decoded.record, verdict);
        let object = body.record().clone();
        if !self.settings.validation_off {
            refused(server::create(&self.server(), body), verdict);
        }
        // The audit scanner sends what is stored as CREATE. A new object has no resource version, and the server drops its status.
        let stored = object.record("metadata").is_some_and(|metadata| !metadata.str("resourceVersion").is_empty());
        let part = if stored { Part::Both } else { Part::Object };
        let violations = restrictions::violations(self.settings, self.subject(api, &object, part));
        verdict.findings.extend(violations.iter().map(|error| self.policy(error)));
        soften(self.settings, verdict);
        if verdict.accepted() {
            verdict.mutated = mutated;
        } else {
            verdict.findings.retain(|finding| finding.code != Code::PolicyFallback);
        }
    }

    fn subject<'r>(&'r self, api: Api, object: &'r Record<'r>, part: Part) -> Subject<'r> {
        Subject { api, release: self.item.release, object, part, namespace: self.namespace(object) }
    }

    /// The namespace of the request, or the object's where the request names none.
    fn namespace<'r>(&'r self, object: &'r Record<'_>) -> &'r str {
        let own = object.record("metadata").map_or("", |metadata| metadata.str("namespace"));
        if self.request.namespace().is_empty() { own } else { self.request.namespace() }
    }

    fn update(&self, body: Body<'a>, stored: Body<'a>, status: bool, verdict: &mut Verdict) {
        let api = body.api;
        let (new, old) = (body.record().clone(), stored.record().clone());
        if !self.settings.validation_off {
            let update = if status { server::update_status } else { server::update };
            let mut outcome = update(&self.server(), body, stored);
            without_addresses(&mut outcome.findings, &new, &old);
            refused(outcome, verdict);
        }
        let part = if status { Part::Status } else { Part::Object };
        let violations = |object| restrictions::violations(self.settings, self.subject(api, object, part));
        let before: BTreeSet<String> = violations(&old).iter().map(FieldError::message).collect();
        self.held_to_changes(&violations(&new), &before, verdict);
    }

    /// Fills in a missing class, puts fallbacks in place of what is not allowed, and gives the object's new text.
    fn fall_back(&self, api: Api, object: &mut Record<'a>, verdict: &mut Verdict) -> Option<String> {
        if self.mutation == Mutation::Impossible {
            return None;
        }
        let (settings, namespace) = (self.settings, self.namespace(object).to_owned());
        let spec = claim_spec(object, api)?;
        let mut changes: Vec<(&'static str, &str)> = Vec::new();
        let class = spec.str("resourceClassName");
        let instead = match class {
            "" => settings.default_class.as_deref().or(settings.fallback.as_deref()),
            class if settings.classes_in(&namespace).accepts(class) => None,
            _ => settings.fallback.as_deref(),
        };
        if let Some(instead) = instead.filter(|_| !settings.warns("resourceClasses")) {
            changes.push(("resourceClassName", instead));
        }
        let mode = spec.str("allocationMode");
        let instead = settings.fallback_mode.as_deref().filter(|_| !settings.warns("allocationModes"));
        if let Some(instead) = instead.filter(|_| !settings.allocation_modes.accepts(mode)) {
            changes.push(("allocationMode", instead));
        }
        if changes.is_empty() {
            return None;
        }
        let text = self.with(api, &changes)?;
        let path = if api.kind.object.is_claim() { "spec" } else { "spec.spec" };
        let unicode = self.item.release.rules().unicode;
        for (field, instead) in changes {
            let (quoted, before) = (crate::go::quote(instead, unicode), crate::go::quote(spec.str(field), unicode));
            let path = format!("{path}.{field}");
            let message = format!("{path}: set to {quoted} by the policy in place of {before}");
            let mut finding = Finding::warning(Code::PolicyFallback, Origin::Claimkit, message);
            finding.path = Some(path);
            verdict.findings.push(finding);
            spec.set(field, Value::Str(Cow::Owned(instead.to_owned())));
        }
        Some(text)
    }

    /// The object's text with other values in the claim's spec; everything else stays as it was written.
    fn with(&self, api: Api, changes: &[(&'static str, &str)]) -> Option<String> {
        let tree = self.tree();
        let mut spec = tree.get(self.item.node, "spec")?;
        if api.kind.object.is_template() {
            spec = tree.get(spec, "spec")?;
        }
        if !tree.is_map(spec) {
            return None;
        }
        let mut edits: Vec<(usize, usize, String)> = Vec::new();
        let mut added = String::new();
        for (field, value) in changes {
            let mut quoted = String::new();
            print::quote(value, &mut quoted);
            match tree.get(spec, field) {
                Some(value) => edits.push((tree.span(value).from(), tree.span(value).to(), quoted)),
                None => added.push_str(&format!("\"{field}\":{quoted},")),
            }
        }
        if tree.entries(spec).is_empty() {
            added.pop();
        }
        let start = tree.span(spec).from().saturating_add(1);
        edits.push((start, start, added));
        edits.sort_by_key(|(from, ..)| *from);
        let (whole, source) = (tree.span(self.item.node), tree.source());
        let mut text = String::new();
        let mut at = whole.from();
        for (from, to, new) in edits {
            text.push_str(source.get(at..from)?);
            text.push_str(&new);
            at = to;
        }
        text.push_str(source.get(at..whole.to())?);
        Some(text)
    }
}

/// The spec of a claim or of the claims of a template.
fn claim_spec<'o, 't>(object: &'o mut Record<'t>, api: Api) -> Option<&'o mut Record<'t>> {
    match api.kind.object {
        ObjectKind::Classic(kind) => match kind {
            ClassicKind::ResourceClaim => given(object, "spec"),
            ClassicKind::ResourceClaimTemplate => given(given(object, "spec")?, "spec"),
            ClassicKind::ResourceClass
            | ClassicKind::PodSchedulingContext
            | ClassicKind::ResourceClaimParameters
            | ClassicKind::ResourceClassParameters
            | ClassicKind::ResourceSlice => None,
        },
        // Requests name device classes; there is no fallback for them.
        ObjectKind::Device(_) => None,
    }
}

fn given<'o, 't>(record: &'o mut Record<'t>, field: &str) -> Option<&'o mut Record<'t>> {
    record.record(field)?;
    record.record_mut(field)
}

/// Whoever takes the last finalizers off must not be stopped.
fn is_going_away(object: &Record<'_>) -> bool {
    let metadata = object.record("metadata");
    metadata.is_some_and(|metadata| matches!(metadata.get("deletionTimestamp"), Value::Time(time) if !time.is_zero()))
}

/// The server prints pointers as addresses, which say nothing. What has changed stands in place of the whole struct.
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

/// Adds the server's reasons, and a warning for each selector that this crate does not compile. That some reasons were left out is
/// not one of them: a policy's answer is cut anyway.
fn refused(outcome: Outcome, verdict: &mut Verdict) {
    for mut finding in outcome.warnings.into_iter().filter(|finding| finding.code == Code::SelectorNotCompiled) {
        finding.severity = Severity::Warning;
        finding.message = format!("{}: {}", finding.path.as_deref().unwrap_or_default(), finding.message);
        verdict.findings.push(finding);
    }
    verdict.findings.extend(outcome.findings.into_iter().filter(|finding| finding.code != Code::LimitFindings));
}

fn missing_old_object() -> Finding {
    let problem = "`request.oldObject` is missing: an update is judged by what it changes";
    Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem)
}
