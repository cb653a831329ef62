//! Intermediate results: which threads may run next, by what was run before.
//!
//! An intermediate verification result (IVR) maps each prefix of an execution to a set of threads. Here it is an automaton: a prefix leads
//! from node to node, and the node says which threads are allowed, perhaps by the values of variables. A prefix that leaves the
//! automaton is not constrained.
//!
//! Source: P. Metzler's thesis (2020), sections 4.1 and 4.3.

use litmoscope_core::program::system::{Term, TransitionId};
use std::sync::Arc;

/// A node of an [`Ivr`], an index into its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct IvrNode(pub u32);

/// A thread that may run next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// The thread, an index into [`System::threads`](litmoscope_core::program::system::System::threads).
    pub thread: u16,
    /// Where it may: a term over the values of variables that is not 0. Everywhere if there is none.
    pub when: Option<Arc<Term>>,
}

/// What is allowed behind a prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// The threads that may run next, ascending.
    pub allows: Vec<Allowed>,
    /// Where each step leads, ascending by transition. A step that is not here leaves the automaton.
    pub next: Vec<(TransitionId, IvrNode)>,
}

/// An intermediate result. The first node is that of the empty prefix; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ivr {
    /// By [`IvrNode`].
    pub nodes: Vec<Behind>,
}

impl Ivr {
    /// What is allowed at a node.
    pub fn behind(&self, node: IvrNode) -> &Behind {
        &self.nodes[node.0 as usize]
    }

    /// Where a step leads from a node; `None` if it leaves the automaton.
    pub fn step(&self, node: IvrNode, transition: TransitionId) -> Option<IvrNode> {
        let next = &self.behind(node).next;
        next.binary_search_by_key(&transition, |(transition, _)| *transition).ok().map(|at| next[at].1)
    }
}
