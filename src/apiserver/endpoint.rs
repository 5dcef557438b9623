//! One request as it reaches an endpoint of kube-apiserver: a body, the kind of the URL, and what is stored. This is `via:
//! "server"` of the contract, and the form of the recorded answers of 1.31 and later.
//!
//! Source: `apiserver/pkg/endpoints/handlers/create.go` and `update.go`, `runtime/serializer/json`.

use crate::apiserver::body::{Body, FieldValidation};
use crate::apiserver::device::{self, KnownLabels};
use crate::apiserver::request::{self, Reach, ServerRequest};
use crate::apiserver::status::Status;
use crate::manifest::meta_errors;
use crate::validation::{Context, Operation};
use claimkit_model::finding::Origin;
use claimkit_model::limits::Limits;
use claimkit_model::object::decode::{How, Via};
use claimkit_model::schema::{Api, Family, Gate, Gates, Release};
use claimkit_model::text::tree::{Kind, NodeId, Tree};
use claimkit_model::text::{File, Mode, stream};

/// A request for an object of the device family.
#[derive(Clone, Copy)]
pub struct EndpointRequest<'c> {
    /// Version and kind of the URL.
    pub api: Api,
    pub release: Release,
    /// The gates that are on.
    pub gates: Gates,
    /// The labels of the namespace; `None` if they are not known.
    pub labels: KnownLabels<'c>,
    /// The operation of the request: `POST`, `PUT` or `PUT …/status`. The stored object is JSON in the version of the URL.
    pub operation: Operation<&'c str>,
    pub body: &'c str,
}

/// The server's answer with `fieldValidation=Ignore`, and the strict decoding errors that it ignores.
#[derive(Debug, Default)]
pub struct Reply {
    /// The problems that strict decoding reports, in order.
    pub strict: Vec<String>,
    /// Why lenient decoding failed.
    pub decode: Option<String>,
    /// Why the object is refused.
    pub status: Option<Status>,
    /// The `Warning` headers.
    pub warnings: Vec<String>,
    /// The object as it is stored, in every version that serves the kind.
    pub stored: Vec<(&'static str, String)>,
    /// Fields dropped because of disabled gates: the path as sent, and the gate.
    pub dropped: Vec<(String, Gate)>,
    /// The server's code panics.
    pub panics: bool,
}

/// Answers a call. Objects of the classic family are not answered here.
pub fn answer(call: &EndpointRequest<'_>) -> Reply {
    if call.api.version.family != Family::Device {
        return Reply::default();
    }
    let context = Context::with_gates(call.release, call.gates);
    let mut reply = Reply {
        warnings: device::deprecation(call.api, &context)
            .into_iter()
            .collect(),
        ..Reply::default()
    };
    let limits = Limits::default();
    let file = stream::read(call.body, &limits);
    let body = match decode_body(call, &file, &context) {
        Ok(body) => body,
        Err(refused) => {
            reply.status = Some(refused.status);
            reply.decode = Some(refused.error);
            return reply;
        }
    };
    let strict = body.decoded.strict.iter();
    reply.strict = strict.map(|strict| strict.message.clone()).collect();
    let stored_file = call
        .operation
        .stored()
        .map(|text| stream::read(text, &limits));
    let stored = stored_file.as_ref().and_then(|file| {
        let (tree, root) = first_document(file)?;
        Some(Body::read(tree, root, call.api, how_to_read(call)))
    });
    judge(call, body, stored, &mut reply);
    reply
}

/// A body that cannot be decoded.
struct RefusedBody {
    status: Status,
    error: String,
}

/// Decodes the body of a call.
fn decode_body<'t>(
    call: &EndpointRequest<'_>,
    file: &'t File<'_>,
    context: &Context,
) -> Result<Body<'t>, Box<RefusedBody>> {
    if let Some(error) = &file.json_error {
        return Err(unreadable(call, meta_errors::not_json(&error.message)));
    }
    let Some((tree, root)) = first_document(file) else {
        // `null` is an empty object.
        return Ok(Body::empty(call.api, call.release));
    };
    let kind_in_body = match tree.kind(root) {
        Kind::Map { .. } => check_kind(call, tree, root, context)?,
        Kind::Null => call.api.kind.kind.to_owned(),
        other => {
            let what = claimkit_model::object::decode::json_name(other);
            return Err(unreadable(call, meta_errors::not_an_object(what)));
        }
    };
    let body = Body::read(tree, root, call.api, how_to_read(call));
    match body.mismatch() {
        Some(error) => Err(unhandled(call, &kind_in_body, error.to_owned(), context)),
        None => Ok(body),
    }
}

