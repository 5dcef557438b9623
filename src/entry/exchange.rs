//! Texts in and answers out by the functions of `pkg/exchange.js`, where wasm-bindgen's own way costs more than what is asked for: 5
//! of the 33 µs that validating one claim of 800 bytes took in Node.

use crate::json::{Out, ToJson};
use crate::wire::answer::{Object, Range};
use crate::wire::{self, Answer};
use js_sys::{JSON, JsString};
use std::borrow::Cow;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./exchange.js")]
extern "C" {
    /// Writes a text as UTF-8; negative if there is not room for all of it.
    fn encode(text: &JsValue, room: &mut [u8]) -> i32;

    /// Which options these are: 0 for none, -1 if there is something unusual about them, below that if they are not told apart.
    pub fn usual(options: &JsValue) -> i32;

    /// Those options as JSON, if they are usual.
    pub fn written() -> String;

    /// The answer of an [`Accepted`].
    #[wasm_bindgen(js_name = accepted)]
    fn accepted_answer(texts: &str, numbers: &[u32]) -> JsValue;

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
    match Accepted::of(&answer) {
        Some(Accepted { texts, numbers }) => Ok(accepted_answer(&texts, &numbers)),
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

/// Whether an answer is one to `validate` that has nothing to say.
fn is_silent(answer: &Answer) -> bool {
    is_validation(answer) && answer.ok && answer.findings.is_empty()
}

/// Whether nothing more is to be said of an object than that it is accepted.
fn is_accepted(object: &Object) -> bool {
    Values::suffice(object) && object.valid == Some(Some(true)) && object.status.as_ref().is_some_and(Option::is_none)
}

/// The one object that an answer to `validate` accepts and has nothing to say of, as `pkg/exchange.js` reads it from the memory.
pub struct Found {
    /// Where its `apiVersion` is and how long, the same of its `kind`; where the names are, how long the name is and the namespace;
    /// minor release and patch; the numbers of its range.
    pub numbers: [u32; 15],
    /// Name and namespace, one after the other. Only JavaScript reads them.
    _names: String,
}

impl Found {
    /// `None` for any other answer, and where names are anything but ASCII.
    pub fn of(answer: &Answer) -> Option<Self> {
        let [object] = answer.objects.as_slice() else { return None };
        let Object { api_version: Cow::Borrowed(api_version), kind: Cow::Borrowed(kind), name, namespace, .. } = object else {
            return None;
        };
        let (release, Range { start, end }) = (object.release?, object.range?);
        let mut names = String::with_capacity(name.len().saturating_add(namespace.len()));
        names.push_str(name);
        names.push_str(namespace);
        if !is_silent(answer) || !is_accepted(object) || !names.is_ascii() {
            return None;
        }
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let place = |text: &str| number(text.as_ptr().addr());
        let numbers = [
            place(api_version),
            number(api_version.len()),
            place(kind),
            number(kind.len()),
            place(&names),
            number(name.len()),
            number(namespace.len()),
            u32::from(release.minor),
            u32::from(release.patch),
            start.line,
            start.character,
            start.offset,
            end.line,
            end.character,
            end.offset,
        ];
        Some(Found { numbers, _names: names })
    }
}

/// An answer to `validate` that has nothing to say of objects that are all accepted, in the order in which `pkg/exchange.js` takes it.
struct Accepted {
    /// Of each object its names and release, each followed by a line feed.
    texts: String,
    /// Of each object the numbers of its range.
    numbers: Vec<u32>,
}

impl Accepted {
    /// `None` for any other answer.
    fn of(answer: &Answer) -> Option<Self> {
        if !is_silent(answer) {
            return None;
        }
        let mut texts = String::with_capacity(128);
        let mut numbers = Vec::with_capacity(6);
        for object in &answer.objects {
            let Object { api_version, kind, name, namespace, release: Some(release), range: Some(range), .. } = object else {
                return None;
            };
            if !is_accepted(object) {
                return None;
            }
            let own: [&str; 5] = [api_version, kind, name, namespace, &release.text()];
            for text in own {
                if text.as_bytes().contains(&b'\n') {
                    return None;
                }
                texts.push_str(text);
                texts.push('\n');
            }
            for place in [range.start, range.end] {
                numbers.extend([place.line, place.character, place.offset]);
            }
        }
        Some(Accepted { texts, numbers })
    }
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
