//! Subtrees that are as large as another one: they are counted, not explored.
//!
//! A read that no revisit can delete or give another source is never looked at again but for its place in fr, and for what comes
//! behind it in its thread. If nothing follows from that place ([`Graph::is_inert`]), there are two cases in which the rest of the
//! exploration is the same whichever of such sources it has:
//!
//! - It blocks its thread for good, so nothing comes behind it.
//! - Its thread reads the same location next, and what the second read sees is the same ([`View`]). The value has to be the same,
//!   too, and no write that comes later may ask for a revisit of the second read, as that would give it another source. A revisit
//!   that deletes what is behind the source in co keeps both reads only if its write comes behind them. That write is not maximal for
//!   good, so what would delete or revisit the first read later is refused as before.
//!
//! So a walk that nobody listens to explores the first of these subtrees and adds what was counted there for each of the others. A
//! thread that waits for a lock has one for each time that the lock was taken or left before.
//!
//! The same holds where threads that wait in vain are left out (`waits.rs`). The first case is left out then. In the second, what
//! is left depends on the state of the thread and on what it knows, which are the same, and on whether a write has overtaken the
//! source of the first read: one has, whichever it is.
//!
//! This is no part of the paper, and changes no count: the explorer of steps makes all of them.
//!
//! The other subtrees keep their numbers among the children of their node, so parts of an exploration stay what they are. Such a
//! subtree is explored all the same if somebody had to look at something else in the first one, or if its counts would go beyond
//! a bound on steps or executions. 64 final states are told apart and 64 subtrees of a node remembered; what is beyond is
//! explored. Where psc is kept, SC fences are to be ordered or switches are bounded, every edge counts, so nothing is alike; nor
//! is it without co, or where threads can be exchanged.

use super::bits::Bits;
use super::graph::{Base, Ev, Graph, NONE, Slot};
use super::plan::Plan;
use super::store::Lists;
use crate::explore::Counts;
use crate::explore::threads::NodeId;
use std::sync::Arc;

/// How many final states are told apart: where there are more, complete executions are explored, not counted.
pub(super) const MOST_STATES: usize = 64;

/// How many subtrees are remembered of a node whose child reads the same location next: there may be as many as pairs of sources.
const MOST_BEHIND: usize = 64;

/// What is counted in a subtree in which nothing else is looked at.
#[derive(Clone, Debug)]
pub(super) struct Size {
    pub counts: Counts,
    /// How many executions have a final state, by number of the state, without those that none has.
    states: Vec<(usize, u64)>,
}

impl Size {
    /// Whether what was counted stays below bounds on steps and executions if this is added. The last execution is always made: a walk stops right
    /// behind it, where a subtree may go on.
    pub(super) fn fits(&self, counts: &Counts, (steps, executions): (u64, u64)) -> bool {
        counts.steps + self.counts.steps <= steps && counts.executions() + self.counts.executions() < executions
    }
}

/// What a read sees: all that is in front of it, as later events see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View<const W: usize> {
    porf: Bits<W>,
    order: Bits<W>,
    hb: Bits<W>,
    pending: Bits<W>,
}

/// What subtrees that are alike have in common, among those of a read or of the read behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key<const W: usize> {
    /// The state of the thread in front of the read.
    pub node: NodeId,
    /// Its source and what it sees then; `None` if it is inert and blocks its thread.
    pub seen: Option<(Slot, View<W>)>,
}

/// A subtree that is being explored.
#[derive(Clone, Debug)]
struct Begun<const W: usize> {
    key: Key<W>,
    /// The read, if no write may ask for a revisit of it.
    read: Slot,
    /// The node in front is that of the read in front.
    is_behind: bool,
    /// What had been counted, how often something had been looked at, and how often each final state had been met.
    counts: Counts,
    looks: u64,
    states: Vec<u64>,
}

/// A node with such subtrees.
#[derive(Clone, Debug)]
struct Node<const W: usize> {
    /// How many nodes are below it on the way to the graph.
    depth: usize,
    begun: Option<Begun<W>>,
    /// What was counted in one whose read blocks its thread, once that is over.
    size: Option<Arc<Size>>,
    /// The child that is being explored is a read that is inert and does not block its thread.
    leads_on: bool,
    /// What was counted below other such children.
    behind: Vec<(Key<W>, Arc<Size>)>,
}