/// Returns the kind that a body names, or that of the URL, if the version is that of the URL, too.
fn check_kind(
    call: &EndpointRequest<'_>,
    tree: &Tree<'_>,
    root: NodeId,
    context: &Context,
) -> Result<String, Box<RefusedBody>> {
    let [version, kind] = ["apiVersion", "kind"].map(|key| {
        let written = tree.get(root, key).and_then(|node| tree.str(node));
        written.filter(|text| !text.is_empty())
    });
    let version = version.unwrap_or(call.api.version.api_version);
    let kind = kind.unwrap_or(call.api.kind.kind);
    if version == call.api.version.api_version && kind == call.api.kind.kind {
        return Ok(kind.to_owned());
    }
    let unicode = context.rules.unicode;
    let error = format!(
        "no kind {} is registered for version {} in scheme \"{}\"",
        claimkit_values::quote(kind, unicode),
        claimkit_values::quote(version, unicode),
        context.rules.scheme
    );
    Err(unhandled(call, kind, error, context))
}

/// Refuses a body that is not an object.
fn unreadable(call: &EndpointRequest<'_>, error: String) -> Box<RefusedBody> {
    Box::new(RefusedBody {
        status: unrecognized(call.api.kind.kind, &error, call.body),
        error,
    })
}

/// Refuses an object of which the server knows no such kind, or cannot decode a field.
fn unhandled(
    call: &EndpointRequest<'_>,
    kind_in_body: &str,
    error: String,
    context: &Context,
) -> Box<RefusedBody> {
    let version = call.api.version.name;
    let kind = call.api.kind.kind;
    let unicode = context.rules.unicode;
    Box::new(RefusedBody {
        status: Status::unhandled(kind_in_body, version, kind, &error, unicode),
        error,
    })
}

fn first_document<'t>(file: &'t File<'_>) -> Option<(&'t Tree<'t>, NodeId)> {
    let document = file.documents.first()?;
    Some((&document.tree, document.root?))
}

/// The server reads JSON with its own decoder, after no kubectl.
fn how_to_read(call: &EndpointRequest<'_>) -> How {
    let mut how = How::reaching(Mode::Json, Via::Validator, call.release);
    how.kubectl = false;
    how
}

/// Answers a body that was decoded.
fn judge<'t>(
    call: &EndpointRequest<'t>,
    body: Body<'t>,
    stored: Option<Body<'t>>,
    reply: &mut Reply,
) {
    let request = ServerRequest {
        release: call.release,
        gates: Some(call.gates),
        labels: call.labels,
        namespace: None,
        validation: FieldValidation::Ignore,
        reach: Reach::Strategy,
        stored: true,
        patched: false,
    };
    let outcome = match (stored, call.operation) {
        (None, _) => request::create(&request, body),
        (Some(stored), Operation::UpdateStatus(_)) => {
            request::update_status(&request, body, stored)
        }
        (Some(stored), _) => request::update(&request, body, stored),
    };
    let of_server = outcome
        .warnings
        .into_iter()
        .filter(|warning| warning.origin == Origin::ApiServer);
    reply.warnings = of_server.map(|warning| warning.message.into()).collect();
    reply.dropped = outcome.dropped;
    reply.panics = outcome.panics;
    reply.status = outcome.status;
    reply.stored = outcome.stored;
}

/// Returns the status 400 for a body that is not a JSON object; the message shows its beginning.
fn unrecognized(kind: &str, error: &str, body: &str) -> Status {
    const SHOWN: usize = 30;
    let start = body
        .as_bytes()
        .get(..SHOWN.min(body.len()))
        .unwrap_or_default();
    let shown = if body.is_empty() {
        "<empty>".to_owned()
    } else {
        let text = if body.trim_start().starts_with('{') {
            String::from_utf8_lossy(start).into_owned()
        } else {
            start.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        if body.len() > SHOWN {
            format!("{text} ...")
        } else {
            text
        }
    };
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {kind}): {error} ({shown})"
    ))
}
