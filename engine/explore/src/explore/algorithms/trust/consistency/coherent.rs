//! Consistency without co where nothing branches: what has to come before what is found out by going back through it.
//!
//! Where no order that spans locations contains fr, some co fits exactly if what co has to contain is acyclic: for a read of
//! w, each write of the location that the read knows of, or knows a read of, is w or comes before w; and a write comes behind
//! all that it knows of in this way. Chains of read-modify-writes, which nothing comes between, are one block. So for RA,
//! coherence alone and the fragment of RC11 without SC, chains or not (Tunç, Abdulla, Chakraborty, Krishna, Mathur,
//! Pavlogiannis: *Optimal Reads-From Consistency Checking for C11-Style Memory Models*, PLDI 2023). Under SRA what co contains
//! must not contradict porf either, which takes no search as long as there are no read-modify-writes; with them it is
//! NP-complete (same paper).
//!
//! All that is asked is which sources one more read, without porf successors, can't take. It puts the writes that it knows of in
//! front of its source, so there is a cycle exactly if its source comes before one of these; and what they are does not depend on
//! the source, since what it knows of through that is overwritten by it already. So all sources are asked about at once. Where fr
//! is ordered everywhere, this refuses for certain, and does not allow. Nothing is kept between two
//! questions, so they can be asked of any part of a graph. Each access of the location is looked at once, which takes as many
//! words as a set of events has: that is less than the paper's vector clocks for graphs as small as those of explorations.

use super::super::bits::Bits;
use super::super::graph::{Base, Ev, Graph, INIT, Kind, NONE, Slot, is_init};
use super::super::plan::Plan;
use super::super::store::Lists;
use crate::model::HappensBefore;

/// The writes that a read can't take, whatever else is: what it knows of overwrites them in each co.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Hidden<const W: usize> {
    pub writes: Bits<W>,
    /// So is the initial write.
    pub initial: bool,
}

impl<const W: usize> Hidden<W> {
    pub(crate) const NOTHING: Self = Self { writes: Bits::EMPTY, initial: false };

    #[inline(always)]
    pub(crate) fn contains(&self, write: Slot) -> bool {
        if is_init(write) { self.initial } else { self.writes.contains(write) }
    }
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// What a read of a consistent set of events, closed under porf, or one more can't take. Where nothing branches, that is all
    /// that it can't take, but for what another read-modify-write has taken.
    ///
    /// What a read knows of through its source only is overwritten by the source already.
    pub(in super::super) fn hidden(&self, plan: &Plan, set: &Bits<W>, ev: &Ev, base: &Base<W>) -> Hidden<W> {
        let seen = match plan.happens_before {
            Some(HappensBefore::Porf) => base.porf,
            Some(HappensBefore::Synchronised(_)) => base.hb,
            None => self.seen_without_hb(plan, ev, &base.porf, &base.order),
        };
        let first = self.writes_seen(plan, set, ev.location, &seen);
        if first.is_empty() {
            return Hidden::NOTHING;
        }
        let writes = self.before_in_every_co(plan, set, ev.location, first);
        Hidden { writes: writes.and(&self.cell(ev.location).writes).and(set), initial: true }
    }

    /// Events that come before some writes of a location in every co or in porf; where nothing branches, all writes that do.
    pub(in super::super) fn before_in_every_co(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        location: u16,
        first: Bits<W>,
    ) -> Bits<W> {
        let wanted = self.open_to(plan, set, location, &first);
        let in_porf = if !plan.has_co || plan.keeps_run && plan.keeps_writes_in_porf {
            self.before_in_porf(first)
        } else {
            Bits::EMPTY
        };
        if !plan.has_co || wanted.minus(&in_porf).is_empty() {
            // Nothing but hb hides a write, or that is enough.
            in_porf
        } else if plan.global && !plan.global_has_fr {
            self.before_everywhere(set, first, &wanted)
        } else if plan.updates {
            self.before_blocks(plan, set, first, &wanted)
        } else {
            self.before_writes(plan, set, first, &wanted)
        }
    }

    /// The writes of a location that may be last in co, one of each thread at most; where no order spans locations, each of them
    /// is in some co, whatever is last elsewhere.
    pub(super) fn may_be_last(&self, plan: &Plan, location: u16) -> Bits<W> {
        let lasts = self.lasts_of_threads(location).fold(Bits::EMPTY, Bits::with);
        let lasts = lasts.filter(|write| !plan.has_co || self.update_behind(&self.live, write).is_none());
        lasts.minus(&self.before_in_every_co(plan, &self.live, location, lasts))
    }

    /// What an event of this kind knows of where there is no hb: with one order of all events what that keeps, and what its
    /// thread did.
    fn seen_without_hb(&self, plan: &Plan, ev: &Ev, porf: &Bits<W>, order: &Bits<W>) -> Bits<W> {
        let own = porf.and(self.of_thread(ev.thread));
        match plan.buffers {
            // What a read of another thread's store buffer takes is not known yet.
            Some(_) => order.and(&self.cell(ev.location).writes).union(&own),
            None if plan.global_has_fr => *porf,
            None => own,
        }
    }

