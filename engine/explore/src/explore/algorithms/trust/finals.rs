//! Which writes can be last, without co.
//!
//! A write that another comes behind in every co is not last in any. Where no order spans locations, each other write is last in some
//! co, whatever is last elsewhere: what co has to contain is acyclic, and stays so if all others of the location come before a write
//! that nothing has to come behind. Else a combination of last writes needs a run, or an order that contains psc. Where one write is
//! left at each location, these are last in any. The run that is kept shows one combination; for others it is mended, as if a read
//! behind all events took each of the writes. What is left is a puzzle.

use super::bits::Bits;
use super::consistency::{Posed, Poser};
use super::graph::{Graph, Kind, Slot};
use super::inquiries::Search;
use super::orders::Set;
use super::plan::Plan;
use super::store::Lists;
use crate::budget::{Decision, Paused};

/// What can come last at some locations, each combination once, and whether these are all.
pub(super) type Combinations<T> = (Vec<Vec<T>>, Decision);

/// How many combinations are listed, and for how many the run is mended, without asking whether there is time for more.
const MOST_AT_ONCE: usize = 1_000;
const MOST_MENDED: usize = 64;

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Each combination of the writes that can be last at some locations, which several threads write, and whether these are all;
    /// `None` if that has to be found out otherwise. The graph is consistent.
    pub fn final_writes(
        &self,
        plan: &Plan,
        locations: &[u16],
        poser: &mut Poser,
    ) -> Result<Option<Combinations<Slot>>, Paused> {
        if !plan.poses {
            return Ok(None);
        }
        let events = u64::from(self.live.len());
        poser.inquiries.budget.count(locations.len() as u64 * events)?;
        let lasts: Vec<Vec<Slot>> = locations.iter().map(|&location| self.candidates(plan, location)).collect();
        let combinations = lasts.iter().fold(1usize, |product, writes| product.saturating_mul(writes.len()));
        if combinations == 1 || plan.decides && !plan.global && combinations <= MOST_AT_ONCE {
            return Ok(Some((product(&lasts), Decision::Yes)));
        }
        let mut known = Vec::new();
        if plan.keeps_run && combinations <= MOST_MENDED {
            poser.inquiries.budget.count(combinations as u64 * events)?;
            known = self.known_of_runs(plan, locations, &lasts, poser);
            if known.len() == combinations {
                let found = known.into_iter().filter(|(_, fits)| *fits).map(|(lasts, _)| lasts);
                return Ok(Some((found.collect(), Decision::Yes)));
            }
        }
        self.search_finals(plan, locations, &lasts, known, poser)
    }

    /// The writes of a location that may be last, in the order of their numbers in puzzles.
    fn candidates(&self, plan: &Plan, location: u16) -> Vec<Slot> {
        let mut lasts: Vec<Slot> = self.may_be_last(plan, location).iter().collect();
        lasts.sort_unstable_by_key(|&write| self.part(write));
        lasts
    }

    /// Of which combinations mending the run that is kept says whether some run has them last.
    fn known_of_runs(
        &self,
        plan: &Plan,
        locations: &[u16],
        lasts: &[Vec<Slot>],
        poser: &mut Poser,
    ) -> Vec<(Vec<Slot>, bool)> {
        let Some(known) = self.last_in_run(plan, locations) else { return Vec::new() };
        let fits = |lasts: Vec<Slot>| {
            let fits = lasts == known || self.mend_lasts(plan, &lasts, &mut poser.mend)?;
            Some((lasts, fits))
        };
        product(lasts).into_iter().filter_map(fits).collect()
    }

    /// The same by a search, as far as it is not known.
    fn search_finals(
        &self,
        plan: &Plan,
        locations: &[u16],
        lasts: &[Vec<Slot>],
        known: Vec<(Vec<Slot>, bool)>,
        poser: &mut Poser,
    ) -> Result<Option<Combinations<Slot>>, Paused> {
        if self.pose(plan, &self.live, None, poser) != Posed::Open {
            return Ok(None);
        }
        let Poser { puzzle, numbers, slots, places, inquiries, .. } = poser;
        let number = |&write: &Slot| numbers[usize::from(write)];
        let mut wanted: Vec<(u8, Set)> = Vec::with_capacity(locations.len());
        for (&location, writes) in locations.iter().zip(lasts) {
            // Two threads write it.
            let Some(place) = places[usize::from(location)] else { return Ok(None) };
            wanted.push((place, writes.iter().fold(0, |set, write| set | 1 << number(write))));
        }
        let (spent, finals) = match inquiries.resume() {
            Some((spent, Search::Finals(finals))) => (spent, finals),
            _ => {
                let known = known.into_iter().map(|(lasts, fits)| (lasts.iter().map(number).collect(), fits));
                (0, puzzle.finals(&wanted, known.collect()))
            }
        };
        let (finals, decision) = inquiries.search(
            spent,
            finals,
            |finals, meter| puzzle.find_finals(finals, &wanted, meter).map(|()| true),
            Search::Finals,
        )?;
        let last = |&number: &u8| self.write_of(slots[usize::from(number)]);
        let lasts = finals.found.iter().map(|chosen| chosen.iter().map(last).collect());
        Ok(Some((lasts.collect(), decision)))
    }

    /// The write of an event that is a write, or of a read-modify-write given by its read.
    fn write_of(&self, slot: Slot) -> Slot {
        let ev = self.event(slot);
        if ev.kind == Kind::Write { slot } else { ev.update }
    }
}

/// All combinations of one of each.
fn product(lasts: &[Vec<Slot>]) -> Vec<Vec<Slot>> {
    let mut all = vec![Vec::with_capacity(lasts.len())];
    for writes in lasts {
        let with = |chosen: &Vec<Slot>, &write: &Slot| chosen.iter().copied().chain([write]).collect();
        all = all.iter().flat_map(|chosen| writes.iter().map(move |write| with(chosen, write))).collect();
    }
    all
}
