//! A patch of a stored object: the patched object, and whether the server accepts it.

use crate::apiserver::body::{Body, FieldValidation};
use crate::apiserver::changes::Changes;
use crate::apiserver::identify::{PatchedKind, identify};
use crate::apiserver::options::{self, StoredAs, ValidateOptions};
use crate::apiserver::patch_refusal::{PatchStop, of_patch, refusal};
use crate::apiserver::status::Status;
use crate::apiserver::text::Judged;
use crate::apiserver::{prepare, stored, text};
use crate::manifest::{Input, Item, What};
use crate::patch::difference::{differences, operation};
use crate::patch::{self, PatchRefusal, apply, merge, numbers, strategic};
use crate::validation::errors::Errors;
use crate::validation::{Context, metadata};
use claimkit_model::error::Error;
use claimkit_model::finding::{Code, Finding, Origin, Path, Severity, TextField};
use claimkit_model::message::{Message, message};
use claimkit_model::object::decode::How;
use claimkit_model::schema::{Api, FieldType, Scope};
use claimkit_model::text::print::{self, Order};
use claimkit_model::text::{Mode, Tree};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// The type of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum PatchType {
    /// JSON patch (RFC 6902).
    Json,
    /// JSON merge patch (RFC 7386).
    Merge,
    /// Strategic merge patch, kubectl's default.
    #[default]
    Strategic,
    Apply,
}

/// A patch and the options of its request.
///
/// ```
/// use claimkit::{Patch, PatchType};
///
/// let patch = Patch::new(PatchType::Apply, "status: {}").status().field_manager("driver").force().time("2026-01-02T15:04:05Z");
/// assert!(patch.status && patch.force);
/// assert_eq!(patch.field_manager, Some("driver"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Patch<'a> {
    /// Its text, YAML or JSON.
    pub text: &'a str,
    pub kind: PatchType,
    /// It goes to the subresource `status`.
    pub status: bool,
    /// The field manager. [`PatchType::Apply`] requires it; with the other types it owns the fields that the patch writes.
    pub field_manager: Option<&'a str>,
    /// [`PatchType::Apply`] takes over fields of other managers.
    pub force: bool,
    /// The time of the request in RFC 3339, for `managedFields`; `None`: the entry has no time.
    pub time: Option<&'a str>,
}

impl<'a> Patch<'a> {
    /// Returns a patch of a type with the default options of kubectl.
    pub fn new(kind: PatchType, text: &'a str) -> Self {
        Patch {
            text,
            kind,
            ..Patch::default()
        }
    }

    /// Sends the patch to the subresource `status`.
    pub fn status(mut self) -> Self {
        self.status = true;
        self
    }

    /// Sets the field manager.
    pub fn field_manager(mut self, manager: &'a str) -> Self {
        self.field_manager = Some(manager);
        self
    }

    /// Takes over fields of other managers, with [`PatchType::Apply`].
    pub fn force(mut self) -> Self {
        self.force = true;
        self
    }

    /// Sets the time of the request, RFC 3339.
    pub fn time(mut self, time: &'a str) -> Self {
        self.time = Some(time);
        self
    }
}

/// The server's answer to a patch. A finding is about the patch, the stored object, or the result. The result is not a text
/// that anybody wrote, so a finding about it has a path but no position.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Patched {
    pub findings: Vec<Finding>,
    /// The judged object; `None` if the stored text has no object to patch.
    pub judged: Option<Judged>,
    /// The patched object as JSON; `None` if the patch fails.
    pub json: Option<String>,
    /// The difference from the stored object, as a JSON patch (RFC 6902); `None` if the patch fails.
    pub changes: Option<Vec<Value>>,
    /// The server accepts the patched object.
    pub ok: bool,
}

