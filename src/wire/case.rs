//! One object of a `validate` request: decoded, paired with the stored one, judged.

use super::parse::decoding;
use super::request::{FieldValidation, Operation, Request, Via};
use super::validate::{in_namespace, stored};
use crate::api::{Api, Scope};
use crate::finding::hints;
use crate::finding::{Code, Finding, Origin, Step};
use crate::manifest::{Input, Item, What};
use crate::record::Record;
use crate::record::decode::{self, Decoded, How};
use crate::record::view;
use crate::rules::classic::references::{Here, References};
use crate::rules::classic::remarks;
use crate::rules::errors::{MAX_BYTES, is_cut};
use crate::rules::{self, Context, FieldError, immutable};
use crate::server::defaults;
use crate::server::pipeline::{self, Changes};
use crate::server::status::Status;
use crate::text::Tree;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The decoding error the server answers with.
fn refusal<'d>(decoded: &'d Decoded<'_>) -> Option<&'d str> {
    decoded.answer.and_then(|answer| decoded.mismatches.get(answer)).map(|mismatch| mismatch.message.as_str())
}

fn strict_error(decoded: &Decoded<'_>) -> String {
    let items: Vec<&str> = decoded.strict.iter().map(|strict| strict.message.as_str()).collect();
    format!("strict decoding error: {}", items.join(", "))
}

/// Tells that a new object has a resource version.
#[inline(never)]
fn stored_before(verdict: &mut Verdict) {
    let message = "resourceVersion should not be set on objects to be created";
    verdict.status = Some(Status::internal(message));
    let mut finding = Finding::error(Code::ResourceVersionOnCreate, Origin::ApiServer, message);
    finding.steps = vec![Step::Key("metadata".to_owned()), Step::Key("resourceVersion".to_owned())];
    finding.help = finding.code.help().map(Cow::Borrowed);
    verdict.findings.push(finding);
}

/// A finding about `old`: its spans do not count in the text, so that the object as a whole stands for it.
fn without_place(mut finding: Finding) -> Finding {
    finding.span = None;
    finding.fixes.clear();
    finding.steps = vec![Step::Key("metadata".to_owned())];
    finding.at_key = true;
    finding
}

/// One object and what is done with it.
pub struct Case<'a, 's> {
    /// What was asked.
    pub request: &'a Request,
    /// The text.
    pub input: &'a Input<'s>,
    /// The object.
    pub item: &'a Item,
    /// Its index in the answer.
    pub index: usize,
    /// Its kind.
    pub api: Api,
    /// The stored objects, for updates.
    pub old: Option<&'a Input<'s>>,
    /// The stored objects by what pairs them.
    pub partners: &'a Partners<'a>,
}

/// Stored objects by kind, namespace and name.
pub type Partners<'a> = BTreeMap<(&'a str, &'a str, &'a str), &'a Item>;

/// What pairs an object with its stored one.
fn identity<'a>(request: &'a Request, item: &'a Item) -> (&'a str, &'a str, &'a str) {
    let namespace = match (&item.what, request.via.unwrap_or_default()) {
        (What::Ours(api), Via::Kubectl) if api.kind.scope == Scope::Cluster => "",
        (_, Via::Kubectl) => in_namespace(request, &item.namespace),
        _ => &item.namespace,
    };
    (&item.kind, namespace, &item.name)
}

/// The stored objects of an update; of several with the same name the first.
pub fn partners<'a>(request: &'a Request, old: Option<&'a Input<'_>>) -> Partners<'a> {
    let mut partners = BTreeMap::new();
    for item in old.into_iter().flat_map(|old| &old.items) {
        let identity = identity(request, item);
        if !partners.contains_key(&identity) {
            partners.insert(identity, item);
        }
    }
    partners
}

/// What is answered about one object.
#[derive(Default)]
pub struct Verdict {
    /// Findings, the server's first.
    pub findings: Vec<Finding>,
    /// The server's answer, unless it accepts.
    pub status: Option<Status>,
}

