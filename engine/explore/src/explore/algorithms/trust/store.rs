//! Lists of what graphs know of their events, threads and locations.

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
    pub const SHARES: bool = size_of::<T>() > 4 * 36 * size_of::<u64>();

    pub const EMPTY: Self = Self { flat: Vec::new(), shared: Vec::new() };

    #[inline(always)]
    pub fn push(&mut self, part: T) {
        if Self::SHARES { self.shared.push(Arc::new(part)) } else { self.flat.push(part) }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        if Self::SHARES { self.shared.len() } else { self.flat.len() }
    }

    /// Becomes a copy of another, without allocating where it can.
    #[inline(always)]
    pub fn copy(&mut self, other: &Self) {
        if Self::SHARES {
            self.shared.clone_from(&other.shared);
        } else {
            self.flat.clone_from(&other.flat);
        }
    }

    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        // One of them is empty.
        let shared = if Self::SHARES { &self.shared[..] } else { &[] };
        let flat = if Self::SHARES { &[] } else { &self.flat[..] };
        flat.iter().chain(shared.iter().map(|part| &**part))
    }

    /// The list of what others become.
    pub fn map<U: Clone>(&self, become_other: impl Fn(&T) -> U) -> Store<U> {
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
