//! Random numbers that are the same everywhere.

/// A sequence of numbers that its seed determines (splitmix64, by Steele, Lea and Flood).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number, below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        ((u128::from(z) * u128::from(n)) >> 64) as u64
    }

    /// Puts things into some order, each as likely as the others (Fisher and Yates).
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for end in (1..things.len()).rev() {
            things.swap(end, self.below(end as u64 + 1) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_order_is_as_likely() {
        let (mut random, mut orders) = (Random::new(1), BTreeMap::new());
        for _ in 0..6000 {
            let mut things = [1, 2, 3];
            random.shuffle(&mut things);
            *orders.entry(things).or_insert(0) += 1;
        }
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|&times| (900..1100).contains(&times)), "{orders:?}");
    }
}
