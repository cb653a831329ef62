//! The general search: orders of operations, one operation after the other.
//!
//! After J. M. Wing and C. Gong, *Testing and Verifying Concurrent Objects* (1993), with the memory of G. Lowe, *Testing for
//! Linearizability* (2017), as Porcupine has it, and with P-compositionality (A. Horn and D. Kroening, 2015): sets and multisets are
//! searched one value at a time where nothing ties values together. It goes on with any operation that was called before the first return of
//! one that has not taken effect, and goes back where there is none. In other points it is not as published:
//!
//! - A configuration is not the set of all operations that took effect, but the first return that is open, and which of the operations that are
//!   open at that moment took effect: all before it did, none behind it could. So its size goes with concurrency, not with the
//!   length of the history, and instead of a list from which calls and returns are taken there is a place in them that moves forth and back.
//! - Configurations are kept whole and compared whole, so no two are taken for the same that are not. For the contents of stacks and
//!   queues it is enough to know where they are in a tree that has all contents seen so far, each the one before it with one value more.
//! - Nothing is copied: what an operation did is undone.
//! - What never hurts is done at once, and nothing else is tried there ([`Part::find_harmless`]).
//! - Of operations that can come next, the ones that have to return first are tried first, since they can't wait.
//! - Pending operations come last, may be left out, and of those that do the same only the first is tried.

use super::answer::{Answer, Linearization, Undecided, Violation};
use super::history::{Action, History, Object, Operation, OperationIndex, ValueIndex};
use super::object::{Specification, place};
use crate::budget::{Budget, Halt, Meter, Paused};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

const NONE: u32 = u32::MAX;

/// From which place on a value may be removed, and by which it is: the call and the return of its removal. Both are `NONE` if it never is;
/// the first is 0 and the second `NONE` if nothing is known, since it is inserted or removed several times, or perhaps.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    from: u32,
    by: u32,
}

impl Leaving {
    const UNKNOWN: Self = Self { from: 0, by: NONE };
}

/// A list of values: that of its parent with one value more.
#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    value: u32,
    /// Until then something of it is in: the last [`Leaving::from`] of its values.
    from: u32,
    /// By then something of it is gone: the first [`Leaving::by`].
    by: u32,
}

/// Lists of values; the first is empty. Of each list there is one.
#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
    children: FxHashMap<(u32, u32), u32>,
}

impl Tree {
    fn new() -> Self {
        let empty = Node { parent: NONE, value: NONE, from: 0, by: NONE };
        Self { nodes: vec![empty], children: FxHashMap::default() }
    }

    fn with(&mut self, list: u32, value: u32, leaving: Leaving) -> u32 {
        *self.children.entry((list, value)).or_insert_with(|| {
            let Node { from, by, .. } = self.nodes[list as usize];
            let (from, by) = (from.max(leaving.from), by.min(leaving.by));
            self.nodes.push(Node { parent: list, value, from, by });
            self.nodes.len() as u32 - 1
        })
    }
}

/// What an operation did to an object, to be undone.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Nothing,
    /// Takes out again what came in last.
    Inserted(ValueIndex),
    /// Puts back what was taken; the flag says whether it was a pending removal that did not say what it took.
    Removed(ValueIndex, bool),
    /// The register had this.
    Wrote(u32),
    Increased(i64),
}

/// An object in use.
#[derive(Debug)]
struct Held {
    specification: Specification,
    object: Object,
    tree: Tree,
    /// Of stacks: the list of what is in; of queues: the list of all that was ever put in.
    list: u32,
    /// What was ever put into a queue, and hashes of the first so many values.
    log: Vec<(u32, u64)>,
    /// How many of these were taken out.
    gone: u32,
    /// By value: how often it is in.
    count: Vec<u32>,
    size: u32,
    /// Of priority queues: how many are in, by rank and value.
    ranked: BTreeMap<(u32, u32), u32>,
    register: u32,
    number: i64,
    /// What pending removals took, in order. With it and the operations, what is in a multiset is known, in whatever order they took effect.
    taken: Vec<u32>,
    /// By value: how many more insertions there are than removals that returned: what pending removals may still take.
    spare: Vec<i64>,
    /// By value.
    leaving: Vec<Leaving>,
    /// Powers of [`BASE`].
    powers: Vec<u64>,
}

/// Of the polynomials by which contents of queues are hashed.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// A value as a number that looks random.
const fn mixed(value: u32) -> u64 {
    let z = (value as u64 + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB)
}

