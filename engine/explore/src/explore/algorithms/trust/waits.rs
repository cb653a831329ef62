//! Threads that wait in vain: graphs of which nothing comes but executions in which a thread waits at an old write.
//!
//! A read is **waiting** if with its source its thread blocks at once: a round of a loop changed nothing, or an assumption
//! fails ([`crate::program`]). It has no porf successors, and a read-modify-write that waits writes nothing. With
//! [`Options::leave_out_waits`](crate::explore::Options::leave_out_waits), four things are done about waiting reads. The first is
//! a matter of speed alone; the others leave graphs out.
//!
//! 1. **Who would wait at once is not next.** Of the threads that can go on, those are put off whose next read waits if it
//!    takes the last write. TruSt may add events in any order that the graph decides.
//! 2. **A waiting read takes no overtaken write.** Let its source be c, and let c1, another write of the graph, come behind c in
//!    every co (with co: in this one). Then the graph is left. Without co, c1 has to be of greater rank, too.
//! 3. **A waiting read whose source was overtaken for good** is left likewise: when each thread that can still go on has such a c1
//!    in its porf prefix.
//! 4. **A whole graph** is left in which a waiting read's source is overtaken, or that of another read of the same round of a loop,
//!    behind the round's last write. So is one in which two of these reads take different writes of a location.
//!
//! This is in the manner of Kokologiannakis, Marmanis, Vafeiadis: *Unblocking Dynamic Partial Order Reduction* (CAV 2023), which keeps
//! blocked graphs away by revisiting waiting reads in place. Here, they are revisited as all others; what that would leave behind is
//! left by 2 and 3. So complete executions are found in the same way as before, each once.
//!
//! # Why nothing is lost
//!
//! *Reading later is as consistent.* If the graph with r = c is consistent, so is that with r = c1, in the same co: r has no successors
//! but in fr, its fr edges are fewer, and a path through the new rf edge that comes back by one of them would have gone from
//! c1 by co.
//!
//! *No complete execution* contains a waiting read. One that is found from a graph with such a read is found by a revisit of it, or by one
//! that deletes it. Both demand that it is maximal among the events that are older or in the prefix of the revisiting
//! write. In 2, it is not: c1 is older, or, where c is what revisited the read just now, in the prefix of c; so it stays among them
//! as long as the read stays. With co, that is all. Without co, some write of greater rank than c is consistent for the
//! read, by the first point: c1, or what replaced it. In 4, there is no revisit any more.
//!
//! *In 3*, take the first revisit, by a write w. Until then, only threads add events that have a c1 in their prefix. So w has one, and
//! neither revisits the waiting read nor deletes it. It revisits a read s that is younger. This may set other threads back to where they
//! have no c1. But as long as s reads from w, w is not maximal, for s is older, and nothing deletes w. So whatever revisits a read that is
//! older than w has w in its prefix, and with it a c1. It leaves the waiting read alone, too, and takes w's place. All other revisits keep
//! s and w.
//!
//! *No error.* An error is in the prefix of its event, which contains no read of a round that waits (at an assumption, of the read that
//! does), behind the last write of the round: these have no porf successors but each other. Extend that prefix to a whole execution. As
//! long as some such round has a read that does not take the last write in co, take all its reads back, and let its thread go on from
//! there with last writes. That is consistent: nothing comes of the new reads, in any order. The thread waits again, or does something else, and
//! others go on behind that. There is an end: what threads do but such rounds is never taken back, and a thread does only so much. What is
//! there then is an execution with the error in which all these reads take the last writes of one co. TruSt finds it, and on its way it meets no
//! graph that is left: from those, it finds nothing but executions in which one of these reads takes an overtaken write.
//!
//! *No thread that is stuck for good* ([`crate::explore::Wait`]): a thread that is stuck in a loop reads last writes in each round at some
//! time, and an execution in which it does is one of those that the last point speaks of. Where a read-modify-write has written one
//! of them again since, the execution in which the reads take the copy is.
//!
//! *Why 4 is for whole graphs alone.* Another read of the round may be overtaken for good, and the round not be in vain: the last
//! read is revisited, and with that the round takes another way, the other read as it is. `while f = 1 and turn = 1` may end with an old f and
//! a new turn.
//!
//! What changes is how many executions are blocked, and how many with errors: those are left out in which somebody waits in vain besides.
//!
//! On the command line (`explore`, `estimate`, `run`) such graphs are left out unless `--count-blocked` is given, and on the
//! page unless its switch is ticked. Links, files and whoever compares algorithms have that off unless they say otherwise. So
//! has `linearize`: an object is wrong if one of its histories is, those of blocked executions included, and what goes on behind
//! a wait may hide that. Algorithms that do not heed the option have none
//! ([`Options::heeded_by`](crate::explore::Options::heeded_by)).

