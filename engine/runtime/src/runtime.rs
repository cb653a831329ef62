// Threads that keep to a schedule. This file is all of the runtime and needs nothing but the standard library: it can
// be a module of any program. What it is for, and how it works, is at the head of the crate `litmoscope-runtime`.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::{Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{error, fmt, hint, thread};

// ---- Schedules, as they are written down ----------------------------------------------------------------------------

/// A program schedule: a graph whose edges are sections. It is plain data, so that it can be a `static`.
///
/// A run begins at the node `start`, goes along one edge after the other, and performs the events of each. All events
/// of one section come before all events of the next.
///
/// If several edges leave a node, one thread has the branch there: its transition picks the edge. All edges that leave
/// a node begin with an event of this thread, and no two with the same transition. If one edge leaves a node, nothing
/// is to be picked. If none does, the schedule ends there, and permits nothing more.
#[derive(Clone, Copy, Debug)]
pub struct Schedule<'a> {
    /// How many threads there are. They are numbered from 0 on.
    pub threads: usize,
    /// How many nodes there are. They are numbered from 0 on.
    pub nodes: usize,
    /// The node where each run begins.
    pub start: usize,
    /// The sections, in any order.
    pub edges: &'a [Edge<'a>],
}

/// A section with the nodes between which it is.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a> {
    /// The node that it leaves.
    pub from: usize,
    /// The node that it leads to.
    pub to: usize,
    /// The events of the section, at least one, in one of the orders that the section permits.
    pub events: &'a [Event<'a>],
}

/// An event of a section: one shared access of one thread, with all that the thread does until its next one.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// Whose it is.
    pub thread: usize,
    /// What the thread does: a number that the program gives to each access, and each branch taken behind it.
    pub transition: u32,
    /// The events that have to be over before: where they stand in this section, all of them before this one. Those of
    /// the same thread need not be named.
    pub after: &'a [usize],
}

/// Why something is not a schedule. Edges and events are numbered from 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScheduleError {
    /// There are no threads, or more than 65,535.
    Threads(usize),
    /// There are more than 2²⁴ nodes and edges in all.
    TooMany,
    /// This node is named, and there is no such node.
    NoNode(usize),
    /// This edge has no event.
    Empty(usize),
    /// This event of this edge is of a thread that there is not.
    NoThread {
        /// The edge.
        edge: usize,
        /// The event.
        event: usize,
    },
    /// This event of this edge comes after one that does not stand before it.
    After {
        /// The edge.
        edge: usize,
        /// The event.
        event: usize,
    },
    /// This edge has more than 65,535 events of one thread.
    TooLong(usize),
    /// These edges leave one node and begin with events of different threads.
    Choosers(usize, usize),
    /// These edges leave one node and begin with the same transition.
    SameTransition(usize, usize),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threads(threads) => write!(f, "{threads} threads: there have to be 1 to {MAX_THREADS}"),
            Self::TooMany => write!(f, "there are more than {MAX_SLOTS} nodes and edges"),
            Self::NoNode(node) => write!(f, "there is no node {node}"),
            Self::Empty(edge) => write!(f, "edge {edge} has no event"),
            Self::NoThread { edge, event } => write!(f, "event {event} of edge {edge}: there is no such thread"),
            Self::After { edge, event } => {
                write!(f, "event {event} of edge {edge} comes after one that does not stand before it")
            }
            Self::TooLong(edge) => write!(f, "edge {edge} has more than {MAX_EVENTS} events of one thread"),
            Self::Choosers(one, other) => {
                write!(f, "edges {one} and {other} leave one node and begin with different threads")
            }
            Self::SameTransition(one, other) => {
                write!(f, "edges {one} and {other} leave one node and begin with the same transition")
            }
        }
    }
}

impl error::Error for ScheduleError {}

// ---- Schedules, as they are kept to ---------------------------------------------------------------------------------

const MAX_THREADS: usize = u16::MAX as usize;
const MAX_EVENTS: u64 = u16::MAX as u64;
const SLOT_BITS: u32 = 24;
const MAX_SLOTS: usize = 1 << SLOT_BITS;

/// An event of another thread that has to be over: the thread has done so many of the section's.
#[derive(Clone, Copy, Debug)]
struct Wait {
    thread: usize,
    count: u64,
}

/// An event, as its thread sees it.
#[derive(Clone, Copy, Debug)]
struct Step {
    transition: u32,
    /// Where its waits are.
    waits: (u32, u32),
    /// Whether others wait for it, or for the section's end. If not, they are not told: each time they are costs a
    /// cache line.
    is_awaited: bool,
}

/// A schedule with a vector clock for each event, cut down to what its thread does not know yet.
#[derive(Debug)]
struct Plan {
    threads: usize,
    start: usize,
    /// For each edge, where it leads.
    ends: Vec<usize>,
    /// For each node, the edges that leave it.
    leaving: Vec<Vec<usize>>,
    /// For each node, the thread with whose events these edges begin. Where none leaves, it says nothing.
    choosers: Vec<usize>,
    /// For each edge, which threads have events in it, and how many.
    members: Vec<Vec<Wait>>,
    /// For each edge and each thread, its steps.
    spans: Vec<(usize, usize)>,
    steps: Vec<Step>,
    waits: Vec<Wait>,
}

impl Plan {
    fn new(schedule: &Schedule<'_>) -> Result<Self, ScheduleError> {
        let Schedule { threads, nodes, start, edges } = *schedule;
        if threads == 0 || threads > MAX_THREADS {
            return Err(ScheduleError::Threads(threads));
        }
        if nodes.saturating_add(edges.len()) > MAX_SLOTS {
            return Err(ScheduleError::TooMany);
        }
        let named = edges.iter().flat_map(|edge| [edge.from, edge.to]);
        if let Some(node) = [start].into_iter().chain(named).find(|&node| node >= nodes) {
            return Err(ScheduleError::NoNode(node));
        }
        let mut plan = Self {
            threads,
            start,
            ends: edges.iter().map(|edge| edge.to).collect(),
            leaving: vec![Vec::new(); nodes],
            choosers: vec![0; nodes],
            members: Vec::new(),
            spans: Vec::new(),
            steps: Vec::new(),
            waits: Vec::new(),
        };
        for (number, edge) in edges.iter().enumerate() {
            plan.section(number, edge.events)?;
            let first = edge.events[0];
            for &other in &plan.leaving[edge.from] {
                let begins = edges[other].events[0];
                if begins.thread != first.thread {
                    return Err(ScheduleError::Choosers(other, number));
                }
                if begins.transition == first.transition {
                    return Err(ScheduleError::SameTransition(other, number));
                }
            }
            plan.leaving[edge.from].push(number);
            plan.choosers[edge.from] = first.thread;
        }
        Ok(plan)
    }

