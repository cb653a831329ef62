//! The runtime, held against what schedules mean.
//!
//! `tables` has schedules, made by hand and at random, with programs that can keep to them; `oracle` says by the
//! definition alone whether a sequence of events is one that a schedule permits. `checker` holds the runtime's own
//! checker against it. `schedules` has the runtime compiled with threads that `shuttle` schedules, and `threads` real
//! ones. `pasted` has the runtime's source in programs of their own.

mod checker;
mod oracle;
mod pasted;
mod schedules;
mod tables;
mod threads;
