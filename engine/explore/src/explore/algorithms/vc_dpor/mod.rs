//! VC-DPOR: traces up to the values that reads take.
//!
//! After Chatterjee, Pavlogiannis, Toman: *Value-Centric Dynamic Partial Order Reduction*, OOPSLA 2019, and ch. 3 of Toman,
//! *Improved Verification Techniques for Concurrent Systems* (2021), Algorithms 3.5 to 3.7; for SC. A call begins with an
//! annotated partial order: events, for each read some **good writes** of one value, and an order of conflicting events
//! outside one thread, the **root**. It has a witness, a run in which each read takes a good write, which is extended by all
//! that threads do before their next read. Then the next read of each thread is added in all ways: with all writes of one
//! value that were not offered to it before (a **causal map** knows which those are), of the root also by the side that they
//! are of, and outside the root in all orders with what conflicts. What then has a closure is another call. A call in which
//! no thread waits for a read is a maximal trace. At most one is found of each value-centric class, and every combination of
//! values that reads can take.
//!
//! DC-DPOR (Chalupa, Chatterjee, Pavlogiannis, Sinha, Vaidya: *Data-Centric Dynamic Partial Order Reduction*, POPL 2018) comes of
//! the same procedures if each read has one good write: so reads-from classes are told apart, and all are found.
//!
//! Deviations from print:
//!
//! - Initial writes are writes of no thread, outside the root. They are offered once.
//! - A read-modify-write is one event that reads and writes, in the order of all that conflicts with it; and so is the lock of a
//!   mutex, which can take what frees it alone, and waits while it is held. So no two locks take the same unlock, which in print
//!   their good writes have to see to.
//! - A weak compare-and-swap that fails spuriously is told apart from one that does not, whatever it reads.
//! - The events of a trace that is maximal need no order any more, and where no read can be added, nobody asks for one.
//! - With `relaxed`, conflicting writes outside the root stay unordered until a read can tell them apart; in print, they are
//!   looked at once, when they are added; here that is asked again whenever a read is added to their location.
//!
//! VC-DPOR counts traces, each with the co of its witness: reads-from classes are neither finer nor coarser than what it tells
//! apart. DC-DPOR counts plain executions; a trace of one that is known is repeated.
//!
//! Memory follows one path of calls: the order is one matrix with a trail of changes, and a choice is a place in that trail.
//! Beside that, some 30 bytes are kept of each trace, a fingerprint and its number. They tell whether a trace comes twice and
//! how many plain executions there are. So memory is linear in traces, as DC-DPOR's counting of plain executions has to be.

mod pseudo_code;
#[cfg(test)]
mod tests;
pub(super) mod words;

use crate::budget::{Budget, Paused};
use crate::consistency::{Access, CausalMap, GrowingOrder, NodeId, OrderMark, Prefix};
use crate::explore::growing::GrowingGraph;
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Direction, ExecutionKind, Explorer, Options, PendingRead, Proposed, Revisit, Step};
use crate::graph::{Coherence, Event, EventId, EventKey, Execution, Label, ThreadId};
use crate::library;
use crate::model::Model;
use crate::program::{Action, Code, Location, Operation, Value};
use std::sync::Arc;

/// Which writes a read is given together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// All of one value: VC-DPOR.
    Values,
    /// Each alone: DC-DPOR.
    Writes,
}

/// Good writes of a read that is to be added.
#[derive(Clone, Debug)]
struct Group {
    writes: Arc<[EventId]>,
    value: Value,
    of_root: bool,
    spurious: bool,
}

/// Events that are being added to the order, one by one.
#[derive(Clone, Debug)]
struct Adding {
    next: EventId,
    end: EventId,
    /// Of a read, which is added alone, its good writes.
    good: Option<Arc<[EventId]>>,
}

/// A choice, and what it was made in.
#[derive(Clone, Debug)]
struct Frame {
    mark: OrderMark,
    /// The call that goes on, by its place in the list.
    call: usize,
    /// How many events there were.
    len: usize,
    choice: Choice,
}

#[derive(Clone, Debug)]
enum Choice {
    /// Two conflicting events come in this order, and then the other way round.
    Pair { first: NodeId, second: NodeId, adding: Adding, turned: bool },
    /// The next reads of the threads are added in all ways.
    Reads {
        causal: CausalMap,
        /// Which of the call's readers goes on.
        reader: usize,
        /// What is left of its good writes, the next ones last.
        groups: Vec<Group>,
    },
}