    /// Adds an edge's events, thread by thread.
    fn section(&mut self, edge: usize, events: &[Event<'_>]) -> Result<(), ScheduleError> {
        if events.is_empty() {
            return Err(ScheduleError::Empty(edge));
        }
        // For each event, how many events of each thread are over when it is.
        let mut clocks: Vec<Vec<u64>> = Vec::with_capacity(events.len());
        let mut last: Vec<Option<usize>> = vec![None; self.threads];
        let mut steps: Vec<Vec<(u32, Vec<Wait>)>> = vec![Vec::new(); self.threads];
        for (number, event) in events.iter().enumerate() {
            let Some(before) = last.get_mut(event.thread) else {
                return Err(ScheduleError::NoThread { edge, event: number });
            };
            if event.after.iter().any(|&other| other >= number) {
                return Err(ScheduleError::After { edge, event: number });
            }
            let mut clock = before.map_or_else(|| vec![0; self.threads], |before| clocks[before].clone());
            let mut waits = Vec::new();
            // The last one first: what comes before an event that is waited for need not be waited for.
            let mut after = event.after.to_vec();
            after.sort_unstable();
            for &other in after.iter().rev() {
                let (thread, over) = (events[other].thread, &clocks[other]);
                if clock[thread] < over[thread] {
                    waits.push(Wait { thread, count: over[thread] });
                    clock.iter_mut().zip(over).for_each(|(known, over)| *known = (*known).max(*over));
                }
            }
            clock[event.thread] += 1;
            if clock[event.thread] > MAX_EVENTS {
                return Err(ScheduleError::TooLong(edge));
            }
            *before = Some(number);
            clocks.push(clock);
            steps[event.thread].push((event.transition, waits));
        }
        let mut members = Vec::new();
        let first_wait = self.waits.len();
        for (thread, steps) in steps.into_iter().enumerate() {
            let first = self.steps.len();
            if !steps.is_empty() {
                members.push(Wait { thread, count: steps.len() as u64 });
            }
            for (transition, waits) in steps {
                let from = self.waits.len() as u32;
                self.waits.extend(waits);
                self.steps.push(Step { transition, waits: (from, self.waits.len() as u32), is_awaited: false });
            }
            self.spans.push((first, self.steps.len()));
        }
        for wait in members.iter().chain(&self.waits[first_wait..]) {
            let (first, _) = self.spans[edge * self.threads + wait.thread];
            self.steps[first + wait.count as usize - 1].is_awaited = true;
        }
        self.members.push(members);
        Ok(())
    }

    fn span(&self, edge: usize, thread: usize) -> (usize, usize) {
        self.spans[edge * self.threads + thread]
    }

    fn waits(&self, step: usize) -> &[Wait] {
        let (from, to) = self.steps[step].waits;
        &self.waits[from as usize..to as usize]
    }

    /// How many places there are for a run to be at: on each edge, and then at each node.
    fn slots(&self) -> usize {
        self.ends.len() + self.leaving.len()
    }

    /// The edge that is gone along at this place, if any, and the node that is next.
    fn place(&self, slot: usize) -> (Option<usize>, usize) {
        match self.ends.get(slot) {
            Some(&node) => (Some(slot), node),
            None => (None, slot - self.ends.len()),
        }
    }

    fn members(&self, edge: Option<usize>) -> &[Wait] {
        edge.map_or(&[], |edge| &self.members[edge])
    }
}

/// Which of a schedule's runs a sequence of events is a beginning of, if any. It looks at one event after the other,
/// and needs no threads: it is what a monitor asks, and what can be asked of a sequence that was written down.
///
/// It is kinder than the runtime: a section may begin with an event of a thread that does not have the branch, if some
/// section that may be picked permits it. Where the branch is taken then has to agree.
#[derive(Clone, Debug)]
pub struct Checker {
    plan: Arc<Plan>,
    /// The sections that may be under way.
    sections: Vec<usize>,
    /// For each thread, how many of its events in them are over.
    counts: Vec<u64>,
    /// Where the section is left, if none of its events is over.
    node: Option<usize>,
}

impl Checker {
    /// A checker of sequences from the schedule's start on.
    ///
    /// # Errors
    /// If it is no schedule.
    pub fn new(schedule: &Schedule<'_>) -> Result<Self, ScheduleError> {
        Ok(Self::of(Arc::new(Plan::new(schedule)?)))
    }

    fn of(plan: Arc<Plan>) -> Self {
        let start = plan.start;
        Self::at(plan, start)
    }

    fn at(plan: Arc<Plan>, node: usize) -> Self {
        let (sections, counts) = (plan.leaving[node].clone(), vec![0; plan.threads]);
        Self { plan, sections, counts, node: Some(node) }
    }

    /// Goes on by one event, if the schedule permits it there. If not, nothing changes. Costs as much as sections may
    /// be under way, times the waits of one event.
    pub fn step(&mut self, thread: usize, transition: u32) -> bool {
        let left: Vec<usize> =
            self.permitting(thread).filter(|&(_, found)| found == transition).map(|(e, _)| e).collect();
        let Some(&first) = left.first() else {
            return false;
        };
        self.counts[thread] += 1;
        // A section that is over has its first event, by which it differs from all others.
        let is_over = self.plan.members[first].iter().all(|member| self.counts[member.thread] == member.count);
        if is_over {
            *self = Self::at(Arc::clone(&self.plan), self.plan.ends[first]);
        } else {
            self.sections = left;
            self.node = None;
        }
        true
    }

