//! The recursion of TruSt as a loop over frames.

use super::bits::Bits;
use super::choice::Flaw;
use super::graph::{Ev, Graph, Kind, NONE, New, Next, Slot, operation};
use super::plan::Plan;
use super::pose::Poser;
use super::threads::Threads;
use crate::explore::step::classify;
use crate::explore::tally;
use crate::explore::{Branch, Counts, Direction, ExecutionKind, Probe, Reason, Step, Work};
use crate::graph::{Coherence, Event, EventKey, Execution, ThreadId};
use crate::library;
use crate::program::{Action, Value};

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
    level: usize,
    /// How many events can be taken back there before the choices.
    mark: usize,
    /// The slot of the event.
    slot: Slot,
    /// The event without source or place.
    event: Ev,
    /// Where its candidates begin on the stack of candidates, which is next, and where they end.
    candidates: (usize, usize, usize),
    /// How many consistent children were found.
    child: u32,
    /// The first child that is somebody else's.
    end: u32,
    /// Of a new write: the reads that are still to be looked at.
    reads: Bits<W>,
    /// Of a revisit: the read.
    read: Slot,
}

impl<const W: usize> Frame<W> {
    /// Whether no candidate is left.
    #[inline(always)]
    fn is_exhausted(&self) -> bool {
        self.candidates.1 == self.candidates.2 && self.reads.is_empty()
    }
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
    /// An error event was added.
    Error(Slot),
    /// The graph is whole, and what is wrong with it was said.
    Execution,
    /// Something wrong was found, and nothing more is wanted.
    Finish,
    /// The end.
    Done,
}

/// A slot is wanted and none is free.
pub(super) struct Full;

/// TruSt with room for `64 * W` events.
#[derive(Clone, Debug)]
pub(super) struct Core<const W: usize> {
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
    /// The event of the last frame has no source or place yet.
    pub bare: bool,
    /// Something wrong was found, and nothing more is wanted.
    pub stopped: bool,
    /// For consistency without co.
    poser: Poser,
    /// How many frames lie below the one whose choice the last step made or prepared, if somebody listens. The graph of a
    /// revisit belongs to its write.
    pub chosen: Option<usize>,
    /// What was not maximal, if that was the last step, and what the revisit would delete.
    pub refused: Option<(Slot, Bits<W>)>,
}

