//! The verdict about one AdmissionRequest: the API server's own rules, then the policy's.

use crate::api::{Api, ClassicKind, ObjectKind};
use crate::finding::{Code, Finding, Origin, Severity};
use crate::manifest::{self, Item, What};
use crate::policy::request::{AdmissionRequest, Operation};
use crate::policy::restrictions::{self, Subject};
use crate::policy::settings::Settings;
use crate::record::decode::{How, Via};
use crate::record::{Record, Value};
use crate::rules::FieldError;
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
            Finding::error(Code::PolicySettings, Origin::Claimkit, format!("the settings of the policy are not valid: {error}"))
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
        What::Other => {}
        What::Refused(finding) => case.refused(finding, &mut verdict),
        What::Ours(api) if api.kind.items.is_some() => {}
        What::Ours(api) => case.ours(*api, &mut verdict),
    }
    if settings.warn {
        for finding in &mut verdict.findings {
            finding.severity = finding.severity.max(Severity::Warning);
        }
    }
    verdict
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
                verdict.findings.extend(errors.iter().map(policy));
            }
            _ => verdict.findings.push(finding.clone()),
        }
    }

    fn ours(&self, api: Api, verdict: &mut Verdict) {
        let status = self.request.sub_resource() == "status";
        if status && (!api.kind.status || self.request.operation == Operation::Create) {
            return;
        }
        let mut body = self.read(&self.item, api);
        if is_going_away(body.record()) {
            return;
        }
        verdict.findings.extend(self.decoding(&body));
        if body.mismatch().is_some() {
            return;
        }
        if let Some(class) = claim_spec(&mut body.decoded.record, api).map(|spec| spec.str("resourceClassName").to_owned()) {
            verdict.class = class;
        }
        match self.request.operation {
            Operation::Update => match self.stored(api) {
                Ok(old) => self.update(body, old, status, verdict),
                Err(problem) => verdict.findings.push(Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem)),
            },
            _ => self.create(body, verdict),
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
            return Err("`request.oldObject` is missing: an update is judged by what it changes".to_owned());
        };
        let item = manifest::object(self.document, old, self.settings.release);
        match &item.what {
            What::Ours(old) if old.kind.kind == api.kind.kind && old.version.name == api.version.name => {}
            _ => {
                return Err(format!(
                    "`request.oldObject` is no {} of {}: it cannot be compared with `request.object`",
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
        }
    }

    fn create(&self, mut body: Body<'a>, verdict: &mut Verdict) {
        let api = body.api;
        let mutated = self.fall_back(api, &mut body.decoded.record, verdict);
        let object = body.record().clone();
        if !self.settings.validation_off {
            refused(server::create(&self.server(), body), verdict);
        }
        let subject = Subject { api, release: self.item.release, object: &object, status: false };
        verdict.findings.extend(restrictions::violations(self.settings, subject).iter().map(policy));
        if verdict.accepted() {
            verdict.mutated = mutated;
        } else {
            verdict.findings.retain(|finding| finding.code != Code::PolicyFallback);
        }
    }

    fn update(&self, body: Body<'a>, stored: Body<'a>, status: bool, verdict: &mut Verdict) {
        let (api, release) = (body.api, self.item.release);
        let (new, old) = (body.record().clone(), stored.record().clone());
        if !self.settings.validation_off {
            let update = if status { server::update_status } else { server::update };
            refused(update(&self.server(), body, stored), verdict);
        }
        let violations = |object| restrictions::violations(self.settings, Subject { api, release, object, status });
        let before: BTreeSet<String> = violations(&old).iter().map(FieldError::message).collect();
        for error in violations(&new) {
            let mut finding = policy(&error);
            if before.contains(&finding.message) {
                finding.severity = Severity::Warning;
            }
            verdict.findings.push(finding);
        }
    }

    /// Puts the fallback in place of a class that is missing or not allowed, and gives the object's new text.
    fn fall_back(&self, api: Api, object: &mut Record<'a>, verdict: &mut Verdict) -> Option<String> {
        let fallback =
            self.settings.fallback.as_deref().filter(|_| self.mutation == Mutation::Possible && !self.settings.warn)?;
        let spec = claim_spec(object, api)?;
        let class = spec.str("resourceClassName").to_owned();
        if !class.is_empty() && self.settings.resource_classes.accepts(&class) {
            return None;
        }
        let text = self.with_class(api, fallback)?;
        spec.set("resourceClassName", Value::Str(Cow::Owned(fallback.to_owned())));
        let path = if api.kind.object.is_claim() { "spec" } else { "spec.spec" };
        let unicode = self.item.release.rules().unicode;
        let (quoted, class) = (crate::go::quote(fallback, unicode), crate::go::quote(&class, unicode));
        let message = format!("{path}.resourceClassName: set to {quoted} by the policy in place of {class}");
        let mut finding = Finding::warning(Code::PolicyFallback, Origin::Claimkit, message);
        finding.path = Some(format!("{path}.resourceClassName"));
        verdict.findings.push(finding);
        Some(text)
    }

    /// The object's text with another class; everything else stays as it was written.
    fn with_class(&self, api: Api, class: &str) -> Option<String> {
        let tree = self.tree();
        let mut spec = tree.get(self.item.node, "spec")?;
        if api.kind.object.is_template() {
            spec = tree.get(spec, "spec")?;
        }
        if !tree.is_map(spec) {
            return None;
        }
        let mut quoted = String::new();
        print::quote(class, &mut quoted);
        let whole = tree.span(self.item.node);
        let (from, to, new) = match tree.get(spec, "resourceClassName") {
            Some(value) => (tree.span(value).from(), tree.span(value).to(), quoted),
            None => {
                let at = tree.span(spec).from().saturating_add(1);
                let comma = if tree.entries(spec).is_empty() { "" } else { "," };
                (at, at, format!("\"resourceClassName\":{quoted}{comma}"))
            }
        };
        let source = tree.source();
        Some([source.get(whole.from()..from)?, &new, source.get(to..whole.to())?].concat())
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

/// Adds the server's reasons. That some were left out is not one of them: a policy's answer is cut anyway.
fn refused(outcome: Outcome, verdict: &mut Verdict) {
    verdict.findings.extend(outcome.findings.into_iter().filter(|finding| finding.code != Code::LimitFindings));
}

fn policy(error: &FieldError) -> Finding {
    let mut finding = error.finding();
    finding.origin = Origin::Claimkit;
    finding
}
