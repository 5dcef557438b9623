//! JSON inside answers: values from the user's objects, which no type of an answer describes.

use serde::Serialize;
use serde_json::value::RawValue;

/// A JSON value of an answer.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Json {
    /// The text of the value, which every host can print.
    Text(Box<RawValue>),
    /// The JavaScript value of the text. Only serde-wasm-bindgen can serialize it.
    #[cfg(all(feature = "js", target_arch = "wasm32"))]
    Parsed(
        #[serde(serialize_with = "serde_wasm_bindgen::preserve::serialize")] wasm_bindgen::JsValue,
    ),
}

impl Json {
    /// Returns the value of a text; `None` if the text is not JSON.
    pub fn of_text(text: String) -> Option<Self> {
        RawValue::from_string(text).ok().map(Json::Text)
    }

    /// Returns the value as its text.
    pub fn of(value: &impl Serialize) -> Option<Self> {
        serde_json::value::to_raw_value(value).ok().map(Json::Text)
    }

    /// Replaces the text with its JavaScript value. `JSON.parse` makes own properties of all members, also of `__proto__`, and the
    /// nearest number of every number; serde-wasm-bindgen does neither.
    #[cfg(all(feature = "js", target_arch = "wasm32"))]
    pub fn parse(&mut self) -> Result<(), wasm_bindgen::JsValue> {
        if let Json::Text(text) = self {
            *self = Json::Parsed(js_sys::JSON::parse(text.get())?);
        }
        Ok(())
    }
}
