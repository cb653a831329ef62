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
//!   The option is not pushed where no other thread can take what is free (`GrowingGraph::is_contended`).
//! - What another operation has taken already is no option of a library's operation: taking it would be inconsistent for
//!   good, and the other one may wait instead.
//! - With [`Options::spurious`], what a weak compare-and-swap takes is a write and whether it fails spuriously: one more
//!   option for each write that has the value it expects. Keys of U say which of the events kept fail, or executions are
//!   lost.
//!
//! A whole graph is a plain execution (po and rf); each consistent one is visited once (theorem 4.1). A new read may
//! take any write of its location as a forward option, inconsistent ones too: dropping those early would lose
//! executions, for a write read by one RMW must stay an option of another (section 2.6). The first source taken is the
//! first consistent one in the order of insertion; the option taken next is the last one pushed of the read inserted
//! last.
//!
//! `VISITONE` does the same with co and without, and is in `shared.rs`; here are `CALCREVISITS`, what an option keeps, and how
//! it is taken.

pub(super) mod pseudo_code;
pub(super) mod shared;
pub(super) mod words;

use crate::budget::{Budget, Decision, Paused};
use crate::explore::growing::Cut;
use crate::explore::{Counts, Direction, Explorer, Options, PendingRead, Revisit, Step};
use crate::graph::{Coherence, Event, EventId, EventKey, Execution};
use crate::library;
use crate::model::{Model, Questions};
use crate::program::{Code, Operation, Value};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
#[cfg(test)]
use rustc_hash::FxHashMap;
use shared::{Course, Phase, Variant, proposal, proposed, taken};
use std::convert::Infallible;
use std::sync::Arc;

/// Of an event that an option in U keeps: its name, its source and whether it fails spuriously. Values and labels follow
/// from these, since the graph up to the read is the same for all options of a read.
type KeptKey = (EventKey, Option<EventKey>, bool);
type Explored = shared::Explored<KeptKey>;

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
    course: Course<Infallible>,
    /// T, S and U by event id; shorter than the graph where events behind have none.
    reads: Vec<Option<ReadState>>,
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
            course: Course::new(code, model, options),
            reads: Vec::new(),
            #[cfg(test)]
            mutation: None,
            #[cfg(test)]
            contrived: None,
            #[cfg(test)]
            stale: Default::default(),
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

    fn key(&self, e: EventId) -> EventKey {
        self.course.growing.key(e)
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
                && let Some(e) = self.course.growing.graph.find(key)
            {
                self.reads.resize_with(self.course.growing.graph.len(), || None);
                self.reads[e.index()] = Some(ReadState { revisitable: true, ..ReadState::default() });
            }
        }
    }

    /// Cuts the graph behind the read, restores the option's prefix there and gives the read its new source.
    fn cut_to(&mut self, read: EventId, revisit: &Revisit) {
        let Cut { removed, kept } = self.course.growing.cut_to(read, &revisit.prefix);
        self.course.cut = removed;
        self.course.prefix = Some(kept);
        self.course.consistent = false;
        match revisit.write {
            Some(write) => {
                let write =
                    self.course.growing.graph.find(write).expect("a source precedes the read or is in the prefix");
                self.course.growing.take(read, write, revisit.spurious);
            }
            None => self.course.growing.graph.block(read),
        }
        self.course.growing.resume(read);
    }
}

impl Variant for GenMc {
    type Own = Infallible;

    fn course(&self) -> &Course<Infallible> {
        &self.course
    }

    fn course_mut(&mut self) -> &mut Course<Infallible> {
        &mut self.course
    }

    fn course_and_co(&mut self) -> (&mut Course<Infallible>, Option<&Coherence>) {
        (&mut self.course, None)
    }

    fn decide(&mut self, budget: &mut Budget) -> Result<Decision, Paused> {
        #[cfg(test)]
        if let Some(contrived) = self.contrived {
            return Ok(contrived(&self.course.growing.graph).into());
        }
        let Course { model, growing, options, inquiry, .. } = &mut self.course;
        model.decide(&growing.graph, None, options.limits.search, inquiry, budget)
    }

    fn drops_early(&self) -> bool {
        self.is_mutated(Mutation::DropWaiting) && library::ill_blocked(&self.course.growing.graph).is_some()
    }

    fn pushes(&self, read: EventId, write: EventId) -> bool {
        if !self.is_mutated(Mutation::ConsistentOptionsOnly) {
            return true;
        }
        let mut graph = self.course.growing.graph.clone();
        graph.set_source(read, write);
        self.course.model.is_consistent(&graph)
    }

    fn behind_write(&self, write: EventId) -> Phase<Infallible> {
        Phase::PushBackward(write, 0, false)
    }

    fn behind_choice(&self, read: EventId) -> Phase<Infallible> {
        Phase::PushForward(read, 0)
    }

    fn behind(&self, read: EventId) -> Phase<Infallible> {
        let event = self.course.growing.graph.event(read);
        let feeds = event.is_write() && event.operation().is_none_or(Operation::hands_over);
        if feeds || self.is_mutated(Mutation::BlockBackward) && event.is_write() {
            Phase::PushBackward(read, 0, false)
        } else {
            Phase::Visit
        }
    }

    fn take_source(&mut self, read: EventId, write: EventId, spurious: bool) {
        self.course.growing.take(read, write, spurious);
    }

    fn block(&mut self, read: EventId) {
        self.course.growing.graph.block(read);
    }

