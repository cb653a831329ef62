//! GenMC, the variant that tracks co.
//!
//! After Kokologiannakis, Raad, Vafeiadis: *Model Checking for Weakly Consistent Libraries*, PLDI 2019, appendix C. It
//! is [`GenMc`](crate::explore::GenMc) with a coherence order in the graph: a new write comes last in co, and each other place is an
//! option like the other sources of a read. A whole graph is an execution with its co; each consistent one is visited
//! once, so that a plain execution is visited once for each of its coherence orders. Where we deviate from print,
//! besides what [`GenMc`](crate::explore::GenMc) does:
//!
//! - Line 862 wants the writes behind which an option puts a new one to be closed upwards in co, while line 825 puts
//!   them in front. They are closed downwards here: an option is an index in co.
//! - Taking such an option keeps the write (not the read of line 823) and adds to the co of what is kept, which line
//!   825 replaces.
//! - An option of a read restores all of co between the events it keeps, not just that between the events behind the
//!   read, as lines 809 and 874 do.
//! - Keys of U hold the places in co of all writes behind the read among all that is kept. With their order among
//!   themselves, as printed, executions are lost.
//! - A read-modify-write comes immediately behind its source in co, so it has no such options, and comes to another
//!   place when it takes another source, be it as the read of a revisit. (Under WRA its place is free, which has no co
//!   of its own: there, each order that contains hb on the writes of a location is one.)
//! - The operations of library objects are explored as without co: those that wait for others follow their sources.
//! - A place in front of a write that the thread of the new one wrote or read already is no option: no model allows it,
//!   whatever comes later.
//!
//! The tests of each deviation are in this file.

mod pseudo_code;
pub(super) mod words;

use crate::budget::{Budget, Decision, Paused};
use crate::explore::algorithms::genmc::shared::{self, Course, Phase, Variant, proposal, proposed, taken};
use crate::explore::growing::Cut;
use crate::explore::{Counts, Direction, Explorer, Options, PendingRead, Revisit, Step};
use crate::graph::{Coherence, Event, EventId, EventKey, EventSet, Execution};
use crate::library;
use crate::model::{Model, Questions};
use crate::program::{Code, Operation, Value};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

/// Of an event that an option in U keeps: as for [`GenMc`](crate::explore::GenMc), and its place in co if it writes.
type KeptKey = (EventKey, Option<EventKey>, bool, Option<u32>);
type Explored = shared::Explored<KeptKey>;

/// The events that an option keeps behind its own, with their sources, and the place in co of each that writes.
type Kept = (Arc<[(Event, Option<EventKey>)]>, Arc<[Option<u32>]>);

/// An option of a read or write.
#[derive(Clone, Debug)]
struct Choice {
    /// What it does, but for co. Of a placement, `write` is the one in front.
    revisit: Revisit,
    /// The source of a read, and whether it fails spuriously; of a placement, those that it has already.
    source: Option<(EventKey, bool)>,
    /// Of a placement, the event's index in the co of its location.
    place: Option<u32>,
    /// The index of each kept event that writes in the co of its location, the event of the option left out.
    places: Arc<[Option<u32>]>,
}

/// T, S and U of one read; of a write only S.
#[derive(Clone, Debug, Default)]
struct EventState {
    /// Member of T.
    revisitable: bool,
    /// S, the next option last.
    options: Vec<Choice>,
    /// U.
    explored: IndexSet<Explored, FxBuildHasher>,
}

/// What only this variant does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Placing {
    /// The write wants a place in co; whether it is also a new read, whose other sources are options.
    Place(EventId, bool),
    /// The write's other places are pushed: that with this index is next.
    PushPlacement(EventId, u32),
}

/// Ways to get the algorithm wrong, each of which the tests have to notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
enum Mutation {
    /// Keys of U have the order of the writes behind the read among themselves, as printed.
    InternalKeys,
    /// Options put a write behind a set closed upwards in co, as printed.
    UpwardClosed,
    /// A read-modify-write keeps its place when it takes another source.
    KeepPlace,
    /// What an option restores comes last in co.
    ForgetPlaces,
    /// No CALCREVISITS for the write of a placement taken.
    NoRevisitsAfterPlacing,
    /// No CALCREVISITS on inconsistent graphs.
    NoRevisitsWhenInconsistent,
}

