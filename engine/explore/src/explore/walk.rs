//! Exploring without looking at each step: parts of an exploration, and what was found in them.
//!
//! An exploration is a walk through a tree, depth first: the children of a node are the choices that an algorithm has
//! for one event. A [`Work`] is an interval of that walk, small enough to be written down or given to somebody else; a
//! [`Walk`] goes through one. What different walks find ([`Findings`]) is put together in the order of the tree, so that
//! the result does not depend on who walked where.

use super::{Counts, Results, Step};
use crate::budget::{Budget, Paused};
use crate::graph::{Coherence, Execution};
use crate::model::Questions;
use crate::program::{Limits, Program};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// One level of a [`Work`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// The child that the walk goes into, from 0.
    pub next: u32,
    /// The first child that is not part of the work any more; `None` if all later ones are.
    pub end: Option<u32>,
}

/// What is left of an exploration, or of a part of it.
///
/// By depth from the root: on each level the work consists of what it says on the level below about the child `next`,
/// then the later children up to `end`. On the deepest level the child `next` is part of it as a whole. No level at all:
/// the whole tree.
///
/// It is written down as a text, since there are many of them and long ones: a word for each level, `next` or `next:end`, with `*n` where it stands for n levels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Work(pub Vec<Branch>);

/// No work that is read has more levels.
const MAX_LEVELS: usize = 1 << 20;

impl From<Work> for String {
    fn from(work: Work) -> Self {
        let mut text = Self::new();
        for same in work.0.chunk_by(PartialEq::eq) {
            let Branch { next, end } = same[0];
            let separator = if text.is_empty() { "" } else { " " };
            let end = end.map_or_else(Self::new, |end| format!(":{end}"));
            let times = if same.len() > 1 { format!("*{}", same.len()) } else { Self::new() };
            let _ = write!(text, "{separator}{next}{end}{times}");
        }
        text
    }
}

impl TryFrom<String> for Work {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const WRONG: &str = "a part that does not say where it is";
        let number = |digits: &str| digits.parse().map_err(|_| WRONG);
        let mut levels = Vec::new();
        for word in text.split_ascii_whitespace() {
            let (level, times) = word.split_once('*').unwrap_or((word, "1"));
            let (next, end) = level.split_once(':').map_or((level, None), |(next, end)| (next, Some(end)));
            let branch = Branch { next: number(next)?, end: end.map(number).transpose()? };
            let times = number(times)? as usize;
            if levels.len() + times > MAX_LEVELS {
                return Err(WRONG);
            }
            levels.extend(std::iter::repeat_n(branch, times));
        }
        Ok(Self(levels))
    }
}

/// Why a walk came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pause {
    /// It went as far as it was to, or was paused.
    Steps,
    /// Its work is done.
    Exhausted,
    /// It found something wrong, and the options say to stop there. Its work is done, right behind an execution.
    Stopped,
}

/// A point of an exploration that is worth showing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// How many steps lead there; in [`Findings`] from the start of the part.
    pub position: u64,
    /// The step that led there; the number of an execution counts as the position does.
    pub step: Step,
    /// The graph.
    pub graph: Execution,
    /// Its co, by algorithms that choose one.
    pub co: Option<Coherence>,
}

impl Moment {
    /// Whether it is a blocked execution.
    pub fn is_blocked(&self) -> bool {
        matches!(self.step, Step::Execution { kind, .. } if kind.is_blocked())
    }
}

/// What was found in a part of an exploration. Two findings are equal however many questions they took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Findings {
    /// What was counted.
    pub counts: Counts,
    /// Outcomes and faults; positions count from the start of the part.
    pub results: Results,
    /// The first whole execution that is not blocked, or the first of all.
    pub first: Option<Moment>,
    /// Where something wrong was found first: an error, a race, an execution that is stuck for good or that refutes the condition.
    pub violation: Option<Moment>,
    /// The first execution that an `exists` asks for.
    pub witness: Option<Moment>,
    /// What decided the questions of consistency that were asked. How many there are depends on how the tree was cut into
    /// parts, so they are no part of what is written down, and of an exploration that was gone on with, only those since then
    /// are counted.
    #[serde(skip)]
    pub questions: Questions,
}

impl PartialEq for Findings {
    fn eq(&self, other: &Self) -> bool {
        let Self { counts, results, first, violation, witness, questions: _ } = self;
        (counts, results, first) == (&other.counts, &other.results, &other.first)
            && (violation, witness) == (&other.violation, &other.witness)
    }
}

impl Eq for Findings {}

impl Findings {
    /// Nothing found yet, with a table of final states as large as usual.
    pub fn new(program: &Program) -> Self {
        Self::within(program, Limits::default())
    }

    /// Nothing found yet, with a table as large as [`Limits::table`] says.
    pub fn within(program: &Program, limits: Limits) -> Self {
        Self {
            counts: Counts::default(),
            results: Results::within(program, limits),
            first: None,
            violation: None,
            witness: None,
            questions: Questions::default(),
        }
    }

