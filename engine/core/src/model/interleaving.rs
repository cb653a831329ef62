//! One order of events that explains an execution.
//!
//! Under SC it is a run in which the threads take turns. Under TSO and PSO it is a run of the machine with store buffers,
//! in which a plain write happens twice: when it enters its thread's buffer, and when it reaches memory. The axioms make
//! such a run exist: they order events by when they reach memory, and the moment when a write enters its buffer fits in
//! anywhere between its neighbours in po. The other models have no machine of this kind; theirs is an order that po, rf and
//! hb agree with, and co too if there is such an order.
//!
//! Under SC, TSO and PSO what has to come before what is a partial order: po for the moments in which events are performed; of
//! each buffer its order; buffers that drain before fences and read-modify-writes; co and fr for the moments in which writes
//! reach memory. A cycle of these would be one of the axioms, because the moments in which writes enter buffers have only po
//! before them. So a topological order is a run, and no search is needed.

use super::buffers::{is_plain_write, is_store_fence, is_unlock};
use super::rules::Buffers;
use super::{Model, Witness};
use crate::graph::{Coherence, EventId, Execution, Label, RelationName, ThreadId};
use crate::program::Mode;
use std::collections::VecDeque;

/// What happens at one moment of an [`Interleaving`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// An event is performed: reads and writes at once.
    Perform(EventId),
    /// A write enters the buffer of its thread.
    Buffer(EventId),
    /// A write leaves the buffer and reaches memory.
    Flush(EventId),
}

impl Move {
    /// The event.
    pub fn event(self) -> EventId {
        match self {
            Self::Perform(e) | Self::Buffer(e) | Self::Flush(e) => e,
        }
    }
}

/// One order of all events of an execution but the initial writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interleaving {
    /// What happens, from first to last.
    pub moves: Vec<Move>,
    /// Whether the writes of each location stand in co; else no order of all events agrees with both hb and co.
    pub follows_co: bool,
}

/// What has to happen before what.
struct Order {
    after: Vec<Vec<usize>>,
    /// How many have to happen before.
    before: Vec<u32>,
}

impl Order {
    fn new(nodes: usize) -> Self {
        Self { after: vec![Vec::new(); nodes], before: vec![0; nodes] }
    }

    fn add(&mut self, a: usize, b: usize) {
        self.after[a].push(b);
        self.before[b] += 1;
    }
}

impl Model {
    /// Whether a write of this execution waits in a store buffer before it reaches memory.
    pub fn buffers(self, graph: &Execution, e: EventId) -> bool {
        self.rules().buffers.is_some() && is_plain_write(graph.event(e))
    }

    /// One order of events that explains an execution with this coherence order; `None` if it is inconsistent with it.
    ///
    /// Threads go on as long as they can, and buffers are emptied as soon as they can be, so that what stays in a buffer
    /// has to. Costs what [`Self::is_consistent_with`] does; quadratic in the size of the graph besides.
    pub fn interleaving(self, graph: &Execution, co: &Coherence) -> Option<Interleaving> {
        if !self.is_consistent_with(graph, co) {
            return None;
        }
        let rules = self.rules();
        if rules.has_machine() {
            let order = self.machine_order(graph, co);
            return Some(Interleaving { moves: self.linearise(graph, order)?, follows_co: true });
        }
        let with_co = |follows_co| {
            let order = self.causal_order(graph, co, follows_co);
            Some(Interleaving { moves: self.linearise(graph, order)?, follows_co })
        };
        rules.has_co().then(|| with_co(true)).flatten().or_else(|| with_co(false))
    }

    /// Where a write reaches memory: nodes are events, and behind them their flushes.
    fn at_memory(self, graph: &Execution, e: EventId) -> usize {
        if self.buffers(graph, e) { graph.len() + e.index() } else { e.index() }
    }

    /// What has to happen before what on a machine.
    fn machine_order(self, graph: &Execution, co: &Coherence) -> Order {
        let mut order = Order::new(2 * graph.len());
        for thread in 0..graph.threads() {
            let events = graph.thread(ThreadId(thread as u16));
            for pair in events.windows(2) {
                order.add(pair[0].index(), pair[1].index());
            }
            // The writes since the buffer was last known to be empty.
            let mut pending: Vec<(EventId, u32)> = Vec::new();
            let mut epoch = 0;
            for &e in events {
                let event = graph.event(e);
                if self.buffers(graph, e) {
                    order.add(e.index(), self.at_memory(graph, e));
                    for &(older, its_epoch) in &pending {
                        let in_order = self.rules().buffers == Some(Buffers::OfThreads)
                            || its_epoch < epoch
                            || is_unlock(event)
                            || graph.event(older).location() == event.location();
                        if in_order {
                            order.add(self.at_memory(graph, older), self.at_memory(graph, e));
                        }
                    }
                    pending.push((e, epoch));
                } else if event.is_fence() && is_store_fence(event) {
                    epoch += 1;
                } else if drains(graph, e) {
                    for (older, _) in pending.drain(..) {
                        order.add(self.at_memory(graph, older), e.index());
                    }
                }
                if let Some(source) = graph.source(e)
                    && graph.event(source).thread() != event.thread()
                    && !graph.event(source).is_init()
                {
                    order.add(self.at_memory(graph, source), e.index());
                }
            }
        }
        for (post, later) in graph.message_order() {
            order.add(post.index(), later.index());
        }
        self.add_coherence(graph, co, &mut order);
        self.add_from_read(graph, co, &mut order);
        order
    }

