//! A create, update or status update of one object, from the body to the server's answer.

use crate::apiserver::body::{Body, FieldValidation};
use crate::apiserver::changes::Changes;
use crate::apiserver::device::drops::{DroppedField, WrittenPart};
use crate::apiserver::device::{self, JudgedObject, convert};
use crate::apiserver::handler;
use crate::apiserver::hub::{Hub, PathMap};
use crate::apiserver::prepare;
use crate::apiserver::status::Status;
use crate::validation::device::variant::Variant;
use crate::validation::errors::{MAX_BYTES, Panic, is_cut};
use crate::validation::{self, Bad, Context, Errors, FieldError, immutable};
use claimkit_model::cel::ServerCrash;
use claimkit_model::finding::path;
use claimkit_model::finding::{Code, Finding, Origin, Path, Severity, Step};
use claimkit_model::message::{Message, Words, message};
use claimkit_model::object::view::Object;
use claimkit_model::object::{FieldValue, Record};
use claimkit_model::schema::{Api, DeviceKind, Family, Gate, Gates, ObjectKind, Release, Scope};
use claimkit_values::{GoUnicode, quote};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The stages that an object passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Only the registered validation function judges exactly this object; a new object's status is dropped. The `Status` of an
    /// update is still the server's full answer, including fields that the server resets and errors that it repeats.
    Functions,
    /// The strategy and the store judge exactly this object, as in the recorded answers; the request handler does nothing.
    Strategy,
    /// `via: "server"`: the answer to exactly this body, with every cause. Resource versions of updates are not compared.
    Server,
    /// All stages up to admission, which runs before the store compares resource versions.
    Admission,
    /// All stages, after kubectl's changes.
    Store,
}

/// The options of a request, without its bodies.
#[derive(Clone, Copy, Debug)]
pub struct ServerRequest<'r> {
    pub release: Release,
    /// The feature gates that are on; `None`: the defaults of the release.
    pub gates: Option<Gates>,
    /// The labels of the request's namespace; `None` if unknown.
    pub labels: Option<&'r BTreeMap<String, String>>,
    /// The namespace that the request names; `None`: an object keeps its own, or gets `default`.
    pub namespace: Option<&'r str>,
    /// The server's treatment of unknown and duplicate fields.
    pub validation: FieldValidation,
    /// The stages that the object passes.
    pub reach: Reach,
    /// The outcome includes the stored object.
    pub stored: bool,
    /// The object is the result of a patch.
    pub patched: bool,
}

/// The server's answer to a request.
#[derive(Debug, Default)]
pub struct RequestOutcome {
    /// The server's reasons to refuse the object, in its order and words; empty if it accepts the object.
    pub findings: Vec<Finding>,
    /// The answer's body; `None` if the server accepts the object. With [`Reach::Functions`], `findings` and `status` may differ
    /// on updates.
    pub status: Option<Status>,
    /// The server's changes to the object before validation.
    pub changes: Changes,
    /// The server's `Warning` headers, and claimkit's warnings about dropped fields.
    pub warnings: Vec<Finding>,
    /// The stored object as JSON, in every version that serves the kind. Empty if the object is refused or `stored` is off.
    pub stored: Vec<(&'static str, String)>,
    /// The dropped fields with their paths in the manifest, and the gate that each field needs.
    pub dropped: Vec<(String, Gate)>,
    /// The server's code panics, so the answer is an internal error.
    pub panics: bool,
}

/// Answers a create. The server refuses a body of the wrong type first. It refuses unknown fields, too; the object is still
/// judged, for the findings.
pub fn create<'t>(request: &ServerRequest<'t>, body: Body<'t>) -> RequestOutcome {
    match Handler::begin(request, &body, None) {
        Ok(work) => work.create(body.into_hub(request.release)).strict(&work),
        Err(refused) => *refused,
    }
}

/// Judges an update of a stored object.
pub fn update<'t>(request: &ServerRequest<'t>, body: Body<'t>, stored: Body<'t>) -> RequestOutcome {
    replace(request, body, stored, WrittenPart::Object)
}

/// Answers an update of a stored object's status.
pub fn update_status<'t>(
    request: &ServerRequest<'t>,
    body: Body<'t>,
    stored: Body<'t>,
) -> RequestOutcome {
    replace(request, body, stored, WrittenPart::Status)
}

