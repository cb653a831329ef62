//! What GenMC does alike with co and without: the order of its phases, and those in which co plays no part.

use crate::budget::{Budget, Decision, Paused};
use crate::explore::growing::GrowingGraph;
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Direction, ExecutionKind, Options, Proposed, Revisit, Step};
use crate::graph::{Coherence, Event, EventId, EventKey, EventSet};
use crate::library;
use crate::model::{Inquiry, Model};
use crate::program::{Action, Code};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::Hash;
use std::sync::Arc;

/// What comes next. `P` are the phases that only one of the two has.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Phase<P> {
    /// The head of VISITONE's loop.
    Visit,
    /// The new read wants a source: the `usize`th is tried next.
    Choose(EventId, usize),
    /// The new read's other choices are pushed: the `usize`th is next.
    PushForward(EventId, usize),
    /// CALCREVISITS for a write: the read with this id is next, or its spurious failure.
    PushBackward(EventId, u32, bool),
    /// One of its own.
    Own(P),
    /// An error event was added and is reported.
    ReportError(EventId),
    /// The graph is whole: races are reported.
    ReportRace,
    /// The graph is whole.
    Complete,
    /// The graph was found before.
    Duplicate,
    /// VERIFY's loop.
    Take,
    /// The end is to be said.
    Finish,
    /// The end.
    Done,
}

/// What an exploration keeps beside T, S and U.
#[derive(Clone, Debug)]
pub(in super::super) struct Course<P> {
    pub model: Model,
    pub options: Options,
    pub growing: GrowingGraph,
    pub phase: Phase<P>,
    /// Whether the graph was already found to be consistent.
    pub consistent: bool,
    /// The search that a step was paused in.
    pub inquiry: Inquiry,
    /// The first source of the new read of which it was not decided whether it fits.
    undecided: Option<usize>,
    pub tally: Tally,
    pub cut: Vec<Event>,
    pub prefix: Option<EventSet>,
}

/// A backward option's key in U: the write, whether the read fails spuriously, and what is kept behind the read, sorted.
pub(in super::super) type Explored<K> = (Option<EventKey>, bool, Arc<[K]>);

impl<P> Course<P> {
    /// Before the first step.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        Self {
            model,
            options,
            growing: GrowingGraph::new(code, options),
            phase: Phase::Visit,
            consistent: false,
            inquiry: Inquiry::default(),
            undecided: None,
            tally: Tally::default(),
            cut: Vec::new(),
            prefix: None,
        }
    }

    pub fn key(&self, e: EventId) -> EventKey {
        self.growing.key(e)
    }

    /// What the last step kept behind its event, or would keep.
    pub fn shown_prefix(&self) -> Vec<EventId> {
        self.prefix.iter().flat_map(EventSet::iter).filter(|e| !self.growing.graph.event(*e).is_init()).collect()
    }

    fn drop_graph(&mut self) -> Step {
        self.tally.counts.dropped += 1;
        self.phase = Phase::Take;
        Step::Drop
    }

    fn report_race(&mut self) -> Option<Step> {
        self.phase = Phase::Complete;
        self.tally.fault(&self.growing.code, self.model, self.options, &self.growing.graph)
    }

    fn complete(&mut self, co: Option<&Coherence>, budget: &mut Budget) -> Result<Step, Paused> {
        let GrowingGraph { code, graph, .. } = &self.growing;
        let whole = Whole { code, model: self.model, options: &self.options, graph, co };
        let (step, next) = self.tally.execution(whole, budget)?;
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::Take,
        };
        Ok(step)
    }

    fn report_error(&mut self, event: EventId) -> Step {
        self.phase = Phase::Visit;
        if self.options.stop_at_first {
            self.tally.counts.add(ExecutionKind::Erroneous, false);
            self.tally.counts.plain += 1;
            self.phase = Phase::Finish;
        }
        Step::Error { event: self.key(event) }
    }

    /// What of a write's porf prefix is kept in its revisits, computed once for all of them.
    pub fn prefix_of(&mut self, write: EventId, next: u32) -> EventSet {
        match self.prefix.take() {
            Some(prefix) if next > 0 => prefix,
            _ => self.growing.graph.porf_prefix(write),
        }
    }

    /// The phase behind the proposal that a write revisits a read: that it does so and fails spuriously, or the next read.
    pub fn behind_proposal(&self, write: EventId, read: EventId, spurious: bool) -> Phase<P> {
        if !spurious && self.growing.may_fail_spuriously(read, write) {
            Phase::PushBackward(write, read.0, true)
        } else {
            Phase::PushBackward(write, read.0 + 1, false)
        }
    }
}

/// The step of a proposal, which is new or was explored before.
pub(in super::super) fn proposal(read: EventKey, write: EventKey, new: bool, spurious: bool) -> Step {
    match (new, spurious) {
        (true, false) => Step::PushBackward { read, write },
        (true, true) => Step::PushSpurious { read, write, direction: Direction::Backward },
        (false, false) => Step::AlreadyExplored { read, write },
        (false, true) => Step::SpuriousAlreadyExplored { read, write },
    }
}

