//! What tests of several modules have in common.

use litmoscope_core::program::Code;
use litmoscope_core::program::system::{States, System};
use litmoscope_core::syntax::parse;

/// Two locks, taken in opposite orders.
pub(crate) const DOUBLE: &str = include_str!("../../../../public/schedules/double-lock.lit");

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
