//! What is to be put in order: an abstract execution as the machine of SC, TSO or PSO performs it.

use super::order::Order;
use super::{AbstractExecution, Block, ClosureEdge, ClosureEdgeKind};
use crate::graph::{EventId, Execution, Label, ThreadId};
use crate::model::{Buffers, Model};
use crate::program::{Location, Mode};
use crate::sort;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A node of an [`Instance`]: its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NodeId(pub u32);

impl NodeId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The machines for which executions are put in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Machine {
    /// No store buffers.
    Sc,
    /// A store buffer for each thread.
    Tso,
    /// A store buffer for each thread and location.
    Pso,
}

impl Machine {
    /// The machine of a model, for those that have one.
    pub fn of(model: Model) -> Option<Self> {
        let rules = model.rules();
        rules.has_machine().then_some(match rules.buffers {
            None => Self::Sc,
            Some(Buffers::OfThreads) => Self::Tso,
            Some(Buffers::OfLocations) => Self::Pso,
        })
    }

    /// The model that it is the machine of.
    pub fn model(self) -> Model {
        let found = Model::ALL.into_iter().find(|&model| Self::of(model) == Some(self));
        found.expect("each machine is that of a model")
    }

    /// Whether writes wait in store buffers.
    pub fn buffers(self) -> bool {
        self != Self::Sc
    }
}

/// Which part of an event a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The initial write of a location: in memory from the start.
    Initial,
    /// A read, or what a read-modify-write reads.
    Read,
    /// Under SC, a write.
    Write,
    /// A write enters the store buffer of its thread.
    Buffer,
    /// A write leaves the store buffer and reaches memory.
    Memory,
    /// A fence waits until the store buffers of its thread are empty, as do read-modify-writes and atomic blocks.
    Fence,
    /// A store-store fence: what its thread wrote before it reaches memory before what it writes behind it.
    StoreFence,
}

/// A node: an event, or a part of it that happens by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The event.
    pub event: EventId,
    /// Which part of it.
    pub part: Part,
    /// Its thread.
    pub thread: ThreadId,
    /// What it reads or writes.
    pub location: Option<Location>,
}

impl Node {
    /// Whether memory has another value behind it.
    pub fn is_in_memory(&self) -> bool {
        matches!(self.part, Part::Initial | Part::Write | Part::Memory)
    }
}

/// Nodes that one thread performs at once: a single one, or an atomic block.
pub(super) type Unit = Vec<NodeId>;

/// An abstract execution as one machine performs it.
///
/// The first nodes are the initial writes, by [`Location`]; behind them those of each thread in program order, and last
/// writes that reach memory by themselves. Fences and whatever ends a thread are no nodes under SC.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The machine.
    pub machine: Machine,
    /// The nodes, by [`NodeId`].
    pub nodes: Vec<Node>,
    /// What each thread performs, by thread and place.
    pub(super) threads: Vec<Vec<Unit>>,
    /// The writes of each thread that reach memory by themselves, in the order in which they enter its buffers.
    pub(super) flushes: Vec<Vec<NodeId>>,
    /// The sources that each read may have, as nodes in memory; by node, empty for what is no read.
    pub good: Vec<Vec<NodeId>>,
    /// The nodes in memory of each location, the initial write first.
    pub writes: Vec<Vec<NodeId>>,
    /// The reads of each location.
    pub reads: Vec<Vec<NodeId>>,
    /// The atomic blocks with more than one node; of a block, those of its nodes that are performed at once.
    pub blocks: Vec<Unit>,
    /// Program order: which nodes come immediately before which. Initial writes come before everything and are left out.
    pub edges: Vec<(NodeId, NodeId)>,
    /// Program order, whole.
    pub po: Order,
    /// Of a buffered write, the node of memory, and the other way round.
    pub(super) partner: Vec<Option<NodeId>>,
    /// Whether a store-store fence orders writes of different locations (PSO).
    pub has_store_fences: bool,
}

impl Instance {
    /// An abstract execution on a machine, every read with the sources that it may have.
    pub fn new(machine: Machine, execution: &AbstractExecution) -> Self {
        Self::of_graph(machine, &execution.graph, &execution.blocks, |read| &execution.sources[read.index()])
    }

