//! Terms and formulas against core's operators and against all valuations of small ranges; both kinds of predicates against each
//! other; what is relied on of the SAT solver.

use super::circuit::Circuit;
use super::*;
use litmoscope_core::budget::{Budget, Halt, Meter, Paused};
use litmoscope_core::program::{
    Arithmetic, BinaryOperator, EvaluationError, Expression, Integer, PlaceKind, Program, RegisterId, UnaryOperator,
    Update, UpdateOperator,
};
use litmoscope_core::random::Random;
use litmoscope_core::testing::seeds;

/// Where 64 bits, types and shifts end.
const ENDS: [Value; 26] = [
    Value::MIN,
    Value::MIN + 1,
    -(1 << 32),
    -(1 << 31) - 1,
    -(1 << 31),
    -32769,
    -128,
    -65,
    -2,
    -1,
    0,
    1,
    2,
    3,
    7,
    31,
    63,
    64,
    127,
    256,
    65535,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    Value::MAX - 1,
    Value::MAX,
];

const PLAIN: [BinaryOperator; 18] = [
    BinaryOperator::Add,
    BinaryOperator::Subtract,
    BinaryOperator::Multiply,
    BinaryOperator::Divide,
    BinaryOperator::Remainder,
    BinaryOperator::BitAnd,
    BinaryOperator::BitOr,
    BinaryOperator::BitXor,
    BinaryOperator::ShiftLeft,
    BinaryOperator::ShiftRight,
    BinaryOperator::Equal,
    BinaryOperator::NotEqual,
    BinaryOperator::Less,
    BinaryOperator::LessOrEqual,
    BinaryOperator::Greater,
    BinaryOperator::GreaterOrEqual,
    BinaryOperator::And,
    BinaryOperator::Or,
];

const ARITHMETIC: [Arithmetic; 11] = [
    Arithmetic::Add,
    Arithmetic::Subtract,
    Arithmetic::Multiply,
    Arithmetic::Divide,
    Arithmetic::Remainder,
    Arithmetic::ShiftLeft,
    Arithmetic::ShiftRight,
    Arithmetic::Less,
    Arithmetic::LessOrEqual,
    Arithmetic::Greater,
    Arithmetic::GreaterOrEqual,
];

fn types() -> impl Iterator<Item = Integer> {
    Integer::ALL.into_iter().chain([Integer::Address])
}

fn operators() -> Vec<BinaryOperator> {
    let typed = types().flat_map(|integer| ARITHMETIC.map(|operator| BinaryOperator::Typed(operator, integer)));
    PLAIN.into_iter().chain(typed).collect()
}

/// What an operand of an operator is: a value of its type, or any distance of a shift.
fn operand(operator: BinaryOperator, value: Value, right: bool) -> Value {
    match operator {
        BinaryOperator::Typed(Arithmetic::ShiftLeft | Arithmetic::ShiftRight, _) if right => value,
        BinaryOperator::Typed(_, integer) => integer.convert(value),
        _ => value,
    }
}

/// As core's interpreter does it.
fn evaluate(expression: &Expression, registers: &[Value]) -> Result<Value, EvaluationError> {
    match expression {
        Expression::Constant(value) => Ok(*value),
        Expression::Register(register) => Ok(registers[usize::from(register.0)]),
        Expression::Access(_) => unreachable!(),
        Expression::Unary(operator, operand) => Ok(operator.apply(evaluate(operand, registers)?)),
        Expression::Binary(operator, left, right) => {
            let left = evaluate(left, registers)?;
            match operator {
                BinaryOperator::And if left == 0 => Ok(0),
                BinaryOperator::Or if left != 0 => Ok(1),
                _ => operator.apply(left, evaluate(right, registers)?),
            }
        }
    }
}

fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len() as u64) as usize]
}

/// A random expression over so many registers. `small` has small constants and no operators that are slow to decide.
fn random_expression(random: &mut Random, registers: u64, depth: u32, small: bool) -> Expression {
    if depth == 0 || random.below(6) == 0 {
        return if random.below(3) == 0 {
            Expression::Constant(if small { random.below(9) as Value - 4 } else { pick(random, &ENDS) })
        } else {
            Expression::Register(RegisterId(random.below(registers) as u16))
        };
    }
    let part = |random: &mut Random| Box::new(random_expression(random, registers, depth - 1, small));
    if random.below(6) == 0 {
        let operator = match random.below(6) {
            0 => UnaryOperator::Negate,
            1 => UnaryOperator::Complement,
            2 | 3 => UnaryOperator::Not,
            _ => UnaryOperator::Convert(pick(random, &Integer::ALL)),
        };
        return Expression::Unary(operator, part(random));
    }
    let operator = match random.below(8) {
        0 => {
            let integers: Vec<_> = types().collect();
            BinaryOperator::Typed(pick(random, &ARITHMETIC), pick(random, &integers))
        }
        1 | 2 => pick(random, &PLAIN[10..16]),
        3 | 4 => pick(random, &PLAIN[16..]),
        _ => pick(random, &PLAIN),
    };
    let (mut left, mut right) = (part(random), part(random));
    if let BinaryOperator::Typed(arithmetic, integer) = operator {
        left = Box::new(Expression::Unary(UnaryOperator::Convert(integer), left));
        if !matches!(arithmetic, Arithmetic::ShiftLeft | Arithmetic::ShiftRight) {
            right = Box::new(Expression::Unary(UnaryOperator::Convert(integer), right));
        }
    }
    Expression::Binary(operator, left, right)
}

fn register(store: &mut Store, register: RegisterId) -> Option<Term> {
    Some(store.variable(Variable(u32::from(register.0))))
}

fn defined(store: &mut Store, expression: &Expression) -> Defined {
    store.expression(expression, &mut register).expect("no accesses")
}

