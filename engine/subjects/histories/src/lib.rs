//! Histories of concurrent objects: whether each operation can take effect at once, at a moment between its call and its return.
//!
//! After chapter 3 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026), and *Efficient
//! Linearizability Monitoring* (PLDI 2025), with what is corrected there said where it stands. A [`History`] has the operations of
//! one object: who did what, when it was called, when it returned. An [`Answer`] says at which moments they can take effect
//! ([`Linearization`]), or why there are none ([`Violation`]). [`judge()`] asks whoever knows the object fastest.
//!
//! All that concerns histories is in this crate, from the text to what the page shows:
//!
//! - `history`, `object`: what histories and objects are; `notation`: their texts, a file a format;
//! - `stack`, `queue`, `sets`, `search`: the procedures, which `judge` chooses from; `minimise`: the few operations that contradict
//!   each other; `brute`: an oracle; `generate`: random histories;
//! - [`executions`]: the histories of a program's executions, judged on several threads;
//! - [`report`]: answers in words and as JSON, drawings, and what the page shows.
//!
//! ```
//! use litmoscope_core::budget::Budget;
//! use litmoscope_histories::{Answer, Monitor, Object, ReadOptions, judge, parse_history};
//!
//! let text = "history s stack\nT1: push 1 [0,2]; pop 1 [4,5]";
//! let (recording, _) = parse_history(text, &ReadOptions::default()).expect("it is a history");
//! let history = &recording.histories[0];
//! let mut budget = Budget::unlimited();
//! let judgement = judge(history, Object::Stack, Monitor::Auto, u64::MAX, &mut budget).expect("nobody stops it");
//! assert!(matches!(judgement.answer, Answer::Linearizable(_)));
//! ```
#![warn(missing_docs, unreachable_pub)]

mod answer;
#[cfg(any(test, feature = "testing"))]
pub mod brute;
mod complete;
pub mod executions;
#[cfg(any(test, feature = "testing"))]
pub mod generate;
mod history;
mod judge;
mod minimise;
mod notation;
mod object;
mod pending;
mod queue;
pub mod report;
mod search;
mod sets;
mod stack;
mod stack_fast;

pub use answer::{Answer, Linearization, Obstacle, Point, Undecided, Violation};
pub use complete::{Interval, Pair, points};
pub use history::{
    Action, History, Moment, Names, Object, Operation, OperationIndex, Recording, ThreadIndex, ValueIndex,
};
pub use judge::{Judgement, Monitor, judge};
pub use minimise::{Fact, Judge, MAX_STRETCHED, Minimal, minimise};
pub use notation::{
    Format, ReadOptions, begins_history, detect, highlight_history, history_word, parse_history, parse_history_as,
    print_history,
};
pub use object::{Contents, Illegal, Misfit, Specification, State, check, place, replay, replay_with};
pub use queue::{QueueNode, QueueSearch, QueueTrace, QueueTree, QueueVisit, judge_queue, judge_queue_by_tree};
pub use search::Search;
pub use sets::{
    SetStep, is_plain_multiset, is_plain_set, judge_multiset, judge_set, judge_set_online, printed_counters,
    printed_greedy, set_steps,
};
pub use stack::{StackNode, StackStep, StackTree, judge_stack_as_published};
pub use stack_fast::{judge_stack, judge_stack_in_steps};

#[cfg(test)]
mod differential;
#[cfg(test)]
mod monitor_tests;

// What the floors below have goes by the same names here.
use crate as histories;
#[cfg(any(test, feature = "testing"))]
use litmoscope_core::random;
use litmoscope_core::{budget, graph, model, program, sort, syntax, words};
use litmoscope_explore::explore;
