//! Records what threads do with a concurrent object: a stack, a queue, a set. What was recorded is written as a *history*, which
//! `litmoscope linearize` reads and judges: could each operation have taken effect at one moment between its call and its return?
//!
//! Each thread has a [`Log`] of its own. An operation is a closure, and its log writes down what it was given, what came back, and a
//! stamp right before and right after it:
//!
//! ```
//! use litmoscope_recorder::{Object, Recorder};
//! use std::sync::Mutex;
//!
//! let stack = Mutex::new(Vec::new());
//! let recorder = Recorder::new(Object::Stack);
//! std::thread::scope(|scope| {
//!     for thread in 0..4 {
//!         let (stack, recorder) = (&stack, &recorder);
//!         scope.spawn(move || {
//!             let mut log = recorder.log();
//!             for value in 0..10 {
//!                 log.insert(10 * thread + value, |value| stack.lock().unwrap().push(value));
//!                 log.remove(|| stack.lock().unwrap().pop());
//!             }
//!         });
//!     }
//! });
//! let history = recorder.finish().to_string();
//! assert!(history.starts_with("history stack\nT"));
//! // std::fs::write("stack.txt", history)?, and then `litmoscope linearize stack.txt`.
//! ```
//!
//! # Values that are inserted more than once
//! Histories of stacks and queues are judged fastest if each value is inserted once: else a search has to find out which of the
//! equal ones was removed. What the object does with values seldom depends on what they are. So let it hold a value and a number: a
//! [`Repeated`] value gives its i-th insertion the name `(a,i)`.
//!
//! # What a recording can tell
//! - **A violation is one.** The call's stamp is taken before the operation begins and the return's when it is over, so the recorded
//!   interval is longer than the real one, never shorter. An operation that took effect within the real one did so within the
//!   recorded one; if there is no way to choose such moments within the longer intervals, there is none within the shorter ones.
//! - **"Linearizable" may be too kind.** Longer intervals overlap more, and operations that overlap may take effect in either order.
//!   A thread that is put aside by the operating system between a stamp and its operation makes an interval long; a history that is
//!   wrong may then be recorded as one that is not.
//! - **It is one run.** Other runs of the same threads may do what this one did not. To look at all of them, write the object as a
//!   program and explore it.
//! - **Stamps keep threads in order.** See below: an object that lacks a fence may seem to have it, since the recorder has one on
//!   both sides of each operation. What happens *within* an operation, and how two that overlap meet, is not touched by that.
//!
//! # Stamps
//! Stamps come from one counter that all threads add to, with sequentially consistent order. If an operation returned with a smaller
//! stamp than that with which another one was called, it happened before that one, in the sense of the memory model: what it wrote
//! is seen there. All threads write one cache line, which takes each some ten nanoseconds and makes them wait for one another.
//!
//! [`Recorder::by_clock`] takes the monotonic clock of the system instead, between two fences. Without the fences, a processor (an ARM
//! one above all, but a store buffer is enough) may perform an operation's last writes after the clock was read, or its first
//! reads before: then the recorded interval is *shorter* than the real one, and violations are reported that never were. A clock is
//! no memory that the language's rules speak of, so with it the order rests on what fences and clock reads do on the processor at hand;
//! take the counter unless waiting for it disturbs what is to be seen. Times may be equal, and then operations overlap.
//!
//! # Operations that never return
//! If an operation panics, it stays in the recording without a return: it may have taken effect, or may yet do so. A log whose thread
//! unwinds hands over what it has. What is done with the same log afterwards, if the panic was caught, has another thread's name,
//! `T1.2`, since a thread does one thing at a time.
//!
//! # Why it is a crate of its own
//! It goes into the tests of programs that want nothing of an engine. So it has the standard library and knows no crate of ours,
//! and none knows it. Its tests know `litmoscope-core`, which reads and judges what it wrote. All that its threads share is in
//! one file, `sync.rs`, so that a model checker can schedule them.
//!
//! # What is where
//! - `log`: who records what. [`Recorder`] and [`Log`].
//! - `sync`: what threads share, and stamps.
//! - `text`: recordings as histories. [`Recording`].
//! - `value`: values that are inserted again and again. [`Repeated`].

mod log;
mod sync;
mod text;
mod value;

pub use log::{Log, Object, Recorder, Recording};
pub use value::{Numbered, Repeated};
