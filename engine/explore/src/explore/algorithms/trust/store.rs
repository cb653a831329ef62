//! Lists of what graphs know of their events, threads and locations.
//!
//! A revisit copies into a graph that is there already, which mostly was a copy of the same graph before. So lists of graphs
//! with sets of several words take notice of what is written ([`Many`]), and only what either has changed since is copied. What
//! has more than 2,304 slots is shared between copies of a graph until one of them changes it ([`Store`]). Lists of at most 64
//! slots are in the graph itself ([`Few`]).

use super::bits::Bits;
use std::fmt::Debug;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A list whose copies share what is large, until one of them changes it. So the graphs of a path of revisits, and the
/// copies that sessions keep, take up what they differ in; and small graphs are flat in memory.
#[derive(Clone, Debug)]
pub(super) struct Store<T> {
    /// All of it, unless it is large.
    flat: Vec<T>,
    /// All of it, if it is large.
    shared: Vec<Arc<T>>,
}

impl<T: Clone> Store<T> {
    /// Whether its parts are large: four sets of a session's events are not.
    pub(super) const SHARES: bool = size_of::<T>() > 4 * 36 * size_of::<u64>();

    pub(super) const EMPTY: Self = Self { flat: Vec::new(), shared: Vec::new() };

    #[inline(always)]
    pub(super) fn push(&mut self, part: T) {
        if Self::SHARES { self.shared.push(Arc::new(part)) } else { self.flat.push(part) }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        if Self::SHARES { self.shared.len() } else { self.flat.len() }
    }

    /// Becomes a copy of another, without allocating where it can.
    #[inline(always)]
    pub(super) fn copy(&mut self, other: &Self) {
        if Self::SHARES {
            self.shared.clone_from(&other.shared);
        } else {
            self.flat.clone_from(&other.flat);
        }
    }

    fn truncate(&mut self, length: usize) {
        self.flat.truncate(length);
        self.shared.truncate(length);
    }

    /// Takes over one part of another.
    #[inline(always)]
    fn copy_part(&mut self, other: &Self, at: usize) {
        if Self::SHARES {
            self.shared[at].clone_from(&other.shared[at]);
        } else {
            self.flat[at].clone_from(&other.flat[at]);
        }
    }

    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        // One of them is empty.
        let shared = if Self::SHARES { &self.shared[..] } else { &[] };
        let flat = if Self::SHARES { &[] } else { &self.flat[..] };
        flat.iter().chain(shared.iter().map(|part| &**part))
    }

    /// The list of what others become.
    pub(super) fn map<U: Clone>(&self, become_other: impl Fn(&T) -> U) -> Store<U> {
        self.iter().map(become_other).collect()
    }
}

impl<T: Clone> FromIterator<T> for Store<T> {
    fn from_iter<I: IntoIterator<Item = T>>(parts: I) -> Self {
        let mut store = Self::EMPTY;
        for part in parts {
            store.push(part);
        }
        store
    }
}

impl<T: Clone> Index<usize> for Store<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, at: usize) -> &T {
        if Self::SHARES { &self.shared[at] } else { &self.flat[at] }
    }
}

impl<T: Clone> IndexMut<usize> for Store<T> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut T {
        if Self::SHARES { Arc::make_mut(&mut self.shared[at]) } else { &mut self.flat[at] }
    }
}

/// What a graph knows of an event.
pub(super) trait Part: Clone + Debug + 'static {
    /// What is in the place of no event.
    const BLANK: Self;
}

impl<const W: usize> Part for Bits<W> {
    const BLANK: Self = Self::EMPTY;
}

/// A list by slot of what a graph knows of its events.
pub(super) trait List<T: Part>: Clone + Debug + IndexMut<usize, Output = T> {
    const EMPTY: Self;

    fn push(&mut self, part: T);

    fn len(&self) -> usize;

    fn iter(&self) -> impl Iterator<Item = &T>;

    /// Becomes a copy of another, which has to be the same one each time, or the one that this was cloned from.
    fn copy(&mut self, other: &mut Self);

    /// The list of what others become, in a graph with more room.
    fn map<U: Part, L: List<U>>(&self, become_other: impl Fn(&T) -> U) -> L {
        let mut list = L::EMPTY;
        for part in self.iter() {
            list.push(become_other(part));
        }
        list
    }
}

/// How lists by slot are kept, which depends on how many slots there are.
pub(super) trait Lists {
    type List<T: Part>: List<T>;
}

/// A list by slot in a graph whose sets have so many words.
pub(super) type Slots<T, const W: usize> = <Bits<W> as Lists>::List<T>;

