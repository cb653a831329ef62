//! SC, TSO and PSO as machines with store buffers, run in every possible way.
//!
//! - **SC** has no buffers.
//! - **TSO** has one buffer a thread, first in, first out.
//! - **PSO** has one buffer a thread and location, first in, first out. A `rel` or `acqrel` fence orders the thread's
//!   stores: what is stored after it reaches memory after all that was stored before it.
//!
//! A read takes the newest value of its location in the own buffers, else memory's. A read-modify-write, also one that
//! will fail, and an `sc` fence wait until the own buffers are empty; the read-modify-write then acts on memory. Other
//! modes mean nothing. With [`Options::spurious`], a weak compare-and-swap that finds what it expects may fail too.
//!
//! An operation of a library object that waits is a read-modify-write that can be performed only when memory holds what it
//! may follow: a lock, a mutex that is free; a send, an empty channel; a receive, a full one. An unlock is stored like a
//! write, but on PSO reaches memory after all that its thread stored before it. A run in which threads wait and nobody
//! else can take a step is over.
//!
//! An input takes each of its values. On SC, what is atomic is one step.
//!
//! A handler that is idle takes a message out of its mailbox: with a queue the oldest, else any. The initial messages are posted
//! before anybody else takes a step.
//!
//! These are the machines of Toman, "Algorithms for Stateless Model Checking under Weak Memory" (§2.1), with the
//! store-store fence, mutexes and channels added. They share nothing with the axioms of [`super::brute_force`] but graphs, and are what those
//! are tested against.

use super::Options;
use super::brute_force::TooMany;
use crate::graph::{CanonicalExecution, Coherence, EventId, EventKey, Execution, Label, ThreadId};
use crate::model::{Buffers, Model};
use crate::program::{Action, Code, Limits, Location, Mailbox, Mode, Operation, ThreadState, Value};
use rustc_hash::FxHashSet;
use std::collections::{BTreeSet, VecDeque};

/// How a run of a machine can end, all buffers empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What happened.
    pub execution: Execution,
    /// The write that each location's value comes from.
    pub memory: Vec<EventId>,
    /// The registers of each thread, temporaries included.
    pub registers: Vec<Vec<Value>>,
}

impl Run {
    /// The final values of memory, by [`Location`].
    pub fn values(&self) -> Vec<Value> {
        self.memory.iter().map(|&w| self.execution.event(w).value_written.expect("memory holds writes")).collect()
    }
}

/// All runs of a machine up to the order of steps: each combination of execution and final memory once.
///
/// # Errors
/// [`TooMany`] if the search meets more than `cap` states.
///
/// # Panics
/// If there is no machine for the model: only SC, TSO and PSO have one.
pub fn runs(model: Model, code: &Code, options: impl Into<Options>, cap: usize) -> Result<Vec<Run>, TooMany> {
    let options = options.into();
    let buffers = buffers(model);
    let initial = Machine::new(code);
    let mut seen = FxHashSet::default();
    let mut ends = BTreeSet::new();
    let mut runs = Vec::new();
    let mut work = vec![initial];
    while let Some(machine) = work.pop() {
        let mut is_final = true;
        for thread in 0..code.threads.len() {
            let steps = machine.step(buffers, code, thread, options);
            for next in
                machine.commits(buffers, thread).into_iter().chain(steps).chain(machine.gets(code, thread, options))
            {
                is_final = false;
                if seen.insert(next.state()) {
                    work.push(next);
                }
            }
        }
        if seen.len() > cap {
            return Err(TooMany { cap });
        }
        if is_final && ends.insert(machine.state()) {
            debug_assert!(machine.buffers.iter().all(VecDeque::is_empty));
            let mut machine = machine;
            machine.block(code, options.limits);
            let registers = machine.threads.iter().map(|thread| thread.registers().to_vec()).collect();
            runs.push(Run { execution: machine.graph, memory: machine.memory, registers });
        }
    }
    Ok(runs)
}