impl Held {
    fn new(history: &History, object: Object, values: usize) -> Self {
        Self {
            specification: Specification::new(history, object),
            object,
            tree: Tree::new(),
            list: 0,
            log: Vec::new(),
            gone: 0,
            count: vec![0; values],
            size: 0,
            ranked: BTreeMap::new(),
            register: history.initial.map_or(NONE, |value| value.0),
            number: 0,
            taken: Vec::new(),
            spare: vec![0; values],
            leaving: vec![Leaving::UNKNOWN; values],
            powers: vec![1],
        }
    }

    /// The value that a removal takes, if it is not a matter of choice.
    fn next(&self) -> Option<u32> {
        match self.object {
            Object::Stack => (self.list > 0).then(|| self.tree.nodes[self.list as usize].value),
            Object::Queue => self.log.get(self.gone as usize).map(|&(value, _)| value),
            _ => None,
        }
    }

    fn least_rank(&self) -> Option<u32> {
        self.ranked.first_key_value().map(|(&(rank, _), _)| rank)
    }

    /// Whether a removal may take this value now.
    fn may_take(&self, value: ValueIndex) -> bool {
        match self.object {
            Object::Stack | Object::Queue => self.next() == Some(value.0),
            Object::PriorityQueue => {
                self.count[value.index()] > 0 && self.least_rank() == Some(self.specification.rank(value))
            }
            Object::Set | Object::Multiset => self.count[value.index()] > 0,
            Object::Register | Object::Counter => false,
        }
    }

    fn insert(&mut self, value: ValueIndex) {
        self.count[value.index()] += 1;
        self.size += 1;
        let leaving = self.leaving[value.index()];
        match self.object {
            Object::Stack => self.list = self.tree.with(self.list, value.0, leaving),
            Object::Queue => {
                let hash = self.log.last().map_or(0, |&(_, hash)| hash);
                self.list = self.tree.with(self.list, value.0, leaving);
                self.log.push((value.0, hash.wrapping_mul(BASE).wrapping_add(mixed(value.0))));
            }
            Object::PriorityQueue => {
                *self.ranked.entry((self.specification.rank(value), value.0)).or_default() += 1;
            }
            _ => {}
        }
    }

    /// Takes a value out of all that is not in order.
    fn discount(&mut self, value: ValueIndex) {
        self.count[value.index()] -= 1;
        self.size -= 1;
        if self.object == Object::PriorityQueue {
            let key = (self.specification.rank(value), value.0);
            if let Some(times) = self.ranked.get_mut(&key) {
                *times -= 1;
                if *times == 0 {
                    self.ranked.remove(&key);
                }
            }
        }
    }

    fn remove(&mut self, value: ValueIndex, is_any: bool) -> Option<Undo> {
        if !self.may_take(value) {
            return None;
        }
        self.discount(value);
        match self.object {
            Object::Stack => self.list = self.tree.nodes[self.list as usize].parent,
            Object::Queue => self.gone += 1,
            _ => {}
        }
        if is_any {
            self.spare[value.index()] -= 1;
            let at = self.taken.partition_point(|&other| other < value.0);
            self.taken.insert(at, value.0);
        }
        Some(Undo::Removed(value, is_any))
    }

    /// Performs an operation that does not say what it took: [`Action::RemoveAny`] takes `takes`.
    fn apply(&mut self, action: Action, takes: u32) -> Option<Undo> {
        let is_container = !matches!(self.object, Object::Register | Object::Counter);
        match action {
            Action::Insert(value) if is_container => {
                if self.object == Object::Set && self.count[value.index()] > 0 {
                    return None;
                }
                self.insert(value);
                Some(Undo::Inserted(value))
            }
            Action::Remove(value) => self.remove(value, false),
            Action::RemoveAny => self.remove(ValueIndex(takes), true),
            Action::Write(value) if self.object == Object::Register => {
                Some(Undo::Wrote(std::mem::replace(&mut self.register, value.0)))
            }
            Action::CompareAndSet { expected, new, succeeded } if self.object == Object::Register => {
                let fits = self.register == expected.0;
                match (fits, succeeded) {
                    (true, Some(true) | None) => Some(Undo::Wrote(std::mem::replace(&mut self.register, new.0))),
                    (false, Some(false)) => Some(Undo::Nothing),
                    // One that is pending and fails need not take effect.
                    _ => None,
                }
            }
            Action::Increase(by) if self.object == Object::Counter => {
                self.number = self.number.wrapping_add(by);
                Some(Undo::Increased(by))
            }
            _ => self.fits(action).then_some(Undo::Nothing),
        }
    }

