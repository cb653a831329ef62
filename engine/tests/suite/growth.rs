//! How the searches for a witness grow, counted in states: within the bounds that are published, while the baselines leave
//! them behind. What they cost in time is measured by `engine/benches/witnesses.rs`.

#[path = "../../benches/executions/mod.rs"]
mod executions;

use executions::{Family, execution, instance};
use litmoscope::consistency::{Findings, Found, Machine, Settings, find_witness};

const FAMILIES: [Family; 3] = [Family::Own, Family::Fenced, Family::Shared];

/// Without closure, which would refute most of them without a search.
fn searched(
    machine: Machine,
    family: Family,
    threads: usize,
    size: usize,
    consistent: bool,
    how: Settings,
) -> Findings {
    let instance = instance(machine, family, threads, size, consistent);
    let searched = find_witness(&instance, &Settings { closure: false, ..how });
    let what = format!("{machine:?}, {family:?}, {threads} threads, {size} writes each");
    match &searched.found {
        Found::Order { order, .. } => assert!(consistent && instance.is_witness(order), "{what}"),
        Found::Nothing { .. } => assert!(!consistent, "{what}"),
        other => panic!("{what}: {other:?}"),
    }
    searched
}

fn plain() -> Settings {
    Settings { greedy: false, ..Settings::default() }
}

fn naive() -> Settings {
    Settings { naive: true, ..plain() }
}

/// The most events of a thread.
fn events(family: Family, threads: usize, size: usize) -> usize {
    let text = execution(family, threads, size, false);
    text.lines().map(|line| line.split(';').count()).max().unwrap_or(0)
}

/// k · n^(k+1) steps: the bound of VerifyTSO, and of VerifyPSO without its factor for fences.
fn bound(threads: usize, events: usize) -> u64 {
    (threads * events.pow(threads as u32 + 1)) as u64
}

/// The sizes that a baseline can go through as well.
fn sizes(threads: usize) -> &'static [usize] {
    match threads {
        2 => &[2, 4, 6, 8, 12],
        3 => &[2, 3, 4, 5],
        _ => &[1, 2, 3],
    }
}

#[test]
fn searches_stay_within_their_bounds() {
    for family in FAMILIES {
        for threads in 2..=4 {
            for &size in sizes(threads) {
                let n = events(family, threads, size);
                let bound = bound(threads, n);
                for consistent in [false, true] {
                    for machine in [Machine::Tso, Machine::Pso] {
                        let Findings { states, repeats, .. } =
                            searched(machine, family, threads, size, consistent, plain());
                        // Every move leads to a state that is new or is not.
                        let what = format!("{machine:?}, {family:?}, {threads} threads, {n} events, {consistent}");
                        assert!(states + repeats <= bound, "{what}: {states} + {repeats} of {bound}");
                        let (writes, all) = (size as u64 + 1, n as u64 - 2 + 1);
                        let expected = match machine {
                            // By how many writes of each thread are in memory.
                            Machine::Tso => (writes + 1) * writes.pow(threads as u32 - 1),
                            // By how much each thread has performed; the reads of the second one never are.
                            _ => (all + 2) * all.pow(threads as u32 - 1),
                        };
                        assert!(consistent || states == expected, "{what}: {states} instead of {expected}");
                    }
                    // VerifySC: n^k · k^d states, places between events and not events counted.
                    let locations = if family == Family::Shared { 2 } else { 2 * threads + 1 };
                    let bound = (n + 1).pow(threads as u32) * threads.pow(locations as u32);
                    for how in [plain(), Settings::default()] {
                        let states = searched(Machine::Sc, family, threads, size, consistent, how).states;
                        assert!(states <= bound as u64, "SC, {family:?}, {threads} threads, {n} events: {states}");
                    }
                }
            }
        }
    }
}

/// With more events of each thread, the baselines need ever more states for each one that VerifyTSO and VerifyPSO need.
#[test]
fn baselines_fall_behind() {
    for (machine, families) in
        [(Machine::Tso, [Family::Own, Family::Shared]), (Machine::Pso, [Family::Own, Family::Shared])]
    {
        for family in families {
            for threads in 2..=4 {
                let factor = |&size: &usize| {
                    let states = |how| searched(machine, family, threads, size, false, how).states as f64;
                    states(naive()) / states(plain())
                };
                let factors: Vec<f64> = sizes(threads).iter().map(factor).collect();
                assert!(factors.is_sorted_by(|a, b| a * 1.2 < *b), "{machine:?}, {family:?}, {threads}: {factors:?}");
            }
        }
    }
}

/// And in the end more than the bound allows.
#[test]
fn baselines_leave_the_bounds_behind() {
    for (machine, family, threads, size) in [
        (Machine::Tso, Family::Shared, 2, 16),
        (Machine::Tso, Family::Shared, 3, 6),
        (Machine::Tso, Family::Shared, 4, 3),
        (Machine::Pso, Family::Own, 2, 6),
        (Machine::Pso, Family::Own, 3, 3),
        (Machine::Pso, Family::Own, 4, 2),
    ] {
        let (states, bound) = (
            searched(machine, family, threads, size, false, naive()).states,
            bound(threads, events(family, threads, size)),
        );
        assert!(states > bound, "{machine:?}, {family:?}, {threads} threads, {size} writes: {states} of {bound}");
    }
}

/// Under SC, where threads write locations of their own, what was performed says what memory holds, and the baseline hardly
/// tells more states apart. What no read waits for needs no choice.
#[test]
fn greedy_moves_make_a_search_a_line() {
    for threads in 2..=4 {
        for &size in sizes(threads) {
            let states = |how| searched(Machine::Sc, Family::Own, threads, size, false, how).states;
            let places = size as u64 + 1;
            assert_eq!(states(Settings::default()), (threads * size) as u64 + 2, "{threads} threads, {size} writes");
            assert_eq!(states(plain()), (places + 1) * places.pow(threads as u32 - 1));
            // Nor does it leave alone what a read waits for: both threads go one event further.
            assert_eq!(states(naive()), (places + 1).pow(2) * places.pow(threads as u32 - 2));
        }
    }
}
