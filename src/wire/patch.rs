//! Validation of a patch: what the stored object would become, and whether the server would take it.

use super::answer::{self, Answer, Object};
use super::request::{FieldValidation, Operation, PatchType, Request, Via};
use crate::api::Api;
use crate::finding::{Code, Finding, Origin};
use crate::go::time::Time;
use crate::manifest::{Input, Item, What};
use crate::patch::{self, Refused, apply, merge, strategic};
use crate::record::decode::How;
use crate::record::{self, Record};
use crate::rules::Context;
use crate::server::options::{self, Options};
use crate::server::{Body, Status, prepare, stored, text};
use crate::text::bytes::HELP;
use crate::text::print::{self, Order};
use crate::text::{Mode, Tree};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Answers `validate` with the operations `patch` and `patchStatus`.
pub fn patch(request: &Request) -> Answer {
    let unusable = |error: &str| Answer::unusable(Some("validate"), error);
    let Some(old) = request.old.as_deref() else { return unusable("`old` is missing: a patch needs the stored object's text") };
    // Hosts whose functions take one text give the patch as that.
    let patch = match (request.patch.as_deref(), request.text.as_deref()) {
        (Some(patch), None) | (None, Some(patch)) => patch,
        (None, None) => return unusable("`patch` is missing: the text of the patch"),
        (Some(_), Some(_)) => return unusable("`text` does not go with `patch`: write one of them"),
    };
    if let Some(time) = request.time.as_deref()
        && let Err(error) = Time::parse(time)
    {
        return unusable(&format!("`time` is no time: {error}"));
    }
    let release = match request.release() {
        Ok(release) => release,
        Err(error) => return unusable(&error),
    };
    let mut answer = Answer::to("validate");
    if let Some(why) = request.damage("old") {
        answer.findings = vec![without_place(stored::damaged(why))];
        return answer;
    }
    let input = Input::read(old, release, &request.limits);
    let finding =
        match (input.file.findings.iter().find(|f| f.severity == crate::finding::Severity::Error), input.items.as_slice()) {
            (Some(finding), _) => stored::unreadable(finding),
            (None, [item]) => match &item.what {
                What::Ours(api) => {
                    let work = Work { request, input: &input, item, api: *api };
                    work.answer(patch, &mut answer);
                    return answer;
                }
                What::Refused(finding) => stored::unreadable(finding),
                What::Other => stored_is(format!("the stored object is a {} of {}", item.kind, item.api_version)),
            },
            (None, items) => stored_is(format!("`old` holds {} objects: a patch is for one", items.len())),
        };
    answer.findings = vec![without_place(finding)];
    answer
}

fn stored_is(message: String) -> Finding {
    Finding::error(Code::StoredObject, Origin::Claimkit, message)
}

/// The texts of a patch are two and the result is a third: findings tell paths, not places.
fn without_place(mut finding: Finding) -> answer::Finding {
    finding.span = None;
    finding.fixes.clear();
    answer::finding(&crate::text::Source::new(""), finding)
}

struct Work<'a, 's> {
    request: &'a Request,
    input: &'a Input<'s>,
    item: &'a Item,
    api: Api,
}

impl Work<'_, '_> {
    fn answer(&self, patch: &str, answer: &mut Answer) {
        let mut object = Object { range: None, valid: Some(Some(false)), ..Object::of(self.input, self.item) };
        let unicode = self.item.release.rules().unicode;
        match self.carry_out(patch) {
            Err(refused) => {
                answer.findings = refusal(&refused, unicode);
                let status = match &refused {
                    Stop::Patch(refused) => Status::patch(refused, unicode),
                    Stop::Status(status) => Some((**status).clone()),
                    Stop::Finding(_) => None,
                };
                object.status = Some(status.map(Box::new));
            }
            Ok(done) => {
                let judged = self.judge(&done.text);
                answer.findings = judged
                    .findings
                    .into_iter()
                    .map(|finding| answer::Finding { range: None, object: Some(0), ..finding })
                    .collect();
                for finding in &mut answer.findings {
                    finding.fixes.clear();
                }
                answer.ok = judged.ok;
                let verdict = judged.objects.into_iter().next().unwrap_or_default();
                object.valid = verdict.valid;
                object.status = verdict.status;
                object.object = RawValue::from_string(done.result).ok();
                object.changes = Some(done.changes);
            }
        }
        answer.objects.push(object);
    }

