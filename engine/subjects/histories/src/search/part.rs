//! The search among operations that have to be searched together.

use super::super::history::{Action, History, Moment, Object, Operation, OperationIndex, ValueIndex};
use super::held::{BASE, Held, Leaving, Undo, mixed};
use super::seen::Seen;
use super::{Group, NONE, Order};
use crate::budget::{Halt, Meter};

/// A call or return of one of a part's operations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    pub(super) operation: u32,
    pub(super) is_return: bool,
}

/// An operation of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) index: OperationIndex,
    action: Action,
    /// Its place in sets of open operations; no two that are open at a time have the same.
    slot: u32,
    /// The place of its return; `NONE` if it is pending.
    ret: u32,
    /// Of an insertion of a value that is inserted once, removed once, and not asked for, the removal that returned; of that removal, itself.
    removal: u32,
}

/// What took effect at a step, and what else could.
#[derive(Clone, Copy, Debug)]
struct Step {
    pub(super) operation: u32,
    takes: u32,
    undo: Undo,
    /// The place before it.
    place: u32,
    /// Where the candidates begin of which this is one, and the next of them; both the same if there was no choice.
    candidates: u32,
    next: u32,
}

/// The search for an order of some of the operations: all, or those with one value.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) pieces: Vec<Piece>,
    pub(super) events: Vec<Event>,
    /// By place: the least total that operations called from there on read. Empty if the object is not a counter that never falls.
    least_totals: Vec<i64>,
    /// How many words a set of open operations has.
    words: usize,
    held: Held,
    /// The place of the first return of an operation that has not taken effect; the number of events if there is none.
    place: u32,
    /// The open operations, and those of them that took effect, by slot.
    open: Vec<u64>,
    done: Vec<u64>,
    /// By slot: who is open.
    opener: Vec<u32>,
    steps: Vec<Step>,
    /// The sets `done` before each step.
    saved: Vec<u64>,
    /// Operations that may come next, and what they take: of all steps, one after the other.
    candidates: Vec<(u32, u32)>,
    pub(super) seen: Seen,
    /// The place that was furthest, and the steps up to it.
    furthest: u32,
    best: Vec<(u32, u32)>,
    /// How many of these steps the present ones have in common with them.
    common: usize,
    is_started: bool,
}

/// What comes next.
enum Next {
    /// This one; nothing else has to be tried.
    Harmless(u32),
    /// One of those from here on.
    Choice(usize),
}

impl Part {
    /// Of some operations of a history; what comes behind the moment `last` is left out, if there is one.
    pub(super) fn new(history: &History, object: Object, group: &Group, last: Option<Moment>) -> Self {
        let (operations, value) = group;
        let mut held = Held::new(history, object, if value.is_some() { 1 } else { history.values.len() });
        let mut pieces: Vec<Piece> = Vec::with_capacity(operations.len());
        let mut moments = Vec::with_capacity(2 * operations.len());
        for &index in operations {
            let Operation { action, call, ret, .. } = *history.operation(index);
            if last.is_some_and(|last| last < call) {
                break;
            }
            let ret = ret.filter(|&ret| last.is_none_or(|last| ret <= last));
            if ret.is_none() && changes_nothing(action) {
                // It need not take effect, so what it finds must not count.
                continue;
            }
            let operation = pieces.len() as u32;
            moments.push((call, Event { operation, is_return: false }));
            moments.extend(ret.map(|ret| (ret, Event { operation, is_return: true })));
            let action = if value.is_some() { narrowed(action) } else { action };
            pieces.push(Piece { index, action, slot: 0, ret: NONE, removal: NONE });
        }
        moments.sort_unstable_by_key(|&(moment, _)| moment);
        let events: Vec<Event> = moments.into_iter().map(|(_, event)| event).collect();
        let slots = assign(&mut pieces, &events);
        pair(&mut pieces, &mut held.spare);
        held.leaving = leaving(&pieces, &events, held.count.len());
        let least_totals = least_totals(object, &pieces, &events);
        let words = (slots as usize).div_ceil(64).max(1);
        Self {
            pieces,
            events,
            least_totals,
            words,
            held,
            place: 0,
            open: vec![0; words],
            done: vec![0; words],
            opener: vec![NONE; slots as usize],
            steps: Vec::new(),
            saved: Vec::new(),
            candidates: Vec::new(),
            seen: Seen::default(),
            furthest: 0,
            best: Vec::new(),
            common: 0,
            is_started: false,
        }
    }

