//! Shorter formulas that say the same.
//!
//! A conjunct goes if the others imply it, as does a disjunct that implies another one; what contradicts the rest is `false`. A
//! conjunct `x = c` puts `c` in the place of `x` in all others. What speaks of one variable alone, by comparing it with
//! constants, becomes the intervals that it is in. Last of all, the solver is asked whether the result is equivalent
//! to what it was made of: if it can't say so within the limit, the formula stays as it was.

use super::interval::Interval;
use super::solver::{Implication, Solver};
use super::store::{Formula, Node, Store};
use super::walk::Compiled;
use litmoscope_core::budget::{Halt, Meter, Paused};
use litmoscope_core::program::Value;
use std::cmp::Reverse;

/// Whether a simplified formula is known to be equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The solver has proven it, and answered all that was asked on the way.
    Proven,
    /// Some question was beyond the limit. The formula is equivalent all the same, but might be shorter: what was not proven was left
    /// as it was.
    GaveUp,
}

/// A formula to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simplified {
    /// Equivalent to the one that was given.
    pub formula: Formula,
    /// Whether all was done that can be.
    pub proof: Proof,
}

/// How deep it looks into a formula.
const DEPTH: u32 = 12;

/// Questions that one formula is worth.
const QUESTIONS: u32 = 400;

/// The most constants that a variable is compared with to be put in intervals.
const CUTS: usize = 256;

struct Simplifier<'s, 'm, 'b> {
    solver: &'s mut Solver,
    store: &'s mut Store,
    meter: &'m mut Meter<'b>,
    questions: u32,
    gave_up: bool,
}

impl Solver {
    /// A formula that says the same in fewer words.
    ///
    /// # Errors
    /// [`Paused`] if somebody wants to stop. To ask again begins anew, but with the answers that are known by then.
    pub fn simplify(
        &mut self,
        store: &mut Store,
        formula: Formula,
        meter: &mut Meter<'_>,
    ) -> Result<Simplified, Paused> {
        let mut simplifier = Simplifier { solver: self, store, meter, questions: QUESTIONS, gave_up: false };
        let mut simple = formula;
        if simplifier.holds(formula, Formula::FALSE)? {
            simple = Formula::FALSE;
        } else if simplifier.holds(Formula::TRUE, formula)? {
            simple = Formula::TRUE;
        }
        for _ in 0..4 {
            let next = simplifier.within(simple, Formula::TRUE, 0)?;
            if next == simple {
                break;
            }
            simple = next;
        }
        let proof = if simplifier.gave_up { Proof::GaveUp } else { Proof::Proven };
        if store.size(simple) > store.size(formula) {
            simple = formula;
        }
        let equivalent = self.equivalent(store, formula, simple, meter)?;
        debug_assert!(!matches!(equivalent, Implication::Fails(_)), "simplified to something else: {equivalent:?}");
        Ok(match equivalent {
            Implication::Holds => Simplified { formula: simple, proof },
            _ => Simplified { formula, proof: Proof::GaveUp },
        })
    }
}

impl Simplifier<'_, '_, '_> {
    fn holds(&mut self, premise: Formula, conclusion: Formula) -> Result<bool, Paused> {
        if self.questions == 0 {
            self.gave_up = true;
            return Ok(false);
        }
        self.questions -= 1;
        let answer = self.solver.implies(self.store, premise, conclusion, self.meter)?;
        self.gave_up |= answer == Implication::Undecided;
        Ok(answer == Implication::Holds)
    }

    /// Charges work that is done for a formula, once for each of its parts; `false` if that is too much.
    fn charge(&mut self, units: u64) -> Result<bool, Paused> {
        match self.meter.charge(units) {
            Ok(()) => Ok(true),
            Err(Halt::Limit) => {
                self.gave_up = true;
                self.questions = 0;
                Ok(false)
            }
            Err(Halt::Paused) => Err(Paused),
        }
    }

    /// A formula that is equivalent wherever `context` holds.
    fn within(&mut self, formula: Formula, context: Formula, depth: u32) -> Result<Formula, Paused> {
        if depth == DEPTH || self.questions == 0 {
            return Ok(formula);
        }
        let formula = one_variable(self.store, formula).unwrap_or(formula);
        match self.store.of(formula) {
            Node::Not(inner) => {
                let inner = self.within(*inner, context, depth + 1)?;
                Ok(self.store.not(inner))
            }
            Node::And(parts) => {
                let parts = parts.to_vec();
                self.conjunction(parts, context, depth)
            }
            _ => Ok(formula),
        }
    }

    fn conjunction(&mut self, mut parts: Vec<Formula>, context: Formula, depth: u32) -> Result<Formula, Paused> {
        self.put_constants(&mut parts)?;
        self.put_intervals(&mut parts);
        // What is longest goes first.
        let mut sizes: Vec<_> = parts.iter().map(|part| (self.store.size(*part), *part)).collect();
        if !self.charge(32 * sizes.iter().map(|(size, _)| *size as u64).sum::<u64>())? {
            return Ok(self.store.and(&parts));
        }
        sizes.sort_unstable_by_key(|size| Reverse(*size));
        parts = sizes.into_iter().map(|(_, part)| part).collect();
        let mut at = 0;
        while at < parts.len() {
            let part = parts.remove(at);
            let others: Vec<_> = parts.iter().copied().chain([context]).collect();
            let others = self.store.and(&others);
            if self.holds(others, part)? {
                continue;
            }
            let negated = self.store.not(part);
            if self.holds(others, negated)? {
                return Ok(Formula::FALSE);
            }
            let part = self.within(part, others, depth + 1)?;
            parts.insert(at, part);
            at += 1;
        }
        Ok(factored(self.store, &parts))
    }

    /// With `x = c` among conjuncts, puts `c` for `x` in all others.
    fn put_constants(&mut self, parts: &mut [Formula]) -> Result<(), Paused> {
        for at in 0..parts.len() {
            let Node::Equal(term, constant) = *self.store.of(parts[at]) else { continue };
            let Node::Variable(variable) = *self.store.node(term.0) else { continue };
            if self.store.constant_of(constant).is_none() {
                continue;
            }
            for other in (0..parts.len()).filter(|other| *other != at) {
                match self.store.substitute(parts[other], &[(variable, constant)], self.meter) {
                    Ok(formula) => parts[other] = formula,
                    // Left as it is: that is no less true.
                    Err(Halt::Limit) => {}
                    Err(Halt::Paused) => return Err(Paused),
                }
            }
        }
        Ok(())
    }

    /// Puts together what speaks of the same variable alone.
    fn put_intervals(&mut self, parts: &mut Vec<Formula>) {
        let mut at = 0;
        while at < parts.len() {
            let mask = self.store.mask(parts[at].0);
            if mask.is_power_of_two() && self.store.bound(parts[at]).is_none() {
                let same: Vec<_> = parts.iter().copied().filter(|part| self.store.mask(part.0) == mask).collect();
                let together = self.store.and(&same);
                if same.len() > 1
                    && let Some(formula) = one_variable(self.store, together)
                {
                    parts.retain(|part| !same.contains(part));
                    parts.push(formula);
                    at = 0;
                    continue;
                }
            }
            at += 1;
        }
    }
}

