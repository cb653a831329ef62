//! Memory implementations, whose runs are searched on several threads.

use crate::budget::{Budget, Paused};
use crate::protocol::{Decided, Machine, Question, Searched, ShapeSearch, ShapeTally, ShapeVerdict, decide_by};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Decides a question as [`decide`](crate::protocol::decide) does, on so many threads: each takes the next shape of a cycle. Verdict and run
/// do not depend on how many there are, unless a limit is reached. How many configurations were met may where there is a run, since who
/// knows of it sooner meets fewer.
///
/// # Errors
/// [`Paused`] if somebody wants to stop.
///
/// # Panics
/// If a thread does.
pub fn decide_on_threads(
    machine: &Machine,
    question: &Question<'_>,
    tally: &ShapeTally,
    threads: NonZeroUsize,
    budget: &Budget,
) -> Result<Decided, Paused> {
    decide_by(machine, question, tally, &mut budget.clone(), |search, tally, own| {
        if threads.get() == 1 { search.run_with(tally, own) } else { on_threads(search, tally, threads, budget) }
    })
}

fn on_threads(
    search: &ShapeSearch<'_>,
    tally: &ShapeTally,
    threads: NonZeroUsize,
    budget: &Budget,
) -> Result<ShapeVerdict, Paused> {
    let shapes = Mutex::new((0_u32..).zip(search.shapes()));
    let work = || {
        let (mut searched, mut budget) = (Searched::default(), budget.clone());
        loop {
            budget.count(1)?;
            // Who has reached the limit has done so for all.
            let next = shapes.lock().unwrap_or_else(PoisonError::into_inner).next().filter(|_| !tally.is_cut());
            let Some((number, shape)) = next else { return Ok(searched) };
            if let Some((shape, variants)) = shape {
                search.search(number, &shape, variants, tally, &mut searched, &mut budget)?;
            }
        }
    };
    let all: Vec<Result<Searched, Paused>> = thread::scope(|scope| {
        let others: Vec<_> = (0..threads.get()).map(|_| scope.spawn(work)).collect();
        others.into_iter().map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let all: Vec<Searched> = all.into_iter().collect::<Result<_, _>>()?;
    Ok(all.into_iter().fold(Searched::default(), Searched::and).verdict(tally))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Causality, Initial, decide, parse_protocol};

    const BROADCAST: &str = include_str!("../../../../public/protocols/broadcast.protocol");
    const TSO: &str = include_str!("../../../../public/protocols/tso.protocol");
    const TWO_ORDERS: &str = include_str!("../../../../public/protocols/two-orders.protocol");

    fn question(causality: Causality, configurations: u64) -> Question<'static> {
        Question { causality, initial: Initial::Nothing, configurations, steps: None, symmetry: None }
    }

    fn on(machine: &Machine, question: &Question<'_>, threads: usize) -> Result<Decided, Paused> {
        let threads = NonZeroUsize::new(threads).expect("some");
        decide_on_threads(machine, question, &ShapeTally::default(), threads, &Budget::unlimited())
    }

    #[test]
    fn several_threads_find_what_one_finds() {
        let settings = [("threads".to_owned(), 3)];
        for (text, settings) in [(BROADCAST, &[][..]), (BROADCAST, &settings[..]), (TSO, &[]), (TWO_ORDERS, &[])] {
            let machine = parse_protocol(text, settings).expect("a machine").0;
            for causality in Causality::ALL {
                let question = question(causality, 3_000_000);
                let one = decide(&machine, &question, &mut Budget::unlimited());
                for threads in [1, 2, 3, 7] {
                    assert_eq!(on(&machine, &question, threads), one, "{causality:?} on {threads}");
                }
            }
        }
    }

    #[test]
    fn limits_and_stops_hold_for_all_threads() {
        let machine = parse_protocol(TSO, &[]).expect("a machine").0;
        let strong = question(Causality::Strong, 500);
        for threads in [1, 3] {
            assert!(matches!(on(&machine, &strong, threads), Ok(Decided::Unknown { .. })), "{threads}");
        }
        let stop = crate::budget::Stop::default();
        stop.tell();
        let (tally, threads) = (ShapeTally::default(), NonZeroUsize::new(2).expect("some"));
        let stopped = decide_on_threads(&machine, &strong, &tally, threads, &Budget::until(stop));
        assert_eq!(stopped, Err(Paused));
    }
}
