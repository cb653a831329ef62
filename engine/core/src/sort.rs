//! Sorting where it need not be fast: one copy of the algorithm serves all types. The standard library makes one for each,
//! of some kilobytes, which adds up in the page.
//!
//! That is a twenty-fifth of the module.

use std::cmp::Ordering;

/// As [`slice::sort_by`].
pub fn by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    sort(&mut order, &mut |a, b| compare(&items[a], &items[b]));
    // Along each cycle of the permutation, every item goes where it belongs.
    for start in 0..items.len() {
        let mut at = start;
        while order[at] != start {
            let next = order[at];
            items.swap(at, next);
            order[at] = at;
            at = next;
        }
        order[at] = at;
    }
}

/// As [`slice::sort_by_key`].
pub fn by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    by(items, |a, b| key(a).cmp(&key(b)));
}

/// As [`slice::sort`].
pub fn ascending<T: Ord>(items: &mut [T]) {
    by(items, T::cmp);
}

#[inline(never)]
fn sort(order: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    order.sort_by(|&a, &b| compare(a, b));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_the_standard_library_does(mut items: Vec<(u8, u16)>) {
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0 % 8);
            by_key(&mut items, |item| item.0 % 8);
            prop_assert_eq!(&items, &expected);
            expected.sort();
            ascending(&mut items);
            prop_assert_eq!(&items, &expected);
        }
    }
}
