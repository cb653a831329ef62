//! Annotated partial orders that grow event by event, closed after each, and can be taken back.
//!
//! What VC-DPOR extends (see `annotated.rs` for what they are, and for the rules). Beyond print:
//!
//! - A read-modify-write is one node that reads and writes. Nothing in the proofs asks that a read be no write: conflicting
//!   nodes outside the root are in order, and a witness, which is an order of nodes, lets nothing come between its halves.
//! - Writes outside the root that nobody can tell apart need not be in order ([`GrowingOrder::relaxed`]).

use super::NodeId;
use super::annotated::{Demand, Question, Set, has, linearise, meet};
use super::order::{self, Order, members};
use crate::budget::{Budget, Paused};
use crate::graph::ThreadId;
use crate::program::Location;

/// What an event does, and to what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The thread; [`ThreadId::INIT`] of initial writes, which come before everything.
    pub thread: ThreadId,
    /// The location; `None` of what is no access.
    pub location: Option<Location>,
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes.
    pub writes: bool,
}

/// An annotated partial order. Memory: two bits for each pair of events, and what it takes to take back.
#[derive(Clone, Debug)]
pub struct GrowingOrder {
    order: Order,
    accesses: Vec<Access>,
    /// By node, the good writes of a read.
    good: Vec<Set>,
    /// By location.
    reads: Vec<Set>,
    writes: Vec<Set>,
    root: ThreadId,
    /// The events of the root, in order, and as a set.
    root_chain: Vec<NodeId>,
    root_set: Set,
    /// The last event of each thread.
    last: Vec<Option<NodeId>>,
    initial: usize,
    relaxed: bool,
    /// All before this was looked at by the closure.
    settled: order::Mark,
    /// The reads that the closure still has to look at.
    dirty: Set,
}

/// A state that an order can be taken back to ([`GrowingOrder::undo`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderMark {
    order: order::Mark,
    settled: order::Mark,
}

impl GrowingOrder {
    /// The initial writes of so many locations, and nothing else.
    pub fn new(locations: usize, threads: usize, root: ThreadId) -> Self {
        let mut order = Self {
            order: Order::growing(0),
            accesses: Vec::new(),
            good: Vec::new(),
            reads: vec![Set::default(); locations],
            writes: vec![Set::default(); locations],
            root,
            root_chain: Vec::new(),
            root_set: Set::default(),
            last: vec![None; threads],
            initial: locations,
            relaxed: false,
            settled: order::Mark { nodes: 0, changes: 0 },
            dirty: Set::default(),
        };
        for location in 0..locations as u32 {
            let location = Some(Location(location));
            order.add(Access { thread: ThreadId::INIT, location, reads: false, writes: true }, std::iter::empty());
        }
        order.settled = order.order.mark();
        order
    }

