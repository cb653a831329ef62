//! Litmus tests from cycles of relaxation edges, in the vocabulary of diy (Alglave, Maranget, Sarkar and Sewell, "Fences
//! in Weak Memory Models", CAV 2010).
//!
//! A [`Cycle`] is a list of [`RelaxationEdge`]s, each from one event to the next: program order, with fences and dependencies, and
//! communication within and between threads. It describes an execution that sequential consistency forbids, and it makes
//! a test: the threads' events, and the final condition that the cycle is there. [`Family`] lists all cycles of some
//! edges.
//!
//! Deviations from diy: an event whose edges have no annotation is what the [`Dialect`] says, not always plain. In
//! cycles of one location, the final value is that of the last write in coherence order, so that the condition asks for the
//! cycle; diy asks for that of the last write in the text. Where a location has three or more writes whose order neither the final values nor the threads settle, one more thread reads
//! the location several times; diy has several kinds of such observers.

mod cycle;
mod edge;
mod family;
mod name;
mod test;
#[cfg(test)]
mod tests;

pub use cycle::{Cycle, MAX_EDGES, Problem};
pub use edge::{Annotation, Barrier, Communication, Dependency, Direction, Relation, RelaxationEdge, Rmw, UnknownEdge};
pub use family::{Cycles, Family, MAX_LENGTH};
pub use test::Dialect;

use crate::program::{Notation, Program, Span};
use crate::syntax::{self, Diagnostic};

/// A test made of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The cycle.
    pub cycle: Cycle,
    /// The program, named after the cycle.
    pub program: Program,
    /// The program in its notation, with the cycle as a comment.
    pub text: String,
}

/// The test of a cycle given as text.
///
/// # Errors
/// What is wrong with the cycle, or what the dialect has no words for, each with its place in the text.
pub fn generate(cycle: &str, dialect: Dialect) -> Result<Generated, Vec<Diagnostic>> {
    let (cycle, spans) = Cycle::parse_spanned(cycle)?;
    cycle.generate(dialect).map_err(|problem| vec![problem.diagnostic(&spans, Span::default())])
}

/// The edges of a list such as `Pod** FenceScdW* Rfe`, as [`RelaxationEdge::pattern`] reads each of them.
///
/// # Errors
/// What is wrong, each with its place in the text.
pub fn patterns(text: &str) -> Result<Vec<RelaxationEdge>, Vec<Diagnostic>> {
    let (mut edges, mut errors) = (Vec::new(), Vec::new());
    for (word, span) in cycle::words(text) {
        match RelaxationEdge::pattern(word) {
            Ok(more) => edges.extend(more),
            Err(error) => errors.push(Diagnostic::error(error.message, span).with_help(error.help)),
        }
    }
    if errors.is_empty() { Ok(edges) } else { Err(errors) }
}

impl Cycle {
    /// The test of this cycle.
    ///
    /// # Errors
    /// [`Problem`] for what the dialect has no words for.
    pub fn generate(&self, dialect: Dialect) -> Result<Generated, Problem> {
        self.generate_named(dialect, self.name(dialect))
    }

    /// The test of this cycle under a name of one's own.
    ///
    /// # Errors
    /// [`Problem`] for what the dialect has no words for.
    pub fn generate_named(&self, dialect: Dialect, name: impl Into<String>) -> Result<Generated, Problem> {
        let program = Program { name: name.into(), ..self.program(dialect)? };
        let text = syntax::print(&program, dialect.notation)
            .map_err(|error| Problem::new(0, error.to_string(), "choose another dialect"))?;
        // The cycle stands where diy writes it: behind the name.
        let (name, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let cycle = match dialect.notation {
            Notation::Litmoscope => format!("# {self}"),
            _ => format!("\"{self}\""),
        };
        let text = format!("{name}\n{cycle}\n{rest}");
        Ok(Generated { cycle: self.clone(), program, text })
    }
}
