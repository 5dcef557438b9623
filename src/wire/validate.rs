//! The verb `validate`: what kube-apiserver answers to a create, an update or a status update.

use super::answer::{self, Answer, Object};
use super::parse::{decoding, nothing_checked, other_group, place};
use super::request::{FieldValidation, Operation, Request, Via};
use crate::decode::{self, Decoded, How};
use crate::defaults;
use crate::input::{Input, Item, What};
use crate::object::Record;
use crate::report::{Code, Finding, Origin, Severity, Step};
use crate::schema::Api;
use crate::validate::pipeline::{self, Changes};
use crate::validate::status::Status;
use crate::validate::{self, Context, FieldError};
use serde_json::value::to_raw_value;

/// Answers `validate`.
pub fn validate(request: &Request) -> Answer {
    let unusable = |error: &str| Answer::unusable(Some("validate"), error);
    let Some(text) = request.text.as_deref() else { return unusable("`text` is missing: the manifest to validate") };
    let release = match request.release() {
        Ok(release) => release,
        Err(error) => return unusable(&error),
    };
    let via = request.via.unwrap_or_default();
    let old = match (request.operation, request.old.as_deref()) {
        (Operation::Create, _) => None,
        (_, None) => return unusable("`old` is missing: an update needs the stored object's text"),
        (_, Some(old)) => Some(Input::read_via(old, via, release, &request.limits)),
    };
    let mut input = Input::read_via(text, via, release, &request.limits);
    let mut findings = std::mem::take(&mut input.file.findings);
    findings.extend(old.iter().flat_map(|old| &old.file.findings).map(stored));
    let mut answer = Answer { verb: Some("validate".to_owned()), ..Answer::default() };
    let mut checked = false;
    for (index, item) in input.items.iter().enumerate() {
        let mut object = Object::of(&input, item);
        match &item.what {
            What::Other => {
                object.valid = Some(None);
                object.status = Some(None);
                findings.push(other_group(item, index));
            }
            What::Refused(finding) => {
                checked = true;
                object.valid = Some(Some(false));
                object.status = Some(refused(item, finding).and_then(|status| to_raw_value(&status).ok()));
                findings.push(place(&input, item, index, finding.clone()));
            }
            What::Ours(api) => {
                checked = true;
                let case = Case { request, input: &input, item, api: *api, old: old.as_ref() };
                let verdict = case.judge();
                let refused = verdict.status.is_some() || verdict.findings.iter().any(|f| f.severity == Severity::Error);
                object.valid = Some(Some(!refused));
                object.status = Some(verdict.status.and_then(|status| to_raw_value(&status).ok()));
                findings.extend(verdict.findings.into_iter().map(|finding| place(&input, item, index, finding)));
            }
        }
        answer.objects.push(object);
    }
    if !checked && findings.iter().all(|finding| finding.severity != Severity::Error) {
        findings.push(nothing_checked(&input));
    }
    answer.ok = checked
        && findings.iter().all(|finding| finding.severity != Severity::Error)
        && answer.objects.iter().all(|object| object.valid != Some(Some(false)));
    answer.findings = findings.into_iter().map(|finding| answer::finding(&input.file.source, finding)).collect();
    answer
}

/// The server's answer to an object whose kind it does not know; `None` where not even the kind is there.
fn refused(item: &Item, finding: &Finding) -> Option<Status> {
    let version = item.api_version.rsplit('/').next().unwrap_or_default();
    let unicode = item.release.rules().unicode;
    (!item.kind.is_empty()).then(|| Status::undecodable(&item.kind, version, &finding.message, unicode))
}

/// A finding about the stored object: it has no place in the text.
fn stored(finding: &Finding) -> Finding {
    Finding::error(Code::StoredObject, Origin::Claimkit, format!("the stored object cannot be read: {}", finding.message))
        .with_help("give the object as the server stores it in `old`")
}

/// The decoding error the server answers with.
fn refusal<'d>(decoded: &'d Decoded<'_>) -> Option<&'d str> {
    decoded.answer.and_then(|answer| decoded.mismatches.get(answer)).map(|mismatch| mismatch.message.as_str())
}

/// A finding about `old`: its spans do not count in the text, so that the object as a whole stands for it.
fn without_place(mut finding: Finding) -> Finding {
    finding.span = None;
    finding.steps = vec![Step::Key("metadata".to_owned())];
    finding.at_key = true;
    finding
}

/// One object and what is done with it.
struct Case<'a, 's> {
    request: &'a Request,
    input: &'a Input<'s>,
    item: &'a Item,
    api: Api,
    old: Option<&'a Input<'s>>,
}

/// What is answered about one object.
#[derive(Default)]
struct Verdict {
    findings: Vec<Finding>,
    status: Option<Status>,
}

