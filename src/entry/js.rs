//! The npm package's functions: arguments of JavaScript in, answers as plain JavaScript objects out.
//!
//! Texts are passed as strings or bytes; objects and options as the JSON they serialise to. So `toJSON`, getters and `undefined`
//! behave as elsewhere in JavaScript, and unknown members are detected at any depth. Answers are the same JSON that every other
//! host gets, parsed by the engine's own `JSON.parse`.

use crate::finding::TextField;
use crate::place;
use crate::scheduler;
use crate::text::bytes;
use crate::wire::request::{self, Replaced};
use crate::wire::{self, Answer, Content, Request};
use js_sys::{JSON, JsString, TypeError, Uint8Array};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsThreadLocal};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// `parse(text, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn parse(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    answer("parse", text, options)
}

/// `validate(text, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn validate(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    answer("validate", text, options)
}

/// `convert(text, options)`
#[wasm_bindgen(skip_typescript)]
pub fn convert(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    answer("convert", text, options)
}

/// `evaluate(text, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn evaluate(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    answer("evaluate", text, options)
}

/// Nodes read once, for many evaluations. JavaScript's garbage collector frees them; `free()` does it at once.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct PreparedNodes(place::PreparedNodes);

/// `prepareNodes(nodes, options?)`
#[wasm_bindgen(skip_typescript, js_name = prepareNodes)]
pub fn prepare_nodes(nodes: &JsValue, options: &JsValue) -> Result<PreparedNodes, JsValue> {
    let call = Call("prepareNodes");
    let limits = call.options(options)?.limits;
    if nodes.is_null() {
        return Ok(PreparedNodes(place::PreparedNodes::nil()));
    }
    let text = call.text("`nodes`", nodes)?;
    let read = place::PreparedNodes::read(&text.text, &limits).with_replaced(&text.text, text.replaced.map(|at| at as usize));
    Ok(PreparedNodes(read))
}

#[wasm_bindgen]
impl PreparedNodes {
    /// How many nodes.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// `evaluate(text, options?)` on these nodes.
    #[wasm_bindgen(skip_typescript)]
    pub fn evaluate(&self, text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
        answer_by("evaluate", text, options, |request| wire::evaluate_on(request, &self.0))
    }
}

/// The objects of a cluster read once, for many questions. JavaScript's garbage collector frees them; `free()` does it at once.
#[wasm_bindgen(skip_typescript)]
#[derive(Debug)]
pub struct PreparedCluster(scheduler::PreparedCluster);

/// `prepareCluster(cluster, options?)`
#[wasm_bindgen(skip_typescript, js_name = prepareCluster)]
pub fn prepare_cluster(cluster: &JsValue, options: &JsValue) -> Result<PreparedCluster, JsValue> {
    let call = Call("prepareCluster");
    let options = call.options(options)?;
    let release = options.release().map_err(|error| call.unusable(&error))?;
    let text = call.text("`cluster`", cluster)?;
    let read = scheduler::PreparedCluster::read(&text.text, release, options.namespace.as_deref(), &options.limits);
    Ok(PreparedCluster(read.with_replaced(&text.text, text.replaced.map(|at| at as usize))))
}

#[wasm_bindgen]
impl PreparedCluster {
    /// How many objects.
    #[wasm_bindgen(getter, skip_typescript)]
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// `allocate(text, options?)` about this cluster.
    #[wasm_bindgen(skip_typescript)]
    pub fn allocate(&self, text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
        answer_by("allocate", text, options, |request| wire::allocate_on(request, &self.0))
    }
}

/// `codes(options?)`
#[wasm_bindgen(skip_typescript)]
pub fn codes(options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("codes");
    call.answer(call.options(options)?)
}

/// `releases(options?)`
#[wasm_bindgen(skip_typescript)]
pub fn releases(options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("releases");
    call.answer(call.options(options)?)
}

