//! Choices that hit all that is known to be needed, by a SAT solver.
//!
//! There is a Boolean for each site and level but the base's: that the site has this level or a stronger one. A stronger level says all
//! weaker ones. Two levels of which neither is weaker say the weakest that is stronger than both, so each assignment is a choice. What is needed are clauses:
//! one of some sites has some level or a stronger one. What was found is blocked: not all of it again.
//!
//! Choices that change few sites come first: a counter says how many sites are changed, and it is assumed that they are no more than so many, for as long
//! as there is such a choice. From [`COUNTED`] on they come in any order.
//!
//! The solver is `batsat`, in Rust, without a clock, threads or C. It may be stopped between decisions.

use crate::sites::{Choice, Site};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use litmoscope_core::budget::{Budget, Paused};
use std::cell::Cell;

/// Lets the solver stop after so many decisions.
struct Slice(Cell<u64>);

impl Callbacks for Slice {
    fn stop(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
}

/// The number of decisions between two looks at the budget.
const SLICE: u64 = 1 << 12;

/// Up to how many changed sites choices come in the order of that number.
pub(crate) const COUNTED: usize = 12;

/// What is needed of choices.
pub(crate) struct Hitting {
    solver: Solver<Slice>,
    /// By site and level from 1 on.
    variables: Vec<Vec<Lit>>,
    /// By site: for each level the levels that are weaker, with itself, as bits.
    weaker: Vec<Vec<u32>>,
    /// Booleans in the order in which one tries to do without them: by site and level.
    order: Vec<(usize, usize)>,
    /// By number, from 1 on: more sites are not changed if this is false. Of one more than are counted.
    counter: Vec<Lit>,
    /// How many sites are changed at most for now.
    most: usize,
    spent: u64,
}

/// Counts the sites that are changed: by number, from 1 on, a literal that is true if so many are or more.
fn count(solver: &mut Solver<Slice>, variables: &[Vec<Lit>]) -> Vec<Lit> {
    let mut before: Vec<Lit> = Vec::new();
    for own in variables {
        let size = (before.len() + 1).min(COUNTED + 1);
        let now: Vec<Lit> = (0..size).map(|_| Lit::new(solver.new_var_default(), true)).collect();
        for (at, more) in now.iter().enumerate() {
            if let Some(already) = before.get(at) {
                solver.add_clause_reuse(&mut vec![!*already, *more]);
            }
            for level in own {
                let mut clause = vec![!*level, *more];
                match at.checked_sub(1) {
                    None => {}
                    Some(fewer) => clause.push(!before[fewer]),
                }
                solver.add_clause_reuse(&mut clause);
            }
        }
        before = now;
    }
    before
}

impl Hitting {
    /// Nothing is needed yet. What is dear, by `cost` of site and level, is done without first.
    pub(crate) fn new(sites: &[Site], cost: impl Fn(usize, usize) -> u64) -> Self {
        let mut solver = Solver::new(SolverOpts::default(), Slice(Cell::new(0)));
        // The solver tries `false` first.
        let variables: Vec<Vec<Lit>> = sites
            .iter()
            .map(|site| (1..site.levels.len()).map(|_| Lit::new(solver.new_var_default(), true)).collect())
            .collect();
        let weaker: Vec<Vec<u32>> = sites
            .iter()
            .map(|site| {
                let below = |strong: u8| {
                    let weak = (0..site.levels.len() as u8).filter(move |weak| site.is_within(*weak, strong));
                    weak.fold(0, |set, weak| set | 1 << weak)
                };
                (0..site.levels.len() as u8).map(below).collect()
            })
            .collect();
        for (own, weaker) in variables.iter().zip(&weaker) {
            for strong in 1..weaker.len() {
                for weak in (1..strong).filter(|weak| weaker[strong] >> weak & 1 == 1) {
                    solver.add_clause_reuse(&mut vec![!own[strong - 1], own[weak - 1]]);
                }
                for other in (1..strong).filter(|other| weaker[strong] >> other & 1 == 0) {
                    // The weakest level above both; if there is none, both can't be.
                    let both = |level: &usize| weaker[*level] >> strong & 1 == 1 && weaker[*level] >> other & 1 == 1;
                    let mut clause = vec![!own[strong - 1], !own[other - 1]];
                    clause.extend((1..weaker.len()).find(both).map(|join| own[join - 1]));
                    solver.add_clause_reuse(&mut clause);
                }
            }
        }
        let counter = count(&mut solver, &variables);
        let mut order: Vec<(usize, usize)> = sites
            .iter()
            .enumerate()
            .flat_map(|(at, site)| (1..site.levels.len()).map(move |level| (at, level)))
            .collect();
        order.sort_by_key(|(site, level)| (std::cmp::Reverse(cost(*site, *level)), *site, std::cmp::Reverse(*level)));
        Self { solver, variables, weaker, order, counter, most: 0, spent: 0 }
    }