    /// The events of a graph on a machine. `sources` has the writes that a read may take.
    pub fn of_graph<'s>(
        machine: Machine,
        graph: &Execution,
        blocks: &[Block],
        sources: impl Fn(EventId) -> &'s [EventId],
    ) -> Self {
        let mut build = Build::new(machine, graph);
        for thread in 0..graph.threads() {
            build.thread(ThreadId(thread as u16), blocks);
        }
        build.flushes();
        build.finish(sources)
    }

    /// A node.
    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// All nodes.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    /// The node that is this part of an event.
    pub fn find(&self, event: EventId, part: Part) -> Option<NodeId> {
        self.ids().find(|&n| self.node(n).event == event && self.node(n).part == part)
    }

    /// What a thread performs, in program order, without what leaves its buffers by itself.
    pub fn thread(&self, thread: usize) -> impl Iterator<Item = NodeId> + '_ {
        self.threads[thread].iter().flatten().copied()
    }

    /// The writes of a thread that leave its buffers by themselves, in the order in which they enter them.
    pub fn flushes(&self, thread: usize) -> &[NodeId] {
        &self.flushes[thread]
    }

    /// Of a write that enters a buffer, the same in memory, and the other way round.
    pub fn partner(&self, node: NodeId) -> Option<NodeId> {
        self.partner[node.index()]
    }

    /// The immediate steps of program order that lead from one node to another, as few as possible. Empty if none do.
    pub fn steps(&self, a: NodeId, b: NodeId) -> Vec<(NodeId, NodeId)> {
        let mut from = vec![None; self.nodes.len()];
        let mut work = VecDeque::from([a]);
        while let Some(n) = work.pop_front() {
            if n == b {
                let before = |&(a, _): &(NodeId, NodeId)| from[a.index()].map(|before| (before, a));
                let mut steps: Vec<_> =
                    std::iter::successors(from[b.index()].map(|before| (before, b)), before).collect();
                steps.reverse();
                return steps;
            }
            let first = self.edges.partition_point(|&(from, _)| from < n);
            for &(_, next) in self.edges[first..].iter().take_while(|(from, _)| *from == n) {
                if next != a && from[next.index()].is_none() {
                    from[next.index()] = Some(n);
                    work.push_back(next);
                }
            }
        }
        Vec::new()
    }

    /// How many nodes have to be performed: all but initial writes.
    pub fn to_perform(&self) -> usize {
        self.nodes.len() - self.writes.len()
    }

    pub(super) fn is_initial(&self, node: NodeId) -> bool {
        self.node(node).part == Part::Initial
    }

    /// Whether two nodes are of the same thread; initial writes are of none.
    pub(super) fn same_thread(&self, a: NodeId, b: NodeId) -> bool {
        self.node(a).thread == self.node(b).thread && !self.is_initial(a)
    }

    /// The writes to a read's location that its own thread put into its buffer before it, as nodes in memory. Under SC
    /// as well, where they were in memory at once.
    pub(super) fn own_writes_before(&self, read: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let location = self.node(read).location.map_or(0, |location| location.0 as usize);
        self.writes[location].iter().copied().filter(move |&write| {
            self.same_thread(write, read) && self.po.precedes(self.partner[write.index()].unwrap_or(write), read)
        })
    }

    /// What a read's source has to be by program order alone, if it is a single one: no write that comes behind it, nor one of its own
    /// thread, or the initial one, that the thread has overwritten before.
    pub fn flaw(&self) -> Option<Flaw> {
        for read in self.ids() {
            let [source] = self.good[read.index()][..] else { continue };
            let entered = |write: NodeId| self.partner[write.index()].unwrap_or(write);
            let last = self.own_writes_before(read).max_by_key(|&write| entered(write));
            let entered = entered(source);
            if self.same_thread(source, read) && !self.po.precedes(entered, read) {
                return Some(Flaw::FromBehind { read, source });
            }
            if let Some(own) = last
                && own != source
                && (self.same_thread(source, read) || self.is_initial(source))
            {
                return Some(Flaw::Overwritten { read, source, own });
            }
        }
        None
    }

    /// Where reads take their values if the nodes are performed in this order, by read; or the first node that the machine can't
    /// perform then. The initial writes are left out of the order. Quadratic at worst.
    ///
    /// # Errors
    /// The node that comes before one of its predecessors, or twice, or is missing, or interrupts an atomic block.
    pub fn replay(&self, order: &[NodeId]) -> Result<Vec<(NodeId, NodeId)>, NodeId> {
        let mut done: Vec<bool> = self.ids().map(|n| self.is_initial(n)).collect();
        let mut memory: Vec<NodeId> = self.writes.iter().map(|writes| writes[0]).collect();
        let mut buffers: Vec<VecDeque<NodeId>> = vec![VecDeque::new(); self.threads.len()];
        let mut sources = Vec::new();
        for (at, &n) in order.iter().enumerate() {
            let node = self.node(n);
            let is_due = self.ids().filter(|&before| self.po.precedes(before, n)).all(|before| done[before.index()]);
            let interrupts = self.blocks.iter().any(|block| {
                let place = block.iter().position(|&member| member == n);
                place.is_some_and(|place| place > 0 && order[at - 1] != block[place - 1])
            });
            if done[n.index()] || !is_due || interrupts {
                return Err(n);
            }
            done[n.index()] = true;
            let location = node.location.map_or(0, |location| location.0 as usize);
            match node.part {
                Part::Initial | Part::Fence | Part::StoreFence => {}
                Part::Write => memory[location] = n,
                Part::Memory => {
                    buffers[node.thread.index()].retain(|&pending| pending != n);
                    memory[location] = n;
                }
                Part::Buffer => buffers[node.thread.index()].extend(self.partner[n.index()]),
                Part::Read => {
                    let pending = buffers[node.thread.index()].iter().rev();
                    let own = pending.copied().find(|&write| self.node(write).location == node.location);
                    sources.push((n, own.unwrap_or(memory[location])));
                }
            }
        }
        match done.iter().position(|done| !done) {
            Some(missing) => Err(NodeId(missing as u32)),
            None => Ok(sources),
        }
    }

    /// Whether the nodes can be performed in this order, every read taking a source that it may.
    pub fn is_witness(&self, order: &[NodeId]) -> bool {
        let sources = self.replay(order);
        sources.is_ok_and(|sources| sources.iter().all(|(read, source)| self.good[read.index()].contains(source)))
    }

    /// The edges of program order between two nodes, shortest path first; `None` if it does not order them.
    pub(super) fn po_path(&self, a: NodeId, b: NodeId) -> Option<Vec<ClosureEdge>> {
        if self.is_initial(a) {
            return Some(vec![ClosureEdge { from: a, to: b, kind: ClosureEdgeKind::Initial }]);
        }
        self.po.precedes(a, b).then(|| vec![ClosureEdge { from: a, to: b, kind: ClosureEdgeKind::Po }])
    }
}

