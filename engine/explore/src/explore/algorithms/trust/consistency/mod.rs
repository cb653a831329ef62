//! Whether a graph is consistent, without co.
//!
//! All that an exploration without co asks is whether a consistent set of events, closed under porf, stays consistent with one
//! more read. It asks that of the graph that grows, and of parts of it: whether a read that a revisit deletes would have taken
//! another source first. And of a whole graph it asks which writes can be last.
//!
//! # Who asks
//!
//! - `core` puts each event that was added into the order that is kept ([`Graph::put_in_run`]). It asks what a new read can't take
//!   whatever else is ([`Graph::hidden`]), whether it stays consistent with another source ([`Graph::has_co_with`]) or is known to
//!   ([`Graph::known_to_fit`]), and whether the graph is consistent with a write that was just added ([`Graph::has_co`]). Then it
//!   follows what was found ([`Graph::follow_found`]), or not ([`Poser::forget_run`]).
//! - `choice` asks the same of reads that a revisit would delete, `waits` what comes before a write in every co
//!   ([`Graph::before_in_every_co`]), and `walk` for last values ([`Graph::list_final_values`]).
//! - Whatever else takes a search is asked through [`Inquiries`], too: switches of threads, what is stuck, final states.
//!
//! # How it is answered
//!
//! By the first of these that knows, which depends on the model:
//!
//! - **WRA**: what hides a write from the read, in one go for all sources. It has no co, so only hb hides a write.
//! - **RA, coherence, RC11 and RC20 without SC accesses and fences**: the same. A walk back from the writes that the read knows
//!   of meets what they overwrite; a cycle is closed exactly if the source is among these (`coherent.rs`). What co has to
//!   contain follows from hb and rf alone, and if it is acyclic each order of it will do; a chain of read-modify-writes is one
//!   block (PLDI 2023, cited there).
//! - **SRA without read-modify-writes**: the same walk, through porf as well.
//! - **SC, TSO, PSO**: that walk refuses. Then a run of the machine that is kept with the graph, in which the read may have a
//!   place (`witness.rs`); then that run mended (`mend.rs`); then saturation, whose cycles refuse for certain (`saturation.rs`),
//!   and another run, made from the old one by letting events come as soon as they may, but as saturation found; then a search
//!   (`orders.rs`). Another run takes the place of the one that was kept. A run is a proof, refusals follow orders that hold
//!   whatever co is, and the question is NP-complete.
//! - **SRA with read-modify-writes**: such a run, which keeps porf and co, and that run mended; then saturation by the rules of
//!   SRA, and another run that keeps to it; then the search. NP-complete, too.
//! - **RC11 and RC20 with SC accesses alone**: the questions are those of SC, since psc contains all that SC orders.
//! - **RC11 and RC20 with other SC accesses or fences**: the walk refuses. Then one order that is kept with the graph
//!   (`sc_places.rs`); then that order mended; then a search on words that learns what co and psc say of each other
//!   (`orders.rs`), where what no co adds to psc is kept with the graph (`graph/rc11.rs`). A co and such an order are a proof.
//! - **RA, SRA and WRA, as long as a set has several SC fences**: [`Model::decide`](crate::model::Model::decide), by an order of
//!   the fences. Sets with one or none are answered as above.
//!
//! The run of a graph is one of each of its parts, so it answers about those too. What was inconsistent when a read was added is
//! so with more events. So a read remembers the sources that it was refused, and a revisit does not ask for them again, unless
//! events that were there have gone. The search is a puzzle of the accesses that threads share, at most 128; a larger one is
//! left to [`crate::model`], and saturation takes at most 512 events.
//!
//! What decided each question is counted ([`Stage`]), but for last writes, and `litmoscope explore --explain-cost` prints it.
//! `tests.rs` compares each answer that explorations of random programs ask for, and the last writes of their executions, with
//! those of the model.
//!
//! # What is where
//!
//! Each module knows only those above it in this list.
//!
//! - `question`: one more read.
//! - `orders`: the search, on words. It knows no graph.
//! - `inquiries`: questions that take a search, asked once each however often they are paused.
//! - `coherent`: what has to come before what whatever co is, by a walk back. `saturation`: the same by rules until nothing changes.
//! - `extension`: an order that agrees with what has to come before what.
//! - `schedule`, `mend`: another run, made of what was saturated, or of the one that is kept.
//! - `sc_places`: what is kept instead of a run where SC events are in an order.
//! - `pose`: graphs as puzzles, and what is known of one question.
//! - `witness`: what is kept, and whether a read has a place there.
//! - `finals`: which writes can be last.

