//! Texts in and answers out by the functions of `pkg/exchange.js`, where wasm-bindgen's own way costs more than what is asked for: 5
//! of the 33 µs that validating one claim of 800 bytes took in Node.

use crate::json::{Out, ToJson, digits};
use crate::wire::answer::{Object, Range};
use crate::wire::{self, Answer};
use js_sys::{JSON, JsString};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./exchange.js")]
extern "C" {
    /// Writes a text as UTF-8; negative if there is not room for all of it.
    fn encode(text: &JsValue, room: &mut [u8]) -> i32;

    /// Options as JSON, if there is nothing unusual about them.
    #[wasm_bindgen(catch)]
    pub fn usual(options: &JsValue) -> Result<Option<String>, JsValue>;

    /// The answer of [`lines`].
    #[wasm_bindgen(js_name = accepted)]
    fn accepted_answer(lines: &str) -> JsValue;

    /// The answer of a [`Listed`].
    #[wasm_bindgen(catch, js_name = listed)]
    fn listed_answer(text: &str) -> Result<JsValue, JsValue>;
}

/// A string of JavaScript's; `None` for any other value. Half a pair of surrogates becomes U+FFFD.
pub fn string(value: &JsValue) -> Option<String> {
    // Most are ASCII: as many bytes as JavaScript counts units.
    let length = value.dyn_ref::<JsString>()?.length() as usize;
    let mut bytes = vec![0; length];
    let written = usize::try_from(encode(value, &mut bytes));
    match written.is_ok_and(|written| written == length).then(|| String::from_utf8(bytes)) {
        Some(Ok(text)) => Some(text),
        _ => value.as_string(),
    }
}

/// An answer as a JavaScript object.
///
/// # Errors
/// Only what `JSON.parse` throws, which has no cause here.
pub fn object(answer: Answer) -> Result<JsValue, JsValue> {
    match lines(&answer) {
        Some(lines) => Ok(accepted_answer(&lines)),
        None => told(answer),
    }
}

/// The same for an answer that says more.
#[inline(never)]
fn told(mut answer: Answer) -> Result<JsValue, JsValue> {
    match Listed::of(&mut answer) {
        Some(listed) => listed_answer(&wire::print(&listed)),
        None => JSON::parse(&wire::print(&answer)),
    }
}

/// Whether there is nothing in an answer but what `validate` says.
fn is_validation(answer: &Answer) -> bool {
    let Answer { verb, ok: _, error, findings: _, objects: _, raw, hover, items, fixes, schema, codes, releases, text, response } =
        answer;
    let others: [&dyn ToJson; 10] = [error, raw, hover, items, fixes, schema, codes, releases, text, response];
    verb.as_deref() == Some("validate") && others.iter().all(|other| other.is_absent())
}

/// An answer to `validate` that has nothing to say of objects that are all accepted: of each the values of its members, one to a line,
/// in the order in which `pkg/exchange.js` takes them. `None` for any other answer.
fn lines(answer: &Answer) -> Option<String> {
    if !is_validation(answer) || !answer.ok || !answer.findings.is_empty() {
        return None;
    }
    let mut lines = String::with_capacity(256);
    for object in &answer.objects {
        let Object { api_version, kind, name, namespace, release: Some(release), range: Some(range), .. } = object else {
            return None;
        };
        if !Values::suffice(object) || object.valid != Some(Some(true)) || object.status.as_ref().is_none_or(Option::is_some) {
            return None;
        }
        let texts: [&str; 5] = [api_version, kind, name, namespace, &release.text()];
        for text in texts {
            if text.as_bytes().contains(&b'\n') {
                return None;
            }
            lines.push_str(text);
            lines.push('\n');
        }
        for place in [range.start, range.end] {
            for number in [place.line, place.character, place.offset] {
                digits(u64::from(number), &mut lines);
                lines.push('\n');
            }
        }
    }
    Some(lines)
}

/// An answer to `validate`, written as lists of values in the order that `pkg/exchange.js` takes them in.
struct Listed<'a>(&'a Answer, Vec<Values>);

/// An object of such an answer.
struct Values(Object);

impl<'a> Listed<'a> {
    /// Takes the objects out of an answer, if lists can tell all about it.
    fn of(answer: &'a mut Answer) -> Option<Self> {
        if !is_validation(answer) || !answer.objects.iter().all(Values::suffice) {
            return None;
        }
        let objects = std::mem::take(&mut answer.objects);
        Some(Listed(answer, objects.into_iter().map(Values).collect()))
    }
}

impl ToJson for Listed<'_> {
    fn write(&self, out: &mut Out) {
        let Listed(Answer { verb, ok, findings, .. }, objects) = self;
        out.list(&[verb, ok, findings, objects]);
    }
}

impl Values {
    fn suffice(object: &Object) -> bool {
        matches!(
            object,
            Object {
                api_version: _,
                kind: _,
                name: _,
                namespace: _,
                release: Some(_),
                range: Some(_),
                valid: Some(_),
                status: Some(_),
                object: None,
                placement: None,
                selected: None,
                changes: None,
                conversion: None,
            }
        )
    }
}

impl ToJson for Values {
    fn write(&self, out: &mut Out) {
        let Values(Object { api_version, kind, name, namespace, release, range, valid, status, .. }) = self;
        let Some(Range { start, end }) = range else { return };
        out.list(&[
            api_version,
            kind,
            name,
            namespace,
            release,
            &start.line,
            &start.character,
            &start.offset,
            &end.line,
            &end.character,
            &end.offset,
            valid,
            status,
        ]);
    }
}
