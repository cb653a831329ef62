//! Which writes can be last, without co.
//!
//! A write that another comes behind in every co is not last in any. Where no order spans locations, each other write is last in some
//! co, whatever is last elsewhere: what co has to contain is acyclic, and stays so if all others of the location come before a write
//! that nothing has to come behind. Else a combination of last writes needs a run, or an order that contains psc. Where one write is
//! left at each location, these are last in any. The run that is kept shows one combination; for others it is mended, as if a read
//! behind all events took each of the writes. What is left is saturated, with each of them behind all others of its location: mostly
//! that refuses, or leaves a run. The rest is a puzzle.
//!
//! Under RC11 and RC20 a write comes last in co if the order of the SC events can stay as it is; there nothing is saturated.
//! What is still open where a puzzle is too large is left to [`crate::model`]. The combinations that were found count as memory
//! that the search holds ([`Meter::hold_combinations`](crate::budget::Meter::hold_combinations)), since 40 locations with two
//! writers each have 2^40 of them in one execution. Nothing is asked once final states are too many to be listed and no
//! condition wants to know them.

use super::super::bits::Bits;
use super::super::graph::{Graph, Kind, Slot};
use super::super::plan::Plan;
use super::super::store::Lists;
use super::orders::Set;
use super::pose::{Posed, Poser};
use super::saturation::Saturation;
use crate::budget::{Decision, Paused};
use crate::program::Value;

/// What can come last at some locations: a row for each combination, with one of each location.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Rows<T> {
    width: usize,
    count: usize,
    all: Vec<T>,
}

impl<T: Copy> Rows<T> {
    /// No row, of so many locations.
    pub(crate) fn clear(&mut self, width: usize) {
        (self.width, self.count) = (width, 0);
        self.all.clear();
    }

    /// Adds a row, which has one of each location.
    pub(crate) fn push(&mut self, row: impl IntoIterator<Item = T>) {
        self.all.extend(row);
        self.count += 1;
        debug_assert_eq!(self.all.len(), self.count * self.width);
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    fn row(&self, at: usize) -> &[T] {
        &self.all[at * self.width..][..self.width]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.count).map(|at| self.row(at))
    }

    /// Keeps the rows for which this is so, by their numbers.
    fn retain(&mut self, keeps: impl Fn(usize) -> bool) {
        let mut kept = 0;
        for at in (0..self.count).filter(|&at| keeps(at)) {
            self.all.copy_within(at * self.width..(at + 1) * self.width, kept * self.width);
            kept += 1;
        }
        self.all.truncate(kept * self.width);
        self.count = kept;
    }
}

/// The writes that may be last at each of some locations.
#[derive(Clone, Debug, Default)]
struct Lasts {
    all: Vec<Slot>,
    /// Where those of each location end.
    ends: Vec<usize>,
}

impl Lasts {
    fn clear(&mut self) {
        self.all.clear();
        self.ends.clear();
    }

    fn of(&self, at: usize) -> &[Slot] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.all[start..self.ends[at]]
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = &[Slot]> {
        (0..self.ends.len()).map(|at| self.of(at))
    }

    fn combinations(&self) -> usize {
        self.iter().fold(1, |product, writes| product.saturating_mul(writes.len()))
    }

    /// Lists all combinations; those of the first locations change last.
    fn list(&self, rows: &mut Rows<Slot>) {
        for number in 0..self.combinations() {
            let mut rest = number;
            let start = rows.all.len();
            for writes in self.iter().rev() {
                rows.all.push(writes[rest % writes.len()]);
                rest /= writes.len();
            }
            rows.all[start..].reverse();
            rows.count += 1;
        }
    }
}

/// How many combinations are listed, and for how many the run is mended, without asking whether there is time for more.
const MOST_AT_ONCE: usize = 1_000;
const MOST_MENDED: usize = 64;

/// Units of work that the saturation of all combinations may be. What is left is searched for.
const MOST_WORK: u64 = 100_000;

