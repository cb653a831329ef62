//! Whether a formula can hold, and whether one implies another.
//!
//! Most questions of a verifier need no search: the conjunction of `mutex = 0 and count < 2` and `not (count < 5)` is `false` as
//! soon as it is made. Of the others, intervals of the variables decide some, and a valuation that satisfied an earlier question
//! or lies at an end of the intervals others. What is left goes to the SAT solver, with as many bits as the intervals leave.
//! Answers are kept, so to ask again costs nothing.

use super::circuit::Circuit;
use super::interval::Interval;
use super::store::{Formula, Store};
use super::walk::Compiled;
use super::{Valuation, Variable};
use litmoscope_core::budget::{Halt, Meter, Paused};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Whether a formula can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds for this valuation, which was checked.
    Yes(Valuation),
    /// It holds for none.
    No,
    /// The search was given up at its limit.
    Undecided,
}

/// Whether a formula implies another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Implication {
    /// It does.
    Holds,
    /// For this valuation, which was checked, the first one holds and the other one does not.
    Fails(Valuation),
    /// The search was given up at its limit.
    Undecided,
}

/// How many questions were decided how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// By what constructors make of them, or by an answer that was known.
    pub at_once: u64,
    /// By intervals.
    pub by_intervals: u64,
    /// By a valuation that was tried.
    pub by_trying: u64,
    /// By the SAT solver, or not at all.
    pub by_search: u64,
}

/// How many valuations are kept to be tried.
const RECENT: usize = 4;

/// How many answers are kept.
const KNOWN: usize = 1 << 14;

/// How often comparisons of variables with each other restrict their intervals.
const ROUNDS: usize = 3;

/// How many circuits are kept.
const CIRCUITS: usize = 3;

