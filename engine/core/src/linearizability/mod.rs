//! Linearizability: whether each operation of a history can take effect at once, at a moment between its call and its return.
//!
//! After chapter 3 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026), and *Efficient
//! Linearizability Monitoring* (PLDI 2025), with what is corrected there said where it stands. A [`History`] has the operations of
//! one object: who did what, when it was called, when it returned. An [`Answer`] says at which moments they can take effect
//! ([`Linearization`]), or why there are none ([`Violation`]).

mod answer;
mod complete;
mod history;
mod minimise;
mod pending;
mod queue;
mod stack;
mod stack_fast;

#[cfg(test)]
mod monitor_tests;

pub use answer::{Answer, Linearization, Obstacle, Point, Undecided, Violation};
pub use complete::{Interval, Pair, points};
pub use history::{
    Action, History, Moment, Names, Object, Operation, OperationIndex, Recording, ThreadIndex, ValueIndex,
};
pub use minimise::{Fact, Judge, MAX_STRETCHED, Minimal, minimise};
pub use queue::{QueueNode, QueueSearch, QueueTrace, QueueTree, QueueVisit, judge_queue, judge_queue_by_tree};
pub use stack::{StackNode, StackStep, StackTree, judge_stack_as_published};
pub use stack_fast::{judge_stack, judge_stack_in_steps};