    fn read<'t>(&self, tree: &'t Tree<'_>, node: crate::text::NodeId, mode: Mode) -> Body<'t> {
        Body::read(tree, node, self.api, How::reaching(mode, Via::Kubectl, self.item.release))
    }

    fn status(&self) -> bool {
        self.request.operation == Operation::PatchStatus
    }

    fn carry_out(&self, patch: &str) -> Result<Done, Stop> {
        if self.status() && !self.api.kind.status {
            let message = format!("a `{}` has no status: use the operation `patch`", self.api.kind.kind);
            return Err(Stop::finding(Code::NoStatus, message));
        }
        self.options()?;
        let tree =
            self.input.tree(self.item).ok_or_else(|| Stop::finding(Code::StoredObject, "`old` holds no object".to_owned()))?;
        let old = self.read(tree, self.item.node, self.input.mode(self.item));
        if let Some(error) = old.decoded.mismatches.first() {
            let error = Finding::error(Code::TypeMismatch, Origin::Claimkit, error.message.clone());
            return Err(Stop::Finding(Box::new(stored::unreadable(&error))));
        }
        let live = self.value(old.record())?;
        let patch = read(patch, self.request)?;
        let patched = self.patched(&live, &patch)?;

        let text = patched.value.to_string();
        let file = crate::text::read(&text, &self.request.limits);
        let document = file.documents.first().and_then(|document| document.root.map(|root| (document, root)));
        let Some((document, root)) = document else {
            return Err(Stop::Patch(Refused::Ours("the patch leaves no object".to_owned())));
        };
        let new = self.read(&document.tree, root, Mode::Json);
        self.decodes(&new, &patched)?;
        let context = Context::new(self.item.release);
        let result = prepare::for_update(new.record(), old.record(), self.status(), &context);
        let mut printed = String::new();
        record::encode(&result, self.item.release, &mut printed);
        let mut changes = Vec::new();
        differences(&live, &self.value(&result)?, &mut String::new(), &mut changes);
        Ok(Done { text, result: printed, changes })
    }

    /// Options that the server refuses.
    fn options(&self) -> Result<(), Stop> {
        let named = self.request.field_manager.as_deref().is_some_and(|manager| !manager.is_empty());
        let status = match self.request.patch_type {
            PatchType::Apply if !named => {
                Status::bad_options("fieldManager", "FieldValueRequired", "Required value: is required for apply patch")
            }
            PatchType::Apply => return Ok(()),
            _ if self.request.force => {
                Status::bad_options("force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch")
            }
            _ => return Ok(()),
        };
        Err(Stop::Status(Box::new(status)))
    }

    fn value(&self, record: &Record<'_>) -> Result<Value, Stop> {
        let mut text = String::new();
        record::encode(record, self.item.release, &mut text);
        serde_json::from_str::<Value>(&text)
            .map_err(|_| Stop::finding(Code::StoredObject, "the stored object is nested too deep".to_owned()))
    }

