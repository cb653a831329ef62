//! The recursion of TruSt as a loop over frames.
//!
//! It is both the explorer of steps and, where nobody listens ([`Walk`](crate::explore::Walk)), the engine of large runs. One
//! state machine is compiled twice natively, and once for both in the page, which has to be small. `tests/tests/suite/trust.rs`
//! holds the two to the same counts, outcomes and positions, and cuts explorations into parts at random.
//!
//! # What makes it fast
//!
//! - A graph is words (`graph/mod.rs`): to add an event writes a few, to take it back pops them. Only a revisit copies (`store.rs`).
//! - Most events have one source or place and revisit nothing. Where nobody listens, such an event is taken without a node of
//!   the tree.
//! - Where no other thread can go on, a read that blocks its thread makes the graph whole. Nobody looks at a blocked execution
//!   but the first, so a walk counts it without adding the read ([`Core::counts_blocked`]).
//! - Subtrees that are sure to be as large as a sibling are counted, not explored (`alike.rs`).
//! - A processor waits where it reads in large pieces what was just written in small ones. So an event is written once, in its
//!   slot, and a step stays where it is made ([`Core::advance`]).
//! - A model is a rule for which writes a new event overlooks. Coherence leaves it a suffix of co, and so do the orders of SC,
//!   TSO, PSO and SRA. Only psc is looked at for each candidate. What depends on the order of SC fences under RA, SRA and WRA is
//!   left to [`Model::decide`](crate::model::Model::decide).
//! - A thread is an automaton ([`crate::explore::threads`]). Its states are computed once for each value read, and forgotten
//!   when there are many.
//! - Without co, hardly anything is searched for (`consistency/mod.rs`).
//! - A whole graph is looked at as every explorer's only if something is wrong with it. Else the final state is read off. One
//!   that is met again at once, as the empty one always is, takes no table.

use super::alike::{Alike, Key, MOST_STATES, Size};
use super::bits::Bits;
use super::choice::{Asked, Flaw, Refusal};
use super::consistency::{Hidden, LastWrites, More, Poser};
use super::graph::{Base, Begun, Ev, Graph, INIT, Kind, NONE, New, Next, Slot, is_init, operation};
use super::plan::Plan;
use super::store::{List, Lists};
use super::switches::Extent;
use crate::budget::{Decision, Paused};
use crate::explore::step::classify;
use crate::explore::stuck::Whole;
use crate::explore::tally;
use crate::explore::threads::Threads;
use crate::explore::{Branch, Counts, Direction, ExecutionKind, Probe, Reason, Step, Work};
use crate::graph::{Coherence, Event, EventKey, Execution, ThreadId};
use crate::library;
use crate::model::{Questions, Stage};
use crate::program::{Action, Location, Value};
use std::sync::Arc;

/// What the children of a node of the tree are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choices {
    /// The sources of a new read.
    Sources,
    /// The places of a new write, then the reads that it revisits.
    Places,
    /// The places of a write that revisits a read, in a graph of its own.
    Revisit,
}

/// A node of the tree on the way to the current graph.
#[derive(Clone, Copy, Debug)]
struct Frame<const W: usize> {
    choices: Choices,
    /// The graph that the choices are made in.
    level: u32,
    /// How many events can be taken back there before the choices.
    mark: u32,
    /// The slot of the event.
    slot: Slot,
    /// The event without source or place.
    event: Ev,
    /// Where its candidates begin on the stack of candidates, which is next, and where they end.
    candidates: (u32, u32, u32),
    /// How many consistent children were found.
    child: u32,
    /// The first child that is somebody else's.
    end: u32,
    /// Of a new write: the reads that are still to be looked at.
    reads: Bits<W>,
    /// Of a revisit: the read.
    read: Slot,
    /// Of a new read: the sources that turned out to be inconsistent, and whether the initial write is one that it can't take.
    rejected: Bits<W>,
    hides_initial: bool,
    /// Of a new read: where it blocks its thread the graph is whole, and nobody has to look at it.
    is_last: bool,
}

impl<const W: usize> Frame<W> {
    /// Whether a new read can't take a source, as was known when it came.
    #[inline(always)]
    fn hides(&self, source: Slot) -> bool {
        source != NONE && if is_init(source) { self.hides_initial } else { self.rejected.contains(source) }
    }

    /// How the candidate before the next one is taken.
    #[inline(always)]
    fn taken(&self) -> Taken {
        if self.candidates.1 == self.candidates.0 + 1 { Taken::First } else { Taken::Later }
    }

    /// Whether no candidate is left.
    #[inline(always)]
    fn is_exhausted(&self) -> bool {
        self.candidates.1 == self.candidates.2 && self.reads.is_empty()
    }
}

/// How a candidate is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    /// As the first one.
    First,
    /// Instead of another one, which is a revisit.
    Later,
    /// As the only one, which is no step.
    Silently,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The graph is to be extended.
    Extend,
    /// The next child of the last frame is to be found.
    Choose,
    /// The last child is inconsistent, which is to be said.
    Drop,
    /// Whether the last child is consistent was not decided, which is to be said.
    Undecided,
    /// A thread waits in vain at this read of the last child, or of the whole graph, which is to be said.
    Vain(Slot),
    /// An error event was added.
    Error(Slot),
    /// The graph is whole, and what is wrong with it was said.
    Execution,
    /// Something wrong was found, and nothing more is wanted.
    Finish,
    /// The end.
    Done,
}

/// Why a core comes back without having done what it was to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Halt {
    /// A slot is wanted and none is free.
    Full,
    /// The budget says so.
    Paused,
}

impl From<Paused> for Halt {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}

/// The last point at which what is left was a [`Work`]: where to begin anew after a pause.
#[derive(Clone, Debug)]
struct Mark<const W: usize> {
    counts: Counts,
    /// How many frames there are; 0 at the start.
    depth: usize,
    /// Of the last of them, what changes: its children, the next candidate, the reads that are left, the sources that were refused.
    child: u32,
    next: u32,
    reads: Bits<W>,
    rejected: Bits<W>,
}

/// TruSt with room for `64 * W` events.
#[derive(Clone, Debug)]
pub(super) struct Core<const W: usize>
where
    Bits<W>: Lists,
{
    pub threads: Threads,
    graphs: Vec<Graph<W>>,
    level: usize,
    frames: Vec<Frame<W>>,
    /// A source or the write in front of a place, and whether a read fails spuriously.
    candidates: Vec<(Slot, bool)>,
    phase: Phase,
    pub counts: Counts,
    /// What the last step removed, if somebody listens.
    pub cut: Vec<Event>,
    /// A whole graph that somebody has to look at.
    whole: Option<(Execution, Option<Coherence>)>,
    /// Something is wrong with it as such.
    wrong: bool,
    /// Whether it is stuck for good.
    stuck: Decision,
    /// The event of the last frame has no source or place yet.
    pub bare: bool,
    /// Something wrong was found, and nothing more is wanted.
    pub stopped: bool,
    /// For consistency that takes a search.
    pub poser: Poser,
    pub last_writes: LastWrites,
    mark: Mark<W>,
    /// How many steps were returned since the mark, and how many of the next ones were seen before a pause. Whoever walks
    /// counts the first.
    pub told: u32,
    pub seen: u32,
    /// The graph as it was before a step that was paused, if somebody listens.
    before: Option<Option<Execution>>,
    /// How many frames lie below the one whose choice the last step made or prepared, if somebody listens. The graph of a
    /// revisit belongs to its write.
    pub chosen: Option<usize>,
    /// What was not maximal, if that was the last step, and what the revisit would delete.
    pub refused: Option<(Slot, Bits<W>)>,
    /// What the last call is told as, if there is anything to tell. It stays here, since to hand it on would cost more than most
    /// steps do.
    pub step: Option<Step>,
    /// Nobody looks at blocked executions: those in which the last read blocks its thread are counted, not made.
    pub counts_blocked: bool,
    /// How many steps and how many executions are to be counted in all before whoever walks is asked again.
    pub until: (u64, u64),
    /// Subtrees that are as large as others.
    alike: Alike<W>,
    /// How often there was something to look at but blocked executions and final states with numbers.
    looks: u64,
}