/// Why a read can't have its only source, whatever the order is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// The source is of the read's thread and comes behind it.
    FromBehind {
        /// The read.
        read: NodeId,
        /// Its source, as a node in memory.
        source: NodeId,
    },
    /// The read's thread has overwritten the source before.
    Overwritten {
        /// The read.
        read: NodeId,
        /// Its source, as a node in memory.
        source: NodeId,
        /// The last write of the thread before the read, as a node in memory.
        own: NodeId,
    },
}

struct Build<'g> {
    graph: &'g Execution,
    instance: Instance,
    /// By event: its node in memory.
    in_memory: Vec<Option<NodeId>>,
    /// By event: its node that reads.
    reading: Vec<Option<NodeId>>,
    /// Buffered writes of each thread: those that reach memory by themselves, and whether nothing overtakes them (PSO).
    pending: Vec<Vec<(NodeId, bool)>>,
    /// By thread, which of its nodes in memory come before the ones to come, by fences and atomic blocks.
    fences: Vec<Vec<(NodeId, FenceKind)>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FenceKind {
    Full,
    Store,
}

impl<'g> Build<'g> {
    fn new(machine: Machine, graph: &'g Execution) -> Self {
        let mut build = Self {
            graph,
            instance: Instance {
                machine,
                nodes: Vec::new(),
                threads: vec![Vec::new(); graph.threads()],
                flushes: vec![Vec::new(); graph.threads()],
                good: Vec::new(),
                writes: Vec::new(),
                reads: Vec::new(),
                blocks: Vec::new(),
                edges: Vec::new(),
                po: Order::new(0),
                partner: Vec::new(),
                has_store_fences: false,
            },
            in_memory: vec![None; graph.len()],
            reading: vec![None; graph.len()],
            pending: vec![Vec::new(); graph.threads()],
            fences: vec![Vec::new(); graph.threads()],
        };
        for (e, event) in graph.events().take_while(|(_, event)| event.is_init()) {
            let initial = build.node(e, Part::Initial, event.location());
            build.in_memory[e.index()] = Some(initial);
            build.instance.writes.push(vec![initial]);
            build.instance.reads.push(Vec::new());
        }
        build
    }

