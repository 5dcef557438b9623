//! Memory of a Wasm module that grows ahead of what is asked for.
//!
//! Rust's allocator takes no more pages from the host than it needs for one request, and a host takes as long for one page as for
//! many: 5,000 times one page takes 3.7 s in Node 20, 50 times 100 pages 50 ms. This asks for an eighth of the memory at once.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::arch::wasm32::memory_size;

const PAGE: usize = 1 << 16;
/// The least number of bytes that memory grows by.
const LEAST: usize = 4 << 20;
/// Memory grows by this part of it: an eighth.
const PART: usize = 8;

/// Rust's own allocator, whose memory grows by an eighth and by at least 4 MiB.
///
/// ```ignore
/// #[global_allocator]
/// static MEMORY: GrowsAhead = GrowsAhead;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct GrowsAhead;

impl GrowsAhead {
    /// Runs an allocation. If memory grew for it, more is taken and freed at once: the allocator keeps it for later requests.
    fn watched(allocate: impl FnOnce() -> *mut u8) -> *mut u8 {
        let before = memory_size::<0>();
        let block = allocate();
        let now = memory_size::<0>();
        if now != before {
            let ahead = now.saturating_mul(PAGE).div_euclid(PART).max(LEAST);
            if let Ok(layout) = Layout::from_size_align(ahead, 1) {
                // SAFETY: the layout is not empty, and the block is freed with the layout it was made with.
                unsafe {
                    let spare = System.alloc(layout);
                    // A host that gives no more has given what was asked for.
                    if !spare.is_null() {
                        System.dealloc(spare, layout);
                    }
                }
            }
        }
        block
    }
}

// SAFETY: every block is one of `System`, with the same layout.
unsafe impl GlobalAlloc for GrowsAhead {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::watched(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::watched(|| unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        Self::watched(|| unsafe { System.realloc(block, layout, size) })
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }
}