    /// What the schedule permits this thread to do next, in order and each once.
    pub fn permitted(&self, thread: usize) -> Vec<u32> {
        let mut all: Vec<u32> = self.permitting(thread).map(|(_, transition)| transition).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Each section that permits the thread its next event, with this event's transition.
    fn permitting(&self, thread: usize) -> impl Iterator<Item = (usize, u32)> {
        self.sections.iter().filter_map(move |&edge| {
            let count = *self.counts.get(thread)?;
            let (first, end) = self.plan.span(edge, thread);
            let step = first + count as usize;
            let is_next = step < end && self.plan.waits(step).iter().all(|wait| self.counts[wait.thread] >= wait.count);
            is_next.then(|| (edge, self.plan.steps[step].transition))
        })
    }
}

// ---- What threads share ---------------------------------------------------------------------------------------------

/// Cache lines of its own: most processors fetch two at once.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Padded<T>(T);

/// A thread's progress: it has done so many events of this section, and all of its events in those before. Later is
/// larger.
///
/// With 48 bits for sections, ten million a second are enough for ten months.
const fn progress(section: u64, count: u64) -> u64 {
    section << 16 | count
}

/// The section that is under way, counted from the start, with its place in the schedules. The count has 40 bits and
/// begins anew behind them: whoever reads it knows the rest.
const fn stage(section: u64, slot: usize) -> u64 {
    section << SLOT_BITS | slot as u64
}

const fn slot_of(stage: u64) -> usize {
    stage as usize & (MAX_SLOTS - 1)
}

/// What of a thread only those see who look how things stand.
#[derive(Debug, Default)]
struct Side {
    rounds: AtomicU64,
    /// What it does: a kind in eight bits, a thread that it waits for in 16, and how often this changed.
    state: AtomicU64,
    /// What it waits for.
    detail: AtomicU64,
}

const OUTSIDE: u64 = 0;
const RUNNING: u64 = 1;
const FOR_EVENT: u64 = 2;
const FOR_BRANCH: u64 = 3;
const FOR_LOCK: u64 = 4;
const FOR_CHANGE: u64 = 5;
const LEFT: u64 = 6;

/// What a thread waits for. Only what the thread named here does can end it.
#[derive(Clone, Copy, Debug)]
enum On {
    /// That this thread has come so far.
    Event { thread: usize, progress: u64 },
    /// That this thread picks the section behind the one under way.
    Branch { thread: usize, stage: u64 },
    /// That this lock is free. Its holder frees it.
    Lock(usize),
    /// That any thread does anything: the sum of all progress is no longer this one.
    Change(u64),
}

/// The schedule in use, and the one that comes next.
#[derive(Debug)]
struct Plans {
    /// How often it was swapped.
    number: u64,
    plan: Arc<Plan>,
    /// The first of its slots.
    base: usize,
    next: Option<Next>,
}

#[derive(Debug)]
struct Next {
    plan: Arc<Plan>,
    base: usize,
    /// For each node of the schedule in use, the one of this schedule where the run goes on.
    map: Vec<Option<usize>>,
}

/// Looks at each event as it happens.
#[derive(Debug)]
struct Monitor {
    /// Whether a thread is between `before` and `after`: only one may be, so that the order in which events are seen is
    /// the one in which they happen.
    is_busy: Padded<AtomicBool>,
    log: Mutex<Log>,
}

#[derive(Debug)]
struct Log {
    checker: Checker,
    /// How many events are kept.
    room: usize,
    prefix: Prefix,
}

/// What happened up to some event, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// How many events are no longer known, since there was no room for more.
    pub forgotten: u64,
    /// The events behind those: thread and transition.
    pub events: VecDeque<(usize, u32)>,
}

/// What all threads of a run share: the schedule, how far each of them is, and the locks.
///
/// Each thread takes its [`Thread`], and does each shared access between `before` and `after`.
#[derive(Debug)]
pub struct Runtime {
    /// Whether nobody waits for anything but locks.
    is_free: bool,
    /// The same behind the schedule's end.
    is_free_behind: bool,
    /// How often a thread looks before it lets others have the core.
    spins: u32,
    is_over: AtomicBool,
    has_next: AtomicBool,
    ended: Mutex<Option<Ended>>,
    plans: Mutex<Plans>,
    monitor: Option<Monitor>,
    stage: Padded<AtomicU64>,
    progress: Vec<Padded<AtomicU64>>,
    sides: Vec<Padded<Side>>,
    /// Each lock's holder, counted from 1 on.
    locks: Vec<Padded<AtomicU64>>,
}

/// How often a thread looks before it lets others have the core, if each thread can have one: a few microseconds.
const SPINS: u32 = 200;
/// The same if there are fewer cores than threads: who is waited for may well be one that has none. On a single core
/// nobody else runs meanwhile.
const SPINS_ON_FEW_CORES: u32 = 10;
/// How often a thread lets others have the core between two looks whether some are stuck. At first it looks sooner: where
/// others want the cores, it has to wait for milliseconds each time.
const YIELDS: u32 = 256;
/// How often `run_for` looks how things stand.
const LOOK: Duration = Duration::from_millis(2);

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runtime {
    /// A runtime whose threads keep to a schedule.
    ///
    /// # Errors
    /// If it is no schedule.
    pub fn new(schedule: &Schedule<'_>) -> Result<Self, ScheduleError> {
        let plan = Arc::new(Plan::new(schedule)?);
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let (threads, start) = (plan.threads, plan.ends.len() + plan.start);
        Ok(Self {
            is_free: false,
            is_free_behind: false,
            spins: match cores {
                1 => 0,
                _ if cores < threads => SPINS_ON_FEW_CORES,
                _ => SPINS,
            },
            is_over: AtomicBool::new(false),
            has_next: AtomicBool::new(false),
            ended: Mutex::new(None),
            plans: Mutex::new(Plans { number: 0, plan, base: 0, next: None }),
            monitor: None,
            stage: Padded(AtomicU64::new(stage(0, start))),
            progress: (0..threads).map(|_| Padded::default()).collect(),
            sides: (0..threads).map(|_| Padded::default()).collect(),
            locks: Vec::new(),
        })
    }

    /// Lets threads do what they want: nobody waits for anything but locks. What is left of the schedule is how many
    /// threads it has, and what a monitor is to permit.
    pub fn unconstrained(self) -> Self {
        Self { is_free: true, ..self }
    }

    /// Lets threads do what they want behind the schedule's end, as [`Runtime::unconstrained`] does everywhere: for a
    /// schedule that only leads to a place, such as one where threads are stuck. A monitor permits anything there.
    pub fn unconstrained_behind(self) -> Self {
        Self { is_free_behind: true, ..self }
    }

    /// Adds so many locks, numbered from 0 on and free.
    pub fn locks(self, locks: usize) -> Self {
        Self { locks: (0..locks).map(|_| Padded::default()).collect(), ..self }
    }

    /// Has each event looked at as it happens: the first one that the schedule does not permit ends the run, with the
    /// last so many events up to it.
    ///
    /// Then one thread at a time is between `before` and `after`. That costs each event some fifty nanoseconds, and
    /// more if several want to be there.
    pub fn monitored(self, events: usize) -> Self {
        let checker = Checker::of(Arc::clone(&open(&self.plans).plan));
        let log = Log { checker, room: events.max(1), prefix: Prefix::default() };
        Self { monitor: Some(Monitor { is_busy: Padded::default(), log: Mutex::new(log) }), ..self }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.sides.len()
    }

    /// A thread's own part. Each can be had once.
    ///
    /// # Panics
    /// If there is no such thread, or its part was had before.
    pub fn thread(&self, number: usize) -> Thread<'_> {
        assert!(number < self.threads(), "there is no thread {number}: there are {}", self.threads());
        let begun = self.sides[number].0.state.compare_exchange(OUTSIDE, RUNNING, SeqCst, SeqCst);
        assert!(begun.is_ok(), "thread {number} has begun already");
        let keeper = (!self.is_free).then(|| {
            let plans = open(&self.plans);
            let (plan, base) = (Arc::clone(&plans.plan), plans.base);
            // At the start, from where it follows the others at its first event.
            let slot = plan.ends.len() + plan.start;
            Keeper { plan, base, section: 0, slot, first: 0, step: 0, end: 0, is_choosing: false, is_behind: false }
        });
        Thread { runtime: self, number, keeper, count: 0, rounds: 0, seen: None }
    }