/// `jsonSchema(kind?, options?)`: the schema itself, for whatever compiles schemas.
#[wasm_bindgen(skip_typescript, js_name = jsonSchema)]
pub fn json_schema(kind: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("jsonSchema");
    let mut request = call.options(options)?;
    if !kind.is_undefined() && !kind.is_null() {
        let kind = kind.as_string().ok_or_else(|| call.wrong("`kind`", kind, "a string such as `ResourceClaim`"))?;
        request.kind = Some(kind);
    }
    let answer = call.usable(wire::run(&Request { verb: call.0.to_owned(), ..request }))?;
    match &answer.content {
        Content::Schema { schema } => JSON::parse(schema.get()),
        _ => call.object(&answer),
    }
}

/// `hover(text, position, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn hover(text: &JsValue, position: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("hover");
    let position = call.part("`position`", position)?;
    call.about(text, Request { position, ..call.options(options)? })
}

/// `complete(text, position, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn complete(text: &JsValue, position: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("complete");
    let position = call.part("`position`", position)?;
    call.about(text, Request { position, ..call.options(options)? })
}

/// `fixes(text, range?, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn fixes(text: &JsValue, range: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("fixes");
    let range = call.part("`range`", range)?;
    call.about(text, Request { range, ..call.options(options)? })
}

/// `allocate(text, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn allocate(text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    answer("allocate", text, options)
}

/// `cel(expression, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn cel(expression: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("cel");
    let text = expression.as_string().ok_or_else(|| call.wrong("`expression`", expression, "a string"))?;
    call.answer(Request { expression: Some(text), ..call.options(options)? })
}

/// `admit(request?, settings?)`
#[wasm_bindgen(skip_typescript)]
pub fn admit(request: &JsValue, settings: &JsValue) -> Result<JsValue, JsValue> {
    let call = Call("admit");
    let (request, settings) = (call.json("`request`", request)?, call.json("`settings`", settings)?);
    call.answer(Request { request, settings, ..Request::default() })
}

/// `answer(request)`: one JSON request of the contract, one JSON answer, both as texts.
#[wasm_bindgen(skip_typescript, js_name = answer)]
pub fn answer_text(request: &JsValue) -> Result<String, JsValue> {
    match request.as_string() {
        Some(request) => Ok(wire::answer(&request)),
        None => Err(Call("answer").wrong("`request`", request, "a string of JSON")),
    }
}

fn answer(verb: &'static str, text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    answer_by(verb, text, options, wire::run)
}

fn answer_by(
    verb: &'static str,
    text: &JsValue,
    options: &JsValue,
    answered: impl FnOnce(&Request) -> Answer,
) -> Result<JsValue, JsValue> {
    let call = Call(verb);
    let mut request = call.options(options)?;
    // With a bare selector, manifests are not needed.
    if !(text.is_undefined() && request.selector.is_some()) {
        let read = call.text("`text`", text)?;
        request.without_places = !read.places;
        request.placeless.extend((!read.places).then_some(TextField::Text));
        request.replaced.text = read.replaced;
        request.text = Some(read.text);
    }
    verb.clone_into(&mut request.verb);
    let mut answer = call.usable(answered(&request))?;
    without_places(&request, &mut answer);
    call.object(&answer)
}

/// A text as it was given.
struct Text {
    text: String,
    /// Where U+FFFD stands for the first byte that is not text.
    replaced: Option<u32>,
    /// The caller has the text, so that answers can point into it.
    places: bool,
}

/// Options of every function that takes a text.
const COMMON: &[&str] = &["release", "gates", "limits"];
/// Further options of `validate` and `fixes`.
const VALIDATE: &[&str] = &[
    "fieldValidation",
    "operation",
    "old",
    "patchType",
    "fieldManager",
    "force",
    "time",
    "via",
    "namespace",
    "namespaceLabels",
    "stored",
];
/// Options of the functions whose answers contain sentences.
const LOCALE: &[&str] = &["locale", "sentences"];

