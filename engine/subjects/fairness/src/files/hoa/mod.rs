//! Automata on infinite words, in the HOA format (version 1, adl.github.io/hoaf): what a run has to do.
//!
//! ```text
//! HOA: v1
//! States: 2
//! Start: 0
//! AP: 2 "requests" "grants"
//! acc-name: Buchi
//! Acceptance: 1 Inf(0)
//! --BODY--
//! State: 0 {0}
//! [!0 | 1] 0
//! [0 & !1] 1
//! State: 1
//! [1] 0
//! [!1] 1
//! --END--
//! ```
//!
//! **What is read**: deterministic automata with one first state. Labels on edges, on states, or implicit ones; aliases; marks on states and
//! edges, where those of a state are on each of its edges. `Acceptance` is what counts; if `acc-name` surely says something else, a note
//! says so. Headers that are not
//! known are ignored if they begin with a small letter, and refused otherwise, as the format wants it. Of several automata the first that is
//! not aborted is read. Where no edge fits, a run is rejected.
//!
//! Whether an automaton is deterministic is decided with all valuations of the propositions of each state, 64 at once, up to a limit of work:
//! about twenty propositions at a state.

mod acceptance;
mod expressions;
mod labels;
mod lexer;
mod names;
mod reader;

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::RESPONSE;

pub use acceptance::{Condition, MarkPair, Marks, Runs};

use crate::files::is_blank;
use labels::Labels;
use litmoscope_core::syntax::Diagnostic;

/// Whether a text begins as an automaton does.
pub fn begins(text: &str) -> bool {
    text.trim_start_matches(is_blank).starts_with("HOA:")
}

/// A deterministic automaton, complete or not.
#[derive(Clone, Debug)]
pub struct Automaton {
    /// What it is called.
    pub name: Option<String>,
    /// What its condition is called, such as `Rabin 2`.
    pub acceptance_name: Option<String>,
    /// Its atomic propositions.
    pub propositions: Vec<String>,
    /// When a run is accepted.
    pub condition: Condition,
    /// Which runs [`Self::pairs`] speak of.
    pub runs: Runs,
    /// The pairs that say that a run is accepted, or that it is rejected.
    pub pairs: Vec<MarkPair>,
    /// Whether each state has an edge for each valuation. A run that finds none is rejected.
    pub is_complete: bool,
    start: usize,
    states: Vec<State>,
}

#[derive(Clone, Debug, Default)]
struct State {
    number: u32,
    name: Option<String>,
    /// Its marks, ascending: they are on all its edges.
    marks: Vec<u32>,
    edges: Vec<Edge>,
    labels: Labelling,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Edge {
    to: usize,
    /// Its marks without those of its state, ascending.
    marks: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Labelling {
    /// One edge for each valuation, where the first proposition is the lowest bit.
    Implicit,
    /// As written.
    Written(Labels),
}

impl Default for Labelling {
    fn default() -> Self {
        Self::Written(Labels::default())
    }
}

/// An automaton, and what is notable about it.
#[derive(Clone, Debug)]
pub struct ReadAutomaton {
    /// The automaton.
    pub automaton: Automaton,
    /// What was left out.
    pub notes: Vec<Diagnostic>,
}

/// Reads an automaton. Linear, but for what it takes to know that it is deterministic.
///
/// # Errors
/// What is wrong with it, with line and column.
pub fn parse_automaton(text: &str) -> Result<ReadAutomaton, Vec<Diagnostic>> {
    reader::read(text)
}

impl Automaton {
    /// How many states it has.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// The state in which runs begin.
    pub fn start(&self) -> usize {
        self.start
    }

    /// What a state is called: its number in the file, and its name if it has one.
    pub fn state_name(&self, state: usize) -> String {
        let state = &self.states[state];
        match &state.name {
            Some(name) => format!("{} {name}", state.number),
            None => state.number.to_string(),
        }
    }

    /// The successor of a state for a valuation of the propositions, and the marks on the way, ascending; nothing where a run is rejected.
    /// Linear in the labels of the state.
    pub fn step(&self, state: usize, is_true: impl Fn(u32) -> bool) -> Option<(usize, Vec<u32>)> {
        let of = self.states.get(state)?;
        let edge = match &of.labels {
            Labelling::Implicit => {
                let bits = (0..self.propositions.len() as u32).filter(|at| is_true(*at));
                bits.map(|bit| 1_usize << bit).sum()
            }
            Labelling::Written(labels) => labels.edge(&mut Vec::new(), is_true)?,
        };
        let edge = of.edges.get(edge)?;
        let mut marks = [&of.marks[..], &edge.marks[..]].concat();
        marks.sort_unstable();
        Some((edge.to, marks))
    }

    /// Which propositions some label has: the others don't matter.
    pub fn propositions_that_matter(&self) -> Vec<bool> {
        let mut matter = vec![false; self.propositions.len()];
        for state in &self.states {
            match &state.labels {
                Labelling::Implicit => matter.fill(true),
                Labelling::Written(labels) => labels.propositions().iter().for_each(|at| matter[*at as usize] = true),
            }
        }
        matter
    }

    /// How much a step costs, in parts of labels.
    pub(crate) fn cost(&self, state: usize) -> u64 {
        match &self.states[state].labels {
            Labelling::Implicit => self.propositions.len() as u64,
            Labelling::Written(labels) => labels.size(),
        }
    }
}
