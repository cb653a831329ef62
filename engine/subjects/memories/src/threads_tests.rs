//! Memory implementations, searched on several threads.

use super::threads::decide_on_threads;
use crate::budget::{Budget, Paused};
use crate::{Causality, Decided, Initial, Machine, Question, ShapeTally, decide, parse_protocol};
use std::num::NonZeroUsize;

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
