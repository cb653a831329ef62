//! Consistency without co: graphs as puzzles ([`super::orders`]).
//!
//! All that an exploration without co asks is whether a consistent set of events, closed under porf, stays consistent with one
//! more read. It asks that of the graph that grows, and of parts of it: whether a read that a revisit deletes would have taken
//! another source first.
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
//!   (`orders.rs`), where what no co adds to psc is kept with the graph (`rc11.rs`). A co and such an order are a proof.
//! - **RA, SRA and WRA, as long as a set has several SC fences**: [`Model::decide`](crate::model::Model::decide), by an order of
//!   the fences. Sets with one or none are answered as above.
//!
//! The run of a graph is one of each of its parts, so it answers about those too. What was inconsistent when a read was added is
//! so with more events. So a read remembers the sources that it was refused, and a revisit does not ask for them again, unless
//! events that were there have gone. The search is a puzzle of the accesses that threads share, at most 128; a larger one is
//! left to [`crate::model`], and saturation takes at most 512 events.
//!
//! What decided each question is counted ([`Stage`]), but for last writes, and `litmoscope explore --explain-cost` prints it.
//! `answers.rs` compares each answer that explorations of random programs ask for, and the last writes of their executions, with
//! those of the model.

use super::bits::Bits;
use super::graph::{Ev, Graph, INIT, Kind, NONE, Slot, is_init};
use super::inquiries::{Inquiries, Search};
use super::mend::Mend;
use super::orders::{Links, MOST, Orders, Puzzle, Reading, Set, members};
use super::plan::Plan;
use super::saturation::{More, Saturation};
use super::store::{List, Lists};
use crate::budget::{Decision, Paused};
use crate::explore::threads::Threads;
use crate::model::{Along, HappensBefore, Stage};
use crate::program::Action;

/// A puzzle, and which of its events are which of a graph.
#[derive(Clone, Debug)]
pub(super) struct Poser {
    pub puzzle: Puzzle,
    /// Who solves it.
    pub inquiries: Inquiries,
    /// The run that the last answer found by mending the one that is kept.
    pub mend: Mend,
    /// By slot: its number.
    pub numbers: Vec<u8>,
    /// By number: the write that it is, or a read.
    pub slots: Vec<Slot>,
    /// By location: its place in the puzzle, if it matters.
    pub places: Vec<Option<u8>>,
}

/// What comes of a graph at first sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Posed {
    /// It is a puzzle.
    Open,
    /// Two read-modify-writes have one source, or rf contradicts po.
    Inconsistent,
    /// It is too large.
    TooLarge,
}

/// The sources of read-modify-writes.
struct TakenSources {
    /// By number.
    writes: Set,
    /// By place: whether the initial write is one.
    initial: Vec<bool>,
}

impl TakenSources {
    fn has(&self, place: u8, source: Option<u8>) -> bool {
        match source {
            None => self.initial[usize::from(place)],
            Some(source) => self.writes >> source & 1 != 0,
        }
    }

    fn add(&mut self, place: u8, source: Option<u8>) {
        match source {
            None => self.initial[usize::from(place)] = true,
            Some(source) => self.writes |= 1 << source,
        }
    }
}

/// The numbers of some events.
fn numbered<const W: usize>(events: Bits<W>, numbers: &[u8]) -> Set
where
    Bits<W>: Lists,
{
    events.iter().fold(0, |set: Set, slot| set | 1 << numbers[slot as usize])
}

