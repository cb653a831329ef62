//! Runs of a machine, event by event, and what comes before what in them.
//!
//! A run belongs to SC, TSO or PSO. Who takes turns in it are **processes**: the threads and, under TSO and PSO, their store
//! buffers, each of which puts one store after the other into memory (the auxiliary threads of Abdulla, Aronis, Atig,
//! Jonsson, Leonardsson and Sagonas, *Stateless Model Checking for TSO and PSO*, TACAS 2015). TSO has a buffer for each
//! thread, PSO one for each thread and location that it stores to.
//!
//! Each event of a run has a vector clock of **happens-before**: program order, a store before it reaches memory, what
//! somebody has to wait for, and the order of two accesses to one location in memory of which one writes. As in that paper,
//! a read of what its own thread stored is not ordered with the moment in which that store reaches memory. So two runs have
//! the same events and the same happens-before exactly if they are the same execution with the same co (under SC, the same
//! Mazurkiewicz trace).
//!
//! A **race** ([`Run::races`]) is a pair of events of two threads, one immediately before the other in happens-before, that
//! could come in the other order. Operations that wait (on mutexes and channels) race with the last operation that took over
//! what they want, not with the one that they took it over from.

mod ending;
mod observed;
mod search;
mod sequence;
mod sleep;
#[cfg(test)]
pub(super) mod testing;
#[cfg(test)]
mod tests;
mod walk;
pub(super) mod words;

pub(super) use ending::Ending;
pub(super) use observed::{Observed, Sleep, Sleeper, Word};
pub(super) use search::{Course, RunExplorer, Search};
pub(super) use sequence::{Begin, Sequence};
pub(super) use sleep::SleepSets;
pub(super) use walk::RunWalk;

use super::Options;
use super::threads::{NO_NODE, NodeId, Threads};
use crate::graph::{Coherence, EventId, EventKey, Execution, ThreadId};
use crate::library;
use crate::model::{Buffers, Model};
use crate::program::{Action, Code, InstructionKind, Limits, Location, Mode, Operation, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A thread by its number, or a store buffer, behind all threads.
pub(super) type Process = u16;

/// No event: where a location has its initial value.
pub(super) const NONE: u32 = u32::MAX;

/// What an event has to do with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// Nothing.
    Nothing,
    /// It reads a location.
    Reads(u32),
    /// It writes a location, or puts a store there.
    Writes(u32),
    /// It reads what its own thread has stored: from the buffer, or from memory once that event of the buffer is there.
    ReadsOwn { location: u32, buffer: Process, serial: u32 },
}

/// What a process does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub process: Process,
    /// It is a weak compare-and-swap that fails although it need not.
    pub spurious: bool,
    pub touch: Touch,
    /// It writes a variable and does nothing else: one that may be overwritten before anybody reads it.
    pub blind: bool,
}

/// An event of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunEvent {
    pub turn: Turn,
    /// Its place among those of its process, from 1.
    pub serial: u32,
    /// Of a write in a buffer that reaches memory: the event that stored it.
    store: u32,
    /// What a read reads from: the event that wrote or stored it.
    source: u32,
    /// Its thread before it.
    node: NodeId,
    /// What the location held before it, if it touches memory.
    before: Cell,
    /// The last read that reads from it.
    readers: u32,
    /// The read before this one that reads from the same.
    next_reader: u32,
    value_read: Value,
    value_written: Option<Value>,
    /// Of a store in a buffer: how many store-store fences of the thread come before it; and whether it is an unlock's.
    epoch: u32,
    unlocks: bool,
    /// It is a weak compare-and-swap that could fail, or succeed, instead.
    has_alternative: bool,
}

/// What is in a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cell {
    /// The event that wrote or stored it.
    store: u32,
    /// The event by which it came there.
    update: u32,
}

const INITIAL: Cell = Cell { store: NONE, update: NONE };

/// How many events of each kind that end a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub errors: u32,
    pub bounds: u32,
    /// At assumptions.
    pub stuck: u32,
    /// In loops.
    pub spins: u32,
}

/// A store buffer.
#[derive(Clone, Debug)]
struct Buffer {
    thread: u16,
    /// All that was ever stored; the events of the process say how many reached memory.
    stores: Vec<u32>,
}

