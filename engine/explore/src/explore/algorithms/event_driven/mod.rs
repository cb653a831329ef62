//! TruSt for programs with handlers, under SC.
//!
//! The exploration of [`TruSt`](crate::explore::TruSt), written down once more in its plainest form, with gets and posts in its graphs.
//! A handler is a thread whose events are those of the messages that it has taken, one message after the other, so eo is
//! part of its po. A get has a post as its source, which is pb; the posts are as many writes to the handler's mailbox, each of
//! which one get takes. So an execution is its events, po with eo, rf and pb, and co where that is chosen. mo is no part
//! of it: what a queue forces of it follows from eo ([`Execution::message_order`]), and models know that.
//!
//! - The sources of a new get are the posts to its handler that wait; with a queue, of each thread's the first. Some of these may be
//!   inconsistent, and are dropped.
//! - A new post may revisit the gets of its handler that are not in its porf prefix, as a new write revisits reads.
//! - A post is maximal unless its message was taken. A get is maximal if it takes the first consistent post in the order of
//!   names, as reads do without co. There is one, the post that was made first in any run.
//! - A get is only added when a message waits, and when no other thread has anything else to do: so a handler that waits has no
//!   event, and fewer posts come too late and have to revisit.
//!
//! The paper on event-driven programs (Abdulla, Atig, Bønneland, Das, Jonsson, Lång, Sagonas: *Tailoring Stateless Model Checking for
//! Event-Driven Multi-Threaded Programs*, ATVA 2023) extends Optimal-DPOR instead, knows multisets alone, and says that to avoid
//! redundant runs exactly is NP-hard there: it looks for orders of messages that lead to a given event. Here a message's place in eo is a
//! choice like that of a read's source, and the question whether a graph is consistent is that of SC.
//!
//! What TruSt asks of models (prefix-closed, extensible) holds with queues: an added post can be the last one, and the post that
//! is first in some run can be taken. Graphs are copied for each choice. Random programs are compared with all interleavings
//! with real mailboxes ([`crate::explore::operational`]), and with each co that makes their executions consistent.

mod pseudo_code;
#[cfg(test)]
mod tests;
pub(super) mod words;

use crate::budget::{Budget, Decision, Paused};
use crate::explore::growing::GrowingGraph;
use crate::explore::stuck::Whole;
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Direction, Explorer, Options, Reason, Step};
use crate::graph::{Coherence, Event, EventId, EventKey, EventSet, Execution, ThreadId};
use crate::library;
use crate::model::{Inquiry, Model, Questions};
use crate::program::{Action, Code, Mailbox, Operation, Value};
use crate::sort;
use std::sync::Arc;

/// A graph, with co if that is chosen.
#[derive(Clone, Debug)]
struct State {
    growing: GrowingGraph,
    co: Option<Coherence>,
}

/// What can be done with a new event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    /// An operation of a library object waits.
    Wait,
    /// A read, or a get, takes a source; perhaps it is a compare-and-swap that fails spuriously.
    Source(EventId, bool),
    /// A write comes behind this one in co.
    Place(EventId),
    /// The write of a read-modify-write is added, without co.
    Write,
    /// An earlier read or get takes the new write or post.
    Revisit(EventId, bool),
}

/// A node of the tree on the way to the current graph.
#[derive(Clone, Debug)]
struct Frame {
    /// The graph with the event, without its source or place.
    state: Arc<State>,
    event: EventId,
    choices: Arc<[Choice]>,
    /// Which choice is next.
    next: usize,
    /// The read that revisited its event's write; it may have to write itself.
    read: Option<EventId>,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Extend,
    Choose,
    Drop,
    Undecided,
    /// What is behind an event whose value is known: its write, if it has one, or more events.
    Behind(EventId),
    Error(EventId),
    Whole,
    Execution,
    Duplicate,
    Done,
}

/// The exploration of one program, step by step.
#[derive(Clone, Debug)]
pub(crate) struct EventDriven {
    model: Model,
    options: Options,
    state: State,
    frames: Vec<Frame>,
    phase: Phase,
    tally: Tally,
    inquiry: Inquiry,
    /// The answers to the questions of a step that was paused, and how many of them were asked for again.
    answers: Vec<Decision>,
    asked: usize,
    cut: Vec<Event>,
    prefix: Vec<EventId>,
    chosen: Option<usize>,
}