fn replace<'t>(
    request: &ServerRequest<'t>,
    body: Body<'t>,
    stored: Body<'t>,
    part: WrittenPart,
) -> RequestOutcome {
    // The test harness of the validation functions decodes the stored object like the new one.
    let of_stored = Some(&stored).filter(|_| request.reach == Reach::Functions);
    match Handler::begin(request, &body, of_stored) {
        Ok(work) => work
            .update(
                body.into_hub(request.release),
                stored.into_hub(request.release),
                part,
            )
            .strict(&work),
        Err(refused) => *refused,
    }
}

struct Handler<'w, 'r> {
    request: &'w ServerRequest<'r>,
    api: Api,
    context: Context,
    /// The error of strict decoding, which the server answers with instead of what the rules say.
    strict: Option<String>,
}

/// Makes warnings about selectors that were not compiled.
fn uncompiled(errors: &Errors, paths: &PathMap) -> Vec<Finding> {
    let finding = |steps: &Vec<Step>| {
        let mut finding = Finding::new(
            Code::SelectorNotCompiled,
            message!(
                "server.selector-not-compiled",
                "the selector was not compiled: whether the server accepts this CEL expression is not known here"
            ),
        );
        finding.steps = paths.written(steps).unwrap_or_else(|| steps.clone());
        finding.path = Some(path::render(&finding.steps));
        finding
    };
    // The classic family has its answers without those of panics.
    let crashed = errors.panicked().map(|(steps, _)| steps.to_vec());
    errors
        .uncompiled()
        .iter()
        .chain(&crashed)
        .map(finding)
        .collect()
}

fn context(request: &ServerRequest<'_>) -> Context {
    match request.gates {
        Some(gates) => Context::with_gates(request.release, gates),
        None => Context::new(request.release),
    }
}

impl<'w, 'r> Handler<'w, 'r> {
    fn begin(
        request: &'w ServerRequest<'r>,
        body: &Body<'_>,
        stored: Option<&Body<'_>>,
    ) -> Result<Self, Box<RequestOutcome>> {
        let strict = if request.validation == FieldValidation::Strict {
            body.strict_error()
                .or_else(|| stored.and_then(Body::strict_error))
        } else {
            None
        };
        let work = Handler {
            request,
            api: body.api,
            context: context(request),
            strict,
        };
        match body.mismatch() {
            None => Ok(work),
            Some(error) => {
                let refused = RequestOutcome {
                    status: Some(work.undecodable(error)),
                    ..RequestOutcome::default()
                };
                Err(Box::new(work.warn(refused, None)))
            }
        }
    }

