//! What a graph allows: whether a choice is consistent, and whether a revisit is left to this graph.

use super::bits::Bits;
use super::consistency::{Inquiries, More, Poser};
use super::graph::{Base, Ev, Graph, INIT, Kind, NONE, Slot, is_init, operation};
use super::plan::Plan;
use super::store::Lists;
use super::switches::{self, Extent, Schedule};
use crate::budget::{Decision, Paused};
use crate::explore::threads::Threads;
use crate::library::may_follow;

/// What is asked about a revisit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Whether this graph makes it.
    Whether,
    /// If not, also why: the first event that is in the way, by age.
    Why,
}

/// Why a revisit is left to another graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Some read reads from the event.
    IsRead(Slot),
    /// A write comes behind it in co.
    CoEarlier(Slot),
    /// A write comes behind its source in co.
    ReadsEarlier(Slot),
    /// It would take another source first.
    OtherSource(Slot),
    /// It is an operation that does not wait.
    DoesNotWait,
    /// Whether it would take another source first was not decided.
    Undecided(Slot),
}

/// Why a revisit is not made here.
pub(super) enum Refusal {
    /// An event that is not maximal, and why; `None` if nobody wants to know.
    Flaw(Option<(Slot, Flaw)>),
    /// To find out was paused.
    Paused,
}

impl From<Paused> for Refusal {
    fn from(Paused: Paused) -> Self {
        Self::Paused
    }
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Whether every order of the events makes more switches than is wanted; of a graph that grows, more than any on the way to a
    /// wanted one.
    #[cold]
    pub(super) fn switches_too_often(
        &self,
        plan: &Plan,
        threads: &Threads,
        extent: Extent,
        inquiries: &mut Inquiries,
    ) -> Result<Decision, Paused> {
        let mut bounds = switches::bounds(&plan.options, self.threads.len(), extent).peekable();
        if bounds.peek().is_none() {
            return Ok(Decision::No);
        }
        let schedule = Schedule::new(self, threads, extent);
        for (switch, most) in bounds {
            let fits = match inquiries.known() {
                Some(known) => known,
                None => {
                    let start = || schedule.fitting(most);
                    inquiries.search(start, |fitting, meter| schedule.fit(switch, fitting, meter))?.1
                }
            };
            match fits {
                Decision::Yes => {}
                Decision::No => return Ok(Decision::Yes),
                Decision::Undecided => return Ok(Decision::Undecided),
            }
        }
        Ok(Decision::No)
    }

    /// Whether an operation of a library object, or a plain read, can read from a write.
    pub(super) fn feeds(&self, threads: &Threads, write: Slot, read: &Ev) -> bool {
        match operation(threads, read) {
            None => true,
            Some(reads) => {
                let source = if is_init(write) { None } else { operation(threads, self.event(write)) };
                may_follow(reads, source)
            }
        }
    }

    /// Whether an operation that waits could have taken what nobody took.
    pub(super) fn is_ill_blocked(&self, threads: &Threads, read: Slot) -> bool {
        let ev = self.event(read);
        if ev.source != NONE || !ev.library {
            return false;
        }
        let cell = self.cell(ev.location);
        let mut writes = std::iter::once(INIT + ev.location).chain(cell.writes.iter());
        writes.any(|write| self.readers(write).is_empty() && self.feeds(threads, write, ev))
    }

    /// With co: the next source of a read, of those that it may take, behind `last`; from the beginning if that is [`NONE`].
    pub(super) fn next_source(&self, plan: &Plan, threads: &Threads, ev: &Ev, base: &Base<W>, last: Slot) -> Slot {
        let mut write = if last == NONE { self.cell(ev.location).last } else { self.before(plan, base, last) };
        let (hidden, hides_initial) =
            if plan.has_co { (Bits::EMPTY, false) } else { self.overwritten(base, ev.location) };
        let is_hidden = |write: Slot| if is_init(write) { hides_initial } else { hidden.contains(write) };
        while write != NONE {
            let free = !ev.library || self.readers(write).is_empty() && self.feeds(threads, write, ev);
            if free && (plan.has_co || !is_hidden(write)) {
                return write;
            }
            write = self.before(plan, base, write);
        }
        NONE
    }

    /// The write in front of another in co, unless that hides it.
    #[inline(always)]
    fn before(&self, plan: &Plan, base: &Base<W>, write: Slot) -> Slot {
        let hides = if plan.has_co { self.hides(plan, base, write) } else { is_init(write) };
        if hides { NONE } else { self.co_previous(write) }
    }

