//! The module for programs with a Wasm runtime inside, such as the Go package. It imports nothing, and answers requests of the contract
//! as `claimkit batch` does.
//!
//! A host writes a request into the bytes of `claimkit_alloc`, calls `claimkit_answer`, copies the answer and gives its bytes back with
//! `claimkit_free`. An instance answers any number of requests, one after another.

#![allow(unsafe_code)]

use crate::requests;
use claimkit_model::memory::GrowsAhead;
use std::ptr;

#[global_allocator]
static MEMORY: GrowsAhead = GrowsAhead;

/// Returns the address of `len` bytes for a request.
#[unsafe(no_mangle)]
pub extern "C" fn claimkit_alloc(len: usize) -> *mut u8 {
    let bytes: Box<[u8]> = vec![0; len].into_boxed_slice();
    Box::into_raw(bytes).cast()
}

/// Answers a request and frees its bytes. The upper half of the result is the address of the answer, the lower half its length.
#[unsafe(no_mangle)]
pub extern "C" fn claimkit_answer(request: *mut u8, len: usize) -> u64 {
    // SAFETY: the host gives what `claimkit_alloc` returned for this length, once.
    let request = unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(request, len)) };
    let answer = requests::answer(&String::from_utf8_lossy(&request));
    let answer = Box::leak(answer.into_boxed_str());
    ((answer.as_ptr() as u64) << 32) | answer.len() as u64
}

/// Frees the bytes of an answer.
#[unsafe(no_mangle)]
pub extern "C" fn claimkit_free(answer: *mut u8, len: usize) {
    // SAFETY: the host gives the two halves of what `claimkit_answer` returned, once.
    drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(answer, len)) });
}
