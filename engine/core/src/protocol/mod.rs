//! Memory implementations: whether all runs of a machine of registers are causally consistent.
//!
//! After chapter 5 of S. Grahn, *Concurrency: Models, Algorithms, and Verification* (Uppsala, 2026). A [`Machine`] answers the reads and
//! writes of threads from registers, as cache protocols, store buffers and replicas do. A [`Run`] of it leaves an execution graph behind.
//! [`CausalCheck`] says of one graph whether it is allowed, [`saturate`] of all runs whether they are weakly causal, and
//! [`ShapeSearch`] the same of all three models, by the shape of the cycle that a run that is not would have.

mod automata;
mod decide;
mod machine;
mod murphi;
mod pco;
mod program;
mod run;
mod saturation;
mod shapes;
mod symmetry;
mod text;
#[cfg(any(test, feature = "testing"))]
pub mod tracked;
mod typing;

pub use automata::{Automaton, Initialization, NoMachine, machine_of, word_of};
pub use decide::{Decided, Question, decide, decide_by, follows};
pub use machine::{
    MAX_ENTITIES, MAX_STATES, MAX_VARIABLES, Machine, MachineNames, Operation, Register, RegisterIndex, State, Thread,
    Transition, TransitionIndex, Variable,
};
pub use murphi::{TooManyShapes, murphi};
pub use pco::{CausalCheck, Causality, CycleEdge, Pco};
pub use program::{ProgramOutcome, ProgramRuns, fits_machine, register_observables, runs_of_program, values_of_run};
pub use run::{Initial, Run};
pub use saturation::{Entity, SaturatedRun, Saturation, Tuple, saturate};
pub use shapes::{Link, Searched, Shape, ShapeFound, ShapeSearch, ShapeTally, ShapeVerdict};
pub use symmetry::{Renaming, Symmetry};
pub use text::{
    NotRead, ReadProtocol, Reading, begins_protocol, highlight_protocol, parameters_of, parse_protocol,
    parse_protocol_within, print_machine, read_protocol,
};

#[cfg(test)]
mod tests;