    /// Without co: adds the sources that a read may take, those of greater rank first, the initial one last.
    pub(super) fn list_sources(&self, threads: &Threads, ev: &Ev, sources: &mut Vec<(Slot, bool)>) {
        let free = |write: Slot| !ev.library || self.readers(write).is_empty() && self.feeds(threads, write, ev);
        let first = sources.len();
        let writes = self.cell(ev.location).writes.iter().filter(|&write| free(write));
        sources.extend(writes.map(|write| (write, false)));
        // Mostly that is the other way around.
        sources[first..].reverse();
        if !sources[first..].is_sorted_by_key(|&(write, _)| std::cmp::Reverse(self.rank(write))) {
            sources[first..].sort_unstable_by_key(|&(write, _)| std::cmp::Reverse(self.rank(write)));
        }
        sources.extend(Some((INIT + ev.location, false)).filter(|&(init, _)| free(init)));
    }

    /// The rank of a write among those that a read may take without co, the greatest first: how much comes before it in porf, then
    /// its thread and its number there. Where a write comes before another in porf, it is taken later.
    pub(super) fn rank(&self, slot: Slot) -> u64 {
        let ev = self.event(slot);
        u64::from(self.rows[slot as usize].porf.len()) << 32 | u64::from(ev.thread) << 16 | u64::from(ev.serial)
    }

    /// Where a write may come in co, behind which other, next after `last`; from the beginning if that is [`NONE`].
    pub(super) fn next_place(&self, plan: &Plan, ev: &Ev, base: &Base<W>, last: Slot) -> Slot {
        if ev.kind == Kind::UpdateWrite && plan.has_co && plan.tracks_co {
            let read = self.threads[ev.thread as usize].last;
            return if last == NONE { self.event(read).source } else { NONE };
        }
        if !plan.tracks_co {
            return if last == NONE { self.cell(ev.location).last } else { NONE };
        }
        let mut front = if last == NONE {
            self.cell(ev.location).last
        } else if self.hides_place(plan, base, last) {
            NONE
        } else {
            self.co_previous(last)
        };
        // No place between a read-modify-write and its source.
        while front != NONE && self.is_taken(plan, front) {
            front = if self.hides_place(plan, base, front) { NONE } else { self.co_previous(front) };
        }
        front
    }

    /// Whether a read that is added again may take a write that has just been added.
    pub(super) fn may_take(&self, plan: &Plan, base: &Base<W>, write: Slot) -> bool {
        if !plan.tracks_co || !plan.has_co {
            return true;
        }
        let mut later = self.co_next(write);
        while later != NONE {
            if self.hides(plan, base, later) {
                return false;
            }
            later = self.co_next(later);
        }
        true
    }

    /// Whether nothing comes of a read-modify-write with this source: another one has its place, and no revisit by it
    /// would delete that.
    pub(super) fn is_hopeless(
        &self,
        plan: &Plan,
        threads: &Threads,
        ev: &Ev,
        base: &Base<W>,
        source: Slot,
        poser: &mut Poser,
    ) -> bool {
        if plan.options.spurious || ev.library || !plan.has_co && plan.tracks_co {
            return false;
        }
        let other = if plan.tracks_co {
            if !self.is_taken(plan, source) {
                return false;
            }
            self.co_next(source)
        } else {
            // Of a location that many update, each update asks this of each other: no set is copied.
            let mut readers = self.readers(source).shared_with(&self.live);
            let Some(other) = readers.find_map(|read| self.update_of(read)) else { return false };
            other
        };
        if !self.with_source(plan, threads, ev, (source, false)).writes {
            return false;
        }
        if base.porf.contains(other) {
            return true;
        }
        let known = self.with_twins(plan, ev, self.porf_of_read(base, source));
        if known.contains(other) || self.not_maximal.contains(other) {
            return true;
        }
        let reads = self.cell(ev.location).reads.minus(&known);
        // A revisit deletes only what was added later.
        let mut reads = reads.iter().filter(|&read| !self.older(read).contains(other));
        if !plan.tracks_co {
            // What else a revisit asks of what it deletes takes a search.
            return !reads.any(|read| {
                let doomed = self.doomed(read, &known);
                let is_maximal = |slot| self.flaw(plan, slot, &self.older(slot).union(&known)).is_none();
                doomed.contains(other) && !doomed.intersects(&self.not_maximal) && doomed.iter().all(is_maximal)
            });
        }
        !reads.any(|read| {
            // With co, nothing is searched for.
            let kept = self.revisit(plan, threads, read, &known, Asked::Whether, poser);
            kept.is_ok_and(|kept| !kept.contains(other))
        })
    }