/// Patches the object of the text `old` as kube-apiserver does.
///
/// # Errors
/// A feature gate that the release does not know or has locked.
///
/// ```
/// use claimkit::{Patch, PatchType, ValidateOptions};
/// let stored = "
/// apiVersion: resource.k8s.io/v1
/// kind: DeviceClass
/// metadata: {name: gpu, resourceVersion: '1'}
/// spec: {selectors: [{cel: {expression: device.driver == 'a.example.com'}}]}
/// ";
/// let change = Patch::new(PatchType::Merge, "metadata: {labels: {team: a}}");
/// let patched = claimkit::patch(stored, &change, &ValidateOptions::default()).unwrap();
/// assert!(patched.ok);
/// assert_eq!(patched.changes.unwrap()[0]["path"], "/metadata/labels");
/// ```
pub fn patch(
    old: &str,
    patch: &Patch<'_>,
    options: &ValidateOptions<'_>,
) -> Result<Patched, Error> {
    let input = Input::read(old, options.release, &options.limits);
    if let Some(finding) = input
        .file
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Error)
    {
        return refused_with(stored::unreadable(finding));
    }
    let finding = match input.items.as_slice() {
        [item] => match &item.what {
            What::Ours(api) => {
                return PatchRequest {
                    patch,
                    options,
                    old: Some(old),
                    input: &input,
                    item,
                    api: *api,
                }
                .answer();
            }
            What::Refused(finding) => stored::unreadable(finding),
            What::Other => stored_is(message!(
                "server.stored-of-other-group",
                "the stored object is a {kind} of {version}",
                kind = item.kind,
                version = item.api_version,
            )),
        },
        items => stored_is(message!(
            "server.several-stored-objects",
            "`old` holds {count} objects: a patch is for one",
            count = items.len(),
        )),
    };
    refused_with(finding)
}

fn refused_with(finding: Finding) -> Result<Patched, Error> {
    Ok(Patched {
        findings: vec![finding],
        ..Patched::default()
    })
}

/// Applies a configuration on the server's side if no object of its name is stored: the server creates the object.
///
/// # Errors
/// A feature gate that the release does not know or has locked.
pub fn apply_new(patch: &Patch<'_>, options: &ValidateOptions<'_>) -> Result<Patched, Error> {
    let refused = |finding| {
        Ok(Patched {
            findings: vec![of_patch(finding)],
            ..Patched::default()
        })
    };
    let wrong = |message: Message| Finding::new(Code::PatchRefused, message);
    let input = Input::read(patch.text, options.release, &options.limits);
    if let Some(finding) = input
        .file
        .findings
        .iter()
        .find(|finding| finding.severity == Severity::Error)
    {
        return refused(unread(finding));
    }
    let finding = match input.items.as_slice() {
        [item] => match &item.what {
            What::Ours(api) => {
                return PatchRequest {
                    patch,
                    options,
                    old: None,
                    input: &input,
                    item,
                    api: *api,
                }
                .answer();
            }
            What::Refused(finding) => Finding {
                span: Some(item.span),
                ..finding.clone()
            },
            What::Other => wrong(message!(
                "server.applied-of-other-group",
                "what is applied is a {kind} of {version}",
                kind = item.kind,
                version = item.api_version,
            )),
        },
        items => wrong(message!(
            "server.several-applied-objects",
            "the patch holds {count} objects: apply is for one",
            count = items.len(),
        )),
    };
    refused(finding)
}

pub(super) fn stored_is(message: Message) -> Finding {
    Finding::new(Code::StoredObject, message).about(TextField::Old)
}

/// Reports that the patch cannot be read because its text has this finding.
fn unread(finding: &Finding) -> Finding {
    Finding {
        span: finding.span,
        ..Finding::new(
            Code::PatchRefused,
            message!(
                "server.patch-unreadable",
                "the patch cannot be read: {problem}",
                problem = finding.message
            ),
        )
    }
}

/// Returns true if a patch, or one of its operations, is about the status.
fn writes_status(patch: &Value) -> bool {
    match patch {
        Value::Object(fields) => fields.contains_key("status"),
        Value::Array(operations) => operations.iter().any(|operation| {
            let path = operation.get("path").and_then(Value::as_str);
            path.and_then(|path| path.strip_prefix("/status"))
                .is_some_and(|below| below.is_empty() || below.starts_with('/'))
        }),
        _ => false,
    }
}

