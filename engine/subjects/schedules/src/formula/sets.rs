//! Predicates as sets of valuations, where the values of all variables are declared and few: a bit for each valuation.
//!
//! A valuation is a number with a digit for each variable, the first variable the most significant one. Nothing is searched for
//! and nothing left undecided, which is why the other kind of predicates is held against this one.

use super::interval::Interval;
use super::predicates::{Failure, Predicates, Transition};
use super::simplify::Proof;
use super::solver::{Answer, Implication};
use super::store::{Formula, Store};
use super::walk::Compiled;
use super::{Valuation, Variable};
use litmoscope_core::budget::{Meter, Paused};
use litmoscope_core::program::Value;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many valuations there may be in all.
pub const MOST_VALUATIONS: usize = 1 << 20;

/// Successors and sets that are kept, counted in words of 64 bits.
const KEPT: usize = 1 << 22;

/// Where a step can't be taken.
const NOWHERE: u32 = u32::MAX;

/// A set of valuations of the [`Sets`] that made it. Equal sets hold the same valuations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Set(Arc<[u64]>);

impl Set {
    fn has(&self, at: usize) -> bool {
        self.0[at / 64] >> (at % 64) & 1 != 0
    }

    /// How many valuations it holds.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn first(&self) -> Option<usize> {
        let at = self.0.iter().position(|word| *word != 0)?;
        Some(64 * at + self.0[at].trailing_zeros() as usize)
    }
}

/// Sets of valuations over declared ranges.
#[derive(Debug)]
pub struct Sets {
    store: Store,
    /// Ascending by variable.
    ranges: Vec<(Variable, Interval)>,
    /// By variable in `ranges`: how much a value more adds to the number of a valuation.
    strides: Vec<usize>,
    /// How many valuations there are.
    count: usize,
    of: FxHashMap<Formula, Set>,
    /// By valuation, where a transition leads.
    steps: FxHashMap<Transition, Arc<[u32]>>,
    kept: usize,
}

impl Sets {
    /// Over these ranges, each of which holds a value. A variable that comes twice has what both have in common.
    ///
    /// # Errors
    /// [`Failure::TooManyValuations`].
    pub fn new(store: Store, ranges: impl IntoIterator<Item = (Variable, Interval)>) -> Result<Self, Failure> {
        let mut of: BTreeMap<Variable, Interval> = BTreeMap::new();
        for (variable, range) in ranges {
            let all = of.entry(variable).or_insert(Interval::ALL);
            *all = all.intersection(range);
        }
        let ranges: Vec<_> = of.into_iter().collect();
        let count = ranges.iter().fold(1u128, |count, (_, range)| count.saturating_mul(range.len()));
        if count > MOST_VALUATIONS as u128 {
            return Err(Failure::TooManyValuations(count));
        }
        let mut strides = vec![1; ranges.len()];
        for at in (1..ranges.len()).rev() {
            strides[at - 1] = strides[at] * ranges[at].1.len() as usize;
        }
        let count = count as usize;
        Ok(Self { store, ranges, strides, count, of: FxHashMap::default(), steps: FxHashMap::default(), kept: 0 })
    }

    /// How many valuations there are in all.
    pub fn valuations(&self) -> usize {
        self.count
    }

    fn place(&self, variable: Variable) -> Option<usize> {
        self.ranges.binary_search_by_key(&variable, |(of, _)| *of).ok()
    }

    /// Each value of the valuation of a number, by variable in `ranges`.
    fn digits(&self, at: usize, digits: &mut Vec<Value>) {
        digits.clear();
        for ((_, range), stride) in self.ranges.iter().zip(&self.strides) {
            digits.push(range.low + (at / stride % range.len() as usize) as Value);
        }
    }

    fn valuation(&self, at: usize) -> Valuation {
        let mut digits = Vec::new();
        self.digits(at, &mut digits);
        self.ranges.iter().zip(digits).map(|((variable, _), value)| (*variable, value)).collect()
    }

    /// Whether a valuation is in a set; what has no range does not matter.
    pub fn holds(&self, set: &Set, valuation: &Valuation) -> bool {
        let mut at = 0;
        for ((variable, range), stride) in self.ranges.iter().zip(&self.strides) {
            let value = valuation.get(*variable);
            if !range.contains(value) {
                return false;
            }
            at += (value - range.low) as usize * stride;
        }
        at < self.count && set.has(at)
    }

    fn make(&self, mut holds: impl FnMut(usize) -> bool) -> Set {
        let mut words = vec![0u64; self.count.div_ceil(64)];
        for at in (0..self.count).filter(|at| holds(*at)) {
            words[at / 64] |= 1 << (at % 64);
        }
        Set(words.into())
    }

