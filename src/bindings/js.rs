//! The npm package's functions: arguments of JavaScript in, answers as plain JavaScript objects out.
//!
//! Texts are passed as strings or bytes; objects and options as the JSON they serialize to. So `toJSON`, getters and `undefined`
//! behave as elsewhere in JavaScript, and unknown members are detected at any depth. serde-wasm-bindgen would read `undefined` as
//! `null`, and an object that contains itself, or a getter that throws, would make the instance unusable.
//!
//! Findings and objects go out through serde-wasm-bindgen. Members that only one verb has, and values from the user's objects, are the
//! same JSON that every other host gets, parsed by the engine's own `JSON.parse`.

use super::call::Call;
use crate::editor::foreign;
use crate::manifest::paths;
use crate::report::form;
use crate::requests::request::{
    self, AdmitRequest, AllocateRequest, AuditRequest, CelRequest, ConvertRequest, EvaluateRequest,
    FixesRequest, JsonSchemaRequest, LocaleRequest, ParseRequest, PrepareOptions, SymbolsRequest,
    UpgradeRequest, ValidateRequest,
};
use crate::requests::{self, Answer, Content, Request};
use crate::{PreparedCluster, PreparedNodes};
use claimkit_model::memory::GrowsAhead;
use claimkit_model::message;
use claimkit_model::text::Span;
use js_sys::JSON;
use wasm_bindgen::prelude::*;

#[global_allocator]
static MEMORY: GrowsAhead = GrowsAhead;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// Answers `parse(text, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn parse(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("parse");
    let (mut request, given) = call.options::<ParseRequest>(options)?;
    let given = given.with_manifest(
        call.manifest("`text`", text)?,
        &mut request.text,
        &mut request.sources,
    );
    request.replaced = given.replaced;
    call.placed(&given, requests::run(&Request::Parse(request)))
}

/// Answers `validate(text, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn validate(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("validate");
    let (mut request, given) = call.options::<ValidateRequest>(options)?;
    let given = given.with_manifest(
        call.manifest("`text`", text)?,
        &mut request.text,
        &mut request.sources,
    );
    request.replaced = given.replaced;
    call.placed(&given, requests::run(&Request::Validate(request)))
}

/// Answers `convert(text, options)`.
#[wasm_bindgen(skip_typescript)]
pub fn convert(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("convert");
    let (mut request, given) = call.options::<ConvertRequest>(options)?;
    let given = given.with_manifest(
        call.manifest("`text`", text)?,
        &mut request.text,
        &mut request.sources,
    );
    request.replaced = given.replaced;
    call.placed(&given, requests::run(&Request::Convert(request)))
}

/// Answers `evaluate(text, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn evaluate(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    evaluated(text, options, |request| {
        requests::run(&Request::Evaluate(request))
    })
}

fn evaluated(
    text: &JsValue,
    options: &JsValue,
    answered: impl FnOnce(EvaluateRequest) -> Answer,
) -> Result<JsValue, JsValue> {
    let call = Call("evaluate");
    let (mut request, mut given) = call.options::<EvaluateRequest>(options)?;
    // With a bare selector, manifests are not needed.
    if !(text.is_undefined() && request.selector.is_some()) {
        given = given.with_manifest(
            call.manifest("`text`", text)?,
            &mut request.text,
            &mut request.sources,
        );
    }
    request.replaced = given.replaced;
    request.without_places = given.without_places;
    call.placed(&given, answered(request))
}

/// Nodes read once, for many evaluations. JavaScript's garbage collector frees them; `free()` does it at once.
#[wasm_bindgen(skip_typescript, js_name = PreparedNodes)]
#[derive(Debug)]
pub struct JsPreparedNodes(PreparedNodes);

/// Answers `prepareNodes(nodes, options?)`.
#[wasm_bindgen(skip_typescript, js_name = prepareNodes)]
pub fn prepare_nodes(nodes: &JsValue, options: &JsValue) -> Result<JsPreparedNodes, JsValue> {
    let call = Call("prepareNodes");
    let limits = call.options::<PrepareOptions>(options)?.0.limits;
    if nodes.is_null() {
        return Ok(JsPreparedNodes(PreparedNodes::nil()));
    }
    let prepared = call.manifest("`nodes`", nodes)?.prepared(
        |source| PreparedNodes::read(source, &limits),
        PreparedNodes::with_replaced,
    );
    Ok(JsPreparedNodes(prepared))
}

#[wasm_bindgen(js_class = PreparedNodes)]
impl JsPreparedNodes {
    /// Returns the number of nodes.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Answers `evaluate(text, options?)` on these nodes.
    #[wasm_bindgen(skip_typescript)]
    pub fn evaluate(&self, text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
        evaluated(text, options, |request| {
            requests::evaluate_on(&request, &self.0)
        })
    }
}