impl Poser {
    pub fn new(limit: u64) -> Self {
        Self {
            puzzle: Puzzle::default(),
            inquiries: Inquiries::new(limit),
            mend: Mend::default(),
            numbers: Vec::new(),
            slots: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Makes room for a puzzle of a graph with so many events and locations.
    fn clear(&mut self, plan: &Plan, events: usize, locations: usize) {
        let Self { puzzle, numbers, slots, places, .. } = self;
        puzzle.clear();
        puzzle.fr_is_local = plan.local_has_fr;
        (puzzle.is_global, puzzle.fr_is_global) = (plan.global, plan.global_has_fr);
        slots.clear();
        numbers.resize(events, 0);
        places.clear();
        places.resize(locations, None);
    }

    /// Whether the puzzle has a solution, and which.
    fn solve(&mut self) -> Result<(Option<Orders>, Decision), Paused> {
        let Self { puzzle, inquiries, .. } = self;
        let (spent, solving) = match inquiries.resume() {
            Some((spent, Search::Solving(solving))) => (spent, solving),
            _ => (0, puzzle.solving()),
        };
        let answer = inquiries.search(spent, solving, |solving, meter| puzzle.solve(solving, meter), Search::Solving);
        if answer.is_ok() {
            inquiries.questions.count(Stage::Orders);
        }
        answer.map(|(solving, decision)| (solving.solved, decision))
    }
}

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
    pub fn has_co(
        &self,
        plan: &Plan,
        threads: &Threads,
        (write, read): (Slot, Option<Slot>),
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        let decision = self.find_co(plan, threads, (write, read), poser)?;
        #[cfg(test)]
        super::answers::compare(self, plan, threads, &self.live, None, decision);
        Ok(decision)
    }

    /// Whether it depends on the order of several SC fences whether a set of events is consistent.
    #[inline(always)]
    pub(super) fn has_open_fences(&self, plan: &Plan, set: &Bits<W>) -> bool {
        plan.orders_fences && self.sc_fences.and(set).len() > 1
    }

    #[inline(always)]
    fn find_co(
        &self,
        plan: &Plan,
        threads: &Threads,
        (write, read): (Slot, Option<Slot>),
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        poser.inquiries.run = None;
        poser.mend.found = false;
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
                return Ok(poser.inquiries.at_once(false, Stage::Shape));
            }
            if self.places.unplaced.is_empty() {
                return Ok(poser.inquiries.at_once(true, Stage::Witness));
            }
            // A read-modify-write is asked about as a whole when its write comes.
            let (read, whole) = read.map_or((ev.previous, true), |read| (read, false));
            let mut others = self.live;
            others.remove(read);
            if whole {
                others.remove(write);
            }
            let base = self.base_of(plan, read);
            let ev = if whole || !plan.poses_sc { *self.event(read) } else { read_alone(threads, self.event(read)) };
            let more = (&ev, &base, whole);
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
                        let run = poser.inquiries.run.iter_mut().flatten();
                        run.filter(|slot| whole && **slot == NONE).for_each(|slot| *slot = read);
                        return Ok(decision);
                    }
                    Posed::Inconsistent => return Ok(poser.inquiries.refuse()),
                    Posed::TooLarge => return self.is_consistent(plan, threads, &mut poser.inquiries),
                }
            }
            if let Some(found) = self.without_search(plan, &others, more, poser)? {
                let run = poser.inquiries.run.iter_mut().flatten();
                run.filter(|slot| whole && **slot == NONE).for_each(|slot| *slot = read);
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
                    let mut others = self.live;
                    others.remove(read);
                    let ev = self.event(read);
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
    pub fn known_to_fit(
        &self,
        #[cfg_attr(not(test), expect(unused_variables))] plan: &Plan,
        #[cfg_attr(not(test), expect(unused_variables))] threads: &Threads,
        #[cfg_attr(not(test), expect(unused_variables))] set: &Bits<W>,
        #[cfg_attr(not(test), expect(unused_variables))] (ev, _, whole): More<'_, W>,
        fits: bool,
        poser: &mut Poser,
    ) -> Decision {
        let decision = poser.inquiries.at_once(fits, Stage::Pairs);
        #[cfg(test)]
        {
            let mut event = *ev;
            event.writes &= whole;
            super::answers::compare(self, plan, threads, set, Some((&event, ev.source)), decision);
        }
        decision
    }

    /// Whether a set of events, consistent and closed under porf, is consistent with one more read, whose source is among
    /// them; `whole` if it counts as a write too where it is a read-modify-write.
    pub fn has_co_with(
        &self,
        plan: &Plan,
        threads: &Threads,
        set: &Bits<W>,
        (ev, base, whole): More<'_, W>,
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        let decision = self.find_co_with(plan, threads, set, (ev, base, whole), poser)?;
        #[cfg(test)]
        {
            let mut event = *ev;
            event.writes &= whole;
            super::answers::compare(self, plan, threads, set, Some((&event, ev.source)), decision);
        }
        Ok(decision)
    }

    #[inline(always)]
    fn find_co_with(
        &self,
        plan: &Plan,
        threads: &Threads,
        set: &Bits<W>,
        (ev, base, whole): More<'_, W>,
        poser: &mut Poser,
    ) -> Result<Decision, Paused> {
        poser.inquiries.run = None;
        poser.mend.found = false;
        let alone = (plan.poses_sc && !whole).then(|| read_alone(threads, ev));
        let (mut event, ev) = (*ev, alone.as_ref().unwrap_or(ev));
        let cell = self.cell(ev.location);
        let writes = cell.writes.and(set);
        let orders_fences = self.has_open_fences(plan, set);
        if plan.keeps_places && !orders_fences {
            if whole && ev.writes && self.is_read_by_other_update(set, ev.source, NONE) {
                return Ok(poser.inquiries.at_once(false, Stage::Shape));
            }
            if self.room(plan, set, ev, base, whole && ev.writes).is_some() {
                return Ok(poser.inquiries.at_once(true, Stage::Witness));
            }
        }
        if writes.is_empty() {
            return Ok(poser.inquiries.at_once(true, Stage::Pairs));
        }
        if plan.decides && !orders_fences {
            let is_taken = whole && ev.writes && self.is_read_by_other_update(set, ev.source, NONE);
            let fits = !is_taken && !self.hidden(plan, set, ev, base).contains(ev.source);
            return Ok(poser.inquiries.at_once(fits, Stage::Pairs));
        }
        let others = if is_init(ev.source) {
            writes
        } else {
            let mut others = writes;
            others.remove(ev.source);
            others
        };
        if plan.keeps_writes_in_porf && others.minus(&self.porf_before(ev.source)).is_empty() {
            return Ok(poser.inquiries.at_once(true, Stage::Pairs));
        }
        if plan.knows_porf {
            let known = others.and(&base.porf);
            if known.iter().any(|other| is_init(ev.source) || self.porf_before(other).contains(ev.source)) {
                return Ok(poser.inquiries.at_once(false, Stage::Pairs));
            }
        }
        let accesses = writes.union(&cell.reads.and(set));
        if accesses.minus(&self.threads[ev.thread as usize].events).is_empty() {
            // The thread is alone here: it reads what it wrote last.
            let last = others.iter().all(|other| !is_init(ev.source) && self.porf_before(ev.source).contains(other));
            return Ok(poser.inquiries.at_once(last, Stage::Pairs));
        }
        if plan.keeps_places
            && !orders_fences
            && let Some(fits) = self.mend(plan, set, (ev, base, whole), &mut poser.mend)
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
            && let Some(found) = self.without_search(plan, set, (ev, base, whole), poser)?
        {
            if whole {
                // Nobody asks for it.
                poser.inquiries.run = None;
                poser.mend.found = false;
            }
            return Ok(found);
        }
        if plan.poses && !orders_fences {
            match self.pose(plan, set, Some((ev, base, whole)), poser) {
                Posed::Open if whole => return Ok(poser.solve()?.1),
                Posed::Open => return self.solve(plan, set, poser),
                Posed::Inconsistent => return Ok(poser.inquiries.refuse()),
                Posed::TooLarge => {}
            }
        }
        event.writes &= whole;
        self.is_consistent_on(plan, threads, set, Some((&event, ev.source)), &mut poser.inquiries)
    }

    /// Whether a read fits that has no place in the run, if that takes no search. If it does, the run that shows it is left with the
    /// inquiries, unless the read counts as a write, too: then nobody asks for it.
    fn without_search(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        (ev, base, whole): More<'_, W>,
        poser: &mut Poser,
    ) -> Result<Option<Decision>, Paused> {
        let inquiries = &mut poser.inquiries;
        let more = (ev, base, whole);
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
        let run = solved.filter(|_| plan.keeps_places).and_then(|orders| {
            if plan.poses_sc {
                self.order_of_sc(set, poser, &orders)
            } else {
                self.run(plan, set, &poser.slots, &orders)
            }
        });
        poser.inquiries.note_run(run);
        Ok(decision)
    }

    /// The events of a set, but for the writes of read-modify-writes, which follow their reads, in an order that agrees with
    /// what is ordered everywhere; `slots` says which events are ordered, [`NONE`] stands for a read that is not in the graph.
    fn run(&self, plan: &Plan, set: &Bits<W>, slots: &[Slot], orders: &Orders) -> Option<Vec<Slot>> {
        let mut before = vec![(Bits::EMPTY, false); self.events.len() + 1];
        let at = |slot: Slot| usize::from(slot).min(self.events.len());
        for slot in set.iter() {
            let row = &self.rows[usize::from(slot)];
            before[at(slot)].0 = if plan.buffers.is_some() { row.order } else { row.porf }.and(set);
        }
        let mut rest: Vec<Slot> = set.iter().filter(|&slot| self.event(slot).kind != Kind::UpdateWrite).collect();
        for (number, &slot) in slots.iter().enumerate() {
            for other in members(orders.before(number as u8)) {
                match slots[usize::from(other)] {
                    NONE => before[at(slot)].1 = true,
                    other => before[at(slot)].0.insert(other),
                }
            }
            if slot == NONE {
                rest.push(slot);
            }
        }
        let (mut run, mut done) = (Vec::with_capacity(rest.len()), (Bits::EMPTY, false));
        while !rest.is_empty() {
            let length = rest.len();
            rest.retain(|&slot| {
                let (events, read) = &before[at(slot)];
                if !events.minus(&done.0).is_empty() || *read && !done.1 {
                    return true;
                }
                run.push(slot);
                if slot == NONE {
                    done.1 = true;
                } else {
                    done.0.insert(slot);
                    let ev = self.event(slot);
                    if ev.writes && !self.pending.contains(slot) {
                        done.0.insert(ev.update);
                    }
                }
                false
            });
            if rest.len() == length {
                return None;
            }
        }
        Some(run)
    }

    fn porf_before(&self, write: Slot) -> Bits<W> {
        if is_init(write) { Bits::EMPTY } else { self.rows[write as usize].porf }
    }

    /// Makes a puzzle of some events and perhaps one more read.
    pub(super) fn pose(&self, plan: &Plan, set: &Bits<W>, more: Option<More<'_, W>>, poser: &mut Poser) -> Posed {
        poser.clear(plan, self.events.len(), self.cells.len());
        let mut relevant = self.place_locations(plan, set, more.map(|(ev, ..)| ev), poser);
        if plan.poses_sc {
            relevant = relevant.union(&self.sc.and(set));
        }
        let merged = self.number_events(&mut relevant, poser);
        if poser.slots.len() + usize::from(more.is_some()) > MOST {
            return Posed::TooLarge;
        }
        self.pose_orders(plan, &relevant, poser);
        let Some(taken) = self.pose_accesses(&merged, poser) else { return Posed::Inconsistent };
        if let Some(more) = more
            && !self.pose_more(plan, set, more, &relevant, &taken, poser)
        {
            return Posed::Inconsistent;
        }
        if plan.poses_sc && !self.pose_sc(plan, set, more, &relevant, poser) {
            return Posed::Inconsistent;
        }
        let puzzle = &mut poser.puzzle;
        if plan.local && plan.happens_before != Some(HappensBefore::Porf) {
            for reading in &puzzle.readings {
                if let Some(source) = reading.source
                    && !puzzle.start.add_local(source, reading.read)
                {
                    return Posed::Inconsistent;
                }
            }
        }
        Posed::Open
    }

    /// Gives a place to each location that matters: those that threads share, and that are written. Returns what accesses
    /// them.
    fn place_locations(&self, plan: &Plan, set: &Bits<W>, more: Option<&Ev>, poser: &mut Poser) -> Bits<W> {
        let Poser { puzzle, places, .. } = poser;
        // What a fence comes before in psc of RC20 may be behind another access of the thread's own location.
        let orders_own = plan.poses_sc && plan.along == Along::Shb && self.sc_fences.intersects(set);
        let mut relevant: Bits<W> = Bits::EMPTY;
        for (location, cell) in self.cells.iter().enumerate() {
            let writes = cell.writes.and(set);
            let Some(first) = writes.first() else { continue };
            let accesses = writes.union(&cell.reads.and(set));
            let thread = self.event(first).thread;
            let is_own = accesses.minus(&self.threads[thread as usize].events).is_empty();
            let is_more = more.is_some_and(|ev| usize::from(ev.location) == location && ev.thread != thread);
            if is_own && !is_more && !orders_own {
                continue;
            }
            places[location] = Some(puzzle.writes.len() as u8);
            puzzle.writes.push(0);
            relevant = relevant.union(&accesses);
        }
        relevant
    }

    /// Numbers the events but reads without a source, which are taken away. The write of a read-modify-write has the number
    /// of its read; these writes are returned.
    fn number_events(&self, relevant: &mut Bits<W>, poser: &mut Poser) -> Bits<W> {
        let Poser { numbers, slots, .. } = poser;
        let mut merged: Bits<W> = Bits::EMPTY;
        let all = *relevant;
        for slot in all.iter() {
            let ev = self.event(slot);
            match ev.kind {
                Kind::UpdateWrite => merged.insert(slot),
                Kind::Read | Kind::UpdateRead if ev.source == NONE => relevant.remove(slot),
                _ => {
                    // Beyond what a number can say, the puzzle is too large anyway.
                    numbers[slot as usize] = slots.len().min(usize::from(u8::MAX)) as u8;
                    slots.push(slot);
                }
            }
        }
        for write in merged.iter() {
            numbers[write as usize] = numbers[self.event(write).previous as usize];
        }
        merged
    }

    /// What comes before each event.
    fn pose_orders(&self, plan: &Plan, relevant: &Bits<W>, poser: &mut Poser) {
        let Poser { puzzle, numbers, slots, .. } = poser;
        let map = |row: Bits<W>| numbered(row.and(relevant), numbers);
        // By thread: what comes before the last of its events that was asked about, most of which comes before the next one too.
        let mut last = vec![(Bits::EMPTY, 0); self.threads.len()];
        for &slot in slots.iter() {
            let ev = self.event(slot);
            if ev.kind == Kind::Fence {
                puzzle.start.push(plan.local.then_some(0), plan.global.then_some(0));
                continue;
            }
            let cell = self.cell(ev.location);
            let accesses = || cell.writes.union(&cell.reads);
            let row = &self.rows[slot as usize];
            let own = || row.porf.and(&self.threads[ev.thread as usize].events);
            let local = plan.local.then(|| match plan.happens_before {
                None => own(),
                Some(HappensBefore::Porf) => row.porf,
                Some(HappensBefore::Synchronised(_)) => self.synchronisation[slot as usize].hb,
            });
            let global = plan.global.then(|| if plan.buffers.is_some() { row.order } else { row.porf });
            let global = global.map(|row| {
                let (before, set) = &mut last[usize::from(ev.thread)];
                let known = if before.minus(&row).is_empty() { *set } else { 0 };
                let new = if known == 0 { row } else { row.minus(before) };
                (*before, *set) = (row, known | map(new));
                *set
            });
            puzzle.start.push(local.map(|known| map(known.and(&accesses()))), global);
        }
    }

    /// Which events write, and what reads read. `None` if two read-modify-writes have the same source, which is none of any
    /// model's.
    fn pose_accesses(&self, merged: &Bits<W>, poser: &mut Poser) -> Option<TakenSources> {
        let Poser { puzzle, numbers, slots, places, .. } = poser;
        let mut taken = TakenSources { writes: 0, initial: vec![false; puzzle.writes.len()] };
        let place_of = |location: u16| places[usize::from(location)].unwrap_or_default();
        let is_placed = |location: u16| places[usize::from(location)].is_some();
        for (number, &slot) in slots.iter().enumerate() {
            let ev = self.event(slot);
            // SC events of one thread's locations take part in psc alone.
            if ev.kind == Kind::Fence || !is_placed(ev.location) {
                continue;
            }
            let place = place_of(ev.location);
            let number = number as u8;
            if ev.kind == Kind::Write {
                puzzle.writes[usize::from(place)] |= 1 << number;
                continue;
            }
            let source = (!is_init(ev.source)).then(|| numbers[ev.source as usize]);
            puzzle.readings.push(Reading { read: number, source, place });
        }
        for write in merged.iter() {
            let (number, ev) = (numbers[write as usize], self.event(write));
            if !is_placed(ev.location) {
                continue;
            }
            let place = place_of(ev.location);
            puzzle.updates = true;
            puzzle.writes[usize::from(place)] |= 1 << number;
            let source = self.event(ev.previous).source;
            let source = (!is_init(source)).then(|| numbers[source as usize]);
            if taken.has(place, source) {
                return None;
            }
            taken.add(place, source);
        }
        Some(taken)
    }

    /// One more read, behind all others. Returns whether nothing is wrong with it at first sight.
    fn pose_more(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        (ev, base, whole): More<'_, W>,
        relevant: &Bits<W>,
        taken: &TakenSources,
        poser: &mut Poser,
    ) -> bool {
        let Poser { puzzle, numbers, slots, places, .. } = poser;
        let number = slots.len() as u8;
        let cell = self.cell(ev.location);
        let accesses = cell.writes.union(&cell.reads);
        let porf = self.porf_of_read(base, ev.source).and(set);
        let local = plan.local.then(|| match plan.happens_before {
            None => base.porf.and(&self.threads[ev.thread as usize].events),
            Some(HappensBefore::Porf) => porf,
            Some(HappensBefore::Synchronised(_)) => self.hb_of_read(ev, base),
        });
        let global =
            plan.global.then(|| if plan.buffers.is_some() { self.order_of_read(plan, ev, base) } else { porf });
        let map = |row: Bits<W>| numbered(row.and(relevant), numbers);
        puzzle.start.push(local.map(|known| map(known.and(&accesses))), global.map(map));
        let Some(place) = places[usize::from(ev.location)] else {
            // Its thread is alone there.
            slots.push(NONE);
            return true;
        };
        let source = (!is_init(ev.source)).then(|| numbers[ev.source as usize]);
        puzzle.readings.push(Reading { read: number, source, place });
        if whole && ev.writes {
            puzzle.updates = true;
            puzzle.writes[usize::from(place)] |= 1 << number;
            if taken.has(place, source) {
                return false;
            }
        }
        slots.push(NONE);
        true
    }

    /// psc, as far as no co adds to it, and what co adds; `false` if that is cyclic. Numbers are those of what has been posed.
    fn pose_sc(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        more: Option<More<'_, W>>,
        relevant: &Bits<W>,
        poser: &mut Poser,
    ) -> bool {
        let by_shb = plan.along == Along::Shb;
        let Poser { puzzle, numbers, slots, places, .. } = poser;
        if !self.sc.intersects(set) && more.is_none_or(|(ev, ..)| !ev.mode.is_sc()) {
            return true;
        }
        let count = slots.len();
        let mut rows: Vec<Set> = vec![0; count];
        for slot in self.sc.and(set).iter() {
            let number = usize::from(numbers[slot as usize]);
            rows[number] |= numbered(self.rows[slot as usize].order.and(relevant), numbers) & !(1 << number);
        }
        puzzle.links.resize(count, Links::default());
        // By place: what reads of the initial write have in front.
        let mut initial: Vec<Set> = vec![0; puzzle.writes.len()];
        let mut initial_fences: Vec<Set> = vec![0; puzzle.writes.len()];
        let fences = self.sc_fences.and(set);
        let mut put_in_front = |links: &mut [Links], write: Slot, fences: Set, sc: Set| {
            if is_init(write) {
                if let Some(place) = places[usize::from(write - INIT)] {
                    initial[usize::from(place)] |= fences | sc;
                    initial_fences[usize::from(place)] |= fences;
                }
            } else {
                let front = &mut links[usize::from(numbers[write as usize])].front;
                *front = [front[0] | fences | sc, if by_shb { 0 } else { front[1] | fences }];
            }
        };
        for &slot in slots.iter().filter(|&&slot| slot != NONE) {
            let ev = self.event(slot);
            let is_placed = ev.kind != Kind::Fence && places[usize::from(ev.location)].is_some();
            if !is_placed {
                continue;
            }
            // A read-modify-write counts as its write: what it is from-read before comes behind it in co.
            let write =
                if ev.kind == Kind::UpdateRead && ev.writes && set.contains(ev.update) { ev.update } else { slot };
            let is_write = ev.kind == Kind::Write || write != slot;
            let number = numbers[slot as usize];
            let own = if self.sc.contains(slot) { 1 << number } else { 0 };
            let known = numbered(self.hb_with(write).and(&fences), numbers);
            put_in_front(&mut puzzle.links, if is_write { write } else { ev.source }, known, own);
            if is_write {
                puzzle.links[usize::from(number)].behind[0] |= own;
            } else if by_shb && !is_init(ev.source) {
                puzzle.links[usize::from(numbers[ev.source as usize])].behind[0] |= own;
            }
        }
        for fence in fences.iter() {
            let (known, number) = (self.hb_with(fence).and(relevant), 1 << numbers[fence as usize]);
            for slot in known.iter() {
                let ev = self.event(slot);
                match ev.kind {
                    Kind::Write | Kind::UpdateWrite => {
                        puzzle.links[usize::from(numbers[slot as usize])].behind[0] |= number;
                    }
                    Kind::Read | Kind::UpdateRead if !is_init(ev.source) && relevant.contains(ev.source) => {
                        let behind = &mut puzzle.links[usize::from(numbers[ev.source as usize])].behind;
                        behind[usize::from(!by_shb)] |= number;
                    }
                    _ => {}
                }
            }
        }
        if let Some((ev, base, whole)) = more {
            let hb = self.hb_of_read(ev, base);
            let (number, is_sc) = (count - 1, ev.mode.is_sc());
            let own = if is_sc { 1 << number } else { 0 };
            if is_sc {
                let before = self.before_sc_access(plan, ev, base, &hb, &self.fixed_source(plan, ev));
                rows[number] = numbered(before.and(relevant), numbers);
            }
            let known = numbered(hb.and(&fences), numbers);
            if whole && ev.writes {
                let through_reads = if by_shb { 0 } else { known };
                puzzle.links[number] = Links { front: [known | own, through_reads], behind: [own, 0] };
            } else if places[usize::from(ev.location)].is_some() {
                put_in_front(&mut puzzle.links, ev.source, known, own);
                if by_shb && !is_init(ev.source) {
                    puzzle.links[usize::from(numbers[ev.source as usize])].behind[0] |= own;
                }
            }
        }
        // The initial write comes before all others.
        for ((writes, all), fences) in puzzle.writes.iter().zip(initial).zip(initial_fences) {
            for write in members(*writes) {
                let [direct, through_reads] = puzzle.links[usize::from(write)].behind;
                members(direct).for_each(|e| rows[usize::from(e)] |= all);
                members(through_reads).for_each(|e| rows[usize::from(e)] |= fences);
            }
        }
        puzzle.start.put_sc(&rows)
    }
}
