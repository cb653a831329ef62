//! Eager partial order reduction: a run for each Mazurkiewicz trace, planned section by section.
//!
//! After Metzler: *Safe Schedules for Concurrent Programs* (thesis, 2020), chapter 3. A **section** is a piece of a program that
//! has the same events, with the same dependencies, whatever order they come in. What it can do follows without running it: each
//! way to put its dependent pairs in order is a **trace constraint system**, and each system that has a solution is a trace of the
//! section. A **schedule** is a solution; all schedules are made when a section begins, and only they are run. Races are looked
//! for between sections alone, as by Source-DPOR ([`super::dpor`]), whose sleep sets and backtrack sets are here, too.
//!
//! - **EPOR** (Algorithm 1) lets sections grow as far as they can.
//! - **EPOR-SH** has at most one event of each thread in a section that depends on another one of it: where there are many
//!   dependent pairs, most systems have no solution.
//!
//! Deviations from print:
//!
//! - The filtered sleep set goes to the run behind the event. Print assigns it to the run before.
//! - A schedule is the first solution in the order of threads, in which the schedules are run, too. Any other choice loses traces:
//!   a thread that sleeps stands for all that can begin with it.
//! - Threads that sleep where a section begins have no event in it, or traces are lost and others are found twice; so whether all
//!   sleep is asked there.
//! - Threads come into a section one after the other, each as far as it can; print leaves that open. So the first section of its
//!   Figure 3.2 is the one that it says.
//! - A branch on what was read in the section ends the thread's part of it, as does what may go wrong or end a loop's waiting
//!   because of that. In print, branches are events; here, they belong to the read before.
//! - What hides dependencies: an event whose location, or whether it writes, depends on what was read in the section comes into
//!   it only if no other thread writes what was read, in the section, and nobody does so later in it.
//! - Of a library object, a section has operations of one thread alone.
//! - Operations that wait race as in [`crate::explore::runs`], also with events of the last section, where a run is over or all
//!   sleep.
//! - A section has at most so many dependent pairs (a parameter), since there are two to the power of that systems; and only so
//!   many events that all schedules can be kept. Sections need not be as long as they can.
//!
//! What is printed loses traces and finds others twice, in its own tables too: Branching from size 9 on, and Indexer of size 16.
//! Tests hold each deviation against all runs of random programs. The counts of print beside those found here are in the book's
//! chapter on races (`book/src/questions/race.md`).
//!
//! Explorer, walk, ends and sleep sets are those of [`crate::explore::runs`], as for DPOR;
//! [`Search`](crate::explore::runs::Search) is what the two have to say there.

mod core;
mod influence;
mod plans;
mod pseudo_code;
mod section;
mod systems;
#[cfg(test)]
mod tests;
pub(super) mod words;