    /// All choices that change fewer sites were given.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Says that no choice within this one will do. The strongest choice may be said: nothing will do then.
    pub(crate) fn need_beyond(&mut self, choice: &[u8]) {
        let mut clause = Vec::new();
        for (site, level) in choice.iter().enumerate() {
            let weaker = &self.weaker[site];
            let is_beyond = |other: usize| weaker[usize::from(*level)] >> other & 1 == 0;
            // The weakest of these say all others.
            let least = (1..weaker.len()).filter(|other| {
                is_beyond(*other) && !(1..*other).any(|less| is_beyond(less) && weaker[*other] >> less & 1 == 1)
            });
            clause.extend(least.map(|other| self.variables[site][other - 1]));
        }
        self.solver.add_clause_reuse(&mut clause);
    }

    /// Says that choices this strong and stronger are no longer wanted.
    pub(crate) fn block(&mut self, choice: &[u8]) {
        self.block_while(None, choice);
    }

    /// The same, for as long as something is assumed.
    fn block_while(&mut self, assumed: Option<Lit>, choice: &[u8]) {
        let mut clause: Vec<Lit> = (choice.iter().enumerate())
            .filter(|(_, level)| **level > 0)
            .map(|(site, level)| !self.variables[site][usize::from(*level) - 1])
            .chain(assumed.map(|assumed| !assumed))
            .collect();
        self.solver.add_clause_reuse(&mut clause);
    }

    fn solve(&mut self, assumed: &[Lit], budget: &mut Budget) -> Result<bool, Paused> {
        loop {
            self.solver.cb_mut().0.set(SLICE);
            let answer = self.solver.solve_limited(assumed);
            let work = 4 * self.solver.num_propagations() + 16 * self.solver.num_conflicts();
            budget.count(work.saturating_sub(self.spent))?;
            self.spent = work;
            if answer == lbool::TRUE || answer == lbool::FALSE {
                return Ok(answer == lbool::TRUE);
            }
        }
    }

    /// Choices with all that is needed, none weaker than which have it, so many at most: one if there is one. None is within another.
    ///
    /// # Errors
    /// [`Paused`] if the budget says so.
    pub(crate) fn next_few(&mut self, most: usize, budget: &mut Budget) -> Result<Vec<Choice>, Paused> {
        let mut few = Vec::from_iter(self.next(None, budget)?);
        if most > 1 && !few.is_empty() {
            let aside = Lit::new(self.solver.new_var_default(), true);
            while few.len() < most {
                self.block_while(Some(aside), &few[few.len() - 1]);
                let Some(next) = self.next(Some(aside), budget)? else { break };
                few.push(next);
            }
            self.solver.add_clause_reuse(&mut vec![!aside]);
        }
        Ok(few)
    }

    /// A choice with all that is needed, none weaker than which has it; `None` if there is none. While something is put `aside`, it is without that, and
    /// changes no more sites than the choices so far.
    fn next(&mut self, aside: Option<Lit>, budget: &mut Budget) -> Result<Option<Choice>, Paused> {
        let mut assumed: Vec<Lit> = loop {
            let fewer = self.counter.get(self.most).map(|more| !*more);
            let assumed: Vec<Lit> = fewer.into_iter().chain(aside).collect();
            if self.solve(&assumed, budget)? {
                break assumed;
            }
            if fewer.is_none() || aside.is_some() {
                return Ok(None);
            }
            self.most += 1;
        };
        let order = self.order.clone();
        let mut now = self.model();
        for (site, level) in order {
            let own = self.variables[site][level - 1];
            // What the last model does without stays so.
            if !now[site][level] {
                assumed.push(!own);
                continue;
            }
            assumed.push(!own);
            if self.solve(&assumed, budget)? {
                now = self.model();
            } else {
                assumed.pop();
                assumed.push(own);
            }
        }
        Ok(Some(self.choice(&now)))
    }

    /// By site and level: whether the solver's last model has it.
    fn model(&self) -> Vec<Vec<bool>> {
        let is_true = |own: &Lit| self.solver.value_lit(*own) == lbool::TRUE;
        self.variables.iter().map(|own| std::iter::once(true).chain(own.iter().map(is_true)).collect()).collect()
    }

    /// By site: the strongest level that is there.
    fn choice(&self, now: &[Vec<bool>]) -> Choice {
        let strongest = |(site, own): (usize, &Vec<bool>)| {
            let there = |level: &usize| own[*level];
            let beyond =
                |level: usize| (0..own.len()).filter(there).all(|other| self.weaker[site][level] >> other & 1 == 1);
            (0..own.len()).filter(there).find(|level| beyond(*level)).unwrap_or(0) as u8
        };
        now.iter().enumerate().map(strongest).collect()
    }
}