    /// The writes of a location that some of its writes may come behind in every co: once each is known to be one, the rest is not
    /// worth finding. A run that is kept shows which can't be.
    fn open_to(&self, plan: &Plan, set: &Bits<W>, location: u16, first: &Bits<W>) -> Bits<W> {
        let writes = self.cell(location).writes.and(set);
        if !plan.keeps_places || self.places.unplaced.intersects(set) {
            return writes;
        }
        let last = first.iter().map(|write| self.place(write)).max().unwrap_or(0);
        writes.filter(|write| self.place(write) < last)
    }

    /// What an event knows of, as far as its location is concerned.
    fn known(&self, plan: &Plan, slot: Slot) -> Bits<W> {
        let row = &self.rows[slot as usize];
        match plan.happens_before {
            None => self.seen_without_hb(plan, self.event(slot), &row.porf, &row.order),
            Some(HappensBefore::Porf) => row.porf,
            Some(HappensBefore::Synchronised(_)) => self.synchronisation[slot as usize].hb,
        }
    }

    /// The writes of a location among some events, and those that the reads among them read.
    pub(super) fn writes_seen(&self, plan: &Plan, set: &Bits<W>, location: u16, seen: &Bits<W>) -> Bits<W> {
        let cell = self.cell(location);
        let seen = seen.and(set);
        let mut writes = cell.writes.and(&seen);
        // With all of porf, whoever knows of a read knows of its source.
        let knows_sources = plan.happens_before == Some(HappensBefore::Porf)
            || plan.happens_before.is_none() && plan.global_has_fr && plan.buffers.is_none();
        if !knows_sources {
            for read in cell.reads.shared_with(&seen) {
                let source = self.event(read).source;
                if source != NONE && !is_init(source) {
                    writes.insert(source);
                }
            }
        }
        writes
    }

    /// What a write and its readers know of.
    fn known_through(&self, plan: &Plan, set: &Bits<W>, write: Slot) -> Bits<W> {
        let (mut known, mut readers) = (self.known(plan, write), self.readers(write).and(set));
        while let Some(read) = readers.last() {
            readers.remove(read);
            known = known.union(&self.known(plan, read));
            // Of one thread's, the last one knows what the others know.
            readers = readers.minus(&known);
        }
        known
    }

    /// What an access that was gone back through says of others: they know of nothing that is not known already. A write does
    /// not say so of itself or its readers; but if any of these came before another access that it says it of, the events would
    /// be inconsistent.
    ///
    /// hb is transitive, so it is all that is known. With store buffers it is what the thread of a write did before, since the
    /// buffers keep both writes of one location and a write behind a read in order.
    #[inline(always)]
    fn spent_with(&self, plan: &Plan, write: Slot, known: &Bits<W>) -> Bits<W> {
        if plan.buffers.is_none() {
            return *known;
        }
        let thread = self.event(write).thread;
        self.rows[write as usize].porf.and(self.of_thread(thread))
    }

    /// Whether a write and its readers know of nothing that is not known already.
    #[inline(always)]
    fn says_nothing(&self, set: &Bits<W>, write: Slot, spent: &Bits<W>) -> bool {
        spent.contains(write) && self.readers(write).and_is_within(set, spent)
    }

    /// Of some events, those that may say something: `others` are the accesses whose sources may, but for those that are `spent`.
    #[inline(always)]
    fn worth_hearing(&self, others: &Bits<W>, open: Bits<W>, spent: &Bits<W>) -> Bits<W> {
        // In small graphs, each is asked by itself.
        if W <= 4 || open.is_empty() {
            return open;
        }
        let mut rest = open.minus(spent);
        for read in others.minus(spent).iter() {
            let ev = self.event(read);
            let reads = matches!(ev.kind, Kind::Read | Kind::UpdateRead) && ev.source != NONE;
            if reads && !is_init(ev.source) && open.contains(ev.source) {
                rest.insert(ev.source);
            }
        }
        rest
    }

    /// What comes before some writes.
    fn before_writes(&self, plan: &Plan, set: &Bits<W>, first: Bits<W>, wanted: &Bits<W>) -> Bits<W> {
        let (mut hidden, mut open, mut known): (Bits<W>, _, Bits<W>) = (Bits::EMPTY, first, Bits::EMPTY);
        let (mut spent, mut heard): (Bits<W>, Bits<W>) = (Bits::EMPTY, Bits::EMPTY);
        while let Some(write) = open.last() {
            if wanted.minus(&hidden).is_empty() {
                break;
            }
            open.remove(write);
            if self.says_nothing(set, write, &spent) {
                continue;
            }
            // But for itself.
            let readers = self.readers(write);
            let more = self.known_through(plan, set, write).minus(readers).minus(&known).without(write);
            known = known.union(&more);
            let location = self.event(write).location;
            let before = self.writes_seen(plan, set, location, &more).minus(&hidden);
            hidden = hidden.union(&before);
            spent = spent.union(&self.spent_with(plan, write, &known));
            heard = heard.union(readers);
            let reads = self.cell(location).reads.and(set).minus(&heard);
            open = self.worth_hearing(&reads, open.union(&before), &spent);
        }
        hidden
    }