/// A run, and the program that it is of.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub code: Arc<Code>,
    options: Options,
    buffering: Option<Buffers>,
    threads: Threads,
    /// The present state of each thread.
    nodes: Vec<NodeId>,
    ended: Vec<bool>,
    /// Store-store fences so far, by thread.
    epochs: Vec<u32>,
    /// The store buffers, and which there are of each thread.
    buffers: Vec<Buffer>,
    buffers_of: Vec<Vec<Process>>,
    buffer_names: FxHashMap<(u16, u32), Process>,
    pub events: Vec<RunEvent>,
    /// A row for each event, of `stride` numbers: how many events of each process are it or before it.
    clocks: Vec<u32>,
    stride: usize,
    /// The events of each process.
    by_process: Vec<Vec<u32>>,
    memory: Vec<Cell>,
    /// The last reads of initial values.
    initial_readers: Vec<u32>,
    pub ends: Ends,
    scratch: Predecessors,
}

impl Run {
    /// No event yet.
    ///
    /// # Panics
    /// If the model has no machine ([`crate::model::Rules::has_machine`]).
    pub(super) fn new(code: Arc<Code>, model: Model, mut options: Options) -> Self {
        assert!(model.rules().has_machine(), "runs are those of machines");
        options.limits.events = options.limits.events.min(Limits::MAX_EVENTS);
        let mut threads = Threads::new(Arc::clone(&code), options);
        let number = code.threads.len();
        let nodes = (0..number).map(|thread| threads.start(thread)).collect();
        let locations = code.initial.len();
        let buffering = model.rules().buffers;
        let mut run = Self {
            code,
            options,
            buffering,
            threads,
            nodes,
            ended: vec![false; number],
            epochs: vec![0; number],
            buffers: Vec::new(),
            buffers_of: vec![Vec::new(); number],
            buffer_names: FxHashMap::default(),
            events: Vec::new(),
            clocks: Vec::new(),
            stride: number.max(1),
            by_process: vec![Vec::new(); number],
            memory: vec![INITIAL; locations],
            initial_readers: vec![NONE; locations],
            ends: Ends::default(),
            scratch: Predecessors::default(),
        };
        if buffering == Some(Buffers::OfThreads) {
            (0..number as u16).for_each(|thread| _ = run.add_buffer(thread, NONE));
        }
        run
    }

    /// How many processes there are; more may come with stores to new locations.
    pub(super) fn processes(&self) -> Process {
        self.by_process.len() as Process
    }

    /// The thread of a process.
    #[inline(always)]
    pub(super) fn thread_of(&self, process: Process) -> u16 {
        match usize::from(process).checked_sub(self.nodes.len()) {
            None => process,
            Some(buffer) => self.buffers[buffer].thread,
        }
    }

    /// Whether a process is a store buffer.
    #[inline(always)]
    pub(super) fn is_buffer(&self, process: Process) -> bool {
        usize::from(process) >= self.nodes.len()
    }

    /// How many events of a process are among the first ones of the run.
    pub(super) fn count_before(&self, process: Process, end: usize) -> u32 {
        let events = &self.by_process[usize::from(process)];
        events.partition_point(|&e| (e as usize) < end) as u32
    }

    /// The name of an event in execution graphs; of a store that reaches memory, the store's.
    pub(super) fn key(&self, e: usize) -> EventKey {
        let event = &self.events[e];
        if self.is_buffer(event.turn.process) {
            return self.key(event.store as usize);
        }
        EventKey { thread: ThreadId(event.turn.process), serial: event.serial }
    }

    /// The name that the next event of a thread would have.
    pub(super) fn next_key(&self, thread: u16) -> EventKey {
        EventKey { thread: ThreadId(thread), serial: self.by_process[usize::from(thread)].len() as u32 + 1 }
    }

    /// The name of the event that a process performs behind the first ones of the run, if it has performed so many or is
    /// about to.
    pub(super) fn key_at(&self, process: Process, prefix: usize) -> Option<EventKey> {
        let serial = self.count_before(process, prefix);
        if self.is_buffer(process) {
            return self.buffer(process).stores.get(serial as usize).map(|&store| self.key(store as usize));
        }
        Some(EventKey { thread: ThreadId(process), serial: serial + 1 })
    }

    fn buffer(&self, process: Process) -> &Buffer {
        &self.buffers[usize::from(process) - self.nodes.len()]
    }

    fn add_buffer(&mut self, thread: u16, location: u32) -> Process {
        let process = self.processes();
        self.buffers.push(Buffer { thread, stores: Vec::new() });
        self.buffers_of[usize::from(thread)].push(process);
        self.buffer_names.insert((thread, location), process);
        self.by_process.push(Vec::new());
        if usize::from(process) >= self.stride {
            let stride = 2 * usize::from(process).max(2);
            let mut clocks = vec![0; self.events.len() * stride];
            for (new, old) in clocks.chunks_exact_mut(stride).zip(self.clocks.chunks_exact(self.stride)) {
                new[..old.len()].copy_from_slice(old);
            }
            (self.clocks, self.stride) = (clocks, stride);
        }
        process
    }

