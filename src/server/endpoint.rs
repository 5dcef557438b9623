//! One request as it reaches an endpoint of kube-apiserver: a body, the kind of the URL, and what is stored. `via: "server"`
//! of the contract, and what the recorded answers of 1.31 and later hold.
//!
//! Source: `apiserver/pkg/endpoints/handlers/create.go` and `update.go`, `runtime/serializer/json`.

use crate::api::{Api, Gates, ObjectKind, Release, Scope};
use crate::finding::{Code, Path};
use crate::limits::Limits;
use crate::record::Record;
use crate::record::decode::{How, Via};
use crate::record::view::Object;
use crate::rules::{Bad, Context};
use crate::server::body::Body;
use crate::server::changes::Changes;
use crate::server::device::drops::{Dropped, Part};
use crate::server::device::{self, Labels, convert};
use crate::server::prepare;
use crate::server::status::Status;
use crate::text::stream;
use crate::text::tree::Kind;

/// What is done with the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `POST`
    Create,
    /// `PUT`
    Update,
    /// `PUT …/status`
    UpdateStatus,
}

/// A request for an object of the device family.
#[derive(Clone, Copy)]
pub struct Call<'c> {
    /// Version and kind of the URL.
    pub api: Api,
    /// The server's release.
    pub release: Release,
    /// The gates that are on.
    pub gates: Gates,
    /// The labels of the namespace; `None` if they are not known.
    pub labels: Labels<'c>,
    /// What is asked for.
    pub operation: Operation,
    /// The body, JSON.
    pub body: &'c str,
    /// What is stored, JSON in the version of the URL. Creates have none.
    pub stored: Option<&'c str>,
}

/// What the server answers with `fieldValidation=Ignore`, and what it would have said besides.
#[derive(Debug, Default)]
pub struct Reply {
    /// What strict decoding reports, in order.
    pub strict: Vec<String>,
    /// Why lenient decoding failed.
    pub decode: Option<String>,
    /// Why the object is refused.
    pub status: Option<Status>,
    /// The `Warning` headers.
    pub warnings: Vec<String>,
    /// The object as it is stored, in every version that serves the kind.
    pub stored: Vec<(&'static str, String)>,
    /// What gates that are off took away.
    pub dropped: Vec<Dropped>,
    /// The server's code panics.
    pub panics: bool,
}

/// The answer. Objects of the classic family are not answered here.
pub fn answer(call: &Call<'_>) -> Reply {
    let ObjectKind::Device(kind) = call.api.kind.object else { return Reply::default() };
    let context = Context::with_gates(call.release, call.gates);
    let mut reply = Reply { warnings: device::deprecation(call.api, &context).into_iter().collect(), ..Reply::default() };
    let limits = Limits::default();
    let file = stream::read(call.body, &limits);
    let stored_file = call.stored.map(|text| stream::read(text, &limits));
    let name = call.api.kind.kind;
    let unicode = context.rules.unicode;
    if let Some(error) = &file.json_error {
        let error = format!("couldn't get version/kind; json parse error: {}", error.message);
        reply.status = Some(unrecognized(name, &error, call.body));
        reply.decode = Some(error);
        return reply;
    }
    let Some((tree, root)) = file.documents.first().and_then(|document| Some((&document.tree, document.root?))) else {
        // `null` is an empty object.
        let mut record = Record::empty(call.api.kind.schema);
        device::defaults::apply(&mut record, kind, call.release);
        judge(call, kind, &context, record, None, &mut reply);
        return reply;
    };
    let mut kind_in_body = name.to_owned();
    match tree.kind(root) {
        Kind::Map { .. } => {
            let text = |key: &str| tree.get(root, key).and_then(|node| tree.str(node)).filter(|text| !text.is_empty());
            let version = text("apiVersion").unwrap_or(call.api.version.api_version);
            if let Some(kind) = text("kind") {
                kind.clone_into(&mut kind_in_body);
            }
            if version != call.api.version.api_version || kind_in_body != name {
                let (kind, version) = (crate::go::quote(&kind_in_body, unicode), crate::go::quote(version, unicode));
                let scheme = "\"pkg/api/legacyscheme/scheme.go:30\"";
                let error = format!("no kind {kind} is registered for version {version} in scheme {scheme}");
                reply.status = Some(Status::unhandled(&kind_in_body, call.api.version.name, name, &error, unicode));
                reply.decode = Some(error);
                return reply;
            }
        }
        Kind::Null => {}
        other => {
            let what = crate::record::decode::json_name(other);
            let error = format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {what} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}"
            );
            reply.status = Some(unrecognized(name, &error, call.body));
            reply.decode = Some(error);
            return reply;
        }
    }
    let mut how = How::reaching(crate::text::Mode::Json, Via::Validator, call.release);
    how.kubectl = false;
    let body = Body::read(tree, root, call.api, how);
    reply.strict = body.decoded.strict.iter().map(|strict| strict.message.clone()).collect();
    if let Some(error) = body.mismatch() {
        let error = error.to_owned();
        reply.strict.clear();
        reply.status = Some(Status::unhandled(&kind_in_body, call.api.version.name, name, &error, unicode));
        reply.decode = Some(error);
        return reply;
    }
    let stored = stored_file.as_ref().and_then(|file| {
        let document = file.documents.first()?;
        Some(Body::read(&document.tree, document.root?, call.api, how).decoded.record)
    });
    judge(call, kind, &context, body.decoded.record, stored, &mut reply);
    reply
}