/// The step of a read's option that is taken.
pub(in super::super) fn taken(read: EventKey, revisit: &Revisit) -> Step {
    let Revisit { write, direction, spurious, .. } = *revisit;
    match write {
        None => Step::TakeBlock { read },
        Some(write) if spurious => Step::TakeSpurious { read, write, direction },
        Some(write) => Step::TakeRevisit { read, write, direction },
    }
}

/// U as it is shown: each with the option that waits in S, if it does.
pub(in super::super) fn proposed<K: Eq + Hash>(
    explored: &IndexSet<Explored<K>, FxBuildHasher>,
    options: impl Iterator<Item = Option<Explored<K>>>,
    event: fn(&K) -> EventKey,
) -> Vec<Proposed> {
    let waiting: FxHashMap<_, _> = options.enumerate().filter_map(|(at, key)| Some((key?, at))).collect();
    explored
        .iter()
        .filter_map(|entry| {
            Some(Proposed {
                write: entry.0?,
                spurious: entry.1,
                keeps: entry.2.iter().map(event).collect(),
                waits: waiting.get(entry).copied(),
            })
        })
        .collect()
}

/// GenMC, with what is different with co and without.
pub(in super::super) trait Variant {
    /// The phases that the other one does not have.
    type Own: Copy;

    fn course(&self) -> &Course<Self::Own>;

    fn course_mut(&mut self) -> &mut Course<Self::Own>;

    /// The course, and the co that is explored.
    fn course_and_co(&mut self) -> (&mut Course<Self::Own>, Option<&Coherence>);

    /// Whether the graph is consistent, with its co if it has one.
    fn decide(&mut self, budget: &mut Budget) -> Result<Decision, Paused>;

    /// Whether a consistent graph is dropped before it is whole: only in mutations.
    fn drops_early(&self) -> bool {
        false
    }

    /// Whether a read's option is pushed: all are but in mutations.
    fn pushes(&self, _read: EventId, _write: EventId) -> bool {
        true
    }

    /// The phase behind the addition of an event that writes and does not read.
    fn behind_write(&self, write: EventId) -> Phase<Self::Own>;

    /// The phase behind a new read that took its first source.
    fn behind_choice(&self, read: EventId) -> Phase<Self::Own>;

    /// The phase behind a read that has its source, and its other options.
    fn behind(&self, read: EventId) -> Phase<Self::Own>;

    /// Lets a read take a source.
    fn take_source(&mut self, read: EventId, write: EventId, spurious: bool);

    /// Leaves a new read without a source.
    fn block(&mut self, read: EventId);

    /// Lets a new read join T.
    fn join(&mut self, read: EventId);

    /// Pushes an option of a read that keeps nothing behind it.
    fn push(&mut self, read: EventId, revisit: Revisit);

    /// CALCREVISITS from the read `next` on, which may have been proposed already but for its spurious failure.
    fn push_backward(&mut self, write: EventId, next: u32, spurious: bool) -> Option<Step>;

    /// A phase of its own.
    fn advance_own(&mut self, phase: Self::Own) -> Option<Step>;

    /// Whether what is kept behind an event is still needed in a phase of its own.
    fn keeps_prefix(phase: Self::Own) -> bool;

    /// VERIFY's loop: the option of what was inserted last.
    fn take(&mut self) -> Step;

    fn visit(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if !self.course().consistent {
            match self.decide(budget)? {
                Decision::Yes => {}
                Decision::No => return Ok(self.course_mut().drop_graph()),
                Decision::Undecided => {
                    let course = self.course_mut();
                    course.tally.counts.undecided += 1;
                    course.phase = Phase::Take;
                    return Ok(Step::Undecided);
                }
            }
        }
        let drops = self.drops_early();
        let course = self.course_mut();
        course.consistent = true;
        if drops {
            return Ok(course.drop_graph());
        }
        let Some((thread, action)) = course.growing.next() else {
            if library::ill_blocked(&course.growing.graph).is_some() {
                return Ok(course.drop_graph());
            }
            course.phase = Phase::ReportRace;
            return self.advance_phase(budget);
        };
        let e = course.growing.add(thread, action);
        // The end of a thread changes no relation.
        course.consistent = course.growing.graph.event(e).ends_thread();
        let phase = match action {
            Action::Library { operation, .. } if operation.waits() => Phase::Choose(e, 0),
            Action::Read { .. } | Action::Update { .. } => Phase::Choose(e, 0),
            Action::Write { .. } | Action::Library { .. } => self.behind_write(e),
            Action::Error(_) => Phase::ReportError(e),
            // Programs with handlers are refused.
            Action::Get | Action::Post { .. } => Phase::Visit,
            Action::Fence(_) | Action::Stuck | Action::Spin | Action::Bound(_) | Action::Finished => Phase::Visit,
        };
        let course = self.course_mut();
        course.phase = phase;
        Ok(Step::AddEvent { event: course.key(e) })
    }

