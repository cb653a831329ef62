//! Wakeup trees (Abdulla, Aronis, Jonsson and Sagonas, JACM 2017, §6): what is to be run behind each prefix of a run, as
//! ordered trees of turns.

use crate::explore::runs::{Begin, Turn};

const NIL: u32 = u32::MAX;

/// An ordered list of branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List {
    first: u32,
    last: u32,
}

impl List {
    pub(super) const EMPTY: Self = Self { first: NIL, last: NIL };

    pub(super) fn is_empty(self) -> bool {
        self.first == NIL
    }
}

#[derive(Clone, Debug)]
struct Branch {
    turn: Turn,
    children: List,
    next: u32,
}

/// A sequence of turns that a tree is to have.
pub(super) trait Wanted {
    /// How what could be performed next is related to it: it can begin with it, or go on beside it, unless [`Begin::Not`].
    fn begin(&self, turn: Turn) -> Begin;

    /// Takes a turn from it, or beside it.
    fn take(&mut self, turn: Turn, how: Begin);

    /// The turns that are left, in order.
    fn turns(&self) -> impl ExactSizeIterator<Item = Turn>;
}

/// The branches of all wakeup trees of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Trees {
    branches: Vec<Branch>,
    free: Vec<u32>,
}

impl Trees {
    /// How many branches there are.
    pub(super) fn len(&self) -> usize {
        self.branches.len() - self.free.len()
    }

    /// The turns at the root of a tree, in order.
    pub(super) fn turns(&self, list: List) -> impl Iterator<Item = Turn> + '_ {
        self.iter(list).map(|at| self.branches[at as usize].turn)
    }

    fn iter(&self, list: List) -> impl Iterator<Item = u32> + '_ {
        let link = |at: u32| (at != NIL).then_some(at);
        std::iter::successors(link(list.first), move |&at| link(self.branches[at as usize].next))
    }

    /// Takes the first branch out of a tree: its turn, and the tree behind it.
    pub(super) fn pop(&mut self, list: &mut List) -> Option<(Turn, List)> {
        let at = list.first;
        let branch = self.branches.get(at as usize)?;
        list.first = branch.next;
        if list.first == NIL {
            list.last = NIL;
        }
        self.free.push(at);
        Some((branch.turn, branch.children))
    }

    fn push(&mut self, list: &mut List, turn: Turn) -> u32 {
        let branch = Branch { turn, children: List::EMPTY, next: NIL };
        let at = match self.free.pop() {
            Some(at) => {
                self.branches[at as usize] = branch;
                at
            }
            None => {
                self.branches.push(branch);
                self.branches.len() as u32 - 1
            }
        };
        match list.last {
            NIL => list.first = at,
            last => self.branches[last as usize].next = at,
        }
        list.last = at;
        at
    }

    /// Adds a sequence to a tree, unless the tree has a branch that comes to the same; whether it did.
    pub(super) fn insert(&mut self, root: &mut List, sequence: &mut impl Wanted) -> bool {
        let mut place = NIL;
        loop {
            let list = if place == NIL { *root } else { self.branches[place as usize].children };
            let found = self.iter(list).find_map(|at| match sequence.begin(self.branches[at as usize].turn) {
                Begin::Not => None,
                how => Some((at, how)),
            });
            let Some((at, how)) = found else { break };
            let branch = &self.branches[at as usize];
            sequence.take(branch.turn, how);
            // Behind a leaf, anything may follow.
            if branch.children.is_empty() || sequence.turns().len() == 0 {
                return false;
            }
            place = at;
        }
        for turn in sequence.turns() {
            let mut list = if place == NIL { *root } else { self.branches[place as usize].children };
            let at = self.push(&mut list, turn);
            if place == NIL {
                *root = list;
            } else {
                self.branches[place as usize].children = list;
            }
            place = at;
        }
        true
    }
}