/// A random formula, of the value of an expression and of whether it has one.
fn random_formula(store: &mut Store, random: &mut Random, variables: u64, depth: u32, small: bool) -> Formula {
    let expression = random_expression(random, variables, depth, small);
    let Defined { value, defined } = defined(store, &expression);
    let holds = store.nonzero(value);
    match random.below(4) {
        0 => store.implication(defined, holds),
        1 => store.and(&[defined, holds]),
        _ => holds,
    }
}

fn valuation(values: &[Value]) -> Valuation {
    (0..).map(Variable).zip(values.iter().copied()).collect()
}

/// All valuations of variables within ranges.
fn all(ranges: &[Interval]) -> Vec<Vec<Value>> {
    ranges.iter().fold(vec![Vec::new()], |all, range| {
        let longer = |values: &Vec<Value>| {
            let values = values.clone();
            (range.low..=range.high).map(move |value| values.iter().copied().chain([value]).collect())
        };
        all.iter().flat_map(longer).collect()
    })
}

fn within(store: &mut Store, formula: Formula, ranges: &[Interval]) -> Formula {
    let mut parts = vec![formula];
    for (variable, range) in (0..).map(Variable).zip(ranges) {
        let term = store.variable(variable);
        parts.push(store.within(term, *range));
    }
    store.and(&parts)
}

fn random_range(random: &mut Random) -> Interval {
    let low = pick(random, &[-4, -1, 0, 0, 0, 1, Value::MIN, Value::MAX - 3]);
    Interval::new(low, low + random.below(4) as Value)
}

