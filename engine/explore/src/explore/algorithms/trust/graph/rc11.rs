//! RC11 and RC20 on graphs that grow: hb, psc and data races, event by event ([`crate::model`] has the definitions).
//!
//! An event is added without porf successors, so hb and psc between others stay as they are, but for paths of psc that
//! lead through the new event to writes behind it in co.

use super::super::bits::Bits;
use super::super::plan::Plan;
use super::super::store::Lists;
use super::{Base, Ev, Graph, Kind, NONE, Slot, is_init};
use crate::model::{Along, Rseq};
use crate::program::Location;

/// What a new event does to psc.
pub(super) struct ScEdges<const W: usize> {
    /// What comes before it, if it is SC itself.
    before: Bits<W>,
    /// What comes before the targets because of it.
    sources: [Bits<W>; 2],
    /// What comes behind the sources because of it: by co and fr, in RC20 with rf behind that; and, in RC11 from SC fences on,
    /// by rf behind that.
    targets: [Bits<W>; 2],
}

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// hb and what it leads to, of a read that has its source.
    pub(super) fn synchronise_read(&mut self, plan: &Plan, slot: Slot, base: &Base<W>) {
        let Ev { mode, source, .. } = *self.event(slot);
        if mode.is_sc() {
            self.sc.insert(slot);
        }
        if mode.is_atomic() {
            if !is_init(source) {
                let release = self.synchronisation[source as usize].release;
                let s = &mut self.synchronisation[slot as usize];
                s.pending = s.pending.union(&release);
                if mode.is_acquire() {
                    s.hb = base.hb.union(&release);
                }
            }
        } else {
            self.non_atomic.insert(slot);
        }
        if plan.races && self.races(slot) {
            self.special.insert(slot);
        }
    }

    /// What a write releases.
    pub(super) fn synchronise_write(&mut self, plan: &Plan, slot: Slot, base: &Base<W>) {
        let Ev { kind, mode, thread, location, previous, release_fence, .. } = *self.event(slot);
        let mut release = Bits::EMPTY;
        if kind == Kind::UpdateWrite {
            let source = self.event(previous).source;
            if !is_init(source) {
                release = self.synchronisation[source as usize].release;
            }
        }
        if mode.is_sc() {
            self.sc.insert(slot);
        }
        if !mode.is_atomic() {
            self.non_atomic.insert(slot);
        } else if mode.is_release() {
            release = release.union(&base.hb.with(slot));
        } else {
            if release_fence != NONE {
                release = release.union(&self.hb_with(release_fence));
            }
            // Those of the thread whose release sequences go on here.
            let own = *self.of_thread(thread);
            let mut own = match plan.rseq {
                Some(Rseq::OfThreads) => own.and(&self.cell(location).writes),
                _ => Bits::EMPTY,
            };
            while let Some(write) = own.last() {
                own.remove(write);
                if self.event(write).mode.is_release() {
                    release = release.union(&self.hb_with(write));
                    // Those in front of it add nothing.
                    own = own.minus(&release);
                }
            }
        }
        self.synchronisation[slot as usize].release = release;
        if plan.races && self.races(slot) {
            self.special.insert(slot);
        }
    }

    fn hb(&self, slot: Slot) -> Bits<W> {
        self.synchronisation[slot as usize].hb
    }

    /// Whether an access is one side of a data race.
    fn races(&self, slot: Slot) -> bool {
        let ev = self.event(slot);
        let cell = self.cell(ev.location);
        let mut others = cell.writes;
        if matches!(ev.kind, Kind::Write | Kind::UpdateWrite) {
            others = others.union(&cell.reads);
        }
        others = others.minus(self.of_thread(ev.thread)).minus(&self.hb(slot));
        if ev.mode.is_atomic() {
            others = others.and(&self.non_atomic);
        }
        others.iter().any(|other| !self.hb(other).contains(slot))
    }

    /// Whether an event that was special still is: it may have been so as one side of a race.
    pub(super) fn is_special(&self, plan: &Plan, slot: Slot) -> bool {
        let ev = self.event(slot);
        match ev.kind {
            Kind::End => true,
            Kind::Fence => false,
            Kind::Write | Kind::UpdateWrite => self.races(slot),
            Kind::Read | Kind::UpdateRead => {
                ev.source == NONE
                    || is_init(ev.source) && !ev.library && plan.code.is_uninitialised(Location(ev.location.into()))
                    || self.races(slot)
            }
        }
    }

    /// The SC fences that something in a set is hb-behind.
    pub(crate) fn fences_before(&self, set: &Bits<W>) -> Bits<W> {
        if self.sc_fences.is_empty() {
            return Bits::EMPTY;
        }
        set.iter().fold(Bits::EMPTY, |all: Bits<W>, e| all.union(&self.hb(e))).and(&self.sc_fences)
    }

    /// The SC fences that are hb-behind something in a set.
    pub(crate) fn fences_behind(&self, set: &Bits<W>) -> Bits<W> {
        self.sc_fences.filter(|fence| self.hb(fence).intersects(set))
    }

    /// The events that come before a write at the place behind `front` in co or fr, back to a write at which that ends.
    fn overwritten_since(&self, front: Slot, ends: impl Fn(Slot) -> bool) -> Bits<W> {
        let (mut all, mut write) = (Bits::EMPTY, front);
        loop {
            all = all.union(self.readers(write));
            if is_init(write) {
                return all;
            }
            all.insert(write);
            if ends(write) {
                return all;
            }
            write = self.co_previous(write);
        }
    }

    fn overwritten_by(&self, front: Slot) -> Bits<W> {
        self.overwritten_since(front, |_| false)
    }

    /// Of [`Self::overwritten_by`], what matters for psc: nothing that an SC write among them has before it.
    fn overwritten_since_sc(&self, front: Slot) -> Bits<W> {
        self.overwritten_since(front, |write| self.sc.contains(write))
    }

    /// What comes before a read of a write along eco, as far as it matters for psc.
    fn read_behind(&self, source: Slot) -> Bits<W> {
        if is_init(source) {
            Bits::EMPTY
        } else if self.sc.contains(source) {
            Bits::EMPTY.with(source)
        } else {
            self.overwritten_since_sc(self.co_previous(source)).with(source)
        }
    }

    /// What a read with the source `at`, or a write behind `at` in co, would do to psc. Nothing if it changes nothing.
    pub(super) fn sc_edges(&self, plan: &Plan, ev: &Ev, base: &Base<W>, at: Slot) -> Option<ScEdges<W>> {
        let writes = matches!(ev.kind, Kind::Write | Kind::UpdateWrite);
        let mut hb = base.hb;
        if !writes && ev.mode.is_acquire() && !is_init(at) {
            hb = hb.union(&self.synchronisation[at as usize].release);
        }
        let fences = hb.and(&self.sc_fences);
        let is_sc = ev.mode.is_sc();
        if !is_sc && fences.is_empty() {
            return None;
        }
        let mut before = Bits::EMPTY;
        if is_sc {
            let earlier = match plan.along {
                _ if writes => self.overwritten_since_sc(at),
                Along::Scb => Bits::EMPTY,
                Along::Shb => self.read_behind(at),
            };
            before = self.before_sc_access(plan, ev, base, &hb, &earlier);
        }
        let (mut behind, mut readers) = (Bits::EMPTY, Bits::EMPTY);
        let mut write = self.co_next(at);
        while write != NONE {
            behind.insert(write);
            readers = readers.union(self.readers(write));
            if self.sc_fences.is_empty() && self.sc.contains(write) {
                // The others have it before them.
                break;
            }
            write = self.co_next(write);
        }
        let from_fences = self.with_order(fences);
        let along_rf = if plan.along == Along::Shb { behind.union(&readers) } else { behind };
        let reached = along_rf.and(&self.sc).union(&self.fences_behind(&along_rf));
        let (mut sources, mut targets) = ([before.union(&from_fences), Bits::EMPTY], [reached, Bits::EMPTY]);
        if plan.along == Along::Scb {
            (sources[1], targets[1]) = (from_fences, reached.union(&self.fences_behind(&readers)));
        }
        Some(ScEdges { before, sources, targets })
    }

    /// What comes before an SC access in psc, its hb given, and what comes before it along co and fr, in RC20 along eco: with
    /// nothing of these but the source, what no co adds to.
    pub(crate) fn before_sc_access(
        &self,
        plan: &Plan,
        ev: &Ev,
        base: &Base<W>,
        hb: &Bits<W>,
        overwritten: &Bits<W>,
    ) -> Bits<W> {
        let cell = self.cell(ev.location);
        let own = self.of_thread(ev.thread).and(&base.porf);
        if plan.along == Along::Shb {
            let before = own.union(overwritten).and(&self.sc).union(&self.fences_before(overwritten));
            // A read-modify-write is one event: its read comes before its write, but not along po.
            let last = if ev.kind == Kind::UpdateWrite { self.event(base.last).previous } else { base.last };
            return self.with_strong(self.with_order(before), last);
        }
        let accesses = cell.writes.union(&cell.reads);
        let scb = own.union(&hb.and(&accesses)).union(overwritten);
        let mut before = self.with_order(scb.and(&self.sc).union(&self.fences_before(&scb)));
        // hb grows along po.
        let mut elsewhere = base.last;
        while elsewhere != NONE && accesses.contains(elsewhere) {
            elsewhere = self.event(elsewhere).previous;
        }
        let known = if elsewhere == NONE { Bits::EMPTY } else { self.hb(elsewhere) };
        for a in self.sc.minus(&before).and(&known).iter() {
            let other = self.event(a);
            let mut later = known.and(self.of_thread(other.thread)).minus(&self.hb(a));
            later.remove(a);
            if other.kind != Kind::Fence {
                let cell = self.cell(other.location);
                later = later.minus(&cell.writes).minus(&cell.reads);
            }
            if !later.is_empty() {
                before = before.union(&self.rows[a as usize].order.with(a));
            }
        }
        before
    }

    /// What comes before the next SC access of a thread, or SC fence, in psc of RC20 if it has no source: with nothing along eco.
    fn with_strong(&self, mut before: Bits<W>, last: Slot) -> Bits<W> {
        let known = if last == NONE { Bits::EMPTY } else { self.hb(last) };
        for a in self.sc.minus(&before).and(&known).iter() {
            // Along po, hb and po.
            let ev = self.event(a);
            let mut later = known.and(self.of_thread(ev.thread)).minus(&self.hb(a));
            later.remove(a);
            self.update_of(a).into_iter().for_each(|write| later.remove(write));
            if !later.is_empty() {
                before = before.union(&self.rows[a as usize].order.with(a));
            }
        }
        before
    }

    /// Of a read that is added, the source that comes before it in psc whatever co is.
    pub(crate) fn fixed_source(&self, plan: &Plan, ev: &Ev) -> Bits<W> {
        let reads = matches!(ev.kind, Kind::Read | Kind::UpdateRead);
        if plan.along == Along::Shb && reads && !is_init(ev.source) { Bits::EMPTY.with(ev.source) } else { Bits::EMPTY }
    }

    /// Whether psc stays acyclic with a read with the source `at`, or a write behind `at` in co.
    pub(crate) fn sc_allows(&self, plan: &Plan, ev: &Ev, base: &Base<W>, at: Slot) -> bool {
        self.sc_edges(plan, ev, base, at).is_none_or(|edges| {
            edges.sources.iter().zip(&edges.targets).all(|(sources, targets)| !sources.intersects(targets))
        })
    }

    /// Puts a new access into psc.
    pub(super) fn order_sc(&mut self, slot: Slot, edges: &ScEdges<W>) {
        self.rows[slot as usize].order = edges.before;
        let is_sc = self.sc.contains(slot);
        for (which, (sources, targets)) in edges.sources.iter().zip(&edges.targets).enumerate() {
            if targets.is_empty() {
                continue;
            }
            let sources = if which == 0 && is_sc { sources.with(slot) } else { *sources };
            // psc has no cycle: what comes before the targets, or before all of them already, is behind none.
            let before_all = |all: Bits<W>, target: Slot| all.and(&self.rows[target as usize].order);
            let mut rest = self.sc.minus(&targets.iter().fold(self.sc, before_all)).minus(&sources);
            rest.remove(slot);
            for e in rest.iter() {
                let row = self.rows[e as usize].order;
                if targets.contains(e) || row.intersects(targets) {
                    self.changes.push((e, row));
                    self.rows[e as usize].order = row.union(&sources);
                }
            }
        }
    }

    /// Puts a new SC fence into psc, as far as co is known: nothing comes behind it yet.
    pub(super) fn order_fence(&mut self, plan: &Plan, slot: Slot) {
        let hb = self.hb(slot);
        let (mut scb, mut eco) = (Bits::EMPTY, Bits::EMPTY);
        for c in hb.with(slot).iter() {
            let ev = *self.event(c);
            let before = self.hb(c);
            if plan.along == Along::Scb {
                let mut wanted = *self.of_thread(ev.thread);
                if !matches!(ev.kind, Kind::Fence | Kind::End) {
                    let cell = self.cell(ev.location);
                    wanted = wanted.union(&cell.writes).union(&cell.reads);
                }
                scb = scb.union(&before.and(&wanted));
            }
            match ev.kind {
                Kind::Write | Kind::UpdateWrite if plan.tracks_co => {
                    let overwritten = self.overwritten_by(ev.co_previous);
                    scb = scb.union(&overwritten);
                    eco = eco.union(&overwritten);
                }
                Kind::Read | Kind::UpdateRead if ev.source != NONE && !is_init(ev.source) => {
                    let source = ev.source;
                    if plan.tracks_co {
                        eco = eco.union(&self.overwritten_by(self.co_previous(source)));
                    }
                    eco.insert(source);
                }
                _ => {}
            }
        }
        scb.remove(slot);
        if plan.along == Along::Shb {
            // A fence that happens before another one comes before it: along po, hb and po, or along rf.
            let Ev { thread, previous, .. } = *self.event(slot);
            let mut before = eco.union(self.of_thread(thread)).and(&self.sc);
            before = before.union(&self.fences_before(&eco)).union(&hb.and(&self.sc_fences)).without(slot);
            self.rows[slot as usize].order = self.with_strong(self.with_order(before), previous);
            return;
        }
        let fences = self.fences_before(&scb.union(&eco)).union(&hb.and(&self.sc_fences));
        let nodes = scb.and(&self.sc).union(&fences).without(slot);
        self.rows[slot as usize].order = self.with_order(nodes);
    }
}