/// What is known of the last writes of an execution, to be written over by the next one.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct LastWrites {
    /// The last value of each location that is asked about, where it does not depend on co.
    known: Vec<Option<Value>>,
    /// The locations where it does.
    pub(super) open: Vec<u16>,
    lasts: Lasts,
    /// What can be last at those.
    pub(super) writes: Rows<Slot>,
    /// The last values of all locations that are asked about, a row for each of these combinations.
    pub values: Rows<Value>,
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Without co: lists the last values of some locations for each combination of last writes ([`LastWrites::values`]), and says whether
    /// these are all; `None` if that has to be found out otherwise.
    pub(super) fn find_final_values(
        &self,
        plan: &Plan,
        locations: &[u16],
        last_writes: &mut LastWrites,
        poser: &mut Poser,
    ) -> Result<Option<Decision>, Paused> {
        let LastWrites { known, open, lasts, writes, values } = last_writes;
        // What is written last anyway is not asked about.
        let ends = |&location: &u16| self.ends_alike(location).then(|| self.value(plan, self.cell(location).last));
        known.clear();
        known.extend(locations.iter().map(ends));
        open.clear();
        let unknown = locations.iter().zip(&*known).filter(|(_, known)| known.is_none());
        open.extend(unknown.map(|(&location, _)| location));
        let Some(all) = self.list_final_writes(plan, open, lasts, writes, poser)? else { return Ok(None) };
        values.clear(locations.len());
        for row in writes.iter() {
            let mut row = row.iter();
            let value = |known: &Option<Value>| known.or_else(|| Some(self.value(plan, *row.next()?)));
            values.push(known.iter().filter_map(value));
        }
        Ok(Some(all))
    }

    /// Lists each combination of the writes that can be last at some locations, which several threads write, and says whether these
    /// are all; `None` if that has to be found out otherwise. The graph is consistent.
    fn list_final_writes(
        &self,
        plan: &Plan,
        locations: &[u16],
        lasts: &mut Lasts,
        rows: &mut Rows<Slot>,
        poser: &mut Poser,
    ) -> Result<Option<Decision>, Paused> {
        if !plan.poses || self.has_open_fences(plan, &self.live) {
            return Ok(None);
        }
        let events = u64::from(self.live.len());
        poser.inquiries.budget.count(locations.len() as u64 * events)?;
        lasts.clear();
        locations.iter().for_each(|&location| self.add_candidates(plan, location, lasts));
        rows.clear(locations.len());
        let combinations = lasts.combinations();
        if combinations == 1 || plan.decides && !plan.global && combinations <= MOST_AT_ONCE {
            lasts.list(rows);
            return Ok(Some(Decision::Yes));
        }
        let mut known = Vec::new();
        if plan.keeps_places && combinations <= MOST_MENDED {
            poser.inquiries.budget.count(combinations as u64 * events)?;
            lasts.list(rows);
            known = self.known_of_runs(plan, locations, rows, poser);
            if !plan.poses_sc {
                self.saturate_lasts(plan, rows, &mut known, poser)?;
            }
            if known.iter().all(Option::is_some) {
                rows.retain(|at| known[at] == Some(true));
                return Ok(Some(Decision::Yes));
            }
        }
        self.search_finals(plan, locations, lasts, (rows, &known), poser)
    }

    /// Adds the writes of a location that may be last, in the order of their numbers in puzzles.
    fn add_candidates(&self, plan: &Plan, location: u16, lasts: &mut Lasts) {
        let start = lasts.all.len();
        lasts.all.extend(self.may_be_last(plan, location).iter());
        lasts.all[start..].sort_unstable_by_key(|&write| self.part(write));
        lasts.ends.push(lasts.all.len());
    }

    /// Of each combination, what mending the run that is kept says of whether some run has these writes last.
    fn known_of_runs(&self, plan: &Plan, locations: &[u16], rows: &Rows<Slot>, poser: &mut Poser) -> Vec<Option<bool>> {
        let Some(known) = self.last_in_run(plan, locations) else { return vec![None; rows.len()] };
        let fits = |lasts: &[Slot]| match () {
            () if lasts == known => Some(true),
            () if plan.poses_sc => self.may_come_last(plan, lasts),
            () => self.mend_lasts(plan, lasts, &mut poser.mend),
        };
        rows.iter().map(fits).collect()
    }

    /// As far as it is not known: what saturation says of that, and whether it leaves a run.
    fn saturate_lasts(
        &self,
        plan: &Plan,
        rows: &Rows<Slot>,
        known: &mut [Option<bool>],
        poser: &mut Poser,
    ) -> Result<(), Paused> {
        let unknown = rows.iter().zip(known).filter(|(_, fits)| fits.is_none());
        let mut cost = 0;
        for (lasts, fits) in unknown {
            let order = Saturation::new(self, plan, &self.live, None).filter(|order| !order.is_silent());
            let Some(mut order) = order else { return Ok(()) };
            if !order.saturate(self, plan, None, lasts) {
                *fits = Some(false);
            } else if self.another_run(plan, &self.live, &order, None).is_some() {
                *fits = Some(true);
            }
            cost += order.cost + u64::from(self.live.len());
            if cost > MOST_WORK {
                break;
            }
        }
        poser.inquiries.budget.count(cost)
    }

    /// The same by a search, as far as it is not known.
    fn search_finals(
        &self,
        plan: &Plan,
        locations: &[u16],
        lasts: &Lasts,
        (rows, known): (&mut Rows<Slot>, &[Option<bool>]),
        poser: &mut Poser,
    ) -> Result<Option<Decision>, Paused> {
        if self.pose(plan, &self.live, None, poser) != Posed::Open {
            return Ok(None);
        }
        let Poser { puzzle, numbers, slots, places, inquiries, .. } = poser;
        let number = |&write: &Slot| numbers[usize::from(write)];
        let mut wanted: Vec<(u8, Set)> = Vec::with_capacity(locations.len());
        for (&location, writes) in locations.iter().zip(lasts.iter()) {
            // Two threads write it.
            let Some(place) = places[usize::from(location)] else { return Ok(None) };
            wanted.push((place, writes.iter().fold(0, |set, write| set | 1 << number(write))));
        }
        let start = || {
            let known = rows.iter().zip(known);
            let known = known.filter_map(|(lasts, fits)| Some((lasts.iter().map(number).collect(), (*fits)?)));
            puzzle.finals(&wanted, known.collect())
        };
        let (finals, decision) =
            inquiries.search(start, |finals, meter| puzzle.find_finals(finals, &wanted, meter).map(|()| true))?;
        rows.clear(locations.len());
        let last = |&number: &u8| self.write_of(slots[usize::from(number)]);
        finals.found.iter().for_each(|chosen| rows.push(chosen.iter().map(last)));
        Ok(Some(decision))
    }

    /// The write of an event that is a write, or of a read-modify-write given by its read.
    fn write_of(&self, slot: Slot) -> Slot {
        let ev = self.event(slot);
        if ev.kind == Kind::Write { slot } else { ev.update }
    }
}
