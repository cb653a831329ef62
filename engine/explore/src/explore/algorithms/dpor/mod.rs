//! Dynamic partial order reduction: one run for each Mazurkiewicz trace, or fewer.
//!
//! After Abdulla, Aronis, Jonsson, Sagonas: *Optimal Dynamic Partial Order Reduction* (POPL 2014) and *Source Sets: A
//! Foundation for Optimal Dynamic Partial Order Reduction* (JACM 2017). A run is extended event by event; for two events that
//! are in a race, a run in which the later one comes first is tried some time. Both algorithms keep **sleep sets**: what was
//! tried at some point need not be tried again behind it until something dependent was performed.
//!
//! - **Source-DPOR** (Algorithm 1 of the POPL paper) looks for races whenever an event was added. It keeps a set of processes to
//!   try at each point, such that some of them can begin each run that has to be tried from there (a source set). A run in
//!   which all that could go on sleeps is explored elsewhere and dropped.
//! - **Optimal-DPOR** (Algorithm 2) looks for races when the run is over. It keeps at each point a tree of sequences to run (a
//!   wakeup tree), which are long enough for no run ever to be dropped.
//! - **Optimal-DPOR with observers** (Aronis, Jonsson, Lång, Sagonas: *Optimal Dynamic Partial Order Reduction with Observers*,
//!   TACAS 2018) does so for fewer runs: the order of two writes counts only if somebody reads from one of them.
//!
//! What a run is, what comes before what in it, and which races there are, is said in [`crate::explore::runs`], for SC, TSO and
//! PSO. As two runs have the same events and the same order exactly if they are one execution with one co, executions are
//! counted with co.
//!
//! Deviations from print, which leaves out what this language has:
//!
//! - Operations that wait (on mutexes and channels) race with the last one that took over what they want, since what they take
//!   it over from can't come later. So do those that wait at the end of a run, or where all else sleeps.
//! - A weak compare-and-swap that finds what it expects has two outcomes. They are as two processes of which the first to go
//!   on disables the other for ever. Source-DPOR tries both where they are; Optimal-DPOR tries, when the run is over, the one that
//!   was not behind all that does not come after the one that was. A process sleeps, or is to be tried, with its outcome.
//! - Optimal-DPOR looks only for races whose later event was not there when it looked before, as the authors' implementation
//!   (Concuerror) does, unless weak compare-and-swaps may fail spuriously. What it inserts still has all of the run that is
//!   not behind the earlier event.
//! - With observers, what sleeps is a turn, and what became of it since: a write that others wrote over in its sleep may be
//!   performed, but must be read then. In print, sequences sleep.
//! - Under TSO and PSO, store buffers are processes, whose events put stores into memory, as in *Stateless Model Checking for TSO
//!   and PSO* (TACAS 2015). Happens-before is that of the paper's chronological traces.
//!
//! What is to be tried at a point depends on races found behind it, so the exploration can't be cut into parts.
//!
//! Memory is that of one run: its events, and for each of them who sleeps and what is to be tried there. It does not grow with
//! traces.

mod core;
mod observers;
mod pseudo_code;
#[cfg(test)]
mod tests;
mod wakeup;
pub(super) mod words;