impl Case<'_, '_> {
    /// Decodes and judges the object.
    pub fn judge(&self, references: &mut References) -> Verdict {
        let mut verdict = Verdict::default();
        if self.is_not_served() {
            verdict.findings.push(self.not_served());
            return verdict;
        }
        let Some(mut decoded) = self.decode(self.input, self.item) else { return verdict };
        verdict.findings = decoding(&decoded, self.request.field_validation);
        if let Some(tree) = self.input.tree(self.item) {
            if !decoded.strict.is_empty() {
                self.explain_strict(&decoded, tree, &mut verdict.findings);
            }
            if let Some(path) = self.mode()
                && let Some(finding) = hints::empty_mode(tree, self.item.node, path)
            {
                verdict.findings.push(finding);
            }
        }
        if let Some(error) = refusal(&decoded) {
            verdict.status = self.undecodable(error);
            return verdict;
        }
        defaults::apply(&mut decoded.record, &self.api);
        let namespace = match self.api.kind.scope {
            Scope::Namespaced => in_namespace(self.request, &self.item.namespace),
            Scope::Cluster => "",
        };
        if let Some(tree) = self.input.tree(self.item) {
            references.ours(Here { index: self.index, item: self.item, tree, namespace }, self.api, &decoded.record);
        }
        let mut remarks = Vec::new();
        remarks::object(self.api, &decoded.record, &Context::new(self.item.release), &mut remarks);
        let mut strict = self.strict_error(&decoded);
        match self.old {
            None => self.create(decoded.record, &mut verdict),
            Some(old) => {
                if !self.compare(decoded.record, old, &mut strict, &mut verdict) {
                    return verdict;
                }
            }
        }
        if let Some(error) = strict {
            verdict.status = self.undecodable(&error);
        }
        verdict.findings.append(&mut remarks);
        if let Some(tree) = self.input.tree(self.item) {
            for finding in &mut verdict.findings {
                hints::removal(finding, tree, self.item.node);
            }
        }
        verdict
    }