/// Options that are texts, and so may be bytes or objects.
const TEXTS: &[(TextField, &JsThreadLocal<JsString>)] =
    &[(TextField::Old, &OLD), (TextField::Nodes, &NODES), (TextField::Text, &SELECTOR), (TextField::Cluster, &CLUSTER)];

/// A call of a function, by its name.
#[derive(Clone, Copy)]
struct Call(&'static str);

impl Call {
    /// The options the function takes.
    fn known(self) -> &'static [&'static [&'static str]] {
        match self.0 {
            "parse" => &[COMMON, &["fieldValidation", "labelSelector", "fieldSelector", "namespace", "raw"]],
            "validate" | "fixes" => &[COMMON, VALIDATE],
            "convert" => &[COMMON, &["to", "lossy", "dropServerFields", "annotate"]],
            "evaluate" => &[COMMON, &["nodes", "selector", "detail", "explain"]],
            "jsonSchema" => &[&["release", "gates", "kind"], LOCALE],
            "hover" | "complete" => &[COMMON, LOCALE],
            "allocate" => &[
                COMMON,
                &["namespace", "namespaceLabels", "nodes", "nodeNames", "pod", "claims", "cluster", "whatIf", "now"],
                &["features", "celLists", "options"],
            ],
            "prepareCluster" => &[&["release", "limits", "namespace"]],
            "cel" => &[COMMON, &["environment", "stored", "devices", "instances", "trace"]],
            "codes" | "releases" => &[LOCALE],
            _ => &[COMMON],
        }
    }

    /// The request that options make. Everything in them that does not fit is named.
    fn options(self, options: &JsValue) -> Result<Request, JsValue> {
        if options.is_undefined() || options.is_null() {
            return Ok(Request::default());
        }
        if !is_plain(options) {
            return Err(self.wrong("the options", options, "an object"));
        }
        let mut replaced = Replaced::default();
        let mut placeless = Vec::new();
        let texts = js_sys::Object::new();
        let mut any = false;
        for (field, name) in TEXTS {
            let Some(value) = name.with(|name| member(options, name))? else { continue };
            let name = name.with(JsString::clone);
            let text = self.text(&format!("`{name}`"), &value)?;
            match field {
                TextField::Old => replaced.old = text.replaced,
                TextField::Nodes => replaced.nodes = text.replaced,
                TextField::Cluster => replaced.cluster = text.replaced,
                _ => replaced.text = text.replaced,
            }
            placeless.extend((!text.places).then_some(*field));
            any = js_sys::Reflect::set(&texts, &name, &text.text.into())?;
        }
        let json = if any {
            let whole = assign(&js_sys::Object::new(), options, &texts)?;
            self.stringify("the options", whole.as_deref().unwrap_or(options))?
        } else {
            self.stringify("the options", options)?
        };
        let given: BTreeMap<String, IgnoredAny> =
            serde_json::from_str(&json).map_err(|error| self.unusable(&error.to_string()))?;
        let known = self.known();
        if let Some(name) = given.keys().find(|name| !known.iter().any(|group| group.contains(&name.as_str()))) {
            return Err(self.unusable(&format!("unknown option `{name}`, expected one of `{}`", known.concat().join("`, `"))));
        }
        let request: Request = request::read(&json).map_err(|problem| self.unusable(request::unplaced(&problem)))?;
        Ok(Request { replaced, placeless, ..request })
    }

    /// A text, bytes, or an object as the JSON it serialises to.
    fn text(self, argument: &str, value: &JsValue) -> Result<Text, JsValue> {
        if let Some(text) = value.dyn_ref::<JsString>() {
            // wasm-bindgen's own conversion copies ASCII letter by letter: a tenth of the time that 500 documents take.
            let bytes = ENCODER.with(|encoder| encoder.encode(text)).to_vec();
            let text = String::from_utf8(bytes).map_err(|error| self.unusable(&error.to_string()))?;
            return Ok(Text { text, replaced: None, places: true });
        }
        match String::from(tag(value)).as_str() {
            "[object Uint8Array]" => {
                let bytes = Uint8Array::new(value).to_vec();
                let decoded = bytes::decode(&bytes);
                let replaced = decoded.replaced.and_then(|at| u32::try_from(at).ok());
                Ok(Text { text: decoded.text.into_owned(), replaced, places: true })
            }
            "[object Object]" | "[object Array]" => {
                if js_sys::Reflect::has(value, &"__wbg_ptr".into())? {
                    let what = "a string, a Uint8Array or an object";
                    return Err(self.unusable(&format!(
                        "{argument} is a PreparedNodes or a PreparedCluster, or a copy of one, expected {what}"
                    )));
                }
                Ok(Text { text: self.stringify(argument, value)?, replaced: None, places: false })
            }
            _ => Err(self.wrong(argument, value, "a string, a Uint8Array or an object")),
        }
    }

    /// An argument of its own that is a field of the request.
    fn part<T: DeserializeOwned>(self, argument: &str, value: &JsValue) -> Result<Option<T>, JsValue> {
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        if !is_plain(value) {
            return Err(self.wrong(argument, value, "an object"));
        }
        let json = self.stringify(argument, value)?;
        let problem = |problem: String| self.unusable(&format!("{argument} cannot be used: {}", request::unplaced(&problem)));
        request::read(&json).map(Some).map_err(problem)
    }

    /// JSON, given as an object or as its text.
    fn json(self, argument: &str, value: &JsValue) -> Result<Option<Box<RawValue>>, JsValue> {
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        let text = match value.as_string() {
            Some(text) => text,
            None if is_plain(value) => self.stringify(argument, value)?,
            None => return Err(self.wrong(argument, value, "an object or its JSON text")),
        };
        serde_json::from_str(&text).map(Some).map_err(|error| self.unusable(&format!("{argument} cannot be read: {error}")))
    }

    fn stringify(self, argument: &str, value: &JsValue) -> Result<String, JsValue> {
        match json_text(value) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(self.unusable(&format!("{argument} cannot be written as JSON"))),
            // A circle, a BigInt.
            Err(thrown) if thrown.is_instance_of::<TypeError>() => {
                let words = String::from(thrown.unchecked_ref::<TypeError>().message());
                Err(self.unusable(&format!("{argument} cannot be written as JSON: {words}")))
            }
            // What the caller's own `toJSON` or getter throws.
            Err(thrown) => Err(thrown),
        }
    }

    /// Answers a request about a place in a text.
    fn about(self, text: &JsValue, request: Request) -> Result<JsValue, JsValue> {
        let read = match (text.is_string(), String::from(tag(text)).as_str()) {
            (true, _) | (false, "[object Uint8Array]") => self.text("`text`", text)?,
            _ => return Err(self.wrong("`text`", text, "a string or a Uint8Array")),
        };
        let replaced = Replaced { text: read.replaced, ..request.replaced };
        self.answer(Request { text: Some(read.text), replaced, ..request })
    }

    /// Answers a request that is complete.
    fn answer(self, request: Request) -> Result<JsValue, JsValue> {
        let answer = self.usable(wire::run(&Request { verb: self.0.to_owned(), ..request }))?;
        self.object(&answer)
    }

    fn usable(self, answer: Answer) -> Result<Answer, JsValue> {
        match &answer.error {
            Some(error) => Err(self.unusable(error)),
            None => Ok(answer),
        }
    }

    /// An answer as a JavaScript object.
    fn object(self, answer: &Answer) -> Result<JsValue, JsValue> {
        JSON::parse(&wire::print(answer))
    }

    /// An argument of the wrong type.
    fn wrong(self, argument: &str, value: &JsValue, expected: &str) -> JsValue {
        let tag = String::from(tag(value));
        let shown = match tag.as_str() {
            "[object Undefined]" => "undefined".to_owned(),
            "[object Null]" => "null".to_owned(),
            "[object Number]" | "[object Boolean]" => json_text(value).ok().flatten().unwrap_or_default(),
            "[object String]" => value.as_string().map_or_else(|| "a String object".to_owned(), |text| format!("{text:?}")),
            _ => format!("of type {}", tag.trim_start_matches("[object ").trim_end_matches(']')),
        };
        let verb = if argument == "the options" { "are" } else { "is" };
        self.unusable(&format!("{argument} {verb} {shown}, expected {expected}"))
    }

    fn unusable(self, problem: &str) -> JsValue {
        TypeError::new(&format!("claimkit: {}: {problem}", self.0)).into()
    }
}