    /// What has to happen before what where nothing but hb, rf and perhaps co is ordered.
    fn causal_order(self, graph: &Execution, co: &Coherence, with_co: bool) -> Order {
        let mut order = Order::new(2 * graph.len());
        for thread in 0..graph.threads() {
            for pair in graph.thread(ThreadId(thread as u16)).windows(2) {
                order.add(pair[0].index(), pair[1].index());
            }
        }
        let started = |e: EventId| !graph.event(e).is_init();
        for e in graph.ids() {
            if let Some(source) = graph.source(e).filter(|&source| started(source)) {
                order.add(source.index(), e.index());
            }
        }
        for (relation, edges) in self.relations(graph, &Witness { co: co.clone() }) {
            if relation == RelationName::Hb {
                for edge in edges.iter().filter(|edge| started(edge.from)) {
                    order.add(edge.from.index(), edge.to.index());
                }
            }
        }
        if with_co {
            self.add_coherence(graph, co, &mut order);
        }
        order
    }

    fn add_coherence(self, graph: &Execution, co: &Coherence, order: &mut Order) {
        for pair in co.iter().flat_map(|writes| writes.windows(2)).filter(|pair| !graph.event(pair[0]).is_init()) {
            order.add(self.at_memory(graph, pair[0]), self.at_memory(graph, pair[1]));
        }
    }

    /// A read happens before what overwrites its source reaches memory.
    fn add_from_read(self, graph: &Execution, co: &Coherence, order: &mut Order) {
        let mut overwriting = vec![None; graph.len()];
        for pair in co.iter().flat_map(|writes| writes.windows(2)) {
            overwriting[pair[0].index()] = Some(pair[1]);
        }
        for read in graph.ids() {
            let next = graph.source(read).and_then(|source| overwriting[source.index()]);
            // A read-modify-write overwrites its source itself.
            if let Some(next) = next.filter(|&next| next != read) {
                order.add(read.index(), self.at_memory(graph, next));
            }
        }
    }

    /// All moves in an order; `None` if there is a cycle.
    fn linearise(self, graph: &Execution, mut order: Order) -> Option<Vec<Move>> {
        let events = graph.len();
        let node = |e: EventId| e.index();
        let mut wanted = 0;
        let mut next = vec![0; graph.threads()];
        let mut flushes = VecDeque::new();
        for (e, event) in graph.events().filter(|(_, event)| !event.is_init()) {
            wanted += 1 + usize::from(self.buffers(graph, e));
            debug_assert!(event.thread().index() < next.len());
        }
        let mut moves = Vec::with_capacity(wanted);
        let mut current = 0;
        while moves.len() < wanted {
            let ready = |thread: usize, next: &[usize], order: &Order| {
                let e = *graph.thread(ThreadId(thread as u16)).get(next[thread])?;
                (order.before[node(e)] == 0).then_some(e)
            };
            let (done, step) = match flushes.pop_front() {
                Some(flush) => (flush, Move::Flush(EventId((flush - events) as u32))),
                None => {
                    let threads = std::iter::once(current).chain(0..next.len());
                    let mut able = threads.filter(|&thread| thread < next.len());
                    let (thread, e) = able.find_map(|thread| Some((thread, ready(thread, &next, &order)?)))?;
                    next[thread] += 1;
                    current = thread;
                    (node(e), if self.buffers(graph, e) { Move::Buffer(e) } else { Move::Perform(e) })
                }
            };
            moves.push(step);
            for after in std::mem::take(&mut order.after[done]) {
                order.before[after] -= 1;
                if order.before[after] == 0 && after >= events {
                    flushes.push_back(after);
                }
            }
        }
        Some(moves)
    }
}

/// Whether an event waits until its thread's buffer is empty.
fn drains(graph: &Execution, e: EventId) -> bool {
    match graph.event(e).label {
        Label::Fence(mode) => mode == Mode::SequentiallyConsistent,
        Label::Update { .. } => true,
        Label::Library { operation, .. } => operation.waits(),
        _ => false,
    }
}