/// What a clock sees of a run: by thread, its calls of methods, each with the calls that had returned when it performed its first event,
/// as thread and place there. Calls without events are left out.
#[cfg(any(test, feature = "testing"))]
pub type Clocked = Vec<Vec<(crate::graph::Call, BTreeSet<(usize, usize)>)>>;

/// The histories of all runs of a machine whose threads come to their ends.
///
/// # Errors
/// As [`runs`].
#[cfg(any(test, feature = "testing"))]
pub fn histories(
    model: Model,
    code: &Code,
    options: impl Into<Options>,
    cap: usize,
) -> Result<BTreeSet<Clocked>, TooMany> {
    type Before = std::collections::BTreeMap<(usize, usize), BTreeSet<(usize, usize)>>;
    let options = options.into();
    let buffers = buffers(model);
    let calls = |machine: &Machine| crate::graph::calls(code, &machine.graph, options.limits);
    let returned = |machine: &Machine| {
        let mut returned = BTreeSet::new();
        for (thread, calls) in calls(machine).iter().enumerate() {
            let is_over =
                |call: &crate::graph::Call| call.events > 0 && call.result != crate::graph::CallResult::Pending;
            returned.extend((0..calls.len()).filter(|at| is_over(&calls[*at])).map(|at| (thread, at)));
        }
        returned
    };
    let mut seen = FxHashSet::default();
    let mut found = BTreeSet::new();
    let mut work = vec![(Machine::new(code), Before::new())];
    while let Some((machine, before)) = work.pop() {
        let mut is_final = true;
        for thread in 0..code.threads.len() {
            let mut nexts: Vec<_> =
                machine.commits(buffers, thread).into_iter().map(|next| (next, before.clone())).collect();
            for next in machine.step(buffers, code, thread, options) {
                let mut before = before.clone();
                let done = calls(&next)[thread].iter().position(|call| {
                    call.events == 1 && call.behind as usize + 1 == next.graph.thread(ThreadId(thread as u16)).len()
                });
                if let Some(at) = done {
                    before.entry((thread, at)).or_insert_with(|| returned(&machine));
                }
                nexts.push((next, before));
            }
            for (next, before) in nexts {
                is_final = false;
                if seen.insert((next.state(), before.clone())) {
                    work.push((next, before));
                }
            }
        }
        if seen.len() > cap {
            return Err(TooMany { cap });
        }
        let ends = |(_, event): (EventId, &crate::graph::Event)| event.ends_thread();
        if is_final && !machine.graph.events().any(ends) {
            let of_thread = |(thread, calls): (usize, Vec<crate::graph::Call>)| {
                let known = |(at, call): (usize, crate::graph::Call)| Some((call, before.get(&(thread, at))?.clone()));
                calls.into_iter().enumerate().filter_map(known).collect()
            };
            found.insert(calls(&machine).into_iter().enumerate().map(of_thread).collect());
        }
    }
    Ok(found)
}

/// One step of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A thread performs its next instruction.
    Step {
        /// What the event is called that this is.
        event: EventKey,
        /// It is a weak compare-and-swap that fails although it need not.
        spurious: bool,
    },
    /// A pending store reaches memory.
    Commit {
        /// The store.
        write: EventKey,
    },
}

