//! Annotated partial orders: executions of which one thread, the root, is told apart from the others, the leaves, whose
//! conflicting accesses are all in order.
//!
//! After Chatterjee, Pavlogiannis, Toman: *Value-Centric Dynamic Partial Order Reduction*, OOPSLA 2019, and §3.2 of Toman,
//! *Improved Verification Techniques for Concurrent Systems* (2021). For these, closure decides: a witness exists if and
//! only if a closure does, and is found in polynomial time.
//!
//! Deviations from print: initial writes are leaves that come before everything; the third rule looks only at bad writes
//! that come before the read, which its first line does not say in print.

use super::closure::{Addition, Closure, End, Hidden, Over, Rule};
use super::order::{Order, members};
use super::{AbstractExecution, Instance, Machine, NodeId};
use crate::graph::{EventId, ThreadId};
use crate::sort;

/// Why an execution is no annotated partial order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnnotated {
    /// A read-modify-write or an atomic block.
    #[error("read-modify-writes and atomic blocks have no place in an annotated partial order")]
    Atomic(EventId),
    /// A read of the root may take writes of both sides.
    #[error("the sources of a read in the root must all be in the root, or all be in other threads")]
    BothSides(EventId),
    /// Two conflicting events of leaves are not in order.
    #[error("two conflicting events outside the root are not in order; put them in order by `order`")]
    Unordered(EventId, EventId),
    /// The order that was given contradicts program order, or itself.
    #[error("the given order has a cycle")]
    Cycle(EventId, EventId),
}

/// An annotated partial order.
#[derive(Clone, Debug)]
pub struct AnnotatedOrder {
    /// The events under SC, each read with its good writes.
    pub instance: Instance,
    root: ThreadId,
    given: Vec<(NodeId, NodeId)>,
}

impl AnnotatedOrder {
    /// An execution with the given order, and one thread as root.
    ///
    /// # Errors
    /// What is asked of annotated partial orders and does not hold.
    pub fn new(execution: &AbstractExecution, root: ThreadId) -> Result<Self, NotAnnotated> {
        let instance = Instance::new(Machine::Sc, execution);
        if let Some(block) = instance.blocks.first() {
            return Err(NotAnnotated::Atomic(instance.node(block[0]).event));
        }
        let node = |e: EventId| instance.ids().find(|&n| instance.node(n).event == e);
        let mut order = instance.po.clone();
        let mut given = Vec::new();
        for &(a, b) in &execution.order {
            let (Some(from), Some(to)) = (node(a), node(b)) else { continue };
            if from == to || order.precedes(to, from) {
                return Err(NotAnnotated::Cycle(a, b));
            }
            order.insert(from, to);
            given.push((from, to));
        }
        let annotated = Self { instance, root, given };
        let instance = &annotated.instance;
        let event = |n: NodeId| instance.node(n).event;
        for (location, reads) in instance.reads.iter().enumerate() {
            for &read in reads {
                let good = &instance.good[read.index()];
                if annotated.is_root(read) && good.iter().any(|&w| annotated.is_root(w) != annotated.is_root(good[0])) {
                    return Err(NotAnnotated::BothSides(event(read)));
                }
            }
            let writes = &instance.writes[location];
            for &write in writes.iter().filter(|&&write| !annotated.is_root(write)) {
                let others = reads.iter().chain(writes).filter(|&&n| n != write && !annotated.is_root(n));
                for &other in others {
                    if !order.precedes(write, other) && !order.precedes(other, write) {
                        return Err(NotAnnotated::Unordered(event(write), event(other)));
                    }
                }
            }
        }
        Ok(annotated)
    }

    /// Whether a node is of the root; initial writes are not.
    pub fn is_root(&self, node: NodeId) -> bool {
        self.instance.node(node).thread == self.root
    }

