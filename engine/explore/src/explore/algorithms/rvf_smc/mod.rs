//! RVF-SMC: a run for each combination of values that threads can read.
//!
//! After Agarwal, Chatterjee, Pathak, Pavlogiannis, Toman: *Stateless Model Checking under a Reads-Value-From Equivalence*,
//! CAV 2021, Algorithm 2, and §4.3 and §4.4 of Toman, *Improved Verification Techniques for Concurrent Systems* (2021),
//! Algorithm 4.2. For SC. A **call** begins with some events, for each of their reads the **good writes** (GoodW) that it may
//! take, all of one value, and a run in which it does. It extends the run by all that is no read. Then it lets the threads'
//! next reads take their turn: the writes that are there and that the read was not offered before form a group for each value,
//! and where VerifySC finds a run in which the read takes one of the group, another call goes on from that run. What a read was
//! offered is kept in the **causal map** C: the read takes none of it when it is its turn again, with more writes there. A call
//! ends behind the first read without an entry in C whose calls gave no **backtrack signal**: if no other thread writes to its
//! location below, nothing else that it could read will ever be there, so nothing is lost.
//!
//! Every local state of every thread is found, and so is every error and deadlock; of the executions of one class of the
//! reads-value-from equivalence at most one, with one of the sources that its reads may have. Kept are the calls that are not
//! over, at most one for each read of a run, each with the order of its run and its copy of C, and a fingerprint of each
//! execution found. Signals go from a subtree to what comes behind it, so there is no walk in parts.
//!
//! Where print is silent, or we deviate:
//!
//! - Reads are offered in the order of threads, those without an entry in C first.
//! - Where the run itself has a place for the new read, that is the witness, and VerifySC is not asked. In print this is the
//!   case only at its end.
//! - A read-modify-write is one event. A compare-and-swap that is some thread's next event signals to every read-modify-write of
//!   its location that writes, as in §4.4 of the thesis: the one may be why the other does not write.
//! - An operation of a mutex or channel has one good write, as an acquire in print, and takes its turn only where it need not
//!   wait. How many operations there are says whether it has to, whatever their order, so that is no matter of the run. Those
//!   that wait signal as a compare-and-swap does.
//! - A weak compare-and-swap that may fail spuriously has a group more of the value that it expects.
//! - The initial write of a location that nobody initialised is a group of its own: to read from it is an error.
//! - A thread that has failed an assumption, waits in a loop, went wrong or was cut has no next event. Fences do nothing.
//! - If a question to VerifySC is given up, what it would have led to is left, and counts as a signal.
//!
//! What is explored is values. Last values that nobody reads are left open
//! ([`Sees::LocalStates`](crate::explore::Sees::LocalStates)), and so is who is stuck in a loop. Errors and deadlocks follow
//! from values, so none is missed.
//!
//! Where operations that wait gave no signal, executions would be lost. What is next while a call begins signals to its own
//! read, too. The fingerprint of a trace and its number take some 30 bytes; by them the steps tell whether a trace comes twice.
//! Tests hold the values found against brute force, and the number of executions against that of classes
//! ([`crate::explore::equivalence`]).

mod pseudo_code;
pub(super) mod words;

use crate::budget::{Budget, Paused};
use crate::consistency::{Found, Instance, Machine, NodeId, OfferedCounts, Settings, WitnessSearch};
use crate::explore::growing::GrowingGraph;
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Direction, ExecutionKind, Explorer, Options, PendingRead, Proposed, Revisit, Step};
use crate::graph::{Event, EventId, EventKey, Execution, Label, ThreadId};
use crate::library;
use crate::model::Model;
use crate::program::{Action, Code, Location, Value};
use std::collections::VecDeque;
use std::sync::Arc;
use words::Chosen;

/// Writes that a read may take, all with the same value.
#[derive(Clone, Debug)]
struct Group {
    writes: Arc<[EventId]>,
    /// The read is a weak compare-and-swap and fails although it need not.
    spurious: bool,
}

/// The read that a call lets take its turn.
#[derive(Clone, Debug)]
struct Turn {
    /// The last event of the graph while no call of it is going on.
    read: EventId,
    groups: Vec<Group>,
    /// How many groups were asked about.
    asked: usize,
    /// Whether the call may end behind it: it has no entry in C.
    first_time: bool,
    /// The backtrack signal, of all its calls so far.
    signal: bool,
}