    /// Judges an update. False where there is no stored object to compare with: nothing else is told then.
    #[inline(never)]
    fn compare<'t>(&'t self, new: Record<'t>, old: &'t Input<'_>, strict: &mut Option<String>, verdict: &mut Verdict) -> bool {
        let stored = match self.partner(old) {
            Ok(stored) => stored,
            Err(finding) => {
                verdict.findings.push(*finding);
                return false;
            }
        };
        if let Some(error) = refusal(&stored) {
            self.stored_undecodable(error, verdict);
            return false;
        }
        if self.via() == Via::Validator && strict.is_none() {
            *strict = self.strict_error(&stored);
            verdict.findings.extend(decoding(&stored, self.request.field_validation).into_iter().map(without_place));
        }
        let mut old = stored.record;
        defaults::apply(&mut old, &self.api);
        self.update(new, old, verdict);
        true
    }

    fn via(&self) -> Via {
        self.request.via.unwrap_or_default()
    }

    #[inline(never)]
    fn undecodable(&self, error: &str) -> Option<Status> {
        let unicode = self.item.release.rules().unicode;
        Some(Status::undecodable(self.api.kind.kind, self.api.version.name, error, unicode))
    }

    /// The strict decoding error, where unknown and duplicate fields are errors.
    fn strict_error(&self, decoded: &Decoded<'_>) -> Option<String> {
        let refused = self.request.field_validation == FieldValidation::Strict && !decoded.strict.is_empty();
        refused.then(|| strict_error(decoded))
    }

    /// The stored object has a value of the wrong type. The validators' harness decodes it like the new one; a server
    /// could not have stored it.
    fn stored_undecodable(&self, error: &str, verdict: &mut Verdict) {
        match self.via() {
            Via::Validator => {
                verdict.status = self.undecodable(error);
                let finding = Finding::error(Code::TypeMismatch, Origin::ApiServer, error);
                verdict.findings.push(without_place(finding).with_help("the wrong type is in `old`"));
            }
            Via::Kubectl => {
                let finding = Finding::error(Code::TypeMismatch, Origin::Claimkit, error);
                verdict.findings.push(without_place(stored(&finding)));
            }
        }
    }

    /// A list kind that stands for itself, or a status of a kind that has none.
    fn is_not_served(&self) -> bool {
        self.api.kind.items.is_some() || (self.request.operation == Operation::UpdateStatus && !self.api.kind.status)
    }

    #[inline(never)]
    fn not_served(&self) -> Finding {
        let kind = self.api.kind.kind;
        if self.api.kind.items.is_some() {
            let message = format!("no matches for kind \"{kind}\" in version \"{}\"", self.api.version.api_version);
            let mut finding = Finding::error(Code::ListNotCreatable, Origin::Kubectl, message)
                .with_help("a List is submitted item by item: give it `items`");
            finding.steps = vec![Step::Key("kind".to_owned())];
            return finding;
        }
        let message = format!("a `{kind}` has no status: use the operation `update`");
        let mut finding = Finding::error(Code::NoStatus, Origin::Claimkit, message);
        finding.steps = vec![Step::Key("kind".to_owned())];
        finding
    }

    fn decode<'t>(&self, input: &'t Input<'_>, item: &Item) -> Option<Decoded<'t>> {
        let tree = input.tree(item)?;
        let how = How::reaching(input.mode(item), self.via(), self.item.release);
        Some(decode::decode(tree, item.node, self.api.kind.schema, self.api.version.name, how))
    }

    /// The stored object of an update.
    fn partner<'t>(&self, old: &'t Input<'_>) -> Result<Decoded<'t>, Box<Finding>> {
        let (kind, namespace, name) = (&self.item.kind, &self.item.namespace, &self.item.name);
        let found = match (self.input.items.as_slice(), old.items.as_slice()) {
            ([_], [one]) => Some(one),
            _ => self.partners.get(&identity(self.request, self.item)).copied(),
        };
        let Some(item) = found else {
            let message = format!("no stored object to compare with: `old` holds no {kind} `{name}` in namespace `{namespace}`");
            return Err(Box::new(Finding::error(Code::StoredObject, Origin::Claimkit, message)));
        };
        match &item.what {
            What::Ours(api) if api.kind.kind == self.api.kind.kind && api.version.name == self.api.version.name => {}
            What::Refused(finding) => return Err(Box::new(stored(finding))),
            _ => {
                let message = format!("the stored object is a {} of {}, not a {kind}", item.kind, item.api_version);
                return Err(Box::new(Finding::error(Code::StoredObject, Origin::Claimkit, message)));
            }
        }
        self.decode(old, item)
            .ok_or_else(|| Box::new(Finding::error(Code::StoredObject, Origin::Claimkit, "`old` holds no object")))
    }

    fn create<'t>(&'t self, mut object: Record<'t>, verdict: &mut Verdict) {
        let context = Context::new(self.item.release);
        let mut changes = Changes::default();
        let namespace = self.request.namespace.as_deref().unwrap_or("default");
        if self.via() == Via::Kubectl {
            if self.elsewhere(&object, verdict) {
                return;
            }
            pipeline::fill_namespace(&mut object, self.api.kind.scope, namespace, &mut changes);
            pipeline::prepare_for_create(&mut object, &mut changes);
        } else {
            pipeline::drop_status(&mut object, &mut changes);
        }
        let errors = rules::functions(self.api, &object, rules::Operation::Create, &context);
        let meta = view::Object::new(&object).metadata();
        if !errors.is_empty() {
            verdict.status = self.invalid(&object, &errors);
            self.tell(&errors, verdict);
        } else if self.via() == Via::Kubectl && pipeline::stored_before(meta.resource_version()) {
            stored_before(verdict);
        }
        remarks::changes(&changes, namespace, meta, &mut verdict.findings);
    }

    fn update<'t>(&'t self, mut new: Record<'t>, mut old: Record<'t>, verdict: &mut Verdict) {
        let context = Context::new(self.item.release);
        let namespace = self.request.namespace.as_deref().unwrap_or("default");
        let mut changes = Changes::default();
        if self.via() == Via::Kubectl {
            if self.elsewhere(&new, verdict) {
                return;
            }
            pipeline::fill_namespace(&mut old, self.api.kind.scope, namespace, &mut Changes::default());
            pipeline::fill_namespace(&mut new, self.api.kind.scope, namespace, &mut changes);
            pipeline::fill_resource_version(&mut new, &old);
            if self.conflict(&new, &old, verdict) {
                return;
            }
        }
        let operation = match self.request.operation {
            Operation::UpdateStatus => rules::Operation::UpdateStatus(&old),
            _ => rules::Operation::Update(&old),
        };
        let answered = pipeline::update(self.api, &new, operation, &context);
        verdict.status = self.invalid(&new, &answered);
        match self.via() {
            Via::Validator => self.tell(&rules::functions(self.api, &new, operation, &context), verdict),
            Via::Kubectl => self.tell(&answered, verdict),
        }
        self.explain_immutable(&new, &old, verdict);
        remarks::changes(&changes, namespace, view::Object::new(&new).metadata(), &mut verdict.findings);
    }

    /// What changed in a struct that may not change: the server only prints the new one.
    fn explain_immutable(&self, new: &Record<'_>, old: &Record<'_>, verdict: &mut Verdict) {
        for finding in &mut verdict.findings {
            let path: &[&str] = match finding.code {
                Code::SpecImmutable => &["spec"],
                Code::AllocationImmutable => &["status", "allocation"],
                _ => continue,
            };
            let inner = |record| path.iter().try_fold(record, |record: &Record<'_>, name| record.record(name));
            let (Some(new), Some(old)) = (inner(new), inner(old)) else { continue };
            let found = immutable::differences(new, old);
            let told: Vec<String> = found.iter().take(4).map(immutable::Difference::told).collect();
            if told.is_empty() {
                continue;
            }
            let more = if found.len() > told.len() { ", and more" } else { "" };
            let advice = finding.code.help().unwrap_or_default();
            finding.help = Some(format!("{}{more}; {advice}", told.join(", ")).into());
            if let [only] = found.as_slice() {
                finding.steps.clear();
                for name in [path, &only.path].into_iter().flatten() {
                    finding.steps.push(Step::Key((*name).to_owned()));
                }
            }
        }
    }

    /// The object's namespace is not the one the request names.
    fn elsewhere(&self, object: &Record<'_>, verdict: &mut Verdict) -> bool {
        let given = view::Object::new(object).metadata().namespace();
        let wanted = self.request.namespace.as_deref();
        let fits = given.is_empty() || self.api.kind.scope == Scope::Cluster || wanted.is_none_or(|wanted| wanted == given);
        if fits {
            return false;
        }
        let message = "the namespace of the provided object does not match the namespace sent on the request";
        verdict.status = Some(Status::bad_request(message.to_owned()));
        let mut finding = Finding::error(Code::NamespaceMismatch, Origin::ApiServer, message);
        finding.steps = vec![Step::Key("metadata".to_owned()), Step::Key("namespace".to_owned())];
        finding.help = finding.code.help().map(Cow::Borrowed);
        verdict.findings.push(finding);
        true
    }

    /// The stored object has another resource version.
    fn conflict(&self, new: &Record<'_>, old: &Record<'_>, verdict: &mut Verdict) -> bool {
        let (meta, stored) = (view::Object::new(new).metadata(), view::Object::new(old).metadata());
        if stored.resource_version().is_empty() || meta.resource_version() == stored.resource_version() {
            return false;
        }
        let status = Status::conflict(self.api.kind.plural, meta.name(), self.item.release.rules().unicode);
        let mut finding = Finding::error(Code::Conflict, Origin::ApiServer, status.message.clone());
        finding.steps = vec![Step::Key("metadata".to_owned()), Step::Key("resourceVersion".to_owned())];
        finding.help = finding.code.help().map(Cow::Borrowed);
        verdict.status = Some(status);
        verdict.findings.push(finding);
        true
    }

    /// Tells validation errors; kubectl's user reads each text once.
    #[inline(never)]
    fn tell(&self, errors: &[FieldError], verdict: &mut Verdict) {
        let once = self.via() == Via::Kubectl;
        let mut seen = BTreeSet::new();
        for error in errors {
            let mut finding = error.finding();
            if once && !seen.insert(finding.message.clone()) {
                continue;
            }
            if let Some(tree) = self.input.tree(self.item) {
                hints::validation(&mut finding, self.api, tree, self.item.node);
            }
            verdict.findings.push(finding);
        }
        if is_cut(errors) {
            let message = format!("the errors of this object have more than {MAX_BYTES} bytes of text; what follows is left out");
            let finding = Finding::error(Code::LimitFindings, Origin::Claimkit, message);
            verdict.findings.push(finding.with_help("mend the first ones and validate again"));
        }
    }

    #[inline(never)]
    fn explain_strict(&self, decoded: &Decoded<'_>, tree: &Tree<'_>, findings: &mut [Finding]) {
        for strict in &decoded.strict {
            if let Some(finding) = findings.iter_mut().find(|f| f.message == strict.message && f.help.is_none()) {
                hints::strict(finding, strict, self.api, self.item.release, tree);
            }
        }
    }

    /// Where the object has an `allocationMode`, if it can have one.
    fn mode(&self) -> Option<&'static [&'static str]> {
        match self.api.kind.kind {
            "ResourceClaim" => Some(&["spec"]),
            "ResourceClaimTemplate" => Some(&["spec", "spec"]),
            _ => None,
        }
    }

    #[inline(never)]
    fn invalid(&self, object: &Record<'_>, errors: &[FieldError]) -> Option<Status> {
        let name = object.record("metadata").map_or("", |meta| meta.str("name"));
        Status::invalid(self.api.kind.kind, name, errors, self.item.release.rules().unicode)
    }
}