    /// The same, but two writes outside the root stay without order as long as there is no read for which one is good while
    /// neither comes behind it or is overwritten before it. The rules never ask for the order of two others. (After "relaxed
    /// Extend", §3.4 of the thesis)
    #[must_use]
    pub fn relaxed(self, relaxed: bool) -> Self {
        Self { relaxed, ..self }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Never: initial writes may be missing, but then there is nothing to order.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether one node comes before another in all witnesses, as far as that was found out.
    pub fn precedes(&self, a: NodeId, b: NodeId) -> bool {
        self.order.precedes(a, b)
    }

    /// Units of work of one change of the order.
    pub fn cost(&self) -> u64 {
        (self.order.len() * (1 + self.order.words() / 2)) as u64
    }

    /// Adds an event behind the others of its thread; of a read, with its good writes.
    pub fn add(&mut self, access: Access, good: impl Iterator<Item = NodeId>) -> NodeId {
        let before = if access.thread.is_init() {
            Set::default()
        } else {
            match self.last[access.thread.index()] {
                Some(last) => {
                    let mut before = Set(self.order.before(last).to_vec());
                    before.insert(last);
                    before
                }
                None => Set::of(0, (0..self.initial as u32).map(NodeId)),
            }
        };
        let node = self.order.push(&before.0);
        if !access.thread.is_init() {
            self.last[access.thread.index()] = Some(node);
        }
        if access.thread == self.root {
            self.root_chain.push(node);
            self.root_set.insert(node);
        }
        if let Some(location) = access.location {
            let location = location.0 as usize;
            if access.reads {
                self.reads[location].insert(node);
            }
            if access.writes {
                self.writes[location].insert(node);
            }
        }
        self.accesses.push(access);
        self.good.push(Set::of(0, good));
        node
    }

    /// The state that it is in now.
    pub fn mark(&self) -> OrderMark {
        OrderMark { order: self.order.mark(), settled: self.settled }
    }

    /// How much is to be taken back for a mark.
    pub fn changes_since(&self, mark: OrderMark) -> usize {
        self.order.mark().changes.saturating_sub(mark.order.changes)
    }

    /// How many things it holds, each of some dozens of bytes.
    pub fn weight(&self) -> usize {
        self.order.len() * (1 + self.order.words() / 2) + self.order.mark().changes / 2
    }

    /// Takes back what was done since a mark. Linear in that.
    pub fn undo(&mut self, mark: OrderMark) {
        let nodes = mark.order.nodes;
        while self.accesses.len() > nodes {
            let node = NodeId(self.accesses.len() as u32 - 1);
            let Some(access) = self.accesses.pop() else { break };
            self.good.pop();
            if let Some(location) = access.location {
                self.reads[location.0 as usize].truncate(node.index());
                self.writes[location.0 as usize].truncate(node.index());
            }
            if access.thread == self.root {
                self.root_chain.pop();
                self.root_set.truncate(node.index());
            }
            let before = |n: &NodeId| self.accesses[n.index()].thread == access.thread;
            // Others may have been put before it that were taken back by now.
            let earlier = members(self.order.before(node)).take_while(|&n| n < node);
            self.last[access.thread.index()] = earlier.filter(before).last();
        }
        self.order.undo(mark.order);
        self.settled = mark.settled;
        self.dirty.truncate(0);
    }

    /// Two conflicting events outside the root that are still to be put in order, now that an event was added: the earlier
    /// one of the choice is named first. `None` if all are. Those behind which the event can't but come are settled with the
    /// first pair.
    pub fn open_pair(&self, event: NodeId) -> Option<(NodeId, NodeId)> {
        let access = self.accesses[event.index()];
        let location = access.location?.0 as usize;
        if let Some(other) = self.open_with(event, location) {
            return Some((other, event));
        }
        if !self.relaxed {
            return None;
        }
        // What nobody could tell apart may matter now.
        let writes: Vec<NodeId> = members(&self.writes[location].0).filter(|&w| self.is_leaf(w)).collect();
        writes.into_iter().find_map(|w| self.open_with(w, location).map(|other| (other.min(w), other.max(w))))
    }

    fn is_leaf(&self, n: NodeId) -> bool {
        let thread = self.accesses[n.index()].thread;
        thread != self.root && !thread.is_init()
    }

    /// The last one that an event outside the root conflicts with and is not in order with, if that matters.
    fn open_with(&self, event: NodeId, location: usize) -> Option<NodeId> {
        if !self.is_leaf(event) {
            return None;
        }
        let access = self.accesses[event.index()];
        let open = |set: &Set| -> Vec<u64> {
            let (before, behind) = (self.order.before(event), self.order.behind(event));
            set.0.iter().zip(before).zip(behind).map(|((set, before), behind)| set & !before & !behind).collect()
        };
        let mut others = open(&self.writes[location]);
        if access.writes {
            let reads = open(&self.reads[location]);
            others.resize(others.len().max(reads.len()), 0);
            others.iter_mut().zip(reads).for_each(|(word, reads)| *word |= reads);
        }
        let matters = |other: NodeId| {
            other != event && self.is_leaf(other) && (!self.relaxed || self.tells_apart(event, other, location))
        };
        let candidates = Set::of(0, members(&others).filter(|&other| matters(other)));
        members(&candidates.0).find(|&other| !meet(self.order.behind(other), &candidates.0))
    }

    /// Whether it may matter in which order two conflicting events come.
    fn tells_apart(&self, a: NodeId, b: NodeId, location: usize) -> bool {
        if self.accesses[a.index()].reads || self.accesses[b.index()].reads {
            return true;
        }
        members(&self.reads[location].0).any(|read| {
            let good = &self.good[read.index()].0;
            let visible = || self.question(read, location).visible(&self.order);
            (has(good, a) || has(good, b)) && [a, b].into_iter().all(|w| has(&visible(), w))
        })
    }

    fn question(&self, read: NodeId, location: usize) -> Question<'_> {
        let (writes, good) = (&self.writes[location].0, &self.good[read.index()].0);
        Question { read, writes, good, root: &self.root_set.0 }
    }

