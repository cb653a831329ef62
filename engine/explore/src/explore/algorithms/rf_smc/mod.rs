//! RF-SMC: one run of the machine for each reads-from class.
//!
//! After Bui, Chatterjee, Gautam, Pavlogiannis, Toman: *The Reads-From Equivalence for the TSO and PSO Memory Models*,
//! OOPSLA 2021, and §5.3 of Toman, *Improved Verification Techniques for Concurrent Systems* (2021), Algorithm 5.3. For SC, TSO
//! and PSO. A call begins with some events of which a run is known, and extends that run until no thread can go on: an
//! execution. Then, for each read that may still change, it looks at each other write that the read could take: everything
//! before the read stays, so does what comes before the write in porf (its causal past), and all else is taken back. If
//! VerifySC, VerifyTSO or VerifyPSO finds a run of what is left, that is a **schedule**, kept with the read and explored
//! later, last read first. Reads that a schedule keeps behind the changed one are **marked**: they do not change below it. So
//! every consistent execution is found by exactly one call.
//!
//! Deviations from print, which says little of read-modify-writes and locks and loses executions with them:
//!
//! - A read-modify-write is one event. One that reads what another wrote can also **change places** with it: it takes
//!   the other's source, and the other takes its write.
//! - Schedules of a read are told apart by their events and sources, not by the order of their events, and the call that
//!   adds the read counts as one. So a write that was there before need not be left out by a rule of its own, which would
//!   lose executions with read-modify-writes.
//! - Operations on a mutex or channel take turns in one chain. What changes is who comes next: another operation, even one that
//!   waits, **overtakes** the one that took the object over from a source; that one is taken back, and comes later.
//! - Runs are extended as the SC machine would, left-most thread first: any extension will do.
//!
//! In print, an acquire is a read like others, which never lets a second critical section come first. That is why operations
//! overtake one another here.

mod pseudo_code;
pub(super) mod words;

use crate::budget::{Budget, Paused};
use crate::consistency::{Found, Instance, Machine, Node, Settings, WitnessSearch};
use crate::explore::growing::GrowingGraph;
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Direction, Explorer, Options, PendingRead, Proposed, Revisit, Step};
use crate::graph::{Event, EventId, EventKey, EventSet, Execution, Label, ThreadId};
use crate::library;
use crate::model::Model;
use crate::program::{Action, Code, Value};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::sync::Arc;

/// Events in the order of a schedule, each with its source.
type Events = Arc<[(Event, Option<EventKey>)]>;

/// What tells schedules of one read apart: their events and the sources of these, by name.
type Canonical = Vec<(EventKey, Option<EventKey>, bool)>;

/// A part of an execution, with a run, that is to be extended.
#[derive(Clone, Debug)]
struct Schedule {
    events: Events,
    /// The reads that do not change below it.
    marked: Arc<FxHashSet<EventKey>>,
    /// The write that memory holds at the end of the run, by location.
    memory: Arc<[EventKey]>,
    change: Change,
}

/// What a schedule changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    /// The read that it is kept with.
    read: EventKey,
    kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeKind {
    /// The read takes this write; or it is a weak compare-and-swap and fails although it need not.
    Source { write: EventKey, spurious: bool },
    /// This read-modify-write takes the read's source, and the read takes its write.
    Swap { with: EventKey },
    /// This operation takes the object over instead of the read, which is taken back.
    Overtake { by: EventKey },
}

/// What comes of the search for a run of a graph.
enum Run {
    /// There is one, with this memory at its end: by location, the write.
    Ends(Vec<EventId>),
    /// There is none.
    None,
    /// That was not decided.
    Undecided,
}

/// A read of some call's extension, with its schedules.
#[derive(Clone, Debug)]
struct Entry {
    read: EventKey,
    /// Those to explore, the next one last.
    schedules: Vec<Schedule>,
    /// All there ever were, and the call's own.
    seen: FxHashSet<Canonical>,
    /// What the schedules changed, in the order in which they were found.
    found: Vec<Change>,
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The run is extended.
    Extend,
    /// A read gets its source.
    Source(EventId),
    /// The threads that wait get their operations.
    Wait,
    /// Error events are reported, from this index on.
    Errors(usize),
    Race,
    Execution,
    Duplicate,
    /// What the reads may change to is listed, from this event on.
    List(usize),
    /// Changes are looked at.
    Change,
    Take,
    Finish,
    Done,
}

