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

use crate::explore::algorithms::genmc::{Choice, Exploration, Mutation, Phase, Policy};
use crate::explore::{Direction, Revisit, Step};
use crate::graph::{Coherence, EventId, EventKey, EventSet, Execution};
use std::sync::Arc;

/// GenMC's exploration, with co, of one program under one model.
pub type GenMcCo = Exploration<WithCo>;

/// A co in the graph.
#[derive(Clone, Debug, Default)]
pub struct WithCo {
    co: Coherence,
}

/// What only this variant does.
#[derive(Clone, Copy, Debug)]
pub enum Placing {
    /// The write wants a place in co; whether it is also a new read, whose other sources are options.
    Place(EventId, bool),
    /// The write's other places are pushed: that with this index is next.
    PushPlacement(EventId, u32),
}

/// What an option keeps of co.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Of a placement, the event's index in the co of its location, and the source that it has if it reads.
    own: Option<(usize, Option<EventKey>)>,
    /// The index of each kept event that writes in the co of its location, the event of the option left out.
    kept: Arc<[Option<u32>]>,
}

impl GenMcCo {
    /// The co of an access's location.
    fn order(&mut self, e: EventId) -> &mut Vec<EventId> {
        let location = self.growing.graph.event(e).location().expect("an access has a location");
        &mut self.policy.co[location.0 as usize]
    }

    /// Whether a write may come anywhere in co that consistency allows.
    fn is_free(&self, e: EventId) -> bool {
        let event = self.growing.graph.event(e);
        event.is_write() && !(event.is_read() && self.model.rules().has_co())
    }

    /// Puts a write where it comes first of all: a free one last, another behind its source.
    fn place(&mut self, e: EventId) {
        let source = self.growing.graph.source(e).filter(|_| !self.is_free(e));
        let order = self.order(e);
        let index = source.and_then(|source| order.iter().position(|&w| w == source)).map_or(order.len(), |at| at + 1);
        order.insert(index, e);
    }

    /// Puts a write at an index in co, wherever it was.
    fn move_to(&mut self, e: EventId, index: usize) {
        let order = self.order(e);
        order.retain(|&w| w != e);
        order.insert(index, e);
    }

    /// Puts a write last in co; a read-modify-write came there with its source.
    fn place_last(&mut self, write: EventId, new_read: bool) -> Step {
        if !self.growing.graph.event(write).is_read() {
            self.place(write);
        }
        self.phase = if new_read { Phase::PushForward(write, 0) } else { Phase::Own(Placing::PushPlacement(write, 0)) };
        let order = self.order(write);
        let front = order[order.len() - 2];
        Step::PlaceWrite { write: self.key(write), after: self.key(front) }
    }

    /// The places of a write that stands last in co, from the index `next` on.
    fn push_placement(&mut self, write: EventId, next: u32) -> Option<Step> {
        let known = self.growing.known_writes(write);
        let source = self.growing.graph.source(write);
        let order = self.order(write);
        let last = order.iter().position(|&w| w == write).expect("a write is placed before it has options");
        let first = order.iter().rposition(|w| known.contains(w) || Some(*w) == source).unwrap_or(0) + 1;
        let index = first.max(next as usize);
        if index >= last {
            self.phase = self.behind_place(write);
            return None;
        }
        let front = order[index - 1];
        self.phase = Phase::Own(Placing::PushPlacement(write, index as u32 + 1));
        let place = if self.is_mutated(Mutation::UpwardClosed) { last } else { index };
        // Only behind an update that was revisited is anything kept.
        let kept = self.prefix.as_ref();
        let prefix = kept.map(|kept| self.growing.behind(write, kept).into()).unwrap_or_default();
        let places = kept.map(|kept| WithCo::kept(self, write, kept)).unwrap_or_default();
        let (write_key, after) = (self.key(write), self.key(front));
        let revisit = Revisit { write: Some(after), direction: Direction::Placement, spurious: false, prefix };
        let own = Some((place, source.map(|source| self.key(source))));
        self.push(write, revisit, Places { own, ..places });
        Some(Step::PushPlacement { write: write_key, after })
    }
}