/// A run of a machine, turn by turn, and the order in which the writes of each location reached memory. Threads that wait
/// at the end have the operation that they wait at.
///
/// # Errors
/// The turn that the machine can't make.
///
/// # Panics
/// As [`runs`].
pub fn replay(
    model: Model,
    code: &Code,
    options: Options,
    turns: impl IntoIterator<Item = Turn>,
) -> Result<(Run, Coherence), Turn> {
    let buffers = buffers(model);
    let mut machine = Machine::new(code);
    let mut co: Coherence = machine.memory.iter().map(|&write| vec![write]).collect();
    for turn in turns {
        let next = match turn {
            Turn::Step { event, spurious } => machine
                .step_once(buffers, code, event.thread.index(), options, Way { spurious, value: 0 })
                .filter(|next| next.graph.find(event).is_some()),
            Turn::Commit { write } => {
                let commits = machine.commits(buffers, write.thread.index());
                let done = |next: &Machine| next.memory.iter().any(|&w| next.graph.event(w).key == write);
                commits.into_iter().find(|next| next.memory != machine.memory && done(next))
            }
        };
        let next = next.ok_or(turn)?;
        for ((order, before), after) in co.iter_mut().zip(&machine.memory).zip(&next.memory) {
            order.extend((before != after).then_some(*after));
        }
        machine = next;
    }
    machine.block(code, options.limits);
    let registers = machine.threads.iter().map(|thread| thread.registers().to_vec()).collect();
    Ok((Run { execution: machine.graph, memory: machine.memory, registers }, co))
}

/// The store buffers of a model's machine.
fn buffers(model: Model) -> Option<Buffers> {
    let rules = model.rules();
    assert!(rules.has_machine(), "there is no machine for {model:?}");
    rules.buffers
}

/// Which of several ways an instruction goes.
#[derive(Clone, Copy)]
struct Way {
    /// It is a weak compare-and-swap that fails although it need not.
    spurious: bool,
    /// Which value an input takes.
    value: u32,
}

/// A store that has not reached memory.
#[derive(Clone, Copy)]
struct Pending {
    write: EventId,
    location: Location,
    /// How many store-store fences of the thread came before it.
    epoch: u32,
    /// It is that of an unlock.
    unlocks: bool,
}

/// A state of the machine. It records the execution so far, so that runs with different executions never meet.
#[derive(Clone)]
struct Machine {
    graph: Execution,
    threads: Vec<ThreadState>,
    memory: Vec<EventId>,
    /// The pending stores of each thread, oldest first. For PSO, its per-location buffers are what is left of this on
    /// looking at one location.
    buffers: Vec<VecDeque<Pending>>,
    epochs: Vec<u32>,
    /// By thread: the posts whose messages wait in its mailbox, oldest first.
    mailboxes: Vec<Vec<EventId>>,
}

type State = (CanonicalExecution, Vec<EventKey>, Vec<Vec<EventKey>>);

impl Machine {
    fn new(code: &Code) -> Self {
        Self {
            graph: Execution::initial(code),
            threads: (0..code.threads.len()).map(|thread| ThreadState::new(code, thread)).collect(),
            memory: (0..code.initial.len() as u32).map(EventId).collect(),
            buffers: vec![VecDeque::new(); code.threads.len()],
            epochs: vec![0; code.threads.len()],
            mailboxes: vec![Vec::new(); code.threads.len()],
        }
    }

    /// The state whatever order the events were added in. Registers and epochs follow from the execution.
    fn state(&self) -> State {
        let key = |e: EventId| self.graph.event(e).key;
        (
            self.graph.canonical(),
            self.memory.iter().map(|&w| key(w)).collect(),
            self.buffers
                .iter()
                .map(|buffer| buffer.iter().map(|pending| key(pending.write)).collect())
                .chain(self.mailboxes.iter().map(|posts| posts.iter().map(|&post| key(post)).collect()))
                .collect(),
        )
    }

    /// The states after one pending store of a thread reaches memory.
    fn commits(&self, buffers: Option<Buffers>, thread: usize) -> Vec<Self> {
        let buffer = &self.buffers[thread];
        (0..buffer.len())
            .filter(|&at| match buffers {
                Some(Buffers::OfLocations) => buffer.range(..at).all(|older| {
                    older.location != buffer[at].location && older.epoch == buffer[at].epoch && !buffer[at].unlocks
                }),
                _ => at == 0,
            })
            .map(|at| {
                let mut next = self.clone();
                let pending = next.buffers[thread].remove(at).expect("it is in range");
                next.memory[pending.location.0 as usize] = pending.write;
                next
            })
            .collect()
    }