impl<const W: usize> Core<W> {
    pub fn new(plan: &Plan) -> Self {
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
            bare: false,
            chosen: None,
            stopped: false,
            poser: Poser::default(),
            refused: None,
        }
    }

    /// The same exploration with room for more events.
    pub fn widen<const V: usize>(self) -> Core<V> {
        let frame = |frame: &Frame<W>| Frame {
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
            bare: self.bare,
            chosen: self.chosen,
            stopped: self.stopped,
            poser: self.poser,
            refused: self.refused.map(|(slot, set)| (slot, set.widen())),
        }
    }

    #[inline(always)]
    pub fn graph(&self) -> &Graph<W> {
        &self.graphs[self.level]
    }

    /// Whether the next child of a node is what comes next, or nothing: only then is what is left a [`Work`].
    #[inline(always)]
    pub fn is_between(&self) -> bool {
        matches!(self.phase, Phase::Choose | Phase::Done)
    }

    /// Performs one step and returns it; without `LISTEN` perhaps several, of which only those are returned that belong
    /// to whole executions, errors and the end.
    #[inline(always)]
    pub fn advance<const LISTEN: bool>(&mut self, plan: &Plan) -> Result<Option<Step>, Full> {
        match self.phase {
            Phase::Extend => self.extend::<LISTEN>(plan),
            Phase::Choose => Ok(self.choose::<LISTEN>(plan)),
            _ => Ok(Some(self.report(plan))),
        }
    }

    /// The steps that say something about the graph.
    #[cold]
    fn report(&mut self, plan: &Plan) -> Step {
        if self.phase != Phase::Done {
            self.counts.steps += 1;
        }
        match self.phase {
            Phase::Drop => {
                self.phase = Phase::Choose;
                self.counts.dropped += 1;
                Step::Drop
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
        }
    }

    fn collect(&mut self) {
        let graphs = self.graphs[..=self.level].iter();
        let held = graphs.flat_map(|graph| {
            let events = graph.events.iter().map(|ev| ev.node);
            events.chain(graph.threads.iter().map(|cursor| cursor.node))
        });
        self.threads.collect(held.chain(self.frames.iter().map(|frame| frame.event.node)));
    }

    /// Adds an event.
    fn extend<const LISTEN: bool>(&mut self, plan: &Plan) -> Result<Option<Step>, Full> {
        self.extend_for(plan, LISTEN)
    }

    // The page has one for those who listen and those who don't: a second is a twelfth of its module.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn extend_for(&mut self, plan: &Plan, listen: bool) -> Result<Option<Step>, Full> {
        if self.threads.is_full() {
            self.collect();
        }
        loop {
            let graph = &mut self.graphs[self.level];
            let (event, slot) = match graph.next(&self.threads) {
                None => return Ok(Some(self.whole(plan))),
                Some(Next::Update(read)) => {
                    let slot = graph.free_slot(plan).ok_or(Full)?;
                    let event = graph.update_template(read);
                    self.push_write(plan, event, slot);
                    return Ok(self.choose_for(plan, listen));
                }
                Some(Next::Thread(thread)) => {
                    let slot = graph.free_slot(plan).ok_or(Full)?;
                    (graph.template(thread, &self.threads), slot)
                }
            };
            self.counts.steps += 1;
            let key = EventKey { thread: ThreadId(event.thread), serial: event.serial.into() };
            match event.kind {
                Kind::Fence | Kind::End => {
                    let base = graph.base(plan, &event);
                    graph.add_other(plan, &mut self.threads, slot, &event, &base);
                    if let Action::Error(_) = self.threads.action(event.node) {
                        self.phase = Phase::Error(slot);
                        if !listen {
                            return Ok(Some(self.report(plan)));
                        }
                    }
                }
                Kind::Read | Kind::UpdateRead => self.push_read(plan, event, slot),
                Kind::Write | Kind::UpdateWrite => self.push_write(plan, event, slot),
            }
            if listen {
                self.bare = self.phase == Phase::Choose;
                self.chosen = self.frames.len().checked_sub(1).filter(|_| self.bare);
                self.cut.clear();
                return Ok(Some(Step::AddEvent { event: key }));
            }
            if self.phase == Phase::Choose {
                return Ok(self.choose_for(plan, listen));
            }
        }
    }

    #[inline(always)]
    fn push_read(&mut self, plan: &Plan, event: Ev, slot: Slot) {
        let first = self.candidates.len();
        let graph = &self.graphs[self.level];
        let base = graph.base(plan, &event);
        if event.library {
            // It may wait, whatever is there.
            self.candidates.push((NONE, false));
        }
        let mut source = NONE;
        loop {
            source = graph.next_source(plan, &self.threads, &event, &base, source);
            if source == NONE {
                break;
            }
            if !graph.admits_source(plan, &event, source) {
                continue;
            }
            if event.kind != Kind::UpdateRead
                || !graph.is_hopeless(plan, &self.threads, &event, &base, source, &mut self.poser)
            {
                self.candidates.push((source, false));
            }
        }
        if plan.options.spurious && event.kind == Kind::UpdateRead && !event.library {
            self.add_spurious(plan, &event, first);
        }
        self.push_frame(Choices::Sources, event, slot, first, Bits::EMPTY, NONE);
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

    #[inline(always)]
    fn push_write(&mut self, plan: &Plan, event: Ev, slot: Slot) {
        let first = self.candidates.len();
        let graph = &self.graphs[self.level];
        let base = graph.base(plan, &event);
        let mut reads = graph.cell(event.location).reads.minus(&graph.with_twins(plan, &event, base.porf));
        if event.library {
            let gives = operation(&self.threads, &event);
            for read in reads.iter() {
                let takes = operation(&self.threads, graph.event(read));
                if !takes.is_some_and(|takes| library::may_follow(takes, gives)) {
                    reads.remove(read);
                }
            }
        }
        self.list_places(plan, &event, &base);
        self.push_frame(Choices::Places, event, slot, first, reads, NONE);
    }

    #[inline(always)]
    fn list_places(&mut self, plan: &Plan, event: &Ev, base: &super::graph::Base<W>) {
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
    fn push_frame(&mut self, choices: Choices, event: Ev, slot: Slot, first: usize, reads: Bits<W>, read: Slot) {
        self.frames.push(Frame {
            choices,
            level: self.level,
            mark: self.graphs[self.level].log.len(),
            slot,
            event,
            candidates: (first, first, self.candidates.len()),
            child: 0,
            end: u32::MAX,
            reads,
            read,
        });
        self.phase = Phase::Choose;
    }

    #[inline(always)]
    fn pop_frame(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.candidates.truncate(frame.candidates.0);
        }
    }

    /// Finds the next child of the last frame; without `LISTEN`, the next consistent one.
    #[inline(always)]
    fn choose<const LISTEN: bool>(&mut self, plan: &Plan) -> Option<Step> {
        self.choose_for(plan, LISTEN)
    }

    // As `extend_for`.
    #[cfg_attr(target_family = "wasm", inline(never))]
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn choose_for(&mut self, plan: &Plan, listen: bool) -> Option<Step> {
        let before = if listen { self.start_listening(plan) } else { None };
        loop {
            let last = self.frames.len().saturating_sub(1);
            let Some(frame) = self.frames.last_mut() else {
                self.phase = Phase::Finish;
                return Some(self.report(plan));
            };
            self.level = frame.level;
            let in_revisit = frame.choices == Choices::Revisit;
            let graph = &mut self.graphs[self.level];
            while graph.log.len() > frame.mark {
                graph.pop(plan);
            }
            let (_, next, end) = frame.candidates;
            if frame.child >= frame.end {
                self.pop_frame();
                continue;
            }
            let chosen = if listen { last.checked_sub(usize::from(in_revisit)) } else { None };
            let step = if next < end {
                frame.candidates.1 += 1;
                let candidate = self.candidates[next];
                match frame.choices {
                    Choices::Sources => self.take_source(plan, listen, candidate),
                    Choices::Places => self.take_place(plan, listen, candidate.0),
                    Choices::Revisit => self.take_place_of_revisit(plan, listen, candidate),
                }
            } else if !frame.reads.is_empty() {
                self.take_revisit(plan, listen)
            } else {
                self.pop_frame();
                continue;
            };
            if let Some(step) = step {
                self.chosen = chosen;
                self.note_cut(plan, before, &step);
                return Some(step);
            }
            match self.phase {
                Phase::Extend => return None,
                Phase::Drop => return Some(self.report(plan)),
                _ => {}
            }
        }
    }

    /// What a listener wants to know of the graph as it was.
    fn start_listening(&mut self, plan: &Plan) -> Option<Execution> {
        self.refused = None;
        if self.bare {
            self.bare = false;
            return None;
        }
        let graph = self.graph();
        Some(graph.execution(plan, &self.threads, &graph.live, None, true).0)
    }

    /// Notes which events are gone.
    fn note_cut(&mut self, plan: &Plan, before: Option<Execution>, step: &Step) {
        self.cut.clear();
        let Some(before) = before else { return };
        if let Step::NotMaximal { .. } = step {
            return;
        }
        let (now, _) = self.graph().execution(plan, &self.threads, &self.graph().live, None, true);
        let gone = before.events().filter(|(_, event)| now.find(event.key).is_none());
        self.cut = gone.map(|(_, event)| *event).collect();
    }

    /// A candidate became a child of the last frame, which is a step or goes without saying.
    #[inline(always)]
    fn taken(&mut self, listen: bool, consistent: bool, first: bool, silent: bool) {
        self.counts.steps += u64::from(!silent);
        self.counts.revisits += u64::from(!first);
        if !consistent {
            if listen {
                self.phase = Phase::Drop;
            } else {
                self.counts.steps += 1;
                self.counts.dropped += 1;
            }
            return;
        }
        self.phase = Phase::Extend;
        self.found();
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

    /// Whether the graph is left because it switches threads too often.
    #[cold]
    fn goes_beyond(&mut self, plan: &Plan, whole: bool) -> bool {
        let beyond = self.graph().switches_too_often(plan, &self.threads, whole);
        self.counts.beyond += u64::from(beyond);
        beyond
    }

    /// Whether the graph with its last event is consistent, where that has to be found out from scratch, and within the
    /// bounds on switches.
    #[inline(always)]
    fn passes(&mut self, plan: &Plan) -> bool {
        let graph = &self.graphs[self.level];
        if plan.bounds_switches {
            !self.goes_beyond(plan, false)
        } else if plan.tracks_co {
            !plan.orders_fences || graph.sc_fences.len() < 2 || graph.is_consistent(plan, &self.threads)
        } else {
            graph.has_co(plan, &self.threads, &mut self.poser)
        }
    }

    #[inline(always)]
    fn take_source(&mut self, plan: &Plan, listen: bool, candidate: (Slot, bool)) -> Option<Step> {
        let frame = self.frames.last()?;
        let (ev, slot) = (frame.event, frame.slot);
        let first = frame.candidates.1 == frame.candidates.0 + 1;
        let graph = &mut self.graphs[self.level];
        let base = graph.base(plan, &ev);
        let (source, spurious) = candidate;
        let mut consistent = true;
        if source != NONE && plan.tracks_co {
            let with_source = graph.with_source(plan, &self.threads, &ev, candidate);
            consistent = graph.allows(plan, &with_source, &base, source);
        } else if source != NONE {
            let with_source = graph.with_source(plan, &self.threads, &ev, candidate);
            let more = (&with_source, &base, false);
            consistent = graph.has_co_with(plan, &self.threads, &graph.live, more, &mut self.poser);
        }
        if consistent || listen {
            let older = graph.live;
            let new = New { slot, event: &ev, base: &base, older, consistent };
            graph.add_read(plan, &mut self.threads, &new, candidate);
            consistent = consistent && (source == NONE || !plan.tracks_co || self.passes(plan));
        }
        self.taken(listen, consistent, first, false);
        if !listen {
            return None;
        }
        let (read, direction) = (self.graph().key(slot), Direction::Forward);
        if source == NONE {
            return Some(Step::Block { read });
        }
        let write = self.graph().key(source);
        Some(match (first, spurious) {
            (_, true) => Step::TakeSpurious { read, write, direction },
            (true, _) => Step::ChooseSource { read, write },
            (false, _) => Step::TakeRevisit { read, write, direction },
        })
    }

    #[inline(always)]
    fn take_place(&mut self, plan: &Plan, listen: bool, front: Slot) -> Option<Step> {
        let frame = self.frames.last()?;
        let (ev, slot) = (frame.event, frame.slot);
        let first = frame.candidates.1 == frame.candidates.0 + 1;
        let graph = &mut self.graphs[self.level];
        let base = graph.base(plan, &ev);
        let mut consistent = graph.allows(plan, &ev, &base, front);
        if consistent || listen {
            let older = graph.live;
            let new = New { slot, event: &ev, base: &base, older, consistent };
            graph.add_write(plan, &mut self.threads, &new, front);
            // Without co, a new write can be last.
            let certain = !plan.tracks_co && ev.kind == Kind::Write;
            consistent = consistent && (certain || self.passes(plan));
        }
        // Without co there is nothing to say about the place of a write.
        self.taken(listen, consistent, first, !plan.tracks_co);
        if !listen || !plan.tracks_co {
            return None;
        }
        let (write, after) = (self.graph().key(slot), self.graph().key(front));
        Some(if first { Step::PlaceWrite { write, after } } else { Step::TakePlacement { write, after } })
    }

    /// Looks whether the new write may revisit the next of its reads, mostly newer ones first.
    #[inline(always)]
    fn take_revisit(&mut self, plan: &Plan, listen: bool) -> Option<Step> {
        let frame = self.frames.last_mut()?;
        let (ev, slot) = (frame.event, frame.slot);
        let graph = &self.graphs[self.level];
        let read = frame.reads.last()?;
        frame.reads.remove(read);
        let prefix = graph.with_twins(plan, &ev, graph.base(plan, &ev).porf);
        let kept = match graph.revisit(plan, &self.threads, read, &prefix, listen, &mut self.poser) {
            Ok(kept) => kept,
            Err(flaw) => {
                self.counts.steps += 1;
                let (event, flaw) = flaw.filter(|_| listen)?;
                self.refused = Some((event, graph.live.minus(&graph.older(read)).minus(&prefix)));
                let reason = match flaw {
                    Flaw::IsRead(by) => Reason::IsRead(graph.key(by)),
                    Flaw::CoEarlier(than) => Reason::CoEarlier(graph.key(than)),
                    Flaw::ReadsEarlier(than) => Reason::ReadsEarlier(graph.key(than)),
                    Flaw::OtherSource(other) => Reason::OtherSource(graph.key(other)),
                    Flaw::DoesNotWait => Reason::DoesNotWait,
                };
                let write = EventKey { thread: ThreadId(ev.thread), serial: ev.serial.into() };
                return Some(Step::NotMaximal { read: graph.key(read), write, event: graph.key(event), reason });
            }
        };
        if self.graphs.len() == self.level + 1 {
            self.graphs.push(self.graphs[self.level].clone());
        }
        let (below, above) = self.graphs.split_at_mut(self.level + 1);
        let graph = &mut above[0];
        graph.copy(&below[self.level]);
        graph.restrict(plan, &kept, read);
        self.level += 1;
        let first = self.candidates.len();
        let base = self.graphs[self.level].base(plan, &ev);
        self.list_places(plan, &ev, &base);
        if plan.options.spurious {
            self.add_spurious_places(&ev, read, first);
        }
        self.push_frame(Choices::Revisit, ev, slot, first, Bits::EMPTY, read);
        None
    }

    /// Adds the places at which the read that is revisited fails spuriously.
    #[cold]
    fn add_spurious_places(&mut self, write: &Ev, read: Slot, first: usize) {
        let Action::Update { update, .. } = *self.threads.action(self.graph().event(read).node) else { return };
        if update.may_fail_spuriously(write.value) {
            for at in first..self.candidates.len() {
                self.candidates.push((self.candidates[at].0, true));
            }
        }
    }

    #[inline(always)]
    fn take_place_of_revisit(&mut self, plan: &Plan, listen: bool, candidate: (Slot, bool)) -> Option<Step> {
        let frame = self.frames.last()?;
        let (ev, slot, read) = (frame.event, frame.slot, frame.read);
        let first = frame.candidates.1 == frame.candidates.0 + 1;
        let (front, spurious) = candidate;
        let graph = &mut self.graphs[self.level];
        let older = graph.live.with(read);
        let base = graph.base(plan, &ev);
        let mut consistent = graph.allows(plan, &ev, &base, front);
        if consistent || listen {
            let new = New { slot, event: &ev, base: &base, older, consistent };
            graph.add_write(plan, &mut self.threads, &new, front);
            if plan.tracks_co {
                graph.not_maximal.insert(slot);
            }
            let template = graph.template_of(read);
            let base = graph.base(plan, &template);
            let with_source = graph.with_source(plan, &self.threads, &template, (slot, spurious));
            consistent = consistent
                && graph.admits_source(plan, &template, slot)
                && graph.may_take(plan, &base, slot)
                && graph.allows(plan, &with_source, &base, slot);
            if consistent || listen {
                let older = graph.older(read);
                let new = New { slot: read, event: &template, base: &base, older, consistent };
                graph.add_read(plan, &mut self.threads, &new, (slot, spurious));
                consistent = consistent && self.passes(plan);
            }
        }
        self.taken(listen, consistent, false, false);
        if !listen {
            return None;
        }
        let graph = self.graph();
        let (read, write, direction) = (graph.key(read), graph.key(slot), Direction::Backward);
        Some(if spurious {
            Step::TakeSpurious { read, write, direction }
        } else if first || !plan.tracks_co {
            Step::TakeRevisit { read, write, direction }
        } else {
            Step::TakePlacement { write, after: graph.key(front) }
        })
    }

    /// The graph is whole: it is an execution, unless an operation waits for what is there.
    #[inline(always)]
    fn whole(&mut self, plan: &Plan) -> Step {
        let graph = &self.graphs[self.level];
        if !graph.special.is_empty() {
            return self.special(plan);
        }
        if plan.bounds_switches && self.goes_beyond(plan, true) {
            self.phase = Phase::Drop;
            return self.report(plan);
        }
        let graph = &self.graphs[self.level];
        self.counts.steps += 1;
        let kind = if graph.stuck.is_empty() {
            self.counts.complete += 1;
            ExecutionKind::Complete
        } else {
            self.counts.blocked += 1;
            ExecutionKind::Blocked
        };
        self.counts.plain += u64::from(!plan.tracks_co);
        self.phase = Phase::Choose;
        Step::Execution { number: self.counts.executions(), kind }
    }

    #[cold]
    fn special(&mut self, plan: &Plan) -> Step {
        let graph = self.graph();
        if graph.special.iter().any(|slot| graph.is_ill_blocked(&self.threads, slot)) {
            self.phase = Phase::Drop;
            return self.report(plan);
        }
        if plan.bounds_switches && self.goes_beyond(plan, true) {
            self.phase = Phase::Drop;
            return self.report(plan);
        }
        let graph = self.graph();
        let (graph, co) = graph.execution(plan, &self.threads, &graph.live, None, true);
        let fault = tally::fault(&plan.code, plan.model, plan.options, &graph);
        self.whole = Some((graph, co));
        self.wrong = fault.is_some();
        match fault {
            Some(step) => {
                self.counts.steps += 1;
                self.phase = Phase::Execution;
                step
            }
            None => self.execution_step(plan),
        }
    }

    fn execution_step(&mut self, plan: &Plan) -> Step {
        self.counts.steps += 1;
        self.counts.plain += u64::from(!plan.tracks_co);
        self.phase = Phase::Choose;
        let Some((graph, _)) = &self.whole else {
            return Step::Execution { number: self.counts.executions(), kind: ExecutionKind::Complete };
        };
        let (kind, bounded) = classify(graph, std::mem::take(&mut self.wrong));
        self.counts.add(kind, bounded);
        let deadlock = kind == ExecutionKind::Blocked && library::is_deadlock(graph);
        self.counts.deadlocks += u64::from(deadlock);
        if plan.options.stop_at_first && (deadlock || kind == ExecutionKind::Erroneous) {
            self.stopped = true;
            self.phase = Phase::Finish;
        }
        Step::Execution { number: self.counts.executions(), kind }
    }

    /// What the revisit that was refused last would delete.
    pub fn refused(&self) -> Vec<EventKey> {
        let graph = self.graph();
        self.refused.iter().flat_map(|(_, deleted)| deleted.iter()).map(|slot| graph.key(slot)).collect()
    }

    /// The current graph; an event that is about to get a source or place is in it without.
    pub fn execution(&self, plan: &Plan) -> (Execution, Option<Coherence>) {
        let graph = self.graph();
        let bare =
            self.frames.last().filter(|frame| self.bare || self.refused.is_some() && frame.event.kind == Kind::Write);
        graph.execution(plan, &self.threads, &graph.live, bare.map(|frame| (&frame.event, NONE)), true)
    }

    /// Without co: calls `found` with each combination of the values that some locations can have at the end; `false` if
    /// that has to be found out otherwise.
    pub fn final_values(&mut self, plan: &Plan, locations: &[u16], found: &mut dyn FnMut(&[Value])) -> bool {
        let graph = &self.graphs[self.level];
        let mut values = Vec::with_capacity(locations.len());
        graph.final_writes(plan, locations, &mut self.poser, &mut |writes| {
            values.clear();
            values.extend(writes.iter().map(|&write| graph.value(plan, write)));
            found(&values);
        })
    }

    /// The registers of a thread at the end of the current graph.
    #[inline(always)]
    pub fn registers(&self, thread: usize) -> &[Value] {
        self.threads.state(self.graph().threads[thread].node).registers()
    }

    /// How many events and candidates a copy holds.
    pub fn weight(&self) -> usize {
        let events: usize = self.graphs[..=self.level].iter().map(|graph| graph.events.len()).sum();
        events + self.candidates.len() + self.threads.len()
    }

    /// What is left, if [`Self::is_between`]; `None` if that is nothing.
    pub fn work(&self) -> Option<Work> {
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
    pub fn split(&mut self) -> Option<Work> {
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
    pub fn resume(&mut self, plan: &Plan, work: &Work) -> Result<bool, Full> {
        for (at, branch) in work.0.iter().enumerate() {
            let is_last = at + 1 == work.0.len();
            if !self.descend(plan, at)? {
                return Ok(false);
            }
            let wanted = if is_last { branch.next } else { branch.next.saturating_add(1) };
            if wanted == 0 || branch.end.is_some_and(|end| end < wanted) || !self.go_to_child(plan, at, wanted) {
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
        Ok(true)
    }

    /// Extends the graph until a node with this number is remembered; `false` if there is none on the way.
    fn descend(&mut self, plan: &Plan, at: usize) -> Result<bool, Full> {
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
    fn go_to_child(&mut self, plan: &Plan, at: usize, wanted: u32) -> bool {
        while self.frames[at].child < wanted {
            while self.frames.len() > at + 1 {
                self.pop_frame();
            }
            self.choose::<false>(plan);
            if self.frames.len() <= at {
                return false;
            }
        }
        self.frames[at].child == wanted
    }

    /// A random descent from the root, where this must be.
    pub fn probe(&mut self, plan: &Plan, choose: &mut dyn FnMut(u32) -> u32) -> Result<Probe, Full> {
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
            while self.go_to_child(plan, at, children + 1) {
                children += 1;
            }
            self.level = place.2.len() - 1;
            (self.frames, self.candidates) = (place.0, place.1);
            self.graphs.truncate(0);
            self.graphs.extend(place.2);
            self.phase = Phase::Extend;
            let chosen = choose(children).min(children - 1);
            self.frames[at].end = u32::MAX;
            if !self.go_to_child(plan, at, chosen + 1) {
                return Ok(probe);
            }
            self.frames[at].end = 0;
            self.counts = Counts::default();
            probe.leaves *= f64::from(children);
            probe.depth += 1;
        }
    }
}
