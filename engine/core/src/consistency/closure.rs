//! Closure: what every order that explains an execution has in common, as far as rules find it.
//!
//! The rules are those of Toman, *Improved Verification Techniques for Concurrent Systems* (2021): of its §4.2.2 for SC,
//! where a read may have several good writes, and of its §5.2.3 for TSO and PSO, where it has one. They speak of writes as
//! nodes in memory. If they would make a cycle, or leave a read without source, no witness exists. The converse does not
//! hold: an execution may have a closure and no witness.
//!
//! Deviations from print: the initial writes are nodes that come before all others; a read of TSO or PSO with several good
//! writes takes no part; atomic blocks have the same two rules under SC.

use super::order::Order;
use super::{Instance, Machine, NodeId};
use crate::budget::{Budget, Halt, Meter};
use serde::{Deserialize, Serialize};

/// Why an edge is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The source that comes first among those that the read can still have comes before the read.
    Source,
    /// What the read's own thread wrote to the location before is in memory before the source of another thread.
    OwnWrite,
    /// A write that is before the read, but not its source, comes before its source.
    Before,
    /// A write that is behind the source comes behind the read.
    Behind,
    /// What comes behind one node of an atomic block comes behind its last.
    BlockEnd,
    /// What comes before one node of an atomic block comes before its first.
    BlockStart,
}

impl Rule {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::OwnWrite => "own_write",
            Self::Before => "before",
            Self::Behind => "behind",
            Self::BlockEnd => "block_end",
            Self::BlockStart => "block_start",
        }
    }

    /// What it says, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Source => "The read can still take its value from some writes. It comes after the first of them.",
            Self::OwnWrite => {
                "A read looks into its own thread's store buffer first. This one takes another thread's write, so that \
                 buffer has no write to the location: the earlier writes of its thread to it reach memory before the \
                 source."
            }
            Self::Before => {
                "A read takes the last write to its location. So another write to it that comes before the read comes \
                 before the source as well."
            }
            Self::Behind => {
                "A read takes the last write to its location. So another write to it that comes after the source comes \
                 after the read as well."
            }
            Self::BlockEnd => {
                "An atomic block happens at once. So an event that comes after one of its events comes after the last \
                 of them."
            }
            Self::BlockStart => {
                "An atomic block happens at once. So an event that comes before one of its events comes before the \
                 first of them."
            }
        }
    }
}

/// An edge that a rule adds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The rule.
    pub rule: Rule,
    /// Where the edge starts.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// The read whose source the rule speaks of; `None` for atomic blocks.
    pub read: Option<NodeId>,
    /// What the rule takes for granted: pairs that are in order already.
    pub premises: Vec<(NodeId, NodeId)>,
}

/// Why a good write can't be the source of its read any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// It comes behind the read.
    Behind,
    /// It is overwritten before the read, by this write.
    Overwritten(NodeId),
}

/// How a closure ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// No rule adds anything: every witness agrees with the order.
    Closed,
    /// The last edge would close a cycle: there is no witness. The edges of the cycle, each starting where the one before
    /// ends, the last addition first.
    Cycle(Vec<ClosureEdge>),
    /// A read can have none of its good writes: there is no witness. Each of them, and why.
    NoSource {
        /// The read.
        read: NodeId,
        /// Its good writes.
        hidden: Vec<(NodeId, Hidden)>,
    },
}

/// An edge of a [`Closure`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosureEdge {
    /// Where it starts.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// Where it comes from.
    pub kind: ClosureEdgeKind,
}

/// Where an edge comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureEdgeKind {
    /// Initial writes come before everything.
    Initial,
    /// Program order, immediate or not.
    Po,
    /// Asked for by the input.
    Given,
    /// This one of the additions.
    Added(usize),
}

/// A closure that can be put aside between two reads. It belongs to one instance.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    closure: Closure,
    /// The read that is next.
    at: usize,
    /// How many additions there were before the first one.
    before: usize,
}

impl Closing {
    /// The closure before its first rule.
    pub(super) fn new(instance: &Instance) -> Self {
        Self { closure: Closure::start(instance, &[]), at: 0, before: 0 }
    }