/// The nodes with such subtrees on the way to the graph.
#[derive(Clone, Debug)]
pub(super) struct Alike<const W: usize> {
    nodes: Vec<Node<W>>,
    /// The reads of which no write may ask for a revisit.
    watched: Bits<W>,
    /// How often each final state was met, by number.
    states: Vec<u64>,
    /// What was counted of final states and is not told yet.
    owed: Vec<(usize, u64)>,
}

impl<const W: usize> Alike<W> {
    pub(super) const NOTHING: Self =
        Self { nodes: Vec::new(), watched: Bits::EMPTY, states: Vec::new(), owed: Vec::new() };

    /// The same without what is known of subtrees, for when numbers of slots, states of threads or final states change.
    pub(super) fn forget<const V: usize>(&mut self) -> Alike<V> {
        Alike { owed: std::mem::take(&mut self.owed), ..Alike::NOTHING }
    }

    #[inline(always)]
    fn last(&self, depth: usize) -> Option<&Node<W>> {
        self.nodes.last().filter(|node| node.depth == depth)
    }

    fn last_mut(&mut self, depth: usize) -> &mut Node<W> {
        if self.last(depth).is_none() {
            self.nodes.push(Node { depth, begun: None, size: None, leads_on: false, behind: Vec::new() });
        }
        let last = self.nodes.len() - 1;
        &mut self.nodes[last]
    }

    /// The node of the read in front of one whose node has a depth, if subtrees of both are alike.
    fn in_front(&self, depth: usize) -> Option<&Node<W>> {
        let mut nodes = self.nodes.iter().rev().skip_while(|node| node.depth >= depth);
        nodes.next().filter(|node| node.depth + 1 == depth && node.leads_on)
    }

    /// Whether the node below leads to a read that is inert and does not block its thread.
    #[inline(always)]
    pub(super) fn leads_to(&self, depth: usize) -> bool {
        !self.nodes.is_empty() && self.in_front(depth).is_some()
    }

    /// Whether the node below can remember one more subtree.
    pub(super) fn has_room(&self, depth: usize) -> bool {
        self.in_front(depth).is_some_and(|node| node.behind.len() < MOST_BEHIND)
    }

    /// Notes that the child that is explored next is a read that is inert and does not block its thread.
    pub(super) fn lead_on(&mut self, depth: usize) {
        self.last_mut(depth).leads_on = true;
    }

    /// Notes that it is not.
    pub(super) fn lead_nowhere(&mut self, depth: usize) {
        if self.last(depth).is_some() {
            self.last_mut(depth).leads_on = false;
        }
    }

    /// What each of the subtrees of a node, or of the one in front of it, counts that have something in common, if that is known.
    pub(super) fn size(&self, depth: usize, key: &Key<W>, is_behind: bool) -> Option<Arc<Size>> {
        let own = || self.last(depth)?.size.as_ref();
        let behind = || Some(&self.in_front(depth)?.behind.iter().find(|(other, _)| other == key)?.1);
        let own = if key.seen.is_none() { own() } else { None };
        own.or_else(|| if is_behind { behind() } else { None }).cloned()
    }

    /// One of the subtrees of a node is being explored from now on: of a read of which no write may ask for a revisit, or [`NONE`].
    pub(super) fn begin(
        &mut self,
        depth: usize,
        (key, read, is_behind): (Key<W>, Slot, bool),
        counts: &Counts,
        looks: u64,
    ) {
        let begun = Begun { key, read, is_behind, counts: *counts, looks, states: self.states.clone() };
        self.last_mut(depth).begun = Some(begun);
        self.watch();
    }

    fn watch(&mut self) {
        let begun = self.nodes.iter().filter_map(|node| node.begun.as_ref());
        let reads = begun.map(|begun| begun.read).filter(|read| *read != NONE);
        self.watched = reads.fold(Bits::EMPTY, |watched, read| watched.with(read));
    }

    /// A write asks for a revisit of some reads.
    #[inline(always)]
    pub(super) fn ask(&mut self, reads: &Bits<W>) {
        if self.watched.intersects(reads) {
            self.give_up(reads);
        }
    }