    fn node(&mut self, event: EventId, part: Part, location: Option<Location>) -> NodeId {
        let n = NodeId(self.instance.nodes.len() as u32);
        let thread = self.graph.event(event).thread();
        self.instance.nodes.push(Node { event, part, thread, location });
        self.instance.partner.push(None);
        n
    }

    /// Adds the nodes that a thread performs.
    fn thread(&mut self, thread: ThreadId, blocks: &[Block]) {
        let events = self.graph.thread(thread);
        let mut at = 0;
        while at < events.len() {
            let block = blocks.iter().find(|block| block.events.first() == Some(&events[at]));
            let (length, buffered) = block.map_or((1, false), |block| (block.events.len(), block.buffered));
            let members = &events[at..at + length];
            at += length;
            let event = self.graph.event(members[0]);
            let place = event.location();
            match event.label {
                _ if block.is_some() => self.block(thread, members, buffered),
                Label::Update { .. } => self.block(thread, members, false),
                Label::Library { operation, .. } if operation.waits() => {
                    // One that waits for ever takes no part.
                    if !event.is_blocked() {
                        self.block(thread, members, false);
                    }
                }
                Label::Read { .. } => {
                    let read = self.read(members[0], place);
                    self.perform(thread, vec![read]);
                }
                Label::Write { .. } | Label::Library { .. } => {
                    let overtakes = event.operation().is_none();
                    let write = self.write(members[0], place, overtakes);
                    self.perform(thread, vec![write]);
                }
                Label::Fence(mode) => self.fence(thread, members[0], mode),
                // The searches that make instances refuse programs with handlers.
                Label::Get { .. } | Label::Post { .. } => {}
                Label::Init { .. } | Label::Error(_) | Label::Stuck | Label::Bound(_) | Label::Spin => {}
            }
        }
    }

    fn perform(&mut self, thread: ThreadId, unit: Unit) {
        self.instance.threads[thread.index()].push(unit);
    }

    fn read(&mut self, e: EventId, location: Option<Location>) -> NodeId {
        let read = self.node(e, Part::Read, location);
        self.reading[e.index()] = Some(read);
        self.instance.reads[location.map_or(0, |location| location.0 as usize)].push(read);
        read
    }

    /// Adds a write as its thread performs it.
    fn write(&mut self, e: EventId, location: Option<Location>, overtakes: bool) -> NodeId {
        let thread = self.graph.event(e).thread().index();
        if self.instance.machine.buffers() {
            let write = self.node(e, Part::Buffer, location);
            self.pending[thread].push((write, overtakes));
            write
        } else {
            let write = self.node(e, Part::Write, location);
            self.put_in_memory(e, write);
            write
        }
    }

    fn put_in_memory(&mut self, e: EventId, node: NodeId) {
        self.in_memory[e.index()] = Some(node);
        let location = self.instance.node(node).location.map_or(0, |location| location.0 as usize);
        self.instance.writes[location].push(node);
    }

    fn fence(&mut self, thread: ThreadId, e: EventId, mode: Mode) {
        let (part, kind) = match (self.instance.machine, mode) {
            (Machine::Tso | Machine::Pso, Mode::SequentiallyConsistent) => (Part::Fence, FenceKind::Full),
            (Machine::Pso, Mode::Release | Mode::AcquireRelease) => (Part::StoreFence, FenceKind::Store),
            _ => return,
        };
        let fence = self.node(e, part, None);
        self.fences[thread.index()].push((fence, kind));
        self.instance.has_store_fences |= kind == FenceKind::Store;
        self.perform(thread, vec![fence]);
    }