    /// The closure, as far as it was made.
    pub(super) fn closure(self) -> Closure {
        self.closure
    }

    /// Applies the rules until none adds anything, or the end is known.
    pub(super) fn run(&mut self, instance: &Instance, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let Self { closure, at, before } = self;
        let reads: Vec<NodeId> = instance.ids().filter(|read| !instance.good[read.index()].is_empty()).collect();
        // A read with no good write at all has no source, which no rule would notice under TSO and PSO.
        let lost = instance.reads.iter().flatten().find(|read| instance.good[read.index()].is_empty());
        if let Some(&read) = lost {
            closure.end = End::NoSource { read, hidden: Vec::new() };
            return Ok(());
        }
        let edge = (instance.nodes.len() * (1 + instance.nodes.len() / 256)) as u64;
        loop {
            while let Some(&read) = reads.get(*at) {
                let location = instance.node(read).location.map_or(0, |location| location.0 as usize);
                let (writes, good) = (instance.writes[location].len(), instance.good[read.index()].len());
                meter.spend((16 + 4 * writes * good) as u64)?;
                *at += 1;
                let added = closure.additions.len();
                let going = match instance.machine {
                    Machine::Sc => closure.good_writes(instance, read),
                    Machine::Tso | Machine::Pso => closure.one_source(instance, read),
                };
                if going.is_err() {
                    return Ok(());
                }
                meter.charge(edge * (closure.additions.len() - added) as u64)?;
            }
            if closure.blocks(instance).is_err() || closure.additions.len() == *before {
                return Ok(());
            }
            (*at, *before) = (0, closure.additions.len());
        }
    }
}

/// The edges that the rules add to program order, one after the other.
#[derive(Clone, Debug)]
pub struct Closure {
    /// Program order, what was given, and what was added, closed.
    pub order: Order,
    /// What was given besides program order.
    pub given: Vec<(NodeId, NodeId)>,
    /// The edges added, in this order. With [`End::Cycle`], the last one is not in the order.
    pub additions: Vec<Addition>,
    /// How it ends.
    pub end: End,
}

impl Closure {
    /// The closure of an execution. At most quadratically many additions, each found by a look at all reads and writes.
    pub fn new(instance: &Instance) -> Self {
        let mut closing = Closing::new(instance);
        let mut budget = Budget::unlimited();
        let mut meter = Meter::unlimited(&mut budget);
        while closing.run(instance, &mut meter).is_err() {}
        closing.closure()
    }

    /// Program order and more, to which nothing was added yet.
    ///
    /// # Panics
    /// If the given pairs make a cycle.
    pub(super) fn start(instance: &Instance, given: &[(NodeId, NodeId)]) -> Self {
        let mut order = instance.po.clone();
        for &(a, b) in given {
            order.insert(a, b);
        }
        Self { order, given: given.to_vec(), additions: Vec::new(), end: End::Closed }
    }

    /// Whether an order exists that the rules have nothing against.
    pub fn exists(&self) -> bool {
        self.end == End::Closed
    }

    /// Adds an edge unless it is there.
    pub(super) fn add(&mut self, instance: &Instance, addition: Addition) -> Result<(), Over> {
        let (a, b) = (addition.from, addition.to);
        if a != b && self.order.precedes(a, b) {
            return Ok(());
        }
        let closes = a == b || self.order.precedes(b, a);
        let cycle = closes.then(|| {
            let mut cycle = vec![ClosureEdge { from: a, to: b, kind: ClosureEdgeKind::Added(self.additions.len()) }];
            if a != b {
                cycle.extend(self.path(instance, b, a, self.additions.len()));
            }
            cycle
        });
        self.additions.push(addition);
        match cycle {
            Some(cycle) => {
                self.end = End::Cycle(cycle);
                Err(Over)
            }
            None => {
                self.order.insert(a, b);
                Ok(())
            }
        }
    }