    /// Ends the run: each thread is told so at its next `before`, or where it waits.
    pub fn stop(&self) {
        self.end(Ended::Stopped);
    }

    /// Why the run is over, if it is.
    pub fn ended(&self) -> Option<Ended> {
        open(&self.ended).clone()
    }

    /// Lets threads run for so long, and then ends the run. Returns why it was over, which may be sooner: because they
    /// are stuck, did what the schedule does not permit, or have all left.
    ///
    /// It looks every few milliseconds how things stand. Threads that wait look too, so a run without this ends as well
    /// if they are stuck.
    pub fn run_for(&self, time: Duration) -> Ended {
        let begin = Instant::now();
        loop {
            if self.look().is_some_and(|standing| standing.threads.iter().all(|state| *state == State::Left)) {
                self.end(Ended::Left);
            }
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                self.stop();
            }
            if let Some(ended) = self.ended() {
                return ended;
            }
            thread::sleep(left.min(LOOK));
        }
    }

    /// For each thread, how many useful rounds it has done ([`Thread::round`]).
    pub fn rounds(&self) -> Vec<u64> {
        self.sides.iter().map(|side| side.0.rounds.load(Relaxed)).collect()
    }

    /// How many sections have begun, the one under way included. 0 if threads keep to no schedule.
    pub fn sections(&self) -> u64 {
        self.stage.0.load(SeqCst) >> SLOT_BITS
    }

    /// How often another schedule was put in the place of the one in use. A swap that waits for the end of a section is
    /// not counted yet.
    pub fn swaps(&self) -> u64 {
        open(&self.plans).number
    }

    /// Puts another schedule in the place of the one in use, when the section under way ends: at the first node that
    /// the map has a node of the new schedule for. The map is by nodes of the schedule in use, which is the `swaps`-th
    /// one: what [`Runtime::swaps`] says. A swap that still waits for its place is dropped for this one.
    ///
    /// Threads go on meanwhile. They see the swap at a section's end, where they look anyway; so it costs them nothing
    /// before, and each a lock and a count of references when it happens.
    ///
    /// At a node with a branch, the thread that has it swaps; elsewhere whoever is there first. If threads keep to no
    /// schedule, but have a monitor, the monitor swaps.
    ///
    /// # Errors
    /// If it is no schedule, does not fit the one in use, or that is another one by now.
    pub fn swap(&self, swaps: u64, schedule: &Schedule<'_>, map: &[Option<usize>]) -> Result<(), SwapError> {
        let plan = Arc::new(Plan::new(schedule).map_err(SwapError::Schedule)?);
        let mut plans = open(&self.plans);
        if plans.number != swaps {
            return Err(SwapError::Outdated(plans.number));
        }
        if plan.threads != plans.plan.threads {
            return Err(SwapError::Threads);
        }
        if map.len() != plans.plan.leaving.len() || map.iter().flatten().any(|&node| node >= plan.leaving.len()) {
            return Err(SwapError::Map);
        }
        // Threads know a schedule by its slots, so those of a schedule that was in use are never used again.
        let base = plans.base + plans.plan.slots();
        if base + plan.slots() > MAX_SLOTS {
            return Err(SwapError::TooMany);
        }
        plans.next = Some(Next { plan, base, map: map.to_vec() });
        self.has_next.store(true, SeqCst);
        Ok(())
    }

    /// At this stage, whose section is over and leads to this node, goes on with the next schedule, if there is a place
    /// in it. Whether the stage has changed, by this thread or another.
    fn try_swap(&self, now: u64, section: u64, node: usize) -> bool {
        let mut plans = open(&self.plans);
        // If the run is still there, the schedule in use is the caller's, and the map is by its nodes.
        if self.stage.0.load(SeqCst) != now {
            return true;
        }
        let Some(target) = plans.next.as_ref().and_then(|next| next.map[node]) else {
            return false;
        };
        let next = plans.next.take().expect("it was there");
        // Nobody has an event in the new schedule looked at before the monitor knows it.
        let mut log = self.monitor.as_ref().map(|monitor| open(&monitor.log));
        let slot = next.base + next.plan.ends.len() + target;
        if self.stage.0.compare_exchange(now, stage(section + 1, slot), SeqCst, SeqCst).is_err() {
            plans.next = Some(next);
            return true;
        }
        if let Some(log) = &mut log {
            log.checker = Checker::at(Arc::clone(&next.plan), target);
        }
        *plans = Plans { number: plans.number + 1, plan: next.plan, base: next.base, next: None };
        self.has_next.store(false, SeqCst);
        true
    }

    #[cold]
    fn end(&self, how: Ended) -> Stopped {
        open(&self.ended).get_or_insert(how);
        self.is_over.store(true, SeqCst);
        Stopped
    }

    /// Ends the run since a thread did what is not permitted.
    #[cold]
    fn depart(&self, thread: usize, transition: Option<u32>, permitted: Vec<u32>) -> Stopped {
        self.end(Ended::NotPermitted(Departure { thread, transition, permitted, prefix: None }))
    }

    fn is_over_for(&self, on: On) -> bool {
        match on {
            On::Event { thread, progress } => self.progress[thread].0.load(SeqCst) >= progress,
            On::Branch { stage, .. } => self.stage.0.load(SeqCst) != stage,
            On::Lock(lock) => self.locks[lock].0.load(SeqCst) == 0,
            On::Change(sum) => self.sum() != sum,
        }
    }

    /// The sum of all progress. No progress becomes less, so it is the same only if nothing happened.
    fn sum(&self) -> u64 {
        self.progress.iter().fold(0, |sum, progress| sum.wrapping_add(progress.0.load(SeqCst)))
    }

    /// Says what a thread does.
    fn publish(&self, number: usize, kind: u64, other: usize, detail: u64) {
        let side = &self.sides[number].0;
        side.detail.store(detail, SeqCst);
        let version = side.state.load(Relaxed) >> 24;
        side.state.store((version + 1) << 24 | (other as u64) << 8 | kind, SeqCst);
    }

    #[cold]
    fn wait(&self, number: usize, on: On) -> Result<(), Stopped> {
        for _ in 0..self.spins {
            if self.is_over_for(on) {
                return Ok(());
            }
            hint::spin_loop();
        }
        let (kind, other, detail) = match on {
            On::Event { thread, progress } => (FOR_EVENT, thread, progress),
            On::Branch { thread, stage } => (FOR_BRANCH, thread, stage),
            On::Lock(lock) => (FOR_LOCK, 0, lock as u64),
            On::Change(sum) => (FOR_CHANGE, 0, sum),
        };
        self.publish(number, kind, other, detail);
        let mut yields = 0u32;
        let result = loop {
            if self.is_over_for(on) {
                break Ok(());
            }
            if self.is_over.load(SeqCst) {
                break Err(Stopped);
            }
            thread::yield_now();
            yields = yields.wrapping_add(1);
            if yields.is_multiple_of(YIELDS) || (yields > 2 && yields.is_power_of_two()) {
                self.look();
            }
        };
        self.publish(number, RUNNING, 0, 0);
        result
    }

    /// How things stand, unless the run is over. Ends it if threads are stuck.
    fn look(&self) -> Option<Standing> {
        if self.is_over.load(SeqCst) {
            return None;
        }
        let standing = self.standing();
        if standing.stuck.is_empty() {
            return Some(standing);
        }
        self.end(Ended::Stuck(standing));
        None
    }

    /// How things stand: what each thread does or waits for, and who is stuck. There is no clock in it: a thread is
    /// stuck if nobody who could end its wait can go on, however fast the machine is.
    ///
    /// All states are read twice. Who was found waiting in one and the same wait both times waited in between, when all
    /// that is waited for was looked at; who is waited for can't have changed it if it waited as well. Costs the square
    /// of the number of threads at most.
    pub fn standing(&self) -> Standing {
        let read = || self.sides.iter().map(|side| side.0.state.load(SeqCst)).collect::<Vec<u64>>();
        let states = read();
        let mut threads: Vec<State> = (states.iter().zip(&self.sides))
            .map(|(&state, side)| self.state(state, side.0.detail.load(SeqCst)))
            .collect();
        for ((state, first), second) in threads.iter_mut().zip(states).zip(read()) {
            if first != second {
                *state = State::Running;
            }
        }
        let waits_for: Vec<Option<Waits>> = threads.iter().map(State::waits).collect();
        let mut is_stuck: Vec<bool> =
            threads.iter().map(|state| state.waits().is_some() || *state == State::Left).collect();
        loop {
            let go_on: Vec<usize> = (0..threads.len())
                .filter(|&thread| is_stuck[thread])
                .filter(|&thread| match waits_for[thread].map(|wait| wait.thread()) {
                    Some(Some(other)) => !is_stuck[other],
                    Some(None) => (0..threads.len()).any(|other| other != thread && !is_stuck[other]),
                    None => false,
                })
                .collect();
            if go_on.is_empty() {
                break;
            }
            go_on.into_iter().for_each(|thread| is_stuck[thread] = false);
        }
        let stuck: Vec<usize> =
            (0..threads.len()).filter(|&thread| is_stuck[thread] && waits_for[thread].is_some()).collect();
        Standing { sections: self.sections(), threads, stuck }
    }

    fn state(&self, state: u64, detail: u64) -> State {
        let thread = (state >> 8 & 0xffff) as usize;
        let on = match state & 0xff {
            OUTSIDE => return State::Outside,
            LEFT => return State::Left,
            FOR_EVENT => On::Event { thread, progress: detail },
            FOR_BRANCH => On::Branch { thread, stage: detail },
            FOR_LOCK => On::Lock(detail as usize),
            FOR_CHANGE => On::Change(detail),
            _ => return State::Running,
        };
        // Whatever was read, if the thread goes on meanwhile.
        let is_there = match on {
            On::Lock(lock) => lock < self.locks.len(),
            _ => true,
        };
        if !is_there || self.is_over_for(on) {
            return State::Running;
        }
        let waits = match on {
            On::Event { thread, progress } => {
                Waits::Event { thread, section: progress >> 16, event: (progress & 0xffff).saturating_sub(1) as usize }
            }
            On::Branch { thread, .. } => Waits::Branch { thread },
            On::Lock(lock) => match self.locks[lock].0.load(SeqCst) {
                0 => return State::Running,
                holder => Waits::Lock { lock, holder: holder as usize - 1 },
            },
            On::Change(_) => Waits::Change,
        };
        State::Waits(waits)
    }
}

