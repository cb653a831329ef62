//! Objects in use, which undo what was done to them.

use super::super::history::{Action, History, Object, ValueIndex};
use super::super::object::Specification;
use super::NONE;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// From which place on a value may be removed, and by which it is: the call and the return of its removal. Both are `NONE` if it never is;
/// the first is 0 and the second `NONE` if nothing is known, since it is inserted or removed several times, or perhaps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) from: u32,
    pub(super) by: u32,
}

impl Leaving {
    pub(super) const UNKNOWN: Self = Self { from: 0, by: NONE };
}

/// A list of values: that of its parent with one value more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) parent: u32,
    pub(super) value: u32,
    /// Until then something of it is in: the last [`Leaving::from`] of its values.
    pub(super) from: u32,
    /// By then something of it is gone: the first [`Leaving::by`].
    pub(super) by: u32,
}

/// Lists of values; the first is empty. Of each list there is one.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) children: FxHashMap<(u32, u32), u32>,
}

impl Tree {
    pub(super) fn new() -> Self {
        let empty = Node { parent: NONE, value: NONE, from: 0, by: NONE };
        Self { nodes: vec![empty], children: FxHashMap::default() }
    }

    pub(super) fn with(&mut self, list: u32, value: u32, leaving: Leaving) -> u32 {
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
pub(super) enum Undo {
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
pub(super) struct Held {
    pub(super) specification: Specification,
    pub(super) object: Object,
    pub(super) tree: Tree,
    /// Of stacks: the list of what is in; of queues: the list of all that was ever put in.
    pub(super) list: u32,
    /// What was ever put into a queue, and hashes of the first so many values.
    pub(super) log: Vec<(u32, u64)>,
    /// How many of these were taken out.
    pub(super) gone: u32,
    /// By value: how often it is in.
    pub(super) count: Vec<u32>,
    pub(super) size: u32,
    /// Of priority queues: how many are in, by rank and value.
    pub(super) ranked: BTreeMap<(u32, u32), u32>,
    pub(super) register: u32,
    pub(super) number: i64,
    /// What pending removals took, in order. With it and the operations, what is in a multiset is known, in whatever order they took effect.
    pub(super) taken: Vec<u32>,
    /// By value: how many more insertions there are than removals that returned: what pending removals may still take.
    pub(super) spare: Vec<i64>,
    /// By value.
    pub(super) leaving: Vec<Leaving>,
    /// Powers of [`BASE`].
    pub(super) powers: Vec<u64>,
}

/// Of the polynomials by which contents of queues are hashed.
pub(super) const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

/// A value as a number that looks random.
pub(super) const fn mixed(value: u32) -> u64 {
    let z = (value as u64 + 1).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (z ^ (z >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB)
}

impl Held {
    pub(super) fn new(history: &History, object: Object, values: usize) -> Self {
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
    pub(super) fn next(&self) -> Option<u32> {
        match self.object {
            Object::Stack => (self.list > 0).then(|| self.tree.nodes[self.list as usize].value),
            Object::Queue => self.log.get(self.gone as usize).map(|&(value, _)| value),
            _ => None,
        }
    }

    pub(super) fn least_rank(&self) -> Option<u32> {
        self.ranked.first_key_value().map(|(&(rank, _), _)| rank)
    }

    /// Whether a removal may take this value now.
    pub(super) fn may_take(&self, value: ValueIndex) -> bool {
        match self.object {
            Object::Stack | Object::Queue => self.next() == Some(value.0),
            Object::PriorityQueue => {
                self.count[value.index()] > 0 && self.least_rank() == Some(self.specification.rank(value))
            }
            Object::Set | Object::Multiset => self.count[value.index()] > 0,
            Object::Register | Object::Counter => false,
        }
    }

    pub(super) fn insert(&mut self, value: ValueIndex) {
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
    pub(super) fn discount(&mut self, value: ValueIndex) {
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

    pub(super) fn remove(&mut self, value: ValueIndex, is_any: bool) -> Option<Undo> {
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
    pub(super) fn apply(&mut self, action: Action, takes: u32) -> Option<Undo> {
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
    pub(super) fn fits(&self, action: Action) -> bool {
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

    pub(super) fn undo(&mut self, undo: Undo) {
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
    pub(super) fn key(&mut self) -> (u32, u32, u64) {
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
    pub(super) fn same_queue(&self, mut a: u32, mut b: u32, length: usize) -> bool {
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
