//! The verdict about one AdmissionRequest: the API server's own rules, then the policy's.

use crate::api::Api;
use crate::finding::{Cause, Code, Finding, Origin, Severity};
use crate::manifest::{self, Item, What};
use crate::policy::request::{AdmissionRequest, Operation};
use crate::policy::restrictions::{self, Subject};
use crate::policy::settings::Settings;
use crate::record::decode::Via;
use crate::record::decode::{self, Decoded, How};
use crate::record::{Record, Value};
use crate::rules::{self, Context, FieldError};
use crate::server::defaults;
use crate::server::pipeline::{self, Changes};
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
        let mut decoded = self.decode(&self.item, api);
        if is_going_away(&decoded.record) {
            return;
        }
        verdict.findings.extend(self.decoding(&decoded));
        if decoded.answer.is_some() {
            return;
        }
        defaults::apply(&mut decoded.record, &api);
        if let Some(class) = claim_spec(&mut decoded.record, api).map(|spec| spec.str("resourceClassName").to_owned()) {
            verdict.class = class;
        }
        match self.request.operation {
            Operation::Update => match self.stored(api) {
                Ok(old) => self.update(api, decoded.record, old, status, verdict),
                Err(problem) => verdict.findings.push(Finding::error(Code::AdmissionRequest, Origin::Claimkit, problem)),
            },
            _ => self.create(api, decoded.record, verdict),
        }
    }

    fn decode(&self, item: &Item, api: Api) -> Decoded<'a> {
        let how = How::reaching(Mode::Json, Via::Validator, self.item.release);
        decode::decode(&self.document.tree, item.node, api.kind.schema, api.version.name, how)
    }

    /// Wrong types refuse always: nothing can be said of what cannot be read. Unknown fields are a matter of strictness.
    fn decoding(&self, decoded: &Decoded<'_>) -> Vec<Finding> {
        let mut order: Vec<usize> = (0..decoded.mismatches.len()).collect();
        order.sort_by_key(|&at| decoded.answer != Some(at));
        let mut findings = Vec::new();
        for mismatch in order.into_iter().filter_map(|at| decoded.mismatches.get(at)) {
            let mut finding = Finding::error(Code::TypeMismatch, Origin::ApiServer, mismatch.message.clone());
            finding.path = Some(mismatch.path.clone());
            findings.push(finding);
        }
        if !self.settings.validation_off {
            for strict in &decoded.strict {
                let code = match strict.kind {
                    decode::StrictKind::Unknown => Code::UnknownField,
                    decode::StrictKind::Duplicate => Code::DuplicateField,
                };
                let mut finding = Finding::error(code, Origin::ApiServer, strict.message.clone());
                finding.path = Some(strict.path.clone());
                findings.push(finding);
            }
        }
        findings
    }

    fn stored(&self, api: Api) -> Result<Record<'a>, String> {
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
        let mut decoded = self.decode(&item, api);
        if let Some(mismatch) = decoded.answer.and_then(|answer| decoded.mismatches.get(answer)) {
            return Err(format!("`request.oldObject` cannot be read: {}", mismatch.message));
        }
        defaults::apply(&mut decoded.record, &api);
        Ok(decoded.record)
    }

    fn create(&self, api: Api, mut object: Record<'a>, verdict: &mut Verdict) {
        let mutated = self.fall_back(api, &mut object, verdict);
        let context = Context::new(self.item.release);
        if !self.settings.validation_off {
            let mut object = object.clone();
            verdict.findings.extend(self.other_namespace(api, &object));
            let mut changes = Changes::default();
            pipeline::fill_namespace(&mut object, api.kind.scope, self.namespace(), &mut changes);
            pipeline::prepare_for_create(&mut object, &mut changes);
            server(&rules::functions(api, &object, rules::Operation::Create, &context), verdict);
        }
        let subject = Subject { api, release: self.item.release, object: &object, status: false };
        verdict.findings.extend(restrictions::violations(self.settings, subject).iter().map(policy));
        if verdict.accepted() {
            verdict.mutated = mutated;
        } else {
            verdict.findings.retain(|finding| finding.code != Code::PolicyFallback);
        }
    }

    fn update(&self, api: Api, mut new: Record<'a>, mut old: Record<'a>, status: bool, verdict: &mut Verdict) {
        let release = self.item.release;
        if !self.settings.validation_off {
            let mut changes = Changes::default();
            pipeline::fill_namespace(&mut old, api.kind.scope, self.namespace(), &mut changes);
            pipeline::fill_namespace(&mut new, api.kind.scope, self.namespace(), &mut changes);
            pipeline::fill_resource_version(&mut new, &old);
            let operation = if status { rules::Operation::UpdateStatus(&old) } else { rules::Operation::Update(&old) };
            server(&pipeline::update(api, &new, operation, &Context::new(release)), verdict);
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

    fn namespace(&self) -> &'a str {
        match self.request.namespace() {
            "" => "default",
            namespace => namespace,
        }
    }

    /// The server compares the object's namespace with the request's before anything else.
    fn other_namespace(&self, api: Api, object: &Record<'_>) -> Option<Finding> {
        let of_object = object.record("metadata").map_or("", |metadata| metadata.str("namespace"));
        let of_request = self.request.namespace();
        let differ = !of_object.is_empty() && !of_request.is_empty() && of_object != of_request;
        (differ && api.kind.scope == crate::api::Scope::Namespaced).then(|| {
            let message = "the namespace of the provided object does not match the namespace sent on the request";
            Finding::error(Code::AdmissionRequest, Origin::ApiServer, message).with_cause(Cause::Invalid)
        })
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
        let path = if api.kind.kind == "ResourceClaim" { "spec" } else { "spec.spec" };
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
        if api.kind.kind == "ResourceClaimTemplate" {
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
    match api.kind.kind {
        "ResourceClaim" => given(object, "spec"),
        "ResourceClaimTemplate" => given(given(object, "spec")?, "spec"),
        _ => None,
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

/// The server's errors, each text once.
fn server(errors: &[FieldError], verdict: &mut Verdict) {
    let mut seen = BTreeSet::new();
    verdict.findings.extend(errors.iter().map(FieldError::finding).filter(|finding| seen.insert(finding.message.clone())));
}

fn policy(error: &FieldError) -> Finding {
    let mut finding = error.finding();
    finding.origin = Origin::Claimkit;
    finding
}
