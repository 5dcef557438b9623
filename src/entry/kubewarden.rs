//! Kubewarden's policy module: a waPC guest. Bytes in, bytes out; the judgement is in [`hosts`].

#![allow(unsafe_code)]

use crate::wire::hosts;
use std::panic::{self, PanicHookInfo};

#[link(wasm_import_module = "wapc")]
unsafe extern "C" {
    fn __guest_request(operation: *mut u8, payload: *mut u8);
    fn __guest_response(answer: *const u8, len: usize);
    fn __guest_error(message: *const u8, len: usize);
    fn __console_log(text: *const u8, len: usize);
}

/// Called by the host for every operation: 1 is an answer, 0 an error.
#[unsafe(no_mangle)]
pub extern "C" fn __guest_call(operation_len: usize, payload_len: usize) -> i32 {
    panic::set_hook(Box::new(unforeseen));
    let mut operation = vec![0u8; operation_len];
    let mut payload = vec![0u8; payload_len];
    // SAFETY: the host writes exactly the lengths it has just told, and both buffers have them.
    unsafe { __guest_request(operation.as_mut_ptr(), payload.as_mut_ptr()) };
    let answer = match operation.as_slice() {
        b"validate" => hosts::validate(&payload),
        b"validate_settings" => hosts::validate_settings(&payload),
        b"protocol_version" => hosts::PROTOCOL_VERSION.to_owned(),
        other => {
            let other = String::from_utf8_lossy(other);
            error(&format!("unknown operation `{other}`; there are `validate`, `validate_settings` and `protocol_version`"));
            return 0;
        }
    };
    // SAFETY: pointer and length are those of a string that lives until the call returns; the host copies it.
    unsafe { __guest_response(answer.as_ptr(), answer.len()) };
    1
}

fn error(message: &str) {
    // SAFETY: as in `__guest_call`.
    unsafe { __guest_error(message.as_ptr(), message.len()) };
}

/// A bug of ours ends the instance; the host's log then says what and where.
fn unforeseen(info: &PanicHookInfo<'_>) {
    let message = format!("claimkit: internal error, please report it: {info}");
    // SAFETY: as in `__guest_call`.
    unsafe { __console_log(message.as_ptr(), message.len()) };
    error(&message);
}
