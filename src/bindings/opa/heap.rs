//! The heap that module and host share: it only grows, and the host resets its end between evaluations.
//!
//! Hosts write input straight at the end of the heap, so an allocator with free lists would be overwritten.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::UnsafeCell;

const PAGE: usize = 65_536;

unsafe extern "C" {
    static __heap_base: u8;
}

/// The end of the heap; 0 before the first use.
struct End(UnsafeCell<usize>);

// SAFETY: this Wasm has one thread.
unsafe impl Sync for End {}

static END: End = End(UnsafeCell::new(0));

/// The allocator of the module.
#[derive(Debug)]
pub struct Bump;

/// Returns the end of the heap.
pub fn end() -> usize {
    // SAFETY: one thread; no reference to the cell is kept. The linker defines `__heap_base`.
    unsafe {
        let end = *END.0.get();
        if end == 0 {
            (&raw const __heap_base).addr().next_multiple_of(16)
        } else {
            end
        }
    }
}

/// Moves the end of the heap, as the host asks.
pub fn set_end(end: usize) {
    // SAFETY: as above.
    unsafe { *END.0.get() = end };
}

/// Makes the memory reach up to `end`; false if the host gives no more.
fn reach(end: usize) -> bool {
    let pages = end.div_ceil(PAGE);
    let present = core::arch::wasm32::memory_size::<0>();
    pages <= present
        || core::arch::wasm32::memory_grow::<0>(pages.saturating_sub(present)) != usize::MAX
}

fn claim(start: usize, size: usize) -> *mut u8 {
    match start.checked_add(size) {
        Some(end) if reach(end) => {
            set_end(end);
            std::ptr::with_exposed_provenance_mut(start)
        }
        _ => std::ptr::null_mut(),
    }
}

// SAFETY: blocks never overlap: each begins where the last one ended, and only the last one is ever resized or given back.
unsafe impl GlobalAlloc for Bump {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match end().checked_next_multiple_of(layout.align()) {
            Some(start) => claim(start, layout.size()),
            None => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if block.addr().saturating_add(layout.size()) == end() {
            set_end(block.addr());
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if block.addr().saturating_add(layout.size()) == end() {
            return claim(block.expose_provenance(), size);
        }
        if size <= layout.size() {
            return block;
        }
        // SAFETY: the new block lies beyond the old one and is larger.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(block, new, layout.size());
            }
            new
        }
    }
}

/// Returns the address at which the host may write next; a page lies behind it, for hosts that do not grow the memory
/// themselves.
#[unsafe(no_mangle)]
pub extern "C" fn opa_heap_ptr_get() -> usize {
    super::prepare();
    reach(end().saturating_add(PAGE));
    end()
}

/// Sets the end of the heap: frees everything after it, or keeps what the host wrote before it.
#[unsafe(no_mangle)]
pub extern "C" fn opa_heap_ptr_set(end: usize) {
    set_end(end);
}

/// Does nothing: there is no list of free blocks.
#[unsafe(no_mangle)]
pub extern "C" fn opa_heap_blocks_stash() {}

/// Does nothing, for the host's interface.
#[unsafe(no_mangle)]
pub extern "C" fn opa_heap_blocks_restore() {}

/// Does nothing, for the host's interface.
#[unsafe(no_mangle)]
pub extern "C" fn opa_heap_stash_clear() {}