/// A call that is not over.
#[derive(Clone, Debug)]
struct Call {
    /// The run, extended: the accesses but initial writes, in order.
    run: Arc<[EventId]>,
    /// How many events its graph has.
    len: usize,
    /// C.
    offered: OfferedCounts,
    /// What each thread does next, if anything: reads only.
    next: Vec<Option<Action>>,
    /// The threads whose next read is to take its turn.
    reads: VecDeque<ThreadId>,
    turn: Option<Turn>,
}

/// Whether the graph, with the read whose turn it is, has a run.
enum Answer {
    /// That of the call, with the read at this place.
    Place(usize),
    /// This one.
    Run(Vec<EventId>),
    /// None.
    None,
    /// That was not decided.
    Undecided,
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Threads from the first to before the second perform what is no read.
    Extend(usize, usize),
    /// The error is reported.
    Error(EventId),
    /// The new write signals to the reads that take their turns in the calls from this one on.
    Signal {
        write: EventId,
        call: usize,
    },
    /// So do the operations that are threads' next, from this thread on.
    SignalNext {
        thread: usize,
        call: usize,
    },
    /// The reads of the call are put in order.
    Order,
    /// Threads that wait get their operations, from this one on.
    Wait(usize),
    Fault,
    Execution,
    Duplicate,
    /// Some read takes its turn, or the call is over.
    Turn,
    Group,
    Ask,
    Call,
    Return,
    Offer,
    Prune(EventKey),
    Finish,
    Done,
}

/// RVF-SMC's exploration of one program under SC.
#[derive(Clone, Debug)]
pub struct RvfSmc {
    model: Model,
    options: Options,
    chosen: Chosen,
    /// The events in the order in which they were added: those of a call begin with those of the call that made it.
    grown: GrowingGraph,
    /// By event: the good writes of a read.
    good: Vec<Arc<[EventId]>>,
    none: Arc<[EventId]>,
    /// The run of the call that was made last.
    run: Vec<EventId>,
    calls: Vec<Call>,
    cut: Vec<Event>,
    /// The number of calls around the one that the step belongs to.
    level: Option<usize>,
    phase: Phase,
    tally: Tally,
    /// How many groups were asked about, and how often VerifySC searched.
    asked: u64,
    searches: u64,
    /// The search that a step was paused in.
    search: WitnessSearch,
    #[cfg(test)]
    mutation: Option<Mutation>,
}

/// Ways to get the algorithm wrong, each of which the tests have to notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
enum Mutation {
    /// A call ends behind any read without a signal.
    SignalsForAll,
    /// What a read was offered is forgotten.
    NoCausalMap,
    /// Compare-and-swaps that are next signal to nobody.
    NoSignalsOfNext,
}