/// The objects of a cluster read once, for many questions. JavaScript's garbage collector frees them; `free()` does it at once.
#[wasm_bindgen(skip_typescript, js_name = PreparedCluster)]
#[derive(Debug)]
pub struct JsPreparedCluster(PreparedCluster);

/// Answers `prepareCluster(cluster, options?)`.
#[wasm_bindgen(skip_typescript, js_name = prepareCluster)]
pub fn prepare_cluster(cluster: &JsValue, options: &JsValue) -> Result<JsPreparedCluster, JsValue> {
    let call = Call("prepareCluster");
    let (options, _) = call.options::<PrepareOptions>(options)?;
    let release =
        request::release(options.release.as_deref()).map_err(|error| call.unusable(&error))?;
    let namespace = options.namespace.as_deref();
    let prepared = call.manifest("`cluster`", cluster)?.prepared(
        |source| PreparedCluster::read(source, release, namespace, &options.limits),
        PreparedCluster::with_replaced,
    );
    Ok(JsPreparedCluster(prepared))
}

#[wasm_bindgen(js_class = PreparedCluster)]
impl JsPreparedCluster {
    /// Returns the number of objects.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// Answers `allocate(text, options?)` about this cluster.
    #[wasm_bindgen(skip_typescript)]
    pub fn allocate(&self, text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
        allocated(text, options, |request| {
            requests::allocate_on(&request, &self.0)
        })
    }
}

/// Answers `codes(options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn codes(options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("codes");
    call.answer(&Request::Codes(call.options::<LocaleRequest>(options)?.0))
}

/// Answers `releases(options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn releases(options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("releases");
    call.answer(&Request::Releases(
        call.options::<LocaleRequest>(options)?.0,
    ))
}

/// Answers `jsonSchema(kind?, options?)`: the schema itself, for whatever compiles schemas.
#[wasm_bindgen(skip_typescript, js_name = jsonSchema)]
pub fn json_schema(kind: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("jsonSchema");
    let (mut request, _) = call.options::<JsonSchemaRequest>(options)?;
    if !kind.is_undefined() && !kind.is_null() {
        let kind = kind
            .as_string()
            .ok_or_else(|| call.wrong("`kind`", kind, "a string such as `ResourceClaim`"))?;
        request.kind = Some(kind);
    }
    let answer = call.usable(requests::run(&Request::JsonSchema(request)))?;
    match &answer.content {
        Content::Schema { schema } => JSON::parse(schema.get()),
        _ => call.object(answer),
    }
}

/// Answers `hover(text, position, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn hover(text: &JsValue, position: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("hover");
    call.answer(&Request::Hover(call.at(text, position, options)?))
}

/// Answers `complete(text, position, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn complete(text: &JsValue, position: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("complete");
    call.answer(&Request::Complete(call.at(text, position, options)?))
}

/// Answers `symbols(text, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn symbols(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("symbols");
    let (mut request, given) = call.options::<SymbolsRequest>(options)?;
    request.replaced = given
        .with_text(call.editor_text(text)?, &mut request.text)
        .replaced;
    call.answer(&Request::Symbols(request))
}

/// Lets the next call of any function start a fresh instance from the compiled module, in place of this one and its memory. After a
/// trap this is the only function that may be called.
#[wasm_bindgen(skip_typescript)]
pub fn reset() {
    wasm_bindgen::handler::schedule_reinit();
}

/// Does nothing but carry out a `reset` that was asked for, as a call of any function does.
#[wasm_bindgen(skip_typescript)]
pub fn renew() {}

/// Answers `fixes(text, range?, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn fixes(text: &JsValue, range: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("fixes");
    let range = call.part("`range`", range)?;
    let (mut validate, given) = call.options::<ValidateRequest>(options)?;
    let given = given.with_text(call.editor_text(text)?, &mut validate.text);
    validate.replaced = given.replaced;
    call.answer(&Request::Fixes(FixesRequest { validate, range }))
}

/// Answers `allocate(text, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn allocate(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    allocated(text, options, |request| {
        requests::run(&Request::Allocate(request))
    })
}

fn allocated(
    text: &JsValue,
    options: &JsValue,
    answered: impl FnOnce(AllocateRequest) -> Answer,
) -> Result<JsValue, JsValue> {
    let call = Call("allocate");
    let (mut request, given) = call.options::<AllocateRequest>(options)?;
    let given = given.with_manifest(
        call.manifest("`text`", text)?,
        &mut request.text,
        &mut request.sources,
    );
    request.replaced = given.replaced;
    request.without_places = given.without_places;
    call.placed(&given, answered(request))
}