    /// The buffer that a store goes to.
    fn buffer_for(&self, thread: u16, location: u32) -> Option<Process> {
        let location = if self.buffering == Some(Buffers::OfThreads) { NONE } else { location };
        self.buffer_names.get(&(thread, location)).copied()
    }

    fn is_drained(&self, thread: u16) -> bool {
        let buffers = &self.buffers_of[usize::from(thread)];
        buffers.iter().all(|&buffer| self.by_process[usize::from(buffer)].len() == self.buffer(buffer).stores.len())
    }

    /// The last store of a thread to a location that a read would see, with the event of the buffer that puts it into memory:
    /// one that is still in the buffer, or in memory.
    fn own_store(&self, thread: u16, location: u32) -> Option<(u32, Process, u32)> {
        self.buffering?;
        let buffer = self.buffer_for(thread, location)?;
        let stores = &self.buffer(buffer).stores;
        let in_memory = self.memory[location as usize].store;
        let done = self.by_process[usize::from(buffer)].len();
        let pending = (done..stores.len()).rev().find(|&at| self.stored_to(stores[at]) == location);
        let at = match pending {
            Some(at) => at,
            // Read-modify-writes of the same thread go to memory at once.
            None if in_memory == NONE || self.memory[location as usize].update == in_memory => return None,
            None if self.events[in_memory as usize].turn.process != thread => return None,
            None => stores[..done].iter().rposition(|&store| store == in_memory)?,
        };
        Some((stores[at], buffer, at as u32 + 1))
    }

    /// The location that a store in a buffer is for.
    fn stored_to(&self, store: u32) -> u32 {
        match self.action_of(store as usize) {
            Action::Write { location, .. } | Action::Library { location, .. } => location.0,
            _ => NONE,
        }
    }

    /// What an event of a thread is.
    fn action_of(&self, e: usize) -> Action {
        *self.threads.action(self.events[e].node)
    }

    /// What a thread does next, if it has not ended; it may have to wait.
    pub(super) fn next_action(&self, thread: u16) -> Option<Action> {
        let action = *self.threads.action(self.nodes[usize::from(thread)]);
        (!self.ended[usize::from(thread)] && action != Action::Finished).then_some(action)
    }

    /// The instruction that an event of a thread is; none at the end of its code.
    pub(super) fn instruction(&self, e: usize) -> Option<&InstructionKind> {
        let event = &self.events[e];
        self.threads.state(event.node).instruction_at(&self.code, usize::from(event.turn.process))
    }

    /// Shows what a thread runs behind one of its events, instruction by instruction, up to its next visible one, which is shown,
    /// too. Nothing if the event ends the thread.
    pub(super) fn watch_behind(&self, e: usize, mut watch: impl FnMut(&InstructionKind)) {
        let event = &self.events[e];
        let thread = usize::from(event.turn.process);
        let reads = match self.action_of(e) {
            Action::Read { .. } | Action::Update { .. } => true,
            Action::Library { operation, .. } => operation.waits(),
            Action::Write { .. } | Action::Fence(_) => false,
            _ => return,
        };
        let mut state = self.threads.state(event.node).clone();
        state.resume_as(&self.code, thread, reads.then_some(event.value_read), event.turn.spurious);
        state.advance_watched(&self.code, thread, self.options.limits, |_, kind| watch(kind));
    }

    fn value_in(&self, location: u32, store: u32) -> Value {
        match store {
            NONE => self.code.initial[location as usize],
            store => self.events[store as usize].value_written.unwrap_or_default(),
        }
    }

    /// The operation of a library object that a write is; `None` of initial ones.
    fn operation_of(&self, store: u32) -> Option<Operation> {
        if store == NONE {
            return None;
        }
        match self.action_of(store as usize) {
            Action::Library { operation, .. } => Some(operation),
            _ => None,
        }
    }

    /// What a process does next, if it can do anything.
    pub(super) fn turn(&self, process: Process) -> Option<Turn> {
        let touch = if self.is_buffer(process) { self.turn_of_buffer(process)? } else { self.turn_of_thread(process)? };
        let blind = !self.is_buffer(process)
            && matches!(self.threads.action(self.nodes[usize::from(process)]), Action::Write { .. });
        Some(Turn { process, spurious: false, touch, blind })
    }

