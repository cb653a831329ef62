//! Programs of real threads, in Rust and in C, that do what a program of ours does, under a schedule or without one.
//!
//! An exported program is one file that needs nothing but the standard library, in C POSIX threads. It brings the runtime along, the
//! schedule as a table, and a function for each thread: a loop over the thread's points, in each of which it does one event between
//! `before` and `after`. Shared variables are atomics of 64 bits, accessed with sequential consistency. A read, a write, a
//! read-modify-write is one of the processor's; locks are the runtime's, so that it sees who waits for whom. What accesses several
//! variables at once (`atomic`, channels) takes a lock of the whole program, but only where no schedule keeps others away. An `assume`
//! waits until others have changed something.
//!
//! Integers are as everywhere: they wrap, and what has no value is an error, which is printed with its place and ends the process with
//! status 1. So do threads that are stuck, and what a schedule does not permit. Inputs are drawn at random by a seed. One that an `assume`
//! refuses is drawn again, a thousand times before the thread waits for others.
//!
//! A *useful round* of a thread ends where the thread is back at an event with which it came into an outermost loop. If it
//! writes anything but mutexes in its loops, a round is useful only if it has done so in it.
//!
//! Source: P. Metzler's thesis (2020), section 5.4, whose prototype rewrites C by macros.

mod cells;
mod frame;
mod names;
mod points;
mod terms;
#[cfg(test)]
mod tests;

use crate::sections::ProgramSchedule;
use litmoscope_core::program::system::System;

/// What programs are exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// Rust, edition 2024: `rustc --edition 2024 -O`.
    Rust,
    /// C11 with POSIX threads: `cc -std=c11 -O2 -pthread`.
    C,
}

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The program.
    pub system: &'a System,
    /// Its text, to which the places of the system refer: for comments and messages.
    pub text: &'a str,
    /// What its threads keep to; without one they are always unconstrained.
    pub schedule: Option<&'a ProgramSchedule>,
}

/// Why a program is not exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// It has no threads.
    #[error("the program has no threads")]
    NoThreads,
    /// It has too many.
    #[error("the program has {0} threads, more than 65,535")]
    TooManyThreads(usize),
}

/// The text of a program that runs threads of the machine.
///
/// It takes arguments: for how many seconds it runs (2 unless said otherwise), `--unconstrained`, `--monitor` to have each event looked
/// at as it happens, and `--seed N` for its inputs. At its end it prints the useful rounds of each thread, and why it ended. Linear in the
/// system and the schedule.
///
/// # Errors
/// [`ExportError`].
pub fn export(source: &Source<'_>, language: Language) -> Result<String, ExportError> {
    match source.system.threads.len() {
        0 => Err(ExportError::NoThreads),
        threads @ 65_536.. => Err(ExportError::TooManyThreads(threads)),
        _ => Ok(frame::program(source, language)),
    }
}