    fn is_at_end(&self) -> bool {
        self.place as usize == self.events.len()
    }

    /// Goes to the next return of an operation that has not taken effect.
    fn advance(&mut self) {
        while let Some(&Event { operation, is_return }) = self.events.get(self.place as usize) {
            let slot = self.pieces[operation as usize].slot as usize;
            let bit = 1 << (slot % 64);
            if !is_return {
                self.open[slot / 64] |= bit;
                self.opener[slot] = operation;
            } else if self.done[slot / 64] & bit != 0 {
                self.open[slot / 64] &= !bit;
                self.done[slot / 64] &= !bit;
            } else {
                return;
            }
            self.place += 1;
        }
    }

    /// Goes back to a place.
    fn retreat(&mut self, place: u32) {
        while self.place > place {
            self.place -= 1;
            let Event { operation, is_return } = self.events[self.place as usize];
            let slot = self.pieces[operation as usize].slot as usize;
            let bit = 1 << (slot % 64);
            if is_return {
                self.open[slot / 64] |= bit;
                self.opener[slot] = operation;
            } else {
                self.open[slot / 64] &= !bit;
            }
        }
    }

    /// The operations that may come next.
    fn ready(&self) -> impl Iterator<Item = u32> {
        (0..self.words).flat_map(move |word| {
            let mut left = self.open[word] & !self.done[word];
            std::iter::from_fn(move || {
                let slot = left.trailing_zeros();
                left &= left.wrapping_sub(1);
                (slot < 64).then(|| self.opener[64 * word + slot as usize])
            })
        })
    }

    fn is_ready(&self, operation: u32) -> bool {
        let Piece { slot, .. } = self.pieces[operation as usize];
        let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
        self.open[word] & !self.done[word] & bit != 0 && self.opener[slot as usize] == operation
    }

    /// An operation that is right to come next whatever comes later, if there is one: if any order goes on from here to the end, one goes on
    /// with it. In each case, take an order that goes on, and move the operation to its front: it may be there, since it is open, and what was
    /// before it only comes later.
    ///
    /// - What changes nothing and fits. Nothing else notices where it is.
    /// - Of a stack, queue or priority queue, the removal of what is next, if its value is inserted and removed only once and not asked for.
    ///   In the order that goes on, a stack has before this removal only what is above the value, all of which is removed again, and can be
    ///   as well without the value below; a queue, nothing but insertions, which go behind it; a priority queue, insertions and removals of
    ///   smaller values, which do not notice it. None of them has empty removals there, while the value is in. A pending removal would
    ///   have left nothing for this one.
    /// - The insertion of such a value, if its removal can come next at once: into a stack; into an empty queue; into a priority queue where
    ///   nothing is smaller. The order that goes on stays one if both are left out, since that only makes others lower or
    ///   emptier; and at its front, one directly behind the other, they change nothing.
    fn find_harmless(&self) -> Option<u32> {
        let is_ordered = matches!(self.held.object, Object::Stack | Object::Queue | Object::PriorityQueue);
        self.ready().find(|&operation| {
            let Piece { action, removal, .. } = self.pieces[operation as usize];
            match action {
                Action::Remove(value) => is_ordered && removal == operation && self.held.may_take(value),
                Action::Insert(value) => {
                    let is_next = || match self.held.object {
                        Object::Stack => true,
                        Object::Queue => self.held.size == 0,
                        Object::PriorityQueue => {
                            self.held.least_rank().is_none_or(|least| self.held.specification.rank(value) <= least)
                        }
                        _ => false,
                    };
                    removal != NONE && self.is_ready(removal) && is_next()
                }
                _ => self.held.fits(action),
            }
        })
    }

    /// Whether it is plain that no order goes on from here: a counter that never falls has passed a total that is yet to be read; or something
    /// is in a stack or queue that stays until an empty removal has returned.
    fn is_dead(&self) -> bool {
        let passed = |total: i64| !self.least_totals.is_empty() && self.held.number > total;
        if self.least_totals.get(self.place as usize).is_some_and(|&total| passed(total)) {
            return true;
        }
        let from = match self.held.object {
            // Of a queue's list some are gone already, which did not stay any longer than until now.
            Object::Stack | Object::Queue => self.held.tree.nodes[self.held.list as usize].from,
            _ => 0,
        };
        self.ready().any(|operation| {
            let Piece { action, ret, .. } = self.pieces[operation as usize];
            match action {
                Action::RemoveNothing => from > ret,
                Action::Total(total) => passed(total),
                _ => false,
            }
        })
    }