    /// What a revisit of a read by a new write with this porf prefix would delete, and the read.
    #[inline(always)]
    pub(super) fn doomed(&self, read: Slot, prefix: &Bits<W>) -> Bits<W> {
        self.live.minus(self.older(read)).minus(prefix).with(read)
    }

    /// What a revisit of a read by a new write with this porf prefix would keep, but for the read, if all that it
    /// deletes, and the read, is maximal; else the first event that is not, and why.
    pub(super) fn revisit(
        &self,
        plan: &Plan,
        threads: &Threads,
        read: Slot,
        prefix: &Bits<W>,
        asked: Asked,
        poser: &mut Poser,
    ) -> Result<Bits<W>, Refusal> {
        let doomed = self.doomed(read, prefix);
        let kept = self.live.minus(&doomed);
        if plan.tracks_co {
            if asked == Asked::Whether && doomed.intersects(&self.not_maximal) {
                return Err(Refusal::Flaw(None));
            }
            if asked == Asked::Why {
                for slot in self.by_age(&doomed) {
                    if let Some(flaw) = self.flaw(plan, slot, &self.older(slot).union(prefix)) {
                        return Err(Refusal::Flaw(Some((slot, flaw))));
                    }
                }
                return Ok(kept);
            }
            // Many events may be in front of the same writes.
            let mut seen = Bits::<W>::EMPTY;
            for slot in doomed.iter() {
                let ev = self.event(slot);
                let first = match ev.kind {
                    Kind::Read | Kind::UpdateRead if ev.source != NONE => self.co_next(ev.source),
                    Kind::Write | Kind::UpdateWrite => ev.co_next,
                    _ => NONE,
                };
                let mut write = first;
                while write != NONE && !seen.contains(write) {
                    if prefix.contains(write) {
                        return Err(Refusal::Flaw(None));
                    }
                    seen.insert(write);
                    write = self.co_next(write);
                }
            }
            return Ok(kept);
        }
        // Writes first: where none is read, what comes before a read is closed under rf.
        let flawed = |&slot: &Slot| Some((slot, self.flaw(plan, slot, &self.older(slot).union(prefix))?));
        let flaw = if asked == Asked::Why {
            self.by_age(&doomed).iter().find_map(flawed)
        } else {
            doomed.iter().find_map(|slot| flawed(&slot))
        };
        if flaw.is_some() {
            return Err(Refusal::Flaw(flaw));
        }
        let reads = doomed.filter(|slot| {
            let ev = self.event(slot);
            matches!(ev.kind, Kind::Read | Kind::UpdateRead)
                && (ev.library
                    || ev.spurious
                    || ev.takes_later_value()
                    || !self.preferred(slot, &self.older(slot).union(prefix)).is_empty())
        });
        if reads.is_empty() {
            return Ok(kept);
        }
        for slot in self.by_age(&reads) {
            let previous = self.older(slot).union(prefix);
            if let Some(flaw) = self.other_source(plan, threads, slot, &previous, poser)? {
                return Err(Refusal::Flaw(Some((slot, flaw))));
            }
        }
        Ok(kept)
    }

    /// Why an event is not maximal in a set of others; of reads only with co.
    fn flaw(&self, plan: &Plan, slot: Slot, previous: &Bits<W>) -> Option<Flaw> {
        let ev = self.event(slot);
        let behind = |first: Slot| {
            let mut write = first;
            while write != NONE && !previous.contains(write) {
                write = self.co_next(write);
            }
            (write != NONE).then_some(write)
        };
        match ev.kind {
            Kind::Read | Kind::UpdateRead if ev.source == NONE => None,
            // It would take that, or what replaces it.
            Kind::Read | Kind::UpdateRead if !plan.tracks_co => {
                let later = || self.overtaker(ev.location, ev.source, previous);
                if ev.library { None } else { later().map(Flaw::ReadsEarlier) }
            }
            Kind::Read if ev.takes_later_value() => Some(Flaw::OtherSource(INIT + ev.location)),
            Kind::Read | Kind::UpdateRead if ev.library || ev.spurious => Some(Flaw::DoesNotWait),
            Kind::Read | Kind::UpdateRead => behind(self.co_next(ev.source)).map(Flaw::ReadsEarlier),
            Kind::Write | Kind::UpdateWrite => match self.readers(slot).and(previous).first() {
                Some(reader) => Some(Flaw::IsRead(reader)),
                None if plan.tracks_co => behind(ev.co_next).map(Flaw::CoEarlier),
                None => None,
            },
            Kind::Fence | Kind::End => None,
        }
    }