    /// The states after a thread's next instruction, if it has one and need not wait: two if that may fail spuriously, one for each
    /// value of an input. Without buffers, a block that is atomic is one instruction.
    fn step(&self, buffers: Option<Buffers>, code: &Code, thread: usize, options: Options) -> Vec<Self> {
        let (mut behind, mut work) = (Vec::new(), vec![self.clone()]);
        while let Some(machine) = work.pop() {
            let next = machine.next_of(code, thread, options);
            let block = next.and_then(|(_, block)| block).filter(|_| buffers.is_none());
            let values = next.map_or(0, |(action, _)| match action {
                Action::Read { location, .. } => code.values_of_input(location).len() as u32,
                _ => 0,
            });
            let spurious = options.spurious.then_some(Way { spurious: true, value: 0 });
            let ways = (0..values.max(1)).map(|value| Way { spurious: false, value }).chain(spurious);
            for next in ways.filter_map(|way| machine.step_once(buffers, code, thread, options, way)) {
                let is_within =
                    block.is_some() && next.next_of(code, thread, options).is_some_and(|(_, now)| now == block);
                let list = if is_within { &mut work } else { &mut behind };
                list.push(next);
            }
        }
        behind
    }

    /// What a thread does next, if it has not ended, and the atomic block that this is in.
    fn next_of(&self, code: &Code, thread: usize, options: Options) -> Option<(Action, Option<u32>)> {
        let last = self.graph.thread(ThreadId(thread as u16)).last();
        if last.is_some_and(|&last| self.graph.event(last).ends_thread()) {
            return None;
        }
        let mut state = self.threads[thread].clone();
        let action = state.advance(code, thread, options.limits);
        (action != Action::Finished).then(|| (action, state.block(code, thread)))
    }

    /// The states after a handler that is idle took a message.
    fn gets(&self, code: &Code, thread: usize, options: Options) -> Vec<Self> {
        let id = ThreadId(thread as u16);
        let ended = self.graph.thread(id).last().is_some_and(|&last| self.graph.event(last).ends_thread());
        let mut next = self.clone();
        if ended
            || code.threads[thread].mailbox.is_none()
            || self.waits_for_start(code, thread, options)
            || next.threads[thread].advance(code, thread, options.limits) != Action::Get
        {
            return Vec::new();
        }
        let oldest = if code.threads[thread].mailbox == Some(Mailbox::Queue) { 1 } else { usize::MAX };
        let take = |at: usize| {
            let mut next = next.clone();
            let post = next.mailboxes[thread].remove(at);
            let span = next.threads[thread].span(code, thread).unwrap_or_default();
            let get = next.graph.add(id, Action::Get, span);
            next.graph.set_post(get, post);
            if let Label::Post { message, value, .. } = next.graph.event(post).label {
                next.threads[thread].take_message(code, thread, message, value);
            }
            next
        };
        (0..self.mailboxes[thread].len().min(oldest)).map(take).collect()
    }

    /// Whether initial messages are still to be posted.
    fn waits_for_start(&self, code: &Code, thread: usize, options: Options) -> bool {
        let start = code.threads.iter().position(|thread| thread.is_start);
        start.is_some_and(|start| {
            let advance = || self.threads[start].clone().advance(code, start, options.limits);
            start != thread && advance() != Action::Finished
        })
    }

    fn may_fail_spuriously(&self, action: Action) -> bool {
        let Action::Update { location, update, .. } = action else { return false };
        let value = self.graph.event(self.memory[location.0 as usize]).value_written;
        value.is_some_and(|value| update.may_fail_spuriously(value))
    }