    /// What a process can do next: a weak compare-and-swap that finds what it expects may fail as well.
    pub(super) fn turns(&self, process: Process) -> impl Iterator<Item = Turn> + use<> {
        let turn = self.turn(process);
        let other = turn.and_then(|turn| self.spurious_turn(turn));
        turn.into_iter().chain(other)
    }

    fn spurious_turn(&self, turn: Turn) -> Option<Turn> {
        let Touch::Writes(location) = turn.touch else { return None };
        if !self.options.spurious || self.is_buffer(turn.process) {
            return None;
        }
        let Action::Update { update, .. } = *self.threads.action(self.nodes[usize::from(turn.process)]) else {
            return None;
        };
        let value = self.value_in(location, self.memory[location as usize].store);
        let fails = update.may_fail_spuriously(value);
        fails.then_some(Turn { spurious: true, touch: Touch::Reads(location), ..turn })
    }

    fn turn_of_thread(&self, thread: u16) -> Option<Touch> {
        if self.ended[usize::from(thread)] {
            return None;
        }
        let stored =
            |location: Location| if self.buffering.is_none() { Touch::Writes(location.0) } else { Touch::Nothing };
        Some(match *self.threads.action(self.nodes[usize::from(thread)]) {
            Action::Finished => return None,
            Action::Read { location, .. } => match self.own_store(thread, location.0) {
                Some((_, buffer, serial)) => Touch::ReadsOwn { location: location.0, buffer, serial },
                None => Touch::Reads(location.0),
            },
            Action::Write { location, .. } => stored(location),
            Action::Update { location, update, .. } => {
                if !self.is_drained(thread) {
                    return None;
                }
                let value = self.value_in(location.0, self.memory[location.0 as usize].store);
                update.written(value).map_or(Touch::Reads(location.0), |_| Touch::Writes(location.0))
            }
            Action::Library { location, operation } if operation.waits() => {
                let last = self.operation_of(self.memory[location.0 as usize].store);
                if !self.is_drained(thread) || !library::may_follow(operation, last) {
                    return None;
                }
                Touch::Writes(location.0)
            }
            Action::Library { location, .. } => stored(location),
            Action::Fence(Mode::SequentiallyConsistent) if !self.is_drained(thread) => return None,
            _ => Touch::Nothing,
        })
    }

    fn turn_of_buffer(&self, process: Process) -> Option<Touch> {
        let buffer = self.buffer(process);
        let store = *buffer.stores.get(self.by_process[usize::from(process)].len())?;
        let RunEvent { epoch, unlocks, .. } = self.events[store as usize];
        let others = &self.buffers_of[usize::from(buffer.thread)];
        let waits = others.iter().filter(|&&other| other != process).any(|&other| {
            let front = self.buffer(other).stores.get(self.by_process[usize::from(other)].len());
            front.is_some_and(|&front| front < store && (unlocks || self.events[front as usize].epoch < epoch))
        });
        if waits { None } else { Some(Touch::Writes(self.stored_to(store))) }
    }

    /// Adds an event: what a process does next.
    ///
    /// # Panics
    /// If it can't do that.
    pub(super) fn perform(&mut self, turn: Turn) {
        let e = self.events.len() as u32;
        let process = usize::from(turn.process);
        let serial = self.by_process[process].len() as u32 + 1;
        let mut event = RunEvent {
            turn,
            serial,
            store: NONE,
            source: NONE,
            node: NO_NODE,
            before: INITIAL,
            readers: NONE,
            next_reader: NONE,
            value_read: 0,
            value_written: None,
            epoch: 0,
            unlocks: false,
            has_alternative: false,
        };
        if self.is_buffer(turn.process) {
            event.store = self.buffer(turn.process).stores[serial as usize - 1];
        } else {
            self.perform_in_thread(turn, &mut event);
        }
        if let Touch::Reads(location) | Touch::Writes(location) = turn.touch {
            event.before = self.memory[location as usize];
        }
        self.by_process[process].push(e);
        self.events.push(event);
        self.add_clock(e as usize);
        match turn.touch {
            Touch::Writes(location) => {
                let store = if event.store == NONE { e } else { event.store };
                self.memory[location as usize] = Cell { store, update: e };
            }
            Touch::Reads(location) | Touch::ReadsOwn { location, .. } => {
                let readers = self.readers_of(location, event.source);
                let next = std::mem::replace(readers, e);
                self.events[e as usize].next_reader = next;
            }
            Touch::Nothing => {}
        }
    }

    fn readers_of(&mut self, location: u32, source: u32) -> &mut u32 {
        match source {
            NONE => &mut self.initial_readers[location as usize],
            source => &mut self.events[source as usize].readers,
        }
    }

