//! Texts of JavaScript as UTF-8.

use js_sys::JsString;
use wasm_bindgen::prelude::*;

/// Returns a text as UTF-8. wasm-bindgen's own conversion copies ASCII letter by letter: a tenth of the time that 500 documents take.
pub(super) fn utf8(text: &JsString) -> Vec<u8> {
    // Most texts are ASCII, with as many bytes as code units.
    let mut bytes = vec![0; text.length() as usize];
    let done = ENCODER.with(|encoder| encoder.encode_into(text, &mut bytes));
    let (read, written) = (done.read(), done.written() as usize);
    bytes.truncate(written);
    if read < text.length() {
        // A code unit has at most three bytes.
        let rest = text.slice(read, text.length());
        bytes.resize(
            written.saturating_add((rest.length() as usize).saturating_mul(3)),
            0,
        );
        let place = bytes.get_mut(written..).unwrap_or_default();
        let done = ENCODER.with(|encoder| encoder.encode_into(&rest, place));
        bytes.truncate(written.saturating_add(done.written() as usize));
    }
    bytes
}

thread_local! {
    static ENCODER: TextEncoder = TextEncoder::new();
}

#[wasm_bindgen]
extern "C" {
    type TextEncoder;

    #[wasm_bindgen(constructor)]
    fn new() -> TextEncoder;

    /// Writes as much of a text as fits, as UTF-8; halves of surrogate pairs become U+FFFD.
    #[wasm_bindgen(method, js_name = encodeInto)]
    fn encode_into(this: &TextEncoder, text: &JsString, place: &mut [u8]) -> Encoded;

    type Encoded;

    /// Returns the number of UTF-16 code units that were read.
    #[wasm_bindgen(method, getter)]
    fn read(this: &Encoded) -> u32;

    /// Returns the number of bytes that were written.
    #[wasm_bindgen(method, getter)]
    fn written(this: &Encoded) -> u32;
}
