//! Kubewarden's policy module: a waPC guest. Bytes in, bytes out; the judgment is in [`hosts`].

#![allow(unsafe_code)]

use crate::policy::ClusterReader;
use crate::requests::hosts;
use std::panic::{self, PanicHookInfo};

#[link(wasm_import_module = "wapc")]
unsafe extern "C" {
    fn __guest_request(operation: *mut u8, payload: *mut u8);
    fn __guest_response(answer: *const u8, len: usize);
    fn __guest_error(message: *const u8, len: usize);
    fn __console_log(text: *const u8, len: usize);
    fn __host_call(
        binding: *const u8,
        binding_len: usize,
        namespace: *const u8,
        namespace_len: usize,
        operation: *const u8,
        operation_len: usize,
        payload: *const u8,
        payload_len: usize,
    ) -> i32;
    fn __host_response_len() -> usize;
    fn __host_response(answer: *mut u8);
    fn __host_error_len() -> usize;
    fn __host_error(message: *mut u8);
}

/// Kubewarden as a source of cluster data.
struct Kubewarden;

impl ClusterReader for Kubewarden {
    fn call(&self, operation: &str, payload: &str) -> Result<String, String> {
        let (binding, namespace) = ("kubewarden", "kubernetes");
        // SAFETY: pointers and lengths are those of strings that live until the call returns.
        let code = unsafe {
            __host_call(
                binding.as_ptr(),
                binding.len(),
                namespace.as_ptr(),
                namespace.len(),
                operation.as_ptr(),
                operation.len(),
                payload.as_ptr(),
                payload.len(),
            )
        };
        // SAFETY: the host writes as many bytes as it says.
        // SAFETY: as above.
        unsafe {
            if code == 1 {
                read_answer(__host_response_len(), __host_response)
            } else {
                Err(read_answer(__host_error_len(), __host_error)?)
            }
        }
    }
}

fn read_answer(len: usize, fill: unsafe extern "C" fn(*mut u8)) -> Result<String, String> {
    let mut bytes = vec![0u8; len];
    unsafe { fill(bytes.as_mut_ptr()) };
    String::from_utf8(bytes).map_err(|_| "the host's answer is not UTF-8".to_owned())
}

/// Answers an operation of the host, which calls it for each: 1 is an answer, 0 an error.
#[unsafe(no_mangle)]
pub extern "C" fn __guest_call(operation_len: usize, payload_len: usize) -> i32 {
    panic::set_hook(Box::new(unforeseen));
    let mut operation = vec![0u8; operation_len];
    let mut payload = vec![0u8; payload_len];
    // SAFETY: the host writes exactly the lengths it was just given, and both buffers have them.
    unsafe { __guest_request(operation.as_mut_ptr(), payload.as_mut_ptr()) };
    let answer = match operation.as_slice() {
        b"validate" => hosts::validate(&payload, Some(&Kubewarden)),
        b"validate_settings" => hosts::validate_settings(&payload),
        b"protocol_version" => hosts::PROTOCOL_VERSION.to_owned(),
        other => {
            let other = String::from_utf8_lossy(other);
            error(&format!(
                "unknown operation `{other}`; there are `validate`, `validate_settings` and `protocol_version`"
            ));
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

/// Shows the message and location of a panic in the host's log; the panic ends the instance.
fn unforeseen(info: &PanicHookInfo<'_>) {
    let message = format!("claimkit: internal error, please report it: {info}");
    // SAFETY: as in `__guest_call`.
    unsafe { __console_log(message.as_ptr(), message.len()) };
    error(&message);
}
