//! Values of the host: JSON texts at fixed addresses until the host resets the heap.

use crate::requests::hosts;
use claimkit_model::text::{Tree, json};
use serde_json::{Map, Value};

/// Extra bytes after each allocation, because some hosts write one byte too many.
const SLACK: usize = 16;

/// A JSON text, followed by a zero byte.
#[derive(Debug)]
#[repr(C)]
pub struct JsonText {
    pub start: *const u8,
    /// Its bytes without the zero.
    pub len: usize,
    /// The settings in it, if it is OPA's data: a bundle can have megabytes beside them, which no evaluation should read again.
    settings: *const u8,
    settings_len: usize,
}

/// Keeps a text until the host resets the heap.
pub fn keep(text: &str) -> *mut JsonText {
    let (start, len) = kept(text);
    let settings = std::ptr::null();
    Box::leak(Box::new(JsonText {
        start,
        len,
        settings,
        settings_len: 0,
    }))
}

/// Keeps a text and the settings in it.
fn data(text: &str) -> JsonText {
    let (start, len) = kept(text);
    let (settings, settings_len) = kept(&hosts::settings_in_data(text));
    JsonText {
        start,
        len,
        settings,
        settings_len,
    }
}

/// Copies a text to the heap, with a zero byte behind it.
fn kept(text: &str) -> (*const u8, usize) {
    let mut bytes = Vec::with_capacity(text.len().saturating_add(1));
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    (bytes.leak().as_ptr(), text.len())
}

/// Returns the settings in a value that is OPA's data; none for a null handle.
pub fn settings<'h>(text: *const JsonText) -> &'h [u8] {
    // SAFETY: see `bytes`.
    if text.is_null() {
        b""
    } else {
        given(unsafe { (*text).settings }, unsafe { (*text).settings_len })
    }
}

/// Returns the bytes of a value; none for a null handle.
pub fn bytes<'h>(text: *const JsonText) -> &'h [u8] {
    // SAFETY: the host gives handles that `keep` made and that no reset of the heap has ended.
    if text.is_null() {
        b""
    } else {
        unsafe { std::slice::from_raw_parts((*text).start, (*text).len) }
    }
}

/// Returns the bytes that the host wrote.
pub fn given<'h>(start: *const u8, len: usize) -> &'h [u8] {
    // SAFETY: the host has written this many bytes there.
    if len == 0 || start.is_null() {
        b""
    } else {
        unsafe { std::slice::from_raw_parts(start, len) }
    }
}

/// Makes room for the host.
#[unsafe(no_mangle)]
pub extern "C" fn opa_malloc(size: usize) -> *mut u8 {
    Vec::with_capacity(size.saturating_add(SLACK))
        .leak()
        .as_mut_ptr()
}

/// Does nothing: the heap is given back as a whole, by resetting its end.
#[unsafe(no_mangle)]
pub extern "C" fn opa_free(_start: *mut u8) {}

/// Does nothing: memory is freed with the module.
#[unsafe(no_mangle)]
pub extern "C" fn opa_value_free(_text: *mut JsonText) {}

/// Parses JSON to a value; 0 if the text is not JSON.
#[unsafe(no_mangle)]
pub extern "C" fn opa_json_parse(start: *const u8, len: usize) -> *const JsonText {
    let Ok(text) = std::str::from_utf8(given(start, len)) else {
        return std::ptr::null();
    };
    // Some hosts count the zero byte they end a text with.
    let text = text.trim_end_matches('\0');
    if is_json(text) {
        Box::leak(Box::new(data(text)))
    } else {
        std::ptr::null()
    }
}

fn is_json(text: &str) -> bool {
    let mut tree = Tree::new(text);
    let read = json::value(&mut tree, 0, json::MAX_DEPTH);
    read.is_ok_and(|(_, end)| text.get(end..).is_some_and(|rest| rest.trim().is_empty()))
}

/// Writes a value as JSON, ended by a zero byte.
#[unsafe(no_mangle)]
pub extern "C" fn opa_json_dump(text: *const JsonText) -> *const u8 {
    // SAFETY: a handle of ours.
    if text.is_null() {
        c"null".as_ptr().cast()
    } else {
        unsafe { (*text).start }
    }
}

/// Reads a value in Rego's own notation; JSON is a part of it.
#[unsafe(no_mangle)]
pub extern "C" fn opa_value_parse(start: *const u8, len: usize) -> *const JsonText {
    opa_json_parse(start, len)
}

/// Writes a value in Rego's own notation; JSON is a part of it.
#[unsafe(no_mangle)]
pub extern "C" fn opa_value_dump(text: *const JsonText) -> *const u8 {
    opa_json_dump(text)
}

/// Puts a value at a path (a list of keys) of a base document. 0 done, 1 no path, 2 no way there.
#[unsafe(no_mangle)]
pub extern "C" fn opa_value_add_path(
    base: *mut JsonText,
    path: *const JsonText,
    new: *const JsonText,
) -> i32 {
    let Some(new) = parsed(new) else { return 1 };
    change(base, path, |holder, key| {
        holder.insert(key.to_owned(), new);
    })
}

/// Removes what is at a path of a base document. 0 done, 1 no path, 2 no way there.
#[unsafe(no_mangle)]
pub extern "C" fn opa_value_remove_path(base: *mut JsonText, path: *const JsonText) -> i32 {
    change(base, path, |holder, key| {
        holder.shift_remove(key);
    })
}

fn parsed(text: *const JsonText) -> Option<Value> {
    serde_json::from_str(std::str::from_utf8(bytes(text)).ok()?).ok()
}

fn change(
    base: *mut JsonText,
    path: *const JsonText,
    act: impl FnOnce(&mut Map<String, Value>, &str),
) -> i32 {
    let (Some(mut document), Some(Value::Array(path))) = (parsed(base), parsed(path)) else {
        return 1;
    };
    let keys: Option<Vec<&str>> = path.iter().map(Value::as_str).collect();
    let Some((last, way)) = keys.as_deref().and_then(<[&str]>::split_last) else {
        return 1;
    };
    let mut here = &mut document;
    for key in way {
        let Some(holder) = here.as_object_mut() else {
            return 2;
        };
        if !holder.contains_key(*key) {
            holder.insert((*key).to_owned(), Value::Object(Map::new()));
        }
        let Some(next) = holder.get_mut(*key) else {
            return 2;
        };
        here = next;
    }
    let Some(holder) = here.as_object_mut() else {
        return 2;
    };
    act(holder, last);
    // SAFETY: a handle of ours, which stays where it is.
    unsafe { *base = data(&document.to_string()) };
    0
}