    #[cold]
    fn give_up(&mut self, reads: &Bits<W>) {
        for node in &mut self.nodes {
            node.begun.take_if(|begun| begun.read != NONE && reads.contains(begun.read));
        }
        self.watch();
    }

    /// A node is the last one again: a subtree that was begun there is over.
    #[inline(always)]
    pub(super) fn come_back(&mut self, depth: usize, counts: &Counts, looks: u64) {
        if self.last(depth).is_some_and(|node| node.begun.is_some()) {
            self.end(depth, counts, looks);
        }
    }

    fn end(&mut self, depth: usize, counts: &Counts, looks: u64) {
        let Some(begun) = self.last_mut(depth).begun.take() else { return };
        self.watch();
        if begun.looks != looks {
            return;
        }
        let before = begun.states.iter().copied().chain(std::iter::repeat(0));
        let met = self.states.iter().zip(before).map(|(now, before)| now - before);
        let states = met.enumerate().filter(|(_, met)| *met > 0).collect();
        let size = Arc::new(Size { counts: counts.since(begun.counts), states });
        if begun.key.seen.is_none() {
            self.last_mut(depth).size = Some(Arc::clone(&size));
        }
        if begun.is_behind
            && let Some(node) = self.nodes.iter_mut().rev().find(|node| node.depth + 1 == depth)
        {
            node.behind.push((begun.key, size));
        }
    }

    /// A whole execution has a final state with a number.
    #[inline(always)]
    pub(super) fn meet(&mut self, state: usize) {
        self.meet_often(state, 1);
    }

    fn meet_often(&mut self, state: usize, times: u64) {
        if state >= self.states.len() {
            self.states.resize(state + 1, 0);
        }
        self.states[state] += times;
    }

    /// The final states in a subtree that is not explored.
    pub(super) fn owe(&mut self, size: &Size) {
        for &(state, times) in &size.states {
            self.meet_often(state, times);
            self.owed.push((state, times));
        }
    }

    /// What was counted of final states since this was asked: their numbers, and how many executions more have them.
    #[inline(always)]
    pub(super) fn take_owed(&mut self) -> Option<Vec<(usize, u64)>> {
        if self.owed.is_empty() { None } else { Some(std::mem::take(&mut self.owed)) }
    }

    /// A node is left.
    #[inline(always)]
    pub(super) fn leave(&mut self, depth: usize) {
        if self.nodes.last().is_some_and(|node| node.depth >= depth) {
            self.nodes.pop();
            self.watch();
        }
    }

    /// What was done since there were so many nodes, the last of them without a child that is being explored, is done again.
    pub(super) fn go_back(&mut self, depth: usize) {
        self.nodes.retain(|node| node.depth < depth);
        if let Some(last) = self.nodes.last_mut().filter(|node| node.depth + 1 == depth) {
            last.begun = None;
        }
        self.watch();
    }
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Whether the rest of the exploration is the same with each source of which this holds, for a new read that blocks its thread, and
    /// but for what comes behind it in its thread for one that does not.
    ///
    /// Some write is behind the source in co: so the read is not maximal, for good, and whatever would delete it or revisit it is
    /// refused. Nothing but the read comes to be ordered in front of a write that comes behind the source, now or later: what is in
    /// front of the read is in front of the source already. And it is in no race that depends on what it synchronises with.
    pub(super) fn is_inert(&self, plan: &Plan, ev: &Ev, base: &Base<W>, source: Slot) -> bool {
        source != NONE
            && !ev.library
            && self.co_next(source) != NONE
            && (!plan.global_has_fr || base.order.minus(&self.order_with(source)).is_empty())
            && !self.may_race(plan, ev)
    }

    /// What the event added last, a read, sees.
    pub(super) fn view(&self, plan: &Plan, read: Slot) -> View<W> {
        let (rows, synchronisation) = (&self.rows[read as usize], &self.synchronisation[read as usize]);
        let (hb, pending) =
            if plan.synchronises { (synchronisation.hb, synchronisation.pending) } else { (Bits::EMPTY, Bits::EMPTY) };
        View { porf: rows.porf, order: if plan.ordered { rows.order } else { Bits::EMPTY }, hb, pending }
    }
}
