//! Partial store order.
//!
//! As a machine: each thread has a FIFO buffer of writes for each location. A read takes the youngest write in its own
//! thread's buffer of its location, else the memory; the oldest write of any buffer goes to memory at any time. `fence
//! sc` and every read-modify-write, whether it writes or fails, wait until all buffers of their own thread are empty; a
//! read-modify-write then acts on the memory. A `fence rel` or `fence acqrel` (SPARC's store-store barrier) does not
//! wait, but no write behind it goes to memory before all writes in front of it. Other fences and modes mean nothing.
//! Of the operations of mutexes and channels, an unlock is a write that goes to memory after all writes in front of it,
//! or else a critical section would leak; all others are read-modify-writes.
//!
//! As axioms: those of TSO ([`super::tso`]), where ppo also loses its pairs from a plain write to a plain write of
//! another location, unless a store-store fence is between the two or the second one is an unlock.
//!
//! Source: the machine is that of Bui, Chatterjee, Gautam, Pavlogiannis and Toman, "The Reads-From Equivalence for the
//! TSO and PSO Memory Models" (OOPSLA 2021), section 2, with store-store fences added. The axioms are ours, compared
//! with the machine on random programs.

use super::coherence::Problem;
use super::tso::{is_plain_read, is_plain_write, is_unlock, store_buffer_problem};
use super::view::View;
use crate::graph::{Event, Label};
use crate::program::Mode;

/// As TSO with a smaller ppo.
pub(super) fn problem<'v>(view: &'v View<'v>) -> Problem<'v> {
    store_buffer_problem(view, preserved)
}

/// Whether a store buffer for each location keeps two events of one thread, the first before the second in po, in
/// order. Store-store fences are ordered with writes, and with nothing else that is not ordered anyway.
pub(super) fn preserved(a: &Event, b: &Event) -> bool {
    if is_store_fence(a) {
        return is_plain_write(b) || is_store_fence(b);
    }
    if is_store_fence(b) {
        return is_plain_write(a);
    }
    let overtakes = is_plain_read(b) || is_plain_write(b) && !is_unlock(b) && a.location() != b.location();
    super::tso::preserved(a, b) && !(is_plain_write(a) && overtakes)
}

pub(super) fn is_store_fence(event: &Event) -> bool {
    matches!(event.label, Label::Fence(Mode::Release | Mode::AcquireRelease))
}