    fn choose(&mut self, read: EventId, next: usize, budget: &mut Budget) -> Result<Step, Paused> {
        let sources = self.course().growing.sources(read);
        // No model lets a thread read a location as it was before a write that it wrote or read already; a long thread
        // has many such sources, each of which would take long to refuse.
        let known = self.course().growing.known_writes(read);
        let mut fits = None;
        for (at, &write) in sources.iter().enumerate().skip(next) {
            if known.iter().any(|&known| self.course().growing.graph.po(write, known)) {
                continue;
            }
            self.take_source(read, write, false);
            match self.decide(budget) {
                Ok(Decision::Yes) => fits = Some(at),
                Ok(Decision::No) => {}
                // The next visit asks again, to tell.
                Ok(Decision::Undecided) => {
                    let course = self.course_mut();
                    course.undecided = course.undecided.or(Some(at));
                }
                Err(Paused) => {
                    self.block(read);
                    self.course_mut().phase = Phase::Choose(read, at);
                    return Err(Paused);
                }
            }
            if fits.is_some() {
                break;
            }
        }
        let undecided = self.course_mut().undecided.take();
        if self.course().growing.graph.event(read).operation().is_some() && fits.or(undecided).is_none() {
            self.block(read);
            self.join(read);
            let course = self.course_mut();
            // It changes no relation that anything else is in.
            course.consistent = true;
            course.phase = Phase::Visit;
            return Ok(Step::Block { read: course.key(read) });
        }
        // An extensible model always has a source that fits; should none do, the next visit drops the graph.
        let write = sources[fits.or(undecided).unwrap_or(0)];
        if fits.is_none() {
            self.take_source(read, write, false);
        }
        self.join(read);
        let phase = self.behind_choice(read);
        let course = self.course_mut();
        course.consistent = fits.is_some();
        course.growing.resume(read);
        course.phase = phase;
        Ok(Step::ChooseSource { read: course.key(read), write: course.key(write) })
    }

    fn push_forward(&mut self, read: EventId, next: usize) -> Option<Step> {
        let course = self.course();
        let chosen = course.growing.graph.source(read).map(|write| (write, false));
        let other = course.growing.choices(read).filter(|&other| Some(other) != chosen).nth(next);
        let Some((write, spurious)) = other else {
            self.course_mut().phase = self.behind(read);
            return self.push_block(read);
        };
        self.course_mut().phase = Phase::PushForward(read, next + 1);
        if !self.pushes(read, write) {
            return None;
        }
        let (read_key, write) = (self.course().key(read), self.course().key(write));
        let direction = Direction::Forward;
        self.push(read, Revisit { write: Some(write), direction, spurious, prefix: Arc::default() });
        Some(if spurious {
            Step::PushSpurious { read: read_key, write, direction }
        } else {
            Step::PushForward { read: read_key, write }
        })
    }

    /// Pushes ⊥.
    fn push_block(&mut self, read: EventId) -> Option<Step> {
        if !self.course().growing.is_contended(read) {
            return None;
        }
        let direction = Direction::Forward;
        self.push(read, Revisit { write: None, direction, spurious: false, prefix: Arc::default() });
        Some(Step::PushBlock { read: self.course().key(read) })
    }

    fn advance_phase(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        loop {
            let phase = self.course().phase;
            let keeps_prefix = match phase {
                Phase::PushBackward(..) => true,
                Phase::Own(phase) => Self::keeps_prefix(phase),
                _ => false,
            };
            if !keeps_prefix {
                self.course_mut().prefix = None;
            }
            let step = match phase {
                Phase::Visit => Some(self.visit(budget)?),
                Phase::Choose(read, next) => Some(self.choose(read, next, budget)?),
                Phase::PushForward(read, next) => self.push_forward(read, next),
                Phase::PushBackward(write, next, spurious) => self.push_backward(write, next, spurious),
                Phase::Own(phase) => self.advance_own(phase),
                Phase::ReportError(event) => Some(self.course_mut().report_error(event)),
                Phase::ReportRace => self.course_mut().report_race(),
                Phase::Complete => {
                    let (course, co) = self.course_and_co();
                    Some(course.complete(co, budget)?)
                }
                Phase::Duplicate => {
                    let course = self.course_mut();
                    course.tally.counts.duplicates += 1;
                    course.phase = Phase::Take;
                    Some(Step::Duplicate)
                }
                Phase::Take => Some(self.take()),
                Phase::Finish => {
                    self.course_mut().phase = Phase::Done;
                    Some(Step::Done)
                }
                Phase::Done => Some(Step::Done),
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// A step.
    fn advance_course(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        let course = self.course_mut();
        if matches!(course.phase, Phase::Done) {
            return Ok(Step::Done);
        }
        budget.count(course.growing.graph.len() as u64)?;
        // A step that is paused leaves what the step before shows.
        let shown = (std::mem::take(&mut course.cut), course.prefix.clone());
        let step = self.advance_phase(budget);
        let course = self.course_mut();
        match step {
            Ok(step) => {
                course.tally.counts.steps += 1;
                Ok(step)
            }
            Err(Paused) => {
                (course.cut, course.prefix) = shown;
                Err(Paused)
            }
        }
    }
}