    /// Without co: the writes of a set that a read would take before its source if they were consistent, as far as that is
    /// not known not to be.
    fn preferred(&self, slot: Slot, previous: &Bits<W>) -> Bits<W> {
        let ev = self.event(slot);
        // What was inconsistent with fewer events still is.
        let mut writes = self.cell(ev.location).writes.and(previous).minus(&self.rejected[usize::from(slot)]);
        if !ev.spurious && !is_init(ev.source) {
            let limit = self.rank(ev.source);
            writes = writes.filter(|write| self.rank(write) > limit);
        }
        writes
    }

    /// Without co: the source that a read would take first in a set of others, if it is not the one that it has.
    fn other_source(
        &self,
        plan: &Plan,
        threads: &Threads,
        slot: Slot,
        previous: &Bits<W>,
        poser: &mut Poser,
    ) -> Result<Option<Flaw>, Paused> {
        let ev = self.event(slot);
        if ev.library {
            return Ok((ev.source != NONE).then_some(Flaw::DoesNotWait));
        }
        if ev.takes_later_value() {
            return Ok(Some(Flaw::OtherSource(INIT + ev.location)));
        }
        let mut writes = self.preferred(slot, previous);
        if writes.is_empty() && !ev.spurious {
            return Ok(None);
        }
        let template = self.template_of(slot);
        let base = self.base_of(plan, slot);
        let hidden = self.hidden(plan, previous, &template, &base);
        writes = writes.minus(&hidden.writes);
        let mut initial = ev.spurious && !hidden.initial;
        loop {
            let write = match writes.iter().max_by_key(|&write| self.rank(write)) {
                Some(write) => {
                    writes.remove(write);
                    write
                }
                None if std::mem::take(&mut initial) => INIT + ev.location,
                None => return Ok(ev.spurious.then_some(Flaw::DoesNotWait)),
            };
            if !self.admits_source(plan, &template, write) {
                continue;
            }
            let other = self.with_source(plan, threads, &template, (write, false));
            let more = More { ev: &other, base: &base, whole: true };
            let fits = if plan.decides && !self.has_open_fences(plan, previous) {
                let is_taken = other.writes && self.is_read_by_other_update(previous, write, NONE);
                self.known_to_fit(plan, threads, previous, more, !is_taken, poser)
            } else {
                self.has_co_with(plan, threads, previous, more, poser)?
            };
            match fits {
                Decision::Yes => return Ok(Some(Flaw::OtherSource(write))),
                // To make the revisit might find an execution twice; that it is left is said.
                Decision::Undecided => return Ok(Some(Flaw::Undecided(write))),
                Decision::No => {}
            }
        }
    }

    /// Whether the place of a new write, or the source of a new read, keeps the graph consistent as far as the rules that
    /// [`Self::next_source`] and [`Self::next_place`] know do not say so already.
    #[inline(always)]
    pub(super) fn allows(&self, plan: &Plan, ev: &Ev, base: &Base<W>, at: Slot) -> bool {
        if !plan.tracks_co {
            return true;
        }
        if ev.kind == Kind::UpdateWrite {
            let taken = if plan.has_co {
                self.is_taken(plan, at) || !self.may_place(plan, base, at)
            } else {
                // Its place is free, but its source is not.
                let read = self.threads[ev.thread as usize].last;
                self.is_read_by_other_update(&self.live, self.event(read).source, NONE)
            };
            if taken {
                return false;
            }
        }
        !plan.psc || self.sc_allows(plan, ev, base, at)
    }

    /// Whether no write behind a place hides it.
    fn may_place(&self, plan: &Plan, base: &Base<W>, front: Slot) -> bool {
        let mut later = self.co_next(front);
        while later != NONE {
            if self.hides_place(plan, base, later) {
                return false;
            }
            later = self.co_next(later);
        }
        true
    }
}