/// Answers `audit(text, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn audit(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("audit");
    let (mut request, given) = call.options::<AuditRequest>(options)?;
    let given = given.with_manifest(
        call.manifest("`text`", text)?,
        &mut request.text,
        &mut request.sources,
    );
    request.replaced = given.replaced;
    call.placed(&given, requests::run(&Request::Audit(request)))
}

/// Answers `upgrade(text, options)`.
#[wasm_bindgen(skip_typescript)]
pub fn upgrade(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("upgrade");
    let (mut request, given) = call.options::<UpgradeRequest>(options)?;
    let given = given.with_manifest(
        call.manifest("`text`", text)?,
        &mut request.text,
        &mut request.sources,
    );
    request.replaced = given.replaced;
    call.placed(&given, requests::run(&Request::Upgrade(request)))
}

/// Answers `cel(expression, options?)`.
#[wasm_bindgen(skip_typescript)]
pub fn cel(expression: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("cel");
    let text = expression
        .as_string()
        .ok_or_else(|| call.wrong("`expression`", expression, "a string"))?;
    let (request, _) = call.options::<CelRequest>(options)?;
    call.answer(&Request::Cel(CelRequest {
        expression: Some(text),
        ..request
    }))
}

/// Answers `admit(request?, settings?, options?)`. The request may be a manifest, which is created; the settings may be YAML.
#[wasm_bindgen(skip_typescript)]
pub fn admit(request: &JsValue, settings: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("admit");
    let (asked, _) = call.options::<AdmitRequest>(options)?;
    call.answer(&Request::Admit(AdmitRequest {
        request: call.admission_request(request)?,
        settings: call.settings(settings)?,
        ..asked
    }))
}

/// Sets the language of messages in all answers from here on: the templates by message id, as JSON; without them English.
#[wasm_bindgen(skip_typescript)]
pub fn speak(templates: Option<String>) -> Result<(), JsValue> {
    let read = templates
        .map(|templates| serde_json::from_str(&templates))
        .transpose();
    message::speak(read.map_err(|error| Call("setLocale").unusable(&error.to_string()))?);
    Ok(())
}

/// Answers `format({ form, colors, files })`: answers as a text for people or for another tool.
#[wasm_bindgen(skip_typescript)]
pub fn format(rendering: &JsValue) -> Result<String, JsValue> {
    let call = Call("format");
    let rendering: Option<form::Rendering> = call.part("the answer", rendering)?;
    rendering
        .map(form::render)
        .ok_or_else(|| call.wrong("the answer", &JsValue::UNDEFINED, "an answer"))
}

/// Answers `answer(request)`: one JSON request of the contract, one JSON answer, both as texts.
#[wasm_bindgen(skip_typescript, js_name = answer)]
pub fn answer_text(request: &JsValue) -> Result<String, JsValue> {
    match request.as_string() {
        Some(request) => Ok(requests::answer(&request)),
        None => Err(Call("answer").wrong("`request`", request, "a string of JSON")),
    }
}

/// Returns true if a text is not a manifest as it is: a template, a kustomization or a patch.
#[wasm_bindgen(skip_typescript, js_name = isForeign)]
pub fn is_foreign(path: &str, text: &str) -> bool {
    foreign::is_kustomization(path) || foreign::is_template(path, text) || foreign::is_patch(text)
}

/// Returns true for a text that could be a manifest with something of ours, as far as its words say, or that kubectl refuses to read.
#[wasm_bindgen(skip_typescript, js_name = isOurs)]
pub fn is_ours(text: &JsValue) -> Result<bool, JsValue> {
    let given = Call("isManifest").editor_text(text)?;
    Ok(foreign::is_ours_or_refused(&given.text))
}

/// Returns the files that a kustomization names as patches, relative to its folder.
#[wasm_bindgen(skip_typescript, js_name = patchesOf)]
pub fn patches_of(kustomization: &str) -> Vec<String> {
    foreign::patches_of(kustomization)
}

/// Returns true if a text has a variable that Flux or envsubst replaces.
#[wasm_bindgen(skip_typescript, js_name = hasVariable)]
pub fn has_variable(text: &str) -> bool {
    foreign::has_variable(text, Span::new(0, text.len()))
}

/// Returns true if a pattern of `exclude` in `claimkit.toml` matches a path or one of its parent folders.
#[wasm_bindgen(skip_typescript)]
pub fn excluded(path: &str, patterns: Vec<String>) -> bool {
    paths::with_folders(path).any(|part| {
        patterns
            .iter()
            .any(|pattern| fast_glob::glob_match(pattern, part))
    })
}
