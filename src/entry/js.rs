//! The npm package's functions: arguments of JavaScript in, answers as plain JavaScript objects out.
//!
//! Options and objects come in through `JSON.stringify` and answers go out through `JSON.parse`: measured as fast as
//! building the objects by hand, and without a second serialiser in the module. Texts come in, and what `validate` says goes out,
//! by [`exchange`].

use super::exchange::{self, Found, string};
use crate::json::{self, Raw};
use crate::place;
use crate::text::bytes::{self, Damage, HELP};
use crate::wire::{self, Answer, Request};
use js_sys::{JSON, TypeError, Uint8Array};
use std::cell::Cell;
use wasm_bindgen::prelude::*;

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

/// Where JavaScript writes the text for [`judge`]; to be asked for once.
#[wasm_bindgen(skip_typescript)]
pub fn room(bytes: usize) -> *const u8 {
    let room = vec![0; bytes];
    let at = room.as_ptr();
    ROOM.set(room);
    at
}

/// `validate` of the first bytes in the [`room`], with options that are usual. Where it is one object that is accepted without a
/// word, the numbers of a [`Found`]; null for any other answer, which [`said`] tells.
#[wasm_bindgen(skip_typescript)]
pub fn judge(options: i32, length: usize) -> *const u32 {
    let answer = judged(options, length);
    match answer.as_ref().ok().and_then(Found::of) {
        Some(found) => {
            let found = Box::new(found);
            let at = found.numbers.as_ptr();
            FOUND.set(Some(found));
            at
        }
        None => {
            SAID.set(Some(answer));
            std::ptr::null()
        }
    }
}

/// What [`judge`] has said last.
#[wasm_bindgen(skip_typescript)]
pub fn said() -> Result<JsValue, JsValue> {
    exchange::object(SAID.take().unwrap_or_else(|| Ok(Answer::default()))?)
}

fn judged(options: i32, length: usize) -> Result<Answer, JsValue> {
    const VERB: &str = "validate";
    let mut asked = Asked::of(VERB, options)?;
    let room = ROOM.take();
    let text = room.get(..length).unwrap_or_default().to_vec();
    ROOM.set(room);
    let request = &mut asked.request;
    // JavaScript wrote it as UTF-8.
    request.text = String::from_utf8(text).ok();
    VERB.clone_into(&mut request.verb);
    request.without_places = false;
    let answer = wire::run(request);
    asked.keep();
    usable(VERB, answer)
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
    const VERB: &str = "prepareNodes";
    let limits = request(VERB, options)?.limits;
    if nodes.is_null() {
        return Ok(PreparedNodes(place::PreparedNodes::nil()));
    }
    let text = match string(nodes) {
        Some(text) => text,
        None if nodes.is_instance_of::<Uint8Array>() => {
            let (text, damage) = decode(nodes);
            if let Some(why) = damage.and_then(|damage| damage.refusal(&text)) {
                return Ok(PreparedNodes(place::PreparedNodes::damaged(&why)));
            }
            text
        }
        None if nodes.is_object() && !nodes.is_function() => stringify(VERB, "the nodes", nodes)?,
        None => return Err(unusable(VERB, "the nodes must be a string, a Uint8Array, an object or null")),
    };
    Ok(PreparedNodes(place::PreparedNodes::read(&text, &limits)))
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

/// `codes(options?)`
#[wasm_bindgen(skip_typescript)]
pub fn codes(options: &JsValue) -> Result<JsValue, JsValue> {
    ask("codes", request("codes", options)?)
}

/// `releases(options?)`
#[wasm_bindgen(skip_typescript)]
pub fn releases(options: &JsValue) -> Result<JsValue, JsValue> {
    ask("releases", request("releases", options)?)
}

/// `jsonSchema(kind?, options?)`
#[wasm_bindgen(skip_typescript, js_name = jsonSchema)]
pub fn json_schema(kind: Option<String>, options: &JsValue) -> Result<JsValue, JsValue> {
    let request = request("jsonSchema", options)?;
    ask("jsonSchema", Request { kind: kind.or(request.kind), ..request })
}

/// `hover(text, position, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn hover(text: &JsValue, position: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let position = part("hover", "the position", position)?;
    about("hover", text, Request { position, ..request("hover", options)? })
}

/// `complete(text, position, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn complete(text: &JsValue, position: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let position = part("complete", "the position", position)?;
    about("complete", text, Request { position, ..request("complete", options)? })
}

/// `fixes(text, range?, options?)`
#[wasm_bindgen(skip_typescript)]
pub fn fixes(text: &JsValue, range: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    let range = part("fixes", "the range", range)?;
    about("fixes", text, Request { range, ..request("fixes", options)? })
}