impl EventDriven {
    /// Plain executions, or with co, before the first step.
    pub(crate) fn new(code: Arc<Code>, model: Model, options: Options, tracks_co: bool) -> Self {
        let growing = GrowingGraph::new(code, options);
        let co = tracks_co.then(|| growing.graph.ids().map(|init| vec![init]).collect());
        Self {
            model,
            options,
            state: State { growing, co },
            frames: Vec::new(),
            phase: Phase::Extend,
            tally: Tally::default(),
            inquiry: Inquiry::default(),
            answers: Vec::new(),
            asked: 0,
            cut: Vec::new(),
            prefix: Vec::new(),
            chosen: None,
        }
    }

    /// Whether a graph is consistent.
    fn decide(&mut self, graph: &Execution, co: Option<&Coherence>, budget: &mut Budget) -> Result<Decision, Paused> {
        if let Some(&known) = self.answers.get(self.asked) {
            self.asked += 1;
            return Ok(known);
        }
        let limit = self.options.limits.search;
        let answer = self.model.decide(graph, co, limit, &mut self.inquiry, budget)?;
        self.answers.push(answer);
        self.asked += 1;
        Ok(answer)
    }

    /// The same, with a read-modify-write as the read that it is: its write comes later.
    fn decide_as_read(&mut self, state: &State, read: EventId, budget: &mut Budget) -> Result<Decision, Paused> {
        let graph = &state.growing.graph;
        if takes_any(graph, read) {
            return Ok(Decision::Yes);
        }
        if !graph.event(read).is_update() {
            return self.decide(graph, state.co.as_ref(), budget);
        }
        let mut graph = graph.clone();
        graph.only_read(read);
        self.decide(&graph, state.co.as_ref(), budget)
    }