    /// Whether an operation changes nothing and has the result that the object gives now.
    fn fits(&self, action: Action) -> bool {
        let is_container = !matches!(self.object, Object::Register | Object::Counter);
        match action {
            Action::RemoveNothing => is_container && self.size == 0,
            Action::Contains(value, is_in) => is_container && (self.count[value.index()] > 0) == is_in,
            Action::Read(value) => self.object == Object::Register && self.register == value.0,
            Action::CompareAndSet { expected, succeeded: Some(false), .. } => {
                self.object == Object::Register && self.register != expected.0
            }
            Action::Total(total) => self.object == Object::Counter && self.number == total,
            _ => false,
        }
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Nothing => {}
            Undo::Inserted(value) => {
                self.discount(value);
                if matches!(self.object, Object::Stack | Object::Queue) {
                    self.list = self.tree.nodes[self.list as usize].parent;
                    self.log.pop();
                }
            }
            Undo::Removed(value, is_any) => {
                if self.object == Object::Queue {
                    self.gone -= 1;
                    self.count[value.index()] += 1;
                    self.size += 1;
                } else {
                    self.insert(value);
                }
                if is_any {
                    self.spare[value.index()] += 1;
                    let at = self.taken.partition_point(|&other| other < value.0);
                    self.taken.remove(at);
                }
            }
            Undo::Wrote(value) => self.register = value,
            Undo::Increased(by) => self.number = self.number.wrapping_sub(by),
        }
    }

    /// What is in, as far as the operations that took effect do not tell: two numbers that say it together, and a hash.
    fn key(&mut self) -> (u32, u32, u64) {
        match self.object {
            Object::Stack => (self.list, 0, u64::from(self.list)),
            Object::Queue => {
                let hash_to = |length: usize| length.checked_sub(1).map_or(0, |last| self.log[last].1);
                let length = self.log.len() - self.gone as usize;
                while self.powers.len() <= length {
                    self.powers.push(self.powers[self.powers.len() - 1].wrapping_mul(BASE));
                }
                let before = hash_to(self.gone as usize).wrapping_mul(self.powers[length]);
                (self.list, self.gone, hash_to(self.log.len()).wrapping_sub(before))
            }
            Object::Register => (self.register, 0, u64::from(self.register)),
            Object::Counter => (0, 0, 0),
            Object::Set | Object::Multiset | Object::PriorityQueue => {
                let list = self.taken.iter().fold(0, |list, &value| self.tree.with(list, value, Leaving::UNKNOWN));
                (list, 0, u64::from(list))
            }
        }
    }

    /// Whether two queues, each of which holds so many values, hold the same, by the lists of what was put in.
    fn same_queue(&self, mut a: u32, mut b: u32, length: usize) -> bool {
        for _ in 0..length {
            if a == b {
                return true;
            }
            let (last_a, last_b) = (self.tree.nodes[a as usize], self.tree.nodes[b as usize]);
            if last_a.value != last_b.value {
                return false;
            }
            (a, b) = (last_a.parent, last_b.parent);
        }
        true
    }
}

/// The configurations that were seen.
#[derive(Debug, Default)]
struct Seen {
    /// Each has as many words: the place and the first number of what is held, the second number, the set.
    rows: Vec<u64>,
    /// By row.
    hashes: Vec<u64>,
    /// Numbers of rows, from 1 on; 0 is free. The length is a power of two, or 0, and more than twice that of the rows.
    table: Vec<u32>,
}

impl Seen {
    /// Whether there is a row with this hash of which `is_same` says that it is the one.
    ///
    /// # Errors
    /// Where it is to be put, if there is none.
    fn find(&self, hash: u64, width: usize, is_same: impl Fn(&[u64]) -> bool) -> Result<(), usize> {
        let mask = self.table.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(row) = self.table.get(at).and_then(|row| row.checked_sub(1)) {
            let row = row as usize;
            if self.hashes[row] == hash && is_same(&self.rows[row * width..][..width]) {
                return Ok(());
            }
            at = (at + 1) & mask;
        }
        Err(at)
    }

    /// Makes the table twice as large if it is rather full.
    fn grow(&mut self) {
        if (self.hashes.len() + 1) * 2 < self.table.len() {
            return;
        }
        self.table = vec![0; (2 * self.table.len()).max(64)];
        let mask = self.table.len() - 1;
        for (hash, row) in self.hashes.iter().zip(1..) {
            let mut at = *hash as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = row;
        }
    }