/// Reports that the status of a patch has no effect: an update of the object keeps the stored one (kube-apiserver,
/// pkg/registry/resource/resourceclaim/strategy.go, `PrepareForUpdate`).
fn ignored_status() -> Finding {
    let message = message!(
        "server.patched-status-ignored",
        "the server ignores `status` in this patch"
    );
    Finding::new(Code::StatusDropped, message)
        .about(TextField::Patch)
        .with_help(message!(
            "server.patched-status-ignored-help",
            "send it as a status patch: `operation: patchStatus`"
        ))
        .with_command_help(message!(
            "server.patched-status-ignored-command",
            "send it with `--subresource status`"
        ))
}

/// Makes a finding one about the result's validation. A finding about the stored object keeps its position.
fn of_result(finding: Finding) -> Finding {
    let finding = Finding {
        object: Some(0),
        fixes: Vec::new(),
        ..finding
    };
    match finding.within {
        TextField::Old => finding,
        _ => Finding {
            span: None,
            ..finding.about(TextField::Patch)
        },
    }
}

/// A patch of one object.
pub(super) struct PatchRequest<'a, 's> {
    pub(super) patch: &'a Patch<'a>,
    pub(super) options: &'a ValidateOptions<'a>,
    /// The text of the stored object; `None`: the patch creates one.
    old: Option<&'a str>,
    /// The parsed text of the stored object, or of the configuration if there is none.
    input: &'a Input<'s>,
    pub(super) item: &'a Item,
    pub(super) api: Api,
}

impl PatchRequest<'_, '_> {
    fn answer(&self) -> Result<Patched, Error> {
        let unicode = self.item.release.rules().unicode;
        let outcome = if self.old.is_some() {
            self.carry_out()
        } else {
            self.create()
        };
        let done = match outcome {
            Ok(done) => done,
            Err(refused) => {
                let findings = refusal(&refused, self.api, unicode);
                let status = match refused {
                    PatchStop::Patch(refused) => Status::patch(&refused, unicode).map(Box::new),
                    PatchStop::Status(status) => Some(status),
                    PatchStop::Finding(_) => None,
                };
                let judged = Judged {
                    valid: Some(false),
                    status,
                    ..Judged::of(self.item)
                };
                return Ok(Patched {
                    findings,
                    judged: Some(judged),
                    ..Patched::default()
                });
            }
        };
        let mut report = self.judge(&done.text);
        if let Some(error) = report.unusable {
            return Err(error);
        }
        let verdict = report.objects.pop();
        // If validation returns the stored form of the object, that form is the result.
        let stored = verdict.as_ref().and_then(|verdict| verdict.stored.clone());
        let result = stored.unwrap_or(done.result);
        let mut changes = Vec::new();
        match &done.live {
            Some(live) => differences(live, &result, &mut String::new(), &mut changes),
            None => changes.push(operation("add", "", Some(&result))),
        }
        let mut findings: Vec<Finding> = report.findings.into_iter().map(of_result).collect();
        findings.extend(done.ignored_status.then(ignored_status));
        Ok(Patched {
            findings,
            judged: verdict.map(|verdict| Judged {
                valid: verdict.valid,
                status: verdict.status,
                ..Judged::of(self.item)
            }),
            json: Some(result.to_string()),
            changes: Some(changes),
            ok: report.ok,
        })
    }