    fn namespace(&self) -> &'r str {
        self.request.namespace.unwrap_or("default")
    }

    /// Adds the warnings that an early refusal keeps: about the version, and what the handler found before.
    fn warn(&self, mut refused: RequestOutcome, handled: Option<Finding>) -> RequestOutcome {
        let deprecated = device::deprecation(self.api, &self.context).map(server_warning);
        refused
            .warnings
            .extend(deprecated.into_iter().chain(handled));
        refused
    }

    fn create(&self, Hub { mut record, paths }: Hub<'r>) -> RequestOutcome {
        let object = &mut record;
        let mut changes = Changes::default();
        let mut warned = None;
        let functions =
            self.request.reach == Reach::Functions && self.api.version.family == Family::Classic;
        if functions {
            prepare::drop_status(object, &mut changes);
        } else {
            if let Some(refused) = self.other_namespace(object, self.request.namespace) {
                return self.warn(refused, None);
            }
            if self.request.reach == Reach::Store {
                let mut unnoticed = Changes::default();
                prepare::drop_resource_version(
                    object,
                    if self.request.patched {
                        &mut unnoticed
                    } else {
                        &mut changes
                    },
                );
            }
            prepare::fill_namespace(object, self.api.kind.scope, self.namespace(), &mut changes);
            prepare::for_create(object, &mut changes);
            warned = self.handle(object, FieldValue::Unset, &mut changes);
        }
        let stores =
            matches!(self.request.reach, Reach::Strategy | Reach::Server) && !self.request.patched;
        if let ObjectKind::Device(kind) = self.api.kind.object {
            let unknown = self.unknown_labels(kind, &record, &paths);
            let judged = device::create(self.api, kind, record, &self.context, self.request.labels);
            let is_refused_by_store = stores && prepare::has_resource_version(&judged.record);
            let mut outcome = self.answer(kind, judged, &paths, changes);
            outcome.warnings.extend(warned.into_iter().chain(unknown));
            if is_refused_by_store && outcome.status.is_none() {
                return RequestOutcome {
                    warnings: outcome.warnings,
                    ..refuse_resource_version(outcome.changes)
                };
            }
            return outcome;
        }
        let mut errors = self.context.errors();
        validation::run(
            self.api,
            object,
            validation::Operation::Create,
            &self.context,
            &mut errors,
        );
        if !functions && errors.is_empty() {
            prepare::judge_created(self.api, object, &self.context, &mut errors);
        }
        if errors.is_empty() && stores && prepare::has_resource_version(object) {
            return RequestOutcome {
                warnings: warned.into_iter().collect(),
                ..refuse_resource_version(changes)
            };
        }
        let findings = self.findings(errors.list(), &paths);
        let warnings = warned
            .into_iter()
            .chain(uncompiled(&errors, &paths))
            .collect();
        RequestOutcome {
            findings,
            status: self.invalid(object, errors.list()),
            changes,
            warnings,
            ..RequestOutcome::default()
        }
    }

    fn update(&self, new: Hub<'r>, stored: Hub<'r>, part: WrittenPart) -> RequestOutcome {
        let Hub {
            record: mut new,
            paths,
        } = new;
        let mut old = stored.record;
        let mut changes = Changes::default();
        let warned = match self.prepare_update(&mut new, &mut old, &mut changes) {
            Ok(warned) => warned,
            Err(refused) => return *refused,
        };
        let mut outcome = match self.api.kind.object {
            ObjectKind::Device(kind) => {
                let (context, labels) = (&self.context, self.request.labels);
                let judged = device::update(self.api, kind, &new, &old, part, context, labels);
                let mut outcome = self.answer(kind, judged, &paths, changes);
                outcome.warnings.extend(warned);
                outcome
            }
            ObjectKind::Classic(_) => {
                let mut outcome = self.judge_classic_update(&new, &old, part, &paths, changes);
                outcome.warnings.splice(..0, warned);
                outcome
            }
        };
        explain_immutable(&mut outcome.findings, &new, &old, &paths);
        outcome
    }

    /// Fills in what the handler fills in before an update is judged. Returns its warning.
    ///
    /// # Errors
    /// The refusal of a request that is not judged at all: of another namespace, without the version that it changes, or of an older one.
    fn prepare_update(
        &self,
        new: &mut Record<'r>,
        old: &mut Record<'r>,
        changes: &mut Changes,
    ) -> Result<Option<Finding>, Box<RequestOutcome>> {
        let mut warned = None;
        if self.request.reach != Reach::Functions || self.api.version.family == Family::Device {
            self.fill_namespaces(new, old, changes)?;
            let managers = old
                .record("metadata")
                .map_or(FieldValue::Unset, |meta| meta.get("managedFields").clone());
            warned = self.handle(new, managers, &mut Changes::default());
            if let Some(refused) = self.unconditional(new) {
                return Err(Box::new(self.warn(refused, warned)));
            }
            prepare::fill_resource_version(new, old);
        }
        if self.request.reach == Reach::Store
            && let Some(refused) = self.conflict(new, old)
        {
            return Err(Box::new(self.warn(refused, warned)));
        }
        Ok(warned)
    }

    /// Fills in the namespace of the stored object and that of the new one. The URL has that of the stored one.
    fn fill_namespaces(
        &self,
        new: &mut Record<'r>,
        old: &mut Record<'r>,
        changes: &mut Changes,
    ) -> Result<(), Box<RequestOutcome>> {
        let scope = self.api.kind.scope;
        prepare::fill_namespace(old, scope, self.namespace(), &mut Changes::default());
        let stored_in = Object::new(old).metadata().namespace().to_owned();
        let named = self
            .request
            .namespace
            .or(self.endpoint().then_some(stored_in.as_str()));
        if let Some(refused) = self.other_namespace(new, named) {
            return Err(Box::new(self.warn(refused, None)));
        }
        let is_unnamed = Object::new(new).metadata().namespace().is_empty();
        if self.endpoint()
            && is_unnamed
            && scope == Scope::Namespaced
            && let Some(meta) = new.record_mut("metadata")
        {
            meta.set("namespace", FieldValue::Str(Cow::Owned(stored_in)));
        }
        prepare::fill_namespace(new, scope, self.namespace(), changes);
        Ok(())
    }

    /// Judges an update of an object of 1.26 to 1.30.
    fn judge_classic_update(
        &self,
        new: &Record<'_>,
        old: &Record<'_>,
        part: WrittenPart,
        paths: &PathMap,
        changes: Changes,
    ) -> RequestOutcome {
        let operation = match part {
            WrittenPart::Object => validation::Operation::Update(old),
            WrittenPart::Status => validation::Operation::UpdateStatus(old),
        };
        let answered = prepare::judge_update(self.api, new, operation, &self.context);
        let findings = match self.request.reach {
            Reach::Functions => {
                let errors = validation::functions(self.api, new, operation, &self.context);
                self.findings(&errors, paths)
            }
            Reach::Strategy | Reach::Server | Reach::Admission | Reach::Store => {
                self.findings(answered.list(), paths)
            }
        };
        RequestOutcome {
            findings,
            status: self.invalid(new, answered.list()),
            changes,
            warnings: uncompiled(&answered, paths).into_iter().collect(),
            ..RequestOutcome::default()
        }
    }

    /// Makes the handler's changes to `ownerReferences` and `managedFields`, which neither the recorded test answers nor
    /// admission have.
    fn handle(
        &self,
        object: &mut Record<'r>,
        managers: FieldValue<'r>,
        changes: &mut Changes,
    ) -> Option<Finding> {
        if !matches!(self.request.reach, Reach::Server | Reach::Store) {
            return None;
        }
        let patched = self.request.patched;
        if !patched && handler::drop_managers(object, managers) {
            changes.wiped.push("managedFields");
        }
        let mut warning =
            server_warning(handler::owners_once(object, patched, self.context.release)?);
        warning.steps = ["metadata", "ownerReferences"]
            .map(|key| Step::Key(key.to_owned()))
            .into();
        Some(warning)
    }

    /// Answers an object of the device family.
    fn answer(
        &self,
        kind: DeviceKind,
        judged: JudgedObject<'_>,
        paths: &PathMap,
        changes: Changes,
    ) -> RequestOutcome {
        let JudgedObject {
            record,
            errors,
            dropped,
            part,
        } = judged;
        let mut warnings: Vec<Finding> =
            dropped.iter().map(|one| self.dropped(one, paths)).collect();
        let dropped_paths = dropped
            .iter()
            .zip(&warnings)
            .map(|(field, finding)| (finding.path.clone().unwrap_or_default(), field.gate))
            .collect();
        if let Some((steps, why)) = errors.panicked() {
            let (code, message, help) = match why {
                Panic::ZeroStep => (
                    Code::RequestPolicyInvalid,
                    message!(
                        "server.zero-step",
                        "the server divides by zero here and answers with an internal error"
                    ),
                    message!(
                        "server.zero-step-help",
                        "write a step that is larger than zero"
                    ),
                ),
                Panic::Expression(how) => (
                    Code::SelectorInvalid,
                    crash(*how),
                    message!("server.crash-help", "write the expression in another way"),
                ),
            };
            let mut finding = Finding::error(code, message);
            finding.steps = paths.written(steps).unwrap_or_else(|| steps.to_vec());
            finding = finding.with_help(help);
            return RequestOutcome {
                findings: vec![finding],
                status: Some(Status::internal("")),
                changes,
                warnings,
                stored: Vec::new(),
                dropped: dropped_paths,
                panics: true,
            };
        }
        let status = self.invalid(&record, errors.list());
        let accepted = status.is_none();
        for text in device::warnings(self.api, kind, &record, part, accepted, &self.context) {
            warnings.push(server_warning(text));
        }
        warnings.extend(uncompiled(&errors, paths));
        if status.is_some() {
            warnings.extend(self.generated(kind));
        }
        let findings = self.findings(errors.list(), paths);
        let stored = if self.request.stored && status.is_none() {
            convert::versions_of_stored(record, self.api, kind, self.context.release)
        } else {
            Vec::new()
        };
        RequestOutcome {
            findings,
            status,
            changes,
            warnings,
            stored,
            dropped: dropped_paths,
            panics: false,
        }
    }

    /// Warns of admin access if a namespace label decides about it and the labels are unknown.
    fn unknown_labels(
        &self,
        kind: DeviceKind,
        record: &Record<'_>,
        paths: &PathMap,
    ) -> Option<Finding> {
        let none = BTreeMap::new();
        let error = device::admin_error(kind, record, &self.context, Some(&none))
            .filter(|_| self.request.labels.is_none())?;
        let mut finding = Finding::new(
            Code::NamespaceLabelsUnknown,
            message!(
                "server.labels-unknown",
                "not checked, because the labels of the namespace are not known: {error}",
                error = error.body,
            ),
        );
        finding.steps = paths.written(&error.steps).unwrap_or(error.steps);
        Some(
            finding
                .with_help(message!(
                    "server.labels-unknown-help",
                    "give the labels of the namespace with the request"
                ))
                .with_command_help(message!(
                    "server.labels-unknown-command-help",
                    "give `--namespace-labels KEY=VALUE`"
                )),
        )
    }

    /// Warns if generated rules, whose messages are unknown, replace some of the hand-written rules.
    fn generated(&self, kind: DeviceKind) -> Option<Finding> {
        let context = &self.context;
        let covered = matches!(
            kind,
            DeviceKind::ResourceClaim
                | DeviceKind::ResourceClaimTemplate
                | DeviceKind::DeviceClass
                | DeviceKind::ResourceSlice
        );
        let over = Variant::of(context.release).generated_takes_over
            && context.gates.on(Gate::DeclarativeValidation)
            && context.gates.on(Gate::DeclarativeValidationTakeover);
        (covered && over).then(|| {
            let message = message!(
                "server.generated-rules",
                "the feature gate DeclarativeValidationTakeover is on: for some errors the server uses other words, and puts them last"
            );
            let code = Code::GeneratedRulesUnknown;
            Finding::new(code, message).with_help(code.spoken_help().unwrap_or_default())
        })
    }

    /// Makes claimkit's warning about a dropped field.
    fn dropped(&self, dropped: &DroppedField, paths: &PathMap) -> Finding {
        let steps = paths
            .written(&dropped.steps)
            .unwrap_or_else(|| dropped.steps.clone());
        dropped.finding(steps, self.context.release)
    }

    /// Makes findings of the errors, with the paths in the manifest. Each message appears once, as for a client.
    fn findings(&self, errors: &[FieldError], paths: &PathMap) -> Vec<Finding> {
        let once = matches!(self.request.reach, Reach::Admission | Reach::Store);
        let mut seen = BTreeSet::new();
        let mut findings = Vec::with_capacity(errors.len());
        for error in errors {
            if once && !seen.insert((&error.field, &error.body)) {
                continue;
            }
            let mut finding = error.finding();
            if let Some(written) = paths.written(&finding.steps) {
                finding.path = Some(path::render(&written));
                finding.steps = written;
            }
            findings.push(finding);
        }
        if is_cut(errors) {
            let finding = Finding::new(
                Code::LimitFindings,
                message!(
                    "server.errors-left-out",
                    "the errors of this object have more than {bytes} bytes of text; what follows is left out",
                    bytes = MAX_BYTES,
                ),
            );
            findings.push(finding.with_help(message!(
                "server.errors-left-out-help",
                "fix the first ones and validate again"
            )));
        }
        findings
    }

    /// Returns true for an object of the device family that is judged as sent to its URL, which names its namespace.
    fn endpoint(&self) -> bool {
        self.api.version.family == Family::Device
            && matches!(
                self.request.reach,
                Reach::Functions | Reach::Strategy | Reach::Server
            )
    }

    /// Refuses an update without `resourceVersion`, if the kind requires one (apiserver,
    /// pkg/registry/generic/registry/store.go, `Store.Update`).
    fn unconditional(&self, new: &Record<'_>) -> Option<RequestOutcome> {
        let ObjectKind::Device(kind) = self.api.kind.object else {
            return None;
        };
        let of_rules = kind == DeviceKind::DeviceTaintRule
            && Variant::of(self.request.release).rules_need_version
            && self.api.version.on_since.is_some();
        let meta = Object::new(new).metadata();
        let given = !matches!(meta.resource_version(), "" | "0")
            || (!of_rules && !meta.resource_version().is_empty());
        if given || !(of_rules || kind == DeviceKind::ResourcePoolStatusRequest) {
            return None;
        }
        let mut errors = self.context.errors();
        let root = Path::ROOT;
        let path = root.field("metadata");
        let detail = "must be specified for an update";
        errors.invalid(
            Code::ResourceVersionRequired,
            &path.field("resourceVersion"),
            Bad::Int(0),
            detail,
        );
        // The store writes the resource into the error, other callers the kind.
        let kind = self.api.kind.plural;
        let status = Status::invalid(kind, meta.name(), errors.list(), self.context.rules.unicode);
        let findings = errors.list().iter().map(FieldError::finding).collect();
        Some(RequestOutcome {
            findings,
            status,
            ..RequestOutcome::default()
        })
    }

    /// Refuses an object whose namespace differs from the request's.
    fn other_namespace(&self, object: &Record<'_>, named: Option<&str>) -> Option<RequestOutcome> {
        let given = Object::new(object).metadata().namespace();
        let of_request = named?;
        if given.is_empty() || self.api.kind.scope == Scope::Cluster || of_request == given {
            return None;
        }
        Some(refused(
            Code::NamespaceMismatch,
            "namespace",
            Status::other_namespace(),
            Changes::default(),
        ))
    }

    /// Refuses an update with another resource version than the stored object's.
    fn conflict(&self, new: &Record<'_>, old: &Record<'_>) -> Option<RequestOutcome> {
        let (meta, stored) = (Object::new(new).metadata(), Object::new(old).metadata());
        let unicode = self.context.rules.unicode;
        let status = match version_number(meta.resource_version(), unicode) {
            Err(message) => Status::internal(&message),
            Ok(number) => {
                if stored.resource_version().is_empty()
                    || version_number(stored.resource_version(), unicode) == Ok(number)
                {
                    return None;
                }
                Status::conflict(self.api.kind.plural, meta.name(), unicode)
            }
        };
        Some(refused(
            Code::Conflict,
            "resourceVersion",
            status,
            Changes::default(),
        ))
    }

    fn undecodable(&self, error: &str) -> Status {
        Status::undecodable(
            self.api.kind.kind,
            self.api.version.name,
            error,
            self.context.rules.unicode,
        )
    }

    fn invalid(&self, object: &Record<'_>, errors: &[FieldError]) -> Option<Status> {
        if let Some(error) = self.strict.as_ref().filter(|_| !errors.is_empty()) {
            return Some(self.undecodable(error));
        }
        let name = Object::new(object).metadata().name();
        Status::invalid(self.api.kind.kind, name, errors, self.context.rules.unicode)
    }
}

