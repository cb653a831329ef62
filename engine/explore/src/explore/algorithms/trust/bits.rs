//! Small sets of events as words.

/// A set of the numbers below `64 * W`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bits<const W: usize>([u64; W]);

impl<const W: usize> Bits<W> {
    /// No member.
    pub(super) const EMPTY: Self = Self([0; W]);

    #[inline(always)]
    pub(super) fn insert(&mut self, n: u16) {
        self.0[n as usize / 64 % W] |= 1 << (n % 64);
    }

    #[inline(always)]
    pub(super) fn remove(&mut self, n: u16) {
        self.0[n as usize / 64 % W] &= !(1 << (n % 64));
    }

    #[inline(always)]
    pub(super) fn contains(&self, n: u16) -> bool {
        self.0[n as usize / 64 % W] >> (n % 64) & 1 != 0
    }

    /// The set and one more.
    #[inline(always)]
    pub(super) fn with(mut self, n: u16) -> Self {
        self.insert(n);
        self
    }

    /// The set without one.
    #[inline(always)]
    pub(super) fn without(mut self, n: u16) -> Self {
        self.remove(n);
        self
    }

    /// The members of which that is so.
    #[inline(always)]
    pub(super) fn filter(self, is_kept: impl Fn(u16) -> bool) -> Self {
        self.iter().filter(|&n| is_kept(n)).fold(Self::EMPTY, Self::with)
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    #[inline(always)]
    pub(super) fn union(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
        self
    }

    #[inline(always)]
    pub(super) fn and(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
        self
    }

    #[inline(always)]
    pub(super) fn minus(mut self, other: &Self) -> Self {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    #[inline(always)]
    pub(super) fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).fold(0, |all, (a, b)| all | a & b) != 0
    }

    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The smallest number that is no member.
    #[inline(always)]
    pub(super) fn first_free(&self) -> Option<u16> {
        let word = self.0.iter().position(|word| *word != u64::MAX)?;
        Some(word as u16 * 64 + self.0[word].trailing_ones() as u16)
    }

    /// The smallest member.
    #[inline(always)]
    pub(super) fn first(&self) -> Option<u16> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(word as u16 * 64 + self.0[word].trailing_zeros() as u16)
    }

    /// The largest member.
    #[inline(always)]
    pub(super) fn last(&self) -> Option<u16> {
        let word = self.0.iter().rposition(|word| *word != 0)?;
        Some(word as u16 * 64 + 63 - self.0[word].leading_zeros() as u16)
    }

    /// The members, ascending.
    #[inline(always)]
    pub(super) fn iter(self) -> impl Iterator<Item = u16> {
        let (mut rest, mut word) = (self, 0);
        std::iter::from_fn(move || {
            // With many words, those that were gone through are not looked at again.
            while W > 1 && word + 1 < W && rest.0[word] == 0 {
                word += 1;
            }
            let bits = &mut rest.0[word];
            if *bits == 0 {
                return None;
            }
            let first = bits.trailing_zeros();
            *bits &= *bits - 1;
            Some(word as u16 * 64 + first as u16)
        })
    }

    /// The members that another set has, too, ascending. Copies neither.
    #[inline(always)]
    pub(super) fn shared_with(&self, other: &Self) -> impl Iterator<Item = u16> {
        let (mut bits, mut word) = (self.0[0] & other.0[0], 0);
        std::iter::from_fn(move || {
            while bits == 0 {
                word += 1;
                if word >= W {
                    return None;
                }
                bits = self.0[word] & other.0[word];
            }
            let first = bits.trailing_zeros();
            bits &= bits - 1;
            Some(word as u16 * 64 + first as u16)
        })
    }

    /// Whether another set has each member that a third one has, too.
    #[inline(always)]
    pub(super) fn and_is_within(&self, third: &Self, other: &Self) -> bool {
        let rest = self.0.iter().zip(&third.0).zip(&other.0);
        rest.fold(0, |all, ((a, b), c)| all | a & b & !c) == 0
    }

    /// The numbers of those for which that is so; not more than there is room for.
    #[inline(always)]
    pub(super) fn of<T>(all: &[T], is_member: impl Fn(&T) -> bool) -> Self {
        let mut set = Self::EMPTY;
        for (word, all) in set.0.iter_mut().zip(all.chunks(64)) {
            for (bit, one) in all.iter().enumerate() {
                *word |= u64::from(is_member(one)) << bit;
            }
        }
        set
    }

    /// The same set in more words.
    pub(super) fn widen<const V: usize>(self) -> Bits<V> {
        let mut wide = [0; V];
        wide[..W].copy_from_slice(&self.0);
        Bits(wide)
    }
}