impl Policy for WithCo {
    type Phase = Placing;
    type Own = Places;
    type Place = Option<u32>;

    fn new(graph: &Execution) -> Self {
        Self { co: graph.ids().map(|init| vec![init]).collect() }
    }

    fn coherence(&self) -> Option<&Coherence> {
        Some(&self.co)
    }

    fn place(machine: &GenMcCo, e: EventId, new_read: bool) -> Option<Placing> {
        machine.is_free(e).then_some(Placing::Place(e, new_read))
    }

    fn places(machine: &GenMcCo, e: EventId) -> Option<Placing> {
        machine.is_free(e).then_some(Placing::PushPlacement(e, 0))
    }

    fn advance(machine: &mut GenMcCo, phase: Placing) -> Option<Step> {
        match phase {
            Placing::Place(write, new_read) => Some(machine.place_last(write, new_read)),
            Placing::PushPlacement(write, next) => machine.push_placement(write, next),
        }
    }

    /// Puts the read in its place in co if it writes.
    fn follow(machine: &mut GenMcCo, read: EventId) {
        machine.order(read).retain(|&w| w != read);
        if machine.growing.graph.event(read).is_write() {
            machine.place(read);
        }
    }

    /// Where the writes are in co among what is kept.
    fn kept(machine: &GenMcCo, e: EventId, set: &EventSet) -> Places {
        let mut places = vec![None; machine.growing.graph.len()];
        for order in &machine.policy.co {
            let kept = order.iter().filter(|&&w| w < e || w != e && set.contains(w));
            for (index, w) in kept.enumerate() {
                places[w.index()] = Some(index as u32);
            }
        }
        Places { own: None, kept: set.iter().filter(|&other| other > e).map(|e| places[e.index()]).collect() }
    }

    fn key(machine: &GenMcCo, choice: &Choice<Self>, at: usize) -> Option<u32> {
        let (kept, places) = (&choice.revisit.prefix, &choice.own.kept);
        if machine.is_mutated(Mutation::InternalKeys) {
            let before =
                |other: &usize| kept[*other].0.location() == kept[at].0.location() && places[*other] < places[at];
            return places[at].map(|_| (0..kept.len()).filter(before).count() as u32);
        }
        places[at]
    }

    /// Restores co among what is kept, too.
    fn restore(machine: &mut GenMcCo, e: EventId, choice: &Choice<Self>, kept: &EventSet) {
        let former = machine.order(e).iter().filter(|&&w| w <= e).position(|&w| w == e);
        machine.policy.co.iter_mut().for_each(|order| order.retain(|&w| w < e));
        let mut restored: Vec<_> =
            kept.iter().zip(&*choice.own.kept).filter_map(|(w, place)| Some(((*place)?, w))).collect();
        let forgets = machine.is_mutated(Mutation::ForgetPlaces);
        if !forgets {
            restored.sort_unstable();
        }
        for (place, w) in restored {
            let order = machine.order(w);
            order.insert(if forgets { order.len() } else { place as usize }, w);
        }
        let Some((place, source)) = choice.own.own else {
            machine.set_named_source(e, choice.revisit.write, choice.revisit.spurious);
            if let Some(former) = former
                && machine.is_mutated(Mutation::KeepPlace)
                && machine.growing.graph.event(e).is_write()
            {
                machine.move_to(e, former);
            }
            return;
        };
        if source.is_some() {
            machine.set_named_source(e, source, false);
        }
        machine.move_to(e, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Counts, ExecutionKind, Explorer, Options};
    use crate::graph::ThreadId;
    use crate::model::Model;
    use crate::program::Code;

    /// Runs GenMC with co, perhaps mutated, to its end.
    fn explore(text: &str, model: Model, mutation: Option<Mutation>) -> Counts {
        let program = crate::syntax::parse(text).expect("a program").program;
        let code = Arc::new(Code::compile(&program).expect("can be explored"));
        let mut explorer = GenMcCo::new(code, model, Options::default());
        explorer.mutation = mutation;
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
            assert_eq!(explorer.execution().canonical_coherence(&explorer.policy.co), [co]);
        }
    }
}