    fn each_word(one: &Set, other: &Set, apply: impl Fn(u64, u64) -> u64) -> Set {
        Set(one.0.iter().zip(&*other.0).map(|(one, other)| apply(*one, *other)).collect())
    }

    fn keep(&mut self, words: usize) {
        self.kept += words;
        if self.kept > KEPT {
            self.kept = words;
            self.of.clear();
            self.steps.clear();
        }
    }

    /// Computes the value of a root at each valuation.
    fn column(&self, root: u32, meter: &mut Meter<'_>) -> Result<impl FnMut(&[Value]) -> Value + use<>, Failure> {
        let mut compiled = Compiled::new(&self.store, &[root]);
        let mut places: FxHashMap<Variable, usize> = FxHashMap::default();
        for variable in compiled.variables() {
            places.insert(variable, self.place(variable).ok_or(Failure::Undeclared(variable))?);
        }
        meter.spend(2 * (compiled.nodes.len() * self.count) as u64)?;
        Ok(move |digits: &[Value]| compiled.run(|variable| places.get(&variable).map_or(0, |at| digits[*at])))
    }

    /// By valuation, where a transition leads.
    fn step(&mut self, transition: &Transition, meter: &mut Meter<'_>) -> Result<Arc<[u32]>, Failure> {
        if let Some(known) = self.steps.get(transition) {
            return Ok(known.clone());
        }
        let mut guard = self.column(transition.guard.0, meter)?;
        let mut assigned = Vec::with_capacity(transition.assignments.len());
        for (variable, term) in &transition.assignments {
            let place = self.place(*variable).ok_or(Failure::Undeclared(*variable))?;
            assigned.push((place, self.column(term.0, meter)?));
        }
        let (mut digits, mut leads) = (Vec::new(), Vec::with_capacity(self.count));
        for at in 0..self.count {
            self.digits(at, &mut digits);
            if guard(&digits) == 0 {
                leads.push(NOWHERE);
                continue;
            }
            let mut next = at;
            for (place, term) in &mut assigned {
                let (variable, range) = self.ranges[*place];
                let value = term(&digits);
                if !range.contains(value) {
                    return Err(Failure::Leaves { variable, value });
                }
                let digit = |value: Value| (value - range.low) as usize * self.strides[*place];
                next = next + digit(value) - digit(digits[*place]);
            }
            leads.push(next as u32);
        }
        let leads: Arc<[u32]> = leads.into();
        self.keep(leads.len() / 2);
        self.steps.insert(transition.clone(), leads.clone());
        Ok(leads)
    }

    /// The states to which a step leads from those of a set: its image.
    ///
    /// # Errors
    /// As [`Predicates::before`].
    pub fn after(&mut self, transition: &Transition, set: &Set, meter: &mut Meter<'_>) -> Result<Set, Failure> {
        let leads = self.step(transition, meter)?;
        meter.spend(self.count as u64)?;
        let mut words = vec![0u64; self.count.div_ceil(64)];
        for (_, &to) in leads.iter().enumerate().filter(|(at, to)| **to != NOWHERE && set.has(*at)) {
            words[to as usize / 64] |= 1 << (to % 64);
        }
        Ok(Set(words.into()))
    }

    /// A formula that holds, within the ranges, for the valuations of a set alone.
    pub fn formula(&mut self, set: &Set) -> Formula {
        self.describe(set, 0, 0)
    }

    /// It recurses once for each variable, of which few have more than one value.
    fn describe(&mut self, set: &Set, level: usize, offset: usize) -> Formula {
        let Some(&(variable, range)) = self.ranges.get(level) else {
            return self.store.truth(self.count > 0 && set.has(offset));
        };
        let stride = self.strides[level];
        // What the other variables may be, and for which values of this one.
        let mut groups: Vec<(Vec<bool>, Vec<Interval>)> = Vec::new();
        let mut group: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        for at in 0..range.len() as usize {
            let value = range.low + at as Value;
            let rest: Vec<_> = (0..stride).map(|rest| set.has(offset + at * stride + rest)).collect();
            let at = *group.entry(rest.clone()).or_insert(groups.len());
            if at == groups.len() {
                groups.push((rest, Vec::new()));
            }
            let values = &mut groups[at].1;
            match values.last_mut() {
                Some(last) if last.high + 1 == value => last.high = value,
                _ => values.push(Interval::new(value, value)),
            }
        }
        let term = self.store.variable(variable);
        let mut cases = Vec::new();
        for (rest, values) in &groups {
            if !rest.contains(&true) {
                continue;
            }
            let at = (values[0].low - range.low) as usize;
            let rest = self.describe(set, level + 1, offset + at * stride);
            let others: Vec<_> = groups.iter().filter(|(_, of)| of != values).flat_map(|(_, of)| of.clone()).collect();
            // Whichever takes fewer words: the values, or those that are excluded.
            let positive = values.len() <= others.len() || others.is_empty();
            let chosen = if positive { values } else { &others };
            let mut parts = Vec::new();
            for &Interval { low, high } in chosen {
                let low = if low == range.low { Value::MIN } else { low };
                let high = if high == range.high { Value::MAX } else { high };
                parts.push(self.store.within(term, Interval::new(low, high)));
            }
            let mut here = self.store.or(&parts);
            if !positive {
                here = self.store.not(here);
            }
            cases.push(self.store.and(&[here, rest]));
        }
        self.store.or(&cases)
    }
}