    /// A path of edges from one node to another, with as few edges as possible, of which the first additions alone are
    /// used: why the order has the pair. Empty if it has not.
    pub fn path(&self, instance: &Instance, from: NodeId, to: NodeId, additions: usize) -> Vec<ClosureEdge> {
        if let Some(path) = instance.po_path(from, to) {
            return path;
        }
        let additions = self.additions[..additions].iter().enumerate();
        let added = additions.map(|(at, a)| ClosureEdge { from: a.from, to: a.to, kind: ClosureEdgeKind::Added(at) });
        let given = self.given.iter().map(|&(from, to)| ClosureEdge { from, to, kind: ClosureEdgeKind::Given });
        let edges: Vec<ClosureEdge> = given.chain(added).collect();
        // Breadth first over the edges; between two of them, program order or nothing.
        let joins = |a: NodeId, b: NodeId| a == b || instance.po.precedes(a, b);
        let mut reached: Vec<Option<usize>> = vec![None; edges.len()];
        let mut queue: Vec<usize> = (0..edges.len()).filter(|&at| joins(from, edges[at].from)).collect();
        queue.iter().for_each(|&at| reached[at] = Some(at));
        let mut next = 0;
        while next < queue.len() {
            let at = queue[next];
            next += 1;
            if joins(edges[at].to, to) {
                return whole(instance, from, to, &edges, &reached, at);
            }
            for other in 0..edges.len() {
                if reached[other].is_none() && joins(edges[at].to, edges[other].from) {
                    reached[other] = Some(at);
                    queue.push(other);
                }
            }
        }
        Vec::new()
    }

    /// The good writes that a read can still have, and why it can't have the others.
    fn visible(&self, instance: &Instance, read: NodeId) -> (Vec<NodeId>, Vec<(NodeId, Hidden)>) {
        let (mut visible, mut hidden) = (Vec::new(), Vec::new());
        for &write in &instance.good[read.index()] {
            match self.hides(instance, read, write) {
                Some(why) => hidden.push((write, why)),
                None => visible.push(write),
            }
        }
        (visible, hidden)
    }

    /// Why a read can't have a write as its source.
    pub(super) fn hides(&self, instance: &Instance, read: NodeId, write: NodeId) -> Option<Hidden> {
        if self.order.precedes(read, write) {
            return Some(Hidden::Behind);
        }
        let location = instance.node(read).location?;
        let between = instance.writes[location.0 as usize].iter();
        let by = between.copied().find(|&w| self.order.precedes(write, w) && self.order.precedes(w, read))?;
        Some(Hidden::Overwritten(by))
    }

    /// The rules of SC for one read.
    fn good_writes(&mut self, instance: &Instance, read: NodeId) -> Result<(), Over> {
        // What a rule adds may hide a source, so each looks afresh.
        let (visible, hidden) = self.visible(instance, read);
        let lost = premises_of(read, &hidden);
        if visible.is_empty() {
            self.end = End::NoSource { read, hidden };
            return Err(Over);
        }
        let first = |order: &Order, w: NodeId| visible.iter().all(|&v| v == w || order.precedes(w, v));
        if let Some(&from) = visible.iter().find(|&&w| first(&self.order, w)) {
            let others = visible.iter().filter(|&&v| v != from).map(|&v| (from, v));
            let premises = others.chain(lost).collect();
            self.add(instance, Addition { rule: Rule::Source, from, to: read, read: Some(read), premises })?;
        }
        let location = instance.node(read).location.map_or(0, |location| location.0 as usize);
        let bad = |write: &&NodeId| !instance.good[read.index()].contains(write);
        let bad: Vec<NodeId> = instance.writes[location].iter().filter(bad).copied().collect();
        let (visible, hidden) = self.visible(instance, read);
        let last = |order: &Order, w: NodeId| visible.iter().all(|&v| v == w || order.precedes(v, w));
        if let Some(&to) = visible.iter().find(|&&w| last(&self.order, w)) {
            for &from in &bad {
                if self.order.precedes(from, read) {
                    let others = visible.iter().filter(|&&v| v != to).map(|&v| (v, to));
                    let premises = std::iter::once((from, read)).chain(others).chain(premises_of(read, &hidden));
                    let premises = premises.collect();
                    self.add(instance, Addition { rule: Rule::Before, from, to, read: Some(read), premises })?;
                }
            }
        }
        let (visible, hidden) = self.visible(instance, read);
        for &to in &bad {
            if !visible.is_empty() && visible.iter().all(|&w| self.order.precedes(w, to)) {
                let premises = visible.iter().map(|&w| (w, to)).chain(premises_of(read, &hidden)).collect();
                self.add(instance, Addition { rule: Rule::Behind, from: read, to, read: Some(read), premises })?;
            }
        }
        Ok(())
    }