    fn step(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        loop {
            let step = match self.phase {
                Phase::Extend => self.extend(),
                Phase::Choose => self.choose(budget)?,
                Phase::Behind(e) => {
                    self.go_behind(e);
                    None
                }
                Phase::Drop => {
                    self.tally.counts.dropped += 1;
                    self.phase = Phase::Choose;
                    Some(Step::Drop)
                }
                Phase::Undecided => {
                    self.tally.counts.undecided += 1;
                    self.phase = Phase::Choose;
                    Some(Step::Undecided)
                }
                Phase::Error(e) => {
                    let stops = self.options.stop_at_first;
                    if stops {
                        self.tally.counts.add(crate::explore::ExecutionKind::Erroneous, false);
                        self.tally.counts.plain += u64::from(self.state.co.is_none());
                    }
                    self.phase = if stops { Phase::Done } else { Phase::Extend };
                    Some(Step::Error { event: self.state.growing.key(e) })
                }
                Phase::Whole => {
                    let graph = &self.state.growing.graph;
                    if library::ill_blocked(graph).is_some() {
                        self.phase = Phase::Drop;
                        continue;
                    }
                    self.phase = Phase::Execution;
                    self.tally.fault(&self.state.growing.code, self.model, self.options, graph)
                }
                Phase::Execution => {
                    let State { growing: GrowingGraph { code, graph, .. }, co } = &self.state;
                    let whole = Whole { code, model: self.model, options: &self.options, graph, co: co.as_ref() };
                    let (step, next) = self.tally.execution(whole, budget)?;
                    self.phase = match next {
                        Next::Duplicate => Phase::Duplicate,
                        Next::Finish => Phase::Done,
                        Next::GoOn => Phase::Choose,
                    };
                    Some(step)
                }
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::Choose;
                    Some(Step::Duplicate)
                }
                Phase::Done => Some(Step::Done),
            };
            if let Some(step) = step {
                return Ok(step);
            }
        }
    }

    /// The next event: of the thread that posts the initial messages, of the left-most thread that has anything to do but to take a
    /// message, or else of the left-most handler that can take one.
    fn next(&mut self) -> Option<(ThreadId, Action)> {
        let growing = &mut self.state.growing;
        let threads = growing.code.threads.len();
        let start = growing.code.threads.iter().position(|thread| thread.is_start);
        let mut waiting = None;
        for thread in start.into_iter().chain(0..threads) {
            let id = ThreadId(thread as u16);
            match growing.next_of(thread) {
                None => {}
                Some(Action::Get) => {
                    waiting = waiting.or_else(|| growing.graph.waiting(id).next().map(|_| id));
                }
                Some(action) => return Some((id, growing.graph.or_cut(id, action, self.options.limits.unroll))),
            }
        }
        waiting.map(|handler| (handler, Action::Get))
    }

    /// Adds an event.
    fn extend(&mut self) -> Option<Step> {
        let Some((thread, action)) = self.next() else {
            self.phase = Phase::Whole;
            return None;
        };
        let growing = &mut self.state.growing;
        let e = growing.add(thread, action);
        let event = growing.graph.event(e);
        self.phase = match action {
            Action::Error(_) => Phase::Error(e),
            Action::Write { .. } | Action::Post { .. } => Phase::Behind(e),
            Action::Library { operation, .. } if !operation.waits() => Phase::Behind(e),
            Action::Read { .. } | Action::Update { .. } | Action::Library { .. } | Action::Get => Phase::Choose,
            _ => Phase::Extend,
        };
        let key = event.key;
        match self.phase {
            Phase::Choose => {
                let choices = self.sources(e);
                self.push_frame(e, choices, None);
            }
            Phase::Behind(_) => self.go_behind(e),
            _ => {}
        }
        self.chosen = self.frames.len().checked_sub(1).filter(|_| self.phase == Phase::Choose);
        Some(Step::AddEvent { event: key })
    }

    fn push_frame(&mut self, event: EventId, choices: Vec<Choice>, read: Option<EventId>) {
        let state = Arc::new(self.state.clone());
        self.frames.push(Frame { state, event, choices: choices.into(), next: 0, read });
        self.phase = Phase::Choose;
    }

    /// What a new read could take, the maximal choice first as far as that is known.
    fn sources(&self, read: EventId) -> Vec<Choice> {
        let State { growing, co } = &self.state;
        let mut sources = growing.sources(read);
        let hidden = hidden(&growing.graph, co.as_ref(), read, &growing.graph.porf_prefix(read));
        sources.retain(|&write| !hidden.contains(write));
        keep_first_posts(&growing.graph, read, &mut sources);
        match growing.graph.event(read).location().zip(co.as_ref()) {
            Some((location, co)) => {
                let order = &co[location.0 as usize];
                sort::by_key(&mut sources, |&write| std::cmp::Reverse(order.iter().position(|&w| w == write)));
            }
            None => self.sort_by_name(&growing.graph, &mut sources),
        }
        let ways = sources.into_iter().flat_map(|write| {
            let spurious = growing.may_fail_spuriously(read, write);
            [Some(Choice::Source(write, false)), spurious.then_some(Choice::Source(write, true))].into_iter().flatten()
        });
        let waits = growing.graph.event(read).operation().is_some();
        waits.then_some(Choice::Wait).into_iter().chain(ways).collect()
    }

    /// The greatest name first, initial writes last; posts the other way round, so that those that came first are tried first.
    fn sort_by_name(&self, graph: &Execution, sources: &mut [EventId]) {
        let rank = |e: EventId| (!graph.event(e).is_init(), graph.event(e).key);
        sort::by_key(sources, |&e| std::cmp::Reverse(rank(e)));
        if sources.first().is_some_and(|&e| graph.event(e).posts_to().is_some()) {
            sources.reverse();
        }
    }

    /// Behind an event that has its source: if it writes or posts, its places and the reads that it may revisit are choices.
    fn go_behind(&mut self, e: EventId) {
        let State { growing, co } = &self.state;
        let graph = &growing.graph;
        let event = graph.event(e);
        let posts = event.posts_to();
        if !event.is_write() && posts.is_none() {
            self.phase = Phase::Extend;
            return;
        }
        let mut choices = Vec::new();
        let prefix = graph.porf_prefix(e);
        match event.location().zip(co.as_ref()) {
            Some(_) if event.is_read() => {
                choices.extend(graph.source(e).map(Choice::Place));
            }
            Some((location, co)) => {
                let places = known_last(&co[location.0 as usize], &prefix);
                choices.extend(places.iter().rev().map(|&front| Choice::Place(front)));
            }
            None => choices.push(Choice::Write),
        }
        if event.operation().is_none_or(Operation::hands_over) {
            let takes = |(_, read): &(EventId, &Event)| match posts {
                Some(handler) => read.is_get() && read.thread() == handler,
                None => read.is_read() && read.location() == event.location(),
            };
            for (read, _) in graph.events().filter(takes).filter(|(read, _)| *read != e && !prefix.contains(*read)) {
                if posts.is_none() && !library::feeds(graph, e, read) {
                    continue;
                }
                choices.push(Choice::Revisit(read, false));
                if growing.may_fail_spuriously(read, e) {
                    choices.push(Choice::Revisit(read, true));
                }
            }
        }
        // A new write can be last: there is nothing to choose, and nothing to ask.
        if choices[..] == [Choice::Write] && !event.is_update() {
            self.phase = Phase::Extend;
            return;
        }
        self.push_frame(e, choices, None);
    }

    /// Makes the next choice of the last frame.
    fn choose(&mut self, budget: &mut Budget) -> Result<Option<Step>, Paused> {
        let Some(frame) = self.frames.last() else {
            self.phase = Phase::Done;
            return Ok(None);
        };
        let Some(&choice) = frame.choices.get(frame.next) else {
            self.frames.pop();
            return Ok(None);
        };
        let (first, event, level) = (frame.next == 0, frame.event, self.frames.len() - 1);
        let (before, read) = (Arc::clone(&frame.state), frame.read);
        budget.count(before.growing.graph.len() as u64)?;
        let step = match choice {
            Choice::Wait => Some(self.wait(&before, event)),
            Choice::Source(source, spurious) => {
                Some(self.take_source(&before, event, (source, spurious), first, budget)?)
            }
            Choice::Place(front) => Some(self.place(&before, event, front, first, read, budget)?),
            Choice::Write => {
                let decision = if before.growing.graph.event(event).is_update() {
                    self.decide(&before.growing.graph, None, budget)?
                } else {
                    Decision::Yes
                };
                self.install(State::clone(&before));
                self.phase = behind(decision, Phase::Extend);
                None
            }
            Choice::Revisit(read, spurious) => Some(self.revisit(&before, event, (read, spurious), budget)?),
        };
        self.chosen = Some(level);
        // A frame with one choice is not come back to.
        if let Some(frame) = self.frames.get_mut(level) {
            frame.next += 1;
            // What was asked belongs to this choice.
            (self.asked, self.answers) = (0, Vec::new());
            if frame.choices.len() == 1 {
                self.frames.remove(level);
            }
        }
        let is_taken = !matches!(step, None | Some(Step::NotMaximal { .. }));
        self.tally.counts.revisits += u64::from(is_taken && !first);
        Ok(step)
    }

    /// Shows another graph, and notes which events are gone.
    fn install(&mut self, state: State) {
        let gone = |(_, event): &(EventId, &Event)| state.growing.graph.find(event.key).is_none();
        self.cut = self.state.growing.graph.events().filter(gone).map(|(_, event)| *event).collect();
        self.prefix.clear();
        self.state = state;
    }

    fn wait(&mut self, before: &State, read: EventId) -> Step {
        self.install(before.clone());
        self.phase = Phase::Extend;
        Step::Block { read: self.state.growing.key(read) }
    }

    fn take_source(
        &mut self,
        before: &State,
        read: EventId,
        (source, spurious): (EventId, bool),
        first: bool,
        budget: &mut Budget,
    ) -> Result<Step, Paused> {
        let mut state = before.clone();
        state.growing.take(read, source, spurious);
        let decision = self.decide_as_read(&state, read, budget)?;
        state.growing.resume(read);
        self.install(state);
        self.phase = behind(decision, Phase::Behind(read));
        let growing = &self.state.growing;
        let (read, write, direction) = (growing.key(read), growing.key(source), Direction::Forward);
        Ok(match (first, spurious) {
            (_, true) => Step::TakeSpurious { read, write, direction },
            (true, _) => Step::ChooseSource { read, write },
            (false, _) => Step::TakeRevisit { read, write, direction },
        })
    }

    /// Puts a write behind another in co. A read that it revisits goes on then, if there is one.
    fn place(
        &mut self,
        before: &State,
        write: EventId,
        front: EventId,
        first: bool,
        read: Option<EventId>,
        budget: &mut Budget,
    ) -> Result<Step, Paused> {
        let mut state = before.clone();
        state.place(write, front);
        let decision = match read {
            Some(read) => self.decide_as_read(&state, read, budget)?,
            None => self.decide(&state.growing.graph, state.co.as_ref(), budget)?,
        };
        self.install(state);
        self.phase = behind(decision, read.map_or(Phase::Extend, Phase::Behind));
        let growing = &self.state.growing;
        let (write, after) = (growing.key(write), growing.key(front));
        Ok(if first { Step::PlaceWrite { write, after } } else { Step::TakePlacement { write, after } })
    }

    /// Lets an earlier read take the new write, or a get the new post, if all that this deletes is maximal.
    fn revisit(
        &mut self,
        before: &State,
        write: EventId,
        (read, spurious): (EventId, bool),
        budget: &mut Budget,
    ) -> Result<Step, Paused> {
        let graph = &before.growing.graph;
        let prefix = graph.porf_prefix(write);
        budget.count((graph.len() * graph.len()) as u64 / 64)?;
        let (read_key, write_key) = (before.growing.key(read), before.growing.key(write));
        if let Some((event, reason)) = self.not_maximal(before, write, read, &prefix, budget)? {
            let behind = |e: &EventId| *e > read && prefix.contains(*e);
            self.tally.counts.undecided += u64::from(matches!(reason, Reason::Undecided(_)));
            self.install(before.clone());
            self.prefix = graph.ids().filter(behind).collect();
            self.phase = Phase::Choose;
            let event = graph.event(event).key;
            return Ok(Step::NotMaximal { read: read_key, write: write_key, event, reason });
        }
        let mut state = before.clone();
        let kept = before.growing.behind(read, &prefix);
        let order = before.co.as_ref().map(|co| graph.canonical_coherence(co));
        let restored = state.growing.cut_to(read, &kept).kept;
        let find = |key| state.growing.graph.find(key);
        state.co = order.map(|co| co.iter().map(|order| order.iter().filter_map(|&w| find(w)).collect()).collect());
        let Some(write) = find(write_key) else { unreachable!("a write is in its own prefix") };
        // The read may have written.
        if let Some(co) = &mut state.co {
            co.iter_mut().for_each(|order| order.retain(|&w| w != read && w != write));
        }
        state.growing.take(read, write, spurious);
        let update = state.growing.graph.event(write).is_update();
        let co = state.co.as_ref();
        let places = match state.growing.graph.event(write).location().zip(co) {
            Some(_) if update => state.growing.graph.source(write).map(Choice::Place).into_iter().collect(),
            Some((location, co)) => {
                let graph = &state.growing.graph;
                let places = known_last(&co[location.0 as usize], &graph.porf_prefix(write));
                places.iter().rev().map(|&front| Choice::Place(front)).collect()
            }
            None => Vec::new(),
        };
        let decision = if places.is_empty() { self.decide_as_read(&state, read, budget)? } else { Decision::Yes };
        state.growing.resume(read);
        self.install(state);
        self.prefix = restored.iter().collect();
        if places.is_empty() {
            self.phase = behind(decision, Phase::Behind(read));
        } else {
            self.push_frame(write, places, Some(read));
        }
        let (read, write, direction) = (read_key, write_key, Direction::Backward);
        Ok(if spurious {
            Step::TakeSpurious { read, write, direction }
        } else {
            Step::TakeRevisit { read, write, direction }
        })
    }

    /// The first event that a revisit would delete, or the read, that is not maximal among those added before it and the porf
    /// prefix of the write; and why.
    fn not_maximal(
        &mut self,
        before: &State,
        write: EventId,
        read: EventId,
        prefix: &EventSet,
        budget: &mut Budget,
    ) -> Result<Option<(EventId, Reason)>, Paused> {
        let graph = &before.growing.graph;
        let is_doomed = |e: EventId| e == read || e > read && !prefix.contains(e);
        let previous = |e: EventId, other: EventId| other < e || prefix.contains(other) && other != write;
        let is_write = |e: EventId| graph.event(e).is_write() || graph.event(e).posts_to().is_some();
        // Writes first: where none is read, what comes before a read is closed under rf.
        for e in graph.ids().filter(|&e| is_doomed(e) && is_write(e)) {
            // The write of a read-modify-write comes behind its read.
            let reads = |other: EventId| {
                graph.source(other) == Some(e) && (previous(e, other) || other == write && graph.event(write).is_read())
            };
            if let Some(reader) = graph.ids().find(|&other| reads(other)) {
                return Ok(Some((e, Reason::IsRead(graph.event(reader).key))));
            }
        }
        let Some(co) = &before.co else {
            for e in graph.ids().filter(|&e| is_doomed(e) && graph.source(e).is_some()) {
                if let Some(reason) = self.other_source(before, write, e, prefix, budget)? {
                    return Ok(Some((e, reason)));
                }
            }
            return Ok(None);
        };
        for e in graph.ids().filter(|&e| is_doomed(e)) {
            let event = graph.event(e);
            if event.is_get() {
                if let Some(reason) = self.other_source(before, write, e, prefix, budget)? {
                    return Ok(Some((e, reason)));
                }
                continue;
            }
            let source = graph.source(e);
            if source.is_some() && (event.operation().is_some() || event.fails_spuriously()) {
                return Ok(Some((e, Reason::DoesNotWait)));
            }
            let Some(order) = event.location().map(|location| &co[location.0 as usize]) else { continue };
            let later = |than: EventId| {
                let from = order.iter().position(|&w| w == than).map_or(order.len(), |at| at + 1);
                order[from..].iter().copied().find(|&w| w != e && previous(e, w))
            };
            if let Some(later) = source.and_then(later) {
                return Ok(Some((e, Reason::ReadsEarlier(graph.event(later).key))));
            }
            if let Some(later) = Some(e).filter(|_| event.is_write() && source.is_none()).and_then(later) {
                return Ok(Some((e, Reason::CoEarlier(graph.event(later).key))));
            }
        }
        Ok(None)
    }

    /// Why a read without co, or a get, is not maximal among the events that were added before it and those of a prefix: the source that it
    /// would take first, if that is not the one that it has.
    fn other_source(
        &mut self,
        before: &State,
        write: EventId,
        read: EventId,
        prefix: &EventSet,
        budget: &mut Budget,
    ) -> Result<Option<Reason>, Paused> {
        let whole = &before.growing.graph;
        let event = whole.event(read);
        if event.operation().is_some() || event.fails_spuriously() {
            return Ok(Some(Reason::DoesNotWait));
        }
        let writes_too = whole.event(write).is_read();
        let keep = EventSet::from_fn(whole.len(), |e| e <= read || prefix.contains(e) && (e != write || writes_too));
        let mut graph = whole.restrict(&keep);
        let find = |graph: &Execution, e: EventId| graph.find(whole.event(e).key);
        let (Some(read), Some(source)) = (find(&graph, read), whole.source(read).and_then(|w| find(&graph, w))) else {
            return Ok(None);
        };
        if writes_too && let Some(write) = find(&graph, write) {
            graph.only_read(write);
        }
        let co = before.co.as_ref().map(|co| -> Coherence {
            co.iter().map(|order| order.iter().filter_map(|&w| find(&graph, w)).collect()).collect()
        });
        let mut sources: Vec<EventId> = match graph.event(read).location() {
            Some(location) => graph.writes(location).filter(|&w| w != read).collect(),
            None => {
                let mut posts: Vec<_> = graph.waiting(graph.event(read).thread()).collect();
                posts.push(source);
                posts
            }
        };
        keep_first_posts(&graph, read, &mut sources);
        self.sort_by_name(&graph, &mut sources);
        let hidden = hidden(&graph, co.as_ref(), read, &before_read(&graph, read));
        for other in sources {
            if other == source {
                return Ok(None);
            }
            if hidden.contains(other) {
                continue;
            }
            if takes_any(&graph, read) {
                return Ok(Some(Reason::OtherSource(graph.event(other).key)));
            }
            let mut graph = graph.clone();
            if graph.event(read).is_get() {
                graph.set_post(read, other);
            } else {
                graph.set_source(read, other);
            }
            match self.decide(&graph, co.as_ref(), budget)? {
                Decision::Yes => return Ok(Some(Reason::OtherSource(graph.event(other).key))),
                Decision::Undecided => return Ok(Some(Reason::Undecided(graph.event(other).key))),
                Decision::No => {}
            }
        }
        Ok(None)
    }
}