    /// Whether an insertion into a stack or queue can't come next, since what is in, or another insertion of those that are ready, has to be on
    /// its other side.
    ///
    /// A stack's value can't lie on one that is gone before it leaves; and one that is put in before it leaves, and leaves behind it, has
    /// to be put in before it. A queue's can't stand behind one that leaves behind it, nor before one that is gone before it
    /// leaves.
    fn is_misplaced(&self, operation: u32, ready: &[u32]) -> bool {
        let Action::Insert(value) = self.pieces[operation as usize].action else { return false };
        let Leaving { from, by } = self.held.leaving[value.index()];
        let inside = self.held.tree.nodes[self.held.list as usize];
        let others = || {
            ready.iter().filter(|&&other| other != operation).filter_map(|&other| {
                let Piece { action, ret, .. } = self.pieces[other as usize];
                let Action::Insert(value) = action else { return None };
                Some((ret, self.held.leaving[value.index()]))
            })
        };
        match self.held.object {
            Object::Stack => inside.by < from || others().any(|(ret, other)| ret < from && by < other.from),
            Object::Queue => by < inside.from || others().any(|(_, other)| other.by < from),
            _ => false,
        }
    }

    /// What may come next, put behind all other candidates: who has to return first comes first.
    fn find_candidates(&mut self) -> usize {
        let start = self.candidates.len();
        let mut ready: Vec<u32> = self.ready().collect();
        ready.sort_unstable_by_key(|&operation| (self.pieces[operation as usize].ret, operation));
        for (at, &operation) in ready.iter().enumerate() {
            let Piece { action, ret, .. } = self.pieces[operation as usize];
            let mut earlier = ready[..at].iter().map(|&other| self.pieces[other as usize]);
            if ret == NONE && earlier.any(|other| other.ret == NONE && other.action == action)
                || self.is_misplaced(operation, &ready)
            {
                continue;
            }
            if action != Action::RemoveAny {
                self.candidates.push((operation, NONE));
                continue;
            }
            let all = match self.held.object {
                Object::Stack | Object::Queue => self.held.next().map_or(0..0, |value| value..value + 1),
                _ => 0..self.held.count.len() as u32,
            };
            for value in all {
                if self.held.spare[value as usize] > 0 && self.held.may_take(ValueIndex(value)) {
                    self.candidates.push((operation, value));
                }
            }
        }
        start
    }

    /// Has an operation take effect; whether it could.
    fn take(&mut self, operation: u32, takes: u32, candidates: u32, next: u32) -> bool {
        let Piece { action, slot, ret, .. } = self.pieces[operation as usize];
        let Some(undo) = self.held.apply(action, takes) else { return false };
        self.steps.push(Step { operation, takes, undo, place: self.place, candidates, next });
        self.saved.extend_from_slice(&self.done);
        self.done[slot as usize / 64] |= 1 << (slot % 64);
        if ret == self.place {
            self.advance();
        }
        true
    }

    /// Undoes the last step, if there is one.
    fn back(&mut self) -> Option<Step> {
        if self.place > self.furthest {
            self.furthest = self.place;
            self.best.truncate(self.common);
            self.best.extend(self.steps[self.common..].iter().map(|step| (step.operation, step.takes)));
            self.common = self.steps.len();
        }
        let step = self.steps.pop()?;
        self.common = self.common.min(self.steps.len());
        self.retreat(step.place);
        let saved = self.saved.split_off(self.saved.len() - self.words);
        self.done.copy_from_slice(&saved);
        self.held.undo(step.undo);
        Some(step)
    }