    fn join(&mut self, read: EventId) {
        self.reads.resize_with(self.course.growing.graph.len(), || None);
        self.reads[read.index()] = Some(ReadState { revisitable: true, ..ReadState::default() });
        #[cfg(test)]
        if let (Some(stale), Some(state)) = (self.stale.remove(&self.key(read)), &mut self.reads[read.index()]) {
            state.explored = stale;
        }
    }

    fn push(&mut self, read: EventId, revisit: Revisit) {
        self.reads[read.index()].as_mut().expect("the new read has a state").options.push(revisit);
    }

    fn push_backward(&mut self, write: EventId, next: u32, spurious: bool) -> Option<Step> {
        let inconsistent = || {
            !self.course.model.is_consistent(&self.course.growing.graph)
                || library::ill_blocked(&self.course.growing.graph).is_some()
        };
        if self.is_mutated(Mutation::NoRevisitsWhenInconsistent) && inconsistent() {
            self.course.phase = Phase::Visit;
            return None;
        }
        let location = self.course.growing.graph.event(write).location();
        // Only ever so in the mutated algorithm: the new lock, which is no source, lets another one wait.
        let blocks = !self.course.growing.graph.event(write).operation().is_none_or(Operation::hands_over);
        let prefix = self.course.prefix_of(write, next);
        let candidate = (next..self.reads.len() as u32).map(EventId).find(|&read| {
            self.reads[read.index()].as_ref().is_some_and(|state| state.revisitable)
                && self.course.growing.graph.event(read).location() == location
                && !prefix.contains(read)
                && (blocks || library::feeds(&self.course.growing.graph, write, read))
        });
        let Some(read) = candidate else {
            self.course.phase = Phase::Visit;
            return None;
        };
        self.course.phase = self.course.behind_proposal(write, read, spurious);
        let kept = self.course.growing.behind(read, &prefix);
        self.course.prefix = Some(prefix);
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
        Some(proposal(read_key, write, new, spurious))
    }

    fn advance_own(&mut self, phase: Infallible) -> Option<Step> {
        match phase {}
    }

    fn keeps_prefix(phase: Infallible) -> bool {
        match phase {}
    }

    fn take(&mut self) -> Step {
        let Some(read) = self.reads.iter().rposition(|state| state.as_ref().is_some_and(|s| !s.options.is_empty()))
        else {
            self.course.phase = Phase::Done;
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
        self.course.tally.counts.revisits += 1;
        self.course.phase =
            if self.is_mutated(Mutation::NoRevisitsAfterTaking) { Phase::Visit } else { self.behind(read) };
        taken(self.key(read), &revisit)
    }
}

impl Explorer for GenMc {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        self.advance_course(budget)
    }

    fn execution(&self) -> &Execution {
        &self.course.growing.graph
    }

    fn cut(&self) -> &[Event] {
        &self.course.cut
    }

    fn prefix(&self) -> Vec<EventId> {
        self.course.shown_prefix()
    }

    fn registers(&self) -> Vec<&[Value]> {
        self.course.growing.registers()
    }

    fn questions(&self) -> Questions {
        self.course.inquiry.questions
    }

    fn counts(&self) -> Counts {
        self.course.tally.counts
    }

    fn pending(&self) -> Vec<PendingRead> {
        let is_backward = |revisit: &Revisit| revisit.direction == Direction::Backward;
        let key = |revisit: &Revisit| is_backward(revisit).then(|| self.explored(revisit));
        self.reads
            .iter()
            .enumerate()
            .filter_map(|(read, state)| {
                let state = state.as_ref()?;
                Some(PendingRead {
                    read: self.key(EventId(read as u32)),
                    revisitable: state.revisitable,
                    options: state.options.clone(),
                    explored: proposed(&state.explored, state.options.iter().map(key), |(event, ..)| *event),
                })
            })
            .collect()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        let options = |state: &ReadState| state.options.len() + state.explored.len();
        self.course.growing.graph.len() + self.reads.iter().flatten().map(options).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::ExecutionKind;
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
        for model in [Model::SC, Model::TSO, Model::RC11] {
            assert_eq!(explore(text, model, None).executions(), right, "{model:?}");
            assert_eq!(explore(text, model, Some(mutation)).executions(), wrong, "{model:?} with {mutation:?}");
        }
    }

    #[test]
    fn keys_that_depend_on_insertion_find_an_execution_twice() {
        notices(Mutation::OrderedKeys, "a := x || fai(x) || x := 1", 6, 7);
        assert_eq!(explore("a := x || fai(x) || x := 1", Model::SC, Some(Mutation::OrderedKeys)).duplicates, 1);
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
            for model in [Model::SC, Model::TSO, Model::RC11] {
                assert_eq!(explore(text, model, None).executions(), right, "{model:?}");
                assert!(explore(text, model, Some(Mutation::DropWaiting)).executions() < right, "{model:?}");
            }
        }
    }

    #[test]
    fn letting_others_wait_for_a_lock_finds_executions_twice() {
        let text = "lock m || lock m || lock m; unlock m";
        for model in [Model::SC, Model::TSO, Model::RC11] {
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
        let mut explorer = GenMc::new(code, Model::SC, Options::default());
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
            let counts = explore(&text, Model::SC, None);
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
            GenMc { contrived: Some(contrived), ..GenMc::new(Arc::clone(&code), Model::SC, Options::default()) };
        while explorer.advance() != Step::Done {}
        assert_eq!(explorer.counts().executions(), 0);
    }

    #[test]
    fn the_worked_run_of_w_rw_w() {
        let text = "x := 1 || a := x; if a = 0 then y := 1 || x := 2";
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMc::new(code, Model::SC, Options::default());
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