/// `admit(request?, settings?)`
#[wasm_bindgen(skip_typescript)]
pub fn admit(request: &JsValue, settings: &JsValue) -> Result<JsValue, JsValue> {
    let request = raw("admit", "the request", request)?;
    ask("admit", Request { request, settings: raw("admit", "the settings", settings)?, ..Request::default() })
}

/// `answer(request)`: one JSON request of the contract, one JSON answer, both as texts.
#[wasm_bindgen(skip_typescript, js_name = answer)]
pub fn answer_text(request: &str) -> String {
    wire::answer(request)
}

fn answer(verb: &str, text: &JsValue, options: &JsValue) -> Result<JsValue, JsValue> {
    answer_by(verb, text, options, wire::run)
}

fn answer_by(
    verb: &str,
    text: &JsValue,
    options: &JsValue,
    answered: impl FnOnce(&Request) -> Answer,
) -> Result<JsValue, JsValue> {
    let mut asked = Asked::by(verb, options)?;
    let request = &mut asked.request;
    let mut damage = None;
    let places = match string(text) {
        Some(text) => {
            request.text = Some(text);
            true
        }
        None if text.is_instance_of::<Uint8Array>() => {
            let (text, damaged) = decode(text);
            request.damaged.extend(refusal("text", &text, damaged));
            request.text = Some(text);
            damage = damaged;
            true
        }
        None if text.is_object() && !text.is_function() => {
            request.text = Some(stringify(verb, "the manifest", text)?);
            false
        }
        // A bare selector is evaluated in place of manifests.
        None if text.is_undefined() && request.selector.is_some() => true,
        None => return Err(unusable(verb, "the manifest must be a string, a Uint8Array or an object")),
    };
    verb.clone_into(&mut request.verb);
    request.without_places = !places;
    let answer = answered(request);
    asked.keep();
    let mut answer = usable(verb, answer)?;
    if !places {
        without_places(&mut answer);
    }
    if let Some(damage) = damage {
        explain(&mut answer, damage);
    }
    exchange::object(answer)
}

/// Answers a request about a place in a text.
fn about(verb: &str, text: &JsValue, request: Request) -> Result<JsValue, JsValue> {
    let text = match string(text) {
        Some(text) => text,
        None if text.is_instance_of::<Uint8Array>() => decode(text).0,
        None => return Err(unusable(verb, "the manifest must be a string or a Uint8Array")),
    };
    ask(verb, Request { text: Some(text), ..request })
}

/// An argument of its own that is a field of the request.
fn part<T: json::Read>(verb: &str, what: &str, value: &JsValue) -> Result<Option<T>, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    let text = stringify(verb, what, value)?;
    serde_json::from_str(&text).map(Some).map_err(|error| unusable(verb, &format!("{what} cannot be used: {}", told(&error))))
}

/// JSON, given as an object or as its text.
fn raw(verb: &str, what: &str, value: &JsValue) -> Result<Option<Raw>, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    let text = match string(value) {
        Some(text) => text,
        None => stringify(verb, what, value)?,
    };
    serde_json::from_str(&text).map(Some).map_err(|error| unusable(verb, &format!("{what} cannot be read: {error}")))
}

/// Answers a request that needs no manifest.
fn ask(verb: &str, request: Request) -> Result<JsValue, JsValue> {
    JSON::parse(&wire::print(&run(verb, request)?))
}

fn run(verb: &str, request: Request) -> Result<Answer, JsValue> {
    usable(verb, wire::run(&Request { verb: verb.to_owned(), ..request }))
}

fn usable(verb: &str, answer: Answer) -> Result<Answer, JsValue> {
    match &answer.error {
        Some(error) => Err(unusable(verb, error)),
        None => Ok(answer),
    }
}

/// The request that options alone make.
struct Asked {
    /// Which options they are; negative for those that are not told apart.
    options: i32,
    request: Request,
}

thread_local! {
    /// What was asked last, for most ask again with the same options.
    static LAST: Cell<Option<Box<Asked>>> = const { Cell::new(None) };
    /// The bytes of [`room`].
    static ROOM: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// What [`judge`] has found, for JavaScript to read.
    static FOUND: Cell<Option<Box<Found>>> = const { Cell::new(None) };
    /// What [`judge`] has said otherwise.
    static SAID: Cell<Option<Result<Answer, JsValue>>> = const { Cell::new(None) };
}

impl Asked {
    /// Everything in the options that does not fit is named.
    fn by(verb: &str, options: &JsValue) -> Result<Box<Self>, JsValue> {
        match exchange::usual(options) {
            -1 => Ok(Box::new(Asked { options: -1, request: piecewise(verb, options)? })),
            number => Asked::of(verb, number),
        }
    }

    /// The same of usual options, by their number.
    fn of(verb: &str, number: i32) -> Result<Box<Self>, JsValue> {
        if let Some(last) = LAST.take()
            && last.options == number
        {
            return Ok(last);
        }
        let request = if number == 0 { Request::default() } else { read(verb)? };
        Ok(Box::new(Asked { options: number, request }))
    }