fn unlimited<T>(ask: impl FnOnce(&mut Meter<'_>) -> T) -> T {
    ask(&mut Meter::unlimited(&mut Budget::unlimited()))
}

fn named(variable: Variable) -> String {
    ["mutex", "count", "x", "y"]
        .get(variable.0 as usize)
        .map_or_else(|| format!("v{}", variable.0), |name| (*name).to_owned())
}

/// A formula of a text as programs have it, over mutex, count, x and y.
fn parsed(store: &mut Store, text: &str) -> Formula {
    let program = litmoscope_core::syntax::parse(&format!("mutex := 0; count := 0; x := 0; y := 0; assert({text})"));
    let program = program.unwrap_or_else(|errors| panic!("{text}: {errors:?}")).program;
    let thread = &program.threads[0];
    let Some(litmoscope_core::program::StatementKind::Assert(condition)) =
        thread.body.last().map(|statement| &statement.kind)
    else {
        panic!("no assertion at the end")
    };
    let value = defined(store, &with_registers(&program, condition)).value;
    store.nonzero(value)
}

/// A read of an object becomes the register of the number that `named` gives it.
fn with_registers(program: &Program, expression: &Expression) -> Expression {
    let boxed = |part: &Expression| Box::new(with_registers(program, part));
    match expression {
        Expression::Access(access) => match access.place.kind {
            PlaceKind::Element { object, .. } => {
                let name = &program.objects[usize::from(object.0)].name;
                let number = (0..4).find(|number| named(Variable(*number)) == *name).expect("one of four");
                Expression::Register(RegisterId(number as u16))
            }
            PlaceKind::Pointee(_) => panic!("a pointer"),
        },
        Expression::Unary(operator, operand) => Expression::Unary(*operator, boxed(operand)),
        Expression::Binary(operator, left, right) => Expression::Binary(*operator, boxed(left), boxed(right)),
        _ => expression.clone(),
    }
}

#[test]
fn expressions_have_the_values_that_core_gives_them() {
    for seed in seeds(10_000) {
        let random = &mut Random::new(seed);
        let mut store = Store::new();
        let expression = random_expression(random, 3, 4, false);
        let Defined { value, defined } = defined(&mut store, &expression);
        for _ in 0..20 {
            let values: Vec<_> = (0..3).map(|_| pick(random, &ENDS)).collect();
            let expected = evaluate(&expression, &values);
            let given = valuation(&values);
            assert_eq!(store.evaluate(defined, &given), expected.is_ok(), "seed {seed}: {expression:?} at {values:?}");
            if let Ok(expected) = expected {
                assert_eq!(store.value(value, &given), expected, "seed {seed}: {expression:?} at {values:?}");
                assert!(store.interval(value).contains(expected), "seed {seed}: {expression:?} at {values:?}");
            }
        }
    }
}

#[test]
fn operators_are_core_s_with_variables_and_with_constants() {
    for operator in operators() {
        let mut store = Store::new();
        let (x, y) = (store.variable(Variable(0)), store.variable(Variable(1)));
        let free = store.apply(operator, x, y);
        for left in ENDS.map(|value| operand(operator, value, false)) {
            for right in ENDS.map(|value| operand(operator, value, true)) {
                let expected = operator.apply(left, right);
                let (a, b) = (store.constant(left), store.constant(right));
                let all = [free, store.apply(operator, a, b), store.apply(operator, x, b), store.apply(operator, a, y)];
                for result in all {
                    let given = valuation(&[left, right]);
                    assert_eq!(store.evaluate(result.defined, &given), expected.is_ok(), "{left} {operator:?} {right}");
                    if let Ok(expected) = expected {
                        assert_eq!(store.value(result.value, &given), expected, "{left} {operator:?} {right}");
                    }
                }
            }
        }
    }
}

/// Asks the SAT solver, and nothing before it.
fn searched(circuit: &mut Circuit, store: &Store, parts: &[Formula], ranges: &[Interval]) -> Option<Valuation> {
    let ranges: Vec<_> = (0..).map(Variable).zip(ranges.iter().copied()).collect();
    unlimited(|meter| circuit.solve(store, parts, &ranges, meter)).expect("no limit")
}

#[test]
fn circuits_compute_what_core_does() {
    let pairs = seeds(8);
    for operator in operators() {
        let random = &mut Random::new(pairs.start);
        let mut store = Store::new();
        let mut circuit = Circuit::new();
        let (x, y) = (store.variable(Variable(0)), store.variable(Variable(1)));
        let result = store.apply(operator, x, y);
        for _ in pairs.clone() {
            let (left, right) =
                (operand(operator, pick(random, &ENDS), false), operand(operator, pick(random, &ENDS), true));
            let expected = operator.apply(left, right);
            let (a, b) = (store.constant(left), store.constant(right));
            let inputs = [store.equal(x, a), store.equal(y, b)];
            let wrong = match expected {
                Ok(value) => {
                    let value = store.constant(value);
                    let equal = store.equal(result.value, value);
                    let right = store.and(&[equal, result.defined]);
                    store.not(right)
                }
                Err(_) => result.defined,
            };
            let right_one = store.not(wrong);
            let ranges = [Interval::ALL; 2];
            assert_eq!(
                searched(&mut circuit, &store, &[inputs[0], inputs[1], wrong], &ranges),
                None,
                "{left} {operator:?} {right}"
            );
            let found =
                searched(&mut circuit, &store, &[inputs[0], inputs[1], right_one], &ranges).expect("it is right");
            assert_eq!((found.get(Variable(0)), found.get(Variable(1))), (left, right), "{operator:?}");
        }
    }
}

#[test]
fn conversions_and_other_operators_with_one_operand_are_core_s() {
    let operators = [UnaryOperator::Negate, UnaryOperator::Complement, UnaryOperator::Not];
    for operator in operators.into_iter().chain(types().map(UnaryOperator::Convert)) {
        let mut store = Store::new();
        let mut circuit = Circuit::new();
        let x = store.variable(Variable(0));
        let term = store.unary(operator, x);
        for value in ENDS {
            let constant = store.constant(value);
            let folded = store.unary(operator, constant);
            let expected = operator.apply(value);
            assert_eq!(store.constant_of(folded), Some(expected), "{operator:?} {value}");
            assert_eq!(store.value(term, &valuation(&[value])), expected, "{operator:?} {value}");
            let expected = store.constant(expected);
            let input = store.equal(x, constant);
            let equal = store.equal(term, expected);
            let wrong = store.not(equal);
            assert_eq!(searched(&mut circuit, &store, &[input, wrong], &[Interval::ALL]), None, "{operator:?} {value}");
        }
    }
}

#[test]
fn updates_write_what_core_s_do() {
    use UpdateOperator::{Add, And, Exchange, Max, Min, Or, Subtract, Xor};
    for operator in [Add, Subtract, And, Or, Xor, Exchange, Max, Min] {
        for integer in types() {
            let mut store = Store::new();
            let (read, operand) = (store.variable(Variable(0)), store.variable(Variable(1)));
            let written = store.fetched(operator, read, operand, integer);
            for left in ENDS.map(|value| integer.convert(value)) {
                for right in ENDS.map(|value| integer.convert(value)) {
                    let expected = Update::Fetch(operator, right, integer).written(left);
                    let value = store.value(written, &valuation(&[left, right]));
                    assert_eq!(Some(value), expected, "{operator:?} {integer:?} {left} {right}");
                }
            }
        }
    }
}

#[test]
fn satisfiable_is_what_some_valuation_satisfies() {
    for seed in seeds(1_500) {
        let random = &mut Random::new(seed);
        let mut store = Store::new();
        let ranges: Vec<_> = (0..1 + random.below(3)).map(|_| random_range(random)).collect();
        let variables = ranges.len() as u64;
        let free = random_formula(&mut store, random, variables, 4, true);
        let formula = within(&mut store, free, &ranges);
        let valuations = all(&ranges);
        let expected = valuations.iter().any(|values| store.evaluate(free, &valuation(values)));
        let name = || format!("seed {seed}: {}", store.text(formula, &named));
        assert_eq!(valuations.iter().any(|values| store.evaluate(formula, &valuation(values))), expected, "{}", name());
        let parts = store.conjuncts(formula);
        let found = searched(&mut Circuit::new(), &store, &parts, &ranges);
        assert_eq!(found.is_some(), expected, "{}", name());
        assert!(found.is_none_or(|found| store.evaluate(formula, &found)), "{}", name());
        let text = name();
        for mut solver in [Solver::new(), Solver::within((0..).map(Variable).zip(ranges.iter().copied()))] {
            let formula = if solver.knows_ranges() { free } else { formula };
            match unlimited(|meter| solver.satisfiable(&mut store, formula, meter)) {
                Ok(Answer::Yes(found)) => {
                    assert!(expected && store.evaluate(formula, &found), "{text}");
                    assert!(
                        (0..)
                            .map(Variable)
                            .zip(&ranges)
                            .all(|(v, range)| !store.variables(formula).contains(&v) || range.contains(found.get(v))),
                        "{text}"
                    );
                }
                answer => assert_eq!((answer, expected), (Ok(Answer::No), false), "{text}"),
            }
        }
    }
}

#[test]
fn one_solver_answers_many_questions() {
    for seed in seeds(100) {
        let random = &mut Random::new(seed);
        let (mut store, mut solver) = (Store::new(), Solver::new());
        let wide = [Interval::new(-2, 3), Interval::new(0, 4), Interval::new(-1, 1)];
        let narrow = [Interval::new(0, 1), Interval::new(0, 1), Interval::new(-1, 0)];
        for _ in 0..40 {
            let ranges = if random.below(2) == 0 { wide } else { narrow };
            let one = random_formula(&mut store, random, 3, 4, true);
            let one = within(&mut store, one, &ranges);
            let other = random_formula(&mut store, random, 3, 3, true);
            let valuations = all(&ranges);
            let fails = |values: &Vec<Value>| {
                store.evaluate(one, &valuation(values)) && !store.evaluate(other, &valuation(values))
            };
            let expected = !valuations.iter().any(fails);
            let text = format!("seed {seed}: {} implies {}", store.text(one, &named), store.text(other, &named));
            match unlimited(|meter| solver.implies(&mut store, one, other, meter)) {
                Ok(Implication::Fails(found)) => {
                    assert!(!expected && store.evaluate(one, &found) && !store.evaluate(other, &found), "{text}");
                }
                answer => assert_eq!((answer, expected), (Ok(Implication::Holds), true), "{text}"),
            }
        }
    }
}

#[test]
fn substitution_is_evaluation_behind_the_assignments() {
    for seed in seeds(4_000) {
        let random = &mut Random::new(seed);
        let mut store = Store::new();
        let formula = random_formula(&mut store, random, 3, 4, false);
        let mut assignments = Vec::new();
        for variable in (0..3).map(Variable) {
            if random.below(3) > 0 {
                let expression = random_expression(random, 3, 2, false);
                assignments.push((variable, defined(&mut store, &expression).value));
            }
        }
        let before = unlimited(|meter| store.substitute(formula, &assignments, meter)).expect("no limit");
        for _ in 0..20 {
            let given: Valuation = (0..3).map(Variable).map(|variable| (variable, pick(random, &ENDS))).collect();
            let mut behind = given.clone();
            for (variable, term) in &assignments {
                behind.set(*variable, store.value(*term, &given));
            }
            let (before, behind) = (store.evaluate(before, &given), store.evaluate(formula, &behind));
            assert_eq!(before, behind, "seed {seed}: {} at {given:?}", store.text(formula, &named));
        }
    }
}

#[test]
fn what_is_simplified_says_the_same() {
    for seed in seeds(600) {
        let random = &mut Random::new(seed);
        let (mut store, mut solver) = (Store::new(), Solver::new());
        let ranges: Vec<_> = (0..1 + random.below(3)).map(|_| random_range(random)).collect();
        let mut formula = random_formula(&mut store, random, ranges.len() as u64, 4, true);
        if random.below(2) == 0 {
            formula = within(&mut store, formula, &ranges);
        }
        let limit = 1 << 21;
        let mut budget = Budget::unlimited();
        let simple =
            solver.simplify(&mut store, formula, &mut Meter::new(limit, 0, &mut budget)).expect("nobody stops");
        let text =
            format!("seed {seed}: {} is not {}", store.text(formula, &named), store.text(simple.formula, &named));
        for values in all(&ranges) {
            let given = valuation(&values);
            assert_eq!(store.evaluate(formula, &given), store.evaluate(simple.formula, &given), "{text}");
        }
        for _ in 0..30 {
            let given = valuation(&[pick(random, &ENDS), pick(random, &ENDS), pick(random, &ENDS)]);
            assert_eq!(store.evaluate(formula, &given), store.evaluate(simple.formula, &given), "{text}");
        }
        assert!(store.size(simple.formula) <= store.size(formula), "{text}");
    }
}

/// A random step whose assignments stay within ranges that begin at 0.
fn random_step(store: &mut Store, random: &mut Random, ranges: &[Interval]) -> Transition {
    let guard = random_formula(store, random, ranges.len() as u64, 3, true);
    let mut assignments = Vec::new();
    for (variable, range) in (0..).map(Variable).zip(ranges) {
        if random.below(2) == 0 {
            continue;
        }
        let expression = random_expression(random, ranges.len() as u64, 2, true);
        let value = defined(store, &expression).value;
        let mask = store.constant(range.high);
        assignments.push((variable, store.binary(BinaryOperator::BitAnd, value, mask)));
    }
    Transition { guard, assignments }
}

#[test]
fn both_kinds_of_predicates_agree() {
    for seed in seeds(600) {
        let random = &mut Random::new(seed);
        let mut store = Store::new();
        // Each is all values of some bits, so that a mask keeps to it.
        let ranges: Vec<_> = (0..3).map(|_| Interval::new(0, pick(random, &[0, 1, 3, 7]))).collect();
        let declared: Vec<_> = (0..).map(Variable).zip(ranges.iter().copied()).collect();
        let steps: Vec<_> = (0..3).map(|_| random_step(&mut store, random, &ranges)).collect();
        let formulas: Vec<_> = (0..2).map(|_| random_formula(&mut store, random, 3, 3, true)).collect();
        let mut sets = Sets::new(store.clone(), declared.iter().copied()).expect("few valuations");
        let mut symbolic = Symbolic::new(store, Solver::within(declared.iter().copied()));
        let meter = &mut Budget::unlimited();
        let meter = &mut Meter::unlimited(meter);
        let mut both = Vec::new();
        for &formula in &formulas {
            both.push((symbolic.of(formula, meter).expect("one"), sets.of(formula, meter).expect("one")));
        }
        for _ in 0..8 {
            let ((a, set), (b, other)) = (pick_pair(random, &both), pick_pair(random, &both));
            both.push(match random.below(7) {
                0 => (symbolic.and(&a, &b), sets.and(&set, &other)),
                1 => (symbolic.or(&a, &b), sets.or(&set, &other)),
                2 => (symbolic.not(&a), sets.not(&set)),
                3 => {
                    let values: Vec<_> = (0..=ranges[1].high).collect();
                    let inputs = (
                        symbolic.for_all_values(&a, Variable(1), &values, meter),
                        sets.for_all_values(&set, Variable(1), &values, meter),
                    );
                    (inputs.0.expect("one"), inputs.1.expect("one"))
                }
                _ => {
                    let step = &steps[random.below(3) as usize];
                    (symbolic.before(step, &a, meter).expect("one"), sets.before(step, &set, meter).expect("one"))
                }
            });
        }
        for (at, (formula, set)) in both.iter().enumerate() {
            let text = format!("seed {seed}: {}", symbolic.store.text(*formula, &named));
            for values in all(&ranges) {
                let set = sets.holds(set, &valuation(&values));
                assert_eq!(symbolic.store.evaluate(*formula, &valuation(&values)), set, "{text} at {values:?}");
            }
            assert_eq!(symbolic.is_false(formula, meter), sets.is_false(set, meter), "{text}");
            let (other, other_set) = &both[(at + 1) % both.len()];
            let answers = (symbolic.implies(formula, other, meter), sets.implies(set, other_set, meter));
            assert!(
                matches!(
                    answers,
                    (Ok(Implication::Holds), Ok(Implication::Holds))
                        | (Ok(Implication::Fails(_)), Ok(Implication::Fails(_)))
                ),
                "{text}: {answers:?}"
            );
            // What is said of a set is it.
            let said = sets.formula(set);
            assert_eq!(sets.of(said, meter).as_ref(), Ok(set), "{text}");
            // Images and weakest preconditions are two sides of one thing.
            let step = &steps[at % 3];
            let image = sets.after(step, set, meter).expect("one");
            let before = sets.before(step, other_set, meter).expect("one");
            let sides = (sets.implies(&image, other_set, meter), sets.implies(set, &before, meter));
            assert_eq!(sides.0 == Ok(Implication::Holds), sides.1 == Ok(Implication::Holds), "{text}");
        }
    }
}

fn pick_pair(random: &mut Random, of: &[(Formula, Set)]) -> (Formula, Set) {
    of[random.below(of.len() as u64) as usize].clone()
}

#[test]
fn labels_are_short() {
    let (mut store, mut solver) = (Store::new(), Solver::new());
    for (given, expected) in [
        ("mutex = 0 and count < 2", "mutex = 0 and count < 2"),
        ("x < 3 or x = 3", "x < 4"),
        ("x <= 5 and x < 3", "x < 3"),
        ("x >= 0 and x != 0", "x > 0"),
        ("not (x < 3 and y < 2)", "x >= 3 or y >= 2"),
        ("x < 3 or x > 5 or x = 4", "x != 3 and x != 5"),
        ("(x < 3 or y = 1) and (x < 3 or y != 1)", "x < 3"),
        ("(x = 1 and y = 2) or (x = 1 and y = 7)", "x = 1 and (y = 2 or y = 7)"),
        ("(x = 1 and y = 2) or (x = 1 and y = 3)", "x = 1 and y >= 2 and y < 4"),
        ("(x = 1 and y > 2) or (x != 1 and y > 2)", "y >= 3"),
        ("x = y and y = 3 or x = 3 and y = 3", "x = 3 and y = 3"),
        ("mutex = 0 and count + mutex < 3", "mutex = 0 and count < 3"),
        ("x + 1 < 2", "x <= 0 or x = 9223372036854775807"),
        ("x + 1 = 2", "x = 1"),
        ("x - y = 0", "x = y"),
        ("not (x = y) or x = y", "true"),
        ("x < y and y < x", "false"),
        ("(x > 2) = 1", "x >= 3"),
        ("(x | 1) = 0", "false"),
        ("x & 3 = 4", "false"),
        ("x * 2 = 7", "false"),
        ("x - 3 > y", "y < x - 3"),
        ("0 = 0", "true"),
        ("x < y + 1 or x >= y + 1", "true"),
        ("not x", "x = 0"),
    ] {
        let formula = parsed(&mut store, given);
        let simple = unlimited(|meter| solver.simplify(&mut store, formula, meter)).expect("nobody stops");
        assert_eq!((store.text(simple.formula, &named).as_str(), simple.proof), (expected, Proof::Proven), "{given}");
    }
}

#[test]
fn what_is_too_hard_is_said() {
    let (mut store, mut solver) = (Store::new(), Solver::new());
    // Two primes of 31 bits.
    let formula = parsed(
        &mut store,
        "x * y = 4611685975477714963 and x > 1 and y > 1 and x < 4294967296 and y < 4294967296 and x <= y",
    );
    let mut budget = Budget::unlimited();
    let meter = &mut Meter::new(1 << 20, 0, &mut budget);
    assert_eq!(solver.satisfiable(&mut store, formula, meter), Ok(Answer::Undecided));
    let meter = &mut Meter::new(1 << 20, 0, &mut budget);
    let simple = solver.simplify(&mut store, formula, meter);
    assert!(matches!(simple, Ok(Simplified { proof: Proof::GaveUp, .. })), "{simple:?}");
    // The least of limits is enough for nothing.
    let easy = parsed(&mut store, "x * x = 49 and x > 3 and y * x = 21");
    let meter = &mut Meter::new(1, 0, &mut budget);
    assert_eq!(solver.satisfiable(&mut store, easy, meter), Ok(Answer::Undecided));
    // And has not spoiled anything.
    let Ok(Answer::Yes(found)) = unlimited(|meter| solver.satisfiable(&mut store, easy, meter)) else { panic!() };
    assert!(store.evaluate(easy, &found));
}

#[test]
fn a_paused_question_goes_on_and_costs_the_same() {
    let text = "x * y = 1022117 and x > 1 and y > 1 and x < 65536 and y < 65536 and x < y";
    let limit = 1 << 34;
    let ask = |units: Option<u64>| {
        let (mut store, mut solver) = (Store::new(), Solver::new());
        let formula = parsed(&mut store, text);
        let (mut spent, mut pauses) = (0, 0);
        loop {
            let mut budget = units.map_or_else(Budget::unlimited, Budget::of);
            let mut meter = Meter::new(limit, spent, &mut budget);
            let answer = solver.satisfiable(&mut store, formula, &mut meter);
            spent = limit - meter.left();
            match answer {
                Err(Paused) => pauses += 1,
                Ok(answer) => return (answer, spent, pauses),
            }
        }
    };
    let (answer, spent, pauses) = ask(None);
    assert_eq!(pauses, 0);
    let Answer::Yes(found) = &answer else { panic!("{answer:?}") };
    assert_eq!((found.get(Variable(2)), found.get(Variable(3))), (1009, 1013));
    for units in [1, 1000, 10_000] {
        let (again, spent_again, pauses) = ask(Some(units));
        assert_eq!((again, spent_again), (answer.clone(), spent), "{units}");
        assert!(pauses > 0, "{units}");
    }
}

#[test]
fn long_paths_need_no_stack() {
    let mut store = Store::new();
    let (x, y) = (store.variable(Variable(2)), store.variable(Variable(3)));
    let product = store.binary(BinaryOperator::Multiply, x, y);
    let step = store.binary(BinaryOperator::BitXor, product, y);
    let mut formula = parsed(&mut store, "x < 7");
    let mut deep = formula;
    for _ in 0..600 {
        formula = unlimited(|meter| store.substitute(formula, &[(Variable(2), step)], meter)).expect("no limit");
    }
    for at in 0..5_000 {
        let bound = store.constant(at);
        let guard = store.less(bound, y);
        let other = store.less(x, y);
        let either = store.or(&[guard, other]);
        deep = store.implication(either, deep);
        deep = if at % 2 == 0 { store.not(deep) } else { deep };
    }
    let mut behind = valuation(&[0, 0, 5, 9]);
    assert!(store.text(formula, &named).contains('…'));
    store.evaluate(formula, &behind);
    behind.set(Variable(3), 1);
    store.evaluate(deep, &behind);
    assert_eq!(store.variables(deep), [Variable(2), Variable(3)]);
    assert!(store.words() < 1 << 24, "{}", store.words());
    let mut solver = Solver::new();
    let mut budget = Budget::unlimited();
    let _ = solver.satisfiable(&mut store, deep, &mut Meter::new(1 << 24, 0, &mut budget));
    let _ = solver.simplify(&mut store, deep, &mut Meter::new(1 << 24, 0, &mut budget));
    let _ = solver.satisfiable(&mut store, formula, &mut Meter::new(1 << 20, 0, &mut budget));
}

#[test]
fn choices_nest_as_deep_as_a_path_is_long() {
    let mut store = Store::new();
    let (x, y) = (store.variable(Variable(2)), store.variable(Variable(3)));
    let mut term = x;
    for at in 0..20_000 {
        let constant = store.constant(at);
        let here = store.equal(y, constant);
        term = store.choose(here, constant, term);
        let negated = store.unary(UnaryOperator::Negate, term);
        term = store.unary(UnaryOperator::Complement, negated);
    }
    let seven = store.constant(7);
    let (equal, less) = (store.equal(term, seven), store.less(term, seven));
    for given in
        [[0, 0, 20_007, -1], [0, 0, 5, -1], [0, 0, 0, 19_993], [0, 0, 0, 19_992]].map(|values| valuation(&values))
    {
        let value = store.value(term, &given);
        assert_eq!((store.evaluate(equal, &given), store.evaluate(less, &given)), (value == 7, value < 7), "{value}");
    }
    let before = unlimited(|meter| store.substitute(equal, &[(Variable(2), seven)], meter)).expect("no limit");
    let mut budget = Budget::unlimited();
    let meter = &mut Meter::new(1 << 20, 0, &mut budget);
    assert!(Solver::new().satisfiable(&mut store, before, meter).is_ok());
    assert!(store.text(before, &named).len() < 1 << 14);
}

#[test]
fn sets_say_what_they_cannot_hold() {
    let store = Store::new();
    let wide = [(Variable(0), Interval::new(0, 1 << 20))];
    assert_eq!(Sets::new(store.clone(), wide).err(), Some(Failure::TooManyValuations((1 << 20) + 1)));
    let all = [(Variable(0), Interval::ALL), (Variable(1), Interval::ALL), (Variable(2), Interval::ALL)];
    assert!(matches!(Sets::new(store.clone(), all), Err(Failure::TooManyValuations(_))));
    let mut sets = Sets::new(store, [(Variable(1), Interval::new(0, 3))]).expect("few");
    let meter = &mut Budget::unlimited();
    let meter = &mut Meter::unlimited(meter);
    let formula = parsed(sets.store(), "x = 1");
    assert_eq!(sets.of(formula, meter), Err(Failure::Undeclared(Variable(2))));
    let count = sets.store().variable(Variable(1));
    let one = sets.store().constant(1);
    let next = sets.store().binary(BinaryOperator::Add, count, one);
    let step = Transition { guard: Formula::TRUE, assignments: vec![(Variable(1), next)] };
    let any = sets.truth(true);
    assert_eq!(sets.before(&step, &any, meter), Err(Failure::Leaves { variable: Variable(1), value: 4 }));
    let formula = parsed(sets.store(), "count < 3");
    let guarded = Transition { guard: formula, ..step };
    assert_eq!(sets.before(&guarded, &any, meter), Ok(any.clone()));
    assert_eq!(sets.text(&any, &named, meter), Ok(("true".to_owned(), Proof::Proven)));
    let below = sets.of(formula, meter).expect("declared");
    assert_eq!((below.len(), sets.text(&below, &named, meter)), (3, Ok(("count < 3".to_owned(), Proof::Proven))));
    let values: Vec<_> = (0..17).collect();
    // Of those there may be as many as there are, within the range.
    let leaves = Failure::Leaves { variable: Variable(1), value: 4 };
    assert_eq!(sets.for_all_values(&any, Variable(1), &values, meter), Err(leaves));
    assert_eq!(sets.for_all_values(&below, Variable(1), &values[..3], meter), Ok(any.clone()));
    assert_eq!(sets.for_all_values(&below, Variable(1), &values[..4], meter).map(|set| set.len()), Ok(0));
    let mut symbolic = Symbolic::default();
    let formula = parsed(&mut symbolic.store, "x = 1");
    assert_eq!(symbolic.for_all_values(&formula, Variable(2), &values, meter), Err(Failure::TooManyValues(17)));
}

/// A producer finds a buffer for two full, with nothing in it at the start: lock, `count := count + 1`, unlock, lock, `count >= 2`.
#[test]
fn interpolants_of_a_path_that_cannot_be() {
    let mut predicates = Symbolic::default();
    let meter = &mut Budget::unlimited();
    let meter = &mut Meter::unlimited(meter);
    let store = predicates.store();
    let (zero, one) = (store.constant(0), store.constant(1));
    let count = store.variable(Variable(1));
    let more = store.binary(BinaryOperator::Add, count, one);
    let (free, full) = (parsed(store, "mutex = 0"), parsed(store, "count >= 2"));
    let lock = Transition { guard: free, assignments: vec![(Variable(0), one)] };
    let grow = Transition { guard: Formula::TRUE, assignments: vec![(Variable(1), more)] };
    let unlock = Transition { guard: Formula::TRUE, assignments: vec![(Variable(0), zero)] };
    let error = Transition { guard: full, assignments: Vec::new() };
    let mut label = predicates.truth(false);
    let mut labels = Vec::new();
    for step in [&error, &lock, &unlock, &grow, &lock] {
        label = predicates.before(step, &label, meter).expect("no limit");
        labels.push(predicates.text(&label, &named, meter).expect("nobody stops").0);
    }
    let expected = [
        "count < 2",
        "mutex != 0 or count < 2",
        "count < 2",
        "count <= 0 or count = 9223372036854775807",
        "mutex != 0 or count <= 0 or count = 9223372036854775807",
    ];
    assert_eq!(labels, expected);
    let start = parsed(predicates.store(), "mutex = 0 and count = 0");
    assert_eq!(predicates.implies(&start, &label, meter), Ok(Implication::Holds));
}

mod batsat_at_its_edges {
    //! What is relied on, and what isn't.

    use super::super::circuit::Slice;
    use batsat::{Lit, Solver, SolverInterface, SolverOpts, lbool};
    use std::cell::Cell;

    fn solver() -> (Solver<Slice>, Vec<Lit>) {
        let mut solver = Solver::new(SolverOpts::default(), Slice(Cell::new(u64::MAX)));
        let lits = (0..40).map(|_| Lit::new(solver.new_var_default(), true)).collect();
        (solver, lits)
    }

    #[test]
    fn a_literal_with_sign_is_the_positive_one() {
        let (mut solver, lits) = solver();
        assert_eq!(solver.solve_limited(&[lits[0], !lits[1]]), lbool::TRUE);
        assert_eq!((solver.value_lit(lits[0]), solver.value_lit(lits[1])), (lbool::TRUE, lbool::FALSE));
        assert!(lits[0].sign() && !(!lits[0]).sign());
    }

    #[test]
    fn assumptions_are_taken_back() {
        let (mut solver, lits) = solver();
        solver.add_clause_reuse(&mut vec![lits[0], lits[1]]);
        assert_eq!(solver.solve_limited(&[!lits[0], !lits[1]]), lbool::FALSE);
        // The core has negated assumptions.
        assert!(solver.unsat_core().iter().all(|lit| [lits[0], lits[1]].contains(lit)));
        assert!(solver.is_ok());
        assert_eq!(solver.solve_limited(&[!lits[0]]), lbool::TRUE);
        assert_eq!(solver.value_lit(lits[1]), lbool::TRUE);
        // Contradictory and repeated ones.
        assert_eq!(solver.solve_limited(&[lits[2], !lits[2]]), lbool::FALSE);
        assert_eq!(solver.solve_limited(&[lits[2], lits[2]]), lbool::TRUE);
    }

    #[test]
    fn clauses_come_after_answers_of_either_kind() {
        let (mut solver, lits) = solver();
        assert_eq!(solver.solve_limited(&[lits[0]]), lbool::TRUE);
        solver.add_clause_reuse(&mut vec![!lits[0], lits[1]]);
        assert_eq!(solver.solve_limited(&[lits[0], !lits[1]]), lbool::FALSE);
        solver.add_clause_reuse(&mut vec![!lits[1], lits[2]]);
        assert_eq!(solver.solve_limited(&[lits[0]]), lbool::TRUE);
        assert_eq!(solver.value_lit(lits[2]), lbool::TRUE);
        // A variable that came after the answer has no value in it.
        let late = Lit::new(solver.new_var_default(), true);
        assert_eq!(solver.value_lit(late), lbool::UNDEF);
        // The same literal twice, and a clause that always holds.
        assert!(solver.add_clause_reuse(&mut vec![late, late]));
        assert!(solver.add_clause_reuse(&mut vec![lits[5], !lits[5]]));
        assert_eq!(solver.solve_limited(&[]), lbool::TRUE);
        assert_eq!(solver.value_lit(late), lbool::TRUE);
    }

    #[test]
    fn what_no_clause_names_has_a_value_in_models() {
        let (mut solver, lits) = solver();
        assert_eq!(solver.solve_limited(&[]), lbool::TRUE);
        assert!(lits.iter().all(|lit| solver.value_lit(*lit) != lbool::UNDEF));
    }

    /// Pigeons in holes: unsatisfiable, and slow to refute.
    fn pigeons(solver: &mut Solver<Slice>, holes: usize) {
        let place: Vec<Vec<Lit>> =
            (0..=holes).map(|_| (0..holes).map(|_| Lit::new(solver.new_var_default(), true)).collect()).collect();
        for pigeon in &place {
            solver.add_clause_reuse(&mut pigeon.clone());
        }
        for one in 0..=holes {
            for other in 0..one {
                for (a, b) in place[one].iter().zip(&place[other]) {
                    solver.add_clause_reuse(&mut vec![!*a, !*b]);
                }
            }
        }
    }

    #[test]
    fn what_was_stopped_goes_on() {
        let (mut solver, _) = solver();
        pigeons(&mut solver, 7);
        let mut stops = 0;
        loop {
            solver.cb_mut().0.set(100);
            match solver.solve_limited(&[]) {
                answer if answer == lbool::FALSE => break,
                answer => assert_eq!(answer, lbool::UNDEF),
            }
            stops += 1;
            assert!(stops < 10_000, "it does not get on");
        }
        assert!(stops > 3);
        // Once refuted without assumptions, it stays so, whatever is added.
        assert!(!solver.is_ok());
        let late = Lit::new(solver.new_var_default(), true);
        assert!(!solver.add_clause_reuse(&mut vec![late]));
        assert_eq!(solver.solve_limited(&[late]), lbool::FALSE);
        assert!(solver.unsat_core().is_empty());
    }

    #[test]
    fn who_stops_at_once_gets_no_answer() {
        let (mut solver, lits) = solver();
        solver.add_clause_reuse(&mut vec![lits[0], lits[1]]);
        solver.cb_mut().0.set(0);
        assert_eq!(solver.solve_limited(&[]), lbool::UNDEF);
        solver.cb_mut().0.set(u64::MAX);
        assert_eq!(solver.solve_limited(&[]), lbool::TRUE);
    }
}

/// How long questions take: `cargo test --release -p litmoscope-schedules timings -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn timings() {
    use std::time::Instant;
    let texts = [
        ("mutex = 0 and count < 2", "count < 5"),
        ("mutex = 0 and count < 1000", "mutex = 0 and (count < 1000 or x = 3)"),
        ("mutex = 0 and count < 1000 and count >= 0", "count + mutex < 1001"),
        ("mutex = 0 and count < 1000 and count >= 0 and x = count + 1", "x > count and x <= 1000"),
        ("x >= 0 and x < 100 and y >= 0 and y < 100 and x + y = 50", "x <= 50"),
        ("x + y = 50 and x >= y", "x != y or x = 25 or x < 0"),
        ("x = y * 3 and y > 0 and y < 100", "x % 3 = 0"),
        ("x > 0 and y > x", "x / y = 0"),
    ];
    for (one, other) in texts {
        let mut store = Store::new();
        let (one_formula, other_formula) = (parsed(&mut store, one), parsed(&mut store, other));
        let rounds = if one == "x > 0 and y > x" { 1 } else { 20 };
        let start = Instant::now();
        let mut answer = Ok(Implication::Undecided);
        let mut solver = Solver::new();
        let mut units = 0;
        for _ in 0..rounds {
            solver = Solver::new();
            answer = unlimited(|meter| {
                let before = meter.left();
                let answer = solver.implies(&mut store, one_formula, other_formula, meter);
                units = before - meter.left();
                answer
            });
        }
        let first = start.elapsed() / rounds;
        let start = Instant::now();
        for _ in 0..rounds {
            answer = unlimited(|meter| solver.implies(&mut store, one_formula, other_formula, meter));
        }
        let answer = match answer {
            Ok(Implication::Holds) => "holds",
            Ok(Implication::Fails(_)) => "fails",
            _ => "?",
        };
        println!(
            "{one} implies {other}: {answer}, {first:?}, {units} units, again {:?}, {:?}",
            start.elapsed() / rounds,
            solver.asked()
        );
    }
    let start = Instant::now();
    let circuits: Vec<_> = (0..100).map(|_| Circuit::new()).collect();
    println!("a circuit: {:?}", start.elapsed() / circuits.len() as u32);
    let mut store = Store::new();
    let formula = parsed(&mut store, "x = y + 1 and x < y");
    let parts = store.conjuncts(formula);
    let start = Instant::now();
    for mut circuit in circuits {
        searched(
            &mut circuit,
            &store,
            &parts,
            &[Interval::new(0, 1), Interval::new(0, 1), Interval::new(0, 1000), Interval::new(0, 1000)],
        );
    }
    println!("its use: {:?}", start.elapsed() / 100);
    // Many questions of one solver.
    let (mut store, mut solver) = (Store::new(), Solver::new());
    let random = &mut Random::new(1);
    let ranges = [Interval::new(0, 1), Interval::new(0, 1000), Interval::new(0, 7)];
    let questions: Vec<_> = (0..3000)
        .map(|_| {
            let one = random_formula(&mut store, random, 3, 4, true);
            within(&mut store, one, &ranges)
        })
        .collect();
    let start = Instant::now();
    for formula in &questions {
        let mut budget = Budget::unlimited();
        let _ = solver.satisfiable(&mut store, *formula, &mut Meter::new(1 << 24, 0, &mut budget));
    }
    println!(
        "{} random questions: {:?} each, {:?}",
        questions.len(),
        start.elapsed() / questions.len() as u32,
        solver.asked()
    );
    let x = store.variable(Variable(1));
    let next = store.plus(x, 1);
    let start = Instant::now();
    let mut formula = parsed(&mut store, "mutex = 0 and count < 1000 or x = 3");
    for _ in 0..1000 {
        formula = unlimited(|meter| store.substitute(formula, &[(Variable(1), next)], meter)).expect("no limit");
    }
    println!("1000 weakest preconditions: {:?} each; {}", start.elapsed() / 1000, store.text(formula, &named));
    let ranges =
        [(Variable(0), Interval::new(0, 1)), (Variable(1), Interval::new(0, 1000)), (Variable(2), Interval::new(0, 7))];
    let mut sets = Sets::new(store, ranges).expect("few");
    let start = Instant::now();
    let set = unlimited(|meter| sets.of(questions[0], meter)).expect("declared");
    println!("a set of {} valuations: {:?}", set.len(), start.elapsed());
}

#[test]
fn halts_become_failures() {
    assert_eq!((Failure::from(Halt::Paused), Failure::from(Halt::Limit)), (Failure::Paused, Failure::Limit));
}