impl<const W: usize> Core<W>
where
    Bits<W>: Lists,
{
    pub(super) fn new(plan: &Plan) -> Self {
        let mut threads = Threads::new(plan.code.clone(), plan.options);
        let graph = Graph::new(plan, &mut threads);
        Self {
            threads,
            graphs: vec![graph],
            level: 0,
            frames: Vec::new(),
            candidates: Vec::new(),
            phase: Phase::Extend,
            counts: Counts::default(),
            cut: Vec::new(),
            whole: None,
            wrong: false,
            stuck: Decision::No,
            bare: false,
            chosen: None,
            stopped: false,
            poser: Poser::new(plan.options.limits.search),
            last_writes: LastWrites::default(),
            mark: Mark {
                counts: Counts::default(),
                depth: 0,
                child: 0,
                next: 0,
                reads: Bits::EMPTY,
                rejected: Bits::EMPTY,
            },
            told: 0,
            seen: 0,
            before: None,
            refused: None,
            step: None,
            counts_blocked: false,
            until: (0, 0),
            alike: Alike::NOTHING,
            looks: 0,
        }
    }

    /// The same exploration with room for more events.
    pub(super) fn widen<const V: usize>(mut self) -> Core<V>
    where
        Bits<V>: Lists,
    {
        let frame = |frame: &Frame<W>| Frame::<V> {
            choices: frame.choices,
            level: frame.level,
            mark: frame.mark,
            slot: frame.slot,
            event: frame.event,
            candidates: frame.candidates,
            child: frame.child,
            end: frame.end,
            reads: frame.reads.widen(),
            read: frame.read,
            rejected: frame.rejected.widen(),
            hides_initial: frame.hides_initial,
            is_last: frame.is_last,
        };
        Core {
            threads: self.threads,
            graphs: self.graphs.iter().take(self.level + 1).map(Graph::widen).collect(),
            level: self.level,
            frames: self.frames.iter().map(frame).collect(),
            candidates: self.candidates,
            phase: self.phase,
            counts: self.counts,
            cut: self.cut,
            whole: self.whole,
            wrong: self.wrong,
            stuck: self.stuck,
            bare: self.bare,
            chosen: self.chosen,
            stopped: self.stopped,
            mark: Mark {
                counts: self.mark.counts,
                depth: self.mark.depth,
                child: self.mark.child,
                next: self.mark.next,
                reads: self.mark.reads.widen(),
                rejected: self.mark.rejected.widen(),
            },
            told: self.told,
            seen: self.seen,
            poser: self.poser,
            last_writes: self.last_writes,
            before: self.before,
            refused: self.refused.map(|(slot, set)| (slot, set.widen())),
            step: self.step,
            counts_blocked: self.counts_blocked,
            until: self.until,
            alike: self.alike.forget(),
            looks: self.looks,
        }
    }

    #[inline(always)]
    pub(super) fn graph(&self) -> &Graph<W> {
        &self.graphs[self.level]
    }

    /// Whether the next child of a node is what comes next, or nothing: only then is what is left a [`Work`].
    #[inline(always)]
    pub(super) fn is_between(&self) -> bool {
        matches!(self.phase, Phase::Choose | Phase::Done)
    }

    /// Performs one step, which is in [`Self::step`] then; without `LISTEN` perhaps several, of which only those are told that
    /// belong to whole executions, errors and the end.
    ///
    /// After a pause, a listener calls again; without one, [`Self::begin_anew`] comes first.
    #[inline(always)]
    pub(super) fn advance<const LISTEN: bool>(&mut self, plan: &Plan) -> Result<(), Halt> {
        let done = match self.phase {
            Phase::Extend => self.extend::<LISTEN>(plan),
            Phase::Choose => self.choose::<LISTEN>(plan),
            _ => {
                self.report(plan);
                Ok(())
            }
        };
        if LISTEN {
            match done {
                Ok(_) => self.poser.inquiries.close(),
                Err(_) => self.poser.inquiries.reopen(),
            }
        }
        done
    }

    /// Goes back to the last point at which what was left was a [`Work`]. Answers that were found since then are kept, and
    /// steps that were seen since then are told from others.
    pub(super) fn begin_anew(&mut self, plan: &Plan) {
        (self.told, self.seen) = (0, self.seen.max(self.told));
        self.counts = self.mark.counts;
        self.poser.inquiries.reopen();
        self.stopped = false;
        (self.wrong, self.stuck) = (false, Decision::No);
        self.frames.truncate(self.mark.depth);
        self.alike.go_back(self.mark.depth);
        match self.frames.last_mut() {
            // It is the frame of the mark: whoever takes that away marks the one below, which has a child then.
            Some(last) => {
                // What was given away meanwhile stays so.
                last.child = self.mark.child;
                last.candidates.1 = self.mark.next;
                (last.reads, last.rejected) = (self.mark.reads, self.mark.rejected);
                self.candidates.truncate(last.candidates.2 as usize);
                self.phase = Phase::Choose;
            }
            None => {
                self.candidates.clear();
                self.level = 0;
                let graph = &mut self.graphs[0];
                while !graph.log.is_empty() {
                    graph.pop(plan);
                }
                self.phase = Phase::Extend;
            }
        }
    }

    /// What decided the questions that were asked.
    pub(super) fn questions(&self) -> Questions {
        self.poser.inquiries.questions
    }

    /// What decided the questions that were asked since the last call.
    pub(super) fn take_questions(&mut self) -> Questions {
        std::mem::take(&mut self.poser.inquiries.questions)
    }

    /// If a pause took back steps that were seen: they count as not seen, and whether it did.
    pub(super) fn forget_seen(&mut self) -> bool {
        let taken_back = self.told < self.seen;
        if taken_back {
            self.seen = 0;
        }
        taken_back
    }

    /// Notes that what is left is a [`Work`] now.
    #[inline(always)]
    fn set_mark(&mut self) {
        let (depth, Some(frame)) = (self.frames.len(), self.frames.last()) else { return };
        let mark = &mut self.mark;
        // What is performed again after a pause comes by its mark again: then what is known is to be kept. Steps tell marks apart, since
        // each further child of a frame takes one, and so does whatever else is counted.
        if (mark.depth, mark.child, mark.counts.steps) == (depth, frame.child, self.counts.steps) {
            return;
        }
        self.poser.inquiries.close();
        (self.told, self.seen) = (0, 0);
        // What is counted here: the rest of the counts is as large again, and this comes often.
        let (kept, now) = (&mut mark.counts, &self.counts);
        (kept.complete, kept.blocked, kept.stuck_for_good) = (now.complete, now.blocked, now.stuck_for_good);
        (kept.erroneous, kept.bounded, kept.plain) = (now.erroneous, now.bounded, now.plain);
        (kept.steps, kept.revisits, kept.dropped) = (now.steps, now.revisits, now.dropped);
        (kept.beyond, kept.undecided, kept.left_out) = (now.beyond, now.undecided, now.left_out);
        debug_assert_eq!(kept, now, "nothing else is counted");
        (mark.depth, mark.child, mark.next) = (depth, frame.child, frame.candidates.1);
        (mark.reads, mark.rejected) = (frame.reads, frame.rejected);
    }

    /// The steps that say something about the graph.
    #[cold]
    fn report(&mut self, plan: &Plan) {
        self.looks += u64::from(matches!(self.phase, Phase::Error(_) | Phase::Execution));
        if self.phase != Phase::Done {
            self.counts.steps += 1;
        }
        self.step = Some(match self.phase {
            Phase::Drop | Phase::Undecided => {
                self.counts.steps -= 1;
                self.drop_graph()
            }
            Phase::Vain(slot) => {
                self.phase = Phase::Choose;
                self.counts.left_out += 1;
                Step::LeaveOut { read: self.graph().key(slot) }
            }
            Phase::Error(slot) => {
                self.stopped = plan.options.stop_at_first;
                self.phase = if self.stopped { Phase::Finish } else { Phase::Extend };
                if self.stopped {
                    self.counts.add(ExecutionKind::Erroneous, false);
                    self.counts.plain += u64::from(!plan.tracks_co);
                }
                Step::Error { event: self.graph().key(slot) }
            }
            Phase::Execution => {
                self.counts.steps -= 1;
                self.execution_step(plan)
            }
            Phase::Extend | Phase::Choose | Phase::Finish | Phase::Done => {
                self.phase = Phase::Done;
                Step::Done
            }
        });
    }

    /// Leaves the last child, or the whole graph.
    #[inline(always)]
    fn drop_graph(&mut self) -> Step {
        self.counts.steps += 1;
        let undecided = std::mem::replace(&mut self.phase, Phase::Choose) == Phase::Undecided;
        if undecided {
            self.counts.undecided += 1;
            return Step::Undecided;
        }
        self.counts.dropped += 1;
        Step::Drop
    }

    fn collect(&mut self) {
        let graphs = self.graphs[..=self.level].iter();
        let held = graphs.flat_map(|graph| {
            let events = graph.events.iter().map(|ev| ev.node);
            events.chain(graph.threads.iter().map(|cursor| cursor.node))
        });
        self.threads.collect(held.chain(self.frames.iter().map(|frame| frame.event.node)));
        self.alike = self.alike.forget();
    }

    /// Adds an event.
    fn extend<const LISTEN: bool>(&mut self, plan: &Plan) -> Result<(), Halt> {
        self.step = None;
        self.extend_for(plan, LISTEN)
    }

    // The page has one for those who listen and those who don't: a second is a twelfth of its module.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn extend_for(&mut self, plan: &Plan, listen: bool) -> Result<(), Halt> {
        if self.threads.is_full() {
            self.collect();
        }
        loop {
            let graph = &mut self.graphs[self.level];
            self.poser.inquiries.budget.count(graph.cost())?;
            if plan.leaves_out
                && !graph.stuck.is_empty()
                && let Some(read) = graph.waits_for_nobody(plan, &self.threads)
            {
                self.leave_whole(read);
                return Ok(());
            }
            let thread = match graph.next(plan, &mut self.threads) {
                None => return Ok(self.whole(plan)?),
                Some(Next::Update(read)) => {
                    let slot = graph.free_slot(plan).ok_or(Halt::Full)?;
                    let event = graph.update_template(read);
                    self.push_write(plan, listen, &event, slot)?;
                    if self.phase == Phase::Choose {
                        return self.choose_for(plan, listen);
                    }
                    continue;
                }
                Some(Next::Thread(thread)) => thread,
            };
            let slot = graph.free_slot(plan).ok_or(Halt::Full)?;
            let event = graph.template(thread, &self.threads);
            self.counts.steps += 1;
            let key = EventKey { thread: ThreadId(event.thread), serial: event.serial.into() };
            match event.kind {
                Kind::Fence | Kind::End => {
                    let base = graph.base(plan, &event);
                    graph.add_other(plan, &mut self.threads, slot, &event, &base);
                    graph.put_in_run(plan, slot, &base);
                    if let Action::Error(_) = self.threads.action(event.node) {
                        self.phase = Phase::Error(slot);
                        if !listen {
                            self.report(plan);
                            return Ok(());
                        }
                    }
                }
                Kind::Read | Kind::UpdateRead => self.push_read(plan, listen, &event, slot)?,
                Kind::Write | Kind::UpdateWrite => self.push_write(plan, listen, &event, slot)?,
            }
            if listen {
                self.bare = self.phase == Phase::Choose;
                self.chosen = self.frames.len().checked_sub(1).filter(|_| self.bare);
                self.cut.clear();
                self.step = Some(Step::AddEvent { event: key });
                return Ok(());
            }
            if self.phase == Phase::Choose {
                return self.choose_for(plan, listen);
            }
        }
    }

    /// Lists the sources of a new read; takes the only one at once.
    #[inline(always)]
    fn push_read(&mut self, plan: &Plan, listen: bool, event: &Ev, slot: Slot) -> Result<(), Paused> {
        let first = self.candidates.len();
        let graph = &self.graphs[self.level];
        let base = graph.base(plan, event);
        if event.library {
            // It may wait, whatever is there.
            self.candidates.push((NONE, false));
        }
        let listed = self.candidates.len();
        if plan.tracks_co {
            let mut source = NONE;
            loop {
                source = graph.next_source(plan, &self.threads, event, &base, source);
                if source == NONE {
                    break;
                }
                self.candidates.push((source, false));
            }
        } else {
            graph.list_sources(&self.threads, event, &mut self.candidates);
        }
        if plan.has_inputs {
            let values = plan.code.values_of_input(crate::program::Location(event.location.into()));
            self.candidates.extend(values.skip(1).map(|location| (INIT + location as Slot, false)));
        }
        let mut kept = listed;
        for at in listed..self.candidates.len() {
            let source = self.candidates[at].0;
            if graph.admits_source(plan, event, source)
                && (event.kind != Kind::UpdateRead
                    || !graph.is_hopeless(plan, &self.threads, event, &base, source, &mut self.poser))
            {
                self.candidates[kept] = (source, false);
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
        if plan.options.spurious && event.kind == Kind::UpdateRead && !event.library {
            self.add_spurious(plan, event, first);
        }
        let graph = &self.graphs[self.level];
        let mut hidden = if plan.tracks_co { Hidden::NOTHING } else { graph.hidden(plan, &graph.live, event, &base) };
        if !listen && self.candidates.len() == first + 1 {
            let candidate = self.candidates[first];
            let is_vain = plan.leaves_out && self.is_vain(plan, event, candidate);
            if candidate.0 == NONE || !hidden.contains(candidate.0) && !is_vain {
                let graph = &self.graphs[self.level];
                self.candidates.truncate(first);
                self.poser.inquiries.budget.count(graph.cost())?;
                let consistent = self.add_source(plan, listen, (event, slot), &base, candidate, &mut hidden)?;
                self.counts.steps += 1;
                self.taken_alone(consistent);
                return Ok(());
            }
        }
        self.push_frame(Choices::Sources, event, slot, first, Bits::EMPTY, NONE);
        if let Some(frame) = self.frames.last_mut() {
            (frame.rejected, frame.hides_initial) = (hidden.writes, hidden.initial);
            frame.is_last =
                self.counts_blocked && !plan.leaves_out && self.graphs[self.level].is_last(plan, &self.threads, event);
        }
        Ok(())
    }

    /// Adds the spurious failures behind the other candidates.
    #[cold]
    fn add_spurious(&mut self, plan: &Plan, event: &Ev, first: usize) {
        let Action::Update { update, .. } = *self.threads.action(event.node) else { return };
        for at in first..self.candidates.len() {
            let (source, _) = self.candidates[at];
            if update.may_fail_spuriously(self.graphs[self.level].value(plan, source)) {
                self.candidates.push((source, true));
            }
        }
    }

    /// Lists the places of a new write and the reads that it may revisit; takes the only place at once if that is all.
    #[inline(always)]
    fn push_write(&mut self, plan: &Plan, listen: bool, event: &Ev, slot: Slot) -> Result<(), Paused> {
        let first = self.candidates.len();
        let graph = &self.graphs[self.level];
        let base = graph.base(plan, event);
        let mut reads = graph.cell(event.location).reads.minus(&graph.with_twins(plan, event, base.porf));
        if event.library {
            let gives = operation(&self.threads, event);
            for read in reads.iter() {
                let takes = operation(&self.threads, graph.event(read));
                if !takes.is_some_and(|takes| library::may_follow(takes, gives)) {
                    reads.remove(read);
                }
            }
        }
        if plan.has_alike {
            self.alike.ask(&reads);
        }
        self.list_places(plan, event, &base);
        if !listen && reads.is_empty() && self.candidates.len() == first + 1 {
            let (front, _) = self.candidates[first];
            self.candidates.truncate(first);
            self.poser.inquiries.budget.count(self.graphs[self.level].cost())?;
            let consistent = self.add_place(plan, listen, (event, slot), &base, front)?;
            self.counts.steps += u64::from(plan.tracks_co);
            self.taken_alone(consistent);
            return Ok(());
        }
        self.push_frame(Choices::Places, event, slot, first, reads, NONE);
        Ok(())
    }

    #[inline(always)]
    fn list_places(&mut self, plan: &Plan, event: &Ev, base: &Base<W>) {
        let graph = &self.graphs[self.level];
        let mut front = NONE;
        loop {
            front = graph.next_place(plan, event, base, front);
            if front == NONE {
                break;
            }
            if graph.admits_place(plan, event, front) {
                self.candidates.push((front, false));
            }
        }
    }

    #[inline(always)]
    fn push_frame(&mut self, choices: Choices, event: &Ev, slot: Slot, first: usize, reads: Bits<W>, read: Slot) {
        self.frames.push(Frame {
            choices,
            level: self.level as u32,
            mark: self.graphs[self.level].log.len() as u32,
            slot,
            event: *event,
            candidates: (first as u32, first as u32, self.candidates.len() as u32),
            child: 0,
            end: u32::MAX,
            reads,
            read,
            rejected: Bits::EMPTY,
            hides_initial: false,
            is_last: false,
        });
        self.phase = Phase::Choose;
    }

    #[inline(always)]
    fn pop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.alike.leave(self.frames.len());
            self.candidates.truncate(frame.candidates.0 as usize);
        }
    }

    /// Finds the next child of the last frame; without `LISTEN`, the next consistent one.
    #[inline(always)]
    fn choose<const LISTEN: bool>(&mut self, plan: &Plan) -> Result<(), Halt> {
        self.step = None;
        self.choose_for(plan, LISTEN)
    }

    // In the page, small graphs to which nobody listens have one of their own, unlike `extend_for`: it is a hundredth of the module,
    // and runs take up to a sixteenth less.
    #[inline(always)]
    fn choose_for(&mut self, plan: &Plan, listen: bool) -> Result<(), Halt> {
        if cfg!(not(target_family = "wasm")) {
            self.choose_here(plan, listen)
        } else if listen || W > 1 {
            self.choose_shared(plan, listen)
        } else {
            self.choose_silent(plan)
        }
    }

    #[inline(never)]
    fn choose_shared(&mut self, plan: &Plan, listen: bool) -> Result<(), Halt> {
        self.choose_here(plan, listen)
    }

    #[inline(never)]
    fn choose_silent(&mut self, plan: &Plan) -> Result<(), Halt> {
        self.choose_here(plan, false)
    }

    #[inline(always)]
    fn choose_here(&mut self, plan: &Plan, listen: bool) -> Result<(), Halt> {
        let before = if listen { self.start_listening(plan) } else { None };
        // A frame without a child may come to nothing: it is no part of a work.
        let mut at_work = true;
        loop {
            let last = self.frames.len().saturating_sub(1);
            let Some(frame) = self.frames.last() else {
                self.phase = Phase::Finish;
                self.report(plan);
                return Ok(());
            };
            self.alike.come_back(last, &self.counts, self.looks);
            if at_work && frame.child > 0 {
                self.set_mark();
            }
            at_work = false;
            let frame = &self.frames[last];
            self.level = frame.level as usize;
            let in_revisit = frame.choices == Choices::Revisit;
            let graph = &mut self.graphs[self.level];
            while graph.log.len() > frame.mark as usize {
                graph.pop(plan);
            }
            if frame.child >= frame.end || frame.is_exhausted() {
                self.pop_frame();
                at_work = true;
                continue;
            }
            let begun = listen.then_some(*frame);
            let (_, next, end) = frame.candidates;
            let chosen = if listen { last.checked_sub(usize::from(in_revisit)) } else { None };
            let cost = graph.cost();
            let (choices, child) = (frame.choices, frame.child);
            let mut taken = self.poser.inquiries.budget.count(cost);
            if taken.is_ok() {
                taken = if next == end {
                    self.take_revisit(plan, listen)
                } else {
                    let candidate = self.candidates[next as usize];
                    if !listen && !plan.tracks_co && self.is_hidden(candidate.0) {
                        self.drop_hidden(plan, cost)
                    } else {
                        self.frames[last].candidates.1 += 1;
                        match choices {
                            Choices::Sources => self.take_source(plan, listen, candidate),
                            Choices::Places => self.take_place(plan, listen, candidate.0),
                            Choices::Revisit => self.take_place_of_revisit(plan, listen, candidate),
                        }
                    }
                };
            }
            if taken.is_err() {
                // Without a listener, more than this step is taken back.
                if let Some(begun) = begun {
                    self.take_back(plan, last, begun, before);
                }
                return Err(Halt::Paused);
            }
            if self.step.is_some() {
                self.chosen = chosen;
                self.note_cut(plan, before);
                return Ok(());
            }
            match self.phase {
                Phase::Extend => return Ok(()),
                Phase::Drop | Phase::Undecided | Phase::Vain(_) => {
                    self.report(plan);
                    return Ok(());
                }
                // A listener's step is begun anew from here.
                _ if listen => self.poser.inquiries.close(),
                // A child was counted: whoever begins anew must not find it again.
                _ => at_work = self.frames.get(last).is_some_and(|frame| frame.child != child),
            }
        }
    }

    /// Takes back a step that was paused.
    #[cold]
    fn take_back(&mut self, plan: &Plan, last: usize, begun: Frame<W>, before: Option<Execution>) {
        self.frames[last] = begun;
        let graph = &mut self.graphs[begun.level as usize];
        while graph.log.len() > begun.mark as usize {
            graph.pop(plan);
        }
        self.level = begun.level as usize;
        self.before = Some(before);
    }

    /// What a listener wants to know of the graph as it was.
    fn start_listening(&mut self, plan: &Plan) -> Option<Execution> {
        self.refused = None;
        if let Some(before) = self.before.take() {
            return before;
        }
        if self.bare {
            self.bare = false;
            return None;
        }
        let graph = self.graph();
        Some(graph.execution(plan, &self.threads, &graph.live, None, Begun::Written).0)
    }

    /// Notes which events are gone.
    #[inline(always)]
    fn note_cut(&mut self, plan: &Plan, before: Option<Execution>) {
        self.cut.clear();
        if let Some(before) = before.filter(|_| !matches!(self.step, Some(Step::NotMaximal { .. }))) {
            self.note_gone(plan, &before);
        }
    }

    fn note_gone(&mut self, plan: &Plan, before: &Execution) {
        let (now, _) = self.graph().execution(plan, &self.threads, &self.graph().live, None, Begun::Written);
        let gone = before.events().filter(|(_, event)| now.find(event.key).is_none());
        self.cut = gone.map(|(_, event)| *event).collect();
    }

    /// A candidate became a child of the last frame.
    #[inline(always)]
    fn taken(&mut self, listen: bool, consistent: Decision, taken: Taken) {
        self.counts.steps += u64::from(taken != Taken::Silently);
        self.counts.revisits += u64::from(taken == Taken::Later);
        if consistent != Decision::Yes {
            self.phase = if consistent == Decision::No { Phase::Drop } else { Phase::Undecided };
            if !listen {
                self.drop_graph();
            }
            return;
        }
        self.phase = Phase::Extend;
        self.found();
    }

    /// The only choice that an event had was taken: a node with a single child, which is not remembered.
    #[inline(always)]
    fn taken_alone(&mut self, consistent: Decision) {
        self.phase = match consistent {
            Decision::Yes => {
                self.phase = Phase::Extend;
                return;
            }
            Decision::No => Phase::Drop,
            Decision::Undecided => Phase::Undecided,
        };
        self.drop_graph();
    }

    /// Counts a child of the last frame; nodes with a single one are not worth remembering.
    #[inline(always)]
    fn found(&mut self) {
        let last = self.frames.len() - 1;
        let frame = &mut self.frames[last];
        frame.child += 1;
        let is_first = frame.child == 1;
        let is_revisit = frame.choices == Choices::Revisit;
        if is_first && frame.is_exhausted() {
            self.pop_frame();
        }
        // A revisit is a child only once it turns out to have one itself.
        if is_first && is_revisit {
            let frame = &mut self.frames[last - 1];
            frame.child += 1;
            if frame.child == 1 && frame.is_exhausted() {
                self.frames.remove(last - 1);
            }
        }
    }

    /// Whether the graph switches threads seldom enough; if not, it is left.
    #[cold]
    fn stays_within(&mut self, plan: &Plan, extent: Extent) -> Result<Decision, Paused> {
        let graph = &self.graphs[self.level];
        let too_often = graph.switches_too_often(plan, &self.threads, extent, &mut self.poser.inquiries)?;
        Ok(match too_often {
            Decision::Yes => {
                self.counts.beyond += 1;
                Decision::No
            }
            Decision::No => Decision::Yes,
            // On the way, nothing has to be left.
            Decision::Undecided if extent == Extent::Whole => Decision::Undecided,
            Decision::Undecided => Decision::Yes,
        })
    }

    /// Whether the graph with its last event is consistent, where that has to be found out from scratch, and within the
    /// bounds on switches.
    #[inline(always)]
    fn passes(&mut self, plan: &Plan, added: (Slot, Option<Slot>)) -> Result<Decision, Paused> {
        let graph = &mut self.graphs[self.level];
        if plan.bounds_switches {
            self.stays_within(plan, Extent::Growing)
        } else if !plan.tracks_co {
            let decision = graph.has_co(plan, &self.threads, added, &mut self.poser)?;
            let (write, read) = added;
            let owner = read.unwrap_or(write);
            let read = read.unwrap_or(graph.event(write).previous);
            graph.follow_found(owner, read, &mut self.poser);
            Ok(decision)
        } else if !plan.orders_fences || graph.sc_fences.len() < 2 {
            Ok(Decision::Yes)
        } else if let Some(known) = self.poser.inquiries.known() {
            Ok(known)
        } else {
            graph.is_consistent(plan, &self.threads, &mut self.poser.inquiries)
        }
    }

    /// Whether the last frame is that of a read that can't take a source, as was known when it came.
    #[inline(always)]
    fn is_hidden(&self, source: Slot) -> bool {
        self.frames.last().is_some_and(|frame| frame.choices == Choices::Sources && frame.hides(source))
    }

    /// Drops the next candidate of the last frame and those behind it, as long as they are hidden: what
    /// [`Self::take_source`] would do with each of them. `cost` is what the choice of one is.
    fn drop_hidden(&mut self, plan: &Plan, cost: u64) -> Result<(), Paused> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let (first, next, end) = frame.candidates;
        let rest = &self.candidates[next as usize..end as usize];
        let hidden = rest.iter().take_while(|&&(source, _)| frame.hides(source)).count() as u64;
        // The choice of the first was counted.
        self.poser.inquiries.budget.count(cost * hidden.saturating_sub(1))?;
        let last = u64::from(next) + hidden;
        frame.candidates.1 = last as u32;
        self.counts.steps += 2 * hidden;
        self.counts.dropped += hidden;
        self.counts.revisits += hidden - u64::from(next == first && hidden > 0);
        (next as usize..last as usize).for_each(|at| self.drop_known(plan, at));
        Ok(())
    }

    /// Counts the question that a hidden candidate answers.
    fn drop_known(&mut self, plan: &Plan, at: usize) {
        self.poser.inquiries.questions.count(Stage::Pairs);
        #[cfg(test)]
        if let Some(&Frame { event, .. }) = self.frames.last() {
            let graph = &self.graphs[self.level];
            let base = graph.base(plan, &event);
            let with_source = graph.with_source(plan, &self.threads, &event, self.candidates[at]);
            let more = More { ev: &with_source, base: &base, whole: false };
            graph.known_to_fit(plan, &self.threads, &graph.live, more, Decision::No, &mut self.poser);
        }
        #[cfg(not(test))]
        let _ = (plan, at);
    }

    /// Whether a new read is consistent with a source, as far as that is found out before it is added. Without co, a source with
    /// which it is not is `hidden` from then on.
    #[inline(always)]
    fn fits(
        &mut self,
        plan: &Plan,
        ev: &Ev,
        base: &Base<W>,
        candidate: (Slot, bool),
        hidden: &mut Hidden<W>,
    ) -> Result<Decision, Paused> {
        let (source, spurious) = candidate;
        let graph = &self.graphs[self.level];
        let mut consistent = Decision::Yes;
        if source != NONE && plan.tracks_co {
            if plan.psc {
                let with_source = graph.with_source(plan, &self.threads, ev, candidate);
                consistent = graph.allows(plan, &with_source, base, source).into();
            }
        } else if source != NONE {
            let with_source = graph.with_source(plan, &self.threads, ev, candidate);
            let more = More { ev: &with_source, base, whole: false };
            let is_hidden = hidden.contains(source);
            consistent = if is_hidden || plan.decides && !graph.has_open_fences(plan, &graph.live) {
                graph.known_to_fit(plan, &self.threads, &graph.live, more, !is_hidden, &mut self.poser)
            } else {
                graph.has_co_with(plan, &self.threads, &graph.live, more, &mut self.poser)?
            };
            if consistent == Decision::No && !spurious && !is_init(source) {
                hidden.writes.insert(source);
            }
        }
        Ok(consistent)
    }

    /// Adds a read with a source, if that is consistent or somebody listens.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn add_source(
        &mut self,
        plan: &Plan,
        listen: bool,
        (ev, slot): (&Ev, Slot),
        base: &Base<W>,
        candidate: (Slot, bool),
        hidden: &mut Hidden<W>,
    ) -> Result<Decision, Paused> {
        let mut consistent = self.fits(plan, ev, base, candidate, hidden)?;
        let source = candidate.0;
        if consistent.is_yes() || listen {
            let graph = &mut self.graphs[self.level];
            let new = New { slot, event: ev, base, older: graph.live, consistent: consistent.is_yes() };
            graph.add_read(plan, &mut self.threads, &new, candidate);
            graph.put_in_run(plan, slot, base);
            if !plan.tracks_co {
                graph.rejected[slot as usize] = hidden.writes;
            }
            if plan.keeps_places {
                graph.follow_found(slot, slot, &mut self.poser);
            }
            if consistent.is_yes() && source != NONE && plan.tracks_co {
                consistent = self.passes(plan, (source, Some(slot)))?;
            }
        }
        Ok(consistent)
    }

    #[inline(always)]
    fn take_source(&mut self, plan: &Plan, listen: bool, candidate: (Slot, bool)) -> Result<(), Paused> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (ev, slot) = (frame.event, frame.slot);
        let taken = frame.taken();
        let mut hidden = Hidden { writes: frame.rejected, initial: frame.hides_initial };
        let (source, spurious) = candidate;
        let is_last = frame.is_last;
        let graph = &self.graphs[self.level];
        let base = graph.base(plan, &ev);
        let may_be_alike = self.counts_blocked && plan.has_alike && !listen && !spurious;
        let is_inert = may_be_alike && graph.is_inert(plan, &ev, &base, source);
        let stops = !listen && (is_last || is_inert) && self.blocks(plan, &ev, candidate);
        // Who may be stuck for good has to be looked at.
        let has_gone_on = || source == NONE || self.graph().is_changed(plan, ev.location, source);
        let blocks = stops && is_last && (!plan.finds_stuck || has_gone_on());
        let node = self.frames.len() - 1;
        if plan.leaves_out && !self.is_hidden(source) && self.is_vain(plan, &ev, candidate) {
            return self.leave_out(plan, listen, (&ev, slot), candidate, taken);
        }
        if plan.has_alike {
            self.alike.lead_nowhere(node);
        }
        let is_behind = may_be_alike && self.is_behind(node);
        let key = Key { node: ev.node, seen: None };
        if stops
            && is_inert
            && !blocks
            && let Some(size) = self.alike(node, &key, is_behind)
        {
            self.taken(listen, Decision::Yes, taken);
            self.count_subtree(&size);
            return Ok(());
        }
        let consistent = if blocks {
            let consistent = self.fits(plan, &ev, &base, candidate, &mut hidden)?;
            self.poser.forget_run();
            consistent
        } else {
            self.add_source(plan, listen, (&ev, slot), &base, candidate, &mut hidden)?
        };
        if !plan.tracks_co
            && let Some(frame) = self.frames.last_mut()
        {
            frame.rejected = hidden.writes;
        }
        self.taken(listen, consistent, taken);
        if may_be_alike && !blocks && consistent.is_yes() {
            self.compare(plan, (node, slot), key, (is_inert, stops, is_behind));
        }
        if blocks && consistent.is_yes() {
            // The event that blocks is a step, too.
            self.counts.steps += 1;
            self.count_whole(plan, ExecutionKind::Blocked);
        }
        if !listen {
            return Ok(());
        }
        let (read, direction) = (self.graph().key(slot), Direction::Forward);
        if source == NONE {
            self.step = Some(Step::Block { read });
            return Ok(());
        }
        let write = self.graph().key(source);
        self.step = Some(match (taken, spurious) {
            (_, true) => Step::TakeSpurious { read, write, direction },
            (Taken::First, _) => Step::ChooseSource { read, write },
            _ => Step::TakeRevisit { read, write, direction },
        });
        Ok(())
    }

    /// Leaves out a source of the read of the last frame, with which its thread waits in vain.
    fn leave_out(
        &mut self,
        plan: &Plan,
        listen: bool,
        (ev, slot): (&Ev, Slot),
        candidate: (Slot, bool),
        taken: Taken,
    ) -> Result<(), Paused> {
        // The choice, and that it is left out.
        self.counts.steps += 1;
        self.counts.revisits += u64::from(taken == Taken::Later);
        self.phase = Phase::Vain(slot);
        if !listen {
            self.counts.steps += 1;
            self.counts.left_out += 1;
            self.phase = Phase::Choose;
            return Ok(());
        }
        let graph = &mut self.graphs[self.level];
        let base = graph.base(plan, ev);
        let new = New { slot, event: ev, base: &base, older: graph.live, consistent: false };
        graph.add_read(plan, &mut self.threads, &new, candidate);
        graph.put_in_run(plan, slot, &base);
        let (read, write) = (self.graph().key(slot), self.graph().key(candidate.0));
        self.step = Some(if taken == Taken::First {
            Step::ChooseSource { read, write }
        } else {
            Step::TakeRevisit { read, write, direction: Direction::Forward }
        });
        Ok(())
    }

    /// Leaves the graph, in which a thread waits in vain at a read.
    fn leave_whole(&mut self, read: Slot) {
        self.counts.steps += 1;
        self.counts.left_out += 1;
        self.phase = Phase::Choose;
        self.step = Some(Step::LeaveOut { read: self.graph().key(read) });
    }

    /// Whether a new read makes its thread wait in vain with this source.
    fn is_vain(&mut self, plan: &Plan, ev: &Ev, candidate: (Slot, bool)) -> bool {
        !ev.library
            && !candidate.1
            && self.threads.may_wait(ev.node)
            && self.blocks(plan, ev, candidate)
            && self.graph().is_overtaken(plan, ev.location, candidate.0)
    }

    /// Whether a new read, whose node is the last one, comes at once behind another read of its location that is inert.
    fn is_behind(&self, node: usize) -> bool {
        if !self.alike.leads_to(node) {
            return false;
        }
        let (read, before) = (&self.frames[node], &self.frames[node - 1]);
        let graph = self.graph();
        graph.threads[usize::from(read.event.thread)].last == before.slot
            && graph.log.last().is_some_and(|(slot, _)| *slot == before.slot)
            && before.event.location == read.event.location
            && !read.event.library
    }

    /// A read was added that may be alike another one with other sources, in front of it or of its own: counts what it leads to if
    /// that is known, else notes what comes to be known.
    fn compare(
        &mut self,
        plan: &Plan,
        (node, slot): (usize, Slot),
        mut key: Key<W>,
        (is_inert, stops, is_behind): (bool, bool, bool),
    ) {
        let graph = &self.graphs[self.level];
        let is_blocked = is_inert && stops;
        if !is_blocked && is_behind {
            key.seen = Some((graph.event(slot).source, graph.view(plan, slot)));
            if let Some(size) = self.alike(node, &key, true) {
                return self.count_subtree(&size);
            }
        }
        if self.frames.len() <= node {
            return;
        }
        if is_inert && !stops && !graph.event(slot).writes && !graph.special.contains(slot) {
            self.alike.lead_on(node);
        }
        let is_behind = is_behind && self.alike.has_room(node);
        // What was seen before a pause is not seen again.
        if (is_blocked || is_behind) && self.told >= self.seen {
            let read = if is_blocked { NONE } else { slot };
            self.alike.begin(node, (key, read, is_behind), &self.counts, self.looks);
        }
    }

    /// How large the subtree of the next child of a node is, if that is known and within the bounds.
    fn alike(&self, node: usize, key: &Key<W>, is_behind: bool) -> Option<Arc<Size>> {
        self.alike.size(node, key, is_behind).filter(|size| size.fits(&self.counts, self.until))
    }

    /// Counts the subtree of a child, which was taken.
    fn count_subtree(&mut self, size: &Size) {
        self.counts.append(size.counts);
        self.alike.owe(size);
        self.phase = Phase::Choose;
    }

    /// The final state of the whole graph is one of those that are listed, with this number, or none.
    #[inline(always)]
    pub(super) fn note_state(&mut self, state: Option<usize>) {
        match state {
            Some(state) if state < MOST_STATES => self.alike.meet(state),
            Some(_) => self.looks += 1,
            None => self.alike = self.alike.forget(),
        }
    }

    /// What was counted of final states without being looked at: their numbers, and how many executions more have them.
    #[inline(always)]
    pub(super) fn take_owed(&mut self) -> Option<Vec<(usize, u64)>> {
        self.alike.take_owed()
    }

    /// Final states get other numbers from now on.
    pub(super) fn forget_states(&mut self) {
        self.alike = self.alike.forget();
    }

    /// Whether a new read blocks its thread with this source.
    #[inline(always)]
    fn blocks(&mut self, plan: &Plan, ev: &Ev, candidate: (Slot, bool)) -> bool {
        let graph = &self.graphs[self.level];
        let (source, spurious) = candidate;
        if is_init(source) && plan.code.is_uninitialised(Location(ev.location.into()))
            || ev.kind == Kind::UpdateRead && graph.with_source(plan, &self.threads, ev, candidate).writes
        {
            return false;
        }
        let behind = self.threads.behind(ev.node, graph.value(plan, source), spurious);
        matches!(self.threads.action(behind), Action::Stuck | Action::Spin)
    }

    /// Adds a write at a place, if that is consistent or somebody listens.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn add_place(
        &mut self,
        plan: &Plan,
        listen: bool,
        (ev, slot): (&Ev, Slot),
        base: &Base<W>,
        front: Slot,
    ) -> Result<Decision, Paused> {
        let graph = &mut self.graphs[self.level];
        let mut consistent = Decision::from(graph.allows(plan, ev, base, front));
        if consistent.is_yes() || listen {
            let new = New { slot, event: ev, base, older: graph.live, consistent: consistent.is_yes() };
            graph.add_write(plan, &mut self.threads, &new, front);
            graph.put_in_run(plan, slot, base);
            // Without co, a new write can be last.
            let certain = !plan.tracks_co && ev.kind == Kind::Write;
            if consistent.is_yes() && !certain {
                consistent = self.passes(plan, (slot, None))?;
            }
        }
        Ok(consistent)
    }

    #[inline(always)]
    fn take_place(&mut self, plan: &Plan, listen: bool, front: Slot) -> Result<(), Paused> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (ev, slot) = (frame.event, frame.slot);
        let taken = frame.taken();
        let base = self.graphs[self.level].base(plan, &ev);
        let consistent = self.add_place(plan, listen, (&ev, slot), &base, front)?;
        // Without co there is nothing to say about the only place of a write.
        self.taken(listen, consistent, if plan.tracks_co { taken } else { Taken::Silently });
        if listen && plan.tracks_co {
            let (write, after) = (self.graph().key(slot), self.graph().key(front));
            self.step = Some(if taken == Taken::First {
                Step::PlaceWrite { write, after }
            } else {
                Step::TakePlacement { write, after }
            });
        }
        Ok(())
    }

    /// Looks whether the new write may revisit the next of its reads, mostly newer ones first.
    #[inline(always)]
    fn take_revisit(&mut self, plan: &Plan, listen: bool) -> Result<(), Paused> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let (ev, slot) = (&frame.event, frame.slot);
        let graph = &self.graphs[self.level];
        let prefix = graph.with_twins(plan, ev, graph.porf_of_next(ev));
        // Each event that would be deleted is looked at.
        let cost = u64::from(graph.live.len()) * W as u64;
        let read = loop {
            let Some(read) = frame.reads.last() else { return Ok(()) };
            frame.reads.remove(read);
            self.poser.inquiries.budget.count(cost)?;
            if listen || !graph.doomed(read, &prefix).intersects(&graph.not_maximal) {
                break read;
            }
            // Nobody wants to know more of it.
            self.counts.steps += 1;
        };
        let asked = if listen { Asked::Why } else { Asked::Whether };
        let kept = match graph.revisit(plan, &self.threads, read, &prefix, asked, &mut self.poser) {
            Ok(kept) => kept,
            Err(Refusal::Paused) => return Err(Paused),
            Err(Refusal::Flaw(flaw)) => {
                self.counts.steps += 1;
                self.counts.undecided += u64::from(matches!(flaw, Some((_, Flaw::Undecided(_)))));
                let Some((event, flaw)) = flaw.filter(|_| listen) else { return Ok(()) };
                self.refused = Some((event, graph.live.minus(graph.older(read)).minus(&prefix)));
                let reason = match flaw {
                    Flaw::IsRead(by) => Reason::IsRead(graph.key(by)),
                    Flaw::CoEarlier(than) => Reason::CoEarlier(graph.key(than)),
                    Flaw::ReadsEarlier(than) => Reason::ReadsEarlier(graph.key(than)),
                    Flaw::OtherSource(other) => Reason::OtherSource(graph.key(other)),
                    Flaw::DoesNotWait => Reason::DoesNotWait,
                    Flaw::Undecided(other) => Reason::Undecided(graph.key(other)),
                };
                let write = EventKey { thread: ThreadId(ev.thread), serial: ev.serial.into() };
                self.step = Some(Step::NotMaximal { read: graph.key(read), write, event: graph.key(event), reason });
                return Ok(());
            }
        };
        if self.graphs.len() == self.level + 1 {
            self.graphs.push(self.graphs[self.level].clone());
        }
        let (below, above) = self.graphs.split_at_mut(self.level + 1);
        let graph = &mut above[0];
        graph.copy(&mut below[self.level]);
        graph.restrict(plan, &kept, read);
        self.level += 1;
        let (ev, first) = (*ev, self.candidates.len());
        let base = self.graphs[self.level].base(plan, &ev);
        self.list_places(plan, &ev, &base);
        if plan.options.spurious {
            self.add_spurious_places(plan, &ev, read, first);
        }
        self.push_frame(Choices::Revisit, &ev, slot, first, Bits::EMPTY, read);
        Ok(())
    }

    /// Adds the places at which the read that is revisited fails spuriously.
    #[cold]
    fn add_spurious_places(&mut self, plan: &Plan, write: &Ev, read: Slot, first: usize) {
        let Action::Update { update, .. } = *self.threads.action(self.graph().event(read).node) else { return };
        if update.may_fail_spuriously(self.graph().written(plan, &self.threads, write)) {
            for at in first..self.candidates.len() {
                self.candidates.push((self.candidates[at].0, true));
            }
        }
    }

    #[inline(always)]
    fn take_place_of_revisit(&mut self, plan: &Plan, listen: bool, candidate: (Slot, bool)) -> Result<(), Paused> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let (ev, slot, read) = (frame.event, frame.slot, frame.read);
        let first = frame.taken() == Taken::First;
        let (front, spurious) = candidate;
        let graph = &mut self.graphs[self.level];
        let older = graph.live.with(read);
        let base = graph.base(plan, &ev);
        let mut consistent = Decision::from(graph.allows(plan, &ev, &base, front));
        if consistent.is_yes() || listen {
            let new = New { slot, event: &ev, base: &base, older, consistent: consistent.is_yes() };
            graph.add_write(plan, &mut self.threads, &new, front);
            graph.put_in_run(plan, slot, &base);
            graph.not_maximal.insert(slot);
            let template = graph.template_of(read);
            let base = graph.base(plan, &template);
            let with_source = graph.with_source(plan, &self.threads, &template, (slot, spurious));
            let fits = consistent.is_yes()
                && graph.admits_source(plan, &template, slot)
                && graph.may_take(plan, &base, slot)
                && graph.allows(plan, &with_source, &base, slot);
            consistent = fits.into();
            if fits || listen {
                let older = *graph.older(read);
                let new = New { slot: read, event: &template, base: &base, older, consistent: fits };
                graph.add_read(plan, &mut self.threads, &new, (slot, spurious));
                graph.put_in_run(plan, read, &base);
                if fits {
                    consistent = self.passes(plan, (slot, Some(read)))?;
                }
            }
        }
        let is_vain = plan.leaves_out && consistent.is_yes() && {
            let template = self.graph().template_of(read);
            self.is_vain(plan, &template, (slot, spurious))
        };
        if is_vain {
            self.counts.steps += 1;
            self.counts.revisits += 1;
            self.phase = Phase::Vain(read);
        } else {
            self.taken(listen, consistent, Taken::Later);
        }
        if !listen {
            if is_vain {
                self.counts.steps += 1;
                self.counts.left_out += 1;
                self.phase = Phase::Choose;
            }
            return Ok(());
        }
        let graph = self.graph();
        let (read, write, direction) = (graph.key(read), graph.key(slot), Direction::Backward);
        self.step = Some(if spurious {
            Step::TakeSpurious { read, write, direction }
        } else if first || !plan.tracks_co {
            Step::TakeRevisit { read, write, direction }
        } else {
            Step::TakePlacement { write, after: graph.key(front) }
        });
        Ok(())
    }

    /// The graph is whole: it is an execution, unless an operation waits for what is there.
    #[inline(always)]
    fn whole(&mut self, plan: &Plan) -> Result<(), Paused> {
        let graph = &self.graphs[self.level];
        if !graph.special.is_empty() {
            return self.special(plan);
        }
        if self.bound_switches(plan)? {
            return Ok(());
        }
        let graph = &self.graphs[self.level];
        let is_complete = graph.stuck.is_empty();
        if plan.leaves_out
            && !is_complete
            && let Some(read) = graph.waits_in_vain(plan, &self.threads)
        {
            self.leave_whole(read);
            return Ok(());
        }
        if plan.finds_stuck && !is_complete && graph.may_be_stuck(plan, &self.threads) {
            return self.look_at_whole(plan);
        }
        self.count_whole(plan, if is_complete { ExecutionKind::Complete } else { ExecutionKind::Blocked });
        Ok(())
    }

    /// Counts a whole graph with nothing wrong.
    #[inline(always)]
    fn count_whole(&mut self, plan: &Plan, kind: ExecutionKind) {
        self.counts.steps += 1;
        self.counts.add(kind, false);
        self.counts.plain += u64::from(!plan.tracks_co);
        self.phase = Phase::Choose;
        self.step = Some(Step::Execution { number: self.counts.executions(), kind });
    }

    /// Leaves a whole graph that is beyond the bounds on switches, and whether it did.
    #[inline(always)]
    fn bound_switches(&mut self, plan: &Plan) -> Result<bool, Paused> {
        if !plan.bounds_switches {
            return Ok(false);
        }
        self.phase = match self.stays_within(plan, Extent::Whole)? {
            Decision::Yes => return Ok(false),
            Decision::No => Phase::Drop,
            Decision::Undecided => Phase::Undecided,
        };
        self.step = Some(self.drop_graph());
        Ok(true)
    }

    #[cold]
    fn special(&mut self, plan: &Plan) -> Result<(), Paused> {
        let graph = self.graph();
        if graph.special.iter().any(|slot| graph.is_ill_blocked(&self.threads, slot)) {
            self.phase = Phase::Drop;
            self.step = Some(self.drop_graph());
            return Ok(());
        }
        if self.bound_switches(plan)? {
            return Ok(());
        }
        self.look_at_whole(plan)
    }

    /// Looks what is wrong with a whole graph, if anything is.
    #[cold]
    fn look_at_whole(&mut self, plan: &Plan) -> Result<(), Paused> {
        let graph = self.graph();
        let (graph, co) = graph.execution(plan, &self.threads, &graph.live, None, Begun::Written);
        let fault = tally::fault(&plan.code, plan.model, plan.options, &graph);
        let may_be_stuck = fault.is_none() && classify(&graph, false).0 == ExecutionKind::Blocked;
        self.stuck = if may_be_stuck { self.is_stuck(plan, &graph, co.as_ref())? } else { Decision::No };
        self.looks += 1;
        self.whole = Some((graph, co));
        self.wrong = fault.is_some();
        self.step = Some(match fault {
            Some(step) => {
                self.counts.steps += 1;
                self.phase = Phase::Execution;
                step
            }
            None => self.execution_step(plan),
        });
        Ok(())
    }

    /// Whether a whole graph that is blocked is stuck for good.
    fn is_stuck(&mut self, plan: &Plan, graph: &Execution, co: Option<&Coherence>) -> Result<Decision, Paused> {
        let whole = Whole { code: &plan.code, model: plan.model, options: &plan.options, graph, co };
        let inquiries = &mut self.poser.inquiries;
        if let Some(known) = inquiries.known() {
            return Ok(known);
        }
        Ok(inquiries.decide(|inquiry, _, budget| whole.is_stuck(inquiry, budget))?.0)
    }

    fn execution_step(&mut self, plan: &Plan) -> Step {
        self.counts.steps += 1;
        self.counts.plain += u64::from(!plan.tracks_co);
        self.phase = Phase::Choose;
        let Some((graph, _)) = &self.whole else {
            return Step::Execution { number: self.counts.executions(), kind: ExecutionKind::Complete };
        };
        let (mut kind, bounded) = classify(graph, std::mem::take(&mut self.wrong));
        match std::mem::replace(&mut self.stuck, Decision::No) {
            Decision::Yes => kind = ExecutionKind::StuckForGood,
            Decision::No => {}
            Decision::Undecided => self.counts.undecided += 1,
        }
        self.counts.add(kind, bounded);
        if plan.options.stop_at_first && kind.is_wrong() {
            self.stopped = true;
            self.phase = Phase::Finish;
        }
        Step::Execution { number: self.counts.executions(), kind }
    }

    /// What the revisit that was refused last would delete.
    pub(super) fn refused(&self) -> Vec<EventKey> {
        let graph = self.graph();
        self.refused.iter().flat_map(|(_, deleted)| deleted.iter()).map(|slot| graph.key(slot)).collect()
    }

    /// The current graph; an event that is about to get a source or place is in it without.
    pub(super) fn execution(&self, plan: &Plan) -> (Execution, Option<Coherence>) {
        let graph = self.graph();
        let bare =
            self.frames.last().filter(|frame| self.bare || self.refused.is_some() && frame.event.kind == Kind::Write);
        graph.execution(plan, &self.threads, &graph.live, bare.map(|frame| (&frame.event, NONE)), Begun::Written)
    }

    /// [`Graph::list_final_values`] of the current graph.
    pub(super) fn list_final_values(&mut self, plan: &Plan, locations: &[u16]) -> Result<Option<Decision>, Paused> {
        let (graph, threads) = (&self.graphs[self.level], &self.threads);
        graph.list_final_values(plan, threads, locations, &mut self.last_writes, &mut self.poser)
    }

    /// The registers of a thread at the end of the current graph.
    #[inline(always)]
    pub(super) fn registers(&self, thread: usize) -> &[Value] {
        self.threads.state(self.graph().threads[thread].node).registers()
    }

    /// How many events and candidates a copy holds.
    pub(super) fn weight(&self) -> usize {
        let events: usize = self.graphs[..=self.level].iter().map(|graph| graph.events.len()).sum();
        events + self.candidates.len() + self.threads.len()
    }

    /// What is left, if [`Self::is_between`]; `None` if that is nothing.
    pub(super) fn work(&self) -> Option<Work> {
        if self.phase == Phase::Extend {
            // Nothing was done yet.
            return Some(Work::default());
        }
        let last = self.frames.len().checked_sub(1)?;
        let branch = |(at, frame): (usize, &Frame<W>)| Branch {
            next: if at == last { frame.child } else { frame.child - 1 },
            end: (frame.end != u32::MAX).then_some(frame.end),
        };
        Some(Work(self.frames.iter().enumerate().map(branch).collect()))
    }

    /// Gives away the last part of what is left, if [`Self::is_between`]: the later children of the first node that may
    /// have any, but for the last node, of which nobody knows whether it has.
    pub(super) fn split(&mut self) -> Option<Work> {
        let last = self.frames.len().checked_sub(1)?;
        let at = self.frames[..last].iter().position(|frame| frame.child < frame.end && !frame.is_exhausted())?;
        let closed = |frame: &Frame<W>| Branch { next: frame.child - 1, end: Some(frame.child) };
        let mut branches: Vec<Branch> = self.frames[..at].iter().map(closed).collect();
        let frame = &mut self.frames[at];
        branches.push(Branch { next: frame.child, end: (frame.end != u32::MAX).then_some(frame.end) });
        frame.end = frame.child;
        Some(Work(branches))
    }

    /// Goes from the root to where a work begins, counting nothing; `false` if there is no such place.
    pub(super) fn resume(&mut self, plan: &Plan, work: &Work) -> Result<bool, Halt> {
        for (at, branch) in work.0.iter().enumerate() {
            let is_last = at + 1 == work.0.len();
            if !self.descend(plan, at)? {
                return Ok(false);
            }
            let wanted = if is_last { branch.next } else { branch.next.saturating_add(1) };
            if wanted == 0 || branch.end.is_some_and(|end| end < wanted) || !self.go_to_child(plan, at, wanted)? {
                return Ok(false);
            }
            // Nothing leads back from here.
            self.frames[at].end = wanted;
            if is_last {
                self.frames.truncate(at + 1);
                self.phase = Phase::Choose;
            }
        }
        for (frame, branch) in self.frames.iter_mut().zip(&work.0) {
            frame.end = branch.end.unwrap_or(u32::MAX);
        }
        self.counts = Counts::default();
        self.set_mark();
        Ok(true)
    }

    /// Extends the graph until a node with this number is remembered; `false` if there is none on the way.
    fn descend(&mut self, plan: &Plan, at: usize) -> Result<bool, Halt> {
        while self.frames.len() <= at {
            let frames = self.frames.len();
            if self.phase != Phase::Extend {
                return Ok(false);
            }
            self.extend::<false>(plan)?;
            if self.frames.len() < frames {
                return Ok(false);
            }
        }
        Ok(self.phase == Phase::Extend)
    }

    /// Goes on at a node until as many children were found; `false` if there are fewer.
    fn go_to_child(&mut self, plan: &Plan, at: usize, wanted: u32) -> Result<bool, Halt> {
        while self.frames[at].child < wanted {
            while self.frames.len() > at + 1 {
                self.pop_frame();
            }
            self.choose::<false>(plan)?;
            if self.frames.len() <= at {
                return Ok(false);
            }
        }
        Ok(self.frames[at].child == wanted)
    }

    /// A random descent from the root, where this must be.
    pub(super) fn probe(&mut self, plan: &Plan, choose: &mut dyn FnMut(u32) -> u32) -> Result<Probe, Halt> {
        let mut probe = Probe { leaves: 1.0, depth: 0 };
        loop {
            let at = self.frames.len();
            if !self.descend(plan, at)? {
                if self.counts.executions() == 0 {
                    probe.leaves = 0.0;
                }
                return Ok(probe);
            }
            // A dead end leads nowhere else.
            self.frames[at].end = 0;
            let place = (self.frames.clone(), self.candidates.clone(), self.graphs[..=self.level].to_vec());
            let mut children = 1;
            self.frames[at].end = u32::MAX;
            while self.go_to_child(plan, at, children + 1)? {
                children += 1;
            }
            self.level = place.2.len() - 1;
            (self.frames, self.candidates) = (place.0, place.1);
            self.graphs.truncate(0);
            self.graphs.extend(place.2);
            self.phase = Phase::Extend;
            let chosen = choose(children).min(children - 1);
            self.frames[at].end = u32::MAX;
            if !self.go_to_child(plan, at, chosen + 1)? {
                return Ok(probe);
            }
            self.frames[at].end = 0;
            self.counts = Counts::default();
            probe.leaves *= f64::from(children);
            probe.depth += 1;
        }
    }
}
