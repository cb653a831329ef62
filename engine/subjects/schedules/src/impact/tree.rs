//! The verifier's tree as it stands.

use super::{Fate, Status, Verifier};
use crate::art::NodeId;
use crate::formula::Predicates;
use litmoscope_core::program::system::TransitionId;
use rustc_hash::FxHashSet;

/// What is known of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// Schedules that are proven right lead here, or no run gets here.
    Proven,
    /// An error or a deadlock.
    Wrong,
    /// Neither.
    Unknown,
}

/// A node of the verifier's tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode<L> {
    /// What is known of it.
    pub look: Look,
    /// What holds of all states here.
    pub label: L,
    /// No run gets here.
    pub is_empty: bool,
    /// The nodes below it, each with the transition that leads there.
    pub below: Vec<(TransitionId, NodeId)>,
    /// What covers it so that schedules can go on there.
    pub fair: Option<NodeId>,
    /// What covers it so that nothing else has to be looked at here.
    pub plain: Option<NodeId>,
    /// The threads that are not expanded here and might have to be, ascending.
    pub open: Vec<u16>,
}

impl<P: Predicates> Verifier<P> {
    /// The tree as it stands: all nodes, by [`NodeId`], with those that belong to no schedule any more.
    pub fn tree(&self) -> Vec<TreeNode<P::Predicate>> {
        let proven: FxHashSet<NodeId> = self
            .found
            .iter()
            .rev()
            .find(|found| !found.nodes.is_empty())
            .map_or_else(FxHashSet::default, |found| found.nodes.iter().copied().collect());
        let node = |at: usize| {
            let this = &self.nodes[at];
            let id = NodeId(at as u32);
            let is_open = |thread: &u16| {
                let point = self.system.point(usize::from(*thread), this.points[usize::from(*thread)]);
                point.is_active()
                    && this.threads[usize::from(*thread)] == Status::Fresh
                    && !self.may_skip(id.0, *thread)
            };
            let is_over = this.is_false || this.plain.is_some() || this.fate == Fate::Wrong;
            TreeNode {
                look: match this.fate {
                    Fate::Wrong => Look::Wrong,
                    _ if this.is_false || proven.contains(&id) => Look::Proven,
                    _ => Look::Unknown,
                },
                label: this.label.clone(),
                is_empty: this.is_false,
                below: this.below.iter().map(|(step, below)| (*step, NodeId(*below))).collect(),
                fair: this.fair.map(NodeId),
                plain: this.plain.map(NodeId),
                open: match is_over {
                    true => Vec::new(),
                    false => (0..this.threads.len() as u16).filter(is_open).collect(),
                },
            }
        };
        (0..self.nodes.len()).map(node).collect()
    }
}