    /// The weakest closed order that refines this one, or why there is none. At most quadratically many additions.
    pub fn closure(&self) -> Closure {
        let instance = &self.instance;
        let mut closure = Closure::start(instance, &self.given);
        let set = |nodes: &[NodeId]| Set::of(closure.order.words(), nodes.iter().copied());
        let writes: Vec<Set> = instance.writes.iter().map(|writes| set(writes)).collect();
        let reads: Vec<(NodeId, Set)> = instance
            .ids()
            .filter(|n| !instance.good[n.index()].is_empty())
            .map(|read| (read, set(&instance.good[read.index()])))
            .collect();
        let root = Set::of(closure.order.words(), instance.ids().filter(|&n| self.is_root(n)));
        loop {
            let before = closure.additions.len();
            for (read, good) in &reads {
                let location = instance.node(*read).location.map_or(0, |location| location.0 as usize);
                let question = Question { read: *read, writes: &writes[location].0, good: &good.0, root: &root.0 };
                if self.rules(&mut closure, &question).is_err() {
                    return closure;
                }
            }
            if closure.additions.len() == before {
                return closure;
            }
        }
    }

    /// An order of all events in which every read takes a good write; `None` if there is none. Polynomial.
    pub fn witness(&self) -> Option<Vec<NodeId>> {
        let closure = self.closure();
        if !closure.exists() {
            return None;
        }
        let events = || self.instance.ids().filter(|&n| !self.instance.is_initial(n));
        let root: Vec<NodeId> = self.instance.thread(self.root.index()).collect();
        Some(linearise(&closure.order, &root, events().filter(|&n| !self.is_root(n))))
    }

    /// Applies the rules to one read until they add nothing.
    fn rules(&self, closure: &mut Closure, question: &Question<'_>) -> Result<(), Over> {
        let (instance, read) = (&self.instance, question.read);
        let is_good = |w: NodeId| has(question.good, w);
        loop {
            let (rule, from, to) = match question.ask(&closure.order) {
                Demand::Nothing => return Ok(()),
                Demand::NoSource => {
                    let why = |w: NodeId| Some((w, closure.hides(instance, read, w)?));
                    let hidden: Vec<(NodeId, Hidden)> =
                        instance.good[read.index()].iter().filter_map(|&w| why(w)).collect();
                    closure.end = End::NoSource { read, hidden };
                    return Err(Over);
                }
                Demand::Edge { rule, from, to } => (rule, from, to),
            };
            let visible = question.visible(&closure.order);
            let good = members(&visible).filter(|&w| is_good(w));
            let premises = match rule {
                Rule::Source => good.filter(|&w| w != from).map(|w| (from, w)).collect(),
                Rule::Behind => good.filter(|&w| closure.order.precedes(w, to)).map(|w| (w, to)).collect(),
                _ => vec![(from, read)],
            };
            closure.add(instance, Addition { rule, from, to, read: Some(read), premises })?;
        }
    }
}

/// An order of all nodes that keeps to a closed one, with the nodes of the root, which are given in order, as early as they
/// can be: of an annotated partial order that is closed, a witness. (Lemma 3.1)
pub(super) fn linearise(order: &Order, root: &[NodeId], leaves: impl Iterator<Item = NodeId>) -> Vec<NodeId> {
    let count = |n: NodeId| order.before(n).iter().map(|word| word.count_ones()).sum::<u32>();
    // A leaf comes right before the first node of the root that it has to precede.
    let leaves = leaves.map(|n| (root.partition_point(|&r| !order.precedes(n, r)), 0, count(n), n));
    let root = root.iter().enumerate().map(|(at, &n)| (at, 1, 0, n));
    let mut all: Vec<_> = leaves.chain(root).collect();
    sort::by_key(&mut all, |&(at, side, count, n)| (at, side, count, n));
    all.into_iter().map(|(.., n)| n).collect()
}

/// A set of nodes, as a bit set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(pub Vec<u64>);

impl Set {
    /// Some nodes, all of them smaller than 64 times so many words.
    pub(super) fn of(words: usize, nodes: impl Iterator<Item = NodeId>) -> Self {
        let mut set = Self(vec![0; words]);
        nodes.for_each(|n| set.insert(n));
        set
    }

    /// Adds a node, whatever its number.
    pub(super) fn insert(&mut self, n: NodeId) {
        if self.0.len() <= n.index() / 64 {
            self.0.resize(n.index() / 64 + 1, 0);
        }
        self.0[n.index() / 64] |= 1 << (n.index() % 64);
    }