impl Monitor {
    /// Lets a thread be the one whose event happens. None happens behind the one that ended the run.
    fn enter(&self, runtime: &Runtime) -> Result<(), Stopped> {
        let mut tries = 0;
        while self.is_busy.0.swap(true, SeqCst) {
            if runtime.is_over.load(SeqCst) {
                return Err(Stopped);
            }
            if tries < runtime.spins {
                tries += 1;
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        if runtime.is_over.load(SeqCst) {
            self.leave();
            return Err(Stopped);
        }
        Ok(())
    }

    fn leave(&self) {
        self.is_busy.0.store(false, SeqCst);
    }

    fn record(&self, runtime: &Runtime, thread: usize, transition: u32) -> Result<(), Stopped> {
        let mut log = open(&self.log);
        if log.prefix.events.len() == log.room {
            log.prefix.events.pop_front();
            log.prefix.forgotten += 1;
        }
        log.prefix.events.push_back((thread, transition));
        let is_behind = runtime.is_free_behind && log.checker.sections.is_empty();
        if !is_behind && !log.checker.step(thread, transition) {
            let permitted = log.checker.permitted(thread);
            let prefix = Some(log.prefix.clone());
            let transition = Some(transition);
            return Err(runtime.end(Ended::NotPermitted(Departure { thread, transition, permitted, prefix })));
        }
        if runtime.is_free
            && runtime.has_next.load(SeqCst)
            && let Some(node) = log.checker.node
        {
            let mut plans = open(&runtime.plans);
            if let Some(target) = plans.next.as_ref().and_then(|next| next.map[node]) {
                let next = plans.next.take().expect("it was there");
                log.checker = Checker::at(Arc::clone(&next.plan), target);
                *plans = Plans { number: plans.number + 1, plan: next.plan, base: next.base, next: None };
                runtime.has_next.store(false, SeqCst);
            }
        }
        Ok(())
    }
}

// ---- What each thread has -------------------------------------------------------------------------------------------

/// Where a thread is in the schedule.
#[derive(Debug)]
struct Keeper {
    plan: Arc<Plan>,
    /// The first of the plan's slots.
    base: usize,
    section: u64,
    slot: usize,
    /// The thread's steps in this section: the first one, the next one, and behind the last one.
    first: usize,
    step: usize,
    end: usize,
    /// Whether the next event picks the section.
    is_choosing: bool,
    /// Whether the schedule has ended, and leaves its thread free.
    is_behind: bool,
}

impl Keeper {
    /// Waits until its thread has an event in the section under way, or may pick the next section by one.
    fn enter(&mut self, runtime: &Runtime, number: usize) -> Result<(), Stopped> {
        self.is_choosing = false;
        loop {
            let now = runtime.stage.0.load(SeqCst);
            if now != stage(self.section, self.base + self.slot) {
                if self.follow(runtime, number, now) && self.step < self.end {
                    return Ok(());
                }
                continue;
            }
            let (edge, node) = self.plan.place(self.slot);
            let chooser = self.plan.choosers[node];
            let leaving = &self.plan.leaving[node];
            if leaving.is_empty() && !runtime.is_free_behind {
                return Err(runtime.depart(number, None, Vec::new()));
            }
            if leaving.len() > 1 && chooser != number {
                let on = On::Branch { thread: chooser, stage: now };
                runtime.wait(number, on)?;
                continue;
            }
            for member in self.plan.members(edge) {
                let (thread, progress) = (member.thread, progress(self.section, member.count));
                if runtime.progress[thread].0.load(SeqCst) < progress {
                    runtime.wait(number, On::Event { thread, progress })?;
                }
            }
            if runtime.has_next.load(SeqCst) && runtime.try_swap(now, self.section, node) {
                continue;
            }
            let Some(&next) = leaving.first() else {
                self.is_behind = true;
                return Ok(());
            };
            if leaving.len() > 1 {
                self.is_choosing = true;
                return Ok(());
            }
            // Who comes second finds it done.
            let _ = runtime.stage.0.compare_exchange(now, stage(self.section + 1, self.base + next), SeqCst, SeqCst);
        }
    }

    /// Tells others how far its thread is.
    #[inline]
    fn tell(&self, runtime: &Runtime, number: usize) {
        let count = (self.step - self.first) as u64;
        if count > 0 {
            runtime.progress[number].0.store(progress(self.section, count), SeqCst);
        }
    }

    /// Goes to this stage. Whether it is known where it is: its schedule may be out of use already.
    fn follow(&mut self, runtime: &Runtime, number: usize, now: u64) -> bool {
        let slot = slot_of(now);
        if slot < self.base || slot - self.base >= self.plan.slots() {
            let plans = open(&runtime.plans);
            if slot < plans.base || slot - plans.base >= plans.plan.slots() {
                return false;
            }
            (self.plan, self.base) = (Arc::clone(&plans.plan), plans.base);
        }
        // All bits of the section, of which the stage has the lower ones.
        self.section += (now >> SLOT_BITS).wrapping_sub(self.section) & (u64::MAX >> SLOT_BITS);
        self.slot = slot - self.base;
        let (first, end) = match self.plan.place(self.slot) {
            (Some(edge), _) => self.plan.span(edge, number),
            (None, _) => (0, 0),
        };
        (self.first, self.step, self.end) = (first, first, end);
        true
    }

    /// Picks the section whose first event does this.
    fn choose(&mut self, runtime: &Runtime, number: usize, transition: u32) -> Result<(), Stopped> {
        let (_, node) = self.plan.place(self.slot);
        let begins = |edge: usize| self.plan.steps[self.plan.span(edge, number).0].transition;
        let leaving = &self.plan.leaving[node];
        let Some(&edge) = leaving.iter().find(|&&edge| begins(edge) == transition) else {
            let mut permitted: Vec<u32> = leaving.iter().map(|&edge| begins(edge)).collect();
            permitted.sort_unstable();
            return Err(runtime.depart(number, Some(transition), permitted));
        };
        self.is_choosing = false;
        self.section += 1;
        self.slot = edge;
        (self.first, self.end) = self.plan.span(edge, number);
        self.step = self.first + 1;
        // Others are let into the section when its first event is over.
        runtime.progress[number].0.store(progress(self.section, 1), SeqCst);
        runtime.stage.0.store(stage(self.section, self.base + edge), SeqCst);
        Ok(())
    }
}

/// A thread's own part of a [`Runtime`]. When it is dropped, the thread has left: who waits for it is stuck.
#[derive(Debug)]
pub struct Thread<'a> {
    runtime: &'a Runtime,
    number: usize,
    /// `None` if it keeps to no schedule.
    keeper: Option<Keeper>,
    /// How many events it has done, if it keeps to no schedule.
    count: u64,
    rounds: u64,
    /// The sum of all progress when it last tried what was not possible yet.
    seen: Option<u64>,
}

impl<'a> Thread<'a> {
    /// Waits until this thread may do its next shared access. The access follows, and then [`Turn::after`].
    ///
    /// # Errors
    /// If the run is over: the thread should leave.
    #[inline]
    pub fn before(&mut self) -> Result<Turn<'_, 'a>, Stopped> {
        let runtime = self.runtime;
        if runtime.is_over.load(SeqCst) {
            return Err(Stopped);
        }
        if let Some(keeper) = &mut self.keeper {
            if keeper.step == keeper.end {
                keeper.enter(runtime, self.number)?;
            }
            if keeper.is_behind {
                // What it counts from now on is more than all it has told others.
                self.count = runtime.progress[self.number].0.load(SeqCst);
                self.keeper = None;
            } else if !keeper.is_choosing {
                for wait in keeper.plan.waits(keeper.step) {
                    let (thread, progress) = (wait.thread, progress(keeper.section, wait.count));
                    if runtime.progress[thread].0.load(SeqCst) < progress {
                        keeper.tell(runtime, self.number);
                        runtime.wait(self.number, On::Event { thread, progress })?;
                    }
                }
            }
        }
        if let Some(monitor) = &runtime.monitor {
            monitor.enter(runtime)?;
        }
        if self.seen.is_some() {
            self.seen = Some(runtime.sum());
        }
        Ok(Turn { thread: self })
    }