mod coherent;
mod extension;
mod finals;
mod inquiries;
mod mend;
mod orders;
mod pose;
mod question;
mod saturation;
mod sc_places;
mod schedule;
#[cfg(test)]
mod tests;
mod witness;

use super::bits::Bits;
use super::graph::{Begun, Ev, Graph, Kind, NONE, Slot, is_init};
use super::plan::Plan;
use super::store::Lists;
use crate::budget::{Decision, Paused};
use crate::explore::threads::Threads;
use crate::model::Stage;
use crate::program::Action;
pub(super) use coherent::Hidden;
pub(super) use finals::LastWrites;
pub(super) use inquiries::Inquiries;
use pose::Posed;
pub(super) use pose::Poser;
pub(super) use question::More;
use saturation::Saturation;

/// A read of a read-modify-write that does not write: it has the mode of one that fails.
fn read_alone(threads: &Threads, ev: &Ev) -> Ev {
    let mut ev = *ev;
    if let Action::Update { failure, .. } = *threads.action(ev.node) {
        ev.mode = failure;
    }
    ev
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Whether the graph as it stands is consistent with some co, if it was so without a write, and without a read that has been
    /// added behind that and takes its source from it. A read alone must not be of what its thread alone accesses.
    pub(super) fn has_co(
        &self,
        plan: &Plan,
        threads: &Threads,
        (write, read): (Slot, Option<Slot>),
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        let decision = self.find_co(plan, threads, (write, read), poser)?;
        #[cfg(test)]
        tests::compare(self, plan, threads, &self.live, None, decision);
        Ok(decision)
    }

    #[inline(always)]
    fn find_co(
        &self,
        plan: &Plan,
        threads: &Threads,
        (write, read): (Slot, Option<Slot>),
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        poser.forget_run();
        if self.has_open_fences(plan, &self.live) {
            return match poser.inquiries.known() {
                Some(known) => Ok(known),
                None => self.is_consistent(plan, threads, &mut poser.inquiries),
            };
        }
        let ev = self.event(write);
        let is_taken = || {
            ev.kind == Kind::UpdateWrite
                && self.is_read_by_other_update(&self.live, self.event(ev.previous).source, ev.previous)
        };
        if plan.keeps_places {
            if is_taken() {
                return Ok(poser.inquiries.at_once(Decision::No, Stage::Shape));
            }
            if self.places.unplaced.is_empty() {
                return Ok(poser.inquiries.at_once(Decision::Yes, Stage::Witness));
            }
            // A read-modify-write is asked about as a whole when its write comes.
            let (read, whole) = read.map_or((ev.previous, true), |read| (read, false));
            let others = self.live.without(read);
            let others = if whole { others.without(write) } else { others };
            let base = self.base_of(plan, read);
            let ev = if whole || !plan.poses_sc { *self.event(read) } else { read_alone(threads, self.event(read)) };
            let more = More { ev: &ev, base: &base, whole };
            if let Some(fits) = self.mend(plan, &others, more, &mut poser.mend) {
                let stage = if fits { Stage::Witness } else { Stage::Saturation };
                return Ok(poser.inquiries.at_once(fits, stage));
            }
            if let Some(known) = poser.inquiries.known() {
                return Ok(known);
            }
            if plan.poses_sc {
                match self.pose(plan, &others, Some(more), poser) {
                    Posed::Open => {
                        let decision = self.solve(plan, &others, poser)?;
                        poser.name_read(read, whole);
                        return Ok(decision);
                    }
                    Posed::Inconsistent => return Ok(poser.inquiries.refuse()),
                    Posed::TooLarge => return self.is_consistent(plan, threads, &mut poser.inquiries),
                }
            }
            if let Some(found) = self.without_search(plan, &others, more, poser)? {
                poser.name_read(read, whole);
                return Ok(found);
            }
        } else if let Some(known) = poser.inquiries.known() {
            return Ok(known);
        }
        if plan.decides {
            // What a read-modify-write knows of is what its read knew of.
            let fits = match read {
                _ if is_taken() => false,
                None => true,
                Some(read) => {
                    let (others, ev) = (self.live.without(read), self.event(read));
                    !self.hidden(plan, &others, ev, &self.base_of(plan, read)).contains(ev.source)
                }
            };
            return Ok(poser.inquiries.at_once(fits, Stage::Pairs));
        }
        if plan.poses {
            match self.pose(plan, &self.live, None, poser) {
                Posed::Open => return self.solve(plan, &self.live, poser),
                Posed::Inconsistent => return Ok(poser.inquiries.refuse()),
                Posed::TooLarge => {}
            }
        }
        self.is_consistent(plan, threads, &mut poser.inquiries)
    }

    /// The answer to [`Self::has_co_with`] where that is known from what is hidden.
    #[inline(always)]
    pub(super) fn known_to_fit(
        &self,
        #[cfg_attr(not(test), expect(unused_variables))] plan: &Plan,
        #[cfg_attr(not(test), expect(unused_variables))] threads: &Threads,
        #[cfg_attr(not(test), expect(unused_variables))] set: &Bits<W>,
        #[cfg_attr(not(test), expect(unused_variables))] more: More<'_, W>,
        fits: impl Into<Decision>,
        poser: &mut Poser,
    ) -> Decision {
        let decision = poser.inquiries.at_once(fits, Stage::Pairs);
        #[cfg(test)]
        tests::compare(self, plan, threads, set, Some((&more.event(), more.ev.source)), decision);
        decision
    }

    /// Whether a set of events, consistent and closed under porf, is consistent with one more read, whose source is among them.
    pub(super) fn has_co_with(
        &self,
        plan: &Plan,
        threads: &Threads,
        set: &Bits<W>,
        more: More<'_, W>,
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        let decision = self.find_co_with(plan, threads, set, more, poser)?;
        #[cfg(test)]
        tests::compare(self, plan, threads, set, Some((&more.event(), more.ev.source)), decision);
        Ok(decision)
    }

    #[inline(always)]
    fn find_co_with(
        &self,
        plan: &Plan,
        threads: &Threads,
        set: &Bits<W>,
        question: More<'_, W>,
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        poser.forget_run();
        let More { ev, base, whole } = question;
        let alone = (plan.poses_sc && !whole).then(|| read_alone(threads, ev));
        let more = More { ev: alone.as_ref().unwrap_or(ev), base, whole };
        let ev = more.ev;
        let cell = self.cell(ev.location);
        let writes = cell.writes.and(set);
        let orders_fences = self.has_open_fences(plan, set);
        if plan.keeps_places && !orders_fences {
            if more.updates() && self.is_read_by_other_update(set, ev.source, NONE) {
                return Ok(poser.inquiries.at_once(Decision::No, Stage::Shape));
            }
            if self.room(plan, set, more).is_some() {
                return Ok(poser.inquiries.at_once(Decision::Yes, Stage::Witness));
            }
        }
        if writes.is_empty() {
            return Ok(poser.inquiries.at_once(Decision::Yes, Stage::Pairs));
        }
        if plan.decides && !orders_fences {
            let is_taken = more.updates() && self.is_read_by_other_update(set, ev.source, NONE);
            let fits = !is_taken && !self.hidden(plan, set, ev, base).contains(ev.source);
            return Ok(poser.inquiries.at_once(fits, Stage::Pairs));
        }
        let others = if is_init(ev.source) { writes } else { writes.without(ev.source) };
        if plan.keeps_writes_in_porf && others.minus(&self.porf_before(ev.source)).is_empty() {
            return Ok(poser.inquiries.at_once(Decision::Yes, Stage::Pairs));
        }
        if plan.knows_porf {
            let known = others.and(&base.porf);
            if known.iter().any(|other| is_init(ev.source) || self.porf_before(other).contains(ev.source)) {
                return Ok(poser.inquiries.at_once(Decision::No, Stage::Pairs));
            }
        }
        let accesses = writes.union(&cell.reads.and(set));
        if accesses.minus(self.of_thread(ev.thread)).is_empty() {
            // The thread is alone here: it reads what it wrote last.
            let last = others.iter().all(|other| !is_init(ev.source) && self.porf_before(ev.source).contains(other));
            return Ok(poser.inquiries.at_once(last, Stage::Pairs));
        }
        if plan.keeps_places
            && !orders_fences
            && let Some(fits) = self.mend(plan, set, more, &mut poser.mend)
        {
            // Nobody asks for the run of a read that counts as a write, too.
            poser.mend.found &= !whole;
            return Ok(poser.inquiries.at_once(fits, if fits { Stage::Witness } else { Stage::Saturation }));
        }
        if let Some(known) = poser.inquiries.known() {
            return Ok(known);
        }
        if plan.keeps_run
            && !orders_fences
            && let Some(found) = self.without_search(plan, set, more, poser)?
        {
            if whole {
                // Nobody asks for it.
                poser.forget_run();
            }
            return Ok(found);
        }
        if plan.poses && !orders_fences {
            match self.pose(plan, set, Some(more), poser) {
                Posed::Open if whole => return Ok(poser.solve()?.1),
                Posed::Open => return self.solve(plan, set, poser),
                Posed::Inconsistent => return Ok(poser.inquiries.refuse()),
                Posed::TooLarge => {}
            }
        }
        self.is_consistent_on(plan, threads, set, Some((&question.event(), ev.source)), &mut poser.inquiries)
    }

    /// Without co, of a graph that is consistent: lists the last values of some locations for each combination of last writes
    /// ([`LastWrites::values`]), and says whether these are all; `None` if that has to be found out otherwise.
    pub(super) fn list_final_values(
        &self,
        plan: &Plan,
        #[cfg_attr(not(test), expect(unused_variables))] threads: &Threads,
        locations: &[u16],
        last_writes: &mut LastWrites,
        poser: &mut Poser,
    ) -> Result<Option<Decision>, Paused> {
        let all = self.find_final_values(plan, locations, last_writes, poser)?;
        #[cfg(test)]
        if let Some(all) = all {
            tests::compare_lasts(self, plan, threads, &last_writes.open, (&last_writes.writes, all));
        }
        Ok(all)
    }

    /// Whether a read fits that has no place in the run, if that takes no search. If it does, the run that shows it is left with the
    /// inquiries, unless the read counts as a write, too: then nobody asks for it.
    fn without_search(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        more: More<'_, W>,
        poser: &mut Poser,
    ) -> Result<Option<Decision>, Paused> {
        let inquiries = &mut poser.inquiries;
        let Some(mut order) = Saturation::new(self, plan, set, Some(more)) else { return Ok(None) };
        let misfits = !order.saturate(self, plan, Some(more), &[]);
        let run = if misfits { None } else { self.another_run(plan, set, &order, Some(more)) };
        let cost = order.cost;
        let found = (misfits || run.is_some()).then(|| inquiries.answer((!misfits).into()));
        if found.is_some() {
            inquiries.questions.count(if misfits { Stage::Saturation } else { Stage::Witness });
            inquiries.note_run(run);
        }
        // Noted before: or a step of many questions would begin with the first again at each pause.
        inquiries.budget.count(cost + u64::from(set.len()))?;
        Ok(found)
    }

    /// Whether what has been posed has a solution; if so, a run that shows it is left with the inquiries.
    fn solve(&self, plan: &Plan, set: &Bits<W>, poser: &mut Poser) -> Result<Decision, Paused> {
        let (solved, decision) = poser.solve()?;
        let solved = solved.filter(|_| plan.keeps_places);
        let run = solved.and_then(|orders| self.order_of_solution(plan, set, poser, &orders));
        poser.inquiries.note_run(run);
        Ok(decision)
    }

    fn porf_before(&self, write: Slot) -> Bits<W> {
        if is_init(write) { Bits::EMPTY } else { self.rows[write as usize].porf }
    }

    /// Whether the graph as it stands is consistent by definition. Slow.
    pub(super) fn is_consistent(
        &self,
        plan: &Plan,
        threads: &Threads,
        inquiries: &mut Inquiries,
    ) -> Result<Decision, Paused> {
        self.is_consistent_on(plan, threads, &self.live, None, inquiries)
    }

    /// Whether some events, closed under porf, and perhaps one more read with a source, are consistent by definition.
    fn is_consistent_on(
        &self,
        plan: &Plan,
        threads: &Threads,
        set: &Bits<W>,
        more: Option<(&Ev, Slot)>,
        inquiries: &mut Inquiries,
    ) -> Result<Decision, Paused> {
        let (graph, co) = self.execution(plan, threads, set, more, Begun::Unwritten);
        inquiries.budget.count(graph.len() as u64)?;
        let (decision, inquiry) = inquiries
            .decide(|inquiry, limit, budget| plan.model.decide(&graph, co.as_ref(), limit, inquiry, budget))?;
        inquiries.questions.add(&inquiry.questions);
        Ok(decision)
    }
}