impl Case<'_, '_> {
    fn judge(&self) -> Verdict {
        let mut verdict = Verdict::default();
        if let Some(finding) = self.not_served() {
            verdict.findings.push(finding);
            return verdict;
        }
        let Some(mut decoded) = self.decode(self.input, self.item) else { return verdict };
        verdict.findings = decoding(&decoded, self.request.field_validation);
        if let Some(error) = refusal(&decoded) {
            verdict.status = self.undecodable(error);
            return verdict;
        }
        defaults::apply(&mut decoded.record, &self.api);
        let mut strict = self.strict_error(&decoded);
        match self.old {
            None => self.create(decoded.record, &mut verdict),
            Some(old) => {
                let stored = match self.partner(old) {
                    Ok(stored) => stored,
                    Err(finding) => {
                        verdict.findings.push(*finding);
                        return verdict;
                    }
                };
                if let Some(error) = refusal(&stored) {
                    self.stored_undecodable(error, &mut verdict);
                    return verdict;
                }
                if self.via() == Via::Validator && strict.is_none() {
                    strict = self.strict_error(&stored);
                    verdict.findings.extend(decoding(&stored, self.request.field_validation).into_iter().map(without_place));
                }
                let mut old = stored.record;
                defaults::apply(&mut old, &self.api);
                self.update(decoded.record, old, &mut verdict);
            }
        }
        if let Some(error) = strict {
            verdict.status = self.undecodable(&error);
        }
        verdict
    }

    fn via(&self) -> Via {
        self.request.via.unwrap_or_default()
    }

    fn undecodable(&self, error: &str) -> Option<Status> {
        let unicode = self.item.release.rules().unicode;
        Some(Status::undecodable(self.api.kind.kind, self.api.version.name, error, unicode))
    }

    /// The strict decoding error, where unknown and duplicate fields are errors.
    fn strict_error(&self, decoded: &Decoded<'_>) -> Option<String> {
        if self.request.field_validation != FieldValidation::Strict || decoded.strict.is_empty() {
            return None;
        }
        let items: Vec<&str> = decoded.strict.iter().map(|strict| strict.message.as_str()).collect();
        Some(format!("strict decoding error: {}", items.join(", ")))
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
    fn not_served(&self) -> Option<Finding> {
        let kind = self.api.kind.kind;
        if self.api.kind.items.is_some() {
            let message = format!("no matches for kind \"{kind}\" in version \"{}\"", self.api.version.api_version);
            let mut finding = Finding::error(Code::ListNotCreatable, Origin::Kubectl, message)
                .with_help("a List is submitted item by item: give it `items`");
            finding.steps = vec![Step::Key("kind".to_owned())];
            return Some(finding);
        }
        if self.request.operation == Operation::UpdateStatus && !self.api.kind.status {
            let message = format!("a `{kind}` has no status: use the operation `update`");
            let mut finding = Finding::error(Code::NoStatus, Origin::Claimkit, message);
            finding.steps = vec![Step::Key("kind".to_owned())];
            return Some(finding);
        }
        None
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
            (_, many) => {
                let same = |item: &&Item| item.kind == *kind && item.namespace == *namespace && item.name == *name;
                many.iter().find(same)
            }
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
        match self.via() {
            Via::Validator => pipeline::drop_status(&mut object, &mut changes),
            Via::Kubectl => {
                pipeline::fill_namespace(&mut object, self.api.kind.scope, namespace, &mut changes);
                pipeline::prepare_for_create(&mut object, &mut changes);
            }
        }
        let errors = validate::functions(self.api, &object, validate::Operation::Create, &context);
        verdict.status = self.invalid(&object, &errors);
        let once = self.via() == Via::Kubectl;
        verdict.findings.extend(findings(&errors, once));
    }

    fn update<'t>(&'t self, mut new: Record<'t>, mut old: Record<'t>, verdict: &mut Verdict) {
        let context = Context::new(self.item.release);
        let namespace = self.request.namespace.as_deref().unwrap_or("default");
        let mut changes = Changes::default();
        if self.via() == Via::Kubectl {
            pipeline::fill_namespace(&mut old, self.api.kind.scope, namespace, &mut Changes::default());
            pipeline::fill_namespace(&mut new, self.api.kind.scope, namespace, &mut changes);
            pipeline::fill_resource_version(&mut new, &old);
        }
        let operation = match self.request.operation {
            Operation::UpdateStatus => validate::Operation::UpdateStatus(&old),
            _ => validate::Operation::Update(&old),
        };
        let answered = pipeline::update(self.api, &new, operation, &context);
        verdict.status = self.invalid(&new, &answered);
        match self.via() {
            Via::Validator => {
                let errors = validate::functions(self.api, &new, operation, &context);
                verdict.findings.extend(findings(&errors, false));
            }
            Via::Kubectl => verdict.findings.extend(findings(&answered, true)),
        }
    }

    fn invalid(&self, object: &Record<'_>, errors: &[FieldError]) -> Option<Status> {
        let name = object.record("metadata").map_or("", |meta| meta.str("name"));
        Status::invalid(self.api.kind.kind, name, errors, self.item.release.rules().unicode)
    }
}

/// Validation errors as findings; with `once` each text once, as kubectl's user reads them.
fn findings(errors: &[FieldError], once: bool) -> Vec<Finding> {
    let mut seen = std::collections::BTreeSet::new();
    errors.iter().map(FieldError::finding).filter(|finding| !once || seen.insert(finding.message.clone())).collect()
}
