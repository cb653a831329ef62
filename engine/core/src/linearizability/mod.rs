//! Linearizability: whether each operation of a history can take effect at once, at a moment between its call and its return.
//!
//! After chapter 3 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026), and *Efficient
//! Linearizability Monitoring* (PLDI 2025), with what is corrected there said where it stands. A [`History`] has the operations of
//! one object: who did what, when it was called, when it returned. An [`Answer`] says at which moments they can take effect
//! ([`Linearization`]), or why there are none ([`Violation`]). [`judge()`] asks whoever knows the object fastest.

mod answer;
#[cfg(any(test, feature = "testing"))]
pub mod brute;
mod complete;
#[cfg(any(test, feature = "testing"))]
pub mod generate;
mod history;
mod judge;
mod minimise;
mod object;
mod pending;
mod queue;
mod search;
mod sets;
mod stack;
mod stack_fast;
mod text;

pub use answer::{Answer, Linearization, Obstacle, Point, Undecided, Violation};
pub use complete::{Interval, Pair, points};
pub use history::{
    Action, History, Moment, Names, Object, Operation, OperationIndex, Recording, ThreadIndex, ValueIndex,
};
pub use judge::{Judgement, Monitor, judge};
pub use minimise::{Fact, Judge, MAX_STRETCHED, Minimal, minimise};
pub use object::{Contents, Illegal, Misfit, Specification, State, check, place, replay, replay_with};
pub use queue::{QueueNode, QueueSearch, QueueTrace, QueueTree, QueueVisit, judge_queue, judge_queue_by_tree};
pub use search::Search;
pub use sets::{
    SetStep, is_plain_multiset, is_plain_set, judge_multiset, judge_set, judge_set_online, printed_counters,
    printed_greedy, set_steps,
};
pub use stack::{StackNode, StackStep, StackTree, judge_stack_as_published};
pub use stack_fast::{judge_stack, judge_stack_in_steps};
pub use text::{
    Format, ReadOptions, begins_history, detect, highlight_history, history_word, parse_history, parse_history_as,
    print_history,
};

#[cfg(test)]
mod differential;
#[cfg(test)]
mod monitor_tests;