use super::bits::Bits;
use super::graph::{Cursor, Ev, Graph, Kind, NONE, Next, Slot, is_init};
use super::plan::Plan;
use super::store::Lists;
use crate::explore::threads::Threads;
use crate::program::{Action, Location};

impl<const W: usize> Graph<W>
where
    Bits<W>: Lists,
{
    /// The write of a read-modify-write that is begun, else what the left-most thread does that can go on; where graphs are left
    /// out, of those that would not wait at once, if there are any.
    #[inline(always)]
    pub(super) fn next(&mut self, plan: &Plan, threads: &mut Threads) -> Option<Next> {
        if let Some(read) = self.pending.first() {
            return Some(Next::Update(read));
        }
        let next = self.next_thread(threads, self.first_thread)?;
        self.first_thread = next;
        if next as usize == self.threads.len() {
            return None;
        }
        Some(Next::Thread(if plan.leaves_out { self.next_of_busy(plan, threads, next) } else { next }))
    }

    /// The first thread from one on that can go on, or how many threads there are.
    #[inline(always)]
    fn next_thread(&self, threads: &Threads, from: u16) -> Option<u16> {
        let goes_on = |&thread: &usize| {
            let cursor = &self.threads[thread];
            !cursor.ended && !matches!(threads.action(cursor.node), Action::Finished)
        };
        let all = self.threads.len();
        Some((from as usize..all).find(goes_on).unwrap_or(all) as u16)
    }

    /// Of the threads that can go on, the left-most that would not wait at once, or else the left-most.
    fn next_of_busy(&self, plan: &Plan, threads: &mut Threads, first: u16) -> u16 {
        let mut thread = first;
        while (thread as usize) < self.threads.len() {
            if !self.would_wait(plan, threads, thread) {
                return thread;
            }
            thread = self.next_thread(threads, thread + 1).unwrap_or(thread + 1);
        }
        first
    }

    /// Whether a thread's next event makes it wait if it reads the last write.
    fn would_wait(&self, plan: &Plan, threads: &mut Threads, thread: u16) -> bool {
        let node = self.threads[thread as usize].node;
        if !threads.may_wait(node) {
            return false;
        }
        let (Action::Read { location, .. } | Action::Update { location, .. }) = *threads.action(node) else {
            return false;
        };
        let last = self.cell(location.0 as u16).last;
        if is_init(last) && plan.code.is_uninitialised(Location(location.0)) {
            return false;
        }
        let value = self.value(plan, last);
        if let Action::Update { update, .. } = *threads.action(node)
            && update.written(value).is_some()
        {
            return false;
        }
        let behind = threads.behind(node, value, false);
        matches!(threads.action(behind), Action::Stuck | Action::Spin)
    }

    /// Whether another write of the location comes behind a write in every co: with co, of all; else as far as that is seen at
    /// once, where a read takes the other one first.
    pub(super) fn is_overtaken(&self, plan: &Plan, location: u16, write: Slot) -> bool {
        if plan.tracks_co && plan.has_co {
            return write != NONE && self.co_next(write) != NONE;
        }
        self.overtaker(location, write, &self.live).is_some()
    }

    /// All writes that come behind a write, as [`Self::is_overtaken`] sees it.
    fn overtakers(&self, plan: &Plan, location: u16, write: Slot) -> Bits<W> {
        let writes = self.cell(location).writes;
        if is_init(write) {
            return writes;
        }
        let mut all = Bits::EMPTY;
        if plan.tracks_co && plan.has_co {
            let mut next = self.co_next(write);
            while next != NONE {
                all.insert(next);
                next = self.co_next(next);
            }
            return all;
        }
        let mut add = |slot, least| self.behind_in_thread(slot, least, &writes).for_each(|other| all.insert(other));
        add(write, 1);
        self.readers(write).iter().for_each(|read| add(read, 0));
        all
    }

    /// A read at which a thread waits although its source was overtaken for good: whoever can go on has a write that overtook it in its
    /// porf prefix, and so does what it might write. Who is to write the rest of a read-modify-write can go on.
    pub(super) fn waits_for_nobody(&self, plan: &Plan, threads: &Threads) -> Option<Slot> {
        let goes_on = |cursor: &&Cursor<W>| {
            let is_there = !cursor.ended && !matches!(threads.action(cursor.node), Action::Finished);
            is_there || cursor.last != NONE && self.pending.contains(cursor.last)
        };
        self.waiting_reads().find(|&read| {
            let ev = self.event(read);
            let overtakers = self.overtakers(plan, ev.location, ev.source);
            let knows = |cursor: &Cursor<W>| cursor.last != NONE && self.porf_with(cursor.last).intersects(&overtakers);
            !overtakers.is_empty() && self.threads.iter().filter(goes_on).all(knows)
        })
    }

    /// Whether a whole graph with blocked threads may be stuck for good ([`crate::explore::Wait`]): each of them waits in a loop, and has
    /// read last what may be the last write.
    pub(super) fn may_be_stuck(&self, plan: &Plan, threads: &Threads) -> bool {
        let spins = |end| matches!(threads.action(self.event(end).node), Action::Spin);
        let may_go_on = |read| {
            let ev = self.event(read);
            self.is_changed(plan, ev.location, ev.source)
        };
        self.stuck.iter().all(spins) && !self.waiting_reads().any(may_go_on)
    }

    /// Whether something that has overtaken a write wrote another value, or is no read-modify-write.
    pub(super) fn is_changed(&self, plan: &Plan, location: u16, write: Slot) -> bool {
        let is_copy = |other: Slot| {
            self.event(other).kind == Kind::UpdateWrite && self.value(plan, other) == self.value(plan, write)
        };
        !self.overtakers(plan, location, write).iter().all(is_copy)
    }

    /// The reads at which threads wait.
    fn waiting_reads(&self) -> impl Iterator<Item = Slot> {
        self.stuck.iter().map(|end| self.event(end).previous).filter(|&read| self.takes_a_write(read))
    }

    /// Whether it is a read that takes a write, and not because it fails spuriously.
    fn takes_a_write(&self, read: Slot) -> bool {
        read != NONE && {
            let ev = self.event(read);
            matches!(ev.kind, Kind::Read | Kind::UpdateRead) && !ev.library && !ev.spurious && ev.source != NONE
        }
    }

    /// The read at which a thread waits that is stuck at an event. In a loop, those before it too, back to where the round began or
    /// wrote last.
    fn waiting_round(&self, threads: &Threads, end: Slot) -> impl Iterator<Item = Slot> {
        let Ev { node, previous: last, .. } = *self.event(end);
        let begun = threads.round_began(node);
        let is_in = move |&slot: &Slot| {
            slot != NONE && {
                let ev = self.event(slot);
                let reads = matches!(ev.kind, Kind::Read | Kind::UpdateRead | Kind::Fence) && !ev.library;
                reads && (slot == last || begun.is_some_and(|begun| u32::from(ev.serial) > begun))
            }
        };
        std::iter::successors(Some(last).filter(is_in), move |&slot| Some(self.event(slot).previous).filter(is_in))
            .filter(|&read| self.takes_a_write(read))
    }

    /// The same by all that is known of co.
    fn is_overtaken_in_all(&self, plan: &Plan, location: u16, write: Slot) -> bool {
        if plan.tracks_co && plan.has_co || is_init(write) {
            return self.is_overtaken(plan, location, write);
        }
        let others = self.cell(location).writes.without(write);
        !others.is_empty() && self.before_in_every_co(plan, &self.live, location, others).contains(write)
    }

    /// In a whole graph: a read of a round in which a thread waits that does not take the last write, if there is one. Of two that take
    /// different writes of a location, one does not.
    pub(super) fn waits_in_vain(&self, plan: &Plan, threads: &Threads) -> Option<Slot> {
        let reads = || self.stuck.iter().flat_map(|end| self.waiting_round(threads, end));
        reads().find(|&read| {
            let ev = self.event(read);
            let is_other = |other: Slot| {
                let other = self.event(other);
                other.location == ev.location && other.source != ev.source
            };
            self.is_overtaken_in_all(plan, ev.location, ev.source) || reads().any(is_other)
        })
    }
}