    /// Whether the present configuration was seen before; it was from now on.
    fn was_seen(&mut self) -> bool {
        let width = 2 + self.words;
        let (first, second, contents) = self.held.key();
        let mut hash = mixed(self.place) ^ contents;
        for &word in &self.done {
            hash = (hash ^ (hash >> 29)).wrapping_mul(BASE) ^ word;
        }
        hash = (hash ^ (hash >> 32)).wrapping_mul(BASE);
        hash ^= hash >> 29;
        self.seen.grow();
        let (held, done) = (&self.held, &self.done);
        let head = [u64::from(self.place) | u64::from(first) << 32, u64::from(second)];
        let is_same = |row: &[u64]| {
            let same_place = row[0] as u32 == head[0] as u32 && row[2..] == done[..];
            match held.object {
                Object::Queue => {
                    // The same operations took effect, so there is as much in.
                    let length = held.log.len() - held.gone as usize;
                    same_place && held.same_queue((row[0] >> 32) as u32, first, length)
                }
                _ => same_place && row[..2] == head,
            }
        };
        let Err(at) = self.seen.find(hash, width, is_same) else { return true };
        self.seen.put(at, hash, head.into_iter().chain(self.done.iter().copied()));
        false
    }

    /// What comes next; `None` if this configuration was seen before.
    fn find_next(&mut self) -> Option<Next> {
        if let Some(operation) = self.find_harmless() {
            return Some(Next::Harmless(operation));
        }
        if self.is_dead() || self.was_seen() { None } else { Some(Next::Choice(self.find_candidates())) }
    }

    /// Tries candidates from one on, of those that begin at `start`; whether one could take effect.
    fn try_from(&mut self, start: usize, from: usize) -> bool {
        for at in from..self.candidates.len() {
            let (operation, takes) = self.candidates[at];
            if self.take(operation, takes, start as u32, at as u32 + 1) {
                return true;
            }
        }
        self.candidates.truncate(start);
        false
    }

    /// Goes back to where something else can be tried, and tries it; whether there is such a place.
    fn try_another(&mut self) -> bool {
        while let Some(step) = self.back() {
            if step.candidates == NONE {
                continue;
            }
            if self.try_from(step.candidates as usize, step.next as usize) {
                return true;
            }
        }
        false
    }

    /// Whether there is an order. Can be called again after a pause.
    pub(super) fn run(&mut self, meter: &mut Meter) -> Result<bool, Halt> {
        if !self.is_started {
            self.advance();
            self.is_started = true;
            self.furthest = self.place;
        }
        loop {
            if self.is_at_end() {
                return Ok(true);
            }
            meter.spend(16 + self.words as u64)?;
            let tree = 4 * self.held.tree.nodes.len() as u64;
            meter.hold(self.seen.words() + tree + 4 * self.steps.len() as u64)?;
            let went_on = match self.find_next() {
                Some(Next::Harmless(operation)) => self.take(operation, NONE, NONE, NONE),
                Some(Next::Choice(start)) => self.try_from(start, start),
                None => false,
            };
            if !went_on && !self.try_another() {
                return Ok(false);
            }
        }
    }

    fn order_of(&self, steps: impl Iterator<Item = (u32, u32)>) -> Order {
        let step = |(operation, takes)| {
            let takes = (takes != NONE).then_some(ValueIndex(takes));
            (self.pieces[operation as usize].index, takes)
        };
        steps.map(step).collect()
    }

    /// The order that was found.
    pub(super) fn order(&self) -> Order {
        self.order_of(self.steps.iter().map(|step| (step.operation, step.takes)))
    }

    /// The order that went furthest.
    pub(super) fn furthest_order(&self) -> Order {
        if self.place > self.furthest { self.order() } else { self.order_of(self.best.iter().copied()) }
    }

    /// How many returns are before the one that it did not get past.
    pub(super) fn returns_before_furthest(&self) -> usize {
        self.events[..self.furthest as usize].iter().filter(|event| event.is_return).count()
    }
}

/// Whether an operation leaves every object as it is.
const fn changes_nothing(action: Action) -> bool {
    matches!(
        action,
        Action::Contains(..)
            | Action::RemoveNothing
            | Action::Read(_)
            | Action::Total(_)
            | Action::CompareAndSet { succeeded: Some(false), .. }
    )
}

/// An action on the only value of a part.
const fn narrowed(action: Action) -> Action {
    match action {
        Action::Insert(_) => Action::Insert(ValueIndex(0)),
        Action::Remove(_) => Action::Remove(ValueIndex(0)),
        Action::Contains(_, is_in) => Action::Contains(ValueIndex(0), is_in),
        action => action,
    }
}

