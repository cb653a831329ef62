//! What the verifier does, step by step, and what it finds.

use crate::art::{Art, NodeId};
use litmoscope_core::program::Value;
use litmoscope_core::program::system::TransitionId;

/// Why predicates are interpolated along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The path to an error can't be taken.
    Infeasible,
    /// A thread that may wait is enabled at the path's end.
    Enabled,
    /// A thread that may wait is not enabled there.
    Disabled,
    /// Some thread is enabled there: no deadlock.
    NoDeadlock,
    /// The path's end is to be covered.
    Cover,
}

/// Which kind of covering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cover {
    /// What can be reached from the one can be reached from the other: for the verdict on all schedules.
    Plain,
    /// And no unfair cycle is closed: for schedules that go on for ever.
    Fair,
}

/// Why a schedule is abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abandoned {
    /// The thread may be made to wait there, for some run.
    MayWait,
    /// There is no thread that could go on below.
    DeadEnd,
}

/// A step of the verifier. Labels are predicates of the back-end.
#[derive(Clone, Debug, PartialEq)]
pub enum Step<L> {
    /// A schedule begins at a node.
    Start {
        /// The node.
        node: NodeId,
        /// The thread that is tried; none if the node has not been looked at yet.
        thread: Option<u16>,
    },
    /// A thread is expanded: the nodes below are new.
    Expand {
        /// Where.
        node: NodeId,
        /// The thread.
        thread: u16,
        /// The new nodes, each with its transition.
        below: Vec<(TransitionId, NodeId)>,
    },
    /// Predicates that hold along a path, so that the last one holds at its end.
    Interpolate {
        /// What for.
        purpose: Purpose,
        /// The nodes, the upmost first.
        path: Vec<NodeId>,
        /// A predicate for each.
        predicates: Vec<L>,
    },
    /// A label becomes stronger.
    Strengthen {
        /// Whose.
        node: NodeId,
        /// The label before.
        before: L,
        /// And behind.
        after: L,
        /// Nothing is left: no run gets there.
        is_empty: bool,
    },
    /// A node is covered.
    Cover {
        /// The node.
        node: NodeId,
        /// By which one.
        by: NodeId,
        /// How.
        kind: Cover,
    },
    /// A covering is not taken, as it would close a cycle on which a thread is active and never runs.
    Unfair {
        /// The node that would be covered.
        node: NodeId,
        /// By which one.
        by: NodeId,
        /// The thread.
        thread: u16,
    },
    /// A covering holds no more.
    Uncover {
        /// The node that was covered.
        node: NodeId,
        /// By which one.
        by: NodeId,
        /// How.
        kind: Cover,
    },
    /// A thread that may wait is proven to be enabled at a node, whatever the inputs.
    Proven {
        /// The node.
        node: NodeId,
        /// The thread.
        thread: u16,
    },
    /// A thread that may wait is proven to wait at a node.
    Refuted {
        /// The node.
        node: NodeId,
        /// The thread.
        thread: u16,
    },
    /// A thread is not scheduled at a node.
    Abandon {
        /// The node.
        node: NodeId,
        /// The thread.
        thread: u16,
        /// Why.
        why: Abandoned,
    },
    /// An error or a deadlock is reached.
    Counterexample(Counterexample),
    /// A schedule is done: its tree, if the root has a schedule that never goes wrong.
    Result(usize),
    /// All is done.
    Verdict(Verdict),
}

/// What a counterexample shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A thread went wrong.
    Error,
    /// Some thread is active, and none is enabled.
    Deadlock,
}

/// A run that goes wrong. It replays in the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// What goes wrong at its end.
    pub wrong: Wrong,
    /// The node that it leads to.
    pub node: NodeId,
    /// The values of all variables at the start.
    pub initial: Vec<Value>,
    /// The steps, each with the values of its inputs.
    pub steps: Vec<(TransitionId, Vec<Value>)>,
}

/// The verdict on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// No schedule leads to an error or a deadlock.
    Safe,
    /// Some do, and there is a set of schedules under which none does.
    PartiallySafe,
    /// Some do, and no such set was found though all was looked at.
    Unsafe,
    /// A limit was reached before all was looked at.
    Bounded(Limit),
}

/// Which limit was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The tree has as many nodes as it may have.
    Nodes,
    /// There were as many iterations as there may be.
    Iterations,
    /// A question was given up, or an input has too many values.
    Undecided,
}

/// An intermediate result.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// In which iteration, from 1.
    pub iteration: u32,
    /// The tree of the schedules that are proven right. `None` if there is none so far, as after an error.
    pub art: Option<Art>,
    /// The nodes of the verifier's tree that it consists of, by its own.
    pub nodes: Vec<NodeId>,
    /// How many pairs of a node and a thread it allows that the one before did not.
    pub gained: usize,
    /// How many such pairs the one before allowed that it does not: print says there are none.
    pub lost: usize,
    /// The threads in the order in which the new schedule lets them run first.
    pub order: Vec<u16>,
}