    fn words(&self) -> u64 {
        (self.rows.len() + self.hashes.len() + self.table.len() / 2) as u64
    }
}

/// A call or return of one of a part's operations.
#[derive(Clone, Copy, Debug)]
struct Event {
    operation: u32,
    is_return: bool,
}

/// An operation of a part.
#[derive(Clone, Copy, Debug)]
struct Piece {
    index: OperationIndex,
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
    operation: u32,
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
struct Part {
    pieces: Vec<Piece>,
    events: Vec<Event>,
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
    seen: Seen,
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
    /// Of these operations of a history, in the order of their calls; `value` is the one that they are all about, if that is so.
    fn new(history: &History, object: Object, operations: &[OperationIndex], value: Option<ValueIndex>) -> Self {
        let mut held = Held::new(history, object, if value.is_some() { 1 } else { history.values.len() });
        let mut pieces: Vec<Piece> = Vec::with_capacity(operations.len());
        for &index in operations {
            let action = if value.is_some() {
                narrowed(history.operation(index).action)
            } else {
                history.operation(index).action
            };
            pieces.push(Piece { index, action, slot: 0, ret: NONE, removal: NONE });
        }
        pair(history, &mut pieces, &mut held.spare);
        let events = events_of(history, &pieces);
        let least_totals = least_totals(object, &pieces, &events);
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
        held.leaving = leaving(&pieces, &events, held.count.len());
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
        self.seen.rows.extend(head);
        self.seen.rows.extend_from_slice(&self.done);
        self.seen.hashes.push(hash);
        self.seen.table[at] = self.seen.hashes.len() as u32;
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
    fn run(&mut self, meter: &mut Meter) -> Result<bool, Halt> {
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

    fn order(&self, steps: impl Iterator<Item = (u32, u32)>) -> Vec<(OperationIndex, Option<ValueIndex>)> {
        steps
            .map(|(operation, takes)| {
                let takes = (takes != NONE).then_some(ValueIndex(takes));
                (self.pieces[operation as usize].index, takes)
            })
            .collect()
    }
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

/// Finds for each insertion of a value that is inserted and removed once, and not asked for, its removal; counts what pending removals may take.
fn pair(history: &History, pieces: &mut [Piece], spare: &mut [i64]) {
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
        let returned = history.operation(piece.index).ret.is_some();
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

/// The calls and returns of operations that are in the order of their calls.
fn events_of(history: &History, pieces: &[Piece]) -> Vec<Event> {
    let mut moments = Vec::with_capacity(2 * pieces.len());
    for (at, piece) in pieces.iter().enumerate() {
        let Operation { call, ret, .. } = *history.operation(piece.index);
        moments.push((call, Event { operation: at as u32, is_return: false }));
        moments.extend(ret.map(|ret| (ret, Event { operation: at as u32, is_return: true })));
    }
    moments.sort_unstable_by_key(|&(moment, _)| moment);
    moments.into_iter().map(|(_, event)| event).collect()
}

/// The search for a linearization of a history of any object.
///
/// Exponential at worst. It takes memory for each configuration that it has seen, in which there is a bit for each operation that is open at a
/// time, pending ones among them.
#[derive(Debug)]
pub struct Search<'h> {
    history: &'h History,
    object: Object,
    /// What is searched by itself: the operations, and the value that all are about.
    parts: Vec<(Vec<OperationIndex>, Option<ValueIndex>)>,
    /// The part that is searched now, and its place.
    part: Option<Part>,
    at: usize,
    /// The orders that were found.
    found: Vec<Vec<(OperationIndex, Option<ValueIndex>)>>,
    limit: u64,
    spent: u64,
    states: u64,
    answer: Option<Answer>,
}

impl<'h> Search<'h> {
    /// A search that may spend so many units of work ([`Meter`]) before it gives up, and hold a word for each eight of them.
    pub fn new(history: &'h History, object: Object, limit: u64) -> Self {
        let parts = parts(history, object);
        Self { history, object, parts, part: None, at: 0, found: Vec::new(), limit, spent: 0, states: 0, answer: None }
    }

    /// Whether the history is linearizable, and how, or up to where. To call it again after a pause goes on. To find out costs exponential
    /// time at worst; more than the limit is [`Answer::Unknown`].
    ///
    /// # Errors
    /// [`Paused`] if the budget is spent or somebody wants it to stop.
    pub fn run(&mut self, budget: &mut Budget) -> Result<Answer, Paused> {
        if let Some(answer) = &self.answer {
            return Ok(answer.clone());
        }
        let mut meter = Meter::new(self.limit, self.spent, budget);
        let outcome = self.all_parts(&mut meter);
        self.spent = self.limit - meter.left();
        let answer = match outcome {
            Ok(answer) => answer,
            Err(Halt::Limit) => Answer::Unknown(Undecided::Limit),
            Err(Halt::Paused) => return Err(Paused),
        };
        self.answer = Some(answer.clone());
        Ok(answer)
    }

    fn all_parts(&mut self, meter: &mut Meter) -> Result<Answer, Halt> {
        while let Some((operations, value)) = self.parts.get(self.at) {
            let part = self.part.get_or_insert_with(|| Part::new(self.history, self.object, operations, *value));
            if !part.run(meter)? {
                let operation = part.pieces[part.events[part.furthest as usize].operation as usize].index;
                return Ok(Answer::Not(Violation::NoOrder { operation }));
            }
            self.found.push(part.order(part.steps.iter().map(|step| (step.operation, step.takes))));
            self.states += part.seen.hashes.len() as u64;
            self.part = None;
            self.at += 1;
        }
        let mut points = Vec::new();
        for order in &self.found {
            points.extend(place(self.history, order.iter().copied()).points);
        }
        if self.found.len() > 1 {
            // Operations with different values do not notice each other; of those with the same value the order stays.
            points.sort_by_key(|point| point.after);
        }
        Ok(Answer::Linearizable(Linearization { points }))
    }

    /// How many configurations were seen in which there was a choice.
    pub fn states(&self) -> u64 {
        self.states + self.part.as_ref().map_or(0, |part| part.seen.hashes.len() as u64)
    }

    /// How many units of work were spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// An order that goes as far as any that was found, when there is none that goes to the end or nobody knows: up to the return of the
    /// operation that [`Violation::NoOrder`] names. Of sets and multisets that are searched by value, it is about that value alone.
    pub fn longest(&self) -> Linearization {
        let Some(part) = &self.part else { return Linearization::default() };
        let order = if part.place > part.furthest {
            part.order(part.steps.iter().map(|step| (step.operation, step.takes)))
        } else {
            part.order(part.best.iter().copied())
        };
        place(self.history, order)
    }
}

/// What can be searched by itself: of a set or multiset, the operations with each value if nothing is about several of them. What need not
/// take effect is left out: pending queries, and pending insertions of what nobody removes or finds.
fn parts(history: &History, object: Object) -> Vec<(Vec<OperationIndex>, Option<ValueIndex>)> {
    let mut is_wanted = vec![false; history.values.len()];
    let mut has_queries = false;
    let mut has_empty_removals = false;
    for operation in &history.operations {
        match operation.action {
            Action::Remove(value) | Action::Contains(value, true) => is_wanted[value.index()] = true,
            _ => {}
        }
        has_queries |= matches!(operation.action, Action::Contains(..)) && operation.ret.is_some();
        has_empty_removals |= operation.action == Action::RemoveNothing && operation.ret.is_some();
    }
    let is_bag = matches!(object, Object::Set | Object::Multiset);
    let is_needed = |operation: &Operation| {
        operation.ret.is_some()
            || match operation.action {
                Action::Insert(value) => is_wanted[value.index()],
                // To take more out of these only helps those who want it to be out.
                Action::RemoveAny => !is_bag || has_queries || has_empty_removals,
                Action::Remove(_) | Action::Write(_) | Action::Increase(_) => true,
                Action::CompareAndSet { succeeded, .. } => succeeded != Some(false),
                Action::Contains(..) | Action::RemoveNothing | Action::Read(_) | Action::Total(_) => false,
            }
    };
    let needed: Vec<(OperationIndex, &Operation)> =
        history.indexed().filter(|(_, operation)| is_needed(operation)).collect();
    let value_of = |action: Action| match action {
        Action::Insert(value) | Action::Remove(value) | Action::Contains(value, _) => Some(value),
        _ => None,
    };
    if !is_bag || needed.iter().any(|(_, operation)| value_of(operation.action).is_none()) {
        return vec![(needed.into_iter().map(|(index, _)| index).collect(), None)];
    }
    let mut parts = vec![Vec::new(); history.values.len()];
    for (index, operation) in needed {
        if let Some(value) = value_of(operation.action) {
            parts[value.index()].push(index);
        }
    }
    let parts = parts.into_iter().zip(0..).map(|(operations, value)| (operations, Some(ValueIndex(value))));
    parts.filter(|(operations, _)| !operations.is_empty()).collect()
}
