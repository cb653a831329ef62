//! Subtrees of blocked executions that are as large as another one: they are counted, not explored.
//!
//! A read that blocks its thread for good, and that no revisit can delete or give another source, is never looked at again but for
//! its place in fr. If nothing follows from that place ([`Graph::is_inert`]), the rest of the exploration is the same whichever
//! of such sources it has: as many executions, all of them blocked, in as many steps. So a walk that nobody listens to explores the
//! first of these subtrees and adds what was counted there for each of the others. A thread that waits for a lock has one for each
//! time that the lock was taken before.
//!
//! This is no part of the paper, and changes no count: the explorer of steps makes all of them.

use super::bits::Bits;
use super::graph::{Base, Ev, Graph, NONE, Slot};
use super::plan::Plan;
use super::store::Lists;
use crate::explore::Counts;

/// What is counted in a subtree in which nothing is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    blocked: u64,
    steps: u64,
    revisits: u64,
    dropped: u64,
}

impl Size {
    /// Whether what was counted stays within bounds on steps and executions if this is added.
    pub fn fits(&self, counts: &Counts, (steps, executions): (u64, u64)) -> bool {
        counts.steps + self.steps <= steps && counts.executions() + self.blocked <= executions
    }

    pub fn add_to(&self, counts: &mut Counts) {
        counts.blocked += self.blocked;
        counts.steps += self.steps;
        counts.revisits += self.revisits;
        counts.dropped += self.dropped;
    }
}

/// A node with such subtrees.
#[derive(Clone, Debug)]
struct Node {
    /// How many nodes are below it on the way to the graph.
    depth: usize,
    /// What had been counted, and how often something had been looked at, when the first subtree was begun; `None` if it is not
    /// being explored.
    begun: Option<(Counts, u64)>,
    /// What was counted there, once it is over.
    size: Option<Size>,
}

/// The nodes with such subtrees on the way to the graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Alike(Vec<Node>);

impl Alike {
    /// What each of the subtrees of a node counts, if that is known.
    pub fn size(&self, depth: usize) -> Option<Size> {
        self.0.last().filter(|node| node.depth == depth)?.size
    }

    /// The first of the subtrees of a node is being explored from now on.
    pub fn begin(&mut self, depth: usize, counts: &Counts, looks: u64) {
        let begun = Some((*counts, looks));
        match self.0.last_mut().filter(|node| node.depth == depth) {
            Some(node) => node.begun = begun,
            None => self.0.push(Node { depth, begun, size: None }),
        }
    }

    /// A node is the last one again: a subtree that was begun there is over.
    #[inline(always)]
    pub fn come_back(&mut self, depth: usize, counts: &Counts, looks: u64) {
        if let Some(node) = self.0.last_mut()
            && node.depth == depth
            && let Some((before, looked)) = node.begun.take()
        {
            node.size = (looked == looks).then(|| Size {
                blocked: counts.blocked - before.blocked,
                steps: counts.steps - before.steps,
                revisits: counts.revisits - before.revisits,
                dropped: counts.dropped - before.dropped,
            });
        }
    }

    /// A node is left.
    #[inline(always)]
    pub fn leave(&mut self, depth: usize) {
        if self.0.last().is_some_and(|node| node.depth >= depth) {
            self.0.pop();
        }
    }

    /// What was done since there were so many nodes, the last of them without a child that is being explored, is done again.
    pub fn go_back(&mut self, depth: usize) {
        self.0.retain(|node| node.depth < depth);
        if let Some(last) = self.0.last_mut().filter(|node| node.depth + 1 == depth) {
            last.begun = None;
        }
    }
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Whether the rest of the exploration is the same with each source of which this holds, for a new read that blocks its thread.
    ///
    /// Some write is behind the source in co: so the read is not maximal, for good, and whatever would delete it or revisit it is
    /// refused. Nothing but the read comes to be ordered in front of a write that comes behind the source, now or later: what is in
    /// front of the read is in front of the source already. And it is in no race that depends on what it synchronises with.
    pub fn is_inert(&self, plan: &Plan, ev: &Ev, base: &Base<W>, source: Slot) -> bool {
        let races = || !ev.mode.is_atomic() || self.cell(ev.location).writes.intersects(&self.non_atomic);
        source != NONE
            && !ev.library
            && self.co_next(source) != NONE
            && (!plan.global_has_fr || base.order.minus(&self.order_with(source)).is_empty())
            && !(plan.races && races())
    }
}