/// Whether an event is a get that may take any message that waits: a multiset orders no posts, so such a get can come last.
fn takes_any(graph: &Execution, e: EventId) -> bool {
    let event = graph.event(e);
    event.is_get() && graph.mailbox(event.thread()) == Some(Mailbox::Multiset)
}

/// Of the posts to a queue that one thread made, a get can take the first alone.
fn keep_first_posts(graph: &Execution, get: EventId, posts: &mut Vec<EventId>) {
    if !graph.event(get).is_get() || takes_any(graph, get) {
        return;
    }
    sort::by_key(posts, |&post| graph.event(post).key);
    posts.dedup_by_key(|post| graph.event(*post).thread());
}

/// What a read knows of before it takes a source.
fn before_read(graph: &Execution, read: EventId) -> EventSet {
    let EventKey { thread, serial } = graph.event(read).key;
    match (serial as usize).checked_sub(2).map(|at| graph.thread(thread)[at]) {
        Some(before) => graph.porf_prefix(before),
        None => EventSet::from_fn(graph.len(), |e| graph.event(e).is_init()),
    }
}

/// Writes that a read can't take, since it knows of others that come behind them, in porf or in co.
fn hidden(graph: &Execution, co: Option<&Coherence>, read: EventId, prefix: &EventSet) -> EventSet {
    let mut hidden = EventSet::new(graph.len());
    let Some(location) = graph.event(read).location() else { return hidden };
    if let Some(co) = co {
        let order = &co[location.0 as usize];
        let last = order.iter().rposition(|&w| w != read && prefix.contains(w)).unwrap_or(0);
        order[..last].iter().filter(|&&w| w != read).for_each(|&w| {
            hidden.insert(w);
        });
        return hidden;
    }
    for write in graph.writes(location).filter(|&w| w != read && prefix.contains(w) && !graph.event(w).is_init()) {
        let older = graph.porf_prefix(write);
        graph.writes(location).filter(|&w| w != write && older.contains(w)).for_each(|w| {
            hidden.insert(w);
        });
    }
    hidden
}