impl Lists for Bits<1> {
    type List<T: Part> = Few<T>;
}

/// Lists of more than 64 slots.
macro_rules! many {
    ($($words:literal),*) => {
        $(impl Lists for Bits<$words> {
            type List<T: Part> = Many<T, $words>;
        })*
    };
}

many!(4, 36, 160, 320);

/// A list of at most 64 slots, in the graph itself: no access asks how long it is, or where.
#[derive(Clone, Debug)]
pub(super) struct Few<T> {
    length: usize,
    parts: [T; 64],
}

impl<T: Part> List<T> for Few<T> {
    const EMPTY: Self = Self { length: 0, parts: [const { T::BLANK }; 64] };

    #[inline(always)]
    fn push(&mut self, part: T) {
        self.parts[self.length % 64] = part;
        self.length += 1;
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.length
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &T> {
        self.parts[..self.length].iter()
    }

    #[inline(always)]
    fn copy(&mut self, other: &mut Self) {
        self.length = other.length;
        self.parts[..other.length].clone_from_slice(&other.parts[..other.length]);
    }
}

impl<T> Index<usize> for Few<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, at: usize) -> &T {
        &self.parts[at % 64]
    }
}

impl<T> IndexMut<usize> for Few<T> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.parts[at % 64]
    }
}

/// A list of more slots. It takes notice of what is written, so that a graph that becomes a copy of the same one again copies only
/// what either has changed since.
#[derive(Clone, Debug)]
pub(super) struct Many<T, const W: usize> {
    list: Store<T>,
    /// What was written since this became a copy.
    written: Bits<W>,
    /// What was written since another list became a copy of this.
    untold: Bits<W>,
}

impl<T, const W: usize> Many<T, W> {
    #[inline(always)]
    fn notice(&mut self, at: usize) {
        self.written.insert(at as u16);
        self.untold.insert(at as u16);
    }
}

impl<T: Part, const W: usize> List<T> for Many<T, W> {
    const EMPTY: Self = Self { list: Store::EMPTY, written: Bits::EMPTY, untold: Bits::EMPTY };

    #[inline(always)]
    fn push(&mut self, part: T) {
        self.notice(self.list.len());
        self.list.push(part);
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.list.len()
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &T> {
        self.list.iter()
    }

    #[inline(always)]
    fn copy(&mut self, other: &mut Self) {
        self.list.truncate(other.len());
        let length = self.len();
        let changed = self.written.union(&other.untold);
        for at in changed.iter().map(usize::from).take_while(|&at| at < length) {
            self.list.copy_part(&other.list, at);
        }
        self.untold = self.untold.union(&changed);
        for at in length..other.len() {
            self.push(other.list[at].clone());
        }
        (self.written, other.untold) = (Bits::EMPTY, Bits::EMPTY);
    }
}

impl<T: Clone, const W: usize> Index<usize> for Many<T, W> {
    type Output = T;

    #[inline(always)]
    fn index(&self, at: usize) -> &T {
        &self.list[at]
    }
}

impl<T: Clone, const W: usize> IndexMut<usize> for Many<T, W> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut T {
        self.notice(at);
        &mut self.list[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    impl<const N: usize> Part for [u64; N] {
        const BLANK: Self = [0; N];
    }

    /// A path of lists, each a copy of the one below whenever it is made anew, with writes to any of them in between.
    fn copies_are_copies<const W: usize, const N: usize>(seed: u64)
    where
        Bits<W>: Lists,
    {
        let random = &mut Random::new(seed);
        let mut path: Vec<Slots<[u64; N], W>> = vec![List::EMPTY];
        for value in 0..2_000 {
            let at = random.below(path.len() as u64) as usize;
            let length = path[at].len();
            match random.below(8) {
                0 if at + 1 < path.len() => {
                    let (below, above) = path.split_at_mut(at + 1);
                    above[0].copy(&mut below[at]);
                    let (copy, original) = (above[0].iter().collect::<Vec<_>>(), below[at].iter().collect::<Vec<_>>());
                    assert_eq!(copy, original, "seed {seed}, {value}");
                }
                0 if path.len() < 5 => path.push(path[at].clone()),
                1 if length < 64 * W => path[at].push([value; N]),
                _ if length > 0 => path[at][random.below(length as u64) as usize][0] = value,
                _ => {}
            }
        }
    }

    #[test]
    fn what_changed_is_copied() {
        for seed in 0..50 {
            copies_are_copies::<1, 1>(seed);
            copies_are_copies::<4, 3>(seed);
            // Large parts are shared.
            copies_are_copies::<4, 200>(seed);
        }
    }
}