    /// The same where porf counts between locations, too, and there are no read-modify-writes.
    fn before_everywhere(&self, set: &Bits<W>, first: Bits<W>, wanted: &Bits<W>) -> Bits<W> {
        let (mut hidden, mut open, mut known): (Bits<W>, _, Bits<W>) = (Bits::EMPTY, first, Bits::EMPTY);
        let mut heard: Bits<W> = Bits::EMPTY;
        while let Some(slot) = open.last() {
            if wanted.minus(&hidden).is_empty() {
                break;
            }
            open.remove(slot);
            let is_write = matches!(self.event(slot).kind, Kind::Write);
            if known.contains(slot) && (!is_write || self.readers(slot).and_is_within(set, &known)) {
                // What is known of it is closed under porf.
                continue;
            }
            let mut before = self.rows[slot as usize].porf;
            known = known.union(&before);
            if is_write {
                let writes = &self.cell(self.event(slot).location).writes;
                let mut readers = self.readers(slot).and(set);
                heard = heard.union(&readers);
                while let Some(read) = readers.last() {
                    readers.remove(read);
                    let porf = &self.rows[read as usize].porf;
                    before = before.union(&porf.and(writes));
                    readers = readers.minus(porf);
                }
                before.remove(slot);
            }
            before = before.and(set).minus(&hidden);
            hidden = hidden.union(&before);
            open = self.worth_hearing(&set.minus(&heard), open.union(&before), &known);
        }
        hidden
    }

    /// The same where chains of read-modify-writes are blocks: what is in front of some writes in their own blocks, and all of
    /// the blocks that come before these.
    fn before_blocks(&self, plan: &Plan, set: &Bits<W>, first: Bits<W>, wanted: &Bits<W>) -> Bits<W> {
        let (mut hidden, mut reached): (Bits<W>, Bits<W>) = (Bits::EMPTY, Bits::EMPTY);
        // The block of the initial write comes before each other one.
        let mut initial = None;
        let mut fronts: Bits<W> = Bits::EMPTY;
        for write in first.iter() {
            let mut ev = self.event(write);
            while ev.kind == Kind::UpdateWrite {
                let source = self.event(ev.previous).source;
                // What is in front of a write that was met before was met, too.
                if is_init(source) || fronts.contains(source) {
                    break;
                }
                fronts.insert(source);
                ev = self.event(source);
            }
        }
        let (mut open, mut known): (_, Bits<W>) = (first, Bits::EMPTY);
        let (mut spent, mut heard): (Bits<W>, Bits<W>) = (Bits::EMPTY, Bits::EMPTY);
        while let Some(write) = open.last() {
            if wanted.minus(&hidden).minus(&fronts).is_empty() {
                break;
            }
            let (top, block) = self.block(set, write);
            reached = reached.union(&block);
            open = open.minus(&block);
            if is_init(top) {
                // Nothing comes before the initial write.
                continue;
            }
            let initial = initial.get_or_insert_with(|| self.block(set, INIT + self.event(write).location).1);
            hidden = hidden.union(initial);
            // But for the block itself.
            let (mut more, mut own) = (Bits::EMPTY, block);
            for write in block.iter() {
                if !self.says_nothing(set, write, &spent) {
                    more = more.union(&self.known_through(plan, set, write));
                }
                own = own.union(self.readers(write));
            }
            more = more.minus(&own).minus(&known);
            known = known.union(&more);
            if plan.buffers.is_none() {
                spent = known;
            } else {
                block.iter().for_each(|write| spent = spent.union(&self.spent_with(plan, write, &known)));
            }
            heard = heard.union(&own);
            let location = self.event(write).location;
            let before = self.writes_seen(plan, set, location, &more);
            let mut others = before.minus(&block).minus(&hidden);
            while let Some(other) = others.last() {
                let (_, block) = self.block(set, other);
                hidden = hidden.union(&block);
                others = others.minus(&block);
                open = open.union(&block.minus(&reached));
            }
            let reads = self.cell(location).reads.and(set).minus(&heard);
            open = self.worth_hearing(&reads, open, &spent);
        }
        hidden.union(&fronts)
    }

    /// The first write of the block of a write, perhaps an initial one, and its writes but for an initial one.
    pub(super) fn block(&self, set: &Bits<W>, write: Slot) -> (Slot, Bits<W>) {
        let mut block: Bits<W> = Bits::EMPTY;
        let mut top = write;
        while !is_init(top) {
            block.insert(top);
            let ev = self.event(top);
            if ev.kind != Kind::UpdateWrite {
                break;
            }
            top = self.event(ev.previous).source;
        }
        let mut last = write;
        while let Some(next) = self.update_behind(set, last) {
            block.insert(next);
            last = next;
        }
        (top, block)
    }

    /// The write of the read-modify-write in a set that replaces a write.
    fn update_behind(&self, set: &Bits<W>, write: Slot) -> Option<Slot> {
        let write = self.readers(write).shared_with(set).find_map(|read| self.update_of(read))?;
        set.contains(write).then_some(write)
    }
}
