//! Fairness: strong fairness on graphs and Markov decision processes, decided with sets of states.
//!
//! After chapter 6 of V. Toman, *Algorithms for Stateless Model Checking under Weak Memory* (IST Austria, 2021). A Streett objective has
//! pairs of sets: a run that comes to some of the first set again and again has to come to some of the second one again and again.
//! "Whoever is enabled again and again moves again and again" is one for each thread: strong fairness. From which vertices is there such a
//! run, or, where chance decides at some vertices, a strategy for one with probability 1?
//!
//! - `universe`: sets as opaque values, with the images that are counted; `bits`: numbered vertices as bits;
//!   `diagrams`: binary decision diagrams. Both give the same sets, and the same counts;
//! - `machine`: algorithms as machines that yield steps; `step`: these steps;
//! - `algorithms`: all of them, as they are printed; `families`: graphs with published counts;
//! - `lists`: work lists that can be looked at; `invariants`: what has to hold of them; `dining`: philosophers as diagrams;
//! - `lasso`: runs that show an answer; `strategy`: strategies against chance; `program`: the states of a program as a graph, and who can wait for ever in it;
//!   `buffers`: store buffers as threads; `symbolic`: the same as diagrams, made of the program's steps; `waiting`: where threads can wait;
//!   `question`: questions as texts; [`report`]: runs in words;
//! - `labelled`: graphs with names, sets and pairs; `files`: formats to read them from and to write them in, and automata; `product`: a graph
//!   with an automaton, whose pairs say what its runs do;
//! - [`view`]: what the page shows of all that.
//!
//! ```
//! use litmoscope_core::budget::Budget;
//! use litmoscope_fairness::{Graph, Options, Way, streett};
//! use std::rc::Rc;
//!
//! // Who comes to 0 again and again has to come to 2 again and again.
//! let graph = Graph::new(3, [(0, 1), (1, 0), (1, 2), (2, 2)], []).expect("its edges have vertices");
//! let pairs = vec![(graph.set([0]), graph.set([2]))];
//! let mut machine = streett(Rc::new(graph), pairs, Way::Improved, Options::default());
//! while machine.advance(&mut Budget::unlimited()).expect("nobody stops it").is_some() {}
//! let answer = machine.answer().expect("it is over");
//! assert_eq!(answer.winning.iter().collect::<Vec<_>>(), [0, 1, 2]);
//! assert_eq!(answer.components[0].iter().collect::<Vec<_>>(), [2]);
//! ```
//!
//! **Limits**: up to ten million vertices are listed; diagrams hold as many nodes as they are told. Programs run under SC, or under TSO and
//! PSO with store buffers of few entries. Of probabilities, only whether they are 0 matters.
#![warn(missing_docs, unreachable_pub)]

mod algorithms;
mod bits;
mod buffers;
mod diagrams;
mod dining;
pub mod families;
pub mod files;
mod invariants;
mod labelled;
mod lasso;
mod lists;
mod machine;
mod product;
mod program;
mod question;
pub mod report;
mod step;
mod strategy;
mod symbolic;
mod universe;
pub mod view;
mod waiting;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod product_tests;
#[cfg(test)]
mod programs;
#[cfg(test)]
mod symbolic_tests;
#[cfg(test)]
mod tests;

pub use algorithms::{Options, Pairs, Scope, Threshold, Way};
pub use bits::{Bits, Graph, GraphError, MOST_VERTICES};
pub use buffers::{Buffered, MOST_ENTRIES};
pub use diagrams::{Diagram, DiagramError, Diagrams, MOST_BITS, MOST_NODES};
pub use dining::{COIN, Dining, MOST_PHILOSOPHERS};
pub use invariants::{Held, Invariants, MOST_CHECKED};
pub use labelled::{Labelled, Side};
pub use lasso::Lasso;
pub use lists::{Candidate, List, Sought};
pub use machine::{Machine, Space};
pub use product::{Product, ProductError, product};
pub use program::{Claim, Fairness, Found, ProgramError, ProgramGraph, Promises, Question, RunStep, Semantics};
pub use question::{QuestionError, Vocabulary, parse_pairs, parse_question};
pub use step::{Answer, Direction, Search, Step};
pub use strategy::Strategy;
pub use symbolic::{Order, ProgramDiagrams, SymbolicError, SymbolicRun};
pub use universe::{Counts, Nodes, Universe};
pub use waiting::{Waiting, waiting};

use std::rc::Rc;

/// Decides a Streett objective on a graph, where chance decides nothing: all vertices count as the player's.
pub fn streett<U: Universe + 'static>(universe: Rc<U>, pairs: Pairs<U::Set>, way: Way, options: Options) -> Machine<U> {
    match way {
        Way::Basic => Machine::new(universe, |space| space.graph_basic(pairs)),
        Way::Improved => Machine::new(universe, |space| space.graph_improved(pairs, options)),
    }
}

/// Decides a Streett objective where chance decides at the random vertices: from where a strategy wins with probability 1.
pub fn streett_by_chance<U: Universe + 'static>(
    universe: Rc<U>,
    pairs: Pairs<U::Set>,
    way: Way,
    options: Options,
) -> Machine<U> {
    match way {
        Way::Basic => Machine::new(universe, |space| space.chance_basic(pairs, options)),
        Way::Improved => Machine::new(universe, |space| space.chance_improved(pairs, options)),
    }
}

/// Decomposes a graph into its strongly connected components, by skeletons or without: that takes quadratically many images.
pub fn components<U: Universe + 'static>(universe: Rc<U>, skeletons: bool) -> Machine<U> {
    Machine::new(universe, |space| space.only_components(skeletons))
}

/// Decomposes a Markov decision process into its maximal end components: strongly connected sets with an edge out of which chance does not
/// lead.
pub fn end_components<U: Universe + 'static>(universe: Rc<U>, way: Way, options: Options) -> Machine<U> {
    Machine::new(universe, |space| space.only_end_components(way, options))
}