    /// Does a shared access that takes one transition, whatever it finds.
    ///
    /// # Errors
    /// If the run is over. Then the access may have been done or not.
    #[inline]
    pub fn event<R>(&mut self, transition: u32, access: impl FnOnce() -> R) -> Result<R, Stopped> {
        let turn = self.before()?;
        let result = access();
        turn.after(transition)?;
        Ok(result)
    }

    /// Takes a lock of the runtime, as one event.
    ///
    /// # Errors
    /// If the run is over.
    ///
    /// # Panics
    /// If there is no such lock.
    pub fn lock(&mut self, lock: usize, transition: u32) -> Result<(), Stopped> {
        let (runtime, number) = (self.runtime, self.number);
        loop {
            let turn = self.before()?;
            if runtime.locks[lock].0.compare_exchange(0, number as u64 + 1, SeqCst, SeqCst).is_ok() {
                return turn.after(transition);
            }
            drop(turn);
            self.tell();
            runtime.wait(number, On::Lock(lock))?;
        }
    }

    /// Frees a lock that this thread holds, as one event.
    ///
    /// # Errors
    /// If the run is over. It is, if the thread does not hold the lock.
    ///
    /// # Panics
    /// If there is no such lock.
    pub fn unlock(&mut self, lock: usize, transition: u32) -> Result<(), Stopped> {
        let (runtime, number) = (self.runtime, self.number);
        let turn = self.before()?;
        if runtime.locks[lock].0.compare_exchange(number as u64 + 1, 0, SeqCst, SeqCst).is_err() {
            return Err(runtime.end(Ended::NotHeld { thread: number, lock }));
        }
        turn.after(transition)
    }

