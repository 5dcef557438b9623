//! A call from JavaScript: its arguments read with errors that name them, its answer as a JavaScript object.

use super::utf8::utf8;
use crate::requests::admission;
use crate::requests::json::Json;
use crate::requests::request::{self, PositionRequest, Replaced};
use crate::requests::sources::{self, NamedText};
use crate::requests::{self, Answer, Content, Request};
use claimkit_model::finding::TextField;
use claimkit_model::text::{SourceText, bytes};
use js_sys::{JSON, JsString, TypeError, Uint8Array};
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_wasm_bindgen::Serializer;
use std::fmt;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsThreadLocal};

/// A text as it was given.
pub(super) struct GivenText {
    pub(super) text: String,
    /// The offset at which U+FFFD stands for the first byte that is not text.
    pub(super) replaced: Option<u32>,
    /// The caller has the text, so that answers can point into it.
    pub(super) places: bool,
}

/// Texts that were not given as strings.
#[derive(Default)]
pub(super) struct GivenTexts {
    pub(super) replaced: Replaced,
    /// Texts that the caller passed as objects, so answers have no ranges in them.
    pub(super) placeless: Vec<TextField>,
    /// The main text is one of them.
    pub(super) without_places: bool,
}

impl GivenTexts {
    /// Adds the main text.
    pub(super) fn with_text(mut self, given: GivenText, text: &mut Option<String>) -> Self {
        self.replaced.text = given.replaced;
        self.placeless
            .extend((!given.places).then_some(TextField::Text));
        self.without_places = !given.places;
        *text = Some(given.text);
        self
    }

    /// Adds the manifest.
    pub(super) fn with_manifest(
        self,
        given: GivenManifest,
        text: &mut Option<String>,
        sources: &mut Option<Vec<NamedText>>,
    ) -> Self {
        match given {
            GivenManifest::Text(given) => self.with_text(given, text),
            GivenManifest::Sources(named) => {
                *sources = Some(named);
                self
            }
        }
    }
}

/// The manifest of a function: its first argument.
pub(super) enum GivenManifest {
    /// One text.
    Text(GivenText),
    /// Several with names.
    Sources(Vec<NamedText>),
}

impl GivenManifest {
    /// Returns what `read` makes of it, with a warning for each text with bytes that are not UTF-8. `warn` takes a text, the offset of
    /// the first such byte, and the name of the text.
    pub(super) fn prepared<T>(
        &self,
        read: impl FnOnce(SourceText<'_>) -> T,
        warn: impl Fn(T, &str, Option<usize>, Option<&str>) -> T,
    ) -> T {
        match self {
            GivenManifest::Text(GivenText { text, replaced, .. }) => {
                let at = replaced.map(|at| at as usize);
                warn(read(text.into()), text, at, None)
            }
            GivenManifest::Sources(named) => {
                let mut prepared = read(SourceText::from(&sources::together(named)));
                for one in named {
                    let at = one.replaced.map(|at| at as usize);
                    prepared = warn(prepared, &one.text, at, Some(&one.name));
                }
                prepared
            }
        }
    }
}

/// Fields of requests that functions take as arguments of their own, or that JavaScript has no use for.
const ARGUMENTS: &[&str] = &[
    "text",
    "sources",
    "replaced",
    "expression",
    "position",
    "kind",
    "patch",
    "sentences",
];

/// Options that are texts, and so may be bytes or objects; those but the selector may be several with names.
const TEXTS: &[(TextField, &JsThreadLocal<JsString>)] = &[
    (TextField::Old, &OLD),
    (TextField::Nodes, &NODES),
    (TextField::Text, &SELECTOR),
    (TextField::Cluster, &CLUSTER),
];

/// The names of an object's members.
struct MemberNames(Vec<String>);

impl<'de> Deserialize<'de> for MemberNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = MemberNames;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<MemberNames, A::Error> {
                let mut names = Vec::new();
                while let Some((name, IgnoredAny)) = members.next_entry()? {
                    names.push(name);
                }
                Ok(MemberNames(names))
            }
        }
        deserializer.deserialize_map(Names)
    }
}

