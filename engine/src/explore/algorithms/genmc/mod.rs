//! GenMC, the variant without co.
//!
//! After Kokologiannakis, Raad, Vafeiadis: *Model Checking for Weakly Consistent Libraries*, PLDI 2019, section 4,
//! algorithms 1 (`VERIFY`), 2 (`VISITONE`) and 3 (`CALCREVISITS`), in the compressed encoding of section 5. Where we
//! deviate from print:
//!
//! - Algorithm 2 prints `G.rf[r]` and `T ∪ {r}` where the new event `a` is meant.
//! - An option stores the read and the part of the graph behind it. With entries of U so compressed, `U[q]` has to be
//!   dropped for every `q` that a revisit removes, not only `T` be cut, or executions are lost.
//! - Keys of U ignore the order of insertion; with it, executions are found twice.
//! - An error event does not end the run unless [`Options::stop_at_first`] is set: it ends its thread, and the execution
//!   counts as erroneous.
//! - ⊥, on which an operation of a library object waits, is a source that is always there: a forward option of every such
//!   operation, like an initial write that any number of operations can take. That no thread waits for what it could take
//!   is asked of whole graphs only. So a revisit never blocks a read, which in the published CALCREVISITS happens for many
//!   readers' sake and finds executions twice; and no graph is dropped for a thread that waits as long as others may go on,
//!   which loses executions of nested locks. In return, whole graphs are dropped in which a thread waits for no reason.
//!   The option is not pushed where no other thread can take what is free ([`GrowingGraph::is_contended`]).
//! - What another operation has taken already is no option of a library's operation: taking it would be inconsistent for
//!   good, and the other one may wait instead.
//! - With [`Options::spurious`], what a weak compare-and-swap takes is a write and whether it fails spuriously: one more
//!   option for each write that has the value it expects.
//!
//! A whole graph is a plain execution (po and rf); each consistent one is visited once (theorem 4.1). A new read may
//! take any write of its location as a forward option, inconsistent ones too: dropping those early would lose
//! executions, for a write read by one RMW must stay an option of another (section 2.6). The first source taken is the
//! first consistent one in the order of insertion; the option taken next is the last one pushed of the read inserted
//! last.

pub(super) mod pseudo_code;
pub(super) mod words;

use crate::explore::growing::{Cut, GrowingGraph};
use crate::explore::tally::{Next, Tally};
use crate::explore::{Counts, Direction, ExecutionKind, Explorer, Options, PendingRead, Proposed, Revisit, Step};
use crate::budget::{Budget, Decision, Paused};
use crate::graph::{Event, EventId, EventKey, EventSet, Execution};
use crate::library;
use crate::model::{Inquiry, Model};
use crate::program::{Action, Code, Operation, Value};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::sync::Arc;

/// A backward option in U: the write, whether the read fails spuriously, and, sorted, the events behind the read that it
/// keeps, with their sources and whether they fail spuriously. Values and labels follow from these, since the graph up to
/// the read is the same for all options of a read.
type Explored = (Option<EventKey>, bool, Arc<[(EventKey, Option<EventKey>, bool)]>);