    /// Takes a lock of the runtime, and that is no event: what the schedule implies, so that it is only needed without
    /// one.
    ///
    /// # Errors
    /// If the run is over.
    ///
    /// # Panics
    /// If there is no such lock.
    pub fn acquire(&mut self, lock: usize) -> Result<(), Stopped> {
        let (runtime, number) = (self.runtime, self.number);
        while !runtime.is_over.load(SeqCst) {
            if runtime.locks[lock].0.compare_exchange(0, number as u64 + 1, SeqCst, SeqCst).is_ok() {
                return Ok(());
            }
            self.tell();
            runtime.wait(number, On::Lock(lock))?;
        }
        Err(Stopped)
    }

    /// Frees a lock that this thread holds, and that is no event.
    ///
    /// # Errors
    /// If the run is over. It is, if the thread does not hold the lock.
    ///
    /// # Panics
    /// If there is no such lock.
    pub fn release(&mut self, lock: usize) -> Result<(), Stopped> {
        let (runtime, number) = (self.runtime, self.number);
        match runtime.locks[lock].0.compare_exchange(number as u64 + 1, 0, SeqCst, SeqCst) {
            Ok(_) => Ok(()),
            Err(_) => Err(runtime.end(Ended::NotHeld { thread: number, lock })),
        }
    }

    /// Whether it keeps to no schedule, or its schedule has ended and leaves it free.
    pub fn is_free(&self) -> bool {
        self.keeper.is_none()
    }

    /// Counts a useful round.
    #[inline]
    pub fn round(&mut self) {
        self.rounds += 1;
        self.runtime.sides[self.number].0.rounds.store(self.rounds, Relaxed);
    }

    /// Tells others of all it has done. Who waits or leaves does so: else who waits for anything to happen might miss
    /// it.
    fn tell(&self) {
        if let Some(keeper) = &self.keeper {
            keeper.tell(self.runtime, self.number);
        }
    }

    /// Its number, from 0 on.
    pub fn number(&self) -> usize {
        self.number
    }
}

impl Drop for Thread<'_> {
    fn drop(&mut self) {
        self.tell();
        self.runtime.publish(self.number, LEFT, 0, 0);
    }
}

/// A thread's turn: it may do one shared access. If it is dropped instead, nothing has happened, and the thread may try
/// again.
#[derive(Debug)]
#[must_use = "the access comes now, and then `after`"]
pub struct Turn<'t, 'a> {
    thread: &'t mut Thread<'a>,
}

impl Turn<'_, '_> {
    /// Says that the access is over, and which transition it was. If this thread has the branch, this picks the
    /// section.
    ///
    /// # Errors
    /// If the schedule does not permit this transition: then the run is over.
    #[inline]
    pub fn after(self, transition: u32) -> Result<(), Stopped> {
        let thread = &mut *self.thread;
        let (runtime, number) = (thread.runtime, thread.number);
        thread.seen = None;
        if let Some(monitor) = &runtime.monitor {
            monitor.record(runtime, number, transition)?;
        }
        let Some(keeper) = &mut thread.keeper else {
            thread.count += 1;
            // It is not seen before the access is.
            runtime.progress[number].0.store(thread.count, Release);
            return Ok(());
        };
        if keeper.is_choosing {
            return keeper.choose(runtime, number, transition);
        }
        let planned = keeper.plan.steps[keeper.step];
        if planned.transition != transition {
            return Err(runtime.depart(number, Some(transition), vec![planned.transition]));
        }
        keeper.step += 1;
        if planned.is_awaited {
            keeper.tell(runtime, number);
        }
        Ok(())
    }

    /// Whether its thread keeps to no schedule, so that only locks keep others away.
    pub fn is_free(&self) -> bool {
        self.thread.is_free()
    }

    /// Says that the access was not possible yet, and waits until any thread has done something. Then the thread may
    /// try again.
    ///
    /// # Errors
    /// If the run is over. It is if nobody will ever do anything.
    pub fn not_yet(self) -> Result<(), Stopped> {
        let (runtime, number, seen) = (self.thread.runtime, self.thread.number, self.thread.seen);
        // At the first time it tries once more: what happened before this try is not known.
        self.thread.seen = Some(seen.unwrap_or_default());
        self.thread.tell();
        drop(self);
        match seen {
            Some(sum) => runtime.wait(number, On::Change(sum)),
            None => Ok(()),
        }
    }
}