impl RequestOutcome {
    /// Replaces the server's answer by a strict decoding error.
    fn strict(mut self, work: &Handler<'_, '_>) -> Self {
        if let Some(error) = &work.strict {
            self.status = Some(work.undecodable(error));
            // An object that was not decoded is not judged: only the warning about its version is sent.
            let deprecated = device::deprecation(work.api, &work.context);
            self.warnings.retain(|warning| {
                warning.code != Code::ServerWarning
                    || deprecated
                        .as_ref()
                        .is_some_and(|text| warning.message == *text)
            });
        }
        self
    }
}

/// Says that kube-apiserver crashes on an expression.
fn crash(crash: ServerCrash) -> Message {
    match crash {
        ServerCrash::BytesAsKey => message!(
            "server.crash-bytes-key",
            "kube-apiserver crashes on a map of constants with bytes as a key, and answers with an internal error"
        ),
        ServerCrash::ComputedFormat => message!(
            "server.crash-format",
            "kube-apiserver 1.31 crashes on format() of a text that is not a literal, and answers with an internal error"
        ),
        other => message!(
            "server.crash",
            "{crash}, and answers with an internal error",
            crash = other
        ),
    }
}

/// Makes the finding of a `Warning` header of the server.
fn server_warning(text: String) -> Finding {
    let mut finding = Finding::upstream(Code::ServerWarning, Origin::ApiServer, text);
    finding.steps = vec![Step::Key("apiVersion".to_owned())];
    finding
}

