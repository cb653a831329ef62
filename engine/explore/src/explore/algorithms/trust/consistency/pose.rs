//! Puzzles made of graphs, and what their solutions say of these.

use super::super::bits::Bits;
use super::super::graph::{Ev, Graph, INIT, Kind, NONE, Slot, is_init};
use super::super::plan::Plan;
use super::super::store::{List, Lists};
use super::extension::PartialOrder;
use super::inquiries::Inquiries;
use super::mend::Mend;
use super::orders::{Links, MOST, Orders, Puzzle, Reading, Set, members};
use super::question::More;
use crate::budget::{Decision, Paused};
use crate::model::{Along, HappensBefore, Stage};

/// A puzzle, and which of its events are which of a graph.
#[derive(Clone, Debug)]
pub(in super::super) struct Poser {
    pub(super) puzzle: Puzzle,
    /// Who solves it.
    pub inquiries: Inquiries,
    /// The run that the last answer found by mending the one that is kept.
    pub(super) mend: Mend,
    /// By slot: its number.
    pub(super) numbers: Vec<u8>,
    /// By number: the write that it is, or a read.
    pub(super) slots: Vec<Slot>,
    /// By location: its place in the puzzle, if it matters.
    pub(super) places: Vec<Option<u8>>,
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

/// The number of a read's source; `None` if that is initial.
fn source_of(ev: &Ev, numbers: &[u8]) -> Option<u8> {
    (!is_init(ev.source)).then(|| numbers[usize::from(ev.source)])
}

impl Poser {
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            puzzle: Puzzle::default(),
            inquiries: Inquiries::new(limit),
            mend: Mend::default(),
            numbers: Vec::new(),
            slots: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Nobody is to follow what the last answer found.
    pub(in super::super) fn forget_run(&mut self) {
        self.inquiries.run = None;
        self.mend.found = false;
    }

