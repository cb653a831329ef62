//! What tests of several modules have in common.

use crate::symbolic::Event;
use litmoscope_core::program::Code;
use litmoscope_core::program::system::{States, System};
use litmoscope_core::syntax::parse;

/// Two locks, taken in opposite orders.
pub(crate) const DOUBLE: &str = include_str!("../../../../public/schedules/double-lock.lit");

/// The events of the increments: each thread reads and writes, and the first one asserts.
pub(crate) const R1: Event = Event { thread: 0, index: 0 };
pub(crate) const W1: Event = Event { thread: 0, index: 1 };
pub(crate) const A1: Event = Event { thread: 0, index: 2 };
pub(crate) const R2: Event = Event { thread: 1, index: 0 };
pub(crate) const W2: Event = Event { thread: 1, index: 1 };

/// How many interleavings of the increments one constraint permits where the pointers are the same, and whether all are right.
pub(crate) const EFFECTS: [(Event, Event, usize, bool); 12] = [
    (A1, W2, 4, true),
    (R2, W1, 7, true),
    (A1, R2, 1, true),
    (R2, R1, 4, true),
    (W2, W1, 3, true),
    (W2, R1, 1, true),
    (W1, R2, 3, false),
    (R1, R2, 6, false),
    (R1, W2, 9, false),
    (W1, W2, 7, false),
    (R2, A1, 9, false),
    (W2, A1, 6, false),
];

/// The system of a program.
pub(crate) fn system(text: &str) -> System {
    let program = parse(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong:#?}")).program;
    let code = Code::compile(&program).expect("code");
    System::of(&program, &code).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// All states of one that has few.
pub(crate) fn states(system: &System) -> States {
    States::of(system, 100_000).expect("few states")
}

/// A buffer with that many places, whose threads have a line each, since tests name places in it; without room, a thread goes on, or does
/// something else.
pub(crate) fn buffer(places: u32, producers: usize, consumers: usize, otherwise: &str) -> String {
    let producer =
        format!("while 1 {{ lock m; if count < {places} {{ atomic {{ count := count + 1 }} }}{otherwise}; unlock m }}");
    let consumer = format!("while 1 {{ lock m; if count > 0 {{ fetch_sub(count, 1) }}{otherwise}; unlock m }}");
    let threads: Vec<_> =
        std::iter::repeat_n(producer, producers).chain(std::iter::repeat_n(consumer, consumers)).collect();
    format!("shared m, count\n{}", threads.join("\n||\n"))
}