    /// Adds what a bit set has.
    pub(super) fn unite(&mut self, words: impl Iterator<Item = u64>) {
        for (at, word) in words.enumerate() {
            if at == self.0.len() {
                self.0.push(0);
            }
            self.0[at] |= word;
        }
    }

    /// Removes all nodes from one on.
    pub(super) fn truncate(&mut self, nodes: usize) {
        self.0.truncate(nodes.div_ceil(64));
        if let Some(word) = self.0.get_mut(nodes / 64) {
            *word &= (1 << (nodes % 64)) - 1;
        }
    }
}

/// Whether a bit set, however long, has a node.
pub(super) fn has(set: &[u64], n: NodeId) -> bool {
    set.get(n.index() / 64).is_some_and(|word| word >> (n.index() % 64) & 1 == 1)
}

/// What a closed order may lack for one read. All sets are bit sets of nodes, however long.
pub(super) struct Question<'a> {
    /// The read.
    pub read: NodeId,
    /// The writes of its location.
    pub writes: &'a [u64],
    /// Its good writes.
    pub good: &'a [u64],
    /// The nodes of the root.
    pub root: &'a [u64],
}

/// What it lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// Nothing.
    Nothing,
    /// This pair.
    Edge { rule: Rule, from: NodeId, to: NodeId },
    /// No good write can be the source any more: no order will do.
    NoSource,
}

impl Question<'_> {
    /// The writes that the read can have: none that comes behind it, or is overwritten before it.
    pub(super) fn visible(&self, order: &Order) -> Vec<u64> {
        let (before, behind) = (order.before(self.read), order.behind(self.read));
        let rows = self.writes.iter().zip(before).zip(behind);
        let mut visible: Vec<u64> = rows.map(|((writes, before), behind)| writes & !before & !behind).collect();
        // A read-modify-write can't have its own.
        if let Some(word) = visible.get_mut(self.read.index() / 64) {
            *word &= !(1 << (self.read.index() % 64));
        }
        let earlier: Vec<u64> = self.writes.iter().zip(before).map(|(writes, before)| writes & before).collect();
        for w in members(&earlier).filter(|&w| !meet(order.behind(w), &earlier)) {
            visible[w.index() / 64] |= 1 << (w.index() % 64);
        }
        visible
    }

    /// What the first of the three rules says that the order lacks for the read. Rules are asked one after the other: each
    /// takes for granted that those before it have nothing to say.
    pub(super) fn ask(&self, order: &Order) -> Demand {
        let read = self.read;
        let visible = self.visible(order);
        let good: Vec<u64> = visible.iter().zip(self.good).map(|(visible, good)| visible & good).collect();
        let is_before = |w: &NodeId| order.precedes(*w, read);
        if !members(&good).any(|w| is_before(&w)) {
            let first = members(&good).find(|&w| !meet(order.before(w), &good));
            return first.map_or(Demand::NoSource, |from| Demand::Edge { rule: Rule::Source, from, to: read });
        }
        let is_root = |n: NodeId| has(self.root, n);
        let last = |w: &NodeId| !meet(order.behind(*w), &visible);
        if !members(&good).any(|w| last(&w)) {
            // Where all conflicting accesses are in order, there is one remote write, and it is behind all good ones.
            let mut remote = members(&visible).filter(|&w| last(&w) && is_root(w) != is_root(read));
            if let Some(to) = remote.find(|&w| good.iter().zip(order.before(w)).all(|(good, row)| good & !row == 0)) {
                return Demand::Edge { rule: Rule::Behind, from: read, to };
            }
        }
        for from in members(&visible).filter(|w| is_before(w) && !has(&good, *w)) {
            if meet(order.behind(from), &good) {
                continue;
            }
            let mut remote = members(&visible).filter(|&w| last(&w) && is_root(w) != is_root(from));
            if let Some(to) = remote.next() {
                return Demand::Edge { rule: Rule::Before, from, to };
            }
        }
        Demand::Nothing
    }
}

/// Whether two bit sets have a node in common.
pub(super) fn meet(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}