/// Refuses as the store does to create an object that has a resource version.
fn refuse_resource_version(changes: Changes) -> RequestOutcome {
    let status = Status::internal("resourceVersion should not be set on objects to be created");
    refused(
        Code::ResourceVersionOnCreate,
        "resourceVersion",
        status,
        changes,
    )
}

/// Makes the outcome of a refusal outside of validation, about one field of `metadata`.
fn refused(code: Code, field: &str, status: Status, changes: Changes) -> RequestOutcome {
    let mut finding = Finding::upstream(code, Origin::ApiServer, status.message.clone())
        .with_severity(Severity::Error);
    finding.steps = vec![
        Step::Key("metadata".to_owned()),
        Step::Key(field.to_owned()),
    ];
    finding.help = code.spoken_help().map(Words::from);
    RequestOutcome {
        findings: vec![finding],
        status: Some(status),
        changes,
        ..RequestOutcome::default()
    }
}

/// Returns the number of a resource version, 0 if it is empty, or Go's error (`strconv.ParseUint`).
fn version_number(text: &str, unicode: GoUnicode) -> Result<u64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    // Go reads from the left: what is too large is so before another letter is.
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let overflows = text
        .get(..digits)
        .is_some_and(|head| !head.is_empty() && head.parse::<u64>().is_err());
    let problem = if overflows {
        "value out of range"
    } else {
        "invalid syntax"
    };
    let number = text.parse().ok().filter(|_| digits == text.len());
    number.ok_or_else(|| {
        format!(
            "strconv.ParseUint: parsing {}: {problem}",
            quote(text, unicode)
        )
    })
}

