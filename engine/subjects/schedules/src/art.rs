//! Abstract reachability trees: executions in which states are known only by where threads are and by a predicate.
//!
//! A node has the point of each thread and a label, which holds of all states in which an execution along the tree gets there. Below a node,
//! threads are *expanded*: an edge for each transition that the thread has at its point. A node may be *covered* by another one with
//! the same points: whatever can be done from it, can be done from there. As an intermediate result ([`Art::ivr`]), a tree allows at each
//! node the threads that are expanded, and goes on at the coverer of a covered one.
//!
//! What a tree has to be, so that all that it allows is right, is decided in `check.rs`, which shares no code with who makes it.
//!
//! Source: P. Metzler's thesis (2020), section 4.3; B. Wachter, D. Kroening, J. Ouaknine, "Verifying multi-threaded software with Impact"
//! (FMCAD 2013). Deviation: a node at which no thread is active is no deadlock, as threads may end.

use crate::ivr::{Allowed, Behind, Ivr, IvrNode};
use litmoscope_core::program::system::{PointId, System, Term, TransitionId};
use std::sync::Arc;

/// A node of an [`Art`], an index into its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct NodeId(pub u32);

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The node above it, and the transition that leads here; `None` for the root.
    pub above: Option<(NodeId, TransitionId)>,
    /// Where each thread is.
    pub points: Box<[PointId]>,
    /// What holds of all states here: a term over the values of variables that is not 0.
    pub label: Arc<Term>,
    /// The nodes below it, each with the transition that leads there: ascending by transition, so by thread.
    pub below: Vec<(TransitionId, NodeId)>,
    /// What covers it.
    pub covered_by: Option<NodeId>,
}

/// An abstract reachability tree. The first node is the root; there is at least one, and each other one is behind the one above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Art {
    /// By [`NodeId`].
    pub nodes: Vec<Node>,
}

impl Art {
    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The threads of which there is an edge below a node, ascending.
    pub fn expanded(&self, system: &System, id: NodeId) -> Vec<u16> {
        let mut threads: Vec<u16> =
            self.node(id).below.iter().map(|(transition, _)| system.transition(*transition).thread).collect();
        threads.dedup();
        threads
    }

    /// Whether there is an edge for each transition that a thread has at a node, and there is one.
    pub fn is_fully_expanded(&self, system: &System, id: NodeId, thread: u16) -> bool {
        let node = self.node(id);
        let transitions = &system.point(thread.into(), node.points[usize::from(thread)]).transitions;
        let has = |transition: &TransitionId| node.below.iter().any(|(other, _)| other == transition);
        !transitions.is_empty() && transitions.iter().all(has)
    }

    /// The node from which an execution goes on that gets to this one: itself, or what covers it.
    pub fn coverer(&self, id: NodeId) -> NodeId {
        self.node(id).covered_by.unwrap_or(id)
    }

    /// What it allows: at each node the threads that are expanded there.
    pub fn ivr(&self, system: &System) -> Ivr {
        let behind = |at: usize| {
            let from = self.coverer(NodeId(at as u32));
            let allows = self.expanded(system, from).into_iter().map(|thread| Allowed { thread, when: None }).collect();
            let next = self.node(from).below.iter().map(|(transition, to)| (*transition, IvrNode(to.0))).collect();
            Behind { allows, next }
        };
        Ivr { nodes: (0..self.nodes.len()).map(behind).collect() }
    }
}