/// The part of a location's co from the last write on that a new one, with this porf prefix, knows of: it comes behind that.
fn known_last<'o>(order: &'o [EventId], prefix: &EventSet) -> &'o [EventId] {
    &order[order.iter().rposition(|w| prefix.contains(*w)).unwrap_or(0)..]
}

/// The phase behind an answer.
fn behind(decision: Decision, consistent: Phase) -> Phase {
    match decision {
        Decision::Yes => consistent,
        Decision::No => Phase::Drop,
        Decision::Undecided => Phase::Undecided,
    }
}

impl State {
    /// Puts a write behind another in co.
    fn place(&mut self, write: EventId, front: EventId) {
        let location = self.growing.graph.event(write).location();
        let Some((location, co)) = location.zip(self.co.as_mut()) else { return };
        let order = &mut co[location.0 as usize];
        let at = order.iter().position(|&w| w == front).map_or(order.len(), |at| at + 1);
        order.insert(at, write);
    }
}

impl Explorer for EventDriven {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        self.asked = 0;
        let cut = std::mem::take(&mut self.cut);
        let prefix = std::mem::take(&mut self.prefix);
        let chosen = self.chosen.take();
        match self.step(budget) {
            Ok(step) => {
                self.answers.clear();
                self.tally.counts.steps += u64::from(step != Step::Done);
                Ok(step)
            }
            Err(Paused) => {
                (self.cut, self.prefix, self.chosen) = (cut, prefix, chosen);
                Err(Paused)
            }
        }
    }

    fn execution(&self) -> &Execution {
        &self.state.growing.graph
    }

    fn coherence(&self) -> Option<&Coherence> {
        self.state.co.as_ref()
    }

    fn cut(&self) -> &[Event] {
        &self.cut
    }

    fn prefix(&self) -> Vec<EventId> {
        self.prefix.clone()
    }

    fn level(&self) -> Option<usize> {
        self.chosen
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.state.growing.registers()
    }

    fn questions(&self) -> Questions {
        self.inquiry.questions
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        self.state.growing.graph.len() * (1 + self.frames.len())
    }
}
