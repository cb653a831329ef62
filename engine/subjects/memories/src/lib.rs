//! Memory implementations: whether all runs of a machine of registers are causally consistent.
//!
//! After chapter 5 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026). A [`Machine`] answers the reads and
//! writes of threads from registers, as cache protocols, store buffers and replicas do. A [`Run`] of it leaves an execution graph behind.
//! [`CausalCheck`] says of one graph whether it is allowed, [`saturate`] of all runs whether they are weakly causal, and
//! [`ShapeSearch`] the same of all three models, by the shape of the cycle that a run that is not would have.
//!
//! All that concerns memory implementations is in this crate, from the text to what the page shows:
//!
//! - `machine`, `run`, `automata`: what they are; `notation`: their texts, with the language that expands to machines; `typing`: what
//!   registers may hold;
//! - `pco`, `saturation`, `shapes`, `symmetry`, `decide`: the procedures; `threads`: the search on several threads; `tracked`: an oracle;
//! - `outcomes`, `tried`: what a program sees on one; `murphi`: models for Murphi;
//! - `report`, `tuples`: answers in words and as JSON; `drawing`, `place`, `table`, `view`: what the page shows.
//!
//! ```
//! use litmoscope_core::budget::Budget;
//! use litmoscope_memories::{Causality, Decided, Initial, Question, decide, parse_protocol};
//!
//! let text = "machine M\nthreads t\nvariables x\nregisters a: x\nq -> q: W t x a\nq -> q: R t x a";
//! let (machine, _) = parse_protocol(text, &[]).expect("it is a machine");
//! let question = Question {
//!     causality: Causality::Strong,
//!     initial: Initial::Written,
//!     configurations: 1000,
//!     steps: None,
//!     symmetry: None,
//! };
//! let decided = decide(&machine, &question, &mut Budget::unlimited()).expect("nobody stops it");
//! assert!(matches!(decided, Decided::Holds { .. }), "one register is coherent");
//! ```
#![warn(missing_docs, unreachable_pub)]

mod automata;
mod decide;
mod drawing;
mod machine;
mod murphi;
mod notation;
mod outcomes;
mod pco;
mod place;
mod report;
mod run;
mod saturation;
mod shapes;
mod stopped;
mod symmetry;
mod sync;
mod table;
mod threads;
#[cfg(any(test, feature = "testing"))]
pub mod tracked;
mod tried;
mod tuples;
mod typing;
mod view;

pub use automata::{Automaton, Initialization, NoMachine, machine_of, word_of};
pub use decide::{Decided, Question, decide, decide_by, follows};
pub use machine::{
    MAX_ENTITIES, MAX_STATES, MAX_VARIABLES, Machine, MachineNames, Operation, Register, RegisterIndex, State, Thread,
    Transition, TransitionIndex, Variable,
};
pub use murphi::{TooManyShapes, murphi};
pub use notation::{
    NotRead, ReadProtocol, Reading, begins_protocol, highlight_protocol, parameters_of, parse_protocol,
    parse_protocol_within, print_machine, read_protocol,
};
pub use outcomes::{ProgramOutcome, ProgramRuns, fits_machine, register_observables, runs_of_program, values_of_run};
pub use pco::{CausalCheck, Causality, CycleEdge, Pco};
pub use run::{Initial, Run};
pub use saturation::{Entity, SaturatedRun, Saturation, Tuple, saturate};
pub use shapes::{Link, Searched, Shape, ShapeFound, ShapeSearch, ShapeTally, ShapeVerdict};
pub use symmetry::{Renaming, Symmetry};

pub use place::{MemoryPlace, MemorySheet};
pub use report::{MemoryJson, MemoryReport, machine_dot, parse_run, run_text, step_text};
pub use table::{MemoryTable, TableCell, TableNews, TableRequest, TableRow, table_columns};
pub use threads::decide_on_threads;
pub use tried::{
    ModelOutcomes, NotTried, OutcomeRow, ProgramJson, ProgramReport, ProgramRequest, ProgramRun, ProgramTrial,
    ProgramView, outcomes_of_model,
};
pub use view::{
    AutomatonView, GraphRelation, MAX_STEPS, MemoryOpen, MemoryRequest, MemoryView, NextStep, RegisterBox, RunStep,
    SaturationView, ToldEdge, TupleRow, automata_text,
};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod threads_tests;
#[cfg(test)]
mod view_tests;

// What the floors below have goes by the same names here.
use crate as memories;
use litmoscope_core::{budget, graph, model, program, random, syntax, words};
use litmoscope_explore::explore;