/// A call of a function, by its name.
#[derive(Clone, Copy)]
pub(super) struct Call(pub(super) &'static str);

impl Call {
    /// Reads the options of a function, a part of its request. Everything in them that does not fit is named.
    pub(super) fn options<T: DeserializeOwned + Default>(
        self,
        options: &JsValue,
    ) -> Result<(T, GivenTexts), JsValue> {
        if options.is_undefined() || options.is_null() {
            return Ok((T::default(), GivenTexts::default()));
        }
        let (json, given) = self.option_text(options, request::fields::<T>())?;
        let read =
            request::read(&json).map_err(|problem| self.unusable(request::unplaced(&problem)))?;
        Ok((read, given))
    }

    /// Refuses options that an object inherits: JSON has its own members only, so that they would be ignored in silence.
    fn check_inherited(self, options: &JsValue, known: &[&str]) -> Result<(), JsValue> {
        let prototype = js_sys::Object::get_prototype_of(options);
        let is_usual =
            prototype.is_null() || js_sys::Object::get_prototype_of(&prototype).is_null();
        if is_usual || js_sys::Reflect::has(options, &"toJSON".into())? {
            return Ok(());
        }
        let object: &js_sys::Object = options.unchecked_ref();
        for name in known.iter().filter(|name| !ARGUMENTS.contains(name)) {
            let key = JsValue::from(*name);
            if js_sys::Reflect::has(options, &key)? && !js_sys::Object::has_own(object, &key) {
                return Err(self.unusable(&format!(
                    "the option `{name}` is inherited or a getter of a class: give it as a member of the object itself"
                )));
            }
        }
        Ok(())
    }

    /// Returns options as JSON. The function has those of `known` that are not arguments.
    fn option_text(
        self,
        options: &JsValue,
        known: &[&str],
    ) -> Result<(String, GivenTexts), JsValue> {
        let mut given = GivenTexts::default();
        if !is_plain(options) {
            return Err(self.wrong("the options", options, "an object"));
        }
        self.check_members(options)?;
        self.check_inherited(options, known)?;
        let texts = js_sys::Object::new();
        self.read_texts(options, &texts, &mut given)?;
        self.read_beside(options, &texts)?;
        let json = if js_sys::Object::keys(&texts).length() > 0 {
            let whole = assign(&js_sys::Object::new(), options, &texts)?;
            self.stringify("the options", whole.as_deref().unwrap_or(options))?
        } else {
            self.stringify("the options", options)?
        };
        self.check_names(&json, known)?;
        Ok((json, given))
    }

    /// Reads the options that are texts, and sets them in `texts` as strings or, of several with names, as a list.
    fn read_texts(
        self,
        options: &JsValue,
        texts: &js_sys::Object,
        given: &mut GivenTexts,
    ) -> Result<(), JsValue> {
        for (field, name) in TEXTS {
            let Some(value) = name.with(|name| member(options, name))? else {
                continue;
            };
            let name = name.with(JsString::clone);
            let argument = format!("`{name}`");
            let text = match field {
                TextField::Text => self.text(&argument, &value)?,
                _ => match self.manifest(&argument, &value)? {
                    GivenManifest::Text(text) => text,
                    GivenManifest::Sources(named) => {
                        js_sys::Reflect::set(texts, &name, &list_of(named)?)?;
                        continue;
                    }
                },
            };
            match field {
                TextField::Old => given.replaced.old = text.replaced,
                TextField::Nodes => given.replaced.nodes = text.replaced,
                TextField::Cluster => given.replaced.cluster = text.replaced,
                _ => given.replaced.text = text.replaced,
            }
            if !text.places {
                given.placeless.push(*field);
            }
            js_sys::Reflect::set(texts, &name, &text.text.into())?;
        }
        Ok(())
    }

    /// Reads the option `beside`, and sets it in `texts` with strings in place of bytes.
    fn read_beside(self, options: &JsValue, texts: &js_sys::Object) -> Result<(), JsValue> {
        let Some(value) = BESIDE.with(|name| member(options, name))? else {
            return Ok(());
        };
        let Some(list) = value.dyn_ref::<js_sys::Array>() else {
            return Ok(());
        };
        let read = js_sys::Array::new();
        for text in list.iter() {
            read.push(&self.beside(text)?);
        }
        let name = BESIDE.with(JsString::clone);
        js_sys::Reflect::set(texts, &name, &read.into())?;
        Ok(())
    }

    /// Refuses options that the function does not have. Names are those of the JSON, so that `toJSON` and `undefined` count as
    /// elsewhere in JavaScript.
    fn check_names(self, json: &str, known: &[&str]) -> Result<(), JsValue> {
        let MemberNames(mut names) =
            serde_json::from_str(json).map_err(|error| self.unusable(&error.to_string()))?;
        let is_option =
            |name: &str| known.contains(&name) && !ARGUMENTS.contains(&name) || name == "sentences";
        names.retain(|name| !is_option(name));
        if let Some(name) = names.iter().min() {
            let known: Vec<&str> = known
                .iter()
                .copied()
                .filter(|name| !ARGUMENTS.contains(name))
                .collect();
            return Err(self.unusable(&format!(
                "unknown option `{name}`, expected one of `{}`",
                known.join("`, `")
            )));
        }
        Ok(())
    }

    /// Returns a text of `beside` with its bytes, if it has some, as text.
    fn beside(self, given: JsValue) -> Result<JsValue, JsValue> {
        if is_bytes(&given) {
            return Ok(self.text("`beside`", &given)?.text.into());
        }
        if !given.is_object() {
            return Ok(given);
        }
        let text = js_sys::Reflect::get(&given, &"text".into())?;
        if !is_bytes(&text) {
            return Ok(given);
        }
        let named = js_sys::Object::assign(&js_sys::Object::new(), given.unchecked_ref());
        let text = self.text("`text` of `beside`", &text)?.text;
        js_sys::Reflect::set(&named, &"text".into(), &text.into())?;
        Ok(named.into())
    }

    /// Refuses members that JSON would leave out or write as empty: maps, sets, functions, symbols, NaN and infinities. Values inside
    /// members are not checked, and nothing is if the options say themselves what JSON they are (`toJSON`).
    fn check_members(self, options: &JsValue) -> Result<(), JsValue> {
        if TO_JSON
            .with(|name| option(options, name))?
            .is_some_and(|member| member.is_function())
        {
            return Ok(());
        }
        for name in js_sys::Object::keys(options.unchecked_ref::<js_sys::Object>()).iter() {
            let name: &JsString = name.unchecked_ref();
            let value = option(options, name)?.map_or(JsValue::UNDEFINED, JsValue::from);
            let fits = match String::from(tag(&value)).as_str() {
                "[object Map]" | "[object Set]" | "[object Symbol]" => false,
                "[object Number]" => value.as_f64().is_none_or(f64::is_finite),
                _ => !value.is_function(),
            };
            if !fits {
                return Err(self.wrong(&format!("`{name}`"), &value, "a value that JSON can hold"));
            }
        }
        Ok(())
    }

    /// Returns a text, bytes, or an object as the JSON it serializes to.
    pub(super) fn text(self, argument: &str, value: &JsValue) -> Result<GivenText, JsValue> {
        if let Some(text) = value.dyn_ref::<JsString>() {
            let text =
                String::from_utf8(utf8(text)).map_err(|error| self.unusable(&error.to_string()))?;
            return Ok(GivenText {
                text,
                replaced: None,
                places: true,
            });
        }
        match String::from(tag(value)).as_str() {
            // The tag alone can be claimed by any object, of any length.
            "[object Uint8Array]" if js_sys::ArrayBuffer::is_view(value) => {
                let bytes = Uint8Array::new(value).to_vec();
                let decoded = bytes::decode(&bytes);
                let replaced = decoded.replaced.and_then(|at| u32::try_from(at).ok());
                Ok(GivenText {
                    text: decoded.text.into_owned(),
                    replaced,
                    places: true,
                })
            }
            "[object Object]" | "[object Array]" => {
                if js_sys::Reflect::has(value, &"__wbg_ptr".into())? {
                    let what = "a string, a Uint8Array or an object";
                    return Err(self.unusable(&format!(
                        "{argument} is a PreparedNodes or a PreparedCluster, or a copy of one, expected {what}"
                    )));
                }
                Ok(GivenText {
                    text: self.stringify(argument, value)?,
                    replaced: None,
                    places: false,
                })
            }
            _ => Err(self.wrong(argument, value, "a string, a Uint8Array or an object")),
        }
    }

    /// Reads an argument that is one text, or a list of texts with names, which may be empty. A list of objects of another shape is one
    /// text, as JSON.
    pub(super) fn manifest(
        self,
        argument: &str,
        value: &JsValue,
    ) -> Result<GivenManifest, JsValue> {
        match value.dyn_ref::<js_sys::Array>() {
            Some(list) if has_names(list)? => {
                let mut named = Vec::new();
                for one in list.iter() {
                    let name = js_sys::Reflect::get(&one, &"name".into())?;
                    let text = js_sys::Reflect::get(&one, &"text".into())?;
                    let GivenText { text, replaced, .. } = self.text("`text`", &text)?;
                    named.push(NamedText {
                        name: name.as_string().unwrap_or_default(),
                        text,
                        replaced,
                    });
                }
                Ok(GivenManifest::Sources(named))
            }
            _ => self.text(argument, value).map(GivenManifest::Text),
        }
    }

    /// Reads an argument of its own that is a field of the request.
    pub(super) fn part<T: DeserializeOwned>(
        self,
        argument: &str,
        value: &JsValue,
    ) -> Result<Option<T>, JsValue> {
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        if !is_plain(value) {
            return Err(self.wrong(argument, value, "an object"));
        }
        let json = self.stringify(argument, value)?;
        request::read(&json).map(Some).map_err(|problem| {
            self.unusable(&format!(
                "{argument} cannot be used: {}",
                request::unplaced(&problem)
            ))
        })
    }

    /// Takes an AdmissionRequest, or a manifest that is created: an object or a text.
    pub(super) fn admission_request(
        self,
        value: &JsValue,
    ) -> Result<Option<Box<RawValue>>, JsValue> {
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        let text = self.text("`request`", value)?.text;
        // A request may be YAML, too.
        let json = match admission::is_request(&text) {
            Some(_) => text.clone(),
            None => {
                admission::json_of(&text).map_or_else(|_| text.clone(), |json| json.get().into())
            }
        };
        let read = if admission::is_request(&json) == Some(true) {
            RawValue::from_string(json).map_err(|error| error.to_string())
        } else {
            admission::request_of(&text)
        };
        read.map(Some)
            .map_err(|error| self.unusable(&format!("`request` cannot be read: {error}")))
    }

    /// Takes the settings of a policy as an object, or as a text of JSON or YAML.
    pub(super) fn settings(self, value: &JsValue) -> Result<Option<Box<RawValue>>, JsValue> {
        let argument = "`settings`";
        if value.is_undefined() || value.is_null() {
            return Ok(None);
        }
        let text = match value.as_string() {
            Some(text) => text,
            None if is_plain(value) => self.stringify(argument, value)?,
            None => return Err(self.wrong(argument, value, "an object or its JSON text")),
        };
        let read = match serde_json::from_str(&text) {
            Err(error) if text.trim_start().starts_with(['{', '[']) => Err(error.to_string()),
            Err(_) => admission::settings_of(&text),
            Ok(json) => Ok(json),
        };
        read.map(Some)
            .map_err(|error| self.unusable(&format!("{argument} cannot be read: {error}")))
    }

    fn stringify(self, argument: &str, value: &JsValue) -> Result<String, JsValue> {
        match json_text(value) {
            Ok(Some(text)) => Ok(well_formed(text)),
            Ok(None) => Err(self.unusable(&format!("{argument} cannot be written as JSON"))),
            // A circle, a BigInt.
            Err(thrown) if thrown.is_instance_of::<TypeError>() => {
                let words = String::from(thrown.unchecked_ref::<TypeError>().message());
                Err(self.unusable(&format!("{argument} cannot be written as JSON: {words}")))
            }
            // An exception from the caller's own `toJSON` or getter.
            Err(thrown) => Err(thrown),
        }
    }

    /// Reads the arguments of a function about a place in a text.
    pub(super) fn at(
        self,
        text: &JsValue,
        position: &JsValue,
        options: &JsValue,
    ) -> Result<PositionRequest, JsValue> {
        let position = self.part("`position`", position)?;
        let (request, given) = self.options::<PositionRequest>(options)?;
        let mut request = PositionRequest {
            position,
            ..request
        };
        request.replaced = given
            .with_text(self.editor_text(text)?, &mut request.text)
            .replaced;
        Ok(request)
    }

    /// Reads the text of an editor, which is not an object.
    pub(super) fn editor_text(self, text: &JsValue) -> Result<GivenText, JsValue> {
        match (text.is_string(), String::from(tag(text)).as_str()) {
            (true, _) | (false, "[object Uint8Array]") => self.text("`text`", text),
            _ => Err(self.wrong("`text`", text, "a string or a Uint8Array")),
        }
    }

    /// Answers a request that is complete.
    pub(super) fn answer(self, request: &Request) -> Result<JsValue, JsValue> {
        let answer = self.usable(requests::run(request))?;
        self.object(answer)
    }

    /// Returns an answer without positions in texts that the caller passed as objects.
    pub(super) fn placed(self, given: &GivenTexts, answer: Answer) -> Result<JsValue, JsValue> {
        let mut answer = self.usable(answer)?;
        for finding in answer
            .findings
            .iter_mut()
            .filter(|finding| given.placeless.contains(&finding.within))
        {
            finding.range = None;
            finding.fixes.clear();
        }
        if given.without_places {
            answer
                .objects
                .iter_mut()
                .for_each(|object| object.range = None);
        }
        self.object(answer)
    }

    pub(super) fn usable(self, answer: Answer) -> Result<Answer, JsValue> {
        match &answer.error {
            Some(error) => Err(self.unusable(error)),
            None => Ok(answer),
        }
    }

    /// Makes a JavaScript object of an answer.
    pub(super) fn object(self, mut answer: Answer) -> Result<JsValue, JsValue> {
        answer
            .objects
            .iter_mut()
            .flat_map(|object| object.values())
            .try_for_each(Json::parse)?;
        let common = answer
            .common()
            .serialize(&Serializer::json_compatible())
            .map_err(|error| self.unusable(&error.to_string()))?;
        if let Content::Nothing = answer.content {
            return Ok(common);
        }
        // A second serializer for the accounts of all verbs would make the module larger by a tenth.
        let content: js_sys::Object =
            JSON::parse(&requests::print(&answer.content))?.unchecked_into();
        Ok(js_sys::Object::assign(common.unchecked_ref(), &content).into())
    }

    /// Makes the error for an argument of the wrong type.
    pub(super) fn wrong(self, argument: &str, value: &JsValue, expected: &str) -> JsValue {
        let tag = String::from(tag(value));
        let shown = match tag.as_str() {
            "[object Undefined]" => "undefined".to_owned(),
            "[object Null]" => "null".to_owned(),
            // JSON has no such numbers.
            "[object Number]" if value.as_f64().is_some_and(f64::is_nan) => "NaN".to_owned(),
            "[object Number]" if value.as_f64().is_some_and(f64::is_infinite) => {
                "infinite".to_owned()
            }
            "[object Number]" | "[object Boolean]" => {
                json_text(value).ok().flatten().unwrap_or_default()
            }
            "[object String]" => value
                .as_string()
                .map_or_else(|| "a String object".to_owned(), |text| format!("{text:?}")),
            _ => format!(
                "of type {}",
                tag.trim_start_matches("[object ").trim_end_matches(']')
            ),
        };
        let verb = if argument == "the options" {
            "are"
        } else {
            "is"
        };
        self.unusable(&format!("{argument} {verb} {shown}, expected {expected}"))
    }

    pub(super) fn unusable(self, problem: &str) -> JsValue {
        TypeError::new(&format!("claimkit: {}: {problem}", self.0)).into()
    }
}

fn is_bytes(value: &JsValue) -> bool {
    js_sys::ArrayBuffer::is_view(value)
}

/// Returns texts as the list that a request has.
fn list_of(named: Vec<NamedText>) -> Result<JsValue, JsValue> {
    let list = js_sys::Array::new();
    for NamedText {
        name,
        text,
        replaced,
    } in named
    {
        let one = js_sys::Object::new();
        js_sys::Reflect::set(&one, &"name".into(), &name.into())?;
        js_sys::Reflect::set(&one, &"text".into(), &text.into())?;
        js_sys::Reflect::set(&one, &"replaced".into(), &replaced.into())?;
        list.push(&one);
    }
    Ok(list.into())
}

/// Returns true if each item of a list has the members `name` and `text`.
fn has_names(list: &js_sys::Array) -> Result<bool, JsValue> {
    for one in list.iter() {
        if !is_plain(&one) {
            return Ok(false);
        }
        let name = js_sys::Reflect::get(&one, &"name".into())?;
        if !name.is_string() || !js_sys::Reflect::has(&one, &"text".into())? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Writes U+FFFD for halves of surrogate pairs, as the encoding of a text does. `JSON.stringify` escapes them, and only them, as `\ud…`.
fn well_formed(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut written = String::with_capacity(json.len());
    let mut unread = json.as_str();
    while let Some(index) = unread.find('\\') {
        let (before, from_escape) = unread.split_at_checked(index).unwrap_or((unread, ""));
        written.push_str(before);
        let is_half = from_escape.starts_with("\\ud");
        let length = if is_half { 6 } else { 2 };
        let (escape, after) = from_escape
            .split_at_checked(length)
            .unwrap_or((from_escape, ""));
        written.push_str(if is_half { "\u{fffd}" } else { escape });
        unread = after;
    }
    written.push_str(unread);
    written
}

/// Returns true for a plain object; false for lists, maps, dates and so on.
fn is_plain(value: &JsValue) -> bool {
    PLAIN.with(|plain| tag(value) == *plain)
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
    #[wasm_bindgen(thread_local_v2, static_string)]
    static BESIDE: JsString = "beside";
    #[wasm_bindgen(thread_local_v2, static_string)]
    static TO_JSON: JsString = "toJSON";
}

#[wasm_bindgen]
extern "C" {
    /// Returns the type tag of a value, e.g. `[object Map]`. Unlike `instanceof`, it also works for values of other realms.
    #[wasm_bindgen(js_namespace = ["Object", "prototype", "toString"], js_name = call)]
    fn tag(value: &JsValue) -> JsString;

    /// Calls `JSON.stringify`; `None` if the value has no JSON form. The js-sys binding leaves an entry in the value table when
    /// the call throws, which would leak for the lifetime of the instance.
    #[wasm_bindgen(catch, js_namespace = JSON, js_name = stringify)]
    fn json_text(value: &JsValue) -> Result<Option<String>, JsValue>;

    /// Calls `Reflect.get`; `None` for `undefined`. Bound here because of the same leak when a getter throws.
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = get)]
    fn option(options: &JsValue, name: &JsString) -> Result<Option<js_sys::Object>, JsValue>;

    /// Calls `Object.assign`, bound here for the same reason.
    #[wasm_bindgen(catch, js_namespace = Object)]
    fn assign(
        target: &js_sys::Object,
        first: &JsValue,
        second: &js_sys::Object,
    ) -> Result<Option<js_sys::Object>, JsValue>;
}

/// Reads an option that is bytes or an object; strings and everything else stay where they are.
fn member(options: &JsValue, name: &JsString) -> Result<Option<JsValue>, JsValue> {
    Ok(option(options, name)?
        .map(JsValue::from)
        .filter(|value| value.is_object() && !value.is_function()))
}
