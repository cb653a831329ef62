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
    #[error("the sources of a read of the root have to be all of the root, or all of other threads")]
    BothSides(EventId),
    /// Two conflicting events of leaves are not in order.
    #[error("two conflicting events outside the root are not in order; put them in order by `order`")]
    Unordered(EventId, EventId),
    /// The order that was given contradicts program order, or itself.
    #[error("the order that is given makes a cycle")]
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
        let mut closure = Closure::start(&self.instance, &self.given);
        loop {
            let before = closure.additions.len();
            for read in self.instance.ids().filter(|n| !self.instance.good[n.index()].is_empty()) {
                if self.rules(&mut closure, read).is_err() {
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
        // The root as early as it can be: that makes an order since the root is a chain.
        let mut order = closure.order;
        let events = || self.instance.ids().filter(|&n| !self.instance.is_initial(n));
        let mut pairs = Vec::new();
        for a in events().filter(|&n| self.is_root(n)) {
            for b in events().filter(|&n| !self.is_root(n)) {
                pairs.extend((!order.precedes(b, a)).then_some((a, b)));
            }
        }
        for (a, b) in pairs {
            order.insert(a, b);
        }
        let mut all: Vec<NodeId> = events().collect();
        let before = |n: NodeId| order.before(n).iter().map(|word| word.count_ones()).sum::<u32>();
        sort::by_key(&mut all, |&n| (before(n), n));
        Some(all)
    }

    /// The writes that a read can have: none that comes behind it, or is overwritten before it.
    fn visible(&self, closure: &Closure, read: NodeId) -> Vec<NodeId> {
        let location = self.instance.node(read).location.map_or(0, |location| location.0 as usize);
        let writes = self.instance.writes[location].iter().copied();
        writes.filter(|&w| closure.hides(&self.instance, read, w).is_none()).collect()
    }

    fn rules(&self, closure: &mut Closure, read: NodeId) -> Result<(), Over> {
        let instance = &self.instance;
        let good = |w: &NodeId| instance.good[read.index()].contains(w);
        let minimal = |closure: &Closure, set: &[NodeId]| -> Vec<NodeId> {
            set.iter().copied().filter(|&w| !set.iter().any(|&v| closure.order.precedes(v, w))).collect()
        };
        let maximal = |closure: &Closure, set: &[NodeId]| -> Vec<NodeId> {
            set.iter().copied().filter(|&w| !set.iter().any(|&v| closure.order.precedes(w, v))).collect()
        };
        let add = |closure: &mut Closure, rule, from, to, premises| {
            closure.add(instance, Addition { rule, from, to, read: Some(read), premises })
        };

        let visible = self.visible(closure, read);
        let is_first = |w: &NodeId| good(w) && closure.order.precedes(*w, read);
        if !minimal(closure, &visible).iter().any(is_first) {
            let candidates: Vec<NodeId> = visible.iter().copied().filter(good).collect();
            let Some(&first) = minimal(closure, &candidates).first() else {
                let why = |w: NodeId| Some((w, closure.hides(instance, read, w)?));
                let hidden: Vec<(NodeId, Hidden)> =
                    instance.good[read.index()].iter().filter_map(|&w| why(w)).collect();
                closure.end = End::NoSource { read, hidden };
                return Err(Over);
            };
            let premises = candidates.iter().filter(|&&w| w != first).map(|&w| (first, w)).collect();
            add(closure, Rule::Source, first, read, premises)?;
        }

        let visible = self.visible(closure, read);
        let last = maximal(closure, &visible);
        if !last.iter().any(good) {
            let remote = last.iter().copied().find(|&w| self.is_root(w) != self.is_root(read));
            if let Some(to) = remote {
                let behind = visible.iter().copied().filter(|w| good(w) && closure.order.precedes(*w, to));
                let premises = behind.map(|w| (w, to)).collect();
                add(closure, Rule::Behind, read, to, premises)?;
            }
        }

        let visible = self.visible(closure, read);
        let overtaken = |closure: &Closure, b: NodeId| visible.iter().any(|w| good(w) && closure.order.precedes(b, *w));
        let bad = minimal(closure, &visible)
            .into_iter()
            .find(|&b| !good(&b) && closure.order.precedes(b, read) && !overtaken(closure, b));
        if let Some(from) = bad {
            let mut last = maximal(closure, &visible).into_iter();
            if let Some(to) = last.find(|&w| self.is_root(w) != self.is_root(from)) {
                add(closure, Rule::Before, from, to, vec![(from, read)])?;
            }
        }
        Ok(())
    }
}
