//! A fixed amount of work, in multiples of which times are given: they mean the same on any machine.
//!
//! Look-ups and inserts in a hash table of 1 MiB, with keys from a 64-bit generator: branches and cache traffic like those
//! of a model checker. The times of other tools in [`crate::peers`] are multiples of the same work as compiled by GCC.
//! Half a second to a second on machines of the 2020s.

use std::hint::black_box;

const SLOTS: usize = 1 << 17;
/// How many look-ups are one unit.
pub const UNIT: u64 = 360_000_000;

/// Looks up so many keys; how many of them were in the table.
pub fn run(look_ups: u64) -> u64 {
    let mut table = vec![0; SLOTS].into_boxed_slice().try_into().expect("it has as many slots");
    look_up(black_box(&mut table), black_box(look_ups), black_box(4))
}

/// Nobody may know beforehand how many slots are tried, nor that what decides whether to try the next one depends on the
/// key alone: LLVM would unroll the inner loop, or make two of it and choose between them for each key by a branch that
/// cannot be predicted, which takes nearly twice as long.
fn look_up(table: &mut Box<[u64; SLOTS]>, look_ups: u64, tries: u32) -> u64 {
    let (mut state, mut hits) = (88_172_645_463_325_252_u64, 0);
    for _ in 0..look_ups {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let key = (state >> 20 & 0x1ffff) | 1;
        let mut slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 47) as usize;
        for _ in 0..tries {
            let found = table[slot];
            if found == key {
                hits += 1;
                break;
            }
            if found == 0 || black_box(state) & 3 == 0 {
                table[slot] = key;
                break;
            }
            slot = (slot + 1) % SLOTS;
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_always_the_same_work() {
        assert_eq!(super::run(1_000_000), 934_464);
    }
}