/// True for a plain object; false for lists, maps, dates and so on.
fn is_plain(value: &JsValue) -> bool {
    PLAIN.with(|plain| tag(value) == *plain)
}

thread_local! {
    static ENCODER: TextEncoder = TextEncoder::new();
}

// Strings that each call needs, made once. Without the attribute rustfmt deletes their values.
#[rustfmt::skip]
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, static_string)]
    static PLAIN: JsString = "[object Object]";
    #[wasm_bindgen(thread_local_v2, static_string)]
    static OLD: JsString = "old";
    #[wasm_bindgen(thread_local_v2, static_string)]
    static NODES: JsString = "nodes";
    #[wasm_bindgen(thread_local_v2, static_string)]
    static SELECTOR: JsString = "selector";
    #[wasm_bindgen(thread_local_v2, static_string)]
    static CLUSTER: JsString = "cluster";
}

#[wasm_bindgen]
extern "C" {
    type TextEncoder;

    #[wasm_bindgen(constructor)]
    fn new() -> TextEncoder;

    /// A text as UTF-8; halves of surrogate pairs become U+FFFD.
    #[wasm_bindgen(method)]
    fn encode(this: &TextEncoder, text: &JsString) -> Uint8Array;

    /// The type tag of a value, e.g. `[object Map]`. Unlike `instanceof`, it also works for values of other realms.
    #[wasm_bindgen(js_namespace = ["Object", "prototype", "toString"], js_name = call)]
    fn tag(value: &JsValue) -> JsString;

    /// `JSON.stringify`; `None` if the value has no JSON form. The js-sys binding leaves an entry in the value table when the
    /// call throws, which would leak for the lifetime of the instance.
    #[wasm_bindgen(catch, js_namespace = JSON, js_name = stringify)]
    fn json_text(value: &JsValue) -> Result<Option<String>, JsValue>;

    /// `Reflect.get`; `None` for `undefined`. Bound here because of the same leak when a getter throws.
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = get)]
    fn option(options: &JsValue, name: &JsString) -> Result<Option<js_sys::Object>, JsValue>;

    /// `Object.assign`, bound here for the same reason.
    #[wasm_bindgen(catch, js_namespace = Object)]
    fn assign(target: &js_sys::Object, first: &JsValue, second: &js_sys::Object) -> Result<Option<js_sys::Object>, JsValue>;
}

/// An option that is bytes or an object; strings and everything else stay where they are.
fn member(options: &JsValue, name: &JsString) -> Result<Option<JsValue>, JsValue> {
    Ok(option(options, name)?.map(JsValue::from).filter(|value| value.is_object() && !value.is_function()))
}

/// Removes positions and fixes from findings about a text that the caller passed as an object.
fn without_places(request: &Request, answer: &mut Answer) {
    for finding in answer.findings.iter_mut().filter(|finding| request.placeless.contains(&finding.within)) {
        finding.range = None;
        finding.fixes.clear();
    }
    if !request.without_places {
        return;
    }
    for object in &mut answer.objects {
        object.range = None;
    }
}