    /// Remembers it without its text.
    fn keep(mut self: Box<Self>) {
        if self.options >= 0 {
            self.request.text = None;
            self.request.damaged.clear();
            LAST.set(Some(self));
        }
    }
}

/// The request that options alone make.
fn request(verb: &str, options: &JsValue) -> Result<Request, JsValue> {
    Ok(Asked::by(verb, options)?.request)
}

/// The request that those usual options make which JavaScript was asked about last.
#[inline(never)]
fn read(verb: &str) -> Result<Request, JsValue> {
    serde_json::from_str(&exchange::written()).map_err(|error| unusable(verb, &told(&error)))
}

/// The request that unusual options make.
#[inline(never)]
fn piecewise(verb: &str, options: &JsValue) -> Result<Request, JsValue> {
    if !options.is_object() || options.is_function() || js_sys::Array::is_array(options) {
        return Err(unusable(verb, "the options must be an object"));
    }
    for own in ["verb", "text"] {
        if js_sys::Reflect::has(options, &own.into())? {
            return Err(unusable(verb, &format!("unknown option `{own}`")));
        }
    }
    let mut damaged = Vec::new();
    let (texts, mut any) = (js_sys::Object::new(), false);
    for &name in texts_of(verb) {
        let Some(value) = option(options, name)? else { continue };
        if value.is_instance_of::<Uint8Array>() {
            let (text, damage) = decode(&value);
            damaged.extend(refusal(name, &text, damage));
            any = js_sys::Reflect::set(&texts, &name.into(), &text.into())?;
        }
    }
    let read = if any { assign(&js_sys::Object::new(), options, &texts)? } else { None };
    let options = read.as_deref().unwrap_or(options);
    let options = stringify(verb, "the options", options)?;
    let request = serde_json::from_str(&options).map_err(|error| unusable(verb, &told(&error)))?;
    Ok(Request { damaged, ..request })
}

/// Options that are texts, and so may be bytes.
fn texts_of(verb: &str) -> &'static [&'static str] {
    match verb {
        "validate" => &["old"],
        "evaluate" => &["nodes", "selector"],
        _ => &[],
    }
}

fn refusal(field: &'static str, text: &str, damage: Option<Damage>) -> Option<(&'static str, String)> {
    Some((field, damage?.refusal(text)?))
}

/// What is wrong with options, without the place in a text that the caller never saw.
fn told(error: &json::Error) -> String {
    match error.message.strip_prefix("unknown field") {
        Some(rest) => format!("unknown option{rest}"),
        None if error.field.is_empty() => error.message.clone(),
        None => format!("`{}`: {}", error.field, error.message),
    }
}

fn stringify(verb: &str, what: &str, value: &JsValue) -> Result<String, JsValue> {
    let text = json_text(value).ok().flatten();
    text.ok_or_else(|| unusable(verb, &format!("{what} cannot be written as JSON")))
}

#[wasm_bindgen]
extern "C" {
    /// `JSON.stringify`; `None` for what has no JSON form. The binding of js-sys gives a value even where it throws, and that
    /// keeps its place in the table of values for as long as the instance lives.
    #[wasm_bindgen(catch, js_namespace = JSON, js_name = stringify)]
    fn json_text(value: &JsValue) -> Result<Option<String>, JsValue>;

    /// `Reflect.get`, for the same reason.
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = get)]
    fn option(options: &JsValue, name: &str) -> Result<Option<js_sys::Object>, JsValue>;

    /// `Object.assign`, for the same reason.
    #[wasm_bindgen(catch, js_namespace = Object)]
    fn assign(target: &js_sys::Object, first: &JsValue, second: &js_sys::Object) -> Result<Option<js_sys::Object>, JsValue>;
}

/// Bytes as kubectl reads them.
fn decode(bytes: &JsValue) -> (String, Option<Damage>) {
    let bytes = Uint8Array::new(bytes).to_vec();
    let decoded = bytes::decode(&bytes);
    (decoded.text.into_owned(), decoded.damage)
}

/// Gives the refusal of a byte that is no text kubectl's words.
fn explain(answer: &mut Answer, damage: Damage) {
    for finding in &mut answer.findings {
        let Some(range) = finding.range else { continue };
        if let Some(words) = damage.words(range.start.offset as usize, range.end.offset as usize, &finding.message) {
            finding.message = words;
            finding.help = Some(HELP.into());
            finding.fixes.clear();
        }
    }
}

/// An object's findings point into no text that the caller has.
fn without_places(answer: &mut Answer) {
    for finding in &mut answer.findings {
        finding.range = None;
        finding.fixes.clear();
    }
    for object in &mut answer.objects {
        object.range = None;
    }
}

fn unusable(verb: &str, problem: &str) -> JsValue {
    TypeError::new(&format!("claimkit: {verb}: {problem}")).into()
}