    /// The rules of TSO and PSO for one read.
    fn one_source(&mut self, instance: &Instance, read: NodeId) -> Result<(), Over> {
        let [source] = instance.good[read.index()][..] else { return Ok(()) };
        let add = |closure: &mut Self, rule, from, to, premises| {
            closure.add(instance, Addition { rule, from, to, read: Some(read), premises })
        };
        if !instance.same_thread(source, read) {
            add(self, Rule::Source, source, read, Vec::new())?;
            let own: Vec<NodeId> = instance.own_writes_before(read).collect();
            for write in own {
                let buffered = instance.partner[write.index()].unwrap_or(write);
                add(self, Rule::OwnWrite, write, source, vec![(buffered, read)])?;
            }
        }
        let location = instance.node(read).location.map_or(0, |location| location.0 as usize);
        for &write in &instance.writes[location] {
            if write == source || instance.same_thread(write, read) {
                continue;
            }
            if self.order.precedes(write, read) {
                add(self, Rule::Before, write, source, vec![(write, read)])?;
            }
            if self.order.precedes(source, write) {
                add(self, Rule::Behind, read, write, vec![(source, write)])?;
            }
        }
        Ok(())
    }

    fn blocks(&mut self, instance: &Instance) -> Result<(), Over> {
        for block in &instance.blocks {
            let (Some(&first), Some(&last)) = (block.first(), block.last()) else { continue };
            for &member in block {
                for other in instance.ids().filter(|n| !block.contains(n)) {
                    if self.order.precedes(member, other) {
                        let premises = vec![(member, other)];
                        let addition = Addition { rule: Rule::BlockEnd, from: last, to: other, read: None, premises };
                        self.add(instance, addition)?;
                    }
                    if self.order.precedes(other, member) {
                        let premises = vec![(other, member)];
                        let addition =
                            Addition { rule: Rule::BlockStart, from: other, to: first, read: None, premises };
                        self.add(instance, addition)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// No witness exists; [`Closure::end`] says why.
#[derive(Debug)]
pub(super) struct Over;

/// The pairs by which a read can't have some of its good writes.
fn premises_of(read: NodeId, hidden: &[(NodeId, Hidden)]) -> Vec<(NodeId, NodeId)> {
    let pairs = hidden.iter().flat_map(|&(write, why)| match why {
        Hidden::Behind => vec![(read, write)],
        Hidden::Overwritten(by) => vec![(write, by), (by, read)],
    });
    pairs.collect()
}

/// The path that ends with an edge, with program order between its edges.
fn whole(
    instance: &Instance,
    from: NodeId,
    to: NodeId,
    edges: &[ClosureEdge],
    reached: &[Option<usize>],
    last: usize,
) -> Vec<ClosureEdge> {
    let mut path = vec![last];
    let mut at = last;
    while let Some(before) = reached[at].filter(|&before| before != at) {
        path.push(before);
        at = before;
    }
    let mut result = Vec::new();
    let mut here = from;
    let join = |result: &mut Vec<ClosureEdge>, a: NodeId, b: NodeId| {
        result.extend((a != b).then(|| instance.po_path(a, b)).flatten().into_iter().flatten());
    };
    for &at in path.iter().rev() {
        join(&mut result, here, edges[at].from);
        result.push(edges[at]);
        here = edges[at].to;
    }
    join(&mut result, here, to);
    result
}