impl Drop for Turn<'_, '_> {
    fn drop(&mut self) {
        if let Some(monitor) = &self.thread.runtime.monitor {
            monitor.leave();
        }
    }
}

// ---- How things stand, and why a run is over ------------------------------------------------------------------------

/// The run is over, so the thread should leave. Why: [`Runtime::ended`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the run is over")
    }
}

impl error::Error for Stopped {}

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Waits {
    /// For an event of another thread, before its own next one or at the end of the section.
    Event {
        /// The other thread.
        thread: usize,
        /// The section, counted from the start of the run, where the first one has the number 1.
        section: u64,
        /// Which of the other thread's events in this section, from 0 on.
        event: usize,
    },
    /// For the thread that has the branch, which has not picked the next section yet.
    Branch {
        /// That thread.
        thread: usize,
    },
    /// For a lock.
    Lock {
        /// The lock.
        lock: usize,
        /// The thread that holds it. It may be the one that waits.
        holder: usize,
    },
    /// For anything to happen: what it wants to do is not possible yet.
    Change,
}

impl Waits {
    /// The thread that it waits for; `None` if any may end the wait.
    pub fn thread(&self) -> Option<usize> {
        match *self {
            Self::Event { thread, .. } | Self::Branch { thread } | Self::Lock { holder: thread, .. } => Some(thread),
            Self::Change => None,
        }
    }
}

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Event { thread, section, event } => {
                write!(f, "waits for event {} of T{} in section {section}", event + 1, thread + 1)
            }
            Self::Branch { thread } => write!(f, "waits for the branch of T{}", thread + 1),
            Self::Lock { lock, holder } => write!(f, "waits for lock {lock}, which T{} holds", holder + 1),
            Self::Change => f.write_str("waits for anything to happen"),
        }
    }
}

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    Outside,
    /// It runs, or has only just begun to wait.
    Running,
    /// It waits.
    Waits(Waits),
    /// It has left, and does nothing any more.
    Left,
}

impl State {
    /// What it waits for, if it does.
    pub fn waits(&self) -> Option<Waits> {
        match *self {
            Self::Waits(waits) => Some(waits),
            _ => None,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("has not begun"),
            Self::Running => f.write_str("runs"),
            Self::Waits(waits) => waits.fmt(f),
            Self::Left => f.write_str("has left"),
        }
    }
}

/// How things stand in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// How many sections have begun.
    pub sections: u64,
    /// What each thread does.
    pub threads: Vec<State>,
    /// The threads that wait and never go on, in order. Others may still run.
    pub stuck: Vec<usize>,
}

impl Standing {
    /// Threads that wait for each other in a circle, each for the next one and the last one for the first. Empty if
    /// there is none: then who is stuck waits for a thread that has left, or all of them for anything to happen.
    pub fn circle(&self) -> Vec<usize> {
        let next = |thread: usize| self.threads[thread].waits().and_then(|waits| waits.thread());
        for &first in &self.stuck {
            let mut at = next(first);
            let mut way = vec![first];
            while let Some(thread) = at.filter(|thread| *thread != first && way.len() <= self.threads.len()) {
                way.push(thread);
                at = next(thread);
            }
            if at == Some(first) {
                return way;
            }
        }
        Vec::new()
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, state) in self.threads.iter().enumerate() {
            write!(f, "{}T{} {state}", if number == 0 { "" } else { "; " }, number + 1)?;
        }
        Ok(())
    }
}

/// What a thread did, or wants to do, though the schedule does not permit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// The thread.
    pub thread: usize,
    /// The transition that it took; `None` if it wants to do something behind the schedule's end.
    pub transition: Option<u32>,
    /// What the schedule permits this thread there, in order. It may be nothing.
    pub permitted: Vec<u32>,
    /// What happened up to this event and with it, if there is a monitor and it looked at the event.
    pub prefix: Option<Prefix>,
}

impl fmt::Display for Departure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let thread = self.thread + 1;
        match self.transition {
            Some(transition) => write!(f, "T{thread} took transition {transition}, where the schedule permits it ")?,
            None => write!(f, "T{thread} wants to go on, where the schedule permits it ")?,
        }
        if self.permitted.is_empty() {
            f.write_str("nothing")?;
        }
        for (number, transition) in self.permitted.iter().enumerate() {
            write!(f, "{}{transition}", if number == 0 { "" } else { " or " })?;
        }
        let Some(prefix) = &self.prefix else {
            return Ok(());
        };
        f.write_str("; behind ")?;
        if prefix.forgotten > 0 {
            write!(f, "{} more events, ", prefix.forgotten)?;
        }
        for (number, (thread, transition)) in prefix.events.iter().enumerate() {
            write!(f, "{}T{}:{transition}", if number == 0 { "" } else { " " }, thread + 1)?;
        }
        Ok(())
    }
}

/// Why a run is over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ended {
    /// Somebody stopped it, or its time was up.
    Stopped,
    /// All threads have left.
    Left,
    /// Threads wait for what never happens.
    Stuck(Standing),
    /// A thread did what the schedule does not permit.
    NotPermitted(Departure),
    /// A thread frees a lock that it does not hold.
    NotHeld {
        /// The thread.
        thread: usize,
        /// The lock.
        lock: usize,
    },
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped"),
            Self::Left => f.write_str("all threads have left"),
            Self::Stuck(standing) => write!(f, "stuck: {standing}"),
            Self::NotPermitted(departure) => write!(f, "not permitted: {departure}"),
            Self::NotHeld { thread, lock } => write!(f, "T{} frees lock {lock}, which it does not hold", thread + 1),
        }
    }
}

/// Why a schedule can't be put in the place of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SwapError {
    /// It is no schedule.
    Schedule(ScheduleError),
    /// It has another number of threads.
    Threads,
    /// The map is not of as many nodes as the schedule in use has, or it names a node that the new one does not have.
    Map,
    /// Another one was put in place since. There have been so many swaps.
    Outdated(u64),
    /// All schedules of this run together have more than 2²⁴ nodes and edges.
    TooMany,
}

impl fmt::Display for SwapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schedule(error) => error.fmt(f),
            Self::Threads => f.write_str("the schedules have different numbers of threads"),
            Self::Map => f.write_str("the map does not lead from the schedule in use to the new one"),
            Self::Outdated(swaps) => write!(f, "the map is of another schedule: there have been {swaps} swaps"),
            Self::TooMany => write!(f, "all schedules have more than {MAX_SLOTS} nodes and edges"),
        }
    }
}

impl error::Error for SwapError {}
