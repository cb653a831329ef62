//! Linearizability: whether each operation of a history can take effect at once, at a moment between its call and its return.
//!
//! After chapter 3 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026), and *Efficient
//! Linearizability Monitoring* (PLDI 2025), with what is corrected there said where it stands. A [`History`] has the operations of
//! one object: who did what, when it was called, when it returned. An [`Answer`] says at which moments they can take effect
//! ([`Linearization`]), or why there are none ([`Violation`]).

mod answer;
#[cfg(any(test, feature = "testing"))]
pub mod brute;
#[cfg(any(test, feature = "testing"))]
pub mod generate;
mod history;
mod object;
mod search;
mod sets;

pub use answer::{Answer, Linearization, Point, Undecided, Violation};
pub use history::{
    Action, History, Moment, Names, Object, Operation, OperationIndex, Recording, ThreadIndex, ValueIndex,
};
pub use object::{Contents, Illegal, Misfit, Specification, State, check, place, replay, replay_with};
pub use search::Search;
pub use sets::{
    SetStep, is_plain_multiset, is_plain_set, judge_multiset, judge_set, judge_set_online, printed_counters,
    printed_greedy, set_steps,
};

#[cfg(test)]
mod differential;
