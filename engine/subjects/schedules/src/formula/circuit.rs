//! Formulas as circuits, bit by bit, in a SAT solver that keeps what it has learnt from one question to the next.
//!
//! The bits of a term come lowest first, the last of which is its sign, as many as hold all its values where the variables are
//! within their intervals. So `count < 1000` has eleven bits, and wraps where 64 bits do: whatever does not fit is computed
//! with all of them. Adders ripple, multipliers add, dividers restore (as by hand), shifts go by powers of two. Each gate is made once.

use super::interval::Interval;
use super::store::{Exact, Formula, Node, Operator, Store, Term};
use super::{Valuation, Variable};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use litmoscope_core::budget::{Halt, Meter};
use litmoscope_core::program::Integer;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Lets the solver stop after so many decisions and conflicts.
pub(super) struct Slice(pub(super) Cell<u64>);

impl Callbacks for Slice {
    fn stop(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left == 0
    }
}

/// The least number of decisions between two looks at the meter.
const SLICE: u64 = 1 << 12;

/// How many gates a circuit may have before the next question begins another one: each model gives all of them a value.
const GATES: u64 = 1 << 13;

type Bits = Vec<Lit>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Choose(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// A solver with the circuit of all that it was asked about.
pub(super) struct Circuit {
    solver: Solver<Slice>,
    truth: Lit,
    gates: FxHashMap<Gate, Lit>,
    /// By variable: where the circuit holds it.
    held: FxHashMap<Variable, Interval>,
    /// By id of a term.
    bits: FxHashMap<u32, Bits>,
    intervals: FxHashMap<u32, Interval>,
    /// By id of a formula.
    lits: FxHashMap<u32, Lit>,
    /// Quotient and remainder by operands, and whether they have no sign.
    quotients: FxHashMap<(Term, Term, bool), (Bits, Bits)>,
    clauses: u64,
    charged: u64,
    charged_gates: u64,
}

/// An interval that holds this one, of few different ones so that questions share circuits.
fn round(interval: Interval) -> Interval {
    let bits = interval.bits() - 1;
    let bits = [1, 2, 4, 8, 12, 16, 24, 32, 63].into_iter().find(|most| bits <= *most).unwrap_or(63);
    let high = i64::MAX >> (63 - bits);
    Interval::new(if interval.low >= 0 { 0 } else { !high }, high)
}

impl Circuit {
    pub(super) fn new() -> Self {
        let mut solver = Solver::new(SolverOpts::default(), Slice(Cell::new(0)));
        let truth = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        Self {
            solver,
            truth,
            gates: FxHashMap::default(),
            held: FxHashMap::default(),
            bits: FxHashMap::default(),
            intervals: FxHashMap::default(),
            lits: FxHashMap::default(),
            quotients: FxHashMap::default(),
            clauses: 1,
            charged: 0,
            charged_gates: 0,
        }
    }

    /// Whether it can be asked about variables in these intervals, and is not much larger than another one would be.
    pub(super) fn fits(&self, intervals: &[(Variable, Interval)]) -> bool {
        u64::from(self.solver.num_vars()) < GATES
            && intervals.iter().all(|(variable, interval)| {
                let Some(held) = self.held.get(variable) else { return true };
                held.includes(*interval) && held.bits() <= 4 + 2 * round(*interval).bits()
            })
    }

    /// Asks for a valuation that satisfies all conjuncts, of which there is none but in the intervals. `None`: there is none.
    ///
    /// # Errors
    /// [`Halt`] at the limit, or to come back: what was built and learnt is kept.
    pub(super) fn solve(
        &mut self,
        store: &Store,
        conjuncts: &[Formula],
        intervals: &[(Variable, Interval)],
        meter: &mut Meter<'_>,
    ) -> Result<Option<Valuation>, Halt> {
        for (variable, interval) in intervals {
            self.held.entry(*variable).or_insert_with(|| round(*interval));
        }
        let mut assumptions = Vec::with_capacity(conjuncts.len());
        for conjunct in conjuncts {
            self.build(store, *conjunct, meter)?;
            assumptions.push(self.lits[&conjunct.0]);
        }
        loop {
            // Enough to give each gate a value, or a search that begins anew would not get on.
            let slice = SLICE.max(2 * u64::from(self.solver.num_vars()));
            self.solver.cb_mut().0.set(slice);
            let answer = self.solver.solve_limited(&assumptions);
            // As measured: a propagation takes as long as some dozen of other units.
            let work = 32 * self.solver.num_propagations() + 512 * self.solver.num_conflicts();
            let more = work.saturating_sub(self.charged);
            self.charged = work;
            if answer == lbool::FALSE {
                // Answered, whatever that has cost.
                let _ = meter.charge(more);
                return Ok(None);
            }
            if answer == lbool::TRUE {
                let _ = meter.charge(more);
                return Ok(Some(self.model(store, intervals)));
            }
            meter.charge(more)?;
        }
    }

    fn model(&self, store: &Store, intervals: &[(Variable, Interval)]) -> Valuation {
        let mut valuation = Valuation::default();
        for (variable, _) in intervals {
            let Some(id) = store.id_of(&Node::Variable(*variable)) else { continue };
            let Some(bits) = self.bits.get(&id) else { continue };
            let bit = |at: usize| self.solver.value_lit(bits[at.min(bits.len() - 1)]) == lbool::TRUE;
            let value = (0..64).fold(0, |value, at| value | i64::from(bit(at)) << at);
            valuation.set(*variable, value);
        }
        valuation
    }

    /// Makes the circuit of a formula.
    fn build(&mut self, store: &Store, formula: Formula, meter: &mut Meter<'_>) -> Result<(), Halt> {
        let cone = store.cone(&[formula.0], |id| !self.lits.contains_key(&id) && !self.bits.contains_key(&id));
        for id in cone {
            let node = store.node(id);
            if let Some(lit) = self.formula(node) {
                self.lits.insert(id, lit);
            } else {
                let interval = match node {
                    Node::Variable(variable) => self.held.get(variable).copied().unwrap_or(Interval::ALL),
                    _ => Interval::of_node(node, |part| self.interval_of(part)),
                };
                self.intervals.insert(id, interval);
                let mut bits = self.term(node, interval);
                bits.truncate(interval.bits());
                self.bits.insert(id, bits);
            }
            let gates = u64::from(self.solver.num_vars()) + self.clauses;
            let more = gates.saturating_sub(self.charged_gates);
            self.charged_gates = gates;
            meter.charge(8 + 16 * more)?;
            meter.hold(8 * gates)?;
        }
        Ok(())
    }

    fn interval_of(&self, id: u32) -> Interval {
        match self.intervals.get(&id) {
            Some(interval) => *interval,
            None => Interval::new(0, 1),
        }
    }

    fn interval(&self, term: Term) -> Interval {
        self.interval_of(term.0)
    }

    fn lit(&self, formula: Formula) -> Lit {
        self.lits.get(&formula.0).copied().unwrap_or(self.truth)
    }

    /// The bits of a term, extended or cut.
    fn wide(&self, term: Term, width: usize) -> Bits {
        self.bits.get(&term.0).map_or_else(Vec::new, |bits| extend(bits, width))
    }

    fn formula(&mut self, node: &Node) -> Option<Lit> {
        Some(match node {
            Node::True => self.truth,
            Node::Not(part) => !self.lit(*part),
            Node::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.lit(*part)).collect();
                self.all(parts)
            }
            Node::Equal(left, right) => {
                if !self.interval(*left).meets(self.interval(*right)) {
                    return Some(!self.truth);
                }
                let (left, right) = self.both(*left, *right);
                let same: Vec<_> = left.iter().zip(&right).map(|(a, b)| !self.xor(*a, *b)).collect();
                self.all(same)
            }
            Node::Less(left, right) => {
                let (mut left, mut right) = self.both(*left, *right);
                // With the signs swapped, numbers with a sign compare as those without.
                flip_last(&mut left);
                flip_last(&mut right);
                self.less(&left, &right)
            }
            Node::LessUnsigned(left, right) => {
                let (left, right) = self.both(*left, *right);
                self.less(&left, &right)
            }
            Node::Overflows(exact, left, right) => {
                match self.interval(*left).overflows(*exact, self.interval(*right)) {
                    Some(true) => self.truth,
                    Some(false) => !self.truth,
                    None => self.overflows(*exact, *left, *right),
                }
            }
            _ => return None,
        })
    }

    fn both(&self, left: Term, right: Term) -> (Bits, Bits) {
        let width = self.interval(left).bits().max(self.interval(right).bits());
        (self.wide(left, width), self.wide(right, width))
    }

    fn overflows(&mut self, exact: Exact, left: Term, right: Term) -> Lit {
        let widths = (self.interval(left).bits(), self.interval(right).bits());
        let width = if exact == Exact::Multiply { widths.0 + widths.1 } else { 65 };
        let (left, right) = (self.wide(left, width), self.wide(right, width));
        let result = match exact {
            Exact::Add => self.add(&left, &right, !self.truth),
            Exact::Subtract => self.subtract(&left, &right),
            Exact::Multiply => self.multiply(&left, &right, width),
        };
        let sign = result[width - 1];
        let same: Vec<_> = result[63..width - 1].iter().map(|bit| !self.xor(*bit, sign)).collect();
        !self.all(same)
    }

    fn term(&mut self, node: &Node, interval: Interval) -> Bits {
        let width = interval.bits();
        if interval.low == interval.high {
            return self.constant(interval.low, width);
        }
        match node {
            Node::Variable(_) => {
                let mut bits: Bits = (0..width).map(|_| self.fresh()).collect();
                if interval.low >= 0 {
                    bits[width - 1] = !self.truth;
                }
                bits
            }
            Node::Negate(part) => {
                let bits: Bits = self.wide(*part, width).into_iter().map(|bit| !bit).collect();
                self.increment(&bits, self.truth)
            }
            Node::Complement(part) => self.wide(*part, width).into_iter().map(|bit| !bit).collect(),
            Node::Convert(to, part) => {
                let bits = to.bits() as usize;
                let mut low = self.wide(*part, bits);
                if *to == Integer::Bool || !to.is_signed() {
                    low.push(!self.truth);
                }
                extend(&low, width)
            }
            Node::Choose(condition, then, otherwise) => {
                let condition = self.lit(*condition);
                let (then, otherwise) = (self.wide(*then, width), self.wide(*otherwise, width));
                self.choose_bits(condition, &then, &otherwise)
            }
            Node::Binary(operator, left, right) => self.binary(*operator, *left, *right, width),
            // Constants have an interval of one value; the rest are formulas.
            _ => self.constant(interval.low, width),
        }
    }

    fn binary(&mut self, operator: Operator, left: Term, right: Term, width: usize) -> Bits {
        let natural = self.interval(left).low >= 0;
        match operator {
            Operator::Add => {
                let (left, right) = (self.wide(left, width), self.wide(right, width));
                self.add(&left, &right, !self.truth)
            }
            Operator::Subtract => {
                let (left, right) = (self.wide(left, width), self.wide(right, width));
                self.subtract(&left, &right)
            }
            Operator::Multiply => {
                let (left, right) = (self.wide(left, width), self.wide(right, width));
                self.multiply(&left, &right, width)
            }
            Operator::BitAnd | Operator::BitOr | Operator::BitXor => {
                let (left, right) = self.both(left, right);
                let gate = |circuit: &mut Self, (a, b): (&Lit, &Lit)| match operator {
                    Operator::BitAnd => circuit.and(*a, *b),
                    Operator::BitOr => !circuit.and(!*a, !*b),
                    _ => circuit.xor(*a, *b),
                };
                let bits: Bits = left.iter().zip(&right).map(|pair| gate(self, pair)).collect();
                extend(&bits, width)
            }
            Operator::ShiftLeft => {
                let (bits, distance) = (self.wide(left, width), self.wide(right, 6));
                self.shift_left(bits, &distance)
            }
            Operator::ShiftRight | Operator::ShiftRightUnsigned => {
                let logical = operator == Operator::ShiftRightUnsigned && !natural;
                let bits = self.wide(left, if logical { 64 } else { self.interval(left).bits() });
                let fill = if logical { !self.truth } else { bits[bits.len() - 1] };
                let distance = self.wide(right, 6);
                let bits = self.shift_right(bits, &distance, fill);
                extend(&bits, width)
            }
            Operator::Divide | Operator::Remainder => {
                let (quotient, remainder) = self.divide(left, right, false);
                extend(if operator == Operator::Divide { &quotient } else { &remainder }, width)
            }
            Operator::DivideUnsigned | Operator::RemainderUnsigned => {
                let unsigned = !(natural && self.interval(right).low >= 0);
                let (quotient, remainder) = self.divide(left, right, unsigned);
                extend(if operator == Operator::DivideUnsigned { &quotient } else { &remainder }, width)
            }
        }
    }

    fn constant(&self, value: i64, width: usize) -> Bits {
        (0..width).map(|at| if value >> at.min(63) & 1 == 1 { self.truth } else { !self.truth }).collect()
    }

    /// The sum of as many bits.
    fn add(&mut self, left: &[Lit], right: &[Lit], mut carry: Lit) -> Bits {
        let mut sum = Vec::with_capacity(left.len());
        for (&a, &b) in left.iter().zip(right) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            if sum.len() < left.len() {
                carry = self.majority(a, b, carry);
            }
        }
        sum
    }

    fn subtract(&mut self, left: &[Lit], right: &[Lit]) -> Bits {
        let right: Bits = right.iter().map(|bit| !*bit).collect();
        self.add(left, &right, self.truth)
    }

    fn increment(&mut self, bits: &[Lit], by: Lit) -> Bits {
        let zero = vec![!self.truth; bits.len()];
        self.add(bits, &zero, by)
    }

    /// Their product of `width` bits, as which they come.
    fn multiply(&mut self, left: &[Lit], right: &[Lit], width: usize) -> Bits {
        let known = |bits: &[Lit]| bits.iter().filter(|bit| bit.var() == self.truth.var()).count();
        let (left, right) = if known(left) > known(right) { (right, left) } else { (left, right) };
        let mut product = vec![!self.truth; width];
        for (at, &factor) in right.iter().enumerate() {
            if factor == !self.truth {
                continue;
            }
            let addend: Bits = left[..width - at].iter().map(|bit| self.and(*bit, factor)).collect();
            let high = self.add(&product[at..], &addend, !self.truth);
            product.splice(at.., high);
        }
        product
    }

    fn shift_left(&mut self, mut bits: Bits, distance: &[Lit]) -> Bits {
        for (power, &by) in distance.iter().enumerate() {
            let step = 1 << power;
            let shifted: Bits =
                (0..bits.len()).map(|at| if at < step { !self.truth } else { bits[at - step] }).collect();
            bits = self.choose_bits(by, &shifted, &bits);
        }
        bits
    }

    fn shift_right(&mut self, mut bits: Bits, distance: &[Lit], fill: Lit) -> Bits {
        for (power, &by) in distance.iter().enumerate() {
            let step = 1 << power;
            let shifted: Bits = (0..bits.len()).map(|at| bits.get(at + step).copied().unwrap_or(fill)).collect();
            bits = self.choose_bits(by, &shifted, &bits);
        }
        bits
    }

    /// Quotient and remainder, both 0 if the right operand is.
    fn divide(&mut self, left: Term, right: Term, unsigned: bool) -> (Bits, Bits) {
        if let Some(known) = self.quotients.get(&(left, right, unsigned)) {
            return known.clone();
        }
        let width =
            if unsigned { 64 } else { (self.interval(left).bits().max(self.interval(right).bits()) + 1).min(64) };
        let (mut dividend, mut divisor) = (self.wide(left, width), self.wide(right, width));
        let mut signs = (!self.truth, !self.truth);
        if !unsigned {
            signs = (dividend[width - 1], divisor[width - 1]);
            dividend = self.negate_if(signs.0, &dividend);
            divisor = self.negate_if(signs.1, &divisor);
        }
        let nonzero: Bits = divisor.iter().map(|bit| !*bit).collect();
        let nonzero = !self.all(nonzero);
        divisor.push(!self.truth);
        let mut remainder = vec![!self.truth; width + 1];
        let mut quotient = vec![!self.truth; width];
        for at in (0..width).rev() {
            remainder.rotate_right(1);
            remainder[0] = dividend[at];
            let fits = !self.less(&remainder, &divisor);
            let less = self.subtract(&remainder, &divisor);
            remainder = self.choose_bits(fits, &less, &remainder);
            quotient[at] = fits;
        }
        remainder.truncate(width);
        let opposite = self.xor(signs.0, signs.1);
        let quotient = self.negate_if(opposite, &quotient);
        let remainder = self.negate_if(signs.0, &remainder);
        let quotient: Bits = quotient.into_iter().map(|bit| self.and(bit, nonzero)).collect();
        let remainder: Bits = remainder.into_iter().map(|bit| self.and(bit, nonzero)).collect();
        self.quotients.insert((left, right, unsigned), (quotient.clone(), remainder.clone()));
        (quotient, remainder)
    }

    fn negate_if(&mut self, negative: Lit, bits: &[Lit]) -> Bits {
        let flipped: Bits = bits.iter().map(|bit| self.xor(*bit, negative)).collect();
        self.increment(&flipped, negative)
    }

    /// Whether one number without a sign is less than another.
    fn less(&mut self, left: &[Lit], right: &[Lit]) -> Lit {
        // The carry of `right + not left`, that is of `right - left - 1`.
        let mut less = !self.truth;
        for (&a, &b) in left.iter().zip(right) {
            less = self.majority(!a, b, less);
        }
        less
    }

    fn choose_bits(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Bits {
        then.iter().zip(otherwise).map(|(a, b)| self.choose(condition, *a, *b)).collect()
    }

    fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn clause(&mut self, lits: &[Lit]) {
        self.clauses += 1;
        self.solver.add_clause_reuse(&mut lits.to_vec());
    }

    fn gate(&mut self, gate: Gate) -> (Lit, bool) {
        if let Some(known) = self.gates.get(&gate) {
            return (*known, false);
        }
        let fresh = self.fresh();
        self.gates.insert(gate, fresh);
        (fresh, true)
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == !self.truth || b == !self.truth || a == !b {
            return !self.truth;
        }
        if a == self.truth || a == b {
            return b;
        }
        if b == self.truth {
            return a;
        }
        let (out, new) = self.gate(Gate::And(a.min(b), a.max(b)));
        if new {
            self.clause(&[!out, a]);
            self.clause(&[!out, b]);
            self.clause(&[out, !a, !b]);
        }
        out
    }

    /// Whether all hold.
    fn all(&mut self, mut lits: Vec<Lit>) -> Lit {
        lits.retain(|lit| *lit != self.truth);
        lits.sort_unstable();
        lits.dedup();
        match *lits {
            [] => self.truth,
            [only] => only,
            [a, b] => self.and(a, b),
            _ if lits.contains(&!self.truth) => !self.truth,
            _ => {
                let out = self.fresh();
                for &lit in &lits {
                    self.clause(&[!out, lit]);
                }
                lits.iter_mut().for_each(|lit| *lit = !*lit);
                lits.push(out);
                self.clause(&lits);
                out
            }
        }
    }

    fn xor(&mut self, mut a: Lit, mut b: Lit) -> Lit {
        // Of both in their positive form, so that negations share a gate.
        let flip = a.sign() == b.sign();
        if !a.sign() {
            a = !a;
        }
        if !b.sign() {
            b = !b;
        }
        let out = if a == b {
            !self.truth
        } else if a == self.truth {
            !b
        } else if b == self.truth {
            !a
        } else {
            let (out, new) = self.gate(Gate::Xor(a.min(b), a.max(b)));
            if new {
                self.clause(&[!out, a, b]);
                self.clause(&[!out, !a, !b]);
                self.clause(&[out, !a, b]);
                self.clause(&[out, a, !b]);
            }
            out
        };
        if flip { out } else { !out }
    }

    fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if condition == self.truth || then == otherwise {
            return then;
        }
        if condition == !self.truth {
            return otherwise;
        }
        if then == !otherwise {
            return !self.xor(condition, then);
        }
        if then == self.truth || then == condition {
            return !self.and(!condition, !otherwise);
        }
        if then == !self.truth || then == !condition {
            return self.and(!condition, otherwise);
        }
        if otherwise == self.truth || otherwise == !condition {
            return !self.and(condition, !then);
        }
        if otherwise == !self.truth || otherwise == condition {
            return self.and(condition, then);
        }
        let (out, new) = self.gate(Gate::Choose(condition, then, otherwise));
        if new {
            self.clause(&[!condition, !then, out]);
            self.clause(&[!condition, then, !out]);
            self.clause(&[condition, !otherwise, out]);
            self.clause(&[condition, otherwise, !out]);
            // Not needed, but the solver sees sooner what does not depend on the condition.
            self.clause(&[!then, !otherwise, out]);
            self.clause(&[then, otherwise, !out]);
        }
        out
    }

    /// Whether two of three hold.
    fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        for (one, two, three) in [(a, b, c), (b, c, a), (c, a, b)] {
            if one == two {
                return one;
            }
            if one == !two {
                return three;
            }
            if one == self.truth {
                return !self.and(!two, !three);
            }
            if one == !self.truth {
                return self.and(two, three);
            }
        }
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        let (out, new) = self.gate(Gate::Majority(a, b, c));
        if new {
            for (one, two) in [(a, b), (b, c), (a, c)] {
                self.clause(&[!one, !two, out]);
                self.clause(&[one, two, !out]);
            }
        }
        out
    }
}

fn extend(bits: &[Lit], width: usize) -> Bits {
    (0..width).map(|at| bits[at.min(bits.len() - 1)]).collect()
}

fn flip_last(bits: &mut [Lit]) {
    if let Some(sign) = bits.last_mut() {
        *sign = !*sign;
    }
}