    /// The one more read of the run that was found is in the graph, if it counts as a `whole`: the read of what was asked about.
    pub(super) fn name_read(&mut self, read: Slot, whole: bool) {
        let run = self.inquiries.run.iter_mut().flatten();
        run.filter(|slot| whole && **slot == NONE).for_each(|slot| *slot = read);
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
    pub(super) fn solve(&mut self) -> Result<(Option<Orders>, Decision), Paused> {
        let Self { puzzle, inquiries, .. } = self;
        let answer = inquiries.search(|| puzzle.solving(), |solving, meter| puzzle.solve(solving, meter));
        if answer.is_ok() {
            inquiries.questions.count(Stage::Orders);
        }
        answer.map(|(solving, decision)| (solving.solved, decision))
    }
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// Makes a puzzle of some events and perhaps one more read.
    pub(super) fn pose(&self, plan: &Plan, set: &Bits<W>, more: Option<More<'_, W>>, poser: &mut Poser) -> Posed {
        poser.clear(plan, self.events.len(), self.cells.len());
        let mut relevant = self.place_locations(plan, set, more.map(|more| more.ev), poser);
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
            let is_own = accesses.minus(self.of_thread(thread)).is_empty();
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
            let own = || row.porf.and(self.of_thread(ev.thread));
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
        for (number, &slot) in slots.iter().enumerate() {
            let ev = self.event(slot);
            // SC events of one thread's locations take part in psc alone.
            let place = if ev.kind == Kind::Fence { None } else { places[usize::from(ev.location)] };
            let (Some(place), number) = (place, number as u8) else { continue };
            if ev.kind == Kind::Write {
                puzzle.writes[usize::from(place)] |= 1 << number;
                continue;
            }
            let source = source_of(ev, numbers);
            puzzle.readings.push(Reading { read: number, source, place });
        }
        for write in merged.iter() {
            let (number, ev) = (numbers[write as usize], self.event(write));
            let Some(place) = places[usize::from(ev.location)] else { continue };
            puzzle.updates = true;
            puzzle.writes[usize::from(place)] |= 1 << number;
            let source = source_of(self.event(ev.previous), numbers);
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
        more: More<'_, W>,
        relevant: &Bits<W>,
        taken: &TakenSources,
        poser: &mut Poser,
    ) -> bool {
        let More { ev, base, .. } = more;
        let Poser { puzzle, numbers, slots, places, .. } = poser;
        let number = slots.len() as u8;
        let cell = self.cell(ev.location);
        let accesses = cell.writes.union(&cell.reads);
        let porf = self.porf_of_read(base, ev.source).and(set);
        let local = plan.local.then(|| match plan.happens_before {
            None => base.porf.and(self.of_thread(ev.thread)),
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
        let source = source_of(ev, numbers);
        puzzle.readings.push(Reading { read: number, source, place });
        if more.updates() {
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
        if !self.sc.intersects(set) && more.is_none_or(|more| !more.ev.mode.is_sc()) {
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
            let written = self.written_with(set, slot);
            let number = numbers[slot as usize];
            let own = if self.sc.contains(slot) { 1 << number } else { 0 };
            let known = numbered(self.hb_with(written.unwrap_or(slot)).and(&fences), numbers);
            put_in_front(&mut puzzle.links, written.unwrap_or(ev.source), known, own);
            if written.is_some() {
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
        if let Some(more) = more {
            let More { ev, base, .. } = more;
            let hb = self.hb_of_read(ev, base);
            let (number, is_sc) = (count - 1, ev.mode.is_sc());
            let own = if is_sc { 1 << number } else { 0 };
            if is_sc {
                let before = self.before_sc_access(plan, ev, base, &hb, &self.fixed_source(plan, ev));
                rows[number] = numbered(before.and(relevant), numbers);
            }
            let known = numbered(hb.and(&fences), numbers);
            if more.updates() {
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

    /// The run or the order of SC events, as it is kept, that a solution of what was posed of a set of events says: [`NONE`] stands for a
    /// read that is not in the graph. `None` if it says nothing of the rest of the events.
    pub(super) fn order_of_solution(
        &self,
        plan: &Plan,
        set: &Bits<W>,
        poser: &Poser,
        orders: &Orders,
    ) -> Option<Vec<Slot>> {
        let Poser { puzzle, slots, places, .. } = poser;
        let mut order = PartialOrder::new(self);
        for (number, &slot) in slots.iter().enumerate() {
            let before = if plan.poses_sc { orders.before_in_sc(number as u8) } else { orders.before(number as u8) };
            members(before).for_each(|other| order.put(slots[usize::from(other)], slot));
        }
        if plan.poses_sc {
            for (location, cell) in self.cells.iter().enumerate() {
                let co: Vec<Slot> = match places[location] {
                    Some(place) => {
                        let co = self.co_of(poser, orders, puzzle.writes[usize::from(place)])?;
                        co.into_iter().map(|write| slots[usize::from(write)]).collect()
                    }
                    None => {
                        // Those of one thread.
                        let mut co: Vec<Slot> = cell.writes.and(set).iter().map(|write| self.part(write)).collect();
                        co.sort_unstable_by_key(|&write| self.event(write).serial);
                        co
                    }
                };
                order.put_in_order(&co);
            }
        } else {
            for slot in set.iter() {
                let row = &self.rows[usize::from(slot)];
                order.put_all(&if plan.buffers.is_some() { row.order } else { row.porf }.and(set), slot);
            }
        }
        let read = slots.last().filter(|&&slot| slot == NONE);
        order.linear_extension(self.parts(set).chain(read.copied()).collect())
    }

    /// The writes of a location in a co that fits what is known of it, by number: a read-modify-write comes immediately behind its
    /// source.
    fn co_of(&self, poser: &Poser, orders: &Orders, writes: Set) -> Option<Vec<u8>> {
        // By read-modify-write: its source, if that is not initial.
        let readings = poser.puzzle.readings.iter();
        let updates: Vec<(u8, Option<u8>)> = readings
            .filter(|reading| writes >> reading.read & 1 != 0)
            .map(|reading| (reading.read, reading.source))
            .collect();
        let behind = |source: Option<u8>| updates.iter().find(|update| update.1 == source).map(|update| update.0);
        let (mut co, mut rest) = (Vec::with_capacity(writes.count_ones() as usize), writes);
        let mut next = behind(None);
        while rest != 0 {
            let write = next.take().or_else(|| {
                let heads = members(rest).filter(|&write| updates.iter().all(|update| update.0 != write));
                heads.into_iter().find(|&write| orders.before_locally(write) & rest == 0)
            })?;
            co.push(write);
            rest &= !(1 << write);
            next = behind(Some(write));
        }
        Some(co)
    }
}