/// RF-SMC's exploration of one program under SC, TSO or PSO.
#[derive(Clone, Debug)]
pub struct RfSmc {
    model: Model,
    machine: Machine,
    options: Options,
    grown: GrowingGraph,
    /// The write that memory holds, by location.
    memory: Vec<EventId>,
    /// Marked reads of the current call.
    marked: Arc<FxHashSet<EventKey>>,
    /// How many events the current call began with.
    kept: usize,
    /// The calls that are not over: the reads of their extensions, last one first to explore.
    calls: Vec<Vec<Entry>>,
    /// What to look at before the current call goes on.
    changes: VecDeque<Change>,
    cut: Vec<Event>,
    /// The events that the step just made keeps behind a read.
    prefix: Vec<EventId>,
    phase: Phase,
    tally: Tally,
    /// How often a run was looked for.
    queries: u64,
    /// The search that a step was paused in.
    search: WitnessSearch,
}

impl RfSmc {
    /// The exploration before its first step.
    ///
    /// # Panics
    /// If the model has no machine; [`Options::validate_for`] says which have.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        let memory = (0..code.initial.len() as u32).map(EventId).collect();
        let grown = GrowingGraph::new(code, options);
        let kept = grown.graph.len();
        Self {
            model,
            machine: Machine::of(model).expect("RF-SMC is for models with a machine"),
            options,
            grown,
            memory,
            marked: Arc::default(),
            kept,
            calls: vec![Vec::new()],
            changes: VecDeque::new(),
            cut: Vec::new(),
            prefix: Vec::new(),
            phase: Phase::Extend,
            tally: Tally::default(),
            queries: 0,
            search: WitnessSearch::default(),
        }
    }

    /// How often a run of a part of an execution was looked for.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// Performs the next event of the left-most thread that can go on.
    fn extend(&mut self) -> Option<Step> {
        for thread in 0..self.grown.graph.threads() {
            let Some(action) = self.grown.next_of(thread) else { continue };
            if let Action::Library { operation, location } = action
                && operation.waits()
                && !library::may_follow(operation, self.in_memory(location.0 as usize).operation())
            {
                continue;
            }
            let e = self.grown.add(ThreadId(thread as u16), action);
            let event = self.grown.graph.event(e);
            let key = event.key;
            if event.is_read() {
                self.phase = Phase::Source(e);
            } else if event.is_write()
                && let Some(location) = event.location()
            {
                self.memory[location.0 as usize] = e;
            }
            return Some(Step::AddEvent { event: key });
        }
        self.phase = Phase::Wait;
        None
    }

    fn in_memory(&self, location: usize) -> &Event {
        self.grown.graph.event(self.memory[location])
    }

    fn choose_source(&mut self, read: EventId) -> Step {
        let location = self.grown.graph.event(read).location().map_or(0, |location| location.0 as usize);
        let write = self.memory[location];
        self.grown.take(read, write, false);
        self.grown.resume(read);
        let event = *self.grown.graph.event(read);
        if event.is_write() {
            self.memory[location] = read;
        }
        let call = self.calls.last_mut().expect("a call is going on");
        let entry = Entry { read: event.key, schedules: Vec::new(), seen: FxHashSet::default(), found: Vec::new() };
        call.push(entry);
        self.phase = Phase::Extend;
        Step::ChooseSource { read: event.key, write: self.grown.key(write) }
    }

    /// Adds the operation of a thread that waits.
    fn wait(&mut self) -> Option<Step> {
        for thread in 0..self.grown.graph.threads() {
            if let Some(action) = self.grown.next_of(thread) {
                let e = self.grown.add(ThreadId(thread as u16), action);
                self.grown.resume(e);
                return Some(Step::Block { read: self.grown.key(e) });
            }
        }
        self.phase = Phase::Errors(0);
        None
    }

    fn report_error(&mut self, from: usize) -> Option<Step> {
        let mut events = self.grown.graph.events().skip(from.max(self.kept));
        let error = events.find(|(_, event)| matches!(event.label, Label::Error(_))).map(|(e, event)| (e, event.key));
        let Some((e, event)) = error else {
            self.phase = Phase::Race;
            return None;
        };
        self.phase = Phase::Errors(e.index() + 1);
        Some(Step::Error { event })
    }

    fn execution_step(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let GrowingGraph { code, graph, .. } = &self.grown;
        let whole = Whole { code, model: self.model, options: &self.options, graph, co: None };
        let (step, next) = self.tally.execution(whole, budget)?;
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::List(0),
        };
        Ok(step)
    }

    /// Notes what the reads that may change could change to, in the order of the events.
    fn list(&mut self, from: usize, budget: &mut Budget) -> Result<(), Paused> {
        for at in from..self.grown.graph.len() {
            self.phase = Phase::List(at);
            let changes = self.changes_of(EventId(at as u32), budget)?;
            self.changes.extend(changes);
        }
        self.phase = Phase::Change;
        Ok(())
    }

    fn changes_of(&self, read: EventId, budget: &mut Budget) -> Result<Vec<Change>, Paused> {
        let graph = &self.grown.graph;
        let event = graph.event(read);
        let Some(source) = graph.source(read) else { return Ok(Vec::new()) };
        if self.marked.contains(&event.key) {
            return Ok(Vec::new());
        }
        // Each of what it could change to is asked for its past.
        let others = graph.events().filter(|(_, other)| other.location() == event.location()).count();
        budget.count((graph.len() * (1 + others)) as u64)?;
        let mut changes = Vec::new();
        let mut change = |kind| changes.push(Change { read: event.key, kind });
        if event.operation().is_some() {
            let rivals = graph.events().filter(|(e, other)| {
                *e != read
                    && other.is_read()
                    && other.location() == event.location()
                    && other.thread() != event.thread()
                    && library::feeds(graph, source, *e)
                    && !self.past(*e, &[read, *e]).contains(read)
            });
            rivals.for_each(|(_, other)| change(ChangeKind::Overtake { by: other.key }));
            return Ok(changes);
        }
        let Some(location) = event.location() else { return Ok(changes) };
        for write in graph.writes(location).filter(|write| *write != read) {
            let name = graph.event(write).key;
            if !self.past(write, &[read]).contains(read) {
                let succeeds = (false, write != source || event.fails_spuriously());
                let may_fail = self.grown.may_fail_spuriously(read, write);
                let fails = (true, may_fail && (write != source || !event.fails_spuriously()));
                for (spurious, _) in [succeeds, fails].into_iter().filter(|(_, wanted)| *wanted) {
                    change(ChangeKind::Source { write: name, spurious });
                }
            }
        }
        // One that could have come first; a compare-and-swap that failed may succeed then.
        let is_rival = |(e, other): &(EventId, &Event)| {
            matches!(other.label, Label::Update { .. })
                && graph.source(*e) == Some(read)
                && !self.past(*e, &[read, *e]).contains(read)
        };
        graph.events().filter(is_rival).for_each(|(_, other)| change(ChangeKind::Swap { with: other.key }));
        Ok(changes)
    }

    /// An event with all that comes before it in porf, the rf edges to some reads left out. Linear in the graph.
    fn past(&self, e: EventId, without: &[EventId]) -> EventSet {
        let graph = &self.grown.graph;
        let mut past = EventSet::new(graph.len());
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            if !past.insert(e) {
                continue;
            }
            if !without.contains(&e) {
                work.extend(graph.source(e));
            }
            let EventKey { thread, serial } = graph.event(e).key;
            if !thread.is_init() && serial > 1 {
                work.push(graph.thread(thread)[serial as usize - 2]);
            }
        }
        past
    }

    /// The events that a change keeps, changed as it says; those behind the read, which are marked; and what tells the
    /// schedule apart. `None` if a read would lose its source.
    fn changed(&self, change: Change) -> Option<(Execution, FxHashSet<EventKey>)> {
        let graph = &self.grown.graph;
        let read = graph.find(change.read)?;
        let source = graph.source(read)?;
        let (past, stays) = match change.kind {
            ChangeKind::Source { write, .. } => (vec![self.past(graph.find(write)?, &[read])], true),
            // The source that another takes over may stand behind the read, from an earlier change.
            ChangeKind::Swap { with } => {
                let with = graph.find(with)?;
                (vec![self.past(with, &[read, with]), self.past(source, &[])], true)
            }
            ChangeKind::Overtake { by } => {
                let by = graph.find(by)?;
                (vec![self.past(by, &[by]), self.past(source, &[])], false)
            }
        };
        let past = |e: EventId| past.iter().any(|past| past.contains(e));
        let keep = EventSet::from_fn(graph.len(), |e| e < read || e == read && stays || e > read && past(e));
        let mut kept = graph.restrict(&keep);
        let key = |e: EventId| graph.event(e).key;
        let mut marked: FxHashSet<EventKey> = keep
            .iter()
            .filter(|&e| graph.source(e).is_some() && (e > read || self.marked.contains(&key(e))))
            .map(key)
            .collect();
        let source = kept.find(key(source))?;
        match change.kind {
            ChangeKind::Source { write, spurious } => {
                let (read, write) = (kept.find(change.read)?, kept.find(write)?);
                kept.set_source(read, write);
                if spurious {
                    kept.fail_spuriously(read);
                }
            }
            ChangeKind::Swap { with } => {
                let (read, with) = (kept.find(change.read)?, kept.find(with)?);
                kept.set_source(with, source);
                if !kept.event(with).is_write() {
                    return None;
                }
                kept.set_source(read, with);
            }
            ChangeKind::Overtake { by } => {
                marked.insert(by);
                kept.set_source(kept.find(by)?, source);
            }
        }
        let lost = keep
            .iter()
            .any(|e| graph.source(e).is_some() && kept.find(key(e)).is_some_and(|e| kept.source(e).is_none()));
        (!lost).then_some((kept, marked))
    }

    /// Looks at the next change; no step if it is one that was looked at in the same place before.
    fn look(&mut self, budget: &mut Budget) -> Result<Option<Step>, Paused> {
        let Some(&change) = self.changes.front() else {
            self.phase = Phase::Take;
            return Ok(None);
        };
        // What is kept is copied and named, also where that comes to nothing.
        budget.count(64 * self.grown.graph.len() as u64)?;
        self.seed(change.read);
        let Some((kept, marked)) = self.changed(change) else {
            self.changes.pop_front();
            return Ok(None);
        };
        let (read, write) = (change.read, self.write_of(change));
        let name = canonical(&kept);
        let is_old = |key: EventKey| self.grown.graph.find(key).is_none_or(|e| e.index() < self.kept);
        let is_known = is_old(read) && is_old(write);
        if self.entry(read).seen.contains(&name) {
            self.changes.pop_front();
            self.show(change);
            // In print, a read that was there before is not offered the writes that were.
            return Ok((!is_known).then_some(Step::AlreadyScheduled { read, write }));
        }
        let answer = self.run_of(&kept, budget)?;
        self.changes.pop_front();
        self.queries += 1;
        self.show(change);
        self.entry(read).seen.insert(name);
        let memory = match answer {
            Run::Ends(memory) => memory,
            Run::None => return Ok(Some(Step::NoWitness { read, write })),
            Run::Undecided => {
                self.tally.counts.undecided += 1;
                return Ok(Some(Step::WitnessUndecided { read, write }));
            }
        };
        let named = kept.ids().filter(|&e| !kept.event(e).is_init());
        let events = named.map(|e| (*kept.event(e), kept.source(e).map(|w| kept.event(w).key))).collect();
        let memory = memory.into_iter().map(|e| kept.event(e).key).collect();
        let entry = self.entry(read);
        entry.schedules.push(Schedule { events, marked: Arc::new(marked), memory, change });
        entry.found.push(change);
        let spurious = matches!(change.kind, ChangeKind::Source { spurious: true, .. });
        Ok(Some(Step::Schedule { read, write, spurious }))
    }

    /// The write, or other operation, of a change.
    fn write_of(&self, change: Change) -> EventKey {
        match change.kind {
            ChangeKind::Source { write, .. } => write,
            ChangeKind::Swap { with } => with,
            ChangeKind::Overtake { by } => by,
        }
    }

    /// Notes what a change keeps behind the read, for who looks at the step.
    fn show(&mut self, change: Change) {
        let graph = &self.grown.graph;
        let Some((read, write)) = graph.find(change.read).zip(graph.find(self.write_of(change))) else { return };
        let past = self.past(write, &[read, write]);
        self.prefix = past.iter().filter(|&e| e > read).collect();
    }

    /// The entry of a read that may change: it is in the extension of this call or of one that it was made by.
    fn entry(&mut self, read: EventKey) -> &mut Entry {
        let entries = self.calls.iter_mut().rev().flatten();
        entries.into_iter().find(|entry| entry.read == read).expect("a read that is not marked has an entry")
    }

    /// Lets the call's own choice for a read count as a schedule.
    fn seed(&mut self, read: EventKey) {
        if !self.entry(read).seen.is_empty() {
            return;
        }
        let graph = &self.grown.graph;
        let Some(read_at) = graph.find(read) else { return };
        let is_operation = graph.event(read_at).operation().is_some();
        let keep = EventSet::from_fn(graph.len(), |e| e <= read_at);
        let name = canonical(&graph.restrict(&keep));
        // Of operations, schedules leave the read out: none has this name, which is right.
        debug_assert!(is_operation || name.iter().any(|(key, ..)| *key == read));
        self.entry(read).seen.insert(name);
    }

    /// Looks for a run of a graph.
    fn run_of(&mut self, graph: &Execution, budget: &mut Budget) -> Result<Run, Paused> {
        budget.count((graph.len() * (16 + graph.len() / 64)) as u64)?;
        let sources: Vec<Vec<EventId>> = graph.ids().map(|e| graph.source(e).into_iter().collect()).collect();
        let instance = Instance::of_graph(self.machine, graph, &[], |read| &sources[read.index()]);
        let settings = Settings { states: u64::MAX, ..Settings::default() };
        let limit = self.options.limits.search;
        let order = match self.search.go_on(&instance, &settings, limit, budget)?.found {
            Found::Order { order, .. } => order,
            Found::Bounded => return Ok(Run::Undecided),
            Found::Flaw(_) | Found::NoClosure(_) | Found::Nothing { .. } => return Ok(Run::None),
        };
        let mut memory: Vec<EventId> = instance.writes.iter().map(|writes| instance.node(writes[0]).event).collect();
        for node in order.iter().map(|&n| instance.node(n)).filter(|node| node.is_in_memory()) {
            let Node { event, location, .. } = *node;
            memory[location.map_or(0, |location| location.0 as usize)] = event;
        }
        Ok(Run::Ends(memory))
    }

    /// Goes on with the next schedule: of the last call with any, the last read with any.
    fn take(&mut self) -> Step {
        while let Some(call) = self.calls.last_mut() {
            while let Some(entry) = call.last_mut() {
                if let Some(schedule) = entry.schedules.pop() {
                    return self.begin(&schedule);
                }
                call.pop();
            }
            self.calls.pop();
        }
        self.phase = Phase::Done;
        Step::Done
    }

    fn begin(&mut self, schedule: &Schedule) -> Step {
        let names: FxHashSet<EventKey> = schedule.events.iter().map(|(event, _)| event.key).collect();
        let gone = self.grown.graph.events().filter(|(_, event)| !event.is_init() && !names.contains(&event.key));
        self.cut = gone.map(|(_, event)| *event).collect();
        self.grown = self.grown.rebuild(&schedule.events);
        let find = |key: &EventKey| self.grown.graph.find(*key).expect("memory holds what was written");
        self.memory = schedule.memory.iter().map(find).collect();
        self.marked = Arc::clone(&schedule.marked);
        self.kept = self.grown.graph.len();
        self.calls.push(Vec::new());
        self.tally.counts.revisits += 1;
        self.phase = Phase::Extend;
        let Change { read, kind } = schedule.change;
        let spurious = matches!(kind, ChangeKind::Source { spurious: true, .. });
        let write = self.write_of(schedule.change);
        let behind = self.grown.graph.find(read).unwrap_or(EventId(u32::MAX));
        self.prefix = self.grown.graph.ids().filter(|&e| e > behind).collect();
        Step::TakeSchedule { read, write, spurious }
    }

    fn advance_phase(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        loop {
            let step = match self.phase {
                Phase::Extend => self.extend(),
                Phase::Source(read) => Some(self.choose_source(read)),
                Phase::Wait => self.wait(),
                Phase::Errors(from) => self.report_error(from),
                Phase::Race => {
                    self.phase = Phase::Execution;
                    self.tally.fault(&self.grown.code, self.model, self.options, &self.grown.graph)
                }
                Phase::Execution => Some(self.execution_step(budget)?),
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::List(0);
                    Some(Step::Duplicate)
                }
                Phase::List(from) => {
                    self.list(from, budget)?;
                    None
                }
                Phase::Change => self.look(budget)?,
                Phase::Take => Some(self.take()),
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

/// The events and sources of a graph by thread, whatever order they were added in.
fn canonical(graph: &Execution) -> Canonical {
    let threads = (0..graph.threads()).flat_map(|thread| graph.thread(ThreadId(thread as u16)));
    let named = threads.map(|&e| {
        let event = graph.event(e);
        (event.key, graph.source(e).map(|w| graph.event(w).key), event.fails_spuriously())
    });
    named.collect()
}

impl Explorer for RfSmc {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if matches!(self.phase, Phase::Done) {
            return Ok(Step::Done);
        }
        budget.count(self.grown.graph.len() as u64)?;
        // A step that is paused leaves what the step before shows.
        let shown = (std::mem::take(&mut self.cut), std::mem::take(&mut self.prefix));
        let step = self.advance_phase(budget).inspect_err(|_| (self.cut, self.prefix) = shown)?;
        self.tally.counts.steps += 1;
        Ok(step)
    }
    fn execution(&self) -> &Execution {
        &self.grown.graph
    }

    fn cut(&self) -> &[Event] {
        &self.cut
    }

    fn prefix(&self) -> Vec<EventId> {
        self.prefix.clone()
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.grown.registers()
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    /// The reads of the graph: which are marked, the schedules that wait, and all there were.
    fn pending(&self) -> Vec<PendingRead> {
        let graph = &self.grown.graph;
        let reads = graph.events().filter(|(e, event)| event.is_read() && graph.source(*e).is_some());
        let option = |schedule: &Schedule| Revisit {
            write: Some(self.write_of(schedule.change)),
            direction: Direction::Schedule,
            spurious: matches!(schedule.change.kind, ChangeKind::Source { spurious: true, .. }),
            prefix: schedule.events.clone(),
        };
        let pending = reads.map(|(_, event)| {
            let entry = self.calls.iter().rev().flatten().find(|entry| entry.read == event.key);
            let entry = entry.filter(|_| !self.marked.contains(&event.key));
            let options: Vec<Revisit> =
                entry.map_or_else(Vec::new, |entry| entry.schedules.iter().map(option).collect());
            let explored = entry.map_or_else(Vec::new, |entry| {
                let proposed = |change: &Change| Proposed {
                    write: self.write_of(*change),
                    spurious: matches!(change.kind, ChangeKind::Source { spurious: true, .. }),
                    keeps: Vec::new(),
                    waits: entry.schedules.iter().position(|schedule| schedule.change == *change),
                };
                entry.found.iter().map(proposed).collect()
            });
            PendingRead { read: event.key, revisitable: entry.is_some(), options, explored }
        });
        pending.collect()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        let schedules = self.calls.iter().flatten().map(|entry| 1 + entry.schedules.len() + entry.seen.len());
        self.grown.graph.len() + schedules.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explorer(model: Model, text: &str) -> RfSmc {
        let program = crate::syntax::parse(text).expect("a program").program;
        RfSmc::new(Arc::new(Code::compile(&program).expect("it compiles")), model, Options::default())
    }

    fn executions(model: Model, text: &str) -> u64 {
        let mut explorer = explorer(model, text);
        while explorer.advance() != Step::Done {}
        let counts = explorer.counts();
        assert_eq!(counts.duplicates, 0, "{text} under {model}");
        // Each call but the first takes a schedule, and finds one execution.
        assert_eq!(counts.revisits + 1, counts.executions(), "{text} under {model}");
        counts.executions()
    }

    /// The run of the thesis' Figure 5.8: executions in the order A, C, B, D, where D comes of B, and three questions for a
    /// run.
    #[test]
    fn store_buffering_is_explored_as_in_print() {
        for model in [Model::TSO, Model::PSO] {
            let mut explorer = explorer(model, "x := 1; a := y || y := 1; b := x");
            let key = |thread: u16, serial: u32| EventKey { thread: ThreadId(thread), serial };
            let (first, second) = (key(0, 2), key(1, 2));
            let (mut reads, mut scheduled) = (Vec::new(), Vec::new());
            loop {
                match explorer.advance() {
                    Step::Done => break,
                    Step::Schedule { read, .. } => scheduled.push((explorer.counts().executions(), read)),
                    Step::Execution { .. } => {
                        let graph = explorer.execution();
                        let value = |read: EventKey| graph.find(read).and_then(|read| graph.event(read).value_read);
                        reads.push((value(first), value(second)));
                    }
                    _ => {}
                }
            }
            let of = |a: Value, b: Value| (Some(a), Some(b));
            assert_eq!(reads, [of(0, 1), of(0, 0), of(1, 1), of(1, 0)], "{model}");
            // Both others of A's reads, and of B's the second.
            assert_eq!(scheduled, [(1, first), (1, second), (3, second)], "{model}");
            assert_eq!(explorer.queries(), 3, "{model}");
        }
    }

    /// Classes under SC, TSO and PSO.
    #[test]
    fn classes_are_as_many_as_counted_by_hand() {
        let table: [(&str, [u64; 3]); 20] = [
            ("x := 1; a := y || y := 1; b := x", [3, 4, 4]),
            ("x := 1; fence sc; a := y || y := 1; fence sc; b := x", [3, 3, 3]),
            ("x := 1; fence sc; a := y || y := 1; b := x", [3, 4, 4]),
            ("x := 1; y := 1 || a := y; b := x", [3, 3, 4]),
            ("x := 1; fence sc; y := 1 || a := y; b := x", [3, 3, 3]),
            ("a := x; y := 1 || b := y; x := 1", [3, 3, 3]),
            ("x := 1 || y := 1 || a := x; b := y || c := y; d := x", [15, 15, 15]),
            ("x := 1 || a := x; y := 1 || b := y; c := x", [7, 7, 7]),
            ("x := 1; y := 1 || a := y; z := 1 || b := z; c := x", [7, 7, 8]),
            ("x := 1; a := y || y := 1; b := z || z := 1; c := x", [7, 8, 8]),
            ("x := 1 || a := x; b := x", [3, 3, 3]),
            ("x := 1; a := x; b := y || y := 1; x := 2", [3, 3, 4]),
            ("x := 1; a := x; b := y || y := 1; c := y; d := x", [3, 4, 4]),
            ("x := 1; y := 1 || x := 1; y := 1; a := x || x := 1; y := 1; b := y", [9, 9, 9]),
            ("fai(x) || fai(x)", [2, 2, 2]),
            ("fai(x) || fai(x) || fai(x)", [6, 6, 6]),
            ("a := x; fai(x) || fai(x)", [3, 3, 3]),
            ("fai(x); a := x || fai(x) || fai(x)", [12, 12, 12]),
            ("cas(x, 0, 1) || cas(x, 0, 2)", [2, 2, 2]),
            // The same source for two operations would be none.
            ("lock m; x := 1; unlock m || lock m; a := x; unlock m || lock m; x := 2; unlock m", [6, 6, 6]),
        ];
        for (text, classes) in table {
            for (model, expected) in [Model::SC, Model::TSO, Model::PSO].into_iter().zip(classes) {
                assert_eq!(executions(model, text), expected, "{text} under {model}");
            }
        }
    }
}
