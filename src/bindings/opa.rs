//! A policy module for Open Policy Agent: its Wasm ABI 1.3, one entry point.
//!
//! A value's handle is the address of a [`JsonText`]: JSON in memory. Hosts write into the heap and set its end themselves. Therefore
//! both sides share one heap ([`heap`]), and no allocation of ours may outlive a call: what is kept for the next call is built before the
//! host asks where the heap begins, or forgotten when a call begins.

#![allow(unsafe_code)]

mod heap;
mod value;

use crate::requests::hosts;
use crate::validation::device::declared;
use claimkit_model::cel::device;
use claimkit_model::schema;
use claimkit_scheduler::environments;
use std::ffi::c_char;
use std::panic::{self, PanicHookInfo};
use value::{JsonText, bytes, given, keep, settings};

#[global_allocator]
static HEAP: heap::Bump = heap::Bump;

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    fn opa_abort(message: *const c_char);
}

const ENTRYPOINTS: &str = r#"{"claimkit/admit":0}"#;

/// One evaluation in the older calling convention.
#[derive(Debug)]
#[repr(C)]
pub struct OpaContext {
    input: *const JsonText,
    data: *const JsonText,
    result: *const JsonText,
}

fn unforeseen(info: &PanicHookInfo<'_>) {
    let message = keep(&format!(
        "claimkit: internal error, please report it: {info}"
    ));
    // SAFETY: `keep` ends the text with a zero byte.
    unsafe { opa_abort((*message).start.cast()) };
}

/// Forgets what an earlier evaluation kept for the next: the host has taken the memory back, and written over it.
fn begin() {
    panic::set_hook(Box::new(unforeseen));
    environments::forget();
    declared::forget();
}

/// Builds what all evaluations share. The host writes over everything behind the end of the heap, so this comes before it asks for it.
fn prepare() {
    device::prepare();
    schema::prepare();
}

/// Returns the functions of host OPA that are called: none.
#[unsafe(no_mangle)]
pub extern "C" fn builtins() -> *const JsonText {
    keep("{}")
}

/// Returns the entry points and their numbers.
#[unsafe(no_mangle)]
pub extern "C" fn entrypoints() -> *const JsonText {
    keep(ENTRYPOINTS)
}

/// Evaluates in one call; `format` 1 asks for a Rego set, 0 for JSON.
#[unsafe(no_mangle)]
pub extern "C" fn opa_eval(
    _reserved: usize,
    _entrypoint: i32,
    data: *const JsonText,
    input: *const u8,
    input_len: usize,
    heap_end: usize,
    format: i32,
) -> *const u8 {
    begin();
    heap::set_end(heap_end);
    let result = hosts::evaluate_with_settings(given(input, input_len), settings(data));
    let result = if format == 1 {
        format!("{{{{\"result\":{result}}}}}")
    } else {
        format!("[{{\"result\":{result}}}]")
    };
    // SAFETY: `keep` has just made it.
    unsafe { (*keep(&result)).start }
}

/// Creates an evaluation context.
#[unsafe(no_mangle)]
pub extern "C" fn opa_eval_ctx_new() -> *mut OpaContext {
    let none = std::ptr::null();
    Box::leak(Box::new(OpaContext {
        input: none,
        data: none,
        result: none,
    }))
}

/// Sets the input of a context.
#[unsafe(no_mangle)]
pub extern "C" fn opa_eval_ctx_set_input(context: *mut OpaContext, input: *const JsonText) {
    // SAFETY: the host gives what `opa_eval_ctx_new` made; so in the functions below.
    unsafe { (*context).input = input };
}

/// Sets the data of a context.
#[unsafe(no_mangle)]
pub extern "C" fn opa_eval_ctx_set_data(context: *mut OpaContext, data: *const JsonText) {
    // SAFETY: see `opa_eval_ctx_set_input`.
    unsafe { (*context).data = data };
}

/// Does nothing: there is one entry point.
#[unsafe(no_mangle)]
pub extern "C" fn opa_eval_ctx_set_entrypoint(_context: *mut OpaContext, _entrypoint: i32) {}

/// Returns the result of a context.
#[unsafe(no_mangle)]
pub extern "C" fn opa_eval_ctx_get_result(context: *const OpaContext) -> *const JsonText {
    // SAFETY: see `opa_eval_ctx_set_input`.
    unsafe { (*context).result }
}

/// Evaluates; 0 is success.
#[unsafe(no_mangle)]
pub extern "C" fn eval(context: *mut OpaContext) -> i32 {
    begin();
    // SAFETY: see `opa_eval_ctx_set_input`.
    let (input, data) = unsafe { ((*context).input, (*context).data) };
    let result = hosts::evaluate_with_settings(bytes(input), settings(data));
    // SAFETY: as above.
    unsafe { (*context).result = keep(&format!("[{{\"result\":{result}}}]")) };
    0
}