/// GenMC's exploration, with co, of one program under one model.
#[derive(Clone, Debug)]
pub struct GenMcCo {
    course: Course<Placing>,
    co: Coherence,
    /// T, S and U by event id; shorter than the graph where events behind have none.
    states: Vec<Option<EventState>>,
    #[cfg(test)]
    mutation: Option<Mutation>,
}

impl GenMcCo {
    /// The exploration before its first step.
    pub fn new(code: Arc<Code>, model: Model, options: Options) -> Self {
        let course = Course::new(code, model, options);
        Self {
            co: course.growing.graph.ids().map(|init| vec![init]).collect(),
            course,
            states: Vec::new(),
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

    fn key(&self, e: EventId) -> EventKey {
        self.course.growing.key(e)
    }

    /// The co of an access's location.
    fn order(&mut self, e: EventId) -> &mut Vec<EventId> {
        let location = self.course.growing.graph.event(e).location().expect("an access has a location");
        &mut self.co[location.0 as usize]
    }

    /// Whether a write may come anywhere in co that consistency allows.
    fn is_free(&self, e: EventId) -> bool {
        let event = self.course.growing.graph.event(e);
        event.is_write() && !(event.is_read() && self.course.model.rules().has_co())
    }

    /// Puts a write where it comes first of all: a free one last, another behind its source.
    fn place(&mut self, e: EventId) {
        let source = self.course.growing.graph.source(e).filter(|_| !self.is_free(e));
        let order = self.order(e);
        let index = source.and_then(|source| order.iter().position(|&w| w == source)).map_or(order.len(), |at| at + 1);
        order.insert(index, e);
    }

    fn state(&mut self, e: EventId) -> &mut EventState {
        if self.states.len() <= e.index() {
            self.states.resize_with(e.index() + 1, || None);
        }
        self.states[e.index()].get_or_insert_default()
    }

    /// Puts a write last in co; a read-modify-write came there with its source.
    fn place_last(&mut self, write: EventId, new_read: bool) -> Step {
        if !self.course.growing.graph.event(write).is_read() {
            self.place(write);
        }
        self.course.phase =
            if new_read { Phase::PushForward(write, 0) } else { Phase::Own(Placing::PushPlacement(write, 0)) };
        Step::PlaceWrite { write: self.key(write), after: self.key_in_front(write) }
    }

    fn index(&mut self, write: EventId) -> usize {
        self.order(write).iter().position(|&w| w == write).expect("a write is placed before it has options")
    }

    /// The write immediately in front of another in co.
    fn key_in_front(&mut self, write: EventId) -> EventKey {
        let index = self.index(write);
        let front = self.order(write)[index - 1];
        self.key(front)
    }

    /// The phase behind an event that has its place in co, if it writes: revisits.
    fn behind_placed(&self, e: EventId) -> Phase<Placing> {
        let event = self.course.growing.graph.event(e);
        if event.is_write() && event.operation().is_none_or(Operation::hands_over) {
            Phase::PushBackward(e, 0, false)
        } else {
            Phase::Visit
        }
    }

    /// The places of a write that stands last in co, from the index `next` on.
    fn push_placement(&mut self, write: EventId, next: u32) -> Option<Step> {
        let known = self.course.growing.known_writes(write);
        let source = self.course.growing.graph.source(write);
        let last = self.index(write);
        let order = self.order(write);
        let first = order.iter().rposition(|w| known.contains(w) || Some(*w) == source).unwrap_or(0) + 1;
        let index = first.max(next as usize);
        if index >= last {
            self.course.phase = self.behind_placed(write);
            return None;
        }
        let front = order[index - 1];
        self.course.phase = Phase::Own(Placing::PushPlacement(write, index as u32 + 1));
        let place = if self.is_mutated(Mutation::UpwardClosed) { last } else { index };
        // Only behind an update that was revisited is anything kept.
        let (prefix, places) = self.course.prefix.as_ref().map(|kept| self.kept(write, kept)).unwrap_or_default();
        let source = self.course.growing.graph.source(write).map(|source| (self.key(source), false));
        let (write_key, after) = (self.key(write), self.key(front));
        self.state(write).options.push(Choice {
            revisit: Revisit { write: Some(after), direction: Direction::Placement, spurious: false, prefix },
            source,
            place: Some(place as u32),
            places,
        });
        Some(Step::PushPlacement { write: write_key, after })
    }

    /// The part of a set that is behind an event, and where its writes are in co among what is kept.
    fn kept(&self, e: EventId, set: &EventSet) -> Kept {
        let mut places = vec![None; self.course.growing.graph.len()];
        for order in &self.co {
            let kept = order.iter().filter(|&&w| w < e || w != e && set.contains(w));
            for (index, w) in kept.enumerate() {
                places[w.index()] = Some(index as u32);
            }
        }
        let behind = set.iter().filter(|&other| other > e).map(|e| places[e.index()]).collect();
        (self.course.growing.behind(e, set).into(), behind)
    }

    /// A backward option's key in U.
    fn explored(&self, choice: &Choice) -> Explored {
        let mut places = choice.places.to_vec();
        if self.is_mutated(Mutation::InternalKeys) {
            let kept = &choice.revisit.prefix;
            for (at, place) in places.iter_mut().enumerate() {
                let before = |other: usize| {
                    kept[other].0.location() == kept[at].0.location() && choice.places[other] < choice.places[at]
                };
                *place = place.map(|_| (0..kept.len()).filter(|&other| before(other)).count() as u32);
            }
        }
        let kept = choice.revisit.prefix.iter().zip(places);
        let mut key: Vec<_> =
            kept.map(|((event, source), place)| (event.key, *source, event.fails_spuriously(), place)).collect();
        // Each event is there once.
        key.sort_unstable_by_key(|(event, ..)| *event);
        (choice.revisit.write, choice.revisit.spurious, key.into())
    }

    /// Cuts the graph behind an event, restores there what the option keeps and does what it says.
    fn cut_to(&mut self, e: EventId, choice: &Choice) {
        let kept_place = self.order(e).iter().filter(|&&w| w <= e).position(|&w| w == e);
        let Cut { removed, kept } = self.course.growing.cut_to(e, &choice.revisit.prefix);
        self.course.cut = removed;
        self.course.consistent = false;
        self.co.iter_mut().for_each(|order| order.retain(|&w| w < e));
        let mut restored: Vec<_> =
            kept.iter().zip(&*choice.places).filter_map(|(w, place)| Some(((*place)?, w))).collect();
        if !self.is_mutated(Mutation::ForgetPlaces) {
            restored.sort_unstable();
        }
        for (place, w) in restored {
            let last = self.order(w).len();
            let place = if self.is_mutated(Mutation::ForgetPlaces) { last } else { place as usize };
            self.order(w).insert(place, w);
        }
        self.course.prefix = Some(kept);
        if let Some((source, spurious)) = choice.source {
            let source =
                self.course.growing.graph.find(source).expect("a source precedes the read or is in the prefix");
            self.take_source(e, source, spurious);
            if let Some(place) = kept_place
                && self.is_mutated(Mutation::KeepPlace)
                && self.course.growing.graph.event(e).is_write()
            {
                self.order(e).retain(|&w| w != e);
                self.order(e).insert(place, e);
            }
        }
        if choice.revisit.write.is_none() {
            self.course.growing.graph.block(e);
        }
        if let Some(place) = choice.place {
            let order = self.order(e);
            order.retain(|&w| w != e);
            order.insert(place as usize, e);
        }
        self.course.growing.resume(e);
    }
}

impl Variant for GenMcCo {
    type Own = Placing;

    fn course(&self) -> &Course<Placing> {
        &self.course
    }

    fn course_mut(&mut self) -> &mut Course<Placing> {
        &mut self.course
    }

    fn course_and_co(&mut self) -> (&mut Course<Placing>, Option<&Coherence>) {
        (&mut self.course, Some(&self.co))
    }

    fn decide(&mut self, budget: &mut Budget) -> Result<Decision, Paused> {
        let Course { model, growing, options, inquiry, .. } = &mut self.course;
        model.decide(&growing.graph, Some(&self.co), options.limits.search, inquiry, budget)
    }

    fn behind_write(&self, write: EventId) -> Phase<Placing> {
        Phase::Own(Placing::Place(write, false))
    }

    fn behind_choice(&self, read: EventId) -> Phase<Placing> {
        if self.is_free(read) { Phase::Own(Placing::Place(read, true)) } else { Phase::PushForward(read, 0) }
    }

    /// Other places, or revisits if it writes.
    fn behind(&self, e: EventId) -> Phase<Placing> {
        if self.is_free(e) { Phase::Own(Placing::PushPlacement(e, 0)) } else { self.behind_placed(e) }
    }

    /// And puts the read in its place in co if it writes.
    fn take_source(&mut self, read: EventId, write: EventId, spurious: bool) {
        self.order(read).retain(|&w| w != read);
        self.course.growing.take(read, write, spurious);
        if self.course.growing.graph.event(read).is_write() {
            self.place(read);
        }
    }

    fn block(&mut self, read: EventId) {
        self.order(read).retain(|&w| w != read);
        self.course.growing.graph.block(read);
    }

    fn join(&mut self, read: EventId) {
        self.state(read).revisitable = true;
    }

    fn push(&mut self, read: EventId, revisit: Revisit) {
        let source = revisit.write.map(|write| (write, revisit.spurious));
        self.state(read).options.push(Choice { revisit, source, place: None, places: Arc::default() });
    }

    fn push_backward(&mut self, write: EventId, next: u32, spurious: bool) -> Option<Step> {
        if self.is_mutated(Mutation::NoRevisitsWhenInconsistent)
            && !self.course.model.is_consistent_with(&self.course.growing.graph, &self.co)
        {
            self.course.phase = Phase::Visit;
            return None;
        }
        let location = self.course.growing.graph.event(write).location();
        let prefix = self.course.prefix_of(write, next);
        let candidate = (next..self.states.len() as u32).map(EventId).find(|&read| {
            self.states[read.index()].as_ref().is_some_and(|state| state.revisitable)
                && self.course.growing.graph.event(read).location() == location
                && !prefix.contains(read)
                && library::feeds(&self.course.growing.graph, write, read)
        });
        let Some(read) = candidate else {
            self.course.phase = Phase::Visit;
            return None;
        };
        self.course.phase = self.course.behind_proposal(write, read, spurious);
        let (kept, places) = self.kept(read, &prefix);
        self.course.prefix = Some(prefix);
        let (read_key, write, direction) = (self.key(read), self.key(write), Direction::Backward);
        let choice = Choice {
            revisit: Revisit { write: Some(write), direction, spurious, prefix: kept },
            source: Some((write, spurious)),
            place: None,
            places,
        };
        let key = self.explored(&choice);
        let state = self.state(read);
        let new = state.explored.insert(key);
        if new {
            state.options.push(choice);
        }
        Some(proposal(read_key, write, new, spurious))
    }

    fn advance_own(&mut self, phase: Placing) -> Option<Step> {
        match phase {
            Placing::Place(write, new_read) => Some(self.place_last(write, new_read)),
            Placing::PushPlacement(write, next) => self.push_placement(write, next),
        }
    }

    fn keeps_prefix(phase: Placing) -> bool {
        matches!(phase, Placing::Place(..) | Placing::PushPlacement(..))
    }

    fn take(&mut self) -> Step {
        let Some(e) = self.states.iter().rposition(|state| state.as_ref().is_some_and(|s| !s.options.is_empty()))
        else {
            self.course.phase = Phase::Done;
            return Step::Done;
        };
        // T, U (and S, empty by maximality) of what was inserted behind are dropped.
        self.states.truncate(e + 1);
        let e = EventId(e as u32);
        let choice = self.state(e).options.pop().expect("found above");
        self.cut_to(e, &choice);
        self.course.tally.counts.revisits += 1;
        let placed = choice.place.is_some();
        self.course.phase = match (placed, self.is_free(e)) {
            (true, _) if self.is_mutated(Mutation::NoRevisitsAfterPlacing) => Phase::Visit,
            (true, _) => self.behind_placed(e),
            (false, true) => Phase::Own(Placing::Place(e, false)),
            (false, false) => self.behind(e),
        };
        match choice.revisit.write {
            Some(after) if placed => Step::TakePlacement { write: self.key(e), after },
            _ => taken(self.key(e), &choice.revisit),
        }
    }
}

impl Explorer for GenMcCo {
    fn advance_within(&mut self, budget: &mut Budget) -> Result<Step, Paused> {
        self.advance_course(budget)
    }

    fn execution(&self) -> &Execution {
        &self.course.growing.graph
    }

    fn coherence(&self) -> Option<&Coherence> {
        Some(&self.co)
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
        let is_backward = |choice: &Choice| choice.revisit.direction == Direction::Backward;
        let key = |choice: &Choice| is_backward(choice).then(|| self.explored(choice));
        self.states
            .iter()
            .enumerate()
            .filter_map(|(e, state)| {
                let state = state.as_ref()?;
                let read = EventId(e as u32);
                let shown = !state.options.is_empty() || self.course.growing.graph.event(read).is_read();
                shown.then(|| PendingRead {
                    read: self.key(read),
                    revisitable: state.revisitable,
                    options: state.options.iter().map(|choice| choice.revisit.clone()).collect(),
                    explored: proposed(&state.explored, state.options.iter().map(key), |(event, ..)| *event),
                })
            })
            .collect()
    }

    fn checkpoint(&self) -> Box<dyn Explorer> {
        Box::new(self.clone())
    }

    fn weight(&self) -> usize {
        let options = |state: &EventState| state.options.len() + state.explored.len();
        self.course.growing.graph.len() + self.states.iter().flatten().map(options).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::ExecutionKind;
    use crate::graph::ThreadId;

    /// Runs GenMC with co, perhaps mutated, to its end.
    fn explore(text: &str, model: Model, mutation: Option<Mutation>) -> Counts {
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMcCo { mutation, ..GenMcCo::new(code, model, Options::default()) };
        while explorer.advance() != Step::Done {}
        explorer.counts()
    }

    /// The mutation changes the number of different executions found of a program with `right` ones to `wrong`.
    fn notices(mutation: Mutation, text: &str, right: u64, wrong: u64) {
        let found = |model, mutation| {
            let counts = explore(text, model, mutation);
            counts.executions() - counts.duplicates
        };
        for model in [Model::SC, Model::TSO, Model::RC11] {
            assert_eq!(found(model, None), right, "{model:?}");
            assert_eq!(found(model, Some(mutation)), wrong, "{model:?} with {mutation:?}");
        }
    }

    /// The second write of the last thread is in the prefix of a revisit by the third, in one of two places.
    #[test]
    fn keys_have_places_among_all_that_is_kept() {
        notices(Mutation::InternalKeys, "x := 1; a := x || x := 2; x := 3", 6, 5);
        notices(Mutation::InternalKeys, "x := 1 || a := x || x := 2; x := 3", 12, 8);
    }

    #[test]
    fn a_write_comes_behind_a_set_closed_downwards() {
        notices(Mutation::UpwardClosed, "x := 1 || x := 2", 2, 1);
        assert_eq!(explore("x := 1 || x := 2", Model::SC, Some(Mutation::UpwardClosed)).duplicates, 1);
    }

    #[test]
    fn a_revisited_update_moves_behind_its_source() {
        notices(Mutation::KeepPlace, "fai(x) || x := 1", 2, 1);
    }

    #[test]
    fn places_of_what_is_kept_are_restored() {
        notices(Mutation::ForgetPlaces, "x := 1; x := 2; a := x || x := 3", 4, 4);
        assert_eq!(explore("x := 1; x := 2; a := x || x := 3", Model::SC, Some(Mutation::ForgetPlaces)).duplicates, 2);
        notices(Mutation::ForgetPlaces, "x := 1 || a := x || x := 2; x := 3", 12, 8);
    }

    #[test]
    fn a_placement_taken_revisits_in_turn() {
        notices(Mutation::NoRevisitsAfterPlacing, "x := 1 || a := x || x := 2; x := 3", 12, 9);
    }

    #[test]
    fn inconsistent_graphs_revisit_too() {
        notices(Mutation::NoRevisitsWhenInconsistent, "fai(x) || fai(x)", 2, 1);
    }

    #[test]
    fn the_run_of_two_writers() {
        let program = crate::syntax::parse("x := 1 || x := 2").expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMcCo::new(code, Model::SC, Options::default());
        let key = |thread, serial| EventKey { thread: ThreadId(thread), serial };
        let (one, two) = (key(0, 1), key(1, 1));
        let init = EventKey { thread: ThreadId::INIT, serial: 0 };
        let complete = |number| Step::Execution { number, kind: ExecutionKind::Complete };
        for (step, co) in [
            (Step::AddEvent { event: one }, vec![init]),
            (Step::PlaceWrite { write: one, after: init }, vec![init, one]),
            (Step::AddEvent { event: two }, vec![init, one]),
            (Step::PlaceWrite { write: two, after: one }, vec![init, one, two]),
            (Step::PushPlacement { write: two, after: init }, vec![init, one, two]),
            (complete(1), vec![init, one, two]),
            (Step::TakePlacement { write: two, after: init }, vec![init, two, one]),
            (complete(2), vec![init, two, one]),
            (Step::Done, vec![init, two, one]),
        ] {
            assert_eq!(explorer.advance(), step);
            assert_eq!(explorer.execution().canonical_coherence(&explorer.co), [co]);
        }
    }
}