/// T, S and U of one read.
#[derive(Clone, Debug, Default)]
struct ReadState {
    /// Member of T.
    revisitable: bool,
    /// S, the next option last.
    options: Vec<Revisit>,
    /// U.
    explored: IndexSet<Explored, FxBuildHasher>,
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The head of VISITONE's loop.
    Visit,
    /// The new read wants a source: the `usize`th is tried next.
    Choose(EventId, usize),
    /// The new read's other choices are pushed: the `usize`th is next.
    PushForward(EventId, usize),
    /// CALCREVISITS for a write: the read with this id is next, or its spurious failure.
    PushBackward(EventId, u32, bool),
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

/// Ways to get the algorithm wrong, each of which the tests have to notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
enum Mutation {
    /// Keys of U depend on the order of insertion.
    OrderedKeys,
    /// T is not cut to E1.
    KeepRevisitable,
    /// U of removed reads is not dropped.
    KeepExplored,
    /// No CALCREVISITS for the read of an option taken.
    NoRevisitsAfterTaking,
    /// Keys of U don't know which of the events kept fail spuriously.
    KeysWithoutFailures,
    /// Forward options are consistent ones only.
    ConsistentOptionsOnly,
    /// No CALCREVISITS on inconsistent graphs, or where a thread waits for what it could take.
    NoRevisitsWhenInconsistent,
    /// Graphs are dropped as soon as a thread waits for what it could take.
    DropWaiting,
    /// CALCREVISITS for a lock, which lets others wait.
    BlockBackward,
}

/// GenMC's exploration of one program under one model.
#[derive(Clone, Debug)]
pub struct GenMc {
    model: Model,
    options: Options,
    growing: GrowingGraph,
    /// T, S and U by event id; shorter than the graph where events behind have none.
    reads: Vec<Option<ReadState>>,
    phase: Phase,
    /// Whether the graph was already found to be consistent.
    consistent: bool,
    /// The search that a step was paused in.
    inquiry: Inquiry,
    /// The first source of the new read of which it was not decided whether it fits.
    undecided: Option<usize>,
    tally: Tally,
    cut: Vec<Event>,
    prefix: Option<EventSet>,
    #[cfg(test)]
    mutation: Option<Mutation>,
    /// A model of the test's own.
    #[cfg(test)]
    contrived: Option<fn(&Execution) -> bool>,
    /// U of removed reads, for [`Mutation::KeepExplored`].
    #[cfg(test)]
    stale: FxHashMap<EventKey, IndexSet<Explored, FxBuildHasher>>,
}

impl GenMc {
    /// The exploration before its first step.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        Self {
            growing: GrowingGraph::new(code, options),
            reads: Vec::new(),
            phase: Phase::Visit,
            consistent: false,
            inquiry: Inquiry::default(),
            undecided: None,
            tally: Tally::default(),
            cut: Vec::new(),
            prefix: None,
            #[cfg(test)]
            mutation: None,
            #[cfg(test)]
            contrived: None,
            #[cfg(test)]
            stale: Default::default(),
            model,
            options,
        }
    }

    /// Whether the graph is consistent.
    fn decide(&mut self, budget: &mut Budget) -> Result<Decision, Paused> {
        #[cfg(test)]
        if let Some(contrived) = self.contrived {
            return Ok(contrived(&self.growing.graph).into());
        }
        self.model.decide(&self.growing.graph, None, self.options.limits.search, &mut self.inquiry, budget)
    }

    #[cfg(test)]
    fn is_mutated(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    #[cfg(not(test))]
    fn is_mutated(&self, _: Mutation) -> bool {
        false
    }

    fn key(&self, e: EventId) -> EventKey {
        self.growing.key(e)
    }

    fn drop_graph(&mut self) -> Step {
        self.tally.counts.dropped += 1;
        self.phase = Phase::Take;
        Step::Drop
    }

    fn visit(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if !self.consistent {
            match self.decide(budget)? {
                Decision::Yes => {}
                Decision::No => return Ok(self.drop_graph()),
                Decision::Undecided => {
                    self.tally.counts.undecided += 1;
                    self.phase = Phase::Take;
                    return Ok(Step::Undecided);
                }
            }
        }
        self.consistent = true;
        if self.is_mutated(Mutation::DropWaiting) && library::ill_blocked(&self.growing.graph).is_some() {
            return Ok(self.drop_graph());
        }
        let Some((thread, action)) = self.growing.next() else {
            if library::ill_blocked(&self.growing.graph).is_some() {
                return Ok(self.drop_graph());
            }
            self.phase = Phase::ReportRace;
            return self.advance_phase(budget);
        };
        let e = self.growing.add(thread, action);
        // The end of a thread changes no relation.
        self.consistent = self.growing.graph.event(e).ends_thread();
        self.phase = match action {
            Action::Library { operation, .. } if operation.waits() => Phase::Choose(e, 0),
            Action::Read { .. } | Action::Update { .. } => Phase::Choose(e, 0),
            Action::Write { .. } | Action::Library { .. } => Phase::PushBackward(e, 0, false),
            Action::Error(_) => Phase::ReportError(e),
            Action::Fence(_) | Action::Stuck | Action::Spin | Action::Bound(_) | Action::Finished => Phase::Visit,
        };
        Ok(Step::AddEvent { event: self.key(e) })
    }

    fn choose(&mut self, read: EventId, next: usize, budget: &mut Budget) -> Result<Step, Paused> {
        let sources = self.growing.sources(read);
        // No model lets a thread read a location as it was before a write that it wrote or read already; a long thread
        // has many such sources, each of which would take long to refuse.
        let known = self.growing.known_writes(read);
        let mut fits = None;
        for (at, &write) in sources.iter().enumerate().skip(next) {
            if known.iter().any(|&known| self.growing.graph.po(write, known)) {
                continue;
            }
            self.growing.graph.set_source(read, write);
            match self.decide(budget) {
                Ok(Decision::Yes) => fits = Some(at),
                Ok(Decision::No) => {}
                // The next visit asks again, to tell.
                Ok(Decision::Undecided) => self.undecided = self.undecided.or(Some(at)),
                Err(Paused) => {
                    self.growing.graph.block(read);
                    self.phase = Phase::Choose(read, at);
                    return Err(Paused);
                }
            }
            if fits.is_some() {
                break;
            }
        }
        let undecided = self.undecided.take();
        let event = *self.growing.graph.event(read);
        if event.operation().is_some() && fits.or(undecided).is_none() {
            self.growing.graph.block(read);
            // It changes no relation that anything else is in.
            self.consistent = true;
            self.add_state(read);
            self.phase = Phase::Visit;
            return Ok(Step::Block { read: event.key });
        }
        self.consistent = fits.is_some();
        // An extensible model always has a source that fits; should none do, the next visit drops the graph.
        let write = sources[fits.or(undecided).unwrap_or(0)];
        self.growing.graph.set_source(read, write);
        self.growing.resume(read);
        self.add_state(read);
        self.phase = Phase::PushForward(read, 0);
        Ok(Step::ChooseSource { read: self.key(read), write: self.key(write) })
    }

    /// Lets a new read join T.
    fn add_state(&mut self, read: EventId) {
        self.reads.resize_with(self.growing.graph.len(), || None);
        self.reads[read.index()] = Some(ReadState { revisitable: true, ..ReadState::default() });
        #[cfg(test)]
        if let (Some(stale), Some(state)) = (self.stale.remove(&self.key(read)), &mut self.reads[read.index()]) {
            state.explored = stale;
        }
    }

    fn push_forward(&mut self, read: EventId, next: usize) -> Option<Step> {
        let chosen = self.growing.graph.source(read).map(|write| (write, false));
        let other = self.growing.choices(read).filter(|&other| Some(other) != chosen).nth(next);
        let Some((write, spurious)) = other else {
            self.phase = self.behind(read);
            return self.push_block(read);
        };
        self.phase = Phase::PushForward(read, next + 1);
        if self.is_mutated(Mutation::ConsistentOptionsOnly) {
            let mut graph = self.growing.graph.clone();
            graph.set_source(read, write);
            if !self.model.is_consistent(&graph) {
                return None;
            }
        }
        let (read_key, write) = (self.key(read), self.key(write));
        let state = self.reads[read.index()].as_mut().expect("the new read has a state");
        let direction = Direction::Forward;
        state.options.push(Revisit { write: Some(write), direction, spurious, prefix: Arc::default() });
        Some(if spurious {
            Step::PushSpurious { read: read_key, write, direction }
        } else {
            Step::PushForward { read: read_key, write }
        })
    }

    /// Pushes ⊥.
    fn push_block(&mut self, read: EventId) -> Option<Step> {
        if !self.growing.is_contended(read) {
            return None;
        }
        let direction = Direction::Forward;
        let state = self.reads[read.index()].as_mut().expect("the new read has a state");
        state.options.push(Revisit { write: None, direction, spurious: false, prefix: Arc::default() });
        Some(Step::PushBlock { read: self.key(read) })
    }

    /// The phase behind a read that got its source: revisits if it also writes.
    fn behind(&self, read: EventId) -> Phase {
        let event = self.growing.graph.event(read);
        let feeds = event.is_write() && event.operation().is_none_or(Operation::hands_over);
        if feeds || self.is_mutated(Mutation::BlockBackward) && event.is_write() {
            Phase::PushBackward(read, 0, false)
        } else {
            Phase::Visit
        }
    }

    /// CALCREVISITS from the read `next` on, which may have been proposed already but for its spurious failure.
    fn push_backward(&mut self, write: EventId, next: u32, spurious: bool) -> Option<Step> {
        let inconsistent =
            || !self.model.is_consistent(&self.growing.graph) || library::ill_blocked(&self.growing.graph).is_some();
        if self.is_mutated(Mutation::NoRevisitsWhenInconsistent) && inconsistent() {
            self.phase = Phase::Visit;
            return None;
        }
        let location = self.growing.graph.event(write).location();
        // Only ever so in the mutated algorithm: the new lock, which is no source, lets another one wait.
        let blocks = !self.growing.graph.event(write).operation().is_none_or(Operation::hands_over);
        let prefix = match self.prefix.take() {
            Some(prefix) if next > 0 => prefix,
            _ => self.growing.graph.porf_prefix(write),
        };
        let candidate = (next..self.reads.len() as u32).map(EventId).find(|&read| {
            self.reads[read.index()].as_ref().is_some_and(|state| state.revisitable)
                && self.growing.graph.event(read).location() == location
                && !prefix.contains(read)
                && (blocks || library::feeds(&self.growing.graph, write, read))
        });
        let Some(read) = candidate else {
            self.phase = Phase::Visit;
            return None;
        };
        self.phase = if !spurious && self.growing.may_fail_spuriously(read, write) {
            Phase::PushBackward(write, read.0, true)
        } else {
            Phase::PushBackward(write, read.0 + 1, false)
        };
        let kept = self.growing.behind(read, &prefix);
        self.prefix = Some(prefix);
        let (read_key, write) = (self.key(read), self.key(write));
        let direction = Direction::Backward;
        let source = if blocks { None } else { Some(write) };
        let revisit = Revisit { write: source, direction, spurious, prefix: kept.into() };
        let key = self.explored(&revisit);
        let state = self.reads[read.index()].as_mut().expect("candidates have a state");
        let new = state.explored.insert(key);
        if new {
            state.options.push(revisit);
        }
        if blocks {
            return Some(Step::PushBlock { read: read_key });
        }
        Some(match (new, spurious) {
            (true, false) => Step::PushBackward { read: read_key, write },
            (true, true) => Step::PushSpurious { read: read_key, write, direction },
            (false, false) => Step::AlreadyExplored { read: read_key, write },
            (false, true) => Step::SpuriousAlreadyExplored { read: read_key, write },
        })
    }

    /// A backward option's key in U.
    fn explored(&self, revisit: &Revisit) -> Explored {
        let kept = revisit.prefix.iter();
        let failures = !self.is_mutated(Mutation::KeysWithoutFailures);
        let mut key: Vec<_> =
            kept.map(|(event, source)| (event.key, *source, failures && event.fails_spuriously())).collect();
        if !self.is_mutated(Mutation::OrderedKeys) {
            // Each event is there once.
            key.sort_unstable_by_key(|(event, ..)| *event);
        }
        (revisit.write, revisit.spurious, key.into())
    }

    fn proposed(&self, state: &ReadState) -> Vec<Proposed> {
        let backward = |revisit: &Revisit| revisit.direction == Direction::Backward;
        let waiting: FxHashMap<_, _> = state
            .options
            .iter()
            .enumerate()
            .filter(|(_, revisit)| backward(revisit))
            .map(|(at, revisit)| (self.explored(revisit), at))
            .collect();
        state
            .explored
            .iter()
            .filter_map(|entry| {
                Some(Proposed {
                    write: entry.0?,
                    spurious: entry.1,
                    keeps: entry.2.iter().map(|(event, ..)| *event).collect(),
                    waits: waiting.get(entry).copied(),
                })
            })
            .collect()
    }

    fn report_race(&mut self) -> Option<Step> {
        self.phase = Phase::Complete;
        self.tally.fault(&self.growing.code, self.model, self.options, &self.growing.graph)
    }

    fn complete(&mut self) -> Step {
        let (step, next) = self.tally.execution(&self.growing.graph, None, self.options.stop_at_first);
        self.phase = match next {
            Next::Duplicate => Phase::Duplicate,
            Next::Finish => Phase::Finish,
            Next::GoOn => Phase::Take,
        };
        step
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

    /// VERIFY's loop: the option of the read that was inserted last.
    fn take(&mut self) -> Step {
        let Some(read) = self.reads.iter().rposition(|state| state.as_ref().is_some_and(|s| !s.options.is_empty()))
        else {
            self.phase = Phase::Done;
            return Step::Done;
        };
        // T, U (and S, empty by maximality) of what was inserted behind the read are dropped.
        #[cfg(test)]
        let dropped = {
            let states = self.reads.split_off(read + 1);
            self.dropped(read, states)
        };
        self.reads.truncate(read + 1);
        let state = self.reads[read].as_mut().expect("found above");
        let revisit = state.options.pop().expect("found above");
        let read = EventId(read as u32);
        self.cut_to(read, &revisit);
        #[cfg(test)]
        self.keep_dropped(dropped);
        self.tally.counts.revisits += 1;
        self.phase = if self.is_mutated(Mutation::NoRevisitsAfterTaking) { Phase::Visit } else { self.behind(read) };
        let (read, Revisit { write, direction, spurious, .. }) = (self.key(read), revisit);
        match write {
            None => Step::TakeBlock { read },
            Some(write) if spurious => Step::TakeSpurious { read, write, direction },
            Some(write) => Step::TakeRevisit { read, write, direction },
        }
    }

    /// The states that a revisit drops, by read.
    #[cfg(test)]
    fn dropped(&self, read: usize, states: Vec<Option<ReadState>>) -> Vec<(EventKey, ReadState)> {
        let named =
            |(index, state): (usize, Option<ReadState>)| Some((self.key(EventId((read + 1 + index) as u32)), state?));
        states.into_iter().enumerate().filter_map(named).collect()
    }

    /// What the mutations that forget to drop T or U do instead.
    #[cfg(test)]
    fn keep_dropped(&mut self, dropped: Vec<(EventKey, ReadState)>) {
        for (key, state) in dropped {
            if self.is_mutated(Mutation::KeepExplored) {
                self.stale.insert(key, state.explored);
            } else if self.is_mutated(Mutation::KeepRevisitable)
                && state.revisitable
                && let Some(e) = self.growing.graph.find(key)
            {
                self.reads.resize_with(self.growing.graph.len(), || None);
                self.reads[e.index()] = Some(ReadState { revisitable: true, ..ReadState::default() });
            }
        }
    }

    /// Cuts the graph behind the read, restores the option's prefix there and gives the read its new source.
    fn cut_to(&mut self, read: EventId, revisit: &Revisit) {
        let Cut { removed, kept } = self.growing.cut_to(read, &revisit.prefix);
        self.cut = removed;
        self.prefix = Some(kept);
        self.consistent = false;
        match revisit.write {
            Some(write) => {
                let write = self.growing.graph.find(write).expect("a source precedes the read or is in the prefix");
                self.growing.take(read, write, revisit.spurious);
            }
            None => self.growing.graph.block(read),
        }
        self.growing.resume(read);
    }

    fn advance_phase(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        loop {
            if !matches!(self.phase, Phase::PushBackward(..)) {
                self.prefix = None;
            }
            let step = match self.phase {
                Phase::Visit => Some(self.visit(budget)?),
                Phase::Choose(read, next) => Some(self.choose(read, next, budget)?),
                Phase::PushForward(read, next) => self.push_forward(read, next),
                Phase::PushBackward(write, next, spurious) => self.push_backward(write, next, spurious),
                Phase::ReportError(event) => Some(self.report_error(event)),
                Phase::ReportRace => self.report_race(),
                Phase::Complete => Some(self.complete()),
                Phase::Duplicate => {
                    self.tally.counts.duplicates += 1;
                    self.phase = Phase::Take;
                    Some(Step::Duplicate)
                }
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

impl Explorer for GenMc {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        if matches!(self.phase, Phase::Done) {
            return Ok(Step::Done);
        }
        budget.count(self.growing.graph.len() as u64)?;
        // A step that is paused leaves what the step before shows.
        let shown = (std::mem::take(&mut self.cut), self.prefix.clone());
        let step = self.advance_phase(budget).inspect_err(|_| (self.cut, self.prefix) = shown)?;
        self.tally.counts.steps += 1;
        Ok(step)
    }

    fn execution(&self) -> &Execution {
        &self.growing.graph
    }

    fn cut(&self) -> &[Event] {
        &self.cut
    }

    fn prefix(&self) -> Vec<EventId> {
        self.prefix.iter().flat_map(EventSet::iter).filter(|e| !self.growing.graph.event(*e).is_init()).collect()
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.growing.registers()
    }

    fn counts(&self) -> Counts {
        self.tally.counts
    }

    fn pending(&self) -> Vec<PendingRead> {
        self.reads
            .iter()
            .enumerate()
            .filter_map(|(read, state)| {
                let state = state.as_ref()?;
                Some(PendingRead {
                    read: self.key(EventId(read as u32)),
                    revisitable: state.revisitable,
                    options: state.options.clone(),
                    explored: self.proposed(state),
                })
            })
            .collect()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        let options = |state: &ReadState| state.options.len() + state.explored.len();
        self.growing.graph.len() + self.reads.iter().flatten().map(options).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::ThreadId;

    /// Runs GenMC, perhaps mutated, to its end.
    fn explore(text: &str, model: Model, mutation: Option<Mutation>) -> Counts {
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let options = Options { spurious: true, ..Options::default() };
        let mut explorer = GenMc { mutation, ..GenMc::new(code, model, options) };
        while explorer.advance() != Step::Done {}
        explorer.counts()
    }

    /// The mutation changes the number of executions found of a program with `right` executions to `wrong`.
    fn notices(mutation: Mutation, text: &str, right: u64, wrong: u64) {
        for model in [Model::Sc, Model::Tso, Model::Rc11] {
            assert_eq!(explore(text, model, None).executions(), right, "{model:?}");
            assert_eq!(explore(text, model, Some(mutation)).executions(), wrong, "{model:?} with {mutation:?}");
        }
    }

    #[test]
    fn keys_that_depend_on_insertion_find_an_execution_twice() {
        notices(Mutation::OrderedKeys, "a := x || fai(x) || x := 1", 6, 7);
        assert_eq!(explore("a := x || fai(x) || x := 1", Model::Sc, Some(Mutation::OrderedKeys)).duplicates, 1);
    }

    #[test]
    fn revisiting_removed_reads_finds_an_execution_twice() {
        notices(Mutation::KeepRevisitable, "a := x || x := 1 || fai(x)", 6, 7);
    }

    #[test]
    fn compressed_keys_have_to_be_dropped_with_their_reads() {
        notices(Mutation::KeepExplored, "y := 1 || b := y; a := x || fai(x)", 4, 3);
    }

    #[test]
    fn an_option_taken_revisits_in_turn() {
        notices(Mutation::NoRevisitsAfterTaking, "fai(x) || fai(x)", 2, 1);
    }

    #[test]
    fn spurious_failures_are_part_of_keys() {
        notices(Mutation::KeysWithoutFailures, "a := y || b := wcas(x, 0, 1); y := 1", 4, 3);
    }

    #[test]
    fn inconsistent_forward_options_are_needed() {
        notices(Mutation::ConsistentOptionsOnly, "fai(x) || fai(x)", 2, 1);
    }

    #[test]
    fn inconsistent_graphs_revisit_too() {
        notices(Mutation::NoRevisitsWhenInconsistent, "fai(x) || fai(x)", 2, 1);
    }

    const SECTION: &str = "lock m; unlock m";
    /// Dropping graphs for a thread that waits loses some of these executions.
    const NESTED: [(&str, u64); 3] = [
        ("lock m; unlock m; lock m; unlock m || lock m; lock l; unlock l; unlock m || lock l; unlock l", 6),
        ("lock l; unlock l; lock m; unlock m || lock m; lock l; unlock l; unlock m || lock l; unlock l", 9),
        (
            "lock l; unlock l; lock m; unlock m || lock l; lock m; unlock m; unlock l || lock m; unlock m; lock l; unlock l",
            17,
        ),
    ];

    #[test]
    fn graphs_where_a_thread_waits_for_no_reason_revisit_too() {
        notices(Mutation::NoRevisitsWhenInconsistent, &[SECTION; 2].join(" || "), 2, 1);
    }

    #[test]
    fn dropping_graphs_early_loses_executions() {
        for (text, right) in NESTED {
            for model in [Model::Sc, Model::Tso, Model::Rc11] {
                assert_eq!(explore(text, model, None).executions(), right, "{model:?}");
                assert!(explore(text, model, Some(Mutation::DropWaiting)).executions() < right, "{model:?}");
            }
        }
    }

    #[test]
    fn letting_others_wait_for_a_lock_finds_executions_twice() {
        let text = "lock m || lock m || lock m; unlock m";
        for model in [Model::Sc, Model::Tso, Model::Rc11] {
            assert_eq!((explore(text, model, None).executions(), explore(text, model, None).duplicates), (4, 0));
            let mutated = explore(text, model, Some(Mutation::BlockBackward));
            assert!(mutated.duplicates > 0, "{model:?}");
            assert_eq!(mutated.executions() - mutated.duplicates, 4, "{model:?}");
        }
    }

    /// The worked run of section 2.7 of the paper, but for ⊥, which is pushed with the first source and not when another
    /// lock asks for it, and not for the last lock.
    #[test]
    fn the_worked_run_of_lock_2() {
        let program = crate::syntax::parse(&[SECTION; 2].join(" || ")).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMc::new(code, Model::Sc, Options::default());
        let key = |thread, serial| EventKey { thread: ThreadId(thread), serial };
        let (a, freed_a, b, freed_b) = (key(0, 1), key(0, 2), key(1, 1), key(1, 2));
        let init = EventKey { thread: ThreadId::INIT, serial: 0 };
        let complete = |number| Step::Execution { number, kind: ExecutionKind::Complete };
        for step in [
            Step::AddEvent { event: a },
            Step::ChooseSource { read: a, write: init },
            Step::PushBlock { read: a },
            Step::AddEvent { event: freed_a },
            Step::AddEvent { event: b },
            Step::ChooseSource { read: b, write: freed_a },
            Step::AddEvent { event: freed_b },
            complete(1),
            Step::TakeBlock { read: a },
            Step::AddEvent { event: b },
            Step::ChooseSource { read: b, write: init },
            Step::AddEvent { event: freed_b },
            Step::PushBackward { read: a, write: freed_b },
            Step::Drop,
            Step::TakeRevisit { read: a, write: freed_b, direction: Direction::Backward },
            Step::AddEvent { event: freed_a },
            complete(2),
            Step::Done,
        ] {
            assert_eq!(explorer.advance(), step);
        }
        assert_eq!(explorer.counts().dropped, 1);
    }

    /// The number of graphs visited, dropped ones included, with every write of the location pushed as an option.
    #[test]
    fn visits_of_fai() {
        for (threads, executions, visits) in [(2, 2, 3), (3, 6, 14), (4, 24, 80), (5, 120, 528)] {
            let text = vec!["fai(x)"; threads].join(" || ");
            let counts = explore(&text, Model::Sc, None);
            assert_eq!(counts.executions(), executions);
            assert_eq!(counts.executions() + counts.dropped, visits);
        }
    }

    /// R+R+W under a model that is not extensible, where reading 0 from y forbids reading 0 from x: of the one consistent
    /// execution, in which x was written first, GenMC finds none, since it gets stuck before the write (section 2.4).
    #[test]
    fn models_have_to_be_extensible() {
        let program = crate::syntax::parse("a := x || b := y || x := 42").expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let contrived = |graph: &Execution| {
            let reads_zero = |location: u32| {
                graph.events().any(|(_, event)| {
                    event.is_read() && event.location().is_some_and(|l| l.0 == location) && event.value_read == Some(0)
                })
            };
            !(reads_zero(0) && reads_zero(1))
        };
        let candidates = crate::explore::brute_force::candidates(&code, Options::default().limits).expect("small");
        assert_eq!(candidates.iter().filter(|graph| contrived(graph)).count(), 1);
        let mut explorer =
            GenMc { contrived: Some(contrived), ..GenMc::new(Arc::clone(&code), Model::Sc, Options::default()) };
        while explorer.advance() != Step::Done {}
        assert_eq!(explorer.counts().executions(), 0);
    }

    #[test]
    fn the_worked_run_of_w_rw_w() {
        let text = "x := 1 || a := x; if a = 0 then y := 1 || x := 2";
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMc::new(code, Model::Sc, Options::default());
        let key = |thread, serial| EventKey { thread: ThreadId(thread), serial };
        let (one, read, two) = (key(0, 1), key(1, 1), key(2, 1));
        let init = EventKey { thread: ThreadId::INIT, serial: 0 };
        let complete = |number| Step::Execution { number, kind: ExecutionKind::Complete };
        for step in [
            Step::AddEvent { event: one },
            Step::AddEvent { event: read },
            Step::ChooseSource { read, write: init },
            Step::PushForward { read, write: one },
            Step::AddEvent { event: key(1, 2) },
            Step::AddEvent { event: two },
            Step::PushBackward { read, write: two },
            complete(1),
            Step::TakeRevisit { read, write: two, direction: Direction::Backward },
            complete(2),
            Step::TakeRevisit { read, write: one, direction: Direction::Forward },
            Step::AddEvent { event: two },
            Step::AlreadyExplored { read, write: two },
            complete(3),
            Step::Done,
            Step::Done,
        ] {
            assert_eq!(explorer.advance(), step);
        }
    }
}