    fn step_once(
        &self,
        buffers: Option<Buffers>,
        code: &Code,
        thread: usize,
        options: Options,
        way: Way,
    ) -> Option<Self> {
        let Way { spurious, value } = way;
        let id = ThreadId(thread as u16);
        let ended = self.graph.thread(id).last().is_some_and(|&last| self.graph.event(last).ends_thread());
        if ended || self.waits_for_start(code, thread, options) {
            return None;
        }
        let mut next = self.clone();
        let action = next.threads[thread].advance(code, thread, options.limits);
        let action = self.graph.or_cut(id, action, options.limits.unroll);
        let drained = self.buffers[thread].is_empty();
        let waits = matches!(action, Action::Update { .. } | Action::Fence(Mode::SequentiallyConsistent));
        let refused = match action {
            Action::Library { operation, location } => {
                operation.waits() && !(drained && self.lets(operation, location))
            }
            _ => false,
        };
        if refused
            || matches!(action, Action::Finished | Action::Get)
            || waits && !drained
            || spurious && !self.may_fail_spuriously(action)
        {
            return None;
        }
        let span = next.threads[thread].span(code, thread).unwrap_or_default();
        let e = next.graph.add(id, action, span);
        match action {
            Action::Read { location, .. } => {
                let own = self.buffers[thread].iter().rev().find(|pending| pending.location == location);
                // Nobody writes the values of an input.
                let newest = EventId(self.memory[location.0 as usize].0 + value);
                next.graph.set_source(e, own.map_or(newest, |pending| pending.write));
                let event = next.graph.event(e);
                next.threads[thread].resume_as(code, thread, event.value_read, event.fails_spuriously());
            }
            Action::Update { location, .. } => {
                next.graph.set_source(e, self.memory[location.0 as usize]);
                if spurious {
                    next.graph.fail_spuriously(e);
                }
                if next.graph.event(e).is_write() {
                    next.memory[location.0 as usize] = e;
                }
                let event = next.graph.event(e);
                next.threads[thread].resume_as(code, thread, event.value_read, event.fails_spuriously());
            }
            Action::Library { location, operation } if operation.waits() => {
                next.graph.set_source(e, self.memory[location.0 as usize]);
                next.memory[location.0 as usize] = e;
                next.threads[thread].resume(code, thread, next.graph.event(e).value_read);
            }
            Action::Write { location, .. } | Action::Library { location, .. } => {
                let unlocks = matches!(action, Action::Library { .. });
                if buffers.is_none() {
                    next.memory[location.0 as usize] = e;
                } else {
                    next.buffers[thread].push_back(Pending { write: e, location, epoch: next.epochs[thread], unlocks });
                }
                next.threads[thread].resume(code, thread, None);
            }
            Action::Fence(mode) => {
                if matches!(mode, Mode::Release | Mode::AcquireRelease) {
                    next.epochs[thread] += 1;
                }
                next.threads[thread].resume(code, thread, None);
            }
            Action::Post { handler, .. } => {
                next.mailboxes[usize::from(handler)].push(e);
                next.threads[thread].resume(code, thread, None);
            }
            // Programs with inputs of many values are refused.
            Action::Input
            | Action::Get
            | Action::Error(_)
            | Action::Stuck
            | Action::Spin
            | Action::Bound(_)
            | Action::Finished => {}
        }
        Some(next)
    }

    /// Whether memory lets an operation be performed.
    fn lets(&self, operation: Operation, location: Location) -> bool {
        let last = self.graph.event(self.memory[location.0 as usize]).operation();
        match operation {
            Operation::Lock => last != Some(Operation::Lock),
            Operation::Send(_) => !matches!(last, Some(Operation::Send(_))),
            Operation::Receive => matches!(last, Some(Operation::Send(_))),
            Operation::Join => last == Some(Operation::End),
            Operation::Unlock | Operation::End => true,
        }
    }

    /// Adds the operations that threads wait at, at the end of a run.
    fn block(&mut self, code: &Code, limits: Limits) {
        for thread in 0..self.threads.len() {
            let id = ThreadId(thread as u16);
            if self.graph.thread(id).last().is_some_and(|&last| self.graph.event(last).ends_thread()) {
                continue;
            }
            let action = self.threads[thread].advance(code, thread, limits);
            if !matches!(action, Action::Finished | Action::Get) {
                let span = self.threads[thread].span(code, thread).unwrap_or_default();
                self.graph.add(id, action, span);
            }
        }
    }
}