    /// Adds what was found in the part of the exploration that comes next.
    pub fn append(&mut self, later: Self) {
        let (offset, executions) = (self.counts.steps, self.counts.executions());
        let moved = |moment: Option<Moment>| {
            let mut moment = moment?;
            moment.position += offset;
            if let Step::Execution { number, .. } = &mut moment.step {
                *number += executions;
            }
            Some(moment)
        };
        let better = self.first.as_ref().is_none_or(Moment::is_blocked)
            && later.first.as_ref().is_some_and(|moment| !moment.is_blocked());
        if better || self.first.is_none() {
            self.first = moved(later.first);
        }
        self.violation = self.violation.take().or_else(|| moved(later.violation));
        self.witness = self.witness.take().or_else(|| moved(later.witness));
        self.results.append(later.results, offset);
        self.counts.append(later.counts);
        self.questions.add(&later.questions);
    }
}

/// What one random descent through the tree saw.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probe {
    /// The product of the numbers of children on the way: its mean is the number of leaves (Knuth, "Estimating the
    /// Efficiency of Backtrack Programs", 1975); 0 if it ended in no execution.
    pub leaves: f64,
    /// How deep it went.
    pub depth: u32,
}

/// A walk through a part of an exploration.
///
/// Whatever the parts that a tree is cut into, all of them together count the same steps and find the same: what leads
/// from the root to the first node of a part is counted by the walk that went there first, not by the one that goes on.
pub trait Walk: Send {
    /// Goes on for about so many steps, a few more perhaps, however long that takes.
    fn run(&mut self, steps: u64) -> Pause {
        self.run_within(steps, u64::MAX, &mut Budget::unlimited())
    }

    /// The same, but no further than right behind so many executions, and only as long as the budget lasts: it ends
    /// a search within a step, too. What was done since the last place that a [`Work`] can name is done again then, but
    /// for the search.
    fn run_within(&mut self, steps: u64, executions: u64, budget: &mut Budget) -> Pause;

    /// Gives the last part of what is left away, as large a part as can be; `None` if nothing can be given away.
    fn split(&mut self) -> Option<Work>;

    /// What is left; `None` behind the end.
    fn work(&self) -> Option<Work>;

    /// What was found since the last call, or since the start.
    fn take_findings(&mut self) -> Findings;

    /// What was counted since the last call of [`Self::take_findings`].
    fn counts(&self) -> Counts;

    /// Goes down the whole tree once from its root, choosing among `n` children the one that `choose(n)` says; it is
    /// asked on each level that a [`Work`] has, with the same numbers. Leaves the walk's work and findings as they are.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop: nothing is known then.
    fn probe(&mut self, choose: &mut dyn FnMut(u32) -> u32, budget: &mut Budget) -> Result<Probe, Paused>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::{Algorithm, Options};
    use crate::model::Model;
    use crate::program::Code;
    use crate::syntax;
    use std::sync::Arc;

    /// What GenMC finds of a program, all of it.
    fn found(text: &str) -> Findings {
        let program = syntax::parse(text).expect("it is a program").program;
        let code = Arc::new(Code::compile(&program).expect("it compiles"));
        let mut explorer =
            Algorithm::Genmc.explorer(Arc::clone(&code), Model::SC, Options::default()).expect("it can be explored");
        let mut findings = Findings::new(&program);
        loop {
            let step = explorer.advance();
            let seen = findings.results.observe(&program, &code, Model::SC, &*explorer, step);
            findings.counts = explorer.counts();
            let moment = || Moment {
                position: findings.counts.steps,
                step,
                graph: explorer.execution().clone(),
                co: explorer.coherence().cloned(),
            };
            if seen.execution && findings.first.is_none() {
                findings.first = Some(moment());
            }
            if step == Step::Done {
                return findings;
            }
        }
    }

    #[test]
    fn works_survive_being_written_down() {
        let branch = |next, end| Branch { next, end };
        let work =
            Work(vec![branch(0, Some(1)), branch(2, None), branch(2, None), branch(2, Some(3)), branch(7, None)]);
        for (work, text) in [(Work::default(), "\"\""), (work, "\"0:1 2*2 2:3 7\"")] {
            assert_eq!(serde_json::to_string(&work).expect("works are plain data"), text);
            assert_eq!(serde_json::from_str::<Work>(text).expect("it was written so"), work);
        }
        for wrong in ["x", "1:", ":1", "1*", "1*x", "-1", "1:2:3", "0*1048577", "0*1048576 0", "4294967296"] {
            assert!(Work::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn findings_survive_being_written_down() {
        for text in ["x := 1; a := y || y := 1; b := x", "assert x = 1 || x := 1", "repeat { fai(x) } until x > 90"] {
            let findings = found(text);
            let written = serde_json::to_string(&findings).expect("findings are plain data");
            let read: Findings = serde_json::from_str(&written).expect("it was written so");
            assert_eq!(read, findings, "{text}");
            // The order of what was found first is kept, which equality does not ask for.
            assert_eq!(serde_json::to_string(&read).expect("findings are plain data"), written, "{text}");
        }
    }
}