    /// Puts two events in order that are not.
    ///
    /// # Panics
    /// If that would make a cycle.
    pub fn put(&mut self, first: NodeId, second: NodeId) {
        self.order.insert(first, second);
    }

    /// Adds what the rules say until they say nothing more; whether there is a closure, and so a witness. What was found is
    /// kept if it is paused.
    ///
    /// # Errors
    /// [`Paused`] where the budget says so; the next call goes on.
    pub fn close(&mut self, budget: &mut Budget) -> Result<bool, Paused> {
        loop {
            self.soil();
            let reads: Vec<NodeId> = members(&self.dirty.0).collect();
            if reads.is_empty() {
                return Ok(true);
            }
            // All of them at once: which of them were asked is not kept.
            budget.spend((reads.len() * (16 + 8 * self.order.words())) as u64)?;
            for read in reads {
                let Some(location) = self.accesses[read.index()].location else { continue };
                loop {
                    match self.question(read, location.0 as usize).ask(&self.order) {
                        Demand::Nothing => break,
                        Demand::NoSource => return Ok(false),
                        Demand::Edge { from, to, .. } => {
                            // By the proofs, this can't be.
                            if from == to || self.order.precedes(to, from) {
                                return Ok(false);
                            }
                            self.order.insert(from, to);
                            budget.count(self.cost())?;
                        }
                    }
                }
            }
            self.dirty.truncate(0);
        }
    }

    /// Notes which reads the rules may say something new of since the last time: of a new access, those of its location that do
    /// not come before it, which alone can take it, and itself; of two older accesses of a location that were put in order, all.
    fn soil(&mut self) {
        let Self { order, accesses, settled, dirty, reads, writes, .. } = self;
        let location = |node: NodeId| accesses[node.index()].location.map(|location| location.0 as usize);
        // Of the nodes of one word, the older ones.
        let older = |at: usize| match settled.nodes.saturating_sub(64 * at) {
            0 => 0,
            nodes if nodes < 64 => (1 << nodes) - 1,
            _ => u64::MAX,
        };
        for (node, at, others) in order.changed_since(settled.changes) {
            if node.index() < settled.nodes
                && let Some(location) = location(node)
            {
                let word = |set: &Set| set.0.get(at).copied().unwrap_or_default();
                if others & older(at) & (word(&reads[location]) | word(&writes[location])) != 0 {
                    dirty.unite(reads[location].0.iter().copied());
                }
            }
        }
        for node in (settled.nodes..order.len()).map(|n| NodeId(n as u32)) {
            if let Some(location) = location(node) {
                let reads = &reads[location].0;
                dirty.unite(reads.iter().zip(order.before(node)).map(|(reads, before)| reads & !before));
            }
        }
        *settled = order.mark();
    }

    /// An order of all events but the initial writes in which every read takes a good write, once there is a closure.
    /// Quadratic over the word size.
    pub fn witness(&self) -> Vec<NodeId> {
        let leaves = (self.initial as u32..self.len() as u32).map(NodeId);
        linearise(&self.order, &self.root_chain, leaves.filter(|&n| !has(&self.root_set.0, n)))
    }

    /// The good writes of a read.
    pub fn good(&self, read: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        members(&self.good[read.index()].0)
    }
}