/// Answers questions about the formulas of one [`Store`]. To ask it about those of another one gives wrong answers.
#[derive(Default)]
pub struct Solver {
    ranges: FxHashMap<Variable, Interval>,
    /// The last used one first.
    circuits: Vec<Circuit>,
    /// The question that was paused in the first circuit.
    pending: Option<Formula>,
    /// `None`: it holds for no valuation.
    known: FxHashMap<Formula, Option<Valuation>>,
    recent: VecDeque<Valuation>,
    asked: Asked,
}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").field("ranges", &self.ranges).field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl Solver {
    /// That looks at all valuations.
    pub fn new() -> Self {
        Self::default()
    }

    /// That looks at valuations with these intervals alone; of other variables, at all values.
    pub fn within(ranges: impl IntoIterator<Item = (Variable, Interval)>) -> Self {
        Self { ranges: ranges.into_iter().collect(), ..Self::default() }
    }

    #[cfg(test)]
    pub(super) fn knows_ranges(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// How many questions were decided how.
    pub fn asked(&self) -> Asked {
        self.asked
    }

    /// Whether a formula can hold.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop. To ask again goes on.
    pub fn satisfiable(
        &mut self,
        store: &mut Store,
        formula: Formula,
        meter: &mut Meter<'_>,
    ) -> Result<Answer, Paused> {
        match self.model(store, formula, meter) {
            Ok(Some(valuation)) => Ok(Answer::Yes(valuation)),
            Ok(None) => Ok(Answer::No),
            Err(Halt::Limit) => Ok(Answer::Undecided),
            Err(Halt::Paused) => Err(Paused),
        }
    }

    /// Whether a formula implies another. It is asked of each conjunct of the other one.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop. To ask again goes on.
    pub fn implies(
        &mut self,
        store: &mut Store,
        premise: Formula,
        conclusion: Formula,
        meter: &mut Meter<'_>,
    ) -> Result<Implication, Paused> {
        for conjunct in store.conjuncts(conclusion) {
            let negated = store.not(conjunct);
            let difference = store.and(&[premise, negated]);
            match self.satisfiable(store, difference, meter)? {
                Answer::No => {}
                Answer::Yes(valuation) => return Ok(Implication::Fails(valuation)),
                Answer::Undecided => return Ok(Implication::Undecided),
            }
        }
        Ok(Implication::Holds)
    }

    /// Whether two formulas hold for the same valuations.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop. To ask again goes on.
    pub fn equivalent(
        &mut self,
        store: &mut Store,
        one: Formula,
        other: Formula,
        meter: &mut Meter<'_>,
    ) -> Result<Implication, Paused> {
        if one == other {
            return Ok(Implication::Holds);
        }
        match self.implies(store, one, other, meter)? {
            Implication::Holds => self.implies(store, other, one, meter),
            answer => Ok(answer),
        }
    }

    fn model(&mut self, store: &mut Store, asked: Formula, meter: &mut Meter<'_>) -> Result<Option<Valuation>, Halt> {
        let mut formula = asked;
        if !self.ranges.is_empty() && asked != Formula::FALSE {
            let mut parts = vec![asked];
            for variable in store.variables(asked) {
                if let Some(&range) = self.ranges.get(&variable) {
                    let term = store.variable(variable);
                    parts.push(store.within(term, range));
                }
            }
            formula = store.and(&parts);
        }
        if formula == Formula::FALSE {
            self.asked.at_once += 1;
            return Ok(None);
        }
        if let Some(known) = self.known.get(&formula) {
            self.asked.at_once += 1;
            return Ok(known.clone());
        }
        let answer = self.search(store, formula, meter)?;
        if let Some(valuation) = &answer {
            self.recent.retain(|recent| recent != valuation);
            self.recent.push_front(valuation.clone());
            self.recent.truncate(RECENT);
        }
        if self.known.len() >= KNOWN {
            self.known.clear();
        }
        self.known.insert(formula, answer.clone());
        Ok(answer)
    }

    fn search(&mut self, store: &Store, formula: Formula, meter: &mut Meter<'_>) -> Result<Option<Valuation>, Halt> {
        let conjuncts = store.conjuncts(formula);
        let mut compiled = Compiled::new(store, &[formula.0]);
        if self.pending != Some(formula) {
            meter.spend(8 + 16 * compiled.nodes.len() as u64)?;
            meter.hold(store.words())?;
        }
        let Some(domains) = store.domains(&conjuncts) else {
            self.asked.by_intervals += 1;
            return Ok(None);
        };
        let mut intervals = Vec::new();
        for variable in compiled.variables() {
            let domain = store.term_of(variable).and_then(|term| domains.get(&term));
            intervals.push((variable, domain.map_or(Interval::ALL, |domain| domain.interval)));
        }
        intervals.sort_unstable_by_key(|(variable, _)| *variable);
        for _ in 0..ROUNDS {
            let before = intervals.clone();
            let of = |variable| before[place(&before, variable)].1;
            compiled.restrictions(of, |variable, to| {
                let at = place(&intervals, variable);
                intervals[at].1 = intervals[at].1.intersection(to);
            });
            if intervals.iter().any(|(_, interval)| interval.is_empty()) {
                self.asked.by_intervals += 1;
                return Ok(None);
            }
            if intervals == before {
                break;
            }
        }
        let of = |variable: Variable| intervals[place(&intervals, variable)].1;
        if self.pending != Some(formula) {
            if compiled.interval(of).high == 0 {
                self.asked.by_intervals += 1;
                return Ok(None);
            }
            let ends: [fn(Interval) -> i64; 3] =
                [Interval::nearest_to_zero, |interval| interval.low, |interval| interval.high];
            for end in ends {
                if compiled.run(|variable| end(of(variable))) != 0 {
                    self.asked.by_trying += 1;
                    return Ok(Some(
                        intervals.iter().map(|(variable, interval)| (*variable, end(*interval))).collect(),
                    ));
                }
            }
            for recent in &self.recent {
                let value = |variable| recent.get(variable).clamp(of(variable).low, of(variable).high);
                if compiled.run(value) != 0 {
                    self.asked.by_trying += 1;
                    return Ok(Some(intervals.iter().map(|(variable, _)| (*variable, value(*variable))).collect()));
                }
            }
            match self.circuits.iter().position(|circuit| circuit.fits(&intervals)) {
                Some(at) => self.circuits[..=at].rotate_right(1),
                None => {
                    self.circuits.truncate(CIRCUITS - 1);
                    self.circuits.insert(0, Circuit::new());
                }
            }
            self.pending = Some(formula);
            self.asked.by_search += 1;
        }
        let answer = self.circuits[0].solve(store, &conjuncts, &intervals, meter);
        if answer != Err(Halt::Paused) {
            self.pending = None;
        }
        let answer = answer?;
        if let Some(valuation) = &answer {
            // Never so; but what is wrong is not handed on.
            let holds = compiled.run(|variable| valuation.get(variable)) != 0;
            debug_assert!(holds, "the circuit differs from what it is of: {valuation:?}");
            if !holds {
                return Err(Halt::Limit);
            }
        }
        Ok(answer)
    }
}

/// Where a variable is among those of a formula, which are ascending.
fn place(intervals: &[(Variable, Interval)], variable: Variable) -> usize {
    intervals.partition_point(|(of, _)| *of < variable)
}