impl Predicates for Sets {
    type Predicate = Set;

    fn store(&mut self) -> &mut Store {
        &mut self.store
    }

    fn truth(&mut self, holds: bool) -> Set {
        self.make(|_| holds)
    }

    fn of(&mut self, formula: Formula, meter: &mut Meter<'_>) -> Result<Set, Failure> {
        if let Some(known) = self.of.get(&formula) {
            return Ok(known.clone());
        }
        let mut column = self.column(formula.0, meter)?;
        let mut digits = Vec::new();
        let set = self.make(|at| {
            self.digits(at, &mut digits);
            column(&digits) != 0
        });
        self.keep(set.0.len() + 1);
        self.of.insert(formula, set.clone());
        Ok(set)
    }

    fn not(&mut self, predicate: &Set) -> Set {
        let all = self.truth(true);
        Self::each_word(&all, predicate, |all, word| all & !word)
    }

    fn and(&mut self, one: &Set, other: &Set) -> Set {
        Self::each_word(one, other, |one, other| one & other)
    }

    fn or(&mut self, one: &Set, other: &Set) -> Set {
        Self::each_word(one, other, |one, other| one | other)
    }

    fn before(&mut self, transition: &Transition, after: &Set, meter: &mut Meter<'_>) -> Result<Set, Failure> {
        let leads = self.step(transition, meter)?;
        meter.spend(self.count as u64)?;
        Ok(self.make(|at| leads[at] == NOWHERE || after.has(leads[at] as usize)))
    }

    fn most_inputs(&self) -> usize {
        MOST_VALUATIONS
    }

    fn for_all_values(
        &mut self,
        predicate: &Set,
        variable: Variable,
        values: &[Value],
        meter: &mut Meter<'_>,
    ) -> Result<Set, Failure> {
        let place = self.place(variable).ok_or(Failure::Undeclared(variable))?;
        let ((_, range), stride) = (self.ranges[place], self.strides[place]);
        if let Some(&value) = values.iter().find(|value| !range.contains(**value)) {
            return Err(Failure::Leaves { variable, value });
        }
        let all = range.len() as usize;
        meter.spend((self.count + self.count / all.max(1) * values.len()) as u64)?;
        // Which of the variable's values a valuation has does not matter.
        let without = |at: usize| at - at / stride % all * stride;
        let mut holds = vec![false; self.count];
        for at in (0..self.count).filter(|at| without(*at) == *at) {
            holds[at] = values.iter().all(|value| predicate.has(at + (value - range.low) as usize * stride));
        }
        Ok(self.make(|at| holds[without(at)]))
    }

    fn holds(&self, predicate: &Set, valuation: &Valuation) -> bool {
        Self::holds(self, predicate, valuation)
    }

    fn formula(&mut self, predicate: &Set) -> Formula {
        Self::formula(self, predicate)
    }

    fn model(&mut self, predicate: &Set, _: &mut Meter<'_>) -> Result<Answer, Paused> {
        Ok(predicate.first().map_or(Answer::No, |at| Answer::Yes(self.valuation(at))))
    }

    fn implies(&mut self, one: &Set, other: &Set, _: &mut Meter<'_>) -> Result<Implication, Paused> {
        let difference = Self::each_word(one, other, |one, other| one & !other);
        Ok(difference.first().map_or(Implication::Holds, |at| Implication::Fails(self.valuation(at))))
    }

    fn text(
        &mut self,
        predicate: &Set,
        name: &dyn Fn(Variable) -> String,
        _: &mut Meter<'_>,
    ) -> Result<(String, Proof), Paused> {
        let formula = self.formula(predicate);
        Ok((self.store.text(formula, name), Proof::Proven))
    }
}