/// Returns the struct that a path of field names leads to.
fn record_at<'r>(record: &'r Record<'r>, path: &[&str]) -> Option<&'r Record<'r>> {
    path.iter()
        .try_fold(record, |record, name| record.record(name))
}

/// Returns the first changed fields in words, and the advice; `None` if nothing has changed.
fn help_with_differences(
    differences: &[immutable::Difference<'_>],
    advice: &Message,
) -> Option<Message> {
    let sentences = differences
        .iter()
        .take(MOST_DIFFERENCES)
        .map(immutable::Difference::sentence);
    let told = sentences
        .reduce(|told, next| message!("server.differences", "{told}, {next}", told, next))?;
    Some(if differences.len() > MOST_DIFFERENCES {
        message!(
            "server.differences-and-more",
            "{told}, and more; {advice}",
            told,
            advice
        )
    } else {
        message!(
            "server.differences-advice",
            "{told}; {advice}",
            told,
            advice
        )
    })
}

/// Maximum number of changed fields that a help names.
const MOST_DIFFERENCES: usize = 4;

/// Adds the changed fields to an error about an immutable struct: the server prints only the new struct.
fn explain_immutable(
    findings: &mut [Finding],
    new: &Record<'_>,
    old: &Record<'_>,
    paths: &PathMap,
) {
    for finding in findings {
        let path: &[&str] = match finding.code {
            Code::SpecImmutable => &["spec"],
            Code::AllocationImmutable => &["status", "allocation"],
            _ => continue,
        };
        let (Some(new), Some(old)) = (record_at(new, path), record_at(old, path)) else {
            continue;
        };
        let differences = immutable::differences(new, old);
        let advice = finding.code.spoken_help().unwrap_or_default();
        let Some(help) = help_with_differences(&differences, &advice) else {
            continue;
        };
        finding.help = Some(help.into());
        if let [only] = differences.as_slice() {
            let steps: Vec<Step> = path
                .iter()
                .chain(&only.path)
                .map(|name| Step::Key((*name).to_owned()))
                .collect();
            finding.steps = paths.written(&steps).unwrap_or(steps);
        }
    }
}