    fn writer(&self) -> apply::Writer<'_> {
        apply::Writer {
            manager: self.request.field_manager.as_deref().unwrap_or(""),
            api_version: self.api.version.api_version,
            schema: self.api.kind.schema,
            release: self.item.release,
            status: self.status(),
            has_status: self.api.kind.status,
            time: self.request.time.as_deref(),
            force: self.request.force,
        }
    }

    fn patched(&self, live: &Value, patch: &Value) -> Result<Patched, Stop> {
        let mut strict = Vec::new();
        let mut value = match self.request.patch_type {
            PatchType::Json => {
                let (value, found) = crate::patch::json::apply(live, patch)?;
                strict = found;
                value
            }
            PatchType::Merge => merge::apply(live, patch)?,
            PatchType::Strategic => strategic::apply(live, patch, self.api.kind.schema, self.item.release)?,
            PatchType::Apply => {
                self.same_object(patch)?;
                apply::apply(live, patch, &self.writer(), self.item.release.rules().unicode)?
            }
        };
        let shown = match self.request.patch_type {
            PatchType::Json | PatchType::Merge => patch::html_escaped(&in_go_order(live, &value).to_string()),
            PatchType::Strategic | PatchType::Apply => patch::go_print(patch),
        };
        let writes = self.request.patch_type != PatchType::Apply && self.request.field_manager.is_some();
        if writes && value.is_object() {
            value = apply::update(live, &value, &self.writer())?;
        }
        Ok(Patched { value, shown, strict })
    }

    /// A configuration to apply says which object it is for.
    fn same_object(&self, config: &Value) -> Result<(), Stop> {
        let text = |path: &str| config.pointer(path).and_then(Value::as_str).unwrap_or("");
        let wrong = |message: String| Err(Stop::Patch(Refused::Ours(message)));
        if !config.is_object() {
            return wrong("a configuration to apply is an object with `apiVersion`, `kind` and `metadata.name`".to_owned());
        }
        for (path, field, want) in [
            ("/apiVersion", "apiVersion", self.api.version.api_version),
            ("/kind", "kind", self.api.kind.kind),
            ("/metadata/name", "metadata.name", self.item.name.as_str()),
        ] {
            let have = text(path);
            if have != want {
                return wrong(format!("`{field}` of the configuration is `{have}`, that of the stored object `{want}`"));
            }
        }
        Ok(())
    }

    /// The patched object must be one of its kind, without unknown fields where they are errors.
    fn decodes(&self, new: &Body<'_>, patched: &Patched) -> Result<(), Stop> {
        let invalid = |detail: String| Err(Stop::Patch(Refused::Invalid { value: patched.shown.clone(), detail }));
        if let Some(error) = new.mismatch() {
            return match self.request.patch_type {
                PatchType::Json | PatchType::Merge => invalid(error.to_owned()),
                // Here the server decodes from maps and words it in another way.
                PatchType::Strategic | PatchType::Apply => {
                    Err(Stop::Patch(Refused::Ours(format!("the patched object does not decode: {error}"))))
                }
            };
        }
        let strict: Vec<&str> = patched
            .strict
            .iter()
            .map(String::as_str)
            .chain(new.decoded.strict.iter().map(|strict| strict.message.as_str()))
            .collect();
        if self.request.field_validation == FieldValidation::Strict && !strict.is_empty() {
            return invalid(format!("strict decoding error: {}", strict.join(", ")));
        }
        Ok(())
    }

    /// The result judged as the update it is.
    fn judge(&self, patched: &str) -> Answer {
        let stored = self.request.old.as_deref().unwrap_or_default();
        let update = if self.status() { options::Operation::UpdateStatus } else { options::Operation::Update };
        let operation = update(stored);
        let release = Some(self.item.release);
        Answer::from(text::validate(patched, &Options { release, operation, ..self.request.options() }))
    }
}

/// A patched object before it is judged.
struct Patched {
    value: Value,
    /// What the server shows of it in an error.
    shown: String,
    /// Strict errors of the patch itself.
    strict: Vec<String>,
}

struct Done {
    text: String,
    result: String,
    changes: Vec<Value>,
}

enum Stop {
    Patch(Refused),
    Status(Box<Status>),
    Finding(Box<Finding>),
}

impl Stop {
    fn finding(code: Code, message: String) -> Self {
        Stop::Finding(Box::new(Finding::error(code, Origin::Claimkit, message)))
    }
}

impl From<Refused> for Stop {
    fn from(refused: Refused) -> Self {
        Stop::Patch(refused)
    }
}

/// The patch as kubectl sends it: YAML and JSON become one JSON value.
fn read(text: &str, request: &Request) -> Result<Value, Stop> {
    let wrong = |message: String| Stop::finding(Code::PatchRefused, message);
    if let Some(why) = request.damage("text") {
        let finding = Finding::error(Code::PatchRefused, Origin::Claimkit, format!("the patch cannot be read: {why}"));
        return Err(Stop::Finding(Box::new(finding.with_help(HELP))));
    }
    let file = crate::text::read(text, &request.limits);
    if let Some(finding) = file.findings.iter().find(|finding| finding.severity == crate::finding::Severity::Error) {
        return Err(wrong(format!("the patch cannot be read: {}", finding.message)));
    }
    let root = match file.documents.as_slice() {
        [document] => document.root.map(|root| (document, root)),
        [] => return Ok(Value::Null),
        _ => return Err(wrong("the patch holds more than one document".to_owned())),
    };
    let Some((document, root)) = root else { return Ok(Value::Null) };
    let mut out = String::new();
    if !print::json(&document.tree, root, Order::Sorted, request.limits.bytes, &mut out) {
        return Err(wrong(format!("the patch has more than {} bytes once aliases are written out", request.limits.bytes)));
    }
    serde_json::from_str::<Value>(&out).map_err(|_| wrong("the patch is nested deeper than 127 levels".to_owned()))
}

