//! Runs threads under a *program schedule*, so that they do only what was proven right: each shared access waits for
//! those that the schedule puts before it.
//!
//! A schedule is a graph. An edge is a *section*: events, each of one thread, in a partial order. A run goes from node
//! to node and performs one section after the other, each in any order that extends its own. Where several edges leave
//! a node, one thread has the branch: what it finds at its first event, and does behind it, is its *transition*, and
//! picks the edge.
//!
//! ```
//! use litmoscope_runtime::{Edge, Event, Runtime, Schedule, Stopped};
//! use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
//!
//! // T1 writes, and then T2 reads; again and again. Transitions are numbers of the program's choice.
//! static SCHEDULE: Schedule<'static> = Schedule {
//!     threads: 2,
//!     nodes: 1,
//!     start: 0,
//!     edges: &[Edge {
//!         from: 0,
//!         to: 0,
//!         events: &[
//!             Event { thread: 0, transition: 0, after: &[] },
//!             Event { thread: 1, transition: 1, after: &[0] },
//!         ],
//!     }],
//! };
//!
//! let runtime = Runtime::new(&SCHEDULE).expect("it is a schedule");
//! let shared = AtomicU32::new(0);
//! std::thread::scope(|scope| {
//!     scope.spawn(|| -> Result<(), Stopped> {
//!         let mut thread = runtime.thread(0);
//!         for round in 1..=10 {
//!             let turn = thread.before()?;
//!             shared.store(round, SeqCst);
//!             turn.after(0)?;
//!         }
//!         Ok(())
//!     });
//!     scope.spawn(|| -> Result<(), Stopped> {
//!         let mut thread = runtime.thread(1);
//!         for round in 1..=10 {
//!             // The same in short, for an access that takes one transition whatever it finds.
//!             let seen = thread.event(1, || shared.load(SeqCst))?;
//!             assert_eq!(seen, round);
//!             thread.round();
//!         }
//!         Ok(())
//!     });
//! });
//! assert_eq!(runtime.rounds(), [0, 10]);
//! ```
//!
//! `examples/producer_consumer.rs` is longer, and has its twin in C beside it; `examples/cost.rs` measures.
//!
//! # Source
//! P. Metzler, *Safe Schedules for Concurrent Programs* (thesis, 2020), chapter 5: program schedules, their look-up
//! (Algorithm 5), and how they are enforced. Deviations:
//!
//! - **Who has the branch begins the section.** By Algorithm 5, the guards at a node are looked at before any event of
//!   the section, which may then begin with any thread. Here no guard has to be known: the thread says which transition
//!   it took. Until then others wait, as they do in the thesis's implementation. Fewer orders are permitted, never
//!   more; [`Checker`] permits all of them. At a node that one edge leaves there is no branch, and its section begins
//!   with any thread here too.
//! - **A schedule may end**, in a node that no edge leaves, for programs that do.
//! - **Each event has its transition**, not only the first: whoever takes another one departs from the schedule, and
//!   the run is over.
//! - **Waits that follow from others are left out**, and events for which nobody waits are not told to others. In the
//!   thesis, each event has a whole vector clock and writes its thread's counter. That makes no difference to what is
//!   permitted, and twice as many rounds of a producer and a consumer.
//!
//! # How it works
//! Each thread has one word, on a cache line of its own, that only it writes: the number of the section, and how many
//! of its events in it are over. It never becomes less. What an event waits for, by its vector clock, is that some of
//! these words are large enough. One more word has the number of the section under way, and its edge. Whoever is done
//! with its events of a section waits until all are, and moves this word on; where there is a branch, the thread that
//! has it does so, behind its first event. All accesses are sequentially consistent, so what happens before a section's
//! end in one thread happens before the next section in all others.
//!
//! Whoever waits looks some hundred times, and then lets others have the core between looks: it is usual that there are
//! fewer cores than threads.
//!
//! # Without a schedule
//! [`Runtime::unconstrained`] threads run as if the runtime was not there, for comparison, and count their rounds. What
//! keeps them in order then is what the program has for it: locks, which are the runtime's, so that it sees who waits
//! for whom, and values that they wait for ([`Turn::not_yet`]). Under a schedule locks may be taken or left out: they
//! are free whenever it is a thread's turn. [`Thread::acquire`] and [`Thread::release`] are for locks that are left out
//! of the schedule. [`Runtime::unconstrained_behind`] begins under a schedule, and is unconstrained where that ends.
//!
//! # Who is stuck
//! A thread that waits says for what: [`Runtime::standing`]. If nobody is left who could end a wait, the run ends, and
//! says so ([`Ended::Stuck`]). That is computed from what all wait for; a slow machine never looks like a deadlock.
//! Threads that wait look for it now and then, as does [`Runtime::run_for`]. A thread that spins on a value by itself
//! runs, as far as this is concerned.
//!
//! # Swaps
//! [`Runtime::swap`] puts another schedule in the place of the one in use when a section ends, such as a larger one
//! that was proven right meanwhile. It needs nothing from threads that run: they look at the end of each section where
//! the run goes on, and find it elsewhere. So no pointer is read at each event, and none has to be swapped atomically.
//!
//! # A monitor
//! [`Runtime::monitored`] looks at each event as it happens, under a schedule or without one, and ends the run at the
//! first one that is not permitted, with what led there ([`Departure`]). One thread at a time does its access then:
//! don't block between `before` and `after`.
//!
//! # The file
//! All of it is `runtime.rs`, which needs nothing but the standard library. It can be a module of any program:
//! [`RUST`]. [`C`] is its twin. The crate knows no other crate of ours. Its tests compile that file a second time, with
//! threads that a model checker schedules.

#![warn(missing_docs, unreachable_pub)]

mod runtime;

pub use runtime::{
    Checker, Departure, Edge, Ended, Event, Prefix, Runtime, Schedule, ScheduleError, Standing, State, Stopped,
    SwapError, Thread, Turn, Waits,
};

/// The source of the whole runtime in Rust, as it is compiled here, for programs that bring it along: the text of a
/// module, of edition 2024.
pub const RUST: &str = include_str!("runtime.rs");

/// The same for C11 with POSIX threads, without swaps: the header `runtime.h`, which a program includes
/// before any other.
pub const C: &str = include_str!("runtime.h");