/// A call that is not over.
#[derive(Clone, Debug)]
struct Call {
    /// How many events it began with.
    kept: usize,
    /// Its witness: the events that it began with, in order. Those behind them follow in their own.
    witness: Vec<EventId>,
    causal: CausalMap,
    /// The threads that wait for a read, the root first, each with that.
    readers: Arc<[(ThreadId, Action)]>,
}

/// What comes next.
#[derive(Clone, Debug)]
enum Phase {
    /// A call begins, with what was offered to the reads of the threads.
    Enter(CausalMap),
    /// All that threads do before their next reads is added.
    Extend,
    /// An error event is reported.
    Error(EventId),
    /// The trace is extended; whether there is anything to go on with.
    Look,
    /// An event gets its place in the order.
    Place(Adding),
    /// The order is closed.
    Close(Adding),
    /// The next read is added.
    Read,
    /// The last choice that can be made otherwise is.
    Back,
    /// The threads that wait for a mutex get their operations.
    Wait,
    /// Whether the trace is maximal but its execution is known.
    Known,
    Fault,
    Execution,
    Duplicate,
    Finish,
    Done,
}

/// VC-DPOR's exploration of one program, or DC-DPOR's. Memory: what one path of calls takes, of which
/// each adds a read, and a fingerprint of each trace.
#[derive(Clone, Debug)]
pub struct VcDpor {
    grouping: Grouping,
    model: Model,
    options: Options,
    root: ThreadId,
    grown: GrowingGraph,
    /// By event, the prefix of its thread that it is the last event of, by reads.
    behind: Vec<Prefix>,
    order: GrowingOrder,
    co: Coherence,
    calls: Vec<Call>,
    /// How many calls there were.
    entered: u64,
    frames: Vec<Frame>,
    phase: Phase,
    level: Option<usize>,
    cut: Vec<Event>,
    /// The good writes of the read just added.
    good: Vec<EventId>,
    tally: Tally,
}