impl RvfSmc {
    /// The exploration before its first step.
    ///
    /// # Panics
    /// If the model's machine is not that of SC.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        assert_eq!(Machine::of(model), Some(Machine::Sc), "RVF-SMC is for SC");
        let threads = code.threads.len();
        let grown = GrowingGraph::new(code, options);
        let none: Arc<[EventId]> = Arc::default();
        Self {
            model,
            options,
            chosen: Chosen::of(&options),
            good: vec![Arc::clone(&none); grown.graph.len()],
            none,
            run: Vec::new(),
            calls: vec![Call {
                run: Arc::default(),
                len: grown.graph.len(),
                offered: OfferedCounts::new(threads),
                next: vec![None; threads],
                reads: VecDeque::new(),
                turn: None,
            }],
            grown,
            cut: Vec::new(),
            level: None,
            phase: Phase::Extend(0, threads),
            tally: Tally::default(),
            asked: 0,
            searches: 0,
            search: WitnessSearch::default(),
            #[cfg(test)]
            mutation: None,
        }
    }

    #[cfg(test)]
    fn is_mutated(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    #[cfg(not(test))]
    fn is_mutated(&self, _: Mutation) -> bool {
        false
    }

    /// For how many groups a run was asked for.
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// How often VerifySC searched for that run.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    fn call(&self) -> &Call {
        self.calls.last().expect("a call is going on")
    }

    fn call_mut(&mut self) -> &mut Call {
        self.calls.last_mut().expect("a call is going on")
    }

    fn turn(&self) -> &Turn {
        self.call().turn.as_ref().expect("a read takes its turn")
    }

    fn turn_mut(&mut self) -> &mut Turn {
        self.call_mut().turn.as_mut().expect("a read takes its turn")
    }

    fn thread(thread: usize) -> ThreadId {
        ThreadId(thread as u16)
    }

    /// Performs what some thread does next that is no read; notes the next reads of the others.
    fn extend(&mut self, from: usize, to: usize) -> Option<Step> {
        for thread in from..to {
            let action = self.grown.next_of(thread);
            let reads = action.is_none_or(|action| match action {
                Action::Read { .. } | Action::Update { .. } => true,
                Action::Library { operation, .. } => operation.waits(),
                _ => false,
            });
            if reads {
                self.call_mut().next[thread] = action;
                continue;
            }
            let e = self.grown.add(Self::thread(thread), action?);
            self.good.push(Arc::clone(&self.none));
            let event = self.grown.graph.event(e);
            let key = event.key;
            self.phase = Phase::Extend(thread, to);
            if event.location().is_some() {
                self.run.push(e);
                self.phase = Phase::Signal { write: e, call: 0 };
            } else if matches!(event.label, Label::Error(_)) {
                self.phase = Phase::Error(e);
            }
            return Some(Step::AddEvent { event: key });
        }
        let call = self.calls.last_mut().expect("a call is going on");
        call.run = self.run.as_slice().into();
        call.len = self.grown.graph.len();
        self.phase = Phase::SignalNext { thread: 0, call: 0 };
        None
    }

    /// The threads that the extension of the current call is about: that of the read that it was made for, or all.
    fn extended(&self) -> (usize, usize) {
        match self.calls.len().checked_sub(2).and_then(|at| self.calls[at].turn.as_ref()) {
            Some(turn) => {
                let thread = self.grown.key(turn.read).thread.index();
                (thread, thread + 1)
            }
            None => (0, self.grown.graph.threads()),
        }
    }

    fn extension(&self) -> Phase {
        let (from, to) = self.extended();
        Phase::Extend(from, to)
    }

    /// Whether a write or next operation of a thread tells the read whose turn it is in some call anything new.
    fn signals(&self, turn: &Turn, thread: ThreadId, location: Location, is_next: bool) -> bool {
        let read = self.grown.graph.event(turn.read);
        !turn.signal && read.location() == Some(location) && read.thread() != thread && (!is_next || read.is_write())
    }

    fn signal(&mut self, write: EventId, from: usize) -> Option<Step> {
        let event = *self.grown.graph.event(write);
        let (thread, last) = (event.thread(), self.calls.len() - 1);
        for call in from..last {
            let Some((turn, location)) = self.calls[call].turn.as_ref().zip(event.location()) else { continue };
            if self.signals(turn, thread, location, false) {
                return Some(self.raise(call, event.key, Phase::Signal { write, call: call + 1 }));
            }
        }
        self.phase = Phase::Extend(thread.index(), self.extended().1);
        None
    }

    /// Signals of what is conditional and next: compare-and-swaps, operations that may have to wait.
    fn signal_next(&mut self, from: usize, first: usize) -> Option<Step> {
        let mut first = first;
        for thread in from..self.call().next.len() {
            let next = match self.call().next[thread] {
                Some(Action::Update { location, update, .. }) if update.may_only_read() => Some(location),
                Some(Action::Library { location, .. }) => Some(location),
                _ => None,
            };
            let next = next.filter(|_| !self.is_mutated(Mutation::NoSignalsOfNext));
            let id = Self::thread(thread);
            for call in first..self.calls.len() - 1 {
                let Some((turn, location)) = self.calls[call].turn.as_ref().zip(next) else { continue };
                if self.signals(turn, id, location, true) {
                    let serial = self.grown.graph.thread(id).len() as u32 + 1;
                    let phase = Phase::SignalNext { thread, call: call + 1 };
                    return Some(self.raise(call, EventKey { thread: id, serial }, phase));
                }
            }
            first = 0;
        }
        self.phase = Phase::Order;
        None
    }

    fn raise(&mut self, call: usize, write: EventKey, phase: Phase) -> Step {
        let turn = self.calls[call].turn.as_mut().expect("it was there");
        turn.signal = true;
        let read = turn.read;
        self.phase = phase;
        Step::Signal { read: self.grown.key(read), write }
    }

    /// Whether memory has what an operation that may have to wait asks for.
    fn is_ready(&self, action: Action) -> bool {
        let Action::Library { operation, location } = action else { return true };
        let graph = &self.grown.graph;
        let last = self.run.iter().rev().find(|&&e| graph.event(e).location() == Some(location));
        library::may_follow(operation, last.and_then(|&e| graph.event(e).operation()))
    }

    /// Puts the next reads in order, those without an entry in C first. Without any, the run is over.
    fn order(&mut self) {
        let call = self.call();
        let ready = |thread: &usize| call.next[*thread].is_some_and(|action| self.is_ready(action));
        let (new, old): (Vec<ThreadId>, Vec<ThreadId>) =
            (0..call.next.len()).filter(ready).map(Self::thread).partition(|&thread| call.offered.of(thread).is_none());
        let reads: VecDeque<ThreadId> = new.into_iter().chain(old).collect();
        self.phase = if reads.is_empty() { Phase::Wait(0) } else { Phase::Turn };
        self.call_mut().reads = reads;
    }

    /// Adds the operation of a thread that waits.
    fn wait(&mut self, from: usize) -> Option<Step> {
        for thread in from..self.grown.graph.threads() {
            if let Some(action) = self.call().next[thread] {
                let e = self.grown.add(Self::thread(thread), action);
                self.good.push(Arc::clone(&self.none));
                self.phase = Phase::Wait(thread + 1);
                return Some(Step::Block { read: self.grown.key(e) });
            }
        }
        self.phase = Phase::Fault;
        None
    }

    fn report_error(&mut self, e: EventId) -> Step {
        self.phase = Phase::Extend(self.grown.key(e).thread.index(), self.extended().1);
        if self.options.stop_at_first {
            self.tally.counts.add(ExecutionKind::Erroneous, false);
            self.tally.counts.plain += 1;
            self.phase = Phase::Finish;
        }
        Step::Error { event: self.grown.key(e) }
    }

    fn execution_step(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let GrowingGraph { code, graph, .. } = &self.grown;
        let whole = Whole { code, model: self.model, options: &self.options, graph, co: None };
        let (step, next) = self.tally.execution(whole, budget)?;
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::Return,
        };
        Ok(step)
    }

    /// The next read of the call takes its turn; or the call is over.
    fn begin_turn(&mut self) -> Option<Step> {
        let call = self.call_mut();
        let Some(thread) = call.reads.pop_front() else {
            self.phase = Phase::Return;
            return None;
        };
        let action = call.next[thread.index()]?;
        let first_time = call.offered.of(thread).is_none();
        let read = self.grown.add(thread, action);
        self.good.push(Arc::clone(&self.none));
        self.call_mut().turn = Some(Turn { read, groups: Vec::new(), asked: 0, first_time, signal: false });
        self.phase = Phase::Group;
        self.level = Some(self.calls.len() - 1);
        Some(Step::Turn { read: self.grown.key(read) })
    }

    /// Forms a group of each value that the read may take.
    fn group(&mut self) -> Step {
        let read = self.turn().read;
        let graph = &self.grown.graph;
        let event = graph.event(read);
        let thread = event.thread();
        let (offered, code) = (&self.call().offered, &self.grown.code);
        let is_own = |write: EventId| graph.event(write).thread() == thread;
        let own = graph.thread(thread).iter().rev().copied().find(|&write| {
            write != read && graph.event(write).is_write() && graph.event(write).location() == event.location()
        });
        // What the thread has overwritten itself is out of sight.
        let is_visible = |write: EventId| match own {
            Some(own) => write == own || !graph.event(write).is_init() && !is_own(write),
            None => true,
        };
        let forgets = self.is_mutated(Mutation::NoCausalMap);
        let is_new = |write: EventId| forgets || offered.is_new(thread, graph.event(write).key);
        type Found = ((Option<Value>, bool, Option<EventId>), Vec<EventId>);
        let mut found: Vec<Found> = Vec::new();
        let location = event.location().unwrap_or(Location(0));
        for write in graph.writes(location) {
            if write == read || !is_visible(write) || !is_new(write) || !library::feeds(graph, write, read) {
                continue;
            }
            let source = graph.event(write);
            let nobody_wrote = source.is_init() && event.operation().is_none() && code.is_uninitialised(location);
            let alone = event.operation().is_some().then_some(write);
            let name = (source.value_written, nobody_wrote, alone);
            match found.iter_mut().find(|(other, _)| *other == name) {
                Some((_, writes)) => writes.push(write),
                None => found.push((name, vec![write])),
            }
        }
        let mut groups = Vec::new();
        for (_, writes) in found {
            let may_fail = self.grown.may_fail_spuriously(read, writes[0]);
            let writes: Arc<[EventId]> = writes.into();
            groups.push(Group { writes: Arc::clone(&writes), spurious: false });
            groups.extend(may_fail.then_some(Group { writes, spurious: true }));
        }
        let step = Step::Groups { read: self.grown.key(read), groups: groups.len() as u32 };
        self.turn_mut().groups = groups;
        self.phase = Phase::Ask;
        step
    }

    /// Asks for a run in which the read takes a write of the next group.
    fn ask(&mut self, budget: &mut Budget) -> Result<Option<Step>, Paused> {
        let turn = self.turn();
        let read = turn.read;
        let Some(group) = turn.groups.get(turn.asked).cloned() else {
            self.phase = Phase::Offer;
            return Ok(None);
        };
        budget.count(16 * self.grown.graph.len() as u64)?;
        self.grown.take(read, group.writes[0], group.spurious);
        self.good[read.index()] = Arc::clone(&group.writes);
        let answer = self.answer(read, budget).inspect_err(|_| self.release(read))?;
        self.asked += 1;
        self.turn_mut().asked += 1;
        let (key, first) = (self.grown.key(read), self.grown.key(group.writes[0]));
        match answer {
            Answer::Place(at) => {
                self.run.insert(at, read);
                let source = self.in_memory(at, read);
                self.grown.graph.set_source_only(read, source);
            }
            Answer::Run(run) => {
                self.run = run;
                self.connect();
            }
            Answer::None => {
                self.release(read);
                return Ok(Some(Step::NoWitness { read: key, write: first }));
            }
            Answer::Undecided => {
                self.release(read);
                self.tally.counts.undecided += 1;
                self.turn_mut().signal = true;
                return Ok(Some(Step::WitnessUndecided { read: key, write: first }));
            }
        }
        self.grown.resume(read);
        self.phase = Phase::Call;
        let source = self.grown.graph.source(read).map_or(first, |source| self.grown.key(source));
        Ok(Some(Step::Witness { read: key, write: source }))
    }

    /// Takes its source and its good writes from the read whose turn it is.
    fn release(&mut self, read: EventId) {
        self.good[read.index()] = Arc::clone(&self.none);
        self.grown.release(read);
    }

    /// The write that memory holds at a place of the run, of an event's location.
    fn in_memory(&self, at: usize, e: EventId) -> EventId {
        let graph = &self.grown.graph;
        let location = graph.event(e).location();
        let is_write =
            |write: &&EventId| graph.event(**write).is_write() && graph.event(**write).location() == location;
        let initial = EventId(location.map_or(0, |location| location.0));
        self.run[..at].iter().rev().find(is_write).copied().unwrap_or(initial)
    }

    /// Gives all reads the sources that they have in the run.
    fn connect(&mut self) {
        let mut memory: Vec<EventId> = (0..self.grown.code.initial.len() as u32).map(EventId).collect();
        for &e in &self.run {
            let event = self.grown.graph.event(e);
            let (reads, writes) = (event.is_read(), event.is_write());
            let location = event.location().map_or(0, |location| location.0 as usize);
            if reads {
                self.grown.graph.set_source_only(e, memory[location]);
            }
            if writes {
                memory[location] = e;
            }
        }
    }

    /// Looks for a run in which the read takes one of its good writes, as all others do.
    fn answer(&mut self, read: EventId, budget: &mut Budget) -> Result<Answer, Paused> {
        if self.chosen.guide
            && let Some(at) = self.place(read)
        {
            return Ok(Answer::Place(at));
        }
        let graph = &self.grown.graph;
        budget.count((graph.len() * (16 + graph.len() / 64)) as u64)?;
        let instance = Instance::of_graph(Machine::Sc, graph, &[], |read| &self.good[read.index()]);
        let settings = Settings {
            closure: self.chosen.closure,
            greedy: self.chosen.greedy,
            guide: self.chosen.guide.then(|| guide(&instance, graph.len(), self.run.iter().copied().chain([read]))),
            states: u64::MAX,
            ..Settings::default()
        };
        let findings = self.search.go_on(&instance, &settings, self.options.limits.search, budget)?;
        self.searches += 1;
        Ok(match findings.found {
            Found::Order { order, .. } => {
                let mut events: Vec<EventId> = order.iter().map(|&n| instance.node(n).event).collect();
                events.dedup();
                Answer::Run(events)
            }
            Found::Flaw(_) | Found::NoClosure(_) | Found::Nothing { .. } => Answer::None,
            Found::Bounded => Answer::Undecided,
        })
    }

    /// The last place in the run at which the read finds a good write, and takes no source away by what it writes.
    fn place(&self, read: EventId) -> Option<usize> {
        let graph = &self.grown.graph;
        let (event, good) = (graph.event(read), &self.good[read.index()]);
        let location = event.location()?;
        let is_free = |end: usize| {
            let overwrites = |&e: &EventId| !graph.event(e).is_read();
            !event.is_write() || self.run.get(end).is_none_or(overwrites)
        };
        // Right in front of the next write, where memory still holds the one before.
        let mut end = self.run.len();
        for (at, &e) in self.run.iter().enumerate().rev() {
            let other = graph.event(e);
            if other.is_write() && other.location() == Some(location) {
                if good.contains(&e) && is_free(end) {
                    return Some(end);
                }
                end = at;
            }
            // Its own thread's events stay in front of it.
            if other.thread() == event.thread() {
                let source = self.in_memory(at + 1, read);
                return (end > at && good.contains(&source) && is_free(end)).then_some(end);
            }
        }
        (good.contains(&EventId(location.0)) && is_free(end)).then_some(end)
    }

    /// A call goes on from the run that was found.
    fn begin_call(&mut self) -> Step {
        let Call { offered, next, turn, .. } = self.call();
        let turn = turn.as_ref().expect("a read takes its turn");
        let (mut offered, next) = (offered.clone(), next.clone());
        let (read, spurious) = (turn.read, turn.groups[turn.asked - 1].spurious);
        let key = self.grown.key(read);
        let source = self.grown.graph.source(read).expect("it has just taken one");
        offered.go_on(key.thread);
        self.calls.push(Call { run: Arc::default(), len: 0, offered, next, reads: VecDeque::new(), turn: None });
        self.tally.counts.revisits += 1;
        // What a read-modify-write writes is new, too.
        self.phase = if self.grown.graph.event(read).is_write() {
            Phase::Signal { write: read, call: 0 }
        } else {
            self.extension()
        };
        self.level = Some(self.calls.len() - 2);
        Step::Call { read: key, write: self.grown.key(source), spurious }
    }

    /// The call is over, and the one that made it goes on.
    fn return_call(&mut self) -> Step {
        self.calls.pop();
        let Some(Call { run, turn: Some(turn), .. }) = self.calls.last() else {
            self.phase = Phase::Done;
            return Step::Done;
        };
        let read = turn.read;
        self.run.clear();
        self.run.extend_from_slice(run);
        self.take_back(read.index() + 1);
        self.release(read);
        self.connect();
        self.phase = Phase::Ask;
        self.level = Some(self.calls.len() - 1);
        Step::Return { read: self.grown.key(read) }
    }

    fn take_back(&mut self, len: usize) {
        self.cut = self.grown.truncate(len);
        self.good.truncate(len);
    }

    /// Notes that the read was offered all that is there, and takes it back.
    fn offer(&mut self) -> Step {
        let turn = self.call_mut().turn.take().expect("a read takes its turn");
        let key = self.grown.key(turn.read);
        self.take_back(turn.read.index());
        let graph = &self.grown.graph;
        let counts = (0..graph.threads()).map(|thread| graph.thread(Self::thread(thread)).len() as u32).collect();
        let first_time = turn.first_time || self.is_mutated(Mutation::SignalsForAll);
        let call = self.calls.last_mut().expect("a call is going on");
        call.offered.offer(key.thread, counts);
        let ends = self.chosen.signals && first_time && !turn.signal && !call.reads.is_empty();
        self.phase = if ends { Phase::Prune(key) } else { Phase::Turn };
        Step::Offer { read: key }
    }

    fn advance_phase(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        loop {
            let step = match self.phase {
                Phase::Extend(from, to) => self.extend(from, to),
                Phase::Error(e) => Some(self.report_error(e)),
                Phase::Signal { write, call } => self.signal(write, call),
                Phase::SignalNext { thread, call } => self.signal_next(thread, call),
                Phase::Order => {
                    self.order();
                    None
                }
                Phase::Wait(from) => self.wait(from),
                Phase::Fault => {
                    self.phase = Phase::Execution;
                    self.tally.fault(&self.grown.code, self.model, self.options, &self.grown.graph)
                }
                Phase::Execution => Some(self.execution_step(budget)?),
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::Return;
                    Some(Step::Duplicate)
                }
                Phase::Turn => self.begin_turn(),
                Phase::Group => Some(self.group()),
                Phase::Ask => self.ask(budget)?,
                Phase::Call => Some(self.begin_call()),
                Phase::Return => Some(self.return_call()),
                Phase::Offer => Some(self.offer()),
                Phase::Prune(read) => {
                    self.phase = Phase::Return;
                    Some(Step::Prune { read })
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

    /// What a call forbids the next read of a thread: the last event of each thread that it was offered.
    fn forbidden(call: &Call, thread: ThreadId) -> Vec<Proposed> {
        let counts = (0..).zip(call.offered.of(thread).unwrap_or_default());
        let last = counts.filter(|(_, count)| **count > 0);
        let named = last.map(|(thread, &serial)| Proposed {
            write: EventKey { thread: ThreadId(thread), serial },
            spurious: false,
            keeps: Vec::new(),
            waits: None,
        });
        named.collect()
    }
}

/// A run as an order of nodes.
fn guide(instance: &Instance, events: usize, run: impl Iterator<Item = EventId>) -> Vec<NodeId> {
    let mut nodes = vec![Vec::new(); events];
    for n in instance.ids() {
        nodes[instance.node(n).event.index()].push(n);
    }
    run.flat_map(|e| std::mem::take(&mut nodes[e.index()])).collect()
}

impl Explorer for RvfSmc {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if matches!(self.phase, Phase::Done) {
            return Ok(Step::Done);
        }
        budget.count(self.grown.graph.len() as u64)?;
        // A step that is paused leaves what the step before shows.
        let shown = (std::mem::take(&mut self.cut), self.level.take());
        let step = self.advance_phase(budget).inspect_err(|_| (self.cut, self.level) = shown)?;
        self.tally.counts.steps += 1;
        Ok(step)
    }

    fn execution(&self) -> &Execution {
        &self.grown.graph
    }

    fn cut(&self) -> &[Event] {
        &self.cut
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.grown.registers()
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    /// A row for each read that has its good writes, or takes its turn; and for those that are next and have an entry in C. Where
    /// the causal map forbids writes, the last event of each thread stands for all up to it.
    fn pending(&self) -> Vec<PendingRead> {
        let key = |e: EventId| self.grown.key(e);
        let rows = self.calls.iter().filter_map(|call| {
            let turn = call.turn.as_ref()?;
            let groups = if self.good[turn.read.index()].is_empty() {
                &turn.groups[turn.asked..]
            } else {
                &turn.groups[turn.asked - 1..turn.asked]
            };
            let option = |write: &EventId, spurious| Revisit {
                write: Some(key(*write)),
                direction: Direction::Forward,
                spurious,
                prefix: Arc::default(),
            };
            // The next one is the last one.
            let options = groups.iter().rev().flat_map(|group| {
                group.writes.iter().rev().map(|write| option(write, group.spurious)).collect::<Vec<_>>()
            });
            Some(PendingRead {
                read: key(turn.read),
                revisitable: turn.signal,
                options: options.collect(),
                explored: Self::forbidden(call, key(turn.read).thread),
            })
        });
        let last = self.calls.last();
        let open = last.into_iter().flat_map(|call| {
            let threads = (0..call.next.len()).map(Self::thread).filter(|&thread| {
                call.next[thread.index()].is_some()
                    && call.offered.of(thread).is_some()
                    && call.turn.as_ref().is_none_or(|turn| key(turn.read).thread != thread)
            });
            threads.map(|thread| PendingRead {
                read: EventKey { thread, serial: self.grown.graph.thread(thread).len() as u32 + 1 },
                revisitable: false,
                options: Vec::new(),
                explored: Self::forbidden(call, thread),
            })
        });
        rows.chain(open).collect()
    }

    fn level(&self) -> Option<usize> {
        self.level
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.grown.graph.len() + self.calls.iter().map(|call| 4 + call.run.len() + call.next.len()).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