fn refusal(stop: &Stop, unicode: crate::go::GoUnicode) -> Vec<answer::Finding> {
    let finding = match stop {
        Stop::Finding(finding) => (**finding).clone(),
        Stop::Status(status) => Finding::error(Code::PatchRefused, Origin::ApiServer, status.message.clone()),
        Stop::Patch(Refused::Ours(message)) => Finding::error(Code::PatchRefused, Origin::Claimkit, message.clone()),
        Stop::Patch(Refused::Conflicts(conflicts)) => {
            let finding = |conflict: &patch::Conflict| {
                let message = format!("conflict with {}: {}", conflict.manager, conflict.path);
                let mut finding = Finding::error(Code::ApplyConflict, Origin::ApiServer, message)
                    .with_help("set `force` to take the field over, or leave it out of what is applied");
                finding.path = Some(conflict.path.trim_start_matches('.').to_owned());
                finding.object = Some(0);
                without_place(finding)
            };
            return conflicts.iter().map(finding).collect();
        }
        Stop::Patch(refused) => {
            let message = Status::patch(refused, unicode).map_or_else(String::new, |status| status.message);
            let finding = Finding::error(Code::PatchRefused, Origin::ApiServer, message);
            match refused {
                Refused::Rejected(reason) => finding.with_help(reason.clone()),
                _ => finding,
            }
        }
    };
    vec![without_place(Finding { object: Some(0), ..finding })]
}

/// The order in which the server prints a patched document: maps that the patch reached are sorted, others as they were.
fn in_go_order(old: &Value, new: &Value) -> Value {
    match (old, new) {
        _ if old == new => old.clone(),
        (Value::Object(old), Value::Object(new)) => {
            let mut keys: Vec<&String> = new.keys().collect();
            keys.sort();
            let value = |key: &String| {
                let new = new.get(key).cloned().unwrap_or(Value::Null);
                old.get(key).map_or(new.clone(), |old| in_go_order(old, &new))
            };
            Value::Object(keys.into_iter().map(|key| (key.clone(), value(key))).collect())
        }
        _ => new.clone(),
    }
}

fn operation(op: &str, path: &str, value: Option<&Value>) -> Value {
    let mut members = Map::new();
    members.insert("op".to_owned(), Value::String(op.to_owned()));
    members.insert("path".to_owned(), Value::String(path.to_owned()));
    if let Some(value) = value {
        members.insert("value".to_owned(), value.clone());
    }
    Value::Object(members)
}

/// What leads from one value to the other, as JSON patch operations.
fn differences(old: &Value, new: &Value, path: &mut String, out: &mut Vec<Value>) {
    let len = path.len();
    let mut below = |path: &mut String, name: &str, old: Option<&Value>, new: Option<&Value>| {
        path.push('/');
        path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        match (old, new) {
            (Some(old), Some(new)) => differences(old, new, path, out),
            (Some(_), None) => out.push(operation("remove", path, None)),
            (None, Some(new)) => out.push(operation("add", path, Some(new))),
            (None, None) => {}
        }
        path.truncate(len);
    };
    match (old, new) {
        _ if old == new => {}
        (Value::Object(before), Value::Object(after)) => {
            for (name, old) in before {
                below(path, name, Some(old), after.get(name));
            }
            for (name, new) in after.iter().filter(|(name, _)| !before.contains_key(name.as_str())) {
                below(path, name, None, Some(new));
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() <= after.len() => {
            for (at, new) in after.iter().enumerate() {
                below(path, &at.to_string(), before.get(at), Some(new));
            }
        }
        _ => out.push(operation("replace", path, Some(new))),
    }
}