impl VcDpor {
    /// The exploration before its first step.
    ///
    /// # Panics
    /// Later, if the program uses channels, or the root is no thread of it: [`crate::explore::Traits::refuses`] says so.
    pub fn new(code: Arc<Code>, grouping: Grouping, model: Model, options: Options) -> Self {
        let chosen = words::Chosen::of(&options);
        let root = ThreadId(chosen.root as u16);
        let (locations, threads) = (code.initial.len(), code.threads.len());
        Self {
            grouping,
            model,
            options,
            root,
            behind: vec![Prefix::Start; locations],
            order: GrowingOrder::new(locations, threads, root).relaxed(chosen.relaxed),
            grown: GrowingGraph::new(code, options),
            co: Vec::new(),
            calls: Vec::new(),
            entered: 0,
            frames: Vec::new(),
            phase: Phase::Enter(CausalMap::new(threads)),
            level: None,
            cut: Vec::new(),
            good: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// The thread that is the root.
    pub fn root(&self) -> ThreadId {
        self.root
    }

    fn key(&self, e: EventId) -> EventKey {
        self.grown.key(e)
    }

    /// Begins a call with what is there.
    fn enter(&mut self, causal: CausalMap) -> Step {
        let witness = self.order.witness().into_iter().map(|n| EventId(n.0)).collect();
        self.calls.push(Call { kept: self.grown.graph.len(), witness, causal, readers: Arc::default() });
        self.run(self.calls.len() - 1);
        self.entered += 1;
        self.level = Some(self.frames.len());
        self.phase = Phase::Extend;
        Step::EnterCall { number: self.entered }
    }

    /// Lets each read take what memory holds in the run that a call has found, and puts the writes in co. Linear in the graph.
    fn run(&mut self, call: usize) {
        let graph = &mut self.grown.graph;
        let initial = |e: &EventId| graph.event(*e).is_init();
        self.co = graph.ids().take_while(initial).map(|init| vec![init]).collect();
        let Call { kept, witness, .. } = &self.calls[call];
        // A read behind them was only just added.
        let later = (*kept..graph.len()).map(|e| EventId(e as u32)).filter(|&e| !graph.event(e).is_read());
        let later: Vec<EventId> = later.collect();
        for e in witness.iter().copied().chain(later) {
            let event = graph.event(e);
            let Some(location) = event.location() else { continue };
            let writes = &mut self.co[location.0 as usize];
            if event.is_read()
                && let Some(&write) = writes.last()
                && graph.source(e).is_some()
            {
                debug_assert!(
                    self.order.good(NodeId(e.0)).any(|good| good.0 == write.0),
                    "a witness takes good writes"
                );
                graph.set_source_only(e, write);
            }
            if graph.event(e).is_write() {
                writes.push(e);
            }
        }
    }

    /// Adds an event to the graph. A read has no source yet.
    fn add(&mut self, thread: ThreadId, action: Action) -> EventId {
        let e = self.grown.add(thread, action);
        let event = self.grown.graph.event(e);
        let before = self.grown.graph.thread(thread).iter().rev().nth(1);
        let prefix = if event.is_read() {
            Prefix::Read(event.key.serial)
        } else {
            before.map_or(Prefix::Start, |before| self.behind[before.index()])
        };
        self.behind.push(prefix);
        e
    }

    /// The next event of the left-most thread that need not read for it.
    fn extend(&mut self) -> Option<Step> {
        for thread in 0..self.grown.graph.threads() {
            let Some(action) = self.grown.next_of(thread) else { continue };
            if reads(action) {
                continue;
            }
            let e = self.add(ThreadId(thread as u16), action);
            let event = *self.grown.graph.event(e);
            if let (true, Some(location)) = (event.is_write(), event.location()) {
                self.co[location.0 as usize].push(e);
            }
            if let Label::Error(_) = event.label {
                self.phase = Phase::Error(e);
            }
            return Some(Step::AddEvent { event: event.key });
        }
        self.phase = Phase::Look;
        None
    }

    fn report_error(&mut self, event: EventId) -> Step {
        self.phase = Phase::Extend;
        if self.options.stop_at_first {
            self.tally.counts.add(ExecutionKind::Erroneous, false);
            self.tally.counts.plain += 1;
            self.phase = Phase::Finish;
        }
        Step::Error { event: self.key(event) }
    }

    /// What a call goes on with, now that its trace is extended.
    fn look(&mut self) -> Option<Step> {
        let root = self.root.index();
        let mut threads: Vec<usize> = (0..self.grown.graph.threads()).collect();
        threads.sort_by_key(|&thread| thread != root);
        let mut readers = Vec::new();
        for thread in threads {
            if let Some(action) = self.grown.next_of(thread)
                && !self.waits(action)
            {
                readers.push((ThreadId(thread as u16), action));
            }
        }
        let Some(call) = self.calls.last_mut() else { unreachable!("a call goes on") };
        let kept = EventId(call.kept as u32);
        if readers.is_empty() {
            self.phase = Phase::Wait;
            return None;
        }
        call.readers = readers.into();
        let call = &self.calls[self.calls.len() - 1];
        if !call.readers.iter().any(|&(thread, action)| !self.groups(&call.causal, thread, action).is_empty()) {
            self.phase = Phase::Back;
            return Some(Step::DeadEnd);
        }
        self.place_up_to(Adding { next: kept, end: EventId(self.grown.graph.len() as u32), good: None });
        None
    }

    /// Whether an operation on a mutex can't go on: in each run of what is there, it is held.
    fn waits(&self, action: Action) -> bool {
        let Action::Library { operation: Operation::Lock, location } = action else { return false };
        let at = self.grown.graph.events().filter(|(_, event)| event.location() == Some(location));
        let (mut free, mut held) = (0_usize, 0_usize);
        for (_, event) in at {
            match event.operation() {
                Some(Operation::Lock) => held += 1,
                _ => free += 1,
            }
        }
        held >= free
    }

    /// The writes that the next read of a thread is still to be offered, as they are given to it together.
    fn groups(&self, causal: &CausalMap, thread: ThreadId, action: Action) -> Vec<Group> {
        let graph = &self.grown.graph;
        let Some(location) = location(action) else { return Vec::new() };
        let mut groups: Vec<(Group, Vec<EventId>)> = Vec::new();
        for write in graph.writes(location) {
            let event = graph.event(write);
            let follows = match action {
                Action::Library { operation, .. } => library::may_follow(operation, event.operation()),
                _ => true,
            };
            let Some(value) = event.value_written else { continue };
            if !follows || !causal.is_new(thread, event.thread(), self.behind[write.index()]) {
                continue;
            }
            let of_root = thread == self.root && event.thread() == self.root;
            let together = |group: &Group| group.value == value && group.of_root == of_root;
            let found = groups.iter_mut().find(|(group, _)| self.grouping == Grouping::Values && together(group));
            match found {
                Some((_, writes)) => writes.push(write),
                None => {
                    let group = Group { writes: Arc::default(), value, of_root, spurious: false };
                    groups.push((group, vec![write]));
                }
            }
        }
        let may_fail = |value| match action {
            Action::Update { update, .. } => self.options.spurious && update.may_fail_spuriously(value),
            _ => false,
        };
        let mut all: Vec<Group> = groups
            .into_iter()
            .map(|(group, writes)| Group { writes: writes.into(), ..group })
            .flat_map(|group| {
                let fails = may_fail(group.value).then(|| Group { spurious: true, ..group.clone() });
                std::iter::once(group).chain(fails)
            })
            .collect();
        // The root's own first; the next one last.
        all.sort_by_key(|group| !group.of_root);
        all.reverse();
        all
    }

    /// Goes on with the next event that is to get a place in the order, or behind the last.
    fn place_up_to(&mut self, adding: Adding) {
        if adding.next < adding.end {
            self.phase = Phase::Place(adding);
            return;
        }
        if adding.good.is_some() {
            let Some(Frame { choice: Choice::Reads { causal, .. }, .. }) = self.reads() else {
                unreachable!("a read is added by the choice of one")
            };
            let mut causal = causal.clone();
            let reader = self.grown.graph.event(EventId(adding.end.0 - 1)).thread();
            causal.forget(reader);
            self.phase = Phase::Enter(causal);
            return;
        }
        let Some(call) = self.calls.last() else { unreachable!("a call goes on") };
        let (causal, readers) = (call.causal.clone(), Arc::clone(&call.readers));
        let groups = self.groups(&causal, readers[0].0, readers[0].1);
        self.push(Choice::Reads { causal, reader: 0, groups });
        self.phase = Phase::Read;
    }

    /// The choice of a read that was made last.
    fn reads(&self) -> Option<&Frame> {
        self.frames.iter().rev().find(|frame| matches!(frame.choice, Choice::Reads { .. }))
    }

    fn push(&mut self, choice: Choice) {
        let (mark, call, len) = (self.order.mark(), self.calls.len() - 1, self.grown.graph.len());
        self.frames.push(Frame { mark, call, len, choice });
    }

    /// Gives an event its place in the order, with respect to one other that conflicts with it.
    fn place(&mut self, adding: Adding) -> Option<Step> {
        let node = NodeId(adding.next.0);
        if self.order.len() == adding.next.index() {
            let event = self.grown.graph.event(adding.next);
            let access = Access {
                thread: event.thread(),
                location: event.location(),
                reads: event.is_read(),
                writes: event.is_write(),
            };
            let good = adding.good.iter().flat_map(|good| good.iter()).map(|write| NodeId(write.0));
            self.order.add(access, good);
        }
        let Some((first, second)) = self.order.open_pair(node) else {
            self.phase = Phase::Close(adding);
            return None;
        };
        self.push(Choice::Pair { first, second, adding: adding.clone(), turned: false });
        self.phase = Phase::Place(adding);
        Some(self.put(first, second))
    }

    fn put(&mut self, first: NodeId, second: NodeId) -> Step {
        self.order.put(first, second);
        self.tally.counts.revisits += 1;
        self.level = Some(self.frames.len() - 1);
        Step::OrderPair { first: self.key(EventId(first.0)), second: self.key(EventId(second.0)) }
    }

    fn close(&mut self, adding: Adding, budget: &mut Budget) -> Result<Option<Step>, Paused> {
        if self.order.close(budget)? {
            let next = EventId(adding.next.0 + 1);
            self.place_up_to(Adding { next, ..adding });
            return Ok(None);
        }
        self.tally.counts.dropped += 1;
        self.phase = Phase::Back;
        Ok(Some(Step::NoClosure { event: self.key(adding.next) }))
    }

    /// Adds the next read of some thread with its next good writes; or notes that it was offered all.
    fn read(&mut self) -> Option<Step> {
        let Some(Frame { choice: Choice::Reads { causal, reader, groups }, call, .. }) = self.frames.last_mut() else {
            unreachable!("reads are added by the choice of one")
        };
        let call = &self.calls[*call];
        let Some(&(thread, action)) = call.readers.get(*reader) else {
            self.frames.pop();
            self.phase = Phase::Back;
            return None;
        };
        if let Some(group) = groups.pop() {
            return Some(self.add_read(thread, action, group));
        }
        *reader += 1;
        let graph = &self.grown.graph;
        let behind = |writer: ThreadId| {
            graph.thread(writer).last().map_or(Prefix::Start, |last: &EventId| self.behind[last.index()])
        };
        causal.offer(thread, behind);
        let next = call.readers.get(*reader).copied();
        let causal = causal.clone();
        let left = next.map_or_else(Vec::new, |(thread, action)| self.groups(&causal, thread, action));
        if let Some(Frame { choice: Choice::Reads { groups, .. }, .. }) = self.frames.last_mut() {
            *groups = left;
        }
        let serial = self.grown.graph.thread(thread).len() as u32 + 1;
        Some(Step::OfferAll { read: EventKey { thread, serial } })
    }

    fn add_read(&mut self, thread: ThreadId, action: Action, group: Group) -> Step {
        let e = self.add(thread, action);
        self.grown.take(e, group.writes[0], group.spurious);
        self.grown.resume(e);
        self.tally.counts.revisits += 1;
        self.level = Some(self.frames.len() - 1);
        self.good = group.writes.to_vec();
        let (read, write) = (self.key(e), self.key(group.writes[0]));
        self.phase = Phase::Place(Adding { next: e, end: EventId(e.0 + 1), good: Some(group.writes) });
        Step::ExtendRead { read, write, spurious: group.spurious }
    }

    /// Goes back to the last choice that can be made otherwise.
    fn back(&mut self) -> Option<Step> {
        let Some(&Frame { mark, call, len, ref choice }) = self.frames.last() else {
            self.phase = Phase::Finish;
            return None;
        };
        if let Choice::Pair { turned: true, .. } = choice {
            self.frames.pop();
            return None;
        }
        self.order.undo(mark);
        self.calls.truncate(call + 1);
        if self.grown.graph.len() > len {
            // A read that was added keeps its good writes, which were there before it.
            self.cut.extend(self.grown.truncate(len));
            self.behind.truncate(len);
        }
        self.run(call);
        let Frame { choice, .. } = self.frames.last_mut()?;
        match choice {
            Choice::Pair { first, second, adding, turned } => {
                *turned = true;
                let (first, second, adding) = (*first, *second, adding.clone());
                self.phase = Phase::Place(adding);
                Some(self.put(second, first))
            }
            Choice::Reads { .. } => {
                self.phase = Phase::Read;
                None
            }
        }
    }

    /// Adds the operation of a thread that waits.
    fn wait(&mut self) -> Option<Step> {
        for thread in 0..self.grown.graph.threads() {
            if let Some(action) = self.grown.next_of(thread) {
                let e = self.add(ThreadId(thread as u16), action);
                self.grown.resume(e);
                return Some(Step::Block { read: self.key(e) });
            }
        }
        self.phase = Phase::Known;
        None
    }

    /// DC-DPOR tells traces apart that are one plain execution.
    fn known(&mut self) -> Option<Step> {
        self.phase = Phase::Fault;
        if self.grouping == Grouping::Values {
            return None;
        }
        let number = self.tally.repetition(&self.grown.graph)?;
        self.phase = Phase::Back;
        Some(Step::Repeated { number })
    }

    fn execution_step(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let co = (self.grouping == Grouping::Values).then_some(&self.co);
        let GrowingGraph { code, graph, .. } = &self.grown;
        let whole = Whole { code, model: self.model, options: &self.options, graph, co };
        let (step, next) = self.tally.execution(whole, budget)?;
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::Back,
        };
        Ok(step)
    }

    fn advance_phase(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        // Once the graph was taken back, a step follows soon, and nobody is to see what is between.
        let mut is_back = false;
        loop {
            let step = match &self.phase {
                Phase::Enter(causal) => {
                    budget.count(self.order.cost())?;
                    let causal = causal.clone();
                    Some(self.enter(causal))
                }
                Phase::Extend => self.extend(),
                Phase::Error(event) => {
                    let event = *event;
                    Some(self.report_error(event))
                }
                Phase::Look => {
                    budget.count((self.grown.graph.len() * (1 + self.grown.graph.threads())) as u64)?;
                    self.look()
                }
                Phase::Place(adding) => {
                    budget.count(self.order.cost())?;
                    let adding = adding.clone();
                    self.place(adding)
                }
                Phase::Close(adding) => {
                    let adding = adding.clone();
                    self.close(adding, budget)?
                }
                Phase::Read => {
                    let counted = budget.count(self.grown.graph.len() as u64);
                    if !is_back {
                        counted?;
                    }
                    self.read()
                }
                Phase::Back => {
                    let changes = self.frames.last().map_or(0, |frame| self.order.changes_since(frame.mark));
                    let counted = budget.count((changes + self.grown.graph.len()) as u64);
                    if !is_back {
                        counted?;
                    }
                    is_back = true;
                    self.back()
                }
                Phase::Wait => self.wait(),
                Phase::Known => self.known(),
                Phase::Fault => {
                    self.phase = Phase::Execution;
                    self.tally.fault(&self.grown.code, self.model, self.options, &self.grown.graph)
                }
                Phase::Execution => Some(self.execution_step(budget)?),
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::Back;
                    Some(Step::Duplicate)
                }
                Phase::Finish => {
                    self.phase = Phase::Done;
                    Some(Step::Done)
                }
                Phase::Done => Some(Step::Done),
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }
}

/// Whether an action reads, and so waits for what it is to take.
fn reads(action: Action) -> bool {
    match action {
        Action::Read { .. } | Action::Update { .. } => true,
        Action::Library { operation, .. } => operation.waits(),
        _ => false,
    }
}

fn location(action: Action) -> Option<Location> {
    match action {
        Action::Read { location, .. } | Action::Update { location, .. } | Action::Library { location, .. } => {
            Some(location)
        }
        _ => None,
    }
}

impl Explorer for VcDpor {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if matches!(self.phase, Phase::Done) {
            return Ok(Step::Done);
        }
        budget.count(self.grown.graph.len() as u64)?;
        // A step that is paused leaves what the step before shows.
        let shown = (std::mem::take(&mut self.cut), std::mem::take(&mut self.good), self.level.take());
        let step = self.advance_phase(budget).inspect_err(|_| (self.cut, self.good, self.level) = shown)?;
        self.tally.counts.steps += 1;
        Ok(step)
    }

    fn execution(&self) -> &Execution {
        &self.grown.graph
    }

    fn coherence(&self) -> Option<&Coherence> {
        (self.grouping == Grouping::Values).then_some(&self.co)
    }

    fn cut(&self) -> &[Event] {
        &self.cut
    }

    /// The good writes of the read that the step added.
    fn prefix(&self) -> Vec<EventId> {
        self.good.clone()
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.grown.registers()
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    /// The reads of the graph with their good writes; behind them the next ones of the threads, with what they are still to be
    /// offered.
    fn pending(&self) -> Vec<PendingRead> {
        let graph = &self.grown.graph;
        let option = |write: EventId, spurious| Revisit {
            write: Some(self.key(write)),
            direction: Direction::Forward,
            spurious,
            prefix: Arc::default(),
        };
        let reads = graph.events().filter(|(e, event)| event.is_read() && graph.source(*e).is_some());
        let mut rows: Vec<PendingRead> = reads
            .map(|(e, event)| {
                let spurious = event.fails_spuriously();
                let good = || -> Vec<EventId> {
                    let placed = e.index() < self.order.len();
                    let good = placed.then(|| self.order.good(NodeId(e.0)).map(|n| EventId(n.0)).collect());
                    good.unwrap_or_else(|| self.good.clone())
                };
                let source = graph.source(e).map(|write| Proposed {
                    write: self.key(write),
                    spurious,
                    keeps: Vec::new(),
                    waits: None,
                });
                let options = good().into_iter().map(|write| option(write, spurious)).collect();
                PendingRead { read: event.key, revisitable: false, options, explored: source.into_iter().collect() }
            })
            .collect();
        let Some(call) = self.calls.last() else { return rows };
        let (causal, done) = match self.frames.last() {
            Some(Frame { choice: Choice::Reads { causal, reader, .. }, .. }) => (causal, *reader),
            _ => (&call.causal, 0),
        };
        for (at, &(thread, action)) in call.readers.iter().enumerate() {
            let serial = graph.thread(thread).len() as u32 + 1;
            let groups = match self.frames.last() {
                Some(Frame { choice: Choice::Reads { groups, .. }, .. }) if at == done => groups.clone(),
                _ => self.groups(causal, thread, action),
            };
            let options = groups
                .iter()
                .flat_map(|group| group.writes.iter().rev().map(|&write| option(write, group.spurious)))
                .collect();
            let key = EventKey { thread, serial };
            rows.push(PendingRead { read: key, revisitable: true, options, explored: Vec::new() });
        }
        rows
    }

    fn level(&self) -> Option<usize> {
        self.level
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        let calls: usize = self.calls.iter().map(|call| 2 + call.witness.len() / 8).sum();
        self.grown.graph.len() + self.order.weight() + calls + self.frames.len() * 4
    }
}