/// Gives each operation the place of its return, and a place in sets of open operations; says how many places these have.
fn assign(pieces: &mut [Piece], events: &[Event]) -> u32 {
    let mut free: Vec<u32> = Vec::new();
    let mut slots = 0;
    for (at, &Event { operation, is_return }) in events.iter().enumerate() {
        let piece = &mut pieces[operation as usize];
        if is_return {
            piece.ret = at as u32;
            free.push(piece.slot);
        } else {
            piece.slot = free.pop().unwrap_or_else(|| {
                slots += 1;
                slots - 1
            });
        }
    }
    slots
}

/// Finds for each insertion of a value that is inserted and removed once, and not asked for, its removal; counts what pending removals may take.
fn pair(pieces: &mut [Piece], spare: &mut [i64]) {
    /// Of a value: the last insertion and removal, and how many of both and others there are.
    #[derive(Clone, Copy)]
    struct Uses {
        insertion: u32,
        removal: u32,
        insertions: u32,
        others: u32,
    }
    let mut uses = vec![Uses { insertion: NONE, removal: NONE, insertions: 0, others: 0 }; spare.len()];
    for (at, piece) in pieces.iter().enumerate() {
        let returned = piece.ret != NONE;
        match piece.action {
            Action::Insert(value) => {
                let uses = &mut uses[value.index()];
                (uses.insertion, uses.insertions) = (at as u32, uses.insertions + 1);
                spare[value.index()] += 1;
            }
            Action::Remove(value) => {
                let uses = &mut uses[value.index()];
                if returned {
                    spare[value.index()] -= 1;
                }
                // A pending one counts as well: it may be the one that takes the value.
                uses.others += u32::from(uses.removal != NONE || !returned);
                uses.removal = at as u32;
            }
            Action::Contains(value, _) => uses[value.index()].others += 1,
            _ => {}
        }
    }
    for uses in uses {
        if uses.insertions == 1 && uses.others == 0 && uses.removal != NONE {
            pieces[uses.insertion as usize].removal = uses.removal;
            pieces[uses.removal as usize].removal = uses.removal;
        }
    }
}

/// When values leave, by value, for those of which it is known.
fn leaving(pieces: &[Piece], events: &[Event], values: usize) -> Vec<Leaving> {
    let mut all = vec![Leaving::UNKNOWN; values];
    let mut uses = vec![(0_u32, 0_u32); values];
    for piece in pieces {
        match piece.action {
            Action::Insert(value) => uses[value.index()].0 += 1,
            Action::Remove(value) => uses[value.index()].1 += 1,
            _ => {}
        }
    }
    let any = pieces.iter().any(|piece| piece.action == Action::RemoveAny);
    for (leaving, uses) in all.iter_mut().zip(uses) {
        if uses == (1, 0) && !any {
            *leaving = Leaving { from: NONE, by: NONE };
        }
    }
    for (place, &Event { operation, is_return }) in events.iter().enumerate() {
        let piece = &pieces[operation as usize];
        let Action::Remove(value) = piece.action else { continue };
        if piece.removal != operation {
            continue;
        }
        let which = &mut all[value.index()];
        if is_return {
            which.by = place as u32;
        } else {
            which.from = place as u32;
        }
    }
    all
}

/// By place, the least total that is read by operations called from there on; empty if the object is not a counter that never falls.
fn least_totals(object: Object, pieces: &[Piece], events: &[Event]) -> Vec<i64> {
    let falls = |piece: &Piece| matches!(piece.action, Action::Increase(by) if by < 0);
    // What is added up must not pass the largest number either.
    let sum = pieces.iter().try_fold(0_i64, |sum, piece| match piece.action {
        Action::Increase(by) => sum.checked_add(by),
        _ => Some(sum),
    });
    if object != Object::Counter || sum.is_none() || pieces.iter().any(falls) {
        return Vec::new();
    }
    let mut all = vec![i64::MAX; events.len()];
    let mut least = i64::MAX;
    for (at, &Event { operation, is_return }) in events.iter().enumerate().rev() {
        if let (false, Action::Total(total)) = (is_return, pieces[operation as usize].action) {
            least = least.min(total);
        }
        all[at] = least;
    }
    all
}