fn judge<'t>(
    call: &Call<'_>,
    kind: crate::api::DeviceKind,
    context: &Context,
    record: Record<'t>,
    stored: Option<Record<'t>>,
    reply: &mut Reply,
) {
    let mut record = convert::to_hub(record, kind, call.release);
    let scope = call.api.kind.scope;
    let judged = match stored {
        None => {
            prepare::fill_namespace(&mut record, scope, "default", &mut Changes::default());
            prepare::for_create(&mut record, prepare::SET, &mut Changes::default());
            device::create(kind, record, context, call.labels)
        }
        Some(old) => {
            let mut old = convert::to_hub(old, kind, call.release);
            prepare::fill_namespace(&mut old, scope, "default", &mut Changes::default());
            let namespace = namespace_of(&old);
            let given = namespace_of(&record);
            if scope == Scope::Namespaced && !given.is_empty() && given != namespace {
                reply.status = Some(Status::other_namespace());
                return;
            }
            if let Some(meta) = record.record_mut("metadata") {
                let value = if scope == Scope::Namespaced {
                    crate::record::Value::Str(std::borrow::Cow::Owned(namespace))
                } else {
                    crate::record::Value::Unset
                };
                meta.set("namespace", value);
            }
            if kind != crate::api::DeviceKind::ResourcePoolStatusRequest {
                prepare::fill_resource_version(&mut record, &old);
            } else if Object::new(&record).metadata().resource_version().is_empty() {
                let mut errors = context.errors();
                let root = Path::ROOT;
                let path = root.field("metadata");
                let detail = "must be specified for an update";
                errors.invalid(Code::ResourceVersionRequired, &path.field("resourceVersion"), Bad::Int(0), detail);
                let name = Object::new(&record).metadata().name();
                reply.status = Status::invalid(call.api.kind.kind, name, errors.list(), context.rules.unicode);
                return;
            }
            let part = if call.operation == Operation::UpdateStatus { Part::Status } else { Part::Object };
            device::update(call.api, kind, &record, &old, part, context, call.labels)
        }
    };
    reply.dropped = judged.dropped;
    if judged.errors.panicked().is_some() {
        reply.panics = true;
        reply.warnings.clear();
        return;
    }
    let name = Object::new(&judged.record).metadata().name().to_owned();
    reply.status = Status::invalid(call.api.kind.kind, &name, judged.errors.list(), context.rules.unicode);
    reply.warnings = device::warnings(call.api, kind, &judged.record, reply.status.is_none(), context);
    if reply.status.is_some() {
        return;
    }
    reply.stored = convert::versions_of_stored(judged.record, call.api, kind, call.release);
}

fn namespace_of(record: &Record<'_>) -> String {
    Object::new(record).metadata().namespace().to_owned()
}

/// 400: the body is not even JSON of an object. Its beginning is shown.
fn unrecognized(kind: &str, error: &str, body: &str) -> Status {
    const SHOWN: usize = 30;
    let start = body.as_bytes().get(..SHOWN.min(body.len())).unwrap_or_default();
    let shown = if body.is_empty() {
        "<empty>".to_owned()
    } else {
        let text = if body.trim_start().starts_with('{') {
            String::from_utf8_lossy(start).into_owned()
        } else {
            start.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        if body.len() > SHOWN { format!("{text} ...") } else { text }
    };
    Status::bad_request(format!("the object provided is unrecognized (must be of type {kind}): {error} ({shown})"))
}
