//! What happens when the system has no more memory: whatever searches is told to end, and what it found is printed.

use litmoscope::budget::Stop;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write as _;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

/// What is kept back, to end a search and to print what it found. It takes no memory before it is used.
const RESERVE: Layout = match Layout::from_size_align(64 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("16 is a power of two"),
};

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
static EXHAUSTED: AtomicBool = AtomicBool::new(false);
static STOP: OnceLock<Stop> = OnceLock::new();

/// Whoever searches, and memory to end with, for when there is no more.
pub fn prepare(stop: &Stop) {
    if STOP.set(stop.clone()).is_ok() {
        set_aside();
    }
}

/// Whether somebody has said that it is to end, for whatever reason.
pub fn is_told() -> bool {
    STOP.get().is_some_and(Stop::is_told)
}

/// Whether there was no more.
pub fn is_exhausted() -> bool {
    EXHAUSTED.load(Ordering::Relaxed)
}

#[expect(unsafe_code, reason = "only an allocator can keep something back")]
fn set_aside() {
    // SAFETY: the layout is not empty.
    let reserve = unsafe { System.alloc(RESERVE) };
    RESERVED.store(reserve, Ordering::Release);
}

/// The system's allocator. Without another, a program ends by a signal where it has no more memory, and says nothing of what it
/// found: in Rust, there is no other way to hear of that.
pub struct Frugal;

impl Frugal {
    /// A second try, with what was kept back; null where there is no search that could end.
    #[cold]
    #[expect(unsafe_code, reason = "only an allocator can give something back")]
    fn again(attempt: impl Fn() -> *mut u8) -> *mut u8 {
        let Some(stop) = STOP.get() else { return ptr::null_mut() };
        let reserve = RESERVED.swap(ptr::null_mut(), Ordering::AcqRel);
        if !reserve.is_null() {
            EXHAUSTED.store(true, Ordering::Relaxed);
            stop.tell();
            // SAFETY: `set_aside` allocated it with this layout; whoever swaps it out is the only one to have it.
            unsafe { System.dealloc(reserve, RESERVE) };
        }
        let memory = attempt();
        if memory.is_null() {
            // Who is told to end has to get that far. Nothing here allocates.
            let _ = std::io::stderr()
                .write_all(b"litmoscope: the system has no more memory, not even to say what was found\n");
            std::process::exit(3);
        }
        memory
    }
}

#[expect(unsafe_code, reason = "the trait asks for it; who has a bound on memory gets results instead of an abort")]
// SAFETY: all is done by the system's allocator, with the arguments as they came.
unsafe impl GlobalAlloc for Frugal {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let attempt = || unsafe { System.alloc(layout) };
        let memory = attempt();
        if memory.is_null() { Self::again(attempt) } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        let attempt = || unsafe { System.alloc_zeroed(layout) };
        let memory = attempt();
        if memory.is_null() { Self::again(attempt) } else { memory }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises; what can't be moved stays as it was.
        let attempt = || unsafe { System.realloc(memory, layout, size) };
        let moved = attempt();
        if moved.is_null() { Self::again(attempt) } else { moved }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}