/// The conjunction of these. What is a disjunct of all of them is written once, as is, the other way round, what is a conjunct of all
/// disjuncts.
fn factored(store: &mut Store, parts: &[Formula]) -> Formula {
    // Disjuncts, negated.
    let refuted = |store: &mut Store, part: Formula| -> Vec<Formula> {
        let negated = store.not(part);
        store.conjuncts(negated)
    };
    if let [first, rest @ ..] = parts
        && !rest.is_empty()
    {
        let mut common = refuted(store, *first);
        for part in rest {
            let refuted = refuted(store, *part);
            common.retain(|formula| refuted.contains(formula));
        }
        if !common.is_empty() {
            let mut rests = Vec::with_capacity(parts.len());
            for part in parts {
                let mut refuted = refuted(store, *part);
                refuted.retain(|formula| !common.contains(formula));
                let rest = store.and(&refuted);
                rests.push(store.not(rest));
            }
            let rest = store.and(&rests);
            common.push(store.not(rest));
            let refuted = store.and(&common);
            return store.not(refuted);
        }
    }
    store.and(parts)
}

/// A formula about one variable, which it compares with constants alone, as the intervals in which it holds. `None` if it is
/// something else, or would not be shorter.
fn one_variable(store: &mut Store, formula: Formula) -> Option<Formula> {
    if !matches!(store.of(formula), Node::And(_) | Node::Not(_))
        || !store.mask(formula.0).is_power_of_two()
        || store.bound(formula).is_some()
    {
        return None;
    }
    let mut compiled = Compiled::new(store, &[formula.0]);
    let (mut variable, mut cuts) = (None, vec![Value::MIN]);
    for node in &compiled.nodes {
        let constant = |term: u32| match compiled.nodes[term as usize] {
            Node::Constant(value) => Some(value),
            _ => None,
        };
        let is_variable = |term: u32| matches!(compiled.nodes[term as usize], Node::Variable(_));
        match node {
            Node::True | Node::Not(_) | Node::And(_) | Node::Constant(_) => {}
            Node::Variable(other) if variable.is_none_or(|variable| variable == *other) => variable = Some(*other),
            Node::Less(left, right) if is_variable(left.0) => cuts.push(constant(right.0)?),
            Node::Equal(left, right) if is_variable(left.0) => {
                let value = constant(right.0)?;
                cuts.push(value);
                cuts.extend(value.checked_add(1));
            }
            _ => return None,
        }
    }
    let variable = variable?;
    cuts.sort_unstable();
    cuts.dedup();
    if cuts.len() > CUTS {
        return None;
    }
    let mut holds = [Vec::<Interval>::new(), Vec::new()];
    for (at, &low) in cuts.iter().enumerate() {
        let high = cuts.get(at + 1).map_or(Value::MAX, |next| next - 1);
        let intervals = &mut holds[usize::from(compiled.run(|_| low) != 0)];
        match intervals.last_mut() {
            Some(last) if last.high.checked_add(1) == Some(low) => last.high = high,
            _ => intervals.push(Interval::new(low, high)),
        }
    }
    let positive = holds[1].len() <= holds[0].len();
    let term = store.variable(variable);
    let parts: Vec<_> = holds[usize::from(positive)].iter().map(|interval| store.within(term, *interval)).collect();
    let any = store.or(&parts);
    let simple = if positive { any } else { store.not(any) };
    (store.size(simple) <= store.size(formula)).then_some(simple)
}