    /// The rest of a thread's event, and the thread's state behind it.
    fn perform_in_thread(&mut self, turn: Turn, event: &mut RunEvent) {
        let thread = usize::from(turn.process);
        let node = self.nodes[thread];
        event.node = node;
        let action = *self.threads.action(node);
        match action {
            Action::Read { location, .. } => {
                let own = self.own_store(turn.process, location.0).map(|(store, ..)| store);
                event.source = own.unwrap_or(self.memory[location.0 as usize].store);
                event.value_read = self.value_in(location.0, event.source);
            }
            Action::Update { location, update, .. } => {
                event.source = self.memory[location.0 as usize].store;
                event.value_read = self.value_in(location.0, event.source);
                event.has_alternative = self.options.spurious && update.may_fail_spuriously(event.value_read);
                event.value_written = if turn.spurious { None } else { update.written(event.value_read) };
            }
            Action::Library { location, operation } if operation.waits() => {
                event.source = self.memory[location.0 as usize].store;
                event.value_read = self.value_in(location.0, event.source);
                event.value_written = Some(operation.written());
            }
            Action::Library { location, operation } => {
                event.value_written = Some(operation.written());
                self.store(turn.process, location, event, true);
            }
            Action::Write { location, value, .. } => {
                event.value_written = Some(value);
                self.store(turn.process, location, event, false);
            }
            Action::Fence(Mode::Release | Mode::AcquireRelease) => self.epochs[thread] += 1,
            Action::Fence(_) => {}
            Action::Error(_) => self.ends.errors += 1,
            Action::Bound(_) => self.ends.bounds += 1,
            Action::Stuck => self.ends.stuck += 1,
            Action::Spin => self.ends.spins += 1,
            // Programs with handlers are refused, and those with inputs.
            Action::Get | Action::Post { .. } | Action::Input => self.ends.stuck += 1,
            Action::Finished => unreachable!("the end of a thread is no event"),
        }
        if matches!(
            action,
            Action::Error(_)
                | Action::Bound(_)
                | Action::Stuck
                | Action::Spin
                | Action::Get
                | Action::Post { .. }
                | Action::Input
        ) {
            self.ended[thread] = true;
        } else {
            self.nodes[thread] = self.threads.behind(node, event.value_read, turn.spurious);
        }
    }

    /// Puts a store into its buffer, if there are buffers.
    fn store(&mut self, thread: u16, location: Location, event: &mut RunEvent, unlocks: bool) {
        if self.buffering.is_none() {
            return;
        }
        let buffer = match self.buffer_for(thread, location.0) {
            Some(buffer) => buffer,
            None => self.add_buffer(thread, location.0),
        };
        (event.epoch, event.unlocks) = (self.epochs[usize::from(thread)], unlocks);
        let threads = self.nodes.len();
        self.buffers[usize::from(buffer) - threads].stores.push(self.events.len() as u32);
    }

    /// Takes the last event back.
    pub(super) fn undo(&mut self) -> Option<RunEvent> {
        let event = self.events.pop()?;
        self.clocks.truncate(self.events.len() * self.stride);
        self.by_process[usize::from(event.turn.process)].pop();
        match event.turn.touch {
            Touch::Writes(location) => self.memory[location as usize] = event.before,
            Touch::Reads(location) | Touch::ReadsOwn { location, .. } => {
                *self.readers_of(location, event.source) = event.next_reader;
            }
            Touch::Nothing => {}
        }
        if event.node == NO_NODE {
            return Some(event);
        }
        let thread = usize::from(event.turn.process);
        self.nodes[thread] = event.node;
        self.ended[thread] = false;
        match *self.threads.action(event.node) {
            Action::Write { location, .. } if self.buffering.is_some() => self.unstore(event.turn.process, location),
            Action::Library { location, operation } if self.buffering.is_some() && !operation.waits() => {
                self.unstore(event.turn.process, location);
            }
            Action::Fence(Mode::Release | Mode::AcquireRelease) => self.epochs[thread] -= 1,
            Action::Error(_) => self.ends.errors -= 1,
            Action::Bound(_) => self.ends.bounds -= 1,
            Action::Stuck => self.ends.stuck -= 1,
            Action::Spin => self.ends.spins -= 1,
            _ => {}
        }
        Some(event)
    }

    fn unstore(&mut self, thread: u16, location: Location) {
        let threads = self.nodes.len();
        if let Some(buffer) = self.buffer_for(thread, location.0) {
            self.buffers[usize::from(buffer) - threads].stores.pop();
        }
    }

