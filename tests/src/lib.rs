//! What the tests share.
//!
//! # What is tested where
//!
//! - **Unit tests** are beside the code. GenMC's mutation tests break the algorithm in one place each and expect the number of
//!   executions to change: they show that the differential tests would notice.
//! - **Oracles** (`explore/algorithms/brute_force`, `explore/operational`) are definitions turned into code, without cleverness:
//!   the models' formulas, evaluated operator by operator on all candidate graphs with all orders of writes, and machines with
//!   store buffers run in every way. They share no code with what they test and are tested against each other first
//!   (`suite/oracle.rs`). The machines also replay runs that the engine says exist.
//! - **Differential tests** compare models (`suite/models.rs`) and explorers (`suite/explorer.rs`) with the oracles on thousands
//!   of random programs. A failure prints the program, made smaller, and its seed. `testing::seeds` of the engine says how many
//!   and which, to all random tests: each names a number, of which two fifths are usual and `LITMOSCOPE_PROGRAMS` scales it, and
//!   `LITMOSCOPE_SEED` is the first (`CONTRIBUTING.md`).
//! - **Generated tests** (`suite/generated.rs`, [`conformance`]) have answers of an independent simulator.
//! - **Tables** of exact numbers for named programs ([`programs`], `suite/gallery.rs`) are compared with the brute force too, so
//!   that what the gallery's descriptions say is true.
//! - **Fuzzing** ([`fuzzing`]) puts any bytes through each parser.
//! - **Schedules** (`pool/`, `recorder/`): threads go through thousands of schedules of `shuttle`'s.
//! - **Commands** are run as a user would, in `engine/tests/suite/`; the book's are among them.
//! - **The page** runs in a real browser (`browser/`).
//! - **The files around the code** are tested by `suite/repository.rs`, who names whom by `layers/`.
//!
//! What the tests of a file hold together is in the head of that file.

#[cfg(feature = "browser")]
pub mod browser;
pub mod conformance;
pub mod differential;
pub mod fuzzing;
pub mod locks;
pub mod peers;
pub mod programs;
pub mod random;
#[cfg(feature = "browser")]
pub mod scenes;
#[cfg(feature = "browser")]
pub mod site;
pub mod workload;

use litmoscope::explore::{Algorithm, Counts, Options, Step};
use litmoscope::graph::{EventId, Execution, ThreadId};
use litmoscope::model::Model;
use litmoscope::program::{Code, Condition, Limits, Observable, Program, ThreadState, Value};
use litmoscope::syntax::parse;
use std::sync::Arc;

/// The models that tables of numbers have columns for, in their order.
pub const TABULATED: [Model; 7] = [Model::SC, Model::TSO, Model::PSO, Model::SRA, Model::RA, Model::WRA, Model::RC11];

/// A program from text.
///
/// # Panics
/// If the text is no program that can be explored.
pub fn program(text: &str) -> (Program, Code) {
    let program = parse(text).unwrap_or_else(|diagnostics| panic!("{text}\n{diagnostics:#?}")).program;
    let code = Code::compile(&program).unwrap_or_else(|error| panic!("{text}\n{error}"));
    (program, code)
}

/// What an algorithm counts of a program.
///
/// # Panics
/// If the algorithm can't explore it.
pub fn counts(code: &Arc<Code>, model: Model, algorithm: Algorithm, options: Options) -> Counts {
    let explorer = algorithm.explorer(Arc::clone(code), model, options);
    let mut explorer = explorer.unwrap_or_else(|why| panic!("{}: {why}", algorithm.title()));
    while explorer.advance() != Step::Done {}
    explorer.counts()
}

/// Checks the numbers of executions of [`programs::BLOCKING`]: all, blocked and erroneous ones.
///
/// # Panics
/// If some number is another.
pub fn check_blocking(algorithm: Algorithm, options: Options) {
    for (text, expected) in programs::BLOCKING {
        let code = Arc::new(program(text).1);
        for (model, expected) in [Model::SC, Model::TSO, Model::RC11].into_iter().zip(expected) {
            let counts = counts(&code, model, algorithm, options);
            let found = (counts.executions() as usize, counts.blocked as usize, counts.erroneous as usize);
            assert_eq!(found, expected, "{text} under {model}");
        }
    }
}

/// The registers of each thread at the end of a complete execution, temporaries included.
pub fn registers(code: &Code, limits: Limits, graph: &Execution) -> Vec<Vec<Value>> {
    (0..code.threads.len())
        .map(|thread| {
            let mut state = ThreadState::new(code, thread);
            for &e in graph.thread(ThreadId(thread as u16)) {
                state.advance(code, thread, limits);
                if !graph.event(e).ends_thread() {
                    let event = graph.event(e);
                    state.resume_as(code, thread, event.value_read, event.fails_spuriously());
                }
            }
            state.advance(code, thread, limits);
            state.registers().to_vec()
        })
        .collect()
}

/// Whether a complete execution, with final memory from some writes, satisfies a condition's proposition.
pub fn satisfies(condition: &Condition, code: &Code, limits: Limits, graph: &Execution, memory: &[EventId]) -> bool {
    let registers = registers(code, limits, graph);
    condition.proposition.holds(&|observable| match observable {
        Observable::Register { thread, register } => registers[usize::from(thread)][usize::from(register.0)],
        Observable::Location { object, offset } => {
            let location = code.location(object, offset.into()).expect("the parser checks offsets");
            graph.event(memory[location.0 as usize]).value_written.expect("memory holds writes")
        }
    })
}