    /// Adds what is performed at once: the fence before it by itself, the rest as one unit.
    fn block(&mut self, thread: ThreadId, members: &[EventId], buffered: bool) {
        if self.instance.machine.buffers() {
            let fence = self.node(members[0], Part::Fence, None);
            self.fences[thread.index()].push((fence, FenceKind::Full));
            self.perform(thread, vec![fence]);
        }
        let mut unit = Vec::new();
        let mut written = Vec::new();
        for &e in members {
            let event = self.graph.event(e);
            let location = event.location();
            if event.is_read() {
                unit.push(self.read(e, location));
            }
            if event.is_write() || matches!(event.label, Label::Write { .. }) {
                let at = self.pending[thread.index()].len();
                unit.push(self.write(e, location, true));
                if self.instance.machine.buffers() && !buffered {
                    self.pending[thread.index()].truncate(at);
                    written.push(e);
                }
            }
        }
        for e in written {
            let buffer = self.instance.find(e, Part::Buffer).expect("it was just added");
            let memory = self.node(e, Part::Memory, self.graph.event(e).location());
            self.pair(buffer, memory);
            self.put_in_memory(e, memory);
            // What follows finds it in memory.
            unit.push(memory);
        }
        if unit.len() > 1 {
            self.instance.blocks.push(unit.clone());
        }
        if !unit.is_empty() {
            self.perform(thread, unit);
        }
    }

    fn pair(&mut self, buffer: NodeId, memory: NodeId) {
        self.instance.partner[buffer.index()] = Some(memory);
        self.instance.partner[memory.index()] = Some(buffer);
    }

    /// Adds the nodes of buffered writes that reach memory.
    fn flushes(&mut self) {
        for thread in 0..self.pending.len() {
            for (buffer, overtakes) in std::mem::take(&mut self.pending[thread]) {
                let Node { event, location, .. } = *self.instance.node(buffer);
                let memory = self.node(event, Part::Memory, location);
                self.pair(buffer, memory);
                self.put_in_memory(event, memory);
                self.instance.flushes[thread].push(memory);
                self.instance.has_store_fences |= !overtakes && self.instance.machine == Machine::Pso;
                if !overtakes && self.instance.machine == Machine::Pso {
                    let before = self.instance.flushes[thread].split_last().map(|(_, before)| before.to_vec());
                    let edges = before.into_iter().flatten().map(|before| (before, memory));
                    self.instance.edges.extend(edges);
                }
            }
        }
    }

    fn finish<'s>(mut self, sources: impl Fn(EventId) -> &'s [EventId]) -> Instance {
        let instance = &mut self.instance;
        for thread in 0..instance.threads.len() {
            let performed: Vec<NodeId> = instance.threads[thread].iter().flatten().copied().collect();
            instance.edges.extend(performed.windows(2).map(|pair| (pair[0], pair[1])));
            let flushes = &instance.flushes[thread];
            for (at, &memory) in flushes.iter().enumerate() {
                let buffer = instance.partner[memory.index()].expect("it was buffered");
                instance.edges.push((buffer, memory));
                // The next one that it may not overtake it; of PSO, of its location.
                let follows = |&&next: &&NodeId| {
                    instance.machine == Machine::Tso || instance.node(next).location == instance.node(memory).location
                };
                instance.edges.extend(flushes[at + 1..].iter().find(follows).map(|&next| (memory, next)));
            }
            for &(fence, kind) in &self.fences[thread] {
                let entered = |memory: NodeId| instance.partner[memory.index()].unwrap_or(memory);
                let (before, behind): (Vec<NodeId>, Vec<NodeId>) =
                    flushes.iter().partition(|&&memory| entered(memory) < fence);
                match kind {
                    FenceKind::Full => instance.edges.extend(before.iter().map(|&memory| (memory, fence))),
                    FenceKind::Store => {
                        let pairs = before.iter().flat_map(|&a| behind.iter().map(move |&b| (a, b)));
                        instance.edges.extend(pairs);
                    }
                }
            }
        }
        sort::ascending(&mut instance.edges);
        instance.edges.dedup();
        let nodes = instance.nodes.len();
        let mut po = Order::new(nodes);
        for &(a, b) in &instance.edges {
            po.insert(a, b);
        }
        let initial = instance.writes.len() as u32;
        for a in (0..initial).map(NodeId) {
            for b in (initial..nodes as u32).map(NodeId) {
                po.insert(a, b);
            }
        }
        instance.po = po;
        instance.good = vec![Vec::new(); nodes];
        for (e, read) in self.reading.iter().enumerate() {
            if let Some(read) = read {
                let writes = sources(EventId(e as u32)).iter().filter_map(|write| self.in_memory[write.index()]);
                instance.good[read.index()] = writes.collect();
            }
        }
        self.instance
    }
}