    /// Forgets states of threads if there are too many.
    pub(super) fn tidy(&mut self) {
        if self.threads.is_full() {
            let held = self.events.iter().map(|event| event.node).chain(self.nodes.iter().copied());
            self.threads.collect(held);
        }
    }

    /// How many events of each process are an event or before it.
    #[inline(always)]
    fn clock(&self, e: u32) -> &[u32] {
        let start = e as usize * self.stride;
        &self.clocks[start..start + self.stride]
    }

    /// Whether an event is another one or comes before it in happens-before.
    #[inline(always)]
    pub(super) fn is_before(&self, a: u32, b: u32) -> bool {
        let event = &self.events[a as usize];
        self.clocks[b as usize * self.stride + usize::from(event.turn.process)] >= event.serial
    }

    fn add_clock(&mut self, e: usize) {
        let mut others = std::mem::take(&mut self.scratch);
        self.predecessors(e, &mut others);
        let event = self.events[e];
        let process = usize::from(event.turn.process);
        // What an operation that waits takes over is behind what it competes with.
        let source = (event.before.update != NONE && self.waits(e)).then_some(event.before.update);
        self.clocks.resize((e + 1) * self.stride, 0);
        let (rows, own) = self.clocks.split_at_mut(e * self.stride);
        let row = |e: u32| &rows[e as usize * self.stride..(e as usize + 1) * self.stride];
        if let Some(at) = (event.serial as usize).checked_sub(2) {
            own.copy_from_slice(row(self.by_process[process][at]));
        }
        for &other in others.order.iter().chain(&others.conflicts).chain(&source) {
            own.iter_mut().zip(row(other)).for_each(|(own, &other)| *own = (*own).max(other));
        }
        own[process] = event.serial;
        self.scratch = others;
    }

    /// Whether an event is an operation that had to wait until it could take something over.
    fn waits(&self, e: usize) -> bool {
        let event = &self.events[e];
        event.node != NO_NODE && matches!(self.action_of(e), Action::Library { operation, .. } if operation.waits())
    }

    /// What comes immediately before an event, but for the one before it in its process; some of it may be before another.
    fn predecessors(&self, e: usize, into: &mut Predecessors) {
        let event = &self.events[e];
        let thread = self.thread_of(event.turn.process);
        into.clear();
        if self.buffering.is_some() {
            self.order_of_buffers(e, into);
        }
        let is_foreign = |other: u32| self.thread_of(self.events[other as usize].turn.process) != thread;
        let before = event.before;
        match event.turn.touch {
            Touch::Writes(_) if self.waits(e) => {
                into.competitor = self.competitor(before.update).filter(|&other| is_foreign(other));
            }
            Touch::Writes(location) => {
                into.conflicts.extend((before.update != NONE && is_foreign(before.update)).then_some(before.update));
                let readers = self.readers(location, before.store);
                into.conflicts.extend(readers.filter(|&reader| reader < e as u32 && is_foreign(reader)));
            }
            Touch::Reads(_) => {
                into.conflicts.extend((before.update != NONE && is_foreign(before.update)).then_some(before.update));
            }
            Touch::ReadsOwn { .. } | Touch::Nothing => {}
        }
    }

    /// What would come immediately before an event with its other outcome, at the end of the run without what comes after the
    /// event.
    fn predecessors_of_other(&self, e: u32, other: Turn, into: &mut Predecessors) {
        self.predecessors(e as usize, into);
        let event = &self.events[e as usize];
        if let Some(at) = (event.serial as usize).checked_sub(2) {
            into.order.push(self.by_process[usize::from(event.turn.process)][at]);
        }
        into.conflicts.clear();
        into.conflicts.extend((event.before.update != NONE).then_some(event.before.update));
        if let Touch::Writes(location) = other.touch {
            into.conflicts
                .extend(self.readers(location, event.before.store).filter(|&reader| !self.is_before(e, reader)));
        }
    }