    pub(super) fn read<'t>(
        &self,
        tree: &'t Tree<'_>,
        node: claimkit_model::text::NodeId,
        mode: Mode,
    ) -> Body<'t> {
        Body::read(tree, node, self.api, How::stored(mode, self.item.release))
    }

    fn carry_out(&self) -> Result<Done, PatchStop> {
        if self.patch.status && !self.api.kind.status_in(self.item.release) {
            return Err(PatchStop::finding(
                Code::NoStatus,
                stored::no_status(self.api.kind.kind, "patch"),
            ));
        }
        self.check_options()?;
        let tree = self
            .input
            .tree(self.item)
            .ok_or_else(|| PatchStop::Finding(Box::new(stored_is(stored::no_object()))))?;
        let mut old = self.read(tree, self.item.node, self.input.mode(self.item));
        if let Some(error) = old.decoded.mismatches.first() {
            let error =
                Finding::upstream(Code::TypeMismatch, Origin::Claimkit, error.message.clone())
                    .with_span(error.span);
            return Err(PatchStop::Finding(Box::new(stored::unreadable(&error))));
        }
        // A stored object always has its namespace, even if its text leaves it out.
        prepare::fill_namespace(
            &mut old.decoded.record,
            self.api.kind.scope,
            self.namespace(),
            &mut Changes::default(),
        );
        let live = self.value(old.record())?;
        let patch = self.read_patch()?;
        let ignored_status = !self.patch.status
            && self.api.kind.status_in(self.item.release)
            && writes_status(&patch);
        let patched = self.owned(old.record(), self.patched(&live, &patch)?)?;
        Ok(Done {
            live: Some(live),
            ignored_status,
            ..self.decoded(&patched, Some(&old))?
        })
    }

    fn namespace(&self) -> &str {
        self.options.namespace.unwrap_or("default")
    }

    /// Applies when no object is stored.
    fn create(&self) -> Result<Done, PatchStop> {
        let Item { name, release, .. } = self.item;
        self.check_options()?;
        if name.is_empty() {
            return Err(PatchStop::finding(
                Code::PatchRefused,
                message!(
                    "server.applied-without-name",
                    "a configuration to apply names its object: `metadata.name`"
                ),
            ));
        }
        if self.patch.status {
            let status = Status::not_found(self.api.kind.plural, name, release.rules().unicode);
            return Err(PatchStop::Status(Box::new(status)));
        }
        let nothing = Value::Object(Map::new());
        let patched = self.patched(&nothing, &self.read_patch()?)?;
        self.decoded(&patched, None)
    }

    /// Decodes the patched object and prepares it as an update or as a new object.
    fn decoded(&self, patched: &Unjudged, old: Option<&Body<'_>>) -> Result<Done, PatchStop> {
        let text = match old {
            Some(_) => self.written(&self.with_namespace(&patched.value)),
            None => self.written(&patched.value),
        };
        let file = claimkit_model::text::read(&text, &self.options.limits);
        let document = file
            .documents
            .first()
            .and_then(|document| document.root.map(|root| (document, root)));
        let Some((document, root)) = document else {
            return Err(PatchStop::Patch(PatchRefusal::Ours(message!(
                "server.patch-leaves-nothing",
                "the patch leaves no object"
            ))));
        };
        let new = self.read(&document.tree, root, Mode::Json);
        self.decodes(&new, patched)?;
        if old.is_some() {
            self.names_stored(&new)?;
        }
        let result = match old {
            Some(old) => {
                let context = Context::new(self.item.release);
                prepare::for_update(new.record(), old.record(), self.patch.status, &context)
            }
            None => {
                let mut record = new.record().clone();
                prepare::fill_namespace(
                    &mut record,
                    self.api.kind.scope,
                    self.namespace(),
                    &mut Changes::default(),
                );
                prepare::for_create(&mut record, &mut Changes::default());
                record
            }
        };
        Ok(Done {
            result: self.value(&result)?,
            text,
            live: None,
            ignored_status: false,
        })
    }

    /// Returns the namespace of the stored object.
    fn stored_namespace(&self) -> &str {
        if self.item.namespace.is_empty() {
            self.namespace()
        } else {
            &self.item.namespace
        }
    }

    /// Gives a patched object the namespace of the request, if it has none (apiserver, pkg/registry/rest/meta.go,
    /// `EnsureObjectNamespaceMatchesRequestNamespace`).
    fn with_namespace<'v>(&self, value: &'v Value) -> Cow<'v, Value> {
        let own = value.pointer("/metadata/namespace");
        let lacks = own.is_none_or(|namespace| namespace.is_null() || namespace == "");
        let mut value = Cow::Borrowed(value);
        if lacks
            && self.api.kind.scope == Scope::Namespaced
            && value.get("metadata").is_some_and(Value::is_object)
            && let Some(metadata) = value
                .to_mut()
                .get_mut("metadata")
                .and_then(Value::as_object_mut)
        {
            metadata.insert("namespace".to_owned(), self.stored_namespace().into());
        }
        value
    }

    /// Refuses a patched object of another namespace or name than the request's (apiserver, pkg/endpoints/handlers/patch.go,
    /// `applyPatch`).
    fn names_stored(&self, new: &Body<'_>) -> Result<(), PatchStop> {
        let refused =
            |message: String| Err(PatchStop::Status(Box::new(Status::bad_request(message))));
        let metadata = new.record().record("metadata");
        let [name, namespace] =
            ["name", "namespace"].map(|name| metadata.map_or("", |metadata| metadata.str(name)));
        let asked = &self.item.name;
        if self.api.kind.scope == Scope::Namespaced
            && !namespace.is_empty()
            && namespace != self.stored_namespace()
        {
            return Err(PatchStop::Status(Box::new(Status::other_namespace())));
        }
        if name.is_empty() {
            return refused(format!(
                "the name of the object ({asked} based on URL) was undeterminable: name must be provided"
            ));
        }
        if name != asked {
            return refused(format!(
                "the name of the object ({name}) does not match the name on the URL ({asked})"
            ));
        }
        Ok(())
    }

    /// Refuses options as the server does.
    fn check_options(&self) -> Result<(), PatchStop> {
        let manager = self.patch.field_manager.unwrap_or_default();
        let mut errors = Errors::new(self.item.release);
        let path = Path::ROOT.field("fieldManager");
        match self.patch.kind {
            PatchType::Apply if manager.is_empty() => {
                errors.required(Code::PatchRefused, &path, "is required for apply patch");
            }
            PatchType::Apply => {}
            _ if self.patch.force => {
                let force = Path::ROOT.field("force");
                errors.forbidden(
                    Code::PatchRefused,
                    &force,
                    "may not be specified for non-apply patch",
                );
            }
            _ => {}
        }
        metadata::manager(manager, &path, &mut errors);
        match Status::bad_options(errors.list()) {
            Some(status) => Err(PatchStop::Status(Box::new(status))),
            None => Ok(()),
        }
    }

    fn patched(&self, live: &Value, patch: &Value) -> Result<Unjudged, PatchStop> {
        let mut strict = Vec::new();
        let value = match self.patch.kind {
            PatchType::Json => {
                let (value, found) = crate::patch::json::apply(live, patch)?;
                strict = found;
                value
            }
            // The patch is decoded for its unknown fields only.
            PatchType::Merge
                if patch.is_array() && self.options.field_validation == FieldValidation::Ignore =>
            {
                patch.clone()
            }
            PatchType::Merge => merge::apply(live, patch)?,
            PatchType::Strategic => {
                strategic::apply(live, patch, self.api.kind.schema, self.item.release)?
            }
            PatchType::Apply => {
                self.check_kind(patch)?;
                apply::apply(
                    live,
                    patch,
                    &self.writer(),
                    self.item.release.rules().unicode,
                )?
            }
        };
        let shown = match self.patch.kind {
            PatchType::Json | PatchType::Merge => self.written(&value),
            PatchType::Strategic | PatchType::Apply => patch::go_print(patch),
        };
        let mut value = self.with_kind(value);
        if matches!(self.patch.kind, PatchType::Strategic | PatchType::Apply) {
            numbers::truncate_integers(&FieldType::Struct(self.api.kind.schema), &mut value);
        }
        Ok(Unjudged {
            value,
            shown,
            strict,
        })
    }

    /// Returns the text that the server decodes. For strategic patches and apply it has a map, whose numbers are 64-bit ones and
    /// whose parts of any JSON it prints again with sorted keys.
    pub(super) fn written(&self, value: &Value) -> String {
        match self.patch.kind {
            PatchType::Json | PatchType::Merge => numbers::print_text(value),
            PatchType::Strategic | PatchType::Apply => numbers::print_map(value),
        }
    }

    /// Fills in a missing kind. A strategic merge patch is merged into the typed object, which has its kind and version anyway.
    fn with_kind(&self, mut value: Value) -> Value {
        let identity = [
            ("apiVersion", self.api.version.api_version),
            ("kind", self.api.kind.kind),
        ];
        let strategic = self.patch.kind == PatchType::Strategic;
        if let Some(members) = value
            .as_object_mut()
            .filter(|_| self.patch.kind != PatchType::Apply)
        {
            for (name, own) in identity {
                let missing = matches!(members.get(name), None | Some(Value::Null))
                    || members.get(name).is_some_and(|text| text == "");
                let replaced = strategic && members.get(name).is_some_and(Value::is_string);
                if replaced || (missing && (strategic || name == "kind")) {
                    members.insert(name.to_owned(), own.into());
                }
            }
        }
        value
    }

    /// Refuses a configuration to apply whose kind differs from the stored object's (apimachinery 1.37, pkg/util/managedfields/internal/versioncheck.go).
    fn check_kind(&self, config: &Value) -> Result<(), PatchStop> {
        if !config.is_object() {
            let message = message!(
                "server.applied-without-kind",
                "a configuration to apply is an object with `apiVersion` and `kind`"
            );
            return Err(PatchStop::Patch(PatchRefusal::Ours(message)));
        }
        let [api_version, kind] = ["apiVersion", "kind"]
            .map(|name| config.get(name).and_then(Value::as_str).unwrap_or(""));
        if (api_version, kind) == (self.api.version.api_version, self.api.kind.kind) {
            return Ok(());
        }
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let named = if version.contains('/') {
            "/, Kind=".to_owned()
        } else {
            format!("{group}/{version}, Kind={kind}")
        };
        Err(PatchStop::Patch(PatchRefusal::BadRequest(format!(
            "invalid object type: {named}"
        ))))
    }

    /// Checks that the patched object decodes as its kind, without unknown fields if field validation is strict.
    pub(super) fn decodes(&self, new: &Body<'_>, patched: &Unjudged) -> Result<(), PatchStop> {
        let invalid = |detail: String| {
            Err(PatchStop::Patch(PatchRefusal::Invalid {
                value: patched.shown.clone(),
                detail,
            }))
        };
        if matches!(self.patch.kind, PatchType::Json | PatchType::Merge) {
            match identify(&patched.value, self.api, self.item.release) {
                PatchedKind::Same => {}
                PatchedKind::Refused(error) => return invalid(error),
                PatchedKind::Internal => return self.internal(patched),
                PatchedKind::Foreign => {
                    let message = message!(
                        "server.patched-of-other-group",
                        "the patched object has a kind of another group, which the server does not take here"
                    );
                    return Err(PatchStop::Patch(PatchRefusal::Ours(message)));
                }
            }
        }
        if let Some(error) = new.mismatch() {
            return match self.patch.kind {
                PatchType::Json | PatchType::Merge => invalid(error.to_owned()),
                // For these types the server decodes from maps and uses other words.
                PatchType::Strategic | PatchType::Apply => {
                    Err(PatchStop::Patch(PatchRefusal::Ours(message!(
                        "server.patched-undecodable",
                        "the patched object does not decode: {error}",
                        error,
                    ))))
                }
            };
        }
        let strict: Vec<&str> = patched
            .strict
            .iter()
            .map(String::as_str)
            .chain(
                new.decoded
                    .strict
                    .iter()
                    .map(|strict| strict.message.as_str()),
            )
            .collect();
        if self.options.field_validation == FieldValidation::Strict && !strict.is_empty() {
            return invalid(format!("strict decoding error: {}", strict.join(", ")));
        }
        Ok(())
    }

    /// Answers a document without `apiVersion`. The server decodes it as its internal type, to which every field but `kind` is
    /// unknown.
    fn internal(&self, patched: &Unjudged) -> Result<(), PatchStop> {
        let members = patched
            .value
            .as_object()
            .into_iter()
            .flat_map(|members| members.keys());
        let unknown = members.filter(|name| !matches!(name.as_str(), "apiVersion" | "kind"));
        let errors: Vec<String> = unknown
            .map(|name| format!("unknown field \"{name}\""))
            .collect();
        if self.options.field_validation == FieldValidation::Strict && !errors.is_empty() {
            let strict: Vec<&str> = patched
                .strict
                .iter()
                .chain(&errors)
                .map(String::as_str)
                .collect();
            let detail = format!("strict decoding error: {}", strict.join(", "));
            return Err(PatchStop::Patch(PatchRefusal::Invalid {
                value: patched.shown.clone(),
                detail,
            }));
        }
        let name = &self.item.name;
        let message = format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        );
        Err(PatchStop::Status(Box::new(Status::bad_request(message))))
    }

    /// Reads the patch as kubectl sends it: one JSON value, whether its text is YAML or JSON.
    fn read_patch(&self) -> Result<Value, PatchStop> {
        let file = claimkit_model::text::read(self.patch.text, &self.options.limits);
        if let Some(finding) = file
            .findings
            .iter()
            .find(|finding| finding.severity == Severity::Error)
        {
            return Err(PatchStop::Finding(Box::new(unread(finding))));
        }
        let root = match file.documents.as_slice() {
            [document] => document.root.map(|root| (document, root)),
            [] => return Ok(Value::Null),
            _ => {
                let message = message!(
                    "server.patch-several-documents",
                    "the patch holds more than one document"
                );
                return Err(PatchStop::finding(Code::PatchRefused, message));
            }
        };
        let Some((document, root)) = root else {
            return Ok(Value::Null);
        };
        let mut out = String::new();
        if !print::json(
            &document.tree,
            root,
            Order::Sorted,
            self.options.limits.bytes,
            &mut out,
        ) {
            let message = message!(
                "server.patch-too-large",
                "the patch has more than {bytes} bytes once aliases are written out",
                bytes = self.options.limits.bytes,
            );
            return Err(PatchStop::finding(Code::PatchRefused, message));
        }
        serde_json::from_str::<Value>(&out).map_err(|_| {
            let message = message!(
                "server.patch-too-deep",
                "the patch is nested deeper than {levels} levels",
                levels = 127
            );
            PatchStop::finding(Code::PatchRefused, message)
        })
    }

    /// Judges the result as an update or a create.
    fn judge<'t>(&'t self, patched: &'t str) -> text::Report<'t> {
        let operation = match self.old {
            Some(old) if self.patch.status => options::Operation::UpdateStatus(old.into()),
            Some(old) => options::Operation::Update(old.into()),
            None => options::Operation::Create,
        };
        let stored_as = Some(StoredAs::Written);
        let options = ValidateOptions {
            release: Some(self.item.release),
            operation,
            stored_as,
            patched: true,
            ..self.options.clone()
        };
        text::validate(patched, &options)
    }
}

/// A patched object before it is judged.
pub(super) struct Unjudged {
    pub(super) value: Value,
    /// The object as the server prints it in an error.
    shown: String,
    /// Strict errors of the patch itself.
    strict: Vec<String>,
}

struct Done {
    /// The patched object, as it is judged.
    text: String,
    /// The patched object, prepared for the store.
    result: Value,
    /// The stored object; `None` if there is none.
    live: Option<Value>,
    /// The patch is about the status and not sent to it.
    ignored_status: bool,
}