    /// The reads that read from a store to a location, or its initial value; the last one first.
    fn readers(&self, location: u32, store: u32) -> impl Iterator<Item = u32> + '_ {
        let link = |reader: u32| (reader != NONE).then_some(reader);
        let first = match store {
            NONE => self.initial_readers[location as usize],
            store => self.events[store as usize].readers,
        };
        std::iter::successors(link(first), move |&reader| link(self.events[reader as usize].next_reader))
    }

    /// The reads of other threads behind an event that read the same as it does and do not come after it.
    pub(super) fn readers_beside(&self, e: u32, into: &mut Vec<u32>) {
        let event = &self.events[e as usize];
        into.clear();
        if let Touch::Reads(location) | Touch::Writes(location) = event.turn.touch {
            let readers = self.readers(location, event.before.store);
            into.extend(readers.filter(|&reader| reader > e && !self.is_before(e, reader)));
        }
    }

    /// What an event comes behind because of store buffers.
    fn order_of_buffers(&self, e: usize, into: &mut Predecessors) {
        let event = &self.events[e];
        let thread = self.thread_of(event.turn.process);
        let buffers = &self.buffers_of[usize::from(thread)];
        if event.store != NONE {
            into.order.push(event.store);
            let stored = &self.events[event.store as usize];
            for &buffer in buffers.iter().filter(|&&buffer| buffer != event.turn.process) {
                let before = self.by_process[usize::from(buffer)].iter().rev().find(|&&other| {
                    let store = self.events[other as usize].store;
                    store < event.store && (stored.unlocks || self.events[store as usize].epoch < stored.epoch)
                });
                into.order.extend(before);
            }
            return;
        }
        let drains = matches!(self.action_of(e), Action::Update { .. } | Action::Fence(Mode::SequentiallyConsistent))
            || self.waits(e);
        if drains {
            let last = |buffer: Process| {
                self.by_process[usize::from(buffer)].iter().rev().find(|&&other| (other as usize) < e)
            };
            into.order.extend(buffers.iter().filter_map(|&buffer| last(buffer)));
        }
    }

    /// Of what an operation that waits takes over, given the event by which that came: the operation that took over before,
    /// and that could have come later.
    fn competitor(&self, update: u32) -> Option<u32> {
        if update == NONE {
            return None;
        }
        let before = self.events[update as usize].before.update;
        (before != NONE).then_some(before)
    }

    /// The events that an event is in a race with: those immediately before it in happens-before that could come after it.
    pub(super) fn races(&self, e: usize, scratch: &mut Predecessors, into: &mut Vec<u32>) {
        into.clear();
        self.predecessors(e, scratch);
        let process = usize::from(self.events[e].turn.process);
        if let Some(at) = (self.events[e].serial as usize).checked_sub(2) {
            scratch.order.push(self.by_process[process][at]);
        }
        let Predecessors { order, conflicts, competitor } = scratch;
        for &other in competitor.iter().chain(&*conflicts) {
            let hidden = order.iter().any(|&between| self.is_before(other, between))
                || conflicts.iter().any(|&between| between != other && self.is_before(other, between));
            if !hidden {
                into.push(other);
            }
        }
    }

    /// Whether a thread waits for an object, with nothing in its buffers; if so, the event that it would have to come before in
    /// order to go on, if that may be.
    pub(super) fn waiting(&self, thread: u16) -> Option<Option<u32>> {
        if self.ended[usize::from(thread)] {
            return None;
        }
        match *self.threads.action(self.nodes[usize::from(thread)]) {
            Action::Library { location, operation } if operation.waits() => {
                let Cell { store, update } = self.memory[location.0 as usize];
                if library::may_follow(operation, self.operation_of(store)) || !self.is_drained(thread) {
                    return None;
                }
                let is_race = update != NONE
                    && self.events[update as usize].turn.process != thread
                    && self.last_of_thread(thread).all(|last| !self.is_before(update, last));
                Some(is_race.then_some(update))
            }
            _ => None,
        }
    }

    /// The last events of a thread and of its buffers.
    fn last_of_thread(&self, thread: u16) -> impl Iterator<Item = u32> + '_ {
        let buffers = self.buffers_of[usize::from(thread)].iter().copied();
        std::iter::once(thread)
            .chain(buffers)
            .filter_map(|process| self.by_process[usize::from(process)].last().copied())
    }

    /// What an event would do if what another one did, with which it is in a race, had not happened.
    fn turn_without(&self, e: usize, other: u32) -> Turn {
        let turn = self.events[e].turn;
        if self.is_buffer(turn.process) || !matches!(self.events[other as usize].turn.touch, Touch::Writes(_)) {
            return turn;
        }
        let Action::Update { location, update, .. } = self.action_of(e) else { return turn };
        let value = self.value_in(location.0, self.events[other as usize].before.store);
        let spurious = turn.spurious && update.may_fail_spuriously(value);
        let writes = !spurious && update.written(value).is_some();
        Turn { spurious, touch: if writes { Touch::Writes(location.0) } else { Touch::Reads(location.0) }, ..turn }
    }

    /// The other outcome that an event could have if a write with which it is in a race had not happened: both have to be tried,
    /// as one of them may be explored elsewhere.
    pub(super) fn other_turn_without(&self, e: u32, write: u32) -> Option<Turn> {
        let event = &self.events[write as usize];
        let Touch::Writes(location) = event.turn.touch else { return None };
        if !self.options.spurious || self.is_buffer(self.events[e as usize].turn.process) {
            return None;
        }
        let Action::Update { update, .. } = self.action_of(e as usize) else { return None };
        if !update.may_fail_spuriously(self.value_in(location, event.before.store)) {
            return None;
        }
        let turn = self.turn_without(e as usize, write);
        let touch = if turn.spurious { Touch::Writes(location) } else { Touch::Reads(location) };
        Some(Turn { spurious: !turn.spurious, touch, ..turn })
    }

    /// The other outcome of an event: of a weak compare-and-swap that found what it expects, if spurious failures are asked
    /// for.
    pub(super) fn other_outcome(&self, e: usize) -> Option<Turn> {
        let RunEvent { turn, has_alternative, .. } = self.events[e];
        let (Touch::Reads(location) | Touch::Writes(location)) = turn.touch else { return None };
        let touch = if turn.spurious { Touch::Writes(location) } else { Touch::Reads(location) };
        has_alternative.then_some(Turn { spurious: !turn.spurious, touch, ..turn })
    }

    /// Whether an event is an error.
    pub(super) fn is_error(&self, e: usize) -> bool {
        self.events[e].node != NO_NODE && matches!(self.action_of(e), Action::Error(_))
    }

    /// The registers of a thread.
    pub(super) fn registers(&self, thread: usize) -> &[Value] {
        self.threads.state(self.nodes[thread]).registers()
    }

    /// Whether each thread that waits in a loop, at the end of the run, has read last what is in memory.
    pub(super) fn waits_with_last_values(&self) -> bool {
        self.by_process[..self.nodes.len()].iter().all(|events| {
            let &[.., last, end] = &events[..] else { return true };
            let (last, end) = (&self.events[last as usize], &self.events[end as usize]);
            let (Touch::Reads(location) | Touch::Writes(location) | Touch::ReadsOwn { location, .. }) = last.turn.touch
            else {
                return true;
            };
            *self.threads.action(end.node) != Action::Spin || last.value_read == self.value(Location(location))
        })
    }

    /// The value in a location's memory.
    pub(super) fn value(&self, location: Location) -> Value {
        self.value_in(location.0, self.memory[location.0 as usize].store)
    }

    /// The execution, with the operations that these threads wait at, and its co.
    pub(super) fn execution(&self, waiting: &[u16]) -> (Execution, Coherence) {
        let mut graph = Execution::initial(&self.code);
        let mut co: Coherence = (0..self.memory.len() as u32).map(|location| vec![EventId(location)]).collect();
        let mut ids = vec![EventId(NONE); self.events.len()];
        let id = |ids: &[EventId], location: u32, e: u32| if e == NONE { EventId(location) } else { ids[e as usize] };
        for (e, event) in self.events.iter().enumerate() {
            let process = event.turn.process;
            if !self.is_buffer(process) {
                ids[e] = self.add_to(&mut graph, process, event.node);
                let source = match self.action_of(e) {
                    Action::Read { location, .. } | Action::Update { location, .. } => Some(location),
                    Action::Library { location, operation } => operation.waits().then_some(location),
                    _ => None,
                };
                if let Some(location) = source {
                    graph.set_source(ids[e], id(&ids, location.0, event.source));
                }
                if event.turn.spurious {
                    graph.fail_spuriously(ids[e]);
                }
            }
            if let Touch::Writes(location) = event.turn.touch {
                let store = if event.store == NONE { e as u32 } else { event.store };
                co[location as usize].push(ids[store as usize]);
            }
        }
        for &thread in waiting {
            self.add_to(&mut graph, thread, self.nodes[usize::from(thread)]);
        }
        (graph, co)
    }

    fn add_to(&self, graph: &mut Execution, thread: u16, node: NodeId) -> EventId {
        let span = self.threads.state(node).span(&self.code, usize::from(thread)).unwrap_or_default();
        graph.add(ThreadId(thread), *self.threads.action(node), span)
    }
}

/// What comes immediately before an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Predecessors {
    /// What it can't come before.
    order: Vec<u32>,
    /// Accesses to the same location.
    conflicts: Vec<u32>,
    /// Of an operation that waits: what took over before what it takes over from.
    competitor: Option<u32>,
}

impl Predecessors {
    fn clear(&mut self) {
        self.order.clear();
        self.conflicts.clear();
        self.competitor = None;
    }
}
